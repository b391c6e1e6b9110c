//! Measures large workspaces: many main dialogs, and one tree with many finished side dialogs that have
//! long records. Creates both, lists them with the program, without an index and with one, and opens the
//! screen on them. Prints time and peak memory; never fails on them.
//!
//! `cargo bench --bench large -- [--count N] [--runs N] [--long BYTES] [--keep DIR]`

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and ends at the first error"
)]

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use dominds_tui::domain::dialogs::record::{AnchorRole, Call, CallRef, DeliveryMode, ReplyStatus};
use dominds_tui::domain::dialogs::record::{HumanText, Origin, Responder, TellaskResult};
use dominds_tui::domain::{
    Assignment, AssignmentFrame, Batch, CallId, Clock, ContextHealth, Course, DialogMeta, Entry,
    Genseq, Latest, MsgId, Record, RootId, SelfId, Stamp, TreeChange,
};
use dominds_tui::store::{Access, RealDisk, Store, StoreOptions, SyncLevel, WrittenBatch};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};

const TIMEOUT: Duration = Duration::from_mins(1);
/// Files must be unchanged for this time before an index relies on them.
const SETTLE_TIME: Duration = Duration::from_millis(2500);
const INDEXES: [&str; 2] = [".dialogs/.tui/list.index", ".dialogs/.tui/trees.index"];
const PROGRAM: &str = env!("CARGO_BIN_EXE_dominds-tui");

struct Options {
    count: usize,
    runs: usize,
    long: usize,
    keep: Option<PathBuf>,
}

fn main() {
    let options = options();
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = options.keep.clone().unwrap_or_else(|| temporary.path().to_owned());
    let (mains, sides) = (folder.join("mains"), folder.join("sides"));
    if !mains.exists() {
        many_main_dialogs(&mains, options.count);
        many_side_dialogs(&sides, options.count, options.long);
        thread::sleep(SETTLE_TIME);
    }
    let home = tempfile::tempdir().expect("a folder");
    for (name, workspace) in [("main dialogs", &mains), ("side dialogs", &sides)] {
        println!("{} {name}, {} runs each (min / median / max)", options.count, options.runs);
        measure("dialogs --json, no index", &options, || {
            forget(workspace);
            list(workspace, home.path())
        });
        measure("dialogs --json, index", &options, || list(workspace, home.path()));
        measure("screen, no index: first frame, list", &options, || {
            forget(workspace);
            screen(workspace, home.path())
        });
        list(workspace, home.path());
        measure("screen, index: first frame, list", &options, || screen(workspace, home.path()));
    }
}

fn forget(workspace: &Path) {
    for index in INDEXES {
        let _ = fs::remove_file(workspace.join(index));
    }
}

fn options() -> Options {
    let mut options = Options { count: 10_000, runs: 7, long: 16 * 1024, keep: None };
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    for pair in arguments.windows(2) {
        let [name, value] = pair else { continue };
        let number = || value.parse().expect("a number");
        if name == "--count" {
            options.count = number();
        } else if name == "--runs" {
            options.runs = number();
        } else if name == "--long" {
            options.long = number();
        } else if name == "--keep" {
            options.keep = Some(PathBuf::from(value));
        }
    }
    options
}

/// Measured times, CPU time of all cores, and peak memory in KiB.
struct Run {
    times: Vec<Duration>,
    cpu: Duration,
    memory: u64,
}

fn measure(name: &str, options: &Options, run: impl Fn() -> Run) {
    let runs: Vec<Run> = (0..options.runs).map(|_| run()).collect();
    let kinds = runs.first().map_or(0, |run| run.times.len());
    let mut figures = Vec::new();
    for kind in 0..kinds {
        let mut times: Vec<Duration> =
            runs.iter().filter_map(|run| run.times.get(kind).copied()).collect();
        times.sort_unstable();
        let at = |n: usize| times.get(n).copied().unwrap_or_default().as_millis();
        figures.push(format!("{} / {} / {} ms", at(0), at(times.len() / 2), at(times.len() - 1)));
    }
    let memory = runs.iter().map(|run| run.memory).max().unwrap_or_default();
    let mut cpu: Vec<u128> = runs.iter().map(|run| run.cpu.as_millis()).collect();
    cpu.sort_unstable();
    let cpu = cpu.get(cpu.len() / 2).copied().unwrap_or_default();
    println!(
        "  {name}: {}; {cpu} ms of processor, at most {} MiB",
        figures.join(", "),
        memory / 1024
    );
}

