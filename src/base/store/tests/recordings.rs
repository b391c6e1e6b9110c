//! Trees written by Dominds itself, where the recordings are at hand.

use std::path::{Path, PathBuf};

use super::*;
use crate::domain::{DialogTree, Layout};

/// The `dialogs` folders of all recordings; none, and skipped, where they are absent.
fn recordings() -> Vec<PathBuf> {
    below(&[("recordings", "dialogs-after"), ("scenarios", "golden-raw/dialogs")])
}

pub(super) fn below(folders: &[(&str, &str)]) -> Vec<PathBuf> {
    let start = Path::new(env!("CARGO_MANIFEST_DIR"));
    let named = option_env!("DOMINDS_SHARED").map(PathBuf::from);
    let found = named.into_iter().chain(start.ancestors().map(|dir| dir.join("shared")));
    let Some(base) = found.map(|dir| dir.join("conformance")).find(|dir| dir.is_dir()) else {
        crate::skip::skip("there are no recordings of Dominds; set DOMINDS_SHARED");
        return Vec::new();
    };
    let below = |(folder, leaf): &(&str, &str)| -> Vec<PathBuf> {
        let entries = fs::read_dir(base.join(folder)).into_iter().flatten().flatten();
        entries.map(|entry| entry.path().join(leaf)).filter(|path| path.is_dir()).collect()
    };
    let mut all: Vec<PathBuf> = folders.iter().flat_map(below).collect();
    assert!(!all.is_empty(), "a folder of recordings without one");
    all.sort_unstable();
    all
}

