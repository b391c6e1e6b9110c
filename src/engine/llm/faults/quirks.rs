//! What servers do that keep no rules and mean well: each is read, in every protocol.

use std::io::Write as _;
use std::time::Duration;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

use super::super::canned::{STREAM, calls, ends, says};
use super::samples::{Sample, answer as long_answer, counts};
use super::table::{Expected, FaultCase, ServerAction, case, sends};
use super::{GenEvent, LONG_IDLE_LIMIT};

/// The quirks as cases of the table.
pub fn quirks<P>(sample: &Sample<P>) -> Vec<FaultCase> {
    let mut cases = times(sample);
    cases.extend(halves(sample));
    cases.extend(arguments(sample));
    cases.extend(packed(sample));
    cases
}

/// Texts of an error, in the forms in which servers send one within a stream.
pub const ERRORS: [&str; 6] = [
    r#"{"error":{"message":"bad luck"}}"#,
    r#"{"error":"bad luck"}"#,
    r#"{"code":500,"message":"bad luck"}"#,
    r#"{"object":"error","message":"bad luck"}"#,
    r#"{"detail":"bad luck"}"#,
    r#"{"base_resp":{"status_code":1000,"status_msg":"bad luck"}}"#,
];

/// The limit of the first byte is over with the first byte, and nothing is waited for behind the end.
fn times<P>(sample: &Sample<P>) -> Vec<FaultCase> {
    let Sample { begin, hello, end, .. } = sample;
    let pause: Duration = LONG_IDLE_LIMIT * 3 / 5;
    let slowly = vec![
        ServerAction::Send(format!("{STREAM}{begin}{hello}").into()),
        ServerAction::Wait(pause),
        ServerAction::Send(hello.clone().into()),
        ServerAction::Wait(pause),
        ServerAction::Send(format!("{hello}{end}").into()),
    ];
    let open =
        vec![ServerAction::Send(format!("{STREAM}{begin}{hello}{end}").into()), ServerAction::Hang];
    vec![
        case(
            "content in the first read and pauses behind it",
            slowly,
            answer(vec![says("hellohellohello"), counts(), ends()]),
        ),
        case("open behind the end", open, answer(vec![says("hello"), counts(), ends()])),
    ]
}

/// Halves of a character, in texts and in arguments.
fn halves<P>(sample: &Sample<P>) -> Vec<FaultCase> {
    let Sample { begin, hello, end_without_counts: end, .. } = sample;
    let text = |texts: &[&str]| {
        let texts: Vec<String> = texts.iter().map(|text| hello.replace("hello", text)).collect();
        format!("{STREAM}{begin}{}{end}", texts.concat())
    };
    let says = |text| answer(vec![says(text), ends()]);
    vec![
        sends("two halves in one text", text(&[r"a \ud83d\ude00 b"]), says("a 😀 b")),
        sends("two halves in two texts", text(&[r"a \ud83d", r"\ude00 b"]), says("a 😀 b")),
        sends("a first half alone", text(&[r"a \ud83d", "b"]), says("a \u{fffd}b")),
        sends("a first half at the end", text(&[r"a \ud83d"]), says("a \u{fffd}")),
        sends("a second half alone", text(&[r"\ude00b"]), says("\u{fffd}b")),
    ]
}

/// An answer that is compressed although nobody asked for it.
fn packed<P>(sample: &Sample<P>) -> Vec<FaultCase> {
    let head = |name: &str| {
        let head = STREAM.replace("connection", "content-encoding: NAME\r\nconnection");
        head.replace("NAME", name).into_bytes()
    };
    let (stream, level) = (sample.stream(), Compression::default());
    let mut gzip = GzEncoder::new(head("gzip"), level);
    let mut zlib = ZlibEncoder::new(head("deflate"), level);
    let mut raw = DeflateEncoder::new(head("deflate"), level);
    gzip.write_all(stream.as_bytes()).unwrap();
    zlib.write_all(stream.as_bytes()).unwrap();
    raw.write_all(stream.as_bytes()).unwrap();
    vec![
        sends("compressed", gzip.finish().unwrap(), answer(long_answer())),
        sends("compressed by deflate", zlib.finish().unwrap(), answer(long_answer())),
        sends("the same without its header", raw.finish().unwrap(), answer(long_answer())),
    ]
}

/// Arguments as text of JSON, however it is wrapped.
fn arguments<P>(sample: &Sample<P>) -> Vec<FaultCase> {
    if sample.half_call.is_empty() {
        return Vec::new();
    }
    let stream = |pieces: &[&str]| {
        let more: String = pieces.iter().map(|piece| (sample.more)(piece)).collect();
        let end = (sample.call_end)(&pieces.concat());
        let Sample { begin, half_call, end_without_counts, .. } = sample;
        format!("{STREAM}{begin}{half_call}{more}{end}{end_without_counts}")
    };
    let Sample { begin, half_call, more, end_without_counts, .. } = sample;
    let unended = format!("{STREAM}{begin}{half_call}{}{end_without_counts}", more(r#"{"x":1}"#));
    let called = |arguments| answer(vec![calls("a", "f", arguments), ends()]);
    let once = r#""{\"x\":1}""#;
    let twice = serde_json::to_string(once).unwrap();
    vec![
        sends("no end behind them", unended, called(r#"{"x":1}"#)),
        sends("arguments in a string", stream(&[once]), called(r#"{"x":1}"#)),
        sends("arguments in a string twice", stream(&[&twice]), called(r#"{"x":1}"#)),
        sends("an empty object before them", stream(&["{}", r#"{"x":1}"#]), called(r#"{"x":1}"#)),
        sends(
            "an empty string before them",
            stream(&[r#""""#, r#"{"x":1}"#]),
            called(r#"{"x":1}"#),
        ),
        sends("no arguments", stream(&[]), called("{}")),
        sends("blank arguments", stream(&[" ", "\n"]), called("{}")),
        sends(
            "a raw line end in them",
            stream(&["{\"x\":\"a\nb", "\"}"]),
            called("{\"x\":\"a\\u000ab\"}"),
        ),
        sends(
            "a code fence around them",
            stream(&["```json\n", r#"{"x":1}"#, "\n```"]),
            called(r#"{"x":1}"#),
        ),
        sends(
            "marks behind them",
            stream(&[r#"{"x":1}"#, "}\n", "</tool_call>"]),
            called(r#"{"x":1}"#),
        ),
        sends(
            "more behind them",
            stream(&[r#"{"x":1}"#, r#","y":2}"#]),
            called(r#"{"x":1},"y":2}"#),
        ),
        sends(
            "half a character in them",
            stream(&[r#"{"x":"\ud83d"}"#]),
            called("{\"x\":\"\u{fffd}\"}"),
        ),
    ]
}

fn answer(events: Vec<GenEvent>) -> Expected {
    Expected::Answer(events)
}
