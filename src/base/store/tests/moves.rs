//! Trees change their place, or go for ever; at any moment they are whole somewhere or nowhere.

use std::os::unix::fs::symlink;

use super::*;
use crate::domain::RootId;
use crate::store::disk::faulty_disk::{DiskFault, FaultyDisk};

fn workspace() -> Workspace {
    let workspace = Workspace::new();
    let store = workspace.open();
    commit(&store, vec![create_main(), append(&main_id(), &[START])]).unwrap();
    commit(&store, vec![create_side(), append(&side_id(), &[START])]).unwrap();
    drop(store);
    workspace
}

#[test]
fn a_move_or_a_deletion_that_is_cut_short_has_happened_or_has_not() {
    type Act = fn(&Store) -> Result<(), StoreError>;
    let acts: [(Act, Option<Bucket>); 2] = [
        (|store| store.relocate(&root(), Bucket::Run, Bucket::Done), Some(Bucket::Done)),
        (|store| store.delete(&root()), None),
    ];
    for (act, after) in acts {
        let mut outcomes = Vec::new();
        for at in 0..100 {
            let workspace = workspace();
            let disk = Arc::new(FaultyDisk::new(DiskFault::StopAt(at)));
            let acted = workspace.open_on(disk.clone()).and_then(|store| act(&store));
            let store = workspace.open();
            let place = store.find(&root());
            assert!(place == Some(Bucket::Run) || place == after, "{at}: {place:?}");
            assert!(acted.is_err() || place == after, "{at}: acknowledged but not done");
            if let Some(place) = place {
                let tree = store.load(place, &root()).unwrap().tree;
                assert_eq!(tree.dialogs.len(), 2, "{at}");
            }
            drop(store);
            assert!(!workspace.at(".tui").exists(), "{at}: something of ours is left");
            outcomes.push(place);
            if disk.operations() <= at {
                break;
            }
        }
        assert!(outcomes.contains(&Some(Bucket::Run)) && outcomes.contains(&after));
    }
}

#[test]
fn a_deletion_takes_the_tree_from_everywhere_and_follows_no_link() {
    let workspace = workspace();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("precious"), "keep me").unwrap();
    symlink(outside.path(), workspace.of_root("sideDialogs/link")).unwrap();
    let twin = workspace.at("archive").join(ROOT);
    fs::create_dir_all(&twin).unwrap();
    fs::write(twin.join("dialog.yaml"), "id: x\n").unwrap();
    let store = workspace.open();
    store.delete(&root()).unwrap();
    assert_eq!(store.find(&root()), None);
    assert_eq!(contents(outside.path()).len(), 1);
    assert!(matches!(store.delete(&root()), Err(StoreError::NotFound(_))));
    assert!(matches!(store.delete(&RootId::new("../x")), Err(StoreError::NotFound(_))));
}

#[test]
fn nothing_is_deleted_through_a_link_in_place_of_our_own_folder() {
    let workspace = workspace();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("precious"), "keep me").unwrap();
    let store = workspace.open();
    symlink(outside.path(), workspace.at(".tui/trash")).unwrap();
    symlink(outside.path(), workspace.at(".tui/staging")).unwrap();
    assert!(matches!(store.delete(&root()), Err(StoreError::Misplaced { .. })));
    assert!(matches!(
        store.stage(&root(), crate::domain::Layout::V1_19),
        Err(StoreError::Misplaced { .. })
    ));
    assert_eq!(store.load(run(), &root()).unwrap().tree.dialogs.len(), 2);
    drop(store);
    drop(workspace.open());
    assert_eq!(contents(outside.path()).len(), 1);
}

#[test]
fn what_was_set_aside_comes_back_under_its_own_name_and_nothing_else_does() {
    let workspace = workspace();
    let store = workspace.open();
    fs::create_dir_all(workspace.at("malformed/aa/bb")).unwrap();
    let aside = workspace.at("malformed").join(format!("{ROOT}__2"));
    fs::rename(workspace.of_root(""), &aside).unwrap();
    for name in ["../run/aa", "/etc", "", "aa/bb/none"] {
        assert!(store.restore(name).is_err(), "{name:?}");
    }
    assert_eq!(store.restore(&format!("{ROOT}__2")).unwrap(), root());
    assert_eq!(store.load(run(), &root()).unwrap().tree.dialogs.len(), 2);
    fs::create_dir_all(&aside).unwrap();
    assert!(matches!(store.restore(&format!("{ROOT}__2")), Err(StoreError::Exists(_))));
}

#[test]
fn what_was_not_synced_yet_is_synced_before_a_tree_moves() {
    let workspace = workspace();
    let disk = Arc::new(FaultyDisk::new(DiskFault::Never));
    let store = workspace.open_on(disk.clone()).unwrap();
    let changes = vec![append(&main_id(), &[FINISH])];
    let written = store.commit(Batch { root: root(), changes, durable: false }).unwrap();
    assert!(!written.needs_sync());
    written.sync().unwrap();
    store.relocate(&root(), Bucket::Run, Bucket::Done).unwrap();
    let done = disk.log();
    let at = |what: &str| done.iter().position(|one| one == what);
    assert!(at("course-001.jsonl").is_some() && at("course-001.jsonl") < at("moved"), "{done:?}");
}
