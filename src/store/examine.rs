//! The doctor's look at everything: damage and contradictions, not the states a crash or Dominds leaves
//! behind in the normal course. Changes nothing.

use crate::domain::tree::Bucket;
use crate::domain::{AgentId, Problem, RootId};

use super::error::StoreError;
use super::files::{self, Found};
use super::layout::{ARTIFACTS, RESPONSES, SIDE_DIALOGS};
use super::notes::Notes;
use super::parts::json_list;
use super::scan::Depth;
use super::survey::rings_in;
use super::{Store, walk};

/// Largest file of replies looked at, in bytes.
const LIMIT: usize = 16 * 1024 * 1024;

impl Store {
    /// What needs mending, in the order of the folders.
    #[must_use]
    pub fn examine(&self) -> Vec<Problem> {
        let mut problems = self.examine_top();
        problems.extend(self.examine_personal());
        for bucket in Bucket::ALL {
            let (roots, found) = self.roots(bucket);
            problems.extend(found);
            for root in roots {
                match self.read_tree(bucket, &root, Depth::Whole) {
                    Ok(read) => {
                        problems.extend(rings_in(&read));
                        problems.extend(read.problems);
                        if !read.earlier {
                            problems.extend(self.examine_extras(bucket, &root));
                        }
                    }
                    Err(error) => problems.extend(self.unlisted(bucket, &root, error)),
                }
            }
        }
        problems.dedup();
        problems
    }

    /// Trees that were set aside.
    fn examine_top(&self) -> Vec<Problem> {
        let mut notes = Notes::new(&self.layout);
        let top = self.layout.dialogs();
        let is_folder = matches!(files::kind_of(&top), Ok(Some(files::Kind::Folder)));
        let malformed = self.layout.malformed();
        if is_folder {
            for id in walk::dialogs_below(self.disk(), &malformed, &mut notes).unwrap_or_default() {
                let text = format!("the tree {id} was quarantined");
                let mend = format!("mend it there, then: doctor --restore {id}");
                notes.add("quarantined", &malformed.join(&id), text, &mend);
            }
        }
        notes.finish(&top)
    }

    /// Reminders members share.
    fn examine_personal(&self) -> Vec<Problem> {
        let Ok(folders) = std::fs::read_dir(self.layout.reminders()) else {
            return Vec::new();
        };
        let mut agents: Vec<AgentId> = folders
            .flatten()
            .filter_map(|folder| folder.file_name().to_str().map(AgentId::new))
            .collect();
        agents.sort();
        let read = agents.iter().filter_map(|agent| self.personal_reminders(agent).ok());
        read.flat_map(|(_, problems)| problems).collect()
    }

    /// Files of a tree that loading does not look at.
    fn examine_extras(&self, bucket: Bucket, root: &RootId) -> Vec<Problem> {
        let mut notes = Notes::new(&self.layout);
        let folder = self.layout.root(bucket, root);
        for name in RESPONSES {
            let path = folder.join(name);
            if let Some(why) = self.responses_damage(&path) {
                let text = format!("damaged: {why}; no dialog relies on it");
                notes.add("damaged", &path, text, "move it away");
            }
        }
        match walk::stray_identities(&folder, &[SIDE_DIALOGS, ARTIFACTS]) {
            Ok(found) => {
                for path in found {
                    let text = "a dialog.yaml in a strange place: Dominds would set the tree aside";
                    notes.add("stray", &path, text, "move the folder out of .dialogs");
                }
            }
            Err(error) => notes.add("unreadable", &folder, error.to_string(), "check it"),
        }
        notes.finish(&folder)
    }

    fn responses_damage(&self, path: &std::path::Path) -> Option<String> {
        match files::read_small(self.disk(), path, LIMIT) {
            Ok(Found::Absent) => None,
            Ok(Found::Text(text)) => match json_list::<serde_json::Map<_, _>>(&text) {
                Ok((_, why)) => why,
                Err(why) => Some(why),
            },
            Ok(Found::Damaged(why)) => Some(why),
            Ok(Found::Misplaced(what)) => Some(format!("it is {what}")),
            Err(StoreError::Io { source, .. }) => Some(source.to_string()),
            Err(error) => Some(error.to_string()),
        }
    }
}
