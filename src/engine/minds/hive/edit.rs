//! Changes one level in the text of `hive.yaml`; everything else of the text stays, comments included.
//!
//! The places where the level could be written are tried in turn: the first one counts that gives exactly the wanted
//! content.

use std::ops::Range;

use serde_json::{Map, Value, json};

use super::PATH;
use crate::domain::asking::autonomy::{AutonomyLevel, AutonomyScope};
use crate::domain::text::{Localized, localized};
use crate::yaml::{self, Lines};

const LEVEL: &str = "level";

/// The text with this level for this scope.
///
/// # Errors
/// The text cannot be read, or has no place for it; the message for the person.
pub fn with_level(
    text: &str,
    scope: &AutonomyScope,
    level: AutonomyLevel,
) -> Result<String, Localized> {
    let keys = keys_of(scope);
    let unreadable = |error: yaml::YamlError| {
        let error = error.message();
        localized!(
            [error] "{PATH} cannot be read: {error}",
            "无法读取 {PATH}：{error}"
        )
    };
    let written = yaml::parse(text).map_err(unreadable)?;
    let before = if written.is_null() { json!({ "version": 1 }) } else { written };
    let by_hand = || {
        let (path, level) = (keys.join("."), level.name());
        localized!(
            "{PATH} is written in a way that is not changed here: set `{path}` to {level} there",
            "{PATH} 的写法无法在此修改：请在文件中把 `{path}` 设为 {level}"
        )
    };
    let after = with_value(before, &keys, level.name()).ok_or_else(by_hand)?;
    let lines = Lines::of(text);
    let candidates =
        replaced(text, &lines, &keys, level.name()).chain(added(text, &lines, &keys, level.name()));
    let says_it = |candidate: &String| yaml::parse(candidate).is_ok_and(|value| value == after);
    candidates.into_iter().find(says_it).ok_or_else(by_hand)
}

fn keys_of(scope: &AutonomyScope) -> Vec<&str> {
    match scope {
        AutonomyScope::Workspace => vec!["autonomy", LEVEL],
        AutonomyScope::Team(name) => vec!["autonomy", "teams", name, LEVEL],
        AutonomyScope::Member(id) => vec!["autonomy", "members", id.as_str(), LEVEL],
    }
}

