//! The means where `bwrap` cannot be had: rules of the kernel that add up below a folder. A folder that may
//! be written cannot hold one that may not. So the top of the workspace and of `.git` are frozen, and what
//! lies in them is let through entry by entry, without what is reserved.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::SandboxConfig;
use super::places::{Places, is_root};
use super::reserved::Reserved;
use super::session::Session;
use crate::domain::sandbox::Level;

/// What a rule lets through, as the first process is told.
pub(super) const READ: &str = "--read";
pub(super) const WRITE: &str = "--write";
pub(super) const LIST: &str = "--list";
/// The network is let through.
pub(super) const NETWORK: &str = "--network";

/// The folder of the command.
pub(super) const FOLDER: &str = "--folder";
/// Stays outside of the wall, and goes behind it.
pub(super) const OUTSIDE: &str = "--outside";
pub(super) const WITHIN: &str = "--within";

/// Of `/dev`, what programs need.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];
/// Programs look at themselves and at the machine there.
const ALWAYS: [&str; 2] = ["/proc", "/sys/devices/system"];
/// Entries of the top of a workspace that are let through.
const MAX_ENTRIES: usize = 4_000;

/// Rules for the first process. The error is a sentence for a person.
pub(super) fn rules(
    ground: &SandboxConfig,
    level: Level,
    (places, reserved, session): (&Places, &Reserved, &Session),
) -> Result<Vec<OsString>, String> {
    let mut rules = Rules::default();
    for folder in ALWAYS.map(Path::new) {
        rules.add(READ, folder);
    }
    for folder in &places.system {
        if is_root() && folder == Path::new("/etc") {
            rules.add(LIST, folder);
            rules.around(folder, &places.shut_folders, &places.shut_files, READ)?;
        } else {
            rules.add(READ, folder);
        }
    }
    for device in DEVICES {
        rules.add(WRITE, &Path::new("/dev").join(device));
    }
    for path in &places.tools {
        let shut = places.shut_files.iter().any(|file| file.starts_with(path));
        if shut {
            rules.add(LIST, path);
            rules.around(path, &[], &places.shut_files, READ)?;
        } else {
            rules.add(READ, path);
        }
    }
    rules.add(READ, &session.git_settings());
    rules.add(WRITE, &session.tmp());
    if level.has_network() {
        for path in &places.resolver {
            rules.add(READ, path);
        }
        rules.0.push(NETWORK.into());
    }
    workspace(&mut rules, ground, level, reserved)?;
    Ok(rules.0)
}

fn workspace(
    rules: &mut Rules,
    ground: &SandboxConfig,
    level: Level,
    reserved: &Reserved,
) -> Result<(), String> {
    let top = &ground.workspace;
    let holds = |path: &Path| path.starts_with(top);
    if ground.home.as_deref().is_some_and(holds) || holds(&ground.state) {
        return Err("the home folder lies in the workspace".to_owned());
    }
    rules.add(LIST, top);
    let how = if level.writes() { WRITE } else { READ };
    // What is reserved may be read where the workspace may be written.
    let (areas, fixed) = (&reserved.areas, &reserved.fixed);
    if level.writes() {
        for path in areas.iter().chain(fixed).chain(&reserved.pinned) {
            rules.add(READ, path);
        }
    }
    let below = |path: &Path, all: &[PathBuf]| all.iter().any(|one| one.starts_with(path));
    let mut left = vec![top.clone()];
    let mut looked_at = 0;
    while let Some(folder) = left.pop() {
        for entry in entries(&folder)? {
            looked_at += 1;
            if looked_at > MAX_ENTRIES {
                return Err(format!("more than {MAX_ENTRIES} entries would need a rule each"));
            }
            if areas.contains(&entry) || fixed.contains(&entry) {
                continue;
            }
            if below(&entry, areas) || below(&entry, fixed) {
                // Something in it is reserved: it is frozen, and let through entry by entry.
                rules.add(LIST, &entry);
                left.push(entry);
            } else {
                rules.add(how, &entry);
            }
        }
    }
    Ok(())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let read = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(read.flatten().map(|entry| entry.path()).collect())
}

#[derive(Debug, Default)]
struct Rules(Vec<OsString>);

impl Rules {
    /// A link is let through by what it leads to, or not at all.
    fn add(&mut self, how: &str, path: &Path) {
        if fs::symlink_metadata(path).is_ok_and(|meta| !meta.is_symlink()) {
            self.0.extend([OsString::from(how), path.as_os_str().to_owned()]);
        }
    }

    /// All below a folder but this.
    fn around(
        &mut self,
        folder: &Path,
        folders: &[PathBuf],
        files: &[PathBuf],
        how: &str,
    ) -> Result<(), String> {
        for entry in entries(folder)? {
            let shut = |all: &[PathBuf]| all.contains(&entry);
            if shut(folders) || shut(files) {
                continue;
            }
            let holds = |all: &[PathBuf]| all.iter().any(|one| one.starts_with(&entry));
            let closed = fs::symlink_metadata(&entry)
                .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o444 == 0);
            if entry.is_dir() && (holds(folders) || holds(files)) {
                self.add(LIST, &entry);
                self.around(&entry, folders, files, how)?;
            } else if !closed {
                self.add(how, &entry);
            }
        }
        Ok(())
    }
}
