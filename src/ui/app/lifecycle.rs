//! Declaring dead, marking done, archiving, restoring, deleting and forking dialogs.

use super::{App, Request};
use crate::domain::{Bucket, Course, DialogId, Genseq};
use crate::protocol::{AfterFork, Lifecycle, ShelfRow, Ticket};
use crate::ui::action::Action;
use crate::ui::cx::{Intent, UiSettings};
use crate::ui::lang::Word;
use crate::ui::lists::shelf::{self, dialog_name};
use crate::ui::model::{DraftKey, Mark, Model, Tone, Tree};
use crate::ui::panes::confirm::Confirm;
use crate::ui::panes::input_prompt::{InputPrompt, PromptPurpose};
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
            let name = name_of(&self.model, &self.ui, &dialog);
            self.overlays.push(InputPrompt::new(PromptPurpose::DeclareDead(dialog), &name, ""));
        }
    }

    /// Marks done or archives: at once if nothing is open in the tree, else after a confirmation.
    pub(super) fn put_away(&mut self, to: Bucket) {
        let Some(dialog) = self.selected_main() else { return };
        let change = Lifecycle::Move { root: dialog.root.clone(), to };
        if something_is_open(&self.model.tree, &dialog) {
            let word = if to == Bucket::Archive { Word::ArchiveOpen } else { Word::DoneOpen };
            let question = self.ui.sentence(word, &name_of(&self.model, &self.ui, &dialog));
            let yes = Intent::Lifecycle(change);
            self.overlays.push(Confirm::with_text(&question, yes));
        } else {
            self.change_lifecycle(change);
        }
    }

    pub(super) fn ask_to_delete(&mut self) {
        let Some(dialog) = self.selected_main() else { return };
        let question =
            self.ui.sentence(Word::DeleteQuestion, &name_of(&self.model, &self.ui, &dialog));
        let yes = Intent::Lifecycle(Lifecycle::Delete { root: dialog.root });
        self.overlays.push(Confirm::permanent(&question, yes));
    }

    /// Proposes the newest generation; the user may enter another.
    pub(super) fn ask_to_fork_selected(&mut self) {
        let Some(dialog) = self.selected_main() else { return };
        let newest = self.model.tree.get(&dialog).map(|row| (row.course, row.genseq));
        self.ask_to_fork(dialog, newest);
    }

    /// Proposes the generation being read.
    pub(super) fn ask_to_fork_open(&mut self) {
        let Some(dialog) = self.reading.dialog().cloned() else {
            return self.notify(Tone::Plain, Word::NothingOpen);
        };
        let read = self.reading.generation();
        if dialog.is_main() {
            self.ask_to_fork(dialog, read);
        } else {
            self.notify(Tone::Plain, Word::OnlyMainDialogs);
        }
    }

    fn ask_to_fork(&mut self, dialog: DialogId, at: Option<(Course, Genseq)>) {
        let text = at.map(|(course, genseq)| format!("{course}.{genseq}")).unwrap_or_default();
        let name = name_of(&self.model, &self.ui, &dialog);
        self.overlays.push(InputPrompt::new(PromptPurpose::Fork(dialog.root), &name, &text));
    }

    fn selected_main(&mut self) -> Option<DialogId> {
        let dialog = self.selected_dialog()?;
        if dialog.is_main() {
            return Some(dialog);
        }
        self.notify(Tone::Plain, Word::OnlyMainDialogs);
        None
    }

    pub(super) fn change_lifecycle(&mut self, change: Lifecycle) {
        let name = match &change {
            Lifecycle::DeclareDead { dialog, .. } => name_of(&self.model, &self.ui, dialog),
            Lifecycle::Delete { root }
            | Lifecycle::Move { root, .. }
            | Lifecycle::Fork { root, .. } => {
                name_of(&self.model, &self.ui, &DialogId::main(root.clone()))
            }
        };
        self.send_lifecycle(change, name);
    }

    pub(super) fn send_lifecycle(&mut self, change: Lifecycle, name: String) {
        self.request(Request::Lifecycle { change, name });
    }

    /// The change is on disk: notifies the user, with the keys that undo it, and opens a restored dialog.
    pub(super) fn lifecycle_changed(&mut self, change: &Lifecycle, name: &str) {
        let (tone, word) = match change {
            Lifecycle::DeclareDead { .. } => (Tone::Plain, Word::DeclaredDead),
            Lifecycle::Delete { .. } => (Tone::Plain, Word::Deleted),
            Lifecycle::Move { root, to: Bucket::Run } => {
                self.open(&DialogId::main(root.clone()));
                (Tone::Good, Word::Restored)
            }
            Lifecycle::Move { root, to: to @ (Bucket::Done | Bucket::Archive) } => {
                self.overlays.put_away(root.clone());
                let word =
                    if *to == Bucket::Archive { Word::ArchivedNow } else { Word::MarkedDone };
                let text = with_undo(&self.ui, word, name);
                return self.notify_text(Tone::Plain, &text);
            }
            Lifecycle::Fork { .. } => (Tone::Good, Word::Forked),
        };
        let text = self.ui.sentence(word, name);
        self.notify_text(tone, &text);
    }

    /// Opens the fork; a message that is to be sent again is put into the composer.
    pub(super) fn forked(&mut self, dialog: &DialogId, next: AfterFork) {
        let AfterFork::DraftUserText(text) = next else {
            return self.open(dialog);
        };
        self.writing.set_draft(&DraftKey::Message(dialog.clone()), &text, self.moment);
        self.open(dialog);
        self.focus_composer();
    }

    pub(super) fn show_shelf(&mut self, ticket: Ticket, rows: Vec<ShelfRow>) {
        if self.requests.finish(ticket).is_some() {
            self.overlays.open_shelf(rows);
        }
    }
}

/// The name of a dialog in messages: its member and its subject.
fn name_of(model: &Model, ui: &UiSettings, dialog: &DialogId) -> String {
    let Some(row) = model.tree.get(dialog) else { return dialog.to_string() };
    let about = ui.about(&row.about, row.history);
    dialog_name(&row.agent, row.slug.as_ref(), &about, &row.taskdoc)
}

/// True if something in the tree of this main dialog is not finished.
fn something_is_open(tree: &Tree, main: &DialogId) -> bool {
    let mut rows = tree.all().filter(|row| row.dialog.root == main.root);
    rows.any(|row| match Mark::of(row) {
        Mark::Running | Mark::Stopping | Mark::Waiting | Mark::NeedsYou | Mark::Stopped => true,
        Mark::Idle | Mark::Done | Mark::Dead => false,
    })
}

/// What was done, and the keys that undo it: the list opens at the last dialog that was put away.
fn with_undo(ui: &UiSettings, word: Word, name: &str) -> String {
    let list = ui.key(tree::SCOPE, Action::Show(shelf::SCOPE));
    let revive = ui.key(shelf::SCOPE, Action::Revive);
    let done = ui.sentence(word, name);
    let (dot, undo) = (ui.glyphs.middle_dot, ui.word(Word::UndoWith));
    format!("{done} {dot} {undo} {list} {revive}")
}
