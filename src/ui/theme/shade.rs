//! Exact colours: how light they are, how well they are read on one another, dark or light.

use super::Theme;

/// Red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rgb(pub [u8; 3]);

impl Rgb {
    pub const BLACK: Self = Self([0; 3]);
    pub const WHITE: Self = Self([255; 3]);

    /// Returns the contrast of this colour on `paper`: 1 to 21, as the Web Content Accessibility
    /// Guidelines 2.2 define it.
    #[must_use]
    pub fn contrast(self, paper: Self) -> f64 {
        let (a, b) = (self.luminance(), paper.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Relative luminance, by the same definition.
    fn luminance(self) -> f64 {
        let [red, green, blue] = self.linear();
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// The parts in proportion to light.
    pub(super) fn linear(self) -> [f64; 3] {
        self.0.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        })
    }
}

/// The background a theme is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shade {
    Dark,
    Light,
}

impl Shade {
    /// Light if black is read better on it than white.
    #[must_use]
    pub fn of(background: Rgb) -> Self {
        let (black, white) = (Rgb::BLACK.contrast(background), Rgb::WHITE.contrast(background));
        if black > white { Self::Light } else { Self::Dark }
    }
}

/// Returns the background that `COLORFGBG` names, which some terminals set: the colours of text and
/// background, as numbers of the sixteen colours or `default`, sometimes with a field between them.
#[must_use]
pub fn shade_of_variable(value: &str) -> Option<Shade> {
    let fields: Vec<&str> = value.split(';').collect();
    let number = |field: &str| {
        let is_number = (1..=2).contains(&field.len()) && field.bytes().all(|b| b.is_ascii_digit());
        field.parse::<u8>().ok().filter(|number| is_number && *number < 16)
    };
    let is_known = |field: &&str| *field == "default" || number(field).is_some();
    if !(2..=3).contains(&fields.len()) || !fields.iter().all(is_known) {
        return None;
    }
    match fields.last().and_then(|field| number(field))? {
        0..=6 | 8 => Some(Shade::Dark),
        7.. => Some(Shade::Light),
    }
}

/// A theme for each kind of background.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShadedThemes {
    pub dark: Theme,
    pub light: Theme,
}

impl ShadedThemes {
    #[must_use]
    pub fn of(&self, shade: Shade) -> &Theme {
        match shade {
            Shade::Dark => &self.dark,
            Shade::Light => &self.light,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_field_of_the_variable_is_the_background_and_anything_else_is_nothing() {
        let (dark, light) = (Some(Shade::Dark), Some(Shade::Light));
        for (value, expected) in [
            ("15;0", dark),
            ("0;15", light),
            ("15;default;0", dark),
            ("0;default;15", light),
            ("default;8", dark),
            ("0;7", light),
            ("7;4", dark),
            ("12;11", light),
        ] {
            assert_eq!(shade_of_variable(value), expected, "{value}");
        }
        for value in [
            "",
            "0",
            "15",
            ";",
            "15;",
            ";0",
            "15;default",
            "15;16",
            "15;-1",
            "15;+1",
            "15; 0",
            "15;0 ",
            "15;000",
            "15;0;0;0",
            "a;0",
            "15;a;0",
            "15:0",
            "15;#000000",
            "15;255",
        ] {
            assert_eq!(shade_of_variable(value), None, "{value:?}");
        }
    }
}
