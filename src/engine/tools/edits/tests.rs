//! The editing tools, as a model meets them.

use std::time::Duration;

use serde_json::{Value, json};

use crate::domain::AccessLists;
use crate::tools::args::Args;
use crate::tools::outcome::ToolOutcome;
use crate::tools::test_support::{TestBench, header};
use crate::tools::typed::ToolArgs;

/// The arguments of a call; the path and the content have defaults.
pub(super) fn args<A: ToolArgs>(call: &Value) -> A {
    let mut all = json!({"path": "a", "content": "new"});
    all.as_object_mut().unwrap().extend(call.as_object().unwrap().clone());
    Args::read(&all.to_string()).unwrap().typed().unwrap()
}

/// A prepared edit's id, from the result of its preparation.
fn id(outcome: &ToolOutcome) -> String {
    assert!(outcome.ok, "{}", outcome.text);
    header(outcome, "hunk_id").unwrap().trim_matches('\'').to_owned()
}

fn prepared(bench: &TestBench, range: &str, content: &str) -> String {
    let call = json!({"path": "a", "range": range, "content": content});
    id(&bench.run("prepare_file_range_edit", &call))
}

fn apply(bench: &TestBench, id: &str) -> ToolOutcome {
    bench.run("apply_file_modification", &json!({"hunk_id": id}))
}

#[test]
fn c03_an_edit_is_prepared_shown_and_then_applied_once() {
    let bench = TestBench::new();
    bench.put("a", "1\n2\n3\n");
    let outcome =
        bench.run("prepare_file_range_edit", &json!({"path": "a", "range": "2", "content": "two"}));
    let id = id(&outcome);
    assert_eq!(bench.text("a"), "1\n2\n3\n", "preparing writes nothing");
    for (key, value) in [
        ("status", "ok"),
        ("mode", "prepare_file_range_edit"),
        ("path", "'a'"),
        ("expires_in_minutes", "60"),
        ("file_total_lines", "3"),
        ("old_lines", "2~2"),
        ("new_lines", "2~2"),
        ("normalized.content_trailing_newline_added", "true"),
        ("normalized.file_trailing_newline_added", "false"),
    ] {
        assert_eq!(header(&outcome, key), Some(value), "{key}");
    }
    assert!(
        outcome.text.contains("```diff\n--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n")
    );
    let applied = apply(&bench, &id);
    assert!(applied.ok, "{}", applied.text);
    assert_eq!(header(&applied, "match"), Some("exact"));
    assert_eq!(
        (header(&applied, "total_lines"), header(&applied, "size_bytes")),
        (Some("3"), Some("8"))
    );
    assert_eq!(bench.text("a"), "1\ntwo\n3\n");
    let again = apply(&bench, &id);
    assert_eq!(header(&again, "error"), Some("HUNK_NOT_FOUND"));
    assert_eq!(bench.text("a"), "1\ntwo\n3\n");
}

#[test]
fn c03_an_edit_follows_its_lines_in_a_file_that_changed_or_is_refused() {
    let ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
    for (now, result) in [
        ("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", Ok("0\n1\n2\n3\n4\nx\n6\n7\n8\n9\n10\n")),
        ("1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n", Err("CONTENT_CHANGED")),
        ("a\n5\nb\n", Err("APPLY_REJECTED_CONTEXT_LOST")),
        ("a\n2\n3\n4\n5\nb\n2\n3\n4\n5\nc\n", Err("AMBIGUOUS_MATCH")),
    ] {
        let bench = TestBench::new();
        bench.put("a", ten);
        let id = prepared(&bench, "5", "x");
        bench.put("a", now);
        let outcome = apply(&bench, &id);
        let found = if outcome.ok { Ok("fuzz") } else { Err(header(&outcome, "error").unwrap()) };
        assert_eq!(found, result.map(|_| "fuzz"), "{now:?}: {}", outcome.text);
        assert_eq!(header(&outcome, "match"), found.ok());
        assert_eq!(bench.text("a"), result.unwrap_or(now));
        if result.is_err() {
            bench.put("a", ten);
            assert!(apply(&bench, &id).ok, "a refused edit is kept");
        }
    }
}

