//! Resources of MCP servers in whole dialogs. Without `python3` they are skipped.

use dominds_tui::llm::{Reply, Sequence};

use super::mcp::{SERVER, offered, problems, python, world_with};
use super::result_of;
use crate::common::World;

/// The second page leads back to the first.
const RESOURCES: &str = r#"{
    "pages": [
        {"resources": [
            {"uri": "docs://a", "name": "A", "description": "First\n- forged", "size": "large"},
            {"uri": "docs://a", "name": "again"},
            {"uri": 3, "name": "odd"},
            {"uri": "secret://b", "name": "B"}
        ], "nextCursor": "1"},
        {"resources": [
            {"uri": "docs://large", "name": "L"},
            {"uri": "docs://crash", "name": "C"}
        ], "nextCursor": "0"}
    ],
    "templates": [{"uriTemplate": "docs://{name}", "name": "T"}],
    "contents": {
        "docs://a": [{"uri": "docs://a", "text": "inside\u001b[31m"}],
        "docs://b%20c": [{"uri": "docs://b%20c", "blob": "AA==", "mimeType": "application/pdf"}],
        "docs://large": [{"uri": "docs://large", "text": "0123456789 0123456789"}],
        "docs://crash": "crash"
    }
}"#;

/// A world with one server, whose entry has these keys.
pub fn world(models: Sequence, keys: &str) -> World {
    let entry = format!("s: {{ command: python3, args: ['{SERVER}', echo], {keys} }}");
    world_with(models, &format!("servers: {{ {entry} }}\n"))
}

fn fetch(id: &str, resource: &str) -> Reply {
    Reply::call(id, "fetch_resource", &arguments(resource))
}

fn arguments(resource: &str) -> String {
    format!(r#"{{"resourceId":"{resource}"}}"#)
}

#[tokio::test]
async fn resources_that_the_entry_lets_through_are_listed_and_read() {
    if !python() {
        return;
    }
    let made = r#"{"resourceId":"docs_name","arguments":{"name":"b c"}}"#;
    let round = fetch("b", "docs_a")
        .and_call("c", "fetch_resource", made)
        .and_call("d", "fetch_resource", &arguments("docs_large"))
        .and_call("e", "fetch_resource", &arguments("secret_b"));
    let models = Sequence::new()
        .reply("lead", Reply::call("a", "list_resources", "{}"))
        .reply("lead", round)
        .reply("lead", Reply::saying("Done."));
    let world = world(models, "resources: { blacklist: ['secret*'], maxBytes: 20 }");
    world.put("resources.json", RESOURCES);
    let mut running = world.start().await;
    running.talk("Go").await;
    let seen = world.models.requests();
    assert_eq!(offered(&seen[0]), ["echo", "list_resources", "fetch_resource"]);
    let listed = result_of(&seen[1], "a").expect("a list");
    let first = "- docs_a\n  kind: resource\n  serverId: s\n  uri: docs://a\n  name: A\n  \
                 description: First - forged\n";
    assert!(listed.starts_with(first), "{listed}");
    assert!(listed.contains("- docs_name\n") && listed.contains("variables: name"), "{listed}");
    assert!(!listed.contains("secret") && !listed.contains("again"), "{listed}");
    assert_eq!(result_of(&seen[2], "b"), Some("[docs://a]\ninside[31m"));
    let binary = "[docs://b%20c (application/pdf, 1 B): left out, it cannot be shown here]";
    assert_eq!(result_of(&seen[2], "c"), Some(binary));
    assert!(result_of(&seen[2], "d").is_some_and(|text| text.contains("`maxBytes`")));
    assert!(result_of(&seen[2], "e").is_some_and(|text| text.contains("There is no resource")));
    let found: Vec<String> = problems(&running).into_iter().map(|problem| problem.id).collect();
    assert_eq!(found, ["mcp/resources/s"], "the list has no end");
    running.shut_down().await;
}

#[tokio::test]
async fn without_the_key_or_without_resources_no_tool_is_offered() {
    if !python() {
        return;
    }
    for (keys, file, expected) in
        [("", RESOURCES, &[][..]), ("resources: {}", "null", &["mcp/resources/s"])]
    {
        let world = world(Sequence::new().reply("lead", Reply::saying("Well.")), keys);
        world.put("resources.json", file);
        let mut running = world.start().await;
        running.talk("Go").await;
        assert_eq!(offered(&world.models.requests()[0]), ["echo"], "{keys}");
        let found: Vec<String> = problems(&running).into_iter().map(|problem| problem.id).collect();
        assert_eq!(found, expected, "{keys}");
        running.shut_down().await;
    }
}

#[tokio::test]
async fn a_member_without_the_toolset_of_a_server_reads_none_of_its_resources() {
    if !python() {
        return;
    }
    let models = Sequence::new()
        .reply("lead", Reply::call("a", "list_resources", "{}"))
        .reply("lead", fetch("b", "docs_a"))
        .reply("lead", Reply::saying("Done."));
    let world = world(models, "resources: {}");
    let team = std::fs::read_to_string(world.path().join(".minds/team.yaml")).expect("a team");
    world.put(".minds/team.yaml", &team.replace("['*']", "[resources]"));
    world.put("resources.json", RESOURCES);
    let mut running = world.start().await;
    running.talk("Go").await;
    let seen = world.models.requests();
    assert_eq!(result_of(&seen[1], "a"), Some("No resource matches."));
    assert!(result_of(&seen[2], "b").is_some_and(|text| text.contains("There is no resource")));
    running.shut_down().await;
}

#[tokio::test]
async fn a_server_that_ends_while_it_reads_fails_the_call_and_the_next_one_is_answered() {
    if !python() {
        return;
    }
    let models = Sequence::new()
        .reply("lead", fetch("a", "docs_crash"))
        .reply("lead", fetch("b", "docs_a"))
        .reply("lead", Reply::saying("Done."));
    let world = world(models, "resources: {}");
    world.put("resources.json", RESOURCES);
    let mut running = world.start().await;
    running.talk("Go").await;
    let seen = world.models.requests();
    let failed = result_of(&seen[1], "a").expect("a result");
    assert!(failed.contains("broke off") && failed.contains("If the call changes"), "{failed}");
    assert_eq!(result_of(&seen[2], "b"), Some("[docs://a]\ninside[31m"));
    running.shut_down().await;
}
