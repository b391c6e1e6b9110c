//! The list of the keys that can follow those pressed until now, at the lower right of the screen.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::widgets::Clear;

use super::composer::{Heading, draw_heading};
use super::strip::Strip;
use crate::cx::UiSettings;
use crate::domain::text::Text;
use crate::text::width::width;
use crate::theme::Role;
use crate::words::Counted;

const TAKES_BACK: Text = Text::new("esc back", "esc 返回");
const MORE_KEYS: Counted = Counted::new("more key", "more keys", "个按键未列出");

/// Cells before the keys, and between keys and description.
const MARGIN: usize = 2;
/// The least cells of the list, so that its heading has room.
const MIN_CELLS: usize = 30;

/// The rest of a sequence, and its effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextKey {
    pub keys: String,
    pub does: &'static str,
}

/// Draws it over the lower right of this area, as large as it has to be.
pub fn draw(frame: &mut Frame<'_>, area: Rect, ui: &UiSettings, begun: &str, keys: &[NextKey]) {
    let column = MARGIN + keys.iter().map(|key| width(&key.keys)).max().unwrap_or(0) + MARGIN;
    let cells = keys.iter().map(|key| width(key.does)).max().unwrap_or(0) + column + 1;
    let cells = u16::try_from(cells.max(MIN_CELLS)).unwrap_or(u16::MAX).min(area.width);
    let rows = u16::try_from(keys.len()).unwrap_or(u16::MAX).saturating_add(1).min(area.height);
    if rows < 2 {
        return;
    }
    let area =
        Rect { x: area.right() - cells, y: area.bottom() - rows, width: cells, height: rows };
    frame.render_widget(Clear, area);
    let left = format!("{begun} {}", ui.glyphs.cut);
    let heading = Heading { left, right: ui.text(TAKES_BACK).to_owned() };
    draw_heading(frame, Rect { height: 1, ..area }, ui, &heading, true);
    let fits = usize::from(rows - 1);
    let shown = if keys.len() > fits { fits - 1 } else { fits };
    let row = |key: &NextKey| {
        let keys = Strip::new().pad_to(MARGIN).put(&key.keys, ui.style(Role::Accent));
        let row = keys.pad_to(column).put(key.does, ui.style(Role::Text));
        row.shortened(usize::from(cells), ui.glyphs.cut, ui.style(Role::Text))
    };
    let more = (keys.len() > shown).then(|| {
        let text = ui.counted(keys.len() - shown, MORE_KEYS);
        Strip::new().pad_to(MARGIN).put(&text, ui.style(Role::TextDim))
    });
    let rows = keys.iter().take(shown).map(row).chain(more);
    for (y, row) in (area.y + 1..area.bottom()).zip(rows) {
        row.draw(frame.buffer_mut(), area, y);
    }
}
