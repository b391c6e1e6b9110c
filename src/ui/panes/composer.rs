//! Where a person writes. Its title always says what Enter will do.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::field::Field;
use super::strip::Strip;
use crate::domain::DialogId;
use crate::ui::action::Action;
use crate::ui::cx::{UiSettings, View};
use crate::ui::lang::Word;
use crate::ui::model::DraftKey;
use crate::ui::text::width::width;
use crate::ui::theme::Role;

/// Sent messages that can be brought back.
const HISTORY: usize = 100;
/// Rows before the composer scrolls.
const MAX_ROWS: usize = 8;
/// Headings of columns and of wide screens begin with a longer rule than those of narrow screens.
const MEDIUM: usize = 80;
/// Cells for what was picked; with fewer it says nothing.
const MIN_PICKED_CELLS: usize = 8;
/// Cells before the text: a margin and the prompt.
const INDENT: u16 = 3;

/// Whom the words are for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Target {
    #[default]
    Nobody,
    Dialog(DialogId),
    Question {
        dialog: DialogId,
        id: String,
    },
}

impl Target {
    pub fn key(&self) -> Option<DraftKey> {
        match self {
            Self::Nobody => None,
            Self::Dialog(dialog) => Some(DraftKey::Message(dialog.clone())),
            Self::Question { id, .. } => Some(DraftKey::Answer(id.clone())),
        }
    }

    /// The question that is answered.
    pub fn question(&self) -> Option<&str> {
        match self {
            Self::Question { id, .. } => Some(id),
            Self::Dialog(_) | Self::Nobody => None,
        }
    }
}

#[derive(Debug, Default)]
pub struct Composer {
    pub field: Field,
    pub target: Target,
    history: Vec<String>,
    /// Which message of the history is in the field.
    recalled: Option<usize>,
}

/// What the title says.
#[derive(Debug, Clone, Default)]
pub struct Heading {
    pub left: String,
    pub right: String,
}

impl Composer {
    /// Rows it wants, title included.
    pub fn height(&self, cells: u16, least: u16) -> u16 {
        let room = usize::from(cells.saturating_sub(INDENT + 1)).max(1);
        let rows = self.field.height(room, MAX_ROWS);
        u16::try_from(rows).unwrap_or(1).max(least) + 1
    }

    /// Remembers what was sent.
    pub fn remember(&mut self, text: &str) {
        if self.history.last().is_none_or(|last| last != text) {
            self.history.push(text.to_owned());
        }
        let excess = self.history.len().saturating_sub(HISTORY);
        self.history.drain(..excess);
        self.recalled = None;
    }

    /// Brings back an earlier message, if the field is empty or holds one; true if it did.
    pub fn recall_earlier(&mut self) -> bool {
        let at = match self.recalled_now() {
            Some(at) => at.checked_sub(1),
            None if self.field.is_empty() => self.history.len().checked_sub(1),
            None => return false,
        };
        self.show_recalled(at.or(self.recalled))
    }

    pub fn recall_later(&mut self) -> bool {
        let Some(at) = self.recalled_now() else {
            return false;
        };
        if at + 1 < self.history.len() {
            return self.show_recalled(Some(at + 1));
        }
        self.recalled = None;
        self.field.set("");
        true
    }

    /// The message in the field, if it is one from the history and unchanged.
    fn recalled_now(&self) -> Option<usize> {
        let at = self.recalled?;
        (self.history.get(at)? == &self.field.text()).then_some(at)
    }

    fn show_recalled(&mut self, at: Option<usize>) -> bool {
        let Some(text) = at.and_then(|at| self.history.get(at)) else {
            return false;
        };
        self.field.set(text);
        self.recalled = at;
        true
    }

