//! One request and its answer on the network: sending, time limits, reading, ending. The same for
//! every [`Protocol`].
//!
//! The first byte of the body decides how it is read, not the content type, since servers answer
//! stream requests with JSON and mislabel both. All events of one read are handed out before the
//! next read begins. After the end or an error the connection is let go of at once.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use reqwest::{RequestBuilder, Response};
use tokio::task::yield_now;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::error::{ErrorClass, LlmError, plain};
use super::http::innermost;
use super::protocol::{Fold, Protocol};
use super::sse::{Decoder, MAX_EVENT_BYTES};
use super::{AnswerLimits, Clients, Endpoint, GenEvent, Request, Secret, address, failure};
use crate::domain::json;

/// Most bytes of an error body that are read.
const ERROR_BODY_BYTES: usize = 64 * 1024;
/// Longest time for reading an error body.
const ERROR_BODY_TIME: Duration = Duration::from_secs(10);
/// Longest wait for token counts and the end mark once the model has said that it is done.
const TAIL: Duration = Duration::from_secs(5);
/// Most pauses of one answer.
const MAX_PAUSES: usize = 16;
/// Shortest time between two rounds of reading. Servers send each token on its own: gathering
/// them for less than a frame costs nothing to look at and saves most of the work.
const ROUND: Duration = Duration::from_millis(10);

/// The state between two events.
#[derive(Debug)]
pub(super) struct Exchange<P: Protocol> {
    protocol: Arc<P>,
    endpoint: Arc<Endpoint>,
    clients: Clients,
    phase: Phase<P::Fold>,
    pauses: usize,
    /// The whole answer must be there by then; unknown before the first request.
    end: Option<Instant>,
    ready: VecDeque<GenEvent>,
}

#[derive(Debug)]
enum Phase<F> {
    Unsent(Box<Request>),
    Reading(Box<Reading<F>>),
    Over,
}

/// An answer that has begun.
#[derive(Debug)]
struct Reading<F> {
    /// Kept in case the provider pauses.
    request: Box<Request>,
    response: Response,
    patience: Patience,
    /// Not to be read before then; `None` before the first read.
    next_round: Option<Instant>,
    form: Form,
    fold: F,
}

/// What is waited for, and since when.
#[derive(Debug)]
struct Patience {
    limits: AnswerLimits,
    /// The whole answer must be there by then.
    answer: Instant,
    /// Until then the first byte must have come; `None` after it.
    first_byte: Option<Instant>,
    /// When something came last.
    sign: Instant,
    /// When content came last.
    content: Instant,
    /// When the model has said that it is done.
    finished: Option<Instant>,
}

/// How the body is read.
#[derive(Debug)]
enum Form {
    Unknown,
    Events(Decoder),
    Whole(Vec<u8>),
    Page(Vec<u8>),
}

impl<P: Protocol> Exchange<P> {
    pub(super) fn new(
        protocol: Arc<P>,
        endpoint: Arc<Endpoint>,
        clients: Clients,
        request: Request,
    ) -> Self {
        let phase = Phase::Unsent(Box::new(request));
        Self { protocol, endpoint, clients, phase, pauses: 0, end: None, ready: VecDeque::new() }
    }

