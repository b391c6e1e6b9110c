//! Which edits of the text area are undone together: a typed word, or the effect of one key. The text area
//! keeps the edits themselves. It drops the oldest one when it has [`MAX_EDITS`] + 1; groups are dropped
//! before that, so that the area always has all edits of the groups that are here.

use std::collections::VecDeque;

/// The most edits in all groups.
pub const MAX_EDITS: usize = 1000;
/// The most edits in one group.
const MAX_IN_GROUP: usize = 100;
/// The most bytes of text that the edits keep.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// How a change relates to the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditKind {
    /// A character was typed: part of the word before it.
    Typed(char),
    /// Undone alone.
    Whole,
}

#[derive(Debug, Clone, Default)]
pub struct UndoGroups {
    /// The number of edits in each group.
    done: VecDeque<usize>,
    undone: Vec<usize>,
    /// Bytes of all edits that the text area may still have.
    bytes: usize,
    /// The last character of a word that may go on.
    word: Option<char>,
}

impl UndoGroups {
    /// True if this many more bytes are too much.
    pub fn are_full(&self, bytes: usize) -> bool {
        self.bytes + bytes > MAX_BYTES
    }

    /// Records a group of edits.
    pub fn push(&mut self, edits: usize, bytes: usize, kind: EditKind) {
        self.bytes += bytes;
        self.undone.clear();
        let goes_on = |last: &char, c: char| !last.is_whitespace() || c.is_whitespace();
        let typed = match kind {
            EditKind::Typed(c) => Some(c),
            EditKind::Whole => None,
        };
        let is_word = typed.is_some_and(|c| self.word.is_some_and(|last| goes_on(&last, c)));
        match self.done.back_mut().filter(|group| is_word && **group < MAX_IN_GROUP) {
            Some(group) => *group += edits,
            None => self.done.push_back(edits),
        }
        self.word = typed;
        while self.done.iter().sum::<usize>() > MAX_EDITS {
            self.done.pop_front();
        }
    }

    /// Ends the group after a move of the caret: the next typed character begins another change.
    pub fn end_word(&mut self) {
        self.word = None;
    }

    /// The number of edits to undo.
    pub fn undo(&mut self) -> Option<usize> {
        self.word = None;
        let edits = self.done.pop_back()?;
        self.undone.push(edits);
        Some(edits)
    }

    /// The number of edits to do again.
    pub fn redo(&mut self) -> Option<usize> {
        let edits = self.undone.pop()?;
        self.done.push_back(edits);
        Some(edits)
    }
}
