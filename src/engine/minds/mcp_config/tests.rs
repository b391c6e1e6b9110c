//! Valid and invalid `mcp.yaml` files.

use super::read::read;
use super::*;
use crate::samples::assert_translated;

const COMPLETE: &str = "\
version: 1
servers:
  files:
    truely-stateless: true
    command: npx
    args: [-y, server, 8080]
    cwd: sub
    env: { NAME: literal, OTHER: { env: HOST_VAR } }
    tools: { whitelist: [read_*], blacklist: ['*'] }
    transform: [{ prefix: x_ }, { prefix: { remove: a_, add: b_ } }, { suffix: _y }]
  web:
    transport: streamable_http
    url: https://example.com/mcp
    headers: { Authorization: { env: TOKEN } }
    sessionId: ''
";

fn text(text: &str) -> String {
    text.to_owned()
}

#[test]
fn a_complete_file_is_read() {
    let file = read(COMPLETE);
    assert_eq!((file.problems.as_slice(), file.broken), (&[][..], false));
    let program = StdioServer {
        command: text("npx"),
        args: vec![text("-y"), text("server"), text("8080")],
        cwd: text("sub"),
        env: vec![
            (text("NAME"), ValueSource::Literal(text("literal"))),
            (text("OTHER"), ValueSource::env("HOST_VAR")),
        ],
    };
    let files = McpServer {
        stateless: true,
        transport: Transport::Stdio(program),
        filter: ToolFilter { whitelist: vec![text("read_*")], blacklist: vec![text("*")] },
        name_rules: vec![
            NameRule::Prefix(text("x_")),
            NameRule::Replace { remove: text("a_"), add: text("b_") },
            NameRule::Suffix(text("_y")),
        ],
        resources: None,
        prompts: None,
    };
    let headers = vec![(text("Authorization"), ValueSource::env("TOKEN"))];
    let web = McpServer {
        stateless: false,
        transport: Transport::Http(HttpServer { url: text("https://example.com/mcp"), headers }),
        filter: ToolFilter::default(),
        name_rules: Vec::new(),
        resources: None,
        prompts: None,
    };
    let declared = |id: &str, line, server| ServerEntry {
        id: text(id),
        line: Some(line),
        server: Some(server),
        manual: None,
    };
    assert_eq!(file.servers, [declared("files", 3, files), declared("web", 11, web)]);
}

#[test]
fn the_consent_text_has_all_details_of_a_server_in_one_line() {
    let shown: Vec<String> = read(COMPLETE)
        .servers
        .into_iter()
        .filter_map(|declared| Some(declared.server?.transport.to_string()))
        .collect();
    assert_eq!(
        shown,
        [
            r#"starts "npx" "-y" "server" "8080" in "sub" with {"NAME":"literal","OTHER":{"env":"HOST_VAR"}}"#,
            r#"talks to "https://example.com/mcp" with {"Authorization":{"env":"TOKEN"}}"#,
        ]
    );
}

