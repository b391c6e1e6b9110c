//! A program has the terminal.

use super::*;
use crate::backend::StatusQuestion;
use crate::protocol::InboxRow;

/// Edits a draft `x` with a program; `driver` decides what happens meanwhile. Returns the stored texts.
async fn edited<F: Future<Output = ()>>(
    host: TestHost,
    surface: &mut Memory,
    shutdown: impl Future<Output = ()>,
    driver: impl FnOnce(Driver) -> F,
) -> Vec<String> {
    let ctrl_e = Event::Key(KeyEvent::new(KeyCode::Char('e'), KeyModifiers::CONTROL));
    let keys = vec![press('i'), press('x'), ctrl_e.into()];
    lent(keys, Vec::new(), host, surface, shutdown, driver).await
}

/// The keys give the terminal to a program, after a frame with these questions.
async fn lent<F: Future<Output = ()>>(
    keys: Vec<Input>,
    inbox: Vec<InboxRow>,
    host: TestHost,
    surface: &mut Memory,
    shutdown: impl Future<Output = ()>,
    driver: impl FnOnce(Driver) -> F,
) -> Vec<String> {
    let keys = keys.into_iter().map(|key| (0, key)).collect();
    lent_to(keys, inbox, host, surface, shutdown, driver).await
}

/// As `lent`, with keys that come after these milliseconds.
async fn lent_to<F: Future<Output = ()>>(
    keys: Vec<(u64, Input)>,
    inbox: Vec<InboxRow>,
    host: TestHost,
    surface: &mut Memory,
    shutdown: impl Future<Output = ()>,
    driver: impl FnOnce(Driver) -> F,
) -> Vec<String> {
    let ((_, permits), (stored, drafts)) = (std::sync::mpsc::channel(), std::sync::mpsc::channel());
    let (to_driver, commands) = mpsc::channel(16);
    let (events, from_driver) = mpsc::channel(64);
    let channels = Channels {
        input: typing(keys),
        commands: to_driver,
        events: from_driver,
        looks: mpsc::channel(1).1,
        shutdown: shutdown.map(|()| Leave::Quit),
        stops: stream::pending(),
        written: Arc::new(Notify::new()),
        drafts: DraftWriter::start(GatedDisk { permits, stored }).unwrap(),
        copies: CopyMaker::start(MemoryTarget::Takes).unwrap(),
        programs: Arc::new(host),
    };
    let mut app = app();
    app.apply(DriverEvent::Inbox(Vec::new()));
    app.apply(DriverEvent::Rows(vec![idle_row(&DialogId::main(RootId::new("a")))]));
    // No earlier: the first question would take the keys for its answer.
    app.apply(DriverEvent::Inbox(inbox));
    let script = driver(Driver { commands, events });
    let (outcome, ()) = tokio::join!(run(&mut app, surface, channels, OPTIONS), script);
    assert_eq!(outcome.unwrap(), RunEnd::Settled);
    drafts.try_iter().map(|(_, text)| text).collect()
}

async fn in_time<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(Duration::from_secs(20), future).await.unwrap()
}

#[tokio::test]
async fn a_program_has_the_terminal_alone_and_what_it_leaves_is_the_draft() {
    for (status, expected) in [(0, "edited"), (3, "x")] {
        let folder = tempfile::tempdir().unwrap();
        let fifo = fifo_in(folder.path());
        let script = format!("read line < {}; exit {status}", fifo.display());
        let host = TestHost { found: Some("edited"), ..TestHost::shell(&script) };
        let finished = host.finished.clone();
        let mut surface = Memory::new();
        let stored = edited(host, &mut surface, std::future::pending(), |driver| async move {
            // The program waits for a line, and meanwhile more events come than the channel holds.
            let open = tokio::task::spawn_blocking(move || {
                std::fs::OpenOptions::new().write(true).open(fifo)
            });
            let mut pipe = in_time(open).await.unwrap().unwrap();
            for n in 0..200 {
                let event = DriverEvent::Notice(Localized::same(n.to_string()));
                in_time(driver.events.send(event)).await.unwrap();
            }
            std::io::Write::write_all(&mut pipe, b"go\n").unwrap();
            in_time(finished.notified()).await;
            driver.events.send(DriverEvent::Stopped).await.unwrap();
        })
        .await;
        assert_eq!(stored.last().map(String::as_str), Some(expected), "{stored:?}");
        assert!(!surface.lent && surface.repaints > 0);
    }
}

