//! The demo from its first message to its end: real driver, real store, scripted model. It must come
//! to the same end whatever the person does in between.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a test, its functions included, fails by panicking and looks at few events"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use dominds_tui::app::{self, Models, StartOptions};
use dominds_tui::demo::{self, Story};
use dominds_tui::domain::dialogs::shown_state::{Activity, derive};
use dominds_tui::domain::dialogs::tree::Bucket;
use dominds_tui::domain::safety::sandbox::Level;
use dominds_tui::domain::teams::task::TaskStatus;
use dominds_tui::domain::teams::task::row::TaskRow;
use dominds_tui::domain::teams::trigger::TriggerState;
use dominds_tui::domain::teams::trigger::row::TriggerRow;
use dominds_tui::domain::{
    AgentId, Dialog, DialogId, DialogTree, DisplayState, Lang, Record, RootId, SelfId,
};
use dominds_tui::driver::{AfterRestart, Audience, Driver, PickUp};
use dominds_tui::hive::StoreChoice;
use dominds_tui::llm::Scripted;
use dominds_tui::minds::{Minds, taskdoc};
use dominds_tui::protocol::event::{DriverEvent, InboxRow, QuietOutcome, TreeRow};
use dominds_tui::protocol::{Command, TeamRow, Ticket};
use dominds_tui::store::Access;
use tokio::time::{Instant, sleep_until};

use crate::common::logged;
use crate::common::wait::in_time;

/// A demo being played, with the state that a screen would know.
struct Play {
    driver: Driver,
    inbox: Vec<InboxRow>,
    rows: Vec<TreeRow>,
    failed_tools: Vec<String>,
    teams: Vec<TeamRow>,
    tasks: Vec<TaskRow>,
    triggers: Vec<TriggerRow>,
    ticket: Ticket,
}

impl Play {
    fn start(folder: &Path, speed: f64) -> Self {
        Self::of(&demo::DIALOGS, folder, speed)
    }

    fn of(story: &Story, folder: &Path, speed: f64) -> Self {
        logged::prepare();
        let script = story.script().expect("the script");
        let (driver, _store, _shells) = app::start(StartOptions {
            user_lang: dominds_tui::domain::Lang::En,
            limits: app::UserLimits::default(),
            layout: None,
            workspace: folder,
            models: Models::Scripted(Scripted::new(script, speed)),
            audience: Audience::Script,
            pick_up: PickUp::Everything(AfterRestart::Ask),
            driving: true,
            config_problems: Vec::new(),
            level: Level::Workspace,
            level_is_set: false,
            servers_level: None,
            tasks: StoreChoice::Own,
        })
        .expect("a driver");
        Self {
            driver,
            inbox: Vec::new(),
            rows: Vec::new(),
            failed_tools: Vec::new(),
            teams: Vec::new(),
            tasks: Vec::new(),
            triggers: Vec::new(),
            ticket: 0,
        }
    }

    /// Sends a command and waits until it is on disk.
    async fn send(&mut self, command: impl FnOnce(Ticket) -> Command) {
        self.ticket += 1;
        let command = command(self.ticket);
        self.driver.commands.send(command).await.expect("a driver that listens");
        loop {
            match self.next().await {
                DriverEvent::Done { ticket, .. } if ticket == self.ticket => return,
                DriverEvent::Refused { ticket, text } if ticket == self.ticket => panic!("{text}"),
                _ => {}
            }
        }
    }

    async fn next(&mut self) -> DriverEvent {
        let event = in_time(self.driver.events.recv()).await.expect("the driver runs");
        match &event {
            DriverEvent::Inbox(inbox) => self.inbox.clone_from(inbox),
            DriverEvent::Rows(rows) => self.rows.clone_from(rows),
            DriverEvent::Row(row) => {
                self.rows.retain(|old| old.dialog != row.dialog);
                self.rows.push(*row.clone());
            }
            DriverEvent::ToolEnded { call, ok: false, .. } => {
                self.failed_tools.push(call.to_string());
            }
            DriverEvent::Teams(teams) => self.teams.clone_from(teams),
            DriverEvent::Tasks(tasks) => self.tasks.clone_from(tasks),
            DriverEvent::TaskUpdated(task) => {
                self.tasks.retain(|old| old.id != task.id);
                self.tasks.push(*task.clone());
            }
            DriverEvent::Triggers(triggers) => self.triggers.clone_from(triggers),
            DriverEvent::Problems(problems) => assert_eq!(problems, &[]),
            DriverEvent::Notice(text) => panic!("{text}"),
            _ => {}
        }
        event
    }

