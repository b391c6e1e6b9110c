//! An open folder and the paths below it. Every path is opened from the folder, and no link in it is followed, so
//! that the judged object and the used object are the same, even if it is exchanged for a link meanwhile.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, openat, statat, unlinkat,
};
use rustix::io::{Errno, retry_on_intr};

/// A folder or file that is only looked up. Needs no permission to read it.
#[cfg(target_os = "linux")]
const LOOKUP_ONLY: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const LOOKUP_ONLY: OFlags = OFlags::RDONLY;

/// Identifies an object of the file system: device and inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ObjectId {
    device: u64,
    inode: u64,
}

/// The kind of object at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectKind {
    Folder,
    File,
    Link,
    /// A pipe, socket or device.
    Other,
}

/// An object at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Object {
    pub kind: ObjectKind,
    pub id: ObjectId,
    pub length: u64,
    /// The time of its last change, in seconds and nanoseconds. No program can set this time.
    pub changed: (i64, u64),
}

/// A name in a folder.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub path: PathBuf,
    pub kind: ObjectKind,
}

impl Entry {
    pub fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }
}

/// An open folder.
#[derive(Debug)]
pub(super) struct Root {
    path: PathBuf,
    folder: OwnedFd,
}

impl Root {
    /// `path`: canonical.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | LOOKUP_ONLY;
        let folder = retry_on_intr(|| openat(CWD, path, flags, Mode::empty()))?;
        Ok(Self { path: path.to_owned(), folder })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn id(&self) -> io::Result<ObjectId> {
        Ok(ObjectId::of(&fstat(&self.folder)?))
    }

    /// The same folder, seen through another mount of it.
    #[cfg(target_os = "linux")]
    pub fn seen_through(&self, folder: OwnedFd) -> Self {
        Self { path: self.path.clone(), folder }
    }

