//! Tests of questions with parts.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::answers::{AnswerFault, AnswerInput, PartAnswers};
use super::*;

fn now() -> Stamp {
    Stamp::new("2026-11-26 10:00:00")
}

fn written(questions: Value) -> Vec<WrittenPart> {
    serde_json::from_value(questions).expect("parts")
}

fn inquiry(questions: Value) -> Inquiry {
    Inquiry::of_written("", written(questions), &now()).expect("an inquiry")
}

fn two() -> Inquiry {
    inquiry(json!([
        { "text": "Which database?", "recommended": "A", "options": [
            { "label": "PostgreSQL", "pros": "proven", "cons": "a server" },
            { "label": "SQLite", "pros": "one file" },
        ] },
        { "id": "paging", "text": "Does the API page?" },
    ]))
}

#[test]
fn parts_have_ids_times_and_keys_of_their_own() {
    let inquiry = inquiry(json!([
        { "text": " one ", "createdAt": "yesterday" },
        { "id": "q1", "text": "two", "createdAt": "2026-11-25T09:00:00Z" },
        { "id": "q1", "text": "three" },
        { "id": "no good", "text": "four", "options": [
            { "label": "x" }, { "key": "A", "label": "y" }, { "key": "a", "label": "z" },
            { "key": "long", "label": "w" }, { "key": "7", "label": "v" },
        ], "recommended": "b" },
    ]));
    let ids: Vec<&str> = inquiry.parts.iter().map(|part| part.id.as_str()).collect();
    assert_eq!(ids, ["q1-2", "q1", "q1-3", "q4"]);
    assert_eq!(inquiry.parts[0].text, "one");
    assert_eq!(inquiry.parts[0].created_at, "2026-11-26T10:00:00");
    assert_eq!(inquiry.parts[1].created_at, "2026-11-25T09:00:00Z");
    let keys: String = inquiry.parts[3].options.iter().map(|option| option.key).collect();
    assert_eq!(keys, "bacd7");
    assert_eq!(inquiry.parts[3].recommended, Some('b'));
}

#[test]
fn what_is_too_much_is_refused_with_its_part_and_nothing_is_cut() {
    let options = |n: usize| vec![json!({ "label": "x" }); n];
    for (questions, fault) in [
        (json!(vec![json!({ "text": "x" }); 21]), InquiryFault::TooManyParts { parts: 21 }),
        (json!([{ "text": "x" }, { "text": " \n" }]), InquiryFault::NoText { part: 2 }),
        (
            json!([{ "text": "x".repeat(4_001) }]),
            InquiryFault::TextTooLong { part: 1, chars: 4_001 },
        ),
        (
            json!([{ "text": "x", "options": options(10) }]),
            InquiryFault::TooManyOptions { part: 1, options: 10 },
        ),
        (json!([{ "text": "x", "options": [{ "label": "" }] }]), InquiryFault::NoLabel { part: 1 }),
        (
            json!([{ "text": "x", "options": [{ "label": "é".repeat(201) }] }]),
            InquiryFault::LabelTooLong { part: 1, chars: 201 },
        ),
        (
            json!([{ "text": "x", "options": [{ "label": "y", "cons": "z".repeat(1_001) }] }]),
            InquiryFault::RemarkTooLong { part: 1, chars: 1_001 },
        ),
    ] {
        assert_eq!(Inquiry::of_written("", written(questions), &now()), Err(fault));
    }
}

#[test]
fn it_reads_as_a_text_that_answers_every_part() {
    let inquiry = Inquiry { intro: "Before I start:".to_owned(), ..two() };
    assert_eq!(
        inquiry.content(Lang::En),
        "Before I start:\n\n\
         1. Which database?\n   a  PostgreSQL (+ proven; − a server)\n   b  SQLite (+ one file)\n   \
         recommended: a\n\n\
         2. Does the API page?"
    );
    let one = Inquiry { parts: two().parts.split_off(1), ..two() };
    assert_eq!(one.content(Lang::Zh), "Does the API page?");
}

#[test]
fn an_intro_that_is_the_only_part_is_not_said_twice() {
    let parts = written(json!([{ "text": "Which?" }]));
    let inquiry = Inquiry::of_written(" Which? ", parts, &now()).expect("an inquiry");
    assert_eq!(inquiry.content(Lang::En), "Which?");
}

#[test]
fn a_recorded_call_gives_its_parts_back() {
    for lang in Lang::ALL {
        let asked = Inquiry { intro: "Before I start:".to_owned(), ..two() };
        let arguments = asked.arguments(lang).to_string();
        assert_eq!(Inquiry::recorded(&arguments), Some(asked));
    }
    for arguments in [
        r#"{"tellaskContent":"Which \"questions\"?"}"#,
        r#"{"tellaskContent":"x","questions":[]}"#,
        r#"{"tellaskContent":"x","questions":[{"text":""}]}"#,
        r#"{"tellaskContent":"x","questions":"y"}"#,
        r#"["questions"]"#,
        "\"questions\"",
    ] {
        assert_eq!(Inquiry::recorded(arguments), None, "{arguments}");
    }
}

