//! Measures what one step of a dialog costs by the length of its course: a record is committed, the state
//! follows, the row is reported. The old calls of each course have arguments of 1 MB in all. Prints figures;
//! never fails on them.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and ends at the first error"
)]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use dominds_tui::app;
use dominds_tui::domain::{
    Batch, Clock, Course, DialogId, DialogMeta, Entry, IdSource, Lang, Latest, MsgId, RootId,
    SelfId, SharedSecrets, SideDialogLimits, Stamp, TreeChange,
};
use dominds_tui::driver::{
    Audience, ChangedTrees, Configuration, Driver, Driving, Engine, LogEnd, NoConsentNeeded,
    Permits, PickUp, ProviderError, ProviderSource, Throttles, ToolSources,
};
use dominds_tui::hive::Hive;
use dominds_tui::llm::{Provider, Reply, Sequence};
use dominds_tui::minds::ProviderConfig;
use dominds_tui::protocol::{Command, DriverEvent};
use dominds_tui::store::{Access, RealDisk, Store, StoreOptions, SyncLevel, WrittenBatch};
use dominds_tui::tools::Shells;

const LENGTHS: [usize; 4] = [10, 100, 1_000, 10_000];
/// Bytes of arguments of all old calls of a course together.
const ARGUMENTS: usize = 1_000_000;
/// Generations that are measured, and the calls of each: the result of a call is one step.
const GENERATIONS: usize = 10;
const CALLS: usize = 32;
const RECORDS_IN_GENERATION: usize = 5;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    for length in LENGTHS {
        let Times { steps, generations } = runtime.block_on(drive(length));
        println!(
            "{length} records, {} KB of arguments: a step takes p50 {:?}, p90 {:?}; \
             from generation to generation p50 {:?}",
            ARGUMENTS / 1000,
            percentile(&steps, 50),
            percentile(&steps, 90),
            percentile(&generations, 50),
        );
    }
}

struct Times {
    /// Each records the result of a call.
    steps: Vec<Duration>,
    /// From the last result of a generation to the first of the next: five steps and a request, which holds
    /// the whole course.
    generations: Vec<Duration>,
}

async fn drive(length: usize) -> Times {
    let folder = tempfile::tempdir().expect("a folder");
    configure(folder.path());
    let options = StoreOptions {
        sync: SyncLevel::Off,
        disk: Arc::new(RealDisk),
        clock: Arc::new(FixedClock),
    };
    let store = Store::open(folder.path(), Access::ReadWrite, options).expect("a store");
    // A dialog of 1.29 would be stopped: its model repeats a call.
    let store = store.with_new_trees_in(Some(dominds_tui::domain::Layout::V1_19));
    let root = RootId::new("aa/bb/00000001");
    write_course(&store, &root, length);
    let models = Sequence::new();
    for generation in 0..GENERATIONS {
        let call =
            |reply: Reply, n| reply.and_call(&format!("new{generation}-{n}"), "no_such_tool", "{}");
        models.push("lead", (0..CALLS).fold(Reply::new(), call));
    }
    models.push("lead", Reply::saying("Done."));
    let engine = engine(folder.path(), store, Arc::new(models));
    let mut driver = Driver::start(engine, Audience::Script, PickUp::Named);
    let (dialog, text) = (DialogId::main(root), "Go on.".to_owned());
    driver
        .commands
        .send(Command::Say { ticket: 1, dialog, text, images: Vec::new() })
        .await
        .expect("a driver");
    let mut times = Times { steps: Vec::new(), generations: Vec::new() };
    let mut before: Option<Instant> = None;
    for n in 0..GENERATIONS * CALLS {
        let ended = next_result(&mut driver).await;
        let list = if n % CALLS == 0 { &mut times.generations } else { &mut times.steps };
        list.extend(before.map(|before| ended - before));
        before = Some(ended);
    }
    driver.join().await;
    times.steps.sort_unstable();
    times.generations.sort_unstable();
    times
}

/// Waits for the next result of a call.
async fn next_result(driver: &mut Driver) -> Instant {
    loop {
        let event = driver.events.recv().await.expect("an event");
        if matches!(event, DriverEvent::ToolEnded { .. }) {
            return Instant::now();
        }
    }
}

fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    sorted.get(sorted.len() * percent / 100).copied().unwrap_or_default()
}

// --- the workspace -------------------------------------------------------------------------------------

