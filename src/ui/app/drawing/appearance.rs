//! Which theme is shown: the chosen one, or the one that fits the terminal's background.

use crate::domain::text::Localized;
use crate::text::wide_chars::WideChars;
use crate::theme::{Shade, ShadedThemes, Theme};

/// The screen has to look in another way from now on.
#[derive(Debug, Clone, PartialEq)]
pub enum LookChange {
    /// The user has another theme, or themes to choose from by the background.
    Look { theme: Theme, follows: Option<ShadedThemes> },
    /// The theme is the one that fits the terminal's background, now and when that changes.
    Themes(ShadedThemes),
    /// The terminal's background is dark or light.
    Background(Shade),
    /// The terminal draws these two cells wide: they count as two, and the symbols are those of ASCII.
    Wide(WideChars),
    /// It cannot be used: the old one stays.
    Invalid(Localized),
}

#[derive(Debug, Default)]
pub(in crate::app) struct Appearance {
    /// `None`: the theme was chosen and stays.
    themes: Option<ShadedThemes>,
    /// The background, once the terminal has reported it.
    shade: Option<Shade>,
}

impl Appearance {
    /// Themes to choose from; the one to show now.
    pub fn follow(&mut self, themes: ShadedThemes) -> Option<Theme> {
        self.themes = Some(themes);
        self.theme()
    }

    /// The background of the terminal; the theme to show on it.
    pub fn show_on(&mut self, shade: Shade) -> Option<Theme> {
        self.shade = Some(shade);
        self.theme()
    }

    /// Another choice of the user; the theme to show now.
    pub fn choose(&mut self, theme: Theme, follows: Option<ShadedThemes>) -> Theme {
        self.themes = follows;
        self.theme().unwrap_or(theme)
    }

    /// An unknown background counts as dark.
    fn theme(&self) -> Option<Theme> {
        let shade = self.shade.unwrap_or(Shade::Dark);
        self.themes.as_ref().map(|themes| themes.of(shade).clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    use crate::theme::ColorDepth;

    #[test]
    fn the_theme_fits_the_background_whichever_is_known_first() {
        let theme = |words| Theme::from_value(&json!({ "text": words }), ColorDepth::True).unwrap();
        let (dark, light) = (theme("white"), theme("black"));
        let themes = || ShadedThemes { dark: dark.clone(), light: light.clone() };
        let mut first = Appearance::default();
        assert_eq!(first.follow(themes()), Some(dark.clone()));
        assert_eq!(first.show_on(Shade::Light), Some(light.clone()));
        assert_eq!(first.show_on(Shade::Dark), Some(dark.clone()));
        let mut second = Appearance::default();
        assert_eq!(second.show_on(Shade::Light), None);
        assert_eq!(second.follow(themes()), Some(light.clone()));
        assert_eq!(second.choose(dark.clone(), None), dark);
        assert_eq!(second.show_on(Shade::Light), None, "the user has chosen");
        assert_eq!(second.choose(dark.clone(), Some(themes())), light);
    }
}
