//! The loop on a screen in memory, with paused time.

mod connection;
mod programs;
mod stops;
mod stored_drafts;
mod terminal_replies;

use std::cell::Cell;

use futures_util::stream;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::text::Line;

use super::*;
use crate::app::tests::fixture;
use crate::app::{AppOptions, AppStart};
use crate::backend::Drawn;
use crate::bindings;
use crate::copies::testing::MemoryTarget;
use crate::cx::UiSettings;
use crate::domain::text::Localized;
use crate::domain::{Course, DialogId, DisplayState, Lang, Problem, RootId, Stamp};
use crate::draft_writer::{DraftStore, DraftTexts, SessionOnlyDrafts};
use crate::highlight::CodeColours;
use crate::input::Reply;
use crate::links::Links;
use crate::programs::testing::TestHost;
use crate::protocol::{TranscriptPage, TreeRow};
use crate::samples::Shows;
use crate::terminal::MouseUse;
use crate::theme::{Glyphs, Theme};

const CLOCK: Shows = Shows("2026-11-21 12:00:00");

/// Counts frames and records control sequences.
struct Memory {
    terminal: Terminal<TestBackend>,
    frames: usize,
    controls: Vec<u8>,
    repaints: usize,
    ready: bool,
    /// Another program has the terminal.
    lent: bool,
    /// Its reports about the first frames.
    drawn: VecDeque<Drawn>,
    /// The bounds of each frame, with when it was drawn.
    bounds: Vec<(Instant, FrameBounds)>,
    /// The time at which another program, or none, got the terminal.
    away_at: Option<Instant>,
    /// The place of the job, for each check.
    places: VecDeque<JobPlace>,
    looks: Cell<usize>,
    /// How often the process was stopped.
    suspended: usize,
}

impl Memory {
    fn new() -> Self {
        Self {
            terminal: Terminal::new(TestBackend::new(80, 24)).unwrap(),
            frames: 0,
            controls: Vec::new(),
            repaints: 0,
            ready: true,
            lent: false,
            drawn: VecDeque::new(),
            bounds: Vec::new(),
            away_at: None,
            places: VecDeque::new(),
            looks: Cell::new(0),
            suspended: 0,
        }
    }
}

impl Surface for Memory {
    fn is_ready(&self) -> bool {
        self.ready
    }

    fn size(&self) -> Size {
        self.terminal.size().unwrap()
    }

    fn print(&mut self, rows: &[Line<'static>], _: u16) {
        assert_eq!(rows, [], "only an inline screen prints");
    }

    fn draw(
        &mut self,
        bounds: FrameBounds,
        render: &mut dyn FnMut(&mut ratatui::Frame<'_>),
    ) -> io::Result<Drawn> {
        assert!(!self.lent, "nothing is drawn while a program has the terminal");
        self.frames += 1;
        self.terminal.draw(|frame| render(frame)).unwrap();
        self.bounds.push((now(), bounds));
        Ok(self.drawn.pop_front().unwrap_or(Drawn::NOTHING))
    }

    fn resize(&mut self, size: Size) {
        self.terminal.backend_mut().resize(size.width, size.height);
    }

    fn repaint(&mut self) {
        self.repaints += 1;
    }

    fn control(&mut self, control: &Control) {
        self.controls.extend_from_slice(control.bytes());
    }

    fn show_links(&mut self, _: Links) {
        self.controls.extend_from_slice(b"links");
    }

    fn use_mouse(&mut self, wanted: MouseUse) {
        self.control(&Control::mouse(wanted));
    }

    fn suspend(&mut self) -> io::Result<JobPlace> {
        self.away_at = Some(now());
        self.suspended += 1;
        self.lent = self.places.front() == Some(&JobPlace::Background);
        Ok(self.job_place())
    }

    fn continued(&mut self) -> io::Result<JobPlace> {
        self.lent = self.places.front() == Some(&JobPlace::Background);
        self.repaint();
        Ok(self.job_place())
    }

    fn job_place(&self) -> JobPlace {
        let looked = self.looks.replace(self.looks.get() + 1);
        self.places.get(looked).copied().unwrap_or(JobPlace::Foreground)
    }

    fn lend(&mut self) -> io::Result<()> {
        assert!(!std::mem::replace(&mut self.lent, true));
        self.away_at = Some(now());
        Ok(())
    }

    fn take_back(&mut self) -> io::Result<()> {
        assert!(std::mem::take(&mut self.lent));
        self.repaint();
        Ok(())
    }

    fn last_write(&self) -> Duration {
        Duration::ZERO
    }
}

fn app() -> App {
    App::new(AppOptions {
        undo_answers: Duration::ZERO,
        ui: UiSettings {
            theme: Theme::plain(),
            glyphs: Glyphs::UTF8,
            keymap: bindings::defaults(),
            lang: Lang::En,
            colours: CodeColours::off(),
            links: Links::default(),
        },
        clock: Arc::new(CLOCK),
        drafts: DraftTexts::new(),
        moment: now(),
        start: AppStart::default(),
    })
}

const OPTIONS: RunOptions = RunOptions {
    grace: Duration::from_secs(3),
    multiplexer: Multiplexer::None,
    links: LinkUse::Auto,
    without_terminal: Leave::Quit,
};

fn press(c: char) -> Input {
    Event::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)).into()
}

