//! Who else may read or change what belongs to this person alone: modes and owners below a folder.
//! Looks, and changes nothing; a person decides what is to be private.

use std::fs::{self, Metadata};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::domain::Problem;
use crate::domain::safety::ownership::{Distrust, distrust};
use crate::domain::text::{Localized, Text, localized};

/// Files and folders that are looked at.
const MAX_ENTRIES: usize = 200_000;
/// The folder of the state folder with what commands of members write.
const COMMANDS: &str = "sandbox";
/// The mode bits of everyone but the owner.
const OTHERS_MASK: u32 = 0o077;
const OTHERS_WRITE_MASK: u32 = 0o022;

#[derive(Debug, Default)]
struct OthersAccess {
    /// Open to others, the first of them, and whether any of them can be changed.
    open: usize,
    first_open: Option<PathBuf>,
    writable: bool,
    /// Closed to others by a folder around it alone: by its mode others may write it. With the first of them.
    only_enclosed: usize,
    first_enclosed: Option<(PathBuf, u32)>,
    /// Of another user, and the first of them.
    not_owned: usize,
    first_not_owned: Option<(PathBuf, u32)>,
}

/// A file or folder that is looked at.
struct InspectedPath<'a> {
    path: &'a Path,
    meta: &'a Metadata,
    /// True if no folder around it is closed to others.
    reachable: bool,
    /// True if commands of members give it the modes they like.
    is_of_commands: bool,
}

/// What others may do with a folder of this program and with what is in it. `shown`: how the folder is
/// called. Where a folder is closed, the modes of what is in it do not matter.
#[must_use]
pub fn permission_problems(folder: &Path, shown: &str) -> Vec<Problem> {
    let Ok(top) = fs::symlink_metadata(folder) else { return Vec::new() };
    let (mut found, mut remaining) = (OthersAccess::default(), MAX_ENTRIES);
    let mut todo = vec![(folder.to_owned(), top.clone(), true)];
    let own_uid = rustix::process::geteuid().as_raw();
    while let Some((path, meta, reachable)) = todo.pop() {
        let is_of_commands = path.starts_with(folder.join(COMMANDS));
        let one = InspectedPath { path: &path, meta: &meta, reachable, is_of_commands };
        found.inspect(&one, own_uid);
        if !meta.is_dir() {
            continue;
        }
        let open = reachable && meta.permissions().mode() & OTHERS_MASK != 0;
        for entry in fs::read_dir(&path).into_iter().flatten().flatten() {
            let Some(fewer) = remaining.checked_sub(1) else { break };
            remaining = fewer;
            todo.extend(entry.metadata().ok().map(|meta| (entry.path(), meta, open)));
        }
    }
    found.problems(&top, folder, shown)
}

/// Who else than this person and the administrator can replace a file: by the mode and owner of a folder on the
/// way to it. `shown`: how the file is called.
#[must_use]
pub fn config_permission_problem(file: &Path, shown: &str) -> Option<Problem> {
    const STICKY_BIT: u32 = 0o1000;
    let real = fs::canonicalize(file).ok()?;
    let own_uid = rustix::process::geteuid().as_raw();
    let reason = real.ancestors().skip(1).find_map(|path| {
        let meta = fs::metadata(path).ok()?;
        // In a folder for all, what belongs to somebody stays theirs.
        let is_for_all = meta.is_dir() && meta.mode() & STICKY_BIT != 0;
        match distrust(&meta, own_uid)? {
            Distrust::Writable(_) if is_for_all => None,
            why @ (Distrust::OtherOwner(_) | Distrust::Writable(_)) => Some((path, why)),
        }
    });
    let (path, why) = reason?;
    let (path, reason) = (path.display().to_string(), why.reason());
    let text = localized!(
        [reason] "other users of this machine can change it, and with it what commands may do: {path} {reason}",
        "本机的其他用户可以更改它，从而改变命令的权限：{path} {reason}"
    );
    let fix = why.fix(&path);
    Some(Problem::new(format!("settings/{shown}"), shown.to_owned(), text, fix).warning())
}

impl OthersAccess {
    fn inspect(&mut self, one: &InspectedPath<'_>, own_uid: u32) {
        let InspectedPath { path, meta, reachable, is_of_commands } = *one;
        if meta.uid() != own_uid {
            self.not_owned += 1;
            self.first_not_owned.get_or_insert_with(|| (path.to_owned(), meta.uid()));
        }
        let mode = meta.permissions().mode();
        // The mode of a link means nothing.
        if reachable && !meta.is_symlink() && mode & OTHERS_MASK != 0 {
            self.open += 1;
            self.writable |= mode & OTHERS_WRITE_MASK != 0;
            self.first_open.get_or_insert_with(|| path.to_owned());
        } else if let Some(Distrust::Writable(mode)) = distrust(meta, meta.uid())
            && !(meta.is_symlink() || is_of_commands)
        {
            self.only_enclosed += 1;
            self.first_enclosed.get_or_insert_with(|| (path.to_owned(), mode));
        }
    }

