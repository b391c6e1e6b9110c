//! Asks what happens to what runs when the program quits.

use std::time::Instant;

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::widgets::Clear;

use super::composer::{Heading, PART, draw_heading, hint};
use super::confirm::{ReadingTime, SCOPE, rows_of};
use super::strip::Strip;
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, View};
use crate::domain::text::Text;
use crate::effect::Effect;
use crate::follow_up::FollowUp;
use crate::new_overlay::StillRunning;
use crate::overlay::{Handled, Overlay};
use crate::theme::Role;
use crate::words::{Counted, SUBJECT_QUIT};

const DIALOGS_RUNNING: Text = Text::new(
    "dialogs are still running; quit? they can continue later",
    "仍有对话在运行，退出吗？之后可以继续",
);
const PROCESSES_RUNNING: Counted = Counted::new(
    "background process is still running; quit and leave it running, or stop it?",
    "background processes are still running; quit and leave them running, or stop them?",
    "个后台进程仍在运行；退出时让它们继续，还是停止它们？",
);
const DIALOGS_TOO: Text = Text::new(
    "dialogs are still running and can continue later; ",
    "仍有对话在运行，之后可以继续；",
);
const LEAVE_RUNNING: Text = Text::new("leave running", "让它们继续");
const STOP_THEM: Text = Text::new("stop", "停止它们");
const END_TOO: Text = Text::new("quit, they end too", "退出，它们一并结束");
const QUIT: Text = Text::new("quit", "退出");
const DETACH: Text = Text::new("detach", "脱离");
const STAY: Text = Text::new("stay", "不退出");

#[derive(Debug)]
pub struct QuitPrompt {
    running: StillRunning,
    detaches: bool,
    reading: ReadingTime,
}

impl QuitPrompt {
    /// `detaches`: the driver of this process can go on without this screen.
    pub fn new(running: StillRunning, detaches: bool) -> Self {
        Self { running, detaches, reading: ReadingTime::default() }
    }

    fn question(&self, view: View<'_>, cx: &Cx<'_>) -> String {
        match self.running {
            StillRunning::Dialogs => view.ui.text(DIALOGS_RUNNING).to_owned(),
            StillRunning::Processes { .. } => {
                let processes = view.ui.counted(cx.model.processes_running(), PROCESSES_RUNNING);
                let dialogs = cx.model.tree.any_running().then(|| view.ui.text(DIALOGS_TOO));
                format!("{}{processes}", dialogs.unwrap_or_default())
            }
        }
    }

    fn choices(&self) -> Vec<(Action, Text)> {
        let (yes, stops) = match self.running {
            StillRunning::Dialogs => (QUIT, false),
            StillRunning::Processes { sandboxed: true } => (END_TOO, false),
            StillRunning::Processes { sandboxed: false } => (LEAVE_RUNNING, true),
        };
        let mut choices = vec![(Action::Accept, yes)];
        choices.extend(stops.then_some((Action::Stop, STOP_THEM)));
        choices.extend(self.detaches.then_some((Action::Detach, DETACH)));
        choices.push((Action::Refuse, STAY));
        choices
    }

    fn offers(&self, action: Action) -> bool {
        action == Action::AcceptReversible || self.choices().iter().any(|(one, _)| *one == action)
    }
}

impl Overlay for QuitPrompt {
    fn scope(&self) -> Scope {
        SCOPE
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Handled {
        let is_meant = self.reading.press(cx.moment);
        if !self.offers(action) {
            return Handled::Ignored;
        }
        if action != Action::Refuse && !is_meant {
            return Handled::Done;
        }
        let choices = [
            (Action::Accept, FollowUp::Effect(Effect::Quit)),
            (Action::AcceptReversible, FollowUp::Effect(Effect::Quit)),
            (Action::Stop, FollowUp::QuitAndStop),
            (Action::Detach, FollowUp::Detach),
        ];
        let chosen = choices.into_iter().find(|(known, _)| *known == action);
        cx.follow_ups.extend(chosen.map(|(_, follow_up)| follow_up));
        Handled::Close
    }

    fn handles(&self, binding: &Binding) -> bool {
        binding.scope == SCOPE && self.offers(binding.action)
    }

    fn typed(&mut self, _: KeyEvent, cx: &mut Cx<'_>) -> Handled {
        if self.reading.press(cx.moment) { Handled::Ignored } else { Handled::Done }
    }

    fn layout(&mut self, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let (_, height, wanted) = rows_of(&self.question(view, cx), area);
        self.reading.show(height == wanted, cx.moment);
    }

    fn hide(&mut self) {
        self.reading.hide();
    }

    fn changes_at(&self) -> Option<Instant> {
        self.reading.ends_at()
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let question = self.question(view, cx);
        let (rows, height, _) = rows_of(&question, area);
        let area = Rect { y: area.bottom() - height, height, ..area };
        frame.render_widget(Clear, area);
        let hint = |(action, text)| hint(view.ui, SCOPE, action, text);
        let counts = |(action, _): &(Action, Text)| {
            *action == Action::Refuse || self.reading.is_over(cx.moment)
        };
        let hints: Vec<String> = self.choices().into_iter().filter(counts).map(hint).collect();
        let left = view.ui.text(SUBJECT_QUIT).to_owned();
        let heading = Heading { left, right: hints.join(PART) };
        draw_heading(frame, Rect { height: 1, ..area }, view.ui, &heading, true);
        let style = view.ui.style(Role::Attention);
        for (y, row) in (area.y + 1..area.bottom()).zip(rows) {
            let text = question.get(row).unwrap_or_default();
            Strip::new().put(" ", style).put(text, style).draw(frame.buffer_mut(), area, y);
        }
    }
}
