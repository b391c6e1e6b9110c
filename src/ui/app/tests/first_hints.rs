//! Hints for a person who is new here, from keys to the last line.

use proptest::prelude::*;
use serde_json::json;

use super::fixture::*;
use crate::app::STORED_HINTS;
use crate::app::keys::first_hints::FirstHint;
use crate::bindings;
use crate::protocol::DriverEvent;

/// A stage for a person who has seen no hint.
fn with_hints(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.app.show_first_hints(None);
    stage
}

/// Returns the hint in the last line: its word is after its key.
fn hint_in(screen: &str) -> Option<(FirstHint, String)> {
    let line = screen.lines().last().unwrap_or_default();
    FirstHint::ALL.into_iter().find_map(|hint| {
        let (key, _) =
            line.trim_start().split_once(hint.word().in_lang(crate::domain::Lang::En))?;
        Some((hint, key.trim().to_owned()))
    })
}

fn last_line(stage: &mut Stage) -> String {
    stage.screen().lines().last().unwrap_or_default().to_owned()
}

#[test]
fn a_new_person_is_shown_the_key_for_what_can_be_done_now() {
    let mut stage = with_hints(120, 40);
    stage.apply(DriverEvent::Rows(Vec::new())).apply(DriverEvent::Inbox(Vec::new()));
    assert!(last_line(&mut stage).contains(" n starts a dialog  ? help"), "{}", stage.screen());
    let mut stage = with_hints(120, 40);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(questions())).page(DBA_STORY);
    stage.keys("<esc> 1");
    let line = last_line(&mut stage);
    assert!(line.contains(" a answers the question  ") && line.contains("? help"), "{line}");
    assert_eq!(line.matches("answer").count(), 1, "not twice: {line}");
}

#[test]
fn what_was_used_is_stored_and_gone_also_after_a_restart() {
    let drafts = Notebook::default();
    let mut stage = Stage::with(120, 40, drafts.clone(), &crate::theme::Glyphs::UTF8);
    stage.app.show_first_hints(None);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new())).page(STORY);
    stage.keys("1 g j j");
    assert!(last_line(&mut stage).contains("opens this dialog"), "{}", stage.screen());
    stage.keys("<enter>").page(DBA_STORY);
    assert!(!last_line(&mut stage).contains("opens this dialog"), "{}", stage.screen());
    let stored = drafts.get(STORED_HINTS).expect("it is stored");
    assert!(stored.contains("open used") && stored.len() < 200, "{stored}");
    let mut again = Stage::new(120, 40);
    again.app.show_first_hints(Some(&stored));
    again.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new())).page(STORY);
    again.keys("1 g j j");
    assert!(!last_line(&mut again).contains("opens this dialog"), "{}", again.screen());
}

#[test]
fn changed_files_are_hinted_at_once_there_are_some() {
    let mut stage = with_hints(120, 40);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new())).page(STORY);
    stage.keys("3 : <esc> ? <esc> / x <esc> i <esc>").screen();
    let changed = r#"{"ts":"2026-11-21 12:02:00","type":"func_result_record","genseq":14,"id":"t9","name":"apply_patch","content":"ok","fileChanges":[]}"#;
    stage.fact(&main_dialog(), STORY.len(), changed);
    let line = last_line(&mut stage);
    assert!(line.contains(" m shows what was changed"), "{line}");
    stage.keys("m <esc>");
    assert!(!last_line(&mut stage).contains("shows what"), "{}", stage.screen());
}

