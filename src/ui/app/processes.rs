//! Background processes: their list, and the question about them when the program quits.

use super::{App, QuitPolicy};
use crate::domain::sandbox::Level;
use crate::ui::panes::quit::QuitPrompt;

impl App {
    /// What the user chose when quitting.
    pub fn quit_policy(&self) -> QuitPolicy {
        self.quitting.policy()
    }

    /// Sets the sandbox level of commands to show.
    pub fn show_level(&mut self, level: Level) {
        self.model.level = Some(level);
        self.dirty = true;
    }

    pub(super) fn ask_about_processes(&mut self) {
        let sandboxed = self.model.level.is_some_and(|level| level != Level::Off);
        self.overlays.push(QuitPrompt { sandboxed });
    }
}
