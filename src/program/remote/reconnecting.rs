//! A connection over an unreliable line: it reconnects, and the client keeps its two channels meanwhile.
//!
//! While there is no connection, commands are refused, so that their texts are drafts again, and the client
//! is told since when. Commands that were sent and not acknowledged before the cut are sent again to a driver
//! that knows the session, which carries each out once; to another driver they are not sent, but refused.
//! After a reconnect the client requests everything again, as after [`DriverEvent::Lagged`].

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use crate::domain::Problem;
use crate::domain::text::{Localized, Text, localized};
use crate::protocol::command::Ticket;
use crate::protocol::{Command, DriverEvent, LOST};

use super::client::{
    ACKNOWLEDGED, COMMANDS, ConnectError, Connection, ConnectionTasks, EVENTS, Ended,
    FIRST_OF_TEXTS,
};

/// The first pause before a line is tried again; each one is twice as long as the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// The longest one in which a person does something.
const LONGEST_WITH_KEYS: Duration = Duration::from_secs(5);

const NO_LINE: Text = Text::new(
    "there is no connection to the driver; it is tried again, and your text is kept",
    "没有到驱动进程的连接；正在重试，你的文字会保留",
);
const NOT_ACKNOWLEDGED: Text = Text::new(
    "the connection was lost before this was acknowledged: look whether it is there before you send it again",
    "确认之前连接已断开：重新发送之前请先查看它是否已送达",
);

const NOBODY: Text = Text::new(
    "no driver runs on this workspace: `dominds-tui q4h answer` answers there, or start one with `dominds-tui serve`",
    "此工作区没有运行驱动进程：`dominds-tui q4h answer` 可在那里回答，或用 `dominds-tui serve` 启动一个",
);

/// The identifier of the problem that no driver runs, so that events only reflect the files.
pub const AT_REST: &str = "line/at-rest";

/// True for a problem with the connection itself, not with the workspace behind it.
pub fn is_of_line(problem: &Problem) -> bool {
    [LOST, AT_REST].contains(&problem.id.as_str())
}

/// The channels of a driver that is connected to whenever it can be.
#[derive(Debug)]
pub struct Followed {
    pub commands: mpsc::Sender<Command>,
    pub events: mpsc::Receiver<DriverEvent>,
    acknowledged: mpsc::Receiver<DriverEvent>,
    pub tasks: ConnectionTasks,
}

/// Connects, and does so again after a cut and after the end of the driver, until the client leaves.
pub fn follow<C, F>(name: &str, connect: C) -> Followed
where
    C: FnMut() -> F + Send + Sync + 'static,
    F: Future<Output = Result<Connection, ConnectError>> + Send + 'static,
{
    start(None, name, connect)
}

/// Keeps a connection: after a cut, `connect` makes the next one. `name`: the name of the target, for the client.
pub fn keep<C, F>(first: Connection, name: &str, connect: C) -> Connection
where
    C: FnMut() -> F + Send + Sync + 'static,
    F: Future<Output = Result<Connection, ConnectError>> + Send + 'static,
{
    let welcome = first.welcome.clone();
    let Followed { commands, events, acknowledged, tasks } = start(Some(first), name, connect);
    Connection { welcome, commands, events, acknowledged, tasks }
}

/// Starts it. Without a `first` connection the end of the driver counts as a cut, too.
fn start<C, F>(first: Option<Connection>, name: &str, connect: C) -> Followed
where
    C: FnMut() -> F + Send + Sync + 'static,
    F: Future<Output = Result<Connection, ConnectError>> + Send + 'static,
{
    let (commands, commands_rx) = mpsc::channel(COMMANDS);
    let (events_tx, events) = mpsc::channel(EVENTS);
    let (acknowledge, acknowledged) = mpsc::channel(ACKNOWLEDGED);
    let mut tasks = JoinSet::new();
    let kept = Kept {
        name: name.to_owned(),
        connect,
        commands: commands_rx,
        events: events_tx,
        acknowledge,
        changes: BTreeMap::new(),
        questions: BTreeSet::new(),
        problems: Vec::new(),
        no_line: NO_LINE,
        outlives_driver: first.is_none(),
        is_leaving: false,
    };
    tasks.spawn(kept.run(first));
    Followed { commands, events, acknowledged, tasks: ConnectionTasks::of(tasks) }
}

