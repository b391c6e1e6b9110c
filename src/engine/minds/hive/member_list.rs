//! Puts a member that was made for a team into the text of the team's file. Everything else of the text stays, comments
//! included: what comes out is read, and has to say exactly what was there before and that.

use serde_json::{Map, Value, json};

use super::teams::file_of;
use crate::domain::text::{Localized, localized};
use crate::domain::{AgentId, TeamName};
use crate::yaml;

const MEMBERS: &str = "members";
const SPAWNED: &str = "spawned";
/// Places in a list that are tried.
const MAX_PLACES: usize = 32;

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

/// The text with an item in the list of this key: in brackets, as a line of a block, or as a new key.
fn with_item(text: &str, (key, id): (&str, &str), wanted: &Map<String, Value>) -> Option<String> {
    let says_it =
        |text: &String| yaml::parse(text).is_ok_and(|now| now.as_object() == Some(wanted));
    let whole = format!("{key}: {}\n", wanted.get(key)?);
    let Some(range) = yaml::block_entry(text, &[key]) else {
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        return Some(format!("{text}{gap}{whole}")).filter(says_it);
    };
    if yaml::parse(text).ok()?.get(key).is_some_and(Value::is_null) {
        let mut changed = text.to_owned();
        changed.replace_range(range, &whole);
        return Some(changed).filter(says_it);
    }
    let entry = text.get(range.clone())?;
    let quoted = Value::from(id).to_string();
    let mut places = [id, &quoted].into_iter().flat_map(|item| places(entry, item));
    places.find_map(|(at, part)| Some(inserted(text, range.start + at, &part)).filter(says_it))
}

/// The places for an item in a list, with its text: the last place first, and not many, as each is tried.
fn places(entry: &str, item: &str) -> Vec<(usize, String)> {
    let mut end = 0;
    let mut lines = Vec::new();
    for line in entry.split_inclusive('\n') {
        end += line.len();
        if line.trim_start().starts_with("- ") {
            lines.push((end, line));
        }
    }
    let below = lines.into_iter().rev().map(|(end, line)| {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        let gap = if line.ends_with('\n') { "" } else { "\n" };
        (end, format!("{gap}{}- {item}\n", " ".repeat(blanks)))
    });
    let brackets = entry.rmatch_indices(']');
    let inside = brackets.flat_map(|(at, _)| [(at, format!(", {item}")), (at, item.to_owned())]);
    below.take(MAX_PLACES).chain(inside.take(MAX_PLACES)).collect()
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

    #[test]
    fn only_some_places_are_tried_so_that_a_long_comment_costs_nothing() {
        let text =
            |brackets: usize| format!("lead: qa\nmembers: [qa] # {}\n", "]".repeat(brackets));
        assert!(with(&text(MAX_PLACES / 2 - 1), "new").unwrap().contains("[qa, new] # ]"));
        assert!(with(&text(MAX_PLACES / 2), "new").is_err());
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
