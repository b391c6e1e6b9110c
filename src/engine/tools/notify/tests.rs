//! What a member can tell a person.

use serde_json::Value;

use super::*;
use crate::hive::test_support::Double;
use crate::tools::ToolSubset;
use crate::tools::test_support::TestBench;

fn called(args: &Value) -> (ToolOutcome, Vec<NewNotice>) {
    let news = Arc::new(Double::default());
    let bench = TestBench::new();
    let cx = ToolCx { news: news.hive(), ..bench.cx.clone() };
    let subset = ToolSubset::default().with_tool(tool());
    let outcome = bench.finish(subset.run(NAME, &args.to_string(), cx));
    let kept = news.notices();
    (outcome, kept)
}

#[test]
fn a_notice_is_kept_and_its_id_is_the_result() {
    let args = json!({ "text": "Deployed.\nTo the box.", "level": "warning", "title": "Deploy" });
    let (outcome, kept) = called(&args);
    assert_eq!((outcome.ok, outcome.text.as_str()), (true, r#"{"notice":"n-1"}"#));
    let [notice] = kept.as_slice() else { unreachable!("{kept:?}") };
    assert_eq!((notice.title.as_str(), notice.level), ("Deploy", NewsLevel::Warning));
    assert_eq!((notice.agent.as_str(), notice.call.as_str()), ("lead", "call-1"));
}

#[test]
fn what_cannot_be_kept_is_said() {
    for (args, reason) in [
        (json!({ "text": " " }), "empty"),
        (json!({}), "text"),
        (json!({ "text": "x", "level": "panic" }), "level"),
        (json!({ "text": "x", "to": "all" }), "to"),
    ] {
        let (outcome, kept) = called(&args);
        assert!(!outcome.ok && kept.is_empty());
        assert!(outcome.text.contains(reason), "{}", outcome.text);
    }
    let (outcome, kept) = called(&json!({ "text": "x".repeat(MAX_BODY_CHARS + 1) }));
    assert!(outcome.ok && kept.len() == 1);
    assert!(outcome.text.contains("4000"), "{}", outcome.text);
}

#[test]
fn without_a_store_it_fails() {
    let bench = TestBench::new();
    let subset = ToolSubset::default().with_tool(tool());
    let args = json!({ "text": "x" }).to_string();
    let outcome = bench.finish(subset.run(NAME, &args, bench.cx.clone()));
    assert!(!outcome.ok, "{}", outcome.text);
}
