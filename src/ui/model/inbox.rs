//! The open questions, oldest first, and which of them is selected.

use std::collections::BTreeSet;

use crate::protocol::InboxRow;

#[derive(Debug, Default)]
pub struct Inbox {
    rows: Vec<InboxRow>,
    /// Questions whose answers are being sent; they are skipped.
    sent: BTreeSet<String>,
    selected: usize,
    /// The first row shown.
    pub top: usize,
}

impl Inbox {
    /// Replaces the rows; the selected question stays selected while it is open.
    pub fn set(&mut self, rows: Vec<InboxRow>) {
        let chosen = self.selected().map(|row| row.question.id.clone());
        self.rows = rows;
        self.sent.retain(|id| self.rows.iter().any(|row| row.question.id == *id));
        if let Some(at) = chosen.and_then(|id| self.position(&id)) {
            self.selected = at;
        }
        self.clamp();
    }

    pub fn remove(&mut self, id: &str) {
        if let Some(at) = self.position(id) {
            self.rows.remove(at);
            if at < self.selected {
                self.selected -= 1;
            }
        }
        self.sent.remove(id);
        self.clamp();
    }

    pub fn rows(&self) -> &[InboxRow] {
        &self.rows
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn get(&self, id: &str) -> Option<&InboxRow> {
        self.rows.iter().find(|row| row.question.id == id)
    }

    /// The index of a question, the oldest being 0.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.rows.iter().position(|row| row.question.id == id)
    }

    pub fn selected(&self) -> Option<&InboxRow> {
        self.rows.get(self.selected)
    }

    pub fn selected_at(&self) -> usize {
        self.selected
    }

    pub fn select(&mut self, at: usize) {
        self.selected = at;
        self.clamp();
    }

    /// Moves the selection by rows, down for positive numbers.
    pub fn step(&mut self, rows: isize) {
        self.select(self.selected.saturating_add_signed(rows));
    }

    pub fn select_id(&mut self, id: &str) {
        if let Some(at) = self.position(id) {
            self.selected = at;
        }
    }

    pub fn mark_sent(&mut self, id: &str) {
        self.sent.insert(id.to_owned());
    }

    pub fn unmark_sent(&mut self, id: &str) {
        self.sent.remove(id);
    }

    /// Questions without an answer.
    fn unanswered(&self) -> impl DoubleEndedIterator<Item = &InboxRow> {
        self.rows.iter().filter(|row| !self.sent.contains(&row.question.id))
    }

    pub fn oldest(&self) -> Option<&InboxRow> {
        self.unanswered().next()
    }

    /// The next question after `id`, wrapping around to the oldest.
    pub fn after(&self, id: Option<&str>) -> Option<&InboxRow> {
        let at = id.and_then(|id| self.position(id)).map_or(0, |at| at + 1);
        let later = self.rows.get(at..).unwrap_or_default();
        let open = |row: &&InboxRow| !self.sent.contains(&row.question.id);
        later.iter().find(open).or_else(|| self.oldest())
    }

    /// The question before `id`, wrapping around to the newest.
    pub fn before(&self, id: Option<&str>) -> Option<&InboxRow> {
        let at = id.and_then(|id| self.position(id)).unwrap_or(0);
        let earlier = self.rows.get(..at).unwrap_or_default();
        let open = |row: &&InboxRow| !self.sent.contains(&row.question.id);
        earlier.iter().rev().find(open).or_else(|| self.unanswered().next_back())
    }

    fn clamp(&mut self) {
        self.selected = self.selected.min(self.rows.len().saturating_sub(1));
    }
}
