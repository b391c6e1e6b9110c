//! Reminders that all dialogs of one member share: `.dialogs/reminders/<agent>/<id>.json`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::domain::{AgentId, Problem, Reminder};

use super::Store;
use super::error::StoreError;
use super::files::{self, Found};
use super::layout::is_plain_name;
use super::notes::Notes;

/// Largest reminder read, in bytes.
const LIMIT: usize = 1024 * 1024;
const SUFFIX: &str = ".json";

impl Store {
    /// The reminders of a member, oldest first, and the files that are none.
    pub fn personal_reminders(
        &self,
        agent: &AgentId,
    ) -> Result<(Vec<Reminder>, Vec<Problem>), StoreError> {
        let folder = self.personal_folder(agent)?;
        let mut notes = Notes::new(&self.layout);
        let mut reminders = Vec::new();
        for path in self.personal_files(agent)?.into_values() {
            let damage = match files::read_small(self.disk(), &path, LIMIT)? {
                Found::Absent => continue,
                Found::Text(text) => match serde_json::from_str::<Reminder>(&text) {
                    Ok(reminder) => {
                        reminders.push(reminder);
                        continue;
                    }
                    Err(error) => error.to_string(),
                },
                Found::Damaged(why) => why,
                Found::Misplaced(what) => format!("it is {what}"),
            };
            let text = format!("damaged: {damage}");
            notes.add("reminder", &path, text, "mend it or move it away");
        }
        reminders.sort_by(|a, b| (&a.created_at, &a.id).cmp(&(&b.created_at, &b.id)));
        Ok((reminders, notes.finish(&folder)))
    }

    /// Makes these the reminders of a member. Files that could not be read stay.
    pub fn write_personal_reminders(
        &self,
        agent: &AgentId,
        reminders: &[Reminder],
    ) -> Result<(), StoreError> {
        self.must_write()?;
        let folder = self.personal_folder(agent)?;
        for reminder in reminders {
            let path = folder.join(format!("{}{SUFFIX}", stem(&reminder.id)?));
            let text = serde_json::to_string_pretty(reminder).map_err(|error| {
                StoreError::Encode { path: path.clone(), text: error.to_string() }
            })?;
            files::make_folders(self.disk(), &self.layout.dialogs(), &folder)?;
            if files::read_small(self.disk(), &path, LIMIT)? != Found::Text(text.clone()) {
                files::replace(self.disk(), &path, text.as_bytes(), false)?;
            }
        }
        let (before, _) = self.personal_reminders(agent)?;
        for gone in before.iter().filter(|old| reminders.iter().all(|new| new.id != old.id)) {
            let path = folder.join(format!("{}{SUFFIX}", stem(&gone.id)?));
            files::remove(self.disk(), &path)?;
        }
        Ok(())
    }

    fn personal_folder(&self, agent: &AgentId) -> Result<PathBuf, StoreError> {
        Ok(self.layout.personal(stem(agent.as_str())?))
    }

    /// The JSON files of a member, by the ids in their names.
    fn personal_files(&self, agent: &AgentId) -> Result<BTreeMap<String, PathBuf>, StoreError> {
        let folder = self.personal_folder(agent)?;
        let mut found = BTreeMap::new();
        if !files::is_folder_below(&self.layout.dialogs(), &folder)? {
            return Ok(found);
        }
        let failed = |error| StoreError::io("reading", &folder)(error);
        for entry in fs::read_dir(&folder).map_err(failed)? {
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

fn stem(name: &str) -> Result<&str, StoreError> {
    if is_plain_name(name) { Ok(name) } else { Err(StoreError::BadName { name: name.to_owned() }) }
}
