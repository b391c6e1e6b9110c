//! The line in which a filter is typed; the list follows each letter.

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::widgets::Clear;

use super::composer::{Heading, PART, SCOPE, draw_heading, hint};
use super::field::Field;
use super::strip::Strip;
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, FilteredList, Intent, View};
use crate::domain::text::Text;
use crate::overlay::{Handled, Handler, Overlay, has_handler, run_handler};
use crate::theme::Role;

const FILTER_DIALOGS: Text = Text::new("filter the dialogs", "筛选对话");
const FILTER_QUESTIONS: Text = Text::new("filter the questions", "筛选问题");
const KEEP_FILTER: Text = Text::new("keep", "保留");
const SHOW_ALL: Text = Text::new("show all", "显示全部");

/// A heading and the line.
const ROWS: u16 = 2;
const INDENT: u16 = 3;

#[derive(Debug)]
pub struct FilterPrompt {
    list: FilteredList,
    field: Field,
}

impl FilterPrompt {
    /// Makes it with the list's present filter.
    pub fn new(list: FilteredList, text: &str) -> Self {
        Self { list, field: Field::new(text) }
    }

    fn apply(&self, cx: &mut Cx<'_>) -> Handled {
        cx.intents.push(Intent::Filter(self.list, self.field.text()));
        Handled::Done
    }

    /// The arrows move in the list.
    fn step(&self, rows: isize, cx: &mut Cx<'_>) -> Handled {
        cx.intents.push(Intent::StepIn(self.list, rows));
        Handled::Done
    }

    fn title(&self) -> Text {
        match self.list {
            FilteredList::Dialogs => FILTER_DIALOGS,
            FilteredList::Questions => FILTER_QUESTIONS,
        }
    }
}

const HANDLERS: [Handler<FilterPrompt>; 7] = [
    (Action::Send, |_, _| Handled::Close),
    (Action::Leave, |prompt, cx| {
        cx.intents.push(Intent::Filter(prompt.list, String::new()));
        Handled::Close
    }),
    (Action::ClearDraft, |prompt, cx| {
        if prompt.field.is_empty() {
            return Handled::Close;
        }
        prompt.field.clear();
        prompt.apply(cx)
    }),
    (Action::Undo, |prompt, cx| {
        prompt.field.undo();
        prompt.apply(cx)
    }),
    (Action::Redo, |prompt, cx| {
        prompt.field.redo();
        prompt.apply(cx)
    }),
    (Action::HistoryUp, |prompt, cx| prompt.step(-1, cx)),
    (Action::HistoryDown, |prompt, cx| prompt.step(1, cx)),
];

impl Overlay for FilterPrompt {
    fn scope(&self) -> Scope {
        SCOPE
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Handled {
        run_handler(&HANDLERS, self, action, cx)
    }

    fn handles(&self, binding: &Binding) -> bool {
        has_handler(&HANDLERS, binding.action)
    }

    fn typed(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> Handled {
        if !Field::takes(key) {
            return Handled::Ignored;
        }
        if self.field.typed(key) { self.apply(cx) } else { Handled::Done }
    }

    fn paste(&mut self, text: &str, cx: &mut Cx<'_>) {
        self.field.paste(text.lines().next().unwrap_or_default());
        self.apply(cx);
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, _: &Cx<'_>) {
        let ui = view.ui;
        let height = area.height.min(ROWS);
        let area = Rect { y: area.bottom() - height, height, ..area };
        frame.render_widget(Clear, area);
        let hints =
            [hint(ui, SCOPE, Action::Send, KEEP_FILTER), hint(ui, SCOPE, Action::Leave, SHOW_ALL)];
        let heading = Heading { left: ui.text(self.title()).to_owned(), right: hints.join(PART) };
        draw_heading(frame, Rect { height: area.height.min(1), ..area }, ui, &heading, true);
        if area.height < ROWS {
            return;
        }
        let prompt = Strip::new()
            .put(" ", ui.style(Role::Text))
            .put(ui.glyphs.prompt, ui.style(Role::Accent));
        prompt.draw(frame.buffer_mut(), area, area.y + 1);
        let width = area.width.saturating_sub(INDENT + 1);
        let field = Rect { x: area.x + INDENT, y: area.y + 1, width, height: 1 };
        self.field.draw(frame, field, ui.style(Role::Text), true);
    }
}
