//! Entries of block mappings as pieces of text, so that one is put in or taken out and everything else stays.

use std::ops::Range;

use super::Lines;

/// The bytes of the entry at `keys`: its own lines and those below it, without comments and blank lines that follow.
/// `None` if it does not begin a line.
#[must_use]
pub fn entry(text: &str, keys: &[&str]) -> Option<Range<usize>> {
    let line = Lines::of(text).of_key(keys)?;
    let mut lines = numbered(text).skip_while(|(number, ..)| *number < line);
    let (_, start, first) = lines.next()?;
    let own = indent(first);
    let begins = first.trim_start().trim_start_matches(['"', '\'']).starts_with(keys.last()?);
    if !begins {
        return None;
    }
    let mut end = start + first.len();
    for (_, at, line) in lines {
        if says_nothing(line) {
            continue;
        }
        // An item of a list may stand as far left as its key.
        let is_below =
            indent(line) > own || indent(line) == own && line.trim_start().starts_with("- ");
        if !is_below {
            break;
        }
        end = at + line.len();
    }
    Some(start..end)
}

/// The indentation of the first entry below the one at `keys`; `None` if there is none.
#[must_use]
pub fn indent_below(text: &str, keys: &[&str]) -> Option<usize> {
    let range = entry(text, keys)?;
    let below = text.get(range)?.lines().skip(1).find(|line| !says_nothing(line))?;
    Some(indent(below))
}

/// Lines with their number from 1, and where they begin.
fn numbered(text: &str) -> impl Iterator<Item = (usize, usize, &str)> {
    let starts = text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    });
    (1..).zip(starts).map(|(number, (start, line))| (number, start, line))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn says_nothing(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_ends_before_the_comments_and_blank_lines_that_follow_it() {
        let text =
            "a: 1 # one\n\n# of b\nb:\n  c: 2\n  # in b\n  d:\n  - 3\n\n# of e\ne: [\n  4 ]\n";
        let part = |keys: &[&str]| entry(text, keys).and_then(|range| text.get(range));
        assert_eq!(part(&["a"]), Some("a: 1 # one\n"));
        assert_eq!(part(&["b"]), Some("b:\n  c: 2\n  # in b\n  d:\n  - 3\n"));
        assert_eq!(part(&["b", "c"]), Some("  c: 2\n"));
        assert_eq!(part(&["b", "d"]), Some("  d:\n  - 3\n"));
        assert_eq!(part(&["e"]), Some("e: [\n  4 ]\n"));
        assert_eq!(part(&["x"]), None);
        assert_eq!(entry("a: { b: 1 }", &["a", "b"]), None, "it does not begin a line");
        assert_eq!([indent_below(text, &["b"]), indent_below(text, &["a"])], [Some(2), None]);
    }
}
