//! Line numbers in `team.yaml`, for problems that are found after it was read.

use super::report::with_line;
use super::{Minds, report, team};
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{AccessLists, AgentId, Problem};

impl Minds {
    /// Adds the line where the member, or else `member_defaults`, sets `key`.
    pub(super) fn at_member(&self, member: &AgentId, key: &str, problem: Problem) -> Problem {
        with_line(
            problem,
            self.member_line(member, key).or_else(|| self.line(&["member_defaults", key])),
        )
    }

    fn member_line(&self, member: &AgentId, key: &str) -> Option<usize> {
        self.line(&["members", member.as_str(), key])
    }

    fn line(&self, keys: &[&str]) -> Option<usize> {
        self.team_lines.as_ref()?.of_key(keys)
    }

    /// Entries of access lists that match nothing. `faults` returns sentences that begin with the name
    /// of the list. A problem of an inherited list is reported once.
    #[must_use]
    pub fn access_problems(&self, faults: impl Fn(&AccessLists) -> Vec<Localized>) -> Vec<Problem> {
        let mut problems = Vec::new();
        for member in &self.team.members {
            for sentence in faults(&member.access) {
                let problem = self.access_problem(&member.id, &sentence);
                if !problems.contains(&problem) {
                    problems.push(problem);
                }
            }
        }
        problems
    }

    fn access_problem(&self, member: &AgentId, sentence: &Localized) -> Problem {
        let english = sentence.to_string();
        let list = english.split(':').next().unwrap_or_default();
        let own = self.member_line(member, list);
        let owner = if own.is_some() { member.as_str() } else { "member_defaults" };
        let problem = Problem::new(
            format!("team/access/{owner}/{}", report::clip(&english)),
            team::PATH,
            localized!(
                [sentence] "`{owner}`: {sentence}; the entry matches nothing",
                "`{owner}`：{sentence}；该项匹配不到任何内容"
            ),
            Text::new(
                "name a folder below the workspace, if need be with `*` and `**`, such as `src/**`",
                "请写工作区内的文件夹，必要时用 `*` 和 `**`，如 `src/**`",
            ),
        );
        with_line(problem, own.or_else(|| self.line(&["member_defaults", list])))
    }
}
