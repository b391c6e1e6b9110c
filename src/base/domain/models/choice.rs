//! A model that a person chose for one dialog.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A provider and one of its models, by their names in `llm.yaml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelChoice {
    pub provider: String,
    pub model: String,
}

/// Provider and model, as the team shows those of a member.
impl fmt::Display for ModelChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} / {}", self.provider, self.model)
    }
}
