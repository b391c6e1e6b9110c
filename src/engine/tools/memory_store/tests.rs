//! What a member sends and reads.

use serde_json::json;

use super::*;
use crate::domain::{AgentId, Secrets};
use crate::hive::{AnyStore, Hive, Setup, StoreChoice, VaultKeys};
use crate::samples::Shows;
use crate::samples::org::{small, team};
use crate::tools::test_support::{TestBench, schema_lines};
use crate::tools::{TeamPlace, ToolSubset};

const KEY: &str = "sk-canary-0123456789";

/// A store of its own below the workspace of a bench.
fn place(bench: &TestBench) -> Hive {
    bench.put(".minds/hive/hive.yaml", "memory: on\n");
    Hive::new(Setup {
        workspace: bench.cx.workspace.to_path_buf(),
        clock: Arc::new(Shows("2026-11-26 12:00:00")),
        permission: Arc::new(AnyStore),
        random_name: || "ab12".to_owned(),
        store: StoreChoice::Own,
        vault_keys: VaultKeys::default(),
        lang: Lang::En,
    })
}

/// The answers to these calls, one after the other, each by a member.
fn answers(calls: &[(&str, &str, Value)]) -> Vec<(bool, Value)> {
    let bench = TestBench::new();
    let hive = place(&bench);
    let org = Arc::new(small());
    bench.finish(async {
        let mut running = tokio::task::JoinSet::new();
        running.spawn(hive.run());
        let mut answers = Vec::new();
        for (caller, name, args) in calls {
            let teams = TeamPlace { org: org.clone(), store: hive.clone(), ..TeamPlace::default() };
            let cx = ToolCx {
                caller: AgentId::new(*caller),
                teams,
                keys: Arc::new(Secrets::new([], [KEY.to_owned()])),
                call: "1/1/c".to_owned(),
                ..bench.cx.clone()
            };
            let outcome = subset().run(name, &args.to_string(), cx).await;
            answers.push((outcome.ok, serde_json::from_str(&outcome.text).unwrap()));
        }
        hive.close().await;
        answers
    })
}

fn subset() -> ToolSubset {
    all().into_iter().fold(ToolSubset::default(), ToolSubset::with_tool)
}

#[test]
fn s12_1_a_member_saves_finds_replaces_lists_and_deletes_what_its_team_knows() {
    let save = |content: &str, reason: Option<&str>| {
        let mut args = json!({ "key": "redis-timeout", "content": content, "type": "warning" });
        if let Some(reason) = reason {
            args["supersede_reason"] = json!(reason);
        }
        args
    };
    let got = answers(&[
        ("tester", "memory_save", save("Increase the pool.", None)),
        ("qa", "memory_search", json!({ "query": "redis pool" })),
        ("qa", "memory_save", save("Close the connection.", None)),
        ("qa", "memory_save", save("Close the connection.", Some("it was a leak"))),
        ("qa", "memory_search", json!({ "query": "redis", "type": "lesson", "max_results": 9 })),
        ("tester", "memory_list", json!({})),
        ("lab", "memory_list", json!({})),
        ("lab", "memory_delete", json!({ "key": "redis-timeout" })),
        ("qa", "memory_delete", json!({ "key": "redis-timeout" })),
        ("qa", "memory_search", json!({ "query": "redis" })),
        ("qa", "memory_delete", json!({ "key": "\0redis" })),
    ]);
    assert_eq!((&got[0].1["success"], &got[0].1["type"]), (&json!(true), &json!("lesson")));
    assert_eq!(got[0].1["supersedes"], Value::Null);
    let found = &got[1].1["results"][0];
    assert_eq!((&found["key"], &found["updated_by"]), (&json!("redis-timeout"), &json!("@tester")));
    assert!(found["score"].as_f64().unwrap() > 0.0 && found.get("superseded_by").is_none());
    assert!(!got[2].0 && got[2].1["error"].as_str().unwrap().starts_with("Active memory"));
    assert_eq!(got[3].1["supersedes"], got[0].1["id"]);
    let found = got[4].1["results"].as_array().unwrap();
    assert_eq!((&found[0]["is_active"], &found[1]["is_active"]), (&json!(true), &json!(false)));
    assert_eq!(found[1]["superseded_by"], got[3].1["id"]);
    assert_eq!(found[1]["supersede_reason"], json!("it was a leak"));
    assert_eq!((&got[5].1["total"], &got[6].1["total"]), (&json!(1), &json!(0)));
    assert_eq!(got[5].1["memories"][0]["content"], json!("Close the connection."));
    assert_eq!((&got[7].1["deleted"], &got[8].1["deleted"]), (&json!(false), &json!(true)));
    assert_eq!(got[9].1["results"], json!([]));
    assert_eq!(got[10].1["deleted"], json!(false));
}

