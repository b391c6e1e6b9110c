//! Desktop notifications: which sequence the terminal understands, and that sequence.
//!
//! Sources: the notification protocol of kitty (OSC 99), the sequences of iTerm2 (OSC 9) and of rxvt (OSC 777).
//! The terminal is known by its reply (XTVERSION), not by the environment, which is lost over SSH.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{Control, Multiplexer, is_named, wrap_for_screen, wrap_for_tmux};
use crate::text::SafeText;
use crate::text::copy_text::head;
use crate::text::width::cut;

/// Longest text of a notification, in cells.
const MAX_CELLS: usize = 120;
/// The limit in bytes: marks above a letter have no cells. Encoded, it fits into one piece of every terminal.
const MAX_BYTES: usize = 480;

/// Names at the start of an XTVERSION reply, in lower case, of terminals known to show notifications.
const KNOWN: [(&str, Notifier); 6] = [
    ("kitty", Notifier::Osc99),
    ("iterm2", Notifier::Osc9),
    ("wezterm", Notifier::Osc777),
    ("ghostty", Notifier::Osc777),
    ("foot", Notifier::Osc777),
    ("contour", Notifier::Osc777),
];

/// The way to make the terminal notify the user. The bell is sent as well, to every terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notifier {
    /// The terminal did not report that it shows notifications.
    BellOnly,
    Osc9,
    Osc777,
    Osc99,
}

impl Notifier {
    /// Returns the notifier until the terminal has replied. A terminal behind a multiplexer cannot be asked:
    /// it gets the oldest sequence, wrapped, which terminals that do not know it ignore.
    #[must_use]
    pub fn unasked(multiplexer: Multiplexer) -> Self {
        match multiplexer {
            Multiplexer::None => Self::BellOnly,
            Multiplexer::Tmux | Multiplexer::Screen => Self::Osc9,
        }
    }

    /// Returns the notifier of a terminal of this name; `None` for an unknown one.
    #[must_use]
    pub fn of_terminal(name: &str) -> Option<Self> {
        KNOWN.iter().find(|(known, _)| is_named(name, known)).map(|(_, notifier)| *notifier)
    }

    /// Returns the notifier after another reply: OSC 99 is preferred.
    #[must_use]
    pub fn or_better(self, other: Self) -> Self {
        if self == Self::Osc99 { self } else { other }
    }
}

impl Control {
    /// Asks for the name of the terminal and for OSC 99. A question that every terminal answers must follow.
    pub(super) const ASK_NOTIFIER: &'static [u8] = b"\x1b[>q\x1b]99;i=dominds:p=?;\x1b\\";

    /// Asks how the terminal shows notifications.
    #[must_use]
    pub fn ask_notifier() -> Self {
        Self([Self::ASK_NOTIFIER, b"\x1b[c"].concat())
    }

    /// Asks how the terminal shows notifications, and for its background.
    #[must_use]
    pub fn ask_all() -> Self {
        Self([Self::ASK_NOTIFIER, Self::ask_background().bytes()].concat())
    }

