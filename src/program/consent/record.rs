//! The file that stores consent: JSON lines in the state folder of this program, never in a workspace,
//! where others could write it.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use crate::domain::safety::ownership::distrust;
use crate::domain::safety::sandbox::Level;
use crate::domain::safety::server_tools::{KnownTools, ToolFacts};
use crate::domain::safety::trust::{Agreed, ChosenLevel, TrustEntry};
use crate::domain::text::{Localized, localized};
use crate::platform::own_uid;

/// The file in the state folder.
pub(super) const FILE: &str = "trusted.jsonl";

/// The consent for all workspaces. Other lines are skipped.
pub(super) fn read(file: &Path) -> io::Result<Vec<Agreed>> {
    Ok(read_text(file)?.unwrap_or_default().lines().filter_map(Agreed::read).collect())
}

/// Adds entries; they replace earlier ones of the same name. An entry with an unchanged digest keeps its line.
pub(super) fn add(file: &Path, workspace: &str, entries: &[TrustEntry]) -> io::Result<()> {
    let _locked = lock(file)?;
    let before = read_text(file)?.unwrap_or_default();
    let known: Vec<Agreed> = before.lines().filter_map(Agreed::read).collect();
    let is_new = |entry: &&TrustEntry| {
        let is_kept = |old: &Agreed| old.is_about(workspace, entry) && old.digest == entry.digest;
        !known.iter().any(is_kept)
    };
    let new: Vec<&TrustEntry> = entries.iter().filter(is_new).collect();
    let replaced = |line: &&str| {
        let old = Agreed::read(line);
        old.is_some_and(|old| new.iter().any(|entry| old.is_about(workspace, entry)))
    };
    let kept = before.lines().filter(|line| !replaced(line)).map(str::to_owned);
    let added = new.iter().map(|entry| Agreed::to(workspace, entry).to_string());
    let lines: Vec<String> = kept.chain(added).collect();
    replace(file, &format!("{}\n", lines.join("\n")))
}

/// Records the tools that an agreed server has listed, and returns them. `None`: it was not agreed to as it is.
pub(super) fn list_tools(
    file: &Path,
    workspace: &str,
    server: &TrustEntry,
    listed: &[ToolFacts],
) -> io::Result<Option<KnownTools>> {
    let is_it = |one: &Agreed| one.is_about(workspace, server) && one.digest == server.digest;
    let find = || Ok::<_, io::Error>(read(file)?.into_iter().rfind(is_it));
    let Some(known) = find()? else { return Ok(None) };
    let after = after_list(known.tools.as_ref(), listed);
    if known.tools.as_ref() == Some(&after) {
        return Ok(Some(after));
    }
    let mut after = None;
    change(file, |mut one| {
        if is_it(&one) {
            after = Some(after_list(one.tools.as_ref(), listed));
            one.tools.clone_from(&after);
        }
        one
    })?;
    Ok(after)
}

/// Returns the tools of a server after a list: the first list counts as agreed to.
pub(super) fn after_list(known: Option<&KnownTools>, listed: &[ToolFacts]) -> KnownTools {
    known.map_or_else(|| KnownTools::of_first(listed), |known| known.after(listed))
}

/// A person agreed to tools that wait.
pub(super) fn agree_to_tools(
    file: &Path,
    workspace: &str,
    fits: impl Fn(&Agreed, &ToolFacts) -> bool,
) -> io::Result<()> {
    change(file, |mut one| {
        if one.workspace == workspace {
            one.tools = one.tools.as_ref().map(|known| known.with(|tool| fits(&one, tool)));
        }
        one
    })
}

/// Changes the stored entries. Other lines stay.
fn change(file: &Path, mut changed: impl FnMut(Agreed) -> Agreed) -> io::Result<()> {
    let _locked = lock(file)?;
    let before = read_text(file)?.unwrap_or_default();
    let line = |line: &str| match Agreed::read(line) {
        Some(one) => {
            let after = changed(one.clone());
            if after == one { line.to_owned() } else { after.to_string() }
        }
        None => line.to_owned(),
    };
    let lines: Vec<String> = before.lines().map(line).collect();
    replace(file, &format!("{}\n", lines.join("\n")))
}

/// The sandbox level that was last chosen for a workspace.
pub(super) fn read_level(file: &Path, workspace: &str) -> io::Result<Option<Level>> {
    let text = read_text(file)?.unwrap_or_default();
    let mut chosen = text.lines().filter_map(ChosenLevel::read);
    Ok(chosen.rfind(|one| one.workspace == workspace).map(|one| one.sandbox))
}

/// Stores the sandbox level for a workspace.
pub(super) fn write_level(file: &Path, chosen: &ChosenLevel) -> io::Result<()> {
    let _locked = lock(file)?;
    let before = read_text(file)?.unwrap_or_default();
    let other =
        |line: &&str| ChosenLevel::read(line).is_none_or(|one| one.workspace != chosen.workspace);
    let kept = before.lines().filter(other).map(str::to_owned);
    let line = serde_json::to_string(chosen).map_err(io::Error::other)?;
    let lines: Vec<String> = kept.chain([line]).collect();
    replace(file, &format!("{}\n", lines.join("\n")))
}

/// The file or its folder is not obeyed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct NotObeyed(pub Localized);

impl NotObeyed {
    fn check(path: &Path, about: &Metadata) -> io::Result<()> {
        let Some(why) = distrust(about, own_uid()) else { return Ok(()) };
        let (path, reason) = (path.display().to_string(), why.reason());
        let fix = why.fix(&path);
        let text = localized!(
            [reason, fix] "{path} {reason}, so it is no consent; {fix}",
            "{path} {reason}，因此不算同意；{fix}"
        );
        Err(io::Error::new(io::ErrorKind::PermissionDenied, Self(text)))
    }
}

/// Reads the text; a file that others may write does not count as consent.
fn read_text(file: &Path) -> io::Result<Option<String>> {
    let mut opened = match File::open(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    if let Some(folder) = file.parent() {
        NotObeyed::check(folder, &fs::metadata(folder)?)?;
    }
    NotObeyed::check(file, &opened.metadata()?)?;
    let mut text = String::new();
    opened.read_to_string(&mut text)?;
    Ok(Some(text))
}

/// Locks the file against other processes of this user while the result lives: what they have read would be old.
fn lock(file: &Path) -> io::Result<File> {
    let Some(folder) = file.parent() else { return Err(io::ErrorKind::InvalidInput.into()) };
    private_dir_builder().create(folder)?;
    let locked = File::open(folder)?;
    locked.lock()?;
    Ok(locked)
}

/// Replaces the file atomically by a rename.
fn replace(file: &Path, text: &str) -> io::Result<()> {
    let Some(folder) = file.parent() else { return Err(io::ErrorKind::InvalidInput.into()) };
    private_dir_builder().create(folder)?;
    let temporary = file.with_extension(format!("{}.tmp", std::process::id()));
    let written = create_private_file(&temporary).and_then(|mut new| {
        new.write_all(text.as_bytes())?;
        new.sync_all()?;
        fs::rename(&temporary, file)?;
        File::open(folder)?.sync_all()
    });
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn private_dir_builder() -> DirBuilder {
    use std::os::unix::fs::DirBuilderExt as _;
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700);
    builder
}

fn create_private_file(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

/// True if a path, which need not exist, is inside of another.
pub(crate) fn is_inside(folder: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.ancestors().find_map(|up| up.canonicalize().ok());
    let (Some(folder), Ok(other)) = (real(folder), other.canonicalize()) else { return true };
    folder.starts_with(other)
}
