//! Who gets which tools, and what happens to calls that make no sense.

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::domain::Secrets;
use crate::tools::test_support::{TestBench, schema_lines};

const INTRINSIC: [&str; 9] = control::NAMES;

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// The intrinsic tools, those of the toolsets and those named, in the order of the registry.
fn offered<'a>(registry: &'a Registry, toolsets: &[&str], tools: &[&str]) -> Vec<&'a str> {
    let granted = |name: &str| {
        let sets = registry.toolsets.iter().filter(|(set, _)| toolsets.contains(&set.as_str()));
        tools.contains(&name) || sets.flat_map(|(_, names)| names).any(|found| found == name)
    };
    let names = registry.tools.iter().map(|tool| tool.spec().name.as_ref());
    names.filter(|name| INTRINSIC.contains(name) || granted(name)).collect()
}

#[test]
fn k12_a_member_has_what_was_granted_and_the_intrinsic_tools() {
    let registry = Registry::builtin();
    let all: Vec<&str> = registry.toolsets.keys().map(String::as_str).collect();
    let but = |without: &[&str]| -> Vec<&str> {
        all.iter().copied().filter(|name| !without.contains(name)).collect()
    };
    let none: &[&str] = &[];
    for (toolsets, tools, expected, unknown) in [
        (vec![], vec![], offered(&registry, none, none), vec![]),
        (vec!["control", "ws_read"], vec![], offered(&registry, &["ws_read"], none), vec![]),
        (vec!["ws_mod"], vec![], offered(&registry, &["ws_mod"], none), vec![]),
        (vec!["*"], vec![], offered(&registry, &all, none), vec![]),
        (vec!["*", "!ws_mod"], vec![], offered(&registry, &but(&["ws_mod"]), none), vec![]),
        (
            vec!["!ws_mod", "*", "!ws_read"],
            vec![],
            offered(&registry, &but(&["ws_mod", "ws_read"]), none),
            vec![],
        ),
        (vec!["list_dir"], vec!["read_file"], offered(&registry, none, &files::READING), vec![]),
        (vec!["*", "!control"], vec![], offered(&registry, &all, none), vec![]),
        (
            vec!["no_set", "ws_read", "!nope"],
            vec!["shell"],
            offered(&registry, &["ws_read"], none),
            vec!["no_set", "!nope", "shell"],
        ),
        (
            vec!["ws_read", "!read_file", "!list_dir"],
            vec![],
            offered(&registry, &["ws_read"], none)
                .into_iter()
                .filter(|name| !files::READING.contains(name))
                .collect(),
            vec![],
        ),
        (vec!["", "WS_READ"], vec![""], offered(&registry, none, none), vec!["", "WS_READ", ""]),
    ] {
        let (subset, odd) = registry.for_member(&texts(&toolsets), &texts(&tools), true);
        let names: Vec<&str> = subset.specs().map(|spec| spec.name.as_ref()).collect();
        let whole = |name: &&str| *name == "*" || all.contains(name);
        let man = toolsets.iter().any(whole).then_some("man");
        let expected: Vec<&str> = expected.into_iter().chain(man).collect();
        assert_eq!(names, expected, "{toolsets:?} {tools:?}");
        assert_eq!(odd, unknown);
    }
    let without = texts(&["ws_mod", "!create_new_file"]);
    let (subset, _) = registry.for_member(&without, &[], true);
    assert!(subset.contains("read_file") && subset.contains("ripgrep_files"));
    assert!(!subset.contains("create_new_file"));
}

#[test]
fn a_side_dialog_is_not_offered_what_changes_the_task_document() {
    let (subset, _) =
        Registry::builtin().for_member(&texts(&["*"]), &texts(&["change_mind"]), false);
    assert!(ONLY_MAIN.iter().all(|name| !subset.contains(name)) && subset.contains("clear_mind"));
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
    for tool in Registry::builtin().every_tool() {
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
fn a_tool_has_one_name_for_the_model_and_runs_by_the_other_too() {
    let bench = TestBench::new();
    let registry = Registry::builtin();
    let run = |subset: &ToolSubset, name: &str, more: Value| {
        let mut args = serde_json::json!({"path": "a", "content": "x"});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        bench.finish(subset.run(name, &args.to_string(), bench.cx.clone()))
    };
    let append = |subset: &ToolSubset| run(subset, "file_append", serde_json::json!({}));
    let (modifies, _) = registry.for_member(&texts(&["ws_mod"]), &[], true);
    assert!(modifies.contains("prepare_file_append") && !modifies.contains("file_append"));
    assert!(append(&modifies).ok);
    let recent = modifies.clone().with_recent_names();
    assert!(recent.contains("file_append") && recent.contains("read_file"));
    for name in edits::NAMES {
        assert!(!recent.contains(name), "{name}");
    }
    let prepared = run(&recent, "prepare_file_append", serde_json::json!({}));
    assert!(append(&recent).ok && prepared.ok, "{}", prepared.text);
    let (reads, _) = registry.for_member(&texts(&["ws_read"]), &[], true);
    assert!(!append(&reads).ok, "it is neither shown nor run");
    assert!(!append(&modifies.and(&reads)).ok, "nor lent");
    let (named, unknown) = registry.for_member(&[], &texts(&["file_append"]), true);
    assert!(named.contains("file_append") && unknown.is_empty());
    assert!(!run(&named, "prepare_file_append", serde_json::json!({})).ok);
    assert_eq!(bench.text("a"), "x\nx\n");
}

#[test]
fn every_schema_is_what_providers_were_given_before() {
    let (all, _) = Registry::builtin().for_member(&texts(&["*"]), &[], true);
    insta::assert_snapshot!("schemas", schema_lines(all.specs()));
}

#[test]
fn a_call_that_makes_no_sense_runs_nothing_and_says_why() {
    let bench = TestBench::new();
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

#[test]
fn calls_of_one_round_run_side_by_side_and_keep_their_own_ids() {
    let calls = vec![("add_reminder", "{\"content\":\"same\"}".to_owned()); 20];
    let outcomes = TestBench::new().round(&calls);
    let ids: BTreeSet<String> =
        outcomes.iter().map(|outcome| format!("{:?}", outcome.changes)).collect();
    assert_eq!(ids.len(), 20);
}

#[test]
fn of_many_calls_that_create_one_file_a_single_one_wins() {
    let bench = TestBench::new();
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

#[test]
fn a_key_is_taken_out_of_a_result_before_the_result_is_cut() {
    let mut bench = TestBench::new();
    let key = "q".repeat(40);
    bench.put("keys.txt", format!("{key}\n").repeat(5_000));
    bench.cx.keys = Arc::new(Secrets::named(vec!["A_KEY".to_owned()], |_| Some(key.clone())));
    let args = serde_json::json!({"path": "keys.txt", "max_lines": 5_000});
    let read = bench.run("read_file", &args);
    assert!(read.ok && read.text.contains("[redacted]") && !read.text.contains("qqq"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_name_and_no_text_makes_a_run_fail(name in "[a-z_]{0,12}", raw in ".{0,60}") {
        let outcome = TestBench::new().run_raw(&name, &raw);
        prop_assert!(!outcome.text.is_empty());
    }
}

#[test]
fn who_has_what_two_have_has_the_toolsets_that_both_have_whole() {
    let registry = Registry::builtin();
    let of = |names: &[&str]| registry.for_member(&texts(names), &[], true).0;
    let both = of(&["*", "!ws_mod"]).and(&of(&["ws_read", "ws_mod", "list_dir"]));
    assert_eq!(both.toolsets.iter().collect::<Vec<_>>(), ["ws_read"]);
}
