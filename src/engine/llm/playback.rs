//! Plays back a predefined answer with its timing, in tokio time. Also provides argument text and estimated
//! token counts for such answers.

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;
use serde_json::Value;
use tokio::time::{Instant, sleep_until};

use super::{GenEvent, GenStream, LlmError, Message, Request, Segment, Usage};

/// One step of a predefined answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum PlaybackStep {
    /// A pause.
    Wait(Duration),
    Event(GenEvent),
    /// The answer fails here.
    Fail(LlmError),
    /// The answer never continues.
    Hang,
}

impl PlaybackStep {
    /// A step that writes `text`.
    pub(super) fn text(segment: Segment, text: &str) -> Self {
        Self::Event(GenEvent::Delta { segment, text: text.to_owned() })
    }
}

/// The steps as a stream; the clock starts with the first poll.
pub(super) fn play(steps: Vec<PlaybackStep>) -> GenStream {
    // Deadlines are relative to the start, so that timer rounding does not accumulate.
    let state = (VecDeque::from(steps), None);
    stream::unfold(state, |(mut steps, mut due): (_, Option<Instant>)| async move {
        loop {
            match steps.pop_front()? {
                PlaybackStep::Wait(time) => {
                    let until = due.unwrap_or_else(Instant::now) + time;
                    due = Some(until);
                    sleep_until(until).await;
                }
                PlaybackStep::Event(event) => return Some((Ok(event), (steps, due))),
                PlaybackStep::Fail(error) => return Some((Err(error), (VecDeque::new(), due))),
                PlaybackStep::Hang => std::future::pending::<()>().await,
            }
        }
    })
    .boxed()
}

/// The argument text of a call: a string as it is, everything else as JSON.
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
pub(super) fn utf16_len(text: &str) -> u64 {
    text.encode_utf16().count() as u64
}

/// Token counts for an answer of `answer` UTF-16 units: four units make a token.
pub(super) fn estimate(request: &Request, answer: u64) -> Usage {
    let context: u64 = request
        .messages
        .iter()
        .map(|message| {
            if let Message::Call { name, arguments, .. } = message {
                utf16_len(name) + utf16_len(arguments)
            } else {
                message.text().map_or(0, utf16_len)
            }
        })
        .sum();
    let prompt_tokens = (utf16_len(&request.system) + context).div_ceil(4);
    let completion_tokens = answer.div_ceil(4);
    Usage {
        prompt_tokens,
        completion_tokens,
        total_tokens: prompt_tokens + completion_tokens,
        cached_tokens: None,
    }
}
