//! A change as a unified diff, for a model to check. Pure.

use super::change::LineChange;
use crate::domain::text::diff::{DiffLine, Hunk, LineTag, compare, grouped, write_line};

/// The diff of one change in a file; `was` is false for a file that is new.
pub(super) fn unified(path: &str, was: bool, change: &LineChange) -> String {
    let old = side([&change.before, &change.old, &change.after]);
    let new = side([&change.before, &change.new, &change.after]);
    let start = change.at - change.before.len();
    let from = if was { format!("a/{path}") } else { "/dev/null".to_owned() };
    let (old_span, new_span) = (span(start, old.len()), span(start, new.len()));
    let mut text = format!("--- {from}\n+++ b/{path}\n@@ -{old_span} +{new_span} @@\n");
    for line in compare(&old, &new) {
        write_line(&mut text, line.tag, &line.text);
    }
    text
}

/// Returns the change as hunks, for people.
pub(super) fn hunks(change: &LineChange) -> Vec<Hunk> {
    let same = |line: &String| DiffLine::new(LineTag::Same, line.as_str());
    let mut lines: Vec<DiffLine> = change.before.iter().map(same).collect();
    lines.extend(compare(&side([&change.old]), &side([&change.new])));
    lines.extend(change.after.iter().map(same));
    let at = change.at - change.before.len();
    grouped(at, at, lines)
}

fn side<const N: usize>(parts: [&Vec<String>; N]) -> Vec<&str> {
    parts.into_iter().flatten().map(String::as_str).collect()
}

/// Formats the first line and the number of lines; for no lines, the line before.
fn span(start: usize, length: usize) -> String {
    let first = if length == 0 { start } else { start + 1 };
    format!("{first},{length}")
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
