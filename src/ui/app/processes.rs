//! Background processes: their list, and what happens to them when the program quits.

use super::{App, Effect, InFlight};
use crate::domain::Background;
use crate::domain::sandbox::Level;
use crate::protocol::Command;
use crate::ui::panes::quit::QuitPrompt;

/// What happens to background processes when the program quits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QuitPolicy {
    #[default]
    LetRun,
    Stop,
}

impl App {
    /// What the user chose when quitting.
    pub fn quit_policy(&self) -> QuitPolicy {
        self.quit_policy
    }

    pub(super) fn processes_running(&self) -> usize {
        self.model.processes.iter().filter(|process| Background::is_running(process)).count()
    }

    /// Sets the sandbox level of commands to show.
    pub fn show_level(&mut self, level: Level) {
        self.level = Some(level);
        self.dirty = true;
    }

    pub(super) fn ask_about_processes(&mut self) {
        let sandboxed = self.level.is_some_and(|level| level != Level::Off);
        self.overlays.push(Box::new(QuitPrompt { sandboxed }));
    }

    pub(super) fn quit_and_stop(&mut self) {
        self.quit_policy = QuitPolicy::Stop;
        self.effects.push(Effect::Quit);
    }

    pub(super) fn stop_process(&mut self, pid: u32) {
        let ticket = self.ticket(InFlight::Other);
        self.commands.push(Command::StopProcess { ticket, pid });
    }
}
