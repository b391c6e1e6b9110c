//! The end of a demo: a text that stays on the screen and offers to replay the demo.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::action::Action;
use crate::app::drawing::app_words;
use crate::bindings::DEMO;
use crate::cx::{UiSettings, View};
use crate::effect::Effect;
use crate::focus::Focus;
use crate::keymap::{Chord, Keymap};
use crate::panes::composer::hint;
use crate::panes::strip::Strip;
use crate::protocol::{QuietOutcome, TreeRow};
use crate::text::wrap::wrap;
use crate::theme::Role;

/// While the user writes or an overlay is open, it takes at most one part in this many of the screen.
const MAX_SCREEN_PART: u16 = 3;
/// Rows it leaves free on the smallest screen: the tabs, one of a pane, the status line.
const MIN_FREE_ROWS: u16 = 4;

/// When the demo was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DemoStart {
    /// Now: without a dialog nothing has ended.
    Now,
    Earlier,
}

/// The text shown when no dialog runs any more.
#[derive(Debug, Default)]
pub(in crate::app) struct DemoEnding {
    /// Set for a demo only.
    demo: Option<Demo>,
    shown: bool,
    replays: bool,
}

#[derive(Debug)]
struct Demo {
    text: String,
    begun: DemoStart,
}

impl DemoEnding {
    pub fn of_demo(text: &str, begun: DemoStart) -> Self {
        Self { demo: Some(Demo { text: text.to_owned(), begun }), ..Self::default() }
    }

    /// True if the user quit in order to replay the demo.
    pub fn replays(&self) -> bool {
        self.replays
    }

    /// Shows the text if no dialog runs any more; true if that changes the screen. `played` is true
    /// once there is a dialog.
    pub fn update(&mut self, outcome: QuietOutcome, played: bool) -> bool {
        let Some(demo) = &self.demo else {
            return false;
        };
        let over = outcome == QuietOutcome::Done && (played || demo.begun == DemoStart::Earlier);
        std::mem::replace(&mut self.shown, over) != over
    }

    /// A dialog that runs hides the text.
    pub fn row_changed(&mut self, row: &TreeRow) {
        if row.state.is_running() {
            self.hide();
        }
    }

    /// The user closed the text, or a dialog runs again.
    pub fn hide(&mut self) {
        self.shown = false;
    }

    /// Quits in order to replay the demo.
    pub fn replay(&mut self) -> Option<Effect> {
        self.replays = self.demo.is_some();
        self.replays.then_some(Effect::Quit)
    }

    /// The action of a key while the text is shown, except in the composer.
    pub fn action(&self, key: Chord, focus: Focus, keymap: &Keymap) -> Option<Action> {
        let is_asked = self.shown && focus != Focus::Composer;
        keymap.action_in(DEMO, key).filter(|_| is_asked)
    }

    /// The rows of the text; none where it would take too much of the screen while the user is busy.
    pub fn rows(&self, area: Rect, ui: &UiSettings, is_busy: bool) -> Vec<Strip> {
        let Some(demo) = self.demo.as_ref().filter(|_| self.shown) else {
            return Vec::new();
        };
        let style = ui.style(Role::Text);
        let limit = usize::from(area.height.saturating_sub(MIN_FREE_ROWS + 1));
        let found = wrap(&demo.text, usize::from(area.width).saturating_sub(4));
        if is_busy && found.len() > usize::from(area.height / MAX_SCREEN_PART) {
            return Vec::new();
        }
        let is_cut = found.len() > limit;
        let mut rows: Vec<Strip> = found
            .into_iter()
            .take(limit)
            .map(|row| {
                Strip::new().put("   ", style).put(demo.text.get(row).unwrap_or_default(), style)
            })
            .collect();
        if let Some(last) = rows.last_mut().filter(|_| is_cut) {
            last.push(ui.glyphs.cut, style);
        }
        let hints = [
            hint(ui, DEMO, Action::Replay, app_words::PLAY_AGAIN),
            hint(ui, DEMO, Action::Close, app_words::CLOSE),
            hint(ui, DEMO, Action::Quit, app_words::LEAVE_PROGRAM),
        ];
        rows.push(Strip::new().put("   ", style).put(&hints.join("  "), ui.style(Role::TextDim)));
        rows
    }
}

/// Draws the rows at the lower edge of an area.
pub(in crate::app) fn draw(rows: &[Strip], buffer: &mut Buffer, area: Rect, view: View<'_>) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_demo_ends_with_a_text_and_is_replayed() {
        let mut none = DemoEnding::default();
        assert!(!none.update(QuietOutcome::Done, true));
        assert_eq!((none.replay(), none.replays()), (None, false));
        let mut demo = DemoEnding::of_demo("the end", DemoStart::Now);
        assert!(!demo.update(QuietOutcome::Done, false));
        assert!(demo.update(QuietOutcome::Done, true));
        assert!(!demo.update(QuietOutcome::Done, true));
        assert_eq!((demo.replay(), demo.replays()), (Some(Effect::Quit), true));
    }
}
