//! The files of the workspace by name, for a person who mentions one: what the ignore files keep out, hidden
//! and reserved names are left out, as in a search.

use std::collections::HashMap;
use std::path::Path;

use super::filter::SearchFilter;
use super::query::Query;
use super::walk::SearchWalk;
use crate::guard::Guard;
use crate::tools::stop::StopFlag;

/// Most entries that are looked at.
const MAX_ENTRIES: usize = 100_000;
/// Longer paths are left out.
const MAX_PATH_BYTES: usize = 1024;

/// The paths of the files below the workspace, those near it first, then in the order of their names. None if it
/// cannot be read. If there are more than `most`, every folder has its share.
#[must_use]
pub fn list_files(workspace: &Path, most: usize) -> Vec<String> {
    let Ok(guard) = Guard::for_person(workspace) else { return Vec::new() };
    let Ok(filter) = SearchFilter::new(&Query::default()) else { return Vec::new() };
    let stop = StopFlag::default();
    let Ok(walk) = SearchWalk::begin(&guard, &filter, &stop, ".", false) else { return Vec::new() };
    let paths = walk.at_most(MAX_ENTRIES).map(|found| found.path);
    // A name that is not UTF-8 is shown with replacements, which name no file.
    let sound = |path: &String| path.len() <= MAX_PATH_BYTES && !path.contains('\u{fffd}');
    let paths: Vec<String> = paths.filter(sound).collect();
    nearest(paths, most)
}

/// Picks `most` files of a sorted list: the least deep first; at equal depth, one of each folder before a second one.
fn nearest(paths: Vec<String>, most: usize) -> Vec<String> {
    let mut in_folder: HashMap<String, usize> = HashMap::new();
    let mut placed: Vec<(usize, usize, String)> = Vec::with_capacity(paths.len());
    for path in paths {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let before = in_folder.entry(folder.to_owned()).or_default();
        placed.push((path.matches('/').count(), *before, path));
        *before += 1;
    }
    placed.sort_by_key(|(depth, before, _)| (*depth, *before));
    placed.truncate(most);
    placed.sort_by(|(depth, _, one), (other_depth, _, other)| {
        depth.cmp(other_depth).then_with(|| one.cmp(other))
    });
    placed.into_iter().map(|(_, _, path)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_too_many_files_the_nearest_are_listed_and_some_of_every_folder() {
        let mut paths: Vec<String> = (0..50).map(|n| format!("aaa/f{n:02}")).collect();
        paths.extend(["b/deep/x", "mid/one", "mid/two", "z"].map(str::to_owned));
        assert_eq!(nearest(paths.clone(), 4), ["z", "aaa/f00", "aaa/f01", "mid/one"]);
        assert_eq!(nearest(paths.clone(), 54).last().map(String::as_str), Some("b/deep/x"));
        assert!(!nearest(paths, 53).contains(&"b/deep/x".to_owned()));
    }
}
