//! Measures reading a dialog of 5 MB on the screen: each page key from the end to the start and back, and each key of
//! a search until its result is drawn. The course is made through the store, of all that a dialog has: answers in
//! Markdown with code, thinking, calls with long results and with differences. Prints figures beside their limits;
//! never fails on them. A queue that grows to a thousand messages is shown beside it.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    reason = "a benchmark prints, ends at the first error and matches a few commands"
)]

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dominds_tui::domain::{
    Batch, Bucket, Clock, Course, DialogId, DialogMeta, DisplayState, Entry, FileChange, Genseq,
    Lang, Latest, MsgId, RootId, Stamp, TreeChange,
};
use dominds_tui::protocol::event::QueuedMessage;
use dominds_tui::protocol::{Command, DriverEvent, TranscriptPage, TreeRow};
use dominds_tui::store::{Access, Store, StoreOptions, WrittenBatch};
use dominds_tui::ui::backend::{self, Capabilities, FrameBounds, ScreenBackend};
use dominds_tui::ui::bindings;
use dominds_tui::ui::highlight::CodeColours;
use dominds_tui::ui::links::Links;
use dominds_tui::ui::theme::{ColorDepth, Glyphs, Theme};
use dominds_tui::ui::{App, AppOptions, AppStart, DraftTexts, UiSettings};
use ratatui::Terminal;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Size;
use serde_json::{Value, json};

const BYTES: usize = 5_000_000;
/// As the driver reads them.
const PAGE_RECORDS: usize = 400;
/// In the first record alone.
const WORD: &str = "needle";
const SIZES: [Size; 2] = [Size { width: 120, height: 40 }, Size { width: 80, height: 24 }];
const PAGE_LIMIT: Duration = Duration::from_millis(8);
const SEARCH_LIMIT: Duration = Duration::from_millis(100);
/// Messages of a queue storm.
const QUEUED: usize = 1_000;
/// The same keys so often; of each, its best time counts: what other programs take of the machine is no cost of it.
const ROUNDS: usize = 5;

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let records = write_course(folder.path());
    let options = StoreOptions::new(Arc::new(FixedClock));
    let store = Store::open(folder.path(), Access::ReadOnly, options).expect("a store");
    println!("a dialog of {} MB in {records} records", BYTES / 1_000_000);
    for size in SIZES {
        println!("at {}x{}:", size.width, size.height);
        pages(&store, size);
        for word in ["cookie", "zebra", WORD] {
            searches(&store, size, word);
        }
        queue_storm(&store, size);
    }
}

/// A thousand messages come into the queue of the open dialog, each shown at once; then the page keys again.
fn queue_storm(store: &Store, size: Size) {
    let mut best: [Vec<Duration>; 2] = Default::default();
    for _ in 0..ROUNDS {
        let mut screen = Screen::new(store, size);
        let added = (1..=QUEUED).map(|count| screen.timed_queue(count)).collect();
        let (keys, _) = screen.page_through(KeyCode::PageUp);
        for (best, times) in best.iter_mut().zip([added, keys]) {
            keep_best(best, times);
        }
    }
    let [added, keys] = best;
    report(&format!("a message more in a queue, up to {QUEUED}"), added, PAGE_LIMIT);
    report(&format!("page up with {QUEUED} queued messages"), keys, PAGE_LIMIT);
}

/// Every page key from the end to the start, and back.
fn pages(store: &Store, size: Size) {
    let mut best: [(Vec<Duration>, Vec<Duration>); 2] = Default::default();
    let names = [("page up", KeyCode::PageUp), ("page down", KeyCode::PageDown)];
    for _ in 0..ROUNDS {
        let mut screen = Screen::new(store, size);
        for ((_, key), best) in names.iter().zip(&mut best) {
            let (keys, arrivals) = screen.page_through(*key);
            keep_best(&mut best.0, keys);
            keep_best(&mut best.1, arrivals);
        }
    }
    for ((name, _), (keys, arrivals)) in names.iter().zip(best) {
        report(name, keys, PAGE_LIMIT);
        report("  records that are read for it arrive", arrivals, PAGE_LIMIT);
    }
}

/// Each key of a search, until nothing more is read for it. The reading counts.
fn searches(store: &Store, size: Size, word: &str) {
    let mut best = Vec::new();
    for _ in 0..ROUNDS {
        let mut screen = Screen::new(store, size);
        screen.timed_key(KeyCode::Char('/'));
        let keys = word.chars().map(|letter| {
            let begun = Instant::now();
            screen.timed_key(KeyCode::Char(letter));
            screen.answer_timed();
            begun.elapsed()
        });
        keep_best(&mut best, keys.collect());
    }
    report(&format!("search for “{word}”"), best, SEARCH_LIMIT);
}

