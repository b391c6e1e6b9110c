//! The line in which a filter is typed; the list follows each letter.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::field::Field;
use super::prompt::{Prompt, draw_head, draw_text};
use crate::action::Action;
use crate::cx::{Cx, View};
use crate::domain::text::Text;
use crate::follow_up::{FilteredList, FollowUp, ToModel};
use crate::overlay::{Handled, Handler};

const FILTER_DIALOGS: Text = Text::new("filter the dialogs", "筛选对话");
const FILTER_QUESTIONS: Text = Text::new("filter the questions", "筛选问题");
const KEEP_FILTER: Text = Text::new("keep", "保留");
const SHOW_ALL: Text = Text::new("show all", "显示全部");

/// A heading and the line.
const ROWS: u16 = 2;

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

    /// The arrows move in the list.
    fn step(&self, rows: isize, cx: &mut Cx<'_>) -> Handled {
        cx.follow_ups.push(FollowUp::Model(ToModel::StepIn(self.list, rows)));
        Handled::Done
    }

    fn title(&self) -> Text {
        match self.list {
            FilteredList::Dialogs => FILTER_DIALOGS,
            FilteredList::Questions => FILTER_QUESTIONS,
        }
    }
}

const KEYS: [Handler<FilterPrompt>; 4] = [
    (Action::Send, |_, _| Handled::Close),
    (Action::Leave, |prompt, cx| {
        cx.follow_ups.push(FollowUp::Model(ToModel::Filter(prompt.list, String::new())));
        Handled::Close
    }),
    (Action::HistoryUp, |prompt, cx| prompt.step(-1, cx)),
    (Action::HistoryDown, |prompt, cx| prompt.step(1, cx)),
];

impl Prompt for FilterPrompt {
    const KEYS: &'static [Handler<Self>] = &KEYS;

    fn field(&mut self) -> &mut Field {
        &mut self.field
    }

    fn edited(&mut self, cx: &mut Cx<'_>) -> Handled {
        cx.follow_ups.push(FollowUp::Model(ToModel::Filter(self.list, self.field.text())));
        Handled::Done
    }

    fn show(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, _: &Cx<'_>) {
        let ui = view.ui;
        let hints = [(Action::Send, KEEP_FILTER), (Action::Leave, SHOW_ALL)];
        let head = (ui.text(self.title()).to_owned(), &hints[..]);
        let area = draw_head(frame, area, ROWS, ui, head);
        if area.height == ROWS {
            draw_text(frame, Rect { y: area.y + 1, height: 1, ..area }, ui, &self.field);
        }
    }
}
