//! The control tools, as a model meets them.

use serde_json::json;

use super::{NAMES, ONLY_MAIN};
use crate::domain::dialogs::reminder::ReminderScope;
use crate::domain::dialogs::taskdoc::content_hash;
use crate::tools::test_support::TestBench;
use crate::tools::{ReminderFormat, ReminderView, StateChange, ToolOutcome};

fn reminder(id: &str) -> ReminderView {
    ReminderView {
        id: id.to_owned(),
        content: "text".to_owned(),
        scope: ReminderScope::Dialog,
        owner: None,
        meta: None,
    }
}

fn added(
    position: Option<usize>,
    scope: ReminderScope,
    render: ReminderFormat,
) -> Vec<StateChange> {
    let (id, content) = ("new00001".to_owned(), "note".to_owned());
    vec![StateChange::AddReminder { id, content, position, scope, render }]
}

#[test]
fn add_reminder_returns_the_reminder_as_a_change() {
    for (args, expected) in [
        (json!({"content": "note"}), added(None, ReminderScope::Dialog, ReminderFormat::Markdown)),
        (
            json!({"content": "note", "position": 1, "render_mode": "plain"}),
            added(Some(1), ReminderScope::Dialog, ReminderFormat::Plain),
        ),
        (
            json!({"content": "note", "scope": "personal"}),
            added(None, ReminderScope::Personal, ReminderFormat::Markdown),
        ),
        (json!({"content": "note", "scope": "personal", "position": 1}), vec![]),
        (json!({"content": "  \n"}), vec![]),
        (json!({"content": "note", "position": 0}), vec![]),
        (json!({"content": "note", "scope": "agent_shared"}), vec![]),
        (json!({}), vec![]),
    ] {
        let outcome = TestBench::new().run("add_reminder", &args);
        assert_eq!(outcome.ok, !expected.is_empty(), "{args}");
        assert_eq!(outcome.changes, expected, "{args}");
    }
}

#[test]
fn update_and_delete_honour_what_a_reminder_says_about_itself() {
    let with_meta = |id, meta| ReminderView { meta: Some(meta), ..reminder(id) };
    let owned = ReminderView { owner: Some("pendingTellask".to_owned()), ..reminder("owned") };
    let shared = ReminderView { scope: ReminderScope::AgentShared, ..reminder("shared") };
    let bench = TestBench::new().reminders(vec![
        reminder("plain"),
        with_meta("noupd", json!({"update": {"altInstruction": "use tellask"}})),
        with_meta("nodel", json!({"delete": {"altInstruction": "wait for it"}})),
        with_meta("managed", json!({"manager": {"tool": "stop_daemon"}})),
        with_meta("odd", json!({"update": 3, "delete": {"altInstruction": "  "}, "manager": []})),
        owned,
        shared,
    ]);
    for (id, update, delete) in [
        ("plain", Ok(()), Ok(())),
        (" plain ", Ok(()), Ok(())),
        ("noupd", Err("use tellask"), Ok(())),
        ("nodel", Ok(()), Err("wait for it")),
        ("managed", Err("stop_daemon"), Err("stop_daemon")),
        ("odd", Ok(()), Ok(())),
        ("owned", Err("keeps this reminder"), Ok(())),
        ("shared", Err("keeps this reminder"), Ok(())),
        ("absent", Err("`absent`"), Err("`absent`")),
    ] {
        let check = |outcome: ToolOutcome, expected: Result<(), &str>, change: StateChange| {
            match expected {
                Ok(()) => assert_eq!(outcome.changes, [change], "{id}"),
                Err(words) => {
                    assert!(!outcome.ok && outcome.changes.is_empty(), "{id}");
                    assert!(outcome.text.contains(words), "{id}: {}", outcome.text);
                }
            }
        };
        let (id, content) = (id.trim().to_owned(), "new".to_owned());
        let args = json!({"reminder_id": id, "content": content});
        let change = StateChange::UpdateReminder { id: id.clone(), content, render: None };
        check(bench.run("update_reminder", &args), update, change);
        let outcome = bench.run("delete_reminder", &json!({"reminder_id": id}));
        check(outcome, delete, StateChange::DeleteReminder { id: id.clone() });
    }
    assert!(!bench.run("update_reminder", &json!({"reminder_id": "plain", "content": " "})).ok);
}

