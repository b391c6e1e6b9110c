//! Who else may read or change what belongs to this person alone: modes and owners below a folder.
//! Looks, and changes nothing; a person decides what is to be private.

use std::fs::{self, Metadata};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::domain::Problem;
use crate::domain::counted;

/// Files and folders that are looked at.
const MAX: usize = 200_000;
/// What only the owner should have.
const OTHERS: u32 = 0o077;
const WRITE: u32 = 0o022;

#[derive(Debug, Default)]
struct Found {
    /// Open to others, the first of them, and whether any of them can be changed.
    open: usize,
    first_open: Option<PathBuf>,
    writable: bool,
    /// Of another user, and the first of them.
    foreign: usize,
    first_foreign: Option<(PathBuf, u32)>,
}

/// What others may do with a folder of this program and with what is in it. `shown`: how the folder is
/// called. Where a folder is closed, the modes of what is in it do not matter.
#[must_use]
pub fn exposed(folder: &Path, shown: &str) -> Vec<Problem> {
    let Ok(top) = fs::symlink_metadata(folder) else { return Vec::new() };
    let (mut found, mut left) = (Found::default(), MAX);
    let mut todo = vec![(folder.to_owned(), top.clone(), true)];
    let me = rustix::process::geteuid().as_raw();
    while let Some((path, meta, reached)) = todo.pop() {
        found.look(&path, &meta, me, reached);
        if !meta.is_dir() {
            continue;
        }
        let open = reached && meta.permissions().mode() & OTHERS != 0;
        for entry in fs::read_dir(&path).into_iter().flatten().flatten() {
            let Some(fewer) = left.checked_sub(1) else { break };
            left = fewer;
            todo.extend(entry.metadata().ok().map(|meta| (entry.path(), meta, open)));
        }
    }
    found.problems(&top, folder, shown)
}

/// Who else than this person and the administrator can change a file: by its own mode and owner, or by
/// those of a folder on the way to it. `shown`: how the file is called.
#[must_use]
pub fn changeable(file: &Path, shown: &str) -> Option<Problem> {
    const FOR_ALL: u32 = 0o1000;
    let real = fs::canonicalize(file).ok()?;
    let me = rustix::process::geteuid().as_raw();
    let reason = real.ancestors().find_map(|path| {
        let meta = fs::metadata(path).ok()?;
        let mode = meta.mode();
        // In a folder for all, what belongs to somebody stays theirs.
        let open = mode & WRITE != 0 && !(meta.is_dir() && mode & FOR_ALL != 0);
        if meta.uid() != me && meta.uid() != 0 {
            Some((path, format!("belongs to user {}", meta.uid()), "chown $(id -u)"))
        } else if open {
            let mode = mode & 0o7777;
            Some((path, format!("can be written by others ({mode:04o})"), "chmod go-w"))
        } else {
            None
        }
    });
    let (path, why, mend) = reason?;
    let text = format!(
        "other users of this machine can change it, and with it what commands may do: {} {why}",
        path.display()
    );
    let mend = format!("look at what it says, then: {mend} {}", path.display());
    Some(Problem::new(format!("settings/{shown}"), shown.to_owned(), text, mend).warning())
}

impl Found {
    fn look(&mut self, path: &Path, meta: &Metadata, me: u32, reached: bool) {
        if meta.uid() != me {
            self.foreign += 1;
            self.first_foreign.get_or_insert_with(|| (path.to_owned(), meta.uid()));
        }
        let mode = meta.permissions().mode();
        // The mode of a link means nothing.
        if reached && !meta.is_symlink() && mode & OTHERS != 0 {
            self.open += 1;
            self.writable |= mode & WRITE != 0;
            self.first_open.get_or_insert_with(|| path.to_owned());
        }
    }