    async fn until_quiet(&mut self) -> QuietOutcome {
        loop {
            if let DriverEvent::Quiet(outcome) = self.next().await {
                return outcome;
            }
        }
    }

    /// The open question of a member.
    fn question_of(&self, agent: &str) -> Option<InboxRow> {
        self.inbox.iter().find(|row| row.agent.as_str() == agent).cloned()
    }

    async fn until_asked_by(&mut self, agent: &str) {
        while self.question_of(agent).is_none() {
            self.next().await;
        }
    }

    async fn answer(&mut self, agent: &str, text: &str) {
        let row = self.question_of(agent).expect("an open question");
        let (dialog, question, text) = (row.dialog, row.question.id, text.to_owned());
        self.send(|ticket| Command::Answer { ticket, dialog, question, text, images: Vec::new() })
            .await;
    }

    /// Says something to every dialog of a member.
    async fn say_to(&mut self, agent: &str, text: &str) {
        let of_member = self.rows.iter().filter(|row| row.agent.as_str() == agent);
        for dialog in of_member.map(|row| row.dialog.clone()).collect::<Vec<_>>() {
            let text = text.to_owned();
            self.send(|ticket| Command::Say { ticket, dialog, text, images: Vec::new() }).await;
        }
    }

    async fn end(self) {
        let _ =
            self.driver.commands.send(Command::Shutdown { grace: Duration::from_secs(3) }).await;
        in_time(self.driver.join()).await;
    }
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    demo::DIALOGS.write_workspace(folder.path()).expect("the workspace");
    folder
}

/// Returns the only tree of a workspace without a driver, and checks that nothing is wrong with it.
fn reopen(folder: &Path) -> DialogTree {
    let store = app::open(folder, Access::ReadOnly).expect("the store");
    let survey = store.survey(&[Bucket::Run]);
    assert_eq!(survey.problems, []);
    let [listing] = survey.trees.as_slice() else { panic!("{:?}", survey.trees) };
    let loaded = store.load(Bucket::Run, &listing.root).expect("the tree");
    assert_eq!((loaded.repairs, loaded.problems), (vec![], vec![]));
    loaded.tree
}

fn of_member<'a>(tree: &'a DialogTree, agent: &str) -> Vec<&'a Dialog> {
    let all = tree.dialogs.values().map(AsRef::as_ref);
    all.filter(|dialog: &&Dialog| dialog.meta.agent_id == AgentId::new(agent)).collect()
}

fn only<'a>(tree: &'a DialogTree, agent: &str) -> &'a Dialog {
    let [dialog] = of_member(tree, agent)[..] else { panic!("one dialog of {agent}") };
    dialog
}

/// From the asker of a dialog up to the main dialog.
fn askers(tree: &DialogTree, dialog: &Dialog) -> Vec<SelfId> {
    std::iter::successors(dialog.asker(), |asker| tree.get(asker)?.asker()).cloned().collect()
}

fn last_words(dialog: &Dialog) -> String {
    dialog.history.last.words.as_deref().unwrap_or_default().to_owned()
}

