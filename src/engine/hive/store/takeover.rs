//! What becomes of the tasks of a program that works in a shared store and is not heard of any more.

use std::time::{Duration, SystemTime};

use super::db::{Row, Step, sql};
use super::engines::as_millis;
use super::notices::tell;
use super::task_ends::{attempt_id, close_attempt, end_attempt, report_end};
use super::{Store, moment};
use crate::domain::teams::notices::{NewNotice, NewsKind};
use crate::domain::teams::task::{AttemptId, TaskEnd};
use crate::domain::text::in_lang;
use crate::domain::{AgentId, Lang, TeamName};
use crate::hive::fault::StoreFault;

/// Why an attempt ends whose engine is gone.
const TAKEN_OVER: &str = "its engine was not heard of any more";
/// Tasks that a notice about a lost engine names.
const MAX_NAMED: usize = 10;
/// Engines that are gone and have left something.
const LOST: &str = "SELECT e.seat, e.box FROM engines e WHERE e.org = $1 AND e.lease_until < $2 AND EXISTS ( \
     SELECT 1 FROM tasks t JOIN attempts a ON a.org = t.org AND a.task = t.id AND a.attempt = t.attempt \
     WHERE t.org = e.org AND a.seat = e.seat AND t.status = 'running' AND t.kind <> 'query') ORDER BY e.seat";

impl Store {
    /// Queues the running tasks of lost engines again, whose lease ended longer than `after` ago; a task with too many
    /// attempts fails. Tasks that wait for a person stay where they are. A person is told once.
    ///
    /// # Errors
    /// The server; nothing has changed then.
    pub async fn take_over_lost(&mut self, after: Duration, lang: Lang) -> Result<(), StoreFault> {
        if !self.db.is_shared() || self.lost_engines(after).await?.is_empty() {
            return Ok(());
        }
        let seat = self.seat.clone();
        let mut step = self.db.begin().await?;
        let at = step.server_millis();
        let now = moment(at);
        let lost = sql(LOST).bind(at - as_millis(after));
        for row in lost.fetch_all(&mut step).await? {
            let (lost, box_name): (String, String) = (row.try_get(0)?, row.try_get(1)?);
            let running = sql("SELECT t.id, t.attempt FROM tasks t \
                 JOIN attempts a ON a.org = t.org AND a.task = t.id AND a.attempt = t.attempt \
                 WHERE t.org = $1 AND a.seat = $2 AND t.status = 'running' AND t.kind <> 'query' ORDER BY t.ord");
            let mut moved = Vec::new();
            for row in running.bind(&lost).fetch_all(&mut step).await? {
                let of = attempt_id(&row)?;
                give_back(&mut step, &of, self.max_attempts, (&seat, now)).await?;
                moved.push(of);
            }
            let news =
                (NewsKind::Failure, lost_notice(&box_name, (&moved, self.max_attempts), lang));
            tracing::warn!(box_name, tasks = moved.len(), "an engine was not heard of any more");
            tell(&mut step, &seat, Some(news), now).await?;
        }
        step.commit().await?;
        Ok(())
    }

    async fn lost_engines(&mut self, after: Duration) -> Result<Vec<Row>, StoreFault> {
        let now = sql("SELECT hive_now($1)").fetch_one(&mut self.db).await?.try_get::<i64>(0)?;
        sql(LOST).bind(now - as_millis(after)).fetch_all(&mut self.db).await
    }
}

/// Ends an attempt of a lost engine: its dialog is archived when its box is back, its task is queued again.
async fn give_back(
    step: &mut Step<'_>,
    of: &AttemptId,
    max_attempts: u32,
    (seat, now): (&str, SystemTime),
) -> Result<(), StoreFault> {
    let gone = TaskEnd::Cancelled { error: TAKEN_OVER.to_owned() };
    if of.attempt >= max_attempts {
        let plural = if of.attempt == 1 { "" } else { "s" };
        let error = format!("gave up after {} attempt{plural}", of.attempt);
        let end = TaskEnd::Failed { error };
        if end_attempt(step, of, (&end, 0), now).await? {
            report_end(step, (of, &end), seat, now).await?;
        }
        return Ok(());
    }
    close_attempt(step, of, (&gone, 0), now).await?;
    let queue =
        sql("UPDATE tasks SET status = 'pending', block_reason = NULL WHERE org = $1 AND id = $2");
    queue.bind(of.task.as_str()).execute(step).await?;
    Ok(())
}

fn lost_notice(
    box_name: &str,
    (moved, max_attempts): (&[AttemptId], u32),
    lang: Lang,
) -> NewNotice {
    let (count, first) =
        (moved.len(), moved.first().map(|of| of.task.as_str()).unwrap_or_default());
    let title = in_lang!(
        lang,
        "{box_name} was not heard of any more: {count} of its tasks are taken from it",
        "已收不到 {box_name} 的消息：从它收回 {count} 个任务"
    );
    let from = (AgentId::new(box_name), TeamName::main());
    let mut notice = NewNotice::of_team(from, &format!("lost {first} {count}"), title);
    let line = |of: &AttemptId| {
        let (id, next) = (of.task.short(), of.attempt.saturating_add(1));
        if next > max_attempts {
            return in_lang!(
                lang,
                "- {id} has failed: too many attempts (`task show {id}`)\n",
                "- {id} 失败：尝试次数过多（`task show {id}`）\n"
            );
        }
        in_lang!(
            lang,
            "- {id}, attempt {next} (`task show {id}`)\n",
            "- {id}，第 {next} 次尝试（`task show {id}`）\n"
        )
    };
    notice.body = moved.iter().take(MAX_NAMED).map(line).collect();
    notice
}
