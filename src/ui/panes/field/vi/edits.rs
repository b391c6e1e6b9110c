//! The changes by vi keys: operators over motions, objects and selections, and single commands.

use std::ops::Range;

use super::motions::{self, WordSize};
use super::{Operator, Span, ViKeys, ViMode};
use crate::panes::field::Field;
use crate::panes::field::groups::EditKind;
use crate::panes::field::moves::Place;

impl ViKeys {
    /// A key that is an operator. Twice, it works on lines; true if it is one.
    pub(super) fn operator_key(&mut self, c: char, field: &mut Field) -> bool {
        let operator = match c {
            'd' => Operator::Delete,
            'c' => Operator::Change,
            'y' => Operator::Yank,
            _ => return false,
        };
        if self.is_visual() {
            self.operate_on_selection(operator, field);
        } else if self.operator == Some(operator) {
            self.operator = None;
            let (row, last) = (field.buffer.caret().row, motions::last_row(&field.buffer));
            let until = (row + self.take_count() - 1).min(last);
            self.operate_on_rows(operator, row..until + 1, field);
        } else if self.operator.is_some() {
            self.stop_waiting();
        } else {
            self.factor = self.take_count();
            self.operator = Some(operator);
        }
        true
    }

    /// Works from the caret to where a motion leads.
    pub(super) fn operate(&mut self, operator: Operator, to: Place, span: Span, field: &mut Field) {
        let at = field.buffer.caret();
        let (start, end) = (at.min(to), at.max(to));
        match span {
            Span::Lines => self.operate_on_rows(operator, start.row..end.row + 1, field),
            Span::Exclusive => self.operate_on(operator, start..end, field),
            Span::Inclusive => {
                let end = motions::right(&field.buffer, end);
                self.operate_on(operator, start..end, field);
            }
        }
    }

    fn operate_on(&mut self, operator: Operator, range: Range<Place>, field: &mut Field) {
        let start = range.start;
        match operator {
            Operator::Yank => field.buffer.copy_range(&range),
            Operator::Delete | Operator::Change => {
                self.change.is_change |= field.buffer.cut_range(&range);
            }
        }
        field.buffer.move_to(start);
        self.after(operator, field);
    }

    /// Applies an operator to whole lines: the cut text then ends with a line feed, as a mark of that.
    fn operate_on_rows(&mut self, operator: Operator, rows: Range<usize>, field: &mut Field) {
        let buffer = &mut field.buffer;
        let Some(last) = rows.end.checked_sub(1) else { return };
        let lines = buffer.lines().get(rows.clone()).unwrap_or_default();
        let text = format!("{}\n", lines.join("\n"));
        let first = Place { row: rows.start, byte: 0 };
        let end = motions::end_of(buffer, last);
        let range = match operator {
            Operator::Yank => None,
            Operator::Delete if last < motions::last_row(buffer) => {
                Some(first..Place { row: last + 1, byte: 0 })
            }
            Operator::Delete if rows.start > 0 => {
                Some(motions::end_of(buffer, rows.start - 1)..end)
            }
            Operator::Change | Operator::Delete => Some(first..end),
        };
        if range.as_ref().is_some_and(|range| !buffer.may_remove(range)) {
            self.enter(ViMode::Normal, field);
            return;
        }
        buffer.set_cut_shown(text);
        if let Some(range) = range {
            self.change.is_change |= buffer.remove(range);
        }
        let row = rows.start.min(motions::last_row(buffer));
        let to = motions::first_nonblank(buffer, row);
        let to = if operator == Operator::Change { Place { row, byte: 0 } } else { to };
        buffer.move_to(to);
        self.after(operator, field);
    }

    /// The mode after an operator.
    fn after(&mut self, operator: Operator, field: &mut Field) {
        field.column = None;
        let mode = if operator == Operator::Change { ViMode::Insert } else { ViMode::Normal };
        self.change.is_change |= operator == Operator::Change;
        self.enter(mode, field);
    }

    /// Returns the range of visual mode: with the unit under the caret, or whole lines.
    pub(super) fn covered(&self, field: &Field) -> Option<Range<Place>> {
        let anchor = field.buffer.anchor().filter(|_| self.is_visual())?;
        let caret = field.buffer.caret();
        let (start, end) = (anchor.min(caret), anchor.max(caret));
        Some(if self.mode == ViMode::VisualLines {
            Place { byte: 0, ..start }..motions::end_of(&field.buffer, end.row)
        } else {
            start..motions::right(&field.buffer, end)
        })
    }

