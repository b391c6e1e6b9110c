//! Who decides, by the autonomy of the caller.

use super::*;
use crate::domain::AgentId;
use crate::domain::asking::autonomy::{Autonomy, AutonomyLevel, AutonomyRule, AutonomyScope};
use crate::hive::test_support::Double;
use crate::tools::ToolSubset;
use crate::tools::test_support::TestBench;

fn called(level: Option<AutonomyLevel>, args: &Value) -> ToolOutcome {
    let bench = TestBench::new();
    let mut autonomy = Autonomy::default();
    let rule = AutonomyRule { level, ..AutonomyRule::default() };
    autonomy.set(AutonomyScope::Workspace, rule);
    let autonomy = autonomy.of(&AgentId::new("lead"), &[]);
    let cx = ToolCx { autonomy, news: Arc::new(Double::default()).hive(), ..bench.cx.clone() };
    let subset = ToolSubset::default().with_tool(tool());
    bench.finish(subset.run(NAME, &args.to_string(), cx))
}

fn decision(category: &str) -> Value {
    json!({
        "category": category,
        "description": "Take serde?",
        "options": [{ "label": "serde" }, { "label": "miniserde" }],
        "recommended": "b",
        "diff": "-a\n+b\n",
    })
}

#[test]
fn q12_a_decision_is_made_told_or_asked_by_the_policy_of_its_category() {
    let proceed = |policy: &str, notice: &str| {
        format!(r#"{{"decision":"proceed","policy":{policy},"option":"b"{notice}}}"#)
    };
    for (level, category, text) in [
        (None, "scopeChanges", proceed("null", "")),
        (Some(AutonomyLevel::Full), "scopeChanges", proceed(r#""automated""#, "")),
        (
            Some(AutonomyLevel::MajorOnly),
            "orgChanges",
            proceed(r#""notify_and_proceed""#, r#","notice":"n-1""#),
        ),
        (Some(AutonomyLevel::MajorOnly), "scopeChanges", String::new()),
    ] {
        let outcome = called(level, &decision(category));
        assert!(outcome.ok);
        assert_eq!(outcome.text, text, "{level:?} {category}");
        let [StateChange::Decision { outcome, .. }] = outcome.changes.as_slice() else {
            unreachable!("{outcome:?}");
        };
        let is_asked = match outcome {
            DecisionOutcome::Made(made) | DecisionOutcome::Notified(made) => {
                assert_eq!(made.description, "Take serde?");
                assert_eq!(made.option.as_deref(), Some("b: miniserde"));
                false
            }
            DecisionOutcome::Asked(inquiry) => {
                let approval = inquiry.approval.as_ref().unwrap();
                assert_eq!(approval.diff.as_deref(), Some("-a\n+b\n"));
                assert_eq!(inquiry.approving_key(), Some('b'));
                true
            }
        };
        assert_eq!(is_asked, text.is_empty());
    }
    let plain = json!({ "category": "scopeChanges", "description": "Go?" });
    let outcome = called(Some(AutonomyLevel::Full), &plain);
    assert_eq!(outcome.text, r#"{"decision":"proceed","policy":"automated","option":null}"#);
}

#[test]
fn what_cannot_be_asked_is_refused_whoever_decides() {
    let long = "x".repeat(crate::domain::asking::inquiry::MAX_TEXT_CHARS + 1);
    for level in AutonomyLevel::ALL {
        for (args, reason) in [
            (json!({ "category": "colours", "description": "x" }), "category"),
            (json!({ "category": "scopeChanges" }), "description"),
            (json!({ "category": "scopeChanges", "description": " " }), "no text"),
            (json!({ "category": "scopeChanges", "description": long }), "characters"),
            (json!({ "category": "scopeChanges", "description": "x", "gate": 1 }), "gate"),
        ] {
            let outcome = called(Some(level), &args);
            assert!(!outcome.ok && outcome.changes.is_empty());
            assert!(outcome.text.contains(reason), "{}", outcome.text);
        }
    }
}

#[test]
fn a_decision_that_a_person_cannot_be_told_of_is_not_made() {
    let bench = TestBench::new();
    let mut autonomy = Autonomy::default();
    let rule = AutonomyRule::of_level(AutonomyLevel::MajorOnly);
    autonomy.set(AutonomyScope::Workspace, rule);
    let autonomy = autonomy.of(&AgentId::new("lead"), &[]);
    let cx = ToolCx { autonomy, ..bench.cx.clone() };
    let subset = ToolSubset::default().with_tool(tool());
    let args = decision("orgChanges").to_string();
    let outcome = bench.finish(subset.run(NAME, &args, cx));
    assert!(!outcome.ok && outcome.changes.is_empty(), "{outcome:?}");
    assert!(outcome.text.contains("no place for notices"), "{}", outcome.text);
}
