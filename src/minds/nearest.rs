//! "Did you mean": the known name that a wrong one was probably meant to be.

/// Names longer than this are not compared.
const MAX: usize = 64;

/// The nearest of `known`: the same letters in another spelling (`baseURL`, `base_url`), or at most
/// two edits away and at most half of the word.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = letters(name);
    known
        .into_iter()
        .filter(|candidate| *candidate != name)
        .filter_map(|candidate| {
            let distance = distance(&wanted, &letters(candidate))?;
            (distance <= 2 && distance * 2 <= wanted.len()).then_some((distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// A tail for a fix text: `; did you mean "x"?`, or nothing.
pub(crate) fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

fn letters(text: &str) -> Vec<char> {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .take(MAX + 1)
        .collect()
}

/// Edits between two words; `None` for words too long to compare.
fn distance(a: &[char], b: &[char]) -> Option<usize> {
    if a.len() > MAX || b.len() > MAX {
        return None;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut before = i + 1;
        for (right, cell) in b.iter().zip(row.iter_mut().skip(1)) {
            let above = *cell;
            let replaced = diagonal + usize::from(left != right);
            *cell = replaced.min(above + 1).min(before + 1);
            diagonal = above;
            before = *cell;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied()
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
