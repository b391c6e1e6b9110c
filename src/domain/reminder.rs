//! Reminders: notes a member keeps in front of itself.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::health::HealthLevel;
use super::time::Stamp;

/// The runtime keeps the reminder with this owner: the tellasks in flight.
pub const PENDING_TELLASK_OWNER: &str = "pendingTellask";

/// The kind of a reminder that is meant for the next course.
const CONTINUATION_PACKAGE: &str = "continuation_package";

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

    /// The note a model leaves when it begins a new course.
    #[must_use]
    pub fn for_next_course(
        id: String,
        content: String,
        created_at: Stamp,
        tight: Option<HealthLevel>,
    ) -> Self {
        let meta = serde_json::json!({ "kind": CONTINUATION_PACKAGE, "createdBy": "clear_mind" });
        let mut reminder = Self { meta: Some(meta), ..Self::new(id, content, created_at) };
        if tight.is_some() {
            reminder.pack(tight);
        }
        reminder
    }

    /// Makes a reminder that is written while the context is tight part of what the next course begins
    /// with; written at ease (`None`), it is an ordinary one. Reminders of another kind stay as they
    /// are.
    pub fn pack(&mut self, tight: Option<HealthLevel>) {
        let kind = self.meta.as_ref().and_then(|meta| meta.get("kind")?.as_str());
        let is_package = kind == Some(CONTINUATION_PACKAGE);
        match (tight, &mut self.meta) {
            (Some(level), Some(Value::Object(meta))) if is_package => {
                meta.insert("contextHealthLevel".to_owned(), level.name().into());
            }
            (Some(level), meta @ None) => {
                *meta = Some(serde_json::json!({
                    "kind": CONTINUATION_PACKAGE,
                    "createdBy": "context_health",
                    "contextHealthLevel": level.name(),
                }));
            }
            (None, meta) if is_package => *meta = None,
            (Some(_) | None, _) => {}
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn c16_a_reminder_is_packed_while_the_context_is_tight_and_only_then() {
        let caution = Some(HealthLevel::Caution);
        let ours = json!({"kind": "continuation_package", "createdBy": "context_health", "contextHealthLevel": "caution"});
        let cleared = json!({"kind": "continuation_package", "createdBy": "clear_mind"});
        let kept = json!({"kind": "continuation_package", "createdBy": "clear_mind", "contextHealthLevel": "caution"});
        let owned = json!({"kind": "pending_tellask"});
        for (before, tight, after) in [
            (None, None, None),
            (None, caution, Some(&ours)),
            (Some(&ours), None, None),
            (Some(&cleared), caution, Some(&kept)),
            (Some(&cleared), None, None),
            (Some(&owned), caution, Some(&owned)),
            (Some(&owned), None, Some(&owned)),
        ] {
            let mut reminder = Reminder::new("a".into(), "b".into(), Stamp::default());
            reminder.meta = before.cloned();
            reminder.pack(tight);
            assert_eq!(reminder.meta.as_ref(), after, "{before:?} {tight:?}");
        }
    }
}
