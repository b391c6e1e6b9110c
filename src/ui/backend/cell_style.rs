//! Colours and modifiers of a cell, and the shortest sequence from one to another.

use std::fmt::Write as _;

use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

use crate::theme::ColorDepth;

/// The style of a glyph, in colours the terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct CellStyle {
    pub fg: Color,
    pub bg: Color,
    pub modifier: Modifier,
}

/// Supported modifiers, with the codes that set and clear them. Blinking and hidden text are not used.
const MODIFIERS: [(Modifier, u8, u8); 6] = [
    (Modifier::BOLD, 1, 22),
    (Modifier::DIM, 2, 22),
    (Modifier::ITALIC, 3, 23),
    (Modifier::UNDERLINED, 4, 24),
    (Modifier::REVERSED, 7, 27),
    (Modifier::CROSSED_OUT, 9, 29),
];

const VISIBLE_ON_BLANK: Modifier =
    Modifier::UNDERLINED.union(Modifier::REVERSED).union(Modifier::CROSSED_OUT);

impl CellStyle {
    pub const DEFAULT: Self =
        Self { fg: Color::Reset, bg: Color::Reset, modifier: Modifier::empty() };

    pub fn of(cell: &Cell, depth: ColorDepth) -> Self {
        let known = MODIFIERS.iter().fold(Modifier::empty(), |all, (one, ..)| all | *one);
        Self {
            fg: depth.reduce(cell.fg),
            bg: depth.reduce(cell.bg),
            modifier: cell.modifier & known,
        }
    }

    /// Returns only the parts that are visible on a blank.
    pub fn on_blank(self) -> Self {
        let modifier = self.modifier & VISIBLE_ON_BLANK;
        let fg = if modifier.is_empty() { Color::Reset } else { self.fg };
        Self { fg, bg: self.bg, modifier }
    }

    /// The style to write a blank with, changing as little as possible of the current one.
    pub fn for_blank(self, current: Self) -> Self {
        if self.modifier.is_empty() {
            let modifier = current.modifier - VISIBLE_ON_BLANK;
            Self { fg: current.fg, bg: self.bg, modifier }
        } else {
            self
        }
    }

    /// Appends the sequence that changes `from` to this style; nothing if they are equal.
    pub fn change(self, from: Option<Self>, out: &mut Vec<u8>) {
        if from == Some(self) {
            return;
        }
        let fresh = self.fresh();
        let codes = match from {
            Some(from) => {
                let step = self.step_from(from);
                if step.len() <= fresh.len() { step } else { fresh }
            }
            None => fresh,
        };
        out.extend_from_slice(b"\x1b[");
        out.extend_from_slice(codes.as_bytes());
        out.push(b'm');
    }

    /// Codes that reset everything and set this style.
    fn fresh(self) -> String {
        let set = self.step_from(Self::DEFAULT);
        if set.is_empty() { set } else { format!("0;{set}") }
    }

    /// Codes that change only what differs.
    fn step_from(self, from: Self) -> String {
        let mut codes = String::new();
        let mut active = from.modifier;
        for (modifier, _, clear) in MODIFIERS {
            if active.contains(modifier) && !self.modifier.contains(modifier) {
                push_code(&mut codes, clear);
                // Bold and dim are cleared by the same code.
                MODIFIERS
                    .iter()
                    .filter(|(.., other)| *other == clear)
                    .for_each(|(m, ..)| active -= *m);
            }
        }
        for (modifier, set, _) in MODIFIERS {
            if self.modifier.contains(modifier) && !active.contains(modifier) {
                push_code(&mut codes, set);
            }
        }
        if self.fg != from.fg {
            push_colour(&mut codes, self.fg, 30);
        }
        if self.bg != from.bg {
            push_colour(&mut codes, self.bg, 40);
        }
        codes
    }
}

fn push_code(codes: &mut String, code: u8) {
    let separator = if codes.is_empty() { "" } else { ";" };
    // Writing to a String cannot fail.
    let _ = write!(codes, "{separator}{code}");
}

/// `base` is 30 for the foreground, 40 for the background.
fn push_colour(codes: &mut String, colour: Color, base: u8) {
    if let Color::Rgb(r, g, b) = colour {
        for code in [base + 8, 2, r, g, b] {
            push_code(codes, code);
        }
    } else if let Color::Indexed(index) = colour {
        for code in [base + 8, 5, index] {
            push_code(codes, code);
        }
    } else {
        push_code(codes, base + named_offset(colour));
    }
}

/// Offset of a named colour, or of the terminal's default, from black.
fn named_offset(colour: Color) -> u8 {
    match colour {
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 60,
        Color::LightRed => 61,
        Color::LightGreen => 62,
        Color::LightYellow => 63,
        Color::LightBlue => 64,
        Color::LightMagenta => 65,
        Color::LightCyan => 66,
        Color::White => 67,
        Color::Reset => 9,
        Color::Black | Color::Rgb(..) | Color::Indexed(_) => 0,
    }
}
