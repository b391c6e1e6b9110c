//! Which questions offer options, and which only hold a list.

use proptest::prelude::*;

use super::*;

/// The options as `key text`.
fn read(content: &str) -> Vec<String> {
    choices(content).iter().map(|choice| format!("{} {}", choice.key, choice.text)).collect()
}

#[test]
fn an_option_is_a_letter_or_digit_set_apart_from_its_text() {
    for (line, expected) in [
        ("a  drop it now", Some(('a', "drop it now"))),
        ("  b) keep it", Some(('b', "keep it"))),
        ("(c) both", Some(('c', "both"))),
        ("1. Postgres", Some(('1', "Postgres"))),
        ("- A: yes", Some(('a', "yes"))),
        ("**a)** drop", Some(('a', "drop"))),
        ("`a` - drop", Some(('a', "drop"))),
        ("a - drop", Some(('a', "drop"))),
        ("A、删除", Some(('a', "删除"))),
        ("（1）保留", Some(('1', "保留"))),
        ("A database for the log?", None),
        ("a", None),
        ("1.5 GB are left", None),
        ("10. tenth", None),
        ("e.g. this", None),
        ("", None),
    ] {
        let found = item(line).and_then(|(_, key, text, _)| Some((key?, text)));
        assert_eq!(found, expected, "{line:?}");
    }
}

#[test]
fn lists_that_ask_for_one_of_their_items_are_options() {
    for (content, expected) in [
        ("Which?\n1. this\n2. that", &["1 this", "2 that"][..]),
        ("Go on?\n- yes\n- no", &["y yes", "n no"]),
        ("Ready.\n\n* **Yes**\n* **No**", &["y Yes", "n No"]),
        ("Which one?\n- the booking dump\n- the logs", &["1 the booking dump", "2 the logs"]),
        ("Which?\n\nIt is for the log.\n\na  one\nb  two\n", &["a one", "b two"]),
        ("Your options:\n1) one\n2) two\n\nI would take 2.", &["1 one", "2 two"]),
        ("Which?\na) one\n   and more\nb) two", &["a one and more", "b two"]),
        ("Which?\n  p) Postgres\n  s) SQLite", &["p Postgres", "s SQLite"]),
        ("Found:\n1. x\n2. y\n\nWhat now?\na) fix\nb) leave", &["a fix", "b leave"]),
        ("选哪个？\n1、保留\n2、删除", &["1 保留", "2 删除"]),
        ("Delete it?\n- 是\n- 否", &["1 是", "2 否"]),
    ] {
        assert_eq!(read(content), expected, "{content:?}");
    }
}

#[test]
fn an_option_keeps_both_halves_of_its_marks_or_none() {
    for (line, expected) in [
        ("**a) drop**", "drop"),
        ("**a)** drop `users`", "drop `users`"),
        ("**a)** drop **all**", "drop **all**"),
        ("**a) drop** it now", "drop it now"),
        ("**a) drop** it **now**", "drop it **now**"),
        ("`a) drop`", "drop"),
        ("`a` - drop `users`", "drop `users`"),
        ("`a`: `drop`", "`drop`"),
        ("*a) drop* it", "drop it"),
        ("**`a`) drop** it", "drop it"),
        ("**`a) drop`** it", "drop it"),
        ("a) **drop** it **now**", "**drop** it **now**"),
        ("a  drop **all**", "drop **all**"),
        ("a - drop **all**", "drop **all**"),
        ("**a) drop\n   it**", "drop it"),
        ("a) **drop\n   it**", "**drop it**"),
        ("a) 2 * 3 * 4", "2 * 3 * 4"),
    ] {
        // The second one in the same form.
        let forms = ["b  keep", "b - keep", "b) keep"];
        let read = forms.map(|second| read(&format!("Which?\n{line}\n{second}")));
        let read = read.into_iter().find(|read| read.len() == 2).unwrap_or_default();
        assert_eq!(read.first(), Some(&format!("a {expected}")), "{line:?}");
    }
    for (bullet, expected) in [
        ("use `drop`", "use `drop`"),
        ("`drop` or `keep`", "`drop` or `keep`"),
        ("**Drop** it", "**Drop** it"),
        ("Drop **all**", "Drop **all**"),
        ("**Drop it**", "Drop it"),
        ("**`Drop`**", "Drop"),
        ("_Drop it_", "Drop it"),
        ("`__init__`", "__init__"),
        ("__init__.py", "__init__.py"),
        ("*.log", "*.log"),
    ] {
        let content = format!("Which one?\n- {bullet}\n- the booking dump of today");
        assert_eq!(read(&content).first(), Some(&format!("1 {expected}")), "{bullet:?}");
    }
}

