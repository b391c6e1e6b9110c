//! `team.yaml`: inheritance, invalid values, and their problems.

use super::*;
use crate::domain::Severity;
use crate::domain::ShellRight;

fn read_members(yaml: &str) -> (Team, Vec<Problem>) {
    read(&format!("members:\n  lead: {{}}\n{yaml}"))
}

fn member<'a>(team: &'a Team, id: &str) -> &'a Member {
    team.member(&id.into()).unwrap_or_else(|| panic!("no {id}"))
}

fn visible(team: &Team) -> Vec<&str> {
    team.visible().map(|member| member.id.as_str()).collect()
}

/// `(id, line)` of each problem.
fn ids(problems: &[Problem]) -> Vec<(&str, Option<usize>)> {
    problems.iter().map(|p| (p.id.as_str(), p.line)).collect()
}

#[test]
fn a_member_inherits_unset_keys_from_the_defaults_and_lists_replace() {
    let (team, problems) = read(
        "\
member_defaults:
  provider: local
  model: small
  toolsets: [ws_read, control]
  no_write_dirs: [docs]
  model_params: { max_tokens: 100, openai: { temperature: 0.5 } }
  fbr_model_params: { openai: { top_p: 1 } }
  streaming: false
  fbr-effort: 7
members:
  lead:
  ops:
    name: Ops
    model: big
    toolsets: [ws_mod]
    no_write_dirs: []
    model_params: { openai: { top_p: 0.9, safety_identifier: x } }
    diligence-push-max: 0
    fbr_effort: 0
",
    );
    assert_eq!(problems, []);
    let lead = member(&team, "lead");
    assert_eq!(lead.name, "lead");
    assert_eq!(lead.provider.as_deref(), Some("local"));
    assert_eq!(lead.model.as_deref(), Some("small"));
    assert_eq!(lead.toolsets, ["ws_read", "control"]);
    assert_eq!(lead.access.no_write_dirs, ["docs"]);
    assert_eq!(lead.params.max_tokens, Some(100));
    assert_eq!(lead.params.temperature, Some(0.5));
    assert_eq!(lead.fbr_params.temperature, Some(0.5));
    assert_eq!(lead.fbr_params.top_p, Some(1.0));
    assert_eq!((lead.fbr_effort, lead.diligence_push_max), (7, 3));
    assert!(!lead.streaming && !lead.hidden && lead.shell == ShellRight::No);
    let ops = member(&team, "ops");
    assert_eq!(ops.model.as_deref(), Some("big"));
    assert_eq!(ops.toolsets, ["ws_mod"]);
    assert_eq!(ops.access.no_write_dirs, Vec::<String>::new());
    assert_eq!(ops.params.max_tokens, None);
    assert_eq!(ops.params.extra.get("safety_identifier"), Some(&Value::from("x")));
    assert_eq!(ops.params.safety_identifier.as_deref(), Some("x"));
    assert_eq!((ops.fbr_effort, ops.diligence_push_max), (0, 0));
    assert_eq!(team.default_responder(), Some(&"lead".into()));
}

#[test]
fn an_unreadable_file_gives_the_hidden_members_and_a_problem() {
    for (text, line) in [("members: [", true), ("- a\n", false), ("just words", false)] {
        let (team, problems) = read(text);
        assert_eq!(team, without_file(), "{text:?}");
        assert_eq!(problems.len(), 1, "{text:?}");
        assert_eq!(problems[0].id, "team/yaml");
        assert_eq!(problems[0].line.is_some(), line, "{text:?} {problems:?}");
    }
    assert_eq!(read("# nothing yet\n"), (without_file(), Vec::new()));
}

#[test]
fn a_wrong_type_of_a_critical_key_excludes_the_member() {
    for key in [
        "provider: 1",
        "provider: ' '",
        "model: [a]",
        "toolsets: ws_read",
        "toolsets: [1]",
        "tools: {}",
        "model_params: none",
        "read_dirs: src",
        "no_write_file_ext_names: 3",
    ] {
        let (team, problems) = read_members(&format!("  ops:\n    name: Ops\n    {key}\n"));
        let name = key.split(':').next().unwrap();
        assert_eq!(visible(&team), ["lead"], "{key}");
        let id = format!("team/wrong-type/ops/{name}");
        assert_eq!(ids(&problems), [(id.as_str(), Some(5))], "{key}");
        assert!(problems[0].text.to_string().contains("left out"), "{problems:?}");
    }
    let (team, problems) = read_members("  ops: word\n");
    assert_eq!(visible(&team), ["lead"]);
    assert_eq!(ids(&problems), [("team/wrong-type/ops", Some(3))]);
}

