//! `.minds/` while a driver runs: problems are reported, fixed ones go, edits count at once.

use std::sync::Arc;
use std::time::Duration;

use dominds_tui::domain::{AgentId, Bucket, DialogId, Lang, Layout};
use dominds_tui::driver::{Audience, Preview, PreviewTarget};
use dominds_tui::llm::{Message, Reply, Request, Sequence};
use dominds_tui::protocol::event::{MemberView, QuietOutcome};
use dominds_tui::protocol::{Command, DriverEvent};

use super::support::open_problems;
use crate::common::{Running, World};

const LLM: &str = "\
providers:
  script:
    apiType: mock
    baseUrl: none
    models: { fuxi: {}, lead: {}, ops: {} }
";

impl Running {
    /// The problems as last reported.
    fn problems(&self) -> Vec<String> {
        open_problems(self).into_iter().map(|problem| problem.id).collect()
    }

    fn members(&self) -> Vec<MemberView> {
        let members = self.seen.iter().rev().find_map(|event| match event {
            DriverEvent::Workspace(view) => Some(view.members.clone()),
            _ => None,
        });
        members.unwrap_or_default()
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
        let made = self
            .ask(|ticket| Command::Create { ticket, agent, taskdoc, text, priming: Vec::new() })
            .await?;
        self.quiet().await;
        Ok(made.expect("a dialog"))
    }
}

/// Returns the request that a member would be sent, without a driver.
fn preview(world: &World, reader: &PreviewTarget) -> Preview {
    let engine = world.engine(Arc::new(world.view()));
    Preview::of(&engine, reader).expect("a preview")
}

