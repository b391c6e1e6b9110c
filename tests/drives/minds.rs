//! `.minds/` while a driver runs: what is wrong is told, what is mended goes, edits count at once.

use std::time::Duration;

use dominds_tui::domain::{AgentId, DialogId, Lang};
use dominds_tui::driver::Audience;
use dominds_tui::llm::{Message, Reply, Request, Sequence};
use dominds_tui::protocol::event::{MemberView, QuietOutcome};
use dominds_tui::protocol::{Command, UiEvent};

use crate::common::{Running, World};

const LLM: &str = "\
providers:
  script:
    apiType: mock
    baseUrl: none
    models: { fuxi: {}, lead: {}, ops: {} }
";

impl Running {
    /// The problems as last told.
    fn problems(&self) -> Vec<String> {
        let told = self.seen.iter().rev().find_map(|event| match event {
            UiEvent::Problems(problems) => Some(problems.clone()),
            _ => None,
        });
        told.unwrap_or_default().into_iter().map(|problem| problem.id).collect()
    }

    fn members(&self) -> Vec<MemberView> {
        let told = self.seen.iter().rev().find_map(|event| match event {
            UiEvent::Workspace(view) => Some(view.members.clone()),
            _ => None,
        });
        told.unwrap_or_default()
    }

    /// Waits until the problems are these.
    async fn problems_become(&mut self, expected: &[&str]) {
        while self.problems() != expected {
            self.event().await;
        }
    }

    async fn talk_to(&mut self, agent: &str, text: &str) -> Result<DialogId, String> {
        let (agent, text) = (AgentId::new(agent), text.to_owned());
        let taskdoc = "task.tsk".to_owned();
        let made = self.ask(|ticket| Command::Create { ticket, agent, taskdoc, text }).await?;
        self.quiet().await;
        Ok(made.expect("a dialog"))
    }
}

/// What the program tells a model about the reader's language.
fn language_guides(request: &Request) -> Vec<usize> {
    let says = |message: &Message| matches!(message, Message::Environment(text) if text.contains("The person reads"));
    let told = request.messages.iter().enumerate().filter(|(_, message)| says(message));
    told.map(|(at, _)| at).collect()
}

fn team_with_ops(ops: &str) -> String {
    format!(
        "member_defaults: {{ provider: script, diligence-push-max: 0 }}\nmembers:\n  lead: {{ model: lead }}\n{ops}"
    )
}

#[tokio::test(start_paused = true)]
async fn k01_without_minds_it_starts_says_what_is_missing_and_fuxi_answers_once_there_is_a_model() {
    let mut world = World::empty(Sequence::new().reply("fuxi", Reply::saying("Let us begin.")));
    world.setup.audience = Audience::Screen;
    let mut running = world.start().await;
    running.problems_become(&["team/missing"]).await;
    let refused = running.talk_to("fuxi", "Hello").await.expect_err("no model yet");
    assert!(refused.contains(".minds/llm.yaml"), "{refused}");
    world.put(".minds/llm.yaml", LLM);
    let dialog = running.talk_to("fuxi", "Hello").await.expect("a dialog");
    assert_eq!(world.state(&dialog), "idle_waiting_user");
    let seen = world.models.requests();
    assert!(seen[0].system.contains("`fuxi`") && seen[0].system.contains("# Persona"));
}

#[tokio::test(start_paused = true)]
async fn k02_a_member_that_cannot_be_used_is_left_out_until_the_file_is_mended() {
    let models = Sequence::new().reply("ops", Reply::saying("Here."));
    let mut world = World::empty(models);
    world.setup.audience = Audience::Screen;
    world.put(".minds/llm.yaml", LLM);
    world.put(".minds/team.yaml", &team_with_ops("  ops: { model: ops, toolsets: ws_read }\n"));
    let mut running = world.start().await;
    running.problems_become(&["team/wrong-type/ops/toolsets"]).await;
    assert_eq!(running.members().len(), 1);
    let refused = running.talk_to("ops", "Hello").await.expect_err("left out");
    assert!(refused.contains("@ops") && refused.contains("lead"), "{refused}");
    world.put(".minds/team.yaml", &team_with_ops("  ops: { model: ops, toolsets: [ws_read] }\n"));
    running.problems_become(&[]).await;
    let names: Vec<String> = running.members().into_iter().map(|m| m.id.to_string()).collect();
    assert_eq!(names, ["lead", "ops"]);
    let dialog = running.talk_to("ops", "Hello").await.expect("a dialog");
    assert_eq!(world.state(&dialog), "idle_waiting_user");
}

