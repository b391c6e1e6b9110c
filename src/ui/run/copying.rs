//! Copies: text for the terminal's clipboard goes out with the next frame, everything else through the
//! thread that makes copies.

use super::Run;
use crate::copies::{CopyJob, CopyOutcome};
use crate::domain::text::Text;
use crate::pacer::Cause;
use crate::surface::Surface;
use crate::terminal::Control;
use crate::text::CopyText;

/// Said where an image cannot be taken now.
const BUSY: Text = Text::new("busy: copies are being made; try again", "忙：正在处理复制，请再试");

impl<S: Surface> Run<'_, S> {
    /// Sends text to the terminal's clipboard and to the clipboard program of this machine.
    pub(super) fn copy(&mut self, text: CopyText) {
        let bytes = text.as_str().len();
        let control = Control::clipboard(&text, self.options.multiplexer);
        let is_sent = control.is_some();
        if let Some(control) = control {
            self.surface.control(&control);
            self.app.copied(&CopyOutcome::Sent { bytes });
        }
        if self.copies.has_program() {
            self.make_copy(CopyJob::Give(text));
        } else if !is_sent {
            self.app.copied(&CopyOutcome::TooLong { bytes });
        }
        self.pacer.mark(Cause::Key);
    }

    /// Gets the image in the clipboard.
    pub(super) fn take_image(&mut self, number: u64) {
        if !self.copies.make(CopyJob::TakeImage { number }) {
            self.app.copied(&CopyOutcome::NoImage { number, why: BUSY.into() });
        }
    }

    /// Hands a copy to its thread.
    pub(super) fn make_copy(&mut self, job: CopyJob) {
        if !self.copies.make(job) {
            self.app.copied(&CopyOutcome::Busy);
        }
    }
}
