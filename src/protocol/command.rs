//! What a person, or a script, wants.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::lifecycle::Lifecycle;
use super::sheet::SheetRequest;
use crate::domain::keep_going::Switch;
use crate::domain::sandbox::Level;
use crate::domain::{AgentId, Course, DialogId, MsgId};

/// Chosen by the sender; the reply repeats it, so a late reply for a closed view is dropped.
pub type Ticket = u64;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// Show this dialog: answered by a [`super::TranscriptPage`] of its newest records; from then on
    /// its facts and live text are sent. `course` shows an old course. Changes nothing on disk.
    Open {
        ticket: Ticket,
        dialog: DialogId,
        course: Option<Course>,
    },
    /// Records of the shown course before line `before`.
    Page {
        ticket: Ticket,
        dialog: DialogId,
        course: Course,
        before: usize,
    },
    /// No dialog is shown any more.
    Close,
    /// A new main dialog, and its first message.
    Create {
        ticket: Ticket,
        agent: AgentId,
        taskdoc: String,
        text: String,
    },
    /// Words for a dialog: drives it, or waits for the end of its running generation.
    Say {
        ticket: Ticket,
        dialog: DialogId,
        text: String,
    },
    /// Takes back a message that waits for a dialog. Refused if a generation has taken it already.
    TakeBack {
        ticket: Ticket,
        dialog: DialogId,
        message: MsgId,
    },
    /// The answer to an open question. Refused if it was answered already.
    Answer {
        ticket: Ticket,
        dialog: DialogId,
        question: String,
        text: String,
    },
    Stop {
        dialog: DialogId,
    },
    /// A failing request is tried again now; nothing happens where none waits.
    RetryNow {
        dialog: DialogId,
    },
    StopAll,
    /// Lets a stopped dialog go on. Refused with a reason where it cannot.
    Continue {
        ticket: Ticket,
        dialog: DialogId,
    },
    ContinueAll {
        ticket: Ticket,
    },
    /// Takes back that a dialog may go on, where nothing has driven it yet.
    Withdraw {
        ticket: Ticket,
        dialog: DialogId,
    },
    /// Switches keep-going of a main dialog. An idle one that is switched on goes on at once.
    KeepGoing {
        ticket: Ticket,
        dialog: DialogId,
        switch: Switch,
    },
    /// Acknowledged with the dialog it made or concerned.
    Lifecycle {
        ticket: Ticket,
        change: Lifecycle,
    },
    /// Lists what is done and archived: answered by [`super::DriverEvent::Shelf`].
    Shelf {
        ticket: Ticket,
    },
    /// A person agrees to what they were shown of [`super::ConsentView`], by the digests of its entries,
    /// now and later. When nothing waits any more, what can go on does.
    Agree {
        ticket: Ticket,
        digests: Vec<String>,
        /// What commands may do from now on, where a person chose that anew.
        level: Option<Level>,
    },
    /// Looks again at what waits for consent: answered by [`super::DriverEvent::Consent`].
    CheckConsent,
    /// Ends a process in the background, with everything it started.
    StopProcess {
        ticket: Ticket,
        pid: u32,
    },
    /// The reminders or the Taskdoc of a dialog: to see them, or to change them.
    Sheet {
        ticket: Ticket,
        dialog: DialogId,
        request: SheetRequest,
    },
    /// The whole picture again: rows, inbox, problems.
    Refresh,
    /// Ends the driver: streams are cut, partial sayings kept, within `grace`.
    Shutdown {
        grace: Duration,
    },
}
