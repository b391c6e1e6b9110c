//! The line of a key in a YAML text. A guess to point the user to, never relied on.

/// The line (1-based) of the last of `keys` that is found, each searched below its parent. A key
/// inside `{ … }` has the line of its parent.
pub(crate) fn line_of(text: &str, keys: &[&str]) -> Option<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let mut start = 0;
    let mut outer: Option<usize> = None;
    let mut found = None;
    for key in keys {
        let Some(at) = find_below(&lines, start, outer, key) else {
            return found;
        };
        outer = lines.get(at).map(|line| indentation(line));
        start = at + 1;
        found = Some(start);
    }
    found
}

/// The line of the value `name` at or below the line of `keys`.
pub(crate) fn line_of_value(text: &str, keys: &[&str], name: &str) -> Option<usize> {
    let start = line_of(text, keys)?;
    let below = text.lines().skip(start - 1).take(200);
    let offset = below.enumerate().find_map(|(offset, line)| {
        let words = line.split(|c: char| c.is_whitespace() || "[],\"'{}".contains(c));
        words.into_iter().any(|word| word == name).then_some(offset)
    });
    Some(start + offset.unwrap_or(0))
}

/// The first line from `start` that defines `key` with more indentation than `outer`, before the block
/// ends.
fn find_below(lines: &[&str], start: usize, outer: Option<usize>, key: &str) -> Option<usize> {
    for (at, line) in lines.iter().enumerate().skip(start) {
        let content = line.trim_start();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let depth = indentation(line);
        if outer.is_some_and(|outer| depth <= outer) {
            return None;
        }
        if outer.is_none() && depth > 0 {
            continue;
        }
        if defines_key(content, key) {
            return Some(at);
        }
    }
    None
}

fn defines_key(content: &str, key: &str) -> bool {
    let content = content.trim_start_matches(['"', '\'']);
    content
        .strip_prefix(key)
        .is_some_and(|rest| rest.trim_start_matches(['"', '\'']).trim_start().starts_with(':'))
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# a team
member_defaults:
  provider: local

members:
  lead: { name: Lead, tools: [x] }
  \"ops\":
    name: Ops
    toolsets:
      - ws_read
      - oss
other: 1
";

    #[test]
    fn a_key_is_found_below_its_parent() {
        for (keys, expected) in [
            (vec!["members"], Some(5)),
            (vec!["members", "ops", "toolsets"], Some(9)),
            (vec!["members", "ops", "name"], Some(8)),
            (vec!["members", "lead", "tools"], Some(6)),
            (vec!["member_defaults", "name"], Some(2)),
            (vec!["provider"], None),
            (vec!["other"], Some(12)),
        ] {
            assert_eq!(line_of(TEXT, &keys), expected, "{keys:?}");
        }
    }

    #[test]
    fn a_value_is_found_in_its_list() {
        for (keys, name, expected) in [
            (vec!["members", "ops", "toolsets"], "oss", Some(11)),
            (vec!["members", "lead", "tools"], "x", Some(6)),
            (vec!["members", "ops", "toolsets"], "absent", Some(9)),
        ] {
            assert_eq!(line_of_value(TEXT, &keys, name), expected, "{name}");
        }
    }
}
