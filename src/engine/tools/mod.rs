//! What a member may do besides talking: the [`Tool`] trait, the built-in tools and their texts.
//!
//! Three things stay true here. Tools never write dialog state: they return [`StateChange`]s, and the
//! caller commits them. [`ToolSubset::run`] never fails: whatever a model sends, the answer is an
//! [`ToolOutcome`] with a text the model can act on. And no file is touched except through the
//! [`guard`](crate::guard), which keeps every path inside the workspace and out of its reserved areas.
//!
//! ```text
//! registry ──▶ tool ◀── source          tools that come and go while the program runs
//!               ▲
//!             typed ──▶ args            what a model sends becomes the arguments' type
//!               ▲
//!               ├── control/*           reminders, mind, task document
//!               ├── files/*, edits/*, patch/*, images/*, search/*, memory/* ──▶ guards ──▶ guard
//!               ├── readonly/*          commands that only read ──▶ guards, shell
//!               ├── shell/*             commands, processes in the background
//!               ├── decision            who makes a decision, by the autonomy of the member
//!               ├── notify              what a person is told
//!               ├── skill               skills that the prompt only names
//!               ├── teams/*             tasks for other teams, and what becomes of them
//!               ├── memory_store/*      what a team remembers
//!               └── man                 the manuals of the toolsets
//! ```

mod args;
mod control;
mod decision;
mod edits;
mod files;
mod guards;
mod images;
mod man;
mod memory;
mod memory_store;
mod notify;
mod outcome;
mod patch;
mod readonly;
mod registry;
mod report;
mod search;
mod shell;
mod skill;
mod source;
mod stop;
mod team_calls;
mod team_place;
mod teams;
mod tool;
pub mod typed;

pub use args::Args;
pub(crate) use args::{ArgMismatch, MismatchKind, parameters};
pub(crate) use control::recent_tools;
pub use control::{CLEAR_MIND, replace_section};
pub(crate) use decision::{OptionArg, tool as decision_tool};
pub(crate) use files::{CreateFileArgs, FileArgs, ListDirArgs, OverwriteFileArgs, ReadFileArgs};
pub(crate) use memory_store::tools as memory_tools;
pub(crate) use notify::tool as notify_tool;
pub use outcome::{
    DecisionOutcome, MAX_RESULT_CHARS, MadeDecision, ReminderFormat, StateChange, ToolImage,
    ToolOutcome,
};
pub use readonly::git_state;
pub use registry::{NameTaken, Registry, ToolSubset};
pub use search::list_files;
pub use shell::{
    CallWatch, Environment, FOR_SPECIALISTS as SHELL_TOOLS, KEEP_OUTPUT, OutputLogMode, PASSED_ON,
    ProcessRegistry, ProcessReminder, ProcessScope, ShellSetup, Shells, follow, keep_output,
};
pub(crate) use shell::{Identity, ProcessGroup, STOPPED_WITH_OUTPUT};
pub use skill::SkillTexts;
pub(crate) use skill::{NAME as READ_SKILL, tool as read_skill_tool};
pub use source::{LeaseScope, PromptText, ReminderUpdate, ToolSource};
pub use team_calls::TeamCalls;
pub use team_place::TeamPlace;
pub(crate) use teams::{VAULT_GET, asks_first, tools as team_tools, vault_tools};
pub(crate) use tool::interrupted;
pub use tool::{Description, ReminderView, Tool, ToolCx, ToolSpec};

#[cfg(test)]
mod escapes;
#[cfg(test)]
pub(crate) mod test_support;
#[cfg(test)]
mod tests;
