//! Moves the credentials in the files of teams to their vaults. Each step compares before it writes, and the section is
//! taken out last: whatever ends a migration early, the next one does the rest, and until then the team is held back.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::owner::{VaultFault, VaultOwner};
use crate::domain::reading::title::short_headline;
use crate::domain::safety::references::VaultRights;
use crate::domain::teams::notices::{MAX_TITLE_CHARS, NewNotice};
use crate::domain::teams::org::Org;
use crate::domain::teams::org_change::one_line;
use crate::domain::text::{Localized, Text, in_lang};
use crate::domain::{AgentId, Lang, Secrets, Stamp, TeamName};
use crate::guard::{edit_file, put_file, read_text};
use crate::hive::fault::StoreFault;
use crate::hive::store::{VaultChange, VaultRow};
use crate::minds::{STORE_FOLDER, credentials, team_file, without_credentials};

/// The accessor of credentials before, and what takes its place.
const ACCESSOR: &str = "get_credential";
const VAULT_GET: &str = "vault_get";
const BY: &str = "migration";
/// Most characters of a reason.
const MAX_WHY_CHARS: usize = 400;
/// Folders of a team of OpenHive whose texts name the accessor.
const FOLDERS: [&str; 4] = ["skills", "subagents", "team-rules", "org-rules"];
/// Largest file that is looked at.
const MAX_FILE_BYTES: usize = 1_024 * 1_024;
/// Files that are looked at in one folder.
const MAX_FILES: usize = 1_000;

/// What is to be moved for one team.
#[derive(Clone, PartialEq, Eq)]
pub struct MigrationPlan {
    pub team: TeamName,
    /// The folder that the paths are in.
    root: PathBuf,
    /// The file with the section.
    section: String,
    entries: Vec<(String, String)>,
    /// The files that name the accessor, each with how often.
    pub files: Vec<(String, usize)>,
}

impl fmt::Debug for MigrationPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MigrationPlan").field("team", &self.team).finish_non_exhaustive()
    }
}

/// What becomes of a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryFate {
    New,
    /// The vault has another value, or other rights: the file wins.
    Replaces,
    Same,
}

impl EntryFate {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Replaces => "replaces",
            Self::Same => "same",
        }
    }
}

/// A team with credentials: its plan, or why it cannot be migrated.
pub type PlannedTeam = (TeamName, Result<MigrationPlan, Localized>);

/// The teams of this workspace whose files have credentials. Touches the disk.
#[must_use]
pub fn plans_of(workspace: &Path, org: &Org) -> Vec<PlannedTeam> {
    let planned = org.teams().filter_map(|team| {
        let section = team_file(&team.name);
        let mut paths = Vec::new();
        for member in &team.members {
            paths.extend(texts_in(workspace, &format!(".minds/team/{member}")));
            let skills = format!(".minds/skills/individual/{member}");
            let packages = names_in(workspace, &skills).into_iter();
            let packages =
                packages.flat_map(|name| texts_in(workspace, &format!("{skills}/{name}")));
            paths.extend(texts_in(workspace, &skills).into_iter().chain(packages));
        }
        paths.extend(texts_in(workspace, &format!("{}.tsk", team.name)));
        planned((&team.name, workspace), section, paths)
    });
    planned.collect()
}

/// The teams of an installation of OpenHive, one folder each. Touches the disk.
#[must_use]
pub fn plans_from(folder: &Path) -> Vec<PlannedTeam> {
    let names = names_in(folder, "").into_iter().filter(|name| TeamName::is_well_formed(name));
    let planned = names.filter_map(|name| {
        let paths = FOLDERS.iter().flat_map(|of| texts_in(folder, &format!("{name}/{of}")));
        let paths = paths.collect();
        planned((&TeamName::new(&name), folder), format!("{name}/config.yaml"), paths)
    });
    planned.collect()
}