/// `dialogs --json`, until its last byte.
fn list(workspace: &Path, home: &Path) -> Run {
    let began = Instant::now();
    let mut child = Command::new(PROGRAM)
        .arg("-C")
        .arg(workspace)
        .args(["dialogs", "--json"])
        .env("HOME", home)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program");
    let mut out = child.stdout.take().expect("its output");
    let reader = thread::spawn(move || {
        let mut bytes = vec![0; 64 * 1024];
        let mut last = began.elapsed();
        while let Ok(1..) = out.read(&mut bytes) {
            last = began.elapsed();
        }
        last
    });
    let (mut memory, mut cpu) = (0, Duration::ZERO);
    while !reader.is_finished() {
        memory = memory.max(peak_memory(child.id()));
        cpu = cpu.max(cpu_time(child.id()));
        thread::sleep(Duration::from_millis(1));
    }
    let last = reader.join().expect("the output");
    assert!(child.wait().expect("an end").success(), "the list was refused");
    Run { times: vec![last], cpu, memory }
}

/// The screen, until its first frame and until the first row of the list.
fn screen(workspace: &Path, home: &Path) -> Run {
    let size = PtySize { rows: 40, cols: 120, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).expect("a terminal");
    let mut command = CommandBuilder::new(PROGRAM);
    command.args(["-C".as_ref(), workspace.as_os_str()]);
    command.env("HOME", home);
    command.env("TERM", "xterm-256color");
    let began = Instant::now();
    let mut child = pair.slave.spawn_command(command).expect("the program");
    let mut from = pair.master.try_clone_reader().expect("a reader");
    let (sender, shown) = channel();
    thread::spawn(move || {
        let mut bytes = vec![0; 64 * 1024];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            let part = bytes.get(..count).unwrap_or_default().to_vec();
            if sender.send((began.elapsed(), part)).is_err() {
                return;
            }
        }
    });
    let mut seen = Vec::new();
    let frame = until(&shown, &mut seen, "DIALOGS");
    let row = until(&shown, &mut seen, "@lead");
    let process = child.process_id().expect("a process");
    let (memory, cpu) = (peak_memory(process), cpu_time(process));
    let mut keys = pair.master.take_writer().expect("a keyboard");
    io::Write::write_all(&mut keys, b"\x1bq").expect("a key");
    thread::sleep(Duration::from_millis(300));
    let _ = child.kill();
    let _ = child.wait();
    Run { times: vec![frame, row], cpu, memory }
}

/// The time until the terminal shows `text`.
fn until(shown: &Receiver<(Duration, Vec<u8>)>, seen: &mut Vec<u8>, text: &str) -> Duration {
    let mut last = Duration::ZERO;
    loop {
        if String::from_utf8_lossy(seen).contains(text) {
            return last;
        }
        match shown.recv_timeout(TIMEOUT) {
            Ok((at, part)) => {
                last = at;
                seen.extend(part);
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                let seen = String::from_utf8_lossy(seen);
                let tail: String = seen.chars().rev().take(2000).collect();
                assert!(
                    tail.is_empty(),
                    "no {text:?} came: {}",
                    tail.chars().rev().collect::<String>()
                );
                return TIMEOUT;
            }
        }
    }
}

/// In KiB; zero if unknown.
fn peak_memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

/// CPU time of all threads, in steps of 10 ms; zero if unknown.
fn cpu_time(process: u32) -> Duration {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = text.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

// --- workspaces ----------------------------------------------------------------------------------

#[derive(Debug)]
struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Stamp {
        Stamp::new("2026-11-21 12:00:00")
    }
}

fn many_main_dialogs(workspace: &Path, count: usize) {
    let store = open(workspace);
    let mut random = fastrand::Rng::with_seed(1);
    for n in 0..count {
        let root = RootId::new(format!("{:02x}/{:02x}/{n:08x}", random.u8(..), random.u8(..)));
        let changes = vec![
            create(root.main(), "lead", Vec::new()),
            append(root.main(), generation(1, &prompt(n, Origin::User), &words(400))),
            TreeChange::Reminders { dialog: root.main(), reminders: Vec::new() },
        ];
        commit(&store, &root, changes);
    }
}

/// All side dialogs have replied.
fn many_side_dialogs(workspace: &Path, count: usize, long: usize) {
    let store = open(workspace);
    let mut random = fastrand::Rng::with_seed(2);
    let root = RootId::new("aa/bb/00000001");
    commit(&store, &root, vec![create(root.main(), "lead", Vec::new())]);
    for n in 0..count {
        let id = format!("{:02x}/{:02x}/{n:08x}", random.u8(..), random.u8(..));
        commit(&store, &root, side_dialog(&root, &SelfId::new(id), n, long));
    }
}

