//! The engine: drives dialogs, and alone writes them.
//!
//! Waiting graph: drive → tree → pump, and supervisor → tree. Only the pump waits for the screen, and it
//! goes on receiving while it waits; so a stalled terminal never stalls an agent, and there is no cycle.
//!
//! All its tasks: `docs/runtime.md`.
//!
//! The folders have one direction, each uses only those of later lines:
//!
//! | folder | what |
//! |---|---|
//! | `supervisor` | commands, whole trees |
//! | `tree` | the state of a tree and its task |
//! | `lifecycle`, `context` | recovery, death, forks; what a model is sent |
//! | `generation` | start and end |
//! | `calls`, `drive` | tellasks, questions, replies; the drive task and its port |
//! | `steps` | drafts |
//! | `shared` | the `Engine` |
//! | `reporting` | screen, log |
//! | `texts` | for models |
//!
//! A step is drafted on a copy of the tree (`steps::draft::Draft`), written, and only then becomes the state and
//! is reported. The next step is never stored, it is derived from the records
//! ([`crate::domain::state::next_step`]): so a restart needs no state of its own.

mod calls;
mod context;
mod drive;
mod generation;
mod lifecycle;
mod reporting;
mod shared;
mod steps;
mod supervisor;
mod texts;
mod tree;

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::protocol::{Command, DriverEvent, Outbox};

pub use context::preview::{Preview, PreviewTarget};
pub use reporting::log::Log;
pub use reporting::run_outcome::PickUp;
pub use shared::configuration::Configuration;
pub use shared::engine::{
    Consent, Driving, Engine, LogEnd, NoConsentNeeded, Permits, ProviderError, ProviderSource,
};
pub use shared::sources::ToolSources;
pub use shared::throttle::Throttles;

pub use reporting::audience::Audience;
use reporting::pump::pump;
use reporting::screen_state::ScreenState;
use supervisor::task::SupervisorTask;

/// Queued commands. The screen uses `try_send`: if the queue is full, it keeps its command and shows that.
const COMMAND_QUEUE: usize = 64;
/// Queued reports; the pump receives them at once.
const REPORT_QUEUE: usize = 256;
/// Queued events for the screen.
const EVENT_QUEUE: usize = 64;
/// A running driver. Dropping `commands` ends it, as [`Command::Shutdown`] does.
#[derive(Debug)]
pub struct Driver {
    pub commands: mpsc::Sender<Command>,
    pub events: mpsc::Receiver<DriverEvent>,
    tasks: JoinSet<()>,
}

impl Driver {
    /// Starts the driver on the current runtime.
    pub fn start(engine: Engine, audience: Audience, pick_up: PickUp) -> Self {
        let engine = Arc::new(engine);
        let state = ScreenState::new(engine.problems.clone(), pick_up);
        let sources = engine.sources.clone();
        let (commands, commands_rx) = mpsc::channel(COMMAND_QUEUE);
        let (reports_tx, reports_rx) = mpsc::channel(REPORT_QUEUE);
        let (screen, events) = mpsc::channel(EVENT_QUEUE);
        let (watch, outbox_limit) = audience.start();
        let supervisor = SupervisorTask::new(
            engine,
            reports_tx,
            commands_rx,
            pick_up == PickUp::Everything,
            audience,
        );
        let mut tasks = JoinSet::new();
        for source in sources.all() {
            tasks.spawn(source.run());
        }
        tasks.spawn(supervisor.run());
        tasks.spawn(pump(reports_rx, screen, state.watching(watch), Outbox::new(outbox_limit)));
        Self { commands, events, tasks }
    }

    /// Returns both channels, and the tasks to be joined when the channels have ended.
    pub fn into_parts(self) -> (mpsc::Sender<Command>, mpsc::Receiver<DriverEvent>, DriverTasks) {
        (self.commands, self.events, DriverTasks(self.tasks))
    }

    /// Waits until everything has ended; call it after [`DriverEvent::Stopped`] or a shutdown.
    pub async fn join(self) {
        let (commands, mut events, tasks) = self.into_parts();
        drop(commands);
        events.close();
        tasks.join().await;
    }
}

/// The tasks of a driver.
#[derive(Debug)]
pub struct DriverTasks(JoinSet<()>);

impl DriverTasks {
    /// Waits until all have ended; they do once the channels are dropped.
    pub async fn join(mut self) {
        while self.0.join_next().await.is_some() {}
    }
}
