//! Questions for the human (Q4H).

pub mod choices;
pub mod picking;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::ids::{CallId, DialogId};
use crate::domain::number::{Course, Genseq};
use crate::domain::time::Stamp;

/// One entry of `q4h.yaml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    pub id: String,
    pub tellask_content: String,
    pub asked_at: Stamp,
    pub call_id: CallId,
    pub call_site_ref: CallSite,
    /// Keys of a newer writer, kept.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Where a question was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallSite {
    pub course: Course,
    /// Length of the asker's message list at the call; informational.
    pub message_index: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_site_genseq: Option<Genseq>,
    /// Keys of a newer writer, kept.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Question {
    #[must_use]
    pub fn new(
        dialog: &DialogId,
        call_id: &CallId,
        content: &str,
        asked_at: Stamp,
        site: CallSite,
    ) -> Self {
        Self {
            id: question_id(dialog, site.course, call_id),
            tellask_content: content.to_owned(),
            asked_at,
            call_id: call_id.clone(),
            call_site_ref: site,
            extra: Map::new(),
        }
    }
}

/// The id Dominds gives a question; readers do not parse it.
#[must_use]
pub fn question_id(dialog: &DialogId, course: Course, call_id: &CallId) -> String {
    format!("{}{course}-{call_id}", question_id_start(dialog))
}

/// The prefix of the ids of all questions of a dialog.
#[must_use]
pub fn question_id_start(dialog: &DialogId) -> String {
    format!("q4h-{}-{}-c", dialog.root, dialog.this)
}

/// The first line that says something, for lists.
pub fn headline(content: &str) -> &str {
    content.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("")
}

/// The headline in at most `most` characters; a longer one ends with `…`.
#[must_use]
pub fn short_headline(content: &str, most: usize) -> String {
    let line = headline(content);
    if line.char_indices().nth(most).is_none() {
        return line.to_owned();
    }
    line.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_headline_that_is_cut_says_so() {
        for (content, expected) in
            [("\n  four \nmore", "four"), ("fives", "fives"), ("longer", "long…"), ("", "")]
        {
            assert_eq!(short_headline(content, 5), expected, "{content:?}");
        }
    }
}