fn planned(
    (team, root): (&TeamName, &Path),
    section: String,
    paths: Vec<String>,
) -> Option<PlannedTeam> {
    let text = read_text(root, &section, MAX_FILE_BYTES)?;
    let entries = match credentials(&text) {
        Ok(entries) => entries?,
        Err(why) => return Some((team.clone(), Err(why))),
    };
    let files = paths.into_iter().filter_map(|path| {
        let places = replaced(&read_text(root, &path, MAX_FILE_BYTES)?).1;
        (places > 0).then_some((path, places))
    });
    let (team, root, files) = (team.clone(), root.to_owned(), files.collect());
    Some((team.clone(), Ok(MigrationPlan { team, root, section, entries, files })))
}

/// The names in a folder, in order.
fn names_in(root: &Path, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
    let names = entries.take(MAX_FILES).filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names
}

/// The Markdown files in a folder. Links are not followed when they are read.
fn texts_in(root: &Path, folder: &str) -> Vec<String> {
    let is_text = |name: &String| Path::new(name).extension().is_some_and(|end| end == "md");
    let names = names_in(root, folder).into_iter().filter(is_text);
    names.map(|name| format!("{folder}/{name}")).collect()
}

/// The text with the new accessor, and in how many places.
fn replaced(text: &str) -> (String, usize) {
    // Chinese is written without blanks.
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (mut out, mut rest, mut places) = (String::with_capacity(text.len()), text, 0);
    while let Some((before, after)) = rest.split_once(ACCESSOR) {
        out.push_str(before);
        let is_word = !out.ends_with(is_part) && !after.starts_with(is_part);
        out.push_str(if is_word { VAULT_GET } else { ACCESSOR });
        places += usize::from(is_word);
        rest = after;
    }
    out.push_str(rest);
    (out, places)
}

impl MigrationPlan {
    /// The keys, in the order of the file.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(key, _)| key.as_str())
    }

    /// Rewrites the files; the copies before have no values. `name`: of the folder of the copies.
    pub(super) fn rewrite_files(&self, workspace: &Path, name: &str) -> Result<(), Localized> {
        let values = self.entries.iter().map(|(_, value)| value.clone());
        let secrets = Arc::new(Secrets::new([], values));
        for (path, _) in &self.files {
            let Some(text) = read_text(&self.root, path, MAX_FILE_BYTES) else { continue };
            let (changed, places) = replaced(&text);
            if places == 0 {
                continue;
            }
            let copy = format!("{STORE_FOLDER}/backups/migration/{name}/{path}");
            #[cfg(test)]
            strike()?;
            put_file(workspace, &copy, &secrets.redacted(text.clone()))?;
            #[cfg(test)]
            strike()?;
            edit_file(&self.root, path, MAX_FILE_BYTES, |now| {
                if now == text { Ok(changed) } else { Err(CHANGED.into()) }
            })?;
        }
        Ok(())
    }

    /// Takes the section out of the file of the team.
    pub(super) fn take_out_section(&self) -> Result<(), Localized> {
        #[cfg(test)]
        strike()?;
        edit_file(&self.root, &self.section, MAX_FILE_BYTES, |now| {
            if credentials(now)?.as_ref() != Some(&self.entries) {
                return Err(CHANGED.into());
            }
            without_credentials(now).ok_or_else(|| CHANGED.into())
        })
    }
}

/// A test ends the program before a file is changed.
#[cfg(test)]
fn strike() -> Result<(), Localized> {
    super::faults::strike().map_err(|error| Localized::same(error.to_string()))
}

const CHANGED: Text = Text::new(
    "its file was changed meanwhile: run the migration again",
    "其文件在此期间被更改：请重新执行迁移",
);

