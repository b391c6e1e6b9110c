//! Memories: texts below `.minds/memory/` that are put into every context, the team's for everybody,
//! a member's own for that member. Read with the rest of `.minds`; what cannot be used is a problem
//! and is named to the member, so that it can fix it with its tools.

mod read;
mod render;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::Path;
use std::time::SystemTime;

use crate::domain::memory::{FILE_LIMIT_BYTES, MemoryOwner, TOTAL_LIMIT_BYTES};
use crate::domain::{AgentId, Problem, Team};

/// One memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// Below the keeper's folder.
    pub path: String,
    pub text: String,
    pub bytes: usize,
    /// When its file was changed; `None` where the system does not tell.
    pub modified: Option<SystemTime>,
}

/// What one keeper has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OwnerMemories {
    /// In the order of their paths.
    pub memories: Vec<Memory>,
    /// Files that are there but not in the context.
    pub unusable: Vec<UnusableMemory>,
}

/// A file that cannot be put into contexts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnusableMemory {
    pub path: String,
    pub reason: UnusableReason,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum UnusableReason {
    /// Larger than one memory may be.
    TooLarge,
    /// Those before it took all the room.
    OverBudget,
    /// Neither a file nor a folder, or a link.
    NotAFile,
    /// The reason, for a person.
    Unreadable(String),
    /// More entries than are looked at.
    TooManyEntries,
}

/// The memories of a workspace.
#[derive(Debug, Clone, Default)]
pub(super) struct Memories {
    team: OwnerMemories,
    own: HashMap<AgentId, OwnerMemories>,
}

impl Memories {
    pub(super) fn load(workspace: &Path, team: &Team, problems: &mut Vec<Problem>) -> Self {
        let mut read = |keeper: MemoryOwner, member: &AgentId| {
            let folder = keeper.folder(member);
            let shelf = read::read_folder(workspace, &folder);
            problems.extend(shelf.unusable.iter().map(|found| found.problem(&folder)));
            shelf
        };
        let nobody = AgentId::new("");
        let shared = read(MemoryOwner::Team, &nobody);
        let own = team.members.iter().map(|member| {
            let shelf = read(MemoryOwner::Member, &member.id);
            (member.id.clone(), shelf)
        });
        Self { own: own.collect(), team: shared }
    }

    /// The team's, then the member's own.
    pub(super) fn of(
        &self,
        member: &AgentId,
    ) -> impl Iterator<Item = (MemoryOwner, &OwnerMemories)> {
        let own = self.own.get(member).map(|shelf| (MemoryOwner::Member, shelf));
        std::iter::once((MemoryOwner::Team, &self.team)).chain(own)
    }
}

impl UnusableMemory {
    fn problem(&self, folder: &str) -> Problem {
        let path = format!("{folder}/{}", self.path);
        let path = path.trim_end_matches('/');
        let (text, fix) = match &self.reason {
            UnusableReason::TooLarge => (
                format!("the file is larger than {} KiB", FILE_LIMIT_BYTES / 1024),
                "shorten it, or part it into several",
            ),
            UnusableReason::OverBudget => (
                format!("this folder holds more than {} KiB", TOTAL_LIMIT_BYTES / 1024),
                "shorten or drop memories in this folder",
            ),
            UnusableReason::NotAFile => {
                ("it is a link or a special file".to_owned(), "put a file there")
            }
            UnusableReason::Unreadable(reason) => {
                (reason.clone(), "make it a readable text file, or remove it")
            }
            UnusableReason::TooManyEntries => (
                "there are more files or folders than are looked at".to_owned(),
                "keep fewer and larger files",
            ),
        };
        let text = format!("not in the context of anybody: {text}");
        Problem::new(format!("memory/unusable/{path}"), path, text, fix)
    }
}

pub(super) use render::{RenderOptions, messages};
