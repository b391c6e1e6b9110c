//! A process that is stopped and goes on: by `Ctrl+Z`, from outside, and in the background of its shell, where the
//! terminal is left alone. `TSTP` from outside is the same as `Ctrl+Z`; `STOP` cannot be handled.

use std::io;
use std::time::{Duration, Instant};

use super::Run;
use crate::app::Looking;
use crate::pacer::Cause;
use crate::surface::Surface;
use crate::terminal::JobPlace;

/// The longest time until the process learns that it continued after it stopped itself, and until the last signal of
/// before that has come.
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

    /// The process stops as soon as no reply is to come.
    pub(super) fn stop_soon(&mut self) {
        self.suspends_by = Some(super::now() + super::REPLIES_TIMEOUT);
    }

    /// A signal asks the process to stop. A program that has the terminal keeps it: it got the same signal.
    pub(super) fn stop_asked(&mut self) {
        // Who waits for this process passes the signal on, also when both got it.
        if self.has_just_gone_on() || self.is_leaving() {
            return;
        }
        if !self.is_away() {
            return self.stop_soon();
        }
        if let Err(error) = self.surface.suspend() {
            // It goes on, as the shell sees.
            tracing::warn!(%error, "it could not be stopped");
        }
        self.went_on = Some(super::now());
    }

    /// True just after the process continued that had stopped itself.
    fn has_just_gone_on(&self) -> bool {
        self.went_on.is_some_and(|at| super::now() < at + OWN_STOP_TOLD)
    }

    /// The process was stopped, and goes on. If a program has the terminal, that was stopped, too.
    pub(super) fn continued(&mut self) {
        if self.has_just_gone_on() || self.is_away() || self.is_leaving() {
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
