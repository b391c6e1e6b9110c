//! Output of programs with its colours: escape sequences become roles of the theme, and everything else that
//! is not text is left out or shown by the cleaner.
//!
//! Colours are mapped to roles, so that they are readable on every background and nothing depends on them.

use anstyle_parse::{DefaultCharAccumulator, Params, Parser, Perform};
use ratatui::style::{Modifier, Style};

use super::SafeText;
use crate::theme::{Role, Theme};

/// A part of a line in one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputSpan {
    pub text: SafeText,
    colour: Role,
    modifiers: Modifier,
}

impl OutputSpan {
    pub fn style(&self, theme: &Theme) -> Style {
        theme.style(self.colour).add_modifier(self.modifiers)
    }
}

/// The lines of an output.
pub fn output_lines(text: &str) -> Vec<Vec<OutputSpan>> {
    let mut parser = Parser::<DefaultCharAccumulator>::new();
    let mut output = Output::default();
    for byte in text.bytes() {
        parser.advance(&mut output, byte);
    }
    output.end_line();
    if text.ends_with('\n') || text.is_empty() {
        output.lines.pop();
    }
    output.lines
}

#[derive(Debug)]
struct Output {
    lines: Vec<Vec<OutputSpan>>,
    line: Vec<OutputSpan>,
    raw: String,
    colour: Role,
    modifiers: Modifier,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            lines: Vec::new(),
            line: Vec::new(),
            raw: String::new(),
            colour: Role::Text,
            modifiers: Modifier::empty(),
        }
    }
}

impl Output {
    fn end_span(&mut self) {
        if !self.raw.is_empty() {
            let text = SafeText::line(&std::mem::take(&mut self.raw));
            let Self { colour, modifiers, .. } = *self;
            self.line.push(OutputSpan { text, colour, modifiers });
        }
    }

    fn end_line(&mut self) {
        self.end_span();
        self.lines.push(std::mem::take(&mut self.line));
    }

    fn select(&mut self, numbers: &[u16]) {
        let mut rest = numbers.iter().copied();
        while let Some(number) = rest.next() {
            match number {
                0 => (self.colour, self.modifiers) = (Role::Text, Modifier::empty()),
                1 => self.modifiers |= Modifier::BOLD,
                2 => self.modifiers |= Modifier::DIM,
                3 => self.modifiers |= Modifier::ITALIC,
                4 => self.modifiers |= Modifier::UNDERLINED,
                22 => self.modifiers -= Modifier::BOLD | Modifier::DIM,
                23 => self.modifiers -= Modifier::ITALIC,
                24 => self.modifiers -= Modifier::UNDERLINED,
                30..=37 => self.colour = named(number - 30),
                38 => self.colour = chosen(&mut rest).unwrap_or(self.colour),
                39 => self.colour = Role::Text,
                48 => drop(chosen(&mut rest)),
                90..=97 => self.colour = named(number - 90),
                _ => {}
            }
        }
    }
}

/// One of the eight colours of terminals.
fn named(colour: u16) -> Role {
    match colour {
        1 => Role::Bad,
        2 => Role::Good,
        3 => Role::Warning,
        4..=6 => Role::Accent,
        _ => Role::Text,
    }
}

/// A colour of the palette or in red, green and blue.
fn chosen(numbers: &mut impl Iterator<Item = u16>) -> Option<Role> {
    match numbers.next()? {
        5 => Some(match numbers.next()? {
            colour @ 0..=15 => named(colour % 8),
            colour @ 16..=231 => {
                let cube = colour - 16;
                nearest([cube / 36, cube / 6 % 6, cube % 6])
            }
            _ => Role::Text,
        }),
        2 => {
            let (red, green, blue) = (numbers.next()?, numbers.next()?, numbers.next()?);
            Some(nearest([red, green, blue].map(|part| part.min(255) / 43)))
        }
        _ => None,
    }
}

/// The role of a colour whose parts go from 0 to 5.
fn nearest([red, green, blue]: [u16; 3]) -> Role {
    let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
    let strong = |part: u16| part * 5 >= (most + least) * 2;
    if most - least < 2 {
        return Role::Text;
    }
    match (strong(red), strong(green), strong(blue)) {
        (true, true, false) => Role::Warning,
        (true, false, false) => Role::Bad,
        (false, true, false) => Role::Good,
        _ => Role::Accent,
    }
}

impl Perform for Output {
    fn print(&mut self, c: char) {
        self.raw.push(c);
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\n' => self.end_line(),
            b'\r' => {}
            other => self.raw.push(char::from(other)),
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], ignore: bool, action: u8) {
        if action == b'm' && intermediates.is_empty() && !ignore {
            self.end_span();
            let numbers: Vec<u16> = params.iter().flatten().copied().collect();
            self.select(if numbers.is_empty() { &[0] } else { &numbers });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> Vec<Vec<(String, Role)>> {
        let span = |span: &OutputSpan| (span.text.as_str().to_owned(), span.colour);
        output_lines(text).iter().map(|line| line.iter().map(span).collect()).collect()
    }

    #[test]
    fn colours_become_roles_and_other_sequences_are_left_out() {
        for (text, expected) in [
            (
                "a\u{1b}[31mb\u{1b}[0mc",
                vec![("a", Role::Text), ("b", Role::Bad), ("c", Role::Text)],
            ),
            ("\u{1b}[1;32mok\u{1b}[m", vec![("ok", Role::Good)]),
            ("\u{1b}[38;5;208mx", vec![("x", Role::Warning)]),
            ("\u{1b}[38;2;0;0;255mx", vec![("x", Role::Accent)]),
            ("\u{1b}[48;5;1mx", vec![("x", Role::Text)]),
            ("\u{1b}]52;c;AAAA\u{7}a\u{1b}[2J\u{1b}[?1049hb", vec![("ab", Role::Text)]),
        ] {
            let expected: Vec<_> =
                expected.into_iter().map(|(text, role)| (text.to_owned(), role)).collect();
            assert_eq!(shown(text), [expected], "{text:?}");
        }
        assert_eq!(shown("").len(), 0);
        assert_eq!(shown("a\n\nb\r\n").len(), 3);
    }

    proptest! {
        #[test]
        fn no_control_character_is_left(text in "[\\PC\u{1b}\u{9b}\u{7}\\[\\];m0-9\n\r]{0,60}") {
            for span in output_lines(&text).into_iter().flatten() {
                prop_assert!(!span.text.as_str().chars().any(char::is_control), "{:?}", span);
            }
        }
    }
}
