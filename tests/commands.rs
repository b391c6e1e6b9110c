//! The commands that change what becomes of dialogs, as scripts use them: the real program, its exit
//! status, what it prints, what it leaves on disk.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const MAIN: &str = "aa/bb/00000001";
const SIDE: &str = "cc/dd/00000002";

/// A workspace with one tree in it: a main dialog of three generations that waits for a side dialog.
struct Workspace(tempfile::TempDir);

struct Ended {
    code: i32,
    out: String,
    err: String,
}

impl Workspace {
    fn new() -> Self {
        let workspace = Self(tempfile::tempdir().expect("a folder"));
        let identity = |id: &str, agent: &str| {
            format!(
                "id: {id}\nagentId: {agent}\ntaskDocPath: t.tsk\ncreatedAt: 2026-11-21 12:00:00\n"
            )
        };
        let assignment = format!(
            r#"{{"callName":"tellaskSessionless","mentionList":["@dev"],"tellaskContent":"Look.","originMemberId":"lead","askerDialogId":"{MAIN}","callId":"c"}}"#
        );
        let owed = format!(
            r#"{{"expectedReplyCallName":"replyTellaskSessionless","targetDialogId":"{MAIN}","targetCallId":"c","tellaskContent":"Look."}}"#
        );
        let frame = format!(
            r#"{{"kind":"asker_dialog_stack_frame","askerDialogId":"{MAIN}","assignmentFromAsker":{assignment},"tellaskReplyObligation":{owed}}}"#
        );
        let course = [
            r#"{"ts":"t","type":"gen_start_record","genseq":1,"rootCourse":1,"rootGenseq":1}"#,
            r#"{"ts":"t","type":"human_text_record","genseq":1,"content":"Hello","msgId":"m1","grammar":"markdown","origin":"user","rootCourse":1,"rootGenseq":1}"#,
            r#"{"ts":"t","type":"agent_words_record","genseq":1,"content":"Hi.","rootCourse":1,"rootGenseq":1}"#,
            r#"{"ts":"t","type":"gen_finish_record","genseq":1,"contextHealth":{"kind":"unavailable","reason":"usage_unavailable"},"rootCourse":1,"rootGenseq":1}"#,
            r#"{"ts":"t","type":"gen_start_record","genseq":2,"rootCourse":1,"rootGenseq":2}"#,
            r#"{"ts":"t","type":"human_text_record","genseq":2,"content":"Ask dev","msgId":"m2","grammar":"markdown","origin":"user","rootCourse":1,"rootGenseq":2}"#,
            r#"{"ts":"t","type":"tellask_call_record","genseq":2,"id":"c","name":"tellaskSessionless","rawArgumentsText":"{\"targetAgentId\":\"dev\",\"tellaskContent\":\"Look.\"}","deliveryMode":"tellask_call_start","rootCourse":1,"rootGenseq":2}"#,
            r#"{"ts":"t","type":"func_result_record","genseq":2,"id":"c","name":"tellaskSessionless","content":"waits","rootCourse":1,"rootGenseq":2}"#,
            r#"{"ts":"t","type":"gen_finish_record","genseq":2,"contextHealth":{"kind":"unavailable","reason":"usage_unavailable"},"rootCourse":1,"rootGenseq":2}"#,
        ];
        let stopped = "currentCourse: 1\nlastModified: 2026-11-21 12:00:00\nstatus: active\nexecutionMarker:\n  kind: interrupted\n  reason:\n    kind: user_stop\n";
        workspace.put("run", MAIN, "dialog.yaml", &identity(MAIN, "lead"));
        workspace.put("run", MAIN, "course-001.jsonl", &(course.join("\n") + "\n"));
        let side = format!("{MAIN}/sideDialogs/{SIDE}");
        workspace.put("run", &side, "dialog.yaml", &identity(SIDE, "dev"));
        workspace.put("run", &side, "asker-stack.jsonl", &(frame + "\n"));
        workspace.put("run", &side, "latest.yaml", stopped);
        workspace
    }

    fn folder(&self, bucket: &str, id: &str) -> PathBuf {
        self.0.path().join(".dialogs").join(bucket).join(id)
    }

    fn put(&self, bucket: &str, id: &str, name: &str, text: &str) {
        let folder = self.folder(bucket, id);
        fs::create_dir_all(&folder).expect("folders");
        fs::write(folder.join(name), text).expect("a file");
    }

    fn read(&self, bucket: &str, id: &str, name: &str) -> String {
        fs::read_to_string(self.folder(bucket, id).join(name)).expect("a file")
    }

    fn run(&self, args: &[&str]) -> Ended {
        let ended = Command::new(env!("CARGO_BIN_EXE_dominds-tui"))
            .args(args)
            .current_dir(self.0.path())
            .env_clear()
            .env("HOME", self.0.path())
            .env("TZ", "UTC")
            .stdin(Stdio::null())
            .output()
            .expect("the program");
        Ended {
            code: ended.status.code().expect("a status"),
            out: String::from_utf8_lossy(&ended.stdout).into_owned(),
            err: String::from_utf8_lossy(&ended.stderr).into_owned(),
        }
    }

    fn ok(&self, args: &[&str]) -> String {
        let ended = self.run(args);
        assert_eq!(ended.code, 0, "{args:?}: {}", ended.err);
        ended.out
    }

