//! Clients that send what is no message, or read nothing: the others notice nothing of it.

use std::time::Duration;

use dominds_tui::protocol::wire::{
    self, Audience, FromDriver, Hello, LONGEST_FROM_CLIENT, OLDEST, PROTOCOL,
};
use dominds_tui::protocol::{Command, DriverEvent, QuietOutcome};
use tokio::io::AsyncWriteExt as _;

use super::{Raw, Stage, hello, memory};
use crate::common::quarter::quarter;
use crate::serving::Driver;

#[tokio::test]
async fn what_is_no_message_ends_its_connection_alone() {
    let (stage, _) = Stage::asking().await;
    let mut other = stage.screen("pts/1").await;
    let row = other.question().await;
    let frame = |body: &str| wire::frame(body.as_bytes(), LONGEST_FROM_CLIENT).expect("a frame");
    for bytes in [
        frame("no JSON"),
        frame(r#"{"command":{"open":{"ticket":"no number"}}}"#),
        frame(r#"{"hello":{"protocol":1,"oldest":1}}"#),
        vec![0xff; 4096],
        frame(&"[".repeat(200_000)),
    ] {
        let mut raw = Raw::greeted(&stage).await;
        let _ = raw.stream.write_all(&bytes).await;
        raw.end().await;
        let mut silent = Raw::connect(&stage).await;
        let _ = silent.stream.write_all(&bytes).await;
        let hello_comes_first = !bytes.windows(5).any(|part| part == b"hello");
        if hello_comes_first {
            silent.end().await;
        }
    }
    other.answer(&row, 1, "blue").await.expect("an answer");
    stage.end().await;
}

#[tokio::test]
async fn a_command_of_a_newer_client_is_refused_by_its_ticket_and_the_connection_goes_on() {
    let (stage, _) = Stage::asking().await;
    let mut raw = Raw::greeted(&stage).await;
    for body in
        [r#"{"command":{"levitate":{"ticket":9}}}"#, r#"{"command":{"shelf":{"ticket":10}}}"#]
    {
        let frame = wire::frame(body.as_bytes(), LONGEST_FROM_CLIENT).expect("a frame");
        raw.stream.write_all(&frame).await.expect("a driver that reads");
    }
    let mut replies = Vec::new();
    while replies.len() < 2 {
        if let Some(FromDriver::Event(event)) = raw.next().await {
            replies.extend(event.ticket().map(|ticket| (ticket, *event)));
        }
    }
    replies.sort_by_key(|(ticket, _)| *ticket);
    assert!(matches!(replies[0], (9, DriverEvent::Refused { .. })), "{replies:?}");
    assert!(matches!(replies[1], (10, DriverEvent::Shelf { .. })), "{replies:?}");
    drop(raw);
    stage.end().await;
}

#[tokio::test]
async fn a_client_that_reads_nothing_changes_nothing_for_the_others() {
    let (stage, _) = Stage::asking().await;
    let mut stalled = Raw::greeted(&stage).await;
    let mut other = stage.screen("pts/1").await;
    let row = other.question().await;
    // More than any buffer on the way takes.
    let refresh = wire::encode_command(&Command::Refresh).expect("a frame");
    let flood = async {
        loop {
            if stalled.stream.write_all(&refresh).await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    };
    let work = async {
        other.answer(&row, 1, "blue").await.expect("an answer");
        let quiet = |event: &DriverEvent| *event == DriverEvent::Quiet(QuietOutcome::Done);
        other.until(quiet).await;
    };
    tokio::select! {
        () = work => {}
        () = flood => {}
    }
    drop(stalled);
    stage.end().await;
}

fn frame(body: &[u8]) -> Vec<u8> {
    wire::frame(body, LONGEST_FROM_CLIENT).expect("a frame")
}

/// Returns invalid, cut, early or too many messages; `random` varies each kind.
fn hostile(kind: usize, random: &mut fastrand::Rng) -> Vec<u8> {
    let greeting = |hello: Hello| wire::encode_hello(&hello).expect("a frame");
    let greeting_of_screen = greeting(hello("raw", Audience::Screen));
    let command = |text: &str| frame(format!(r#"{{"command":{text}}}"#).as_bytes());
    let after_greeting = |more: Vec<u8>| [greeting_of_screen.clone(), more].concat();
    match kind {
        0 => (0..random.usize(1..200)).map(|_| random.u8(..)).collect(),
        1 => {
            let cut = random.usize(..greeting_of_screen.len());
            greeting_of_screen.into_iter().take(cut).collect()
        }
        2 => after_greeting(vec![0xff, 0xff, random.u8(..), random.u8(..), b'{']),
        3 => after_greeting(frame(&(0..50).map(|_| random.u8(..)).collect::<Vec<_>>())),
        4 => after_greeting(command(&"[".repeat(random.usize(129..400)))),
        5 => after_greeting(command(&format!(r#"{{"stop":{{"dialog":{}}}}}"#, random.u8(..)))),
        6 => after_greeting(greeting_of_screen.clone()),
        7 => command(r#""refresh""#),
        8 => {
            let far = random.u32(OLDEST + PROTOCOL + 1..);
            let screen = hello("raw", Audience::Screen);
            greeting(Hello { protocol: far, oldest: far, ..screen })
        }
        9 => after_greeting(command(r#"{"dance":{}}"#).repeat(random.usize(1..20))),
        _ => after_greeting(command(r#""refresh""#).repeat(random.usize(1..200))),
    }
}

const KINDS: usize = 11;

/// Uses a process of its own, so that other tests in this one do not count.
#[test]
fn thousands_of_hostile_connections_change_nothing_for_the_others() {
    const ROUNDS: usize = 10_000;
    const MOST_GROWTH: u64 = 64 * 1024 * 1024;
    let (driver, question) = Driver::asking();
    let (socket, pid) = (driver.socket(), driver.running().1);
    let mut random = fastrand::Rng::with_seed(13);
    let mut before = 0;
    for (made, round) in quarter(0..ROUNDS).enumerate() {
        send_and_leave(&socket, &hostile(round % KINDS, &mut random), random.bool());
        if before == 0 && round >= ROUNDS / 10 {
            before = memory(pid);
        }
        if made % 1_250 == 0 {
            assert_eq!(driver.question(), question, "it still says what is open");
        }
    }
    driver.ok(&["q4h", "answer", &question, "blue"], 0);
    let after = memory(pid);
    assert!(after < before + MOST_GROWTH, "{before} {after}");
    assert_eq!(driver.running().1, pid, "the same process drives");
}

/// `reads`: what comes is read to its end, which comes in time.
fn send_and_leave(socket: &std::path::Path, bytes: &[u8], reads: bool) {
    use std::io::{Read as _, Write as _};
    let limit = Some(Duration::from_mins(1));
    let mut stream = std::os::unix::net::UnixStream::connect(socket).expect("a connection");
    stream.set_read_timeout(limit).and_then(|()| stream.set_write_timeout(limit)).expect("limits");
    // The connection may be ended before everything is written.
    let _ = stream.write_all(bytes);
    if reads {
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let is_late = |error: std::io::Error| error.kind() == std::io::ErrorKind::WouldBlock;
        // Closed with something unread it is reset.
        let late = stream.read_to_end(&mut Vec::new()).is_err_and(is_late);
        assert!(!late, "the connection does not end: {bytes:?}");
    }
}
