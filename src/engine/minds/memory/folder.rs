//! Reads one folder of memories, sorted by name, within limits. Links are not followed; hidden files and
//! files that are not Markdown are skipped.

use std::fs::{self, FileType, ReadDir};
use std::io::ErrorKind;
use std::path::Path;

use super::{Memory, OwnerMemories, UnusableMemory, UnusableReason};
use crate::domain::dialogs::memory::{FILE_LIMIT_BYTES, TOTAL_LIMIT_BYTES, is_shown};
use crate::domain::text::Localized;
use crate::minds::untrusted_files::{self, FileContent};

/// Entries read in one folder of memories, subfolders included.
const MAX_ENTRIES: usize = 2_048;
const MAX_DEPTH: usize = 16;
/// Unusable files that are listed.
const MAX_UNUSABLE: usize = 20;

struct MemoryScan<'a> {
    workspace: &'a Path,
    folder: &'a str,
    memories: OwnerMemories,
    seen: usize,
    bytes: usize,
}

/// Reads a folder; a missing one is empty.
pub(super) fn read_folder(workspace: &Path, folder: &str) -> OwnerMemories {
    let shelf = OwnerMemories::default();
    let mut scan = MemoryScan { workspace, folder, memories: shelf, seen: 0, bytes: 0 };
    scan.scan_directory("", MAX_DEPTH);
    scan.memories
}

impl MemoryScan<'_> {
    /// `below` is empty or ends in a slash.
    fn scan_directory(&mut self, below: &str, deep: usize) {
        let path = format!("{}/{below}", self.folder);
        // With a trailing slash, a link would be followed.
        let path = self.workspace.join(path.trim_end_matches('/'));
        let entries = match fs::symlink_metadata(&path) {
            // A folder that is a link could point anywhere.
            Ok(meta) if !meta.is_dir() => {
                return self.add_unusable(below, UnusableReason::NotAFile);
            }
            Ok(_) => fs::read_dir(&path),
            Err(error) => Err(error),
        };
        let entries = match entries {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return,
            Err(error) => {
                let reason = Localized::same(error.to_string());
                return self.add_unusable(below, UnusableReason::Unreadable(reason));
            }
        };
        for (name, kind) in self.sorted_entries(entries, below) {
            let path = format!("{below}{name}");
            if kind.is_dir() {
                match deep.checked_sub(1) {
                    Some(deep) => self.scan_directory(&format!("{path}/"), deep),
                    None => self.add_unusable(&path, UnusableReason::TooManyEntries),
                }
            } else if is_shown(&name) {
                self.read_file(path, kind.is_file());
            }
        }
    }

    /// The entries of a folder that are not hidden, sorted by name.
    fn sorted_entries(&mut self, entries: ReadDir, below: &str) -> Vec<(String, FileType)> {
        let mut names = Vec::new();
        for entry in entries.flatten() {
            self.seen += 1;
            if self.seen > MAX_ENTRIES {
                self.add_unusable(below, UnusableReason::TooManyEntries);
                break;
            }
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Ok(kind) = entry.file_type()
                && !name.starts_with('.')
            {
                names.push((name, kind));
            }
        }
        names.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        names
    }

    fn read_file(&mut self, path: String, regular: bool) {
        if !regular {
            return self.add_unusable(&path, UnusableReason::NotAFile);
        }
        let relative = format!("{}/{path}", self.folder);
        let meta = fs::symlink_metadata(self.workspace.join(&relative)).ok();
        if meta.as_ref().is_some_and(|meta| meta.len() > FILE_LIMIT_BYTES as u64) {
            return self.add_unusable(&path, UnusableReason::TooLarge);
        }
        match untrusted_files::read(self.workspace, &relative, FILE_LIMIT_BYTES) {
            FileContent::Text(text) if text.trim().is_empty() => {}
            FileContent::Text(text) if self.bytes + text.len() > TOTAL_LIMIT_BYTES => {
                self.add_unusable(&path, UnusableReason::OverBudget);
            }
            FileContent::Text(text) => {
                self.bytes += text.len();
                let modified = meta.and_then(|meta| meta.modified().ok());
                let (bytes, text) = (text.len(), text.trim_end().to_owned());
                self.memories.memories.push(Memory { path, text, bytes, modified });
            }
            // Removed since it was listed.
            FileContent::Missing => {}
            FileContent::Unusable(reason) => {
                self.add_unusable(&path, UnusableReason::Unreadable(reason));
            }
        }
    }

    fn add_unusable(&mut self, path: &str, reason: UnusableReason) {
        if self.memories.unusable.len() < MAX_UNUSABLE {
            self.memories.unusable.push(UnusableMemory { path: path.to_owned(), reason });
        }
    }
}