#[test]
fn a_question_in_words_is_one_part_with_the_options_in_it() {
    let inquiry = Inquiry::of_words("Drop it?\n\na) drop\nb) keep", &now());
    assert_eq!(inquiry.parts.len(), 1);
    let keys: Vec<char> = inquiry.parts[0].options.iter().map(|one| one.key).collect();
    assert_eq!(keys, ['a', 'b']);
    assert_eq!(inquiry.origin, PartsOrigin::Words);
}

/// Answers a question that has none yet.
fn answered(inquiry: &Inquiry, input: &AnswerInput) -> Result<PartAnswers, AnswerFault> {
    PartAnswers::default().with(inquiry, input, false, (&now(), "dismissed"))
}

fn parts(typed: &[(&str, &str)]) -> AnswerInput {
    let typed = typed.iter().map(|(id, text)| ((*id).to_owned(), (*text).to_owned()));
    AnswerInput::Parts(typed.collect())
}

#[test]
fn a_key_that_stands_for_itself_takes_its_option() {
    let inquiry = two();
    for (typed, option, text) in [
        ("a", Some('a'), None),
        (" B. ", Some('b'), None),
        ("b, and write the date", Some('b'), Some("and write the date")),
        ("a: if it must be", Some('a'), Some("if it must be")),
        ("a  later", Some('a'), Some("later")),
        ("a，但要快", Some('a'), Some("但要快")),
        ("a server", None, Some("a server")),
        ("both", None, Some("both")),
        ("好", None, Some("好")),
        ("bad;", None, Some("bad;")),
    ] {
        let answers = answered(&inquiry, &parts(&[("q1", typed)])).expect("an answer");
        let answer = &answers.parts["q1"];
        assert_eq!((answer.option, answer.text.as_deref()), (option, text), "{typed}");
    }
}

#[test]
fn a_letter_or_digit_that_is_no_key_is_refused_with_the_options() {
    let refused = |key| {
        let (part, known) = ("q1".to_owned(), vec!['a', 'b']);
        Err(AnswerFault::NoSuchOption { part, key, known })
    };
    assert_eq!(answered(&two(), &parts(&[("q1", "z")])), refused('z'));
    assert_eq!(answered(&two(), &parts(&[("q1", "3.")])), refused('3'));
    // Without options it is words, and so it is where the options are a guess.
    assert!(answered(&two(), &parts(&[("paging", "z")])).is_ok());
    let words = Inquiry::of_words("Which drive?\n\na) this\nb) that", &now());
    assert!(answered(&words, &parts(&[("q1", "z")])).is_ok());
}

#[test]
fn an_answer_stays_unless_it_is_to_be_replaced() {
    let inquiry = two();
    let first = answered(&inquiry, &parts(&[("q1", "a")])).expect("an answer");
    assert!(!first.is_complete(&inquiry));
    let again = parts(&[("q1", "b")]);
    let fault = AnswerFault::HasAnswer { part: "q1".to_owned(), at: now() };
    assert_eq!(first.with(&inquiry, &again, false, (&now(), "")), Err(fault));
    let replaced = first.with(&inquiry, &again, true, (&now(), "")).expect("an answer");
    assert_eq!(replaced.parts["q1"].option, Some('b'));
    let rest = AnswerInput::Words("yes".to_owned());
    let all = replaced.with(&inquiry, &rest, false, (&now(), "")).expect("all answers");
    assert_eq!(all.parts["q1"].option, Some('b'));
    assert!(all.is_complete(&inquiry));
}

#[test]
fn unknown_parts_and_empty_answers_are_refused_whole() {
    let inquiry = two();
    let known = vec!["q1".to_owned(), "paging".to_owned()];
    let fault = AnswerFault::NoSuchPart { part: "q9".to_owned(), known };
    assert_eq!(answered(&inquiry, &parts(&[("q1", "a"), ("q9", "b")])), Err(fault.clone()));
    let dismissed = AnswerInput::Dismiss(Some("q9".to_owned()));
    assert_eq!(answered(&inquiry, &dismissed), Err(fault));
    for empty in [parts(&[]), parts(&[("q1", " ")]), AnswerInput::Words(String::new())] {
        assert_eq!(answered(&inquiry, &empty), Err(AnswerFault::Empty));
    }
}

