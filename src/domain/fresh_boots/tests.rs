//! The rounds, what is accepted as a conclusion, and what comes next after each end of a round.

use std::sync::Arc;

use serde_json::{Map, json};

use super::*;
use crate::domain::{Course, DialogMeta, Entry, Latest, SelfId, Stamp};

fn round(phase: Phase, iteration: u32) -> Round {
    Round { effort: 2, phase, iteration, prompt_delivered: false }
}

#[test]
fn every_phase_has_as_many_rounds_as_the_effort_says() {
    let rounds: Vec<Round> =
        std::iter::successors(Some(Round::first(2)), |round| round.next()).collect();
    let expected = [
        round(Phase::Divergence, 1),
        round(Phase::Divergence, 2),
        round(Phase::Convergence, 1),
        round(Phase::Convergence, 2),
        round(Phase::Finalization, 1),
        round(Phase::Finalization, 2),
    ];
    assert_eq!(rounds, expected);
    assert_eq!(std::iter::successors(Some(Round::first(1)), |r| r.next()).count(), 3);
}

#[test]
fn an_effort_is_brought_into_its_bounds() {
    for (wanted, given) in [(0, 1), (1, 1), (100, 100), (u32::MAX, 100)] {
        assert_eq!(Round::first(wanted).effort, given);
    }
}

#[test]
fn the_prompts_in_a_course_tell_the_round() {
    for (prompts, expected) in [
        (0, Round::first(2)),
        (1, Round::first(2).delivered()),
        (3, round(Phase::Convergence, 1).delivered()),
        (6, round(Phase::Finalization, 2).delivered()),
        (9, round(Phase::Finalization, 2).delivered()),
    ] {
        assert_eq!(Round::after_prompts(2, prompts), expected, "{prompts}");
    }
}

