//! Prompts of MCP servers, as a person puts them into a draft. Without `python3` they are skipped.

use dominds_tui::domain::{DialogId, PromptArgument, PromptCall, ServerPrompt};
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::{Command, DriverEvent};

use super::mcp::{problems, python};
use super::mcp_resources::world;
use crate::common::{Running, World};

/// The second page leads back to the first.
const PROMPTS: &str = r#"{
    "pages": [
        {"prompts": [
            {"name": "review", "description": "Reads\n\u001b[31mit", "arguments": [
                {"name": "path", "required": true},
                {"name": "style", "description": "How"}
            ]},
            {"name": "review"},
            {"name": 3},
            {"name": "secret"}
        ], "nextCursor": "1"},
        {"prompts": [
            {"name": "odd", "arguments": "none"},
            {"name": "empty"},
            {"name": "crash"}
        ], "nextCursor": "0"}
    ],
    "texts": {
        "review": [
            {"role": "user", "content": {"type": "text", "text": "Read it.\u001b[2J"}},
            {"role": "assistant", "content": {
                "type": "resource", "resource": {"uri": "docs://a", "blob": "AA=="}
            }},
            {"content": "Then write."}
        ],
        "empty": [],
        "crash": "crash"
    }
}"#;

const REVIEW: &str =
    "Read it.[2J\n\n[docs://a (1 B): left out, it cannot be shown here]\n\nThen write.";

fn saying(replies: usize) -> Sequence {
    let models = Sequence::new();
    (0..replies).fold(models, |models, _| models.reply("lead", Reply::saying("Well.")))
}

async fn listed(running: &mut Running) -> Vec<ServerPrompt> {
    running.send(Command::Prompts).await;
    loop {
        if let DriverEvent::Prompts(prompts) = running.event().await {
            return prompts;
        }
    }
}

/// The text of a prompt, or why there is none.
async fn made(running: &mut Running, dialog: &DialogId, name: &str) -> Result<String, String> {
    const TICKET: u64 = 9_000;
    let call = PromptCall {
        server: "s".to_owned(),
        name: name.to_owned(),
        arguments: [("path".to_owned(), "a.rs".to_owned())].into(),
    };
    running.send(Command::Prompt { ticket: TICKET, dialog: dialog.clone(), call }).await;
    loop {
        match running.event().await {
            DriverEvent::Prompt { ticket: TICKET, text } => return Ok(text),
            DriverEvent::Refused { ticket: TICKET, text } => return Err(text.to_string()),
            _ => {}
        }
    }
}

fn journal(world: &World) -> String {
    std::fs::read_to_string(world.path().join("journal")).unwrap_or_default()
}

fn ids(running: &Running) -> Vec<String> {
    problems(running).into_iter().map(|problem| problem.id).collect()
}

#[tokio::test]
async fn prompts_that_the_entry_lets_through_are_made_for_a_person_and_lease_nothing() {
    if !python() {
        return;
    }
    let rules = "prompts: { blacklist: ['secret*'], transform: [{ prefix: p_ }] }";
    let world = world(saying(2), rules);
    world.put("prompts.json", PROMPTS);
    let mut running = world.start().await;
    let found = listed(&mut running).await;
    let names: Vec<String> = found.iter().map(ServerPrompt::id).collect();
    assert_eq!(names, ["s:p_review", "s:p_odd", "s:p_empty", "s:p_crash"]);
    assert_eq!(found[0].description, "Reads [31mit");
    let argument = |name: &str, description: &str, required| PromptArgument {
        name: name.to_owned(),
        description: description.to_owned(),
        required,
    };
    assert_eq!(found[0].arguments, [argument("path", "", true), argument("style", "How", false)]);
    let dialog = running.talk("Go").await;
    assert_eq!(made(&mut running, &dialog, "p_review").await.as_deref(), Ok(REVIEW));
    for (name, why) in [
        ("review", "no server offers this prompt"),
        ("p_secret", "no server offers this prompt"),
        ("p_odd", "there is no such prompt"),
        ("p_empty", "it has no messages"),
    ] {
        let refused = made(&mut running, &dialog, name).await;
        assert!(refused.as_ref().is_err_and(|text| text.contains(why)), "{name}: {refused:?}");
    }
    running.say(&dialog, "More").await.expect("heard");
    running.quiet().await;
    assert!(world.dialog(&dialog).reminders.is_empty());
    let journal = journal(&world);
    assert_eq!(journal.matches("starts").count(), 1, "{journal}");
    assert!(journal.contains(r#"makes review {"path": "a.rs"}"#), "{journal}");
    assert_eq!(ids(&running), ["mcp/prompts/s"], "the list has no end");
    running.shut_down().await;
}

#[tokio::test]
async fn without_the_key_or_without_prompts_none_is_asked_for() {
    if !python() {
        return;
    }
    for (keys, file, expected) in
        [("", PROMPTS, &[][..]), ("prompts: {}", "null", &["mcp/prompts/s"])]
    {
        let world = world(saying(1), keys);
        world.put("prompts.json", file);
        let mut running = world.start().await;
        assert_eq!(listed(&mut running).await, []);
        running.talk("Go").await;
        assert_eq!(ids(&running), expected, "{keys}");
        assert!(!journal(&world).contains("lists prompts"), "{keys}");
        running.shut_down().await;
    }
}

#[tokio::test]
async fn a_server_that_ends_while_it_makes_a_text_is_started_anew_for_the_next() {
    if !python() {
        return;
    }
    let world = world(saying(1), "prompts: {}");
    world.put("prompts.json", PROMPTS);
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    let ended = made(&mut running, &dialog, "crash").await;
    assert!(ended.as_ref().is_err_and(|text| text.contains("gave no text")), "{ended:?}");
    assert_eq!(made(&mut running, &dialog, "review").await.as_deref(), Ok(REVIEW));
    running.shut_down().await;
}
