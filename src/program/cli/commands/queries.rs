//! `dialogs`, `show`, `q4h list`, `q4h show`: read-only commands. They take no lock and change no
//! dialog; `dialogs` may write the index of a long list, and a driver is asked which dialogs retry.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use crate::app;
use crate::domain::asking::question::headline;
use crate::domain::dialogs::tree::Bucket;
use crate::domain::reading::title;
use crate::domain::{
    CallId, Clock as _, Course, DialogId, DisplayState, KeepGoing, Lang, TaskId, TeamName,
};
use crate::minds::Minds;
use crate::platform::SystemClock;
use crate::protocol::InboxRow;
use crate::store::{Access, DialogListing, Reader, Survey};

use super::ListOptions;
use super::dialog_json;
use super::ids::Ids;
use super::listing::Beside;
use super::undriven::{self, AsksElsewhere};
use super::{find, inspect, listing};
use crate::cli::exit::{CommandError, Status};
use crate::cli::forms::question_json::{Asks, QuestionHead, alike, part_lines};
use crate::cli::forms::transcript::{self, TranscriptFormat};
use crate::cli::output;
use crate::cli::running::other_driver;

/// Records per page of a transcript.
const PAGE_RECORDS: usize = 1000;

pub async fn dialogs(workspace: &Path, options: ListOptions) -> Result<Status, CommandError> {
    let buckets: &[Bucket] = if options.all { &Bucket::ALL } else { &[Bucket::Run] };
    let store = app::open(workspace, Access::ReadOnly)?;
    let survey = store.survey_and_index(buckets);
    print_problems(&survey);
    let minds = Minds::load(workspace, Lang::En);
    let retrying = retrying(workspace, &survey).await;
    let beside = Beside { titles: &survey.titles, retrying: &retrying };
    if options.as_json {
        let tree = |tree| {
            let main = find::main_of(tree)?;
            let about = (survey.problems.as_slice(), beside);
            Some(dialog_json::tree(tree, main, pushes(main, &minds), about))
        };
        output::json_list(find::newest_first(&survey).into_iter().filter_map(tree));
        save_index(&store, &survey);
        return Ok(Status::Done);
    }
    let (ids, now) = (Ids::short(&survey), SystemClock.now());
    for tree in find::newest_first(&survey) {
        for (depth, dialog) in listing::in_order(tree) {
            output::print(&listing::row((tree, beside), (depth, dialog), &ids, &now));
            let indent = "  ".repeat(depth + 3);
            for line in inspect::lines(tree, dialog, pushes(dialog, &minds), &ids) {
                output::print(&format!("{indent}{line}"));
            }
        }
    }
    if survey.trees.is_empty() {
        output::note("no dialogs yet");
    }
    save_index(&store, &survey);
    Ok(Status::Done)
}

/// The dialogs that retry, as the driver of the workspace says. It is asked only if a dialog works.
async fn retrying(workspace: &Path, survey: &Survey) -> BTreeSet<DialogId> {
    let mut all = survey.trees.iter().flat_map(|tree| &tree.dialogs);
    if !all.any(|dialog| dialog.state == DisplayState::Proceeding) {
        return BTreeSet::new();
    }
    let reported = other_driver::reported(workspace).await;
    let rows = reported.into_iter().flat_map(|reported| reported.rows);
    rows.filter(|row| row.retrying).map(|row| row.dialog).collect()
}

/// Saves the index after a long list was read from its files. A failure only costs time.
fn save_index(store: &Reader, survey: &Survey) {
    if survey.is_worth_indexing()
        && let Err(error) = store.write_list_index()
    {
        tracing::warn!(%error, "the index of dialogs could not be written");
    }
}

/// Reports unreadable dialogs, which are missing in the output.
pub fn print_problems(survey: &Survey) {
    survey.problems.iter().for_each(|problem| output::note(&problem.to_string()));
}

