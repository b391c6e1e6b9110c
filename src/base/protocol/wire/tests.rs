//! Tests of the wire form: everything comes back equal, nothing hostile does harm, a change of the form is seen.

#![expect(clippy::cast_possible_truncation, reason = "any number will do")]

use proptest::prelude::*;
use serde::Serialize;
use serde_json::json;

use super::examples::{Seeds, commands, events};
use super::kinds::kinds_of;
use super::message::FACT;
use super::*;
use crate::domain::safety::sandbox::Level;
use crate::domain::{Course, DialogId, RootId, Stamp};
use crate::protocol::event::{EventScope, Segment};
use crate::protocol::{Command, DriverEvent, Refusal, StoredRecord};
use crate::samples::assert_translated;

fn hello() -> Hello {
    Hello {
        protocol: PROTOCOL,
        oldest: OLDEST,
        program: "0.1.0".to_owned(),
        name: "pts/3".to_owned(),
        audience: Audience::Screen,
        view: false,
        session: String::new(),
        low_bandwidth: false,
    }
}

fn welcome() -> Welcome {
    Welcome {
        protocol: PROTOCOL,
        program: "0.1.0".to_owned(),
        workspace: "~/work".to_owned(),
        folder: Some(FolderId { device: 2049, inode: 131_074 }),
        pid: 4711,
        since: Stamp::new("2026-11-25 10:00:00"),
        level: Some(Level::Workspace),
        view: false,
        knows_session: true,
        low_bandwidth: false,
    }
}

/// All messages in some bytes, which come in pieces of these lengths.
fn bodies(most: usize, bytes: &[u8], cuts: &[usize]) -> Vec<Vec<u8>> {
    let (mut decoder, mut found, mut rest) = (FrameDecoder::new(most), Vec::new(), bytes);
    for cut in cuts.iter().cycle() {
        let (mut piece, behind) = rest.split_at((*cut).min(rest.len()));
        rest = behind;
        while let Some(body) = decoder.take(&mut piece).unwrap() {
            found.push(body);
        }
        if rest.is_empty() {
            break;
        }
    }
    assert!(decoder.is_between_frames());
    found
}

fn body(frame: &[u8]) -> &str {
    std::str::from_utf8(&frame[HEADER_BYTES..]).unwrap()
}

/// The name that a command or an event has on the wire.
fn kind(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap();
    let name = |value: &serde_json::Value| value.as_object()?.keys().next().cloned();
    name(&value).or_else(|| value.as_str().map(str::to_owned)).unwrap()
}

/// The names of all of them, in order, each once.
fn kinds(all: &[impl Serialize]) -> Vec<String> {
    let mut kinds: Vec<String> = all.iter().map(kind).collect();
    kinds.dedup();
    kinds
}

#[test]
fn every_kind_has_an_example_and_the_name_it_has_on_the_wire() {
    assert_eq!(kinds(&commands(&Seeds::plain())), kinds_of::<Command>());
    let mut events = kinds(&events(&Seeds::plain()));
    events.retain(|kind| kind != FACT);
    assert_eq!(events, kinds_of::<DriverEvent>());
}

#[test]
fn of_all_events_replies_and_pages_alone_have_a_ticket() {
    for event in events(&Seeds::plain()) {
        let is_reply = matches!(event.scope(), EventScope::Reply(_));
        let has_ticket = is_reply || matches!(event, DriverEvent::Page { .. });
        assert_eq!(event.ticket().is_some(), has_ticket, "{event:?}");
    }
}

#[test]
fn the_wire_form_of_every_kind_is_the_one_that_was_reviewed() {
    let rejected = Rejected::new(Refusal::NoSuchDialog);
    let mut frames = vec![encode_hello(&hello()).unwrap()];
    frames.extend(commands(&Seeds::plain()).iter().map(|one| encode_command(one).unwrap()));
    frames.extend([encode_welcome(&welcome()).unwrap(), encode_rejected(&rejected).unwrap()]);
    frames.extend(events(&Seeds::plain()).iter().map(|one| encode_event(one).unwrap()));
    let lines: Vec<&str> = frames.iter().map(|frame| body(frame)).collect();
    insta::assert_snapshot!("wire_form", lines.join("\n"));
}

