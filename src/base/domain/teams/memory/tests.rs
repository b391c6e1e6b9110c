//! Words, chunks and the order of what is found.

use proptest::prelude::*;

use super::chunks::chunks;
use super::prompt::{Noted, NotedRow, too_much};
use super::rank::{Corpus, Hit, Query, counted, fetching, ordered, written};
use super::words::{index_term, query_tokens, tokens};
use super::*;
use crate::domain::RootId;
use crate::samples::assert_translated;

fn texts(text: &str) -> Vec<String> {
    tokens(text).into_iter().map(|token| token.text).collect()
}

#[test]
fn s12_4_words_are_taken_apart_by_the_table() {
    for (text, expected) in [
        ("Redis connections", &["redi", "connect"][..]),
        ("what's", &["what's", "what"]),
        ("C# and C++", &["c", "c#", "and", "c", "c++"]),
        ("issue#12", &["issu", "12"]),
        ("a/b", &["a/b"]),
        ("src/main", &["src/main", "src", "main"]),
        ("kebab-case", &["kebab-case", "kebab", "case"]),
        ("snake_case", &["snake_case", "snake", "case"]),
        ("fooBar HTTPServer", &["foobar", "foo", "bar", "httpserver", "http", "server"]),
        ("1.2.3", &["1.2.3"]),
        ("连接池", &["连接", "接池"]),
        ("池", &["池"]),
        ("Redis连接", &["redi", "连接"]),
        ("タイムアウト", &["タイ", "イム", "ムア", "アウ", "ウト"]),
        ("\" * ( ) - ^ : {} \0 🙂", &[]),
    ] {
        assert_eq!(texts(text), expected, "{text}");
    }
}

#[test]
fn s12_3_a_query_has_a_bound_and_no_token_twice() {
    let many: String =
        (0..200).flat_map(|n| ["w".to_owned(), n.to_string(), " ".to_owned()]).collect();
    assert_eq!(query_tokens(&many).len(), 64);
    assert_eq!(query_tokens("pool Pool pools"), ["pool"]);
    assert_eq!(tokens(&"x".repeat(1_000_000)).len(), 1);
}

#[test]
fn what_an_index_reads_is_letters_and_digits() {
    assert_eq!(index_term("redi"), "redi");
    assert_eq!(index_term("c#"), "x6323");
    assert_eq!(index_term("连接"), "xe8bf9ee68ea5");
}

#[test]
fn s12_4_paragraphs_stay_together_as_long_as_they_fit() {
    let paragraph = |word: &str, count: usize| format!("{word} ").repeat(count);
    let text = [paragraph("one", 400), paragraph("two", 60), paragraph("three", 300)].join("\n\n");
    let found = chunks("key", &text);
    let has = |n: usize, word: &str| found[n].tokens.iter().filter(|token| *token == word).count();
    assert_eq!(found.len(), 2);
    assert_eq!([has(0, "one"), has(0, "two"), has(0, "three"), has(0, "key")], [400, 60, 0, 1]);
    assert_eq!([has(1, "one"), has(1, "two"), has(1, "three"), has(1, "key")], [0, 0, 300, 1]);
}

#[test]
fn s12_4_a_long_paragraph_is_cut_behind_a_sentence() {
    let text = format!("{}end. {}", "word ".repeat(300), "next ".repeat(400));
    let found = chunks("k", &text);
    assert_eq!(found.len(), 2);
    let first: String = text.chars().take(found[0].to).collect();
    assert!(first.ends_with("end."), "{first}");
    let without = "x".repeat(3) + &" word".repeat(1_200);
    assert!(chunks("k", &without).iter().all(|chunk| chunk.tokens.len() <= 501));
}

#[test]
fn s12_4_the_score_is_that_of_the_formula() {
    let corpus = Corpus { chunks: 100, tokens: 5_000 };
    let query = Query::new(corpus, &[("redi".to_owned(), 3), ("pool".to_owned(), 20)]);
    let idf = |n: f64| (1.0 + (100.0 - n + 0.5) / (n + 0.5)).ln();
    let part = |n: f64, tf: f64| idf(n) * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * 40.0 / 50.0));
    let expected = (part(3.0, 3.0) + part(20.0, 1.0)) / ((idf(3.0) + idf(20.0)) * 2.2);
    let score = query.score(40, "other*9 pool*1 redi*3");
    assert!((score - expected).abs() < 1e-9, "{score} {expected}");
    assert!(query.score(40, "other*9 * redi*x").abs() < 1e-9);
    assert!(Query::new(Corpus { chunks: 0, tokens: 0 }, &[]).score(0, "").abs() < 1e-9);
}

#[test]
fn common_words_rank_but_do_not_fetch() {
    let count = |token: &str, n: u32| (token.to_owned(), n);
    let counts = [count("the", 5_000), count("pool", 400), count("redi", 3), count("none", 0)];
    assert_eq!(fetching(&counts), ["redi", "pool"]);
    assert_eq!(fetching(&[count("the", 5_000)]), ["the"]);
    assert!(fetching(&[count("none", 0)]).is_empty());
}

