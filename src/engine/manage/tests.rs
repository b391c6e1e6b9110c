//! The tools of `team_mgmt` on a real folder.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::*;
use crate::domain::AgentId;
use crate::domain::reading::problem::Problem;
use crate::domain::safety::trust::{TrustEntry, TrustKind, Unagreed};
use crate::domain::text::Text;
use crate::tools::test_support::{TestBench, schema_lines};

const LLM: &str = "\
providers:
  local: { apiType: mock, baseUrl: db, models: { small: { context_length: 1000 }, big: {} } }
  paid: { apiType: openai-compatible, baseUrl: 'https://x/v1', apiKeyEnvVar: PAID, models: {p: {}} }
";

/// One entry for each line of the team file that names a shell.
fn pending_shells(workspace: &Path) -> Vec<Unagreed> {
    let text = fs::read_to_string(workspace.join(".minds/team.yaml")).unwrap_or_default();
    let shells = text.lines().filter(|line| line.contains("shell_specialists"));
    let entry = |line: &str| {
        let digest = line.to_owned();
        TrustEntry::new(TrustKind::Shell, "ops", "may run any command", digest)
    };
    shells.map(|line| Unagreed { entry: entry(line), before: None }).collect()
}

struct Fixture {
    dir: tempfile::TempDir,
    registry: Registry,
    problems: Arc<Problems>,
}

impl Fixture {
    fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut registry = Registry::builtin();
        let problems: Arc<Problems> = Arc::default();
        add_to(&mut registry, &|_| None, problems.clone(), pending_shells, &["mcp_admin"]).unwrap();
        Self { dir, registry, problems }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    async fn call(&self, name: &str, args: Value) -> ToolOutcome {
        self.call_in(Lang::En, name, args).await
    }

    async fn call_in(&self, lang: Lang, name: &str, args: Value) -> ToolOutcome {
        let granted = [TOOLSET.to_owned()];
        let (subset, unknown) = self.registry.for_member(&granted, &[], true);
        assert!(unknown.is_empty());
        let cx = ToolCx {
            caller: AgentId::new("fuxi"),
            workspace: Arc::from(self.path()),
            taskdoc: None,
            lang,
            ..TestBench::new().cx.clone()
        };
        subset.run(&format!("team_mgmt_{name}"), &args.to_string(), cx).await
    }

    fn minds(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.path().join(".minds").join(path)).ok()
    }
}

#[test]
fn every_tool_has_a_text_in_both_languages_that_names_its_arguments() {
    let fixture = Fixture::new(&[]);
    for name in TOOL_NAMES {
        let spec = fixture.registry.tool(name).unwrap().spec();
        let (en, zh) = (spec.description.text(Lang::En), spec.description.text(Lang::Zh));
        assert!(en.is_ascii() && !en.is_empty(), "{name}");
        assert!(!zh.is_ascii() && zh.chars().count() > 10, "{name}");
        assert_eq!(spec.parameters["additionalProperties"], Value::Bool(false), "{name}");
        for field in spec.parameters["properties"].as_object().unwrap().keys() {
            assert!(en.contains(&format!("`{field}`")) && zh.contains(field), "{name} {field}");
        }
    }
}

#[test]
fn a_tool_that_changes_nothing_says_so() {
    let fixture = Fixture::new(&[]);
    let registry = &fixture.registry;
    let reads = |name: &&str| registry.only_reads(name);
    let reading: BTreeSet<&str> = registry.names().into_iter().filter(reads).collect();
    let expected = [
        "env_get",
        "get_daemon_output",
        "list_dir",
        "man",
        "read_file",
        "read_picture",
        "read_skill",
        "readonly_shell",
        "recall_taskdoc",
        "ripgrep_count",
        "ripgrep_files",
        "ripgrep_fixed",
        "ripgrep_search",
        "ripgrep_snippets",
        "team_mgmt_check_provider",
        "team_mgmt_list_dir",
        "team_mgmt_list_models",
        "team_mgmt_list_problems",
        "team_mgmt_list_providers",
        "team_mgmt_read_file",
        "team_mgmt_validate_mcp_cfg",
        "team_mgmt_validate_priming_scripts",
        "team_mgmt_validate_team_cfg",
    ];
    assert_eq!(reading, expected.into());
    // Not every member has these.
    let others = ["list_completed_tasks", "list_teams", "list_triggers", "query_teams"];
    assert!(others.iter().all(reads));
    assert!(!["delegate_task", "test_trigger", "of_a_server"].iter().any(reads));
}

