//! Holds the reserved paths of a workspace before `bwrap` starts: in a mount namespace of its own, each gets
//! a mount on the very object that was judged. Even if a name is moved meanwhile, the mount stays on its
//! object; `bwrap` copies the workspace with these mounts, and the command cannot remove them.
//!
//! A mount is found only from the mount that it lies in. So a command sees the workspace as one mount, and holds of
//! what it cannot write are on that: they are found wherever a folder is moved. Pins are on a second, hidden copy of
//! the workspace: what is a mount point anywhere in its namespace, a command can neither rename nor remove.

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
    /// In any order.
    pub paths: Vec<(Hold, PathBuf, ObjectId)>,
    /// An empty folder and an empty file that replace closed paths, and what is pinned in the hidden copy.
    pub closed: Option<(PathBuf, PathBuf)>,
    /// The folder over which the hidden copy of the workspace is mounted. Nothing is pinned without it.
    pub hidden: Option<PathBuf>,
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

    /// Pins come first, the innermost before the folders that it lies in: what stands in for a folder hides what is in
    /// it. Of the other holds the outermost come first: a hold of a folder covers those that were made in it before.
    fn in_order(&self) -> impl Iterator<Item = &(Hold, PathBuf, ObjectId)> {
        let (mut pins, mut others): (Vec<_>, Vec<_>) =
            self.paths.iter().partition(|(hold, _, _)| *hold == Hold::Pin);
        pins.sort_by_key(|(_, path, _)| Reverse(path.components().count()));
        others.sort_by_key(|(_, path, _)| path.components().count());
        pins.into_iter().chain(others)
    }

    /// Makes all mounts. The error is for the user.
    pub fn apply(&self) -> Result<(), String> {
        let Some((workspace, id)) = &self.workspace else { return Err("no workspace".to_owned()) };
        let root = open_root(workspace, *id)?;
        let closed = match &self.closed {
            Some((folder, file)) => Some((open(folder)?, open(file)?)),
            None => None,
        };
        // Before any hold, so that it has none of them.
        let hidden = match &self.hidden {
            Some(folder) => Some(hidden_copy(&root, folder)?),
            None => None,
        };
        for (hold, path, id) in self.in_order() {
            let seen = if *hold == Hold::Pin { hidden.as_ref() } else { Some(&root) };
            let seen = seen.ok_or("there is no hidden copy of the workspace")?;
            let object = open_judged(seen, path, *id)?;
            let source = match hold {
                Hold::Fix => &object,
                Hold::Pin | Hold::Close => stand_in(closed.as_ref(), &object)?,
            };
            let made = mount_over(source, &object, false).and_then(|mount| restrict(&mount));
            made.map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(())
    }
}

/// Mounts a second copy of the workspace over a folder. `bwrap` takes it along and covers it.
fn hidden_copy(root: &Root, over: &Path) -> Result<Root, String> {
    let said = |error: io::Error| format!("{}: {error}", over.display());
    let (top, folder) = (root.open_path(root.path()).map_err(said)?, open(over)?);
    let mount = mount_over(&top, &folder, true).map_err(said)?;
    restrict(&mount).map_err(said)?;
    Ok(root.seen_through(mount))
}

/// Returns what is mounted over an object so that nothing in it can be seen: the empty folder or the empty file.
fn stand_in<'a>(
    closed: Option<&'a (OwnedFd, OwnedFd)>,
    object: &OwnedFd,
) -> Result<&'a OwnedFd, String> {
    let (folder, file) = closed.ok_or("nothing stands in for what is closed")?;
    let stat = fstat(object).map_err(|error| error.to_string())?;
    Ok(if Object::of(&stat).kind == ObjectKind::Folder { folder } else { file })
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

/// Makes a mount read-only and sets all flags that `bwrap` asks for. `bwrap` would set them by the path of each mount,
/// which another command may have exchanged meanwhile. The link stands for the open mount, not for a path.
fn restrict(mount: &OwnedFd) -> io::Result<()> {
    let mut flags = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
    // A flag that is set already has to stay set; the kernel requires it.
    if fstatvfs(mount)?.f_flag.contains(StatVfsMountFlags::NOEXEC) {
        flags |= MountFlags::NOEXEC;
    }
    Ok(mount_remount(format!("/proc/self/fd/{}", mount.as_raw_fd()), flags, c"")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_are_made_from_the_innermost_outwards_and_other_holds_from_the_outermost_inwards() {
        let id: ObjectId = "1:2".parse().unwrap();
        let mut holds = Holds::default();
        for (hold, path) in [
            (Hold::Close, "/w/x/home"),
            (Hold::Pin, "/w/a"),
            (Hold::Pin, "/w/a/.git"),
            (Hold::Pin, "/w/x/r/.git"),
            (Hold::Fix, "/w/x/r/.git/config"),
            (Hold::Fix, "/w/x"),
            (Hold::Fix, "/w/a/.git/config"),
        ] {
            holds.add(hold, (path.into(), id));
        }
        let order: Vec<_> = holds.in_order().map(|(_, path, _)| path.to_str().unwrap()).collect();
        let pins = ["/w/x/r/.git", "/w/a/.git", "/w/a"];
        let others = ["/w/x", "/w/x/home", "/w/a/.git/config", "/w/x/r/.git/config"];
        assert_eq!(order, [&pins[..], &others].concat());
    }
}
