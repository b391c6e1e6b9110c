//! The driver's replies to the commands of a session, so that a command sent again after a cut is carried out once.
//!
//! A session is one client over all its connections. It is known while it is among the last ones, also to the next
//! driver of the workspace, which reads the journal: a client is told if it is known, else it asks a person.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::domain::text::{Localized, Text, localized};
use crate::protocol::command::{LARGEST_TICKET, Ticket};
use crate::protocol::{Command, DriverEvent};

use super::journal::{Journal, JournalLine, SessionFile};

/// Most sessions kept; at least as many as there may be connections.
const MAX_SESSIONS: usize = 128;
/// Most bytes of a name.
const MAX_NAME_BYTES: usize = 128;
/// Commands of a session that are known.
const MAX_COMMANDS: usize = 256;
/// The longest wait for the replies to the commands of a connection that was cut.
const PATIENCE: Duration = Duration::from_mins(1);

const NO_REPLY: Text = Text::new(
    "the driver took this before the connection was lost, and did not say what became of it: look whether it is there",
    "连接断开之前驱动程序已收到此内容，但未报告结果：请查看它是否已送达",
);

/// The sessions of a driver; clones are the same ones.
#[derive(Debug, Clone)]
pub(super) struct Sessions(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    known: Mutex<Known>,
    journal: Journal,
    /// A reply was recorded, or a session has a newer connection.
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Known {
    /// The sessions, the last connected one at the end.
    sessions: VecDeque<KnownSession>,
    connections: u64,
}

/// The known state of a session.
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

/// The state of a command.
#[derive(Debug)]
pub(super) enum Admission {
    /// Unknown until now; it runs from now on.
    New(Admitted),
    /// It came before, or cannot be taken: this is its reply.
    Replied(DriverEvent),
}

/// A command that is about to be passed to the driver. Dropped before that, it is as if it had never come.
#[derive(Debug)]
#[must_use]
pub(super) struct Admitted {
    all: Sessions,
    name: String,
    ticket: Option<Ticket>,
}

impl Admitted {
    /// The driver has it.
    pub fn passed(mut self) {
        self.ticket = None;
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let Some(ticket) = self.ticket else { return };
        if let Some(commands) = self.all.known().commands(&self.name) {
            commands.retain(|sent| sent.ticket != ticket);
        }
        self.all.0.changed.send_replace(());
    }
}

impl Sessions {
    /// Loads the sessions of earlier drivers of the workspace; none if they cannot be read.
    pub async fn load(file: Arc<dyn SessionFile>) -> Self {
        let journal = Journal::new(file);
        let sessions = Self::none(journal.clone());
        match blocking(move || journal.read()).await {
            Ok(lines) if lines.is_empty() => {}
            Ok(lines) => {
                for line in lines {
                    sessions.known().take(line);
                }
                sessions.known().end_earlier_runs();
                sessions.write_journal_anew().await;
            }
            // A client of before is told that its session is unknown, and repeats nothing.
            Err(error) => tracing::warn!(%error, "the sessions of clients could not be read"),
        }
        sessions
    }

    fn none(journal: Journal) -> Self {
        let (known, changed) = (Mutex::default(), watch::Sender::default());
        Self(Arc::new(Shared { known, journal, changed }))
    }

    /// Adds a connection of the session of this name; `None` for a client without one.
    pub async fn connect(&self, name: &str) -> Option<Session> {
        if name.is_empty() || name.len() > MAX_NAME_BYTES {
            return None;
        }
        let (connection, was_known) = self.known().connect(name);
        self.0.changed.send_replace(());
        let line = JournalLine { session: name.to_owned(), ticket: None, reply: None };
        if !was_known && let Err(error) = self.write(line).await {
            // This driver knows it. To the next one it may be unknown: then its client repeats nothing.
            tracing::warn!(%error, "a session could not be recorded");
        }
        Some(Session { all: self.clone(), name: name.to_owned(), connection, was_known })
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a line to the journal.
    async fn write(&self, line: JournalLine) -> io::Result<()> {
        let journal = self.0.journal.clone();
        if blocking(move || journal.append(&line)).await? {
            self.write_journal_anew().await;
        }
        Ok(())
    }

    /// Rewrites the journal. Lines that are left out may be forgotten.
    async fn write_journal_anew(&self) {
        let (journal, sessions) = (self.0.journal.clone(), self.clone());
        let written = blocking(move || journal.replace(|| sessions.known().lines())).await;
        if let Err(error) = written {
            // Nothing is lost, and it is tried again when the journal has grown.
            tracing::warn!(%error, "the journal of the sessions only grows");
        }
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    spawn_blocking(work).await.map_err(io::Error::other)?
}

impl Known {
    /// The number of the new connection, and whether the session was known.
    fn connect(&mut self, name: &str) -> (u64, bool) {
        self.connections += 1;
        let connection = self.connections;
        let at = self.sessions.iter().position(|past| past.name == name);
        let past = at.and_then(|at| self.sessions.remove(at));
        let was_known = past.is_some();
        let commands = past.map(|past| past.commands).unwrap_or_default();
        self.sessions.push_back(KnownSession { name: name.to_owned(), connection, commands });
        if self.sessions.len() > MAX_SESSIONS {
            self.sessions.pop_front();
        }
        (connection, was_known)
    }

    /// Applies a line of the journal. A command alone does not make a session known: earlier ones of a
    /// forgotten session are missing.
    fn take(&mut self, line: JournalLine) {
        let JournalLine { session: name, ticket, reply } = line;
        let Some(ticket) = ticket else {
            if self.session(&name).is_none() {
                self.connect(&name);
            }
            return;
        };
        let Some(commands) = self.commands(&name) else { return };
        commands.retain(|sent| sent.ticket != ticket);
        commands.push_back(Sent { ticket, connection: 0, reply });
        if commands.len() > MAX_COMMANDS {
            commands.pop_front();
        }
    }

    /// Ends the commands that a former driver took and did not reply to.
    fn end_earlier_runs(&mut self) {
        for sent in self.sessions.iter_mut().flat_map(|past| &mut past.commands) {
            let ticket = sent.ticket;
            sent.reply.get_or_insert_with(|| unknown(ticket));
        }
    }

    /// Returns the lines of the journal.
    fn lines(&self) -> Vec<JournalLine> {
        let of_session = |past: &KnownSession| {
            let line = |ticket, reply| JournalLine { session: past.name.clone(), ticket, reply };
            let commands =
                past.commands.iter().map(|sent| line(Some(sent.ticket), sent.reply.clone()));
            std::iter::once(line(None, None)).chain(commands).collect::<Vec<_>>()
        };
        self.sessions.iter().flat_map(of_session).collect()
    }

    /// The commands of a session; `None` if it was forgotten for newer ones.
    fn commands(&mut self, name: &str) -> Option<&mut VecDeque<Sent>> {
        self.session(name).map(|past| &mut past.commands)
    }

    fn session(&mut self, name: &str) -> Option<&mut KnownSession> {
        self.sessions.iter_mut().find(|past| past.name == name)
    }
}

impl Session {
    /// True if an earlier connection of the session is known, so that its commands can be sent again.
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

    /// Admits a command if it is new, and journals it. Waits for the reply to one that still runs.
    pub async fn admit(&self, command: &Command) -> Admission {
        let changes_something = command.ticket().filter(|_| !command.is_read_only());
        let Some(ticket) = changes_something.map(|ticket| ticket & LARGEST_TICKET) else {
            return Admission::New(self.admitted(None));
        };
        let mut changes = self.all.0.changed.subscribe();
        loop {
            match self.look_up(ticket) {
                Found::Nothing => break,
                Found::Reply(reply) => return Admission::Replied(reply),
                // Never fails: this session has the sender, too.
                Found::Running => _ = changes.changed().await,
            }
        }
        let admitted = self.admitted(Some(ticket));
        let line = JournalLine { session: self.name.clone(), ticket: Some(ticket), reply: None };
        match self.all.write(line).await {
            Ok(()) => Admission::New(admitted),
            Err(error) => {
                tracing::warn!(%error, "a command could not be recorded");
                Admission::Replied(DriverEvent::Refused { ticket, text: not_recorded(&error) })
            }
        }
    }

    fn admitted(&self, ticket: Option<Ticket>) -> Admitted {
        Admitted { all: self.all.clone(), name: self.name.clone(), ticket }
    }

    /// Notes a command that is new.
    fn look_up(&self, ticket: Ticket) -> Found {
        let mut known = self.all.known();
        // A forgotten session has no commands; its next connection is told so.
        let Some(commands) = known.commands(&self.name) else { return Found::Nothing };
        match commands.iter().find(|sent| sent.ticket == ticket) {
            Some(Sent { reply: Some(reply), .. }) => Found::Reply(reply.clone()),
            Some(Sent { reply: None, .. }) => Found::Running,
            None => {
                commands.push_back(Sent { ticket, connection: self.connection, reply: None });
                if commands.len() > MAX_COMMANDS {
                    commands.pop_front();
                }
                Found::Nothing
            }
        }
    }

    /// Keeps an event that is the reply to a command of this session.
    pub async fn record(&self, event: &DriverEvent) {
        if !self.note_reply(event) {
            return;
        }
        let (session, ticket) = (self.name.clone(), event.ticket());
        let line = JournalLine { session, ticket, reply: Some(event.clone()) };
        if let Err(error) = self.all.write(line).await {
            // This driver has it in memory. The next one answers that the outcome is unknown, and repeats nothing.
            tracing::warn!(%error, "a reply could not be recorded");
        }
    }

    /// True if somebody waits for it.
    fn note_reply(&self, event: &DriverEvent) -> bool {
        let Some(ticket) = event.ticket() else { return false };
        let mut known = self.all.known();
        let awaits = |sent: &&mut Sent| sent.ticket == ticket && sent.reply.is_none();
        let sent = known.commands(&self.name).and_then(|commands| commands.iter_mut().find(awaits));
        let Some(sent) = sent else { return false };
        sent.reply = Some(event.clone());
        self.all.0.changed.send_replace(());
        true
    }

    /// Takes the late replies to the commands of a connection that has ended, for the next one.
    pub async fn collect_late_replies(&self, events: &mut mpsc::Receiver<DriverEvent>) {
        let rest = async {
            while self.has_running() {
                let Some(event) = events.recv().await else { break };
                self.record(&event).await;
            }
        };
        let _ = timeout(PATIENCE, rest).await;
        self.give_up();
    }

    fn has_running(&self) -> bool {
        let runs = |sent: &Sent| sent.connection == self.connection && sent.reply.is_none();
        self.all.known().commands(&self.name).is_some_and(|commands| commands.iter().any(runs))
    }

    /// Ends the wait for the replies to the commands of this connection.
    pub fn give_up(&self) {
        if let Some(commands) = self.all.known().commands(&self.name) {
            let own = commands.iter_mut().filter(|sent| sent.connection == self.connection);
            for sent in own {
                let ticket = sent.ticket;
                sent.reply.get_or_insert_with(|| unknown(ticket));
            }
        }
        self.all.0.changed.send_replace(());
    }
}

enum Found {
    Nothing,
    Running,
    Reply(DriverEvent),
}

fn unknown(ticket: Ticket) -> DriverEvent {
    DriverEvent::Refused { ticket, text: NO_REPLY.into() }
}

fn not_recorded(error: &io::Error) -> Localized {
    localized!("NOT done, as it could not be recorded: {error}", "未执行，因为无法记录：{error}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::assert_translated;

    /// A file whose writes fail on demand, after half of the bytes.
    #[derive(Debug, Default)]
    struct Kept {
        text: Mutex<String>,
        is_full: Mutex<bool>,
    }

    impl Kept {
        fn text(&self) -> MutexGuard<'_, String> {
            self.text.lock().unwrap()
        }

        fn check_room(&self) -> io::Result<()> {
            let is_full = *self.is_full.lock().unwrap();
            if is_full { Err(io::Error::from(io::ErrorKind::StorageFull)) } else { Ok(()) }
        }
    }

    impl SessionFile for Kept {
        fn read(&self) -> io::Result<String> {
            Ok(self.text().clone())
        }

        fn append(&self, lines: &str, _synced: bool) -> io::Result<()> {
            let room = self.check_room();
            let written = if room.is_ok() { lines.len() } else { lines.len() / 2 };
            self.text().push_str(lines.get(..written).unwrap());
            room
        }

        fn replace(&self, lines: &str) -> io::Result<()> {
            self.check_room()?;
            lines.clone_into(&mut self.text());
            Ok(())
        }
    }

    async fn none() -> Sessions {
        Sessions::load(Arc::<Kept>::default()).await
    }

    async fn connect(sessions: &Sessions, name: &str) -> Session {
        sessions.connect(name).await.unwrap()
    }

    fn answer(ticket: Ticket) -> Command {
        let dialog = crate::domain::DialogId::main(crate::domain::RootId::new("9z"));
        Command::Say { ticket, dialog, text: "hi".to_owned(), images: Vec::new() }
    }

    fn done(ticket: Ticket) -> DriverEvent {
        DriverEvent::Done { ticket, dialog: None }
    }

    /// The reply to a command that came before; a new one is passed to the driver.
    async fn earlier_reply(session: &Session, ticket: Ticket) -> Option<DriverEvent> {
        match session.admit(&answer(ticket)).await {
            Admission::New(admitted) => {
                admitted.passed();
                None
            }
            Admission::Replied(reply) => Some(reply),
        }
    }

    #[tokio::test]
    async fn a_command_that_comes_again_gets_the_reply_it_had() {
        let sessions = none().await;
        let first = connect(&sessions, "a").await;
        assert!(!first.was_known());
        assert_eq!(earlier_reply(&first, 1).await, None);
        first.record(&done(1)).await;
        let second = connect(&sessions, "a").await;
        assert!(second.was_known());
        assert_eq!(earlier_reply(&second, 1).await, Some(done(1)));
        assert_eq!(earlier_reply(&second, 2).await, None);
        // Another client may choose the same tickets, and so may one without a session.
        assert_eq!(earlier_reply(&connect(&sessions, "b").await, 1).await, None);
        assert!(sessions.connect("").await.is_none());
        assert!(sessions.connect(&"x".repeat(MAX_NAME_BYTES + 1)).await.is_none());
    }

    #[tokio::test]
    async fn a_command_that_still_runs_is_waited_for_on_the_next_connection() {
        let sessions = none().await;
        let first = connect(&sessions, "a").await;
        assert_eq!(earlier_reply(&first, 1).await, None);
        let (driver, mut events) = mpsc::channel(4);
        let (superseded, second) = tokio::join!(
            timeout(Duration::from_mins(1), first.superseded()),
            connect(&sessions, "a")
        );
        assert_eq!((superseded, second.was_known()), (Ok(()), true));
        let (reply, (), ()) = tokio::join!(
            earlier_reply(&second, 1),
            first.collect_late_replies(&mut events),
            async {
                driver.send(DriverEvent::Stopped).await.unwrap();
                driver.send(done(1)).await.unwrap();
            }
        );
        assert_eq!(reply, Some(done(1)));
        // The channel is still open: a command with a reply is not waited for.
        drop(driver);
    }

    #[tokio::test(start_paused = true)]
    async fn a_command_whose_reply_never_came_is_refused_and_does_not_run_again() {
        let sessions = none().await;
        let first = connect(&sessions, "a").await;
        assert_eq!(earlier_reply(&first, 7).await, None);
        let (_driver, mut events) = mpsc::channel(4);
        first.collect_late_replies(&mut events).await;
        let again = earlier_reply(&connect(&sessions, "a").await, 7).await;
        assert_eq!(again, Some(unknown(7)));
        assert_translated(&NO_REPLY.into());
    }

    #[tokio::test]
    async fn a_command_that_the_driver_did_not_get_is_new_when_it_comes_again() {
        let sessions = none().await;
        let first = connect(&sessions, "a").await;
        let Admission::New(admitted) = first.admit(&answer(1)).await else { panic!("it is new") };
        drop(admitted);
        assert_eq!(earlier_reply(&first, 1).await, None);
    }

    #[tokio::test]
    async fn only_the_last_sessions_and_commands_are_kept() {
        let sessions = none().await;
        let first = connect(&sessions, "first").await;
        let count = Ticket::try_from(MAX_COMMANDS).unwrap() + 1;
        for ticket in 0..count {
            assert_eq!(earlier_reply(&first, ticket).await, None);
            first.record(&done(ticket)).await;
        }
        assert_eq!(sessions.known().commands("first").unwrap().len(), MAX_COMMANDS);
        for number in 0..MAX_SESSIONS {
            connect(&sessions, &number.to_string()).await;
        }
        assert_eq!(sessions.known().sessions.len(), MAX_SESSIONS);
        assert!(!connect(&sessions, "first").await.was_known());
    }

    /// A driver that is killed at any moment: what its journal has then, cut off at any byte, is what the next one
    /// knows.
    #[tokio::test]
    async fn the_next_driver_carries_out_only_what_the_killed_one_had_not_taken() {
        let file = Arc::<Kept>::default();
        let sessions = Sessions::load(file.clone()).await;
        let client = connect(&sessions, "a").await;
        let mut moments = vec![(file.text().clone(), "connected")];
        assert_eq!(earlier_reply(&client, 1).await, None);
        moments.push((file.text().clone(), "taken"));
        client.record(&done(1)).await;
        moments.push((file.text().clone(), "replied"));
        let mut begun = 0;
        for (text, moment) in moments {
            for end in begun..=text.len() {
                let kept = Kept {
                    text: Mutex::new(text.get(..end).unwrap().to_owned()),
                    ..Kept::default()
                };
                let next = Sessions::load(Arc::new(kept)).await;
                let again = connect(&next, "a").await;
                let reply = earlier_reply(&again, 1).await;
                // A line may be whole even without its line end.
                let is_whole = end + 1 >= text.len();
                match moment {
                    "connected" => {
                        assert_eq!((again.was_known(), reply), (is_whole, None), "{end}");
                    }
                    "taken" => assert_eq!(reply, is_whole.then(|| unknown(1)), "{end}"),
                    _ => {
                        let expected = if is_whole { done(1) } else { unknown(1) };
                        assert_eq!(reply, Some(expected), "{end}");
                    }
                }
            }
            begun = text.len() + 1;
        }
    }

    #[tokio::test]
    async fn what_cannot_be_recorded_is_refused_and_new_when_it_comes_again() {
        let file = Arc::<Kept>::default();
        let sessions = Sessions::load(file.clone()).await;
        let client = connect(&sessions, "a").await;
        *file.is_full.lock().unwrap() = true;
        let Some(DriverEvent::Refused { ticket: 1, text }) = earlier_reply(&client, 1).await else {
            panic!("it is refused")
        };
        assert_translated(&text);
        *file.is_full.lock().unwrap() = false;
        assert_eq!(earlier_reply(&client, 1).await, None);
        // A line after a torn one is still read.
        let next = Sessions::load(file).await;
        assert_eq!(earlier_reply(&connect(&next, "a").await, 1).await, Some(unknown(1)));
    }

    #[tokio::test]
    async fn a_session_that_was_forgotten_is_not_known_by_what_it_sends_afterwards() {
        let file = Arc::<Kept>::default();
        let sessions = Sessions::load(file.clone()).await;
        let forgotten = connect(&sessions, "a").await;
        assert_eq!(earlier_reply(&forgotten, 1).await, None);
        for number in 0..MAX_SESSIONS {
            connect(&sessions, &number.to_string()).await;
        }
        assert_eq!(earlier_reply(&forgotten, 2).await, None);
        let next = Sessions::load(file).await;
        assert!(!connect(&next, "a").await.was_known());
    }

    /// As if the disk was full when the driver started.
    #[tokio::test]
    async fn a_command_that_follows_a_torn_line_in_the_journal_is_known_to_the_next_driver() {
        let torn = "{\"session\":\"a\"}\n{\"session\":\"a\",\"tick";
        let file = Arc::new(Kept { text: Mutex::new(torn.to_owned()), is_full: Mutex::new(true) });
        let sessions = Sessions::load(file.clone()).await;
        *file.is_full.lock().unwrap() = false;
        let client = connect(&sessions, "a").await;
        assert!(client.was_known());
        assert_eq!(earlier_reply(&client, 1).await, None);
        let next = Sessions::load(file).await;
        assert_eq!(earlier_reply(&connect(&next, "a").await, 1).await, Some(unknown(1)));
    }

    #[tokio::test]
    async fn a_long_journal_is_written_anew_with_what_is_known() {
        let file = Arc::<Kept>::default();
        let sessions = Sessions::load(file.clone()).await;
        let client = connect(&sessions, "a").await;
        let text = Localized::same("x".repeat(6_000));
        let reply = |ticket| DriverEvent::Refused { ticket, text: text.clone() };
        for ticket in 0..100 {
            assert_eq!(earlier_reply(&client, ticket).await, None);
            client.record(&reply(ticket)).await;
            assert!(file.text().len() < 6 * 1024 * 1024);
        }
        let next = Sessions::load(file.clone()).await;
        let again = connect(&next, "a").await;
        for ticket in 0..100 {
            assert_eq!(earlier_reply(&again, ticket).await, Some(reply(ticket)));
        }
        // A reply that is too long to be kept counts as unknown.
        assert_eq!(earlier_reply(&again, 900).await, None);
        let text = Localized::same("x".repeat(100_000));
        again.record(&DriverEvent::Refused { ticket: 900, text }).await;
        let next = Sessions::load(file).await;
        assert_eq!(earlier_reply(&connect(&next, "a").await, 900).await, Some(unknown(900)));
    }
}
