//! Draws attention: the bell and a notification go out with the next frame.

use super::Run;
use crate::caller::Call;
use crate::pacer::Cause;
use crate::surface::Surface;
use crate::terminal::Control;
use crate::text::SafeText;

impl<S: Surface> Run<'_, S> {
    pub(super) fn ring(&mut self, call: &Call) {
        if !self.foreground.holds_ring(&call.text) {
            self.ring_terminal(&call.text);
        }
    }

    pub(super) fn ring_terminal(&mut self, text: &SafeText) {
        self.surface.control(&Control::bell());
        let multiplexer = self.options.multiplexer;
        if let Some(notice) = Control::notification(text, self.notifier, multiplexer) {
            self.surface.control(&notice);
        }
        self.pacer.mark(Cause::Event);
    }
}
