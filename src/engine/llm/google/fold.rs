//! Folds chunks into [`GenEvent`]s: text at once, calls and counts at the end.

use std::collections::VecDeque;

use serde_json::value::RawValue;

use super::contents::payload_of;
use super::wire::{Candidate, Chunk, WirePart};
use crate::domain::text::localized;
use crate::llm::answer::{
    Answer, Finish, MAX_CALLS, argument_text, cut, too_many_calls, unreadable,
};
use crate::llm::error::{ErrorClass, LlmError, plain};
use crate::llm::protocol::StreamFold;
use crate::llm::readable::read;
use crate::llm::sse::SseEvent;
use crate::llm::{GenEvent, Segment, ToolCall, failure};

/// The mark with which some gateways end a stream.
const DONE: &str = "[DONE]";

/// A partial answer.
#[derive(Debug)]
pub struct GenerateFold {
    answer: Answer,
    calls: Vec<ToolCall>,
    /// The signature of each call; empty where it has none.
    signatures: Vec<String>,
    finish: Option<Finish>,
    /// The last chunk with calls and a finish reason.
    last_chunk: String,
    /// Nothing more can follow.
    is_over: bool,
    has_begun: bool,
    vendor: String,
}

impl StreamFold for GenerateFold {
    fn event(&mut self, event: &SseEvent) -> Result<(), LlmError> {
        let data = event.data.trim();
        // If a last chunk comes twice, its calls must not run twice.
        if self.is_over || data.is_empty() || data == self.last_chunk {
            return Ok(());
        }
        if data == DONE {
            self.is_over = true;
            return Ok(());
        }
        if event.name == "error" {
            return Err(failure::from_object(data));
        }
        self.chunk(data)
    }

    fn is_readable(data: &str) -> bool {
        data == DONE || read::<Chunk>(data, &mut String::new()).is_ok()
    }

    fn full_body(&mut self, json: &str) -> Result<(), LlmError> {
        let json = json.trim_start_matches('\u{feff}').trim_start();
        if json.starts_with('[') {
            // A stream from a gateway that drops `alt=sse`.
            let mut spare = String::new();
            let chunks: Vec<&RawValue> =
                read(json, &mut spare).map_err(|error| no_json(&error, json))?;
            chunks.into_iter().try_for_each(|chunk| self.chunk(chunk.get()))?;
        } else {
            self.chunk(json)?;
        }
        if !self.has_begun {
            return Err(failure::from_object(json));
        }
        self.is_over = true;
        Ok(())
    }

    fn end(&mut self) -> Result<(), LlmError> {
        if !self.is_finished() {
            return Err(cut());
        }
        self.is_over = true;
        if self.signatures.iter().any(|signature| !signature.is_empty()) {
            self.answer.thought(payload_of(&self.signatures, &self.vendor));
        }
        let calls = std::mem::take(&mut self.calls);
        self.answer.end(self.finish.unwrap_or(Finish::Complete), calls)
    }

    fn take(&mut self) -> VecDeque<GenEvent> {
        self.answer.take()
    }

    fn received_bytes(&self) -> usize {
        self.answer.received_bytes()
    }

    fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Text may follow a reason: some servers send one with every chunk.
    fn is_finished(&self) -> bool {
        self.is_over || self.finish.is_some()
    }

    fn is_over(&self) -> bool {
        self.is_over
    }
}

impl GenerateFold {
    /// An empty answer of `vendor` with a limit in bytes.
    pub(super) fn new(limit: usize, vendor: String) -> Self {
        Self {
            answer: Answer::new(limit),
            calls: Vec::new(),
            signatures: Vec::new(),
            finish: None,
            last_chunk: String::new(),
            is_over: false,
            has_begun: false,
            vendor,
        }
    }

    fn chunk(&mut self, json: &str) -> Result<(), LlmError> {
        let mut spare = String::new();
        let chunk: Chunk = read(json, &mut spare).map_err(|error| no_json(&error, json))?;
        let is_answer = chunk.is_answer();
        if chunk.error.is_some() || !is_answer {
            failure::check(json)?;
        }
        self.has_begun |= is_answer;
        self.answer.name_model(&chunk.model_version);
        if let Some(usage) = chunk.usage_metadata.and_then(|usage| usage.counts()) {
            self.answer.set_usage(usage);
        }
        if chunk.prompt_feedback.is_some_and(|feedback| !feedback.block_reason.is_empty()) {
            self.finish = Some(Finish::Filtered);
        }
        let Some(mut candidate) = chunk.candidates.into_iter().flatten().next() else {
            return Ok(());
        };
        let calls = self.calls.len();
        let content = candidate.content.take();
        for part in content.and_then(|content| content.parts).into_iter().flatten() {
            self.part(part)?;
        }
        if let Some(finish) = finish_of(&candidate)? {
            self.finish = Some(finish);
            if self.calls.len() > calls {
                json.clone_into(&mut self.last_chunk);
            }
        }
        Ok(())
    }

    fn part(&mut self, part: WirePart) -> Result<(), LlmError> {
        let segment = if part.thought == Some(true) { Segment::Thinking } else { Segment::Saying };
        self.answer.write(segment, part.text)?;
        let Some(call) = part.function_call else { return Ok(()) };
        let call = ToolCall { id: call.id, name: call.name, arguments: argument_text(call.args)? };
        let bytes = call.id.len() + call.name.len() + call.arguments.len();
        self.answer.count(bytes + part.thought_signature.len())?;
        // An id names one call, so this is a chunk that came twice.
        if !call.id.is_empty() && self.calls.contains(&call) {
            return Ok(());
        }
        if self.calls.len() >= MAX_CALLS {
            return Err(too_many_calls());
        }
        self.calls.push(call);
        self.signatures.push(part.thought_signature);
        Ok(())
    }
}

/// How the answer ended, if it did.
fn finish_of(candidate: &Candidate) -> Result<Option<Finish>, LlmError> {
    match candidate.finish_reason.as_str() {
        "" | "FINISH_REASON_UNSPECIFIED" => Ok(None),
        "MAX_TOKENS" => Ok(Some(Finish::Length)),
        "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" => {
            Ok(Some(Finish::Filtered))
        }
        reason @ ("MALFORMED_FUNCTION_CALL" | "MALFORMED_RESPONSE" | "UNEXPECTED_TOOL_CALL") => {
            let message = plain(&candidate.finish_message, 200);
            let text = localized!(
                "the model wrote a call that its server cannot read ({reason}): {message}",
                "模型写出的调用无法被其服务器解读（{reason}）：{message}"
            );
            Err(LlmError::new(ErrorClass::Malformed, text))
        }
        _ => Ok(Some(Finish::Complete)),
    }
}

fn no_json(error: &serde_json::Error, json: &str) -> LlmError {
    if error.is_eof() { cut() } else { unreadable(json) }
}
