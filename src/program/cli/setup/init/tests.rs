//! The questions of `init`: what is asked, what follows, and that everything else writes nothing.

use std::time::Duration;

use super::choices::{address_fault, is_model_name, is_variable_name};
use super::wizard::{Next, Wizard};
use crate::cli::setup::probe::ProbeResult;
use crate::minds::{ApiType, FirstModel};

/// A key that is set, and one that is typed by mistake.
const SET: &str = "SET_KEY";
const TYPED_KEY: &str = "sk-canary-1234";

fn env(name: &str) -> Option<String> {
    (name == SET).then(|| "sk-value".to_owned())
}

/// Answers one question after the other.
fn answer(wizard: &mut Wizard, lines: &[&str]) {
    for line in lines {
        assert!(matches!(wizard.step(), Next::Ask(_)), "{line}: {:?}", wizard.step());
        wizard.answer(Some(line), &env);
    }
}

fn answered(lines: &[&str]) -> Wizard {
    let mut wizard = Wizard::new();
    answer(&mut wizard, lines);
    wizard
}

fn asked(wizard: &Wizard) -> String {
    let Next::Ask(question) = wizard.step() else { panic!("no question: {:?}", wizard.step()) };
    question
}

fn failed(text: &str) -> ProbeResult {
    ProbeResult::Failed { text: text.to_owned(), fix: "do so".to_owned() }
}

