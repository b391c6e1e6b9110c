//! The end of a run in words: which dialogs make it what it is.

use serde_json::{Value, json};

use crate::protocol::QuietOutcome;
use crate::protocol::event::HaltedDialog;

/// Dialogs that are named in one line for a person.
const MAX_NAMED: usize = 5;

/// The fields of the event `quiet`.
pub fn fields(outcome: QuietOutcome, standing: &[HaltedDialog]) -> Value {
    let mut fields = json!({ "outcome": outcome });
    if let (Some(fields), false) = (fields.as_object_mut(), standing.is_empty()) {
        fields.insert("dialogs".to_owned(), standing.iter().map(dialog_fields).collect());
    }
    fields
}

/// The last line for a person, if something is left to do.
pub fn summary(outcome: QuietOutcome, standing: &[HaltedDialog]) -> Option<String> {
    let word = match outcome {
        QuietOutcome::Paused => "paused",
        QuietOutcome::Blocked => "blocked",
        QuietOutcome::Failed => "failed",
        QuietOutcome::QuestionWaits => {
            return Some("a question waits for you: `dominds-tui q4h`".to_owned());
        }
        QuietOutcome::Done => return None,
    };
    let named: Vec<String> = standing.iter().take(MAX_NAMED).map(named).collect();
    let more = standing.len().saturating_sub(MAX_NAMED);
    let more = if more == 0 { String::new() } else { format!("; and {more} more") };
    Some(format!("{word}: {}{more}", named.join("; ")))
}

fn dialog_fields(one: &HaltedDialog) -> Value {
    json!({
        "rootId": one.dialog.root,
        "selfId": one.dialog.this,
        "agentId": one.agent,
        "reason": one.reason,
        "waitsFor": one.waits_for,
    })
}

fn named(one: &HaltedDialog) -> String {
    let why = one.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    format!("@{} ({}){why}", one.agent, one.dialog)
}
