//! What is on disk about one command: a record in a folder of its own below `.dialogs/.tui/processes`,
//! from before it begins. So whatever survives the program is found again.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::identity::Identity;
use crate::domain::background::Exit;
use crate::domain::{AgentId, Stamp};

/// Below the workspace.
const FOLDER: [&str; 3] = [".dialogs", ".tui", "processes"];
const RECORD: &str = "process.json";
/// The most that is read of a record, in bytes.
const RECORD_BYTES: u64 = 1024 * 1024;

/// What is on disk about one command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    #[serde(flatten)]
    pub identity: Identity,
    pub agent: AgentId,
    pub command: String,
    pub shell: String,
    pub started_at: Stamp,
    /// How it ended, once it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<Exit>,
    /// Lines of each stream that a look at its output shows.
    pub scrollback: usize,
}

/// Notes a command that begins; the folder that is its own.
pub(super) fn begin(workspace: &Path, record: &Record) -> io::Result<PathBuf> {
    let Identity { pid, started_ticks, .. } = record.identity;
    let folder = folder(workspace)?.join(format!("{pid}-{started_ticks}"));
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
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

pub(super) fn write(folder: &Path, record: &Record) -> io::Result<()> {
    fs::write(folder.join(RECORD), serde_json::to_vec(record)?)
}

pub(super) fn read(folder: &Path) -> Option<Record> {
    let path = folder.join(RECORD);
    let meta = fs::symlink_metadata(&path).ok()?;
    let fits = meta.is_file() && meta.len() <= RECORD_BYTES;
    fits.then(|| serde_json::from_slice(&fs::read(path).ok()?).ok()).flatten()
}
