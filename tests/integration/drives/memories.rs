//! Memories and skills: a text written in one generation is in the context of the next.

use dominds_tui::domain::Lang;
use dominds_tui::llm::{Message, Reply, Request, Sequence};

use super::result_of;
use crate::common::World;

const TEAM: &str = "\
member_defaults: { provider: script, model: lead, toolsets: [ws_read, personal_memory, team_memory] }
default_responder: lead
members:
  lead: { diligence-push-max: 0 }
";

fn world(models: Sequence) -> World {
    let world = World::new(models);
    world.put(".minds/team.yaml", TEAM);
    world
}

/// Returns the memories in a request, with their indices.
fn memories(request: &Request) -> Vec<(usize, &str)> {
    let all = request.messages.iter().enumerate();
    all.filter_map(|(at, message)| match message {
        Message::Guide(text) => Some((at, text.as_str())),
        _ => None,
    })
    .collect()
}

#[tokio::test(start_paused = true)]
async fn c18_a_memory_is_in_the_context_from_the_next_generation_on() {
    let round =
        Reply::call("own", "add_personal_memory", r#"{"path":"build.md","content":"run make"}"#)
            .and_call("team", "add_team_memory", r#"{"path":"who.md","content":"ask bob"}"#);
    let again =
        Reply::call("twice", "add_personal_memory", r#"{"path":"build.md","content":"run ninja"}"#)
            .and_call("out", "add_team_memory", r#"{"path":"../x.md","content":"x"}"#);
    let drop = Reply::call("drop", "drop_team_memory", r#"{"path":"who.md"}"#);
    let models = Sequence::new()
        .reply("lead", round)
        .reply("lead", again)
        .reply("lead", drop)
        .reply("lead", Reply::saying("Done."));
    let world = world(models);
    let mut running = world.start().await;
    running.talk("Remember it").await;
    let seen = world.models.requests();
    assert_eq!(memories(&seen[0]), []);
    let shown = memories(&seen[1]);
    let [(0, team), (1, own)] = shown.as_slice() else { panic!("{shown:?}") };
    assert!(team.contains("`who.md`") && team.ends_with("\n\nask bob"), "{team}");
    assert!(own.contains("`build.md`") && own.ends_with("\n\nrun make"), "{own}");
    assert!(own.contains("`replace_personal_memory`"), "{own}");
    assert!(matches!(&seen[1].messages[2], Message::Environment(text) if text.contains("Taskdoc")));
    assert_eq!(memories(&seen[2]), shown, "unchanged files, the same bytes");
    assert!(result_of(&seen[2], "twice").is_some_and(|text| text.contains("FILE_EXISTS")));
    assert!(result_of(&seen[2], "out").is_some_and(|text| text.contains("INVALID_PATH")));
    let last = memories(&seen[3]);
    let [(0, own)] = last.as_slice() else { panic!("{last:?}") };
    assert!(own.ends_with("\n\nrun make"));
    assert!(!world.path().join(".minds/memory/x.md").exists());
}

#[tokio::test(start_paused = true)]
async fn c18_who_thinks_with_fresh_boots_has_the_memories_after_its_rule() {
    let reason = r#"{"tellaskContent":"Think again","effort":1}"#;
    let models = Sequence::new().reply("lead", Reply::call("f", "freshBootsReasoning", reason));
    let world = world(models);
    world.put(".minds/memory/team_shared/a.md", "ask bob");
    let mut running = world.start().await;
    running.talk("Go").await;
    let seen = world.models.requests();
    let [(1, memory)] = memories(&seen[1])[..] else { panic!("{:?}", seen[1].messages) };
    assert!(matches!(seen[1].messages[0], Message::Environment(_)));
    assert!(memory.ends_with("\n\nask bob") && !memory.contains("replace_team_memory"), "{memory}");
}

#[tokio::test(start_paused = true)]
async fn k07_a_skill_is_in_the_system_prompt_of_the_next_generation_in_the_work_language() {
    for (lang, own, other) in
        [(Lang::En, "Tag it first.", "先打标签。"), (Lang::Zh, "先打标签。", "Tag it first.")]
    {
        let models = Sequence::new()
            .reply("lead", Reply::saying("One."))
            .reply("lead", Reply::saying("Two."))
            .reply("lead", Reply::saying("Three."));
        let mut world = world(models);
        world.setup.lang = lang;
        let mut running = world.start().await;
        let dialog = running.talk("First").await;
        let skill = |text: &str| format!("---\nname: Release\ndescription: d\n---\n{text}\n");
        let folder = ".minds/skills/team_shared/release";
        world.put(&format!("{folder}/SKILL.en.md"), &skill("Tag it first."));
        world.put(&format!("{folder}/SKILL.cn.md"), &skill("先打标签。"));
        running.say(&dialog, "Second").await.expect("said");
        running.quiet().await;
        world.put(".minds/skills/individual/lead/release.md", &skill("Ask me."));
        running.say(&dialog, "Third").await.expect("said");
        running.quiet().await;
        let systems: Vec<String> =
            world.models.requests().into_iter().map(|request| request.system).collect();
        let [before, shared, mine] = systems.as_slice() else { panic!("three requests") };
        assert!(!before.contains(own) && !before.contains(other));
        assert!(shared.contains(own) && !shared.contains(other), "{lang:?}");
        assert!(mine.contains("Ask me.") && !mine.contains(own), "{lang:?}");
    }
}
