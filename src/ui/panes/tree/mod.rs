//! Draws the tree of dialogs.

#[cfg(test)]
mod tests;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::strip::{Strip, draw_between};
use crate::action::{Action, Binding, Scope};
use crate::cx::View;
use crate::domain::text::Text;
use crate::model::tree::{Branch, VisibleRow};
use crate::model::{Mark, Tree, TreeNode, age};
use crate::protocol::TreeRow;
use crate::theme::Role;
use crate::words;

pub const NO_DIALOGS: Text = Text::new("no dialogs yet", "还没有对话");
const NOTHING_FITS: Text = Text::new("no dialog fits the filter", "没有对话符合筛选");
const BEGIN: Text = Text::new("to start one", "新建对话");

pub const SCOPE: Scope = Scope::new("tree", "对话列表", &[Scope::PANES, Scope::ANYWHERE]);

pub const BINDINGS: &[Binding] = &[
    SCOPE.bind(Action::Up, &["k", "up"]),
    SCOPE.bind(Action::Down, &["j", "down"]),
    SCOPE.bind(Action::Fold, &["h", "left"]),
    SCOPE.bind(Action::Unfold, &["l", "right"]),
    SCOPE.bind(Action::FoldAll, &["-"]),
    SCOPE.bind(Action::UnfoldAll, &["+", "="]),
    SCOPE.bind(Action::Filter, &["/"]),
    SCOPE
        .bind(Action::PreviousMatch, &["N"])
        .does("In a filtered list, go to the previous row", "列表已筛选时到上一行"),
    SCOPE
        .bind(Action::SwitchOrder, &["o"])
        .does("Group by state, or by Taskdoc again", "按状态分组，或恢复按任务文档"),
    SCOPE.bind(Action::MarkRow, &["space"]),
    SCOPE.bind(Action::Open, &["enter"]),
    SCOPE.bind(Action::Top, &["g", "home"]),
    SCOPE.bind(Action::Bottom, &["G", "end"]),
    SCOPE.bind(Action::ToAsker, &["p"]),
    SCOPE
        .bind(Action::Answer, &["a"])
        .does("Answer the oldest question of this dialog", "回答此对话最早的问题"),
    SCOPE.bind(Action::Stop, &["s"]),
    SCOPE.bind(Action::Continue, &["c"]),
    SCOPE.bind(Action::StopAll, &["S"]),
    SCOPE.bind(Action::ContinueAll, &["C"]),
    SCOPE.bind(Action::RetryNow, &["R"]),
    SCOPE.bind(Action::KeepGoing, &["K"]),
    SCOPE.bind(Action::Refill, &["P"]),
    SCOPE.bind(Action::Retitle, &["E"]),
    SCOPE
        .bind(Action::WriteFile, &["Y"])
        .does("Write this whole dialog to a file, as Markdown", "把整个对话以 Markdown 写入文件"),
    SCOPE.bind(Action::Fork, &["f"]),
    SCOPE.bind(Action::MarkDone, &["d"]).does(
        "Mark this main dialog, or all marked ones, as done",
        "把此主线对话或所有已标记的标为已完成",
    ),
    SCOPE
        .bind(Action::Archive, &["A"])
        .does("Archive this main dialog, or all marked ones", "把此主线对话或所有已标记的归档"),
    SCOPE.bind(Action::DeclareDead, &["X"]),
    SCOPE.bind(Action::Delete, &["D"]),
];

/// Maximum indentation; deeper rows are drawn at this depth.
const MAX_DRAWN_DEPTH: usize = 8;

