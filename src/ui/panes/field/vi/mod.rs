//! The keys of vi for a field: insert, normal and visual mode.
//!
//! The state is in the text area: its selection is that of visual mode, its cut text the register, its edits
//! are undone by `u`. This module only decides what a key means after those before it. An unknown key in
//! normal mode is swallowed: only insert mode puts characters into the text.

mod edits;
mod motion_keys;
mod motions;
mod next;
#[cfg(test)]
mod tests;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use self::motions::FindChar;
pub use self::next::BegunCommand;
use super::Field;
use crate::action::Action;

/// The largest count.
const MAX_COUNT: usize = 1000;
/// The most keys of a change that `.` repeats.
const MAX_REPEATED: usize = 500;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ViMode {
    #[default]
    Insert,
    Normal,
    Visual,
    VisualLines,
}

/// The result of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViOutcome {
    Taken,
    /// It has its meaning without vi.
    NotTaken,
    /// Do this instead.
    Act(Action),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Delete,
    Change,
    Yank,
}

/// What the next key completes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Awaited {
    /// The character to find.
    Find { back: bool, till: bool },
    /// The character that takes the place of others.
    Replace,
    /// The second key of `gg`.
    Top,
    /// The object after `i` or `a`.
    Object { around: bool },
}

/// The range of a motion for an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Span {
    Exclusive,
    /// Including the unit at the target.
    Inclusive,
    Lines,
}

/// The state of the keys.
#[derive(Debug, Clone, Default)]
pub struct ViKeys {
    mode: ViMode,
    count: Option<usize>,
    operator: Option<Operator>,
    /// The count before the operator.
    factor: usize,
    awaited: Option<Awaited>,
    last_find: Option<FindChar>,
    change: RecordedChange,
}

/// The keys of the last change, for `.`.
#[derive(Debug, Clone, Default)]
struct RecordedChange {
    /// Since the last time that nothing was begun.
    keys: Vec<KeyEvent>,
    is_change: bool,
    /// A key among them meant something that is not known here.
    is_broken: bool,
    last: Vec<KeyEvent>,
    repeats: bool,
}

impl ViKeys {
    pub fn mode(&self) -> ViMode {
        self.mode
    }

    /// Insert mode again, as when the composer gets the focus.
    pub fn reset(&mut self, field: &mut Field) {
        self.enter(ViMode::Insert, field);
        self.change = RecordedChange {
            last: std::mem::take(&mut self.change.last),
            ..RecordedChange::default()
        };
    }

    pub fn press(&mut self, key: KeyEvent, field: &mut Field) -> ViOutcome {
        self.settle(field);
        let before = self.mode;
        let outcome = match before {
            ViMode::Insert => self.insert_key(key, field),
            ViMode::Normal | ViMode::Visual | ViMode::VisualLines => self.command_key(key, field),
        };
        match outcome {
            ViOutcome::Taken => self.record(key, before),
            ViOutcome::NotTaken | ViOutcome::Act(_) => {
                self.change.is_broken = self.mode != ViMode::Normal;
            }
        }
        self.settle(field);
        outcome
    }

    fn record(&mut self, key: KeyEvent, before: ViMode) {
        let change = &mut self.change;
        if change.repeats {
            return;
        }
        if change.keys.is_empty() && before == ViMode::Insert {
            change.keys.push(KeyCode::Char('i').into());
        }
        change.keys.push(key);
        change.keys.truncate(MAX_REPEATED + 1);
        let begun = self.count.is_some() || self.operator.is_some() || self.awaited.is_some();
        if self.mode != ViMode::Normal || begun {
            return;
        }
        let keys = std::mem::take(&mut change.keys);
        let is_whole = !std::mem::take(&mut change.is_broken) && keys.len() <= MAX_REPEATED;
        if std::mem::take(&mut change.is_change) && is_whole {
            change.last = keys;
        }
    }

    /// Moves the caret onto a unit in normal mode, not after the last one; marks the range of visual
    /// mode. A change from outside ends the selection, and visual mode with it.
    pub fn settle(&mut self, field: &mut Field) {
        if self.is_visual() && field.buffer.anchor().is_none() {
            self.enter(ViMode::Normal, field);
        }
        let buffer = &mut field.buffer;
        let caret = buffer.caret();
        if self.mode == ViMode::Insert {
            field.marked = None;
            return;
        }
        if caret == motions::end_of(buffer, caret.row) && caret.byte > 0 {
            buffer.move_to(motions::last_in(buffer, caret.row));
        }
        field.marked = self.covered(field);
    }

    fn insert_key(&mut self, key: KeyEvent, field: &mut Field) -> ViOutcome {
        let is_held = key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        if !is_held && key.code == KeyCode::Esc {
            self.enter(ViMode::Normal, field);
            let left = motions::left(&field.buffer, field.buffer.caret());
            field.buffer.move_to(left);
            return ViOutcome::Taken;
        }
        if !is_held && matches!(key.code, KeyCode::Char(_) | KeyCode::Backspace) {
            self.change.is_change |= field.typed(key);
            return ViOutcome::Taken;
        }
        ViOutcome::NotTaken
    }

