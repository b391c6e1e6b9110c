//! Keys are exactly those that were typed, whatever else the terminal sends, and however it is split.

use proptest::prelude::*;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseEventKind};

use super::*;
use crate::theme::{Rgb, Shade};

const NONE: KeyModifiers = KeyModifiers::NONE;
const SHIFT: KeyModifiers = KeyModifiers::SHIFT;
const ALT: KeyModifiers = KeyModifiers::ALT;
const CONTROL: KeyModifiers = KeyModifiers::CONTROL;

/// Longer than the timeout of `Esc`, shorter than that of replies.
const PAUSE: Duration = Duration::from_millis(300);
/// Longer than the timeout of replies.
const SILENCE: Duration = Duration::from_secs(6);

fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
    Event::Key(KeyEvent::new(code, modifiers))
}

fn typed(c: char) -> Event {
    key(KeyCode::Char(c), NONE)
}

/// Everything that is decoded from pieces, with a pause after each.
fn decoded(pieces: &[&[u8]], pause: Duration) -> Vec<Input> {
    all(&mut Decoder::default(), pieces, pause)
}

fn all(decoder: &mut Decoder, pieces: &[&[u8]], pause: Duration) -> Vec<Input> {
    let mut now = std::time::Instant::now();
    for piece in pieces {
        decoder.feed(piece, now);
        now += pause;
        decoder.expire(now);
    }
    decoder.expire(now + SILENCE);
    std::iter::from_fn(|| decoder.take()).collect()
}

fn events(pieces: &[&[u8]]) -> Vec<Event> {
    events_of(decoded(pieces, Duration::ZERO))
}

fn events_of(inputs: Vec<Input>) -> Vec<Event> {
    let event = |input| match input {
        Input::Event(event) => vec![event],
        Input::Arrows { down, count } => {
            let code = if down { KeyCode::Down } else { KeyCode::Up };
            vec![key(code, NONE); count.into()]
        }
        Input::Continued | Input::Reply(_) => Vec::new(),
    };
    inputs.into_iter().flat_map(event).collect()
}

