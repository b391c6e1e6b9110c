//! The text of a field: a text area of `tui_textarea`, which has the text, the caret, the selection, the
//! edits to undo and the cut text. Added here: the caret is always between two units, whole units are
//! deleted, long pastes are chips, and edits are undone in groups.
//!
//! The area addresses lines and characters with 16 bits and scans all of its text after each edit, so its
//! text is bounded: a larger text becomes a chip.

use std::ops::Range;

use tui_textarea::{CursorMove, TextArea};

use super::chips::{Chip, ChipKind, Chips, is_mark, without_marks};
use super::groups::{EditKind, MAX_EDITS, UndoGroups};
use super::moves::{Goal, Place, border_from, position};
use crate::model::{DraftImage, DraftPart, attached};

/// The most lines, and the most bytes in a line, that the area has.
const MAX_LINES: usize = 60_000;
/// The most bytes that it has.
const MAX_SHOWN_BYTES: usize = 256 * 1024;

#[derive(Debug, Clone)]
pub struct EditBuffer {
    area: TextArea<'static>,
    chips: Chips,
    groups: UndoGroups,
}

/// The result of opening a chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChipOpened {
    Opened,
    /// No chip is at the caret.
    NoChip,
    /// Its text is too large to be shown here.
    TooLarge,
    /// An image that is not a file.
    NoText,
}

impl Default for EditBuffer {
    fn default() -> Self {
        Self::new("")
    }
}

impl EditBuffer {
    /// Makes it with the caret at the end.
    pub fn new(text: &str) -> Self {
        let mut chips = Chips::default();
        let text = without_marks(text);
        let shown = if is_small(&text) { text } else { folded(&mut chips, text) };
        Self::with(&shown, chips)
    }

    /// Makes it with the images of a draft as chips.
    pub fn of_draft(draft: &str) -> Self {
        let mut chips = Chips::default();
        let parts: Vec<DraftPart<'_>> = attached::parts(draft).collect();
        let room = MAX_SHOWN_BYTES.saturating_sub(parts.len() * char::MAX.len_utf8());
        let texts = parts.iter().filter_map(|part| match part {
            DraftPart::Text(text) => Some(*text),
            DraftPart::Image(_) => None,
        });
        let is_small = is_small_in(&texts.collect::<Vec<_>>().concat(), room);
        let shown = parts.into_iter().map(|part| match part {
            DraftPart::Text(text) if is_small => without_marks(text),
            DraftPart::Text(text) => folded(&mut chips, without_marks(text)),
            DraftPart::Image(image) => {
                let chip = chips.add(Chip::of_image(&image));
                chip.map_or_else(|| image.reference(), String::from)
            }
        });
        let shown: String = shown.collect();
        Self::with(&shown, chips)
    }

    fn with(shown: &str, chips: Chips) -> Self {
        let mut area = TextArea::new(shown.split('\n').map(str::to_owned).collect());
        area.set_max_histories(MAX_EDITS + 1);
        area.move_cursor(CursorMove::Bottom);
        area.move_cursor(CursorMove::End);
        Self { area, chips, groups: UndoGroups::default() }
    }

    /// The lines of the area, with marks for chips.
    pub fn lines(&self) -> &[String] {
        self.area.lines()
    }

    pub fn line(&self, row: usize) -> &str {
        self.lines().get(row).map_or("", String::as_str)
    }

    /// Returns the whole text, that of chips included.
    pub fn text(&self) -> String {
        self.chips.whole(&self.lines().join("\n"))
    }

    /// The bytes of the whole text.
    pub fn len(&self) -> usize {
        let lines = self.lines().iter().map(|line| self.chips.whole_len(line) + 1);
        lines.sum::<usize>().saturating_sub(1)
    }

    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    pub fn chips(&self) -> &Chips {
        &self.chips
    }

    /// True if a chip is in the text.
    pub fn has_chips(&self) -> bool {
        self.lines().iter().any(|line| line.contains(is_mark))
    }

    pub fn caret(&self) -> Place {
        let cursor = self.area.cursor();
        let line = self.line(cursor.0);
        let byte = line.char_indices().nth(cursor.1).map_or(line.len(), |(at, _)| at);
        Place { row: cursor.0, byte }
    }

    /// Moves the caret, to the next border between units.
    pub fn move_to(&mut self, at: Place) {
        self.jump(at);
        self.groups.end_word();
    }

