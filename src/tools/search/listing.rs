//! The files of the workspace by name, for a person who mentions one: what the ignore files keep out, hidden
//! and reserved names are left out, as in a search.

use std::path::Path;

use super::filter::SearchFilter;
use super::query::Query;
use super::walk::SearchWalk;
use crate::tools::guard::Guard;
use crate::tools::stop::StopFlag;

/// Most paths that are listed.
const MAX_PATHS: usize = 20_000;
/// Most entries that are looked at.
const MAX_ENTRIES: usize = 100_000;
/// Longer paths are left out.
const MAX_PATH_BYTES: usize = 1024;

/// The paths of the files below the workspace, those near it first, then in the order of their names. None if it
/// cannot be read.
#[must_use]
pub fn list_files(workspace: &Path) -> Vec<String> {
    let Ok(guard) = Guard::for_person(workspace) else { return Vec::new() };
    let Ok(filter) = SearchFilter::new(&Query::default()) else { return Vec::new() };
    let stop = StopFlag::default();
    let Ok(walk) = SearchWalk::begin(&guard, &filter, &stop, ".", false) else { return Vec::new() };
    let paths = walk.at_most(MAX_ENTRIES).map(|found| found.path);
    // A name that is not UTF-8 is shown with replacements, which name no file.
    let sound = |path: &String| path.len() <= MAX_PATH_BYTES && !path.contains('\u{fffd}');
    let mut paths: Vec<String> = paths.filter(sound).collect();
    paths.sort_by_key(|path| path.matches('/').count());
    paths.truncate(MAX_PATHS);
    paths
}
