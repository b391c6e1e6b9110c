//! Single changes to a tree of this program: [`layout`] refuses those that Dominds 1.19.2 refused when they
//! were tried on it, and accepts those that it accepted.

use std::fs;
use std::path::Path;

use dominds_tui::llm::{Reply, Sequence};

use super::tellasks::session;
use crate::common::layout::{assert_opens_in_dominds, refused_by_dominds};
use crate::common::{World, files};

enum Change {
    /// The first occurrence of a text in the file.
    Replaced(&'static str, &'static str),
    /// All of the file, which need not have been there.
    Written(&'static str),
    Appended(&'static str),
    /// Without its last bytes.
    Cut(usize),
    /// A byte at its end that is no text.
    Garbled,
    /// Replaces it by a folder of that name.
    Folder,
    Removed,
}

use self::Change::{Appended, Cut, Folder, Garbled, Removed, Replaced, Written};

/// The folder of the side dialog of [`tree`].
const SIDE: &str = "sideDialogs/aa/00/00000002";

/// A main dialog that waits for a side dialog, which waits for a person; all files there are.
async fn tree() -> (World, std::path::PathBuf) {
    let note = r#"{"content":"Remember."}"#;
    let models = Sequence::new()
        .reply("lead", Reply::call("r", "add_reminder", note))
        .reply("lead", Reply::call("c", "tellask", &session("alice", "plan", "Plan.")))
        .reply("alice", Reply::call("q", "askHuman", r#"{"tellaskContent":"Which?"}"#));
    let (world, running, main) = World::talked(models, "Go").await;
    running.shut_down().await;
    world.is_left_damaged();
    let folder = world.path().join(".dialogs/run").join(main.root.as_str());
    (world, folder)
}

fn change(path: &Path, change: &Change) {
    let before = fs::read_to_string(path).unwrap_or_default();
    let after = match change {
        Replaced(from, to) => {
            assert!(before.contains(from), "{}: no {from} in {before}", path.display());
            before.replacen(from, to, 1)
        }
        Written(text) => (*text).to_owned(),
        Appended(text) => format!("{before}{text}"),
        Cut(bytes) => before[..before.len() - bytes].to_owned(),
        Garbled => return fs::write(path, [before.as_bytes(), b"\xff"].concat()).expect("written"),
        Folder => {
            fs::remove_file(path).expect("a file");
            return fs::create_dir(path).expect("a folder");
        }
        Removed => return fs::remove_file(path).expect("a file"),
    };
    files::put(path.parent().expect("a folder"), &name_of(path), &after);
}

fn name_of(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}

/// Applies each change to a fresh copy of the tree; checks whether it is refused.
async fn all(changes: &[(&str, Change)], is_refused: bool) {
    let (world, folder) = tree().await;
    assert_opens_in_dominds(world.path());
    let kept = tempfile::tempdir().expect("a folder");
    files::copy(&folder, &kept.path().join("tree"));
    for (file, one) in changes {
        let file = file.replace("SIDE", SIDE);
        change(&folder.join(&file), one);
        let refused = refused_by_dominds(world.path());
        assert_eq!(!refused.is_empty(), is_refused, "{file}: {refused:?}");
        fs::remove_dir_all(&folder).expect("removed");
        files::copy(&kept.path().join("tree"), &folder);
    }
}

#[tokio::test(start_paused = true)]
async fn what_dominds_refuses_is_noticed() {
    let changes = [
        ("dialog.yaml", Replaced("createdAt", "created")),
        ("dialog.yaml", Replaced("taskDocPath", "taskDoc")),
        ("dialog.yaml", Replaced("agentId", "sessionSlug: s\nagentId")),
        ("dialog.yaml", Replaced("agentId", "askerDialogId: null\nagentId")),
        ("dialog.yaml", Replaced("id: aa/00/00000001", "id: aa/00/00000009")),
        ("dialog.yaml", Removed),
        ("SIDE/dialog.yaml", Replaced("id: aa/00/00000002", "id: aa/00/00000009")),
        ("SIDE/dialog.yaml", Replaced("agentId", "askerDialogId: aa/00/00000001\nagentId")),
        ("SIDE/dialog.yaml", Removed),
        ("folder/dialog.yaml", Written("id: folder\n")),
        ("latest.yaml", Replaced("lastModified", "modified")),
        ("latest.yaml", Replaced("status: active", "state: active")),
        ("latest.yaml", Replaced("status: active", "status: running")),
        ("latest.yaml", Replaced("generating: false", "generating: null")),
        ("latest.yaml", Replaced("kind: blocked", "kind: waiting")),
        ("latest.yaml", Replaced("currentCourse: 1", "currentCourse: \"1\"")),
        ("latest.yaml", Written("")),
        ("latest.yaml", Written("currentCourse: [\n")),
        ("latest.yaml", Garbled),
        ("latest.yaml", Folder),
        ("course-001.jsonl", Folder),
        ("course-001.jsonl", Appended("no record\n")),
        ("course-001.jsonl", Replaced("{\"ts\"", "{\"ts\n{\"ts\"")),
        (
            "course-001.jsonl",
            Appended(
                "{\"type\":\"tellask_result_record\",\"callId\":\"c\",\"callName\":\"tellask\",\"status\":\"failed\",\"content\":\"x\",\"call\":{}}\n",
            ),
        ),
        (
            "course-001.jsonl",
            Appended(
                "{\"type\":\"func_result_record\",\"id\":\"r\",\"name\":\"x\",\"content\":\"x\"}\n",
            ),
        ),
        ("reminders.json", Written("{")),
        ("reminders.json", Replaced("priority", "urgency")),
        ("registry.yaml", Replaced("agentId: alice", "agentId: bob")),
        ("registry.yaml", Replaced("aa/00/00000002", "aa/00/00000009")),
        ("SIDE/asker-stack.jsonl", Removed),
        ("SIDE/asker-stack.jsonl", Written("")),
        ("SIDE/asker-stack.jsonl", Cut(9)),
        ("SIDE/asker-stack.jsonl", Garbled),
        ("SIDE/asker-stack.jsonl", Folder),
        ("SIDE/asker-stack.jsonl", Replaced("assignmentFromAsker", "assignment")),
        ("SIDE/asker-stack.jsonl", Replaced("\"replyTellask\"", "\"replyTellaskSessionless\"")),
        ("SIDE/asker-stack.jsonl", Replaced("[\"@alice\"]", "[]")),
        (
            "SIDE/asker-stack.jsonl",
            Replaced(
                "\"askerDialogId\":\"aa/00/00000001\"",
                "\"askerDialogId\":\"aa/00/00000009\"",
            ),
        ),
        ("SIDE/q4h.yaml", Replaced("messageIndex", "index")),
        ("SIDE/q4h.yaml", Replaced("callSiteGenseq: 1", "callSiteGenseq: 0")),
        ("SIDE/q4h.yaml", Replaced("updatedAt", "updated")),
        ("pending-sideDialogs.json", Replaced("callSiteGenseq", "genseq")),
        ("pending-sideDialogs.json", Replaced("\"callSiteCourse\": 1", "\"callSiteCourse\": 0")),
        (
            "pending-sideDialogs.json",
            Replaced("\"sessionSlug\": \"plan\"", "\"sessionSlug\": null"),
        ),
        ("sideDialog-responses.json", Written("{}")),
    ];
    all(&changes, true).await;
}

#[tokio::test(start_paused = true)]
async fn records_without_any_state_are_noticed() {
    let (world, folder) = tree().await;
    for file in ["dialog.yaml", "latest.yaml"] {
        fs::remove_file(folder.join(file)).expect("a file");
    }
    fs::remove_dir_all(folder.join("sideDialogs")).expect("a folder");
    let refused = refused_by_dominds(world.path()).join("\n");
    assert!(refused.contains("dialog.yaml: a dialog with records has no identity"), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn what_dominds_accepts_is_not_refused() {
    let changes = [
        ("dialog.yaml", Appended("unknown: 1\n")),
        ("dialog.yaml", Replaced("createdAt: ", "createdAt: \"2026-11-21T20:21:06Z\"\nwas: ")),
        ("SIDE/dialog.yaml", Appended("unknown: 1\n")),
        ("unknown.txt", Written("x")),
        ("folder/unknown.txt", Written("x")),
        (".latest.yaml.1.ab.tmp", Written("x")),
        ("latest.yaml", Appended("unknown: 1\n")),
        ("latest.yaml", Removed),
        ("latest.yaml", Written("currentCourse: 7\nlastModified: t\nstatus: active\n")),
        (
            "latest.yaml",
            Written("{\"currentCourse\":1,\"lastModified\":\"t\",\"status\":\"active\"}"),
        ),
        ("SIDE/latest.yaml", Removed),
        ("reminders.json", Removed),
        ("reminders.json", Replaced("\"priority\"", "\"ownerName\": \"unknown\", \"priority\"")),
        ("registry.yaml", Removed),
        ("registry.yaml", Written("entries: []\n")),
        ("registry.yaml", Appended("unknown: 1\n")),
        ("course-001.jsonl", Removed),
        ("course-001.jsonl", Cut(9)),
        ("course-001.jsonl", Garbled),
        ("course-001.jsonl", Appended("\n\n")),
        ("course-001.jsonl", Appended("{\"type\":\"unknown_record\"}\n")),
        ("asker-stack.jsonl", Written("")),
        ("sideDialog-responses.json", Written("[]")),
        ("SIDE/asker-stack.jsonl", Replaced("{\"kind\"", "{\"unknown\":1,\"kind\"")),
        ("SIDE/q4h.yaml", Replaced("callSiteGenseq", "unknown")),
        ("SIDE/q4h.yaml", Replaced("tellaskContent", "unknown: 1\n  tellaskContent")),
        ("SIDE/q4h.yaml", Written("questions: []\nupdatedAt: t\n")),
        ("pending-sideDialogs.json", Replaced("aa/00/00000002", "aa/00/00000009")),
        ("pending-sideDialogs.json", Replaced("\"callId\"", "\"unknown\": 1, \"callId\"")),
    ];
    all(&changes, false).await;
}
