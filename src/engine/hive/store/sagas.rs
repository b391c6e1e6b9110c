//! Changes of the organisation as rows. A change is written before its first step, with all that undoes or finishes it,
//! and deleted in the transaction that completes it; so a row that is found at a start is an interrupted change.

use std::time::SystemTime;

use serde_json::Value;

use super::db::{Row, Step, sql};
use super::task_rows::named;
use super::{Store, memory, millis, moment, task_ends, tasks};
use crate::domain::teams::org_change::{OpenChange, OrgRefusal, TeamState, TeamStatus};
use crate::domain::teams::task::{Enqueued, NewTask, TaskStatus, named};
use crate::domain::{TaskId, TeamName};
use crate::hive::fault::StoreFault;

named! {
    SagaKind {
        Spawn = "spawn",
        Shutdown = "shutdown",
        /// A new member of a team.
        Member = "member",
        /// A skill of a member.
        Skill = "skill",
    }
}

/// A change that is not over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saga {
    pub id: String,
    pub kind: SagaKind,
    /// The team that it is about.
    pub team: TeamName,
    /// The team whose lead wants it; `None` for a person.
    pub by: Option<TeamName>,
    /// The plan that undoes or finishes it.
    pub plan: Value,
}

/// The values of `teams.status`.
const SPAWNING: &str = "spawning";
const ACTIVE: &str = "active";
const CLOSING: &str = "closing";
/// Why tasks end when their team is shut down.
const TEAM_CLOSED: &str = "the team was shut down";

impl Store {
    /// Records that a team is to be made; no other change is in its way after that.
    ///
    /// # Errors
    /// The disk; nothing has begun then.
    pub async fn begin_spawn(
        &mut self,
        saga: &Saga,
        now: SystemTime,
    ) -> Result<Result<(), OrgRefusal>, StoreFault> {
        let seat = self.seat.clone();
        let mut step = self.db.begin().await?;
        let now = step.now(now);
        if let Some(refusal) = in_the_way(&mut step, &saga.team, saga.by.as_ref()).await? {
            return Ok(Err(refusal));
        }
        // The caller has checked the files: a team that is active here and has no file was removed by hand.
        let make = sql(
            "INSERT INTO teams (org, name, status, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT (org, name) \
             DO UPDATE SET status = $3, bootstrap_task = NULL, created_at = $4 WHERE teams.status = $5",
        );
        let make = make.bind(saga.team.as_str()).bind(SPAWNING).bind(millis(now));
        let make = make.bind(ACTIVE);
        if make.execute(&mut step).await? == 0 {
            return Ok(Err(OrgRefusal::Exists(saga.team.clone())));
        }
        write_down(&mut step, (saga, &seat), now).await?;
        step.commit().await?;
        Ok(Ok(()))
    }

    /// The team is there: from now on it works, beginning with this task. If the result is not `Queued`, the change is
    /// not over, and has to be undone.
    ///
    /// # Errors
    /// The disk; then too the change has to be undone.
    pub async fn finish_spawn(
        &mut self,
        saga: &Saga,
        (first, id): (&NewTask, &TaskId),
        now: SystemTime,
    ) -> Result<Enqueued, StoreFault> {
        let seat = self.seat.clone();
        let mut step = self.db.begin().await?;
        let now = step.now(now);
        let queued = tasks::enqueue(&mut step, first, (id, &seat), now).await?;
        if !matches!(queued, Enqueued::Queued(_)) {
            return Ok(queued);
        }
        let works =
            "UPDATE teams SET status = $3, bootstrap_task = $4 WHERE org = $1 AND name = $2";
        let works = sql(works).bind(saga.team.as_str()).bind(ACTIVE);
        works.bind(id.as_str()).execute(&mut step).await?;
        take_out(&mut step, saga).await?;
        step.commit().await?;
        Ok(queued)
    }

    /// Forgets a change that was undone.
    ///
    /// # Errors
    /// The disk.
    pub async fn forget_spawn(&mut self, saga: &Saga) -> Result<(), StoreFault> {
        let mut step = self.db.begin().await?;
        let gone = sql("DELETE FROM teams WHERE org = $1 AND name = $2 AND status = $3");
        gone.bind(saga.team.as_str()).bind(SPAWNING).execute(&mut step).await?;
        take_out(&mut step, saga).await?;
        step.commit().await?;
        Ok(())
    }

    /// Records that something is to be written for an existing team.
    ///
    /// # Errors
    /// The disk; nothing has begun then.
    pub async fn begin_change(
        &mut self,
        saga: &Saga,
        now: SystemTime,
    ) -> Result<Result<(), OrgRefusal>, StoreFault> {
        let seat = self.seat.clone();
        let mut step = self.db.begin().await?;
        let now = step.now(now);
        if let Some(refusal) = in_the_way(&mut step, &saga.team, saga.by.as_ref()).await? {
            return Ok(Err(refusal));
        }
        write_down(&mut step, (saga, &seat), now).await?;
        step.commit().await?;
        Ok(Ok(()))
    }

