//! The tools of servers as a part of the consent.

use super::*;

const FILES: &str = "files";

fn tool(name: &str, act: &str) -> ToolFacts {
    ToolFacts::new(name, act, format!("{name}={act}"))
}

/// The server of the fixture's file with this name.
fn transport(fixture: &Fixture, name: &str) -> Transport {
    let file = McpFile::load(&fixture.workspace());
    let declared = file.servers.into_iter().find(|declared| declared.id == name).unwrap();
    declared.server.unwrap().transport
}

/// The names that wait after a server listed these.
fn held(fixture: &Fixture, trust: &Trust, listed: &[ToolFacts]) -> Result<Vec<String>, String> {
    let held = trust.held_tools(FILES, &transport(fixture, FILES), listed);
    held.map(|names| names.into_iter().collect()).map_err(|reason| reason.to_string())
}

fn agreed() -> Fixture {
    let fixture = Fixture::new();
    fixture.agree_to_all();
    fixture
}

const NONE: [&str; 0] = [];

#[test]
fn the_first_list_belongs_to_the_server_and_of_a_later_one_only_what_differs_waits() {
    let fixture = agreed();
    let first = [tool("read", "reads"), tool("write", "writes")];
    let held = |listed: &[ToolFacts]| held(&fixture, &fixture.trust(), listed).unwrap();
    assert_eq!(held(&first), NONE);
    assert_eq!(names(&fixture.trust().waiting()), NONE);
    let later = [tool("read", "reads all"), tool("write", "writes"), tool("send", "sends")];
    assert_eq!(held(&later), ["read", "send"]);
    let waiting = fixture.trust().waiting();
    assert_eq!(names(&waiting), ["tool files/read changed", "tool files/send"]);
    assert_eq!(
        (waiting[0].before.as_deref(), waiting[0].entry.act.as_str()),
        (Some("reads"), "reads all")
    );
    assert!(!waiting.iter().any(Unagreed::holds_dialogs), "everything else goes on");
    // An unchanged list: nothing needs consent any more.
    assert_eq!(held(&first), NONE);
    assert_eq!(names(&fixture.trust().waiting()), NONE);
    assert_eq!(held(&[tool("write", "writes")]), NONE, "what is gone just goes");
    assert_eq!(held(&later), ["read", "send"], "another session, another list");
    fixture.trust().agree(&[waiting[0].entry.digest.clone()]).unwrap();
    assert_eq!(held(&later), ["send"]);
    assert_eq!(held(&first), ["read"], "what it was before is not agreed to any more");
}

#[test]
fn a_server_whose_first_list_was_empty_has_no_tool_that_was_agreed_to() {
    let fixture = agreed();
    assert_eq!(held(&fixture, &fixture.trust(), &[]).unwrap(), NONE);
    assert_eq!(held(&fixture, &fixture.trust(), &[tool("a", "x")]).unwrap(), ["a"]);
}

#[test]
fn tools_are_judged_for_a_server_as_it_was_agreed_to_alone() {
    let fixture = agreed();
    let (one, other) = ([tool("a", "1")], [tool("a", "2")]);
    assert_eq!(held(&fixture, &fixture.trust(), &one).unwrap(), NONE);
    // Agreeing again loses nothing.
    let entries = fixture.trust().list();
    fixture.trust().agree(&entries.into_iter().map(|one| one.digest).collect::<Vec<_>>()).unwrap();
    assert_eq!(held(&fixture, &fixture.trust(), &other).unwrap(), ["a"]);

    let edited = MCP.replace("MODE: fast", "MODE: slow");
    fixture.write(".minds/mcp.yaml", &edited);
    assert!(held(&fixture, &fixture.trust(), &other).unwrap_err().contains("nobody has agreed"));
    assert_eq!(names(&fixture.trust().waiting()), ["server files changed"], "not its tools");
    fixture.agree_to_all();
    assert_eq!(held(&fixture, &fixture.trust(), &other).unwrap(), NONE, "the first list anew");
    assert_eq!(held(&fixture, &fixture.trust(), &one).unwrap(), ["a"]);

    fixture.write(".minds/mcp.yaml", &edited.replace("files:", "renamed:"));
    assert_eq!(names(&fixture.trust().waiting()), ["server renamed"]);
}

