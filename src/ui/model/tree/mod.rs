//! The dialogs as a tree: Taskdocs, their main dialogs, and side dialogs below their askers; or in groups by
//! state.
//!
//! The newest rows are first, by creation, never by activity. By Taskdoc, what asks the person comes before them, but
//! questions change the order only while the keys go elsewhere. A dialog whose state changes moves to its group at
//! once; while the tree has the focus, the one under the cursor does so when the cursor leaves it. The flat list that
//! is drawn is rebuilt only when a row is added, removed, folded, regrouped or put first; then the selected row keeps
//! its position on the screen. Where too few rows are left above or below it for that, rows stay blank until the user
//! moves (`KeptPlace`).

pub mod groups;
mod rows;
mod unread;

use std::collections::{BTreeMap, BTreeSet};

use self::groups::Group;
use self::rows::{order, parents, sorted};
use self::unread::SeenProgress;
use super::filter::{Filter, FittingRow};
use super::mark::Mark;
use crate::domain::teams::task::TaskStatus;
use crate::domain::teams::task::row::TaskRow;
use crate::domain::{DialogId, RootId};
use crate::protocol::TreeRow;

/// The subject of a row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TreeNode {
    Taskdoc(String),
    Group(Group),
    Dialog(DialogId),
}

impl TreeNode {
    fn group(&self) -> Option<Group> {
        match self {
            Self::Group(group) => Some(*group),
            Self::Taskdoc(_) | Self::Dialog(_) => None,
        }
    }
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
    /// 0 for a Taskdoc or a group, 1 for a main dialog, more for side dialogs.
    pub depth: usize,
    pub branch: Branch,
}

/// The numbers of dialogs by state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StateCounts {
    pub running: usize,
    pub retrying: usize,
    pub waiting: usize,
    pub stopped: usize,
}

/// How the selected row keeps its position on the screen while others move to other groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum KeptPlace {
    /// The rows fill the screen.
    #[default]
    Filled,
    /// Rows changed their group since the user moved: this many stay blank above the first one, any below the last.
    Kept { blank_above: usize },
}

#[derive(Debug, Default)]
pub struct Tree {
    rows: BTreeMap<DialogId, TreeRow>,
    folded: BTreeSet<TreeNode>,
    filter: Option<Filter>,
    /// The group of each dialog while the tree is grouped by state.
    groups: Option<BTreeMap<DialogId, Group>>,
    /// The dialogs that ask the person, as of the order of the rows.
    asking: BTreeSet<DialogId>,
    /// The node under the cursor that moves or disappears once the cursor leaves it.
    held_back: Option<TreeNode>,
    kept: KeptPlace,
    /// The keys go elsewhere: no place is kept for the cursor.
    is_left: bool,
    /// Main dialogs that are marked for an action on several.
    marked: BTreeSet<RootId>,
    seen: SeenProgress,
    visible: Vec<VisibleRow>,
    /// Dialogs that the filter fits, when the rows were made.
    fitting: usize,
    stale: bool,
    selected: usize,
    top: usize,
    counts: Option<StateCounts>,
}

impl Tree {
    pub fn set(&mut self, rows: Vec<TreeRow>) {
        let may_reorder = self.is_left || self.rows.is_empty();
        self.rows = rows.into_iter().map(|row| (row.dialog.clone(), row)).collect();
        self.seen.listed(self.rows.values());
        let rows = &self.rows;
        self.marked.retain(|root| rows.contains_key(&DialogId::main(root.clone())));
        if may_reorder {
            self.put_asking_first();
        }
        self.regroup_others();
        self.changed();
    }

    /// Adds or updates one row.
    pub fn put(&mut self, row: TreeRow) {
        self.counts = None;
        let place =
            |row: &TreeRow| (row.asker.clone(), row.taskdoc.clone(), row.created_at.clone());
        self.put_into_group(&row);
        let fits = |row: &TreeRow| self.filter.as_ref().is_none_or(|filter| filter.fits_row(row));
        let refiltered = self.rows.get(&row.dialog).is_some_and(|old| fits(old) != fits(&row));
        self.stale |= refiltered;
        let moved = self.rows.get(&row.dialog).is_none_or(|old| place(old) != place(&row));
        let changes = asks(&row) != self.asking.contains(&row.dialog);
        self.rows.insert(row.dialog.clone(), row);
        if changes && self.is_left {
            self.put_asking_first();
        }
        if moved {
            self.keep_place();
        }
    }

    /// Orders the rows by who asks the person now.
    fn put_asking_first(&mut self) {
        let asking = self.rows.values().filter(|row| asks(row));
        let asking: BTreeSet<DialogId> = asking.map(|row| row.dialog.clone()).collect();
        self.stale |= asking != self.asking;
        self.asking = asking;
    }

