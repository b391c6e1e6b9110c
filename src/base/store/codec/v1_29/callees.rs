//! `active-callees.json`: the calls that a dialog waits for, by the generations that made them.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::domain::Pending;
use crate::domain::dialogs::recent::{BatchStatus, Callee, CalleeBatch, CalleeStatus};
use crate::domain::text::json;
use crate::domain::text::{Localized, localized};

use crate::store::codec::lists::{ParseResult, list_under, said};

pub(in crate::store) fn batches(text: &str) -> ParseResult<Vec<CalleeBatch>> {
    let value: Value = json::read(text).map_err(|error| said(&error))?;
    let (batches, why) = list_under(&value, "batches")?;
    let why = why.or_else(|| fault(&batches));
    Ok((batches, why))
}

/// What Dominds refuses the file for.
fn fault(batches: &[CalleeBatch]) -> Option<Localized> {
    let (mut ids, mut calls) = (BTreeSet::new(), BTreeSet::new());
    for batch in batches {
        let id = &batch.batch_id;
        let pending = |callee: &Callee| callee.status == CalleeStatus::Pending;
        if batch.callees.is_empty() {
            return Some(localized!("the batch {id} has no calls", "批次 {id} 没有调用"));
        }
        if !ids.insert(id) {
            return Some(localized!("the batch {id} is listed twice", "批次 {id} 列出了两次"));
        }
        if batch.status == BatchStatus::Resolved && batch.callees.iter().any(pending) {
            return Some(localized!(
                "the batch {id} is resolved, and a call of it is pending",
                "批次 {id} 已完成，其中却有调用仍在等待"
            ));
        }
        for callee in &batch.callees {
            let call = &callee.call_id;
            if !calls.insert(call) {
                return Some(localized!(
                    "the call {call} is listed twice",
                    "调用 {call} 列出了两次"
                ));
            }
            if pending(callee) == callee.completion.is_some() {
                return Some(localized!(
                    "the status of the call {call} and its completion contradict each other",
                    "调用 {call} 的状态与其完成情况矛盾"
                ));
            }
        }
    }
    None
}

/// The whole file; `others`: its keys that nobody here knows.
pub(in crate::store) fn file(
    batches: &[CalleeBatch],
    others: Map<String, Value>,
) -> serde_json::Result<Value> {
    let mut file = Map::new();
    file.insert("batches".to_owned(), serde_json::to_value(batches)?);
    file.extend(others);
    Ok(Value::Object(file))
}

/// The calls without a reply, as the domain has them.
pub(in crate::store) fn pending(batches: &[CalleeBatch]) -> Vec<Pending> {
    let all = batches.iter().flat_map(|batch| batch.callees.iter().map(move |one| (batch, one)));
    let waiting = all.filter(|(_, callee)| callee.status == CalleeStatus::Pending);
    waiting
        .map(|(batch, callee)| Pending {
            side_dialog_id: callee.callee_dialog_id.clone(),
            created_at: callee.created_at.clone(),
            call_name: callee.call_name.clone(),
            mention_list: callee.mention_list.clone(),
            tellask_content: callee.tellask_content.clone(),
            target_agent_id: callee.target_agent_id.clone(),
            call_id: callee.call_id.clone(),
            call_site_course: batch.call_site.course,
            call_site_genseq: batch.call_site.genseq,
            call_type: callee.call_type,
            session_slug: callee.session_slug.clone(),
            extra: callee.extra.clone(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::number::{Course, Genseq};
    use serde_json::json;

    fn callee(call: &str, status: &str) -> Value {
        let mut callee = json!({
            "callId": call, "calleeDialogId": "cc/dd/2", "callName": "tellask", "status": status,
            "targetAgentId": "dev", "tellaskContent": "Do it.", "callType": "B",
            "mentionList": ["@dev"], "sessionSlug": "s", "createdAt": "t", "marvel": 1,
        });
        if status != "pending" {
            callee["completion"] = json!({ "kind": "reply_tool", "resultRecordId": "r" });
        }
        callee
    }

    fn file(status: &str, callees: &[Value]) -> Value {
        json!({ "batches": [{
            "batchId": "b", "callSite": { "course": 2, "genseq": 3 }, "status": status,
            "callees": callees, "createdAt": "t",
        }] })
    }

    #[test]
    fn calls_without_a_reply_are_pending_where_they_were_made() {
        let text = file("open", &[callee("a", "final"), callee("b", "pending")]).to_string();
        let (read, why) = batches(&text).unwrap();
        assert_eq!(why, None);
        let waiting = pending(&read);
        let [one] = waiting.as_slice() else { panic!("{waiting:?}") };
        let site = (one.call_site_course, one.call_site_genseq);
        assert_eq!((one.call_id.as_str(), site), ("b", (Course(2), Genseq(3))));
        assert_eq!(one.extra.get("marvel"), Some(&json!(1)));
        let written = json!({ "batches": serde_json::to_value(&read).unwrap() });
        assert_eq!(written, serde_json::from_str::<Value>(&text).unwrap());
    }

    #[test]
    fn what_dominds_refuses_is_damage_and_what_can_be_read_counts() {
        let mut bare = callee("a", "final");
        bare["completion"] = Value::Null;
        let twice = json!({ "batches": [
            file("open", &[callee("a", "pending")])["batches"][0],
            file("open", &[callee("b", "pending")])["batches"][0],
        ] });
        for file in [
            file("open", &[]),
            file("open", &[callee("a", "pending"), callee("a", "final")]),
            file("resolved", &[callee("a", "pending")]),
            file("open", &[bare]),
            file("open", &[json!(5)]),
            file("ajar", &[callee("a", "pending")]),
            twice,
        ] {
            let (_, why) = batches(&file.to_string()).unwrap();
            assert!(why.is_some(), "{file}");
        }
        for text in ["", "[]", "{\"batches\":", "{\"batches\":5}"] {
            assert!(batches(text).is_err(), "{text}");
        }
    }
}
