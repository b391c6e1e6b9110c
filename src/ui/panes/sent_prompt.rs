//! The search in the sent messages: an input line, with the newest matches below. Enter takes the chosen one
//! into the composer, Esc leaves the draft unchanged.

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Clear;

use super::composer::{Heading, PART, SCOPE, draw_heading, hint};
use super::field::Field;
use super::strip::{Strip, draw_between};
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, Intent, UiSettings, View};
use crate::domain::text::search_pattern::Needle;
use crate::domain::text::{Text, in_lang};
use crate::overlay::{Handled, Handler, Overlay, has_handler, run_handler};
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
/// Cells before the text.
const INDENT: u16 = 3;

#[derive(Debug, Default)]
pub struct SentPrompt {
    field: Field,
    /// The chosen match; 0 is the newest.
    chosen: usize,
}

impl SentPrompt {
    fn needle(&self) -> Needle {
        Needle::new(&self.field.text())
    }

    fn matches<'a>(&self, cx: &Cx<'a>) -> Vec<&'a str> {
        cx.sent.matches(&self.needle())
    }

    /// The text changed: the newest match is chosen.
    fn searched(&mut self) -> Handled {
        self.chosen = 0;
        Handled::Done
    }

    fn older(&mut self, cx: &mut Cx<'_>) -> Handled {
        self.chosen = (self.chosen + 1).min(self.matches(cx).len().saturating_sub(1));
        Handled::Done
    }

    /// Enter: without a match nothing is taken.
    fn take(&mut self, cx: &mut Cx<'_>) -> Handled {
        let chosen = self.matches(cx).get(self.chosen).map(|text| (*text).to_owned());
        cx.intents.extend(chosen.map(Intent::TakeSent));
        Handled::Close
    }

    fn heading(&self, count: usize, ui: &UiSettings) -> Heading {
        let hints = [hint(ui, SCOPE, Action::Send, TAKE), hint(ui, SCOPE, Action::Leave, BACK)];
        let at = self.chosen + 1;
        let counted = match count {
            0 => ui.text(NO_MATCH).to_owned(),
            _ => in_lang!(ui.lang, "{at} of {count}", "第 {at} 条，共 {count}"),
        };
        let left = format!("{} {} {counted}", ui.text(SENT_BEFORE), ui.glyphs.middle_dot);
        Heading { left, right: hints.join(PART) }
    }

    fn draw_line(&self, frame: &mut Frame<'_>, line: Rect, ui: &UiSettings) {
        Strip::new().put(" / ", ui.style(Role::Accent)).draw(frame.buffer_mut(), line, line.y);
        let width = line.width.saturating_sub(INDENT + 1);
        let field = Rect { x: line.x + INDENT, width, ..line };
        self.field.draw(frame, field, ui.style(Role::Text), true);
    }

    fn draw_rows(&self, frame: &mut Frame<'_>, area: Rect, ui: &UiSettings, found: &[&str]) {
        let needle = self.needle();
        let rows = usize::from(area.height);
        let first = (self.chosen + 1).saturating_sub(rows);
        let x = area.x + INDENT.min(area.width);
        let inner = Rect { x, width: area.width.saturating_sub(INDENT + 1), ..area };
        for (y, (at, text)) in (area.y..).zip(found.iter().enumerate().skip(first).take(rows)) {
            let is_chosen = at == self.chosen;
            let style = ui.style(if is_chosen { Role::RowSelected } else { Role::Text });
            let (left, right) = row(text, &needle, usize::from(inner.width), style, ui);
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
fn row(text: &str, needle: &Needle, cells: usize, style: Style, ui: &UiSettings) -> (Strip, Strip) {
    let start = needle.ranges(text).next().map_or(0, |found| found.start);
    let before = text.get(..start).unwrap_or_default();
    let from = before.rfind('\n').map_or(0, |at| at + 1);
    let line = |from: usize| text.get(from..).and_then(|rest| rest.trim_start().lines().next());
    let lead = width(text.get(from..start).unwrap_or_default());
    let (cut, shown) =
        if lead > cells / 2 { (ui.glyphs.cut, line(start)) } else { ("", line(from)) };
    let shown = format!("{cut}{}", shown.unwrap_or_default());
    let left = Strip::new().put(&shown, style).marked(needle, ui.style(Role::Search));
    let lines = text.trim().lines().count();
    let count = if lines > 1 { ui.counted(lines, words::LINES) } else { String::new() };
    (left, Strip::new().put(&count, ui.style(Role::TextDim)))
}

const HANDLERS: [Handler<SentPrompt>; 8] = [
    (Action::Send, SentPrompt::take),
    (Action::Leave, |_, _| Handled::Close),
    (Action::FindSent, SentPrompt::older),
    (Action::HistoryDown, SentPrompt::older),
    (Action::HistoryUp, |prompt, _| {
        prompt.chosen = prompt.chosen.saturating_sub(1);
        Handled::Done
    }),
    (Action::ClearDraft, |prompt, _| {
        if prompt.field.is_empty() {
            return Handled::Close;
        }
        prompt.field.clear();
        prompt.searched()
    }),
    (Action::Undo, |prompt, _| {
        prompt.field.undo();
        prompt.searched()
    }),
    (Action::Redo, |prompt, _| {
        prompt.field.redo();
        prompt.searched()
    }),
];

impl Overlay for SentPrompt {
    fn scope(&self) -> Scope {
        SCOPE
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Handled {
        run_handler(&HANDLERS, self, action, cx)
    }

    fn handles(&self, binding: &Binding) -> bool {
        has_handler(&HANDLERS, binding.action)
    }

    fn typed(&mut self, key: KeyEvent, _: &mut Cx<'_>) -> Handled {
        if !Field::takes(key) {
            return Handled::Ignored;
        }
        if self.field.typed(key) { self.searched() } else { Handled::Done }
    }

    fn paste(&mut self, text: &str, _: &mut Cx<'_>) {
        self.field.paste(text.lines().next().unwrap_or_default());
        self.searched();
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let found = self.matches(cx);
        let count = u16::try_from(found.len()).unwrap_or(u16::MAX);
        let rows = count.clamp(1, MAX_ROWS).min((area.height / 2).saturating_sub(HEAD_ROWS));
        let height = area.height.min(HEAD_ROWS + rows);
        let area = Rect { y: area.bottom() - height, height, ..area };
        frame.render_widget(Clear, area);
        let head = Rect { height: area.height.min(1), ..area };
        draw_heading(frame, head, view.ui, &self.heading(found.len(), view.ui), true);
        if area.height < HEAD_ROWS {
            return;
        }
        self.draw_line(frame, Rect { y: area.y + 1, height: 1, ..area }, view.ui);
        let rest = Rect { y: area.y + HEAD_ROWS, height: area.height - HEAD_ROWS, ..area };
        self.draw_rows(frame, rest, view.ui, &found);
    }
}
