//! Characters whose width Unicode leaves open (East Asian ambiguous): lines, arrows, `…`, and letters such as `é` and
//! `я`. Most terminals draw them one cell wide, some two, and of those some the signs alone. It is measured at the
//! start, with one sign and one letter.

use std::cell::Cell;

use unicode_width::UnicodeWidthStr as _;

thread_local! {
    /// What the terminal of this thread, which lays out and draws the screen, draws wide.
    static WIDE: Cell<WideChars> = const { Cell::new(WideChars::None) };
}

/// Which of these characters the terminal draws two cells wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WideChars {
    #[default]
    None,
    Signs,
    SignsAndLetters,
}

impl WideChars {
    /// Returns what the columns of the cursor before a sign with a letter and after them say; nothing if the cursor
    /// did not move as text moves it. No terminal is known that draws the letters alone wide.
    #[must_use]
    pub fn measured(start: u16, end: u16) -> Option<Self> {
        match end.checked_sub(start)? {
            2 => Some(Self::None),
            3 => Some(Self::Signs),
            4 => Some(Self::SignsAndLetters),
            _ => None,
        }
    }

    /// Returns what this thread measures text with.
    #[must_use]
    pub fn now() -> Self {
        WIDE.get()
    }

    /// Measures all text of this thread with it from now on.
    pub fn set(self) {
        WIDE.set(self);
    }

    /// Returns the cells of a visible character that has `narrow` cells elsewhere.
    pub(super) fn width_of(self, cluster: &str, narrow: u16) -> u16 {
        let with_letters = match self {
            Self::None => return narrow,
            Self::Signs => false,
            Self::SignsAndLetters => true,
        };
        let is_letter = cluster.chars().next().is_some_and(is_open_letter);
        let letter = if with_letters && is_letter { 2 } else { 0 };
        // The tables of the library leave letters out.
        narrow.max(u16::try_from(cluster.width_cjk()).unwrap_or(u16::MAX)).max(letter)
    }
}

/// Letters, and accents by themselves, that Unicode lists as ambiguous.
fn is_open_letter(c: char) -> bool {
    matches!(u32::from(c),
        0x00A8 | 0x00AA | 0x00B4 | 0x00B8 | 0x00BA | 0x00C6 | 0x00D0 | 0x00D8 | 0x00DE..=0x00E1
        | 0x00E6 | 0x00E8..=0x00EA | 0x00EC..=0x00ED | 0x00F0 | 0x00F2..=0x00F3
        | 0x00F8..=0x00FA | 0x00FC | 0x00FE | 0x0101 | 0x0111 | 0x0113 | 0x011B
        | 0x0126..=0x0127 | 0x012B | 0x0131..=0x0133 | 0x0138 | 0x013F..=0x0142 | 0x0144
        | 0x0148..=0x014B | 0x014D | 0x0152..=0x0153 | 0x0166..=0x0167 | 0x016B | 0x01CE | 0x01D0
        | 0x01D2 | 0x01D4 | 0x01D6 | 0x01D8 | 0x01DA | 0x01DC | 0x0251 | 0x0261 | 0x02C4 | 0x02C7
        | 0x02C9..=0x02CB | 0x02CD | 0x02D0 | 0x02D8..=0x02DB | 0x02DD | 0x02DF
        | 0x0391..=0x03A1 | 0x03A3..=0x03A9 | 0x03B1..=0x03C1 | 0x03C3..=0x03C9 | 0x0401
        | 0x0410..=0x044F | 0x0451 | 0x207F | 0x2113 | 0x2126 | 0x212B)
}

#[cfg(test)]
pub(crate) mod testing {
    //! Wide characters for as long as a test takes.

    use super::WideChars;

    /// Characters are narrow again when it is dropped.
    #[derive(Debug)]
    pub struct Measured(());

    impl Measured {
        pub fn begin(wide: WideChars) -> Self {
            wide.set();
            Self(())
        }
    }

    impl Drop for Measured {
        fn drop(&mut self) {
            WideChars::None.set();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::width::{cut, shorten, width};

    #[test]
    fn open_characters_have_the_width_that_the_terminal_gives_them_and_others_their_own() {
        let texts = ["plain", "Привет", "…", "─│●", "né", "e\u{301}", "你好", "👩\u{200d}🚀"];
        let narrow = [5, 6, 1, 3, 2, 1, 4, 2];
        assert_eq!(texts.map(width), narrow);
        let signs = testing::Measured::begin(WideChars::Signs);
        assert_eq!(texts.map(width), [5, 6, 2, 6, 2, 1, 4, 2]);
        drop(signs);
        let all = testing::Measured::begin(WideChars::SignsAndLetters);
        assert_eq!(texts.map(width), [5, 12, 2, 6, 3, 1, 4, 2]);
        assert_eq!((cut("привет", 5), &*shorten("abcdef", 4, "…")), ("пр", "ab…"));
        drop(all);
        assert_eq!(texts.map(width), narrow);
    }

    #[test]
    fn what_is_wide_is_known_from_the_columns_around_a_sign_and_a_letter() {
        for (start, end, expected) in [
            (1, 3, Some(WideChars::None)),
            (1, 4, Some(WideChars::Signs)),
            (7, 11, Some(WideChars::SignsAndLetters)),
            (1, 1, None),
            (1, 6, None),
            (80, 80, None),
            (80, 2, None),
        ] {
            assert_eq!(WideChars::measured(start, end), expected, "{start} {end}");
        }
    }
}
