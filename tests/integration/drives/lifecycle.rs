//! The lifecycle of dialogs: declared dead, moved away and back, deleted.

use std::path::PathBuf;

use dominds_tui::domain::{Bucket, DialogId, RootId};
use dominds_tui::driver::Audience;
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::platform::SystemClock;
use dominds_tui::protocol::event::QuietOutcome;
use dominds_tui::protocol::{Command, DriverEvent, Lifecycle};
use dominds_tui::store::{Access, RealDisk, Store, StoreOptions, Survey};

use super::disk::{DiskFailure, FailingDisk};
use super::tellasks::{once, reply, session};
use super::{made, place, question, replies};
pub use crate::common::files::contents;
use crate::common::record_lines::record_lines;
use crate::common::{Running, World};

impl Running {
    pub async fn change(&mut self, change: Lifecycle) -> Result<DialogId, String> {
        let done = self.ask(|ticket| Command::Lifecycle { ticket, change }).await?;
        Ok(done.expect("a dialog"))
    }

    pub async fn declare_dead(
        &mut self,
        dialog: &DialogId,
        note: Option<&str>,
    ) -> Result<(), String> {
        let (dialog, note) = (dialog.clone(), note.map(str::to_owned));
        self.change(Lifecycle::DeclareDead { dialog, note }).await.map(drop)
    }

    async fn move_to(&mut self, root: &RootId, to: Bucket) -> Result<(), String> {
        self.change(Lifecycle::Move { root: root.clone(), to }).await.map(drop)
    }
}

fn ask_in_session(id: &str) -> Reply {
    Reply::call(id, "tellask", &session("alice", "job", "Do it."))
}

fn ask_human() -> Reply {
    Reply::call("q", "askHuman", r#"{"tellaskContent":"May I?"}"#)
}

fn folder(world: &World, bucket: &str, dialog: &DialogId) -> PathBuf {
    world.path().join(".dialogs").join(bucket).join(dialog.root.as_str())
}

fn gone(running: &Running, dialog: &DialogId) -> bool {
    running.seen.iter().any(|event| matches!(event, DriverEvent::Removed(gone) if gone == dialog))
}

#[tokio::test(start_paused = true)]
async fn e25_a_dead_side_dialog_closes_its_call_and_its_session_is_free() {
    let models = Sequence::new()
        .reply("lead", ask_in_session("c1"))
        .reply("alice", ask_human())
        .reply("lead", Reply::saying("It died."))
        .reply("lead", ask_in_session("c2"))
        .reply("alice", Reply::call("r", "replyTellask", &reply("done")))
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main) = World::talked(models, "Go").await;
    let side = made(&main, 2);
    let refused = running.declare_dead(&main, None).await;
    assert!(refused.is_err_and(|text| text.contains("main dialog")));
    running.declare_dead(&side, Some("it hangs")).await.expect("it may die");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(world.state(&side), "dead");
    let lines = record_lines(&world.view(), &main);
    assert!(place(&lines, "closed c1") < place(&lines, "says: It died."));
    let seen = world.models.requests();
    let notice = replies(&seen[2])[0];
    assert!(notice.contains("dead") && notice.contains("it hangs"), "{notice}");
    assert!(!notice.contains("【Completed】"));
    assert_eq!(world.tree(&main.root).registry, []);

    running.declare_dead(&side, None).await.expect("it is dead already");
    assert!(running.say(&side, "Hello?").await.is_err(), "the dead hear nothing");
    assert!(running.resume(&side).await.is_err(), "the dead do not go on");

    running.say(&main, "Again").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let tree = world.tree(&main.root);
    assert_eq!(tree.dialogs.len(), 3, "a new side dialog");
    assert_eq!(tree.registry.len(), 1);
    assert_ne!(tree.registry[0].side_dialog_id, side.this);
    assert_eq!(world.models.remaining(), 0);
    running.shut_down().await;
    world.start().await.shut_down().await;
    assert_eq!(world.state(&side), "dead");
    let closed = |lines: &[String]| lines.iter().filter(|line| *line == "closed c1").count();
    assert_eq!(closed(&record_lines(&world.view(), &main)), 1);
}