    /// Stats a path; `None` if nothing is there, or if a name on the way is a link.
    pub fn look(&self, path: &Path) -> io::Result<Option<Object>> {
        let Some((folder, name)) = self.parent(path)? else { return Ok(None) };
        match statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(Object::of(&stat))),
            Err(error) => nothing(error.into()).map(|()| None),
        }
    }

    /// Opens the folder at a path; `None` if there is none. A missing permission to search for it is an error.
    pub fn folder(&self, path: &Path) -> io::Result<Option<(Self, Object)>> {
        match self.open_with(path, OFlags::DIRECTORY | OFlags::NOFOLLOW | LOOKUP_ONLY) {
            Ok(folder) => {
                let object = Object::of(&fstat(&folder)?);
                Ok(Some((Self { path: path.to_owned(), folder }, object)))
            }
            Err(error) => nothing(error).map(|()| None),
        }
    }

    /// Opens the folder at a path, if it is still this one.
    pub fn enter(&self, path: &Path, id: ObjectId) -> io::Result<Option<Self>> {
        let found = self.folder(path)?.filter(|(_, object)| object.id == id);
        Ok(found.map(|(folder, _)| folder))
    }

    /// Opens the object at a path, only to refer to it.
    pub fn open_path(&self, path: &Path) -> io::Result<OwnedFd> {
        self.open_with(path, LOOKUP_ONLY | OFlags::NOFOLLOW)
    }

    /// Reads an ordinary file up to a limit, whatever it holds. Never waits for the other end of a pipe.
    /// Returns the bytes and the identity of the file; `None` if nothing is there.
    pub fn read(&self, path: &Path, limit: u64) -> io::Result<Option<(Vec<u8>, ObjectId)>> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
        let file = match self.open_with(path, flags) {
            Ok(opened) => File::from(opened),
            Err(error) => return nothing(error).map(|()| None),
        };
        let object = Object::of(&fstat(&file)?);
        if object.kind != ObjectKind::File {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut bytes = Vec::new();
        file.take(limit).read_to_end(&mut bytes)?;
        Ok(Some((bytes, object.id)))
    }

    /// The first link on the way to a path, the last name included.
    pub fn link_on_the_way(&self, path: &Path) -> Option<PathBuf> {
        let mut way: Vec<&Path> =
            path.ancestors().take_while(|folder| *folder != self.path).collect();
        way.reverse();
        let is_link = |path: &&Path| {
            self.look(path).ok().flatten().is_some_and(|object| object.kind == ObjectKind::Link)
        };
        way.into_iter().find(is_link).map(Path::to_owned)
    }

    /// Returns the names in a folder. Names that are removed meanwhile may be missing.
    pub fn entries(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        let opened = self.open_listed(folder)?;
        let mut entries = Vec::new();
        for (path, kind) in names(&opened, folder)? {
            // The disk may not say.
            let kind = if kind == FileType::Unknown {
                object_in(&opened, &path).map(|object| object.kind)
            } else {
                Some(ObjectKind::of(kind))
            };
            entries.extend(kind.map(|kind| Entry { path, kind }));
        }
        Ok(entries)
    }

    /// Returns the names in a folder with their objects. Names that were removed meanwhile are missing.
    pub fn objects(&self, folder: &Path) -> io::Result<Vec<(PathBuf, Object)>> {
        let opened = self.open_listed(folder)?;
        let all = names(&opened, folder)?.into_iter();
        let with_object =
            |(path, _): (PathBuf, FileType)| object_in(&opened, &path).map(|object| (path, object));
        Ok(all.filter_map(with_object).collect())
    }

    fn open_listed(&self, folder: &Path) -> io::Result<OwnedFd> {
        self.open_with(folder, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW)
    }

    /// The open folder of a path and its last name; `None` if there is no such folder.
    pub fn parent<'a>(&self, path: &'a Path) -> io::Result<Option<(OwnedFd, &'a OsStr)>> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        match self.open_with(folder, OFlags::DIRECTORY | OFlags::NOFOLLOW | LOOKUP_ONLY) {
            Ok(opened) => Ok(Some((opened, name))),
            Err(error) => nothing(error).map(|()| None),
        }
    }

    /// Removes an empty folder, or a file.
    pub fn remove(&self, path: &Path, is_folder: bool) -> io::Result<()> {
        let Some((folder, name)) = self.parent(path)? else { return Ok(()) };
        let flags = if is_folder { AtFlags::REMOVEDIR } else { AtFlags::empty() };
        Ok(unlinkat(&folder, name, flags)?)
    }

    fn open_with(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let relative = path.strip_prefix(&self.path).map_err(|_| io::ErrorKind::InvalidInput)?;
        open_beneath(self.folder.as_fd(), relative, flags | OFlags::CLOEXEC)
    }
}

/// Returns the paths in an open folder, and the file types by the disk.
fn names(opened: &OwnedFd, folder: &Path) -> io::Result<Vec<(PathBuf, FileType)>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(opened)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name != "." && name != ".." {
            names.push((folder.join(name), entry.file_type()));
        }
    }
    Ok(names)
}

/// Stats the last name of a path in an open folder.
fn object_in(opened: &OwnedFd, path: &Path) -> Option<Object> {
    let stat = statat(opened, path.file_name()?, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some(Object::of(&stat))
}

/// Opens a relative path, and no link, below a folder.
fn open_beneath(folder: BorrowedFd<'_>, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    match open_at_once(folder, path, flags) {
        // Before Linux 5.6, behind some system call filters, or when a name is changed at this moment.
        Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => open_by_steps(folder, path, flags),
        opened => no_link(opened?),
    }
}

/// A link that is only named can be opened.
fn no_link(opened: OwnedFd) -> io::Result<OwnedFd> {
    match Object::of(&fstat(&opened)?).kind {
        ObjectKind::Link => Err(Errno::LOOP.into()),
        ObjectKind::Folder | ObjectKind::File | ObjectKind::Other => Ok(opened),
    }
}

#[cfg(target_os = "linux")]
fn open_at_once(folder: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};

    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    retry_on_intr(|| openat2(folder, path, flags, Mode::empty(), resolve))
}

