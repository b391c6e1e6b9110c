//! The arguments of `memory`.

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::{Args, Subcommand, ValueEnum};

use super::team_args::one_of;
use crate::domain::teams::memory::MemoryType;

#[derive(Debug, Args)]
pub struct MemoryArgs {
    #[command(subcommand)]
    pub command: MemoryCommand,
}

/// Whose memories, and how they are printed.
#[derive(Debug, Args)]
pub struct MemoryPlace {
    /// The team
    #[arg(long, value_name = "TEAM", default_value = "main")]
    pub team: String,
    /// One JSON value
    #[arg(long)]
    pub json: bool,
}

/// The texts of a member that a memory can become a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MemberText {
    /// What the member knows
    Knowhow,
    /// What the member has to beware of
    Pitfalls,
}

#[derive(Debug, Subcommand)]
pub enum MemoryCommand {
    /// Find memories, the best first; `--team '*'` searches those of all teams
    Search {
        /// A few words
        query: String,
        /// The maximum number of memories
        #[arg(long, value_name = "N", default_value_t = 5)]
        limit: u32,
        #[command(flatten)]
        of: MemoryPlace,
    },
    /// List memories by type, the newest first; `--team '*'` lists those of all teams
    List {
        /// Only those of this type
        #[arg(long = "type", value_parser = types(), value_name = "TYPE")]
        kind: Option<MemoryType>,
        /// Also those that were replaced
        #[arg(long)]
        superseded: bool,
        #[command(flatten)]
        of: MemoryPlace,
    },
    /// Show a memory with its whole text
    Show {
        /// Its key
        key: String,
        /// Also those that had this key before, and why each was replaced
        #[arg(long)]
        chain: bool,
        #[command(flatten)]
        of: MemoryPlace,
    },
    /// Save a memory; one of this key is replaced only for a reason
    Save {
        /// Its key: one line
        key: String,
        /// Its text; `-` reads it from standard input
        text: String,
        /// What it is
        #[arg(long = "type", value_parser = types(), value_name = "TYPE", default_value = "context")]
        kind: MemoryType,
        /// Why it replaces the one of this key
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        #[command(flatten)]
        of: MemoryPlace,
    },
    /// Delete a memory; it can be restored for 90 days
    Delete {
        /// Its key
        key: String,
        /// Do it
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        of: MemoryPlace,
    },
    /// Bring back a deleted memory
    Restore {
        /// Its key
        key: String,
        #[command(flatten)]
        of: MemoryPlace,
    },
    /// Write each active memory into a Markdown file
    Export {
        /// The folder; files that are there are not overwritten
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        #[command(flatten)]
        of: MemoryPlace,
    },
    /// Make a memory a part of the texts of a member, and historical
    Promote {
        /// Its key
        key: String,
        /// The member
        #[arg(long, value_name = "MEMBER")]
        to: String,
        /// Which text
        #[arg(long = "as", value_name = "TEXT", default_value = "knowhow")]
        text: MemberText,
        #[command(flatten)]
        of: MemoryPlace,
    },
    /// Make the index of all memories anew
    Reindex {
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
}

fn types() -> impl TypedValueParser<Value = MemoryType> {
    one_of(MemoryType::ALL, MemoryType::name, |kind| match kind {
        MemoryType::Identity => "Who the team is",
        MemoryType::Lesson => "What it learned",
        MemoryType::Decision => "What it chose",
        MemoryType::Context => "What holds now",
        MemoryType::Reference => "Where something is",
        MemoryType::Historical => "What no longer holds",
    })
}
