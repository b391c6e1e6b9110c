//! Keeping a main dialog going that would rest without having finished. Pure: the facts are the
//! dialog's, the figures are the configuration's.

use super::call::RuntimeQuestion;
use super::dialog::Dialog;
use super::latest::Latest;
use super::state::next_step;
use crate::domain::ids::CallId;
use crate::domain::models::context_health::ContextAction;

/// Pushes a person gives to a member that is not to be pushed by itself (Dominds 1.19.2).
const REFILL: i64 = 3;

/// Answers to that question that mean stop. Anything else is an instruction, for the model to read.
const STOPS: [&str; 4] = ["stop", "b", "停", "停止"];

/// The current configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeepGoing {
    /// Pushes of the member before a person is asked; 0: it is not pushed by itself.
    pub most: u32,
    /// The text of a push; `None` if the workspace switched pushes off.
    pub text: Option<String>,
}

/// What a dialog does instead of resting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestAction {
    /// Its context is too full.
    Context(ContextAction),
    /// It is told to go on.
    Push,
    /// All pushes are used up: a person is asked.
    AskHuman,
}

/// What a person switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeepGoingSwitch {
    On,
    Off,
    /// All pushes are available again.
    Refill,
}

impl KeepGoing {
    /// Remaining and most pushes of a main dialog; `None` where it is not kept going.
    #[must_use]
    pub fn pushes(&self, latest: &Latest) -> Option<(i64, i64)> {
        let most = i64::from(self.most);
        let left = latest.diligence_push_remaining_budget.unwrap_or(most).max(0);
        // Pushes that are left from an earlier configuration were not given by a person.
        let is_given = most == 0 && latest.diligence_push_given == Some(true);
        let left = if is_given { left } else { left.min(most) };
        let off = self.text.is_none()
            || latest.disable_diligence_push == Some(true)
            || (most == 0 && left == 0);
        (!off).then_some((left, self.full().max(left)))
    }

    /// The pushes of a dialog that was refilled by hand.
    #[must_use]
    pub fn full(&self) -> i64 {
        if self.most > 0 { i64::from(self.most) } else { REFILL }
    }
}

/// What a main dialog that has ended its generation does instead of resting. A dialog that waits,
/// stopped, or goes on anyway has no need of it. `cadence`: generations between two warnings.
#[must_use]
pub fn rest_action(
    dialog: &Dialog,
    cadence: u32,
    pushes: Option<(i64, i64)>,
) -> Option<RestAction> {
    let rests = dialog.questions.is_empty()
        && !dialog.waits_for_others()
        && dialog.latest.interruption().is_none()
        && !dialog.latest.is_dead()
        && !dialog.history.last.open
        && next_step(dialog).is_none();
    if !rests {
        return None;
    }
    if let Some(action) = dialog.history.context_action(cadence) {
        return Some(RestAction::Context(action));
    }
    match pushes? {
        (1.., _) => Some(RestAction::Push),
        (_, _) => Some(RestAction::AskHuman),
    }
}

