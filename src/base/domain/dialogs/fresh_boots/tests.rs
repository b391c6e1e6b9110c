//! The rounds, what is accepted as a conclusion, and what comes next after each end of a round.

use serde_json::json;

use super::*;
use crate::samples::dialog_of;

fn round(phase: FbrPhase, iteration: u32) -> FbrRound {
    FbrRound { effort: 2, phase, iteration, prompt_delivered: false }
}

#[test]
fn every_phase_has_as_many_rounds_as_the_effort_says() {
    let rounds: Vec<FbrRound> =
        std::iter::successors(Some(FbrRound::first(2)), |round| round.next()).collect();
    let expected = [
        round(FbrPhase::Divergence, 1),
        round(FbrPhase::Divergence, 2),
        round(FbrPhase::Convergence, 1),
        round(FbrPhase::Convergence, 2),
        round(FbrPhase::Finalization, 1),
        round(FbrPhase::Finalization, 2),
    ];
    assert_eq!(rounds, expected);
    assert_eq!(std::iter::successors(Some(FbrRound::first(1)), |r| r.next()).count(), 3);
}

#[test]
fn an_effort_is_brought_into_its_bounds() {
    for (wanted, given) in [(0, 1), (1, 1), (100, 100), (u32::MAX, 100)] {
        assert_eq!(FbrRound::first(wanted).effort, given);
    }
}

#[test]
fn the_prompts_in_a_course_tell_the_round() {
    for (prompts, expected) in [
        (0, FbrRound::first(2)),
        (1, FbrRound::first(2).delivered()),
        (3, round(FbrPhase::Convergence, 1).delivered()),
        (6, round(FbrPhase::Finalization, 2).delivered()),
        (9, round(FbrPhase::Finalization, 2).delivered()),
    ] {
        assert_eq!(FbrRound::after_prompts(2, prompts), expected, "{prompts}");
    }
}

#[test]
fn only_one_conclusion_with_content_is_accepted_and_only_at_the_end() {
    let [low_noise, unreasonable] = CONCLUSION_TOOLS;
    let good = r#"{"content":" so "}"#;
    let so = || FbrVerdict::Conclusion("so".to_owned());
    for (phase, calls, expected) in [
        (FbrPhase::Divergence, vec![], FbrVerdict::Nothing),
        (FbrPhase::Finalization, vec![], FbrVerdict::Nothing),
        (FbrPhase::Finalization, vec![(low_noise, good)], so()),
        (FbrPhase::Finalization, vec![(unreasonable, good)], so()),
        (FbrPhase::Divergence, vec![(low_noise, good)], FbrVerdict::Refused),
        (FbrPhase::Convergence, vec![("read_file", "{}")], FbrVerdict::Refused),
        (FbrPhase::Finalization, vec![("read_file", good)], FbrVerdict::Refused),
        (
            FbrPhase::Finalization,
            vec![(low_noise, good), (unreasonable, good)],
            FbrVerdict::Refused,
        ),
        (FbrPhase::Finalization, vec![(low_noise, good), ("read_file", "{}")], FbrVerdict::Refused),
        (FbrPhase::Finalization, vec![(low_noise, r#"{"content":" "}"#)], FbrVerdict::Refused),
        (FbrPhase::Finalization, vec![(low_noise, r#"{"content":7}"#)], FbrVerdict::Refused),
        (FbrPhase::Finalization, vec![(low_noise, "so")], FbrVerdict::Refused),
    ] {
        assert_eq!(heard(phase, &calls), expected, "{phase:?} {calls:?}");
    }
}

#[test]
fn a_state_survives_reading_and_writing_whatever_its_shape() {
    let known = json!({"kind": "serial", "effort": 2, "phase": "convergence", "iteration": 1,
        "promptDelivered": true, "mood": "calm"});
    let delivered = Some(round(FbrPhase::Convergence, 1).delivered());
    for (value, expected) in [
        (known, delivered),
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
    let next = serde_json::to_value(state.at(round(FbrPhase::Divergence, 2))).expect("a value");
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

fn dialog(round: FbrRound, lines: &[&str]) -> Dialog {
    let mut dialog = dialog_of(lines);
    dialog.latest.fbr_state = Some(FbrState::begin(round));
    dialog
}

#[test]
fn what_is_due_follows_from_the_round_and_the_end_of_its_generation() {
    let spread = round(FbrPhase::Divergence, 1);
    let attempt = round(FbrPhase::Finalization, 1);
    let last = round(FbrPhase::Finalization, 2);
    let reached = || FbrStep::Conclude(Some("no".to_owned()));
    for (state, lines, expected) in [
        (spread, vec![], FbrStep::Prompt(spread)),
        (spread.delivered(), vec![], FbrStep::Prompt(spread.delivered())),
        (spread.delivered(), vec![START], FbrStep::Again(spread.delivered())),
        (spread, vec![START], FbrStep::Prompt(spread)),
        (spread, vec![START, PROMPT], FbrStep::Again(spread)),
        (spread.delivered(), vec![START, WORDS, BROKEN_OFF], FbrStep::Again(spread.delivered())),
        (
            spread.delivered(),
            vec![START, WORDS, END],
            FbrStep::Prompt(round(FbrPhase::Divergence, 2)),
        ),
        (
            spread.delivered(),
            vec![START, CONCLUSION, END],
            FbrStep::Prompt(round(FbrPhase::Divergence, 2)),
        ),
        (
            round(FbrPhase::Divergence, 2),
            vec![START, WORDS, END],
            FbrStep::Prompt(round(FbrPhase::Divergence, 2)),
        ),
        (attempt.delivered(), vec![START, WORDS, END], FbrStep::Prompt(last)),
        (attempt.delivered(), vec![START, CONCLUSION, END], reached()),
        (attempt.delivered(), vec![START, CONCLUSION], reached()),
        (last.delivered(), vec![START, WORDS, END], FbrStep::Conclude(None)),
        (last.delivered(), vec![START, WORDS], FbrStep::Again(last.delivered())),
        (last, vec![START, PROMPT, WORDS, END, NEXT], FbrStep::Prompt(last)),
    ] {
        assert_eq!(due(&dialog(state, &lines)), Some(expected), "{state:?} {lines:?}");
    }
    let mut over = dialog(spread, &[]);
    over.latest.fbr_state = None;
    assert_eq!(due(&over), None);
}
