//! Records that have another name in this layout.

use serde_json::{Map, Value};

use crate::domain::dialogs::record::{Entry, PRIMING, Record};
use crate::domain::text::json;

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
