//! The way to a driver in another process: the same two channels as to one in this process.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio::process::Child;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::domain::text::Localized;
use crate::platform::env;
use crate::protocol::command::{LARGEST_TICKET, Ticket};
use crate::protocol::wire::{
    self, FromDriver, Hello, LONGEST_FROM_DRIVER, Malformed, ShortReader, Versions, Welcome,
};
use crate::protocol::{Command, DriverEvent};

use super::framed::{FrameReader, FrameWriter, ReadError, first_frame};
use super::peer::{self, PeerRefusal};
use super::place::Place;
use super::socket::Workspace;

/// Timeout for the driver's answer.
pub(super) const WELCOME_TIMEOUT: Duration = Duration::from_secs(5);
/// Commands that wait to be written; the screen keeps what does not fit.
pub(super) const COMMANDS: usize = 64;
/// Events that wait for the screen; while there is no room nothing is read, and the driver merges what waits.
pub(super) const EVENTS: usize = 64;
/// Capacity of the channel of acknowledgements for stored texts, to the thread that writes them one at a
/// time; further ones are dropped while it is full, as no more of them are awaited.
pub(super) const ACKNOWLEDGED: usize = 4;
/// Tickets from here on are of stored texts; a screen counts its own from 1.
pub(super) const FIRST_OF_TEXTS: Ticket = LARGEST_TICKET / 2;

/// The meaning of [`Command::Shutdown`] on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaving {
    /// The client leaves, and the driver goes on.
    DriverStays,
    /// The driver ends.
    DriverEnds,
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// No driver listens.
    #[error("no driver listens")]
    Nobody,
    /// No driver listens; these are the events that a driver would send.
    #[error("no driver listens: this is what the files say")]
    AtRest(Vec<DriverEvent>),
    #[error("connecting to {path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path} is not a driver of yours: {reason}")]
    Peer { path: PathBuf, reason: PeerRefusal },
    #[error("the driver did not answer as one does: {0}")]
    Answer(String),
    /// The program that connects to another machine ended, with its output.
    #[error("{0}")]
    Line(String),
    /// The connection to the other machine works, but the program is not there.
    #[error(
        "{0}: dominds-tui is not installed there, or not found: it has to be in ~/.local/bin or in the PATH"
    )]
    NotInstalled(String),
    /// The program there is from before screens of other machines.
    #[error(
        "{0}: the dominds-tui there is older than this one and cannot be used from here: install this version there"
    )]
    NoRelay(String),
    #[error("the driver does not let this client in: {0}")]
    Rejected(Localized),
    /// It is rejected because it is older than this program.
    #[error("the driver does not let this client in: {0}")]
    Older(Localized),
}

/// A connection to a driver.
#[derive(Debug)]
pub struct Connection {
    pub welcome: Welcome,
    pub commands: mpsc::Sender<Command>,
    pub events: mpsc::Receiver<DriverEvent>,
    /// Acknowledgements for [`super::texts`].
    pub(super) acknowledged: mpsc::Receiver<DriverEvent>,
    pub tasks: ConnectionTasks,
}

/// The end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ended {
    /// The client left.
    Left,
    /// The driver ended the connection without a message, as when it is killed.
    Cut,
    /// The driver said that it ends.
    WithDriver,
}

/// The tasks of a connection.
#[derive(Debug)]
pub struct ConnectionTasks {
    tasks: JoinSet<io::Result<Ended>>,
    /// The program that carries the connection, and what reads its messages.
    program: Option<(Child, JoinSet<()>)>,
}

impl ConnectionTasks {
    pub(super) fn of(tasks: JoinSet<io::Result<Ended>>) -> Self {
        Self { tasks, program: None }
    }

    /// The program that carries the connection ends with it.
    pub(super) fn keep(&mut self, program: Child, messages: JoinSet<()>) {
        self.program = Some((program, messages));
    }

