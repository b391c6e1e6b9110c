//! The numbers by which a person names dialogs (`d2`) and questions (`1`). A number keeps its subject for
//! the whole session and is never reused.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::domain::DialogId;
use crate::protocol::event::{InboxRow, TreeRow};

/// The dialogs and questions, with their numbers.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    dialogs: BTreeMap<DialogId, NumberedDialog>,
    questions: BTreeMap<usize, InboxRow>,
    /// The numbers of the questions, by their ids.
    by_id: HashMap<String, usize>,
    last_dialog: usize,
    last_question: usize,
}

#[derive(Debug)]
pub(super) struct NumberedDialog {
    pub number: usize,
    pub row: TreeRow,
}

/// The difference that a new row makes to its dialog.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RowChange {
    New,
    State,
    Other,
}

impl Numbers {
    pub fn set_row(&mut self, row: TreeRow) -> RowChange {
        let known = self.dialogs.get_mut(&row.dialog);
        if let Some(known) = known {
            let before = std::mem::replace(&mut known.row, row);
            let same = before.state == known.row.state;
            return if same { RowChange::Other } else { RowChange::State };
        }
        self.last_dialog += 1;
        let numbered = NumberedDialog { number: self.last_dialog, row };
        self.dialogs.insert(numbered.row.dialog.clone(), numbered);
        RowChange::New
    }

    /// Forgets a tree, if `dialog` is its main dialog, else the one dialog.
    pub fn remove(&mut self, dialog: &DialogId) -> Option<NumberedDialog> {
        let removed = self.dialogs.remove(dialog);
        if dialog.is_main() {
            self.dialogs.retain(|id, _| id.root != dialog.root);
        }
        removed
    }

    pub fn dialog(&self, id: &DialogId) -> Option<&NumberedDialog> {
        self.dialogs.get(id)
    }

    pub fn numbered_dialog(&self, number: usize) -> Option<&NumberedDialog> {
        self.dialogs.values().find(|dialog| dialog.number == number)
    }

    /// Returns the dialogs in the order of their numbers.
    pub fn dialogs(&self) -> Vec<&NumberedDialog> {
        let mut all: Vec<&NumberedDialog> = self.dialogs.values().collect();
        all.sort_unstable_by_key(|dialog| dialog.number);
        all
    }

    /// Sets the open questions. Returns the numbers of new ones and the questions that are gone.
    pub fn set_questions(&mut self, open: &[InboxRow]) -> (Vec<usize>, Vec<(usize, InboxRow)>) {
        let is_open: HashSet<&str> = open.iter().map(|row| row.question.id.as_str()).collect();
        let gone: Vec<usize> = self
            .questions
            .iter()
            .filter(|(_, row)| !is_open.contains(row.question.id.as_str()))
            .map(|(number, _)| *number)
            .collect();
        let gone = gone.into_iter().filter_map(|n| Some((n, self.questions.remove(&n)?))).collect();
        self.by_id.retain(|id, _| is_open.contains(id.as_str()));
        let mut new = Vec::new();
        for row in open {
            let number = self.number_of(&row.question.id).unwrap_or_else(|| {
                self.last_question += 1;
                new.push(self.last_question);
                self.by_id.insert(row.question.id.clone(), self.last_question);
                self.last_question
            });
            self.questions.insert(number, row.clone());
        }
        (new, gone)
    }

    /// Returns how many parts of a known question have an answer.
    pub fn answered_parts(&self, question: &str) -> Option<usize> {
        let row = self.questions.get(&self.number_of(question)?)?;
        Some(row.answers.len())
    }

    pub fn number_of(&self, question: &str) -> Option<usize> {
        self.by_id.get(question).copied()
    }

    pub fn question(&self, number: usize) -> Option<&InboxRow> {
        self.questions.get(&number)
    }

    pub fn questions(&self) -> impl ExactSizeIterator<Item = (usize, &InboxRow)> {
        self.questions.iter().map(|(number, row)| (*number, row))
    }
}
