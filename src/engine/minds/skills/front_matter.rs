//! Parses one skill: name and description in the front matter, then the text.

use serde_json::{Map, Value};

use super::Skill;
use crate::domain::Problem;
use crate::domain::text::{Text, localized};
use crate::minds::report::{ProblemReport, value_type, with_line};
use crate::minds::untrusted_files::front_matter;
use crate::yaml;

const MAX_NAME_CHARS: usize = 120;
const MAX_DESCRIPTION_CHARS: usize = 2_000;
/// Further tool names are dropped.
pub(in crate::minds) const MAX_TOOLS: usize = 50;

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
    check_flags(&map, path, &mut report);
    problems.extend(report.finish());
    let body = body.trim();
    if body.is_empty() {
        problems.push(Problem::new(
            format!("skills/empty/{path}"),
            path,
            Text::new("there is no text after the second `---`", "第二个 `---` 之后没有内容"),
            Text::new("write down how it is done, or remove the file", "请写明做法，或移除文件"),
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
        Text::new(
            "a skill begins with `---`, then `name:` and `description:`, then `---`",
            "技能的开头应是 `---`，然后是 `name:` 和 `description:`，再是 `---`",
        ),
        Text::new("put these lines at the start of the file", "请把这些行放在文件开头"),
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
        Ok(other) => {
            let kind = value_type(&other);
            let text = localized!(
                [kind] "the block between the `---` lines is {kind}, not a map",
                "两行 `---` 之间的内容是{kind}，不是映射"
            );
            (text, Some(2))
        }
        Err(error) => {
            // The line is that of the file.
            let reason = error.text.clone().map(|said| without_place(&said));
            let text = localized!(
                [reason] "the start cannot be read as YAML: {reason}",
                "文件开头无法作为 YAML 读取：{reason}"
            );
            (text, error.line.map(|n| n + 1))
        }
    };
    let fix = Text::new(
        "write `name: …` and `description: …`, one per line; put a value with `: ` or ` #` in it, or one that begins \
             with a sign such as `[`, in quotes: `description: \"…\"`",
        "请写 `name: …` 和 `description: …`，各占一行；值中含有 `: ` 或 ` #`，或以 `[` 等符号开头时，请加引号：\
             `description: \"…\"`",
    );
    let problem = Problem::new(format!("skills/yaml/{path}"), path, text, fix);
    problems.push(with_line(problem, line));
    None
}

/// What the parser says, without the line it counted.
fn without_place(reason: &str) -> String {
    let cut = reason.find(" at line ").unwrap_or(reason.len());
    reason.get(..cut).unwrap_or(reason).to_owned()
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
            localized!(
                "`{key}` must have 1 to {max_chars} characters",
                "`{key}` 必须有 1 到 {max_chars} 个字符"
            )
        }
        None => localized!("`{key}` is missing", "缺少 `{key}`"),
        Some(other) => {
            let kind = value_type(other);
            localized!([kind] "`{key}` is {kind}, not a string", "`{key}` 是{kind}，不是字符串")
        }
    };
    let id = format!("skills/{key}/{path}");
    let fix =
        localized!("write `{key}: …` between the `---` lines", "请在两行 `---` 之间写 `{key}: …`");
    report.add(&id, &[key], fault, fix);
    None
}

/// Checks the keys that say to other programs who may ask for a skill. Here they change nothing.
fn check_flags(map: &Map<String, Value>, path: &str, report: &mut ProblemReport) {
    for key in ["user-invocable", "disable-model-invocation"] {
        let Some(value) = map.get(key).filter(|value| !value.is_null() && !value.is_boolean())
        else {
            continue;
        };
        let kind = value_type(value);
        let text = localized!([kind] "`{key}` is {kind}; ignored", "`{key}` 是{kind}；已忽略");
        let fix = localized!(
            "write `{key}: true` or `{key}: false`",
            "请写 `{key}: true` 或 `{key}: false`"
        );
        report.warn(&format!("skills/{key}/{path}"), &[key], text, fix);
    }
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
        let text =
            localized!("`{KEY}` is not a list of names; ignored", "`{KEY}` 不是名称列表；已忽略");
        let fix = localized!(
            "write `{KEY}: [name, name]`, or remove it",
            "请写成 `{KEY}: [name, name]`，或删除它"
        );
        report.add(&format!("skills/{KEY}/{path}"), &[KEY], text, fix);
    }
    names.unwrap_or_default().into_iter().take(MAX_TOOLS).collect()
}