#[test]
fn k03_a_wrong_value_of_another_key_is_ignored_with_a_warning() {
    for (key, id) in [
        ("icon: 3", "team/wrong-type/ops/icon"),
        ("name: ''", "team/wrong-type/ops/name"),
        ("gofor: 3", "team/wrong-type/ops/gofor"),
        ("fbr-effort: 101", "team/wrong-type/ops/fbr-effort"),
        ("fbr-effort: 1.5", "team/wrong-type/ops/fbr-effort"),
        ("diligence-push-max: many", "team/wrong-type/ops/diligence-push-max"),
        ("streaming: maybe", "team/wrong-type/ops/streaming"),
        ("hidden: 1", "team/wrong-type/ops/hidden"),
        ("icon: ~", "team/empty/ops/icon"),
        ("from: app", "team/unsupported/ops/from"),
        ("toolset: [a]", "team/unknown-key/ops/toolset"),
        ("no_read_dir: [a]", "team/unknown-key/ops/no_read_dir"),
        ("temperature: 1", "team/unknown-key/ops/temperature"),
        ("read_dirs: [.minds/team]", "team/closed-area/ops/read_dirs"),
        ("write_dirs: ['a/b.tsk/**']", "team/closed-area/ops/write_dirs"),
        ("write_dirs: [sub/.Git/hooks]", "team/closed-area/ops/write_dirs"),
        ("read_dirs: [./.HIVE/**]", "team/closed-area/ops/read_dirs"),
        ("read_dirs: [.dialogs]", "team/closed-area/ops/read_dirs"),
        (
            "model_params: { openai: { temperature: 9 } }",
            "team/params/ops/model_params.openai.temperature",
        ),
        ("model_params: { top_p: 1 }", "team/params/ops/model_params.top_p"),
        ("model_params: { openai: 3 }", "team/params/ops/model_params.openai"),
        (
            "model_params: { anthropic: { top_k: 0 } }",
            "team/params/ops/model_params.anthropic.top_k",
        ),
        ("fbr_model_params: { codex: { web: on } }", "team/params/ops/fbr_model_params.codex.web"),
        ("use: app", "team/unsupported/ops/use"),
        ("import: app", "team/unsupported/ops/import"),
        ("provider: ~", "team/empty/ops/provider"),
    ] {
        let (team, problems) = read_members(&format!("  ops:\n    {key}\n"));
        assert_eq!(visible(&team), ["lead", "ops"], "{key}");
        assert_eq!(ids(&problems), [(id, Some(4))], "{key}");
        let closed = id.starts_with("team/closed-area");
        // A key that is only misspelt was meant to have an effect.
        let is_misspelt = key.starts_with("toolset:") || key.starts_with("no_read_dir:");
        let is_error = closed || is_misspelt;
        let severity = if is_error { Severity::Error } else { Severity::Warning };
        assert_eq!(problems[0].severity, severity, "{key}");
        let ops = member(&team, "ops");
        assert_eq!((ops.fbr_effort, ops.diligence_push_max), (3, 3), "{key}");
        if !closed {
            assert_eq!(ops.access, crate::domain::AccessLists::default(), "{key}");
        }
    }
}

#[test]
fn an_allow_list_of_only_reserved_paths_does_not_allow_everything() {
    for (list, expected) in [
        ("[.minds, src]", vec!["src"]),
        ("[.minds]", vec![".minds"]),
        ("[.git/hooks]", vec![".git/hooks"]),
        ("[]", vec![]),
    ] {
        let (team, _) = read_members(&format!("  ops:\n    write_dirs: {list}\n"));
        assert_eq!(member(&team, "ops").access.write_dirs, expected, "{list}");
    }
    let (team, problems) = read_members("  ops:\n    read_dirs: [.git]\n");
    assert_eq!(problems, [], "reading there is open");
    assert_eq!(member(&team, "ops").access.read_dirs, [".git"]);
}

#[test]
fn a_misspelt_name_is_reported_with_the_right_one() {
    for (yaml, expected) in [
        ("  ops:\n    toolset: []\n", "`toolsets`"),
        ("  ops:\n    temperature: 1\n", "`model_params.openai.temperature`"),
        ("  ops:\n    top_k: 1\n", "`model_params.anthropic.top_k`"),
        ("  ops:\n    max_tokens: 1\n", "`model_params.max_tokens`"),
        ("  ops:\n    model_params: { top_p: 1 }\n", "`model_params.openai.top_p`"),
        ("member_default: {}\n", "`member_defaults`"),
        ("default_responder: leed\n", "`lead`"),
        ("shell_specialists: laed\n", "`lead`"),
    ] {
        let (_, problems) = read_members(yaml);
        assert_eq!(problems.len(), 1, "{yaml} {problems:?}");
        assert!(problems[0].fix.to_string().contains(expected), "{problems:?}");
    }
}

#[test]
fn k03_the_dash_spelling_wins_over_the_underscore_one() {
    let (team, problems) = read_members("  ops:\n    fbr_effort: 5\n    fbr-effort: 9\n");
    assert_eq!(member(&team, "ops").fbr_effort, 9);
    assert_eq!(ids(&problems), [("team/two-spellings/ops/fbr_effort", Some(4))]);
    let (team, problems) = read_members("  ops:\n    diligence_push_max: -1\n");
    assert_eq!(member(&team, "ops").diligence_push_max, 0);
    assert_eq!(problems, []);
}

