//! The programs that work in a store that several boxes share: what they hold by a lease, and which teams they work for. What
//! becomes of the tasks of one that is gone: [`super::takeover`]. A store that one workspace has for itself has none of this.

use std::collections::BTreeSet;
use std::time::Duration;

use super::db::{Step, sql};
use super::task_rows::{COLUMNS, number, task};
use super::{Store, moment};
use crate::domain::{Clock, TeamName};
use crate::hive::fault::StoreFault;
use crate::hive::server::{EngineRow, LEASE, Registration};
use crate::hive::views::Sharing;

/// An engine that was not heard of for this long, and has left nothing to do, is forgotten.
const KEPT: Duration = Duration::from_hours(14 * 24);
/// Maximum number of tasks of other engines that are read.
const MAX_ELSEWHERE: i64 = 200;

/// Where an attempt is worked on.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub seat: String,
    pub box_name: Option<String>,
}

impl Store {
    pub(super) fn place(&self) -> Place {
        let box_name = self.server.as_ref().map(|server| server.box_name.clone());
        Place { seat: self.seat.clone(), box_name }
    }

    /// True if tasks of this team may be started here.
    pub(super) fn hosts(&self, team: &TeamName) -> bool {
        !self.db.is_shared() || self.hosted.contains(team)
    }

    /// Registers an engine. Earlier work of this workspace that no other engine has taken over is its own again.
    ///
    /// # Errors
    /// A copy of the workspace works already; the server.
    pub async fn register(&mut self, engine: &Registration) -> Result<(), StoreFault> {
        if !self.db.is_shared() {
            return Ok(());
        }
        let Place { seat, box_name } = self.place();
        let mut step = self.db.begin().await?;
        let now = step.server_millis();
        let register = sql(
            "INSERT INTO engines (org, seat, id, box, workspace, started_at, lease_until, messages) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, (SELECT ord FROM meta WHERE org = $1)) \
             ON CONFLICT (org, seat) DO UPDATE SET id = $3, box = $4, workspace = $5, started_at = $6, lease_until = $7 \
             WHERE engines.lease_until < $6 OR (engines.box = $4 AND engines.workspace = $5)",
        );
        let register = register.bind(&seat).bind(&engine.id).bind(box_name).bind(&engine.workspace);
        let register = register.bind(now).bind(now + lease_millis());
        if register.execute(&mut step).await? == 0 {
            let other = sql("SELECT box, workspace FROM engines WHERE org = $1 AND seat = $2");
            let other = other.bind(&seat).fetch_one(&mut step).await?;
            let (box_name, workspace): (String, String) = (other.try_get(0)?, other.try_get(1)?);
            return Err(StoreFault::SeatInUse(format!("{box_name} ({workspace})")));
        }
        self.hosts_are_unknown = true;
        let left = sql("DELETE FROM hosts WHERE org = $1 AND seat = $2").bind(&seat);
        left.execute(&mut step).await?;
        let old = sql("DELETE FROM engines WHERE org = $1 AND lease_until < $2 AND NOT EXISTS ( \
             SELECT 1 FROM attempts a WHERE a.org = $1 AND a.seat = engines.seat AND a.put_away = 0)");
        old.bind(now - as_millis(KEPT)).execute(&mut step).await?;
        step.commit().await?;
        self.engine = Some(engine.clone());
        self.hosted.clear();
        self.hosts_are_unknown = !self.wanted.is_empty();
        self.host_again().await
    }

    pub(super) fn engine_id(&self) -> Option<String> {
        self.engine.as_ref().map(|engine| engine.id.clone())
    }

    /// Renews the lease; false if it has expired: then the engine has to register anew.
    ///
    /// # Errors
    /// The server.
    pub async fn renew(&mut self) -> Result<bool, StoreFault> {
        if !self.db.is_shared() {
            return Ok(true);
        }
        let renew = sql("UPDATE engines SET lease_until = hive_now($1) + $4 \
             WHERE org = $1 AND seat = $2 AND id = $3 AND lease_until >= hive_now($1)");
        let renew = renew.bind(&self.seat).bind(self.engine_id()).bind(lease_millis());
        Ok(renew.execute(&mut self.db).await? > 0)
    }

