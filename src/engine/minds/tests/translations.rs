//! Every problem of `.minds` and of Taskdocs has a Chinese text and a Chinese fix.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;

use super::*;
use crate::domain::text::localized;
use crate::minds::{priming_problems, taskdoc};
use crate::samples::assert_translated;

const BAD_TEAM: &str = "\
colour: red
default_responder: [lead]
shell_specialists: [nobody, 3]
member_defaults: { name: All, import: app, read_dirs: [.minds] }
members:
  human: {}
  '..': {}
  word: word
  wrong: { provider: 3 }
  lost: { provider: locl }
  old: { provider: old }
  misnamed: { provider: local, model: smal }
  nameless: { provider: bare }
  lead:
    provider: local
    model: small
    icon:
    streaming: soon
    gofer: x
    temperature: 1
    fbr-effort: 1
    fbr_effort: 2
    toolsets: [os, wsread]
    tools: [raed_file]
    read_dirs: [/etc]
    model_params: { max_tokens: 0, openai: { top_k: 1, text_format: xml }, anthropic: 3, x: 1 }
";
const BAD_LLM: &str = "\
providers:
  word: 3
  local:
    apiType: openai-compatible
    baseUrl: http://127.0.0.1:1/v1
    apiKeyEnvVar: MISSING
    apiKey: sk-1
    baseURL: x
    future: y
    name: 3
    max_concurrent: 0
    llm_idle_timeout_ms: x
    caFile: own.pem
    thinking_replay: txt
    apiQuirks: [inline-think]
    models: { small: { contextLength: 1, context_length: x }, big: 3 }
  old: { apiType: codex, models: [] }
  bare: { apiType: mock, baseUrl: x }
";
const BAD_MCP: &str = "\
version: 2
server: {}
servers:
  'a b': {}
  word: word
  keys: { command: x, comand: y, sessionId: s, tools: { white: [] } }
  sdtio: { transport: sdtio }
  empty: {}
  ftp: { url: 'ftp://x' }
  args: { command: x, args: y }
  env: { command: x, env: { A: [1] } }
  flag: { command: x, truely-stateless: 3 }
  steps: { command: x, transform: [y] }
  secret: { url: 'http://x', headers: { Authorization: Bearer abc } }
";

/// All problems that a workspace with these files has, below `.minds` or, with a leading slash, at the top.
fn problems_of(files: &[(&str, &str)]) -> Vec<Problem> {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        match path.strip_prefix('/') {
            Some(path) => write(dir.path(), &[(&format!("../{path}"), text)]),
            None => write(dir.path(), &[(path, text)]),
        }
    }
    fs::create_dir_all(dir.path().join(".minds/memory/individual/lead")).unwrap();
    symlink("x", dir.path().join(".minds/memory/individual/lead/link.md")).unwrap();
    let minds = Minds::load(dir.path(), Lang::En);
    let wrong_entry = localized!("read_dirs: `/etc`: no", "read_dirs：`/etc`：不行");
    let mut problems = minds.problems().to_vec();
    problems.extend(minds.mcp().problems.clone());
    problems.extend(minds.missing());
    problems.extend(minds.missing_keys(&|_| None));
    problems.extend(minds.unknown_tools(&["ws_read", "read_file"]));
    problems
        .extend(minds.access_problems(|lists| {
            lists.read_dirs.iter().map(|_| wrong_entry.clone()).collect()
        }));
    problems.extend(priming_problems(dir.path()));
    problems.extend(taskdoc::problems(dir.path(), ["t.tsk", "file.tsk", "../up.tsk", "gone.tsk"]));
    problems
}

/// The first two parts of an id.
fn kind(problem: &Problem) -> String {
    problem.id.split('/').take(2).collect::<Vec<_>>().join("/")
}

