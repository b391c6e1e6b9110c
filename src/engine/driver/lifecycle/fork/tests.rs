//! What a fork keeps, from handwritten records, including those another program would leave.

use serde_json::{Value, json};

use crate::domain::dialogs::latest::StopReason;
use crate::domain::dialogs::record::Entry;
use crate::domain::dialogs::tree::TreeChange;
use crate::domain::{
    AssignmentFrame, Course, Dialog, DialogMeta, ExecutionMarker, Genseq, Latest, RootId, SelfId,
    Slug, Stamp,
};
use crate::store::CourseLine;

use super::copied_lines::with_renamed_root;
use super::cut::ForkPlan;
use super::dialogs::{ForkPoint, GenerationOpening, SourceDialog};

const ROOT: &str = "aa/bb/01";
const SIDE: &str = "cc/dd/02";
const FORK: &str = "ee/ff/03";

#[test]
fn only_the_id_of_the_main_dialog_changes_in_a_line() {
    let (from, to) = (RootId::new(ROOT), RootId::new(FORK));
    for (line, expected) in [
        (r#"{"type":"x",  "content":"aa/bb/01"}"#, r#"{"type":"x",  "content":"aa/bb/01"}"#),
        (r#"{"askerDialogId":"aa/bb/01","n":1}"#, r#"{"askerDialogId":"ee/ff/03","n":1}"#),
        (
            r#"{"new":7,"list":[{"targetDialogId":"aa/bb/01","tellaskContent":"aa/bb/01"}]}"#,
            r#"{"new":7,"list":[{"targetDialogId":"ee/ff/03","tellaskContent":"aa/bb/01"}]}"#,
        ),
        (r#"{"calleeDialogId":"aa/bb/012"}"#, r#"{"calleeDialogId":"aa/bb/012"}"#),
        ("aa/bb/01 is no record", "aa/bb/01 is no record"),
    ] {
        assert_eq!(with_renamed_root(line, &from, &to), expected, "{line}");
    }
}

fn line(record: &Value, genseq: Option<u32>, root: (u32, u32)) -> CourseLine {
    let mut record = record.clone();
    let fields = record.as_object_mut().unwrap();
    if let Some(genseq) = genseq {
        fields.insert("genseq".to_owned(), json!(genseq));
    }
    fields.insert("rootCourse".to_owned(), json!(root.0));
    fields.insert("rootGenseq".to_owned(), json!(root.1));
    let text = record.to_string();
    CourseLine { entry: Entry::parse(&text).unwrap(), text }
}

fn start(genseq: u32, root: u32) -> CourseLine {
    line(&json!({ "type": "gen_start_record" }), Some(genseq), (1, root))
}

fn finish(genseq: u32, root: u32) -> CourseLine {
    let health = json!({ "kind": "unavailable", "reason": "usage_unavailable" });
    let record = json!({ "type": "gen_finish_record", "contextHealth": health });
    line(&record, Some(genseq), (1, root))
}

fn prompt(content: &str, origin: &str, genseq: u32) -> CourseLine {
    let record = json!({ "type": "human_text_record", "content": content, "msgId": content,
        "grammar": "markdown", "origin": origin });
    line(&record, Some(genseq), (1, genseq))
}

fn tellask(id: &str, genseq: u32) -> CourseLine {
    let arguments = json!({ "targetAgentId": "@dev", "sessionSlug": "job", "tellaskContent": id });
    let record = json!({ "type": "tellask_call_record", "id": id, "name": "tellask",
        "rawArgumentsText": arguments.to_string(), "deliveryMode": "tellask_call_start" });
    line(&record, Some(genseq), (1, genseq))
}

fn closed(call: &str, genseq: u32) -> CourseLine {
    let record = json!({ "type": "tellask_result_record", "callId": call, "status": "failed",
        "content": "dead", "callSiteCourse": 1, "callSiteGenseq": 1, "callName": "tellask",
        "responder": { "responderId": "dev" }, "call": { "tellaskContent": call } });
    line(&record, None, (1, genseq))
}

fn created(call: &str) -> CourseLine {
    let assignment = json!({ "callName": "tellask", "mentionList": ["@dev"], "tellaskContent": call,
        "originMemberId": "lead", "askerDialogId": ROOT, "callId": call });
    let record = json!({ "type": "sideDialog_created_record", "sideDialogId": SIDE,
        "askerDialogId": ROOT, "agentId": "dev", "taskDocPath": "t.tsk", "createdAt": "t",
        "sessionSlug": "job", "assignmentFromAsker": assignment });
    line(&record, None, (1, 1))
}

fn assigned(call: &str, genseq: u32, root: u32) -> [CourseLine; 2] {
    let owed = json!({ "expectedReplyCallName": "replyTellask", "targetDialogId": ROOT,
        "targetCallId": call, "tellaskContent": call });
    let prompt = json!({ "type": "human_text_record", "content": call, "msgId": call,
        "grammar": "markdown", "origin": "runtime", "tellaskReplyDirective": owed });
    let anchor = json!({ "type": "tellask_call_anchor_record", "anchorRole": "assignment",
        "callId": call });
    [line(&prompt, Some(genseq), (1, root)), line(&anchor, Some(genseq), (1, root))]
}

fn source(id: &str, agent: &str, slug: Option<&str>, lines: Vec<CourseLine>) -> SourceDialog {
    let meta = DialogMeta {
        id: SelfId::new(id),
        agent_id: agent.into(),
        task_doc_path: "t.tsk".to_owned(),
        created_at: Stamp::new(id),
        session_slug: slug.map(Slug::new),
        extra: serde_json::Map::new(),
    };
    let dialog = Dialog::new(meta, Latest::new(Stamp::default()));
    SourceDialog { dialog, courses: vec![(Course::FIRST, lines)] }
}

fn main(lines: Vec<CourseLine>) -> SourceDialog {
    source(ROOT, "lead", None, lines)
}

fn side(lines: Vec<CourseLine>) -> SourceDialog {
    source(SIDE, "dev", Some("job"), lines)
}

fn fork(sources: &[SourceDialog], genseq: u32) -> (Vec<TreeChange>, GenerationOpening) {
    let (from, to) = (RootId::new(ROOT), RootId::new(FORK));
    let cut = ForkPoint { course: Course::FIRST, genseq: Genseq(genseq) };
    ForkPlan { from: &from, to: &to, cut, now: &Stamp::new("now") }.copy(sources).unwrap()
}

/// The stack and the latest state of the side dialog, and how many of its lines stay.
fn kept_side(changes: &[TreeChange]) -> Option<(&[AssignmentFrame], &Latest, usize)> {
    let made = changes.iter().find_map(|change| {
        let TreeChange::Create { meta, latest, stack } = change else { return None };
        (meta.id.as_str() == SIDE).then_some((stack.as_slice(), latest.as_ref()))
    });
    let lines = changes.iter().find_map(|change| {
        let TreeChange::Append { dialog, entries, .. } = change else { return None };
        (dialog.as_str() == SIDE).then_some(entries.len())
    });
    made.map(|(stack, latest)| (stack, latest, lines.unwrap_or_default()))
}

fn owed(stack: &[AssignmentFrame]) -> Option<(&str, &str)> {
    let owed = stack.last()?.tellask_reply_obligation.as_ref()?;
    Some((owed.target_dialog_id.as_str(), owed.target_call_id.as_str()))
}

#[test]
fn a_record_without_a_root_position_is_as_old_as_the_one_before() {
    let [one, two] = assigned("c", 1, 1);
    let tree = [
        main(vec![start(1, 1), tellask("c", 1), created("c"), finish(1, 1), start(2, 2)]),
        side(vec![start(1, 1), one, two, finish(1, 0), start(2, 0), finish(2, 2), start(3, 0)]),
    ];
    let (changes, _) = fork(&tree, 2);
    let (stack, _, lines) = kept_side(&changes).unwrap();
    assert_eq!((owed(stack), lines), (Some((FORK, "c")), 5));
    assert_eq!(kept_side(&fork(&tree, 1).0), None);
}

#[test]
fn a_newer_request_that_had_not_started_is_the_one_that_is_owed() {
    let [one, two] = assigned("c1", 1, 1);
    let [late, anchor] = assigned("c2", 2, 3);
    let tree = [
        main(vec![
            start(1, 1),
            tellask("c1", 1),
            created("c1"),
            finish(1, 1),
            start(2, 2),
            prompt("again", "user", 2),
            closed("c1", 2),
            tellask("c2", 2),
            finish(2, 2),
            start(3, 3),
            prompt("well?", "user", 3),
        ]),
        side(vec![start(1, 1), one, two, start(2, 3), late, anchor]),
    ];
    for (genseq, expected) in [(2, "c1"), (3, "c2")] {
        let (changes, _) = fork(&tree, genseq);
        let (stack, _, lines) = kept_side(&changes).unwrap();
        assert_eq!((owed(stack), lines), (Some((FORK, expected)), 3), "{genseq}");
        let assignment = stack.last().and_then(|frame| frame.assignment_from_asker.as_ref());
        assert_eq!(assignment.map(|a| a.tellask_content.as_str()), Some(expected));
    }
}

#[test]
fn a_dialog_dead_at_the_fork_point_is_dead_and_one_that_died_later_is_not() {
    let [one, two] = assigned("c", 1, 1);
    let lines = vec![
        start(1, 1),
        tellask("c", 1),
        created("c"),
        finish(1, 1),
        start(2, 2),
        prompt("well?", "user", 2),
        finish(2, 2),
        closed("c", 2),
        start(3, 3),
    ];
    let mut dead = side(vec![start(1, 1), one, two, finish(1, 1)]);
    dead.dialog.latest.die();
    let tree = [main(lines), dead];
    for (genseq, expected) in [(2, false), (3, true)] {
        let (changes, _) = fork(&tree, genseq);
        let (stack, latest, _) = kept_side(&changes).unwrap();
        assert_eq!((latest.is_dead(), owed(stack).is_none()), (expected, expected), "{genseq}");
    }
}

#[test]
fn a_current_stop_is_not_copied() {
    let mut stopped = main(vec![start(1, 1), prompt("hi", "user", 1), finish(1, 1), start(2, 2)]);
    let reason = StopReason::UserStop;
    stopped.dialog.latest.execution_marker = Some(ExecutionMarker::Interrupted { reason });
    let (changes, opening) = fork(&[stopped], 2);
    assert_eq!(opening, GenerationOpening::Nothing);
    let Some(TreeChange::Create { latest, meta, .. }) = changes.first() else {
        panic!("a main dialog: {changes:?}");
    };
    assert_eq!((meta.id.as_str(), meta.created_at.as_str()), (FORK, "now"));
    assert_eq!(latest.execution_marker, None);
}
