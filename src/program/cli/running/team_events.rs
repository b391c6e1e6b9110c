//! What `run` and `drive` print of teams, of their tasks and triggers, and of news.

use std::collections::BTreeMap;

use serde_json::json;

use crate::domain::TeamName;
use crate::domain::asking::decisions::Resolution;
use crate::domain::teams::notices::{self, NewsItem};
use crate::domain::teams::org_change::TeamStatus;
use crate::domain::teams::task::row::TaskRow;
use crate::domain::teams::trigger::TriggerId;
use crate::domain::teams::trigger::row::TriggerRow;
use crate::protocol::TeamRow;

use super::events::Printer;
use crate::cli::forms::item_json::{self, Item};

impl Printer {
    /// Prints new items, without those that are open at the beginning.
    pub(super) fn news(&mut self, items: &[NewsItem]) {
        let Some(known) = self.news.replace(items.to_vec()) else { return };
        for item in notices::added(&known, items) {
            self.json_line(None, "notification_added", json!({ "item": Item::of_news(item) }));
            self.note(&item_json::news_line(item));
        }
        for gone in notices::gone(&known, items) {
            let (source, source_id) = item_json::source_of_news(gone);
            let fields = json!({
                "id": gone.id, "source": source, "sourceId": source_id,
                "how": Resolution::Dismissed, "by": "@human",
            });
            self.json_line(None, "notification_resolved", fields);
        }
    }

    pub(super) fn task_updated(&mut self, row: &TaskRow) {
        let TaskRow { id, team, status, block_reason, attempt, .. } = row;
        let fields = json!({
            "id": id, "team": team, "status": status, "blockReason": block_reason, "attempt": attempt,
        });
        self.json_line(None, "task_updated", fields);
    }

    /// Prints the status of teams that are new, gone, or changed.
    pub(super) fn teams(&mut self, teams: &[TeamRow]) {
        let now: BTreeMap<TeamName, TeamStatus> =
            teams.iter().map(|team| (team.name.clone(), team.status)).collect();
        let Some(before) = self.teams.replace(now.clone()) else { return };
        for (team, status) in &now {
            if before.get(team) != Some(status) {
                self.json_line(None, "team_updated", json!({ "team": team, "status": status }));
            }
        }
        for team in before.keys().filter(|team| !now.contains_key(*team)) {
            self.json_line(None, "team_updated", json!({ "team": team, "status": null }));
        }
    }

    /// Prints triggers that have fired or changed.
    pub(super) fn triggers(&mut self, rows: &[TriggerRow]) {
        let now: BTreeMap<TriggerId, TriggerRow> =
            rows.iter().map(|row| (row.id(), row.clone())).collect();
        let Some(before) = self.triggers.replace(now) else { return };
        for row in rows {
            let known = before.get(&row.id());
            let (team, name) = (&row.team, &row.name);
            if known.is_some_and(|known| known.last_task != row.last_task) {
                let fields = json!({ "team": team, "name": name, "taskId": row.last_task });
                self.json_line(None, "trigger_fired", fields);
            }
            let state = |row: &TriggerRow| (row.state, row.is_running(), row.reason.clone());
            if known.map(state) != Some(state(row)) {
                let fields = json!({
                    "team": team, "name": name, "state": row.state, "running": row.is_running(), "reason": row.reason,
                });
                self.json_line(None, "trigger_updated", fields);
            }
        }
        for gone in before.keys().filter(|id| !rows.iter().any(|row| row.id() == **id)) {
            let fields = json!({ "team": gone.team, "name": gone.name, "state": null });
            self.json_line(None, "trigger_updated", fields);
        }
    }
}
