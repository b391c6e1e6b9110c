//! A member's own access lists: which directories and file kinds it may read and write. Pure.
//!
//! The order is fixed: denied directories, allowed directories (when there are any), denied
//! endings, allowed endings (when there are any). An allow list whose entries are all invalid
//! allows nothing. Deny lists ignore letter case, because on some disks `Secrets` is `secrets`.

mod pattern;

use crate::domain::AccessLists;
use crate::domain::text::{Localized, localized};
use pattern::DirPattern;

/// The lists, ready to be asked. The default allows everything.
#[derive(Debug, Clone, Default)]
pub struct Access {
    read: AccessRules,
    write: AccessRules,
    problems: Vec<Localized>,
    /// Lists of others that hold as well.
    combined: Vec<Access>,
}

/// What a tool wants to do with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessOp {
    Read,
    Write,
}

/// What the path stands for; endings only matter for files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathTarget {
    File,
    Directory,
}

/// The list that decided against a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListRule {
    /// Its name in the team file.
    pub list: &'static str,
    pub entries: Vec<String>,
}

#[derive(Debug, Clone, Default)]
struct AccessRules {
    deny_dirs: DirList,
    allow_dirs: DirList,
    deny_extensions: ExtensionList,
    allow_extensions: ExtensionList,
}

#[derive(Debug, Clone, Default)]
struct DirList {
    name: &'static str,
    entries: Vec<String>,
    patterns: Vec<DirPattern>,
}

#[derive(Debug, Clone, Default)]
struct ExtensionList {
    name: &'static str,
    entries: Vec<String>,
    /// Lower case, with the dot.
    extensions: Vec<String>,
}

impl Access {
    /// Prepares the lists. Entries that cannot be used are in [`Access::problems`].
    #[must_use]
    pub fn new(lists: &AccessLists) -> Self {
        let mut problems = Vec::new();
        let mut dirs = |name, entries: &[String]| DirList::new(name, entries, &mut problems);
        let read_dirs =
            (dirs("no_read_dirs", &lists.no_read_dirs), dirs("read_dirs", &lists.read_dirs));
        let write_dirs =
            (dirs("no_write_dirs", &lists.no_write_dirs), dirs("write_dirs", &lists.write_dirs));
        let ends = ExtensionList::new;
        Self {
            read: AccessRules {
                deny_dirs: read_dirs.0,
                allow_dirs: read_dirs.1,
                deny_extensions: ends("no_read_file_ext_names", &lists.no_read_file_ext_names),
                allow_extensions: ends("read_file_ext_names", &lists.read_file_ext_names),
            },
            write: AccessRules {
                deny_dirs: write_dirs.0,
                allow_dirs: write_dirs.1,
                deny_extensions: ends("no_write_file_ext_names", &lists.no_write_file_ext_names),
                allow_extensions: ends("write_file_ext_names", &lists.write_file_ext_names),
            },
            problems,
            combined: Vec::new(),
        }
    }

    /// Restricts the access to what both allow.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.combined.push(other);
        self
    }

    /// Entries that match nothing because they are not patterns, one sentence each.
    #[must_use]
    pub fn problems(&self) -> &[Localized] {
        &self.problems
    }

    /// True if no list restricts what may be read.
    #[must_use]
    pub fn reads_all(&self) -> bool {
        let AccessRules { deny_dirs, allow_dirs, deny_extensions, allow_extensions } = &self.read;
        let dirs = deny_dirs.entries.is_empty() && allow_dirs.entries.is_empty();
        let extensions = deny_extensions.entries.is_empty() && allow_extensions.entries.is_empty();
        dirs && extensions && self.combined.iter().all(Self::reads_all)
    }

    /// Decides about a path given by its names below the workspace.
    ///
    /// # Errors
    /// The list that is against it.
    pub fn check(
        &self,
        op: AccessOp,
        names: &[String],
        target: PathTarget,
    ) -> Result<(), ListRule> {
        let side = match op {
            AccessOp::Read => &self.read,
            AccessOp::Write => &self.write,
        };
        let folded: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
        let file = match target {
            PathTarget::File => folded.last(),
            PathTarget::Directory => None,
        };
        if side.deny_dirs.matches(&folded) {
            return Err(side.deny_dirs.rule());
        }
        if !side.allow_dirs.entries.is_empty() && !side.allow_dirs.matches(names) {
            return Err(side.allow_dirs.rule());
        }
        let Some(file) = file else { return self.check_others(op, names, target) };
        if side.deny_extensions.matches(file) {
            return Err(side.deny_extensions.rule());
        }
        if !side.allow_extensions.entries.is_empty() && !side.allow_extensions.matches(file) {
            return Err(side.allow_extensions.rule());
        }
        self.check_others(op, names, target)
    }

    fn check_others(
        &self,
        op: AccessOp,
        names: &[String],
        target: PathTarget,
    ) -> Result<(), ListRule> {
        self.combined.iter().try_for_each(|other| other.check(op, names, target))
    }
}

impl DirList {
    fn new(name: &'static str, entries: &[String], problems: &mut Vec<Localized>) -> Self {
        let fold = name.starts_with("no_");
        let mut patterns = Vec::new();
        for entry in entries {
            let text = if fold { entry.to_lowercase() } else { entry.clone() };
            match DirPattern::parse(&text) {
                Ok(pattern) => patterns.push(pattern),
                Err(reason) => problems.push(localized!(
                    [reason] "{name}: `{entry}`: {reason}",
                    "{name}：`{entry}`：{reason}"
                )),
            }
        }
        Self { name, entries: entries.to_vec(), patterns }
    }

