//! Reminders: of a dialog, and those a member keeps for all its dialogs.

use dominds_tui::domain::dialogs::reminder::PERSONAL;
use dominds_tui::domain::{AgentId, Reminder, Stamp};
use dominds_tui::llm::{Message, Reply, Request, Sequence};
use serde_json::json;

use super::result_of;
use super::support::open_problems;
use crate::common::World;

/// The texts of the reminder block, in the order the model sees them.
fn block(request: &Request) -> Vec<&str> {
    let texts: Vec<&str> = request
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::Environment(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    let begin = texts.iter().position(|text| text.contains("Reminder context block begins"));
    let end = texts.iter().position(|text| text.contains("Reminder context block ends"));
    match (begin, end) {
        (Some(begin), Some(end)) => texts[begin + 1..end].to_vec(),
        (None, None) => Vec::new(),
        _ => panic!("header and footer come together: {texts:?}"),
    }
}

/// Returns the texts of the reminders, without the line that names them.
fn contents(request: &Request) -> Vec<&str> {
    block(request).iter().map(|text| text.lines().last().unwrap_or_default()).collect()
}

fn add(id: &str, arguments: &serde_json::Value) -> Reply {
    Reply::call(id, "add_reminder", &arguments.to_string())
}

/// The reminders `lead` shares, by id.
fn shared(world: &World) -> Vec<(String, String)> {
    let (found, problems) =
        world.view().personal_reminders(&AgentId::new("lead")).expect("reminders");
    assert_eq!(problems, []);
    found.into_iter().map(|reminder| (reminder.id, reminder.content)).collect()
}

fn write_shared(world: &World, reminder: &Reminder) {
    let text = serde_json::to_string(reminder).expect("JSON");
    world.put(&format!(".dialogs/reminders/lead/{}.json", reminder.id), &text);
}

#[tokio::test(start_paused = true)]
async fn c14_ids_are_stable_and_two_deletes_in_one_round_hit_the_intended_reminders() {
    let three = Reply::saying("Noting.")
        .and_call("a", "add_reminder", r#"{"content":"first"}"#)
        .and_call("b", "add_reminder", r#"{"content":"second"}"#)
        .and_call("c", "add_reminder", r#"{"content":"third","position":1}"#);
    let models = Sequence::new().reply("lead", three).reply("lead", Reply::saying("Noted."));
    let (world, mut running, dialog) = World::talked(models, "Remember three things").await;
    let before = world.dialog(&dialog).reminders;
    let names: Vec<&str> = before.iter().map(|r| r.content.as_str()).collect();
    assert_eq!(names, ["third", "first", "second"]);
    let id = |content: &str| before.iter().find(|r| r.content == content).map(|r| r.id.as_str());
    let delete = |content: &str| json!({"reminder_id": id(content)}).to_string();
    let update = json!({"reminder_id": id("second"), "content": "kept"}).to_string();
    let round = Reply::saying("Cleaning up.")
        .and_call("d", "delete_reminder", &delete("third"))
        .and_call("e", "delete_reminder", &delete("first"))
        .and_call("f", "delete_reminder", &delete("first"))
        .and_call("g", "update_reminder", &update);
    world.models.push("lead", round);
    world.models.push("lead", Reply::saying("Done."));
    running.say(&dialog, "Forget two of them").await.expect("heard");
    running.quiet().await;
    let after = world.dialog(&dialog).reminders;
    assert_eq!(after.len(), 1);
    assert_eq!((Some(after[0].id.as_str()), after[0].content.as_str()), (id("second"), "kept"));
    let seen = world.models.requests();
    let last = seen.last().expect("a request");
    assert!(result_of(last, "e").is_some_and(|text| text.contains("deleted")));
    assert!(result_of(last, "f").is_some_and(|text| text.contains("this reminder is gone")));
}

#[tokio::test(start_paused = true)]
async fn c14_a_personal_reminder_is_seen_in_all_dialogs_of_its_member_and_in_no_other() {
    let note = json!({"content": "mine", "scope": "personal"});
    let ask = json!({"targetAgentId": "alice", "tellaskContent": "Look"}).to_string();
    let models = Sequence::new()
        .reply("lead", add("a", &note))
        .reply("lead", Reply::saying("Noted."))
        .reply("lead", Reply::call("t", "tellaskSessionless", &ask))
        .reply("alice", Reply::saying("Seen."))
        .reply("lead", Reply::saying("Fine."));
    let (world, mut running, one) = World::talked(models, "Note to self").await;
    let two = running.talk("Another dialog").await;
    assert_eq!(shared(&world).len(), 1);
    for dialog in [&one, &two] {
        assert!(world.dialog(dialog).reminders.iter().all(|r| r.scope == "dialog"));
    }
    let seen = world.models.requests();
    let of = |model: &str| -> Vec<Vec<&str>> {
        seen.iter().filter(|request| request.model == model).map(contents).collect()
    };
    assert_eq!(of("lead")[..3], [vec![], vec!["mine"], vec!["mine"]]);
    assert_eq!(of("alice"), [Vec::<&str>::new()]);
}

#[tokio::test(start_paused = true)]
async fn c14_a_personal_reminder_takes_no_position_and_is_changed_and_deleted_by_its_id() {
    let refused = json!({"content": "x", "scope": "personal", "position": 1});
    let note = json!({"content": "mine", "scope": "personal"});
    let models = Sequence::new()
        .reply("lead", add("a", &refused))
        .reply("lead", add("b", &note))
        .reply("lead", Reply::saying("Noted."));
    let (world, mut running, one) = World::talked(models, "Note to self").await;
    let seen = world.models.requests();
    assert!(result_of(&seen[1], "a").is_some_and(|text| text.contains("`position`")));
    let [(id, text)] = &shared(&world)[..] else { panic!("one reminder") };
    assert_eq!(text, "mine");
    let rewrite = json!({"reminder_id": id, "content": "ours"}).to_string();
    let delete = json!({"reminder_id": id}).to_string();
    world.models.push("lead", Reply::call("c", "update_reminder", &rewrite));
    world.models.push("lead", Reply::call("d", "delete_reminder", &delete));
    world.models.push("lead", Reply::saying("Gone."));
    let other = running.talk("Change it from another dialog").await;
    assert_ne!(one, other);
    let seen = world.models.requests();
    assert_eq!(contents(&seen[seen.len() - 2]), ["ours"]);
    assert!(block(seen.last().expect("a request")).is_empty());
    assert_eq!(shared(&world), []);
}

#[tokio::test(start_paused = true)]
async fn a_shared_reminder_that_is_left_out_is_a_problem_until_it_can_be_read() {
    let models = Sequence::new()
        .reply("lead", Reply::saying("One."))
        .reply("lead", Reply::saying("Two."))
        .reply("lead", Reply::saying("Three."));
    let world = World::new(models);
    let file = ".dialogs/reminders/lead/broken.json";
    world.put(file, "{");
    let mut running = world.start().await;
    running.talk("One").await;
    let found: Vec<String> = open_problems(&running).into_iter().map(|one| one.path).collect();
    assert_eq!(found, [file]);
    running.talk("Two").await;
    assert_eq!(open_problems(&running).len(), 1, "two dialogs of a member share it");
    std::fs::remove_file(world.path().join(file)).expect("removed");
    running.talk("Three").await;
    assert_eq!(open_problems(&running), []);
}

#[tokio::test(start_paused = true)]
async fn c14_guards_of_a_shared_reminder_are_honoured() {
    let delete = json!({"reminder_id": "daemon01"}).to_string();
    let update = json!({"reminder_id": "daemon01", "content": "x"}).to_string();
    let round = Reply::saying("Trying.").and_call("a", "delete_reminder", &delete).and_call(
        "b",
        "update_reminder",
        &update,
    );
    let models = Sequence::new().reply("lead", round).reply("lead", Reply::saying("I see."));
    let world = World::new(models);
    let daemon = Reminder {
        scope: "agent_shared".to_owned(),
        owner_name: Some("shellCmd".to_owned()),
        meta: Some(json!({"delete": {"altInstruction": "stop it with stop_daemon"}})),
        ..Reminder::new("daemon01".to_owned(), "runs".to_owned(), Stamp::new("2026-11-01 10:00:00"))
    };
    write_shared(&world, &daemon);
    let mut running = world.start().await;
    running.talk("Clean up").await;
    let seen = world.models.requests();
    assert_eq!(contents(&seen[0]), ["runs"]);
    assert!(result_of(&seen[1], "a").is_some_and(|text| text.contains("stop it with stop_daemon")));
    assert!(result_of(&seen[1], "b").is_some_and(|text| text.contains("keeps this reminder")));
    assert_eq!(shared(&world), [("daemon01".to_owned(), "runs".to_owned())]);
}

#[tokio::test(start_paused = true)]
async fn c14_the_newest_reminder_comes_first_whoever_keeps_it() {
    let world = World::new(Sequence::new().reply("lead", Reply::saying("Read.")));
    let touched = |id: &str, at: &str, updated: Option<&str>| Reminder {
        scope: PERSONAL.to_owned(),
        meta: updated.map(|at| json!({ "updatedAt": at })),
        ..Reminder::new(id.to_owned(), id.to_owned(), Stamp::new(at))
    };
    for reminder in [
        touched("old", "2026-11-01 10:00:00", None),
        touched("new", "2026-11-03 10:00:00", None),
        touched("touched", "2026-11-01 09:00:00", Some("2026-11-02 10:00:00")),
    ] {
        write_shared(&world, &reminder);
    }
    let mut running = world.start().await;
    running.talk("What do you remember?").await;
    assert_eq!(contents(&world.models.requests()[0]), ["new", "touched", "old"]);
}

#[tokio::test(start_paused = true)]
async fn c15_the_block_stands_before_the_history_and_is_absent_when_there_is_nothing_to_show() {
    let note = json!({"content": "mine"});
    let models = Sequence::new()
        .reply("lead", add("a", &note))
        .reply("lead", Reply::saying("Noted."))
        .reply("lead", Reply::saying("Again."));
    let world = World::new(models);
    let hidden = Reminder {
        scope: PERSONAL.to_owned(),
        echoback: Some(false),
        ..Reminder::new(
            "hidden01".to_owned(),
            "secret".to_owned(),
            Stamp::new("2026-11-01 10:00:00"),
        )
    };
    write_shared(&world, &hidden);
    let mut running = world.start().await;
    let dialog = running.talk("Remember").await;
    running.say(&dialog, "Again").await.expect("heard");
    running.quiet().await;
    let seen = world.models.requests();
    assert!(block(&seen[0]).is_empty());
    assert!(!format!("{:?}", seen[0].messages).contains("context block"), "{:?}", seen[0].messages);
    assert_eq!(contents(&seen[1]), ["mine"]);
    for request in &seen {
        assert!(!format!("{:?}", request.messages).contains("secret"));
        let first = request.messages.iter().position(|m| !matches!(m, Message::Environment(_)));
        let last = request.messages.iter().rposition(
            |m| matches!(m, Message::Environment(text) if text.contains("context block ends")),
        );
        assert!(last.is_none_or(|last| first.is_some_and(|first| last < first)), "{request:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_broken_personal_reminder_stops_nobody() {
    let models = Sequence::new().reply("lead", Reply::saying("Here."));
    let world = World::new(models);
    world.put(".dialogs/reminders/lead/bad.json", "{");
    world.is_left_damaged();
    let mut running = world.start().await;
    let dialog = running.talk("Hello").await;
    assert_eq!(world.state(&dialog), "idle_waiting_user");
    assert_eq!(world.view().examine().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_scope_holds_so_many_reminders_and_the_mind_can_still_be_cleared() {
    let mut models = Sequence::new();
    for n in 0..7 {
        let mut round = Reply::saying("Noting.");
        for m in 0..30 {
            let content = json!({ "content": format!("note {n} {m}") }).to_string();
            round = round.and_call(&format!("r{n}-{m}"), "add_reminder", &content);
        }
        models = models.reply("lead", round);
    }
    let models = models
        .reply("lead", add("p", &json!({ "content": "mine", "scope": "personal" })))
        .reply("lead", Reply::call("m", "clear_mind", r#"{"reminder_content":"go on"}"#))
        .reply("lead", Reply::saying("Afresh."));
    let (world, _running, main) = World::talked(models, "Go").await;
    let seen = world.models.requests();
    for (id, added) in [("r6-19", true), ("r6-20", false), ("r6-29", false), ("p", true)] {
        let result = seen.iter().rev().find_map(|request| result_of(request, id));
        let result = result.expect("a result");
        assert_eq!(result.contains("there are 200 reminders"), !added, "{id}: {result}");
    }
    assert_eq!(world.dialog(&main).reminders.len(), 201, "the note for the new course is kept");
    assert_eq!((world.models.remaining(), shared(&world).len()), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn what_lies_on_the_disk_beyond_the_bounds_is_shown_in_part_and_kept_whole() {
    let models =
        Sequence::new().reply("lead", Reply::saying("Hi.")).reply("lead", Reply::saying("I see."));
    let (world, running, main) = World::talked(models, "Hello").await;
    running.shut_down().await;
    let mut reminders: Vec<Reminder> = (0..250)
        .map(|n| {
            let at = Stamp::new(format!("2026-01-01 00:{:02}:{:02}", n / 60, n % 60));
            Reminder::new(format!("r{n:07}"), format!("note {n}"), at)
        })
        .collect();
    reminders[249].content = "字".repeat(1_000_000);
    let file = json!({ "reminders": reminders, "updatedAt": "2026-01-02 00:00:00" }).to_string();
    let path = format!(".dialogs/run/{}/reminders.json", main.root.as_str());
    world.put(&path, &file);
    let mut running = world.start().await;
    running.say(&main, "Again").await.expect("heard");
    running.quiet().await;
    let seen = world.models.requests();
    let shown = block(&seen[1]);
    assert_eq!(shown.len(), 201, "two hundred, and how many are left out");
    assert!(shown[0].len() < 17 * 1024, "{}", shown[0].len());
    let note = "[the first 16 KiB of 3000000 bytes; write it anew, shorter]";
    assert!(shown[0].ends_with(note), "{:?}", shown[0].lines().last());
    assert!(shown[199].ends_with("note 50") && shown[200].contains("not shown: 50"));
    assert_eq!(world.dialog(&main).reminders, reminders);
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn the_reminders_a_member_shares_are_read_only_so_far_and_the_rest_is_named() {
    let models = Sequence::new().reply("lead", Reply::saying("Hi."));
    let world = World::new(models);
    for n in 0..6 {
        let mut reminder =
            Reminder::new(format!("s{n:07}"), "x".repeat(1_000_000), Stamp::default());
        PERSONAL.clone_into(&mut reminder.scope);
        write_shared(&world, &reminder);
    }
    let mut running = world.start().await;
    running.talk("Hello").await;
    assert_eq!(block(&world.models.requests()[0]).len(), 4);
    let (read, left) = world.view().personal_reminders(&AgentId::new("lead")).expect("reminders");
    assert_eq!((read.len(), left.len()), (4, 2));
    assert!(left[0].text.to_string().contains("left out"), "{left:?}");
}

#[tokio::test(start_paused = true)]
async fn megabytes_for_a_reminder_are_refused_and_no_later_request_carries_them() {
    let huge = json!({ "content": "x".repeat(3_500_000) });
    let mut models = Sequence::new();
    for n in 0..25 {
        models = models.reply("lead", add(&format!("h{n}"), &huge));
    }
    let (world, _running, main) =
        World::talked(models.reply("lead", Reply::saying("I see.")), "Go").await;
    let seen = world.models.requests();
    let last = seen.last().expect("a request");
    for n in 0..25 {
        let result = result_of(last, &format!("h{n}")).expect("a result");
        assert!(result.contains("3500014 bytes; a reminder holds 16 KiB"), "{result}");
    }
    let carried = format!("{:?}", last.messages).len();
    assert!(carried < 100_000, "{carried}");
    assert!(world.dialog(&main).reminders.is_empty());
    assert_eq!(world.dialog(&main).history.open_calls().count(), 0);
}
