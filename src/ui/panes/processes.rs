//! The list of background processes.

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::widgets::Clear;

use super::composer::{Heading, PART, draw_heading, hint};
use super::strip::{Strip, draw_between};
use crate::domain::Background;
use crate::domain::background::{BackgroundState, Exit};
use crate::domain::question::short_headline;
use crate::ui::action::{Action, Binding, Scope};
use crate::ui::cx::{Cx, Intent, UiSettings, View};
use crate::ui::lang::Word;
use crate::ui::model::age;
use crate::ui::overlay::{Handled, Overlay};
use crate::ui::theme::Role;

pub const SCOPE: Scope = Scope::new("processes", "后台进程", &[Scope::ANYWHERE]);

pub const BINDINGS: &[Binding] = &[
    SCOPE.bind(Action::Up, &["k", "up"]),
    SCOPE.bind(Action::Down, &["j", "down"]),
    SCOPE.bind(Action::Stop, &["s"]).does("Stop this process; asks first", "停止此进程；先询问"),
    SCOPE.bind(Action::Close, &["esc", "q", "ctrl+c"]),
];

/// Characters of the command shown in a question.
const NAME_CHARS: usize = 40;

#[derive(Debug, Default)]
pub struct Processes {
    selected: usize,
    top: usize,
}

impl Processes {
    fn step(&mut self, down: bool, count: usize) -> Handled {
        let next = if down { self.selected + 1 } else { self.selected.saturating_sub(1) };
        self.selected = next.min(count.saturating_sub(1));
        Handled::Done
    }

    /// The newest are on top.
    fn chosen<'a>(&self, all: &'a [Background]) -> Option<&'a Background> {
        all.iter().rev().nth(self.selected)
    }

    fn stop(&self, cx: &mut Cx<'_>) -> Handled {
        if let Some(process) =
            self.chosen(&cx.model.processes).filter(|process| process.is_running())
        {
            let stop = Box::new(Intent::StopProcess(process.pid));
            let name = format!("{} {}", process.pid, short_headline(&process.command, NAME_CHARS));
            let question = cx.ui.sentence(Word::StopProcessQuestion, &name);
            cx.intents.push(Intent::Confirm(question, stop));
        }
        Handled::Done
    }
}

fn row_strips(process: &Background, view: View<'_>) -> (Strip, Strip) {
    let ui = view.ui;
    let dim = ui.style(Role::TextDim);
    let left = Strip::new()
        .put(&process.pid.to_string(), dim)
        .put(&format!("  @{}", process.agent), ui.style(Role::Agent))
        .put(&format!("  {}", process.command), ui.style(Role::Text));
    let (state, role) = match process.state {
        BackgroundState::Running => (ui.word(Word::Running).to_owned(), Role::Accent),
        BackgroundState::Ended(exit) => (ended(exit, ui), Role::TextDim),
        BackgroundState::Lost => (ui.word(Word::Lost).to_owned(), Role::Warning),
    };
    let age = age::short(&process.started_at, view.now);
    (left, Strip::new().put(&state, ui.style(role)).put(&format!("  {age}"), dim))
}

fn ended(exit: Exit, ui: &UiSettings) -> String {
    let word = ui.word(Word::Ended);
    match exit {
        Exit::Code(code) => format!("{word} {code}"),
        Exit::Signal(signal) => format!("{word} SIG {signal}"),
        Exit::Unknown => word.to_owned(),
    }
}

impl Overlay for Processes {
    fn scope(&self) -> Scope {
        SCOPE
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Handled {
        type Handler = fn(&mut Processes, &mut Cx<'_>) -> Handled;
        let handlers: [(Action, Handler); 4] = [
            (Action::Up, |list, cx| list.step(false, cx.model.processes.len())),
            (Action::Down, |list, cx| list.step(true, cx.model.processes.len())),
            (Action::Stop, |list, cx| list.stop(cx)),
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
        self.selected = self.selected.min(cx.model.processes.len().saturating_sub(1));
        let fits = usize::from(area.height.saturating_sub(1)).max(1);
        self.top = self.top.clamp(self.selected.saturating_sub(fits - 1), self.selected);
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        frame.render_widget(Clear, area);
        let ui = view.ui;
        let head = Rect { height: area.height.min(1), ..area };
        let close = hint(ui, SCOPE, Action::Close, Word::Close);
        let right = match self.chosen(&cx.model.processes).filter(|process| process.is_running()) {
            Some(_) => format!("{}{PART}{close}", hint(ui, SCOPE, Action::Stop, Word::Stop)),
            None => close,
        };
        let heading = Heading { left: ui.word(Word::ProcessesTitle).to_owned(), right };
        draw_heading(frame, head, ui, &heading, true);
        let rows = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        let dim = ui.style(Role::TextDim);
        if cx.model.processes.is_empty() && rows.height > 0 {
            let line = Strip::new().put(" ", dim).put(ui.word(Word::ProcessesEmpty), dim);
            line.draw(frame.buffer_mut(), rows, rows.y);
            return;
        }
        let shown = cx.model.processes.iter().rev().enumerate().skip(self.top);
        for (y, (at, process)) in (rows.y..rows.bottom()).zip(shown) {
            let line = Rect { y, height: 1, ..rows };
            if at == self.selected {
                frame.buffer_mut().set_style(line, ui.style(Role::RowSelected));
                let bar = Strip::new().put(ui.glyphs.selected, ui.style(Role::Accent));
                bar.draw(frame.buffer_mut(), Rect { width: 1, ..line }, y);
            }
            let inner = Rect { x: line.x + 1, width: line.width.saturating_sub(2), ..line };
            let (left, right) = row_strips(process, view);
            draw_between(frame.buffer_mut(), inner, y, (&left, &right), ui.glyphs.cut);
        }
    }
}