    fn matches(&self, names: &[String]) -> bool {
        self.patterns.iter().any(|pattern| pattern.covers(names))
    }

    fn rule(&self) -> ListRule {
        ListRule { list: self.name, entries: self.entries.clone() }
    }
}

impl ExtensionList {
    fn new(name: &'static str, entries: &[String]) -> Self {
        let endings = entries
            .iter()
            .map(|entry| entry.trim().trim_start_matches('.').to_lowercase())
            .filter(|ending| !ending.is_empty())
            .map(|ending| format!(".{ending}"))
            .collect();
        Self { name, entries: entries.to_vec(), extensions: endings }
    }

    fn matches(&self, folded_file: &str) -> bool {
        self.extensions.iter().any(|ending| folded_file.ends_with(ending))
    }

    fn rule(&self) -> ListRule {
        ListRule { list: self.name, entries: self.entries.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str) -> Vec<String> {
        path.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn the_first_list_that_decides_wins() {
        let access = Access::new(&AccessLists {
            read_dirs: texts(&["src", "docs/**"]),
            no_read_dirs: texts(&["src/secret", "**/*private*"]),
            no_read_file_ext_names: texts(&["key", ".pem", "env"]),
            read_file_ext_names: texts(&["rs", "MD", "tar.gz", "key"]),
            ..AccessLists::default()
        });
        for (path, target, against) in [
            ("src/main.rs", PathTarget::File, None),
            ("src", PathTarget::Directory, None),
            ("docs", PathTarget::Directory, None),
            ("docs/a/b.md", PathTarget::File, None),
            ("docs/a/B.Md", PathTarget::File, None),
            ("src/a.tar.gz", PathTarget::File, None),
            ("src/secret/main.rs", PathTarget::File, Some("no_read_dirs")),
            ("src/SECRET/main.rs", PathTarget::File, Some("no_read_dirs")),
            ("src/my-private-things/a.rs", PathTarget::File, Some("no_read_dirs")),
            ("src/x/aprivate.rs", PathTarget::File, Some("no_read_dirs")),
            ("", PathTarget::Directory, Some("read_dirs")),
            ("srcs/main.rs", PathTarget::File, Some("read_dirs")),
            ("SRC/main.rs", PathTarget::File, Some("read_dirs")),
            ("other", PathTarget::Directory, Some("read_dirs")),
            ("src/a.key", PathTarget::File, Some("no_read_file_ext_names")),
            ("src/a.PEM", PathTarget::File, Some("no_read_file_ext_names")),
            ("src/.env", PathTarget::File, Some("no_read_file_ext_names")),
            ("src/a.toml", PathTarget::File, Some("read_file_ext_names")),
            ("src/rs", PathTarget::File, Some("read_file_ext_names")),
            ("src/rs", PathTarget::Directory, None),
        ] {
            let found =
                access.check(AccessOp::Read, &names(path), target).err().map(|rule| rule.list);
            assert_eq!(found, against, "{path}");
        }
    }

    #[test]
    fn reading_and_writing_are_separate_rights() {
        let access = Access::new(&AccessLists {
            write_dirs: texts(&["out"]),
            no_read_dirs: texts(&["out"]),
            ..AccessLists::default()
        });
        for (op, path, allowed) in [
            (AccessOp::Write, "out/a", true),
            (AccessOp::Write, "in/a", false),
            (AccessOp::Read, "out/a", false),
            (AccessOp::Read, "in/a", true),
        ] {
            assert_eq!(access.check(op, &names(path), PathTarget::File).is_ok(), allowed, "{path}");
        }
    }

    #[test]
    fn entries_that_are_no_patterns_are_problems_and_match_nothing() {
        let lists = AccessLists {
            read_dirs: texts(&["../up", "/etc"]),
            no_write_dirs: texts(&["", "a/../b"]),
            ..AccessLists::default()
        };
        let access = Access::new(&lists);
        assert_eq!(access.problems().len(), 4, "{:?}", access.problems());
        assert!(access.check(AccessOp::Read, &names("src/a"), PathTarget::File).is_err());
        assert!(access.check(AccessOp::Write, &names("b"), PathTarget::File).is_ok());
    }

    #[test]
    fn what_two_allow_is_what_each_of_them_allows() {
        let lists = |dirs: &[&str], no: &[&str]| AccessLists {
            read_dirs: texts(dirs),
            no_read_dirs: texts(no),
            ..AccessLists::default()
        };
        let one = Access::new(&lists(&[], &[".minds/**"]));
        let both = one.and(Access::new(&lists(&["src"], &["src/secret"])));
        for (path, target, allowed) in [
            ("src/a", PathTarget::File, true),
            ("src", PathTarget::Directory, true),
            ("src/secret/a", PathTarget::File, false),
            ("docs", PathTarget::Directory, false),
            (".minds/a", PathTarget::File, false),
        ] {
            assert_eq!(both.check(AccessOp::Read, &names(path), target).is_ok(), allowed, "{path}");
        }
        assert!(both.check(AccessOp::Write, &names("docs/a"), PathTarget::File).is_ok());
    }

    #[test]
    fn no_lists_means_no_limits() {
        for path in ["", "a", "a/b/c.rs"] {
            assert!(
                Access::default().check(AccessOp::Write, &names(path), PathTarget::File).is_ok()
            );
        }
    }
}
