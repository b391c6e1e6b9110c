//! Tests of finding questions in the words of a model.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn texts(words: &str) -> Vec<String> {
    match find(words) {
        OpenQuestions::Asked { parts, .. } => {
            parts.into_iter().map(|part| part.text.trim().to_owned()).collect()
        }
        OpenQuestions::None | OpenQuestions::Unusable(_) => Vec::new(),
    }
}

const OBJECT: &str =
    r#"{"status":"failed","open_questions":[{"id":"q1","text":"Which?"},{"text":"Why?"}]}"#;

#[test]
fn q05_an_object_that_stands_for_itself_asks() {
    let camel = OBJECT.replace("open_questions", "openQuestions");
    let spread = r#"{
  "open_questions": [
    { "text": "Which?" },
    { "text": "Why?" }
  ]
}"#;
    for words in [
        OBJECT.to_owned(),
        format!("  {OBJECT}\n"),
        camel.clone(),
        format!("I cannot go on.\n\n{OBJECT}\n\nThat is all."),
        format!("I cannot go on.\n  {OBJECT} (see above)"),
        format!("```json\n{OBJECT}\n```"),
        format!("```\n{OBJECT}\n```\nwords"),
        format!("~~~JSON\n{OBJECT}\n~~~"),
        format!("```json\n{OBJECT}"),
        format!("words\n```json\n{spread}\n```"),
        spread.to_owned(),
        format!("{{\"a\": 1}}\n{OBJECT}"),
        format!("```rust\nfn a() {{}}\n```\n{OBJECT}"),
        r#"{"open_questions":[],"openQuestions":[{"text":"Which?"},{"text":"Why?"}]}"#.to_owned(),
        r#"{"open_questions":[3,{"text":" "},{"no":1},{"text":"Which?"},{"text":"Why?"}]}"#
            .to_owned(),
        r#"{"\u006fpen_questions":[{"text":"Which?"},{"text":"Why?"}]}"#.to_owned(),
    ] {
        assert_eq!(texts(&words), ["Which?", "Why?"], "{words}");
    }
}

#[test]
fn q05_raw_line_breaks_in_strings_are_read() {
    let words = "{\"open_questions\":[{\"text\":\"Which one?\nThe \\\"big\\\" one\t?\"}]}";
    assert_eq!(texts(words), ["Which one?\nThe \"big\" one\t?"]);
}

#[test]
fn q05_a_fence_in_a_text_of_the_object_does_not_end_it() {
    let words = "I stop.\n{\"open_questions\":[{\"text\":\"Is this right?\n```sql\nselect 1\n```\"}]}\nSo far.";
    assert_eq!(texts(words), ["Is this right?\n```sql\nselect 1\n```"]);
}

#[test]
fn q05_the_object_names_what_it_is_about() {
    for (key, expected) in [("taskId", Some("t-1")), ("plan_id", Some("t-1")), ("other", None)] {
        let words = json!({ key: "t-1", "open_questions": [{ "text": "Which?" }] }).to_string();
        let OpenQuestions::Asked { about, .. } = find(&words) else { panic!("{words}") };
        assert_eq!(about.as_deref(), expected);
    }
}

#[test]
fn q05_options_of_an_item_come_along_and_one_in_a_wrong_form_is_its_text_alone() {
    let words = json!({ "open_questions": [
        { "text": "Which?", "options": [{ "label": "this" }], "recommended": "a" },
        { "text": "Why?", "options": "none" },
    ] });
    let OpenQuestions::Asked { parts, .. } = find(&words.to_string()) else { panic!("asked") };
    assert_eq!(parts[0].options.as_ref().map(Vec::len), Some(1));
    assert_eq!(parts[1].options, None);
    assert_eq!(parts[1].text, "Why?");
}

#[test]
fn q06_what_is_nested_quoted_or_within_a_sentence_asks_nothing() {
    for words in [
        format!("{{\"result\":{OBJECT}}}"),
        format!("{{\n\"result\":\n{OBJECT}\n}}"),
        format!("[{OBJECT}]"),
        format!("Emit {OBJECT} to ask."),
        format!("> {OBJECT}"),
        format!("- {OBJECT}"),
        format!("```yaml\n{OBJECT}\n```"),
        format!("```text\n{OBJECT}\n```"),
        format!("````markdown\n```json\n{OBJECT}\n```\n````"),
        json!({ "text": OBJECT }).to_string(),
        "{\"open_questions\":[]}".to_owned(),
        "{\"openQuestions\":[],\"open_questions\":[]}".to_owned(),
        "The key is \"open_questions\".".to_owned(),
        "fn main() {\n  let open_questions = 3;\n}".to_owned(),
        "{ not json, without the key }".to_owned(),
        String::new(),
    ] {
        assert_eq!(find(&words), OpenQuestions::None, "{words}");
    }
}

