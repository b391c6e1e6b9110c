//! The sheets of a dialog: its reminders, its Taskdoc, and the records of its tree.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use dominds_tui::domain::reading::net_changes::NetChange;
use dominds_tui::domain::reading::timeline::{Activity, Span};
use dominds_tui::domain::text::Localized;
use dominds_tui::domain::text::diff::LineTag;
use dominds_tui::domain::{DialogId, Reminder, Stamp};
use dominds_tui::driver::Audience;
use dominds_tui::llm::{Message, Reply, Sequence};
use dominds_tui::protocol::{
    ChangesScope, ChangesView, Command, DriverEvent, ReminderAudience, ReminderView, Sheet,
    SheetRequest, TaskdocView,
};
use serde_json::json;

use super::result_of;
use crate::common::{Running, World};

impl Running {
    async fn on_sheet(&mut self, dialog: &DialogId, request: SheetRequest) -> Result<(), String> {
        let dialog = dialog.clone();
        self.ask(|ticket| Command::Sheet { ticket, dialog, request }).await.map(drop)
    }

    /// Returns the content of a sheet.
    async fn sheet(&mut self, dialog: &DialogId, request: SheetRequest) -> Sheet {
        let dialog = dialog.clone();
        self.send(Command::Sheet { ticket: 0, dialog, request }).await;
        loop {
            match self.event().await {
                DriverEvent::Sheet { sheet, .. } => return *sheet,
                DriverEvent::Refused { ticket: 0, text } => panic!("{text}"),
                _ => {}
            }
        }
    }

    async fn reminders(&mut self, dialog: &DialogId) -> Vec<ReminderView> {
        let Sheet::Reminders(reminders) = self.sheet(dialog, SheetRequest::Reminders).await else {
            panic!("another sheet")
        };
        reminders
    }

    async fn taskdoc(&mut self, dialog: &DialogId) -> TaskdocView {
        let Sheet::Taskdoc(taskdoc) = self.sheet(dialog, SheetRequest::Taskdoc).await else {
            panic!("another sheet")
        };
        taskdoc
    }

    async fn changes(&mut self, dialog: &DialogId, scope: ChangesScope) -> ChangesView {
        let Sheet::Changes(changes) = self.sheet(dialog, SheetRequest::Changes(scope)).await else {
            panic!("another sheet")
        };
        changes
    }
}

fn add(content: &str, scope: ReminderAudience) -> SheetRequest {
    SheetRequest::AddReminder { content: content.to_owned(), scope }
}

fn write(name: &str, before: &str, text: &str) -> SheetRequest {
    let (name, before, text) = (name.to_owned(), before.to_owned(), text.to_owned());
    SheetRequest::WriteSection { name, before, text }
}

fn environment(message: &Message) -> Option<&str> {
    match message {
        Message::Environment(text) => Some(text),
        _ => None,
    }
}

/// A world with one dialog that has said "Hello.".
async fn greeted(more: &[Reply]) -> (World, Running, DialogId) {
    let models = Sequence::new().reply("lead", Reply::saying("Hello."));
    let world = World::new(models);
    for reply in more {
        world.models.push("lead", reply.clone());
    }
    let mut running = world.start().await;
    let dialog = running.talk("Hi").await;
    (world, running, dialog)
}

