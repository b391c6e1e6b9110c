//! What the screen and the driver say to each other. Both directions are plain data: the same two
//! streams may one day cross a socket.
//!
//! * [`Command`] (screen → driver) is an imperative; each may be refused with a sentence.
//! * [`DriverEvent`] (driver → screen) is a past fact or a piece of live text. A [`DriverEvent::Fact`] is on
//!   disk before it is sent. Under pressure live text is merged; everything else keeps its place, or
//!   the screen is told [`DriverEvent::Lagged`] and asks for a fresh picture.

pub mod command;
pub mod event;
pub mod lifecycle;
pub mod outbox;
pub mod refusal;
pub mod sheet;

pub use command::{Command, Ticket};
pub use event::{
    ConsentView, Cursor, DriverEvent, HaltedDialog, InboxRow, MemberView, QuietOutcome, RetryView,
    TranscriptPage, TreeRow, WorkspaceView,
};
pub use lifecycle::{AfterFork, ForkMode, Lifecycle, ShelfRow};
pub use outbox::Outbox;
pub use refusal::Refusal;
pub use sheet::{ReminderAudience, ReminderView, SectionView, Sheet, SheetRequest, TaskdocView};