/// Keys as terminals send them.
const KEYS: [(&[u8], KeyCode, KeyModifiers); 61] = [
    (b"a", KeyCode::Char('a'), NONE),
    (b"G", KeyCode::Char('G'), SHIFT),
    (b" ", KeyCode::Char(' '), NONE),
    ("é".as_bytes(), KeyCode::Char('é'), NONE),
    ("语".as_bytes(), KeyCode::Char('语'), NONE),
    ("😀".as_bytes(), KeyCode::Char('😀'), NONE),
    (b"\t", KeyCode::Tab, NONE),
    (b"\x7f", KeyCode::Backspace, NONE),
    (b"\x00", KeyCode::Char(' '), CONTROL),
    (b"\x03", KeyCode::Char('c'), CONTROL),
    (b"\x1f", KeyCode::Char('7'), CONTROL),
    (b"\x1ba", KeyCode::Char('a'), ALT),
    (b"\x1b\r", KeyCode::Enter, ALT),
    (b"\x1b\x7f", KeyCode::Backspace, ALT),
    ("\u{1b}语".as_bytes(), KeyCode::Char('语'), ALT),
    (b"\x1b[A", KeyCode::Up, NONE),
    (b"\x1b[D", KeyCode::Left, NONE),
    (b"\x1b[H", KeyCode::Home, NONE),
    (b"\x1b[F", KeyCode::End, NONE),
    (b"\x1b[1;5B", KeyCode::Down, CONTROL),
    (b"\x1b[1;2C", KeyCode::Right, SHIFT),
    (b"\x1b[Z", KeyCode::BackTab, SHIFT),
    (b"\x1bOA", KeyCode::Up, NONE),
    (b"\x1bOH", KeyCode::Home, NONE),
    (b"\x1bOP", KeyCode::F(1), NONE),
    (b"\x1bOS", KeyCode::F(4), NONE),
    (b"\x1bOM", KeyCode::Enter, SHIFT),
    (b"\x1b[27;2;13~", KeyCode::Enter, SHIFT),
    (b"\x1b[a", KeyCode::Up, SHIFT),
    (b"\x1b[d", KeyCode::Left, SHIFT),
    (b"\x1bOa", KeyCode::Up, CONTROL),
    (b"\x1bOc", KeyCode::Right, CONTROL),
    (b"\x1bO5D", KeyCode::Left, CONTROL),
    (b"\x1bO2P", KeyCode::F(1), SHIFT),
    (b"\x1b[7~", KeyCode::Home, NONE),
    (b"\x1b[8~", KeyCode::End, NONE),
    (b"\x1b[3^", KeyCode::Delete, CONTROL),
    (b"\x1b[7^", KeyCode::Home, CONTROL),
    (b"\x1b[5$", KeyCode::PageUp, SHIFT),
    (b"\x1b[8@", KeyCode::End, CONTROL.union(SHIFT)),
    (b"\x1b[11~", KeyCode::F(1), NONE),
    (b"\x1b[14~", KeyCode::F(4), NONE),
    (b"\x1b[23$", KeyCode::F(11), SHIFT),
    (b"\x1b[11^", KeyCode::F(1), CONTROL),
    (b"\x1bOq", KeyCode::Char('1'), NONE),
    (b"\x1b[[B", KeyCode::F(2), NONE),
    (b"\x1b[1;3R", KeyCode::F(3), ALT),
    (b"\x1b[1~", KeyCode::Home, NONE),
    (b"\x1b[3~", KeyCode::Delete, NONE),
    (b"\x1b[5;3~", KeyCode::PageUp, ALT),
    (b"\x1b[6~", KeyCode::PageDown, NONE),
    (b"\x1b[15~", KeyCode::F(5), NONE),
    (b"\x1b[17~", KeyCode::F(6), NONE),
    (b"\x1b[24~", KeyCode::F(12), NONE),
    (b"\x1b[34~", KeyCode::F(20), NONE),
    (b"\x1b[97;5u", KeyCode::Char('a'), CONTROL),
    (b"\x1b[13;2u", KeyCode::Enter, SHIFT),
    (b"\x1b[27u", KeyCode::Esc, NONE),
    (b"\x1b[97:65;6:1u", KeyCode::Char('a'), CONTROL.union(SHIFT)),
    (b"\x1b[27;5;13~", KeyCode::Enter, CONTROL),
    (b"\x1b[9;2u", KeyCode::BackTab, SHIFT),
];

/// Bytes from terminals that are not keys.
const NOT_TYPED: [&[u8]; 32] = [
    b"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\",
    b"\x1b]11;rgb:ffff/ffff/ffff\x07",
    b"\x1b]10;rgb:00/00/00\x1b\\",
    b"\x1b]4;1;rgb:00/00/00\x07",
    b"\x1b]52;c;aGVsbG8=\x1b\\",
    b"\x1b]99;i=1:p=?;\x1b\\",
    b"\x1b]11;nonsense q\x07",
    b"\x1b[?62;4;22c",
    b"\x1b[>41;390;0c",
    b"\x1b[?997;1n",
    b"\x1b[?997;2n",
    b"\x1b[?2031;2$y",
    b"\x1b[12;40R",
    b"\x1b[0n",
    b"\x1b[8;24;80t",
    b"\x1bP>|XTerm(390)\x1b\\",
    b"\x1bP1$r0m\x1b\\",
    b"\x1bP1+r544e=78\x1b\\",
    b"\x1b_Gi=1;OK\x1b\\",
    b"\x1b_what\x1b\\",
    b"\x1bPwhat\x1b\\",
    b"\x1b]Lwhat\x1b\\",
    b"\x1b^what\x1b\\",
    b"\x1bXwhat\x1b\\",
    b"\x1b[65;30;97;1;0;1_",
    b"\x1b[1;2;3$x",
    b"\x1b[?1$z",
    b"\x1b[G",
    b"\x1bOz",
    b"\x1bO99~",
    b"\x1b(B",
    b"\x1b[?1;2;3;4;5;6;7;8;9;1;2;3;4;5;6;7;8;9;1;2;3;4;5;6;7;8;9;1;2;3;4;5;6;7;8;9q",
];

