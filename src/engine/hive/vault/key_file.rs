//! The key of a store: in the environment, or in a file of this user outside of every workspace. A key that is there is
//! never replaced but by a new one whose rows are stored already.

use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use zeroize::Zeroizing;

use super::seal::StoreKey;
use crate::domain::safety::references::VAULT_KEY;
use crate::domain::text::{Localized, Text, localized};

/// Bits of a mode by which others could read or write.
const FOR_OTHERS: u32 = 0o077;
const MODE_MASK: u32 = 0o7777;
/// More than a written key has.
const MOST_BYTES: u64 = 256;

/// Where keys are kept on this machine.
#[derive(Clone, Default)]
pub struct VaultKeys {
    /// The folder; `None` if there is none outside of the workspace.
    pub folder: Option<PathBuf>,
    /// What the variable [`VAULT_KEY`] holds.
    pub given: Option<String>,
}

/// Why there is no key to use.
#[derive(Debug)]
pub enum KeyFault {
    Absent,
    NoFolder,
    /// What is wrong with a file or folder.
    Unusable(PathBuf, Localized),
    /// The variable does not hold a key.
    Variable,
    /// The key is in the environment, where it is not changed.
    Given,
    /// There is another key already.
    Taken(PathBuf),
    /// Somebody changes the key, or sets a secret with it.
    Busy,
    /// The system gives no random numbers.
    NotRandom,
}

impl fmt::Debug for VaultKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VaultKeys").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl KeyFault {
    /// The message for a person or a model.
    #[must_use]
    pub fn text(&self) -> Localized {
        match self {
            Self::Absent => Text::new(
                "the key of these secrets is not here: vault key import",
                "这里没有这些机密的密钥：vault key import",
            )
            .into(),
            Self::NoFolder => Text::new(
                "there is no folder outside of the workspace for its key",
                "工作区之外没有可保存密钥的文件夹",
            )
            .into(),
            Self::Unusable(path, why) => {
                let path = path.display();
                localized!([why] "{path} {why}", "{path} {why}")
            }
            Self::Variable => localized!(
                "{VAULT_KEY} does not hold a key of 32 bytes in base64",
                "{VAULT_KEY} 中不是 base64 形式的 32 字节密钥"
            ),
            Self::Given => localized!(
                "the key is in {VAULT_KEY}: change it there",
                "密钥在 {VAULT_KEY} 中：请在那里更改"
            ),
            Self::Taken(path) => {
                let path = path.display();
                localized!(
                    "{path} holds another key: move it away first, if no secret needs it",
                    "{path} 中已有另一个密钥：如果没有机密需要它，请先移走"
                )
            }
            Self::Busy => Text::new(
                "the key of the secrets is changed or used just now: try again",
                "机密的密钥正在更改或使用：请重试",
            )
            .into(),
            Self::NotRandom => {
                Text::new("the system gives no random numbers", "系统无法提供随机数").into()
            }
        }
    }
}

/// For how long a key must not be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hold {
    /// While a secret is sealed with it and stored.
    Sealing,
    /// While it is changed, and nobody else seals.
    Changing,
}

