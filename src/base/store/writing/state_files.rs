//! The state files of a dialog: replaced whole, skipped where they say the same already, removed where
//! an empty one means nothing.

use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::domain::asking::inquiry::answers::PartAnswers;
use crate::domain::dialogs::registry::RegistryEntry;
use crate::domain::{AssignmentFrame, Question, QueuedPrompt, Reminder, SelfId};
use crate::yaml;

use super::commit::BatchWriter;
use crate::store::disk::error::StoreError;
use crate::store::disk::layout::{QUESTIONS, REGISTRY, REMINDERS, STACK};
use crate::store::disk::options::SyncLevel;
use crate::store::disk::small_files;
use crate::store::trees::scan::DialogFolder;
use crate::store::trees::waiting_files::{self, WaitingPrompts};

impl BatchWriter<'_> {
    pub(super) fn write_yaml(
        &mut self,
        dialog: &SelfId,
        name: &str,
        value: &impl Serialize,
    ) -> Result<(), StoreError> {
        let path = self.path(dialog, name);
        let text = yaml::write(value).map_err(|error| encode_error(&path, &error))?;
        self.write_state(&path, &text)
    }

    pub(super) fn write_json(
        &mut self,
        path: &Path,
        value: &impl Serialize,
    ) -> Result<(), StoreError> {
        let text =
            serde_json::to_string_pretty(value).map_err(|error| encode_error(path, &error))?;
        self.write_state(path, &text)
    }

    pub(super) fn reminders(
        &mut self,
        dialog: &SelfId,
        reminders: &[Reminder],
    ) -> Result<(), StoreError> {
        let path = self.path(dialog, REMINDERS);
        let list = serde_json::to_value(reminders).map_err(|error| encode_error(&path, &error))?;
        if self.has_same_list(&path, "reminders", &list)? {
            return Ok(());
        }
        let now = self.store.options.clock.now();
        let body = serde_json::json!({ "reminders": list, "updatedAt": now });
        let body = self.with_other_keys(&path, body)?;
        // No course holds them; those of a main dialog also tell the layout where `latest.yaml` is lost.
        self.safely(|writer| writer.write_json(&path, &body))
    }

    pub(super) fn questions(
        &mut self,
        dialog: &SelfId,
        questions: &[Question],
    ) -> Result<(), StoreError> {
        self.stamped_list(dialog, QUESTIONS, "questions", &questions)
    }

    pub(super) fn registry(&mut self, entries: &[RegistryEntry]) -> Result<(), StoreError> {
        let main = self.root.main();
        let body = serde_json::json!({ "entries": entries });
        let body = self.with_other_keys(&self.path(&main, REGISTRY), body)?;
        self.write_yaml(&main, REGISTRY, &body)
    }

    /// The keys of a newer writer at the top of the file stay as they are.
    pub(super) fn with_other_keys(
        &self,
        path: &Path,
        mut body: Value,
    ) -> Result<Value, StoreError> {
        if let Value::Object(ours) = &mut body {
            let known: Vec<&str> = ours.keys().map(String::as_str).collect();
            let others = self.other_keys(path, &known)?;
            ours.extend(others);
        }
        Ok(body)
    }

    pub(super) fn other_keys(
        &self,
        path: &Path,
        known: &[&str],
    ) -> Result<Map<String, Value>, StoreError> {
        let found = small_files::read_small(self.store.disk(), path, yaml::LIMIT_BYTES)?;
        let small_files::FileContent::Text(text) = found else {
            return Ok(Map::new());
        };
        let Ok(Value::Object(mut keys)) = yaml::parse(&text) else {
            return Ok(Map::new());
        };
        keys.retain(|key, _| !known.contains(&key.as_str()));
        Ok(keys)
    }

    pub(super) fn stack(
        &mut self,
        dialog: &SelfId,
        stack: &[AssignmentFrame],
    ) -> Result<(), StoreError> {
        let path = self.path(dialog, STACK);
        let mut text = String::new();
        for frame in self.frames(dialog, stack) {
            text.push_str(
                &serde_json::to_string(&frame).map_err(|error| encode_error(&path, &error))?,
            );
            text.push('\n');
        }
        self.write_state(&path, &text)
    }

    pub(super) fn queue(
        &mut self,
        dialog: &SelfId,
        queue: &[QueuedPrompt],
    ) -> Result<(), StoreError> {
        let path = self.store.layout.queue(&self.id(dialog));
        let prompts = || WaitingPrompts { prompts: queue.to_vec() };
        self.own_file(dialog, &path, (!queue.is_empty()).then(prompts))
    }

    pub(super) fn answers(
        &mut self,
        dialog: &SelfId,
        answers: Option<&PartAnswers>,
    ) -> Result<(), StoreError> {
        let path = self.store.layout.answers(&self.id(dialog));
        self.own_file(dialog, &path, answers)
    }

    /// Writes a file of our own about a dialog, or removes it. The course is synced before, as it holds what the file
    /// no longer says: a rename may reach the medium earlier than lines.
    fn own_file<T: Serialize>(
        &mut self,
        dialog: &SelfId,
        path: &Path,
        content: Option<T>,
    ) -> Result<(), StoreError> {
        if small_files::kind_of(path)?.is_some() {
            self.sync_lines()?;
        }
        let Some(content) = content else { return self.remove(path) };
        let (disk, top) = (self.store.disk(), self.store.layout.dialogs());
        let touched = small_files::make_folders(disk, &top, path.parent().unwrap_or(&top))?;
        self.unsynced.folders.extend(touched);
        let text = waiting_files::text_of_dialog(&self.id(dialog), content)
            .map_err(|error| encode_error(path, &error))?;
        // It was acknowledged, and no course holds it.
        self.safely(|writer| writer.write_state(path, &text))
    }

    /// Syncs the state files that are written in `write` before they are renamed.
    fn safely(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let is_safe = self.store.options.sync > SyncLevel::Off;
        let sync_states = std::mem::replace(&mut self.sync_states, is_safe);
        let written = write(self);
        self.sync_states = sync_states;
        written
    }

    /// True if a file with a stamp of its own holds this list already.
    pub(super) fn has_same_list(
        &self,
        path: &Path,
        key: &str,
        list: &Value,
    ) -> Result<bool, StoreError> {
        let found = small_files::read_small(self.store.disk(), path, yaml::LIMIT_BYTES)?;
        let small_files::FileContent::Text(text) = found else {
            return Ok(false);
        };
        Ok(yaml::parse(&text).is_ok_and(|value| {
            value.get(key) == Some(list) && value.get("updatedAt").is_some_and(Value::is_string)
        }))
    }

    /// Replaces a state file unless it says the same already.
    fn write_state(&mut self, path: &Path, text: &str) -> Result<(), StoreError> {
        let disk = self.store.disk();
        let found = small_files::read_small(disk, path, yaml::LIMIT_BYTES)?;
        if found == small_files::FileContent::Text(text.to_owned()) {
            return Ok(());
        }
        self.store.salvage_before_change(path)?;
        self.save_previous(path, found);
        small_files::replace(disk, path, text.as_bytes(), self.sync_states)?;
        if self.sync_states {
            self.unsynced.folders.extend(path.parent().map(Path::to_owned));
        }
        Ok(())
    }

    /// Removes a state file, and copies of it that were never moved in its place: the next reader would
    /// take one of them for it.
    pub(super) fn remove(&mut self, path: &Path) -> Result<(), StoreError> {
        let folder = path.parent().and_then(|folder| DialogFolder::open(folder).ok());
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        for copy in folder.iter().flat_map(|folder| folder.temps_of(name)) {
            small_files::remove(self.store.disk(), &copy)?;
        }
        if small_files::kind_of(path)? != Some(small_files::FileKind::File) {
            return Ok(());
        }
        self.store.salvage_before_change(path)?;
        let found = small_files::read_small(self.store.disk(), path, yaml::LIMIT_BYTES)?;
        self.save_previous(path, found);
        small_files::remove(self.store.disk(), path)
    }

    fn save_previous(&mut self, path: &Path, found: small_files::FileContent) {
        match found {
            small_files::FileContent::Text(text) => self.before.push((path.to_owned(), Some(text))),
            small_files::FileContent::Absent => self.before.push((path.to_owned(), None)),
            small_files::FileContent::Damaged(_) | small_files::FileContent::Misplaced(_) => {}
        }
    }
}

pub(super) fn encode_error(path: &Path, error: &impl ToString) -> StoreError {
    StoreError::Encode { path: path.to_owned(), text: error.to_string() }
}
