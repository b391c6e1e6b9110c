//! The rows of the vaults. What is in a secret is opaque here: [`crate::hive::vault`] seals and opens it.

use std::time::{SystemTime, UNIX_EPOCH};

use super::db::{Row, Step, sql};
use super::task_rows::named;
use super::{Store, millis, moment};
use crate::domain::safety::references::{EntryUse, VaultRights, VaultUse};
use crate::domain::teams::vault::{ListedEntries, Reveal, ShownEntry, ShownUse};
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{Clock, TeamName};
use crate::hive::fault::StoreFault;
use crate::hive::server::is_name;

/// Most entries of a team.
const MAX_ENTRIES: i64 = 1_000;
/// Most secrets of all teams: so many are looked for in every text.
const MAX_SECRETS: i64 = 500;
/// Most entries of a list; all secrets are among them.
const MAX_LISTED: i64 = MAX_SECRETS;
/// The beginning of a text, in a list: it says where it is cut.
const LISTED_VALUE: &str = "CASE WHEN is_secret = 1 THEN '' \
     WHEN length(value) > 400 THEN substr(value, 1, 400) || '…' ELSE value END";
/// Uses that are kept for each team.
const KEPT_USES: u32 = 1_000;
const COLUMNS: &str = "team, key, value, is_secret, uses, hosts, reveal, updated_by, created_at, updated_at, used_at, used_by";

/// An entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VaultRow {
    pub team: TeamName,
    pub key: String,
    /// The text, or what was sealed.
    pub value: String,
    pub is_secret: bool,
    /// The uses and hosts, each joined by commas.
    pub uses: String,
    pub hosts: String,
    pub is_revealed: bool,
    /// Who stored it: `@member`, `@human` or `migration`.
    pub updated_by: String,
    /// What follows is set when it is stored and used.
    pub created_at: SystemTime,
    pub updated_at: SystemTime,
    pub used_at: Option<SystemTime>,
    pub used_by: Option<String>,
}

/// A change of the vault by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VaultChange {
    /// A member: a secret stays as it is.
    ByMember,
    ByPerson,
}

/// Why an entry is not changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VaultRefusal {
    /// A member wants to replace a secret.
    Overwrite(String),
    /// A member wants to delete a secret.
    Delete(String),
    TeamIsFull(TeamName),
    TooManySecrets,
    /// The secrets of the store have another key by now than the one that sealed it.
    OtherKey,
}

/// Changes whenever a secret was stored, changed or deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VaultMark(i64, i64, i64);

impl VaultRefusal {
    /// The message for a model or a person.
    #[must_use]
    pub fn text(&self) -> Localized {
        match self {
            Self::Overwrite(key) => localized!(
                "cannot overwrite system-managed secret \"{key}\"",
                "不能覆盖由系统管理的机密 \"{key}\""
            ),
            Self::Delete(key) => localized!(
                "cannot delete system-managed secret \"{key}\"",
                "不能删除由系统管理的机密 \"{key}\""
            ),
            Self::TeamIsFull(team) => localized!(
                "the vault of team '{team}' has {MAX_ENTRIES} entries",
                "团队 '{team}' 的保管库已有 {MAX_ENTRIES} 项"
            ),
            Self::TooManySecrets => localized!(
                "the vaults of all teams have {MAX_SECRETS} secrets",
                "所有团队的保管库已有 {MAX_SECRETS} 个机密"
            ),
            Self::OtherKey => Text::new(
                "the key of the secrets was changed meanwhile; try again",
                "期间机密的密钥已更改；请重试",
            )
            .into(),
        }
    }
}

impl VaultRow {
    /// A text that everybody in the team may read.
    #[must_use]
    pub fn plain(team: TeamName, key: String, value: String, by: &str) -> Self {
        Self {
            team,
            key,
            value,
            is_secret: false,
            uses: String::new(),
            hosts: String::new(),
            is_revealed: false,
            updated_by: by.to_owned(),
            created_at: UNIX_EPOCH,
            updated_at: UNIX_EPOCH,
            used_at: None,
            used_by: None,
        }
    }

