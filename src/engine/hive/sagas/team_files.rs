//! The files of a team that is made or shut down. A step that was done already does nothing.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::domain::hex;
use crate::domain::teams::org::OrgTeam;
use crate::domain::teams::org_change::ChangePreview;
use crate::domain::text::diff::hunks;
use crate::domain::text::{Localized, localized};
use crate::domain::{AgentId, Stamp, TeamName};
use crate::guard::{self, Put, Removal};
use crate::hive::store::SagaKind;
use crate::minds::new_member::{MemberPlan, SkillPlan, skill_file, skill_files_of, skill_folder};
use crate::minds::new_team::{
    TeamPlan, has_team_member, persona_of, spawned_members, team_file, with_scope, with_team_member,
};
use crate::minds::{
    CONFIG_LIMIT_BYTES, STORE_FOLDER, TEAM_FILE, member_entry, triggers, with_member,
    without_member,
};

/// Characters of the hash in the name of a skill that is kept.
const COPY_HASH_CHARS: usize = 12;

/// A file before and after a change; `None` where there is none.
pub(super) struct Edit {
    path: String,
    before: Option<String>,
    after: Option<String>,
}

/// The diff of a change, and the hash of the files before it.
pub(super) fn preview(edits: &[Edit]) -> ChangePreview {
    let mut diff = String::new();
    let mut basis = Sha256::new();
    for Edit { path, before, after } in edits {
        let name = |text: &Option<String>| text.as_ref().map_or("/dev/null", |_| path.as_str());
        diff.push_str(&format!("--- {}\n+++ {}\n", name(before), name(after)));
        let [old, new] = [before, after].map(|text| text.as_deref().unwrap_or_default());
        for hunk in hunks(old, new) {
            hunk.write(&mut diff);
        }
        for part in [path.as_str(), if before.is_some() { "is" } else { "is not" }, old] {
            basis.update(part.len().to_le_bytes());
            basis.update(part);
        }
    }
    ChangePreview { diff, basis: hex(&basis.finalize()) }
}

fn text_of(workspace: &Path, path: &str) -> Option<String> {
    guard::read_text(workspace, path, CONFIG_LIMIT_BYTES)
}

fn edited(
    workspace: &Path,
    path: &str,
    change: impl FnOnce(&str) -> Result<String, Localized>,
) -> Result<Edit, Localized> {
    let before = text_of(workspace, path);
    let after = Some(change(before.as_deref().unwrap_or_default())?);
    Ok(Edit { path: path.to_owned(), before, after })
}

pub(super) fn scope_edit(
    workspace: &Path,
    team: &TeamName,
    scope: &[String],
) -> Result<Vec<Edit>, Localized> {
    let change = |text: &str| with_scope(text, team, scope);
    Ok(vec![edited(workspace, &team_file(team), change)?])
}

pub(super) fn write_scope(
    workspace: &Path,
    team: &TeamName,
    scope: &[String],
) -> Result<(), Localized> {
    let change = |text: &str| with_scope(text, team, scope);
    guard::edit_file(workspace, &team_file(team), CONFIG_LIMIT_BYTES, change)
}

/// The files of a new team, a new member or a skill; until all of them are written, they can be taken back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Writing {
    /// Path and text of each file that was not there before.
    files: Vec<(String, String)>,
    /// The member it is about.
    member: AgentId,
    /// The entry of the member in `team.yaml`, if it is new.
    entry: Option<Value>,
    /// Files that are changed.
    #[serde(default)]
    changes: Vec<TextChange>,
}

/// A file that was there before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct TextChange {
    path: String,
    before: String,
    after: String,
}

impl TextChange {
    fn make(&self, workspace: &Path) -> Result<(), Localized> {
        guard::edit_file(workspace, &self.path, CONFIG_LIMIT_BYTES, |text| {
            if text == self.before { Ok(self.after.clone()) } else { Err(changed(&self.path)) }
        })
    }

    /// Restores the previous text, unless the change is gone already.
    fn undo(&self, workspace: &Path, is_gone: impl Fn(&str) -> bool) -> Result<(), Localized> {
        match text_of(workspace, &self.path) {
            Some(text) if text == self.after => {
                guard::edit_file(workspace, &self.path, CONFIG_LIMIT_BYTES, |text| {
                    if text == self.after {
                        Ok(self.before.clone())
                    } else {
                        Err(changed(&self.path))
                    }
                })
            }
            Some(text) if text == self.before || is_gone(&text) => Ok(()),
            Some(_) => Err(changed(&self.path)),
            None => Ok(()),
        }
    }
}

