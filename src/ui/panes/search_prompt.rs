//! The line in which one types what to search for in the open dialog, with the number of matches. Each key
//! searches; Enter stays at the match, Esc goes back.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::field::Field;
use super::prompt::{Prompt, draw_head, draw_search};
use super::transcript::{SearchCount, Towards};
use crate::action::Action;
use crate::cx::{Cx, UiSettings, View};
use crate::domain::text::{Text, in_lang};
use crate::follow_up::{FollowUp, ToReading};
use crate::overlay::{Handled, Handler};
use crate::words::FIND;

const STAY: Text = Text::new("stay", "停留");
const BACK: Text = Text::new("back", "返回");
const NO_MATCH: Text = Text::new("no match", "没有匹配");
const READING_OLDER: Text = Text::new("reading older records …", "正在读取更早的记录 …");

/// A heading and the line.
const ROWS: u16 = 2;

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
        cx.follow_ups.push(FollowUp::Reading(ToReading::LeaveSearch));
        Handled::Close
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

const KEYS: [Handler<SearchPrompt>; 5] =
    [
        (Action::Leave, |_, cx| SearchPrompt::leave(cx)),
        (Action::Send, |prompt, cx| {
            if prompt.field.is_empty() { SearchPrompt::leave(cx) } else { Handled::Close }
        }),
        (Action::ClearDraft, |prompt, cx| {
            if prompt.field.is_empty() {
                return SearchPrompt::leave(cx);
            }
            prompt.field.clear();
            prompt.edited(cx)
        }),
        (Action::HistoryDown, |_, cx| {
            cx.follow_ups.push(FollowUp::Reading(ToReading::StepSearch(Towards::End)));
            Handled::Done
        }),
        (Action::HistoryUp, |_, cx| {
            cx.follow_ups.push(FollowUp::Reading(ToReading::StepSearch(Towards::Start)));
            Handled::Done
        }),
    ];

impl Prompt for SearchPrompt {
    const KEYS: &'static [Handler<Self>] = &KEYS;
    const ROWS_TAKEN: u16 = ROWS;

    fn field(&mut self) -> &mut Field {
        &mut self.field
    }

    fn edited(&mut self, cx: &mut Cx<'_>) -> Handled {
        cx.follow_ups.push(FollowUp::Reading(ToReading::Search(self.field.text())));
        Handled::Done
    }

    fn show(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let ui = view.ui;
        let count = cx.found.map(|count| count_text(count, ui)).unwrap_or_default();
        let left = if count.is_empty() {
            ui.text(FIND).to_owned()
        } else {
            format!("{} {} {count}", ui.text(FIND), ui.glyphs.middle_dot)
        };
        let hints = [(Action::Send, STAY), (Action::Leave, BACK)];
        let area = draw_head(frame, area, ROWS, ui, (left, &hints));
        if area.height == ROWS {
            draw_search(frame, Rect { y: area.y + 1, height: 1, ..area }, ui, &self.field);
        }
    }
}