fn side_dialog(root: &RootId, id: &SelfId, n: usize, long: usize) -> Vec<TreeChange> {
    let genseq = u32::try_from(n).unwrap_or_default() + 1;
    let call_id = CallId::new(format!("c{n}"));
    let content = format!("Look into part {n}, with care. {}", words(200));
    let assignment = Assignment {
        call_name: "tellaskSessionless".to_owned(),
        mention_list: Some(vec!["@dev".to_owned()]),
        tellask_content: content.clone(),
        origin_member_id: "lead".into(),
        asker_dialog_id: root.main(),
        call_id: call_id.clone(),
        collective_targets: None,
        effective_fbr_effort: None,
        extra: serde_json::Map::new(),
    };
    let mut frame = AssignmentFrame::owing(assignment, "replyTellaskSessionless");
    frame.tellask_reply_obligation = None;
    let call = Call {
        id: call_id.clone(),
        name: "tellaskSessionless".to_owned(),
        raw_arguments_text: format!(r#"{{"targetAgentId":"dev","tellaskContent":"{content}"}}"#),
    };
    let reply = TellaskResult {
        call_id,
        status: ReplyStatus::Completed,
        content: words(400),
        content_items: None,
        call_site_course: Some(Course::FIRST),
        call_site_genseq: Some(Genseq(genseq)),
        responder: Responder { responder_id: "dev".into(), agent_id: None, origin_member_id: None },
        route: None,
        call_name: "tellaskSessionless".to_owned(),
        call: CallRef { tellask_content: content, ..CallRef::default() },
    };
    let asked = Record::TellaskCall { call, delivery_mode: DeliveryMode::TellaskCallStart };
    let main = vec![
        entry(genseq, Record::GenStart),
        entry(genseq, asked),
        entry(genseq, Record::TellaskResult(reply)),
        entry(genseq, end()),
    ];
    vec![
        create(id.clone(), "dev", vec![frame]),
        append(id.clone(), generation(1, &prompt(n, Origin::Runtime), &words(long))),
        TreeChange::Reminders { dialog: id.clone(), reminders: Vec::new() },
        append(root.main(), main),
    ]
}

fn generation(genseq: u32, prompt: &HumanText, text: &str) -> Vec<Arc<Entry>> {
    let thought =
        Record::Thought { content: text.to_owned(), reasoning: None, provider_data: None };
    let anchor = Record::Anchor {
        anchor_role: AnchorRole::Assignment,
        call_id: CallId::new("c"),
        assignment_course: None,
        assignment_genseq: None,
        asker_dialog_id: None,
        asker_course: None,
    };
    let begin = [Record::GenStart, Record::HumanText(prompt.clone()), anchor];
    let words = Record::Words { content: text.to_owned(), interrupted: false };
    begin.into_iter().chain([thought, words, end()]).map(|record| entry(genseq, record)).collect()
}

fn prompt(n: usize, origin: Origin) -> HumanText {
    HumanText {
        content: format!("Please look into part {n} of the login, with care."),
        msg_id: MsgId::new(format!("m{n}")),
        content_items: None,
        grammar: "markdown".to_owned(),
        origin,
        user_language_code: Some("en".to_owned()),
        tellask_reply_directive: None,
        q4h_answer_call_id: None,
    }
}

fn end() -> Record {
    let context_health = Some(ContextHealth::measure(None, None));
    Record::GenFinish { context_health, llm_gen_model: Some("model".to_owned()) }
}

fn entry(genseq: u32, record: Record) -> Arc<Entry> {
    let ts = FixedClock.now();
    Arc::new(Entry { ts, genseq: Some(Genseq(genseq)), root: None, source_tag: None, record })
}

fn append(dialog: SelfId, entries: Vec<Arc<Entry>>) -> TreeChange {
    TreeChange::Append { dialog, course: Course::FIRST, entries }
}

fn create(id: SelfId, agent: &str, stack: Vec<AssignmentFrame>) -> TreeChange {
    let meta = DialogMeta {
        agent_id: agent.into(),
        task_doc_path: "task.tsk".to_owned(),
        created_at: FixedClock.now(),
        session_slug: None,
        extra: serde_json::Map::new(),
        id,
    };
    TreeChange::Create {
        meta: Box::new(meta),
        latest: Box::new(Latest::new(FixedClock.now())),
        stack,
    }
}

fn commit(store: &Store, root: &RootId, changes: Vec<TreeChange>) {
    let batch = Batch { root: root.clone(), changes, durable: false };
    store.commit(batch).and_then(WrittenBatch::sync).expect("a commit");
}

fn open(workspace: &Path) -> Store {
    fs::create_dir_all(workspace).expect("a folder");
    let (disk, clock) = (Arc::new(RealDisk), Arc::new(FixedClock));
    let options = StoreOptions { sync: SyncLevel::Off, disk, clock };
    let store = Store::open(workspace, Access::ReadWrite, options).expect("a store");
    // Of a tree of 1.29 the store would keep a copy of all that is written here.
    store.with_new_trees_in(Some(dominds_tui::domain::Layout::V1_19))
}

/// English text of at least this many bytes.
fn words(bytes: usize) -> String {
    let text = "The handler compares the password and sets the cookie. ";
    text.repeat(bytes.div_ceil(text.len()))
}
