//! Examples of what is shown of a workspace and of a dialog beside its transcript.

use std::collections::BTreeMap;

use super::examples::Seeds;
use crate::domain::models::context_health::ContextLimits;
use crate::domain::reading::file_change::FileChangeKind;
use crate::domain::reading::git_state::{GitState, UncommittedFile};
use crate::domain::reading::net_changes::NetChange;
use crate::domain::reading::timeline::{Activity, AwaitedCall, Span, SpanPlace, Timeline};
use crate::domain::reading::transcript::SpokenKind;
use crate::domain::reading::usage::{GenerationUsage, Tokens, UsageSum};
use crate::domain::text::diff::{DiffLine, Hunk, LineTag};
use crate::domain::{Bucket, HealthLevel, SelfId, Slug};
use crate::protocol::{
    ChangesScope, ChangesView, Cursor, DialogUsage, FindEnd, FoundPart, FoundRecord, ImageSupport,
    MemberView, MindTool, MindView, ModelView, ReadEnd, ReminderAudience, ReminderView,
    SectionView, Sheet, TaskdocView, TimelineRow, TimelineView, UsageView, WorkspaceView,
};

pub(super) fn workspace(s: &Seeds) -> WorkspaceView {
    let supports =
        [ImageSupport::Unknown, ImageSupport::Read { most_bytes: s.number }, ImageSupport::NotRead];
    let member = |images| MemberView {
        id: s.agent(),
        name: s.text(),
        icon: s.text(),
        gofor: s.text(),
        model: s.text(),
        toolsets: vec![s.text()],
        tools: vec![s.text()],
        images,
    };
    WorkspaceView {
        folder: "~/work".to_owned(),
        members: supports.map(member).into(),
        default_responder: s.maybe(s.agent()),
        taskdocs: vec![s.text()],
        models: vec![ModelView {
            choice: s.model_choice(),
            name: s.text(),
            context: s.maybe(s.number),
            images: ImageSupport::NotRead,
        }],
        has_memory: s.flag,
        has_vault: s.flag,
        has_prompts: s.flag,
    }
}

pub(super) fn sheets(s: &Seeds) -> Vec<Sheet> {
    let (dialog, agent, slug, depth) = (s.dialog(), s.agent(), s.maybe(Slug::new("r")), s.small());
    let awaited = AwaitedCall {
        call: s.call(),
        by: s.maybe(SelfId::new(&s.text)),
        member: s.maybe(s.agent()),
    };
    let activities = [
        Activity::Ran { generations: s.small() },
        Activity::WaitedForDialogs(vec![awaited]),
        Activity::WaitedForPerson { question: s.text() },
        Activity::WasReady,
        Activity::HadNothingToDo,
        Activity::WasStopped,
        Activity::WasCutOff,
    ];
    let place = s.maybe(SpanPlace::Call(s.call()));
    let place = place.unwrap_or(SpanPlace::Generation(s.course(), s.genseq()));
    let span = |activity| Span { from: -1, to: 1, activity, place: Some(place.clone()) };
    let spans = activities.map(span).into();
    let timeline = Timeline { spans, goes_on: s.flag, left_out: s.small() };
    let row = TimelineRow { dialog, agent, slug: slug.clone(), depth, timeline };
    let tokens = Tokens { input: s.number, cached: 1, output: 2 };
    let usage = DialogUsage {
        dialog: s.dialog(),
        agent: s.agent(),
        slug,
        depth,
        sum: UsageSum {
            generations: s.small(),
            uncounted: 0,
            by_model: BTreeMap::from([(s.text(), tokens)]),
        },
        generations: vec![GenerationUsage {
            at: s.stamp(),
            course: s.course(),
            genseq: s.maybe(s.genseq()),
            model: s.maybe(s.text()),
            tokens: s.maybe(tokens),
            limits: Some(ContextLimits {
                model_context_window_text: s.maybe(s.text()),
                model_context_limit_tokens: s.number,
                effective_optimal_max_tokens: 1,
                optimal_max_tokens_configured: s.maybe(1),
                effective_critical_max_tokens: 1,
                critical_max_tokens_configured: None,
            }),
            level: s.maybe(HealthLevel::Critical),
        }],
    };
    vec![
        Sheet::Reminders(vec![ReminderView {
            id: s.text(),
            content: s.text(),
            scope: ReminderAudience::Shared,
            owner: s.maybe(s.text()),
            touched_at: s.stamp(),
            plain: s.flag,
            hidden: s.flag,
            no_update: s.maybe(s.localized()),
            no_delete: None,
        }]),
        Sheet::Taskdoc(TaskdocView {
            path: s.text(),
            sections: vec![SectionView { name: s.text(), text: s.text(), complete: s.flag }],
            faults: vec![s.localized()],
        }),
        Sheet::Changes(changes(s)),
        Sheet::Timeline(TimelineView { rows: vec![row], left_out: s.small() }),
        Sheet::Usage(UsageView { dialogs: vec![usage], left_out: s.small() }),
    ]
}

fn changes(s: &Seeds) -> ChangesView {
    let hunk = Hunk {
        old_at: s.small(),
        new_at: s.small(),
        lines: vec![DiffLine::new(LineTag::Added, s.text())],
    };
    let change = NetChange {
        path: s.text(),
        from: s.maybe(s.text()),
        kind: FileChangeKind::Changed,
        hunks: vec![hunk],
        omitted_lines: s.small(),
        after_others: s.flag,
        calls: vec![(s.dialog(), s.call(), s.stamp())],
    };
    let file = UncommittedFile { state: s.text(), path: s.text() };
    ChangesView {
        scope: ChangesScope::Unreviewed,
        changes: vec![change],
        left_out: s.small(),
        ends: vec![ReadEnd { dialog: SelfId::new(&s.text), course: s.course(), lines: s.small() }],
        git: s.maybe(GitState { branch: s.text(), files: vec![file], left_out: s.small() }),
    }
}

pub(super) fn found(s: &Seeds) -> FoundPart {
    let record = FoundRecord {
        dialog: s.dialog(),
        agent: s.agent(),
        title: s.text(),
        bucket: Bucket::Run,
        at: Cursor { course: s.course(), line: s.small() },
        when: s.stamp(),
        kind: SpokenKind::Saying,
        completes: s.maybe(s.call()),
        tool: s.maybe(s.text()),
        teammate: s.maybe(s.agent()),
        line: s.text(),
        around: s.text(),
        matches: s.small(),
    };
    FoundPart { records: vec![record], unread: s.small(), end: s.maybe(FindEnd::TooMany) }
}

pub(super) fn mind(s: &Seeds) -> MindView {
    MindView {
        agent: s.agent(),
        provider: s.text(),
        model: s.text(),
        settings: vec![("max_tokens".to_owned(), s.text())],
        system: s.text(),
        context: vec![s.text()],
        tools: vec![MindTool { name: s.text(), description: s.text(), parameters: s.text() }],
    }
}
