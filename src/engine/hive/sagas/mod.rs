//! Makes teams, members and skills, and shuts teams down. A change is written into the store before its first step, with all that
//! undoes or finishes it: one that was interrupted is undone, or finished (a team that is shut down), at the next start. Steps and undoing
//! compare what is there with what was written, so each may be done again.

use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::fault::StoreFault;
use super::folder::{Folder, off_thread};
use super::setup::Setup;
use super::store::{Saga, SagaKind, Store};
use crate::domain::teams::org::{Org, OrgTeam};
use crate::domain::teams::org_change::{
    ChangePreview, Changed, OrgChange, OrgRefusal, Requester, keywords,
};
use crate::domain::teams::task::{Enqueued, NewTask, Overlap, Priority, TaskKind};
use crate::domain::text::hex;
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{AgentId, Lang, Problem, Stamp, TeamName};
use crate::guard::put_file;
use crate::hive::task_refusal::task_refused;
use crate::minds::new_member::{plan_member, plan_skill};
use crate::minds::new_team::{TeamPlan, plan};
use crate::minds::{Minds, TEAM_FILE};

use team_files::{Closing, Writing};

/// Hex digits of the id of a change.
const ID_DIGITS: usize = 12;

/// A change that the configuration of that moment allows.
enum Planned {
    Spawn { plan: Box<TeamPlan>, writing: Writing },
    Update { team: TeamName, scope: Vec<String> },
    Shutdown { team: TeamName, closing: Closing },
    Define { team: TeamName, member: AgentId, writing: Writing },
    Save { team: TeamName, path: String, writing: Writing },
}

impl Setup {
    async fn awaits_consent(&self) -> Result<bool, StoreFault> {
        let permission = self.permission.clone();
        off_thread(move || Ok(permission.awaits_consent())).await
    }

    async fn plan(&self, change: &OrgChange) -> Result<Result<Planned, OrgRefusal>, StoreFault> {
        if self.awaits_consent().await? {
            return Ok(Err(OrgRefusal::AwaitsConsent));
        }
        let (workspace, change, now) = (self.workspace.clone(), change.clone(), self.clock.now());
        off_thread(move || Ok(planned(&workspace, &change, &now))).await
    }