#[test]
fn the_handshake_comes_back_equal() {
    let frame = encode_hello(&hello()).unwrap();
    assert_eq!(decode_from_client(body(&frame).as_bytes()), Ok(FromClient::Hello(hello())));
    let frame = encode_welcome(&welcome()).unwrap();
    assert_eq!(decode_from_driver(body(&frame).as_bytes()), Ok(FromDriver::Welcome(welcome())));
    let rejected = Rejected::new(Refusal::NoSuchDialog);
    let frame = encode_rejected(&rejected).unwrap();
    assert_eq!(decode_from_driver(body(&frame).as_bytes()), Ok(FromDriver::Rejected(rejected)));
}

#[test]
fn what_a_newer_side_adds_is_ignored_skipped_or_refused_by_its_ticket() {
    let open =
        br#"{"later":{"x":1},"command":{"stop":{"dialog":{"root":"a","this":"a","x":2},"x":[]}}}"#;
    assert!(matches!(decode_from_client(open), Ok(FromClient::Command(_))));
    let unknown = |json: &str| decode_from_client(json.as_bytes()).unwrap_err();
    let fault = |ticket| ClientFault::UnknownCommand { kind: "juggle".to_owned(), ticket };
    assert_eq!(unknown(r#"{"command":{"juggle":{"balls":3,"ticket":9}}}"#), fault(Some(9)));
    assert_eq!(unknown(r#"{"command":{"juggle":{"ticket":"nine"}}}"#), fault(None));
    assert_eq!(unknown(r#"{"command":"juggle"}"#), fault(None));
    assert_translated(&fault(None).text());
    for json in [r#"{"event":{"weather":[1]}}"#, r#"{"event":"weather"}"#, r#"{"weather":{}}"#] {
        let expected = FromDriver::Unknown { kind: "weather".to_owned() };
        assert_eq!(decode_from_driver(json.as_bytes()), Ok(expected), "{json}");
    }
}

#[test]
fn what_is_no_message_is_refused_in_one_short_line() {
    let deep = format!("{{\"command\":{}1{}}}", "{\"a\":".repeat(5_000), "}".repeat(5_000));
    let long = format!("{{\"command\":{{\"stop\":{{\"dialog\":\"{}\"}}}}}}", "x".repeat(5_000));
    for json in [
        "",
        "{}",
        "[]",
        "7",
        r#"{"command":null}"#,
        r#"{"command":{}}"#,
        r#"{"command":7}"#,
        r#"{"command":{"open":{}}}"#,
        r#"{"command":{"open":"x"}}"#,
        r#"{"command":"open"}"#,
        r#"{"command":{"stop_all":null,"close":null}}"#,
        r#"{"command":"close","command":"close"}"#,
        r#"{"command":"close","hello":{"protocol":1,"oldest":1}}"#,
        r#"{"hello":{"protocol":-1,"oldest":1}}"#,
        "{\"command\":\"\u{1b}[2J",
        &long,
    ] {
        let Err(ClientFault::Malformed(fault)) = decode_from_client(json.as_bytes()) else {
            panic!("{json}");
        };
        let text = fault.to_string();
        assert!(text.chars().count() < 400 && !text.contains(['\n', '\u{1b}']), "{text}");
        assert_translated(&fault.text());
    }
    // Nothing of it is built, however deep it is.
    assert!(decode_from_client(deep.as_bytes()).is_err());
    assert!(decode_from_client(b"{\"command\":\"\xff\"}").is_err());
    for json in [r#"{"event":"fact"}"#, r#"{"event":{"fact":{}}}"#, r#"{"event":"row"}"#, "[]"] {
        assert!(decode_from_driver(json.as_bytes()).is_err(), "{json}");
    }
}

#[test]
fn nobody_but_the_wire_form_reads_a_fact() {
    for event in events(&Seeds::plain()) {
        let json = serde_json::to_string(&event).unwrap();
        let read = serde_json::from_str::<DriverEvent>(&json);
        if matches!(event, DriverEvent::Fact(_)) {
            assert!(read.is_err());
        } else {
            assert_eq!(read.unwrap(), event);
        }
    }
}

/// What a text on the wire may be: anything, and what is special in JSON and on terminals.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![".{0,40}", "[\\x00-\\x1f\"\\\\{}\\[\\]\u{2028}\u{202e}\u{fffd}🦀]{0,40}"]
}

fn any_seeds() -> impl Strategy<Value = Seeds> {
    (any_text(), any::<u64>(), any::<bool>()).prop_map(|(text, number, flag)| Seeds {
        text,
        number,
        flag,
    })
}

proptest! {
    #[test]
    fn every_command_and_event_comes_back_equal_however_its_bytes_are_cut(
        seeds in any_seeds(),
        cuts in proptest::collection::vec(1usize..3_000, 1..8),
    ) {
        let sent = commands(&seeds);
        let bytes: Vec<u8> = sent.iter().flat_map(|one| encode_command(one).unwrap()).collect();
        let read = bodies(LONGEST_FROM_CLIENT, &bytes, &cuts);
        let read: Vec<_> = read.iter().map(|body| decode_from_client(body).unwrap()).collect();
        let sent: Vec<_> = sent.into_iter().map(|one| FromClient::Command(one.into())).collect();
        prop_assert_eq!(read, sent);

        let sent = events(&seeds);
        let bytes: Vec<u8> = sent.iter().flat_map(|one| encode_event(one).unwrap()).collect();
        let read = bodies(LONGEST_FROM_DRIVER, &bytes, &cuts);
        let read: Vec<_> = read.iter().map(|body| decode_from_driver(body).unwrap()).collect();
        let sent: Vec<_> = sent.into_iter().map(|one| FromDriver::Event(one.into())).collect();
        prop_assert_eq!(read, sent);
    }

    #[test]
    fn a_ticket_that_is_replaced_is_the_one_that_is_sent(seeds in any_seeds(), ticket in any::<u64>()) {
        for command in commands(&seeds) {
            let had = command.ticket().is_some();
            let FromClient::Command(read) = decode_from_client(
                body(&encode_command(&command.with_ticket(ticket)).unwrap()).as_bytes(),
            ).unwrap() else { panic!("no command") };
            prop_assert_eq!(read.ticket(), had.then_some(ticket));
        }
    }
}

/// Frames of both directions, damaged: flipped bits, cuts, repeats, other lengths.
fn damaged(number: u64, frames: &[Vec<u8>]) -> Vec<u8> {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    let mut bytes = frames[random(frames.len())].clone();
    bytes.extend_from_slice(&frames[random(frames.len())]);
    for _ in 0..=random(6) {
        let (at, to) = (random(bytes.len()), random(bytes.len()));
        match random(5) {
            0 => bytes[at] ^= 1 << random(8),
            1 => bytes.truncate(at.max(1)),
            2 => bytes.insert(at, b"{}[]\",:\\0\xff"[random(10)]),
            3 => drop(bytes.drain(at.min(to)..at.max(to))),
            _ => bytes[at.min(3)] = random(256) as u8,
        }
        if bytes.is_empty() {
            bytes.push(0);
        }
    }
    bytes
}

#[test]
fn damaged_frames_end_in_an_error_or_wait_and_take_no_more_memory_than_was_sent() {
    let seeds = Seeds::plain();
    let mut frames: Vec<_> =
        commands(&seeds).iter().map(|one| encode_command(one).unwrap()).collect();
    frames.extend(events(&seeds).iter().map(|one| encode_event(one).unwrap()));
    let mut outcomes = [0; 3];
    for number in 0..20_000 {
        let bytes = damaged(number, &frames);
        let mut decoder = FrameDecoder::new(LONGEST_FROM_CLIENT);
        for piece in bytes.chunks(1 + number as usize % 500) {
            let mut piece = piece;
            loop {
                assert!(decoder.buffered_bytes() <= 2 * bytes.len() + 64);
                match decoder.take(&mut piece) {
                    Ok(Some(body)) => {
                        let read = decode_from_client(&body).is_ok();
                        let read = read || decode_from_driver(&body).is_ok();
                        outcomes[usize::from(read)] += 1;
                    }
                    Ok(None) => break,
                    Err(FrameFault::Announced { bytes, most }) => {
                        assert!(bytes > most && decoder.buffered_bytes() <= 64);
                        outcomes[2] += 1;
                        break;
                    }
                    Err(other) => panic!("{other}"),
                }
            }
        }
    }
    assert!(outcomes.iter().all(|&seen| seen > 1_000), "{outcomes:?}");
}

#[test]
fn a_message_that_the_other_side_would_refuse_is_not_sent() {
    let text = "x".repeat(LONGEST_FROM_CLIENT);
    let command = Command::RetryNow { dialog: crate::domain::DialogId::main(text.as_str().into()) };
    let fault = FrameFault::TooLong { most: LONGEST_FROM_CLIENT };
    assert_eq!(encode_command(&command), Err(fault));
}

const DOCUMENT: &str = include_str!("../../../../docs/protocol.md");

/// The rows of the table with this head: the cells before the last one.
fn table(head: &str) -> Vec<Vec<&str>> {
    let table = DOCUMENT.split_once(head).expect("a table").1;
    let rows = table.lines().skip(2).take_while(|line| line.starts_with("| "));
    let cells = |row: &'static str| {
        let mut cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        assert!(cells.pop().is_some_and(|says| !says.is_empty()), "{row}");
        cells
    };
    rows.map(cells).collect()
}

fn yes(is_so: bool) -> &'static str {
    if is_so { "yes" } else { "no" }
}

#[test]
fn the_document_has_every_kind_with_its_ticket_and_its_right() {
    let all = commands(&Seeds::plain());
    let commands = kinds(&all).into_iter().map(|name| {
        let of_kind = || all.iter().filter(|command| kind(*command) == name);
        let ticket = yes(of_kind().all(|command| command.ticket().is_some()));
        let reads = of_kind().filter(|command| command.is_read_only()).count();
        let right = if reads > 0 && reads < of_kind().count() { "in part" } else { yes(reads > 0) };
        [format!("`{name}`"), ticket.to_owned(), right.to_owned()]
    });
    let documented = table("| command | ticket | read-only | what it does |");
    assert_eq!(documented, commands.collect::<Vec<_>>());

    let all = events(&Seeds::plain());
    let events = kinds(&all).into_iter().map(|name| {
        let mut of_kind = all.iter().filter(|event| kind(*event) == name);
        [format!("`{name}`"), yes(of_kind.all(|event| event.ticket().is_some())).to_owned()]
    });
    let documented = table("| event | ticket | what it says |");
    assert_eq!(documented, events.collect::<Vec<_>>());
}

#[test]
fn every_message_of_the_session_in_the_document_is_one() {
    let session = DOCUMENT.split("```text\n").nth(1).expect("a session");
    let (mut sent, mut received) = (0, 0);
    for line in session.lines().take_while(|line| *line != "```") {
        if let Some(json) = line.strip_prefix("> ") {
            assert!(decode_from_client(json.as_bytes()).is_ok(), "{line}");
            sent += 1;
        } else {
            let json = line.strip_prefix("< ").expect("a direction");
            let read = decode_from_driver(json.as_bytes()).unwrap();
            assert!(!matches!(read, FromDriver::Unknown { .. }), "{line}");
            received += 1;
        }
    }
    assert!(sent > 3 && received > 5);
    for limit in [LONGEST_FROM_CLIENT, LONGEST_FROM_DRIVER] {
        let mebibytes = format!(" {} MiB (", limit / 1024 / 1024);
        assert!(DOCUMENT.contains(&mebibytes), "{mebibytes}");
    }
}

fn fact(dialog: &DialogId, line: usize, record: &str) -> DriverEvent {
    DriverEvent::Fact(StoredRecord::made_up(dialog, Course::FIRST, line, record))
}

fn live(dialog: &DialogId, segment: Segment, text: &str) -> DriverEvent {
    DriverEvent::Live { dialog: dialog.clone(), segment, text: text.to_owned() }
}

fn record(kind: &str, content: &str) -> String {
    json!({"ts": "t", "genseq": 1, "type": kind, "content": content}).to_string()
}

/// What these events become, and come back as.
fn in_short(events: &[DriverEvent]) -> (Vec<String>, Vec<DriverEvent>) {
    let (mut writer, mut reader) = (ShortWriter::default(), ShortReader::default());
    let frames = events.iter().map(|event| writer.encode(event).unwrap());
    let bodies: Vec<String> = frames.map(|frame| body(&frame).to_owned()).collect();
    let read = bodies.iter().map(|body| match reader.decode(body.as_bytes()).unwrap() {
        FromDriver::Event(event) => *event,
        other @ (FromDriver::Welcome(_) | FromDriver::Rejected(_) | FromDriver::Unknown { .. }) => {
            panic!("{other:?}")
        }
    });
    let read = read.collect();
    (bodies, read)
}

#[test]
fn in_the_short_form_a_text_is_sent_once() {
    let dialog = DialogId::main(RootId::new("1a/2b/3c4d5e6f"));
    let words = record("agent_words_record", "It \"is\"\nblue.");
    let events = [
        live(&dialog, Segment::Thinking, "Hm."),
        live(&dialog, Segment::Saying, "It \"is\""),
        live(&dialog, Segment::Saying, "\nblue."),
        fact(&dialog, 1, &record("agent_thought_record", "Hm.")),
        fact(&dialog, 2, &words),
        fact(&dialog, 3, &record("agent_words_record", "Something else.")),
        DriverEvent::LiveEnd { dialog: dialog.clone() },
        fact(&dialog, 4, &words),
    ];
    let (bodies, read) = in_short(&events);
    assert_eq!(read, events);
    insta::assert_snapshot!("short_form", bodies.join("\n"));
}

#[test]
fn a_short_form_that_refers_to_nothing_is_refused() {
    let dialog = DialogId::main(RootId::new("1a"));
    let (bodies, _) = in_short(&[
        live(&dialog, Segment::Saying, "blue"),
        live(&dialog, Segment::Saying, "."),
        fact(&dialog, 1, &record("agent_words_record", "blue.")),
    ]);
    for body in &bodies[1..] {
        assert!(ShortReader::default().decode(body.as_bytes()).is_err(), "{body}");
        // A client that did not ask for it skips it.
        let plain = decode_from_driver(body.as_bytes());
        assert!(matches!(plain, Ok(FromDriver::Unknown { .. })), "{body}");
    }
    for body in [r#"{"more":7}"#, r#"{"recorded":{"live":0,"record":{}}}"#, "{}", ""] {
        assert!(ShortReader::default().decode(body.as_bytes()).is_err(), "{body}");
    }
}

#[test]
fn texts_beyond_the_limit_are_forgotten_by_both_sides() {
    let dialog = |n: u8| DialogId::main(RootId::new(format!("{n}")));
    let text = "x".repeat(1 << 20);
    let mut events = Vec::new();
    for n in 0..7 {
        events.push(live(&dialog(n), Segment::Saying, &text));
        events.push(live(&dialog(n), Segment::Thinking, &text));
    }
    for n in 0..7 {
        events.push(fact(&dialog(n), 1, &record("agent_words_record", &text)));
        events.push(DriverEvent::LiveEnd { dialog: dialog(n) });
    }
    let (bodies, read) = in_short(&events);
    assert!(read == events);
    let short = bodies.iter().filter(|body| body.starts_with("{\"recorded\"")).count();
    assert!((1..7).contains(&short), "{short}");
}

/// What changes what both sides remember.
fn any_moves() -> impl Strategy<Value = Vec<DriverEvent>> {
    let dialog = (0u8..3).prop_map(|n| DialogId::main(RootId::new(format!("{n}"))));
    let saying = any::<bool>();
    // Few texts, so that they meet.
    let text = prop_oneof![Just(String::new()), "[a\"]{1,2}", any_text()];
    let kind = proptest::sample::select(vec!["agent_words_record", "agent_thought_record", "x"]);
    let moved = (dialog, saying, text, kind, 0u8..8).prop_map(|(dialog, saying, text, kind, n)| {
        let segment = if saying { Segment::Saying } else { Segment::Thinking };
        match n {
            0 => DriverEvent::LiveEnd { dialog },
            1..=3 => fact(&dialog, 1, &record(kind, &text)),
            4 => DriverEvent::Lagged,
            _ => live(&dialog, segment, &text),
        }
    });
    proptest::collection::vec(moved, 0..40)
}

proptest! {
    #[test]
    fn whatever_is_sent_in_the_short_form_comes_back_equal(moves in any_moves(), seeds in any_seeds()) {
        let mut sent = moves.clone();
        sent.extend(events(&seeds));
        sent.extend(moves);
        let (_, read) = in_short(&sent);
        prop_assert_eq!(read, sent);
    }
}
