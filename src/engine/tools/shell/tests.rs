//! The shell tools on real commands, as a member calls them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use serde_json::{Value, json};

use super::identity::Identity;
use super::launch::{Launch, PausedCommand, Waited};
use super::process_reminder::follow;
use super::record::ProcessRecord;
use super::{CallWatch, Environment, ProcessRegistry, Shells};
use crate::domain::dialogs::background::{BackgroundState, ProcessExit, SHELL_OWNER};
use crate::domain::dialogs::reminder::ReminderScope;
use crate::domain::safety::references::{VaultEntries, VaultEntry, VaultRights, VaultUse};
use crate::domain::teams::org::{MAIN, Org, OrgTeam};
use crate::domain::{AgentId, Lang, Reminder, Secrets, SharedSecrets, Stamp};
use crate::samples::org::team;
use crate::tools::MAX_RESULT_CHARS;
use crate::tools::outcome::{StateChange, ToolOutcome};
use crate::tools::test_support::TestBench;
use crate::tools::tool::ReminderView;

/// The reminder a call asks for.
fn followed(outcome: &ToolOutcome) -> Reminder {
    let [StateChange::Follow { id, content, owner, meta }] = outcome.changes.as_slice() else {
        panic!("{outcome:?}")
    };
    Reminder {
        owner_name: Some((*owner).to_owned()),
        meta: Some(meta.clone()),
        ..Reminder::new(id.clone(), content.clone(), Stamp::default())
    }
}

fn pid(reminder: &Reminder) -> u32 {
    let pid = reminder.meta.as_ref().and_then(|meta| meta.get("pid")?.as_u64());
    pid.and_then(|pid| u32::try_from(pid).ok()).unwrap()
}

/// The bench with this reminder in sight.
fn seeing(mut bench: TestBench, reminder: &Reminder) -> TestBench {
    bench.cx.reminders = Arc::from([ReminderView {
        id: reminder.id.clone(),
        content: reminder.content.clone(),
        scope: ReminderScope::AgentShared,
        owner: reminder.owner_name.clone(),
        meta: reminder.meta.clone(),
    }]);
    bench
}

fn renewed(bench: &TestBench, reminder: &Reminder) -> Option<Reminder> {
    let note = follow(
        &bench.cx.shells,
        reminder,
        &Arc::<Secrets>::default(),
        (Lang::En, &Stamp::default()),
    )?;
    Some(Reminder { content: note.content, meta: Some(note.meta), ..reminder.clone() })
}

/// The processes of a workspace, as each run of the program knows them.
fn listed(bench: &TestBench) -> Shells {
    let folder = bench.dir.path().join("state/processes");
    Shells::known_in(
        Environment::default(),
        ProcessRegistry::new(Some(folder), &bench.cx.workspace),
    )
}

/// A workspace whose processes are found again.
fn listing() -> TestBench {
    let mut bench = TestBench::new();
    bench.cx.shells = listed(&bench);
    bench
}

async fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    for _ in 0..1000 {
        if let Some(found) = look() {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it never came");
}

async fn background(bench: &TestBench, command: &str) -> Reminder {
    let args = json!({"command": command, "timeoutSeconds": 1});
    followed(&bench.call("shell_cmd", &args).await)
}

#[tokio::test]
async fn c09_a_quick_command_tells_its_exit_code_and_both_streams() {
    let bench = TestBench::new();
    for (command, ok, texts) in [
        ("echo out; echo err >&2", true, &["exit code 0", "stdout:\nout\n", "stderr:\nerr\n"][..]),
        ("exit 3", false, &["exit code 3", "stdout: empty", "stderr: empty"]),
        ("kill -9 $$", false, &["ended by signal 9"]),
        ("cat; echo end of input", true, &["stdout:\nend of input\n"]),
        ("printf '\\377x'", true, &["stdout:\n\u{fffd}x\n"]),
        ("basename \"$PWD\"", true, &["stdout:\nws\n"]),
        ("no-such-program", false, &["exit code 127"]),
        ("echo $0", true, &["sh"]),
    ] {
        let outcome = bench.call("shell_cmd", &json!({ "command": command })).await;
        assert_eq!(outcome.ok, ok, "{command}: {}", outcome.text);
        assert_eq!(outcome.changes, [], "{command}");
        for text in texts {
            assert!(outcome.text.contains(text), "{command}: {}", outcome.text);
        }
    }
    let left = fs::read_dir(bench.at(".dialogs/.tui/processes")).unwrap().count();
    assert_eq!((left, bench.cx.shells.list()), (0, Vec::new()));
}

#[tokio::test]
async fn c09_a_slow_command_goes_on_in_the_background_and_a_reminder_follows_it() {
    let bench = TestBench::new();
    let args = json!({"command": "echo begun; sleep 30", "timeoutSeconds": 1});
    let outcome = bench.call("shell_cmd", &args).await;
    assert!(outcome.ok, "{}", outcome.text);
    let reminder = followed(&outcome);
    let pid = pid(&reminder);
    assert!(outcome.text.contains(&format!("pid: {pid}")), "{}", outcome.text);
    assert!(outcome.text.contains("stdout:\nbegun\n"), "{}", outcome.text);
    assert_eq!(reminder.owner_name.as_deref(), Some(SHELL_OWNER));
    assert!(reminder.content.contains("begun") && reminder.content.contains("sleep 30"));
    let listed = bench.cx.shells.list();
    assert_eq!(
        listed.iter().map(|one| (one.pid, one.is_running())).collect::<Vec<_>>(),
        [(pid, true)]
    );
    assert!(bench.cx.shells.stop(pid, true).await);
    assert!(!Identity::of(pid).is_there());
}

#[tokio::test]
async fn c09_numbers_are_whole_and_zero_means_the_usual() {
    let bench = TestBench::new();
    for (args, text) in [
        (json!({"command": "echo a", "timeoutSeconds": -1}), "`timeoutSeconds`"),
        (json!({"command": "echo a", "timeoutSeconds": 1.5}), "`timeoutSeconds`"),
        (json!({"command": "echo a", "scrollbackLines": -1}), "`scrollbackLines`"),
        (json!({"command": " "}), "`command` is blank"),
        (json!({"command": "a\0b"}), "NUL"),
        (json!({"command": "echo a", "timeoutSeconds": 0, "scrollbackLines": 0}), "exit code 0"),
        (
            json!({"command": "seq 9", "scrollbackLines": 5}),
            "stdout:\n1\n[8 of 18 bytes cut here; 9 lines in all]\n6\n7\n8\n9\n",
        ),
        (json!({"command": "echo $0", "shell": "sh"}), "stdout:\nsh\n"),
    ] {
        let outcome = bench.call("shell_cmd", &args).await;
        assert!(outcome.text.contains(text), "{args}: {}", outcome.text);
    }
}

#[tokio::test]
async fn c10_a_reminder_stays_after_the_end_and_changes_only_with_what_it_tells() {
    let bench = TestBench::new();
    let go = bench.at("go");
    let command = "until [ -e go ]; do sleep 0.02; done; echo more; until [ -e end ]; do sleep 0.02; done; exit 4";
    let reminder = background(&bench, command).await;
    assert_eq!(renewed(&bench, &reminder), None);
    assert!(reminder.meta.as_ref().unwrap().pointer("/delete/altInstruction").is_some());
    fs::write(&go, "").unwrap();
    let more = until(|| renewed(&bench, &reminder)).await;
    assert!(more.content.contains("end of stdout:\nmore\n"), "{}", more.content);
    assert_eq!(renewed(&bench, &more), None);
    fs::write(bench.at("end"), "").unwrap();
    let ended = until(|| renewed(&bench, &more)).await;
    assert!(ended.content.contains("exit code 4") && ended.content.contains("more"));
    assert_eq!(renewed(&bench, &ended), None);
    let meta = ended.meta.unwrap();
    assert_eq!((meta.get("completed"), meta.get("delete")), (Some(&json!(true)), None));
}

#[tokio::test]
async fn c10_a_live_reminder_is_not_deleted_and_says_what_to_do_instead() {
    let bench = TestBench::new();
    let reminder = background(&bench, "sleep 30").await;
    let id = json!({"reminder_id": reminder.id});
    let bench = seeing(bench, &reminder);
    let refused = bench.call("delete_reminder", &id).await;
    assert!(!refused.ok && refused.text.contains("stop_daemon"), "{}", refused.text);
    let args = json!({"pid": pid(&reminder)});
    let stopped = bench.call("stop_daemon", &args).await;
    assert!(stopped.ok, "{}", stopped.text);
    assert_eq!(stopped.changes, [StateChange::DeleteReminder { id: reminder.id }]);
    assert!(!bench.call("stop_daemon", &args).await.ok, "it is forgotten");
}

#[tokio::test]
async fn c10_the_wanted_streams_are_shown_and_what_scrolled_out_is_counted() {
    let bench = TestBench::new();
    let command = "seq 20; echo bad >&2; sleep 30";
    let args = json!({"command": command, "timeoutSeconds": 1, "scrollbackLines": 3});
    let pid = pid(&followed(&bench.call("shell_cmd", &args).await));
    let out = "stdout:\n[17 earlier lines are not shown]\n18\n19\n20\n";
    let err = "stderr:\nbad\n";
    for (args, shown, hidden) in [
        (json!({ "pid": pid }), vec!["running", out, err], vec![]),
        (json!({"pid": pid, "stderr": false}), vec![out], vec!["stderr"]),
        (json!({"pid": pid, "stdout": false}), vec![err], vec!["stdout"]),
        (json!({"pid": pid, "stdout": false, "stderr": false}), vec!["both false"], vec![]),
        (json!({"pid": 1}), vec!["has pid 1", &pid.to_string()], vec![]),
    ] {
        let output = bench.call("get_daemon_output", &args).await.text;
        assert!(shown.iter().all(|text| output.contains(text)), "{args}: {output}");
        assert!(!hidden.iter().any(|text| output.contains(text)), "{args}: {output}");
    }
    assert!(bench.cx.shells.stop(pid, true).await);
}

#[tokio::test]
async fn c10_everything_a_process_started_is_stopped_with_it() {
    let bench = TestBench::new();
    let command =
        "trap '' TERM; (trap '' TERM; sleep 30 & echo $! >grandchild; wait) & wait; sleep 30";
    let reminder = background(&bench, command).await;
    let grandchild = until(|| fs::read_to_string(bench.at("grandchild")).ok()?.trim().parse().ok());
    let grandchild = Identity::of(grandchild.await);
    assert!(grandchild.is_there());
    assert!(bench.call("stop_daemon", &json!({"pid": pid(&reminder)})).await.ok);
    assert!(!grandchild.is_there());
}

#[tokio::test]
async fn a_command_is_asked_to_end_once() {
    let bench = TestBench::new();
    let command = "trap 'echo asked >>asked' TERM; echo ready; while :; do sleep 0.05; done";
    let reminder = background(&bench, command).await;
    assert!(bench.cx.shells.stop(pid(&reminder), true).await);
    assert_eq!(bench.text("asked"), "asked\n");
}

#[tokio::test]
async fn what_a_command_leaves_at_work_is_in_the_background_too() {
    let bench = TestBench::new();
    let command = "sleep 30 >/dev/null 2>&1 & echo started";
    let outcome = bench.call("shell_cmd", &json!({ "command": command })).await;
    assert!(outcome.text.contains("exit code 0") && outcome.text.contains("still at work"));
    let pid = pid(&followed(&outcome));
    assert_eq!(bench.cx.shells.running(super::ProcessScope::Ours), [pid]);
    assert!(bench.call("stop_daemon", &json!({ "pid": pid })).await.ok);
    let leader = Identity { pid, started_ticks: 1, boot: String::new() };
    assert_eq!(super::identity::members(&leader), [0_u32; 0]);
}

#[tokio::test]
async fn a_command_that_cannot_be_kept_in_the_background_is_ended() {
    let bench = TestBench::new();
    let noted = "until ls .dialogs/.tui/processes/*/process.json; do sleep 0.02; done 2>/dev/null";
    let command = format!("echo $$ >pid; {noted} >noted; rm -r .dialogs; echo begun; sleep 30");
    let outcome = bench.call("shell_cmd", &json!({"command": command, "timeoutSeconds": 2})).await;
    assert!(!outcome.ok && outcome.changes.is_empty(), "{}", outcome.text);
    for text in ["It was ended", ".dialogs/.tui/processes", "stdout:\nbegun\n"] {
        assert!(outcome.text.contains(text), "{}", outcome.text);
    }
    let pid = bench.text("pid").trim().parse().unwrap();
    assert!(!Identity::of(pid).is_there());
    assert_eq!(bench.cx.shells.list(), Vec::new());
}

#[tokio::test]
async fn a_command_that_is_given_up_is_ended_with_everything_it_started() {
    let bench = TestBench::new();
    let args = json!({"command": "sleep 30 & echo $! >child; wait", "timeoutSeconds": 60});
    let child = {
        let call = bench.call("shell_cmd", &args);
        let child = until(|| fs::read_to_string(bench.at("child")).ok()?.trim().parse().ok());
        tokio::select! {
            outcome = call => panic!("{}", outcome.text),
            child = child => Identity::of(child),
        }
    };
    bench.cx.shells.settle().await;
    assert!(!child.is_there());
    assert_eq!(fs::read_dir(bench.at(".dialogs/.tui/processes")).unwrap().count(), 0);
}

#[tokio::test]
async fn a_command_that_prints_nothing_is_seen_to_run_and_its_call_answers_a_stop_at_once() {
    let bench = TestBench::new();
    let mut lines = bench.cx.watch.lines();
    let args = json!({"command": "sleep 300", "timeoutSeconds": 200});
    let mut call = pin!(bench.call("shell_cmd", &args));
    tokio::select! {
        outcome = &mut call => panic!("{outcome:?}"),
        printed = lines.printed() => assert!(printed.is_empty(), "{printed:?}"),
    }
    bench.cx.watch.stop();
    let outcome = call.now_or_never().expect("an answer");
    assert!(!outcome.ok && outcome.text.starts_with("Stopped by the human"), "{}", outcome.text);
    assert!(outcome.text.ends_with("stdout: empty\nstderr: empty"), "{}", outcome.text);
    bench.cx.shells.settle().await;
}

#[tokio::test]
async fn c13_long_output_keeps_its_beginning_and_its_end_and_says_what_was_cut() {
    let bench = TestBench::new();
    for (command, marks) in [
        (
            "seq 100000",
            ["stdout:\n1\n2\n", "588895 bytes cut here", "100000 lines in all", "\n100000\n"],
        ),
        (
            "head -c 300000 /dev/zero | tr '\\0' x; echo; seq 3 >&2",
            ["stdout:\nxxx", "cut here", "1 line in all", "stderr:\n1\n2\n3\n"],
        ),
    ] {
        let text = bench.call("shell_cmd", &json!({ "command": command })).await.text;
        assert!(text.chars().count() <= MAX_RESULT_CHARS, "{command}");
        for mark in marks {
            assert!(
                text.contains(mark),
                "{command}: no {mark:?} in {} … {}",
                &text[..300],
                &text[text.len() - 300..]
            );
        }
    }
}

#[tokio::test]
async fn c19_a_command_begins_only_after_it_was_noted() {
    let bench = TestBench::new();
    let launch = Launch {
        program: "/bin/sh",
        arguments: &["-c", "echo x >begun"],
        folder: &bench.cx.workspace,
        environment: &BTreeMap::new(),
        command_sandbox: None,
    };
    let limit = Duration::from_mins(1);
    // As a kill of this program does to the pipe.
    let PausedCommand { mut working, word } = launch.hold(bench.cx.shells.enders()).await.unwrap();
    drop(word);
    let watch = CallWatch::default();
    let Waited::Over(Ok(ended)) = working.finish(limit, &watch).await else { panic!("not over") };
    assert_ne!(ended, ProcessExit::Code(0));
    assert!(!bench.at("begun").exists());

    let held = launch.hold(bench.cx.shells.enders()).await.unwrap();
    let pid = held.identity().pid;
    let mut working = held.begin().await.unwrap();
    assert_eq!(working.identity.pid, pid, "the command takes the place of what waited");
    let ended = working.finish(limit, &watch).await;
    assert!(matches!(ended, Waited::Over(Ok(ProcessExit::Code(0)))), "{ended:?}");
    assert!(bench.at("begun").exists());
}

#[tokio::test]
async fn c19_a_process_is_found_again_by_another_run_of_the_program() {
    let bench = listing();
    let reminder = background(&bench, "echo begun; sleep 30").await;
    let pid = pid(&reminder);
    if Identity::of(pid).started_ticks == 0 {
        crate::skip::skip("this system does not tell when a process started");
        return;
    }
    let mut later = TestBench::new().of(bench.cx.clone());
    later.cx.shells = listed(&bench);
    later.cx.shells.find_again(&later.cx.workspace);
    assert_eq!(renewed(&later, &reminder), None, "nothing has changed");
    assert_eq!(later.cx.shells.running(super::ProcessScope::Ours), [0_u32; 0]);
    let output = later.call("get_daemon_output", &json!({ "pid": pid })).await.text;
    assert!(output.contains("stdout:\nbegun\n"), "{output}");
    let stopped = seeing(later, &reminder).call("stop_daemon", &json!({ "pid": pid })).await;
    assert!(stopped.ok, "{}", stopped.text);
    assert!(!Identity::of(pid).is_there());
}

#[tokio::test]
async fn c19_a_process_that_ended_meanwhile_is_reported_as_lost() {
    let bench = listing();
    let reminder = background(&bench, "sleep 30").await;
    let meta = reminder.meta.clone().unwrap();
    let other_start = meta.get("startedTicks").and_then(Value::as_u64).unwrap() + 1;
    for (what, changes) in [
        ("another process has its number", json!({ "startedTicks": other_start })),
        ("the machine was started anew", json!({"boot": "before"})),
        ("it is gone", json!({"pid": 4_000_000})),
    ] {
        let mut meta = meta.clone();
        meta.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        let reminder = Reminder { meta: Some(meta), ..reminder.clone() };
        let later = TestBench::new().of(bench.cx.clone());
        let after = follow(
            &listed(&bench),
            &reminder,
            &Arc::<Secrets>::default(),
            (Lang::En, &Stamp::default()),
        )
        .unwrap();
        assert!(after.content.contains("lost"), "{what}: {}", after.content);
        assert_eq!(after.meta.get("delete"), None, "{what}");
        drop(later);
    }
    assert!(bench.cx.shells.stop(pid(&reminder), true).await);
    let ended = bench.cx.shells.list();
    assert_eq!(ended[0].state, BackgroundState::Ended(ProcessExit::Signal(15)));
}

#[tokio::test]
async fn c19_without_its_record_a_process_is_found_by_its_reminder() {
    let bench = listing();
    let reminder = background(&bench, "sleep 30").await;
    let shells = listed(&bench);
    drop(follow(&shells, &reminder, &Arc::<Secrets>::default(), (Lang::En, &Stamp::default())));
    assert_eq!(shells.running(super::ProcessScope::All), [pid(&reminder)]);
    assert!(shells.stop(pid(&reminder), true).await);
    assert!(!Identity::of(pid(&reminder)).is_there());
    assert!(
        !Path::new("process.json").exists(),
        "its end is noted where its record was, or nowhere"
    );
}

#[tokio::test]
async fn what_a_workspace_says_of_a_process_that_is_not_ours_ends_nothing() {
    let bench = listing();
    let mut stranger =
        std::process::Command::new("sleep").arg("60").process_group(0).spawn().unwrap();
    let record = ProcessRecord {
        identity: Identity::of(stranger.id()),
        agent: "lead".into(),
        command: "serve".to_owned(),
        shell: "sh".to_owned(),
        started_at: Stamp::default(),
        exit: None,
        scrollback: 5,
    };
    super::record::begin(&bench.cx.workspace, &record).unwrap();
    let shells = &bench.cx.shells;
    shells.find_again(&bench.cx.workspace);
    let seen = shells.recall(&record);
    assert_eq!(seen.state, BackgroundState::Lost);
    assert_eq!(shells.running(super::ProcessScope::All), [0_u32; 0]);
    shells.stop(stranger.id(), true).await;
    shells.stop(stranger.id(), false).await;
    bench.call("stop_daemon", &json!({ "pid": stranger.id() })).await;
    shells.stop_all(super::ProcessScope::All).await;
    assert_eq!(stranger.try_wait().unwrap(), None, "it is at work");
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

#[tokio::test]
async fn an_entry_goes_with_its_process() {
    let bench = listing();
    let entries = || fs::read_dir(bench.dir.path().join("state/processes")).unwrap().count();
    assert!(bench.call("shell_cmd", &json!({"command": "true"})).await.ok);
    assert_eq!(entries(), 0);
    let reminder = background(&bench, "sleep 30").await;
    assert_eq!(entries(), 1);
    assert!(bench.cx.shells.stop(pid(&reminder), true).await);
    assert_eq!(entries(), 0);
}

#[tokio::test]
async fn variables_are_for_the_commands_of_this_run() {
    let bench = TestBench::new();
    let show = json!({"command": "echo [$UX_COLOUR] [$MCP_TOKEN]"});
    for (name, args, text) in [
        ("env_get", json!({"key": "UX_COLOUR"}), "(unset)"),
        ("env_set", json!({"key": "UX_COLOUR", "value": "red"}), "UX_COLOUR is set"),
        ("env_set", json!({"key": "MCP_TOKEN", "value": "hush"}), "MCP_TOKEN is set"),
        ("env_get", json!({"key": "UX_COLOUR"}), "red"),
        ("env_get", json!({"key": "MCP_TOKEN"}), "(redacted, 4 characters"),
        ("env_get", json!({"key": "MCP_TOKEN", "reveal": true}), "hush"),
        ("shell_cmd", show.clone(), "[red] [hush]"),
        ("env_unset", json!({"key": "UX_COLOUR"}), "not set"),
        ("shell_cmd", show, "[] [hush]"),
        ("env_get", json!({"key": "PATH"}), "`PATH` is not for members"),
        ("env_set", json!({"key": "LD_PRELOAD", "value": "x"}), "not for members"),
    ] {
        let outcome = bench.call(name, &args).await;
        assert!(outcome.text.contains(text), "{name} {args}: {}", outcome.text);
    }
}

#[tokio::test]
async fn a_variable_that_holds_a_key_is_neither_shown_nor_set_nor_passed_on() {
    let mut bench = TestBench::new();
    bench.cx.shells = Shells::new(Environment::of([("MCP_TOKEN".into(), "hush".into())]));
    bench.cx.keys = Arc::new(Secrets::new(["MCP_TOKEN".to_owned()], []));
    for (name, args, ok, text) in [
        ("env_get", json!({"key": "MCP_TOKEN", "reveal": true}), true, "never shown"),
        ("env_set", json!({"key": "MCP_TOKEN", "value": "mine"}), false, "not set"),
        ("shell_cmd", json!({"command": "echo [$MCP_TOKEN]"}), true, "[]"),
    ] {
        let outcome = bench.call(name, &args).await;
        assert_eq!(outcome.ok, ok, "{name}: {}", outcome.text);
        assert!(outcome.text.contains(text), "{name}: {}", outcome.text);
    }
}

#[tokio::test]
async fn s15_5_commands_of_a_team_get_its_secrets_as_variables_and_show_none() {
    let entry = |uses: &[VaultUse]| VaultEntry {
        value: "ghp-canary-0123456789".to_owned(),
        rights: VaultRights { uses: uses.to_vec(), ..VaultRights::default() },
        version: 1,
    };
    let entries = [("TOKEN", entry(&[VaultUse::Shell])), ("WEB", entry(&[VaultUse::Web]))];
    let entries: VaultEntries =
        entries.into_iter().map(|(key, one)| (key.to_owned(), one)).collect();
    let secrets = SharedSecrets::default();
    secrets.set_entries([("qa".to_owned(), entries)].into());
    let pairs = [("TOKEN", "TOKEN"), ("WEB", "WEB"), ("PATH", "TOKEN"), ("NONE", "NOPE")];
    let shell_secrets = pairs.map(|(name, key)| (name.to_owned(), key.to_owned())).to_vec();
    let qa = OrgTeam { shell_secrets, ..team("qa", MAIN, &["qa"]) };
    let known = ["lead", "qa"].map(AgentId::new);
    let (org, _) = Org::new(team(MAIN, "", &["lead"]), vec![qa], &known, true);
    let mut bench = TestBench::new();
    bench.cx.teams.org = Arc::new(org);
    for (caller, command, expected) in [
        ("qa", "test ${#TOKEN} -eq 21 && echo whole", "whole"),
        ("qa", "echo [$TOKEN]", "[[redacted]]"),
        ("qa", "printf %s \"$TOKEN\" | base64", "[redacted]"),
        ("qa", "printf %s \"$TOKEN\" | od -An -tx1 | tr -d ' \\n'", "[redacted]"),
        ("qa", "for c in $(echo $TOKEN | fold -w 1); do printf %s $c; done", "[redacted]"),
        ("qa", "echo [$WEB$NONE]", "[]"),
        ("qa", "echo $PATH", "/bin"),
        ("lead", "echo [$TOKEN]", "[]"),
    ] {
        bench.cx.caller = AgentId::new(caller);
        bench.cx.keys = secrets.seen_by(caller);
        let outcome = bench.call("shell_cmd", &json!({ "command": command })).await;
        assert!(outcome.text.contains(expected), "{command}: {}", outcome.text);
        assert!(!outcome.text.contains("canary"), "{command}: {}", outcome.text);
    }
    bench.cx.caller = AgentId::new("qa");
    bench.cx.keys = secrets.seen_by("qa");
    let command = "curl -H ${vault:TOKEN} x";
    let refused = bench.call("shell_cmd", &json!({ "command": command })).await;
    let expected =
        "use the variable $TOKEN; it is set if the team's file names it under vault.shell";
    assert_eq!((refused.ok, refused.text.as_str()), (false, expected));
}
