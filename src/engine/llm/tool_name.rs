//! Finds the tool that a model means by a name with additions: blanks, a namespace, marks of a chat template.

use super::request::ToolSchema;

const NAMESPACES: [&str; 4] = ["functions.", "functions:", "functions/", "functions::"];

/// The name of the one tool that fits; `None` if the name is that of a tool already, or if none or several fit.
pub(super) fn tool_meant<'a>(name: &str, tools: &'a [ToolSchema]) -> Option<&'a str> {
    let of = |word: &str| tools.iter().map(|tool| tool.name.as_str()).find(|tool| *tool == word);
    if of(name).is_some() {
        return None;
    }
    let is_edge = |c: char| c.is_whitespace() || "<>|=\"'`".contains(c);
    let mut meant: Vec<&str> = name
        .split(is_edge)
        .filter_map(|word| of(word).or_else(|| of(without_namespace(word))))
        .collect();
    meant.sort_unstable();
    meant.dedup();
    match meant.as_slice() {
        [one] => Some(one),
        _ => None,
    }
}

fn without_namespace(word: &str) -> &str {
    NAMESPACES.iter().filter_map(|prefix| word.strip_prefix(prefix)).next_back().unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn additions_to_a_name_are_dropped_where_one_tool_fits() {
        let tools: Vec<ToolSchema> = ["read_file", "list_dir", "functions.odd"]
            .map(|name| ToolSchema {
                name: name.to_owned(),
                description: String::new(),
                parameters: serde_json::Value::Null,
            })
            .into();
        for (name, expected) in [
            ("read_file", None),
            ("functions.odd", None),
            ("read_file \n", Some("read_file")),
            (" read_file", Some("read_file")),
            ("functions.read_file", Some("read_file")),
            ("functions::read_file", Some("read_file")),
            ("read_file<|channel|>commentary", Some("read_file")),
            ("<|channel|>commentary to=functions.read_file", Some("read_file")),
            ("read_file<|channel|>read_file", Some("read_file")),
            ("read_file list_dir", None),
            ("read_files", None),
            ("functions.", None),
            ("", None),
        ] {
            assert_eq!(tool_meant(name, &tools), expected, "{name}");
        }
    }
}
