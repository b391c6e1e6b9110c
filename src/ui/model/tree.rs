//! The dialogs as a tree: Taskdocs, their main dialogs, and side dialogs below their askers.
//!
//! Rows are ordered by creation, never by activity. The flat list that is drawn is rebuilt only when a
//! row is added, removed or folded; then the selected row keeps its position on the screen.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::mark::Mark;
use crate::domain::{DialogId, Stamp};
use crate::protocol::TreeRow;

/// What a row represents.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TreeNode {
    Taskdoc(String),
    Dialog(DialogId),
}

/// The symbol before a row's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Branch {
    Open,
    Closed,
    /// No children; siblings follow.
    Leaf,
    LastLeaf,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisibleRow {
    pub node: TreeNode,
    /// 0 for a Taskdoc, 1 for a main dialog, more for side dialogs.
    pub depth: usize,
    pub branch: Branch,
}

/// How many dialogs are in which state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StateCounts {
    pub running: usize,
    pub waiting: usize,
    pub stopped: usize,
}

#[derive(Debug, Default)]
pub struct Tree {
    rows: BTreeMap<DialogId, TreeRow>,
    folded: BTreeSet<TreeNode>,
    visible: Vec<VisibleRow>,
    stale: bool,
    selected: usize,
    top: usize,
    counts: Option<StateCounts>,
}

impl Tree {
    pub fn set(&mut self, rows: Vec<TreeRow>) {
        self.rows = rows.into_iter().map(|row| (row.dialog.clone(), row)).collect();
        self.changed();
    }

    /// Adds or updates one row.
    pub fn put(&mut self, row: TreeRow) {
        self.counts = None;
        let place =
            |row: &TreeRow| (row.asker.clone(), row.taskdoc.clone(), row.created_at.clone());
        let moved = self.rows.get(&row.dialog).is_none_or(|old| place(old) != place(&row));
        self.rows.insert(row.dialog.clone(), row);
        self.stale |= moved;
    }

    /// Removes a dialog; a main dialog is removed with its whole tree.
    pub fn remove(&mut self, removed: &DialogId) {
        if removed.is_main() {
            self.rows.retain(|dialog, _| dialog.root != removed.root);
        } else {
            self.rows.remove(removed);
        }
        self.changed();
    }

    pub fn get(&self, dialog: &DialogId) -> Option<&TreeRow> {
        self.rows.get(dialog)
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn all(&self) -> impl Iterator<Item = &TreeRow> {
        self.rows.values()
    }

    /// The rows to draw, up to date.
    pub fn visible(&mut self) -> &[VisibleRow] {
        self.refresh();
        &self.visible
    }

    /// The rows as they were after the last [`Tree::refresh`].
    pub fn shown(&self) -> &[VisibleRow] {
        &self.visible
    }

    /// The first row in view, as the last [`Tree::top`] returned it.
    pub fn shown_from(&self) -> usize {
        self.top
    }

    /// The selected dialog among the rows of [`Tree::shown`].
    pub fn shown_selection(&self) -> Option<&DialogId> {
        match &self.visible.get(self.selected)?.node {
            TreeNode::Dialog(dialog) => Some(dialog),
            TreeNode::Taskdoc(_) => None,
        }
    }

    pub fn counts(&mut self) -> StateCounts {
        let rows = &self.rows;
        *self.counts.get_or_insert_with(|| count(rows.values()))
    }

    pub fn any_running(&self) -> bool {
        self.rows.values().map(Mark::of).any(|mark| matches!(mark, Mark::Running | Mark::Stopping))
    }

    pub fn selected_at(&self) -> usize {
        self.selected
    }

    pub fn selected(&mut self) -> Option<&TreeNode> {
        self.refresh();
        self.visible.get(self.selected).map(|row| &row.node)
    }

    pub fn selected_dialog(&mut self) -> Option<DialogId> {
        match self.selected()? {
            TreeNode::Dialog(dialog) => Some(dialog.clone()),
            TreeNode::Taskdoc(_) => None,
        }
    }

    /// Moves the selection by rows, down for positive numbers.
    pub fn step(&mut self, rows: isize) {
        self.refresh();
        let last = self.visible.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(rows).min(last);
    }

    /// Selects a dialog and unfolds its ancestors.
    pub fn select(&mut self, dialog: &DialogId) {
        let mut above = parents(&sorted(&self.rows), &self.rows);
        let mut at = above.remove(dialog);
        while let Some(node) = at {
            self.stale |= self.folded.remove(&node);
            at = match &node {
                TreeNode::Dialog(dialog) => above.remove(dialog),
                TreeNode::Taskdoc(_) => None,
            };
        }
        self.refresh();
        self.select_node(&TreeNode::Dialog(dialog.clone()));
    }

    /// Folds the selected row, or selects its parent.
    pub fn fold(&mut self) {
        self.refresh();
        let Some(row) = self.visible.get(self.selected).cloned() else {
            return;
        };
        if row.branch == Branch::Open {
            self.folded.insert(row.node);
            self.stale = true;
            return;
        }
        let above = self.visible.get(..self.selected).unwrap_or_default();
        if let Some(at) = above.iter().rposition(|other| other.depth < row.depth) {
            self.selected = at;
        }
    }

    /// Unfolds the selected row, or selects its first child.
    pub fn unfold(&mut self) {
        self.refresh();
        let Some(row) = self.visible.get(self.selected).cloned() else {
            return;
        };
        match row.branch {
            Branch::Closed => {
                self.folded.remove(&row.node);
                self.stale = true;
            }
            Branch::Open => self.step(1),
            Branch::Leaf | Branch::LastLeaf => {}
        }
    }

    pub fn toggle(&mut self) {
        self.refresh();
        let branch = self.visible.get(self.selected).map(|row| row.branch);
        if branch == Some(Branch::Open) { self.fold() } else { self.unfold() }
    }

    /// The first row to draw in `height` rows, with the selected one in view.
    pub fn top(&mut self, height: usize) -> usize {
        self.refresh();
        let lowest = self.selected.saturating_sub(height.saturating_sub(1));
        let last = self.visible.len().saturating_sub(height);
        self.top = self.top.min(last).clamp(lowest, self.selected.max(lowest));
        self.top
    }

    /// Dialogs that wait for the user or have stopped, in the order of the tree.
    pub fn needing_attention(&self) -> Vec<DialogId> {
        let needs = |row: &&TreeRow| matches!(Mark::of(row), Mark::NeedsYou | Mark::Stopped);
        let mut found: Vec<&TreeRow> = self.rows.values().filter(needs).collect();
        found.sort_by(|a, b| order(a).cmp(&order(b)));
        found.into_iter().map(|row| row.dialog.clone()).collect()
    }

    fn changed(&mut self) {
        self.stale = true;
        self.counts = None;
    }

    /// Brings the rows up to date.
    pub fn refresh(&mut self) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        let chosen = self.visible.get(self.selected).map(|row| row.node.clone());
        let on_screen = self.selected.saturating_sub(self.top);
        self.visible = flatten(&self.rows, &self.folded);
        self.selected = self.selected.min(self.visible.len().saturating_sub(1));
        if let Some(node) = chosen {
            self.select_node(&node);
        }
        self.top = self.selected.saturating_sub(on_screen);
    }