    /// Draws the title, the text, and behind it what a single letter stands for.
    pub fn draw(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        view: View<'_>,
        (heading, picked): (&Heading, &str),
        focused: bool,
    ) {
        let title = Rect { height: area.height.min(1), ..area };
        draw_heading(frame, title, view.ui, heading, focused);
        let body = Rect {
            x: area.x + INDENT.min(area.width),
            y: area.y + 1,
            width: area.width.saturating_sub(INDENT + 1),
            height: area.height.saturating_sub(1),
        };
        let role = if focused { Role::Accent } else { Role::TextDim };
        let prompt =
            Strip::new().put(" ", Style::default()).put(view.ui.glyphs.prompt, view.ui.style(role));
        if body.height > 0 {
            prompt.draw(frame.buffer_mut(), area, body.y);
        }
        self.field.draw(frame, body, view.ui.style(Role::Text), focused);
        self.draw_picked(frame, body, view.ui, picked);
    }

    /// On the line of the text, as far as there is room.
    fn draw_picked(&self, frame: &mut Frame<'_>, body: Rect, ui: &UiSettings, picked: &str) {
        let typed = width(&self.field.text()) + 2;
        let room = usize::from(body.width).saturating_sub(typed);
        if picked.is_empty() || body.height == 0 || room < MIN_PICKED_CELLS {
            return;
        }
        let style = ui.style(Role::TextDim);
        let strip = Strip::new().put(&format!("{} {picked}", ui.glyphs.done), style).shortened(
            room,
            ui.glyphs.cut,
            style,
        );
        let x = body.x + u16::try_from(typed).unwrap_or(u16::MAX);
        strip.draw(frame.buffer_mut(), Rect { x, width: body.right() - x, ..body }, body.y);
    }
}

/// A rule with words in it: what this is, and which keys work.
pub fn draw_heading(
    frame: &mut Frame<'_>,
    area: Rect,
    ui: &UiSettings,
    heading: &Heading,
    focused: bool,
) {
    let rule = ui.style(Role::Rule);
    let sign = ui.glyphs.rule;
    let cells = usize::from(area.width);
    let title = ui.style(if focused { Role::TitleFocus } else { Role::Title });
    let lead = if (41..MEDIUM).contains(&cells) { 2 } else { 4 };
    let words = format!(" {} ", heading.left);
    let words = if heading.left.is_empty() { "" } else { &words };
    let left = Strip::new().put(&sign.repeat(lead), rule).put(words, title);
    let mut right = Strip::new();
    let room = cells.saturating_sub(left.width() + 2);
    let mut parts: Vec<&str> = heading.right.split(PART).filter(|part| !part.is_empty()).collect();
    while !parts.is_empty() {
        let text = parts.join(&format!(" {} ", ui.glyphs.middle_dot));
        right = Strip::new().put(&format!(" {text} "), ui.style(Role::TextDim)).put(sign, rule);
        if right.width() <= room {
            break;
        }
        parts.pop();
        right = Strip::new();
    }
    let left = left.shortened(cells, ui.glyphs.cut, rule);
    let strip = left.fill_to(cells.saturating_sub(right.width()), sign, rule);
    strip.draw(frame.buffer_mut(), area, area.y);
    right.draw_right(frame.buffer_mut(), area, area.y);
}

/// Separates the key hints of a heading; those at the end give way first.
pub const PART: &str = "\u{1f}";

/// `⏎ send`
pub fn hint(ui: &UiSettings, action: Action, word: Word) -> String {
    format!("{} {}", ui.key(action), ui.word(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_messages_come_back_on_an_empty_field_only() {
        let mut composer = Composer::default();
        composer.remember("one");
        composer.remember("two");
        assert!(composer.recall_earlier());
        assert_eq!(composer.field.text(), "two");
        assert!(composer.recall_earlier() && composer.recall_earlier());
        assert_eq!(composer.field.text(), "one");
        assert!(composer.recall_later() && composer.recall_later());
        assert!(composer.field.is_empty());
        composer.field.set("mine");
        assert!(!composer.recall_earlier());
        assert_eq!(composer.field.text(), "mine");
    }
}
