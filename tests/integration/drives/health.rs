//! A context that fills up: warnings, last calls, a new course.

use dominds_tui::domain::dialogs::record::{Origin, Record};
use dominds_tui::domain::{Course, DialogId, Entry, HealthLevel};
use dominds_tui::driver::Audience;
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::event::QuietOutcome;
use dominds_tui::protocol::{Command, DriverEvent};

use super::tellasks::{once, session};
use super::{made, place, probe, prompts, question, replies};
use crate::common::World;
use crate::common::record_lines::{entries, record_lines};

/// Tokens after which each model is cautious, and critical.
const TIGHT: u64 = 600;
pub const CRITICAL: u64 = 950;

impl World {
    /// The team with models of a small context; a warning comes every three generations.
    pub fn small(models: Sequence) -> Self {
        let mut world = Self::new(models);
        let path = world.path().join(".minds/llm.yaml");
        let models = std::fs::read_to_string(path).expect("models");
        let small = ["lead", "alice"].into_iter().fold(models, |models, id| {
            let name = format!("        name: {id}\n");
            let limits = "        context_length: 1000\n        optimal_max_tokens: 500\n        \
                          caution_remediation_cadence_generations: 3\n";
            models.replace(&name, &format!("{name}{limits}"))
        });
        world.put(".minds/llm.yaml", &small);
        let team = std::fs::read_to_string(world.path().join(".minds/team.yaml")).expect("a team");
        world.put(".minds/team.yaml", &team.replace("[ws_mod]", "[ws_mod, control]"));
        world.setup.tools = probe::registry().0;
        world
    }

    /// The generations whose prompt came from the runtime, with its first sentence.
    fn warnings(&self, dialog: &DialogId) -> Vec<(u32, String)> {
        let prompts = entries(&self.view(), dialog).into_iter().filter_map(|entry| {
            let Record::HumanText(text) = entry.record else { return None };
            let first = text.content.split('.').next().unwrap_or_default().to_owned();
            (text.origin == Origin::Runtime).then(|| (entry.genseq.unwrap_or_default().0, first))
        });
        prompts.collect()
    }
}

pub fn call(n: usize, tokens: u64) -> Reply {
    Reply::call(&format!("t{n}"), "probe", "{}").and_usage(tokens, 1)
}

pub fn say(text: &str, tokens: u64) -> Reply {
    Reply::saying(text).and_usage(tokens, 1)
}

const FULL: &str = "[System notice] Your context is getting full";
const LAST: &str = "[System notice] Your context is nearly used up";
const ANEW: &str = "A new course began by itself: the context was used up, and your earlier \
                    messages are out of sight";

fn at(genseqs: &[u32], text: &str) -> Vec<(u32, String)> {
    genseqs.iter().map(|genseq| (*genseq, text.to_owned())).collect()
}

