//! Only what a person agreed to of a server runs: real servers in whole dialogs, with recorded consent.
//! Without `python3` they are skipped.

use std::path::Path;
use std::sync::Arc;

use dominds_tui::consent::Trust;
use dominds_tui::domain::{DialogId, Unagreed};
use dominds_tui::llm::{Reply, Sequence};
use serde_json::json;

use super::mcp::{SERVER, offered, python, world_by};
use super::result_of;
use crate::common::{Running, World};

/// The recorded consent of a workspace, beside it.
fn consent(world: &World, state: &Path) -> Trust {
    Trust::in_folder(Some(state.to_owned()), world.path())
}

fn agree_to_all(trust: &Trust) {
    let digests: Vec<String> =
        trust.waiting().into_iter().map(|waiting| waiting.entry.digest).collect();
    trust.agree(&digests).expect("recorded");
}

fn tools(waiting: &[Unagreed]) -> Vec<String> {
    let names = waiting.iter().map(|one| format!("{} {}", one.entry.kind.name(), one.entry.name));
    names.filter(|name| name.starts_with("tool")).collect()
}

fn entry(names: &str) -> String {
    format!("servers: {{ s: {{ command: python3, args: ['{SERVER}', {names}] }} }}\n")
}

/// A world with a server that a person agreed to.
fn agreed(models: Sequence, state: &Path, names: &str) -> World {
    let world = world_by(models, &entry(names), |workspace| {
        let trust = Trust::in_folder(Some(state.to_owned()), workspace);
        Arc::new(trust)
    });
    agree_to_all(&consent(&world, state));
    world
}

async fn go_on(running: &mut Running, dialog: &DialogId) {
    running.say(dialog, "Go on").await.expect("heard");
    running.quiet().await;
}

const NONE: [&str; 0] = [];

#[tokio::test]
async fn a_tool_that_changes_or_is_new_waits_alone_and_comes_back_without_a_restart() {
    if !python() {
        return;
    }
    let state = tempfile::tempdir().expect("a folder");
    let changed = json!({"count": {"description": "Sends everything away."}}).to_string();
    let models = Sequence::new()
        .reply("lead", Reply::call("a", "relist", &changed))
        .reply("lead", Reply::saying("Well."))
        // The model was offered the tool before.
        .reply("lead", Reply::call("b", "count", "{}").and_call("c", "echo", "{}"))
        .reply("lead", Reply::saying("Well."))
        .reply("lead", Reply::call("d", "count", "{}"))
        .reply("lead", Reply::call("e", "grow", "{}"))
        .reply("lead", Reply::saying("Well."))
        .reply("lead", Reply::call("f", "grown", "{}"))
        .reply("lead", Reply::saying("Well."));
    let world = agreed(models, state.path(), "relist, echo, count, grow");
    let trust = consent(&world, state.path());
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    assert_eq!(offered(&world.models.requests()[0]), ["relist", "echo", "count", "grow"]);
    let listed = || !trust.waiting().is_empty();
    crate::common::wait::until(listed).await;
    go_on(&mut running, &dialog).await;
    let seen = world.models.requests();
    assert_eq!(offered(&seen[2]), ["relist", "echo", "grow"], "the others go on");
    let refused = result_of(&seen[3], "b").expect("a result");
    assert!(refused.contains("was not run") && refused.contains("agree"), "{refused}");
    assert_eq!(result_of(&seen[3], "c"), Some("{}"));
    let waiting = trust.waiting();
    assert_eq!(tools(&waiting), ["tool s/count"]);
    assert!(waiting[0].entry.act.contains("Sends everything away."), "{}", waiting[0].entry.act);
    assert!(waiting[0].before.as_deref().is_some_and(|text| text.contains("Does count.")));

    agree_to_all(&trust);
    go_on(&mut running, &dialog).await;
    let seen = world.models.requests();
    assert_eq!(offered(&seen[4]), ["relist", "echo", "count", "grow"]);
    assert!(result_of(&seen[5], "d").is_some_and(|text| text.starts_with("call")));
    crate::common::wait::until(listed).await;
    go_on(&mut running, &dialog).await;
    let seen = world.models.requests();
    assert_eq!(offered(&seen[7]), ["relist", "echo", "count", "grow"], "a new one waits");
    assert!(result_of(&seen[8], "f").is_some_and(|text| text.contains("was not run")));
    assert_eq!(tools(&trust.waiting()), ["tool s/grown"]);
    running.shut_down().await;
}

