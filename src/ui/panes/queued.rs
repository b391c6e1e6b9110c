//! Queued messages: a strip above the composer, and a list in which each can be edited or taken back.

use std::sync::Arc;

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Clear;

use super::composer::{Heading, PART, draw_heading, hint};
use super::strip::{Strip, draw_between};
use crate::domain::DialogId;
use crate::domain::question::headline;
use crate::protocol::event::QueuedMessage;
use crate::ui::action::{Action, Binding, Scope};
use crate::ui::cx::{Cx, Intent, UiSettings, View};
use crate::ui::overlay::{Handled, Overlay};
use crate::ui::theme::Role;
use crate::ui::words;

pub const SCOPE: Scope = Scope::new("queued", "排队的消息", &[Scope::ANYWHERE]);

pub const BINDINGS: &[Binding] = &[
    SCOPE.bind(Action::Up, &["k", "up"]),
    SCOPE.bind(Action::Down, &["j", "down"]),
    SCOPE
        .bind(Action::Edit, &["enter", "e"])
        .does("Take this message back into the composer", "把这条消息撤回到输入栏"),
    SCOPE.bind(Action::TakeBack, &["d"]),
    SCOPE.bind(Action::Close, &["esc", "q", "ctrl+c"]),
];

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
fn row(text: &str, state: SendState, ui: &UiSettings) -> (Strip, Strip) {
    let dim = ui.style(Role::TextDim);
    let left = Strip::new().put(headline(text), ui.style(Role::You));
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

/// The list of the queued messages of one dialog.
#[derive(Debug)]
pub struct QueuedList {
    dialog: DialogId,
    selected: usize,
    top: usize,
}

impl QueuedList {
    pub fn new(dialog: DialogId) -> Self {
        Self { dialog, selected: 0, top: 0 }
    }

    fn step(&mut self, down: bool, cx: &Cx<'_>) -> Handled {
        let next = if down { self.selected + 1 } else { self.selected.saturating_sub(1) };
        self.selected = next.min(cx.queued.len().saturating_sub(1));
        Handled::Done
    }

    fn chosen(&self, cx: &Cx<'_>) -> Option<QueuedMessage> {
        cx.queued.get(self.selected).cloned()
    }

    fn edit(&self, cx: &mut Cx<'_>) -> Handled {
        if let Some(words) = self.chosen(cx) {
            cx.intents.push(Intent::EditQueued { dialog: self.dialog.clone(), words });
        }
        Handled::Close
    }

    fn take_back(&self, cx: &mut Cx<'_>) -> Handled {
        if let Some(words) = self.chosen(cx) {
            let message = words.message;
            cx.intents.push(Intent::TakeBack { dialog: self.dialog.clone(), message });
        }
        Handled::Done
    }
}

impl Overlay for QueuedList {
    fn scope(&self) -> Scope {
        SCOPE
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Handled {
        type Handler = fn(&mut QueuedList, &mut Cx<'_>) -> Handled;
        let handlers: [(Action, Handler); 5] = [
            (Action::Up, |list, cx| list.step(false, cx)),
            (Action::Down, |list, cx| list.step(true, cx)),
            (Action::Edit, |list, cx| list.edit(cx)),
            (Action::TakeBack, |list, cx| list.take_back(cx)),
            (Action::Close, |_, _| Handled::Close),
        ];
        let handler = handlers.iter().find(|(known, _)| *known == action);
        handler.map_or(Handled::Ignored, |(_, handler)| handler(self, cx))
    }

    fn typed(&mut self, _: KeyEvent, _: &mut Cx<'_>) -> Handled {
        Handled::Ignored
    }

    fn paste(&mut self, _: &str, _: &mut Cx<'_>) {}

    fn layout(&mut self, area: Rect, _: View<'_>, cx: &Cx<'_>) {
        self.selected = self.selected.min(cx.queued.len().saturating_sub(1));
        let fits = usize::from(area.height.saturating_sub(1)).max(1);
        self.top = self.top.clamp(self.selected.saturating_sub(fits - 1), self.selected);
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        frame.render_widget(Clear, area);
        let ui = view.ui;
        let close = hint(ui, SCOPE, Action::Close, words::CLOSE);
        let hints = if cx.queued.is_empty() {
            vec![close]
        } else {
            let take_back = hint(ui, SCOPE, Action::TakeBack, words::TAKE_BACK);
            vec![hint(ui, SCOPE, Action::Edit, words::EDIT), take_back, close]
        };
        let heading =
            Heading { left: ui.text(words::QUEUED_TITLE).to_owned(), right: hints.join(PART) };
        draw_heading(frame, Rect { height: area.height.min(1), ..area }, ui, &heading, true);
        let rows = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        if cx.queued.is_empty() && rows.height > 0 {
            let dim = ui.style(Role::TextDim);
            let line = Strip::new().put(" ", dim).put(ui.text(words::NOTHING_QUEUED), dim);
            line.draw(frame.buffer_mut(), rows, rows.y);
            return;
        }
        let shown = cx.queued.iter().enumerate().skip(self.top);
        for (y, (at, words)) in (rows.y..rows.bottom()).zip(shown) {
            let line = Rect { y, height: 1, ..rows };
            if at == self.selected {
                frame.buffer_mut().set_style(line, ui.style(Role::RowSelected));
                let bar = Strip::new().put(ui.glyphs.selected, ui.style(Role::Accent));
                bar.draw(frame.buffer_mut(), Rect { width: 1, ..line }, y);
            }
            let inner = Rect { x: line.x + 1, width: line.width.saturating_sub(2), ..line };
            let (left, right) = row(&words.text, SendState::Queued, ui);
            let left = Strip::new().put(" ", Style::default()).join(left);
            draw_between(frame.buffer_mut(), inner, y, (&left, &right), ui.glyphs.cut);
        }
    }
}