/// `(remaining, max)` pushes of a main dialog.
fn pushes(dialog: &DialogListing, minds: &Minds) -> Option<(i64, i64)> {
    let most = minds.member(&dialog.meta.agent_id).map_or(0, |member| member.diligence_push_max);
    let text = minds.diligence().map(str::to_owned);
    KeepGoing { most, text }.pushes(&dialog.latest).filter(|_| dialog.asker.is_none())
}

pub async fn questions(workspace: &Path, as_json: bool) -> Result<Status, CommandError> {
    let open = OpenQuestions::of(workspace).await?;
    print_problems(&open.survey);
    if as_json {
        output::json_list(open.rows.iter().map(|row| open.question(row)));
        open.elsewhere.iter().for_each(|asks| output::note(&asks.line()));
        return Ok(Status::Done);
    }
    let ids = Ids::short(&open.survey);
    for row in &open.rows {
        let question = &row.question;
        let task = row.work.as_ref().map(|work| match &work.task {
            Some(task) => format!("  {} {}", work.team, task.short()),
            None => format!("  {}", work.team),
        });
        output::print(&format!(
            "{}  {}  {}{}  {}",
            ids.question(&question.id),
            row.asker(Lang::En),
            question.asked_at,
            task.unwrap_or_default(),
            title::headline(&question.tellask_content)
        ));
    }
    if open.rows.is_empty() {
        output::note("nothing waits for you");
    }
    for asks in &open.elsewhere {
        output::note(&asks.line());
    }
    if let Some(why) = &open.unknown {
        output::note(&format!("whether these are of tasks is not known: {why}"));
    }
    Ok(Status::Done)
}

pub async fn question(
    workspace: &Path,
    wanted: &str,
    as_json: bool,
) -> Result<Status, CommandError> {
    let open = OpenQuestions::of(workspace).await?;
    let (_, found) = find::question(&open.survey, wanted)?;
    let Some(row) = open.rows.iter().find(|row| row.question.id == found.id) else {
        return Ok(Status::Done);
    };
    if as_json {
        output::json(&open.question(row));
        return Ok(Status::Done);
    }
    output::print(&format!("{} asks, {}", row.asker(Lang::En), found.asked_at));
    if let Some(work) = &row.work {
        let task = work.task.as_ref().map(|task| format!(", {task}")).unwrap_or_default();
        output::print(&format!("team {}{task}", work.team));
    }
    if let Some(why) = &open.unknown {
        output::note(&format!("whether this is of a task is not known: {why}"));
    }
    output::print(&row.whole(Lang::En));
    if let Some(parts) = &row.inquiry {
        for line in part_lines(parts, &row.answers) {
            output::print(&line);
        }
    }
    Ok(Status::Done)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OpenQuestion<'a> {
    #[serde(flatten)]
    head: QuestionHead<'a>,
    course: Course,
    call_id: &'a CallId,
    title: String,
    kind: &'static str,
    source: String,
    source_id: String,
    team: Option<&'a TeamName>,
    task_id: Option<&'a TaskId>,
    work_unknown: Option<&'a str>,
    alike: Vec<String>,
    #[serde(flatten)]
    asks: Asks<'a>,
    headline: &'a str,
    content: &'a str,
    task_doc_path: &'a str,
}

/// The open questions of a workspace, driven or not.
struct OpenQuestions {
    survey: Survey,
    rows: Vec<InboxRow>,
    /// Why the tasks of the questions are unknown, if so.
    unknown: Option<String>,
    elsewhere: Vec<AsksElsewhere>,
}

impl OpenQuestions {
    async fn of(workspace: &Path) -> Result<Self, CommandError> {
        let survey = app::open(workspace, Access::ReadOnly)?.survey(&[Bucket::Run]);
        let told = undriven::told(workspace).await;
        let rows = undriven::questions(&survey, told.as_ref().ok());
        let (elsewhere, unknown) = match told {
            Ok(told) => (told.elsewhere, None),
            Err(fault) => (Vec::new(), Some(fault.text().to_string())),
        };
        Ok(Self { survey, rows, unknown, elsewhere })
    }

