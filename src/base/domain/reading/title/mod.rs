//! The title of a dialog: the one a person gave it, else its first words, shortened once and well. Pure; the
//! width of a text is counted in cells, as a terminal does.

mod inline_marks;

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::domain::asking::question;
use crate::domain::text::hidden_chars::{HiddenClass, class_of};
use inline_marks::without_inline_marks;

/// Cells of a title that is made from a text.
const MADE_CELLS: usize = 48;
/// Cells of a title that a person writes.
pub const OWN_CELLS: usize = 80;
/// Bytes of a text that are looked at.
const MAX_BYTES: usize = 4 * 1024;
/// Bytes of one visible character; what is longer is dropped.
const MAX_CLUSTER_BYTES: usize = 64;
/// A first sentence that takes fewer cells says too little alone.
const SHORT_SENTENCE: usize = 12;
/// Stands for what was cut off.
const CUT: &str = "…";

/// A title from the first words of a message or an assignment; empty if they are only marks.
#[must_use]
pub fn from_words(text: &str) -> String {
    let Some(line) = first_plain_line(start_of(text, MAX_BYTES)) else { return String::new() };
    shorten(without_end_marks(first_sentence(&line)), MADE_CELLS)
}

/// The title of a dialog that nobody named: its first words, else the name of its Taskdoc.
#[must_use]
pub fn made(words: &str, taskdoc: &str) -> String {
    let title = from_words(words);
    if !title.is_empty() {
        return title;
    }
    let taskdoc = visible_line(start_of(taskdoc, MAX_BYTES));
    let name = taskdoc.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let name = name.strip_suffix(".tsk").filter(|name| !name.is_empty()).unwrap_or(name);
    shorten(name.trim(), MADE_CELLS)
}

/// The title that a person wrote, in one visible line; `None` if nothing is left of it.
#[must_use]
pub fn own(text: &str) -> Option<String> {
    let line = visible_line(start_of(text, MAX_BYTES));
    (!line.is_empty()).then(|| shorten(&line, OWN_CELLS))
}

/// The first line that says something, for lists: without the marks of Markdown.
#[must_use]
pub fn headline(text: &str) -> String {
    let line = start_of(question::headline(text), MAX_BYTES);
    first_plain_line(start_of(text, MAX_BYTES)).unwrap_or_else(|| line.to_owned())
}

/// The headline in at most `most` characters; a longer one ends with `…`.
#[must_use]
pub fn short_headline(text: &str, most: usize) -> String {
    question::short_headline(&headline(text), most)
}

/// One line without the marks of Markdown; if it has nothing else, as it is.
#[must_use]
pub fn without_marks(line: &str) -> String {
    let plain = plain_line(line);
    if plain.is_empty() { line.to_owned() } else { plain }
}

/// At most this many bytes from the start.
fn start_of(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    end.and_then(|end| text.get(..end)).unwrap_or_default()
}

/// The text in one line of visible characters, with single blanks.
fn visible_line(text: &str) -> String {
    let mut line = String::new();
    let mut gap = false;
    for c in text.chars() {
        match class_of(c) {
            None if !c.is_whitespace() => {
                if std::mem::take(&mut gap) && !line.is_empty() {
                    line.push(' ');
                }
                line.push(c);
            }
            None | Some(HiddenClass::Control | HiddenClass::Separator) => gap = true,
            Some(HiddenClass::Selector) => line.push(c),
            Some(HiddenClass::Invisible | HiddenClass::NoGlyph) => {}
        }
    }
    line.trim_end().to_owned()
}

/// The first line that says something, without the marks of Markdown. Lines of a block of code are literal.
fn first_plain_line(text: &str) -> Option<String> {
    let mut fenced = false;
    text.lines().find_map(|line| {
        let line = visible_line(line);
        if is_fence(&line) {
            fenced = !fenced;
            return None;
        }
        let plain = if fenced { line } else { plain_line(&line) };
        plain.chars().any(char::is_alphanumeric).then_some(plain)
    })
}

