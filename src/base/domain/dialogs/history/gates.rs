//! Approvals that were not used yet: a call that asked a person before it acts is made again, and passes once.

use std::sync::Arc;

use serde::Deserialize;

use crate::domain::asking::inquiry::Inquiry;
use crate::domain::dialogs::call::{ASK_HUMAN, RuntimeQuestion};
use crate::domain::dialogs::record::{Entry, Record};
use crate::domain::ids::CallId;
use crate::domain::models::team::HUMAN;
use crate::domain::text::json;

/// The gate that an approval of this action, with these arguments and files, opens.
#[must_use]
pub fn gate(action: &str, digest: &str) -> String {
    format!("{action}:{digest}")
}

/// The part of a result that says whether the call did anything.
#[derive(Default, Deserialize)]
#[serde(default)]
struct GatedResult {
    success: Option<bool>,
    decision: Option<String>,
}

/// The gates that are approved in these records of a course. An action that was done since then, or may have been,
/// takes its approvals with it.
#[must_use]
pub fn approved<'a>(entries: impl Iterator<Item = &'a Arc<Entry>>) -> Vec<String> {
    let mut asked: Vec<(&CallId, Inquiry, String)> = Vec::new();
    let mut approved: Vec<String> = Vec::new();
    for entry in entries {
        if let Record::TellaskCall { call, .. } = &entry.record {
            if call.name == ASK_HUMAN
                && RuntimeQuestion::of(&call.id) == Some(RuntimeQuestion::Approval)
            {
                let inquiry = Inquiry::recorded(&call.raw_arguments_text);
                let gated = inquiry.and_then(|inquiry| {
                    let gate = inquiry.approval.as_ref()?.gate.clone()?;
                    Some((&call.id, inquiry, gate))
                });
                asked.extend(gated);
            }
        } else if let Record::TellaskResult(result) = &entry.record {
            // Whatever id a server gave to a call: only a person approves.
            if result.responder.responder_id.as_str() == HUMAN {
                let is_approved = |(call, inquiry, _): &&(&CallId, Inquiry, String)| {
                    **call == result.call_id && inquiry.is_approved_by(&result.content)
                };
                let gates = asked.iter().filter(is_approved);
                approved.extend(gates.map(|(_, _, gate)| gate.clone()));
            }
        } else if let Record::FuncResult(result) = &entry.record
            && !approved.is_empty()
            && has_acted(&result.content)
        {
            let mark = gate(&result.name, "");
            approved.retain(|gate| !gate.starts_with(&mark));
        }
    }
    approved
}