#[tokio::test(start_paused = true)]
async fn a_person_adds_rewords_and_deletes_reminders_and_the_next_generation_sees_them() {
    let (world, mut running, dialog) = greeted(&[Reply::saying("I see.")]).await;
    running.on_sheet(&dialog, add("of the dialog", ReminderAudience::Dialog)).await.expect("saved");
    running
        .on_sheet(&dialog, add("of the member", ReminderAudience::Personal))
        .await
        .expect("saved");
    let seen = running.reminders(&dialog).await;
    let id = |content: &str| {
        let found = seen.iter().find(|reminder| reminder.content == content);
        found.expect("a reminder").id.clone()
    };
    let (own, shared) = (id("of the dialog"), id("of the member"));
    assert_eq!(world.dialog(&dialog).reminders.len(), 1);
    for (id, content) in [(&own, "own"), (&shared, "shared")] {
        let (id, content) = (id.clone(), content.to_owned());
        running
            .on_sheet(&dialog, SheetRequest::RewordReminder { id, content })
            .await
            .expect("saved");
    }
    running.say(&dialog, "What do you remember?").await.expect("heard");
    running.quiet().await;
    let requests = world.models.requests();
    let notices: Vec<&str> =
        requests.last().expect("a request").messages.iter().filter_map(environment).collect();
    for text in ["\n\nown", "\n\nshared"] {
        assert!(notices.iter().any(|notice| notice.ends_with(text)), "{notices:?}");
    }
    for id in [&own, &shared] {
        let delete = SheetRequest::DeleteReminder { id: id.clone() };
        running.on_sheet(&dialog, delete.clone()).await.expect("deleted");
        let again = running.on_sheet(&dialog, delete).await;
        assert_eq!(again, Err("there is no such reminder any more".to_owned()));
    }
    assert_eq!(running.reminders(&dialog).await, []);
    assert_eq!(world.dialog(&dialog).reminders, []);
}

