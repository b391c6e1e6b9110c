//! The sheets of a dialog, such as its reminders and its Taskdoc: read and changed by the user.
//!
//! A reminder is changed by its tree task, like a change by a tool. A section of a Taskdoc is a file of the
//! workspace; it is replaced completely, as `change_mind` does.

use std::path::PathBuf;
use std::sync::Arc;

use crate::domain::asking::autonomy::MemberAutonomy;
use crate::domain::counted;
use crate::domain::dialogs::taskdoc::Section;
use crate::domain::dialogs::tree::Bucket;
use crate::domain::models::team::HUMAN;
use crate::domain::reading::timeline::Driven;
use crate::domain::text::{Localized, localized};
use crate::domain::{AgentId, DialogId, Unagreed};
use crate::driver::reporting::clients::ClientId;
use crate::driver::reporting::reminder_views::reminder_views;
use crate::driver::reporting::reports::DriverReport;
use crate::driver::shared::blocking::{BlockingThread, blocking, interrupted};
use crate::driver::shared::engine::Engine;
use crate::driver::steps::reminders;
use crate::driver::tree::reminder_edits::ReminderChange;
use crate::driver::tree::user_requests::TreeRequest;
use crate::guard::Access;
use crate::minds::taskdoc;
use crate::protocol::Refusal;
use crate::protocol::changes::{ChangesScope, ReadEnd};
use crate::protocol::command::Ticket;
use crate::protocol::event::DriverEvent;
use crate::protocol::sheet::{SectionView, Sheet, SheetRequest, TaskdocView};
use crate::tools::{CallWatch, TeamPlace, ToolCx, git_state, replace_section};

use super::changes::{mark_reviewed, read_changes};
use super::timeline::read_timeline;
use super::trees::Supervisor;
use super::usage::read_usage;

impl Supervisor {
    pub(super) async fn sheet(&mut self, ticket: Ticket, dialog: DialogId, request: SheetRequest) {
        let change = match request {
            SheetRequest::Reminders => {
                return self.show_sheet(ticket, dialog, read_reminders).await;
            }
            SheetRequest::Taskdoc => return self.show_sheet(ticket, dialog, read_taskdoc).await,
            SheetRequest::Changes(scope) => return self.show_changes(ticket, dialog, scope),
            SheetRequest::Timeline => {
                let driven = self.driven(&dialog);
                let read = move |engine: &Engine, dialog: &DialogId, on: &BlockingThread| {
                    read_timeline(engine, dialog, driven, on)
                };
                return self.show_sheet(ticket, dialog, read).await;
            }
            SheetRequest::Usage => return self.show_sheet(ticket, dialog, read_usage).await,
            SheetRequest::MarkReviewed(ends) => {
                return self.mark_reviewed(ticket, dialog, ends).await;
            }
            SheetRequest::WriteSection { name, before, text } => {
                return self.write_section(ticket, dialog, name, before, text).await;
            }
            SheetRequest::AddReminder { content, scope } => ReminderChange::Add { content, scope },
            SheetRequest::RewordReminder { id, content } => ReminderChange::Reword { id, content },
            SheetRequest::DeleteReminder { id } => ReminderChange::Delete { id },
        };
        let request = TreeRequest::Reminder { ticket, dialog: dialog.this.clone(), change };
        self.forward(Some(ticket), &dialog, request).await;
    }

    /// Whether this program drives the tree of a dialog.
    fn driven(&self, dialog: &DialogId) -> Driven {
        if self.trees.contains_key(&dialog.root) { Driven::Yes } else { Driven::No }
    }

    /// Reads a sheet on a blocking thread.
    async fn show_sheet(
        &self,
        ticket: Ticket,
        dialog: DialogId,
        read: impl FnOnce(&Engine, &DialogId, &BlockingThread) -> Result<Sheet, Localized>
        + Send
        + 'static,
    ) {
        let (engine, of) = (self.engine.clone(), dialog.clone());
        let found = blocking(move |on| read(&engine, &of, on)).await;
        let event = match found.unwrap_or_else(|error| Err(interrupted(&error))) {
            Ok(sheet) => DriverEvent::Sheet { dialog, sheet: Box::new(sheet) },
            Err(text) => return self.send_event(DriverEvent::Refused { ticket, text }).await,
        };
        self.send_to(ClientId::of(ticket), event).await;
    }

    /// Shows the changes, and what git says. A task waits for git, which runs only if the user agreed to the workspace.
    fn show_changes(&mut self, ticket: Ticket, dialog: DialogId, scope: ChangesScope) {
        let (engine, reports) = (self.engine.clone(), self.reports.clone());
        self.readers.spawn(async move {
            let (reader, of) = (engine.clone(), dialog.clone());
            let found = blocking(move |on| {
                let waiting = reader.trust.waiting(&reader.minds(on));
                let may_run = !waiting.iter().any(Unagreed::holds_dialogs);
                read_changes(&reader, &of, scope, on).map(|view| (view, may_run))
            });
            let report = match found.await.unwrap_or_else(|error| Err(interrupted(&error))) {
                Ok((mut view, may_run)) => {
                    if may_run {
                        view.git = git_state(&engine.shells, &engine.workspace).await;
                    }
                    let sheet = Box::new(Sheet::Changes(view));
                    let event = DriverEvent::Sheet { dialog, sheet };
                    DriverReport::EventFor(ClientId::of(ticket), Box::new(event))
                }
                Err(text) => DriverReport::Event(DriverEvent::Refused { ticket, text }),
            };
            let _ = reports.send(report).await;
        });
    }