    /// Puts a dialog into the group of its state, unless the cursor is on it.
    fn put_into_group(&mut self, row: &TreeRow) {
        let Some(groups) = &mut self.groups else { return };
        let (before, group) = (groups.get(&row.dialog).copied(), Group::of(row));
        if before == Some(group) {
            return;
        }
        let node = TreeNode::Dialog(row.dialog.clone());
        let chosen = self.visible.get(self.selected).filter(|_| !self.is_left);
        let is_chosen = chosen.is_some_and(|chosen| chosen.node == node);
        if before.is_some() && is_chosen {
            self.held_back = Some(node);
            return;
        }
        groups.insert(row.dialog.clone(), group);
        self.keep_place();
    }

    /// Moves the node that the cursor has left to its group.
    fn regroup_left(&mut self) {
        let chosen = self.visible.get(self.selected).map(|row| &row.node);
        let Some(left) = self.held_back.take_if(|held| chosen != Some(held)) else { return };
        if let TreeNode::Dialog(dialog) = &left
            && let (Some(groups), Some(row)) = (&mut self.groups, self.rows.get(dialog))
        {
            groups.insert(dialog.clone(), Group::of(row));
        }
        self.keep_place();
    }

    /// Puts all dialogs into the groups of their states, except the one with the cursor.
    fn regroup_others(&mut self) {
        let Some(groups) = &mut self.groups else { return };
        let chosen = self.visible.get(self.selected).filter(|_| !self.is_left);
        let chosen = chosen.map(|row| &row.node);
        let before = std::mem::take(groups);
        for (dialog, row) in &self.rows {
            let group = Group::of(row);
            let held = before.get(dialog).copied().filter(|before| *before != group);
            let node = held.map(|_| TreeNode::Dialog(dialog.clone()));
            let is_held = node.is_some() && chosen == node.as_ref();
            groups.insert(dialog.clone(), held.filter(|_| is_held).unwrap_or(group));
            self.held_back = node.filter(|_| is_held).or_else(|| self.held_back.take());
        }
        self.keep_place();
    }

    /// The rows change by themselves: the selected one stays where it is on the screen.
    fn keep_place(&mut self) {
        self.stale = true;
        if self.kept == KeptPlace::Filled && !self.is_left {
            self.kept = KeptPlace::Kept { blank_above: 0 };
        }
    }

    /// The user moves: no row stays blank.
    fn fill(&mut self) {
        self.kept = KeptPlace::Filled;
    }

