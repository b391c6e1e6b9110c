//! Texts in English and Chinese, for people and for models: the only way to write one.
//!
//! A fixed text is a [`Text`]; one with values is written with `in_lang!`, or with `localized!` where its reader
//! is not known yet; long ones are documents with both halves, `Text::of_document`. Both languages stand side by
//! side where the text is used, and the compiler checks that neither is missing and that the values exist (ADR 10).
//!
//! The folder also has the pure rules over any text: differences, JSON, hexadecimal digits, patterns, hidden characters, sizes.

pub mod counted;
pub mod diff;
pub mod hex;
pub mod hidden_chars;
pub mod json;
pub mod search_pattern;
pub mod size;
pub mod wildcard;

use serde::{Deserialize, Serialize};

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
#[macro_export]
macro_rules! in_lang {
    ($lang:expr, ($($en:tt)*), ($($zh:tt)*)) => {
        match $lang {
            $crate::domain::Lang::En => format!($($en)*),
            $crate::domain::Lang::Zh => format!($($zh)*),
        }
    };
    ($lang:expr, $en:literal, $zh:literal $(,)?) => {
        $crate::in_lang!($lang, ($en), ($zh))
    };
    ($lang:expr, ($($en:tt)*), $zh:literal $(,)?) => {
        $crate::in_lang!($lang, ($($en)*), ($zh))
    };
    ($lang:expr, $en:literal, ($($zh:tt)*) $(,)?) => {
        $crate::in_lang!($lang, ($en), ($($zh)*))
    };
}

pub use crate::in_lang;

/// A text with its values in both languages: written where the values are known, read where the reader is.
/// As data it is both, `{"en": …, "zh": …}`; what a command prints for programs has the English text alone, which
/// `to_string` gives.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Localized(Box<Both>);

/// Behind a pointer: errors hold several of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
struct Both {
    en: String,
    zh: String,
}

impl Localized {
    #[must_use]
    pub fn new(en: impl Into<String>, zh: impl Into<String>) -> Self {
        Self(Box::new(Both { en: en.into(), zh: zh.into() }))
    }

    /// A text that is the same in both languages, for example one that somebody else wrote.
    #[must_use]
    pub fn same(text: impl Into<String>) -> Self {
        let text = text.into();
        Self(Box::new(Both { en: text.clone(), zh: text }))
    }

    /// The text that a function writes in each language.
    pub fn of(text: impl Fn(Lang) -> String) -> Self {
        Self(Box::new(Both { en: text(Lang::En), zh: text(Lang::Zh) }))
    }

    #[must_use]
    pub fn in_lang(&self, lang: Lang) -> &str {
        match lang {
            Lang::En => &self.0.en,
            Lang::Zh => &self.0.zh,
        }
    }

    /// True if there is nothing to read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.en.is_empty() && self.0.zh.is_empty()
    }

    /// True if the Chinese text is one of its own.
    #[must_use]
    pub fn is_translated(&self) -> bool {
        self.0.en != self.0.zh && has_chinese(&self.0.zh)
    }

    /// The text, then `more`.
    #[must_use]
    pub fn and(self, more: impl Into<Self>) -> Self {
        let more = more.into();
        Self(Box::new(Both { en: self.0.en + &more.0.en, zh: self.0.zh + &more.0.zh }))
    }

    /// The text after the same change of both languages.
    #[must_use]
    pub fn map(self, change: impl Fn(String) -> String) -> Self {
        Self(Box::new(Both { en: change(self.0.en), zh: change(self.0.zh) }))
    }
}

impl From<Text> for Localized {
    fn from(text: Text) -> Self {
        Self::new(text.en, text.zh)
    }
}

fn has_chinese(text: &str) -> bool {
    text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c))
}

/// In English, as in logs and in what a command prints for programs.
impl std::fmt::Display for Localized {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.en)
    }
}

/// A [`Localized`] with values: `localized!("{n} files", "{n} 个文件")`. Values that are not variables follow in
/// parentheses, as for `in_lang!`. Values that have two languages themselves are named first:
/// `localized!([kind] "it is {kind}", "它是{kind}")`.
#[macro_export]
macro_rules! localized {
    ([$($part:ident),+] $en:literal, $zh:literal $(,)?) => {
        $crate::domain::text::Localized::new(
            {
                $(let $part = $part.in_lang($crate::domain::Lang::En);)+
                format!($en)
            },
            {
                $(let $part = $part.in_lang($crate::domain::Lang::Zh);)+
                format!($zh)
            },
        )
    };
    (($($en:tt)*), ($($zh:tt)*)) => {
        $crate::domain::text::Localized::new(format!($($en)*), format!($($zh)*))
    };
    ($en:literal, $zh:literal $(,)?) => {
        $crate::localized!(($en), ($zh))
    };
    (($($en:tt)*), $zh:literal $(,)?) => {
        $crate::localized!(($($en)*), ($zh))
    };
    ($en:literal, ($($zh:tt)*) $(,)?) => {
        $crate::localized!(($en), ($($zh)*))
    };
}

pub use crate::localized;

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
    fn a_text_for_a_reader_who_is_not_known_yet_holds_both_languages_also_as_data() {
        let n = 3;
        let text = localized!("{n} files", ("{} 个文件", n)).map(|text| text + "!");
        assert_eq!((text.in_lang(Lang::En), text.in_lang(Lang::Zh)), ("3 files!", "3 个文件!"));
        assert_eq!(text.to_string(), "3 files!");
        let json = serde_json::to_string(&text).unwrap();
        assert_eq!(json, r#"{"en":"3 files!","zh":"3 个文件!"}"#);
        let read: Localized = serde_json::from_str(&json).unwrap();
        assert_eq!(read, text);
    }

    #[test]
    fn a_value_with_two_languages_appears_in_each() {
        let kind = Text::new("a list", "列表");
        let text =
            localized!([kind] "it is {kind}", "它是{kind}").and(Text::new("; ignored", "，已忽略"));
        assert_eq!(text, Localized::new("it is a list; ignored", "它是列表，已忽略"));
        assert!(!text.is_empty() && Localized::default().is_empty());
    }

    #[test]
    fn a_document_has_two_halves_or_is_the_same_in_both_languages() {
        let both = Text::of_document("Read.\n<!-- zh -->\n读。\n");
        assert_eq!((both.in_lang(Lang::En), both.in_lang(Lang::Zh)), ("Read.", "读。"));
        let one = Text::of_document("Read.\n");
        assert_eq!(one.in_lang(Lang::Zh), "Read.");
    }
}
