//! Tasks of teams: started, worked on in dialogs of their own, and reported, also over restarts. With the real store, whose
//! thread no paused clock waits for.

use std::time::{Duration, Instant};

use dominds_tui::domain::safety::trust::{TrustEntry, TrustKind};
use dominds_tui::domain::teams::notices::{NewNotice, NewsItem, NewsKind};
use dominds_tui::domain::teams::org::TeamLimits;
use dominds_tui::domain::teams::task::{
    BlockReason, Enqueued, NewTask, Overlap, Priority, Task, TaskFilter, TaskKind, TaskStatus,
};
use dominds_tui::domain::{AgentId, Bucket, Clock, DialogId, RootId, TaskId, TeamName};
use dominds_tui::hive::{Listed, Store, TeamSlots};
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::{Command, Lifecycle, TeamsRequest};
use serde_json::json;

use super::{question, result_of};
use crate::common::calls::FixedClock;
use crate::common::wait::{LIMIT, until};
use crate::common::{Running, World};

/// Teams `qa` (`alice`, who leads it, and `bob`) below `main`, and `lab` (`carol`) below that.
pub(super) fn world(models: Sequence, hive: &str) -> World {
    let mut world = World::new(models);
    world.setup.has_hive = true;
    world.put(".minds/hive/hive.yaml", hive);
    world.put(".minds/hive/teams/qa.yaml", "lead: alice\nmembers: [alice, bob]\nscope: [tests]\n");
    world.put(".minds/hive/teams/lab.yaml", "parent: qa\nlead: carol\nscope: [experiments]\n");
    world
}

pub(super) fn task(team: &str, text: &str) -> NewTask {
    NewTask {
        team: TeamName::new(team),
        kind: TaskKind::Delegate,
        priority: Priority::Normal,
        text: text.to_owned(),
        member: None,
        max_steps: 100,
        correlation: None,
        cause: None,
        from: None,
        origin: None,
        wake: false,
        overlap: Overlap::Allow,
        max_queue: 100,
        once: None,
        trigger: None,
    }
}

impl World {
    pub(super) async fn hive_store(&self) -> Store {
        self.hive().open_or_make().await.expect("a store")
    }

    /// Queues a task as a person would, beside a driver that may run.
    pub(super) async fn delegate(&self, task: NewTask) -> TaskId {
        let mut store = self.hive_store().await;
        let id = self.hive().new_task_id();
        let queued = store.enqueue(&task, &id, FixedClock.moment()).await.expect("a store");
        store.close().await;
        assert_eq!(queued, Enqueued::Queued(id.clone()));
        id
    }

    /// The oldest first.
    pub(super) async fn tasks(&self) -> Vec<Task> {
        let mut store = self.hive_store().await;
        let all = TaskFilter { limit: 1_000, ..TaskFilter::default() };
        let mut tasks = store.tasks(&all, &FixedClock).await.expect("a store");
        store.close().await;
        tasks.reverse();
        tasks
    }

    async fn task(&self, id: &TaskId) -> Task {
        self.tasks().await.into_iter().find(|task| task.id == *id).expect("a task")
    }

    pub(super) async fn news(&self) -> Vec<(NewsKind, String)> {
        let mut store = self.hive_store().await;
        let open = store.news(Listed::Open, &FixedClock).await.expect("a store");
        store.close().await;
        open.into_iter().map(|item| (item.kind, item.title)).collect()
    }

    pub(super) fn bucket(&self, root: &RootId) -> Option<Bucket> {
        self.view().find(root)
    }

    /// Returns the texts of the last request to the models.
    pub(super) fn last_prompts(&self) -> Vec<String> {
        let requests = self.models.requests();
        let last = requests.last().expect("a request");
        last.messages.iter().filter_map(|message| message.text().map(str::to_owned)).collect()
    }
}

impl Running {
    /// Waits until a task is as it should be.
    pub(super) async fn until_task(
        &mut self,
        world: &World,
        id: &TaskId,
        fits: impl Fn(&Task) -> bool,
    ) -> Task {
        let late = Instant::now() + LIMIT;
        loop {
            let task = world.task(id).await;
            if fits(&task) {
                return task;
            }
            assert!(Instant::now() < late, "{task:?}");
            self.idle().await;
        }
    }
}

