//! The team that a person names.

use crate::cli::exit::CommandError;
use crate::domain::TeamName;
use crate::domain::teams::org::{Org, OrgTeam};

/// The team with this name.
pub fn team_named<'a>(org: &'a Org, name: &str) -> Result<&'a OrgTeam, CommandError> {
    org.team(&TeamName::new(name)).ok_or_else(|| {
        let known: Vec<&str> = org.teams().map(|team| team.name.as_str()).collect();
        CommandError::usage(format!("Team '{name}' not found; the teams are {}", known.join(", ")))
    })
}
