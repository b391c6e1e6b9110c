//! The command line: a contract that scripts rely on.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::domain::sandbox::Level;
use crate::sandbox::Means;
use crate::tools::KEEP_OUTPUT;

/// The program and its commands. The man pages and the completions are made from this, too.
#[derive(Debug, Parser)]
#[command(
    name = "dominds-tui",
    version,
    about = "Watch and answer a team of agents in the terminal",
    after_help = "Exit status: 0 nothing left to do, or paused by you, 3 a question waits for you, 4 a \
                  dialog stopped on a failure or waits for what nobody will do, 5 the workspace is in \
                  use, 6 workspace or configuration invalid, 7 timed out, 1 not possible as things \
                  stand, 2 wrong usage, 130 interrupted."
)]
pub struct Cli {
    /// The workspace; the current folder by default.
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub workspace: Option<PathBuf>,
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Watch a scripted team on a scratch workspace; no key, no network
    Demo(DemoArgs),
    /// Write a starter .minds/ and a first Taskdoc; never overwrites
    Init {
        /// Where; the workspace if not given
        #[arg(value_name = "DIR")]
        folder: Option<PathBuf>,
    },
    /// Say TEXT in a new main dialog, or in DLG, and drive until nothing can go on
    Run(RunArgs),
    /// Pick up whatever can go on, until nothing can
    Drive {
        #[command(flatten)]
        drive: DriveArgs,
    },
    /// The tree of dialogs
    Dialogs {
        /// Done and archived ones too
        #[arg(long)]
        all: bool,
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
    /// A transcript
    Show {
        /// Which dialog: ROOT, or SELF or ROOT#SELF for a side dialog; the beginning is enough
        #[arg(value_name = "DLG")]
        dialog: String,
        /// An older course; the newest if not given
        #[arg(long, value_name = "N")]
        course: Option<u32>,
        /// One JSON value, with the records as they are on disk
        #[arg(long, conflicts_with = "markdown")]
        json: bool,
        /// As Markdown
        #[arg(long)]
        markdown: bool,
    },
    /// Questions that wait for you
    Q4h(Q4hArgs),
    /// Stop a dialog, or all
    Stop(DialogOrAll),
    /// Let a stopped dialog go on, or all; it goes on with the next `drive` or screen
    Resume(DialogOrAll),
    /// Switch keep-going of a main dialog; an idle one that is switched on goes on with the next
    /// `drive` or screen
    KeepGoing {
        /// Which main dialog; the beginning of its id is enough
        #[arg(value_name = "DLG")]
        dialog: String,
        /// What is wanted
        #[arg(value_enum)]
        switch: KeepGoingSwitch,
    },
    /// Put a main dialog among those that are done, with all its side dialogs
    Done(RootArg),
    /// Put a main dialog into the archive, with all its side dialogs
    Archive(RootArg),
    /// Bring a main dialog back that is done or archived
    Revive(RootArg),
    /// Delete a main dialog with all its side dialogs, for ever
    Delete {
        #[command(flatten)]
        root: RootArg,
        /// Yes, for ever; without this nothing is deleted
        #[arg(long)]
        yes: bool,
    },
    /// Declare a side dialog dead: it never goes on, and who waits for it is told
    Dead {
        /// Which side dialog: SELF or ROOT#SELF; the beginning is enough
        #[arg(value_name = "DLG")]
        dialog: String,
        /// What to tell who waits for it
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
    /// Branch off a main dialog: a new one with everything from before a generation, which goes on if it
    /// waits for nobody; prints its id
    Fork(ForkArgs),
    /// Agree that keys go to the addresses this workspace names, and to what its MCP servers do
    Trust {
        /// To all of them, without being asked
        #[arg(long)]
        yes: bool,
    },
    /// Keep the output of a background process; started by the program itself
    #[command(name = KEEP_OUTPUT, hide = true)]
    KeepOutput,
    /// What a member is sent: prompt, context, tools; nothing is sent
    Read(ReadArgs),
    /// Check the workspace; changes nothing
    Doctor {
        /// One JSON value
        #[arg(long)]
        json: bool,
        /// Start the MCP servers too, those you agreed to, and tell their tools
        #[arg(long, conflicts_with = "restore")]
        mcp: bool,
        /// Ask every provider for a word instead: is it there, does it take the key, does it answer?
        #[arg(long, conflicts_with = "restore")]
        providers: bool,
        /// Give each provider so many seconds
        #[arg(long, value_name = "S", default_value = "20", value_parser = parse_seconds, requires = "providers")]
        timeout: Duration,
        /// Put a tree that was set aside as damaged back
        #[arg(long, value_name = "ROOT", conflicts_with = "json")]
        restore: Option<String>,
    },
    /// Run COMMAND as a command of a member is run here; exits as it does
    Sandbox(SandboxArgs),
    /// Write the man pages of the program and of each command
    Manual {
        /// The folder they are written to, such as ~/.local/share/man/man1
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
pub struct SandboxArgs {
    /// What it may do: read-only, workspace, workspace+net or off; as the workspace has it if not given
    #[arg(long, value_parser = parse_level)]
    pub level: Option<Level>,
    /// What holds it: bwrap or landlock; the better one that works if not given
    #[arg(long, value_parser = parse_means)]
    pub means: Option<Means>,
    /// The command and its arguments, behind `--`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

#[derive(Debug, Args)]
pub struct ReadArgs {
    /// Whose; the default responder's if not given
    pub member: Option<String>,
    /// As a teammate asks it, in a side dialog
    #[arg(long)]
    pub side: bool,
    /// What this dialog would be sent next
    #[arg(long, value_name = "DLG", conflicts_with_all = ["member", "side"])]
    pub dialog: Option<String>,
    /// One JSON value
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct RootArg {
    /// Which main dialog; the beginning of its id is enough
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
    /// The generation: the first one the fork does not have
    #[arg(long, value_name = "N")]
    pub genseq: u32,
    /// Only make it
    #[arg(long)]
    pub no_drive: bool,
    #[command(flatten)]
    pub driving: DriveArgs,
}

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// How fast the team works
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = parse_speed)]
    pub speed: f64,
    /// Keep the workspace here
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct DriveArgs {
    /// Give up after so many seconds
    #[arg(long, value_name = "S", value_parser = parse_seconds)]
    pub timeout: Option<Duration>,
    /// One JSON object a line
    #[arg(long)]
    pub json: bool,
    /// Text while it is written, too, as `saying_delta` events
    #[arg(long, requires = "json")]
    pub deltas: bool,
    /// Agree to all that `trust` would ask about, for this run only
    #[arg(long)]
    pub trust: bool,
    /// Leave processes in the background running at the end
    #[arg(long)]
    pub leave_processes: bool,
}

#[derive(Debug, Args)]
pub struct RunArgs {
    /// Who is to do it; the default responder if not given
    #[arg(long, value_name = "ID", conflicts_with = "dialog")]
    pub agent: Option<String>,
    /// The Taskdoc; made if there is none
    #[arg(long, value_name = "P.tsk", conflicts_with = "dialog")]
    pub task: Option<String>,
    /// Say it in this dialog
    #[arg(long, value_name = "DLG")]
    pub dialog: Option<String>,
    #[command(flatten)]
    pub driving: DriveArgs,
    /// What to say; `-` reads standard input
    pub text: String,
}

#[derive(Debug, Args)]
pub struct Q4hArgs {
    /// One JSON value
    #[arg(long)]
    pub json: bool,
    #[command(subcommand)]
    pub command: Option<Q4hCommand>,
}

#[derive(Debug, Subcommand)]
pub enum Q4hCommand {
    /// Open questions, oldest first
    List {
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
    /// One question
    Show {
        /// Which question; the beginning of its id is enough
        #[arg(value_name = "QID")]
        question: String,
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
    /// Answer a question, then drive on
    Answer {
        /// Which question; the beginning of its id is enough
        #[arg(value_name = "QID")]
        question: String,
        /// The answer; `-` reads standard input
        text: String,
        /// Only record the answer
        #[arg(long)]
        no_drive: bool,
        #[command(flatten)]
        driving: DriveArgs,
    },
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct DialogOrAll {
    /// Which dialog: ROOT, or SELF or ROOT#SELF for a side dialog; the beginning is enough
    #[arg(value_name = "DLG")]
    pub dialog: Option<String>,
    /// All of them
    #[arg(long)]
    pub all: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KeepGoingSwitch {
    /// It is pushed on when it would rest
    On,
    /// It rests
    Off,
    /// All its pushes are there again
    Refill,
}

/// More than anybody waits, and little enough for any clock.
const MAX_SECONDS: f64 = 1e9;

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=MAX_SECONDS).contains(number));
    let length = number.and_then(|number| Duration::try_from_secs_f64(number).ok());
    length.ok_or_else(|| "give seconds as a number from 0 to 1000000000".to_owned())
}

fn parse_level(text: &str) -> Result<Level, String> {
    let known = || Level::ALL.map(Level::name).join(", ");
    Level::named(text).ok_or_else(|| format!("the levels are {}", known()))
}

fn parse_means(text: &str) -> Result<Means, String> {
    Means::named(text)
        .ok_or_else(|| format!("there are {}", Means::ALL.map(Means::name).join(", ")))
}

fn parse_speed(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "give a factor such as 2 or 0.5; 0 waits for nothing".to_owned())
}