fn has_acted(result: &str) -> bool {
    // Text after the object is for the model.
    let first = result.lines().next().unwrap_or_default();
    let said: GatedResult = json::read(first).unwrap_or_default();
    said.success != Some(false) && said.decision.as_deref() != Some("pending")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::Lang;
    use crate::domain::asking::autonomy::DecisionKind;
    use crate::domain::asking::inquiry::approval::WrittenDecision;
    use crate::domain::dialogs::record::{
        Call, CallRef, CallResult, DeliveryMode, ReplyStatus, Responder, TellaskResult,
    };
    use crate::domain::{AgentId, Stamp};

    fn entry(record: Record) -> Arc<Entry> {
        let ts = Stamp::default();
        Arc::new(Entry { ts, genseq: None, root: None, source_tag: None, record })
    }

    fn asked(id: &str, gate: &str) -> Arc<Entry> {
        let written = WrittenDecision {
            description: "Make team qa?".to_owned(),
            gate: Some(gate.to_owned()),
            ..WrittenDecision::default()
        };
        let kind = DecisionKind::OrgChanges;
        let inquiry = Inquiry::of_decision(kind, written, &Stamp::default(), Lang::En).unwrap();
        let call = Call {
            id: CallId::new(id),
            name: "askHuman".to_owned(),
            raw_arguments_text: inquiry.arguments(Lang::En).to_string(),
        };
        entry(Record::TellaskCall { call, delivery_mode: DeliveryMode::TellaskCallStart })
    }

    fn answered(id: &str, words: &str) -> Arc<Entry> {
        entry(Record::TellaskResult(TellaskResult {
            call_id: CallId::new(id),
            status: ReplyStatus::Completed,
            content: words.to_owned(),
            content_items: None,
            call_site_course: None,
            call_site_genseq: None,
            responder: Responder {
                responder_id: AgentId::new("human"),
                agent_id: None,
                origin_member_id: None,
            },
            route: None,
            call_name: "askHuman".to_owned(),
            call: CallRef::default(),
        }))
    }

    fn result(name: &str, content: &str) -> Arc<Entry> {
        let (id, name) = (CallId::new("c"), name.to_owned());
        entry(Record::FuncResult(CallResult::of_text(id, name, content.to_owned())))
    }

    #[test]
    fn q13_what_a_person_approved_passes_until_the_action_is_done() {
        let pending =
            json!({ "decision": "pending", "question": "q" }).to_string() + "\nStop here.";
        let refused = json!({ "success": false, "error": "x" }).to_string();
        let done = json!({ "success": true }).to_string();
        let asks = [asked("ap-1", "spawn_team:a"), result("spawn_team", &pending)];
        for (answer, later, passes) in [
            (None, None, false),
            (Some("Rejected.\nnot now"), None, false),
            (Some("no"), None, false),
            (Some("yes, but later"), None, false),
            (Some("Approved."), None, true),
            (Some("Approved.\nwith care"), None, true),
            (Some("已批准。"), None, true),
            (Some("yes"), None, true),
            (Some("Yes!"), None, true),
            // In Dominds a person sees the keys of the options in the text of the question.
            (Some("a"), None, true),
            (Some("A."), None, true),
            (Some("a, with care"), None, true),
            (Some("x"), None, false),
            (Some("x, not now"), None, false),
            (Some("a good idea, but not now"), None, false),
            (Some("Approved."), Some(result("spawn_team", &refused)), true),
            (Some("Approved."), Some(result("shutdown_team", &done)), true),
            (Some("Approved."), Some(result("spawn_team", &done)), false),
            (Some("Approved."), Some(result("spawn_team", "interrupted; look")), false),
        ] {
            let answer = answer.map(|words| answered("ap-1", words));
            let shown = format!("{answer:?} {later:?}");
            let records: Vec<Arc<Entry>> =
                asks.iter().cloned().chain(answer).chain(later).collect();
            let expected: &[&str] = if passes { &["spawn_team:a"] } else { &[] };
            assert_eq!(approved(records.iter()), expected, "{shown}");
        }
    }

    #[test]
    fn only_the_question_of_the_runtime_opens_a_gate() {
        let by_model = [asked("call-1", "spawn_team:a"), answered("call-1", "Approved.")];
        assert!(approved(by_model.iter()).is_empty());
        let other = [asked("ap-1", "spawn_team:a"), answered("ap-2", "Approved.")];
        assert!(approved(other.iter()).is_empty());
        // A tellask with such an id, and a reply by somebody else.
        let mut tellask = asked("ap-1", "spawn_team:a");
        if let Record::TellaskCall { call, .. } = &mut Arc::make_mut(&mut tellask).record {
            call.name = "tellaskSessionless".to_owned();
        }
        let tellask = [tellask, answered("ap-1", "Approved.")];
        assert!(approved(tellask.iter()).is_empty());
        let mut by_member = answered("ap-1", "Approved.");
        if let Record::TellaskResult(result) = &mut Arc::make_mut(&mut by_member).record {
            result.responder.responder_id = AgentId::new("helper");
        }
        let replied = [asked("ap-1", "spawn_team:a"), by_member];
        assert!(approved(replied.iter()).is_empty());
    }
}