#[test]
fn c03_an_edit_belongs_to_its_member_and_lives_an_hour() {
    let mut bench = TestBench::new();
    bench.put("a", "1\n2\n3\n");
    let (first, second) = (prepared(&bench, "1", "x"), prepared(&bench, "2", "y"));
    bench.caller("helper");
    assert_eq!(header(&apply(&bench, &first), "error"), Some("WRONG_OWNER"));
    let call = json!({"path": "a", "range": "1", "content": "z", "existing_hunk_id": first});
    let outcome = bench.run("prepare_file_range_edit", &call);
    assert_eq!(header(&outcome, "error"), Some("WRONG_OWNER"));
    assert_eq!(bench.text("a"), "1\n2\n3\n");
    bench.caller("lead");
    bench.wait(Duration::from_secs(3_599));
    assert!(apply(&bench, &first).ok);
    bench.wait(Duration::from_secs(1));
    assert_eq!(header(&apply(&bench, &second), "error"), Some("HUNK_NOT_FOUND"));
    assert_eq!(bench.text("a"), "x\n2\n3\n");
}

#[test]
fn c04_an_edit_cannot_be_applied_in_the_round_that_prepares_it() {
    let bench = TestBench::new();
    bench.put("a", "1\n2\n3\n");
    let prepare = json!({"path": "a", "range": "1", "content": "x"}).to_string();
    // The id is guessed right: still the preparation is not seen.
    let round = bench.round(&[
        ("apply_file_modification", json!({"hunk_id": "new00002"}).to_string()),
        ("prepare_file_range_edit", prepare.clone()),
    ]);
    assert_eq!(header(&round[0], "error"), Some("HUNK_NOT_FOUND"));
    assert_eq!(id(&round[1]), "new00002");
    // An edit that is being replaced cannot be applied in the same round.
    let replace = json!({
        "path": "a", "range": "1", "content": "y", "existing_hunk_id": "new00002"
    });
    let round = bench.round(&[
        ("prepare_file_range_edit", replace.to_string()),
        ("apply_file_modification", json!({"hunk_id": "new00002"}).to_string()),
    ]);
    assert!(round[0].ok, "{}", round[0].text);
    assert_eq!(header(&round[1], "error"), Some("HUNK_NOT_FOUND"));
    assert_eq!(bench.text("a"), "1\n2\n3\n");
    assert!(apply(&bench, &id(&round[0])).ok);
    assert_eq!(bench.text("a"), "y\n2\n3\n");
}

#[test]
fn a_replacement_that_fails_leaves_the_earlier_edit() {
    let bench = TestBench::new();
    bench.put("a", "1\n2\n3\n");
    let first = prepared(&bench, "1", "x");
    for bad in [
        json!({"path": "a", "range": "9", "content": "y", "existing_hunk_id": first}),
        json!({"path": "no", "range": "1", "content": "y", "existing_hunk_id": first}),
        json!({"path": "a", "range": "1", "content": "1", "existing_hunk_id": first}),
    ] {
        assert!(!bench.run("prepare_file_range_edit", &bad).ok, "{bad}");
    }
    assert!(apply(&bench, &first).ok);
}

#[test]
fn edits_of_one_file_in_one_round_are_applied_in_the_order_of_their_preparation() {
    let bench = TestBench::new();
    bench.put("a", "1\n2\n3\n4\n5\n6\n7\n8\n");
    let append = |text: &str| {
        let call = json!({"path": "a", "content": text});
        id(&bench.run("prepare_file_append", &call))
    };
    let ids =
        [prepared(&bench, "8", "eight"), append("x"), append("y"), prepared(&bench, "1", "one")];
    let calls: Vec<(&str, String)> = [3, 2, 1, 0]
        .map(|at| ("apply_file_modification", json!({"hunk_id": ids[at]}).to_string()))
        .to_vec();
    let round = bench.round(&calls);
    assert!(round.iter().all(|outcome| outcome.ok), "{round:?}");
    assert_eq!(bench.text("a"), "one\n2\n3\n4\n5\n6\n7\neight\nx\ny\n");
}