pub(super) fn says(text: &str) -> Reply {
    Reply::saying(text)
}

fn delegates(args: &serde_json::Value) -> Reply {
    Reply::call("d", "delegate_task", &args.to_string())
}

pub(super) fn root_of(task: &Task) -> RootId {
    task.dialog.clone().expect("a dialog")
}

#[tokio::test]
async fn s2_1_tasks_run_in_order_each_in_a_dialog_of_its_own_and_report_once() {
    let models = Sequence::new();
    for reply in ["first", "second", "third"] {
        models.push("alice", says(reply));
    }
    models.push("bob", says("by bob"));
    let world = world(models, "limits: { max_running_tasks: 1 }\n");
    let low = NewTask { priority: Priority::Low, ..task("qa", "low") };
    let urgent = NewTask { priority: Priority::Critical, ..task("qa", "urgent") };
    let named = NewTask { member: Some(AgentId::new("bob")), ..task("qa", "named") };
    let ids = [
        world.delegate(low).await,
        world.delegate(task("qa", "normal")).await,
        world.delegate(named).await,
        world.delegate(urgent).await,
    ];
    let running = world.start().await;
    let mut results = Vec::new();
    for id in &ids {
        let task = world.task(id).await;
        assert_eq!((task.status, task.attempt), (TaskStatus::Done, 1), "{task:?}");
        let root = root_of(&task);
        assert_eq!(world.bucket(&root), Some(Bucket::Done));
        results.push(task.result.unwrap_or_default());
    }
    assert_eq!(results, ["third", "second", "by bob", "first"]);
    let listed = world.view().list(Bucket::Done, &root_of(&world.task(&ids[2]).await)).trees;
    let made = &listed[0].dialogs[0].meta;
    assert_eq!((made.agent_id.as_str(), made.task_doc_path.as_str()), ("bob", "qa.tsk"));
    let mut told = world.news().await;
    told.sort_by(|(_, a), (_, b)| a.cmp(b));
    let titles: Vec<&str> = told.iter().map(|(_, title)| title.as_str()).collect();
    assert_eq!(titles, ["[qa] by bob", "[qa] first", "[qa] second", "[qa] third"]);
    running.shut_down().await;
}

#[tokio::test]
async fn results_in_the_same_words_are_one_notice_for_each_task_that_names_it() {
    let mut models = Sequence::new();
    for _ in 0..3 {
        models = models.reply("alice", says("All fine."));
    }
    let world = world(models, "");
    let mut ids = Vec::new();
    for text in ["module one", "module two", "module three"] {
        ids.push(world.delegate(task("qa", text)).await);
    }
    let mut running = world.start().await;
    for id in &ids {
        running.until_task(&world, id, |task| task.status == TaskStatus::Done).await;
    }
    running.shut_down().await;
    let mut store = world.hive_store().await;
    let told = store.news(Listed::Open, &FixedClock).await.expect("news");
    store.close().await;
    assert_eq!(told.len(), 3, "{told:?}");
    for (id, text) in ids.iter().zip(["module one", "module two", "module three"]) {
        let of_task = |item: &&NewsItem| {
            item.work.as_ref().is_some_and(|work| work.task.as_ref() == Some(id))
        };
        let item = told.iter().find(of_task).expect("a notice");
        assert_eq!((item.title.as_str(), item.count), ("[qa] All fine.", 1));
        let named = format!("(task {}: {text})", id.short());
        assert!(item.body.contains(&named), "{item:?}");
    }
}

#[tokio::test]
async fn s2_1_the_prompt_says_what_the_task_is_and_how_it_ends() {
    let world =
        world(Sequence::new().reply("carol", says("ok")), "autonomy: { level: major_only }\n");
    let id = world.delegate(task("lab", "look into it")).await;
    let running = world.start().await;
    let prompts = world.last_prompts().join("\n");
    for part in [
        "[Dominds team task]",
        &format!(
            "task: {id} · team: lab · type: delegate · priority: normal · from: a person · attempt 1 of 3"
        ),
        "\"scopeChanges\":\"requires_approval\"",
        "\n\nlook into it\n\n",
        "Your last words here are its result",
        "call escalate",
    ] {
        assert!(prompts.contains(part), "{part}: {prompts}");
    }
    running.shut_down().await;
}

