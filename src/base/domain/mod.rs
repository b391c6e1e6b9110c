//! What things are: dialogs, records, questions, reminders – and the pure rules over them.
//!
//! A *main dialog* is a person's conversation with one team member about one Taskdoc. Members call
//! each other (*tellask*); each call runs in a *side dialog* of the same tree. What happened is a list
//! of *records* per *course*; everything else is folded from them. Nothing here does I/O, reads a
//! clock or draws a random number.

pub mod asking;
pub mod dialogs;
pub mod ids;
pub mod lang;
pub mod models;
pub mod number;
pub mod reading;
pub mod safety;
pub mod server_prompts;
pub mod teams;
pub mod text;
pub mod time;

pub use dialogs::assignment::{Assignment, AssignmentFrame, ReplyDirective};
pub use dialogs::attachment::{ArtifactRef, Attachment, ImageKind, ImageLimits};
pub use dialogs::background::Background;
pub use dialogs::call::{ReplyKind, SpecialCall, TellaskKind};
pub use dialogs::conversion::{Loss, Lost};
pub use text::counted::counted;

pub use dialogs::dialog::{Dialog, DialogMeta};
pub use dialogs::dialog_limits::{SideDialogLimit, SideDialogLimits};
pub use models::dialect::{Dialect, Quirk, Quirks, ThinkingReplay};

pub use asking::question::{CallSite, Question};
pub use dialogs::foreign_layout::ForeignLayout;
pub use dialogs::history::History;
pub use dialogs::keep_going::KeepGoing;
pub use dialogs::latest::{DisplayState, ExecutionMarker, Latest, StopReason};
pub use dialogs::layout::Layout;
pub use dialogs::partial_answer::{AnswerText, UnfinishedAnswer};
pub use dialogs::pending::{CallType, Pending, WaitGroup};
pub use dialogs::push_count::PushCount;
pub use dialogs::queue::QueuedPrompt;
pub use dialogs::recent::{HumanAnswer, RecentPart};
pub use dialogs::record::{Entry, Record};
pub use dialogs::registry::RegistryEntry;
pub use dialogs::reminder::Reminder;
pub use dialogs::tree::{Batch, Bucket, DialogTree, TreeChange};
pub use ids::{AgentId, CallId, DialogId, MsgId, RootId, SelfId, Slug, TaskId, TeamName};
pub use lang::Lang;
pub use models::choice::ModelChoice;
pub use models::context_health::{
    AfterLastCall, ContextAction, ContextHealth, ContextPressure, ContextRefusals, HealthLevel,
};
pub use models::params::{AnthropicParams, ChatParams, GoogleParams, Thinking};
pub use models::team::{AccessLists, Member, ModelParams, ShellRight, Team};
pub use number::{Course, Genseq, RootAnchor};
pub use reading::file_change::{FileChange, FileChangeKind};
pub use reading::problem::{Problem, Severity};
pub use reading::problems::Problems;
pub use safety::reserved::Reserved;
pub use safety::secrets::{Secrets, SharedSecrets};
pub use safety::trust::{TrustEntry, Unagreed};
pub use server_prompts::{PromptArgument, PromptCall, ServerPrompt};
pub use text::hex::hex;
pub use time::{Clock, IdSource, Stamp};
