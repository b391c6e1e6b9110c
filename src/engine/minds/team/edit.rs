//! Puts a member into the text of `team.yaml`, or takes one out. Everything else of the text stays, comments included: what
//! comes out is read, and has to say exactly what was there before and that.

use serde_json::{Map, Value};

use super::PATH;
use crate::domain::AgentId;
use crate::domain::text::{Localized, localized};
use crate::yaml;

const MEMBERS: &str = "members";
/// Indentation of members in a block that has none yet.
const INDENT: usize = 2;

/// The entry of a member; `None` if the file has none, or cannot be read.
#[must_use]
pub fn member_entry(text: &str, id: &AgentId) -> Option<Value> {
    yaml::parse(text).ok()?.get(MEMBERS)?.get(id.as_str()).cloned()
}

/// The text with one more member.
///
/// # Errors
/// It has no place for it that is safe to write to; the message for a person or a model.
pub fn with_member(text: &str, id: &AgentId, entry: &Value) -> Result<String, Localized> {
    let by_hand = || {
        let written = Value::Object(Map::from_iter([(id.to_string(), entry.clone())]));
        localized!(
            "{PATH} cannot be edited safely; add the member yourself: {written}",
            "无法安全地编辑 {PATH}；请自行添加成员：{written}"
        )
    };
    let before = members(text).ok_or_else(by_hand)?;
    if before.1.contains_key(id.as_str()) || has_two(text) {
        return Err(by_hand());
    }
    let mut after = before.clone();
    after.1.insert(id.to_string(), entry.clone());
    let indent = yaml::block_indent(text, &[MEMBERS]).unwrap_or(INDENT);
    let block = block(id, entry, indent).ok_or_else(by_hand)?;
    let changed = match yaml::block_entry(text, &[MEMBERS]) {
        Some(range) => {
            let (head, tail) = text.split_at_checked(range.end).ok_or_else(by_hand)?;
            format!("{head}{}{block}{tail}", line_end(head))
        }
        None => format!("{text}{}{MEMBERS}:\n{block}", line_end(text)),
    };
    if members(&changed).is_some_and(|now| now == after) { Ok(changed) } else { Err(by_hand()) }
}

/// The text without a member; the same text if it is not there.
///
/// # Errors
/// It cannot be taken out safely.
pub fn without_member(text: &str, id: &AgentId) -> Result<String, Localized> {
    let by_hand = || {
        localized!(
            "{PATH} cannot be edited safely; remove the member '{id}' yourself",
            "无法安全地编辑 {PATH}；请自行移除成员 '{id}'"
        )
    };
    let before = members(text).ok_or_else(by_hand)?;
    let mut after = before.clone();
    if after.1.remove(id.as_str()).is_none() {
        return Ok(text.to_owned());
    }
    let range = yaml::block_entry(text, &[MEMBERS, id.as_str()]).ok_or_else(by_hand)?;
    let mut changed = text.to_owned();
    changed.replace_range(range, "");
    if members(&changed).is_some_and(|now| now == after) { Ok(changed) } else { Err(by_hand()) }
}

