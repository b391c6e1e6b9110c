//! A provider that plays a script, for demonstrations and for trying the program without a model.
//!
//! The model name of a request is the id of the agent. The request alone decides which turn answers, so an
//! interrupted dialog continues where it was; only scripted failures are counted.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::playback::{PlaybackStep, argument_text, estimate, play, utf16_len};
use super::{
    ErrorClass, GenEvent, GenStream, LlmError, Message, Provider, Request, Segment, ToolCall,
};

/// Default words per second.
const DEFAULT_WORDS_PER_SECOND: f64 = 30.0;
/// The answer of an agent without a matching turn.
const DEFAULT_ANSWER: &str = "I have nothing to add.";

/// The turns of each agent.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    pub agents: BTreeMap<String, Vec<ScriptedTurn>>,
}

/// One answer and when it is given: the first turn whose conditions all hold answers.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScriptedTurn {
    /// Must occur in the newest prompt, result or carried-over text.
    pub when: Option<String>,
    /// Must equal the number of generations of the agent that are in the context.
    pub after: Option<u32>,
    /// Must occur in any of the prompts, results and replies so far.
    pub seen: Option<String>,
    /// Minimum number of replies, from teammates and users, in the context.
    pub replies: usize,
    /// Do not repeat once its complete saying is in the context.
    pub once: bool,
    pub thinking: Option<String>,
    pub saying: Option<String>,
    pub calls: Vec<ScriptedCall>,
    /// Wait before the answer begins.
    pub delay_ms: u64,
    /// Words per second, for this turn.
    pub tokens_per_second: Option<f64>,
    /// Instead of saying anything, after the thinking.
    pub error: Option<ScriptedError>,
}

/// A call a turn makes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedCall {
    pub name: String,
    /// A string is sent as it is, everything else as JSON.
    #[serde(default)]
    pub arguments: Option<Value>,
    /// Without it the id is made of agent, generation and position.
    #[serde(default)]
    pub id: Option<String>,
}

/// A failure; the turn answers properly once it has failed `times` times.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedError {
    pub class: ErrorClass,
    pub message: String,
    #[serde(default)]
    pub status: Option<u16>,
    #[serde(default)]
    pub retry_after_ms: Option<u64>,
    #[serde(default = "once")]
    pub times: u32,
}

fn once() -> u32 {
    1
}

/// The provider. Clones share the count of failures.
#[derive(Debug, Clone)]
pub struct Scripted {
    script: Arc<Script>,
    speed: f64,
    failed: Arc<Mutex<HashMap<(String, usize), u32>>>,
}

impl Scripted {
    /// `speed` multiplies the pace of the script; without a finite, positive one there are no pauses.
    pub fn new(script: Script, speed: f64) -> Self {
        Self { script: Arc::new(script), speed, failed: Arc::default() }
    }

    fn steps(&self, request: &Request) -> Vec<PlaybackStep> {
        let generation = generations(&request.messages);
        let turns = self.script.agents.get(&request.model).map_or(&[][..], Vec::as_slice);
        let found =
            turns.iter().enumerate().find(|(_, turn)| turn.applies(&request.messages, generation));
        let Some((at, turn)) = found else {
            let silent =
                ScriptedTurn { saying: Some(DEFAULT_ANSWER.to_owned()), ..ScriptedTurn::default() };
            return self.answer(&silent, request, generation);
        };
        match &turn.error {
            Some(error) if self.fails_again(&request.model, at, error.times) => {
                let mut steps = self.opening_steps(turn);
                steps.push(PlaybackStep::Fail(error.error()));
                steps
            }
            Some(_) | None => self.answer(turn, request, generation),
        }
    }

    fn fails_again(&self, agent: &str, turn: usize, times: u32) -> bool {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let count = failed.entry((agent.to_owned(), turn)).or_default();
        *count = count.saturating_add(1);
        *count <= times
    }

    fn answer(&self, turn: &ScriptedTurn, request: &Request, generation: u32) -> Vec<PlaybackStep> {
        let mut steps = self.opening_steps(turn);
        steps.extend(self.text_steps(turn, Segment::Saying, turn.saying.as_deref()));
        for (n, call) in (1_u32..).zip(&turn.calls) {
            let id = call.id.clone().unwrap_or_else(|| {
                format!("call_{}_{}_{n}", request.model, generation.saturating_add(1))
            });
            steps.push(PlaybackStep::Event(GenEvent::Call(ToolCall {
                id,
                name: call.name.clone(),
                arguments: argument_text(call.arguments.as_ref()),
            })));
        }
        steps.push(PlaybackStep::Event(GenEvent::Usage(estimate(request, length(turn)))));
        steps.push(PlaybackStep::Event(GenEvent::End { model: Some(request.model.clone()) }));
        steps
    }

    /// The wait and the thinking.
    fn opening_steps(&self, turn: &ScriptedTurn) -> Vec<PlaybackStep> {
        let mut steps = Vec::new();
        steps.extend(self.pause_step(Duration::from_millis(turn.delay_ms)));
        steps.extend(self.text_steps(turn, Segment::Thinking, turn.thinking.as_deref()));
        steps
    }

