//! `autonomy`: what members decide alone, and a level for all of them, a team or a member.

use std::path::Path;

use serde_json::{Value, json};

use crate::consent::Trust;
use crate::domain::asking::autonomy::{AutonomyLevel, AutonomyScope, DecisionKind, DecisionPolicy};
use crate::domain::teams::org::MAIN;
use crate::domain::{AgentId, Lang, TeamName};
use crate::driver::Consent as _;
use crate::minds::{HIVE_FILE, Minds};
use crate::protocol::Command;
use crate::protocol::wire::Audience;
use crate::remote::Leaving;

use crate::cli::args::AutonomyArgs;
use crate::cli::exit::{CommandError, Status};
use crate::cli::output;
use crate::cli::running::other_driver::{self, TICKET};

pub async fn autonomy(workspace: &Path, wanted: AutonomyArgs) -> Result<Status, CommandError> {
    let minds = Minds::load(workspace, Lang::En);
    if let Some(level) = wanted.level {
        let scope = scope_of(&wanted, &minds)?;
        choose(workspace, &scope, level).await?;
    }
    show(workspace, wanted.json);
    Ok(Status::Done)
}

fn scope_of(wanted: &AutonomyArgs, minds: &Minds) -> Result<AutonomyScope, CommandError> {
    if let Some(team) = &wanted.team {
        let org = minds.hive().org();
        if team != MAIN && org.team(&TeamName::new(team)).is_none() {
            let others = org.teams().map(|team| team.name.as_str()).filter(|name| *name != MAIN);
            let known: Vec<&str> = [MAIN].into_iter().chain(others).collect();
            return Err(CommandError::usage(format!(
                "there is no team {team}; the teams are {}",
                known.join(", ")
            )));
        }
        return Ok(AutonomyScope::Team(team.clone()));
    }
    let Some(member) = &wanted.member else { return Ok(AutonomyScope::Workspace) };
    let id = AgentId::new(member.trim_start_matches('@'));
    if minds.member(&id).is_none() {
        return Err(CommandError::usage(format!("@{id} is not in .minds/team.yaml")));
    }
    Ok(AutonomyScope::Member(id))
}

/// A driver that runs reports it to its screens.
async fn choose(
    workspace: &Path,
    scope: &AutonomyScope,
    level: AutonomyLevel,
) -> Result<(), CommandError> {
    let hello = other_driver::hello(Audience::Script);
    match other_driver::find(workspace, hello, Leaving::DriverStays).await? {
        Some(driver) => {
            let scope = scope.clone();
            let command = Command::SetAutonomy { ticket: TICKET, scope, level };
            other_driver::ask(driver, command).await.map(drop)
        }
        None => Trust::recorded(workspace)
            .choose_autonomy(scope, level)
            .map_err(|error| CommandError::refused(error.to_string())),
    }
}

/// Prints one line for each member; rules without consent are left out, as they are for the members.
fn show(workspace: &Path, as_json: bool) {
    let minds = Minds::load(workspace, Lang::En);
    let held = Trust::recorded(workspace).unagreed_autonomy(&minds);
    let minds = minds.without_autonomy(held.clone());
    let hive = minds.hive();
    let rule = hive.autonomy.rule(&AutonomyScope::Workspace);
    let level = rule.and_then(|rule| rule.level).map(AutonomyLevel::name);
    let held: Vec<String> = held.iter().map(ToString::to_string).collect();
    let members = minds.team().visible().map(|member| &member.id);
    if as_json {
        let policies = |id: &AgentId| -> Value {
            let held = hive.autonomy_of(id);
            let policy = |kind| held.policy(kind).map(DecisionPolicy::name);
            DecisionKind::ALL.into_iter().map(|kind| (kind.name(), policy(kind))).collect()
        };
        let members: Value = members.map(|id| (id.to_string(), policies(id))).collect();
        output::json(&json!({ "level": level, "members": members, "unagreed": held }));
        return;
    }
    output::print(&format!("level: {}", level.unwrap_or("none")));
    for id in members {
        let held = hive.autonomy_of(id);
        let policies =
            held.all().map(|(kind, policy)| format!("{} {}", kind.name(), policy.name()));
        let policies = policies.collect::<Vec<_>>().join(", ");
        let policies = if policies.is_empty() { "nothing configured".to_owned() } else { policies };
        output::print(&format!("@{id}: {policies}"));
    }
    for scope in held {
        output::print(&format!(
            "{scope}: nobody has agreed to what {HIVE_FILE} leaves to members; see `dominds-tui trust`"
        ));
    }
}
