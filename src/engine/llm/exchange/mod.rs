//! One HTTP exchange, the same for every [`Protocol`]: sends a request, reads the answer, enforces time
//! limits.
//!
//! The first byte of the body decides how it is read, not the content type, since servers answer stream
//! requests with JSON and mislabel both. All events of one read are emitted before the next read. After the
//! end or an error the connection is dropped at once.

mod deadlines;
mod errors;
mod models;
mod packed;

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::FutureExt;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use reqwest::{RequestBuilder, Response};
use tokio::task::yield_now;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::error::{ErrorClass, LlmError, plain};
use super::http::root_cause;
use super::protocol::{Protocol, StreamFold};
use super::sse::{MAX_EVENT_BYTES, SseDecoder};
use super::ticks::{TICK, Ticks};
use super::tool_name::tool_meant;
use super::{Clients, Endpoint, GenEvent, Request, Secret, address, failure};
use crate::domain::text::json;
use crate::domain::text::localized;
use deadlines::{Deadlines, ReadFacts};
use errors::{
    NESTED_TOO_DEEP, NO_CONTENT, NOT_AN_ADDRESS, TOO_LARGE, TOO_MANY_PAUSES, cut_off, malformed,
    not_an_answer, rejected,
};
use packed::Packed;

pub(super) use errors::network_error;
pub(super) use models::list_models;

/// Bytes of an error body that are read.
const MAX_ERROR_BODY_BYTES: usize = 64 * 1024;
const ERROR_BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// Pauses of one answer.
const MAX_PAUSES: usize = 16;

/// A request and the state of its answer.
#[derive(Debug)]
pub(super) struct Exchange<P: Protocol> {
    protocol: Arc<P>,
    endpoint: Arc<Endpoint>,
    clients: Clients,
    /// Those of the thread it runs on, if that is the thread of models.
    ticks: Option<Arc<Ticks>>,
    phase: Phase<P::Fold>,
    pauses: usize,
    /// Deadline of the whole answer; set by the first request.
    end: Option<Instant>,
    ready: VecDeque<GenEvent>,
}

#[derive(Debug)]
enum Phase<F> {
    Unsent(Box<Request>),
    Reading(Box<OpenResponse<F>>),
    Done,
}

/// A response whose body is being read.
#[derive(Debug)]
struct OpenResponse<F> {
    /// Kept in case the provider pauses.
    request: Box<Request>,
    response: Response,
    deadlines: Deadlines,
    /// When the last read was; `None` before the first one.
    last_read: Option<Instant>,
    packed: Option<Packed>,
    format: BodyFormat,
    fold: F,
}

/// The format of the body.
#[derive(Debug)]
enum BodyFormat {
    Unknown,
    Events(SseDecoder),
    Json(Vec<u8>),
    Page(Vec<u8>),
}

impl<P: Protocol> Exchange<P> {
    pub(super) fn new(
        protocol: Arc<P>,
        endpoint: Arc<Endpoint>,
        clients: Clients,
        ticks: Option<Arc<Ticks>>,
        request: Request,
    ) -> Self {
        let phase = Phase::Unsent(Box::new(request));
        let ready = VecDeque::new();
        Self { protocol, endpoint, clients, ticks, phase, pauses: 0, end: None, ready }
    }