fn changed(path: &str) -> Localized {
    localized!("{path} was changed meanwhile", "{path} 已被改动")
}

impl Writing {
    /// The files of a plan that are missing: a person may have written a persona before.
    pub fn of_team(workspace: &Path, plan: &TeamPlan) -> Self {
        let files = plan.files.iter().filter(|(path, _)| is_missing(workspace, path));
        Self {
            files: files.cloned().collect(),
            member: plan.lead.clone(),
            entry: Some(plan.entry.clone()),
            changes: Vec::new(),
        }
    }

    pub fn of_member(workspace: &Path, plan: &MemberPlan) -> Result<Self, Localized> {
        let MemberPlan { team, id, persona, entry } = plan;
        let path = team_file(team);
        let before = text_of(workspace, &path).unwrap_or_default();
        let after = with_team_member(&before, team, id)?;
        let is_new = is_missing(workspace, &persona.0);
        Ok(Self {
            files: Some(persona).filter(|_| is_new).cloned().into_iter().collect(),
            member: id.clone(),
            entry: Some(entry.clone()),
            changes: vec![TextChange { path, before, after }],
        })
    }

    pub fn of_skill(workspace: &Path, plan: &SkillPlan) -> Self {
        let SkillPlan { member, path, text, .. } = plan;
        let (mut files, mut changes) = (Vec::new(), Vec::new());
        match text_of(workspace, path) {
            Some(before) => {
                // The existing text may be a person's.
                let copy = copy_of_skill(member, path, &before);
                if before != *text && is_missing(workspace, &copy) {
                    files.push((copy, before.clone()));
                }
                let (path, after) = (path.clone(), text.clone());
                changes.push(TextChange { path, before, after });
            }
            None => files.push((path.clone(), text.clone())),
        }
        Self { files, member: member.clone(), entry: None, changes }
    }

    pub fn edits(&self, workspace: &Path) -> Result<Vec<Edit>, Localized> {
        let new = |(path, text): &(String, String)| Edit {
            path: path.clone(),
            before: None,
            after: Some(text.clone()),
        };
        let change = |TextChange { path, before, after }: &TextChange| Edit {
            path: path.clone(),
            before: Some(before.clone()),
            after: Some(after.clone()),
        };
        let member = self.entry.as_ref().map(|entry| {
            edited(workspace, TEAM_FILE, |text| with_member(text, &self.member, entry))
        });
        let member = member.transpose()?.into_iter();
        let is_shown = |(path, _): &&(String, String)| !path.starts_with(STORE_FOLDER);
        let files = self.files.iter().filter(is_shown).map(new);
        let files = files.chain(self.changes.iter().map(change));
        Ok(member.chain(files).collect())
    }

    /// True for a plan as this program makes it: a store that a person agreed to may say anything.
    pub fn is_of(&self, kind: SagaKind, team: &TeamName) -> bool {
        let (member, persona) = (&self.member, persona_of(&self.member));
        let is_team = TeamName::is_well_formed(team.as_str());
        let is_new = TeamName::is_well_formed(member.as_str());
        let new = |known: &[String]| self.files.iter().all(|(path, _)| known.contains(path));
        let old = |known: &[String]| self.changes.iter().all(|one| known.contains(&one.path));
        is_team
            && match kind {
                SagaKind::Spawn => {
                    let known = [team_file(team), persona, format!("{team}.tsk/goals.md")];
                    member.as_str() == team.as_str() && new(&known) && old(&[])
                }
                SagaKind::Member => is_new && new(&[persona]) && old(&[team_file(team)]),
                SagaKind::Skill => {
                    let is_copy = |(path, text): &(String, String)| {
                        let is_it = |one: &TextChange| {
                            one.before == *text && *path == copy_of_skill(member, &one.path, text)
                        };
                        self.changes.iter().any(is_it)
                    };
                    let old = self.changes.iter().map(|change| &change.path);
                    let new = self.files.iter().filter(|file| !is_copy(file));
                    let mut paths = new.map(|(path, _)| path).chain(old);
                    self.entry.is_none() && paths.all(|path| is_skill_of(path, member))
                }
                SagaKind::Shutdown => false,
            }
    }

    /// Number of steps of [`Self::write`].
    #[cfg(test)]
    pub fn steps(&self) -> usize {
        self.files.len() + usize::from(self.entry.is_some()) + self.changes.len()
    }

