//! Commands of members, driven as a person would see them: reminders that follow processes, which
//! members have the tools, the effects of a stop and a restart. Commands are real, so time is too.

use dominds_tui::domain::dialogs::background::SHELL_OWNER;
use dominds_tui::domain::{AgentId, Layout, Reminder};
use dominds_tui::driver::Audience;
use dominds_tui::llm::{Message, Reply, Request, Sequence};
use dominds_tui::protocol::{Command, DriverEvent};
use dominds_tui::tools::{Environment, ProcessRegistry, ProcessScope, Shells};
use serde_json::json;

use super::{place, result_of};
use crate::common::wait::{in_time, until};
use crate::common::{Running, World};

/// A team in which `lead` is a shell specialist and `alice` is not, though both ask for everything.
fn world(models: Sequence) -> World {
    let world = World::new(models);
    let member = |id: &str, toolsets: &str| {
        format!("  {id}:\n    model: {id}\n    toolsets: [{toolsets}]\n    diligence-push-max: 0\n")
    };
    world.put(
        ".minds/team.yaml",
        &format!(
            "member_defaults:\n  provider: script\n  model: lead\ndefault_responder: lead\n\
             shell_specialists: [lead]\nmembers:\n{}{}{}",
            member("lead", "os"),
            member("alice", "os, ws_read"),
            member("bob", "'*'"),
        ),
    );
    world
}

fn shell(id: &str, command: &str, seconds: u32) -> Reply {
    let arguments = json!({"command": command, "timeoutSeconds": seconds});
    Reply::call(id, "shell_cmd", &arguments.to_string())
}

/// Waits until so many lines of a command are shown.
async fn printed(running: &mut Running, count: usize) {
    loop {
        let event = running.event().await;
        if matches!(event, DriverEvent::Printed { lines, .. } if lines.len() == count) {
            return;
        }
    }
}

/// The reminders about processes that `lead` has.
fn followed(world: &World) -> Vec<Reminder> {
    let (all, problems) =
        world.view().personal_reminders(&AgentId::new("lead")).expect("reminders");
    assert_eq!(problems, []);
    assert!(all.iter().all(|one| one.owner_name.as_deref() == Some(SHELL_OWNER)));
    all
}

fn pid(reminder: &Reminder) -> u64 {
    let meta = reminder.meta.as_ref().expect("facts");
    meta.get("pid").and_then(serde_json::Value::as_u64).expect("a pid")
}

