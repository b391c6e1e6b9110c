//! The socket of a driver: each connection becomes one more client.
//!
//! A connection that sends an invalid frame or command is ended, with one line in the log; the others and the driver
//! go on. Events a client does not read wait in its outbox, which replaces repeatable ones by `Lagged`.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::domain::Stamp;
use crate::domain::safety::sandbox::Level;
use crate::domain::text::{Localized, Text};
use crate::driver::{ClientChannels, ClientOrigin, ClientProfile, ClientRights, Clients};
use crate::protocol::wire::{
    self, ClientFault, FolderId, FrameFault, FromClient, Hello, LONGEST_FROM_CLIENT, Rejected,
    Versions, Welcome,
};
use crate::protocol::{Command, DriverEvent};

use super::framed::{FrameReader, FrameWriter, ReadError};
use super::journal::SessionFile;
use super::peer::{Gate, PeerRefusal};
use super::place::{Listening, Place};
use super::seats::{Seat, Seats};
use super::sender::Sender;
use super::sessions::{Admission, Session, Sessions};
use super::socket::{SocketFile, Workspace};

/// Most connections being rejected at once; further ones are closed without a message.
const MAX_REJECTED: usize = 64;
/// Timeout for the greeting of a new connection.
const HELLO_TIMEOUT: Duration = Duration::from_secs(5);
/// Timeout for sending a rejection.
const REJECT_TIMEOUT: Duration = Duration::from_secs(1);
/// Timeout for sending the last events to the clients at the end.
const LAST_EVENTS_TIMEOUT: Duration = Duration::from_secs(2);
/// Pause after a connection could not be accepted, as when there are no more descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Capacity for replies that do not come from the driver; a client that causes more has to wait.
const REPLIES: usize = 16;

/// Most bytes read of the `hello` of a client that is refused anyway.
const MAX_HELLO_BYTES: usize = 4096;

const TOO_MANY: Text = Text::new(
    "too many screens and commands are connected; close some of them",
    "已连接的界面和命令太多，请关闭其中一些",
);

/// The facts about the driver for its clients.
#[derive(Debug, Clone)]
pub struct About {
    /// The workspace as shown to a person.
    pub workspace: String,
    pub since: Stamp,
    /// The sandbox level; `None` without a sandbox.
    pub level: Option<Level>,
}

/// A socket that is listened on. [`Server::close`] removes it.
#[derive(Debug)]
pub struct Server {
    place: Place,
    socket: PathBuf,
    file: SocketFile,
    in_the_way: Option<PathBuf>,
    /// Held, so that its numbers mean it.
    _workspace: Workspace,
    tasks: JoinSet<()>,
    /// Dropped, the task stops to accept.
    open: mpsc::Sender<()>,
    connected: watch::Receiver<usize>,
}

impl Server {
    /// Listens. The caller has the lock of the workspace, so an existing socket belongs to a driver that has
    /// ended.
    ///
    /// `sessions`: the file that keeps the commands of clients for the next driver.
    ///
    /// # Errors
    /// There is no place for a socket, or the error of the system.
    pub fn start(
        place: Place,
        clients: Clients,
        about: About,
        sessions: Arc<dyn SessionFile>,
    ) -> io::Result<Self> {
        let Listening { listener, file, path: socket, workspace, in_the_way } = place.listen()?;
        if let Err(error) = place.write_note(&socket) {
            // Clients with the same environment find it without the note.
            tracing::warn!(%error, "where the socket is could not be noted");
        }
        let (open, closed) = mpsc::channel(1);
        let mut tasks = JoinSet::new();
        let (count, connected) = watch::channel(0);
        let door = Arc::new(Door { about, folder: workspace.id, gate: Gate::of_this_process() });
        tasks.spawn(accept((listener, sessions), clients, door, (closed, count)));
        Ok(Self { place, socket, file, in_the_way, _workspace: workspace, tasks, open, connected })
    }

    #[must_use]
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Returns the path that was in the place of the socket, for a person: it was removed, or the socket is elsewhere.
    #[must_use]
    pub fn in_the_way(&self) -> Option<&Path> {
        self.in_the_way.as_deref()
    }

    /// Returns a receiver of the number of connected clients.
    #[must_use]
    pub fn connected(&self) -> watch::Receiver<usize> {
        self.connected.clone()
    }

    /// Removes the socket and lets the connections end; call it after the driver has ended, with the lock still held.
    pub async fn close(mut self) {
        self.file.remove();
        self.place.remove_note();
        drop(self.open);
        if timeout(LAST_EVENTS_TIMEOUT, self.tasks.join_next()).await.is_err() {
            // Nothing is lost: all of them come from what is on disk.
            tracing::warn!("a client did not take the last events");
        }
        self.tasks.shutdown().await;
    }
}