/// `None` where something else than a mapping stands on the way.
fn with_value(document: Value, keys: &[&str], level: &str) -> Option<Value> {
    let Some((key, rest)) = keys.split_first() else { return Some(Value::from(level)) };
    let mut map = match document {
        Value::Object(map) => map,
        Value::Null => Map::new(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => return None,
    };
    let below = map.remove(*key).unwrap_or_default();
    // Its place among the other keys does not matter.
    map.insert((*key).to_owned(), with_value(below, rest, level)?);
    Some(Value::Object(map))
}

/// The text with another value behind each `level:` in the line of that key.
fn replaced(text: &str, lines: &Lines, keys: &[&str], level: &str) -> impl Iterator<Item = String> {
    let line = lines.of_key(keys).and_then(|line| line_range(text, line));
    let values = line.into_iter().flat_map(|range| level_values(text, range));
    values.map(move |value| {
        let mut changed = text.to_owned();
        changed.replace_range(value, level);
        changed
    })
}

/// Where the values behind each `level:` of a part of the text stand.
fn level_values(text: &str, within: Range<usize>) -> Vec<Range<usize>> {
    let part = text.get(within.clone()).unwrap_or_default();
    let starts = part.match_indices(LEVEL).map(|(at, _)| at + LEVEL.len());
    let value = |after: usize| {
        let rest = part.get(after..)?;
        let colon = rest.find(':')?;
        let start = after + colon + 1;
        let value = part.get(start..)?;
        let blanks = value.len() - value.trim_start_matches([' ', '\t']).len();
        let word = value.get(blanks..)?;
        let end = word.find([',', '}', '\n', '\r', ' ', '\t', '#']);
        let end = end.unwrap_or(word.len());
        let start = within.start + start + blanks;
        (end > 0).then_some(start..start + end)
    };
    starts.filter_map(value).collect()
}

/// The text with the missing keys added to the deepest mapping that is there: below its line, within its braces, or at
/// the end of the text.
fn added(text: &str, lines: &Lines, keys: &[&str], level: &str) -> impl Iterator<Item = String> {
    let known = (1..keys.len()).rev().find_map(|count| {
        let line = lines.of_key(keys.get(..count)?)?;
        Some((line, keys.get(count..)?))
    });
    let mut candidates = Vec::new();
    if let Some((line, missing)) = known
        && let Some(range) = line_range(text, line)
    {
        let indent = indent_below(text, &range);
        let block = block(missing, level, indent);
        let at = range.end;
        let gap =
            if text.get(..at).is_some_and(|before| before.ends_with('\n')) { "" } else { "\n" };
        candidates.push(inserted(text, at, &format!("{gap}{block}")));
        candidates.extend(in_braces(text, range, missing, level));
    }
    if known.is_none() {
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let block = block(keys, level, 0);
        candidates.push(format!("{text}{gap}{block}"));
        candidates.push(format!("{text}{gap}version: 1\n{block}"));
        candidates.extend(in_braces(text, 0..text.len(), keys, level));
    }
    candidates.into_iter()
}

/// The keys as mappings within each other, one line each.
fn block(keys: &[&str], level: &str, indent: usize) -> String {
    let last = keys.len().saturating_sub(1);
    let line = |(depth, key): (usize, &&str)| {
        let blanks = " ".repeat(indent + 2 * depth);
        let value = if depth == last { format!(" {level}") } else { String::new() };
        format!("{blanks}{}:{value}\n", quoted(key))
    };
    keys.iter().enumerate().map(line).collect()
}

/// The keys as the first entry of each pair of braces that begins in this part of the text.
fn in_braces(text: &str, within: Range<usize>, keys: &[&str], level: &str) -> Vec<String> {
    let (first, rest) = keys.split_first().unwrap_or((&LEVEL, &[]));
    let opened: Vec<String> = rest.iter().map(|key| format!("{{ {}: ", json_quoted(key))).collect();
    let opened = opened.concat();
    let closed = " }".repeat(rest.len());
    let entry = format!(" {}: {opened}\"{level}\"{closed}", json_quoted(first));
    let part = text.get(within.clone()).unwrap_or_default();
    let braces = part.match_indices('{').map(|(at, _)| within.start + at + 1);
    let with_entry = |at: usize| {
        let is_last = text.get(at..).is_some_and(|rest| rest.trim_start().starts_with('}'));
        inserted(text, at, &format!("{entry}{}", if is_last { " " } else { "," }))
    };
    braces.map(with_entry).collect()
}

fn inserted(text: &str, at: usize, part: &str) -> String {
    let mut changed = text.to_owned();
    changed.insert_str(at, part);
    changed
}

/// The bytes of a line, with its end.
fn line_range(text: &str, line: usize) -> Option<Range<usize>> {
    let mut start = 0;
    for (number, part) in (1..).zip(text.split_inclusive('\n')) {
        if number == line {
            return Some(start..start + part.len());
        }
        start += part.len();
    }
    None
}

/// The indentation of what stands below a line, or what it would be.
fn indent_below(text: &str, line: &Range<usize>) -> usize {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let own = text.get(line.clone()).map_or(0, indent);
    let below = text.get(line.end..).unwrap_or_default().lines();
    let says = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    below.into_iter().find(says).map(indent).filter(|below| *below > own).unwrap_or(own + 2)
}

/// A key of a block: plain where that is safe.
fn quoted(key: &str) -> String {
    let is_plain = key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
        && !["y", "n", "yes", "no", "on", "off", "true", "false", "null"]
            .contains(&key.to_ascii_lowercase().as_str());
    if is_plain { key.to_owned() } else { json_quoted(key) }
}

fn json_quoted(key: &str) -> String {
    Value::from(key).to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::AgentId;

    fn workspace(text: &str, level: AutonomyLevel) -> Result<String, Localized> {
        with_level(text, &AutonomyScope::Workspace, level)
    }

    fn alice() -> AutonomyScope {
        AutonomyScope::Member(AgentId::new("alice"))
    }

    #[test]
    fn q11_a_level_is_written_and_everything_else_stays() {
        let full = AutonomyLevel::Full;
        for (before, scope, after) in [
            ("", AutonomyScope::Workspace, "version: 1\nautonomy:\n  level: full\n"),
            (
                "# mine\nversion: 1 # one\n",
                AutonomyScope::Workspace,
                "# mine\nversion: 1 # one\nautonomy:\n  level: full\n",
            ),
            (
                "autonomy:\n    level: major_only   # as agreed\n    scopeChanges: automated\n",
                AutonomyScope::Workspace,
                "autonomy:\n    level: full   # as agreed\n    scopeChanges: automated\n",
            ),
            (
                "autonomy:\n    # none yet\n    scopeChanges: automated",
                AutonomyScope::Workspace,
                "autonomy:\n    level: full\n    # none yet\n    scopeChanges: automated",
            ),
            (
                "autonomy: { level: \"confirm_all\", teams: { main: { level: major_only } } }\n",
                AutonomyScope::Team("main".to_owned()),
                "autonomy: { level: \"confirm_all\", teams: { main: { level: full } } }\n",
            ),
            (
                "autonomy: {}\nquestions: { capture: off }",
                AutonomyScope::Workspace,
                "autonomy: { \"level\": \"full\" }\nquestions: { capture: off }",
            ),
            (
                "autonomy:\n  level: major_only\n  members: { bob: { level: full } }\n",
                alice(),
                "autonomy:\n  level: major_only\n  members: { \"alice\": { \"level\": \"full\" }, bob: { level: full } }\n",
            ),
            (
                "autonomy:\n  level: major_only\n",
                alice(),
                "autonomy:\n  members:\n    alice:\n      level: full\n  level: major_only\n",
            ),
            (
                "{\"version\": 1}",
                AutonomyScope::Workspace,
                "{ \"autonomy\": { \"level\": \"full\" },\"version\": 1}",
            ),
        ] {
            let written = with_level(before, &scope, full);
            assert_eq!(written.as_deref(), Ok(after), "{before}");
        }
    }

    #[test]
    fn what_is_written_otherwise_is_left_to_the_person() {
        for text in
            ["autonomy: full", "- a", "autonomy: [", "autonomy: &a { level: full }\nmore: *a"]
        {
            let refused = workspace(text, AutonomyLevel::MajorOnly).unwrap_err();
            assert!(refused.to_string().contains(".minds/hive/hive.yaml"), "{refused}");
        }
    }

    proptest! {
        #[test]
        fn a_level_that_was_written_is_the_only_thing_that_changed(
            workspace in proptest::option::of(0_usize..3),
            other in proptest::option::of(0_usize..3),
            flow in proptest::bool::ANY,
            member in "[a-z]{1,3}|on|7|é|a b|x: y",
            level in 0_usize..3,
        ) {
            let level_of = |at: usize| AutonomyLevel::ALL[at].name();
            let own = workspace.map(|at| format!("level: {}", level_of(at)));
            let members = other.map(|at| {
                format!("members: {{ {}: {{ level: {} }} }}", json_quoted(&member), level_of(at))
            });
            let parts: Vec<String> = own.into_iter().chain(members).collect();
            let text = match (flow, parts.is_empty()) {
                (_, true) => "# nothing\n".to_owned(),
                (true, _) => format!("autonomy: {{ {} }} # why\n", parts.join(", ")),
                (false, _) => format!("autonomy: # why\n  {}\n", parts.join("\n  ")),
            };
            let scope = AutonomyScope::Member(AgentId::new(&member));
            let written = with_level(&text, &scope, AutonomyLevel::ALL[level]).unwrap();
            let value = yaml::parse(&written).unwrap();
            let found = value.pointer(&format!("/autonomy/members/{member}/level"));
            prop_assert_eq!(found, Some(&Value::from(level_of(level))));
            prop_assert_eq!(value.pointer("/autonomy/level").cloned(), workspace.map(|at| level_of(at).into()));
            prop_assert_eq!(written.matches('#').count(), text.matches('#').count());
        }
    }
}