    /// What a change would do, unless it is refused.
    ///
    /// # Errors
    /// The configuration could not be read.
    pub(super) async fn preview(
        &self,
        change: &OrgChange,
    ) -> Result<Result<ChangePreview, OrgRefusal>, StoreFault> {
        let planned = match self.plan(change).await? {
            Ok(planned) => planned,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let workspace = self.workspace.clone();
        off_thread(move || {
            let edits = match &planned {
                Planned::Spawn { writing, .. }
                | Planned::Define { writing, .. }
                | Planned::Save { writing, .. } => writing.edits(&workspace),
                Planned::Update { team, scope } => team_files::scope_edit(&workspace, team, scope),
                Planned::Shutdown { closing, .. } => closing.edits(&workspace),
            };
            Ok(edits.map(|edits| team_files::preview(&edits)).map_err(OrgRefusal::Failed))
        })
        .await
    }

    /// Changes the teams, or leaves nothing behind.
    ///
    /// # Errors
    /// The store; what was begun is undone or finished, now or at the next start.
    pub(super) async fn change(
        &self,
        store: &mut Store,
        change: &OrgChange,
    ) -> Result<Result<Changed, OrgRefusal>, StoreFault> {
        let by = change.by();
        match self.plan(change).await? {
            Err(refusal) => Ok(Err(refusal)),
            Ok(Planned::Spawn { plan, writing }) => self.spawn(store, &plan, writing, by).await,
            Ok(Planned::Define { team, member, writing }) => {
                let saga = self.saga(SagaKind::Member, &team, (by, &writing)).await?;
                let extended = self.extend(store, &saga, writing, Some(&member)).await?;
                Ok(extended.map(|()| Changed::Defined(member)))
            }
            Ok(Planned::Save { team, path, writing }) => {
                let saga = self.saga(SagaKind::Skill, &team, (by, &writing)).await?;
                let extended = self.extend(store, &saga, writing, None).await?;
                Ok(extended.map(|()| Changed::Saved(path)))
            }
            Ok(Planned::Update { team, scope }) => self.update(store, &team, scope, by).await,
            Ok(Planned::Shutdown { team, closing }) => {
                let teams = closing.names();
                let saga = self.saga(SagaKind::Shutdown, &team, (by, &closing)).await?;
                let begun = store.begin_shutdown(&saga, &teams, self.clock.moment()).await?;
                Ok(begun.map(|()| Changed::Closing(teams)))
            }
        }
    }

    /// Describes a change. If others may write to the store, also notes in the workspace that it was begun here.
    async fn saga(
        &self,
        kind: SagaKind,
        team: &TeamName,
        (by, plan): (&Requester, &impl serde::Serialize),
    ) -> Result<Saga, StoreFault> {
        let random = (self.random_name)();
        let id = random.get(..ID_DIGITS).unwrap_or(&random).to_owned();
        let plan = serde_json::to_value(plan).map_err(|error| unreadable(&error))?;
        let saga = Saga { id, kind, team: team.clone(), by: by.team.clone(), plan };
        if self.server().is_some() {
            let (folder, id, hash) = (Folder::of(&self.workspace), saga.id.clone(), hash(&saga));
            off_thread(move || folder.note_change(&id, &hash)).await?;
        }
        Ok(saga)
    }

    /// True if a change was begun here and was not altered since.
    async fn began(&self, saga: &Saga) -> Result<bool, StoreFault> {
        if self.server().is_none() {
            return Ok(true);
        }
        let (folder, id, hash) = (Folder::of(&self.workspace), saga.id.clone(), hash(saga));
        off_thread(move || Ok(folder.knows_change(&id, &hash))).await
    }

    async fn spawn(
        &self,
        store: &mut Store,
        plan: &TeamPlan,
        writing: Writing,
        by: &Requester,
    ) -> Result<Result<Changed, OrgRefusal>, StoreFault> {
        let saga = self.saga(SagaKind::Spawn, &plan.name, (by, &writing)).await?;
        if let Err(refusal) = store.begin_spawn(&saga, self.clock.moment()).await? {
            return Ok(Err(refusal));
        }
        let (writing, written) = self.write(writing).await?;
        let refusal = match written {
            Err(why) => OrgRefusal::Failed(why),
            Ok(()) if self.awaits_consent().await? => OrgRefusal::NeedsConsent,
            Ok(()) if !self.is_usable(&plan.name, None).await? => {
                OrgRefusal::Failed(unusable(&plan.name))
            }
            Ok(()) => {
                let (id, first) = (self.new_task_id(), first_task(plan, by));
                match store.finish_spawn(&saga, (&first, &id), self.clock.moment()).await? {
                    Enqueued::Queued(task) => {
                        return Ok(Ok(Changed::Spawned { team: plan.name.clone(), task }));
                    }
                    Enqueued::Refused(refusal) => {
                        OrgRefusal::Failed(task_refused(plan.name.as_str(), refusal))
                    }
                    Enqueued::Skipped | Enqueued::NeedsConfirmation { .. } => {
                        OrgRefusal::Exists(plan.name.clone())
                    }
                }
            }
        };
        // A failed undo is tried again, and is a problem until then.
        self.undo(store, &saga, writing).await?;
        Ok(Err(refusal))
    }

    /// Writes a member or a skill of an existing team.
    async fn extend(
        &self,
        store: &mut Store,
        saga: &Saga,
        writing: Writing,
        member: Option<&AgentId>,
    ) -> Result<Result<(), OrgRefusal>, StoreFault> {
        if let Err(refusal) = store.begin_change(saga, self.clock.moment()).await? {
            return Ok(Err(refusal));
        }
        let (writing, written) = self.write(writing).await?;
        let refusal = match written {
            Err(why) => OrgRefusal::Failed(why),
            Ok(()) if self.awaits_consent().await? => OrgRefusal::NeedsConsent,
            Ok(()) if !self.is_usable(&saga.team, member).await? => {
                OrgRefusal::Failed(unusable(&saga.team))
            }
            Ok(()) => {
                store.forget_change(saga).await?;
                return Ok(Ok(()));
            }
        };
        self.undo(store, saga, writing).await?;
        Ok(Err(refusal))
    }

    /// True if the files say now that there is such a team, with this member.
    async fn is_usable(
        &self,
        team: &TeamName,
        member: Option<&AgentId>,
    ) -> Result<bool, StoreFault> {
        let (workspace, team, member) = (self.workspace.clone(), team.clone(), member.cloned());
        off_thread(move || {
            let minds = Minds::load(&workspace, Lang::En);
            let found = minds.hive().org().team(&team);
            let has = |id: &AgentId| {
                minds.member(id).is_some() && found.is_some_and(|team| team.members.contains(id))
            };
            Ok(found.is_some() && member.as_ref().is_none_or(has))
        })
        .await
    }

    async fn write(
        &self,
        mut writing: Writing,
    ) -> Result<(Writing, Result<(), Localized>), StoreFault> {
        let workspace = self.workspace.clone();
        off_thread(move || {
            let written = writing.write(&workspace);
            Ok((writing, written))
        })
        .await
    }

    /// Undoes what was written; a problem if something of it has to stay.
    async fn undo(
        &self,
        store: &mut Store,
        saga: &Saga,
        writing: Writing,
    ) -> Result<Option<Problem>, StoreFault> {
        let workspace = self.workspace.clone();
        match off_thread(move || Ok(writing.undo(&workspace))).await? {
            Ok(()) if saga.kind == SagaKind::Spawn => store.forget_spawn(saga).await.map(|()| None),
            Ok(()) => store.forget_change(saga).await.map(|()| None),
            Err(why) => Ok(Some(problem(saga, &why))),
        }
    }

    async fn update(
        &self,
        store: &mut Store,
        team: &TeamName,
        scope: Vec<String>,
        by: &Requester,
    ) -> Result<Result<Changed, OrgRefusal>, StoreFault> {
        if let Some(refusal) = store.obstacle(team, by.team.as_ref()).await? {
            return Ok(Err(refusal));
        }
        let (workspace, team, written) = (self.workspace.clone(), team.clone(), scope.clone());
        let edited =
            off_thread(move || Ok(team_files::write_scope(&workspace, &team, &written))).await?;
        Ok(edited.map(|()| Changed::Updated(scope)).map_err(OrgRefusal::Failed))
    }

    /// Undoes or finishes interrupted changes. A team that is shut down ends when its dialogs are archived. Returns the
    /// problems of changes that something else blocks.
    ///
    /// # Errors
    /// The store.
    pub(super) async fn settle_changes(
        &self,
        store: &mut Store,
    ) -> Result<Vec<Problem>, StoreFault> {
        let mut problems = Vec::new();
        let open = store.open_sagas().await?;
        if open.is_empty() && self.server().is_some() {
            let folder = Folder::of(&self.workspace);
            off_thread(move || {
                folder.forget_changes();
                Ok(())
            })
            .await?;
        }
        for saga in open {
            if !self.began(&saga).await? {
                let why = "a change of teams is in it that was not begun here";
                return Err(StoreFault::Server(why.to_owned()));
            }
            let problem = match saga.kind {
                SagaKind::Spawn | SagaKind::Member | SagaKind::Skill => {
                    let writing: Writing = read(&saga)?;
                    if !writing.is_of(saga.kind, &saga.team) {
                        return Err(foreign());
                    }
                    self.undo(store, &saga, writing).await?
                }
                SagaKind::Shutdown => {
                    let closing: Closing = read(&saga)?;
                    if !closing.is_well_formed() {
                        return Err(foreign());
                    }
                    self.close(store, &saga, closing).await?
                }
            };
            problems.extend(problem);
        }
        Ok(problems)
    }

    async fn close(
        &self,
        store: &mut Store,
        saga: &Saga,
        closing: Closing,
    ) -> Result<Option<Problem>, StoreFault> {
        let teams = closing.names();
        if !store.are_put_away(&teams).await? {
            return Ok(None);
        }
        let memories = self.memory_files(store, &closing.memory_folders()).await?;
        let workspace = self.workspace.clone();
        let clear = move || {
            let kept = memories
                .iter()
                .try_for_each(|(path, text)| put_file(&workspace, path, text).map(|_| ()));
            Ok(kept.and_then(|()| closing.clear(&workspace)))
        };
        match off_thread(clear).await? {
            Ok(()) => store.finish_shutdown(saga, &teams).await.map(|()| None),
            Err(why) => Ok(Some(problem(saga, &why))),
        }
    }
}

fn planned(workspace: &Path, change: &OrgChange, now: &Stamp) -> Result<Planned, OrgRefusal> {
    let minds = Minds::load(workspace, change.by().lang);
    let org = minds.hive().org();
    if !org.is_on() && minds.hive().is_configured {
        return Err(OrgRefusal::AreOff);
    }
    match change {
        OrgChange::Spawn(new) => {
            let plan = Box::new(plan(&minds, new)?);
            let writing = Writing::of_team(workspace, &plan);
            Ok(Planned::Spawn { plan, writing })
        }
        OrgChange::DefineMember(new) => {
            let plan = plan_member(&minds, new)?;
            let writing = Writing::of_member(workspace, &plan).map_err(OrgRefusal::Failed)?;
            Ok(Planned::Define { team: plan.team, member: plan.id, writing })
        }
        OrgChange::SaveSkill(new) => {
            let plan = plan_skill(&minds, workspace, new)?;
            let writing = Writing::of_skill(workspace, &plan);
            Ok(Planned::Save { team: plan.team, path: plan.path, writing })
        }
        OrgChange::Update { team, add, remove, by } => {
            let team = changeable(org, team, by)?;
            let removed = keywords(remove);
            let kept = team.scope.iter().filter(|word| !removed.contains(&word.to_lowercase()));
            let scope = keywords(&kept.chain(add).cloned().collect::<Vec<_>>());
            if scope.is_empty() {
                return Err(OrgRefusal::EmptyScope);
            }
            Ok(Planned::Update { team: team.name.clone(), scope })
        }
        OrgChange::Shutdown { team, cascade, by } => {
            let team = changeable(org, team, by)?.name.clone();
            let children: Vec<TeamName> =
                org.children(&team).map(|child| child.name.clone()).collect();
            if !children.is_empty() && !cascade {
                return Err(OrgRefusal::HasChildren { team, children });
            }
            let ending = org.leaves_first(&team);
            let closing =
                Closing::of(workspace, ending.iter().filter_map(|name| org.team(name)), now);
            Ok(Planned::Shutdown { team, closing })
        }
    }
}

/// The team, if the requester may change it.
fn changeable<'a>(
    org: &'a Org,
    name: &TeamName,
    by: &Requester,
) -> Result<&'a OrgTeam, OrgRefusal> {
    if name.is_main() {
        return Err(OrgRefusal::IsRoot);
    }
    let team = org.team(name).ok_or_else(|| OrgRefusal::NotFound(name.clone()))?;
    match &by.team {
        Some(own) if !org.is_child(name, own) => {
            Err(OrgRefusal::NotAChild { team: name.clone(), of: own.clone() })
        }
        Some(_) | None => Ok(team),
    }
}

