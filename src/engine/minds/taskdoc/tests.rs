//! Taskdoc packages: valid paths, reading, rendering.

use std::fs;
use std::path::Path;

use super::*;
use crate::domain::Lang;
use crate::guard::create_taskdoc;
use crate::samples::assert_translated;

fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

#[test]
fn a_taskdoc_path_is_normalized_and_inside_the_workspace() {
    for (path, expected) in [
        ("task.tsk", true),
        ("work/打包.tsk", true),
        ("a b/c.d.tsk", true),
        ("", false),
        ("task", false),
        (".tsk", false),
        ("/abs/t.tsk", false),
        ("./t.tsk", false),
        ("a/../t.tsk", false),
        ("a//t.tsk", false),
        ("t.tsk/", false),
        ("a.tsk/b.tsk", false),
        (".minds/t.tsk", false),
        (".dialogs/t.tsk", false),
        (".hive/t.tsk", false),
        (".MINDS/t.tsk", false),
        (".git/t.tsk", false),
        ("sub/.git/t.tsk", false),
        ("sub/.Git/deep/t.tsk", false),
        ("A.TSK/b.tsk", false),
        ("sub/.minds/t.tsk", true),
        (".github/t.tsk", true),
        ("a\\t.tsk", false),
        ("a\nt.tsk", false),
    ] {
        assert_eq!(validate_path(path).is_ok(), expected, "{path:?}");
    }
    assert!(validate_path(&format!("{}.tsk", "x".repeat(400))).is_err());
}

#[test]
fn a_package_is_read_in_its_sections() {
    let dir = tempfile::tempdir().unwrap();
    write(
        dir.path(),
        &[
            ("t.tsk/goals.md", "\nBe good.\n\n"),
            ("t.tsk/progress.md", "Half."),
            ("t.tsk/bearinmind/risks.md", "Rain."),
            ("t.tsk/bearinmind/contracts.md", "Signed."),
            ("t.tsk/bearinmind/grants.md", "  \n"),
            ("t.tsk/ux/colors.md", "red"),
            ("t.tsk/ux/fonts.v2.md", "big"),
            ("t.tsk/notes.txt", "x"),
            ("t.tsk/bearinmind/other.md", "x"),
            ("t.tsk/ux/deep/er.md", "x"),
            ("t.tsk/2bad/a.md", "x"),
            ("t.tsk/ux/goals.md", "x"),
            ("t.tsk/.dominds-write-7-2", "x"),
            ("t.tsk/ux/.dominds-write-7-3", "x"),
        ],
    );
    let taskdoc = read(dir.path(), "t.tsk").unwrap();
    let expected = Taskdoc {
        path: "t.tsk".to_owned(),
        goals: "Be good.".to_owned(),
        constraints: String::new(),
        progress: "Half.".to_owned(),
        bear_in_mind: vec![
            ("contracts".to_owned(), "Signed.".to_owned()),
            ("risks".to_owned(), "Rain.".to_owned()),
        ],
        index: vec!["ux/colors".to_owned(), "ux/fonts.v2".to_owned()],
        unlisted: 0,
        violations: ["2bad", "notes.txt", "bearinmind/other.md", "ux/deep", "ux/goals.md"]
            .map(|name| Violation::Unexpected(name.to_owned()))
            .to_vec(),
    };
    assert_eq!(taskdoc, expected);
}

#[test]
fn the_message_shows_the_sections_in_order() {
    let taskdoc = Taskdoc {
        path: "t.tsk".to_owned(),
        goals: "G-text".to_owned(),
        progress: "P-text".to_owned(),
        bear_in_mind: vec![("risks".to_owned(), "R-text".to_owned())],
        index: vec!["ux/colors".to_owned()],
        unlisted: 3,
        violations: vec![Violation::Unexpected("V-text".to_owned())],
        ..Taskdoc::default()
    };
    let text = render(&taskdoc, Lang::En);
    let order = ["t.tsk", "G-text", "(empty)", "R-text", "P-text", "ux/colors", "3", "V-text"];
    let positions: Vec<_> = order.iter().map(|part| text.find(part)).collect();
    assert!(positions.iter().all(Option::is_some), "{text}");
    assert!(positions.is_sorted(), "{text}");
    let text = render(&taskdoc, Lang::Zh);
    let order =
        ["# 任务文档 `t.tsk`", "目标", "G-text", "（空）", "R-text", "进展", "P-text", "V-text"];
    let positions: Vec<_> = order.iter().map(|part| text.find(part)).collect();
    assert!(positions.iter().all(Option::is_some) && positions.is_sorted(), "{text}");
}

#[test]
fn a_package_over_the_limit_is_replaced_by_a_notice() {
    let dir = tempfile::tempdir().unwrap();
    let half = "x".repeat(LIMIT_BYTES / 2);
    for (progress, shown) in [("short", true), (half.as_str(), false)] {
        write(dir.path(), &[("t.tsk/goals.md", half.as_str()), ("t.tsk/progress.md", progress)]);
        let text = render(&read(dir.path(), "t.tsk").unwrap(), Lang::En);
        assert_eq!(text.contains("xxx"), shown);
        assert!(text.len() <= LIMIT_BYTES && text.contains("t.tsk"));
    }
    let huge = "y".repeat(4 * LIMIT_BYTES);
    write(dir.path(), &[("t.tsk/goals.md", huge.as_str())]);
    let taskdoc = read(dir.path(), "t.tsk").unwrap();
    assert!(taskdoc.goals.len() < 2 * LIMIT_BYTES);
    assert!(!render(&taskdoc, Lang::En).contains("yyy"));
}

