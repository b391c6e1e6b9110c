//! Triggers: due times and messages become tasks. Missed times are not made up for.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use crate::domain::TeamName;
use crate::domain::teams::org::{Org, OrgTeam};
use crate::domain::teams::task::{NewTask, TaskKind, TaskTrigger};
use crate::domain::teams::trigger::handler::Handler;
use crate::domain::teams::trigger::row::{handler, in_force};
use crate::domain::teams::trigger::timer::{Look, counted_from, due, missed};
use crate::domain::teams::trigger::window::Tick;
use crate::domain::teams::trigger::{
    CORRELATION, Firing, Message, StoredTrigger, TickRule, Trigger, TriggerConfig, TriggerId,
    TriggerKind, TriggerState,
};
use crate::domain::text::Localized;
use crate::driver::shared::blocking::blocking;
use crate::driver::shared::engine::Engine;
use crate::hive::{Hive, TasksView};
use crate::minds::Minds;
use crate::minds::triggers::file_of;

use super::task_notices;

const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// Characters that tell one firing from another.
const ID_CHARS: usize = 16;

/// The triggers that are active, as they were looked at last.
#[derive(Debug)]
pub struct Triggers {
    engine: Arc<Engine>,
    /// The zero of the steady clock.
    start: Instant,
    /// `None` before the first look.
    last: Option<Look>,
    /// Their states in the store at that look.
    known: Arc<[StoredTrigger]>,
    /// Those that can run, each with its definition.
    running: BTreeMap<TriggerId, (Trigger, Handler)>,
    /// When the next one is due.
    next: Option<SystemTime>,
}

impl Triggers {
    pub fn new(engine: Arc<Engine>) -> Self {
        Self {
            engine,
            start: Instant::now(),
            last: None,
            known: Arc::default(),
            running: BTreeMap::new(),
            next: None,
        }
    }

    fn look(&self) -> Look {
        Look { wall: self.engine.clock.moment(), steady: self.start.elapsed() }
    }

    /// When the next one is due, on the steady clock.
    pub fn wake(&self) -> Option<Instant> {
        let (next, now) = (self.next?, self.engine.clock.moment());
        // A due trigger that could not be fired is tried again.
        Some(Instant::now() + next.duration_since(now).unwrap_or(RETRY_PAUSE))
    }

    /// True if something may be due, or the active triggers have changed.
    pub fn may_be_due(&self, view: &TasksView) -> bool {
        let clock = self.engine.clock.moment();
        let is_due = self.next.is_some_and(|next| next <= clock);
        // If the clock was ahead and is set back, nothing would be due for long.
        let was_set = self.last.is_some_and(|last| self.look().was_set_since(&last));
        is_due || was_set || !view.messages.is_empty() || view.triggers != self.known
    }

    /// Fires what is due by the configuration as it is now.
    pub async fn fire(&mut self, view: &TasksView, minds: &Minds) {
        let now = self.look();
        let last = self.last.replace(now);
        self.known = view.triggers.clone();
        if !minds.hive().org().is_on() {
            return;
        }
        self.prepare(view, minds).await;
        let (mut due_now, mut skipped) = (Vec::new(), 0);
        for stored in view.triggers.iter() {
            let Some((trigger, handler)) = self.running.get(&stored.id) else { continue };
            match last {
                // Times missed while nothing ran, while the machine slept, or because somebody set the clock.
                None => {
                    let since = stored.last_fired.unwrap_or(stored.since).max(stored.since);
                    skipped += missed(handler, since, now.wall);
                }
                Some(last) if now.was_set_since(&last) => {
                    let since = counted_from(stored.since, last.wall, now.wall);
                    skipped += missed(handler, since, now.wall);
                }
                Some(last) => {
                    let since = counted_from(stored.since, last.wall, now.wall);
                    let due = due(handler, since, now.wall);
                    skipped += due.missed;
                    let now = due
                        .now
                        .map(|at| (stored.id.clone(), trigger.clone(), event_at(handler, at)));
                    due_now.extend(now);
                }
            }
        }
        if skipped > 0 {
            // By the rule of triggers: what passed while nobody looked does not fire later.
            tracing::warn!(count = skipped, "times of triggers have passed without a firing");
        }
        for (id, trigger, event) in due_now {
            if !self.fire_one((&id, &trigger), &event, minds).await {
                // The next look covers the same time again; what has fired is known by its moment.
                self.last = last;
                return;
            }
        }
        for message in view.messages.iter() {
            if self.read(message, minds).await.is_err() {
                break;
            }
        }
        let times = self.running.values().filter_map(|(_, one)| one.next_after(now.wall));
        self.next = times.min();
    }

    /// Updates the triggers that can run from the files.
    async fn prepare(&mut self, view: &TasksView, minds: &Minds) {
        let definitions = minds.hive().triggers();
        let mut running = BTreeMap::new();
        let org = minds.hive().org();
        let is_held = |team: &TeamName| org.team(team).is_some_and(|team| team.held_back.is_some());
        let is_ours = |one: &&StoredTrigger| {
            one.state == TriggerState::Active && view.hosts(&one.id.team) && !is_held(&one.id.team)
        };
        for stored in view.triggers.iter().filter(is_ours) {
            let Some(file) = definitions.get(&stored.id) else {
                self.retire(&stored.id).await;
                continue;
            };
            let Some(trigger) = in_force(file.as_ref(), Some(stored)) else { continue };
            if stored.trigger().as_ref() != Some(&trigger) {
                let taken = self.tasks().take_over(stored.id.clone(), trigger.clone()).await;
                tell(taken);
            }
            let known = self.running.remove(&stored.id).filter(|(known, _)| *known == trigger);
            let handler = match known {
                Some((_, handler)) => Ok(handler),
                None => handler(&trigger, self.engine.clock.as_ref()),
            };
            // A trigger that cannot run is a problem of the configuration.
            if let Ok(handler) = handler {
                running.insert(stored.id.clone(), (trigger, handler));
            }
        }
        self.running = running;
    }

