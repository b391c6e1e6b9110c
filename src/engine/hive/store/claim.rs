//! Which tasks are started next: as many as the slots and the daily limits of their teams allow. One statement reads
//! for many teams, as each statement costs a round trip to a server.

use std::collections::BTreeMap;
use std::time::SystemTime;

use super::db::{Statement, Step, sql};
use super::engines::{Place, holds_lease};
use super::notices::tell;
use super::{Store, millis};
use crate::domain::teams::notices::NewsKind;
use crate::domain::teams::org::TeamLimits;
use crate::domain::teams::task::ActiveTask;
use crate::domain::{Clock, RootId, TeamName};
use crate::hive::fault::StoreFault;
use crate::hive::views::TeamSlots;

/// Teams per statement. A database limits the parts of a statement, and its values.
const TEAMS_AT_ONCE: usize = 50;

/// The used part of a team's limits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// Slots that tasks and queries use.
    running: i64,
    /// Tasks and queries that were started on this day; 0 if the team has no limit of them.
    started: i64,
    /// Tokens of those that have ended on this day; 0 if the team has no limit of them.
    tokens: i64,
}

impl Usage {
    /// How many more may run.
    pub fn free_slots(self, limits: &TeamLimits) -> i64 {
        i64::from(limits.max_running) - self.running
    }

    /// The used part of each daily limit, one line per limit.
    fn said(self, limits: &TeamLimits) -> String {
        let all = [
            ("max_tasks_per_day", self.started, u64::from(limits.max_tasks_per_day)),
            ("max_tokens_per_day", self.tokens, limits.max_tokens_per_day),
        ];
        let line = |(name, used, most)| format!("- {name}: {used} / {most}\n");
        all.into_iter().filter(|(_, _, most)| *most > 0).map(line).collect()
    }

    /// How many more may be started on the rest of this day.
    pub fn left_of_day(self, limits: &TeamLimits) -> i64 {
        let tokens = u64::try_from(self.tokens).unwrap_or_default();
        if limits.max_tokens_per_day > 0 && tokens >= limits.max_tokens_per_day {
            return 0;
        }
        match limits.max_tasks_per_day {
            0 => i64::MAX,
            most => i64::from(most) - self.started,
        }
    }
}

impl Store {
    /// Starts the first tasks of these teams, as many as there are roots for their dialogs and slots of the teams.
    /// `day`: when this day of the local calendar began.
    ///
    /// # Errors
    /// The disk; nothing is started then.
    pub async fn claim(
        &mut self,
        teams: &[TeamSlots],
        roots: Vec<RootId>,
        (day, clock): (SystemTime, &dyn Clock),
    ) -> Result<Vec<ActiveTask>, StoreFault> {
        let place = self.place();
        let teams: Vec<&TeamSlots> = teams.iter().filter(|team| self.hosts(&team.team)).collect();
        let (seat, engine) = (self.own_seat().map(str::to_owned), self.engine_id());
        let mut step = self.db.begin().await?;
        let now = step.now(clock.moment());
        if !holds_lease(&mut step, seat.as_deref(), engine.as_deref()).await? {
            return Ok(Vec::new());
        }
        let limits: Vec<_> = teams.iter().map(|team| (&team.team, &team.limits)).collect();
        let usage = usage(&mut step, &limits, millis(day)).await?;
        let (mut free, mut used_up) = (Vec::new(), Vec::new());
        for team in teams {
            let of_team = usage.get(&team.team).copied().unwrap_or_default();
            let left = of_team.left_of_day(&team.limits);
            if left > 0 {
                free.push((&team.team, left.min(of_team.free_slots(&team.limits))));
                continue;
            }
            used_up.push(team.team.clone());
            // Only once, even if it was dismissed.
            if !self.used_up.contains(&team.team) {
                let mut notice = team.used_up.clone();
                notice.body.insert_str(0, &of_team.said(&team.limits));
                let news = Some((NewsKind::Failure, notice));
                tell(&mut step, &self.seat, news, now).await?;
            }
        }
        free.retain(|(_, free)| *free > 0);
        let next = next_tasks(&mut step, &free, roots.len()).await?;
        for (id, root) in next.iter().zip(&roots) {
            start(&mut step, id, (root, &place), millis(now)).await?;
        }
        step.commit().await?;
        self.used_up = used_up;
        let mut tasks = self.active_since(Some(millis(now)), clock).await?;
        tasks.retain(|active| next.iter().any(|id| id == active.task.id.as_str()));
        Ok(tasks)
    }
}

impl Store {
    /// The teams with waiting tasks that have used up their limits of the day that began at this moment.
    ///
    /// # Errors
    /// The disk.
    pub async fn used_up(
        &mut self,
        teams: &[(TeamName, TeamLimits)],
        day: SystemTime,
    ) -> Result<Vec<TeamName>, StoreFault> {
        let waiting = self.waiting(None).await?;
        let waits = |team: &TeamName| waiting.iter().any(|(name, _)| name == team);
        let teams = teams.iter().map(|(name, limits)| (name, limits));
        let teams: Vec<_> = teams.filter(|(team, _)| waits(team)).collect();
        if teams.is_empty() {
            return Ok(Vec::new());
        }
        let mut step = self.db.begin().await?;
        let usage = usage(&mut step, &teams, millis(day)).await?;
        drop(step);
        let is_used_up = |(team, limits): &(&TeamName, &TeamLimits)| {
            usage.get(*team).copied().unwrap_or_default().left_of_day(limits) <= 0
        };
        Ok(teams.into_iter().filter(is_used_up).map(|(team, _)| team.clone()).collect())
    }
}

