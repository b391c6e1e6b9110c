//! Finds the Taskdocs of a workspace with a bounded walk.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use super::path::{is_package, validate_path};

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
    let mut folders = VecDeque::from([(workspace.to_path_buf(), String::new(), 1)]);
    while let Some((folder, prefix, depth)) = folders.pop_front() {
        for (name, path) in subfolders(&folder, &mut left) {
            let relative = format!("{prefix}{name}");
            if validate_path(&relative).is_ok() {
                found.push(relative);
            } else if depth < MAX_DEPTH && !is_skipped(&name) {
                folders.push_back((path, format!("{relative}/"), depth + 1));
            }
        }
    }
    found.sort_unstable();
    found
}

fn is_skipped(name: &str) -> bool {
    name.starts_with('.') || is_package(name) || SKIPPED.contains(&name)
}

fn subfolders(folder: &Path, left: &mut usize) -> Vec<(String, PathBuf)> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut names = Vec::new();
    for entry in entries.flatten().take(*left) {
        *left -= 1;
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let name = entry.file_name().into_string();
            names.extend(name.ok().map(|name| (name, entry.path())));
        }
    }
    names.sort_unstable();
    names
}
