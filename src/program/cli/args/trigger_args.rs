//! The arguments of `triggers`, `trigger` and `send`.

use clap::{Args, Subcommand, ValueEnum};

use super::team_args::OverlapArg;
use crate::domain::teams::trigger::{TriggerKind, TriggerOverlap};

#[derive(Debug, Args)]
pub struct TriggersArgs {
    /// Only those of this team
    #[arg(long)]
    pub team: Option<String>,
    /// One JSON value
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct TriggerArgs {
    #[command(subcommand)]
    pub command: TriggerCommand,
}

/// The team and the name of a trigger.
#[derive(Debug, Args)]
pub struct TriggerName {
    /// Its team
    pub team: String,
    /// Its name
    pub name: String,
}

/// What can be changed of a trigger.
#[derive(Debug, Args)]
pub struct TriggerValues {
    /// Who works on its tasks; the lead of the team if not given
    #[arg(long, value_name = "MEMBER")]
    pub subagent: Option<String>,
    /// The skill to be used
    #[arg(long, value_name = "SKILL")]
    pub skill: Option<String>,
    /// Steps of each task; those of the team if not given
    #[arg(long, value_name = "N")]
    pub max_steps: Option<u32>,
    /// Failed tasks in a row after which it is disabled; 3 if not given
    #[arg(long, value_name = "N")]
    pub failure_threshold: Option<u32>,
    /// What becomes of a firing while its last task is not over
    #[arg(long, value_enum, value_name = "POLICY")]
    pub overlap: Option<TriggerOverlapArg>,
}

#[derive(Debug, Subcommand)]
pub enum TriggerCommand {
    /// Show a trigger: when it fires, what it does, what came of it
    Show {
        #[command(flatten)]
        of: TriggerName,
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
    /// Write the file of a new trigger; it does nothing until it is enabled
    Create {
        #[command(flatten)]
        of: TriggerName,
        /// What makes it fire
        #[arg(long = "type", value_enum, value_name = "TYPE")]
        kind: TriggerKindArg,
        /// When, as JSON: {"cron": …, "timezone": …} for a schedule, {"pattern": …} for a keyword, {"pattern": …, "channel": …}
        /// for a message, {"open": "09:30", "close": "16:00", "days": "mon-fri", "tick_interval_ms": 30000} for a window
        #[arg(long, value_name = "JSON")]
        config: String,
        /// What is to be done; `-` reads it from standard input
        #[arg(long, value_name = "TEXT")]
        task: String,
        #[command(flatten)]
        values: TriggerValues,
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
    /// Change the file of a trigger
    Update {
        #[command(flatten)]
        of: TriggerName,
        /// When, as JSON
        #[arg(long, value_name = "JSON")]
        config: Option<String>,
        /// What is to be done; `-` reads it from standard input
        #[arg(long, value_name = "TEXT")]
        task: Option<String>,
        #[command(flatten)]
        values: TriggerValues,
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
    /// Let a trigger fire from now on
    Enable {
        #[command(flatten)]
        of: TriggerName,
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
    /// Let a trigger fire no more
    Disable {
        #[command(flatten)]
        of: TriggerName,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
    /// Queue the task of a trigger once; prints its id
    Test {
        #[command(flatten)]
        of: TriggerName,
        /// Steps of this task
        #[arg(long, value_name = "N")]
        max_steps: Option<u32>,
        /// What becomes of it if the team has open tasks; the team's own setting if not given
        #[arg(long, value_enum, value_name = "POLICY")]
        overlap: Option<OverlapArg>,
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub struct SendArgs {
    /// What it says; `-` reads it from standard input
    pub text: String,
    /// Where it comes from
    #[arg(long, default_value = "cli")]
    pub channel: String,
    /// Its id: the same message counts once; a new one if not given
    #[arg(long)]
    pub id: Option<String>,
    /// One JSON value
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TriggerKindArg {
    /// Certain times
    Schedule,
    /// A message with certain words
    Keyword,
    /// A message of a channel that looks like that
    Message,
    /// Every so often while a window is open
    Window,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TriggerOverlapArg {
    /// The first firing is skipped, the next one replaces the task
    SkipThenReplace,
    /// It is skipped
    AlwaysSkip,
    /// It replaces the task
    AlwaysReplace,
    /// Both run
    Allow,
}

impl TriggerKindArg {
    pub fn kind(self) -> TriggerKind {
        match self {
            Self::Schedule => TriggerKind::Schedule,
            Self::Keyword => TriggerKind::Keyword,
            Self::Message => TriggerKind::Message,
            Self::Window => TriggerKind::Window,
        }
    }
}

impl TriggerOverlapArg {
    pub fn policy(self) -> TriggerOverlap {
        match self {
            Self::SkipThenReplace => TriggerOverlap::SkipThenReplace,
            Self::AlwaysSkip => TriggerOverlap::AlwaysSkip,
            Self::AlwaysReplace => TriggerOverlap::AlwaysReplace,
            Self::Allow => TriggerOverlap::Allow,
        }
    }
}
