//! Which rows of the tree are visible, from top to bottom: by Taskdoc with side dialogs below their askers,
//! or in groups by state.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::groups::Group;
use super::{Branch, TreeNode, VisibleRow};
use crate::domain::{DialogId, Stamp};
use crate::model::filter::Filter;
use crate::protocol::TreeRow;

type Rows = BTreeMap<DialogId, TreeRow>;

/// The creation of its dialog, by which rows are ordered.
pub(super) fn order(row: &TreeRow) -> (&Stamp, &str, &DialogId) {
    (&row.created_at, row.dialog.this.creation(), &row.dialog)
}

/// The tree by Taskdoc. At each level what asks the person comes first, also where a dialog below it does, and then
/// the newest. A filter keeps the rows it fits and those above them, unfolded.
pub(super) fn by_taskdoc(
    rows: &Rows,
    asking: &BTreeSet<DialogId>,
    folded: &BTreeSet<TreeNode>,
    filter: Option<&Filter>,
) -> Vec<VisibleRow> {
    let sorted = sorted(rows);
    let mut parents = parents(&sorted, rows);
    let kept = filter.map(|filter| {
        let fitting = sorted.iter().filter(|row| filter.fits_row(row));
        with_ancestors(fitting.map(|row| &row.dialog), &parents)
    });
    let first = with_ancestors(asking.iter(), &parents);
    let (asking, others): (Vec<&TreeRow>, Vec<&TreeRow>) =
        sorted.into_iter().rev().partition(|row| first.contains(&row.dialog));
    let mut taskdocs: Vec<&str> = Vec::new();
    let mut children: HashMap<TreeNode, Vec<&TreeRow>> = HashMap::new();
    let mut known: HashSet<&str> = HashSet::new();
    for row in asking.into_iter().chain(others) {
        let Some(parent) = parents.remove(&row.dialog) else { continue };
        if kept.as_ref().is_some_and(|kept| !kept.contains(&row.dialog)) {
            continue;
        }
        if matches!(parent, TreeNode::Taskdoc(_)) && known.insert(&row.taskdoc) {
            taskdocs.push(&row.taskdoc);
        }
        children.entry(parent).or_default().push(row);
    }
    let nothing = BTreeSet::new();
    let folded = if filter.is_some() { &nothing } else { folded };
    let mut visible = Vec::with_capacity(rows.len() + taskdocs.len());
    for taskdoc in taskdocs {
        let node = TreeNode::Taskdoc(taskdoc.to_owned());
        push_subtree(node, &children, folded, &mut visible);
    }
    visible
}

/// Returns the dialogs in groups, the newest of each first. The group with the cursor stays even if it is empty.
pub(super) fn by_group(
    rows: &Rows,
    (groups, chosen): (&BTreeMap<DialogId, Group>, Option<Group>),
    folded: &BTreeSet<TreeNode>,
    filter: Option<&Filter>,
) -> Vec<VisibleRow> {
    let fits = |row: &&TreeRow| filter.is_none_or(|filter| filter.fits_row(row));
    let sorted = sorted(rows);
    let mut children: HashMap<TreeNode, Vec<&TreeRow>> = HashMap::new();
    for row in sorted.into_iter().rev().filter(fits) {
        let group = groups.get(&row.dialog).copied().unwrap_or_else(|| Group::of(row));
        children.entry(TreeNode::Group(group)).or_default().push(row);
    }
    let nothing = BTreeSet::new();
    let folded = if filter.is_some() { &nothing } else { folded };
    let mut visible = Vec::with_capacity(rows.len() + Group::ALL.len());
    for group in Group::ALL {
        let node = TreeNode::Group(group);
        if chosen == Some(group) || children.contains_key(&node) {
            push_subtree(node, &children, folded, &mut visible);
        }
    }
    visible
}

/// These dialogs, and all above them.
fn with_ancestors<'a>(
    dialogs: impl Iterator<Item = &'a DialogId>,
    parents: &HashMap<&DialogId, TreeNode>,
) -> HashSet<DialogId> {
    let mut kept: HashSet<DialogId> = HashSet::new();
    for dialog in dialogs {
        let mut at = Some(dialog.clone());
        while let Some(dialog) = at.filter(|dialog| kept.insert(dialog.clone())) {
            at = match parents.get(&dialog) {
                Some(TreeNode::Dialog(above)) => Some(above.clone()),
                Some(TreeNode::Taskdoc(_) | TreeNode::Group(_)) | None => None,
            };
        }
    }
    kept
}

