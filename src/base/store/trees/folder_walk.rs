//! Finds dialog folders: bounded in depth and number, never through a link. What is strange is
//! reported, not followed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::domain::ids::is_dialog_path;
use crate::domain::text::{Text, localized};

use crate::store::disk::Disk;
use crate::store::disk::error::{FileAction, StoreError};
use crate::store::disk::file_stamps::{FileStamp, FolderStamps};
use crate::store::disk::in_parallel::in_parallel;
use crate::store::disk::layout::{DIALOG, LATEST, SIDE_DIALOGS, STACK, parse_course_file};
use crate::store::disk::problem_collector::ProblemCollector;
use crate::store::disk::small_files::{self, FileKind};

/// Folders an id may have; real ids have 3.
const MAX_DEPTH: usize = 8;
/// Fewer folders than this are not worth a thread.
const MIN_PER_THREAD: usize = 32;
/// Entries looked at below one start folder, by each core.
const MAX_ENTRIES: usize = 1_000_000;

/// The dialogs found below a folder: their ids, which are their paths below it.
pub(in crate::store) fn dialogs_below(
    disk: &dyn Disk,
    top: &Path,
    problems: &mut ProblemCollector,
) -> Result<Vec<String>, StoreError> {
    dialogs_and_folders_below(disk, top, problems).map(|found| found.ids)
}

/// What a walk found.
#[derive(Debug, Default)]
pub(in crate::store) struct WalkResult {
    /// The ids of the dialogs.
    pub ids: Vec<String>,
    /// The folders above them, with stamps taken before they were read.
    pub folders: Vec<FolderStamps>,
}

/// As [`dialogs_below`], with the folders it went through.
pub(in crate::store) fn dialogs_and_folders_below(
    disk: &dyn Disk,
    top: &Path,
    problems: &mut ProblemCollector,
) -> Result<WalkResult, StoreError> {
    match small_files::kind_of(top)? {
        None => return Ok(WalkResult::default()),
        Some(FileKind::Folder) => {}
        Some(kind) => {
            let what = kind.misplaced_file().unwrap_or(small_files::NO_FOLDER);
            let fix = Text::new("move it away", "请将其移走");
            problems.add("misplaced", top, small_files::it_is_ignored(what), fix);
            return Ok(WalkResult::default());
        }
    }
    let mut walk = FolderWalk { disk, problems, left: MAX_ENTRIES, found: WalkResult::default() };
    let own = stamps_of(top)?;
    let entries = walk.entries(top)?.unwrap_or_default();
    let shares = in_parallel(&entries, MIN_PER_THREAD, |entries| {
        let mut problems = walk.problems.empty_copy();
        let mut walk = FolderWalk {
            disk,
            problems: &mut problems,
            left: walk.left,
            found: WalkResult::default(),
        };
        let walked = entries.iter().try_for_each(|entry| walk.child(top, "", entry, 1));
        (walked.map(|()| walk.found), problems)
    });
    let mut found = WalkResult { ids: Vec::new(), folders: vec![own] };
    for (part, seen) in shares {
        problems.append(seen);
        let part = part?;
        found.ids.extend(part.ids);
        found.folders.extend(part.folders);
    }
    found.ids.sort_unstable();
    Ok(found)
}

fn stamps_of(folder: &Path) -> Result<FolderStamps, StoreError> {
    let meta = fs::symlink_metadata(folder).map_err(StoreError::io(FileAction::Reading, folder))?;
    Ok(FolderStamps::new(folder.to_owned(), FileStamp::of(&meta)))
}

struct FolderWalk<'a> {
    disk: &'a dyn Disk,
    problems: &'a mut ProblemCollector,
    left: usize,
    found: WalkResult,
}

