//! The values that Dominds 1.19.2 takes in the fields of its files.

use serde_json::{Map, Value};

/// A field, and a check of its value.
pub(super) type Field = (&'static str, fn(&Value) -> bool);

pub(super) fn text<'a>(object: &'a Map<String, Value>, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn is_text(value: &Value) -> bool {
    value.is_string()
}

pub(super) fn is_positive(value: &Value) -> bool {
    value.as_u64().is_some_and(|number| number > 0)
}

pub(super) fn is_one(value: &Value, of: &[&str]) -> bool {
    value.as_str().is_some_and(|value| of.contains(&value))
}

/// Each of these keys, and each right.
fn has(value: &Value, fields: &[Field]) -> bool {
    fields.iter().all(|(key, is_right)| value.get(key).is_some_and(is_right))
}

pub(super) fn is_status(value: &Value) -> bool {
    is_one(value, &["active", "completed", "archived"])
}

pub(super) fn is_asking(value: &Value) -> bool {
    is_one(value, &["tellask", "tellaskSessionless", "freshBootsReasoning"])
}

pub(super) fn is_call_type(value: &Value) -> bool {
    is_one(value, &["A", "B", "C"])
}

pub(super) fn is_display_state(value: &Value) -> bool {
    let reason = &value["reason"];
    match value["kind"].as_str() {
        Some("idle_waiting_user" | "proceeding") => true,
        Some("proceeding_stop_requested") => is_one(reason, &["user_stop", "emergency_stop"]),
        Some("stopped") => is_interruption(reason),
        Some("blocked") => is_one(
            &reason["kind"],
            &["needs_human_input", "waiting_for_sideDialogs", "needs_human_input_and_sideDialogs"],
        ),
        Some("dead") => is_death(reason),
        _ => false,
    }
}

pub(super) fn is_marker(value: &Value) -> bool {
    match value["kind"].as_str() {
        Some("interrupted") => is_interruption(&value["reason"]),
        Some("dead") => is_death(&value["reason"]),
        _ => false,
    }
}

fn is_interruption(reason: &Value) -> bool {
    match reason["kind"].as_str() {
        Some(
            "user_stop"
            | "emergency_stop"
            | "server_restart"
            | "pending_course_start"
            | "fork_continue_ready",
        ) => true,
        Some("system_stop") => {
            let words = reason.get("i18nStopReason").and_then(Value::as_object);
            let known =
                |words: &Map<String, Value>| words.keys().all(|key| key == "en" || key == "zh");
            reason["detail"].is_string() && words.is_none_or(known)
        }
        Some("llm_retry_stopped") => {
            has(reason, &[("error", is_text), ("display", Value::is_object)])
        }
        _ => false,
    }
}

fn is_death(reason: &Value) -> bool {
    match reason["kind"].as_str() {
        Some("declared_by_user") => true,
        Some("system") => reason["detail"].is_string(),
        _ => false,
    }
}

pub(super) fn is_fresh_boots_state(value: &Value) -> bool {
    let effort = value["effort"].as_u64().unwrap_or_default();
    let phases = ["divergence", "convergence", "finalization"];
    value["kind"] == "serial"
        && is_one(&value["phase"], &phases)
        && value["iteration"].as_u64().is_some_and(|at| (1..=effort).contains(&at))
        && value["promptDelivered"].is_boolean()
}

pub(super) fn is_deferred_reply(value: &Value) -> bool {
    value["reason"] == "user_interjection_with_parked_original_task"
        && is_directive(&value["directive"])
        && value.get("resumeGuideSurfaced").is_none_or(Value::is_boolean)
}

pub(super) fn is_course_start(value: &Value) -> bool {
    let target = |value: &Value| {
        has(value, &[("ownerDialogId", is_text), ("callType", is_call_type), ("callId", is_text)])
    };
    let directive = value.get("tellaskReplyDirective");
    has(value, &[("content", is_text), ("msgId", is_text)])
        && value["grammar"] == "markdown"
        && value["origin"] == "runtime"
        && directive.is_none_or(is_directive)
        && value.get("skipTaskdoc").is_none_or(Value::is_boolean)
        && value.get("userLanguageCode").is_none_or(|code| is_one(code, &["en", "zh"]))
        && value
            .get("sideDialogReplyTarget")
            .is_none_or(|reply| target(reply) && directive.is_some())
}

pub(super) fn is_directive(value: &Value) -> bool {
    let calls = ["replyTellask", "replyTellaskSessionless", "replyTellaskBack"];
    is_one(&value["expectedReplyCallName"], &calls)
        && has(
            value,
            &[("targetDialogId", is_text), ("targetCallId", is_text), ("tellaskContent", is_text)],
        )
}

pub(super) fn is_assignment(value: &Value) -> bool {
    let Some(fields) = value.as_object() else { return false };
    let needed: &[Field] = &[
        ("callName", is_asking),
        ("tellaskContent", is_text),
        ("originMemberId", is_text),
        ("askerDialogId", is_text),
        ("callId", is_text),
    ];
    let effort = value.get("effectiveFbrEffort");
    let asks_itself = text(fields, "callName") == "freshBootsReasoning";
    let effort_fits = effort.map_or(!asks_itself, |effort| asks_itself && is_positive(effort));
    has(value, needed) && mentions_fit(fields) && effort_fits
}

/// The reply that is owed is one to this assignment.
pub(super) fn fits(owed: &Value, assignment: &Value) -> bool {
    let is_session = assignment["callName"] == "tellask";
    let reply = if is_session { "replyTellask" } else { "replyTellaskSessionless" };
    owed["expectedReplyCallName"] == reply
        && owed["targetCallId"] == assignment["callId"]
        && owed["tellaskContent"] == assignment["tellaskContent"]
}

/// Somebody is mentioned unless one asks oneself.
pub(super) fn mentions_fit(call: &Map<String, Value>) -> bool {
    let mentions = call.get("mentionList");
    if text(call, "callName") == "freshBootsReasoning" {
        return mentions.is_none();
    }
    let all = mentions.and_then(Value::as_array);
    all.is_some_and(|all| !all.is_empty() && all.iter().all(Value::is_string))
}

pub(super) fn is_call_site(value: &Value) -> bool {
    has(value, &[("course", Value::is_number), ("messageIndex", Value::is_number)])
        && value.get("callSiteGenseq").is_none_or(is_positive)
}
