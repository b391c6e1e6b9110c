//! A driver without a screen in its own process: `serve`, and a driver whose screen has detached.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, sleep_until};

use crate::domain::DialogId;
use crate::driver::ClientChannels;
use crate::platform::service_manager::{ServiceManager, watchdog_interval};
use crate::platform::signals::{Signals, StopSignal};
use crate::protocol::event::TreeRow;
use crate::protocol::{Command, DriverEvent};

use super::other_driver::{SHUTDOWN_TIMEOUT, TICKET};

/// How long a driver that is not needed stays: a client may come back.
const LINGER: Duration = Duration::from_mins(1);
/// Timeout for steps to finish.
const FINISH_TIMEOUT: Duration = Duration::from_mins(10);
/// The interval without a watchdog: the loop need not wake up.
const NO_WATCHDOG: Duration = Duration::from_hours(24);
/// The ticket of [`Command::FinishSteps`].
const FINISH_TICKET: u64 = TICKET + 1;

/// The condition that ends a driver, beside `quit` and signals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// None: it was started to stay.
    Asked,
    /// It is not needed: nothing runs, no question is open, no trigger is active, and no client is connected.
    NotNeeded,
    /// The running steps are finished.
    StepsFinished,
}

/// Drives until it is over; returns the signal that ended it, if one did. `connected`: how many clients there are in
/// other processes.
pub async fn drive(
    ClientChannels { commands, mut events }: ClientChannels,
    mut connected: watch::Receiver<usize>,
    signals: &mut Signals,
    (until, manager): (Until, &ServiceManager),
) -> Option<StopSignal> {
    let mut watchdog = watchdog();
    let mut work = Work::default();
    let mut ends = (until == Until::StepsFinished).then(|| Instant::now() + FINISH_TIMEOUT);
    let mut is_ending = false;
    let mut ended_by = None;
    if until == Until::StepsFinished {
        let _ = commands.send(Command::FinishSteps { ticket: FINISH_TICKET }).await;
    }
    loop {
        match until {
            Until::NotNeeded => {
                let is_needed = work.is_needed() || *connected.borrow() > 0;
                ends = (!is_needed).then(|| ends.unwrap_or_else(|| Instant::now() + LINGER));
            }
            Until::StepsFinished if work.steps_are_finished() => ends = Some(Instant::now()),
            Until::Asked | Until::StepsFinished => {}
        }
        tokio::select! {
            event = events.recv() => match event {
                // A sign of life of the driver, and not only of this loop.
                Some(DriverEvent::Drafts { ticket: TICKET, .. }) => manager.alive(),
                Some(DriverEvent::Stopped) | None => break,
                Some(event) => work.apply(event),
            },
            _ = watchdog.tick() => drop(commands.try_send(Command::Drafts { ticket: TICKET })),
            Ok(()) = connected.changed() => {}
            signal = signals.next() => if signal != StopSignal::HangUp {
                ended_by = Some(signal);
                ends = Some(Instant::now());
            },
            () = sleep_until(ends.unwrap_or_else(Instant::now)), if ends.is_some() && !is_ending => {}
        }
        if ends.is_some_and(|by| by <= Instant::now()) && !std::mem::replace(&mut is_ending, true) {
            manager.stopping();
            let _ = commands.send(Command::Shutdown { grace: SHUTDOWN_TIMEOUT }).await;
        }
    }
    manager.stopping();
    ended_by
}

fn watchdog() -> Interval {
    let mut watchdog = interval(watchdog_interval().unwrap_or(NO_WATCHDOG));
    watchdog.set_missed_tick_behavior(MissedTickBehavior::Delay);
    watchdog
}

/// The work of the driver.
#[derive(Debug, Default)]
struct Work {
    running: Option<BTreeSet<DialogId>>,
    questions: usize,
    processes: usize,
    /// Triggers that fire when their time or a message comes.
    triggers: usize,
    /// True if no further step begins.
    is_finishing: bool,
}

impl Work {
    fn apply(&mut self, event: DriverEvent) {
        if let DriverEvent::Rows(rows) = event {
            let running = rows.into_iter().filter(is_running).map(|row| row.dialog);
            self.running = Some(running.collect());
        } else if let DriverEvent::Row(row) = event {
            let running = self.running.get_or_insert_default();
            if is_running(&row) {
                running.insert(row.dialog);
            } else {
                running.remove(&row.dialog);
            }
        } else if let DriverEvent::Removed(gone) = event {
            let running = self.running.get_or_insert_default();
            running.retain(|dialog| dialog.root != gone.root);
        } else if let DriverEvent::Inbox(questions) = event {
            self.questions = questions.len();
        } else if let DriverEvent::Triggers(all) = event {
            self.triggers = all.iter().filter(|trigger| trigger.is_running()).count();
        } else if let DriverEvent::Processes(all) = event {
            self.processes = all.iter().filter(|process| process.is_running()).count();
        } else if let DriverEvent::Done { ticket: FINISH_TICKET, .. } = event {
            self.is_finishing = true;
        }
    }

    fn is_needed(&self) -> bool {
        self.questions > 0 || self.processes > 0 || self.triggers > 0 || !self.nothing_runs()
    }

    fn steps_are_finished(&self) -> bool {
        self.is_finishing && self.nothing_runs()
    }

    /// False before anything is known.
    fn nothing_runs(&self) -> bool {
        self.running.as_ref().is_some_and(BTreeSet::is_empty)
    }
}

fn is_running(row: &TreeRow) -> bool {
    row.state.is_running()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RootId;

    #[test]
    fn a_driver_is_needed_while_something_runs_a_question_is_open_or_a_trigger_is_active() {
        let mut work = Work::default();
        assert!(work.is_needed(), "nothing is known yet");
        work.apply(DriverEvent::Rows(Vec::new()));
        assert!(!work.is_needed());
        work.questions = 1;
        assert!(work.is_needed());
        work.apply(DriverEvent::Inbox(Vec::new()));
        let dialog = DialogId::main(RootId::new("a"));
        work.running.get_or_insert_default().insert(dialog.clone());
        assert!(work.is_needed());
        work.apply(DriverEvent::Removed(dialog));
        assert!(!work.is_needed());
        work.triggers = 1;
        assert!(work.is_needed());
        work.apply(DriverEvent::Triggers(Vec::new()));
        assert!(!work.is_needed());
    }

    #[test]
    fn steps_are_finished_once_none_begins_and_none_runs() {
        let mut work = Work::default();
        work.apply(DriverEvent::Done { ticket: FINISH_TICKET, dialog: None });
        assert!(!work.steps_are_finished(), "nothing is known yet");
        work.apply(DriverEvent::Rows(Vec::new()));
        assert!(work.steps_are_finished());
        work.is_finishing = false;
        assert!(!work.steps_are_finished());
    }
}