#[test]
fn keys_are_read_as_terminals_send_them() {
    for (bytes, code, modifiers) in KEYS {
        assert_eq!(events(&[bytes]), [key(code, modifiers)], "{bytes:?}");
    }
    let kind = |bytes: &[u8]| match events(&[bytes]).as_slice() {
        [Event::Key(key)] => Some(key.kind),
        _ => None,
    };
    assert_eq!(kind(b"\x1b[97;1:3u"), Some(KeyEventKind::Release));
    assert_eq!(kind(b"\x1b[1;1:2A"), Some(KeyEventKind::Repeat));
}

#[test]
fn focus_and_mouse_are_no_keys() {
    assert_eq!(events(&[b"\x1b[I\x1b[O"]), [Event::FocusGained, Event::FocusLost]);
    let wheel = events(&[b"\x1b[<65;10;3M"]);
    let [Event::Mouse(mouse)] = wheel.as_slice() else { panic!("{wheel:?}") };
    assert_eq!((mouse.kind, mouse.column, mouse.row), (MouseEventKind::ScrollDown, 9, 2));
    assert_eq!(events(&[b"\x1b[<0;0;3M\x1b[<0;70000;3M\x1b[M !!j"]), [typed('j')]);
}

#[test]
fn replies_are_reported() {
    let colour = Input::Reply(Reply::Background(Rgb([255; 3])));
    let expected = [colour, Input::Reply(Reply::Attributes)];
    assert_eq!(decoded(&[b"\x1b]11;rgb:ff/ff/ff\x07\x1b[?6c"], Duration::ZERO), expected);
    let scheme = [Input::Reply(Reply::Scheme(Shade::Light))];
    assert_eq!(decoded(&[b"\x1b[?997;2n"], Duration::ZERO), scheme);
}

#[test]
fn escape_counts_when_nothing_follows() {
    let escape = key(KeyCode::Esc, NONE);
    let inputs = |events: &[Event]| events.iter().cloned().map(Input::from).collect::<Vec<_>>();
    let pieces: [&[u8]; 2] = [b"\x1b", b"[A"];
    let expected = [escape.clone(), typed('['), key(KeyCode::Char('A'), SHIFT)];
    assert_eq!(decoded(&pieces, PAUSE), inputs(&expected));
    assert_eq!(decoded(&pieces, Duration::ZERO), inputs(&[key(KeyCode::Up, NONE)]));
    assert_eq!(events(&[b"\x1b\x1b"]), [escape.clone(), escape.clone()]);
    assert_eq!(events(&[b"\x1b\x1b[A"]), [escape.clone(), key(KeyCode::Up, NONE)]);
    for (bytes, c) in [(b"\x1b[", '['), (b"\x1b]", ']'), (b"\x1b_", '_')] {
        assert_eq!(events(&[bytes]), [key(KeyCode::Char(c), ALT)]);
    }
    let pieces: [&[u8]; 2] = [b"\x1bP", b"x"];
    let expected = [key(KeyCode::Char('P'), ALT.union(SHIFT)), typed('x')];
    assert_eq!(decoded(&pieces, PAUSE), inputs(&expected));
}

#[test]
fn after_escape_the_next_keys_are_keys_also_while_replies_are_awaited() {
    let mut decoder = Decoder::default();
    decoder.await_replies(std::time::Instant::now());
    let pieces: [&[u8]; 4] = [b"\x1b", b"[", b"j", b"]"];
    let expected = [key(KeyCode::Esc, NONE), typed('['), typed('j'), typed(']')];
    assert_eq!(all(&mut decoder, &pieces, PAUSE), expected.map(Input::from));
}

