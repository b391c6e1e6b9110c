//! What git says of a workspace: the branch, and the files that are not committed. Its output is read here; nothing is
//! run.

use serde::{Deserialize, Serialize};

use crate::domain::safety::reserved::{self, Reserved};

/// Most files that are listed.
const MAX_FILES: usize = 500;
/// The text in place of a branch where none is checked out.
const NO_BRANCH: &str = "HEAD (no branch)";

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitState {
    /// Empty where no branch is checked out.
    pub branch: String,
    /// The files that are not committed; of too many, the first ones.
    pub files: Vec<UncommittedFile>,
    /// How many more were counted.
    pub left_out: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UncommittedFile {
    /// In the letters of git: `M` changed, `A` added, `D` deleted, `R` renamed, `??` unknown to it.
    pub state: String,
    pub path: String,
}

impl GitState {
    /// Reads the output of `git status --porcelain=v1 --branch -z`; `None` if it is something else. An output that was
    /// cut is read as far as it goes. What is reserved is left out: git does not see it and takes it for deleted.
    #[must_use]
    pub fn of_status(output: &str) -> Option<Self> {
        let (whole, _) = output.rsplit_once('\0')?;
        let mut fields = whole.split('\0');
        let branch = branch_of(fields.next()?.strip_prefix("## ")?).to_owned();
        let mut state = Self { branch, ..Self::default() };
        while let Some(field) = fields.next() {
            let (Some(mark), Some(path)) = (field.get(..2), field.get(3..)) else { continue };
            if mark.contains(['R', 'C']) {
                // The name it had before.
                fields.next();
            }
            if reserved::of_path(path).any(Reserved::is_closed_to_readers) {
                continue;
            }
            if state.files.len() == MAX_FILES {
                state.left_out += 1;
                continue;
            }
            let (mark, path) = (mark.trim().to_owned(), path.to_owned());
            state.files.push(UncommittedFile { state: mark, path });
        }
        Some(state)
    }

    /// How many files are not committed, also those that are not listed.
    #[must_use]
    pub fn uncommitted(&self) -> usize {
        self.files.len().saturating_add(self.left_out)
    }
}

/// `main` of `main...origin/main [ahead 1]`.
fn branch_of(heading: &str) -> &str {
    let heading = heading.strip_prefix("No commits yet on ").unwrap_or(heading);
    let branch = heading.split_once("...").map_or(heading, |(branch, _)| branch);
    if branch == NO_BRANCH { "" } else { branch }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(state: &GitState) -> Vec<(&str, &str)> {
        state.files.iter().map(|file| (file.state.as_str(), file.path.as_str())).collect()
    }

    #[test]
    fn the_branch_and_the_files_that_are_not_committed_are_read() {
        let output = "## main...origin/main [ahead 1]\0 M src/a b.rs\0R  new.rs\0old.rs\0?? 说明.md\0 D .minds/team.yaml\0\
                      ?? a.tsk/goals.md\0 M .git\0";
        let state = GitState::of_status(output).unwrap();
        assert_eq!(state.branch, "main");
        let expected = [("M", "src/a b.rs"), ("R", "new.rs"), ("??", "说明.md"), ("M", ".git")];
        assert_eq!(files(&state), expected);
        assert_eq!(state.uncommitted(), 4);
    }

    #[test]
    fn a_branch_is_named_with_and_without_commits_and_empty_where_there_is_none() {
        for (heading, branch) in [
            ("## topic/x", "topic/x"),
            ("## No commits yet on main", "main"),
            ("## HEAD (no branch)", ""),
        ] {
            let state = GitState::of_status(&format!("{heading}\0"));
            assert_eq!(state, Some(GitState { branch: branch.to_owned(), ..GitState::default() }));
        }
    }

    #[test]
    fn another_text_is_no_state_and_one_that_was_cut_is_read_as_far_as_it_goes() {
        for text in ["", "fatal: not a git repository\n", "M a\0", "## main"] {
            assert_eq!(GitState::of_status(text), None, "{text:?}");
        }
        let state = GitState::of_status("## main\0 M a\0é\0 M half").unwrap();
        assert_eq!(files(&state), [("M", "a")]);
        let more = |all: String, n| format!("{all}?? {n}\0");
        let many = (0..MAX_FILES + 7).fold("## main\0".to_owned(), more);
        let state = GitState::of_status(&many).unwrap();
        assert_eq!((state.files.len(), state.left_out), (MAX_FILES, 7));
    }
}
