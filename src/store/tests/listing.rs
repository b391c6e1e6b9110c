//! The list that is taken from its index is the list that is read from the files, whatever the index holds.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::{Store, Survey, TreeListing};
use super::damage::tree;
use super::*;
use crate::domain::Problem;

/// Later than any file of a test, by the clock of the file system.
const LATER: i128 = 3_600_000_000_000;

impl Workspace {
    fn index(&self) -> PathBuf {
        self.at(".tui/list.index")
    }

    /// Writes the index as if all files had been at rest for an hour.
    fn keep(&self) -> usize {
        let store = self.view();
        store.keep_list_after(|made| made.saturating_add(LATER)).unwrap()
    }

    /// What a list says without an index.
    fn plain(&self) -> (Vec<TreeListing>, Vec<Problem>) {
        let aside = self.at(".tui/aside");
        let moved = fs::rename(self.index(), &aside).is_ok();
        let survey = self.view().survey(&Bucket::ALL);
        if moved {
            fs::rename(aside, self.index()).unwrap();
        }
        (survey.trees, survey.problems)
    }

    fn listed(&self) -> Survey {
        self.view().survey(&Bucket::ALL)
    }

    fn assert_same(&self, what: &str) -> usize {
        let Survey { trees, problems, read, .. } = self.listed();
        assert_eq!((trees, problems), self.plain(), "{what}");
        read
    }
}

/// A main dialog with a side dialog, and an archived one; the index holds all three.
fn kept() -> Workspace {
    let workspace = tree();
    let folder = workspace.at("archive/11/22/00000003");
    fs::create_dir_all(&folder).unwrap();
    let identity = "id: 11/22/00000003\nagentId: lead\ntaskDocPath: t.tsk\ncreatedAt: \"2026-11-21 10:00:00\"\n";
    fs::write(folder.join("dialog.yaml"), identity).unwrap();
    fs::write(folder.join("course-001.jsonl"), "{\"ts\":\"t\",\"type\":\"gen_start_record\",\"genseq\":1}\n{\"ts\":\"t\",\"type\":\"gen_finish_record\",\"genseq\":1}\n").unwrap();
    // A generation that has no end is read each time.
    for course in [workspace.of_root("course-001.jsonl"), side_course(&workspace)] {
        let text = fs::read_to_string(&course).unwrap();
        let finish = "{\"ts\":\"t\",\"type\":\"gen_finish_record\",\"genseq\":1}\n";
        fs::write(&course, text + finish).unwrap();
    }
    assert_eq!(workspace.keep(), 3);
    workspace
}