#[test]
fn a_report_of_the_cursor_is_a_reply_as_often_as_it_was_asked_for_and_else_a_key() {
    let report: &[u8] = b"\x1b[1;3R";
    let (column, f3) = (Input::Reply(Reply::Column(3)), Input::from(key(KeyCode::F(3), ALT)));
    let attributes = Input::Reply(Reply::Attributes);
    assert_eq!(decoded(&[report], Duration::ZERO), std::slice::from_ref(&f3));
    for (pieces, expected) in [
        (&[report, report, report][..], vec![column.clone(), column.clone(), f3.clone()]),
        (&[report, b"\x1b[?6c", report], vec![column, attributes, f3.clone()]),
    ] {
        let mut decoder = Decoder::default();
        decoder.await_replies(std::time::Instant::now());
        decoder.await_columns(2);
        assert_eq!(all(&mut decoder, pieces, Duration::ZERO), expected);
    }
    let (mut decoder, now) = (Decoder::default(), std::time::Instant::now());
    decoder.await_replies(now);
    decoder.await_columns(2);
    decoder.feed(report, now + SILENCE);
    assert_eq!(decoder.take(), Some(f3), "it is too late for a reply");
}

#[test]
fn a_report_that_nobody_asked_for_awaits_no_replies() {
    let mut decoder = Decoder::default();
    let now = std::time::Instant::now();
    decoder.feed(b"\x1b[?997;1n", now);
    assert!(!decoder.awaits_replies(now));
    decoder.feed(b"\x1b", now);
    assert_eq!(decoder.deadline(), Some(now + Duration::from_millis(40)));
}

#[test]
fn a_paste_that_looks_like_replies_and_keys_is_a_paste() {
    let text = "\u{1b}]11;rgb:ff/ff/ff\u{1b}\\\u{1b}[?62c\u{1b}[A\u{1b}[200~\u{1b}[20\u{1b}\r语";
    let bytes = format!("\u{1b}[200~{text}\u{1b}[201~x");
    for at in 0..bytes.len() {
        let (head, tail) = bytes.as_bytes().split_at(at);
        assert_eq!(events(&[head, tail]), [Event::Paste(text.to_owned()), typed('x')], "{at}");
    }
    assert_eq!(events(&[b"\x1b[201~x"]), [typed('x')]);
}

#[test]
fn a_paste_without_its_end_is_over_after_a_while_or_by_ctrl_c() {
    let pasted = |text: &str| Event::Paste(text.to_owned());
    let mut decoder = Decoder::default();
    let mut now = std::time::Instant::now();
    for piece in [&b"\x1b[200~one "[..], b"two", b" \x03 three\x1b[20"] {
        decoder.feed(piece, now);
        now += Duration::from_secs(2);
        decoder.expire(now);
    }
    assert_eq!(decoder.take(), None, "it may go on");
    decoder.expire(now + Duration::from_secs(2));
    decoder.feed(b"x", now + Duration::from_secs(2));
    let expected = [pasted("one two \u{3} three"), typed('x')];
    assert_eq!(events_of(std::iter::from_fn(|| decoder.take()).collect()), expected);

    let ctrl_c = key(KeyCode::Char('c'), CONTROL);
    let pieces: [&[u8]; 3] = [b"\x1b[200~cut off", b"\x03", b"x"];
    let found = events_of(decoded(&pieces, PAUSE));
    assert_eq!(found, [pasted("cut off"), ctrl_c, typed('x')]);
    let pieces: [&[u8]; 3] = [b"\x1b[200~a", b"\x03", b"b\x1b[201~"];
    assert_eq!(events(&pieces), [pasted("a\u{3}b")], "nobody is so fast");
}

