//! The startup scripts with which a main dialog in the layout of Dominds 1.29 begins: those that its `dialog.yaml` names.

use std::sync::Arc;

use serde_json::Value;

use crate::domain::dialogs::record::{Record, RecordClass};
use crate::domain::dialogs::reminder::{ReminderScope, SharedEdit};
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{CallId, Course, Dialog, Entry, Genseq, Reminder, SelfId};
use crate::driver::shared::blocking::blocking;
use crate::driver::steps::draft::Draft;
use crate::driver::steps::reminders::{self, EditError};
use crate::minds::PrimingScript;
use crate::protocol::Refusal;
use crate::protocol::event::DriverEvent;

use super::state::TreeState;

/// Most scripts of one dialog.
pub const MAX_SCRIPTS: usize = 8;
/// Most characters of the name of a script that cannot be used.
const NAME_CHARS: usize = 80;

impl TreeState {
    /// Before the first generation of a main dialog: writes what its startup scripts have. A script that cannot be used
    /// is left out, and a notice says why. False if the others could not be written.
    pub(super) async fn prime(&mut self, id: &SelfId) -> bool {
        let is_recent = self.tree().layout.has_recent_rules() && self.tree().is_main(id);
        let Some(dialog) = self.tree().get(id).filter(|_| is_recent) else { return true };
        let (names, agent) = (scripts_of(dialog), dialog.meta.agent_id.clone());
        if names.is_empty() {
            return true;
        }
        let engine = self.engine.clone();
        let read = blocking(move |on| {
            let secrets = engine.secrets_for(&engine.minds(on), &agent);
            let read = |name: String| {
                let script = PrimingScript::read(&engine.workspace, &name, &agent, &secrets);
                (name, script)
            };
            names.into_iter().map(read).collect::<Vec<_>>()
        });
        let Ok(scripts) = read.await else { return false };
        let shared = self.shared_reminders(id).await;
        let mut draft = self.draft();
        let mut left_out = Vec::new();
        for (name, script) in scripts {
            let begun = script.and_then(|script| begin_with(&mut draft, id, script, &shared));
            if let Err(why) = begun {
                let name: String = name.chars().take(NAME_CHARS).collect();
                left_out.push(localized!(
                    [why] "the startup script {name} is left out: {why}",
                    "启动脚本 {name} 未采用：{why}"
                ));
            }
        }
        let written = draft.is_empty() || self.commit_or_stop(id, draft).await;
        for notice in left_out {
            self.send_event(DriverEvent::Notice(notice)).await;
        }
        written
    }
}

/// The scripts of a dialog in which nothing has happened yet.
fn scripts_of(dialog: &Dialog) -> Vec<String> {
    let history = &dialog.history;
    let is_new = |entry: &Arc<Entry>| entry.record.class() == RecordClass::Snapshot;
    if history.last_genseq != Genseq(0) || !history.entries.iter().all(is_new) {
        return Vec::new();
    }
    let named = dialog.meta.extra.get("priming").and_then(|priming| priming.get("scriptRefs"));
    let named = named.and_then(Value::as_array).into_iter().flatten();
    named.filter_map(Value::as_str).take(MAX_SCRIPTS).map(str::to_owned).collect()
}

/// Drafts the records and the reminders of a script, or nothing of it.
fn begin_with(
    draft: &mut Draft,
    id: &SelfId,
    script: PrimingScript,
    shared: &[Reminder],
) -> Result<(), Localized> {
    let dialog = draft.dialog(id).ok_or(Refusal::NoSuchDialog)?;
    let (agent, course, before) =
        (dialog.meta.agent_id.clone(), dialog.history.course, dialog.history.last_genseq);
    let entries: Vec<Entry> = script
        .entries
        .into_iter()
        .map(|entry| Entry { genseq: entry.genseq.map(|own| after(before, own)), ..entry })
        .collect();
    check(dialog, course, &entries)?;
    let is_new = |reminder: &Reminder| shared.iter().all(|known| known.id != reminder.id);
    let new: Vec<Reminder> = script.reminders.into_iter().filter(is_new).collect();
    if !new.is_empty() {
        let scope = ReminderScope::Task;
        reminders::check_limit(dialog, shared, scope).map_err(EditError::message)?;
    }
    draft.set_durable();
    for mut entry in entries {
        if let Record::HumanText(text) = &mut entry.record {
            text.msg_id = draft.ids.message();
        }
        draft.append_primed(id, course, entry);
    }
    for reminder in new {
        let (scope, created_at) = (ReminderScope::Task.name(draft.tree.layout), draft.now.clone());
        let reminder = Reminder { scope: scope.to_owned(), created_at, ..reminder };
        draft.edit_shared(agent.clone(), SharedEdit::Add(Box::new(reminder)));
    }
    Ok(())
}

