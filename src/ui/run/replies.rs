//! Replies of the terminal about itself: its colours, what it can show, what it draws two cells wide.

use super::{Background, LinkUse, Run};
use crate::app::LookChange;
use crate::input::Reply;
use crate::pacer::Cause;
use crate::surface::Surface;
use crate::terminal::{Control, LinkSupport, Notifier};
use crate::text::wide_chars::WideChars;
use crate::theme::Shade;

impl<S: Surface> Run<'_, S> {
    /// Handles a reply. Only colours, links and widths change the screen.
    pub(super) fn reply(&mut self, reply: Reply) {
        match reply {
            Reply::Background(colour) => {
                self.background = Background::Replied;
                self.app.change_look(LookChange::Background(Shade::of(colour)));
            }
            // The desktop may have changed, and not the terminal: its own colour decides.
            Reply::Scheme(shade) => match self.background {
                Background::Replied => self.ask_background(),
                Background::Unknown => self.app.change_look(LookChange::Background(shade)),
            },
            Reply::Terminal { notifier, links } => {
                if let Some(notifier) = notifier {
                    self.notifier = self.notifier.or_better(notifier);
                }
                if (self.options.links, links) == (LinkUse::Auto, LinkSupport::Known) {
                    self.show_links();
                }
            }
            // The environment may name none, or take it for another one.
            Reply::Multiplexer(multiplexer) => {
                if self.options.multiplexer != multiplexer {
                    self.options.multiplexer = multiplexer;
                    self.notifier = Notifier::unasked(multiplexer);
                }
            }
            Reply::Notifies(notifier) => self.notifier = self.notifier.or_better(notifier),
            Reply::Status => self.pacer.replied(super::now()),
            Reply::Column(column) => self.measure(column),
            Reply::Attributes => {}
        }
    }

    /// The cursor was in this column, before or after the characters that were written to be measured.
    fn measure(&mut self, column: u16) {
        let Some(start) = self.measured_from.take() else {
            self.measured_from = Some(column);
            return;
        };
        match WideChars::measured(start, column) {
            Some(WideChars::None) | None => {}
            Some(wide @ (WideChars::Signs | WideChars::SignsAndLetters)) => {
                self.app.change_look(LookChange::Wide(wide));
                self.surface.repaint();
            }
        }
    }

    pub(super) fn show_links(&mut self) {
        self.surface.show_links(self.app.settings().links.clone());
        self.app.resized();
    }

    /// Asks for the background again after another program had the terminal, whose colours may differ
    /// now. A terminal that did not reply is not asked again.
    pub(super) fn ask_background_again(&mut self) {
        if self.background == Background::Replied {
            self.ask_background();
        }
    }

    fn ask_background(&mut self) {
        self.surface.control(&Control::ask_background());
        self.pacer.mark(Cause::Event);
    }
}
