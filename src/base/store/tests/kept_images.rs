//! Copies of images that drafts name: read with care, removed when nobody names them any more.

use std::time::{Duration, SystemTime};

use super::super::{ImageRefusal, KeptImage};
use super::*;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nsome bytes";

fn pictured() -> (Workspace, Store) {
    let workspace = Workspace::new();
    fs::write(workspace.path().join("a.png"), PNG).unwrap();
    let store = workspace.open();
    (workspace, store)
}

fn keep(
    workspace: &Workspace,
    store: &Store,
    name: &str,
    id: &str,
) -> Result<KeptImage, ImageRefusal> {
    store.own_files().keep_image(&workspace.path().join(name), id)
}

fn make_old(workspace: &Workspace, name: &str, hours: u64) {
    let file =
        fs::File::options().write(true).open(workspace.at(".tui/images").join(name)).unwrap();
    let then = file.metadata().unwrap().modified().unwrap() - Duration::from_secs(hours * 3600);
    assert!(then > SystemTime::UNIX_EPOCH);
    file.set_modified(then).unwrap();
}

#[test]
fn a_copy_is_what_was_there_and_stays_when_the_file_goes() {
    let (workspace, store) = pictured();
    let kept = keep(&workspace, &store, "a.png", "one").unwrap();
    assert_eq!((kept.name.as_str(), kept.bytes), ("one.png", 18));
    fs::write(workspace.path().join("a.png"), "other").unwrap();
    assert_eq!(store.kept_image("one.png").as_deref(), Ok(PNG));
    let whole = workspace.path().join("b.png");
    fs::write(&whole, PNG).unwrap();
    assert!(store.own_files().keep_image(&whole, "two").is_ok());
    assert!(store.own_files().keep_image(&whole, "two").is_err(), "no copy is replaced");
    assert!(store.own_files().keep_image(&whole, "../three").is_err());
    for name in ["../drafts.json", "", "..", ".hidden", "none.png", "/etc/passwd"] {
        assert!(store.kept_image(name).is_err(), "{name}");
    }
    assert!(workspace.view().own_files().keep_image(&whole, "four").is_err(), "read only");
}

#[test]
fn only_an_image_that_is_an_ordinary_file_of_a_bounded_size_is_read() {
    let (workspace, store) = pictured();
    let place = |name: &str| workspace.path().join(name);
    std::os::unix::fs::symlink(place("a.png"), place("link.png")).unwrap();
    std::os::unix::fs::symlink(place("none"), place("broken.png")).unwrap();
    let fifo = place("fifo.png");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &fifo,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    fs::write(place("short.png"), b"\x89PN").unwrap();
    fs::write(place("empty.png"), b"").unwrap();
    let refused = |name: &str| keep(&workspace, &store, name, "x").unwrap_err();
    assert!(matches!(refused("link.png"), ImageRefusal::NoFile(_)));
    assert!(matches!(refused("broken.png"), ImageRefusal::NoFile(_)));
    assert!(matches!(refused("fifo.png"), ImageRefusal::NoFile(_)));
    assert!(matches!(refused("short.png"), ImageRefusal::NoImage));
    assert!(matches!(refused("empty.png"), ImageRefusal::NoImage));
    assert!(matches!(refused("none.png"), ImageRefusal::Missing));
    for (name, text) in [("link.png", "symbolic link"), ("none.png", "no file none.png")] {
        let message = refused(name).message(name);
        assert!(message.to_string().contains(text), "{message}");
        crate::samples::assert_translated(&message);
    }
    assert!(!workspace.at(".tui/images").exists());
}

#[test]
fn copies_are_removed_when_no_draft_names_them_and_they_are_old() {
    let (workspace, store) = pictured();
    for id in ["used", "unused", "new"] {
        keep(&workspace, &store, "a.png", id).unwrap();
    }
    store.own_files().write_draft("message/x", Some("see used.png")).unwrap();
    make_old(&workspace, "used.png", 50);
    make_old(&workspace, "unused.png", 2);
    keep(&workspace, &store, "a.png", "next").unwrap();
    let there = |name: &str| workspace.at(".tui/images").join(name).exists();
    assert!(there("used.png") && there("new.png") && there("next.png") && !there("unused.png"));
    store.own_files().write_draft("message/x", None).unwrap();
    keep(&workspace, &store, "a.png", "last").unwrap();
    assert!(!there("used.png"));
}

#[test]
fn the_folder_of_the_copies_may_be_no_link() {
    let (workspace, store) = pictured();
    let away = workspace.path().join("away");
    fs::create_dir(&away).unwrap();
    fs::write(away.join("a.png"), PNG).unwrap();
    fs::create_dir_all(workspace.at(".tui")).unwrap();
    std::os::unix::fs::symlink(&away, workspace.at(".tui/images")).unwrap();
    assert!(store.kept_image("a.png").is_err());
    assert!(keep(&workspace, &store, "a.png", "x").is_err());
}
