//! What goes wrong between a provider and us, for every protocol alike: a table of faults, and streams
//! cut after every byte. Nothing is doubled, no half call gets out, nothing lasts longer than the
//! limits. A protocol is added with one sample and one line in each test.

mod samples;
mod table;

use std::time::Duration;

use futures_util::{StreamExt, stream};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};

use super::canned::{Items, STREAM, accept, ask, joined, listen};
use super::protocol::Protocol;
use super::{Anthropic, Compat, Endpoint, ErrorClass, GenEvent, LlmError, Responses, Segment};
use samples::{Sample, answer, chat, messages, responses};
use table::{Act, Case, Expected, faults};

/// Longest silence that is waited through where the server falls silent.
const SILENCE: Duration = Duration::from_millis(300);
/// The same where it does not: a busy machine is silent now and then.
const CALM: Duration = Duration::from_secs(2);
/// No case may last longer.
const PATIENCE: Duration = Duration::from_secs(20);
/// Cases that run at once.
const AT_ONCE: usize = 32;
/// Streams are cut within so many bytes.
const CUTS: usize = 2_000;

fn patience(acts: &[Act]) -> Duration {
    let hangs = acts.iter().any(|act| matches!(act, Act::Hang));
    if hangs { SILENCE } else { CALM }
}

/// Does to the first connection what the case says.
async fn act(listener: TcpListener, acts: Vec<Act>) {
    let unread = matches!(acts.first(), Some(Act::Reset));
    let mut socket = if unread {
        listener.accept().await.expect("a connection").0
    } else {
        accept(&listener).await.0
    };
    for act in acts {
        let done = match act {
            Act::Send(bytes) => socket.write_all(&bytes).await,
            Act::Wait(time) => {
                sleep(time).await;
                Ok(())
            }
            // What was not read is answered with a reset.
            Act::Reset => return drop(socket),
            Act::Hang => socket.read(&mut [0]).await.map(drop),
        };
        if done.is_err() {
            return;
        }
    }
    drop(socket.shutdown().await);
}

async fn outcome<P: Protocol + Clone>(protocol: P, case: Case) -> Result<Vec<GenEvent>, LlmError> {
    let (listener, url) = listen().await;
    let url = match case.url {
        Some(rewrite) => rewrite(&url),
        None => url,
    };
    let silence = patience(&case.acts);
    let limit = |endpoint: &mut Endpoint| {
        endpoint.limits.first_byte = silence;
        endpoint.limits.idle = silence;
        endpoint.limits.text_bytes = 64 * 1024;
    };
    let client = ask(protocol, &url, limit).collect::<Items>();
    let items = if case.acts.is_empty() {
        drop(listener);
        timeout(PATIENCE, client).await
    } else {
        let both = async { tokio::join!(client, act(listener, case.acts)).0 };
        timeout(PATIENCE, both).await
    };
    let items = items.unwrap_or_else(|_| panic!("{} hangs", case.what));
    let called = items.iter().any(|item| matches!(item, Ok(GenEvent::Call(_))));
    let failed = items.last().is_none_or(Result::is_err);
    assert!(!(called && failed), "{}: a call got out of a failed answer", case.what);
    joined(items)
}

async fn check<P: Protocol + Clone>(sample: &Sample<P>, case: Case) {
    let (what, expected) = (format!("{}: {}", sample.name, case.what), case.expected.clone());
    match (outcome(sample.protocol.clone(), case).await, expected) {
        (Ok(events), Expected::Answer(answer)) => assert_eq!(events, answer, "{what}"),
        (Err(error), Expected::Failure(class)) => {
            assert_eq!(error.class(), class, "{what}: {error}");
            assert!(!error.message().is_empty(), "{what}");
        }
        (found, expected) => panic!("{what}: {found:?}, not {expected:?}"),
    }
}

async fn run_table<P: Protocol + Clone>(sample: Sample<P>) {
    let cases = faults(&sample);
    assert!(cases.len() >= 40, "{}", cases.len());
    stream::iter(cases).for_each_concurrent(AT_ONCE, |case| check(&sample, case)).await;
}

#[tokio::test]
async fn h_every_fault_is_told_apart_in_chat_completions() {
    run_table(chat()).await;
}