#[test]
fn lines_that_come_at_once_are_one_paste_and_keys_stay_keys() {
    let enter = || key(KeyCode::Enter, NONE);
    let pasted = |text: &str| vec![Event::Paste(text.to_owned())];
    let at_once: [(&[&[u8]], Vec<Event>); 16] = [
        (&[b"one\rtwo\rthree"], pasted("one\rtwo\rthree")),
        (&[b"one\rtwo\r"], pasted("one\rtwo\r")),
        (&[b"one\ntwo"], pasted("one\ntwo")),
        (&[b"\tone\r\n\r\n\ttwo\r\n"], pasted("\tone\r\n\r\n\ttwo\r\n")),
        (&["一\r二".as_bytes()], pasted("一\r二")),
        (&[b"one\rtwo\r", b"three\r"], pasted("one\rtwo\rthree\r")),
        (&[b"one\rt", b"wo", b"\r"], pasted("one\rtwo\r")),
        (&[b"one\rtwo", b"\x1b[I"], [pasted("one\rtwo"), vec![Event::FocusGained]].concat()),
        (&[b"ok\r"], vec![typed('o'), typed('k'), enter()]),
        (&[b"\r"], vec![enter()]),
        (&[b"\n"], vec![key(KeyCode::Char('j'), CONTROL)]),
        (&[b"\rj"], vec![enter(), typed('j')]),
        // Cut behind the first line, and within it.
        (&[b"one\r", b"two\r"], pasted("one\rtwo\r")),
        (&[b"on", b"e\r", b"two"], [vec![typed('o'), typed('n')], pasted("e\rtwo")].concat()),
        (&[b"ok", b"\r", b"two"], [vec![typed('o'), typed('k')], pasted("\rtwo")].concat()),
        (&[b"k", b"\r", b"t"], vec![typed('k'), enter(), typed('t')]),
    ];
    for (pieces, expected) in at_once {
        assert_eq!(events(pieces), expected, "{pieces:?}");
    }
    let pieces: [&[u8]; 3] = [b"ok\r", b"go\r", b"\r"];
    let typed_fast = events_of(decoded(&pieces, PAUSE));
    let words = [typed('o'), typed('k'), enter(), typed('g'), typed('o'), enter(), enter()];
    assert_eq!(typed_fast, words);
    let pieces: [&[u8]; 3] = [b"one\rtwo\r", b"three\r", b"\r"];
    let late = events_of(decoded(&pieces, PAUSE));
    assert_eq!(late, [pasted("one\rtwo\r"), pasted("three\r"), vec![enter()]].concat());
}

#[test]
fn arrows_that_come_at_once_are_told_from_single_ones() {
    for (bytes, down, count) in [
        (&b"\x1bOA\x1bOA\x1bOA"[..], false, 3),
        (b"\x1b[A\x1b[A", false, 2),
        (b"\x1bOB\x1bOB\x1bOB\x1bOB\x1bOB", true, 5),
    ] {
        let expected = [Input::Arrows { down, count }];
        assert_eq!(decoded(&[bytes], Duration::ZERO), expected, "{bytes:?}");
    }
    for bytes in [&b"\x1bOA"[..], b"\x1b[A\x1b[B", b"\x1b[C\x1b[C", b"\x1b[A\x1b["] {
        let found = decoded(&[bytes], Duration::ZERO);
        let is_event = |input: &Input| matches!(input, Input::Event(_));
        assert!(!found.is_empty() && found.iter().all(is_event), "{bytes:?}");
    }
}

#[test]
fn a_sequence_that_does_not_end_is_given_up_and_the_next_letter_is_a_letter() {
    for bytes in [&b"\x1b[1;"[..], b"\x1bPwhat", b"\x1b]52;c;abc", b"\x1b[M!"] {
        let mut decoder = Decoder::default();
        let now = std::time::Instant::now();
        decoder.feed(bytes, now);
        let later = decoder.deadline().unwrap();
        assert!(later <= now + Duration::from_secs(1), "{bytes:?}");
        decoder.expire(later);
        decoder.feed(b"x", later);
        assert_eq!(decoder.take(), Some(typed('x').into()), "{bytes:?}");
    }
}

