//! What tree tasks, drives and the supervisor report to the pump.

use std::borrow::Cow;
use std::sync::Arc;

use tokio::sync::mpsc;

use crate::domain::asking::decisions::Resolution;
use crate::domain::dialogs::remaining_work::WaitCause;
use crate::domain::teams::notices::NewsItem;
use crate::domain::teams::trigger::row::Definitions;
use crate::domain::{AgentId, DialogId, Problem, RootId};
use crate::protocol::event::{
    ConsentView, DriverEvent, InboxRow, MemberView, ModelView, TreeRow, WorkspaceView,
};

use crate::hive::TasksView;
use crate::protocol::TeamRow;
use crate::protocol::changes::ReadEnd;
use crate::protocol::command::Ticket;
use crate::store::Titles;

use super::changed_files::FilePlaces;
use super::clients::ClientId;
use super::run_outcome::IdleReport;

pub type ReportSender = mpsc::Sender<DriverReport>;

/// The origin of the problem that answers to this dialog are not kept for a crash.
pub fn spool_origin(dialog: &DialogId) -> String {
    format!("spool/{dialog}")
}

/// What tree tasks, drives and the supervisor report.
#[derive(Debug)]
pub enum DriverReport {
    /// For everybody, or for the client whose ticket it has.
    Event(DriverEvent),
    /// An event without a ticket for one client.
    EventFor(ClientId, Box<DriverEvent>),
    Workspace(WorkspaceView),
    /// All rows and questions of one tree, and what its dialogs answered the person.
    Tree {
        root: RootId,
        rows: Vec<TreeRow>,
        inbox: Vec<InboxRow>,
        answers: Vec<NewsItem>,
    },
    Row(Box<TreeRow>),
    /// All titles that a person gave.
    Titles(Titles),
    /// Files that dialogs changed before the start, and nobody has reviewed.
    ChangedFiles(Vec<(DialogId, FilePlaces)>),
    /// The changes of a tree up to these ends are reviewed.
    Reviewed {
        root: RootId,
        ends: Vec<ReadEnd>,
    },
    Inbox {
        root: RootId,
        inbox: Vec<InboxRow>,
    },
    /// What the dialogs of a tree told a person, and nobody has acknowledged.
    Answers {
        root: RootId,
        answers: Vec<NewsItem>,
    },
    Removed(RootId),
    /// False while anything of this tree runs or is about to.
    Idle {
        root: RootId,
        idle: bool,
    },
    /// For an idle tree: blocked dialogs, and those whose last step could not be written. Comes before
    /// [`Self::Idle`].
    IdleDetails {
        root: RootId,
        details: IdleReport,
    },
    /// The subscription of a client.
    Watch {
        client: ClientId,
        watch: Subscription,
    },
    /// A client sent an answer; it may still be refused.
    Answering {
        ticket: Ticket,
        question: String,
    },
    /// How the question is about to be closed; `None`: it stays open.
    Closing {
        question: String,
        how: Option<Resolution>,
    },
    /// All open notices and failures; a report with a lower revision than an earlier one is stale.
    News {
        revision: u64,
        items: Arc<[NewsItem]>,
    },
    /// The tasks of teams; a report with a lower revision than an earlier one is stale.
    Tasks(TasksView),
    /// The tasks of teams changed to this revision; the dispatcher may have something to do.
    TasksSeen {
        revision: u64,
    },
    /// Something has happened in a tree of a task, this many times so far; the dispatcher may have something to do.
    TreesMoved {
        count: u64,
    },
    /// All work on the tasks is done, up to this revision and this count of [`Self::TreesMoved`]; `failed`: number of
    /// tasks that have failed since the start.
    TasksSettled {
        revision: u64,
        moved: u64,
        failed: u64,
    },
    /// A dialog waits for a person after a restart.
    LeftByRestart {
        dialog: DialogId,
        cause: WaitCause,
    },
    /// A person has read these failures of dialogs.
    DismissFailures(Vec<String>),
    /// A client has gone.
    Left(ClientId),
    /// All problems of one origin.
    Problems {
        origin: Cow<'static, str>,
        problems: Vec<Problem>,
    },
    /// The configuration as it is now.
    Minds {
        problems: Vec<Problem>,
        members: Vec<MemberView>,
        default_responder: Option<AgentId>,
        models: Vec<ModelView>,
        has_memory: bool,
        has_vault: bool,
        has_prompts: bool,
        consent: ConsentView,
        /// Without their tasks.
        teams: Vec<TeamRow>,
        triggers: Arc<Definitions>,
    },
    /// All problems of one tree.
    TreeProblems {
        root: RootId,
        problems: Vec<Problem>,
    },
    /// The initial survey of the workspace is complete.
    SurveyDone,
    /// A client wants everything again.
    Refresh(ClientId),
}

/// Which dialogs' records and live text are sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subscription {
    NoDialog,
    Dialog(DialogId),
    /// Records of all dialogs, no live text: for a script.
    AllRecords,
    /// Records of all dialogs, and their live text.
    AllRecordsAndText,
}

impl Subscription {
    pub fn sees_records(&self, dialog: &DialogId) -> bool {
        match self {
            Self::NoDialog => false,
            Self::Dialog(one) => one == dialog,
            Self::AllRecords | Self::AllRecordsAndText => true,
        }
    }

    pub fn sees_live(&self, dialog: &DialogId) -> bool {
        match self {
            Self::NoDialog | Self::AllRecords => false,
            Self::Dialog(one) => one == dialog,
            Self::AllRecordsAndText => true,
        }
    }
}
