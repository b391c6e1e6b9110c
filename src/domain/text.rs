//! Texts in English and Chinese, for people and for models: the only way to write one.
//!
//! A fixed text is a [`Text`]; one with values is written with `in_lang!`; long ones are documents with both
//! halves, `Text::of_document`. Both languages stand side by side where the text is used, and the compiler
//! checks that neither is missing and that the values exist (ADR 10).

use super::lang::Lang;

/// The line between the English and the Chinese half of a document.
const HALVES: &str = "<!-- zh -->";

/// A fixed text in both languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    en: &'static str,
    zh: &'static str,
}

impl Text {
    #[must_use]
    pub const fn new(en: &'static str, zh: &'static str) -> Self {
        Self { en, zh }
    }

    /// The halves of a document; one without a Chinese half is the same in both languages.
    #[must_use]
    pub fn of_document(document: &'static str) -> Self {
        let (en, zh) = document.split_once(HALVES).unwrap_or((document, document));
        Self::new(en.trim(), zh.trim())
    }

    #[must_use]
    pub const fn in_lang(self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => self.en,
            Lang::Zh => self.zh,
        }
    }

    /// The text with a value for its `{}`.
    #[must_use]
    pub fn with(self, value: &str, lang: Lang) -> String {
        self.in_lang(lang).replacen("{}", value, 1)
    }
}

/// A text with values, in one language: `in_lang!(lang, "{n} files", "{n} 个文件")`. Values that are not
/// variables follow in parentheses: `in_lang!(lang, ("{} files", all.len()), ("{} 个文件", all.len()))`.
macro_rules! in_lang {
    ($lang:expr, ($($en:tt)*), ($($zh:tt)*)) => {
        match $lang {
            $crate::domain::Lang::En => format!($($en)*),
            $crate::domain::Lang::Zh => format!($($zh)*),
        }
    };
    ($lang:expr, $en:literal, $zh:literal $(,)?) => {
        in_lang!($lang, ($en), ($zh))
    };
    ($lang:expr, ($($en:tt)*), $zh:literal $(,)?) => {
        in_lang!($lang, ($($en)*), ($zh))
    };
    ($lang:expr, $en:literal, ($($zh:tt)*) $(,)?) => {
        in_lang!($lang, ($en), ($($zh)*))
    };
}

pub(crate) use in_lang;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_values_is_in_the_language_that_is_asked_for() {
        let n = 3;
        assert_eq!(in_lang!(Lang::En, "{n} files", "{n} 个文件"), "3 files");
        assert_eq!(in_lang!(Lang::Zh, ("{} files", n + 1), ("{} 个文件", n + 1)), "4 个文件");
        assert_eq!(in_lang!(Lang::Zh, ("{} files", n + 1), "文件"), "文件");
    }

    #[test]
    fn a_document_has_two_halves_or_is_the_same_in_both_languages() {
        let both = Text::of_document("Read.\n<!-- zh -->\n读。\n");
        assert_eq!((both.in_lang(Lang::En), both.in_lang(Lang::Zh)), ("Read.", "读。"));
        let one = Text::of_document("Read.\n");
        assert_eq!(one.in_lang(Lang::Zh), "Read.");
    }
}
