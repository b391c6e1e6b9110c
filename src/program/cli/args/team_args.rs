//! The arguments of `teams`, `team`, `tasks`, `task` and `delegate`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};

use super::vault_args::RightsArgs;
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
        /// A secret of its vault; the value is read from the terminal, unseen, or from standard input. May be repeated
        #[arg(long, value_name = "KEY")]
        credential: Vec<String>,
        #[command(flatten)]
        rights: RightsArgs,
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
    #[arg(long, value_parser = statuses(), value_name = "STATUS")]
    pub status: Vec<TaskStatus>,
    /// Only those of this type
    #[arg(long = "type", value_parser = kinds(), value_name = "TYPE")]
    pub kind: Option<TaskKind>,
    /// The maximum number of tasks, the newest first
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
    #[arg(long, value_parser = priorities(), default_value = "normal")]
    pub priority: Priority,
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

fn statuses() -> impl TypedValueParser<Value = TaskStatus> {
    one_of(TaskStatus::ALL, TaskStatus::name, |status| match status {
        TaskStatus::Pending => "It waits",
        TaskStatus::Running => "It is worked on",
        TaskStatus::Blocked => "It waits for a person",
        TaskStatus::Done => "It has a result",
        TaskStatus::Failed => "It went wrong",
        TaskStatus::Cancelled => "Nothing will come of it",
    })
}

fn kinds() -> impl TypedValueParser<Value = TaskKind> {
    use TaskKind::{Bootstrap, Delegate, Escalation, Query, Trigger};
    // A query is in no list.
    one_of(&[Bootstrap, Delegate, Escalation, Trigger], TaskKind::name, |kind| match kind {
        Bootstrap => "The first one of a new team",
        Delegate => "Given to a team",
        Escalation => "What a team below could not decide",
        Trigger => "A trigger made it",
        Query => "A team above asks",
    })
}

fn priorities() -> impl TypedValueParser<Value = Priority> {
    one_of(Priority::ALL, Priority::name, |priority| match priority {
        Priority::Critical => "Before everything else",
        Priority::High => "Before what is normal",
        Priority::Normal => "As usual",
        Priority::Low => "After everything else",
    })
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

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::args::Cli;

    #[test]
    fn tasks_are_listed_by_every_type_but_a_query() {
        for kind in TaskKind::ALL {
            let parsed = Cli::try_parse_from(["dominds-tui", "tasks", "--type", kind.name()]);
            assert_eq!(parsed.is_ok(), *kind != TaskKind::Query, "{}", kind.name());
        }
    }
}
