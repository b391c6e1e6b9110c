//! The end of a demo: a text that stays on the screen and offers to replay the demo.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{App, Effect, Focus};
use crate::protocol::QuietOutcome;
use crate::ui::action::Action;
use crate::ui::bindings::DEMO;
use crate::ui::cx::{UiSettings, View};
use crate::ui::keymap::Chord;
use crate::ui::lang::Word;
use crate::ui::panes::composer::hint;
use crate::ui::panes::strip::Strip;
use crate::ui::text::wrap::wrap;
use crate::ui::theme::Role;

/// While the user writes or an overlay is open, it takes at most one part in this many of the screen.
const MAX_SCREEN_PART: u16 = 3;
/// Rows it leaves free on the smallest screen: the tabs, one of a pane, the status line.
const MIN_FREE_ROWS: u16 = 4;

/// When the demo on the screen was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DemoStart {
    /// Now: without a dialog nothing has ended.
    Now,
    Earlier,
}

/// The text shown when no dialog runs any more.
#[derive(Debug)]
pub(super) struct DemoEnding {
    text: String,
    begun: DemoStart,
    shown: bool,
    replays: bool,
}

impl App {
    /// Makes this the screen of a demo, which shows `text` at its end.
    pub fn end_with(&mut self, text: &str, begun: DemoStart) {
        let text = text.to_owned();
        self.ending = Some(DemoEnding { text, begun, shown: false, replays: false });
    }

    /// True if the user quit in order to replay the demo.
    pub fn replays(&self) -> bool {
        self.ending.as_ref().is_some_and(|ending| ending.replays)
    }

    /// Shows the text if no dialog runs any more; true if that changes the screen.
    pub(super) fn update_ending(&mut self, outcome: QuietOutcome) -> bool {
        let played = !self.model.tree.is_empty();
        let Some(ending) = &mut self.ending else {
            return false;
        };
        let over = outcome == QuietOutcome::Done && (played || ending.begun == DemoStart::Earlier);
        std::mem::replace(&mut ending.shown, over) != over
    }

    /// A dialog runs again.
    pub(super) fn hide_ending(&mut self) {
        self.close_ending();
    }

    pub(super) fn close_ending(&mut self) {
        if let Some(ending) = &mut self.ending {
            ending.shown = false;
        }
    }

    pub(super) fn replay(&mut self) {
        if let Some(ending) = &mut self.ending {
            ending.replays = true;
            self.effects.push(Effect::Quit);
        }
    }

    /// The action of a key at the end of a demo, except in the composer.
    pub(super) fn ending_action(&self, key: Chord) -> Option<Action> {
        let over = self.ending.as_ref().is_some_and(|ending| ending.shown);
        let is_asked = over && self.focus != Focus::Composer;
        self.ui.keymap.action_in(DEMO, key).filter(|_| is_asked)
    }

    /// The rows of the text; none where it would take too much of the screen.
    pub(super) fn ending_rows(&self, area: Rect, ui: &UiSettings) -> Vec<Strip> {
        let Some(ending) = self.ending.as_ref().filter(|ending| ending.shown) else {
            return Vec::new();
        };
        let style = ui.style(Role::Text);
        let limit = usize::from(area.height.saturating_sub(MIN_FREE_ROWS + 1));
        let found = wrap(&ending.text, usize::from(area.width).saturating_sub(4));
        let busy = self.focus == Focus::Composer || !self.overlays.is_empty();
        if busy && found.len() > usize::from(area.height / MAX_SCREEN_PART) {
            return Vec::new();
        }
        let is_cut = found.len() > limit;
        let mut rows: Vec<Strip> = found
            .into_iter()
            .take(limit)
            .map(|row| {
                Strip::new().put("   ", style).put(ending.text.get(row).unwrap_or_default(), style)
            })
            .collect();
        if let Some(last) = rows.last_mut().filter(|_| is_cut) {
            last.push(ui.glyphs.cut, style);
        }
        let hints = [
            hint(ui, DEMO, Action::Replay, Word::PlayAgain),
            hint(ui, DEMO, Action::Close, Word::Close),
            hint(ui, DEMO, Action::Quit, Word::LeaveProgram),
        ];
        rows.push(Strip::new().put("   ", style).put(&hints.join("  "), ui.style(Role::TextDim)));
        rows
    }
}

/// Draws the rows at the lower edge of an area.
pub(super) fn draw(rows: &[Strip], buffer: &mut Buffer, area: Rect, view: View<'_>) {
    let height = u16::try_from(rows.len()).unwrap_or(u16::MAX).min(area.height);
    let top = area.bottom() - height;
    for (y, row) in (top..area.bottom()).zip(rows) {
        row.draw(buffer, area, y);
    }
    let symbol = Strip::new()
        .put(" ", view.ui.style(Role::Good))
        .put(view.ui.glyphs.done, view.ui.style(Role::Good));
    if height > 0 {
        symbol.draw(buffer, Rect { width: area.width.min(2), ..area }, top);
    }
}
