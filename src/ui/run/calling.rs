//! Draws attention: the bell and a notification go out with the next frame.

use super::Run;
use crate::ui::caller::Call;
use crate::ui::pacer::Cause;
use crate::ui::surface::Surface;
use crate::ui::terminal::Control;
use crate::ui::text::SafeText;

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
