//! The search tools, as a model meets them.

use serde_json::json;

use super::query::Query;
use super::{list_files, run};
use crate::domain::{AccessLists, Lang};
use crate::guard::Guard;
use crate::tools::outcome::ToolOutcome;
use crate::tools::stop::StopFlag;
use crate::tools::test_support::{TestBench, header};

/// Returns the text inside the fence of a result.
fn body(outcome: &ToolOutcome) -> &str {
    let after = outcome.text.split_once("\n```\n\n```\n").map_or("", |(_, after)| after);
    after.split("```").next().unwrap_or_default()
}

fn tree() -> TestBench {
    let bench = TestBench::new();
    bench.put("src/main.rs", "fn main() {\n    needle();\n}\n");
    bench.put("src/lib.rs", "pub fn needle() {}\n// Needle\n// needles\n");
    bench.put("docs/a.md", "no such thing\nneedle\nafter\n");
    bench.put(".hidden/x.md", "needle\n").put(".env", "needle=1\n");
    bench.put("bin", b"needle\0").put("target/out.rs", "needle\n");
    bench.put(".gitignore", "target/\n");
    bench.put(".minds/team.yaml", "needle").put(".dialogs/x", "needle");
    bench.put("task.tsk/goals.md", "needle").put(".git/config", "needle");
    bench
}

#[test]
fn c08_files_that_match_are_named_in_the_order_of_their_paths() {
    let bench = tree();
    for (args, paths) in [
        (json!({"pattern": "needle"}), "docs/a.md\nsrc/lib.rs\nsrc/main.rs\n"),
        (json!({"pattern": "Needle"}), "src/lib.rs\n"),
        (
            json!({"pattern": "NEEDLE", "case": "insensitive"}),
            "docs/a.md\nsrc/lib.rs\nsrc/main.rs\n",
        ),
        (json!({"pattern": "needle", "path": "src"}), "src/lib.rs\nsrc/main.rs\n"),
        (json!({"pattern": "needle", "path": "src/lib.rs"}), "src/lib.rs\n"),
        (json!({"pattern": "needle", "path": "target"}), "target/out.rs\n"),
        (json!({"pattern": "needle", "globs": ["*.md"]}), "docs/a.md\n"),
        (json!({"pattern": "needle", "globs": ["!src/**"]}), "docs/a.md\n"),
        (json!({"pattern": "fn.*\\{$"}), "src/main.rs\n"),
        (
            json!({"pattern": "()", "fixed_strings": true, "max_files": 9}),
            "src/lib.rs\nsrc/main.rs\n",
        ),
        (
            json!({"pattern": "needle", "include_hidden": true}),
            ".env\n.hidden/x.md\ndocs/a.md\nsrc/lib.rs\nsrc/main.rs\n",
        ),
    ] {
        let outcome = bench.run("ripgrep_files", &args);
        assert!(outcome.ok, "{args}: {}", outcome.text);
        assert_eq!(body(&outcome), paths, "{args}");
        assert_eq!(header(&outcome, "searched_all"), Some("true"));
    }
}

#[test]
fn c08_no_match_is_a_success_without_results() {
    let bench = tree();
    for (name, args) in [
        ("ripgrep_files", json!({"pattern": "absent"})),
        ("ripgrep_snippets", json!({"pattern": "absent"})),
        ("ripgrep_count", json!({"pattern": "absent"})),
        ("ripgrep_fixed", json!({"literal": "absent"})),
        ("ripgrep_search", json!({"pattern": "absent"})),
    ] {
        let outcome = bench.run(name, &args);
        assert!(outcome.ok, "{name}");
        assert_eq!(header(&outcome, "status"), Some("ok"));
        assert_eq!(header(&outcome, "shown_files"), Some("0"), "{}", outcome.text);
        assert_eq!(header(&outcome, "summary"), Some("'no match in 4 files'"));
        assert_eq!(header(&outcome, "skipped_binary_files"), Some("1"));
    }
}

#[test]
fn c08_snippets_show_numbered_lines_with_their_surroundings() {
    let bench = tree();
    let outcome = bench.run("ripgrep_snippets", &json!({"pattern": "needle"}));
    assert_eq!(
        body(&outcome),
        "docs/a.md\n1- no such thing\n2: needle\n3- after\n\n\
         src/lib.rs\n1: pub fn needle() {}\n2: // Needle\n3: // needles\n\n\
         src/main.rs\n1- fn main() {\n2:     needle();\n3- }\n"
    );
    let bare = json!({"pattern": "thing", "context_before": 0, "context_after": 0});
    assert_eq!(body(&bench.run("ripgrep_snippets", &bare)), "docs/a.md\n1: no such thing\n");
}

