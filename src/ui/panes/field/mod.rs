//! A text field: a text area of `tui_textarea` with the keys of this program.
//!
//! The area's own drawing (`WrapMode::WordOrGlyph`) is not used. It draws the caret as one styled cell, while
//! input methods need the terminal's cursor; it counts the width of characters where the rest of the screen
//! counts that of clusters; it shows text as it is, not cleaned; and a chip, which is one character of the
//! area, is shown as a label. The rows are made here from the lines of the area and its caret.

mod buffer;
mod chips;
mod groups;
mod keys;
mod moves;
mod rows;
#[cfg(test)]
mod tests;
mod vi;

use std::ops::Range;

use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

pub use self::buffer::ChipOpened;
use self::buffer::EditBuffer;
use self::chips::{Chip, ChipKind, is_mark};
use self::groups::EditKind;
pub use self::keys::{EDIT_KEYS, EditKeys, VI_EDIT_KEYS, meaning_of};
use self::moves::Goal;
pub use self::moves::Place;
use self::rows::RowPart;
pub use self::vi::{BegunCommand, ViKeys, ViMode, ViOutcome};
use super::strip::Strip;
use crate::model::{DraftImage, DraftPart, attached};

/// The size limit of a field in bytes.
pub const MAX_BYTES: usize = 1024 * 1024;
/// Rows that a page key moves.
const PAGE: usize = 8;
/// Stands for a width before the field was laid out: lines are not broken.
const UNBROKEN: usize = usize::MAX / 2;

#[derive(Debug, Clone, Default)]
pub struct Field {
    buffer: EditBuffer,
    /// The width of its rows; `None` before it was laid out.
    cells: Option<usize>,
    /// The column that moves by rows keep.
    column: Option<usize>,
    /// The range that visual mode covers.
    marked: Option<Range<Place>>,
}

/// The effect of a key on the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stroke {
    Type(char),
    Go(Goal),
    Delete(Goal),
    /// Deletes text that can be inserted again.
    Cut(Goal),
    Yank,
    Rows {
        down: bool,
        count: usize,
    },
}

/// The strokes of keys that type nothing: alone, and with Ctrl or Alt.
const STROKES: [(KeyCode, Stroke, Stroke); 10] = [
    (KeyCode::Backspace, Stroke::Delete(Goal::Left), Stroke::Cut(Goal::WordLeft)),
    (KeyCode::Delete, Stroke::Delete(Goal::Right), Stroke::Cut(Goal::WordRight)),
    (KeyCode::Left, Stroke::Go(Goal::Left), Stroke::Go(Goal::WordLeft)),
    (KeyCode::Right, Stroke::Go(Goal::Right), Stroke::Go(Goal::WordRight)),
    (KeyCode::Home, Stroke::Go(Goal::LineStart), Stroke::Go(Goal::Top)),
    (KeyCode::End, Stroke::Go(Goal::LineEnd), Stroke::Go(Goal::Bottom)),
    (KeyCode::Up, Stroke::UP, Stroke::UP),
    (KeyCode::Down, Stroke::DOWN, Stroke::DOWN),
    (KeyCode::PageUp, Stroke::PAGE_UP, Stroke::PAGE_UP),
    (KeyCode::PageDown, Stroke::PAGE_DOWN, Stroke::PAGE_DOWN),
];

impl Stroke {
    const UP: Self = Self::Rows { down: false, count: 1 };
    const DOWN: Self = Self::Rows { down: true, count: 1 };
    const PAGE_UP: Self = Self::Rows { down: false, count: PAGE };
    const PAGE_DOWN: Self = Self::Rows { down: true, count: PAGE };

    /// `None` if the key does nothing here.
    fn of(key: KeyEvent) -> Option<Self> {
        let held = key.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT);
        if let KeyCode::Char(c) = key.code {
            return Self::of_char(c, held);
        }
        let (_, alone, with) = STROKES.iter().find(|(code, ..)| *code == key.code)?;
        Some(if held.is_empty() { *alone } else { *with })
    }

    fn of_char(c: char, held: KeyModifiers) -> Option<Self> {
        match held {
            KeyModifiers::CONTROL => Self::of_ctrl(c),
            KeyModifiers::ALT => Self::of_alt(c),
            _ => (!c.is_control()).then_some(Self::Type(c)),
        }
    }

    fn of_ctrl(c: char) -> Option<Self> {
        Some(match c {
            'a' => Self::Go(Goal::LineStart),
            'b' => Self::Go(Goal::Left),
            'd' => Self::Delete(Goal::Right),
            'e' => Self::Go(Goal::LineEnd),
            'f' => Self::Go(Goal::Right),
            'h' => Self::Delete(Goal::Left),
            'k' => Self::Cut(Goal::LineEnd),
            'n' => Self::DOWN,
            'p' => Self::UP,
            'u' => Self::Cut(Goal::LineStart),
            'w' => Self::Cut(Goal::WordLeft),
            'y' => Self::Yank,
            _ => return None,
        })
    }

    fn of_alt(c: char) -> Option<Self> {
        Some(match c {
            'b' => Self::Go(Goal::WordLeft),
            'f' => Self::Go(Goal::WordRight),
            'd' => Self::Cut(Goal::WordRight),
            'h' => Self::Cut(Goal::WordLeft),
            '<' => Self::Go(Goal::Top),
            '>' => Self::Go(Goal::Bottom),
            _ => return None,
        })
    }
}