    /// The text word by word, each after its time.
    fn text_steps(
        &self,
        turn: &ScriptedTurn,
        segment: Segment,
        text: Option<&str>,
    ) -> Vec<PlaybackStep> {
        let pace =
            turn.tokens_per_second.filter(|pace| *pace > 0.0).unwrap_or(DEFAULT_WORDS_PER_SECOND);
        let per_word = Duration::try_from_secs_f64(1.0 / pace).unwrap_or_default();
        let mut steps = Vec::new();
        for word in words(text.unwrap_or_default()) {
            steps.extend(self.pause_step(per_word));
            steps.push(PlaybackStep::text(segment, word));
        }
        steps
    }

    fn pause_step(&self, time: Duration) -> Option<PlaybackStep> {
        if !self.speed.is_finite() || self.speed <= 0.0 {
            return None;
        }
        let time = Duration::try_from_secs_f64(time.as_secs_f64() / self.speed).ok()?;
        (!time.is_zero()).then_some(PlaybackStep::Wait(time))
    }
}

impl Provider for Scripted {
    fn stream(&self, request: Request) -> GenStream {
        play(self.steps(&request))
    }
}

impl ScriptedTurn {
    fn applies(&self, messages: &[Message], generation: u32) -> bool {
        let newest = newest_input(messages);
        let contains = |input: &str, text: &Option<String>| {
            text.as_ref().is_none_or(|text| input.contains(text.as_str()))
        };
        contains(newest, &self.when)
            && self.after.is_none_or(|count| count == generation)
            && (self.seen.is_none() || inputs(messages).any(|input| contains(input, &self.seen)))
            && self.replies <= messages.iter().filter(|message| is_reply(message)).count()
            && !(self.once && self.is_in_context(messages))
    }

    /// A truncated saying does not count, so its turn is repeated.
    fn is_in_context(&self, messages: &[Message]) -> bool {
        let complete = self.saying.as_deref().unwrap_or_default().trim();
        messages.iter().any(|message| {
            matches!(message, Message::Saying(text) if !complete.is_empty() && text.trim() == complete)
        })
    }
}

impl ScriptedError {
    fn error(&self) -> LlmError {
        let error = LlmError::quoted(self.class, &self.message)
            .with_retry_after(self.retry_after_ms.map(Duration::from_millis));
        match self.status {
            Some(status) => error.with_status(status),
            None => error,
        }
    }
}

fn newest_input(messages: &[Message]) -> &str {
    inputs(messages).next_back().unwrap_or_default()
}

/// The inputs of the agent: prompts, results, replies.
fn inputs(messages: &[Message]) -> impl DoubleEndedIterator<Item = &str> {
    messages.iter().filter_map(|message| match message {
        Message::Prompt(text)
        | Message::TellaskResult(text)
        | Message::Carryover(text)
        | Message::Result { content: text, .. } => Some(text.as_str()),
        Message::Environment(_)
        | Message::Images(_)
        | Message::Guide(_)
        | Message::Saying(_)
        | Message::Thinking { .. }
        | Message::Call { .. } => None,
    })
}

fn is_reply(message: &Message) -> bool {
    matches!(message, Message::TellaskResult(_) | Message::Carryover(_))
}

/// The number of generations: adjacent messages of the model are one.
fn generations(messages: &[Message]) -> u32 {
    let mut count = 0;
    let mut inside = false;
    for message in messages {
        let is_output = match message {
            Message::Saying(_) | Message::Thinking { .. } | Message::Call { .. } => true,
            Message::Environment(_)
            | Message::Prompt(_)
            | Message::TellaskResult(_)
            | Message::Carryover(_)
            | Message::Images(_)
            | Message::Guide(_)
            | Message::Result { .. } => false,
        };
        if is_output && !inside {
            count += 1;
        }
        inside = is_output;
    }
    count
}

/// Token-sized pieces: a word with trailing whitespace, or two wide characters.
fn words(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut blank = false;
    let mut wide = 0;
    for (at, c) in text.char_indices() {
        if at > start && (blank || wide >= 2) && !c.is_whitespace() {
            pieces.extend(text.get(start..at));
            start = at;
            wide = 0;
        }
        blank = c.is_whitespace();
        wide += usize::from(c >= '\u{2e80}');
    }
    pieces.extend(text.get(start..).filter(|rest| !rest.is_empty()));
    pieces
}

/// Everything a turn writes, in UTF-16 units.
fn length(turn: &ScriptedTurn) -> u64 {
    let texts = [&turn.thinking, &turn.saying].into_iter().flatten().map(|text| utf16_len(text));
    let calls = turn
        .calls
        .iter()
        .map(|call| utf16_len(&call.name) + utf16_len(&argument_text(call.arguments.as_ref())));
    texts.chain(calls).sum()
}

#[cfg(test)]
mod tests;
