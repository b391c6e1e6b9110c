//! A main dialog with all its side dialogs, and the ordered changes that lead from one state to the
//! next. Memory is only ever changed by a [`TreeChange`] that is already on disk.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::assignment::AssignmentFrame;
use super::dialog::{Dialog, DialogMeta};
use super::latest::Latest;
use super::layout::Layout;
use super::pending::Pending;
use super::queue::QueuedPrompt;
use super::recent::{HumanAnswer, RecentPart};
use super::record::Entry;
use super::registry::RegistryEntry;
use super::reminder::{Reminder, SharedEdit};
use crate::domain::asking::inquiry::answers::PartAnswers;
use crate::domain::asking::question::Question;
use crate::domain::ids::{AgentId, DialogId, RootId, SelfId, Slug};
use crate::domain::number::{Course, Genseq, RootAnchor};

/// Where a main dialog lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Bucket {
    #[serde(rename = "running")]
    Run,
    #[serde(rename = "completed")]
    Done,
    #[serde(rename = "archived")]
    Archive,
}

impl Bucket {
    pub const ALL: [Self; 3] = [Self::Run, Self::Done, Self::Archive];

    /// The folder below `.dialogs`.
    #[must_use]
    pub fn folder(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Done => "done",
            Self::Archive => "archive",
        }
    }

    /// The status people and scripts read.
    #[must_use]
    pub fn status(self) -> &'static str {
        match self {
            Self::Run => "running",
            Self::Done => "completed",
            Self::Archive => "archived",
        }
    }
}

/// One step of a tree: what is written, in this order.
#[derive(Debug, Clone, PartialEq)]
pub enum TreeChange {
    /// A new dialog directory. For a side dialog it comes before anything mentions it.
    Create {
        meta: Box<DialogMeta>,
        latest: Box<Latest>,
        stack: Vec<AssignmentFrame>,
    },
    /// A new file below `artifacts` of a dialog, before the record that names it.
    Artifact {
        dialog: SelfId,
        path: String,
        bytes: Arc<[u8]>,
    },
    /// Lines of one course, in one write.
    Append {
        dialog: SelfId,
        course: Course,
        entries: Vec<Arc<Entry>>,
    },
    Latest {
        dialog: SelfId,
        latest: Box<Latest>,
    },
    Reminders {
        dialog: SelfId,
        reminders: Vec<Reminder>,
    },
    Questions {
        dialog: SelfId,
        questions: Vec<Question>,
    },
    Pending {
        dialog: SelfId,
        pending: Vec<Pending>,
    },
    Stack {
        dialog: SelfId,
        stack: Vec<AssignmentFrame>,
    },
    Queue {
        dialog: SelfId,
        queue: Vec<QueuedPrompt>,
    },
    /// What is kept of an open question until all its parts have an answer.
    Answers {
        dialog: SelfId,
        answers: Option<PartAnswers>,
    },
    /// What it told a person, and nobody has acknowledged. Only the layout of Dominds 1.29 has it.
    HumanAnswers {
        dialog: SelfId,
        answers: Vec<HumanAnswer>,
    },
    Registry {
        entries: Vec<RegistryEntry>,
    },
    /// A reminder that all dialogs of a member share. It lies outside of every tree, so no tree remembers it: it is
    /// read from the files.
    Shared {
        agent: AgentId,
        edit: SharedEdit,
    },
}

/// Changes of one tree that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    pub root: RootId,
    pub changes: Vec<TreeChange>,
    /// True if a person or another dialog relies on it: synced before it is acknowledged.
    pub durable: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct DialogTree {
    pub root: RootId,
    pub bucket: Bucket,
    /// That of its files.
    pub layout: Layout,
    /// Shared, so that a copy to draft the next step on costs little.
    pub dialogs: BTreeMap<SelfId, Arc<Dialog>>,
    pub registry: Vec<RegistryEntry>,
}

impl DialogTree {
    #[must_use]
    pub fn new(root: RootId, bucket: Bucket) -> Self {
        let layout = Layout::default();
        Self { root, bucket, layout, dialogs: BTreeMap::new(), registry: Vec::new() }
    }

    #[must_use]
    pub fn id(&self, dialog: &SelfId) -> DialogId {
        DialogId::side(&self.root, dialog)
    }

    #[must_use]
    pub fn is_main(&self, dialog: &SelfId) -> bool {
        dialog.as_str() == self.root.as_str()
    }

    pub fn get(&self, dialog: &SelfId) -> Option<&Dialog> {
        self.dialogs.get(dialog).map(Arc::as_ref)
    }

    #[must_use]
    pub fn main(&self) -> Option<&Dialog> {
        self.get(&self.root.main())
    }