    /// Gives the lease back: what is not finished here may be taken over sooner.
    ///
    /// # Errors
    /// The server.
    pub async fn leave(&mut self) -> Result<(), StoreFault> {
        if !self.db.is_shared() {
            return Ok(());
        }
        let leave = sql("UPDATE engines SET lease_until = hive_now($1) \
             WHERE org = $1 AND seat = $2 AND id = $3 AND lease_until > hive_now($1)");
        leave.bind(&self.seat).bind(self.engine_id()).execute(&mut self.db).await?;
        Ok(())
    }

    /// Sets the number of attempts after which a task fails whose engines were lost.
    pub fn limit_attempts(&mut self, most: u32) {
        self.max_attempts = most;
    }

    /// Works for these teams from now on, each with the hash of its files here. A team is left out if another engine
    /// has other files for it.
    ///
    /// # Errors
    /// The server; then it works for the same teams as before, until this is tried again.
    pub async fn host(&mut self, teams: Vec<(TeamName, String)>) -> Result<(), StoreFault> {
        let is_known = self.wanted == teams && self.hosted.len() == teams.len();
        if is_known && !self.hosts_are_unknown || !self.db.is_shared() {
            return Ok(());
        }
        self.wanted = teams;
        self.hosts_are_unknown = true;
        let seat = self.seat.clone();
        let mut step = self.db.begin().await?;
        let now = step.server_millis();
        let leave = sql("DELETE FROM hosts WHERE org = $1 AND seat = $2").bind(&seat);
        leave.execute(&mut step).await?;
        let mut hosted = BTreeSet::new();
        for (team, hash) in &self.wanted {
            let other =
                sql("SELECT 1 FROM hosts h JOIN engines e ON e.org = h.org AND e.seat = h.seat \
                 WHERE h.org = $1 AND h.team = $2 AND h.hash <> $3 AND e.lease_until >= $4");
            let other = other.bind(team.as_str()).bind(hash).bind(now);
            if other.fetch_optional(&mut step).await?.is_none() {
                let host = sql("INSERT INTO hosts (org, team, seat, hash) VALUES ($1, $2, $3, $4)");
                host.bind(team.as_str()).bind(&seat).bind(hash).execute(&mut step).await?;
                hosted.insert(team.clone());
            }
        }
        step.commit().await?;
        self.hosted = hosted;
        self.hosts_are_unknown = false;
        Ok(())
    }

    /// The teams, each with the hash of its file here, for which an engine elsewhere has another file.
    ///
    /// # Errors
    /// The server.
    pub async fn differing(
        &mut self,
        teams: &[(TeamName, String)],
    ) -> Result<Vec<TeamName>, StoreFault> {
        let Some(seat) = self.own_seat().map(str::to_owned) else { return Ok(Vec::new()) };
        let others = sql(
            "SELECT h.team, h.hash FROM hosts h JOIN engines e ON e.org = h.org AND e.seat = h.seat \
             WHERE h.org = $1 AND h.seat <> $2 AND e.lease_until >= hive_now($1)",
        );
        let mut hosted: Vec<(String, String)> = Vec::new();
        for row in others.bind(seat).fetch_all(&mut self.db).await? {
            hosted.push((row.try_get(0)?, row.try_get(1)?));
        }
        let differs = |(team, hash): &&(TeamName, String)| {
            hosted.iter().any(|(name, other)| name == team.as_str() && other != hash)
        };
        Ok(teams.iter().filter(differs).map(|(team, _)| team.clone()).collect())
    }

    /// True if it does not work for all wanted teams; the others may be free now.
    #[must_use]
    pub fn wants_more(&self) -> bool {
        self.db.is_shared() && (self.hosts_are_unknown || self.hosted.len() < self.wanted.len())
    }

