//! Details of a dialog that does not continue: what it waits for, why it stopped, the next command, and
//! its context pressure.

use crate::domain::dialogs::latest::{Blocker, DisplayState, StopReason};
use crate::domain::dialogs::tree::Bucket;
use crate::domain::reading::title::headline;
use crate::domain::{DialogId, HumanAnswer, Lang, Pending, Problem};
use crate::store::{DialogListing, TreeListing};

use super::ids::Ids;

const MAX_HEADLINE_CHARS: usize = 80;

/// The problems of the files of a tree.
pub fn problems_of<'a>(
    tree: &'a TreeListing,
    all: &'a [Problem],
) -> impl Iterator<Item = &'a Problem> {
    let folder = format!(".dialogs/{}/{}", tree.bucket.folder(), tree.root);
    all.iter().filter(move |problem| {
        let rest = problem.path.strip_prefix(&folder);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// The details as lines of text, without indentation.
///
/// `pushes`: `(remaining, max)` of keep-going.
pub fn lines(
    tree: &TreeListing,
    dialog: &DialogListing,
    pushes: Option<(i64, i64)>,
    ids: &Ids<'_>,
) -> Vec<String> {
    let mut lines: Vec<String> =
        dialog.pending.iter().map(|waits| pending_line(tree, waits, ids)).collect();
    let asks = |question: &crate::domain::Question| {
        let id = ids.question(&question.id);
        format!("? {}  {id}", truncate(&headline(&question.tellask_content)))
    };
    lines.extend(dialog.questions.iter().filter(|_| !dialog.latest.is_dead()).map(asks));
    let told = |answer: &HumanAnswer| format!("told you: {}", truncate(&headline(&answer.content)));
    lines.extend(dialog.human_answers.iter().map(told));
    let says_why = tree.foreign.is_some() || !is_blocked(&dialog.state);
    lines.extend(reason(tree, dialog).filter(|_| says_why));
    lines.extend(next_command(tree, dialog, ids).map(|next| format!("next: {next}")));
    lines.extend(usage_line(dialog.pressure.percent, pushes));
    lines
}

fn is_blocked(state: &DisplayState) -> bool {
    matches!(state, DisplayState::Blocked { .. })
}

/// The reason why it does not continue.
pub fn reason(tree: &TreeListing, dialog: &DialogListing) -> Option<String> {
    if let Some(layout) = tree.foreign {
        return Some(layout.reason().in_lang(Lang::En).to_owned());
    }
    match &dialog.state {
        DisplayState::Stopped { .. } | DisplayState::Idle
            if dialog.latest.is_resume_requested() =>
        {
            Some("resumed".to_owned())
        }
        DisplayState::Stopped { reason, .. } => Some(format!("stopped: {}", reason.message())),
        DisplayState::Dead { .. } => Some("declared dead".to_owned()),
        DisplayState::Blocked { reason: Blocker::Human } => Some("waits for a human".to_owned()),
        DisplayState::Blocked { reason: Blocker::SideDialogs } => {
            Some("waits for side dialogs".to_owned())
        }
        DisplayState::Blocked { reason: Blocker::HumanAndSideDialogs } => {
            Some("waits for a human and for side dialogs".to_owned())
        }
        DisplayState::Idle | DisplayState::Proceeding | DisplayState::Stopping { .. } => None,
    }
}

/// The command to continue; `None` for a done or archived tree.
pub fn next_command(tree: &TreeListing, dialog: &DialogListing, ids: &Ids<'_>) -> Option<String> {
    if tree.bucket != Bucket::Run || tree.foreign.is_some() {
        return None;
    }
    let id = || ids.dialog(&DialogId::side(&tree.root, &dialog.meta.id));
    match &dialog.state {
        DisplayState::Stopped { .. } | DisplayState::Idle
            if dialog.latest.is_resume_requested() =>
        {
            Some("dominds-tui drive".to_owned())
        }
        // There is nothing to do about it.
        DisplayState::Stopped { reason, .. } if *reason == StopReason::store_is_away() => None,
        DisplayState::Stopped { reason, .. } if reason.is_failure() => {
            Some(format!("fix the cause, then: dominds-tui resume {} && dominds-tui drive", id()))
        }
        DisplayState::Stopped { .. } => {
            Some(format!("dominds-tui resume {} && dominds-tui drive", id()))
        }
        DisplayState::Blocked { reason: Blocker::Human | Blocker::HumanAndSideDialogs } => dialog
            .questions
            .first()
            .map(|question| format!("dominds-tui q4h answer {} TEXT", ids.question(&question.id))),
        DisplayState::Blocked { reason: Blocker::SideDialogs } => {
            let sides = dialog.pending.iter().filter(|waits| is_idle(tree, waits)).count();
            (sides > 0).then(|| "dominds-tui drive".to_owned())
        }
        DisplayState::Idle
        | DisplayState::Proceeding
        | DisplayState::Stopping { .. }
        | DisplayState::Dead { .. } => None,
    }
}

/// True if the side dialog is idle although its reply is pending.
fn is_idle(tree: &TreeListing, waits: &Pending) -> bool {
    let side = tree.dialogs.iter().find(|dialog| dialog.id == waits.side_dialog_id);
    side.is_some_and(|side| side.state == DisplayState::Idle)
}

fn pending_line(tree: &TreeListing, waits: &Pending, ids: &Ids<'_>) -> String {
    let slug = waits.session_slug.as_ref().map(|slug| format!(" !{slug}")).unwrap_or_default();
    format!(
        "waits for @{}{slug}  {}  call {}  {}",
        waits.target_agent_id,
        ids.dialog(&DialogId::side(&tree.root, &waits.side_dialog_id)),
        waits.call_id,
        truncate(&headline(&waits.tellask_content))
    )
}

fn usage_line(percent: Option<u8>, pushes: Option<(i64, i64)>) -> Option<String> {
    let parts: Vec<String> = [
        percent.map(|percent| format!("context {percent} %")),
        pushes.map(|(remaining, max)| format!("keep-going {remaining} of {max}")),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!parts.is_empty()).then(|| parts.join("  "))
}

fn truncate(text: &str) -> String {
    text.chars().take(MAX_HEADLINE_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::text::Localized;
    use crate::domain::text::Text;
    use crate::domain::{
        CallSite, CallType, ContextPressure, Course, DialogMeta, Genseq, Latest, Layout, Question,
        RootId, SelfId, Stamp,
    };

    fn listing(id: &str) -> DialogListing {
        DialogListing {
            state: DisplayState::Idle,
            id: SelfId::new(id),
            meta: DialogMeta {
                id: SelfId::new(id),
                agent_id: "lead".into(),
                task_doc_path: "t.tsk".to_owned(),
                created_at: Stamp::default(),
                session_slug: None,
                extra: serde_json::Map::new(),
            },
            latest: Box::new(Latest::new(Stamp::default())),
            asker: None,
            questions: Vec::new(),
            parts: std::collections::BTreeMap::new(),
            answers: None,
            pending: Vec::new(),
            human_answers: Vec::new(),
            pressure: ContextPressure::default(),
            about: String::new(),
            reasoning: None,
            genseq: Genseq(1),
        }
    }

    fn tree(dialogs: Vec<DialogListing>) -> TreeListing {
        let root = RootId::new("aa/bb/1");
        TreeListing {
            root,
            bucket: Bucket::Run,
            dialogs,
            registry: Vec::new(),
            unclean: false,
            layout: Layout::default(),
            foreign: None,
        }
    }

    fn stopped(reason: StopReason) -> DialogListing {
        let mut dialog = listing("aa/bb/1");
        dialog.state = DisplayState::Stopped { reason, continue_enabled: Some(true) };
        dialog
    }

    fn waits_for(side: &str) -> Pending {
        Pending {
            side_dialog_id: SelfId::new(side),
            created_at: Stamp::default(),
            call_name: "tellask".to_owned(),
            mention_list: None,
            tellask_content: "Look\nclosely".to_owned(),
            target_agent_id: "alice".into(),
            call_id: "c1".into(),
            call_site_course: Course::FIRST,
            call_site_genseq: Genseq(1),
            call_type: CallType::B,
            session_slug: Some("main".into()),
            extra: serde_json::Map::new(),
        }
    }

    #[test]
    fn a_dialog_that_does_not_continue_has_a_reason_and_a_next_command() {
        let site = CallSite {
            course: Course::FIRST,
            message_index: 0,
            call_site_genseq: None,
            extra: serde_json::Map::new(),
        };
        let id = DialogId::main(RootId::new("aa/bb/1"));
        let asked = Question::new(&id, &"q".into(), "Which?", Stamp::default(), site);
        let blocked = |reason| DisplayState::Blocked { reason };
        let asks = DialogListing {
            questions: vec![asked],
            state: blocked(Blocker::Human),
            ..listing("aa/bb/1")
        };
        let waits = DialogListing {
            pending: vec![waits_for("cc")],
            state: blocked(Blocker::SideDialogs),
            ..listing("aa/bb/1")
        };
        let resume = "next: dominds-tui resume aa/bb/1 && dominds-tui drive";
        let fix = "next: fix the cause, then: dominds-tui resume aa/bb/1 && dominds-tui drive";
        for (dialogs, expected) in [
            (vec![listing("aa/bb/1")], vec![]),
            (vec![stopped(StopReason::UserStop)], vec!["stopped: stopped by you", resume]),
            (
                vec![stopped(StopReason::store_is_away())],
                vec![
                    "stopped: the store cannot be reached: it goes on by itself when it can be reached again",
                ],
            ),
            (
                vec![stopped(StopReason::system(Localized::same("no key")))],
                vec!["stopped: no key", fix],
            ),
            (
                vec![asks],
                vec![
                    "? Which?  q4h-aa/bb/1-aa/bb/1-c1-q",
                    "next: dominds-tui q4h answer q4h-aa/bb/1-aa/bb/1-c1-q TEXT",
                ],
            ),
            (
                vec![waits.clone(), stopped(StopReason::UserStop)],
                vec!["waits for @alice !main  aa/bb/1#cc  call c1  Look"],
            ),
            (
                vec![waits, listing("cc")],
                vec![
                    "waits for @alice !main  aa/bb/1#cc  call c1  Look",
                    "next: dominds-tui drive",
                ],
            ),
        ] {
            let tree = tree(dialogs);
            let found = tree.dialogs.first().map(|dialog| lines(&tree, dialog, None, &Ids::Full));
            let expected = expected.into_iter().map(str::to_owned).collect();
            assert_eq!(found, Some(expected), "{tree:?}");
        }
    }

    #[test]
    fn the_usage_line_has_the_figures_that_are_known() {
        for (percent, pushes, expected) in [
            (None, None, None),
            (Some(81), None, Some("context 81 %")),
            (Some(81), Some((2, 3)), Some("context 81 %  keep-going 2 of 3")),
        ] {
            assert_eq!(usage_line(percent, pushes).as_deref(), expected);
        }
    }

    #[test]
    fn a_problem_belongs_to_the_tree_of_its_path() {
        let of = |path: &str| {
            Problem::new("id", path, Text::new("text", "内容"), Text::new("fix", "办法"))
        };
        let all = [
            of(".dialogs/run/aa/bb/1"),
            of(".dialogs/run/aa/bb/1/latest.yaml"),
            of(".dialogs/run/aa/bb/10/latest.yaml"),
            of(".minds/team.yaml"),
        ];
        let tree = tree(Vec::new());
        assert_eq!(problems_of(&tree, &all).count(), 2);
    }
}