/// The client's end of the channels.
struct Kept<C> {
    name: String,
    connect: C,
    commands: mpsc::Receiver<Command>,
    events: mpsc::Sender<DriverEvent>,
    acknowledge: mpsc::Sender<DriverEvent>,
    /// Commands that change something, and others, that the driver has got and not replied to.
    changes: BTreeMap<Ticket, Command>,
    questions: BTreeSet<Ticket>,
    /// The problems that the driver reported last.
    problems: Vec<Problem>,
    /// Why a command is refused while there is no connection.
    no_line: Text,
    /// The end of the driver is a cut, too: the next one is connected to.
    outlives_driver: bool,
    /// True if the client leaves once it has its replies.
    is_leaving: bool,
}

/// The end of the use of a connection.
enum Over {
    /// The client has left.
    Left,
    /// The driver, or the line.
    Stopped,
}

impl<C, F> Kept<C>
where
    C: FnMut() -> F + Send + Sync + 'static,
    F: Future<Output = Result<Connection, ConnectError>> + Send + 'static,
{
    async fn run(mut self, first: Option<Connection>) -> io::Result<Ended> {
        let mut connection = match first {
            Some(first) => first,
            None => match self.try_to_connect().await {
                Some(Ok(connection)) => connection,
                Some(Err(error)) => {
                    let Some(connection) = self.connect_again(Some(error)).await else {
                        return Ok(Ended::Left);
                    };
                    connection
                }
                None => return Ok(Ended::Left),
            },
        };
        loop {
            let over = self.forward(&mut connection).await;
            let Connection { commands, events, acknowledged, tasks, .. } = connection;
            drop((commands, events, acknowledged));
            let ended = tasks.join().await;
            match (over, &ended) {
                (Over::Stopped, Err(_) | Ok(Ended::Cut)) if self.is_leaving => return ended,
                (Over::Stopped, Ok(Ended::Cut) | Err(_)) => {}
                (Over::Stopped, Ok(Ended::Left | Ended::WithDriver))
                    if self.outlives_driver && !self.is_leaving => {}
                (Over::Stopped, Ok(Ended::Left | Ended::WithDriver)) => {
                    let _ = self.events.send(DriverEvent::Stopped).await;
                    return ended;
                }
                (Over::Left, _) => return ended,
            }
            let Some(next) = self.connect_again(None).await else {
                return Ok(Ended::Left);
            };
            connection = next;
        }
    }

    /// Passes commands and events on until that is over.
    async fn forward(&mut self, connection: &mut Connection) -> Over {
        loop {
            tokio::select! {
                command = self.commands.recv() => {
                    let Some(command) = command else { return Over::Left };
                    self.is_leaving |= leaves(&command);
                    if let Some(ticket) = command.ticket() {
                        if command.is_read_only() {
                            self.questions.insert(ticket);
                        } else {
                            self.changes.insert(ticket, command.clone());
                        }
                    }
                    // If the connection is cut, the code below notices.
                    let _ = connection.commands.send(command).await;
                }
                event = connection.events.recv() => {
                    let Some(event) = event.filter(|event| *event != DriverEvent::Stopped) else {
                        return Over::Stopped;
                    };
                    if self.pass_on(event).await.is_err() {
                        return Over::Left;
                    }
                }
                Some(event) = connection.acknowledged.recv() => {
                    if self.pass_on(event).await.is_err() {
                        return Over::Left;
                    }
                }
            }
        }
    }

    /// # Errors
    /// The client has gone.
    async fn pass_on(&mut self, event: DriverEvent) -> Result<(), ()> {
        let ticket = event.ticket();
        if let Some(ticket) = ticket {
            self.changes.remove(&ticket);
            self.questions.remove(&ticket);
        }
        if let DriverEvent::Problems(problems) = &event {
            self.problems.clone_from(problems);
        }
        let is_of_text = ticket.is_some_and(|ticket| ticket >= FIRST_OF_TEXTS);
        if is_of_text {
            // If it is full, the reply is not awaited any more.
            let _ = self.acknowledge.try_send(event);
            return Ok(());
        }
        self.events.send(event).await.map_err(drop)
    }

    /// Tries until there is a connection; `None` if the client has left.
    async fn connect_again(&mut self, mut error: Option<ConnectError>) -> Option<Connection> {
        let since = Instant::now();
        for ticket in std::mem::take(&mut self.questions) {
            self.refuse(ticket, NO_LINE).await.ok()?;
        }
        let mut pause = FIRST_PAUSE;
        loop {
            self.report_missing(error.take()).await.ok()?;
            self.wait_for_next_try(pause).await?;
            pause = (pause * 2).min(LONGEST_PAUSE);
            match self.try_to_connect().await? {
                Ok(connection) => {
                    self.send_again(&connection).await.ok()?;
                    self.report_back(since).await.ok()?;
                    return Some(connection);
                }
                Err(failed) => error = Some(failed),
            }
        }
    }

    /// Sends what had no reply to a driver that does it once; else the person has to look.
    async fn send_again(&mut self, connection: &Connection) -> Result<(), ()> {
        if !connection.welcome.knows_session {
            for ticket in std::mem::take(&mut self.changes).into_keys() {
                self.refuse(ticket, NOT_ACKNOWLEDGED).await?;
            }
            return Ok(());
        }
        for command in self.changes.values() {
            // If the connection is cut again, the next round notices.
            let _ = connection.commands.send(command.clone()).await;
        }
        Ok(())
    }

    /// Connects; commands are refused meanwhile.
    async fn try_to_connect(&mut self) -> Option<Result<Connection, ConnectError>> {
        let mut connecting = Box::pin((self.connect)());
        loop {
            tokio::select! {
                connected = &mut connecting => return Some(connected),
                command = self.commands.recv() => {
                    let command = command.filter(|command| !leaves(command))?;
                    if let Some(ticket) = command.ticket() {
                        refuse(&self.events, &self.acknowledge, ticket, self.no_line).await.ok()?;
                    }
                }
            }
        }
    }

    /// Waits and refuses commands meanwhile. A command shows that a person is there, so the pause gets
    /// shorter; a command to retry ends it.
    async fn wait_for_next_try(&mut self, pause: Duration) -> Option<()> {
        let began = Instant::now();
        let mut until = began + pause;
        loop {
            tokio::select! {
                () = sleep_until(until) => return Some(()),
                command = self.commands.recv() => {
                    let command = command.filter(|command| !leaves(command))?;
                    if matches!(command, Command::RetryNow { .. }) {
                        return Some(());
                    }
                    until = until.min(began + LONGEST_WITH_KEYS);
                    if let Some(ticket) = command.ticket() {
                        self.refuse(ticket, self.no_line).await.ok()?;
                    }
                }
            }
        }
    }

    async fn refuse(&self, ticket: Ticket, text: Text) -> Result<(), ()> {
        refuse(&self.events, &self.acknowledge, ticket, text).await
    }

    /// Reports why there is no connection, and the state that is known without one.
    async fn report_missing(&mut self, error: Option<ConnectError>) -> Result<(), ()> {
        let why = error.as_ref().map(|error| Localized::same(error.to_string()));
        let Some(ConnectError::AtRest(events)) = error else {
            self.no_line = NO_LINE;
            return self.report_lost(&why.unwrap_or_else(|| NO_LINE.into())).await;
        };
        self.no_line = NOBODY;
        let (problems, told): (Vec<_>, Vec<_>) =
            events.into_iter().partition(|event| matches!(event, DriverEvent::Problems(_)));
        for problem in problems {
            if let DriverEvent::Problems(problems) = problem {
                self.problems = problems;
            }
        }
        let text = Text::new(
            "no driver runs on this workspace: this is what its files say",
            "此工作区没有运行驱动进程：这是其文件中的内容",
        );
        let fix = Text::new(
            "`dominds-tui` there, or `dominds-tui serve`, goes on with it",
            "在那里运行 `dominds-tui` 或 `dominds-tui serve` 可继续",
        );
        self.report_problem(Problem::new(AT_REST, &self.name, text, fix)).await?;
        for event in told {
            self.events.send(event).await.map_err(drop)?;
        }
        Ok(())
    }

    async fn report_lost(&self, why: &Localized) -> Result<(), ()> {
        let name = &self.name;
        let text = localized!(
            [why] "the connection is lost, and is tried again: {why}",
            "连接已断开，正在重试：{why}"
        );
        let fix = Text::new(
            "nothing has to be done if the line comes back; the team goes on meanwhile; `R` tries again at once",
            "线路恢复后无需任何操作；团队仍在继续工作；按 `R` 立即重试",
        );
        self.report_problem(Problem::new(LOST, name, text, fix)).await
    }

    async fn report_problem(&self, of_line: Problem) -> Result<(), ()> {
        let problems = std::iter::once(of_line).chain(self.problems.iter().cloned()).collect();
        self.events.send(DriverEvent::Problems(problems)).await.map_err(drop)
    }

    async fn report_back(&self, since: Instant) -> Result<(), ()> {
        let seconds = since.elapsed().as_secs();
        let text = localized!(
            "connected again; the line was away for {seconds} s",
            "已重新连接；线路中断了 {seconds} 秒"
        );
        let back = [
            DriverEvent::Problems(self.problems.clone()),
            DriverEvent::Lagged,
            DriverEvent::Notice(text),
        ];
        for event in back {
            self.events.send(event).await.map_err(drop)?;
        }
        Ok(())
    }
}

