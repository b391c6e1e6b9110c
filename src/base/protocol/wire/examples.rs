//! One value, or more, of every kind of command and event, made from a few seeds.

#![expect(clippy::cast_possible_truncation, reason = "any number will do")]
#![expect(clippy::unused_self, reason = "whoever makes a value need not know what it depends on")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::view_examples::{found, mind, sheets, workspace};
use crate::domain::asking::autonomy::{
    AutonomyLevel, AutonomyScope, AutonomySummary, DecisionKind,
};
use crate::domain::asking::decisions::Resolution;
use crate::domain::asking::inquiry::answers::{AnswerInput, PartAnswer};
use crate::domain::asking::inquiry::approval::Approval;
use crate::domain::asking::inquiry::{AnswerOption, Inquiry, InquirySource, Part, PartsOrigin};
use crate::domain::dialogs::background::{BackgroundState, ProcessExit};
use crate::domain::dialogs::fresh_boots::{FbrPhase, FbrRound, Reasoning};
use crate::domain::dialogs::keep_going::KeepGoingSwitch;
use crate::domain::dialogs::latest::Blocker;
use crate::domain::safety::sandbox::Level;
use crate::domain::safety::trust::{TrustEntry, TrustKind, Unagreed};
use crate::domain::teams::notices::{NewsItem, NewsKind, NewsLevel};
use crate::domain::text::Localized;
use crate::domain::{
    AgentId, ArtifactRef, Background, Bucket, CallId, CallSite, Course, DialogId, DisplayState,
    Entry, ForeignLayout, Genseq, HealthLevel, ModelChoice, MsgId, Problem, PromptArgument,
    PromptCall, Question, RootId, SelfId, ServerPrompt, Severity, Slug, Stamp, StopReason,
};
use crate::protocol::event::{QueuedMessage, Segment};
use crate::protocol::{
    AfterFork, AttachedImage, ChangesScope, Command, ConsentView, DriverEvent, FindRequest,
    FindScope, ForkMode, HaltedDialog, ImageOrigin, ImageSource, InboxRow, Lifecycle, LogLevel,
    LogLine, LogView, QuietOutcome, ReadEnd, ReminderAudience, RetryView, SheetRequest, ShelfRow,
    StoredRecord, TranscriptPage, TreeRow,
};

/// What the values are made from.
#[derive(Debug, Clone)]
pub struct Seeds {
    pub text: String,
    pub number: u64,
    pub flag: bool,
}

impl Seeds {
    /// Those of the examples that are written down.
    pub fn plain() -> Self {
        Self { text: "hello".to_owned(), number: 7, flag: true }
    }

    pub(super) fn text(&self) -> String {
        self.text.clone()
    }

    pub(super) fn small(&self) -> usize {
        usize::from(self.number as u16)
    }

    pub(super) fn maybe<T>(&self, value: T) -> Option<T> {
        self.flag.then_some(value)
    }

    fn root(&self) -> RootId {
        RootId::new("1a/2b/3c4d5e6f")
    }

    pub(super) fn dialog(&self) -> DialogId {
        if self.flag {
            DialogId::main(self.root())
        } else {
            DialogId::side(&self.root(), &SelfId::new(&self.text))
        }
    }

    pub(super) fn agent(&self) -> AgentId {
        AgentId::new("alice")
    }

    pub(super) fn call(&self) -> CallId {
        CallId::new(&self.text)
    }

    pub(super) fn course(&self) -> Course {
        Course(self.number as u32)
    }

    pub(super) fn genseq(&self) -> Genseq {
        Genseq(self.number as u32)
    }

    pub(super) fn stamp(&self) -> Stamp {
        Stamp::new("2026-11-25 10:00:00")
    }

    pub(super) fn localized(&self) -> Localized {
        Localized::new(self.text(), format!("你好{}", self.text))
    }

    fn news(&self) -> NewsItem {
        NewsItem {
            id: self.text(),
            kind: NewsKind::Failure,
            level: NewsLevel::Warning,
            agent: self.maybe(self.agent()),
            dialog: self.maybe(self.dialog()),
            work: self.maybe(self.work()),
            title: self.text(),
            body: self.text(),
            count: self.number,
            created_at: self.stamp(),
            updated_at: self.stamp(),
            resolved_at: self.maybe(self.stamp()),
        }
    }

    fn values(&self) -> Value {
        json!({ "text": self.text, "list": [self.number, self.flag, null, -1, 0.5] })
    }

    fn extra(&self) -> Map<String, Value> {
        Map::from_iter([("newer".to_owned(), self.values())])
    }

