//! Memories: texts below `.minds/memory/` that are part of every context, those of the team for all
//! members, a member's own for that member. An unusable file is a problem and is also listed in the
//! member's context, so that the member can fix it with its tools.

mod folder;
mod render;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::Path;
use std::time::SystemTime;

use crate::domain::dialogs::memory::{FILE_LIMIT_BYTES, MemoryOwner, TOTAL_LIMIT_BYTES};
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{AgentId, Problem, Team};

/// One memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// Relative to the owner's folder.
    pub path: String,
    pub text: String,
    pub bytes: usize,
    /// Modification time of the file; `None` if unknown.
    pub modified: Option<SystemTime>,
}

/// The memories of one owner.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OwnerMemories {
    /// Sorted by path.
    pub memories: Vec<Memory>,
    /// Files that exist but are not in the context.
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
    /// Over the limit of one memory.
    TooLarge,
    /// The memories before it used up the budget of the folder.
    OverBudget,
    /// A link or a special file.
    NotAFile,
    /// The error text.
    Unreadable(Localized),
    /// Over the limit of entries or depth.
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
        let mut read = |owner: MemoryOwner, member: &AgentId| {
            let folder = owner.folder(member);
            let shelf = folder::read_folder(workspace, &folder);
            problems.extend(shelf.unusable.iter().map(|found| found.problem(&folder)));
            shelf
        };
        let no_member = AgentId::new("");
        let shared = read(MemoryOwner::Team, &no_member);
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
        let (text, fix): (Localized, Text) = match &self.reason {
            UnusableReason::TooLarge => {
                let kib = FILE_LIMIT_BYTES / 1024;
                (
                    localized!("the file is larger than {kib} KiB", "文件超过 {kib} KiB"),
                    Text::new("shorten it, or split it into several", "请缩短它，或拆成几个文件"),
                )
            }
            UnusableReason::OverBudget => {
                let kib = TOTAL_LIMIT_BYTES / 1024;
                (
                    localized!(
                        "this folder holds more than {kib} KiB",
                        "此文件夹的内容超过 {kib} KiB"
                    ),
                    Text::new(
                        "shorten or remove memories in this folder",
                        "请缩短或移除此文件夹中的记忆",
                    ),
                )
            }
            UnusableReason::NotAFile => (
                Text::new("it is a link or a special file", "它是链接或特殊文件").into(),
                Text::new("put a file there", "请在那里放一个文件"),
            ),
            UnusableReason::Unreadable(reason) => (
                reason.clone(),
                Text::new(
                    "make it a readable text file, or remove it",
                    "请把它改成可读的文本文件，或将其移除",
                ),
            ),
            UnusableReason::TooManyEntries => (
                Text::new(
                    "there are too many files or folders; some are not read",
                    "文件或文件夹太多；有些没有读取",
                )
                .into(),
                Text::new("keep fewer and larger files", "请减少文件数，合并成较大的文件"),
            ),
        };
        let text = localized!([text] "not in any context: {text}", "不在任何上下文中：{text}");
        Problem::new(format!("memory/unusable/{path}"), path, text, fix)
    }
}

pub(super) use render::{RenderOptions, messages};
