//! Unique short ids that [`super::find`] accepts.

use std::collections::BTreeSet;

use crate::domain::DialogId;
use crate::store::Survey;

use super::find;

/// Shorter prefixes are hard to tell apart, even if they are unique.
const MIN_DIALOG_BYTES: usize = 5;
/// The minimum for questions, whose ids begin with `q4h-` and the id of the dialog.
const MIN_QUESTION_BYTES: usize = "q4h-".len() + MIN_DIALOG_BYTES;

/// How ids are printed.
#[derive(Debug)]
pub enum Ids<'a> {
    /// Whole ids, for scripts.
    Full,
    Short(ShortIds<'a>),
}

/// All ids of a survey.
#[derive(Debug)]
pub struct ShortIds<'a> {
    roots: Prefixes<'a>,
    dialogs: Prefixes<'a>,
    /// Ids that exist in several trees: a fork keeps the ids of side dialogs.
    repeated: BTreeSet<&'a str>,
    questions: Prefixes<'a>,
}

impl<'a> Ids<'a> {
    pub fn short(survey: &'a Survey) -> Self {
        let dialogs = || survey.trees.iter().flat_map(|tree| &tree.dialogs);
        let mut seen = BTreeSet::new();
        let repeated = dialogs().map(|dialog| dialog.meta.id.as_str());
        let repeated = repeated.filter(|id| !seen.insert(*id)).collect();
        Self::Short(ShortIds {
            roots: survey.trees.iter().map(|tree| tree.root.as_str()).collect(),
            dialogs: seen.into_iter().collect(),
            repeated,
            questions: find::open_questions(survey).map(|(_, _, q)| q.id.as_str()).collect(),
        })
    }

    pub fn dialog(&self, id: &DialogId) -> String {
        let Self::Short(short) = self else { return id.to_string() };
        let own = short.dialogs.shortest(id.this.as_str(), MIN_DIALOG_BYTES);
        if !short.repeated.contains(id.this.as_str()) {
            return own.to_owned();
        }
        if id.is_main() {
            return id.to_string();
        }
        format!("{}#{own}", short.roots.shortest(id.root.as_str(), MIN_DIALOG_BYTES))
    }

    pub fn question(&self, id: &str) -> String {
        match self {
            Self::Full => id.to_owned(),
            Self::Short(short) => short.questions.shortest(id, MIN_QUESTION_BYTES).to_owned(),
        }
    }
}

/// Sorted, without duplicates.
#[derive(Debug)]
struct Prefixes<'a>(Vec<&'a str>);

impl<'a> FromIterator<&'a str> for Prefixes<'a> {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Self {
        let mut all: Vec<&str> = texts.into_iter().collect();
        all.sort_unstable();
        all.dedup();
        Self(all)
    }
}

impl Prefixes<'_> {
    /// The shortest unique prefix of `text` with at least `min` bytes.
    fn shortest<'t>(&self, text: &'t str, min: usize) -> &'t str {
        let (Ok(at) | Err(at)) = self.0.binary_search(&text);
        let is_other = |other: &&&str| **other != text;
        let before = at.checked_sub(1).and_then(|before| self.0.get(before));
        let after = self.0.iter().skip(at).find(is_other);
        let shared = before.into_iter().chain(after).map(|other| common_prefix(text, other)).max();
        let mut end = shared.map_or(0, |shared| shared + 1).max(min);
        // A prefix must not end between two parts, or inside a character.
        let is_end = |end: usize| text.get(..end).is_some_and(|cut| !cut.ends_with(['/', '-']));
        while end < text.len() && !is_end(end) {
            end += 1;
        }
        text.get(..end).unwrap_or(text)
    }
}

/// The length of the common prefix.
fn common_prefix(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_printed_as_its_shortest_unique_prefix() {
        let all = ["3f/9a/11112222", "3f/9a/11113333", "3f/b0/11112222", "7c/00/00000001", "ü/ü/ü"];
        let prefixes: Prefixes<'_> = all.into_iter().collect();
        for (text, expected) in [
            ("3f/9a/11112222", "3f/9a/11112"),
            ("3f/9a/11113333", "3f/9a/11113"),
            ("3f/b0/11112222", "3f/b0"),
            ("7c/00/00000001", "7c/00"),
            ("ü/ü/ü", "ü/ü"),
            ("7c/00/00000002", "7c/00/00000002"),
        ] {
            let short = prefixes.shortest(text, MIN_DIALOG_BYTES);
            assert_eq!(short, expected);
            let fits = all.iter().filter(|one| one.starts_with(short)).count();
            assert!(fits <= 1, "{short}");
        }
    }

    #[test]
    fn an_id_that_is_a_prefix_of_another_is_printed_in_full() {
        let prefixes: Prefixes<'_> = ["aa/bb/1", "aa/bb/10"].into_iter().collect();
        assert_eq!(prefixes.shortest("aa/bb/1", MIN_DIALOG_BYTES), "aa/bb/1");
        assert_eq!(prefixes.shortest("aa/bb/10", MIN_DIALOG_BYTES), "aa/bb/10");
    }
}
