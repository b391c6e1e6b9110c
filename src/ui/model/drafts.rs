//! What a person has typed and not sent, per dialog and per question.
//!
//! A draft reaches its store at most [`SAVE_AFTER`] after it changed, and stays there until the
//! driver has the words on disk.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::{Duration, Instant};

use crate::domain::DialogId;

/// The most that a crash may cost.
pub const SAVE_AFTER: Duration = Duration::from_millis(800);

/// Keeps drafts over restarts. An empty text removes the draft. Must not block for long.
pub trait DraftStore: fmt::Debug {
    fn load(&mut self) -> Vec<(String, String)>;
    fn save(&mut self, key: &str, text: &str);
}

/// What a draft is for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum DraftKey {
    Message(DialogId),
    Answer(String),
    /// The first message of a new dialog.
    New,
    /// A reminder of a dialog, by its id; new ones have names that are no ids.
    Reminder(DialogId, String),
    /// A section of a Taskdoc.
    Section(String, String),
}

impl DraftKey {
    /// The name in the store.
    pub fn name(&self) -> String {
        match self {
            Self::Message(dialog) => format!("message/{dialog}"),
            Self::Answer(question) => format!("answer/{question}"),
            Self::New => "new".to_owned(),
            Self::Reminder(dialog, id) => format!("reminder/{dialog}/{id}"),
            Self::Section(taskdoc, name) => format!("section/{taskdoc}/{name}"),
        }
    }
}

#[derive(Debug)]
pub struct Drafts {
    texts: BTreeMap<String, String>,
    unsaved: BTreeSet<String>,
    save_at: Option<Instant>,
    store: Box<dyn DraftStore>,
}

impl Drafts {
    pub fn new(mut store: Box<dyn DraftStore>) -> Self {
        let texts = store.load().into_iter().collect();
        Self { texts, unsaved: BTreeSet::new(), save_at: None, store }
    }

    pub fn get(&self, key: &DraftKey) -> &str {
        self.texts.get(&key.name()).map_or("", String::as_str)
    }

    pub fn has(&self, key: &DraftKey) -> bool {
        !self.get(key).trim().is_empty()
    }

    pub fn set(&mut self, key: &DraftKey, text: &str, now: Instant) {
        if self.get(key) == text {
            return;
        }
        let name = key.name();
        if text.is_empty() {
            self.texts.remove(&name);
        } else {
            self.texts.insert(name.clone(), text.to_owned());
        }
        self.unsaved.insert(name);
        self.save_at.get_or_insert(now + SAVE_AFTER);
    }

    pub fn save_at(&self) -> Option<Instant> {
        self.save_at
    }

    /// Saves what is due.
    pub fn tick(&mut self, now: Instant) {
        if self.save_at.is_some_and(|at| at <= now) {
            self.save();
        }
    }

    /// Saves at once.
    pub fn save(&mut self) {
        self.save_at = None;
        for name in std::mem::take(&mut self.unsaved) {
            let text = self.texts.get(&name).map_or("", String::as_str);
            self.store.save(&name, text);
        }
    }
}

/// Keeps drafts for the session only.
#[derive(Debug, Default)]
pub struct SessionOnlyDrafts;

impl DraftStore for SessionOnlyDrafts {
    fn load(&mut self) -> Vec<(String, String)> {
        Vec::new()
    }

    fn save(&mut self, _: &str, _: &str) {}
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Debug, Clone, Default)]
    struct Memory(Arc<Mutex<Vec<(String, String)>>>);

    impl DraftStore for Memory {
        fn load(&mut self) -> Vec<(String, String)> {
            vec![("answer/q1".to_owned(), "half".to_owned())]
        }

        fn save(&mut self, key: &str, text: &str) {
            self.0.lock().unwrap().push((key.to_owned(), text.to_owned()));
        }
    }

    #[test]
    fn a_draft_is_saved_within_a_second_and_once() {
        let memory = Memory::default();
        let mut drafts = Drafts::new(Box::new(memory.clone()));
        let now = Instant::now();
        let key = DraftKey::New;
        drafts.set(&key, "h", now);
        drafts.set(&key, "hi", now + Duration::from_millis(700));
        drafts.tick(now + Duration::from_millis(700));
        assert_eq!(memory.0.lock().unwrap().len(), 0);
        drafts.tick(now + Duration::from_secs(1));
        drafts.tick(now + Duration::from_secs(9));
        assert_eq!(*memory.0.lock().unwrap(), [("new".to_owned(), "hi".to_owned())]);
    }

    #[test]
    fn a_stored_draft_is_there_at_the_start_and_goes_with_an_empty_text() {
        let memory = Memory::default();
        let mut drafts = Drafts::new(Box::new(memory.clone()));
        let key = DraftKey::Answer("q1".to_owned());
        assert_eq!(drafts.get(&key), "half");
        drafts.set(&key, "", Instant::now());
        drafts.save();
        assert!(!drafts.has(&key));
        assert_eq!(*memory.0.lock().unwrap(), [("answer/q1".to_owned(), String::new())]);
    }
}