#[test]
fn there_are_none_in_history_below_overlays_beside_messages_and_where_they_do_not_fit() {
    let mut stage = with_hints(120, 40);
    let old = rows().into_iter().map(|row| crate::protocol::TreeRow { history: true, ..row });
    stage.apply(DriverEvent::Rows(old.collect())).apply(DriverEvent::Inbox(Vec::new())).page(STORY);
    stage.keys("3");
    assert_eq!(hint_in(&stage.screen()), None);
    let mut stage = with_hints(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new())).page(STORY);
    stage.keys("1 g");
    assert!(hint_in(&stage.screen()).is_some());
    stage.keys("?");
    assert_eq!(hint_in(&stage.screen()), None);
    stage.keys("<esc> <f5>");
    assert_eq!(hint_in(&stage.screen()), None, "{}", stage.screen());
    let mut stage = with_hints(40, 12);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(questions()));
    stage.keys("<esc> 1");
    let line = last_line(&mut stage);
    assert!(line.contains("⏎ open") && line.contains("? help"), "{line}");
}

#[test]
fn hints_need_no_timer_and_no_frame() {
    let mut stage = with_hints(120, 40);
    let mut without = Stage::new(120, 40);
    without.now = stage.now;
    for stage in [&mut stage, &mut without] {
        stage.apply(DriverEvent::Rows(Vec::new())).apply(DriverEvent::Inbox(Vec::new()));
        stage.screen();
        stage.app.take_dirty();
    }
    assert_eq!(stage.app.wake_at(), None);
    assert_eq!(without.app.wake_at(), None);
    assert!(!stage.app.take_dirty());
    assert_eq!(stage.drawn_twice(), stage.drawn_twice());
}

/// Keys that a person may press between two looks at the screen.
const STEPS: [&str; 16] = [
    "1",
    "3",
    "j",
    "k",
    "g",
    "<enter>",
    "i",
    "<esc>",
    "a",
    "m",
    "/ x <esc>",
    "<esc> ? <esc>",
    "<esc> : <esc>",
    "<alt+a>",
    "<alt+2>",
    "<f5>",
];

/// Actions without a key, with one of their own, or with the key of another.
fn overrides() -> impl Strategy<Value = serde_json::Value> {
    let keys = || prop_oneof![Just(json!([])), Just(json!(["f7"])), Just(json!(["j"]))];
    let panes = (keys(), keys(), keys(), keys());
    (panes, keys(), keys()).prop_map(|((palette, help, changes, new), answer, find)| {
        json!({
            "anywhere": {"palette": [], "help": []},
            "panes": {"palette": palette, "help": help, "changes": changes, "new": new},
            "tree": {"answer": answer},
            "dialog": {"find": find},
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_hint_names_a_key_that_works_and_is_shown_at_most_three_times_and_never_after_use(
        steps in proptest::collection::vec(0..STEPS.len(), 1..60),
        overrides in overrides(),
        wide in any::<bool>(),
    ) {
        let mut stage = if wide { with_hints(120, 40) } else { with_hints(60, 20) };
        let (keymap, _) = bindings::with_overrides(&overrides);
        stage.use_keys(keymap);
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(questions()));
        stage.page(DBA_STORY);
        let (mut times, mut before) = (std::collections::BTreeMap::new(), None);
        for step in steps {
            stage.keys(STEPS[step]);
            let screen = stage.screen();
            let words = FirstHint::ALL.map(|hint| hint.word().in_lang(crate::domain::Lang::En));
            let shown = words.iter().filter(|word| screen.contains(**word)).count();
            prop_assert!(shown <= 1, "{screen}");
            let found = hint_in(&screen);
            if let Some((hint, key)) = &found {
                let action = hint.action(stage.app.focus.now());
                prop_assert_eq!(key, &stage.settings().key(stage.app.focus.scope(), action));
                prop_assert!(!key.is_empty(), "{screen}");
                prop_assert!(!stage.app.hints.is_used(*hint), "{hint:?} after use: {screen}");
            }
            let now = found.map(|(hint, _)| hint);
            if now.is_some() && now != before {
                *times.entry(now).or_insert(0) += 1;
            }
            // A message or a sheet may hide it meanwhile.
            before = now.or(before);
        }
        prop_assert!(times.values().all(|times| *times <= 3), "{times:?}");
    }
}
