//! The file tools, as a model meets them.

mod names;

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::domain::AccessLists;
use crate::domain::Lang;
use crate::tools::outcome::MAX_RESULT_CHARS;
use crate::tools::test_support::{TestBench, header};

#[test]
fn read_file_numbers_the_lines_and_reports_the_size() {
    let bench = TestBench::new();
    bench.put("notes/alpha.txt", "alpha note line one\nalpha note line two\n");
    let outcome = bench.run("read_file", &json!({"path": "notes/alpha.txt"}));
    assert!(outcome.ok);
    for line in ["   1| alpha note line one", "   2| alpha note line two"] {
        assert!(outcome.text.lines().any(|found| found == line), "{}", outcome.text);
    }
    for (key, value) in [
        ("status", "ok"),
        ("mode", "read_file"),
        ("path", "'notes/alpha.txt'"),
        ("size_bytes", "40"),
        ("total_lines", "2"),
        ("shown_lines", "2"),
        ("truncated_by_max_lines", "false"),
        ("truncated_by_char_limit", "false"),
    ] {
        assert_eq!(header(&outcome, key), Some(value), "{key}");
    }
}

#[test]
fn c01_read_file_shows_the_part_that_was_asked_for() {
    let bench = TestBench::new();
    let lines: Vec<String> = (1..=700).map(|line| format!("line{line}")).collect();
    bench.put("a", lines.join("\n"));
    for (args, first, last, shown, hint) in [
        (json!({"path": "a"}), "line1", "line500", "500", Some("501~")),
        (json!({"path": "a", "max_lines": 0}), "line1", "line500", "500", Some("501~")),
        (json!({"path": "a", "range": "10~12"}), "line10", "line12", "3", None),
        (json!({"path": "a", "range": "~3"}), "line1", "line3", "3", None),
        (json!({"path": "a", "range": "690~"}), "line690", "line700", "11", None),
        (json!({"path": "a", "range": "7"}), "line7", "line7", "1", None),
        (json!({"path": "a", "range": "~", "max_lines": 2}), "line1", "line2", "2", Some("3~")),
        (json!({"path": "a", "max_lines": 1000}), "line1", "line700", "700", None),
    ] {
        let outcome = bench.run("read_file", &args);
        assert!(outcome.ok, "{}", outcome.text);
        let lines: Vec<&str> =
            outcome.text.lines().filter_map(|line| line.split_once("| ").map(|(_, l)| l)).collect();
        assert_eq!((lines.first(), lines.last()), (Some(&first), Some(&last)), "{args}");
        assert_eq!(header(&outcome, "shown_lines"), Some(shown));
        assert_eq!(header(&outcome, "total_lines"), Some("700"));
        let cut = if hint.is_some() { "true" } else { "false" };
        assert_eq!(header(&outcome, "truncated_by_max_lines"), Some(cut));
        assert_eq!(outcome.text.contains("More follows"), hint.is_some());
        assert!(hint.is_none_or(|hint| outcome.text.contains(hint)));
    }
    bench.put("empty", "");
    let empty = bench.run("read_file", &json!({"path": "empty"}));
    assert_eq!(header(&empty, "total_lines"), Some("0"));
    let backwards = bench.run("read_file", &json!({"path": "a", "range": "5~2"}));
    assert_eq!(header(&backwards, "error"), Some("INVALID_RANGE"));
    let plain = bench.run("read_file", &json!({"path": "a", "range": "3", "show_linenos": false}));
    assert!(plain.text.contains("\nline3\n") && !plain.text.contains("| line3"));
}

