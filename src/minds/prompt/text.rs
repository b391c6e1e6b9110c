//! One text in every work language: the place where a translation is added.

use crate::domain::Lang;

/// English always, Chinese where it has been written; English stands in for a missing one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text {
    en: &'static str,
    zh: Option<&'static str>,
}

impl Text {
    pub(crate) const fn english(en: &'static str) -> Self {
        Self { en, zh: None }
    }

    pub(crate) const fn both(en: &'static str, zh: &'static str) -> Self {
        Self { en, zh: Some(zh) }
    }

    pub(crate) fn of(&self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => self.en,
            Lang::Zh => self.zh.unwrap_or(self.en),
        }
    }
}