    /// Writes all of it. A file that somebody else made meanwhile stays, and nothing after it is written.
    pub fn write(&mut self, workspace: &Path) -> Result<(), Localized> {
        self.write_some(workspace, usize::MAX)
    }

    /// Does at most `most` steps of [`Self::write`].
    pub(super) fn write_some(&mut self, workspace: &Path, most: usize) -> Result<(), Localized> {
        for (at, (path, text)) in self.files.iter().enumerate().take(most) {
            if guard::put_file(workspace, path, text)? == Put::Kept {
                let taken = localized!("{path} is there already", "{path} 已存在");
                self.files.truncate(at);
                return Err(taken);
            }
        }
        let mut left = most.saturating_sub(self.files.len());
        if let Some(entry) = self.entry.as_ref().filter(|_| left > 0) {
            let with = |text: &str| with_member(text, &self.member, entry);
            guard::edit_file(workspace, TEAM_FILE, CONFIG_LIMIT_BYTES, with)?;
            left -= 1;
        }
        self.changes.iter().take(left).try_for_each(|change| change.make(workspace))
    }

    /// Takes back what was written. A text that somebody changed meanwhile stays, and is the error.
    pub fn undo(&self, workspace: &Path) -> Result<(), Localized> {
        let member = &self.member;
        let written = self.entry.as_ref();
        // If the member is out of the team's file, that part is undone already.
        let is_gone = |text: &str| written.is_some() && !has_team_member(text, member);
        self.changes.iter().rev().try_for_each(|change| change.undo(workspace, is_gone))?;
        let text = text_of(workspace, TEAM_FILE).unwrap_or_default();
        match member_entry(&text, member).filter(|_| written.is_some()) {
            None => {}
            Some(now) if Some(&now) == written => take_out(workspace, member)?,
            Some(_) => {
                return Err(localized!(
                    "the member '{member}' in {TEAM_FILE} was changed meanwhile",
                    "{TEAM_FILE} 中的成员 '{member}' 已被改动"
                ));
            }
        }
        for (path, text) in self.files.iter().rev() {
            match guard::remove_file(workspace, path, text)? {
                Removal::Removed | Removal::NotThere => {
                    guard::remove_empty_folders(workspace, path);
                }
                Removal::Differs => return Err(changed(path)),
            }
        }
        Ok(())
    }
}

fn is_missing(workspace: &Path, path: &str) -> bool {
    workspace.join(path).symlink_metadata().is_err()
}

/// True if the name of a member is a plain folder name.
fn is_plain(member: &AgentId) -> bool {
    !member.as_str().contains('/') && !member.as_str().starts_with('.')
}

/// True for the path of a skill of this member.
fn is_skill_of(path: &str, member: &AgentId) -> bool {
    let name = path.rsplit_once('/').and_then(|(_, file)| file.strip_suffix(".md"));
    name.is_some_and(|name| TeamName::is_well_formed(name) && path == skill_file(member, name))
        && is_plain(member)
}

/// The path where the old text of a skill is kept when it is rewritten. Equal texts are kept once.
fn copy_of_skill(member: &AgentId, path: &str, text: &str) -> String {
    let name = path.rsplit_once('/').map_or(path, |(_, file)| file.trim_end_matches(".md"));
    let hash = hex(&Sha256::digest(text));
    let hash = hash.get(..COPY_HASH_CHARS).unwrap_or(&hash);
    format!("{STORE_FOLDER}/backups/skills/{member}/{name}-{hash}.md")
}

fn take_out(workspace: &Path, member: &AgentId) -> Result<(), Localized> {
    let without = |text: &str| without_member(text, member);
    guard::edit_file(workspace, TEAM_FILE, CONFIG_LIMIT_BYTES, without)
}

/// An unused folder for the files of a team.
fn free_folder(workspace: &Path, name: &str) -> String {
    let path = |mark: &str| format!("{STORE_FOLDER}/backups/teams/{name}{mark}");
    let is_free = |path: &String| workspace.join(path).symlink_metadata().is_err();
    let marked = (2_u32..).map(|number| path(&format!("-{number}")));
    [path("")].into_iter().chain(marked).find(is_free).unwrap_or_default()
}

/// The teams that are shut down, each after those below it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Closing {
    teams: Vec<ClosingTeam>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ClosingTeam {
    name: TeamName,
    /// Members that were made with it.
    members: Vec<AgentId>,
    /// Where its files go, below the workspace.
    folder: String,
}

