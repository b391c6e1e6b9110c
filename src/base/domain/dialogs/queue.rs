//! Prompts that wait for their generation.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::assignment::ReplyDirective;
use super::record::Origin;
use crate::domain::ids::{CallId, MsgId};
use crate::domain::lang::Lang;

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
    /// Images that a person attached, as the record will name them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_items: Option<Value>,
    /// It starts no generation: the next one takes it, before everything else.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quiet: bool,
}

/// Most messages of a person that may wait for one dialog.
pub const MAX_WAITING: usize = 100;
/// Most bytes of messages that may wait together; one alone may be longer.
const MAX_BYTES: usize = 2 * 1024 * 1024;

impl QueuedPrompt {
    /// A prompt of the runtime in this language.
    #[must_use]
    pub fn of_runtime(msg_id: MsgId, content: String, lang: Lang) -> Self {
        Self {
            msg_id,
            content,
            origin: Origin::Runtime,
            language: Some(lang.code().to_owned()),
            directive: None,
            assigns: None,
            content_items: None,
            quiet: false,
        }
    }

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

/// Adds `prompt` behind what waits. Messages of a person stay apart, each with its own id; a newer
/// assignment replaces an assignment that waits directly before it; words of a person make a push
/// needless.
pub fn enqueue(queue: &mut Vec<QueuedPrompt>, prompt: QueuedPrompt) {
    if prompt.is_user() {
        queue.retain(|waiting| !waiting.is_push());
    }
    if let Some(last) = queue.iter_mut().rfind(|waiting| !waiting.quiet)
        && last.assigns.is_some()
        && prompt.assigns.is_some()
    {
        *last = prompt;
        return;
    }
    queue.push(prompt);
}

/// True if a further message of a person may wait: the queue is one small file.
#[must_use]
pub fn has_room(queue: &[QueuedPrompt], text: &str) -> bool {
    let waiting = || queue.iter().filter(|prompt| prompt.is_user());
    let bytes: usize = waiting().map(|prompt| prompt.content.len()).sum();
    let count = waiting().count();
    count == 0 || (count < MAX_WAITING && bytes.saturating_add(text.len()) <= MAX_BYTES)
}

/// The prompts that start a generation.
pub fn loud(queue: &[QueuedPrompt]) -> impl Iterator<Item = &QueuedPrompt> {
    queue.iter().filter(|prompt| !prompt.quiet)
}

/// The prompts that wait for a generation which something else starts.
pub fn quiet(queue: &[QueuedPrompt]) -> impl Iterator<Item = &QueuedPrompt> {
    queue.iter().filter(|prompt| prompt.quiet)
}

/// The prompts of a generation that the queue starts: the first prompt that is not quiet, and if that is of a person,
/// all messages that follow it directly.
#[must_use]
pub fn next_prompts(queue: &[QueuedPrompt]) -> Vec<QueuedPrompt> {
    let messages = loud(queue).take_while(|prompt| prompt.is_user()).count();
    loud(queue).take(messages.max(1)).cloned().collect()
}

/// The queue without this message of a person; `None` if it does not wait any more.
#[must_use]
pub fn without(queue: &[QueuedPrompt], message: &MsgId) -> Option<Vec<QueuedPrompt>> {
    let is_it = |prompt: &QueuedPrompt| prompt.is_user() && prompt.msg_id == *message;
    let at = queue.iter().position(is_it)?;
    let mut left = queue.to_vec();
    left.remove(at);
    Some(left)
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
            content_items: None,
            quiet: false,
        }
    }

    fn queue(prompts: &[(&str, Origin, Option<&str>)]) -> Vec<QueuedPrompt> {
        let mut queue = Vec::new();
        for (id, origin, assigns) in prompts {
            enqueue(&mut queue, prompt(id, *origin, *assigns));
        }
        queue
    }

    fn ids(queue: &[QueuedPrompt]) -> Vec<&str> {
        queue.iter().map(|prompt| prompt.msg_id.as_str()).collect()
    }

    #[test]
    fn messages_of_a_person_stay_apart_and_a_newer_assignment_replaces_the_one_before_it() {
        let queue = queue(&[
            ("p1", Origin::DiligencePush, None),
            ("u1", Origin::User, None),
            ("u2", Origin::User, None),
            ("a1", Origin::Runtime, Some("c1")),
            ("a2", Origin::Runtime, Some("c2")),
            ("u3", Origin::User, None),
        ]);
        assert_eq!(ids(&queue), ["u1", "u2", "a2", "u3"]);
    }

    #[test]
    fn a_generation_takes_all_messages_that_wait_in_a_row_or_one_other_prompt() {
        let (user, runtime) = (Origin::User, Origin::Runtime);
        for (waiting, taken) in [
            (vec![], vec![]),
            (vec![("u1", user), ("u2", user), ("r1", runtime)], vec!["u1", "u2"]),
            (vec![("r1", runtime), ("u1", user), ("u2", user)], vec!["r1"]),
        ] {
            let waiting: Vec<_> =
                waiting.into_iter().map(|(id, origin)| (id, origin, None)).collect();
            assert_eq!(ids(&next_prompts(&queue(&waiting))), taken);
        }
    }

    #[test]
    fn a_quiet_prompt_starts_nothing_and_parts_no_messages() {
        let mut queue = queue(&[("u1", Origin::User, None)]);
        queue.push(QueuedPrompt { quiet: true, ..prompt("q", Origin::Runtime, None) });
        enqueue(&mut queue, prompt("u2", Origin::User, None));
        assert_eq!(ids(&next_prompts(&queue)), ["u1", "u2"]);
        assert_eq!(quiet(&queue).map(|prompt| prompt.msg_id.as_str()).collect::<Vec<_>>(), ["q"]);
        queue.retain(|prompt| prompt.quiet);
        assert_eq!(next_prompts(&queue), []);
    }

    #[test]
    fn only_a_message_of_a_person_that_still_waits_can_be_taken_back() {
        let queue = queue(&[
            ("u1", Origin::User, None),
            ("u2", Origin::User, None),
            ("a1", Origin::Runtime, Some("c1")),
        ]);
        let left = |id: &str| without(&queue, &id.into()).map(|left| ids(&left).join(" "));
        assert_eq!(left("u1").as_deref(), Some("u2 a1"));
        assert_eq!(left("u2").as_deref(), Some("u1 a1"));
        assert_eq!((left("a1"), left("x")), (None, None));
    }

    #[test]
    fn messages_that_wait_are_bounded_in_number_and_bytes_and_one_may_always_wait() {
        let long = "x".repeat(MAX_BYTES);
        let mut queue = Vec::new();
        assert!(has_room(&queue, &format!("{long}x")));
        enqueue(&mut queue, prompt("u", Origin::User, None));
        assert!(has_room(&queue, "x") && !has_room(&queue, &long));
        for _ in 1..MAX_WAITING {
            enqueue(&mut queue, prompt("u", Origin::User, None));
        }
        assert!(!has_room(&queue, "x"));
    }
}
