//! The words the user typed to filter a list: all of them have to occur. Without a capital letter, case does
//! not matter.

use crate::domain::teams::notices::NewsItem;
use crate::protocol::{InboxRow, TreeRow};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    text: String,
    words: Vec<String>,
    exact_case: bool,
}

impl Filter {
    /// `None` for a text without words.
    pub fn new(text: &str) -> Option<Self> {
        let exact_case = text.chars().any(char::is_uppercase);
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        (!words.is_empty()).then(|| Self { text: text.to_owned(), words, exact_case })
    }

    /// Returns the text as it was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn fits_row(&self, row: &TreeRow) -> bool {
        let slug = row.slug.as_ref().map(|slug| format!(" !{slug}")).unwrap_or_default();
        self.fits(&format!("@{}{slug} {} {}", row.agent, row.title, row.taskdoc))
    }

    pub fn fits_question(&self, row: &InboxRow) -> bool {
        let slug = row.slug.as_ref().map(|slug| format!(" !{slug}")).unwrap_or_default();
        let (agent, question) = (&row.agent, &row.question.tellask_content);
        self.fits(&format!("@{agent}{slug} {} {question}", row.taskdoc))
    }

    pub fn fits_news(&self, item: &NewsItem) -> bool {
        let agent = item.agent.as_ref().map(|agent| format!("@{agent} ")).unwrap_or_default();
        self.fits(&format!("{agent}{} {}", item.title, item.body))
    }

    fn fits(&self, text: &str) -> bool {
        let text = if self.exact_case { text.to_owned() } else { text.to_lowercase() };
        self.words.iter().all(|word| text.contains(word.as_str()))
    }
}

/// A row of a list that fits its filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FittingRow {
    pub row: usize,
    /// Its number among the rows that fit, from 1.
    pub number: usize,
    pub total: usize,
}

impl FittingRow {
    /// Returns the next row among those that fit, or the previous one; at the end it wraps around. None if no
    /// row fits.
    pub fn beside(from: usize, fitting: &[usize], back: bool) -> Option<Self> {
        let last = fitting.len().checked_sub(1)?;
        let at = if back {
            fitting.iter().rposition(|row| *row < from).unwrap_or(last)
        } else {
            fitting.iter().position(|row| *row > from).unwrap_or(0)
        };
        let row = fitting.get(at).copied()?;
        Some(Self { row, number: at + 1, total: fitting.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_words_occur_and_case_matters_only_if_a_capital_letter_was_typed() {
        for (filter, fits) in [
            ("log", true),
            ("LOG", false),
            ("Log", true),
            ("page log", true),
            ("log nothing", false),
            ("登录", true),
        ] {
            let found = Filter::new(filter).expect("words").fits("@dev Login page 登录");
            assert_eq!(found, fits, "{filter}");
        }
        assert_eq!(Filter::new("  "), None);
    }
}