impl Field {
    pub fn new(text: &str) -> Self {
        Self { buffer: EditBuffer::new(text), ..Self::default() }
    }

    /// Makes it with the images of a draft as chips.
    pub fn of_draft(draft: &str) -> Self {
        Self { buffer: EditBuffer::of_draft(draft), ..Self::default() }
    }

    /// As [`Field::set`], with the images of a draft as chips.
    pub fn set_draft(&mut self, draft: &str) {
        self.set_buffer(EditBuffer::of_draft(draft));
    }

    /// Inserts a draft with its images; false if it is too long.
    pub fn paste_draft(&mut self, draft: &str) -> bool {
        self.has_space(draft)
            && attached::parts(draft).all(|part| match part {
                DraftPart::Text(text) => self.paste(text),
                DraftPart::Image(image) => self.insert_image(&image),
            })
    }

    /// Inserts a draft before all of the text; the caret stays where it is in the text. False if it is too long.
    pub fn prepend_draft(&mut self, draft: &str) -> bool {
        let caret = self.buffer.caret();
        self.buffer.move_to(Place::default());
        let done = self.paste_draft(draft);
        let end = self.buffer.caret();
        let byte = if caret.row == 0 { end.byte + caret.byte } else { caret.byte };
        self.buffer.move_to(Place { row: end.row + caret.row, byte });
        done
    }

    /// Inserts the path of an image that is being read, as a label; false if there are many chips already, or it
    /// is too long.
    pub fn insert_reading(&mut self, number: u64, path: &str, label: String) -> bool {
        self.column = None;
        let chip = Chip { text: path.to_owned(), label, kind: ChipKind::Reading(number) };
        self.has_space(path) && self.buffer.insert_chip(chip)
    }

    /// The image with this number was read, or with `None` was not: its path is text again. False if it was not
    /// requested here.
    pub fn image_read(&mut self, number: u64, image: Option<&DraftImage>) -> bool {
        self.column = None;
        self.buffer.image_read(number, image)
    }

    /// True if the chip of this image waits in the text.
    pub fn awaits_image(&self, number: u64) -> bool {
        self.buffer.has_chip(|kind| *kind == ChipKind::Reading(number))
    }

    /// Inserts an image that is no file.
    pub fn insert_image(&mut self, image: &DraftImage) -> bool {
        self.column = None;
        self.has_space(&image.token()) && self.buffer.insert_chip(Chip::of_image(image))
    }

    /// True while images of this text are being read.
    pub fn is_reading(&self) -> bool {
        self.buffer.has_chip(|kind| matches!(kind, ChipKind::Reading(_)))
    }

    /// True if images are attached.
    pub fn has_images(&self) -> bool {
        self.buffer.has_chip(|kind| matches!(kind, ChipKind::Image { .. }))
    }

    /// Replaces the text; the caret moves to its end, and nothing can be undone.
    pub fn set(&mut self, text: &str) {
        self.set_buffer(EditBuffer::new(text));
    }

    fn set_buffer(&mut self, buffer: EditBuffer) {
        let cut = self.buffer.cut_text();
        self.buffer = buffer;
        self.buffer.set_cut_text(&cut);
        self.column = None;
    }

    /// Replaces the text; [`Field::undo`] brings the old one back.
    pub fn replace_all(&mut self, text: &str) {
        self.column = None;
        self.buffer.replace_all(text);
    }

    /// Returns the whole text, that of chips included.
    pub fn text(&self) -> String {
        self.buffer.text()
    }

    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// The width of its rows, for moves from row to row.
    pub fn lay_out(&mut self, cells: usize) {
        self.cells = Some(cells.max(1));
    }

    fn cells(&self) -> usize {
        self.cells.unwrap_or(UNBROKEN)
    }

    /// True if the caret is on the first row, or with `down` on the last.
    pub fn at_edge(&self, down: bool) -> bool {
        rows::step(&self.buffer, down, 0, self.cells()).is_none()
    }

    /// Removes all text; [`Field::undo`] restores it.
    pub fn clear(&mut self) {
        self.replace_all("");
    }

    /// Undoes the last change; false if there is none.
    pub fn undo(&mut self) -> bool {
        self.column = None;
        self.buffer.undo()
    }

    /// Redoes the last undone change; false if there is none.
    pub fn redo(&mut self) -> bool {
        self.column = None;
        self.buffer.redo()
    }