/// A workspace whose `.dialogs` is a copy of the recording.
pub(super) fn copied(from: &Path) -> Workspace {
    let workspace = Workspace::new();
    copy(from, &workspace.at(""));
    workspace
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::write(target, fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}

#[test]
fn nothing_dominds_left_behind_is_a_problem() {
    for recording in recordings() {
        let workspace = copied(&recording);
        let before = contents(workspace.path());
        let store = workspace.view();
        assert_eq!(store.examine(), [], "{}", recording.display());
        let survey = store.survey(&Bucket::ALL);
        assert_eq!(survey.problems, [], "{}", recording.display());
        assert!(!survey.trees.is_empty(), "{}", recording.display());
        assert_eq!(contents(workspace.path()), before);
    }
}

#[test]
fn recordings_of_a_newer_layout_are_recognised_and_shown_and_no_byte_changes() {
    for recording in below(&[("recordings-1.29", "dialogs-after")]) {
        let workspace = copied(&recording);
        let before = contents(workspace.path());
        let store = workspace.open();
        let survey = store.survey_and_set_aside(Bucket::Run);
        let all = store.survey(&Bucket::ALL);
        assert!(!all.trees.is_empty(), "{}", recording.display());
        for tree in survey.trees.iter().chain(&all.trees) {
            let context = format!("{} {}", recording.display(), tree.root);
            assert_eq!((tree.foreign, tree.layout), (None, Layout::V1_29), "{context}");
            assert!(!tree.dialogs.is_empty(), "{context}");
            let (shown, _) = store.load_to_show(tree.bucket, &tree.root).unwrap();
            for dialog in &tree.dialogs {
                assert_eq!(dialog.asker.is_none(), dialog.id == tree.root.main(), "{context}");
                let folder = workspace.at(tree.bucket.folder()).join(tree.root.as_str());
                let below = folder.join("sideDialogs").join(dialog.id.as_str());
                let folder = if dialog.asker.is_none() { folder } else { below };
                let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
                let asks = !read("q4h.yaml").is_empty() && !dialog.latest.is_dead();
                let waits = read("active-callees.json").contains("\"status\": \"pending\"");
                assert_eq!(!dialog.questions.is_empty(), asks, "{context}");
                assert_eq!(!dialog.pending.is_empty(), waits, "{context}");
                let answers = read("a2h.yaml").matches("answeredAt").count();
                assert_eq!(dialog.human_answers.len(), answers, "{context}");
                let loaded = shown.tree.get(&dialog.id).unwrap();
                assert_eq!(loaded.pending, dialog.pending, "{context}");
                assert_eq!(loaded.questions, dialog.questions, "{context}");
                assert_eq!(loaded.latest, *dialog.latest, "{context}");
            }
        }
        drop(store);
        assert_eq!(damage(&workspace), Vec::<String>::new(), "{}", recording.display());
        assert_eq!(contents(workspace.path()), before);
    }
}

/// What is damaged in a workspace.
fn damage(workspace: &Workspace) -> Vec<String> {
    let kinds = ["damaged", "misplaced", "line", "repeated", "identity"];
    let is_damage = |id: &str| kinds.iter().any(|kind| id.starts_with(&format!("store/{kind}/")));
    let found = workspace.view().examine().into_iter().map(|problem| problem.id);
    found.filter(|id| is_damage(id)).collect()
}

/// A fork of Dominds whose indexes are empty: they are filled.
const SHORT: &str = "129-fork-with-side";

#[test]
fn a_recording_of_the_newer_layout_that_is_written_again_says_the_same() {
    for recording in below(&[("recordings-1.29", "dialogs-after")]) {
        let workspace = copied(&recording);
        let before = contents(&workspace.at(""));
        {
            let store = workspace.open();
            let mut short = false;
            for tree in store.survey(&Bucket::ALL).trees {
                let loaded = store.load(tree.bucket, &tree.root).unwrap();
                short |= loaded.repairs.iter().any(is_derived);
                write_states(&store, &loaded.tree);
                let again = store.load(tree.bucket, &tree.root).unwrap();
                let is_whole = !again.repairs.iter().any(is_derived);
                assert!(is_whole, "{} {:?}", recording.display(), again.repairs);
                assert_eq!(again.tree.dialogs.len(), loaded.tree.dialogs.len());
                for (id, dialog) in &again.tree.dialogs {
                    assert_eq!(Some(&**dialog), loaded.tree.get(id), "{}", recording.display());
                }
            }
            let is_fork = recording.to_string_lossy().contains(SHORT);
            assert_eq!(short, is_fork, "{}", recording.display());
        }
        for (path, bytes) in before {
            let Some(bytes) = bytes else { continue };
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name == "wake-queue.jsonl" {
                assert!(!path.exists(), "{}", path.display());
                continue;
            }
            let after = fs::read(&path).unwrap_or_default();
            if path.extension().is_some_and(|extension| extension == "jsonl") {
                assert_eq!(json_lines(&after), json_lines(&bytes), "{}", path.display());
                continue;
            }
            let read = |bytes: Vec<u8>| crate::yaml::parse(&String::from_utf8(bytes).unwrap());
            let (mut old, mut new) = (read(bytes).unwrap(), read(after).unwrap());
            if recording.to_string_lossy().contains(SHORT) && name == "latest.yaml" {
                for key in FILLED {
                    for file in [&mut old, &mut new] {
                        file.as_object_mut().unwrap().remove(key);
                    }
                }
            }
            assert_eq!(new, old, "{}", path.display());
        }
    }
}

/// True for what repairs the derived parts.
fn is_derived(change: &TreeChange) -> bool {
    matches!(change, TreeChange::Latest { .. } | TreeChange::Pending { .. })
}

/// What is filled in a fork of Dominds.
const FILLED: [&str; 5] = [
    "tellaskCalls",
    "tellaskResults",
    "generationRunState",
    "latestAssignmentAnchor",
    "sideDialogFinalResponse",
];

/// A step that changes nothing.
fn write_states(store: &Store, tree: &DialogTree) {
    let mut changes = Vec::new();
    for (id, dialog) in &tree.dialogs {
        let (dialog_id, latest) = (id.clone(), Box::new(dialog.latest.clone()));
        changes.push(TreeChange::Latest { dialog: dialog_id, latest });
        let (dialog_id, pending) = (id.clone(), dialog.pending.clone());
        changes.push(TreeChange::Pending { dialog: dialog_id, pending });
        let (dialog_id, stack) = (id.clone(), dialog.stack.clone());
        if !stack.is_empty() {
            changes.push(TreeChange::Stack { dialog: dialog_id, stack });
        }
        let (dialog_id, reminders) = (id.clone(), dialog.reminders.clone());
        changes.push(TreeChange::Reminders { dialog: dialog_id, reminders });
        if !dialog.latest.is_dead() {
            let (dialog_id, questions) = (id.clone(), dialog.questions.clone());
            changes.push(TreeChange::Questions { dialog: dialog_id, questions });
        }
        if let Some(recent) = &dialog.recent {
            let (dialog_id, answers) = (id.clone(), recent.human_answers.clone());
            changes.push(TreeChange::HumanAnswers { dialog: dialog_id, answers });
        }
    }
    let batch = Batch { root: tree.root.clone(), changes, durable: false };
    store.commit(batch).unwrap().sync().unwrap();
}

#[test]
fn the_list_and_the_loaded_tree_agree() {
    for recording in recordings() {
        let workspace = copied(&recording);
        let store = workspace.view();
        for tree in store.survey(&Bucket::ALL).trees {
            let loaded = store.load(tree.bucket, &tree.root).unwrap().tree;
            assert_eq!(loaded.dialogs.len(), tree.dialogs.len());
            for listed in tree.dialogs {
                let dialog = loaded.get(&listed.id).unwrap();
                let context = format!("{} {}", recording.display(), listed.id);
                assert_eq!(listed.meta, dialog.meta, "{context}");
                assert_eq!(*listed.latest, dialog.latest, "{context}");
                assert_eq!(listed.questions, dialog.questions, "{context}");
                assert_eq!(listed.pending, dialog.pending, "{context}");
                assert_eq!(listed.genseq, dialog.history.last_genseq, "{context}");
            }
        }
    }
}

#[test]
fn index_files_dominds_wrote_agree_with_its_courses() {
    for recording in recordings() {
        let workspace = copied(&recording);
        let store = workspace.view();
        for tree in store.survey(&Bucket::ALL).trees {
            let loaded = store.load(tree.bucket, &tree.root).unwrap();
            assert_eq!(loaded.repairs, [], "{}", recording.display());
        }
    }
}

#[test]
fn a_tree_written_again_changes_no_index_and_keeps_every_line() {
    for recording in recordings() {
        let workspace = copied(&recording);
        let before = contents(&workspace.at(""));
        {
            let store = workspace.open();
            for tree in store.survey(&Bucket::ALL).trees {
                let loaded = store.load(tree.bucket, &tree.root).unwrap();
                rewrite(&store, &loaded.tree);
            }
        }
        for (path, bytes) in before {
            let Some(bytes) = bytes else { continue };
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let after = fs::read(&path).unwrap_or_default();
            if name.starts_with("course-") || name == "asker-stack.jsonl" {
                let (old, new) = (json_lines(&bytes), json_lines(&after));
                assert_eq!(new[..old.len()], old[..], "{}", path.display());
            } else if !name.starts_with("sideDialog-responses") {
                let old = crate::yaml::parse(&String::from_utf8(bytes).unwrap()).unwrap();
                let new = crate::yaml::parse(&String::from_utf8(after).unwrap()).unwrap();
                assert_eq!(new, old, "{}", path.display());
            }
        }
    }
}

fn rewrite(store: &Store, tree: &crate::domain::DialogTree) {
    let mut changes = vec![TreeChange::Registry { entries: tree.registry.clone() }];
    for (id, dialog) in &tree.dialogs {
        changes.push(TreeChange::Append {
            dialog: id.clone(),
            course: dialog.history.course,
            entries: dialog.history.entries.iter().cloned().collect(),
        });
        changes.push(TreeChange::Latest {
            dialog: id.clone(),
            latest: Box::new(dialog.latest.clone()),
        });
        changes.push(TreeChange::Reminders {
            dialog: id.clone(),
            reminders: dialog.reminders.clone(),
        });
        changes.push(TreeChange::Pending { dialog: id.clone(), pending: dialog.pending.clone() });
        if !dialog.latest.is_dead() {
            changes.push(TreeChange::Questions {
                dialog: id.clone(),
                questions: dialog.questions.clone(),
            });
        }
        changes.push(TreeChange::Stack { dialog: id.clone(), stack: dialog.stack.clone() });
    }
    let batch = Batch { root: tree.root.clone(), changes, durable: false };
    let committed = store.commit(batch).unwrap().sync().unwrap();
    for fact in committed.facts {
        let page = store
            .page(tree.bucket, fact.dialog(), fact.course(), Some(fact.line() + 1), 1)
            .unwrap();
        assert_eq!(page.first_line, fact.line());
        let same = page.entries.first().map(Entry::line) == Some(fact.entry().line());
        assert!(same, "{} line {}", fact.dialog(), fact.line());
    }
}

fn json_lines(bytes: &[u8]) -> Vec<serde_json::Value> {
    String::from_utf8_lossy(bytes).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