#[test]
fn a_long_index_is_counted_beyond_its_limit() {
    let dir = tempfile::tempdir().unwrap();
    for at in 0..70 {
        write(dir.path(), &[(&format!("t.tsk/log/n{at:02}.md"), "x")]);
    }
    let taskdoc = read(dir.path(), "t.tsk").unwrap();
    assert_eq!((taskdoc.index.len(), taskdoc.unlisted), (64, 6));
}

#[test]
fn creating_a_taskdoc_adds_empty_sections_and_keeps_existing_ones() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &[("a/t.tsk/goals.md", "mine")]);
    create_taskdoc(dir.path(), "a/t.tsk").unwrap();
    create_taskdoc(dir.path(), "a/t.tsk").unwrap();
    let taskdoc = read(dir.path(), "a/t.tsk").unwrap();
    assert_eq!((taskdoc.goals.as_str(), taskdoc.progress.as_str()), ("mine", ""));
    assert!(dir.path().join("a/t.tsk/constraints.md").is_file());
    for path in ["../t.tsk", ".minds/t.tsk", "sub/.GIT/t.tsk", ".hive/t.tsk", "notes"] {
        assert!(create_taskdoc(dir.path(), path).is_err(), "{path}");
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing else was created");
}

#[test]
fn a_missing_package_is_an_error_with_a_fix() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &[("file.tsk", "x")]);
    assert!(matches!(read(dir.path(), "t.tsk"), Err(TaskdocError::Missing { .. })));
    assert!(matches!(read(dir.path(), "file.tsk"), Err(TaskdocError::BadPath { .. })));
    let problem = read(dir.path(), "t.tsk").unwrap_err().problem();
    assert_eq!(problem.id, "taskdoc/missing/t.tsk");
}

#[cfg(unix)]
#[test]
fn links_lead_neither_out_of_the_workspace_nor_into_a_package() {
    use std::os::unix::fs::symlink;
    let outer = tempfile::tempdir().unwrap();
    let workspace = outer.path().join("ws");
    write(outer.path(), &[("secret", "s"), ("out.tsk/goals.md", "s")]);
    write(&workspace, &[("t.tsk/goals.md", "g")]);
    symlink("../out.tsk", workspace.join("link.tsk")).unwrap();
    symlink("..", workspace.join("up")).unwrap();
    symlink("../../secret", workspace.join("t.tsk/progress.md")).unwrap();
    for path in ["link.tsk", "up/out.tsk"] {
        assert!(read(&workspace, path).is_err(), "{path}");
    }
    for path in ["link.tsk", "up/new.tsk", "up/new/new.tsk"] {
        assert!(create_taskdoc(&workspace, path).is_err(), "{path}");
    }
    assert!(!outer.path().join("new").exists() && !outer.path().join("new.tsk").exists());
    let taskdoc = read(&workspace, "t.tsk").unwrap();
    assert_eq!(taskdoc.progress, "");
    assert_eq!(taskdoc.violations.len(), 1);
    assert_eq!(list(&workspace), ["t.tsk"]);
}

#[test]
fn the_list_is_bounded_and_skips_folders_without_tasks() {
    let dir = tempfile::tempdir().unwrap();
    write(
        dir.path(),
        &[
            ("b.tsk/goals.md", ""),
            ("a/x.tsk/goals.md", ""),
            ("a/b/c/deep.tsk/goals.md", ""),
            ("a/b/c/d/deeper.tsk/goals.md", ""),
            ("target/t.tsk/goals.md", ""),
            ("node_modules/t.tsk/goals.md", ""),
            (".git/t.tsk/goals.md", ""),
            (".dialogs/t.tsk/goals.md", ""),
            ("b.tsk/inner.tsk/goals.md", ""),
            ("file.tsk", ""),
        ],
    );
    assert_eq!(list(dir.path()), ["a/b/c/deep.tsk", "a/x.tsk", "b.tsk"]);
}

#[test]
fn every_error_of_a_taskdoc_has_both_languages() {
    let path = || "a.tsk".to_owned();
    for error in [
        TaskdocError::BadPath { path: path(), reason: validate_path("").unwrap_err() },
        TaskdocError::BadPath { path: path(), reason: validate_path("a\\b.tsk").unwrap_err() },
        TaskdocError::BadPath { path: path(), reason: validate_path("../b.tsk").unwrap_err() },
        TaskdocError::BadPath { path: path(), reason: validate_path(".minds/b.tsk").unwrap_err() },
        TaskdocError::BadPath { path: path(), reason: validate_path("b").unwrap_err() },
        TaskdocError::BadPath { path: path(), reason: validate_path("b.tsk/c.tsk").unwrap_err() },
        TaskdocError::Missing { path: path() },
        TaskdocError::Io { path: path(), source: std::io::Error::other("no") },
    ] {
        assert_translated(&error.message());
        if let TaskdocError::BadPath { reason, .. } = &error {
            assert_translated(reason);
        }
    }
}
