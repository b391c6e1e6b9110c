//! Triggers and the messages that they look at. A firing is one transaction, from the state of the trigger to its task:
//! an event makes it fire once, also on a second try after an interruption.

use std::time::SystemTime;

use super::db::{Row, Step, sql};
use super::sagas::is_closing;
use super::task_ends::cancel;
use super::task_rows::{named, number};
use super::{Store, millis, moment, seen, tasks, windows};
use crate::domain::teams::task::{AttemptId, Enqueued, NewTask, Overlap, TaskStatus};
use crate::domain::teams::trigger::{
    Firing, FiringRefusal, Message, OpeningUse, StoredTrigger, TriggerId, TriggerOverlap,
    TriggerState,
};
use crate::domain::{TaskId, TeamName};
use crate::hive::fault::StoreFault;

/// Maximum number of waiting messages; further ones are refused.
const MAX_MESSAGES: i64 = 1_000;
/// Why a task of a trigger ends when there is a newer one.
const REPLACED: &str = "replaced by a newer task";

/// Why a trigger is disabled that had no file for some time.
const FILE_WAS_REMOVED: &str = "its file was removed";

/// The newest definition of a trigger that can be used.
#[derive(Debug, Clone)]
pub struct InForce {
    pub json: String,
    /// Failed tasks in a row after which it is disabled.
    pub threshold: u32,
}

impl Store {
    /// All triggers that were enabled or disabled once.
    ///
    /// # Errors
    /// The disk, or a row that no version of this program wrote.
    pub async fn triggers(&mut self) -> Result<Vec<StoredTrigger>, StoreFault> {
        let all = sql(
            "SELECT r.team, r.name, r.state, r.definition, r.failures, r.reason, r.changed_at, r.last_fired, r.last_task, \
             (SELECT t.status FROM tasks t WHERE t.org = r.org AND t.id = r.last_task), r.opened_at, r.ticks, r.tokens \
             FROM triggers r WHERE r.org = $1 ORDER BY r.team, r.name",
        );
        let rows = all.fetch_all(&mut self.db).await?;
        rows.iter().map(stored).collect()
    }

    /// Enables a trigger, whatever its state; false if its team is being shut down.
    ///
    /// # Errors
    /// The disk; nothing has changed then.
    pub async fn enable_trigger(
        &mut self,
        id: &TriggerId,
        definition: &InForce,
        now: SystemTime,
    ) -> Result<bool, StoreFault> {
        self.set_trigger(id, (TriggerState::Active, None), definition, now).await
    }

    /// Disables a trigger; false if its team is being shut down.
    ///
    /// # Errors
    /// The disk; nothing has changed then.
    pub async fn disable_trigger(
        &mut self,
        id: &TriggerId,
        reason: Option<&str>,
        definition: &InForce,
        now: SystemTime,
    ) -> Result<bool, StoreFault> {
        self.set_trigger(id, (TriggerState::Disabled, reason), definition, now).await
    }

    async fn set_trigger(
        &mut self,
        id: &TriggerId,
        (state, reason): (TriggerState, Option<&str>),
        definition: &InForce,
        now: SystemTime,
    ) -> Result<bool, StoreFault> {
        let mut step = self.db.begin().await?;
        let now = step.now(now);
        if is_closing(&mut step, &id.team).await? {
            return Ok(false);
        }
        sql(
            "INSERT INTO triggers (org, team, name, state, definition, threshold, failures, reason, \"overlaps\", changed_at) \
             VALUES ($1, $2, $3, $4, $5, $6, 0, $7, 0, $8) ON CONFLICT (org, team, name) DO UPDATE SET \
             state = $4, definition = $5, threshold = $6, failures = 0, reason = $7, \"overlaps\" = 0, changed_at = $8",
        )
        .bind(id.team.as_str())
        .bind(&id.name)
        .bind(state.name())
        .bind(&definition.json)
        .bind(definition.threshold)
        .bind(reason)
        .bind(millis(now))
        .execute(&mut step)
        .await?;
        step.commit().await?;
        Ok(true)
    }

    /// Disables a trigger whose file was removed. A later one of this name begins anew.
    ///
    /// # Errors
    /// The disk; nothing has changed then.
    pub async fn retire_trigger(
        &mut self,
        id: &TriggerId,
        now: SystemTime,
    ) -> Result<(), StoreFault> {
        let retire = sql(
            "UPDATE triggers SET state = 'disabled', reason = $4, changed_at = $5, opened_at = NULL, position = NULL, position_ord = NULL \
             WHERE org = $1 AND team = $2 AND name = $3",
        );
        let retire = retire.bind(id.team.as_str()).bind(&id.name).bind(FILE_WAS_REMOVED);
        retire.bind(millis(now)).execute(&mut self.db).await?;
        Ok(())
    }