#[test]
fn every_problem_of_the_configuration_has_a_chinese_text_and_fix() {
    let skill = "---\nname: x\ndescription: d\nallowed-tools: 3\n---\ntext\n";
    let script = "---\nkind: x\nversion: 2\napplicableMemberIds: 3\nreminders: 3\n---\n\
                  ### record hologram\n### record func_call_record\n";
    let large = "x".repeat(70_000);
    let workspaces = [
        vec![
            ("team.yaml", BAD_TEAM),
            ("llm.yaml", BAD_LLM),
            ("mcp.yaml", BAD_MCP),
            ("memory/individual/lead/large.md", &large),
            ("skills/team_shared/tools.md", skill),
            ("skills/team_shared/headless.md", "text"),
            ("skills/team_shared/list.md", "---\n- x\n---\ntext\n"),
            ("skills/team_shared/broken.md", "---\nname: [\n---\ntext\n"),
            ("skills/team_shared/nameless.md", "---\ndescription: 3\n---\ntext\n"),
            ("skills/team_shared/empty.md", "---\nname: x\ndescription: d\n---\n"),
            ("skills/team_shared/large.md", &large),
            ("skills/team_shared/twice.md", skill),
            ("skills/team_shared/twice/SKILL.md", skill),
            ("skills/team_shared/foreign.zh.md", skill),
            ("priming/team_shared/script.md", script),
            ("priming/team_shared/headless.md", "text"),
            ("priming/team_shared/broken.md", "---\n: [\n---\n"),
            ("/t.tsk/notes.txt", ""),
            ("/file.tsk", ""),
        ],
        vec![("team.yaml", "members: ["), ("llm.yaml", "providers: ["), ("mcp.yaml", "servers: [")],
        vec![("team.yaml", "- a"), ("llm.yaml", "- a"), ("mcp.yaml", "- a")],
        vec![("team.yaml", "members: 3\nmember_defaults: 3"), ("llm.yaml", "providers: 3")],
        vec![
            ("team.yaml", "default_responder: nobody\nmembers: { lead: {} }"),
            ("mcp.yaml", "servers: 3"),
        ],
        vec![("team.yaml", "members: { lead: { provider: bare } }"), ("llm.yaml", BAD_LLM)],
        vec![("team.yaml", "{{{{{{{{")],
        vec![("team.yaml/x", "")],
    ];
    let problems: Vec<Problem> = workspaces.iter().flat_map(|files| problems_of(files)).collect();
    for problem in &problems {
        assert_translated(&problem.text);
        assert_translated(&problem.fix);
    }
    let found: BTreeSet<String> = problems.iter().map(kind).collect();
    let expected = [
        "llm/no-key",
        "llm/no-provider",
        "llm/no-providers",
        "llm/secret",
        "llm/unknown-key",
        "llm/unusable-provider",
        "llm/wrong-type",
        "llm/wrong-value",
        "llm/yaml",
        "mcp/name",
        "mcp/no-command",
        "mcp/no-url",
        "mcp/secret",
        "mcp/session",
        "mcp/transform",
        "mcp/transport",
        "mcp/unknown-key",
        "mcp/version",
        "mcp/wrong-type",
        "mcp/yaml",
        "memory/unusable",
        "minds/unusable",
        "skills/allowed-tools",
        "skills/description",
        "skills/empty",
        "skills/name",
        "skills/no-front-matter",
        "skills/no-text",
        "skills/twice",
        "skills/yaml",
        "taskdoc/bad-path",
        "taskdoc/layout",
        "team/access",
        "team/bad-id",
        "team/closed-area",
        "team/empty",
        "team/missing",
        "team/no-model",
        "team/params",
        "team/priming",
        "team/shell-not-allowed",
        "team/two-spellings",
        "team/unknown-default-responder",
        "team/unknown-key",
        "team/unknown-model",
        "team/unknown-provider",
        "team/unknown-shell-specialist",
        "team/unknown-tool",
        "team/unknown-toolset",
        "team/unsupported",
        "team/wrong-type",
        "team/yaml",
    ];
    assert_eq!(found, expected.map(str::to_owned).into_iter().collect());
}
