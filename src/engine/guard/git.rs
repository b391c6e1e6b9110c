//! Which folders belong to the repository of a workspace, by identity: so that no mount and no second
//! name leads a writer there. Git runs programs that its configuration and its hooks name.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::dir::Dir;
use super::stat::Stat;
use crate::domain::safety::reserved::GIT;
use crate::guard::file_identity::Identity;

/// The folder of what git runs by itself.
const HOOKS: &str = "hooks";
/// In a further work tree: the file with the path of the configuration.
const COMMON: &str = "commondir";
/// A `.git` that is a file says where the folder is.
const POINTER: &str = "gitdir:";
/// The most that is read of such a file, in bytes.
const POINTER_BYTES: u64 = 4_096;

/// Returns the existing folders: that of the repository, and its parts that may be mounts of their own.
pub(super) fn places(workspace: &Dir) -> Vec<Identity> {
    let own = PathBuf::from(GIT);
    let mut folders = match workspace.look_through(&own) {
        Ok(stat) if stat.is_dir() => vec![own],
        Ok(stat) if stat.is_file() => pointed(workspace, &own, POINTER).into_iter().collect(),
        Ok(_) | Err(_) => return Vec::new(),
    };
    let common = folders.first().and_then(|folder| pointed(workspace, &folder.join(COMMON), ""));
    folders.extend(common);
    let hooks: Vec<PathBuf> = folders.iter().map(|folder| folder.join(HOOKS)).collect();
    folders.extend(hooks);
    let identity = |folder: PathBuf| Some(workspace.look_through(&folder).ok()?.identity);
    folders.into_iter().filter_map(identity).collect()
}

/// Returns the folder that a small file names after a keyword; relative to the file.
fn pointed(workspace: &Dir, file: &Path, word: &str) -> Option<PathBuf> {
    let mut text = String::new();
    // Does not block, even if it is a pipe.
    let opened = workspace.open_through(file).ok()?;
    if !Stat::of(&opened).ok()?.is_file() {
        return None;
    }
    opened.take(POINTER_BYTES).read_to_string(&mut text).ok()?;
    let target = text.strip_prefix(word)?.trim();
    Some(file.parent()?.join(target))
}
