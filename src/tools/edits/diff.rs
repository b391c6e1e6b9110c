//! A change as a unified diff, for a model to check. Pure.

use std::fmt::Write;

use similar::{ChangeTag, TextDiff};

use super::change::LineChange;

/// Beyond this many lines the old lines are shown whole before the new ones, because finding what
/// is common to them could take long.
const COMPARED_LINES: usize = 4_000;

/// The diff of one change in a file; `was` is false for a file that is new.
pub(super) fn unified(path: &str, was: bool, change: &LineChange) -> String {
    let old = side([&change.before, &change.old, &change.after]);
    let new = side([&change.before, &change.new, &change.after]);
    let start = change.at - change.before.len();
    let from = if was { format!("a/{path}") } else { "/dev/null".to_owned() };
    let (old_span, new_span) = (span(start, old.len()), span(start, new.len()));
    let mut text = format!("--- {from}\n+++ b/{path}\n@@ -{old_span} +{new_span} @@\n");
    if old.len() + new.len() > COMPARED_LINES {
        for (sign, lines) in
            [(' ', &change.before), ('-', &change.old), ('+', &change.new), (' ', &change.after)]
        {
            for line in lines {
                push(&mut text, sign, line);
            }
        }
        return text;
    }
    for line in TextDiff::from_slices(&old, &new).iter_all_changes() {
        let sign = match line.tag() {
            ChangeTag::Equal => ' ',
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
        };
        push(&mut text, sign, line.value());
    }
    text
}

fn side(parts: [&Vec<String>; 3]) -> Vec<&str> {
    parts.into_iter().flatten().map(String::as_str).collect()
}

/// First line and number of lines; where there are none, the line before.
fn span(start: usize, length: usize) -> String {
    let first = if length == 0 { start } else { start + 1 };
    format!("{first},{length}")
}

fn push(text: &mut String, sign: char, line: &str) {
    // Writing to a String cannot fail.
    let _ = match line.strip_suffix('\n') {
        Some(line) => writeln!(text, "{sign}{line}"),
        None => writeln!(text, "{sign}{line}\n\\ No newline at end of file"),
    };
}

#[cfg(test)]
mod tests {
    use super::super::lines::lines;
    use super::*;

    #[test]
    fn a_diff_shows_the_change_and_three_lines_around_it() {
        let text = "1\n2\n3\n4\n5\n6\n7\n8";
        for (range, content, expected) in [
            (
                4..5,
                "5\nx\n",
                "@@ -2,7 +2,8 @@\n 2\n 3\n 4\n 5\n+x\n 6\n 7\n 8\n\\ No newline at end of file\n",
            ),
            (0..1, "", "@@ -1,4 +1,3 @@\n-1\n 2\n 3\n 4\n"),
            (
                8..8,
                "9\n",
                "@@ -5,4 +5,5 @@\n 5\n 6\n 7\n-8\n\\ No newline at end of file\n+8\n+9\n",
            ),
        ] {
            let change = LineChange::new(&lines(text), range, content);
            assert_eq!(unified("f", true, &change), format!("--- a/f\n+++ b/f\n{expected}"));
        }
        let new = LineChange::new(&[], 0..0, "a\n");
        assert_eq!(unified("f", false, &new), "--- /dev/null\n+++ b/f\n@@ -0,0 +1,1 @@\n+a\n");
    }

    #[test]
    fn a_large_change_is_shown_without_being_compared() {
        let text = "x\ny\n".repeat(5_000);
        let change = LineChange::new(&lines(&text), 0..10_000, "z\n");
        let diff = unified("f", true, &change);
        assert_eq!(diff.matches("\n-").count(), 10_000);
        assert!(diff.ends_with("-y\n+z\n"));
    }
}
