//! Tools that make, remove and move names.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::domain::AccessLists;
use crate::tools::test_support::{TestBench, header};

fn is_link(bench: &TestBench, path: &str) -> bool {
    std::fs::symlink_metadata(bench.at(path)).is_ok_and(|meta| meta.is_symlink())
}

fn absent(bench: &TestBench, path: &str) -> bool {
    std::fs::symlink_metadata(bench.at(path)).is_err()
}

#[test]
fn c06_a_link_is_removed_or_moved_itself_and_works_inside_the_workspace() {
    let bench = TestBench::new();
    bench.put("dir/file", "fine\n").put("../out/file", "outside\n");
    for link in ["l1", "l2", "l3", "l4"] {
        bench.link(link, "dir");
    }
    bench.link("to-file", "dir/file").link("out", "../out").link("out2", "../out");
    assert!(bench.run("read_file", &json!({"path": "l1/file"})).ok, "links inside work");
    for (tool, args) in [
        ("rm_file", json!({"path": "to-file"})),
        ("rm_file", json!({"path": "l1"})),
        ("rm_dir", json!({"path": "l2"})),
        ("rm_dir", json!({"path": "l3/", "recursive": true})),
        ("move_dir", json!({"from": "l4", "to": "moved"})),
        ("rm_dir", json!({"path": "out", "recursive": true})),
        ("move_file", json!({"from": "out2", "to": "sub/out"})),
    ] {
        let outcome = bench.run(tool, &args);
        assert!(outcome.ok, "{tool} {args}: {}", outcome.text);
        assert_eq!(header(&outcome, "path_kind"), Some("symlink"), "{tool} {args}");
    }
    assert!(["to-file", "l1", "l2", "l3", "l4", "out", "out2"].iter().all(|p| absent(&bench, p)));
    assert!(is_link(&bench, "moved") && is_link(&bench, "sub/out"));
    assert_eq!(
        (bench.text("dir/file"), bench.text("../out/file")),
        ("fine\n".into(), "outside\n".into())
    );
}

#[test]
fn a_directory_is_removed_with_all_it_holds_but_not_what_its_links_lead_to() {
    let bench = TestBench::new();
    for number in 0..1_500 {
        bench.put(&format!("d/many/{number}"), "");
    }
    bench.put("d/a/b/c", "x").put("../out/file", "outside").put("keep/file", "fine");
    bench.link("d/out", "../../out").link("d/a/keep", "../../keep").link("d/loop", "..");
    let refused = bench.run("rm_dir", &json!({"path": "d"}));
    assert_eq!(header(&refused, "error"), Some("DIRECTORY_NOT_EMPTY"));
    assert!(refused.text.contains("recursive"));
    let outcome = bench.run("rm_dir", &json!({"path": "d", "recursive": true}));
    assert!(outcome.ok, "{}", outcome.text);
    assert_eq!(header(&outcome, "removed_files"), Some("1501"));
    assert_eq!(header(&outcome, "removed_directories"), Some("3"));
    assert_eq!(header(&outcome, "removed_symlinks"), Some("3"));
    assert!(absent(&bench, "d"));
    assert_eq!(
        (bench.text("../out/file"), bench.text("keep/file")),
        ("outside".into(), "fine".into())
    );
}

#[test]
fn a_directory_that_holds_something_closed_is_neither_removed_nor_moved() {
    let lists = AccessLists {
        no_read_dirs: vec!["secret".to_owned(), "d3/in".to_owned()],
        no_write_dirs: vec!["d2/in".to_owned()],
        ..AccessLists::default()
    };
    let bench = TestBench::new().access(&lists);
    bench.put("d1/deep/other.tsk/goals.md", "x").put("d2/in/file", "x").put("d3/in/file", "x");
    bench.put("plan/goals.md", "x").link("task.tsk", "plan").put("d4/file", "x");
    for (tool, args, code) in [
        ("rm_dir", json!({"path": "d1", "recursive": true}), Some("ACCESS_DENIED")),
        ("rm_dir", json!({"path": "d2", "recursive": true}), Some("ACCESS_DENIED")),
        ("rm_dir", json!({"path": "plan", "recursive": true}), Some("ACCESS_DENIED")),
        ("move_dir", json!({"from": "d1", "to": "x1"}), Some("ACCESS_DENIED")),
        ("move_dir", json!({"from": "d2", "to": "x2"}), Some("ACCESS_DENIED")),
        ("move_dir", json!({"from": "d3", "to": "x3"}), Some("ACCESS_DENIED")),
        ("move_dir", json!({"from": "d4", "to": "x.tsk"}), Some("ACCESS_DENIED")),
        ("move_dir", json!({"from": "d4", "to": ".minds"}), Some("ACCESS_DENIED")),
        ("rm_dir", json!({"path": "."}), Some("INVALID_PATH")),
        ("move_dir", json!({"from": ".", "to": "x"}), Some("INVALID_PATH")),
        ("rm_dir", json!({"path": "d3", "recursive": true}), None),
    ] {
        let outcome = bench.run(tool, &args);
        assert_eq!(header(&outcome, "error"), code, "{tool} {args}: {}", outcome.text);
    }
    let inner = bench.run("rm_dir", &json!({"path": "d1", "recursive": true}));
    assert_eq!(
        header(&inner, "path"),
        Some("'d1/deep/other.tsk'"),
        "the fault names what is closed"
    );
    for path in ["d1/deep/other.tsk/goals.md", "d2/in/file", "plan/goals.md", "d4/file"] {
        assert_eq!(bench.text(path), "x", "{path}");
    }
}