fn unusable(team: &TeamName) -> Localized {
    localized!(
        "team {team} cannot be used with the files of this workspace as they are now; `dominds-tui doctor` says why",
        "以此工作区目前的文件，团队 {team} 无法使用；`dominds-tui doctor` 会说明原因"
    )
}

fn first_task(plan: &TeamPlan, by: &Requester) -> NewTask {
    NewTask {
        team: plan.name.clone(),
        kind: TaskKind::Bootstrap,
        priority: Priority::Critical,
        text: plan.bootstrap.clone(),
        member: None,
        max_steps: plan.limits.max_steps,
        correlation: None,
        cause: by.cause.clone(),
        from: by.team.clone(),
        origin: by.origin.clone(),
        wake: false,
        overlap: Overlap::Allow,
        max_queue: plan.limits.max_queue,
        once: None,
        trigger: None,
    }
}

fn read<T: serde::de::DeserializeOwned>(saga: &Saga) -> Result<T, StoreFault> {
    T::deserialize(&saga.plan).map_err(|error| unreadable(&error))
}

/// Hash of the kind, the team and the plan of a change.
fn hash(saga: &Saga) -> String {
    let (kind, team, plan) = (saga.kind.name(), &saga.team, &saga.plan);
    hex::hex(&Sha256::digest(format!("{kind} {team} {plan}")))
}

