//! The head of a sheet that covers the screen.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::widgets::Clear;

use super::composer::{Heading, draw_heading};
use super::scroll_sign::{ShownRows, draw_scroll_sign};
use crate::cx::UiSettings;

/// Clears the area and draws the heading, with the sign for rows out of view; returns the area below.
pub fn draw_sheet_head(
    frame: &mut Frame<'_>,
    area: Rect,
    ui: &UiSettings,
    heading: &Heading,
    shown: Option<ShownRows>,
) -> Rect {
    frame.render_widget(Clear, area);
    let head = Rect { height: area.height.min(1), ..area };
    draw_heading(frame, head, ui, heading, true);
    if let Some(shown) = shown {
        draw_scroll_sign(frame.buffer_mut(), head, ui, shown);
    }
    Rect { y: head.bottom(), height: area.height - head.height, ..area }
}
