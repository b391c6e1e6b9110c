//! Which theme is shown: the chosen one, the one that fits the terminal's background, or one that is only tried.

use crate::domain::text::Localized;
use crate::text::wide_chars::WideChars;
use crate::theme::{Shade, ShadedThemes, Theme};
use crate::user_settings::ThemeOption;

/// The screen has to look in another way from now on.
#[derive(Debug, Clone, PartialEq)]
pub enum LookChange {
    /// The user has another theme, or themes to choose from by the background.
    Look { theme: Theme, follows: Option<ShadedThemes> },
    /// This theme is only looked at; `None`: no longer any, and the one before comes back.
    Tried(Option<ThemeOption>),
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
    /// The theme that comes back, while another one is tried.
    kept: Option<Theme>,
}

impl Appearance {
    /// Themes to choose from; the one to show now.
    pub fn follow(&mut self, themes: ShadedThemes) -> Option<Theme> {
        self.themes = Some(themes);
        let theme = self.theme();
        self.unless_tried(theme)
    }

    /// The background of the terminal; the theme to show on it.
    pub fn show_on(&mut self, shade: Shade) -> Option<Theme> {
        self.shade = Some(shade);
        let theme = self.theme();
        self.unless_tried(theme)
    }

    /// Another choice of the user; the theme to show now.
    pub fn choose(&mut self, theme: Theme, follows: Option<ShadedThemes>) -> Option<Theme> {
        self.themes = follows;
        let theme = self.theme().unwrap_or(theme);
        self.unless_tried(Some(theme))
    }

    /// Another theme is tried, or none any more; the theme to show now. `shown` is the theme on the screen.
    pub fn try_on(&mut self, tried: Option<ThemeOption>, shown: &Theme) -> Option<Theme> {
        let Some(tried) = tried else { return self.kept.take() };
        self.kept.get_or_insert_with(|| shown.clone());
        Some(match tried.follows {
            Some(themes) => themes.of(self.shade()).clone(),
            None => tried.theme,
        })
    }

    /// The theme, unless another one is tried; then it comes back later.
    fn unless_tried(&mut self, theme: Option<Theme>) -> Option<Theme> {
        match (&mut self.kept, theme) {
            (Some(kept), Some(theme)) => {
                *kept = theme;
                None
            }
            (Some(_), None) => None,
            (None, theme) => theme,
        }
    }

    fn theme(&self) -> Option<Theme> {
        self.themes.as_ref().map(|themes| themes.of(self.shade()).clone())
    }

    /// An unknown background counts as dark.
    fn shade(&self) -> Shade {
        self.shade.unwrap_or(Shade::Dark)
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
        assert_eq!(second.choose(dark.clone(), None), Some(dark.clone()));
        assert_eq!(second.show_on(Shade::Light), None, "the user has chosen");
        assert_eq!(second.choose(dark.clone(), Some(themes())), Some(light.clone()));
    }

    #[test]
    fn what_comes_back_after_another_theme_was_tried_is_the_one_that_was_chosen_last() {
        let theme = |words| Theme::from_value(&json!({ "text": words }), ColorDepth::True).unwrap();
        let option = |theme: &Theme| {
            let (name, theme) = ("lagoon".to_owned(), theme.clone());
            Some(ThemeOption { name, theme, follows: None })
        };
        let (dark, light, lagoon) = (theme("white"), theme("black"), theme("cyan"));
        let mut appearance = Appearance::default();
        assert_eq!(appearance.try_on(None, &dark), None);
        assert_eq!(appearance.try_on(option(&lagoon), &dark), Some(lagoon.clone()));
        assert_eq!(appearance.try_on(option(&light), &lagoon), Some(light.clone()));
        assert_eq!(appearance.try_on(None, &light), Some(dark.clone()));
        appearance.try_on(option(&lagoon), &dark);
        assert_eq!(appearance.choose(light.clone(), None), None, "another one is looked at");
        assert_eq!(appearance.try_on(None, &lagoon), Some(light.clone()));
        appearance.try_on(option(&lagoon), &light);
        appearance.follow(ShadedThemes { dark: dark.clone(), light: light.clone() });
        assert_eq!(appearance.show_on(Shade::Light), None);
        assert_eq!(appearance.try_on(None, &lagoon), Some(light));
    }
}