/// The rest of the file, and its members; `None` for a file that says something else.
fn members(text: &str) -> Option<(Map<String, Value>, Map<String, Value>)> {
    let mut top = match yaml::parse(text).ok()? {
        Value::Object(top) => top,
        Value::Null => Map::new(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => return None,
    };
    match top.remove(MEMBERS) {
        Some(Value::Object(members)) => Some((top, members)),
        Some(Value::Null) | None => Some((top, Map::new())),
        Some(Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => None,
    }
}

/// True if the key of the members is written twice: then only one of them counts.
fn has_two(text: &str) -> bool {
    let key = |line: &&str| {
        let line = line.trim_start_matches(['"', '\'']);
        line.strip_prefix(MEMBERS)
            .is_some_and(|rest| rest.trim_start_matches(['"', '\'', ' ']).starts_with(':'))
    };
    text.lines().filter(key).count() > 1
}

fn block(id: &AgentId, entry: &Value, indent: usize) -> Option<String> {
    let written = yaml::write(&Map::from_iter([(id.to_string(), entry.clone())])).ok()?;
    let blanks = " ".repeat(indent);
    let lines: Vec<String> = written.lines().map(|line| format!("{blanks}{line}")).collect();
    Some(lines.join("\n") + "\n")
}

fn line_end(text: &str) -> &'static str {
    if text.is_empty() || text.ends_with('\n') { "" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn qa() -> (AgentId, Value) {
        (AgentId::new("qa"), json!({ "name": "QA", "toolsets": ["ws_read"] }))
    }

    #[test]
    fn s1_1_a_member_is_put_after_the_last_one_and_everything_else_stays() {
        let entry = "  qa:\n    name: QA\n    toolsets:\n    - ws_read\n";
        for (before, after) in [
            ("", format!("members:\n{entry}")),
            (
                "# mine\ndefault_responder: a",
                format!("# mine\ndefault_responder: a\nmembers:\n{entry}"),
            ),
            ("members:\n", format!("members:\n{entry}")),
            (
                "members: # all\n  a: { name: A }\n  b:\n    name: B # two\n\n# last\nshell_specialists: []\n",
                format!(
                    "members: # all\n  a: {{ name: A }}\n  b:\n    name: B # two\n{entry}\n# last\nshell_specialists: []\n"
                ),
            ),
            (
                "members:\n    a: {}",
                "members:\n    a: {}\n    qa:\n      name: QA\n      toolsets:\n      - ws_read\n"
                    .to_owned(),
            ),
        ] {
            let (id, entry) = qa();
            let written = with_member(before, &id, &entry).unwrap();
            assert_eq!(written, after, "{before}");
            assert_eq!(member_entry(&written, &id), Some(entry));
        }
    }

    #[test]
    fn what_is_written_otherwise_is_left_to_a_person() {
        for text in [
            "members: { a: {} }",
            "members: [a]",
            "- a",
            "members: [",
            "{\"members\": {}}",
            "members:\n  qa: {}\n",
            "members:\n  a: {}\nmembers:\n  b: {}\nother: 1\n",
        ] {
            let (id, entry) = qa();
            let refused = with_member(text, &id, &entry).unwrap_err().to_string();
            assert!(
                refused.starts_with(".minds/team.yaml cannot be edited safely"),
                "{text}: {refused}"
            );
        }
        let refused = without_member("members: { qa: {} }", &AgentId::new("qa")).unwrap_err();
        assert!(refused.to_string().contains("remove the member 'qa' yourself"), "{refused}");
    }

    proptest! {
        #[test]
        fn a_member_that_was_put_in_is_taken_out_again_without_a_trace(
            ids in prop::collection::btree_set("[a-pr-z][a-z0-9-]{0,4}", 0..4),
            comments in prop::collection::vec("(# [a-z]{0,5}|)", 8),
            after in proptest::bool::ANY,
            indent in 1_usize..5,
            text in "[ -~é\u{4e2d}]{0,30}",
        ) {
            let comment = |at: usize| format!("{}\n", comments[at % comments.len()]);
            let mut before = format!("{}members:\n", comment(0));
            for (at, id) in ids.iter().enumerate() {
                let pad = " ".repeat(indent);
                before.push_str(&format!("{pad}{id}:\n{pad}  name: {id} # n\n{pad}{}", comment(at + 1)));
            }
            if after {
                before.push_str(&format!("{}default_responder: x\n", comment(7)));
            }
            let id = AgentId::new("qa");
            let entry = json!({ "name": text, "gofor": [text], "tools": [] });
            let written = with_member(&before, &id, &entry).unwrap();
            prop_assert_eq!(member_entry(&written, &id), Some(entry));
            prop_assert_eq!(without_member(&written, &id).unwrap(), before);
        }
    }
}