impl FolderWalk<'_> {
    fn folder(&mut self, path: &Path, id: &str, depth: usize) -> Result<(), StoreError> {
        if depth > MAX_DEPTH {
            let text =
                Text::new("folders are nested too deeply: ignored", "文件夹嵌套过深：已忽略");
            self.problems.add("nested", path, text, Text::new("move them away", "请将其移走"));
            return Ok(());
        }
        let own = stamps_of(path)?;
        let Some(entries) = self.entries(path)? else {
            return Ok(());
        };
        if entries.iter().any(|(name, _)| marks_a_dialog(name)) {
            self.found.ids.push(id.to_owned());
            return Ok(());
        }
        self.found.folders.push(own);
        entries.iter().try_for_each(|entry| self.child(path, id, entry, depth + 1))
    }

    /// Goes on with an entry of the folder with this id.
    fn child(
        &mut self,
        folder: &Path,
        id: &str,
        (name, kind): &(String, FileKind),
        depth: usize,
    ) -> Result<(), StoreError> {
        let path = folder.join(name);
        match kind {
            FileKind::Folder if id.is_empty() => self.folder(&path, name, depth),
            FileKind::Folder => self.folder(&path, &format!("{id}/{name}"), depth),
            FileKind::Link => {
                if let Some(what) = kind.misplaced_file() {
                    let fix = Text::new("move it away", "请将其移走");
                    self.problems.add("misplaced", &path, small_files::it_is_ignored(what), fix);
                }
                Ok(())
            }
            FileKind::File | FileKind::Other => Ok(()),
        }
    }

    /// What lies in a folder, in order. `None` if it cannot be looked into now.
    fn entries(&mut self, path: &Path) -> Result<Option<Vec<(String, FileKind)>>, StoreError> {
        // Through the disk first, so that an unreadable folder shows as such.
        if let Err(error) = self.disk.open_read(path) {
            let text = localized!("unreadable now: {error}", "现在无法读取：{error}");
            let fix = Text::new("check its permissions", "请检查其权限");
            self.problems.add("unreadable", path, text, fix);
            return Ok(None);
        }
        let failed = |error| StoreError::io(FileAction::Reading, path)(error);
        let mut found = Vec::new();
        for entry in fs::read_dir(path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let Some(left) = self.left.checked_sub(1) else {
                let text = localized!(
                    "more than {MAX_ENTRIES} entries: the rest is ignored",
                    "超过 {MAX_ENTRIES} 项：其余已忽略"
                );
                let fix = Text::new("move old dialogs away", "请移走旧的对话");
                self.problems.add("crowded", path, text, fix);
                break;
            };
            self.left = left;
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|name| is_dialog_path(name)) else {
                self.report_bad_name(path, &name.to_string_lossy());
                continue;
            };
            let kind = FileKind::of(entry.file_type().map_err(failed)?);
            found.push((name.to_owned(), kind));
        }
        found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Ok(Some(found))
    }

    fn report_bad_name(&mut self, folder: &Path, name: &str) {
        if name == SIDE_DIALOGS {
            return;
        }
        let shown: String = name.escape_debug().take(80).collect();
        let text = localized!(
            "the name \"{shown}\" cannot be a dialog's: ignored",
            "名称 \"{shown}\" 不能是对话的：已忽略"
        );
        let fix = Text::new("rename it or move it away", "请改名，或将其移走");
        self.problems.add("name", folder, text, fix);
    }
}

/// A folder with one of these files is a dialog's, whole or not.
fn marks_a_dialog(name: &str) -> bool {
    name == DIALOG || name == LATEST || name == STACK || parse_course_file(name).is_some()
}

/// Copies of `dialog.yaml` in strange places, which make Dominds set the whole tree aside.
pub(in crate::store) fn stray_identities(
    folder: &Path,
    skip: &[&str],
) -> Result<Vec<PathBuf>, StoreError> {
    let failed = |error| StoreError::io(FileAction::Reading, folder)(error);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if skip.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        let identity = entry.path().join(DIALOG);
        if small_files::kind_of(&entry.path())? == Some(FileKind::Folder)
            && small_files::kind_of(&identity)?.is_some()
        {
            found.push(identity);
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// True if a folder holds a dialog, whole or not.
pub(in crate::store) fn is_dialog(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|entries| {
        entries.flatten().any(|entry| entry.file_name().to_str().is_some_and(marks_a_dialog))
    })
}