#[test]
fn q06_a_key_with_nothing_to_ask_is_unusable_with_its_fault() {
    for words in [
        r#"{"open_questions":"Which?"}"#,
        r#"{"open_questions":[{"question":"Which?"}]}"#,
        r#"{"open_questions":null}"#,
        r#"{"open_questions":["Which?"]}"#,
    ] {
        assert_eq!(find(words), OpenQuestions::Unusable(UnusableQuestions::NoItem), "{words}");
    }
    for words in [
        r#"{"open_questions":[{"text":"Which?"}"#,
        "```json\n{\"open_questions\": [{\"text\": \"Which?\"},]}\n```",
        r#"{'open_questions': 1, "openQuestions": }"#,
    ] {
        let found = find(words);
        let is_not_json = matches!(found, OpenQuestions::Unusable(UnusableQuestions::NotJson(_)));
        assert!(is_not_json, "{words}: {found:?}");
    }
}

#[test]
fn a_usable_object_counts_before_one_that_is_not() {
    let words = format!("{{\"open_questions\": 1}}\n{OBJECT}");
    assert_eq!(texts(&words), ["Which?", "Why?"]);
}

#[test]
fn huge_and_deep_words_are_read_in_bounded_time_and_ask_nothing() {
    let huge = format!("{{\"open_questions\":[{{\"text\":\"{}\"}}]}}", "x".repeat(MAX_BYTES));
    let deep = format!("{{\"open_questions\":{}", "[".repeat(40_000));
    let many = "{\n".repeat(100_000) + "\"open_questions\":";
    let lines = "{}\n{ \"a\": 1 }\n".repeat(50_000) + "\"open_questions\":";
    let fences = "```json\n{\"open_questions\"\n".repeat(50_000);
    for words in [&huge, &many, &lines] {
        assert_eq!(find(words), OpenQuestions::None);
    }
    for words in [&deep, &fences] {
        assert!(!matches!(find(words), OpenQuestions::Asked { .. }));
    }
}

/// A piece of words that asks nothing, whatever stands around it.
fn any_noise() -> impl Strategy<Value = String> {
    let object = || Just(OBJECT.to_owned());
    prop_oneof![
        "[a-zA-Z .,?]{0,40}",
        "[ -z|~\n]{0,40}".prop_map(|text| text.replace(['{', '`', '~'], "")),
        object().prop_map(|object| format!("see {object} here")),
        object().prop_map(|object| format!("> {object}")),
        object().prop_map(|object| format!("{{\"nested\": {object}}}")),
        object().prop_map(|object| format!("```yaml\n{object}\n```")),
        object().prop_map(|object| format!("````\n```json\n{object}\n```\n````")),
        object().prop_map(|object| format!("```python\nprint('''\n{object}\n''')\n```")),
        Just("{\"status\": \"done\", \"openQuestions\": []}".to_owned()),
        Just("{ \"a\": [1, {\n\"b\": 2 } ] }".to_owned()),
    ]
}

/// The object in each form in which it counts.
fn any_question() -> impl Strategy<Value = (String, String)> {
    let text = "[a-z?\"\\\\{}\n\t `]{1,40}x";
    (text, 0_usize..5, any::<bool>()).prop_map(|(text, form, camel)| {
        let key = if camel { "openQuestions" } else { "open_questions" };
        let text = if form == 0 { text.replace('\\', "") } else { text };
        let item = json!({ "text": text });
        let object = match form {
            // As a model leaves it: line breaks are not escaped.
            0 => json!({ key: [item] }).to_string().replace("\\n", "\n").replace("\\t", "\t"),
            1 => serde_json::to_string_pretty(&json!({ "status": "failed", key: [item] }))
                .expect("JSON"),
            _ => json!({ "a": { "b": ["{", "}"] }, key: [item], "z": "\"{" }).to_string(),
        };
        let words = match form {
            3 => format!("```json\n{object}\n```"),
            4 => format!("~~~\n{object}\n~~~"),
            _ => object,
        };
        (words, text.trim().to_owned())
    })
}

/// 100,000 texts in three tests.
const TEXTS: u32 = 34_000;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(TEXTS))]

    #[test]
    fn q20_no_question_is_found_where_none_stands_for_itself(
        noise in prop::collection::vec(any_noise(), 0..8),
    ) {
        let words = noise.join("\n\n");
        let found = find(&words);
        prop_assert!(!matches!(found, OpenQuestions::Asked { .. }), "{words}");
    }

    #[test]
    fn q20_a_question_that_stands_for_itself_is_found_whatever_is_around_it(
        before in prop::collection::vec(any_noise(), 0..5),
        (question, text) in any_question(),
        after in prop::collection::vec(any_noise(), 0..5),
    ) {
        let all: Vec<String> = before.into_iter().chain([question]).chain(after).collect();
        let words = all.join("\n\n");
        prop_assert_eq!(texts(&words), [text], "{}", words);
    }

    #[test]
    fn q20_nothing_makes_the_search_panic(words in "[{}\\[\\]\"`~:, \n\\\\a-z_]{0,400}") {
        let _ = find(&format!("{words}\"open_questions\":{words}"));
    }
}