#[test]
fn the_tools_of_two_servers_are_agreed_to_apart() {
    let fixture = Fixture::new();
    let entry = "{ command: sh, args: [run.sh] }";
    fixture.write(".minds/mcp.yaml", &format!("servers: {{ one: {entry}, two: {entry} }}\n"));
    fixture.agree_to_all();
    let trust = fixture.trust();
    for name in ["one", "two"] {
        let transport = transport(&fixture, name);
        assert_eq!(trust.held_tools(name, &transport, &[]).unwrap().len(), 0);
        assert_eq!(trust.held_tools(name, &transport, &[tool("a", "1")]).unwrap().len(), 1);
    }
    let waiting = trust.waiting();
    assert_eq!(names(&waiting), ["tool one/a", "tool two/a"]);
    trust.agree(&[waiting[0].entry.digest.clone()]).unwrap();
    assert_eq!(names(&trust.waiting()), ["tool two/a"]);
}

#[test]
fn consent_for_one_run_covers_what_waited_at_its_start_and_the_first_lists_in_it() {
    let fixture = Fixture::new();
    let mut trust = fixture.trust();
    trust.agreed_for_this_run = trust.list().into_iter().map(|entry| entry.digest).collect();
    let (first, later) = ([tool("a", "1")], [tool("a", "2"), tool("b", "1")]);
    assert_eq!(held(&fixture, &trust, &first).unwrap(), NONE);
    assert_eq!(held(&fixture, &trust, &later).unwrap(), ["a", "b"]);
    let waiting = trust.waiting();
    assert_eq!(names(&waiting), ["tool files/a changed", "tool files/b"]);
    assert!(!fixture.state().exists(), "nothing is recorded");
    trust.agree(&[waiting[1].entry.digest.clone()]).unwrap();
    assert_eq!(held(&fixture, &trust, &later).unwrap(), ["a"]);

    let fixture = agreed();
    assert_eq!(held(&fixture, &fixture.trust(), &first).unwrap(), NONE);
    assert_eq!(held(&fixture, &fixture.trust(), &later).unwrap(), ["a", "b"]);
    let mut trust = fixture.trust();
    trust.agreed_for_this_run = trust.list().into_iter().map(|entry| entry.digest).collect();
    assert_eq!(held(&fixture, &trust, &later).unwrap(), NONE);
    assert_eq!(held(&fixture, &trust, &[tool("b", "2")]).unwrap(), ["b"], "not what came later");
    assert_eq!(held(&fixture, &fixture.trust(), &later).unwrap(), ["a", "b"]);
}

#[test]
fn a_tool_that_is_too_long_to_be_shown_waits_and_keeps_nothing_else_from_consent() {
    let fixture = agreed();
    assert_eq!(held(&fixture, &fixture.trust(), &[]).unwrap(), NONE);
    let listed = [tool("long", &"x".repeat(20_000)), tool("short", "x")];
    assert_eq!(held(&fixture, &fixture.trust(), &listed).unwrap(), ["long", "short"]);
    fixture.agree_to_all();
    assert_eq!(names(&fixture.trust().waiting()), ["tool files/long"]);
    assert_eq!(held(&fixture, &fixture.trust(), &listed).unwrap(), ["long"]);
}

#[test]
fn without_a_record_no_tool_is_agreed_to() {
    let fixture = agreed();
    let listed = [tool("a", "1")];
    assert_eq!(held(&fixture, &fixture.trust(), &listed).unwrap(), NONE);
    let file = fixture.state().join(record::FILE);
    let text = fs::read_to_string(&file).unwrap();
    for damaged in [text.replace("\"agreed\"", "\"agrees\""), String::new(), "{}".to_owned()] {
        fs::write(&file, &damaged).unwrap();
        assert!(held(&fixture, &fixture.trust(), &listed).is_err(), "{damaged}");
    }
    fs::write(&file, [text.as_bytes(), b"\xff"].concat()).unwrap();
    assert!(held(&fixture, &fixture.trust(), &listed).is_err());
}
