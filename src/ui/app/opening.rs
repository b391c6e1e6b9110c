//! Opening dialogs and restoring the view on them.

use super::{App, Focus, Request, SavedView};
use crate::domain::{Course, DialogId};
use crate::protocol::{Command, TranscriptPage};
use crate::ui::lang::Word;
use crate::ui::model::{OpenDialog, Tone};
use crate::ui::panes::composer::Target;
use crate::ui::panes::transcript::{ScrollMove, TranscriptPane};

impl App {
    /// Opens a dialog and remembers the position in the previous one.
    pub(super) fn open(&mut self, dialog: &DialogId, course: Option<Course>) {
        let before = self.model.open.as_ref().map(|open| open.dialog.clone());
        if before.is_some_and(|before| before != *dialog) {
            self.remember_position();
        }
        self.show(dialog, course);
    }

    /// Replaces the open dialog.
    pub(super) fn show(&mut self, dialog: &DialogId, course: Option<Course>) {
        self.save_view();
        self.is_seeking = false;
        self.model.tree.select(dialog);
        let ticket = self.request(Request::Open { dialog: dialog.clone(), course });
        let unfolded = self.saved_views.get(dialog).map(|visit| visit.unfolded.clone());
        let open = OpenDialog::new(dialog.clone(), ticket, unfolded.unwrap_or_default());
        self.model.open = Some(open);
        self.transcript = TranscriptPane::default();
        if !matches!(self.composer.target, Target::Question { .. }) {
            self.write_to(Target::Dialog(dialog.clone()));
        }
    }

    fn save_view(&mut self) {
        let Some(open) = &self.model.open else {
            return;
        };
        let visit = SavedView {
            position: self.transcript.top_position(open),
            unfolded: open.unfolded.clone(),
        };
        self.saved_views.insert(open.dialog.clone(), visit);
    }

    /// A page arrived: the newest records of the open dialog, or older ones.
    pub(super) fn apply_page(&mut self, ticket: u64, page: TranscriptPage) {
        self.requests.finish(ticket);
        let Some(open) = self.model.open.as_mut().filter(|open| open.dialog == page.dialog) else {
            return;
        };
        if open.paging == Some(ticket) {
            open.prepend(&page);
        } else if open.ticket == ticket {
            let is_reload = open.loaded;
            let place = if is_reload {
                self.transcript.top_position(open)
            } else {
                self.saved_views.get(&page.dialog).and_then(|visit| visit.position)
            };
            open.load(page);
            if is_reload {
                self.transcript = TranscriptPane::default();
            }
            if let Some((place, row)) = place {
                self.transcript.go_first(ScrollMove::Position(place, row));
            }
        }
        self.dirty = true;
    }

    /// Requests the shown course again, after events were lost.
    pub(super) fn reopen(&mut self) {
        let Some(open) = &self.model.open else {
            return;
        };
        let course = (open.course != open.courses).then_some(open.course);
        let ticket = self.request(Request::Reload { dialog: open.dialog.clone(), course });
        if let Some(open) = &mut self.model.open {
            open.await_page(ticket);
        }
    }

    pub(super) fn close_open(&mut self) {
        self.model.open = None;
        self.transcript = TranscriptPane::default();
        self.write_to(Target::Nobody);
        self.commands.push(Command::Close);
    }

    pub(super) fn request_older(&mut self, before: usize) {
        let Some(open) = &self.model.open else {
            return;
        };
        let (dialog, course) = (open.dialog.clone(), open.first_course());
        let ticket = self.request(Request::Page { dialog, course, before });
        if let Some(open) = &mut self.model.open {
            open.paging = Some(ticket);
        }
    }

    pub(super) fn open_selected(&mut self) {
        if let Some(dialog) = self.model.tree.selected_dialog() {
            self.open_if_new(&dialog);
            self.set_focus(Focus::Dialog);
        } else {
            self.model.tree.toggle();
        }
    }

    fn open_if_new(&mut self, dialog: &DialogId) {
        if self.model.open.as_ref().is_none_or(|open| open.dialog != *dialog) {
            self.open(dialog, None);
        }
    }

    pub(super) fn other_course(&mut self, step: i64) {
        let Some(open) = &self.model.open else {
            return self.notify(Tone::Plain, Word::NothingOpen);
        };
        let wanted = i64::from(open.course.0) + step;
        let course = u32::try_from(wanted).ok().filter(|course| *course > 0).map(Course);
        match course.filter(|course| *course <= open.courses) {
            Some(course) => {
                let dialog = open.dialog.clone();
                self.saved_views.remove(&dialog);
                self.show(&dialog, Some(course));
                self.saved_views.remove(&dialog);
            }
            None if step < 0 => self.notify(Tone::Plain, Word::NoOlderCourse),
            None => self.notify(Tone::Plain, Word::NoNewerCourse),
        }
    }

    /// Opens or closes the block being read.
    pub(super) fn toggle_call(&mut self) {
        let Some(open) = &mut self.model.open else {
            return self.notify(Tone::Plain, Word::NothingOpen);
        };
        let chosen = self.transcript.chosen_to_open(open);
        let place = chosen.and_then(|item| open.block(item)).map(|block| block.place);
        let Some(place) = place else {
            return self.notify(Tone::Plain, Word::NothingToOpen);
        };
        self.transcript.ignore_growth();
        if !open.unfolded.blocks.remove(&place) {
            open.unfolded.blocks.insert(place);
        }
    }

    pub(super) fn toggle_thinking(&mut self) {
        let Some(open) = &mut self.model.open else {
            return self.notify(Tone::Plain, Word::NothingOpen);
        };
        self.transcript.ignore_growth();
        open.unfolded.thinking = !open.unfolded.thinking;
    }

    pub(super) fn next_waiting(&mut self) {
        let needing = self.model.tree.needing_attention();
        let current = self.model.open.as_ref().map(|open| &open.dialog);
        let at = current.and_then(|current| needing.iter().position(|d| d == current));
        let next = at.map_or(0, |at| at + 1);
        match needing.get(next).or_else(|| needing.first()).cloned() {
            Some(dialog) => {
                self.open_if_new(&dialog);
                self.set_focus(Focus::Dialog);
            }
            None => self.notify(Tone::Plain, Word::NobodyWaits),
        }
    }

    pub(super) fn choose_asker(&mut self) {
        let Some(dialog) = self.selected_dialog() else {
            return;
        };
        let asker = self.model.tree.get(&dialog).and_then(|row| row.asker.clone());
        match asker {
            Some(asker) => self.model.tree.select(&DialogId::side(&dialog.root, &asker)),
            None => self.notify(Tone::Plain, Word::NoAsker),
        }
    }
}