#[tokio::test]
async fn s2_3_a_quiet_result_is_read_first_with_the_next_generation_and_once() {
    let models = Sequence::new()
        .reply("lead", delegates(&json!({ "team": "qa", "task": "run the tests" })))
        .reply("lead", says("Given away."))
        .reply("alice", says("All 12 pass."))
        .reply("lead", says("Good."))
        .reply("lead", says("Again."));
    let world = world(models, "");
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    let given = result_of(&world.models.requests()[1], "d").unwrap_or_default().to_owned();
    assert!(given.contains("\"enqueued\":true"), "{given}");
    let asked = world.models.requests().len();
    assert_eq!(world.dialog(&dialog).queue.len(), 1, "it waits");
    assert!(world.dialog(&dialog).queue[0].quiet);
    running.say(&dialog, "What now?").await.unwrap();
    running.quiet().await;
    assert_eq!(world.models.requests().len(), asked + 1, "one generation");
    let prompts = world.last_prompts();
    let result = prompts.iter().position(|text| text.starts_with("[Dominds team task result]"));
    let words = prompts.iter().position(|text| text.contains("What now?"));
    assert!(result.is_some() && result < words, "{prompts:?}");
    assert!(prompts[result.unwrap()].ends_with("status: done\n\nAll 12 pass."), "{prompts:?}");
    running.say(&dialog, "More?").await.unwrap();
    running.quiet().await;
    let told = world.last_prompts();
    let told = told.iter().filter(|text| text.starts_with("[Dominds team task result]"));
    assert_eq!(told.count(), 1);
    assert_eq!(world.dialog(&dialog).queue, []);
    running.shut_down().await;
}