/// The usage of these teams on the day that began at this moment.
pub(super) async fn usage(
    step: &mut Step<'_>,
    teams: &[(&TeamName, &TeamLimits)],
    day: i64,
) -> Result<BTreeMap<TeamName, Usage>, StoreFault> {
    let mut usage = BTreeMap::new();
    for teams in teams.chunks(TEAMS_AT_ONCE) {
        let rows: Vec<String> = (0..teams.len()).map(|at| placeholders(3 + 3 * at)).collect();
        // Usage without a limit is not counted.
        let mut count = sql(format!(
            "SELECT v.column1, \
             (SELECT COUNT(*) FROM tasks t WHERE t.org = $1 AND t.team = v.column1 AND t.status = 'running'), \
             CASE WHEN v.column2 = 1 THEN (SELECT COUNT(*) FROM attempts a \
             WHERE a.org = $1 AND a.team = v.column1 AND a.started_at >= $2) ELSE CAST(0 AS BIGINT) END, \
             CASE WHEN v.column3 = 1 THEN (SELECT CAST(COALESCE(SUM(a.tokens), 0) AS BIGINT) FROM attempts a \
             WHERE a.org = $1 AND a.team = v.column1 AND a.ended_at >= $2) ELSE CAST(0 AS BIGINT) END \
             FROM (VALUES {}) AS v",
            rows.join(", ")
        ))
        .bind(day);
        for (team, limits) in teams {
            count = count.bind(team.as_str());
            count = count.bind(i64::from(limits.max_tasks_per_day > 0));
            count = count.bind(i64::from(limits.max_tokens_per_day > 0));
        }
        for row in count.fetch_all(step).await? {
            let of_team = Usage {
                running: row.try_get(1)?,
                started: row.try_get(2)?,
                tokens: row.try_get(3)?,
            };
            usage.insert(TeamName::new(row.try_get::<String>(0)?), of_team);
        }
    }
    Ok(usage)
}

/// The placeholders of the three values of a row, numbered from `first`.
fn placeholders(first: usize) -> String {
    format!("(${first}, ${}, ${})", first + 1, first + 2)
}

/// The tasks that go first, in their order: at most `most`, and per team at most as many as it may start.
async fn next_tasks(
    step: &mut Step<'_>,
    teams: &[(&TeamName, i64)],
    most: usize,
) -> Result<Vec<String>, StoreFault> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let mut next = Vec::new();
    for teams in teams.chunks(TEAMS_AT_ONCE) {
        let of_team = |at: usize| {
            let (team, free) = (3 + 2 * at, 4 + 2 * at);
            // Each reads the front of a queue in the order of its index, and no more.
            format!(
                "SELECT * FROM (SELECT id, priority, ord FROM tasks WHERE org = $1 AND team = ${team} AND status = 'pending' \
                 ORDER BY priority, ord LIMIT ${free}) AS q{at}"
            )
        };
        let queues: Vec<String> = (0..teams.len()).map(of_team).collect();
        let first = format!("{} ORDER BY priority, ord LIMIT $2", queues.join(" UNION ALL "));
        let bind = |statement: Statement, (team, free): &(&TeamName, i64)| {
            statement.bind(team.as_str()).bind(*free)
        };
        let first = teams.iter().fold(sql(first).bind(most), bind);
        for row in first.fetch_all(step).await? {
            let (id, priority, ord): (String, i64, i64) =
                (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            next.push((priority, ord, id));
        }
    }
    next.sort_unstable();
    next.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    Ok(next.into_iter().map(|(_, _, id)| id).collect())
}

/// Gives a task its next attempt, in this dialog.
pub(super) async fn start(
    step: &mut Step<'_>,
    id: &str,
    (root, place): (&RootId, &Place),
    now: i64,
) -> Result<(), StoreFault> {
    let run = sql(
        "UPDATE tasks SET status = 'running', block_reason = NULL, attempt = attempt + 1, dialog_root = $3, started_at = $4, \
         ended_at = NULL, result = NULL, error = NULL WHERE org = $1 AND id = $2 RETURNING attempt, team",
    );
    let run = run.bind(id).bind(root.as_str()).bind(now);
    let row = run.fetch_one(&mut *step).await?;
    let (attempt, team): (i64, String) = (row.try_get(0)?, row.try_get(1)?);
    sql(
        "INSERT INTO attempts (org, task, attempt, team, dialog_root, begun, cuts, started_at, put_away, tokens, seat, box) \
         VALUES ($1, $2, $3, $4, $5, 0, 0, $6, 0, 0, $7, $8)",
    )
    .bind(id)
    .bind(attempt)
    .bind(team)
    .bind(root.as_str())
    .bind(now)
    .bind(&place.seat)
    .bind(&place.box_name)
    .execute(&mut *step)
    .await?;
    Ok(())
}
