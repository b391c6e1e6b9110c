//! What a main dialog in the layout of Dominds 1.29 works for: one of its reminders, which `set_dialog_goal` alone
//! changes. A dialog without it, with two of them, or with one of another form is not driven there.

use serde_json::{Value, json};

use super::reminder::Reminder;
use crate::domain::time::Stamp;

/// The id of that reminder.
const GOAL: &str = "mainDialogGoal";
const KIND: &str = "main_dialog_goal";
const UNSET: &str = "requires_human_confirmation";
const TASKDOC: &str = "follow_taskdoc";
const STATED: &str = "specific_goal";

/// What a main dialog works for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Goal {
    /// A person has to say it.
    Unset,
    /// What the Taskdoc says.
    Taskdoc,
    Stated(String),
}

impl Goal {
    /// The goal that a reminder states; `None` for another reminder, or one of another form.
    #[must_use]
    pub fn of(reminder: &Reminder) -> Option<Self> {
        let meta = reminder.meta.as_ref().filter(|_| reminder.id == GOAL && is_marked(reminder))?;
        match (meta.get("mode")?.as_str()?, meta.get("goal")) {
            (UNSET, None) => Some(Self::Unset),
            (TASKDOC, None) => Some(Self::Taskdoc),
            (STATED, Some(Value::String(goal))) if !goal.trim().is_empty() => {
                Some(Self::Stated(goal.clone()))
            }
            _ => None,
        }
    }

    /// The reminder that states it. `content`: how a model reads it; `instead`: what it reads where it wants to change it
    /// by another tool.
    #[must_use]
    pub fn reminder(
        &self,
        content: String,
        instead: &str,
        created_at: Stamp,
        now: &Stamp,
    ) -> Reminder {
        let guard = json!({ "altInstruction": instead });
        let mut meta = json!({ "kind": KIND, "updatedAt": now, "update": guard, "delete": guard });
        let mut put = |key: &str, text: &str| {
            if let Value::Object(meta) = &mut meta {
                meta.insert(key.to_owned(), text.into());
            }
        };
        match self {
            Self::Unset => put("mode", UNSET),
            Self::Taskdoc => put("mode", TASKDOC),
            Self::Stated(goal) => {
                put("mode", STATED);
                put("goal", goal);
            }
        }
        Reminder {
            meta: Some(meta),
            echoback: Some(true),
            priority: "high".to_owned(),
            ..Reminder::new(GOAL.to_owned(), content, created_at)
        }
    }
}

fn is_marked(reminder: &Reminder) -> bool {
    reminder.meta.as_ref().and_then(|meta| meta.get("kind")?.as_str()) == Some(KIND)
}

/// True for a reminder that is the goal, or is taken for it.
fn claims(reminder: &Reminder) -> bool {
    reminder.id == GOAL || is_marked(reminder)
}

/// The goal among the reminders of a dialog, with its reminder.
#[must_use]
pub fn stated_in(reminders: &[Reminder]) -> Option<(&Reminder, Goal)> {
    reminders.iter().find_map(|reminder| Some((reminder, Goal::of(reminder)?)))
}

/// True if there is one goal, and nothing else is taken for one.
#[must_use]
pub fn is_sound(reminders: &[Reminder]) -> bool {
    stated_in(reminders).is_some() && reminders.iter().filter(|one| claims(one)).count() == 1
}

/// Puts a goal where the one before was, or first. What else is taken for a goal becomes an ordinary reminder.
pub fn put(reminders: &mut Vec<Reminder>, goal: Reminder, mut new_id: impl FnMut() -> String) {
    let at = reminders.iter().position(|reminder| Goal::of(reminder).is_some());
    if let Some(at) = at {
        reminders.remove(at);
    }
    for other in reminders.iter_mut().filter(|other| claims(other)) {
        if other.id == GOAL {
            other.id = new_id();
        }
        if is_marked(other) {
            other.meta = None;
        }
    }
    reminders.insert(at.unwrap_or(0), goal);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(id: &str) -> Reminder {
        Reminder::new(id.to_owned(), "text".to_owned(), Stamp::default())
    }

    fn goal(goal: &Goal) -> Reminder {
        goal.reminder("content".to_owned(), "instead", Stamp::default(), &Stamp::default())
    }

    #[test]
    fn a_goal_is_read_as_it_was_written_and_in_no_other_form() {
        for stated in [Goal::Unset, Goal::Taskdoc, Goal::Stated("Paint it.".to_owned())] {
            let written = goal(&stated);
            assert_eq!(Goal::of(&written), Some(stated));
            for (key, value) in [
                ("kind", json!("other")),
                ("mode", json!("hover")),
                ("goal", json!(" ")),
                ("goal", json!(7)),
            ] {
                let mut other = written.clone();
                other.meta.as_mut().unwrap()[key] = value;
                assert_eq!(Goal::of(&other), None, "{other:?}");
            }
            assert_eq!(Goal::of(&Reminder { id: "other".to_owned(), ..written }), None);
        }
    }

    #[test]
    fn a_dialog_has_one_goal_whatever_claims_to_be_one() {
        let new = goal(&Goal::Taskdoc);
        let broken = Reminder { meta: Some(json!({"kind": KIND})), ..plain(GOAL) };
        let stray = Reminder { id: "stray".to_owned(), ..goal(&Goal::Unset) };
        for (before, after) in [
            (vec![], vec![GOAL]),
            (vec![plain("a")], vec![GOAL, "a"]),
            (vec![plain("a"), goal(&Goal::Unset)], vec!["a", GOAL]),
            (vec![broken.clone()], vec![GOAL, "new"]),
            (vec![plain(GOAL)], vec![GOAL, "new"]),
            (vec![stray.clone(), goal(&Goal::Unset)], vec!["stray", GOAL]),
            (vec![goal(&Goal::Unset), goal(&Goal::Taskdoc)], vec![GOAL, "new"]),
        ] {
            let mut reminders = before;
            put(&mut reminders, new.clone(), || "new".to_owned());
            let ids: Vec<&str> = reminders.iter().map(|one| one.id.as_str()).collect();
            assert_eq!(ids, after);
            assert!(is_sound(&reminders), "{reminders:?}");
            assert_eq!(stated_in(&reminders), Some((&new, Goal::Taskdoc)));
        }
        for unsound in [vec![], vec![broken], vec![stray, goal(&Goal::Unset)]] {
            assert!(!is_sound(&unsound), "{unsound:?}");
        }
    }
}