#[tokio::test(start_paused = true)]
async fn i01_the_level_is_measured_recorded_and_shown() {
    for (tokens, level, percent) in [
        (Some(500), Some(HealthLevel::Healthy), Some(50)),
        (Some(501), Some(HealthLevel::Caution), Some(50)),
        (Some(901), Some(HealthLevel::Critical), Some(90)),
        (None, None, None),
    ] {
        let first = Reply::saying("Hm.");
        let first = tokens.map_or(first.clone(), |tokens| first.and_usage(tokens, 1));
        let ask = Reply::call("q", "askHuman", r#"{"tellaskContent":"?"}"#);
        let ask = tokens.map_or(ask.clone(), |tokens| ask.and_usage(tokens, 1));
        let world = World::small(Sequence::new().reply("lead", first).reply("lead", ask));
        let mut running = world.start().await;
        let dialog = running.talk("Go").await;
        let fullness = world.dialog(&dialog).history.pressure;
        assert_eq!((fullness.level, fullness.percent), (level, percent));
        let shown = running.seen.iter().rev().find_map(|event| match event {
            DriverEvent::Row(row) => Some((row.context_level, row.context_percent)),
            _ => None,
        });
        assert_eq!(shown, Some((level, percent)));
    }
}

#[tokio::test(start_paused = true)]
async fn i02_a_warning_comes_at_entry_and_then_in_its_cadence() {
    let models = (0..8).fold(Sequence::new(), |models, n| models.reply("lead", call(n, TIGHT)));
    let world = World::small(models.reply("lead", say("Done.", 100)));
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    assert_eq!(world.models.remaining(), 0);
    assert_eq!(world.warnings(&dialog), at(&[2, 5, 8], FULL));
}

#[tokio::test(start_paused = true)]
async fn i02_words_of_a_person_come_before_a_warning_that_is_due() {
    let slow = call(1, TIGHT).and_wait(std::time::Duration::from_secs(9));
    let models = Sequence::new()
        .reply("lead", slow)
        .reply("lead", call(2, TIGHT))
        .reply("lead", say("Done.", 100));
    let world = World::small(models);
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    running.idle().await;
    running.say(&dialog, "Hurry").await.expect("heard");
    running.quiet().await;
    assert_eq!(place(&record_lines(&world.view(), &dialog), "person: Hurry"), 6);
    assert_eq!(world.warnings(&dialog), at(&[3], FULL));
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn i02_the_count_goes_on_after_a_restart_and_begins_anew_after_a_healthy_measure() {
    let models = Sequence::new()
        .reply("lead", say("Full.", TIGHT))
        .reply("lead", say("Tidied.", TIGHT))
        .reply("lead", say("More.", TIGHT))
        .reply("lead", say("Light.", 100))
        .reply("lead", say("Full again.", TIGHT))
        .reply("lead", say("Tidied again.", TIGHT));
    let world = World::small(models);
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    assert_eq!(world.warnings(&dialog), at(&[2], FULL), "it is warned though it would rest");
    for _ in 0..2 {
        running.shut_down().await;
        running = world.start().await;
        running.say(&dialog, "More").await.expect("heard");
        running.quiet().await;
    }
    assert_eq!(world.warnings(&dialog), at(&[2], FULL));
    running.say(&dialog, "More").await.expect("heard");
    running.quiet().await;
    assert_eq!(world.warnings(&dialog), at(&[2, 6], FULL));
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn i03_after_five_last_calls_a_new_course_begins_and_keeps_what_matters() {
    let remind = Reply::call("r", "add_reminder", r#"{"content":"keep me"}"#)
        .and_call("c", "tellask", &session("alice", "one", "Take your time."))
        .and_usage(100, 1);
    let mut models = Sequence::new().reply("alice", Reply::new().and_hang()).reply("lead", remind);
    for n in 0..6 {
        models = models.reply("lead", call(n, CRITICAL));
    }
    let world = World::small(models.reply("lead", say("Fresh.", 100)));
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    running.idle().await;
    assert_eq!(world.models.remaining(), 0);
    let mut expected = at(&[3, 4, 5, 6, 7], LAST);
    expected.push((8, ANEW.to_owned()));
    assert_eq!(world.warnings(&dialog), expected);
    let state = world.dialog(&dialog);
    assert_eq!((state.latest.current_course.0, state.pending.len()), (2, 1));
    assert!(state.reminders.iter().any(|reminder| reminder.content == "keep me"));
    let mut requests = world.models.requests();
    requests.retain(|request| request.model == "lead");
    let countdown: Vec<bool> = (0..5)
        .map(|n| prompts(&requests[2 + n]).concat().contains(&format!("told {} more", 4 - n)))
        .collect();
    assert_eq!(countdown, [true; 5]);
    assert_eq!(prompts(&requests[7]).len(), 1, "nothing of the old course is shown");
    running.kill().await;
}

#[tokio::test(start_paused = true)]
async fn i03_a_resting_dialog_uses_its_last_calls_up_and_starts_anew() {
    let models =
        (0..6).fold(Sequence::new(), |models, _| models.reply("lead", say("Hm.", CRITICAL)));
    let world = World::small(models.reply("lead", say("Fresh.", 100)));
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let mut expected = at(&[2, 3, 4, 5, 6], LAST);
    expected.push((7, ANEW.to_owned()));
    assert_eq!(world.warnings(&dialog), expected);
    assert_eq!(world.state(&dialog), "idle_waiting_user");
    assert_eq!(world.dialog(&dialog).history.pressure.percent, Some(10));
}

#[tokio::test(start_paused = true)]
async fn i04_a_course_that_the_model_begins_at_critical_starts_by_itself() {
    let clear = Reply::call("k", "clear_mind", r#"{"reminder_content":"next: test"}"#);
    let models = Sequence::new()
        .reply("lead", call(0, CRITICAL))
        .reply("lead", clear.and_usage(CRITICAL, 1))
        .reply("lead", say("Fresh.", 100));
    let world = World::small(models);
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(world.models.remaining(), 0);
    assert_eq!(world.warnings(&dialog)[0], (2, LAST.to_owned()));
    let state = world.dialog(&dialog);
    assert_eq!(state.latest.current_course.0, 2);
    let meta = serde_json::json!({
        "kind": "continuation_package", "createdBy": "clear_mind", "contextHealthLevel": "critical",
    });
    assert_eq!(state.reminders[0].meta, Some(meta));
}

#[tokio::test(start_paused = true)]
async fn i05_words_at_critical_are_recorded_and_read_before_anything_else() {
    let ask = Reply::call("q", "askHuman", r#"{"tellaskContent":"?"}"#).and_usage(CRITICAL, 1);
    let models = (0..5).fold(Sequence::new(), |models, n| models.reply("lead", call(n, CRITICAL)));
    let models = models
        .reply("lead", ask)
        .reply("lead", say("Heard.", CRITICAL))
        .reply("lead", say("Fresh.", 100));
    let world = World::small(models);
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    let row = question(&running);
    running.say(&dialog, "Important").await.expect("heard");
    running.idle().await;
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(lines[place(&lines, "person: Important") + 1], "says: Heard.");
    assert!(prompts(&world.models.requests()[6]).contains(&"Important"));
    running.answer(&row, "yes").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let last = world.models.requests().pop().expect("a request");
    assert!(replies(&last).concat().contains("yes"), "an answer is read before a new course");
}

#[tokio::test(start_paused = true)]
async fn i06_a_new_course_of_a_side_dialog_begins_with_its_assignment() {
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "tellask", &session("alice", "one", "Find the bug.")))
        .reply("alice", call(0, CRITICAL))
        .reply("alice", Reply::call("k", "clear_mind", "{}").and_usage(CRITICAL, 1))
        .reply("alice", Reply::call("b", "tellaskSessionless", &once("bob", "Look.")))
        .reply("bob", Reply::saying("Seen."))
        .reply("alice", Reply::saying("Found."))
        .reply("lead", Reply::saying("Good."));
    let world = World::small(models);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let side = made(&main, 2);
    assert_eq!(world.warnings(&side)[1], (2, LAST.to_owned()));
    assert_eq!(world.dialog(&side).latest.current_course.0, 2);
    let anew = &world.models.requests()[3];
    let [opening] = prompts(anew)[..] else { panic!("{:?}", prompts(anew)) };
    assert!(opening.contains("> Find the bug.") && opening.contains("replyTellask"));
    let last = world.models.requests().pop().expect("a request");
    assert!(replies(&last).concat().contains("Found."), "the reply reaches the asker");
}

#[tokio::test(start_paused = true)]
async fn i08_words_that_wait_survive_a_new_course() {
    let clear = Reply::call("k", "clear_mind", "{}").and_wait(std::time::Duration::from_secs(9));
    let models = Sequence::new()
        .reply("lead", clear)
        .reply("lead", Reply::saying("Fresh."))
        .reply("lead", Reply::saying("Heard."));
    let world = World::small(models);
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    running.idle().await;
    running.say(&dialog, "And this").await.expect("heard");
    running.quiet().await;
    let lines = record_lines(&world.view(), &dialog);
    let after = ["start 2", "prompt", "says: Fresh.", "end 2", "start 3", "person: And this"];
    let start = place(&lines, "start 2");
    assert_eq!(lines[start..start + 6], after);
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn j08_a_warning_comes_before_a_push() {
    let models = Sequence::new()
        .reply("lead", say("Full.", TIGHT))
        .reply("lead", say("Tidied.", 100))
        .reply("lead", Reply::call("q", "askHuman", r#"{"tellaskContent":"?"}"#));
    let world = World::small(models);
    let team = std::fs::read_to_string(world.path().join(".minds/team.yaml")).expect("a team");
    world.put(".minds/team.yaml", &team.replace("push-max: 0", "push-max: 2"));
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    let mut origins: Vec<_> = Vec::new();
    for entry in entries(&world.view(), &dialog) {
        if let Record::HumanText(text) = entry.record {
            origins.push(text.origin);
        }
    }
    assert_eq!(origins, [Origin::User, Origin::Runtime, Origin::DiligencePush]);
}

#[tokio::test(start_paused = true)]
async fn c16_reminders_are_tagged_while_the_context_is_tight_and_untagged_when_it_is_healthy() {
    let add = Reply::call("a", "add_reminder", r#"{"content":"one"}"#).and_usage(100, 1);
    let models = Sequence::new()
        .reply("lead", call(0, TIGHT))
        .reply("lead", add)
        .reply("lead", Reply::call("q", "askHuman", r#"{"tellaskContent":"?"}"#).and_usage(100, 1));
    let world = World::small(models);
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    let [reminder] = &world.dialog(&dialog).reminders[..] else { panic!("one reminder") };
    let meta = serde_json::json!({
        "kind": "continuation_package", "createdBy": "context_health", "contextHealthLevel": "caution",
    });
    assert_eq!(reminder.meta, Some(meta));
    let update = serde_json::json!({ "reminder_id": reminder.id, "content": "two" }).to_string();
    world.models.push("lead", Reply::call("u", "update_reminder", &update).and_usage(100, 1));
    world.models.push("lead", say("Done.", 100));
    running.answer(&question(&running), "go").await.expect("an answer");
    running.quiet().await;
    let [reminder] = &world.dialog(&dialog).reminders[..] else { panic!("one reminder") };
    assert_eq!((reminder.content.as_str(), &reminder.meta), ("two", &None));
}

#[tokio::test(start_paused = true)]
async fn d06_clearing_the_mind_takes_the_open_question_out_of_the_inbox() {
    let models = Sequence::new()
        .reply("lead", Reply::call("q", "askHuman", r#"{"tellaskContent":"Which?"}"#))
        .reply("lead", Reply::call("k", "clear_mind", "{}"))
        .reply("lead", Reply::saying("Fresh."));
    let world = World::small(models);
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    let asked = question(&running).question.id;
    running.say(&dialog, "never mind").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let closed = running
        .seen
        .iter()
        .any(|event| matches!(event, DriverEvent::Answered { question, .. } if *question == asked));
    assert!(closed && running.inbox().is_empty());
    assert!(world.dialog(&dialog).questions.is_empty());
}

#[tokio::test(start_paused = true)]
async fn i07_an_old_course_is_shown_while_the_dialog_goes_on_in_the_new_one() {
    let models = Sequence::new()
        .reply("lead", Reply::call("k", "clear_mind", "{}"))
        .reply("lead", Reply::saying("Fresh."))
        .reply("lead", Reply::saying("On."));
    let mut world = World::small(models);
    world.setup.audience = Audience::Screen;
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    let open = |ticket| Command::Open { ticket, dialog: dialog.clone(), course: Some(Course(1)) };
    running.send(open(70)).await;
    running.say(&dialog, "And now?").await.expect("heard");
    running.quiet().await;
    let page = running.seen.iter().find_map(|event| match event {
        DriverEvent::Page { ticket: 70, page } => Some(page),
        _ => None,
    });
    let page = page.expect("the old course");
    let text: String = page.entries.iter().map(Entry::line).collect();
    assert_eq!((page.course, page.courses), (Course(1), Course(2)));
    assert!(text.contains("\"Go\"") && !text.contains("Fresh."), "{text}");
    let newer: Vec<Course> = running
        .seen
        .iter()
        .filter_map(|event| match event {
            DriverEvent::Fact(fact) if fact.entry().line().contains("On.") => Some(fact.course()),
            _ => None,
        })
        .collect();
    assert_eq!(newer, [Course(2)]);
}
