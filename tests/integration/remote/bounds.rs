//! The limits of what clients of one process can take of a driver: its seats and its memory.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use dominds_tui::protocol::wire::{self, Audience, Hello, LONGEST_FROM_CLIENT};

use super::memory;
use crate::serving::Driver;

fn connected(driver: &Driver) -> UnixStream {
    let mut stream = UnixStream::connect(driver.socket()).expect("a connection");
    let limit = Some(Duration::from_mins(1));
    stream.set_read_timeout(limit).and_then(|()| stream.set_write_timeout(limit)).expect("limits");
    let hello = wire::encode_hello(&Hello::new(Audience::Lines, "silent")).expect("a frame");
    let _ = stream.write_all(&hello);
    stream
}

/// True if it is let in.
fn is_welcome(stream: &mut UnixStream) -> bool {
    let mut first = [0; 16];
    stream.read_exact(&mut first).is_ok() && first.windows(7).any(|part| part == b"welcome")
}

#[test]
fn a_process_that_takes_all_seats_keeps_no_other_process_out() {
    let (driver, question) = Driver::asking();
    let mut silent: Vec<UnixStream> = (0..140).map(|_| connected(&driver)).collect();
    let welcome = silent.iter_mut().map(is_welcome).filter(|is| *is).count();
    assert!((100..140).contains(&welcome), "{welcome}");
    for _ in 0..3 {
        assert_eq!(driver.question(), question);
    }
    driver.ok(&["q4h", "answer", &question, "blue"], 0);
    driver.ok(&["quit"], 0);
}

#[test]
fn messages_that_never_end_take_bounded_memory_and_are_in_nobodys_way() {
    const CLIENTS: usize = 60;
    const MOST_GROWTH: u64 = 256 * 1024 * 1024;
    let (driver, question) = Driver::asking();
    let pid = driver.running().1;
    let before = memory(pid);
    let header = u32::try_from(LONGEST_FROM_CLIENT).expect("a length").to_be_bytes();
    let body = vec![b' '; LONGEST_FROM_CLIENT - 1];
    let mut holding = Vec::new();
    for _ in 0..CLIENTS {
        let mut stream = connected(&driver);
        // The connection may be ended before everything is written.
        let _ = stream.write_all(&header).and_then(|()| stream.write_all(&body));
        holding.push(stream);
    }
    let after = memory(pid);
    assert!(after < before + MOST_GROWTH, "{before} {after}");
    driver.ok(&["q4h", "answer", &question, "blue"], 0);
}