#[tokio::test(start_paused = true)]
async fn a_guarded_reminder_is_refused_to_a_person_with_its_reason() {
    let models = Sequence::new().reply("lead", Reply::saying("Hello."));
    let world = World::new(models);
    let daemon = Reminder {
        scope: "agent_shared".to_owned(),
        owner_name: Some("shellCmd".to_owned()),
        meta: Some(json!({"delete": {"altInstruction": "stop it first"}})),
        ..Reminder::new("daemon01".to_owned(), "runs".to_owned(), Stamp::new("2026-11-01 10:00:00"))
    };
    let text = serde_json::to_string(&daemon).expect("JSON");
    world.put(".dialogs/reminders/lead/daemon01.json", &text);
    let mut running = world.start().await;
    let dialog = running.talk("Hi").await;
    let [view] = &running.reminders(&dialog).await[..] else { panic!("one reminder") };
    assert_eq!(
        view.no_delete,
        Some(Localized::new("the reminder says: stop it first", "提醒中写明：stop it first"))
    );
    assert_eq!(
        view.no_update,
        Some(Localized::new("the program keeps it up to date", "它由程序保持更新"))
    );
    let id = "daemon01".to_owned();
    let reword = SheetRequest::RewordReminder { id: id.clone(), content: "x".to_owned() };
    for request in [SheetRequest::DeleteReminder { id }, reword, add(" ", ReminderAudience::Dialog)]
    {
        assert!(running.on_sheet(&dialog, request.clone()).await.is_err(), "{request:?}");
    }
    assert_eq!(running.reminders(&dialog).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn c17_a_person_writes_a_section_and_the_next_generation_shows_it() {
    let (world, mut running, dialog) = greeted(&[Reply::saying("I see.")]).await;
    let taskdoc = running.taskdoc(&dialog).await;
    assert_eq!(taskdoc.path, "task.tsk");
    let names: Vec<&str> = taskdoc.sections.iter().map(|section| section.name.as_str()).collect();
    assert_eq!(names[..3], ["goals", "constraints", "bearinmind/contracts"]);
    assert_eq!((names.len(), names[8]), (9, "progress"));
    running.on_sheet(&dialog, write("constraints", "", "No SMS.")).await.expect("saved");
    running.on_sheet(&dialog, write("bearinmind/risks", "", "Replay.")).await.expect("saved");
    running.say(&dialog, "Read the task").await.expect("heard");
    running.quiet().await;
    let requests = world.models.requests();
    let taskdoc = requests.last().and_then(|r| r.messages.first()).and_then(environment);
    let taskdoc = taskdoc.expect("the Taskdoc");
    let places =
        ["See it through.", "No SMS.", "Replay.", "## Progress"].map(|part| taskdoc.find(part));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{taskdoc}");
}

#[tokio::test(start_paused = true)]
async fn c17_a_section_that_changed_meanwhile_is_not_overwritten() {
    let (world, mut running, dialog) = greeted(&[]).await;
    world.put("task.tsk/goals.md", "Something else.\n");
    let refused = running.on_sheet(&dialog, write("goals", "See it through.", "Mine.")).await;
    assert!(refused.is_err_and(|text| text.contains("changed meanwhile")));
    for (name, text) in [("../goals", "x"), ("notes", "x"), ("bearinmind/other", "x")] {
        assert!(running.on_sheet(&dialog, write(name, "", text)).await.is_err(), "{name}");
    }
    assert!(running.on_sheet(&dialog, write("progress", "", " \n")).await.is_err());
    let goals = std::fs::read_to_string(world.path().join("task.tsk/goals.md")).expect("a file");
    assert_eq!(goals, "Something else.\n");
}

#[tokio::test(start_paused = true)]
async fn c17_the_taskdoc_is_shown_in_order_and_only_the_main_dialog_changes_it() {
    let change = |id: &str, selector: &str| {
        let arguments = json!({"selector": selector, "content": "Changed."}).to_string();
        Reply::call(id, "change_mind", &arguments)
    };
    let recall = json!({"category": "ux", "selector": "colors"}).to_string();
    let ask = json!({"targetAgentId": "alice", "tellaskContent": "Change it"}).to_string();
    let models = Sequence::new()
        .reply("lead", change("a", "progress"))
        .reply("lead", change("b", "../../x"))
        .reply("lead", Reply::call("c", "recall_taskdoc", &recall))
        .reply("lead", Reply::call("t", "tellaskSessionless", &ask))
        .reply("alice", change("d", "goals"))
        .reply("alice", Reply::saying("I may not."))
        .reply("lead", Reply::saying("Fine."));
    let world = World::new(models);
    for (file, text) in [
        ("constraints.md", "No SMS."),
        ("bearinmind/risks.md", "Replay."),
        ("bearinmind/grants.md", " \n"),
        ("ux/colors.md", "red on black"),
    ] {
        world.put(&format!("task.tsk/{file}"), text);
    }
    let mut running = world.start().await;
    running.talk("Go").await;
    let seen = world.models.requests();
    let of = |n: usize| seen[n].messages.first().and_then(environment).expect("the Taskdoc");
    let order = ["See it through.", "No SMS.", "Replay.", "(empty)", "ux/colors"];
    let places = order.map(|text| of(0).find(text));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{}", of(0));
    assert!(!of(0).contains("red on black") && !of(0).contains("grants"));
    assert!(of(1).contains("Changed."), "{}", of(1));
    assert!(result_of(&seen[2], "b").is_some_and(|text| text.contains("selector")));
    assert!(result_of(&seen[3], "c").is_some_and(|text| text.ends_with("\n\nred on black")));
    let alice = seen.iter().rfind(|request| request.model == "alice").expect("a request");
    assert!(result_of(alice, "d").is_some_and(|text| text.contains("main dialog")));
    let goals = std::fs::read_to_string(world.path().join("task.tsk/goals.md")).expect("a file");
    assert_eq!(goals, "See it through.\n");
}

#[tokio::test(start_paused = true)]
async fn c17_what_does_not_belong_into_a_taskdoc_is_a_problem() {
    let mut world = World::new(Sequence::new().reply("lead", Reply::saying("Hello.")));
    world.setup.audience = Audience::Screen;
    let mut running = world.start().await;
    running.talk("Hi").await;
    running.shut_down().await;
    world.put("task.tsk/notes.txt", "x");
    world.put("task.tsk/goals/deep.md", "x");
    let running = world.start().await;
    let problems = running.seen.iter().rev().find_map(|event| match event {
        DriverEvent::Problems(problems) => Some(problems.clone()),
        _ => None,
    });
    let problems: Vec<String> =
        problems.unwrap_or_default().iter().map(ToString::to_string).collect();
    for name in ["notes.txt", "goals/deep.md"] {
        assert!(problems.iter().any(|problem| problem.contains(name)), "{problems:?}");
    }
}

/// All files of the dialogs, without what this program keeps for itself.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"))
    {
        let path = entry.path();
        if entry.file_name() == ".tui" {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.clone(), std::fs::read(&path).expect("a file"));
        }
    }
    found
}

