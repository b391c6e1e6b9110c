//! A workspace without its driver: its open questions, from the files of its dialogs; the news and the tasks of its
//! questions, from its store; and why the store cannot be read, if so. Every command that lists these uses this module.

use std::path::Path;

use crate::app;
use crate::domain::dialogs::tree::Bucket;
use crate::domain::teams::notices::NewsItem;
use crate::domain::teams::task::{BlockReason, Task, TeamWork};
use crate::domain::{Problem, RootId, TaskId};
use crate::driver::ListedInbox;
use crate::hive::{Listed, Store, StoreFault};
use crate::platform::SystemClock;
use crate::protocol::{DriverEvent, InboxRow};
use crate::store::{Access, Survey};

use crate::cli::exit::CommandError;
use crate::cli::running::team_store::setup;

/// The contents of a workspace's store; empty without one.
#[derive(Debug, Default)]
pub struct Told {
    /// The open notices and failures.
    pub news: Vec<NewsItem>,
    /// The work in progress here, by its tree.
    work: Vec<(RootId, TeamWork)>,
    /// Work that asks a person on another box, where alone its dialog and its question are known.
    pub elsewhere: Vec<AsksElsewhere>,
}

/// A task of a shared store that waits for an answer on another box.
#[derive(Debug)]
pub struct AsksElsewhere {
    pub work: TeamWork,
    pub box_name: String,
}

impl AsksElsewhere {
    fn of(task: Task) -> Option<Self> {
        let asks = task.block_reason == Some(BlockReason::OpenQuestion);
        let work = TeamWork { team: task.team, task: Some(task.id) };
        asks.then(|| Self { work, box_name: task.box_name.unwrap_or_default() })
    }

    /// Returns it in one line.
    pub fn line(&self) -> String {
        let Self { work: TeamWork { team, task }, box_name } = self;
        let task = task.as_ref().map(TaskId::as_str).unwrap_or_default();
        format!("{task} of {team} asks a person on box {box_name}: its dialog is there")
    }
}

/// Reads the store.
///
/// # Errors
/// It cannot be used: then none of this is known.
pub async fn told(workspace: &Path) -> Result<Told, StoreFault> {
    let Some(mut store) = setup(workspace).open().await? else { return Ok(Told::default()) };
    let told = read(&mut store).await;
    store.close().await;
    told
}

async fn read(store: &mut Store) -> Result<Told, StoreFault> {
    let news = store.news(Listed::Open, &SystemClock).await?;
    let view = store.tasks_view(&SystemClock).await?;
    let work = view.active.iter().map(|active| {
        let work = TeamWork { team: active.task.team.clone(), task: Some(active.task.id.clone()) };
        (active.root.clone(), work)
    });
    let elsewhere = view.sharing.iter().flat_map(|sharing| sharing.elsewhere.iter().cloned());
    let elsewhere = elsewhere.filter_map(AsksElsewhere::of);
    Ok(Told { news, work: work.collect(), elsewhere: elsewhere.collect() })
}

/// The open questions, oldest first, with whose work they are, if that is known.
pub fn questions(survey: &Survey, told: Option<&Told>) -> Vec<InboxRow> {
    let running = survey.trees.iter().filter(|tree| tree.bucket == Bucket::Run);
    let mut rows: Vec<InboxRow> = running.flat_map(ListedInbox::of).collect();
    for row in &mut rows {
        let mut work = told.into_iter().flat_map(|told| &told.work);
        let work = work.find(|(root, _)| *root == row.dialog.root);
        row.work = work.map(|(_, work)| work.clone());
    }
    rows.sort_unstable_by(|a, b| {
        (&a.question.asked_at, &a.question.id).cmp(&(&b.question.asked_at, &b.question.id))
    });
    rows
}

/// What dialogs answered the person, and nobody has acknowledged.
pub fn answers(survey: &Survey) -> Vec<NewsItem> {
    let running = survey.trees.iter().filter(|tree| tree.bucket == Bucket::Run);
    running.flat_map(ListedInbox::answers).collect()
}

/// Returns the events about open items that a driver would send.
///
/// # Errors
/// The folder of the dialogs cannot be read.
pub async fn events(workspace: &Path) -> Result<Vec<DriverEvent>, CommandError> {
    let told = told(workspace).await;
    let folder = workspace.to_owned();
    let survey = tokio::task::spawn_blocking(move || survey(&folder));
    let survey = survey.await.map_err(|error| CommandError::refused(error.to_string()))?;
    let mut survey = survey?;
    let mut problems: Vec<Problem> = std::mem::take(&mut survey.problems);
    problems.extend(told.as_ref().err().and_then(StoreFault::problem));
    let questions = questions(&survey, told.as_ref().ok());
    let answers = answers(&survey);
    let news = told.ok().map(|told| DriverEvent::News([answers, told.news].concat()));
    let events = [DriverEvent::Problems(problems)].into_iter().chain(news);
    Ok(events.chain([DriverEvent::Inbox(questions)]).collect())
}

/// Blocks on the disk.
pub fn survey(workspace: &Path) -> Result<Survey, CommandError> {
    Ok(app::open(workspace, Access::ReadOnly)?.survey(&[Bucket::Run]))
}
