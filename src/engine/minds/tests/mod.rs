//! A complete `.minds/` folder: what exists, what is missing, which model a member uses.

use std::fs;
use std::path::Path;

use super::*;
use crate::domain::{ModelChoice, Severity};
use crate::samples::assert_translated;

mod translations;

const TEAM: &str = "\
member_defaults: { provider: local, model: small }
default_responder: lead
members:
  lead: { name: Lead }
";
const LLM: &str = "\
providers:
  local:
    apiType: openai-compatible
    baseUrl: http://127.0.0.1:1/v1
    models: { small: { context_length: 1000 }, big: {} }
";

fn minds(files: &[(&str, &str)]) -> Minds {
    minds_in(Lang::En, files)
}

fn minds_in(lang: Lang, files: &[(&str, &str)]) -> Minds {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), files);
    Minds::load(dir.path(), lang)
}

fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(".minds").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn of<'a>(minds: &'a Minds, id: &str) -> &'a Member {
    minds.member(&id.into()).unwrap()
}

#[test]
fn without_a_folder_there_is_no_problem_but_the_team_is_missing() {
    let minds = minds(&[]);
    assert_eq!(minds.problems(), []);
    let missing = minds.missing().unwrap();
    assert_eq!(missing.path, ".minds/team.yaml");
    assert!(missing.fix.to_string().contains("init"));
    assert_eq!(minds.default_responder(), Some(&"fuxi".into()));
    assert!(minds.texts_of(&"fuxi".into()).persona.is_some());
    assert!(minds.diligence().is_some());
    assert!(minds.provider("openai").is_some());
    let problem = minds.model_of(of(&minds, "fuxi"), &|_| Some("set".to_owned()));
    assert_eq!(problem.unwrap_err().id, "llm/no-provider");
}

#[test]
fn a_member_uses_the_model_it_names_or_the_first_of_its_provider() {
    let minds = minds(&[
        (
            "team.yaml",
            "members:\n  a: { provider: local, model: big }\n  b: { provider: local }\n  c: {}\n  \
             d: { provider: volcano-engine, model: anything }\n",
        ),
        ("llm.yaml", LLM),
    ]);
    assert_eq!(minds.problems(), []);
    for (id, expected) in [
        ("a", ("local", "big", None)),
        ("b", ("local", "small", Some(1000))),
        ("c", ("local", "small", Some(1000))),
        ("d", ("volcano-engine", "anything", None)),
    ] {
        let (provider, info, model) = minds.model_of(of(&minds, id), &|_| None).unwrap();
        let limit = info.limits().map(|limits| limits.model_context_limit_tokens);
        assert_eq!((provider.key.as_str(), model, limit), expected, "{id}");
    }
}

#[test]
fn a_provider_without_its_api_key_is_not_chosen_by_default() {
    let llm = "\
providers:
  paid: { apiType: openai-compatible, baseUrl: 'https://x/v1', apiKeyEnvVar: PAID, models: {p: {}} }
  old: { apiType: codex, models: {o: {}} }
  local: { apiType: mock, baseUrl: db, models: {m: {}} }
";
    let minds = minds(&[("team.yaml", "members: {a: {}}"), ("llm.yaml", llm)]);
    let chosen = |env: Env| {
        let (provider, _, _) = minds.model_of(of(&minds, "a"), env).unwrap();
        provider.key.clone()
    };
    assert_eq!(chosen(&|_| None), "local");
    assert_eq!(chosen(&|_| Some("key".to_owned())), "paid");
}

#[test]
fn a_model_is_chosen_of_a_provider_of_the_file_and_no_other_takes_its_place() {
    let llm = "\
providers:
  paid: { apiType: openai-compatible, baseUrl: 'https://x/v1', models: {p: {}, q: {}} }
  old: { apiType: codex, models: {o: {}} }
";
    let team = "members: {a: {provider: paid, model: p}}";
    let minds = minds(&[("team.yaml", team), ("llm.yaml", llm)]);
    let choice = |provider: &str, model: &str| ModelChoice {
        provider: provider.to_owned(),
        model: model.to_owned(),
    };
    let model_for = |choice: Option<&ModelChoice>| {
        let found = minds.model_for(of(&minds, "a"), choice, &|_| None);
        found.map(|(provider, _, model)| format!("{} {model}", provider.key))
    };
    assert_eq!(model_for(None).unwrap(), "paid p");
    assert_eq!(model_for(Some(&choice("paid", "q"))).unwrap(), "paid q");
    for (provider, model) in [("paid", "r"), ("old", "o"), ("anthropic", "x"), ("none", "q")] {
        let refused = model_for(Some(&choice(provider, model))).unwrap_err();
        assert_translated(&refused.message());
        assert!(refused.text.to_string().contains(&format!("`{model}`")), "{refused:?}");
    }
    let listed: Vec<&str> = minds.listed_models().map(|(_, model)| model.key.as_str()).collect();
    assert_eq!(listed, ["p", "q"]);
}

