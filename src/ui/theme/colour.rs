//! Colour names, and reducing colours to what a terminal can show.

use ratatui::style::{Color, Modifier, Style};

use super::{Rgb, Shade};

/// The lowest contrast of a text in one of sixteen colours, whose values differ between terminals.
const LEAST_CONTRAST: f64 = 3.0;

/// How many colours the terminal shows. Detected elsewhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ColorDepth {
    /// No colour at all; bold, dim, reverse and underline remain.
    None,
    /// The sixteen named colours.
    Sixteen,
    /// The palette of 256.
    #[default]
    Palette,
    /// 24 bits.
    True,
}

impl ColorDepth {
    /// The nearest colour of this depth.
    #[must_use]
    pub fn reduce(self, colour: Color) -> Color {
        match self {
            Self::None => Color::Reset,
            Self::True => colour,
            Self::Palette => {
                if let Color::Rgb(r, g, b) = colour {
                    Color::Indexed(nearest_in_palette([r, g, b]))
                } else {
                    colour
                }
            }
            Self::Sixteen => {
                if let Color::Rgb(r, g, b) = colour {
                    nearest_of_sixteen([r, g, b], |_| true)
                } else if let Color::Indexed(index) = colour {
                    nearest_of_sixteen(palette_rgb(index), |_| true)
                } else {
                    colour
                }
            }
        }
    }

    /// The same for texts. Of sixteen colours, only those are taken that are read on black if this one is
    /// light, or on white if it is dark.
    fn reduce_ink(self, colour: Color) -> Color {
        match (self, rgb_of(colour).map(Rgb)) {
            (Self::Sixteen, Some(ink)) if !is_named(colour) => {
                let paper = match Shade::of(ink) {
                    Shade::Dark => Rgb::WHITE,
                    Shade::Light => Rgb::BLACK,
                };
                let is_read = |rgb: [u8; 3]| Rgb(rgb).contrast(paper) >= LEAST_CONTRAST;
                nearest_of_sixteen(ink.0, is_read)
            }
            (Self::None | Self::Sixteen | Self::Palette | Self::True, _) => self.reduce(colour),
        }
    }

    /// The style in colours of this depth. Without colours, a background becomes reverse video.
    pub(super) fn reduce_style(self, style: Style) -> Style {
        let mut reduced = style;
        reduced.fg = style.fg.map(|colour| self.reduce_ink(colour));
        reduced.bg = style.bg.map(|colour| self.reduce(colour));
        if self == Self::None && style.bg.is_some() {
            reduced = reduced.add_modifier(Modifier::REVERSED);
        }
        reduced
    }
}

/// Reads a colour name, `#rrggbb`, or an index of the 256-colour palette.
pub(super) fn parse(word: &str) -> Option<Color> {
    if let Some(hex) = word.strip_prefix('#') {
        let value = u32::from_str_radix(hex, 16).ok().filter(|_| hex.len() == 6)?;
        let [_, r, g, b] = value.to_be_bytes();
        return Some(Color::Rgb(r, g, b));
    }
    if let Ok(index) = word.parse() {
        return Some(Color::Indexed(index));
    }
    NAMED.iter().find(|(name, ..)| *name == word).map(|(_, colour, _)| *colour).or(match word {
        "default" => Some(Color::Reset),
        _ => None,
    })
}

/// The sixteen colours: name, value, and the usual red, green and blue.
const NAMED: [(&str, Color, [u8; 3]); 16] = [
    ("black", Color::Black, [0, 0, 0]),
    ("red", Color::Red, [205, 0, 0]),
    ("green", Color::Green, [0, 205, 0]),
    ("yellow", Color::Yellow, [205, 205, 0]),
    ("blue", Color::Blue, [0, 0, 238]),
    ("magenta", Color::Magenta, [205, 0, 205]),
    ("cyan", Color::Cyan, [0, 205, 205]),
    ("gray", Color::Gray, [229, 229, 229]),
    ("dark-gray", Color::DarkGray, [127, 127, 127]),
    ("light-red", Color::LightRed, [255, 0, 0]),
    ("light-green", Color::LightGreen, [0, 255, 0]),
    ("light-yellow", Color::LightYellow, [255, 255, 0]),
    ("light-blue", Color::LightBlue, [92, 92, 255]),
    ("light-magenta", Color::LightMagenta, [255, 0, 255]),
    ("light-cyan", Color::LightCyan, [0, 255, 255]),
    ("white", Color::White, [255, 255, 255]),
];

/// Red, green and blue of a colour, with xterm's values of the named ones; `None` for the terminal's own.
pub(super) fn rgb_of(colour: Color) -> Option<[u8; 3]> {
    if let Color::Rgb(r, g, b) = colour {
        Some([r, g, b])
    } else if let Color::Indexed(index) = colour {
        Some(palette_rgb(index))
    } else {
        NAMED.iter().find(|(_, named, _)| *named == colour).map(|(.., rgb)| *rgb)
    }
}

/// The six steps of the colour cube in the 256-colour palette.
const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

fn is_named(colour: Color) -> bool {
    NAMED.iter().any(|(_, named, _)| *named == colour)
}

fn nearest_of_sixteen(rgb: [u8; 3], allowed: impl Fn([u8; 3]) -> bool) -> Color {
    NAMED
        .iter()
        .filter(|(.., other)| allowed(*other))
        .min_by_key(|(_, _, other)| distance(rgb, *other))
        .map_or(Color::Reset, |(_, colour, _)| *colour)
}

fn nearest_in_palette(rgb: [u8; 3]) -> u8 {
    (16..=u8::MAX).min_by_key(|index| distance(rgb, palette_rgb(*index))).unwrap_or(15)
}

/// Red, green and blue of a palette entry (xterm's values).
fn palette_rgb(index: u8) -> [u8; 3] {
    match index {
        0..16 => NAMED.get(usize::from(index)).map_or([0; 3], |(_, _, rgb)| *rgb),
        16..232 => {
            let cube = index - 16;
            let step = |digit: u8| CUBE.get(usize::from(digit % 6)).copied().unwrap_or_default();
            [step(cube / 36), step(cube / 6), step(cube)]
        }
        232.. => [8 + 10 * (index - 232); 3],
    }
}

fn distance(a: [u8; 3], b: [u8; 3]) -> u32 {
    a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
}