/// True if the client has nothing more to say.
fn leaves(command: &Command) -> bool {
    matches!(command, Command::Shutdown { .. })
}

/// # Errors
/// The client has gone.
async fn refuse(
    events: &mpsc::Sender<DriverEvent>,
    acknowledge: &mpsc::Sender<DriverEvent>,
    ticket: Ticket,
    text: Text,
) -> Result<(), ()> {
    let refused = DriverEvent::Refused { ticket, text: text.into() };
    if ticket >= FIRST_OF_TEXTS {
        let _ = acknowledge.try_send(refused);
        return Ok(());
    }
    events.send(refused).await.map_err(drop)
}

#[cfg(test)]
mod tests {
    use tokio::net::UnixListener;
    use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

    use super::*;
    use crate::domain::{DialogId, RootId, Stamp};
    use crate::protocol::wire::{
        self, Audience, FromClient, Hello, LONGEST_FROM_CLIENT, PROTOCOL, Welcome,
    };
    use crate::remote::framed::{FrameReader, FrameWriter};
    use crate::remote::{Fleet, Leaving, Place, UserFolders, connect};

    async fn in_time<T>(future: impl Future<Output = T>) -> T {
        tokio::time::timeout(Duration::from_mins(1), future).await.unwrap()
    }

    /// The driver's side of one connection.
    struct Driver {
        frames: FrameReader<OwnedReadHalf>,
        write: FrameWriter<OwnedWriteHalf>,
        session: String,
    }

