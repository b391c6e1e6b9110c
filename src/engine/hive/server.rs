//! Where a store is that several boxes share. It is set in the user's own configuration, never in a workspace.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::store::check_url;
use crate::domain::TeamName;
use crate::domain::text::{Localized, Text};

/// Time from the end of its lease until an engine is given up, unless the user sets another one.
pub const TAKEOVER: Duration = Duration::from_mins(2);
/// Duration of a lease: for this long after an engine was last heard of, its work is its own.
pub const LEASE: Duration = Duration::from_secs(30);
/// Most characters of the name of an organisation, and of a box.
const MAX_NAME: usize = 64;

/// A store on a server.
#[derive(Clone, PartialEq, Eq)]
pub struct Server {
    /// With the credentials that the server asks for; never shown.
    pub url: String,
    /// The organisation whose rows are used.
    pub org: String,
    /// This box, as others see it.
    pub box_name: String,
    /// The workspaces that use it, as they really are.
    pub workspaces: Vec<PathBuf>,
    pub teams: HostedTeams,
    /// Time from the end of its lease until an engine is given up.
    pub takeover: Duration,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url: _, org, box_name, workspaces, teams, takeover } = self;
        let mut shown = f.debug_struct("Server");
        shown.field("org", org).field("box_name", box_name).field("workspaces", workspaces);
        shown.field("teams", teams).field("takeover", takeover).finish_non_exhaustive()
    }
}

/// The teams whose tasks may be started on a box.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum HostedTeams {
    #[default]
    All,
    These(BTreeSet<TeamName>),
}

impl HostedTeams {
    #[must_use]
    pub fn has(&self, team: &TeamName) -> bool {
        match self {
            Self::All => true,
            Self::These(teams) => teams.contains(team),
        }
    }
}

/// The name of an organisation, or of a box.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(fits)
}

/// Checks the address of a server.
///
/// # Errors
/// What is wrong with it; the message contains no part of it.
pub fn checked_url(url: &str) -> Result<(), Localized> {
    if url.trim().is_empty() {
        return Err(Text::new("the address of the store is empty", "存储的地址为空").into());
    }
    check_url(url)
}

/// Which store a workspace has.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum StoreChoice {
    /// One of its own, in `.hive`.
    #[default]
    Own,
    Server(Box<Server>),
    /// One on a server whose settings cannot be used, and why. Another one is not used instead.
    Unusable(Localized),
}

/// A program that works in a shared store, or did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineRow {
    pub seat: String,
    /// The machine, as its user calls it.
    pub box_name: String,
    pub workspace: String,
    pub lease_until: SystemTime,
    /// It holds its lease.
    pub is_alive: bool,
    /// The teams that it works for.
    pub teams: Vec<TeamName>,
}

/// Which program this is, in a store that is shared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    /// Drawn at each start.
    pub id: String,
    pub workspace: String,
}
