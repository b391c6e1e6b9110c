//! Fresh-boots reasoning: a member thinks about one question anew, in rounds without tools, and then
//! concludes. Which round it is in stands in `latest.yaml`; what comes next is decided here, from
//! facts alone. A state in a shape this program does not know is kept, and not gone on with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::dialog::Dialog;
use super::record::{Entry, Record};
use crate::domain::text::json;

mod rounds;

pub use rounds::{FbrPhase, FbrRound, FbrState, MAX_EFFORT};

/// The tools with which reasoning ends: with a conclusion, or with the reason why there is none.
pub const CONCLUSION_TOOLS: [&str; 2] =
    ["presentLowNoiseHighlyInformativeConclusion", "presentUnreasonableSituation"];

/// The verdict of a round's calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FbrVerdict {
    /// None were made.
    Nothing,
    Conclusion(String),
    /// They are not allowed in this phase, or not like this.
    Refused,
}

/// Judges the calls of a round, given as name and arguments.
#[must_use]
pub fn heard(phase: FbrPhase, calls: &[(&str, &str)]) -> FbrVerdict {
    match (phase, calls) {
        (_, []) => FbrVerdict::Nothing,
        (FbrPhase::Finalization, [(name, arguments)]) if CONCLUSION_TOOLS.contains(name) => {
            conclusion(arguments).map_or(FbrVerdict::Refused, FbrVerdict::Conclusion)
        }
        (FbrPhase::Divergence | FbrPhase::Convergence | FbrPhase::Finalization, _) => {
            FbrVerdict::Refused
        }
    }
}

/// The arguments of a conclusion. What else a model adds is ignored: a conclusion is not lost for that.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ConclusionArgs {
    content: String,
}

fn conclusion(arguments: &str) -> Option<String> {
    let arguments: Map<String, Value> = json::read(arguments).ok()?;
    let ConclusionArgs { content } = serde_json::from_value(arguments.into()).ok()?;
    let content = content.trim();
    (!content.is_empty()).then(|| content.to_owned())
}

/// What a dialog that reasons does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FbrStep {
    /// This round begins with its prompt.
    Prompt(FbrRound),
    /// This round was cut off: the model is asked again, the prompt is there already.
    Again(FbrRound),
    /// The reasoning is over; `None` where it came to no conclusion.
    Conclude(Option<String>),
}

/// Decides what the reasoning of this dialog does next; `None` where it does nothing.
#[must_use]
pub fn due(dialog: &Dialog) -> Option<FbrStep> {
    let round = dialog.latest.fbr_state.as_ref().and_then(FbrState::round)?;
    let last = &dialog.history.last;
    let cut_off = last.open || last.broken_off;
    // A crash may come between the prompt and the state that records it.
    let prompted = round.prompt_delivered || (cut_off && has_prompt(dialog));
    if !prompted || last.course.is_none() {
        return Some(FbrStep::Prompt(round));
    }
    if let FbrVerdict::Conclusion(content) = heard(round.phase, &last_calls(dialog)) {
        return Some(FbrStep::Conclude(Some(content)));
    }
    if cut_off {
        return Some(FbrStep::Again(round));
    }
    Some(round.next().map_or(FbrStep::Conclude(None), FbrStep::Prompt))
}

/// True if the last generation was given a prompt of its own.
fn has_prompt(dialog: &Dialog) -> bool {
    let genseq = Some(dialog.history.last.genseq);
    let prompts = |entry: &Entry| matches!(entry.record, Record::HumanText(_));
    dialog.history.entries.iter().any(|entry| entry.genseq == genseq && prompts(entry))
}

fn last_calls(dialog: &Dialog) -> Vec<(&str, &str)> {
    let last = &dialog.history.last;
    let calls = dialog.history.calls.values();
    calls
        .filter(|call| Some(call.course) == last.course && call.genseq == last.genseq)
        .map(|call| (call.name.as_str(), call.arguments.as_str()))
        .collect()
}

/// The round the courses tell of, for a dialog whose `latest.yaml` lost it.
#[must_use]
pub fn round_by_course(dialog: &Dialog) -> Option<FbrRound> {
    let effort = dialog.assignment()?.effective_fbr_effort.unwrap_or(1);
    let prompts = dialog.history.entries.iter();
    let prompts = prompts.filter(|entry| matches!(entry.record, Record::HumanText(_))).count();
    Some(FbrRound::after_prompts(effort, prompts))
}

/// How far the reasoning of a dialog is, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reasoning {
    In(FbrRound),
    Over,
}

/// `None` for a dialog that does something else.
#[must_use]
pub fn reasoning(dialog: &Dialog) -> Option<Reasoning> {
    let round = dialog.latest.fbr_state.as_ref().and_then(FbrState::round);
    dialog.is_fresh_boots().then(|| round.map_or(Reasoning::Over, Reasoning::In))
}

#[cfg(test)]
mod tests;
