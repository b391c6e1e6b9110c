//! The content of assignments, what counts as the reply of a side dialog, and when its asker goes on.

use std::time::Duration;

use dominds_tui::domain::dialogs::record::Record;
use dominds_tui::driver::Audience;
use dominds_tui::llm::{Message, Reply, Sequence};
use dominds_tui::protocol::DriverEvent;
use dominds_tui::protocol::event::QuietOutcome;

use super::tellasks::{once, reply, session};
use super::{made, place, prompts, question, replies, result_of};
use crate::common::World;
use crate::common::record_lines::{entries, record_lines};

fn ask(id: &str, content: &str) -> Reply {
    Reply::call(id, "tellask", &session("alice", "plan", content))
}

fn deliver(id: &str, text: &str) -> Reply {
    Reply::call(id, "replyTellask", &reply(text))
}

#[tokio::test(start_paused = true)]
async fn e02_an_assignment_names_the_asker_the_reply_tool_and_the_request_and_records_the_reply_owed()
 {
    let models = Sequence::new()
        .reply("lead", ask("c", "Plan the move."))
        .reply("alice", Reply::saying("planned"))
        .reply("lead", Reply::saying("Good."));
    let (world, _running, main) = World::talked(models, "Go").await;
    let requests = world.models.requests();
    let [prompt] = prompts(&requests[1])[..] else { panic!("one prompt") };
    for part in
        ["@lead", "`replyTellask`", "Plan the move.", "@alice", "plan", "【Tellask Session】"]
    {
        assert!(prompt.contains(part), "{part} in {prompt}");
    }
    let records = entries(&world.view(), &made(&main, 2));
    let directive = records.iter().find_map(|entry| match &entry.record {
        Record::HumanText(text) => text.tellask_reply_directive.clone(),
        _ => None,
    });
    let directive = directive.expect("a reply owed");
    let owed = (directive.expected_reply_call_name.as_str(), directive.target_call_id.as_str());
    assert_eq!(owed, ("replyTellask", "c"));
    assert_eq!(
        (directive.target_dialog_id, directive.tellask_content),
        (main.this, "Plan the move.".into())
    );
}