#[test]
fn only_one_conclusion_with_content_is_accepted_and_only_at_the_end() {
    let [low_noise, unreasonable] = CONCLUSION_TOOLS;
    let good = r#"{"content":" so "}"#;
    let so = || Heard::Conclusion("so".to_owned());
    for (phase, calls, expected) in [
        (Phase::Divergence, vec![], Heard::Nothing),
        (Phase::Finalization, vec![], Heard::Nothing),
        (Phase::Finalization, vec![(low_noise, good)], so()),
        (Phase::Finalization, vec![(unreasonable, good)], so()),
        (Phase::Divergence, vec![(low_noise, good)], Heard::Refused),
        (Phase::Convergence, vec![("read_file", "{}")], Heard::Refused),
        (Phase::Finalization, vec![("read_file", good)], Heard::Refused),
        (Phase::Finalization, vec![(low_noise, good), (unreasonable, good)], Heard::Refused),
        (Phase::Finalization, vec![(low_noise, good), ("read_file", "{}")], Heard::Refused),
        (Phase::Finalization, vec![(low_noise, r#"{"content":" "}"#)], Heard::Refused),
        (Phase::Finalization, vec![(low_noise, r#"{"content":7}"#)], Heard::Refused),
        (Phase::Finalization, vec![(low_noise, "so")], Heard::Refused),
    ] {
        assert_eq!(heard(phase, &calls), expected, "{phase:?} {calls:?}");
    }
}

#[test]
fn a_state_survives_reading_and_writing_whatever_its_shape() {
    let known = json!({"kind": "serial", "effort": 2, "phase": "convergence", "iteration": 1,
        "promptDelivered": true, "mood": "calm"});
    let told = Some(round(Phase::Convergence, 1).delivered());
    for (value, expected) in [
        (known, told),
        (
            json!({"kind": "serial", "effort": 0, "phase": "divergence", "iteration": 1,
            "promptDelivered": false}),
            None,
        ),
        (
            json!({"kind": "serial", "effort": 2, "phase": "divergence", "iteration": 3,
            "promptDelivered": false}),
            None,
        ),
        (json!({"kind": "parallel", "branches": [1, 2]}), None),
        (json!("soon"), None),
    ] {
        let state: FbrState = serde_json::from_value(value.clone()).expect("any state");
        assert_eq!(state.round(), expected, "{value}");
        assert_eq!(serde_json::to_value(&state).expect("a value"), value);
    }
}

#[test]
fn another_round_keeps_what_a_newer_writer_wrote() {
    let state: FbrState = serde_json::from_value(json!({"kind": "serial", "effort": 2,
        "phase": "divergence", "iteration": 1, "promptDelivered": true, "mood": "calm"}))
    .expect("a state");
    let next = serde_json::to_value(state.at(round(Phase::Divergence, 2))).expect("a value");
    assert_eq!(next["iteration"], 2);
    assert_eq!(next["mood"], "calm");
}

const START: &str = r#"{"type":"gen_start_record","genseq":1}"#;
const PROMPT: &str = r#"{"type":"human_text_record","genseq":1,"content":"go","msgId":"m","grammar":"markdown","origin":"runtime"}"#;
const WORDS: &str = r#"{"type":"agent_words_record","genseq":1,"content":"hm"}"#;
const CONCLUSION: &str = r#"{"type":"func_call_record","genseq":1,"id":"c","name":"presentUnreasonableSituation","rawArgumentsText":"{\"content\":\"no\"}"}"#;
const END: &str = r#"{"type":"gen_finish_record","genseq":1,"contextHealth":{"kind":"unavailable","reason":"none"}}"#;
const NEXT: &str = r#"{"type":"gen_start_record","genseq":2}"#;
const BROKEN_OFF: &str = r#"{"type":"gen_finish_record","genseq":1}"#;

fn dialog(round: Round, lines: &[&str]) -> Dialog {
    let meta = DialogMeta {
        id: SelfId::new("aa/bb/02"),
        agent_id: "lead".into(),
        task_doc_path: "t.tsk".to_owned(),
        created_at: Stamp::default(),
        session_slug: None,
        extra: Map::new(),
    };
    let mut dialog = Dialog::new(meta, Latest::new(Stamp::default()));
    dialog.latest.fbr_state = Some(FbrState::begin(round));
    for line in lines {
        dialog.history.fold(Course::FIRST, Arc::new(Entry::parse(line).expect("a record")));
    }
    dialog
}

#[test]
fn what_is_due_follows_from_the_round_and_the_end_of_its_generation() {
    let spread = round(Phase::Divergence, 1);
    let attempt = round(Phase::Finalization, 1);
    let last = round(Phase::Finalization, 2);
    let reached = || Due::Conclude(Some("no".to_owned()));
    for (state, lines, expected) in [
        (spread, vec![], Due::Prompt(spread)),
        (spread.delivered(), vec![], Due::Prompt(spread.delivered())),
        (spread.delivered(), vec![START], Due::Again(spread.delivered())),
        (spread, vec![START], Due::Prompt(spread)),
        (spread, vec![START, PROMPT], Due::Again(spread)),
        (spread.delivered(), vec![START, WORDS, BROKEN_OFF], Due::Again(spread.delivered())),
        (spread.delivered(), vec![START, WORDS, END], Due::Prompt(round(Phase::Divergence, 2))),
        (
            spread.delivered(),
            vec![START, CONCLUSION, END],
            Due::Prompt(round(Phase::Divergence, 2)),
        ),
        (
            round(Phase::Divergence, 2),
            vec![START, WORDS, END],
            Due::Prompt(round(Phase::Divergence, 2)),
        ),
        (attempt.delivered(), vec![START, WORDS, END], Due::Prompt(last)),
        (attempt.delivered(), vec![START, CONCLUSION, END], reached()),
        (attempt.delivered(), vec![START, CONCLUSION], reached()),
        (last.delivered(), vec![START, WORDS, END], Due::Conclude(None)),
        (last.delivered(), vec![START, WORDS], Due::Again(last.delivered())),
        (last, vec![START, PROMPT, WORDS, END, NEXT], Due::Prompt(last)),
    ] {
        assert_eq!(due(&dialog(state, &lines)), Some(expected), "{state:?} {lines:?}");
    }
    let mut over = dialog(spread, &[]);
    over.latest.fbr_state = None;
    assert_eq!(due(&over), None);
}
