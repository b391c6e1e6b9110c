//! Detects changes below `.minds/` without reading the files.

use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::fs::Metadata;
use std::hash::{Hash as _, Hasher as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Further entries are not watched.
const MAX_ENTRIES: usize = 5_000;

/// What the files below `.minds/` look like: it changes when one is created, written, replaced or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MindsStamp {
    hash: u64,
    complete: bool,
}

impl MindsStamp {
    /// True if no file has changed since; false if there are too many files to know.
    #[must_use]
    pub fn shows_no_change_since(self, earlier: Self) -> bool {
        self.complete && self == earlier
    }
}

/// The stamp of a workspace.
#[must_use]
pub fn stamp(workspace: &Path) -> MindsStamp {
    let mut scan = Scan {
        root: workspace.canonicalize().ok(),
        hasher: DefaultHasher::new(),
        left: MAX_ENTRIES,
        entered: BTreeSet::new(),
        folders: vec![workspace.join(".minds")],
    };
    let complete = scan.run();
    MindsStamp { hash: scan.hasher.finish(), complete }
}

struct Scan {
    /// The workspace, without links.
    root: Option<PathBuf>,
    hasher: DefaultHasher,
    left: usize,
    /// Device and inode of the folders that were found.
    entered: BTreeSet<(u64, u64)>,
    folders: Vec<PathBuf>,
}

impl Scan {
    /// False if there are too many entries.
    fn run(&mut self) -> bool {
        while let Some(folder) = self.folders.pop() {
            for path in entries(&folder) {
                if self.left == 0 {
                    return false;
                }
                self.left -= 1;
                self.add(path);
            }
        }
        true
    }

    /// Of a link, its target counts, as it does for the reader.
    fn add(&mut self, path: PathBuf) {
        path.hash(&mut self.hasher);
        let Ok(meta) = path.metadata() else { return };
        let times = (meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec());
        (meta.len(), meta.ino(), times).hash(&mut self.hasher);
        if meta.is_dir() && self.may_enter(&path, &meta) {
            self.folders.push(path);
        }
    }

    /// Each folder once, and none outside of the workspace: nothing is read there.
    fn may_enter(&mut self, path: &Path, meta: &Metadata) -> bool {
        let is_link = path.symlink_metadata().is_ok_and(|own| own.is_symlink());
        let is_inside =
            |real: PathBuf| self.root.as_ref().is_some_and(|root| real.starts_with(root));
        if is_link && !path.canonicalize().is_ok_and(is_inside) {
            return false;
        }
        self.entered.insert((meta.dev(), meta.ino()))
    }
}

/// Sorted by name.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let found = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = found.take(MAX_ENTRIES + 1).map(|entry| entry.path()).collect();
    paths.sort_unstable();
    paths
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_stamp_changes_with_every_file_and_only_then() {
        let dir = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let mut seen = vec![stamp(dir.path())];
        for (path, text) in [
            (".minds/team.yaml", "a"),
            (".minds/team.yaml", "ab"),
            (".minds/team/lead/persona.md", "x"),
            (".minds/llm.yaml", ""),
        ] {
            put(path, text);
            let now = stamp(dir.path());
            assert!(!seen.contains(&now), "{path} {text}");
            assert!(stamp(dir.path()).shows_no_change_since(now));
            seen.push(now);
        }
        put("src/main.rs", "x");
        assert_eq!(seen.last(), Some(&stamp(dir.path())));
        std::fs::remove_file(dir.path().join(".minds/llm.yaml")).unwrap();
        assert_ne!(seen.last(), Some(&stamp(dir.path())));
    }

    #[test]
    fn a_change_is_seen_through_links_inside_the_workspace_and_in_a_file_that_was_replaced() {
        let outer = tempfile::tempdir().unwrap();
        let workspace = outer.path().join("ws");
        for folder in ["ws/.minds", "ws/shared", "outside"] {
            std::fs::create_dir_all(outer.path().join(folder)).unwrap();
        }
        std::fs::write(workspace.join("shared/a.md"), "a").unwrap();
        symlink("../shared", workspace.join(".minds/memory")).unwrap();
        symlink("..", workspace.join(".minds/loop")).unwrap();
        symlink("../../outside", workspace.join(".minds/outside")).unwrap();
        let before = stamp(&workspace);
        std::fs::create_dir(outer.path().join("outside/x")).unwrap();
        std::fs::write(outer.path().join("outside/x/y"), "y").unwrap();
        let after = stamp(&workspace);
        std::fs::write(workspace.join("shared/a.md"), "ab").unwrap();
        let linked = stamp(&workspace);
        assert!(linked != after && linked.complete && before.complete);
        std::fs::write(workspace.join("shared/b.md"), "xy").unwrap();
        let a = workspace.join("shared/a.md");
        let time = a.metadata().unwrap().modified().unwrap();
        let replaced = std::fs::File::open(workspace.join("shared/b.md")).unwrap();
        replaced.set_modified(time).unwrap();
        let before = stamp(&workspace);
        std::fs::rename(workspace.join("shared/b.md"), &a).unwrap();
        assert_ne!(stamp(&workspace), before);
    }

    #[test]
    fn with_too_many_files_nothing_is_known_to_be_unchanged() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(".minds")).unwrap();
        for n in 0..=MAX_ENTRIES {
            std::fs::write(dir.path().join(format!(".minds/{n}")), "").unwrap();
        }
        let stamp = stamp(dir.path());
        assert!(!stamp.shows_no_change_since(stamp));
    }
}
