//! Measures a dialog of 5 MB: reading and showing a page of it, scrolling in it, finding a word that stands in
//! its first record alone, and looking through its file as a search of all dialogs does. Prints figures; never
//! fails on them.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    reason = "a benchmark prints, ends at the first error and matches a few commands"
)]

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dominds_tui::domain::text::search_pattern::{JsonSearchPattern, SearchPattern};
use dominds_tui::domain::{
    Bucket, Clock, Course, DialogId, DisplayState, Genseq, Lang, RootId, Stamp,
};
use dominds_tui::protocol::{Command, DriverEvent, TranscriptPage, TreeRow};
use dominds_tui::store::{Access, Look, RealDisk, Store, StoreOptions, SyncLevel};
use dominds_tui::ui::backend::{self, Capabilities, FrameBounds, ScreenBackend};
use dominds_tui::ui::bindings;
use dominds_tui::ui::highlight::CodeColours;
use dominds_tui::ui::links::Links;
use dominds_tui::ui::theme::{ColorDepth, Glyphs, Theme};
use dominds_tui::ui::{App, AppOptions, AppStart, DraftTexts, UiSettings};
use ratatui::Terminal;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Size;

const BYTES: usize = 5_000_000;
/// Bytes of the text of one record.
const RECORD: usize = 1_200;
/// As the driver reads them.
const PAGE_RECORDS: usize = 400;
const SIZE: Size = Size { width: 120, height: 40 };
const WORD: &str = "needle";
const ROUNDS: usize = 20;

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let records = write_course(folder.path());
    let options = StoreOptions {
        sync: SyncLevel::Off,
        disk: Arc::new(RealDisk),
        clock: Arc::new(FixedClock),
    };
    let store = Store::open(folder.path(), Access::ReadOnly, options).expect("a store");
    println!("a dialog of {} MB in {records} records", BYTES / 1_000_000);
    measure("read a page of it", || drop(page(&store, None)));
    measure("look through its file", || look_through(&store));
    let mut screen = Screen::new(&store);
    measure("show the page above", || screen.key(KeyCode::PageUp));
    for wanted in [WORD, "handler"] {
        measure(&format!("find “{wanted}” in it"), || {
            screen = Screen::new(&store);
            let begun = Instant::now();
            screen.find(wanted);
            screen.spent = Some(begun.elapsed());
        });
        println!("  … of that since the first key: {:?}", screen.spent.unwrap_or_default());
    }
    measure("go to the match before", || screen.key(KeyCode::Char('N')));
}

fn measure(what: &str, mut work: impl FnMut()) {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let begun = Instant::now();
            work();
            begun.elapsed()
        })
        .collect();
    times.sort_unstable();
    let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
    println!("{what}: p50 {:?}, p95 {:?}", at(50), at(95));
}

/// What a search of all dialogs does with a file in which it finds one record.
fn look_through(store: &Store) {
    let in_json = JsonSearchPattern::of(&SearchPattern::new(WORD));
    let look = |line: &[u8]| if in_json.may_be_in(line) { Look::Read } else { Look::Skip };
    let mut found = 0;
    let visit = |_, _| found += 1;
    store
        .look_through(Bucket::Run, &dialog(), Course::FIRST, look, visit)
        .expect("the course is read");
    assert_eq!(found, 1);
}

fn page(store: &Store, before: Option<usize>) -> TranscriptPage {
    let page = store.page(Bucket::Run, &dialog(), Course::FIRST, before, PAGE_RECORDS);
    let page = page.expect("a page");
    TranscriptPage {
        dialog: dialog(),
        agent: "lead".into(),
        course: Course::FIRST,
        courses: Course::FIRST,
        first_line: page.first_line,
        entries: page.entries,
    }
}

#[derive(Debug)]
struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Stamp {
        Stamp::new("2026-11-21 12:03:00")
    }
}