    /// Forgets a change that is complete, or was undone.
    ///
    /// # Errors
    /// The disk; then it is not over.
    pub async fn forget_change(&mut self, saga: &Saga) -> Result<(), StoreFault> {
        let mut step = self.db.begin().await?;
        take_out(&mut step, saga).await?;
        step.commit().await
    }

    /// Records that these teams are shut down, and ends their tasks. From here on that is finished, never undone.
    ///
    /// # Errors
    /// The disk; nothing has begun then.
    pub async fn begin_shutdown(
        &mut self,
        saga: &Saga,
        teams: &[TeamName],
        now: SystemTime,
    ) -> Result<Result<(), OrgRefusal>, StoreFault> {
        let seat = self.seat.clone();
        let mut step = self.db.begin().await?;
        let now = step.now(now);
        if let Some(refusal) = in_the_way(&mut step, &saga.team, saga.by.as_ref()).await? {
            return Ok(Err(refusal));
        }
        for team in teams {
            if let Some(why) = in_the_way(&mut step, team, saga.by.as_ref()).await? {
                let why = Box::new(why);
                return Ok(Err(OrgRefusal::CascadeFailed { child: team.clone(), why }));
            }
            let close =
                sql("INSERT INTO teams (org, name, status, created_at) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT (org, name) DO UPDATE SET status = $3");
            let close = close.bind(team.as_str()).bind(CLOSING).bind(millis(now));
            close.execute(&mut step).await?;
            task_ends::cancel_all(&mut step, team, TEAM_CLOSED, now).await?;
            let dialogs = "UPDATE attempts SET put_away = 0 WHERE org = $1 AND team = $2";
            sql(dialogs).bind(team.as_str()).execute(&mut step).await?;
        }
        write_down(&mut step, (saga, &seat), now).await?;
        step.commit().await?;
        Ok(Ok(()))
    }