#[test]
fn a_header_may_have_a_text_before_the_value_of_a_variable() {
    let header = "{ prefix: 'Bearer ', env: TOKEN }";
    let file =
        read(&format!("servers:\n  s: {{ url: 'https://a.b', headers: {{ A: {header} }} }}\n"));
    assert!(file.problems.is_empty(), "{:?}", file.problems);
    let transport = file.servers[0].server.clone().unwrap().transport;
    let expected = ValueSource::Env { prefix: text("Bearer "), variable: text("TOKEN") };
    assert_eq!(transport.values(), [(text("A"), expected)]);
    let shown = transport.to_string();
    assert!(shown.contains(r#"{"A":{"prefix":"Bearer ","env":"TOKEN"}}"#), "{shown}");
}

#[test]
fn the_summary_of_a_server_has_no_secrets() {
    let text =
        "servers: { a: { command: x, args: [--key, abc] }, b: { url: 'https://h/p?key=abc' } }";
    let short = read(text).servers.into_iter().filter_map(|d| Some(d.server?.transport.summary()));
    assert_eq!(short.collect::<Vec<_>>(), [r#"starts "x""#, r#"talks to "https://h/p""#]);
}

#[test]
fn k10_a_broken_entry_is_reported_with_its_line_and_only_that_server_is_skipped() {
    for (entry, id, line, fix) in [
        ("s: 3", "mcp/wrong-type/s", 2, "`command`"),
        (
            "s: { transport: sdtio, command: x }",
            "mcp/transport/s/transport",
            2,
            "did you mean `stdio`",
        ),
        ("s: {}", "mcp/no-command/s/command", 2, "program"),
        ("s: { command: 3 }", "mcp/wrong-type/s/command", 2, "a string"),
        ("s: { transport: streamable_http }", "mcp/no-url/s/url", 2, "https://"),
        ("s: { url: 'ftp://x' }", "mcp/no-url/s/url", 2, "https://"),
        ("s: { command: x, args: y }", "mcp/wrong-type/s/args", 2, "list"),
        ("s: { command: x, env: [A] }", "mcp/wrong-type/s/env", 2, "HOST_VARIABLE"),
        (
            "s:\n    command: x\n    env:\n      A: [1]",
            "mcp/wrong-type/s/env/A",
            5,
            "HOST_VARIABLE",
        ),
        ("s: { command: x, tools: [a] }", "mcp/wrong-type/s/tools", 2, "whitelist"),
        ("s: { command: x, transform: [{ infix: a }] }", "mcp/transform/s/transform", 2, "suffix"),
        ("s: { command: x, truely-stateless: 1 }", "mcp/wrong-type/s/truely-stateless", 2, "true"),
        ("a.b: { command: x }", "mcp/name/a.b", 2, "letters"),
        ("s: { command: x, enabled: 'no' }", "mcp/wrong-type/s/enabled", 2, "true"),
        (
            "s: { command: x, disabled: true }",
            "mcp/restricting-key/s/disabled",
            2,
            "enabled: false",
        ),
        (
            "s: { command: x, enabledTools: [] }",
            "mcp/restricting-key/s/enabledTools",
            2,
            "whitelist",
        ),
        (
            "s: { url: 'http://x', headers: { A: { prefix: 7, env: B } } }",
            "mcp/wrong-type/s/headers/A",
            2,
            "prefix",
        ),
        (
            "s: { url: 'http://x', headers: { A: { prefix: 'Bearer ', env: '' } } }",
            "mcp/wrong-type/s/headers/A",
            2,
            "prefix",
        ),
        (
            "s: { url: 'http://x', headers: { A: { prefix: '${vault:K}', env: B } } }",
            "mcp/reference/s/headers/A",
            2,
            "nothing else",
        ),
        (
            "s: { command: x, tools: { transform: [{ infix: a }] } }",
            "mcp/transform/s/tools/transform",
            2,
            "suffix",
        ),
    ] {
        let file = read(&format!("servers:\n  {entry}\n  other: {{ command: x }}\n"));
        let found: Vec<_> = file.problems.iter().map(|p| (p.id.as_str(), p.line)).collect();
        assert_eq!(found, [(id, Some(line))], "{entry}");
        assert!(file.problems[0].fix.to_string().contains(fix), "{entry}: {}", file.problems[0]);
        let usable: Vec<bool> = file.servers.iter().map(|d| d.server.is_some()).collect();
        assert_eq!((usable, file.broken), (vec![false, true], false), "{entry}");
    }
}

#[test]
fn a_harmless_problem_is_reported_and_the_server_is_used() {
    for (top, entry, id, fix) in [
        (
            "",
            "url: 'http://x', headers: { X-Api-Key: abc }",
            "mcp/secret/s/headers/X-Api-Key",
            "{ env: NAME }",
        ),
        ("", "comand: y, command: x", "mcp/unknown-key/s/comand", "did you mean `command`"),
        (
            "",
            "command: x, env: { A: { prefix: 'Bearer ', env: B } }",
            "mcp/unknown-key/s/env/A/prefix",
            "remove",
        ),
        (
            "",
            "url: 'http://x', headers: { A: { default: b, env: B } }",
            "mcp/unknown-key/s/headers/A/default",
            "remove",
        ),
        ("", "command: x, sessionId: abc", "mcp/session/s/sessionId", "remove"),
        (
            "",
            "command: x, tools: { whitlist: [] }",
            "mcp/unknown-key/s/tools/whitlist",
            "`whitelist`",
        ),
        (
            "",
            "command: x, resources: { skills: { enabled: true } }",
            "mcp/unused-key/s/resources/skills",
            "only tools",
        ),
        ("verison: 1\n", "command: x", "mcp/unknown-key/verison", "`version`"),
        ("version: 2\n", "command: x", "mcp/version", "version: 1"),
    ] {
        let file = read(&format!("{top}servers:\n  s: {{ {entry} }}\n"));
        let found: Vec<&str> = file.problems.iter().map(|problem| problem.id.as_str()).collect();
        assert_eq!(found, [id], "{entry}");
        assert!(file.problems[0].fix.to_string().contains(fix), "{}", file.problems[0]);
        assert!(file.servers[0].server.is_some(), "{entry}");
    }
}

#[test]
fn a_server_that_is_not_enabled_is_known_by_its_name_alone() {
    let file = read(
        "servers:\n  off: { command: x, enabled: false, env: { A_TOKEN: abc } }\n  bad: { enabled: false }\n  on: { command: x, enabled: true }\n",
    );
    let ids: Vec<&str> = file.servers.iter().map(|declared| declared.id.as_str()).collect();
    assert_eq!(ids, ["on"]);
    assert_eq!(file.ids().collect::<Vec<_>>(), ["on", "off", "bad"], "no toolset is unknown");
    assert_eq!(file.literal_secrets().collect::<Vec<_>>(), ["abc"]);
}

#[test]
fn tools_are_renamed_by_either_form_of_transform() {
    let rules = |entry: &str| {
        let mut file = read(&format!("servers: {{ s: {{ command: x, {entry} }} }}"));
        assert_eq!(file.problems, [], "{entry}");
        file.servers.remove(0).server.unwrap().name_rules
    };
    let (a, b) = (NameRule::Prefix(text("a_")), NameRule::Prefix(text("b_")));
    assert_eq!(rules("tools: { transform: [{ prefix: a_ }] }"), std::slice::from_ref(&a));
    let both = "transform: [{ prefix: a_ }], tools: { transform: [{ prefix: b_ }] }";
    assert_eq!(rules(both), [a, b]);
}

#[test]
fn an_empty_file_has_no_servers_and_a_broken_one_is_marked() {
    for (text, broken, problems) in [
        ("", false, 0),
        ("version: 1\n", false, 0),
        ("servers: [", true, 1),
        ("[]", true, 1),
        ("servers: 3", true, 1),
    ] {
        let file = read(text);
        assert_eq!(
            (file.broken, file.problems.len(), file.servers.len()),
            (broken, problems, 0),
            "{text}"
        );
    }
}

#[test]
fn s15_6_a_secret_of_a_vault_is_shown_by_its_names_and_another_value_is_another_configuration() {
    let env = "{ A: '${vault:KEY}', B: '${vault:db/pass@ops}' }";
    let file = read(&format!("servers:\n  s: {{ command: x, env: {env} }}\n"));
    assert!(file.problems.is_empty(), "{:?}", file.problems);
    let transport = file.servers[0].server.clone().unwrap().transport;
    let vault = |team: &str, key: &str, version| ValueSource::Vault {
        team: text(team),
        key: text(key),
        version,
    };
    let values = [(text("A"), vault("main", "KEY", 0)), (text("B"), vault("ops", "db/pass", 0))];
    assert_eq!(transport.values(), values);
    let shown = transport.masked();
    assert!(shown.contains(r#""A":"${vault:KEY@main}","B":"${vault:db/pass@ops}""#), "{shown}");
    let version = |team: &str, _: &str| (team == "main").then_some(7);
    let newer = transport.clone().with_versions(&version);
    assert_eq!(newer.values()[0].1, vault("main", "KEY", 7));
    assert_ne!(newer, transport, "the server is started anew");
    assert_eq!(newer.to_string(), transport.to_string(), "but nothing is agreed to anew");
}

#[test]
fn s15_2_a_server_whose_value_has_a_reference_inside_other_text_is_left_out() {
    for value in ["Bearer ${vault:KEY}", "${vault:KEY}${vault:KEY}", "${vault:}", "${vault:KEY"] {
        for (key, rest) in [("env", "command: x"), ("headers", "url: 'https://a.b'")] {
            let entry = format!("{rest}, {key}: {{ A: '{value}' }}");
            let file = read(&format!("servers:\n  s: {{ {entry} }}\n  t: {{ command: x }}\n"));
            let used: Vec<bool> = file.servers.iter().map(|one| one.server.is_some()).collect();
            assert_eq!(used, [false, true], "{entry}");
            assert_eq!(file.problems.len(), 1, "{:?}", file.problems);
            let problem = &file.problems[0];
            assert_eq!(problem.id, format!("mcp/reference/s/{key}/A"), "{entry}");
            assert_translated(&problem.text);
            assert_translated(&problem.fix);
        }
    }
    let file = read("servers:\n  s: { command: x, env: { A: '$vault:KEY', B: 'vault:KEY' } }\n");
    assert!(file.problems.is_empty(), "other texts stay as they are: {:?}", file.problems);
}

#[test]
fn a_part_that_is_not_used_is_a_warning_and_one_of_a_wrong_form_leaves_the_server_out() {
    let used = |entry: &str| {
        let file = read(&format!("servers:\n  s: {{ command: x, {entry} }}\n"));
        let problems: Vec<(String, bool)> = file
            .problems
            .iter()
            .map(|one| (one.id.clone(), one.severity == crate::domain::Severity::Warning))
            .collect();
        (file.servers[0].server.is_some(), problems)
    };
    let unused = |part: &str| (format!("mcp/unused-key/s/{part}"), true);
    for (entry, expected) in [
        ("prompts: { whitelist: [a], transform: [{ prefix: p_ }] }", Vec::new()),
        (
            "resources: { mimeTypes: [text/plain], maxBytes: 9, skills: { enabled: false } }",
            Vec::new(),
        ),
        ("resources: { skills: { enabled: true } }", vec![unused("resources/skills")]),
        ("resources: { more: 1 }", vec![("mcp/unknown-key/s/resources/more".to_owned(), true)]),
    ] {
        assert_eq!(used(entry), (true, expected), "{entry}");
    }
    for (entry, id) in [
        ("prompts: [a]", "mcp/wrong-type/s/prompts"),
        ("prompts: { whitelist: a }", "mcp/wrong-type/s/prompts/whitelist"),
        ("resources: { transform: [{ infix: a }] }", "mcp/transform/s/resources/transform"),
        ("resources: { maxBytes: 0 }", "mcp/wrong-type/s/resources/maxBytes"),
        ("resources: { skills: { enabled: 1 } }", "mcp/wrong-type/s/resources/skills/enabled"),
    ] {
        assert_eq!(used(entry), (false, vec![(id.to_owned(), false)]), "{entry}");
    }
}

#[test]
fn the_resources_of_an_entry_have_a_transform_of_their_own_or_its() {
    let rules = |more: &str| {
        let entry = format!("command: x, transform: [{{ prefix: a_ }}], resources: {more}");
        let mut file = read(&format!("servers: {{ s: {{ {entry} }} }}"));
        assert_eq!(file.problems, [], "{more}");
        file.servers.remove(0).server.unwrap().resources
    };
    let of = |prefix: &str| vec![NameRule::Prefix(text(prefix))];
    assert_eq!(rules("null"), None);
    let inherited = ResourceRules { name_rules: of("a_"), ..ResourceRules::default() };
    assert_eq!(rules("{}"), Some(inherited));
    let all = "{ transform: [{ prefix: b_ }], blacklist: [c], mimeTypes: [d/e], maxBytes: 9 }";
    let expected = ResourceRules {
        filter: ToolFilter { whitelist: Vec::new(), blacklist: vec![text("c")] },
        name_rules: of("b_"),
        mime_types: vec![text("d/e")],
        max_bytes: Some(9),
    };
    assert_eq!(rules(all), Some(expected));
}

#[test]
fn an_address_that_is_made_leads_neither_around_a_blacklist_nor_out_of_a_whitelist() {
    let list = |patterns: &[&str]| patterns.iter().map(|&pattern| text(pattern)).collect();
    let rules = |whitelist: &[&str], blacklist: &[&str]| {
        let filter = ToolFilter { whitelist: list(whitelist), blacklist: list(blacklist) };
        ResourceRules { filter, ..ResourceRules::default() }
    };
    let black = rules(&[], &["f:///b/*"]);
    for (rules, address, plain, expected) in [
        (&black, "f:///a%2Fb", "f:///a/b", true),
        (&black, "f:///b%2Fc", "f:///b/c", false),
        (&black, "f:///./b/c", "f:///./b/c", false),
        (&black, "f:////b/c", "f:////b/c", false),
        (&rules(&["f:///a/*"], &[]), "f:///a/../b", "f:///a/../b", false),
        (&rules(&["f:///{p}"], &[]), "f:///b", "f:///b", true),
        (&rules(&[], &[]), "f:///../b", "f:///../b", true),
    ] {
        assert_eq!(rules.allows_made(address, plain), expected, "{rules:?} {address}");
    }
}

#[test]
fn the_prompts_of_an_entry_are_wanted_only_with_the_key_and_have_its_transform() {
    let prompts = |more: &str| {
        let entry = format!("command: x, transform: [{{ prefix: a_ }}], prompts: {more}");
        let file = read(&format!("servers: {{ s: {{ {entry} }} }}"));
        assert_eq!(file.problems, [], "{more}");
        let found = file.servers[0].server.clone().unwrap().prompts;
        assert_eq!(file.has_prompts(), found.is_some());
        found
    };
    let of = |prefix: &str, blacklist| PromptRules {
        filter: ToolFilter { whitelist: Vec::new(), blacklist },
        name_rules: vec![NameRule::Prefix(text(prefix))],
    };
    assert_eq!(prompts("null"), None);
    assert_eq!(prompts("{}"), Some(of("a_", Vec::new())));
    let own = "{ transform: [{ prefix: b_ }], blacklist: [c] }";
    assert_eq!(prompts(own), Some(of("b_", vec![text("c")])));
}

#[test]
fn a_manual_is_a_text_or_has_parts_and_a_file() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join(".minds")).unwrap();
    std::fs::write(dir.path().join("use.md"), "From the file.\n").unwrap();
    for (manual, expected, faults) in [
        ("Ask first.", Some("Ask first."), 0),
        ("{ content: Ask first., contentFile: use.md }", Some("Ask first.\n\nFrom the file."), 0),
        ("{ content: A, sections: { When: always } }", Some("A\n\n## When\n\nalways"), 0),
        ("{ sections: [{ title: When, content: always }] }", Some("## When\n\nalways"), 0),
        ("{ content: A, contentFile: ../secret }", Some("A"), 1),
        ("{ contentFile: absent.md }", None, 1),
        ("{ content: [1] }", None, 1),
        ("3", None, 1),
    ] {
        let text = format!("servers:\n  s:\n    command: x\n    manual: {manual}\n");
        std::fs::write(dir.path().join(PATH), text).unwrap();
        let file = McpFile::load(dir.path());
        let found: Vec<(&str, &str)> = file.manuals().collect();
        assert_eq!(found, expected.map(|text| ("s", text)).into_iter().collect::<Vec<_>>());
        assert_eq!(file.problems.len(), faults, "{manual}: {:?}", file.problems);
        assert!(file.servers.iter().all(|entry| entry.server.is_some()), "{manual}");
    }
}
