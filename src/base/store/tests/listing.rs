//! The list that is taken from its index is the list that is read from the files, whatever the index holds.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::{Store, Survey, TreeListing};
use super::damage::tree;
use super::*;
use crate::domain::Problem;
use crate::store::disk::file_stamps::StampHasher;
use crate::store::disk::index_file::checksum;

/// Later than any file of a test, by the clock of the file system.
const LATER: i128 = 3_600_000_000_000;

/// The indexes: of folders, and of trees.
const FOLDERS: &str = ".tui/list.index";
const TREES: &str = ".tui/trees.index";

impl Workspace {
    /// Writes the index as if all files had been at rest for an hour.
    fn keep(&self) -> usize {
        let store = self.view();
        store.write_list_index_after(|made| made.saturating_add(LATER)).unwrap()
    }

    /// What a list says without an index.
    fn plain(&self) -> (Vec<TreeListing>, Vec<Problem>) {
        let aside = |name| self.at(&format!("{name}.aside"));
        let found =
            [FOLDERS, TREES].into_iter().filter(|name| self.at(name).symlink_metadata().is_ok());
        let moved: Vec<&str> = found.collect();
        for name in &moved {
            fs::rename(self.at(name), aside(name)).unwrap();
        }
        let survey = self.view().survey(&Bucket::ALL);
        for name in &moved {
            fs::rename(aside(name), self.at(name)).unwrap();
        }
        (survey.trees, survey.problems)
    }

    fn listed(&self) -> Survey {
        self.view().survey(&Bucket::ALL)
    }

    /// How many folders were read.
    fn assert_same(&self, what: &str) -> usize {
        let Survey { trees, problems, read, .. } = self.listed();
        assert_eq!((trees, problems), self.plain(), "{what}");
        read
    }
}

/// A workspace with both indexes, and one in which only folders are known.
fn both_ways() -> [Workspace; 2] {
    let folders = kept();
    fs::remove_file(folders.at(TREES)).unwrap();
    [kept(), folders]
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

/// None in a folder that is not there.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files_below(&path)) } else { found.push(path) }
    }
    found.sort_unstable();
    found
}

#[test]
fn a_list_with_an_index_reads_no_dialog_and_says_what_the_files_say() {
    let [trees, folders] = both_ways();
    for (workspace, unknown) in [(trees, 0), (folders, 3)] {
        assert_eq!(workspace.assert_same("whole"), 0);
        assert_eq!(workspace.listed().unknown, unknown);
    }
}

#[test]
fn an_index_with_any_byte_changed_or_cut_off_anywhere_never_changes_the_list() {
    for (workspace, index) in both_ways().into_iter().zip([TREES, FOLDERS]) {
        let index = workspace.at(index);
        let whole = fs::read(&index).unwrap();
        let plain = workspace.plain();
        let assert_same = |bytes: &[u8], what: String| {
            fs::write(&index, bytes).unwrap();
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
}

#[test]
fn entries_that_stand_under_the_name_of_another_are_not_taken() {
    let swap = |workspace: &Workspace, index, one: &str, other: &str| {
        let text = fs::read_to_string(workspace.at(index)).unwrap();
        let swapped = text.replace(one, " # ").replace(other, one).replace(" # ", other);
        assert_ne!(swapped, text);
        fs::write(workspace.at(index), swapped).unwrap();
    };
    let [trees, folders] = both_ways();
    let archived = " archive/11/22/00000003 ";
    swap(&folders, FOLDERS, &format!(" run/{ROOT}/sideDialogs/{SIDE} "), archived);
    assert_eq!(folders.assert_same("folders"), 2);
    swap(&trees, TREES, &format!(" run/{ROOT} "), archived);
    assert_eq!((trees.assert_same("trees"), trees.listed().unknown), (0, 3));
}

#[test]
fn a_forged_entry_that_names_no_folder_is_not_taken() {
    let workspace = kept();
    let forged: Vec<String> = fs::read_to_string(workspace.at(TREES))
        .unwrap()
        .lines()
        .map(|line| {
            let Some((_, rest)) = line.split_once(" run/") else { return line.to_owned() };
            let (name, body) = rest.split_once(' ').unwrap();
            let mut part: serde_json::Value = serde_json::from_str(body).unwrap();
            part["folders"] = serde_json::json!([]);
            part["looks"] = serde_json::json!(StampHasher::default().finish());
            let body = part.to_string().replace("\"lead\"", "\"dave\"");
            assert_ne!(body, part.to_string());
            let rest = format!("run/{name} {body}");
            format!("{:x} {rest}", checksum(&rest.as_str()))
        })
        .collect();
    fs::write(workspace.at(TREES), forged.join("\n") + "\n").unwrap();
    assert_eq!((workspace.assert_same("forged"), workspace.listed().unknown), (0, 2));
}

#[test]
fn something_else_in_the_place_of_an_index_is_as_good_as_none() {
    let [trees, folders] = both_ways();
    for (workspace, index, expected) in [(trees, TREES, (0, 3)), (folders, FOLDERS, (3, 3))] {
        let (index, moved) = (workspace.at(index), workspace.at(".tui/elsewhere"));
        fs::rename(&index, &moved).unwrap();
        let known = || (workspace.assert_same("elsewhere"), workspace.listed().unknown);
        std::os::unix::fs::symlink(&moved, &index).unwrap();
        assert_eq!(known(), expected);
        fs::remove_file(&index).unwrap();
        fs::create_dir(&index).unwrap();
        assert_eq!(known(), expected);
    }
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
            for workspace in both_ways() {
                let path = files_below(&workspace.at("run")).swap_remove(n);
                change(&path);
                let what = path.display().to_string();
                assert!(workspace.assert_same(&what) > 0, "{what}");
            }
        }
    }
}