    /// The next event; `None` after the end or an error.
    pub(super) async fn next(&mut self) -> Option<Result<GenEvent, LlmError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            if let Err(error) = self.advance().await? {
                self.phase = Phase::Done;
                return Some(Err(redacted(&self.endpoint, error)));
            }
        }
    }

    /// Sends the request, or reads once. `None` when there is nothing left to do.
    async fn advance(&mut self) -> Option<Result<(), LlmError>> {
        match std::mem::replace(&mut self.phase, Phase::Done) {
            Phase::Done => None,
            Phase::Unsent(request) => Some(match self.send(request).await {
                Ok(reading) => {
                    self.phase = Phase::Reading(Box::new(reading));
                    Ok(())
                }
                Err(error) => Err(error),
            }),
            Phase::Reading(mut reading) => Some(match reading.read(self.ticks.as_ref()).await {
                Ok(more) => {
                    self.ready = reading.events();
                    if more {
                        self.phase = Phase::Reading(reading);
                        return Some(Ok(()));
                    }
                    self.resume(*reading)
                }
                Err(error) => Err(error),
            }),
        }
    }

    /// Resumes an answer that the provider paused; does nothing after any other end.
    fn resume(&mut self, mut reading: OpenResponse<P::Fold>) -> Result<(), LlmError> {
        let Some(messages) = reading.fold.take_pause() else { return Ok(()) };
        self.pauses += 1;
        if self.pauses > MAX_PAUSES {
            return Err(LlmError::new(ErrorClass::Fatal, TOO_MANY_PAUSES));
        }
        reading.request.messages.extend(messages);
        self.phase = Phase::Unsent(reading.request);
        Ok(())
    }

    async fn send(&mut self, request: Box<Request>) -> Result<OpenResponse<P::Fold>, LlmError> {
        let _sending = self.ticks.as_ref().map(Ticks::sending);
        let http = self.prepare(&request)?;
        let limits = self.endpoint.limits;
        let now = Instant::now();
        let answer = *self.end.get_or_insert(now + limits.answer);
        let deadlines = Deadlines::new(limits, now, answer);
        let (end, overdue) = deadlines.end();
        let response = match timeout_at(end, http.send()).await {
            Ok(sent) => sent.map_err(|error| network_error(&error, &self.endpoint.base_url))?,
            Err(_) => return Err(overdue.error()),
        };
        if !response.status().is_success() {
            return Err(refused(&self.endpoint, response).await);
        }
        let packed = Packed::of(&response)?;
        let fold = self.protocol.fold(&request, limits.text_bytes);
        Ok(OpenResponse {
            request,
            response,
            deadlines,
            last_read: None,
            packed,
            format: BodyFormat::Unknown,
            fold,
        })
    }

    fn prepare(&self, request: &Request) -> Result<RequestBuilder, LlmError> {
        let base = &self.endpoint.base_url;
        let path = self.protocol.path(base, request);
        let url = address::url(base, &path).ok_or_else(|| rejected(NOT_AN_ADDRESS))?;
        let body = self.protocol.body(request, &self.endpoint).map_err(|error| {
            rejected(localized!("cannot write the request: {error}", "无法生成请求：{error}"))
        })?;
        let key = key::<P>(&self.endpoint)?;
        let mut http = self
            .clients
            .for_url(&url, &self.endpoint)?
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        if request.streaming {
            http = http.header(ACCEPT, "text/event-stream");
        }
        for (name, value) in P::HEADERS {
            http = http.header(*name, *value);
        }
        for (name, value) in self.protocol.headers() {
            http = http.header(name, value);
        }
        Ok(match key {
            Some(value) => http.header(P::KEY.0, value),
            None => http,
        })
    }
}

/// The value of the header with the key.
fn key<P: Protocol>(endpoint: &Endpoint) -> Result<Option<HeaderValue>, LlmError> {
    let Some(variable) = &endpoint.api_key_variable else {
        return Ok(None);
    };
    let Some(key) = &endpoint.api_key else {
        return Err(LlmError::missing_key(variable));
    };
    let mut value =
        HeaderValue::from_str(&format!("{}{}", P::KEY.1, key.expose())).map_err(|_| {
            rejected(localized!(
                "the key in {variable} has characters that are invalid in a header",
                "{variable} 中的密钥含有请求头不允许的字符"
            ))
        })?;
    value.set_sensitive(true);
    Ok(Some(value))
}

/// The error of a response that is no success.
async fn refused(endpoint: &Endpoint, mut response: Response) -> LlmError {
    let (status, headers) = (response.status(), response.headers().clone());
    let mut packed = match Packed::of(&response) {
        Ok(packed) => packed,
        Err(error) => return failure::from_response(status, &headers, &error.to_string()),
    };
    let mut body = Vec::new();
    // Redact before truncating.
    let mut clean = endpoint.api_key.as_ref().map(Secret::stream).unwrap_or_default();
    let end = Instant::now() + ERROR_BODY_TIMEOUT;
    while let Ok(Ok(Some(part))) = timeout_at(end, response.chunk()).await {
        match packed.as_mut().map(|packed| packed.unpack(&part)) {
            Some(Ok(unpacked)) => clean.push(&unpacked, &mut body),
            Some(Err(_)) => break,
            None => clean.push(&part, &mut body),
        }
        if body.len() >= MAX_ERROR_BODY_BYTES {
            body.truncate(MAX_ERROR_BODY_BYTES);
            break;
        }
    }
    if body.len() < MAX_ERROR_BODY_BYTES {
        clean.finish(&mut body);
    }
    let text = String::from_utf8_lossy(&body).into_owned();
    failure::from_response(status, &headers, &text)
}

