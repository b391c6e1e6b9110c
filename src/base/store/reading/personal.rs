//! Reminders that all dialogs of one member share: `.dialogs/reminders/<agent>/<id>.json`. In the layout of Dominds 1.29
//! they are below `agents/<agent>/`, and those of one Taskdoc below `agent_tasks/<agent>/`.
//!
//! They belong to no tree, and several trees may change them. Each file is one reminder and is replaced
//! whole; a change is applied to what the file holds then, one change at a time. Nobody keeps them in
//! memory, so what is on disk is what every dialog sees next.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::domain::text::json;
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{self, AgentId, DialogMeta, Problem, Reminder};

use super::Reader;
use crate::store::codec::v1_29::scopes;
use crate::store::codec::v1_29::task_folder::task_folder;
use crate::store::disk::error::{FileAction, StoreError};
use crate::store::disk::layout::is_plain_name;
use crate::store::disk::problem_collector::ProblemCollector;
use crate::store::disk::small_files::{self, FileContent};

/// Largest reminder read, in bytes.
pub(in crate::store) const MAX_REMINDER_BYTES: usize = 1024 * 1024;
/// Most bytes of all reminders of a member.
const MAX_MEMBER_BYTES: usize = 4 * 1024 * 1024;
/// The ending of their names.
pub(in crate::store) const SUFFIX: &str = ".json";

impl Reader {
    /// The reminders of a member, oldest first, and the files that are none.
    pub fn personal_reminders(
        &self,
        agent: &AgentId,
    ) -> Result<(Vec<Reminder>, Vec<Problem>), StoreError> {
        self.reminders_in(&[self.personal_folder(agent)?])
    }

    /// The reminders that a dialog shares with others, oldest first, and the files that are none. `layout`: that of its
    /// tree.
    pub fn shared_reminders(
        &self,
        layout: domain::Layout,
        dialog: &DialogMeta,
    ) -> Result<(Vec<Reminder>, Vec<Problem>), StoreError> {
        let agent = stem(dialog.agent_id.as_str())?;
        match layout {
            domain::Layout::V1_19 => self.personal_reminders(&dialog.agent_id),
            domain::Layout::V1_29 => {
                let task = self.layout.of_task(agent, &task_folder(&dialog.task_doc_path));
                let (found, problems) = self.reminders_in(&[self.layout.of_agent(agent), task])?;
                Ok((found.into_iter().map(scopes::in_domain).collect(), problems))
            }
        }
    }

    fn reminders_in(
        &self,
        folders: &[PathBuf],
    ) -> Result<(Vec<Reminder>, Vec<Problem>), StoreError> {
        let mut problems = ProblemCollector::new(&self.layout);
        let mut reminders = Vec::new();
        let mut remaining = MAX_MEMBER_BYTES;
        let mut files = Vec::new();
        for folder in folders {
            files.extend(self.files_in(folder)?.into_values());
        }
        for path in files {
            let damage = match small_files::read_small(self.disk(), &path, MAX_REMINDER_BYTES)? {
                FileContent::Absent => continue,
                FileContent::Text(text) if text.len() > remaining => {
                    let text = localized!(
                        "left out: there are more than {MAX_MEMBER_BYTES} bytes of them",
                        "未采用：它们总共超过 {MAX_MEMBER_BYTES} 字节"
                    );
                    let fix =
                        Text::new("make the reminders of this member fewer", "请减少该成员的提醒");
                    problems.add("reminder", &path, text, fix);
                    continue;
                }
                FileContent::Text(text) => match json::read::<Reminder>(&text) {
                    Ok(reminder) => {
                        remaining -= text.len();
                        reminders.push(reminder);
                        continue;
                    }
                    Err(error) => Localized::same(error.to_string()),
                },
                FileContent::Damaged(why) => why,
                FileContent::Misplaced(what) => small_files::it_is(what),
            };
            let fix = Text::new("fix it or move it away", "请修正它，或将其移走");
            problems.add("reminder", &path, small_files::damaged(&damage), fix);
        }
        reminders.sort_unstable_by(|a, b| (&a.created_at, &a.id).cmp(&(&b.created_at, &b.id)));
        let top = folders.first().map_or_else(|| self.layout.reminders(), PathBuf::clone);
        Ok((reminders, problems.finish(&top)))
    }

    /// The reminders of a member that can be read, and why the others cannot.
    pub fn readable_reminders(&self, agent: &AgentId) -> (Vec<Reminder>, Vec<Problem>) {
        let read = self.personal_reminders(agent);
        self.or_problem(read, &self.layout.personal(agent.as_str()))
    }

    /// As [`Self::shared_reminders`], with why others cannot be read.
    pub fn readable_shared(
        &self,
        layout: domain::Layout,
        dialog: &DialogMeta,
    ) -> (Vec<Reminder>, Vec<Problem>) {
        let agent = dialog.agent_id.as_str();
        let folder = match layout {
            domain::Layout::V1_19 => self.layout.personal(agent),
            domain::Layout::V1_29 => self.layout.of_agent(agent),
        };
        self.or_problem(self.shared_reminders(layout, dialog), &folder)
    }

    fn or_problem(
        &self,
        read: Result<(Vec<Reminder>, Vec<Problem>), StoreError>,
        folder: &Path,
    ) -> (Vec<Reminder>, Vec<Problem>) {
        read.unwrap_or_else(|error| {
            let folder = self.layout.display_path(folder);
            let id = format!("store/reminder/{folder}");
            let fix = Text::new(
                "make the folder and its files readable",
                "请使该文件夹及其中的文件可以读取",
            );
            (Vec::new(), vec![Problem::new(id, folder, error.message(), fix)])
        })
    }

    pub(in crate::store) fn personal_folder(&self, agent: &AgentId) -> Result<PathBuf, StoreError> {
        Ok(self.layout.personal(stem(agent.as_str())?))
    }

    /// The JSON files of a folder, by the ids in their names.
    pub(in crate::store) fn files_in(
        &self,
        folder: &Path,
    ) -> Result<BTreeMap<String, PathBuf>, StoreError> {
        let mut found = BTreeMap::new();
        if !small_files::is_folder_below(&self.layout.dialogs(), folder)? {
            return Ok(found);
        }
        let failed = |error| StoreError::io(FileAction::Reading, folder)(error);
        for entry in fs::read_dir(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let id = name.to_str().and_then(|name| name.strip_suffix(SUFFIX));
            if let Some(id) = id.filter(|id| is_plain_name(id)) {
                found.insert(id.to_owned(), entry.path());
            }
        }
        Ok(found)
    }
}

/// A name of one part, as it is.
pub(in crate::store) fn stem(name: &str) -> Result<&str, StoreError> {
    if is_plain_name(name) { Ok(name) } else { Err(StoreError::BadName { name: name.to_owned() }) }
}
