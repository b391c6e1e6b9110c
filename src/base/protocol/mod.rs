//! The protocol between screen and driver. Both directions are plain data; [`wire`] is their form for clients in
//! other processes.
//!
//! * [`Command`] (screen → driver): each may be refused with a sentence.
//! * [`DriverEvent`] (driver → screen): a fact or a piece of live text. A [`DriverEvent::Fact`] is on disk
//!   before it is sent. For a slow screen live text is merged; other events keep their order, or are dropped
//!   for [`DriverEvent::Lagged`], after which the screen requests the complete state.

mod asked;
pub mod changes;
pub mod command;
mod entry_json;
pub mod event;
mod event_size;
pub mod finding;
pub mod image;
pub mod lifecycle;
pub mod memories;
pub mod mind;
pub mod outbox;
pub mod program_log;
pub mod refusal;
pub mod sheet;
pub mod stored_record;
pub mod teams;
pub mod timeline;
pub mod usage;
pub mod vault;
pub mod wire;

pub use asked::Asked;
pub use changes::{ChangesScope, ChangesView, ReadEnd};
pub use command::{Command, LARGEST_TICKET, LOOKED, Ticket};
pub use event::{
    ConsentView, Cursor, DriverEvent, HaltedDialog, InboxRow, LOST, MemberView, ModelView,
    QuietOutcome, RetryView, TranscriptPage, TreeRow, WorkspaceView,
};
pub use finding::{FindEnd, FindRequest, FindScope, FoundPart, FoundRecord};
pub use image::{AttachedImage, ImageOrigin, ImageSource, ImageSupport};
pub use lifecycle::{AfterFork, ForkMode, Lifecycle, ShelfRow};
pub use memories::MemoriesRequest;
pub use mind::{MindTool, MindView};
pub use outbox::Outbox;
pub use program_log::{LogLevel, LogLine, LogView};
pub use refusal::Refusal;
pub use sheet::{ReminderAudience, ReminderView, SectionView, Sheet, SheetRequest, TaskdocView};
pub use stored_record::StoredRecord;
pub use teams::{TeamRow, TeamsRequest};
pub use timeline::{TimelineRow, TimelineView};
pub use usage::{DialogUsage, UsageView};
pub use vault::VaultRequest;