#[tokio::test(start_paused = true)]
async fn d_the_question_of_a_dead_dialog_leaves_the_inbox_and_cannot_be_answered() {
    let models = Sequence::new()
        .reply("lead", ask_in_session("c"))
        .reply("alice", ask_human())
        .reply("lead", Reply::saying("It died."));
    let (world, mut running, main) = World::talked(models, "Go").await;
    let row = question(&running);
    running.declare_dead(&made(&main, 2), None).await.expect("it may die");
    running.quiet().await;
    assert_eq!(running.inbox(), []);
    let left = |event: &DriverEvent| matches!(event, DriverEvent::Answered { question, .. } if *question == row.question.id);
    assert!(running.seen.iter().any(left));
    assert!(running.answer(&row, "yes").await.is_err());
    running.kill().await;
    assert_eq!(world.start().await.inbox(), [], "nor after a restart");
    let side = made(&main, 2);
    let file = folder(&world, "run", &main).join("sideDialogs").join(side.this.as_str());
    assert!(file.join("q4h.yaml").is_file(), "the file stays as it was");
}

#[tokio::test(start_paused = true)]
async fn a_running_side_dialog_that_is_declared_dead_stops_and_does_nothing_more() {
    let late = Reply::new()
        .and_saying("I am at ")
        .and_wait(std::time::Duration::from_mins(1))
        .and_call("x", "tellaskSessionless", &once("bob", "Look."));
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "tellaskSessionless", &once("alice", "Look.")))
        .reply("alice", late)
        .reply("lead", Reply::saying("It died."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    let side = made(&main, 2);
    running.say(&side, "Hurry").await.expect("queued");
    running.declare_dead(&side, None).await.expect("it may die");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(world.state(&side), "dead");
    let lines = record_lines(&world.view(), &side);
    assert_eq!(lines[3..], ["says, cut: I am at ", "end 1"], "its queued words are dropped");
    assert_eq!(world.tree(&main.root).dialogs.len(), 2);
    assert_eq!(world.models.remaining(), 0);
    running.shut_down().await;
    let queue = world.path().join(".dialogs/.tui/queue");
    assert!(!queue.exists());
}

#[tokio::test(start_paused = true)]
async fn a_death_that_was_cut_short_is_finished_by_the_next_start() {
    let models = Sequence::new()
        .reply("lead", ask_in_session("c"))
        .reply("alice", ask_human())
        .reply("lead", Reply::saying("It died."));
    let (mut world, running, main) = World::talked(models, "Go").await;
    let side = made(&main, 2);
    running.shut_down().await;
    let death = DiskFailure::Before("\"tellask_result_record\"");
    world.setup.disk = std::sync::Arc::new(FailingDisk::new(death));
    let mut running = world.start().await;
    running.declare_dead(&side, None).await.expect_err("it could not be finished");
    running.kill().await;
    world.setup.disk = std::sync::Arc::new(RealDisk);
    assert_eq!(world.state(&side), "dead");
    assert_eq!(world.dialog(&main).pending.len(), 1, "the asker waits still");
    let running = world.start().await;
    assert_eq!(world.dialog(&main).pending, []);
    let lines = record_lines(&world.view(), &main);
    assert!(place(&lines, "closed c") < place(&lines, "says: It died."));
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn a_late_reply_of_the_dead_in_a_new_course_of_the_asker_is_carried_over() {
    let round = ask_in_session("c").and_call("t", "clear_mind", "{}");
    let models = Sequence::new()
        .reply("lead", round)
        .reply("lead", Reply::saying("Where was I?"))
        .reply("alice", ask_human())
        .reply("lead", Reply::saying("It died."));
    let (world, mut running, main) = World::talked(models, "Go").await;
    running.declare_dead(&made(&main, 2), None).await.expect("it may die");
    running.quiet().await;
    let lines = record_lines(&world.view(), &main);
    assert!(place(&lines, "says: Where was I?") < place(&lines, "carried over: closed c"));
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn b18_a_tree_moves_as_a_whole_and_only_while_nothing_of_it_runs() {
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "tellaskSessionless", &once("alice", "Look.")))
        .reply("alice", Reply::saying("a").and_hang())
        .reply("alice", Reply::saying("seen"))
        .reply("lead", Reply::saying("Good."))
        .reply("lead", Reply::saying("Here again."));
    let mut world = World::new(models);
    world.setup.audience = Audience::Screen;
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    running.idle().await;
    let refused = running.move_to(&main.root, Bucket::Done).await;
    assert!(refused.is_err_and(|text| text.contains("is running")));
    assert!(folder(&world, "run", &main).is_dir());

    running.send(Command::Stop { dialog: made(&main, 2) }).await;
    running.quiet().await;
    running.resume(&made(&main, 2)).await.expect("it goes on");
    running.quiet().await;
    let before = contents(&folder(&world, "run", &main));
    running.move_to(&main.root, Bucket::Done).await.expect("nothing runs");
    assert!(gone(&running, &main));
    assert!(!folder(&world, "run", &main).exists());
    assert_eq!(contents(&folder(&world, "done", &main)), before, "nothing inside is edited");
    running.move_to(&main.root, Bucket::Archive).await.expect("from done to archive");
    assert_eq!(contents(&folder(&world, "archive", &main)), before);
    assert!(running.move_to(&main.root, Bucket::Archive).await.is_err(), "it is there already");
    assert!(running.say(&main, "Hello?").await.is_err(), "nobody talks in the archive");

    running.seen.clear();
    running.move_to(&main.root, Bucket::Run).await.expect("back");
    let listed = |event: &DriverEvent| matches!(event, DriverEvent::Row(row) if row.dialog == main);
    assert!(running.seen.iter().any(listed));
    running.say(&main, "Are you there?").await.expect("heard");
    running.quiet().await;
    assert_eq!(record_lines(&world.view(), &main).last().map(String::as_str), Some("end 3"));
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn a_tree_whose_place_is_taken_stays_where_it_is() {
    let (world, mut running, main) =
        World::talked(Sequence::new().reply("lead", Reply::saying("Hi.")), "Hello").await;
    std::fs::create_dir_all(folder(&world, "done", &main)).expect("a folder");
    assert!(running.move_to(&main.root, Bucket::Done).await.is_err());
    assert!(folder(&world, "run", &main).join("dialog.yaml").is_file());
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_done_and_archived_can_be_listed() {
    let models =
        Sequence::new().reply("lead", Reply::saying("Hi.")).reply("lead", Reply::saying("Hi."));
    let world = World::new(models);
    let mut running = world.start().await;
    let (one, other) = (running.talk("One").await, running.talk("Other").await);
    running.move_to(&one.root, Bucket::Done).await.expect("done");
    running.move_to(&other.root, Bucket::Archive).await.expect("archived");
    running.send(Command::Shelf { ticket: 77 }).await;
    let rows = loop {
        if let DriverEvent::Shelf { ticket: 77, rows } = running.event().await {
            break rows;
        }
    };
    let listed: Vec<_> = rows.iter().map(|row| (row.bucket, row.title.as_str())).collect();
    assert_eq!(listed, [(Bucket::Archive, "Other"), (Bucket::Done, "One")]);
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn the_title_that_a_person_gave_is_shown_everywhere_until_it_is_taken_away() {
    let (_world, mut running, main) =
        World::talked(Sequence::new().reply("lead", Reply::saying("Hi.")), "Say hello").await;
    for (title, expected) in
        [(Some(" The\u{1b}\n greeting "), "The greeting"), (None, "Say hello"), (Some("Hi"), "Hi")]
    {
        let (dialog, title) = (main.clone(), title.map(str::to_owned));
        running.send(Command::Title { ticket: 78, dialog, title }).await;
        let mut shown = None;
        loop {
            match running.event().await {
                DriverEvent::Row(row) if row.dialog == main => shown = Some(row.title),
                DriverEvent::Done { ticket: 78, .. } => break,
                _ => {}
            }
        }
        assert_eq!(shown.as_deref(), Some(expected));
    }
    running.move_to(&main.root, Bucket::Done).await.expect("done");
    running.send(Command::Shelf { ticket: 79 }).await;
    let rows = loop {
        if let DriverEvent::Shelf { ticket: 79, rows } = running.event().await {
            break rows;
        }
    };
    assert_eq!(rows.iter().map(|row| row.title.as_str()).collect::<Vec<_>>(), ["Hi"]);
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn a_deleted_tree_is_gone_and_nothing_else_is() {
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "tellaskSessionless", &once("alice", "Look.")))
        .reply("alice", Reply::saying("seen"))
        .reply("lead", Reply::saying("Good."))
        .reply("lead", Reply::saying("Hi.").and_hang());
    let (world, mut running, main) = World::talked(models, "Go").await;
    let other = running.begin("Hello").await.expect("a dialog");
    running.idle().await;
    world.put("precious.txt", "keep me");
    let link = folder(&world, "run", &main).join("artifacts");
    std::os::unix::fs::symlink(world.path(), &link).expect("a link");
    let root = other.root.clone();
    assert!(running.change(Lifecycle::Delete { root }).await.is_err(), "it runs");
    let root = main.root.clone();
    running.change(Lifecycle::Delete { root: root.clone() }).await.expect("it rests");
    assert!(gone(&running, &main));
    assert!(!folder(&world, "run", &main).exists());
    assert!(world.path().join("precious.txt").is_file());
    assert!(folder(&world, "run", &other).is_dir());
    assert!(!world.path().join(".dialogs/.tui/trash").exists());
    let again = running.change(Lifecycle::Delete { root }).await;
    assert!(again.is_err_and(|text| text.contains("no dialog")));
    running.kill().await;
}

#[tokio::test(start_paused = true)]
async fn b04_a_malformed_main_dialog_is_set_aside_at_the_start_and_the_others_load() {
    let models = Sequence::new()
        .reply("lead", Reply::saying("Hi."))
        .reply("lead", Reply::saying("Hi."))
        .reply("lead", Reply::saying("Here I am."));
    let world = World::new(models);
    let mut running = world.start().await;
    let (bad, good) = (running.talk("Bad").await, running.talk("Good").await);
    running.shut_down().await;
    let identity = folder(&world, "run", &bad).join("dialog.yaml");
    let whole = std::fs::read_to_string(&identity).expect("its identity");
    std::fs::write(&identity, ": {{ nothing").expect("damage");

    let mut running = world.start().await;
    assert!(!folder(&world, "run", &bad).exists());
    let aside = folder(&world, "malformed", &bad);
    assert!(aside.join("course-001.jsonl").is_file());
    let reported = running.seen.iter().any(|event| match event {
        DriverEvent::Problems(problems) => {
            problems.iter().any(|problem| problem.text.to_string().contains("quarantined"))
        }
        _ => false,
    });
    assert!(reported);
    running.say(&good, "Still there?").await.expect("heard");
    running.quiet().await;
    assert!(running.say(&bad, "And you?").await.is_err());
    running.shut_down().await;
    assert!(world.path().join(".dialogs/.tui/quarantine.jsonl").is_file());

    std::fs::write(aside.join("dialog.yaml"), whole).expect("fixed by hand");
    let options = StoreOptions::new(std::sync::Arc::new(SystemClock));
    let store = Store::open(world.path(), Access::ReadWrite, options).expect("a workspace");
    assert_eq!(store.restore(bad.root.as_str()).expect("back"), bad.root);
    drop(store);
    let Survey { trees, problems, .. } = world.view().survey(&[Bucket::Run]);
    assert_eq!((trees.len(), problems), (2, vec![]));
}

#[tokio::test(start_paused = true)]
async fn a_crash_while_a_dialog_is_declared_dead_leaves_it_dead_and_reported_or_alive() {
    let models = || {
        Sequence::new()
            .reply("lead", ask_in_session("c"))
            .reply("alice", ask_human())
            .reply("lead", Reply::saying("It died."))
    };
    let mut deaths = 0;
    for at in 0.. {
        let (mut world, running, main) = World::talked(models(), "Go").await;
        let side = made(&main, 2);
        running.shut_down().await;
        let disk = std::sync::Arc::new(FailingDisk::new(DiskFailure::From(at)));
        world.setup.disk = disk.clone();
        let mut acknowledged = false;
        if let Ok(mut running) = world.try_start() {
            running.quiet().await;
            acknowledged = running.declare_dead(&side, None).await.is_ok();
            running.kill().await;
        }
        world.setup.disk = std::sync::Arc::new(RealDisk);
        let running = world.start().await;
        let dead = world.state(&side) == "dead";
        assert!(dead || !acknowledged, "{at}");
        let lines = record_lines(&world.view(), &main);
        let closed = lines.iter().filter(|line| *line == "closed c").count();
        assert_eq!(closed, usize::from(dead), "{at}: {lines:?}");
        assert_eq!(world.dialog(&main).pending.is_empty(), dead, "{at}");
        assert_eq!(running.inbox().is_empty(), dead, "{at}");
        deaths += usize::from(dead);
        running.shut_down().await;
        if disk.operations() < at {
            break;
        }
    }
    assert!(deaths > 0);
}

fn ask_back(id: &str) -> Reply {
    Reply::call(id, "tellaskBack", r#"{"tellaskContent":"Which colour?"}"#)
}

#[tokio::test(start_paused = true)]
async fn what_the_dead_asked_back_is_not_to_be_answered() {
    let models = Sequence::new()
        .reply("lead", ask_in_session("c"))
        .reply("alice", ask_back("b"))
        .reply("lead", Reply::saying("Hm").and_hang())
        .reply("lead", Reply::saying("It died."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    let side = made(&main, 2);
    assert_eq!(world.dialog(&main).stack.len(), 1, "it is asked back");
    running.declare_dead(&side, None).await.expect("it may die");
    assert_eq!(world.dialog(&main).stack, []);
    running.send(Command::Stop { dialog: main.clone() }).await;
    running.quiet().await;
    running.resume(&main).await.expect("it goes on");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(world.state(&side), "dead");
    assert_eq!(world.models.remaining(), 0);
    let lines = record_lines(&world.view(), &main);
    assert!(place(&lines, "closed c") < place(&lines, "says: It died."));
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn who_asked_the_dead_back_is_told_that_nobody_answers() {
    let models = Sequence::new()
        .reply("lead", ask_in_session("c"))
        .reply("alice", Reply::call("d", "tellaskSessionless", &once("bob", "Look.")))
        .reply("bob", ask_back("b"))
        .reply("alice", Reply::saying("Hm").and_hang())
        .reply("lead", Reply::saying("It died."))
        .reply("bob", Reply::saying("Nobody there."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    let (alice, bob) = (made(&main, 2), made(&main, 3));
    running.declare_dead(&alice, None).await.expect("it may die");
    running.quiet().await;
    assert_eq!(world.state(&bob), "stopped", "nobody waits for its reply either");
    running.resume(&bob).await.expect("a person may want it");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &bob);
    assert!(place(&lines, "closed b") < place(&lines, "says: Nobody there."), "{lines:?}");
    assert_eq!(world.state(&bob), "idle_waiting_user");
    assert_eq!(world.models.remaining(), 0);
    running.shut_down().await;
}