/// Checks a demo that was played to its end.
fn assert_finished(folder: &Path, answers: [&str; 2]) {
    let tree = reopen(folder);
    let main = tree.main().expect("a main dialog");
    assert_eq!(main.meta.agent_id.as_str(), demo::DIALOGS.lead);
    assert_eq!(main.meta.task_doc_path, demo::DIALOGS.taskdoc);
    for dialog in tree.dialogs.values() {
        let who = &dialog.meta.agent_id;
        assert_eq!(derive(dialog, Activity::Resting), DisplayState::Idle, "{who}");
        assert!(dialog.pending.is_empty(), "{who}");
        assert_eq!(dialog.history.open_questions().count(), 0, "{who}");
        assert_eq!(dialog.history.open_calls().count(), 0, "{who}");
        assert_eq!(dialog.obligation(), None, "{who}");
    }
    assert_eq!(tree.dialogs.len(), 4);
    let (researcher, dba) = (only(&tree, "researcher"), only(&tree, "dba"));
    assert_eq!(askers(&tree, dba), [researcher.meta.id.clone(), main.meta.id.clone()]);
    assert_eq!(researcher.history.assignments.size(), 2);
    assert_eq!(only(&tree, "reviewer").meta.session_slug, None);
    for (dialog, answer) in [(main, answers[0]), (dba, answers[1])] {
        let answered = dialog.history.entries.iter().any(|entry| {
            matches!(&entry.record, Record::TellaskResult(reply) if reply.content == answer)
        });
        assert!(answered, "{answer}");
    }
    for file in ["notes/two-factor-plan.md", "migrations/0008_two_factor.sql"] {
        assert!(folder.join(file).is_file(), "{file}");
    }
    let task = taskdoc::read(folder, demo::DIALOGS.taskdoc).expect("the task");
    assert!(task.progress.contains("two-factor-plan.md"));
}

