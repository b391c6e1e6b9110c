//! Measures how long dialogs that stream have to pause while another one prepares its generations: some
//! stream a word each millisecond, and one reads a `.minds` of many files on a slow disk before each answer.
//! Prints figures; never fails on them.
//!
//! `cargo bench --bench pauses -- [--streams N] [--files N] [--delay MICROSECONDS] [--rounds N]`

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and ends at the first error"
)]

#[path = "../tests/common/mod.rs"]
#[expect(dead_code, reason = "tests use more of it")]
mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use common::files::put;
use common::{Running, World};
use dominds_tui::app;
use dominds_tui::domain::{AgentId, DialogId, Lang};
use dominds_tui::llm::{GenEvent, GenStream, Provider, Request, Segment, Sequence};
use dominds_tui::minds::{Minds, MindsFolder, MindsSource, MindsStamp};
use dominds_tui::protocol::Command;
use futures_util::{StreamExt as _, stream};
use tokio::sync::Notify;

/// The model sends a word this often.
const TICK: Duration = Duration::from_millis(1);
/// How long the streams are measured while nothing else happens.
const ALONE: Duration = Duration::from_secs(3);
/// The goal for a pause.
const GOAL: Duration = Duration::from_millis(10);

/// Two providers, so that the one who prepares waits for no request of the others.
const LLM: &str = "providers:
  one: { apiType: mock, baseUrl: none, max_concurrent: 1000, models: { streams: {} } }
  other: { apiType: mock, baseUrl: none, models: { prepares: {} } }
";
const TEAM: &str = "member_defaults: { diligence-push-max: 0 }
members:
  streams: { provider: one, model: streams }
  prepares: { provider: other, model: prepares }
";

struct Options {
    streams: usize,
    files: u32,
    delay: Duration,
    rounds: usize,
}

fn options() -> Options {
    let mut options =
        Options { streams: 8, files: 200, delay: Duration::from_millis(5), rounds: 5 };
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    for pair in arguments.windows(2) {
        let [name, value] = pair else { continue };
        let number = value.parse::<u32>();
        let number = || number.clone().expect("a number");
        match name.as_str() {
            "--streams" => options.streams = number() as usize,
            "--files" => options.files = number(),
            "--delay" => options.delay = Duration::from_micros(number().into()),
            "--rounds" => options.rounds = number() as usize,
            _ => {}
        }
    }
    options
}

/// A disk on which each file takes a while.
#[derive(Debug)]
struct SlowDisk {
    folder: MindsFolder,
    files: u32,
    delay: Duration,
    reads: AtomicUsize,
}

impl MindsSource for SlowDisk {
    fn stamp(&self) -> MindsStamp {
        self.folder.stamp()
    }

    fn read(&self) -> Minds {
        self.reads.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(self.delay * self.files);
        self.folder.read()
    }
}

/// The times between two words of one stream, beyond those of the model.
#[derive(Debug, Default)]
struct Pauses(Mutex<Vec<Duration>>);

impl Pauses {
    fn add(&self, between: Duration) {
        self.0.lock().expect("not poisoned").push(between.saturating_sub(TICK));
    }

    fn take(&self) -> Vec<Duration> {
        std::mem::take(&mut self.0.lock().expect("not poisoned"))
    }
}

/// One member streams without end, the other answers with a word.
#[derive(Debug, Default)]
struct Models {
    pauses: Arc<Pauses>,
    answered: Arc<Notify>,
}

fn word() -> GenEvent {
    GenEvent::Delta { segment: Segment::Saying, text: "word ".to_owned() }
}

impl Provider for Models {
    fn stream(&self, request: Request) -> GenStream {
        if request.model == "prepares" {
            self.answered.notify_one();
            return stream::iter([Ok(word()), Ok(GenEvent::End { model: None })]).boxed();
        }
        let pauses = self.pauses.clone();
        let words = stream::unfold(None, move |last: Option<Instant>| {
            let pauses = pauses.clone();
            async move {
                tokio::time::sleep(TICK).await;
                let now = Instant::now();
                if let Some(last) = last {
                    pauses.add(now.duration_since(last));
                }
                Some((Ok(word()), Some(now)))
            }
        });
        words.boxed()
    }
}