    /// Handles a key; true if the text changed.
    pub fn typed(&mut self, key: KeyEvent) -> bool {
        let Some(stroke) = Stroke::of(key) else { return false };
        if let Stroke::Rows { down, count } = stroke {
            for _ in 0..count {
                self.step(down);
            }
            return false;
        }
        self.column = None;
        match stroke {
            Stroke::Type(c) => self.insert(c.encode_utf8(&mut [0; 4]), EditKind::Typed(c)),
            Stroke::Go(goal) => {
                self.buffer.go(goal);
                false
            }
            Stroke::Delete(goal) => self.buffer.delete(goal),
            Stroke::Cut(goal) => self.buffer.cut(goal),
            Stroke::Yank => self.has_space(&self.buffer.cut_text()) && self.buffer.yank(),
            Stroke::Rows { .. } => false,
        }
    }

    /// True for a key that a field handles, whether or not it changes something.
    pub fn takes(key: KeyEvent) -> bool {
        Stroke::of(key).is_some()
    }

    /// Moves by one row, if there is one more.
    fn step(&mut self, down: bool) {
        let cells = self.cells();
        let column = self.column.unwrap_or_else(|| rows::column(&self.buffer, cells));
        if let Some(at) = rows::step(&self.buffer, down, column, cells) {
            self.buffer.move_to(at);
            self.column = Some(column);
        }
    }

    pub fn new_line(&mut self) {
        self.column = None;
        self.insert("\n", EditKind::Whole);
    }

    /// Inserts at the caret; false if the text would be too long.
    fn insert(&mut self, text: &str, kind: EditKind) -> bool {
        self.has_space(text) && self.buffer.insert(text, kind)
    }

    fn has_space(&self, text: &str) -> bool {
        self.buffer.len() + text.len() <= MAX_BYTES
    }

    /// The text before the caret, back to the line's start or a chip, and where it begins.
    pub fn before_caret(&self) -> (Place, &str) {
        let caret = self.buffer.caret();
        let before = self.buffer.line(caret.row).get(..caret.byte).unwrap_or_default();
        let text = before.rsplit(is_mark).next().unwrap_or_default();
        (Place { byte: caret.byte - text.len(), ..caret }, text)
    }

    /// True if this is all of the text.
    pub fn is_only(&self, text: &str) -> bool {
        matches!(self.buffer.lines(), [line] if line == text)
    }

    /// Replaces the text between a position and the caret after it.
    pub fn replace_before_caret(&mut self, from: Place, text: &str) {
        if self.has_space(text) {
            self.column = None;
            let caret = self.buffer.caret();
            self.buffer.replace(from.min(caret)..caret, text, EditKind::Whole);
        }
    }

    /// Inserts pasted text without its control characters; false if it is too long.
    pub fn paste(&mut self, text: &str) -> bool {
        self.paste_shown(text, |_| None)
    }

    /// As [`Field::paste`], but shows the text as the label that `label` returns, if any.
    pub fn paste_shown(&mut self, text: &str, label: impl Fn(&str) -> Option<String>) -> bool {
        if !self.has_space(text) {
            return false;
        }
        self.column = None;
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let kept: String =
            text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
        let large = || (!self.buffer.can_show(&kept)).then(|| buffer::size_label(&kept));
        let folded = label(&kept).or_else(large);
        if folded.is_some_and(|label| self.buffer.insert_chip(Chip::of_text(kept.clone(), label))) {
            return true;
        }
        let fits = self.buffer.can_show(&kept);
        self.buffer.insert(&kept, EditKind::Whole);
        fits
    }

    /// True if some of the text is shown as a label.
    pub fn has_chips(&self) -> bool {
        self.buffer.has_chips()
    }

    /// Shows all of the chip that the caret touches.
    pub fn open_chip(&mut self) -> ChipOpened {
        self.column = None;
        self.buffer.open_chip()
    }

    /// Rows the text takes at a width, counted up to `limit`.
    pub fn height(&self, cells: usize, limit: usize) -> usize {
        rows::height(&self.buffer, cells, limit)
    }

    /// Draws the rows around the caret, and the caret if `caret` is true.
    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, style: Style, caret: bool) {
        let (rows, (x, y)) = rows::window(
            &self.buffer,
            self.marked.as_ref(),
            usize::from(area.width),
            usize::from(area.height),
        );
        for (y, row) in (area.y..area.bottom()).zip(&rows) {
            let strip = row.iter().fold(Strip::new(), |strip, part| match part {
                RowPart::Text(text) => strip.put(text, style),
                RowPart::Chip(text) | RowPart::Marked(text) => strip.put(text, style.reversed()),
            });
            strip.draw(frame.buffer_mut(), area, y);
        }
        if caret && area.height > 0 && area.width > 0 {
            let x = area.x + cells(x).min(area.width - 1);
            let y = area.y + cells(y).min(area.height - 1);
            frame.set_cursor_position(Position { x, y });
        }
    }
}

fn cells(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}
