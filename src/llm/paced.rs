//! Plays an answer that is known beforehand, at its own pace. Time is tokio time.
//!
//! Also what such answers share: argument text and estimated token counts.

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;
use serde_json::Value;
use tokio::time::{Instant, sleep_until};

use super::{GenEvent, GenStream, LlmError, Message, Request, Segment, Usage};

/// One step of a known answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    /// Nothing happens for this long.
    Wait(Duration),
    Event(GenEvent),
    /// The answer fails here.
    Fail(LlmError),
    /// Nothing ever happens again.
    Hang,
}

impl Step {
    /// A step that writes `text`.
    pub(super) fn text(segment: Segment, text: &str) -> Self {
        Self::Event(GenEvent::Delta { segment, text: text.to_owned() })
    }
}

/// The steps as a stream; the clock starts with the first poll.
pub(super) fn play(steps: Vec<Step>) -> GenStream {
    // Waits add up from the start, so that many short ones do not grow by the timer's rounding.
    let state = (VecDeque::from(steps), None);
    stream::unfold(state, |(mut steps, mut due): (_, Option<Instant>)| async move {
        loop {
            match steps.pop_front()? {
                Step::Wait(time) => {
                    let until = due.unwrap_or_else(Instant::now) + time;
                    due = Some(until);
                    sleep_until(until).await;
                }
                Step::Event(event) => return Some((Ok(event), (steps, due))),
                Step::Fail(error) => return Some((Err(error), (VecDeque::new(), due))),
                Step::Hang => std::future::pending::<()>().await,
            }
        }
    })
    .boxed()
}

/// The argument text of a call: a text stands for itself, everything else is written as JSON.
pub(super) fn argument_text(arguments: Option<&Value>) -> String {
    match arguments {
        None | Some(Value::Null) => "{}".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(value @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_))) => {
            value.to_string()
        }
    }
}

/// The length of `text` in UTF-16 units.
pub(super) fn units(text: &str) -> u64 {
    text.encode_utf16().count() as u64
}

/// Token counts for an answer of `answer` UTF-16 units: four units make a token.
pub(super) fn estimate(request: &Request, answer: u64) -> Usage {
    let context: u64 = request
        .messages
        .iter()
        .map(|message| {
            if let Message::Call { name, arguments, .. } = message {
                units(name) + units(arguments)
            } else {
                message.text().map_or(0, units)
            }
        })
        .sum();
    let prompt_tokens = (units(&request.system) + context).div_ceil(4);
    let completion_tokens = answer.div_ceil(4);
    Usage { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}
