//! Puts a member that was made for a team into the text of the team's file. Everything else of the text stays, comments
//! included: what comes out is read, and has to say exactly what was there before and that.

use serde_json::{Map, Value, json};

use super::teams::file_of;
use crate::domain::text::{Localized, localized};
use crate::domain::{AgentId, TeamName};
use crate::yaml;

const MEMBERS: &str = "members";
const SPAWNED: &str = "spawned";

/// The text with one more member, who was made for the team.
///
/// # Errors
/// It is written in a way that is not changed here.
pub fn with_team_member(text: &str, team: &TeamName, id: &AgentId) -> Result<String, Localized> {
    let by_hand = || {
        let path = file_of(team);
        localized!(
            "{path} cannot be edited safely; add '{id}' to `members` yourself",
            "无法安全地编辑 {path}；请自行把 '{id}' 加入 `members`"
        )
    };
    with_both(text, team, id.as_str()).ok_or_else(by_hand)
}

fn with_both(text: &str, team: &TeamName, id: &str) -> Option<String> {
    let Value::Object(before) = yaml::parse(text).ok()? else { return None };
    let mut after = before.clone();
    match after.get_mut(MEMBERS) {
        Some(Value::Array(members)) => members.push(id.into()),
        // A lead alone need not be named.
        None | Some(Value::Null) => {
            let members = json!([before.get("lead")?, id]);
            after.insert(MEMBERS.to_owned(), members);
        }
        Some(_) => return None,
    }
    let text = with_item(text, (MEMBERS, id), &after)?;
    match after.get_mut(SPAWNED) {
        Some(Value::Object(spawned)) => {
            let members = spawned.entry(MEMBERS).or_insert_with(|| json!([]));
            members.as_array_mut()?.push(id.into());
        }
        None | Some(Value::Null) => {
            after.insert(SPAWNED.to_owned(), json!({ MEMBERS: [id], "by": team }));
        }
        Some(_) => return None,
    }
    with_item(&text, (SPAWNED, id), &after)
}

/// The text with an item in a list of this key, so that it says that: in brackets, as a line of a block, or as a new key.
fn with_item(text: &str, (key, id): (&str, &str), wanted: &Map<String, Value>) -> Option<String> {
    let quoted = Value::from(id).to_string();
    let mut candidates: Vec<String> = Vec::new();
    if let Some(range) = yaml::block_entry(text, &[key]) {
        for item in [id, &quoted] {
            let (start, entry) = (range.start, text.get(range.clone())?);
            let mut places = Vec::new();
            for (at, _) in entry.match_indices(']') {
                places.push((start + at, item.to_owned()));
                places.push((start + at, format!(", {item}")));
            }
            let mut end = start;
            for line in entry.split_inclusive('\n') {
                end += line.len();
                let blanks = line.len() - line.trim_start_matches(' ').len();
                if line.trim_start().starts_with("- ") {
                    let gap = if line.ends_with('\n') { "" } else { "\n" };
                    places.push((end, format!("{gap}{}- {item}\n", " ".repeat(blanks))));
                }
            }
            // Behind the last item is the place for another one.
            let all = places.into_iter().rev();
            candidates.extend(all.map(|(at, part)| inserted(text, at, &part)));
        }
        let empty = format!("{key}: {}\n", wanted.get(key)?);
        let says_nothing = matches!(yaml::parse(text).ok()?.get(key), Some(Value::Null));
        let mut changed = text.to_owned();
        if says_nothing {
            changed.replace_range(range, &empty);
            candidates.push(changed);
        }
    } else {
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        candidates.push(format!("{text}{gap}{key}: {}\n", wanted.get(key)?));
    }
    let says_it =
        |text: &String| yaml::parse(text).is_ok_and(|now| now.as_object() == Some(wanted));
    candidates.into_iter().find(says_it)
}

fn inserted(text: &str, at: usize, part: &str) -> String {
    let (before, after) = text.split_at(at);
    format!("{before}{part}{after}")
}

