//! Which key a byte or a sequence of the terminal is.
//!
//! Sources: "XTerm Control Sequences" (function keys, mouse), the kitty keyboard protocol (`u`), the Linux
//! console's keyboard map, the keys of rxvt. A sequence that is in none of them is no key.

use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

/// A byte below 128 that is no escape.
pub(super) fn plain(byte: u8) -> (KeyCode, KeyModifiers) {
    match byte {
        b'\r' => (KeyCode::Enter, KeyModifiers::NONE),
        b'\t' => (KeyCode::Tab, KeyModifiers::NONE),
        0x7f => (KeyCode::Backspace, KeyModifiers::NONE),
        0 => (KeyCode::Char(' '), KeyModifiers::CONTROL),
        1..=0x1a => (KeyCode::Char(char::from(byte - 1 + b'a')), KeyModifiers::CONTROL),
        0x1b..=0x1f => (KeyCode::Char(char::from(byte - 0x1c + b'4')), KeyModifiers::CONTROL),
        _ => {
            let c = char::from(byte);
            (KeyCode::Char(c), shift_of(c))
        }
    }
}

/// Shift for capitals: terminals do not report it.
pub(super) fn shift_of(c: char) -> KeyModifiers {
    if c.is_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE }
}

/// A key in application mode: `ESC O`, the number of its modifiers, if any, and this byte.
pub(super) fn application(number: &[u8], byte: u8) -> Option<(KeyCode, KeyModifiers)> {
    let modifiers = match number {
        [] => KeyModifiers::NONE,
        digits => modifiers_of(std::str::from_utf8(digits).ok()?.parse().ok()?),
    };
    let code = match byte {
        b'P'..=b'S' => KeyCode::F(byte - b'P' + 1),
        // The Enter key of a keypad that was never switched to this mode: Shift and Enter.
        b'M' => return Some((KeyCode::Enter, modifiers | KeyModifiers::SHIFT)),
        // Sent by rxvt: an arrow with Ctrl.
        b'a'..=b'd' => {
            let code = cursor_key(byte.to_ascii_uppercase())?;
            return Some((code, modifiers | KeyModifiers::CONTROL));
        }
        // The keypad: its operators and digits, as in ASCII.
        b'j'..=b'y' => KeyCode::Char(char::from(byte - 0x40)),
        _ => cursor_key(byte)?,
    };
    Some((code, modifiers))
}

fn cursor_key(byte: u8) -> Option<KeyCode> {
    Some(match byte {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'H' => KeyCode::Home,
        b'F' => KeyCode::End,
        _ => return None,
    })
}

/// The event of `ESC [`, these parameters, and this last byte.
pub(super) fn event(parameters: &[u8], last: u8) -> Option<Event> {
    let text = std::str::from_utf8(parameters).ok()?;
    match (text, last) {
        ("", b'I') => return Some(Event::FocusGained),
        ("", b'O') => return Some(Event::FocusLost),
        ("[", b'A'..=b'E') => {
            let key = KeyCode::F(last - b'A' + 1);
            return Some(of(key, KeyModifiers::NONE, KeyEventKind::Press));
        }
        _ => {}
    }
    if let Some(report) = text.strip_prefix('<') {
        return mouse(report, last).map(Event::Mouse);
    }
    let fields: Vec<Vec<u32>> = text.split(';').map(numbers).collect::<Option<_>>()?;
    let first = number(&fields, 0, 0).unwrap_or(0);
    let (modifiers, kind) = modifiers_and_kind(&fields)?;
    let code = match last {
        b'A'..=b'D' | b'H' | b'F' if first <= 1 => cursor_key(last)?,
        // With other numbers it is a cursor position report, which was not requested.
        b'P'..=b'S' if first <= 1 => KeyCode::F(last - b'P' + 1),
        b'Z' if first <= 1 => {
            return Some(of(KeyCode::BackTab, modifiers | KeyModifiers::SHIFT, kind));
        }
        // Sent by rxvt: an arrow with Shift, and a key with Ctrl, with Shift, or with both.
        b'a'..=b'd' if text.is_empty() => {
            return Some(of(cursor_key(last.to_ascii_uppercase())?, KeyModifiers::SHIFT, kind));
        }
        b'^' => return Some(of(numbered(first)?, modifiers | KeyModifiers::CONTROL, kind)),
        b'$' => return Some(of(numbered(first)?, modifiers | KeyModifiers::SHIFT, kind)),
        b'@' => {
            let both = KeyModifiers::CONTROL | KeyModifiers::SHIFT;
            return Some(of(numbered(first)?, modifiers | both, kind));
        }
        b'u' => return character(first, modifiers, kind),
        b'~' if first == 27 => return character(number(&fields, 2, 0)?, modifiers, kind),
        b'~' => numbered(first)?,
        _ => return None,
    };
    Some(of(code, modifiers, kind))
}

