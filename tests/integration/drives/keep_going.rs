//! A main dialog that would rest without having finished is pushed on, until a person is asked.

use dominds_tui::domain::DialogId;
use dominds_tui::domain::dialogs::keep_going::KeepGoingSwitch;
use dominds_tui::domain::dialogs::record::{Origin, Record};
use dominds_tui::llm::{Message, Reply, Sequence};
use dominds_tui::protocol::event::{QuietOutcome, TreeRow};
use dominds_tui::protocol::{Command, DriverEvent};

use super::tellasks::once;
use super::{made, place, question};
use crate::common::record_lines::{entries, record_lines};
use crate::common::{Running, World};

impl World {
    /// Makes the team, with this many pushes for each member.
    fn pushing(models: Sequence, most: u32) -> Self {
        let world = Self::new(models);
        let path = world.path().join(".minds/team.yaml");
        let team = std::fs::read_to_string(path).expect("a team");
        let most = format!("diligence-push-max: {most}");
        world.put(".minds/team.yaml", &team.replace("diligence-push-max: 0", &most));
        world.put(".minds/diligence.md", "On with it.\n");
        world
    }

    fn left(&self, dialog: &DialogId) -> Option<i64> {
        self.dialog(dialog).latest.diligence_push_remaining_budget
    }

    /// The texts of all pushes, as recorded.
    fn pushes(&self, dialog: &DialogId) -> Vec<String> {
        let records = entries(&self.view(), dialog).into_iter().map(|entry| entry.record);
        records
            .filter_map(|record| match record {
                Record::HumanText(text) if text.origin == Origin::DiligencePush => {
                    Some(text.content)
                }
                _ => None,
            })
            .collect()
    }
}

impl Running {
    async fn keep_going(
        &mut self,
        dialog: &DialogId,
        switch: KeepGoingSwitch,
    ) -> Result<(), String> {
        let dialog = dialog.clone();
        self.ask(|ticket| Command::KeepGoing { ticket, dialog, switch }).await.map(drop)
    }

    /// The row as last reported.
    fn row(&self, dialog: &DialogId) -> TreeRow {
        let row = self.seen.iter().rev().find_map(|event| match event {
            DriverEvent::Row(row) if row.dialog == *dialog => Some(row.as_ref().clone()),
            DriverEvent::Rows(rows) => rows.iter().find(|row| row.dialog == *dialog).cloned(),
            _ => None,
        });
        row.expect("a row")
    }
}

fn says(models: Sequence, times: usize) -> Sequence {
    (0..times).fold(models, |models, n| models.reply("lead", Reply::saying(&format!("Talk {n}."))))
}

#[tokio::test(start_paused = true)]
async fn j01_a_dialog_that_rests_is_pushed_until_its_pushes_are_used_up() {
    let world = World::pushing(says(Sequence::new(), 3), 2);
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    assert_eq!(world.models.remaining(), 0);
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(lines[4..8], ["start 2", "prompt", "says: Talk 1.", "end 2"]);
    let pushes = world.pushes(&dialog);
    assert_eq!(pushes.len(), 2);
    assert!(pushes.iter().all(|text| text.ends_with("\n\n---\n\nOn with it.")), "{pushes:?}");
    let last = world.models.requests().pop().expect("a request");
    for (n, push) in pushes.iter().enumerate() {
        let shown = last.messages.iter().filter(|m| **m == Message::Prompt(push.clone()));
        assert_eq!(shown.count(), 1, "the model reads each push as a prompt");
        let first = push.lines().next().expect("a line");
        assert!(first.contains(&format!("(push {} of 2)", n + 1)), "{first}");
    }
    let mut left: Vec<_> = running
        .seen
        .iter()
        .filter_map(|event| match event {
            DriverEvent::Row(row) => row.keep_going,
            _ => None,
        })
        .collect();
    left.dedup();
    assert_eq!(left, [(2, 2), (1, 2), (0, 2), (2, 2)]);
}

#[tokio::test(start_paused = true)]
async fn j02_used_up_pushes_become_a_question_and_an_answer_brings_them_back() {
    let world = World::pushing(says(Sequence::new(), 6), 2);
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
    assert_eq!((world.state(&dialog), world.pushes(&dialog).len()), ("blocked", 2));
    let row = question(&running);
    assert!(row.question.tellask_content.starts_with("Go on or stop?"));
    let call = row.question.call_id.to_string();
    let lines = record_lines(&world.view(), &dialog);
    let asked = place(&lines, &format!("call {call} askHuman"));
    assert_eq!(
        lines[asked..],
        [lines[asked].clone(), format!("result {call}"), "end 3".to_owned()]
    );
    assert_eq!(world.left(&dialog), Some(2));
    running.answer(&row, "a").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
    assert_eq!(world.pushes(&dialog).len(), 4, "as many pushes again");
    assert_eq!(world.models.remaining(), 0);
    assert_ne!(question(&running).question.call_id, row.question.call_id);
}