/// Keys, each after a pause, and then silence.
fn typing(keys: Vec<(u64, Input)>) -> impl Stream<Item = io::Result<Input>> + Unpin {
    let typed = stream::iter(keys).then(|(millis, event)| async move {
        tokio::time::sleep(Duration::from_millis(millis)).await;
        Ok(event)
    });
    Box::pin(typed.chain(stream::pending()))
}

struct Driver {
    commands: mpsc::Receiver<Command>,
    events: mpsc::Sender<DriverEvent>,
}

/// Runs until `script` ends the driver's side or the loop ends by itself.
async fn play<F>(
    surface: &mut Memory,
    keys: Vec<(u64, Input)>,
    capacity: usize,
    script: impl FnOnce(Driver) -> F,
) -> (io::Result<RunEnd>, F::Output)
where
    F: Future,
{
    let (to_driver, commands) = mpsc::channel(capacity);
    let (events, from_driver) = mpsc::channel(64);
    let channels = Channels {
        input: typing(keys),
        commands: to_driver,
        events: from_driver,
        looks: mpsc::channel(1).1,
        shutdown: std::future::pending(),
        stops: stream::pending(),
        written: Arc::new(Notify::new()),
        drafts: DraftWriter::start(SessionOnlyDrafts).unwrap(),
        copies: CopyMaker::start(MemoryTarget::Takes).unwrap(),
        programs: Arc::new(TestHost::default()),
    };
    let mut app = app();
    tokio::join!(run(&mut app, surface, channels, OPTIONS), script(Driver { commands, events }))
}

async fn sleep(millis: u64) {
    tokio::time::sleep(Duration::from_millis(millis)).await;
}

#[tokio::test(start_paused = true)]
async fn a_burst_of_events_is_one_frame_and_silence_is_none() {
    let mut surface = Memory::new();
    let (outcome, ()) = play(&mut surface, Vec::new(), 4, |driver| async move {
        sleep(100).await;
        for n in 0..50 {
            driver.events.send(DriverEvent::Notice(Localized::same(n.to_string()))).await.unwrap();
        }
        sleep(3_000).await;
        driver.events.send(DriverEvent::Stopped).await.unwrap();
    })
    .await;
    assert_eq!(outcome.unwrap(), RunEnd::Settled);
    assert!((2..=4).contains(&surface.frames), "{} frames", surface.frames);
}

fn idle_row(dialog: &DialogId) -> TreeRow {
    TreeRow {
        dialog: dialog.clone(),
        asker: None,
        agent: "lead".into(),
        slug: None,
        taskdoc: "t.tsk".to_owned(),
        state: DisplayState::Idle,
        course: crate::domain::Course::FIRST,
        genseq: crate::domain::Genseq(1),
        created_at: Stamp::default(),
        last_modified: Stamp::default(),
        questions: 0,
        pending: 0,
        title: String::new(),
        reasoning: None,
        context_percent: None,
        context_level: None,
        keep_going: None,
        history: false,
        layout: None,
        queued: std::sync::Arc::default(),
        unreviewed: 0,
        retrying: false,
        model: None,
        autonomy: None,
    }
}

#[tokio::test(start_paused = true)]
async fn an_idle_screen_draws_once_a_minute_at_most() {
    let mut surface = Memory::new();
    let row = idle_row(&DialogId::main(RootId::new("a")));
    let (outcome, ()) = play(&mut surface, Vec::new(), 4, |driver| async move {
        driver.events.send(DriverEvent::Rows(vec![row])).await.unwrap();
        sleep(600_000).await;
        driver.events.send(DriverEvent::Stopped).await.unwrap();
    })
    .await;
    assert_eq!(outcome.unwrap(), RunEnd::Settled);
    assert!((9..=13).contains(&surface.frames), "{} frames", surface.frames);
}