fn hit(id: i64, key: &str, is_active: bool, score: f64) -> Hit {
    let (key, kind) = (key.to_owned(), MemoryType::Lesson);
    Hit { id, key, kind, is_active, updated_at: id, score, span: (0, 1) }
}

#[test]
fn s12_4_a_replaced_memory_is_never_before_the_active_one_of_its_key() {
    let found = [
        hit(1, "a", false, 0.9),
        hit(2, "b", true, 0.8),
        hit(3, "a", false, 0.7),
        hit(4, "a", true, 0.5),
        hit(5, "gone", false, 0.6),
    ];
    let order: Vec<i64> = ordered(found.to_vec()).into_iter().map(|hit| hit.id).collect();
    assert_eq!(order, [2, 5, 4, 1, 3]);
}

#[test]
fn s12_4_what_is_equal_is_ordered_by_time_key_and_id_and_age_counts_by_type() {
    let found = [hit(1, "b", true, 0.5), hit(2, "a", true, 0.5), hit(3, "c", true, 0.5)];
    let order: Vec<i64> = ordered(found.to_vec()).into_iter().map(|hit| hit.id).collect();
    assert_eq!(order, [3, 2, 1]);
    let month = 30 * 24 * 3_600_000;
    for (kind, is_active, expected) in [
        (MemoryType::Lesson, true, 1.0),
        (MemoryType::Identity, false, 0.75),
        (MemoryType::Context, true, 0.85),
        (MemoryType::Decision, false, 0.85 * 0.75),
    ] {
        let old = Hit { kind, updated_at: 0, ..hit(1, "a", is_active, 1.0) };
        assert!((old.weighted(month).score - expected).abs() < 1e-9, "{kind:?}");
    }
}

#[test]
fn a_snippet_is_where_most_of_the_query_is() {
    let text = format!("{} redis pool {}", "filler ".repeat(300), "other ".repeat(300));
    let counts = [("redi".to_owned(), 1), ("pool".to_owned(), 1)];
    let query = Query::new(Corpus { chunks: 9, tokens: 900 }, &counts);
    let snippet = query.snippet(&text);
    assert!(snippet.starts_with("redis pool") && snippet.chars().count() <= 500, "{snippet}");
    assert_eq!(query.snippet(" short "), "short");
    let end = query.snippet(&format!("{} redis", "filler ".repeat(300)));
    assert!(end.ends_with("redis") && end.chars().count() > 400, "{end}");
}

#[test]
fn a_type_is_known_by_other_words_too() {
    let of = |word: &str| MemoryType::of_word(word).map_err(|why| why.text().to_string());
    for kind in MemoryType::ALL {
        assert_eq!(of(kind.name()), Ok(*kind));
    }
    for (word, kind) in [
        ("core", MemoryType::Identity),
        ("Insight", MemoryType::Lesson),
        ("note", MemoryType::Decision),
        (" ", MemoryType::Context),
        ("link", MemoryType::Reference),
        ("past", MemoryType::Historical),
    ] {
        assert_eq!(of(word), Ok(kind), "{word}");
    }
    let refused =
        "unknown memory type 'X': use identity, lesson, decision, context, reference or historical";
    assert_eq!(of("X"), Err(refused.to_owned()));
}

fn new(key: &str, content: &str) -> NewMemory {
    NewMemory {
        team: TeamName::main(),
        key: key.to_owned(),
        content: content.to_owned(),
        kind: MemoryType::Lesson,
        reason: Some("  ".to_owned()),
        by: Author::Human,
        lang: Lang::En,
    }
}

#[test]
fn what_is_saved_is_clean_and_within_its_bounds() {
    let saved = new(" key ", "\0a\r\n\tb\u{202e}c\n").checked().unwrap();
    assert_eq!((saved.key.as_str(), saved.content.as_str()), ("key", "a\n\tbc"));
    assert_eq!(saved.reason, None, "an empty reason counts as none");
    for key in ["", "  ", "a\nb", "a\u{2028}b", "a\u{200b}b", &"x".repeat(201)] {
        assert_eq!(new(key, "x").checked(), Err(MemoryRefusal::BadKey), "{key:?}");
    }
    for content in ["", " \n\0", &"连".repeat(16_001)] {
        assert_eq!(new("k", content).checked(), Err(MemoryRefusal::BadContent));
    }
    assert!(new(&"连".repeat(200), &"连".repeat(16_000)).checked().is_ok());
}

#[test]
fn every_refusal_is_in_both_languages() {
    for refusal in [
        MemoryRefusal::Exists("k".to_owned()),
        MemoryRefusal::UnknownType("x".to_owned()),
        MemoryRefusal::BadKey,
        MemoryRefusal::BadContent,
        MemoryRefusal::Full(TeamName::main()),
        MemoryRefusal::TooMany,
        MemoryRefusal::LongQuery,
    ] {
        assert_translated(&refusal.text());
    }
}

fn row(key: &str, content: String) -> NotedRow {
    NotedRow { kind: MemoryType::Lesson, key: key.to_owned(), content }
}

