//! Rules for all kinds of tools: a path that a member's lists close is opened by no tool.

use serde_json::{Value, json};

use super::outcome::ToolOutcome;
use super::test_support::{TestBench, header};
use crate::domain::{AccessLists, FileChange};

fn list(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn bench(lists: &AccessLists) -> TestBench {
    let bench = TestBench::new().access(lists);
    for path in ["src/a.rs", "src/a.md", "src/A.KEY", "src/gen/b.rs", "docs/c.md", "docs/.env"] {
        bench.put(path, "needle\n");
    }
    bench.put("plain", "needle\n");
    bench
}

fn read(bench: &TestBench, path: &str) -> ToolOutcome {
    bench.run("read_file", &json!({"path": path}))
}

fn found(bench: &TestBench, path: &str) -> Vec<String> {
    let args = json!({"pattern": "needle", "path": path, "include_hidden": true});
    let outcome = bench.run("ripgrep_files", &args);
    assert!(outcome.ok, "{}", outcome.text);
    let body = outcome.text.split("\n```\n\n```\n").nth(1).unwrap_or_default();
    body.lines().take_while(|line| !line.starts_with('`')).map(str::to_owned).collect()
}

fn overwrite(path: &str) -> Value {
    json!({
        "path": path, "known_old_total_lines": 1, "known_old_total_bytes": 7, "content": "new"
    })
}

fn denied(outcome: &ToolOutcome, list: &str) -> bool {
    header(outcome, "error") == Some("ACCESS_DENIED")
        && outcome.text.contains(&format!("{list}: ["))
}

#[test]
fn c07_reading_and_searching_keep_to_directories_and_endings_alike() {
    for (lists, readable) in [
        (
            AccessLists::default(),
            vec![
                "docs/.env",
                "docs/c.md",
                "plain",
                "src/A.KEY",
                "src/a.md",
                "src/a.rs",
                "src/gen/b.rs",
            ],
        ),
        (
            AccessLists { read_file_ext_names: list(&["rs", ".md"]), ..AccessLists::default() },
            vec!["docs/c.md", "src/a.md", "src/a.rs", "src/gen/b.rs"],
        ),
        (
            AccessLists { no_read_file_ext_names: list(&["key", "env"]), ..AccessLists::default() },
            vec!["docs/c.md", "plain", "src/a.md", "src/a.rs", "src/gen/b.rs"],
        ),
        (
            AccessLists {
                no_read_dirs: list(&["src/gen", "**/docs"]),
                read_file_ext_names: list(&["rs", "md"]),
                no_read_file_ext_names: list(&["md"]),
                ..AccessLists::default()
            },
            vec!["src/a.rs"],
        ),
        (
            // A right to write is no right to read.
            AccessLists {
                no_read_dirs: list(&["docs"]),
                write_dirs: list(&["docs"]),
                ..AccessLists::default()
            },
            vec!["plain", "src/A.KEY", "src/a.md", "src/a.rs", "src/gen/b.rs"],
        ),
    ] {
        let bench = bench(&lists);
        assert_eq!(found(&bench, "."), readable, "{lists:?}");
        for path in found(&self::bench(&AccessLists::default()), ".") {
            let open = readable.contains(&path.as_str());
            let outcome = read(&bench, &path);
            assert_eq!(outcome.ok, open, "{lists:?} {path}");
            assert_eq!(header(&outcome, "error"), (!open).then_some("ACCESS_DENIED"), "{path}");
        }
    }
}

#[test]
fn c07_an_allow_list_of_directories_closes_all_others_to_every_tool() {
    let lists = AccessLists { read_dirs: list(&["src"]), ..AccessLists::default() };
    let bench = bench(&lists);
    assert!(denied(&read(&bench, "docs/c.md"), "read_dirs"));
    for path in [".", "docs"] {
        for (name, args) in [
            ("list_dir", json!({"path": path})),
            ("ripgrep_files", json!({"pattern": "x", "path": path})),
            ("ripgrep_count", json!({"pattern": "x", "path": path})),
            ("ripgrep_fixed", json!({"literal": "x", "path": path})),
        ] {
            assert!(denied(&bench.run(name, &args), "read_dirs"), "{name} {path}");
        }
    }
    assert_eq!(found(&bench, "src"), ["src/A.KEY", "src/a.md", "src/a.rs", "src/gen/b.rs"]);
    assert!(bench.run("list_dir", &json!({"path": "src"})).ok);
}

#[test]
fn c07_a_listing_does_not_name_what_may_not_be_read() {
    let lists = AccessLists {
        no_read_dirs: list(&["src/gen"]),
        no_read_file_ext_names: list(&["key"]),
        ..AccessLists::default()
    };
    let outcome = bench(&lists).run("list_dir", &json!({"path": "src"}));
    for (name, named) in [("a.rs", true), ("a.md", true), ("A.KEY", false), ("gen", false)] {
        assert_eq!(outcome.text.contains(&format!("- {name} ")), named, "{name}");
    }
    assert_eq!(header(&outcome, "hidden_entries"), Some("2"));
}

#[test]
fn c07_writing_keeps_to_its_own_directories_and_endings() {
    let lists = AccessLists {
        write_dirs: list(&["src", "docs/**"]),
        no_write_dirs: list(&["src/gen"]),
        write_file_ext_names: list(&["rs", "md", "key"]),
        no_write_file_ext_names: list(&["KEY"]),
        ..AccessLists::default()
    };
    let bench = bench(&lists);
    for (path, against) in [
        ("src/new.rs", None),
        ("docs/deep/new.MD", None),
        ("new.rs", Some("write_dirs")),
        ("lib/new.rs", Some("write_dirs")),
        ("src/gen/new.rs", Some("no_write_dirs")),
        ("src/new.txt", Some("write_file_ext_names")),
        ("src/new", Some("write_file_ext_names")),
        ("src/new.key", Some("no_write_file_ext_names")),
    ] {
        let outcome = bench.run("create_new_file", &json!({"path": path, "content": "x"}));
        assert_eq!(outcome.ok, against.is_none(), "{path}: {}", outcome.text);
        assert!(against.is_none_or(|list| denied(&outcome, list)), "{path}: {}", outcome.text);
        assert_eq!(bench.at(path).exists(), against.is_none(), "{path}");
    }
    for (path, against) in [
        ("src/a.rs", None),
        ("plain", Some("write_dirs")),
        ("src/gen/b.rs", Some("no_write_dirs")),
        ("src/A.KEY", Some("no_write_file_ext_names")),
        ("docs/.env", Some("write_file_ext_names")),
    ] {
        let outcome = bench.run("overwrite_entire_file", &overwrite(path));
        assert!(against.is_none_or(|list| denied(&outcome, list)), "{path}: {}", outcome.text);
        let kept = if against.is_none() { "new\n" } else { "needle\n" };
        assert_eq!(bench.text(path), kept, "{path}");
        assert!(read(&bench, path).ok, "reading is a right of its own");
    }
}

fn summaries(outcome: &ToolOutcome) -> Vec<String> {
    let line = |change: &FileChange| {
        let from = change.from.as_ref().map(|from| format!("{from} -> ")).unwrap_or_default();
        let FileChange { path, kind, added, removed, .. } = change;
        format!("{kind:?} {from}{path} +{added} -{removed}")
    };
    outcome.file_changes.iter().map(line).collect()
}

#[test]
fn every_tool_that_changes_files_says_what_it_changed() {
    let png = "iVBORw0KGgo=";
    let patch = "*** Begin Patch\n*** Add File: n\n+1\n*** Update File: a\n*** Move to: d/m\n@@\n-1\n\
                 +one\n+two\n*** Delete File: b\n*** End Patch\n";
    let cases: [(&str, Value, &[&str]); 17] = [
        ("create_new_file", json!({"path": "n/x", "content": "1\n2"}), &["Created n/x +2 -0"]),
        (
            "overwrite_entire_file",
            json!({"path": "a", "known_old_total_lines": 3, "known_old_total_bytes": 6,
                "content": "1\nx\n3\n"}),
            &["Changed a +1 -1"],
        ),
        (
            "overwrite_entire_file",
            json!({"path": "raw", "known_old_total_lines": 1, "known_old_total_bytes": 3,
                "content": "1\n", "encoding": "utf-8"}),
            &["Replaced raw +0 -0"],
        ),
        ("rm_file", json!({"path": "a"}), &["Removed a +0 -0"]),
        ("rm_dir", json!({"path": "d", "recursive": true}), &["Removed d/ +0 -0"]),
        ("move_file", json!({"from": "a", "to": "m"}), &["Moved a -> m +0 -0"]),
        ("move_dir", json!({"from": "d", "to": "e/f"}), &["Moved d/ -> e/f/ +0 -0"]),
        (
            "apply_patch",
            json!({ "patch": patch }),
            &["Created n +1 -0", "Changed a +2 -1", "Moved a -> d/m +0 -0", "Removed b +0 -0"],
        ),
        (
            "change_mind",
            json!({"selector": "goals", "content": "ship"}),
            &["Changed task.tsk/goals.md +1 -1"],
        ),
        (
            "change_mind",
            json!({"selector": "progress", "content": "half"}),
            &["Created task.tsk/progress.md +1 -0"],
        ),
        (
            "do_mind",
            json!({"selector": "progress", "content": "half"}),
            &["Created task.tsk/progress.md +1 -0"],
        ),
        (
            "mind_more",
            json!({"selector": "goals", "items": ["x"]}),
            &["Changed task.tsk/goals.md +1 -0"],
        ),
        ("never_mind", json!({"selector": "goals"}), &["Removed task.tsk/goals.md +0 -0"]),
        ("write_picture", json!({"path": "i.png", "data_base64": png}), &["Created i.png +0 -0"]),
        (
            "add_team_memory",
            json!({"path": "m.md", "content": "x"}),
            &["Created .minds/memory/team_shared/m.md +1 -0"],
        ),
        (
            "replace_personal_memory",
            json!({"path": "k.md", "content": "y"}),
            &["Changed .minds/memory/individual/lead/k.md +1 -1"],
        ),
        ("clear_personal_memory", json!({}), &["Removed .minds/memory/individual/lead/ +0 -0"]),
    ];
    for (tool, arguments, expected) in cases {
        let bench = TestBench::new();
        bench.put("a", "1\n2\n3\n").put("b", "1\n").put("raw", [0, 1, b'\n']).put("d/old", "1\n");
        bench.put("task.tsk/goals.md", "plan\n");
        bench.put(".minds/memory/individual/lead/k.md", "x\n");
        let outcome = bench.run(tool, &arguments);
        assert!(outcome.ok, "{tool}: {}", outcome.text);
        assert_eq!(summaries(&outcome), expected, "{tool}");
        let again = bench.run(tool, &arguments);
        assert!(
            again.ok || again.file_changes.is_empty(),
            "{tool}: a call that failed changed nothing"
        );
    }
}
