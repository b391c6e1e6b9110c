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
//! | `dispatch` | tasks of teams |
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
//! ([`crate::domain::dialogs::state::next_step`]): so a restart needs no state of its own.

mod calls;
mod context;
mod dispatch;
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
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::domain::Problem;
use crate::protocol::{Command, DriverEvent};

pub use crate::protocol::wire::Audience;
pub use context::preview::{Preview, PreviewTarget};
pub use reporting::log::Log;
pub use reporting::run_outcome::{AfterRestart, PickUp};
pub use reporting::tree_rows::ListedInbox;
pub use shared::changed_trees::ChangedTrees;
pub use shared::configuration::Configuration;
pub use shared::engine::{
    Consent, Driving, Engine, LogEnd, NoConsentNeeded, Permits, ProviderError, ProviderSource,
};
pub use shared::sources::ToolSources;
pub use shared::throttle::Throttles;
pub use shared::viewed_questions::ViewedQuestions;

use dispatch::dispatcher::{Dispatcher, Duties};
use reporting::clients::{ClientId, Request, RequestKind, addressed};
pub use reporting::clients::{ClientOrigin, ClientProfile, ClientRights};
use reporting::pump::{NewClient, Pump};
use reporting::screen_state::ScreenState;
pub use supervisor::stored_texts::StoredTexts;
use supervisor::task::SupervisorTask;

/// Queued commands of a client. The screen uses `try_send`: if the queue is full, it keeps its command and shows
/// that.
const COMMAND_QUEUE: usize = 64;
/// Queued requests of all clients; a client that finds the queue full waits, and nobody waits for it.
const REQUEST_QUEUE: usize = 64;
/// Orders of the dispatcher, which waits for each.
const ORDER_QUEUE: usize = 8;
/// Queued reports; the pump receives them at once.
const REPORT_QUEUE: usize = 256;
/// Queued events for a client.
const EVENT_QUEUE: usize = 64;
/// Clients that are about to join; the next one waits.
const JOINING: usize = 8;

/// A running driver. [`Command::Shutdown`] ends it, and so does dropping the senders of all clients and every
/// [`Clients`].
#[derive(Debug)]
pub struct Driver {
    pub commands: mpsc::Sender<Command>,
    pub events: mpsc::Receiver<DriverEvent>,
    clients: Clients,
    tasks: JoinSet<()>,
}

impl Driver {
    /// Starts the driver on the current runtime, with its first client.
    pub fn start(engine: Engine, audience: Audience, pick_up: PickUp) -> Self {
        let engine = Arc::new(engine);
        let of_person = (engine.clock.clone(), engine.user_lang);
        let state = ScreenState::new(engine.problems.clone(), pick_up, of_person);
        let (sources, hive) = (engine.sources.clone(), engine.hive.clone());
        let (requests, requests_rx) = mpsc::channel(REQUEST_QUEUE);
        let (orders, orders_rx) = mpsc::channel(ORDER_QUEUE);
        let drives_all = pick_up.is_all();
        let duties = Duties { works: drives_all, fires: pick_up.fires() };
        let dispatcher = Dispatcher::new(engine.clone(), orders, duties);
        let (joining, joining_rx) = mpsc::channel(JOINING);
        let (reports_tx, reports_rx) = mpsc::channel(REPORT_QUEUE);
        let (next, looks) = (Arc::new(AtomicU32::new(1)), engine.looks.clone());
        let clients = Clients { joining, requests, next, looks };
        let (channels, first) = clients.new_client(ClientId::FIRST, ClientProfile::own(audience));
        let supervisor =
            SupervisorTask::new(engine, reports_tx, (requests_rx, orders_rx), pick_up, audience);
        let mut tasks = JoinSet::new();
        for source in sources.all() {
            tasks.spawn(source.run());
        }
        tasks.spawn(hive.run());
        tasks.spawn(supervisor.run());
        tasks.spawn(dispatcher.run());
        tasks.spawn(Pump::new(state, first).run(reports_rx, joining_rx));
        let ClientChannels { commands, events } = channels;
        Self { commands, events, clients, tasks }
    }

    /// For other clients to join.
    #[must_use]
    pub fn clients(&self) -> Clients {
        self.clients.clone()
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

/// Lets clients join a running driver. It keeps the driver alive until [`Command::Shutdown`].
#[derive(Debug, Clone)]
pub struct Clients {
    joining: mpsc::Sender<NewClient>,
    requests: mpsc::Sender<Request>,
    next: Arc<AtomicU32>,
    looks: Arc<ViewedQuestions>,
}

/// Reports problems from outside of the driver. Does not keep it alive.
#[derive(Debug, Clone)]
pub struct ProblemReporter(mpsc::WeakSender<Request>);

impl ProblemReporter {
    /// Replaces the open problems of one origin.
    pub async fn report(&self, origin: &'static str, problems: Vec<Problem>) {
        let Some(requests) = self.0.upgrade() else { return };
        let kind = RequestKind::Problems { origin, problems };
        let (client, audience, rights) = (ClientId::FIRST, Audience::Script, ClientRights::All);
        let _ = requests.send(Request { client, audience, rights, kind }).await;
    }
}

/// A client's ends of its channels. When they are dropped, the client has left.
#[derive(Debug)]
pub struct ClientChannels {
    pub commands: mpsc::Sender<Command>,
    pub events: mpsc::Receiver<DriverEvent>,
}

impl Clients {
    /// A new client, which is first sent everything as it is now. `None` if the driver has ended.
    pub async fn join(&self, profile: ClientProfile) -> Option<ClientChannels> {
        let number = self
            .next
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |number| number.checked_add(1));
        let (channels, client) = self.new_client(ClientId::numbered(number.ok()?), profile);
        self.joining.send(client).await.ok()?;
        Some(channels)
    }

    /// What persons look at now, on any screen.
    #[must_use]
    pub fn looks(&self) -> Arc<ViewedQuestions> {
        self.looks.clone()
    }

    /// Reports the current problems of the command that calls the person.
    #[must_use]
    pub fn problem_reporter(&self) -> ProblemReporter {
        ProblemReporter(self.requests.downgrade())
    }

    fn new_client(&self, id: ClientId, profile: ClientProfile) -> (ClientChannels, NewClient) {
        let (commands, commands_rx) = mpsc::channel(COMMAND_QUEUE);
        let (events_tx, events) = mpsc::channel(EVENT_QUEUE);
        let forwarding = forward(id, profile.clone(), commands_rx, self.requests.clone());
        let client = NewClient { id, profile, events: events_tx, forwarding: Box::pin(forwarding) };
        (ClientChannels { commands, events }, client)
    }
}

/// Takes the commands of a client to the supervisor.
async fn forward(
    client: ClientId,
    profile: ClientProfile,
    mut commands: mpsc::Receiver<Command>,
    requests: mpsc::Sender<Request>,
) {
    let ClientProfile { audience, rights, .. } = profile;
    let request = |kind| Request { client, audience, rights, kind };
    while let Some(command) = commands.recv().await {
        let command = Box::new(addressed(client, command));
        if requests.send(request(RequestKind::Command(command))).await.is_err() {
            return;
        }
    }
    let _ = requests.send(request(RequestKind::Left)).await;
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