impl VaultKeys {
    /// Holds the keys of this folder until the result is dropped, so that no secret is stored with a key that is gone. A key
    /// in the environment, and one that is not made yet, is not changed by anybody.
    pub(super) fn hold(&self, hold: Hold) -> Result<Option<File>, KeyFault> {
        let Some(folder) = self.folder.as_ref().filter(|_| self.given.is_none()) else {
            return Ok(None);
        };
        let opened = match File::open(folder) {
            Ok(opened) => opened,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(folder)(error)),
        };
        let locked = match hold {
            Hold::Sealing => opened.try_lock_shared(),
            Hold::Changing => opened.try_lock(),
        };
        match locked {
            Ok(()) => Ok(Some(opened)),
            Err(TryLockError::WouldBlock) => Err(KeyFault::Busy),
            Err(TryLockError::Error(error)) => Err(failed(folder)(error)),
        }
    }

    /// The keys that may have sealed the secrets of a store; a second one is there while keys are changed.
    pub(super) fn of(&self, store: &str) -> Result<Vec<StoreKey>, KeyFault> {
        if let Some(text) = &self.given {
            return Ok(vec![StoreKey::read(text).ok_or(KeyFault::Variable)?]);
        }
        let file = self.file(store)?;
        let current = read(&file)?.ok_or(KeyFault::Absent)?;
        Ok(std::iter::once(current).chain(read(&next(&file))?).collect())
    }

    /// The key of a store that has no secret yet, made if need be.
    pub(super) fn first(&self, store: &str) -> Result<StoreKey, KeyFault> {
        match self.of(store) {
            Err(KeyFault::Absent) => {
                self.keep(store, StoreKey::random().ok_or(KeyFault::NotRandom)?)
            }
            Ok(keys) => keys.into_iter().next().ok_or(KeyFault::Absent),
            Err(fault) => Err(fault),
        }
    }

    /// The key as it is written, for another machine.
    pub(super) fn exported(&self, store: &str) -> Result<Zeroizing<String>, KeyFault> {
        self.of(store)?.first().map(StoreKey::written).ok_or(KeyFault::Absent)
    }

    /// Keeps a key that was exported elsewhere.
    pub(super) fn import(&self, store: &str, key: StoreKey) -> Result<(), KeyFault> {
        if self.given.is_some() {
            return Err(KeyFault::Given);
        }
        let id = key.id.clone();
        let kept = self.keep(store, key)?;
        if kept.id == id { Ok(()) } else { Err(KeyFault::Taken(self.file(store)?)) }
    }

    /// Makes the key that follows; it stands beside the one in use until [`Self::take_next`].
    pub(super) fn make_next(&self, store: &str) -> Result<StoreKey, KeyFault> {
        if self.given.is_some() {
            return Err(KeyFault::Given);
        }
        let file = next(&self.file(store)?);
        let key = StoreKey::random().ok_or(KeyFault::NotRandom)?;
        // Half a key beside the one in use would keep both from being read.
        let drawn = file.with_added_extension("new");
        remove(&drawn)?;
        write(&drawn, &key)?;
        change(|| fs::rename(&drawn, &file)).map_err(failed(&file))?;
        sync_folder(&file)?;
        Ok(key)
    }

    /// The next key becomes the one in use.
    pub(super) fn take_next(&self, store: &str) -> Result<(), KeyFault> {
        let file = self.file(store)?;
        change(|| fs::rename(next(&file), &file)).map_err(failed(&file))?;
        sync_folder(&file)
    }

    /// Keeps this key unless there is one; the key that is there then.
    fn keep(&self, store: &str, key: StoreKey) -> Result<StoreKey, KeyFault> {
        let file = self.file(store)?;
        if let Some(folder) = file.parent() {
            let make = || DirBuilder::new().recursive(true).mode(0o700).create(folder);
            change(make).map_err(failed(folder))?;
        }
        self.file(store)?;
        if let Some(known) = read(&file)? {
            return Ok(known);
        }
        let drawn = file.with_added_extension(&key.id);
        remove(&drawn)?;
        write(&drawn, &key)?;
        let linked = change(|| fs::hard_link(&drawn, &file));
        remove(&drawn)?;
        match linked {
            Ok(()) => sync_folder(&file).map(|()| key),
            // Another program was first.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                read(&file)?.ok_or(KeyFault::Absent)
            }
            Err(error) => Err(failed(&file)(error)),
        }
    }

    /// The file of the key of this store, in a folder that is closed to others.
    fn file(&self, store: &str) -> Result<PathBuf, KeyFault> {
        let folder = self.folder.as_ref().ok_or(KeyFault::NoFolder)?;
        match fs::symlink_metadata(folder) {
            Ok(about) => check(folder, about.is_dir(), &about)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(folder)(error)),
        }
        Ok(folder.join(format!("{store}.key")))
    }
}

fn next(file: &Path) -> PathBuf {
    file.with_added_extension("next")
}