/// True if a person answers that the dialog is to stop.
#[must_use]
pub fn says_stop(question: &CallId, answer: &str) -> bool {
    let answer = answer.trim().trim_end_matches(['.', '!', '。', '！']).to_lowercase();
    let asks = RuntimeQuestion::of(question) == Some(RuntimeQuestion::KeepGoing);
    asks && STOPS.contains(&answer.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::dialogs::latest::{ExecutionMarker, StopReason};
    use crate::domain::{AfterLastCall, Stamp};

    const TOLD: &str = r#"{"type":"gen_start_record","genseq":1}"#;
    const ENDED: &str = r#"{"type":"gen_finish_record","genseq":1,"contextHealth":{"kind":"unavailable","reason":"x"}}"#;
    const FULL: &str = r#"{"type":"gen_finish_record","genseq":1,"contextHealth":{"kind":"available","promptTokens":9,"completionTokens":1,"totalTokens":10,"modelContextLimitTokens":10,"effectiveOptimalMaxTokens":5,"effectiveCriticalMaxTokens":8,"hardUtil":0.9,"optimalUtil":1.8,"level":"critical"}}"#;

    #[test]
    fn a_dialog_that_would_rest_is_warned_pushed_or_asks_a_person() {
        let ended = || crate::samples::dialog_of(&[TOLD, ENDED]);
        let stopped = || {
            let mut dialog = ended();
            let reason = StopReason::UserStop;
            dialog.latest.execution_marker = Some(ExecutionMarker::Interrupted { reason });
            dialog
        };
        let goes_on = || {
            let mut dialog = ended();
            dialog.latest.needs_drive = Some(true);
            dialog
        };
        let last_call = RestAction::Context(ContextAction::LastCall {
            more: 4,
            then: AfterLastCall::NewCourse,
        });
        let holds = |what: &str, dialog: &Dialog, pushes, expected| {
            assert_eq!(rest_action(dialog, 10, pushes), expected, "{what}");
        };
        holds("pushes are left", &ended(), Some((1, 3)), Some(RestAction::Push));
        holds("none is left", &ended(), Some((0, 3)), Some(RestAction::AskHuman));
        holds("it is off", &ended(), None, None);
        let full = crate::samples::dialog_of(&[TOLD, FULL]);
        holds("its context is full", &full, Some((1, 3)), Some(last_call));
        holds("full, and off", &full, None, Some(last_call));
        holds("it still writes", &crate::samples::dialog_of(&[TOLD]), Some((1, 3)), None);
        holds("it was stopped", &stopped(), Some((1, 3)), None);
        holds("it goes on anyway", &goes_on(), Some((1, 3)), None);
    }

    fn latest(left: Option<i64>, off: Option<bool>) -> Latest {
        Latest {
            diligence_push_remaining_budget: left,
            disable_diligence_push: off,
            ..Latest::new(Stamp::default())
        }
    }

    #[test]
    fn the_pushes_follow_the_member_the_dialog_and_the_workspace() {
        let member = |most| KeepGoing { most, text: Some("go on".to_owned()) };
        let silent = KeepGoing { most: 3, text: None };
        let given =
            |left| Latest { diligence_push_given: Some(true), ..latest(Some(left), Some(false)) };
        for (what, config, latest, expected) in vec![
            ("fresh", member(3), latest(Some(3), Some(false)), Some((3, 3))),
            ("partly used", member(3), latest(Some(1), Some(false)), Some((1, 3))),
            ("used up", member(3), latest(Some(0), Some(false)), Some((0, 3))),
            ("never counted", member(2), latest(None, None), Some((2, 2))),
            ("more than there is now", member(2), latest(Some(9), None), Some((2, 2))),
            ("negative", member(2), latest(Some(-1), None), Some((0, 2))),
            ("switched off", member(3), latest(Some(3), Some(true)), None),
            ("member without pushes", member(0), latest(Some(0), Some(false)), None),
            ("refilled by hand", member(0), given(3), Some((3, 3))),
            ("refilled by hand, partly used", member(0), given(1), Some((1, 3))),
            ("lowered to none", member(0), latest(Some(3), Some(false)), None),
            ("refilled by hand, and then raised", member(2), given(3), Some((2, 2))),
            ("refilled with more", member(0), given(5), Some((5, 5))),
            ("no text", silent, latest(Some(3), Some(false)), None),
        ] {
            assert_eq!(config.pushes(&latest), expected, "{what}");
        }
        assert_eq!((member(5).full(), member(0).full()), (5, 3));
    }

    #[test]
    fn only_a_plain_stop_to_the_runtimes_own_question_stops() {
        let ours = RuntimeQuestion::KeepGoing.call("7");
        for (question, answer, expected) in [
            (&ours, "stop", true),
            (&ours, " Stop. ", true),
            (&ours, "b", true),
            (&ours, "停止。", true),
            (&ours, "a", false),
            (&ours, "stop the server first, then go on", false),
            (&ours, "b, and write a summary", false),
            (&CallId::new("q"), "stop", false),
        ] {
            assert_eq!(says_stop(question, answer), expected, "{answer}");
        }
    }
}