fn side_course(workspace: &Workspace) -> PathBuf {
    workspace.of_root(&format!("sideDialogs/{SIDE}/course-001.jsonl"))
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files_below(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

#[test]
fn a_list_with_an_index_reads_no_dialog_and_says_what_the_files_say() {
    let workspace = kept();
    assert_eq!(workspace.assert_same("whole"), 0);
}

#[test]
fn an_index_with_any_byte_changed_or_cut_off_anywhere_never_changes_the_list() {
    let workspace = kept();
    let whole = fs::read(workspace.index()).unwrap();
    let plain = workspace.plain();
    let assert_same = |bytes: &[u8], what: String| {
        fs::write(workspace.index(), bytes).unwrap();
        let survey = workspace.listed();
        assert_eq!((&survey.trees, &survey.problems), (&plain.0, &plain.1), "{what}");
    };
    for (n, at) in (0..whole.len()).step_by(7).enumerate() {
        let bit = n % 8;
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << bit;
        assert_same(&bytes, format!("bit {bit} of byte {at}"));
    }
    for end in (0..whole.len()).step_by(13) {
        assert_same(&whole[..end], format!("cut off at {end}"));
    }
    for text in ["", "\n", "\0\0\0\0", "dominds-tui list", "{}"] {
        assert_same(text.as_bytes(), format!("{text:?}"));
    }
    let doubled: Vec<u8> = [whole.as_slice(), whole.as_slice()].concat();
    assert_same(&doubled, "doubled".to_owned());
}

#[test]
fn entries_that_stand_under_the_name_of_another_dialog_are_not_taken() {
    let workspace = kept();
    let text = fs::read_to_string(workspace.index()).unwrap();
    let side = format!("run/{ROOT}/sideDialogs/{SIDE}");
    let (one, other) = (format!(" {side} "), " archive/11/22/00000003 ");
    let swapped = text.replace(&one, " # ").replace(other, &one).replace(" # ", other);
    assert_ne!(swapped, text);
    fs::write(workspace.index(), swapped).unwrap();
    assert_eq!(workspace.assert_same("swapped"), 2);
}

#[test]
fn something_else_in_the_place_of_the_index_is_as_good_as_none() {
    let workspace = kept();
    let moved = workspace.at(".tui/elsewhere");
    fs::rename(workspace.index(), &moved).unwrap();
    std::os::unix::fs::symlink(&moved, workspace.index()).unwrap();
    assert_eq!(workspace.listed().read, 3);
    fs::remove_file(workspace.index()).unwrap();
    fs::create_dir(workspace.index()).unwrap();
    assert_eq!(workspace.listed().read, 3);
}

#[test]
fn whatever_changes_behind_the_index_is_noticed() {
    let files = files_below(&kept().at("run")).len();
    for n in 0..files {
        let changes: [fn(&Path); 4] = [
            |path| {
                let mut text = fs::read(path).unwrap();
                text.extend_from_slice(b"\n");
                fs::write(path, text).unwrap();
            },
            |path| {
                // The same length, in place.
                let text = fs::read_to_string(path).unwrap();
                fs::write(path, text.replace("lead", "dave").replace("dev", "eve")).unwrap();
            },
            |path| {
                // The same bytes, as another file.
                let copy = path.with_extension("copy");
                fs::copy(path, &copy).unwrap();
                fs::rename(copy, path).unwrap();
            },
            |path| fs::remove_file(path).unwrap(),
        ];
        for change in changes {
            let workspace = kept();
            let path = files_below(&workspace.at("run")).swap_remove(n);
            change(&path);
            assert!(workspace.assert_same(&path.display().to_string()) > 0, "{}", path.display());
        }
    }
}

#[test]
fn a_dialog_that_comes_goes_or_moves_is_noticed() {
    let workspace = kept();
    fs::rename(workspace.at("archive/11"), workspace.at("run/11")).unwrap();
    assert_eq!(workspace.assert_same("moved"), 1);
    fs::remove_dir_all(workspace.of_root(&format!("sideDialogs/{SIDE}"))).unwrap();
    workspace.assert_same("gone");
    fs::write(workspace.of_root("course-002.jsonl"), "").unwrap();
    workspace.assert_same("another course");
}

#[test]
fn what_changed_a_moment_ago_is_not_kept() {
    let workspace = tree();
    assert_eq!(workspace.view().keep_list().unwrap(), 0);
    assert_eq!(workspace.assert_same("nothing kept"), 2);
}

#[test]
fn a_reader_writes_no_index_where_another_process_writes_or_there_is_nothing() {
    let workspace = tree();
    let writer = workspace.open();
    assert_eq!(workspace.view().keep_list_after(|made| made + LATER).unwrap(), 0);
    assert!(!workspace.index().exists());
    assert!(writer.keep_list_after(|made| made + LATER).unwrap() > 0);
    let empty = Workspace::new();
    assert_eq!(empty.view().keep_list().unwrap(), 0);
    assert!(!empty.at("").exists());
}

#[test]
fn a_damaged_dialog_and_one_at_work_are_read_each_time() {
    let workspace = kept();
    fs::write(workspace.of_root("latest.yaml"), "- 1\n").unwrap();
    let course = side_course(&workspace);
    let text = fs::read_to_string(&course).unwrap();
    fs::write(&course, text + "{\"ts\":\"t\",\"type\":\"gen_start_record\",\"genseq\":2}\n")
        .unwrap();
    assert_eq!(workspace.keep(), 1);
    assert_eq!(workspace.assert_same("damaged"), 2);
}

#[test]
fn what_a_dead_writer_left_of_an_index_goes_at_the_next_start() {
    let workspace = kept();
    let left = workspace.at(".tui/.list.index.1.00000001.tmp");
    fs::write(&left, "half").unwrap();
    let store: Store = workspace.open();
    assert!(!left.exists() && workspace.index().exists());
    drop(store);
}
