//! A converted tree takes the place of the old one in one step, and the old one is kept.
//!
//! Where the file system swaps two folders in one step, there is a tree in that place at any moment. Where it cannot,
//! two renames do it, and a process that dies between them leaves the place empty until the next one opens the
//! workspace for writing.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::domain::dialogs::tree::Bucket;
use crate::domain::text::{Text, localized};
use crate::domain::{self, Problem, RootId};
use crate::yaml;

use crate::store::codec::v1_29::latest::is_of_this_layout;
use crate::store::disk::error::{FileAction, StoreError};
use crate::store::disk::layout::LATEST;
use crate::store::disk::options::SyncLevel;
use crate::store::disk::problem_collector::ProblemCollector;
use crate::store::disk::small_files::{self, FileContent};
use crate::store::trees::folder_walk;
use crate::store::writing::Store;

/// Copies of one tree that are kept.
const MAX_COPIES: u32 = 1000;
const LAYOUTS: [domain::Layout; 2] = [domain::Layout::V1_19, domain::Layout::V1_29];

impl Store {
    /// Puts the tree in `staged` in the place of the old one, and says where that is now.
    pub(super) fn take_place(
        &self,
        (bucket, root): (Bucket, &RootId),
        (from, to): (domain::Layout, domain::Layout),
        staged: &Path,
    ) -> Result<PathBuf, StoreError> {
        let place = self.layout.root(bucket, root);
        let ready = self.ready(to, bucket, root);
        let copy = self.free_copy(root, from)?;
        self.move_folder(staged, &ready)?;
        let exchanged = self.disk().exchange(&place, &ready);
        self.forget(root, &place);
        match exchanged {
            Ok(()) => {
                self.sync_parents(&[&place, &ready])?;
                self.move_folder(&ready, &copy)?;
            }
            Err(error) if is_unsupported(&error) => {
                self.move_folder(&place, &copy)?;
                self.move_folder(&ready, &place)?;
            }
            Err(error) => return Err(StoreError::io(FileAction::Moving, &place)(error)),
        }
        Ok(copy)
    }

    /// Finishes or takes back what a process did not finish: see [`Self::take_place`]. Returns what stays unfinished.
    pub(in crate::store::writing) fn finish_conversions(&self) -> Vec<Problem> {
        let mut unfinished = Vec::new();
        for to in LAYOUTS {
            for bucket in Bucket::ALL {
                let top = self.layout.converting(to).join(bucket.folder());
                if !small_files::is_folder_below(&self.layout.dialogs(), &top).unwrap_or(false) {
                    continue;
                }
                let mut problems = ProblemCollector::new(&self.layout);
                let found = folder_walk::dialogs_below(self.disk(), &top, &mut problems);
                let ids = found.unwrap_or_else(|error| {
                    unfinished.push(self.unfinished(&top, &error));
                    Vec::new()
                });
                for id in ids {
                    let root = RootId::new(&id);
                    if let Err(error) = self.finish_conversion(to, bucket, &root) {
                        unfinished.push(self.unfinished(&self.ready(to, bucket, &root), &error));
                    }
                }
            }
        }
        unfinished
    }

    /// Nothing is lost: the folder stays, and the list of a driver that starts has the problem.
    fn unfinished(&self, folder: &Path, error: &StoreError) -> Problem {
        let path = self.layout.display_path(folder);
        tracing::warn!(path, %error, "a conversion could not be finished");
        let error = error.message();
        let text = localized!(
            [error] "a conversion of dialogs could not be finished: {error}",
            "对话的转换未能完成：{error}"
        );
        let fix = Text::new(
            "remove the cause and start again: it is finished then; until then what is here stays",
            "请排除原因后重新启动：届时会完成转换；在此之前，这里的内容会保留",
        );
        Problem::new(format!("store/unfinished-conversion/{path}"), path, text, fix)
    }

    fn finish_conversion(
        &self,
        to: domain::Layout,
        bucket: Bucket,
        root: &RootId,
    ) -> Result<(), StoreError> {
        let (place, ready) = (self.layout.root(bucket, root), self.ready(to, bucket, root));
        let Some(is_new) = self.is_in(to, &ready)? else {
            return Ok(());
        };
        // Somebody may have moved it meanwhile.
        let is_elsewhere = || Bucket::ALL.into_iter().any(|other| self.is_there(other, root));
        let stands = small_files::kind_of(&place)?.is_some() || is_elsewhere();
        match (is_new, stands) {
            // The old tree was not touched. Through the trash, so that no half of the other one stays.
            (true, true) => {
                self.own_files.remove_folder(&self.layout.trash());
                self.move_folder(&ready, &self.layout.trash().join("unfinished"))?;
                self.own_files.remove_folder(&self.layout.trash());
                Ok(())
            }
            (true, false) => self.move_folder(&ready, &place),
            (false, _) => {
                let from = LAYOUTS.into_iter().find(|layout| *layout != to).unwrap_or_default();
                let copy = self.free_copy(root, from)?;
                self.move_folder(&ready, &copy)
            }
        }
    }

    /// Whether a tree is in a layout, by its main dialog alone: a converted one always has its state. `None` where that
    /// cannot be read.
    fn is_in(&self, layout: domain::Layout, folder: &Path) -> Result<Option<bool>, StoreError> {
        let path = folder.join(LATEST);
        Ok(match small_files::read_small(self.disk(), &path, yaml::LIMIT_BYTES)? {
            FileContent::Absent => Some(false),
            FileContent::Text(text) => match yaml::parse(&text) {
                Ok(Value::Object(latest)) => {
                    Some(is_of_this_layout(&latest) == (layout == domain::Layout::V1_29))
                }
                Ok(_) | Err(_) => None,
            },
            FileContent::Damaged(_) | FileContent::Misplaced(_) => None,
        })
    }

    fn ready(&self, to: domain::Layout, bucket: Bucket, root: &RootId) -> PathBuf {
        self.layout.converting(to).join(bucket.folder()).join(root.as_str())
    }

    /// Where the old tree is kept.
    fn free_copy(&self, root: &RootId, from: domain::Layout) -> Result<PathBuf, StoreError> {
        let folder = self.layout.converted().join(root.as_str());
        for number in 1..=MAX_COPIES {
            let path = folder.join(format!("{}-{number}", from.name()));
            if small_files::kind_of(&path)?.is_none() {
                return Ok(path);
            }
        }
        Err(StoreError::Exists(folder))
    }

    fn sync_parents(&self, paths: &[&Path]) -> Result<(), StoreError> {
        if self.options.sync == SyncLevel::Off {
            return Ok(());
        }
        let mut parents = paths.iter().filter_map(|path| path.parent());
        parents.try_for_each(|folder| small_files::sync_path(self.disk(), folder))
    }
}

/// True if the file system cannot do it at all.
fn is_unsupported(error: &std::io::Error) -> bool {
    let codes = [libc::EINVAL, libc::ENOSYS, libc::EOPNOTSUPP];
    error.kind() == std::io::ErrorKind::Unsupported
        || error.raw_os_error().is_some_and(|code| codes.contains(&code))
}
