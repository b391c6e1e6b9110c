//! What follows for the open dialog and the view on it.

use crate::app::App;
use crate::focus::Focus;
use crate::follow_up::{FollowUp, ToReading};
use crate::panes::transcript::ScrollMove;

impl App {
    pub(super) fn follow_reading(&mut self, to: ToReading) {
        match to {
            ToReading::Open(dialog) => {
                let shown = self.reading.open_dialog(&dialog, None);
                self.follow(shown);
            }
            ToReading::Read(dialog) => {
                self.follow([
                    FollowUp::Reading(ToReading::Open(dialog)),
                    FollowUp::Focus(Focus::Dialog),
                ]);
            }
            ToReading::ReadIfNew(dialog) => {
                let shown = self.reading.open_if_new(&dialog);
                self.follow(shown.into_iter().chain([FollowUp::Focus(Focus::Dialog)]));
            }
            ToReading::ReturnTo(dialog) => {
                let shown = self.reading.return_to(&dialog);
                self.follow(shown);
            }
            ToReading::GoToPlace(place) => {
                let shown = self.reading.go_to_place(place);
                self.follow(shown);
            }
            ToReading::ShowQuestion(row) => {
                let newest = self.model.tree.get(&row.dialog).map(|row| row.course);
                let shown = self.reading.show_question(&row, newest);
                self.follow(shown);
            }
            ToReading::ShowCall(dialog, call) => {
                let shown = self.reading.show_call(&dialog, call);
                self.follow(shown);
            }
            ToReading::ShowGeneration(dialog, course, genseq) => {
                let newest = self.model.tree.get(&dialog).map(|row| row.course);
                let shown = self.reading.show_generation(&dialog, (course, genseq), newest);
                self.follow(shown);
            }
            ToReading::ShowFound(dialog, found) => {
                let shown = self.reading.show_found(&dialog, found);
                self.follow(shown);
            }
            ToReading::Scroll(by) => {
                // The live rows always show the end.
                let is_shown = by == ScrollMove::End;
                self.reading.scroll(by);
                if self.shows_live_rows() && !is_shown {
                    self.follow([FollowUp::Focus(Focus::Dialog)]);
                }
            }
            ToReading::Search(text) => {
                if !self.overlays.search(&text) {
                    self.reading.search(&text);
                }
            }
            ToReading::StepSearch(towards) => {
                if !self.overlays.step_search(towards) {
                    self.reading.step_search(towards);
                }
            }
            ToReading::LeaveSearch => {
                if !self.overlays.leave_search() {
                    self.reading.leave_search();
                }
            }
            ToReading::ShowParts => {
                let shown = self.reading.show_parts();
                self.follow(shown);
            }
            ToReading::PreviewRefused { ticket, why } => {
                self.preview.refused(ticket, why.in_lang(self.ui.lang));
            }
            ToReading::OpenRefused(ticket) => self.reading.refused(ticket),
        }
    }
}
