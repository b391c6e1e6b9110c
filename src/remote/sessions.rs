//! What the driver replied to the commands of a session, so that a command that is sent again after a cut counts once.
//!
//! A session is one client over all its connections. It is known to this process alone, as long as it is among the
//! last ones: a client is told whether it is, and asks a person where it is not.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use crate::domain::text::Text;
use crate::protocol::command::{LARGEST_TICKET, Ticket};
use crate::protocol::{Command, DriverEvent};

/// Sessions that are known, at least as many as there may be connections.
const MAX_SESSIONS: usize = 128;
/// Commands of a session that are known.
const MAX_COMMANDS: usize = 256;
/// How long the replies to the commands of a connection that was cut are waited for.
const PATIENCE: Duration = Duration::from_secs(60);

const NO_REPLY: Text = Text::new(
    "the driver took this before the connection was lost, and did not say what became of it: look whether it is there",
    "连接断开之前驱动程序已收到此内容，但未报告结果：请查看它是否已送达",
);

/// The sessions of a driver; clones are the same ones.
#[derive(Debug, Clone, Default)]
pub(super) struct Sessions(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    known: Mutex<Known>,
    /// A reply was recorded, or a session has a newer connection.
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Known {
    /// Which one was connected last is at the end.
    sessions: VecDeque<KnownSession>,
    connections: u64,
}

/// What is known of a session.
#[derive(Debug)]
struct KnownSession {
    name: String,
    /// The newest connection.
    connection: u64,
    commands: VecDeque<Sent>,
}

/// A command that the driver has.
#[derive(Debug)]
struct Sent {
    ticket: Ticket,
    /// The connection that it came on.
    connection: u64,
    reply: Option<DriverEvent>,
}

/// A connection of a session.
#[derive(Debug)]
pub(super) struct Session {
    all: Sessions,
    name: String,
    connection: u64,
    was_known: bool,
}

impl Sessions {
    /// One more connection of the session of this name; `None` for a client without one.
    pub fn connect(&self, name: &str) -> Option<Session> {
        if name.is_empty() {
            return None;
        }
        let mut known = self.known();
        known.connections += 1;
        let connection = known.connections;
        let at = known.sessions.iter().position(|past| past.name == name);
        let past = at.and_then(|at| known.sessions.remove(at));
        let was_known = past.is_some();
        let commands = past.map(|past| past.commands).unwrap_or_default();
        known.sessions.push_back(KnownSession { name: name.to_owned(), connection, commands });
        if known.sessions.len() > MAX_SESSIONS {
            known.sessions.pop_front();
        }
        self.0.changed.send_replace(());
        Some(Session { all: self.clone(), name: name.to_owned(), connection, was_known })
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// The commands of a session; `None` if it was forgotten for newer ones.
    fn commands(&mut self, name: &str) -> Option<&mut VecDeque<Sent>> {
        self.session(name).map(|past| &mut past.commands)
    }

    fn session(&mut self, name: &str) -> Option<&mut KnownSession> {
        self.sessions.iter_mut().find(|past| past.name == name)
    }
}

impl Session {
    /// Whether an earlier connection of the session is known, so that its commands can be sent again.
    pub fn was_known(&self) -> bool {
        self.was_known
    }

    /// Waits until the session has a newer connection.
    pub async fn superseded(&self) {
        let mut changes = self.all.0.changed.subscribe();
        let is_newest = || {
            let mut known = self.all.known();
            known.session(&self.name).is_none_or(|past| past.connection == self.connection)
        };
        while is_newest() {
            if changes.changed().await.is_err() {
                return;
            }
        }
    }

    /// The reply to a command that came before, once there is one; `None` for one that is new.
    pub async fn earlier_reply(&self, command: &Command) -> Option<DriverEvent> {
        let ticket = command.ticket().filter(|_| !command.is_read_only())? & LARGEST_TICKET;
        let mut changes = self.all.0.changed.subscribe();
        loop {
            match self.admit(ticket) {
                Admission::New => return None,
                Admission::Replied(reply) => return Some(reply),
                Admission::Running => changes.changed().await.ok()?,
            }
        }
    }

    fn admit(&self, ticket: Ticket) -> Admission {
        let mut known = self.all.known();
        // Of a session that was forgotten nothing is kept; the next connection is told so.
        let Some(commands) = known.commands(&self.name) else { return Admission::New };
        match commands.iter().find(|sent| sent.ticket == ticket) {
            Some(Sent { reply: Some(reply), .. }) => Admission::Replied(reply.clone()),
            Some(Sent { reply: None, .. }) => Admission::Running,
            None => {
                commands.push_back(Sent { ticket, connection: self.connection, reply: None });
                if commands.len() > MAX_COMMANDS {
                    commands.pop_front();
                }
                Admission::New
            }
        }
    }

    /// Keeps an event that is the reply to a command of this session.
    pub fn record(&self, event: &DriverEvent) {
        let Some(ticket) = event.ticket() else { return };
        let mut known = self.all.known();
        let awaits = |sent: &&mut Sent| sent.ticket == ticket && sent.reply.is_none();
        let sent = known.commands(&self.name).and_then(|commands| commands.iter_mut().find(awaits));
        if let Some(sent) = sent {
            sent.reply = Some(event.clone());
            self.all.0.changed.send_replace(());
        }
    }

    /// After the end of the connection: takes the replies to its commands, for the next connection.
    pub async fn collect_late_replies(&self, events: &mut mpsc::Receiver<DriverEvent>) {
        let rest = async {
            while self.has_running() {
                let Some(event) = events.recv().await else { break };
                self.record(&event);
            }
        };
        let _ = timeout(PATIENCE, rest).await;
        self.give_up();
    }

    fn has_running(&self) -> bool {
        let runs = |sent: &Sent| sent.connection == self.connection && sent.reply.is_none();
        self.all.known().commands(&self.name).is_some_and(|commands| commands.iter().any(runs))
    }

    fn give_up(&self) {
        if let Some(commands) = self.all.known().commands(&self.name) {
            let own = commands.iter_mut().filter(|sent| sent.connection == self.connection);
            for sent in own {
                let ticket = sent.ticket;
                let unknown = || DriverEvent::Refused { ticket, text: NO_REPLY.into() };
                sent.reply.get_or_insert_with(unknown);
            }
        }
        self.all.0.changed.send_replace(());
    }
}

/// What is known of a command.
enum Admission {
    /// Nothing; from now on it runs.
    New,
    Running,
    Replied(DriverEvent),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::text::assert_translated;

    fn answer(ticket: Ticket) -> Command {
        let dialog = crate::domain::DialogId::main(crate::domain::RootId::new("9z"));
        Command::Say { ticket, dialog, text: "hi".to_owned(), images: Vec::new() }
    }

    fn done(ticket: Ticket) -> DriverEvent {
        DriverEvent::Done { ticket, dialog: None }
    }

    #[tokio::test]
    async fn a_command_that_comes_again_gets_the_reply_it_had() {
        let sessions = Sessions::default();
        let first = sessions.connect("a").unwrap();
        assert!(!first.was_known());
        assert_eq!(first.earlier_reply(&answer(1)).await, None);
        first.record(&done(1));
        let second = sessions.connect("a").unwrap();
        assert!(second.was_known());
        assert_eq!(second.earlier_reply(&answer(1)).await, Some(done(1)));
        assert_eq!(second.earlier_reply(&answer(2)).await, None);
        // Another client may choose the same tickets, and so may one without a session.
        assert_eq!(sessions.connect("b").unwrap().earlier_reply(&answer(1)).await, None);
        assert!(sessions.connect("").is_none());
    }

    #[tokio::test]
    async fn a_command_that_still_runs_is_waited_for_on_the_next_connection() {
        let sessions = Sessions::default();
        let first = sessions.connect("a").unwrap();
        assert_eq!(first.earlier_reply(&answer(1)).await, None);
        let (driver, mut events) = mpsc::channel(4);
        let (superseded, second) =
            tokio::join!(timeout(Duration::from_secs(60), first.superseded()), async {
                sessions.connect("a").unwrap()
            },);
        assert_eq!((superseded, second.was_known()), (Ok(()), true));
        let command = answer(1);
        let (reply, (), ()) = tokio::join!(
            second.earlier_reply(&command),
            first.collect_late_replies(&mut events),
            async {
                driver.send(DriverEvent::Stopped).await.unwrap();
                driver.send(done(1)).await.unwrap();
            }
        );
        assert_eq!(reply, Some(done(1)));
        // The channel is still open: what has its reply is not waited for.
        drop(driver);
    }

    #[tokio::test(start_paused = true)]
    async fn a_command_whose_reply_never_came_is_refused_and_does_not_run_again() {
        let sessions = Sessions::default();
        let first = sessions.connect("a").unwrap();
        assert_eq!(first.earlier_reply(&answer(7)).await, None);
        let (_driver, mut events) = mpsc::channel(4);
        first.collect_late_replies(&mut events).await;
        let again = sessions.connect("a").unwrap().earlier_reply(&answer(7)).await;
        assert_eq!(again, Some(DriverEvent::Refused { ticket: 7, text: NO_REPLY.into() }));
        assert_translated(&NO_REPLY.into());
    }

    #[tokio::test]
    async fn only_the_last_sessions_and_commands_are_kept() {
        let sessions = Sessions::default();
        let first = sessions.connect("first").unwrap();
        let count = Ticket::try_from(MAX_COMMANDS).unwrap() + 1;
        for ticket in 0..count {
            assert_eq!(first.earlier_reply(&answer(ticket)).await, None);
            first.record(&done(ticket));
        }
        assert_eq!(sessions.known().commands("first").unwrap().len(), MAX_COMMANDS);
        for number in 0..MAX_SESSIONS {
            sessions.connect(&number.to_string()).unwrap();
        }
        assert_eq!(sessions.known().sessions.len(), MAX_SESSIONS);
        assert!(!sessions.connect("first").unwrap().was_known());
    }
}