#[test]
fn every_preparing_tool_finds_its_place_and_keeps_line_ends() {
    let text = "a\r\n<x>\r\nb\r\n</x>\r\nlast";
    for (tool, call, result) in [
        ("prepare_file_append", json!({"content": "z"}), "a\r\n<x>\r\nb\r\n</x>\r\nlast\r\nz\r\n"),
        (
            "prepare_file_insert_after",
            json!({"anchor": "a", "match": "equals", "content": "z\ny\n"}),
            "a\r\nz\r\ny\r\n<x>\r\nb\r\n</x>\r\nlast",
        ),
        (
            "prepare_file_insert_after",
            json!({"anchor": "last", "content": "z"}),
            "a\r\n<x>\r\nb\r\n</x>\r\nlast\r\nz\r\n",
        ),
        (
            "prepare_file_insert_before",
            json!({"anchor": "a", "occurrence": 1, "content": "z"}),
            "z\r\na\r\n<x>\r\nb\r\n</x>\r\nlast",
        ),
        (
            "prepare_file_block_replace",
            json!({"start_anchor": "<x>", "end_anchor": "</x>", "content": "z"}),
            "a\r\n<x>\r\nz\r\n</x>\r\nlast",
        ),
        (
            "prepare_file_block_replace",
            json!({"start_anchor": "<x>", "end_anchor": "</x>", "content": "", "include_anchors": false}),
            "a\r\nlast",
        ),
        ("prepare_file_range_edit", json!({"range": "2~"}), "a\r\n"),
        (
            "prepare_file_range_edit",
            json!({"range": "6~", "content": "z"}),
            "a\r\n<x>\r\nb\r\n</x>\r\nlast\r\nz\r\n",
        ),
    ] {
        let bench = TestBench::new();
        bench.put("a", text);
        let mut call = call;
        call["path"] = json!("a");
        let id = id(&bench.run(tool, &call));
        assert!(apply(&bench, &id).ok, "{tool} {call}");
        assert_eq!(bench.text("a"), result, "{tool} {call}");
    }
}

#[test]
fn what_cannot_be_prepared_is_refused_with_a_code_and_changes_nothing() {
    let bench = TestBench::new();
    bench.put("a", "1\n2\n").put("bin", b"a\0b").put("latin", b"caf\xe9\n").put("dir/x", "");
    bench.put("big", "x".repeat(17 * 1024 * 1024));
    for (tool, call, code) in [
        (
            "prepare_file_range_edit",
            json!({"path": "a", "range": "4~", "content": "x"}),
            "RANGE_OUT_OF_BOUNDS",
        ),
        (
            "prepare_file_range_edit",
            json!({"path": "a", "range": "1", "content": "1"}),
            "NO_CHANGE",
        ),
        (
            "prepare_file_range_edit",
            json!({"path": "no", "range": "1", "content": "1"}),
            "NOT_FOUND",
        ),
        (
            "prepare_file_range_edit",
            json!({"path": "dir", "range": "1", "content": "1"}),
            "NOT_A_FILE",
        ),
        (
            "prepare_file_range_edit",
            json!({"path": "bin", "range": "1", "content": "1"}),
            "NOT_TEXT",
        ),
        (
            "prepare_file_range_edit",
            json!({"path": "latin", "range": "1", "content": "1"}),
            "NOT_TEXT",
        ),
        (
            "prepare_file_range_edit",
            json!({"path": "big", "range": "1", "content": "1"}),
            "FILE_TOO_LARGE",
        ),
        (
            "prepare_file_append",
            json!({"path": "no", "create": false, "content": "x"}),
            "NOT_FOUND",
        ),
        ("prepare_file_append", json!({"path": "no", "content": ""}), "NO_CHANGE"),
        ("prepare_file_append", json!({"path": "t.tsk/no", "content": "x"}), "ACCESS_DENIED"),
        (
            "prepare_file_insert_after",
            json!({"path": "a", "anchor": "9", "content": "x"}),
            "ANCHOR_NOT_FOUND",
        ),
        (
            "prepare_file_append",
            json!({"path": "a", "content": "x", "existing_hunk_id": "no"}),
            "HUNK_NOT_FOUND",
        ),
        ("apply_file_modification", json!({"hunk_id": ""}), "HUNK_NOT_FOUND"),
    ] {
        let outcome = bench.run(tool, &call);
        assert_eq!(header(&outcome, "error"), Some(code), "{tool} {call}: {}", outcome.text);
    }
    assert!(!bench.at("no").exists());
}

#[test]
fn an_append_may_make_the_file_but_takes_no_ones_place() {
    let bench = TestBench::new();
    let prepare = |path: &str| {
        let outcome = bench.run("prepare_file_append", &json!({"path": path, "content": "x"}));
        assert_eq!(header(&outcome, "file_is_new"), Some("true"));
        assert!(outcome.text.contains("--- /dev/null\n"));
        id(&outcome)
    };
    let (first, second) = (prepare("d/new"), prepare("d/new"));
    assert!(!bench.at("d").exists(), "preparing makes no directories");
    assert!(apply(&bench, &first).ok);
    assert_eq!(bench.text("d/new"), "x\n");
    let outcome = apply(&bench, &second);
    assert_eq!(header(&outcome, "error"), Some("APPLY_REJECTED_FILE_APPEARED"));
}

