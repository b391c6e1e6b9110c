//! The names no tool for files may pass: one list for everybody who judges a path. Pure.
//!
//! A reserved name is reserved whether or not it exists, in any letter case, and in the spellings that
//! some disks treat as the same name.

use crate::domain::text::hidden_chars::{HiddenClass, class_of, is_hidden};

/// What a name is reserved for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reserved {
    /// The team's configuration.
    Minds,
    /// The dialogs, and the state of this program beside them.
    Dialogs,
    /// The state of teams at run time.
    Hive,
    /// A Taskdoc, which has tools of its own.
    Taskdoc,
    /// What belongs to git: it runs programs that its files name. Reserved for writing only.
    Git,
}

/// Names at the top of a workspace; the same name further down is not reserved.
pub const AT_TOP: [(&str, Reserved); 3] =
    [(".minds", Reserved::Minds), (".dialogs", Reserved::Dialogs), (".hive", Reserved::Hive)];

/// The name of a repository, at any depth: one in a folder below is a repository, too.
pub const GIT: &str = ".git";

/// The ending of a Taskdoc, at any depth.
pub const TASKDOC_ENDING: &str = ".tsk";

/// Prefix of a file name while a tool writes or removes the file.
pub const BEING_WRITTEN: &str = ".dominds-write-";

impl Reserved {
    /// False if only writing is closed.
    #[must_use]
    pub fn is_closed_to_readers(self) -> bool {
        self != Self::Git
    }
}

/// What a name is reserved for, seen from `depth` names below the workspace. A backslash parts names
/// on some systems, so one name may be several.
pub fn of_name(depth: usize, name: &str) -> impl Iterator<Item = Reserved> {
    name.split('\\').enumerate().filter_map(move |(index, part)| of_part(depth + index, part))
}

/// What the names of a path are reserved for, from the workspace down; `/` parts them.
pub fn of_path(path: &str) -> impl Iterator<Item = Reserved> {
    let parts = path.split(['/', '\\']).filter(|part| !matches!(*part, "" | "."));
    parts.enumerate().filter_map(|(depth, part)| of_part(depth, part))
}

fn of_part(depth: usize, part: &str) -> Option<Reserved> {
    let folded = fold(part);
    let at_top = AT_TOP.iter().filter(|_| depth == 0).find(|(name, _)| *name == folded);
    match at_top {
        Some(&(_, what)) => Some(what),
        None if folded == GIT => Some(Reserved::Git),
        None => folded.ends_with(TASKDOC_ENDING).then_some(Reserved::Taskdoc),
    }
}

/// A spelling shared by all names that some disk could take for the same one: one letter case,
/// no invisible characters, no trailing dots and spaces, no stream suffix, plain ASCII forms.
#[must_use]
pub fn fold(name: &str) -> String {
    let visible: String = name
        .chars()
        .filter(|&char| is_compared(char))
        .map(ascii_form)
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .collect();
    let unstreamed = visible.find(':').and_then(|at| visible.get(..at)).unwrap_or(&visible);
    let trimmed = unstreamed.trim_end_matches(['.', ' ']).trim_start_matches(' ');
    trimmed.to_owned()
}

/// False for what some disk leaves out when it compares names.
fn is_compared(char: char) -> bool {
    !is_hidden(char) && class_of(char) != Some(HiddenClass::Selector)
}

fn ascii_form(char: char) -> char {
    match char {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(char) - 0xff01 + 0x21).unwrap_or(char),
        '\u{2024}' | '\u{fe52}' | '\u{3002}' | '\u{ff61}' => '.',
        other if other.is_whitespace() => ' ',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_some_disk_takes_for_the_same_fold_to_the_same() {
        for name in
            [".minds", ".MINDS", ".minds.", ".minds  ", ".mi\u{feff}nds", ".minds:x", ".MıNDS"]
        {
            assert_eq!(fold(name), ".minds", "{name:?}");
        }
        for name in ["minds", "..minds", ".minds-old", "a.minds", ".mìnds"] {
            assert_ne!(fold(name), ".minds", "{name:?}");
        }
    }

    #[test]
    fn every_reserved_name_is_known_in_every_spelling_and_at_its_depth() {
        use Reserved::{Dialogs, Git, Hive, Minds, Taskdoc};
        for (path, expected) in [
            (".minds/team.yaml", vec![Minds]),
            ("./.MINDS./x", vec![Minds]),
            ("sub/.minds/x", vec![]),
            (".dialogs", vec![Dialogs]),
            (".Dialogs \\run", vec![Dialogs]),
            ("sub/.dialogs", vec![]),
            (".hive/queue", vec![Hive]),
            (".HI\u{200b}VE", vec![Hive]),
            ("sub/.hive", vec![]),
            (".hives", vec![]),
            (".git/config", vec![Git]),
            ("a/b/.GIT./hooks", vec![Git]),
            ("a\\.git\\x", vec![Git]),
            ("．git/x", vec![Git]),
            (".gitignore", vec![]),
            (".github/x", vec![]),
            ("x.git", vec![]),
            ("a.tsk", vec![Taskdoc]),
            ("sub/A.TSK /goals.md", vec![Taskdoc]),
            ("a.tsk::$DATA", vec![Taskdoc]),
            ("a.tskx", vec![]),
            ("tsk", vec![]),
            (".git/a.tsk", vec![Git, Taskdoc]),
            (".minds/.git/a.tsk", vec![Minds, Git, Taskdoc]),
            ("", vec![]),
        ] {
            assert_eq!(of_path(path).collect::<Vec<_>>(), expected, "{path:?}");
        }
        assert_eq!(of_name(0, ".git\\.minds").collect::<Vec<_>>(), [Git]);
        assert_eq!(of_name(3, ".minds").next(), None);
        assert!(!Git.is_closed_to_readers() && Hive.is_closed_to_readers());
    }
}
