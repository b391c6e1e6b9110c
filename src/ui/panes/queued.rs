//! The strip of queued messages above the composer.

use std::sync::Arc;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::composer::{Heading, draw_heading};
use super::strip::{Strip, draw_between};
use crate::cx::{UiSettings, View};
use crate::domain::reading::title::headline;
use crate::theme::Role;
use crate::words;

/// Cells before a message, as in the composer.
const INDENT: u16 = 3;
/// The pane must have this many rows for each message shown.
const ROWS_FOR_ONE: u16 = 7;
/// Messages shown at most.
const MAX_SHOWN: u16 = 4;

/// One message of the strip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedRow {
    pub text: Arc<str>,
    pub state: SendState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendState {
    /// Not on disk yet.
    Sending,
    Queued,
}

/// Rows of the strip with its heading, in a pane of `available` rows.
pub fn height(count: usize, available: u16) -> u16 {
    if count == 0 {
        return 0;
    }
    let limit = (available / ROWS_FOR_ONE).clamp(1, MAX_SHOWN);
    u16::try_from(count).unwrap_or(u16::MAX).min(limit) + 1
}

/// Draws the strip with the newest messages. If not all fit and there is space, the first row shows how
/// many are hidden. The heading counts all.
pub fn draw(frame: &mut Frame<'_>, area: Rect, view: View<'_>, messages: &[QueuedRow], keys: &str) {
    if area.height == 0 {
        return;
    }
    let ui = view.ui;
    let left = format!("{} {} {}", ui.text(words::QUEUED), ui.glyphs.middle_dot, messages.len());
    let heading = Heading { left, right: keys.to_owned() };
    draw_heading(frame, Rect { height: 1, ..area }, ui, &heading, false);
    let rows = usize::from(area.height - 1);
    let inner = Rect {
        x: area.x + INDENT.min(area.width),
        width: area.width.saturating_sub(INDENT + 1),
        ..area
    };
    let mut y = area.y + 1;
    let shows_hidden = messages.len() > rows && rows > 2;
    let fits = if shows_hidden { rows - 1 } else { rows };
    let hidden = messages.len().saturating_sub(fits);
    if shows_hidden {
        let dim = ui.style(Role::TextDim);
        let text = format!("{} {hidden} {}", ui.glyphs.cut, ui.text(words::QUEUED_EARLIER));
        Strip::new().put(&text, dim).draw(frame.buffer_mut(), inner, y);
        y += 1;
    }
    for message in messages.iter().skip(hidden) {
        let (left, right) = row(&message.text, message.state, ui);
        draw_between(frame.buffer_mut(), inner, y, (&left, &right), ui.glyphs.cut);
        y += 1;
    }
}

/// The first line, and at the right the number of lines.
pub fn row(text: &str, state: SendState, ui: &UiSettings) -> (Strip, Strip) {
    let dim = ui.style(Role::TextDim);
    let left = Strip::new().put(&headline(text), ui.style(Role::You));
    let lines = text.trim().lines().count();
    let mut right = Strip::new();
    if lines > 1 {
        right.push(&ui.counted(lines, words::LINES), dim);
    }
    if state == SendState::Sending {
        let gap = if right.is_empty() { "" } else { "  " };
        right.push(&format!("{gap}{}", ui.text(words::SENDING)), dim);
    }
    (left, right)
}