#[test]
fn a_path_that_leads_to_another_file_by_now_is_not_edited() {
    let bench = TestBench::new();
    bench.put("one", "1\n2\n").put("two", "1\n2\n").link("a", "one");
    let id = prepared(&bench, "1", "x");
    std::fs::remove_file(bench.at("a")).unwrap();
    bench.link("a", "two");
    let outcome = apply(&bench, &id);
    assert_eq!(header(&outcome, "error"), Some("APPLY_REJECTED_PLACE_CHANGED"));
    assert_eq!((bench.text("one"), bench.text("two")), ("1\n2\n".into(), "1\n2\n".into()));
}

#[test]
fn an_edit_needs_the_rights_to_read_and_to_write() {
    for lists in [
        AccessLists { no_read_dirs: vec!["a".to_owned()], ..AccessLists::default() },
        AccessLists { no_write_dirs: vec!["a".to_owned()], ..AccessLists::default() },
    ] {
        let bench = TestBench::new().access(&lists);
        bench.put("a", "1\n");
        let call = json!({"path": "a", "range": "1", "content": "x"});
        let outcome = bench.run("prepare_file_range_edit", &call);
        assert_eq!(header(&outcome, "error"), Some("ACCESS_DENIED"));
    }
}

#[test]
fn an_edit_at_once_is_the_edit_of_two_steps() {
    for (at_once, two_steps, more) in [
        ("file_append", "prepare_file_append", json!({})),
        ("file_insert_after", "prepare_file_insert_after", json!({"anchor": "2"})),
        ("file_insert_before", "prepare_file_insert_before", json!({"anchor": "2"})),
        ("file_range_edit", "prepare_file_range_edit", json!({"range": "2~3"})),
        (
            "file_block_replace",
            "prepare_file_block_replace",
            json!({"start_anchor": "1", "end_anchor": "3"}),
        ),
    ] {
        let mut call = json!({"path": "a", "content": "new"});
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let [one, two] = [TestBench::new(), TestBench::new()];
        let text = "1\r\n2\r\n3";
        one.put("a", text);
        two.put("a", text);
        call["preview"] = json!(true);
        let shown = one.run(at_once, &call);
        assert!(shown.ok && shown.text.contains("Nothing is written"), "{}", shown.text);
        assert!(shown.file_changes.is_empty() && one.text("a") == text);
        call["preview"] = json!(null);
        let made = one.run(at_once, &call);
        assert!(made.ok, "{}", made.text);
        assert_eq!(header(&made, "mode"), Some(at_once));
        assert_eq!(header(&made, "hunk_id"), None);
        call.as_object_mut().unwrap().remove("preview");
        let id = id(&two.run(two_steps, &call));
        let applied = apply(&two, &id);
        assert_eq!(one.text("a"), two.text("a"), "{at_once}");
        assert_eq!(made.file_changes, applied.file_changes);
    }
}

#[test]
fn edits_at_once_of_one_round_are_made_in_their_order() {
    let bench = TestBench::new();
    let calls: Vec<(&str, String)> = (0..20)
        .map(|n| ("file_append", json!({"path": "a", "content": n.to_string()}).to_string()))
        .collect();
    let outcomes = bench.round(&calls);
    assert!(outcomes.iter().all(|outcome| outcome.ok));
    let expected: String = (0..20).flat_map(|n| [n.to_string(), "\n".to_owned()]).collect();
    assert_eq!(bench.text("a"), expected);
}

#[test]
fn an_edit_at_once_that_is_refused_changes_nothing_and_is_not_kept() {
    let bench = TestBench::new();
    bench.put("a", "1\n");
    for (tool, call, code) in [
        ("file_append", json!({"path": "no", "content": "x", "create": false}), "NOT_FOUND"),
        ("file_append", json!({"path": "../b", "content": "x"}), "ACCESS_DENIED"),
        (
            "file_range_edit",
            json!({"path": "a", "range": "9", "content": "x"}),
            "RANGE_OUT_OF_BOUNDS",
        ),
        ("file_range_edit", json!({"path": "a", "range": "1", "content": "1"}), "NO_CHANGE"),
        (
            "file_insert_after",
            json!({"path": "a", "anchor": "z", "content": "x"}),
            "ANCHOR_NOT_FOUND",
        ),
    ] {
        let refused = bench.run(tool, &call);
        assert!(!refused.ok && refused.file_changes.is_empty(), "{}", refused.text);
        assert_eq!(header(&refused, "error"), Some(code), "{call}");
    }
    let odd = bench.run("file_append", &json!({"path": "a", "content": "x", "preview": "yes"}));
    assert!(!odd.ok && odd.text.contains("`preview`"), "{}", odd.text);
    assert_eq!(bench.text("a"), "1\n");
    for n in 1..9 {
        assert!(!apply(&bench, &format!("new{n:05}")).ok);
    }
}