    /// A secret, whose value is still to be sealed.
    #[must_use]
    pub fn secret(team: TeamName, key: String, rights: &VaultRights, by: &str) -> Self {
        let uses = VaultUse::ALL.into_iter().filter(|one| rights.uses.contains(one));
        Self {
            is_secret: true,
            uses: uses.map(VaultUse::name).collect::<Vec<_>>().join(","),
            hosts: rights.hosts.join(","),
            is_revealed: rights.is_revealed,
            ..Self::plain(team, key, String::new(), by)
        }
    }

    /// What its secret may be used for. Words that no version of this program knows mean nothing.
    #[must_use]
    pub fn rights(&self) -> VaultRights {
        let hosts = self.hosts.split(',').filter(|host| !host.is_empty()).map(str::to_owned);
        VaultRights {
            uses: self.uses.split(',').filter_map(VaultUse::named).collect(),
            hosts: hosts.collect(),
            is_revealed: self.is_revealed,
        }
    }

    /// As people see it: a secret without its value.
    #[must_use]
    pub fn shown(&self, clock: &dyn Clock) -> ShownEntry {
        let VaultRights { uses, hosts, is_revealed } = self.rights();
        ShownEntry {
            team: self.team.clone(),
            key: self.key.clone(),
            is_secret: self.is_secret,
            value: (!self.is_secret).then(|| self.value.clone()),
            uses,
            hosts,
            reveal: if is_revealed { Reveal::Model } else { Reveal::No },
            updated_by: self.updated_by.clone(),
            created_at: clock.stamp(self.created_at),
            updated_at: clock.stamp(self.updated_at),
            used_at: self.used_at.map(|at| clock.stamp(at)),
            used_by: self.used_by.clone(),
        }
    }
}

impl Store {
    /// The name of the store for which its secrets are sealed.
    pub(in crate::hive) async fn vault_name(&mut self) -> Result<String, StoreFault> {
        let name: String = if let Some(server) = &self.server {
            server.org.clone()
        } else {
            let named = sql("SELECT store_id FROM meta WHERE org = $1");
            named.fetch_one(&mut self.db).await?.try_get(0)?
        };
        // It becomes the name of a file, and the store may have come with the workspace.
        if is_name(&name) { Ok(name) } else { Err(StoreFault::Nameless) }
    }

    pub(in crate::hive) async fn vault_mark(&mut self) -> Result<VaultMark, StoreFault> {
        let mark = sql("SELECT COUNT(*), COALESCE(MAX(updated_at), 0), \
             CAST(COALESCE(SUM(updated_at), 0) AS BIGINT) FROM vault WHERE org = $1 AND is_secret = 1");
        let row = mark.fetch_one(&mut self.db).await?;
        Ok(VaultMark(row.try_get(0)?, row.try_get(1)?, row.try_get(2)?))
    }

    /// The entries of all teams, or of one, by team and key.
    ///
    /// # Errors
    /// The disk.
    pub async fn vault_rows(
        &mut self,
        team: Option<&TeamName>,
    ) -> Result<Vec<VaultRow>, StoreFault> {
        let list =
            format!("SELECT {COLUMNS} FROM vault WHERE org = $1 AND ($2 IS NULL OR team = $2)");
        sorted(&sql(list).bind(team.map(TeamName::as_str)).fetch_all(&mut self.db).await?)
    }

    /// Entries of all teams, secrets before texts, each with the beginning of its text, and a secret with nothing; by team
    /// and key. And how many there are.
    pub(in crate::hive) async fn vault_listed(
        &mut self,
        listed: ListedEntries,
    ) -> Result<(Vec<VaultRow>, u64), StoreFault> {
        const WANTED: &str = "FROM vault WHERE org = $1 AND ($2 = 2 OR is_secret = $2)";
        let wanted: i64 = match listed {
            ListedEntries::All => 2,
            ListedEntries::Secrets => 1,
            ListedEntries::Texts => 0,
        };
        let columns = COLUMNS.replacen("value", LISTED_VALUE, 1);
        let list = format!("SELECT {columns} {WANTED} ORDER BY is_secret DESC, team, key LIMIT $3");
        let mut step = self.db.begin_reading().await?;
        let rows = sql(list).bind(wanted).bind(MAX_LISTED).fetch_all(&mut step).await?;
        let count = sql(format!("SELECT COUNT(*) {WANTED}")).bind(wanted);
        let total: i64 = count.fetch_one(&mut step).await?.try_get(0)?;
        Ok((sorted(&rows)?, u64::try_from(total).unwrap_or_default()))
    }

