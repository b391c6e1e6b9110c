//! The command line. Scripts rely on it.

pub mod convert_args;
pub mod memory_args;
pub mod question_args;
pub mod team_args;
pub mod trigger_args;
pub mod vault_args;

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::TypedValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::demo::{self, Story};
use crate::domain::asking::autonomy::AutonomyLevel;
use crate::domain::dialogs::keep_going::KeepGoingSwitch;
use crate::domain::safety::sandbox::Level;
use crate::sandbox::Means;
use crate::tools::KEEP_OUTPUT;
use convert_args::ConvertArgs;
use memory_args::MemoryArgs;
use question_args::Q4hArgs;
use team_args::{DelegateArgs, HiveArgs, TaskArgs, TasksArgs, TeamArgs, one_of};
use trigger_args::{SendArgs, TriggerArgs, TriggersArgs};
use vault_args::VaultArgs;

/// The program and its commands. Man pages and completions are generated from this.
#[derive(Debug, Parser)]
#[command(
    name = "dominds-tui",
    version,
    about = "Watch and answer a team of agents in the terminal",
    after_help = "Exit status: 0 nothing left to do, or paused by you, 3 a question waits for you, 4 a \
                  dialog failed or is blocked, 5 the workspace is in use, 6 workspace or \
                  configuration invalid, 7 timed out, 1 not possible in the current state, 2 wrong \
                  usage, 130 interrupted."
)]
pub struct Cli {
    /// The workspace; the current folder by default.
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub workspace: Option<PathBuf>,
    /// The process that waits for this one.
    #[arg(long, value_name = "PID", hide = true)]
    pub waited_for_by: Option<u32>,
    /// Put the terminal in order that a killed program left as it was
    #[arg(long)]
    pub reset_terminal: bool,
    #[command(flatten)]
    pub screen: ScreenArgs,
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Watch a scripted team in a temporary workspace; no API key, no network
    Demo(DemoArgs),
    /// Write a starter .minds/ and a first Taskdoc, never overwriting; at a terminal it asks for the model and tries it
    Init {
        /// Where; the workspace if not given
        #[arg(value_name = "DIR")]
        folder: Option<PathBuf>,
        /// With a .minds/hive/hive.yaml, so that leads can make teams; nothing is set in it
        #[arg(long)]
        teams: bool,
        /// Ask nothing: write the starter as it is
        #[arg(long)]
        yes: bool,
    },
    /// Send TEXT to a new main dialog, or to DLG, and drive until no dialog can continue
    Run(RunArgs),
    /// Drive all dialogs until none can continue
    Drive {
        #[command(flatten)]
        drive: DriveArgs,
    },
    /// List the dialogs
    Dialogs {
        /// Include done and archived ones
        #[arg(long)]
        all: bool,
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
    /// Print a transcript
    Show {
        /// Which dialog: ROOT, or SELF or ROOT#SELF for a side dialog; a prefix is enough
        #[arg(value_name = "DLG")]
        dialog: String,
        /// An older course; the newest if not given
        #[arg(long, value_name = "N")]
        course: Option<u32>,
        /// One JSON value, with the records as stored on disk
        #[arg(long, conflicts_with = "markdown")]
        json: bool,
        /// As Markdown
        #[arg(long)]
        markdown: bool,
    },
    /// Write a whole dialog, all its courses, as one document
    Export {
        /// Which dialog: ROOT, or SELF or ROOT#SELF for a side dialog; a prefix is enough
        #[arg(value_name = "DLG")]
        dialog: String,
        /// The kind of document
        #[arg(long, value_enum, default_value = "markdown")]
        format: ExportFormat,
        /// A new file; standard output if not given
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// List the reminders of a dialog
    Reminders {
        /// Which dialog: ROOT, or SELF or ROOT#SELF for a side dialog; a prefix is enough
        #[arg(value_name = "DLG")]
        dialog: String,
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
    /// List or answer questions for you
    Q4h(Q4hArgs),
    /// Stop a dialog, or all
    Stop(DialogOrAll),
    /// Resume a stopped dialog, or all; it continues with the next `drive` or screen
    Resume(DialogOrAll),
    /// Switch keep-going of a main dialog; an idle one that is switched on continues with the next
    /// `drive` or screen
    KeepGoing {
        /// Which main dialog; a prefix of its id is enough
        #[arg(value_name = "DLG")]
        dialog: String,
        /// The new setting
        #[arg(value_parser = switches())]
        switch: KeepGoingSwitch,
    },
    /// Mark a main dialog and all its side dialogs as done
    Done(RootArg),
    /// Archive a main dialog and all its side dialogs
    Archive(RootArg),
    /// Restore a main dialog that is done or archived
    Revive(RootArg),
    /// Delete a main dialog and all its side dialogs permanently
    Delete {
        #[command(flatten)]
        root: RootArg,
        /// Confirm; without this nothing is deleted
        #[arg(long)]
        yes: bool,
    },
    /// Convert dialogs that rest between the layouts of Dominds 1.19 and 1.29; what they were before is kept
    Convert(ConvertArgs),
    /// Declare a side dialog dead: it never continues, and the dialog waiting for it is notified
    Dead {
        /// Which side dialog: SELF or ROOT#SELF; a prefix is enough
        #[arg(value_name = "DLG")]
        dialog: String,
        /// A message for the dialog waiting for it
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
    /// Fork a main dialog: a new one with the history before a generation, which continues unless it
    /// waits for something; prints its id
    Fork(ForkArgs),
    /// Show what members decide alone, or choose a level
    Autonomy(AutonomyArgs),
    /// Show what the teams do, those in trouble first with what helps, and what waits for you; exits with 5 or 6 if
    /// the store cannot be used
    Overview {
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
    /// List the teams, each below its parent, with what they do
    Teams {
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
    /// Show a team
    Team(TeamArgs),
    /// List tasks of teams, the newest first
    Tasks(TasksArgs),
    /// Show, cancel or retry a task
    Task(TaskArgs),
    /// Give a task to a team; prints its id
    Delegate(DelegateArgs),
    /// List the triggers of teams: what fires next, and what came of it last
    Triggers(TriggersArgs),
    /// Show, create, change, enable, disable or try a trigger
    Trigger(TriggerArgs),
    /// Find, list, save, correct, export and promote what teams remember
    Memory(MemoryArgs),
    /// Send a message that triggers of teams look at; prints its id
    Send(SendArgs),
    /// List, set and delete what the vaults of teams hold, and look after their key
    Vault(VaultArgs),
    /// Copy the store of notices and tasks, put a copy back, or begin with an empty one
    Hive(HiveArgs),
    /// Show how the store of notices and tasks is; exits with 6 if it is out of order, 5 if it cannot be reached
    Health {
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
    /// Agree to the shells, MCP servers, providers and autonomy that this workspace configures
    Trust {
        /// Agree to all of them without a prompt
        #[arg(long)]
        yes: bool,
    },
    /// Drive the workspace without a screen, until `quit` or SIGTERM; screens and commands reach it
    Serve {
        /// Move the credentials in the files of teams to their vaults first
        #[arg(long)]
        migrate_credentials: bool,
    },
    /// Another screen on the driver that runs
    Attach(AttachArgs),
    /// List the workspaces of this machine that are driven, with their open questions
    Ps {
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
    /// Connect standard input and output to the driver, which is started if none runs; for `attach ssh://`
    Relay {
        /// Start no driver
        #[arg(long)]
        no_start: bool,
    },
    /// The open questions of several workspaces, here and on other machines: one inbox to answer from
    Inbox(InboxArgs),
    /// End the driver that runs; what its dialogs do is stopped, and the next driver continues it
    Quit,
    /// Log the output of a background process; started by the program itself
    #[command(name = KEEP_OUTPUT, hide = true)]
    KeepOutput,
    /// List the members of the team, with the provider and the model that each one uses
    Members {
        /// Include hidden ones
        #[arg(long)]
        all: bool,
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
    /// Print the next request for a member: prompt, context, tools; nothing is sent
    Read(ReadArgs),
    /// Check the workspace; changes nothing
    Doctor {
        /// One JSON value
        #[arg(long)]
        json: bool,
        /// Also start the MCP servers you agreed to, and list their tools
        #[arg(long, conflicts_with = "restore")]
        mcp: bool,
        /// Warnings make it exit with 6, too
        #[arg(long, conflicts_with_all = ["restore", "providers"])]
        strict: bool,
        /// Probe every provider with a short request instead: reachable, API key accepted, answers
        #[arg(long, conflicts_with = "restore")]
        providers: bool,
        /// Timeout for each provider, in seconds
        #[arg(long, value_name = "S", default_value = "20", value_parser = parse_seconds, requires = "providers")]
        timeout: Duration,
        /// Restore a tree that was set aside as damaged
        #[arg(long, value_name = "ROOT", conflicts_with = "json")]
        restore: Option<String>,
    },
    /// Run COMMAND in the sandbox of members' commands; exits with its status
    Sandbox(SandboxArgs),
    /// Write the man pages of the program and each command
    Manual {
        /// The target folder, such as ~/.local/share/man/man1
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Print completions for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Args)]
pub struct AttachArgs {
    #[command(flatten)]
    pub screen: ScreenArgs,
    /// Only look: nothing can be changed from this screen
    #[arg(long)]
    pub view: bool,
    /// A workspace on another machine: ssh://[USER@]HOST[:PORT]/PATH; a driver is started there if none runs
    #[arg(value_name = "PLACE")]
    pub place: Option<String>,
    /// The program that leads to that machine, with its arguments; then PLACE may be the path alone
    #[arg(long, value_name = "PROGRAM", requires = "place")]
    pub via: Option<String>,
    /// The dominds-tui to copy there, after asking, if there is none or an older one; this program, if not given
    #[arg(long, value_name = "FILE", requires = "place")]
    pub program: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct InboxArgs {
    /// Workspaces: ssh://[USER@]HOST[:PORT]/PATH, or folders here; those of `inbox` in config.yaml, or the workspace, if none is given
    #[arg(value_name = "PLACE")]
    pub places: Vec<String>,
    /// Lines instead of a screen: numbered questions, `2 use postgres` answers; also where there is no terminal
    #[arg(long)]
    pub plain: bool,
    /// Print what happens, one JSON object in a line, until interrupted; answers nothing
    #[arg(long, conflicts_with = "json")]
    pub watch: bool,
    /// The open questions, notices and failures as one JSON value
    #[arg(long)]
    pub json: bool,
    /// Print how many questions wait in the folders here, without those put off, as `2?`; nothing if none does. `2+?`: and in others that are not read
    #[arg(long, conflicts_with_all = ["plain", "watch", "json", "kind", "team", "all", "show", "dismiss", "dismiss_news", "history"])]
    pub count: bool,
    /// With `--json` or `--all`: only these; may be repeated
    #[arg(long, value_name = "KIND", conflicts_with_all = ["watch", "plain"])]
    pub kind: Vec<ItemKind>,
    /// With `--json` or `--all`: only what is of this team
    #[arg(long, value_name = "TEAM", conflicts_with_all = ["watch", "plain"])]
    pub team: Option<String>,
    /// List notices, failures and answers, also those that were dismissed; of folders here
    #[arg(long, conflicts_with_all = ["watch", "plain"])]
    pub all: bool,
    /// Show one notice, failure or answer; of folders here
    #[arg(long, value_name = "ID", conflicts_with_all = ["watch", "plain", "all", "kind", "team"])]
    pub show: Option<String>,
    /// Dismiss this notice or failure; may be repeated; of folders here
    #[arg(long, value_name = "ID", conflicts_with_all = ["watch", "plain", "all", "kind", "team", "show", "json"])]
    pub dismiss: Vec<String>,
    /// Dismiss all notices and failures; of folders here
    #[arg(long, conflicts_with_all = ["watch", "plain", "all", "kind", "team", "show", "json", "dismiss"])]
    pub dismiss_news: bool,
    /// List what was decided, by whom and why, the newest first; of folders here
    #[arg(long, conflicts_with_all = ["watch", "plain", "all", "kind", "team", "show", "dismiss", "dismiss_news"])]
    pub history: bool,
    /// With `--history`: only decisions that hold this text, in any case
    #[arg(long, value_name = "TEXT", requires = "history")]
    pub search: Option<String>,
}

/// What an item of the inbox is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ItemKind {
    /// A question of a member
    Question,
    /// A decision that a person is asked to approve
    Approval,
    /// What a person is told
    Notice,
    /// What will not go on by itself
    Failure,
    /// What a dialog answered a person, in the layout of Dominds 1.29
    Answer,
}

impl ItemKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Question => "question",
            Self::Approval => "approval",
            Self::Notice => "notice",
            Self::Failure => "failure",
            Self::Answer => "answer",
        }
    }
}

#[derive(Debug, Args)]
pub struct SandboxArgs {
    /// The sandbox level: read-only, workspace, workspace+net or off; that of the workspace if not given
    #[arg(long, value_parser = parse_level)]
    pub level: Option<Level>,
    /// The backend: bwrap or landlock; the better available one if not given
    #[arg(long, value_parser = parse_means)]
    pub means: Option<Means>,
    /// The command and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

#[derive(Debug, Args)]
pub struct ReadArgs {
    /// The member; the default responder if not given
    pub member: Option<String>,
    /// In a side dialog, as asked by a teammate
    #[arg(long)]
    pub side: bool,
    /// The next request of this dialog
    #[arg(long, value_name = "DLG", conflicts_with_all = ["member", "side"])]
    pub dialog: Option<String>,
    /// One JSON value
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct RootArg {
    /// Which main dialog; a prefix of its id is enough
    #[arg(value_name = "ROOT")]
    pub root: String,
}

#[derive(Debug, Args)]
pub struct ForkArgs {
    #[command(flatten)]
    pub root: RootArg,
    /// The course of the generation
    #[arg(long, value_name = "N")]
    pub course: u32,
    /// The generation: the first one that is not part of the fork
    #[arg(long, value_name = "N")]
    pub genseq: u32,
    /// Only create the fork
    #[arg(long)]
    pub no_drive: bool,
    #[command(flatten)]
    pub driving: DriveArgs,
}

/// How dialogs are shown.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct ScreenArgs {
    /// One line for each event, answers typed at a prompt; also where TERM=dumb
    #[arg(long)]
    pub plain: bool,
    /// Below the text of the terminal instead of on a screen of its own: what is finished stays in the scrollback
    #[arg(long, conflicts_with = "plain")]
    pub inline: bool,
}

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// What is played
    #[arg(value_enum, value_name = "STORY", default_value = "dialogs")]
    pub story: StoryArg,
    #[command(flatten)]
    pub screen: ScreenArgs,
    /// How fast the team works
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = parse_speed)]
    pub speed: f64,
    /// Keep the workspace in this folder
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StoryArg {
    /// Members share a task, ask each other, and ask you
    Dialogs,
    /// A team is made, gets tasks, asks its way up to you, and is watched over
    Teams,
}

impl StoryArg {
    pub fn story(self) -> &'static Story {
        match self {
            Self::Dialogs => &demo::DIALOGS,
            Self::Teams => &demo::TEAMS,
        }
    }
}

#[derive(Debug, Args)]
pub struct DriveArgs {
    /// Stop after this many seconds
    #[arg(long, value_name = "S", value_parser = parse_seconds)]
    pub timeout: Option<Duration>,
    /// One JSON object per line
    #[arg(long)]
    pub json: bool,
    /// Also print streamed text, as `saying_delta` events
    #[arg(long, requires = "json")]
    pub deltas: bool,
    /// Agree to everything `trust` would ask about, for this run only
    #[arg(long)]
    pub trust: bool,
    /// Leave background processes running at the end
    #[arg(long)]
    pub leave_processes: bool,
}

#[derive(Debug, Args)]
pub struct RunArgs {
    /// The member; the default responder if not given
    #[arg(long, value_name = "ID", conflicts_with = "dialog")]
    pub agent: Option<String>,
    /// The Taskdoc; created if missing
    #[arg(long, value_name = "P.tsk", conflicts_with = "dialog")]
    pub task: Option<String>,
    /// Send the text to this dialog
    #[arg(long, value_name = "DLG")]
    pub dialog: Option<String>,
    /// Begin the dialog with this startup script of `.minds/priming`, such as team_shared/first; repeatable
    #[arg(long, value_name = "SCRIPT", conflicts_with = "dialog")]
    pub priming: Vec<String>,
    #[command(flatten)]
    pub driving: DriveArgs,
    /// The text; `-` reads standard input
    pub text: String,
}

#[derive(Debug, Args)]
pub struct AutonomyArgs {
    /// How much is decided without a person; without it, what holds is shown
    #[arg(value_parser = autonomy_levels())]
    pub level: Option<AutonomyLevel>,
    /// For a team
    #[arg(long, value_name = "TEAM", requires = "level", conflicts_with = "member")]
    pub team: Option<String>,
    /// For a member
    #[arg(long, value_name = "ID", requires = "level")]
    pub member: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

fn autonomy_levels() -> impl TypedValueParser<Value = AutonomyLevel> {
    one_of(&AutonomyLevel::ALL, AutonomyLevel::name, |level| match level {
        AutonomyLevel::ConfirmAll => "Every decision requires approval",
        AutonomyLevel::MajorOnly => {
            "Changes of scope and architecture require approval; of others a person is told, except dependencies"
        }
        AutonomyLevel::Full => "Members decide everything",
    })
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct DialogOrAll {
    /// Which dialog: ROOT, or SELF or ROOT#SELF for a side dialog; a prefix is enough
    #[arg(value_name = "DLG")]
    pub dialog: Option<String>,
    /// All of them
    #[arg(long)]
    pub all: bool,
}

fn switches() -> impl TypedValueParser<Value = KeepGoingSwitch> {
    use KeepGoingSwitch::{Off, On, Refill};
    let name = |switch: KeepGoingSwitch| match switch {
        On => "on",
        Off => "off",
        Refill => "refill",
    };
    one_of(&[On, Off, Refill], name, |switch| match switch {
        On => "Push the dialog when it would stop",
        Off => "Let it stop",
        Refill => "Restore the full number of pushes",
    })
}

/// Avoids overflow of the clock.
const MAX_SECONDS: f64 = 1e9;

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=MAX_SECONDS).contains(number));
    let length = number.and_then(|number| Duration::try_from_secs_f64(number).ok());
    length.ok_or_else(|| "the value must be a number of seconds from 0 to 1000000000".to_owned())
}

fn parse_level(text: &str) -> Result<Level, String> {
    let known = || Level::ALL.map(Level::name).join(", ");
    Level::named(text).ok_or_else(|| format!("the levels are {}", known()))
}

fn parse_means(text: &str) -> Result<Means, String> {
    Means::named(text)
        .ok_or_else(|| format!("the backends are {}", Means::ALL.map(Means::name).join(", ")))
}

fn parse_speed(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "the value must be a factor such as 2 or 0.5; 0 does not wait".to_owned())
}

/// The format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ExportFormat {
    /// For people and other programs that read Markdown
    Markdown,
    /// A page for browsers, without scripts
    Html,
    /// One JSON value
    Json,
}