    /// The living side dialog of a session.
    #[must_use]
    pub fn session(&self, agent: &AgentId, slug: &Slug) -> Option<&Dialog> {
        let key = format!("{agent}!{slug}");
        let entry = self.registry.iter().find(|entry| entry.key == key)?;
        self.get(&entry.side_dialog_id).filter(|dialog| !dialog.latest.is_dead())
    }

    /// Where the main dialog stands, for the records of its tree.
    #[must_use]
    pub fn anchor(&self) -> RootAnchor {
        self.main().map_or(RootAnchor { course: Course::FIRST, genseq: Genseq(0) }, |main| {
            RootAnchor { course: main.latest.current_course, genseq: main.history.last_genseq }
        })
    }

    /// Takes over a change that is on disk.
    pub fn apply(&mut self, change: TreeChange) {
        match change {
            TreeChange::Create { meta, latest, stack } => {
                let mut dialog = Dialog::new(*meta, *latest);
                dialog.stack = stack;
                dialog.recent = (self.layout == Layout::V1_29).then(Box::<RecentPart>::default);
                self.dialogs.insert(dialog.meta.id.clone(), Arc::new(dialog));
            }
            TreeChange::Append { dialog, course, entries } => self.with(&dialog, |d| {
                for entry in entries {
                    d.history.fold(course, entry);
                }
            }),
            TreeChange::Latest { dialog, latest } => self.with(&dialog, |d| d.latest = *latest),
            TreeChange::Reminders { dialog, reminders } => {
                self.with(&dialog, |d| d.reminders = reminders);
            }
            TreeChange::Questions { dialog, questions } => {
                self.with(&dialog, |d| d.questions = questions);
            }
            TreeChange::Pending { dialog, pending } => self.with(&dialog, |d| d.pending = pending),
            TreeChange::Stack { dialog, stack } => self.with(&dialog, |d| d.stack = stack),
            TreeChange::Queue { dialog, queue } => self.with(&dialog, |d| d.queue = queue),
            TreeChange::Answers { dialog, answers } => {
                self.with(&dialog, |d| d.answers = answers);
            }
            TreeChange::HumanAnswers { dialog, answers } => self.with(&dialog, |d| {
                if let Some(recent) = &mut d.recent {
                    recent.human_answers = answers;
                }
            }),
            TreeChange::Registry { entries } => self.registry = entries,
            TreeChange::Artifact { .. } | TreeChange::Shared { .. } => {}
        }
    }

    fn with(&mut self, dialog: &SelfId, change: impl FnOnce(&mut Dialog)) {
        if let Some(dialog) = self.dialogs.get_mut(dialog) {
            change(Arc::make_mut(dialog));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::CallId;

    /// Generations of four records; each generation makes a call and has its result.
    fn record(n: u32) -> Arc<Entry> {
        let genseq = n / 4 + 1;
        let text = match n % 4 {
            0 => format!(r#"{{"type":"gen_start_record","genseq":{genseq}}}"#),
            1 => format!(
                r#"{{"type":"func_call_record","genseq":{genseq},"id":"c{genseq}","name":"write","rawArgumentsText":"{{}}"}}"#
            ),
            2 => format!(
                r#"{{"type":"func_result_record","genseq":{genseq},"id":"c{genseq}","name":"write","content":"ok"}}"#
            ),
            _ => format!(r#"{{"type":"gen_finish_record","genseq":{genseq}}}"#),
        };
        Arc::new(Entry::parse(&text).unwrap())
    }

    #[test]
    fn the_next_step_is_drafted_without_copying_what_stands() {
        const RECORDS: u32 = 2_000;
        let mut tree = DialogTree::new("aa/bb/01".into(), Bucket::Run);
        let main = tree.root.main();
        tree.dialogs.insert(main.clone(), Arc::new(crate::samples::dialog_of(&[])));
        let append = |n: u32| TreeChange::Append {
            dialog: main.clone(),
            course: Course::FIRST,
            entries: vec![record(n)],
        };
        (0..RECORDS).for_each(|n| tree.apply(append(n)));
        let mut draft = tree.clone();
        (RECORDS..RECORDS + 4).for_each(|n| draft.apply(append(n)));
        let (before, after) = (&tree.main().unwrap().history, &draft.main().unwrap().history);
        assert_eq!(after.entries.len(), before.entries.len() + 4);
        // One history holds them, so that there is one holder of each record: the other shares it.
        assert!(before.entries.iter().all(|entry| Arc::strong_count(entry) == 1));
        assert_eq!(before.calls.size(), 500);
        for (id, call) in &before.calls {
            assert!(std::ptr::eq(call, after.calls.get(id).unwrap()), "{id:?}");
        }
        for id in &before.results {
            assert!(std::ptr::eq(id, after.results.get(id).unwrap()), "{id:?}");
        }
        assert!(after.calls.contains_key(&CallId::new("c501")));
    }
}
