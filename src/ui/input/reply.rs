//! Replies of the terminal about itself, parsed strictly: anything else is no reply.

use crate::terminal::{LinkSupport, Multiplexer, Notifier};
use crate::theme::{Rgb, Shade};

/// A reply, or a report the terminal sends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// The background colour (OSC 11).
    Background(Rgb),
    /// The colours of the terminal, or of the desktop, became dark or light (mode 2031).
    Scheme(Shade),
    /// Features of the terminal, by the name it reports (XTVERSION).
    Terminal { notifier: Option<Notifier>, links: LinkSupport },
    /// A multiplexer gave its name (XTVERSION).
    Multiplexer(Multiplexer),
    /// How the terminal shows notifications (OSC 99).
    Notifies(Notifier),
    /// The kind of terminal (DA1). Every terminal answers this, so it ends the replies to earlier questions.
    Attributes,
    /// The terminal works (DSR): the reply to the question at the end of a frame.
    Status,
    /// The column of the cursor (CPR), counted from 1.
    Column(u16),
}

/// The reply in a sequence that begins with `ESC [`.
pub(super) fn of_csi(parameters: &[u8], last: u8) -> Option<Reply> {
    match (parameters, last) {
        (b"0", b'n') => Some(Reply::Status),
        (b"?997;1", b'n') => Some(Reply::Scheme(Shade::Dark)),
        (b"?997;2", b'n') => Some(Reply::Scheme(Shade::Light)),
        ([b'?', rest @ ..], b'c') if !rest.is_empty() => Some(Reply::Attributes),
        _ => None,
    }
}

/// The column in a report of the cursor. It may also be a key, so it is one only where it was asked for.
pub(super) fn column(parameters: &[u8], last: u8) -> Option<Reply> {
    let (row, column) = std::str::from_utf8(parameters).ok()?.split_once(';')?;
    let number = |text: &str| {
        let is_number = text.bytes().all(|digit| digit.is_ascii_digit());
        text.parse().ok().filter(|number: &u16| is_number && *number > 0)
    };
    number(row).filter(|_| last == b'R')?;
    number(column).map(Reply::Column)
}

/// The reply in a string, without its introducer's escape and its terminator.
pub(super) fn of_text(text: &[u8]) -> Option<Reply> {
    let text = std::str::from_utf8(text).ok()?;
    if let Some(name) = text.strip_prefix("P>|") {
        if let Some(multiplexer) = Multiplexer::of_terminal(name) {
            return Some(Reply::Multiplexer(multiplexer));
        }
        let (notifier, links) = (Notifier::of_terminal(name), LinkSupport::of_terminal(name));
        return Some(Reply::Terminal { notifier, links });
    }
    if let Some(reply) = text.strip_prefix("]99;") {
        return is_about_notifications(reply).then_some(Reply::Notifies(Notifier::Osc99));
    }
    let colour = text.strip_prefix("]11;")?;
    colour_of(colour).map(Reply::Background)
}

/// The reply to our question of what OSC 99 can do: its id and its kind, in any order.
fn is_about_notifications(reply: &str) -> bool {
    let Some((about, _)) = reply.split_once(';') else { return false };
    let has = |wanted| about.split(':').any(|part| part == wanted);
    has("i=dominds") && has("p=?")
}

/// `rgb:` or `rgba:` with one to four hexadecimal digits for each part.
fn colour_of(text: &str) -> Option<Rgb> {
    let (parts, count) = match text.strip_prefix("rgb:") {
        Some(parts) => (parts, 3),
        None => (text.strip_prefix("rgba:")?, 4),
    };
    let parts: Vec<u8> = parts.split('/').map(part).collect::<Option<_>>()?;
    match parts.as_slice() {
        [red, green, blue, ..] if parts.len() == count => Some(Rgb([*red, *green, *blue])),
        _ => None,
    }
}

