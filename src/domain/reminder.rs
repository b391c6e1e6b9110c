//! Reminders: notes a member keeps in front of itself.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::time::Stamp;

/// The runtime keeps the reminder with this owner: the tellasks in flight.
pub const PENDING_TELLASK_OWNER: &str = "pendingTellask";

/// One entry of `reminders.json`. The list order is the dialog's own order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reminder {
    /// 8 characters of `[0-9a-z]`.
    pub id: String,
    pub content: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub echoback: Option<bool>,
    #[serde(default = "dialog_scope")]
    pub scope: String,
    #[serde(default = "markdown")]
    pub render_mode: String,
    pub created_at: Stamp,
    pub priority: String,
    /// Keys of a newer writer, kept.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

fn dialog_scope() -> String {
    "dialog".to_owned()
}

fn markdown() -> String {
    "markdown".to_owned()
}

impl Reminder {
    #[must_use]
    pub fn new(id: String, content: String, created_at: Stamp) -> Self {
        Self {
            id,
            content,
            owner_name: None,
            meta: None,
            echoback: None,
            scope: dialog_scope(),
            render_mode: markdown(),
            created_at,
            priority: "medium".to_owned(),
            extra: Map::new(),
        }
    }

    /// False for a reminder only people see.
    #[must_use]
    pub fn is_shown_to_the_model(&self) -> bool {
        self.echoback != Some(false)
    }

    /// What decides the visible order: newest first.
    #[must_use]
    pub fn touched_at(&self) -> &str {
        let updated = self.meta.as_ref().and_then(|meta| meta.get("updatedAt")?.as_str());
        updated.map_or(self.created_at.as_str(), |at| at.max(self.created_at.as_str()))
    }
}