#[test]
fn an_id_is_a_plain_name_and_never_human() {
    for id in ["human", "'../x'", "'a b'", "'@a'", "'a!b'", "''", ".hidden"] {
        let (team, problems) = read_members(&format!("  {id}: {{}}\n"));
        assert_eq!(visible(&team), ["lead"], "{id}");
        assert!(problems[0].id.starts_with("team/bad-id/"), "{problems:?}");
    }
    let (team, problems) = read_members("  小明: {}\n  db-1.x: {}\n");
    assert_eq!(visible(&team), ["lead", "小明", "db-1.x"]);
    assert_eq!(problems, []);
}

#[test]
fn the_default_responder_falls_back_to_the_next_member() {
    for (yaml, expected, problem) in [
        ("default_responder: ops\nmembers: {lead: {}, ops: {}}", "ops", None),
        ("default_responder: pangu\nmembers: {lead: {}}", "pangu", None),
        ("members: {shy: {hidden: true}, lead: {}}", "lead", None),
        (
            "default_responder: nobody\nmembers: {lead: {}}",
            "lead",
            Some("team/unknown-default-responder"),
        ),
        ("default_responder: 3", "fuxi", Some("team/wrong-type/default_responder")),
        ("members: {shy: {hidden: true}}", "fuxi", None),
    ] {
        let (team, problems) = read(yaml);
        assert_eq!(team.default_responder(), Some(&expected.into()), "{yaml}");
        let found = problems.first().map(|problem| problem.id.as_str());
        assert_eq!(found, problem, "{yaml}");
    }
}

#[test]
fn only_listed_members_have_shell_tools_hidden_or_not() {
    let (team, problems) = read(
        "\
shell_specialists: [ops, ghost, shy, pangu]
members:
  ops: { toolsets: [os] }
  shy: { hidden: true, tools: [shell_cmd] }
  loner: { hidden: true, tools: [shell_cmd] }
  lead:
    tools: [shell_cmd, env_get]
",
    );
    assert_eq!(team.shell_specialists, ["ops", "shy", "pangu"].map(AgentId::new));
    for (name, expected) in [
        ("ops", ShellRight::Granted),
        ("shy", ShellRight::Granted),
        ("pangu", ShellRight::Granted),
        ("loner", ShellRight::No),
        ("lead", ShellRight::No),
        ("fuxi", ShellRight::No),
    ] {
        assert_eq!(member(&team, name).shell, expected, "{name}");
    }
    assert_eq!(member(&team, "lead").tools, ["env_get"]);
    assert_eq!(member(&team, "loner").tools, [""; 0]);
    assert_eq!(
        ids(&problems),
        [
            ("team/unknown-shell-specialist/ghost", Some(1)),
            ("team/shell-not-allowed/loner", Some(5)),
            ("team/shell-not-allowed/lead", Some(6)),
        ]
    );
}

#[test]
fn the_hidden_members_always_exist_and_keep_their_limits() {
    let (team, problems) = read(
        "\
member_defaults: { provider: local, model: m, toolsets: [ws_read], diligence-push-max: 5 }
members:
  fuxi: { name: Founder, toolsets: [ws_read], diligence-push-max: 2 }
",
    );
    assert_eq!(problems, []);
    assert_eq!(visible(&team), Vec::<&str>::new());
    let fuxi = member(&team, "fuxi");
    assert_eq!((fuxi.name.as_str(), fuxi.diligence_push_max), ("Founder", 2));
    assert_eq!(fuxi.toolsets, ["ws_read", "team_mgmt"]);
    let pangu = member(&team, "pangu");
    assert_eq!((pangu.name.as_str(), pangu.diligence_push_max), ("Pangu", 0));
    assert_eq!(pangu.toolsets, ["*", "!team_mgmt"]);
    assert_eq!(pangu.provider.as_deref(), Some("local"));
    assert_eq!(pangu.access.no_read_dirs, [".minds/**"]);
    assert!(pangu.shell == ShellRight::No && pangu.hidden);
}

#[test]
fn gofor_may_be_a_text_a_list_or_a_map() {
    for (yaml, expected) in [
        ("one\\ntwo", vec!["one", "two"]),
        ("[one, two]", vec!["one", "two"]),
        ("{ a: one, b: two }", vec!["a: one", "b: two"]),
    ] {
        let value =
            if yaml.starts_with(['[', '{']) { yaml.to_owned() } else { format!("\"{yaml}\"") };
        let (team, problems) = read_members(&format!("  ops:\n    gofor: {value}\n"));
        assert_eq!(member(&team, "ops").gofor, expected, "{yaml}");
        assert_eq!(problems, []);
    }
}

#[test]
fn a_huge_team_is_bounded() {
    let mut text = "members:\n".to_owned();
    for at in 0..400 {
        text.push_str(&format!("  m{at}: {{ colour: 1 }}\n"));
    }
    let (team, problems) = read(&text);
    assert_eq!(team.visible().count(), MAX_MEMBERS);
    assert!(problems.len() <= 200, "{}", problems.len());
}