pub(super) fn sorted(rows: &BTreeMap<DialogId, TreeRow>) -> Vec<&TreeRow> {
    let mut sorted: Vec<&TreeRow> = rows.values().collect();
    sorted.sort_by(|a, b| order(a).cmp(&order(b)));
    sorted
}

/// Returns the parent of each row. In a cycle of askers, the oldest becomes a child of the main
/// dialog, so that every row is visible, whatever the shape of the tree.
pub(super) fn parents<'a>(
    sorted: &[&'a TreeRow],
    rows: &BTreeMap<DialogId, TreeRow>,
) -> HashMap<&'a DialogId, TreeNode> {
    let by_id: HashMap<&DialogId, &TreeRow> =
        sorted.iter().map(|row| (&row.dialog, *row)).collect();
    let mut parents: HashMap<&DialogId, TreeNode> =
        sorted.iter().map(|row| (&row.dialog, parent(row, rows))).collect();
    let mut placed: HashSet<&DialogId> = HashSet::new();
    for row in sorted {
        let mut path: Vec<&TreeRow> = Vec::new();
        let mut on_path: HashSet<&DialogId> = HashSet::new();
        let mut at = Some(*row);
        while let Some(one) = at.filter(|one| on_path.insert(&one.dialog)) {
            path.push(one);
            at = match parents.get(&one.dialog) {
                Some(TreeNode::Dialog(above)) if !placed.contains(above) => {
                    by_id.get(above).copied()
                }
                Some(TreeNode::Dialog(_) | TreeNode::Taskdoc(_) | TreeNode::Group(_)) | None => {
                    None
                }
            };
        }
        // The path returned to one of its rows: a cycle.
        let cycle = at.map(|met| path.iter().skip_while(move |one| one.dialog != met.dialog));
        if let Some(oldest) = cycle.and_then(|cycle| cycle.min_by_key(|one| order(one))) {
            parents.insert(&oldest.dialog, fallback_parent(oldest, rows));
        }
        placed.extend(path.iter().map(|one| &one.dialog));
    }
    parents
}

fn fallback_parent(row: &TreeRow, rows: &BTreeMap<DialogId, TreeRow>) -> TreeNode {
    let main = DialogId::main(row.dialog.root.clone());
    if rows.contains_key(&main) {
        TreeNode::Dialog(main)
    } else {
        TreeNode::Taskdoc(row.taskdoc.clone())
    }
}

/// The parent of a row: its asker if known, else its Taskdoc.
fn parent(row: &TreeRow, rows: &BTreeMap<DialogId, TreeRow>) -> TreeNode {
    let asker = row.asker.as_ref().map(|asker| DialogId::side(&row.dialog.root, asker));
    let main = DialogId::main(row.dialog.root.clone());
    asker
        .into_iter()
        .chain([main])
        .find(|above| *above != row.dialog && rows.contains_key(above))
        .map_or_else(|| TreeNode::Taskdoc(row.taskdoc.clone()), TreeNode::Dialog)
}

/// Depth first, without recursion: the depth of a tree is external input.
fn push_subtree(
    from: TreeNode,
    children: &HashMap<TreeNode, Vec<&TreeRow>>,
    folded: &BTreeSet<TreeNode>,
    visible: &mut Vec<VisibleRow>,
) {
    let mut waiting = vec![(from, 0, true)];
    while let Some((node, depth, last)) = waiting.pop() {
        let below = children.get(&node).map_or(&[][..], Vec::as_slice);
        let closed = folded.contains(&node);
        let branch = match (below.is_empty(), closed, last) {
            (false, false, _) => Branch::Open,
            (false, true, _) => Branch::Closed,
            (true, _, false) => Branch::Leaf,
            (true, _, true) => Branch::LastLeaf,
        };
        if branch == Branch::Open {
            let end = below.len().saturating_sub(1);
            for (at, row) in below.iter().enumerate().rev() {
                waiting.push((TreeNode::Dialog(row.dialog.clone()), depth + 1, at == end));
            }
        }
        visible.push(VisibleRow { node, depth, branch });
    }
}