fn configure(workspace: &Path) {
    let put = |path: &str, text: &str| {
        let path = workspace.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    put(
        ".minds/team.yaml",
        "member_defaults:\n  provider: script\n  model: lead\ndefault_responder: lead\nmembers:\n  lead:\n    name: Lead\n    diligence-push-max: 0\n",
    );
    put(
        ".minds/llm.yaml",
        "providers:\n  script:\n    name: Script\n    apiType: mock\n    baseUrl: none\n    models:\n      lead:\n        name: lead\n",
    );
    put("task.tsk/goals.md", "See it through.\n");
}

/// A main dialog whose course holds `length` records.
fn write_course(store: &Store, root: &RootId, length: usize) {
    let meta = DialogMeta {
        id: root.main(),
        agent_id: "lead".into(),
        task_doc_path: "task.tsk".to_owned(),
        created_at: FixedClock.now(),
        session_slug: None,
        extra: serde_json::Map::new(),
    };
    let latest = Box::new(Latest::new(FixedClock.now()));
    let per_call = ARGUMENTS / length.div_ceil(RECORDS_IN_GENERATION);
    let entries =
        (0..length).map(|n| Arc::new(Entry::parse(&line(n, per_call)).expect("a record")));
    let changes = vec![
        TreeChange::Create { meta: Box::new(meta), latest, stack: Vec::new() },
        TreeChange::Append {
            dialog: root.main(),
            course: Course::FIRST,
            entries: entries.collect(),
        },
    ];
    let batch = Batch { root: root.clone(), changes, durable: false };
    store.commit(batch).and_then(WrittenBatch::sync).expect("a commit");
}

/// Generations of five records: start, a call with long arguments, its result, words, end.
fn line(n: usize, argument_bytes: usize) -> String {
    let genseq = n / RECORDS_IN_GENERATION + 1;
    let shared = format!(r#"{{"ts":"2026-11-21 12:00:00","genseq":{genseq},"type":"#);
    match n % RECORDS_IN_GENERATION {
        0 => format!(r#"{shared}"gen_start_record"}}"#),
        1 => {
            let text = "x".repeat(argument_bytes);
            format!(
                r#"{shared}"func_call_record","id":"c{genseq}","name":"create_new_file","rawArgumentsText":"{{\"content\":\"{text}\"}}"}}"#
            )
        }
        2 => format!(
            r#"{shared}"func_result_record","id":"c{genseq}","name":"create_new_file","content":"ok"}}"#
        ),
        3 => format!(r#"{shared}"agent_words_record","content":"The file is written."}}"#),
        _ => format!(r#"{shared}"gen_finish_record"}}"#),
    }
}

// --- the driver ----------------------------------------------------------------------------------------

#[derive(Debug)]
struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Stamp {
        Stamp::new("2026-11-21 12:00:00")
    }
}

#[derive(Debug, Default)]
struct Counting(AtomicU64);

impl Counting {
    fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

impl IdSource for Counting {
    fn dialog(&self) -> SelfId {
        SelfId::new(format!("cc/dd/{:08x}", self.next()))
    }

    fn message(&self) -> MsgId {
        MsgId::new(format!("m{}", self.next()))
    }

    fn short(&self, length: usize) -> String {
        format!("{:0length$}", self.next())
    }
}

#[derive(Debug)]
struct Only(Arc<dyn Provider>);

impl ProviderSource for Only {
    fn provider(&self, _config: &ProviderConfig) -> Result<Arc<dyn Provider>, ProviderError> {
        Ok(self.0.clone())
    }
}

fn no_environment(_name: &str) -> Option<String> {
    None
}

fn engine(workspace: &Path, store: Store, provider: Arc<dyn Provider>) -> Engine {
    Engine {
        workspace: workspace.to_owned(),
        display_path: "~/work".to_owned(),
        configuration: Configuration::of(workspace.to_owned(), Lang::En),
        store: Arc::new(store),
        clock: Arc::new(FixedClock),
        ids: Arc::new(Counting::default()),
        lang: Lang::En,
        user_lang: Lang::En,
        providers: Arc::new(Only(provider)),
        trust: Arc::new(NoConsentNeeded),
        tools: app::registry(Arc::default()),
        sources: ToolSources::default(),
        team_calls: Arc::default(),
        looks: Arc::default(),
        hive: Hive::nowhere(),
        shells: Shells::default(),
        level_is_set: false,
        env: &no_environment,
        read_log: |_| Ok(LogEnd::default()),
        side_dialog_limits: SideDialogLimits::default(),
        driving: Driving::new(true),
        permits: Permits::default(),
        throttles: Throttles::default(),
        problems: Arc::default(),
        changed_trees: ChangedTrees::default(),
        vault: SharedSecrets::default(),
        log: Arc::default(),
    }
}
