//! The processes this program has started: one small file each, in a folder outside of every workspace.
//! Records in a workspace may come from anyone, and may name any process of this user; only processes
//! that are registered here too are taken up again, and so can be ended.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::identity::Identity;
use super::record;

/// The most that is read of an entry, in bytes.
const ENTRY_BYTES: u64 = 64 * 1024;
/// Entries that are looked at when old ones are thrown away.
const MAX_ENTRIES: usize = 4_096;

/// The processes of one workspace. Without a folder it knows none.
#[derive(Debug, Clone, Default)]
pub struct ProcessRegistry(Option<RegistryDir>);

#[derive(Debug, Clone)]
struct RegistryDir {
    folder: PathBuf,
    workspace: String,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct RegistryEntry {
    #[serde(flatten)]
    identity: Identity,
    workspace: String,
}

/// An entry; it goes when this is dropped, unless it is to stay.
#[derive(Debug, Default)]
pub(super) struct RegistryGuard(Option<PathBuf>);

impl RegistryGuard {
    pub fn stays(&mut self) {
        self.0 = None;
    }
}

impl Drop for RegistryGuard {
    fn drop(&mut self) {
        if let Some(file) = self.0.take() {
            drop(fs::remove_file(file));
        }
    }
}

impl ProcessRegistry {
    /// Below a folder that no workspace can write to; `None`: there is none.
    #[must_use]
    pub fn new(folder: Option<PathBuf>, workspace: &Path) -> Self {
        let place = fs::canonicalize(workspace).ok().zip(folder);
        Self(place.map(|(workspace, folder)| RegistryDir {
            folder,
            workspace: workspace.to_string_lossy().into_owned(),
        }))
    }

    /// Enters a process. Where that fails it is only not found again by another run.
    pub(super) fn enter(&self, identity: &Identity) -> RegistryGuard {
        let Some(place) = &self.0 else { return RegistryGuard::default() };
        let file = place.file(identity);
        RegistryGuard(place.write(&file, identity).ok().map(|()| file))
    }

    /// True for a process that was entered for this workspace.
    pub(super) fn holds(&self, identity: &Identity) -> bool {
        let Some(place) = &self.0 else { return false };
        let entry = read(&place.file(identity));
        entry.is_some_and(|entry| entry.identity == *identity && entry.workspace == place.workspace)
    }

    /// Forgets a process that has ended.
    pub(super) fn remove(&self, identity: &Identity) {
        if self.holds(identity)
            && let Some(place) = &self.0
        {
            drop(fs::remove_file(place.file(identity)));
        }
    }

    /// Throws away the entries of this workspace whose processes are gone. Others stay: their
    /// processes may be seen from elsewhere only, such as from another container.
    pub(super) fn tidy(&self) {
        let Some(place) = &self.0 else { return };
        let entries = fs::read_dir(&place.folder).into_iter().flatten().flatten();
        for path in entries.take(MAX_ENTRIES).map(|entry| entry.path()) {
            let is_old = |entry: &RegistryEntry| {
                entry.workspace == place.workspace && !entry.identity.is_there()
            };
            if read(&path).as_ref().is_some_and(is_old) {
                drop(fs::remove_file(path));
            }
        }
    }
}

impl RegistryDir {
    fn file(&self, identity: &Identity) -> PathBuf {
        self.folder.join(format!("{}-{}", identity.pid, identity.started_ticks))
    }

    fn write(&self, file: &Path, identity: &Identity) -> io::Result<()> {
        let entry = RegistryEntry { identity: identity.clone(), workspace: self.workspace.clone() };
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600).custom_flags(libc::O_NOFOLLOW);
        options.open(file)?.write_all(&serde_json::to_vec(&entry)?)
    }
}

fn read(file: &Path) -> Option<RegistryEntry> {
    let mut bytes = Vec::new();
    record::open(file).ok()?.take(ENTRY_BYTES).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn only_what_was_entered_for_a_workspace_is_held_until_it_is_removed() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("state/processes");
        let workspaces = ["a", "b"].map(|name| top.path().join(name));
        for path in &workspaces {
            fs::create_dir(path).unwrap();
        }
        let [here, there] =
            workspaces.map(|path| ProcessRegistry::new(Some(folder.clone()), &path));
        let mine = Identity::of(std::process::id());
        assert!(!here.holds(&mine));
        let mut entered = here.enter(&mine);
        assert!(here.holds(&mine) && !there.holds(&mine));
        for other in [
            Identity { boot: "before".to_owned(), ..mine.clone() },
            Identity { started_ticks: mine.started_ticks + 1, ..mine.clone() },
        ] {
            assert!(!here.holds(&other), "{other:?}");
        }
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let file = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
        assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
        there.remove(&mine);
        here.tidy();
        assert!(here.holds(&mine), "a process that is there stays");
        entered.stays();
        drop(entered);
        here.remove(&mine);
        assert!(!here.holds(&mine));

        let gone = Identity { started_ticks: mine.started_ticks + 1, ..mine.clone() };
        here.enter(&gone).stays();
        there.tidy();
        assert!(here.holds(&gone), "what belongs to another workspace is left alone");
        here.tidy();
        assert!(!here.holds(&gone));
        drop(here.enter(&mine));
        assert!(!here.holds(&mine) && !ProcessRegistry::default().holds(&mine));
    }
}