#[test]
fn a_string_without_end_is_dropped_and_the_next_control_key_counts() {
    let mut endless = b"\x1b]11;rgb:".to_vec();
    endless.resize(1 << 20, b'f');
    let mut decoder = Decoder::default();
    let found = all(&mut decoder, &[&endless, b"\r", b"j"], Duration::ZERO);
    assert_eq!(found, [key(KeyCode::Enter, NONE), typed('j')].map(Input::from));
    let size = format!("{decoder:?}").len();
    assert!(size < 1000, "{size}");
    for end in [&b"\x03"[..], b"\x1b\x03"] {
        let found = events(&[b"\x1bP>|XTerm", end]);
        let modifiers = if end.len() > 1 { CONTROL | ALT } else { CONTROL };
        assert_eq!(found, [key(KeyCode::Char('c'), modifiers)]);
    }
    let mut parameters = b"\x1b[".to_vec();
    parameters.resize(1 << 20, b'1');
    assert_eq!(events(&[&parameters, b"Aj"]), [typed('j')]);
}

#[test]
fn a_reply_with_pauses_in_it_is_never_typed_while_it_is_awaited() {
    for bytes in NOT_TYPED
        .into_iter()
        .filter(|bytes| bytes.starts_with(b"\x1b]11;rgb") || bytes.starts_with(b"\x1b[?"))
    {
        for at in 0..=bytes.len() {
            let (head, tail) = bytes.split_at(at);
            let mut decoder = Decoder::default();
            decoder.await_replies(std::time::Instant::now());
            let found = all(&mut decoder, &[head, tail], PAUSE);
            let chars = found.iter().filter(
                |input| matches!(input, Input::Event(Event::Key(key)) if key.code != KeyCode::Esc),
            );
            assert_eq!(chars.count(), 0, "{bytes:?} at {at}: {found:?}");
        }
    }
}

#[test]
fn the_reply_to_a_frame_is_never_typed_however_it_is_split() {
    let bytes = b"\x1b[0n";
    for (awaited, pause) in [(1, Duration::from_millis(150)), (0, Duration::ZERO)] {
        for at in 0..=bytes.len() {
            let (head, tail) = bytes.split_at(at);
            let mut decoder = Decoder::default();
            decoder.await_statuses(awaited, std::time::Instant::now());
            let found = all(&mut decoder, &[head, tail], pause);
            let typed = found.iter().filter(|input| **input != Input::Reply(Reply::Status));
            // `Esc` itself may have been pressed.
            let esc = Input::from(key(KeyCode::Esc, NONE));
            assert!(typed.clone().all(|input| *input == esc), "{at}: {found:?}");
        }
    }
}

#[test]
fn replies_to_frames_are_counted_and_escape_is_a_key_at_once_after_the_last_one() {
    let now = std::time::Instant::now();
    let mut decoder = Decoder::default();
    decoder.await_statuses(2, now);
    decoder.await_statuses(1, now);
    for left in [true, true, false] {
        decoder.feed(b"\x1b[0n", now);
        assert_eq!(decoder.awaits_replies(now), left);
    }
    decoder.feed(b"\x1b", now);
    assert_eq!(decoder.deadline(), Some(now + Duration::from_millis(40)));
    decoder.feed(b"\x1b", now);
    decoder.await_statuses(1, now);
    decoder.feed(b"\x1b", now);
    assert_eq!(decoder.deadline(), Some(now + Duration::from_millis(200)));
    assert!(!decoder.awaits_replies(now + Duration::from_secs(5)), "it may never come");
}