    /// The next event; `None` after the end or an error.
    pub(super) async fn next(&mut self) -> Option<Result<GenEvent, LlmError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            if let Err(error) = self.advance().await? {
                self.phase = Phase::Over;
                return Some(Err(self.redacted(error)));
            }
        }
    }

    /// One step on: sends the request, or reads once. `None` when there is nothing left to do.
    async fn advance(&mut self) -> Option<Result<(), LlmError>> {
        match std::mem::replace(&mut self.phase, Phase::Over) {
            Phase::Over => None,
            Phase::Unsent(request) => Some(match self.send(request).await {
                Ok(reading) => {
                    self.phase = Phase::Reading(Box::new(reading));
                    Ok(())
                }
                Err(error) => Err(error),
            }),
            Phase::Reading(mut reading) => Some(match reading.read().await {
                Ok(more) => {
                    self.ready = reading.fold.take();
                    if more {
                        self.phase = Phase::Reading(reading);
                        return Some(Ok(()));
                    }
                    self.go_on(*reading)
                }
                Err(error) => Err(error),
            }),
        }
    }

    /// Asks a provider that paused to go on; nothing after any other end.
    fn go_on(&mut self, mut reading: Reading<P::Fold>) -> Result<(), LlmError> {
        let Some(said) = reading.fold.paused() else { return Ok(()) };
        self.pauses += 1;
        if self.pauses > MAX_PAUSES {
            let text = "stopped: the provider pauses its answer again and again";
            return Err(LlmError::new(ErrorClass::Fatal, text));
        }
        reading.request.messages.extend(said);
        self.phase = Phase::Unsent(reading.request);
        Ok(())
    }

    async fn send(&mut self, request: Box<Request>) -> Result<Reading<P::Fold>, LlmError> {
        let http = self.prepare(&request)?;
        let limits = self.endpoint.limits;
        let now = Instant::now();
        let answer = *self.end.get_or_insert(now + limits.answer);
        let patience = Patience::new(limits, now, answer);
        let (end, error) = patience.end();
        let response = match timeout_at(end, http.send()).await {
            Ok(sent) => sent.map_err(|error| of_network(&error))?,
            Err(_) => return Err(error),
        };
        if !response.status().is_success() {
            return Err(self.refused(response).await);
        }
        Ok(Reading {
            request,
            response,
            patience,
            next_round: None,
            form: Form::Unknown,
            fold: self.protocol.fold(limits.text_bytes),
        })
    }

    fn prepare(&self, request: &Request) -> Result<RequestBuilder, LlmError> {
        let base = &self.endpoint.base_url;
        let url = address::url(base, self.protocol.path(base))
            .ok_or_else(|| rejected("the provider's baseUrl is not an http or https address"))?;
        let body = self
            .protocol
            .body(request, &self.endpoint)
            .map_err(|error| rejected(&format!("cannot write the request: {error}")))?;
        let key = self.key()?;
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
        Ok(match key {
            Some(value) => http.header(P::KEY.0, value),
            None => http,
        })
    }

    fn key(&self) -> Result<Option<HeaderValue>, LlmError> {
        let Some(variable) = &self.endpoint.api_key_variable else {
            return Ok(None);
        };
        let Some(key) = &self.endpoint.api_key else {
            return Err(LlmError::missing_key(variable));
        };
        let mut value =
            HeaderValue::from_str(&format!("{}{}", P::KEY.1, key.expose())).map_err(|_| {
                rejected(&format!("the key in {variable} has characters no header can hold"))
            })?;
        value.set_sensitive(true);
        Ok(Some(value))
    }

    async fn refused(&self, mut response: Response) -> LlmError {
        let (status, headers) = (response.status(), response.headers().clone());
        let mut body = Vec::new();
        // What the other side sent back is clean before it is cut.
        let mut clean = self.endpoint.api_key.as_ref().map(Secret::stream).unwrap_or_default();
        let end = Instant::now() + ERROR_BODY_TIME;
        while let Ok(Ok(Some(part))) = timeout_at(end, response.chunk()).await {
            clean.push(&part, &mut body);
            if body.len() >= ERROR_BODY_BYTES {
                body.truncate(ERROR_BODY_BYTES);
                break;
            }
        }
        if body.len() < ERROR_BODY_BYTES {
            clean.finish(&mut body);
        }
        let text = String::from_utf8_lossy(&body).into_owned();
        failure::from_response(status, &headers, &text)
    }

    /// Takes the key out of what the other side said, which may have been cut.
    fn redacted(&self, error: LlmError) -> LlmError {
        match &self.endpoint.api_key {
            Some(key) => {
                let text = key.redact(error.message());
                error.with_message(&text)
            }
            None => error,
        }
    }
}

impl Patience {
    fn new(limits: AnswerLimits, now: Instant, answer: Instant) -> Self {
        let first_byte = Some(now + limits.first_byte);
        Self { limits, answer, first_byte, sign: now, content: now, finished: None }
    }

