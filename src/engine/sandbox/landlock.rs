//! Landlock rules, used where `bwrap` is not available. Rules add up below a folder, so a writable folder
//! cannot contain a read-only one. Hence the top of the workspace and of `.git` can only be listed, and
//! their entries get a rule each, except what is reserved.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::beneath::{ObjectId, ObjectKind, Root};
use super::config::SandboxConfig;
use super::reserved::{ReservedObject, ReservedPaths};
use super::session::Session;
use super::visible::{VisiblePaths, is_root};
use crate::domain::safety::sandbox::Level;
use crate::domain::text::{Localized, Text, localized};

/// Access that a rule grants, as flags of the helper.
pub(super) const READ: &str = "--read";
pub(super) const WRITE: &str = "--write";
pub(super) const LIST: &str = "--list";
/// Stands for an identity that is not needed, since the path lies outside of the workspace.
pub(super) const NOT_JUDGED: &str = "-";
/// The network is allowed.
pub(super) const NETWORK: &str = "--network";

/// The working folder of the command.
pub(super) const FOLDER: &str = "--folder";
/// Roles of the helper: the supervisor outside the sandbox, and the process that enters it.
pub(super) const OUTSIDE: &str = "--outside";
pub(super) const WITHIN: &str = "--within";

/// Devices that programs need.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];
/// Readable at every level.
const ALWAYS_READABLE: [&str; 2] = ["/proc", "/sys/devices/system"];
/// Entries of the workspace that get a rule of their own.
const MAX_ENTRIES: usize = 4_000;

/// Rules as arguments of the helper. The error is a message for the user.
pub(super) fn rules(
    config: &SandboxConfig,
    level: Level,
    (root, visible, reserved, session): (&Root, &VisiblePaths, &ReservedPaths, &Session),
) -> Result<Vec<OsString>, Localized> {
    let mut rules = LandlockRules::default();
    for folder in ALWAYS_READABLE.map(Path::new) {
        rules.add(READ, folder);
    }
    for folder in &visible.system {
        if is_root() && folder == Path::new("/etc") {
            rules.add(LIST, folder);
            rules.add_except(folder, &visible.masked_folders, &visible.masked_files, READ)?;
        } else {
            rules.add(READ, folder);
        }
    }
    for device in DEVICES {
        rules.add(WRITE, &Path::new("/dev").join(device));
    }
    for path in &visible.tools {
        let masked = visible.masked_files.iter().any(|file| file.starts_with(path));
        if masked {
            rules.add(LIST, path);
            rules.add_except(path, &[], &visible.masked_files, READ)?;
        } else {
            rules.add(READ, path);
        }
    }
    rules.add(READ, &session.git_settings());
    rules.add(WRITE, &session.tmp());
    if level.has_network() {
        for path in &visible.resolver {
            rules.add(READ, path);
        }
        rules.0.push(NETWORK.into());
    }
    workspace(&mut rules, config, level, (root, reserved))?;
    Ok(rules.0)
}

fn workspace(
    rules: &mut LandlockRules,
    config: &SandboxConfig,
    level: Level,
    (root, reserved): (&Root, &ReservedPaths),
) -> Result<(), Localized> {
    let top = root.path();
    let contains = |path: &Path| path.starts_with(top);
    if config.home.as_deref().is_some_and(contains) || contains(&config.state) {
        let text = Text::new("the home folder lies in the workspace", "主目录位于工作区内");
        return Err(text.into());
    }
    let failed = |folder: &Path, error: &io::Error| {
        Localized::same(format!("{}: {error}", folder.display()))
    };
    let top_id = root.id().map_err(|error| failed(top, &error))?;
    rules.add_judged(LIST, top, top_id);
    let access = if level.writes() { WRITE } else { READ };
    // If the workspace is writable, reserved paths are read-only.
    let (areas, fixed) = (&reserved.areas, &reserved.fixed);
    if level.writes() {
        for ReservedObject { path, id } in areas.iter().chain(fixed).chain(&reserved.pinned) {
            if let Some(id) = id {
                rules.add_judged(READ, path, *id);
            }
        }
    }
    // By identity and by name: another command may be exchanging names at this moment.
    let all = || areas.iter().chain(fixed);
    let held: BTreeSet<ObjectId> = all().filter_map(|held| held.id).collect();
    let is_held = |path: &Path, id| held.contains(&id) || all().any(|held| held.path == path);
    let around = |path: &Path, id| {
        reserved.folders.contains(&id) || all().any(|held| held.path.starts_with(path))
    };
    let mut left = vec![top.to_owned()];
    let mut checked = 0;
    while let Some(folder) = left.pop() {
        for (path, object) in root.objects(&folder).map_err(|error| failed(&folder, &error))? {
            checked += 1;
            if checked > MAX_ENTRIES {
                return Err(localized!(
                    "more than {MAX_ENTRIES} entries would need a rule each",
                    "需要单独规则的条目超过 {MAX_ENTRIES} 个"
                ));
            }
            // Symlinks get no rule: access is decided by their target.
            if object.kind == ObjectKind::Link || is_held(&path, object.id) {
                continue;
            }
            if object.kind == ObjectKind::Folder && around(&path, object.id) {
                // It contains reserved paths: its entries get a rule each.
                rules.add_judged(LIST, &path, object.id);
                left.push(path);
            } else {
                rules.add_judged(access, &path, object.id);
            }
        }
    }
    Ok(())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Localized> {
    let failed = |error| Localized::same(format!("{}: {error}", folder.display()));
    let read = fs::read_dir(folder).map_err(|error: std::io::Error| failed(error))?;
    Ok(read.flatten().map(|entry| entry.path()).collect())
}

#[derive(Debug, Default)]
struct LandlockRules(Vec<OsString>);

impl LandlockRules {
    /// Symlinks get no rule: access is decided by their target.
    fn add(&mut self, access: &str, path: &Path) {
        if fs::symlink_metadata(path).is_ok_and(|meta| !meta.is_symlink()) {
            self.0.extend([access.into(), path.into(), NOT_JUDGED.into()]);
        }
    }

    /// A path in the workspace.
    fn add_judged(&mut self, access: &str, path: &Path, id: ObjectId) {
        self.0.extend([access.into(), path.into(), id.into()]);
    }

    /// Grants access to everything below a folder, with exceptions.
    fn add_except(
        &mut self,
        folder: &Path,
        folders: &[PathBuf],
        files: &[PathBuf],
        access: &str,
    ) -> Result<(), Localized> {
        for entry in entries(folder)? {
            let masked = |all: &[PathBuf]| all.contains(&entry);
            if masked(folders) || masked(files) {
                continue;
            }
            let contains = |all: &[PathBuf]| all.iter().any(|one| one.starts_with(&entry));
            let closed = fs::symlink_metadata(&entry)
                .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o444 == 0);
            if entry.is_dir() && (contains(folders) || contains(files)) {
                self.add(LIST, &entry);
                self.add_except(&entry, folders, files, access)?;
            } else if !closed {
                self.add(access, &entry);
            }
        }
        Ok(())
    }
}
