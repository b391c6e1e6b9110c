//! The history of decisions.

use std::time::SystemTime;

use super::db::{Row, sql};
use super::{Store, dialogs, millis, moment};
use crate::domain::Clock;
use crate::domain::asking::autonomy::DecisionKind;
use crate::domain::asking::decisions::{NewDecision, PastDecision};
use crate::hive::fault::StoreFault;

/// Most characters that are kept of what was decided, and of the reason.
const MAX_CHARS: usize = 4_000;
/// Rows that are read at once.
const PAGE: i64 = 200;

/// Which decisions are read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistoryFilter {
    /// Words that one of its texts must hold, in any case.
    pub search: Option<String>,
}

impl HistoryFilter {
    fn fits(&self, decision: &PastDecision) -> bool {
        let Some(search) = &self.search else { return true };
        let search = search.to_lowercase();
        let PastDecision { dialog, agent, by, category, result, what, reason, .. } = decision;
        let category = category.as_deref().unwrap_or_default();
        let mut texts = [dialog.as_str(), agent, by, category, result, what, reason].into_iter();
        texts.any(|text| text.to_lowercase().contains(&search))
    }
}

impl Store {
    /// Adds a decision to the history.
    ///
    /// # Errors
    /// The disk.
    pub async fn record(
        &mut self,
        decision: &NewDecision,
        now: SystemTime,
    ) -> Result<(), StoreFault> {
        let NewDecision { dialog, agent, by, category, result, what, reason } = decision;
        let mut step = self.db.begin().await?;
        let now = step.now(now);
        let next = sql("UPDATE meta SET ord = ord + 1 WHERE org = $1 RETURNING ord");
        let id: i64 = next.fetch_one(&mut step).await?.try_get(0)?;
        sql(
            "INSERT INTO decisions (org, id, dialog, agent, decided_by, category, outcome, text, reason, at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        )
        .bind(id)
        .bind(dialogs::text(dialog))
        .bind(agent.as_str())
        .bind(by)
        .bind(category.map(DecisionKind::name))
        .bind(result.name())
        .bind(bounded(what))
        .bind(bounded(reason))
        .bind(millis(now))
        .execute(&mut step)
        .await?;
        step.commit().await?;
        Ok(())
    }

    /// The history, the newest first.
    ///
    /// # Errors
    /// The disk.
    pub async fn history(
        &mut self,
        filter: &HistoryFilter,
        clock: &dyn Clock,
    ) -> Result<Vec<PastDecision>, StoreFault> {
        let (mut found, mut before) = (Vec::new(), i64::MAX);
        loop {
            let page =
                sql("SELECT id, at, dialog, agent, decided_by, category, outcome, text, reason \
                 FROM decisions WHERE org = $1 AND id < $2 ORDER BY id DESC LIMIT $3");
            let rows = page.bind(before).bind(PAGE).fetch_all(&mut self.db).await?;
            let page =
                rows.iter().map(|row| past(row, clock)).collect::<Result<Vec<_>, StoreFault>>()?;
            let Some(last) = page.last() else { return Ok(found) };
            before = last.id;
            found.extend(page.into_iter().filter(|decision| filter.fits(decision)));
        }
    }
}

fn bounded(text: &str) -> String {
    text.trim().chars().take(MAX_CHARS).collect()
}

fn past(row: &Row, clock: &dyn Clock) -> Result<PastDecision, StoreFault> {
    Ok(PastDecision {
        id: row.try_get(0)?,
        at: clock.stamp(moment(row.try_get(1)?)),
        dialog: row.try_get(2)?,
        agent: row.try_get(3)?,
        by: row.try_get(4)?,
        category: row.try_get(5)?,
        result: row.try_get(6)?,
        what: row.try_get(7)?,
        reason: row.try_get(8)?,
    })
}