#[test]
fn clear_mind_carries_a_filled_reminder_over() {
    let bench = TestBench::new();
    for (args, content) in [
        (json!({}), None),
        (json!({"reminder_content": " "}), None),
        (json!({"reminder_content": null}), None),
        (json!({"reminder_content": " go on "}), Some("go on".to_owned())),
    ] {
        let outcome = bench.run("clear_mind", &args);
        assert_eq!(
            outcome.changes,
            [StateChange::ClearMind { reminder_content: content }],
            "{args}"
        );
    }
}

#[test]
fn a_text_too_long_for_a_reminder_is_refused_with_the_way_out() {
    let bench = TestBench::new().reminders(vec![reminder("plain")]);
    let fits = "x".repeat(16 * 1024);
    for (tool, args) in [
        ("add_reminder", json!({"content": fits})),
        ("update_reminder", json!({"reminder_id": "plain", "content": fits})),
        ("clear_mind", json!({"reminder_content": fits})),
    ] {
        assert!(bench.run(tool, &args).ok, "{tool}");
        let longer = args.to_string().replacen('x', "xx", 1);
        let outcome = bench.run(tool, &serde_json::from_str(&longer).unwrap());
        assert!(!outcome.ok && outcome.changes.is_empty(), "{tool}");
        assert!(outcome.text.contains("16 KiB") && outcome.text.len() < 400, "{}", outcome.text);
    }
}

#[test]
fn change_mind_replaces_a_section_and_recall_reads_it() {
    let bench = TestBench::new();
    bench.put("task.tsk/goals.md", "old\nlong\n");
    for (args, file, text) in [
        (json!({"selector": "goals", "content": " new \n\n"}), "goals.md", "new\n"),
        (json!({"selector": "!progress", "content": "p"}), "progress.md", "p\n"),
        (
            json!({"selector": "risks", "category": "bearinmind", "content": "r"}),
            "bearinmind/risks.md",
            "r\n",
        ),
        (
            json!({"selector": "found", "category": "research", "content": "f"}),
            "research/found.md",
            "f\n",
        ),
    ] {
        let outcome = bench.run("change_mind", &args);
        assert!(outcome.ok && outcome.changes.is_empty(), "{}", outcome.text);
        assert_eq!(bench.text(&format!("task.tsk/{file}")), text);
    }
    for (args, words) in [
        (json!({"category": "research", "selector": "found"}), Ok("f\n")),
        (json!({"category": "bearinmind", "selector": "risks"}), Ok("r\n")),
        (json!({"category": "research", "selector": "absent"}), Err("do_mind")),
        (json!({"category": "", "selector": "goals"}), Ok("new\n")),
        (json!({"category": "goals", "selector": "x"}), Err("reserved")),
        (json!({"category": "..", "selector": "x"}), Err("`category`")),
        (json!({"selector": "progress"}), Ok("p\n")),
    ] {
        let outcome = bench.run("recall_taskdoc", &args);
        match words {
            Ok(text) => {
                let expected = format!("content_hash: {}\n\n{text}", content_hash(text));
                assert_eq!((outcome.ok, outcome.text), (true, expected));
            }
            Err(words) => assert!(!outcome.ok && outcome.text.contains(words), "{}", outcome.text),
        }
    }
}

#[test]
fn a_section_that_has_changed_since_it_was_read_is_not_replaced() {
    let bench = TestBench::new();
    bench.put("task.tsk/goals.md", "old\n");
    let change = |hash: &str, selector: &str| {
        let args = json!({"selector": selector, "content": "new", "previous_content_hash": hash});
        bench.run("change_mind", &args)
    };
    let (seen, now) = (content_hash("older\n"), content_hash("old\n"));
    let refused = change(&seen, "goals");
    assert!(!refused.ok && refused.text.contains(&now), "{}", refused.text);
    assert!(!change(&now, "progress").ok, "it is not there");
    assert_eq!(bench.text("task.tsk/goals.md"), "old\n");
    assert!(change(&now, "goals").ok);
    assert_eq!(bench.text("task.tsk/goals.md"), "new\n");
}