fn keep_best(best: &mut Vec<Duration>, times: Vec<Duration>) {
    for (at, time) in times.into_iter().enumerate() {
        match best.get_mut(at) {
            Some(best) => *best = time.min(*best),
            None => best.push(time),
        }
    }
}

fn report(what: &str, mut times: Vec<Duration>, limit: Duration) {
    times.sort_unstable();
    let Some(longest) = times.last().copied() else { return };
    let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
    let held = if longest <= limit { "held" } else { "MISSED" };
    println!(
        "  {what}: {} times, p50 {:?}, p95 {:?}, longest {longest:?}; limit {limit:?} {held}",
        times.len(),
        at(50),
        at(95),
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

impl io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An app that shows the dialog.
struct Screen<'a> {
    app: App,
    terminal: Terminal<ScreenBackend<Sink>>,
    store: &'a Store,
    size: Size,
    commands: Vec<Command>,
}

impl<'a> Screen<'a> {
    fn new(store: &'a Store, size: Size) -> Self {
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
        let backend = ScreenBackend::new(Sink::default(), size, ability);
        let terminal = Terminal::new(backend).expect("a screen");
        let mut screen = Self { app, terminal, store, size, commands: Vec::new() };
        for event in [DriverEvent::Rows(vec![row()]), DriverEvent::Inbox(Vec::new())] {
            let commands = screen.app.apply(event);
            screen.commands.extend(commands);
        }
        for key in [KeyCode::Char('g'), KeyCode::Char('j'), KeyCode::Enter, KeyCode::Char('3')] {
            screen.timed_key(key);
            screen.answer_timed();
        }
        screen
    }

    fn bytes(&self) -> usize {
        self.terminal.backend().writer().0
    }

    /// A key, until its frame is drawn.
    fn timed_key(&mut self, key: KeyCode) -> Duration {
        let begun = Instant::now();
        let commands = self.app.key(KeyEvent::new(key, KeyModifiers::NONE));
        self.commands.extend(commands);
        self.draw();
        begun.elapsed()
    }

    /// A queue of so many messages, until its frame is drawn. The driver sends the row with all of them.
    fn timed_queue(&mut self, count: usize) -> Duration {
        let message = |at: usize| QueuedMessage {
            message: MsgId::new(format!("m{at}")),
            text: format!("message {at}: look at the session cookie, too").into(),
            images: Vec::new(),
        };
        let row = TreeRow { queued: (0..count).map(message).collect(), ..row() };
        let begun = Instant::now();
        let commands = self.app.apply(DriverEvent::Rows(vec![row]));
        self.commands.extend(commands);
        self.draw();
        begun.elapsed()
    }

    /// The same key until nothing changes any more; the times of the keys, and of the records that were read.
    fn page_through(&mut self, key: KeyCode) -> (Vec<Duration>, Vec<Duration>) {
        let (mut keys, mut arrivals) = (Vec::new(), Vec::new());
        let mut unchanged = 0;
        while unchanged < 3 {
            let before = self.bytes();
            keys.push(self.timed_key(key));
            arrivals.extend(self.answer_timed());
            unchanged = if self.bytes() == before { unchanged + 1 } else { 0 };
        }
        (keys, arrivals)
    }

    fn draw(&mut self) {
        let screen = self.app.layout(self.size);
        backend::draw(&mut self.terminal, FrameBounds::default(), |frame| screen.draw(frame))
            .expect("a frame");
        self.commands.extend(self.app.take_commands());
    }

    /// Answers what is requested until nothing is; the times from each answer to its frame.
    fn answer_timed(&mut self) -> Vec<Duration> {
        let mut times = Vec::new();
        while !self.commands.is_empty() {
            for command in std::mem::take(&mut self.commands) {
                let (ticket, before) = match command {
                    Command::Open { ticket, .. } => (ticket, None),
                    Command::Page { ticket, before, .. } => (ticket, Some(before)),
                    _ => continue,
                };
                let page = Box::new(page(self.store, before));
                let begun = Instant::now();
                let commands = self.app.apply(DriverEvent::Page { ticket, page });
                self.commands.extend(commands);
                self.draw();
                times.push(begun.elapsed());
            }
        }
        times
    }
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
        state: DisplayState::Idle,
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

/// Writes the course; returns how many records it has.
fn write_course(workspace: &Path) -> usize {
    let options = StoreOptions::new(Arc::new(FixedClock));
    let store = Store::open(workspace, Access::ReadWrite, options).expect("a store");
    // Of a tree of 1.29 the store would keep a copy of all that is written here.
    let store = store.with_new_trees_in(Some(dominds_tui::domain::Layout::V1_19));
    let root = dialog().root;
    let meta = DialogMeta {
        id: root.main(),
        agent_id: "lead".into(),
        task_doc_path: "add-2fa.tsk".to_owned(),
        created_at: FixedClock.now(),
        session_slug: None,
        extra: serde_json::Map::new(),
    };
    let latest = Box::new(Latest::new(FixedClock.now()));
    let create = TreeChange::Create { meta: Box::new(meta), latest, stack: Vec::new() };
    commit(&store, vec![create]);
    let mut text = TextMaker(fastrand::Rng::with_seed(1));
    let (mut bytes, mut records, mut genseq) = (0, 0, 0);
    while bytes < BYTES {
        genseq += 1;
        let lines: Vec<String> =
            generation(genseq, &mut text).iter().map(ToString::to_string).collect();
        bytes += lines.iter().map(String::len).sum::<usize>();
        records += lines.len();
        let entries = lines.iter().map(|line| Arc::new(Entry::parse(line).expect("a record")));
        let (dialog, entries) = (root.main(), entries.collect());
        commit(&store, vec![TreeChange::Append { dialog, course: Course::FIRST, entries }]);
    }
    records
}

fn commit(store: &Store, changes: Vec<TreeChange>) {
    let batch = Batch { root: dialog().root, changes, durable: false };
    store.commit(batch).and_then(WrittenBatch::sync).expect("a commit");
}

/// What one generation records: thinking, an answer, a call with a long result, one that changes a file.
fn generation(genseq: usize, text: &mut TextMaker) -> Vec<Value> {
    let record = |kind: &str, more: Value| {
        let mut record = json!({"ts": "2026-11-21 12:00:00", "type": kind, "genseq": genseq});
        if let (Some(record), Value::Object(more)) = (record.as_object_mut(), more) {
            record.extend(more);
        }
        record
    };
    let word = if genseq == 1 { format!("a {WORD} ") } else { String::new() };
    let (read, edit) = (format!("r{genseq}"), format!("e{genseq}"));
    let (old, new) = (text.code(40), text.code(40));
    let change = FileChange::rewritten(format!("src/part{}.rs", genseq % 30), &old, &new);
    let changes = FileChange::recorded(&[change]);
    vec![
        record("gen_start_record", json!({})),
        record("agent_thought_record", json!({"content": word + &text.prose(600)})),
        record("agent_words_record", json!({"content": text.markdown()})),
        record(
            "func_call_record",
            json!({"id": read, "name": "read_file", "rawArgumentsText": "{\"path\":\"src/login.rs\"}"}),
        ),
        record(
            "func_result_record",
            json!({"id": read, "name": "read_file", "content": text.code(150)}),
        ),
        record(
            "func_call_record",
            json!({"id": edit, "name": "apply_patch", "rawArgumentsText": "{\"patch\":\"…\"}"}),
        ),
        record(
            "func_result_record",
            json!({"id": edit, "name": "apply_patch", "content": "done", "fileChanges": changes}),
        ),
        record("gen_finish_record", json!({})),
    ]
}

/// Text that is always the same.
struct TextMaker(fastrand::Rng);

impl TextMaker {
    fn word(&mut self) -> &'static str {
        const WORDS: [&str; 12] = [
            "the", "login", "handler", "rotates", "a", "cookie", "before", "second", "factor",
            "会话", "令牌", "café",
        ];
        WORDS.get(self.0.usize(..WORDS.len())).copied().unwrap_or_default()
    }

    fn prose(&mut self, bytes: usize) -> String {
        let mut text = String::new();
        while text.len() < bytes {
            text.push_str(self.word());
            text.push_str(if self.0.u8(..) < 6 { ".\n\n" } else { " " });
        }
        text
    }

    fn code(&mut self, lines: usize) -> String {
        let line = |n: usize| {
            let (one, other) = (self.word(), self.word());
            format!("    let {one}_{n} = {other}.get({n})?; // {one} of “{other}”\n")
        };
        (0..lines).map(line).collect()
    }

    fn markdown(&mut self) -> String {
        let (prose, items, code) = (self.prose(900), self.prose(300), self.code(25));
        let items: Vec<String> =
            items.split_whitespace().map(|item| format!("- **{item}** and `{item}`")).collect();
        let items = items.join("\n");
        format!(
            "## What is next\n\n{prose}\n\n{items}\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```rust\n{code}```\n"
        )
    }
}
