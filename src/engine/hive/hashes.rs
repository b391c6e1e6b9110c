//! Hashes that tell whether two boxes use the same file of a team.

use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::domain::TeamName;
use crate::domain::text::hex;
use crate::guard;
use crate::minds::{CONFIG_LIMIT_BYTES, team_file};

/// The teams, each with the hash of its file. The main team is not described by one file.
pub(super) fn hashes<'a>(
    workspace: &Path,
    teams: impl Iterator<Item = &'a TeamName>,
) -> Vec<(TeamName, String)> {
    let hash = |team: &TeamName| {
        let file = guard::read_text(workspace, &team_file(team), CONFIG_LIMIT_BYTES);
        let file = file.unwrap_or_default();
        (team.clone(), hex::hex(&Sha256::digest(file)))
    };
    teams.map(hash).collect()
}
