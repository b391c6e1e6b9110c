//! The line in which one types what to search for in the open dialog, with the number of matches. Each key
//! searches; Enter stays at the match, Esc goes back.

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::widgets::Clear;

use super::composer::{Heading, PART, SCOPE, draw_heading, hint};
use super::field::Field;
use super::strip::Strip;
use super::transcript::SearchCount;
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, Intent, UiSettings, View};
use crate::domain::text::{Text, in_lang};
use crate::overlay::{Handled, Handler, Overlay, has_handler, run_handler};
use crate::theme::Role;
use crate::words::FIND;

const STAY: Text = Text::new("stay", "停留");
const BACK: Text = Text::new("back", "返回");
const NO_MATCH: Text = Text::new("no match", "没有匹配");
const READING_OLDER: Text = Text::new("reading older records …", "正在读取更早的记录 …");

/// A heading and the line.
const ROWS: u16 = 2;
/// Cells before the text.
const INDENT: u16 = 3;

#[derive(Debug)]
pub struct SearchPrompt {
    field: Field,
}

impl Default for SearchPrompt {
    fn default() -> Self {
        Self { field: Field::new("") }
    }
}

impl SearchPrompt {
    fn leave(cx: &mut Cx<'_>) -> Handled {
        cx.intents.push(Intent::LeaveSearch);
        Handled::Close
    }

    fn search(&self, cx: &mut Cx<'_>) -> Handled {
        cx.intents.push(Intent::Search(self.field.text()));
        Handled::Done
    }
}

/// `3 of 17`; with a `+` where older records are not counted.
pub fn count_text(count: SearchCount, ui: &UiSettings) -> String {
    let SearchCount { current, total, has_older, reads_older } = count;
    if reads_older {
        return ui.text(READING_OLDER).to_owned();
    }
    if total == 0 {
        return ui.text(NO_MATCH).to_owned();
    }
    let more = if has_older { "+" } else { "" };
    in_lang!(ui.lang, "{current} of {total}{more}", "第 {current} 处，共 {total}{more}")
}

const HANDLERS: [Handler<SearchPrompt>; 7] = [
    (Action::Leave, |_, cx| SearchPrompt::leave(cx)),
    (Action::Send, |_, _| Handled::Close),
    (Action::ClearDraft, |prompt, cx| {
        prompt.field.clear();
        prompt.search(cx)
    }),
    (Action::Undo, |prompt, cx| {
        prompt.field.undo();
        prompt.search(cx)
    }),
    (Action::Redo, |prompt, cx| {
        prompt.field.redo();
        prompt.search(cx)
    }),
    (Action::HistoryDown, |_, cx| {
        cx.intents.push(Intent::NextMatch);
        Handled::Done
    }),
    (Action::HistoryUp, |_, cx| {
        cx.intents.push(Intent::PreviousMatch);
        Handled::Done
    }),
];

impl Overlay for SearchPrompt {
    fn scope(&self) -> Scope {
        SCOPE
    }

    fn rows_taken(&self) -> u16 {
        ROWS
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Handled {
        if self.field.is_empty() && matches!(action, Action::Send | Action::ClearDraft) {
            return Self::leave(cx);
        }
        run_handler(&HANDLERS, self, action, cx)
    }

    fn handles(&self, binding: &Binding) -> bool {
        has_handler(&HANDLERS, binding.action)
    }

    fn typed(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> Handled {
        if !Field::takes(key) {
            return Handled::Ignored;
        }
        if self.field.typed(key) { self.search(cx) } else { Handled::Done }
    }

    fn paste(&mut self, text: &str, cx: &mut Cx<'_>) {
        self.field.paste(text.lines().next().unwrap_or_default());
        self.search(cx);
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let ui = view.ui;
        let height = area.height.min(ROWS);
        let area = Rect { y: area.bottom() - height, height, ..area };
        frame.render_widget(Clear, area);
        let hints = [hint(ui, SCOPE, Action::Send, STAY), hint(ui, SCOPE, Action::Leave, BACK)];
        let count = cx.found.map(|count| count_text(count, ui)).unwrap_or_default();
        let left = if count.is_empty() {
            ui.text(FIND).to_owned()
        } else {
            format!("{} {} {count}", ui.text(FIND), ui.glyphs.middle_dot)
        };
        let heading = Heading { left, right: hints.join(PART) };
        draw_heading(frame, Rect { height: area.height.min(1), ..area }, ui, &heading, true);
        if area.height < ROWS {
            return;
        }
        let line = Rect { y: area.y + 1, height: 1, ..area };
        Strip::new().put(" / ", ui.style(Role::Accent)).draw(frame.buffer_mut(), line, line.y);
        let width = line.width.saturating_sub(INDENT + 1);
        let field = Rect { x: line.x + INDENT, width, ..line };
        self.field.draw(frame, field, ui.style(Role::Text), true);
    }
}
