//! Reads from disk without loading trees: the initial rows, pages of transcripts.

use crate::domain::dialogs::latest::{DisplayState, StopReason};
use crate::domain::dialogs::tree::Bucket;
use crate::domain::{AgentId, Course, DialogId, KeepGoing, Problem};
use crate::driver::reporting::reports::DriverReport;
use crate::driver::reporting::tree_rows;
use crate::driver::shared::config_problems::{members, models};
use crate::driver::shared::engine::Engine;
use crate::minds::{Minds, taskdoc};
use crate::protocol::event::{TranscriptPage, WorkspaceView};
use crate::store::{DialogListing, StoreError, Survey, TreeListing};

/// Records sent when a dialog is opened, and per page.
pub const PAGE_RECORDS: usize = 400;

/// True if the end of the program cut this dialog off.
pub fn is_cut_off(dialog: &DialogListing) -> bool {
    let restart = [StopReason::ServerRestart, StopReason::PendingCourseStart];
    matches!(&dialog.state, DisplayState::Stopped { reason, .. } if restart.contains(reason))
}

/// True if something in this tree was interrupted or can continue, or if its files hold another state than loading it
/// would derive: readers of the files would see another state than the screen. What may only be read is not loaded.
pub fn needs_loading(listing: &TreeListing) -> bool {
    listing.foreign.is_none() && has_work(listing)
}

fn has_work(listing: &TreeListing) -> bool {
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
            let differs =
                latest.display_state.as_ref().map(DisplayState::kind) != Some(dialog.state.kind());
            waits
                || differs
                || latest.generating == Some(true)
                || latest.needs_drive == Some(true)
                || latest.pending_course_start_prompt.is_some()
                || !dialog.pending.is_empty()
                || !dialog.questions.is_empty()
        })
}

/// Rows of a tree that is not loaded.
pub fn listing_report(listing: &TreeListing, minds: &Minds) -> DriverReport {
    let keep_going = |agent: &AgentId| {
        let text = minds.diligence().map(str::to_owned);
        Some(KeepGoing { most: minds.member(agent)?.diligence_push_max, text })
    };
    DriverReport::Tree {
        root: listing.root.clone(),
        rows: tree_rows::listed_rows(listing, keep_going),
        inbox: tree_rows::ListedInbox::of(listing),
        answers: tree_rows::ListedInbox::answers(listing),
    }
}

pub fn read_page(
    engine: &Engine,
    dialog: DialogId,
    course: Option<Course>,
    before: Option<usize>,
    limit: usize,
) -> Result<TranscriptPage, StoreError> {
    let store = &engine.store;
    let bucket = store.find(&dialog.root).unwrap_or(Bucket::Run);
    let courses = store.courses(bucket, &dialog).last().copied().unwrap_or(Course::FIRST);
    let course = course.unwrap_or(courses);
    let page = store.page(bucket, &dialog, course, before, limit)?;
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
        members: members(minds, engine.env),
        default_responder: minds.default_responder().cloned(),
        taskdocs,
        models: models(minds),
        has_memory: minds.hive().memory,
        has_vault: minds.hive().has_vault(),
        has_prompts: minds.mcp().has_prompts(),
    }
}

/// Problems of the Taskdocs of these trees.
pub fn taskdoc_problems(engine: &Engine, survey: &Survey) -> Vec<Problem> {
    taskdoc::problems(&engine.workspace, survey.taskdocs())
}
