//! All sections of a package with their texts, as a person reads and edits them.

use std::path::Path;

use super::path::folder;
use super::read::{bounded, read};
use super::{BORNE, SECTIONS, TaskdocError, Violation};
use crate::domain::taskdoc::{BEAR_IN_MIND, Section};

/// All texts together; beyond it a section comes without its text.
const MAX_BYTES: usize = 2 * 1024 * 1024;

/// One section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionText {
    pub section: Section,
    /// Trimmed; empty where the file is missing.
    pub text: String,
    /// False if there is more than this text.
    pub whole: bool,
}

/// A package in sections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sections {
    /// Goals, constraints, what to bear in mind, progress; then those that are only listed.
    pub sections: Vec<SectionText>,
    pub violations: Vec<Violation>,
    /// How many listed sections there are beyond those.
    pub unlisted: usize,
}

/// Reads all sections of the package at `path` of the workspace.
///
/// # Errors
/// The path may not name a Taskdoc, the folder is missing or unreadable.
pub fn sections(workspace: &Path, path: &str) -> Result<Sections, TaskdocError> {
    let taskdoc = read(workspace, path)?;
    let package = folder(workspace, path)?;
    let [goals, constraints, progress] = SECTIONS.map(str::to_owned);
    let borne = BORNE.map(|name| format!("{BEAR_IN_MIND}/{name}"));
    let names = [goals, constraints].into_iter().chain(borne).chain([progress]);
    let mut left = MAX_BYTES;
    let mut sections = Vec::new();
    for name in names.chain(taskdoc.index) {
        let Ok(section) = Section::named(&name) else { continue };
        sections.push(one(&package, section, &mut left));
    }
    Ok(Sections { sections, violations: taskdoc.violations, unlisted: taskdoc.unlisted })
}

/// The text of one section as it is now; empty where there is none.
///
/// # Errors
/// As [`sections`].
pub fn section_text(
    workspace: &Path,
    path: &str,
    section: Section,
) -> Result<SectionText, TaskdocError> {
    let mut left = usize::MAX;
    Ok(one(&folder(workspace, path)?, section, &mut left))
}

fn one(package: &Path, section: Section, left: &mut usize) -> SectionText {
    let (text, whole) = bounded(&package.join(&section.file));
    if text.len() > *left {
        return SectionText { section, text: String::new(), whole: false };
    }
    *left -= text.len();
    SectionText { section, text, whole }
}