    impl Driver {
        async fn greets((listener, place): &(UnixListener, Place), knows_session: bool) -> Self {
            let folder = place.open().unwrap().id;
            let (read, write) = in_time(listener.accept()).await.unwrap().0.into_split();
            let frames = FrameReader::new(read, LONGEST_FROM_CLIENT);
            let write = FrameWriter::new(write);
            let mut driver = Self { frames, write, session: String::new() };
            let FromClient::Hello(hello) = driver.message().await else { panic!("no hello") };
            driver.session = hello.session;
            let welcome = Welcome {
                protocol: PROTOCOL,
                program: "0.1.0".to_owned(),
                workspace: "~/w".to_owned(),
                folder: Some(folder),
                pid: 1,
                since: Stamp::new("2026-11-25 10:00:00"),
                level: None,
                view: false,
                knows_session,
                low_bandwidth: false,
            };
            driver.write(&wire::encode_welcome(&welcome).unwrap()).await;
            driver
        }

        async fn write(&mut self, frame: &[u8]) {
            self.write.write(frame).await.unwrap();
        }

        async fn message(&mut self) -> FromClient {
            let body = in_time(self.frames.next()).await.unwrap().unwrap();
            wire::decode_from_client(&body).unwrap()
        }

        async fn command(&mut self) -> Command {
            match self.message().await {
                FromClient::Command(command) => *command,
                FromClient::Hello(_) => panic!("a second hello"),
            }
        }
    }