fn works() -> ProbeResult {
    ProbeResult::Answered(Duration::from_millis(12))
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// A wizard whose trial of a model failed.
fn after_failure() -> Wizard {
    let mut wizard = answered(&["", "", ""]);
    wizard.listed(Ok(Vec::new()));
    answer(&mut wizard, &["m"]);
    wizard.tried(failed("HTTP 404"));
    wizard.take_told();
    wizard
}

#[test]
fn a_server_on_this_machine_is_entered_by_its_offers_alone_and_written_once_it_answered() {
    let mut wizard = Wizard::new();
    let question = asked(&wizard);
    for name in ["local", "other", "anthropic", "openai", "deepseek"] {
        assert!(question.contains(name), "{question}");
    }
    assert!(!question.contains("codex"), "what cannot be used is not offered: {question}");
    answer(&mut wizard, &["", "", ""]);
    let Next::List(first) = wizard.step() else { panic!("{:?}", wizard.step()) };
    assert_eq!((first.address.as_str(), first.variable), ("http://127.0.0.1:11434/v1", None));
    wizard.listed(Ok(names(&["large:70b", "small:7b"])));
    assert!(asked(&wizard).contains("   2  small:7b\n"), "{}", asked(&wizard));
    answer(&mut wizard, &["2"]);
    let Next::Try(first) = wizard.step() else { panic!("{:?}", wizard.step()) };
    assert_eq!((first.provider.as_str(), first.model.as_str()), ("local", "small:7b"));
    wizard.tried(works());
    assert_eq!(wizard.step(), Next::Write { first, answered: true });
    assert_eq!(wizard.take_told(), ["small:7b answers (12 ms)"]);
}

#[test]
fn a_built_in_provider_offers_its_address_variable_and_models() {
    let mut wizard = answered(&["anthropic"]);
    assert!(asked(&wizard).contains("[https://api.anthropic.com]"), "{}", asked(&wizard));
    answer(&mut wizard, &[""]);
    assert!(asked(&wizard).contains("[ANTHROPIC_API_KEY]"), "{}", asked(&wizard));
    answer(&mut wizard, &[SET]);
    let Next::List(first) = wizard.step() else { panic!("{:?}", wizard.step()) };
    assert_eq!((first.api_type, first.variable.as_deref()), (ApiType::Anthropic, Some(SET)));
    wizard.listed(Err(failed("HTTP 404")));
    assert!(asked(&wizard).contains("   1  claude-"), "{}", asked(&wizard));
    let told = wizard.take_told().concat();
    assert!(told.contains("https://api.anthropic.com") && told.contains("HTTP 404"), "{told}");
}

#[test]
fn every_question_can_be_the_last_one_and_nothing_is_written_then() {
    let to_model = |mut wizard: Wizard| {
        wizard.listed(Ok(Vec::new()));
        wizard
    };
    let questions: [fn() -> Wizard; 4] = [
        Wizard::new,
        || answered(&["other"]),
        || answered(&["other", "https://a.example/v1"]),
        || answered(&["other", "https://a.example/v1", "UNSET_KEY"]),
    ];
    for begin in questions {
        for end in [Some("q"), Some(" q \n"), None] {
            let mut wizard = begin();
            assert!(matches!(wizard.step(), Next::Ask(_)));
            wizard.answer(end, &env);
            assert_eq!(wizard.step(), Next::End);
        }
    }
    for mut wizard in [to_model(answered(&["", "", ""])), after_failure()] {
        assert!(matches!(wizard.step(), Next::Ask(_)));
        wizard.answer(Some("q"), &env);
        assert_eq!(wizard.step(), Next::End);
    }
}

#[test]
fn a_failed_trial_says_what_was_tried_and_what_came_back_and_each_part_can_be_changed() {
    let mut wizard = answered(&["2", "https://a.example/v1", "-"]);
    wizard.listed(Ok(Vec::new()));
    answer(&mut wizard, &["nonsense"]);
    wizard.tried(failed("HTTP 404: no such model"));
    let told = wizard.take_told().concat();
    for text in ["nonsense", "https://a.example/v1", "HTTP 404: no such model", "do so"] {
        assert!(told.contains(text), "{told}");
    }
    for (letter, then) in [("a", "Address"), ("k", "variable"), ("m", "Model"), ("p", "provider")] {
        let mut wizard = after_failure();
        answer(&mut wizard, &[letter]);
        assert!(asked(&wizard).contains(then), "{letter}: {}", asked(&wizard));
    }
    let mut wizard = after_failure();
    answer(&mut wizard, &["r"]);
    assert!(matches!(wizard.step(), Next::Try(_)));
    let mut wizard = after_failure();
    answer(&mut wizard, &["x", "w"]);
    assert!(matches!(wizard.step(), Next::Write { answered: false, .. }));
}

#[test]
fn a_variable_that_is_not_set_is_tried_never_and_written_only_on_request() {
    let begin = || answered(&["other", "https://a.example/v1", "UNSET_KEY"]);
    let question = asked(&begin());
    assert!(question.contains("UNSET_KEY is not set"), "{question}");
    assert!(question.contains("export UNSET_KEY"), "{question}");
    let mut wizard = begin();
    answer(&mut wizard, &[""]);
    assert_eq!(wizard.step(), Next::End);
    let mut wizard = begin();
    answer(&mut wizard, &["w", "m-1"]);
    let Next::Write { first, answered: false } = wizard.step() else {
        panic!("{:?}", wizard.step())
    };
    assert_eq!((first.model.as_str(), first.variable.as_deref()), ("m-1", Some("UNSET_KEY")));
    let mut wizard = begin();
    answer(&mut wizard, &["w"]);
    wizard.answer(Some("q"), &env);
    assert_eq!(wizard.step(), Next::End);
    // Another variable, which is set, is tried again.
    let mut wizard = begin();
    answer(&mut wizard, &["v", SET]);
    assert!(matches!(wizard.step(), Next::List(_)));
}

#[test]
fn nonsense_is_refused_with_the_reason_and_never_repeated_since_it_may_be_a_key() {
    let cases: [(&[&str], &str); 7] = [
        (&[], TYPED_KEY),
        (&["other"], TYPED_KEY),
        (&["other"], "https://user:sk-canary-1234@a.example/v1"),
        (&["other"], "https://a.example/v1?key=sk-canary-1234"),
        (&["other", "https://a.example"], TYPED_KEY),
        (&["other", "https://a.example"], "skcanary1234"),
        (&["other", "https://a.example", "UNSET_KEY"], TYPED_KEY),
    ];
    for (before, line) in cases {
        let mut wizard = answered(before);
        let question = asked(&wizard);
        answer(&mut wizard, &[line]);
        assert_eq!(asked(&wizard), question, "{line}: asked again");
        let told = wizard.take_told();
        assert_eq!(told.len(), 1, "{line}: {told:?}");
        assert!(!told.concat().contains("canary"), "{told:?}");
    }
    let mut wizard = answered(&["", "", ""]);
    wizard.listed(Ok(Vec::new()));
    for line in ["", "two words", "\u{202e}x", "m\u{1b}[2J"] {
        answer(&mut wizard, &[line]);
        assert!(asked(&wizard).contains("Model"), "{line:?}");
        assert_eq!(wizard.take_told().len(), 1, "{line:?}");
    }
}

#[test]
fn of_what_a_server_lists_only_plain_names_are_offered_and_not_more_than_fit() {
    let mut wizard = answered(&["", "", ""]);
    let long = "x".repeat(201);
    wizard.listed(Ok(names(&["\u{1b}[2J", "a b", "", "пример", "\u{202e}evil", &long, "good"])));
    let question = asked(&wizard);
    assert!(question.contains("   1  good\n") && !question.contains("   2"), "{question}");
    let mut wizard = answered(&["", "", ""]);
    wizard.listed(Ok((0..100).map(|at| format!("model-{at}")).collect()));
    let question = asked(&wizard);
    assert!(question.contains("model-29\n") && !question.contains("model-30"), "{question}");
    assert!(question.contains("and 70 more"), "{question}");
    // One that is not shown is typed.
    answer(&mut wizard, &["model-99"]);
    assert!(matches!(wizard.step(), Next::Try(FirstModel { model, .. }) if model == "model-99"));
}

#[test]
fn what_counts_as_an_address_a_variable_and_a_model() {
    for address in ["http://127.0.0.1:8080", "https://api.example.com/v1", "http://[::1]:80/v1"] {
        assert_eq!(address_fault(address), None, "{address}");
    }
    for address in
        ["", "a.example", "ftp://a.example", "http://", "https://a b", "https://аpi.example"]
    {
        assert!(address_fault(address).is_some(), "{address}");
    }
    for (name, is_set, counts) in [
        ("SOME_KEY", false, true),
        ("some_key", true, true),
        ("some_key", false, false),
        ("SOMEKEY1234", false, false),
        ("SOMEKEY", true, true),
        ("1_KEY", true, false),
        ("", false, false),
        ("A-B", true, false),
        ("A_B=C", true, false),
    ] {
        assert_eq!(is_variable_name(name, is_set), counts, "{name} {is_set}");
    }
    assert!(is_model_name("org/model-7b:q4_K_M@latest"));
    assert!(!is_model_name("") && !is_model_name("a b") && !is_model_name("a\nb"));
}
