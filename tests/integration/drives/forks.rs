//! Branching off: everything from before a generation, under a new name.

use std::sync::Arc;

use dominds_tui::domain::dialogs::latest::DisplayState;
use dominds_tui::domain::{
    Bucket, Course, DialogId, Genseq, Layout, Record, RootId, SelfId, StopReason,
};
use dominds_tui::llm::{Message, Reply, Sequence};
use dominds_tui::protocol::event::QuietOutcome;
use dominds_tui::protocol::{AfterFork, Command, DriverEvent, ForkMode, Lifecycle};
use dominds_tui::store::RealDisk;

use super::disk::{DiskFailure, FailingDisk};
use super::lifecycle::contents;
use super::tellasks::{reply, session};
use super::{made, place};
use crate::common::record_lines::{entries, record_lines};
use crate::common::{Running, World};

impl Running {
    async fn fork(&mut self, root: &RootId, course: u32, genseq: u32) -> Result<DialogId, String> {
        self.fork_and(ForkMode::Stay, root, course, genseq).await
    }

    async fn fork_and(
        &mut self,
        then: ForkMode,
        root: &RootId,
        course: u32,
        genseq: u32,
    ) -> Result<DialogId, String> {
        let (root, course, genseq) = (root.clone(), Course(course), Genseq(genseq));
        self.change(Lifecycle::Fork { root, course, genseq, then }).await
    }

    pub fn after_fork(&self) -> AfterFork {
        let fork = self.seen.iter().rev().find_map(|event| match event {
            DriverEvent::Forked { next, .. } => Some(next.clone()),
            _ => None,
        });
        fork.expect("a fork")
    }
}

fn folder(world: &World, root: &RootId) -> std::path::PathBuf {
    world.path().join(".dialogs/run").join(root.as_str())
}

/// The side dialog of the same name in a fork.
fn side_of(fork: &DialogId, side: &DialogId) -> DialogId {
    DialogId::side(&fork.root, &side.this)
}

fn ask(id: &str) -> Reply {
    Reply::call(id, "tellask", &session("alice", "job", "Do it."))
}

fn ready() -> DisplayState {
    DisplayState::Stopped { reason: StopReason::ForkContinueReady, continue_enabled: Some(true) }
}

/// Checks that it needs no repair, and that its state files do not name the source.
fn assert_sound(world: &World, source: &RootId, fork: &RootId) {
    let loaded = world.view().load(Bucket::Run, fork).expect("a tree");
    assert_eq!((loaded.repairs, loaded.problems), (vec![], vec![]));
    for (name, bytes) in contents(&folder(world, fork)) {
        let text = String::from_utf8(bytes).expect("text");
        assert!(!text.contains(source.as_str()), "{}: {text}", name.display());
    }
}