/// The fault of a store that no version of this program wrote.
fn foreign() -> StoreFault {
    StoreFault::Damaged("a change of teams names other files".to_owned())
}

fn unreadable(error: &serde_json::Error) -> StoreFault {
    StoreFault::Damaged(format!("a change of teams: {error}"))
}

fn problem(saga: &Saga, why: &Localized) -> Problem {
    let team = &saga.team;
    let text = match saga.kind {
        SagaKind::Spawn => localized!(
            [why] "team {team} could not be made, and something of it is left: {why}",
            "团队 {team} 未能建立，且有内容残留：{why}"
        ),
        SagaKind::Member => localized!(
            [why] "a member of team {team} could not be made, and something of it is left: {why}",
            "团队 {team} 的成员未能建立，且有内容残留：{why}"
        ),
        SagaKind::Skill => localized!(
            [why] "a skill of team {team} could not be written, and something of it is left: {why}",
            "团队 {team} 的技能未能写入，且有内容残留：{why}"
        ),
        SagaKind::Shutdown => localized!(
            [why] "team {team} is being shut down, and that cannot be finished: {why}",
            "团队 {team} 正在关闭，但无法完成：{why}"
        ),
    };
    let fix = Text::new(
        "do it yourself, or put back what was there; it is tried again every minute",
        "请自行处理，或恢复原样；每分钟会重试一次",
    );
    Problem::new(format!("hive/saga/{}", saga.id), TEAM_FILE, text, fix)
}

#[cfg(test)]
mod extension_tests;
#[cfg(test)]
mod shutdown_tests;
mod team_files;
#[cfg(test)]
mod tests;
