//! Fault injection for every protocol: a table of network faults, and streams truncated after every byte.
//! Nothing is duplicated, no partial call is emitted, and time limits hold. A new protocol needs one
//! sample and one line in each test.

mod quirks;
mod samples;
mod table;

use std::time::Duration;

use futures_util::{StreamExt, stream};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};

use super::canned::{Items, STREAM, accept, ask, listen, merged};
use super::protocol::Protocol;
use super::{
    Anthropic, Compat, Endpoint, ErrorClass, GenEvent, Google, LlmError, Responses, Segment,
};
use quirks::ERRORS;
use samples::{Sample, answer, chat, gemini, messages, responses};
use table::{Expected, FaultCase, ServerAction, faults};

/// Idle limit for cases that fail because the server hangs.
const SHORT_IDLE_LIMIT: Duration = Duration::from_millis(300);
/// Idle limit for other cases, so that a busy machine does not cause failures.
const LONG_IDLE_LIMIT: Duration = Duration::from_secs(2);
/// Deadline of a case.
const CASE_TIMEOUT: Duration = Duration::from_secs(20);
/// Cases that run concurrently.
const MAX_CONCURRENT: usize = 32;
/// Streams are truncated within this many bytes.
const MAX_CUTS: usize = 2_000;

fn idle_limit(case: &FaultCase) -> Duration {
    let hangs = case.actions.iter().any(|perform| matches!(perform, ServerAction::Hang));
    let fails = matches!(case.expected, Expected::Failure(_));
    if hangs && fails { SHORT_IDLE_LIMIT } else { LONG_IDLE_LIMIT }
}

/// Performs the actions of a case on the first connection.
async fn perform(listener: TcpListener, actions: Vec<ServerAction>) {
    let unread = matches!(actions.first(), Some(ServerAction::Reset));
    let mut socket = if unread {
        listener.accept().await.expect("a connection").0
    } else {
        accept(&listener).await.0
    };
    for perform in actions {
        let done = match perform {
            ServerAction::Send(bytes) => socket.write_all(&bytes).await,
            ServerAction::Wait(time) => {
                sleep(time).await;
                Ok(())
            }
            // Closing with unread data sends a reset.
            ServerAction::Reset => return drop(socket),
            ServerAction::Hang => socket.read(&mut [0]).await.map(drop),
        };
        if done.is_err() {
            return;
        }
    }
    drop(socket.shutdown().await);
}

async fn outcome<P: Protocol + Clone>(
    protocol: P,
    case: FaultCase,
) -> Result<Vec<GenEvent>, LlmError> {
    let (listener, url) = listen().await;
    let url = match case.url {
        Some(rewrite) => rewrite(&url),
        None => url,
    };
    let idle = idle_limit(&case);
    let limit = |endpoint: &mut Endpoint| {
        endpoint.limits.first_byte = idle;
        endpoint.limits.idle = idle;
        endpoint.limits.text_bytes = 64 * 1024;
    };
    let client = ask(protocol, &url, limit).collect::<Items>();
    let items = if case.actions.is_empty() {
        drop(listener);
        timeout(CASE_TIMEOUT, client).await
    } else {
        let both = async { tokio::join!(client, perform(listener, case.actions)).0 };
        timeout(CASE_TIMEOUT, both).await
    };
    let items = items.unwrap_or_else(|_| panic!("{} hangs", case.what));
    let called = items.iter().any(|item| matches!(item, Ok(GenEvent::Call(_))));
    let failed = items.last().is_none_or(Result::is_err);
    assert!(!(called && failed), "{}: a call got out of a failed answer", case.what);
    merged(items)
}

async fn check<P: Protocol + Clone>(sample: &Sample<P>, case: FaultCase) {
    let (what, expected) = (format!("{}: {}", sample.name, case.what), case.expected.clone());
    match (outcome(sample.protocol.clone(), case).await, expected) {
        (Ok(events), Expected::Answer(answer)) => assert_eq!(events, answer, "{what}"),
        (Err(error), Expected::Failure(class)) => {
            assert_eq!(error.class(), class, "{what}: {error}");
            assert!(!error.to_string().is_empty(), "{what}");
        }
        (found, expected) => panic!("{what}: {found:?}, not {expected:?}"),
    }
}

async fn run_table<P: Protocol + Clone>(sample: Sample<P>) {
    let cases = faults(&sample);
    assert!(cases.len() >= 40, "{}", cases.len());
    stream::iter(cases).for_each_concurrent(MAX_CONCURRENT, |case| check(&sample, case)).await;
}

