//! `dialogs`, `show`, `q4h list`, `q4h show`: read-only commands. They take no lock and change no
//! dialog; `dialogs` may write the index of a long list.

use std::path::Path;

use serde_json::{Value, json};

use crate::app;
use crate::domain::question::headline;
use crate::domain::question_kind::QuestionKind;
use crate::domain::title;
use crate::domain::tree::Bucket;
use crate::domain::{Clock as _, Course, DialogId, KeepGoing, Lang};
use crate::minds::Minds;
use crate::platform::SystemClock;
use crate::store::{Access, DialogListing, Store, Survey};

use super::exit::{CommandError, Status};
use super::ids::Ids;
use super::question_json::{category_of, diff_of, inquiry_of, part_lines, parts_json, source_of};
use super::{dialog_json, find, inspect, lines, listing, transcript};

/// Records per page of a transcript.
const PAGE_RECORDS: usize = 1000;

pub fn dialogs(workspace: &Path, all: bool, as_json: bool) -> Result<Status, CommandError> {
    let buckets: &[Bucket] = if all { &Bucket::ALL } else { &[Bucket::Run] };
    let store = app::open(workspace, Access::ReadOnly)?;
    let survey = store.survey(buckets);
    print_problems(&survey);
    let minds = Minds::load(workspace, Lang::En);
    if as_json {
        let tree = |tree| {
            let main = find::main_of(tree)?;
            Some(dialog_json::tree(tree, main, pushes(main, &minds), &survey))
        };
        lines::json_list(find::newest_first(&survey).into_iter().filter_map(tree));
        save_index(&store, &survey);
        return Ok(Status::Done);
    }
    let (ids, now) = (Ids::short(&survey), SystemClock.now());
    for tree in find::newest_first(&survey) {
        for (depth, dialog) in listing::in_order(tree) {
            lines::print(&listing::row((tree, &survey.titles), (depth, dialog), &ids, &now));
            let indent = "  ".repeat(depth + 3);
            for line in inspect::lines(tree, dialog, pushes(dialog, &minds), &ids) {
                lines::print(&format!("{indent}{line}"));
            }
        }
    }
    if survey.trees.is_empty() {
        lines::note("no dialogs yet");
    }
    save_index(&store, &survey);
    Ok(Status::Done)
}

/// After a long list was read from its files, saves the index for the next one. A failure only costs time.
fn save_index(store: &Store, survey: &Survey) {
    if survey.is_worth_indexing()
        && let Err(error) = store.write_list_index()
    {
        tracing::warn!(%error, "the index of dialogs could not be written");
    }
}

/// Reports unreadable dialogs, which are missing in the output.
pub fn print_problems(survey: &Survey) {
    survey.problems.iter().for_each(|problem| lines::note(&problem.to_string()));
}

/// `(remaining, max)` pushes of a main dialog.
fn pushes(dialog: &DialogListing, minds: &Minds) -> Option<(i64, i64)> {
    let most = minds.member(&dialog.meta.agent_id).map_or(0, |member| member.diligence_push_max);
    let text = minds.diligence().map(str::to_owned);
    KeepGoing { most, text }.pushes(&dialog.latest).filter(|_| dialog.asker.is_none())
}

pub fn questions(workspace: &Path, as_json: bool) -> Result<Status, CommandError> {
    let survey = app::open(workspace, Access::ReadOnly)?.survey(&[Bucket::Run]);
    print_problems(&survey);
    let all = find::questions(&survey);
    if as_json {
        lines::json(&all.iter().map(|one| question_json(one, &survey)).collect());
        return Ok(Status::Done);
    }
    let ids = Ids::short(&survey);
    for (_, dialog, question) in &all {
        lines::print(&format!(
            "{}  @{}  {}  {}",
            ids.question(&question.id),
            dialog.meta.agent_id,
            question.asked_at,
            title::headline(&question.tellask_content)
        ));
    }
    if all.is_empty() {
        lines::note("nothing waits for you");
    }
    Ok(Status::Done)
}

pub fn question(workspace: &Path, wanted: &str, as_json: bool) -> Result<Status, CommandError> {
    let survey = app::open(workspace, Access::ReadOnly)?.survey(&[Bucket::Run]);
    let (_, found) = find::question(&survey, wanted)?;
    let all = find::questions(&survey);
    let Some(one) = all.iter().find(|(_, _, question)| question.id == found.id) else {
        return Ok(Status::Done);
    };
    if as_json {
        lines::json(&question_json(one, &survey));
    } else {
        lines::print(&format!("@{} asks, {}", one.1.meta.agent_id, found.asked_at));
        let parts = one.1.parts.get(&found.call_id);
        match parts.filter(|inquiry| inquiry.approval.is_some()) {
            Some(approval) => lines::print(&approval.whole(Lang::En)),
            None => lines::print(&found.tellask_content),
        }
        if let Some(parts) = parts {
            let answers = one.1.answers_to(&found.id);
            for line in part_lines(parts, &answers) {
                lines::print(&line);
            }
        }
    }
    Ok(Status::Done)
}

fn question_json(
    (id, dialog, question): &(DialogId, DialogListing, crate::domain::Question),
    survey: &Survey,
) -> Value {
    let tree = survey.trees.iter().find(|tree| tree.root == id.root);
    let title = tree.map(|tree| find::title(&survey.titles, tree, dialog)).unwrap_or_default();
    let parts = dialog.parts.get(&question.call_id);
    let answers = dialog.answers_to(&question.id);
    let source = source_of(id, parts);
    json!({
        "id": question.id,
        "rootId": id.root,
        "selfId": id.this,
        "agentId": dialog.meta.agent_id,
        "askedAt": question.asked_at,
        "course": question.call_site_ref.course,
        "callId": question.call_id,
        "title": title,
        "kind": QuestionKind::of(&question.call_id, &question.tellask_content, parts).name(),
        "source": source.kind,
        "sourceId": source.id,
        "parts": parts_json(&inquiry_of(question, parts), &answers),
        "category": category_of(parts),
        "diff": diff_of(parts),
        "headline": headline(&question.tellask_content),
        "content": question.tellask_content,
        "taskDocPath": dialog.meta.task_doc_path,
    })
}

/// The output format of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TranscriptFormat {
    Plain,
    Json,
    Markdown,
}

pub fn show(
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
        lines::json(&json!({
            "rootId": id.root, "selfId": id.this, "agentId": agent,
            "course": course, "courses": courses, "records": records,
            "dialog": listed.map(|(tree, dialog)| dialog_json::dialog(tree, dialog, &survey.titles)),
            "contextPercent": pressure.percent, "contextLevel": pressure.level,
        }));
        return Ok(Status::Done);
    }
    transcript::print(&agent, course, &entries, form);
    if let Some((tree, dialog)) =
        listed.filter(|_| form == TranscriptFormat::Plain && course == courses)
    {
        for line in inspect::lines(tree, dialog, None, &Ids::short(&survey)) {
            lines::note(&line);
        }
    }
    Ok(Status::Done)
}

/// The given course, if it exists, or the newest.
pub fn existing_course(
    store: &Store,
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
    store: &Store,
    bucket: Bucket,
    id: &DialogId,
    course: Course,
) -> Result<Vec<crate::domain::record::Entry>, CommandError> {
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