impl Closing {
    pub fn of<'a>(workspace: &Path, teams: impl Iterator<Item = &'a OrgTeam>, now: &Stamp) -> Self {
        let time: String = now.as_str().chars().filter(char::is_ascii_digit).collect();
        let closing = |team: &OrgTeam| {
            let name = team.name.clone();
            let file = text_of(workspace, &team_file(&name));
            let mut members = file.map(|text| spawned_members(&text)).unwrap_or_default();
            // Whatever the file says, only members of the team go with it.
            members.retain(|member| team.members.contains(member));
            let folder = free_folder(workspace, &format!("{name}-{time}"));
            ClosingTeam { name, members, folder }
        };
        Self { teams: teams.map(closing).collect() }
    }

    /// True for a plan as this program makes it: a store that a person agreed to may say anything.
    pub fn is_well_formed(&self) -> bool {
        self.teams.iter().all(|ClosingTeam { name, members, folder }| {
            let kept = folder.strip_prefix(&format!("{STORE_FOLDER}/backups/teams/"));
            TeamName::is_well_formed(name.as_str())
                && members.iter().all(is_plain)
                && kept.is_some_and(|kept| !kept.contains(['/', '.']))
        })
    }

    pub fn names(&self) -> Vec<TeamName> {
        self.teams.iter().map(|team| team.name.clone()).collect()
    }

    /// Each team with the folder of its memories.
    pub fn memory_folders(&self) -> Vec<(TeamName, String)> {
        let of = |team: &ClosingTeam| (team.name.clone(), format!("{}/memory", team.folder));
        self.teams.iter().map(of).collect()
    }

    pub fn edits(&self, workspace: &Path) -> Result<Vec<Edit>, Localized> {
        let members = || self.teams.iter().flat_map(|team| &team.members);
        let without = |text: &str| {
            members().try_fold(text.to_owned(), |text, member| without_member(&text, member))
        };
        let mut edits = vec![edited(workspace, TEAM_FILE, without)?];
        let paths = self.teams.iter().map(|team| team_file(&team.name));
        let triggers = self.teams.iter().flat_map(|team| triggers::files_of(workspace, &team.name));
        let skills = members().flat_map(|member| skill_files_of(workspace, member));
        for path in paths.chain(members().map(persona_of)).chain(skills).chain(triggers) {
            let before = text_of(workspace, &path);
            edits.extend(before.map(|text| Edit { path, before: Some(text), after: None }));
        }
        Ok(edits)
    }

    /// Takes the members of these teams out, and moves their files away.
    pub fn clear(&self, workspace: &Path) -> Result<(), Localized> {
        self.steps().iter().try_for_each(|step| step.take(workspace))
    }

    pub(super) fn steps(&self) -> Vec<ClosingStep> {
        let mut steps = Vec::new();
        for ClosingTeam { name, members, folder } in &self.teams {
            let away =
                |from: String, to: &str| ClosingStep::Move { from, to: format!("{folder}/{to}") };
            for member in members {
                steps.push(ClosingStep::TakeOut(member.clone()));
                steps.push(away(persona_of(member), &format!("{member}-persona.md")));
                // A later member of this name must not get them.
                steps.push(away(skill_folder(member), &format!("{member}-skills")));
            }
            let taskdoc = format!("{name}.tsk");
            steps.push(away(taskdoc.clone(), &taskdoc));
            steps.push(away(triggers::folder_of(name), "triggers"));
            // Last: the team exists as long as this file does.
            steps.push(away(team_file(name), &format!("{name}.yaml")));
        }
        steps
    }
}

/// A step of the end of a team.
#[derive(Debug)]
pub(super) enum ClosingStep {
    /// Out of the file of the team.
    TakeOut(AgentId),
    Move {
        from: String,
        to: String,
    },
}

impl ClosingStep {
    pub fn take(&self, workspace: &Path) -> Result<(), Localized> {
        match self {
            Self::TakeOut(member) => {
                let text = text_of(workspace, TEAM_FILE).unwrap_or_default();
                if member_entry(&text, member).is_some() {
                    take_out(workspace, member)
                } else {
                    Ok(())
                }
            }
            Self::Move { from, to } => {
                guard::move_away(workspace, from, to)?;
                guard::remove_empty_folders(workspace, from);
                Ok(())
            }
        }
    }
}
