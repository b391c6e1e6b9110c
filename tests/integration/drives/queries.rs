//! Queries: what one team wants to know of others, and waits for. With the real store, whose thread no paused clock waits for.

use std::time::Duration;

use dominds_tui::domain::Bucket;
use dominds_tui::llm::{ErrorClass, LlmError, Reply, Sequence};
use dominds_tui::protocol::Command;
use serde_json::{Value, json};

use super::result_of;
use super::tasks::{says, task, world};
use crate::common::wait::until;
use crate::common::{Running, World};

fn asks(args: &Value) -> Reply {
    Reply::call("q", "query_team", &args.to_string())
}

fn asks_all(args: &Value) -> Reply {
    Reply::call("q", "query_teams", &args.to_string())
}

fn hangs() -> Reply {
    Reply::new().and_hang()
}

/// Teams `qa` (alice), `lab` (bob) and `ops` (carol) below `main`.
fn three(models: Sequence, hive: &str) -> World {
    let world = world(models, hive);
    for (name, lead) in [("qa", "alice"), ("lab", "bob"), ("ops", "carol")] {
        world.put(&format!(".minds/hive/teams/{name}.yaml"), &format!("lead: {lead}\n"));
    }
    world
}

/// Returns the reply to the lead's call, once all dialogs are quiet.
async fn told(world: &World, running: &mut Running) -> String {
    running.talk("Go").await;
    let requests = world.models.requests();
    let last = requests.iter().rev().find_map(|request| result_of(request, "q"));
    last.expect("a result").to_owned()
}

fn error(text: &str) -> String {
    let value: Value = serde_json::from_str(text).expect("an object");
    assert_eq!(value["success"], false, "{value}");
    value["error"].as_str().expect("an error").to_owned()
}

impl World {
    /// The agents of the main dialogs in a bucket, sorted.
    fn agents(&self, bucket: Bucket) -> Vec<String> {
        let listed = self.view().survey(&[bucket]).trees;
        let mains = listed.iter().filter_map(|tree| tree.dialogs.first());
        let mut agents: Vec<String> = mains.map(|main| main.meta.agent_id.to_string()).collect();
        agents.sort();
        agents
    }
}

#[tokio::test]
async fn s3_1_a_query_is_answered_in_a_dialog_of_its_own_and_leaves_no_task_and_no_notice() {
    let models = Sequence::new()
        .reply("lead", asks(&json!({ "team": "qa", "query": "Is main green?" })))
        .reply("alice", says("It is green."))
        .reply("lead", says("Thanks."));
    let world = three(models, "");
    let mut running = world.start().await;
    assert_eq!(told(&world, &mut running).await, "It is green.");
    assert_eq!(world.tasks().await, []);
    assert_eq!(world.news().await, []);
    until(|| world.agents(Bucket::Done) == ["alice"]).await;
    assert_eq!(world.agents(Bucket::Run), ["lead"]);
    let asked = &world.models.requests()[1];
    let prompt: Vec<&str> = asked.messages.iter().filter_map(|message| message.text()).collect();
    let prompt = prompt.join("\n");
    for part in ["[Dominds team query]\nteam: qa · from: main", "\n\nIs main green?\n\n"] {
        assert!(prompt.contains(part), "{prompt}");
    }
    let requests = world.models.requests().len();
    assert_eq!((requests, world.models.remaining()), (3, 0), "nothing is delivered besides");
    running.shut_down().await;
}

#[tokio::test]
async fn s3_1_a_key_in_an_answer_is_taken_out_also_on_disk() {
    let key = "canary-key-0123456789";
    let models = Sequence::new()
        .reply("lead", asks(&json!({ "team": "qa", "query": "Which key?" })))
        .reply("alice", says(&format!("It is {key}.")))
        .reply("lead", says("Thanks."));
    let world = three(models, "");
    world.setup.vault.learn(["KEY".to_owned()], [key.to_owned()]);
    let mut running = world.start().await;
    assert_eq!(told(&world, &mut running).await, "It is [redacted].");
    running.shut_down().await;
    for file in ["hive.db", "hive.db-wal"] {
        let bytes = std::fs::read(world.path().join(".hive").join(file)).unwrap_or_default();
        assert!(!bytes.windows(key.len()).any(|part| part == key.as_bytes()), "{file}");
    }
    assert!(world.path().join(".hive/hive.db").is_file());
}

