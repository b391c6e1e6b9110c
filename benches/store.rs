//! Measures the store on this disk: commits with and without sync, the survey of 1,000 dialogs and of one
//! large tree, and loading that tree and a long course. Prints figures; never fails on them.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and ends at the first error"
)]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dominds_tui::domain::{
    Assignment, AssignmentFrame, Batch, Bucket, CallId, Clock, Course, DialogMeta, Entry, Latest,
    RootId, SelfId, Stamp, TreeChange,
};
use dominds_tui::store::{Access, Store, StoreOptions, WrittenBatch};

const COMMITS: usize = 500;
const DIALOGS: usize = 1_000;
const SIDE_DIALOGS: usize = 10_000;
const RECORDS: usize = 10_000;
/// Repetitions of reading; the first has cold caches.
const READS: usize = 5;

#[derive(Debug)]
struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Stamp {
        Stamp::new("2026-11-21 12:00:00")
    }
}

fn main() {
    commits(true);
    commits(false);
    survey();
    large_tree();
    load();
}

/// Appends one line and replaces the state file, like each step of a dialog.
fn commits(durable: bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let root = new_dialog(&store, 0);
    let mut times: Vec<Duration> = (0..COMMITS)
        .map(|n| {
            let changes = vec![append(&root, &[line(n)]), latest(&root)];
            let batch = Batch { root: root.clone(), changes, durable };
            let started = Instant::now();
            store.commit(batch).and_then(WrittenBatch::sync).expect("a commit");
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    let name = if durable { "durable commit" } else { "unsynced commit" };
    println!("{name}: p50 {:?}, p99 {:?}", percentile(&times, 50), percentile(&times, 99));
}

fn survey() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    for n in 0..DIALOGS {
        let root = new_dialog(&store, n);
        commit(&store, &root, vec![append(&root, &[line(0), line(1)]), latest(&root)]);
    }
    for _ in 0..READS {
        let started = Instant::now();
        let survey = store.survey(&[Bucket::Run]);
        let took = started.elapsed();
        assert_eq!((survey.trees.len(), survey.problems.len()), (DIALOGS, 0));
        println!("survey of {DIALOGS} dialogs: {took:?}");
    }
}

/// One main dialog whose side dialogs have all replied.
fn large_tree() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let root = new_dialog(&store, 0);
    for n in 0..SIDE_DIALOGS {
        commit(&store, &root, side_dialog(&root, n));
    }
    for _ in 0..READS {
        let started = Instant::now();
        let survey = store.survey(&[Bucket::Run]);
        let listed = started.elapsed();
        let started = Instant::now();
        let loaded = store.load(Bucket::Run, &root).expect("a tree");
        let took = started.elapsed();
        assert_eq!((survey.problems.len(), loaded.tree.dialogs.len()), (0, SIDE_DIALOGS + 1));
        println!("tree of {SIDE_DIALOGS} side dialogs: listed in {listed:?}, loaded in {took:?}");
    }
}

fn side_dialog(root: &RootId, n: usize) -> Vec<TreeChange> {
    let id = SelfId::new(format!("{:02x}/{:02x}/{:08x}", n % 256, n / 256, n + 1));
    let meta = DialogMeta { id: id.clone(), agent_id: "dev".into(), ..meta(root) };
    let assignment = Assignment {
        call_name: "tellaskSessionless".to_owned(),
        mention_list: Some(vec!["@dev".to_owned()]),
        tellask_content: format!("Look into part {n}, with care."),
        origin_member_id: "lead".into(),
        asker_dialog_id: root.main(),
        call_id: CallId::new(format!("c{n}")),
        collective_targets: None,
        effective_fbr_effort: None,
        extra: serde_json::Map::new(),
    };
    let mut frame = AssignmentFrame::owing(assignment, "replyTellaskSessionless");
    frame.tellask_reply_obligation = None;
    let latest = Box::new(Latest::new(FixedClock.now()));
    let entries = (0..8).map(|n| Arc::new(Entry::parse(&line(n)).expect("a record")));
    vec![
        TreeChange::Create { meta: Box::new(meta), latest, stack: vec![frame] },
        TreeChange::Append {
            dialog: id.clone(),
            course: Course::FIRST,
            entries: entries.collect(),
        },
        TreeChange::Reminders { dialog: id, reminders: Vec::new() },
    ]
}

fn load() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = {
        let store = open(folder.path());
        let root = new_dialog(&store, 0);
        let lines: Vec<String> = (0..RECORDS).map(line).collect();
        commit(&store, &root, vec![append(&root, &lines), latest(&root)]);
        root
    };
    let options = StoreOptions::new(Arc::new(FixedClock));
    let store = Store::open(folder.path(), Access::ReadOnly, options).expect("a store");
    let size = size_below(folder.path());
    for _ in 0..READS {
        let started = Instant::now();
        let loaded = store.load(Bucket::Run, &root).expect("a tree");
        let took = started.elapsed();
        assert_eq!(loaded.tree.dialogs.len(), 1);
        println!("load of {RECORDS} records, {} KiB: {took:?}", size / 1024);
    }
}

fn open(workspace: &Path) -> Store {
    let options = StoreOptions::new(Arc::new(FixedClock));
    let store = Store::open(workspace, Access::ReadWrite, options).expect("a store");
    // Of a tree of 1.29 the store would keep a copy of all that is written here.
    store.with_new_trees_in(Some(dominds_tui::domain::Layout::V1_19))
}

fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    sorted.get(sorted.len() * percent / 100).copied().unwrap_or_default()
}

fn new_dialog(store: &Store, n: usize) -> RootId {
    let root = RootId::new(format!("{:02x}/{:02x}/{n:08x}", n % 256, n / 256));
    let latest = Box::new(Latest::new(FixedClock.now()));
    let create = TreeChange::Create { meta: Box::new(meta(&root)), latest, stack: Vec::new() };
    commit(store, &root, vec![create]);
    root
}

fn meta(root: &RootId) -> DialogMeta {
    DialogMeta {
        id: root.main(),
        agent_id: "lead".into(),
        task_doc_path: "task.tsk".to_owned(),
        created_at: FixedClock.now(),
        session_slug: None,
        extra: serde_json::Map::new(),
    }
}

fn commit(store: &Store, root: &RootId, changes: Vec<TreeChange>) {
    let batch = Batch { root: root.clone(), changes, durable: false };
    store.commit(batch).and_then(WrittenBatch::sync).expect("a commit");
}

fn latest(root: &RootId) -> TreeChange {
    TreeChange::Latest { dialog: root.main(), latest: Box::new(Latest::new(FixedClock.now())) }
}

fn append(root: &RootId, lines: &[String]) -> TreeChange {
    let entries = lines.iter().map(|line| Arc::new(Entry::parse(line).expect("a record")));
    TreeChange::Append { dialog: root.main(), course: Course::FIRST, entries: entries.collect() }
}

/// Generations of four records: start, thought, words, end.
fn line(n: usize) -> String {
    let genseq = n / 4 + 1;
    let shared = format!(r#"{{"ts":"2026-11-21 12:00:00","genseq":{genseq},"type":"#);
    match n % 4 {
        0 => format!(r#"{shared}"gen_start_record"}}"#),
        1 => format!(r#"{shared}"agent_thought_record","content":"What is known about it?"}}"#),
        2 => {
            let words = "The handler compares the password and sets the cookie. ".repeat(8);
            format!(r#"{shared}"agent_words_record","content":"{words}"}}"#)
        }
        _ => format!(r#"{shared}"gen_finish_record"}}"#),
    }
}

fn size_below(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => size_below(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    });
    sizes.sum()
}