    fn question<'a>(&'a self, row: &'a InboxRow) -> OpenQuestion<'a> {
        let (dialog, question, work) = (&row.dialog, &row.question, &row.work);
        let tree = self.survey.trees.iter().find(|tree| tree.root == dialog.root);
        let listed = tree.zip(find::listed(&self.survey, dialog));
        let title = listed.map(|(tree, listed)| find::title(&self.survey.titles, tree, listed));
        let source = row.source();
        OpenQuestion {
            head: QuestionHead::of(row),
            course: question.call_site_ref.course,
            call_id: &question.call_id,
            title: title.unwrap_or_default(),
            kind: row.kind().name(),
            source: source.kind,
            source_id: source.id,
            team: work.as_ref().map(|work| &work.team),
            task_id: work.as_ref().and_then(|work| work.task.as_ref()),
            work_unknown: self.unknown.as_deref(),
            alike: alike(row, &self.rows),
            asks: Asks::of(row),
            headline: headline(&question.tellask_content),
            content: &question.tellask_content,
            task_doc_path: &row.taskdoc,
        }
    }
}

pub async fn show(
    workspace: &Path,
    wanted: &str,
    course: Option<u32>,
    form: TranscriptFormat,
) -> Result<Status, CommandError> {
    let store = app::open(workspace, Access::ReadOnly)?;
    let survey = store.survey(&Bucket::ALL);
    let id = find::dialog(&survey, wanted)?;
    let tree = survey.trees.iter().find(|tree| tree.root == id.root);
    let bucket = tree.map_or(Bucket::Run, |tree| tree.bucket);
    let listed =
        tree.and_then(|tree| Some((tree, tree.dialogs.iter().find(|d| d.meta.id == id.this)?)));
    let agent = listed.map(|(_, dialog)| dialog.meta.agent_id.to_string()).unwrap_or_default();
    let pressure = listed.map(|(_, dialog)| dialog.pressure).unwrap_or_default();
    let courses = existing_course(&store, bucket, &id, None)?;
    let course = existing_course(&store, bucket, &id, course.map(Course))?;
    let entries = read_course(&store, bucket, &id, course)?;
    if form == TranscriptFormat::Json {
        let records: Vec<Value> = entries
            .iter()
            .map(|entry| serde_json::from_str(&entry.line()).unwrap_or(Value::Null))
            .collect();
        let retrying = retrying(workspace, &survey).await;
        let beside = Beside { titles: &survey.titles, retrying: &retrying };
        output::json(&json!({
            "rootId": id.root, "selfId": id.this, "agentId": agent,
            "course": course, "courses": courses, "records": records,
            "dialog": listed.map(|(tree, dialog)| dialog_json::dialog(tree, dialog, beside)),
            "contextPercent": pressure.percent, "contextLevel": pressure.level,
        }));
        return Ok(Status::Done);
    }
    transcript::print(&agent, course, &entries, form);
    if let Some((tree, dialog)) =
        listed.filter(|_| form == TranscriptFormat::Plain && course == courses)
    {
        for line in inspect::lines(tree, dialog, None, &Ids::short(&survey)) {
            output::note(&line);
        }
    }
    Ok(Status::Done)
}

/// The given course, if it exists, or the newest.
pub fn existing_course(
    store: &Reader,
    bucket: Bucket,
    id: &DialogId,
    course: Option<Course>,
) -> Result<Course, CommandError> {
    let newest = store.courses(bucket, id).last().copied().unwrap_or(Course::FIRST);
    let course = course.unwrap_or(newest);
    if course > newest || course.0 == 0 {
        return Err(CommandError::usage(format!(
            "course {course} does not exist; there are {newest}"
        )));
    }
    Ok(course)
}

pub fn read_course(
    store: &Reader,
    bucket: Bucket,
    id: &DialogId,
    course: Course,
) -> Result<Vec<crate::domain::dialogs::record::Entry>, CommandError> {
    let mut pages = Vec::new();
    let mut before = None;
    loop {
        let page = store.page(bucket, id, course, before, PAGE_RECORDS)?;
        let first = page.first_line;
        pages.push(page.entries);
        if first == 0 {
            break;
        }
        before = Some(first);
    }
    Ok(pages.into_iter().rev().flatten().collect())
}
