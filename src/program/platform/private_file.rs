//! New files that only this user can read, in a folder of the state folder. Fails closed: a folder that is a
//! link, belongs to somebody else or is open to others is not used, and nothing is ever overwritten.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, openat, unlinkat};
use rustix::io::Errno;

use super::dirs;

const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;
const OTHERS_MASK: u32 = 0o077;
/// Longest name, in characters; longer ones are cut.
const MAX_NAME: usize = 100;
/// Files of the same name and second.
const MAX_TRIES: usize = 100;

/// Writes a new file into `folder` of the state folder; returns its path. Of the name, only letters, digits
/// and `-_.` are used; if there is such a file, a number is added.
///
/// # Errors
/// The folder is not private, or the error of the system.
pub fn create(folder: &str, name: &str, text: &str) -> io::Result<PathBuf> {
    create_by(folder, name, |file| file.write_all(text.as_bytes()))
}

/// As [`create`], with content that need not fit in memory. After an error there is no file.
///
/// # Errors
/// As [`create`], and those of `write`.
pub fn create_by(
    folder: &str,
    name: &str,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<PathBuf> {
    create_in(&dirs::create_state()?.join(folder), name, write)
}

/// Writes a new file into a new folder of its own in the state folder; returns its path. Programs leave other
/// files beside the one they edit; [`remove_alone`] removes all of them.
///
/// # Errors
/// As [`create`].
pub fn create_alone(folder: &str, name: &str, text: &str) -> io::Result<PathBuf> {
    create_alone_by(folder, name, |file| file.write_all(text.as_bytes()))
}

/// As [`create_alone`], with content that need not fit in memory. After an error nothing is left.
///
/// # Errors
/// As [`create_by`].
pub fn create_alone_by(
    folder: &str,
    name: &str,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<PathBuf> {
    create_alone_in(&dirs::create_state()?.join(folder), name, write)
}

fn create_alone_in(
    folder: &Path,
    name: &str,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<PathBuf> {
    private_folder(folder)?;
    for number in 1..=MAX_TRIES {
        let own = folder.join(number.to_string());
        match DirBuilder::new().mode(FOLDER_MODE).create(&own) {
            Ok(()) => {
                return create_in(&own, name, write).inspect_err(|_| {
                    // Only an empty folder is removed; other files in it are not ours.
                    let _ = std::fs::remove_dir(&own);
                });
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Takes the lock of the files that this name stands for, which other processes of this program respect until
/// it is dropped. It is an empty file of the state folder. Blocks.
///
/// # Errors
/// There is no state folder, or the error of the system.
pub fn lock(name: &str) -> io::Result<File> {
    lock_in(&dirs::create_state()?, name)
}

fn lock_in(folder: &Path, name: &str) -> io::Result<File> {
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(FILE_MODE)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(folder.join(name))?;
    file.lock()?;
    Ok(file)
}

/// Replaces a file of the state folder as a whole: a reader sees the old text or the new one.
///
/// # Errors
/// There is no state folder, or the error of the system.
pub fn replace(name: &str, text: &str) -> io::Result<()> {
    replace_in(&dirs::create_state()?, name, text)
}

/// Replaces a file of another folder, which is private.
///
/// # Errors
/// The error of the system.
pub fn replace_in(folder: &Path, name: &str, text: &str) -> io::Result<()> {
    let temporary = folder.join(format!("{name}.{}.tmp", std::process::id()));
    let new = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(FILE_MODE)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(&temporary);
    let written = new
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| fs::rename(&temporary, folder.join(name)));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Reads a private file after a program had it, if it has at most `limit` bytes and is no link.
///
/// # Errors
/// It is longer, no text, no ordinary file, or the error of the system.
pub fn read(path: &Path, limit: usize) -> io::Result<String> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let (mut text, most) = (String::new(), u64::try_from(limit).unwrap_or(u64::MAX));
    file.take(most.saturating_add(1)).read_to_string(&mut text)?;
    if text.len() > limit { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(text) }
}

/// Removes a file made by [`create_alone`], with its folder.
///
/// # Errors
/// The error of the system.
pub fn remove_alone(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), std::fs::remove_dir_all)
}

fn create_in(
    folder: &Path,
    name: &str,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<PathBuf> {
    let dir = private_folder(folder)?;
    for name in candidates(name) {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        match openat(&dir, name.as_str(), flags | OFlags::CLOEXEC, Mode::RUSR | Mode::WUSR) {
            Ok(opened) => {
                let mut file = File::from(opened);
                let written = write(&mut file);
                if written.is_err() {
                    // A half-written file is useless; the error to report is that of writing.
                    let _ = unlinkat(&dir, name.as_str(), AtFlags::empty());
                }
                return written.map(|()| folder.join(name));
            }
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Opens the folder, which is made if it is not there.
fn private_folder(folder: &Path) -> io::Result<File> {
    match DirBuilder::new().mode(FOLDER_MODE).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let flags = (OFlags::DIRECTORY | OFlags::NOFOLLOW).bits();
    let dir = OpenOptions::new().read(true).custom_flags(flags.cast_signed()).open(folder)?;
    let about = dir.metadata()?;
    let is_ours = about.uid() == dirs::own_uid();
    if !is_ours || about.mode() & OTHERS_MASK != 0 {
        let text = format!("{} is open to other users", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
    }
    Ok(dir)
}

/// The name in safe characters, then with numbers.
fn candidates(name: &str) -> impl Iterator<Item = String> {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = name.chars().take(MAX_NAME).map(safe).collect();
    let name = name.trim_start_matches(['.', '-']).to_owned();
    let name = if name.is_empty() { "copy".to_owned() } else { name };
    let (stem, end) = match name.rsplit_once('.') {
        Some((stem, end)) if !stem.is_empty() => (stem.to_owned(), format!(".{end}")),
        Some(_) | None => (name.clone(), String::new()),
    };
    std::iter::once(name).chain((2..=MAX_TRIES).map(move |n| format!("{stem}-{n}{end}")))
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn one_at_a_time_has_a_lock() {
        let folder = tempfile::tempdir().unwrap();
        let own = lock_in(folder.path(), "x.lock").unwrap();
        let other = OpenOptions::new().write(true).open(folder.path().join("x.lock")).unwrap();
        assert!(other.try_lock().is_err());
        drop(own);
        assert!(other.try_lock().is_ok());
    }

    #[test]
    fn a_file_is_private_and_replaces_no_other() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("copies");
        let first = create_in(&folder, "a.md", |file| file.write_all("one".as_bytes())).unwrap();
        let second = create_in(&folder, "a.md", |file| file.write_all("two".as_bytes())).unwrap();
        assert_eq!((mode(&folder), mode(&first), mode(&second)), (0o700, 0o600, 0o600));
        assert_eq!(second, folder.join("a-2.md"));
        assert_eq!(fs::read_to_string(first).unwrap(), "one");
    }

    #[test]
    fn a_file_that_is_replaced_is_private_and_whole_and_a_link_is_replaced_itself() {
        let top = tempfile::tempdir().unwrap();
        let (file, other) = (top.path().join("hints"), top.path().join("other"));
        fs::write(&other, "mine").unwrap();
        symlink(&other, &file).unwrap();
        for text in ["one", "two"] {
            replace_in(top.path(), "hints", text).unwrap();
            assert_eq!((mode(&file), read(&file, 3).unwrap()), (0o600, text.to_owned()));
        }
        assert_eq!(fs::read_to_string(&other).unwrap(), "mine");
        assert_eq!(fs::read_dir(top.path()).unwrap().count(), 2, "nothing else is left");
        assert!(replace_in(&top.path().join("gone"), "hints", "x").is_err());
    }

    #[test]
    fn no_name_leaves_the_folder_or_hides_in_it() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("copies");
        for (name, expected) in [
            ("../../etc/x", "etc-x"),
            ("..", "copy"),
            (".bashrc", "bashrc"),
            ("字\u{7}\n.md", "md"),
        ] {
            let path = create_in(&folder, name, |file| file.write_all("x".as_bytes())).unwrap();
            assert_eq!(path.parent(), Some(folder.as_path()));
            let written = path.file_name().unwrap().to_str().unwrap();
            assert!(!written.starts_with('.') && written.contains(expected), "{name:?}: {written}");
        }
    }

    #[test]
    fn a_file_in_a_folder_of_its_own_is_read_again_and_goes_with_all_beside_it() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("drafts");
        let first = create_alone_in(&folder, "message.md", |file| file.write_all("one".as_bytes()))
            .unwrap();
        let second =
            create_alone_in(&folder, "message.md", |file| file.write_all("two".as_bytes()))
                .unwrap();
        assert_eq!(mode(first.parent().unwrap()), 0o700);
        assert_eq!((mode(&first), read(&second, 3).unwrap()), (0o600, "two".to_owned()));
        assert!(read(&second, 2).is_err());
        fs::write(first.with_extension("md~"), "backup").unwrap();
        remove_alone(&first).unwrap();
        assert!(!first.parent().unwrap().exists() && second.exists());
        fs::write(&second, b"\xff").unwrap();
        assert!(read(&second, 100).is_err());
        fs::remove_file(&second).unwrap();
        symlink("/etc/hostname", &second).unwrap();
        assert!(read(&second, 100).is_err());
    }

    #[test]
    fn a_link_or_an_open_folder_is_not_used() {
        let top = tempfile::tempdir().unwrap();
        let (real, link) = (top.path().join("real"), top.path().join("link"));
        DirBuilder::new().mode(0o700).create(&real).unwrap();
        symlink(&real, &link).unwrap();
        assert!(create_in(&link, "a.md", |file| file.write_all("x".as_bytes())).is_err());
        let target = top.path().join("target");
        fs::write(&target, "mine").unwrap();
        symlink(&target, real.join("a.md")).unwrap();
        assert_eq!(
            create_in(&real, "a.md", |file| file.write_all("x".as_bytes())).unwrap(),
            real.join("a-2.md")
        );
        assert_eq!(fs::read_to_string(target).unwrap(), "mine");
        fs::set_permissions(&real, Permissions::from_mode(0o750)).unwrap();
        assert!(create_in(&real, "a.md", |file| file.write_all("x".as_bytes())).is_err());
    }
}