#[test]
fn a_dialog_that_comes_goes_or_moves_is_noticed() {
    for workspace in both_ways() {
        fs::rename(workspace.at("archive/11"), workspace.at("run/11")).unwrap();
        assert_eq!(workspace.assert_same("moved"), 1);
        fs::remove_dir_all(workspace.of_root(&format!("sideDialogs/{SIDE}"))).unwrap();
        workspace.assert_same("gone");
        fs::write(workspace.of_root("course-002.jsonl"), "").unwrap();
        workspace.assert_same("another course");
    }
}

#[test]
fn a_folder_that_is_no_dialog_any_more_is_looked_through() {
    let workspace = kept();
    let folder = workspace.at("archive/11/22/00000003");
    let below = folder.join("33");
    fs::create_dir(&below).unwrap();
    for name in ["dialog.yaml", "course-001.jsonl"] {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        fs::write(below.join(name), text.replace("00000003", "00000003/33")).unwrap();
        fs::remove_file(folder.join(name)).unwrap();
    }
    workspace.assert_same("nested");
    let trees = workspace.listed().trees;
    assert!(trees.iter().any(|tree| tree.root.as_str() == "11/22/00000003/33"));
}

#[test]
fn a_name_that_has_to_be_escaped_is_known_too() {
    let workspace = kept();
    fs::rename(workspace.at("archive/11"), workspace.at("archive/\"\u{e4}\"")).unwrap();
    let identity = workspace.at("archive/\"\u{e4}\"/22/00000003/dialog.yaml");
    let text = fs::read_to_string(&identity).unwrap();
    fs::write(identity, text.replace("11/22/00000003", "'\"\u{e4}\"/22/00000003'")).unwrap();
    fs::write(workspace.of_root("a \"file\""), "").unwrap();
    assert_eq!(workspace.keep(), 3);
    assert_eq!((workspace.assert_same("quotes"), workspace.listed().unknown), (0, 0));
    assert_eq!(workspace.listed().problems, []);
}

#[test]
fn dialogs_behind_a_link_are_not_listed_from_an_index() {
    let workspace = kept();
    let elsewhere = workspace.path().join("elsewhere");
    fs::rename(workspace.at(""), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, workspace.path().join(".dialogs")).unwrap();
    workspace.assert_same("a link");
}

#[test]
fn a_message_that_waits_is_noticed() {
    let workspace = kept();
    let queue = workspace.at(".tui/queue/aa-bb-00000001");
    fs::create_dir_all(&queue).unwrap();
    workspace.assert_same("no message");
    assert_eq!(workspace.listed().unknown, 0);
    fs::write(queue.join("aa-bb-00000001.json"), "{}").unwrap();
    workspace.assert_same("a damaged message");
    assert_eq!(workspace.listed().problems.len(), 1);
    assert_eq!(workspace.keep(), 3);
    workspace.assert_same("kept while it waits");
    fs::remove_file(queue.join("aa-bb-00000001.json")).unwrap();
    workspace.assert_same("gone");
}

#[test]
fn a_list_with_an_index_shows_the_states_of_a_workspace_that_is_driven() {
    let workspace = tree();
    let latest = workspace.of_root("latest.yaml");
    let marker = "executionMarker:\n  kind: interrupted\n  reason:\n    kind: server_restart\n";
    fs::write(&latest, fs::read_to_string(&latest).unwrap() + marker).unwrap();
    let course = side_course(&workspace);
    let finish = "{\"ts\":\"t\",\"type\":\"gen_finish_record\",\"genseq\":1}\n";
    fs::write(&course, fs::read_to_string(&course).unwrap() + finish).unwrap();
    assert_eq!(workspace.keep(), 2);
    let states = || {
        assert_eq!((workspace.assert_same("driven or not"), workspace.listed().unknown), (0, 0));
        let trees = workspace.listed().trees;
        trees[0].dialogs.iter().map(|dialog| dialog.state.clone()).collect::<Vec<_>>()
    };
    let alone = states();
    let writer = workspace.open();
    assert_ne!(states(), alone);
    drop(writer);
}

