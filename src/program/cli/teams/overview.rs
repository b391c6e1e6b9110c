//! `overview`: what the teams do, those in trouble first, with the command that helps. It works with a driver and without
//! one, and whatever has become of the store: what is not known is said to be unknown.

use std::path::Path;

use serde_json::{Value, json};

use crate::app;
use crate::domain::reading::title::headline;
use crate::domain::teams::org::{Org, OrgTeam};
use crate::domain::teams::stall::StallRule;
use crate::domain::teams::task::row::TaskRow;
use crate::domain::teams::trigger::TriggerState;
use crate::domain::teams::trigger::row::{TriggerRow, rows};
use crate::domain::teams::trouble::{TeamFacts, Trouble, TroubleKind};
use crate::domain::{Bucket, Clock as _, Lang};
use crate::hive::StoreFault;
use crate::minds::{HiveConfig, Minds};
use crate::platform::{SystemClock, env};
use crate::protocol::InboxRow;
use crate::store::Access;
use crate::ui::model::age;

use super::retried::{Retried, running_words};
use super::store_copies::is_driven;
use super::{Work, counts};
use crate::cli::commands::undriven::{self, Told};
use crate::cli::exit::{CommandError, Status};
use crate::cli::forms::item_json::Item;
use crate::cli::forms::question_json::alike;
use crate::cli::output;

/// Most tasks that ended last.
const MOST_ENDED: usize = 5;

pub async fn overview(workspace: &Path, as_json: bool) -> Result<Status, CommandError> {
    let minds = Minds::load(workspace, Lang::En);
    let seen = Seen::of(workspace, minds.hive()).await;
    if as_json {
        output::json(&seen.json(workspace, minds.hive()));
    } else {
        seen.print(minds.hive());
    }
    Ok(seen.status())
}

/// What was found; an error where something is not known.
struct Seen {
    questions: Result<Vec<InboxRow>, CommandError>,
    told: Result<Told, StoreFault>,
    work: Result<Work, CommandError>,
    is_driven: bool,
    retried: Retried,
}

impl Seen {
    async fn of(workspace: &Path, hive: &HiveConfig) -> Self {
        let told = undriven::told(workspace).await;
        let survey = app::open(workspace, Access::ReadOnly);
        let survey = survey.map(|store| store.survey(&[Bucket::Run]));
        let questions = survey.map(|survey| undriven::questions(&survey, told.as_ref().ok()));
        let is_driven = is_driven(workspace);
        Self {
            questions: questions.map_err(CommandError::from),
            told,
            work: Work::of(workspace, hive.org()).await,
            is_driven,
            retried: Retried::of(workspace, is_driven).await,
        }
    }

    fn status(&self) -> Status {
        let faults = [self.work.as_ref().err(), self.questions.as_ref().err()];
        faults.into_iter().flatten().next().map_or(Status::Done, |fault| fault.status)
    }

