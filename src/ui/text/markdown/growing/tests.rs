//! Rows of closed blocks: they do not change, they equal those of the complete text, and no text is too long.

use proptest::prelude::*;

use super::super::render;
use super::*;
use crate::links::Links;
use crate::text::{SpanText, StreamCleaner};
use crate::theme::Glyphs;

/// The means to render, made once for a test.
struct Means {
    colours: CodeColours,
    links: Links,
}

impl Means {
    fn plain() -> Self {
        Self { colours: CodeColours::off(), links: Links::default() }
    }

    fn get(&self) -> RenderMeans<'_> {
        RenderMeans { glyphs: &Glyphs::UTF8, colours: &self.colours, links: &self.links }
    }

    fn rows(&self, text: &str, width: usize) -> Vec<StyledLine> {
        render(&SafeText::clean(text.trim_end()), width, self.get())
    }
}

fn texts(rows: &[StyledLine]) -> Vec<String> {
    rows.iter().map(StyledLine::text).collect()
}

/// Pushes a text in chunks of `chunk` characters; after each of them, `check` sees the rows.
fn grow(text: &str, chunk: usize, width: usize, check: impl FnMut(&GrowingMarkdown)) {
    grow_with(&Means::plain(), text, chunk, width, check);
}

fn grow_with(
    means: &Means,
    text: &str,
    chunk: usize,
    width: usize,
    mut check: impl FnMut(&GrowingMarkdown),
) {
    let mut growing = GrowingMarkdown::default();
    let mut cleaner = StreamCleaner::default();
    let letters: Vec<char> = text.chars().collect();
    for part in letters.chunks(chunk) {
        growing.push(&cleaner.clean(&part.iter().collect::<String>()));
        growing.lay_out(width, means.get());
        check(&growing);
    }
}

/// Lines of any kind of block, also half ones and marks that mean nothing.
const LINES: [&str; 47] = [
    "one two three four five six seven",
    "你好，世界。这是一段很长的中文文字",
    "# A heading",
    "###",
    "#no heading",
    "===",
    "---",
    "***",
    "- one",
    "- two two two two two two two two",
    "  - deep",
    "    more of it",
    "  text",
    "-",
    "* star",
    "+ plus",
    "1. first",
    "2. second",
    "10) tenth",
    "1986. A year",
    "- [x] done",
    "- [ ] open",
    "> said",
    ">",
    "> - in it",
    ">> twice",
    "```rust",
    "```",
    "~~~",
    "    let x = 1;",
    "fn a() {",
    "| a | b |",
    "|---|--:|",
    "| 1 | 你好 |",
    "a | b",
    "-|-",
    "[text](https://a.example) and https://b.example/x.",
    "[ref] and [ref][] too",
    "**strong** and `code`",
    "**open",
    "`open",
    "<div>",
    "<!-- remark",
    "-->",
    "</div>",
    "&#27;[2J \u{1b}[2J 👍 e\u{301}",
    "\\",
];