    fn images(&self) -> Vec<AttachedImage> {
        let copy = ImageSource::Copy(self.text());
        let path = format!("artifacts/{}", self.text);
        let artifact = ImageSource::Artifact(ArtifactRef { dialog: self.dialog(), path });
        let image = |source| AttachedImage { name: self.text(), bytes: self.number, source };
        vec![image(copy), image(artifact)]
    }

    fn entries(&self) -> Vec<Entry> {
        let lines = [
            json!({ "ts": self.text, "type": "gen_start_record", "genseq": 1 }),
            json!({ "ts": "t", "type": "agent_words_record", "genseq": 1, "content": self.text,
                    "rootCourse": 1, "rootGenseq": 1, "sourceTag": "priming_script" }),
            json!({ "ts": "t", "type": "agent_thought_record", "content": self.text,
                    "reasoning": self.values(), "providerData": self.values() }),
            json!({ "ts": "t", "type": "func_result_record", "id": self.text, "name": "read_file",
                    "content": self.text, "contentItems": [self.values()] }),
            json!({ "ts": "t", "type": "hologram_record", "x": self.values() }),
        ];
        let known = lines.iter().filter_map(|line| Entry::parse(&line.to_string()));
        let foreign = [r#"{"type":"hologram_record","x": [1, 2],  "ts":"t"}"#, r#"{"ts":"cut"#];
        let foreign =
            foreign.map(|line| Entry::parse(line).unwrap_or_else(|| Entry::verbatim(line)));
        known.chain(foreign).collect()
    }

    fn question(&self) -> Question {
        Question {
            id: self.text(),
            tellask_content: self.text(),
            asked_at: self.stamp(),
            call_id: self.call(),
            call_site_ref: CallSite {
                course: self.course(),
                message_index: self.number,
                call_site_genseq: self.maybe(self.genseq()),
                extra: serde_json::Map::new(),
            },
            extra: self.extra(),
        }
    }

    fn inquiry(&self) -> Inquiry {
        let part = Part {
            id: self.text(),
            text: self.text(),
            created_at: self.text(),
            options: vec![AnswerOption {
                key: 'b',
                label: self.text(),
                pros: self.maybe(self.text()),
                cons: self.maybe(self.text()),
            }],
            recommended: self.maybe('b'),
            must_choose: self.maybe(()).is_some(),
        };
        let source = InquirySource { kind: self.text(), id: self.text() };
        Inquiry {
            intro: self.text(),
            parts: vec![part],
            source: self.maybe(source),
            confirm: self.maybe(()).is_some(),
            approval: self.maybe(Approval {
                category: DecisionKind::ArchitectureDecisions,
                gate: self.maybe(self.text()),
                diff: self.maybe(self.text()),
            }),
            origin: PartsOrigin::Asker,
        }
    }

    fn part_answer(&self) -> PartAnswer {
        let (option, text) = (self.maybe('b'), self.maybe(self.text()));
        PartAnswer { option, text, at: self.stamp() }
    }

    pub(super) fn model_choice(&self) -> ModelChoice {
        ModelChoice { provider: self.text(), model: self.text() }
    }

    fn row(&self, state: DisplayState) -> TreeRow {
        let queued = QueuedMessage {
            message: MsgId::new(&self.text),
            text: Arc::from(self.text.as_str()),
            images: self.images(),
        };
        let round = FbrRound {
            effort: 2,
            phase: FbrPhase::Convergence,
            iteration: 1,
            prompt_delivered: self.flag,
        };
        TreeRow {
            dialog: self.dialog(),
            asker: self.maybe(SelfId::new(&self.text)),
            agent: self.agent(),
            slug: self.maybe(Slug::new("review")),
            taskdoc: self.text(),
            state,
            course: self.course(),
            genseq: self.genseq(),
            created_at: self.stamp(),
            last_modified: self.stamp(),
            questions: self.small(),
            pending: self.small(),
            title: self.text(),
            reasoning: Some(self.maybe(Reasoning::In(round)).unwrap_or(Reasoning::Over)),
            context_percent: self.maybe(42),
            context_level: self.maybe(HealthLevel::Caution),
            keep_going: self.maybe((2, 3)),
            history: self.flag,
            layout: self.maybe(ForeignLayout::Unclear),
            queued: Arc::from([queued]),
            unreviewed: self.small(),
            retrying: self.flag,
            model: self.maybe(self.model_choice()),
            autonomy: self.maybe(AutonomyLevel::ConfirmAll),
        }
    }

    fn states(&self) -> Vec<DisplayState> {
        let retry = StopReason::LlmRetryStopped {
            error: self.text(),
            display: self.values(),
            recovery_action: self.maybe(self.values()),
        };
        vec![
            DisplayState::Idle,
            DisplayState::Proceeding,
            DisplayState::Stopped {
                reason: StopReason::system(self.localized()),
                continue_enabled: self.maybe(true),
            },
            DisplayState::Stopped { reason: retry, continue_enabled: None },
            DisplayState::Blocked { reason: Blocker::HumanAndSideDialogs },
            DisplayState::Dead { reason: self.values() },
        ]
    }
}

/// At least one command of every kind.
pub fn commands(seeds: &Seeds) -> Vec<Command> {
    let s = seeds;
    let (ticket, dialog, text) = (s.number, s.dialog(), s.text());
    let sheet = |request| Command::Sheet { ticket, dialog: s.dialog(), request };
    let lifecycle = |change| Command::Lifecycle { ticket, change };
    let keep = |origin| Command::KeepImage { ticket, origin };
    let answer_parts = |input| {
        let (dialog, question) = (s.dialog(), s.text());
        Command::AnswerParts { ticket, dialog, question, input, replace: false }
    };
    let mut all = vec![
        Command::Open { ticket, dialog: s.dialog(), course: s.maybe(s.course()) },
        Command::Page { ticket, dialog: s.dialog(), course: s.course(), before: s.small() },
        Command::Preview { ticket, dialog: s.dialog() },
        Command::Close,
        Command::Create {
            ticket,
            agent: s.agent(),
            taskdoc: s.text(),
            text: s.text(),
            priming: Vec::new(),
        },
        Command::Say { ticket, dialog: s.dialog(), text: s.text(), images: s.images() },
        Command::SayNow { ticket, dialog: s.dialog(), text: s.text(), images: s.images() },
        keep(ImageOrigin::File(s.text())),
        keep(ImageOrigin::Clipboard(Arc::from(s.text.as_bytes()))),
        Command::TakeBack { ticket, dialog: s.dialog(), message: MsgId::new(&text) },
        Command::Answer {
            ticket,
            dialog: s.dialog(),
            question: s.text(),
            text: s.text(),
            images: s.images(),
        },
        Command::AnswerParts {
            ticket,
            dialog: s.dialog(),
            question: s.text(),
            input: AnswerInput::Words(s.text()),
            replace: s.small().is_multiple_of(2),
        },
        answer_parts(AnswerInput::Parts(BTreeMap::from([(s.text(), s.text())]))),
        answer_parts(AnswerInput::Recommended),
        answer_parts(AnswerInput::Dismiss(s.maybe(s.text()))),
        Command::Stop { dialog: s.dialog() },
        Command::RetryNow { dialog: s.dialog() },
        Command::StopAll,
        Command::FinishSteps { ticket },
        Command::Continue { ticket, dialog: s.dialog() },
        Command::ContinueAll { ticket },
        Command::Withdraw { ticket, dialog: s.dialog() },
        Command::KeepGoing { ticket, dialog, switch: KeepGoingSwitch::Refill },
        Command::SetModel { ticket, dialog: s.dialog(), model: s.maybe(s.model_choice()) },
        Command::SetDialogAutonomy {
            ticket,
            dialog: s.dialog(),
            level: s.maybe(AutonomyLevel::Full),
        },
        lifecycle(Lifecycle::DeclareDead { dialog: s.dialog(), note: s.maybe(s.text()) }),
        lifecycle(Lifecycle::Move { root: s.root(), to: Bucket::Archive }),
        lifecycle(Lifecycle::Delete { root: s.root() }),
        lifecycle(Lifecycle::Restore { name: s.text() }),
        lifecycle(Lifecycle::Fork {
            root: s.root(),
            course: s.course(),
            genseq: s.genseq(),
            then: ForkMode::Stay,
        }),
        Command::Title { ticket, dialog: s.dialog(), title: s.maybe(s.text()) },
        Command::Shelf { ticket },
        Command::Log { ticket },
        Command::Mind { ticket, agent: s.agent() },
        Command::Agree { ticket, digests: vec![s.text()], level: s.maybe(Level::WorkspaceNet) },
        Command::SetAutonomy {
            ticket,
            scope: AutonomyScope::Member(s.agent()),
            level: AutonomyLevel::MajorOnly,
        },
        Command::DismissNews { ticket, ids: vec![s.text()] },
    ];
    all.extend(s.team_commands(ticket));
    all.extend(s.memory_commands(ticket));
    all.extend(s.vault_commands(ticket));
    all.extend([
        Command::CheckConsent,
        Command::Files,
        Command::Prompts,
        Command::Prompt {
            ticket,
            dialog: s.dialog(),
            call: PromptCall {
                server: s.text(),
                name: s.text(),
                arguments: BTreeMap::from([(s.text(), s.text())]),
            },
        },
        Command::Drafts { ticket: s.number },
        Command::SaveDraft { ticket: s.number, name: s.text(), text: s.text() },
        Command::StopProcess { ticket, pid: s.number as u32 },
    ]);
    let end = ReadEnd { dialog: SelfId::new(&s.text), course: s.course(), lines: s.small() };
    let requests = [
        SheetRequest::Reminders,
        SheetRequest::Taskdoc,
        SheetRequest::Changes(ChangesScope::MainDialog),
        SheetRequest::Timeline,
        SheetRequest::Usage,
        SheetRequest::MarkReviewed(vec![end]),
        SheetRequest::AddReminder { content: s.text(), scope: ReminderAudience::Personal },
        SheetRequest::RewordReminder { id: s.text(), content: s.text() },
        SheetRequest::DeleteReminder { id: s.text() },
        SheetRequest::WriteSection { name: s.text(), before: s.text(), text: s.text() },
    ];
    all.extend(requests.map(sheet));
    let request = FindRequest {
        text: s.text(),
        scope: FindScope::All,
        dialog: s.maybe(s.dialog()),
        said: s.flag,
        member: s.maybe(s.agent()),
    };
    all.extend([
        Command::Find { ticket, request },
        Command::EndFind,
        Command::Look { questions: s.maybe(vec![s.text()]) },
        Command::Refresh,
        Command::Shutdown { grace: Duration::from_millis(u64::from(s.number as u32)) },
    ]);
    all
}

/// At least one event of every kind.
pub fn events(seeds: &Seeds) -> Vec<DriverEvent> {
    let s = seeds;
    let ticket = s.number;
    let rows = s.states().into_iter().map(|state| s.row(state)).collect();
    let mut all = vec![
        DriverEvent::Workspace(workspace(s)),
        DriverEvent::Rows(rows),
        DriverEvent::Row(Box::new(s.row(DisplayState::Idle))),
        DriverEvent::Removed(s.dialog()),
        DriverEvent::Inbox(vec![InboxRow {
            dialog: s.dialog(),
            agent: s.agent(),
            slug: s.maybe(Slug::new("review")),
            taskdoc: s.text(),
            question: s.question(),
            blocks: vec![s.agent()],
            said: s.text(),
            inquiry: s.maybe(s.inquiry()),
            answers: BTreeMap::from([(s.text(), s.part_answer())]),
            work: s.maybe(s.work()),
        }]),
        DriverEvent::Asked { dialog: s.dialog(), question: s.text(), headline: s.text() },
        DriverEvent::Answered {
            dialog: s.dialog(),
            question: s.text(),
            headline: s.text(),
            by: s.maybe(s.text()),
            how: Resolution::Rejected,
        },
        DriverEvent::Page {
            ticket,
            page: Box::new(TranscriptPage {
                dialog: s.dialog(),
                agent: s.agent(),
                course: s.course(),
                courses: s.course(),
                first_line: s.small(),
                entries: s.entries(),
            }),
        },
    ];
    let sheets = sheets(s).into_iter();
    all.extend(sheets.map(|sheet| DriverEvent::Sheet { dialog: s.dialog(), sheet: sheet.into() }));
    let lines: Vec<String> = s.entries().iter().map(Entry::line).collect();
    let records = lines.iter().filter(|line| Entry::parse(line).is_some());
    let records =
        records.map(|line| StoredRecord::made_up(&s.dialog(), s.course(), s.small(), line));
    all.extend(records.map(DriverEvent::Fact));
    all.extend([
        DriverEvent::Live { dialog: s.dialog(), segment: Segment::Thinking, text: s.text() },
        DriverEvent::Printed { dialog: s.dialog(), call: s.call(), lines: vec![s.text()] },
        DriverEvent::ToolEnded { dialog: s.dialog(), call: s.call(), ok: s.flag },
        DriverEvent::LiveEnd { dialog: s.dialog() },
    ]);
    let retries = [
        RetryView::Waiting { error: s.localized(), seconds: s.number, server: s.text() },
        RetryView::Running,
        RetryView::Resolved,
        RetryView::Stopped,
    ];
    all.extend(retries.map(|retry| DriverEvent::Retry { dialog: s.dialog(), retry }));
    all.extend([
        DriverEvent::Problems(vec![Problem {
            id: s.text(),
            path: ".minds/team.yaml".to_owned(),
            line: s.maybe(3),
            severity: Severity::Warning,
            text: s.localized(),
            fix: s.localized(),
        }]),
        DriverEvent::Done { ticket, dialog: s.maybe(s.dialog()) },
        DriverEvent::Refused { ticket, text: s.localized() },
    ]);
    let next = [
        AfterFork::DraftUserText { text: s.text(), images: s.images() },
        AfterFork::RestorePending,
        AfterFork::AutoContinue,
    ];
    all.extend(next.map(|next| DriverEvent::Forked { dialog: s.dialog(), next }));
    all.extend([
        DriverEvent::Shelf {
            ticket,
            rows: vec![ShelfRow {
                root: s.root(),
                bucket: Bucket::Done,
                agent: s.agent(),
                taskdoc: s.text(),
                title: s.text(),
                history: s.flag,
                layout: s.maybe(ForeignLayout::Mixed),
                last_modified: s.stamp(),
            }],
        },
        DriverEvent::Found { ticket, part: Box::new(found(s)) },
        DriverEvent::Files(vec![s.text()]),
        DriverEvent::Prompts(vec![ServerPrompt {
            server: s.text(),
            name: s.text(),
            description: s.text(),
            arguments: vec![PromptArgument {
                name: s.text(),
                description: s.text(),
                required: s.flag,
            }],
        }]),
        DriverEvent::Prompt { ticket, text: s.text() },
        DriverEvent::Drafts { ticket: s.number, texts: BTreeMap::from([(s.text(), s.text())]) },
        DriverEvent::ImageKept { ticket, image: Box::new(s.images().remove(0)) },
        DriverEvent::Log {
            ticket,
            log: Box::new(LogView {
                file: s.text(),
                lines: vec![LogLine { level: LogLevel::Warn, text: s.text() }],
                left_out: s.flag,
                read_at: s.stamp(),
            }),
        },
        DriverEvent::Mind { ticket, mind: Box::new(mind(s)) },
        DriverEvent::Processes(vec![Background {
            pid: s.number as u32,
            agent: s.agent(),
            command: s.text(),
            shell: "bash".to_owned(),
            started_at: s.stamp(),
            state: BackgroundState::Ended(ProcessExit::Code(-1)),
        }]),
        DriverEvent::Consent(ConsentView {
            waiting: vec![Unagreed {
                entry: TrustEntry {
                    kind: TrustKind::Shell,
                    name: s.text(),
                    act: s.text(),
                    digest: s.text(),
                },
                before: s.maybe(s.text()),
            }],
            read_only: s.flag,
            level: s.maybe(Level::ReadOnly),
            level_is_set: s.flag,
            autonomy: s.maybe(AutonomySummary {
                level: s.maybe(AutonomyLevel::Full),
                has_exceptions: s.flag,
            }),
        }),
        DriverEvent::Notice(s.localized()),
        DriverEvent::News(vec![s.news()]),
        DriverEvent::Teams(vec![s.team()]),
        DriverEvent::Triggers(vec![s.trigger_row()]),
        DriverEvent::Tasks(vec![s.task_row()]),
        DriverEvent::TaskUpdated(Box::new(s.task_row())),
        DriverEvent::Task { ticket: s.number, task: Box::new(s.task()) },
        DriverEvent::Memories { ticket, rows: vec![s.memory()], total: s.number },
        DriverEvent::MemoryChain { ticket, chain: vec![s.memory()], left_out: s.number },
        DriverEvent::Vault { ticket, entries: vec![s.vault_entry()], total: s.number },
        DriverEvent::VaultEntry { ticket, whole: Box::new(s.whole_entry()) },
        DriverEvent::Halted(vec![HaltedDialog {
            dialog: s.dialog(),
            agent: s.agent(),
            reason: s.maybe(s.text()),
            waits_for: vec![SelfId::new(&s.text)],
        }]),
        DriverEvent::Quiet(QuietOutcome::QuestionWaits),
        DriverEvent::TreeQuiet {
            root: s.dialog().root,
            outcome: QuietOutcome::Failed,
            halted: vec![HaltedDialog {
                dialog: s.dialog(),
                agent: s.agent(),
                reason: s.maybe(s.text()),
                waits_for: vec![SelfId::new(&s.text)],
            }],
        },
        DriverEvent::Lagged,
        DriverEvent::Stopped,
    ]);
    all
}