    /// Takes over the current definition in the file of an active trigger.
    ///
    /// # Errors
    /// The disk; nothing has changed then.
    pub async fn take_over(
        &mut self,
        id: &TriggerId,
        definition: &InForce,
    ) -> Result<(), StoreFault> {
        let take = sql(
            "UPDATE triggers SET definition = $4, threshold = $5 WHERE org = $1 AND team = $2 AND name = $3",
        );
        let take = take.bind(id.team.as_str()).bind(&id.name);
        take.bind(&definition.json).bind(definition.threshold).execute(&mut self.db).await?;
        Ok(())
    }

    /// Queues the task of a trigger under this id, unless the firing is refused.
    ///
    /// # Errors
    /// The disk; nothing has happened then.
    pub async fn fire(
        &mut self,
        firing: &Firing,
        task: &TaskId,
        now: SystemTime,
    ) -> Result<Result<TaskId, FiringRefusal>, StoreFault> {
        let (id, rule, seat) = (&firing.id, &firing.rule, self.seat.clone());
        let mut step = self.db.begin().await?;
        let now = step.now(now);
        let Some(active) = active(&mut step, id).await? else {
            return Ok(Err(FiringRefusal::Inactive));
        };
        // A call whose answer was lost is made again under the same id.
        if tasks::is_there(&mut step, task).await? {
            return Ok(Ok(task.clone()));
        }
        let same = format!("trigger:{id}");
        if seen::is_known(&mut step, (&same, &firing.event), rule.dedup_seconds, now).await? {
            return Ok(Err(FiringRefusal::Duplicate));
        }
        if let Some(rule) = &firing.tick
            && !windows::admits(&mut step, id, rule, (&seat, now)).await?
        {
            step.commit().await?;
            return Ok(Err(FiringRefusal::UsedUp));
        }
        seen::forget_old(&mut step, 0, now).await?;
        let member = firing.task.member.as_ref().map_or("", |member| member.as_str());
        let rate = format!("trigger-rate:{}:{member}", id.team);
        if seen::wait(&mut step, &rate, (rule.rate, rule.per_seconds), now).await?.is_some() {
            return Ok(Err(FiringRefusal::RateLimited));
        }
        seen::remember(&mut step, (&same, &firing.event), now).await?;
        if let Some(open) = open_task(&mut step, active.last_task.as_deref()).await? {
            let replaces = match firing.overlap {
                TriggerOverlap::Allow => false,
                TriggerOverlap::AlwaysReplace => true,
                TriggerOverlap::SkipThenReplace if active.overlaps > 0 => true,
                TriggerOverlap::SkipThenReplace | TriggerOverlap::AlwaysSkip => {
                    set_overlaps(&mut step, id, active.overlaps.saturating_add(1)).await?;
                    step.commit().await?;
                    return Ok(Err(FiringRefusal::Overlap));
                }
            };
            if replaces {
                cancel(&mut step, &open, REPLACED, now).await?;
            }
        }
        let new = NewTask { overlap: Overlap::Allow, ..firing.task.clone() };
        match tasks::enqueue(&mut step, &new, (task, &seat), now).await? {
            Enqueued::Queued(_) => {}
            Enqueued::Refused(refusal) => return Ok(Err(FiringRefusal::Task(refusal))),
            Enqueued::Skipped | Enqueued::NeedsConfirmation { .. } => {
                return Ok(Err(FiringRefusal::Overlap));
            }
        }
        seen::remember(&mut step, (&rate, task.as_str()), now).await?;
        if let Some(rule) = &firing.tick {
            windows::count_tick(&mut step, id, rule, task).await?;
        }
        let fired = sql(
            "UPDATE triggers SET \"overlaps\" = 0, last_task = $4, last_fired = $5 WHERE org = $1 AND team = $2 AND name = $3",
        );
        let fired = fired.bind(id.team.as_str()).bind(&id.name).bind(task.as_str());
        fired.bind(millis(now)).execute(&mut step).await?;
        step.commit().await?;
        Ok(Ok(task.clone()))
    }

    /// Leaves a message for triggers; false if too many wait. Messages older than a day are too old for any trigger.
    ///
    /// # Errors
    /// The disk.
    pub async fn send(
        &mut self,
        (id, channel, text): (&str, &str, &str),
        now: SystemTime,
    ) -> Result<bool, StoreFault> {
        let mut step = self.db.begin().await?;
        let now = step.now(now);
        let old = now.checked_sub(seen::KEPT).unwrap_or(SystemTime::UNIX_EPOCH);
        let forget = sql("DELETE FROM messages WHERE org = $1 AND at < $2");
        forget.bind(millis(old)).execute(&mut step).await?;
        // With several engines, a message counts until all of them have looked at it.
        let count = sql("SELECT COUNT(*) FROM messages WHERE org = $1 AND ord > COALESCE( \
             (SELECT MIN(e.messages) FROM engines e WHERE e.org = $1 AND e.lease_until >= $2), 0)");
        let count = count.bind(millis(now)).fetch_one(&mut step).await?;
        let count: i64 = count.try_get(0)?;
        if count >= MAX_MESSAGES {
            return Ok(false);
        }
        let next = sql("UPDATE meta SET ord = ord + 1 WHERE org = $1 RETURNING ord");
        let ord: i64 = next.fetch_one(&mut step).await?.try_get(0)?;
        let insert = sql(
            "INSERT INTO messages (org, ord, id, channel, text, at) VALUES ($1, $2, $3, $4, $5, $6)",
        );
        let insert = insert.bind(ord).bind(id).bind(channel).bind(text);
        insert.bind(millis(now)).execute(&mut step).await?;
        step.commit().await?;
        Ok(true)
    }

