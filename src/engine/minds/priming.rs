//! Checks the startup scripts below `.minds/priming/`. The records that a script left in a dialog are
//! read like any others.

use std::path::Path;

use serde_json::Value;

use super::report::{clip, unusable, value_type, with_line};
use super::untrusted_files::{self, FileContent};
use crate::domain::Problem;
use crate::domain::text::json;
use crate::domain::text::{Localized, Text, localized};
use crate::yaml::{self, Lines};

pub(super) const FOLDER: &str = ".minds/priming";
const KIND: &str = "agent_priming_script";
const VERSION: u64 = 3;
const MAX_SCRIPTS: usize = 500;
pub(super) const MAX_DEPTH: usize = 4;
pub(super) const RECORD_HEADING: &str = "### record ";

/// Records a script may add to a dialog.
const RECORD_NAMES: [&str; 11] = [
    "human_text_record",
    "runtime_guide_record",
    "agent_thought_record",
    "agent_words_record",
    "func_call_record",
    "func_result_record",
    "tellask_call_record",
    "tellask_result_record",
    "tellask_carryover_record",
    "ui_only_markdown_record",
    "gen_finish_record",
];

/// Problems of the scripts of a workspace, sorted by path.
#[must_use]
pub fn priming_problems(workspace: &Path) -> Vec<Problem> {
    let mut paths = Vec::new();
    for folder in ["team_shared", "individual"] {
        collect_scripts(workspace, &format!("{FOLDER}/{folder}"), MAX_DEPTH, &mut paths);
    }
    paths.sort_unstable();
    let read = |path: &String| match untrusted_files::read(
        workspace,
        path,
        untrusted_files::TEXT_LIMIT_BYTES,
    ) {
        FileContent::Text(text) => script_problems(path, &text),
        FileContent::Missing => Vec::new(),
        FileContent::Unusable(reason) => vec![unusable(path, &reason)],
    };
    paths.iter().flat_map(read).collect()
}

/// Collects Markdown files below a folder, relative to the workspace. Links are not followed.
fn collect_scripts(workspace: &Path, folder: &str, depth: usize, paths: &mut Vec<String>) {
    let found = std::fs::read_dir(workspace.join(folder)).into_iter().flatten().flatten();
    for entry in found.take(MAX_SCRIPTS) {
        let (Ok(kind), Some(name)) =
            (entry.file_type(), entry.file_name().to_str().map(str::to_owned))
        else {
            continue;
        };
        let path = format!("{folder}/{name}");
        if kind.is_dir() && depth > 0 {
            collect_scripts(workspace, &path, depth - 1, paths);
        } else if Path::new(&name).extension().is_some_and(|ending| ending == "md")
            && paths.len() < MAX_SCRIPTS
        {
            paths.push(path);
        }
    }
}

pub(super) fn script_problems(path: &str, text: &str) -> Vec<Problem> {
    let problem = |what: &str, line: Option<usize>, found: Localized, fix: Text| {
        with_line(
            Problem::new(format!("team/priming/{what}/{path}"), path, found, fix).warning(),
            line,
        )
    };
    let body = untrusted_files::without_front_matter(text);
    let Some(head) = text.strip_suffix(body).filter(|head| !head.is_empty()) else {
        let found = Text::new(
            "there is no block between two `---` lines at the start",
            "开头没有两行 `---` 之间的内容",
        );
        let fix = Text::new(
            "begin with `---`, `kind: agent_priming_script`, `version: 3`, `title:`, `---`",
            "请以 `---`、`kind: agent_priming_script`、`version: 3`、`title:`、`---` 开头",
        );
        return vec![problem("head", Some(1), found.into(), fix)];
    };
    let inner = head.trim().trim_start_matches("---").trim_end_matches("---");
    let fields = match yaml::parse(inner) {
        Ok(fields) => fields,
        Err(error) => {
            let reason = &error.text;
            let found = localized!(
                [reason] "the block at the start cannot be read as YAML: {reason}",
                "开头的内容无法作为 YAML 读取：{reason}"
            );
            return vec![problem(
                "head",
                error.line,
                found,
                Text::new("fix the syntax", "请修正语法"),
            )];
        }
    };
    let lines = Lines::of(inner);
    let mut problems: Vec<Problem> = invalid_fields(&fields)
        .into_iter()
        .map(|(key, found, fix)| problem(key, Some(lines.of_key(&[key]).unwrap_or(1)), found, fix))
        .collect();
    let before = head.lines().count();
    problems.extend(invalid_records(body).into_iter().map(|(line, found, fix)| {
        problem(&format!("record/{line}"), Some(before + line), found, fix)
    }));
    problems
}

