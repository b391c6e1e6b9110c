//! Changes of triggers that people and leads want: writes their files, enables, disables and tests them. One path for
//! tools, commands and screens.

use std::path::Path;

use super::fault::StoreFault;
use super::folder::off_thread;
use super::setup::Setup;
use super::store::{InForce, Store};
use crate::domain::teams::org::OrgTeam;
use crate::domain::teams::org_change::OrgRefusal;
use crate::domain::teams::task::{NewTask, TaskKind, TaskTrigger};
use crate::domain::teams::trigger::change::{
    TriggerAnswer, TriggerBasis, TriggerPatch, TriggerRefusal, TriggerRequest, TriggerWish,
    checked, checked_for_enabling, checked_name, checked_steps,
};
use crate::domain::teams::trigger::row::handler;
use crate::domain::teams::trigger::{
    StoredTrigger, TEST_CORRELATION, Trigger, TriggerConfig, TriggerId, TriggerKind, TriggerState,
};
use crate::domain::text::{Localized, localized};
use crate::domain::{Lang, TeamName};
use crate::guard::{self, Put};
use crate::minds::triggers::{file_of, text_of};
use crate::minds::{CONFIG_LIMIT_BYTES, Minds};

/// Maximum length of the reason for disabling a trigger, in characters.
const MAX_REASON_CHARS: usize = 400;

pub(super) fn in_force(trigger: &Trigger) -> InForce {
    // A definition is a map of texts and numbers.
    let json = serde_json::to_string(trigger).unwrap_or_default();
    InForce { json, threshold: trigger.failure_threshold }
}

/// What the files say of a trigger and its team.
struct Known {
    id: TriggerId,
    team: OrgTeam,
    file: DefinitionFile,
}

/// The file of a trigger.
enum DefinitionFile {
    Missing,
    Unusable,
    Says(Trigger),
}

impl Known {
    /// The definition of its file.
    fn definition(&self) -> Result<&Trigger, TriggerRefusal> {
        match &self.file {
            DefinitionFile::Missing => Err(TriggerRefusal::NotFound(self.id.name.clone())),
            DefinitionFile::Unusable => Err(TriggerRefusal::FileIsUnusable(file_of(&self.id))),
            DefinitionFile::Says(trigger) => Ok(trigger),
        }
    }
}

impl Setup {
    /// Carries out a wish about a trigger.
    ///
    /// # Errors
    /// The store.
    pub async fn change_trigger(
        &self,
        store: &mut Store,
        TriggerRequest { team, name, by, basis, wish }: TriggerRequest,
    ) -> Result<Result<TriggerAnswer, TriggerRefusal>, StoreFault> {
        let permission = self.permission.clone();
        // Disabling a trigger needs no consent.
        let is_off = matches!(wish, TriggerWish::Disable { .. });
        if !is_off && off_thread(move || Ok(permission.awaits_consent())).await? {
            return Ok(Err(OrgRefusal::AwaitsConsent.into()));
        }
        let id = TriggerId { team, name };
        let (workspace, asked) = (self.workspace.clone(), id.clone());
        let known = off_thread(move || Ok(known(&workspace, asked, by.as_ref()))).await?;
        let stored = store.triggers().await?.into_iter().find(|stored| stored.id == id);
        match known {
            Ok(known) if !is_so(basis.as_ref(), &known, stored.as_ref()) => {
                Ok(Err(TriggerRefusal::Changed))
            }
            Ok(known) => self.do_with(store, known, stored, wish).await,
            Err(refusal) => Ok(Err(refusal)),
        }
    }