    /// Removes a dialog; a main dialog is removed with its whole tree.
    pub fn remove(&mut self, removed: &DialogId) {
        if removed.is_main() {
            self.rows.retain(|dialog, _| dialog.root != removed.root);
            self.marked.remove(&removed.root);
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

    /// Returns the rows as of the last [`Tree::refresh`].
    pub fn shown(&self) -> &[VisibleRow] {
        &self.visible
    }

    /// The first row in view, as the last [`Tree::top`] returned it.
    pub fn shown_from(&self) -> usize {
        self.top
    }

    /// Returns how many rows are blank above the first one.
    pub fn blank_above(&self) -> usize {
        match self.kept {
            KeptPlace::Filled => 0,
            KeptPlace::Kept { blank_above } => blank_above,
        }
    }

    /// The row that is drawn in this row of the screen.
    pub fn row_at(&self, on_screen: usize) -> Option<usize> {
        let at = self.top + on_screen.checked_sub(self.blank_above())?;
        (at < self.visible.len()).then_some(at)
    }

    /// The selected dialog among the rows of [`Tree::shown`].
    pub fn shown_selection(&self) -> Option<&DialogId> {
        match &self.visible.get(self.selected)?.node {
            TreeNode::Dialog(dialog) => Some(dialog),
            TreeNode::Taskdoc(_) | TreeNode::Group(_) => None,
        }
    }

    pub fn counts(&mut self) -> StateCounts {
        let rows = &self.rows;
        *self.counts.get_or_insert_with(|| count(rows.values()))
    }

    pub fn any_running(&self) -> bool {
        let mut marks = self.rows.values().map(Mark::of);
        marks.any(|mark| matches!(mark, Mark::Running | Mark::Retrying | Mark::Stopping))
    }

    /// True if the task runs, and a dialog of it retries.
    pub fn retries(&self, task: &TaskRow) -> bool {
        let retries = |row: &TreeRow| Mark::of(row) == Mark::Retrying;
        let is_of_task = |row: &&TreeRow| Some(&row.dialog.root) == task.dialog.as_ref();
        task.status == TaskStatus::Running && self.rows.values().filter(is_of_task).any(retries)
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
            TreeNode::Taskdoc(_) | TreeNode::Group(_) => None,
        }
    }

    /// Moves the selection by rows, down for positive numbers.
    pub fn step(&mut self, rows: isize) {
        self.refresh();
        self.fill();
        let last = self.visible.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(rows).min(last);
    }

    /// Selects a row that is in view, and moves none.
    pub fn point_at(&mut self, row: usize) {
        self.selected = row.min(self.visible.len().saturating_sub(1));
    }

    /// Selects a dialog and unfolds its ancestors. A filter that hides it ends.
    pub fn select(&mut self, dialog: &DialogId) {
        self.fill();
        if self.rows.get(dialog).is_some_and(|row| self.is_hidden(row)) {
            self.set_filter(None);
        }
        if let Some(groups) = &self.groups {
            let group = groups.get(dialog).copied();
            self.stale |= group.is_some_and(|group| self.folded.remove(&TreeNode::Group(group)));
        }
        let mut above = parents(&sorted(&self.rows), &self.rows);
        let mut at = above.remove(dialog);
        while let Some(node) = at {
            self.stale |= self.folded.remove(&node);
            at = match &node {
                TreeNode::Dialog(dialog) => above.remove(dialog),
                TreeNode::Taskdoc(_) | TreeNode::Group(_) => None,
            };
        }
        self.refresh();
        self.select_node(&TreeNode::Dialog(dialog.clone()));
    }

    /// Folds the selected row, or selects its parent.
    pub fn fold(&mut self) {
        self.fill();
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
        self.fill();
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

    /// Folds every row that has children.
    pub fn fold_all(&mut self) {
        self.fill();
        self.refresh();
        let top = self.visible.get(..=self.selected).unwrap_or_default();
        let above = top.iter().rev().find(|row| row.depth == 0).map(|row| row.node.clone());
        let open = self.visible.iter().filter(|row| row.branch == Branch::Open);
        self.folded.extend(open.map(|row| row.node.clone()));
        self.stale = true;
        self.refresh();
        if let Some(node) = above {
            self.select_node(&node);
        }
    }

    pub fn unfold_all(&mut self) {
        self.fill();
        self.stale |= !std::mem::take(&mut self.folded).is_empty();
    }

    pub fn filter(&self) -> Option<&Filter> {
        self.filter.as_ref()
    }

    /// Filters the rows, or shows all. If the selected row is hidden, the first one that fits is selected.
    pub fn set_filter(&mut self, filter: Option<Filter>) {
        self.fill();
        let chosen = self.selected().cloned();
        self.filter = filter;
        self.stale = true;
        self.refresh();
        let stays = chosen.is_some_and(|node| self.visible.iter().any(|row| row.node == node));
        if stays && self.shown_selection().is_some_and(|dialog| self.fits(dialog)) {
            return;
        }
        let first = self.filter.as_ref().and_then(|_| self.fitting_rows().first().copied());
        self.selected = first.unwrap_or(self.selected);
    }

    /// Selects the next dialog that fits the filter, or the previous one; at the end it wraps around.
    pub fn step_fitting(&mut self, back: bool) -> Option<FittingRow> {
        self.refresh();
        self.fill();
        let found = FittingRow::beside(self.selected, &self.fitting_rows(), back)?;
        self.selected = found.row;
        Some(found)
    }

    /// Returns the rows of the dialogs that fit the filter, without those shown only for their children.
    fn fitting_rows(&self) -> Vec<usize> {
        let fits = |row: &VisibleRow| match &row.node {
            TreeNode::Dialog(dialog) => self.fits(dialog),
            TreeNode::Taskdoc(_) | TreeNode::Group(_) => false,
        };
        let rows = self.visible.iter().enumerate().filter(|(_, row)| fits(row));
        rows.map(|(at, _)| at).collect()
    }

    /// The dialogs that the filter fits.
    pub fn fitting(&self) -> usize {
        self.fitting
    }

    fn fits(&self, dialog: &DialogId) -> bool {
        self.rows.get(dialog).is_some_and(|row| !self.is_hidden(row))
    }

    fn is_hidden(&self, row: &TreeRow) -> bool {
        self.filter.as_ref().is_some_and(|filter| !filter.fits_row(row))
    }

    /// The group a dialog is shown in.
    pub fn group_of(&self, row: &TreeRow) -> Option<Group> {
        let groups = self.groups.as_ref()?;
        Some(groups.get(&row.dialog).copied().unwrap_or_else(|| Group::of(row)))
    }

    pub fn is_grouped(&self) -> bool {
        self.groups.is_some()
    }

    /// Groups by state, or by Taskdoc again.
    pub fn toggle_groups(&mut self) {
        self.fill();
        self.groups = if self.groups.is_some() { None } else { Some(BTreeMap::new()) };
        self.regroup();
        let node = self.shown_selection().cloned().map(TreeNode::Dialog);
        self.stale = true;
        self.refresh();
        if let Some(node) = node {
            self.select_node(&node);
        }
    }

    /// The user turns to the tree, or leaves it.
    pub fn set_focused(&mut self, is_focused: bool) {
        self.is_left = !is_focused;
        self.regroup();
    }

    /// Puts each dialog where its state belongs, also the one with the cursor.
    fn regroup(&mut self) {
        self.fill();
        self.put_asking_first();
        self.held_back = None;
        if let Some(groups) = &mut self.groups {
            *groups =
                self.rows.iter().map(|(dialog, row)| (dialog.clone(), Group::of(row))).collect();
            self.stale = true;
        }
    }

    /// Marks a main dialog for an action on several, or removes its mark.
    pub fn toggle_mark(&mut self, root: &RootId) {
        if !self.marked.remove(root) {
            self.marked.insert(root.clone());
        }
    }

    pub fn clear_marks(&mut self) {
        self.marked.clear();
    }

    /// The marked main dialogs.
    pub fn marked(&self) -> &BTreeSet<RootId> {
        &self.marked
    }

    /// Notes that the user looks at this dialog: its records so far are no longer new.
    pub fn look_at(&mut self, dialog: &DialogId) {
        if let Some(row) = self.rows.get(dialog) {
            self.seen.look_at(row);
        }
    }

    /// Restores the user's looks from the end of the last run.
    pub fn restore_looks(&mut self, text: &str) {
        self.seen.restore(text);
    }

    /// True if the user has looked at something since [`Self::take_looks`].
    pub fn has_new_looks(&self) -> bool {
        self.seen.has_changed()
    }

    /// Takes the user's looks as text to be stored.
    pub fn take_looks(&mut self) -> String {
        self.seen.take_text()
    }

    /// True if something happened in it since the user looked at it.
    pub fn is_unread(&self, row: &TreeRow) -> bool {
        self.seen.is_unread(row)
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
        match &mut self.kept {
            KeptPlace::Filled => self.top = self.top.min(last),
            KeptPlace::Kept { blank_above } => {
                let room = height.saturating_sub(1).saturating_sub(self.selected);
                *blank_above = (*blank_above).min(room);
            }
        }
        self.top = self.top.clamp(lowest, self.selected.max(lowest));
        self.top
    }

    /// Dialogs that wait for the user or have stopped, the oldest first.
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
        self.regroup_left();
        if !std::mem::take(&mut self.stale) {
            return;
        }
        let chosen = self.visible.get(self.selected).map(|row| row.node.clone());
        let on_screen = self.selected.saturating_sub(self.top) + self.blank_above();
        let filter = self.filter.as_ref();
        self.visible = match &self.groups {
            Some(groups) => {
                let chosen = chosen.as_ref().filter(|_| !self.is_left).and_then(TreeNode::group);
                rows::by_group(&self.rows, (groups, chosen), &self.folded, filter)
            }
            None => rows::by_taskdoc(&self.rows, &self.asking, &self.folded, filter),
        };
        self.fitting = match filter {
            Some(filter) => self.rows.values().filter(|row| filter.fits_row(row)).count(),
            None => self.rows.len(),
        };
        self.selected = self.selected.min(self.visible.len().saturating_sub(1));
        if let Some(node) = chosen {
            self.select_node(&node);
        }
        // A view of the beginning goes on showing it.
        if !self.is_left || self.top > 0 {
            self.top = self.selected.saturating_sub(on_screen);
        }
        if let KeptPlace::Kept { blank_above } = &mut self.kept {
            *blank_above = on_screen.saturating_sub(self.selected);
        }
        // An empty group has a heading only while the cursor is on it.
        let chosen = self.visible.get(self.selected);
        let is_empty =
            |row: &&VisibleRow| row.node.group().is_some() && row.branch == Branch::LastLeaf;
        if let Some(empty) = chosen.filter(is_empty) {
            self.held_back = Some(empty.node.clone());
        }
    }

    fn select_node(&mut self, node: &TreeNode) {
        if let Some(at) = self.visible.iter().position(|row| row.node == *node) {
            self.selected = at;
        }
    }
}

fn asks(row: &TreeRow) -> bool {
    Mark::of(row) == Mark::NeedsYou
}

fn count<'a>(rows: impl Iterator<Item = &'a TreeRow>) -> StateCounts {
    let mut counts = StateCounts::default();
    for row in rows {
        match Mark::of(row) {
            Mark::Running | Mark::Stopping => counts.running += 1,
            Mark::Retrying => counts.retrying += 1,
            Mark::Waiting => counts.waiting += 1,
            Mark::Stopped => counts.stopped += 1,
            Mark::NeedsYou | Mark::Idle | Mark::Done | Mark::Dead => {}
        }
    }
    counts
}

#[cfg(test)]
mod tests;
