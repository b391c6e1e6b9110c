//! Where a member's keys stand in `team.yaml`, for problems that are found after it was read.

use super::report::with_line;
use super::{Minds, lines, report, team};
use crate::domain::{AccessLists, AgentId, Problem};

impl Minds {
    /// The problem with the line where the member, or else the defaults, set `key`.
    pub(super) fn at_member(&self, member: &AgentId, key: &str, problem: Problem) -> Problem {
        with_line(
            problem,
            self.own_line(member, key).or_else(|| self.line(&["member_defaults", key])),
        )
    }

    fn own_line(&self, member: &AgentId, key: &str) -> Option<usize> {
        self.line(&["members", member.as_str(), key])
    }

    /// The line that the keys lead to, if it holds the last of them.
    fn line(&self, keys: &[&str]) -> Option<usize> {
        let text = self.team_text.as_deref().unwrap_or_default();
        let line = lines::line_of(text, keys)?;
        let holds_it = text.lines().nth(line - 1)?.contains(keys.last()?);
        holds_it.then_some(line)
    }

    /// Entries of access lists that match nothing. What is wrong with the lists of a member are
    /// sentences that begin with the name of the list. Where a list is inherited, the problem is told
    /// once.
    #[must_use]
    pub fn access_problems(&self, faults: impl Fn(&AccessLists) -> Vec<String>) -> Vec<Problem> {
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

    fn access_problem(&self, member: &AgentId, sentence: &str) -> Problem {
        let list = sentence.split(':').next().unwrap_or_default();
        let own = self.own_line(member, list);
        let owner = if own.is_some() { member.as_str() } else { "member_defaults" };
        let problem = Problem::new(
            format!("team/access/{owner}/{}", report::clip(sentence)),
            team::PATH,
            format!("`{owner}`: {sentence}; the entry matches nothing"),
            "name a folder below the workspace, if need be with `*` and `**`, such as `src/**`",
        );
        with_line(problem, own.or_else(|| self.line(&["member_defaults", list])))
    }
}
