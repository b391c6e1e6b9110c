//! Servers of the Model Context Protocol in whole dialogs: a real process, written for these tests, in
//! real time. Without `python3` they are skipped.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use dominds_tui::app;
use dominds_tui::domain::safety::references::{VaultEntries, VaultEntry, VaultRights, VaultUse};
use dominds_tui::domain::safety::server_tools::ToolFacts;
use dominds_tui::domain::text::Localized;
use dominds_tui::domain::{DialogId, Lang, Problem, SharedSecrets, TeamName};
use dominds_tui::driver::ToolSources;
use dominds_tui::llm::{Clients, Message, Reply, Request, Sequence};
use dominds_tui::mcp::{Permission, Servers, Setup};
use dominds_tui::minds::mcp_config::Transport;
use dominds_tui::protocol::{Command, DriverEvent};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::tellasks::once;
use super::{made, result_of};
use crate::common::skip::has;
use crate::common::wait::{in_time, until};
use crate::common::{Running, World};

pub const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/interop/mcp_server.py");

/// Agrees to all but a server called `strange`.
#[derive(Debug)]
struct Agreed;

impl Permission for Agreed {
    fn may(&self, server: &str, _transport: &Transport) -> bool {
        server != "strange"
    }

    fn held_tools(
        &self,
        _server: &str,
        _transport: &Transport,
        _listed: &[ToolFacts],
    ) -> Result<BTreeSet<String>, Localized> {
        Ok(BTreeSet::new())
    }
}

pub fn python() -> bool {
    has("python3")
}

/// Returns one variable that a server may get and one that no configuration names; the rest is unchanged.
fn environment(name: &str) -> Option<String> {
    match name {
        "MCP_TOKEN" => Some("token-canary".to_owned()),
        "OPENAI_API_KEY" => Some("sk-canary".to_owned()),
        "PATH" | "HOME" => dominds_tui::platform::env::variable(name),
        _ => None,
    }
}

/// A workspace whose members have all tools, with these servers: name, further keys, tools.
fn world(models: Sequence, servers: &[(&str, &str, &str)]) -> World {
    world_with(models, &entries(servers))
}

/// A workspace whose members have all tools, with this `mcp.yaml`.
pub fn world_with(models: Sequence, file: &str) -> World {
    world_by(models, file, |_| Arc::new(Agreed))
}

/// Makes a world with another consent.
pub fn world_by(
    models: Sequence,
    file: &str,
    permission: impl Fn(&Path) -> Arc<dyn Permission>,
) -> World {
    let mut world = World::new(models);
    let team = std::fs::read_to_string(world.path().join(".minds/team.yaml")).expect("a team");
    world.put(".minds/team.yaml", &team.replace("[ws_mod]", "['*']"));
    world.put(".minds/mcp.yaml", file);
    let permission = permission(world.path());
    world.setup.sources = sources_by(world.path(), permission, world.setup.vault.clone());
    world
}

fn sources(workspace: &Path) -> ToolSources {
    sources_by(workspace, Arc::new(Agreed), SharedSecrets::default())
}

fn sources_by(
    workspace: &Path,
    permission: Arc<dyn Permission>,
    vault: SharedSecrets,
) -> ToolSources {
    let taken = app::registry(Arc::default()).names().into_iter().map(str::to_owned).collect();
    let servers = Servers::new(Setup {
        workspace: Arc::from(workspace),
        program: Arc::from(Path::new(env!("CARGO_BIN_EXE_dominds-tui"))),
        lang: Lang::En,
        env: &environment,
        clients: Clients::default(),
        vault,
        permission,
        taken,
        sandbox: None,
    });
    ToolSources::new(vec![Arc::new(servers)])
}

fn declare(world: &World, servers: &[(&str, &str, &str)]) {
    world.put(".minds/mcp.yaml", &entries(servers));
}

