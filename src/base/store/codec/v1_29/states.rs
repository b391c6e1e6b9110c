//! What the states and reasons of this layout are in the domain, and those of the domain in this layout: one table for each.
//! All that this layout does not know is of a newer Dominds.
//!
//! | in the domain | in this layout |
//! |---|---|
//! | idle | `idle_waiting_user`; `proceeding` where it owes a reply |
//! | waits for side dialogs | `idle_waiting_user`; `waiting_side_dialog` where it owes a reply |
//! | waits for a person, and perhaps for side dialogs | `blocked` by `needs_human_input` |
//! | paused after it answered a person | as if nothing had stopped it |
//!
//! A main dialog that waits for side dialogs needs no row for reading: what is pending is known from
//! `active-callees.json`, and the domain lets the shown state follow from that.

use serde_json::{Value, json};

use crate::domain::text::Text;
use crate::domain::{DisplayState, StopReason};

/// What a `displayState` is in the domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum StateHere {
    /// The same, with the same name.
    Same,
    /// The same, with its reason by [`REASONS`].
    ByReason,
    /// `proceeding` while a generation is open or a trigger is left; else the dialog rests, owing a reply.
    ProceedingWithWork,
    /// `blocked` by `waiting_for_sideDialogs`.
    WaitsForSideDialogs,
}

/// What the reason of a stop is in the domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum ReasonHere {
    Same,
    /// `pending_course_start`.
    PendingCourseStart,
    /// `system_stop` with a text of ours: Dominds reads this one, and never writes it.
    OwesReply,
}

pub(in crate::store) const STATES: [(&str, StateHere); 7] = [
    ("idle_waiting_user", StateHere::Same),
    ("proceeding", StateHere::ProceedingWithWork),
    ("proceeding_stop_requested", StateHere::Same),
    ("stopped", StateHere::ByReason),
    ("blocked", StateHere::Same),
    ("waiting_side_dialog", StateHere::WaitsForSideDialogs),
    ("dead", StateHere::Same),
];

pub(in crate::store) const REASONS: [(&str, ReasonHere); 8] = [
    ("user_stop", ReasonHere::Same),
    ("emergency_stop", ReasonHere::Same),
    ("server_restart", ReasonHere::Same),
    ("pending_runtime_prompt", ReasonHere::PendingCourseStart),
    ("pending_reply_obligation", ReasonHere::OwesReply),
    ("fork_continue_ready", ReasonHere::Same),
    ("system_stop", ReasonHere::Same),
    ("llm_retry_stopped", ReasonHere::Same),
];

/// A `displayState` in the terms of 1.19.2. `has_work`: a generation is open, or a trigger is left.
pub(in crate::store) fn display_state(state: Value, has_work: bool) -> Value {
    let here = kind(&state).and_then(|kind| find(&STATES, kind));
    match here {
        Some(StateHere::ByReason) => with_reason(state),
        Some(StateHere::ProceedingWithWork) if !has_work => json!({ "kind": "idle_waiting_user" }),
        Some(StateHere::WaitsForSideDialogs) => {
            json!({ "kind": "blocked", "reason": { "kind": "waiting_for_sideDialogs" } })
        }
        Some(StateHere::Same | StateHere::ProceedingWithWork) | None => state,
    }
}

/// An `executionMarker`, or a state with a reason, in the terms of 1.19.2.
pub(in crate::store) fn with_reason(mut marker: Value) -> Value {
    let here = marker.get("reason").and_then(kind).and_then(|kind| find(&REASONS, kind));
    let reason = match here {
        Some(ReasonHere::PendingCourseStart) => json!({ "kind": "pending_course_start" }),
        Some(ReasonHere::OwesReply) => json!(StopReason::system(OWES_REPLY)),
        Some(ReasonHere::Same) | None => return marker,
    };
    if let Some(map) = marker.as_object_mut() {
        map.insert("reason".to_owned(), reason);
    }
    marker
}

/// A `displayState` of 1.19.2 in the terms of this layout. `owes`: the dialog owes a reply.
pub(in crate::store) fn display_state_there(state: Value, owes: bool) -> Value {
    let blocker = state.get("reason").filter(|_| kind(&state) == Some("blocked")).and_then(kind);
    match blocker {
        Some("waiting_for_sideDialogs") if owes => {
            json!({ "kind": name_of(&STATES, StateHere::WaitsForSideDialogs) })
        }
        Some("waiting_for_sideDialogs") => json!({ "kind": "idle_waiting_user" }),
        Some("needs_human_input_and_sideDialogs") => {
            json!({ "kind": "blocked", "reason": { "kind": "needs_human_input" } })
        }
        Some(_) | None => reason_there(state),
    }
}