    fn operate_on_selection(&mut self, operator: Operator, field: &mut Field) {
        self.count = None;
        let Some(range) = self.covered(field) else { return };
        field.buffer.stop_selection();
        if self.mode == ViMode::VisualLines {
            self.operate_on_rows(operator, range.start.row..range.end.row + 1, field);
        } else {
            self.operate_on(operator, range, field);
        }
    }

    /// An object after an operator, or in visual mode.
    pub(super) fn object(&mut self, c: char, around: bool, field: &mut Field) {
        self.count = None;
        let (buffer, at) = (&field.buffer, field.buffer.caret());
        let found = match c {
            'w' => Some(motions::word_object(buffer, at, WordSize::Small, around)),
            'W' => Some(motions::word_object(buffer, at, WordSize::Big, around)),
            '"' | '\'' | '`' => motions::quote_object(buffer, at, c, around),
            _ => None,
        };
        let operator = self.operator.take();
        let Some(range) = found else { return };
        if let Some(operator) = operator {
            self.operate_on(operator, range, field);
            return;
        }
        field.buffer.stop_selection();
        field.buffer.move_to(range.start);
        field.buffer.start_selection();
        let last = motions::left(&field.buffer, range.end);
        field.buffer.move_to(last.max(range.start));
    }

    pub(super) fn visual_key(&mut self, c: char, field: &mut Field) {
        match c {
            'v' | 'V' => {
                let mode = if c == 'v' { ViMode::Visual } else { ViMode::VisualLines };
                if self.mode == mode {
                    self.enter(ViMode::Normal, field);
                } else {
                    self.mode = mode;
                }
            }
            'o' => field.buffer.swap_ends(),
            'x' | 'X' => self.operate_on_selection(Operator::Delete, field),
            's' | 'S' => self.operate_on_selection(Operator::Change, field),
            '~' => {
                let covered = self.covered(field);
                field.buffer.stop_selection();
                if let Some(range) = covered {
                    self.change_case(range, field);
                }
                self.enter(ViMode::Normal, field);
            }
            'p' => {
                let covered = self.covered(field);
                field.buffer.stop_selection();
                if let Some(range) = covered {
                    let text = field.buffer.cut_shown();
                    self.put(range, text.trim_end_matches('\n'), field);
                }
                self.enter(ViMode::Normal, field);
            }
            _ => {}
        }
    }

    pub(super) fn normal_key(&mut self, c: char, field: &mut Field) {
        let at = field.buffer.caret();
        match c {
            'i' => self.enter(ViMode::Insert, field),
            'a' => self.insert_at(motions::right(&field.buffer, at), field),
            'I' => self.insert_at(motions::first_nonblank(&field.buffer, at.row), field),
            'A' => self.insert_at(motions::end_of(&field.buffer, at.row), field),
            'o' => {
                self.insert_at(motions::end_of(&field.buffer, at.row), field);
                self.change.is_change |= field.insert("\n", EditKind::Whole);
            }
            'O' => {
                self.insert_at(Place { byte: 0, ..at }, field);
                self.change.is_change |= field.insert("\n", EditKind::Whole);
                field.buffer.move_to(Place { byte: 0, ..at });
            }
            'v' => self.enter(ViMode::Visual, field),
            'V' => self.enter(ViMode::VisualLines, field),
            'x' | 's' | 'X' | 'D' | 'C' | 'S' | 'Y' => self.short_operator(c, field),
            'J' => self.join(field),
            '~' => {
                let end = (0..self.take_count())
                    .fold(at, |place, _| motions::right(&field.buffer, place));
                self.change_case(at..end, field);
                field.buffer.move_to(end);
            }
            'p' | 'P' => self.put_cut(c == 'p', field),
            'u' => {
                let count = self.take_count();
                (0..count).take_while(|_| field.undo()).for_each(drop);
            }
            '.' => self.repeat(field),
            _ => self.stop_waiting(),
        }
        field.column = None;
    }

    fn insert_at(&mut self, at: Place, field: &mut Field) {
        field.buffer.move_to(at);
        self.enter(ViMode::Insert, field);
    }