/// The facts to judge and greet a new connection.
#[derive(Debug)]
struct Door {
    about: About,
    folder: FolderId,
    gate: Gate,
}

/// Accepts connections until `closed`, then waits for the open ones.
async fn accept(
    (listener, sessions): (UnixListener, Arc<dyn SessionFile>),
    clients: Clients,
    door: Arc<Door>,
    (mut closed, count): (mpsc::Receiver<()>, watch::Sender<usize>),
) {
    let mut connections = JoinSet::new();
    let sessions = Sessions::load(sessions).await;
    let (seats, rejected) = (Seats::default(), Arc::new(Semaphore::new(MAX_REJECTED)));
    loop {
        count.send_if_modified(|known| {
            std::mem::replace(known, connections.len()) != connections.len()
        });
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // The client waits for the next try.
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
            Some(ended) = connections.join_next() => {
                if let Err(error) = ended {
                    // Its client sees the end of the connection, as after each other end, and connects again.
                    tracing::error!(%error, "the task of a connection broke");
                }
                continue;
            }
            _ = closed.recv() => break,
        };
        let (clients, door, sessions) = (clients.clone(), door.clone(), sessions.clone());
        let (seats, rejected) = (seats.clone(), rejected.clone());
        connections.spawn(async move {
            let served = match admit(&stream, door.gate, &seats) {
                Ok(seat) => serve(stream, &clients, (&door, &sessions), &seat).await,
                Err((refused, reason)) => {
                    if let Ok(_room) = rejected.try_acquire() {
                        reject(stream, reason).await;
                    }
                    Err(refused)
                }
            };
            if let Err(error) = served {
                // The client sees that, and its session knows what it was not told yet.
                tracing::warn!(%error, "a connection was ended");
            }
        });
    }
    drop((listener, clients));
    while connections.join_next().await.is_some() {}
}

