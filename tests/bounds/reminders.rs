//! Texts far larger than a reminder.

use serde_json::json;

use crate::{Ground, peak, reset_peak, stays_small};

/// What the whole process may take meanwhile.
const MAX_IN_ALL: u64 = 100 * 1024 * 1024;

#[test]
fn reminders_of_megabytes_are_refused_with_a_result_and_take_little_memory() {
    let ground = Ground::new();
    reset_peak();
    let call = json!({ "content": "x".repeat(3_500_000) });
    for n in 0..25 {
        let outcome = stays_small(&format!("reminder {n}"), ground.run("add_reminder", &call));
        assert!(!outcome.ok && outcome.changes.is_empty());
        let text = outcome.text;
        assert!(text.contains("3500000 bytes; a reminder holds 16 KiB"), "{text}");
        assert!(peak() < MAX_IN_ALL, "{}", peak());
    }
}

#[test]
fn arguments_without_a_bottom_are_refused_with_a_result_and_take_little_memory() {
    let ground = Ground::new();
    let mut deep = json!([]);
    for _ in 0..100 {
        deep = json!([deep]);
    }
    let outcome = stays_small("nesting", ground.run("add_reminder", &json!({ "content": deep })));
    assert!(!outcome.ok && outcome.text.contains("nest more than 64 deep"), "{}", outcome.text);
}
