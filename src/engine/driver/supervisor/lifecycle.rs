//! Operations on whole trees: move, delete, fork, list the done and archived ones.
//!
//! The supervisor does these itself, one at a time: it alone sends requests to trees, so a tree that
//! reports that it is idle stays idle until the operation is done.

use std::sync::Arc;

use tokio::sync::oneshot;

use crate::domain::dialogs::tree::Bucket;
use crate::domain::reading::title;
use crate::domain::text::{Localized, Text};
use crate::domain::{DialogId, RootId};
use crate::driver::lifecycle::fork::{ForkPoint, make_fork};
use crate::driver::reporting::clients::ClientId;
use crate::driver::reporting::reports::DriverReport;
use crate::driver::shared::blocking::{blocking, interrupted};
use crate::driver::tree::user_requests::TreeRequest;
use crate::protocol::Refusal;
use crate::protocol::command::Ticket;
use crate::protocol::event::DriverEvent;
use crate::protocol::lifecycle::{AfterFork, ForkMode, Lifecycle, ShelfRow};
use crate::store::{Store, StoreError, Titles, TreeListing};
use crate::tools::LeaseScope;

use super::creation::unused_root;
use super::listing::{listing_report, needs_loading};
use super::trees::Supervisor;

impl Supervisor {
    pub(super) async fn change_lifecycle(&mut self, ticket: Ticket, change: Lifecycle) {
        let mut goes_on = None;
        let outcome = match change {
            Lifecycle::DeclareDead { dialog, note } => {
                let this = dialog.this.clone();
                let request = TreeRequest::DeclareDead { ticket, dialog: this, note };
                self.forward(Some(ticket), &dialog, request).await;
                return;
            }
            Lifecycle::Move { root, to } => self.move_tree(&root, to).await,
            Lifecycle::Delete { root } => self.delete_tree(&root).await,
            Lifecycle::Restore { name } => self.restore_tree(name).await,
            Lifecycle::Fork { root, course, genseq, then } => {
                let asker = ClientId::of(ticket);
                let made = self.fork(asker, &root, ForkPoint { course, genseq }).await;
                made.map(|(dialog, next)| {
                    let may = then == ForkMode::Continue && next == AfterFork::AutoContinue;
                    goes_on = may.then(|| dialog.clone());
                    dialog
                })
            }
        };
        let goes_on = goes_on.filter(|_| self.engine.driving.is_on());
        if let Some(DialogId { root, .. }) = goes_on.clone() {
            self.report(DriverReport::Idle { root, idle: false }).await;
        }
        let event = match outcome {
            Ok(dialog) => DriverEvent::Done { ticket, dialog: Some(dialog) },
            Err(text) => DriverEvent::Refused { ticket, text },
        };
        self.send_event(event).await;
        if let Some(DialogId { root, this }) = goes_on
            && let Err(error) =
                self.try_forward(&root, TreeRequest::ContinueFork { dialog: this }).await
        {
            self.send_to(ClientId::of(ticket), DriverEvent::Notice(error.message())).await;
            self.report(DriverReport::Idle { root, idle: true }).await;
        }
    }

    pub(super) async fn move_tree(
        &mut self,
        root: &RootId,
        to: Bucket,
    ) -> Result<DialogId, Localized> {
        let from = self.bucket_of(root)?;
        if from == to {
            return Err(there_already(to).into());
        }
        self.end_tree(root).await?;
        let moved = root.clone();
        self.with_store(move |store| store.relocate(&moved, from, to)).await?;
        if from == Bucket::Run {
            self.report(DriverReport::Removed(root.clone())).await;
        }
        if to == Bucket::Run {
            self.add_tree(root).await;
        }
        Ok(DialogId::main(root.clone()))
    }

    async fn delete_tree(&mut self, root: &RootId) -> Result<DialogId, Localized> {
        self.bucket_of(root)?;
        self.end_tree(root).await?;
        let deleted = root.clone();
        self.with_store(move |store| store.delete(&deleted)).await?;
        self.report(DriverReport::Removed(root.clone())).await;
        Ok(DialogId::main(root.clone()))
    }

    async fn restore_tree(&mut self, name: String) -> Result<DialogId, Localized> {
        let root = self.with_store(move |store| store.restore(&name)).await?;
        self.add_tree(&root).await;
        Ok(DialogId::main(root))
    }

    /// Creates a fork; returns what it waits for.
    async fn fork(
        &mut self,
        asker: ClientId,
        root: &RootId,
        cut: ForkPoint,
    ) -> Result<(DialogId, AfterFork), Localized> {
        let from = self.bucket_of(root)?;
        self.require_idle(root).await?;
        let (engine, source) = (self.engine.clone(), root.clone());
        let forked = blocking(move |on| {
            let fork = RootId::new(unused_root(&engine, on).as_str());
            let next = make_fork(&engine, (from, &source), cut, &fork)?;
            Ok::<_, Localized>((fork, next))
        });
        let (fork, next) = forked.await.map_err(|error| interrupted(&error))??;
        self.add_tree(&fork).await;
        let dialog = DialogId::main(fork);
        let forked = DriverEvent::Forked { dialog: dialog.clone(), next: next.clone() };
        self.send_to(asker, forked).await;
        Ok((dialog, next))
    }