    /// The secrets of all teams, by team and key; no more than there may be.
    pub(in crate::hive) async fn vault_secrets(&mut self) -> Result<Vec<VaultRow>, StoreFault> {
        let list = format!("SELECT {COLUMNS} FROM vault WHERE org = $1 AND is_secret = 1 LIMIT $2");
        sorted(&sql(list).bind(MAX_SECRETS).fetch_all(&mut self.db).await?)
    }

    /// One entry.
    ///
    /// # Errors
    /// The disk.
    pub async fn vault_row(
        &mut self,
        team: &TeamName,
        key: &str,
    ) -> Result<Option<VaultRow>, StoreFault> {
        let one = format!("SELECT {COLUMNS} FROM vault WHERE org = $1 AND team = $2 AND key = $3");
        let found = sql(one).bind(team.as_str()).bind(key).fetch_optional(&mut self.db).await?;
        found.as_ref().map(row).transpose()
    }

    /// Stores entries in one transaction; each may replace another one. Returns when the last one was stored.
    ///
    /// # Errors
    /// The disk.
    pub async fn vault_put(
        &mut self,
        all: &[VaultRow],
        change: VaultChange,
        now: SystemTime,
    ) -> Result<Result<SystemTime, VaultRefusal>, StoreFault> {
        let mut step = self.db.begin().await?;
        let now = step.now(now);
        let mut at = now;
        for new in all {
            if let Some(refusal) = refusal(&mut step, new, change).await? {
                return Ok(Err(refusal));
            }
            at = put(&mut step, new, now).await?;
        }
        step.commit().await?;
        Ok(Ok(at))
    }

    /// Gives all secrets, as they were read, other texts in one transaction; false, and nothing is changed, if these are
    /// not all of them any more, or one has changed.
    pub(in crate::hive) async fn vault_reseal(
        &mut self,
        all: &[(VaultRow, String)],
    ) -> Result<bool, StoreFault> {
        let mut step = self.db.begin().await?;
        let count = sql("SELECT COUNT(*) FROM vault WHERE org = $1 AND is_secret = 1");
        let count: i64 = count.fetch_one(&mut step).await?.try_get(0)?;
        if usize::try_from(count) != Ok(all.len()) {
            return Ok(false);
        }
        for (row, after) in all {
            let update = sql("UPDATE vault SET value = $5, updated_at = updated_at + 1 \
                 WHERE org = $1 AND team = $2 AND key = $3 AND value = $4 AND is_secret = 1");
            let update = update.bind(row.team.as_str()).bind(&row.key).bind(&row.value).bind(after);
            if update.execute(&mut step).await? != 1 {
                return Ok(false);
            }
        }
        step.commit().await?;
        Ok(true)
    }

    /// Deletes an entry; false if there was none.
    ///
    /// # Errors
    /// The disk.
    pub async fn vault_delete(
        &mut self,
        team: &TeamName,
        key: &str,
        change: VaultChange,
    ) -> Result<Result<bool, VaultRefusal>, StoreFault> {
        let mut step = self.db.begin().await?;
        if change == VaultChange::ByMember && is_secret(&mut step, team, key).await? {
            return Ok(Err(VaultRefusal::Delete(key.to_owned())));
        }
        let delete = sql("DELETE FROM vault WHERE org = $1 AND team = $2 AND key = $3");
        let deleted = delete.bind(team.as_str()).bind(key).execute(&mut step).await?;
        step.commit().await?;
        Ok(Ok(deleted > 0))
    }