/// An app that shows the dialog, and gets its pages at once.
struct Screen<'a> {
    app: App,
    terminal: Terminal<ScreenBackend<io::Sink>>,
    store: &'a Store,
    spent: Option<Duration>,
}

impl<'a> Screen<'a> {
    fn new(store: &'a Store) -> Self {
        let ui = UiSettings {
            theme: Theme::plain(),
            glyphs: Glyphs::UTF8,
            keymap: bindings::defaults(),
            lang: Lang::En,
            colours: CodeColours::on(),
            links: Links::default(),
        };
        let app = App::new(AppOptions {
            undo_answers: Duration::ZERO,
            ui,
            clock: Arc::new(FixedClock),
            drafts: DraftTexts::new(),
            moment: Instant::now(),
            start: AppStart::default(),
        });
        let ability = Capabilities { depth: ColorDepth::True, utf8: true };
        let terminal = Terminal::new(ScreenBackend::new(io::sink(), SIZE, ability));
        let mut screen = Self { app, terminal: terminal.expect("a screen"), store, spent: None };
        let mut commands = screen.app.apply(DriverEvent::Rows(vec![row()]));
        commands.extend(screen.app.apply(DriverEvent::Inbox(Vec::new())));
        screen.answer(commands);
        for key in ['g', 'j'] {
            screen.key(KeyCode::Char(key));
        }
        screen.key(KeyCode::Enter);
        screen
    }

    fn key(&mut self, key: KeyCode) {
        let commands = self.app.key(KeyEvent::new(key, KeyModifiers::NONE));
        self.answer(commands);
    }

    /// Sends what is requested, and draws, until nothing is requested any more.
    fn answer(&mut self, mut commands: Vec<Command>) {
        loop {
            let mut more = Vec::new();
            for command in commands {
                let (ticket, before) = match command {
                    Command::Open { ticket, .. } => (ticket, None),
                    Command::Page { ticket, before, .. } => (ticket, Some(before)),
                    _ => continue,
                };
                let page = Box::new(page(self.store, before));
                more.extend(self.app.apply(DriverEvent::Page { ticket, page }));
            }
            let screen = self.app.layout(SIZE);
            backend::draw(&mut self.terminal, FrameBounds::default(), |frame| screen.draw(frame))
                .expect("a frame");
            more.extend(self.app.take_commands());
            if more.is_empty() {
                return;
            }
            commands = more;
        }
    }

    fn find(&mut self, word: &str) {
        self.key(KeyCode::Char('/'));
        for letter in word.chars() {
            self.key(KeyCode::Char(letter));
        }
        self.key(KeyCode::Enter);
    }
}

fn dialog() -> DialogId {
    DialogId::main(RootId::new("aa/bb/00000001"))
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

/// Words in paragraphs, always the same. Returns how many records there are.
fn write_course(workspace: &Path) -> usize {
    let words = ["the", "login", "handler", "rotates", "a", "cookie", "before", "second", "factor"];
    let mut random = fastrand::Rng::with_seed(1);
    let (mut course, mut count) = (String::new(), 0);
    while course.len() < BYTES {
        let mut text = if count == 0 { format!("a {WORD} ") } else { String::new() };
        while text.len() < RECORD {
            text.push_str(random.choice(words).unwrap_or_default());
            text.push_str(if random.u8(..) < 6 { "\\n" } else { " " });
        }
        let genseq = count / 8 + 1;
        writeln!(
            course,
            r#"{{"ts":"2026-11-21 12:00:00","type":"agent_words_record","genseq":{genseq},"content":"{text}"}}"#
        )
        .expect("written");
        count += 1;
    }
    let folder = workspace.join(".dialogs/run/aa/bb/00000001");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("course-001.jsonl"), course).expect("a course");
    let identity =
        "id: aa/bb/00000001\nagentId: lead\ntaskDocPath: a.tsk\ncreatedAt: '2026-11-21 11:58:00'\n";
    fs::write(folder.join("dialog.yaml"), identity).expect("an identity");
    count
}
