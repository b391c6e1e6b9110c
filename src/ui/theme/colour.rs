//! Colour names, and reducing colours to those of a terminal.

use ratatui::style::{Color, Modifier, Style};

use super::{Rgb, Shade};

/// The lowest contrast of a text in one of sixteen colours, both with the values of xterm and with those of VGA.
pub(super) const LEAST_CONTRAST: f64 = 4.5;
/// The lowest contrast of grey on white: xterm's is 4.0, and darker greys look black like plain text.
pub(super) const LEAST_CONTRAST_OF_GREY: f64 = 4.0;
/// The largest difference between the components of a grey.
const MAX_GREY_SPREAD: u8 = 40;
/// The angle up to which two colours count as of one hue.
const MAX_HUE_APART: u16 = 60;

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
            Self::True => by_index(colour),
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

    /// Returns the style of a text in colours of this depth, on this paper if it has none of its own. Without
    /// colours, a background becomes reverse video.
    pub(super) fn reduce_style(self, style: Style, paper: Option<Color>) -> Style {
        let mut reduced = style;
        reduced.bg = style.bg.map(|colour| self.reduce_paper(colour));
        let paper = reduced.bg.or(paper);
        reduced.fg = style.fg.map(|colour| self.reduce_ink(colour, paper));
        if self == Self::None && style.bg.is_some() {
            reduced = reduced.add_modifier(Modifier::REVERSED);
        }
        reduced
    }

    /// Reduces the style of a selected row. On any of the sixteen colours some other one is unreadable, so
    /// such a row is in reverse video, unless the theme names one of them.
    pub(super) fn reduce_row(self, style: Style) -> Style {
        let is_chosen = style.fg.is_some() || style.bg.is_none_or(is_named);
        if self == Self::Sixteen && !is_chosen {
            return Style { bg: None, ..style }.add_modifier(Modifier::REVERSED);
        }
        self.reduce_style(style, None)
    }

    /// Returns the background of rows whose texts keep their colours, without an ink. Few colours have none on which all
    /// texts are read.
    pub(super) fn reduce_tint(self, style: Style) -> Style {
        let bg = match self {
            Self::None | Self::Sixteen => None,
            Self::Palette | Self::True => style.bg.map(|colour| self.reduce_paper(colour)),
        };
        Style { bg, ..Style::default() }
    }

    /// Reduces a background. Of sixteen colours, only those are used on which black or white is readable.
    pub(super) fn reduce_paper(self, colour: Color) -> Color {
        match (self, rgb_of(colour)) {
            (Self::Sixteen, Some(paper)) if !is_named(colour) => {
                most_alike(paper, |one| one.reads(Color::Black) || one.reads(Color::White))
            }
            (Self::None | Self::Sixteen | Self::Palette | Self::True, _) => self.reduce(colour),
        }
    }

    /// Reduces a text colour. Of sixteen colours, only those are used that are readable on this paper; on
    /// the terminal's paper, a light colour must be readable on black, a dark one on white.
    fn reduce_ink(self, colour: Color, paper: Option<Color>) -> Color {
        let ink = match rgb_of(colour) {
            Some(ink) if self == Self::Sixteen && !is_named(colour) => ink,
            Some(_) | None => return self.reduce(colour),
        };
        let own = paper.filter(|paper| *paper != Color::Reset);
        let paper = own.unwrap_or(match Shade::of(Rgb(ink)) {
            Shade::Dark => Color::White,
            Shade::Light => Color::Black,
        });
        if own.is_none() && is_grey(ink) {
            let is_read = |one: &SixteenColour| {
                is_grey(one.xterm) && one.contrast(paper) >= LEAST_CONTRAST_OF_GREY
            };
            return nearest_of_sixteen(ink, is_read);
        }
        most_alike(ink, |one| one.reads(paper))
    }

    /// The theme of the program that is used where this one is named. Without colours, most roles of a theme
    /// that has them would look alike.
    #[must_use]
    pub fn theme(self, name: &str) -> &str {
        match self {
            Self::None => "mono",
            Self::Sixteen | Self::Palette | Self::True => name,
        }
    }
}

/// Returns the colour by its number in the palette of 256, if it is one of its cube or of its greys: that
/// takes fewer bytes. The first ones of the cube are left out, since some programs redefine them.
fn by_index(colour: Color) -> Color {
    const FIRST_THAT_STAYS: u8 = 22;
    let Color::Rgb(r, g, b) = colour else { return colour };
    let index = nearest_in_palette([r, g, b]);
    let same = index >= FIRST_THAT_STAYS && palette_rgb(index) == [r, g, b];
    if same { Color::Indexed(index) } else { colour }
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
    NAMED.iter().find(|one| one.name == word).map(|one| one.colour).or(match word {
        "default" => Some(Color::Reset),
        _ => None,
    })
}

/// One of the sixteen colours, with its usual values.
#[derive(Debug, Clone, Copy)]
pub(super) struct SixteenColour {
    name: &'static str,
    colour: Color,
    xterm: [u8; 3],
    /// With the values of the Linux console and many emulators.
    vga: [u8; 3],
}

impl SixteenColour {
    const fn new(name: &'static str, colour: Color, xterm: [u8; 3], vga: [u8; 3]) -> Self {
        Self { name, colour, xterm, vga }
    }