    async fn do_with(
        &self,
        store: &mut Store,
        known: Known,
        stored: Option<StoredTrigger>,
        wish: TriggerWish,
    ) -> Result<Result<TriggerAnswer, TriggerRefusal>, StoreFault> {
        let state = state_of(stored.as_ref());
        let now = self.clock.moment();
        let closing = || Ok(Err(OrgRefusal::ShuttingDown(known.team.name.clone()).into()));
        match wish {
            TriggerWish::Create(trigger) => self.create(known, *trigger).await,
            TriggerWish::Update(patch) => {
                if patch.is_empty() {
                    return Ok(Err(TriggerRefusal::Nothing));
                }
                self.rewrite(store, known, *patch, state).await
            }
            TriggerWish::Enable => {
                let definition = match known.definition() {
                    Ok(definition) => definition.clone(),
                    Err(refusal) => return Ok(Err(refusal)),
                };
                if let Err(refusal) = checked_for_enabling(&definition, self.clock.as_ref()) {
                    return Ok(Err(refusal));
                }
                if !store.enable_trigger(&known.id, &in_force(&definition), now).await? {
                    return closing();
                }
                Ok(Ok(self.is(TriggerState::Active, &definition)))
            }
            TriggerWish::Disable { reason } => {
                let kept = stored.as_ref().and_then(StoredTrigger::trigger);
                let definition = match (known.definition(), kept) {
                    (Ok(definition), _) => definition.clone(),
                    // A trigger with an unusable file can be disabled, too.
                    (Err(TriggerRefusal::FileIsUnusable(_)), Some(kept)) => kept,
                    (Err(refusal), _) => return Ok(Err(refusal)),
                };
                let reason = reason.map(|reason| reason.chars().take(MAX_REASON_CHARS).collect());
                let reason: Option<String> = reason;
                let in_force = in_force(&definition);
                let set = store.disable_trigger(&known.id, reason.as_deref(), &in_force, now);
                if !set.await? {
                    return closing();
                }
                Ok(Ok(TriggerAnswer::Is { state: TriggerState::Disabled, fault: None }))
            }
            TriggerWish::Test { max_steps, overlap, cause, lang } => {
                if let Err(refusal) = checked_steps(max_steps) {
                    return Ok(Err(refusal));
                }
                let task = match known.definition() {
                    Ok(definition) => test_task(definition, &known, (&(self.random_name)(), lang)),
                    Err(refusal) => return Ok(Err(refusal)),
                };
                let task = NewTask {
                    max_steps: max_steps.unwrap_or(task.max_steps),
                    overlap: overlap.unwrap_or(task.overlap),
                    cause,
                    ..task
                };
                let tested = store.enqueue(&task, &self.new_task_id(), now).await?;
                Ok(Ok(TriggerAnswer::Tested(tested)))
            }
        }
    }

    fn is(&self, state: TriggerState, definition: &Trigger) -> TriggerAnswer {
        let fault = (state == TriggerState::Active)
            .then(|| handler(definition, self.clock.as_ref()).err())
            .flatten();
        TriggerAnswer::Is { state, fault }
    }

