//! The search in the sent messages: an input line, with the newest matches below. Enter takes the chosen one
//! into the composer, Esc leaves the draft unchanged.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::field::Field;
use super::prompt::{INDENT, Prompt, draw_head, draw_search};
use super::strip::{Strip, draw_between};
use crate::action::Action;
use crate::cx::{Cx, UiSettings, View};
use crate::domain::text::search_pattern::SearchPattern;
use crate::domain::text::{Text, in_lang};
use crate::follow_up::{FollowUp, ToWriting};
use crate::overlay::{Handled, Handler};
use crate::text::width::width;
use crate::theme::Role;
use crate::words;

const SENT_BEFORE: Text = Text::new("sent before", "以前发送的");
const TAKE: Text = Text::new("take", "取用");
const BACK: Text = Text::new("back", "返回");
const NO_MATCH: Text = Text::new("no match", "没有匹配");

/// A heading and the line.
const HEAD_ROWS: u16 = 2;
/// Matches in view.
const MAX_ROWS: u16 = 8;

#[derive(Debug, Default)]
pub struct SentPrompt {
    field: Field,
    /// The chosen match; 0 is the newest.
    chosen: usize,
}

impl SentPrompt {
    fn pattern(&self) -> SearchPattern {
        SearchPattern::new(&self.field.text())
    }

    fn matches<'a>(&self, cx: &Cx<'a>) -> Vec<&'a str> {
        cx.sent.matches(&self.pattern())
    }

    fn older(&mut self, cx: &mut Cx<'_>) -> Handled {
        self.chosen = (self.chosen + 1).min(self.matches(cx).len().saturating_sub(1));
        Handled::Done
    }

    /// Enter: without a match nothing is taken.
    fn take(&mut self, cx: &mut Cx<'_>) -> Handled {
        let chosen = self.matches(cx).get(self.chosen).map(|text| (*text).to_owned());
        cx.follow_ups.extend(chosen.map(|one| FollowUp::Writing(ToWriting::TakeSent(one))));
        Handled::Close
    }

    fn title(&self, count: usize, ui: &UiSettings) -> String {
        let at = self.chosen + 1;
        let counted = match count {
            0 => ui.text(NO_MATCH).to_owned(),
            _ => in_lang!(ui.lang, "{at} of {count}", "第 {at} 条，共 {count}"),
        };
        format!("{} {} {counted}", ui.text(SENT_BEFORE), ui.glyphs.middle_dot)
    }

    fn draw_rows(&self, frame: &mut Frame<'_>, area: Rect, ui: &UiSettings, found: &[&str]) {
        let pattern = self.pattern();
        let rows = usize::from(area.height);
        let first = (self.chosen + 1).saturating_sub(rows);
        let x = area.x + INDENT.min(area.width);
        let inner = Rect { x, width: area.width.saturating_sub(INDENT + 1), ..area };
        for (y, (at, text)) in (area.y..).zip(found.iter().enumerate().skip(first).take(rows)) {
            let is_chosen = at == self.chosen;
            let style = ui.style(if is_chosen { Role::RowSelected } else { Role::Text });
            let (left, right) = row(text, &pattern, usize::from(inner.width), style, ui);
            if is_chosen {
                let mark = Strip::new().put(" ", Style::default());
                let mark = mark.put(ui.glyphs.prompt, ui.style(Role::Accent));
                mark.draw(frame.buffer_mut(), area, y);
            }
            draw_between(frame.buffer_mut(), inner, y, (&left, &right), ui.glyphs.cut);
        }
    }
}

/// The line with the first match, from the match on if it would not be seen; at the right the number of
/// lines.
fn row(
    text: &str,
    pattern: &SearchPattern,
    cells: usize,
    style: Style,
    ui: &UiSettings,
) -> (Strip, Strip) {
    let start = pattern.ranges(text).next().map_or(0, |found| found.start);
    let before = text.get(..start).unwrap_or_default();
    let from = before.rfind('\n').map_or(0, |at| at + 1);
    let line = |from: usize| text.get(from..).and_then(|rest| rest.trim_start().lines().next());
    let lead = width(text.get(from..start).unwrap_or_default());
    let (cut, shown) =
        if lead > cells / 2 { (ui.glyphs.cut, line(start)) } else { ("", line(from)) };
    let shown = format!("{cut}{}", shown.unwrap_or_default());
    let left = Strip::new().put(&shown, style).marked(pattern, ui.style(Role::Search));
    let lines = text.trim().lines().count();
    let count = if lines > 1 { ui.counted(lines, words::LINES) } else { String::new() };
    (left, Strip::new().put(&count, ui.style(Role::TextDim)))
}

const KEYS: [Handler<SentPrompt>; 5] = [
    (Action::Send, SentPrompt::take),
    (Action::Leave, |_, _| Handled::Close),
    (Action::FindSent, SentPrompt::older),
    (Action::HistoryDown, SentPrompt::older),
    (Action::HistoryUp, |prompt, _| {
        prompt.chosen = prompt.chosen.saturating_sub(1);
        Handled::Done
    }),
];

impl Prompt for SentPrompt {
    const KEYS: &'static [Handler<Self>] = &KEYS;

    fn field(&mut self) -> &mut Field {
        &mut self.field
    }

    /// The newest match is chosen.
    fn edited(&mut self, _: &mut Cx<'_>) -> Handled {
        self.chosen = 0;
        Handled::Done
    }

    fn show(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let found = self.matches(cx);
        let count = u16::try_from(found.len()).unwrap_or(u16::MAX);
        let rows = count.clamp(1, MAX_ROWS).min((area.height / 2).saturating_sub(HEAD_ROWS));
        let hints = [(Action::Send, TAKE), (Action::Leave, BACK)];
        let head = (self.title(found.len(), view.ui), &hints[..]);
        let area = draw_head(frame, area, HEAD_ROWS + rows, view.ui, head);
        if area.height < HEAD_ROWS {
            return;
        }
        draw_search(frame, Rect { y: area.y + 1, height: 1, ..area }, view.ui, &self.field);
        let rest = Rect { y: area.y + HEAD_ROWS, height: area.height - HEAD_ROWS, ..area };
        self.draw_rows(frame, rest, view.ui, &found);
    }
}
