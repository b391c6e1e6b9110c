//! The text of `dialogs`: the trees, the newest first, each dialog below its asker.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::asking::autonomy::AutonomyLevel;
use crate::domain::counted;
use crate::domain::dialogs::latest::{Blocker, DisplayState};
use crate::domain::{Bucket, DialogId, ModelChoice, SelfId, Stamp};
use crate::store::{DialogListing, Titles, TreeListing};
use crate::ui::model::age;
use crate::ui::text::clean::SafeText;

use super::find;
use super::ids::Ids;

/// Deeper levels are not indented further.
const MAX_INDENT: usize = 8;

/// A dialog and its depth in the tree.
pub type DialogAtDepth<'a> = (usize, &'a DialogListing);

/// The dialogs of a tree in display order. All dialogs are included, even if askers form a cycle.
pub fn in_order(tree: &TreeListing) -> Vec<DialogAtDepth<'_>> {
    let main = SelfId::new(tree.root.as_str());
    let known: BTreeSet<&SelfId> = tree.dialogs.iter().map(|dialog| &dialog.id).collect();
    let mut below: BTreeMap<&SelfId, Vec<&DialogListing>> = BTreeMap::new();
    for dialog in tree.dialogs.iter().filter(|dialog| dialog.id != main) {
        let asker = dialog.asker.as_ref().filter(|asker| known.contains(asker)).unwrap_or(&main);
        below.entry(asker).or_default().push(dialog);
    }
    for dialogs in below.values_mut() {
        dialogs.sort_by_key(|dialog| (&dialog.meta.created_at, dialog.id.creation()));
    }
    let mut placed = Vec::new();
    let mut seen: BTreeSet<&SelfId> = BTreeSet::new();
    // The main dialog, then dialogs that are not reachable from it: cycles of askers.
    let main = tree.dialogs.iter().filter(|dialog| dialog.id == main).map(|dialog| (0, dialog));
    let rest = tree.dialogs.iter().map(|dialog| (1, dialog));
    for start in main.chain(rest) {
        let mut next = vec![start];
        while let Some((depth, dialog)) = next.pop() {
            if !seen.insert(&dialog.id) {
                continue;
            }
            placed.push((depth.min(MAX_INDENT), dialog));
            let children = below.get(&dialog.id).into_iter().flatten().rev();
            next.extend(children.map(|child| (depth + 1, *child)));
        }
    }
    placed
}

/// What is known of dialogs beside their files.
#[derive(Debug, Clone, Copy)]
pub struct Beside<'a> {
    pub titles: &'a Titles,
    /// The dialogs that retry, as their driver says.
    pub retrying: &'a BTreeSet<DialogId>,
}

/// Formats one dialog as one line.
pub fn row(
    (tree, beside): (&TreeListing, Beside<'_>),
    (depth, dialog): DialogAtDepth<'_>,
    ids: &Ids<'_>,
    now: &Stamp,
) -> String {
    let id = find::dialog_id(tree, dialog);
    let slug = dialog.meta.session_slug.as_ref().map(|s| format!(" !{s}")).unwrap_or_default();
    let parts = [
        ids.dialog(&id),
        format!("@{}{slug}", dialog.meta.agent_id),
        if beside.retrying.contains(&id) { "retrying" } else { state_word(&dialog.state) }
            .to_owned(),
        age::short(&dialog.latest.last_modified, now),
        find::title(beside.titles, tree, dialog),
        question_count(dialog),
        dialog.latest.chosen_model.as_ref().map(model_part).unwrap_or_default(),
        dialog.latest.chosen_autonomy.map(autonomy_part).unwrap_or_default(),
        match (tree.bucket, id.is_main()) {
            (Bucket::Run, _) | (_, false) => String::new(),
            (bucket, true) => format!("({})", bucket.status()),
        },
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{}{}", "  ".repeat(depth), parts.join("  "))
}

/// The model that a person chose for a dialog.
fn model_part(choice: &ModelChoice) -> String {
    format!("({})", SafeText::line(&choice.to_string()).as_str())
}

/// How much a member decides alone, as a person chose for a dialog.
fn autonomy_part(level: AutonomyLevel) -> String {
    format!("(autonomy: {})", level.name())
}

fn question_count(dialog: &DialogListing) -> String {
    let open = dialog.questions.len();
    if open == 0 || dialog.latest.is_dead() {
        return String::new();
    }
    format!("? {}", counted(open, "question", "questions"))
}

/// The display word of a state.
fn state_word(state: &DisplayState) -> &'static str {
    match state {
        DisplayState::Idle => "idle",
        DisplayState::Proceeding => "working",
        DisplayState::Stopping { .. } => "stopping",
        DisplayState::Stopped { reason, .. } if reason.is_pause() => "paused",
        DisplayState::Stopped { reason, .. } if reason.is_failure() => "failed",
        DisplayState::Stopped { .. } => "stopped",
        DisplayState::Blocked { reason: Blocker::Human | Blocker::HumanAndSideDialogs } => {
            "asks you"
        }
        DisplayState::Blocked { reason: Blocker::SideDialogs } => "waits",
        DisplayState::Dead { .. } => "dead",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ContextPressure, DialogMeta, Genseq, Latest, Layout, RootId};

    fn listing(id: &str, asker: Option<&str>) -> DialogListing {
        let meta = DialogMeta {
            id: SelfId::new(id),
            agent_id: "dev".into(),
            task_doc_path: "t.tsk".to_owned(),
            created_at: Stamp::default(),
            session_slug: None,
            extra: serde_json::Map::new(),
        };
        DialogListing {
            state: DisplayState::Idle,
            id: SelfId::new(id),
            meta,
            latest: Box::new(Latest::new(Stamp::default())),
            asker: asker.map(SelfId::new),
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

    #[test]
    fn each_dialog_is_listed_once_below_its_asker_also_in_a_cycle() {
        let dialogs = vec![
            listing("main", None),
            listing("a", Some("main")),
            listing("b", Some("a")),
            listing("c", Some("gone")),
            listing("x", Some("y")),
            listing("y", Some("x")),
        ];
        let root = RootId::new("main");
        let (bucket, registry, layout) = (Bucket::Run, Vec::new(), Layout::default());
        let (unclean, foreign) = (false, None);
        let tree = TreeListing { root, bucket, dialogs, registry, unclean, layout, foreign };
        let placed = in_order(&tree);
        let found: Vec<(usize, &str)> =
            placed.iter().map(|(depth, dialog)| (*depth, dialog.id.as_str())).collect();
        let expected = [(0, "main"), (1, "a"), (2, "b"), (1, "c"), (1, "x"), (2, "y")];
        assert_eq!(found, expected);
    }
}