    /// Gives a dialog a title; it is on disk before it is shown.
    pub(super) async fn set_title(
        &mut self,
        ticket: Ticket,
        dialog: DialogId,
        title: Option<String>,
    ) {
        let (store, of) = (Arc::clone(&self.engine.store), dialog.clone());
        let write = move || store.own_files().write_title(&of, title.as_deref());
        let event = match tokio::task::spawn_blocking(write).await {
            Ok(Ok(titles)) => {
                self.report(DriverReport::Titles(titles)).await;
                DriverEvent::Done { ticket, dialog: Some(dialog) }
            }
            Ok(Err(error)) => DriverEvent::Refused { ticket, text: error.message() },
            Err(error) => DriverEvent::Refused { ticket, text: interrupted(&error) },
        };
        self.send_event(event).await;
    }

    /// Lists done and archived trees, the newest first.
    pub(super) async fn list_shelf(&mut self, ticket: Ticket) {
        let engine = self.engine.clone();
        let surveyed = blocking(move |_| engine.store.survey(&[Bucket::Done, Bucket::Archive]));
        let survey = surveyed.await.unwrap_or_default();
        let row = |listing| shelf_row(listing, &survey.titles);
        let mut rows: Vec<ShelfRow> = survey.trees.iter().filter_map(row).collect();
        rows.sort_unstable_by(|a, b| (&b.last_modified, &b.root).cmp(&(&a.last_modified, &a.root)));
        self.send_event(DriverEvent::Shelf { ticket, rows }).await;
    }

    fn bucket_of(&self, root: &RootId) -> Result<Bucket, Localized> {
        self.engine.store.find(root).ok_or_else(|| StoreError::NotFound(root.clone()).message())
    }

    /// Ends the tree task if nothing of it runs, and waits until it has ended.
    async fn end_tree(&mut self, root: &RootId) -> Result<(), Localized> {
        self.check_idle(root, |reply| TreeRequest::EndIfIdle { reply }).await?;
        while self.trees.contains_key(root) {
            let Some(ended) = self.tasks.join_next().await else { break };
            self.tree_ended(ended).await;
        }
        self.engine.sources.release(&LeaseScope::Tree(root.clone())).await;
        Ok(())
    }

    async fn require_idle(&self, root: &RootId) -> Result<(), Localized> {
        self.check_idle(root, |reply| TreeRequest::IsIdle { reply }).await
    }

    /// An error if the tree is running. One that is not loaded, or has just ended, is idle.
    async fn check_idle(
        &self,
        root: &RootId,
        question: impl FnOnce(oneshot::Sender<bool>) -> TreeRequest,
    ) -> Result<(), Localized> {
        let Some(mailbox) = self.trees.get(root) else { return Ok(()) };
        let (reply, answer) = oneshot::channel();
        let _ = mailbox.send(question(reply)).await;
        if answer.await.unwrap_or(true) { Ok(()) } else { Err(Refusal::StillRunning.into()) }
    }

    async fn with_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Localized> {
        let store = Arc::clone(&self.engine.store);
        let done = blocking(move |_| work(&store)).await;
        done.map_err(|error| interrupted(&error))?.map_err(|error| error.message())
    }

    /// Adds a tree to the running ones: lists it, and loads it if it can continue.
    async fn add_tree(&mut self, root: &RootId) {
        let (engine, id) = (self.engine.clone(), root.clone());
        let listed = blocking(move |on| (engine.store.list(Bucket::Run, &id), engine.minds(on)));
        let Ok((survey, minds)) = listed.await else { return };
        for listing in survey.trees {
            let waiting = self.may_pick_up() && needs_loading(&listing);
            self.report(listing_report(&listing, &minds)).await;
            if waiting && let Err(error) = self.ensure_loaded(root).await {
                self.send_event(DriverEvent::Notice(error.message())).await;
            }
        }
    }
}

/// The refusal of a move to where the tree is.
fn there_already(bucket: Bucket) -> Text {
    match bucket {
        Bucket::Run => Text::new("it is running already", "它已在运行列表中"),
        Bucket::Done => Text::new("it is completed already", "它已标记为完成"),
        Bucket::Archive => Text::new("it is archived already", "它已归档"),
    }
}

fn shelf_row(listing: &TreeListing, titles: &Titles) -> Option<ShelfRow> {
    let main = listing.dialogs.iter().find(|d| d.meta.id.as_str() == listing.root.as_str())?;
    let modified = listing.dialogs.iter().map(|dialog| &dialog.latest.last_modified).max();
    let own = titles.get(&DialogId::main(listing.root.clone())).cloned();
    let title = own.unwrap_or_else(|| title::made(&main.about, &main.meta.task_doc_path));
    Some(ShelfRow {
        root: listing.root.clone(),
        bucket: listing.bucket,
        agent: main.meta.agent_id.clone(),
        taskdoc: main.meta.task_doc_path.clone(),
        title,
        history: listing.foreign.is_some(),
        layout: listing.foreign,
        last_modified: modified.cloned().unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::assert_translated;

    #[test]
    fn the_refusal_of_a_move_names_the_status_in_both_languages() {
        for bucket in [Bucket::Run, Bucket::Done, Bucket::Archive] {
            assert_translated(&there_already(bucket).into());
            let english = there_already(bucket).in_lang(crate::domain::Lang::En);
            assert!(english.contains(bucket.status()));
        }
    }
}