/// Returns the notices about processes in a request.
fn process_notices(request: &Request) -> Vec<&str> {
    let texts = request.messages.iter().filter_map(|message| match message {
        Message::Environment(text) if text.contains("Background process") => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

#[tokio::test]
async fn c09_c10_a_slow_command_is_followed_by_a_reminder_until_it_is_stopped() {
    let models = Sequence::new()
        .reply("lead", shell("a", "echo begun; sleep 300", 1))
        .reply("lead", Reply::saying("It runs."));
    let world = world(models);
    let mut running = world.start().await;
    let dialog = running.talk("Serve").await;
    let [reminder] = followed(&world).try_into().expect("one reminder");
    assert_eq!((reminder.scope.as_str(), reminder.priority.as_str()), ("agent_shared", "medium"));
    let requests = world.models.requests();
    let [text] = process_notices(&requests[1])[..] else { panic!("{:?}", requests[1].messages) };
    assert!(text.contains("running") && text.contains("begun"), "{text}");
    let listed = running.seen.iter().rev().find_map(|event| match event {
        DriverEvent::Processes(all) => Some(all.clone()),
        _ => None,
    });
    assert_eq!(listed.expect("a list").iter().filter(|one| one.is_running()).count(), 1);

    world.models.push(
        "lead",
        Reply::call("b", "delete_reminder", &json!({"reminder_id": reminder.id}).to_string()),
    );
    world
        .models
        .push("lead", Reply::call("c", "stop_daemon", &json!({"pid": pid(&reminder)}).to_string()));
    world.models.push("lead", Reply::saying("It is over."));
    running.say(&dialog, "Stop it").await.expect("heard");
    running.quiet().await;
    let requests = world.models.requests();
    assert!(result_of(&requests[3], "b").is_some_and(|text| text.contains("stop_daemon")));
    assert!(result_of(&requests[4], "c").is_some_and(|text| text.contains("is stopped")));
    assert_eq!(process_notices(&requests[4]), Vec::<&str>::new());
    assert_eq!(followed(&world), []);
    assert_eq!(world.setup.shells.running(ProcessScope::All), [0_u32; 0]);
}

#[tokio::test]
async fn a_dialog_of_1_29_that_rests_is_woken_once_when_its_process_in_the_background_ends() {
    let models = Sequence::new()
        .reply("lead", shell("a", "until [ -e end ]; do sleep 0.05; done; echo last words", 1))
        .reply("lead", Reply::saying("It runs."))
        .reply("lead", Reply::saying("It is over."));
    let mut world = world(models);
    world.setup.layout = Some(Layout::V1_29);
    let mut running = world.start().await;
    let dialog = running.talk("Serve").await;
    assert_eq!((world.models.remaining(), world.state(&dialog)), (1, "idle_waiting_user"));
    world.put("end", "");
    while world.models.remaining() > 0 {
        running.event().await;
    }
    running.quiet().await;
    running.shut_down().await;
    let requests = world.models.requests();
    assert_eq!(requests.len(), 3, "once");
    let told = requests.iter().map(|one| format!("{:?}", one.messages).contains("has ended (pid "));
    assert_eq!(told.collect::<Vec<_>>(), [false, false, true]);
    assert_eq!(world.state(&dialog), "idle_waiting_user");
}

#[tokio::test]
async fn c10_a_reminder_is_written_again_only_when_something_has_changed() {
    let models = Sequence::new()
        .reply("lead", shell("a", "until [ -e end ]; do sleep 0.05; done; echo last words", 1))
        .reply("lead", Reply::saying("It runs."));
    let world = world(models);
    let mut running = world.start().await;
    let dialog = running.talk("Serve").await;
    let first = followed(&world);
    world.models.push("lead", Reply::saying("Still."));
    running.say(&dialog, "And now?").await.expect("heard");
    running.quiet().await;
    assert_eq!(followed(&world), first);
    world.put("end", "");
    let mut changes = world.setup.shells.changes();
    while !world.setup.shells.running(ProcessScope::All).is_empty() {
        in_time(changes.changed()).await.expect("shells");
    }
    world.models.push("lead", Reply::saying("It is over."));
    running.say(&dialog, "And now?").await.expect("heard");
    running.quiet().await;
    let [ended] = followed(&world).try_into().expect("kept after its end");
    assert!(ended.content.contains("exit code 0") && ended.content.contains("last words"));
    assert_eq!(
        (ended.id.as_str(), ended.created_at.as_str()),
        (first[0].id.as_str(), first[0].created_at.as_str())
    );
    let delete = json!({"reminder_id": ended.id}).to_string();
    world.models.push("lead", Reply::call("d", "delete_reminder", &delete));
    world.models.push("lead", Reply::saying("Forgotten."));
    running.say(&dialog, "Forget it").await.expect("heard");
    running.quiet().await;
    assert_eq!(followed(&world), []);
}

#[tokio::test(start_paused = true)]
async fn c11_only_shell_specialists_have_tools_of_a_shell_however_they_are_granted() {
    let models = Sequence::new();
    for member in ["lead", "alice", "bob"] {
        models.push(member, Reply::saying("Here."));
    }
    let world = world(models);
    let mut running = world.start().await;
    for (member, expected) in [("lead", true), ("alice", false), ("bob", false)] {
        let agent = AgentId::new(member);
        let create = |ticket| Command::Create {
            ticket,
            agent,
            taskdoc: "task.tsk".to_owned(),
            text: "Hello".to_owned(),
            priming: Vec::new(),
        };
        running.ask(create).await.expect("a dialog");
        running.quiet().await;
        let request = world.models.requests().pop().expect("a request");
        for tool in ["shell_cmd", "stop_daemon", "get_daemon_output"] {
            assert_eq!(
                request.tools.iter().any(|one| one.name == tool),
                expected,
                "{member} {tool}"
            );
        }
        let other = if member == "bob" { "readonly_shell" } else { "env_get" };
        assert!(request.tools.iter().any(|one| one.name == other), "{member}");
    }
    let problems = running.seen.iter().rev().find_map(|event| match event {
        DriverEvent::Problems(problems) => Some(problems.clone()),
        _ => None,
    });
    let ids: Vec<String> = problems.expect("problems").into_iter().map(|one| one.id).collect();
    assert!(ids.iter().any(|id| id == "team/shell-not-allowed/alice"), "{ids:?}");
}

#[tokio::test]
async fn a_stop_of_the_dialog_ends_a_command_that_is_waited_for() {
    let models = Sequence::new().reply("lead", shell("a", "echo $$ >pid; sleep 300", 200));
    let world = world(models);
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    let pid = || std::fs::read_to_string(world.path().join("pid"));
    until(|| pid().is_ok_and(|pid| pid.ends_with('\n'))).await;
    running.send(Command::Stop { dialog: dialog.clone() }).await;
    running.quiet().await;
    assert_eq!(world.state(&dialog), "stopped");
    in_time(world.setup.shells.settle()).await;
    let pid = pid().expect("a pid");
    let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z "), "{state}");
}

#[tokio::test]
async fn what_a_command_prints_is_seen_while_it_runs_and_is_its_result_if_a_person_stops_it() {
    let models = Sequence::new()
        .reply("lead", shell("a", "echo begun; echo wrong >&2; sleep 300", 200))
        .reply("lead", Reply::saying("I see."));
    let mut world = world(models);
    world.setup.audience = Audience::Follower;
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    printed(&mut running, 2).await;
    running.send(Command::Stop { dialog: dialog.clone() }).await;
    running.quiet().await;
    assert_eq!(world.state(&dialog), "stopped");
    running.ask(|ticket| Command::Continue { ticket, dialog }).await.expect("it goes on");
    running.quiet().await;
    let requests = world.models.requests();
    let result = result_of(&requests[1], "a").expect("a result");
    for text in ["Stopped by the human", "stdout:\nbegun\n", "stderr:\nwrong\n"] {
        assert!(result.contains(text), "{result}");
    }
}

#[tokio::test]
async fn a_command_that_prints_without_end_is_stopped_with_its_output() {
    let models = Sequence::new()
        .reply("lead", shell("a", "yes busy", 200))
        .reply("lead", Reply::saying("I see."));
    let mut world = world(models);
    world.setup.audience = Audience::Follower;
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    printed(&mut running, 5).await;
    running.send(Command::Stop { dialog: dialog.clone() }).await;
    running.quiet().await;
    running.ask(|ticket| Command::Continue { ticket, dialog }).await.expect("it goes on");
    running.quiet().await;
    let requests = world.models.requests();
    let result = result_of(&requests[1], "a").expect("a result");
    assert!(result.starts_with("Stopped by the human") && result.contains("\nbusy\n"), "{result}");
}

#[tokio::test]
#[cfg_attr(not(target_os = "linux"), ignore = "this system does not tell when a process started")]
async fn c19_after_a_restart_a_reminder_finds_its_process_again_or_says_that_it_is_lost() {
    let models = Sequence::new()
        .reply("lead", shell("a", "echo begun; sleep 300", 1))
        .reply("lead", Reply::saying("It runs."));
    let mut world = world(models);
    let folder = tempfile::tempdir().expect("a folder");
    let register = ProcessRegistry::new(Some(folder.path().to_owned()), world.path());
    let listed = || Shells::known_in(Environment::default(), register.clone());
    world.setup.shells = listed();
    let mut running = world.start().await;
    let dialog = running.talk("Serve").await;
    let [reminder] = followed(&world).try_into().expect("one reminder");
    running.shut_down().await;

    let before = std::mem::replace(&mut world.setup.shells, listed());
    world.setup.shells.find_again(world.path());
    let read = json!({"pid": pid(&reminder)}).to_string();
    world.models.push("lead", Reply::call("b", "get_daemon_output", &read));
    world.models.push("lead", Reply::saying("Still there."));
    let mut running = world.start().await;
    running.say(&dialog, "And now?").await.expect("heard");
    running.quiet().await;
    assert_eq!(followed(&world), std::slice::from_ref(&reminder));
    let last = world.models.requests().pop().expect("a request");
    assert!(result_of(&last, "b").is_some_and(|text| text.contains("begun")));
    running.shut_down().await;
    world.setup.shells.stop_all(ProcessScope::All).await;

    // A program that is started anew and finds neither the process nor its record.
    std::fs::remove_dir_all(world.path().join(".dialogs/.tui/processes")).expect("records");
    world.setup.shells = listed();
    world.models.push("lead", Reply::saying("Gone."));
    let mut running = world.start().await;
    running.say(&dialog, "And now?").await.expect("heard");
    running.quiet().await;
    let [last] = followed(&world).try_into().expect("one reminder");
    assert!(last.content.contains("lost"), "{}", last.content);
    let lines = crate::common::record_lines::record_lines(&world.view(), &dialog);
    assert!(place(&lines, "says: It runs.") < place(&lines, "says: Gone."));
    drop(before);
}
