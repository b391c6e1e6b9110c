//! Measures the memories of a team that has a great many: how long a search and a save take, how much memory searches need, and
//! whether a task is queued as fast while eight of them run. The same questions are put to the ranking of SQLite itself over the
//! same rows, by its own program (`sqlite3`). `--chunks N` takes fewer. Prints figures; never fails on them.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and ends at the first error"
)]

mod team_store;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use dominds_tui::domain::teams::memory::{Author, MemoryQuery, MemoryType, NewMemory};
use dominds_tui::domain::teams::task::Priority;
use dominds_tui::domain::{Lang, TeamName};
use dominds_tui::hive::{Hive, StoreChoice};
use tokio::task::JoinSet;

use team_store::{resident, setup, task};

const CHUNKS: usize = 100_000;
/// So many memories are active; the others were replaced by them.
const KEYS: usize = 4_500;
const WORDS_OF_MEMORY: usize = 120;
const VOCABULARY: u64 = 30_000;
const SEARCHES: usize = 500;
const SAVES: usize = 200;
const TASKS: usize = 200;
const SEARCHERS: usize = 8;
const SEEN: u32 = 5;

/// Numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A word; a few are frequent, most are rare.
    fn word(&mut self) -> String {
        const SCALE: u64 = 1 << 20;
        let one = self.next() % SCALE;
        let mut number = ((one * one / SCALE) * one / SCALE) * VOCABULARY / SCALE;
        let mut word = "w".to_owned();
        for _ in 0..4 {
            for letters in ["bdfgklmnprt", "aeiou"] {
                let count = u64::try_from(letters.len()).expect("a number");
                let at = usize::try_from(number % count).expect("a number");
                word.extend(letters.chars().nth(at));
                number /= count;
            }
        }
        word
    }

    fn words(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.word()).collect()
    }
}

fn main() {
    let mut args = std::env::args().skip_while(|arg| arg != "--chunks").skip(1);
    let chunks = args.next().map_or(CHUNKS, |count| count.parse().expect("a number"));
    let workspace = tempfile::tempdir().expect("a folder");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let asked = runtime.block_on(measure(workspace.path(), chunks));
    compare(workspace.path(), &asked);
}

/// A query, and the memories that were found first.
struct Asked {
    words: Vec<String>,
    first: BTreeSet<i64>,
}

async fn measure(workspace: &Path, chunks: usize) -> Vec<Asked> {
    let hive = Hive::new(setup(workspace, "memory: on\n", StoreChoice::Own));
    let mut running = JoinSet::new();
    running.spawn(hive.run());
    let mut numbers = Numbers(0x2545_F491_4F6C_DD1D);
    let begun = Instant::now();
    for n in 0..chunks {
        save(&hive, n, &mut numbers).await;
    }
    println!("{chunks} chunks, saved in {:.0?}", begun.elapsed());
    let mut saves = Vec::new();
    for n in 0..SAVES {
        let begun = Instant::now();
        save(&hive, chunks + n, &mut numbers).await;
        saves.push(begun.elapsed());
    }
    print("a save", "goal: p95 10 ms", saves);
    let before = resident();
    let (mut asked, mut searches) = (Vec::new(), Vec::new());
    for _ in 0..SEARCHES {
        let words = numbers.words(3);
        let begun = Instant::now();
        let first = search(&hive, words.join(" ")).await;
        searches.push(begun.elapsed());
        asked.push(Asked { words, first });
    }
    print("a search", "goal: p95 20 ms", searches);
    let more = resident().saturating_sub(before) / 1_000_000;
    println!("memory of the process: {more} MB more after {SEARCHES} searches (goal: 40 MB)");
    print("a task is queued", "alone", queued(&hive).await);
    let ends = Arc::new(AtomicBool::new(false));
    for n in 0..SEARCHERS {
        let (hive, ends) = (hive.clone(), Arc::clone(&ends));
        let mut numbers = Numbers(u64::try_from(n).expect("a number") + 1);
        running.spawn(async move {
            while !ends.load(Ordering::Relaxed) {
                search(&hive, numbers.words(3).join(" ")).await;
            }
        });
    }
    print("a task is queued", "while 8 searches run", queued(&hive).await);
    ends.store(true, Ordering::Relaxed);
    hive.close().await;
    while let Some(ended) = running.join_next().await {
        ended.expect("an end");
    }
    asked
}

