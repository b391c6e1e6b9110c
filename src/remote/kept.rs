//! A connection over a line that may be cut: it is made again, and the client keeps its two channels meanwhile.
//!
//! While there is no line a command is refused, so that its text is a draft again, and the client is told since when
//! that is. What was sent and not acknowledged before the cut is refused, too: whether the driver has carried it out shows in
//! what it sends next. With the line back the client asks for everything again, as after [`DriverEvent::Lagged`].

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use crate::domain::Problem;
use crate::domain::text::{Localized, Text, localized};
use crate::protocol::command::Ticket;
use crate::protocol::{Command, DriverEvent};

use super::client::{
    ACKNOWLEDGED, COMMANDS, ConnectError, Connection, ConnectionTasks, EVENTS, Ended,
    FIRST_OF_TEXTS,
};

/// The first pause before a line is tried again; each one is twice as long as the one before.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

const NO_LINE: Text = Text::new(
    "there is no connection to the driver; it is tried again, and your text is kept",
    "没有到驱动进程的连接；正在重试，你的文字会保留",
);
const NOT_ACKNOWLEDGED: Text = Text::new(
    "the connection was lost before this was acknowledged: look whether it is there before you send it again",
    "确认之前连接已断开：重新发送之前请先查看它是否已送达",
);

/// The identifier of the problem that says that there is no connection.
pub const LOST: &str = "line/lost";

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

/// Keeps a connection: after a cut, `connect` makes the next one. `name`: what is connected to, for the client.
pub fn keep<C, F>(first: Connection, name: &str, connect: C) -> Connection
where
    C: FnMut() -> F + Send + Sync + 'static,
    F: Future<Output = Result<Connection, ConnectError>> + Send + 'static,
{
    let welcome = first.welcome.clone();
    let Followed { commands, events, acknowledged, tasks } = start(Some(first), name, connect);
    Connection { welcome, commands, events, acknowledged, tasks }
}

/// Without a `first` connection the end of the driver is a cut, too.
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
        open: BTreeMap::new(),
        problems: Vec::new(),
        outlives_driver: first.is_none(),
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
    /// Commands that the driver has and did not reply to, with what is said of them after a cut.
    open: BTreeMap<Ticket, Text>,
    /// What the driver has named last.
    problems: Vec<Problem>,
    /// The end of the driver is a cut, too: the next one is connected to.
    outlives_driver: bool,
}

/// Why a connection is not used any more.
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
                    let why = Localized::same(error.to_string());
                    let Some(connection) = self.connect_again(why).await else {
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
                (Over::Stopped, Ok(Ended::Cut) | Err(_)) => {}
                (Over::Stopped, Ok(Ended::Left | Ended::WithDriver)) if self.outlives_driver => {}
                (Over::Stopped, Ok(Ended::Left | Ended::WithDriver)) => {
                    let _ = self.events.send(DriverEvent::Stopped).await;
                    return ended;
                }
                (Over::Left, _) => return ended,
            }
            let Some(next) = self.connect_again(NO_LINE.into()).await else {
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
                    if let Some(ticket) = command.ticket() {
                        let text =
                            if command.is_read_only() { NO_LINE } else { NOT_ACKNOWLEDGED };
                        self.open.insert(ticket, text);
                    }
                    // If the line is cut, what follows says so.
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
            self.open.remove(&ticket);
        }
        if let DriverEvent::Problems(problems) = &event {
            self.problems.clone_from(problems);
        }
        let is_of_text = ticket.is_some_and(|ticket| ticket >= FIRST_OF_TEXTS);
        let to = if is_of_text { &self.acknowledge } else { &self.events };
        let sent = to.send(event).await;
        if is_of_text { Ok(()) } else { sent.map_err(drop) }
    }

    /// Tries until there is a connection; `None` if the client has left.
    async fn connect_again(&mut self, mut why: Localized) -> Option<Connection> {
        let since = Instant::now();
        for (ticket, text) in std::mem::take(&mut self.open) {
            self.refuse(ticket, text).await.ok()?;
        }
        let mut pause = FIRST_PAUSE;
        loop {
            self.report_lost(&why).await.ok()?;
            self.refuse_until(Instant::now() + pause).await?;
            pause = (pause * 2).min(LONGEST_PAUSE);
            match self.try_to_connect().await? {
                Ok(connection) => {
                    self.report_back(since).await.ok()?;
                    return Some(connection);
                }
                Err(error) => why = Localized::same(error.to_string()),
            }
        }
    }

    /// What comes meanwhile is refused.
    async fn try_to_connect(&mut self) -> Option<Result<Connection, ConnectError>> {
        let mut connecting = Box::pin((self.connect)());
        loop {
            tokio::select! {
                connected = &mut connecting => return Some(connected),
                command = self.commands.recv() => {
                    let command = command.filter(|command| !leaves(command))?;
                    if let Some(ticket) = command.ticket() {
                        refuse(&self.events, &self.acknowledge, ticket, NO_LINE).await.ok()?;
                    }
                }
            }
        }
    }

    async fn refuse_until(&mut self, until: Instant) -> Option<()> {
        loop {
            tokio::select! {
                () = sleep_until(until) => return Some(()),
                command = self.commands.recv() => {
                    let command = command.filter(|command| !leaves(command))?;
                    if let Some(ticket) = command.ticket() {
                        self.refuse(ticket, NO_LINE).await.ok()?;
                    }
                }
            }
        }
    }

    async fn refuse(&self, ticket: Ticket, text: Text) -> Result<(), ()> {
        refuse(&self.events, &self.acknowledge, ticket, text).await
    }

    async fn report_lost(&self, why: &Localized) -> Result<(), ()> {
        let name = &self.name;
        let text = localized!(
            [why] "the connection is lost, and is tried again: {why}",
            "连接已断开，正在重试：{why}"
        );
        let fix = Text::new(
            "nothing has to be done if the line comes back; the team goes on meanwhile",
            "线路恢复后无需任何操作；团队仍在继续工作",
        );
        let mut problems = vec![Problem::new(LOST, name, text, fix)];
        problems.extend(self.problems.iter().cloned());
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
    let to = if ticket >= FIRST_OF_TEXTS { acknowledge } else { events };
    to.send(refused).await.map_err(drop)
}
