//! Measures a streamed reply: 200 KB in 10,000 chunks through the app and its backend into a sink.
//! Prints CPU time and bytes for the terminal; never fails on them.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    reason = "a benchmark prints, ends at the first error and matches one command"
)]

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dominds_tui::domain::{Clock, Course, DialogId, DisplayState, Genseq, Lang, RootId, Stamp};
use dominds_tui::protocol::event::Segment;
use dominds_tui::protocol::{Command, DriverEvent, TranscriptPage, TreeRow};
use dominds_tui::ui::backend::{self, Capabilities, FrameBounds, ScreenBackend};
use dominds_tui::ui::bindings;
use dominds_tui::ui::highlight::CodeColours;
use dominds_tui::ui::links::Links;
use dominds_tui::ui::theme::{ColorDepth, Glyphs, Theme};
use dominds_tui::ui::{App, AppOptions, AppStart, DraftTexts, UiSettings};
use ratatui::Terminal;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Size;

const TEXT: usize = 200_000;
const CHUNK: usize = 20;
const SIZE: Size = Size { width: 120, height: 40 };

/// 200 chunks per second at 30 frames.
const CHUNKS_PER_FRAME_SLOW: usize = 7;
/// Full speed: the pacer skips most frames.
const CHUNKS_PER_FRAME_FAST: usize = 500;

fn main() {
    let chunks = chunks();
    stream("one frame for each chunk", &chunks, 1);
    stream("one frame for 7 chunks", &chunks, CHUNKS_PER_FRAME_SLOW);
    stream("one frame for 500 chunks", &chunks, CHUNKS_PER_FRAME_FAST);
}

fn stream(name: &str, chunks: &[String], chunks_per_frame: usize) {
    let mut screen = Screen::new();
    let (bytes_before, cpu_before) = (screen.bytes(), cpu());
    let started = Instant::now();
    for part in chunks.chunks(chunks_per_frame) {
        for chunk in part {
            screen.live(chunk);
        }
        screen.frame();
    }
    let (wall, spent) = (started.elapsed(), cpu().saturating_sub(cpu_before));
    let bytes = screen.bytes() - bytes_before;
    let frames = chunks.len().div_ceil(chunks_per_frame);
    let hundredths = bytes * 100 / TEXT;
    println!(
        "{name}: {} ms of processor, {} ms in all, {frames} frames, {}.{:02} bytes for each byte of text",
        spent.as_millis(),
        wall.as_millis(),
        hundredths / 100,
        hundredths % 100
    );
}

#[derive(Debug)]
struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Stamp {
        Stamp::new("2026-11-21 12:03:00")
    }
}

/// Counts the bytes for the terminal.
#[derive(Debug, Default)]
struct Sink(usize);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An app that shows one dialog.
struct Screen {
    app: App,
    terminal: Terminal<ScreenBackend<Sink>>,
}

impl Screen {
    fn new() -> Self {
        let ui = UiSettings {
            theme: Theme::plain(),
            glyphs: Glyphs::UTF8,
            keymap: bindings::defaults(),
            lang: Lang::En,
            colours: CodeColours::on(),
            links: Links::default(),
        };
        let app = App::new(AppOptions {
            undo_answers: std::time::Duration::ZERO,
            ui,
            clock: Arc::new(FixedClock),
            drafts: DraftTexts::new(),
            moment: Instant::now(),
            start: AppStart::default(),
        });
        let ability = Capabilities { depth: ColorDepth::True, utf8: true };
        let backend = ScreenBackend::new(Sink::default(), SIZE, ability);
        let mut screen = Self { app, terminal: Terminal::new(backend).expect("a screen") };
        screen.open();
        screen.frame();
        screen
    }

    /// Opens the dialog and sends the requested page.
    fn open(&mut self) {
        let mut commands = self.app.apply(DriverEvent::Rows(vec![row()]));
        commands.extend(self.app.apply(DriverEvent::Inbox(Vec::new())));
        for key in [KeyCode::Char('g'), KeyCode::Char('j'), KeyCode::Enter] {
            commands.extend(self.app.key(KeyEvent::new(key, KeyModifiers::NONE)));
        }
        let ticket = commands.iter().rev().find_map(|command| match command {
            Command::Open { ticket, .. } => Some(*ticket),
            _ => None,
        });
        let page = TranscriptPage {
            dialog: dialog(),
            agent: "lead".into(),
            course: Course::FIRST,
            courses: Course::FIRST,
            first_line: 0,
            entries: Vec::new(),
        };
        let ticket = ticket.expect("the page is requested");
        self.app.apply(DriverEvent::Page { ticket, page: Box::new(page) });
    }

    fn live(&mut self, text: &str) {
        let (dialog, text) = (dialog(), text.to_owned());
        self.app.apply(DriverEvent::Live { dialog, segment: Segment::Saying, text });
    }

    fn frame(&mut self) {
        let screen = self.app.layout(SIZE);
        backend::draw(&mut self.terminal, FrameBounds::default(), |frame| screen.draw(frame))
            .expect("a frame");
    }

    fn bytes(&self) -> usize {
        self.terminal.backend().writer().0
    }
}

fn dialog() -> DialogId {
    DialogId::main(RootId::new("aa/bb/1"))
}

fn row() -> TreeRow {
    TreeRow {
        dialog: dialog(),
        asker: None,
        agent: "lead".into(),
        slug: None,
        taskdoc: "add-2fa.tsk".to_owned(),
        state: DisplayState::Proceeding,
        course: Course::FIRST,
        genseq: Genseq(1),
        created_at: Stamp::new("2026-11-21 11:58:00"),
        last_modified: Stamp::new("2026-11-21 12:01:00"),
        questions: 0,
        pending: 0,
        history: false,
        layout: None,
        queued: Arc::default(),
        unreviewed: 0,
        retrying: false,
        model: None,
        autonomy: None,
        title: "add 2FA".to_owned(),
        reasoning: None,
        context_percent: None,
        context_level: None,
        keep_going: None,
    }
}

/// English words in paragraphs, always the same.
fn chunks() -> Vec<String> {
    let words = ["the", "login", "handler", "rotates", "a", "cookie", "before", "second", "factor"];
    let mut random = fastrand::Rng::with_seed(1);
    let mut text = String::new();
    while text.len() < TEXT {
        text.push_str(random.choice(words).unwrap_or_default());
        text.push(if random.u8(..) < 3 { '\n' } else { ' ' });
    }
    let parts = text.as_bytes().chunks(CHUNK);
    parts.map(|part| String::from_utf8_lossy(part).into_owned()).collect()
}

/// CPU time of the first thread, which does all the work; zero if unknown.
fn cpu() -> Duration {
    let text = std::fs::read_to_string(Path::new("/proc/self/schedstat")).unwrap_or_default();
    let nanos = text.split_whitespace().next().and_then(|first| first.parse().ok());
    Duration::from_nanos(nanos.unwrap_or_default())
}
