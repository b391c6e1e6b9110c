//! The calls that a dialog waits for: a list in 1.19, batches of the generations that made them in 1.29.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::domain::text::{Localized, Text, localized};
use crate::domain::{Loss, TellaskKind};

use super::facts::{CallRecord, Site};
use super::mapping::Mapping;
use super::values::{Keys, Losses, lose, number, take, text};

/// The keys of a batch, and of a file of batches.
const OF_BATCH: [&str; 6] = ["batchId", "callSite", "status", "callees", "createdAt", "resolvedAt"];
const OF_FILE: [&str; 1] = ["batches"];

/// The batches of the calls that wait, in the order of the list.
pub(super) fn batches(list: &Value, at: &Mapping<'_>) -> Result<Vec<(Site, Value)>, Localized> {
    const UNREADABLE: Text = Text::new(
        "pending-sideDialogs.json has an entry without its call",
        "pending-sideDialogs.json 中有条目缺少其调用",
    );
    let mut sites: Vec<(Site, Vec<Value>)> = Vec::new();
    for entry in list.as_array().ok_or(UNREADABLE)? {
        let mut callee = entry.as_object().ok_or(UNREADABLE)?.clone();
        let site = Site::of(&callee, "callSiteCourse", "callSiteGenseq").ok_or(UNREADABLE)?;
        for key in ["callSiteCourse", "callSiteGenseq"] {
            take(&mut callee, key);
        }
        let whom = take(&mut callee, "sideDialogId").ok_or(UNREADABLE)?;
        callee.insert("calleeDialogId".to_owned(), whom);
        callee.insert("status".to_owned(), "pending".into());
        match sites.iter_mut().find(|(known, _)| *known == site) {
            Some((_, callees)) => callees.push(Value::Object(callee)),
            None => sites.push((site, vec![Value::Object(callee)])),
        }
    }
    let batch = |(site, callees): (Site, Vec<Value>)| (site, batch(site, &callees, None, at));
    Ok(sites.into_iter().map(batch).collect())
}

/// A batch; one that is answered has the time of its last answer.
fn batch(site: Site, callees: &[Value], resolved: Option<&str>, at: &Mapping<'_>) -> Value {
    let created = callees.first().and_then(|callee| callee.get("createdAt")).cloned();
    let mut batch = json!({
        "batchId": at.batch_id(site),
        "callSite": { "course": site.course, "genseq": site.genseq },
        "status": if resolved.is_some() { "resolved" } else { "open" },
        "callees": callees,
        "createdAt": created.unwrap_or_else(|| at.created_at.into()),
    });
    if let (Some(map), Some(resolved)) = (batch.as_object_mut(), resolved) {
        map.insert("resolvedAt".to_owned(), resolved.into());
    }
    batch
}

/// The batches whose answers came since the newest generation began, without those that still wait.
pub(super) fn arrived(at: &Mapping<'_>, waiting: &BTreeSet<Site>) -> Vec<Value> {
    let mut sites: BTreeMap<Site, Vec<&Keys>> = BTreeMap::new();
    for result in &at.facts.arrived {
        let call = text(result, "callId").unwrap_or_default();
        let site = at.facts.site_of(call);
        if let Some(site) = site.filter(|site| !waiting.contains(site)) {
            sites.entry(site).or_default().push(result);
        }
    }
    let batch = |(site, results): (Site, Vec<&Keys>)| {
        let callees: Vec<Value> =
            results.iter().filter_map(|result| final_callee(result, at)).collect();
        let last = results.last().and_then(|result| text(result, "ts"))?;
        (!callees.is_empty()).then(|| batch(site, &callees, Some(last), at))
    };
    sites.into_iter().filter_map(batch).collect()
}