#[tokio::test(start_paused = true)]
async fn what_is_wrong_is_told_again_before_every_generation_also_without_a_screen() {
    let models = Sequence::new()
        .reply("lead", Reply::saying("One."))
        .reply("lead", Reply::saying("Two."))
        .reply("lead", Reply::saying("Three."));
    let world = World::new(models);
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    assert_eq!(running.problems(), [""; 0]);
    let team = std::fs::read_to_string(world.path().join(".minds/team.yaml")).expect("a team");
    world.put(
        ".minds/team.yaml",
        &format!("{team}  x: {{ toolsets: [wsread], read_dirs: ['../x'] }}\n"),
    );
    running.say(&dialog, "Again").await.expect("said");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let found = running.problems();
    assert_eq!(found[0], "team/unknown-toolset/wsread");
    assert!(found[1].starts_with("team/access/x/read_dirs"), "{found:?}");
    world.put(".minds/team.yaml", &team);
    running.say(&dialog, "Again").await.expect("said");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(running.problems(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_screen_hears_of_a_changed_file_although_nothing_is_driven() {
    let mut world = World::new(Sequence::new());
    world.setup.audience = Audience::Screen;
    let mut running = world.start().await;
    world.put(".minds/llm.yaml", "providers: [");
    let before = tokio::time::Instant::now();
    while !running.problems().contains(&"llm/yaml".to_owned()) {
        running.event().await;
    }
    assert!(before.elapsed() <= Duration::from_secs(4), "{:?}", before.elapsed());
}

#[tokio::test(start_paused = true)]
async fn k06_an_edited_persona_is_there_in_the_next_generation() {
    let models =
        Sequence::new().reply("lead", Reply::saying("One.")).reply("lead", Reply::saying("Two."));
    let world = World::new(models);
    world.put(".minds/team/lead/persona.md", "A captain.");
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    world.put(".minds/team/lead/persona.md", "A pilot.");
    running.say(&dialog, "On").await.expect("said");
    running.quiet().await;
    let seen = world.models.requests();
    assert!(seen[0].system.contains("A captain.") && !seen[0].system.contains("A pilot."));
    assert!(seen[1].system.contains("A pilot.") && !seen[1].system.contains("A captain."));
}

#[tokio::test(start_paused = true)]
async fn k08_who_reads_another_language_is_named_at_the_start_of_a_course_and_when_it_changes() {
    let models = Sequence::new()
        .reply("lead", Reply::saying("一"))
        .reply("lead", Reply::call("c", "clear_mind", r#"{"reminder_content":"go on"}"#))
        .reply("lead", Reply::saying("二"))
        .reply("lead", Reply::saying("Three."));
    let mut world = World::new(models);
    world.setup.reader = Some(Lang::Zh);
    let mut running = world.start().await;
    let dialog = running.talk("开始").await;
    running.say(&dialog, "继续").await.expect("said");
    running.quiet().await;
    running.shut_down().await;
    world.setup.reader = Some(Lang::En);
    let mut running = world.start().await;
    running.say(&dialog, "Go on").await.expect("said");
    running.quiet().await;
    let seen = world.models.requests();
    let [first, second, third, fourth] = seen.as_slice() else { panic!("{seen:#?}") };
    let prompt = |request: &Request| {
        request.messages.iter().position(|m| matches!(m, Message::Prompt(_))).expect("a prompt")
    };
    assert_eq!(language_guides(first), [prompt(first) - 1]);
    assert_eq!(language_guides(second), language_guides(first), "told once");
    assert_eq!(language_guides(third), [prompt(third) - 1], "told again in a new course");
    let guides = language_guides(fourth);
    assert_eq!(guides.len(), 2, "told again when it changes");
    let text = |at: usize| fourth.messages[at].text().unwrap_or_default().to_owned();
    assert!(text(guides[0]).contains("Chinese") && text(guides[1]).contains("English"));
}

#[tokio::test(start_paused = true)]
async fn k08_who_reads_the_work_language_is_told_nothing() {
    for lang in [Lang::En, Lang::Zh] {
        let mut world = World::new(Sequence::new().reply("lead", Reply::saying("One.")));
        world.setup.lang = lang;
        let mut running = world.start().await;
        running.talk("Go").await;
        let seen = world.models.requests();
        let said = |text: &str| text.contains("The person reads") || text.contains("对方阅读");
        assert!(!seen[0].messages.iter().any(|message| message.text().is_some_and(said)));
    }
}
