//! Calls the person for a driver: a client of it that shows nothing, and calls whether or not there are screens.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use super::calling::Calling;
use super::event_lines::EventLines;
use crate::app::AttentionSettings;
use crate::caller::{Call, Caller};
use crate::domain::asking::put_off::PutOffs;
use crate::domain::{Clock, Lang, Stamp};
use crate::protocol::{Command, DriverEvent};
use crate::run::{now, until};

/// The questions that are looked at on any screen; `None`: no one looks at any.
pub type Looks = Option<BTreeSet<String>>;

/// Reads which questions are put off now. May block.
pub type ReadPutOffs = Arc<dyn Fn() -> PutOffs + Send + Sync>;

/// While a question is open: how long it may stay unknown that it was put off. Shorter than the shortest time for which
/// one is put off, so that none comes back unnoticed.
const PUT_OFF_INTERVAL: Duration = Duration::from_secs(30);

/// Decides about calls to the person.
#[derive(Debug)]
pub struct Attendant {
    lang: Lang,
    events: EventLines,
    calling: Calling,
}

impl Attendant {
    #[must_use]
    pub fn new(lang: Lang, settings: AttentionSettings) -> Self {
        let mut calling = Calling::default();
        calling.set(settings);
        Self { lang, events: EventLines::new(lang), calling }
    }

    pub fn event(&mut self, event: &DriverEvent, now: Instant) {
        // The lines are not printed.
        drop(self.events.of(event));
        self.calling.event(event, &self.events.numbers, now);
    }

    /// Takes the questions that are put off now.
    pub fn put_off(&mut self, left: &PutOffs, now: Instant) {
        self.calling.put_off(left, &self.events.numbers, now);
    }

    fn has_questions(&self) -> bool {
        self.events.numbers.questions().next().is_some()
    }

    /// The call that is to be made now, if any. `stamp`: the time of day.
    pub fn due(&mut self, looks: &Looks, now: Instant, stamp: &Stamp) -> Option<Call> {
        self.calling.due(&self.events.numbers, looks, self.lang, (now, stamp))
    }

    /// Returns the next time at which something is due without an event.
    #[must_use]
    pub fn wake_at(&self) -> Option<Instant> {
        self.calling.wake_at()
    }
}

/// Makes calls until the driver has ended.
pub async fn attend(
    mut attendant: Attendant,
    (commands, mut events): (mpsc::Sender<Command>, mpsc::Receiver<DriverEvent>),
    (looks, put_offs): (impl Fn() -> Looks, ReadPutOffs),
    (caller, clock): (&mut Caller, Arc<dyn Clock>),
) {
    let mut read_at = now();
    loop {
        let is_due = attendant.wake_at().is_some_and(|at| at <= now());
        if is_due || attendant.has_questions() && read_at <= now() {
            let read = put_offs.clone();
            let left = spawn_blocking(move || read()).await.unwrap_or_default();
            attendant.put_off(&left, now());
            read_at = now() + PUT_OFF_INTERVAL;
        }
        if let Some(call) = attendant.due(&looks(), now(), &clock.now()) {
            caller.call(call);
        }
        let look = attendant.has_questions().then_some(read_at);
        let wake = attendant.wake_at().into_iter().chain(look).min();
        let wake = wake.map(tokio::time::Instant::from_std);
        tokio::select! {
            event = events.recv() => match event {
                Some(DriverEvent::Stopped) | None => return,
                // There is room later, or the driver has ended.
                Some(DriverEvent::Lagged) => drop(commands.send(Command::Refresh).await),
                Some(event) => attendant.event(&event, now()),
            },
            () = until(wake) => {}
        }
    }
}