#[tokio::test(start_paused = true)]
async fn a_full_queue_keeps_the_command_and_sends_it_later() {
    let mut surface = Memory::new();
    let continue_all = || (10, press('C'));
    let keys = vec![continue_all(), continue_all(), continue_all()];
    let (outcome, count) = play(&mut surface, keys, 1, |mut driver| async move {
        sleep(500).await;
        let mut count = 0;
        while let Ok(Some(command)) =
            tokio::time::timeout(Duration::from_secs(1), driver.commands.recv()).await
        {
            count += usize::from(matches!(command, Command::ContinueAll { .. }));
        }
        driver.events.send(DriverEvent::Stopped).await.unwrap();
        count
    })
    .await;
    assert_eq!((outcome.unwrap(), count), (RunEnd::Settled, 3));
}

#[tokio::test(start_paused = true)]
async fn quitting_waits_for_the_driver_but_not_longer_than_its_grace_period() {
    for settles in [true, false] {
        let mut surface = Memory::new();
        let (outcome, asked) =
            play(&mut surface, vec![(10, press('q'))], 4, |mut driver| async move {
                let asked = driver.commands.recv().await;
                if settles {
                    sleep(1_000).await;
                    driver.events.send(DriverEvent::Stopped).await.unwrap();
                } else {
                    sleep(60_000).await;
                }
                asked
            })
            .await;
        let expected = if settles { RunEnd::Settled } else { RunEnd::Abandoned };
        assert_eq!(outcome.unwrap(), expected);
        assert_eq!(asked, Some(Command::Shutdown { grace: OPTIONS.grace }));
    }
}

/// Lets two questions come after these replies of the terminal; returns the bytes sent to it.
async fn rung_after(replies: Vec<(u64, Input)>) -> String {
    let mut surface = Memory::new();
    let (outcome, ()) = play(&mut surface, replies, 4, |driver| async move {
        let dialog = DialogId::main(RootId::new("a"));
        let row = |id| fixture::question(&dialog, "lead", id, "Which?", "2026-11-21 12:00:00");
        sleep(100).await;
        driver.events.send(DriverEvent::Inbox(vec![row("q1"), row("q2")])).await.unwrap();
        for question in ["q1", "q2"] {
            let event = DriverEvent::Asked {
                dialog: dialog.clone(),
                question: question.to_owned(),
                headline: "Which?".to_owned(),
            };
            driver.events.send(event).await.unwrap();
        }
        sleep(10_000).await;
        driver.events.send(DriverEvent::Stopped).await.unwrap();
    })
    .await;
    outcome.unwrap();
    String::from_utf8(surface.controls).unwrap()
}