/// The key in a file; `None` if there is no file. No link is followed.
fn read(file: &Path) -> Result<Option<StoreKey>, KeyFault> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let opened = match OpenOptions::new().read(true).custom_flags(flags).open(file) {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(file)(error)),
    };
    let about = opened.metadata().map_err(failed(file))?;
    check(file, about.is_file(), &about)?;
    let mut text = Zeroizing::new(String::new());
    opened.take(MOST_BYTES).read_to_string(&mut text).map_err(failed(file))?;
    let none = || Text::new("does not hold a key", "中不是密钥").into();
    StoreKey::read(&text).map(Some).ok_or_else(|| KeyFault::Unusable(file.to_owned(), none()))
}

/// Refuses what others own or may read, and what is of another kind.
fn check(path: &Path, is_of_kind: bool, about: &fs::Metadata) -> Result<(), KeyFault> {
    let (uid, mode) = (about.uid(), about.mode() & MODE_MASK);
    let why: Localized = if !is_of_kind {
        Text::new("is a link, or of another kind", "是链接或其他类型").into()
    } else if uid != rustix::process::geteuid().as_raw() {
        localized!("belongs to user {uid}", "属于用户 {uid}")
    } else if mode & FOR_OTHERS != 0 {
        localized!(
            "can be used by others ({mode:04o}): chmod go= it",
            "可被其他用户使用（{mode:04o}）：请执行 chmod go="
        )
    } else {
        return Ok(());
    };
    Err(KeyFault::Unusable(path.to_owned(), why))
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> KeyFault {
    move |error| KeyFault::Unusable(path.to_owned(), Localized::same(error.to_string()))
}

/// Changes the disk; a test ends the program before it.
fn change<T>(act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    #[cfg(test)]
    super::faults::strike()?;
    act()
}

/// Writes a new file. Its name is synced by whoever gives it the one that counts.
fn write(file: &Path, key: &StoreKey) -> Result<(), KeyFault> {
    let open = || OpenOptions::new().write(true).create_new(true).mode(0o600).open(file);
    let mut opened = change(open).map_err(failed(file))?;
    change(|| opened.write_all(key.written().as_bytes()))
        .and_then(|()| change(|| opened.write_all(b"\n")))
        .and_then(|()| change(|| opened.sync_all()))
        .map_err(failed(file))
}

fn remove(file: &Path) -> Result<(), KeyFault> {
    match change(|| fs::remove_file(file)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(file)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn sync_folder(file: &Path) -> Result<(), KeyFault> {
    let folder = file.parent().unwrap_or(file);
    change(|| File::open(folder)?.sync_all()).map_err(failed(folder))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, chown, symlink};

    use super::*;
    use crate::hive::vault::faults::{self, KeyDiskFault};

    fn place() -> (tempfile::TempDir, VaultKeys) {
        let dir = tempfile::tempdir().unwrap();
        let folder = Some(dir.path().join("data/keys"));
        (dir, VaultKeys { folder, given: None })
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn s15_7_a_key_is_made_once_and_closed_to_others() {
        let (_dir, keys) = place();
        assert!(matches!(keys.of("ab12"), Err(KeyFault::Absent)));
        let first = keys.first("ab12").unwrap();
        assert_eq!(keys.first("ab12").unwrap().id, first.id);
        assert_ne!(keys.first("cd34").unwrap().id, first.id, "each store has its own");
        let folder = keys.folder.clone().unwrap();
        assert_eq!([mode(&folder), mode(&folder.join("ab12.key"))], [0o700, 0o600]);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "nothing else is left");
    }

    #[test]
    fn s15_7_a_key_that_others_may_have_is_not_used_and_not_replaced() {
        let (dir, keys) = place();
        let id = keys.first("ab12").unwrap().id;
        let file = keys.folder.clone().unwrap().join("ab12.key");
        let text = fs::read_to_string(&file).unwrap();
        let refused = |keys: &VaultKeys| {
            assert!(matches!(keys.first("ab12"), Err(KeyFault::Unusable(..))));
            fs::read_to_string(&file).unwrap_or_default()
        };
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(refused(&keys), text);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&file, "AAAA\n").unwrap();
        assert_eq!(refused(&keys), "AAAA\n");
        fs::remove_file(&file).unwrap();
        let elsewhere = dir.path().join("elsewhere");
        fs::write(&elsewhere, &text).unwrap();
        symlink(&elsewhere, &file).unwrap();
        assert_eq!(refused(&keys), text);
        fs::remove_file(&file).unwrap();
        fs::write(&file, &text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(keys.first("ab12").unwrap().id, id);
        let folder = keys.folder.clone().unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(refused(&keys), text);
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        if chown(&file, Some(12_345), None).is_err() {
            eprintln!("SKIPPED: only the administrator gives files away");
            return;
        }
        assert_eq!(refused(&keys), text);
    }

    #[test]
    fn s15_7_a_key_in_the_environment_comes_first_and_is_not_changed() {
        let (_dir, keys) = place();
        let key = StoreKey::random().unwrap();
        let given = VaultKeys { given: Some(key.written().to_string()), ..keys.clone() };
        assert_eq!(given.first("ab12").unwrap().id, key.id);
        assert!(!keys.folder.clone().unwrap().exists());
        assert!(matches!(given.make_next("ab12"), Err(KeyFault::Given)));
        assert!(!format!("{given:?}").contains(key.written().as_str()));
        let wrong = VaultKeys { given: Some("x".to_owned()), ..keys };
        assert!(matches!(wrong.first("ab12"), Err(KeyFault::Variable)), "no file is made instead");
    }

    #[test]
    fn s15_7_a_key_goes_to_another_machine_and_replaces_none_there() {
        let ((_dir, keys), (_other, there)) = (place(), place());
        let key = keys.first("org").unwrap();
        let written = keys.exported("org").unwrap();
        there.import("org", StoreKey::read(&written).unwrap()).unwrap();
        assert_eq!(there.first("org").unwrap().id, key.id);
        there.import("org", StoreKey::read(&written).unwrap()).unwrap();
        let refused = there.import("org", StoreKey::random().unwrap());
        assert!(matches!(refused, Err(KeyFault::Taken(_))));
        assert_eq!(there.first("org").unwrap().id, key.id);
        let nowhere = VaultKeys::default();
        assert!(matches!(nowhere.first("org"), Err(KeyFault::NoFolder)));
    }

    #[test]
    fn s15_7_a_first_key_that_was_killed_or_failed_at_any_change_is_made_by_the_next_try() {
        for kind in [KeyDiskFault::StopAt, KeyDiskFault::FailAt] {
            for at in 0.. {
                let (_dir, keys) = place();
                faults::set(Some(kind(at)));
                let made = keys.first("org").map(|key| key.id);
                let is_over = faults::tried() <= at;
                faults::set(None);
                let id = keys.first("org").unwrap().id;
                assert_eq!(keys.of("org").unwrap().len(), 1, "{:?}", kind(at));
                assert!(made.is_err() || made.is_ok_and(|known| known == id), "{:?}", kind(at));
                if is_over {
                    assert!(at > 5, "every change was tried");
                    break;
                }
            }
        }
    }

    #[test]
    fn s15_7_nobody_seals_while_the_key_is_changed_and_it_is_not_changed_while_somebody_seals() {
        let (_dir, keys) = place();
        assert!(keys.hold(Hold::Changing).unwrap().is_none(), "there is none yet");
        keys.first("org").unwrap();
        let sealing = [(); 2].map(|()| keys.hold(Hold::Sealing).unwrap());
        let busy = keys.hold(Hold::Changing).unwrap_err();
        assert!(matches!(busy, KeyFault::Busy));
        crate::samples::assert_translated(&busy.text());
        drop(sealing);
        let changing = keys.hold(Hold::Changing).unwrap();
        assert!(matches!(keys.hold(Hold::Sealing), Err(KeyFault::Busy)));
        drop(changing);
        assert!(keys.hold(Hold::Sealing).unwrap().is_some());
    }

    #[test]
    fn a_next_key_is_beside_the_one_in_use_until_it_is_taken() {
        let (_dir, keys) = place();
        let first = keys.first("org").unwrap().id;
        // One that was left without use.
        keys.make_next("org").unwrap();
        let second = keys.make_next("org").unwrap().id;
        let ids = |keys: &VaultKeys| -> Vec<String> {
            keys.of("org").unwrap().into_iter().map(|key| key.id).collect()
        };
        assert_eq!(ids(&keys), [first, second.clone()]);
        keys.take_next("org").unwrap();
        assert_eq!(ids(&keys), [second]);
    }
}