/// A line without the marks of Markdown; empty for rules, fences and the like.
fn plain_line(line: &str) -> String {
    let line = visible_line(line);
    if is_fence(&line) || line.starts_with("<!--") {
        return String::new();
    }
    let line = without_inline_marks(without_block_marks(&line));
    if line.chars().any(char::is_alphanumeric) { visible_line(&line) } else { String::new() }
}

/// The first or the last line of a block of code. With backticks further on, it is code in a line.
fn is_fence(line: &str) -> bool {
    let info = line.strip_prefix("```").map(|rest| rest.trim_start_matches('`'));
    info.is_some_and(|info| !info.contains('`')) || line.starts_with("~~~")
}

/// Without the signs of headings, quotes, lists and tasks.
fn without_block_marks(line: &str) -> &str {
    let mut rest = line;
    loop {
        let next = [heading(rest), quote(rest), item(rest)].into_iter().flatten().next();
        match next {
            Some(next) if next.len() < rest.len() => rest = next,
            Some(_) | None => return rest,
        }
    }
}

fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    let depth = line.len() - rest.len();
    let rest = rest.strip_prefix(' ').filter(|_| (1..=6).contains(&depth))?.trim();
    let unclosed = rest.trim_end_matches('#');
    // `C#` ends with no mark.
    Some(if unclosed.is_empty() || unclosed.ends_with(' ') { unclosed.trim() } else { rest })
}

fn quote(line: &str) -> Option<&str> {
    line.strip_prefix('>').map(str::trim_start)
}

/// The text of a list item: `- a`, `* a`, `+ a`, `3. a`, `3) a`, `[x] a`.
fn item(line: &str) -> Option<&str> {
    let marks = ["- ", "* ", "+ ", "• ", "[ ] ", "[x] ", "[X] "];
    let marked = marks.into_iter().find_map(|mark| line.strip_prefix(mark));
    marked.or_else(|| {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let numbered = (1..=3).contains(&(line.len() - rest.len()));
        let end = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "));
        end.filter(|_| numbered)
    })
}

/// The first sentence, with the next ones while it is short.
fn first_sentence(line: &str) -> &str {
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let followed_by_blank = chars.peek().is_some_and(|(_, next)| *next == ' ');
        let ends = match c {
            '.' | '!' | '?' => followed_by_blank && !is_abbreviation(line.get(..at)),
            '。' | '！' | '？' => true,
            _ => false,
        };
        let sentence = line.get(..end).unwrap_or(line);
        if ends && sentence.width() >= SHORT_SENTENCE {
            return sentence;
        }
    }
    line
}

/// True after a single letter, as in `e.g. this`, and after a number.
fn is_abbreviation(before: Option<&str>) -> bool {
    let word = before.and_then(|text| text.rsplit([' ', '.', '(']).next()).unwrap_or_default();
    word.chars().count() <= 1 || word.chars().all(|c| c.is_ascii_digit())
}

/// Without what only ends a sentence. A question mark says something.
fn without_end_marks(text: &str) -> &str {
    let ends = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '.' | ','
                    | ';'
                    | ':'
                    | '!'
                    | '…'
                    | '-'
                    | '–'
                    | '—'
                    | '。'
                    | '，'
                    | '；'
                    | '：'
                    | '！'
                    | '、'
            )
    };
    text.trim_end_matches(ends)
}