    fn command_key(&mut self, key: KeyEvent, field: &mut Field) -> ViOutcome {
        let held = key.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT);
        if key.code == KeyCode::Esc && held.is_empty() {
            return self.escape(field);
        }
        if held == KeyModifiers::CONTROL && key.code == KeyCode::Char('r') {
            let count = self.take_count();
            self.stop_waiting();
            self.enter(ViMode::Normal, field);
            (0..count).take_while(|_| field.redo()).for_each(drop);
            return ViOutcome::Taken;
        }
        let Some(c) = command_of(key.code).filter(|_| held.is_empty()) else {
            self.stop_waiting();
            return ViOutcome::NotTaken;
        };
        match self.awaited.take() {
            Some(awaited) => self.complete(awaited, c, field),
            None if self.is_digit(c) => self.add_digit(c),
            None => return self.command(c, field),
        }
        ViOutcome::Taken
    }

    /// Cancels the unfinished command, else ends the mode; in normal mode the key leaves the composer.
    fn escape(&mut self, field: &mut Field) -> ViOutcome {
        let begun = self.count.is_some() || self.operator.is_some() || self.awaited.is_some();
        self.stop_waiting();
        if self.mode == ViMode::Normal && !begun {
            return ViOutcome::NotTaken;
        }
        self.enter(ViMode::Normal, field);
        ViOutcome::Taken
    }

    fn stop_waiting(&mut self) {
        (self.count, self.operator, self.awaited, self.factor) = (None, None, None, 1);
    }

    fn enter(&mut self, mode: ViMode, field: &mut Field) {
        self.stop_waiting();
        match mode {
            ViMode::Insert | ViMode::Normal => {
                field.buffer.stop_selection();
                field.marked = None;
            }
            ViMode::Visual | ViMode::VisualLines => field.buffer.start_selection(),
        }
        self.mode = mode;
    }

    fn is_visual(&self) -> bool {
        matches!(self.mode, ViMode::Visual | ViMode::VisualLines)
    }

    fn is_digit(&self, c: char) -> bool {
        c.is_ascii_digit() && (c != '0' || self.count.is_some())
    }

    fn add_digit(&mut self, c: char) {
        let digit = c.to_digit(10).and_then(|digit| usize::try_from(digit).ok()).unwrap_or(0);
        self.count = Some((self.count.unwrap_or(0) * 10 + digit).min(MAX_COUNT));
    }

    /// Returns the count: those before and after an operator multiply.
    fn counted(&self) -> usize {
        (self.count.unwrap_or(1).max(1) * self.factor.max(1)).min(MAX_COUNT)
    }

    fn take_count(&mut self) -> usize {
        let count = self.counted();
        self.count = None;
        count
    }

    /// Completes a command with the key it waits for.
    fn complete(&mut self, awaited: Awaited, c: char, field: &mut Field) {
        match awaited {
            Awaited::Find { back, till } => {
                let find = FindChar { wanted: c, back, till };
                self.last_find = Some(find);
                self.find(find, field);
            }
            Awaited::Replace => self.replace_units(c, field),
            Awaited::Top if c == 'g' => {
                let row = self.count.take().map_or(0, |count| count.saturating_sub(1));
                self.go_to_row(row, field);
            }
            Awaited::Top => self.stop_waiting(),
            Awaited::Object { around } => self.object(c, around, field),
        }
    }

    /// A key that begins or completes a command.
    fn command(&mut self, c: char, field: &mut Field) -> ViOutcome {
        let awaits = match c {
            'f' => Some(Awaited::Find { back: false, till: false }),
            'F' => Some(Awaited::Find { back: true, till: false }),
            't' => Some(Awaited::Find { back: false, till: true }),
            'T' => Some(Awaited::Find { back: true, till: true }),
            'r' if self.operator.is_none() => Some(Awaited::Replace),
            'g' => Some(Awaited::Top),
            'i' | 'a' if self.operator.is_some() || self.is_visual() => {
                Some(Awaited::Object { around: c == 'a' })
            }
            _ => None,
        };
        if awaits.is_some() {
            self.awaited = awaits;
            return ViOutcome::Taken;
        }
        let acts = match c {
            ':' => Some(Action::Palette),
            '/' => Some(Action::FindSent),
            _ => None,
        };
        if let Some(action) = acts.filter(|_| self.operator.is_none()) {
            self.enter(ViMode::Normal, field);
            return ViOutcome::Act(action);
        }
        if self.motion(c, field) || self.operator_key(c, field) {
            return ViOutcome::Taken;
        }
        if self.operator.is_some() {
            self.stop_waiting();
        } else if self.is_visual() {
            self.visual_key(c, field);
        } else {
            self.normal_key(c, field);
        }
        ViOutcome::Taken
    }
}

/// The keys beside characters that are commands.
const NAMED: [(KeyCode, char); 6] = [
    (KeyCode::Left, 'h'),
    (KeyCode::Backspace, 'h'),
    (KeyCode::Right, 'l'),
    (KeyCode::Home, '0'),
    (KeyCode::End, '$'),
    (KeyCode::Delete, 'x'),
];

/// Returns the character of a key in normal mode.
fn command_of(code: KeyCode) -> Option<char> {
    if let KeyCode::Char(c) = code {
        return Some(c);
    }
    NAMED.iter().find(|(named, _)| *named == code).map(|(_, c)| *c)
}
