//! Reading dialogs: which one is open, the view on it, and the positions to go back to.

mod copying;
mod jumping;
mod searching;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ratatui::layout::Rect;

use crate::app::drawing::app_words;
use crate::cx::UiSettings;
use crate::domain::text::Text;
use crate::domain::{Course, DialogId, Genseq};
use crate::focus::Focus;
use crate::follow_up::{FollowUp, ToModel, ToWriting};
use crate::model::{Place, Tone, ViewPosition};
use crate::panes::composer::Target;
use crate::panes::transcript::prose::Prose;
use crate::panes::transcript::{
    Landmark, OpenDialog, ScrollMove, Stop, ThinkingView, TranscriptContext, TranscriptPane,
    Unfolded, live_width,
};
use crate::protocol::{Command, InboxRow, Ticket, TranscriptPage};
use crate::request::Request;

/// Long enough for a reader to be through with the last words before they move.
const FILL_AFTER: Duration = Duration::from_secs(2);

#[derive(Debug, Default)]
pub(in crate::app) struct Reading {
    open: Option<OpenDialog>,
    transcript: TranscriptPane,
    saved_views: BTreeMap<DialogId, SavedView>,
    /// In dialogs without a saved view.
    thinking: ThinkingView,
    back: Vec<Place>,
    /// A jump searches its target, also in older courses.
    is_seeking: bool,
}

/// The view on a dialog, restored when it is opened again.
#[derive(Debug, Clone, Default)]
struct SavedView {
    position: Option<ViewPosition>,
    unfolded: Unfolded,
}

impl Reading {
    pub fn new(thinking: ThinkingView) -> Self {
        Self { thinking, ..Self::default() }
    }

    pub fn open(&self) -> Option<&OpenDialog> {
        self.open.as_ref()
    }

    pub fn dialog(&self) -> Option<&DialogId> {
        self.open.as_ref().map(|open| &open.dialog)
    }

    pub fn transcript(&self) -> &TranscriptPane {
        &self.transcript
    }

    /// Lays everything out again, for a new theme.
    pub fn forget_layout(&mut self) {
        self.transcript.forget_layout();
    }

    /// A generation of the open dialog is running.
    pub fn is_generating(&self) -> bool {
        self.open().is_some_and(|open| open.began.is_some() || open.is_streaming())
    }

    /// Returns when rows that following left blank are filled, if no frame is drawn after `drawn` before.
    pub fn fills_at(&self, drawn: Instant) -> Option<Instant> {
        let is_idle = self.open.is_some() && !self.is_generating();
        (is_idle && self.transcript.has_blank_rows()).then(|| drawn + FILL_AFTER)
    }

    /// Fills them.
    pub fn fill(&mut self) {
        self.transcript.fill();
    }

    /// The generation of the block with the cursor, with its course.
    pub fn generation(&self) -> Option<(Course, Genseq)> {
        let open = self.open()?;
        self.transcript.generation_at_cursor(open)
    }

    pub fn scroll(&mut self, to: ScrollMove) {
        self.transcript.go(to);
    }

