//! What is shown of a text with a match: its line, and some text around it, in bounded size.

use std::ops::Range;

/// Characters of the line before and after the match.
const LINE_BEFORE: usize = 40;
const LINE_AFTER: usize = 200;
/// Characters of the surrounding text before and after the match.
const AROUND_BEFORE: usize = 300;
const AROUND_AFTER: usize = 500;
/// Stands for what was left out.
const CUT: &str = "…";

/// The place before the first character that can be seen; `None` where there is none.
pub(super) fn beginning(text: &str) -> Option<Range<usize>> {
    text.find(|c: char| !c.is_whitespace()).map(|start| start..start)
}

/// The line with the match, without blanks at its ends.
pub(super) fn line_around(text: &str, found: &Range<usize>) -> String {
    let (before, rest) = text.split_at_checked(found.start).unwrap_or((text, ""));
    let before = before.rsplit('\n').next().unwrap_or_default();
    let after = rest.find('\n').and_then(|end| rest.get(..end)).unwrap_or(rest);
    part(before.trim_start(), after, LINE_BEFORE, LINE_AFTER)
}

/// Lines before and after the match too.
pub(super) fn around(text: &str, found: &Range<usize>) -> String {
    let (before, after) = text.split_at_checked(found.start).unwrap_or((text, ""));
    part(before, after, AROUND_BEFORE, AROUND_AFTER)
}

/// Truncates both sides to these numbers of characters and joins them.
fn part(before: &str, after: &str, most_before: usize, most_after: usize) -> String {
    let start = before.char_indices().rev().nth(most_before.saturating_sub(1)).map(|(at, _)| at);
    let start = start.filter(|at| *at > 0);
    let end = after.char_indices().nth(most_after).map(|(at, _)| at);
    let before = start.map_or(before, |at| before.get(at..).unwrap_or_default());
    let kept = end.map_or(after, |at| after.get(..at).unwrap_or_default());
    let (cut_before, cut_after) = (start.map_or("", |_| CUT), end.map_or("", |_| CUT));
    format!("{cut_before}{before}{kept}{cut_after}").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str, wanted: &str) -> Range<usize> {
        let start = text.find(wanted).unwrap();
        start..start + wanted.len()
    }

    #[test]
    fn the_line_is_shown_around_the_match() {
        let text = "one\n  two three\nfour";
        assert_eq!(line_around(text, &first(text, "three")), "two three");
        assert_eq!(around(text, &first(text, "three")), text);
        let long = format!("{}恢复{}", "a".repeat(1_000), "b".repeat(1_000));
        let shown = line_around(&long, &first(&long, "恢复"));
        assert!(shown.starts_with("…a") && shown.ends_with("b…"), "{shown}");
        assert!(shown.contains("恢复") && shown.chars().count() <= LINE_BEFORE + LINE_AFTER + 2);
        assert_eq!(line_around("x", &(0..1)), "x");
        let start = beginning("\n  one\ntwo").unwrap();
        assert_eq!(line_around("\n  one\ntwo", &start), "one");
        assert_eq!(beginning(" \n"), None);
    }
}
