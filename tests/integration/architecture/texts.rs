//! The texts of the screen: each in both languages, on one line, wherever it stands.

use std::fmt::Write;

use super::tokens::{Token, program};
use super::{program as sources, report};

/// The constructors of texts, and the number of their strings; the last one is Chinese.
const MADE_BY: [(&str, usize); 2] = [("Text", 2), ("Counted", 3)];

/// Chinese texts without Chinese words: names and signs.
const SAME_IN_BOTH: [&str; 2] = ["/", "config.yaml"];

/// A text of a source, with its line.
struct Written {
    line: usize,
    strings: Vec<String>,
}

/// The texts that a source writes out as strings.
fn texts(source: &str) -> Vec<Written> {
    let placed = program(source);
    let tokens: Vec<Token<'_>> = placed.iter().map(|one| one.token).collect();
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Token::Word(name) = token else { continue };
        let Some((_, count)) = MADE_BY.iter().find(|(made_by, _)| made_by == name) else {
            continue;
        };
        let call = [Token::Colons, Token::Word("new"), Token::Mark('(')];
        if !tokens[at + 1..].starts_with(&call) {
            continue;
        }
        let arguments = tokens[at + 1 + call.len()..].iter();
        let strings = arguments.filter(|token| **token != Token::Mark(',')).map_while(|token| {
            if let Token::Text(text) = token { Some(joined(text)) } else { None }
        });
        let strings: Vec<String> = strings.take(*count).collect();
        if !strings.is_empty() {
            found.push(Written { line: placed[at].line, strings });
        }
    }
    found
}

/// A string without the line breaks that its source alone has.
fn joined(text: &str) -> String {
    let mut parts = text.split("\\\n");
    let mut joined = parts.next().unwrap_or_default().to_owned();
    parts.for_each(|part| joined.push_str(part.trim_start()));
    joined
}

/// Returns what is wrong with a text.
fn fault(strings: &[String]) -> Option<&'static str> {
    let chinese = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    let escapes = |text: &str| text.replace("\\\"", "").contains('\\');
    let Some((last, first)) = strings.split_last() else { return Some("no text") };
    if strings.iter().any(|text| text.trim().is_empty()) {
        return Some("empty");
    }
    if strings.iter().any(|text| text.chars().any(char::is_control) || escapes(text)) {
        return Some("control characters");
    }
    if first.is_empty() || (!chinese(last) && !SAME_IN_BOTH.contains(&last.as_str())) {
        return Some("not Chinese");
    }
    first.iter().any(|text| chinese(text)).then_some("not English")
}

#[test]
fn every_text_of_the_screen_is_in_both_languages_without_control_characters() {
    let (mut number, mut broken) = (0, Vec::new());
    for source in sources().iter().filter(|source| source.path.starts_with("src/ui")) {
        for text in texts(&source.text) {
            number += 1;
            if let Some(fault) = fault(&text.strings) {
                broken.push(format!("{}:{}: {fault}", source.path.display(), text.line));
            }
        }
    }
    report("a text of the screen", &broken);
    assert!(number > 200, "only {number} texts are found");
}

#[test]
fn a_text_that_lacks_a_language_is_found() {
    let mut source = String::new();
    for strings in [
        "\"a\", \"甲\"",
        "\"\", \"甲\"",
        "\"a\", \"b\"",
        "\"甲\", \"乙\"",
        "\"a\\n\", \"甲\"",
        "en, zh",
    ] {
        writeln!(source, "const A: Text = Text::new({strings},);").expect("a string grows");
    }
    source.push_str("const B: Counted = Counted::new(\"a \\\n  b\", \"c\", \"丙\");");
    let found: Vec<_> =
        texts(&source).iter().map(|text| (text.line, fault(&text.strings))).collect();
    let expected = [
        (1, None),
        (2, Some("empty")),
        (3, Some("not Chinese")),
        (4, Some("not English")),
        (5, Some("control characters")),
        (7, None),
    ];
    assert_eq!(found, expected);
}