fn document() -> impl Strategy<Value = String> {
    let line = prop::sample::select(LINES.to_vec());
    let ends = prop::sample::select(vec!["\n", "\n", "\n\n", "\n\n\n", "  \n", "\n \n"]);
    prop::collection::vec((line, ends), 1..24)
        .prop_map(|lines| lines.into_iter().flat_map(|(line, end)| [line, end]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn rows_of_closed_blocks_never_change_and_are_those_of_the_record(
        text in document(),
        chunk in 1_usize..40,
        width in prop::sample::select(vec![4_usize, 12, 30, 58, 100]),
    ) {
        let means = Means::plain();
        let recorded = means.rows(&text, width);
        let mut steps: Vec<Vec<StyledLine>> = Vec::new();
        grow_with(&means, &text, chunk, width, |growing| {
            steps.push(growing.rows()[..growing.closed_rows()].to_vec());
        });
        let mut before: &[StyledLine] = &[];
        for closed in &steps {
            prop_assert!(closed.starts_with(before), "{text:?}\n{before:#?}\nbecame\n{closed:#?}");
            prop_assert!(
                recorded.starts_with(closed),
                "{text:?}\n{:#?}\nis recorded as\n{:#?}", texts(closed), texts(&recorded)
            );
            before = closed;
        }
    }

    #[test]
    fn in_any_chunks_the_rows_of_complete_lines_are_those_of_the_record(
        text in document(),
        chunk in 1_usize..40,
        width in 4_usize..60,
    ) {
        let mut last = Vec::new();
        grow(&text, chunk, width, |growing| last = growing.rows().to_vec());
        prop_assert_eq!(texts(&last), texts(&Means::plain().rows(&text, width)), "{:?}", text);
    }

    #[test]
    fn another_width_gives_the_rows_of_that_width(text in document(), from in 4_usize..60, to in 4_usize..60) {
        let means = Means::plain();
        let mut growing = GrowingMarkdown::default();
        growing.push(&SafeText::clean(&text));
        growing.lay_out(from, means.get());
        growing.lay_out(to, means.get());
        prop_assert_eq!(texts(growing.rows()), texts(&means.rows(&text, to)), "{:?}", text);
    }
}

#[test]
fn a_block_is_closed_by_a_complete_line_of_the_next_and_by_nothing_less() {
    for (text, closed) in [
        ("one\n\ntwo", 0),
        ("one\n\ntwo\n", 1),
        ("one\n#", 0),
        ("one\n# two\n", 1),
        ("one\n***", 0),
        ("one\n***two***\n", 0),
        ("```\na\n\n# b\n", 0),
        ("```sh\na\n```\nb\n", 2),
        ("- a\n\n  b\n\n- c\n", 0),
        ("- a\n- b\n\nc\n", 2),
        ("a\n| b |\n|--", 0),
    ] {
        let mut rows = 0;
        grow(text, 1, 40, |growing| rows = growing.closed_rows());
        assert_eq!(rows, closed, "{text:?}");
    }
}

#[test]
fn a_mark_is_not_shown_before_its_text() {
    let mut shown = Vec::new();
    grow("They are:\n- one", 1, 40, |growing| {
        shown.push(growing.rows().to_vec());
    });
    let is_heading = |rows: &Vec<StyledLine>| rows[0].spans[0].role == Role::TextStrong;
    assert!(!shown.iter().any(is_heading), "a dash below a line makes no heading of it");
    assert_eq!(texts(&shown[shown.len() - 1]), ["They are:", "", "- one"]);
}

#[test]
fn a_reference_is_a_link_where_its_definition_stands_above() {
    let text = "[Ref One]: https://a.example\n\nfirst\n\nsee [ref  one] or [x][REF ONE]\n\nlast\n";
    let means = Means::plain();
    let mut rows = Vec::new();
    grow(text, 3, 60, |growing| rows = growing.rows().to_vec());
    assert_eq!(texts(&rows), texts(&means.rows(text, 60)));
    assert_eq!(rows[2].text(), "see ref  one (https://a.example) or x (https://a.example)");
}

#[test]
fn the_colours_of_code_come_when_its_block_is_closed_and_move_nothing() {
    let means = Means { colours: CodeColours::at_once(), links: Links::default() };
    let mut growing = GrowingMarkdown::default();
    let is_coloured = |growing: &GrowingMarkdown| {
        let spans = growing.rows().iter().flat_map(|row| &row.spans);
        let mut parts = spans.filter_map(|span| match &span.text {
            SpanText::Code(part) => Some(part),
            SpanText::Own(_) => None,
        });
        parts.any(|part| part.runs().iter().any(|run| run.role == Role::CodeKeyword))
    };
    means.colours.begin_frame();
    growing.push(&SafeText::clean("```rust\nfn a() {}\n"));
    growing.lay_out(40, means.get());
    assert!(!is_coloured(&growing));
    let open = texts(growing.rows());
    growing.push(&SafeText::clean("```\nend\n"));
    growing.lay_out(40, means.get());
    assert!(is_coloured(&growing) && texts(growing.rows()).starts_with(&open));
}

#[test]
fn long_code_is_shown_as_code_and_ends_where_its_fence_does() {
    let code: String = (0..2_000)
        .flat_map(|n| ["    line ".to_owned(), n.to_string(), "\n\n".to_owned()])
        .collect();
    let text = format!("before\n\n````rust\n{code}```\n````\nafter\n\nthe end\n");
    let mut before: Vec<String> = Vec::new();
    grow(&text, 701, 40, |growing| {
        let rows = texts(growing.rows());
        // The last row may be half a line, and blank lines at the end of code are shown once more follows.
        let kept = before.len().saturating_sub(3);
        assert!(rows.starts_with(&before[..kept]), "{:?}", &rows[rows.len() - 5..]);
        before = rows;
    });
    assert_eq!(before, texts(&Means::plain().rows(&text, 40)));
}

#[test]
fn a_long_block_of_any_kind_is_all_there_and_is_markdown_again_once_it_is_closed() {
    for line in [
        "one **two** three\n",
        "- one **two**\n",
        "> one\n",
        "| a | b |\n|---|---|\n",
        "word ",
        "你好",
    ] {
        let block = line.repeat(40 * 1024 / line.len());
        let text = format!("start\n\n{block}");
        let mut open = 0;
        grow(&text, 997, 60, |growing| open = growing.rows().len() - growing.closed_rows());
        assert!(open > 40 * 1024 / 100, "{line:?}: {open}");
        let rest: String =
            (0..200).flat_map(|n| ["\n\nparagraph ".to_owned(), n.to_string()]).collect();
        let text = format!("{text}{rest}");
        let mut rows = Vec::new();
        grow(&text, 997, 60, |growing| rows = growing.rows().to_vec());
        assert_eq!(texts(&rows), texts(&Means::plain().rows(&text, 60)), "{line:?}");
    }
}

#[test]
fn of_an_endless_text_the_end_is_kept_and_dropped_rows_are_counted() {
    for piece in ["line of it\n\n", "line of it\n", "- item\n\n", "```\ncode\n", "你好"] {
        let means = Means::plain();
        let mut growing = GrowingMarkdown::default();
        let mut dropped = 0;
        for _ in 0..1_000 {
            let before = growing.rows().len();
            growing.push(&SafeText::clean(&piece.repeat(2_048 / piece.len())));
            growing.lay_out(40, means.get());
            let now = growing.take_dropped();
            assert!(now <= before, "{piece:?}");
            dropped += now;
            assert!(
                growing.text().len() <= MAX_BYTES && growing.text().ends_with(piece),
                "{piece:?}"
            );
            assert!(!growing.rows().is_empty());
        }
        assert!(dropped > 0, "{piece:?}");
    }
}