#[tokio::test]
async fn an_instance_that_lists_other_tools_than_were_agreed_to_runs_none_of_those() {
    if !python() {
        return;
    }
    let state = tempfile::tempdir().expect("a folder");
    // Written without consent: the next session of the server sees it.
    let changed = json!({"count": {"inputSchema": {"type": "object", "title": "new"}}});
    let models = Sequence::new()
        .reply("lead", Reply::call("a", "count", "{}"))
        .reply("lead", Reply::saying("Well."))
        .reply(
            "lead",
            Reply::call("b", "count", "{}").and_call("c", "mcp_release", r#"{"serverId":"s"}"#),
        )
        .reply("lead", Reply::call("d", "count", "{}").and_call("e", "echo", "{}"))
        .reply("lead", Reply::call("f", "count", "{}"))
        .reply("lead", Reply::saying("Well."));
    let world = agreed(models, state.path(), "count, echo");
    let trust = consent(&world, state.path());
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    world.put("tools.json", &changed.to_string());
    go_on(&mut running, &dialog).await;
    let seen = world.models.requests();
    assert!(result_of(&seen[3], "b").is_some_and(|text| text.starts_with("call 2")));
    let refused = result_of(&seen[4], "d").expect("a result");
    assert!(refused.contains("was not run"), "{refused}");
    assert_eq!(result_of(&seen[4], "e"), Some("{}"), "what is as it was goes on");
    assert_eq!(offered(&seen[4]), ["echo"]);
    assert!(result_of(&seen[5], "f").is_some_and(|text| text.contains("was not run")));
    assert_eq!(tools(&trust.waiting()), ["tool s/count"]);
    running.shut_down().await;
}

#[tokio::test]
async fn an_edited_entry_waits_and_its_first_list_after_that_is_agreed_to_with_it() {
    if !python() {
        return;
    }
    let state = tempfile::tempdir().expect("a folder");
    let mut models = Sequence::new();
    for _ in 0..3 {
        models = models.reply("lead", Reply::saying("Well."));
    }
    let world = agreed(models, state.path(), "count");
    let trust = consent(&world, state.path());
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    world.put(".minds/mcp.yaml", &entry("count, echo"));
    go_on(&mut running, &dialog).await;
    assert_eq!(tools(&trust.waiting()), NONE);
    assert_eq!(trust.waiting().len(), 1, "the entry itself");
    agree_to_all(&trust);
    go_on(&mut running, &dialog).await;
    let seen = world.models.requests();
    let offered: Vec<Vec<&str>> = seen.iter().map(offered).collect();
    assert_eq!(offered, [&["count"][..], &["count"], &["count", "echo"]]);
    assert_eq!(tools(&trust.waiting()), NONE);
    running.shut_down().await;
}

#[tokio::test]
async fn a_process_that_detached_from_its_server_ends_with_it() {
    if !python() {
        return;
    }
    let models = Sequence::new()
        .reply("lead", Reply::call("a", "detach", "{}"))
        .reply("lead", Reply::call("b", "mcp_release", r#"{"serverId":"s"}"#))
        .reply("lead", Reply::call("c", "detach", "{}"))
        .reply("lead", Reply::saying("Done."));
    let world = super::mcp::world_with(models, &entry("detach"));
    let mut running = world.start().await;
    running.talk("Go").await;
    let seen = world.models.requests();
    let process =
        |request: usize, call| result_of(&seen[request], call).expect("a process").to_owned();
    let (released, held) = (process(1, "a"), process(3, "c"));
    crate::common::wait::until(|| !super::mcp::lives(&released)).await;
    assert!(super::mcp::lives(&held));
    running.shut_down().await;
    crate::common::wait::until(|| !super::mcp::lives(&held)).await;
}
