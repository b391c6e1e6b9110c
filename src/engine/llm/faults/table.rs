//! The table of faults.

use std::time::Duration;

use super::super::ErrorClass;
use super::super::canned::{JSON, STREAM, calls, ends, says};
use super::quirks::quirks;
use super::samples::{Sample, answer, counts};
use super::{GenEvent, LONG_IDLE_LIMIT};

/// An action of the server.
#[derive(Debug, Clone)]
pub enum ServerAction {
    Send(Vec<u8>),
    Wait(Duration),
    /// Resets the connection without reading the request.
    Reset,
    /// Does nothing until the client disconnects.
    Hang,
}

#[derive(Debug, Clone)]
pub enum Expected {
    Answer(Vec<GenEvent>),
    Failure(ErrorClass),
}

/// One fault.
pub struct FaultCase {
    pub what: &'static str,
    /// Replaces the URL of the server.
    pub url: Option<fn(&str) -> String>,
    /// Empty: there is no server.
    pub actions: Vec<ServerAction>,
    pub expected: Expected,
}

pub fn case(what: &'static str, actions: Vec<ServerAction>, expected: Expected) -> FaultCase {
    FaultCase { what, url: None, actions, expected }
}

/// A case in which the server sends some bytes and closes.
pub fn sends(what: &'static str, bytes: impl Into<Vec<u8>>, expected: Expected) -> FaultCase {
    case(what, vec![ServerAction::Send(bytes.into())], expected)
}

fn fails(class: ErrorClass) -> Expected {
    Expected::Failure(class)
}

fn status(line: &str, kind: &str, body: &str) -> String {
    format!("HTTP/1.1 {line}\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n{body}")
}

pub fn faults<P>(sample: &Sample<P>) -> Vec<FaultCase> {
    let mut cases = connections(sample);
    cases.extend(refusals());
    cases.extend(heads(sample));
    cases.extend(bodies(sample));
    cases.extend(streams(sample));
    cases.extend(floods(sample));
    cases.extend(quirks(sample));
    cases
}

fn connections<P>(sample: &Sample<P>) -> Vec<FaultCase> {
    let head = STREAM.to_owned();
    let partial = format!("{head}{}{}", sample.begin, sample.hello);
    let elsewhere = |what, url: fn(&str) -> String| FaultCase {
        url: Some(url),
        ..case(what, Vec::new(), fails(ErrorClass::Transport))
    };
    let tls = FaultCase {
        url: Some(|url| url.replace("http:", "https:")),
        ..case("no TLS where it is wanted", vec![ServerAction::Reset], fails(ErrorClass::Transport))
    };
    vec![
        case("nobody listens", Vec::new(), fails(ErrorClass::Transport)),
        elsewhere("nobody knows the name", |_| "http://nowhere.invalid/v1".to_owned()),
        tls,
        case("closed at once", vec![ServerAction::Send(Vec::new())], fails(ErrorClass::Transport)),
        case("reset at once", vec![ServerAction::Reset], fails(ErrorClass::Transport)),
        sends("closed within the head", "HTTP/1.1 200 OK\r\ncont", fails(ErrorClass::Transport)),
        case("no head", vec![ServerAction::Hang], fails(ErrorClass::Transport)),
        case(
            "no body",
            vec![ServerAction::Send(head.clone().into()), ServerAction::Hang],
            fails(ErrorClass::Transport),
        ),
        case(
            "a pause within the answer",
            vec![ServerAction::Send(partial.into()), ServerAction::Hang],
            fails(ErrorClass::Transport),
        ),
        sends("an empty body", head, fails(ErrorClass::Cut)),
    ]
}

