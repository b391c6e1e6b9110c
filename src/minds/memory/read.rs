//! Reads one folder of memories, in the order of names, within bounds. Links are not followed, names
//! with a leading dot and files that are no Markdown are passed over.

use std::fs::{self, FileType, ReadDir};
use std::io::ErrorKind;
use std::path::Path;

use super::{Memory, Shelf, Unusable, Why};
use crate::domain::memory::{FILE_LIMIT_BYTES, TOTAL_LIMIT_BYTES, is_shown};
use crate::minds::files::{self, Found};

/// Entries looked at in one folder of memories, in all.
const MAX_ENTRIES: usize = 2_048;
/// Folders below each other.
const MAX_DEEP: usize = 16;
/// Files that are named as not usable.
const MAX_UNUSABLE: usize = 20;

struct Scan<'a> {
    workspace: &'a Path,
    folder: &'a str,
    shelf: Shelf,
    seen: usize,
    bytes: usize,
}

/// What is in a folder; an absent one is empty.
pub(super) fn shelf(workspace: &Path, folder: &str) -> Shelf {
    let shelf = Shelf::default();
    let mut scan = Scan { workspace, folder, shelf, seen: 0, bytes: 0 };
    scan.directory("", MAX_DEEP);
    scan.shelf
}

impl Scan<'_> {
    /// `below` is empty or ends in a slash.
    fn directory(&mut self, below: &str, deep: usize) {
        let path = format!("{}/{below}", self.folder);
        // With a slash at its end, a link would be looked through.
        let path = self.workspace.join(path.trim_end_matches('/'));
        let entries = match fs::symlink_metadata(&path) {
            // A folder that is a link could lead anywhere.
            Ok(meta) if !meta.is_dir() => return self.unusable(below, Why::NotAFile),
            Ok(_) => fs::read_dir(&path),
            Err(error) => Err(error),
        };
        let entries = match entries {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return,
            Err(error) => return self.unusable(below, Why::Unreadable(error.to_string())),
        };
        for (name, kind) in self.names(entries, below) {
            let path = format!("{below}{name}");
            if kind.is_dir() {
                match deep.checked_sub(1) {
                    Some(deep) => self.directory(&format!("{path}/"), deep),
                    None => self.unusable(&path, Why::TooMany),
                }
            } else if is_shown(&name) {
                self.file(path, kind.is_file());
            }
        }
    }

    /// The plain names of a folder, in their order.
    fn names(&mut self, entries: ReadDir, below: &str) -> Vec<(String, FileType)> {
        let mut names = Vec::new();
        for entry in entries.flatten() {
            self.seen += 1;
            if self.seen > MAX_ENTRIES {
                self.unusable(below, Why::TooMany);
                break;
            }
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Ok(kind) = entry.file_type()
                && !name.starts_with('.')
            {
                names.push((name, kind));
            }
        }
        names.sort_by(|a, b| a.0.cmp(&b.0));
        names
    }

    fn file(&mut self, path: String, regular: bool) {
        if !regular {
            return self.unusable(&path, Why::NotAFile);
        }
        let relative = format!("{}/{path}", self.folder);
        let meta = fs::symlink_metadata(self.workspace.join(&relative)).ok();
        if meta.as_ref().is_some_and(|meta| meta.len() > FILE_LIMIT_BYTES as u64) {
            return self.unusable(&path, Why::TooLarge);
        }
        match files::read(self.workspace, &relative, FILE_LIMIT_BYTES) {
            Found::Text(text) if text.trim().is_empty() => {}
            Found::Text(text) if self.bytes + text.len() > TOTAL_LIMIT_BYTES => {
                self.unusable(&path, Why::NoRoom);
            }
            Found::Text(text) => {
                self.bytes += text.len();
                let modified = meta.and_then(|meta| meta.modified().ok());
                let (bytes, text) = (text.len(), text.trim_end().to_owned());
                self.shelf.memories.push(Memory { path, text, bytes, modified });
            }
            // Gone since it was listed.
            Found::Missing => {}
            Found::Unusable(why) => self.unusable(&path, Why::Unreadable(why)),
        }
    }

    fn unusable(&mut self, path: &str, why: Why) {
        if self.shelf.unusable.len() < MAX_UNUSABLE {
            self.shelf.unusable.push(Unusable { path: path.to_owned(), why });
        }
    }
}