    /// Waits until both directions have ended, once the channels are dropped.
    ///
    /// # Errors
    /// The connection was cut.
    pub async fn join(mut self) -> io::Result<Ended> {
        let mut ended = Ended::Left;
        while let Some(joined) = self.tasks.join_next().await {
            ended = ended.max(joined.map_err(io::Error::other).flatten()?);
        }
        Ok(ended)
    }
}

/// Connects to the driver of a workspace.
///
/// # Errors
/// No driver listens, or the listener is no driver of this user that speaks a version this program knows.
pub async fn connect(
    place: &Place,
    hello: Hello,
    leaving: Leaving,
) -> Result<Connection, ConnectError> {
    let greeting = wire::encode_hello(&hello).map_err(|fault| answer(&fault))?;
    let Greeted { stream, answer } = greet(place, &greeting).await?;
    let (read, write) = stream.into_split();
    begin(&answer, (Box::new(read), Box::new(write)), (&hello, leaving))
}

/// A driver that has answered a greeting.
#[derive(Debug)]
pub struct Greeted {
    pub stream: UnixStream,
    /// Its first message: a welcome to the right workspace, or the reason why it rejects clients.
    pub answer: Vec<u8>,
}

/// Greets the driver of a workspace. Every client comes this way: any other process gets nothing but the
/// greeting.
///
/// # Errors
/// As [`connect`].
pub async fn greet(place: &Place, greeting: &[u8]) -> Result<Greeted, ConnectError> {
    let io = |path: &Path, source| ConnectError::Io { path: path.to_owned(), source };
    let workspace = place.open().map_err(|error| io(place.workspace(), error))?;
    for spot in place.to_connect() {
        let path = place.path(&spot);
        let mut stream = match spot.connect(&workspace).await {
            Ok(stream) => stream,
            Err(error) if is_nobody(&error) => {
                tracing::debug!(%error, path = %path.display(), "no driver is here");
                continue;
            }
            Err(source) => return Err(io(&path, source)),
        };
        let peer = |reason| ConnectError::Peer { path: path.clone(), reason };
        peer::check_user(&stream).map_err(peer)?;
        // A driver that is about to end closes connections it has not greeted.
        let cut = |source: io::Error| {
            if matches!(source.kind(), io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe) {
                ConnectError::Nobody
            } else {
                io(&path, source)
            }
        };
        let (mut read, mut write) = stream.split();
        let answer = exchange((&mut read, &mut write), greeting, WELCOME_TIMEOUT, cut).await?;
        if is_of_another(&answer, place, &workspace) {
            // The driver of this one may be at the next place.
            tracing::warn!(path = %path.display(), "the driver of another workspace is here");
            continue;
        }
        return Ok(Greeted { stream, answer });
    }
    Err(ConnectError::Nobody)
}

/// True for the welcome of a driver of another workspace. An older one only says how its folder is shown to people.
fn is_of_another(answer: &[u8], place: &Place, workspace: &Workspace) -> bool {
    let Ok(FromDriver::Welcome(welcome)) = wire::decode_from_driver(answer) else { return false };
    let path = place.workspace();
    welcome.folder.map_or_else(
        || path.to_str().is_none() || welcome.workspace != env::display_path(path),
        |folder| folder != workspace.id,
    )
}

/// True for an error that means that no driver is there: no socket, no listener, or a socket that must not be
/// used: behind a link, of another user, in a folder that others may enter.
fn is_nobody(error: &io::Error) -> bool {
    use io::ErrorKind::{
        ConnectionRefused, ConnectionReset, InvalidFilename, InvalidInput, NotADirectory, NotFound,
        PermissionDenied,
    };
    matches!(
        error.kind(),
        NotFound
            | ConnectionRefused
            | ConnectionReset
            | InvalidInput
            | InvalidFilename
            | NotADirectory
            | PermissionDenied
    )
}

/// The two directions of a connection.
pub(super) type Halves = (Box<dyn AsyncRead + Send + Unpin>, Box<dyn AsyncWrite + Send + Unpin>);

fn answer(text: &dyn std::fmt::Display) -> ConnectError {
    ConnectError::Answer(text.to_string())
}