    /// Disables a trigger whose file was removed, so that a file added later does not start it. If its team cannot be
    /// used now, it is left alone.
    async fn retire(&self, id: &TriggerId) {
        let path = self.engine.workspace.join(file_of(id));
        let is_gone = blocking(move |_| {
            let found = path.symlink_metadata();
            found.is_err_and(|error| error.kind() == ErrorKind::NotFound)
        });
        if is_gone.await.unwrap_or(false) {
            tell(self.tasks().retire_trigger(id.clone()).await);
        }
    }

    fn tasks(&self) -> &Hive {
        &self.engine.hive
    }

    /// Has a message looked at by all triggers.
    ///
    /// # Errors
    /// The store; then it is looked at again later.
    async fn read(&self, message: &Message, minds: &Minds) -> Result<(), ()> {
        let rule = minds.hive().firing;
        let age = self.engine.clock.moment().duration_since(message.at).unwrap_or_default();
        let (id, channel) = (&message.id, &message.channel);
        if age.as_secs() >= u64::from(rule.dedup_seconds) {
            // By the rule of triggers: beyond this age nobody knows whether it has fired.
            tracing::warn!(id, channel, "a message is too old for triggers");
        } else {
            let meant: Vec<(&TriggerId, &Trigger)> = self
                .running
                .iter()
                .filter(|(_, (_, handler))| handler.is_meant(message))
                .map(|(id, (trigger, _))| (id, trigger))
                .collect();
            if meant.is_empty() {
                tracing::info!(id, channel, "no trigger is meant by a message");
            }
            for one in meant {
                if !self.fire_one(one, &Event::Message(message.clone()), minds).await {
                    return Err(());
                }
            }
        }
        tell(self.tasks().message_seen(message.number).await).ok_or(())
    }

    /// Queues the task of a trigger; false if the store could not be written.
    async fn fire_one(
        &self,
        (id, trigger): (&TriggerId, &Trigger),
        event: &Event,
        minds: &Minds,
    ) -> bool {
        let org: &Org = minds.hive().org();
        let Some(team) = org.team(&id.team) else { return true };
        let firing = Firing {
            id: id.clone(),
            event: event.name(),
            overlap: trigger.overlap,
            rule: minds.hive().firing,
            tick: self.tick((id, trigger), team, event),
            task: self.task((id, trigger), team, event.message(), minds),
        };
        let Some(fired) = tell(self.tasks().fire(firing).await) else { return false };
        match fired {
            Ok(task) => tracing::info!(%id, %task, "a trigger has fired"),
            Err(refusal) => tracing::info!(%id, why = refusal.name(), "a trigger has not fired"),
        }
        true
    }

    /// The tick of a window, and the limits of one opening.
    fn tick(
        &self,
        (id, trigger): (&TriggerId, &Trigger),
        team: &OrgTeam,
        event: &Event,
    ) -> Option<TickRule> {
        let (TriggerConfig::Window(window), Event::Tick(tick)) = (&trigger.config, event) else {
            return None;
        };
        Some(TickRule {
            tick: *tick,
            limits: window.limits(),
            used_up: task_notices::of_used_up_window(
                (id, team),
                tick.opening,
                self.engine.user_lang,
            ),
        })
    }

    fn task(
        &self,
        (id, trigger): (&TriggerId, &Trigger),
        team: &OrgTeam,
        message: Option<&Message>,
        minds: &Minds,
    ) -> NewTask {
        let text =
            self.engine.secrets(minds).redacted(trigger.what_to_do(message, self.engine.lang));
        let random = self.engine.ids.short(ID_CHARS);
        NewTask {
            member: trigger.member.clone(),
            max_steps: trigger.max_steps.unwrap_or(team.limits.max_steps),
            correlation: Some(format!("{CORRELATION}{}:{random}", id.name)),
            trigger: Some(TaskTrigger {
                name: id.name.clone(),
                tells: trigger.config.kind().is_about_messages(),
                is_test: false,
                channel: message.map(|message| message.channel.clone()),
                message: message.map(|message| message.id.clone()),
                is_tick: trigger.config.kind() == TriggerKind::Window,
            }),
            ..team.new_task(TaskKind::Trigger, text)
        }
    }
}

/// A reason for a trigger to fire.
#[derive(Debug)]
enum Event {
    Time(SystemTime),
    Tick(Tick),
    Message(Message),
}

impl Event {
    /// A name that no other event of this trigger has.
    fn name(&self) -> String {
        let millis = |at: &SystemTime| {
            at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis()
        };
        match self {
            Self::Time(at) => millis(at).to_string(),
            Self::Tick(Tick { opening, number }) => format!("{} {number}", millis(opening)),
            Self::Message(message) => message.id.clone(),
        }
    }

    fn message(&self) -> Option<&Message> {
        match self {
            Self::Time(_) | Self::Tick(_) => None,
            Self::Message(message) => Some(message),
        }
    }
}

/// The event of a handler's time.
fn event_at(handler: &Handler, at: SystemTime) -> Event {
    handler.tick_at(at).map_or(Event::Time(at), Event::Tick)
}

/// The result of a write to the store. A failed write is logged and tried again; the store is then a problem.
fn tell<T>(done: Result<T, Localized>) -> Option<T> {
    done.inspect_err(|error| tracing::warn!(%error, "the store of triggers")).ok()
}
