//! Holds the reserved paths of a workspace before `bwrap` starts: in a mount namespace of its own, each gets
//! a mount on the very object that was judged. Even if a name is moved meanwhile, the mount stays on its
//! object; `bwrap` copies the workspace with these mounts, and the command cannot remove them.
//!
//! A mount is found only from the mount that it lies in. So what is in a pinned folder is held before the folder is:
//! the hold is then in the workspace and, copied, in the pinned folder, and is found on both sides of a move out of it.

use std::cmp::Reverse;
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{StatVfsMountFlags, fstat, fstatvfs};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount_change, mount_remount,
    move_mount, open_tree,
};
use rustix::process::{getegid, geteuid};
use rustix::thread::UnshareFlags;

use super::beneath::{Object, ObjectId, ObjectKind, Root};

/// The wait for an object that was exchanged to come back, and the number of tries.
const PAUSE: Duration = Duration::from_millis(1);
const MAX_TRIES: usize = 200;

/// The protection of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hold {
    /// It cannot be replaced; its content can be written.
    Pin,
    /// It can be read only.
    Fix,
    /// It cannot be read either.
    Close,
}

/// The paths to protect in a workspace.
#[derive(Debug, Default)]
pub(super) struct Holds {
    /// The workspace, and its identity when its paths were judged.
    pub workspace: Option<(PathBuf, ObjectId)>,
    /// Folders come before what is in them.
    pub paths: Vec<(Hold, PathBuf, ObjectId)>,
    /// An empty folder and an empty file that replace closed paths.
    pub closed: Option<(PathBuf, PathBuf)>,
}

/// Enters a mount namespace of its own. `in_user_namespace`: this process has one already that it may do that in.
pub(super) fn enter_mounts(in_user_namespace: bool) -> io::Result<()> {
    if in_user_namespace {
        unshare(UnshareFlags::NEWNS)?;
    } else {
        let (user, group) = (geteuid().as_raw(), getegid().as_raw());
        unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNS)?;
        // Otherwise the process could change its groups, and the kernel would let it map none.
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    }
    Ok(mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?)
}

#[expect(
    deprecated,
    reason = "what is to take its place is unsafe for one flag, which is not used here"
)]
fn unshare(flags: UnshareFlags) -> io::Result<()> {
    Ok(rustix::thread::unshare(flags)?)
}

impl Holds {
    pub fn add(&mut self, hold: Hold, (path, id): (PathBuf, ObjectId)) {
        self.paths.push((hold, path, id));
    }

    /// The innermost first, but for what lies in a folder that can be read only: a hold of such a folder covers all
    /// in it.
    fn in_order(&self) -> impl Iterator<Item = &(Hold, PathBuf, ObjectId)> {
        let (covered, mut free): (Vec<_>, Vec<_>) = self.paths.iter().partition(|(_, path, _)| {
            let mut others = self.paths.iter().filter(|(_, other, _)| other != path);
            others.any(|(hold, other, _)| *hold != Hold::Pin && path.starts_with(other))
        });
        free.sort_by_key(|(_, path, _)| Reverse(path.components().count()));
        free.into_iter().chain(covered)
    }

    /// Makes all mounts. The error is for the user.
    pub fn apply(&self) -> Result<(), String> {
        let Some((workspace, id)) = &self.workspace else { return Err("no workspace".to_owned()) };
        let root = open_root(workspace, *id)?;
        let closed = match &self.closed {
            Some((folder, file)) => Some((open(folder)?, open(file)?)),
            None => None,
        };
        for (hold, path, id) in self.in_order() {
            let object = open_judged(&root, path, *id)?;
            let said = |error: io::Error| format!("{}: {error}", path.display());
            match hold {
                Hold::Pin => {
                    let mount = mount_over(&object, &object, true).map_err(said)?;
                    restrict(&mount, Access::Written).map_err(said)?;
                }
                Hold::Fix => {
                    let mount = mount_over(&object, &object, false).map_err(said)?;
                    restrict(&mount, Access::Read).map_err(said)?;
                }
                Hold::Close => {
                    let (folder, file) =
                        closed.as_ref().ok_or("nothing stands in for what is closed")?;
                    let kind =
                        Object::of(&fstat(&object).map_err(|error| said(error.into()))?).kind;
                    let source = if kind == ObjectKind::Folder { folder } else { file };
                    let mount = mount_over(source, &object, false).map_err(said)?;
                    restrict(&mount, Access::Read).map_err(said)?;
                }
            }
        }
        Ok(())
    }
}

