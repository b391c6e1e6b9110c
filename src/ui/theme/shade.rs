//! Exact colours: how light they are, how well they are read on one another, dark or light.

use super::Theme;

/// Red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rgb(pub [u8; 3]);

impl Rgb {
    pub const BLACK: Self = Self([0; 3]);
    pub const WHITE: Self = Self([255; 3]);

    /// How well this colour is read on `paper`: 1 to 21, as the Web Content Accessibility Guidelines 2.2
    /// define it.
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

/// What kind of background a theme is for.
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
