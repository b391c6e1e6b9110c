//! How Markdown looks as text, which roles it gets, and that hostile Markdown stays bounded.

use proptest::prelude::*;
use ratatui::style::{Modifier, Style};

use super::*;
use crate::text::SpanText;
use crate::theme::Theme;

fn lines(markdown: &str, width: usize) -> Vec<StyledLine> {
    with(markdown, width, &CodeColours::off(), &Links::default())
}

fn with(markdown: &str, width: usize, colours: &CodeColours, links: &Links) -> Vec<StyledLine> {
    let means = RenderMeans { glyphs: &Glyphs::UTF8, colours, links };
    render(&SafeText::clean(markdown), width, means)
}

fn texts(markdown: &str, width: usize) -> Vec<String> {
    lines(markdown, width).iter().map(StyledLine::text).collect()
}

/// The roles of all spans whose text is `text`.
fn roles(markdown: &str, text: &str) -> Vec<(Role, Emphasis)> {
    let spans = lines(markdown, 60).into_iter().flat_map(|line| line.spans);
    let found = spans.filter(|span| span.text.as_str() == text);
    found.map(|span| (span.role, span.emphasis)).collect()
}

#[test]
fn blocks_look_like_this() {
    for (markdown, expected) in [
        ("one two three four five", vec!["one two three", "four five"]),
        ("# Title\ntext", vec!["Title", "", "text"]),
        ("a\nb", vec!["a", "b"]),
        ("- one\n- two two two two\n  - deep", vec!["- one", "- two two two", "  two", "  - deep"]),
        ("9. a\n10. b", vec!["9. a", "10. b"]),
        ("- a\n\n- b", vec!["- a", "", "- b"]),
        ("- a\n\nafter", vec!["- a", "", "after"]),
        ("- [x] done\n- [ ] open", vec!["- ✓ done", "- ○ open"]),
        (
            "- [ ] one two three four\n  - [x] deep",
            vec!["- ○ one two", "    three four", "    - ✓ deep"],
        ),
        ("> said\n> so\n\nend", vec!["│ said", "│ so", "", "end"]),
        ("> a\n>\n> b", vec!["│ a", "│", "│ b"]),
        ("> - in a list\n>   more words", vec!["│ - in a list", "│   more words"]),
        (
            "```rust\nfn a() {}\n\n  x\n```\nend",
            vec!["rust", "▏ fn a() {}", "▏ ", "▏   x", "", "end"],
        ),
        ("a\n\n---\n\nb", vec!["a", "", "───────────────", "", "b"]),
        ("<b>x</b> &amp; y", vec!["<b>x</b> & y"]),
        ("-\n- b", vec!["- ", "- b"]),
        ("", vec![]),
    ] {
        assert_eq!(texts(markdown, 15), expected, "{markdown:?}");
    }
}

#[test]
fn code_is_broken_only_at_the_edge_and_a_sign_says_so() {
    assert_eq!(
        texts("    let   x = 1234567;\n\n    end", 12),
        ["▏ let   x = ", "↪ 1234567;", "▏ ", "▏ end"]
    );
}

#[test]
fn the_target_of_a_link_is_always_shown() {
    for (markdown, expected) in [
        ("[bank](https://evil.example/x)", "bank (https://evil.example/x)"),
        ("<https://a.example>", "https://a.example"),
        ("[x](javascript:alert)", "x (javascript:alert)"),
        ("![logo](a.png)", "image: logo (a.png)"),
        ("<me@a.example>", "me@a.example"),
    ] {
        assert_eq!(texts(markdown, 60), [expected], "{markdown}");
    }
    assert_eq!(
        roles("[t](http://a.example)", "t (http://a.example)").first().map(|r| r.0),
        Some(Role::Link)
    );
    assert_eq!(roles("[t](ftp://a)", " (ftp://a)").first().map(|r| r.0), Some(Role::TextDim));
    let long = format!("[x](http://{})", "a".repeat(5_000));
    assert!(texts(&long, 100).concat().len() < 2_200);
}

#[test]
fn spans_carry_roles_and_emphasis() {
    let none = Emphasis::default();
    let strong = Emphasis { strong: true, ..none };
    for (markdown, text, expected) in [
        ("plain", "plain", (Role::Text, none)),
        ("# head", "head", (Role::TextStrong, strong)),
        ("a **b** c", "b", (Role::TextStrong, strong)),
        ("a *b* c", "b", (Role::Text, Emphasis { italic: true, ..none })),
        ("a ~~b~~ c", "b", (Role::Text, Emphasis { struck: true, ..none })),
        ("a `b` c", "b", (Role::Code, none)),
        ("> b", "b", (Role::Quote, none)),
        ("```\nb\n```", "b", (Role::Code, none)),
        // Its parts are coloured, so the rest looks like text.
        ("```rs\nb\n```", "b", (Role::Text, none)),
    ] {
        assert_eq!(roles(markdown, text), [expected], "{markdown}");
    }
}

