//! The names of all kinds of commands and events on the wire.

use crate::protocol::{Command, DriverEvent};

/// The list of names, and the name of a value. A kind without a name does not compile.
macro_rules! kinds {
    ($(#[$doc:meta])* $all:ident, $kind_of:ident($of:ident): $($kind:ident = $name:literal),* $(,)?) => {
        $(#[$doc])*
        pub const $all: &[&str] = &[$($name),*];

        #[must_use]
        pub fn $kind_of(value: &$of) -> &'static str {
            match value {
                $($of::$kind { .. } => $name),*
            }
        }
    };
}

kinds! {
    /// Kinds of commands, in the order of their definition.
    COMMAND_KINDS, kind_of_command(Command):
    Open = "open",
    Page = "page",
    Preview = "preview",
    Close = "close",
    Create = "create",
    Say = "say",
    KeepImage = "keep_image",
    TakeBack = "take_back",
    Answer = "answer",
    AnswerParts = "answer_parts",
    Stop = "stop",
    RetryNow = "retry_now",
    StopAll = "stop_all",
    FinishSteps = "finish_steps",
    Continue = "continue",
    ContinueAll = "continue_all",
    Withdraw = "withdraw",
    KeepGoing = "keep_going",
    Lifecycle = "lifecycle",
    Title = "title",
    Shelf = "shelf",
    Log = "log",
    Mind = "mind",
    Agree = "agree",
    SetAutonomy = "set_autonomy",
    DismissNews = "dismiss_news",
    Tasks = "tasks",
    CheckConsent = "check_consent",
    Files = "files",
    Drafts = "drafts",
    SaveDraft = "save_draft",
    StopProcess = "stop_process",
    Sheet = "sheet",
    Find = "find",
    EndFind = "end_find",
    Look = "look",
    Refresh = "refresh",
    Shutdown = "shutdown",
}

kinds! {
    /// Kinds of events, in the order of their definition.
    EVENT_KINDS, kind_of_event(DriverEvent):
    Workspace = "workspace",
    Rows = "rows",
    Row = "row",
    Removed = "removed",
    Inbox = "inbox",
    Asked = "asked",
    Answered = "answered",
    Page = "page",
    Sheet = "sheet",
    Fact = "fact",
    Live = "live",
    ToolEnded = "tool_ended",
    LiveEnd = "live_end",
    Retry = "retry",
    Problems = "problems",
    Done = "done",
    Refused = "refused",
    Forked = "forked",
    Shelf = "shelf",
    Found = "found",
    Files = "files",
    Drafts = "drafts",
    ImageKept = "image_kept",
    Log = "log",
    Mind = "mind",
    Processes = "processes",
    Consent = "consent",
    Notice = "notice",
    News = "news",
    Teams = "teams",
    Triggers = "triggers",
    Tasks = "tasks",
    TaskUpdated = "task_updated",
    Task = "task",
    Halted = "halted",
    Quiet = "quiet",
    TreeQuiet = "tree_quiet",
    Lagged = "lagged",
    Stopped = "stopped",
}
