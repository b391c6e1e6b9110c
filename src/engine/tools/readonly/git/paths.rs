//! Which content git may show. A named path is judged like a path of the file tools, also where it lies
//! in a commit; where none is named, pathspecs leave out what is closed.

use std::path::{Path, PathBuf};

use super::super::place::{PathCheck, PathUse};
use super::super::refusal::{GitFault, LineRefusal};
use super::options::{GitArguments, option_of};
use super::repository::Repository;
use crate::domain::safety::reserved::AT_TOP;
use crate::tools::access::{PathTarget, ReadScope};

/// A command about a repository.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    pub place: &'a PathCheck<'a>,
    pub repository: &'a Repository,
    /// Where git works, below the workspace.
    pub folder: &'a Path,
}

type Judged<T> = Result<T, LineRefusal>;

impl Asked<'_> {
    /// The revisions and the paths that git is called with.
    pub fn asked(
        &self,
        command: &str,
        line: &GitArguments<'_>,
    ) -> Judged<(Vec<String>, Vec<String>)> {
        let reading = self.place.access.read_scope();
        if !reading.is_open() && !self.repository.below.as_os_str().is_empty() {
            return Err(LineRefusal::Git(GitFault::Nested));
        }
        let mut revisions = Vec::new();
        let mut paths: Vec<&str> = Vec::new();
        // Two folders of commits would be compared by names that begin below them.
        if command == "diff" && line.operands.iter().any(|operand| path_of(operand).is_some()) {
            return Err(LineRefusal::Git(GitFault::InRevision));
        }
        // As in git: an existing file is a path, unless `--` says which is which.
        let may_be_path = line.paths.is_empty();
        for (at, operand) in line.operands.iter().enumerate() {
            let last = command == "blame" && at + 1 == line.operands.len();
            let path = command == "status" || may_be_path && (last || self.is_there(operand));
            if path { paths.push(operand) } else { revisions.push(self.revision(operand)?) }
        }
        paths.extend(&line.paths);
        if command == "blame" {
            let [path] = paths.as_slice() else { return Err(LineRefusal::Incomplete) };
            self.place.judge_at(self.folder, path, PathUse::File)?;
            self.path(path)?;
            return Ok((revisions, vec![(*path).to_owned()]));
        }
        for path in &paths {
            self.path(path)?;
        }
        let mut specs = self.within(&paths, &reading)?;
        specs.extend(self.left_out(&reading)?);
        Ok((revisions, specs))
    }

    fn is_there(&self, word: &str) -> bool {
        let plain = !word.is_empty() && !word.starts_with(':');
        let path = self.place.workspace.join(self.folder).join(word);
        plain && path.symlink_metadata().is_ok()
    }

    /// A path of the working tree, which may be one of the past only.
    fn path(&self, path: &str) -> Judged<()> {
        if path.starts_with(':') || path.is_empty() {
            return Err(option_of(path));
        }
        let names = self.named(self.folder, path)?;
        if !names.starts_with(&self.repository.below) {
            return Err(LineRefusal::Git(GitFault::Outside));
        }
        if self.is_there(path) {
            self.place.judge_at(self.folder, path, PathUse::Any)
        } else {
            Ok(())
        }
    }

    /// Judges a commit, a range of commits, or the content of a commit under a path. An object is
    /// never named by its own id: that would bypass the check of its path.
    fn revision(&self, word: &str) -> Judged<String> {
        match path_of(word) {
            None => Ok(commits(word)),
            Some(path) if word.contains("..") || path.starts_with('/') => Err(option_of(word)),
            Some("") => Ok(word.to_owned()),
            Some(path) => {
                let relative = path.starts_with("./");
                let from = if relative { self.folder } else { &self.repository.below };
                self.named(from, path).map(|_| word.to_owned())
            }
        }
    }

    /// Names below the workspace that the member may read.
    fn named(&self, from: &Path, path: &str) -> Judged<PathBuf> {
        let below = from.join(path).to_string_lossy().into_owned();
        let folder = self.place.workspace.join(&below).is_dir();
        let target = if folder { PathTarget::Directory } else { PathTarget::File };
        let names = self.place.guard.may_be_read(&below, target);
        let names = names.map_err(|fault| LineRefusal::Path {
            path: path.to_owned(),
            why: fault.text(self.place.lang),
        })?;
        Ok(names.iter().collect())
    }

    /// The paths that are asked for, or those a member may read at all.
    fn within(&self, paths: &[&str], reading: &ReadScope) -> Judged<Vec<String>> {
        let given = || paths.iter().map(|path| (*path).to_owned());
        let Some(endings) = &reading.extensions else {
            return Ok(match &reading.dirs {
                _ if !paths.is_empty() => given().collect(),
                Some(dirs) if dirs.is_empty() => return Err(LineRefusal::Git(GitFault::Nothing)),
                Some(dirs) => {
                    dirs.iter().flat_map(|dir| below(dir)).map(|glob| only(&glob)).collect()
                }
                None => vec![":(top)".to_owned()],
            });
        };
        // A folder stands for its files with an allowed ending.
        let mut specs = Vec::new();
        let mut folders = Vec::new();
        for path in paths {
            let names = self.named(self.folder, path)?;
            if self.place.workspace.join(&names).is_dir() {
                folders.push(escaped(&names.to_string_lossy()));
            } else {
                specs.push(format!(":(top,literal){}", names.display()));
            }
        }
        if paths.is_empty() {
            let all = || vec![String::new()];
            folders = reading
                .dirs
                .as_ref()
                .map_or_else(all, |dirs| dirs.iter().map(|dir| escaped(dir)).collect());
        }
        for folder in &folders {
            let from = if folder.is_empty() { String::new() } else { format!("{folder}/") };
            specs.extend(endings.iter().map(|end| only(&format!("{from}**/*{}", any_case(end)))));
        }
        if specs.is_empty() { Err(LineRefusal::Git(GitFault::Nothing)) } else { Ok(specs) }
    }

    fn left_out(&self, reading: &ReadScope) -> Judged<Vec<String>> {
        let mut out = below("*.tsk");
        out.extend(below("**/*.tsk"));
        if self.repository.below.as_os_str().is_empty() {
            out.extend(AT_TOP.into_iter().flat_map(|(name, _)| below(name)));
        }
        for dir in &reading.denied_dirs {
            if dir.is_empty() {
                return Err(LineRefusal::Git(GitFault::Nothing));
            }
            out.extend(below(dir));
        }
        out.extend(reading.denied_extensions.iter().map(|end| format!("**/*{}", escaped(end))));
        Ok(out.into_iter().map(|glob| format!(":(top,exclude,icase,glob){glob}")).collect())
    }
}