#[test]
fn a_line_takes_its_colours_from_the_theme() {
    let theme = Theme::plain();
    let line = lines("a **b**", 20).remove(0);
    let drawn = line.to_line(&theme);
    assert_eq!(drawn.spans.len(), 2);
    assert_eq!(drawn.spans[1].style, Style::new().add_modifier(Modifier::BOLD));
}

#[test]
fn tables_are_in_columns_or_one_value_per_line() {
    let table = "| name | count |\n|---|---:|\n| apples | 3 |\n| 你好 | 12 |";
    assert_eq!(
        texts(table, 30),
        ["name    count", "─────────────", "apples      3", "你好       12"]
    );
    let squeezed = "| a | b |\n|---|---|\n| some longer words here | x |";
    assert_eq!(
        texts(squeezed, 14),
        ["a            b", "──────────────", "some longer  x", "words here"]
    );
    assert_eq!(texts("|abcdef|ghijkl|\n|-|-|\n|1|2|", 7), ["abcdef:", "1", "ghijkl:", "2"]);
}

#[test]
fn a_table_of_one_value_per_line_keeps_links_and_code() {
    let table = "|abcdef|ghijkl|\n|-|-|\n|`code`|[t](https://d)|";
    assert_eq!(texts(table, 7)[..2], ["abcdef:", "code"]);
    let spans: Vec<StyledSpan> = lines(table, 7).into_iter().flat_map(|line| line.spans).collect();
    assert!(spans.iter().any(|span| span.role == Role::Code && span.text.as_str() == "code"));
    let linked: Vec<String> = linked(table, 7).into_iter().map(|(_, address)| address).collect();
    assert!(
        !linked.is_empty() && linked.iter().all(|address| address == "https://d"),
        "{linked:?}"
    );
}

#[test]
fn no_entity_becomes_a_control_character() {
    for markdown in
        ["&#27;[2J", "&#x9b;31m", "&#x202e;gnp", "&#x200b;", "&#8;&#13;", "[x](http://a&#27;b)"]
    {
        for line in texts(markdown, 40) {
            assert_eq!(SafeText::clean(&line).as_str(), line, "{markdown}");
            assert!(!line.contains(char::is_control), "{markdown}");
        }
    }
    assert_eq!(texts("&#x202e;gnp", 40), ["<202E>gnp"]);
}

#[test]
fn the_hostile_corpus_stays_harmless_as_markdown() {
    for raw in crate::text::clean::tests::hostile_corpus() {
        for line in texts(&raw, 60) {
            assert_eq!(SafeText::clean(&line).as_str(), line);
            assert!(!line.contains('\n') && width(&line) <= 60);
        }
    }
}

#[test]
fn deep_nesting_neither_recurses_nor_uses_up_the_width() {
    let quotes = format!("{}text", "> ".repeat(5_000));
    let rows = texts(&quotes, 40);
    assert_eq!(rows.last().map(String::as_str), Some("│ │ │ │ │ │ │ │ │ │ text"));
    let lists: String =
        (0..300).flat_map(|level| ["  ".repeat(level), "- x\n".to_owned()]).collect();
    assert!(lines(&lists, 40).iter().all(|line| line.width() <= 40));
    for hostile in ["[", "`", "*", "<", "![", "**a ", "_"] {
        let _ = texts(&hostile.repeat(20_000), 80);
    }
}

proptest! {
    #[test]
    fn no_line_is_wider_than_asked_and_none_holds_a_control(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "word ", "你好", "\n", "\n\n", "- ", "1. ", "> ", "# ", "```\n", "    code", "**", "*",
            "`", "[a](http://b)", "| a | b |\n|---|---|\n| c | d |\n", "---\n", "&#27;", "👍", "\\",
            "<b>", "~~",
        ]), 0..40),
        width in 10_usize..60,
    ) {
        for line in lines(&pieces.concat(), width) {
            prop_assert!(line.width() <= width, "{:?}", line.text());
            prop_assert!(!line.text().contains(char::is_control));
        }
    }
}