fn refusals() -> Vec<FaultCase> {
    let json = "application/json";
    let page = "<html><body><h1>Bad gateway</h1></body></html>";
    let error = r#"{"error":{"message":"no","type":"x"}}"#;
    let long = "x".repeat(200 * 1024);
    [
        ("moved", "301 Moved", json, "", ErrorClass::Rejected),
        ("a bad request", "400 Bad Request", json, error, ErrorClass::Rejected),
        ("a bad request as a page", "400 Bad Request", "text/html", page, ErrorClass::Rejected),
        ("no key", "401 Unauthorized", json, "", ErrorClass::Rejected),
        ("not allowed", "403 Forbidden", "text/plain", "no", ErrorClass::Rejected),
        ("no such model", "404 Not Found", json, error, ErrorClass::Rejected),
        ("too large", "413 Too Large", json, "{}", ErrorClass::Rejected),
        (
            "a context overflow",
            "400 Bad Request",
            json,
            r#"{"error":{"message":"prompt is too long: 9 tokens"}}"#,
            ErrorClass::ContextOverflow,
        ),
        ("wrong fields", "422 No", json, r#"{"detail":[{"msg":"no"}]}"#, ErrorClass::Rejected),
        ("a teapot", "418 No", json, "", ErrorClass::Server),
        ("a request timeout", "408 Timeout", json, "", ErrorClass::Server),
        ("too many", "429 Too Many", json, error, ErrorClass::RateLimited),
        ("an internal error", "500 No", json, error, ErrorClass::Server),
        ("a bad gateway", "502 Bad Gateway", "text/html", page, ErrorClass::Server),
        ("unavailable", "503 Unavailable", json, "", ErrorClass::Server),
        ("overloaded", "529 Overloaded", json, error, ErrorClass::RateLimited),
        ("a truncated error", "500 No", json, r#"{"error":{"mess"#, ErrorClass::Server),
        ("an endless error", "500 No", json, &long, ErrorClass::Server),
    ]
    .map(|(what, line, kind, body, class)| sends(what, status(line, kind, body), fails(class)))
    .into()
}

fn heads<P>(sample: &Sample<P>) -> Vec<FaultCase> {
    let whole = sample.stream();
    let complete_answer = || Expected::Answer(answer());
    let cut = &whole.as_bytes()[..whole.len() / 2];
    let announced = STREAM.replace(
        "connection: close",
        &format!("content-length: {}\r\nconnection: close", whole.len()),
    );
    let chunked = STREAM.replace("connection: close", "transfer-encoding: chunked");
    vec![
        sends("no HTTP", "hello\r\n\r\n", fails(ErrorClass::Transport)),
        sends(
            "a page",
            status("200 OK", "text/html", "<title>hi</title>"),
            fails(ErrorClass::Malformed),
        ),
        sends(
            "an endless page",
            format!("{STREAM}<{}", "x".repeat(200 * 1024)),
            fails(ErrorClass::Malformed),
        ),
        sends("another content type", status("200 OK", "text/plain", &whole), complete_answer()),
        sends(
            "JSON that is a stream",
            status("200 OK", "application/json", &whole),
            complete_answer(),
        ),
        sends("no content", "HTTP/1.1 204 No Content\r\n\r\n", fails(ErrorClass::Cut)),
        sends("less than announced", [announced.as_bytes(), cut].concat(), fails(ErrorClass::Cut)),
        sends(
            "a broken chunk",
            [chunked.as_bytes(), b"10\r\ndata", b"\r\nzz\r\n"].concat(),
            fails(ErrorClass::Cut),
        ),
        sends(
            "compressed without being asked",
            [
                STREAM.replace("connection", "content-encoding: gzip\r\nconnection").as_bytes(),
                b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x01\x02\x03\x04\n\x05",
            ]
            .concat(),
            fails(ErrorClass::Malformed),
        ),
    ]
}

fn bodies<P>(sample: &Sample<P>) -> Vec<FaultCase> {
    let whole = sample.stream();
    let text = answer();
    let hello = || vec![says("hello"), ends()];
    let piece = |body: &str| format!("{JSON}{body}");
    let partial = sample.piece.get(..sample.piece.len() / 2).unwrap_or_default();
    let wide = sample.hello.replace("hello", "a\u{0}b").replace("a\u{0}b", "a\\u0000b");
    let mut bad = [STREAM, &sample.begin].concat().into_bytes();
    for byte in sample.hello.replace("hello", "h~llo").bytes() {
        bad.push(if byte == b'~' { 0xff } else { byte });
    }
    bad.extend(sample.end_without_counts.bytes());
    vec![
        sends(
            "a complete response instead of a stream",
            piece(&sample.piece),
            Expected::Answer(hello()),
        ),
        sends(
            "a complete response with a byte order mark",
            piece(&format!("\u{feff}{}", sample.piece)),
            Expected::Answer(hello()),
        ),
        sends("a truncated response", piece(partial), fails(ErrorClass::Cut)),
        sends("a list", piece("[]"), fails(ErrorClass::Server)),
        sends(
            "an error as a complete response",
            piece(r#"{"error":{"message":"no","code":401}}"#),
            fails(ErrorClass::Rejected),
        ),
        sends(
            "a byte order mark",
            format!("{STREAM}\u{feff}{whole}"),
            Expected::Answer(text.clone()),
        ),
        sends(
            "lines that end with CR LF",
            format!("{STREAM}{}", whole.replace('\n', "\r\n")),
            Expected::Answer(text),
        ),
        sends("a byte that is no UTF-8", bad, Expected::Answer(vec![says("h\u{fffd}llo"), ends()])),
        sends(
            "a zero in the text",
            format!("{STREAM}{}{wide}{}", sample.begin, sample.end_without_counts),
            Expected::Answer(vec![says("a\u{0}b"), ends()]),
        ),
        sends(
            "zeros",
            [STREAM.as_bytes(), &[0; 600], b"\n\n"].concat(),
            fails(ErrorClass::Malformed),
        ),
        sends(
            "no JSON",
            format!("{STREAM}{}data: {{hello\n\n", sample.begin),
            fails(ErrorClass::Malformed),
        ),
    ]
}

fn streams<P>(sample: &Sample<P>) -> Vec<FaultCase> {
    let Sample { begin, hello, call, half_call, end, error, .. } = sample;
    let bare = &sample.end_without_counts;
    let called = || calls("a", "f", r#"{"x":1}"#);
    let stream = |pieces: &[&str]| format!("{STREAM}{}", pieces.concat());
    let whole = || Expected::Answer(vec![says("hello"), counts(), ends()]);
    vec![
        sends("no end", stream(&[begin, hello]), fails(ErrorClass::Cut)),
        sends("half a call and no end", stream(&[begin, half_call]), fails(ErrorClass::Cut)),
        sends("an error at once", stream(&[error]), fails(ErrorClass::RateLimited)),
        sends("an error within", stream(&[begin, hello, error]), fails(ErrorClass::RateLimited)),
        sends(
            "an error after a call",
            stream(&[begin, call, error, end]),
            fails(ErrorClass::RateLimited),
        ),
        sends("two ends", stream(&[begin, hello, end, end]), whole()),
        sends("more after the end", stream(&[begin, hello, end, hello, call]), whole()),
        sends("an error after the end", stream(&[begin, hello, end, error]), whole()),
        sends(
            "no counts",
            stream(&[begin, hello, bare]),
            Expected::Answer(vec![says("hello"), ends()]),
        ),
        sends(
            "negative counts",
            stream(&[begin, hello, &sample.end_with_negative_counts]),
            Expected::Answer(vec![says("hello"), ends()]),
        ),
        sends("no text", stream(&[begin, end]), fails(ErrorClass::Empty)),
        sends(
            "only whitespace",
            stream(&[begin, &hello.replace("hello", "  "), end]),
            fails(ErrorClass::Empty),
        ),
        sends(
            "a call and nothing else",
            stream(&[begin, call, bare]),
            Expected::Answer(vec![called(), ends()]),
        ),
        sends(
            "unknown events",
            stream(&["event: news\ndata: {\"type\":\"news\",\"x\":[1]}\n\n", begin, hello, end]),
            whole(),
        ),
        sends("lines that are no events", stream(&[begin, "hi\n\n", hello, end]), whole()),
        sends(
            "no blank line at the end",
            stream(&[begin, hello, bare]).trim_end(),
            Expected::Answer(vec![says("hello"), ends()]),
        ),
    ]
}

fn floods<P>(sample: &Sample<P>) -> Vec<FaultCase> {
    let Sample { begin, hello, end, .. } = sample;
    let line = format!("{STREAM}{begin}data: {}", "x".repeat(17 * 1024 * 1024));
    let comments = ": hi\n\n".repeat(20_000);
    let drip = [begin, hello, end]
        .map(|piece| piece.as_bytes().chunks(40).map(<[u8]>::to_vec).collect::<Vec<_>>());
    let mut slowly = vec![ServerAction::Send(STREAM.into())];
    for piece in drip.into_iter().flatten() {
        slowly.extend([ServerAction::Send(piece), ServerAction::Wait(Duration::from_millis(15))]);
    }
    let whole = || Expected::Answer(vec![says("hello"), counts(), ends()]);
    assert!(LONG_IDLE_LIMIT > Duration::from_millis(150), "a slow answer is no silence");
    vec![
        sends(
            "JSON without a bottom",
            format!("{STREAM}data: {{\"type\":\"x\",\"x\":{}", "[".repeat(100_000)) + "\n\n",
            fails(ErrorClass::Malformed),
        ),
        sends("one endless line", line, fails(ErrorClass::Malformed)),
        sends("many comments", format!("{STREAM}{comments}{begin}{hello}{end}"), whole()),
        case("a slow answer", slowly, whole()),
        sends(
            "more text than is taken",
            format!("{STREAM}{begin}{}", hello.replace("hello", &"x".repeat(900)).repeat(90)),
            fails(ErrorClass::Fatal),
        ),
        sends(
            "more arguments than are taken",
            format!(
                "{STREAM}{begin}{}{}",
                sample.half_call,
                (sample.more)(&"x".repeat(900)).repeat(90)
            ),
            fails(ErrorClass::Fatal),
        ),
    ]
}
