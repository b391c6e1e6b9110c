//! Files of a dialog: written before the record that names them, read wherever the tree lies, and read
//! nowhere else.

use std::os::unix::fs::symlink;

use super::super::ArtifactError;
use super::*;
use crate::domain::{ArtifactRef, DialogId};
use crate::store::disk::faulty_disk::{DiskFault, FaultyDisk};

const PATH: &str = "artifacts/workspace/read_picture/k-1.png";

fn of(dialog: &SelfId, path: &str) -> ArtifactRef {
    ArtifactRef { dialog: DialogId::side(&root(), dialog), path: path.to_owned() }
}

fn kept(path: &str) -> TreeChange {
    TreeChange::Artifact {
        dialog: main_id(),
        path: path.to_owned(),
        bytes: Arc::from(b"bytes".as_slice()),
    }
}

#[test]
fn a_file_is_read_wherever_its_tree_was_moved() {
    let workspace = Workspace::new();
    let store = workspace.open();
    commit(&store, vec![create_main()]).unwrap();
    commit(&store, vec![kept(PATH), append(&main_id(), &[&say("m")])]).unwrap();
    assert_eq!(fs::read(workspace.of_root(PATH)).unwrap(), b"bytes");
    let read = |store: &Store, most| store.artifact(&of(&main_id(), PATH), most);
    assert_eq!(read(&store, 5), Ok(b"bytes".to_vec()));
    assert_eq!(read(&store, 4), Err(ArtifactError::TooLarge));
    store.relocate(&root(), Bucket::Run, Bucket::Archive).unwrap();
    assert_eq!(read(&store, 5), Ok(b"bytes".to_vec()));
    assert_eq!(read(&workspace.view(), 5), Ok(b"bytes".to_vec()));
    fs::remove_file(workspace.at("archive").join(ROOT).join(PATH)).unwrap();
    assert_eq!(read(&store, 5), Err(ArtifactError::Missing));
}

#[test]
fn nothing_is_read_or_written_outside_of_the_folder_of_the_dialog() {
    let workspace = Workspace::new();
    let store = workspace.open();
    commit(&store, vec![create_main(), kept(PATH)]).unwrap();
    let folder = workspace.of_root("artifacts");
    fs::write(workspace.path().join("secret"), "s").unwrap();
    symlink(workspace.path().join("secret"), folder.join("link.png")).unwrap();
    symlink(workspace.path(), folder.join("away")).unwrap();
    for path in [
        "artifacts/link.png",
        "artifacts/away/secret",
        "artifacts/workspace",
        "artifacts/../latest.yaml",
        "latest.yaml",
        "/etc/passwd",
        "artifacts/none",
    ] {
        assert_eq!(
            store.artifact(&of(&main_id(), path), 99),
            Err(ArtifactError::Missing),
            "{path}"
        );
    }
    for strange in ["../../..", "nobody/at/all"] {
        let dialog = DialogId::main(RootId::new(strange));
        let of = ArtifactRef { dialog, path: PATH.to_owned() };
        assert_eq!(store.artifact(&of, 99), Err(ArtifactError::Missing), "{strange}");
    }
    fs::write(workspace.of_root("artifacts/other.png"), b"other").unwrap();
    for path in
        ["artifacts/../x", "x", "artifacts/away/x", "artifacts/link.png", "artifacts/other.png"]
    {
        assert!(commit(&store, vec![kept(path)]).is_err(), "{path}");
    }
    commit(&store, vec![kept(PATH)]).unwrap();
    assert!(!workspace.path().join("x").exists());
    assert_eq!(fs::read(workspace.of_root("artifacts/other.png")).unwrap(), b"other");
    assert_eq!(fs::read(workspace.path().join("secret")).unwrap(), b"s");
}

#[test]
fn a_record_that_cannot_be_written_leaves_no_file_and_a_file_stands_before_its_record() {
    let operations = {
        let workspace = Workspace::new();
        commit(&workspace.open(), vec![create_main()]).unwrap();
        let disk = Arc::new(FaultyDisk::new(DiskFault::Never));
        let store = workspace.open_on(disk.clone()).unwrap();
        let before = disk.operations();
        commit(&store, vec![kept(PATH), append(&main_id(), &[&say("m")])]).unwrap();
        before..disk.operations()
    };
    assert!(operations.len() > 5, "{operations:?}");
    for at in operations {
        for fault in [DiskFault::FailAt(at), DiskFault::StopAt(at)] {
            let workspace = Workspace::new();
            commit(&workspace.open(), vec![create_main()]).unwrap();
            let store = workspace.open_on(Arc::new(FaultyDisk::new(fault))).unwrap();
            let step = vec![kept(PATH), append(&main_id(), &[&say("m")])];
            let written = store.commit(batch(step)).is_ok();
            let course = workspace.of_root("course-001.jsonl");
            let said = fs::read_to_string(course).is_ok_and(|text| text.contains("words of m"));
            let there = workspace.of_root(PATH).exists();
            assert!(there || !said, "{fault:?}: a record without its file");
            if matches!(fault, DiskFault::FailAt(_)) && !written {
                assert!(!there && !said, "{fault:?}: something is left");
            }
        }
    }
}
