//! Draws the tree of dialogs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::strip::{Strip, draw_between};
use crate::protocol::TreeRow;
use crate::ui::action::Action;
use crate::ui::cx::View;
use crate::ui::lang::Word;
use crate::ui::model::tree::{Branch, VisibleRow};
use crate::ui::model::{Mark, Tree, TreeNode, age};
use crate::ui::theme::Role;

/// Deepest nesting that is drawn as such; deeper rows stand at this depth.
const MAX_DRAWN_DEPTH: usize = 8;

/// Draws the rows; the chosen one bears its bar while the pane has the focus, or is only lit.
pub fn draw(tree: &mut Tree, view: View<'_>, focused: bool, buffer: &mut Buffer, area: Rect) {
    if tree.is_empty() {
        draw_empty(view, buffer, area);
        return;
    }
    let top = tree.top(usize::from(area.height));
    let selected = tree.selected_at();
    tree.visible();
    for (offset, y) in (area.y..area.bottom()).enumerate() {
        let at = top + offset;
        let Some(row) = tree.visible().get(at).cloned() else {
            return;
        };
        let (left, right) = row_strips(tree, &row, view);
        let chosen = at == selected;
        let top_level = row.depth == 0;
        if chosen {
            buffer.set_style(Rect { y, height: 1, ..area }, view.look.style(Role::RowSelected));
        }
        let bar = Strip::new().put(
            if chosen { view.look.glyphs.selected } else { " " },
            view.look.style(if focused { Role::Accent } else { Role::TextDim }),
        );
        let indent = u16::from(chosen || !top_level);
        bar.draw(buffer, Rect { width: indent, ..area }, y);
        let width = area.width.saturating_sub(1 + indent);
        let rest = Rect { x: area.x + indent, width, ..area };
        let left = if top_level && !chosen { left.spaced() } else { left };
        draw_between(buffer, rest, y, (&left, &right), view.look.glyphs.cut);
    }
}

fn draw_empty(view: View<'_>, buffer: &mut Buffer, area: Rect) {
    let dim = view.look.style(Role::TextDim);
    let key = view.look.key(Action::NewDialog);
    let lines = [
        view.look.word(Word::NoDialogs).to_owned(),
        format!("{key}  {}", view.look.word(Word::Begin)),
    ];
    for (y, line) in (area.y..).zip(lines) {
        Strip::new().put(" ", dim).put(&line, dim).draw(buffer, area, y);
    }
}

fn row_strips(tree: &Tree, row: &VisibleRow, view: View<'_>) -> (Strip, Strip) {
    match &row.node {
        TreeNode::Taskdoc(path) => taskdoc_row(tree, path, row, view),
        TreeNode::Dialog(dialog) => {
            tree.get(dialog).map_or_else(Default::default, |found| dialog_row(found, row, view))
        }
    }
}

fn taskdoc_row(tree: &Tree, path: &str, row: &VisibleRow, view: View<'_>) -> (Strip, Strip) {
    let look = view.look;
    let sign = if row.branch == Branch::Open { look.glyphs.open } else { look.glyphs.closed };
    let left =
        Strip::new().put(sign, look.style(Role::TextDim)).put(path, look.style(Role::TextStrong));
    if row.branch == Branch::Open {
        return (left, Strip::new());
    }
    let inside: Vec<&TreeRow> = tree.all().filter(|dialog| dialog.taskdoc == path).collect();
    let newest = inside.iter().map(|dialog| &dialog.last_modified).max();
    let asks = inside.iter().map(|dialog| dialog.questions).sum::<usize>();
    let mut right = Strip::new();
    if asks > 0 {
        let count = format!("{} {asks}  ", look.glyphs.needs_you);
        right.push(&count, look.style(Role::Attention));
    }
    let age = newest.map(|then| age::short(then, view.now)).unwrap_or_default();
    right.push(&age, look.style(Role::TextDim));
    (left, right)
}

fn dialog_row(dialog: &TreeRow, row: &VisibleRow, view: View<'_>) -> (Strip, Strip) {
    let look = view.look;
    let dim = look.style(Role::TextDim);
    let mark = Mark::of(dialog);
    let mut left = Strip::new().put(" ", Style::default());
    for _ in 1..row.depth.min(MAX_DRAWN_DEPTH) {
        left.push(&format!("{} ", look.glyphs.tree_pass), dim);
    }
    let sign = match (row.branch, row.depth) {
        (Branch::Open, _) => look.glyphs.open,
        (Branch::Closed, _) => look.glyphs.closed,
        (Branch::Leaf | Branch::LastLeaf, ..=1) => " ",
        (Branch::Leaf, _) => look.glyphs.tree_branch,
        (Branch::LastLeaf, _) => look.glyphs.tree_last,
    };
    left.push(&format!("{sign} "), dim);
    left.push(mark.glyph(&look.glyphs), look.style(mark.role()));
    left.push(&format!(" @{}", dialog.agent), look.style(name_role(mark)));
    if let Some(slug) = &dialog.slug {
        left.push(&format!(" !{slug}"), dim);
    }
    if dialog.reasoning.is_some() {
        left.push(&format!(" {}", look.word(Word::FreshBoots)), dim);
    }
    let age = age::short(&dialog.last_modified, view.now);
    (left, Strip::new().put(&age, dim))
}

fn name_role(mark: Mark) -> Role {
    match mark {
        Mark::Running | Mark::Stopping | Mark::NeedsYou | Mark::Stopped => Role::TextStrong,
        Mark::Waiting | Mark::Idle | Mark::Done => Role::Text,
        Mark::Dead => Role::TextDim,
    }
}
