//! The arguments of `vault`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};

use super::team_args::one_of;
use crate::domain::TeamName;
use crate::domain::safety::references::VaultUse;

#[derive(Debug, Args)]
pub struct VaultArgs {
    #[command(subcommand)]
    pub command: VaultCommand,
}

#[derive(Debug, Subcommand)]
pub enum VaultCommand {
    /// List the entries of the vaults; secrets without their values
    List(Listed),
    /// Show an entry; a secret without its value
    Show {
        #[command(flatten)]
        of: EntryName,
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
    /// Set an entry; its value is read from the terminal, unseen, or from standard input
    Set {
        #[command(flatten)]
        of: EntryName,
        /// Encrypt it; models get a reference
        #[arg(long)]
        secret: bool,
        #[command(flatten)]
        rights: RightsArgs,
        /// Let models of the team read it
        #[arg(long, value_parser = reader(), requires = "secret")]
        reveal: Option<String>,
    },
    /// Let no model read a secret any more, and say anew what it is for
    Close {
        #[command(flatten)]
        of: EntryName,
        #[command(flatten)]
        rights: RightsArgs,
    },
    /// Delete an entry
    Delete {
        #[command(flatten)]
        of: EntryName,
        /// Do it without a prompt
        #[arg(long)]
        yes: bool,
    },
    /// List where secrets were used, the newest first
    Uses {
        /// Only those of this key
        key: Option<String>,
        #[command(flatten)]
        listed: Listed,
    },
    /// The key that the secrets of the store are encrypted with
    Key {
        #[command(subcommand)]
        command: KeyCommand,
    },
    /// Move the credentials in the files of teams to their vaults
    Migrate(MigrateArgs),
}

/// What is listed, and how it is printed.
#[derive(Debug, Args)]
pub struct Listed {
    /// Only those of this team
    #[arg(long)]
    pub team: Option<String>,
    /// One JSON value
    #[arg(long)]
    pub json: bool,
}

/// The team and the key of an entry.
#[derive(Debug, Args)]
pub struct EntryName {
    /// Its key
    pub key: String,
    /// Its team
    #[arg(long, default_value = TeamName::MAIN)]
    pub team: String,
}

/// What a secret is for.
#[derive(Debug, Args)]
pub struct RightsArgs {
    /// Where it may be used, parted by commas; nowhere if none is named
    #[arg(long = "use", value_delimiter = ',', value_parser = uses())]
    pub uses: Vec<VaultUse>,
    /// The hosts it may be sent to, parted by commas: names, `*.suffix`, or `*`
    #[arg(long, value_delimiter = ',')]
    pub hosts: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Print the key, for another machine that shares the store
    Export {
        /// Do it without a prompt
        #[arg(long)]
        yes: bool,
    },
    /// Keep a key that was exported elsewhere; it is read from the terminal, unseen, or from standard input
    Import,
    /// Encrypt all secrets with a new key
    Rotate,
}

#[derive(Debug, Default, Args)]
pub struct MigrateArgs {
    /// Only say what would be done
    #[arg(long)]
    pub dry_run: bool,
    /// Only this team; may be repeated
    #[arg(long)]
    pub team: Vec<String>,
    /// A folder with a folder for each team, as OpenHive has it in `.run/teams`
    #[arg(long, value_name = "DIR")]
    pub from: Option<PathBuf>,
    /// One JSON value
    #[arg(long)]
    pub json: bool,
}

fn uses() -> impl TypedValueParser<Value = VaultUse> {
    one_of(&VaultUse::ALL, VaultUse::name, |one| match one {
        VaultUse::Web => "In requests to the hosts that are named",
        VaultUse::Shell => "As a variable of commands, if the file of the team names it",
        VaultUse::Mcp => "By MCP servers whose entry names it",
        VaultUse::Plugin => "By plugins that were approved with it",
    })
}

/// Who may read a secret.
fn reader() -> PossibleValuesParser {
    PossibleValuesParser::new([PossibleValue::new("model").help("The models of its team")])
}