/// Redacts the key in an error message of the provider, which may be truncated.
fn redacted(endpoint: &Endpoint, error: LlmError) -> LlmError {
    match &endpoint.api_key {
        Some(key) => error.map_message(|text| key.redact(text)),
        None => error,
    }
}

impl<F: StreamFold> OpenResponse<F> {
    /// Reads a batch: waits for data, then reads what else is available, and folds all of it. False when
    /// the answer is complete.
    async fn read(&mut self, ticks: Option<&Arc<Ticks>>) -> Result<bool, LlmError> {
        match (self.last_read, ticks) {
            (Some(last), Some(ticks)) => ticks.pause(last.into_std()).wait().await,
            (Some(last), None) => sleep_until(last + TICK).await,
            (None, _) => {}
        }
        let read = self.chunk().await;
        let mut more = self.handle_read(read)?;
        let now = Instant::now();
        self.last_read = Some(now);
        let end = now + TICK;
        while more && Instant::now() < end {
            let Some(read) = self.try_read().await else { break };
            more = self.handle_read(read)?;
        }
        Ok(more)
    }

    /// The events that are ready; calls name the tools that the model means.
    fn events(&mut self) -> VecDeque<GenEvent> {
        let mut events = self.fold.take();
        for event in &mut events {
            if let GenEvent::Call(call) = event
                && let Some(name) = tool_meant(&call.name, &self.request.tools)
            {
                name.clone_into(&mut call.name);
            }
        }
        events
    }

    /// Folds the result of one read; false when the answer is complete.
    fn handle_read(
        &mut self,
        read: Result<Option<impl AsRef<[u8]>>, LlmError>,
    ) -> Result<bool, LlmError> {
        match read {
            Ok(Some(bytes)) => {
                let (bytes, before) = (bytes.as_ref(), self.received_bytes());
                match self.packed.as_mut().map(|packed| packed.unpack(bytes)).transpose()? {
                    Some(unpacked) => self.take(&unpacked)?,
                    None => self.take(bytes)?,
                }
                if !bytes.is_empty() {
                    let has_content = self.received_bytes() > before;
                    let is_finished = self.fold.is_finished();
                    let facts = ReadFacts { has_content, is_finished };
                    self.deadlines.read(Instant::now(), facts);
                }
                if !self.fold.is_over() {
                    return Ok(true);
                }
                self.fold.end()?;
                Ok(false)
            }
            Ok(None) => self.end_of_body().map(|()| false),
            // An error after the model reported that it is done does no harm.
            Err(_) if self.fold.is_finished() => self.fold.end().map(|()| false),
            Err(error) => self.stray_error().and(Err(error)),
        }
    }

    /// Fails with the error that the provider sent as a line beside the events.
    fn stray_error(&self) -> Result<(), LlmError> {
        match &self.format {
            BodyFormat::Events(decoder) => failure::check(&decoder.stray_object()),
            BodyFormat::Unknown | BodyFormat::Json(_) | BodyFormat::Page(_) => Ok(()),
        }
    }

    /// Reads without waiting. The connection's task runs in between: first with what it has, then with what the
    /// system has received meanwhile.
    async fn try_read(&mut self) -> Option<Result<Option<impl AsRef<[u8]> + use<F>>, LlmError>> {
        for looks_at_sockets in [false, true] {
            if let Some(read) = self.try_chunk() {
                return Some(read);
            }
            if looks_at_sockets { yield_now().await } else { let_others_run().await }
        }
        self.try_chunk()
    }