#[test]
fn sections_are_made_once_get_more_and_go() {
    let bench = TestBench::new();
    bench.put("task.tsk/progress.md", "one\n\n").put("task.tsk/a/link.md/file", "");
    let section = "task.tsk/plan/next.md";
    let named = |more: serde_json::Value| {
        let mut args = json!({"category": "plan", "selector": "next"});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        args
    };
    for (tool, args, ok, file, text) in [
        ("do_mind", named(json!({"content": " "})), false, section, None),
        ("do_mind", named(json!({"content": " first "})), true, section, Some("first\n")),
        ("do_mind", named(json!({"content": "again"})), false, section, Some("first\n")),
        ("mind_more", named(json!({"items": []})), false, section, Some("first\n")),
        ("mind_more", named(json!({"items": ["x", " "]})), false, section, Some("first\n")),
        (
            "mind_more",
            named(json!({"items": ["x", " y "], "sep": "; "})),
            true,
            section,
            Some("first; x; y\n"),
        ),
        ("never_mind", named(json!({})), true, section, None),
        ("never_mind", named(json!({})), false, section, None),
        ("mind_more", named(json!({"items": ["z"]})), true, section, Some("z\n")),
        (
            "mind_more",
            json!({"items": ["two", "three"]}),
            true,
            "task.tsk/progress.md",
            Some("one\ntwo\nthree\n"),
        ),
        (
            "never_mind",
            json!({"category": "a", "selector": "link"}),
            false,
            "task.tsk/a/link.md/file",
            Some(""),
        ),
    ] {
        let outcome = bench.run(tool, &args);
        assert_eq!(outcome.ok, ok, "{tool} {args}: {}", outcome.text);
        let there = std::fs::read_to_string(bench.at(file)).ok();
        assert_eq!(there.as_deref(), text, "{tool} {args}");
    }
    bench.put("task.tsk/a/long.md", "x".repeat(200_000));
    let args = json!({"category": "a", "selector": "long", "items": ["y"]});
    assert!(!bench.run("mind_more", &args).ok, "nothing of it may be lost");
}

#[test]
fn only_a_main_dialog_changes_the_task_document() {
    let mut bench = TestBench::new();
    bench.cx.main_dialog = false;
    for name in ONLY_MAIN {
        let args = json!({"selector": "goals", "content": "x", "items": ["x"]});
        let refused = bench.run(name, &args);
        assert!(!refused.ok && refused.text.contains(name), "{}", refused.text);
        assert!(refused.text.contains("main dialog"), "{}", refused.text);
    }
    assert_eq!(std::fs::read_dir(bench.at("")).unwrap().count(), 0);
}

#[test]
fn change_mind_refuses_bad_sections_side_dialogs_and_missing_documents() {
    let mut bench = TestBench::new();
    let goals = json!({"selector": "goals", "content": "x"});
    for args in [
        json!({"selector": "goals", "content": "  "}),
        json!({"selector": "other", "content": "x"}),
        json!({"selector": "../../x", "category": "a", "content": "x"}),
        json!({"selector": "goals", "category": "bearinmind", "content": "x"}),
    ] {
        assert!(!bench.run("change_mind", &args).ok, "{args}");
    }
    bench.cx.main_dialog = false;
    let refused = bench.run("change_mind", &goals);
    assert!(!refused.ok && refused.text.contains("main dialog"), "{}", refused.text);
    bench.cx.main_dialog = true;
    for document in [None, Some("notes"), Some("../t.tsk"), Some(".minds/t.tsk"), Some("/t.tsk")] {
        bench.cx.taskdoc = document.map(Into::into);
        assert!(!bench.run("change_mind", &goals).ok, "{document:?}");
    }
    assert_eq!(std::fs::read_dir(bench.at("")).unwrap().count(), 0);
}

#[test]
fn recall_cuts_a_section_that_is_too_long() {
    let bench = TestBench::new();
    bench.put("task.tsk/a/b.md", "x".repeat(200_000));
    let outcome = bench.run("recall_taskdoc", &json!({"category": "a", "selector": "b"}));
    assert!(outcome.ok && outcome.text.ends_with("[cut at 100 KiB]"));
}

#[test]
fn the_tools_are_those_that_are_named() {
    let tools = super::tools();
    let names: Vec<&str> = tools.iter().map(|tool| tool.spec().name.as_ref()).collect();
    assert_eq!(names, NAMES);
}
