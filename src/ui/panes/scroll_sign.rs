//! The sign at the beginning of a heading for rows out of view, above or below. It takes cells of the rule,
//! so it fits at every size.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::strip::Strip;
use crate::cx::UiSettings;
use crate::theme::Role;

/// The rows in view, and the number of all rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownRows {
    pub top: usize,
    pub height: usize,
    pub rows: usize,
}

/// Draws it over the rule of this heading.
pub fn draw_scroll_sign(buffer: &mut Buffer, head: Rect, ui: &UiSettings, shown: ShownRows) {
    let ShownRows { top, height, rows } = shown;
    let (above, below) = (top > 0 && rows > 0, top.saturating_add(height) < rows);
    if !above && !below {
        return;
    }
    let rule = (ui.glyphs.rule, ui.style(Role::Rule));
    let arrow = |glyph| (glyph, ui.style(Role::Accent));
    let (up, up_style) = if above { arrow(ui.glyphs.up) } else { rule };
    let (down, down_style) = if below { arrow(ui.glyphs.below) } else { rule };
    Strip::new().put(up, up_style).put(down, down_style).draw(buffer, head, head.y);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::tests::fixture::Stage;

    #[test]
    fn the_sign_points_to_what_is_out_of_view() {
        let stage = Stage::new(40, 12);
        let area = Rect::new(0, 0, 4, 1);
        for (top, height, rows, expected) in [
            (0, 5, 5, "────"),
            (0, 5, 6, "─↓──"),
            (1, 5, 6, "↑───"),
            (1, 5, 9, "↑↓──"),
            (3, 0, 0, "────"),
            (usize::MAX, 5, 9, "↑───"),
        ] {
            let mut buffer = Buffer::with_lines(["────"]);
            let shown = ShownRows { top, height, rows };
            draw_scroll_sign(&mut buffer, area, &stage.settings(), shown);
            let row: String = buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect();
            assert_eq!(row, expected, "{shown:?}");
        }
    }
}
