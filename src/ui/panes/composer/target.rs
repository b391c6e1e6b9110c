//! Whom the text in the composer is for.

use crate::domain::DialogId;
use crate::model::DraftKey;

/// The recipient of the text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Target {
    #[default]
    Nobody,
    Dialog(DialogId),
    Question {
        dialog: DialogId,
        id: String,
        /// The one of its several parts.
        part: Option<String>,
    },
}

impl Target {
    pub fn key(&self) -> Option<DraftKey> {
        match self {
            Self::Nobody => None,
            Self::Dialog(dialog) => Some(DraftKey::Message(dialog.clone())),
            Self::Question { id, part, .. } => Some(DraftKey::of_answer(id, part.as_deref())),
        }
    }

    /// The question being answered.
    pub fn question(&self) -> Option<&str> {
        match self {
            Self::Question { id, .. } => Some(id),
            Self::Dialog(_) | Self::Nobody => None,
        }
    }
}