/// The roles of all code, as it is drawn.
fn code_roles(lines: &[StyledLine]) -> Vec<Role> {
    let spans = lines.iter().flat_map(|line| &line.spans);
    let runs = spans.flat_map(|span| match &span.text {
        SpanText::Code(part) => part.runs(),
        SpanText::Own(_) => Vec::new(),
    });
    runs.map(|run| run.role).collect()
}

#[test]
fn colours_of_code_change_no_text_and_no_row() {
    let markdown = "- a\n\n  ```rust\n  fn a() { \"日本語\" } // a long comment that goes on\n\n  let b = 1;\n  ```\n";
    let (colours, addresses) = (CodeColours::at_once(), Links::default());
    for width in 4..60 {
        colours.begin_frame();
        let coloured = with(markdown, width, &colours, &addresses);
        let plain = lines(markdown, width);
        let texts = |lines: &[StyledLine]| lines.iter().map(StyledLine::text).collect::<Vec<_>>();
        assert_eq!(texts(&coloured), texts(&plain), "{width}");
        assert!(code_roles(&coloured).contains(&Role::CodeString), "{width}");
        let mut spans = coloured.iter().flat_map(|line| &line.spans);
        assert!(spans.all(|span| !span.text.as_str().is_empty()), "{width}");
    }
}

#[test]
fn only_code_that_names_a_known_language_is_coloured() {
    let colours = CodeColours::at_once();
    for (info, expected) in [("rust", true), ("nolang", false), ("", false)] {
        colours.begin_frame();
        let markdown = format!("```{info}\nfn a() {{}}\n```");
        let lines = with(&markdown, 40, &colours, &Links::default());
        assert_eq!(code_roles(&lines).contains(&Role::CodeKeyword), expected, "{info}");
    }
}

/// The texts that are links, with their addresses.
fn linked(markdown: &str, width: usize) -> Vec<(String, String)> {
    let addresses = Links::default();
    let rendered = with(markdown, width, &CodeColours::off(), &addresses);
    let spans = rendered.into_iter().flat_map(|line| line.spans);
    let linked = spans
        .filter_map(|span| Some((span.text.as_str().to_owned(), addresses.address(span.link?)?)));
    linked.collect()
}

#[test]
fn web_and_mail_addresses_are_links_and_a_text_never_hides_another_address() {
    let link = |text: &str, address: &str| (text.to_owned(), address.to_owned());
    for (markdown, expected) in [
        (
            "a [b *c*](https://d) e",
            vec![
                link("b ", "https://d"),
                link("c", "https://d"),
                link(" (https://d)", "https://d"),
            ],
        ),
        ("<https://d>", vec![link("https://d", "https://d")]),
        ("<me@d.example>", vec![link("me@d.example", "mailto:me@d.example")]),
        (
            "[a](https://b)[c](https://d)",
            vec![link("a (https://b)", "https://b"), link("c (https://d)", "https://d")],
        ),
        ("[https://bank](https://evil)", vec![link(" (https://evil)", "https://evil")]),
        ("[www.bank](https://evil)", vec![link(" (https://evil)", "https://evil")]),
        ("[a](javascript:b) [c](file:///d) [e](#f)", vec![]),
        ("`https://a`", vec![]),
        ("    https://a\n\n```\nhttps://b\n```", vec![]),
        ("see https://a/x_y_z.", vec![link("https://a/x_y_z", "https://a/x_y_z")]),
        (
            "**https://a** (http://b/?c&amp;d)",
            vec![link("https://a", "https://a"), link("http://b/?c&d", "http://b/?c&d")],
        ),
        (
            "- https://a\n  https://b",
            vec![link("https://a", "https://a"), link("https://b", "https://b")],
        ),
        ("见https://a/b，好", vec![link("https://a/b", "https://a/b")]),
        ("https://bank@evil https://日本 https://", vec![]),
        ("[see https://bank](https://evil)", vec![link(" (https://evil)", "https://evil")]),
        ("[https://bank](ftp://evil/https://a)", vec![]),
        (
            "| https://a |\n|---|\n| https://b |",
            vec![link("https://a", "https://a"), link("https://b", "https://b")],
        ),
        ("| [a](https://b) |\n|---|\n| x |", vec![link("a (https://b)", "https://b")]),
    ] {
        assert_eq!(linked(markdown, 80), expected, "{markdown}");
    }
    let broken = linked("[a long text of a link that is broken](https://d)", 20);
    assert!(broken.len() > 2 && broken.iter().all(|(_, address)| address == "https://d"));
}
