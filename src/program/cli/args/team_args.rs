//! The arguments of `teams`, `team`, `tasks`, `task` and `delegate`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};

use crate::domain::teams::task::{Overlap, Priority, TaskKind, TaskStatus};

#[derive(Debug, Args)]
pub struct TeamArgs {
    #[command(subcommand)]
    pub command: TeamCommand,
}

#[derive(Debug, Subcommand)]
pub enum TeamCommand {
    /// Show one team: who is in it, its limits, what it does
    Show {
        /// Its name
        team: String,
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
    /// Make a team, with a lead of its own that gets it ready
    Spawn {
        /// Its name: lower case letters, digits and single hyphens
        name: String,
        /// Keywords for the work that belongs to it
        #[arg(long, value_name = "KEYWORD", num_args = 1.., required = true)]
        scope: Vec<String>,
        /// What it is for, in one sentence
        #[arg(long, value_name = "TEXT", default_value = "")]
        description: String,
        /// What its lead has to know first; `-` reads it from standard input
        #[arg(long, value_name = "TEXT")]
        context: Option<String>,
        /// The team above it
        #[arg(long, value_name = "TEAM", default_value = "main")]
        parent: String,
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
    /// Change the keywords of a team
    Update {
        /// Its name
        team: String,
        /// Keywords that it gets
        #[arg(long, value_name = "KEYWORD", num_args = 1..)]
        add: Vec<String>,
        /// Keywords that it loses
        #[arg(long, value_name = "KEYWORD", num_args = 1..)]
        remove: Vec<String>,
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
    /// Shut a team down: its open tasks are cancelled, its dialogs archived, its files moved to a backup
    Shutdown {
        /// Its name
        team: String,
        /// Those below it, too
        #[arg(long)]
        cascade: bool,
        /// Do it
        #[arg(long)]
        yes: bool,
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub struct TasksArgs {
    /// Only those of this team
    #[arg(long)]
    pub team: Option<String>,
    /// Only those with this status; may be repeated
    #[arg(long, value_enum, value_name = "STATUS")]
    pub status: Vec<StatusArg>,
    /// Only those of this type
    #[arg(long = "type", value_enum, value_name = "TYPE")]
    pub kind: Option<KindArg>,
    /// At most so many, the newest first
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub limit: u32,
    /// One JSON value
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct TaskArgs {
    #[command(subcommand)]
    pub command: TaskCommand,
}

#[derive(Debug, Subcommand)]
pub enum TaskCommand {
    /// Show a task: what is to be done, and what came of it
    Show {
        /// Its id; a prefix is enough
        #[arg(value_name = "ID")]
        task: String,
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
    /// Cancel a task that has not ended; its dialog is stopped and archived
    Cancel {
        /// Its id; a prefix is enough
        #[arg(value_name = "ID")]
        task: String,
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
    /// Start a task again that failed, was cancelled or is blocked
    Retry {
        /// Its id; a prefix is enough
        #[arg(value_name = "ID")]
        task: String,
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub struct DelegateArgs {
    /// The team
    pub team: String,
    /// What is to be done; `-` reads it from standard input
    pub text: String,
    /// What goes first
    #[arg(long, value_enum, default_value = "normal")]
    pub priority: PriorityArg,
    /// Who works on it; the lead of the team if not given
    #[arg(long, value_name = "MEMBER")]
    pub member: Option<String>,
    /// What becomes of it if the team has open tasks; the team's own setting if not given
    #[arg(long, value_parser = task_overlaps(), value_name = "POLICY")]
    pub overlap: Option<Overlap>,
    /// One JSON value
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StatusArg {
    /// It waits
    Pending,
    /// It is worked on
    Running,
    /// It waits for a person
    Blocked,
    /// It has a result
    Done,
    /// It went wrong
    Failed,
    /// Nothing will come of it
    Cancelled,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KindArg {
    /// The first one of a new team
    Bootstrap,
    /// Given to a team
    Delegate,
    /// What a team below could not decide
    Escalation,
    /// A trigger made it
    Trigger,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PriorityArg {
    /// Before everything else
    Critical,
    /// Before what is normal
    High,
    /// As usual
    Normal,
    /// After everything else
    Low,
}

/// Reads one of these values by its name; `help` says what each means.
pub(super) fn one_of<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
    help: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let values = all.iter().map(|one| PossibleValue::new(name(*one)).help(help(*one)));
    PossibleValuesParser::new(values).try_map(move |said| {
        all.iter().copied().find(|one| name(*one) == said).ok_or("there is no such value")
    })
}

pub(super) fn task_overlaps() -> impl TypedValueParser<Value = Overlap> {
    one_of(Overlap::ALL, Overlap::name, |overlap| match overlap {
        Overlap::Allow => "It is queued",
        Overlap::Skip => "It is dropped",
        Overlap::Confirm => "It is dropped, and what is open is listed",
        Overlap::Replace => "It is queued, and what is open is cancelled",
    })
}

impl StatusArg {
    pub fn status(self) -> TaskStatus {
        match self {
            Self::Pending => TaskStatus::Pending,
            Self::Running => TaskStatus::Running,
            Self::Blocked => TaskStatus::Blocked,
            Self::Done => TaskStatus::Done,
            Self::Failed => TaskStatus::Failed,
            Self::Cancelled => TaskStatus::Cancelled,
        }
    }
}

impl KindArg {
    pub fn kind(self) -> TaskKind {
        match self {
            Self::Bootstrap => TaskKind::Bootstrap,
            Self::Delegate => TaskKind::Delegate,
            Self::Escalation => TaskKind::Escalation,
            Self::Trigger => TaskKind::Trigger,
        }
    }
}

impl PriorityArg {
    pub fn priority(self) -> Priority {
        match self {
            Self::Critical => Priority::Critical,
            Self::High => Priority::High,
            Self::Normal => Priority::Normal,
            Self::Low => Priority::Low,
        }
    }
}

#[derive(Debug, Args)]
pub struct HiveArgs {
    #[command(subcommand)]
    pub command: HiveCommand,
}

#[derive(Debug, Subcommand)]
pub enum HiveCommand {
    /// Copy the store to a new file, also while a driver runs
    Backup {
        /// The file; not overwritten
        file: PathBuf,
    },
    /// Make a copy the store; the one that is there is kept
    Restore {
        /// The copy
        file: PathBuf,
    },
    /// Begin with an empty store; the one that is there is kept
    Reset {
        /// Do it without a prompt
        #[arg(long)]
        yes: bool,
    },
}
