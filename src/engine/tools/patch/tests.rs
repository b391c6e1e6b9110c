//! The patch tool, as a model meets it.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::tools::outcome::ToolOutcome;
use crate::tools::test_support::{TestBench, header};

fn patch(bench: &TestBench, body: &str) -> ToolOutcome {
    let text = format!("*** Begin Patch\n{body}*** End Patch\n");
    bench.run("apply_patch", &json!({"patch": text}))
}

#[test]
fn a_patch_adds_updates_moves_and_deletes() {
    let bench = TestBench::new();
    bench.put("a", "1\n2\n3\n").put("b.sh", "x\ny\n").put("c", "gone\n").link("l", "a");
    std::fs::set_permissions(bench.at("b.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let outcome = patch(
        &bench,
        "*** Add File: d/e/new\n+one\n+two\n*** Update File: a\n@@\n 1\n-2\n+two\n 3\n\
         *** Update File: b.sh\n*** Move to: bin/b.sh\n@@\n-x\n+X\n*** Delete File: c\n\
         *** Delete File: l\n",
    );
    assert!(outcome.ok, "{}", outcome.text);
    assert_eq!(header(&outcome, "changes"), Some("6"));
    assert!(outcome.text.contains(
        "```\nA d/e/new (+2)\nM a (+1 -1)\nM b.sh (+1 -1)\nR b.sh -> bin/b.sh\nD c\nD l\n```"
    ));
    assert_eq!(bench.text("d/e/new"), "one\ntwo\n");
    assert_eq!(bench.text("a"), "1\ntwo\n3\n");
    assert_eq!(bench.text("bin/b.sh"), "X\ny\n");
    let mode = std::fs::metadata(bench.at("bin/b.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    assert_eq!(names(&bench), ["a", "bin", "d"]);
}

fn names(bench: &TestBench) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(bench.at(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn a_patch_of_which_one_part_does_not_fit_changes_nothing() {
    let good = "*** Add File: d/new\n+x\n*** Update File: a\n@@\n-1\n+one\n*** Delete File: b\n";
    for (bad, code) in [
        ("*** Update File: c\n@@\n-none\n", "CONTEXT_NOT_FOUND"),
        ("*** Update File: twice\n@@\n-x\n", "AMBIGUOUS_MATCH"),
        ("*** Update File: none\n@@\n-x\n", "NOT_FOUND"),
        ("*** Update File: bin\n@@\n-x\n", "NOT_TEXT"),
        ("*** Add File: c\n+x\n", "FILE_EXISTS"),
        ("*** Add File: d/new\n+x\n", "DUPLICATE_PATH"),
        ("*** Update File: a\n@@\n-1\n", "DUPLICATE_PATH"),
        ("*** Delete File: dir\n", "NOT_A_FILE"),
        ("*** Update File: c\n*** Move to: twice\n@@\n-c\n", "FILE_EXISTS"),
        ("*** Update File: link\n*** Move to: new\n@@\n-c\n", "NOT_A_FILE"),
        ("*** Delete File: ../outside\n", "ACCESS_DENIED"),
        ("*** Add File: .minds/x\n+x\n", "ACCESS_DENIED"),
        ("*** Update File: c\n*** Move to: t.tsk/x\n@@\n-c\n", "ACCESS_DENIED"),
        ("*** Delete File: /etc/passwd\n", "INVALID_PATCH"),
        ("*** Update File: c\n@@\nc\n", "INVALID_PATCH"),
    ] {
        let bench = TestBench::new();
        bench.put("a", "1\n").put("b", "2\n").put("c", "c\n").put("twice", "x\nx\n");
        bench.put("bin", b"\0").put("dir/x", "").put("../outside", "").link("link", "c");
        let before = names(&bench);
        let outcome = patch(&bench, &format!("{good}{bad}"));
        assert_eq!(header(&outcome, "error"), Some(code), "{bad}: {}", outcome.text);
        assert!(outcome.text.contains("Nothing was changed") || code != "CONTEXT_NOT_FOUND");
        assert_eq!(names(&bench), before, "{bad}");
        assert_eq!((bench.text("a"), bench.text("b")), ("1\n".into(), "2\n".into()), "{bad}");
    }
}

#[test]
fn a_patch_of_too_much_text_is_refused() {
    let bench = TestBench::new();
    let line = "x".repeat(99) + "\n";
    let mut body = String::new();
    for name in ["a", "b", "c"] {
        bench.put(name, format!("first\n{}", line.repeat(150_000)));
        body.push_str(&format!("*** Update File: {name}\n@@\n-first\n+second\n"));
    }
    let outcome = patch(&bench, &body);
    assert_eq!(header(&outcome, "error"), Some("PATCH_TOO_LARGE"), "{}", outcome.text);
    assert!(bench.text("a").starts_with("first\n"));
}

#[test]
fn what_was_written_is_taken_back_when_a_later_write_fails() {
    let bench = TestBench::new();
    bench.put("a", "1\n").put("b", "2\n").put("c", "3\n");
    std::fs::set_permissions(bench.at("a"), std::fs::Permissions::from_mode(0o640)).unwrap();
    // Planned on a free name each, but the second needs the first to be a directory.
    let outcome = patch(
        &bench,
        "*** Update File: a\n@@\n-1\n+one\n*** Delete File: b\n*** Update File: c\n\
         *** Move to: d/c\n@@\n-3\n+three\n*** Add File: new\n+x\n*** Add File: new/below\n+x\n",
    );
    assert_eq!(header(&outcome, "error"), Some("NOT_A_DIRECTORY"), "{}", outcome.text);
    assert!(outcome.text.contains("All changes were taken back."));
    assert_eq!(names(&bench), ["a", "b", "c"]);
    for (path, text) in [("a", "1\n"), ("b", "2\n"), ("c", "3\n")] {
        assert_eq!(bench.text(path), text);
    }
    let mode = std::fs::metadata(bench.at("a")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}
