//! Draws the tree of dialogs.

#[cfg(test)]
mod tests;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::member;
use super::scroll_sign::ShownRows;
use super::strip::{Strip, beside_title, draw_between};
use crate::action::{Action, Binding, Scope};
use crate::cx::{UiSettings, View};
use crate::domain::DialogId;
use crate::domain::text::Text;
use crate::model::tree::{Branch, VisibleRow};
use crate::model::{Mark, Tree, TreeNode, age};
use crate::protocol::{TreeRow, WorkspaceView};
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

/// The dialogs, and the members they are led by.
type Known<'a> = (&'a Tree, &'a WorkspaceView);

/// The rows in view.
pub fn shown_rows(tree: &Tree, area: Rect) -> ShownRows {
    let height = usize::from(area.height).saturating_sub(tree.blank_above());
    ShownRows { top: tree.shown_from(), height, rows: tree.shown().len() }
}

/// Draws the laid-out rows; the selected one is highlighted, with a bar that is brighter in the focused pane.
pub fn draw(known: Known<'_>, view: View<'_>, focused: bool, buffer: &mut Buffer, area: Rect) {
    let (tree, _) = known;
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
        let width = area.width.saturating_sub(indent);
        let (left, right) = row_strips(known, row, view, usize::from(width.saturating_sub(1)));
        if chosen {
            buffer.set_style(Rect { y, height: 1, ..area }, view.ui.style(Role::RowSelected));
        }
        let bar = Strip::new().put(
            if chosen { view.ui.glyphs.selected } else { " " },
            view.ui.style(if focused { Role::Accent } else { Role::TextDim }),
        );
        bar.draw(buffer, Rect { width: indent, ..area }, y);
        // A title alone may take the cell before the edge, too.
        let width = width.saturating_sub(u16::from(!right.is_empty()));
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

fn row_strips(known: Known<'_>, row: &VisibleRow, view: View<'_>, cells: usize) -> (Strip, Strip) {
    let (tree, _) = known;
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
            .map_or_else(Default::default, |found| dialog_row(known, found, row, view, cells)),
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

/// The title of a dialog, and beside it as far as there is room who leads it and how old its last change is.
fn dialog_row(
    known: Known<'_>,
    dialog: &TreeRow,
    row: &VisibleRow,
    view: View<'_>,
    cells: usize,
) -> (Strip, Strip) {
    let (ui, (tree, workspace)) = (view.ui, known);
    let mark = Mark::of(dialog);
    let mut left = branch(row, ui).put(mark.glyph(&ui.glyphs), ui.style(mark.role()));
    let is_marked = tree.marked().contains(&dialog.dialog.root) && dialog.dialog.is_main();
    let (sign, role) = match (is_marked, tree.is_unread(dialog)) {
        (true, _) => (ui.glyphs.marked, Role::Attention),
        (false, true) => (ui.glyphs.unread, Role::Accent),
        (false, false) => (" ", Role::TextDim),
    };
    left.push(sign, ui.style(role));
    let session = session(dialog, ui);
    let (title, names) = if dialog.title.is_empty() {
        (format!("{}{session}", member::named(workspace, &dialog.agent, ui)), vec![String::new()])
    } else if leads_as_expected(known, dialog) {
        (dialog.title.clone(), vec![session.trim_start().to_owned(), String::new()])
    } else {
        let named = member::named(workspace, &dialog.agent, ui);
        let short = member::short(workspace, &dialog.agent, ui);
        (dialog.title.clone(), vec![format!("{named}{session}"), named, short])
    };
    let title = ui.about(&title, dialog.foreign());
    let (counts, dim) = (counts(dialog, ui), ui.style(Role::TextDim));
    let age = age::short(&dialog.last_modified, view.now);
    let short = names.last().cloned().unwrap_or_default();
    let shorter = [(short, String::new()), (String::new(), age.clone()), Default::default()];
    let sides = names.into_iter().map(|name| (name, age.clone())).chain(shorter);
    let sides = sides.map(|(name, age)| {
        let parts = [Strip::new().put(&name, dim), counts.clone(), Strip::new().put(&age, dim)];
        joined(parts)
    });
    let right = beside_title((left.width(), &title), cells, sides);
    (left.put(&title, ui.style(title_role(mark))), right)
}

/// The lines from the rows above, and the symbol of its branch: a cell for each level.
fn branch(row: &VisibleRow, ui: &UiSettings) -> Strip {
    let symbol = match (row.branch, row.depth) {
        (Branch::Open, _) => ui.glyphs.open,
        (Branch::Closed, _) => ui.glyphs.closed,
        (Branch::Leaf | Branch::LastLeaf, ..=1) => " ",
        (Branch::Leaf, _) => ui.glyphs.tree_branch,
        (Branch::LastLeaf, _) => ui.glyphs.tree_last,
    };
    let below_main = row.depth.min(MAX_DRAWN_DEPTH).saturating_sub(1);
    let indent = if below_main > 0 { " " } else { "" };
    let lines = ui.glyphs.tree_pass.repeat(below_main.saturating_sub(1));
    Strip::new().put(&format!("{indent}{lines}{symbol}"), ui.style(Role::TextDim))
}

/// The name of a session, and whether it is one of fresh-boots reasoning; each with a blank before.
fn session(dialog: &TreeRow, ui: &UiSettings) -> String {
    let slug = dialog.slug.as_ref().map(|slug| format!(" !{slug}")).unwrap_or_default();
    let reasoning = dialog.reasoning.map(|_| format!(" {}", ui.text(words::FRESH_BOOTS)));
    format!("{slug}{}", reasoning.unwrap_or_default())
}

/// True if the member needs no name: it is the default responder, or the one that asked.
fn leads_as_expected((tree, workspace): Known<'_>, dialog: &TreeRow) -> bool {
    let asker = dialog.asker.as_ref().map(|asker| DialogId::side(&dialog.dialog.root, asker));
    let expected = match &asker {
        Some(asker) => tree.get(asker).map(|row| &row.agent),
        None => workspace.default_responder.as_ref(),
    };
    expected == Some(&dialog.agent)
}

/// Joins what is not empty, with blanks between.
fn joined(parts: impl IntoIterator<Item = Strip>) -> Strip {
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    let join = |row: Strip, part| row.pad_to_gap(1).join(part);
    parts.reduce(join).unwrap_or_default()
}

/// More files than this are not counted on the screen.
const MAX_COUNTED: usize = 99;

/// The number of open questions if it is not one, and of files to review.
fn counts(dialog: &TreeRow, ui: &UiSettings) -> Strip {
    let mut questions = Strip::new();
    if dialog.questions > 1 {
        let count = format!("{}{}", ui.glyphs.needs_you, dialog.questions);
        questions.push(&count, ui.style(Role::Attention));
    }
    let mut files = Strip::new();
    if dialog.unreviewed > 0 {
        let more = if dialog.unreviewed > MAX_COUNTED { "+" } else { "" };
        let count = dialog.unreviewed.min(MAX_COUNTED);
        files.push(&format!("{}{count}{more}", ui.glyphs.changed), ui.style(Role::Text));
    }
    joined([questions, files])
}

fn title_role(mark: Mark) -> Role {
    match mark {
        Mark::Running | Mark::Retrying | Mark::Stopping | Mark::NeedsYou | Mark::Stopped => {
            Role::TextStrong
        }
        Mark::Waiting | Mark::Idle => Role::Text,
        Mark::Done | Mark::Dead => Role::TextDim,
    }
}