#[tokio::test(start_paused = true)]
async fn j02_the_answer_stop_stops_without_another_request() {
    let world = World::pushing(says(Sequence::new(), 3), 1);
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    assert_eq!(world.models.requests().len(), 2);
    let row = question(&running);
    running.answer(&row, "Stop.").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::Paused);
    assert_eq!((world.models.requests().len(), world.state(&dialog)), (2, "stopped"));
    running.shut_down().await;
    let mut running = world.start().await;
    assert_eq!(world.models.requests().len(), 2, "it stays stopped");
    running.resume(&dialog).await.expect("it goes on");
    running.idle().await;
    let read = super::replies(&world.models.requests()[2]).concat();
    assert!(read.contains("Stop."), "{read}");
}

#[tokio::test(start_paused = true)]
async fn j03_a_dialog_that_waits_is_not_pushed() {
    let ask = Reply::call("q", "askHuman", r#"{"tellaskContent":"Which?"}"#);
    let tellask = Reply::call("c", "tellaskSessionless", &once("alice", "Look."));
    for (waits, kind) in [(ask, "a question"), (tellask, "a side dialog")] {
        let models = Sequence::new()
            .reply("lead", waits)
            .reply("lead", Reply::saying("While I wait."))
            .reply("alice", Reply::new().and_hang());
        let world = World::pushing(models, 3);
        let mut running = world.start().await;
        let dialog = running.begin("Go").await.expect("a dialog");
        running.idle().await;
        running.say(&dialog, "and now?").await.expect("heard");
        running.idle().await;
        assert_eq!(world.state(&dialog), "blocked", "{kind}");
        assert_eq!(world.pushes(&dialog), Vec::<String>::new(), "{kind}");
        running.kill().await;
    }
}

#[tokio::test(start_paused = true)]
async fn j03_a_stopped_or_failed_dialog_is_not_pushed() {
    let world = World::pushing(says(Sequence::new().reply("lead", Reply::new().and_hang()), 1), 3);
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    running.idle().await;
    running.send(Command::Stop { dialog: dialog.clone() }).await;
    running.quiet().await;
    assert_eq!((world.models.requests().len(), world.state(&dialog)), (1, "stopped"));
    assert!(world.dialog(&dialog).queue.is_empty());
}

#[tokio::test(start_paused = true)]
async fn j04_a_side_dialog_is_never_pushed() {
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "tellaskSessionless", &once("alice", "Look.")))
        .reply("alice", Reply::saying("Seen."))
        .reply("lead", Reply::call("q", "askHuman", r#"{"tellaskContent":"Fine?"}"#));
    let world = World::pushing(models, 3);
    let mut running = world.start().await;
    let main = running.talk("Go").await;
    let side = made(&main, 2);
    assert_eq!(world.models.remaining(), 0);
    assert_eq!((world.pushes(&side).len(), running.row(&side).keep_going), (0, None));
    for switch in [KeepGoingSwitch::On, KeepGoingSwitch::Off, KeepGoingSwitch::Refill] {
        assert!(running.keep_going(&side, switch).await.is_err());
    }
}

#[tokio::test(start_paused = true)]
async fn j05_nothing_is_pushed_where_it_is_switched_off() {
    for (file, most, off, kind) in [
        (" \n", 3, false, "a blank file"),
        ("---\nx: 1\n---\n\n", 3, false, "a file of front matter"),
        ("On.", 0, false, "a member without pushes"),
        ("On.", 3, true, "a dialog that is switched off"),
    ] {
        let models = Sequence::new().reply("lead", Reply::new().and_hang());
        let world = World::pushing(says(models, 2), most);
        world.put(".minds/diligence.md", file);
        let mut running = world.start().await;
        let dialog = running.begin("Go").await.expect("a dialog");
        running.idle().await;
        if off {
            running.keep_going(&dialog, KeepGoingSwitch::Off).await.expect("off");
        }
        running.send(Command::Stop { dialog: dialog.clone() }).await;
        running.quiet().await;
        running.resume(&dialog).await.expect("it goes on");
        assert_eq!(running.quiet().await, QuietOutcome::Done, "{kind}");
        assert_eq!((world.models.remaining(), world.state(&dialog)), (1, "idle_waiting_user"));
        assert_eq!(running.row(&dialog).keep_going, None, "{kind}");
    }
}

#[tokio::test(start_paused = true)]
async fn j06_the_text_of_the_work_language_comes_first_and_front_matter_is_no_text() {
    for (files, expected) in [
        (vec![("diligence.md", "Both.")], "Both."),
        (vec![("diligence.md", "Both."), ("diligence.en.md", "---\na: b\n---\nMine.")], "Mine."),
        (vec![("diligence.zh.md", "走")], "askHuman"),
    ] {
        let world = World::pushing(says(Sequence::new(), 2), 1);
        std::fs::remove_file(world.path().join(".minds/diligence.md")).expect("no file");
        for (name, text) in files {
            world.put(&format!(".minds/{name}"), text);
        }
        let mut running = world.start().await;
        let dialog = running.talk("Go").await;
        let pushes = world.pushes(&dialog);
        assert!(pushes.concat().contains(expected), "{pushes:?}");
        assert!(!pushes.concat().contains("a: b"), "{pushes:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn j07_a_question_brings_all_pushes_back() {
    let ask = Reply::call("q", "askHuman", r#"{"tellaskContent":"Which?"}"#);
    let world = World::pushing(says(Sequence::new(), 2).reply("lead", ask), 3);
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
    assert_eq!(world.pushes(&dialog).len(), 2);
    assert_eq!((world.left(&dialog), running.row(&dialog).keep_going), (Some(3), Some((3, 3))));
}

#[tokio::test(start_paused = true)]
async fn j09_an_idle_dialog_that_is_switched_on_again_is_pushed_at_once() {
    let ask = Reply::call("q", "askHuman", r#"{"tellaskContent":"Fine?"}"#);
    let models = Sequence::new().reply("lead", Reply::saying("One, t").and_hang());
    let world = World::pushing(says(models, 1).reply("lead", ask), 3);
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    running.idle().await;
    running.keep_going(&dialog, KeepGoingSwitch::Off).await.expect("off");
    running.send(Command::Stop { dialog: dialog.clone() }).await;
    running.quiet().await;
    running.keep_going(&dialog, KeepGoingSwitch::On).await.expect("on");
    running.idle().await;
    assert_eq!(world.models.requests().len(), 1, "a stopped dialog is not idle");
    running.keep_going(&dialog, KeepGoingSwitch::Off).await.expect("off");
    running.resume(&dialog).await.expect("it goes on");
    running.quiet().await;
    assert_eq!((world.models.requests().len(), world.state(&dialog)), (2, "idle_waiting_user"));
    running.keep_going(&dialog, KeepGoingSwitch::On).await.expect("on");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
    assert_eq!((world.pushes(&dialog).len(), world.models.remaining()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_start_of_the_program_pushes_nobody() {
    let world = World::pushing(says(Sequence::new(), 2), 0);
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    running.shut_down().await;
    let team = std::fs::read_to_string(world.path().join(".minds/team.yaml")).expect("a team");
    world.put(".minds/team.yaml", &team.replace("push-max: 0", "push-max: 3"));
    let running = world.start().await;
    assert_eq!((world.models.requests().len(), world.state(&dialog)), (1, "idle_waiting_user"));
    assert!(world.pushes(&dialog).is_empty());
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn a_refill_is_the_persons_word_even_for_a_member_without_pushes() {
    let world = World::pushing(says(Sequence::new(), 4), 0);
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    assert_eq!(running.row(&dialog).keep_going, None);
    running.keep_going(&dialog, KeepGoingSwitch::On).await.expect("on");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!((world.pushes(&dialog).len(), world.models.remaining()), (3, 0));
    assert_eq!(running.row(&dialog).keep_going, None, "used up, it is off again");
}

/// Runs until a push lies in the queue and its generation cannot be written, then kills the program.
async fn killed_before_a_push(world: &mut World) -> DialogId {
    let push = "\"origin\":\"diligence_push\",\"userLanguageCode\"";
    let dialog = world.killed_before(push).await;
    assert_eq!(world.dialog(&dialog).queue.len(), 1);
    assert_eq!((world.pushes(&dialog).len(), world.left(&dialog)), (0, Some(1)));
    dialog
}

#[tokio::test(start_paused = true)]
async fn a_push_that_was_decided_before_a_crash_is_made_once_after_it() {
    let mut world = World::pushing(says(Sequence::new(), 2), 1);
    let dialog = killed_before_a_push(&mut world).await;
    let running = world.start().await;
    assert_eq!((world.models.remaining(), world.pushes(&dialog).len()), (0, 1));
    assert_eq!((world.state(&dialog), running.inbox().len()), ("blocked", 1));
}

#[tokio::test(start_paused = true)]
async fn words_of_a_person_take_the_place_of_a_push_that_waits() {
    let mut world = World::pushing(says(Sequence::new(), 3), 1);
    let dialog = killed_before_a_push(&mut world).await;
    world.setup.driving = false;
    let mut running = world.try_start().expect("a workspace");
    running.say(&dialog, "Wait.").await.expect("heard");
    running.shut_down().await;
    world.setup.driving = true;
    world.start().await.shut_down().await;
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(lines[4..7], ["start 2", "person: Wait.", "says: Talk 1."]);
    assert_eq!(world.pushes(&dialog).len(), 1, "the push came after their answer");
}
