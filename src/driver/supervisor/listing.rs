//! Reads from disk without loading trees: the initial rows, pages of transcripts.

use std::sync::Arc;

use crate::domain::latest::DisplayState;
use crate::domain::tree::Bucket;
use crate::domain::{AgentId, Course, DialogId, KeepGoing, Problem};
use crate::driver::reporting::reports::DriverReport;
use crate::driver::shared::config_problems::members;
use crate::driver::shared::engine::Engine;
use crate::minds::{Minds, taskdoc};
use crate::protocol::event::{TranscriptPage, TreeRow, WorkspaceView};
use crate::store::{DialogListing, StoreError, Survey, TreeListing};

/// Records sent when a dialog is opened, and per page.
const PAGE_RECORDS: usize = 400;

/// True if something in this tree was interrupted or can continue.
pub fn needs_loading(listing: &TreeListing) -> bool {
    listing.unclean
        || listing.dialogs.iter().any(|dialog| {
            let latest = &dialog.latest;
            let waits = matches!(
                latest.display_state,
                None | Some(
                    DisplayState::Proceeding
                        | DisplayState::Stopping { .. }
                        | DisplayState::Blocked { .. }
                )
            );
            waits
                || latest.generating == Some(true)
                || latest.needs_drive == Some(true)
                || latest.pending_course_start_prompt.is_some()
                || !dialog.pending.is_empty()
                || !dialog.questions.is_empty()
        })
}

/// Rows of a tree that is not loaded.
pub fn listing_report(listing: &TreeListing, minds: &Minds) -> DriverReport {
    let root = listing.root.clone();
    let rows = listing.dialogs.iter().map(|dialog| TreeRow {
        dialog: DialogId::side(&root, &dialog.meta.id),
        asker: dialog.asker.clone(),
        agent: dialog.meta.agent_id.clone(),
        slug: dialog.meta.session_slug.clone(),
        taskdoc: dialog.meta.task_doc_path.clone(),
        state: dialog.state.clone(),
        course: dialog.latest.current_course,
        genseq: dialog.genseq,
        created_at: dialog.meta.created_at.clone(),
        last_modified: dialog.latest.last_modified.clone(),
        questions: dialog.questions.len(),
        pending: dialog.pending.len(),
        about: dialog.about.clone(),
        reasoning: dialog.reasoning,
        context_percent: dialog.pressure.percent,
        context_level: dialog.pressure.level,
        keep_going: pushes_of(dialog, minds),
        history: listing.earlier,
        // A tree with queued messages gets loaded and reports them itself.
        queued: Arc::default(),
    });
    let rows = rows.collect();
    let inbox = crate::driver::reporting::tree_rows::listed_inbox(listing);
    DriverReport::Tree { root, rows, inbox }
}

fn pushes_of(dialog: &DialogListing, minds: &Minds) -> Option<(i64, i64)> {
    let member = minds.member(&dialog.meta.agent_id).filter(|_| dialog.asker.is_none())?;
    let text = minds.diligence().map(str::to_owned);
    KeepGoing { most: member.diligence_push_max, text }.pushes(&dialog.latest)
}

pub fn read_page(
    engine: &Engine,
    dialog: DialogId,
    course: Option<Course>,
    before: Option<usize>,
) -> Result<TranscriptPage, StoreError> {
    let store = &engine.store;
    let bucket = store.find(&dialog.root).unwrap_or(Bucket::Run);
    let courses = store.courses(bucket, &dialog).last().copied().unwrap_or(Course::FIRST);
    let course = course.unwrap_or(courses);
    let page = store.page(bucket, &dialog, course, before, PAGE_RECORDS)?;
    let agent = store.agent(bucket, &dialog).unwrap_or_else(|| AgentId::new("?"));
    Ok(TranscriptPage {
        dialog,
        agent,
        course,
        courses,
        first_line: page.first_line,
        entries: page.entries,
    })
}

pub fn workspace_view(engine: &Engine, minds: &Minds, survey: &Survey) -> WorkspaceView {
    let mut taskdocs: Vec<String> = Vec::new();
    let newest = survey.trees.iter().rev().filter_map(|tree| tree.dialogs.first());
    let used = newest.map(|dialog| dialog.meta.task_doc_path.clone());
    for path in used.chain(taskdoc::list(&engine.workspace)) {
        if !taskdocs.contains(&path) {
            taskdocs.push(path);
        }
    }
    WorkspaceView {
        folder: engine.display_path.clone(),
        members: members(minds.team()),
        default_responder: minds.default_responder().cloned(),
        taskdocs,
    }
}

/// Problems of the Taskdocs of these trees.
pub fn taskdoc_problems(engine: &Engine, survey: &Survey) -> Vec<Problem> {
    taskdoc::problems(&engine.workspace, survey.taskdocs())
}
