//! Draws the open questions.

#[cfg(test)]
mod tests;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::strip::{Strip, draw_between};
use crate::domain::question::headline;
use crate::domain::text::Text;
use crate::protocol::InboxRow;
use crate::ui::action::{Action, Binding, Scope};
use crate::ui::cx::View;
use crate::ui::model::{DraftKey, Drafts, Inbox, Tree, age};
use crate::ui::theme::Role;

const BLOCKS: Text = Text::new("blocks", "阻塞");

pub const SCOPE: Scope = Scope::new("inbox", "等你的问题", &[Scope::PANES, Scope::ANYWHERE]);

pub const BINDINGS: &[Binding] = &[
    SCOPE.bind(Action::Up, &["k", "up"]).does("Move to the question above", "到上面的问题"),
    SCOPE.bind(Action::Down, &["j", "down"]).does("Move to the question below", "到下面的问题"),
    SCOPE.bind(Action::Top, &["g", "home"]).does("Go to the first question", "到第一个问题"),
    SCOPE.bind(Action::Bottom, &["G", "end"]).does("Go to the last question", "到最后一个问题"),
    SCOPE.bind(Action::Answer, &["enter", "a"]),
    SCOPE.bind(Action::Pick, &["1", "2", "3", "4", "5", "6", "7", "8", "9"]),
    SCOPE.bind(Action::CallSite, &["v"]),
    SCOPE.bind(Action::PutOff, &["Z"]),
    SCOPE.bind(Action::BringBack, &["B"]),
    SCOPE.bind(Action::Filter, &["/"]),
    SCOPE
        .bind(Action::SwitchOrder, &["o"])
        .does("Put what blocks most first, or the oldest", "让阻塞最多的在前，或最早的在前"),
];

/// Rows one question takes.
pub const ROWS_EACH: u16 = 2;

/// Scrolls the selected question into view.
pub fn layout(inbox: &mut Inbox, area: Rect) {
    let selected = inbox.selected_at();
    let last = inbox.rows().len().saturating_sub(fits(area));
    let lowest = selected.saturating_sub(fits(area) - 1);
    inbox.top = inbox.top.min(last).clamp(lowest, selected);
}

/// The questions that are in view.
pub fn in_view(inbox: &Inbox, area: Rect) -> &[InboxRow] {
    let from = inbox.rows().get(inbox.top..).unwrap_or_default();
    from.get(..fits(area)).unwrap_or(from)
}

/// The number of questions that fit.
fn fits(area: Rect) -> usize {
    usize::from(area.height / ROWS_EACH).max(1)
}

/// Draws the questions below the title.
pub fn draw(
    inbox: &Inbox,
    about: (&Tree, &Drafts),
    view: View<'_>,
    focused: bool,
    buffer: &mut Buffer,
    area: Rect,
) {
    let selected = inbox.selected_at();
    let shown = inbox.rows().iter().enumerate().skip(inbox.top).take(fits(area));
    let mut y = area.y;
    for (at, row) in shown {
        let chosen = at == selected && focused;
        if chosen {
            let lit = Rect { y, height: ROWS_EACH.min(area.bottom() - y), ..area };
            buffer.set_style(lit, view.ui.style(Role::RowSelected));
            Strip::new().put(view.ui.glyphs.selected, view.ui.style(Role::Accent)).draw(
                buffer,
                Rect { width: 1, ..area },
                y,
            );
        }
        draw_question(row, at, about, view, buffer, Rect { y, ..area });
        y += ROWS_EACH;
        if y >= area.bottom() {
            return;
        }
    }
}

fn draw_question(
    row: &InboxRow,
    at: usize,
    (tree, drafts): (&Tree, &Drafts),
    view: View<'_>,
    buffer: &mut Buffer,
    area: Rect,
) {
    let ui = view.ui;
    let dim = ui.style(Role::TextDim);
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    // Only numbers that have a key.
    let keys = ui.keymap.keys(SCOPE, Action::Pick).len();
    let number = if at < keys { (at + 1).to_string() } else { " ".to_owned() };
    let mut left = Strip::new()
        .put(&format!("{number} "), ui.style(Role::Attention))
        .put(&format!("@{}", row.agent), ui.style(Role::Agent));
    if let Some(slug) = &row.slug {
        left.push(&format!(" !{slug}"), dim);
    }
    let mut right = Strip::new();
    if drafts.has(&DraftKey::Answer(row.question.id.clone())) {
        right.push(&format!("{} ", ui.glyphs.draft), ui.style(Role::Attention));
    }
    let mut facts = age::short(&row.question.asked_at, view.now);
    let waiting = row.blocks.len();
    if waiting > 0 {
        facts.push_str(&format!("  {} {waiting}", ui.text(BLOCKS)));
    }
    let right = right.put(&facts, dim);
    let title = tree.get(&row.dialog).map(|dialog| dialog.title.as_str()).unwrap_or_default();
    let room = usize::from(inner.width).saturating_sub(right.width() + 2);
    let left = left.titled(title, dim, room);
    draw_between(buffer, inner, area.y, (&left, &right), ui.glyphs.cut);
    if area.height < ROWS_EACH || area.y + 1 >= area.bottom() {
        return;
    }
    let second = Strip::new()
        .put("  ", Style::default())
        .put(headline(&row.question.tellask_content), ui.style(Role::Text));
    let cells = usize::from(inner.width);
    second.shortened(cells, ui.glyphs.cut, dim).draw(buffer, inner, area.y + 1);
}