#[tokio::test]
async fn a_program_gets_the_terminal_once_no_reply_is_to_come() {
    let host = TestHost::shell("true");
    let finished = host.finished.clone();
    let mut surface = Memory::new();
    let bounds = Drawn { bytes: 4_000, asked: StatusQuestion::After, complete: true };
    surface.drawn = VecDeque::from([bounds]);
    let ctrl_e = Event::Key(KeyEvent::new(KeyCode::Char('e'), KeyModifiers::CONTROL));
    let reply = Input::Reply(Reply::Status);
    let keys = [(0, press('i')), (0, press('x')), (0, ctrl_e.into()), (200, reply)];
    let start = now();
    lent_to(
        keys.to_vec(),
        Vec::new(),
        host,
        &mut surface,
        std::future::pending(),
        |driver| async move {
            in_time(finished.notified()).await;
            driver.events.send(DriverEvent::Stopped).await.unwrap();
        },
    )
    .await;
    assert!(surface.away_at.unwrap() >= start + Duration::from_millis(200));
}

#[tokio::test]
async fn what_rings_while_a_program_has_the_terminal_rings_once_it_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = fifo_in(folder.path());
    let host = TestHost::shell(&format!("read line < {}", fifo.display()));
    let finished = host.finished.clone();
    let mut surface = Memory::new();
    // Somebody looks at the screen, and then at the pager: the inbox that was in view is not.
    let keys = vec![Event::FocusGained.into(), press('3'), press('O')];
    surface.resize(Size { width: 120, height: 40 });
    let row = |id| {
        let dialog = DialogId::main(RootId::new("a"));
        fixture::question(&dialog, "lead", id, "Which?", "2026-11-21 12:00:00")
    };
    lent(keys, vec![row("q0")], host, &mut surface, std::future::pending(), |driver| async move {
        let open =
            tokio::task::spawn_blocking(move || std::fs::OpenOptions::new().write(true).open(fifo));
        let mut pipe = in_time(open).await.unwrap().unwrap();
        // One is answered elsewhere, and another takes its place.
        let rows = vec![row("q1"), row("q2")];
        in_time(driver.events.send(DriverEvent::Inbox(rows))).await.unwrap();
        let (question, headline) = ("q1".to_owned(), "Which?".to_owned());
        let dialog = row("q1").dialog;
        let asked = DriverEvent::Asked { dialog, question, headline };
        in_time(driver.events.send(asked)).await.unwrap();
        // Longer than what comes together rings together.
        tokio::time::sleep(Duration::from_millis(800)).await;
        std::io::Write::write_all(&mut pipe, b"go\n").unwrap();
        in_time(finished.notified()).await;
        driver.events.send(DriverEvent::Stopped).await.unwrap();
    })
    .await;
    let controls = String::from_utf8(surface.controls).unwrap();
    assert_eq!(controls.matches("(2?) dominds\u{7}\u{7}").count(), 1, "{controls:?}");
}

#[tokio::test]
async fn a_signal_to_end_ends_the_program_too_and_keeps_the_draft() {
    for waits_for_its_end in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let fifo = fifo_in(folder.path());
        let host = TestHost::shell(&format!("echo > {}; exec sleep 60", fifo.display()));
        let finished = host.finished.clone();
        let (signal, ends) = tokio::sync::oneshot::channel::<()>();
        let shutdown = async { ends.await.unwrap() };
        let mut surface = Memory::new();
        let script = |mut driver: Driver| async move {
            let started = tokio::task::spawn_blocking(move || std::fs::read(fifo));
            in_time(started).await.unwrap().unwrap();
            signal.send(()).unwrap();
            while !matches!(in_time(driver.commands.recv()).await, Some(Command::Shutdown { .. })) {
            }
            if waits_for_its_end {
                in_time(finished.notified()).await;
                driver.events.send(DriverEvent::Notice(Localized::same("late"))).await.unwrap();
            }
            driver.events.send(DriverEvent::Stopped).await.unwrap();
        };
        let stored = edited(host, &mut surface, shutdown, script).await;
        assert_eq!(stored.last().map(String::as_str), Some("x"), "{stored:?}");
        assert!(surface.lent, "the screen does not come back");
    }
}

#[tokio::test]
async fn a_program_that_cannot_run_leaves_the_screen_and_the_draft() {
    for program in ["/nonexistent", "/"] {
        let host = TestHost { program, ..TestHost::shell("") };
        let finished = host.finished.clone();
        let mut surface = Memory::new();
        let stored = edited(host, &mut surface, std::future::pending(), |driver| async move {
            in_time(finished.notified()).await;
            driver.events.send(DriverEvent::Stopped).await.unwrap();
        })
        .await;
        assert_eq!(stored.last().map(String::as_str), Some("x"), "{stored:?}");
        assert!(!surface.lent);
    }
}

fn fifo_in(folder: &std::path::Path) -> std::path::PathBuf {
    let path = folder.join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    path
}
