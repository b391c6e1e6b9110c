//! All sections of a package with their texts, for reading and editing.

use std::path::Path;

use super::package::{read_bounded, read_open};
use super::path::Package;
use super::{BORNE, SECTIONS, TaskdocError, Violation};
use crate::domain::dialogs::taskdoc::{BEAR_IN_MIND, Section};

/// Maximum size of all texts together, in bytes; beyond it, sections have no text.
const MAX_BYTES: usize = 2 * 1024 * 1024;

/// One section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionText {
    pub section: Section,
    /// Trimmed; empty if the file is missing.
    pub text: String,
    /// False if the text is truncated.
    pub complete: bool,
}

/// A package in sections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskdocSections {
    /// Goals, constraints, bear in mind, progress; then those of the index.
    pub sections: Vec<SectionText>,
    pub violations: Vec<Violation>,
    /// Number of sections that are not in the index.
    pub unlisted: usize,
}

/// Reads all sections of the package at `path` of the workspace.
///
/// # Errors
/// The path may not name a Taskdoc, the folder is missing or unreadable.
pub fn sections(workspace: &Path, path: &str) -> Result<TaskdocSections, TaskdocError> {
    let package = Package::open(workspace, path)?;
    let taskdoc = read_open(&package, path)?;
    let [goals, constraints, progress] = SECTIONS.map(str::to_owned);
    let borne = BORNE.map(|name| format!("{BEAR_IN_MIND}/{name}"));
    let names = [goals, constraints].into_iter().chain(borne).chain([progress]);
    let mut left = MAX_BYTES;
    let mut sections = Vec::new();
    for name in names.chain(taskdoc.index) {
        let Ok(section) = Section::named(&name) else { continue };
        sections.push(section_text_within(&package, section, &mut left));
    }
    Ok(TaskdocSections { sections, violations: taskdoc.violations, unlisted: taskdoc.unlisted })
}

/// Reads one section; empty if the file is missing.
///
/// # Errors
/// As [`sections`].
pub fn section_text(
    workspace: &Path,
    path: &str,
    section: Section,
) -> Result<SectionText, TaskdocError> {
    let mut left = usize::MAX;
    Ok(section_text_within(&Package::open(workspace, path)?, section, &mut left))
}

fn section_text_within(package: &Package, section: Section, left: &mut usize) -> SectionText {
    let (text, complete) = read_bounded(package, &section.file);
    if text.len() > *left {
        return SectionText { section, text: String::new(), complete: false };
    }
    *left -= text.len();
    SectionText { section, text, complete }
}