impl VaultOwner<'_> {
    /// What becomes of each credential.
    ///
    /// # Errors
    /// The store.
    pub async fn fates(&mut self, plan: &MigrationPlan) -> Result<Vec<EntryFate>, VaultFault> {
        let mut fates = Vec::new();
        for (key, value) in &plan.entries {
            let row = self.store.vault_row(&plan.team, key).await?;
            fates.push(match row {
                None => EntryFate::New,
                Some(row) if row.is_secret && row.rights() == VaultRights::migrated() => {
                    // One that cannot be opened here is another value.
                    match self.value_of(&row).await {
                        Ok(known) if known.as_str() == value => EntryFate::Same,
                        // A store that fails says nothing about the value.
                        Err(VaultFault::Store(fault)) => return Err(fault.into()),
                        Ok(_) | Err(_) => EntryFate::Replaces,
                    }
                }
                Some(_) => EntryFate::Replaces,
            });
        }
        Ok(fates)
    }

    /// Stores what is not stored yet, in one transaction.
    pub(super) async fn store_entries(
        &mut self,
        plan: &MigrationPlan,
        now: SystemTime,
    ) -> Result<(), VaultFault> {
        let fates = self.fates(plan).await?;
        if fates.iter().all(|fate| *fate == EntryFate::Same) {
            return Ok(());
        }
        let sealing = self.sealing().await?;
        let mut rows = Vec::new();
        for ((entry, value), fate) in plan.entries.iter().zip(fates) {
            if fate != EntryFate::Same {
                let (team, rights) = (plan.team.clone(), VaultRights::migrated());
                let row = VaultRow::secret(team, entry.clone(), &rights, BY);
                rows.push(sealing.row(row, value)?);
            }
        }
        self.store.vault_put(&rows, VaultChange::ByPerson, now).await??;
        Ok(())
    }

    /// Migrates a team.
    ///
    /// # Errors
    /// What went wrong; the section stays, so the team stays held back, and the next migration does the rest.
    pub async fn migrate(
        &mut self,
        workspace: &Path,
        plan: &MigrationPlan,
        (now, stamp): (SystemTime, &Stamp),
    ) -> Result<(), VaultFault> {
        self.store_entries(plan, now).await?;
        let time: String = stamp.as_str().chars().filter(char::is_ascii_digit).collect();
        let name = format!("{}-{time}", plan.team);
        plan.rewrite_files(workspace, &name).map_err(VaultFault::Wrong)?;
        plan.take_out_section().map_err(VaultFault::Wrong)
    }

    /// Tells a person why a team is held back, or, without a reason, that it is not any more.
    ///
    /// # Errors
    /// The store.
    pub async fn tell(
        &mut self,
        team: &TeamName,
        held: Option<&Localized>,
        (now, lang): (SystemTime, Lang),
    ) -> Result<(), StoreFault> {
        let by = AgentId::new(BY);
        let failure = held.map(|why| {
            let why = one_line(why.in_lang(lang), MAX_WHY_CHARS);
            let title = in_lang!(
                lang,
                "{team} is quarantined, its credentials cannot be migrated: {why}",
                "{team} 已隔离，其凭据无法迁移：{why}"
            );
            let fix = in_lang!(
                lang,
                "repair its file, then: dominds-tui vault migrate --team {team}",
                "请修复其文件，然后执行：dominds-tui vault migrate --team {team}"
            );
            let short = short_headline(&title, MAX_TITLE_CHARS);
            let mut notice = NewNotice::of_team((by.clone(), team.clone()), BY, short);
            notice.body = format!("{title}\n\n{fix}");
            notice
        });
        self.store.replace_failure((&by, team), failure, now).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m2_each_form_of_the_accessor_is_replaced_and_nothing_else() {
        for (text, expected, places) in [
            ("get_credential(\"K\")", "vault_get(\"K\")", 1),
            ("get_credential('K') get_credential(K)", "vault_get('K') vault_get(K)", 2),
            ("call `get_credential`.", "call `vault_get`.", 1),
            ("my_get_credential get_credentials", "my_get_credential get_credentials", 0),
            ("get_credentialget_credential", "get_credentialget_credential", 0),
            ("用get_credential取", "用vault_get取", 1),
            ("", "", 0),
        ] {
            assert_eq!(replaced(text), (expected.to_owned(), places), "{text}");
        }
    }
}
