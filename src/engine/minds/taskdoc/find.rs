//! Finds the Taskdocs of a workspace with a bounded walk.

use std::collections::VecDeque;
use std::path::Path;

use super::path::{is_package, validate_path};
use crate::guard::{Guard, OpenDir, PathKind};

const MAX_DEPTH: usize = 4;
const MAX_ENTRIES: usize = 2_000;
/// Large folders without tasks; hidden folders are skipped anyway.
const SKIPPED: [&str; 2] = ["node_modules", "target"];

/// Paths of Taskdocs, sorted: at most four folders deep, within the first 2,000 entries, nearest
/// folders first. Links are not followed.
#[must_use]
pub fn list(workspace: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut left = MAX_ENTRIES;
    let Ok(guard) = Guard::for_taskdocs(workspace) else { return found };
    // By their paths, so that few are open at a time. One that was swapped for a link leads nowhere outside.
    let mut folders = VecDeque::from([("./".to_owned(), 1)]);
    while let Some((path, depth)) = folders.pop_front() {
        let Ok(folder) = guard.open_dir(&path) else { continue };
        for name in subfolders(&folder, &mut left) {
            let relative = format!("{}{name}", path.trim_start_matches("./"));
            if validate_path(&relative).is_ok() {
                found.push(relative);
            } else if depth < MAX_DEPTH && !is_skipped(&name) {
                folders.push_back((format!("./{relative}/"), depth + 1));
            }
        }
    }
    found.sort_unstable();
    found
}

fn is_skipped(name: &str) -> bool {
    name.starts_with('.') || is_package(name) || SKIPPED.contains(&name)
}

fn subfolders(folder: &OpenDir, left: &mut usize) -> Vec<String> {
    let Ok(entries) = folder.dir.entries() else {
        return Vec::new();
    };
    let mut names = Vec::new();
    for entry in entries.flatten().take(*left) {
        *left -= 1;
        if entry.kind == Some(PathKind::Directory) {
            names.extend(entry.name.into_string());
        }
    }
    names.sort_unstable();
    names
}