/// A call that was answered, from the record of its result; `None` for one that no side dialog answered.
fn final_callee(result: &Keys, at: &Mapping<'_>) -> Option<Value> {
    let (id, name) = (text(result, "callId")?, text(result, "callName")?);
    let kinds = [TellaskKind::Session, TellaskKind::Sessionless, TellaskKind::FreshBoots];
    let kind = kinds.into_iter().find(|kind| kind.name() == name)?;
    let of = |key: &str| result.get(key).and_then(Value::as_object);
    let (call, responder) = (of("call")?, of("responder")?);
    let route = of("route").and_then(|route| text(route, "calleeDialogId"));
    let side = route.or_else(|| at.facts.created.get(id).map(String::as_str))?;
    let agent = text(responder, "agentId").or_else(|| text(responder, "responderId"))?;
    let created = at.facts.calls.iter().find(|known| known.id == id).map(|known| &known.ts)?;
    let mut callee = json!({
        "callId": id,
        "calleeDialogId": side,
        "callName": name,
        "status": "final",
        "targetAgentId": agent,
        "tellaskContent": call.get("tellaskContent")?,
        "callType": kind.call_type(),
        "createdAt": created,
        "completion": { "kind": "reply_tool", "resultRecordId": format!("tellask-result:{id}") },
    });
    let map = callee.as_object_mut()?;
    for key in ["mentionList", "sessionSlug"] {
        if let Some(value) = call.get(key) {
            map.insert(key.to_owned(), value.clone());
        }
    }
    Some(callee)
}

/// The calls that wait, as the list of 1.19 has them; `None` without any.
pub(super) fn pending(callees: &Value, losses: &mut Losses) -> Option<Value> {
    let mut list = Vec::new();
    lose(losses, Loss::UnknownKeys, unknown(callees, &OF_FILE));
    for batch in callees.get("batches").and_then(Value::as_array).into_iter().flatten() {
        lose(losses, Loss::UnknownKeys, unknown(batch, &OF_BATCH));
        let site = batch.get("callSite");
        for callee in batch.get("callees").and_then(Value::as_array).into_iter().flatten() {
            let Some(callee) = callee.as_object() else { continue };
            if text(callee, "status") == Some("pending") {
                list.push(Value::Object(entry(callee.clone(), site)));
            } else {
                lose(losses, Loss::AnsweredCalls, 1);
            }
        }
    }
    (!list.is_empty()).then(|| Value::Array(list))
}

fn entry(mut callee: Keys, site: Option<&Value>) -> Keys {
    take(&mut callee, "status");
    let mut entry = Keys::new();
    if let Some(side) = take(&mut callee, "calleeDialogId") {
        entry.insert("sideDialogId".to_owned(), side);
    }
    let of_site = |key: &str| number(site?.as_object()?, key).map(Value::from);
    for (key, value) in
        [("callSiteCourse", of_site("course")), ("callSiteGenseq", of_site("genseq"))]
    {
        entry.extend(value.map(|value| (key.to_owned(), value)));
    }
    // 1.19 demands it of all calls to a member.
    let is_reasoning = text(&callee, "callName") == Some(TellaskKind::FreshBoots.name());
    let mentioned = text(&callee, "targetAgentId").map(|agent| json!([format!("@{agent}")]));
    if let Some(mentioned) = mentioned.filter(|_| !is_reasoning) {
        callee.entry("mentionList").or_insert(mentioned);
    }
    entry.extend(callee);
    entry
}

fn unknown(value: &Value, known: &[&str]) -> usize {
    let keys = value.as_object().into_iter().flatten();
    keys.filter(|(key, _)| !known.contains(&key.as_str())).count()
}

/// The index of special calls, or of their results. `is_known`: whether Dominds 1.29 accepts a name there.
pub(super) fn index(
    records: &[CallRecord],
    is_known: fn(&str) -> bool,
    entry: impl Fn(&CallRecord) -> Value,
) -> Result<Vec<Value>, Localized> {
    let mut seen = BTreeSet::new();
    for record in records {
        let (id, name) = (&record.id, &record.name);
        if id.is_empty() || record.ts.is_empty() {
            return Err(Text::new(
                "a record of a call has no id, or no time",
                "有调用记录没有 id 或时间",
            )
            .into());
        }
        if !is_known(name) {
            return Err(localized!(
                "the call {id} has the name {name:?}, which Dominds 1.29 does not know",
                "调用 {id} 的名称 {name:?} 为 Dominds 1.29 所不知"
            ));
        }
        if !seen.insert(id) {
            return Err(localized!("the call {id} is recorded twice", "调用 {id} 有两条记录"));
        }
    }
    Ok(records.iter().map(entry).collect())
}
