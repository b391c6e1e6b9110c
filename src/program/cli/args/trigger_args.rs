//! The arguments of `triggers`, `trigger` and `send`.

use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};

use super::team_args::{one_of, task_overlaps};
use crate::domain::AgentId;
use crate::domain::teams::task::Overlap;
use crate::domain::teams::trigger::change::TriggerPatch;
use crate::domain::teams::trigger::{TriggerConfig, TriggerKind, TriggerOverlap};

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
    #[arg(long, value_parser = overlaps(), value_name = "POLICY")]
    pub overlap: Option<TriggerOverlap>,
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
        #[arg(long = "type", value_parser = kinds(), value_name = "TYPE")]
        kind: TriggerKind,
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
        #[arg(long, value_parser = task_overlaps(), value_name = "POLICY")]
        overlap: Option<Overlap>,
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

fn kinds() -> impl TypedValueParser<Value = TriggerKind> {
    one_of(TriggerKind::ALL, TriggerKind::name, |kind| match kind {
        TriggerKind::Schedule => "Certain times",
        TriggerKind::Keyword => "A message with certain words",
        TriggerKind::Message => "A message of a channel that looks like that",
        TriggerKind::Window => "Every so often while a window is open",
    })
}

fn overlaps() -> impl TypedValueParser<Value = TriggerOverlap> {
    one_of(TriggerOverlap::ALL, TriggerOverlap::name, |overlap| match overlap {
        TriggerOverlap::SkipThenReplace => {
            "The first firing is skipped, the next one replaces the task"
        }
        TriggerOverlap::AlwaysSkip => "It is skipped",
        TriggerOverlap::AlwaysReplace => "It replaces the task",
        TriggerOverlap::Allow => "Both run",
    })
}

impl TriggerValues {
    /// The change that these are, with what else changes.
    pub fn patch(self, config: Option<TriggerConfig>, task: Option<String>) -> TriggerPatch {
        TriggerPatch {
            config,
            task,
            member: self.subagent.map(|id| AgentId::new(id.trim_start_matches('@'))),
            skill: self.skill,
            max_steps: self.max_steps,
            failure_threshold: self.failure_threshold,
            overlap: self.overlap,
        }
    }
}