#[test]
fn a_key_of_a_provider_is_taken_out_before_a_memory_is_stored() {
    let content = format!("the key is {KEY}");
    let got = answers(&[
        ("qa", "memory_save", json!({ "key": "k", "content": content })),
        ("qa", "memory_list", json!({})),
        ("qa", "memory_save", json!({ "key": "plain", "content": "x" })),
    ]);
    assert_eq!(got[0].1["redacted"], json!(true));
    assert_eq!(got[1].1["memories"][0]["content"], json!("the key is [redacted]"));
    assert!(got[2].1.get("redacted").is_none());
}

#[test]
fn what_cannot_be_done_is_said_as_one_object() {
    let got = answers(&[
        ("qa", "memory_save", json!({ "key": "k", "content": "x", "type": "X" })),
        ("qa", "memory_save", json!({ "key": "a\nb", "content": "x" })),
        ("qa", "memory_save", json!({ "key": "k", "content": " " })),
        ("qa", "memory_search", json!({ "query": "x".repeat(2_001) })),
        ("qa", "memory_list", json!({ "type": "X" })),
        ("nobody", "memory_list", json!({})),
    ]);
    let errors: Vec<&str> =
        got.iter().map(|(_, answer)| answer["error"].as_str().unwrap()).collect();
    let unknown =
        "unknown memory type 'X': use identity, lesson, decision, context, reference or historical";
    assert_eq!(
        errors,
        [
            unknown,
            "key must be one line of 1 to 200 characters",
            "content must have 1 to 16000 characters",
            "query is longer than 2000 characters",
            unknown,
            "you are in no team",
        ]
    );
    assert!(got.iter().all(|(ok, answer)| !ok && answer["success"] == json!(false)));
}

#[test]
fn without_a_store_the_reason_is_said() {
    let bench = TestBench::new();
    let teams = TeamPlace { org: Arc::new(small()), ..TeamPlace::default() };
    let cx = ToolCx { caller: AgentId::new("qa"), teams, ..bench.cx.clone() };
    let outcome = bench.finish(subset().run("memory_list", "{}", cx));
    assert!(!outcome.ok && outcome.text.contains("memory is not available: "), "{}", outcome.text);
}

#[test]
fn a_file_of_a_team_says_which_of_the_tools_its_members_have() {
    assert_eq!(tools(&team("qa", "main", &["qa"])).len(), 4);
    let allowed_tools = Some(vec!["memory_search".to_owned()]);
    let some = tools(&OrgTeam { allowed_tools, ..team("qa", "main", &["qa"]) });
    let names: Vec<&str> = some.iter().map(|tool| tool.spec().name.as_ref()).collect();
    assert_eq!(names, ["memory_search"]);
}

#[test]
fn every_argument_is_explained_in_both_languages() {
    let tools = all();
    for spec in tools.iter().map(|tool| tool.spec()) {
        let (en, zh) = (spec.description.text(Lang::En), spec.description.text(Lang::Zh));
        assert_ne!(en, zh, "{}", spec.name);
        for name in spec.parameters["properties"].as_object().unwrap().keys() {
            let mark = format!("- `{name}`");
            assert!(en.contains(&mark) && zh.contains(&mark), "{}: {name}", spec.name);
        }
    }
    let lines = schema_lines(tools.iter().map(|tool| tool.spec()));
    assert!(lines.contains("\"supersede_reason\"") && lines.contains("additionalProperties"));
}