    /// Bytes have come.
    fn heard(&mut self, content: bool, finished: bool) {
        let now = Instant::now();
        self.sign = now;
        if content || self.first_byte.take().is_some() {
            self.content = now;
        }
        if finished {
            self.finished.get_or_insert(now);
        }
    }

    /// When it is over, and why.
    fn end(&self) -> (Instant, LlmError) {
        let AnswerLimits { first_byte, idle, content, answer, .. } = self.limits;
        let (end, error) = match (self.first_byte, self.finished) {
            (Some(end), _) => (end, silent(first_byte)),
            (None, Some(finished)) => (finished + idle.min(TAIL), silent(idle.min(TAIL))),
            (None, None) => {
                let (silence, emptiness) = (self.sign + idle, self.content + content.max(idle));
                if silence <= emptiness {
                    (silence, silent(idle))
                } else {
                    (emptiness, without_content(content.max(idle)))
                }
            }
        };
        if end < self.answer { (end, error) } else { (self.answer, too_slow(answer)) }
    }
}

impl<F: Fold> Reading<F> {
    /// One round of reading: waits for something, takes along what else is at hand, folds it all.
    /// False when the answer is complete.
    async fn read(&mut self) -> Result<bool, LlmError> {
        if let Some(next) = self.next_round {
            sleep_until(next).await;
        }
        let read = self.chunk().await;
        let mut more = self.settle(read)?;
        let end = Instant::now() + ROUND;
        self.next_round = Some(end);
        while more && Instant::now() < end {
            let Some(read) = self.at_hand().await else { break };
            more = self.settle(read)?;
        }
        Ok(more)
    }

    /// Folds what one read gave; false when the answer is complete.
    fn settle(
        &mut self,
        read: Result<Option<impl AsRef<[u8]>>, LlmError>,
    ) -> Result<bool, LlmError> {
        match read {
            Ok(Some(bytes)) => {
                let (bytes, held) = (bytes.as_ref(), self.held());
                self.take(bytes)?;
                if !bytes.is_empty() {
                    self.patience.heard(self.held() > held, self.fold.is_finished());
                }
                if !self.fold.is_over() {
                    return Ok(true);
                }
                self.fold.end()?;
                Ok(false)
            }
            Ok(None) => self.end_of_body().map(|()| false),
            // Whatever happens after the model has said that it is done takes nothing away.
            Err(_) if self.fold.is_finished() => self.fold.end().map(|()| false),
            Err(error) => Err(error),
        }
    }

    /// What the connection's task has ready, or gets ready when it is let run.
    async fn at_hand(&mut self) -> Option<Result<Option<impl AsRef<[u8]> + use<F>>, LlmError>> {
        for _ in 0..2 {
            if let Some(read) = self.response.chunk().now_or_never() {
                return Some(read.map_err(|error| cut(&innermost(&error.without_url()))));
            }
            yield_now().await;
        }
        None
    }

    /// How much has come of what an answer is made of.
    fn held(&self) -> usize {
        match &self.form {
            Form::Whole(body) => body.len(),
            Form::Unknown | Form::Events(_) | Form::Page(_) => self.fold.held(),
        }
    }