    fn problems(self, top: &Metadata, folder: &Path, shown: &str) -> Vec<Problem> {
        let name = |path: &Path| match path.strip_prefix(folder) {
            Ok(below) if !below.as_os_str().is_empty() => format!("{shown}/{}", below.display()),
            Ok(_) | Err(_) => shown.to_owned(),
        };
        let mut problems = Vec::new();
        if let Some(first) = &self.first_open {
            let may = if self.writable {
                Text::new("read or changed", "读取或更改")
            } else {
                Text::new("read", "读取")
            };
            let more = match self.open - 1 {
                0 => Localized::default(),
                more => localized!(", and {more} more in it", "，其中另有 {more} 项"),
            };
            let now = top.permissions().mode() & 0o7777;
            let text = localized!(
                [may, more] "can be {may} by other users of this machine ({now:04o}){more}",
                "本机的其他用户可以{may}（{now:04o}）{more}"
            );
            let fix = localized!("chmod -R go-rwx {shown}", "请执行：chmod -R go-rwx {shown}");
            problems.push(Problem::new(format!("mode/{shown}"), name(first), text, fix).warning());
        }
        if let Some((first, mode)) = &self.first_enclosed {
            let more = match self.only_enclosed - 1 {
                0 => Localized::default(),
                more => localized!(", like {more} more", "，另有 {more} 项也是如此"),
            };
            let text = localized!(
                [more] "only the folder around it keeps other users of this machine from changing it ({mode:04o}){more}",
                "仅靠外层文件夹阻止本机的其他用户更改它（{mode:04o}）{more}"
            );
            let fix = localized!("chmod -R go-w {shown}", "请执行：chmod -R go-w {shown}");
            problems.push(Problem::new(format!("write/{shown}"), name(first), text, fix).warning());
        }
        if let Some((first, owner)) = &self.first_not_owned {
            let more = match self.not_owned - 1 {
                0 => Localized::default(),
                more => localized!(
                    ", and {more} more in it to others than you",
                    "，其中另有 {more} 项不属于你"
                ),
            };
            let text = localized!(
                [more] "belongs to user {owner}, who can change it at any time{more}",
                "属于用户 {owner}，该用户随时可以更改它{more}"
            );
            let fix = localized!(
                "look at what it holds, then: chown -R $(id -u) {shown}",
                "请检查其内容，然后执行：chown -R $(id -u) {shown}"
            );
            let problem = Problem::new(format!("owner/{shown}"), name(first), text, fix);
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
        permission_problems(folder, ".x").iter().map(ToString::to_string).collect()
    }

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn wider_permissions_are_reported_once_with_a_fix() {
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
        for (path, mode, usual) in [("deep/file", 0o666, 0o644), ("deep/er", 0o777, 0o700)] {
            set(&folder.join(path), mode);
            let found = texts(&folder).concat();
            assert!(
                found.contains(&format!(".x/{path}")) && found.contains("other users"),
                "{found}"
            );
            assert!(found.contains("chmod -R go-w .x"), "{found}");
            set(&folder.join(path), usual);
        }
        set(&folder, 0o755);
        let found = texts(&folder).concat();
        assert!(found.contains("can be read by other users") && found.contains("0755"), "{found}");
        assert!(found.contains("chmod -R go-rwx .x") && !found.contains("more"), "{found}");
        set(&folder.join("deep"), 0o711);
        set(&folder.join("deep/file"), 0o602);
        let found = texts(&folder).concat();
        assert!(found.contains("read or changed") && found.contains("2 more in it"), "{found}");
    }

    #[test]
    fn settings_that_others_can_change_are_reported_with_the_reason() {
        let top = tempfile::tempdir().unwrap();
        let (folder, file) = (top.path().join("x"), top.path().join("x/config.yaml"));
        let found =
            || config_permission_problem(&file, "~/config.yaml").map(|problem| problem.to_string());
        assert_eq!(found(), None, "what is not there is in order");
        fs::create_dir(&folder).unwrap();
        fs::write(&file, "sandbox: off\n").unwrap();
        set(&folder, 0o755);
        set(&file, 0o644);
        assert_eq!(found(), None);
        set(&file, 0o646);
        assert_eq!(found(), None, "that is said where it is not obeyed");
        set(&folder, 0o757);
        let text = found().unwrap();
        assert!(text.contains("x can be written by others (0757)"), "{text}");
        assert!(text.contains("chmod go-w"), "{text}");
        set(&folder, 0o1777);
        assert_eq!(found(), None, "there only the owner renames and removes");
        if chown(&folder, Some(12_345), None).is_ok() {
            assert!(found().unwrap().contains("belongs to user 12345"), "{:?}", found());
        }
    }

    #[test]
    fn files_of_another_user_are_reported() {
        let top = tempfile::tempdir().unwrap();
        fs::write(top.path().join("lock"), "").unwrap();
        if chown(top.path().join("lock"), Some(12_345), None).is_err() {
            eprintln!("skipped: only root gives files away");
            return;
        }
        let found = texts(top.path()).concat();
        assert!(found.contains(".x/lock") && found.contains("belongs to user 12345"), "{found}");
    }
}