    fn refused(&self, code: i32, args: &[&str]) -> String {
        let ended = self.run(args);
        assert_eq!((ended.code, ended.out.as_str()), (code, ""), "{args:?}: {}", ended.err);
        ended.err
    }
}

#[test]
fn b18_done_archive_and_revive_move_a_tree_as_a_whole() {
    let workspace = Workspace::new();
    let latest = format!("sideDialogs/{SIDE}/latest.yaml");
    let before = workspace.read("run", MAIN, &latest);
    for (command, from, to) in [
        ("done", "run", "done"),
        ("archive", "done", "archive"),
        ("revive", "archive", "run"),
        ("archive", "run", "archive"),
    ] {
        assert_eq!(workspace.ok(&[command, "aa/bb"]), "", "{command}");
        assert!(!workspace.folder(from, MAIN).exists(), "{command}");
        assert_eq!(workspace.read(to, MAIN, &latest), before, "{command}: nothing is edited");
        let again = workspace.refused(1, &[command, MAIN]);
        assert!(again.contains("already"), "{again}");
    }
    workspace.refused(2, &["done", "no/such"]);
    assert_eq!(workspace.ok(&["dialogs"]), "");
    assert!(workspace.ok(&["dialogs", "--all"]).contains("(archived)"));
}

#[test]
fn a_dialog_is_deleted_with_yes_only() {
    let workspace = Workspace::new();
    let told = workspace.refused(2, &["delete", MAIN]);
    assert!(told.contains("--yes"), "{told}");
    assert!(workspace.folder("run", MAIN).is_dir());
    workspace.ok(&["delete", MAIN, "--yes"]);
    assert!(!workspace.folder("run", MAIN).exists());
    workspace.refused(2, &["delete", MAIN, "--yes"]);
}

#[test]
fn e25_dead_closes_the_call_and_says_no_to_main_dialogs() {
    let workspace = Workspace::new();
    let told = workspace.refused(2, &["dead", MAIN]);
    assert!(told.contains("main dialog"), "{told}");
    workspace.ok(&["dead", SIDE, "--note", "it hangs"]);
    workspace.ok(&["dead", SIDE]);
    let side = format!("{MAIN}/sideDialogs/{SIDE}");
    assert!(workspace.read("run", &side, "latest.yaml").contains("kind: dead"));
    let course = workspace.read("run", MAIN, "course-001.jsonl");
    let closed: Vec<&str> =
        course.lines().filter(|line| line.contains("tellask_result_record")).collect();
    assert_eq!(closed.len(), 1, "{course}");
    assert!(closed.concat().contains("it hangs"));
    assert!(!workspace.folder("run", MAIN).join("pending-sideDialogs.json").exists());
    assert!(workspace.ok(&["dialogs", "--json"]).contains(r#""state":"dead""#));
}

#[test]
fn b17_fork_prints_the_new_id_and_nothing_else() {
    let workspace = Workspace::new();
    let before = workspace.read("run", MAIN, "course-001.jsonl");
    let ended = workspace.run(&["fork", MAIN, "--course", "1", "--genseq", "2"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let id = ended.out.strip_suffix('\n').expect("one line");
    assert!(id != MAIN && workspace.folder("run", id).is_dir(), "{id:?}");
    assert!(ended.err.contains("Ask dev"), "the words it was made at: {}", ended.err);
    let course = workspace.read("run", id, "course-001.jsonl");
    assert!(course.contains("Hi.") && !course.contains("Ask dev"), "{course}");
    assert_eq!(workspace.read("run", MAIN, "course-001.jsonl"), before);
    assert!(!workspace.folder(".tui", "").exists(), "nothing of ours is left");
    let told = workspace.refused(1, &["fork", MAIN, "--course", "1", "--genseq", "9"]);
    assert!(told.contains("no generation 9"), "{told}");
    workspace.refused(2, &["fork", MAIN, "--course", "1"]);
}

#[test]
fn b04_a_malformed_main_dialog_is_set_aside_and_doctor_puts_it_back() {
    let workspace = Workspace::new();
    // No record tells who the main dialog is.
    fs::remove_dir_all(workspace.folder("run", MAIN).join("sideDialogs")).expect("removed");
    let whole = workspace.read("run", MAIN, "dialog.yaml");
    workspace.put("run", MAIN, "dialog.yaml", ": {{ nothing");
    let found = workspace.run(&["doctor"]);
    assert_eq!(found.code, 6);
    assert!(workspace.folder("run", MAIN).is_dir(), "doctor changes nothing: {}", found.out);
    let ended = workspace.run(&["drive", "--json"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.out.contains("quarantined"), "{}", ended.out);
    assert!(!workspace.folder("run", MAIN).exists());
    let doctor = workspace.run(&["doctor"]);
    assert!(doctor.code == 6 && doctor.out.contains("--restore"), "{}", doctor.out);

    workspace.put("malformed", MAIN, "dialog.yaml", &whole);
    for name in ["../run", "no/such"] {
        workspace.refused(6, &["doctor", "--restore", name]);
    }
    assert!(workspace.ok(&["doctor", "--restore", MAIN]).contains(MAIN));
    assert!(workspace.folder("run", MAIN).is_dir());
    assert!(workspace.ok(&["dialogs"]).contains("@lead"));
}