#[tokio::test]
async fn s2_3_a_waking_result_moves_the_dialog_at_once_but_not_past_a_question() {
    for asks in [false, true] {
        let mut models = Sequence::new()
            .reply("lead", delegates(&json!({ "team": "qa", "task": "x", "wake": true })))
            .reply("alice", says("Done."));
        if asks {
            models = models
                .reply("lead", Reply::call("q", "askHuman", r#"{"tellaskContent":"Which?"}"#));
        } else {
            models = models.reply("lead", says("I wait.")).reply("lead", says("It is done."));
        }
        let world = world(models, "");
        let mut running = world.start().await;
        let dialog = running.talk("Go").await;
        let all_said = || world.models.remaining() == 0;
        until(|| all_said() && world.dialog(&dialog).queue.len() == usize::from(asks)).await;
        if asks {
            assert!(world.dialog(&dialog).queue[0].quiet, "it waits for the answer");
        } else {
            assert!(
                world.last_prompts().iter().any(|text| text.contains("[Dominds team task result]"))
            );
        }
        running.shut_down().await;
    }
}

#[tokio::test]
async fn q5_q8_a_task_that_asks_is_blocked_without_a_slot_and_goes_on_with_the_answer() {
    let models = Sequence::new()
        .reply("alice", Reply::call("q", "askHuman", r#"{"tellaskContent":"Which?"}"#))
        .reply("alice", says("second is done"))
        .reply("alice", says("first is done"));
    let world = world(models, "limits: { max_running_tasks: 1 }\n");
    let first = world.delegate(task("qa", "first")).await;
    let second = world.delegate(task("qa", "second")).await;
    let mut running = world.start().await;
    let blocked = world.task(&first).await;
    assert_eq!(
        (blocked.status, blocked.block_reason),
        (TaskStatus::Blocked, Some(BlockReason::OpenQuestion))
    );
    assert_eq!(world.task(&second).await.status, TaskStatus::Done, "the slot is free");
    let row = question(&running);
    running.answer(&row, "this one").await.unwrap();
    let done = running.until_task(&world, &first, |task| task.status == TaskStatus::Done).await;
    assert_eq!(done.result.as_deref(), Some("first is done"));
    assert_eq!(done.attempt, 1);
    running.shut_down().await;
}

#[tokio::test]
async fn q5_last_words_with_questions_block_a_task_where_only_tasks_are_looked_at() {
    let asks = "{\"status\":\"failed\",\"open_questions\":[{\"text\":\"Which one?\"}]}";
    let models = Sequence::new().reply("alice", says(asks)).reply("lead", says(asks));
    let world = world(models, "questions: { capture: tasks }\n");
    let id = world.delegate(task("qa", "first")).await;
    let mut running = world.start().await;
    let blocked = world.task(&id).await;
    assert_eq!(blocked.block_reason, Some(BlockReason::OpenQuestion), "{blocked:?}");
    running.talk("Go").await;
    let inbox = running.inbox();
    assert_eq!(inbox.len(), 1, "the words of another dialog are words");
    let source = inbox[0].source();
    assert_eq!((source.kind.as_str(), source.id.as_str()), ("task", id.as_str()), "of its task");
    running.shut_down().await;
}

#[tokio::test]
async fn s2_5_each_end_has_its_outcome() {
    let models = Sequence::new()
        .reply("alice", Reply::call("r", "list_dir", "{}"))
        .reply("alice", Reply::call("r2", "list_dir", "{}"))
        .reply("bob", Reply::new());
    let world = world(models, "");
    let long = world.delegate(NewTask { max_steps: 2, ..task("qa", "long") }).await;
    let bob = Some(AgentId::new("bob"));
    let silent = world.delegate(NewTask { member: bob, ..task("qa", "silent") }).await;
    let gone = Some(AgentId::new("zoe"));
    let nobody = world.delegate(NewTask { member: gone, ..task("qa", "nobody") }).await;
    let unknown = world.delegate(task("none", "unknown")).await;
    let mut running = world.start().await;
    for (id, error) in [
        (&long, "max_steps reached (2)"),
        (&silent, ""),
        (&nobody, "member 'zoe' is not in team 'qa'"),
    ] {
        let task = running.until_task(&world, id, |task| task.status == TaskStatus::Failed).await;
        let said = task.error.clone().unwrap_or_default();
        assert!(said.contains(error) && !said.is_empty(), "{task:?}");
    }
    assert_eq!(world.task(&unknown).await.status, TaskStatus::Pending, "nobody works for it");
    let failures = world.news().await;
    assert!(failures.iter().all(|(kind, _)| *kind == NewsKind::Failure), "{failures:?}");
    assert_eq!(failures.len(), 3, "{failures:?}");
    assert!(world.dialog_count(&root_of(&world.task(&long).await)) == 0, "it is put away");
    running.shut_down().await;
}

impl World {
    /// Dialogs among the running ones with this root.
    fn dialog_count(&self, root: &RootId) -> usize {
        self.view().list(Bucket::Run, root).trees.len()
    }
}

#[tokio::test]
async fn s2_5_a_task_that_a_restart_interrupted_goes_on_and_the_third_time_waits_for_a_person() {
    let models = Sequence::new();
    for _ in 0..3 {
        models.push("alice", Reply::new().and_hang());
    }
    let world = world(models, "");
    let id = world.delegate(task("qa", "long")).await;
    for _ in 0..3 {
        let mut running = world.try_start().unwrap();
        let before = world.models.remaining();
        until(|| world.models.remaining() < before || before == 0).await;
        running.until_task(&world, &id, |task| task.status == TaskStatus::Running).await;
        running.shut_down().await;
    }
    let mut running = world.try_start().unwrap();
    let blocked = running.until_task(&world, &id, |task| task.status == TaskStatus::Blocked).await;
    assert_eq!((blocked.block_reason, blocked.attempt), (Some(BlockReason::Restart), 1));
    assert!(world.news().await.iter().any(|(kind, _)| *kind == NewsKind::Failure));
    world.models.push("alice", says("at last"));
    let dialog = DialogId::main(root_of(&blocked));
    running.ask(|ticket| Command::Continue { ticket, dialog }).await.unwrap();
    let done = running.until_task(&world, &id, |task| task.status == TaskStatus::Done).await;
    assert_eq!(done.result.as_deref(), Some("at last"));
    running.shut_down().await;
}

#[tokio::test]
async fn a_task_that_a_person_stops_is_blocked_and_one_whose_dialog_they_delete_is_cancelled() {
    let models = Sequence::new();
    models.push("alice", Reply::new().and_hang());
    let world = world(models, "");
    let id = world.delegate(task("qa", "long")).await;
    let mut running = world.try_start().unwrap();
    let task = running.until_task(&world, &id, |_| world.models.remaining() == 0).await;
    let dialog = DialogId::main(root_of(&task));
    running.send(Command::Stop { dialog: dialog.clone() }).await;
    let blocked = running.until_task(&world, &id, |task| task.status == TaskStatus::Blocked).await;
    assert_eq!(blocked.block_reason, Some(BlockReason::Stopped));
    let root = dialog.root.clone();
    let delete = |ticket| Command::Lifecycle { ticket, change: Lifecycle::Delete { root } };
    running.ask(delete).await.unwrap();
    let gone = running.until_task(&world, &id, |task| task.status == TaskStatus::Cancelled).await;
    assert_eq!(gone.error.as_deref(), Some("its dialog was moved or deleted"));
    running.shut_down().await;
}

#[tokio::test]
async fn a_mistake_in_the_file_of_a_team_ends_no_task_that_has_begun() {
    let models = Sequence::new();
    models.push("alice", Reply::new().and_wait(Duration::from_millis(500)).and_saying("done"));
    let world = world(models, "");
    let id = world.delegate(task("qa", "long")).await;
    let mut running = world.try_start().unwrap();
    running.until_task(&world, &id, |_| world.models.remaining() == 0).await;
    world.put(".minds/hive/teams/qa.yaml", "lead: [");
    let ended = running.until_task(&world, &id, |task| !task.status.is_open()).await;
    assert_eq!(ended.result.as_deref(), Some("done"), "{ended:?}");
    running.shut_down().await;
}

#[tokio::test]
async fn a_cancelled_task_is_stopped_and_archived_its_use_counts_and_what_it_says_late_changes_nothing()
 {
    let models = Sequence::new();
    let note = r#"{"content":"Remember."}"#;
    models.push("alice", Reply::call("n", "add_reminder", note).and_usage(30, 12));
    models.push("alice", Reply::new().and_wait(Duration::from_millis(400)).and_saying("late"));
    let world = world(models, "");
    // Use is known where the limit of the context is.
    let known = "{ lead: { name: L }, alice: { name: A, context_length: 1000 } }";
    let providers = format!(
        "providers:\n  script: {{ name: Script, apiType: mock, baseUrl: none, models: {known} }}\n"
    );
    world.put(".minds/llm.yaml", &providers);
    let id = world.delegate(task("qa", "long")).await;
    let mut running = world.try_start().unwrap();
    let task = running.until_task(&world, &id, |_| world.models.remaining() == 0).await;
    let root = root_of(&task);
    let mut store = world.hive_store().await;
    store.cancel_task(&id, "not needed", FixedClock.moment()).await.unwrap();
    store.close().await;
    until(|| world.bucket(&root) == Some(Bucket::Archive)).await;
    let task = running.until_task(&world, &id, |task| task.tokens > 0).await;
    assert_eq!((task.status, task.result), (TaskStatus::Cancelled, None));
    assert_eq!(task.tokens, 42);
    running.shut_down().await;
}

#[tokio::test]
async fn x3_nothing_is_started_while_the_workspace_waits_for_consent() {
    let world = world(Sequence::new().reply("alice", says("done")), "");
    let entry = TrustEntry::new(TrustKind::Server, "s", "runs", "digest".to_owned());
    world.setup.trust.put(entry);
    let id = world.delegate(task("qa", "x")).await;
    let mut running = world.start().await;
    assert_eq!(world.task(&id).await.status, TaskStatus::Pending);
    let digests = vec!["digest".to_owned()];
    running.ask(|ticket| Command::Agree { ticket, digests, level: None }).await.unwrap();
    running.until_task(&world, &id, |task| task.status == TaskStatus::Done).await;
    running.shut_down().await;
}

#[tokio::test]
async fn s2_3_the_result_for_a_side_dialog_that_has_replied_goes_to_its_main_dialog() {
    let asks = r#"{"targetAgentId":"bob","tellaskContent":"See to it"}"#;
    let models = Sequence::new()
        .reply("lead", Reply::call("t", "tellaskSessionless", asks))
        .reply("lead", says("It is on its way."))
        .reply("bob", delegates(&json!({ "team": "qa", "task": "x" })))
        .reply("bob", says("Given away."))
        .reply("alice", Reply::new().and_wait(Duration::from_secs(2)).and_saying("All pass."));
    let world = world(models, "");
    // After that, `bob` is in main.
    world.put(".minds/hive/teams/qa.yaml", "lead: alice\nmembers: [alice]\n");
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.unwrap();
    until(|| world.dialog(&dialog).queue.iter().any(|prompt| prompt.quiet)).await;
    assert_eq!(world.models.remaining(), 0, "everybody has spoken");
    running.shut_down().await;
}

#[tokio::test]
async fn r2_a_dialog_that_was_made_without_its_prompt_gets_it_at_the_next_start() {
    made_in_part(false, "lead").await;
}

#[tokio::test]
async fn r2_a_dialog_that_was_half_made_is_made_at_the_next_start() {
    made_in_part(true, "alice").await;
}

/// The dialog of an attempt as a kill leaves it, and who works in it at the next start.
async fn made_in_part(is_half_made: bool, worker: &str) {
    let mut world = world(Sequence::new().reply(worker, says("done")), "");
    world.setup.driving = false;
    let mut running = world.start().await;
    let made = running.begin("x").await.expect("it works");
    running.shut_down().await;
    // The state after a kill between the dialog and its queue, or while the dialog is made.
    std::fs::remove_dir_all(world.path().join(".dialogs/.tui/queue")).expect("it works");
    if is_half_made {
        let file = format!(".dialogs/run/{}/dialog.yaml", made.root);
        std::fs::remove_file(world.path().join(file)).expect("it works");
    }
    let id = world.delegate(task("qa", "long")).await;
    let mut store = world.hive_store().await;
    let team = TeamName::new("qa");
    let used_up = NewNotice::of_team(("qa".into(), team.clone()), "limit", "used up".to_owned());
    let slots = TeamSlots { team, limits: TeamLimits::default(), used_up };
    let now = (FixedClock.moment(), &FixedClock as &dyn Clock);
    let claimed = store.claim(&[slots], vec![made.root.clone()], now).await.expect("it works");
    assert_eq!(claimed.len(), 1);
    store.close().await;
    world.setup.driving = true;
    let mut running = world.try_start().expect("it works");
    let done = running.until_task(&world, &id, |task| !task.status.is_open()).await;
    assert_eq!((done.result.as_deref(), done.attempt), (Some("done"), 1), "{done:?}");
    assert!(world.last_prompts().iter().any(|text| text.contains("\n\nlong\n\n")));
    running.shut_down().await;
}

#[tokio::test]
async fn x5_whoever_asks_for_a_task_where_there_is_none_makes_no_store() {
    for hive in ["version: 1\n", "teams: off\n"] {
        let world = world(Sequence::new(), hive);
        let mut running = world.start().await;
        let id = TaskId::new("task-0000");
        for request in [
            TeamsRequest::Show { id: id.clone() },
            TeamsRequest::Cancel { id: id.clone() },
            TeamsRequest::Retry { id },
        ] {
            let ask = |ticket| Command::Tasks { ticket, request: request.clone() };
            let refused = running.ask(ask).await.expect_err("there is none");
            assert!(refused.contains("task-0000"), "{refused}");
        }
        let (team, text) = (TeamName::new("none"), "x".to_owned());
        let request = TeamsRequest::Delegate { team, text, priority: Priority::Normal };
        let ask = |ticket| Command::Tasks { ticket, request: request.clone() };
        running.ask(ask).await.expect_err("there is no such team");
        running.shut_down().await;
        assert!(!world.path().join(".hive").exists(), "{hive}");
    }
}