#[test]
fn an_unusable_model_or_provider_is_reported_once_with_its_line_and_fix() {
    for (member, id, line, hint) in [
        ("provider: locl", "team/unknown-provider/locl", Some(5), "`local`"),
        ("model: smal", "team/unknown-model/local/smal", Some(5), "`small`"),
        ("provider: old", "llm/unusable-provider/old", Some(6), "http://"),
        ("provider: odd", "llm/unusable-provider/odd", Some(7), "openai-compatible"),
        ("provider: bare", "llm/unusable-provider/bare", Some(8), "http://"),
    ] {
        let team = format!("{TEAM}  x: {{ {member} }}\n  y: {{ {member} }}\n");
        let llm = format!(
            "{LLM}  old: {{ apiType: codex, models: {{small: {{}}}} }}\n  odd: {{ apiType: \
             telepathy }}\n  bare: {{ apiType: openai-compatible }}\n"
        );
        let minds = minds(&[("team.yaml", &team), ("llm.yaml", &llm)]);
        let [problem] = minds.problems() else {
            panic!("{member}: {:?}", minds.problems());
        };
        assert_eq!((problem.id.as_str(), problem.line), (id, line), "{member}");
        assert!(problem.fix.to_string().contains(hint), "{problem:?}");
        assert!(problem.text.to_string().ends_with("needed by `x`, `y`"), "{problem:?}");
        assert!(minds.model_of(of(&minds, "x"), &|_| None).is_err());
        assert!(minds.model_of(of(&minds, "lead"), &|_| None).is_ok());
    }
}

#[test]
fn an_unused_provider_is_not_a_problem() {
    let llm = format!("{LLM}  old: {{ apiType: codex }}\n");
    assert_eq!(minds(&[("team.yaml", TEAM), ("llm.yaml", &llm)]).problems(), []);
}

#[test]
fn an_unknown_tool_is_a_problem_with_its_line() {
    let team = "\
members:
  a:
    toolsets: ['*', '!os', ws_read, team_memory, server, wsread]
    tools:
      - env_get
      - raed_file
  b: { toolsets: [wsread] }
";
    let minds = minds(&[
        ("team.yaml", team),
        ("mcp.yaml", "version: 1\nservers: { server: { command: x } }\n"),
        ("llm.yaml", LLM),
    ]);
    let problems =
        minds.unknown_tools(&["ws_read", "read_file", "os", "team_memory", "env_get", "team_mgmt"]);
    let found: Vec<_> = problems.iter().map(|p| (p.id.as_str(), p.line)).collect();
    assert_eq!(
        found,
        [("team/unknown-tool/raed_file", Some(6)), ("team/unknown-toolset/wsread", Some(3))]
    );
    assert!(
        problems[0].fix.to_string().contains("`read_file`")
            && problems[1].fix.to_string().contains("`ws_read`")
    );
}

#[test]
fn a_tool_that_only_dominds_has_is_skipped_with_a_word_about_it() {
    let team = "members:\n  lead:\n    toolsets: [fs_read]\n    tools: [pad_edit, raed_file]\n";
    let minds = minds(&[("team.yaml", team), ("llm.yaml", LLM)]);
    let problems = minds.unknown_tools(&["read_file"]);
    let said = |name: &str| {
        let of = problems.iter().find(|one| one.text.to_string().contains(name)).unwrap();
        (of.text.to_string().contains("of Dominds"), of.severity == Severity::Warning)
    };
    assert_eq!(said("`fs_read`"), (true, true));
    assert_eq!(said("`pad_edit`"), (true, true));
    assert_eq!(said("`raed_file`"), (false, true));
}

#[test]
fn the_toolset_of_resources_is_known_where_a_server_has_some() {
    let team = "members:\n  lead: { toolsets: [resources], tools: [fetch_resource] }\n";
    for (keys, faults) in [("", 2), (", resources: {}", 0)] {
        let servers = format!("servers: {{ s: {{ command: x{keys} }} }}\n");
        let minds = minds(&[("team.yaml", team), ("mcp.yaml", &servers), ("llm.yaml", LLM)]);
        let mut problems = minds.unknown_tools(&[]);
        problems.retain(|problem| problem.id.contains("resource"));
        assert_eq!(problems.len(), faults, "{problems:?}");
        for problem in problems {
            crate::samples::assert_translated(&problem.text);
            crate::samples::assert_translated(&problem.fix);
        }
    }
}

