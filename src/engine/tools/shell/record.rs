//! What is on disk about one command: a record in a folder of its own below `.dialogs/.tui/processes`,
//! from before it begins. So whatever survives the program is found again.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use serde::{Deserialize, Serialize};

use super::identity::Identity;
use crate::domain::dialogs::background::ProcessExit;
use crate::domain::text::json;
use crate::domain::{AgentId, Stamp};

/// Below the workspace.
const FOLDER: [&str; 3] = [".dialogs", ".tui", "processes"];
const RECORD: &str = "process.json";
/// A record until it is whole.
const NEW_RECORD: &str = "process.json.new";
/// Access for the user who runs the program only.
const FOLDER_MODE: u32 = 0o700;
pub(super) const FILE_MODE: u32 = 0o600;
/// Folders that are looked into.
const MAX_FOLDERS: usize = 4_096;
/// The most that is read of a record, in bytes.
const RECORD_BYTES: u64 = 1024 * 1024;

/// What is on disk about one command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProcessRecord {
    #[serde(flatten)]
    pub identity: Identity,
    pub agent: AgentId,
    pub command: String,
    pub shell: String,
    pub started_at: Stamp,
    /// How it ended, once it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<ProcessExit>,
    /// Lines of each stream that a look at its output shows.
    pub scrollback: usize,
}

/// Notes a command that begins; the folder that is its own.
pub(super) fn begin(workspace: &Path, record: &ProcessRecord) -> io::Result<PathBuf> {
    let Identity { pid, started_ticks, .. } = record.identity;
    let folder = folder(workspace)?.join(format!("{pid}-{started_ticks}"));
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(&folder)?;
    write(&folder, record)?;
    Ok(folder)
}

/// The folder of all records; no part of it may be a link.
pub(super) fn folder(workspace: &Path) -> io::Result<PathBuf> {
    let mut path = workspace.to_owned();
    for name in FOLDER {
        path.push(name);
        if fs::symlink_metadata(&path).is_ok_and(|meta| !meta.is_dir()) {
            return Err(io::Error::other(format!("{} is no folder", path.display())));
        }
    }
    Ok(path)
}

/// Writes atomically: if this is killed, the old record is there or the new one.
pub(super) fn write(folder: &Path, record: &ProcessRecord) -> io::Result<()> {
    let (path, new) = (folder.join(RECORD), folder.join(NEW_RECORD));
    // Removes a file that a killed writer left; a link in its place is not followed.
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(&new)?;
    file.write_all(&serde_json::to_vec(record)?)?;
    file.sync_all()?;
    fs::rename(new, path)
}

/// Returns the folders of all records; links are ignored.
pub(super) fn all(workspace: &Path) -> Vec<PathBuf> {
    let Ok(top) = folder(workspace) else { return Vec::new() };
    let entries = fs::read_dir(top).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.take(MAX_FOLDERS).map(|entry| entry.path()).collect()
}

pub(super) fn read(folder: &Path) -> Option<ProcessRecord> {
    let mut bytes = Vec::new();
    let file = open(&folder.join(RECORD)).ok()?;
    file.take(RECORD_BYTES).read_to_end(&mut bytes).ok()?;
    json::read(str::from_utf8(&bytes).ok()?).ok()
}

/// Opens a file that may be somebody else's: no link, and nothing that would be waited for.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::other(format!("{} is no file", path.display())))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn record() -> ProcessRecord {
        ProcessRecord {
            identity: Identity { pid: 4_000_000, started_ticks: 7, boot: "b".to_owned() },
            agent: AgentId::new("lead"),
            command: "sleep 1".to_owned(),
            shell: "sh".to_owned(),
            started_at: Stamp::new("2026-11-21 12:00:00"),
            exit: None,
            scrollback: 5,
        }
    }

    #[test]
    fn a_record_is_read_as_it_was_written_and_written_whole() {
        let top = tempfile::tempdir().unwrap();
        let folder = begin(top.path(), &record()).unwrap();
        assert_eq!(all(top.path()), std::slice::from_ref(&folder));
        assert_eq!(read(&folder), Some(record()));
        // A reader that has the old record open keeps it whole.
        let mut old = open(&folder.join(RECORD)).unwrap();
        let ended = ProcessRecord { exit: Some(ProcessExit::Code(3)), ..record() };
        write(&folder, &ended).unwrap();
        let mut text = String::new();
        old.read_to_string(&mut text).unwrap();
        assert_eq!(serde_json::from_str::<ProcessRecord>(&text).unwrap(), record());
        assert_eq!(read(&folder), Some(ended));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is left beside it");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder.join(RECORD)), 0o600);
        let folders = folder.ancestors().take_while(|folder| *folder != top.path());
        assert!(folders.map(mode).all(|mode| mode == 0o700));
    }

    #[test]
    fn nothing_is_read_through_a_link_or_from_a_pipe() {
        let top = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let real = begin(elsewhere.path(), &record()).unwrap();
        let ours = folder(top.path()).unwrap();
        fs::create_dir_all(ours.join("file")).unwrap();
        fs::create_dir_all(ours.join("pipe")).unwrap();
        symlink(&real, ours.join("folder")).unwrap();
        symlink(real.join(RECORD), ours.join("file").join(RECORD)).unwrap();
        let pipe = ours.join("pipe").join(RECORD);
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let found = all(top.path());
        assert_eq!(found.len(), 2, "a folder behind a link is not ours");
        assert_eq!(found.iter().find_map(|folder| read(folder)), None);
    }
}
