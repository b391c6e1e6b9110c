//! The doctor's look at everything: damage and contradictions, not the states a crash or Dominds leaves
//! behind in the normal course. Changes nothing.

use crate::domain::dialogs::tree::Bucket;
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{AgentId, Problem, RootId};

use super::survey::cycles_in;
use crate::store::codec::lists::json_list;
use crate::store::disk::error::{StoreError, fix_of_foreign_aside};
use crate::store::disk::layout::{ARTIFACTS, RESPONSES, SIDE_DIALOGS};
use crate::store::disk::problem_collector::ProblemCollector;
use crate::store::disk::small_files::{self, FileContent};
use crate::store::reading::Reader;
use crate::store::reading::set_aside::{fix_and_restore, without_suffix};
use crate::store::trees::folder_walk;
use crate::store::trees::scan::ScanDepth;

/// Largest file of replies looked at, in bytes.
const MAX_RESPONSES_BYTES: usize = 16 * 1024 * 1024;

impl Reader {
    /// The problems to be fixed, in the order of the folders.
    #[must_use]
    pub fn examine(&self) -> Vec<Problem> {
        let mut problems = self.examine_top();
        problems.extend(self.examine_personal());
        for bucket in Bucket::ALL {
            let (roots, found) = self.roots(bucket);
            problems.extend(found);
            for root in roots {
                match self.read_tree(bucket, &root, ScanDepth::Full) {
                    Ok(read) => {
                        problems.extend(cycles_in(&read));
                        problems.extend(read.problems);
                        if read.foreign.is_none() {
                            problems.extend(self.examine_extras(bucket, &root));
                        }
                    }
                    Err(error) => problems.extend(self.listing_problem(bucket, &root, error)),
                }
            }
        }
        problems.dedup();
        problems
    }

    /// Trees that were set aside.
    fn examine_top(&self) -> Vec<Problem> {
        let mut problems = ProblemCollector::new(&self.layout);
        let top = self.layout.dialogs();
        let is_folder =
            matches!(small_files::kind_of(&top), Ok(Some(small_files::FileKind::Folder)));
        let malformed = self.layout.malformed();
        if is_folder {
            for id in folder_walk::dialogs_below(self.disk(), &malformed, &mut problems)
                .unwrap_or_default()
            {
                let root = RootId::new(without_suffix(&id));
                // Where this cannot be told, the attempt to restore it says why.
                let foreign = self.foreign_aside(&id, &root).unwrap_or_default();
                let text = localized!("the tree {id} was quarantined", "树 {id} 已隔离");
                let (text, fix) = match foreign {
                    None => (text, fix_and_restore(&id)),
                    Some(layout) => {
                        let reason = layout.reason();
                        let text = text.and(localized!([reason] "; it {reason}", "；它{reason}"));
                        (text, fix_of_foreign_aside(&root, layout))
                    }
                };
                problems.add("quarantined", &malformed.join(&id), text, fix);
            }
        }
        problems.finish(&top)
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
        agents.sort_unstable();
        agents.iter().flat_map(|agent| self.readable_reminders(agent).1).collect()
    }

    /// Files of a tree that loading does not look at.
    fn examine_extras(&self, bucket: Bucket, root: &RootId) -> Vec<Problem> {
        let mut problems = ProblemCollector::new(&self.layout);
        let folder = self.layout.root(bucket, root);
        for name in RESPONSES {
            let path = folder.join(name);
            if let Some(why) = self.responses_damage(&path) {
                let unused = Text::new("; no dialog relies on it", "；没有对话依赖它");
                let fix = Text::new("move it away", "请将其移走");
                problems.add("damaged", &path, small_files::damaged(&why).and(unused), fix);
            }
        }
        match folder_walk::stray_identities(&folder, &[SIDE_DIALOGS, ARTIFACTS]) {
            Ok(found) => {
                for path in found {
                    let text = Text::new(
                        "a dialog.yaml in a strange place: Dominds would set the tree aside",
                        "dialog.yaml 的位置不对：Dominds 会把该树移到一旁",
                    );
                    let fix =
                        Text::new("move the folder out of .dialogs", "请把该文件夹移出 .dialogs");
                    problems.add("stray", &path, text, fix);
                }
            }
            Err(error) => {
                let text = localized!("{error}", "无法读取：{error}");
                problems.add("unreadable", &folder, text, Text::new("check it", "请检查"));
            }
        }
        problems.finish(&folder)
    }

    fn responses_damage(&self, path: &std::path::Path) -> Option<Localized> {
        match small_files::read_small(self.disk(), path, MAX_RESPONSES_BYTES) {
            Ok(FileContent::Absent) => None,
            Ok(FileContent::Text(text)) => match json_list::<serde_json::Map<_, _>>(&text) {
                Ok((_, why)) => why,
                Err(why) => Some(why),
            },
            Ok(FileContent::Damaged(why)) => Some(why),
            Ok(FileContent::Misplaced(what)) => Some(small_files::it_is(what)),
            Err(StoreError::Io { source, .. }) => Some(Localized::same(source.to_string())),
            Err(error) => Some(Localized::same(error.to_string())),
        }
    }
}