#[tokio::test(start_paused = true)]
async fn two_questions_come_from_two_dialogs_and_their_answers_end_it_in_either_order() {
    let answers = [("orchestrator", "b"), ("dba", "keep it for 90 days")];
    for order in [[0, 1], [1, 0]] {
        let folder = folder();
        let mut play = Play::start(folder.path(), 0.0);
        play.send(|ticket| demo::DIALOGS.first_command(ticket)).await;
        assert_eq!(play.until_quiet().await, QuietOutcome::QuestionWaits);
        assert_eq!(play.inbox.len(), 2);
        let nested = play.question_of("dba").expect("a nested question");
        assert_eq!(nested.blocks.len(), 2, "{:?}", nested.blocks);
        for (left, at) in [(1, order[0]), (0, order[1])] {
            let (agent, text) = answers[at];
            play.answer(agent, text).await;
            let outcome = play.until_quiet().await;
            assert_eq!(play.inbox.len(), left);
            assert_eq!(outcome == QuietOutcome::Done, left == 0);
        }
        assert_eq!(play.failed_tools, [""; 0]);
        play.end().await;
        assert_finished(folder.path(), ["b", "keep it for 90 days"]);
        let tree = reopen(folder.path());
        assert!(last_words(tree.main().expect("main")).contains("The plan is ready"));
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_may_be_given_as_soon_as_its_question_is_there() {
    let folder = folder();
    let mut play = Play::start(folder.path(), 1.0);
    play.send(|ticket| demo::DIALOGS.first_command(ticket)).await;
    play.until_asked_by("orchestrator").await;
    assert_eq!(play.inbox.len(), 1);
    play.answer("orchestrator", "a").await;
    play.until_asked_by("dba").await;
    play.answer("dba", "b").await;
    assert_eq!(play.until_quiet().await, QuietOutcome::Done);
    play.end().await;
    assert_finished(folder.path(), ["a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn the_story_goes_on_whoever_is_talked_to_in_between() {
    const TEAM: [&str; 4] = ["orchestrator", "researcher", "dba", "reviewer"];
    let folder = folder();
    let mut play = Play::start(folder.path(), 1.0);
    play.send(|ticket| demo::DIALOGS.first_command(ticket)).await;
    for asked in ["orchestrator", "dba"] {
        play.until_asked_by(asked).await;
        for agent in TEAM {
            play.say_to(agent, "How is it going?").await;
        }
    }
    assert_eq!(play.until_quiet().await, QuietOutcome::QuestionWaits);
    for agent in TEAM {
        play.say_to(agent, "Anything new?").await;
    }
    assert_eq!(play.until_quiet().await, QuietOutcome::QuestionWaits);
    for (agent, text) in [("dba", "c"), ("orchestrator", "c")] {
        play.answer(agent, text).await;
        for agent in TEAM {
            play.say_to(agent, "Thank you!").await;
        }
    }
    // A member that was spoken to in the middle of a task has put it aside until it is continued.
    play.until_quiet().await;
    let mut rounds = 0;
    while !continue_stopped(&mut play).await {
        play.until_quiet().await;
        rounds += 1;
        assert!(rounds < 50, "it never comes to its end");
    }
    play.end().await;
    assert_finished(folder.path(), ["c", "c"]);
}

#[tokio::test(start_paused = true)]
async fn it_plays_for_about_a_minute_and_a_half_besides_the_time_of_the_person() {
    let folder = folder();
    let mut play = Play::start(folder.path(), 1.0);
    let start = Instant::now();
    play.send(|ticket| demo::DIALOGS.first_command(ticket)).await;
    play.until_asked_by("orchestrator").await;
    let first = start.elapsed();
    play.until_quiet().await;
    play.answer("dba", "a").await;
    play.answer("orchestrator", "a").await;
    play.until_quiet().await;
    let seconds = start.elapsed().as_secs();
    assert!((75..=110).contains(&seconds), "{seconds} s");
    assert!((10..=30).contains(&first.as_secs()), "first question after {first:?}");
    play.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_demo_that_was_ended_anywhere_goes_on_from_there() {
    let folder = folder();
    let mut play = Play::start(folder.path(), 1.0);
    play.send(|ticket| demo::DIALOGS.first_command(ticket)).await;
    for seconds in [3, 7, 11, 5, 9, 13, 6] {
        let enough = Instant::now() + Duration::from_secs(seconds);
        while tokio::select! {
            _ = play.next() => true,
            () = sleep_until(enough) => false,
        } {}
        play.end().await;
        play = Play::start(folder.path(), 1.0);
        go_on(&mut play).await;
    }
    for _ in 0..4 {
        for agent in ["orchestrator", "dba"] {
            if play.question_of(agent).is_some() {
                play.answer(agent, "b").await;
            }
        }
        if play.until_quiet().await == QuietOutcome::Done {
            break;
        }
    }
    play.end().await;
    assert_finished(folder.path(), ["b", "b"]);
}

/// Continues everything that was cut off.
async fn go_on(play: &mut Play) {
    play.until_quiet().await;
    continue_stopped(play).await;
}

/// True if nothing was stopped.
async fn continue_stopped(play: &mut Play) -> bool {
    let stopped = |row: &&TreeRow| matches!(row.state, DisplayState::Stopped { .. });
    let stopped: Vec<DialogId> =
        play.rows.iter().filter(stopped).map(|row| row.dialog.clone()).collect();
    for dialog in &stopped {
        play.send(|ticket| Command::Continue { ticket, dialog: dialog.clone() }).await;
    }
    stopped.is_empty()
}

#[test]
fn the_workspace_is_whole_and_the_repository_does_not_see_it() {
    let folder = folder();
    let minds = Minds::load(folder.path(), Lang::En);
    assert_eq!(minds.problems(), []);
    assert_eq!(minds.default_responder(), Some(&AgentId::new(demo::DIALOGS.lead)));
    let script = demo::DIALOGS.script().expect("the script");
    let members: Vec<&str> = minds.team().visible().map(|member| member.id.as_str()).collect();
    let mut scripted: Vec<&str> = script.agents.keys().map(String::as_str).collect();
    scripted.sort_by_key(|agent| members.iter().position(|member| member == agent));
    assert_eq!(members, scripted);
    for member in minds.team().visible() {
        let (_, _, model) = minds.model_of(member, &|_| None).expect("a model");
        assert_eq!(model, member.id.as_str());
        assert!(minds.texts_of(&member.id).persona.is_some(), "{model}");
    }
    assert_eq!(taskdoc::list(folder.path()), [demo::DIALOGS.taskdoc]);
    let task = taskdoc::read(folder.path(), demo::DIALOGS.taskdoc).expect("the task");
    assert!(task.violations.is_empty(), "{:?}", task.violations);

    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert_eq!(Minds::load(repository, Lang::En).problems(), []);
    assert!(!taskdoc::list(repository).contains(&demo::DIALOGS.taskdoc.to_owned()));
}

#[test]
fn what_is_written_is_alive_and_believable() {
    let script = demo::DIALOGS.script().expect("the script");
    for (agent, turns) in &script.agents {
        let (talk, story) = turns.split_last().expect("turns");
        assert!(!talk.once && talk.replies == 0 && talk.calls.is_empty(), "{agent}");
        for (n, turn) in story.iter().enumerate() {
            let at = format!("{agent} {}", n + 1);
            let words = |text: &Option<String>| {
                text.as_deref().unwrap_or_default().split_whitespace().count()
            };
            let (thought, said) = (words(&turn.thinking), words(&turn.saying));
            assert!((60..=180).contains(&said), "{at} says {said} words");
            assert!((15..said).contains(&thought), "{at} thinks {thought} words");
            assert!(turn.once && turn.seen.is_some(), "{at}");
            let pace = turn.tokens_per_second.unwrap_or_default();
            assert!((25.0..=45.0).contains(&pace), "{at} speaks {pace} words a second");
        }
    }
}

#[test]
fn a_folder_with_something_else_is_left_alone_and_a_demo_is_known_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (other, new) = (folder.path().join("other"), folder.path().join("deep/new"));
    std::fs::create_dir(&other).expect("a folder");
    std::fs::write(other.join("mine.txt"), "mine").expect("a file");
    assert!(demo::DIALOGS.write_workspace(&other).is_err());
    assert_eq!(std::fs::read_dir(&other).expect("a folder").count(), 1);

    demo::DIALOGS.write_workspace(&new).expect("the workspace");
    std::fs::write(new.join("README.md"), "changed").expect("a file");
    std::fs::remove_file(new.join("notes/storage.md")).expect("a file");
    let stage = demo::DemoWorkspace::kept(&demo::DIALOGS, &new).expect("a stage");
    assert_eq!(std::fs::read_to_string(new.join("README.md")).expect("a text"), "changed");
    assert!(new.join("notes/storage.md").is_file());
    drop(stage);
    assert!(new.is_dir());
}

#[test]
fn a_scratch_folder_is_gone_with_its_demo() {
    let (first, second) = (
        demo::DemoWorkspace::scratch(&demo::DIALOGS).expect("a"),
        demo::DemoWorkspace::scratch(&demo::DIALOGS).expect("b"),
    );
    assert_ne!(first.folder(), second.folder());
    let kept: Vec<_> = [&first, &second].map(|stage| stage.folder().to_owned()).into();
    assert!(kept.iter().all(|folder| folder.join(".minds/team.yaml").is_file()));
    drop((first, second));
    assert!(kept.iter().all(|folder| !folder.exists()));
}

#[test]
fn a_demo_that_begins_anew_keeps_what_was_there() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("demo");
    let mut stage = demo::DemoWorkspace::kept(&demo::DIALOGS, &folder).expect("a stage");
    for run in ["first", "second"] {
        std::fs::create_dir_all(folder.join(".dialogs/run")).expect("a folder");
        std::fs::write(folder.join("notes/two-factor-plan.md"), run).expect("a file");
        std::fs::write(folder.join("README.md"), run).expect("a file");
        stage = stage.restarted().expect("a stage");
        assert!(!folder.join(".dialogs").exists());
        assert!(!folder.join("notes/two-factor-plan.md").exists());
        assert_ne!(std::fs::read_to_string(folder.join("README.md")).expect("a text"), run);
    }
    drop(stage);
    for (earlier, run) in [("earlier-1", "first"), ("earlier-2", "second")] {
        let kept = folder.join(earlier);
        let plan = std::fs::read_to_string(kept.join("notes/two-factor-plan.md")).expect("a plan");
        assert_eq!(plan, run);
        assert!(kept.join(".dialogs/run").is_dir() && kept.join(".minds/team.yaml").is_file());
    }

    let scratch = demo::DemoWorkspace::scratch(&demo::DIALOGS).expect("a stage");
    let before = scratch.folder().to_owned();
    let again = scratch.restarted().expect("a stage");
    assert!(!before.exists() && again.folder().join(".minds/team.yaml").is_file());
}

#[test]
fn the_end_names_what_was_made_and_what_to_try_next_in_both_languages() {
    let home = tempfile::tempdir().expect("a folder");
    let stages = [
        demo::DemoWorkspace::scratch(&demo::DIALOGS),
        demo::DemoWorkspace::kept(&demo::DIALOGS, &home.path().join("demo")),
    ];
    for stage in stages.map(|stage| stage.expect("a stage")) {
        for lang in [Lang::En, Lang::Zh] {
            let text = stage.ending(lang);
            for part in ["notes/two-factor-plan.md", "dominds-tui init"] {
                assert!(text.contains(part), "{text}");
            }
        }
    }
}

/// Checks the demo of teams, before the person has answered and afterwards.
fn assert_teams(play: &Play, folder: &Path, last: TaskStatus) {
    assert_eq!(play.failed_tools, [""; 0]);
    let teams: Vec<&str> = play.teams.iter().map(|team| team.name.as_str()).collect();
    assert_eq!(teams, ["main", "ops", "qa"]);
    let mut kinds = BTreeMap::new();
    for task in &play.tasks {
        kinds
            .entry((task.team.as_str(), task.kind.name()))
            .or_insert_with(Vec::new)
            .push(task.status);
    }
    let done = TaskStatus::Done;
    let expected = BTreeMap::from([
        (("main", "escalation"), vec![last]),
        (("qa", "bootstrap"), vec![done]),
        (("qa", "delegate"), vec![done; 3]),
    ]);
    assert_eq!(kinds, expected);
    let trigger = play.triggers.first().expect("a trigger");
    assert_eq!((trigger.name.as_str(), trigger.state), ("error-feed", TriggerState::Pending));
    assert!(folder.join(".minds/team/tester/persona.md").is_file());
    let minds = Minds::load(folder, Lang::En);
    assert_eq!(minds.problems(), []);
    assert!(minds.member(&AgentId::new("tester")).is_some());
}

#[tokio::test]
async fn the_demo_of_teams_makes_a_team_that_works_and_asks_its_way_up_to_the_person() {
    let folder = tempfile::tempdir().expect("a folder");
    demo::TEAMS.write_workspace(folder.path()).expect("the workspace");
    let mut play = Play::of(&demo::TEAMS, folder.path(), 0.0);
    play.send(|ticket| demo::TEAMS.first_command(ticket)).await;
    while play.until_quiet().await != QuietOutcome::QuestionWaits {}
    assert_teams(&play, folder.path(), TaskStatus::Blocked);
    let asked = play.question_of("coordinator").expect("a question");
    assert!(asked.question.tellask_content.contains("A coupon can be taken twice"), "{asked:?}");
    // The dialogs of tasks are put away when they are over.
    let root = first_root(&play);
    play.answer("coordinator", "a").await;
    while play.until_quiet().await != QuietOutcome::Done {}
    assert_teams(&play, folder.path(), TaskStatus::Done);
    play.end().await;
    let store = app::open(folder.path(), Access::ReadOnly).expect("the store");
    let tree = store.load(Bucket::Run, &root).expect("the tree").tree;
    let main = tree.main().expect("a main dialog");
    let said = main.history.entries.iter().any(|entry| {
        matches!(&entry.record, Record::Words { content, .. } if content.contains("**yes, if the coupons are decided**"))
    });
    assert!(said, "{}", last_words(main));
}

/// Returns the tree of the first message: the only one of the lead without a task.
fn first_root(play: &Play) -> RootId {
    let of_task = |root: &RootId| play.tasks.iter().any(|task| task.dialog.as_ref() == Some(root));
    let of_lead = play.rows.iter().filter(|row| row.agent.as_str() == demo::TEAMS.lead);
    let mut roots = of_lead.map(|row| row.dialog.root.clone());
    roots.find(|root| !of_task(root)).expect("a tree without a task")
}

#[test]
fn the_workspace_of_the_demo_of_teams_is_whole_and_only_its_own_demo_goes_on_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    demo::TEAMS.write_workspace(folder.path()).expect("the workspace");
    let minds = Minds::load(folder.path(), Lang::En);
    assert_eq!(minds.problems(), []);
    assert_eq!(minds.default_responder(), Some(&AgentId::new(demo::TEAMS.lead)));
    let script = demo::TEAMS.script().expect("the script");
    for member in minds.team().visible() {
        let (_, _, model) = minds.model_of(member, &|_| None).expect("a model");
        assert!(script.agents.contains_key(model), "{model}");
    }
    assert_eq!(taskdoc::list(folder.path()), [demo::TEAMS.taskdoc]);
    assert!(demo::TEAMS.write_workspace(folder.path()).is_ok(), "it goes on");
    assert!(demo::DIALOGS.write_workspace(folder.path()).is_err());
}
