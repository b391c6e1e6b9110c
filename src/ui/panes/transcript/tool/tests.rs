//! The content of opened tool calls.

use serde_json::{Value, json};

use crate::app::tests::fixture::*;
use crate::domain::FileChange;
use crate::protocol::DriverEvent;

/// A call and its result, as records.
fn call(name: &str, arguments: &Value, result: &str, changes: &[FileChange]) -> [String; 2] {
    let mut ended = json!({
        "ts": "2026-11-21 12:00:02", "type": "func_result_record", "genseq": 1, "id": "c", "name": name,
        "content": result,
    });
    if let Some(changes) = FileChange::recorded(changes) {
        ended["fileChanges"] = changes;
    }
    let begun = json!({
        "ts": "2026-11-21 12:00:00", "type": "func_call_record", "genseq": 1, "id": "c", "name": name,
        "rawArgumentsText": arguments.to_string(),
    });
    [begun.to_string(), ended.to_string()]
}

/// The screen with this call opened.
fn opened(width: u16, height: u16, records: &[String]) -> String {
    let mut stage = Stage::new(width, height);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let lines: Vec<&str> = records.iter().map(String::as_str).collect();
    let (ticket, dialog) = stage.last_open();
    stage.page_at(ticket, dialog, 0, &lines).keys("3 g o").screen()
}

#[test]
fn a_call_without_a_result_can_be_opened_only_where_it_has_words_of_its_own() {
    for (name, arguments, result, can_open) in [
        ("read_file", json!({"path": "a.rs"}), None, false),
        ("read_file", json!({"path": "a.rs"}), Some(""), false),
        ("read_file", json!({"path": "a.rs"}), Some("1| fn"), true),
        ("shell_cmd", json!({"command": "make"}), None, true),
    ] {
        let [begun, ended] = call(name, &arguments, result.unwrap_or_default(), &[]);
        let records: Vec<String> = std::iter::once(begun).chain(result.map(|_| ended)).collect();
        let mut stage = Stage::new(120, 40);
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
        let lines: Vec<&str> = records.iter().map(String::as_str).collect();
        let (ticket, dialog) = stage.last_open();
        let screen = stage.page_at(ticket, dialog, 0, &lines).keys("3 g").screen();
        let is_offered = screen.lines().last().unwrap_or_default().contains("o open");
        let has_sign = screen.contains(&format!("▸ {name}"));
        assert_eq!((is_offered, has_sign), (can_open, can_open), "{name} {result:?}\n{screen}");
    }
}

#[test]
fn a_command_that_runs_shows_its_last_lines_and_its_time_until_it_ends() {
    for (width, height) in [(120, 40), (80, 24), (60, 20)] {
        let [begun, ended] = call("shell_cmd", &json!({"command": "make"}), "exit code 0\n", &[]);
        let mut stage = Stage::new(width, height);
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
        let (ticket, dialog) = stage.last_open();
        let printed = |lines: &[&str]| DriverEvent::Printed {
            dialog: dialog.clone(),
            call: "c".into(),
            lines: lines.iter().map(|&line| line.to_owned()).collect(),
        };
        stage.apply(printed(&[])).page_at(ticket, dialog.clone(), 0, &[&begun]).keys("3 z");
        let silent = stage.screen();
        assert!(silent.contains("running · "), "{silent}");
        let long = "x".repeat(500);
        stage.apply(printed(&["alpha", "beta"])).screen();
        let screen = stage.apply(printed(&["beta", "\u{1b}[2Jgamma", &long])).screen();
        let place = |text: &str| line_of(&screen, text);
        assert_eq!(place("alpha"), None, "{screen}");
        let rows = ["shell_cmd", "beta", "gamma", "xxx"].map(|text| place(text).expect(text));
        assert!(rows.is_sorted() && rows[3] == rows[0] + 3, "{screen}");
        assert!(!screen.contains('\u{1b}'), "{screen}");
        let screen = stage.fact(&dialog, 1, &ended).screen();
        assert!(!screen.contains("gamma") && !screen.contains("running · "), "{screen}");
    }
}

#[test]
fn a_running_command_is_readable_at_every_size() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let [begun, _] = call("shell_cmd", &json!({"command": "cargo test --lib"}), "", &[]);
        let mut stage = Stage::new(width, height);
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
        let (ticket, dialog) = stage.last_open();
        stage.page_at(ticket, dialog.clone(), 0, &[&begun]).keys("3 z");
        let lines =
            ["   Compiling dominds-tui v0.1.0 (/home/me/work/with/a/long/name)", "running 2 tests"];
        let lines = lines.map(str::to_owned).to_vec();
        stage.apply(DriverEvent::Printed { dialog, call: "c".into(), lines });
        insta::assert_snapshot!(format!("running_{width}x{height}"), stage.screen());
    }
}

