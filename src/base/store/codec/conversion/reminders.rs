//! The scopes of reminders: what they are called in the other layout.

use serde_json::Value;

use crate::domain::dialogs::reminder::{AGENT, AGENT_SHARED, PERSONAL, RUNTIME, TASK};
use crate::domain::{Layout, Loss};

use super::values::{Keys, Losses, lose, text};

/// What becomes of a reminder.
enum Scope {
    /// It stays as it is.
    Same,
    Named(&'static str),
    /// As before, and that it is about one Taskdoc is lost.
    Unbound(&'static str),
    LeftOut,
}

fn scope(of: Option<&str>, to: Layout) -> Scope {
    match (to, of) {
        (Layout::V1_29, Some(PERSONAL | AGENT_SHARED)) => Scope::Named(AGENT),
        (Layout::V1_19, Some(AGENT)) => Scope::Named(PERSONAL),
        (Layout::V1_19, Some(TASK)) => Scope::Unbound(PERSONAL),
        (Layout::V1_19, Some(RUNTIME)) => Scope::LeftOut,
        (Layout::V1_19 | Layout::V1_29, _) => Scope::Same,
    }
}

/// `reminders.json`.
pub(super) fn in_file(mut file: Value, to: Layout) -> (Value, Losses) {
    let mut losses = Losses::new();
    if let Some(list) = file.get_mut("reminders").and_then(Value::as_array_mut) {
        list.retain_mut(|one| one.as_object_mut().is_none_or(|one| change(one, to, &mut losses)));
    }
    (file, losses)
}

/// A reminder that dialogs share; `None` if it is left out.
pub(in crate::store) fn shared(mut reminder: Keys, to: Layout) -> (Option<Keys>, Losses) {
    let mut losses = Losses::new();
    let kept = change(&mut reminder, to, &mut losses);
    (kept.then_some(reminder), losses)
}

/// False for one that is left out.
fn change(reminder: &mut Keys, to: Layout, losses: &mut Losses) -> bool {
    let name = match scope(text(reminder, "scope"), to) {
        Scope::Same => return true,
        Scope::Named(name) => name,
        Scope::Unbound(name) => {
            lose(losses, Loss::TaskBinding, 1);
            name
        }
        Scope::LeftOut => {
            lose(losses, Loss::RuntimeReminders, 1);
            return false;
        }
    };
    reminder.insert("scope".to_owned(), name.into());
    true
}
