//! What the list of dialogs needs of one dialog's folder, in a form that can be kept: see `folder_cache.rs`.
//! Only of folders in which nothing is wrong; all others are read each time.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::dialogs::registry::RegistryEntry;
use crate::domain::dialogs::remaining_work::seems_active;
use crate::domain::{AssignmentFrame, Latest, Pending, Question, Reminder, SelfId};

use super::parts::{DialogParts, FileHealth, StateFile};
use super::scan::{CourseScan, DialogFolder};
use crate::store::disk::layout::{DIALOG, LATEST, PENDING, QUESTIONS, REGISTRY, REMINDERS, STACK};

/// `None`: the file is absent.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::store) struct FolderSummary {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    meta: Option<Map<String, Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    latest: Option<Latest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reminders: Option<Vec<Reminder>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    questions: Option<Vec<Question>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pending: Option<Vec<Pending>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    registry: Option<Vec<RegistryEntry>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stack: Option<Vec<AssignmentFrame>>,
    scan: CourseScan,
}

/// As [`FolderSummary`], with borrowed parts.
#[derive(Debug, Serialize)]
pub(in crate::store) struct FolderSummaryRef<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<&'a Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    latest: Option<&'a Latest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reminders: Option<&'a Vec<Reminder>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    questions: Option<&'a Vec<Question>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<&'a Vec<Pending>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    registry: Option<&'a Vec<RegistryEntry>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stack: Option<&'a Vec<AssignmentFrame>>,
    scan: &'a CourseScan,
}

impl DialogParts {
    /// `None` where something is wrong, unfinished, or at work: that is looked at each time.
    pub fn summary(&self, folder: &DialogFolder) -> Option<FolderSummaryRef<'_>> {
        let settled = folder.temps.is_empty()
            && !self.earlier
            && self.scan.flaws.is_empty()
            && !self.latest.value.as_ref().is_some_and(|l| seems_active(l, &self.scan.history))
            && !self.scan.history.last.open;
        settled.then_some(())?;
        Some(FolderSummaryRef {
            meta: sound_value(&self.meta).ok()?,
            latest: sound_value(&self.latest).ok()?,
            reminders: sound_value(&self.reminders).ok()?,
            questions: sound_value(&self.questions).ok()?,
            pending: sound_value(&self.pending).ok()?,
            registry: sound_value(&self.registry).ok()?,
            stack: sound_value(&self.stack).ok()?,
            scan: &self.scan,
        })
    }
}

/// What a file says; `None` where it is absent, an error where something is wrong with it.
fn sound_value<T>(file: &StateFile<T>) -> Result<Option<&T>, ()> {
    match (file.health, &file.value) {
        (FileHealth::Absent, None) => Ok(None),
        (FileHealth::Sound, Some(value)) => Ok(Some(value)),
        (
            FileHealth::Absent
            | FileHealth::Sound
            | FileHealth::Damaged
            | FileHealth::Adopted
            | FileHealth::Misplaced,
            _,
        ) => Err(()),
    }
}

impl FolderSummary {
    /// The parts of the dialog in this folder. `None` if they cannot be what the folder says: they name a
    /// file that is not there, or the other way round.
    pub fn parts(self, id: &SelfId, folder: &DialogFolder) -> Option<DialogParts> {
        let path: Arc<Path> = Arc::from(folder.path.as_path());
        let file = FolderFiles { folder, path: &path };
        let parts = DialogParts {
            id: id.clone(),
            meta: file.state_file(DIALOG, self.meta)?,
            latest: file.state_file(LATEST, self.latest)?,
            reminders: file.state_file(REMINDERS, self.reminders)?,
            questions: file.state_file(QUESTIONS, self.questions)?,
            pending: file.state_file(PENDING, self.pending)?,
            registry: file.state_file(REGISTRY, self.registry)?,
            stack: file.state_file(STACK, self.stack)?,
            folder: path.clone(),
            earlier: false,
            recent: None,
            scan: self.scan,
        };
        parts.scan.courses.keys().eq(folder.courses.keys()).then_some(parts)
    }
}

/// The files of a folder.
struct FolderFiles<'a> {
    folder: &'a DialogFolder,
    path: &'a Arc<Path>,
}

impl FolderFiles<'_> {
    fn state_file<T>(&self, name: &'static str, value: Option<T>) -> Option<StateFile<T>> {
        let health = if value.is_some() { FileHealth::Sound } else { FileHealth::Absent };
        let agrees = self.folder.has(name) == value.is_some();
        agrees.then(|| StateFile { folder: self.path.clone(), name, value, health })
    }
}