fn of(code: KeyCode, modifiers: KeyModifiers, kind: KeyEventKind) -> Event {
    Event::Key(KeyEvent::new_with_kind(code, modifiers, kind))
}

/// The numbers of one parameter, divided by colons; a missing one is 0.
fn numbers(field: &str) -> Option<Vec<u32>> {
    let number = |digits: &str| if digits.is_empty() { Some(0) } else { digits.parse().ok() };
    field.split(':').map(number).collect()
}

fn number(fields: &[Vec<u32>], field: usize, part: usize) -> Option<u32> {
    fields.get(field)?.get(part).copied()
}

/// The modifiers and the kind of the second parameter: the modifiers are one more than the sum of their
/// bits.
fn modifiers_and_kind(fields: &[Vec<u32>]) -> Option<(KeyModifiers, KeyEventKind)> {
    let modifiers = modifiers_of(number(fields, 1, 0).unwrap_or(1));
    let kind = match number(fields, 1, 1).unwrap_or(1) {
        0 | 1 => KeyEventKind::Press,
        2 => KeyEventKind::Repeat,
        3 => KeyEventKind::Release,
        _ => return None,
    };
    Some((modifiers, kind))
}

fn modifiers_of(number: u32) -> KeyModifiers {
    let bits = number.max(1) - 1;
    let known = [
        (1, KeyModifiers::SHIFT),
        (2, KeyModifiers::ALT),
        (4, KeyModifiers::CONTROL),
        (8, KeyModifiers::SUPER),
        (16, KeyModifiers::HYPER),
        (32, KeyModifiers::META),
    ];
    let held = known.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, modifier)| *modifier);
    held.fold(KeyModifiers::NONE, |all, modifier| all | modifier)
}

/// A key reported by its character.
fn character(code: u32, modifiers: KeyModifiers, kind: KeyEventKind) -> Option<Event> {
    let code = match code {
        9 if modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
        9 => KeyCode::Tab,
        13 => KeyCode::Enter,
        27 => KeyCode::Esc,
        127 => KeyCode::Backspace,
        // Separate keys, such as those of the keypad or Caps Lock.
        0xe000..=0xf8ff => return None,
        _ => KeyCode::Char(char::from_u32(code).filter(|c| !c.is_control())?),
    };
    Some(of(code, modifiers, kind))
}

/// The keys with a number before `~`.
fn numbered(number: u32) -> Option<KeyCode> {
    let function = |first: u32, key: u8| {
        u8::try_from(number - first).ok().map(|above| KeyCode::F(key + above))
    };
    match number {
        1 | 7 => Some(KeyCode::Home),
        2 => Some(KeyCode::Insert),
        3 => Some(KeyCode::Delete),
        4 | 8 => Some(KeyCode::End),
        5 => Some(KeyCode::PageUp),
        6 => Some(KeyCode::PageDown),
        11..=15 => function(11, 1),
        17..=21 => function(17, 6),
        23..=26 => function(23, 11),
        28..=29 => function(28, 15),
        31..=34 => function(31, 17),
        _ => None,
    }
}

/// A mouse report in SGR form: buttons and modifiers, column, row.
fn mouse(report: &str, last: u8) -> Option<MouseEvent> {
    let fields: Vec<u16> =
        report.split(';').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [bits, column, row] = *fields.as_slice() else { return None };
    let kind = mouse_kind(bits, last)?;
    let known = [(4, KeyModifiers::SHIFT), (8, KeyModifiers::ALT), (16, KeyModifiers::CONTROL)];
    let held = known.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, modifier)| *modifier);
    let modifiers = held.fold(KeyModifiers::NONE, |all, modifier| all | modifier);
    Some(MouseEvent { kind, column: column.checked_sub(1)?, row: row.checked_sub(1)?, modifiers })
}

fn mouse_kind(bits: u16, last: u8) -> Option<MouseEventKind> {
    let button = match bits & 3 {
        0 => Some(MouseButton::Left),
        1 => Some(MouseButton::Middle),
        2 => Some(MouseButton::Right),
        _ => None,
    };
    let (wheel, moved) = (bits & 64 != 0, bits & 32 != 0);
    Some(match (wheel, moved, last) {
        (true, false, b'M') => match bits & 3 {
            0 => MouseEventKind::ScrollUp,
            1 => MouseEventKind::ScrollDown,
            2 => MouseEventKind::ScrollLeft,
            _ => MouseEventKind::ScrollRight,
        },
        (false, true, b'M') => button.map_or(MouseEventKind::Moved, MouseEventKind::Drag),
        (false, false, b'M') => MouseEventKind::Down(button?),
        (false, false, b'm') => MouseEventKind::Up(button?),
        _ => return None,
    })
}