/// Returns the indices of the messages about the reader's language.
fn language_guides(request: &Request) -> Vec<usize> {
    let says = |message: &Message| matches!(message, Message::Environment(text) if text.contains("The person reads"));
    let guides = request.messages.iter().enumerate().filter(|(_, message)| says(message));
    guides.map(|(at, _)| at).collect()
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
async fn k02_a_member_that_cannot_be_used_is_left_out_until_the_file_is_fixed() {
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
async fn the_screen_is_told_the_symbol_of_each_member() {
    let mut world = World::empty(Sequence::new());
    world.setup.audience = Audience::Screen;
    world.put(".minds/llm.yaml", LLM);
    world.put(".minds/team.yaml", &team_with_ops("  ops: { model: ops, icon: \"🔧\" }\n"));
    let mut running = world.start().await;
    while running.members().len() < 2 {
        running.event().await;
    }
    let icons: Vec<String> = running.members().into_iter().map(|m| m.icon).collect();
    assert_eq!(icons, ["", "🔧"]);
}

#[tokio::test(start_paused = true)]
async fn problems_are_reported_again_before_every_generation_also_without_a_screen() {
    let models = Sequence::new()
        .reply("lead", Reply::saying("One."))
        .reply("lead", Reply::saying("Two."))
        .reply("lead", Reply::saying("Three."));
    let (world, mut running, dialog) = World::talked(models, "Go").await;
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
async fn k08_a_reader_of_the_work_language_gets_no_language_guide() {
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

#[tokio::test(start_paused = true)]
async fn what_is_previewed_is_what_is_sent() {
    let ask = r#"{"targetAgentId":"alice","tellaskContent":"Look."}"#;
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "tellaskSessionless", ask))
        .reply("alice", Reply::saying("Seen."))
        .reply("lead", Reply::saying("Good."))
        .reply("lead", Reply::saying("Yes."));
    let world = World::new(models);
    world.put(".minds/team/lead/persona.md", "A captain.");
    let main = preview(&world, &PreviewTarget::Main(AgentId::new("lead")));
    let side = preview(&world, &PreviewTarget::Side(AgentId::new("alice")));
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    let seen = world.models.requests();
    for (shown, sent) in [(&main.request, &seen[0]), (&side.request, &seen[1])] {
        assert_eq!(shown.system, sent.system);
        assert_eq!(shown.tools, sent.tools);
        assert_eq!(shown.model, sent.model);
        assert_eq!(shown.messages[0], sent.messages[0], "the Taskdoc");
    }
    assert!(main.request.tools.iter().any(|tool| tool.name == "askHuman"));
    let next = preview(&world, &PreviewTarget::Dialog(dialog.clone()));
    running.say(&dialog, "Sure?").await.expect("said");
    running.quiet().await;
    let seen = world.models.requests();
    let sent = &seen.last().expect("a request").messages;
    assert_eq!(next.request.messages, sent[..sent.len() - 1], "all but the new words");
}

const STARTUP: &str = r#"---
kind: agent_priming_script
version: 3
title: First steps
---

### record human_text_record
```markdown
---
genseq: 1
---
What is in it?
```

### record func_call_record
```json
{"id": "c", "name": "list_dir", "arguments": {"path": "."}}
```

### record func_result_record
```markdown
---
id: c
name: list_dir
---
- src
```
"#;

#[tokio::test(start_paused = true)]
async fn k11_a_dialog_begins_with_the_startup_scripts_that_a_person_names_once() {
    let replies = ["I see.", "Still so."].map(Reply::saying);
    let models = replies.into_iter().fold(Sequence::new(), |all, one| all.reply("lead", one));
    let mut world = World::new(models);
    world.setup.layout = Some(Layout::V1_29);
    world.put(".minds/priming/team_shared/first.md", STARTUP);
    let mut running = world.start().await;
    let mut create = async |name: &str| {
        let (agent, taskdoc) = (AgentId::new("lead"), "task.tsk".to_owned());
        let (text, priming) = ("And now?".to_owned(), vec![name.to_owned()]);
        running.ask(|ticket| Command::Create { ticket, agent, taskdoc, text, priming }).await
    };
    let refused = create("team_shared/none").await.expect_err("there is no such script");
    assert!(refused.contains("the startup script team_shared/none"), "{refused}");
    assert!(world.view().survey(&[Bucket::Run]).trees.is_empty());
    let dialog = create("team_shared/first").await.expect("made").expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    running.say(&dialog, "Sure?").await.expect("said");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let seen = world.models.requests();
    assert_eq!(seen.len(), 2);
    for request in &seen {
        let texts: Vec<&str> = request.messages.iter().filter_map(Message::text).collect();
        let asked = texts.iter().filter(|text| **text == "What is in it?").count();
        assert_eq!(asked, 1, "{texts:#?}");
        assert_eq!(super::result_of(request, "c"), Some("- src"));
    }
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn k11_a_dialog_that_began_with_a_startup_script_is_read_and_goes_on() {
    let world = World::new(Sequence::new().reply("lead", Reply::saying("I see.")));
    let root = "ab/cd/01234567";
    let folder = format!(".dialogs/run/{root}");
    world.put(
        &format!("{folder}/dialog.yaml"),
        &format!(
            "id: {root}\nagentId: lead\ntaskDocPath: task.tsk\ncreatedAt: 2026-11-21 12:00:00\n\
             priming:\n  scriptRefs:\n    - team_shared/first\n  showInUi: true\n"
        ),
    );
    let record = |kind: &str, rest: &str| {
        format!(
            "{{\"ts\":\"2026-11-21 12:00:00\",\"type\":\"{kind}\",\"genseq\":1,{rest},\
             \"sourceTag\":\"priming_script\",\"rootCourse\":1,\"rootGenseq\":1}}\n"
        )
    };
    let course = [
        record(
            "human_text_record",
            r#""content":"What is in it?","msgId":"p1","grammar":"markdown","origin":"user""#,
        ),
        record(
            "func_call_record",
            r#""id":"pc","name":"list_dir","rawArgumentsText":"{\"path\":\".\"}""#,
        ),
        record("func_result_record", r#""id":"pc","name":"list_dir","content":"- src""#),
        record("agent_words_record", r#""content":"Only `src`.""#),
    ]
    .concat();
    world.put(&format!("{folder}/course-001.jsonl"), &course);
    world.put(
        &format!("{folder}/latest.yaml"),
        "currentCourse: 1\nlastModified: 2026-11-21 12:00:00\nstatus: active\n\
         disableDiligencePush: true\n",
    );
    let mut running = world.start().await;
    assert_eq!(world.models.requests().len(), 0, "nothing is driven by itself");
    let dialog = DialogId::main(dominds_tui::domain::RootId::new(root));
    running.say(&dialog, "And now?").await.expect("said");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let seen = world.models.requests();
    let texts: Vec<&str> = seen[0].messages.iter().filter_map(Message::text).collect();
    for text in ["What is in it?", "- src", "Only `src`.", "And now?"] {
        assert!(texts.contains(&text), "{text} {texts:#?}");
    }
    assert_eq!(super::result_of(&seen[0], "pc"), Some("- src"));
    let path = world.path().join(&folder);
    let after = std::fs::read_to_string(path.join("course-001.jsonl")).expect("a course");
    assert!(after.starts_with(&course), "the records stay as they were");
    let identity = std::fs::read_to_string(path.join("dialog.yaml")).expect("an identity");
    assert!(identity.contains("team_shared/first"), "{identity}");
}

#[tokio::test(start_paused = true)]
async fn fuxi_sets_up_a_team_and_its_problems_go_when_they_are_fixed() {
    let team = "members:\n  lead: { provider: script, model: lead, toolsets: wsread }\n";
    let right = team.replace("wsread", "[ws_read]");
    let make = serde_json::json!({ "path": "team.yaml", "content": team }).to_string();
    let fix = serde_json::json!({
        "path": "team.yaml", "known_old_total_lines": 2, "known_old_total_bytes": team.len(),
        "content": right,
    });
    let models = Sequence::new()
        .reply("fuxi", Reply::call("a", "team_mgmt_create_new_file", &make))
        .reply("fuxi", Reply::call("b", "team_mgmt_overwrite_entire_file", &fix.to_string()))
        .reply("fuxi", Reply::call("c", "team_mgmt_validate_team_cfg", "{}"))
        .reply("fuxi", Reply::saying("There is a team."));
    let world = World::empty(models);
    world.put(".minds/llm.yaml", LLM);
    let mut running = world.start().await;
    running.talk_to("fuxi", "Make a team of one.").await.expect("a dialog");
    let seen = world.models.requests();
    let result = |at: usize, call: &str| {
        let found = super::result_of(&seen[at], call);
        found.unwrap_or_else(|| panic!("no result of {call}")).to_owned()
    };
    assert!(result(1, "a").contains("toolsets"), "{}", result(1, "a"));
    assert!(result(2, "b").contains("in order"), "{}", result(2, "b"));
    assert!(result(3, "c").contains("lead"), "{}", result(3, "c"));
    let wrong = |event: &DriverEvent| {
        let DriverEvent::Problems(problems) = event else { return false };
        problems.iter().any(|problem| problem.id == "team/wrong-type/lead/toolsets")
    };
    assert!(running.seen.iter().any(wrong), "reported before the next generation");
    assert_eq!(running.problems(), [""; 0]);
}