#[test]
fn the_lines_of_a_command_go_with_the_generation_that_ran_it() {
    let [begun, _] = call("shell_cmd", &json!({"command": "make"}), "", &[]);
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let (ticket, dialog) = stage.last_open();
    stage.page_at(ticket, dialog.clone(), 0, &[&begun]).keys("3 z");
    let lines = vec!["half done".to_owned()];
    stage.apply(DriverEvent::Printed { dialog: dialog.clone(), call: "c".into(), lines });
    assert!(stage.screen().contains("half done"));
    stage.apply(DriverEvent::LiveEnd { dialog });
    assert!(!stage.screen().contains("half done"));
}

fn edited() -> [String; 2] {
    let line = |text: String, n: i32| format!("{text}    let line_{n} = old({n});\n");
    let old = (1..=40).fold(String::new(), line);
    let new = old.replace("line_3 = old(3)", "line_3 = new(3)").replace(
        "    let line_30 = old(30);\n",
        "    // 说明\n    let line_30 = old(30);\n\tx();\n",
    );
    let changes = [
        FileChange::rewritten("src/login.rs", &old, &new),
        FileChange::created("docs/a.md", "# Title\n"),
        FileChange::moved("old.rs", "src/new.rs"),
        FileChange::removed("gone/"),
    ];
    let patch = json!({"patch": "*** Begin Patch\n*** Update File: src/login.rs\n*** End Patch\n"});
    call("apply_patch", &patch, "```yaml\nstatus: ok\n```\n", &changes)
}

#[test]
fn an_edit_opens_as_a_difference_with_line_numbers() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        insta::assert_snapshot!(format!("edit_{width}x{height}"), opened(width, height, &edited()));
    }
}

#[test]
fn a_command_opens_as_command_and_output_and_names_its_exit_code() {
    let output =
        "exit code 1\nstdout:\n\u{1b}[32mok\u{1b}[0m 1\n\u{1b}]52;c;AA\u{7}\nstderr:\nbad\n";
    let command = json!({"command": "cargo test \\\n  --lib"});
    insta::assert_snapshot!("command", opened(120, 40, &call("shell_cmd", &command, output, &[])));
}

#[test]
fn a_read_opens_as_the_lines_that_were_read() {
    let result = "```yaml\nstatus: ok\n```\n\n```\n   9| fn a() {\n  10| }\n```\n";
    let screen = opened(120, 40, &call("read_file", &json!({"path": "a"}), result, &[]));
    assert!(screen.contains(" 9 fn a() {") && screen.contains("10 }"), "{screen}");
    assert!(!screen.contains("status: ok"), "{screen}");
}

#[test]
fn a_patch_without_recorded_changes_opens_as_it_was_sent() {
    let patch =
        json!({"patch": "*** Begin Patch\n*** Update File: a\n@@\n-1\n+2\n*** End Patch\n"});
    let screen = opened(120, 40, &call("apply_patch", &patch, "done", &[]));
    for line in ["*** Update File: a", "-1", "+2", "done"] {
        assert!(screen.contains(line), "{line}\n{screen}");
    }
}

#[test]
fn hostile_changes_are_shown_cleaned_and_bounded() {
    let long =
        format!("@@ -1,1 +{},1 @@\n+\u{1b}[31mx\u{9b}2J\n", usize::MAX) + &"+y\n".repeat(5_000);
    let mut change = FileChange::rewritten("a\u{1b}]0;t\u{7}b", "", "1\n");
    change.diff = long;
    let screen = opened(80, 24, &call("apply_patch", &json!({}), "", &[change]));
    assert!(!screen.contains('\u{1b}') && !screen.contains('\u{9b}'), "{screen}");
    assert!(screen.contains("a␛]0;t"), "{screen}");
}

/// A screen on the dialog with the changes, between words of its member.
fn between_words(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let mut records = vec![words("first")];
    records.extend(edited());
    records.push(words("last"));
    let lines: Vec<&str> = records.iter().map(String::as_str).collect();
    let (ticket, dialog) = stage.last_open();
    stage.page_at(ticket, dialog, 0, &lines).keys("3").screen();
    stage
}

