//! The commands as scripts use them: the real program, its exit status, its output, and its files.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

mod convert;
mod layouts;
mod lifecycle;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::common::files;
use crate::common::wait::{output, output_of};

const MAIN: &str = "aa/bb/00000001";
const SIDE: &str = "cc/dd/00000002";
const TEAM: &str = "member_defaults:\n  provider: script\n  model: m\n  diligence-push-max: 0\n\
                    default_responder: lead\nmembers:\n  lead:\n    name: Lead\n  dev:\n    \
                    name: Dev\n";
const MODELS: &str = "providers:\n  script:\n    name: Script\n    apiType: mock\n    \
                      baseUrl: answers\n    models:\n      m:\n        name: M\n";
const ANSWERS: &str = "responses:\n  - message: hi\n    role: user\n    response: Hello.\n";
/// A dialog that failed long ago, and one that asks.
const FAILED: &str = "currentCourse: 1\nlastModified: 2026-11-21 12:00:05\nstatus: active\n\
                      executionMarker:\n  kind: interrupted\n  reason:\n    kind: system_stop\n    \
                      detail: no credit\n";

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
        files::put(&self.folder(bucket, id), name, text);
    }

    fn read(&self, bucket: &str, id: &str, name: &str) -> String {
        fs::read_to_string(self.folder(bucket, id).join(name)).expect("a file")
    }

    /// A team of two whose model says `Hello.` to everything.
    fn staffed() -> Self {
        let workspace = Self::new();
        let put = |path: &str, text: &str| files::put(workspace.0.path(), path, text);
        put(".minds/team.yaml", TEAM);
        put(".minds/llm.yaml", MODELS);
        put("answers/m.yaml", ANSWERS);
        workspace
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dominds-tui"));
        command
            .args(args)
            .current_dir(self.0.path())
            .env_clear()
            .env("HOME", self.0.path())
            .env("TZ", "UTC")
            .stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str]) -> Ended {
        let ended = output(&mut self.command(args));
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

    fn refused_after_some(&self, code: i32, args: &[&str]) -> String {
        let ended = self.run(args);
        assert_eq!(ended.code, code, "{args:?}: {}", ended.err);
        ended.err
    }

    fn refused(&self, code: i32, args: &[&str]) -> String {
        let ended = self.run(args);
        assert_eq!((ended.code, ended.out.as_str()), (code, ""), "{args:?}: {}", ended.err);
        ended.err
    }
}

fn identity(id: &str) -> String {
    format!("id: {id}\nagentId: lead\ntaskDocPath: t.tsk\ncreatedAt: 2026-11-21 12:00:00\n")
}

/// The last line of what `--json` printed.
fn quiet(ended: &Ended) -> serde_json::Value {
    let last = ended.out.lines().last().unwrap_or_default();
    let event: serde_json::Value = serde_json::from_str(last).expect("an event");
    assert_eq!(event.get("event"), Some(&"quiet".into()), "{}", ended.out);
    event
}

