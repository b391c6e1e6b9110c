//! Prompts that wait for their generation.

use serde::{Deserialize, Serialize};

use super::assignment::ReplyDirective;
use super::ids::{CallId, MsgId};
use super::record::Origin;

/// A prompt that opens a generation: a person's words, an assignment, the start of a new course.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuedPrompt {
    pub msg_id: MsgId,
    pub content: String,
    pub origin: Origin,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directive: Option<ReplyDirective>,
    /// The call this prompt assigns; its generation records the assignment anchor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assigns: Option<CallId>,
}

/// What stands between two user messages that were merged at a generation boundary.
const MERGED: &str = "\n\n---\n\n";

impl QueuedPrompt {
    #[must_use]
    pub fn is_user(&self) -> bool {
        self.origin == Origin::User
    }

    /// True if it only keeps the dialog going.
    #[must_use]
    pub fn is_push(&self) -> bool {
        self.origin == Origin::DiligencePush
    }
}

/// Adds `prompt` behind what waits. Two user messages in a row become one that keeps the earlier id;
/// a newer assignment replaces an assignment that waits directly before it; words of a person make a
/// push needless.
pub fn enqueue(queue: &mut Vec<QueuedPrompt>, prompt: QueuedPrompt) {
    if prompt.is_user() {
        queue.retain(|waiting| !waiting.is_push());
    }
    if let Some(last) = queue.last_mut() {
        if last.is_user() && prompt.is_user() {
            last.content.push_str(MERGED);
            last.content.push_str(&prompt.content);
            return;
        }
        if last.assigns.is_some() && prompt.assigns.is_some() {
            *last = prompt;
            return;
        }
    }
    queue.push(prompt);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(id: &str, origin: Origin, assigns: Option<&str>) -> QueuedPrompt {
        QueuedPrompt {
            msg_id: id.into(),
            content: id.to_owned(),
            origin,
            language: None,
            directive: None,
            assigns: assigns.map(CallId::new),
        }
    }

    #[test]
    fn waiting_prompts_merge_only_with_their_own_kind() {
        let mut queue = Vec::new();
        for next in [
            prompt("p1", Origin::DiligencePush, None),
            prompt("u1", Origin::User, None),
            prompt("u2", Origin::User, None),
            prompt("a1", Origin::Runtime, Some("c1")),
            prompt("a2", Origin::Runtime, Some("c2")),
            prompt("u3", Origin::User, None),
        ] {
            enqueue(&mut queue, next);
        }
        let told: Vec<_> = queue.iter().map(|p| (p.msg_id.as_str(), p.content.as_str())).collect();
        assert_eq!(told, [("u1", "u1\n\n---\n\nu2"), ("a2", "a2"), ("u3", "u3")]);
    }
}