#[test]
fn k04_the_first_text_file_that_exists_wins_and_a_blank_one_is_none() {
    for (lang, files, expected) in [
        (Lang::En, vec![("team/lead/persona.md", "P")], Some("P")),
        (
            Lang::En,
            vec![("team/lead/persona.md", "P"), ("team/lead/persona.en.md", "E")],
            Some("E"),
        ),
        (
            Lang::Zh,
            vec![("team/lead/persona.md", "P"), ("team/lead/persona.en.md", "E")],
            Some("P"),
        ),
        (Lang::En, vec![("team/lead/persona.md", "P"), ("team/lead/persona.en.md", " \n")], None),
        (Lang::En, vec![], None),
    ] {
        let files = [vec![("team.yaml", TEAM), ("llm.yaml", LLM)], files].concat();
        let minds = minds_in(lang, &files);
        assert_eq!(minds.texts_of(&"lead".into()).persona, expected, "{files:?}");
        assert_eq!(minds.problems(), []);
    }
    let minds = minds(&[
        ("team.yaml", TEAM),
        ("llm.yaml", LLM),
        ("team/lead/knowledge.md", "old"),
        ("team/lead/lessons.md", "old too"),
        ("team/lead/pitfalls.md", "new"),
    ]);
    let texts = minds.texts_of(&"lead".into());
    assert_eq!((texts.knowhow, texts.pitfalls), (Some("old"), Some("new")));
}

#[test]
fn an_empty_diligence_file_switches_keep_going_off() {
    for (files, expected) in [
        (vec![("diligence.md", "Go on.\n")], Some("Go on.")),
        (vec![("diligence.md", "a"), ("diligence.en.md", "b")], Some("b")),
        (vec![("diligence.md", "a"), ("diligence.en.md", " ")], None),
        (vec![("diligence.md", "---\nx: 1\n---\n\n")], None),
        (vec![("diligence.md", "---\nx: 1\n---\nGo.")], Some("Go.")),
        (vec![("diligence.zh.md", "走")], Some("built in")),
    ] {
        let minds = minds(&files);
        match expected {
            Some("built in") => assert!(minds.diligence().unwrap().contains("askHuman")),
            other => assert_eq!(minds.diligence(), other, "{files:?}"),
        }
    }
}

#[test]
fn an_unusable_file_is_a_problem_and_the_others_are_used() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &[("team.yaml", TEAM), ("llm.yaml", LLM)]);
    fs::create_dir_all(dir.path().join(".minds/env.md")).unwrap();
    fs::create_dir_all(dir.path().join(".minds/team/lead")).unwrap();
    fs::write(dir.path().join(".minds/team/lead/persona.md"), [0xff, 0xfe]).unwrap();
    let minds = Minds::load(dir.path(), Lang::En);
    let found: Vec<_> = minds.problems().iter().map(|p| p.path.as_str()).collect();
    assert_eq!(found, [".minds/env.md", ".minds/team/lead/persona.md"]);
    assert_eq!(minds.missing(), None);
}

#[test]
fn the_system_prompt_contains_the_members_own_texts() {
    let minds = minds(&[
        ("team.yaml", TEAM),
        ("llm.yaml", LLM),
        ("env.md", "The sea."),
        ("team/lead/persona.md", "A captain."),
    ]);
    let tools = ["read_file".to_owned()];
    let nothing = MemberAutonomy::default();
    let prompt = minds.system_prompt(of(&minds, "lead"), DialogRole::Main, &tools, None, &nothing);
    for text in ["`lead` (Lead)", "The sea.", "A captain.", "`read_file`"] {
        assert!(prompt.contains(text), "{text}");
    }
    let hidden = minds.system_prompt(of(&minds, "pangu"), DialogRole::Main, &[], None, &nothing);
    assert!(hidden.contains("# Persona"));
}

#[test]
fn c18_k07_unusable_memories_and_skills_are_reported() {
    let minds = minds(&[
        ("team.yaml", TEAM),
        ("llm.yaml", LLM),
        ("memory/individual/lead/large.md", &"x".repeat(70_000)),
        ("skills/team_shared/odd.md", "no name"),
    ]);
    let found: Vec<_> = minds.problems().iter().map(|p| p.path.as_str()).collect();
    let memory = ".minds/memory/individual/lead/large.md";
    assert_eq!(found, [memory, ".minds/skills/team_shared/odd.md"]);
    assert_eq!(minds.missing(), None);
}

#[test]
fn a_huge_file_is_refused_and_many_problems_are_bounded() {
    let many: Vec<String> = (0..5_000).map(|at| format!("'wrong {at}'")).collect();
    let team = format!(
        "{TEAM}  x: {{ tools: [{}] }}\n  y: {{ tools: [{}] }}\n",
        many[..200].join(", "),
        many[200..400].join(", ")
    );
    let bounded = minds(&[("team.yaml", &team), ("llm.yaml", LLM)]);
    assert_eq!(bounded.problems(), []);
    assert_eq!(bounded.unknown_tools(&[]).len(), 50);
    let huge = format!("{TEAM}# {}", "x".repeat(600 * 1024));
    let refused = minds(&[("team.yaml", &huge)]);
    assert_eq!(refused.problems().len(), 1);
    assert_eq!(refused.problems()[0].id, "minds/unusable/.minds/team.yaml");
    assert!(refused.missing().is_some());
}