#[tokio::test]
async fn h_every_fault_is_told_apart_in_responses() {
    run_table(responses()).await;
}

#[tokio::test]
async fn h_every_fault_is_told_apart_in_messages() {
    run_table(messages()).await;
}

/// The text of some events, by kind.
fn text(items: &Items, wanted: Segment) -> String {
    let texts = items.iter().filter_map(|item| match item {
        Ok(GenEvent::Delta { segment, text }) if *segment == wanted => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

fn without_counts(events: Vec<GenEvent>) -> Vec<GenEvent> {
    events.into_iter().filter(|event| !matches!(event, GenEvent::Usage(_))).collect()
}

/// Cuts an answer after `at` bytes; `chunked`: within a body that announces more.
async fn cut<P: Protocol + Clone>(sample: &Sample<P>, whole: &str, at: usize, chunked: bool) {
    let part = &whole.as_bytes()[..at];
    let sent = if chunked {
        let head = STREAM.replace("connection: close", "transfer-encoding: chunked");
        [head.as_bytes(), format!("{:x}\r\n", whole.len()).as_bytes(), part].concat()
    } else {
        [STREAM.as_bytes(), part].concat()
    };
    let (listener, url) = listen().await;
    let client = ask(sample.protocol.clone(), &url, |_| {}).collect::<Items>();
    let both = async { tokio::join!(client, act(listener, vec![Act::Send(sent)])).0 };
    let items = timeout(PATIENCE, both).await.expect("an end");
    let expected = without_counts(answer());
    let said = text(&items, Segment::Saying);
    let all: Items = expected.iter().cloned().map(Ok).collect();
    assert!(text(&all, Segment::Saying).starts_with(&said), "{} {at}: {said}", sample.name);
    let called = items.iter().any(|item| matches!(item, Ok(GenEvent::Call(_))));
    match joined(items) {
        Ok(events) => assert_eq!(without_counts(events), expected, "{} {at}", sample.name),
        Err(error) => {
            assert!(!called, "{} {at}: a call got out of a cut answer", sample.name);
            assert_eq!(error.class(), ErrorClass::Cut, "{} {at}: {error}", sample.name);
            assert!(at < sample.finished(whole), "{} {at}: it was whole", sample.name);
        }
    }
}

async fn cut_everywhere<P: Protocol + Clone>(sample: Sample<P>) {
    let whole = sample.stream();
    assert!(whole.len() >= CUTS, "{} has {} bytes", sample.name, whole.len());
    let cuts = (0..CUTS).chain(whole.len() - 80..whole.len());
    let both = cuts.flat_map(|at| [(at, false), (at, true)]);
    stream::iter(both)
        .for_each_concurrent(AT_ONCE, |(at, chunked)| cut(&sample, &whole, at, chunked))
        .await;
}

#[tokio::test]
async fn h05_chat_completions_cut_after_any_byte_are_an_error_or_whole() {
    cut_everywhere(chat()).await;
}

#[tokio::test]
async fn h05_responses_cut_after_any_byte_are_an_error_or_whole() {
    cut_everywhere(responses()).await;
}

#[tokio::test]
async fn h05_messages_cut_after_any_byte_are_an_error_or_whole() {
    cut_everywhere(messages()).await;
}

async fn answered<P: Protocol + Clone>(
    sample: &Sample<P>,
    acts: Vec<Act>,
) -> Result<Vec<GenEvent>, LlmError> {
    let expected = Expected::Answer(Vec::new());
    outcome(sample.protocol.clone(), Case { what: sample.name, url: None, acts, expected }).await
}

async fn keeps_every_letter<P: Protocol + Clone>(sample: Sample<P>) {
    let arguments = r#"{"a":"aaaa","ab":"abab"}"#;
    let stream = format!("{STREAM}{}", sample.letters(arguments));
    let events = answered(&sample, vec![Act::Send(stream.into())]).await.expect("an answer");
    let found = events.iter().find_map(|event| {
        let GenEvent::Call(call) = event else { return None };
        Some(call.arguments.as_str())
    });
    assert_eq!(found, Some(arguments), "{}", sample.name);
}

#[tokio::test]
async fn h08_arguments_that_come_letter_by_letter_keep_every_letter_in_every_protocol() {
    keeps_every_letter(chat()).await;
    keeps_every_letter(responses()).await;
    keeps_every_letter(messages()).await;
}

/// What a stream may hold that is no content.
fn signs<P>(sample: &Sample<P>) -> [String; 3] {
    [": keep-alive\n\n".to_owned(), "\n\n\n".to_owned(), sample.ping.clone()]
}

/// Three times the longest silence, with a sign of life now and then.
async fn lives_on_signs<P: Protocol + Clone>(sample: Sample<P>) {
    let mut acts = vec![Act::Send(STREAM.into())];
    for (_, sign) in (0..12).zip(signs(&sample).iter().cycle()) {
        acts.push(Act::Send(sign.clone().into()));
        acts.push(Act::Wait(CALM / 4));
    }
    acts.push(Act::Send(sample.stream().into()));
    assert_eq!(answered(&sample, acts).await, Ok(answer()), "{}", sample.name);
}

#[tokio::test]
async fn h09_signs_of_life_prolong_an_answer_beyond_the_limit_of_silence_in_every_protocol() {
    tokio::join!(lives_on_signs(chat()), lives_on_signs(responses()), lives_on_signs(messages()));
}

/// Sends one thing again and again, as fast as it is taken or with pauses, until the other side goes.
async fn repeats(listener: TcpListener, begin: String, again: String, pause: Option<Duration>) {
    let mut socket = accept(&listener).await.0;
    if socket.write_all(begin.as_bytes()).await.is_err() {
        return;
    }
    let again = again.repeat(if pause.is_some() { 1 } else { 500 });
    while socket.write_all(again.as_bytes()).await.is_ok() {
        match pause {
            Some(pause) => sleep(pause).await,
            None => tokio::task::yield_now().await,
        }
    }
}

/// `whole`: the limit that ends it is that of the whole answer.
async fn ends_in_time<P: Protocol + Clone>(
    sample: &Sample<P>,
    again: String,
    pause: Option<Duration>,
    whole: bool,
) {
    let what = format!("{}, {again:?}, {pause:?}", sample.name);
    let begin = format!("{STREAM}{}{}", sample.begin, sample.hello);
    let (listener, url) = listen().await;
    let limit = |endpoint: &mut Endpoint| {
        endpoint.limits.idle = CALM;
        endpoint.limits.content = if whole { PATIENCE * 2 } else { CALM };
        endpoint.limits.answer = if whole { SILENCE * 2 } else { PATIENCE * 2 };
    };
    let client = ask(sample.protocol.clone(), &url, limit).collect::<Items>();
    let items = tokio::select! {
        items = timeout(PATIENCE, client) => items,
        () = repeats(listener, begin, again, pause) => panic!("{what}: the client went first"),
    };
    let items = items.unwrap_or_else(|_| panic!("{what}: no end"));
    let error = joined(items).expect_err(&what);
    let (class, part) = if whole {
        (ErrorClass::Fatal, "took longer than")
    } else {
        (ErrorClass::Transport, "no content")
    };
    assert_eq!(error.class(), class, "{what}: {error}");
    assert!(error.message().contains(part), "{what}: {error}");
}

async fn signs_do_not_last<P: Protocol + Clone>(sample: Sample<P>) {
    let slowly = signs(&sample).map(|sign| (sign, Some(SILENCE / 6)));
    let at_once = [(sample.ping.clone(), None)];
    let ways = slowly.into_iter().chain(at_once);
    let ways =
        ways.flat_map(|(sign, pause)| [false, true].map(|whole| (sign.clone(), pause, whole)));
    let all = ways.map(|(sign, pause, whole)| ends_in_time(&sample, sign, pause, whole));
    futures_util::future::join_all(all).await;
}

#[tokio::test]
async fn h09_signs_of_life_alone_end_an_answer_and_so_does_its_own_length_in_chat_completions() {
    signs_do_not_last(chat()).await;
}

#[tokio::test]
async fn h09_signs_of_life_alone_end_an_answer_and_so_does_its_own_length_in_responses() {
    signs_do_not_last(responses()).await;
}

#[tokio::test]
async fn h09_signs_of_life_alone_end_an_answer_and_so_does_its_own_length_in_messages() {
    signs_do_not_last(messages()).await;
}