#[tokio::test(start_paused = true)]
async fn looking_at_a_sheet_writes_nothing() {
    let (world, running, dialog) = greeted(&[]).await;
    running.shut_down().await;
    let before = files(&world.path().join(".dialogs"));
    let mut running = world.start().await;
    assert_eq!(running.reminders(&dialog).await, []);
    running.taskdoc(&dialog).await;
    running.shut_down().await;
    assert_eq!(files(&world.path().join(".dialogs")), before);
}

/// A file of two lines with a new text, which has two lines as well.
fn overwrite(path: &str, old: &str, new: &str) -> String {
    json!({
        "path": path,
        "known_old_total_lines": 2,
        "known_old_total_bytes": old.len(),
        "content": new,
    })
    .to_string()
}

fn summaries(view: &ChangesView) -> Vec<(String, usize, usize)> {
    let line = |change: &NetChange| {
        (change.path.clone(), change.count(LineTag::Added), change.count(LineTag::Removed))
    };
    view.changes.iter().map(line).collect()
}

#[tokio::test(start_paused = true)]
async fn the_changes_of_a_tree_are_one_difference_per_file_until_they_are_reviewed() {
    let edit = |call: &str, old: &str, new: &str| {
        Reply::call(call, "overwrite_entire_file", &overwrite("a.txt", old, new))
    };
    let models = Sequence::new()
        .reply("lead", edit("1", "1\n2\n", "one\n2\n"))
        .reply("lead", edit("2", "one\n2\n", "uno\n2\n"))
        .reply("lead", Reply::call("3", "create_new_file", &json!({"path": "b"}).to_string()))
        .reply("lead", Reply::saying("Done."));
    let world = World::new(models);
    world.put("a.txt", "1\n2\n");
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    let expected = [("b".to_owned(), 0, 0), ("a.txt".to_owned(), 1, 1)];
    for scope in [ChangesScope::Dialog, ChangesScope::MainDialog, ChangesScope::Unreviewed] {
        let seen = running.changes(&dialog, scope).await;
        assert_eq!(summaries(&seen), expected, "{scope:?}");
        assert_eq!(seen.changes[1].calls.len(), 2);
    }
    let ends = running.changes(&dialog, ChangesScope::MainDialog).await.ends;
    running.on_sheet(&dialog, SheetRequest::MarkReviewed(ends)).await.expect("marked");
    let seen = running.changes(&dialog, ChangesScope::Unreviewed).await;
    assert_eq!(summaries(&seen), []);
    world.models.push("lead", edit("4", "uno\n2\n", "uno\ntwo\n"));
    world.models.push("lead", Reply::saying("Done again."));
    running.say(&dialog, "More").await.expect("heard");
    running.quiet().await;
    let seen = running.changes(&dialog, ChangesScope::Unreviewed).await;
    assert_eq!(summaries(&seen), [("a.txt".to_owned(), 1, 1)]);
    let seen = running.changes(&dialog, ChangesScope::MainDialog).await;
    assert_eq!(summaries(&seen)[0], ("a.txt".to_owned(), 2, 2));
}

