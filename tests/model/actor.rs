//! The models: what each answers follows from the number of the episode, the member, and how often the
//! member was asked. When nothing new is to begin they only say what is due, and are counted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use dominds_tui::llm::{GenStream, Message, Provider, Reply, Request, Sequence};
use fastrand::Rng;

use crate::answers;
use crate::plan::Profile;

/// Answers by chance in a row, before the models only say what is due.
const LIVELY: u32 = 24;
/// Requests with nothing but plain answers after which a tree counts as one that never rests.
pub const ENDLESS: u32 = 120;
/// Side dialogs that are asked for in one episode.
const SIDE_DIALOGS: u32 = 5;

/// What everybody in an episode writes to.
#[derive(Debug, Default)]
pub struct Book {
    /// What happened, for a person to read.
    pub log: Vec<String>,
    marks: u32,
    /// Promises that models saw broken.
    pub faults: Vec<String>,
}

impl Book {
    /// A text that is nowhere else.
    pub fn mark(&mut self, kind: char) -> String {
        self.marks += 1;
        format!("[{kind}{}]", self.marks)
    }
}

#[derive(Debug, Clone)]
pub struct Actor(Arc<Mutex<Cast>>);

#[derive(Debug)]
struct Cast {
    seed: u64,
    profile: Profile,
    book: Arc<Mutex<Book>>,
    /// Requests of each member.
    asked: BTreeMap<String, u64>,
    lively: u32,
    /// Requests since nothing new begins.
    plain: u32,
    side_dialogs: u32,
    answers: u64,
}

impl Actor {
    pub fn new(seed: u64, profile: Profile, book: Arc<Mutex<Book>>) -> Self {
        let asked = BTreeMap::new();
        let (plain, side_dialogs, answers) = (0, SIDE_DIALOGS, 0);
        let lively = LIVELY;
        let cast = Cast { seed, profile, book, asked, lively, plain, side_dialogs, answers };
        Self(Arc::new(Mutex::new(cast)))
    }

    /// Lets the models do new things again.
    pub fn enliven(&self) {
        let mut cast = self.cast();
        (cast.lively, cast.plain) = (LIVELY, 0);
    }

    /// From now on they only say what is due.
    pub fn calm(&self) {
        let mut cast = self.cast();
        (cast.lively, cast.plain) = (0, 0);
    }

    /// Answers so far.
    pub fn answers(&self) -> u64 {
        self.cast().answers
    }

    fn cast(&self) -> MutexGuard<'_, Cast> {
        self.0.lock().expect("not poisoned")
    }
}

impl Provider for Actor {
    fn stream(&self, request: Request) -> GenStream {
        let reply = self.cast().answer(&request);
        Sequence::new().reply(&request.model.clone(), reply).stream(request)
    }
}

impl Cast {
    fn answer(&mut self, request: &Request) -> Reply {
        let book = self.book.clone();
        let mut book = book.lock().expect("not poisoned");
        self.answers += 1;
        let asked = self.asked.entry(request.model.clone()).or_default();
        *asked += 1;
        let name = request.model.bytes().fold(0, |sum: u64, byte| sum * 31 + u64::from(byte));
        let mut rng = Rng::with_seed(self.seed ^ (name << 20) ^ asked.wrapping_mul(0x9e37_79b9));
        if let Some(fault) = unpaired(request) {
            book.faults.push(format!("a request to {}: {fault}", request.model));
        }
        let (entry, reply) = if self.lively > 0 {
            self.lively -= 1;
            let most = &mut self.side_dialogs;
            answers::any(&mut rng, request, self.profile, most, &mut book)
        } else {
            self.plain += 1;
            if self.plain == ENDLESS {
                book.faults.push(format!("{ENDLESS} requests and no rest in sight"));
            }
            if self.plain >= ENDLESS {
                ("hangs".to_owned(), Reply::new().and_hang())
            } else {
                answers::due(request, &mut book)
            }
        };
        book.log.push(format!("  {} {entry}", request.model));
        reply
    }
}

/// Every call that is shown has one result behind it, and no call is shown twice.
fn unpaired(request: &Request) -> Option<String> {
    let mut open = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for message in &request.messages {
        match message {
            Message::Call { id, .. } => {
                if !seen.insert(id) {
                    return Some(format!("call {id} is shown twice"));
                }
                open.insert(id);
            }
            Message::Result { id, .. } if !open.remove(id) => {
                return Some(format!("a result without its call, or a second one: {id}"));
            }
            _ => {}
        }
    }
    open.first().map(|id| format!("call {id} is shown without a result"))
}

/// Time that an answer takes.
pub fn pause(rng: &mut Rng) -> Duration {
    Duration::from_millis(rng.u64(0..5_000))
}
