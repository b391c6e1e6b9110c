//! Reads the theme again when `config.yaml` or a theme was saved.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tokio::sync::mpsc;

use super::{UserConfig, path, read, themes};
use crate::domain::Problem;
use crate::domain::text::{Localized, localized};
use crate::platform::watch::FolderWatch;
use crate::ui::LookChange;

/// Changes that wait for the screen. When it is full the watching thread waits; it reads the newest files
/// afterwards.
const MAX_WAITING: usize = 4;

/// Prefixes of problems that keep the old theme: with the file, or with the theme in it.
const PREFIXES: [&str; 2] = ["config/file", "config/theme"];

/// Watches until the first value is dropped. `None`: there is no folder of configuration, or the system
/// cannot watch it.
pub fn watch(
    now: &UserConfig,
    workspace: &Path,
) -> (Option<FolderWatch>, mpsc::Receiver<LookChange>) {
    let (tx, changes) = mpsc::channel(MAX_WAITING);
    let mut last = Some(change(now));
    let workspace = workspace.to_owned();
    let started = FolderWatch::start(&folders(), move || {
        let change = change(&read(&workspace));
        if last.as_ref() != Some(&change) {
            last = Some(change.clone());
            // The screen is closed: the watch is dropped as well.
            let _ = tx.blocking_send(change);
        }
    });
    let watch = started
        .inspect_err(|error| tracing::info!(%error, "themes are not read again when saved"))
        .ok();
    (watch, changes)
}

fn change(config: &UserConfig) -> LookChange {
    let is_about_look = |id: &str| PREFIXES.iter().any(|prefix| id.starts_with(prefix));
    match config.problems.iter().find(|problem| is_about_look(&problem.id)) {
        Some(problem) => LookChange::Invalid(short(problem)),
        None => {
            LookChange::Look { theme: config.look.theme.clone(), follows: config.themes.clone() }
        }
    }
}

/// Returns a problem in one line: the name of the file, the line, what is wrong. `doctor` has the rest.
fn short(problem: &Problem) -> Localized {
    let file = problem.path.rsplit('/').next().unwrap_or_default();
    let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
    let text = &problem.text;
    localized!([text] "{file}{line}: {text}", "{file}{line}：{text}")
}

/// Returns the folders of the files, also the targets of links.
fn folders() -> Vec<PathBuf> {
    let Some(config) = path() else { return Vec::new() };
    let own = themes::folder(&config);
    let entries = own.as_ref().and_then(|folder| std::fs::read_dir(folder).ok());
    let files = entries.into_iter().flatten().flatten().map(|entry| entry.path());
    let files = files.chain([config.clone()]);
    let real = files.filter_map(|file| file.canonicalize().ok()?.parent().map(PathBuf::from));
    let named = config.parent().map(PathBuf::from).into_iter().chain(own);
    let all: BTreeSet<PathBuf> = real.chain(named).collect();
    all.into_iter().collect()
}
