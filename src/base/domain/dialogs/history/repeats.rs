//! Calls of tools that are made again and again with the same arguments and the same result. A guide in a generation,
//! after the results of its calls, is what the model was told about it: nothing else is recorded there.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::domain::dialogs::record::{Call, Entry, Origin, Record};
use crate::domain::ids::CallId;
use crate::domain::number::Genseq;

/// So many equal results in a row are too many.
const TIMES: usize = 3;
/// In so many generations after it was told so, the model must not do it again.
const WATCHED: u32 = 5;

/// What the runtime does about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The model is told, and goes on.
    Guide,
    /// It was told already: its dialog stops.
    Stop,
}

/// A call with its result.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Outcome<'a> {
    tool: &'a str,
    arguments: &'a str,
    result: &'a str,
    items: Option<&'a Value>,
}

/// The equal results at the end of the records so far.
#[derive(Debug, Default)]
struct Streak<'a> {
    outcome: Option<Outcome<'a>>,
    times: usize,
    /// How many of them were there when the newest generation began.
    before: usize,
    /// The model was told about this one, in this generation.
    told: Option<(Outcome<'a>, Genseq)>,
    /// The newest generation has results.
    has_results: bool,
}

/// The tool that generation `at` calls in vain, and what is to be done about it. `entries`: the records of a course, up to
/// the results of that generation.
#[must_use]
pub fn repeated<'a>(
    entries: impl Iterator<Item = &'a Entry>,
    at: Genseq,
) -> Option<(&'a str, Answer)> {
    let mut calls: BTreeMap<&CallId, &Call> = BTreeMap::new();
    let mut streak = Streak::default();
    for entry in entries {
        if let Record::FuncCall(call) = &entry.record {
            calls.insert(&call.id, call);
        } else if let Record::FuncResult(result) = &entry.record {
            if let Some(call) = calls.remove(&result.id) {
                streak.count(Outcome {
                    tool: &call.name,
                    arguments: &call.raw_arguments_text,
                    result: &result.content,
                    items: result.content_items.as_ref(),
                });
            }
        } else {
            streak.note(entry);
        }
    }
    let outcome = streak.outcome?;
    if streak.times / TIMES == streak.before / TIMES {
        return None;
    }
    let again = streak
        .told
        .is_some_and(|(told, genseq)| told == outcome && at.0.saturating_sub(genseq.0) <= WATCHED);
    Some((outcome.tool, if again { Answer::Stop } else { Answer::Guide }))
}

impl<'a> Streak<'a> {
    fn count(&mut self, outcome: Outcome<'a>) {
        if self.outcome != Some(outcome) {
            (self.outcome, self.times, self.before) = (Some(outcome), 0, 0);
        }
        self.times += 1;
        self.has_results = true;
    }

    /// Takes in a record that is no call of a tool, and no result of one.
    fn note(&mut self, entry: &Entry) {
        if let Record::GenStart = entry.record {
            (self.before, self.has_results) = (self.times, false);
        } else if let Record::HumanText(text) = &entry.record {
            if text.origin == Origin::User {
                // A person may want the same once more.
                *self = Self::default();
            }
        } else if let Record::RuntimeGuide { .. } = entry.record {
            if self.has_results {
                self.told = self.outcome.zip(entry.genseq);
                (self.times, self.before) = (0, 0);
            }
        } else if let Record::TellaskCall { .. } = entry.record {
            (self.outcome, self.times, self.before) = (None, 0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The records of generations: in each, the letters are calls with one result each, `!` is a guide, `?` words of a
    /// person, `@` another call.
    fn records(generations: &[&str]) -> Vec<Entry> {
        let mut lines = Vec::new();
        for (n, generation) in (1..).zip(generations) {
            lines.push(format!(r#"{{"type":"gen_start_record","genseq":{n}}}"#));
            for (k, what) in generation.chars().enumerate() {
                lines.extend(match what {
                    '!' => vec![format!(r#"{{"type":"runtime_guide_record","genseq":{n},"content":"x"}}"#)],
                    '?' => vec![format!(
                        r#"{{"type":"human_text_record","genseq":{n},"content":"x","msgId":"m{n}","grammar":"markdown","origin":"user"}}"#
                    )],
                    '@' => vec![format!(
                        r#"{{"type":"tellask_call_record","genseq":{n},"id":"t{n}","name":"tellask","rawArgumentsText":"{{}}","deliveryMode":"tellask_call_start"}}"#
                    )],
                    letter => vec![
                        format!(
                            r#"{{"type":"func_call_record","genseq":{n},"id":"c{n}-{k}","name":"read_file","rawArgumentsText":"{letter}"}}"#
                        ),
                        format!(
                            r#"{{"type":"func_result_record","genseq":{n},"id":"c{n}-{k}","name":"read_file","content":"r"}}"#
                        ),
                    ],
                });
            }
        }
        lines.iter().map(|line| Entry::parse(line).expect("a record")).collect()
    }

    #[test]
    fn the_third_equal_result_in_a_row_is_told_and_the_next_third_soon_after_stops() {
        let guide = Some(Answer::Guide);
        let stop = Some(Answer::Stop);
        for (generations, expected) in [
            (vec!["a", "a"], None),
            (vec!["a", "a", "a"], guide),
            (vec!["aaa"], guide),
            (vec!["aaab"], None),
            (vec!["a", "b", "a", "a"], None),
            (vec!["a", "a", "@", "a"], None),
            (vec!["a", "a", "?a"], None),
            (vec!["!a", "a", "a"], guide),
            (vec!["a", "a", "a!", "a"], None),
            (vec!["a", "a", "a!", "a", "a", "a"], stop),
            (vec!["a", "a", "a!", "b", "b", "b"], guide),
            (vec!["a", "a", "a!", "b", "a", "a", "a"], stop),
            (vec!["a", "a", "a!", "", "", "", "a", "a", "a"], guide),
            // Continued after the stop: it counts anew.
            (vec!["a", "a", "a!", "a", "a", "a", "a"], None),
            (vec!["a", "a", "a!", "?a", "a", "a"], guide),
            // Nobody told it, as in a tree of an older program.
            (vec!["a", "a", "a", "a"], None),
            (vec!["a", "a", "a", ""], None),
        ] {
            let records = records(&generations);
            let at = records.last().and_then(|entry| entry.genseq).unwrap_or_default();
            let found = repeated(records.iter(), at).map(|(_, answer)| answer);
            assert_eq!(found, expected, "{generations:?}");
        }
    }

    #[test]
    fn another_result_is_no_repetition() {
        let mut all = records(&["a", "a", "a"]);
        if let Some(Entry { record: Record::FuncResult(result), .. }) = all.last_mut() {
            result.content = "changed".to_owned();
        }
        assert_eq!(repeated(all.iter(), Genseq(3)), None);
    }
}