    fn problems(self, top: &Metadata, folder: &Path, shown: &str) -> Vec<Problem> {
        let name = |path: &Path| match path.strip_prefix(folder) {
            Ok(below) if !below.as_os_str().is_empty() => format!("{shown}/{}", below.display()),
            Ok(_) | Err(_) => shown.to_owned(),
        };
        let mut problems = Vec::new();
        if let Some(first) = &self.first_open {
            let may = if self.writable { "read or changed" } else { "read" };
            let more = match self.open - 1 {
                0 => String::new(),
                more => format!(", and {} in it", counted(more, "more", "more")),
            };
            let now = top.permissions().mode() & 0o7777;
            let text = format!("can be {may} by other users of this machine ({now:04o}){more}");
            let mend = format!("chmod -R go-rwx {shown}");
            problems.push(Problem::new(format!("mode/{shown}"), name(first), text, mend).warning());
        }
        if let Some((first, owner)) = &self.first_foreign {
            let more = match self.foreign - 1 {
                0 => String::new(),
                more => format!(", and {} in it to others than you", counted(more, "more", "more")),
            };
            let text = format!("belongs to user {owner}, who can change it at any time{more}");
            let mend = format!("look at what it holds, then: chown -R $(id -u) {shown}");
            let problem = Problem::new(format!("owner/{shown}"), name(first), text, mend);
            problems.push(problem.warning());
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::chown;

    use super::*;

    fn texts(folder: &Path) -> Vec<String> {
        exposed(folder, ".x").iter().map(ToString::to_string).collect()
    }

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn what_others_may_read_or_change_is_told_once_with_its_mend() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("x");
        assert_eq!(texts(&folder), [""; 0], "what is not there is in order");
        fs::create_dir_all(folder.join("deep/er")).unwrap();
        fs::write(folder.join("deep/file"), "").unwrap();
        for path in [folder.clone(), folder.join("deep"), folder.join("deep/er")] {
            set(&path, 0o700);
        }
        set(&folder.join("deep/file"), 0o600);
        assert_eq!(texts(&folder), [""; 0]);
        set(&folder.join("deep/file"), 0o644);
        assert_eq!(texts(&folder), [""; 0], "nobody comes that far");
        set(&folder, 0o755);
        let told = texts(&folder).concat();
        assert!(told.contains("can be read by other users") && told.contains("0755"), "{told}");
        assert!(told.contains("chmod -R go-rwx .x") && !told.contains("more"), "{told}");
        set(&folder.join("deep"), 0o711);
        set(&folder.join("deep/file"), 0o602);
        let told = texts(&folder).concat();
        assert!(told.contains("read or changed") && told.contains("2 more in it"), "{told}");
    }

    #[test]
    fn settings_that_others_can_change_are_told_with_the_reason() {
        let top = tempfile::tempdir().unwrap();
        let (folder, file) = (top.path().join("x"), top.path().join("x/config.yaml"));
        let told = || changeable(&file, "~/config.yaml").map(|problem| problem.to_string());
        assert_eq!(told(), None, "what is not there is in order");
        fs::create_dir(&folder).unwrap();
        fs::write(&file, "sandbox: off\n").unwrap();
        set(&folder, 0o755);
        set(&file, 0o644);
        assert_eq!(told(), None);
        set(&file, 0o646);
        let text = told().unwrap();
        assert!(text.contains("config.yaml can be written by others (0646)"), "{text}");
        set(&file, 0o600);
        set(&folder, 0o757);
        let text = told().unwrap();
        assert!(text.contains("x can be written by others (0757)"), "{text}");
        assert!(text.contains("chmod go-w"), "{text}");
        set(&folder, 0o1777);
        assert_eq!(told(), None, "there only the owner renames and removes");
        if chown(&file, Some(12_345), None).is_ok() {
            assert!(told().unwrap().contains("belongs to user 12345"), "{:?}", told());
        }
    }

    #[test]
    fn what_belongs_to_somebody_else_is_told() {
        let top = tempfile::tempdir().unwrap();
        fs::write(top.path().join("lock"), "").unwrap();
        if chown(top.path().join("lock"), Some(12_345), None).is_err() {
            eprintln!("skipped: only root gives files away");
            return;
        }
        let told = texts(top.path()).concat();
        assert!(told.contains(".x/lock") && told.contains("belongs to user 12345"), "{told}");
    }
}
