//! Going down from an open directory, entry by entry, for tools that look at whole trees. Each
//! entry is judged by its true names before it is opened, as on a walk from the root, and no link
//! is followed.

use std::ffi::OsStr;
use std::fs::File;

use super::fault::{PathFault, PathFaultKind};
use super::names::reserved_area;
use super::stat::Stat;
use super::{AccessOp, Guard, OpenDir, PathTarget};
use crate::guard::file_identity::Identity;

impl OpenDir {
    /// The path of an entry, as it is shown.
    #[must_use]
    pub fn below(&self, name: &OsStr) -> String {
        let name = name.to_string_lossy();
        if self.shown == "." { name.into_owned() } else { format!("{}/{name}", self.shown) }
    }

    /// Which directory this is; `None` if the system does not say.
    #[must_use]
    pub fn identity(&self) -> Option<Identity> {
        self.dir.identity().ok()
    }
}

impl Guard {
    /// Opens a directory in an open one.
    ///
    /// # Errors
    /// Denied, or not a directory any more.
    pub fn enter(&self, dir: &OpenDir, name: &OsStr) -> Result<OpenDir, PathFault> {
        let shown = dir.below(name);
        let names = self.judge_entry(dir, name, &shown, PathTarget::Directory)?;
        let opened = self.enter_open(dir, name, &shown)?;
        Ok(OpenDir { dir: opened, shown, names })
    }

    /// Opens a regular file in an open directory for reading.
    ///
    /// # Errors
    /// Denied, or not a regular file.
    pub fn open_in(&self, dir: &OpenDir, name: &OsStr) -> Result<File, PathFault> {
        let shown = dir.below(name);
        self.judge_entry(dir, name, &shown, PathTarget::File)?;
        let file = dir.dir.open(name).map_err(|error| PathFault::io(&shown, &error))?;
        let stat = Stat::of(&file).map_err(|error| PathFault::io(&shown, &error))?;
        if !stat.is_file() {
            return Err(PathFault::new(&shown, PathFaultKind::NotAFile));
        }
        Ok(file)
    }

    /// Opens a file that says how to treat a directory, such as an ignore file. It is read for
    /// the program, not for the member, so the member's lists are not asked.
    #[must_use]
    pub fn rule_file(&self, dir: &OpenDir, name: &str) -> Option<File> {
        let file = dir.dir.open(OsStr::new(name)).ok()?;
        Stat::of(&file).is_ok_and(|stat| stat.is_file()).then_some(file)
    }

    /// The directories from the root down to this one, itself left out; for [`Guard::rule_file`].
    #[must_use]
    pub fn above(&self, dir: &OpenDir) -> Vec<OpenDir> {
        let mut above = Vec::new();
        let mut here = OpenDir { dir: self.root.clone(), shown: ".".to_owned(), names: Vec::new() };
        for name in &dir.names {
            let shown = here.below(OsStr::new(name));
            let next = self.enter_open(&here, OsStr::new(name), &shown);
            let mut names = here.names.clone();
            names.push(name.clone());
            above.push(here);
            let Ok(dir) = next else { break };
            here = OpenDir { dir, shown, names };
        }
        above
    }

    fn judge_entry(
        &self,
        dir: &OpenDir,
        name: &OsStr,
        shown: &str,
        target: PathTarget,
    ) -> Result<Vec<String>, PathFault> {
        let name = name.to_string_lossy();
        if let Some(area) = reserved_area(self.zone, dir.names.len(), &name) {
            return Err(PathFault::denied(shown, area));
        }
        let mut names = dir.names.clone();
        names.push(name.into_owned());
        self.check_lists(shown, &[AccessOp::Read], &names, target)?;
        Ok(names)
    }

    /// Enters, and refuses a reserved directory under another name.
    fn enter_open(
        &self,
        dir: &OpenDir,
        name: &OsStr,
        shown: &str,
    ) -> Result<super::Dir, PathFault> {
        let opened = dir.dir.enter(name).map_err(|error| PathFault::io(shown, &error))?;
        let identity = opened.identity().map_err(|error| PathFault::io(shown, &error))?;
        if let Some(area) = self.closed_area(identity) {
            return Err(PathFault::denied(shown, area));
        }
        Ok(opened)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read as _;

    use super::*;
    use crate::tools::test_support::TestBench;

    fn name(text: &str) -> &OsStr {
        OsStr::new(text)
    }

    #[test]
    fn what_was_swapped_for_a_link_after_the_listing_is_not_opened() {
        let bench = TestBench::new();
        bench.put("a/dir/x", "in").put("a/file", "in").put("../out/x", "secret");
        let guard = Guard::general(&bench.cx).unwrap();
        let dir = guard.open_dir("a").unwrap();
        assert_eq!(guard.enter(&dir, name("dir")).unwrap().shown, "a/dir");
        let mut text = String::new();
        guard.open_in(&dir, name("file")).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "in");
        fs::remove_dir_all(bench.at("a/dir")).unwrap();
        fs::remove_file(bench.at("a/file")).unwrap();
        bench.link("a/dir", "../../out").link("a/file", "../../out/x");
        assert!(guard.enter(&dir, name("dir")).is_err());
        assert!(guard.open_in(&dir, name("file")).is_err());
        assert!(guard.rule_file(&dir, "file").is_none());
    }

    #[test]
    fn a_directory_that_was_moved_away_is_still_the_one_that_was_opened() {
        let bench = TestBench::new();
        bench.put("a/file", "in").put("../out/file", "secret");
        let guard = Guard::general(&bench.cx).unwrap();
        let dir = guard.open_dir("a").unwrap();
        fs::rename(bench.at("a"), bench.at("b")).unwrap();
        bench.link("a", "../out");
        let mut text = String::new();
        guard.open_in(&dir, name("file")).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "in");
    }

    #[test]
    fn reserved_entries_are_closed_in_every_spelling_and_the_way_down_is_known() {
        let bench = TestBench::new();
        bench.put(".minds/x", "").put(".MINDS/x", "").put("T.TSK/x", "").put("a/b/c/x", "");
        let guard = Guard::general(&bench.cx).unwrap();
        let root = guard.open_dir(".").unwrap();
        for reserved in [".minds", ".MINDS", "T.TSK"] {
            let fault = guard.enter(&root, name(reserved)).unwrap_err();
            assert_eq!(fault.code(), "ACCESS_DENIED", "{reserved}");
        }
        let deep = guard.open_dir("a/b/c").unwrap();
        let above: Vec<String> = guard.above(&deep).into_iter().map(|dir| dir.shown).collect();
        assert_eq!(above, [".", "a", "a/b"]);
        assert_eq!(deep.below(name("x")), "a/b/c/x");
    }
}
