//! What follows for what is known of the workspace.

use crate::app::App;
use crate::follow_up::{FilteredList, ToModel};
use crate::model::Filter;

impl App {
    pub(super) fn follow_model(&mut self, to: ToModel) {
        match to {
            ToModel::SelectDialog(dialog) => self.model.tree.select(&dialog),
            ToModel::SelectQuestion(id) => self.model.inbox.select_id(&id),
            ToModel::PutOff(question, time) => {
                let owners = (&mut self.model.inbox, &mut self.attention.alerts);
                let times = (&self.clock.now(), self.redraw.now());
                let told = self.writing.put_off((question.as_str(), time), owners, times);
                self.follow(told);
            }
            ToModel::Filter(FilteredList::Dialogs, text) => {
                self.model.tree.set_filter(Filter::new(&text));
            }
            ToModel::Filter(FilteredList::Questions, text) => {
                self.model.inbox.set_filter(Filter::new(&text));
            }
            ToModel::StepIn(FilteredList::Dialogs, rows) => self.model.tree.step(rows),
            ToModel::StepIn(FilteredList::Questions, rows) => self.model.inbox.step(rows),
            ToModel::ClearMarks => self.model.tree.clear_marks(),
            ToModel::MarkSent(id) => self.model.inbox.mark_sent(&id),
            ToModel::UnmarkSent(id) => self.model.inbox.unmark_sent(&id),
            ToModel::TaskdocUsed(taskdoc) => {
                self.model.workspace.move_taskdoc_to_front(taskdoc);
            }
        }
    }
}