/// Draws the laid-out rows; the selected one is highlighted, with a bar that is brighter in the focused pane.
pub fn draw(tree: &Tree, view: View<'_>, focused: bool, buffer: &mut Buffer, area: Rect) {
    if tree.is_empty() {
        draw_empty(view, buffer, area);
        return;
    }
    if tree.shown().is_empty() {
        let dim = view.ui.style(Role::TextDim);
        let nothing = Strip::new().put(" ", dim).put(view.ui.text(NOTHING_FITS), dim);
        nothing.draw(buffer, area, area.y);
        return;
    }
    let selected = tree.selected_at();
    for (on_screen, y) in (area.y..area.bottom()).enumerate() {
        let at = tree.row_at(on_screen);
        let Some((at, row)) = at.and_then(|at| Some((at, tree.shown().get(at)?))) else {
            continue;
        };
        let chosen = at == selected;
        let top_level = row.depth == 0;
        let indent = u16::from(chosen || !top_level);
        let width = area.width.saturating_sub(1 + indent);
        let (left, right) = row_strips(tree, row, view, usize::from(width));
        if chosen {
            buffer.set_style(Rect { y, height: 1, ..area }, view.ui.style(Role::RowSelected));
        }
        let bar = Strip::new().put(
            if chosen { view.ui.glyphs.selected } else { " " },
            view.ui.style(if focused { Role::Accent } else { Role::TextDim }),
        );
        bar.draw(buffer, Rect { width: indent, ..area }, y);
        let rest = Rect { x: area.x + indent, width, ..area };
        let left = if top_level && !chosen { left.spaced() } else { left };
        draw_between(buffer, rest, y, (&left, &right), view.ui.glyphs.cut);
    }
}

fn draw_empty(view: View<'_>, buffer: &mut Buffer, area: Rect) {
    let dim = view.ui.style(Role::TextDim);
    let key = view.ui.key(SCOPE, Action::NewDialog);
    let lines = [view.ui.text(NO_DIALOGS).to_owned(), format!("{key}  {}", view.ui.text(BEGIN))];
    for (y, line) in (area.y..).zip(lines) {
        Strip::new().put(" ", dim).put(&line, dim).draw(buffer, area, y);
    }
}

fn row_strips(tree: &Tree, row: &VisibleRow, view: View<'_>, cells: usize) -> (Strip, Strip) {
    match &row.node {
        TreeNode::Taskdoc(path) => {
            let inside = tree.all().filter(|dialog| dialog.taskdoc == *path);
            heading_row((tree, path), row, view, inside)
        }
        TreeNode::Group(group) => {
            let inside = tree.all().filter(|dialog| tree.group_of(dialog) == Some(*group));
            heading_row((tree, view.ui.text(group.name())), row, view, inside)
        }
        TreeNode::Dialog(dialog) => tree
            .get(dialog)
            .map_or_else(Default::default, |found| dialog_row((tree, found), row, view, cells)),
    }
}

/// Returns the row of a Taskdoc or a group; a closed one with a summary of its content.
fn heading_row<'a>(
    (tree, name): (&Tree, &str),
    row: &VisibleRow,
    view: View<'_>,
    inside: impl Iterator<Item = &'a TreeRow>,
) -> (Strip, Strip) {
    let ui = view.ui;
    let symbol = if row.branch == Branch::Open { ui.glyphs.open } else { ui.glyphs.closed };
    let left =
        Strip::new().put(symbol, ui.style(Role::TextDim)).put(name, ui.style(Role::TextStrong));
    if row.branch == Branch::Open {
        return (left, Strip::new());
    }
    let inside: Vec<&TreeRow> = inside.collect();
    let newest = inside.iter().map(|dialog| &dialog.last_modified).max();
    let asks = inside.iter().map(|dialog| dialog.questions).sum::<usize>();
    let mut right = Strip::new();
    if asks > 0 {
        let count = format!("{} {asks}  ", ui.glyphs.needs_you);
        right.push(&count, ui.style(Role::Attention));
    }
    // Several dialogs may have changed the same file: their numbers make no sum.
    if inside.iter().any(|dialog| dialog.unreviewed > 0) {
        right.push(&format!("{} ", ui.glyphs.changed), ui.style(Role::Text));
    }
    if inside.iter().any(|dialog| tree.is_unread(dialog)) {
        right.push(&format!("{} ", ui.glyphs.unread), ui.style(Role::Accent));
    }
    let age = newest.map(|then| age::short(then, view.now)).unwrap_or_default();
    right.push(&age, ui.style(Role::TextDim));
    (left, right)
}