    pub fn go(&mut self, goal: Goal) {
        self.move_to(position(self, goal));
    }

    fn jump(&mut self, at: Place) {
        let line = self.line(at.row);
        let column = line.get(..border_from(line, at.byte)).map_or(0, |part| part.chars().count());
        let cells = |count| u16::try_from(count).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(cells(at.row), cells(column)));
    }

    /// True if the text fits at the caret as text, not as a chip.
    pub fn can_show(&self, text: &str) -> bool {
        let lines = self.lines();
        let bytes = lines.iter().map(|line| line.len() + 1).sum::<usize>() + text.len();
        let added = text.matches('\n').count();
        let longest = text.split('\n').map(str::len).max().unwrap_or(0);
        let here = self.line(self.area.cursor().0).len();
        bytes <= MAX_SHOWN_BYTES && lines.len() + added <= MAX_LINES && longest + here <= MAX_LINES
    }

    /// Inserts at the caret, which is then after it; false if that is too much.
    pub fn insert(&mut self, text: &str, kind: EditKind) -> bool {
        let caret = self.caret();
        self.replace(caret..caret, text, kind)
    }

    /// Inserts text shown as a label; false if there are many chips already.
    pub fn insert_chip(&mut self, chip: Chip) -> bool {
        let chip = Chip { text: without_marks(&chip.text), ..chip };
        if chip.text.is_empty() && chip.kind == ChipKind::Text {
            return false;
        }
        let Some(mark) = self.chips.add(chip) else { return false };
        let caret = self.caret();
        self.put(caret..caret, &mark.to_string(), EditKind::Whole)
    }

    /// Removes the text between the caret and the goal; false if there is none.
    pub fn delete(&mut self, goal: Goal) -> bool {
        self.put(self.range_to(goal), "", EditKind::Whole)
    }

    /// As [`EditBuffer::delete`], and [`EditBuffer::yank`] inserts it again.
    pub fn cut(&mut self, goal: Goal) -> bool {
        self.cut_range(&self.range_to(goal))
    }

    /// Removes a part, and [`EditBuffer::yank`] inserts it again; false if that is nothing.
    pub fn cut_range(&mut self, range: &Range<Place>) -> bool {
        let bytes = self.bytes_in(range);
        if range.is_empty() || !self.may_remove(range) {
            return false;
        }
        self.make_space(bytes);
        self.select(range);
        let cut = self.area.cut();
        self.made(usize::from(cut), bytes, EditKind::Whole);
        cut
    }

    /// As [`EditBuffer::cut_range`], but keeps the text.
    pub fn copy_range(&mut self, range: &Range<Place>) {
        if !range.is_empty() {
            self.select(range);
            self.area.copy();
        }
    }

    /// Removes a part; the cut text stays.
    pub fn remove(&mut self, range: Range<Place>) -> bool {
        self.put(range, "", EditKind::Whole)
    }

    /// Starts a selection that extends with the caret.
    pub fn start_selection(&mut self) {
        if !self.area.is_selecting() {
            self.area.start_selection();
        }
    }

    pub fn stop_selection(&mut self) {
        self.area.cancel_selection();
    }

    /// Returns the start of the selection; `None` if there is none.
    pub fn anchor(&self) -> Option<Place> {
        let (start, end) = self.area.selection_range()?;
        let (row, column) = if self.area.cursor() == start { end } else { start };
        let line = self.line(row);
        let byte = line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
        Some(Place { row, byte })
    }

    /// Moves the caret to the other end of the selection.
    pub fn swap_ends(&mut self) {
        let Some(anchor) = self.anchor() else { return };
        self.stop_selection();
        self.start_selection();
        self.jump(anchor);
    }

    /// Inserts the cut text; false if there is none, or too much.
    pub fn yank(&mut self) -> bool {
        let caret = self.caret();
        self.put_shown(caret..caret, &self.area.yank_text())
    }

    /// Returns the last cut, with the texts of chips and the names of images: elsewhere nothing is attached.
    pub fn cut_text(&self) -> String {
        attached::content(&self.chips.whole(&self.area.yank_text()))
    }

    pub fn set_cut_text(&mut self, text: &str) {
        let text = without_marks(text);
        if is_small(&text) {
            self.area.set_yank_text(text);
        }
    }

    /// Returns the last cut, with marks for chips.
    pub fn cut_shown(&self) -> String {
        self.area.yank_text()
    }

    /// Sets the cut text, which comes from this field.
    pub fn set_cut_shown(&mut self, shown: String) {
        self.area.set_yank_text(shown);
    }

    /// A part of the text, with marks for chips.
    pub fn shown_in(&self, range: &Range<Place>) -> String {
        let rows = self.lines().iter().enumerate().take(range.end.row + 1).skip(range.start.row);
        let parts = rows.map(|(row, line)| {
            let start = if row == range.start.row { range.start.byte } else { 0 };
            let end = if row == range.end.row { range.end.byte } else { line.len() };
            line.get(start..end).unwrap_or_default()
        });
        parts.collect::<Vec<_>>().join("\n")
    }

    /// Replaces a part with text that came from this one; false if that is too much, or nothing.
    pub fn put_shown(&mut self, range: Range<Place>, shown: &str) -> bool {
        self.can_show(shown) && self.put(range, shown, EditKind::Whole)
    }

    fn range_to(&self, goal: Goal) -> Range<Place> {
        let (caret, other) = (self.caret(), position(self, goal));
        caret.min(other)..caret.max(other)
    }

    /// Replaces the whole text; one undo brings it back.
    pub fn replace_all(&mut self, text: &str) {
        let text = without_marks(text);
        let all = Place::default()..position(self, Goal::Bottom);
        if is_small(&text) {
            self.put(all, &text, EditKind::Whole);
        } else if let Some(mark) = self.chips.add(large(text)) {
            self.put(all, &mark.to_string(), EditKind::Whole);
        }
    }

    /// Replaces a part with text from outside; false if that is too much, or nothing.
    pub fn replace(&mut self, range: Range<Place>, text: &str, kind: EditKind) -> bool {
        let text = without_marks(text);
        self.can_show(&text) && self.put(range, &text, kind)
    }

    fn put(&mut self, range: Range<Place>, shown: &str, kind: EditKind) -> bool {
        self.area.cancel_selection();
        let removed = self.bytes_in(&range);
        let empty = range.is_empty() || !self.may_remove(&range);
        if empty && (shown.is_empty() || !range.is_empty()) {
            return false;
        }
        let bytes = removed + shown.len();
        self.make_space(bytes);
        let mut edits = 0;
        if range.is_empty() {
            self.jump(range.start);
        } else {
            // Deleted as a selection, so that the cut text stays.
            self.select(&range);
            edits += usize::from(self.area.delete_char());
        }
        edits += usize::from(self.area.insert_str(shown));
        self.made(edits, bytes, kind);
        edits > 0
    }

    /// False if removing the range would join lines to one that is too long.
    pub fn may_remove(&self, range: &Range<Place>) -> bool {
        let rest = self.line(range.end.row).len().saturating_sub(range.end.byte);
        range.start.row == range.end.row || range.start.byte + rest <= MAX_LINES
    }

    fn bytes_in(&self, range: &Range<Place>) -> usize {
        let rows = range.start.row..range.end.row;
        let before: usize = rows.map(|row| self.line(row).len() + 1).sum();
        (before + range.end.byte).saturating_sub(range.start.byte)
    }

    /// Selects a part, with the caret at its end.
    fn select(&mut self, range: &Range<Place>) {
        self.area.cancel_selection();
        self.jump(range.start);
        self.area.start_selection();
        self.jump(range.end);
    }

    /// Forgets the edits that were made, if with the next one there would be too many.
    fn make_space(&mut self, bytes: usize) {
        if self.groups.are_full(bytes) {
            self.groups = UndoGroups::default();
            self.area.set_max_histories(MAX_EDITS + 1);
        }
    }

    /// Records edits: the caret moves on to a border, as when typed text joins the text after it.
    fn made(&mut self, edits: usize, bytes: usize, kind: EditKind) {
        if edits > 0 {
            self.groups.push(edits, bytes, kind);
        }
        self.jump(self.caret());
    }

    /// Undoes the last change; false if there is none.
    pub fn undo(&mut self) -> bool {
        let edits = self.groups.undo();
        for _ in 0..edits.unwrap_or(0) {
            self.area.undo();
        }
        self.jump(self.caret());
        edits.is_some()
    }

    /// Redoes the last undone change; false if there is none.
    pub fn redo(&mut self) -> bool {
        let edits = self.groups.redo();
        for _ in 0..edits.unwrap_or(0) {
            self.area.redo();
        }
        self.jump(self.caret());
        edits.is_some()
    }

    /// Returns the mark that the caret touches, the one before it first; blanks may be between.
    fn chip_here(&self) -> Option<(Place, char)> {
        let caret = self.caret();
        let (before, after) = self.line(caret.row).split_at_checked(caret.byte)?;
        let before = before.trim_end_matches(' ');
        let last = before.chars().next_back().filter(|c| is_mark(*c));
        let last = last.map(|mark| (before.len() - mark.len_utf8(), mark));
        let next = after.chars().next().filter(|c| is_mark(*c)).map(|mark| (caret.byte, mark));
        last.or(next).map(|(byte, mark)| (Place { byte, ..caret }, mark))
    }

    /// The image with this number was read, or with `None` was not; false if its chip is not known here.
    pub fn image_read(&mut self, number: u64, image: Option<&DraftImage>) -> bool {
        let Some(mark) = self.chips.reading(number) else { return false };
        if let Some(image) = image {
            self.chips.set(mark, Chip::of_image(image));
            return true;
        }
        let text = self.chips.get(mark).map(|chip| chip.text.clone()).unwrap_or_default();
        // If its removal is undone, it is plain text.
        self.chips.set(mark, Chip::of_text(text.clone(), text.clone()));
        let find = |(row, line): (usize, &String)| Some(Place { row, byte: line.find(mark)? });
        if let Some(start) = self.lines().iter().enumerate().find_map(find) {
            let mut end = Place { byte: start.byte + mark.len_utf8(), ..start };
            // Without a text, the blank after it is removed too.
            let blank = self.line(start.row).get(end.byte..).is_some_and(|it| it.starts_with(' '));
            end.byte += usize::from(blank && text.is_empty());
            self.replace_beside_caret(start..end, &text);
        }
        true
    }

    /// Replaces a part; the caret stays beside the same characters.
    fn replace_beside_caret(&mut self, range: Range<Place>, text: &str) {
        let (caret, Range { start, end }) = (self.caret(), range.clone());
        if self.replace(range, text, EditKind::Whole) {
            let moves = caret.row == start.row && caret.byte >= end.byte;
            let byte = start.byte + text.len() + caret.byte.saturating_sub(end.byte);
            self.move_to(if moves { Place { byte, ..caret } } else { caret });
        }
    }

    /// True if a chip of this kind is in the text.
    pub fn has_chip(&self, is_it: impl Fn(&ChipKind) -> bool) -> bool {
        let lines = self.lines().iter().filter(|_| !self.chips.is_empty());
        let marks = lines.flat_map(|line| line.chars().filter(|c| is_mark(*c)));
        marks.filter_map(|mark| self.chips.get(mark)).any(|chip| is_it(&chip.kind))
    }

    /// Shows the text of the chip that the caret touches, with the caret at its start.
    pub fn open_chip(&mut self) -> ChipOpened {
        let Some((start, mark)) = self.chip_here() else { return ChipOpened::NoChip };
        let Some(chip) = self.chips.get(mark) else { return ChipOpened::NoChip };
        let text = match &chip.kind {
            ChipKind::Image { from } if from.is_empty() => return ChipOpened::NoText,
            ChipKind::Image { from } => without_marks(from),
            ChipKind::Text | ChipKind::Reading(_) => chip.text.clone(),
        };
        if !self.can_show(&text) {
            return ChipOpened::TooLarge;
        }
        let end = Place { byte: start.byte + mark.len_utf8(), ..start };
        self.put(start..end, &text, EditKind::Whole);
        self.move_to(start);
        ChipOpened::Opened
    }
}

/// True if the text can be all that an area has.
fn is_small(text: &str) -> bool {
    is_small_in(text, MAX_SHOWN_BYTES)
}

fn is_small_in(text: &str, bytes: usize) -> bool {
    let mut lines = 0;
    let longest = text.split('\n').inspect(|_| lines += 1).map(str::len).max().unwrap_or(0);
    text.len() <= bytes && lines <= MAX_LINES && longest <= MAX_LINES
}

/// A chip for text that is too large for the area.
fn large(text: String) -> Chip {
    let label = size_label(&text);
    Chip::of_text(text, label)
}

/// A label that is the same in all languages.
pub fn size_label(text: &str) -> String {
    format!("[{} kB]", text.len().div_ceil(1000))
}

fn folded(chips: &mut Chips, text: String) -> String {
    chips.add(large(text)).map(String::from).unwrap_or_default()
}
