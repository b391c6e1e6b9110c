//! Clients of a running driver over its socket, in this process: the events they get, and their rights.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a test, its functions included, fails by panicking"
)]

mod bounds;
mod hostile_clients;
mod many_clients;
mod meant;
pub mod sessions;
mod turns;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use dominds_tui::app::StoredSessions;
use dominds_tui::domain::{DialogId, Stamp};
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::wire::{
    self, Audience, FrameDecoder, FromDriver, Hello, LONGEST_FROM_DRIVER,
};
use dominds_tui::protocol::{Command, DriverEvent, InboxRow, QuietOutcome};
use dominds_tui::remote::{
    About, ConnectError, Connection, Leaving, Place, Server, UserFolders, connect,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;

use crate::common::record_lines::record_lines;
use crate::common::wait::{in_time, output};
use crate::common::{Running, World};

/// Each call asks something else: an answered question is not asked again.
fn ask(id: &str) -> Reply {
    Reply::call(id, "askHuman", &format!(r#"{{"tellaskContent":"Which colour for {id}?"}}"#))
}

fn hello(name: &str, audience: Audience) -> Hello {
    Hello::new(audience, name)
}

/// A driver that listens.
struct Stage {
    world: World,
    running: Running,
    server: Option<Server>,
    folders: tempfile::TempDir,
}

impl Stage {
    /// Makes a stage with one open question.
    async fn asking() -> (Self, DialogId) {
        let models =
            Sequence::new().reply("lead", ask("q")).reply("lead", Reply::saying("Blue then."));
        Self::with(models).await
    }

    /// Makes a stage with a team that asks at first.
    async fn with(models: Sequence) -> (Self, DialogId) {
        Self::begun(World::new(models), QuietOutcome::QuestionWaits).await
    }

    /// Makes a stage with a dialog that has become quiet.
    async fn begun(world: World, outcome: QuietOutcome) -> (Self, DialogId) {
        let mut running = world.start().await;
        let dialog = running.begin("Paint").await.expect("a dialog");
        assert_eq!(running.quiet().await, outcome);
        let folders = tempfile::tempdir().expect("a folder");
        let mut stage = Self { world, running, server: None, folders };
        stage.server = Some(stage.listen());
        (stage, dialog)
    }

    fn place(&self) -> Place {
        use std::os::unix::fs::DirBuilderExt as _;
        let runtime = self.folders.path().join("run");
        if !runtime.exists() {
            std::fs::DirBuilder::new().mode(0o700).create(&runtime).expect("a folder");
        }
        let state = Some(self.folders.path().join("state"));
        Place::of(self.world.path(), UserFolders { runtime: Some(runtime), state })
    }

    fn listen(&self) -> Server {
        let since = Stamp::new("2026-11-21 12:00:00");
        let about = About { workspace: "~/work".to_owned(), since, level: None };
        let sessions = Arc::new(StoredSessions(self.running.store.clone()));
        Server::start(self.place(), self.running.driver.clients(), about, sessions)
            .expect("a socket")
    }

    fn socket(&self) -> PathBuf {
        self.server.as_ref().expect("a server").socket().to_owned()
    }

    async fn join(&self, hello: Hello) -> Client {
        let joined = in_time(connect(&self.place(), hello, Leaving::DriverStays)).await;
        Client { connection: joined.expect("a connection"), seen: Vec::new() }
    }

    async fn screen(&self, name: &str) -> Client {
        self.join(hello(name, Audience::Screen)).await
    }

    /// The driver is killed, and the next one listens.
    async fn killed_and_started(self) -> Self {
        let Self { world, running, server, folders } = self;
        drop(server);
        running.kill().await;
        let running = world.start().await;
        let mut stage = Self { world, running, server: None, folders };
        stage.server = Some(stage.listen());
        stage
    }

    /// Checks that the driver still works at the end of a test.
    async fn end(mut self) {
        self.running.send(Command::Shutdown { grace: Duration::from_secs(3) }).await;
        while self.running.event().await != DriverEvent::Stopped {}
        self.server.take().expect("a server").close().await;
    }
}

struct Client {
    connection: Connection,
    seen: Vec<DriverEvent>,
}

impl Client {
    async fn event(&mut self) -> DriverEvent {
        let event = in_time(self.connection.events.recv()).await.expect("a driver that goes on");
        self.seen.push(event.clone());
        event
    }

    async fn until(&mut self, is_it: impl Fn(&DriverEvent) -> bool) -> DriverEvent {
        loop {
            let event = self.event().await;
            if is_it(&event) {
                return event;
            }
        }
    }

    async fn question(&mut self) -> InboxRow {
        let listed =
            |event: &DriverEvent| matches!(event, DriverEvent::Inbox(all) if !all.is_empty());
        let DriverEvent::Inbox(all) = self.until(listed).await else { panic!("no inbox") };
        all.into_iter().next().expect("a question")
    }

    async fn send(&mut self, command: Command) {
        self.connection.commands.send(command).await.expect("a connection");
    }

    async fn answer(&mut self, row: &InboxRow, ticket: u64, text: &str) -> Result<(), String> {
        let (dialog, question) = (row.dialog.clone(), row.question.id.clone());
        let text = text.to_owned();
        self.send(Command::Answer { ticket, dialog, question, text, images: Vec::new() }).await;
        let is_reply = |event: &DriverEvent| event.ticket() == Some(ticket);
        if let DriverEvent::Refused { text, .. } = self.until(is_reply).await {
            return Err(text.to_string());
        }
        Ok(())
    }
}

#[tokio::test]
async fn a_client_that_joins_is_first_told_everything_and_its_answer_counts_once() {
    let (stage, dialog) = Stage::asking().await;
    let (mut one, mut two) = (stage.screen("pts/1").await, stage.screen("pts/2").await);
    let row = one.question().await;
    assert_eq!(row, two.question().await);
    assert_eq!(row.dialog, dialog);
    let listed = |event: &DriverEvent| matches!(event, DriverEvent::Rows(rows) if rows.len() == 1);
    assert!(one.seen.iter().any(listed), "{:?}", one.seen);
    // Tickets are per client, so they may be equal.
    let (first, second) = tokio::join!(one.answer(&row, 7, "blue"), two.answer(&row, 7, "red"));
    assert_ne!(first.is_ok(), second.is_ok(), "{first:?} {second:?}");
    stage.end().await;
}

#[tokio::test]
async fn the_others_are_told_who_answered() {
    let (stage, _) = Stage::asking().await;
    let (mut one, mut two) = (stage.screen("pts/1").await, stage.screen("pts/2").await);
    let row = one.question().await;
    one.answer(&row, 1, "blue").await.expect("an answer");
    let answered = |event: &DriverEvent| matches!(event, DriverEvent::Answered { .. });
    let DriverEvent::Answered { question, by, .. } = two.until(answered).await else {
        panic!("another event")
    };
    assert_eq!((question, by.as_deref()), (row.question.id.clone(), Some("pts/1")));
    let own = one.seen.iter().find(|event| answered(event)).cloned();
    let own = match own {
        Some(own) => own,
        None => one.until(answered).await,
    };
    assert!(matches!(own, DriverEvent::Answered { by: None, .. }), "{own:?}");
    stage.end().await;
}

#[tokio::test]
async fn a_script_learns_the_end_of_the_tree_it_asked_for() {
    let (stage, dialog) = Stage::asking().await;
    let mut script = stage.join(hello("a command", Audience::Script)).await;
    let row = script.question().await;
    script.answer(&row, 1, "blue").await.expect("an answer");
    let quiet = |event: &DriverEvent| matches!(event, DriverEvent::TreeQuiet { .. });
    let DriverEvent::TreeQuiet { root, outcome, halted } = script.until(quiet).await else {
        panic!("another event")
    };
    assert_eq!((root, outcome, halted), (dialog.root, QuietOutcome::Done, Vec::new()));
    stage.end().await;
}

#[tokio::test]
async fn a_client_that_only_views_changes_nothing() {
    let (stage, _) = Stage::asking().await;
    let mut viewer = stage.join(Hello { view: true, ..hello("pts/1", Audience::Screen) }).await;
    let row = viewer.question().await;
    let refused = viewer.answer(&row, 1, "blue").await.expect_err("it views");
    assert!(refused.contains("views"), "{refused}");
    let (dialog, text, images) = (row.dialog.clone(), "Now.".to_owned(), Vec::new());
    viewer.send(Command::SayNow { ticket: 2, dialog, text, images }).await;
    viewer.until(|event| matches!(event, DriverEvent::Refused { ticket: 2, .. })).await;
    viewer.send(Command::StopAll).await;
    viewer.send(Command::Shutdown { grace: Duration::ZERO }).await;
    let mut other = stage.screen("pts/2").await;
    assert_eq!(other.question().await, row);
    stage.end().await;
}

#[tokio::test]
async fn a_command_that_the_driver_started_is_not_let_in() {
    let (stage, _) = Stage::asking().await;
    let (workspace, runtime) = (stage.world.path().to_owned(), stage.folders.path().join("run"));
    let home = stage.folders.path().to_owned();
    let asked = tokio::task::spawn_blocking(move || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_dominds-tui"));
        command.arg("-C").arg(workspace).args(["stop", "--all"]).env_clear();
        output(command.env("XDG_RUNTIME_DIR", runtime).env("HOME", &home))
    });
    let refused = asked.await.expect("an end");
    assert_eq!(refused.status.code(), Some(5), "{refused:?}");
    let text = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(text.contains("commands that the driver itself started"), "{text}");
    stage.end().await;
}

#[tokio::test]
async fn what_a_client_keeps_for_the_person_is_there_for_the_next_one() {
    let (stage, _) = Stage::asking().await;
    let mut one = stage.screen("pts/1").await;
    let mut texts = one.connection.take_texts();
    texts.save("answer:q", "half an ans").await.expect("a draft");
    let mut two = stage.screen("pts/2").await;
    let read = two.connection.take_texts().read().await.expect("drafts");
    assert_eq!(read.get("answer:q").map(String::as_str), Some("half an ans"));
    stage.end().await;
}

#[tokio::test]
async fn a_client_that_leaves_waits_for_its_acknowledgements_and_the_driver_goes_on() {
    let (stage, _) = Stage::asking().await;
    let mut one = stage.screen("pts/1").await;
    let row = one.question().await;
    let (dialog, question) = (row.dialog.clone(), row.question.id.clone());
    let answer = Command::Answer {
        ticket: 1,
        dialog,
        question,
        text: "blue".to_owned(),
        images: Vec::new(),
    };
    one.send(answer).await;
    one.send(Command::Shutdown { grace: Duration::from_secs(20) }).await;
    one.until(|event| *event == DriverEvent::Stopped).await;
    let done = |event: &DriverEvent| matches!(event, DriverEvent::Done { ticket: 1, .. });
    assert!(one.seen.iter().any(done), "{:?}", one.seen);
    drop(stage.screen("pts/2").await);
    stage.end().await;
}

/// A connection that sends arbitrary bytes.
struct Raw {
    stream: UnixStream,
    decoder: FrameDecoder,
}

impl Raw {
    async fn connect(stage: &Stage) -> Self {
        let stream = UnixStream::connect(stage.socket()).await.expect("a connection");
        Self { stream, decoder: FrameDecoder::new(LONGEST_FROM_DRIVER) }
    }

    async fn greeted(stage: &Stage) -> Self {
        Self::greeted_as(stage, &hello("raw", Audience::Screen)).await
    }

    async fn greeted_as(stage: &Stage, hello: &Hello) -> Self {
        let mut raw = Self::connect(stage).await;
        let hello = wire::encode_hello(hello).expect("a frame");
        raw.stream.write_all(&hello).await.expect("a driver that reads");
        assert!(matches!(raw.next().await, Some(FromDriver::Welcome(_))));
        raw
    }

    /// `None` at the end of the connection.
    async fn next(&mut self) -> Option<FromDriver> {
        let mut bytes = [0; 1];
        loop {
            let read = in_time(self.stream.read(&mut bytes)).await.unwrap_or(0);
            if read == 0 {
                return None;
            }
            let body = self.decoder.take(&mut &bytes[..]).expect("frames of a driver");
            if let Some(body) = body {
                return Some(wire::decode_from_driver(&body).expect("a message"));
            }
        }
    }

    async fn end(mut self) {
        while self.next().await.is_some() {}
    }
}

#[tokio::test]
async fn a_client_of_another_version_is_told_which_side_is_older() {
    let (stage, _) = Stage::asking().await;
    let newer = Hello { protocol: 9, oldest: 9, ..hello("pts/1", Audience::Screen) };
    let refused = connect(&stage.place(), newer, Leaving::DriverStays).await;
    match refused {
        Err(ConnectError::Older(reason)) => {
            assert!(reason.to_string().starts_with("the driver is older"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
    stage.end().await;
}

#[tokio::test]
async fn a_socket_of_a_driver_that_has_ended_is_in_nobodys_way() {
    let (mut stage, _) = Stage::asking().await;
    let socket = stage.socket();
    drop(stage.server.take());
    assert!(socket.exists(), "as after a kill");
    let nobody = hello("pts/1", Audience::Screen);
    let found = connect(&stage.place(), nobody, Leaving::DriverStays).await;
    assert!(matches!(found, Err(ConnectError::Nobody)), "{found:?}");
    stage.server = Some(stage.listen());
    stage.screen("pts/1").await.question().await;
    stage.end().await;
    assert!(!socket.exists());
}

/// Bytes that a process has in memory.
fn memory(pid: u64) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
    line.trim_end_matches("kB").trim().parse::<u64>().expect("a number") * 1024
}

#[tokio::test]
async fn fifty_screens_are_each_sent_what_they_show_and_all_are_told_of_an_answer() {
    let (stage, dialog) = Stage::asking().await;
    let mut screens = Vec::new();
    for number in 0..50 {
        let mut screen = stage.screen(&format!("pts/{number}")).await;
        screen.send(Command::Open { ticket: 1, dialog: dialog.clone(), course: None }).await;
        screen.until(|event| matches!(event, DriverEvent::Page { ticket: 1, .. })).await;
        screens.push(screen);
    }
    // It stops reading here.
    let silent = screens.pop().expect("a screen");
    let row = screens.first_mut().expect("a screen").question_seen();
    let first = screens.first_mut().expect("a screen");
    first.answer(&row, 2, "blue").await.expect("an answer");
    for screen in &mut screens {
        screen.until_seen(|event| matches!(event, DriverEvent::Answered { .. })).await;
        screen.until_seen(says_blue).await;
    }
    drop(silent);
    stage.end().await;
}

fn says_blue(event: &DriverEvent) -> bool {
    let DriverEvent::Fact(fact) = event else { return false };
    format!("{:?}", fact.entry()).contains("Blue then.")
}

impl Client {
    fn question_seen(&self) -> InboxRow {
        let listed = self.seen.iter().rev().find_map(|event| {
            let DriverEvent::Inbox(all) = event else { return None };
            all.first().cloned()
        });
        listed.expect("a question")
    }

    /// Waits for an event that may have come already.
    async fn until_seen(&mut self, is_it: impl Fn(&DriverEvent) -> bool) {
        if !self.seen.iter().any(&is_it) {
            self.until(is_it).await;
        }
    }
}

#[tokio::test]
async fn of_a_thousand_lines_that_are_cut_no_answer_is_lost_and_none_is_doubled() {
    const QUESTIONS: usize = 250;
    const LINES: usize = 4;
    let asked = (0..QUESTIONS)
        .fold(Sequence::new(), |all, number| all.reply("lead", ask(&format!("q{number}"))));
    let (stage, dialog) = Stage::with(asked.reply("lead", Reply::saying("Done."))).await;
    let mut random = fastrand::Rng::with_seed(29);
    let mut own = stage.screen("pts/1").await;
    let mut row = own.question().await;
    for number in 0..QUESTIONS {
        let mut acknowledged = 0;
        for _ in 0..LINES {
            acknowledged += usize::from(answer_and_cut(&stage, &row, &mut random).await);
        }
        let ticket = u64::try_from(number).expect("a number") + 1;
        let last = own.answer(&row, ticket, "own").await;
        acknowledged += usize::from(last.is_ok());
        assert!(acknowledged <= 1, "an answer counts once: {row:?}");
        if number + 1 < QUESTIONS {
            let known = row.question.id.clone();
            let is_next = |event: &DriverEvent| matches!(event, DriverEvent::Inbox(all) if all.iter().any(|one| one.question.id != known));
            own.until_seen(is_next).await;
            row = own.question_seen();
        }
        own.seen.clear();
    }
    own.until(|event| *event == DriverEvent::Quiet(QuietOutcome::Done)).await;
    let lines = record_lines(&stage.world.view(), &dialog);
    for number in 0..QUESTIONS {
        let answered = format!("answered q{number}");
        assert_eq!(lines.iter().filter(|line| **line == answered).count(), 1, "{answered}");
    }
    stage.end().await;
}

/// Answers on a line of its own, which is cut at any moment; true if it was acknowledged before.
async fn answer_and_cut(stage: &Stage, row: &InboxRow, random: &mut fastrand::Rng) -> bool {
    let answer = Command::Answer {
        ticket: 1,
        dialog: row.dialog.clone(),
        question: row.question.id.clone(),
        text: "cut".to_owned(),
        images: Vec::new(),
    };
    let reply = send_and_cut(stage, hello("cut", Audience::Screen), &answer, random).await;
    matches!(reply, Some(DriverEvent::Done { .. }))
}

/// Connects, sends a command and cuts the line at any moment; the reply, if it came before.
async fn send_and_cut(
    stage: &Stage,
    hello: Hello,
    command: &Command,
    random: &mut fastrand::Rng,
) -> Option<DriverEvent> {
    let greeting = wire::encode_hello(&hello).expect("a frame");
    let bytes = [greeting, wire::encode_command(command).expect("a frame")].concat();
    let end = if random.bool() { bytes.len() } else { random.usize(..bytes.len()) };
    let mut raw = Raw::connect(stage).await;
    raw.stream.write_all(bytes.get(..end).expect("a part")).await.ok()?;
    if end < bytes.len() {
        return None;
    }
    // The number of messages to read before the cut.
    for _ in 0..random.usize(..30) {
        if let FromDriver::Event(event) = raw.next().await?
            && event.ticket() == command.ticket()
        {
            return Some(*event);
        }
    }
    None
}