/// Why a connection was ended by this side.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error("too many connections")]
    Full,
    #[error("its place, or the room for its message, was needed for others")]
    PlaceNeeded,
    #[error("refused: {0}")]
    Peer(#[from] PeerRefusal),
    #[error("it did not say what it is in time")]
    Silent,
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("{0}")]
    Message(String),
    #[error("{0}")]
    Version(Localized),
    #[error("{0}")]
    Frame(#[from] FrameFault),
    #[error("writing: {0}")]
    Write(#[from] io::Error),
}

/// Sends the reason for a rejection. A client that does not read it is not waited for.
async fn reject(mut stream: UnixStream, reason: Text) {
    let Ok(rejected) = wire::encode_rejected(&Rejected::new(reason)) else { return };
    let told = async {
        FrameWriter::new(&mut stream).write(&rejected).await?;
        // Closed with something unread, the connection would be reset, and the reason lost with it.
        stream.read(&mut [0; MAX_HELLO_BYTES]).await
    };
    if let Ok(Err(error)) = timeout(REJECT_TIMEOUT, told).await {
        tracing::debug!(%error, "a client was not told why it is refused");
    }
}

/// The seat of a new connection; who may not come in takes none.
fn admit(stream: &UnixStream, gate: Gate, seats: &Seats) -> Result<Arc<Seat>, (Refused, Text)> {
    gate.check(stream).map_err(|refusal| (refusal.into(), refusal.reason()))?;
    let process = stream.peer_cred().ok().and_then(|peer| peer.pid()).unwrap_or_default();
    seats.take(process).ok_or((Refused::Full, TOO_MANY))
}

async fn serve(
    stream: UnixStream,
    clients: &Clients,
    (door, sessions): (&Door, &Sessions),
    seat: &Arc<Seat>,
) -> Result<(), Refused> {
    let (read, write) = stream.into_split();
    let mut frames = FrameReader::new(read, LONGEST_FROM_CLIENT).counted_by(seat);
    let mut write = FrameWriter::new(write);
    let hello = tokio::select! {
        hello = hello(&mut frames) => hello?,
        () = seat.needed() => return Err(Refused::PlaceNeeded),
    };
    let Some(hello) = hello else { return Ok(()) };
    seat.greeted();
    let protocol = match wire::agree(Versions::from(&hello), Versions::OWN) {
        Ok(protocol) => protocol,
        Err(reason) => {
            let rejected = wire::encode_rejected(&Rejected::new(reason.clone()))?;
            write.write(&rejected).await?;
            return Err(Refused::Version(reason));
        }
    };
    let rights = if hello.view { ClientRights::View } else { ClientRights::All };
    let (audience, name) = (hello.audience, hello.name);
    let profile = ClientProfile { audience, name, rights, origin: ClientOrigin::Elsewhere };
    let Some(ClientChannels { commands, mut events, .. }) = clients.join(profile).await else {
        return Ok(());
    };
    let session = sessions.connect(&hello.session).await;
    let welcome = Welcome {
        protocol,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        workspace: door.about.workspace.clone(),
        folder: Some(door.folder),
        pid: std::process::id(),
        since: door.about.since.clone(),
        level: door.about.level,
        view: hello.view,
        knows_session: session.as_ref().is_some_and(Session::was_known),
        low_bandwidth: hello.low_bandwidth,
    };
    write.write(&wire::encode_welcome(&welcome)?).await?;
    let mut sender = Sender::new(write);
    if hello.low_bandwidth {
        (frames, sender) = (frames.unpack(), sender.for_low_bandwidth());
    }
    let (replies, from_session) = mpsc::channel(REPLIES);
    let ended = tokio::select! {
        taken = take_commands((frames, seat.as_ref()), &commands, replies, session.as_ref()) => taken,
        ended = send_events(sender, (&mut events, from_session), session.as_ref()) => ended,
        () = superseded(session.as_ref()) => Ok(()),
        () = seat.needed() => Err(Refused::PlaceNeeded),
    };
    if let Some(session) = &session {
        tokio::select! {
            () = session.collect_late_replies(&mut events) => {}
            () = seat.needed() => session.give_up(),
        }
    }
    // Until here the client counts as connected to the driver.
    drop(commands);
    ended
}

/// Waits until the client has a newer connection, as after a cut that this side does not notice.
async fn superseded(session: Option<&Session>) {
    match session {
        Some(session) => session.superseded().await,
        None => std::future::pending().await,
    }
}

async fn hello(frames: &mut FrameReader<OwnedReadHalf>) -> Result<Option<Hello>, Refused> {
    let Ok(first) = timeout(HELLO_TIMEOUT, frames.next()).await else {
        return Err(Refused::Silent);
    };
    let Some(body) = first? else { return Ok(None) };
    match wire::decode_from_client(&body) {
        Ok(FromClient::Hello(hello)) => Ok(Some(hello)),
        Ok(FromClient::Command(_)) => {
            Err(Refused::Message("a command came before `hello`".to_owned()))
        }
        Err(fault) => Err(Refused::Message(fault.text().to_string())),
    }
}

/// Takes commands until the client has no more.
async fn take_commands(
    (mut frames, seat): (FrameReader<OwnedReadHalf>, &Seat),
    commands: &mpsc::Sender<Command>,
    replies: mpsc::Sender<DriverEvent>,
    session: Option<&Session>,
) -> Result<(), Refused> {
    while let Some(body) = frames.next().await? {
        match wire::decode_from_client(&body) {
            Ok(FromClient::Command(command)) => {
                seat.commanded();
                // Reserved before the admission, so that nothing comes between it and the driver.
                let Ok(room) = commands.reserve().await else { break };
                let admission = match session {
                    Some(session) => Some(session.admit(&command).await),
                    None => None,
                };
                match admission {
                    None => room.send(*command),
                    Some(Admission::New(admitted)) => {
                        room.send(*command);
                        admitted.passed();
                    }
                    Some(Admission::Replied(reply)) => {
                        drop(room);
                        if replies.send(reply).await.is_err() {
                            break;
                        }
                    }
                }
            }
            Ok(FromClient::Hello(_)) => {
                return Err(Refused::Message("`hello` came twice".to_owned()));
            }
            Err(fault) => {
                let text = fault.text();
                let ticket = match fault {
                    ClientFault::UnknownCommand { ticket, .. } => ticket,
                    ClientFault::Malformed(_) => return Err(Refused::Message(text.to_string())),
                };
                if let Some(ticket) = ticket
                    && replies.send(DriverEvent::Refused { ticket, text }).await.is_err()
                {
                    break;
                }
            }
        }
    }
    Ok(())
}

/// Sends events, available ones together, until the driver has ended.
async fn send_events(
    mut sender: Sender<OwnedWriteHalf>,
    (events, mut from_session): (&mut mpsc::Receiver<DriverEvent>, mpsc::Receiver<DriverEvent>),
    session: Option<&Session>,
) -> Result<(), Refused> {
    loop {
        let event = tokio::select! {
            Some(event) = from_session.recv() => event,
            event = events.recv() => match event {
                Some(event) => event,
                None => break,
            },
            () = sender.due() => {
                sender.send().await?;
                continue;
            }
        };
        let mut next = Some(event);
        while let Some(event) = next.take() {
            if let Some(session) = session {
                session.record(&event).await;
            }
            sender.add(event);
            if sender.has_room() {
                next = events.try_recv().ok();
            }
        }
        if sender.is_due() {
            sender.send().await?;
        }
    }
    if sender.waits() {
        sender.send().await?;
    }
    Ok(())
}