#[test]
fn one_old_failed_dialog_and_a_foreign_question_do_not_fail_a_later_run() {
    let workspace = Workspace::staffed();
    workspace.put("run", "ee/ff/00000003", "dialog.yaml", &identity("ee/ff/00000003"));
    workspace.put("run", "ee/ff/00000003", "latest.yaml", FAILED);
    let asks = "ee/ff/00000004";
    let question = format!("q4h-{asks}-{asks}-c1-q1");
    let open = format!(
        "questions:\n  - id: {question}\n    tellaskContent: Which?\n    askedAt: 2026-11-21 \
         12:00:03\n    callId: q1\n    callSiteRef:\n      course: 1\n      messageIndex: 1\n\
         updatedAt: 2026-11-21 12:00:03\n"
    );
    let at = r#""genseq":1,"rootCourse":1,"rootGenseq":1"#;
    let course = [
        format!(r#"{{"ts":"t","type":"gen_start_record",{at}}}"#),
        format!(
            r#"{{"ts":"t","type":"tellask_call_record","id":"q1","name":"askHuman","rawArgumentsText":"{{\"tellaskContent\":\"Which?\"}}","deliveryMode":"tellask_call_start",{at}}}"#
        ),
        format!(
            r#"{{"ts":"t","type":"func_result_record","id":"q1","name":"askHuman","content":"waits",{at}}}"#
        ),
        format!(
            r#"{{"ts":"t","type":"gen_finish_record","contextHealth":{{"kind":"unavailable","reason":"usage_unavailable"}},{at}}}"#
        ),
    ];
    workspace.put("run", asks, "dialog.yaml", &identity(asks));
    workspace.put("run", asks, "q4h.yaml", &open);
    workspace.put("run", asks, "course-001.jsonl", &(course.join("\n") + "\n"));

    let ran = workspace.run(&["run", "--json", "hi"]);
    assert_eq!((ran.code, &quiet(&ran)["outcome"]), (0, &"done".into()), "{}", ran.err);
    let driven = workspace.run(&["drive", "--json"]);
    assert_eq!((driven.code, &quiet(&driven)["outcome"]), (3, &"question_waits".into()));
    let answered = workspace.run(&["q4h", "answer", &question, "b", "--json"]);
    assert_eq!((answered.code, &quiet(&answered)["outcome"]), (0, &"done".into()));
}

#[test]
fn parked_work_is_not_done_and_is_named_in_the_last_line() {
    let workspace = Workspace::staffed();
    let driven = workspace.run(&["drive", "--json"]);
    let last = quiet(&driven);
    assert_eq!((driven.code, &last["outcome"]), (0, &"paused".into()), "{}", driven.err);
    assert_eq!(last["dialogs"][0]["selfId"], SIDE);
    let plain = workspace.run(&["drive"]);
    assert_eq!(plain.code, 0);
    let expected = format!("paused: @dev ({MAIN}#{SIDE}): stopped by you");
    assert_eq!(plain.err.lines().last(), Some(expected.as_str()));
}

/// Two sessions that wait for each other, as another program may leave them.
fn put_ring(workspace: &Workspace) -> [String; 2] {
    let [plan, help] = ["cc/dd/00000003", "cc/dd/00000004"];
    for (id, agent, slug, asker, assigned, asks) in [
        (plan, "dev", "plan", help, "y", ("x", "lead", "help")),
        (help, "lead", "help", plan, "x", ("y", "dev", "plan")),
    ] {
        let folder = format!("{MAIN}/sideDialogs/{id}");
        let identity = format!(
            "id: {id}\nagentId: {agent}\ntaskDocPath: t.tsk\ncreatedAt: 2026-11-21 12:00:00\n\
             sessionSlug: {slug}\n"
        );
        let frame = format!(
            r#"{{"kind":"asker_dialog_stack_frame","askerDialogId":"{asker}","assignmentFromAsker":{{"callName":"tellask","mentionList":["@{agent}"],"tellaskContent":"Go.","originMemberId":"lead","askerDialogId":"{asker}","callId":"{assigned}"}},"tellaskReplyObligation":{{"expectedReplyCallName":"replyTellask","targetDialogId":"{asker}","targetCallId":"{assigned}","tellaskContent":"Go."}}}}"#
        ) + "\n";
        let (call, target, session) = asks;
        let at = r#""genseq":1,"rootCourse":1,"rootGenseq":1"#;
        let course = [
            format!(r#"{{"ts":"t","type":"gen_start_record",{at}}}"#),
            format!(
                r#"{{"ts":"t","type":"tellask_call_anchor_record","anchorRole":"assignment","callId":"{assigned}",{at}}}"#
            ),
            format!(
                r#"{{"ts":"t","type":"tellask_call_record","id":"{call}","name":"tellask","rawArgumentsText":"{{\"targetAgentId\":\"{target}\",\"sessionSlug\":\"{session}\",\"tellaskContent\":\"Go.\"}}","deliveryMode":"tellask_call_start",{at}}}"#
            ),
            format!(
                r#"{{"ts":"t","type":"func_result_record","id":"{call}","name":"tellask","content":"waits",{at}}}"#
            ),
            format!(
                r#"{{"ts":"t","type":"gen_finish_record","contextHealth":{{"kind":"unavailable","reason":"usage_unavailable"}},{at}}}"#
            ),
        ];
        workspace.put("run", &folder, "dialog.yaml", &identity);
        workspace.put("run", &folder, "asker-stack.jsonl", &frame);
        workspace.put("run", &folder, "course-001.jsonl", &(course.join("\n") + "\n"));
    }
    [plan, help].map(str::to_owned)
}

#[test]
fn a_ring_on_disk_is_blocked_and_names_who_waits_for_whom_until_one_is_dead() {
    let workspace = Workspace::staffed();
    workspace.ok(&["dead", SIDE]);
    let [planner, _] = put_ring(&workspace);
    let driven = workspace.run(&["drive", "--json"]);
    let last = quiet(&driven);
    assert_eq!((driven.code, &last["outcome"]), (4, &"blocked".into()), "{}", driven.out);
    let plain = workspace.run(&["drive"]);
    let line = plain.err.lines().last().unwrap_or_default();
    assert_eq!(plain.code, 4, "{line}");
    for part in ["blocked: ", "@dev", "waits for", "@lead"] {
        assert!(line.contains(part), "{part}: {line}");
    }
    let doctor = workspace.run(&["doctor"]);
    assert!(doctor.code == 6 && doctor.out.contains("wait for each other"), "{}", doctor.out);
    workspace.ok(&["dead", &planner]);
    let driven = workspace.run(&["drive", "--json"]);
    assert_eq!((driven.code, &quiet(&driven)["outcome"]), (0, &"paused".into()), "{}", driven.out);
}

#[test]
fn an_id_that_fits_none_or_several_is_answered_with_the_candidates_by_every_command() {
    let workspace = Workspace::staffed();
    let other = "aa/bc/00000009";
    workspace.put("run", other, "dialog.yaml", &identity(other));
    workspace.put("run", other, "latest.yaml", FAILED);
    for wanted in ["aa/b", "zz"] {
        for command in [
            &["show", wanted] as &[&str],
            &["run", "--dialog", wanted, "hi"],
            &["stop", wanted],
            &["resume", wanted],
            &["keep-going", wanted, "on"],
            &["dead", wanted],
            &["done", wanted],
            &["archive", wanted],
            &["revive", wanted],
            &["delete", wanted, "--yes"],
            &["fork", wanted, "--course", "1", "--genseq", "1"],
            &["read", "--dialog", wanted],
        ] {
            let output = workspace.refused(2, command);
            for line in [format!("  {MAIN}  @lead  Hello"), format!("  {other}  @lead  t\n")] {
                assert!(output.contains(&line), "{command:?}: {output}");
            }
        }
    }
    for command in [&["q4h", "show", "q"] as &[&str], &["q4h", "answer", "q", "yes"]] {
        assert!(workspace.refused(2, command).contains("there is none"), "{command:?}");
    }
}

#[test]
fn the_same_mistake_has_the_same_exit_status_in_every_command() {
    let workspace = Workspace::staffed();
    for command in [&["run", "--agent", "nobody", "hi"] as &[&str], &["read", "nobody"]] {
        let output = workspace.refused(2, command);
        assert!(output.contains("there are: @lead, @dev"), "{command:?}: {output}");
    }
    for command in [
        &["run", "--task", "../t.tsk", "hi"] as &[&str],
        &["run", " "],
        &["show", MAIN, "--course", "7"],
        &["fork", MAIN, "--course", "7", "--genseq", "1"],
        &["demo", "--speed", "nan"],
    ] {
        workspace.refused(2, command);
    }
    fs::remove_dir_all(workspace.0.path().join(".minds")).expect("removed");
    for command in [&["run", "hi"] as &[&str], &["run", "--agent", "x", "hi"], &["read", "x"]] {
        assert!(workspace.refused(6, command).contains("there is no team"), "{command:?}");
    }
}

#[test]
fn a_printed_id_is_short_and_is_taken_back() {
    let workspace = Workspace::new();
    let listed = workspace.ok(&["dialogs"]);
    let mut rows =
        listed.lines().filter(|line| line.contains("  @") && !line.contains("waits for"));
    let main = rows.next().expect("a main dialog");
    assert!(main.starts_with("aa/bb  @lead  waits  ") && main.ends_with("  Hello"), "{main}");
    let side = rows.next().expect("a side dialog");
    assert!(side.starts_with("  cc/dd  @dev  stopped  ") && side.ends_with("  Look"), "{side}");
    assert!(listed.contains("next: dominds-tui resume cc/dd && dominds-tui drive"), "{listed}");
    assert!(workspace.ok(&["resume", "cc/dd"]).contains(SIDE));
    assert!(workspace.ok(&["show", "aa/bb"]).contains("@lead"));
    assert!(workspace.ok(&["show", "aa/bb#cc"]).contains("@dev"));
}

#[test]
fn a_command_that_changes_something_says_what_it_did() {
    let workspace = Workspace::new();
    let side = format!("@dev {MAIN}#{SIDE}");
    for (command, expected) in [
        (&["stop", SIDE] as &[&str], format!("{side} is not running")),
        (&["stop", "--all"], "nothing is running".to_owned()),
        (&["resume", SIDE], format!("{side} is resumed")),
        (&["dead", SIDE], format!("{side} is dead")),
        (&["done", MAIN], format!("@lead {MAIN} with its side dialog is done")),
        (&["archive", MAIN], format!("@lead {MAIN} with its side dialog is archived")),
        (&["revive", MAIN], format!("@lead {MAIN} with its side dialog is active again")),
        (&["delete", MAIN, "--yes"], format!("@lead {MAIN} with its side dialog is deleted")),
    ] {
        let output = workspace.ok(command);
        assert!(output.starts_with(&expected), "{command:?}: {output}");
    }
}

#[test]
fn text_comes_in_parts_where_deltas_are_wanted_and_whole_in_any_case() {
    let workspace = Workspace::staffed();
    for (options, parts) in [(&[][..], false), (&["--deltas"][..], true)] {
        let command = [&["run", "--json"], options, &["hi"]].concat();
        let output = workspace.ok(&command);
        let events: Vec<serde_json::Value> =
            output.lines().map(|line| serde_json::from_str(line).expect("an event")).collect();
        let of_kind = |kind: &str| {
            let all = events.iter().filter(|event| event["event"] == kind);
            all.filter_map(|event| event["text"].as_str()).collect::<String>()
        };
        assert_eq!(of_kind("saying_delta"), if parts { "Hello." } else { "" }, "{output}");
        assert!(output.contains("Hello."), "{output}");
    }
    assert!(workspace.refused(2, &["run", "--deltas", "hi"]).contains("--json"));
}

#[test]
fn a_run_that_times_out_says_so() {
    let workspace = Workspace::staffed();
    let ended = workspace.run(&["run", "hi", "--timeout", "0"]);
    assert_eq!(ended.code, 7, "{}", ended.err);
    assert!(ended.err.contains("timed out after 0 s"), "{}", ended.err);
}

#[test]
fn a_closed_pipe_is_no_panic_and_no_failure() {
    let workspace = Workspace::staffed();
    for args in [
        &["dialogs"] as &[&str],
        &["dialogs", "--json"],
        &["show", MAIN],
        &["q4h"],
        &["read"],
        &["completions", "bash"],
        &["completions", "zsh"],
        &["--help"],
        &["run", "--json", "hi"],
        &["run", "hi"],
        &["manual", "pages"],
    ] {
        let mut command = workspace.command(args);
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
        drop(child.stdout.take());
        let ended = output_of(child);
        let err = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(0), "{args:?}: {err}");
        assert!(!err.contains("panicked"), "{args:?}: {err}");
    }
}

#[test]
fn what_is_typed_is_cleaned_in_an_error_about_arguments() {
    let workspace = Workspace::new();
    for typed in ["--\u{1b}[31mred", "\u{202e}gnp", "\u{9b}31m"] {
        let output = workspace.refused(2, &["run", "--nothing", typed, typed]);
        assert!(!output.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{output:?}");
        let output = workspace.refused(2, &[typed]);
        assert!(!output.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{output:?}");
    }
}

#[test]
fn man_pages_are_written_and_nothing_is_written_through_a_link() {
    let workspace = Workspace::new();
    let output = workspace.ok(&["manual", "pages"]);
    let page = workspace.0.path().join("pages/dominds-tui-q4h-answer.1");
    assert!(output.contains("pages/dominds-tui.1") && page.is_file(), "{output}");
    workspace.ok(&["manual", "pages"]);
    let precious = workspace.0.path().join("precious");
    fs::write(&precious, "mine").expect("a file");
    fs::remove_file(&page).expect("removed");
    std::os::unix::fs::symlink(&precious, &page).expect("a link");
    assert!(workspace.refused_after_some(1, &["manual", "pages"]).contains("such as a link"));
    assert_eq!(fs::read_to_string(&precious).expect("a file"), "mine");
}

#[test]
fn a_push_is_told_with_its_reason_and_with_how_many_are_left() {
    let workspace = Workspace(tempfile::tempdir().expect("a folder"));
    for (path, text) in [
        (
            ".minds/team.yaml",
            "default_responder: lead\nmembers:\n  lead:\n    name: Lead\n    provider: mock\n    model: m\n    diligence-push-max: 1\n",
        ),
        (
            ".minds/llm.yaml",
            "providers:\n  mock:\n    name: Mock\n    apiType: mock\n    baseUrl: mock\n    models:\n      m: {}\n",
        ),
        ("t.tsk/goals.md", "See it through.\n"),
    ] {
        files::put(workspace.0.path(), path, text);
    }
    let why = "it stopped without asking or waiting for anybody, so it was told to go on \
               (push 1 of 1, 0 left)";
    let ended = workspace.run(&["run", "--task", "t.tsk", "Begin"]);
    assert_eq!(ended.code, 3, "it ends with the question whether to go on: {}", ended.err);
    assert!(ended.out.contains(&format!("pushed on: {why}")), "{}", ended.out);
    let listed = workspace.ok(&["dialogs", "--json"]);
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("JSON");
    let dialog = listed[0]["rootId"].as_str().expect("an id");
    for options in [&["show", dialog][..], &["show", dialog, "--markdown"]] {
        let shown = workspace.ok(options);
        assert!(shown.contains("pushed on by the runtime") && shown.contains(why), "{shown}");
    }
}

#[test]
fn a_whole_dialog_is_exported_in_each_form_and_never_over_another_file() {
    let workspace = Workspace::staffed();
    let markdown = workspace.ok(&["export", MAIN]);
    assert!(markdown.starts_with("# @lead"), "{markdown}");
    assert!(markdown.contains("## course 1") && markdown.contains("Ask dev"), "{markdown}");
    let html = workspace.ok(&["export", MAIN, "--format", "html"]);
    assert!(html.starts_with("<!doctype html>") && html.contains("<pre>Hello</pre>"), "{html}");
    let json = workspace.ok(&["export", MAIN, "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["agentId"], &json["courses"][0]["course"]), (&"lead".into(), &1.into()));
    let kinds: Vec<_> = json["courses"][0]["blocks"].as_array().into_iter().flatten().collect();
    assert_eq!((&kinds[0]["kind"], &kinds[0]["text"]), (&"you".into(), &"Hello".into()));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("dialog.md");
    let file = file.to_str().expect("a path");
    workspace.ok(&["export", MAIN, "-o", file]);
    assert_eq!(std::fs::read_to_string(file).expect("a file"), markdown);
    assert!(workspace.refused(1, &["export", MAIN, "-o", file]).contains("exists"));
}
