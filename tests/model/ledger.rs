//! What persons were promised: words and answers that were acknowledged are there, once.

use std::collections::BTreeMap;

use dominds_tui::domain::dialogs::record::Origin;
use dominds_tui::domain::{Dialog, DialogId};

use crate::records::Records;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    Words,
    Answer,
    /// To a part of this question: kept until all parts have an answer, and dropped with the question.
    Part(String),
}

/// What became of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Unknown,
    Acknowledged,
    Refused,
}

#[derive(Debug)]
struct Promise {
    mark: String,
    dialog: DialogId,
    kind: Kind,
    fate: Fate,
}

/// By the ticket of the command.
#[derive(Debug, Default)]
pub struct Ledger(BTreeMap<u64, Promise>);

impl Ledger {
    pub fn note(&mut self, ticket: u64, kind: Kind, dialog: &DialogId, mark: &str) {
        let (mark, dialog) = (mark.to_owned(), dialog.clone());
        self.0.insert(ticket, Promise { mark, dialog, kind, fate: Fate::Unknown });
    }

    pub fn acknowledged(&mut self, ticket: u64) {
        self.settle(ticket, Fate::Acknowledged);
    }

    /// A command whose effect could not be written may have had it all the same.
    pub fn refused(&mut self, ticket: u64, why: &str) {
        let fate = if why.starts_with("NOT saved") { Fate::Unknown } else { Fate::Refused };
        self.settle(ticket, fate);
    }

    fn settle(&mut self, ticket: u64, fate: Fate) {
        if let Some(promise) = self.0.get_mut(&ticket) {
            promise.fate = fate;
        }
    }

    /// Looks at one dialog.
    pub fn check(&self, id: &DialogId, dialog: &Dialog, records: &Records) -> Result<(), String> {
        for promise in self.0.values().filter(|promise| promise.dialog == *id) {
            let Promise { mark, kind, fate, .. } = promise;
            let found = match kind {
                Kind::Words => heard(dialog, records, mark),
                Kind::Answer => answered(records, mark),
                Kind::Part(_) => answered(records, mark) + kept(dialog, mark),
            };
            let right = match fate {
                // What waits for the dead is dropped with them.
                Fate::Acknowledged if dialog.latest.is_dead() => found <= 1,
                Fate::Acknowledged if has_lost_its_question(kind, dialog) => found <= 1,
                Fate::Acknowledged => found == 1,
                Fate::Unknown => found <= 1,
                Fate::Refused => found == 0,
            };
            if !right {
                return Err(format!("{kind:?} {mark} ({fate:?}) is {found} times in {id}"));
            }
        }
        Ok(())
    }
}

fn heard(dialog: &Dialog, records: &Records, mark: &str) -> usize {
    let waiting = dialog.queue.iter().filter(|prompt| prompt.origin == Origin::User);
    let texts = waiting.map(|prompt| &prompt.content).chain(&records.heard);
    texts.map(|text| text.matches(mark).count()).sum()
}

/// True for an answer to a part of a question that was withdrawn, or answered.
fn has_lost_its_question(kind: &Kind, dialog: &Dialog) -> bool {
    let Kind::Part(question) = kind else { return false };
    dialog.questions.iter().all(|open| open.id != *question)
}

fn kept(dialog: &Dialog, mark: &str) -> usize {
    let answers = dialog.answers.iter().flat_map(|answers| answers.parts.values());
    answers.filter(|answer| answer.text.as_deref() == Some(mark)).count()
}

fn answered(records: &Records, mark: &str) -> usize {
    let answers = records.given.iter().filter(|given| given.call_name == "askHuman");
    answers.filter(|given| given.text.contains(mark)).count()
}
