//! The changes of a text that can be undone and done again.
//!
//! A word that is typed is one change. The memory is bounded: the oldest changes are forgotten.

use std::collections::VecDeque;

use super::chips::Chip;

/// The most changes that can be undone.
const MAX_EDITS: usize = 500;
/// The most bytes of text that they keep.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Where the caret and the chips were.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks {
    pub caret: usize,
    pub chips: Vec<Chip>,
}

/// A part of the text was replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub at: usize,
    pub removed: String,
    pub inserted: String,
    pub before: Marks,
    pub after: Marks,
}

impl Edit {
    fn bytes(&self) -> usize {
        self.removed.len() + self.inserted.len()
    }

    /// True if `next` goes on with the word that this one typed.
    fn is_continued_by(&self, next: &Self) -> bool {
        let typed = self.removed.is_empty() && next.removed.is_empty();
        let ends_blank = self.inserted.ends_with(char::is_whitespace);
        let starts_blank = next.inserted.starts_with(char::is_whitespace);
        typed && self.at + self.inserted.len() == next.at && (!ends_blank || starts_blank)
    }
}

/// How a change relates to the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditKind {
    /// A character was typed: part of the word before it.
    Typed,
    /// Undone for itself.
    Whole,
}

#[derive(Debug, Clone, Default)]
pub struct UndoLog {
    done: VecDeque<Edit>,
    undone: Vec<Edit>,
    bytes: usize,
    /// The last change is a word that may go on.
    word_open: bool,
}

impl UndoLog {
    pub fn push(&mut self, edit: Edit, kind: EditKind) {
        self.bytes += edit.bytes();
        self.bytes -= self.undone.drain(..).map(|edit| edit.bytes()).sum::<usize>();
        let word = self.done.back_mut().filter(|_| self.word_open && kind == EditKind::Typed);
        match word.filter(|word| word.is_continued_by(&edit)) {
            Some(word) => {
                word.inserted.push_str(&edit.inserted);
                word.after = edit.after;
            }
            None => self.done.push_back(edit),
        }
        self.word_open = kind == EditKind::Typed;
        while self.done.len() > MAX_EDITS || self.bytes > MAX_BYTES {
            let Some(oldest) = self.done.pop_front() else { break };
            self.bytes -= oldest.bytes();
        }
    }

    /// The caret was moved: what is typed next is another change.
    pub fn end_word(&mut self) {
        self.word_open = false;
    }

    /// The last change, which is to be undone now.
    pub fn undo(&mut self) -> Option<&Edit> {
        self.word_open = false;
        self.undone.push(self.done.pop_back()?);
        self.undone.last()
    }

    /// The change undone last, which is to be done again now.
    pub fn redo(&mut self) -> Option<&Edit> {
        self.done.push_back(self.undone.pop()?);
        self.done.back()
    }
}
