//! Declaring dead, marking done, archiving, restoring, deleting and forking dialogs.

use super::{App, InFlight};
use crate::domain::{Bucket, Course, DialogId, Genseq};
use crate::protocol::{AfterFork, Command, Lifecycle, ShelfRow, Ticket};
use crate::ui::action::Action;
use crate::ui::cx::Intent;
use crate::ui::lang::Word;
use crate::ui::model::{DraftKey, Mark, Tone};
use crate::ui::panes::confirm::Confirm;
use crate::ui::panes::input_prompt::{InputPrompt, PromptPurpose};
use crate::ui::panes::shelf::{self, Shelf, dialog_name};
use crate::ui::panes::tree;

impl App {
    /// For side dialogs only. Asks for a note, then for a confirmation.
    pub(super) fn ask_to_declare_dead(&mut self) {
        let Some(dialog) = self.selected_dialog() else { return };
        let dead = self.model.tree.get(&dialog).map(Mark::of) == Some(Mark::Dead);
        if dialog.is_main() {
            self.notify(Tone::Plain, Word::OnlySideDialogs);
        } else if dead {
            self.notify(Tone::Plain, Word::DeadAlready);
        } else {
            let name = self.name_of(&dialog);
            self.overlays.push(Box::new(InputPrompt::new(
                PromptPurpose::DeclareDead(dialog),
                &name,
                "",
            )));
        }
    }

    /// Marks done or archives: at once if nothing is open in the tree, else after a confirmation.
    pub(super) fn put_away(&mut self, to: Bucket) {
        let Some(dialog) = self.selected_main() else { return };
        let change = Lifecycle::Move { root: dialog.root.clone(), to };
        if self.something_is_open(&dialog) {
            let word = if to == Bucket::Archive { Word::ArchiveOpen } else { Word::DoneOpen };
            let question = self.ui.sentence(word, &self.name_of(&dialog));
            let yes = Intent::Lifecycle(change);
            self.overlays.push(Box::new(Confirm::with_text(&question, yes)));
        } else {
            self.change_lifecycle(change);
        }
    }

    pub(super) fn ask_to_delete(&mut self) {
        let Some(dialog) = self.selected_main() else { return };
        let question = self.ui.sentence(Word::DeleteQuestion, &self.name_of(&dialog));
        let yes = Intent::Lifecycle(Lifecycle::Delete { root: dialog.root });
        self.overlays.push(Box::new(Confirm::permanent(&question, yes)));
    }

    /// The name of a dialog in messages: its member and its subject.
    fn name_of(&self, dialog: &DialogId) -> String {
        let Some(row) = self.model.tree.get(dialog) else { return dialog.to_string() };
        let about = self.ui.about(&row.about, row.history);
        dialog_name(&row.agent, row.slug.as_ref(), &about, &row.taskdoc)
    }

    /// Proposes the newest generation; the user may enter another.
    pub(super) fn ask_to_fork_selected(&mut self) {
        let Some(dialog) = self.selected_main() else { return };
        let newest = self.model.tree.get(&dialog).map(|row| (row.course, row.genseq));
        self.ask_to_fork(dialog, newest);
    }

    /// Proposes the generation being read.
    pub(super) fn ask_to_fork_open(&mut self) {
        let Some(open) = &self.model.open else {
            return self.notify(Tone::Plain, Word::NothingOpen);
        };
        let dialog = open.dialog.clone();
        let read = self.transcript.read_generation(open).map(|genseq| (open.course, genseq));
        if dialog.is_main() {
            self.ask_to_fork(dialog, read);
        } else {
            self.notify(Tone::Plain, Word::OnlyMainDialogs);
        }
    }

    fn ask_to_fork(&mut self, dialog: DialogId, at: Option<(Course, Genseq)>) {
        let text = at.map(|(course, genseq)| format!("{course}.{genseq}")).unwrap_or_default();
        let name = self.name_of(&dialog);
        self.overlays.push(Box::new(InputPrompt::new(
            PromptPurpose::Fork(dialog.root),
            &name,
            &text,
        )));
    }