/// True if the file says that this is a member of its team.
#[must_use]
pub fn has_team_member(text: &str, id: &AgentId) -> bool {
    let Ok(file) = yaml::parse(text) else { return false };
    let named = |at: &str| {
        let list = file.pointer(at).and_then(Value::as_array);
        list.is_some_and(|list| list.iter().any(|one| one.as_str() == Some(id.as_str())))
    };
    named("/members") || named("/spawned/members")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn with(text: &str, id: &str) -> Result<String, String> {
        let changed = with_team_member(text, &TeamName::new("qa"), &AgentId::new(id));
        changed.map_err(|fault| fault.to_string())
    }

    #[test]
    fn a_member_is_put_after_the_last_one_and_everything_else_stays() {
        for (before, after) in [
            (
                "# ours\nlead: qa\nmembers: [qa, old]   # two\nspawned: { members: [qa], by: main }\n# the end\n",
                "# ours\nlead: qa\nmembers: [qa, old, new]   # two\nspawned: { members: [qa, new], by: main }\n# the end\n",
            ),
            (
                "lead: qa\nmembers:\n- qa\nspawned:\n  members:\n  - qa # the lead\n  by: main\nscope:\n- x\n",
                "lead: qa\nmembers:\n- qa\n- new\nspawned:\n  members:\n  - qa # the lead\n  - new\n  by: main\nscope:\n- x\n",
            ),
            (
                "lead: qa",
                "lead: qa\nmembers: [\"qa\",\"new\"]\nspawned: {\"members\":[\"new\"],\"by\":\"qa\"}\n",
            ),
            (
                "lead: qa\nmembers:\nscope: [a]\n",
                "lead: qa\nmembers: [\"qa\",\"new\"]\nscope: [a]\nspawned: {\"members\":[\"new\"],\"by\":\"qa\"}\n",
            ),
            (
                "lead: qa\nmembers:\n  - qa",
                "lead: qa\nmembers:\n  - qa\n  - new\nspawned: {\"members\":[\"new\"],\"by\":\"qa\"}\n",
            ),
            (
                "lead: qa\nmembers: []\nspawned: { members: [], by: main }\n",
                "lead: qa\nmembers: [new]\nspawned: { members: [new], by: main }\n",
            ),
        ] {
            let changed = with(before, "new").unwrap();
            assert_eq!(changed, after);
            assert!(has_team_member(&changed, &AgentId::new("new")));
            assert!(!has_team_member(before, &AgentId::new("new")));
        }
    }

    #[test]
    fn a_file_that_cannot_be_changed_safely_is_left_to_a_person() {
        for text in
            ["", "- a", "members: qa\nlead: qa", "lead: [", "members: &a [qa]\nmore: *a\nlead: qa"]
        {
            let refused = with(text, "new").unwrap_err();
            let expected = ".minds/hive/teams/qa.yaml cannot be edited safely; add 'new' to `members` yourself";
            assert_eq!(refused, expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_the_names_the_member_is_the_only_thing_that_changes(
            names in proptest::collection::vec("[a-z0-9]{1,4}|on|null|1e3", 1..4), id in "[a-z]{1,3}|no|12|true",
            block in proptest::bool::ANY,
        ) {
            let quoted: Vec<String> = names.iter().map(|name| Value::from(name.as_str()).to_string()).collect();
            let list = if block {
                quoted.iter().map(|name| format!("\n  - {name} # one")).collect::<Vec<_>>().concat()
            } else {
                format!(" [{}]", quoted.join(", "))
            };
            let text = format!("lead: \"{}\"\n# before\nmembers:{list}\n# after\nscope: [a]\n", names[0]);
            let changed = with(&text, &id).unwrap();
            let now = yaml::parse(&changed).unwrap();
            let mut expected = names.clone();
            expected.push(id.clone());
            prop_assert_eq!(now.get("members"), Some(&json!(expected)));
            prop_assert_eq!(now.pointer("/spawned/members"), Some(&json!([id])));
            prop_assert_eq!(changed.matches('#').count(), text.matches('#').count());
        }
    }
}