fn main() {
    let options = options();
    app::runtime().expect("a runtime").block_on(measure(&options));
}

async fn measure(options: &Options) {
    let mut world = World::empty(Sequence::new());
    put(world.path(), ".minds/llm.yaml", LLM);
    put(world.path(), ".minds/team.yaml", TEAM);
    for n in 2..options.files {
        put(world.path(), &format!(".minds/memory/team_shared/{n}.md"), &"A fact. ".repeat(16));
    }
    let disk = Arc::new(SlowDisk {
        folder: MindsFolder::new(world.path().to_owned(), Lang::En),
        files: options.files,
        delay: options.delay,
        reads: AtomicUsize::new(0),
    });
    world.setup.minds = Some(disk.clone());
    let models = Models::default();
    let (pauses, answered) = (models.pauses.clone(), models.answered.clone());
    world.setup.provider = Arc::new(models);
    let mut running = world.start().await;
    for _ in 0..options.streams {
        create(&mut running, "streams").await;
    }
    pass(&mut running, tokio::time::sleep(ALONE)).await;
    pauses.take();
    pass(&mut running, tokio::time::sleep(ALONE)).await;
    println!("{} streams, a word each {TICK:?}", options.streams);
    print("nobody prepares", &pauses.take());
    let reads = disk.reads.load(Ordering::Relaxed);
    let started = Instant::now();
    let dialog = create(&mut running, "prepares").await;
    pass(&mut running, answered.notified()).await;
    for round in 1..options.rounds {
        put(world.path(), ".minds/memory/team_shared/0.md", &format!("Round {round}."));
        say(&mut running, &dialog).await;
        pass(&mut running, answered.notified()).await;
    }
    let rounds = started.elapsed() / u32::try_from(options.rounds).expect("few");
    print("one prepares", &pauses.take());
    println!(
        "{} generations, {:?} each, with {} readings of {} files of {:?}",
        options.rounds,
        rounds,
        disk.reads.load(Ordering::Relaxed) - reads,
        options.files,
        options.delay
    );
    running.send(Command::StopAll).await;
    running.shut_down().await;
}

async fn create(running: &mut Running, agent: &str) -> DialogId {
    let (agent, text) = (AgentId::new(agent), "Begin.".to_owned());
    let taskdoc = "task.tsk".to_owned();
    let made = running
        .ask(|ticket| Command::Create { ticket, agent, taskdoc, text, priming: Vec::new() })
        .await;
    made.expect("a dialog").expect("a dialog")
}

async fn say(running: &mut Running, dialog: &DialogId) {
    let (dialog, text) = (dialog.clone(), "Go on.".to_owned());
    running
        .ask(|ticket| Command::Say { ticket, dialog, text, images: Vec::new() })
        .await
        .expect("it takes it");
}

/// Takes events until this is over.
async fn pass(running: &mut Running, until: impl Future<Output = ()>) {
    tokio::pin!(until);
    loop {
        tokio::select! {
            () = &mut until => return,
            _ = running.event() => {}
        }
    }
}

fn print(what: &str, pauses: &[Duration]) {
    let mut sorted = pauses.to_vec();
    sorted.sort_unstable();
    let at = |share: usize| sorted.get(sorted.len().saturating_sub(1) * share / 1000);
    let over = sorted.iter().filter(|pause| **pause > GOAL).count();
    println!(
        "{what}: pauses of {:?} (median), {:?} (99.9 %), {:?} (longest); {over} of {} above {GOAL:?}",
        at(500).copied().unwrap_or_default(),
        at(999).copied().unwrap_or_default(),
        at(1000).copied().unwrap_or_default(),
        sorted.len()
    );
}