    /// Tries [`Self::host`] again.
    ///
    /// # Errors
    /// The server.
    pub async fn host_again(&mut self) -> Result<(), StoreFault> {
        let wanted = self.wanted.clone();
        self.host(wanted).await
    }

    /// The work here and elsewhere; `None` in a store that is not shared.
    pub(super) async fn sharing(
        &mut self,
        clock: &dyn Clock,
    ) -> Result<Option<Sharing>, StoreFault> {
        let Some(seat) = self.own_seat().map(str::to_owned) else { return Ok(None) };
        let (mut boxes, mut hosted) = (Vec::new(), BTreeSet::new());
        for engine in self.engines().await?.into_iter().filter(|engine| engine.is_alive) {
            if engine.seat == seat {
                hosted.extend(engine.teams.iter().cloned());
            }
            boxes.extend(engine.teams.into_iter().map(|team| (team, engine.box_name.clone())));
        }
        boxes.sort_unstable();
        boxes.dedup();
        let list = format!(
            "SELECT {COLUMNS} FROM tasks t JOIN attempts a ON a.org = t.org AND a.task = t.id AND a.attempt = t.attempt \
             WHERE t.org = $1 AND t.status IN ('running', 'blocked') AND a.seat <> $2 ORDER BY t.ord LIMIT $3"
        );
        let rows = sql(list).bind(seat).bind(MAX_ELSEWHERE).fetch_all(&mut self.db).await?;
        let elsewhere = rows.iter().map(|row| task(row, clock)).collect::<Result<_, _>>()?;
        let differing = self.wanted.iter().map(|(team, _)| team);
        let differing = differing.filter(|team| !self.hosted.contains(team)).cloned().collect();
        Ok(Some(Sharing { hosted, differing, boxes, elsewhere, is_cut_off: false }))
    }

    /// The engines of the organisation, by box.
    ///
    /// # Errors
    /// The server.
    pub async fn engines(&mut self) -> Result<Vec<EngineRow>, StoreFault> {
        if !self.db.is_shared() {
            return Ok(Vec::new());
        }
        let all = sql("SELECT seat, box, workspace, lease_until, \
             CASE WHEN lease_until >= hive_now($1) THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END \
             FROM engines WHERE org = $1 ORDER BY box, workspace, seat");
        let mut engines = Vec::new();
        for row in all.fetch_all(&mut self.db).await? {
            engines.push(EngineRow {
                seat: row.try_get(0)?,
                box_name: row.try_get(1)?,
                workspace: row.try_get(2)?,
                lease_until: moment(row.try_get(3)?),
                is_alive: number(&row, 4)? == 1,
                teams: Vec::new(),
            });
        }
        let hosts = sql("SELECT seat, team FROM hosts WHERE org = $1 ORDER BY team");
        for row in hosts.fetch_all(&mut self.db).await? {
            let (seat, team): (String, String) = (row.try_get(0)?, row.try_get(1)?);
            if let Some(engine) = engines.iter_mut().find(|engine| engine.seat == seat) {
                engine.teams.push(TeamName::new(team));
            }
        }
        Ok(engines)
    }
}

fn lease_millis() -> i64 {
    as_millis(LEASE)
}

pub(super) fn as_millis(after: Duration) -> i64 {
    i64::try_from(after.as_millis()).unwrap_or(i64::MAX)
}

/// True if the engine of this store holds its lease, or needs none.
pub(super) async fn holds_lease(
    step: &mut Step<'_>,
    seat: Option<&str>,
    engine: Option<&str>,
) -> Result<bool, StoreFault> {
    let Some(seat) = seat else { return Ok(true) };
    let held = sql(
        "SELECT 1 FROM engines WHERE org = $1 AND seat = $2 AND id = $3 AND lease_until >= hive_now($1)",
    );
    Ok(held.bind(seat).bind(engine).fetch_optional(step).await?.is_some())
}