    /// A workspace whose socket is listened on.
    fn listened_on() -> (tempfile::TempDir, (UnixListener, Place)) {
        let workspace = tempfile::tempdir().unwrap();
        let folder = workspace.path().join(".dialogs/.tui");
        std::fs::create_dir_all(&folder).unwrap();
        let listener = UnixListener::bind(folder.join("driver.sock")).unwrap();
        let place = Place::of(workspace.path(), UserFolders::default());
        (workspace, (listener, place))
    }

    fn say() -> Command {
        let dialog = DialogId::main(RootId::new("9z"));
        Command::Say { ticket: 1, dialog, text: "hi".to_owned(), images: Vec::new() }
    }

    async fn reply(events: &mut mpsc::Receiver<DriverEvent>, ticket: Ticket) -> DriverEvent {
        loop {
            let event = in_time(events.recv()).await.unwrap();
            if event.ticket() == Some(ticket) {
                return event;
            }
        }
    }

    /// Sends a message and a question, and cuts the line before either has a reply. Returns the reply to the
    /// question, and the client with the connection that follows.
    async fn cut(knows_session: bool) -> (DriverEvent, Connection, Driver) {
        let (_workspace, listening) = listened_on();
        let place = listening.1.clone();
        // The driver is an older one, which does not know the low bandwidth.
        let hello = Hello {
            session: "s1".to_owned(),
            low_bandwidth: true,
            ..Hello::new(Audience::Screen, "pts/1")
        };
        let again = move || {
            let (place, hello) = (place.clone(), hello.clone());
            async move { connect(&place, hello, Leaving::DriverStays).await }
        };
        let (first, mut driver) = tokio::join!(again(), Driver::greets(&listening, false));
        let mut client = keep(first.unwrap(), "~/w", again);
        client.commands.send(say()).await.unwrap();
        client.commands.send(Command::Shelf { ticket: 2 }).await.unwrap();
        assert_eq!(driver.command().await, say());
        assert_eq!(driver.command().await, Command::Shelf { ticket: 2 });
        let session = driver.session.clone();
        drop(driver);
        let question = reply(&mut client.events, 2).await;
        let next = Driver::greets(&listening, knows_session).await;
        assert_eq!(next.session, session);
        (question, client, next)
    }

    fn refused(ticket: Ticket, text: Text) -> DriverEvent {
        DriverEvent::Refused { ticket, text: text.into() }
    }

    #[tokio::test]
    async fn what_had_no_reply_before_a_cut_is_sent_again_to_a_driver_that_knows_the_session() {
        let (question, mut client, mut driver) = cut(true).await;
        assert_eq!(question, refused(2, NO_LINE));
        assert_eq!(driver.command().await, say());
        let done = DriverEvent::Done { ticket: 1, dialog: None };
        driver.write(&wire::encode_event(&done).unwrap()).await;
        assert_eq!(reply(&mut client.events, 1).await, done);
    }

    #[tokio::test]
    async fn it_is_refused_where_the_driver_is_another_one() {
        let (question, mut client, mut driver) = cut(false).await;
        assert_eq!(question, refused(2, NO_LINE));
        assert_eq!(reply(&mut client.events, 1).await, refused(1, NOT_ACKNOWLEDGED));
        client.commands.send(Command::Shelf { ticket: 3 }).await.unwrap();
        assert_eq!(driver.command().await, Command::Shelf { ticket: 3 }, "nothing was sent again");
    }