#[tokio::test]
async fn h_every_fault_is_classified_in_chat_completions() {
    run_table(chat()).await;
}

#[tokio::test]
async fn h_every_fault_is_classified_in_responses() {
    run_table(responses()).await;
}

#[tokio::test]
async fn h_every_fault_is_classified_in_messages() {
    run_table(messages()).await;
}

#[tokio::test]
async fn h_every_fault_is_classified_in_gemini() {
    run_table(gemini()).await;
}

/// An answer that is finished is not waited for: the last marks of a stream may be missing.
async fn ends_without_its_marks<P: Protocol + Clone>(sample: Sample<P>) {
    let stream = sample.stream();
    let finished = stream.get(..sample.finished(&stream)).unwrap_or(&stream);
    let actions =
        vec![ServerAction::Send(format!("{STREAM}{finished}").into()), ServerAction::Hang];
    let events = answered(&sample, actions).await.map(without_counts);
    assert_eq!(events, Ok(without_counts(answer())), "{}", sample.name);
}

#[tokio::test]
async fn h09_a_finished_answer_on_an_open_connection_is_complete_in_every_protocol() {
    tokio::join!(
        ends_without_its_marks(chat()),
        ends_without_its_marks(responses()),
        ends_without_its_marks(messages()),
        ends_without_its_marks(gemini())
    );
}

async fn tells_every_error<P: Protocol + Clone>(sample: Sample<P>) {
    for error in ERRORS {
        for before in [String::new(), format!("{}{}", sample.begin, sample.hello)] {
            for line in [format!("data: {error}\n\n"), format!("{error}\n"), error.to_owned()] {
                let stream = format!("{STREAM}{before}{line}");
                let failed = answered(&sample, vec![ServerAction::Send(stream.into())]).await;
                let words = failed.map_err(|error| error.to_string());
                assert_eq!(words, Err("bad luck".to_owned()), "{}: {before}{line}", sample.name);
            }
        }
    }
}