/// Sends a greeting and reads the first message, and nothing behind it. `cut`: what an error of the connection means.
pub(super) async fn exchange(
    (read, write): (&mut (impl AsyncRead + Unpin), &mut (impl AsyncWrite + Unpin)),
    greeting: &[u8],
    patience: Duration,
    cut: impl Fn(io::Error) -> ConnectError,
) -> Result<Vec<u8>, ConnectError> {
    FrameWriter::new(write).write(greeting).await.map_err(&cut)?;
    first_answer(read, patience, cut).await
}

/// Reads the first message, and nothing behind it.
pub(super) async fn first_answer(
    read: &mut (impl AsyncRead + Unpin),
    patience: Duration,
    cut: impl Fn(io::Error) -> ConnectError,
) -> Result<Vec<u8>, ConnectError> {
    let first = timeout(patience, first_frame(read, LONGEST_FROM_DRIVER)).await;
    first
        .map_err(|_| answer(&"no answer in time"))?
        .map_err(|error| match error {
            ReadError::Io(error) => cut(error),
            ReadError::Frame(_) | ReadError::Cut => answer(&error),
        })?
        .ok_or(ConnectError::Nobody)
}

/// The connection that follows the first message of a driver.
pub(super) fn begin(
    first: &[u8],
    (read, write): Halves,
    (hello, leaving): (&Hello, Leaving),
) -> Result<Connection, ConnectError> {
    let welcome = match wire::decode_from_driver(first).map_err(|error| answer(&error))? {
        FromDriver::Welcome(welcome) => welcome,
        FromDriver::Rejected(rejected) if rejected.protocol < hello.oldest => {
            return Err(ConnectError::Older(rejected.reason));
        }
        FromDriver::Rejected(rejected) => return Err(ConnectError::Rejected(rejected.reason)),
        FromDriver::Event(_) | FromDriver::Unknown { .. } => {
            return Err(answer(&"events came before a welcome"));
        }
    };
    let (protocol, Versions { newest, oldest }) = (welcome.protocol, Versions::from(hello));
    if !(oldest..=newest).contains(&protocol) {
        let text = format!(
            "it speaks protocol {protocol}, and this program offered {oldest} to {newest}: end the driver, update \
             the older of the two, and start it again"
        );
        return Err(answer(&text));
    }
    let frames = FrameReader::new(read, LONGEST_FROM_DRIVER);
    let write = FrameWriter::new(write);
    let (messages, write) = if welcome.low_bandwidth {
        let (frames, short) = (frames.unpack(), Some(ShortReader::default()));
        (Messages { frames, short }, write.pack())
    } else {
        (Messages { frames, short: None }, write)
    };
    Ok(start(welcome, messages, write, leaving))
}

/// Messages from a driver.
struct Messages {
    frames: FrameReader<Box<dyn AsyncRead + Send + Unpin>>,
    /// Set if they are in the short form.
    short: Option<ShortReader>,
}

impl Messages {
    /// The next message; `None` at the end.
    async fn next(&mut self) -> io::Result<Option<FromDriver>> {
        let body = match self.frames.next().await {
            Ok(Some(body)) => body,
            Ok(None) => return Ok(None),
            Err(ReadError::Io(error)) => return Err(error),
            Err(error) => return Err(io::Error::other(error.to_string())),
        };
        let message = match &mut self.short {
            Some(short) => short.decode(&body),
            None => wire::decode_from_driver(&body),
        };
        message.map(Some).map_err(|fault: Malformed| io::Error::other(fault.to_string()))
    }
}