    #[tokio::test]
    async fn whoever_leaves_several_places_gets_the_replies_first_and_none_is_connected_to_again() {
        let (_workspace, listening) = listened_on();
        let place = listening.1.clone();
        let connects = move || {
            let place = place.clone();
            let hello = Hello::new(Audience::Screen, "pts/1");
            async move { connect(&place, hello, Leaving::DriverStays).await }
        };
        let mut fleet = Fleet::of(vec![("~/w".to_owned(), follow("~/w", connects))]);
        let mut driver = Driver::greets(&listening, false).await;
        driver.write(&wire::encode_event(&DriverEvent::Lagged).unwrap()).await;
        assert_eq!(in_time(fleet.events.recv()).await, Some(DriverEvent::Lagged));
        fleet.commands.send(Command::ContinueAll { ticket: 1 }).await.unwrap();
        let leave = Command::Shutdown { grace: Duration::from_mins(1) };
        fleet.commands.send(leave).await.unwrap();
        assert_eq!(driver.command().await, Command::ContinueAll { ticket: 1 });
        let done = DriverEvent::Done { ticket: 1, dialog: None };
        // Something else may come before it.
        for event in [&DriverEvent::Lagged, &DriverEvent::Lagged, &done] {
            driver.write(&wire::encode_event(event).unwrap()).await;
        }
        assert_eq!(reply(&mut fleet.events, 1).await, done);
        assert!(in_time(driver.frames.next()).await.unwrap().is_none(), "the client has left");
        drop(driver);
        assert_eq!(in_time(fleet.events.recv()).await, Some(DriverEvent::Stopped));
        assert_eq!(in_time(fleet.tasks.join()).await.unwrap(), Ended::Left);
    }

    #[tokio::test(start_paused = true)]
    async fn a_line_is_tried_again_soon_then_rarely_and_sooner_while_a_person_is_there() {
        let began = Instant::now();
        let tried = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let seen = tried.clone();
        let mut followed = follow("box", move || {
            seen.lock().unwrap().push(began.elapsed());
            async { Err(ConnectError::Nobody) }
        });
        let mut longest = async |from: Duration, with_keys: bool| {
            let until = from + Duration::from_secs(100);
            while began.elapsed() < until {
                if with_keys {
                    followed.commands.send(Command::Refresh).await.unwrap();
                }
                tokio::time::sleep(Duration::from_secs(1)).await;
                while followed.events.try_recv().is_ok() {}
            }
            let tried = tried.lock().unwrap();
            let gaps = tried.windows(2).filter(|pair| pair[0] >= from);
            gaps.filter_map(|pair| pair[1].checked_sub(pair[0])).max().unwrap()
        };
        assert_eq!(longest(Duration::ZERO, false).await, LONGEST_PAUSE);
        let here = began.elapsed() + LONGEST_PAUSE;
        tokio::time::sleep(LONGEST_PAUSE).await;
        let with_keys = longest(here, true).await;
        assert!(with_keys <= LONGEST_WITH_KEYS + Duration::from_secs(1), "{with_keys:?}");
        let first: Vec<_> = tried.lock().unwrap().iter().take(4).copied().collect();
        assert_eq!(first, [0, 200, 600, 1_400].map(Duration::from_millis));
        let count = || tried.lock().unwrap().len();
        // For a while no person was here.
        tokio::time::sleep(Duration::from_secs(40)).await;
        while followed.events.try_recv().is_ok() {}
        tokio::time::sleep(Duration::from_secs(1)).await;
        let before = count();
        let dialog = DialogId::main(RootId::new("9z"));
        followed.commands.send(Command::RetryNow { dialog }).await.unwrap();
        tokio::time::sleep(Duration::from_millis(1)).await;
        assert_eq!(count(), before + 1);
    }
}