/// Parses one component of a colour, as a byte.
fn part(digits: &str) -> Option<u8> {
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if !is_hex || !(1..=4).contains(&digits.len()) {
        return None;
    }
    let value = u32::from_str_radix(digits, 16).ok()?;
    let largest = (1_u32 << (4 * digits.len())) - 1;
    u8::try_from(value * 255 / largest).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_background_is_read_in_every_precision() {
        for (text, expected) in [
            ("]11;rgb:0000/0000/0000", [0, 0, 0]),
            ("]11;rgb:ffff/8080/0000", [255, 128, 0]),
            ("]11;rgb:ff/80/00", [255, 128, 0]),
            ("]11;rgb:f/0/f", [255, 0, 255]),
            ("]11;rgba:ffff/ffff/ffff/8000", [255, 255, 255]),
        ] {
            let expected = Some(Reply::Background(Rgb(expected)));
            assert_eq!(of_text(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_exactly_a_colour_is_no_reply() {
        for text in [
            "]11;",
            "]11;?",
            "]11;rgb:",
            "]11;rgb:ff/ff",
            "]11;rgb:ff/ff/ff/ff",
            "]11;rgba:ff/ff/ff",
            "]11;rgb:fffff/0/0",
            "]11;rgb:+f/0/0",
            "]11;rgb:ff/ff/gg",
            "]11;rgb:ff/ff/ff ",
            "]110;rgb:ff/ff/ff",
            "]10;rgb:ff/ff/ff",
            "]11;white",
        ] {
            assert_eq!(of_text(text.as_bytes()), None, "{text}");
        }
        assert_eq!(of_text(&[b']', b'1', b'1', b';', 0xff]), None);
    }

    #[test]
    fn how_a_terminal_notifies_is_read_from_its_name_and_from_its_reply_to_the_query() {
        let osc99 = Some(Reply::Notifies(Notifier::Osc99));
        for (text, expected) in [
            ("]99;i=dominds:p=?;a=report,focus:p=title,body", osc99),
            ("]99;p=?:i=dominds;", osc99),
            ("]99;i=other:p=?;a=report", None),
            ("]99;i=dominds;", None),
            ("]99;i=dominds:p=?", None),
        ] {
            assert_eq!(of_text(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn what_a_terminal_can_do_is_read_from_its_name() {
        let (known, unknown) = (LinkSupport::Known, LinkSupport::Unknown);
        for (name, notifier, links) in [
            ("kitty(0.35.2)", Some(Notifier::Osc99), known),
            ("WezTerm 20240203", Some(Notifier::Osc777), known),
            ("VTE(7600)", None, known),
            ("mintty 3.7.0", None, known),
            ("XTerm(388)", None, unknown),
            ("tmuxinator 3", None, unknown),
            ("tmux-like", None, unknown),
            ("TMUX 3.4", None, unknown),
            ("x tmux 3.4", None, unknown),
            ("kittyx", None, unknown),
            ("", None, unknown),
        ] {
            let reply = Some(Reply::Terminal { notifier, links });
            assert_eq!(of_text(format!("P>|{name}").as_bytes()), reply, "{name}");
        }
    }

    #[test]
    fn tmux_is_known_by_the_name_it_gives() {
        for name in ["tmux 3.4", "tmux next-3.6", "tmux"] {
            let reply = Some(Reply::Multiplexer(Multiplexer::Tmux));
            assert_eq!(of_text(format!("P>|{name}").as_bytes()), reply, "{name}");
        }
        assert_eq!(of_text(b"P>tmux 3.4"), None);
    }

    #[test]
    fn the_column_of_the_cursor_is_read_from_a_whole_report() {
        for (parameters, last, expected) in [
            (&b"1;1"[..], b'R', Some(1)),
            (b"24;132", b'R', Some(132)),
            (b"24;132", b'P', None),
            (b"24", b'R', None),
            (b"24;", b'R', None),
            (b"0;5", b'R', None),
            (b"5;0", b'R', None),
            (b"1;2;3", b'R', None),
            (b"?1;2", b'R', None),
            (b"1;99999", b'R', None),
            (b"1;+2", b'R', None),
        ] {
            assert_eq!(column(parameters, last), expected.map(Reply::Column), "{parameters:?}");
        }
    }

    #[test]
    fn schemes_and_attributes_are_read_and_other_reports_are_not() {
        assert_eq!(of_csi(b"?997;1", b'n'), Some(Reply::Scheme(Shade::Dark)));
        assert_eq!(of_csi(b"?997;2", b'n'), Some(Reply::Scheme(Shade::Light)));
        assert_eq!(of_csi(b"?62;22", b'c'), Some(Reply::Attributes));
        for (parameters, last) in [
            (&b"?997;3"[..], b'n'),
            (b"997;1", b'n'),
            (b"?", b'c'),
            (b"1", b'c'),
            (b"?2031;1$", b'y'),
        ] {
            assert_eq!(of_csi(parameters, last), None);
        }
    }
}