/// What a `displayState` of this layout is; `None` if it is none.
pub(in crate::store) fn state_here(state: &Value) -> Option<StateHere> {
    find(&STATES, kind(state)?)
}

/// What the reason of a marker, or of a state, of this layout is; `None` if it has none.
pub(in crate::store) fn reason_here(marker: &Value) -> Option<ReasonHere> {
    find(&REASONS, kind(marker.get("reason")?)?)
}

/// Facts on which the name of a state depends there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct StateFacts {
    /// It owes a reply that it has not given.
    pub owes: bool,
    /// It waits for a person.
    pub asks: bool,
    /// It waits for side dialogs, or for the answer to a question asked back.
    pub waits: bool,
    /// Its newest generation has not ended.
    pub open: bool,
}

/// The `displayState` for a state of the domain.
pub(in crate::store) fn state_there(state: &DisplayState, facts: StateFacts) -> Value {
    let of_waiting = || state_name(resting(facts));
    match state {
        DisplayState::Stopped { reason, .. } if reason.is_pause() => of_waiting(),
        DisplayState::Stopped { .. } => reason_there(json!(state)),
        DisplayState::Idle | DisplayState::Blocked { .. } => of_waiting(),
        DisplayState::Proceeding | DisplayState::Stopping { .. } | DisplayState::Dead { .. } => {
            json!(state)
        }
    }
}

/// The name of the state of a dialog that rests.
fn resting(facts: StateFacts) -> &'static str {
    match facts {
        StateFacts { asks: true, .. } => "blocked",
        StateFacts { owes: true, waits: true, open: false, .. } => "waiting_side_dialog",
        StateFacts { owes: true, .. } => "proceeding",
        StateFacts { owes: false, .. } => "idle_waiting_user",
    }
}

fn state_name(kind: &str) -> Value {
    if kind == "blocked" {
        return json!({ "kind": kind, "reason": { "kind": "needs_human_input" } });
    }
    json!({ "kind": kind })
}

/// An `executionMarker` of the domain, or a state with a reason, in the terms of this layout.
pub(in crate::store) fn reason_there(mut marker: Value) -> Value {
    let starts = marker.get("reason").and_then(kind) == Some("pending_course_start");
    if starts && let Some(map) = marker.as_object_mut() {
        let name = name_of(&REASONS, ReasonHere::PendingCourseStart);
        map.insert("reason".to_owned(), json!({ "kind": name }));
    }
    marker
}

const OWES_REPLY: Text =
    Text::new("it owes a reply that it has not given yet", "它还欠一个尚未给出的回复");

fn kind(value: &Value) -> Option<&str> {
    value.get("kind")?.as_str()
}

fn find<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == name).map(|(_, here)| *here)
}

