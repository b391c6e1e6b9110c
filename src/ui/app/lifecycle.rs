//! Dialogs that are ended, put away, brought back, branched off.

use super::{App, Waiting};
use crate::domain::{Bucket, Course, DialogId, Genseq};
use crate::protocol::{AfterFork, Command, Lifecycle, ShelfRow, Ticket};
use crate::ui::cx::Intent;
use crate::ui::lang::Word;
use crate::ui::model::{DraftKey, Mark, Tone};
use crate::ui::panes::ask::{Ask, Purpose};
use crate::ui::panes::confirm::Confirm;
use crate::ui::panes::shelf::Shelf;

impl App {
    /// A side dialog only; a note is asked for, and gives time to think again.
    pub(super) fn ask_to_declare_dead(&mut self) {
        let Some(dialog) = self.model.tree.selected_dialog() else { return };
        let dead = self.model.tree.get(&dialog).map(Mark::of) == Some(Mark::Dead);
        if dialog.is_main() {
            self.say(Tone::Plain, Word::OnlySideDialogs);
        } else if dead {
            self.say(Tone::Plain, Word::DeadAlready);
        } else {
            self.overlays.push(Box::new(Ask::new(Purpose::DeclareDead(dialog), "")));
        }
    }

    /// At once where nothing is open in the tree, else after a question.
    pub(super) fn put_away(&mut self, to: Bucket) {
        let Some(dialog) = self.selected_main() else { return };
        let change = Lifecycle::Move { root: dialog.root.clone(), to };
        if self.something_is_open(&dialog) {
            self.ask_first(Word::PutAwayOpen, change);
        } else {
            self.change_life(change);
        }
    }

    pub(super) fn ask_to_delete(&mut self) {
        if let Some(dialog) = self.selected_main() {
            self.ask_first(Word::DeleteQuestion, Lifecycle::Delete { root: dialog.root });
        }
    }

    /// Before the newest generation, unless the person names another.
    pub(super) fn ask_to_fork_selected(&mut self) {
        let Some(dialog) = self.selected_main() else { return };
        let newest = self.model.tree.get(&dialog).map(|row| (row.course, row.genseq));
        self.ask_to_fork(dialog, newest);
    }

    /// Before the generation the person reads.
    pub(super) fn ask_to_fork_open(&mut self) {
        let Some(open) = &self.model.open else { return };
        let dialog = open.dialog.clone();
        let read = self.transcript.read_generation(open).map(|genseq| (open.course, genseq));
        if dialog.is_main() {
            self.ask_to_fork(dialog, read);
        } else {
            self.say(Tone::Plain, Word::OnlyMainDialogs);
        }
    }

    fn ask_to_fork(&mut self, dialog: DialogId, at: Option<(Course, Genseq)>) {
        let text = at.map(|(course, genseq)| format!("{course}.{genseq}")).unwrap_or_default();
        self.overlays.push(Box::new(Ask::new(Purpose::Fork(dialog.root), &text)));
    }

    fn selected_main(&mut self) -> Option<DialogId> {
        let dialog = self.model.tree.selected_dialog()?;
        if dialog.is_main() {
            return Some(dialog);
        }
        self.say(Tone::Plain, Word::OnlyMainDialogs);
        None
    }

    fn something_is_open(&self, main: &DialogId) -> bool {
        let mut rows = self.model.tree.all().filter(|row| row.dialog.root == main.root);
        rows.any(|row| match Mark::of(row) {
            Mark::Running | Mark::Stopping | Mark::Waiting | Mark::NeedsYou | Mark::Stopped => true,
            Mark::Idle | Mark::Done | Mark::Dead => false,
        })
    }

    pub(super) fn ask_first(&mut self, question: Word, change: Lifecycle) {
        self.overlays.push(Box::new(Confirm::new(question, Intent::Lifecycle(change))));
    }

    pub(super) fn change_life(&mut self, change: Lifecycle) {
        let ticket = self.ticket(Waiting::Lifecycle(change.clone()));
        self.commands.push(Command::Lifecycle { ticket, change });
    }

    /// It is on disk: the person is told, and what came is shown.
    pub(super) fn life_changed(&mut self, change: &Lifecycle) {
        match change {
            Lifecycle::DeclareDead { .. } => self.say(Tone::Plain, Word::DeclaredDead),
            Lifecycle::Delete { .. } => self.say(Tone::Plain, Word::Deleted),
            Lifecycle::Move { root, to: Bucket::Run } => {
                self.open(&DialogId::main(root.clone()), None);
                self.say(Tone::Good, Word::BroughtBack);
            }
            Lifecycle::Move { to: Bucket::Done | Bucket::Archive, .. } => {
                self.say(Tone::Plain, Word::PutAway);
            }
            Lifecycle::Fork { .. } => self.say(Tone::Good, Word::Forked),
        }
    }

    /// The fork opens; words that are to be said anew stand in the composer.
    pub(super) fn forked(&mut self, dialog: &DialogId, next: AfterFork) {
        let AfterFork::DraftUserText(text) = next else {
            self.open(dialog, None);
            return;
        };
        self.drafts.set(&DraftKey::Message(dialog.clone()), &text, self.moment);
        self.open(dialog, None);
        self.focus_composer();
    }

    pub(super) fn want_shelf(&mut self) {
        let ticket = self.ticket(Waiting::Other);
        self.commands.push(Command::Shelf { ticket });
    }

    pub(super) fn show_shelf(&mut self, ticket: Ticket, rows: Vec<ShelfRow>) {
        if self.waiting.remove(&ticket).is_some() {
            self.overlays.push(Box::new(Shelf::new(rows)));
        }
    }
}
