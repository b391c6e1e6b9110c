//! What the list of dialogs needs of one dialog's folder, in a form that can be kept: see `memo.rs`.
//! Only of folders in which nothing is wrong; all others are read each time.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::left::seems_at_work;
use crate::domain::tree::RegistryEntry;
use crate::domain::{Frame, Latest, Pending, Question, Reminder, SelfId};

use super::layout::{DIALOG, LATEST, PENDING, QUESTIONS, REGISTRY, REMINDERS, STACK};
use super::parts::{Health, Parts, StateFile};
use super::scan::{Folder, Scan};

/// `None`: the file is absent.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Brief {
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
    stack: Option<Vec<Frame>>,
    scan: Scan,
}

/// The same of parts that stay where they are.
#[derive(Debug, Serialize)]
pub(super) struct BriefOf<'a> {
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
    stack: Option<&'a Vec<Frame>>,
    scan: &'a Scan,
}

impl Parts {
    /// `None` where something is wrong, unfinished, or at work: that is looked at each time.
    pub fn brief(&self, folder: &Folder) -> Option<BriefOf<'_>> {
        let settled = folder.temps.is_empty()
            && !self.earlier
            && self.scan.flaws.is_empty()
            && !self.latest.value.as_ref().is_some_and(|l| seems_at_work(l, &self.scan.history))
            && !self.scan.history.last.open;
        settled.then_some(())?;
        Some(BriefOf {
            meta: plain(&self.meta).ok()?,
            latest: plain(&self.latest).ok()?,
            reminders: plain(&self.reminders).ok()?,
            questions: plain(&self.questions).ok()?,
            pending: plain(&self.pending).ok()?,
            registry: plain(&self.registry).ok()?,
            stack: plain(&self.stack).ok()?,
            scan: &self.scan,
        })
    }
}

/// What a file says; `None` where it is absent, an error where something is wrong with it.
fn plain<T>(file: &StateFile<T>) -> Result<Option<&T>, ()> {
    match (file.health, &file.value) {
        (Health::Absent, None) => Ok(None),
        (Health::Sound, Some(value)) => Ok(Some(value)),
        (
            Health::Absent | Health::Sound | Health::Damaged | Health::Adopted | Health::Misplaced,
            _,
        ) => Err(()),
    }
}

impl Brief {
    /// The parts of the dialog in this folder. `None` if they cannot be what the folder says: they name a
    /// file that is not there, or the other way round.
    pub fn parts(self, id: &SelfId, folder: &Folder) -> Option<Parts> {
        let path: Arc<Path> = Arc::from(folder.path.as_path());
        let file = Files { folder, path: &path };
        let parts = Parts {
            id: id.clone(),
            meta: file.holds(DIALOG, self.meta)?,
            latest: file.holds(LATEST, self.latest)?,
            reminders: file.holds(REMINDERS, self.reminders)?,
            questions: file.holds(QUESTIONS, self.questions)?,
            pending: file.holds(PENDING, self.pending)?,
            registry: file.holds(REGISTRY, self.registry)?,
            stack: file.holds(STACK, self.stack)?,
            folder: path.clone(),
            earlier: false,
            scan: self.scan,
        };
        parts.scan.courses.keys().eq(folder.courses.keys()).then_some(parts)
    }
}

/// The files of a folder.
struct Files<'a> {
    folder: &'a Folder,
    path: &'a Arc<Path>,
}

impl Files<'_> {
    fn holds<T>(&self, name: &'static str, value: Option<T>) -> Option<StateFile<T>> {
        let health = if value.is_some() { Health::Sound } else { Health::Absent };
        let agrees = self.folder.has(name) == value.is_some();
        agrees.then(|| StateFile { folder: self.path.clone(), name, value, health })
    }
}
