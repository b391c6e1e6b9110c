//! Declaring a side dialog dead. The declaration is a fact of its own and written first. What follows
//! from it – its session is free, nobody waits for it any more – is drafted from that fact alone, so
//! a restart in between finishes it.

use crate::domain::latest::StopReason;
use crate::domain::record::{Record, ReplyStatus};
use crate::domain::{Dialog, DialogTree, Pending, SelfId};
use crate::tools::Whose;

use super::calls::ask_back;
use super::calls::reply::{Outcome, answer_asker};
use super::draft::Draft;
use super::requests::not_saved;
use super::texts::Texts;
use super::tree::TreeTask;

impl TreeTask {
    /// A running drive is stopped; whoever waited for the dialog is told and goes on.
    pub(super) async fn declare_dead(
        &mut self,
        id: &SelfId,
        note: Option<&str>,
    ) -> Result<(), String> {
        check(&self.tree, id)?;
        self.release(id).await;
        let mut draft = self.draft();
        declare(&mut draft, id);
        self.commit(draft).await.map_err(|error| not_saved(&error))?;
        self.stop(id, StopReason::EmergencyStop);
        self.engine.sources.release(&Whose::Dialog(self.tree.id(id))).await;
        let mut draft = self.draft();
        settle(&mut draft, id, note, self.engine.texts());
        self.wake_askers(&mut draft);
        self.commit(draft).await.map_err(|error| not_saved(&error))
    }
}

/// A sentence for the person where it cannot be.
fn check(tree: &DialogTree, id: &SelfId) -> Result<(), String> {
    if tree.is_main(id) {
        return Err("a main dialog cannot be declared dead; mark it done instead".to_owned());
    }
    tree.get(id).map(|_| ()).ok_or_else(|| "there is no such dialog".to_owned())
}

/// Writes the fact. Words that waited for the dialog are dropped with it; its question stays in its
/// file and is asked no more.
fn declare(draft: &mut Draft, id: &SelfId) {
    let Some(dialog) = draft.dialog(id).filter(|dialog| !dialog.latest.is_dead()) else { return };
    let waits = !dialog.queue.is_empty();
    draft.must_last();
    draft.latest(id, crate::domain::Latest::die);
    if waits {
        draft.queue(id, Vec::new());
    }
}

/// What follows from a death. Does nothing where all of it is done already.
pub fn settle(draft: &mut Draft, id: &SelfId, note: Option<&str>, texts: Texts) {
    leave_registry(draft, id);
    let waiting: Vec<(SelfId, Pending)> = draft
        .tree
        .dialogs
        .values()
        .flat_map(|dialog| dialog.pending.iter().map(|p| (dialog.meta.id.clone(), p.clone())))
        .filter(|(_, pending)| pending.side_dialog_id == *id)
        .collect();
    for (asker, pending) in waiting {
        draft.must_last();
        let notice = texts.declared_dead(&pending.call_name, note);
        let outcome =
            Outcome { callee: id, written: None, status: ReplyStatus::Failed, text: &notice };
        answer_asker(draft, &asker, &pending, &outcome, texts);
    }
    let others: Vec<SelfId> =
        draft.tree.dialogs.keys().filter(|other| *other != id).cloned().collect();
    for other in others {
        // What the dead asked back nobody wants to know, and they answer nobody.
        ask_back::drop_unawaited(draft, &other);
        if draft.dialog(&other).and_then(Dialog::asker) == Some(id) {
            ask_back::close(draft, &other, texts);
        }
    }
}

/// The session is free for a new side dialog.
fn leave_registry(draft: &mut Draft, id: &SelfId) {
    let mut entries = draft.tree.registry.clone();
    entries.retain(|entry| entry.side_dialog_id != *id);
    if entries.len() == draft.tree.registry.len() {
        return;
    }
    let main = draft.tree.root.main();
    let course = draft.tree.anchor().course;
    draft.append_aside(&main, course, Record::Registry { entries: entries.clone() });
    draft.registry(entries);
}
