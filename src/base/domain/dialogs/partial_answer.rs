//! The text of an answer that the model was still writing when the process ended.

use serde::{Deserialize, Serialize};

use crate::domain::number::{Course, Genseq};

/// A piece of text of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerText {
    Thinking(String),
    Saying(String),
}

impl AnswerText {
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Thinking(text) | Self::Saying(text) => text,
        }
    }

    /// Appends `next` if it is of the same kind; otherwise gives it back.
    #[must_use]
    pub fn join(&mut self, next: Self) -> Option<Self> {
        match (self, next) {
            (Self::Thinking(text), Self::Thinking(next))
            | (Self::Saying(text), Self::Saying(next)) => {
                text.push_str(&next);
                None
            }
            (Self::Thinking(_) | Self::Saying(_), next) => Some(next),
        }
    }
}

/// Adds a piece to a list, joined with the last one if that is of the same kind.
pub fn push_text(texts: &mut Vec<AnswerText>, next: AnswerText) {
    let other = match texts.last_mut() {
        Some(last) => last.join(next),
        None => Some(next),
    };
    texts.extend(other);
}

/// What was kept of an answer, and the generation it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedAnswer {
    pub course: Course,
    pub genseq: Genseq,
    pub texts: Vec<AnswerText>,
}

impl UnfinishedAnswer {
    /// Bytes of text.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.texts.iter().map(|text| text.text().len()).sum()
    }

    /// Number of characters.
    #[must_use]
    pub fn characters(&self) -> usize {
        self.texts.iter().map(|text| text.text().chars().count()).sum()
    }
}