    /// Moves, or a selection to be taken, wait for the next layout.
    pub fn has_pending_moves(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.loaded) && self.transcript.has_pending_moves()
    }

    #[cfg(test)]
    pub fn take_laid_out(&mut self) -> usize {
        self.transcript.take_laid_out()
    }

    /// A search or a jump waits for older records of the open dialog.
    pub fn seeks_older(&self) -> bool {
        let open = self.open.as_ref();
        open.is_some_and(|open| open.loaded && !open.is_complete()) && self.transcript.seeks_older()
    }

    /// Opens a dialog and remembers the position in the previous one.
    pub fn open_dialog(&mut self, dialog: &DialogId, course: Option<Course>) -> Vec<FollowUp> {
        if self.dialog().is_some_and(|before| before != dialog) {
            self.remember_position();
        }
        self.show(dialog, course)
    }

    /// Opens a dialog unless it is open already.
    pub fn open_if_new(&mut self, dialog: &DialogId) -> Vec<FollowUp> {
        if self.dialog() == Some(dialog) { Vec::new() } else { self.open_dialog(dialog, None) }
    }

    /// Replaces the open dialog.
    pub fn show(&mut self, dialog: &DialogId, course: Option<Course>) -> Vec<FollowUp> {
        self.save_view();
        self.is_seeking = false;
        let saved = self.saved_views.get(dialog).map(|view| view.unfolded.clone());
        let unfolded = saved.unwrap_or_else(|| Unfolded::at_first(self.thinking));
        self.open = Some(OpenDialog::new(dialog.clone(), unfolded));
        self.transcript = TranscriptPane::default();
        vec![
            FollowUp::Request(Request::Open { dialog: dialog.clone(), course }),
            FollowUp::Model(ToModel::SelectDialog(dialog.clone())),
            FollowUp::Writing(ToWriting::DialogShown(dialog.clone())),
        ]
    }

    /// Shows the dialog from before answering, and forgets it as a place to go back to.
    pub fn return_to(&mut self, dialog: &DialogId) -> Vec<FollowUp> {
        self.back.retain(|entry| entry.dialog != *dialog);
        self.show(dialog, None)
    }

    fn save_view(&mut self) {
        let Some(open) = &self.open else {
            return;
        };
        let view =
            SavedView { position: self.transcript.position(open), unfolded: open.unfolded.clone() };
        self.saved_views.insert(open.dialog.clone(), view);
    }

    /// A request for records was made under this ticket.
    pub fn requested(&mut self, request: &Request, ticket: Ticket) {
        let Some(open) = &mut self.open else {
            return;
        };
        if let Request::Open { .. } = request {
            open.ticket = ticket;
        } else if let Request::Reload { .. } = request {
            open.await_page(ticket);
        } else if let Request::Page { .. } = request {
            open.paging = Some(ticket);
        }
    }

    /// The dialog could not be opened.
    pub fn refused(&mut self, ticket: Ticket) {
        self.open.take_if(|open| open.ticket == ticket);
    }

    /// A page arrived: the newest records of the open dialog, or older ones.
    pub fn apply_page(&mut self, ticket: Ticket, page: TranscriptPage) {
        let Some(open) = self.open.as_mut().filter(|open| open.dialog == page.dialog) else {
            return;
        };
        if open.paging == Some(ticket) {
            let gone = open.prepend(&page);
            self.transcript.renumber(&gone);
        } else if open.ticket == ticket {
            let is_reload = open.loaded;
            let position = if is_reload {
                self.transcript.position(open)
            } else {
                self.saved_views.get(&page.dialog).and_then(|view| view.position)
            };
            open.load(page);
            if is_reload {
                self.transcript = TranscriptPane::default();
            }
            if let Some(position) = position {
                self.transcript.go_first(ScrollMove::Position(position));
            }
        }
    }

    /// Changes the open dialog if it is this one; true if that changes the screen.
    pub fn change(
        &mut self,
        dialog: &DialogId,
        change: impl FnOnce(&mut OpenDialog) -> bool,
    ) -> bool {
        let open = self.open.as_mut().filter(|open| open.dialog == *dialog);
        open.is_some_and(change)
    }

    /// Requests the shown course again, after events were lost.
    pub fn reload(&self) -> Vec<FollowUp> {
        let request = self.open().map(|open| Request::Reload {
            dialog: open.dialog.clone(),
            course: (open.course != open.courses).then_some(open.course),
        });
        request.map(FollowUp::Request).into_iter().collect()
    }

    /// A dialog was removed; closes the open one if it is gone with it. A focus on it goes to the tree.
    pub fn removed(&mut self, dialog: &DialogId, focus: Focus) -> Vec<FollowUp> {
        self.back.retain(|entry| entry.dialog.root != dialog.root);
        let lost = self
            .dialog()
            .is_some_and(|open| open == dialog || (dialog.is_main() && open.root == dialog.root));
        if !lost {
            return Vec::new();
        }
        self.open = None;
        self.transcript = TranscriptPane::default();
        let leaves = matches!(focus, Focus::Composer | Focus::Dialog);
        [FollowUp::Writing(ToWriting::WriteTo(Target::Nobody)), FollowUp::Command(Command::Close)]
            .into_iter()
            .chain(leaves.then_some(FollowUp::Focus(Focus::Tree)))
            .collect()
    }

    /// Arranges the rows for `area`. Records that are needed and not loaded are requested.
    pub fn arrange(&mut self, context: &TranscriptContext<'_>, area: Rect) -> Vec<FollowUp> {
        let Some(open) = &mut self.open else {
            return Vec::new();
        };
        let older = self.transcript.arrange(open, context, area);
        let not_found = self.transcript.take_not_found(open);
        if let Some((to, text)) = self.transcript.taken() {
            return vec![FollowUp::Copy(to, text)];
        }
        if let Some(stop) = self.transcript.take_not_stepped() {
            return vec![FollowUp::Notify(Tone::Plain, none_above(stop))];
        }
        if let Some(before) = older {
            let (dialog, course) = (open.dialog.clone(), open.first_course());
            return vec![FollowUp::Request(Request::Page { dialog, course, before })];
        }
        not_found.map(|landmark| self.search_previous_course(landmark)).unwrap_or_default()
    }

    /// Lays out the streamed text only.
    pub fn lay_out_live(&mut self, cells: usize, ui: &UiSettings) {
        if let Some(open) = &mut self.open {
            open.lay_out_live(live_width(cells), Prose::means(ui), true);
            open.trim();
        }
    }

    /// Shows where a question was asked; `newest` is the newest course of its dialog.
    pub fn show_question(&mut self, row: &InboxRow, newest: Option<Course>) -> Vec<FollowUp> {
        let asked_in = row.question.call_site_ref.course;
        let shown = self.open().is_some_and(|open| {
            open.dialog == row.dialog && (!open.loaded || open.course == asked_in)
        });
        let mut follow_ups = Vec::new();
        if !shown {
            let course = newest.filter(|newest| *newest != asked_in).map(|_| asked_in);
            follow_ups = self.open_dialog(&row.dialog, course);
        }
        self.scroll(ScrollMove::Target(Landmark::Call(row.question.call_id.clone())));
        follow_ups
    }

    pub fn other_course(&mut self, step: i64) -> Vec<FollowUp> {
        let Some(open) = &self.open else {
            return vec![FollowUp::Notify(Tone::Plain, app_words::NOTHING_OPEN)];
        };
        let wanted = i64::from(open.course.0) + step;
        let course = u32::try_from(wanted).ok().filter(|course| *course > 0).map(Course);
        match course.filter(|course| *course <= open.courses) {
            Some(course) => {
                let dialog = open.dialog.clone();
                self.show_course(&dialog, course)
            }
            None if step < 0 => vec![FollowUp::Notify(Tone::Plain, app_words::NO_OLDER_COURSE)],
            None => vec![FollowUp::Notify(Tone::Plain, app_words::NO_NEWER_COURSE)],
        }
    }

    /// Shows another course of a dialog, without the view saved for it.
    pub(in crate::app) fn show_course(
        &mut self,
        dialog: &DialogId,
        course: Course,
    ) -> Vec<FollowUp> {
        self.saved_views.remove(dialog);
        let follow_ups = self.show(dialog, Some(course));
        self.saved_views.remove(dialog);
        follow_ups
    }

    /// Opens or closes the block with the cursor.
    pub fn toggle_call(&mut self) -> Vec<FollowUp> {
        let Some(open) = &mut self.open else {
            return vec![FollowUp::Notify(Tone::Plain, app_words::NOTHING_OPEN)];
        };
        let item = self.transcript.cursor();
        if !open.is_openable(item) {
            return vec![FollowUp::Notify(Tone::Plain, app_words::NOTHING_TO_OPEN)];
        }
        self.transcript.keep_in_place(open);
        open.toggle(item);
        Vec::new()
    }

    /// True if there is more to see of the block with the cursor.
    pub fn can_open_here(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.is_openable(self.transcript.cursor()))
    }

    /// True if the cursor is on the block in this row of the pane, and there is more to see of it.
    pub fn is_openable_at(&self, row: usize) -> bool {
        let Some(open) = &self.open else { return false };
        let item = self.transcript.item_in_row(open, row);
        item.is_some_and(|item| item == self.transcript.cursor() && open.is_openable(item))
    }

    /// Puts the cursor on the block in this row of the pane, if there is one.
    pub fn point_at(&mut self, row: usize) {
        let item = self.open.as_ref().and_then(|open| self.transcript.item_in_row(open, row));
        if let Some(item) = item {
            self.transcript.go(ScrollMove::Cursor(item));
        }
    }

    pub fn toggle_thinking(&mut self) -> Vec<FollowUp> {
        let Some(open) = &mut self.open else {
            return vec![FollowUp::Notify(Tone::Plain, app_words::NOTHING_OPEN)];
        };
        self.transcript.keep_in_place(open);
        open.toggle_thinking();
        Vec::new()
    }
}

