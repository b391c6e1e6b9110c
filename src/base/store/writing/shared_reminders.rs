//! Changing reminders that all dialogs of one member share.

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use crate::domain::dialogs::reminder::{SharedEdit, TASK};
use crate::domain::text::json;
use crate::domain::{AgentId, Reminder};

use super::commit::BatchWriter;
use crate::store::codec::v1_29::scopes;
use crate::store::codec::v1_29::task_folder::task_folder;
use crate::store::disk::error::StoreError;
use crate::store::disk::small_files::{self, FileContent};
use crate::store::reading::personal::{MAX_REMINDER_BYTES, SUFFIX, stem};

impl BatchWriter<'_> {
    /// Writes, rewrites or removes one reminder. One that is gone meanwhile stays gone, one that
    /// cannot be read stays as it is.
    pub(super) fn shared_reminder(
        &mut self,
        agent: &AgentId,
        edit: &SharedEdit,
    ) -> Result<(), StoreError> {
        let store = self.store;
        let _guard = store.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = self.shared_folder(agent, edit)?;
        let path = folder.join(format!("{}{SUFFIX}", stem(edit.id())?));
        // These files are the truth, not an index that the courses could give back.
        let sync_states = std::mem::replace(&mut self.sync_states, self.durable);
        let written = self.edit_shared(&folder, &path, edit);
        self.sync_states = sync_states;
        written
    }

    /// Where the file is, or is to be.
    fn shared_folder(&self, agent: &AgentId, edit: &SharedEdit) -> Result<PathBuf, StoreError> {
        let store = self.store;
        let Some(step) = self.step else { return store.personal_folder(agent) };
        let agent = stem(agent.as_str())?;
        let taskdoc = step.after.main().map(|main| main.meta.task_doc_path.as_str());
        let of_task = store.layout.of_task(agent, &task_folder(taskdoc.unwrap_or_default()));
        let is_of_task = match edit {
            SharedEdit::Add(reminder) => reminder.scope == TASK,
            SharedEdit::Rewrite { .. } | SharedEdit::Renew(_) | SharedEdit::Remove { .. } => {
                let name = format!("{}{SUFFIX}", stem(edit.id())?);
                small_files::kind_of(&of_task.join(name))?.is_some()
            }
        };
        Ok(if is_of_task { of_task } else { store.layout.of_agent(agent) })
    }

    /// A shared reminder as its file has it.
    fn as_written(&self, reminder: &Reminder) -> Reminder {
        let reminder = reminder.clone();
        if self.step.is_some() { scopes::there(reminder) } else { reminder }
    }

    fn edit_shared(
        &mut self,
        folder: &Path,
        path: &Path,
        edit: &SharedEdit,
    ) -> Result<(), StoreError> {
        let store = self.store;
        match edit {
            SharedEdit::Add(reminder) => {
                let top = store.layout.dialogs();
                let touched = small_files::make_folders(store.disk(), &top, folder)?;
                self.unsynced.folders.extend(touched);
                self.write_json(path, &self.as_written(reminder))
            }
            SharedEdit::Rewrite { rewrite, .. } => {
                let FileContent::Text(text) =
                    small_files::read_small(store.disk(), path, MAX_REMINDER_BYTES)?
                else {
                    return Ok(());
                };
                let Ok(mut reminder) = json::read::<Reminder>(&text) else {
                    return Ok(());
                };
                rewrite.clone().apply_to(&mut reminder);
                self.write_json(path, &reminder)
            }
            SharedEdit::Renew(reminder) => match small_files::kind_of(path)? {
                Some(_) => self.write_json(path, &self.as_written(reminder)),
                None => Ok(()),
            },
            SharedEdit::Remove { .. } => {
                if small_files::kind_of(path)?.is_some() {
                    self.unsynced.folders.insert(folder.to_owned());
                }
                self.remove(path)
            }
        }
    }
}