#[tokio::test(start_paused = true)]
async fn files_that_a_person_may_mention_are_listed_while_commands_go_on() {
    let world = World::new(Sequence::new().reply("lead", Reply::saying("Hi.")));
    std::fs::create_dir_all(world.path().join("src/deep")).expect("a folder");
    for name in ["src/deep/x.rs", "my notes.txt", ".env", "built.o"] {
        std::fs::write(world.path().join(name), "").expect("a file");
    }
    std::fs::write(world.path().join(".gitignore"), "*.o\n").expect("a file");
    let mut running = world.start().await;
    for _ in 0..3 {
        running.send(Command::Files).await;
    }
    let listed = loop {
        if let DriverEvent::Files(paths) = running.event().await {
            break paths;
        }
    };
    let seen = |path: &str| listed.iter().any(|listed| listed == path);
    assert!(seen("src/deep/x.rs") && seen("my notes.txt"), "{listed:?}");
    let closed = |path: &String| path.starts_with('.') || path == "built.o";
    assert!(!listed.iter().any(closed), "{listed:?}");
    running.talk("Hello").await;
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn the_timeline_and_the_tokens_of_a_tree_have_a_row_for_each_dialog() {
    let asks = json!({"targetAgentId": "alice", "tellaskContent": "Look."}).to_string();
    let models = Sequence::new()
        .reply("lead", Reply::call("x", "tellaskSessionless", &asks))
        .reply("alice", Reply::saying("It is fine."))
        .reply("lead", Reply::saying("Done."));
    let world = World::new(models);
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    let Sheet::Timeline(timeline) = running.sheet(&dialog, SheetRequest::Timeline).await else {
        panic!("another sheet")
    };
    let rows: Vec<_> = timeline.rows.iter().map(|row| (row.agent.as_str(), row.depth)).collect();
    assert_eq!((rows, timeline.left_out), (vec![("lead", 0), ("alice", 1)], 0));
    for row in &timeline.rows {
        let ran = |span: &Span| matches!(span.activity, Activity::Ran { .. });
        assert!(row.timeline.spans.iter().any(ran), "{row:?}");
        assert!(row.timeline.spans.windows(2).all(|pair| pair[0].to == pair[1].from), "{row:?}");
    }
    let Sheet::Usage(usage) = running.sheet(&dialog, SheetRequest::Usage).await else {
        panic!("another sheet")
    };
    let sums: Vec<_> =
        usage.dialogs.iter().map(|one| (one.agent.as_str(), one.sum.generations)).collect();
    assert_eq!(sums, [("lead", 2), ("alice", 1)]);
    assert_eq!(usage.dialogs[0].generations.len(), 2);
}

impl Running {
    /// Waits until the row of a dialog has this number of files to review.
    async fn until_unreviewed(&mut self, dialog: &DialogId, expected: usize) {
        let known = |event: &DriverEvent| match event {
            DriverEvent::Row(row) if row.dialog == *dialog => Some(row.unreviewed),
            DriverEvent::Rows(rows) => {
                rows.iter().find(|row| row.dialog == *dialog).map(|row| row.unreviewed)
            }
            _ => None,
        };
        while self.seen.iter().rev().find_map(known) != Some(expected) {
            self.event().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_files_to_review_are_counted_also_after_a_restart() {
    let create = |path: &str| {
        Reply::call(path, "create_new_file", &json!({"path": path, "content": "x"}).to_string())
    };
    let models = Sequence::new()
        .reply("lead", create("a"))
        .reply("lead", create("b"))
        .reply("lead", Reply::saying("Done."));
    let mut world = World::new(models);
    world.setup.audience = Audience::Screen;
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    running.until_unreviewed(&dialog, 2).await;
    running.shut_down().await;
    let mut running = world.start().await;
    running.until_unreviewed(&dialog, 2).await;
    let ends = running.changes(&dialog, ChangesScope::MainDialog).await.ends;
    running.on_sheet(&dialog, SheetRequest::MarkReviewed(ends)).await.expect("marked");
    running.until_unreviewed(&dialog, 0).await;
    world.models.push("lead", create("c"));
    world.models.push("lead", Reply::saying("Done."));
    running.say(&dialog, "More").await.expect("heard");
    running.until_unreviewed(&dialog, 1).await;
    running.shut_down().await;
    let mut running = world.start().await;
    running.until_unreviewed(&dialog, 1).await;
    running.shut_down().await;
}