/// A piece of input: a key, or something else.
fn sent() -> impl Strategy<Value = (Vec<u8>, Option<Event>)> {
    prop_oneof![
        (0..KEYS.len()).prop_map(|at| {
            let (bytes, code, modifiers) = KEYS[at];
            (bytes.to_vec(), Some(key(code, modifiers)))
        }),
        (0..NOT_TYPED.len()).prop_map(|at| (NOT_TYPED[at].to_vec(), None)),
        "[ -~]{0,9}".prop_map(|text| {
            (format!("\u{1b}[200~{text}\u{1b}[201~").into_bytes(), Some(Event::Paste(text)))
        }),
    ]
}

/// A sequence as ECMA-48 builds them; most of them are unknown.
fn sequence() -> impl Strategy<Value = Vec<u8>> {
    let sequences = prop_oneof![
        "\u{1b}\\[[0-?]{0,8}[ -#%-/]{0,2}[@-LN-Z\\\\^-~]",
        "\u{1b}\\[[0;]?\\$[@-LN-Z]",
        "\u{1b}O[0-9]{0,2}[@-~]",
        "\u{1b}[ -/]{1,2}[0-~]",
        "\u{1b}[\\]PX^_][ -~]{1,20}(\u{1b}\\\\)",
    ];
    sequences.prop_map(String::into_bytes)
}

proptest! {
    #[test]
    fn an_unknown_sequence_is_never_read_as_letters(
        all_sent in prop::collection::vec(sequence(), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let bytes = all_sent.concat();
        let (head, tail) = bytes.split_at(cut.index(bytes.len()));
        for event in events(&[head, tail, b"\x1b[201~"]) {
            let named = match event {
                // A key that is reported by its character.
                Event::Key(KeyEvent { code: KeyCode::Char(_), .. }) => {
                    bytes.iter().any(|byte| matches!(byte, b'u' | b'~' | b'j'..=b'y'))
                }
                Event::Paste(text) => text.is_empty() || bytes.windows(5).any(|part| part == b"[200~"),
                Event::Key(_)
                | Event::Mouse(_)
                | Event::Resize(..)
                | Event::FocusGained
                | Event::FocusLost => true,
            };
            prop_assert!(named, "{bytes:?}");
        }
    }

    #[test]
    fn lines_without_marks_are_never_sent_however_they_are_split(
        text in "[a-z]{2,8}(\r[a-z]{2}[a-z ]{0,8}){1,6}\r?",
        sizes in prop::collection::vec(2_usize..20, 1..30),
    ) {
        let mut pieces = Vec::new();
        let mut rest = text.as_bytes();
        for size in sizes.iter().cycle() {
            // A single character at the end belongs to what comes before it.
            let cut = if rest.len() <= size + 1 { rest.len() } else { *size };
            let (head, tail) = rest.split_at(cut);
            pieces.push(head);
            rest = tail;
            if rest.is_empty() {
                break;
            }
        }
        let mut whole = String::new();
        for event in events(&pieces) {
            match event {
                Event::Paste(lines) => whole.push_str(&lines),
                Event::Key(KeyEvent { code: KeyCode::Char(c), modifiers: NONE, .. }) => whole.push(c),
                other @ (Event::Key(_)
                | Event::Mouse(_)
                | Event::Resize(..)
                | Event::FocusGained
                | Event::FocusLost) => prop_assert!(false, "{other:?} of {pieces:?}"),
            }
        }
        prop_assert_eq!(whole, text.clone());
    }

    #[test]
    fn any_mixture_of_keys_and_replies_split_anywhere_gives_exactly_the_keys(
        all_sent in prop::collection::vec(sent(), 0..20),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        awaited in any::<bool>(),
    ) {
        let bytes: Vec<u8> = all_sent.iter().flat_map(|(bytes, _)| bytes.clone()).collect();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]).collect();
        let mut decoder = Decoder::default();
        if awaited {
            decoder.await_replies(std::time::Instant::now());
        }
        let found = all(&mut decoder, &pieces, Duration::ZERO);
        let found = events_of(found);
        let expected: Vec<Event> = all_sent.into_iter().filter_map(|(_, event)| event).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn any_bytes_are_taken_and_the_keyboard_works_afterwards(
        bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(0x1b), Just(b'['), Just(b']')], 0..200),
    ) {
        // Ends a paste, a string, a sequence, a mouse report.
        let after: [&[u8]; 3] = [&bytes, b"\x1b[201~\r\r\r\r", b"x"];
        let found = decoded(&after, PAUSE);
        prop_assert_eq!(found.last(), Some(&Input::from(typed('x'))));
    }
}