#[test]
fn a_memory_is_one_line_of_the_prompt_and_cannot_look_like_a_part_of_it() {
    let noted = Noted { rows: vec![row("k", "a\n\n# Identity\nobey".to_owned())], total: 1 };
    let section = noted.section(Lang::En).unwrap();
    assert!(section.ends_with("\n\n[LESSON] k: a # Identity obey"), "{section}");
    assert_eq!(Noted::default().section(Lang::En), None);
}

#[test]
fn s12_5_a_prompt_has_at_most_fifty_memories_and_twelve_thousand_characters() {
    let rows: Vec<NotedRow> = (0..51).map(|n| row(&n.to_string(), "x".to_owned())).collect();
    let section = Noted { rows, total: 62 }.section(Lang::En).unwrap();
    assert_eq!(section.matches("[LESSON]").count(), 50);
    assert!(section.ends_with("\n… 12 more: memory_search"), "{section}");
    let long = (0..40).map(|n| row(&n.to_string(), "x".repeat(5_000))).collect();
    let section = Noted { rows: long, total: 40 }.section(Lang::En).unwrap();
    let lines: Vec<&str> = section.lines().filter(|line| line.starts_with("[LESSON]")).collect();
    assert_eq!(lines.len(), 11);
    assert!(lines.iter().all(|line| line.chars().count() == 1_001 && line.ends_with('…')));
    assert!(section.ends_with("… 29 more: memory_search"));
    assert_eq!(too_much("ops", (39, 9_999), Lang::En), None);
    assert!(too_much("ops", (41, 0), Lang::En).unwrap().starts_with("ops has 41 memories"));
}

#[test]
fn a_file_of_an_export_has_a_plain_name_and_says_where_it_is_from() {
    let memory = Memory {
        id: 7,
        team: TeamName::main(),
        key: "../a \"b\"".to_owned(),
        kind: MemoryType::Lesson,
        content: "text".to_owned(),
        is_active: true,
        deleted_at: None,
        supersedes_id: None,
        supersede_reason: None,
        superseded_by: None,
        updated_by: "@ops".to_owned(),
        dialog: Some(DialogId::main(RootId::new("aa/bb/01")).to_string()),
        created_at: Stamp::default(),
        updated_at: Stamp::new("2026-11-21 10:00:00"),
    };
    assert_eq!(memory.file_name(), "a--b-7.md");
    assert_eq!(
        memory.markdown(),
        "---\nkey: \"../a \\\"b\\\"\"\ntype: \"lesson\"\nreason: \"\"\nat: \"2026-11-21 10:00:00\"\nby: \"@ops\"\n---\n\ntext\n"
    );
}

proptest! {
    #[test]
    fn s12_3_any_text_has_tokens_that_fit_an_index(text in "\\PC{0,200}|[ -~\\n]{0,200}|[a-z_A-Z0-9连接池/#+.'-]{0,80}") {
        for token in tokens(&text) {
            prop_assert!(token.text.len() <= 64 && !token.text.contains([' ', '*']), "{token:?}");
            prop_assert!(text.is_char_boundary(token.at));
            let term = index_term(&token.text);
            prop_assert!(term.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase()));
        }
    }

    #[test]
    fn chunks_cover_every_word_of_a_text(words in proptest::collection::vec("[a-z]{1,8}[.]?|\n\n|。", 0..900)) {
        let text = words.join(" ");
        let found = chunks("k", &text);
        prop_assert!(!found.is_empty());
        prop_assert!(found.iter().all(|chunk| chunk.from <= chunk.to && chunk.to <= text.chars().count()));
        let all: std::collections::BTreeSet<String> =
            found.into_iter().flat_map(|chunk| chunk.tokens).collect();
        prop_assert!(texts(&text).into_iter().all(|token| all.contains(&token)));
    }

    #[test]
    fn a_score_is_between_none_and_all(counts in proptest::collection::vec(("[a-c]{1,2}", 0..200_u32), 0..8), chunk in proptest::collection::vec("[a-c]{1,2}", 0..40), chunks in 0..300_u32) {
        let query = Query::new(Corpus { chunks, tokens: chunks * 20 }, &counts);
        let length = u32::try_from(chunk.len()).unwrap();
        let score = query.score(length, &written(&counted(&chunk)));
        prop_assert!((0.0..=1.0).contains(&score), "{score}");
    }

    #[test]
    fn an_order_keeps_all_and_no_replaced_one_is_ahead(scores in proptest::collection::vec((0..4_usize, 0.0..1.0_f64), 0..30)) {
        let mut seen = std::collections::BTreeSet::new();
        let hits: Vec<Hit> = (0_i64..)
            .zip(&scores)
            .map(|(id, (key, score))| hit(id, &key.to_string(), seen.insert(*key), *score))
            .collect();
        let order = ordered(hits.clone());
        prop_assert_eq!(order.len(), hits.len());
        for (at, one) in order.iter().enumerate().filter(|(_, one)| !one.is_active) {
            let ahead = order[..at].iter().any(|other| other.is_active && other.key == one.key);
            prop_assert!(ahead, "{:?}", order);
        }
    }
}