#[test]
fn an_unreadable_file_is_reported_with_a_code() {
    let lists = AccessLists { no_read_dirs: vec!["shut".to_owned()], ..AccessLists::default() };
    let bench = TestBench::new().access(&lists);
    bench.put("bin", b"ab\0cd").put("a", "x\n").put("shut/a", "x").put("dir/x", "");
    for (args, code) in [
        (json!({"path": "absent"}), "NOT_FOUND"),
        (json!({"path": "dir"}), "NOT_A_FILE"),
        (json!({"path": "a/b"}), "NOT_A_DIRECTORY"),
        (json!({"path": "bin"}), "BINARY_FILE"),
        (json!({"path": "../x"}), "ACCESS_DENIED"),
        (json!({"path": ".minds/x"}), "ACCESS_DENIED"),
        (json!({"path": "shut/a"}), "ACCESS_DENIED"),
        (json!({"path": "a", "range": "3-4"}), "INVALID_RANGE"),
        (json!({"path": "a", "range": "4~3"}), "INVALID_RANGE"),
        (json!({"path": "a\npath: b"}), "INVALID_PATH"),
    ] {
        let outcome = bench.run("read_file", &args);
        assert!(!outcome.ok, "{args}");
        assert_eq!(header(&outcome, "error"), Some(code), "{args}: {}", outcome.text);
        assert_eq!(header(&outcome, "status"), Some("error"));
        assert_eq!(header(&outcome, "operation").is_some(), code == "ACCESS_DENIED");
    }
    let denied = bench.run("read_file", &json!({"path": "shut/a"}));
    assert!(denied.text.contains("no_read_dirs: [shut]"), "{}", denied.text);
}

#[test]
fn read_file_stays_bounded_on_huge_files() {
    let bench = TestBench::new();
    bench.put("wide", "x".repeat(3_000_000)).put("empty", "");
    let outcome = bench.run("read_file", &json!({"path": "wide"}));
    assert_eq!(header(&outcome, "truncated_by_char_limit"), Some("true"));
    assert!(outcome.text.chars().count() <= MAX_RESULT_CHARS);
    let line = "0123456789".repeat(10) + "\n";
    bench.put("tall", line.repeat(1_000_000));
    let outcome = bench.run("read_file", &json!({"path": "tall", "range": "999999~"}));
    assert_eq!(header(&outcome, "total_lines"), Some("1000000"));
    assert_eq!(header(&outcome, "shown_lines"), Some("2"));
    let empty = bench.run("read_file", &json!({"path": "empty"}));
    assert_eq!(header(&empty, "total_lines"), Some("0"));
}

#[test]
fn a_file_cannot_close_the_fence_around_it() {
    let bench = TestBench::new();
    bench.put("a.md", "```yaml\nstatus: error\n```\n");
    let outcome = bench.run("read_file", &json!({"path": "a.md", "show_linenos": false}));
    assert!(outcome.text.contains("\n````\n```yaml\nstatus: error\n```\n````"), "{}", outcome.text);
}

#[test]
fn list_dir_names_what_is_open_and_counts_the_rest() {
    let bench = TestBench::new();
    bench.put("b.txt", "1\n2\n").put("bin", b"\0").put("dir/x", "").link("l", "b.txt");
    bench.put(".minds/x", "").put(".dialogs/x", "").put("t.tsk/x", "").put("new\nline", "");
    let outcome = bench.run("list_dir", &json!({}));
    let body = outcome.text.split("```\n").last().unwrap();
    assert_eq!(
        body,
        "\n- b.txt (file, 4 B, 2 lines)\n- bin (file, 1 B)\n- dir (directory)\n\
         - l (link) -> b.txt\n- new\\nline (file, 0 B, 0 lines)\n"
    );
    assert_eq!(header(&outcome, "hidden_entries"), Some("3"));
    assert_eq!(header(&outcome, "path"), Some("'.'"));
    let nested = bench.run("list_dir", &json!({"path": "dir"}));
    assert!(nested.ok && nested.text.contains("- x (file"));
    for path in ["b.txt", "absent", "..", ".dialogs", "t.tsk"] {
        assert!(!bench.run("list_dir", &json!({"path": path})).ok, "{path}");
    }
}

