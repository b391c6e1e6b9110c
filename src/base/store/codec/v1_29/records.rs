//! Records that have another name or more keys in this layout.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::domain::dialogs::record::{Entry, PRIMING, Record};
use crate::domain::text::json;
use crate::domain::{Assignment, CallId, Course, DialogTree, Genseq, RootId, SelfId};

use super::latest::GenerationPlace;

/// Names in this layout, and in the domain.
pub(in crate::store) const RENAMED: [(&str, &str); 2] = [
    ("tellask_anchor_record", "tellask_call_anchor_record"),
    (CALLEES, "pending_sideDialogs_reconciled_record"),
];
/// A snapshot of the calls that a dialog waits for.
pub(in crate::store) const CALLEES: &str = "active_callees_reconciled_record";
const PROMPT: &str = "human_text_record";

/// The same entry, as what it is in the domain, where its record has another name there.
pub(in crate::store) fn in_domain(entry: Entry) -> Entry {
    let Record::Unknown { kind, line } = &entry.record else { return entry };
    if kind == PROMPT && entry.source_tag.as_deref() == Some(PRIMING) {
        return match of_a_person(line) {
            Some(record) => Entry { record, ..entry },
            None => entry,
        };
    }
    let Some((_, name)) = RENAMED.iter().find(|(known, _)| known == kind) else { return entry };
    match renamed(kind, name, line) {
        Some(record) => Entry { record, ..entry },
        None => entry,
    }
}

/// A prompt of a startup script, which does not say whose it is. `None` where it does.
fn of_a_person(line: &str) -> Option<Record> {
    let mut map: Map<String, Value> = json::read(line).ok()?;
    let said = map.insert("origin".to_owned(), "user".into());
    said.is_none().then(|| serde_json::from_value(Value::Object(map)).ok())?
}

/// `None` where its shape is not known.
fn renamed(kind: &str, name: &str, line: &str) -> Option<Record> {
    let mut map: Map<String, Value> = json::read(line).ok()?;
    map.insert("type".to_owned(), name.into());
    if kind == CALLEES {
        let mut calls = map.remove("activeCalleeDispatches")?;
        for call in calls.as_array_mut()? {
            let call = call.as_object_mut()?;
            let callee = call.remove("calleeDialogId")?;
            call.insert("sideDialogId".to_owned(), callee);
        }
        map.insert("pendingSideDialogs".to_owned(), calls);
    }
    serde_json::from_value(Value::Object(map)).ok()
}

/// The facts of a line that is written as it stands, or of any other record.
pub(in crate::store) fn read_anew(entry: &Arc<Entry>) -> Arc<Entry> {
    let Record::Unknown { kind, line } = &entry.record else { return Arc::clone(entry) };
    let parsed = if kind.is_empty() { Entry::parse(line) } else { None };
    Arc::new(in_domain(parsed.unwrap_or_else(|| entry.as_ref().clone())))
}

/// The line of a record of `dialog`, without its newline.
pub(in crate::store) fn line(entry: &Entry, dialog: &SelfId, tree: &DialogTree) -> String {
    let written = entry.line();
    let is_other = matches!(
        entry.record,
        Record::Anchor { .. } | Record::PendingSideDialogs { .. } | Record::SideDialogCreated(_)
    );
    if !is_other {
        return written;
    }
    let Ok(mut map) = json::read::<Map<String, Value>>(&written) else { return written };
    if let Record::SideDialogCreated(created) = &entry.record {
        let site = site_of(&created.assignment_from_asker, tree);
        if let Some(Value::Object(assignment)) = map.get_mut("assignmentFromAsker") {
            add_site(assignment, site);
        }
    } else {
        name_there(&mut map, dialog, &tree.root);
    }
    Value::Object(map).to_string()
}

/// Gives a record of the domain its name there, and its keys.
fn name_there(map: &mut Map<String, Value>, dialog: &SelfId, root: &RootId) {
    let kind = map.get("type").and_then(Value::as_str);
    let Some((name, _)) = RENAMED.iter().find(|(_, here)| Some(*here) == kind) else { return };
    map.insert("type".to_owned(), (*name).into());
    let Some(Value::Array(mut calls)) = map.shift_remove("pendingSideDialogs") else { return };
    for call in calls.iter_mut().filter_map(Value::as_object_mut) {
        if let Some(callee) = call.shift_remove("sideDialogId") {
            call.insert("calleeDialogId".to_owned(), callee);
        }
        let number = |key: &str| call.get(key).and_then(Value::as_u64).unwrap_or(1);
        let (course, genseq) = (number("callSiteCourse"), number("callSiteGenseq"));
        let batch = format!("dispatch:{root}:{dialog}:c{course}:g{genseq}");
        call.entry("batchId").or_insert_with(|| batch.into());
    }
    map.insert("activeCalleeDispatches".to_owned(), Value::Array(calls));
}