#[tokio::test(start_paused = true)]
async fn new_questions_ring_the_bell_once_and_notify_where_the_terminal_said_how() {
    let notifies = |notifier| (0, Input::Reply(Reply::Notifies(notifier)));
    let title = "\u{1b}]2;(2?) dominds\u{7}";
    for (replies, notification) in [
        (vec![], ""),
        (
            vec![(0, Input::Reply(Reply::Multiplexer(Multiplexer::Tmux)))],
            "\u{1b}Ptmux;\u{1b}\u{1b}]9;dominds: 2 questions: @lead Which?\u{1b}\u{1b}\\\u{1b}\\",
        ),
        (vec![notifies(Notifier::Osc9)], "\u{1b}]9;dominds: 2 questions: @lead Which?\u{1b}\\"),
        (
            vec![notifies(Notifier::Osc99), notifies(Notifier::Osc777)],
            "\u{1b}]99;i=dominds:d=0;dominds\u{1b}\\\u{1b}]99;i=dominds:d=1:p=body:e=1;MiBxdWVzdGlvbnM6IEBsZWFkIFdoaWNoPw==\u{1b}\\",
        ),
    ] {
        assert_eq!(rung_after(replies).await, format!("{title}\u{7}{notification}"));
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_is_rung_for_who_looks_at_the_question() {
    let gained = (0, Event::FocusGained.into());
    assert!(!rung_after(vec![gained.clone()]).await.ends_with("dominds\u{7}\u{7}"));
    let lost = (0, Event::FocusLost.into());
    assert!(rung_after(vec![gained, lost]).await.ends_with("dominds\u{7}\u{7}"));
}

/// Runs a screen until a signal asks it to leave; returns the command to its driver.
async fn left(leave: Leave) -> (RunEnd, App, Option<Command>) {
    let (to_driver, mut commands) = mpsc::channel(4);
    let (events, from_driver) = mpsc::channel(4);
    let channels = Channels {
        input: typing(Vec::new()),
        commands: to_driver,
        events: from_driver,
        looks: mpsc::channel(1).1,
        shutdown: sleep(50).map(|()| leave),
        stops: stream::pending(),
        written: Arc::new(Notify::new()),
        drafts: DraftWriter::start(SessionOnlyDrafts).unwrap(),
        copies: CopyMaker::start(MemoryTarget::Takes).unwrap(),
        programs: Arc::new(TestHost::default()),
    };
    let (mut app, mut surface) = (app(), Memory::new());
    let driver = async {
        let asked = commands.recv().await;
        // A screen that was left reads no more.
        let _ = events.send(DriverEvent::Stopped).await;
        asked
    };
    let (outcome, asked) = tokio::join!(run(&mut app, &mut surface, channels, OPTIONS), driver);
    (outcome.unwrap(), app, asked)
}

#[tokio::test(start_paused = true)]
async fn a_signal_to_end_shuts_the_driver_down() {
    let (outcome, app, asked) = left(Leave::Quit).await;
    assert_eq!((outcome, app.summary().has_detached), (RunEnd::Settled, false));
    assert!(matches!(asked, Some(Command::Shutdown { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_screen_that_is_left_does_not_end_its_driver() {
    let (outcome, app, asked) = left(Leave::Detach).await;
    assert_eq!((outcome, app.summary().has_detached), (RunEnd::Detached, true));
    assert_eq!(asked, None, "the channel closes without a command");
}

/// A screen that does not accept frames for a while shows the newest state, not the missed frames.
#[tokio::test(start_paused = true)]
async fn a_stalled_terminal_gets_no_frames_and_keeps_nothing_waiting() {
    let mut surface = Memory::new();
    surface.ready = false;
    let (outcome, ()) = play(&mut surface, vec![(10, press('j'))], 4, |driver| async move {
        for n in 0..1_000 {
            driver.events.send(DriverEvent::Notice(Localized::same(n.to_string()))).await.unwrap();
        }
        driver.events.send(DriverEvent::Stopped).await.unwrap();
    })
    .await;
    assert_eq!((outcome.unwrap(), surface.frames), (RunEnd::Settled, 0));
}

/// Reports each draft it stores, one per permit.
struct GatedDisk {
    permits: std::sync::mpsc::Receiver<()>,
    stored: std::sync::mpsc::Sender<(String, String)>,
}

impl DraftStore for GatedDisk {
    fn save(&mut self, name: &str, text: &str) -> Result<(), Problem> {
        let _ = self.permits.recv_timeout(Duration::from_secs(20));
        let _ = self.stored.send((name.to_owned(), text.to_owned()));
        Ok(())
    }
}

#[tokio::test]
async fn a_copy_goes_to_the_terminal_at_once_and_what_became_of_it_is_shown() {
    for (target, shown) in [
        (MemoryTarget::NoProgram, "sent 5 B to the terminal's clipboard"),
        (MemoryTarget::Takes, "clipboard and to clip"),
        (MemoryTarget::Refuses, "clip did not take it: timed out"),
    ] {
        let (mut surface, mut app) = (Memory::new(), with_dialog());
        let (to_driver, _commands) = mpsc::channel(4);
        let (events, from_driver) = mpsc::channel(4);
        let channels = Channels {
            input: typing(vec![(1, press('3')), (1, press('y'))]),
            commands: to_driver,
            events: from_driver,
            looks: mpsc::channel(1).1,
            shutdown: std::future::pending(),
            stops: stream::pending(),
            written: Arc::new(Notify::new()),
            drafts: DraftWriter::start(SessionOnlyDrafts).unwrap(),
            copies: CopyMaker::start(target).unwrap(),
            programs: Arc::new(TestHost::default()),
        };
        let driver = async {
            // Two frames of events, and time for a busy machine.
            sleep(800).await;
            events.send(DriverEvent::Stopped).await.unwrap();
        };
        let (outcome, ()) = tokio::join!(run(&mut app, &mut surface, channels, OPTIONS), driver);
        assert_eq!(outcome.unwrap(), RunEnd::Settled);
        assert_eq!(surface.controls, b"\x1b]52;c;aGVsbG8=\x07");
        let buffer = surface.terminal.backend().buffer();
        let text: String = buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect();
        assert!(text.contains(shown), "{text}");
    }
}

/// An app with an open dialog that says `hello`.
fn with_dialog() -> App {
    let (mut app, dialog) = (app(), DialogId::main(RootId::new("a")));
    app.apply(DriverEvent::Inbox(Vec::new()));
    let sent = app.apply(DriverEvent::Rows(vec![idle_row(&dialog)]));
    let ticket = sent.iter().find_map(|command| {
        let Command::Open { ticket, .. } = command else { return None };
        Some(*ticket)
    });
    let page = TranscriptPage {
        dialog,
        agent: "lead".into(),
        course: Course::FIRST,
        courses: Course::FIRST,
        first_line: 0,
        entries: vec![fixture::entry(&fixture::words("hello"))],
    };
    app.apply(DriverEvent::Page { ticket: ticket.expect("an open"), page: Box::new(page) });
    app
}
