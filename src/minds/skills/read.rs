//! Parses one skill: name and description in the front matter, then the text.

use serde_json::{Map, Value};

use super::Skill;
use crate::domain::Problem;
use crate::minds::files::front_matter;
use crate::minds::report::{ProblemReport, value_type, with_line};
use crate::yaml;

const MAX_NAME_CHARS: usize = 120;
const MAX_DESCRIPTION_CHARS: usize = 2_000;
/// Further tool names are dropped.
const MAX_TOOLS: usize = 50;

/// Parses the file, if it can be used.
pub(super) fn read_skill(
    id: &str,
    path: &str,
    text: &str,
    problems: &mut Vec<Problem>,
) -> Option<Skill> {
    let Some((block, body)) = front_matter(text) else {
        problems.push(missing_front_matter(path));
        return None;
    };
    let map = parse_front_matter(path, block, problems)?;
    // Keeps the line numbers of the file.
    let head = format!("---\n{block}");
    let mut report = ProblemReport::new(path, &head);
    let name = read_line(&map, "name", MAX_NAME_CHARS, path, &mut report);
    let description = read_line(&map, "description", MAX_DESCRIPTION_CHARS, path, &mut report);
    let tools = read_tools(&map, path, &mut report);
    problems.extend(report.finish());
    let body = body.trim();
    if body.is_empty() {
        problems.push(Problem::new(
            format!("skills/empty/{path}"),
            path,
            "there is no text after the second `---`",
            "write down how it is done, or remove the file",
        ));
        return None;
    }
    Some(Skill {
        id: id.to_owned(),
        name: name?,
        description: description?,
        tools,
        body: body.to_owned(),
        path: path.to_owned(),
    })
}

fn missing_front_matter(path: &str) -> Problem {
    let problem = Problem::new(
        format!("skills/no-front-matter/{path}"),
        path,
        "a skill begins with `---`, then `name:` and `description:`, then `---`",
        "put these lines at the start of the file",
    );
    problem.at_line(1)
}

fn parse_front_matter(
    path: &str,
    block: &str,
    problems: &mut Vec<Problem>,
) -> Option<Map<String, Value>> {
    let (text, line) = match yaml::parse(block) {
        Ok(Value::Object(map)) => return Some(map),
        Ok(Value::Null) => return Some(Map::new()),
        Ok(other) => (
            format!("the block between the `---` lines is {}, not a map", value_type(&other)),
            Some(2),
        ),
        Err(error) => {
            (format!("the start cannot be read as YAML: {}", error.text), error.line.map(|n| n + 1))
        }
    };
    let fix = "write `name: …` and `description: …`, one per line";
    let problem = Problem::new(format!("skills/yaml/{path}"), path, text, fix);
    problems.push(with_line(problem, line));
    None
}

/// A required text, in one line.
fn read_line(
    map: &Map<String, Value>,
    key: &'static str,
    max_chars: usize,
    path: &str,
    report: &mut ProblemReport,
) -> Option<String> {
    let fault = match map.get(key) {
        Some(Value::String(text)) => {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            if !text.is_empty() && text.chars().count() <= max_chars {
                return Some(text);
            }
            format!("`{key}` must have 1 to {max_chars} characters")
        }
        None => format!("`{key}` is missing"),
        Some(other) => format!("`{key}` is {}, not a string", value_type(other)),
    };
    let id = format!("skills/{key}/{path}");
    report.add(&id, &[key], fault, format!("write `{key}: …` between the `---` lines"));
    None
}

/// A list of names, or names separated by commas or spaces.
fn read_tools(map: &Map<String, Value>, path: &str, report: &mut ProblemReport) -> Vec<String> {
    const KEY: &str = "allowed-tools";
    let names: Option<Vec<String>> = match map.get(KEY) {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::String(names)) => {
            let names = names.split([',', ' ']).filter(|name| !name.is_empty());
            Some(names.map(str::to_owned).collect())
        }
        Some(Value::Array(names)) => {
            names.iter().map(|name| name.as_str().map(str::to_owned)).collect()
        }
        Some(Value::Bool(_) | Value::Number(_) | Value::Object(_)) => None,
    };
    if names.is_none() {
        let text = format!("`{KEY}` is not a list of names; ignored");
        let fix = format!("write `{KEY}: [name, name]`, or remove it");
        report.add(&format!("skills/{KEY}/{path}"), &[KEY], text, fix);
    }
    names.unwrap_or_default().into_iter().take(MAX_TOOLS).collect()
}