    /// The teams in use, those in trouble first.
    fn teams<'a>(&self, hive: &'a HiveConfig) -> Vec<(&'a OrgTeam, Option<Trouble>)> {
        let org: &'a Org = hive.org();
        let teams = org.teams().filter(|_| org.is_on());
        let mut teams: Vec<_> = teams.map(|team| (team, self.trouble(team, hive.stall))).collect();
        teams.sort_by_key(|(team, trouble)| {
            let running = self.work.as_ref().map_or(0, |work| work.view.running_of(&team.name));
            let kind = trouble.as_ref().map(|trouble| trouble.kind);
            (kind.is_none(), kind, running == 0)
        });
        teams
    }

    fn trouble(&self, team: &OrgTeam, stall: StallRule) -> Option<Trouble> {
        let view = &self.work.as_ref().ok()?.view;
        let facts = TeamFacts {
            team: &team.name,
            status: view.status_of(&team.name),
            held_back: team.held_back.as_ref(),
            pending: view.pending_of(&team.name),
            used_up: view.used_up.contains(&team.name),
            has_no_box: view.sharing.is_some() && view.boxes_of(&team.name).next().is_none(),
            stall,
        };
        let retried = |task: &TaskRow| self.retried.has(task.dialog.as_ref()).then(String::new);
        facts.trouble(&view.listed, retried, &SystemClock.now())
    }

    fn ended(&self) -> impl Iterator<Item = &TaskRow> {
        let listed = self.work.iter().flat_map(|work| work.view.listed.iter());
        listed.filter(|task| !task.status.is_open()).take(MOST_ENDED)
    }

    fn triggers(&self, hive: &HiveConfig) -> Vec<TriggerRow> {
        let stored = self.work.iter().flat_map(|work| work.view.triggers.iter().cloned());
        rows(hive.triggers(), &stored.collect::<Vec<_>>(), &SystemClock)
    }

    fn json(&self, workspace: &Path, hive: &HiveConfig) -> Value {
        let teams = self.teams(hive);
        let teams = teams.iter().map(|(team, trouble)| self.team_json(team, trouble.as_ref()));
        let questions = self.questions.as_ref().map(|rows| {
            rows.iter().map(|row| json!(Item::of_question(row, alike(row, rows)))).collect()
        });
        let news = self.told.as_ref().map(|told| {
            let items = told.news.iter().map(|item| json!(Item::of_news(item)));
            items.collect::<Value>()
        });
        let tasks = self.sums(hive).map(|(running, pending, blocked)| {
            let retrying = self.retrying(hive);
            json!({
                "running": running, "retrying": retrying, "pending": pending, "blocked": blocked,
            })
        });
        let triggers = self.triggers(hive);
        let triggers = triggers.iter().map(|row| row.summary(Lang::En)).collect::<Value>();
        let ended = self.ended().map(|task| json!(task)).collect::<Value>();
        let work = self.work.as_ref().map_err(ToString::to_string);
        json!({
            "at": SystemClock.now(),
            "workspace": env::display_path(workspace),
            "store": { "ok": work.is_ok(), "problem": work.as_ref().err() },
            "driver": { "running": self.is_driven, "answers": self.retried.is_known() },
            "teams": teams.collect::<Value>(),
            "tasks": known(tasks),
            "questions": known(questions),
            "news": known(news.map_err(StoreFault::text)),
            "triggers": known(work.as_ref().map(|_| triggers)),
            "ended": known(work.as_ref().map(|_| ended)),
        })
    }

    fn team_json(&self, team: &OrgTeam, trouble: Option<&Trouble>) -> Value {
        let work = self.work.as_ref().map(|work| {
            let (pending, running, blocked) = counts(team, &work.view);
            let trouble = trouble.map(|trouble| {
                json!({
                    "kind": trouble.kind,
                    "reason": trouble.reason().in_lang(Lang::En),
                    "task": trouble.task,
                    "helps": helps(trouble, team),
                })
            });
            let retrying = self.retried.of_team(team, &work.view);
            json!({
                "running": running, "retrying": retrying, "pending": pending, "blocked": blocked,
                "trouble": trouble,
            })
        });
        json!({
            "name": team.name,
            "parent": team.parent,
            "lead": team.lead,
            "maxRunning": team.limits.max_running,
            "work": known(work),
        })
    }

    /// Tasks of all teams that run, wait for a slot, or wait for a person.
    fn sums(&self, hive: &HiveConfig) -> Result<(u64, u64, usize), &CommandError> {
        let work = self.work.as_ref()?;
        let all = hive.org().teams().map(|team| counts(team, &work.view));
        let none = (0_u64, 0_u64, 0_usize);
        Ok(all.fold(none, |sum, (pending, running, blocked)| {
            (sum.0 + u64::from(running), sum.1 + pending, sum.2 + blocked)
        }))
    }

    /// How many tasks of all teams retry; `None` if that is not known.
    fn retrying(&self, hive: &HiveConfig) -> Option<usize> {
        let view = &self.work.as_ref().ok()?.view;
        hive.org().teams().map(|team| self.retried.of_team(team, view)).sum()
    }

    fn print(&self, hive: &HiveConfig) {
        let unknown = |fault: &dyn std::fmt::Display| format!("not known: {fault}");
        let store = self.work.as_ref().map_or_else(ToString::to_string, |_| "ok".to_owned());
        output::print(&format!("store     {store}"));
        let driver = match (self.is_driven, self.retried.is_known()) {
            (false, _) => "none",
            (true, true) => "running",
            (true, false) => "does not answer: which models answer is not known",
        };
        output::print(&format!("driver    {driver}"));
        let tasks = self.sums(hive).map_or_else(
            |fault| unknown(fault),
            |(running, pending, blocked)| {
                let running = running_words(running, self.retrying(hive));
                format!("{running} · {pending} queued · {blocked} blocked")
            },
        );
        output::print(&format!("tasks     {tasks}"));
        for (team, trouble) in self.teams(hive) {
            output::print(&format!("team      {}", self.team_line(team, trouble.as_ref())));
        }
        match &self.questions {
            Err(fault) => output::print(&format!("for you   {}", unknown(fault))),
            Ok(rows) => rows.iter().for_each(print_question),
        }
        for row in self.triggers(hive).iter().filter(|row| is_sick(row)) {
            let why = row.reason.clone().unwrap_or_else(|| format!("{} failures", row.failures));
            let fault = row.fault.as_ref().map_or(why, ToString::to_string);
            output::print(&format!("trigger   {}  {}: {fault}", row.id(), row.state.name()));
        }
        for task in self.ended() {
            let TaskRow { id, team, status, about, error, since, .. } = task;
            let age = age::short(since, &SystemClock.now());
            let why = error.as_ref().map(|error| format!("  -> {error}")).unwrap_or_default();
            output::print(&format!(
                "ended     {id}  {} {age}  {team}  {about}{why}",
                status.name()
            ));
        }
    }

    fn team_line(&self, team: &OrgTeam, trouble: Option<&Trouble>) -> String {
        let name = &team.name;
        let work = match &self.work {
            Ok(work) => work,
            Err(fault) => return format!("{name}  not known: {fault}"),
        };
        let (pending, running, _) = counts(team, &work.view);
        let why = trouble.map(|trouble| {
            format!("  {}  -> {}", trouble.reason().in_lang(Lang::En), helps(trouble, team))
        });
        let most = team.limits.max_running;
        let retrying = match self.retried.of_team(team, &work.view) {
            None | Some(0) => String::new(),
            Some(some) => format!(" ({some} retrying)"),
        };
        let why = why.unwrap_or_default();
        format!("{name}  {running}/{most}{retrying}  {pending} queued{why}")
    }
}

