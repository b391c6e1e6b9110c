//! What things are: dialogs, records, questions, reminders – and the pure rules over them.
//!
//! A *main dialog* is a person's conversation with one team member about one Taskdoc. Members call
//! each other (*tellask*); each call runs in a *side dialog* of the same tree. What happened is a list
//! of *records* per *course*; everything else is folded from them. Nothing here does I/O, reads a
//! clock or draws a random number.

pub mod assignment;
pub mod attachment;
pub mod autonomy;
pub mod background;
pub mod call;
pub mod command_mark;
pub mod context_health;
pub mod counted;
pub mod crowd;
pub mod decisions;
pub mod dialect;
pub mod dialog;
pub mod diff;
pub mod file_change;
pub mod foreign_layout;
pub mod fresh_boots;
pub mod hex;
pub mod hidden_chars;
pub mod history;
pub mod ids;
pub mod image_reference;
pub mod inquiry;
pub mod json;
pub mod keep_going;
pub mod lang;
pub mod latest;
pub mod left;
pub mod memory;
pub mod needle;
pub mod net_changes;
pub mod news;
pub mod number;
pub mod open_questions;
pub mod org;
pub mod org_change;
pub mod overview;
pub mod ownership;
pub mod padding;
pub mod params;
pub mod pending;
pub mod problem;
pub mod problems;
pub mod push;
pub mod question;
pub mod question_kind;
pub mod queue;
pub mod record;
pub mod registry;
pub mod reminder;
pub mod reserved;
pub mod sandbox;
pub mod secrets;
pub mod server_tools;
pub mod shown_state;
pub mod stall;
pub mod state;
pub mod stop_reason;
pub mod task;
pub mod taskdoc;
pub mod team;
pub mod text;
pub mod time;
pub mod timeline;
pub mod title;
pub mod transcript;
pub mod tree;
pub mod trigger;
pub mod trust;
pub mod unfinished;
pub mod usage;
pub mod waits;
pub mod wildcard;

pub use assignment::{Assignment, AssignmentFrame, ReplyDirective};
pub use attachment::{ArtifactRef, Attachment, ImageKind, ImageLimits};
pub use background::Background;
pub use call::{ReplyKind, SpecialCall, TellaskKind};
pub use counted::counted;

pub use crowd::{CrowdLimit, CrowdLimits};
pub use dialect::{Dialect, Quirk, Quirks, ThinkingReplay};
pub use dialog::{Dialog, DialogMeta};

pub use context_health::{
    AfterLastCall, ContextAction, ContextHealth, ContextPressure, ContextRefusals, HealthLevel,
};
pub use file_change::{FileChange, FileChangeKind};
pub use foreign_layout::ForeignLayout;
pub use hex::hex;
pub use history::History;
pub use ids::{AgentId, CallId, DialogId, MsgId, RootId, SelfId, Slug, TaskId, TeamName};
pub use keep_going::KeepGoing;
pub use lang::Lang;
pub use latest::{DisplayState, ExecutionMarker, Latest, StopReason};
pub use number::{Course, Genseq, RootAnchor};
pub use params::AnthropicParams;
pub use pending::{CallType, Pending, WaitGroup};
pub use problem::{Problem, Severity};
pub use problems::Problems;
pub use push::PushCount;
pub use question::{CallSite, Question};
pub use queue::QueuedPrompt;
pub use record::{Entry, Record};
pub use registry::RegistryEntry;
pub use reminder::Reminder;
pub use reserved::Reserved;
pub use secrets::{Secrets, SharedSecrets};
pub use team::{AccessLists, Member, ModelParams, ShellRight, Team};
pub use time::{Clock, IdSource, Stamp};
pub use tree::{Batch, Bucket, DialogTree, TreeChange};
pub use trust::{TrustEntry, Unagreed};
pub use unfinished::{AnswerText, UnfinishedAnswer};
