//! Reads the configuration anew and says what is wrong with one part of it.

use serde_json::Value;

use super::{Known, configuration, lines};
use crate::domain::{Lang, Problem, Severity};
use crate::minds::priming_problems;
use crate::tools::{Args, Outcome, ToolCx};
use crate::yaml;

const TEAM_FILES: [&str; 2] = [".minds/team.yaml", ".minds/team/"];
const MCP_FILE: &str = ".minds/mcp.yaml";

pub(super) fn team(known: &Known, cx: &ToolCx, _: &Args) -> Outcome {
    let (minds, mut problems) = configuration(known, cx);
    // Which model a member gets depends on both files; the finding stands in either.
    let is_ours = |problem: &Problem| {
        let own = TEAM_FILES.iter().any(|file| problem.path.starts_with(file));
        own || problem.text.contains("needed by")
    };
    problems.retain(is_ours);
    problems.extend(minds.missing().map(Problem::warning));
    let members: Vec<&str> = minds.team().visible().map(|member| member.id.as_str()).collect();
    let head = match cx.lang {
        Lang::En => format!("Members that can be asked: {}.", list(&members)),
        Lang::Zh => format!("可以找的成员:{}。", list(&members)),
    };
    verdict(&head, &problems, cx.lang)
}

pub(super) fn mcp(known: &Known, cx: &ToolCx, _: &Args) -> Outcome {
    let text = match std::fs::read_to_string(cx.workspace.join(MCP_FILE)) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let text = "There is no `.minds/mcp.yaml`: no tool servers, and nothing to mend.";
            return Outcome::done(
                cx.lang.pick(text, "没有 `.minds/mcp.yaml`:没有工具服务,也无需修正。"),
            );
        }
        Err(error) => return Outcome::failed(format!("{MCP_FILE}: {}", error.kind())),
    };
    let mut problems = shape(&text);
    // What came up when the servers were started.
    let running = known.problems.book().open();
    problems.extend(running.into_iter().filter(|problem| problem.id.starts_with("mcp/")));
    verdict(MCP_FILE, &problems, cx.lang)
}

/// What can be said about the file without starting anything.
fn shape(text: &str) -> Vec<Problem> {
    let problem = |id: &str, found: String, mend: &str| Problem::new(id, MCP_FILE, found, mend);
    let file = match yaml::parse(text) {
        Ok(file) => file,
        Err(error) => {
            let found = format!("the file cannot be read as YAML: {}", error.text);
            let told = problem("mcp/yaml", found, "mend the syntax");
            return vec![error.line.into_iter().fold(told, Problem::at_line)];
        }
    };
    let Some(servers) = file.get("servers").and_then(Value::as_object) else {
        let found = "there is no map `servers`".to_owned();
        return vec![problem(
            "mcp/no-servers",
            found,
            "write `servers:` with one entry per server",
        )];
    };
    let entries = servers.iter().filter_map(|(id, entry)| {
        let has = |key: &str| entry.get(key).and_then(Value::as_str).is_some_and(|t| !t.is_empty());
        let (needed, kind) = match entry.get("transport").and_then(Value::as_str) {
            None | Some("stdio") => ("command", "stdio"),
            Some("streamable_http") => ("url", "streamable_http"),
            Some(other) => {
                let found = format!("server `{id}`: there is no transport `{other}`");
                let mend = "write `stdio` or `streamable_http`";
                return Some(problem(&format!("mcp/transport/{id}"), found, mend));
            }
        };
        let found = format!("server `{id}` ({kind}) has no `{needed}`");
        let mend = "say what to run, or where to connect";
        (!has(needed)).then(|| problem(&format!("mcp/incomplete/{id}"), found, mend))
    });
    entries.collect()
}

pub(super) fn priming(_: &Known, cx: &ToolCx, _: &Args) -> Outcome {
    verdict(".minds/priming/", &priming_problems(&cx.workspace), cx.lang)
}

fn list(names: &[&str]) -> String {
    if names.is_empty() { "-".to_owned() } else { names.join(", ") }
}

/// Warnings alone are no failure.
fn verdict(head: &str, problems: &[Problem], lang: Lang) -> Outcome {
    if problems.is_empty() {
        let fine = lang.pick("Everything is in order.", "一切正常。");
        return Outcome::done(format!("{head}\n{fine}"));
    }
    let text = format!("{head}\n{}", lines(problems));
    let any_error = problems.iter().any(|problem| problem.severity == Severity::Error);
    if any_error { Outcome::failed(text) } else { Outcome::done(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_needs_what_its_transport_needs() {
        for (text, ids) in [
            ("servers: {}", vec![]),
            ("servers: { a: { command: x } }", vec![]),
            ("servers: { a: { transport: streamable_http, url: 'http://x' } }", vec![]),
            (
                "servers: { a: { transport: streamable_http, command: x } }",
                vec!["mcp/incomplete/a"],
            ),
            (
                "servers: { a: {}, b: { transport: sse } }",
                vec!["mcp/incomplete/a", "mcp/transport/b"],
            ),
            ("version: 1", vec!["mcp/no-servers"]),
            ("servers: [", vec!["mcp/yaml"]),
        ] {
            let found = shape(text);
            let found: Vec<&str> = found.iter().map(|problem| problem.id.as_str()).collect();
            assert_eq!(found, ids, "{text}");
        }
    }
}
