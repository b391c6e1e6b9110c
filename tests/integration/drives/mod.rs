//! Whole dialogs, driven as a screen drives them: commands in, events and course files out. The
//! models are scripted, the disk is real, the clock stands still.

#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot go on says why")]
#![expect(clippy::indexing_slicing, reason = "a test that misses something fails")]
#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks for what it is about")]

mod after_restart;
mod ask_back;
mod asking_once;
mod assignments;
mod attached;
mod blocking;
mod bounded;
mod captured;
mod crash;
mod deaths;
mod decisions;
mod dialog_autonomy;
mod disk;
mod edits;
mod failures;
mod faults;
mod finding;
mod forks;
mod fresh_boots;
mod handover;
mod health;
mod hidden;
mod history;
mod images;
mod interjections;
mod keep_going;
mod languages;
mod layout;
mod lifecycle;
mod log;
mod mcp;
mod mcp_answers;
mod mcp_consent;
mod mcp_prompts;
mod mcp_real;
mod mcp_resources;
mod memories;
mod messages;
mod minds;
mod model_choice;
mod overflow;
mod overview;
mod parts;
mod power;
mod probe;
mod queries;
mod questions;
mod queued;
mod recent_layout;
mod reminders;
mod restart;
mod rings;
mod rounds;
mod runs;
mod send_now;
mod sessions;
mod sheets;
mod shell;
mod side_dialog_limits;
mod stalls;
mod states;
mod stops;
mod support;
mod talk;
mod tasks;
mod team_memories;
mod tellasks;
mod tools;
mod triggers;
mod trust;
mod unfinished;
mod updates;
mod vault;
mod watching;

use dominds_tui::domain::{DialogId, SelfId};
use dominds_tui::llm::{Message, Request};
use dominds_tui::protocol::{Command, DriverEvent};

use crate::common::Running;

/// What the driver replies to a client.
async fn reply_to(running: &mut Running, command: impl FnOnce(u64) -> Command) -> DriverEvent {
    const TICKET: u64 = 90_000;
    running.send(command(TICKET)).await;
    loop {
        let event = running.event().await;
        if event.ticket() == Some(TICKET) {
            return event;
        }
    }
}

/// The n-th dialog that was made, counting from 1, in the tree of `main`.
fn made(main: &DialogId, n: u32) -> DialogId {
    DialogId::side(&main.root, &SelfId::new(format!("aa/00/{n:08x}")))
}

/// The result of a call as the model was shown it.
fn result_of<'a>(request: &'a Request, call: &str) -> Option<&'a str> {
    request.messages.iter().find_map(|message| match message {
        Message::Result { id, content, .. } if id == call => Some(content.as_str()),
        _ => None,
    })
}

fn prompts(request: &Request) -> Vec<&str> {
    let texts = request.messages.iter().filter_map(|message| match message {
        Message::Prompt(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

fn replies(request: &Request) -> Vec<&str> {
    let texts = request.messages.iter().filter_map(|message| match message {
        Message::TellaskResult(text) | Message::Carryover(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// Returns the index of a line among those of a dialog.
fn place(lines: &[String], line: &str) -> usize {
    let found = lines.iter().position(|one| one == line);
    found.unwrap_or_else(|| panic!("no {line:?} in {lines:#?}"))
}

/// The only open question.
fn question(running: &Running) -> dominds_tui::protocol::event::InboxRow {
    let inbox = running.inbox();
    assert_eq!(inbox.len(), 1, "{inbox:?}");
    inbox.into_iter().next().expect("one question")
}
