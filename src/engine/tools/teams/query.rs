//! `query_team`, `query_teams`: what teams below know, within a time limit. The call waits for the answers.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::call::{Refused, TeamCall, failed};
use crate::domain::dialogs::call::{QUERY_TEAM, QUERY_TEAMS};
use crate::domain::teams::org::OrgTeam;
use crate::domain::teams::task::query::{GIVEN_UP, MAX_QUERIES, MAX_TIME, NO_PROVIDER, QueryRule};
use crate::domain::teams::task::{
    EMPTY_RESPONSE, NewTask, Task, TaskKind, TaskRefusal, TaskStatus,
};
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{Lang, TaskId};
use crate::hive::{Hive, TasksView, task_refused};
use crate::tools::outcome::{ToolOutcome, clip_middle};
use crate::tools::team_calls::TeamCallSlot;
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

/// Most characters of all answers to one call.
const MOST_CHARS: usize = 40_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct QueryArgs {
    team: String,
    query: String,
    timeout_ms: Option<u64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct QueriesArgs {
    queries: Option<Vec<QueryArgs>>,
    teams: Option<Vec<String>>,
    query: Option<String>,
    default_timeout_ms: Option<u64>,
}

pub(super) fn query_team() -> Arc<dyn Tool> {
    typed::asynchronous(
        typed::reads(QUERY_TEAM),
        |lang| Text::of_document(include_str!("query_team.md")).in_lang(lang),
        async |cx: ToolCx, args: QueryArgs| match TeamCall::begin(cx).await {
            Ok(call) => match call.query_one(&args).await {
                Ok(answer) => ToolOutcome::done(answer),
                Err(reason) => failed(&reason, &call.cx),
            },
            Err(failed) => *failed,
        },
    )
}

pub(super) fn query_teams() -> Arc<dyn Tool> {
    typed::asynchronous(
        typed::reads(QUERY_TEAMS),
        |lang| Text::of_document(include_str!("query_teams.md")).in_lang(lang),
        async |cx: ToolCx, args: QueriesArgs| match TeamCall::begin(cx).await {
            Ok(mut call) => {
                let lang = call.cx.lang;
                let slot = call.slot.take();
                match call.query_all(slot, args).await {
                    Ok(answers) if answers.iter().any(|(_, answer)| answer.is_ok()) => {
                        ToolOutcome::done(results(true, &answers, lang).to_string())
                    }
                    Ok(answers) => ToolOutcome::failed(results(false, &answers, lang).to_string()),
                    Err(reason) => failed(&reason, &call.cx),
                }
            }
            Err(failed) => *failed,
        },
    )
}

/// A query that may be asked.
struct Planned<'a> {
    team: &'a OrgTeam,
    text: String,
    within: Duration,
}

/// A query that somebody waits for; if the call is dropped, it is given up.
struct Waiting {
    store: Hive,
    id: Option<TaskId>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            self.store.abandon(id);
        }
    }
}

/// The answer of a team, or why there is none.
type Answer = Result<String, Localized>;

impl TeamCall {
    async fn query_one(&self, args: &QueryArgs) -> Result<String, Refused> {
        let planned = self.plan(args, self.cx.teams.query_time)?;
        let until = Instant::now() + planned.within;
        Ok(self.answer(&planned, until).await?)
    }

    async fn query_all(
        &self,
        own_slot: Option<TeamCallSlot>,
        args: QueriesArgs,
    ) -> Result<Vec<(String, Answer)>, Refused> {
        let queries = listed(args.queries, (args.teams, args.query))?;
        let default = match args.default_timeout_ms {
            Some(limit) => time_limit(limit)?,
            None => self.cx.teams.query_time,
        };
        let mut planned = Vec::new();
        for query in &queries {
            self.is_in_scope(&query.team)?;
            planned.push(self.plan(query, default)?);
        }
        let begun = Instant::now();
        // The first query uses the slot of the call itself, the others one each.
        let slots = std::iter::once(own_slot).chain(std::iter::repeat_with(|| None));
        let asked = planned.iter().zip(slots).map(|(query, slot)| async move {
            let answer = self.answer_in_turn(query, slot, begun + query.within).await;
            (query.team.name.to_string(), answer)
        });
        Ok(join_all(asked).await)
    }

    /// Queries go to direct children alone.
    fn is_in_scope(&self, team: &str) -> Result<(), Refused> {
        let known = self.cx.teams.org.team(&team.into());
        match known.filter(|team| team.parent.as_ref() != Some(&self.own.name)) {
            None => Ok(()),
            Some(OrgTeam { name, .. }) => {
                let own = &self.own.name;
                Err(localized!(
                    "scope_violation: '{name}' is not a child of '{own}'",
                    "scope_violation：'{name}' 不是 '{own}' 的下级"
                )
                .into())
            }
        }
    }