#[test]
fn c08_a_limit_that_was_reached_is_flagged_and_one_that_just_fitted_is_not() {
    let bench = TestBench::new();
    bench.put("a", "x\nx\n").put("b", "x\n");
    for (name, args, shown, flagged) in [
        ("ripgrep_snippets", json!({"pattern": "x", "max_results": 3}), "3", "false"),
        ("ripgrep_snippets", json!({"pattern": "x", "max_results": 2}), "2", "true"),
        ("ripgrep_snippets", json!({"pattern": "x", "max_results": 1}), "1", "true"),
        ("ripgrep_fixed", json!({"literal": "x", "max_results": 2}), "2", "true"),
    ] {
        let outcome = bench.run(name, &args);
        assert_eq!(header(&outcome, "shown_results"), Some(shown), "{}", outcome.text);
        assert_eq!(header(&outcome, "truncated_by_max"), Some(flagged), "{args}");
    }
    for (most, shown, flagged) in [(2, "2", "false"), (1, "1", "true")] {
        for name in ["ripgrep_files", "ripgrep_count"] {
            let outcome = bench.run(name, &json!({"pattern": "x", "max_files": most}));
            assert_eq!(header(&outcome, "shown_files"), Some(shown));
            assert_eq!(header(&outcome, "truncated_by_max"), Some(flagged), "{name}");
        }
    }
}

#[test]
fn c08_counting_gives_lines_by_file_and_totals_of_all() {
    let bench = tree();
    let outcome = bench.run("ripgrep_count", &json!({"pattern": "needle", "max_files": 2}));
    assert_eq!(body(&outcome), "docs/a.md: 1\nsrc/lib.rs: 3\n");
    for (key, value) in [("total_results", "5"), ("total_files", "3"), ("shown_files", "2")] {
        assert_eq!(header(&outcome, key), Some(value), "{key}");
    }
    let fixed = bench.run("ripgrep_fixed", &json!({"literal": "le()", "mode": "count"}));
    assert_eq!(body(&fixed), "src/lib.rs: 1\nsrc/main.rs: 1\n");
}

#[test]
fn c08_a_closed_path_is_denied_and_closed_files_are_not_searched_by_the_way() {
    let lists = AccessLists {
        no_read_dirs: vec!["secret".to_owned()],
        no_read_file_ext_names: vec!["key".to_owned()],
        ..AccessLists::default()
    };
    let bench = tree().access(&lists);
    bench.put("secret/a.md", "needle").put("docs/a.key", "needle");
    for path in [".minds", ".dialogs", "task.tsk", "secret", "..", "/etc", "docs/a.key", "a/../.."]
    {
        for name in ["ripgrep_files", "ripgrep_search"] {
            let outcome = bench.run(name, &json!({"pattern": "needle", "path": path}));
            assert_eq!(header(&outcome, "error"), Some("ACCESS_DENIED"), "{name} {path}");
            assert_eq!(header(&outcome, "operation"), Some("read"));
        }
    }
    let all = json!({"pattern": "needle", "include_hidden": true, "globs": ["**"]});
    let outcome = bench.run("ripgrep_files", &all);
    for closed in ["secret", ".key", ".minds", ".dialogs", ".tsk", ".git/"] {
        assert!(!body(&outcome).contains(closed), "{closed}");
    }
    assert_eq!(header(&outcome, "closed_entries"), Some("5"), "{}", outcome.text);
    let absent = bench.run("ripgrep_files", &json!({"pattern": "x", "path": "absent"}));
    assert_eq!(header(&absent, "error"), Some("NOT_FOUND"));
}

#[test]
fn c08_links_are_followed_on_request_and_never_out_of_the_workspace() {
    let bench = TestBench::new();
    bench.put("real/a.txt", "needle\n").put("../out/b.txt", "needle\n");
    bench.put(".minds/c.txt", "needle\n");
    bench.link("inside", "real").link("file", "real/a.txt").link("real/up", "..");
    bench.link("outside", "../out").link("abs", "/").link("minds", ".minds");
    bench.link("gone", "nowhere").link("real/self", "self");
    for (follow, paths) in [(false, "real/a.txt\n"), (true, "file\ninside/a.txt\nreal/a.txt\n")] {
        let args = json!({"pattern": "needle", "follow_symlinks": follow});
        assert_eq!(body(&bench.run("ripgrep_files", &args)), paths, "{follow}");
    }
    for path in ["outside", "abs", "minds"] {
        let outcome = bench.run("ripgrep_files", &json!({"pattern": "needle", "path": path}));
        assert_eq!(header(&outcome, "error"), Some("ACCESS_DENIED"), "{path}");
    }
}