    /// True if all dialogs of these teams are archived, and all their results are delivered.
    ///
    /// # Errors
    /// The disk.
    pub async fn are_put_away(&mut self, teams: &[TeamName]) -> Result<bool, StoreFault> {
        for team in teams {
            let left =
                "SELECT 1 FROM attempts WHERE org = $1 AND team = $2 AND put_away = 0 LIMIT 1";
            let left = sql(left).bind(team.as_str());
            if left.fetch_optional(&mut self.db).await?.is_some() {
                return Ok(false);
            }
            let told =
                "SELECT 1 FROM deliveries WHERE org = $1 AND team = $2 AND delivered = 0 LIMIT 1";
            let told = sql(told).bind(team.as_str());
            if told.fetch_optional(&mut self.db).await?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Deletes all rows of these teams; their names are free again.
    ///
    /// # Errors
    /// The disk; nothing is deleted then.
    pub async fn finish_shutdown(
        &mut self,
        saga: &Saga,
        teams: &[TeamName],
    ) -> Result<(), StoreFault> {
        let mut step = self.db.begin().await?;
        for team in teams {
            for delete in [
                "DELETE FROM deliveries WHERE org = $1 AND team = $2",
                "DELETE FROM attempts WHERE org = $1 AND team = $2",
                "DELETE FROM tasks WHERE org = $1 AND team = $2",
                "DELETE FROM seen WHERE org = $1 AND scope IN ('handoff:' || $2, 'handoff-rate:' || $2)",
                "DELETE FROM seen WHERE org = $1 AND substr(scope, 1, length($2) + 9) = 'trigger:' || $2 || '/'",
                "DELETE FROM triggers WHERE org = $1 AND team = $2",
                "DELETE FROM vault WHERE org = $1 AND team = $2",
                "DELETE FROM vault_uses WHERE org = $1 AND team = $2",
                "DELETE FROM teams WHERE org = $1 AND name = $2",
            ] {
                sql(delete).bind(team.as_str()).execute(&mut step).await?;
            }
            memory::forget_team(&mut step, team).await?;
        }
        take_out(&mut step, saga).await?;
        step.commit().await?;
        Ok(())
    }

    /// The changes that are not over and were begun here, the oldest first.
    ///
    /// # Errors
    /// The disk, or a row that no version of this program wrote.
    pub async fn open_sagas(&mut self) -> Result<Vec<Saga>, StoreFault> {
        let all = sql("SELECT id, kind, team, caller_team, plan FROM sagas \
             WHERE org = $1 AND ($2 IS NULL OR seat = $2) ORDER BY started_at, id");
        let rows = all.bind(self.own_seat()).fetch_all(&mut self.db).await?;
        rows.iter().map(saga).collect()
    }

    /// Forgets the unfinished changes: the files say what there is.
    ///
    /// # Errors
    /// The disk.
    pub async fn forget_changes(&mut self) -> Result<(), StoreFault> {
        let mut step = self.db.begin().await?;
        sql("DELETE FROM sagas WHERE org = $1").execute(&mut step).await?;
        let teams = sql("DELETE FROM teams WHERE org = $1 AND status <> $2");
        teams.bind(ACTIVE).execute(&mut step).await?;
        step.commit().await?;
        Ok(())
    }

    /// Why a team cannot be changed now, if it cannot.
    ///
    /// # Errors
    /// The disk.
    pub async fn obstacle(
        &mut self,
        team: &TeamName,
        by: Option<&TeamName>,
    ) -> Result<Option<OrgRefusal>, StoreFault> {
        let mut step = self.db.begin_reading().await?;
        in_the_way(&mut step, team, by).await
    }

    /// The states of all teams that are not merely active, and the unfinished changes.
    ///
    /// # Errors
    /// The disk.
    pub async fn team_states(&mut self) -> Result<(Vec<TeamState>, Vec<OpenChange>), StoreFault> {
        let list = sql("SELECT m.name, m.status, t.status FROM teams m \
             LEFT JOIN tasks t ON t.org = m.org AND t.id = m.bootstrap_task WHERE m.org = $1 ORDER BY m.name");
        let mut known = Vec::new();
        for row in list.fetch_all(&mut self.db).await? {
            let (name, written): (String, String) = (row.try_get(0)?, row.try_get(1)?);
            let first: Option<String> = row.try_get(2)?;
            let status = match (written.as_str(), first.as_deref().and_then(TaskStatus::named)) {
                (CLOSING, _) => TeamStatus::ShuttingDown,
                (SPAWNING, _) => TeamStatus::Initializing,
                (_, Some(TaskStatus::Failed | TaskStatus::Cancelled)) => {
                    TeamStatus::BootstrapFailed
                }
                (_, Some(TaskStatus::Pending | TaskStatus::Running | TaskStatus::Blocked)) => {
                    TeamStatus::Initializing
                }
                (_, Some(TaskStatus::Done) | None) => continue,
            };
            known.push(TeamState { name: TeamName::new(name), status });
        }
        let all = sql(
            "SELECT team, caller_team, started_at FROM sagas WHERE org = $1 ORDER BY started_at, id",
        );
        let mut changes = Vec::new();
        for row in all.fetch_all(&mut self.db).await? {
            let (team, by): (String, String) = (row.try_get(0)?, row.try_get(1)?);
            let (team, since) = (TeamName::new(team), moment(row.try_get(2)?));
            changes.push(OpenChange { team, by: requester(by), since });
        }
        Ok((known, changes))
    }
}

/// True if the team is being shut down.
pub(super) async fn is_closing(step: &mut Step<'_>, team: &TeamName) -> Result<bool, StoreFault> {
    let closing = "SELECT 1 FROM teams WHERE org = $1 AND name = $2 AND status = $3";
    let closing = sql(closing).bind(team.as_str()).bind(CLOSING);
    Ok(closing.fetch_optional(step).await?.is_some())
}

/// The refusal if the team is being shut down, or another change of it, or for the same requester, is not over.
async fn in_the_way(
    step: &mut Step<'_>,
    team: &TeamName,
    by: Option<&TeamName>,
) -> Result<Option<OrgRefusal>, StoreFault> {
    if is_closing(step, team).await? {
        return Ok(Some(OrgRefusal::ShuttingDown(team.clone())));
    }
    let other = "SELECT caller_team, team FROM sagas WHERE org = $1 AND (caller_team = $2 OR team = $3) LIMIT 1";
    let other = sql(other).bind(caller(by)).bind(team.as_str());
    let other = other.fetch_optional(step).await?;
    Ok(other.map(|_| OrgRefusal::Running(by.cloned())))
}

/// The team in `caller_team`; `None` for a person.
fn requester(by: String) -> Option<TeamName> {
    Some(by).filter(|by| !by.is_empty()).map(TeamName::new)
}

fn caller(by: Option<&TeamName>) -> &str {
    by.map(TeamName::as_str).unwrap_or_default()
}

async fn write_down(
    step: &mut Step<'_>,
    (saga, seat): (&Saga, &str),
    now: SystemTime,
) -> Result<(), StoreFault> {
    let write = sql(
        "INSERT INTO sagas (org, id, kind, team, caller_team, plan, started_at, seat) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    );
    let write = write.bind(&saga.id).bind(saga.kind.name()).bind(saga.team.as_str());
    let write = write.bind(caller(saga.by.as_ref())).bind(saga.plan.to_string()).bind(millis(now));
    write.bind(seat).execute(step).await?;
    Ok(())
}

async fn take_out(step: &mut Step<'_>, saga: &Saga) -> Result<(), StoreFault> {
    let out = sql("DELETE FROM sagas WHERE org = $1 AND id = $2").bind(&saga.id);
    out.execute(step).await?;
    Ok(())
}

/// Id, kind, team, caller, plan.
fn saga(row: &Row) -> Result<Saga, StoreFault> {
    let (by, plan): (String, String) = (row.try_get(3)?, row.try_get(4)?);
    let plan = serde_json::from_str(&plan);
    Ok(Saga {
        id: row.try_get(0)?,
        kind: named(row, 1, SagaKind::named, "kind of change")?,
        team: TeamName::new(row.try_get::<String>(2)?),
        by: requester(by),
        plan: plan.map_err(|error| StoreFault::Damaged(format!("a change of teams: {error}")))?,
    })
}