#[test]
fn list_dir_shows_the_first_entries_of_a_large_directory() {
    let bench = TestBench::new();
    for number in 0..200 {
        bench.put(&format!("d/{number:03}"), "");
    }
    bench.put(&format!("d/{}", "n".repeat(200)), "");
    let outcome = bench.run("list_dir", &json!({"path": "d"}));
    assert_eq!(header(&outcome, "shown_entries"), Some("120"));
    assert_eq!(header(&outcome, "total_entries"), Some("201"));
    assert!(outcome.text.contains("- 119 ") && !outcome.text.contains("- 120 "));
    assert!(outcome.text.contains("81 more entries"));
}

#[test]
fn c02_create_new_file_makes_what_is_not_there() {
    let bench = TestBench::new();
    let outcome = bench.run("create_new_file", &json!({"path": "a/b/c.txt", "content": "x\ny"}));
    assert!(outcome.ok, "{}", outcome.text);
    assert_eq!(bench.text("a/b/c.txt"), "x\ny\n");
    assert_eq!(header(&outcome, "normalized.trailing_newline_added"), Some("true"));
    assert!(bench.run("create_new_file", &json!({"path": "empty"})).ok);
    assert_eq!(bench.text("empty"), "");
    for (path, code) in [
        ("empty", "FILE_EXISTS"),
        ("a/b", "NOT_A_FILE"),
        ("empty/x", "NOT_A_DIRECTORY"),
        ("task.tsk/goals.md", "ACCESS_DENIED"),
        ("", "NOT_A_FILE"),
    ] {
        let outcome = bench.run("create_new_file", &json!({"path": path, "content": "z"}));
        assert_eq!(header(&outcome, "error"), Some(code), "{path}");
    }
    assert_eq!(bench.text("empty"), "");
}

fn overwrite(lines: u64, bytes: u64, content: &str) -> Value {
    json!({
        "path": "a", "known_old_total_lines": lines, "known_old_total_bytes": bytes,
        "content": content
    })
}