    async fn chunk(&mut self) -> Result<Option<impl AsRef<[u8]> + use<F>>, LlmError> {
        let (end, error) = self.patience.end();
        // What is always at hand would never be too late.
        if end <= Instant::now() {
            return Err(error);
        }
        let read = timeout_at(end, self.response.chunk()).await;
        match read {
            Ok(Ok(bytes)) => Ok(bytes),
            Ok(Err(error)) => Err(cut(&innermost(&error.without_url()))),
            Err(_) => Err(error),
        }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), LlmError> {
        let mut bytes = bytes;
        if matches!(self.form, Form::Unknown) {
            bytes = bytes.trim_ascii_start();
            let Some(first) = bytes.iter().find(|byte| !b"\xef\xbb\xbf".contains(byte)) else {
                return Ok(());
            };
            self.form = match first {
                b'{' | b'[' => Form::Whole(Vec::new()),
                b'<' => Form::Page(Vec::new()),
                _ => Form::Events(Decoder::default()),
            };
        }
        match &mut self.form {
            Form::Unknown => Ok(()),
            Form::Events(decoder) => {
                let events = decoder.feed(bytes).map_err(|error| malformed(&error.to_string()))?;
                events.iter().try_for_each(|event| {
                    shallow(&event.data)?;
                    self.fold.event(event)
                })
            }
            Form::Whole(body) if body.len() + bytes.len() > MAX_EVENT_BYTES => {
                Err(malformed("the answer is too large"))
            }
            Form::Whole(body) => {
                body.extend_from_slice(bytes);
                Ok(())
            }
            Form::Page(body) => {
                let room = ERROR_BODY_BYTES.saturating_sub(body.len());
                body.extend(bytes.iter().take(room));
                if room == 0 { Err(not_an_answer(body)) } else { Ok(()) }
            }
        }
    }

    fn end_of_body(&mut self) -> Result<(), LlmError> {
        match std::mem::replace(&mut self.form, Form::Unknown) {
            Form::Unknown => return Err(cut("the answer has no content")),
            Form::Page(body) => return Err(not_an_answer(&body)),
            Form::Whole(body) => {
                let text = String::from_utf8_lossy(&body);
                shallow(&text)?;
                self.fold.whole(&text)?;
            }
            Form::Events(decoder) => {
                let foreign = decoder.foreign_lines() > 0 && !self.fold.has_begun();
                let start = plain(&String::from_utf8_lossy(decoder.unfinished()), 200);
                // An event that stops in the middle was cut, which the end will find.
                if let Some(last) = decoder.finish().filter(|e| F::is_readable(e.data.trim())) {
                    shallow(&last.data)?;
                    self.fold.event(&last)?;
                }
                if foreign && !self.fold.has_begun() {
                    return Err(not_an_answer(start.as_bytes()));
                }
            }
        }
        self.fold.end()
    }
}

/// Checks that what the provider sent can be read whatever it is.
fn shallow(text: &str) -> Result<(), LlmError> {
    match json::too_deep_on_the_wire(text) {
        None => Ok(()),
        Some(_) => Err(malformed("the provider sent JSON that is nested too deep")),
    }
}

fn rejected(text: &str) -> LlmError {
    LlmError::new(ErrorClass::Rejected, text)
}

fn malformed(text: &str) -> LlmError {
    LlmError::new(ErrorClass::Malformed, text)
}

fn cut(why: &str) -> LlmError {
    LlmError::new(ErrorClass::Cut, &format!("the answer was cut off: {why}"))
}

fn silent(limit: Duration) -> LlmError {
    let text = format!("the provider sent nothing for {} s", limit.as_secs_f64());
    LlmError::new(ErrorClass::Transport, &text)
}

fn without_content(limit: Duration) -> LlmError {
    let seconds = limit.as_secs_f64();
    let text = format!("the provider sent signs of life for {seconds} s, and no content");
    LlmError::new(ErrorClass::Transport, &text)
}

/// Asked again it would take as long: so it is not.
fn too_slow(limit: Duration) -> LlmError {
    let minutes = limit.as_secs_f64() / 60.0;
    let text = format!("stopped: the answer took longer than {minutes} minutes");
    LlmError::new(ErrorClass::Fatal, &text)
}

/// The body is neither a stream nor JSON; the beginning tells a person what it was.
fn not_an_answer(body: &[u8]) -> LlmError {
    let start = body.get(..2048).unwrap_or(body);
    let words = failure::without_tags(&String::from_utf8_lossy(start));
    malformed(&format!("the provider sent something that is not a stream: {}", plain(&words, 200)))
}

fn of_network(error: &reqwest::Error) -> LlmError {
    let cause = innermost(error);
    if error.is_builder() {
        return rejected(&format!("cannot make the request: {cause}"));
    }
    let doing = if error.is_connect() { "cannot connect" } else { "the connection failed" };
    LlmError::new(ErrorClass::Transport, &format!("{doing}: {cause}"))
}
