//! One key with its modifiers, and its name: `ctrl+d`, `alt+enter`, `G`, `f2`, `space`.
//!
//! A chord is normalized: a shifted letter is its capital without `shift`, so that chords from a
//! terminal and from a file compare equal.

use std::fmt;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key press, reduced to the parts that can be bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Chord {
    code: KeyCode,
    modifiers: KeyModifiers,
}

/// Names of keys that are not characters; the first name of a key is the one shown.
const NAMED: [(&str, KeyCode); 18] = [
    ("enter", KeyCode::Enter),
    ("return", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("escape", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pageup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
    ("space", KeyCode::Char(' ')),
    ("plus", KeyCode::Char('+')),
];

const MODIFIERS: [(&str, KeyModifiers); 3] =
    [("ctrl", KeyModifiers::CONTROL), ("alt", KeyModifiers::ALT), ("shift", KeyModifiers::SHIFT)];

impl Chord {
    /// Normalizes a key.
    #[must_use]
    pub fn new(code: KeyCode, modifiers: KeyModifiers) -> Self {
        let known = KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT;
        let mut chord = Self { code, modifiers: modifiers & known };
        if code == KeyCode::BackTab {
            chord.code = KeyCode::Tab;
            chord.modifiers |= KeyModifiers::SHIFT;
        } else if let KeyCode::Char(c) = code {
            chord.code = KeyCode::Char(one_case(c, chord.modifiers));
            chord.modifiers -= KeyModifiers::SHIFT;
        }
        chord
    }

    /// Reads a key name. A letter keeps its case: `G` is shift and g; in names of other keys it does not matter.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = name;
        while let Some((head, tail)) = rest.split_once('+').filter(|(_, tail)| !tail.is_empty()) {
            let (_, modifier) =
                MODIFIERS.iter().find(|(name, _)| name.eq_ignore_ascii_case(head))?;
            modifiers |= *modifier;
            rest = tail;
        }
        Some(Self::new(code_named(rest)?, modifiers))
    }

    /// True for Enter, with any modifiers.
    #[must_use]
    pub fn is_enter(self) -> bool {
        self.code == KeyCode::Enter
    }

    pub fn is_escape(self) -> bool {
        self.code == KeyCode::Esc
    }

    /// True for keys with Ctrl or Alt, and for function keys.
    pub fn is_command(self) -> bool {
        self.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
            || matches!(self.code, KeyCode::F(_))
    }

    /// The name of the key that a terminal sends instead: with Ctrl these letters are the bytes of other keys.
    pub fn is_sent_as(self) -> Option<&'static str> {
        let KeyCode::Char(c) = self.code else { return None };
        if !self.modifiers.contains(KeyModifiers::CONTROL) {
            return None;
        }
        let same = [('i', "tab"), ('m', "enter"), ('[', "esc")];
        same.into_iter().find(|(letter, _)| *letter == c).map(|(_, name)| name)
    }

    /// True for keys that type a character into a text field.
    #[must_use]
    pub fn is_typed(self) -> bool {
        let with_command = self.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        matches!(self.code, KeyCode::Char(_)) && !with_command
    }
}

impl From<KeyEvent> for Chord {
    fn from(event: KeyEvent) -> Self {
        Self::new(event.code, event.modifiers)
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, modifier) in MODIFIERS {
            if self.modifiers.contains(modifier) {
                write!(f, "{name}+")?;
            }
        }
        if let Some((name, _)) = NAMED.iter().find(|(_, code)| *code == self.code) {
            return f.write_str(name);
        }
        if let KeyCode::F(number) = self.code {
            return write!(f, "f{number}");
        }
        if let KeyCode::Char(c) = self.code {
            return write!(f, "{c}");
        }
        write!(f, "{}", self.code)
    }
}

/// Terminals disagree about the case of a letter under ctrl and of one reported with shift.
///
/// Ctrl with `_`, `/` or `7` is one byte, which is read as the last of them.
fn one_case(c: char, modifiers: KeyModifiers) -> char {
    if modifiers.contains(KeyModifiers::CONTROL) {
        if matches!(c, '7' | '/') { '_' } else { c.to_ascii_lowercase() }
    } else if modifiers.contains(KeyModifiers::SHIFT) {
        c.to_ascii_uppercase()
    } else {
        c
    }
}

fn code_named(name: &str) -> Option<KeyCode> {
    if let Some((_, code)) = NAMED.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
        return Some(*code);
    }
    if let Some(number) = name.strip_prefix(['f', 'F']).and_then(|digits| digits.parse().ok()) {
        return (1..=24).contains(&number).then_some(KeyCode::F(number));
    }
    let mut chars = name.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) if !c.is_control() => Some(KeyCode::Char(c)),
        _ => None,
    }
}