fn entries(servers: &[(&str, &str, &str)]) -> String {
    let entry = |(name, keys, tools): &(&str, &str, &str)| {
        format!("  {name}: {{ command: python3, args: ['{SERVER}', {tools}], {keys} }}\n")
    };
    let entries: String = servers.iter().map(entry).collect();
    format!("version: 1\nservers:\n{entries}")
}

/// The tools of servers a model was offered.
pub fn offered(request: &Request) -> Vec<&str> {
    let own = app::registry(Arc::default());
    let own = own.names();
    let special = |name: &str| name.starts_with("reply") || name.starts_with("tellask");
    let names = request.tools.iter().map(|tool| tool.name.as_str());
    let foreign = names.filter(|name| {
        !own.contains(name) && !special(name) && !["askHuman", "freshBootsReasoning"].contains(name)
    });
    foreign.filter(|name| !name.starts_with("mcp_")).collect()
}

fn journal(world: &World) -> Vec<String> {
    let text = std::fs::read_to_string(world.path().join("journal")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Processes that were started as servers and still live.
fn alive(world: &World) -> Vec<String> {
    let started = journal(world)
        .into_iter()
        .filter_map(|line| line.strip_prefix("starts ").map(str::to_owned));
    started.filter(|process| lives(process)).collect()
}

pub fn lives(process: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    !state.is_empty() && !state.contains(") Z")
}

/// The problems of servers as last reported.
pub fn problems(running: &Running) -> Vec<Problem> {
    let problems = running.seen.iter().rev().find_map(|event| match event {
        DriverEvent::Problems(problems) => Some(problems.clone()),
        _ => None,
    });
    problems.unwrap_or_default().into_iter().filter(|p| p.id.starts_with("mcp/")).collect()
}

fn ids(problems: &[Problem]) -> Vec<&str> {
    problems.iter().map(|problem| problem.id.as_str()).collect()
}

/// Reminders on disk that say a server is held.
fn leases(world: &World, dialog: &DialogId) -> usize {
    let reminders = world.dialog(dialog).reminders;
    reminders.iter().filter(|one| one.owner_name.as_deref() == Some("mcpLease")).count()
}

fn reminder(request: &Request) -> Option<&str> {
    let texts = request.messages.iter().filter_map(|message| match message {
        Message::Environment(text) => Some(text.as_str()),
        _ => None,
    });
    texts.into_iter().find(|text| text.contains("mcp_release"))
}

async fn go_on(running: &mut Running, dialog: &DialogId, words: &str) {
    running.say(dialog, words).await.expect("heard");
    running.quiet().await;
}

#[tokio::test]
async fn k10_what_a_server_answers_reaches_the_model_whatever_it_is() {
    if !python() {
        return;
    }
    let round = Reply::call("a", "echo", r#"{"n":null,"deep":{"x":[1]}}"#)
        .and_call("b", "fail", "{}")
        .and_call("c", "image", "{}")
        .and_call("d", "environ", "{}")
        .and_call("e", "echo", "[1]");
    let models = Sequence::new().reply("lead", round).reply("lead", Reply::saying("Seen."));
    let keys = "env: { MCP_TOKEN: { env: MCP_TOKEN }, PLAIN: word }";
    let world = world(models, &[("s", keys, "echo, fail, image, environ")]);
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    let seen = world.models.requests();
    assert_eq!(offered(&seen[0]), ["echo", "fail", "image", "environ"]);
    assert_eq!(result_of(&seen[1], "a"), Some(r#"{"deep": {"x": [1]}, "n": null}"#));
    assert_eq!(result_of(&seen[1], "b"), Some("the disk is full"));
    assert_eq!(result_of(&seen[1], "c"), Some("Images returned: 1."));
    let names = result_of(&seen[1], "d").expect("a result");
    assert!(names.contains("MCP_TOKEN") && names.contains("PLAIN"), "{names}");
    assert!(!names.contains("OPENAI_API_KEY"), "{names}");
    assert!(result_of(&seen[1], "e").is_some_and(|text| text.contains("was not run")));
    assert!(running.seen.iter().any(|event| matches!(event,
        DriverEvent::ToolEnded { call, ok: false, .. } if call.as_str() == "b")));
    assert_eq!(world.state(&dialog), "idle_waiting_user");
    running.shut_down().await;
    assert_eq!(alive(&world), [""; 0]);
}

#[tokio::test]
async fn k10_servers_are_added_changed_and_taken_away_between_generations() {
    if !python() {
        return;
    }
    let saying = || Reply::saying("Well.");
    let mut models = Sequence::new();
    for _ in 0..5 {
        models = models.reply("lead", saying());
    }
    let world = world(models, &[("a", "", "echo")]);
    let mut running = world.start().await;
    let dialog = running.talk("One").await;
    declare(&world, &[("a", "", "echo"), ("b", "transform: [{ prefix: b_ }]", "echo")]);
    go_on(&mut running, &dialog, "Two").await;
    declare(&world, &[("a", "", "count"), ("b", "transform: [{ prefix: b_ }]", "echo")]);
    go_on(&mut running, &dialog, "Three").await;
    declare(&world, &[("b", "transform: [{ prefix: b_ }]", "echo")]);
    go_on(&mut running, &dialog, "Four").await;
    std::fs::remove_file(world.path().join(".minds/mcp.yaml")).expect("a file");
    go_on(&mut running, &dialog, "Five").await;
    let seen = world.models.requests();
    let offered: Vec<Vec<&str>> = seen.iter().map(offered).collect();
    let expected: [&[&str]; 5] =
        [&["echo"], &["echo", "b_echo"], &["count", "b_echo"], &["b_echo"], &[]];
    assert_eq!(offered, expected);
    until(|| alive(&world).is_empty()).await;
    let starts = journal(&world).iter().filter(|line| line.starts_with("starts")).count();
    assert_eq!(starts, 3, "what did not change is not started again");
    running.shut_down().await;
}

#[tokio::test]
async fn k10_a_change_that_fails_keeps_the_last_good_tools_and_is_reported() {
    if !python() {
        return;
    }
    let mut models = Sequence::new();
    for call in ["a", "b", "c"] {
        models =
            models.reply("lead", Reply::call(call, "echo", "{}")).reply("lead", Reply::saying("."));
    }
    let world = world(models, &[("s", "", "echo")]);
    let mut running = world.start().await;
    let dialog = running.talk("One").await;
    declare(&world, &[("s", "", "refuse")]);
    go_on(&mut running, &dialog, "Two").await;
    let reported = problems(&running);
    assert_eq!(ids(&reported), ["mcp/server/s"]);
    let Problem { text, line, .. } = &reported[0];
    assert_eq!(*line, Some(3));
    let text = text.to_string();
    assert!(
        text.contains("the licence has run out") && text.contains("former tools stay"),
        "{text}"
    );
    world.put(".minds/mcp.yaml", "servers: [");
    go_on(&mut running, &dialog, "Three").await;
    let seen = world.models.requests();
    for (request, call) in [(1, "a"), (3, "b"), (5, "c")] {
        assert_eq!(result_of(&seen[request], call), Some("{}"), "{call}");
    }
    running.shut_down().await;
}

#[tokio::test]
async fn k10_names_that_collide_are_left_out_and_reported_and_odd_ones_are_made_legal() {
    if !python() {
        return;
    }
    let world = world(
        Sequence::new().reply("lead", Reply::saying("Well.")),
        &[
            ("one", "", "read_file, echo, tellask, 'a b'"),
            ("two", "", "echo, count"),
            ("ws_read", "", "fail"),
            ("strange", "", "hang"),
            ("resources", "", "fail"),
        ],
    );
    let mut running = world.start().await;
    running.talk("Go").await;
    assert_eq!(offered(&world.models.requests()[0]), ["echo", "a_b", "count"]);
    let mut reported = problems(&running);
    reported.sort_by(|a, b| a.id.cmp(&b.id));
    let found: Vec<_> =
        reported.iter().map(|problem| (problem.id.as_str(), problem.line)).collect();
    assert_eq!(
        found,
        [
            ("mcp/server-name/resources", Some(7)),
            ("mcp/server-name/ws_read", Some(5)),
            ("mcp/tool-collision/one/read_file", Some(3)),
            ("mcp/tool-collision/one/tellask", Some(3)),
            ("mcp/tool-collision/two/echo", Some(4)),
        ]
    );
    running.shut_down().await;
}

#[tokio::test]
async fn a_dialog_that_uses_a_server_holds_an_instance_and_is_reminded_until_it_lets_it_go() {
    if !python() {
        return;
    }
    let release = r#"{"serverId":"s"}"#;
    let models = Sequence::new()
        .reply("lead", Reply::call("a", "count", "{}"))
        .reply("lead", Reply::call("b", "count", "{}"))
        .reply("lead", Reply::call("c", "tellaskSessionless", &once("alice", "Count.")))
        .reply("alice", Reply::call("d", "count", "{}"))
        .reply("alice", Reply::saying("Counted."))
        .reply("lead", Reply::call("e", "mcp_release", release))
        .reply("lead", Reply::call("f", "mcp_release", release))
        .reply("lead", Reply::saying("Done."));
    let world = world(models, &[("s", "", "count")]);
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    let seen = world.models.requests();
    let count = |call| seen.iter().find_map(|request| result_of(request, call)).expect("a result");
    let (first, second, hers) = (count("a"), count("b"), count("d"));
    let process = |text: &str| text.rsplit(' ').next().expect("a number").to_owned();
    assert!(first.starts_with("call 1 of") && second.starts_with("call 2 of"), "{second}");
    assert_eq!(process(first), process(second));
    assert!(hers.starts_with("call 1 of"), "another dialog has an instance of its own: {hers}");
    assert_ne!(process(hers), process(first));

    let reminded: Vec<bool> = seen.iter().map(|request| reminder(request).is_some()).collect();
    assert_eq!(reminded, [false, true, true, false, true, true, false, false]);
    assert!(result_of(&seen[6], "e").is_some_and(|text| text.contains("was let go")));
    assert!(result_of(&seen[7], "f").is_some_and(|text| text.contains("nothing was done")));
    until(|| alive(&world).is_empty()).await;
    for ended in [&dialog, &made(&dialog, 2)] {
        assert_eq!(leases(&world, ended), 0, "{ended}");
    }
    running.shut_down().await;
}

#[tokio::test]
async fn a_stateless_server_is_shared_and_nobody_is_reminded() {
    if !python() {
        return;
    }
    let models = Sequence::new()
        .reply(
            "lead",
            Reply::call("a", "count", "{}").and_call(
                "c",
                "tellaskSessionless",
                &once("alice", "Count."),
            ),
        )
        .reply("alice", Reply::call("d", "count", "{}"))
        .reply("alice", Reply::saying("Counted."))
        .reply("lead", Reply::saying("Done."));
    let world = world(models, &[("s", "truely-stateless: true", "count")]);
    let mut running = world.start().await;
    running.talk("Go").await;
    assert_eq!(journal(&world).len(), 1, "one instance: {:?}", journal(&world));
    assert!(world.models.requests().iter().all(|request| reminder(request).is_none()));
    running.shut_down().await;
}

#[tokio::test]
async fn a_server_that_crashes_fails_the_call_and_is_started_anew_by_the_next() {
    if !python() {
        return;
    }
    let models = Sequence::new()
        .reply("lead", Reply::call("a", "crash", "{}"))
        .reply("lead", Reply::call("b", "count", "{}"))
        .reply("lead", Reply::saying("Done."));
    let world = world(models, &[("s", "", "crash, count")]);
    let mut running = world.start().await;
    running.talk("Go").await;
    let seen = world.models.requests();
    let failed = result_of(&seen[1], "a").expect("a result");
    assert!(failed.contains("broke off") && failed.contains("not known"), "{failed}");
    assert!(result_of(&seen[2], "b").is_some_and(|text| text.starts_with("call 1 of")));
    running.shut_down().await;
}

#[tokio::test]
async fn an_answer_that_is_too_large_too_deep_or_without_an_end_fails_its_call_at_once() {
    if !python() {
        return;
    }
    let models = Sequence::new()
        .reply("lead", Reply::call("a", "large", "{}"))
        .reply("lead", Reply::call("b", "deep", "{}"))
        .reply("lead", Reply::call("c", "count", "{}"))
        .reply("lead", Reply::call("d", "endless", "{}"))
        .reply("lead", Reply::saying("Done."));
    let world = world(models, &[("s", "", "large, deep, count, endless")]);
    let mut running = world.start().await;
    running.talk("Go").await;
    let seen = world.models.requests();
    let last = seen.last().expect("a request");
    for (call, why) in
        [("a", "larger than 16 MiB"), ("b", "nested more than"), ("d", "larger than 16 MiB")]
    {
        let result = result_of(last, call).expect("a result");
        assert!(result.contains("was dropped") && result.contains(why), "{result}");
    }
    let goes_on = result_of(last, "c").expect("a result");
    assert!(goes_on.starts_with("call 3 of"), "the server is the same: {goes_on}");
    running.shut_down().await;
}

#[tokio::test]
async fn g06_a_stop_while_a_server_works_cancels_the_call_there() {
    if !python() {
        return;
    }
    let models = Sequence::new()
        .reply("lead", Reply::call("a", "hang", "{}"))
        .reply("lead", Reply::saying("I check."));
    let world = world(models, &[("s", "", "hang")]);
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    until(|| journal(&world).iter().any(|line| line == "hangs")).await;
    running.send(Command::Stop { dialog: dialog.clone() }).await;
    running.quiet().await;
    assert_eq!(world.state(&dialog), "stopped");
    until(|| journal(&world).iter().any(|line| line == "cancelled")).await;
    running.resume(&dialog).await.expect("it goes on");
    running.quiet().await;
    let seen = world.models.requests();
    assert!(result_of(&seen[1], "a").is_some_and(|text| text.contains("unknown")));
    running.shut_down().await;
}

#[tokio::test]
async fn a_server_that_says_it_has_other_tools_is_asked_again() {
    if !python() {
        return;
    }
    let models = Sequence::new()
        .reply("lead", Reply::call("a", "grow", "{}"))
        .reply("lead", Reply::saying("Well."))
        .reply("lead", Reply::saying("Well."));
    let world = world(models, &[("s", "", "grow")]);
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    go_on(&mut running, &dialog, "And now").await;
    let seen = world.models.requests();
    assert_eq!((offered(&seen[0]), offered(&seen[2])), (vec!["grow"], vec!["grow", "grown"]));
    running.shut_down().await;
}

#[tokio::test]
async fn what_a_server_started_ends_with_it_and_all_end_with_the_program() {
    if !python() {
        return;
    }
    let models = Sequence::new()
        .reply("lead", Reply::call("a", "child", "{}"))
        .reply("lead", Reply::saying("Done."));
    let world = world(models, &[("s", "", "child")]);
    let mut running = world.start().await;
    running.talk("Go").await;
    let seen = world.models.requests();
    let child = result_of(&seen[1], "a").expect("a process").to_owned();
    assert!(Path::new("/proc/self").exists() && lives(&child));
    running.shut_down().await;
    assert_eq!(alive(&world), [""; 0]);
    until(|| !lives(&child)).await;
}

#[tokio::test]
async fn after_a_restart_of_the_program_nothing_is_held_and_no_reminder_says_so() {
    if !python() {
        return;
    }
    let models = Sequence::new()
        .reply("lead", Reply::call("a", "count", "{}"))
        .reply("lead", Reply::saying("Done."))
        .reply("lead", Reply::saying("Again."));
    let mut world = world(models, &[("s", "", "count")]);
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    running.shut_down().await;
    assert_eq!(leases(&world, &dialog), 1);
    world.setup.sources = sources(world.path());
    let mut running = world.start().await;
    go_on(&mut running, &dialog, "Hello again").await;
    assert!(reminder(&world.models.requests()[2]).is_none());
    assert_eq!(leases(&world, &dialog), 0);
    assert_eq!(offered(&world.models.requests()[2]), ["count"]);
    running.shut_down().await;
}

#[tokio::test]
async fn a_new_course_and_a_tree_that_is_put_away_let_go_what_was_held() {
    if !python() {
        return;
    }
    let models = Sequence::new()
        .reply("lead", Reply::call("a", "count", "{}"))
        .reply("lead", Reply::call("b", "clear_mind", "{}"))
        .reply("lead", Reply::call("c", "count", "{}"))
        .reply("lead", Reply::saying("Done."));
    let world = world(models, &[("s", "", "count")]);
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    let seen = world.models.requests();
    assert!(reminder(&seen[1]).is_some() && reminder(&seen[2]).is_none());
    assert!(result_of(&seen[3], "c").is_some_and(|text| text.starts_with("call 1 of")));
    let root = dialog.root.clone();
    let change =
        dominds_tui::protocol::Lifecycle::Move { root, to: dominds_tui::domain::Bucket::Done };
    running.ask(|ticket| Command::Lifecycle { ticket, change }).await.expect("moved");
    until(|| alive(&world).is_empty()).await;
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_answer_holds_a_generation_up_for_seconds_only() {
    if !python() {
        return;
    }
    let world = world(Sequence::new().reply("lead", Reply::saying("Well.")), &[("s", "", "mute")]);
    let begun = tokio::time::Instant::now();
    let mut running = world.start().await;
    running.talk("Go").await;
    assert!(begun.elapsed() < Duration::from_secs(11), "{:?}", begun.elapsed());
    assert_eq!(ids(&problems(&running)), ["mcp/starting/s"]);
    running.shut_down().await;
    assert_eq!(alive(&world), [""; 0]);
}

/// Answers every request with a status; hands on the head of the first.
async fn refusing(status: &str) -> (u16, tokio::sync::oneshot::Receiver<String>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let (tell, request) = tokio::sync::oneshot::channel();
    let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    let mut tell = Some(tell);
    #[expect(clippy::disallowed_methods, reason = "a server of the test, ended with its runtime")]
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut head = vec![0; 8192];
            let read = socket.read(&mut head).await.unwrap_or(0);
            let _ = socket.write_all(answer.as_bytes()).await;
            if let Some(tell) = tell.take() {
                let _ = tell.send(String::from_utf8_lossy(&head[..read]).into_owned());
            }
        }
    });
    (port, request)
}

#[tokio::test]
async fn a_header_from_the_environment_is_sent_to_its_server_and_shown_nowhere() {
    for (status, why) in [("401 Unauthorized", "HTTP 401"), ("500 Internal Server Error", "500")] {
        let (port, head) = refusing(status).await;
        let headers = "headers: { Authorization: { env: MCP_TOKEN } }";
        let url = format!("url: 'http://127.0.0.1:{port}/mcp'");
        let models = Sequence::new().reply("lead", Reply::saying("Well."));
        let world = world_with(models, &format!("servers: {{ s: {{ {url}, {headers} }} }}\n"));
        let mut running = world.start().await;
        running.talk("Go").await;
        let head = in_time(head).await.expect("a request").to_lowercase();
        assert!(head.contains("authorization: token-canary"), "{head}");
        let reported = problems(&running);
        assert_eq!(ids(&reported), ["mcp/server/s"]);
        assert!(reported[0].text.to_string().contains(why), "{}", reported[0]);
        assert!(!format!("{:?}", running.seen).contains("token-canary"));
        running.shut_down().await;
    }
}

#[tokio::test]
async fn a_variable_that_is_not_set_and_a_program_that_is_not_there_are_named() {
    for (entry, why) in [
        ("command: python3, env: { A: { env: NOT_SET } }", "variable NOT_SET"),
        ("command: ./nowhere", "`./nowhere` could not be started"),
        ("command: python3, cwd: nowhere", "folder `nowhere`"),
        ("url: 'http://127.0.0.1:1/mcp'", "refused"),
    ] {
        let models = Sequence::new().reply("lead", Reply::saying("Well."));
        let world = world_with(models, &format!("servers: {{ s: {{ {entry} }} }}\n"));
        let mut running = world.start().await;
        running.talk("Go").await;
        let reported = problems(&running);
        assert_eq!(ids(&reported), ["mcp/server/s"], "{entry}");
        assert!(reported[0].text.to_string().contains(why), "{entry}: {}", reported[0]);
        running.shut_down().await;
    }
}

/// The secret `API` of the root team: with these uses, or none at all.
fn entries_of_main(uses: Option<VaultUse>) -> BTreeMap<String, VaultEntries> {
    let Some(uses) = uses else { return BTreeMap::new() };
    let rights = VaultRights { uses: vec![uses], ..VaultRights::default() };
    let entry = VaultEntry { value: "vault-canary".to_owned(), rights, version: 1 };
    let entries = VaultEntries::from([("API".to_owned(), entry)]);
    BTreeMap::from([(TeamName::MAIN.to_owned(), entries)])
}

#[tokio::test]
async fn s15_6_a_server_that_does_not_get_its_secret_any_more_ends_and_comes_back_with_it() {
    if !python() {
        return;
    }
    let mut models = Sequence::new();
    for _ in 0..5 {
        models = models.reply("lead", Reply::saying("Well."));
    }
    let world = world(models, &[("s", "env: { TOKEN: '${vault:API}' }", "echo")]);
    let know = |uses| world.setup.vault.set_entries(entries_of_main(uses));
    know(Some(VaultUse::Mcp));
    let mut running = world.start().await;
    let dialog = running.talk("One").await;
    assert_eq!(alive(&world).len(), 1);
    for withdrawn in [None, Some(VaultUse::Shell)] {
        know(withdrawn);
        go_on(&mut running, &dialog, "Without").await;
        until(|| alive(&world).is_empty()).await;
        let text = problems(&running)[0].text.to_string();
        assert!(text.contains("needs the secret API") && !text.contains("former"), "{text}");
        know(Some(VaultUse::Mcp));
        go_on(&mut running, &dialog, "With").await;
        assert_eq!(alive(&world).len(), 1);
        assert_eq!(ids(&problems(&running)), [""; 0]);
    }
    let seen = world.models.requests();
    let offered: Vec<usize> = seen.iter().map(|request| offered(request).len()).collect();
    assert_eq!(offered, [1, 0, 1, 0, 1]);
    running.shut_down().await;
}

#[tokio::test]
async fn a_server_is_started_anew_by_its_name() {
    if !python() {
        return;
    }
    let again = r#"{"serverId":"s"}"#;
    let models = Sequence::new()
        .reply("lead", Reply::call("a", "count", "{}"))
        .reply("lead", Reply::call("b", "mcp_restart", again))
        .reply("lead", Reply::call("c", "count", "{}"))
        .reply("lead", Reply::call("d", "mcp_restart", r#"{"serverId":"x"}"#))
        .reply("lead", Reply::saying("Done."));
    let world = world(models, &[("s", "", "count")]);
    let mut running = world.start().await;
    running.talk("Go").await;
    let seen = world.models.requests();
    assert!(result_of(&seen[2], "b").is_some_and(|text| text.contains("was started anew")));
    assert!(result_of(&seen[3], "c").is_some_and(|text| text.starts_with("call 1 of")));
    assert!(result_of(&seen[4], "d").is_some_and(|text| text.contains("no such server")));
    running.shut_down().await;
}
