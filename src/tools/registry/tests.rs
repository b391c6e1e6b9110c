//! Who gets which tools, and what happens to calls that make no sense.

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::tools::bench::Bench;

const INTRINSIC: [&str; 6] = control::NAMES;

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn a_member_has_what_was_granted_and_the_intrinsic_tools() {
    let files = ["list_dir", "read_file", "create_new_file", "overwrite_entire_file"];
    for (toolsets, tools, extra, unknown) in [
        (vec![], vec![], &files[..0], vec![]),
        (vec!["control", "ws_read"], vec![], &files[..2], vec![]),
        (vec!["ws_mod"], vec![], &files[..], vec![]),
        (vec!["*"], vec![], &files[..], vec![]),
        (vec!["*", "!ws_mod"], vec![], &files[..2], vec![]),
        (vec!["!ws_mod", "*", "!ws_read"], vec![], &files[..0], vec![]),
        (vec!["ws_mod", "!create_new_file", "!overwrite_entire_file"], vec![], &files[..2], vec![]),
        (vec!["list_dir"], vec!["read_file"], &files[..2], vec![]),
        (vec!["*", "!control"], vec![], &files[..], vec![]),
        (vec!["none", "ws_read", "!nope"], vec!["sh"], &files[..2], vec!["none", "!nope", "sh"]),
        (vec!["", "WS_READ"], vec![""], &files[..0], vec!["", "WS_READ", ""]),
    ] {
        let registry = Registry::builtin();
        let (subset, odd) = registry.for_member(&texts(&toolsets), &texts(&tools), true);
        let looked_at = |name: &&str| INTRINSIC.contains(name) || files.contains(name);
        let names = subset.specs().map(|spec| spec.name.as_ref()).filter(looked_at);
        let names: Vec<&str> = names.collect();
        assert_eq!(names, [&INTRINSIC[..], extra].concat(), "{toolsets:?} {tools:?}");
        assert_eq!(odd, unknown);
    }
}

#[test]
fn a_side_dialog_is_not_offered_change_mind() {
    let (subset, _) =
        Registry::builtin().for_member(&texts(&["*"]), &texts(&["change_mind"]), false);
    assert!(!subset.contains("change_mind") && subset.contains("clear_mind"));
    assert_eq!(ToolSubset::default().specs().count(), 0);
}

#[test]
fn a_name_can_be_taken_once() {
    let mut registry = Registry::builtin();
    let tool = control::tools().swap_remove(0);
    assert_eq!(registry.add("more", Arc::clone(&tool)), Err(NameTaken("add_reminder".to_owned())));
    assert_eq!(registry.for_member(&texts(&["more"]), &[], true).1, ["more"]);
    let mut empty = Registry::default();
    assert_eq!(empty.add("more", tool), Ok(()));
    assert_eq!(empty.for_member(&texts(&["more"]), &[], true).0.specs().count(), 1);
}

#[test]
fn every_tool_has_a_text_in_both_languages_and_a_closed_schema() {
    for tool in &Registry::builtin().tools {
        let spec = tool.spec();
        let (en, zh) = (spec.description.text(Lang::En), spec.description.text(Lang::Zh));
        assert!(en.is_ascii() && !en.is_empty(), "{}", spec.name);
        assert!(!zh.is_ascii() && zh.chars().count() > 10, "{}", spec.name);
        assert_eq!(spec.parameters["additionalProperties"], Value::Bool(false), "{}", spec.name);
        let fields = spec.parameters["properties"].as_object().unwrap().keys();
        for field in fields {
            assert!(en.contains(&format!("`{field}`")) && zh.contains(field), "{}", spec.name);
        }
    }
}

#[test]
fn a_call_that_makes_no_sense_runs_nothing_and_says_why() {
    let bench = Bench::new();
    for (name, raw, words) in [
        ("no_such_tool", "{}", vec!["`no_such_tool`", "read_file", "add_reminder"]),
        ("READ_FILE", "{}", vec!["`READ_FILE`"]),
        ("", "{}", vec!["Available: add_reminder"]),
        ("create_new_file", "{\"path\":\"x\"", vec!["create_new_file was not run", "JSON"]),
        ("create_new_file", "[\"x\"]", vec!["one JSON object"]),
        ("create_new_file", "", vec!["`path` is required"]),
        ("create_new_file", "{\"path\":7}", vec!["`path` must be string"]),
        ("create_new_file", "{\"path\":\"x\",\"mode\":1}", vec!["`mode` is not a parameter"]),
        ("add_reminder", "{\"content\":\"x\",\"position\":\"1\"}", vec!["`position` must be"]),
    ] {
        let outcome = bench.run_raw(name, raw);
        assert!(!outcome.ok && outcome.changes.is_empty(), "{name} {raw}");
        for word in words {
            assert!(outcome.text.contains(word), "{name} {raw}: {}", outcome.text);
        }
    }
    assert_eq!(std::fs::read_dir(bench.at("")).unwrap().count(), 0);
    let long = bench.run_raw(&"\n".repeat(10_000), "{}");
    assert!(!long.ok && long.text.len() < 1_000);
}

#[tokio::test]
async fn calls_of_one_round_run_side_by_side_and_keep_their_own_ids() {
    let bench = Bench::new();
    let (subset, _) = Registry::builtin().for_member(&[], &[], true);
    let calls = (0..20).map(|number| {
        let cx = ToolCx { new_reminder_id: format!("id{number:06}"), ..bench.cx.clone() };
        subset.run("add_reminder", "{\"content\":\"same\"}", cx)
    });
    let outcomes = futures_util::future::join_all(calls).await;
    let ids: BTreeSet<String> =
        outcomes.iter().map(|outcome| format!("{:?}", outcome.changes)).collect();
    assert_eq!(ids.len(), 20);
}

#[test]
fn of_many_calls_that_create_one_file_a_single_one_wins() {
    let bench = Bench::new();
    let (subset, _) = Registry::builtin().for_member(&texts(&["ws_mod"]), &[], true);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let outcomes = runtime.block_on(async {
        let calls = (0..16).map(|number| {
            let raw = format!("{{\"path\":\"d/one\",\"content\":\"{number}\"}}");
            let (subset, cx) = (&subset, bench.cx.clone());
            async move { subset.run("create_new_file", &raw, cx).await }
        });
        futures_util::future::join_all(calls).await
    });
    assert_eq!(outcomes.iter().filter(|outcome| outcome.ok).count(), 1);
    assert_eq!(std::fs::read_dir(bench.at("d")).unwrap().count(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_name_and_no_text_makes_a_run_fail(name in "[a-z_]{0,12}", raw in ".{0,60}") {
        let outcome = Bench::new().run_raw(&name, &raw);
        prop_assert!(!outcome.text.is_empty());
    }
}