/// Cut after a word; where a word would take half of it, as in Chinese, after a character.
fn shorten(text: &str, cells: usize) -> String {
    let clusters = || text.grapheme_indices(true).filter(|(_, c)| c.len() <= MAX_CLUSTER_BYTES);
    if text.width() <= cells && clusters().map(|(_, c)| c.len()).sum::<usize>() == text.len() {
        return text.to_owned();
    }
    let (mut kept, mut used, mut word_end) = (String::new(), 0, 0);
    for (_, cluster) in clusters() {
        used += cluster.width();
        if used >= cells {
            let word = kept.get(..word_end).filter(|word| word.width() * 2 >= cells);
            let before_blank = cluster == " ";
            let cut = if before_blank { &kept } else { word.unwrap_or(&kept) };
            return format!("{}{CUT}", without_end_marks(cut));
        }
        if cluster == " " {
            word_end = kept.len();
        }
        kept.push_str(cluster);
    }
    kept
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_headline_has_no_marks_and_is_never_lost() {
        for (text, expected) in [
            ("\n\n## **Drop** `users`?\nmore", "Drop users?"),
            ("- [ ] choose [this](http://a)", "choose this"),
            ("***", "***"),
            ("---\n```rust\nfn main() {}\n```", "fn main() {}"),
            ("", ""),
            ("3 * 4 = 12", "3 * 4 = 12"),
            ("Allow `rm -rf build/*`?", "Allow rm -rf build/*?"),
            ("# Keep **C#**?", "Keep C#?"),
            ("## Learn C#", "Learn C#"),
            ("## Closed ##", "Closed"),
            ("- 1. > * keep?", "keep?"),
            ("#\n-\n> \n* * *\nkeep?", "keep?"),
            ("#5 and -1 stay", "#5 and -1 stay"),
            ("```sh\n# rm `a` *.log *.txt\n```", "# rm `a` *.log *.txt"),
            ("```rm -rf /``` now?", "rm -rf / now?"),
        ] {
            assert_eq!(headline(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_title_is_the_first_sentence_without_marks_and_end_marks() {
        for (text, expected) in [
            ("Add two-factor login. Codes must survive.", "Add two-factor login"),
            ("\n\n## Fix the **login** page:\nmore", "Fix the login page"),
            ("Hi! Please look at the login page.", "Hi! Please look at the login page"),
            ("- [ ] rotate `logs` of [the cellar](http://x)", "rotate logs of the cellar"),
            (
                "1. > read snake_case, 3 * 4 and ~~old~~ __new__",
                "read snake_case, 3 * 4 and old new",
            ),
            ("```rust\nfn main() {}\n```", "fn main() {}"),
            ("---\n***\n", ""),
            ("which database?", "which database?"),
            ("see e.g. the first one of them. then", "see e.g. the first one of them"),
            ("  many \t blanks \u{7} here ", "many blanks here"),
            ("请为登录页面增加双因素认证。恢复码要保留。", "请为登录页面增加双因素认证"),
            ("", ""),
        ] {
            assert_eq!(from_words(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_long_title_is_cut_after_a_word_and_a_chinese_one_after_a_character() {
        let english = "rotate the logs of all the machines in the cellar, then those upstairs";
        assert_eq!(from_words(english), "rotate the logs of all the machines in the…");
        let chinese = "把地下室所有机器的日志都轮换一遍然后再处理楼上的那些机器的日志文件";
        assert_eq!(from_words(chinese), "把地下室所有机器的日志都轮换一遍然后再处理楼上…");
        assert_eq!(from_words(&"x".repeat(200)).width(), MADE_CELLS);
    }

    #[test]
    fn without_words_a_dialog_has_the_name_of_its_taskdoc() {
        assert_eq!(made("go", "a/add-2fa.tsk"), "go");
        assert_eq!(made("", "a/add-2fa.tsk/"), "add-2fa");
        assert_eq!(made("***", ".tsk"), ".tsk");
        assert_eq!(made("", "a/ b .tsk"), "b");
        assert_eq!(made("", ""), "");
    }

    #[test]
    fn the_title_of_a_person_is_kept_as_written_in_one_visible_line() {
        assert_eq!(
            own(" **Login**: \u{1b}[31m\nnow.\u{202e} "),
            Some("**Login**: [31m now.".into())
        );
        assert_eq!(own(" \u{200b}\n"), None);
        assert!(own(&"词".repeat(500)).is_some_and(|title| title.width() <= OWN_CELLS));
    }

    proptest! {
        #[test]
        fn a_title_is_one_visible_line_of_bounded_width(text in "(?s).{0,300}") {
            for (title, cells) in [
                (from_words(&text), MADE_CELLS),
                (made("", &text), MADE_CELLS),
                (own(&text).unwrap_or_default(), OWN_CELLS),
            ] {
                prop_assert!(title.width() <= cells, "{title:?}");
                prop_assert_eq!(visible_line(&title), title);
            }
        }
    }
}