/// A folder of a list and all in it, as git writes it.
fn below(dir: &str) -> Vec<String> {
    if dir.is_empty() {
        return vec!["**".to_owned()];
    }
    let dir = escaped(dir);
    vec![format!("{dir}/**"), dir]
}

fn only(glob: &str) -> String {
    format!(":(top,glob){glob}")
}

/// Escapes signs that only git's pathspecs know; `*` and `?` mean the same in a list.
fn escaped(text: &str) -> String {
    let one = |c| if matches!(c, '[' | ']' | '\\') { vec!['\\', c] } else { vec![c] };
    text.chars().flat_map(one).collect()
}

fn any_case(text: &str) -> String {
    let both = |c: char| match c {
        c if c.is_ascii_alphabetic() => {
            format!("[{}{}]", c.to_ascii_lowercase(), c.to_ascii_uppercase())
        }
        c => escaped(&c.to_string()),
    };
    text.chars().map(both).collect()
}

/// Returns the path after the first `:` outside of braces; for the index, after `:0:`.
fn path_of(word: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let found = word.char_indices().find(|(_, c)| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && *c == ':'
    });
    let path = word.get(found?.0 + 1..)?;
    let staged = ["0:", "1:", "2:", "3:"].iter().find_map(|stage| path.strip_prefix(stage));
    Some(if word.starts_with(':') { staged.unwrap_or(path) } else { path })
}

/// Restricts the revisions to commits.
fn commits(word: &str) -> String {
    let sign = ["...", ".."].into_iter().find_map(|sign| Some((word.split_once(sign)?, sign)));
    match sign {
        Some(((from, to), sign)) => format!("{}{sign}{}", commit(from), commit(to)),
        None => commit(word),
    }
}

fn commit(word: &str) -> String {
    let parents = ["^!", "^@", "^-"].into_iter().any(|end| {
        word.trim_end_matches(|c: char| end == "^-" && c.is_ascii_digit()).ends_with(end)
    });
    if word.is_empty() || parents { word.to_owned() } else { format!("{word}^{{commit}}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_mean_commits_and_what_follows_a_colon_is_a_path() {
        for (word, path, expected) in [
            ("HEAD", None, "HEAD^{commit}"),
            ("HEAD~2..side", None, "HEAD~2^{commit}..side^{commit}"),
            ("a...", None, "a^{commit}..."),
            ("^side", None, "^side^{commit}"),
            ("HEAD^!", None, "HEAD^!"),
            ("HEAD^-1", None, "HEAD^-1"),
            ("HEAD^{/a:b}", None, "HEAD^{/a:b}^{commit}"),
            ("main@{2026-01-01 10:00}", None, "main@{2026-01-01 10:00}^{commit}"),
            ("HEAD:a/b.txt", Some("a/b.txt"), ""),
            ("HEAD:a:b", Some("a:b"), ""),
            (":a.txt", Some("a.txt"), ""),
            (":0:a.txt", Some("a.txt"), ""),
            (":/words", Some("/words"), ""),
            ("HEAD:", Some(""), ""),
        ] {
            assert_eq!(path_of(word), path, "{word}");
            if path.is_none() {
                assert_eq!(commits(word), expected, "{word}");
            }
        }
    }
}
