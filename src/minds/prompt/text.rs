//! A text in every work language.

use crate::domain::Lang;

#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalizedText {
    en: &'static str,
    zh: &'static str,
}

impl LocalizedText {
    pub(crate) const fn both(en: &'static str, zh: &'static str) -> Self {
        Self { en, zh }
    }

    pub(crate) fn in_lang(&self, lang: Lang) -> &'static str {
        lang.pick(self.en, self.zh)
    }
}
