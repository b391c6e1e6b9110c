//! The arguments of `q4h`: questions that are listed, answered, decided and dismissed.

use clap::{ArgGroup, Args, Subcommand};

use super::DriveArgs;

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
        /// Which question; a prefix of its id is enough
        #[arg(value_name = "QID")]
        question: String,
        /// One JSON value
        #[arg(long)]
        json: bool,
    },
    /// Answer a question, or some of its parts, then drive
    Answer(AnswerArgs),
    /// Approve what waits for approval, then drive
    Approve(DecideArgs),
    /// Reject what waits for approval, then drive
    Reject(DecideArgs),
    /// Close a question, or one of its parts, without an answer; an approval is rejected
    Dismiss(DismissArgs),
    /// Acknowledge what a dialog told you with `answerHuman`: it leaves the inbox, and no model learns of it
    Ack {
        /// Which answer, as `inbox --all` shows it, or by its id in the files of its dialog; a prefix is enough
        #[arg(value_name = "ID")]
        answer: String,
    },
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("answer").required(true).multiple(true).args(["text", "parts", "recommended"]))]
pub struct AnswerArgs {
    /// Which question; a prefix of its id is enough
    #[arg(value_name = "QID")]
    pub question: String,
    /// The answer to all parts that are open; `-` reads standard input
    #[arg(conflicts_with_all = ["parts", "recommended"])]
    pub text: Option<String>,
    /// The answer to one part: words, or the key of an option
    #[arg(long = "part", value_name = "ID=TEXT", conflicts_with = "recommended")]
    pub parts: Vec<String>,
    /// Take the recommended options
    #[arg(long)]
    pub recommended: bool,
    /// Replace answers to parts that have one
    #[arg(long)]
    pub replace: bool,
    /// Only record the answer
    #[arg(long)]
    pub no_drive: bool,
    #[command(flatten)]
    pub driving: DriveArgs,
}

#[derive(Debug, Args)]
pub struct DecideArgs {
    /// Which question; a prefix of its id is enough
    #[arg(value_name = "QID")]
    pub question: String,
    /// What the member is told with it; `-` reads standard input
    pub text: Option<String>,
    /// Only record it
    #[arg(long)]
    pub no_drive: bool,
    #[command(flatten)]
    pub driving: DriveArgs,
}

#[derive(Debug, Args)]
pub struct DismissArgs {
    /// Which question; a prefix of its id is enough
    #[arg(value_name = "QID")]
    pub question: String,
    /// Only this part
    #[arg(long, value_name = "ID")]
    pub part: Option<String>,
    /// Only record it
    #[arg(long)]
    pub no_drive: bool,
    #[command(flatten)]
    pub driving: DriveArgs,
}