    /// The first messages that were not looked at here, the oldest first.
    ///
    /// # Errors
    /// The disk.
    pub async fn messages(&mut self) -> Result<Vec<Message>, StoreFault> {
        let all = "SELECT ord, id, channel, text, at FROM messages WHERE org = $1 AND ord > COALESCE( \
             (SELECT e.messages FROM engines e WHERE e.org = $1 AND e.seat = $2), 0) ORDER BY ord LIMIT 20";
        let rows = sql(all).bind(self.own_seat()).fetch_all(&mut self.db).await?;
        let message = |row: &Row| {
            let at: i64 = row.try_get(4)?;
            Ok(Message {
                number: row.try_get(0)?,
                id: row.try_get(1)?,
                channel: row.try_get(2)?,
                text: row.try_get(3)?,
                at: moment(at),
            })
        };
        rows.iter().map(message).collect()
    }

    /// Triggers have looked at a message. In a shared store it stays for a day, for those of other engines.
    ///
    /// # Errors
    /// The disk.
    pub async fn message_seen(&mut self, number: i64) -> Result<(), StoreFault> {
        if let Some(seat) = self.own_seat() {
            let seen =
                "UPDATE engines SET messages = $3 WHERE org = $1 AND seat = $2 AND messages < $3";
            let seen = sql(seen).bind(seat).bind(number);
            seen.execute(&mut self.db).await?;
            return Ok(());
        }
        let delete = sql("DELETE FROM messages WHERE org = $1 AND ord = $2");
        delete.bind(number).execute(&mut self.db).await?;
        Ok(())
    }
}

/// The state of a trigger that matters for a firing.
struct ActiveTrigger {
    last_task: Option<String>,
    overlaps: u32,
}

/// `None` unless it is active, of a team that is not being shut down.
async fn active(step: &mut Step<'_>, id: &TriggerId) -> Result<Option<ActiveTrigger>, StoreFault> {
    if is_closing(step, &id.team).await? {
        return Ok(None);
    }
    let find = sql(
        "SELECT last_task, \"overlaps\" FROM triggers WHERE org = $1 AND team = $2 AND name = $3 AND state = 'active'",
    );
    let find = find.bind(id.team.as_str()).bind(&id.name);
    let Some(row) = find.fetch_optional(step).await? else { return Ok(None) };
    Ok(Some(ActiveTrigger { last_task: row.try_get(0)?, overlaps: number(&row, 1)? }))
}

/// The newest attempt of this task, if it is open.
async fn open_task(
    step: &mut Step<'_>,
    task: Option<&str>,
) -> Result<Option<AttemptId>, StoreFault> {
    let find = sql(
        "SELECT id, attempt FROM tasks WHERE org = $1 AND id = $2 AND status IN ('pending', 'running', 'blocked')",
    );
    let row = find.bind(task).fetch_optional(step).await?;
    row.as_ref().map(super::task_ends::attempt_id).transpose()
}

async fn set_overlaps(
    step: &mut Step<'_>,
    id: &TriggerId,
    overlaps: u32,
) -> Result<(), StoreFault> {
    let set = "UPDATE triggers SET \"overlaps\" = $4 WHERE org = $1 AND team = $2 AND name = $3";
    let set = sql(set).bind(id.team.as_str()).bind(&id.name);
    set.bind(overlaps).execute(step).await?;
    Ok(())
}

/// Team, name, state, definition, failures, reason, since, last firing, last task and its status; the newest opening, with its
/// ticks and tokens.
fn stored(row: &Row) -> Result<StoredTrigger, StoreFault> {
    let (team, name): (String, String) = (row.try_get(0)?, row.try_get(1)?);
    let (since, fired): (i64, Option<i64>) = (row.try_get(6)?, row.try_get(7)?);
    let last_status: Option<String> = row.try_get(9)?;
    let opened: Option<i64> = row.try_get(10)?;
    let count = |at: usize| row.try_get::<Option<i64>>(at).map(Option::unwrap_or_default);
    let (ticks, tokens) = (count(11)?, count(12)?);
    Ok(StoredTrigger {
        id: TriggerId { team: TeamName::new(team), name },
        state: named(row, 2, TriggerState::named, "state of its trigger")?,
        definition: row.try_get(3)?,
        failures: number(row, 4)?,
        reason: row.try_get(5)?,
        since: moment(since),
        last_fired: fired.map(moment),
        last_task: row.try_get::<Option<String>>(8)?.map(TaskId::new),
        last_status: last_status.as_deref().and_then(TaskStatus::named),
        opening: opened.map(|at| OpeningUse {
            at: moment(at),
            ticks: u32::try_from(ticks).unwrap_or(u32::MAX),
            tokens: u64::try_from(tokens).unwrap_or_default(),
        }),
    })
}
