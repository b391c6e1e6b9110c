//! Lines of courses. Almost all say the same in both layouts.

use serde_json::Value;

use crate::domain::Layout;
use crate::domain::text::json;

use super::facts::Site;
use super::mapping::Mapping;
use super::stacks;
use super::values::{Keys, take, text};
use crate::store::codec::v1_29::records::{CALLEES, RENAMED};

const CREATED: &str = "sideDialog_created_record";
const CALL: &str = "tellask_call_record";
/// A special call of 1.29 alone.
pub(super) const ANSWER_HUMAN: &str = "answerHuman";

/// The keys of the list in a snapshot, and of the side dialog in an entry of it: those of 1.19, then those of 1.29.
const LISTS: [&str; 2] = ["pendingSideDialogs", "activeCalleeDispatches"];
const SIDES: [&str; 2] = ["sideDialogId", "calleeDialogId"];

/// A line as the other layout has it; `None` if it stays as it stands.
pub(in crate::store) fn line(line: &str, to: Layout, at: &Mapping<'_>) -> Option<String> {
    let names = RENAMED.map(|(recent, earlier)| match to {
        Layout::V1_19 => (recent, earlier),
        Layout::V1_29 => (earlier, recent),
    });
    let marks = names.iter().map(|(from, _)| *from).chain([CREATED]);
    let answers = (to == Layout::V1_19).then_some(ANSWER_HUMAN);
    if !marks.chain(answers).any(|mark| line.contains(mark)) {
        return None;
    }
    let mut record: Keys = json::read(line).ok()?;
    let kind = text(&record, "type")?.to_owned();
    if let Some((_, name)) = names.iter().find(|(from, _)| *from == kind) {
        if [kind.as_str(), *name].contains(&CALLEES) {
            snapshot(&mut record, to, at)?;
        }
        record.insert("type".to_owned(), (*name).into());
    } else if kind == CREATED {
        stacks::assignment(&mut record, to, at).ok()?;
    } else if kind == CALL && answers.is_some() && text(&record, "name") == answers {
        record.insert("type".to_owned(), "func_call_record".into());
        take(&mut record, "deliveryMode");
    } else {
        return None;
    }
    serde_json::to_string(&record).ok()
}

/// Changes the list of a snapshot; `None` if its shape is not known.
fn snapshot(record: &mut Keys, to: Layout, at: &Mapping<'_>) -> Option<()> {
    let ([from_list, to_list], [from_side, to_side]) = match to {
        Layout::V1_29 => (LISTS, SIDES),
        Layout::V1_19 => (reversed(LISTS), reversed(SIDES)),
    };
    let mut calls = take(record, from_list)?;
    for call in calls.as_array_mut()? {
        let call = call.as_object_mut()?;
        let called = take(call, from_side)?;
        call.insert(to_side.to_owned(), called);
        match to {
            Layout::V1_19 => drop(take(call, "batchId")),
            Layout::V1_29 => {
                let site = Site::of(call, "callSiteCourse", "callSiteGenseq")?;
                call.insert("batchId".to_owned(), Value::from(at.batch_id(site)));
            }
        }
    }
    record.insert(to_list.to_owned(), calls);
    Some(())
}

fn reversed<T>([one, other]: [T; 2]) -> [T; 2] {
    [other, one]
}
