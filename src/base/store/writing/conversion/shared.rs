//! Reminders that dialogs share lie outside of trees. A conversion copies them to where the other layout looks for
//! them: under the same names, and none that is there already is overwritten. Those of the old layout stay, since other
//! trees may still read them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::domain::text::json;
use crate::domain::text::{Localized, localized};
use crate::domain::{self, DialogTree, Lost, SelfId};

use super::source::{Stop, read_text};
use crate::store::codec::conversion::{Keys, shared_reminder};
use crate::store::codec::v1_29::task_folder::task_folder;
use crate::store::disk::error::{FileAction, StoreError};
use crate::store::disk::options::SyncLevel;
use crate::store::disk::small_files;
use crate::store::reading::personal::{MAX_REMINDER_BYTES, SUFFIX, stem};
use crate::store::writing::Store;

/// Folders beside those of members: who is called so cannot have one of its own in both layouts.
const TAKEN: [&str; 2] = ["agents", "agent_tasks"];

/// Reminders to be written, by their paths.
pub(super) type SharedCopies = BTreeMap<PathBuf, String>;

impl Store {
    /// The reminders that the dialogs of a tree share, as the other layout has them.
    pub(super) fn shared_copies(
        &self,
        tree: &DialogTree,
        to: domain::Layout,
        lost: &mut Vec<Lost>,
    ) -> Result<SharedCopies, Stop> {
        let (mut copies, mut seen) = (SharedCopies::new(), BTreeSet::new());
        for dialog in tree.dialogs.values() {
            let agent = stem(dialog.meta.agent_id.as_str())?;
            if TAKEN.contains(&agent) {
                return Err(localized!(
                    "a member is called {agent}, which is the name of a folder of reminders in 1.29",
                    "有成员名为 {agent}，它是 1.29 中提醒文件夹的名称"
                )
                .into());
            }
            let task = self.layout.of_task(agent, &task_folder(&dialog.meta.task_doc_path));
            let (personal, of_agent) = (self.layout.personal(agent), self.layout.of_agent(agent));
            let (from, target) = match to {
                domain::Layout::V1_29 => (vec![personal], of_agent),
                domain::Layout::V1_19 => (vec![of_agent, task], personal),
            };
            for folder in from.into_iter().filter(|folder| seen.insert(folder.clone())) {
                for (id, path) in self.files_in(&folder)? {
                    let place = target.join(format!("{id}{SUFFIX}"));
                    if copies.contains_key(&place) || small_files::kind_of(&place)?.is_some() {
                        continue;
                    }
                    let reminder = self.shared_copy(&path, to, &dialog.meta.id, lost)?;
                    copies.extend(reminder.map(|text| (place, text)));
                }
            }
        }
        Ok(copies)
    }

    /// A reminder in the other layout; `None` if it is left out.
    fn shared_copy(
        &self,
        path: &Path,
        to: domain::Layout,
        dialog: &SelfId,
        lost: &mut Vec<Lost>,
    ) -> Result<Option<String>, Stop> {
        let opened = self.disk().open_read(path);
        let file = opened.map_err(StoreError::io(FileAction::Reading, path))?;
        let text = read_text(file, &self.layout, path, MAX_REMINDER_BYTES)?;
        let unreadable = |_| -> Localized {
            let shown = self.layout.display_path(path);
            localized!("{shown} cannot be read", "无法读取 {shown}")
        };
        let reminder: Keys = json::read(&text).map_err(unreadable)?;
        let (kept, losses) = shared_reminder(reminder, to);
        let of_dialog = |(loss, count)| Lost { dialog: dialog.clone(), loss, count };
        lost.extend(losses.into_iter().map(of_dialog));
        let Some(kept) = kept else { return Ok(None) };
        let written = serde_json::to_string_pretty(&kept);
        Ok(Some(written.map_err(|error| encode(path, &error))?))
    }

    /// Writes them, but none over another.
    pub(super) fn write_shared(&self, copies: &SharedCopies) -> Result<(), StoreError> {
        let is_synced = self.options.sync != SyncLevel::Off;
        for (path, text) in copies {
            let folder = path.parent().unwrap_or(path);
            let mut touched =
                small_files::make_folders(self.disk(), &self.layout.dialogs(), folder)?;
            if small_files::kind_of(path)?.is_none() {
                small_files::replace(self.disk(), path, text.as_bytes(), is_synced)?;
                touched.push(folder.to_owned());
            }
            if is_synced {
                touched.iter().try_for_each(|one| small_files::sync_path(self.disk(), one))?;
            }
        }
        Ok(())
    }
}

/// The error for a value that cannot be written.
pub(super) fn encode(path: &Path, error: &serde_json::Error) -> StoreError {
    StoreError::Encode { path: path.to_owned(), text: error.to_string() }
}