/// Opens the workspace, if it is still the judged one.
pub(super) fn open_root(workspace: &Path, id: ObjectId) -> Result<Root, String> {
    let root = Root::open(workspace);
    match root.and_then(|root| Ok((root.id()?, root))) {
        Ok((now, root)) if now == id => Ok(root),
        Ok(_) => Err(format!(
            "{}: the workspace was replaced; start the program again",
            workspace.display()
        )),
        Err(error) => Err(format!("{}: {error}", workspace.display())),
    }
}

fn open(path: &Path) -> Result<OwnedFd, String> {
    use rustix::fs::{CWD, Mode, OFlags, openat};

    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(CWD, path, flags, Mode::empty()).map_err(|error| format!("{}: {error}", path.display()))
}

/// Opens the object judged at a path. If another command is exchanging folders at this moment, waits for it.
fn open_judged(root: &Root, path: &Path, id: ObjectId) -> Result<OwnedFd, String> {
    for _ in 0..MAX_TRIES {
        if let Ok(object) = root.open_path(path)
            && fstat(&object).is_ok_and(|stat| ObjectId::of(&stat) == id)
        {
            return Ok(object);
        }
        std::thread::sleep(PAUSE);
    }
    let path = path.display();
    Err(format!(
        "{path} was replaced while the sandbox was set up, so the command was not run; try again"
    ))
}

/// Mounts an object over another, by descriptors alone; returns the new mount. `with_inner`: includes mounts
/// within it.
fn mount_over(object: &OwnedFd, over: &OwnedFd, with_inner: bool) -> io::Result<OwnedFd> {
    let mut flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH;
    if with_inner {
        flags |= OpenTreeFlags::AT_RECURSIVE;
    }
    let copy = open_tree(object.as_fd(), c"", flags).map_err(|error| match error {
        Errno::INVAL => io::Error::other("another file system is mounted in it"),
        other => other.into(),
    })?;
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    move_mount(copy.as_fd(), c"", over.as_fd(), c"", flags)?;
    Ok(copy)
}

/// The access to the content of a mount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Written,
    Read,
}

/// Sets all flags of a mount that `bwrap` asks for. `bwrap` would set them by the path of each mount, which
/// another command may have exchanged meanwhile. The link stands for the open mount, not for a path.
fn restrict(mount: &OwnedFd, access: Access) -> io::Result<()> {
    let now = fstatvfs(mount)?.f_flag;
    let mut flags = MountFlags::BIND | MountFlags::NOSUID | MountFlags::NODEV;
    if access == Access::Read || now.contains(StatVfsMountFlags::RDONLY) {
        flags |= MountFlags::RDONLY;
    }
    // Flags that are set already have to stay set; the kernel requires it.
    if now.contains(StatVfsMountFlags::NOEXEC) {
        flags |= MountFlags::NOEXEC;
    }
    Ok(mount_remount(format!("/proc/self/fd/{}", mount.as_raw_fd()), flags, c"")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_a_pinned_folder_is_held_first_and_what_is_in_a_read_only_one_last() {
        let id: ObjectId = "1:2".parse().unwrap();
        let mut holds = Holds::default();
        for (hold, path) in [
            (Hold::Pin, "/w/a"),
            (Hold::Pin, "/w/a/.git"),
            (Hold::Fix, "/w/.minds"),
            (Hold::Close, "/w/.minds/x.tsk"),
            (Hold::Fix, "/w/a/.git/config"),
        ] {
            holds.add(hold, (path.into(), id));
        }
        let order: Vec<_> = holds.in_order().map(|(_, path, _)| path.to_str().unwrap()).collect();
        let expected = ["/w/a/.git/config", "/w/a/.git", "/w/a", "/w/.minds", "/w/.minds/x.tsk"];
        assert_eq!(order, expected);
    }
}