#[test]
fn keys_go_from_change_to_change() {
    let mut stage = between_words(120, 40);
    let screen = stage.keys(",").screen();
    let row = screen.lines().find(|line| line.contains("│▌")).unwrap_or_default();
    assert!(row.contains("apply_patch"), "{screen}");
    assert!(stage.keys(",").screen().contains("no change of files above"), "{}", stage.screen());
}

/// The end of an opened call.
fn end_of_opened(width: u16, height: u16, records: &[String]) -> String {
    let mut stage = Stage::new(width, height);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let lines: Vec<&str> = records.iter().map(String::as_str).collect();
    let (ticket, dialog) = stage.last_open();
    stage.page_at(ticket, dialog, 0, &lines).keys("3 g o").screen();
    stage.keys("G").screen()
}

fn numbered_lines(count: usize) -> String {
    (1..=count).fold(String::new(), |text, n| format!("{text}line {n}\n"))
}

#[test]
fn an_opened_call_counts_the_lines_it_does_not_show_and_names_the_key_that_shows_them() {
    let command = json!({"command": "seq 1000"});
    let printed = call("shell_cmd", &command, &numbered_lines(1_000), &[]);
    let created = |path| FileChange::created(path, &numbered_lines(300));
    let edited = call("apply_patch", &json!({}), "done", &[created("a.rs"), created("b.rs")]);
    let patch = json!({"patch": numbered_lines(500)});
    let refused = call("apply_patch", &patch, &numbered_lines(7), &[]);
    let text = json!({"path": "a", "content": numbered_lines(450)});
    let written = call("create_new_file", &text, "done", &[]);
    let read = (1..=900).fold(String::new(), |text, n| format!("{text}{n}| x\n"));
    let read = call("read_file", &json!({"path": "a"}), &read, &[]);
    let said = call("list_dir", &json!({}), &numbered_lines(401), &[]);
    for (name, records, hidden) in [
        // The command is a line, too, and so is the heading of each file.
        ("command", printed, "601 more lines"),
        ("changes", edited, "202 more lines"),
        ("patch", refused, "107 more lines"),
        ("new text", written, "51 more lines"),
        ("read", read, "500 more lines"),
        ("result", said, "1 more line "),
    ] {
        for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
            let screen = end_of_opened(width, height, &records);
            assert!(screen.contains(hidden), "{name}: {hidden}\n{screen}");
            assert!(screen.contains("O all in the pager"), "{name}\n{screen}");
        }
    }
}

#[test]
fn a_line_that_takes_more_rows_than_are_shown_counts_as_one() {
    let result = format!("{}\nnext\n", "word ".repeat(20_000));
    let screen = end_of_opened(80, 24, &call("list_dir", &json!({}), &result, &[]));
    assert!(screen.contains("… 2 more lines"), "{screen}");
}

#[test]
fn a_search_finds_what_a_change_shows_when_it_is_opened() {
    for (word, expected) in [
        ("line_29 = old", "let line_29 = old(29);"),
        ("old(3)", "let line_3 = old(3);"),
        ("说明", "// 说明"),
        ("# title", "# Title"),
        ("gone/", "gone/"),
        ("docs/a", "docs/a.md"),
    ] {
        let mut stage = between_words(80, 24);
        let screen = stage.keys("/").type_text(word).screen();
        assert!(screen.contains(expected) && screen.contains("1 of 1"), "{word}\n{screen}");
    }
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let records = edited();
    let (ticket, dialog) = stage.last_open();
    let lines: Vec<&str> = records.iter().map(String::as_str).collect();
    stage.page_at(ticket, dialog, 0, &lines).keys("3").screen();
    let screen = stage.keys("/").type_text("status: ok").screen();
    assert!(screen.contains("no match"), "the result of a change is not shown\n{screen}");
}

#[test]
fn a_search_finds_every_line_of_a_command_and_counts_what_is_shown_once() {
    let command = json!({"command": "cargo test \\\n  --lib"});
    let records = call("shell_cmd", &command, "exit code 0\ncargo ok\n", &[]);
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let lines: Vec<&str> = records.iter().map(String::as_str).collect();
    let (ticket, dialog) = stage.last_open();
    stage.page_at(ticket, dialog, 0, &lines).keys("3").screen();
    let screen = stage.keys("/").type_text("--lib").screen();
    assert!(screen.contains("1 of 1") && screen.contains("      --lib"), "{screen}");
    stage.keys("<esc> o /").type_text("cargo");
    assert!(stage.screen().contains("of 2"), "{}", stage.screen());
}