fn none_above(stop: Stop) -> Text {
    match stop {
        Stop::Question => app_words::NO_QUESTION_ABOVE,
        Stop::Change => app_words::NO_CHANGE_ABOVE,
        Stop::Call | Stop::Block => app_words::NO_CALL_ABOVE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RootId;

    fn dialog(name: &str) -> DialogId {
        DialogId::main(RootId::new(name))
    }

    #[test]
    fn a_dialog_that_is_opened_is_requested_selected_and_written_to() {
        let mut reading = Reading::default();
        let a = dialog("a");
        let expected = [
            FollowUp::Request(Request::Open { dialog: a.clone(), course: None }),
            FollowUp::Model(ToModel::SelectDialog(a.clone())),
            FollowUp::Writing(ToWriting::DialogShown(a.clone())),
        ];
        assert_eq!(reading.open_if_new(&a), expected);
        assert_eq!(reading.open_if_new(&a), []);
    }

    #[test]
    fn back_leads_to_the_dialog_read_before_and_then_nowhere() {
        let mut reading = Reading::default();
        for name in ["a", "b"] {
            reading.open_dialog(&dialog(name), None);
        }
        assert!(reading.go_back().contains(&FollowUp::Model(ToModel::SelectDialog(dialog("a")))));
        let nothing = FollowUp::Notify(Tone::Plain, app_words::NOTHING_BEFORE);
        assert_eq!(reading.go_back(), [nothing]);
    }

    #[test]
    fn a_removed_dialog_is_closed_and_no_position_to_go_back_to() {
        let mut reading = Reading::default();
        for name in ["a", "b"] {
            reading.open_dialog(&dialog(name), None);
        }
        assert_eq!(reading.removed(&dialog("a"), Focus::Tree), []);
        let closed = reading.removed(&dialog("b"), Focus::Dialog);
        assert!(closed.contains(&FollowUp::Writing(ToWriting::WriteTo(Target::Nobody))));
        assert!(closed.contains(&FollowUp::Focus(Focus::Tree)));
        assert_eq!(reading.dialog(), None);
        assert_eq!(reading.go_back().len(), 1);
    }

    #[test]
    fn only_the_request_that_opened_the_dialog_closes_it_when_refused() {
        let mut reading = Reading::default();
        reading.open_dialog(&dialog("a"), None);
        let request = Request::Open { dialog: dialog("a"), course: None };
        reading.requested(&request, 7);
        reading.refused(6);
        assert_eq!(reading.dialog(), Some(&dialog("a")));
        reading.refused(7);
        assert_eq!(reading.dialog(), None);
    }
}