/// `(key, problem, fix)`.
fn invalid_fields(fields: &Value) -> Vec<(&'static str, Localized, Text)> {
    let mut faults = Vec::new();
    let text = |key: &str| fields.get(key).and_then(Value::as_str).map(str::trim);
    if text("kind") != Some(KIND) {
        let found = localized!("`kind` is not `{KIND}`", "`kind` 不是 `{KIND}`");
        faults.push(("kind", found, Text::new("write it so", "请这样写")));
    }
    if fields.get("version").and_then(Value::as_u64) != Some(VERSION) {
        let found = localized!("`version` is not {VERSION}", "`version` 不是 {VERSION}");
        let fix = Text::new("only this version is supported", "只支持这个版本");
        faults.push(("version", found, fix));
    }
    if text("title").is_none_or(str::is_empty) {
        let found = Text::new("there is no `title`", "没有 `title`");
        let fix = Text::new("name what the script is for", "请写明脚本的用途");
        faults.push(("title", found.into(), fix));
    }
    match fields.get("applicableMemberIds") {
        None => {}
        Some(Value::Array(ids)) if ids.iter().all(Value::is_string) => {}
        Some(other) => {
            let kind = value_type(other);
            let found = localized!([kind] "`applicableMemberIds` is {kind}", "`applicableMemberIds` 是{kind}");
            let fix = Text::new("write a list of members' ids", "请写成员 id 的列表");
            faults.push(("applicableMemberIds", found, fix));
        }
    }
    let has_content = |one: &Value| one.get("content").is_some_and(Value::is_string);
    match fields.get("reminders") {
        None => {}
        Some(Value::Array(all)) if all.iter().all(has_content) => {}
        Some(_) => {
            let found = Text::new(
                "`reminders` is not a list of maps with `content`",
                "`reminders` 不是带有 `content` 的映射列表",
            );
            let fix = Text::new("give each reminder a `content`", "请为每条提醒写上 `content`");
            faults.push(("reminders", found.into(), fix));
        }
    }
    faults
}

/// `(line, problem, fix)`; lines of the body, 1-based.
fn invalid_records(body: &str) -> Vec<(usize, Localized, Text)> {
    let lines: Vec<&str> = body.lines().collect();
    let mut faults = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = line.strip_prefix(RECORD_HEADING).map(str::trim) else { continue };
        if !RECORD_NAMES.contains(&name) {
            let name = clip(name);
            let found = localized!(
                "`{name}` is not a record type a script can have",
                "`{name}` 不是脚本可以有的记录类型"
            );
            let fix = Text::new(
                "use a type such as `human_text_record`",
                "请用 `human_text_record` 这样的类型",
            );
            faults.push((at + 1, found, fix));
        } else if name == "func_call_record"
            && !has_json_block(lines.get(at + 1..).unwrap_or_default())
        {
            let found = Text::new("the call has no JSON block", "这个调用没有 JSON 块");
            let fix = Text::new(
                "put its fields between ```json and ```",
                "请把它的字段放在 ```json 和 ``` 之间",
            );
            faults.push((at + 1, found.into(), fix));
        }
    }
    faults
}

/// True if a fenced block of JSON follows before the next record.
fn has_json_block(below: &[&str]) -> bool {
    let own = below.iter().take_while(|line| !line.starts_with(RECORD_HEADING));
    let fenced: Vec<&str> = own
        .skip_while(|line| !line.starts_with("```"))
        .skip(1)
        .take_while(|line| !line.starts_with("```"))
        .copied()
        .collect();
    json::read::<Value>(&fenced.join("\n")).is_ok_and(|value| value.is_object())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "---\nkind: agent_priming_script\nversion: 3\ntitle: First steps\n---\n";

    fn found(text: &str) -> Vec<(String, Option<usize>)> {
        let problems = script_problems("p.md", text).into_iter();
        problems.map(|p| (p.id.trim_start_matches("team/priming/").to_owned(), p.line)).collect()
    }

    #[test]
    fn a_script_needs_front_matter_and_known_records() {
        let call = "### record func_call_record\n```json\n{\"name\": \"list_dir\"}\n```\n";
        for (text, expected) in [
            (format!("{HEAD}\n### record human_text_record\nHello\n\n{call}"), vec![]),
            ("Hello".to_owned(), vec![("head/p.md", Some(1))]),
            ("---\n: [\n---\n".to_owned(), vec![("head/p.md", Some(2))]),
            (HEAD.replace("version: 3", "version: 2"), vec![("version/p.md", Some(3))]),
            (HEAD.replace("title: First steps\n", ""), vec![("title/p.md", Some(1))]),
            (HEAD.replace("title", "reminders: [x]\ntitle"), vec![("reminders/p.md", Some(4))]),
            (
                HEAD.replace("title", "applicableMemberIds: lead\ntitle"),
                vec![("applicableMemberIds/p.md", Some(4))],
            ),
            (format!("{HEAD}\n### record hologram\n"), vec![("record/2/p.md", Some(7))]),
            (format!("{HEAD}### record func_call_record\nx\n"), vec![("record/1/p.md", Some(6))]),
        ] {
            let found = found(&text);
            let found: Vec<_> = found.iter().map(|(id, line)| (id.as_str(), *line)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn scripts_are_found_in_both_folders() {
        let dir = tempfile::tempdir().unwrap();
        for path in
            ["team_shared/a.md", "individual/lead/sub/b.md", "other/c.md", "team_shared/d.txt"]
        {
            let path = dir.path().join(FOLDER).join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "no head").unwrap();
        }
        let problems = priming_problems(dir.path());
        let paths: Vec<&str> = problems.iter().map(|problem| problem.path.as_str()).collect();
        assert_eq!(
            paths,
            [".minds/priming/individual/lead/sub/b.md", ".minds/priming/team_shared/a.md"]
        );
    }
}
