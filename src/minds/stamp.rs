//! Detects changes below `.minds/` without reading the files.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

/// Further entries are not watched.
const MAX_ENTRIES: usize = 5_000;

/// A hash that changes when a file below `.minds/` is created, written or removed.
#[must_use]
pub fn stamp(workspace: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut left = MAX_ENTRIES;
    let mut folders = vec![workspace.join(".minds")];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if left == 0 {
                return hasher.finish();
            }
            left -= 1;
            path.hash(&mut hasher);
            // Uses the target's metadata of a link, but does not enter it.
            let Ok(meta) = path.metadata() else { continue };
            meta.len().hash(&mut hasher);
            meta.modified().ok().hash(&mut hasher);
            if path.symlink_metadata().is_ok_and(|own| own.is_dir()) {
                folders.push(path);
            }
        }
    }
    hasher.finish()
}

/// Sorted by name.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let found = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = found.take(MAX_ENTRIES).map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
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
            assert_eq!(stamp(dir.path()), now);
            seen.push(now);
        }
        put("src/main.rs", "x");
        assert_eq!(seen.last(), Some(&stamp(dir.path())));
        std::fs::remove_file(dir.path().join(".minds/llm.yaml")).unwrap();
        assert_ne!(seen.last(), Some(&stamp(dir.path())));
    }
}