    /// A desktop notification; `None` if the terminal shows none. Inside a multiplexer it is wrapped,
    /// otherwise that would drop it.
    #[must_use]
    pub fn notification(
        text: &SafeText,
        notifier: Notifier,
        multiplexer: Multiplexer,
    ) -> Option<Self> {
        let line = SafeText::line(text.as_str());
        let text = head(cut(line.as_str(), MAX_CELLS), MAX_BYTES);
        // GNU screen passes no end of a string on.
        let end = if multiplexer == Multiplexer::Screen { "\x07" } else { "\x1b\\" };
        let sequence = match notifier {
            Notifier::BellOnly => return None,
            // The prefix prevents a text such as "4;1" from being parsed as another command.
            Notifier::Osc9 => format!("\x1b]9;dominds: {text}{end}"),
            // A semicolon would begin a further field.
            Notifier::Osc777 => format!("\x1b]777;notify;dominds;{}{end}", text.replace(';', ",")),
            Notifier::Osc99 => {
                let text = STANDARD.encode(text);
                format!(
                    "\x1b]99;i=dominds:d=0;dominds{end}\x1b]99;i=dominds:d=1:p=body:e=1;{text}{end}"
                )
            }
        };
        Some(Self(match multiplexer {
            Multiplexer::None => sequence.into_bytes(),
            Multiplexer::Tmux => wrap_for_tmux(&sequence),
            Multiplexer::Screen => wrap_for_screen(&sequence),
        }))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: [Notifier; 3] = [Notifier::Osc9, Notifier::Osc777, Notifier::Osc99];
    const MULTIPLEXERS: [Multiplexer; 3] =
        [Multiplexer::None, Multiplexer::Tmux, Multiplexer::Screen];

    fn sent(raw: &str, notifier: Notifier, multiplexer: Multiplexer) -> String {
        let control = Control::notification(&SafeText::clean(raw), notifier, multiplexer).unwrap();
        String::from_utf8(control.bytes().to_vec()).unwrap()
    }

    #[test]
    fn a_terminal_gets_what_its_name_stands_for_and_an_unknown_one_nothing() {
        for (name, expected) in [
            ("kitty(0.35.2)", Some(Notifier::Osc99)),
            ("iTerm2 3.5.0", Some(Notifier::Osc9)),
            ("WezTerm 20240203-110809-5046fc22", Some(Notifier::Osc777)),
            ("ghostty 1.1.0", Some(Notifier::Osc777)),
            ("foot(1.16.2)", Some(Notifier::Osc777)),
            ("XTerm(388)", None),
            ("tmux 3.4", None),
            ("footloose 1", None),
            ("", None),
        ] {
            assert_eq!(Notifier::of_terminal(name), expected, "{name}");
        }
        let text = SafeText::clean("x");
        assert_eq!(Control::notification(&text, Notifier::BellOnly, Multiplexer::None), None);
    }

    #[test]
    fn a_reply_to_the_query_counts_more_than_the_name_in_whatever_order_they_come() {
        let [nine, rxvt, kitty] = ALL;
        assert_eq!(kitty.or_better(rxvt), kitty);
        assert_eq!(rxvt.or_better(kitty), kitty);
        assert_eq!(Notifier::BellOnly.or_better(nine), nine);
    }

    #[test]
    fn each_terminal_gets_its_sequence() {
        let plain = |notifier| sent("drop; now?", notifier, Multiplexer::None);
        assert_eq!(plain(Notifier::Osc9), "\x1b]9;dominds: drop; now?\x1b\\");
        assert_eq!(plain(Notifier::Osc777), "\x1b]777;notify;dominds;drop, now?\x1b\\");
        assert_eq!(
            plain(Notifier::Osc99),
            "\x1b]99;i=dominds:d=0;dominds\x1b\\\x1b]99;i=dominds:d=1:p=body:e=1;ZHJvcDsgbm93Pw==\x1b\\"
        );
        let wrapped = sent("x", Notifier::Osc9, Multiplexer::Tmux);
        assert_eq!(wrapped, "\x1bPtmux;\x1b\x1b]9;dominds: x\x1b\x1b\\\x1b\\");
        let wrapped = sent("x", Notifier::Osc9, Multiplexer::Screen);
        assert_eq!(wrapped, "\x1bP\x1b]9;dominds: x\x07\x1b\\");
    }

    #[test]
    fn a_notification_cannot_be_terminated_by_its_text() {
        let text = "drop?\u{7}\u{1b}\\\u{1b}]52;c;x\nsecond";
        assert_eq!(
            sent(text, Notifier::Osc9, Multiplexer::None),
            "\u{1b}]9;dominds: drop?␇␛\\␛]52;c;x⏎second\u{1b}\\"
        );
    }

    /// The sequence without its own escapes.
    fn payload(sent: &str, notifier: Notifier) -> &str {
        let (begin, end) = match notifier {
            Notifier::BellOnly => ("", ""),
            Notifier::Osc9 => ("\x1b]9;dominds: ", "\x1b\\"),
            Notifier::Osc777 => ("\x1b]777;notify;dominds;", "\x1b\\"),
            Notifier::Osc99 => {
                ("\x1b]99;i=dominds:d=0;dominds\x1b\\\x1b]99;i=dominds:d=1:p=body:e=1;", "\x1b\\")
            }
        };
        sent.strip_prefix(begin).and_then(|rest| rest.strip_suffix(end)).expect("its frame")
    }

    proptest! {
        #[test]
        fn no_text_leaves_its_sequence_and_none_is_long(
            raw in "(\\PC|[\u{0}-\u{1f}]|[\u{7f}-\u{9f}]|\u{301}|;|\\\\){0,900}",
        ) {
            for notifier in ALL {
                let plain = sent(&raw, notifier, Multiplexer::None);
                prop_assert!(!payload(&plain, notifier).chars().any(char::is_control));
                for multiplexer in MULTIPLEXERS {
                    prop_assert!(sent(&raw, notifier, multiplexer).len() < 1_000);
                }
            }
        }
    }
}