#[test]
fn what_the_model_reads_names_every_part() {
    let inquiry = two();
    let text =
        |input: &AnswerInput| answered(&inquiry, input).expect("answers").text(&inquiry, Lang::En);
    assert_eq!(
        text(&parts(&[("q1", "b, for now"), ("paging", "yes")])),
        "[q1] Which database?\n→ b: SQLite\nfor now\n\n[paging] Does the API page?\n→ yes"
    );
    assert_eq!(
        text(&AnswerInput::Dismiss(None)),
        "[q1] Which database?\n→ dismissed\n\n[paging] Does the API page?\n→ dismissed"
    );
    let one = Inquiry { parts: vec![two().parts.swap_remove(0)], ..two() };
    let text = |input: &AnswerInput| answered(&one, input).expect("answers").text(&one, Lang::En);
    assert_eq!(text(&AnswerInput::Recommended), "a: PostgreSQL");
    assert_eq!(text(&AnswerInput::Words("neither".to_owned())), "neither");
}

#[test]
fn only_what_is_recommended_is_taken() {
    let taken = answered(&two(), &AnswerInput::Recommended).expect("an answer");
    assert_eq!(taken.parts.keys().collect::<Vec<_>>(), ["q1"]);
    let rest = taken.with(&two(), &AnswerInput::Recommended, false, (&now(), ""));
    assert_eq!(rest, Err(AnswerFault::NothingRecommended));
}

#[test]
fn answers_that_do_not_fit_the_question_are_left_out() {
    let file = json!({ "question": "q4h-1", "parts": {
        "q1": { "option": "z", "at": "" },
        "paging": { "text": "yes", "at": "" },
        "gone": { "text": "x", "at": "" },
    } });
    let answers: PartAnswers = serde_json::from_value(file).expect("answers");
    assert_eq!(answers.fitting(&two()).parts.keys().collect::<Vec<_>>(), ["paging"]);
}

fn any_part() -> impl Strategy<Value = WrittenPart> {
    let id = prop_oneof![Just(None), "[a-cq][1-3-]{0,2}|.{0,3}".prop_map(Some)];
    let key = prop_oneof![Just(None), "[a-cA-C1]|.{0,2}".prop_map(Some)];
    let option = (key, "[ -~]{1,20}x").prop_map(|(key, label)| WrittenOption {
        key,
        label,
        ..WrittenOption::default()
    });
    let options = prop::collection::vec(option, 0..=MAX_OPTIONS);
    (id, "[ -~\n]{0,30}x", options, prop::option::of("[a-d]")).prop_map(
        |(id, text, options, recommended)| WrittenPart {
            id,
            text,
            options: Some(options),
            recommended,
            created_at: None,
        },
    )
}

proptest! {
    #[test]
    fn checking_what_was_checked_changes_nothing(
        intro in "[ -~\n]{0,30}",
        parts in prop::collection::vec(any_part(), 1..=MAX_PARTS),
        zh in any::<bool>(),
    ) {
        let inquiry = Inquiry::of_written(&intro, parts, &now()).expect("an inquiry");
        let ids: std::collections::BTreeSet<&str> =
            inquiry.parts.iter().map(|part| part.id.as_str()).collect();
        prop_assert_eq!(ids.len(), inquiry.parts.len());
        let lang = if zh { Lang::Zh } else { Lang::En };
        let arguments = inquiry.arguments(lang).to_string();
        prop_assert_eq!(Inquiry::recorded(&arguments), Some(inquiry));
    }

    /// In any order and number of steps, with refusals in between, an answer once given is the one that is recorded.
    #[test]
    fn an_answer_that_was_taken_is_in_the_text(
        parts in prop::collection::vec(any_part(), 1..6),
        steps in prop::collection::vec((0_usize..7, "[a-d]|[ -~]{1,8}x", 0_u8..5), 0..12),
    ) {
        let inquiry = Inquiry::of_written("", parts, &now()).expect("an inquiry");
        let mut answers = PartAnswers::default();
        let mut taken: BTreeMap<String, super::answers::PartAnswer> = BTreeMap::new();
        for (at, typed, kind) in steps {
            let id = inquiry.parts.get(at).map_or("none".to_owned(), |part| part.id.clone());
            let input = match kind {
                0 => AnswerInput::Words(typed),
                1 => AnswerInput::Recommended,
                2 => AnswerInput::Dismiss(Some(id)),
                _ => AnswerInput::Parts(BTreeMap::from([(id, typed)])),
            };
            if let Ok(next) = answers.with(&inquiry, &input, false, (&now(), "dismissed")) {
                for (id, answer) in &taken {
                    prop_assert_eq!(next.parts.get(id), Some(answer));
                }
                taken.clone_from(&next.parts);
                answers = next;
            }
            prop_assert_eq!(&answers.parts, &taken);
            prop_assert_eq!(answers.clone().fitting(&inquiry), answers.clone());
        }
        if answers.is_complete(&inquiry) {
            let text = answers.text(&inquiry, Lang::En);
            for part in &inquiry.parts {
                prop_assert!(text.contains(&answers.parts[&part.id].words(part)));
            }
        }
    }
}
