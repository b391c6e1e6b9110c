//! Replaces padding that could push a part of a text out of sight: long runs of blanks, of invisible characters and of
//! blank lines become a mark with their number. Nothing else of the text changes.

use crate::domain::text::hidden_chars::class_of;

/// Blanks in a row that are kept.
const MOST_BLANKS: usize = 40;
/// Blank lines in a row that are kept; those of a diff have a sign.
const MOST_BLANK_LINES: usize = 3;

/// The text with a mark in place of each padding: `<␠×3000>` for blanks, `<⏎×3000>` for lines.
#[must_use]
pub fn without_padding(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = Vec::new();
    for line in text.split('\n') {
        if is_blank_line(line) {
            blank.push(line);
            continue;
        }
        flush(&mut blank, &mut out);
        push_line(line, &mut out);
    }
    flush(&mut blank, &mut out);
    out.truncate(out.len().saturating_sub(1));
    out
}

fn push_line(line: &str, out: &mut String) {
    let mut run = Vec::new();
    for c in line.chars() {
        if is_blank(c) {
            run.push(c);
            continue;
        }
        end_run(&mut run, out);
        out.push(c);
    }
    end_run(&mut run, out);
    out.push('\n');
}

fn end_run(run: &mut Vec<char>, out: &mut String) {
    if run.len() > MOST_BLANKS {
        out.push_str(&format!("<␠×{}>", run.len()));
    } else {
        out.extend(run.iter());
    }
    run.clear();
}

fn flush(blank: &mut Vec<&str>, out: &mut String) {
    if blank.len() > MOST_BLANK_LINES {
        out.push_str(&format!("<⏎×{}>\n", blank.len()));
    } else {
        for line in blank.iter() {
            push_line(line, out);
        }
    }
    blank.clear();
}

fn is_blank_line(line: &str) -> bool {
    let content = line.strip_prefix(['+', '-', ' ']).unwrap_or(line);
    content.chars().all(is_blank)
}

/// White space in any width, what takes no place, and the empty pattern of Braille.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{2800}' || class_of(c).is_some()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_as_people_write_it_stays_as_it_is() {
        for text in [
            "",
            "\n",
            "one\n\ntwo\n",
            "    fn main() {\n\tx();   // why\n    }\n\n\n\nend",
            "--- a\n+++ b\n@@ -1 +1,3 @@\n-old\n+\n+new\n ",
            "一\u{3000}二 \u{200b}\u{1b}",
        ] {
            assert_eq!(without_padding(text), text);
        }
    }

    proptest! {
        #[test]
        fn padding_of_any_kind_and_length_leaves_what_it_hides_within_a_few_lines(
            pad in prop::sample::select(vec![
                " ", "\t", "\n", "\r\n", " \n", "+\n", "-\t\n", "\u{a0}", "\u{3000}", "\u{2800}", "\u{200b}",
                "\u{202e}", "\u{2028}", "\u{feff}", "\u{1b}", "\u{85}", "\n\u{200b}\n", "\u{e0020}",
            ]),
            count in 1_usize..5_000,
        ) {
            let text = format!("delete{}/srv/data", pad.repeat(count));
            let shown = without_padding(&text);
            prop_assert!(shown.starts_with("delete") && shown.ends_with("/srv/data"), "{shown:?}");
            prop_assert!(shown.chars().count() < 150 && shown.lines().count() < 8, "{shown:?}");
            prop_assert_eq!(without_padding(&shown), shown.clone());
        }
    }
}
