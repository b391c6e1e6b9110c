//! Converts a context to contents.
//!
//! Invariants of the result, for any context: the first and the last content are the user's; the results of
//! calls are a content of their own, directly behind these calls and in the same order; every result has its
//! call; nothing is blank. Images of calls follow after the results.

use std::borrow::Cow;
use std::slice;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::llm::image::{
    Base64, CALL_IMAGES_HEADING, MessageImage, SentImage, notes, sent_images, with_notes,
};
use crate::llm::pairing::{GO_ON_TEXT, OMITTED_TEXT, Results, wire_arguments, wire_id, wire_name};
use crate::llm::request::Message;

const MAX_ID_CHARS: usize = 64;
/// The key, in the payload of a thought, of the signatures of the calls that follow, by their places.
const KEY: &str = "google";

/// Adjacent parts of one role.
#[derive(Debug, Serialize)]
pub(super) struct Content<'a> {
    pub role: Role,
    pub parts: Vec<Part<'a>>,
}

impl Content<'_> {
    fn has_results(&self) -> bool {
        matches!(self.parts.first(), Some(Part::Result { .. }))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    User,
    Model,
}

#[derive(Debug, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub(super) enum Part<'a> {
    Text {
        text: &'a str,
    },
    Image {
        inline_data: InlineData<'a>,
    },
    Call {
        function_call: FunctionCall<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        thought_signature: Option<&'a str>,
    },
    Result {
        function_response: FunctionResponse<'a>,
    },
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InlineData<'a> {
    mime_type: &'static str,
    data: Base64<'a>,
}

#[derive(Debug, Serialize)]
pub(super) struct FunctionCall<'a> {
    id: Cow<'a, str>,
    name: Cow<'a, str>,
    args: Box<RawValue>,
}

#[derive(Debug, Serialize)]
pub(super) struct FunctionResponse<'a> {
    id: Cow<'a, str>,
    name: Cow<'a, str>,
    response: Output<'a>,
}

/// The protocol wants an object.
#[derive(Debug, Serialize)]
struct Output<'a> {
    output: Cow<'a, str>,
}

/// The payload of a thought with the signatures of the calls behind it; empty ones stand for none.
pub(super) fn payload_of(signatures: &[String], vendor: &str) -> Value {
    json!({ "summary": [], KEY: { "vendor": vendor, "signatures": signatures } })
}

/// The signatures in a payload; none if it is of another protocol or vendor.
fn signatures_of<'a>(payload: Option<&'a Value>, vendor: &str) -> slice::Iter<'a, Value> {
    let own = payload.and_then(|payload| payload.get(KEY));
    let own = own.filter(|own| own.get("vendor").and_then(Value::as_str) == Some(vendor));
    let signatures = own.and_then(|own| own.get("signatures")).and_then(Value::as_array);
    signatures.map_or([].as_slice(), Vec::as_slice).iter()
}

/// Results are truncated to `max_result_chars` characters; signatures go back only to their own vendor. `unsigned`
/// stands for the signature of the first call of a content, where it has none.
pub(super) fn contents<'a>(
    messages: &'a [Message],
    max_result_chars: usize,
    vendor: &'a str,
    unsigned: Option<&'static str>,
) -> Vec<Content<'a>> {
    let mut converter = Converter {
        contents: Vec::new(),
        results: Results::of(messages, max_result_chars),
        outputs: Vec::new(),
        images: Vec::new(),
        signatures: [].iter(),
        vendor,
        unsigned,
    };
    for (at, message) in messages.iter().enumerate() {
        converter.message(at, message);
    }
    converter.finish()
}

fn image_part(image: SentImage<'_>) -> Part<'_> {
    Part::Image { inline_data: InlineData { mime_type: image.media_type, data: image.data } }
}

struct Converter<'a> {
    contents: Vec<Content<'a>>,
    results: Results<'a>,
    /// Results of the current group of calls, which may still grow.
    outputs: Vec<Part<'a>>,
    /// Images of these calls.
    images: Vec<Part<'a>>,
    /// Those of the next calls.
    signatures: slice::Iter<'a, Value>,
    vendor: &'a str,
    unsigned: Option<&'static str>,
}

impl<'a> Converter<'a> {
    fn message(&mut self, at: usize, message: &'a Message) {
        match message {
            Message::Environment(text)
            | Message::Prompt(text)
            | Message::TellaskResult(text)
            | Message::Carryover(text) => self.user(text),
            Message::Images(images) => self.images(images),
            Message::Guide(text) | Message::Saying(text) => self.text(Role::Model, text),
            Message::Thinking { payload, .. } => {
                self.signatures = signatures_of(payload.as_ref(), self.vendor);
            }
            Message::Call { id, name, arguments } => self.call(at, id, name, arguments),
            // Already placed after its call, or without a call.
            Message::Result { .. } => self.close_calls(),
        }
    }

    fn user(&mut self, text: &'a str) {
        self.signatures = [].iter();
        self.text(Role::User, text);
    }

    fn text(&mut self, role: Role, text: &'a str) {
        if !text.trim().is_empty() {
            self.close_calls();
            self.push(role, Part::Text { text });
        }
    }

    fn images(&mut self, images: &'a [MessageImage]) {
        for note in notes(images) {
            self.user(note);
        }
        for image in sent_images(images).map(image_part) {
            self.close_calls();
            self.push(Role::User, image);
        }
    }

    fn call(&mut self, at: usize, id: &'a str, name: &'a str, arguments: &'a str) {
        let result = self.results.take_for_call(at, id);
        let (id, name) = (wire_id(id, MAX_ID_CHARS), wire_name(name));
        self.images.extend(sent_images(result.images).map(image_part));
        let unsigned = self.unsigned.filter(|_| self.outputs.is_empty());
        let response = Output { output: with_notes(result.text, result.images) };
        let function_response = FunctionResponse { id: id.clone(), name: name.clone(), response };
        self.outputs.push(Part::Result { function_response });
        let args = RawValue::from_string(wire_arguments(arguments).into_owned());
        let args = args.unwrap_or_else(|_| RawValue::NULL.to_owned());
        let signature = self.signatures.next().and_then(Value::as_str);
        let thought_signature = signature.filter(|signature| !signature.is_empty()).or(unsigned);
        let function_call = FunctionCall { id, name, args };
        self.push(Role::Model, Part::Call { function_call, thought_signature });
    }

    /// Adds to the last content of this role, but never to results: a server counts them.
    fn push(&mut self, role: Role, part: Part<'a>) {
        if role == Role::Model && self.contents.is_empty() {
            self.push(Role::User, Part::Text { text: OMITTED_TEXT });
        }
        match self.contents.last_mut() {
            Some(last) if last.role == role && !last.has_results() => last.parts.push(part),
            _ => self.contents.push(Content { role, parts: vec![part] }),
        }
    }

    fn close_calls(&mut self) {
        if self.outputs.is_empty() {
            return;
        }
        let parts = std::mem::take(&mut self.outputs);
        self.contents.push(Content { role: Role::User, parts });
        if !self.images.is_empty() {
            self.push(Role::User, Part::Text { text: CALL_IMAGES_HEADING });
            for image in std::mem::take(&mut self.images) {
                self.push(Role::User, image);
            }
        }
    }

    fn finish(mut self) -> Vec<Content<'a>> {
        self.close_calls();
        if self.contents.last().is_none_or(|last| last.role == Role::Model) {
            self.push(Role::User, Part::Text { text: GO_ON_TEXT });
        }
        self.contents
    }
}

#[cfg(test)]
mod tests;
