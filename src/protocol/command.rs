//! Commands of the user, or of a script.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::finding::FindRequest;
use super::image::{AttachedImage, ImageOrigin};
use super::lifecycle::Lifecycle;
use super::sheet::SheetRequest;
use crate::domain::keep_going::KeepGoingSwitch;
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
    /// The newest records of a dialog, without showing it: answered like [`Self::Open`], or not at all if
    /// another one is wanted before it was read. Changes nothing on disk.
    Preview {
        ticket: Ticket,
        dialog: DialogId,
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
    /// A message for a dialog: drives it, or is queued until its running generation has ended.
    Say {
        ticket: Ticket,
        dialog: DialogId,
        text: String,
        #[serde(default)]
        images: Vec<AttachedImage>,
    },
    /// Keeps a private copy of an image that the user wants to attach: answered by
    /// [`super::DriverEvent::ImageKept`]. Nothing is sent to anybody.
    KeepImage {
        ticket: Ticket,
        origin: ImageOrigin,
    },
    /// Takes back a queued message. Refused if a generation has taken it already.
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
        #[serde(default)]
        images: Vec<AttachedImage>,
    },
    Stop {
        dialog: DialogId,
    },
    /// Retries a failing request now; without effect if none waits for a retry.
    RetryNow {
        dialog: DialogId,
    },
    StopAll,
    /// Continues a stopped dialog. Refused with a reason if that is not possible.
    Continue {
        ticket: Ticket,
        dialog: DialogId,
    },
    ContinueAll {
        ticket: Ticket,
    },
    /// Takes back a `Continue` if nothing has driven the dialog yet.
    Withdraw {
        ticket: Ticket,
        dialog: DialogId,
    },
    /// Switches keep-going of a main dialog. An idle one that is switched on continues at once.
    KeepGoing {
        ticket: Ticket,
        dialog: DialogId,
        switch: KeepGoingSwitch,
    },
    /// Acknowledged with the dialog it created or concerned.
    Lifecycle {
        ticket: Ticket,
        change: Lifecycle,
    },
    /// Gives a dialog a title; `None` takes it away, and the dialog has its first words again.
    Title {
        ticket: Ticket,
        dialog: DialogId,
        title: Option<String>,
    },
    /// Lists done and archived trees: answered by [`super::DriverEvent::Shelf`].
    Shelf {
        ticket: Ticket,
    },
    /// The end of the program's log: answered by [`super::DriverEvent::Log`].
    Log {
        ticket: Ticket,
    },
    /// What a member is told: answered by [`super::DriverEvent::Mind`].
    Mind {
        ticket: Ticket,
        agent: AgentId,
    },
    /// The user agrees to entries of [`super::ConsentView`], identified by their digests, permanently. When
    /// nothing waits any more, dialogs that can continue do.
    Agree {
        ticket: Ticket,
        digests: Vec<String>,
        /// The new sandbox level, if the user chose one.
        level: Option<Level>,
    },
    /// Checks again what waits for consent: answered by [`super::DriverEvent::Consent`].
    CheckConsent,
    /// Lists the files of the workspace: answered by [`super::DriverEvent::Files`].
    Files,
    /// Ends a background process, with all its children.
    StopProcess {
        ticket: Ticket,
        pid: u32,
    },
    /// Reads or changes the reminders or the Taskdoc of a dialog.
    Sheet {
        ticket: Ticket,
        dialog: DialogId,
        request: SheetRequest,
    },
    /// Searches the records of dialogs: answered by [`super::DriverEvent::Found`], several times. A search
    /// that still reads ends.
    Find {
        ticket: Ticket,
        request: FindRequest,
    },
    /// Ends a search that still reads.
    EndFind,
    /// Requests the complete state again: rows, inbox, problems.
    Refresh,
    /// Ends the driver: streams are aborted and partial texts kept, within `grace`.
    Shutdown {
        grace: Duration,
    },
}
