//! The keys of vi that are motions: where they lead, and what follows for an operator that waits.

use super::motions::{self, FindChar, WordSize};
use super::{Operator, Span, ViKeys};
use crate::panes::field::Field;
use crate::panes::field::moves::Place;

impl ViKeys {
    /// True for a motion, whether or not it led anywhere.
    pub(super) fn motion(&mut self, c: char, field: &mut Field) -> bool {
        if let Some((to, span)) = self.reached(c, field) {
            self.arrive(to, span, field);
            return true;
        }
        match c {
            'G' => {
                let last = motions::last_row(&field.buffer);
                self.go_to_row(self.count.map_or(last, |row| row.saturating_sub(1)), field);
            }
            'j' | 'k' => self.over_rows(c == 'j', field),
            ';' | ',' => match self.last_find {
                Some(find) => self.find(FindChar { back: find.back != (c == ','), ..find }, field),
                None => self.stop_waiting(),
            },
            _ => return false,
        }
        true
    }

    /// Returns the target of a motion that has one from everywhere.
    fn reached(&self, c: char, field: &Field) -> Option<(Place, Span)> {
        let (buffer, at, count) = (&field.buffer, field.buffer.caret(), self.counted());
        let size = if c.is_uppercase() { WordSize::Big } else { WordSize::Small };
        let again = |step: &dyn Fn(Place) -> Place| (0..count).fold(at, |place, _| step(place));
        let to = match c {
            'h' => again(&|place| motions::left(buffer, place)),
            'l' | ' ' => again(&|place| motions::right(buffer, place)),
            '0' => Place { byte: 0, ..at },
            '^' => motions::first_nonblank(buffer, at.row),
            '$' => motions::last_in(buffer, at.row),
            'w' | 'W' => self.over_words(field, count, size),
            'b' | 'B' => again(&|place| motions::word_back(buffer, place, size)),
            'e' | 'E' => again(&|place| motions::word_end(buffer, place, size)),
            '{' => again(&|place| motions::paragraph(buffer, place, false)),
            '}' => again(&|place| motions::paragraph(buffer, place, true)),
            _ => return None,
        };
        let span = if "$eE".contains(c) { Span::Inclusive } else { Span::Exclusive };
        Some((to, span))
    }

    /// `w`: before an operator it does not go over the end of its last line, and before `c` not over the blanks
    /// after its last word.
    fn over_words(&self, field: &Field, count: usize, size: WordSize) -> Place {
        let (buffer, at) = (&field.buffer, field.buffer.caret());
        let step = |place, _| motions::word_forward(buffer, place, size);
        if self.operator == Some(Operator::Change) && !motions::is_blank(buffer, at) {
            let last = (1..count).fold(at, step);
            return motions::word_object(buffer, last, size, false).end;
        }
        let to = (0..count).fold(at, step);
        let line = buffer.line(to.row);
        let is_first = line.get(..to.byte).is_some_and(|before| before.trim().is_empty());
        if self.operator.is_some() && to.row > at.row && is_first {
            return motions::end_of(buffer, to.row - 1);
        }
        to
    }

    fn over_rows(&mut self, down: bool, field: &mut Field) {
        let count = self.counted();
        if self.operator.is_none() {
            self.count = None;
            for _ in 0..count {
                field.step(down);
            }
            return;
        }
        let at = field.buffer.caret();
        let last = motions::last_row(&field.buffer);
        let row = if down { at.row + count } else { at.row.wrapping_sub(count) };
        if row > last {
            self.stop_waiting();
        } else {
            self.arrive(Place { row, byte: 0 }, Span::Lines, field);
        }
    }

    pub(super) fn go_to_row(&mut self, row: usize, field: &mut Field) {
        let row = row.min(motions::last_row(&field.buffer));
        self.arrive(motions::first_nonblank(&field.buffer, row), Span::Lines, field);
    }

    pub(super) fn find(&mut self, find: FindChar, field: &mut Field) {
        let count = self.take_count();
        match motions::find(&field.buffer, field.buffer.caret(), find, count) {
            Some(to) if find.back => self.arrive(to, Span::Exclusive, field),
            Some(to) => self.arrive(to, Span::Inclusive, field),
            None => self.stop_waiting(),
        }
    }

    /// Moves the caret there, or applies the operator up to there.
    fn arrive(&mut self, to: Place, span: Span, field: &mut Field) {
        self.count = None;
        if let Some(operator) = self.operator.take() {
            self.operate(operator, to, span, field);
        } else {
            field.column = None;
            field.buffer.move_to(to);
        }
    }
}