#[tokio::test]
async fn h_an_error_within_a_stream_is_told_in_the_words_of_the_provider_in_every_protocol() {
    tells_every_error(chat()).await;
    tells_every_error(responses()).await;
    tells_every_error(messages()).await;
    tells_every_error(gemini()).await;
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

/// Truncates an answer after `at` bytes; `chunked`: within an incomplete chunk.
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
    let both = async { tokio::join!(client, perform(listener, vec![ServerAction::Send(sent)])).0 };
    let items = timeout(CASE_TIMEOUT, both).await.expect("an end");
    let expected = without_counts(answer());
    let text_so_far = text(&items, Segment::Saying);
    let all: Items = expected.iter().cloned().map(Ok).collect();
    assert!(
        text(&all, Segment::Saying).starts_with(&text_so_far),
        "{} {at}: {text_so_far}",
        sample.name
    );
    let called = items.iter().any(|item| matches!(item, Ok(GenEvent::Call(_))));
    match merged(items) {
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
    assert!(whole.len() >= MAX_CUTS, "{} has {} bytes", sample.name, whole.len());
    let cuts = (0..MAX_CUTS).chain(whole.len() - 80..whole.len());
    let both = cuts.flat_map(|at| [(at, false), (at, true)]);
    stream::iter(both)
        .for_each_concurrent(MAX_CONCURRENT, |(at, chunked)| cut(&sample, &whole, at, chunked))
        .await;
}

#[tokio::test]
async fn h05_chat_completions_truncated_after_any_byte_fail_or_are_complete() {
    cut_everywhere(chat()).await;
}

#[tokio::test]
async fn h05_responses_truncated_after_any_byte_fail_or_are_complete() {
    cut_everywhere(responses()).await;
}

#[tokio::test]
async fn h05_messages_truncated_after_any_byte_fail_or_are_complete() {
    cut_everywhere(messages()).await;
}

#[tokio::test]
async fn h05_gemini_truncated_after_any_byte_fails_or_is_complete() {
    cut_everywhere(gemini()).await;
}

async fn answered<P: Protocol + Clone>(
    sample: &Sample<P>,
    actions: Vec<ServerAction>,
) -> Result<Vec<GenEvent>, LlmError> {
    let expected = Expected::Answer(Vec::new());
    outcome(sample.protocol.clone(), FaultCase { what: sample.name, url: None, actions, expected })
        .await
}

async fn keeps_every_letter<P: Protocol + Clone>(sample: Sample<P>) {
    let arguments = r#"{"a":"aaaa","ab":"abab"}"#;
    let stream = format!("{STREAM}{}", sample.letters(arguments));
    let events =
        answered(&sample, vec![ServerAction::Send(stream.into())]).await.expect("an answer");
    let found = events.iter().find_map(|event| {
        let GenEvent::Call(call) = event else { return None };
        Some(call.arguments.as_str())
    });
    assert_eq!(found, Some(arguments), "{}", sample.name);
}

/// Gemini sends arguments whole.
#[tokio::test]
async fn h08_arguments_that_come_letter_by_letter_keep_every_letter_in_every_protocol() {
    keeps_every_letter(chat()).await;
    keeps_every_letter(responses()).await;
    keeps_every_letter(messages()).await;
}

/// Parts of a stream without content.
fn keep_alives<P>(sample: &Sample<P>) -> [String; 3] {
    [": keep-alive\n\n".to_owned(), "\n\n\n".to_owned(), sample.ping.clone()]
}

/// An answer that takes three times the idle limit, with keep-alives.
async fn survives_on_keep_alives<P: Protocol + Clone>(sample: Sample<P>) {
    let mut actions = vec![ServerAction::Send(STREAM.into())];
    for (_, keep_alive) in (0..12).zip(keep_alives(&sample).iter().cycle()) {
        actions.push(ServerAction::Send(keep_alive.clone().into()));
        actions.push(ServerAction::Wait(LONG_IDLE_LIMIT / 4));
    }
    actions.push(ServerAction::Send(sample.stream().into()));
    assert_eq!(answered(&sample, actions).await, Ok(answer()), "{}", sample.name);
}

#[tokio::test]
async fn h09_keep_alives_extend_an_answer_beyond_the_idle_limit_in_every_protocol() {
    tokio::join!(
        survives_on_keep_alives(chat()),
        survives_on_keep_alives(responses()),
        survives_on_keep_alives(messages()),
        survives_on_keep_alives(gemini())
    );
}

/// Sends `again` repeatedly, with pauses or as fast as possible, until the client disconnects.
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

/// `whole`: ended by the limit of the whole answer, else by the content limit.
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
        endpoint.limits.idle = LONG_IDLE_LIMIT;
        endpoint.limits.content = if whole { CASE_TIMEOUT * 2 } else { LONG_IDLE_LIMIT };
        endpoint.limits.answer = if whole { SHORT_IDLE_LIMIT * 2 } else { CASE_TIMEOUT * 2 };
    };
    let client = ask(sample.protocol.clone(), &url, limit).collect::<Items>();
    let items = tokio::select! {
        items = timeout(CASE_TIMEOUT, client) => items,
        () = repeats(listener, begin, again, pause) => panic!("{what}: the client went first"),
    };
    let items = items.unwrap_or_else(|_| panic!("{what}: no end"));
    let error = merged(items).expect_err(&what);
    let (class, part) = if whole {
        (ErrorClass::Fatal, "took longer than")
    } else {
        (ErrorClass::Transport, "no content")
    };
    assert_eq!(error.class(), class, "{what}: {error}");
    assert!(error.to_string().contains(part), "{what}: {error}");
}

async fn keep_alives_do_not_last<P: Protocol + Clone>(sample: Sample<P>) {
    let slowly = keep_alives(&sample).map(|keep_alive| (keep_alive, Some(SHORT_IDLE_LIMIT / 6)));
    let at_once = [(sample.ping.clone(), None)];
    let cases = slowly.into_iter().chain(at_once);
    let cases = cases.flat_map(|(keep_alive, pause)| {
        [false, true].map(|whole| (keep_alive.clone(), pause, whole))
    });
    let all =
        cases.map(|(keep_alive, pause, whole)| ends_in_time(&sample, keep_alive, pause, whole));
    futures_util::future::join_all(all).await;
}

#[tokio::test]
async fn h09_keep_alives_alone_hit_the_content_and_total_limits_in_chat_completions() {
    keep_alives_do_not_last(chat()).await;
}

#[tokio::test]
async fn h09_keep_alives_alone_hit_the_content_and_total_limits_in_responses() {
    keep_alives_do_not_last(responses()).await;
}

#[tokio::test]
async fn h09_keep_alives_alone_hit_the_content_and_total_limits_in_messages() {
    keep_alives_do_not_last(messages()).await;
}

#[tokio::test]
async fn h09_keep_alives_alone_hit_the_content_and_total_limits_in_gemini() {
    keep_alives_do_not_last(gemini()).await;
}