#[tokio::test(start_paused = true)]
async fn b17_a_fork_at_words_of_a_person_has_all_before_and_gives_the_words_back() {
    let models = Sequence::new()
        .reply("lead", Reply::saying("First."))
        .reply("lead", Reply::saying("Second."))
        .reply("lead", Reply::saying("Another second."));
    let (world, mut running, main) = World::talked(models, "One").await;
    running.say(&main, "Two").await.expect("heard");
    running.quiet().await;
    let before = contents(&folder(&world, &main.root));
    let fork = running.fork(&main.root, 1, 2).await.expect("a fork");
    assert_ne!(fork, main);
    assert_eq!(running.after_fork(), draft_of("Two"));
    assert!(running.seen.iter().any(|e| matches!(e, DriverEvent::Row(row) if row.dialog == fork)));
    assert_eq!(contents(&folder(&world, &main.root)), before, "the source is untouched");
    assert_eq!(
        record_lines(&world.view(), &fork),
        ["start 1", "person: One", "says: First.", "end 1"]
    );
    assert_eq!(world.state(&fork), "idle_waiting_user");
    assert_sound(&world, &main.root, &fork.root);

    running.say(&fork, "Two, but other").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let shown = world.models.requests().pop().expect("a request").messages;
    let texts: Vec<&str> = shown.iter().filter_map(Message::text).collect();
    assert!(texts.contains(&"First.") && !texts.contains(&"Second."), "{texts:?}");
    assert_eq!(record_lines(&world.view(), &fork)[4..6], ["start 2", "person: Two, but other"]);
    assert_eq!(contents(&folder(&world, &main.root)), before);
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn b17_a_fork_at_a_follow_up_goes_on_when_a_person_lets_it() {
    let models = Sequence::new()
        .reply("lead", Reply::call("t", "list_dir", r#"{"path":"."}"#))
        .reply("lead", Reply::saying("I see."))
        .reply("lead", Reply::saying("I see it otherwise."));
    let (world, mut running, main) = World::talked(models, "Look").await;
    let fork = running.fork(&main.root, 1, 2).await.expect("a fork");
    assert_eq!(running.after_fork(), AfterFork::AutoContinue);
    running.idle().await;
    assert_eq!(world.models.remaining(), 1, "it does not go on by itself");
    assert_eq!(world.dialog(&fork).latest.display_state, Some(ready()));
    assert_sound(&world, &main.root, &fork.root);
    running.resume(&fork).await.expect("it can go on");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &fork);
    assert_eq!(
        lines[2..],
        ["call t list_dir", "result t", "end 1", "start 2", "says: I see it otherwise.", "end 2"]
    );
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn b17_what_was_awaited_is_awaited_again_in_the_fork() {
    let late = std::time::Duration::from_secs(5);
    let question =
        Reply::new().and_wait(late).and_call("q", "askHuman", r#"{"tellaskContent":"Which?"}"#);
    let models = Sequence::new()
        .reply("lead", ask("c1").and_call("t", "list_dir", r#"{"path":"."}"#))
        .reply("lead", Reply::saying("I wait."))
        .reply("alice", question)
        .reply("alice", Reply::call("r", "replyTellask", &reply("red")))
        .reply("lead", Reply::saying("Red then."))
        .reply("alice", Reply::call("r", "replyTellask", &reply("blue")))
        .reply("lead", Reply::saying("Blue then."));
    let (world, mut running, main) = World::talked(models, "Paint").await;
    let side = made(&main, 2);
    let row = super::question(&running);
    running.answer(&row, "red").await.expect("an answer");
    running.quiet().await;
    running.shut_down().await;

    let mut running = world.start().await;
    let fork = running.fork(&main.root, 1, 2).await.expect("a fork");
    assert_eq!(running.after_fork(), AfterFork::RestorePending);
    assert_sound(&world, &main.root, &fork.root);
    let tree = world.tree(&fork.root);
    let waiting = &tree.main().expect("a main dialog").pending;
    assert_eq!(waiting.iter().map(|p| p.call_id.as_str()).collect::<Vec<_>>(), ["c1"]);
    assert_eq!(waiting[0].side_dialog_id, side.this, "side dialogs keep their names");
    assert_eq!(tree.registry.len(), 1);
    let copy = tree.get(&side.this).expect("the side dialog");
    assert_eq!(copy.asker(), Some(&fork.this));
    assert_eq!(copy.obligation().map(|owed| &owed.target_dialog_id), Some(&fork.this));
    let state = |dialog| world.dialog(dialog).latest.display_state;
    assert_eq!(state(&side_of(&fork, &side)), Some(ready()));
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn an_open_question_of_a_side_dialog_is_open_again_in_the_fork() {
    let question = Reply::call("q", "askHuman", r#"{"tellaskContent":"Which?"}"#);
    let models = Sequence::new()
        .reply("lead", ask("c"))
        .reply("alice", question)
        .reply("lead", Reply::saying("Patience."))
        .reply("alice", Reply::call("r", "replyTellask", &reply("blue")))
        .reply("lead", Reply::saying("Blue then."));
    let (world, mut running, main) = World::talked(models, "Paint").await;
    running.say(&main, "Well?").await.expect("heard");
    running.quiet().await;
    let fork = running.fork(&main.root, 1, 2).await.expect("a fork");
    assert_eq!(running.after_fork(), draft_of("Well?"));
    assert_sound(&world, &main.root, &fork.root);
    running.idle().await;
    let rows = running.inbox();
    let row = rows.iter().find(|row| row.dialog.root == fork.root).expect("its own question");
    assert_eq!(rows.len(), 2);
    assert!(row.question.id.contains(fork.root.as_str()));
    running.answer(row, "blue").await.expect("an answer");
    running.quiet().await;
    let lines = record_lines(&world.view(), &fork);
    assert!(place(&lines, "answered c") < place(&lines, "says: Blue then."));
    assert_eq!(world.state(&main), "blocked", "the source waits still");
    assert_eq!(world.models.remaining(), 0);
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn a_side_dialog_of_a_fork_has_what_it_had_then_and_the_request_it_had_then() {
    let models = Sequence::new()
        .reply("lead", ask("c1"))
        .reply("alice", Reply::call("r1", "replyTellask", &reply("one")))
        .reply("lead", Reply::saying("One is in."))
        .reply("lead", ask("c2"))
        .reply("alice", Reply::call("r2", "replyTellask", &reply("two")))
        .reply("lead", Reply::saying("Two is in."));
    let (world, mut running, main) = World::talked(models, "Go").await;
    running.say(&main, "Again").await.expect("heard");
    running.quiet().await;
    let side = made(&main, 2);
    let all = record_lines(&world.view(), &side);
    for (genseq, expected) in [(1, None), (2, Some("r1")), (3, Some("r1")), (4, Some("r2"))] {
        let fork = running.fork(&main.root, 1, genseq).await.expect("a fork");
        assert_sound(&world, &main.root, &fork.root);
        let tree = world.tree(&fork.root);
        let copy = tree.get(&side.this);
        assert_eq!(copy.is_some(), expected.is_some(), "{genseq}");
        let Some(copy) = copy else { continue };
        assert!(copy.obligation().is_none() && tree.main().expect("one").pending.is_empty());
        let call = if expected == Some("r1") { "c1" } else { "c2" };
        assert_eq!(copy.assignment().map(|a| a.call_id.as_str()), Some(call));
        let lines = record_lines(&world.view(), &side_of(&fork, &side));
        let end = place(&all, &format!("result {}", expected.unwrap_or_default()));
        assert_eq!(lines, all[..=end + 1], "{genseq}");
    }
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn a_fork_of_a_fork_is_cut_as_the_source_would_be() {
    let models = Sequence::new()
        .reply("lead", ask("c1"))
        .reply("alice", Reply::call("r1", "replyTellask", &reply("one")))
        .reply("lead", Reply::saying("One is in."))
        .reply("lead", Reply::saying("Two."));
    let (world, mut running, main) = World::talked(models, "Go").await;
    running.say(&main, "Two?").await.expect("heard");
    running.quiet().await;
    let first = running.fork(&main.root, 1, 3).await.expect("a fork");
    let second = running.fork(&first.root, 1, 2).await.expect("a fork of it");
    let direct = running.fork(&main.root, 1, 2).await.expect("the same fork");
    assert_sound(&world, &first.root, &second.root);
    let side = made(&main, 2);
    for (one, other) in [(&second, &direct), (&side_of(&second, &side), &side_of(&direct, &side))] {
        assert_eq!(record_lines(&world.view(), one), record_lines(&world.view(), other));
    }
    assert_eq!(world.tree(&second.root).registry.len(), 1);
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn a_fork_where_a_new_course_begins_begins_it_with_the_same_prompt() {
    let models = Sequence::new()
        .reply("lead", Reply::call("t", "clear_mind", "{}"))
        .reply("lead", Reply::saying("Afresh."))
        .reply("lead", Reply::saying("Afresh, otherwise."));
    let (world, mut running, main) = World::talked(models, "Forget it").await;
    let fork = running.fork(&main.root, 2, 2).await.expect("a fork");
    assert_eq!(running.after_fork(), AfterFork::AutoContinue);
    assert_sound(&world, &main.root, &fork.root);
    running.resume(&fork).await.expect("it can go on");
    running.quiet().await;
    let prompts = |dialog: &DialogId| -> Vec<String> {
        let all = entries(&world.view(), dialog);
        all.into_iter()
            .filter_map(|entry| match entry.record {
                Record::HumanText(text) => Some(text.content),
                _ => None,
            })
            .collect()
    };
    assert_eq!(prompts(&fork), prompts(&main));
    assert_eq!(world.dialog(&fork).history.course, Course(2));
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn a_running_tree_and_a_generation_that_never_was_cannot_be_forked() {
    let models = Sequence::new()
        .reply("lead", Reply::saying("Hi."))
        .reply("lead", Reply::saying("Hm").and_hang());
    let (world, mut running, main) = World::talked(models, "Hello").await;
    for (course, genseq) in [(1, 2), (2, 1), (1, 0)] {
        let refused = running.fork(&main.root, course, genseq).await;
        assert!(refused.is_err_and(|text| text.contains("no generation")), "{course}.{genseq}");
    }
    assert!(running.fork(&RootId::new("no/such/tree"), 1, 1).await.is_err());
    running.say(&main, "Think").await.expect("heard");
    running.idle().await;
    let refused = running.fork(&main.root, 1, 1).await;
    assert!(refused.is_err_and(|text| text.contains("is running")));
    assert_eq!(world.view().survey(&Bucket::ALL).trees.len(), 1);
    running.send(Command::StopAll).await;
    running.kill().await;
}

/// A tree with a side dialog that has replied, at rest.
async fn at_rest(layout: Layout) -> (World, DialogId) {
    let models = Sequence::new()
        .reply("lead", ask("c1"))
        .reply("alice", Reply::call("r1", "replyTellask", &reply("one")))
        .reply("lead", Reply::saying("One is in."));
    let mut world = World::new(models);
    world.setup.layout = Some(layout);
    let mut running = world.start().await;
    let main = running.talk("Go").await;
    running.shut_down().await;
    (world, main)
}

#[tokio::test(start_paused = true)]
async fn a_death_while_forking_leaves_a_whole_fork_or_none_in_both_layouts() {
    for layout in Layout::ALL {
        let mut forks = 0;
        for at in 0.. {
            let (mut world, main) = at_rest(layout).await;
            let before = contents(&folder(&world, &main.root));
            let disk = Arc::new(FailingDisk::new(DiskFailure::From(at)));
            world.setup.disk = disk.clone();
            if let Ok(mut running) = world.try_start() {
                running.quiet().await;
                let _ = running.fork(&main.root, 1, 2).await;
                running.kill().await;
            }
            world.setup.disk = Arc::new(RealDisk);
            world.start().await.shut_down().await;
            let trees = world.view().survey(&[Bucket::Run]).trees;
            forks += trees.len() - 1;
            for tree in trees.iter().filter(|tree| tree.root != main.root) {
                assert_sound(&world, &main.root, &tree.root);
                assert_eq!((tree.dialogs.len(), tree.layout), (2, layout), "{at}");
            }
            assert_eq!(contents(&folder(&world, &main.root)), before, "{layout:?}: {at}");
            assert!(!world.path().join(".dialogs/.tui/staging").exists(), "{layout:?}: {at}");
            if disk.operations() < at {
                break;
            }
        }
        assert!(forks > 0, "{layout:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_fork_is_made_of_what_is_done_too_and_lies_among_the_running() {
    let (world, mut running, main) =
        World::talked(Sequence::new().reply("lead", Reply::saying("Hi.")), "Hello").await;
    let root = main.root.clone();
    running.change(Lifecycle::Move { root, to: Bucket::Done }).await.expect("done");
    let fork = running.fork(&main.root, 1, 1).await.expect("a fork");
    assert_eq!(running.after_fork(), draft_of("Hello"));
    assert_eq!(running.store.find(&fork.root), Some(Bucket::Run));
    assert_eq!(record_lines(&world.view(), &fork), Vec::<String>::new());
    assert_ne!(fork.this, SelfId::new(main.root.as_str()));
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn a_question_asked_back_is_asked_again_in_the_fork() {
    for then in [ForkMode::Stay, ForkMode::Continue] {
        asked_back_again(then).await;
    }
}

async fn asked_back_again(then: ForkMode) {
    let back = Reply::call("b", "tellaskBack", r#"{"tellaskContent":"Which colour?"}"#);
    let answer = |colour: &str| Reply::call("a", "replyTellaskBack", &reply(colour));
    let models = Sequence::new()
        .reply("lead", ask("c"))
        .reply("alice", back)
        .reply("lead", answer("red"))
        .reply("alice", Reply::call("r", "replyTellask", &reply("painted red")))
        .reply("lead", Reply::saying("Red then."))
        .reply("lead", answer("blue"))
        .reply("alice", Reply::call("r", "replyTellask", &reply("painted blue")))
        .reply("lead", Reply::saying("Blue then."));
    let (world, mut running, main) = World::talked(models, "Paint").await;
    let side = made(&main, 2);
    let fork = running.fork_and(then, &main.root, 1, 2).await.expect("a fork");
    assert_eq!(running.after_fork(), AfterFork::AutoContinue);
    if then == ForkMode::Stay {
        assert_sound(&world, &main.root, &fork.root);
        running.idle().await;
        assert_eq!(world.models.remaining(), 3, "nothing of it goes on by itself");
        running.resume(&fork).await.expect("it can go on");
    }
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let copy = side_of(&fork, &side);
    assert!(record_lines(&world.view(), &copy).contains(&"answered b".to_owned()));
    assert_eq!(world.state(&copy), "idle_waiting_user");
    let lines = record_lines(&world.view(), &fork);
    assert!(place(&lines, "answered c") < place(&lines, "says: Blue then."), "{lines:?}");
    assert_eq!(world.models.remaining(), 0);
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn a_fork_that_waits_for_nobody_goes_on_by_itself() {
    let models = Sequence::new()
        .reply("lead", Reply::call("t", "list_dir", r#"{"path":"."}"#))
        .reply("lead", Reply::saying("I see."))
        .reply("lead", Reply::saying("I see it otherwise."));
    let (world, mut running, main) = World::talked(models, "Look").await;
    let fork = running.fork_and(ForkMode::Continue, &main.root, 1, 2).await.expect("a fork");
    assert_eq!(running.after_fork(), AfterFork::AutoContinue);
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(
        record_lines(&world.view(), &fork)[5..],
        ["start 2", "says: I see it otherwise.", "end 2"]
    );
    assert_eq!((world.state(&fork), world.models.remaining()), ("idle_waiting_user", 0));
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn a_fork_that_waits_for_words_or_for_an_answer_does_not_go_on_by_itself() {
    let question = Reply::call("q", "askHuman", r#"{"tellaskContent":"Which?"}"#);
    let models = Sequence::new()
        .reply("lead", question.and_call("t", "list_dir", r#"{"path":"."}"#))
        .reply("lead", Reply::saying("Patience."))
        .reply("lead", Reply::saying("Spare."));
    let (world, mut running, main) = World::talked(models, "Paint").await;
    running.say(&main, "Well?").await.expect("heard");
    running.quiet().await;
    let asked = world.models.requests().len();
    let words = draft_of("Paint");
    let fork = running.fork_and(ForkMode::Continue, &main.root, 1, 1).await.expect("a fork");
    assert_eq!(running.after_fork(), words);
    running.idle().await;
    assert_eq!(world.state(&fork), "idle_waiting_user");
    let fork = running.fork_and(ForkMode::Continue, &main.root, 1, 2).await.expect("a fork");
    running.idle().await;
    assert_eq!(world.state(&fork), "blocked", "{:?}", running.after_fork());
    assert_eq!(world.models.requests().len(), asked);
    running.shut_down().await;
}

fn draft_of(text: &str) -> AfterFork {
    AfterFork::DraftUserText { text: text.to_owned(), images: Vec::new() }
}