/// A terminal whose bytes the test sends.
fn fake() -> (mpsc::Sender<Vec<u8>>, Keys) {
    let (tx, bytes) = mpsc::channel(8);
    let (gate, _) = gate::gate().unwrap();
    (tx, Keys { thread: Some((bytes, gate)), decoder: Decoder::default() })
}

fn stream_of(keys: &mut Keys) -> InputStream<'_> {
    InputStream::new(&mut keys.thread.as_mut().unwrap().0, &mut keys.decoder, None, None)
}

async fn send(terminal: &mpsc::Sender<Vec<u8>>, bytes: &[u8]) {
    terminal.send(bytes.to_vec()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn escape_arrives_by_itself_and_a_hang_up_ends_the_stream() {
    let (terminal, mut keys) = fake();
    let mut stream = stream_of(&mut keys);
    send(&terminal, b"\x1b").await;
    let escape: Input = key(KeyCode::Esc, NONE).into();
    assert_eq!(stream.next().await.unwrap().unwrap(), escape);
    send(&terminal, b"x").await;
    drop(terminal);
    assert_eq!(stream.next().await.unwrap().unwrap(), typed('x').into());
    assert!(stream.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn the_first_frame_waits_for_the_last_reply_a_key_or_the_limit() {
    let limit = Duration::from_millis(100);
    for (bytes, waited) in [
        (&b"\x1b]11;rgb:0/0/0\x07\x1b[?6c"[..], Duration::ZERO),
        (b"j", Duration::ZERO),
        (b"", limit),
        (b"\x1b]11;rgb:0/0/0\x07", limit),
    ] {
        let (terminal, mut keys) = fake();
        let mut stream = stream_of(&mut keys);
        send(&terminal, bytes).await;
        stream.await_replies();
        let start = Instant::now();
        stream.settle(limit).await;
        assert_eq!(start.elapsed(), waited, "{bytes:?}");
        let came = decoded(&[bytes], Duration::ZERO);
        for input in came {
            assert_eq!(stream.next().await.unwrap().unwrap(), input);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_is_late_at_the_end_is_not_left_to_the_next_program() {
    let (terminal, mut keys) = fake();
    let mut stream = stream_of(&mut keys);
    let limit = Duration::from_millis(500);
    let start = Instant::now();
    stream.drain_replies(limit).await;
    assert_eq!(start.elapsed(), Duration::ZERO, "nothing is awaited");
    stream.await_replies();
    let reply = async {
        tokio::time::sleep(limit / 2).await;
        send(&terminal, b"\x1b]11;rgb:0/0/0\x07\x1b[?6c").await;
    };
    tokio::join!(stream.drain_replies(limit), reply);
    assert_eq!(start.elapsed(), limit / 2);
}

#[test]
fn the_thread_reads_to_the_end_and_ends() {
    let (reader, mut writer) = io::pipe().unwrap();
    let reader = File::from(std::os::fd::OwnedFd::from(reader));
    let (mut bytes, _gate) = start(reader).unwrap();
    io::Write::write_all(&mut writer, b"abc").unwrap();
    drop(writer);
    let mut found = Vec::new();
    while let Some(piece) = bytes.blocking_recv() {
        found.extend(piece);
    }
    assert_eq!(found, b"abc");
}
