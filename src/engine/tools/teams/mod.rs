//! Tools for members of teams: tasks for the teams below and above, and what becomes of them. They are offered where there
//! is more than one team, or can be, and belong to no toolset.

mod call;
mod change;
mod delegate;
mod gated;
mod members;
mod query;
mod team_status;
mod triggers;
mod vault;

use std::sync::Arc;

pub(super) use vault::of_vault;
pub(crate) use vault::{VAULT_GET, vault_tools};

use super::tool::Tool;
use crate::domain::AgentId;
use crate::domain::teams::org::Org;

/// The team tools of a member. `may_spawn`: new teams can be made here.
pub(crate) fn tools(org: &Org, member: &AgentId, may_spawn: bool) -> Vec<Arc<dyn Tool>> {
    let Some(team) = org.team_of(member).filter(|_| org.is_on()) else { return Vec::new() };
    let (leads, has_others) = (team.lead.as_ref() == Some(member), org.teams().nth(1).is_some());
    let spawn = (leads && may_spawn).then(change::spawn_team);
    let of_leads = [
        change::update_team(),
        change::shutdown_team(),
        triggers::create_trigger(),
        triggers::update_trigger(),
        triggers::enable_trigger(),
        triggers::disable_trigger(),
    ];
    let of_leads = of_leads.into_iter().filter(|_| leads && has_others);
    let own_team = leads && !team.name.is_main();
    let own_team = own_team.then(|| [members::define_member(), members::save_skill()]);
    let all = of_all().into_iter().filter(|_| has_others);
    let own_team = own_team.into_iter().flatten();
    let offered = spawn.into_iter().chain(of_leads).chain(own_team).chain(all);
    offered.filter(|tool| team.allows(&tool.spec().name)).collect()
}

/// The tools of every member where there are several teams.
pub(super) fn of_all() -> [Arc<dyn Tool>; 10] {
    [
        delegate::delegate_task(),
        team_status::list_teams(),
        team_status::get_status(),
        team_status::list_completed_tasks(),
        query::query_team(),
        query::query_teams(),
        delegate::escalate(),
        delegate::enqueue_parent_task(),
        triggers::list_triggers(),
        triggers::test_trigger(),
    ]
}

/// True for a call that asks a person before it acts, if it has to.
pub(crate) fn asks_first(name: &str) -> bool {
    [&change::NAMES[..], &members::NAMES, &triggers::NAMES].concat().contains(&name)
}

#[cfg(test)]
mod tests;