/// A change to the files of a workspace by somebody else.
fn change(workspace: &Workspace, random: &mut fastrand::Rng) -> String {
    let mut files: Vec<PathBuf> = ["run", "done", "archive"]
        .iter()
        .flat_map(|name| files_below(&workspace.at(name)))
        .collect();
    let Some(path) = (!files.is_empty()).then(|| files.swap_remove(random.usize(..files.len())))
    else {
        return "nothing".to_owned();
    };
    let folder = path.parent().unwrap().to_owned();
    let what = random.u8(..8);
    match what {
        0 => fs::write(&path, fs::read_to_string(&path).unwrap().replace("lead", "dave")).unwrap(),
        1 => {
            let text = fs::read_to_string(&path).unwrap();
            fs::write(&path, text.split_inclusive('\n').next().unwrap_or_default()).unwrap();
        }
        2 => fs::remove_file(&path).unwrap(),
        3 => fs::rename(&path, folder.join(".latest.yaml.1.ab.tmp")).unwrap(),
        4 => fs::create_dir_all(folder.join("44")).unwrap(),
        5 => {
            fs::create_dir_all(folder.join("44/55")).unwrap();
            fs::rename(&path, folder.join("44/55").join(path.file_name().unwrap())).unwrap();
        }
        6 => {
            // A folder goes to another bucket.
            let to = workspace.at("done/66/77").join(format!("{:08x}", random.u32(..)));
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::rename(&folder, to).unwrap();
        }
        _ => {
            let finish = "{\"ts\":\"t\",\"type\":\"gen_finish_record\",\"genseq\":1}\n";
            let text = fs::read_to_string(&path).unwrap();
            fs::write(&path, text + finish).unwrap();
        }
    }
    format!("change {what} of {}", path.display())
}

#[test]
fn whatever_is_changed_and_kept_in_any_order_the_list_is_that_of_the_files() {
    let mut known = 0;
    for seed in 0..40 {
        let mut random = fastrand::Rng::with_seed(seed);
        let workspace = kept();
        let mut done = Vec::new();
        for _ in 0..12 {
            if random.u8(..3) == 0 {
                // Longer than the clock of a file system needs for a tick.
                std::thread::sleep(std::time::Duration::from_millis(12));
                workspace.keep();
                done.push("keep".to_owned());
            } else {
                done.push(change(&workspace, &mut random));
            }
            workspace.assert_same(&format!("seed {seed}: {done:#?}"));
            known += usize::from(workspace.listed().unknown == 0);
        }
    }
    assert!(known > 40, "trees were known {known} times");
}

#[test]
fn what_changed_a_moment_ago_is_not_kept() {
    let workspace = tree();
    assert_eq!(workspace.view().write_list_index().unwrap(), 0);
    assert_eq!(workspace.assert_same("nothing kept"), 2);
}

#[test]
fn a_reader_writes_no_index_where_another_process_writes_or_there_is_nothing() {
    let workspace = tree();
    let writer = workspace.open();
    assert_eq!(workspace.view().write_list_index_after(|made| made + LATER).unwrap(), 0);
    assert!(!workspace.at(FOLDERS).exists() && !workspace.at(TREES).exists());
    assert!(writer.write_list_index_after(|made| made + LATER).unwrap() > 0);
    let empty = Workspace::new();
    assert_eq!(empty.view().write_list_index().unwrap(), 0);
    assert!(!empty.at("").exists());
}

#[test]
fn a_long_list_without_an_index_is_read_once_for_itself_and_for_its_index() {
    let workspace = Workspace::new();
    let store = workspace.open();
    for n in 0..200 {
        let root = RootId::new(format!("{n:02x}/00/{n:08x}"));
        let (meta, stack) = (meta(&root.main(), "lead", None), Vec::new());
        let changes = vec![TreeChange::Create { meta, latest: latest(), stack }];
        let made = store.commit(Batch { root, changes, durable: false });
        made.unwrap().sync().unwrap();
    }
    drop(store);
    let listed = |buckets: &[Bucket]| {
        workspace.view().survey_and_index_after(buckets, |made| made.saturating_add(LATER))
    };
    let trees = |survey: &Survey| survey.trees.clone();
    let (plain, _) = workspace.plain();
    let first = listed(&[Bucket::Run]);
    assert_eq!(trees(&first), plain);
    assert!(!first.is_worth_indexing(), "that is done");
    assert!(workspace.at(FOLDERS).exists() && workspace.at(TREES).exists());
    let next = listed(&Bucket::ALL);
    assert_eq!((trees(&next), next.read, next.unknown), (plain, 0, 0));
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
    let left = [".list.index.", ".trees.index."].map(|name| format!(".tui/{name}1.00000001.tmp"));
    for name in &left {
        fs::write(workspace.at(name), "half").unwrap();
    }
    let store: Store = workspace.open();
    assert!(left.iter().all(|name| !workspace.at(name).exists()));
    assert!(workspace.at(FOLDERS).exists() && workspace.at(TREES).exists());
    drop(store);
}