#[cfg(not(target_os = "linux"))]
fn open_at_once(_: BorrowedFd<'_>, _: &Path, _: OFlags) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// Opens a path name by name, for systems without a call for it.
fn open_by_steps(folder: BorrowedFd<'_>, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let mut names: Vec<&OsStr> = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => names.push(name),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(io::ErrorKind::InvalidInput.into());
            }
        }
    }
    let last = names.pop().unwrap_or(OsStr::new("."));
    let mut inside = folder.try_clone_to_owned()?;
    let steps = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | LOOKUP_ONLY;
    for name in names {
        inside = retry_on_intr(|| openat(&inside, name, steps, Mode::empty()))?;
    }
    no_link(retry_on_intr(|| openat(&inside, last, flags | OFlags::NOFOLLOW, Mode::empty()))?)
}

/// No error: there is no such thing, or a name on the way is a link.
fn nothing(error: io::Error) -> io::Result<()> {
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(()),
        _ => Err(error),
    }
}

impl Object {
    pub fn of(stat: &Stat) -> Self {
        Self {
            kind: ObjectKind::of(FileType::from_raw_mode(stat.st_mode)),
            id: ObjectId::of(stat),
            length: u64::try_from(stat.st_size).unwrap_or_default(),
            #[expect(clippy::unnecessary_cast, reason = "the type depends on the machine")]
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as u64),
        }
    }
}

impl ObjectKind {
    fn of(kind: FileType) -> Self {
        match kind {
            FileType::Directory => Self::Folder,
            FileType::RegularFile => Self::File,
            FileType::Symlink => Self::Link,
            FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => Self::Other,
        }
    }
}

impl ObjectId {
    #[expect(clippy::unnecessary_cast, reason = "the types depend on the machine")]
    pub fn of(stat: &Stat) -> Self {
        Self { device: stat.st_dev as u64, inode: stat.st_ino as u64 }
    }
}

/// Formats it as an argument of the helper.
impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.device, self.inode)
    }
}

impl From<ObjectId> for OsString {
    fn from(id: ObjectId) -> Self {
        id.to_string().into()
    }
}

impl FromStr for ObjectId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (device, inode) = text.split_once(':').ok_or(())?;
        let number = |digits: &str| digits.parse().map_err(|_| ());
        Ok(Self { device: number(device)?, inode: number(inode)? })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn nothing_is_opened_through_a_link_or_outside_by_either_way() {
        let top = tempfile::tempdir().unwrap();
        let path = fs::canonicalize(top.path()).unwrap();
        fs::create_dir_all(path.join("in/deep")).unwrap();
        fs::create_dir(path.join("out")).unwrap();
        for name in ["in/deep/file", "out/secret"] {
            fs::write(path.join(name), name).unwrap();
        }
        symlink("../out", path.join("in/link")).unwrap();
        symlink("deep/file", path.join("in/last")).unwrap();
        let root = Root::open(&path.join("in")).unwrap();
        for (name, opened) in [
            ("deep/file", true),
            ("deep", true),
            ("", true),
            ("link/secret", false),
            ("link", false),
            ("last", false),
            ("../out/secret", false),
            ("deep/../../out/secret", false),
            ("/etc/passwd", false),
            ("none", false),
        ] {
            let flags = LOOKUP_ONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let folder = root.folder.as_fd();
            for way in [open_beneath, open_by_steps] {
                assert_eq!(way(folder, Path::new(name), flags).is_ok(), opened, "{name}");
            }
        }
        let inside = |name: &str| path.join("in").join(name);
        assert_eq!(root.read(&inside("deep/file"), 4).unwrap().unwrap().0, b"in/d");
        assert!(root.read(&inside("link/secret"), 4).unwrap().is_none());
        assert!(root.look(&inside("link/secret")).unwrap().is_none());
        let found = root.look(&inside("link")).unwrap().unwrap();
        assert_eq!(found.kind, ObjectKind::Link);
        for (name, link) in [("link/secret", Some("link")), ("last", Some("last")), ("none", None)]
        {
            assert_eq!(root.link_on_the_way(&inside(name)), link.map(inside), "{name}");
        }
        assert!(root.entries(&inside("link")).is_err());
        assert!(root.read(&path.join("out/secret"), 4).is_err(), "it is not below");
        assert_eq!(found.id.to_string().parse(), Ok(found.id));
    }
}