fn name_of<T: Copy + PartialEq>(table: &[(&'static str, T)], wanted: T) -> Option<&'static str> {
    table.iter().find(|(_, here)| *here == wanted).map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ExecutionMarker;
    use crate::domain::dialogs::latest::Blocker;

    fn reason(name: &str) -> Value {
        match name {
            "system_stop" => json!({ "kind": name, "detail": "full" }),
            "llm_retry_stopped" => json!({ "kind": name, "error": "500", "display": {} }),
            _ => json!({ "kind": name }),
        }
    }

    #[test]
    fn every_state_of_the_table_is_one_of_the_domain() {
        let expected = [
            ("idle_waiting_user", "idle_waiting_user", "idle_waiting_user"),
            ("proceeding", "proceeding", "idle_waiting_user"),
            ("proceeding_stop_requested", "proceeding_stop_requested", "proceeding_stop_requested"),
            ("stopped", "stopped", "stopped"),
            ("blocked", "blocked", "blocked"),
            ("waiting_side_dialog", "blocked", "blocked"),
            ("dead", "dead", "dead"),
        ];
        for ((name, _), (of, with_work, at_rest)) in STATES.into_iter().zip(expected) {
            assert_eq!(name, of);
            let mut state = json!({ "kind": name });
            match name {
                "proceeding_stop_requested" => state["reason"] = json!("user_stop"),
                "stopped" => state["reason"] = reason("pending_runtime_prompt"),
                "blocked" => state["reason"] = reason("needs_human_input"),
                "dead" => state["reason"] = reason("declared_by_user"),
                _ => {}
            }
            for (has_work, here) in [(true, with_work), (false, at_rest)] {
                let read = display_state(state.clone(), has_work);
                let read: DisplayState = serde_json::from_value(read).unwrap();
                assert_eq!(read.kind(), here, "{name}");
            }
        }
    }

    #[test]
    fn every_reason_of_the_table_is_one_of_the_domain() {
        for (name, here) in REASONS {
            let marker = json!({ "kind": "interrupted", "reason": reason(name) });
            let read: ExecutionMarker = serde_json::from_value(with_reason(marker)).unwrap();
            let ExecutionMarker::Interrupted { reason } = read else { panic!("{name}") };
            let kind = serde_json::to_value(&reason).unwrap()["kind"].clone();
            let expected = match here {
                ReasonHere::Same => name,
                ReasonHere::PendingCourseStart => "pending_course_start",
                ReasonHere::OwesReply => "system_stop",
            };
            assert_eq!(kind, expected, "{name}");
        }
    }

    #[test]
    fn what_1_19_calls_a_state_is_the_same_state_here_and_back() {
        let blocked = |by: &str| json!({ "kind": "blocked", "reason": { "kind": by } });
        let stopped = |by: &str| json!({ "kind": "stopped", "reason": { "kind": by } });
        for (state, owes, here) in [
            (blocked("waiting_for_sideDialogs"), true, json!({ "kind": "waiting_side_dialog" })),
            (blocked("waiting_for_sideDialogs"), false, json!({ "kind": "idle_waiting_user" })),
            (blocked("needs_human_input_and_sideDialogs"), true, blocked("needs_human_input")),
            (blocked("needs_human_input"), false, blocked("needs_human_input")),
            (stopped("pending_course_start"), false, stopped("pending_runtime_prompt")),
            (stopped("user_stop"), true, stopped("user_stop")),
            (json!({ "kind": "proceeding" }), true, json!({ "kind": "proceeding" })),
        ] {
            assert_eq!(display_state_there(state.clone(), owes), here);
            if here["kind"] == "stopped" || here["kind"] == "waiting_side_dialog" {
                assert_eq!(display_state(here, true), state);
            }
        }
    }

    #[test]
    fn every_state_of_the_domain_is_one_of_the_table() {
        let facts = |owes, asks, waits| StateFacts { owes, asks, waits, open: false };
        let blocked = |reason| DisplayState::Blocked { reason };
        let stopped = DisplayState::stopped;
        for (state, facts, kind) in [
            (DisplayState::Idle, facts(false, false, false), "idle_waiting_user"),
            (DisplayState::Idle, facts(true, false, false), "proceeding"),
            (blocked(Blocker::SideDialogs), facts(false, false, true), "idle_waiting_user"),
            (blocked(Blocker::SideDialogs), facts(true, false, true), "waiting_side_dialog"),
            (blocked(Blocker::Human), facts(true, true, false), "blocked"),
            (blocked(Blocker::HumanAndSideDialogs), facts(true, true, true), "blocked"),
            (DisplayState::Proceeding, facts(false, false, false), "proceeding"),
            (stopped(StopReason::UserStop), facts(true, true, true), "stopped"),
            (stopped(StopReason::paused()), facts(true, false, false), "proceeding"),
            (stopped(StopReason::paused()), facts(true, true, false), "blocked"),
        ] {
            let there = state_there(&state, facts);
            assert_eq!(there["kind"], kind, "{state:?}");
            assert!(STATES.iter().any(|(known, _)| there["kind"] == *known), "{there}");
        }
        let there =
            state_there(&stopped(StopReason::PendingCourseStart), facts(false, false, false));
        assert_eq!(there["reason"]["kind"], "pending_runtime_prompt");
        let open = StateFacts { open: true, ..facts(true, false, true) };
        assert_eq!(state_there(&blocked(Blocker::SideDialogs), open)["kind"], "proceeding");
    }

    #[test]
    fn what_is_no_state_stays_as_it_is() {
        for strange in
            [json!(null), json!(5), json!({ "kind": "dreaming" }), json!({ "reason": 1 })]
        {
            assert_eq!(display_state(strange.clone(), false), strange);
            assert_eq!(with_reason(strange.clone()), strange);
        }
    }
}