    /// Runs a single key that stands for an operator and its motion.
    fn short_operator(&mut self, c: char, field: &mut Field) {
        let (operator, motion) = match c {
            'x' => (Operator::Delete, 'l'),
            's' => (Operator::Change, 'l'),
            'X' => (Operator::Delete, 'h'),
            'D' => (Operator::Delete, '$'),
            'C' => (Operator::Change, '$'),
            'S' => (Operator::Change, 'c'),
            _ => (Operator::Yank, 'y'),
        };
        self.operator = Some(operator);
        if !self.operator_key_or_motion(motion, field) {
            self.stop_waiting();
        }
    }

    fn operator_key_or_motion(&mut self, c: char, field: &mut Field) -> bool {
        self.motion(c, field) || self.operator_key(c, field)
    }

    /// Puts other text into the place of a part; true if it fits.
    fn put(&mut self, range: Range<Place>, shown: &str, field: &mut Field) -> bool {
        let whole = field.buffer.chips().whole_len(shown);
        let fits = field.buffer.len() + whole <= super::super::MAX_BYTES;
        let put = fits && field.buffer.put_shown(range, shown);
        self.change.is_change |= put;
        put
    }

    pub(super) fn replace_units(&mut self, c: char, field: &mut Field) {
        let count = self.take_count();
        let at = field.buffer.caret();
        let mut end = at;
        for _ in 0..count {
            let next = motions::right(&field.buffer, end);
            if next == end {
                return;
            }
            end = next;
        }
        let text = c.to_string().repeat(count);
        let changed =
            field.has_space(&text) && field.buffer.replace(at..end, &text, EditKind::Whole);
        self.change.is_change |= changed;
        let last = motions::left(&field.buffer, field.buffer.caret());
        field.buffer.move_to(if changed { last } else { at });
    }

    fn change_case(&mut self, range: Range<Place>, field: &mut Field) {
        let other = |c: char| -> String {
            if c.is_uppercase() { c.to_lowercase().collect() } else { c.to_uppercase().collect() }
        };
        let text: String = field.buffer.shown_in(&range).chars().map(other).collect();
        let start = range.start;
        self.put(range, &text, field);
        field.buffer.move_to(start);
    }

    /// Joins the next line with a blank between.
    fn join(&mut self, field: &mut Field) {
        for _ in 0..self.take_count().max(2) - 1 {
            let row = field.buffer.caret().row;
            if row == motions::last_row(&field.buffer) {
                return;
            }
            let end = motions::end_of(&field.buffer, row);
            let next = field.buffer.line(row + 1);
            let blank = next.len() - next.trim_start().len();
            let glue = if end.byte == 0 || blank == next.len() { "" } else { " " };
            self.put(end..Place { row: row + 1, byte: blank }, glue, field);
            field.buffer.move_to(end);
        }
    }

    /// Inserts the cut text: lines below or above the line of the caret, other text after or before it.
    fn put_cut(&mut self, after: bool, field: &mut Field) {
        let count = self.take_count();
        let cut = field.buffer.cut_shown();
        let at = field.buffer.caret();
        if cut.is_empty() || cut.len().saturating_mul(count) > super::super::MAX_BYTES {
            return;
        }
        if let Some(lines) = cut.strip_suffix('\n') {
            let text = vec![lines; count].join("\n");
            let (place, text, row) = if after {
                (motions::end_of(&field.buffer, at.row), format!("\n{text}"), at.row + 1)
            } else {
                (Place { byte: 0, ..at }, format!("{text}\n"), at.row)
            };
            if self.put(place..place, &text, field) {
                let to = motions::first_nonblank(&field.buffer, row);
                field.buffer.move_to(to);
            }
            return;
        }
        let place = if after { motions::right(&field.buffer, at) } else { at };
        if self.put(place..place, &cut.repeat(count), field) {
            let last = motions::left(&field.buffer, field.buffer.caret());
            field.buffer.move_to(last);
        }
    }

    /// The last change once more.
    fn repeat(&mut self, field: &mut Field) {
        self.stop_waiting();
        if self.change.repeats {
            return;
        }
        self.change.repeats = true;
        for key in self.change.last.clone() {
            self.press(key, field);
        }
        self.change.repeats = false;
        self.change.keys.clear();
        self.change.is_change = false;
    }
}