#[test]
fn a_move_takes_no_ones_place_and_needs_its_rights() {
    let lists = AccessLists {
        no_read_dirs: vec!["unread".to_owned()],
        no_write_dirs: vec!["unwritten".to_owned()],
        ..AccessLists::default()
    };
    let bench = TestBench::new().access(&lists);
    bench
        .put("a", "a")
        .put("b", "b")
        .put("dir/x", "x")
        .put("unread/f", "u")
        .put("unwritten/f", "w");
    bench.link("gone", "nowhere");
    std::fs::set_permissions(bench.at("a"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let file = |from: &str, to: &str| ("move_file", json!({"from": from, "to": to}));
    let dir = |from: &str, to: &str| ("move_dir", json!({"from": from, "to": to}));
    for ((tool, args), code) in [
        (file("a", "b"), Some("FILE_EXISTS")),
        (file("a", "a"), Some("FILE_EXISTS")),
        (file("a", "dir"), Some("FILE_EXISTS")),
        (file("a", "gone"), Some("FILE_EXISTS")),
        (file("a", "b/c"), Some("NOT_A_DIRECTORY")),
        (file("none", "c"), Some("NOT_FOUND")),
        (file("dir", "c"), Some("NOT_A_FILE")),
        (dir("a", "c"), Some("NOT_A_DIRECTORY")),
        (dir("dir", "dir/inner"), Some("INVALID_PATH")),
        (dir("dir", "dir/new/inner"), Some("INVALID_PATH")),
        (file("unread/f", "c"), Some("ACCESS_DENIED")),
        (file("unwritten/f", "c"), Some("ACCESS_DENIED")),
        (file("a", "unwritten/c"), Some("ACCESS_DENIED")),
        (file("a", "new/deep/a"), None),
        (dir("dir", "new/dir"), None),
        (file("b", "unread/b"), None),
    ] {
        let outcome = bench.run(tool, &args);
        assert_eq!(header(&outcome, "error"), code, "{tool} {args}: {}", outcome.text);
    }
    assert!(!bench.at("dir").exists() && !bench.at("c").exists());
    assert_eq!((bench.text("new/deep/a"), bench.text("new/dir/x")), ("a".into(), "x".into()));
    assert_eq!(bench.text("unread/b"), "b");
    let mode = std::fs::metadata(bench.at("new/deep/a")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    let read = bench.run("move_file", &json!({"from": "unread/f", "to": "c"}));
    assert_eq!(header(&read, "operation"), Some("read"));
}

#[test]
fn of_many_moves_to_one_name_a_single_one_wins() {
    let bench = TestBench::new();
    let calls: Vec<(&str, String)> = (0..16)
        .map(|number| {
            bench.put(&format!("from{number}"), number.to_string());
            ("move_file", json!({"from": format!("from{number}"), "to": "one"}).to_string())
        })
        .collect();
    let outcomes = bench.round(&calls);
    assert_eq!(outcomes.iter().filter(|outcome| outcome.ok).count(), 1);
    assert_eq!(std::fs::read_dir(bench.at("")).unwrap().count(), 16, "nobody is lost");
}

#[test]
fn mk_dir_makes_what_is_missing() {
    let bench = TestBench::new();
    bench.put("file", "").link("link", "file").link("dangling", "nowhere");
    let made = |args: Value| {
        let outcome = bench.run("mk_dir", &args);
        match header(&outcome, "error") {
            Some(code) => Err(code.to_owned()),
            None => Ok(header(&outcome, "created") == Some("true")),
        }
    };
    let err = |code: &str| Err(code.to_owned());
    assert_eq!(made(json!({"path": "a/b/c", "parents": false})), err("NOT_FOUND"));
    assert!(!bench.at("a").exists());
    assert_eq!(made(json!({"path": "a/b/c"})), Ok(true));
    assert_eq!(made(json!({"path": "a/b/c/"})), Ok(false));
    assert_eq!(made(json!({"path": "a/b/c", "parents": false})), err("FILE_EXISTS"));
    assert_eq!(made(json!({"path": "a/b/d", "parents": false})), Ok(true));
    assert_eq!(made(json!({"path": "file"})), err("NOT_A_DIRECTORY"));
    assert_eq!(made(json!({"path": "link/x"})), err("NOT_A_DIRECTORY"));
    assert_eq!(made(json!({"path": "x.tsk"})), err("ACCESS_DENIED"));
    assert!(bench.at("a/b/c").is_dir() && bench.at("a/b/d").is_dir());
}
