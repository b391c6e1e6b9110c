//! A process that is stopped and goes on: by `Ctrl+Z`, from outside, and in the background of its shell, where the
//! terminal is left alone.

use std::io;
use std::time::{Duration, Instant};

use super::Run;
use crate::ui::app::Looking;
use crate::ui::pacer::Cause;
use crate::ui::surface::Surface;
use crate::ui::terminal::JobPlace;

/// The longest time until the process learns that it continued after it stopped itself.
const OWN_STOP_TOLD: Duration = Duration::from_secs(1);

impl<S: Surface> Run<'_, S> {
    /// Once no reply is to come, which would be typed there.
    pub(super) fn give_terminal_away(&mut self, now: Instant) -> io::Result<()> {
        let awaits = self.pacer.awaits_replies(now);
        if self.suspends_by.is_some_and(|by| !awaits || by <= now) {
            self.suspends_by = None;
            self.app.look(Looking::Unknown);
            self.place = self.surface.suspend()?;
            self.went_on = Some(super::now());
            self.came_back();
        } else if self.place == JobPlace::Background
            && self.surface.job_place() == JobPlace::Foreground
        {
            self.place = JobPlace::Foreground;
            self.surface.take_back()?;
            self.came_back();
        }
        if let Some((job, prepared)) = self.foreground.take_ready(|by| !awaits || by <= now) {
            self.run(job, prepared);
        }
        Ok(())
    }

    /// True while the terminal is not for this screen.
    pub(super) fn is_away(&self) -> bool {
        self.place == JobPlace::Background || self.foreground.has_terminal()
    }

    /// Handles the continuation after a stop of the process.
    fn came_back(&mut self) {
        self.pacer.interrupted();
        if self.place == JobPlace::Foreground {
            self.ask_background_again();
            self.pacer.mark(Cause::Key);
        }
    }

    /// The process was stopped, and goes on. If a program has the terminal, that was stopped, too.
    pub(super) fn continued(&mut self) {
        let by_itself = self.went_on.is_some_and(|at| super::now() < at + OWN_STOP_TOLD);
        if by_itself || self.is_away() || self.is_leaving() {
            return;
        }
        match self.surface.continued() {
            Ok(place) => {
                self.place = place;
                self.came_back();
            }
            Err(error) => {
                tracing::warn!(%error, "the terminal is gone");
                self.leave(self.options.without_terminal);
            }
        }
    }
}
