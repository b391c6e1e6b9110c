//! A client uses the driver of exactly the intended folder, whatever is in the place of its socket.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{chown, symlink};
use std::path::{Path, PathBuf};

use dominds_tui::domain::Stamp;
use dominds_tui::protocol::wire::{self, Audience, FolderId, LONGEST_FROM_CLIENT, Welcome};
use dominds_tui::remote::{ConnectError, Leaving, Place, UserFolders, connect, first_frame};
use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixListener;

use super::{Stage, hello};
use crate::common::wait::in_time;

/// A workspace without a driver, and the place of a socket in it.
fn other() -> (tempfile::TempDir, PathBuf, Place) {
    let workspace = tempfile::tempdir().expect("a folder");
    let folder = workspace.path().join(".dialogs/.tui");
    fs::create_dir_all(&folder).expect("a folder");
    let place = Place::of(workspace.path(), UserFolders::default());
    (workspace, folder.join("driver.sock"), place)
}

/// Checks that a client finds no driver.
async fn nobody(place: &Place) {
    let screen = hello("pts/1", Audience::Screen);
    let found = in_time(connect(place, screen, Leaving::DriverStays)).await;
    assert!(matches!(found, Err(ConnectError::Nobody)), "{found:?}");
}

#[tokio::test]
async fn a_link_or_a_second_name_leads_to_no_driver_of_another_workspace() {
    let (stage, _) = Stage::asking().await;
    let (_workspace, socket, place) = other();
    for way in [
        |from: &Path, to: &Path| symlink(from, to),
        // It passes all checks of a socket, so only the welcome gives it away.
        |from: &Path, to: &Path| fs::hard_link(from, to),
    ] {
        way(&stage.socket(), &socket).expect("a way");
        nobody(&place).await;
        fs::remove_file(&socket).expect("a file");
    }
    let folder = socket.parent().expect("a folder");
    fs::remove_dir(folder).expect("a folder");
    let elsewhere = stage.folders.path().join("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder");
    fs::hard_link(stage.socket(), elsewhere.join("driver.sock")).expect("a way");
    symlink(&elsewhere, folder).expect("a link");
    nobody(&place).await;
    stage.screen("pts/2").await.question().await;
    stage.end().await;
}

#[tokio::test]
async fn a_socket_of_another_user_is_not_used() {
    let (_workspace, socket, place) = other();
    let listener = UnixListener::bind(&socket).expect("a socket");
    if chown(&socket, Some(65_534), None).is_err() {
        eprintln!("SKIPPED: only root gives files away");
        return;
    }
    nobody(&place).await;
    let came = listener.into_std().expect("a socket").accept();
    assert_eq!(came.map_err(|error| error.kind()).err(), Some(ErrorKind::WouldBlock));
}

/// Returns the result of a client that gets this welcome.
async fn welcomed(
    (listener, place): (&UnixListener, &Place),
    welcome: Welcome,
) -> Result<(), ConnectError> {
    let driver = async {
        let (mut stream, _) = listener.accept().await.expect("a client");
        let hello = first_frame(&mut stream, LONGEST_FROM_CLIENT).await.expect("a greeting");
        assert!(hello.is_some());
        let frame = wire::encode_welcome(&welcome).expect("a frame");
        stream.write_all(&frame).await.expect("a client that reads");
        stream
    };
    let client = connect(place, hello("pts/1", Audience::Screen), Leaving::DriverStays);
    let (connected, _stream) = in_time(async { tokio::join!(client, driver) }).await;
    connected.map(drop)
}

#[tokio::test]
async fn a_driver_says_which_folder_it_has_and_an_older_one_how_that_is_shown() {
    use std::os::unix::fs::MetadataExt as _;
    let (workspace, socket, place) = other();
    let listener = UnixListener::bind(&socket).expect("a socket");
    let meta = fs::metadata(workspace.path()).expect("a folder");
    let folder = Some(FolderId { device: meta.dev(), inode: meta.ino() });
    let shown = workspace.path().display().to_string();
    let welcome = |protocol, folder, shown: &str| Welcome {
        protocol,
        program: "0.1.0".to_owned(),
        workspace: shown.to_owned(),
        folder,
        pid: 1,
        since: Stamp::new("2026-11-25 10:00:00"),
        level: None,
        view: false,
        knows_session: false,
        low_bandwidth: false,
    };
    let another = folder.map(|folder| FolderId { inode: folder.inode + 1, ..folder });
    for (folder, shown, is_used) in [
        (folder, "~/anything", true),
        (another, shown.as_str(), false),
        (None, shown.as_str(), true),
        (None, "~/anything", false),
    ] {
        let came = welcomed((&listener, &place), welcome(1, folder, shown)).await;
        match came {
            Ok(()) => assert!(is_used, "{folder:?} {shown}"),
            Err(ConnectError::Nobody) => assert!(!is_used, "{folder:?} {shown}"),
            Err(other) => panic!("{folder:?} {shown}: {other}"),
        }
    }
    let newer = welcomed((&listener, &place), welcome(2, folder, &shown)).await;
    let refused = newer.expect_err("a protocol that was not offered").to_string();
    assert!(refused.contains("protocol 2") && refused.contains("offered 1 to 1"), "{refused}");
}