    fn select_node(&mut self, node: &TreeNode) {
        if let Some(at) = self.visible.iter().position(|row| row.node == *node) {
            self.selected = at;
        }
    }
}

fn count<'a>(rows: impl Iterator<Item = &'a TreeRow>) -> StateCounts {
    let mut counts = StateCounts::default();
    for row in rows {
        match Mark::of(row) {
            Mark::Running | Mark::Stopping => counts.running += 1,
            Mark::Waiting => counts.waiting += 1,
            Mark::Stopped => counts.stopped += 1,
            Mark::NeedsYou | Mark::Idle | Mark::Done | Mark::Dead => {}
        }
    }
    counts
}

/// Rows are ordered by the creation of their dialogs.
fn order(row: &TreeRow) -> (&Stamp, &str, &DialogId) {
    (&row.created_at, row.dialog.this.creation(), &row.dialog)
}

/// The visible rows, from top to bottom.
fn flatten(rows: &BTreeMap<DialogId, TreeRow>, folded: &BTreeSet<TreeNode>) -> Vec<VisibleRow> {
    let sorted = sorted(rows);
    let mut parents = parents(&sorted, rows);
    let mut taskdocs: Vec<&str> = Vec::new();
    let mut children: HashMap<TreeNode, Vec<&TreeRow>> = HashMap::new();
    let mut known: HashSet<&str> = HashSet::new();
    for row in sorted {
        let Some(parent) = parents.remove(&row.dialog) else { continue };
        if matches!(parent, TreeNode::Taskdoc(_)) && known.insert(&row.taskdoc) {
            taskdocs.push(&row.taskdoc);
        }
        children.entry(parent).or_default().push(row);
    }
    let mut visible = Vec::with_capacity(rows.len() + taskdocs.len());
    for taskdoc in taskdocs {
        let node = TreeNode::Taskdoc(taskdoc.to_owned());
        push_subtree(node, &children, folded, &mut visible);
    }
    visible
}

fn sorted(rows: &BTreeMap<DialogId, TreeRow>) -> Vec<&TreeRow> {
    let mut sorted: Vec<&TreeRow> = rows.values().collect();
    sorted.sort_by(|a, b| order(a).cmp(&order(b)));
    sorted
}

/// The parent of each row. In a cycle of askers, the oldest becomes a child of the main dialog: every
/// row is visible, whatever the shape of the tree.
fn parents<'a>(
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
                Some(TreeNode::Dialog(_) | TreeNode::Taskdoc(_)) | None => None,
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
            let newest = below.len().saturating_sub(1);
            for (at, row) in below.iter().enumerate().rev() {
                waiting.push((TreeNode::Dialog(row.dialog.clone()), depth + 1, at == newest));
            }
        }
        visible.push(VisibleRow { node, depth, branch });
    }
}

#[cfg(test)]
mod tests;