    fn selected_main(&mut self) -> Option<DialogId> {
        let dialog = self.selected_dialog()?;
        if dialog.is_main() {
            return Some(dialog);
        }
        self.notify(Tone::Plain, Word::OnlyMainDialogs);
        None
    }

    fn something_is_open(&self, main: &DialogId) -> bool {
        let mut rows = self.model.tree.all().filter(|row| row.dialog.root == main.root);
        rows.any(|row| match Mark::of(row) {
            Mark::Running | Mark::Stopping | Mark::Waiting | Mark::NeedsYou | Mark::Stopped => true,
            Mark::Idle | Mark::Done | Mark::Dead => false,
        })
    }

    pub(super) fn change_lifecycle(&mut self, change: Lifecycle) {
        let name = match &change {
            Lifecycle::DeclareDead { dialog, .. } => self.name_of(dialog),
            Lifecycle::Delete { root }
            | Lifecycle::Move { root, .. }
            | Lifecycle::Fork { root, .. } => self.name_of(&DialogId::main(root.clone())),
        };
        self.send_lifecycle(change, name);
    }

    pub(super) fn send_lifecycle(&mut self, change: Lifecycle, name: String) {
        let ticket = self.ticket(InFlight::Lifecycle(change.clone(), name));
        self.commands.push(Command::Lifecycle { ticket, change });
    }

    /// The change is on disk: notifies the user, with the keys that undo it, and opens a restored dialog.
    pub(super) fn lifecycle_changed(&mut self, change: &Lifecycle, name: &str) {
        let (tone, word) = match change {
            Lifecycle::DeclareDead { .. } => (Tone::Plain, Word::DeclaredDead),
            Lifecycle::Delete { .. } => (Tone::Plain, Word::Deleted),
            Lifecycle::Move { root, to: Bucket::Run } => {
                self.open(&DialogId::main(root.clone()), None);
                (Tone::Good, Word::Restored)
            }
            Lifecycle::Move { root, to: to @ (Bucket::Done | Bucket::Archive) } => {
                self.last_put_away = Some(root.clone());
                let word =
                    if *to == Bucket::Archive { Word::ArchivedNow } else { Word::MarkedDone };
                return self.notify_undo(word, name);
            }
            Lifecycle::Fork { .. } => (Tone::Good, Word::Forked),
        };
        let text = self.ui.sentence(word, name);
        self.notify_text(tone, &text);
    }

    /// The list opens at the last dialog that was marked done or archived, so two keys restore it.
    fn notify_undo(&mut self, word: Word, name: &str) {
        let (list, revive) = (
            self.ui.key(tree::SCOPE, Action::OpenShelf),
            self.ui.key(shelf::SCOPE, Action::Revive),
        );
        let done = self.ui.sentence(word, name);
        let (dot, undo) = (self.ui.glyphs.middle_dot, self.ui.word(Word::UndoWith));
        self.notify_text(Tone::Plain, &format!("{done} {dot} {undo} {list} {revive}"));
    }

    /// Opens the fork; a message that is to be sent again is put into the composer.
    pub(super) fn forked(&mut self, dialog: &DialogId, next: AfterFork) {
        let AfterFork::DraftUserText(text) = next else {
            self.open(dialog, None);
            return;
        };
        self.drafts.set(&DraftKey::Message(dialog.clone()), &text, self.moment);
        self.open(dialog, None);
        self.focus_composer();
    }

    pub(super) fn request_shelf(&mut self) {
        let ticket = self.ticket(InFlight::Other);
        self.commands.push(Command::Shelf { ticket });
    }

    pub(super) fn show_shelf(&mut self, ticket: Ticket, rows: Vec<ShelfRow>) {
        if self.in_flight.remove(&ticket).is_some() {
            let chosen = self.last_put_away.as_ref();
            self.overlays.push(Box::new(Shelf::new(rows, chosen)));
        }
    }
}