async fn save(hive: &Hive, n: usize, numbers: &mut Numbers) {
    let new = NewMemory {
        team: TeamName::main(),
        key: format!("key-{}", n % KEYS),
        content: numbers.words(WORDS_OF_MEMORY).join(" "),
        kind: MemoryType::Lesson,
        reason: Some("there is a newer one".to_owned()),
        by: Author::Human,
        lang: Lang::En,
    };
    let saved = hive.save_memory(new.checked().expect("a memory")).await;
    saved.expect("a store").expect("a memory");
}

/// The memories that are found first.
async fn search(hive: &Hive, text: String) -> BTreeSet<i64> {
    let query = MemoryQuery { team: TeamName::main(), text, kind: None, most: SEEN };
    let found = hive.search_memories(query).await.unwrap_or_default();
    found.iter().map(|one| one.memory.id).collect()
}

/// How long it takes to queue each of some tasks.
async fn queued(hive: &Hive) -> Vec<Duration> {
    let mut times = Vec::new();
    for _ in 0..TASKS {
        let begun = Instant::now();
        let text = "Run the tests and report what fails.".to_owned();
        let task = task(TeamName::main(), Priority::Normal, text);
        hive.enqueue(task).await.expect("a task");
        times.push(begun.elapsed());
    }
    times
}

/// Puts the same questions to the ranking of SQLite itself. A replaced memory has three quarters of its score there, too.
fn compare(workspace: &Path, asked: &[Asked]) {
    let store = workspace.join(".hive/hive.db");
    let mut script = format!(
        "ATTACH '{}' AS h;\nCREATE VIRTUAL TABLE plain USING fts5(text, tokenize='porter unicode61');\n\
         INSERT INTO plain (rowid, text) SELECT id, key || ' ' || content FROM h.memories;\n.timer on\n",
        store.display()
    );
    for one in asked {
        script += &format!(
            "SELECT 'first', group_concat(id, ' ') FROM (SELECT m.id AS id FROM plain JOIN h.memories m \
             ON m.org = 'local' AND m.id = plain.rowid WHERE plain MATCH '{}' \
             ORDER BY bm25(plain) * (CASE m.is_active WHEN 1 THEN 1.0 ELSE 0.75 END) LIMIT {SEEN});\n",
            one.words.join(" OR ")
        );
    }
    let program = Command::new("sqlite3")
        .arg(workspace.join("plain.db"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut program) = program else {
        println!("SKIPPED: there is no program `sqlite3` to compare with");
        return;
    };
    let mut input = program.stdin.take().expect("an input");
    // Its answers are read while it is asked: neither pipe becomes full.
    let writer = std::thread::spawn(move || input.write_all(script.as_bytes()));
    let output = program.wait_with_output().expect("an end");
    writer.join().expect("a thread").expect("what was asked");
    let said = String::from_utf8_lossy(&output.stdout);
    let ids = said.lines().filter_map(|line| line.strip_prefix("first|"));
    let theirs: Vec<BTreeSet<i64>> =
        ids.map(|line| line.split(' ').filter_map(|id| id.parse().ok()).collect()).collect();
    let times = said.lines().filter_map(|line| line.strip_prefix("Run Time: real "));
    let times = times.filter_map(|line| line.split(' ').next()?.parse::<f64>().ok());
    print(
        "a search by bm25() of SQLite",
        "p95 to compare",
        times.map(Duration::from_secs_f64).collect(),
    );
    let agree = asked.iter().zip(&theirs).filter(|(one, theirs)| one.first == **theirs).count();
    println!("the first five are the same for {agree} of {} queries", theirs.len());
}

fn print(what: &str, how: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |percent: usize| {
        let at = (times.len() * percent / 100).min(times.len().saturating_sub(1));
        times.get(at).copied().unwrap_or_default()
    };
    println!("{what} ({how}): p50 {:.2?}, p95 {:.2?}, p99 {:.2?}", at(50), at(95), at(99));
}
