//! The section `credentials` of a team's file, as it was before there were vaults: read to be moved, and taken out.

use serde_json::Value;

use crate::domain::safety::references::check_entry;
use crate::domain::text::{Localized, Text, localized};
use crate::minds::report::{clip, value_type};
use crate::yaml;

/// The key of the section.
pub(super) const CREDENTIALS: &str = "credentials";

/// The keys and values of the section; `None` if there is none.
///
/// # Errors
/// What keeps it from being moved; the message has no value.
pub fn credentials(text: &str) -> Result<Option<Vec<(String, String)>>, Localized> {
    let file = yaml::parse(text).map_err(|error| {
        let error = error.message();
        localized!([error] "its file cannot be read: {error}", "无法读取其文件：{error}")
    })?;
    let Some(section) = file.get(CREDENTIALS) else { return Ok(None) };
    let entries = match section {
        Value::Object(map) => map.iter().map(entry).collect::<Result<Vec<_>, _>>()?,
        Value::Null => Vec::new(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return Err(not_a(CREDENTIALS, section, Text::new("a mapping", "映射")));
        }
    };
    if without_credentials(text).is_none() {
        return Err(Text::new(
            "its file cannot be edited safely: write `credentials` as a block of its own",
            "无法安全地编辑其文件：请把 `credentials` 写成单独的块",
        )
        .into());
    }
    Ok(Some(entries))
}

/// The text without the section; `None` if something else of it would change.
#[must_use]
pub fn without_credentials(text: &str) -> Option<String> {
    let Value::Object(mut after) = yaml::parse(text).ok()? else { return None };
    after.remove(CREDENTIALS)?;
    let mut changed = text.to_owned();
    changed.replace_range(yaml::block_entry(text, &[CREDENTIALS])?, "");
    let says_it = match yaml::parse(&changed).ok()? {
        Value::Object(now) => now == after,
        Value::Null => after.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => false,
    };
    says_it.then_some(changed)
}

fn entry((key, value): (&String, &Value)) -> Result<(String, String), Localized> {
    let path = format!("{CREDENTIALS}.{}", clip(key));
    let Some(text) = value.as_str() else {
        return Err(not_a(&path, value, Text::new("a text", "文本")));
    };
    check_entry(key, text).map_err(|why| localized!([why] "{path}: {why}", "{path}：{why}"))?;
    Ok((key.clone(), text.to_owned()))
}

fn not_a(path: &str, found: &Value, wanted: Text) -> Localized {
    let found = value_type(found);
    localized!([found, wanted] "{path} is {found}, not {wanted}", "{path} 是{found}，而不是{wanted}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::assert_translated;

    #[test]
    fn m2_the_section_is_taken_out_and_comments_stay() {
        let text = "# the team\nlead: qa # she\ncredentials:\n  A: one # secret\n  B: \"two\"\nscope: [x]\n# end\n";
        let found = credentials(text).unwrap().unwrap();
        let expected = [("A", "one"), ("B", "two")];
        let expected = expected.map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(found, expected);
        let after = without_credentials(text).unwrap();
        assert_eq!(after, "# the team\nlead: qa # she\nscope: [x]\n# end\n");
        assert_eq!(credentials(&after), Ok(None));
    }

    #[test]
    fn m3_what_cannot_be_moved_is_named_without_its_value() {
        for (section, expected) in [
            ("[canary]", "credentials is a list, not a mapping"),
            ("{ A: [canary] }", "credentials.A is a list, not a text"),
            ("{ A: 1 }", "credentials.A is a number, not a text"),
            ("{ A: '' }", "credentials.A: value must have 1 to 65536 characters"),
            ("{ 'a b': canary }", "credentials.a b: key must be 1 to 200 characters"),
            ("{ A: canary", "its file cannot be read"),
        ] {
            let refused = credentials(&format!("lead: qa\ncredentials: {section}\n")).unwrap_err();
            assert!(refused.to_string().starts_with(expected), "{refused}");
            assert_translated(&refused);
        }
    }
}
