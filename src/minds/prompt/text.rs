//! One text in every work language, side by side: there is no text in one of them alone.

use crate::domain::Lang;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Text {
    en: &'static str,
    zh: &'static str,
}

impl Text {
    pub(crate) const fn both(en: &'static str, zh: &'static str) -> Self {
        Self { en, zh }
    }

    pub(crate) fn of(&self, lang: Lang) -> &'static str {
        lang.pick(self.en, self.zh)
    }
}
