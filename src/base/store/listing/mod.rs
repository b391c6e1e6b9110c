//! The list of all trees: a tree and its dialogs as a list shows them.

mod earlier_askers;
pub mod examine;
pub mod survey;
mod tree_index;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::asking::inquiry::Inquiry;
use crate::domain::asking::inquiry::answers::{PartAnswer, PartAnswers};
use crate::domain::dialogs::fresh_boots::Reasoning;
use crate::domain::dialogs::latest::DisplayState;
use crate::domain::dialogs::tree::Bucket;
use crate::domain::{
    CallId, ContextPressure, DialogMeta, ForeignLayout, Genseq, HumanAnswer, Latest, Layout,
    Pending, Question, RegistryEntry, RootId, SelfId,
};

#[derive(Debug, Clone, PartialEq)]
pub struct TreeListing {
    pub root: RootId,
    pub bucket: Bucket,
    /// The main dialog first, then the side dialogs by id.
    pub dialogs: Vec<DialogListing>,
    /// Its sessions.
    pub registry: Vec<RegistryEntry>,
    /// True if something may be left to do: a generation was cut off, a prompt waits, a file
    /// disagrees with the courses.
    pub unclean: bool,
    /// That of its files.
    pub layout: Layout,
    /// Why it is only read, if it is.
    pub foreign: Option<ForeignLayout>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DialogListing {
    pub id: SelfId,
    pub meta: DialogMeta,
    /// Boxed: a list holds very many.
    pub latest: Box<Latest>,
    /// Who assigned it; `None` for a main dialog.
    pub asker: Option<SelfId>,
    pub questions: Vec<Question>,
    /// The parts of those that have some, by their calls.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<CallId, Inquiry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<PartAnswers>,
    /// The side dialogs it waits for.
    pub pending: Vec<Pending>,
    /// What it told a person, and nobody has acknowledged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub human_answers: Vec<HumanAnswer>,
    /// First line of its assignment, or of the first words of a person.
    pub about: String,
    /// How far its fresh-boots reasoning is, if that is what it does.
    pub reasoning: Option<Reasoning>,
    pub genseq: Genseq,
    pub pressure: ContextPressure,
    /// What to show: what a loaded dialog would show, or what the process that drives it says.
    pub state: DisplayState,
}

impl DialogListing {
    /// The answers to parts of this question, by their ids.
    #[must_use]
    pub fn answers_to(&self, question: &str) -> BTreeMap<String, PartAnswer> {
        let answers = self.answers.as_ref().filter(|answers| answers.question == question);
        answers.map(|answers| answers.parts.clone()).unwrap_or_default()
    }
}