    /// Notes that secrets were used.
    ///
    /// # Errors
    /// The disk.
    pub async fn vault_used(
        &mut self,
        all: &[EntryUse],
        now: SystemTime,
    ) -> Result<(), StoreFault> {
        let mut step = self.db.begin().await?;
        let now = millis(step.now(now));
        for EntryUse { team, key, place, target, dialog, by } in all {
            let last = sql("SELECT COALESCE(MAX(num), 0) FROM vault_uses WHERE org = $1");
            let last: i64 = last.fetch_one(&mut step).await?.try_get(0)?;
            let note = sql(
                "INSERT INTO vault_uses (org, num, team, key, place, target, dialog, used_by, at) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            );
            let note = note.bind(last + 1).bind(team.as_str()).bind(key).bind(place.name());
            note.bind(target).bind(dialog).bind(by).bind(now).execute(&mut step).await?;
            let mark = sql(
                "UPDATE vault SET used_at = $4, used_by = $5 WHERE org = $1 AND team = $2 AND key = $3",
            );
            mark.bind(team.as_str()).bind(key).bind(now).bind(by).execute(&mut step).await?;
            let forget = sql(
                "DELETE FROM vault_uses WHERE org = $1 AND team = $2 AND num <= (SELECT num \
                 FROM vault_uses WHERE org = $1 AND team = $2 ORDER BY num DESC LIMIT 1 OFFSET $3)",
            );
            forget.bind(team.as_str()).bind(KEPT_USES).execute(&mut step).await?;
        }
        step.commit().await
    }

    /// The uses of the secrets of a team, or of all teams, and with this key if one is named; the newest first.
    ///
    /// # Errors
    /// The disk, or a row that no version of this program wrote.
    pub async fn vault_uses(
        &mut self,
        team: Option<&TeamName>,
        key: Option<&str>,
        clock: &dyn Clock,
    ) -> Result<Vec<ShownUse>, StoreFault> {
        let list = sql("SELECT team, key, place, target, dialog, used_by, at FROM vault_uses \
             WHERE org = $1 AND ($2 IS NULL OR team = $2) AND ($3 IS NULL OR key = $3) ORDER BY num DESC");
        let list = list.bind(team.map(TeamName::as_str)).bind(key);
        let rows = list.fetch_all(&mut self.db).await?;
        let one = |row: &Row| {
            let used = EntryUse {
                team: TeamName::new(row.try_get::<String>(0)?),
                key: row.try_get(1)?,
                place: named(row, 2, VaultUse::named, "use of a secret")?,
                target: row.try_get(3)?,
                dialog: row.try_get(4)?,
                by: row.try_get(5)?,
            };
            Ok(ShownUse { used, at: clock.stamp(moment(row.try_get(6)?)) })
        };
        rows.iter().map(one).collect()
    }

    /// Runs a statement on the rows, as somebody with the database could.
    #[cfg(test)]
    pub(in crate::hive) async fn tamper(&mut self, statement: &'static str) -> u64 {
        sql(statement).execute(&mut self.db).await.unwrap()
    }

    /// All rows of the organisation in all tables of a server, as somebody with the database could read them.
    #[cfg(test)]
    pub(in crate::hive) async fn dump(&mut self) -> String {
        let tables = super::plain(
            "SELECT CAST(table_name AS TEXT) FROM information_schema.columns \
             WHERE column_name = 'org' AND table_schema = current_schema()",
        );
        let mut all = String::new();
        for table in tables.fetch_all(&mut self.db).await.unwrap() {
            let table: String = table.try_get(0).unwrap();
            let rows = format!("SELECT CAST(whole AS TEXT) FROM {table} whole WHERE org = $1");
            for row in sql(rows).fetch_all(&mut self.db).await.unwrap() {
                let row: String = row.try_get(0).unwrap();
                all += &format!("{table}{row}\n");
            }
        }
        all
    }
}

async fn is_secret(step: &mut Step<'_>, team: &TeamName, key: &str) -> Result<bool, StoreFault> {
    let known = sql("SELECT is_secret FROM vault WHERE org = $1 AND team = $2 AND key = $3");
    let known = known.bind(team.as_str()).bind(key).fetch_optional(step).await?;
    let known: Option<i64> = known.map(|row| row.try_get(0)).transpose()?;
    Ok(known.is_some_and(|secret| secret != 0))
}

async fn refusal(
    step: &mut Step<'_>,
    new: &VaultRow,
    change: VaultChange,
) -> Result<Option<VaultRefusal>, StoreFault> {
    if change == VaultChange::ByMember && is_secret(step, &new.team, &new.key).await? {
        return Ok(Some(VaultRefusal::Overwrite(new.key.clone())));
    }
    let others = sql("SELECT COUNT(*) FROM vault WHERE org = $1 AND team = $2 AND key <> $3");
    let others = others.bind(new.team.as_str()).bind(&new.key).fetch_one(step).await?;
    if others.try_get::<i64>(0)? >= MAX_ENTRIES {
        return Ok(Some(VaultRefusal::TeamIsFull(new.team.clone())));
    }
    let secrets = sql(
        "SELECT COUNT(*) FROM vault WHERE org = $1 AND is_secret = 1 AND (team <> $2 OR key <> $3)",
    );
    let secrets = secrets.bind(new.team.as_str()).bind(&new.key).fetch_one(step).await?;
    let is_too_many = new.is_secret && secrets.try_get::<i64>(0)? >= MAX_SECRETS;
    if is_too_many {
        return Ok(Some(VaultRefusal::TooManySecrets));
    }
    let is_other = new.is_secret && has_other_key(step, &new.value).await?;
    Ok(is_other.then_some(VaultRefusal::OtherKey))
}

/// True if there are secrets, and none of them was sealed with the key of this one: it was changed meanwhile, on another
/// box perhaps. What is sealed begins with the name of its key.
async fn has_other_key(step: &mut Step<'_>, sealed: &str) -> Result<bool, StoreFault> {
    let key = sealed.rsplit_once('.').map_or("", |(key, _)| key);
    let count = sql("SELECT COUNT(*), COUNT(CASE WHEN value LIKE $2 THEN 1 END) FROM vault \
         WHERE org = $1 AND is_secret = 1");
    let row = count.bind(format!("{key}%")).fetch_one(step).await?;
    let (all, same): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
    Ok(all > 0 && same == 0)
}

/// A later change always has a later time.
async fn put(
    step: &mut Step<'_>,
    new: &VaultRow,
    now: SystemTime,
) -> Result<SystemTime, StoreFault> {
    let put = sql(
        "INSERT INTO vault (org, team, key, value, is_secret, uses, hosts, reveal, updated_by, created_at, updated_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10) \
         ON CONFLICT (org, team, key) DO UPDATE SET value = $4, is_secret = $5, uses = $6, hosts = $7, reveal = $8, \
         updated_by = $9, updated_at = CASE WHEN vault.updated_at < $10 THEN $10 ELSE vault.updated_at + 1 END \
         RETURNING updated_at",
    );
    let put = put.bind(new.team.as_str()).bind(&new.key).bind(&new.value);
    let put = put.bind(i64::from(new.is_secret)).bind(&new.uses).bind(&new.hosts);
    let put = put.bind(i64::from(new.is_revealed)).bind(&new.updated_by).bind(millis(now));
    Ok(moment(put.fetch_one(step).await?.try_get(0)?))
}

/// By team and key: a server may sort by the rules of a language.
fn sorted(rows: &[Row]) -> Result<Vec<VaultRow>, StoreFault> {
    let mut rows = rows.iter().map(row).collect::<Result<Vec<_>, _>>()?;
    rows.sort_by(|a, b| (&a.team, &a.key).cmp(&(&b.team, &b.key)));
    Ok(rows)
}

fn row(row: &Row) -> Result<VaultRow, StoreFault> {
    let flag = |at| row.try_get::<i64>(at).map(|flag| flag != 0);
    Ok(VaultRow {
        team: TeamName::new(row.try_get::<String>(0)?),
        key: row.try_get(1)?,
        value: row.try_get(2)?,
        is_secret: flag(3)?,
        uses: row.try_get(4)?,
        hosts: row.try_get(5)?,
        is_revealed: flag(6)?,
        updated_by: row.try_get(7)?,
        created_at: moment(row.try_get(8)?),
        updated_at: moment(row.try_get(9)?),
        used_at: row.try_get::<Option<i64>>(10)?.map(moment),
        used_by: row.try_get(11)?,
    })
}
