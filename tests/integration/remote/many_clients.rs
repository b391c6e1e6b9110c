//! The cost of many clients for a driver, compared with one: `serve` as a process of its own, whose dialogs all stream.

use dominds_tui::domain::{AgentId, DialogId};
use dominds_tui::protocol::wire::{Audience, Hello};
use dominds_tui::protocol::{Command, DriverEvent};
use dominds_tui::remote::{Connection, Leaving, connect};

use crate::common::files;
use crate::common::wait::in_time;
use crate::serving::{Driver, cpu_ticks};

const DIALOGS: u64 = 20;
/// A reply takes about ten seconds.
const WORDS: usize = 1_000;

/// The resources of a driver while its dialogs streamed.
#[derive(Debug, Clone, Copy)]
struct Used {
    /// CPU time in hundredths of a second.
    cpu: u64,
    /// Bytes that it has in memory at the end.
    memory: u64,
}

async fn screen(driver: &Driver, number: usize) -> Connection {
    let hello = Hello::new(Audience::Screen, &format!("pts/{number}"));
    let joined = in_time(connect(&driver.place(), hello, Leaving::DriverStays)).await;
    joined.expect("a connection")
}

async fn next(screen: &mut Connection) -> DriverEvent {
    in_time(screen.events.recv()).await.expect("a driver that goes on")
}

/// Begins a dialog whose model talks for a while.
async fn begin(screen: &mut Connection, ticket: u64) -> DialogId {
    let (agent, taskdoc, text) = (AgentId::new("lead"), "t.tsk".to_owned(), "talk".to_owned());
    let create = Command::Create { ticket, agent, taskdoc, text, priming: Vec::new() };
    screen.commands.send(create).await.expect("a connection");
    loop {
        if let DriverEvent::Done { ticket: of, dialog: Some(dialog) } = next(screen).await
            && of == ticket
        {
            return dialog;
        }
    }
}

/// The bytes of live text until nothing runs any more.
async fn read_to_the_end(mut screen: Connection) -> usize {
    let mut read = 0;
    loop {
        let event = next(&mut screen).await;
        if let DriverEvent::Live { text, .. } = &event {
            read += text.len();
        }
        if matches!(event, DriverEvent::Quiet(_)) {
            return read;
        }
    }
}

async fn used_with(clients: usize) -> Used {
    let driver = Driver::start();
    let words = "word ".repeat(WORDS);
    let answers = format!(
        "responses:\n  - message: talk\n    role: user\n    chunkDelayMs: 5\n    response: {words}\n"
    );
    files::put(&driver.home().workspace(), "answers/m.yaml", &answers);
    let pid = driver.running().1;
    let mut screens = Vec::new();
    for number in 0..clients {
        screens.push(screen(&driver, number).await);
    }
    let mut maker = screen(&driver, clients).await;
    let before = cpu_ticks(pid);
    let mut dialogs = Vec::new();
    for ticket in 1..=DIALOGS {
        dialogs.push(begin(&mut maker, ticket).await);
    }
    let mut reading = tokio::task::JoinSet::new();
    for (screen, dialog) in screens.into_iter().zip(dialogs.iter().cycle()) {
        let open = Command::Open { ticket: 1, dialog: dialog.clone(), course: None };
        screen.commands.send(open).await.expect("a connection");
        reading.spawn(read_to_the_end(screen));
    }
    assert_eq!(read_to_the_end(maker).await, 0, "it shows no dialog");
    for read in reading.join_all().await {
        assert!(read > WORDS, "it was sent what it shows: {read}");
    }
    Used { cpu: cpu_ticks(pid) - before, memory: super::memory(pid) }
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_screens_take_less_than_twice_the_memory_of_one_while_twenty_dialogs_stream() {
    let one = used_with(1).await;
    let fifty = used_with(50).await;
    let (cpu, memory) = (fifty.cpu * 100 / one.cpu.max(1), fifty.memory * 100 / one.memory);
    println!(
        "50 screens beside one: {cpu} % of the CPU time, {memory} % of the memory; {one:?}, {fifty:?}"
    );
    assert!(fifty.memory < one.memory * 2, "{one:?} {fifty:?}");
}