#[test]
fn words_between_slashes_at_the_end_of_a_question_are_options() {
    for (content, expected) in [
        ("Go on? (yes/no)", &["y yes", "n no"][..]),
        ("Go on (y/n)?", &["y yes", "n no"]),
        ("Go on? [Yes/No]:", &["y Yes", "n No"]),
        ("Which? (Postgres/SQLite)", &["p Postgres", "s SQLite"]),
        ("Go on?\n- yes / - no", &["y yes", "n no"]),
        ("Which (a/b/c)?", &["a a", "b b", "c c"]),
        ("Keep them (all of it / only new / none)?", &["1 all of it", "2 only new", "3 none"]),
        ("Plan:\n1. drop\n2. build\n\nGo on? (yes/no)", &["y yes", "n no"]),
        ("Which? (a/b)\na) one\nb) two", &["a one", "b two"]),
        ("a) one\nb) two\nWhich? (a/b)", &["a one", "b two"]),
        ("要继续吗？（是/否）", &["1 是", "2 否"]),
    ] {
        assert_eq!(read(content), expected, "{content:?}");
    }
}

#[test]
fn a_list_that_is_no_choice_offers_nothing() {
    for content in [
        "Which?\n1. this",
        "How many replicas?\n\nSteps:\n1. build\n2. ship",
        "Plan:\n1. drop\n2. build\nShall I go on?",
        "I read:\n- src/login.rs\n- src/session.rs\n",
        "What is its name?\n\nIt has:\n- rows\n- columns\n\nIt is old.\n\nAnd big.",
        "Which?\na) one\na) two",
        "Which?\n1. one\n3. three",
        "Shall I move it (src/ui)?",
        "Is it src/ui/mod.rs (see docs/a.md)?",
        "Is (yes/no) a good name for it, or what else?",
        "Which? (a/a)",
        "",
    ] {
        assert_eq!(read(content), Vec::<String>::new(), "{content:?}");
    }
    let long = format!("Which?\na) one\nb) two\n\n{}", "word ".repeat(200));
    assert_eq!(read(&long), Vec::<String>::new());
}

#[test]
fn a_text_of_any_length_is_read_in_one_pass_or_not_at_all() {
    let most = format!("Which?\na) {}\nb) two", "x".repeat(MAX - 20));
    assert_eq!(choices(&most).len(), 2);
    for piece in ["a) x\n", "- yes\n", "(yes/no)", "((((", "- a\n   b\n", "?\n\n"] {
        let text = piece.repeat(MAX / piece.len() + 1);
        assert!(choices(&text).is_empty(), "{piece:?}");
    }
}

proptest! {
    #[test]
    fn any_text_gives_distinct_keys_and_lines_that_are_there(
        content in "(\\PC{0,20}|[a-d1-3][).] {0,2}x?|- (yes|no)|\\((yes|no|x)/(no|y)\\)|[ ]{0,4}|\n){0,40}",
    ) {
        let choices = choices(&content);
        let keys: Vec<char> = choices.iter().map(|choice| choice.key).collect();
        let lines = content.lines().count();
        prop_assert!(choices.len() != 1 && are_distinct(&keys));
        for choice in &choices {
            prop_assert!(choice.lines.end <= lines && !choice.text.trim().is_empty());
        }
    }
}
