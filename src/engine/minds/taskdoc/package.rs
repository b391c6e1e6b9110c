//! Reads a package. A missing section is empty; unexpected files are listed, not read.

use std::io::{self, Read as _};
use std::path::Path;

use super::path::Package;
use super::{BORNE, LIMIT_BYTES, SECTIONS, Taskdoc, TaskdocError, Violation};
use crate::domain::dialogs::taskdoc::{BEAR_IN_MIND, is_name, section as named};
use crate::domain::safety::reserved::BEING_WRITTEN;
use crate::guard::{OpenDir, PathKind};

/// Entries read in one package.
const MAX_ENTRIES: usize = 2048;
const MAX_INDEXED: usize = 64;
const MAX_VIOLATIONS: usize = 20;

/// Reads the package at `path` of the workspace.
///
/// # Errors
/// The path may not name a Taskdoc, the folder is missing or unreadable.
pub fn read(workspace: &Path, path: &str) -> Result<Taskdoc, TaskdocError> {
    read_open(&Package::open(workspace, path)?, path)
}

/// The same of a package that is open.
pub(super) fn read_open(package: &Package, path: &str) -> Result<Taskdoc, TaskdocError> {
    let mut scan = PackageScan {
        taskdoc: Taskdoc { path: path.to_owned(), ..Taskdoc::default() },
        left: MAX_ENTRIES,
    };
    let mut categories = Vec::new();
    let names = scan.entries(&package.folder).map_err(|e| TaskdocError::io(path, e))?;
    for (name, is_dir) in names {
        if is_dir && is_name(&name) {
            categories.push(name);
        } else if is_dir || !is_section(&name) {
            scan.add_unexpected(&name);
        }
    }
    for category in categories {
        scan.scan_category(package, &category);
    }
    let mut taskdoc = scan.taskdoc;
    taskdoc.goals = read_section(package, "goals.md");
    taskdoc.constraints = read_section(package, "constraints.md");
    taskdoc.progress = read_section(package, "progress.md");
    for name in BORNE {
        let text = read_section(package, &format!("{BEAR_IN_MIND}/{name}.md"));
        if !text.is_empty() {
            taskdoc.bear_in_mind.push((name.to_owned(), text));
        }
    }
    Ok(taskdoc)
}

struct PackageScan {
    taskdoc: Taskdoc,
    left: usize,
}

impl PackageScan {
    /// `(name, is_dir)`, sorted; links are violations.
    fn entries(&mut self, folder: &OpenDir) -> io::Result<Vec<(String, bool)>> {
        let mut names = Vec::new();
        for entry in folder.dir.entries()? {
            let entry = entry?;
            if self.left == 0 {
                self.add_violation(Violation::TooManyFiles);
                break;
            }
            self.left -= 1;
            let name = entry.name.to_string_lossy().into_owned();
            // A kill may have left it.
            if name.starts_with(BEING_WRITTEN) {
                continue;
            }
            match entry.kind {
                Some(PathKind::File) => names.push((name, false)),
                Some(PathKind::Directory) => names.push((name, true)),
                Some(PathKind::Symlink | PathKind::Special) | None => self.add_unexpected(&name),
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    fn scan_category(&mut self, package: &Package, category: &str) {
        let Ok(folder) = package.category(category) else { return };
        let names = self.entries(&folder).unwrap_or_default();
        for (name, is_dir) in names {
            let selector = name.strip_suffix(".md").filter(|_| !is_dir);
            match selector {
                Some(selector) if is_section_file(category, selector) => {
                    if category != BEAR_IN_MIND {
                        self.add_to_index(format!("{category}/{selector}"));
                    }
                }
                Some(_) | None => self.add_unexpected(&format!("{category}/{name}")),
            }
        }
    }

    fn add_to_index(&mut self, name: String) {
        if self.taskdoc.index.len() < MAX_INDEXED {
            self.taskdoc.index.push(name);
        } else {
            self.taskdoc.unlisted += 1;
        }
    }

    fn add_unexpected(&mut self, name: &str) {
        let shown: String = name.chars().take(100).collect();
        self.add_violation(Violation::Unexpected(shown));
    }

    fn add_violation(&mut self, violation: Violation) {
        if self.taskdoc.violations.len() < MAX_VIOLATIONS {
            self.taskdoc.violations.push(violation);
        }
    }
}

/// True if this is the file the tools use for the section.
fn is_section_file(category: &str, selector: &str) -> bool {
    let file = format!("{category}/{selector}.md");
    named(Some(category), selector).is_ok_and(|section| section.file == file)
}

fn is_section(file: &str) -> bool {
    file.strip_suffix(".md").is_some_and(|name| SECTIONS.contains(&name))
}

fn read_section(package: &Package, file: &str) -> String {
    read_bounded(package, file).0
}

/// The trimmed text of a regular file, and whether it is complete; empty if the file is missing. Reads
/// a little more than the limit, so that a text over the limit is detected.
pub(super) fn read_bounded(package: &Package, file: &str) -> (String, bool) {
    let Ok(file) = package.file(file) else { return (String::new(), true) };
    let max_bytes = u64::try_from(LIMIT_BYTES).unwrap_or(u64::MAX).saturating_add(1024);
    let mut bytes = Vec::new();
    let length = file.metadata().map_or(u64::MAX, |about| about.len());
    if file.take(max_bytes).read_to_end(&mut bytes).is_err() {
        return (String::new(), false);
    }
    let complete = length <= max_bytes && std::str::from_utf8(&bytes).is_ok();
    (String::from_utf8_lossy(&bytes).trim().to_owned(), complete)
}