    /// Writes the file of a new trigger; does not enable it.
    async fn create(
        &self,
        known: Known,
        trigger: Trigger,
    ) -> Result<Result<TriggerAnswer, TriggerRefusal>, StoreFault> {
        let exists = || Ok(Err(TriggerRefusal::Exists(known.id.name.clone())));
        if let Err(refusal) = checked_name(&known.id.name) {
            return Ok(Err(refusal));
        }
        if !matches!(known.file, DefinitionFile::Missing) {
            return exists();
        }
        let trigger = match checked(trigger, &known.team) {
            Ok(trigger) => trigger,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let (workspace, path) = (self.workspace.clone(), file_of(&known.id));
        let text = match text_of(&trigger) {
            Ok(text) => text,
            Err(why) => return Ok(Err(TriggerRefusal::Failed(why))),
        };
        let written = off_thread(move || Ok(guard::put_file(&workspace, &path, &text))).await?;
        match written {
            Ok(Put::Written) => {
                Ok(Ok(TriggerAnswer::Is { state: TriggerState::Pending, fault: None }))
            }
            Ok(Put::Kept) => exists(),
            Err(why) => Ok(Err(TriggerRefusal::Failed(why))),
        }
    }

    /// Changes the file of a trigger. An active one uses the new definition from now on, or nothing is changed.
    async fn rewrite(
        &self,
        store: &mut Store,
        known: Known,
        patch: TriggerPatch,
        state: TriggerState,
    ) -> Result<Result<TriggerAnswer, TriggerRefusal>, StoreFault> {
        let old = match known.definition() {
            Ok(old) => old.clone(),
            Err(refusal) => return Ok(Err(refusal)),
        };
        let is_other = |config: &TriggerConfig| config.kind() != old.config.kind();
        if patch.config.as_ref().is_some_and(is_other) {
            return Ok(Err(TriggerRefusal::OtherType));
        }
        let new = match checked(patch.applied_to(old.clone()), &known.team) {
            Ok(new) => new,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if state == TriggerState::Active
            && let Err(why) = handler(&new, self.clock.as_ref())
        {
            return Ok(Err(TriggerRefusal::CannotRun(why)));
        }
        let (workspace, file, written) = (self.workspace.clone(), file_of(&known.id), new.clone());
        let org_team = known.team.clone();
        let replaced = off_thread(move || {
            let edit = |text: &str| replaced(text, (&old, &written), &file, &org_team);
            Ok(guard::edit_file(&workspace, &file, CONFIG_LIMIT_BYTES, edit))
        });
        if let Err(why) = replaced.await? {
            return Ok(Err(TriggerRefusal::Failed(why)));
        }
        if state == TriggerState::Active {
            store.take_over(&known.id, &in_force(&new)).await?;
        }
        Ok(Ok(self.is(state, &new)))
    }
}

fn state_of(stored: Option<&StoredTrigger>) -> TriggerState {
    stored.map_or(TriggerState::Pending, |stored| stored.state)
}

/// True if a trigger is still as the basis says.
fn is_so(basis: Option<&TriggerBasis>, known: &Known, stored: Option<&StoredTrigger>) -> bool {
    let Some(TriggerBasis { definition, state }) = basis else { return true };
    let now = match (known.definition(), stored.and_then(StoredTrigger::trigger)) {
        (Ok(now), _) => Some(now.clone()),
        (Err(_), kept) => kept,
    };
    now.as_ref() == Some(definition) && *state == state_of(stored)
}

/// The text of the changed file; refused if the file no longer holds the old definition.
fn replaced(
    text: &str,
    (old, new): (&Trigger, &Trigger),
    path: &str,
    team: &OrgTeam,
) -> Result<String, Localized> {
    let found =
        crate::minds::triggers::definition_of(text).and_then(|found| checked(found, team).ok());
    if found.as_ref() != Some(old) {
        return Err(localized!("{path} has changed meanwhile", "{path} 在此期间已被修改"));
    }
    text_of(new)
}

fn known(workspace: &Path, id: TriggerId, by: Option<&TeamName>) -> Result<Known, TriggerRefusal> {
    let minds = Minds::load(workspace, Lang::En);
    let org = minds.hive().org();
    if !org.is_on() {
        return Err(OrgRefusal::AreOff.into());
    }
    let Some(team) = org.team(&id.team).cloned() else {
        return Err(OrgRefusal::NotFound(id.team).into());
    };
    if let Some(own) = by.filter(|own| !org.is_child(&id.team, own)) {
        return Err(OrgRefusal::NotAChild { team: id.team, of: own.clone() }.into());
    }
    let file = match minds.hive().triggers().get(&id) {
        None => DefinitionFile::Missing,
        Some(None) => DefinitionFile::Unusable,
        Some(Some(trigger)) => DefinitionFile::Says(trigger.clone()),
    };
    Ok(Known { id, team, file })
}

/// The task that a trigger would make.
fn test_task(trigger: &Trigger, known: &Known, (random, lang): (&str, Lang)) -> NewTask {
    let team = &known.team;
    NewTask {
        member: trigger.member.clone(),
        max_steps: trigger.max_steps.unwrap_or(team.limits.max_steps),
        correlation: Some(format!("{TEST_CORRELATION}{}:{random}", known.id.name)),
        trigger: Some(TaskTrigger {
            name: known.id.name.clone(),
            tells: trigger.config.kind().is_about_messages(),
            is_test: true,
            channel: None,
            message: None,
            is_tick: trigger.config.kind() == TriggerKind::Window,
        }),
        ..team.new_task(TaskKind::Trigger, trigger.what_to_do(None, lang))
    }
}
