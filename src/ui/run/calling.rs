//! Draws attention: the bell and a notification go out with the next frame, calls through their thread.

use super::Run;
use crate::ui::caller::Call;
use crate::ui::pacer::Cause;
use crate::ui::surface::Surface;
use crate::ui::terminal::Control;

impl<S: Surface> Run<'_, S> {
    pub(super) fn ring(&mut self, call: Call) {
        self.surface.control(&Control::bell());
        let multiplexer = self.options.multiplexer;
        if let Some(notice) = Control::notification(&call.text, self.notifier, multiplexer) {
            self.surface.control(&notice);
        }
        self.caller.call(call);
        self.pacer.mark(Cause::Event);
    }
}