    fn plan(&self, args: &QueryArgs, default: Duration) -> Result<Planned<'_>, Refused> {
        let team = self.child(&args.team)?;
        let text = self.checked_text(&args.query, Text::new("query", "询问"))?;
        let within = args.timeout_ms.map_or(Ok(default), time_limit)?;
        Ok(Planned { team, text, within })
    }

    async fn answer_in_turn(
        &self,
        query: &Planned<'_>,
        slot: Option<TeamCallSlot>,
        until: Instant,
    ) -> Answer {
        let (own, calls) = (&self.own, &self.cx.teams.calls);
        let _slot = match slot {
            Some(slot) => slot,
            None => timeout_at(until, calls.wait(&own.name, own.limits.max_running))
                .await
                .map_err(|_| timed_out(query.within))?,
        };
        self.answer(query, until).await
    }

    async fn answer(&self, query: &Planned<'_>, until: Instant) -> Answer {
        let (team, store) = (query.team, &self.cx.teams.store);
        let task = NewTask {
            cause: self.view.cause(&self.cx.dialog.root),
            from: Some(self.own.name.clone()),
            ..team.new_task(TaskKind::Query, query.text.clone())
        };
        let day = self.cx.clock.day_began();
        let rule = QueryRule { within: query.within, limits: team.limits, day };
        let id = match store.ask(task, rule).await.map_err(|error| query_failed(&error))? {
            Ok(id) => id,
            Err(refusal @ (TaskRefusal::Saturated | TaskRefusal::ShuttingDown)) => {
                return Err(task_refused(team.name.as_str(), refusal));
            }
            Err(refusal) => return Err(query_failed(&task_refused(team.name.as_str(), refusal))),
        };
        let mut waiting = Waiting { store: store.clone(), id: Some(id.clone()) };
        let mut view = store.tasks_view();
        let is_over = |view: &TasksView| view.queries.iter().all(|query| query.id != id);
        let is_late = timeout_at(until, view.wait_for(is_over)).await.is_err();
        let ended = store.give_up(id.clone()).await;
        // If the end could not be written, the store ends the query some time later.
        waiting.id = waiting.id.take().filter(|_| ended.is_err());
        match ended {
            Ok(Some(Task { status: TaskStatus::Done, result: Some(answer), .. })) => Ok(answer),
            Ok(Some(Task { status: TaskStatus::Failed, error: Some(error), .. })) => {
                let is_exact = [NO_PROVIDER, EMPTY_RESPONSE].contains(&error.as_str());
                let error = Localized::same(error);
                Err(if is_exact { error } else { query_failed(&error) })
            }
            _ if is_late => Err(timed_out(query.within)),
            Ok(Some(task)) => {
                let why = task.error.unwrap_or_else(|| GIVEN_UP.to_owned());
                Err(query_failed(&Localized::same(why)))
            }
            Ok(None) => {
                Err(query_failed(&task_refused(team.name.as_str(), TaskRefusal::ShuttingDown)))
            }
            Err(error) => Err(query_failed(&error)),
        }
    }
}

/// The queries of a call: a list of them, or one for several teams.
fn listed(
    queries: Option<Vec<QueryArgs>>,
    (teams, query): (Option<Vec<String>>, Option<String>),
) -> Result<Vec<QueryArgs>, Refused> {
    let all = match (queries, teams, query) {
        (Some(queries), None, None) => queries,
        (None, Some(teams), Some(query)) => {
            let one = |team| QueryArgs { team, query: query.clone(), timeout_ms: None };
            teams.into_iter().map(one).collect()
        }
        _ => {
            let text = Text::new(
                "give either `queries`, or `teams` with one `query`",
                "请给出 `queries`，或 `teams` 和一个 `query`",
            );
            return Err(text.into());
        }
    };
    if !(1..=MAX_QUERIES).contains(&all.len()) {
        let count = all.len();
        return Err(localized!(
            "1 to {MAX_QUERIES} queries may be asked at once, not {count}",
            "一次可以询问 1 到 {MAX_QUERIES} 个，而不是 {count} 个"
        )
        .into());
    }
    Ok(all)
}

fn time_limit(millis: u64) -> Result<Duration, Refused> {
    let most = MAX_TIME.as_millis();
    if (1..=most).contains(&u128::from(millis)) {
        return Ok(Duration::from_millis(millis));
    }
    Err(localized!(
        "a time limit must be 1 to {most} ms, not {millis}",
        "时间限制应为 1 到 {most} 毫秒，而不是 {millis}"
    )
    .into())
}

fn timed_out(within: Duration) -> Localized {
    let millis = within.as_millis();
    localized!("timeout after {millis} ms", "{millis} 毫秒后超时")
}

fn query_failed(why: &Localized) -> Localized {
    let (en, zh) = (why.in_lang(Lang::En), why.in_lang(Lang::Zh));
    localized!(("query_team failed: {en}"), ("询问失败：{zh}"))
}

/// The answers as an object; together they are no longer than a result may be.
fn results(success: bool, answers: &[(String, Answer)], lang: Lang) -> Value {
    let share = MOST_CHARS / answers.len().max(1);
    let row = |(team, answer): &(String, Answer)| {
        let (ok, text) = match answer {
            Ok(answer) => (true, answer.as_str()),
            Err(reason) => (false, reason.in_lang(lang)),
        };
        let text = clip_middle(text.to_owned(), share, lang);
        json!({ "team": team, "ok": ok, "result_or_error": text })
    };
    json!({ "success": success, "results": answers.iter().map(row).collect::<Value>() })
}
