//! The text of a field with its caret, its chips and its undo.
//!
//! The text is a sequence of units: grapheme clusters, line feeds and chips. The caret is always between
//! two units, and whole units are deleted.

use std::ops::Range;

use super::chips::{Chip, MAX_CHIPS};
use super::undo::{Edit, EditKind, Marks, UndoLog};
use crate::ui::text::width::clusters;

#[derive(Debug, Clone, Default)]
pub struct EditBuffer {
    text: String,
    caret: usize,
    /// In order, not empty, not overlapping.
    chips: Vec<Chip>,
    log: UndoLog,
}

/// A position that is reached from the caret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    Left,
    Right,
    WordLeft,
    WordRight,
    LineStart,
    LineEnd,
    Top,
    Bottom,
}

/// What a unit is for moves by words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UnitKind {
    Blank,
    Word,
    Mark,
    Chip,
}

impl EditBuffer {
    /// With the caret at the end.
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned(), caret: text.len(), ..Self::default() }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn caret(&self) -> usize {
        self.caret
    }

    pub fn chips(&self) -> &[Chip] {
        &self.chips
    }

    /// Moves the caret, to the next border between units.
    pub fn move_to(&mut self, at: usize) {
        self.caret = self.border_from(at);
        self.log.end_word();
    }

    pub fn go(&mut self, goal: Goal) {
        self.move_to(self.position(goal));
    }

    /// Inserts at the caret, which is then after it.
    pub fn insert(&mut self, text: &str, kind: EditKind) {
        self.replace(self.caret..self.caret, text, kind);
    }

    /// Inserts text shown as a chip; in full if there are many chips already.
    pub fn insert_chip(&mut self, text: &str, label: String) {
        let start = self.caret;
        let chip = Chip { range: start..start + text.len(), label };
        let shown = (self.chips.len() < MAX_CHIPS && !text.is_empty()).then_some(chip);
        self.edit(start..start, text, shown, EditKind::Whole);
    }

    /// Removes what is between the caret and the goal, and returns it.
    pub fn delete(&mut self, goal: Goal) -> String {
        let other = self.position(goal);
        let range = self.caret.min(other)..self.caret.max(other);
        let removed = self.part(&range).to_owned();
        self.replace(range, "", EditKind::Whole);
        removed
    }

    /// Replaces the whole text; one undo brings it back.
    pub fn replace_all(&mut self, text: &str) {
        self.replace(0..self.text.len(), text, EditKind::Whole);
    }

    pub fn replace(&mut self, range: Range<usize>, text: &str, kind: EditKind) {
        self.edit(range, text, None, kind);
    }

    fn edit(&mut self, range: Range<usize>, text: &str, chip: Option<Chip>, kind: EditKind) {
        let removed = self.part(&range).to_owned();
        if removed.is_empty() && text.is_empty() {
            return;
        }
        let before = self.marks();
        let kept = self.chips.drain(..).filter_map(|old| old.after_edit(&range, text.len()));
        self.chips = kept.chain(chip).collect();
        self.chips.sort_by_key(|chip| chip.range.start);
        self.text.replace_range(range.clone(), text);
        self.caret = self.border_from(range.start + text.len());
        let (after, inserted) = (self.marks(), text.to_owned());
        self.log.push(Edit { at: range.start, removed, inserted, before, after }, kind);
    }

    /// Undoes the last change; false if there is none.
    pub fn undo(&mut self) -> bool {
        let Some(edit) = self.log.undo() else { return false };
        let range = edit.at..edit.at + edit.inserted.len();
        self.text.replace_range(range, &edit.removed);
        (self.caret, self.chips) = (edit.before.caret, edit.before.chips.clone());
        true
    }

    /// Does again what was undone last; false if there is nothing.
    pub fn redo(&mut self) -> bool {
        let Some(edit) = self.log.redo() else { return false };
        let range = edit.at..edit.at + edit.removed.len();
        self.text.replace_range(range, &edit.inserted);
        (self.caret, self.chips) = (edit.after.caret, edit.after.chips.clone());
        true
    }

    /// The chip that the caret touches, the one before it first.
    pub fn chip_here(&self) -> Option<&Chip> {
        let ends = self.chips.iter().find(|chip| chip.range.end == self.caret);
        ends.or_else(|| self.chips.iter().find(|chip| chip.range.start == self.caret))
    }

    /// Shows the text of the chip that the caret touches, with the caret at its start; false if there is
    /// none.
    pub fn open_chip(&mut self) -> bool {
        let Some(start) = self.chip_here().map(|chip| chip.range.start) else {
            return false;
        };
        self.chips.retain(|chip| chip.range.start != start);
        self.move_to(start);
        true
    }

    fn marks(&self) -> Marks {
        Marks { caret: self.caret, chips: self.chips.clone() }
    }

    pub fn part(&self, range: &Range<usize>) -> &str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    /// The line around a position, without its line feed. Line feeds inside of chips do not count.
    pub fn line_at(&self, at: usize) -> Range<usize> {
        self.line_start(at)..self.line_end(at)
    }

    fn line_start(&self, at: usize) -> usize {
        let mut until = at;
        while let Some(found) = self.text.get(..until).and_then(|text| text.rfind('\n')) {
            match self.chip_over(found) {
                Some(chip) => until = chip.range.start,
                None => return found + 1,
            }
        }
        0
    }

    fn line_end(&self, at: usize) -> usize {
        let mut from = at;
        while let Some(found) = self.text.get(from..).and_then(|text| text.find('\n')) {
            match self.chip_over(from + found) {
                Some(chip) => from = chip.range.end,
                None => return from + found,
            }
        }
        self.text.len()
    }

    fn chip_over(&self, byte: usize) -> Option<&Chip> {
        self.chips.iter().find(|chip| chip.range.contains(&byte))
    }

    /// The units of a line, in order, without gaps.
    pub fn units(&self, line: &Range<usize>) -> Vec<Range<usize>> {
        let mut units = Vec::new();
        let mut at = line.start;
        let inside = |chip: &&Chip| line.start <= chip.range.start && chip.range.end <= line.end;
        for chip in self.chips.iter().filter(inside) {
            self.push_clusters(at..chip.range.start, &mut units);
            units.push(chip.range.clone());
            at = chip.range.end;
        }
        self.push_clusters(at..line.end, &mut units);
        units
    }

    fn push_clusters(&self, range: Range<usize>, units: &mut Vec<Range<usize>>) {
        let found = clusters(self.part(&range));
        units.extend(found.map(|one| range.start + one.start..range.start + one.end()));
    }

    /// This position, or the end of the unit that it is in.
    fn border_from(&self, at: usize) -> usize {
        let at = at.min(self.text.len());
        if let Some(chip) = self.chips.iter().find(|c| c.range.start < at && at < c.range.end) {
            return chip.range.end;
        }
        let line = self.line_at(at);
        self.units(&line).iter().find(|unit| unit.start < at && at < unit.end).map_or(at, |u| u.end)
    }

    fn position(&self, goal: Goal) -> usize {
        match goal {
            Goal::Left => self.before(self.caret),
            Goal::Right => self.after(self.caret),
            Goal::WordLeft => self.over_word(Self::before, |at, next| next..at),
            Goal::WordRight => self.over_word(Self::after, |at, next| at..next),
            Goal::LineStart => self.line_start(self.caret),
            Goal::LineEnd => self.line_end(self.caret),
            Goal::Top => 0,
            Goal::Bottom => self.text.len(),
        }
    }

    /// The border before this one; line feeds are units too.
    fn before(&self, at: usize) -> usize {
        let units = self.units(&(self.line_start(at)..at));
        units.last().map_or(at.saturating_sub(1), |unit| unit.start)
    }

    /// The border after this one.
    fn after(&self, at: usize) -> usize {
        let units = self.units(&(at..self.line_end(at)));
        units.first().map_or((at + 1).min(self.text.len()), |unit| unit.end)
    }

    /// Over blanks, then over what is of one kind.
    fn over_word(
        &self,
        step: fn(&Self, usize) -> usize,
        between: fn(usize, usize) -> Range<usize>,
    ) -> usize {
        let (mut at, mut kind) = (self.caret, UnitKind::Blank);
        loop {
            let next = step(self, at);
            let found = self.kind_of(&between(at, next));
            let goes_on = kind == UnitKind::Blank || (found == kind && kind != UnitKind::Chip);
            if next == at || !goes_on {
                return at;
            }
            (at, kind) = (next, found);
        }
    }

    fn kind_of(&self, unit: &Range<usize>) -> UnitKind {
        if self.chips.iter().any(|chip| chip.range == *unit) {
            return UnitKind::Chip;
        }
        match self.part(unit).chars().next() {
            Some(c) if c.is_alphanumeric() || c == '_' => UnitKind::Word,
            Some(c) if c.is_whitespace() => UnitKind::Blank,
            Some(_) | None => UnitKind::Mark,
        }
    }
}
