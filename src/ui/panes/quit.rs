//! Asks what happens to background processes when the program quits.

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::widgets::Clear;

use super::composer::{Heading, PART, draw_heading, hint};
use super::confirm::SCOPE;
use super::strip::Strip;
use crate::domain::text::Text;
use crate::ui::action::{Action, Scope};
use crate::ui::cx::{Cx, Intent, View};
use crate::ui::overlay::{Handled, Overlay};
use crate::ui::text::wrap::wrap;
use crate::ui::theme::Role;
use crate::ui::words::Counted;

const PROCESSES_RUNNING: Counted = Counted::new(
    "background process is still running; quit and leave it running, or stop it?",
    "background processes are still running; quit and leave them running, or stop them?",
    "个后台进程仍在运行；退出时让它们继续，还是停止它们？",
);
const LEAVE_RUNNING: Text = Text::new("leave running", "让它们继续");
const STOP_THEM: Text = Text::new("stop", "停止它们");
const END_TOO: Text = Text::new("quit, they end too", "退出，它们一并结束");
const STAY: Text = Text::new("stay", "不退出");

#[derive(Debug)]
pub struct QuitPrompt {
    /// Processes in a sandbox end with the program; then there is no choice.
    pub sandboxed: bool,
}

impl Overlay for QuitPrompt {
    fn scope(&self) -> Scope {
        SCOPE
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Handled {
        let choices = [
            (Action::Accept, Intent::Quit),
            (Action::AcceptReversible, Intent::Quit),
            (Action::Stop, Intent::QuitAndStop),
        ];
        let chosen = choices.into_iter().find(|(known, _)| *known == action);
        cx.intents.extend(chosen.map(|(_, intent)| intent));
        Handled::Close
    }

    fn typed(&mut self, _: KeyEvent, _: &mut Cx<'_>) -> Handled {
        Handled::Ignored
    }

    fn paste(&mut self, _: &str, _: &mut Cx<'_>) {}

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let running = cx.model.processes.iter().filter(|process| process.is_running()).count();
        let question = view.ui.counted(running, PROCESSES_RUNNING);
        let rows = wrap(&question, usize::from(area.width.saturating_sub(2)));
        let wanted = u16::try_from(rows.len()).unwrap_or(u16::MAX).saturating_add(1);
        let height = area.height.min(wanted);
        let area = Rect { y: area.bottom() - height, height, ..area };
        frame.render_widget(Clear, area);
        let yes = if self.sandboxed { END_TOO } else { LEAVE_RUNNING };
        let mut hints = vec![hint(view.ui, SCOPE, Action::Accept, yes)];
        if !self.sandboxed {
            hints.push(hint(view.ui, SCOPE, Action::Stop, STOP_THEM));
        }
        hints.push(hint(view.ui, SCOPE, Action::Refuse, STAY));
        let heading =
            Heading { left: view.ui.glyphs.needs_you.to_owned(), right: hints.join(PART) };
        draw_heading(frame, Rect { height: 1, ..area }, view.ui, &heading, true);
        let style = view.ui.style(Role::Attention);
        for (y, row) in (area.y + 1..area.bottom()).zip(rows) {
            let text = question.get(row).unwrap_or_default();
            Strip::new().put(" ", style).put(text, style).draw(frame.buffer_mut(), area, y);
        }
    }
}