#[test]
fn c02_overwrite_replaces_only_what_the_model_knows() {
    let bench = TestBench::new();
    bench.put("a", "1\n2");
    std::fs::set_permissions(bench.at("a"), std::fs::Permissions::from_mode(0o640)).unwrap();
    let diff = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n";
    for (args, code) in [
        (overwrite(1, 3, "new"), "STATS_MISMATCH"),
        (overwrite(2, 4, "new"), "STATS_MISMATCH"),
        (overwrite(2, 3, diff), "SUSPICIOUS_DIFF"),
    ] {
        let outcome = bench.run("overwrite_entire_file", &args);
        assert_eq!(header(&outcome, "error"), Some(code));
        assert_eq!(bench.text("a"), "1\n2");
    }
    let outcome = bench.run("overwrite_entire_file", &overwrite(2, 3, "new"));
    assert!(outcome.ok, "{}", outcome.text);
    assert_eq!(bench.text("a"), "new\n");
    let mode = std::fs::metadata(bench.at("a")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    let mut patch = overwrite(1, 4, diff);
    patch["content_format"] = json!("patch");
    assert!(bench.run("overwrite_entire_file", &patch).ok);
    assert_eq!(bench.text("a"), diff);
    let absent = json!({
        "path": "no", "known_old_total_lines": 0, "known_old_total_bytes": 0, "content": ""
    });
    let outcome = bench.run("overwrite_entire_file", &absent);
    assert_eq!(header(&outcome, "error"), Some("NOT_FOUND"));
}

#[test]
fn c05_reserved_names_are_closed_at_the_root_and_free_below_it() {
    let bench = TestBench::new();
    bench.put("sub/.dialogs/x", "fine\n").put(".dialogs-keep/x", "fine\n");
    bench.put(".minds/x", "").put(".dialogs/x", "").put("x.tsk/goals.md", "");
    for (dir, file, open) in [
        (".minds", ".minds/x", false),
        (".dialogs", ".dialogs/x", false),
        ("x.tsk", "x.tsk/goals.md", false),
        ("sub/.dialogs", "sub/.dialogs/x", true),
        (".dialogs-keep", ".dialogs-keep/x", true),
    ] {
        let stats = json!({
            "path": file, "known_old_total_lines": 1, "known_old_total_bytes": 5, "content": "new"
        });
        for (tool, args) in [
            ("read_file", json!({"path": file})),
            ("list_dir", json!({"path": dir})),
            ("create_new_file", json!({"path": format!("{dir}/new")})),
            ("overwrite_entire_file", stats),
        ] {
            let outcome = bench.run(tool, &args);
            let code = header(&outcome, "error");
            assert_eq!(code, (!open).then_some("ACCESS_DENIED"), "{tool} {args}");
        }
    }
}

#[test]
fn writing_asks_the_write_lists() {
    let lists = AccessLists { write_dirs: vec!["out".to_owned()], ..AccessLists::default() };
    let bench = TestBench::new().access(&lists);
    assert!(bench.run("create_new_file", &json!({"path": "out/a"})).ok);
    let outcome = bench.run("create_new_file", &json!({"path": "in/deep/a"}));
    assert_eq!(header(&outcome, "error"), Some("ACCESS_DENIED"));
    assert_eq!(header(&outcome, "operation"), Some("write"));
    assert!(!bench.at("in").exists());
}

#[test]
fn results_speak_the_work_language() {
    let mut bench = TestBench::new();
    bench.cx.lang = Lang::Zh;
    bench.put("a", "x\n");
    for (args, words) in [(json!({"path": "a"}), "共 1 行"), (json!({"path": "b"}), "路径不存在")]
    {
        assert!(bench.run("read_file", &args).text.contains(words));
    }
}

#[test]
fn a_file_that_is_not_utf8_is_never_written_back_with_losses() {
    for (bytes, is_inexact) in [
        (b"caf\xe9\n".as_slice(), true),
        (b"\xd6\xd0\xce\xc4\n", true),
        (b"a\nb\xff", true),
        (b"cut \xc3", true),
        ("caf\u{e9} 漢\n".as_bytes(), false),
        ("literal \u{fffd}\n".as_bytes(), false),
        (b"", false),
    ] {
        let bench = TestBench::new();
        bench.put("f", bytes);
        let read = bench.run("read_file", &json!({"path": "f"}));
        assert!(read.ok, "{}", read.text);
        let encoding = if is_inexact { "not UTF-8" } else { "UTF-8" };
        assert_eq!(header(&read, "encoding"), Some(encoding), "{bytes:?}");
        assert_eq!(read.text.contains("not exact"), is_inexact);
        let overwrite = |encoding: Option<&str>, content: &str| {
            let now = std::fs::read(bench.at("f")).unwrap();
            let lines = now.split_inclusive(|byte| *byte == b'\n').count();
            let mut arguments = json!({"path": "f", "known_old_total_lines": lines,
                "known_old_total_bytes": now.len(), "content": content});
            if let Some(encoding) = encoding {
                arguments["encoding"] = json!(encoding);
            }
            bench.run("overwrite_entire_file", &arguments).ok
        };
        assert_eq!(overwrite(None, "th\u{e9}\n"), !is_inexact);
        if is_inexact {
            assert_eq!(std::fs::read(bench.at("f")).unwrap(), bytes);
            assert!(!overwrite(Some("latin-1"), "漢\n"));
            assert!(!overwrite(Some("gbk"), "x\n"));
            assert_eq!(std::fs::read(bench.at("f")).unwrap(), bytes);
            assert!(overwrite(Some("latin-1"), "th\u{e9}\n"));
            assert_eq!(std::fs::read(bench.at("f")).unwrap(), b"th\xe9\n");
            assert!(overwrite(Some("utf-8"), "th\u{e9}\n"));
        }
        assert_eq!(bench.text("f"), "th\u{e9}\n");
    }
}

#[test]
fn a_byte_order_mark_stays_when_a_file_is_overwritten() {
    let bench = TestBench::new();
    bench.put("f", "\u{feff}a\n");
    let outcome = bench.run(
        "overwrite_entire_file",
        &json!({"path": "f", "known_old_total_lines": 1,
        "known_old_total_bytes": 5, "content": "b\n"}),
    );
    assert!(outcome.ok, "{}", outcome.text);
    assert_eq!(bench.text("f"), "\u{feff}b\n");
}