    async fn mark_reviewed(&self, ticket: Ticket, dialog: DialogId, ends: Vec<ReadEnd>) {
        let (engine, of) = (self.engine.clone(), dialog.clone());
        let read = ends.clone();
        let marked = blocking(move |on| mark_reviewed(&engine, &of, ends, on)).await;
        let event = match marked.unwrap_or_else(|error| Err(interrupted(&error))) {
            Ok(()) => {
                let root = dialog.root.clone();
                self.report(DriverReport::Reviewed { root, ends: read }).await;
                DriverEvent::Done { ticket, dialog: Some(dialog) }
            }
            Err(text) => DriverEvent::Refused { ticket, text },
        };
        self.send_event(event).await;
    }

    async fn write_section(
        &self,
        ticket: Ticket,
        dialog: DialogId,
        name: String,
        before: String,
        text: String,
    ) {
        let (engine, of) = (self.engine.clone(), dialog.clone());
        let write = move || write(&engine, &of, &name, &before, &text);
        let written = tokio::task::spawn_blocking(write).await;
        match written.unwrap_or_else(|error| Err(interrupted(&error))) {
            Ok(()) => {
                self.send_event(DriverEvent::Done { ticket, dialog: Some(dialog.clone()) }).await;
                self.show_sheet(ticket, dialog, read_taskdoc).await;
            }
            Err(text) => self.send_event(DriverEvent::Refused { ticket, text }).await,
        }
    }
}

/// The reminders of a dialog as they are on disk; the tree is not loaded. One in an unknown layout has its own alone.
fn read_reminders(
    engine: &Engine,
    dialog: &DialogId,
    on: &BlockingThread,
) -> Result<Sheet, Localized> {
    let bucket = engine.store.find(&dialog.root).unwrap_or(Bucket::Run);
    let read = engine.store.load_to_show(bucket, &dialog.root);
    let (loaded, foreign) = read.map_err(|error| error.message())?;
    let found = loaded.tree.get(&dialog.this).ok_or(Refusal::NoSuchDialog)?;
    let shared = if foreign.is_none() {
        // What cannot be read is a problem as soon as the tree is loaded.
        reminders::shared_in(&engine.store, loaded.tree.layout, &found.meta, on)
    } else {
        Vec::new()
    };
    Ok(Sheet::Reminders(reminder_views(found, &shared)))
}

fn read_taskdoc(
    engine: &Engine,
    dialog: &DialogId,
    _on: &BlockingThread,
) -> Result<Sheet, Localized> {
    let path = path_of(engine, dialog)?;
    let found = taskdoc::sections(&engine.workspace, &path).map_err(|error| error.message())?;
    let sections = found.sections.into_iter().map(|section| SectionView {
        name: section.section.name().to_owned(),
        text: section.text,
        complete: section.complete,
    });
    let faults = found.violations.iter().map(taskdoc::violation_text);
    let unlisted = (found.unlisted > 0).then(|| {
        let n = found.unlisted;
        let more = counted(n, "more section is not listed", "more sections are not listed");
        localized!("{more}", "另有 {n} 个章节未列出")
    });
    let faults = faults.chain(unlisted).collect();
    Ok(Sheet::Taskdoc(TaskdocView { path, sections: sections.collect(), faults }))
}

fn path_of(engine: &Engine, dialog: &DialogId) -> Result<String, Localized> {
    let bucket = engine.store.find(&dialog.root).unwrap_or(Bucket::Run);
    let meta = engine.store.meta(bucket, dialog).ok_or(Refusal::NoSuchDialog)?;
    Ok(meta.task_doc_path)
}

/// Replaces a section, unless it was changed since the user read it.
fn write(
    engine: &Engine,
    dialog: &DialogId,
    name: &str,
    before: &str,
    text: &str,
) -> Result<(), Localized> {
    let path = path_of(engine, dialog)?;
    let section = Section::named(name).map_err(|_| Refusal::NoSuchSection)?;
    let current = taskdoc::section_text(&engine.workspace, &path, section.clone())
        .map_err(|error| error.message())?;
    if !current.complete {
        return Err(Refusal::SectionIsTooLarge.into());
    }
    if current.text != before.trim() {
        return Err(Refusal::SectionHasChanged.into());
    }
    let cx = ToolCx {
        approved: Arc::default(),
        caller: AgentId::new(HUMAN),
        dialog: dialog.clone(),
        sees_images: false,
        workspace: Arc::from(engine.workspace.as_path()),
        root: None,
        access: Arc::<Access>::default(),
        toolsets: Arc::default(),
        taskdoc: Some(PathBuf::from(path)),
        main_dialog: true,
        reminders: Arc::from([]),
        shells: engine.shells.clone(),
        keys: Arc::default(),
        clock: engine.clock.clone(),
        autonomy: MemberAutonomy::default(),
        news: engine.hive.clone(),
        teams: TeamPlace::default(),
        call: String::new(),
        watch: CallWatch::default(),
        lang: engine.lang,
        new_id: String::new(),
    };
    replace_section(&cx, &section, text).map(drop)
}