#[test]
fn c08_options_of_the_command_are_taken_and_others_refused() {
    let bench = tree();
    for (options, shown) in [
        (json!([]), "4"),
        (json!(["-i"]), "5"),
        (json!(["-w"]), "3"),
        (json!(["-t", "rust"]), "3"),
        (json!(["-g", "*.md", "--hidden"]), "2"),
        (json!(["-m", "1"]), "3"),
        (json!(["-x"]), "1"),
    ] {
        let args = json!({"pattern": "needle", "rg_args": options});
        let outcome = bench.run("ripgrep_search", &args);
        assert_eq!(header(&outcome, "shown_results"), Some(shown), "{args}: {}", outcome.text);
    }
    for options in [json!(["--pre", "sh"]), json!(["--files"]), json!(["-f", "x"]), json!(["src"])]
    {
        let args = json!({"pattern": "needle", "rg_args": options});
        let outcome = bench.run("ripgrep_search", &args);
        assert!(!outcome.ok);
        assert_eq!(header(&outcome, "error"), Some("OPTION_REFUSED"));
        assert!(outcome.text.contains("--hidden, -L"), "{}", outcome.text);
    }
    let lines = json!({"pattern": "thing\\nneedle", "rg_args": ["-U"]});
    let outcome = bench.run("ripgrep_search", &lines);
    assert_eq!(body(&outcome), "docs/a.md\n1: no such thing\n2: needle\n");
}

#[test]
fn c08_what_cannot_be_searched_for_is_said_with_the_reason() {
    let mut bench = tree();
    for (name, args, code, words) in [
        ("ripgrep_files", json!({"pattern": "a("}), "INVALID_PATTERN", "unclosed group"),
        ("ripgrep_files", json!({"pattern": "a(?=b)"}), "INVALID_PATTERN", "look-around"),
        ("ripgrep_files", json!({"pattern": "a\\nb"}), "INVALID_PATTERN", "ripgrep_search"),
        ("ripgrep_files", json!({"pattern": "(a{1000}){1000}"}), "INVALID_PATTERN", "size limit"),
        ("ripgrep_count", json!({"pattern": "a", "globs": ["a{b"]}), "INVALID_GLOB", "a{b"),
        (
            "ripgrep_search",
            json!({"pattern": "a", "rg_args": ["-t", "rost"]}),
            "UNKNOWN_TYPE",
            "rost",
        ),
    ] {
        for lang in [Lang::En, Lang::Zh] {
            bench.cx.lang = lang;
            let outcome = bench.run(name, &args);
            assert!(!outcome.ok);
            assert_eq!(header(&outcome, "error"), Some(code), "{args}");
            assert!(outcome.text.contains(words), "{}", outcome.text);
        }
    }
}

#[test]
fn c08_a_result_that_would_be_too_long_ends_between_lines_and_says_so() {
    let bench = TestBench::new();
    bench.put("a", format!("needle {}\n", "x".repeat(390)).repeat(1_000));
    let args = json!({"pattern": "needle", "max_results": 1_000, "context_before": 0});
    let outcome = bench.run("ripgrep_snippets", &args);
    assert_eq!(header(&outcome, "truncated_by_char_limit"), Some("true"));
    assert!(outcome.text.chars().count() < crate::tools::MAX_RESULT_CHARS);
    let shown: usize = header(&outcome, "shown_results").unwrap().parse().unwrap();
    assert_eq!(body(&outcome).lines().count(), shown + 1);
    assert!(body(&outcome).lines().skip(1).all(|line| line.ends_with('x')));
}

#[test]
fn c08_a_search_nobody_waits_for_looks_at_nothing_more() {
    let bench = tree();
    let stop = StopFlag::default();
    let guard = Guard::general(&bench.cx).unwrap();
    let query = Query { pattern: "needle".into(), path: ".".into(), most: 9, ..Query::default() };
    assert_eq!(run::search(&guard, &query, &stop).unwrap().searched, 4);
    drop(stop.set_on_drop());
    assert_eq!(run::search(&guard, &query, &stop).unwrap().searched, 0);
}

#[test]
fn c08_results_speak_the_work_language_and_no_file_breaks_their_form() {
    let mut bench = TestBench::new();
    bench.put("a.md", "```yaml\nstatus: error needle\n```\n").put("x\ny", "needle\n");
    let outcome = bench.run("ripgrep_snippets", &json!({"pattern": "needle"}));
    assert!(outcome.text.contains("\n````\na.md\n1- ```yaml\n"), "{}", outcome.text);
    assert!(outcome.text.contains("\nx\\ny\n1: needle\n"));
    bench.cx.lang = Lang::Zh;
    let outcome = bench.run("ripgrep_snippets", &json!({"pattern": "needle"}));
    assert!(outcome.text.contains("匹配行"));
}

#[test]
fn the_files_that_a_person_may_mention_are_those_that_a_search_looks_at() {
    let bench = tree();
    bench.put("my notes.txt", "").put("src/deep/x.rs", "");
    assert_eq!(
        list_files(&bench.cx.workspace, 100),
        ["bin", "my notes.txt", "docs/a.md", "src/lib.rs", "src/main.rs", "src/deep/x.rs"]
    );
    assert!(list_files(&bench.cx.workspace.join("missing"), 100).is_empty());
}