    fn try_chunk(&mut self) -> Option<Result<Option<impl AsRef<[u8]> + use<F>>, LlmError>> {
        let read = self.response.chunk().now_or_never()?;
        Some(read.map_err(|error| cut_off(&root_cause(&error.without_url()))))
    }

    /// Bytes of content received so far.
    fn received_bytes(&self) -> usize {
        match &self.format {
            BodyFormat::Json(body) => body.len(),
            BodyFormat::Unknown | BodyFormat::Events(_) | BodyFormat::Page(_) => {
                self.fold.received_bytes()
            }
        }
    }

    async fn chunk(&mut self) -> Result<Option<impl AsRef<[u8]> + use<F>>, LlmError> {
        let (end, overdue) = self.deadlines.end();
        // A timeout would never fire while data is always available.
        if end <= Instant::now() {
            return Err(overdue.error());
        }
        let read = timeout_at(end, self.response.chunk()).await;
        match read {
            Ok(Ok(bytes)) => Ok(bytes),
            Ok(Err(error)) => Err(cut_off(&root_cause(&error.without_url()))),
            Err(_) => Err(overdue.error()),
        }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), LlmError> {
        let mut bytes = bytes;
        if matches!(self.format, BodyFormat::Unknown) {
            bytes = bytes.trim_ascii_start();
            let Some(first) = bytes.iter().find(|byte| !b"\xef\xbb\xbf".contains(byte)) else {
                return Ok(());
            };
            self.format = match first {
                b'{' | b'[' => BodyFormat::Json(Vec::new()),
                b'<' => BodyFormat::Page(Vec::new()),
                _ => BodyFormat::Events(SseDecoder::default()),
            };
        }
        match &mut self.format {
            BodyFormat::Unknown => Ok(()),
            BodyFormat::Events(decoder) => {
                let events = decoder.feed(bytes).map_err(|error| malformed(error.message()))?;
                events.iter().try_for_each(|event| {
                    check_depth(&event.data)?;
                    self.fold.event(event)
                })
            }
            BodyFormat::Json(body) if body.len() + bytes.len() > MAX_EVENT_BYTES => {
                Err(malformed(TOO_LARGE))
            }
            BodyFormat::Json(body) => {
                body.extend_from_slice(bytes);
                Ok(())
            }
            BodyFormat::Page(body) => {
                let remaining = MAX_ERROR_BODY_BYTES.saturating_sub(body.len());
                body.extend(bytes.iter().take(remaining));
                if remaining == 0 { Err(not_an_answer(body)) } else { Ok(()) }
            }
        }
    }

    fn end_of_body(&mut self) -> Result<(), LlmError> {
        let beside = self.stray_error();
        match std::mem::replace(&mut self.format, BodyFormat::Unknown) {
            BodyFormat::Unknown => return Err(LlmError::new(ErrorClass::Cut, NO_CONTENT)),
            BodyFormat::Page(body) => return Err(not_an_answer(&body)),
            BodyFormat::Json(body) => {
                let text = String::from_utf8_lossy(&body);
                check_depth(&text)?;
                self.fold.full_body(&text)?;
            }
            BodyFormat::Events(decoder) => {
                let has_unknown_lines = decoder.unknown_lines() > 0 && !self.fold.has_begun();
                let start = plain(&String::from_utf8_lossy(decoder.unfinished()), 200);
                // A truncated event is ignored here; the check at the end reports it.
                if let Some(last) = decoder.finish().filter(|e| F::is_readable(e.data.trim())) {
                    check_depth(&last.data)?;
                    self.fold.event(&last)?;
                }
                if !self.fold.is_finished() {
                    beside?;
                }
                if has_unknown_lines && !self.fold.has_begun() {
                    return Err(not_an_answer(start.as_bytes()));
                }
            }
        }
        self.fold.end()
    }
}

/// Lets the tasks that are ready run once. The runtime's own yield looks for packets too, which is a call of the
/// system for each piece of an answer.
async fn let_others_run() {
    let mut has_yielded = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut has_yielded, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Rejects JSON that is nested too deep to parse.
fn check_depth(text: &str) -> Result<(), LlmError> {
    match json::too_deep_on_the_wire(text) {
        None => Ok(()),
        Some(_) => Err(malformed(NESTED_TOO_DEEP)),
    }
}