fn dialog_row(
    (tree, dialog): (&Tree, &TreeRow),
    row: &VisibleRow,
    view: View<'_>,
    cells: usize,
) -> (Strip, Strip) {
    let ui = view.ui;
    let dim = ui.style(Role::TextDim);
    let mark = Mark::of(dialog);
    let marked = tree.marked().contains(&dialog.dialog.root) && dialog.dialog.is_main();
    let mark_glyph = if marked { ui.glyphs.marked } else { " " };
    let mut left = Strip::new().put(mark_glyph, ui.style(Role::Attention));
    for _ in 1..row.depth.min(MAX_DRAWN_DEPTH) {
        left.push(&format!("{} ", ui.glyphs.tree_pass), dim);
    }
    let symbol = match (row.branch, row.depth) {
        (Branch::Open, _) => ui.glyphs.open,
        (Branch::Closed, _) => ui.glyphs.closed,
        (Branch::Leaf | Branch::LastLeaf, ..=1) => " ",
        (Branch::Leaf, _) => ui.glyphs.tree_branch,
        (Branch::LastLeaf, _) => ui.glyphs.tree_last,
    };
    left.push(&format!("{symbol} "), dim);
    left.push(mark.glyph(&ui.glyphs), ui.style(mark.role()));
    left.push(&format!(" @{}", dialog.agent), ui.style(name_role(mark)));
    if let Some(slug) = &dialog.slug {
        left.push(&format!(" !{slug}"), dim);
    }
    if dialog.reasoning.is_some() {
        left.push(&format!(" {}", ui.text(words::FRESH_BOOTS)), dim);
    }
    let right = badges(tree, dialog, view).put(&age::short(&dialog.last_modified, view.now), dim);
    let room = cells.saturating_sub(right.width() + 2);
    let title = ui.about(&dialog.title, dialog.foreign());
    (left.titled(&title, ui.style(title_role(mark)), room), right)
}

/// More files than this are not counted on the screen.
const MAX_COUNTED: usize = 99;

/// The number of open questions if it is not one, files to review, and the sign for something new.
fn badges(tree: &Tree, dialog: &TreeRow, view: View<'_>) -> Strip {
    let ui = view.ui;
    let mut badges = Strip::new();
    if dialog.questions > 1 {
        let count = format!("{}{} ", ui.glyphs.needs_you, dialog.questions);
        badges.push(&count, ui.style(Role::Attention));
    }
    if dialog.unreviewed > 0 {
        let more = if dialog.unreviewed > MAX_COUNTED { "+" } else { "" };
        let count = dialog.unreviewed.min(MAX_COUNTED);
        badges.push(&format!("{}{count}{more} ", ui.glyphs.changed), ui.style(Role::Text));
    }
    if tree.is_unread(dialog) {
        badges.push(&format!("{} ", ui.glyphs.unread), ui.style(Role::Accent));
    }
    badges
}

fn title_role(mark: Mark) -> Role {
    match mark {
        Mark::Dead | Mark::Done => Role::TextDim,
        Mark::Running
        | Mark::Retrying
        | Mark::Stopping
        | Mark::NeedsYou
        | Mark::Stopped
        | Mark::Waiting
        | Mark::Idle => Role::Text,
    }
}

fn name_role(mark: Mark) -> Role {
    match mark {
        Mark::Running | Mark::Retrying | Mark::Stopping | Mark::NeedsYou | Mark::Stopped => {
            Role::TextStrong
        }
        Mark::Waiting | Mark::Idle | Mark::Done => Role::Text,
        Mark::Dead => Role::TextDim,
    }
}