/// The generations of a script follow those of the script before.
fn after(before: Genseq, own: Genseq) -> Genseq {
    Genseq(before.0.saturating_add(own.0))
}

/// Nothing of a script may be waited for, and a call has an id of its own.
fn check(dialog: &Dialog, course: Course, entries: &[Entry]) -> Result<(), Localized> {
    let mut history = dialog.history.clone();
    for entry in entries {
        if called(&entry.record).is_some_and(|call| history.knows_call(call)) {
            let text = Text::new("two calls have the same id", "两个调用的 id 相同");
            return Err(text.into());
        }
        history.fold(course, Arc::new(entry.clone()));
    }
    if history.waits_for_a_call() {
        let text = Text::new("a call of it has no result", "其中一个调用没有结果");
        return Err(text.into());
    }
    Ok(())
}

fn called(record: &Record) -> Option<&CallId> {
    if let Record::FuncCall(call) | Record::TellaskCall { call, .. } = record {
        Some(&call.id)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::{Layout, MsgId, Stamp};
    use crate::driver::steps::draft::samples::draft_in;

    const PROMPT: &str = r#"{"type":"human_text_record","genseq":1,"content":"Warm up.","msgId":"","grammar":"markdown","origin":"user"}"#;
    const CALL: &str = r#"{"type":"func_call_record","genseq":1,"id":"c","name":"list_dir","rawArgumentsText":"{}"}"#;
    const RESULT: &str =
        r#"{"type":"func_result_record","genseq":1,"id":"c","name":"list_dir","content":"x"}"#;

    fn script(records: &[&str]) -> PrimingScript {
        let entries = records.iter().map(|record| Entry::parse(record).unwrap()).collect();
        let reminder = Reminder::new("priming-1".to_owned(), "x".to_owned(), Stamp::default());
        PrimingScript { entries, reminders: vec![reminder] }
    }

    fn draft() -> (Draft, SelfId) {
        draft_in(Layout::V1_29, &[])
    }

    #[test]
    fn scripts_are_those_that_a_dialog_names_before_anything_has_happened() {
        let mut dialog = crate::samples::dialog_of(&[]);
        assert_eq!(scripts_of(&dialog), Vec::<String>::new());
        let named: Vec<String> = (0..20).map(|n| format!("team_shared/{n}")).collect();
        dialog.meta.extra.insert("priming".to_owned(), json!({ "scriptRefs": named }));
        assert_eq!(scripts_of(&dialog), named[..MAX_SCRIPTS]);
        dialog.history.fold(Course::FIRST, Arc::new(Entry::parse(PROMPT).unwrap()));
        assert_eq!(scripts_of(&dialog), Vec::<String>::new());
    }

    #[test]
    fn what_scripts_have_is_marked_and_its_generations_follow_each_other() {
        let (mut draft, id) = draft();
        begin_with(&mut draft, &id, script(&[PROMPT, CALL, RESULT]), &[]).unwrap();
        begin_with(&mut draft, &id, script(&[PROMPT]), &[]).unwrap();
        let history = &draft.dialog(&id).unwrap().history;
        assert_eq!((history.entries.len(), history.last_genseq), (4, Genseq(2)));
        for entry in &history.entries {
            assert_eq!((entry.root, entry.source_tag.as_deref()), (None, Some("priming_script")));
        }
        assert!(history.messages.contains(&MsgId::new("fresh")));
        assert!(!history.owes_followup(), "nobody waits for it");
    }

    #[test]
    fn of_a_script_that_would_be_waited_for_nothing_is_written() {
        let asked = r#"{"type":"tellask_call_record","genseq":1,"id":"q","name":"askHuman","rawArgumentsText":"{}","deliveryMode":"tellask_call_start"}"#;
        for records in [vec![PROMPT, CALL], vec![PROMPT, asked], vec![CALL, RESULT, CALL, RESULT]] {
            let (mut draft, id) = draft();
            assert!(begin_with(&mut draft, &id, script(&records), &[]).is_err(), "{records:?}");
            assert!(draft.is_empty(), "{records:?}");
        }
    }

    #[test]
    fn a_reminder_that_is_there_is_not_added_again() {
        let known = script(&[]).reminders;
        for (shared, added) in [(known.as_slice(), 0), (<&[Reminder]>::default(), 1)] {
            let (mut draft, id) = draft();
            begin_with(&mut draft, &id, script(&[]), shared).unwrap();
            assert_eq!(draft.drafted_changes().count(), added);
        }
    }
}
