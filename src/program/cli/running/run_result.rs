//! The outcome of a run, with the dialogs that caused it.

use serde::Serialize;
use serde_json::{Value, json};

use crate::protocol::QuietOutcome;
use crate::protocol::event::HaltedDialog;

/// Dialogs named in the summary.
const MAX_NAMED: usize = 5;

/// The fields of the event `quiet`.
#[derive(Debug, Serialize)]
pub struct Quiet {
    outcome: QuietOutcome,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dialogs: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    background: Option<Value>,
}

impl Quiet {
    pub fn of(outcome: QuietOutcome, halted: &[HaltedDialog], background: Option<Value>) -> Self {
        Self { outcome, dialogs: halted.iter().map(dialog_fields).collect(), background }
    }
}

/// Returns the last line of the output, if work remains.
pub fn summary(outcome: QuietOutcome, halted: &[HaltedDialog]) -> Option<String> {
    let outcome = match outcome {
        QuietOutcome::Paused => "paused",
        QuietOutcome::Blocked => "blocked",
        QuietOutcome::Failed => "failed",
        QuietOutcome::QuestionWaits => {
            return Some("a question waits for you: `dominds-tui q4h`".to_owned());
        }
        QuietOutcome::Done => return None,
    };
    let named: Vec<String> = halted.iter().take(MAX_NAMED).map(named).collect();
    let more = halted.len().saturating_sub(MAX_NAMED);
    let more = if more == 0 { String::new() } else { format!("; and {more} more") };
    Some(format!("{outcome}: {}{more}", named.join("; ")))
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
    let reason = one.reason.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
    format!("@{} ({}){reason}", one.agent, one.dialog)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_after_which_nothing_remains_says_its_outcome_alone() {
        let quiet = serde_json::to_string(&Quiet::of(QuietOutcome::Done, &[], None)).expect("JSON");
        assert_eq!(quiet, r#"{"outcome":"done"}"#);
    }
}
