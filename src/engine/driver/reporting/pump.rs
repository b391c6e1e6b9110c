//! Forwards reports to the clients. While a client is slow it goes on receiving, so no task ever waits for a
//! terminal, and no client for another one.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::sync::mpsc::{self, OwnedPermit, error::TrySendError};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use crate::protocol::DriverEvent;

use super::clients::{ClientId, ClientProfile, Outboxes};
use super::reports::DriverReport;
use super::screen_state::ScreenState;

/// How long the last events of the driver may take to reach clients in other processes. The first client is this
/// program itself and waited for.
const LAST_EVENTS_TIMEOUT: Duration = Duration::from_secs(2);

/// A client that joins.
pub struct NewClient {
    pub id: ClientId,
    pub profile: ClientProfile,
    pub events: mpsc::Sender<DriverEvent>,
    /// Takes its commands to the supervisor.
    pub forwarding: Pin<Box<dyn Future<Output = ()> + Send>>,
}

/// Room in the queue of a client; `None` if the client has gone.
type Room = Pin<Box<dyn Future<Output = (ClientId, Option<OwnedPermit<DriverEvent>>)> + Send>>;

/// The task that sends events.
pub struct Pump {
    state: ScreenState,
    outboxes: Outboxes,
    clients: BTreeMap<ClientId, mpsc::Sender<DriverEvent>>,
    /// Clients whose queue is full, until there is room.
    full: BTreeSet<ClientId>,
    room: FuturesUnordered<Room>,
    forwarding: JoinSet<()>,
}

impl Pump {
    pub fn new(state: ScreenState, first: NewClient) -> Self {
        let mut pump = Self {
            state,
            outboxes: Outboxes::default(),
            clients: BTreeMap::new(),
            full: BTreeSet::new(),
            room: FuturesUnordered::new(),
            forwarding: JoinSet::new(),
        };
        pump.add(first);
        pump
    }

    /// Runs until all senders of reports are dropped, then sends [`DriverEvent::Stopped`].
    pub async fn run(
        mut self,
        mut reports: mpsc::Receiver<DriverReport>,
        mut joining: mpsc::Receiver<NewClient>,
    ) {
        let mut ends: Option<Instant> = None;
        while ends.is_none_or(|ends| self.is_waited_for(ends)) {
            tokio::select! {
                report = reports.recv(), if ends.is_none() => if let Some(report) = report {
                    self.state.apply(report, &mut self.outboxes);
                } else {
                    ends = Some(Instant::now() + LAST_EVENTS_TIMEOUT);
                    self.outboxes.push(DriverEvent::Stopped);
                },
                Some(client) = joining.recv(), if ends.is_none() => {
                    let id = client.id;
                    self.add(client);
                    self.state.send_all(id, &mut self.outboxes);
                },
                Some((client, room)) = self.room.next() => self.has_room(client, room),
                Some(_) = self.forwarding.join_next() => {}
                () = sleep_until(ends.unwrap_or_else(Instant::now)), if ends.is_some() => {}
            }
            self.send();
        }
        self.forwarding.shutdown().await;
    }

    /// True if events wait for a client that may still take them.
    fn is_waited_for(&self, ends: Instant) -> bool {
        let is_over = Instant::now() >= ends;
        self.outboxes.waiting().any(|client| client == ClientId::FIRST || !is_over)
    }

    fn add(&mut self, client: NewClient) {
        let NewClient { id, profile, events, forwarding } = client;
        self.outboxes.add(id, profile);
        self.clients.insert(id, events);
        self.forwarding.spawn(forwarding);
    }

    fn remove(&mut self, client: ClientId) {
        self.outboxes.remove(client);
        self.clients.remove(&client);
        self.full.remove(&client);
    }

    /// Sends what the queues of the clients have room for.
    fn send(&mut self) {
        let lost: Vec<ClientId> = self.outboxes.lost().collect();
        for client in lost {
            // Nothing is lost: the client sees its connection end, and one that joins is sent everything.
            tracing::warn!(?client, "a client does not keep up; its connection ends");
            self.remove(client);
        }
        let waiting: Vec<ClientId> =
            self.outboxes.waiting().filter(|client| !self.full.contains(client)).collect();
        for client in waiting {
            self.send_to(client);
        }
    }

    fn send_to(&mut self, client: ClientId) {
        let Some(events) = self.clients.get(&client) else { return };
        let Some(outbox) = self.outboxes.of(client) else { return };
        while !outbox.is_empty() {
            match events.try_reserve() {
                Ok(permit) => {
                    if let Some(event) = outbox.pop() {
                        permit.send(event);
                    }
                }
                Err(TrySendError::Full(())) => {
                    let reserving = events.clone().reserve_owned();
                    self.full.insert(client);
                    self.room.push(Box::pin(async move { (client, reserving.await.ok()) }));
                    return;
                }
                // Reports are still received, so that the trees can end.
                Err(TrySendError::Closed(())) => break,
            }
        }
        if !outbox.is_empty() {
            self.remove(client);
        }
    }

    fn has_room(&mut self, client: ClientId, room: Option<OwnedPermit<DriverEvent>>) {
        self.full.remove(&client);
        let next = self.outboxes.of(client).and_then(crate::protocol::Outbox::pop);
        match (room, next) {
            (Some(permit), Some(event)) => drop(permit.send(event)),
            (Some(_), None) => {}
            (None, _) => self.remove(client),
        }
    }
}