#[tokio::test]
async fn s3_1_each_way_to_have_no_answer_is_said_as_it_is() {
    let rejected = LlmError::quoted(ErrorClass::Rejected, "no such model");
    let asks_human = Reply::call("h", "askHuman", r#"{"tellaskContent":"Which?"}"#);
    // A limit is only reached if nothing else can come.
    for (reply, limit, expected) in [
        (Reply::call("l", "list_dir", "{}"), 60_000, "empty response"),
        (hangs(), 300, "timeout after 300 ms"),
        (asks_human, 300, "timeout after 300 ms"),
        (Reply::failure(rejected), 60_000, "query_team failed: "),
    ] {
        let models = Sequence::new()
            .reply("lead", asks(&json!({ "team": "qa", "query": "x", "timeout_ms": limit })))
            .reply("alice", reply)
            .reply("lead", says("Well."));
        let world = three(models, "tasks: { max_steps: 1 }\n");
        let mut running = world.start().await;
        let said = error(&told(&world, &mut running).await);
        let fits =
            if expected.ends_with(' ') { said.starts_with(expected) } else { said == expected };
        assert!(fits, "{said}, not {expected}");
        until(|| world.agents(Bucket::Run) == ["lead"]).await;
        assert_eq!(world.tasks().await, []);
        running.shut_down().await;
    }
}

#[tokio::test]
async fn s3_1_a_team_without_a_model_and_a_wrong_call_are_refused_before_anything_runs() {
    for (args, team, expected) in [
        (json!({ "team": "qa", "query": "x" }), "lead: nobody-there\n", "Team 'qa' not found"),
        (json!({ "team": "qa", "query": " " }), "lead: alice\n", "the query is empty"),
        (
            json!({ "team": "qa", "query": "x", "timeout_ms": 600_001 }),
            "lead: alice\n",
            "a time limit must be 1 to 600000 ms, not 600001",
        ),
    ] {
        let models = Sequence::new().reply("lead", asks(&args)).reply("lead", says("Well."));
        let world = three(models, "");
        world.put(".minds/hive/teams/qa.yaml", team);
        let mut running = world.start().await;
        assert_eq!(error(&told(&world, &mut running).await), expected);
        assert_eq!(world.agents(Bucket::Done), [""; 0]);
        running.shut_down().await;
    }
    let models = Sequence::new()
        .reply("lead", asks(&json!({ "team": "qa", "query": "x" })))
        .reply("lead", says("Well."));
    let world = three(models, "");
    let team = std::fs::read_to_string(world.path().join(".minds/team.yaml")).unwrap();
    world.put(
        ".minds/team.yaml",
        &team.replace("model: alice\n", "provider: gone\n    model: alice\n"),
    );
    let mut running = world.start().await;
    assert_eq!(error(&told(&world, &mut running).await), "providers not configured");
    running.shut_down().await;
}

#[tokio::test]
async fn s19_1_answers_come_in_order_with_those_that_did_not_come_in_time() {
    let slow = || Reply::new().and_wait(Duration::from_millis(300));
    let models = Sequence::new()
        .reply(
            "lead",
            asks_all(&json!({
                "queries": [
                    { "team": "ops", "query": "a" },
                    { "team": "qa", "query": "b", "timeout_ms": 900 },
                    { "team": "lab", "query": "c" },
                ],
                "default_timeout_ms": 5_000,
            })),
        )
        .reply("carol", slow().and_saying("from ops"))
        .reply("bob", slow().and_saying("from lab"))
        .reply("alice", hangs())
        .reply("lead", says("Good."));
    let world = three(models, "");
    let mut running = world.start().await;
    let said: Value = serde_json::from_str(&told(&world, &mut running).await).unwrap();
    let expected = json!({
        "success": true,
        "results": [
            { "team": "ops", "ok": true, "result_or_error": "from ops" },
            { "team": "qa", "ok": false, "result_or_error": "timeout after 900 ms" },
            { "team": "lab", "ok": true, "result_or_error": "from lab" },
        ],
    });
    assert_eq!(said, expected);
    // A machine that is busy may not have begun what was asked of `qa` when its time was over.
    until(|| world.agents(Bucket::Run) == ["lead"]).await;
    running.shut_down().await;
}

#[tokio::test]
async fn s19_1_nobody_is_asked_if_one_is_a_stranger_and_without_any_answer_it_failed() {
    let stranger = json!({ "teams": ["qa", "deep"], "query": "x" });
    let nothing = json!({ "queries": [] });
    let mixed = json!({ "teams": ["qa"], "queries": [{ "team": "qa", "query": "x" }] });
    let many: Vec<Value> = vec![json!({ "team": "qa", "query": "x" }); 21];
    for (args, expected) in [
        (stranger, "scope_violation: 'deep' is not a child of 'main'"),
        (nothing, "1 to 20 queries may be asked at once, not 0"),
        (json!({ "queries": many }), "1 to 20 queries may be asked at once, not 21"),
        (mixed, "give either `queries`, or `teams` with one `query`"),
        (json!({ "teams": ["qa", "none"], "query": "x" }), "Team 'none' not found"),
    ] {
        let models = Sequence::new().reply("lead", asks_all(&args)).reply("lead", says("Well."));
        let world = three(models, "");
        world.put(".minds/hive/teams/deep.yaml", "parent: qa\nlead: carol\n");
        world.put(".minds/hive/teams/ops.yaml", "lead: none\n");
        let mut running = world.start().await;
        assert_eq!(error(&told(&world, &mut running).await), expected);
        assert_eq!(world.agents(Bucket::Done), [""; 0]);
        running.shut_down().await;
    }
    let models = Sequence::new()
        .reply("lead", asks_all(&json!({ "teams": ["qa", "lab"], "query": "x" })))
        .reply("alice", Reply::call("l", "list_dir", "{}"))
        .reply("bob", Reply::call("l", "list_dir", "{}"))
        .reply("lead", says("Well."));
    let world = three(models, "tasks: { max_steps: 1 }\n");
    let mut running = world.start().await;
    let said: Value = serde_json::from_str(&told(&world, &mut running).await).unwrap();
    assert_eq!(said["success"], false);
    assert_eq!(said["results"][1]["result_or_error"], "empty response");
    running.shut_down().await;
}

#[tokio::test]
async fn s19_1_with_one_free_call_the_queries_go_one_after_the_other_inside_their_limits() {
    let queries = json!({ "teams": ["qa", "lab", "ops"], "query": "x" });
    let models = Sequence::new()
        .reply("lead", asks_all(&queries))
        .reply("alice", says("1"))
        .reply("bob", says("2"))
        .reply("carol", says("3"))
        .reply("lead", says("Good."));
    let world = three(models, "query: { default_timeout_ms: 30000 }\n");
    world.put(".minds/hive/teams/main.yaml", "limits: { max_concurrent_daily_ops: 1 }\n");
    let mut running = world.start().await;
    let said: Value = serde_json::from_str(&told(&world, &mut running).await).unwrap();
    let answers: Vec<&Value> = (0..3).map(|at| &said["results"][at]["result_or_error"]).collect();
    assert_eq!(answers, ["1", "2", "3"]);
    running.shut_down().await;
    let models = Sequence::new()
        .reply(
            "lead",
            asks_all(&json!({ "teams": ["qa", "lab"], "query": "x", "default_timeout_ms": 200 })),
        )
        .reply("alice", hangs())
        .reply("lead", says("Well."));
    let world = three(models, "");
    world.put(".minds/hive/teams/main.yaml", "limits: { max_concurrent_daily_ops: 1 }\n");
    let mut running = world.start().await;
    let said: Value = serde_json::from_str(&told(&world, &mut running).await).unwrap();
    assert_eq!(said["results"][1]["result_or_error"], "timeout after 200 ms");
    until(|| world.agents(Bucket::Run) == ["lead"]).await;
    running.shut_down().await;
}

#[tokio::test]
async fn s19_1_a_team_without_a_free_slot_is_saturated_and_a_query_keeps_a_task_waiting() {
    let models = Sequence::new()
        .reply("alice", hangs())
        .reply("lead", asks(&json!({ "team": "qa", "query": "x" })))
        .reply("lead", says("Well."));
    let world = three(models, "");
    world
        .put(".minds/hive/teams/qa.yaml", "lead: alice\nlimits: { max_concurrent_daily_ops: 1 }\n");
    world.delegate(task("qa", "long work")).await;
    let mut running = world.try_start().unwrap();
    until(|| world.models.remaining() == 2).await;
    running.begin("Go").await.unwrap();
    until(|| world.models.remaining() == 0).await;
    let requests = world.models.requests();
    let said = requests.iter().rev().find_map(|request| result_of(request, "q"));
    assert_eq!(error(said.expect("a result")), "saturation");
    running.shut_down().await;
}

#[tokio::test]
async fn s19_1_whoever_stops_the_caller_stops_what_it_asked() {
    let models = Sequence::new()
        .reply("lead", asks_all(&json!({ "teams": ["qa", "lab"], "query": "x" })))
        .reply("alice", hangs())
        .reply("bob", hangs());
    let world = three(models, "");
    let mut running = world.start().await;
    let caller = running.begin("Go").await.unwrap();
    until(|| world.models.remaining() == 0).await;
    running.send(Command::Stop { dialog: caller }).await;
    until(|| world.agents(Bucket::Done) == ["alice", "bob"]).await;
    running.shut_down().await;
}

#[tokio::test]
async fn s3_1_a_restart_ends_queries_and_the_call_says_so() {
    let models = Sequence::new()
        .reply("lead", asks(&json!({ "team": "qa", "query": "x", "timeout_ms": 60_000 })))
        .reply("alice", hangs());
    let world = three(models, "");
    let mut running = world.start().await;
    let caller = running.begin("Go").await.unwrap();
    until(|| world.models.remaining() == 0).await;
    running.kill().await;
    world.models.push("lead", says("I ask again."));
    let mut running = world.try_start().unwrap();
    until(|| world.agents(Bucket::Done) == ["alice"]).await;
    running.resume(&caller).await.unwrap();
    until(|| world.models.remaining() == 0).await;
    let requests = world.models.requests();
    let said = requests.last().and_then(|request| result_of(request, "q")).unwrap_or_default();
    assert!(said.starts_with("interrupted; ask again"), "{said}");
    running.shut_down().await;
}