/// Where a call was made: by the records of the asker, else by what it waits for, else by what the assignment says.
pub(in crate::store) fn call_site(
    tree: &DialogTree,
    asker: &SelfId,
    call: &CallId,
) -> Option<GenerationPlace> {
    let asker = tree.get(asker)?;
    let recorded = asker.history.calls.get(call).map(|call| (call.course, call.genseq));
    recorded.or_else(|| {
        let pending = asker.pending.iter().find(|pending| pending.call_id == *call)?;
        Some((pending.call_site_course, pending.call_site_genseq))
    })
}

fn site_of(assignment: &Assignment, tree: &DialogTree) -> GenerationPlace {
    let site = call_site(tree, &assignment.asker_dialog_id, &assignment.call_id);
    site.unwrap_or((Course::FIRST, Genseq(1)))
}

/// Keys without which the tree is refused.
fn add_site(assignment: &mut Map<String, Value>, (course, genseq): GenerationPlace) {
    assignment.entry("callSiteCourse").or_insert_with(|| course.0.into());
    assignment.entry("callSiteGenseq").or_insert_with(|| genseq.0.max(1).into());
}

/// An assignment as a stack has it there.
pub(in crate::store) fn with_site(assignment: &Assignment, tree: &DialogTree) -> Assignment {
    let mut assignment = assignment.clone();
    let site = site_of(&assignment, tree);
    add_site(&mut assignment.extra, site);
    assignment
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::dialogs::record::RecordClass;

    #[test]
    fn a_renamed_record_is_what_it_is_in_the_domain() {
        for (line, class) in [
            (
                r#"{"ts":"t","type":"tellask_anchor_record","genseq":2,"anchorRole":"response","callId":"c","askerDialogId":"a","askerCourse":1}"#,
                RecordClass::Link,
            ),
            (
                r#"{"ts":"t","type":"active_callees_reconciled_record","activeCalleeDispatches":[{"calleeDialogId":"cc/dd/2","batchId":"b","createdAt":"t","callName":"tellaskSessionless","tellaskContent":"x","targetAgentId":"dev","callId":"c","callSiteCourse":1,"callSiteGenseq":1,"callType":"C"}]}"#,
                RecordClass::Snapshot,
            ),
        ] {
            let entry = Entry::parse(line).unwrap();
            assert_eq!(entry.record.class(), RecordClass::Unknown);
            let read = in_domain(entry.clone());
            assert_eq!(
                (read.record.class(), &read.ts, read.genseq),
                (class, &entry.ts, entry.genseq)
            );
        }
    }

    #[test]
    fn the_prompt_of_a_startup_script_is_one_of_a_person() {
        let line = r#"{"ts":"t","type":"human_text_record","genseq":1,"msgId":"p","content":"x","grammar":"markdown","sourceTag":"priming_script"}"#;
        let read = in_domain(Entry::parse(line).unwrap());
        assert!(matches!(read.record, Record::HumanText(text) if text.content == "x"));
        for line in [
            line.replace("priming_script", "other"),
            line.replace(r#""content":"x""#, r#""content":5"#),
            line.replace(r#""content":"x""#, r#""content":"x","origin":"nobody""#),
        ] {
            let entry = Entry::parse(&line).unwrap();
            assert_eq!(in_domain(entry.clone()), entry);
        }
    }

    #[test]
    fn a_record_in_an_unknown_shape_stays_as_it_stands() {
        for line in [
            r#"{"ts":"t","type":"tellask_anchor_record"}"#,
            r#"{"ts":"t","type":"active_callees_reconciled_record","activeCalleeDispatches":[5]}"#,
            r#"{"ts":"t","type":"tellask_callee_record","callId":"c"}"#,
            r#"{"ts":"t","type":"hologram_record"}"#,
            r#"{"ts":"t","type":"gen_start_record","genseq":1,"msgId":"m"}"#,
        ] {
            let entry = Entry::parse(line).unwrap();
            assert_eq!(in_domain(entry.clone()), entry);
        }
    }
}