    pub(super) fn of(colour: Color) -> Option<&'static Self> {
        NAMED.iter().find(|one| one.colour == colour)
    }

    /// The lower one of its contrasts with another, in both sets of values.
    pub(super) fn contrast(&self, other: Color) -> f64 {
        let Some(other) = Self::of(other) else { return 0.0 };
        let xterm = Rgb(self.xterm).contrast(Rgb(other.xterm));
        xterm.min(Rgb(self.vga).contrast(Rgb(other.vga)))
    }

    fn reads(&self, other: Color) -> bool {
        self.contrast(other) >= LEAST_CONTRAST
    }
}

const NAMED: [SixteenColour; 16] = [
    SixteenColour::new("black", Color::Black, [0, 0, 0], [0, 0, 0]),
    SixteenColour::new("red", Color::Red, [205, 0, 0], [170, 0, 0]),
    SixteenColour::new("green", Color::Green, [0, 205, 0], [0, 170, 0]),
    SixteenColour::new("yellow", Color::Yellow, [205, 205, 0], [170, 85, 0]),
    SixteenColour::new("blue", Color::Blue, [0, 0, 238], [0, 0, 170]),
    SixteenColour::new("magenta", Color::Magenta, [205, 0, 205], [170, 0, 170]),
    SixteenColour::new("cyan", Color::Cyan, [0, 205, 205], [0, 170, 170]),
    SixteenColour::new("gray", Color::Gray, [229, 229, 229], [170, 170, 170]),
    SixteenColour::new("dark-gray", Color::DarkGray, [127, 127, 127], [85, 85, 85]),
    SixteenColour::new("light-red", Color::LightRed, [255, 0, 0], [255, 85, 85]),
    SixteenColour::new("light-green", Color::LightGreen, [0, 255, 0], [85, 255, 85]),
    SixteenColour::new("light-yellow", Color::LightYellow, [255, 255, 0], [255, 255, 85]),
    SixteenColour::new("light-blue", Color::LightBlue, [92, 92, 255], [85, 85, 255]),
    SixteenColour::new("light-magenta", Color::LightMagenta, [255, 0, 255], [255, 85, 255]),
    SixteenColour::new("light-cyan", Color::LightCyan, [0, 255, 255], [85, 255, 255]),
    SixteenColour::new("white", Color::White, [255, 255, 255], [255, 255, 255]),
];

/// Red, green and blue of a colour, with xterm's values of the named ones; `None` for the terminal's own.
pub(super) fn rgb_of(colour: Color) -> Option<[u8; 3]> {
    if let Color::Rgb(r, g, b) = colour {
        Some([r, g, b])
    } else if let Color::Indexed(index) = colour {
        Some(palette_rgb(index))
    } else {
        SixteenColour::of(colour).map(|one| one.xterm)
    }
}

/// The six steps of the colour cube in the 256-colour palette.
const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

fn is_named(colour: Color) -> bool {
    SixteenColour::of(colour).is_some()
}

fn is_grey(rgb: [u8; 3]) -> bool {
    let [r, g, b] = rgb;
    r.max(g).max(b) - r.min(g).min(b) <= MAX_GREY_SPREAD
}

fn nearest_of_sixteen(rgb: [u8; 3], allowed: impl Fn(&SixteenColour) -> bool) -> Color {
    NAMED
        .iter()
        .filter(|one| allowed(one))
        .min_by_key(|one| distance(rgb, one.xterm))
        .map_or(Color::Reset, |one| one.colour)
}

/// Returns the nearest colour of the same hue; for a grey, or if there is none, the nearest of all.
fn most_alike(rgb: [u8; 3], allowed: impl Fn(&SixteenColour) -> bool) -> Color {
    let Some(wanted) = hue(rgb) else { return nearest_of_sixteen(rgb, allowed) };
    let away = |one: &SixteenColour| {
        let away = hue(one.xterm)?.abs_diff(wanted);
        Some(away.min(360 - away)).filter(|away| *away <= MAX_HUE_APART)
    };
    let of_hue = NAMED.iter().filter(|one| allowed(one));
    of_hue
        .filter_map(|one| Some((away(one)?, distance(rgb, one.xterm), one.colour)))
        .min_by_key(|(away, distance, _)| (*away, *distance))
        .map_or_else(|| nearest_of_sixteen(rgb, allowed), |(.., colour)| colour)
}

/// The angle in the circle of colours, red being 0; `None` for a grey.
fn hue(rgb: [u8; 3]) -> Option<u16> {
    if is_grey(rgb) {
        return None;
    }
    let [r, g, b] = rgb.map(i32::from);
    let (most, least) = (r.max(g).max(b), r.min(g).min(b));
    let (sector, apart) = match most {
        _ if most == r => (0, g - b),
        _ if most == g => (120, b - r),
        _ => (240, r - g),
    };
    u16::try_from((sector + 60 * apart / (most - least)).rem_euclid(360)).ok()
}

fn nearest_in_palette(rgb: [u8; 3]) -> u8 {
    (16..=u8::MAX).min_by_key(|index| distance(rgb, palette_rgb(*index))).unwrap_or(15)
}

/// Red, green and blue of a palette entry (xterm's values).
fn palette_rgb(index: u8) -> [u8; 3] {
    match index {
        0..16 => NAMED.get(usize::from(index)).map_or([0; 3], |one| one.xterm),
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