#[test]
fn every_schema_is_what_providers_were_given_before() {
    let fixture = Fixture::new(&[]);
    let tools = TOOL_NAMES.map(|name| fixture.registry.tool(name).unwrap().spec());
    insta::assert_snapshot!("schemas", schema_lines(tools.into_iter()));
}

#[tokio::test]
async fn a_path_may_be_written_with_or_without_the_name_of_the_folder() {
    let fixture = Fixture::new(&[(".minds/team/lead/persona.md", "A captain.\n")]);
    let absolute = fixture.path().join(".minds/team/lead/persona.md");
    for path in [
        "team/lead/persona.md",
        ".minds/team/lead/persona.md",
        "./.minds/./team/lead/persona.md",
        absolute.to_str().unwrap(),
    ] {
        let read = fixture.call("read_file", json!({ "path": path })).await;
        assert!(read.ok && read.text.contains("A captain."), "{path}: {}", read.text);
    }
    for args in [json!({}), json!({ "path": ".minds" }), json!({ "path": "." })] {
        let listed = fixture.call("list_dir", args).await;
        assert!(listed.ok && listed.text.contains("team (directory)"), "{}", listed.text);
    }
}

#[tokio::test]
async fn nothing_beyond_the_folder_is_read_or_written() {
    let fixture = Fixture::new(&[("secret.txt", "s\n"), (".minds/env.md", "x\n")]);
    let outside = tempfile::tempdir().unwrap();
    for path in ["../secret.txt", ".minds/../secret.txt", "/etc/passwd", "team/../../x"] {
        for (tool, args) in [
            ("read_file", json!({ "path": path })),
            ("list_dir", json!({ "path": path })),
            ("create_new_file", json!({ "path": path, "content": "x" })),
        ] {
            let refused = fixture.call(tool, args).await;
            assert!(!refused.ok && refused.text.contains("`.minds/`"), "{path}: {}", refused.text);
        }
    }
    let inside = fixture.call("create_new_file", json!({ "path": "secret.txt" })).await;
    assert!(inside.ok && fixture.minds("secret.txt").is_some());
    std::os::unix::fs::symlink(outside.path(), fixture.path().join(".minds/out")).unwrap();
    let through = fixture.call("create_new_file", json!({ "path": "out/x" })).await;
    assert!(!through.ok && fs::read_dir(outside.path()).unwrap().count() == 0);
}

#[tokio::test]
async fn what_members_decide_alone_is_read_and_never_written() {
    let fixture = Fixture::new(&[(".minds/hive/hive.yaml", "autonomy: { level: confirm_all }\n")]);
    let before = fixture.minds("hive/hive.yaml");
    for path in
        ["hive/hive.yaml", ".minds/hive/hive.yaml", "hive/teams/x.yaml", "./hive/x", "HIVE/x"]
    {
        for (tool, text) in [("create_new_file", "content"), ("overwrite_entire_file", "content")] {
            let args = match tool {
                "create_new_file" => json!({ "path": path, text: "autonomy: { level: full }" }),
                _ => json!({
                    "path": path, text: "autonomy: { level: full }",
                    "known_old_total_lines": 1, "known_old_total_bytes": 33,
                }),
            };
            let refused = fixture.call(tool, args).await;
            assert!(
                !refused.ok && refused.text.contains("by people only"),
                "{path}: {}",
                refused.text
            );
        }
    }
    assert_eq!(fixture.minds("hive/hive.yaml"), before);
    let read = fixture.call("read_file", json!({ "path": "hive/hive.yaml" })).await;
    assert!(read.ok && read.text.contains("confirm_all"), "{}", read.text);
}

