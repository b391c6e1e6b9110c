//! Decisions that require approval: how they are recorded, and which answers approve them.

use proptest::prelude::*;

use super::*;
use crate::domain::asking::inquiry::answers::{AnswerFault, AnswerInput, PartAnswers};

fn option(key: Option<&str>, label: &str) -> WrittenOption {
    let key = key.map(str::to_owned);
    WrittenOption { key, label: label.to_owned(), ..WrittenOption::default() }
}

fn decision(options: Vec<WrittenOption>, recommended: Option<&str>, diff: Option<&str>) -> Inquiry {
    let written = WrittenDecision {
        description: "Split the crate?".to_owned(),
        options,
        recommended: recommended.map(str::to_owned),
        diff: diff.map(str::to_owned),
        gate: None,
    };
    let category = DecisionKind::ArchitectureDecisions;
    Inquiry::of_decision(category, written, &Stamp::default(), Lang::En).unwrap()
}

fn answered(inquiry: &Inquiry, input: &AnswerInput) -> Result<String, AnswerFault> {
    let at = (&Stamp::default(), "DISMISSED");
    let answers = PartAnswers::default().with(inquiry, input, false, at)?;
    Ok(answers.text(inquiry, Lang::En))
}

#[test]
fn q12_a_decision_is_recorded_with_all_that_is_shown_and_reads_back_equal() {
    let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-```\n+````\n";
    let inquiry = decision(Vec::new(), None, Some(diff));
    let arguments = inquiry.arguments(Lang::En);
    assert_eq!(
        arguments["tellaskContent"],
        format!(
            "Split the crate?\n   a  approve\n   x  reject\n\n(architecture decisions)\n\n\
             `````diff\n{diff}`````"
        )
    );
    assert_eq!(
        (&arguments["kind"], &arguments["category"]),
        (&"approval".into(), &"architectureDecisions".into())
    );
    assert_eq!(Inquiry::recorded(&arguments.to_string()), Some(inquiry));
}

#[test]
fn q12_remarks_go_with_the_option_that_was_typed_and_never_change_it() {
    let own = vec![option(Some("n"), "new one"), option(Some("b"), "both")];
    let (plain, own) = (decision(Vec::new(), None, None), decision(own, None, None));
    for (inquiry, typed, expected) in [
        (&plain, "a", Some("a,\nsrc/a.rs:1: why?")),
        (&plain, "x", Some("x,\nsrc/a.rs:1: why?")),
        (&plain, "yes", Some("a,\nsrc/a.rs:1: why?")),
        (&plain, "no, not now", Some("x, not now\nsrc/a.rs:1: why?")),
        (&own, "b, soon", Some("b, soon\nsrc/a.rs:1: why?")),
        (&plain, "looks fine", None),
        // With words behind it, this key would be read as the word that rejects.
        (&own, "n", None),
    ] {
        let with = inquiry.parts[0].with_remarks(typed, "src/a.rs:1: why?");
        assert_eq!(with.as_deref(), expected, "{typed}");
    }
    let text = answered(&plain, &AnswerInput::Words("x,\nsrc/a.rs:1: why?".to_owned()));
    assert_eq!(text.as_deref(), Ok("Rejected.\nsrc/a.rs:1: why?"));
}

#[test]
fn q12_options_of_a_decision_keep_their_keys_beside_the_one_that_rejects() {
    let own = vec![option(Some("X"), "two crates"), option(Some("b"), "three")];
    let inquiry = decision(own, Some("b"), None);
    let keys: Vec<char> = inquiry.parts[0].options.iter().map(|option| option.key).collect();
    assert_eq!(keys, ['a', 'b', 'x']);
    assert_eq!(inquiry.approving_key(), Some('b'));
    let own = vec![option(Some("b"), "three"), option(Some("X"), "two crates")];
    let recommended = decision(own, Some("x"), None).parts[0].recommended;
    assert_eq!(recommended, Some('c'), "the option that was named so, never the one that rejects");
    let plain = decision(Vec::new(), Some("x"), None);
    assert_eq!((plain.approving_key(), plain.parts[0].recommended), (Some('a'), None));
    let long = "x".repeat(MAX_DIFF_CHARS + 1);
    let written = WrittenDecision { diff: Some(long), ..WrittenDecision::default() };
    let refused =
        Inquiry::of_decision(DecisionKind::OrgChanges, written, &Stamp::default(), Lang::Zh);
    assert_eq!(refused.err(), Some(InquiryFault::DiffTooLong { chars: MAX_DIFF_CHARS + 1 }));
}

#[test]
fn q12_only_an_option_or_a_plain_yes_approves() {
    let plain = decision(Vec::new(), None, None);
    for (typed, expected) in [
        ("a", "Approved."),
        ("A.", "Approved."),
        ("a, but keep the tests", "Approved.\nbut keep the tests"),
        ("yes", "Approved."),
        ("OK!", "Approved."),
        ("同意。", "Approved."),
        ("x", "Rejected."),
        ("x, not before May", "Rejected.\nnot before May"),
        ("no: too early", "Rejected.\ntoo early"),
        ("No", "Rejected."),
        ("拒绝，太早", "Rejected.\n太早"),
    ] {
        let words = AnswerInput::Words(typed.to_owned());
        assert_eq!(answered(&plain, &words).as_deref(), Ok(expected), "{typed}");
    }
    for typed in ["a good idea", "yes, but not now", "looks fine", "ok then", "同意这么做", "b, x"]
    {
        let refused = answered(&plain, &AnswerInput::Words(typed.to_owned()));
        assert!(matches!(refused, Err(AnswerFault::NoChoice { .. })), "{typed} {refused:?}");
    }
    assert_eq!(answered(&plain, &AnswerInput::Dismiss(None)).as_deref(), Ok("Rejected."));
    assert!(answered(&plain, &AnswerInput::Recommended).is_err());
    let own = decision(vec![option(None, "two"), option(Some("y"), "three")], None, None);
    for (typed, expected) in
        [("y", "Approved.\ny: three"), ("yes", "Approved.\na: two"), ("x", "Rejected.")]
    {
        let words = AnswerInput::Words(typed.to_owned());
        assert_eq!(answered(&own, &words).as_deref(), Ok(expected), "{typed}");
    }
}

proptest! {
    #[test]
    fn whatever_is_written_reads_back_equal_and_rejects_with_its_last_option(
        text in "[a-z` \\n]{1,20}[a-z]",
        labels in proptest::collection::vec(("[a-zA-Z0-9]{0,2}", "[a-z]{1,6}"), 0..9),
        diff in proptest::option::of("[-+ `a\\n]{0,30}"),
        recommended in proptest::option::of("[abxX]"),
    ) {
        let options = labels.iter().map(|(key, label)| option(Some(key), label)).collect();
        let written = WrittenDecision { description: text, options, recommended, diff, gate: None };
        let made = Inquiry::of_decision(DecisionKind::ScopeChanges, written, &Stamp::default(), Lang::Zh);
        prop_assume!(made.is_ok());
        let inquiry = made.unwrap();
        prop_assert_ne!(inquiry.parts[0].recommended, Some(REJECT));
        let last = inquiry.parts[0].options.last().map(|option| option.key);
        prop_assert_eq!(last, Some(REJECT));
        prop_assert_eq!(Inquiry::recorded(&inquiry.arguments(Lang::Zh).to_string()), Some(inquiry));
    }
}