#[tokio::test(start_paused = true)]
async fn e05_a_newer_request_lets_the_running_generation_end_and_is_the_next_prompt() {
    let models = Sequence::new()
        .reply("lead", ask("c1", "First."))
        .reply(
            "alice",
            Reply::call("t", "add_reminder", r#"{"content":"x"}"#).and_wait(Duration::from_mins(1)),
        )
        .reply("lead", ask("c2", "Second."))
        .reply("alice", deliver("r", "about the second"))
        .reply("lead", Reply::saying("Done."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    running.say(&main, "Rather this.").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &made(&main, 2));
    assert!(place(&lines, "end 1") < place(&lines, "assigned c2"), "{lines:#?}");
    let second = world.models.requests().into_iter().rfind(|r| r.model == "alice").expect("asked");
    let prompt = *prompts(&second).last().expect("a prompt");
    assert!(prompt.contains("was replaced") && prompt.contains("Second."), "{prompt}");
}

#[tokio::test(start_paused = true)]
async fn e09_after_a_newer_request_and_a_new_course_the_reply_goes_to_the_newer_call() {
    let slow = Reply::new().and_wait(Duration::from_mins(1)).and_call("m", "clear_mind", "{}");
    let models = Sequence::new()
        .reply("lead", ask("c1", "First."))
        .reply("alice", slow)
        .reply("lead", ask("c2", "Second."))
        .reply("alice", deliver("r", "the second"))
        .reply("lead", Reply::saying("Done."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    running.say(&main, "Rather this.").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &main);
    place(&lines, "closed c1");
    place(&lines, "answered c2");
    let side = world.dialog(&made(&main, 2));
    assert_eq!((side.history.course.0, side.obligation()), (2, None));
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn e11_a_reply_lets_its_asker_go_on_though_calls_of_another_generation_wait() {
    let slow = |seconds, text| Reply::saying(text).and_wait(Duration::from_secs(seconds));
    let models = Sequence::new()
        .reply("lead", Reply::call("c1", "tellaskSessionless", &once("alice", "Look.")))
        .reply("alice", slow(10, "seen"))
        .reply("lead", Reply::call("c2", "tellaskSessionless", &once("bob", "Look.")))
        .reply("bob", slow(60, "seen too"))
        .reply("lead", Reply::saying("One is in."))
        .reply("lead", Reply::saying("Both are in."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    running.say(&main, "Ask bob too").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &main);
    assert!(place(&lines, "says: One is in.") < place(&lines, "answered c2"), "{lines:#?}");
    assert_eq!(lines[lines.len() - 2], "says: Both are in.");
}

#[tokio::test(start_paused = true)]
async fn e14_words_before_a_call_and_words_of_a_dialog_that_waits_are_not_its_reply() {
    let asks = Reply::saying("First I ask bob.").and_call(
        "x",
        "tellaskSessionless",
        &once("bob", "Where?"),
    );
    let models = Sequence::new()
        .reply("lead", ask("c", "Plan it."))
        .reply("alice", asks)
        .reply("bob", Reply::saying("here"))
        .reply(
            "alice",
            Reply::saying("One note first.").and_call("t", "add_reminder", r#"{"content":"n"}"#),
        )
        .reply("alice", Reply::saying("The plan."))
        .reply("lead", Reply::saying("Good."));
    let world = World::new(models);
    let mut running = world.start().await;
    running.talk("Go").await;
    let last = world.models.requests().pop().expect("a request");
    let texts = replies(&last).concat();
    assert!(texts.contains("The plan."), "{texts}");
    assert!(!texts.contains("First I ask") && !texts.contains("One note"), "{texts}");
}

#[tokio::test(start_paused = true)]
async fn e16_a_reply_nobody_waits_for_is_refused_and_the_model_goes_on() {
    let models = Sequence::new()
        .reply("lead", Reply::call("r", "replyTellaskBack", &reply("x")))
        .reply("lead", Reply::saying("I see."));
    let (world, _running, main) = World::talked(models, "Go").await;
    let seen = world.models.requests();
    assert!(result_of(&seen[1], "r").is_some_and(|text| text.contains("you owe no reply")));
    assert_eq!(world.state(&main), "idle_waiting_user");
}

#[tokio::test(start_paused = true)]
async fn e26_a_hidden_member_can_be_asked_and_is_not_listed() {
    let unknown = Reply::call("x", "tellaskSessionless", &once("nobody", "Look."));
    let models = Sequence::new()
        .reply("lead", unknown)
        .reply("lead", Reply::call("c", "tellaskSessionless", &once("carol", "Look.")))
        .reply("carol", Reply::saying("seen"))
        .reply("lead", Reply::saying("Good."));
    let world = World::new(models);
    let team = world.path().join(".minds/team.yaml");
    let text = std::fs::read_to_string(&team).expect("a team");
    let hidden = text.replace("  carol:\n", "  carol:\n    hidden: true\n");
    world.put(".minds/team.yaml", &hidden);
    let mut running = world.start().await;
    running.talk("Go").await;
    let seen = world.models.requests();
    let refused = result_of(&seen[1], "x").expect("a refusal");
    assert!(refused.contains("alice") && !refused.contains("carol"), "{refused}");
    assert!(!seen[0].system.contains("@carol"), "{}", seen[0].system);
    assert!(replies(&seen[3]).concat().contains("seen"));
}

#[tokio::test(start_paused = true)]
async fn e27_a_side_dialog_that_has_replied_is_not_driven_again_by_itself() {
    let round = deliver("r", "planned").and_call("t", "add_reminder", r#"{"content":"x"}"#);
    let models = Sequence::new()
        .reply("lead", ask("c", "Plan it."))
        .reply("alice", round)
        .reply("lead", Reply::saying("Good."));
    let (world, running, main) = World::talked(models, "Go").await;
    running.shut_down().await;
    let running = world.start().await;
    let asked = world.models.requests().iter().filter(|r| r.model == "alice").count();
    assert_eq!((asked, world.state(&made(&main, 2))), (1, "idle_waiting_user"));
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn e28_the_list_of_tellasks_in_flight_keeps_itself_and_can_be_deleted_when_it_is_empty() {
    let models = Sequence::new()
        .reply("lead", ask("c", "Plan it."))
        .reply("alice", Reply::saying("planned").and_wait(Duration::from_mins(1)));
    let (world, mut running, main) = World::begun(models.clone(), "Go").await;
    let [listed] = &world.dialog(&main).reminders[..] else { panic!("one reminder") };
    assert!(listed.content.contains("Plan it."), "{}", listed.content);
    let id = listed.id.clone();
    let delete =
        |call: &str| Reply::call(call, "delete_reminder", &format!(r#"{{"reminder_id":"{id}"}}"#));
    let models = models.reply("lead", delete("d1")).reply("lead", Reply::saying("Then not."));
    running.say(&main, "Delete it").await.expect("heard");
    running.idle().await;
    assert_eq!(world.dialog(&main).reminders.len(), 1);
    let _all = models.reply("lead", delete("d2")).reply("lead", Reply::saying("Good."));
    running.quiet().await;
    assert_eq!(world.dialog(&main).reminders.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn e30_words_whose_generation_could_not_begin_are_still_there() {
    let mut world = World::new(Sequence::new().reply("lead", Reply::saying("Hello.")));
    let main = world.killed_before("human_text_record").await;
    assert_eq!(world.dialog(&main).queue.len(), 1);
    let running = world.start().await;
    let lines = record_lines(&world.view(), &main);
    assert_eq!(lines, ["start 1", "person: Go", "says: Hello.", "end 1"]);
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn d08_an_answer_that_comes_in_a_later_course_is_carried_over() {
    let models = Sequence::new()
        .reply("lead", Reply::call("q", "askHuman", r#"{"tellaskContent":"Which?"}"#))
        .reply("lead", Reply::saying("Blue."));
    let (world, running, main) = World::talked(models, "Go").await;
    running.shut_down().await;
    // Another program has begun a second course and left the question open.
    let folder = format!(".dialogs/run/{}", main.root);
    world.put(
        &format!("{folder}/course-002.jsonl"),
        "{\"ts\":\"t\",\"type\":\"gen_start_record\",\"genseq\":2}\n{\"ts\":\"t\",\"type\":\"gen_finish_record\",\"genseq\":2,\"contextHealth\":{\"kind\":\"unavailable\",\"reason\":\"usage_unavailable\"}}\n",
    );
    let latest = world.path().join(&folder).join("latest.yaml");
    let text = std::fs::read_to_string(&latest).expect("a state");
    world.put(
        &format!("{folder}/latest.yaml"),
        &text.replace("currentCourse: 1", "currentCourse: 2"),
    );
    let mut running = world.start().await;
    let row = question(&running);
    running.answer(&row, "blue").await.expect("an answer");
    running.quiet().await;
    let lines = record_lines(&world.view(), &main);
    assert!(place(&lines, "carried over: answered q") < place(&lines, "says: Blue."), "{lines:#?}");
    let last = world.models.requests().pop().expect("a request");
    assert!(
        last.messages
            .iter()
            .any(|m| matches!(m, Message::Carryover(text) if text.contains("blue")))
    );
}

#[tokio::test(start_paused = true)]
async fn d10_the_inbox_is_told_though_no_dialog_is_open() {
    let models = Sequence::new()
        .reply("lead", Reply::call("q", "askHuman", r#"{"tellaskContent":"Which?"}"#));
    let mut world = World::new(models);
    let mut running = world.start().await;
    running.talk("Go").await;
    running.shut_down().await;
    world.setup.audience = Audience::Screen;
    let running = world.start().await;
    assert_eq!(question(&running).question.tellask_content, "Which?");
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn l03_a_new_dialog_is_told_before_what_happens_in_it_and_that_before_its_reply() {
    let models = Sequence::new()
        .reply("lead", ask("c", "Plan it."))
        .reply("alice", Reply::saying("planned"))
        .reply("lead", Reply::saying("Good."));
    let (_world, running, main) = World::talked(models, "Go").await;
    let side = made(&main, 2);
    let at =
        |what: &dyn Fn(&DriverEvent) -> bool| running.seen.iter().position(what).expect("told");
    let added = at(&|event| matches!(event, DriverEvent::Row(row) if row.dialog == side));
    let fact = at(&|event| matches!(event, DriverEvent::Fact(fact) if *fact.dialog() == side));
    let result = at(&|event| {
        matches!(event, DriverEvent::Fact(fact)
            if *fact.dialog() == main && matches!(fact.entry().record, Record::TellaskResult(_)))
    });
    assert!(added < fact && fact < result, "{added} {fact} {result}");
}