#[tokio::test]
async fn a_folder_that_is_a_link_is_left_alone_wherever_it_leads() {
    let outside = tempfile::tempdir().unwrap();
    for target in [outside.path(), Path::new(".dialogs"), Path::new(".")] {
        let fixture = Fixture::new(&[(".dialogs/run/x", "x\n")]);
        std::os::unix::fs::symlink(target, fixture.path().join(".minds")).unwrap();
        for (tool, args) in [
            ("create_new_file", json!({ "path": "run/y" })),
            ("read_file", json!({ "path": "run/x" })),
        ] {
            let refused = fixture.call(tool, args).await;
            assert!(!refused.ok && refused.text.contains("is a link"), "{}", refused.text);
        }
        assert!(!fixture.path().join(".dialogs/run/y").exists());
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn text_that_is_no_yaml_is_not_written_and_the_line_is_named() {
    let before = "# mine\nmembers: { lead: {} }\n";
    let fixture = Fixture::new(&[(".minds/team.yaml", before)]);
    let broken = "members:\n  lead: [\n";
    let args = json!({
        "path": "team.yaml", "known_old_total_lines": 2, "known_old_total_bytes": before.len(),
        "content": broken,
    });
    for (lang, word) in [(Lang::En, "Nothing was written"), (Lang::Zh, "未写入")] {
        let refused = fixture.call_in(lang, "overwrite_entire_file", args.clone()).await;
        assert!(!refused.ok && refused.text.contains(word), "{}", refused.text);
        assert!(refused.text.contains("line "), "{}", refused.text);
        assert_eq!(fixture.minds("team.yaml").as_deref(), Some(before));
    }
    let made =
        fixture.call("create_new_file", json!({ "path": "llm.yaml", "content": broken })).await;
    assert!(!made.ok && fixture.minds("llm.yaml").is_none());
}

#[tokio::test]
async fn text_with_findings_is_written_as_it_is_and_they_are_listed() {
    let fixture = Fixture::new(&[(".minds/llm.yaml", LLM)]);
    let team = "# who works here\nmembers:\n  lead:\n    provider: locl   # the small one\n";
    let made =
        fixture.call("create_new_file", json!({ "path": "team.yaml", "content": team })).await;
    assert!(made.ok, "{}", made.text);
    assert_eq!(fixture.minds("team.yaml").as_deref(), Some(team), "comments stay");
    for text in ["Written, with findings", ".minds/team.yaml:4", "`locl`", "did you mean `local`"] {
        assert!(made.text.contains(text), "{text}: {}", made.text);
    }
    let fixed = team.replace("locl", "local");
    let args = json!({
        "path": ".minds/team.yaml", "known_old_total_lines": 4, "known_old_total_bytes": team.len(),
        "content": fixed,
    });
    let written = fixture.call("overwrite_entire_file", args).await;
    assert!(written.ok && written.text.contains("The file is in order"), "{}", written.text);
}

#[tokio::test]
async fn providers_are_checked_without_asking_them() {
    let fixture = Fixture::new(&[(".minds/llm.yaml", LLM)]);
    for (args, ok, word) in [
        (json!({ "provider_key": "local" }), true, "can be used"),
        (json!({ "provider_key": "local", "model": "small" }), true, "small (1000 tokens, images)"),
        (json!({ "provider_key": "local", "model": "smal" }), false, "smal: not listed"),
        (json!({ "provider_key": "local", "all_models": true }), true, "- big (? tokens, images)"),
        (json!({ "provider_key": "paid" }), false, "PAID"),
        (json!({ "provider_key": "locl" }), false, "Known: "),
    ] {
        let outcome = fixture.call("check_provider", args.clone()).await;
        assert_eq!(outcome.ok, ok, "{args} {}", outcome.text);
        assert!(outcome.text.contains(word), "{args} {}", outcome.text);
    }
    let listed = fixture.call("list_providers", json!({ "provider_pattern": "pa*" })).await;
    assert_eq!(listed.text.lines().count(), 1, "{}", listed.text);
    let models = fixture.call("list_models", json!({ "provider_pattern": "local" })).await;
    assert!(models.text.contains("small") && models.text.contains("big"), "{}", models.text);
}

#[tokio::test]
async fn a_problem_for_a_model_is_the_same_as_the_one_for_people() {
    let mcp = "servers: { web: { url: 'https://x.example' } }\n";
    let team = "members:\n  lead:\n    provider: local\n    toolsets: [mcp_admin, web, wsread]\n";
    let lists = "    tools: [web_fetch]\n    no_read_dirs: [../elsewhere]\n";
    let fixture = Fixture::new(&[(".minds/llm.yaml", LLM), (".minds/mcp.yaml", mcp)]);
    let content = format!("{team}{lists}");
    let args = json!({ "path": "team.yaml", "content": content });
    let made = fixture.call("create_new_file", args).await;
    assert!(made.text.contains("team.yaml:6") && made.text.contains("elsewhere"), "{}", made.text);
    for known in ["mcp_admin`;", "web`;"] {
        assert!(!made.text.contains(known), "{}", made.text);
    }
    // The tools of a server are only known once it runs.
    assert!(!made.text.contains("no tool `web_fetch`"), "{}", made.text);
    assert!(made.text.contains("no toolset `wsread`"), "{}", made.text);
}

#[tokio::test]
async fn the_team_is_validated_with_its_lines() {
    let team = "members:\n  lead: { provider: local, toolsets: [wsread] }\n";
    let fixture = Fixture::new(&[(".minds/llm.yaml", LLM), (".minds/team.yaml", team)]);
    let outcome = fixture.call("validate_team_cfg", json!({})).await;
    assert!(outcome.ok && outcome.text.contains("warning: .minds/team.yaml:2"), "{}", outcome.text);
    assert!(outcome.text.contains("lead") && outcome.text.contains("wsread"), "{}", outcome.text);
    let wrong = team.replace("[wsread]", "3");
    fs::write(fixture.path().join(".minds/team.yaml"), wrong).unwrap();
    let outcome = fixture.call("validate_team_cfg", json!({})).await;
    assert!(!outcome.ok && outcome.text.contains("error: .minds/team.yaml:2"), "{}", outcome.text);
    fs::write(fixture.path().join(".minds/team.yaml"), team.replace("wsread", "ws_read")).unwrap();
    let outcome = fixture.call("validate_team_cfg", json!({})).await;
    assert!(outcome.ok && outcome.text.contains("in order"), "{}", outcome.text);
}

#[tokio::test]
async fn tool_servers_and_startup_scripts_are_validated() {
    let fixture = Fixture::new(&[(".minds/priming/team_shared/a.md", "no head")]);
    let outcome = fixture.call("validate_priming_scripts", json!({})).await;
    assert!(outcome.ok && outcome.text.contains("team_shared/a.md:1"), "{}", outcome.text);
    assert!(fixture.call("validate_mcp_cfg", json!({})).await.ok);
    fs::write(fixture.path().join(".minds/mcp.yaml"), "servers: { a: {} }").unwrap();
    let outcome = fixture.call("validate_mcp_cfg", json!({})).await;
    assert!(!outcome.ok && outcome.text.contains("`command`"), "{}", outcome.text);
}

#[tokio::test]
async fn problems_are_listed_by_filter_and_fixed_ones_are_cleared() {
    let fixture = Fixture::new(&[]);
    let problem = |id: &str, path: &str| {
        let (text, fix) = (Text::new("wrong", "有误"), Text::new("fix it", "请修正"));
        Problem::new(id, path, text, fix)
    };
    let (team, llm) = (problem("team/x", ".minds/team.yaml"), problem("llm/y", ".minds/llm.yaml"));
    fixture.problems.book().take("minds", vec![team.clone(), llm]);
    fixture.problems.book().take("minds", vec![team]);
    for (args, has, has_not) in [
        (json!({}), "[team/x]", "[llm/y]"),
        (json!({ "status": "resolved" }), "[llm/y]", "[team/x]"),
        (json!({ "status": "all", "source": "llm" }), "[llm/y]", "[team/x]"),
        (json!({ "status": "all", "path": "*team*" }), "[team/x]", "[llm/y]"),
        (json!({ "status": "all", "problem_id": "team/*" }), "[team/x]", "[llm/y]"),
    ] {
        let outcome = fixture.call("list_problems", args.clone()).await;
        assert!(
            outcome.text.contains(has) && !outcome.text.contains(has_not),
            "{args} {}",
            outcome.text
        );
    }
    let cleared = fixture.call("clear_problems", json!({ "source": "team" })).await;
    assert!(cleared.text.starts_with("0 "), "{}", cleared.text);
    let cleared = fixture.call("clear_problems", json!({})).await;
    assert!(cleared.text.starts_with("1 "), "{}", cleared.text);
    let outcome = fixture.call("list_problems", json!({ "status": "all" })).await;
    assert!(
        outcome.text.contains("[team/x]") && !outcome.text.contains("[llm/y]"),
        "{}",
        outcome.text
    );
}

#[tokio::test]
async fn what_a_written_file_would_widen_waits_and_the_result_says_so() {
    let fixture = Fixture::new(&[(".minds/llm.yaml", LLM)]);
    let plain = "members: { ops: { provider: local, model: small } }\n";
    let made =
        fixture.call("create_new_file", json!({ "path": "team.yaml", "content": plain })).await;
    assert!(made.ok && !made.text.contains("agrees"), "{}", made.text);
    let wide = "shell_specialists: [ops]\nmembers: { ops: { provider: local, model: small } }\n";
    let write = |text: &str, old: &str| {
        json!({
            "path": "team.yaml", "content": text,
            "known_old_total_lines": old.lines().count(), "known_old_total_bytes": old.len(),
        })
    };
    let widened = fixture.call("overwrite_entire_file", write(wide, plain)).await;
    assert!(widened.ok, "{}", widened.text);
    for part in ["no effect before the person agrees", "- shell ops: may run any command"] {
        assert!(widened.text.contains(part), "{}", widened.text);
    }
    let same = fixture.call_in(Lang::Zh, "overwrite_entire_file", write(wide, wide)).await;
    assert!(same.ok && !same.text.contains("同意"), "what waited before is no news: {}", same.text);
}