/// A part of the overview, or why it is not known.
fn known<E: ToString>(part: Result<Value, E>) -> Value {
    part.unwrap_or_else(|why| json!({ "unknown": why.to_string() }))
}

fn is_sick(row: &TriggerRow) -> bool {
    let cannot_run = row.state == TriggerState::Active && !row.is_running();
    cannot_run || (row.failures > 0 && row.state != TriggerState::Pending)
}

fn print_question(row: &InboxRow) {
    let team = row.work.as_ref().map(|work| format!("{}  ", work.team)).unwrap_or_default();
    let asks = headline(&row.question.tellask_content);
    output::print(&format!("for you   {team}{}  {asks}", row.asker(Lang::En)));
}

/// The command that helps, or the file to change.
fn helps(trouble: &Trouble, team: &OrgTeam) -> String {
    let name = &team.name;
    match (trouble.kind, &trouble.task) {
        (TroubleKind::Quarantined, _) => "dominds-tui vault migrate".to_owned(),
        (TroubleKind::NoModel, _) => "dominds-tui doctor --providers".to_owned(),
        (TroubleKind::Asks, _) => "dominds-tui q4h".to_owned(),
        (TroubleKind::UsedUp, _) => format!("limits in .minds/hive/teams/{name}.yaml"),
        (TroubleKind::NoBox, _) => "dominds-tui health".to_owned(),
        (TroubleKind::Stalls, Some(task)) => format!("dominds-tui task cancel {task}"),
        (
            TroubleKind::SetUpFailed
            | TroubleKind::Failing
            | TroubleKind::Interrupted
            | TroubleKind::Stopped,
            Some(task),
        ) => format!("dominds-tui task retry {task}"),
        (_, None) => format!("dominds-tui team show {name}"),
    }
}
