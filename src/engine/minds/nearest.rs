//! "Did you mean" suggestions for misspelt names.

use crate::domain::text::{Localized, Text, localized};

/// Names longer than this are not compared.
const MAX_NAME_CHARS: usize = 64;

/// The nearest of `known`: the same letters in another spelling (`baseURL`, `base_url`), or at most
/// two edits away and at most half of the word.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let normalized_name = normalized(name);
    let length = normalized_name.chars().count();
    known
        .into_iter()
        .filter(|candidate| *candidate != name)
        .filter_map(|candidate| {
            let distance = edit_distance(&normalized_name, &normalized(candidate))?;
            (distance <= 2 && distance * 2 <= length).then_some((distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// A suffix for the text of a fix: `; did you mean "x"?`, or nothing.
pub(crate) fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Localized {
    let hint = |near: &str| localized!("; did you mean `{near}`?", "；是否指 `{near}`？");
    nearest(name, known).map(hint).unwrap_or_default()
}

/// The fix for an unknown key: to remove it, and which one may be meant.
pub(crate) fn remove_or_rename<'a>(
    key: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Localized {
    Localized::from(Text::new("remove it", "请删除")).and(did_you_mean(key, known))
}

fn normalized(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .take(MAX_NAME_CHARS + 1)
        .collect()
}

/// Edits between two names; `None` if too long to compare.
fn edit_distance(a: &str, b: &str) -> Option<usize> {
    let is_short = |name: &str| name.chars().count() <= MAX_NAME_CHARS;
    (is_short(a) && is_short(b)).then(|| strsim::levenshtein(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_close_and_not_the_name_itself() {
        let known = ["toolsets", "tools", "provider", "baseUrl"];
        for (name, expected) in [
            ("toolset", Some("toolsets")),
            ("tool", Some("tools")),
            ("Provider", Some("provider")),
            ("base_url", Some("baseUrl")),
            ("baseURL", Some("baseUrl")),
            ("provider", None),
            ("colour", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(nearest(name, known), expected, "{name:?}");
        }
    }

    #[test]
    fn very_long_names_are_not_compared() {
        let long = "x".repeat(100_000);
        assert_eq!(nearest(&long, [long.as_str(), "xx"]), None);
    }
}