fn start(
    welcome: Welcome,
    messages: Messages,
    write: FrameWriter<Box<dyn AsyncWrite + Send + Unpin>>,
    leaving: Leaving,
) -> Connection {
    let (commands, commands_rx) = mpsc::channel(COMMANDS);
    let (events_tx, events) = mpsc::channel(EVENTS);
    let (acknowledge, acknowledged) = mpsc::channel(ACKNOWLEDGED);
    let open = Arc::new(OpenTickets::default());
    let mut tasks = JoinSet::new();
    tasks.spawn(read_events(messages, (events_tx, acknowledge), open.clone()));
    tasks.spawn(write_commands(write, commands_rx, open, leaving));
    Connection { welcome, commands, events, acknowledged, tasks: ConnectionTasks::of(tasks) }
}

/// Commands that change something and are not acknowledged yet.
#[derive(Debug, Default)]
struct OpenTickets {
    /// The client has nothing more to say.
    has_left: AtomicBool,
    tickets: Mutex<BTreeSet<Ticket>>,
    none_left: Notify,
}

impl OpenTickets {
    fn sent(&self, command: &Command) {
        if let Some(ticket) = command.ticket().filter(|_| !command.is_read_only()) {
            self.tickets.lock().unwrap_or_else(PoisonError::into_inner).insert(ticket);
        }
    }

    fn received(&self, event: &DriverEvent) {
        let Some(ticket) = event.ticket() else { return };
        let mut tickets = self.tickets.lock().unwrap_or_else(PoisonError::into_inner);
        tickets.remove(&ticket);
        if tickets.is_empty() {
            self.none_left.notify_waiters();
        }
    }

    async fn all_acknowledged(&self) {
        loop {
            let none_left = self.none_left.notified();
            if self.tickets.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
                return;
            }
            none_left.await;
        }
    }
}

/// Reads events until the connection ends. The screen is always told that no more events follow.
async fn read_events(
    mut messages: Messages,
    (events, acknowledge): (mpsc::Sender<DriverEvent>, mpsc::Sender<DriverEvent>),
    open: Arc<OpenTickets>,
) -> io::Result<Ended> {
    let mut stopped = false;
    let cut = loop {
        let event = match messages.next().await {
            Ok(Some(FromDriver::Event(event))) => *event,
            Ok(Some(FromDriver::Unknown { .. })) => continue,
            Ok(Some(FromDriver::Welcome(_) | FromDriver::Rejected(_))) => {
                break Some(io::Error::other("the driver greeted twice"));
            }
            Ok(None) => break None,
            Err(error) => break Some(error),
        };
        open.received(&event);
        stopped |= event == DriverEvent::Stopped;
        let is_of_text = event.ticket().is_some_and(|ticket| ticket >= FIRST_OF_TEXTS);
        if is_of_text {
            // If it is full, the reply is not awaited any more.
            let _ = acknowledge.try_send(event);
        } else if events.send(event).await.is_err() {
            break None;
        }
    };
    if !stopped {
        let _ = events.send(DriverEvent::Stopped).await;
    }
    match cut {
        // The driver may close before everything is read.
        _ if stopped => Ok(Ended::WithDriver),
        Some(error) => Err(error),
        None if open.has_left.load(Ordering::Acquire) => Ok(Ended::Left),
        None => Ok(Ended::Cut),
    }
}

/// Writes commands until the client leaves, then waits for the pending acknowledgements.
async fn write_commands(
    mut write: FrameWriter<Box<dyn AsyncWrite + Send + Unpin>>,
    mut commands: mpsc::Receiver<Command>,
    open: Arc<OpenTickets>,
    leaving: Leaving,
) -> io::Result<Ended> {
    while let Some(command) = commands.recv().await {
        if let (Command::Shutdown { grace }, Leaving::DriverStays) = (&command, leaving) {
            let _ = timeout(*grace, open.all_acknowledged()).await;
            break;
        }
        open.sent(&command);
        let frame = match wire::encode_command(&command) {
            Ok(frame) => frame,
            // Too long to be sent: it is not acknowledged, and the draft stays.
            Err(error) => {
                tracing::warn!(%error, "a command was not sent");
                continue;
            }
        };
        write.write(&frame).await?;
    }
    open.has_left.store(true, Ordering::Release);
    // This half ends here; the driver ends the other one.
    Ok(Ended::Left)
}
