//! The tree's side of the port: handles the requests of drives one at a time, each as one step on disk.

use std::sync::Arc;

use tokio::sync::oneshot;

use crate::domain::asking::autonomy::DecisionKind;
use crate::domain::asking::decisions::{DecisionResult, NewDecision};
use crate::domain::dialogs::goal::Goal;
use crate::domain::dialogs::latest::StopReason;
use crate::domain::dialogs::record::Call;
use crate::domain::dialogs::shown_state::Activity;
use crate::domain::dialogs::state::{self, NextStep, next_step};
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{Course, Dialog, DialogId, Latest, Problem, Reminder, SelfId, TeamName};
use crate::driver::calls::round::process_round;
use crate::driver::calls::{ask_back, captured, fresh_boots, reply};
use crate::driver::context::prepare::{self, PreparedMember};
use crate::driver::drive::answer::ModelAnswer;
use crate::driver::drive::port::{
    DriveRequest, Generation, GenerationEnd, OpenGeneration, RecordedRound, SentRequest,
};
use crate::driver::generation::effects::Surroundings;
use crate::driver::generation::open::open_generation;
use crate::driver::generation::{effects, end, interjection};
use crate::driver::reporting::reports::DriverReport;
use crate::driver::reporting::tree_rows;
use crate::driver::shared::blocking::{blocking, interrupted};
use crate::driver::shared::config_problems::minds_report;
use crate::driver::steps::position::Position;
use crate::driver::steps::reminders;
use crate::driver::steps::stop::mark_stopped;
use crate::hive::NewsView;
use crate::llm::Request;
use crate::minds::{Capture, STORE_FOLDER};
use crate::protocol::Refusal;
use crate::protocol::event::DriverEvent;
use crate::tools::{DecisionOutcome, StateChange, ToolOutcome};

use super::ending::{self, AfterFailure};
use super::state::{TreeState, replace_problem};
use super::waking::left_behind;

impl TreeState {
    pub(super) async fn handle_drive_request(&mut self, sent: SentRequest) {
        let (dialog, request) = sent.into_parts();
        let position =
            |OpenGeneration { course, genseq }| Position { dialog: dialog.clone(), course, genseq };
        match request {
            DriveRequest::Begin { reply } => {
                let generation = self.begin(&dialog).await;
                let _ = reply.send(generation);
            }
            DriveRequest::Answered { at, answer, reply } => {
                self.answered(&position(at), *answer, reply).await;
            }
            DriveRequest::AwaitAsker { reply } => {
                self.asking_back.insert(dialog, reply);
                self.stop_asking_back_if_finishing();
            }
            DriveRequest::ToolDone { at, call, outcome, reply } => {
                self.tool_done(&position(at), &call, outcome, reply).await;
            }
            DriveRequest::End { at, end, reply } => {
                if self.end(&position(at), end).await {
                    let _ = reply.send(());
                }
            }
        }
    }

    /// Opens the next generation of a dialog: decides its step, writes its records, builds its request.
    async fn begin(&mut self, id: &SelfId) -> Option<Box<Generation>> {
        loop {
            if self.closing || self.drives.is_ending(id) {
                return None;
            }
            let step = next_step(self.tree().get(id)?);
            // A pause begins nothing: it is written also while nothing is begun any more.
            if step != Some(NextStep::Pause) && self.engine.driving.is_finishing() {
                self.stop(id, StopReason::ServerRestart);
                return None;
            }
            let step = step?;
            match step {
                NextStep::DeliverWords | NextStep::Conclude => {
                    self.deliver(id).await.then_some(())?;
                    continue;
                }
                NextStep::Pause => {
                    let mut draft = self.draft();
                    interjection::pause(&mut draft, id);
                    self.commit_or_stop(id, draft).await;
                    return None;
                }
                NextStep::GiveUp => {
                    let mut draft = self.draft();
                    mark_stopped(&mut draft, id, StopReason::without_reply());
                    self.commit_or_stop(id, draft).await;
                    return None;
                }
                NextStep::StartCourse
                | NextStep::TakePrompt
                | NextStep::StartAssignment
                | NextStep::FollowUp
                | NextStep::ReadReplies
                | NextStep::HearAskBack
                | NextStep::Resume
                | NextStep::AskAgain
                | NextStep::Reason => {}
            }
            if self.stop_after_steps(id).await {
                return None;
            }
            if !self.update_tools(id).await {
                return None;
            }
            self.update_process_reminders(id).await;
            self.forget_ended_processes(id);
            self.update_goal(id).await;
            if !self.prime(id).await {
                return None;
            }
            let (mut prepared, report) = match self.prepare(id).await {
                Ok(prepared) => prepared,
                Err(reason) => {
                    self.stop_unavailable(id, reason).await;
                    return None;
                }
            };
            let _ = self.reports.send(report).await;
            let mut draft = self.draft();
            let at = open_generation(
                &mut draft,
                id,
                step,
                prepared.policy.cadence,
                self.engine.texts(),
            )?;
            self.commit_or_stop(id, draft).await.then_some(())?;
            prepared.memory = self.noted(id, at.course, prepared.memory_team.clone()).await;
            let prepared = Arc::new(prepared);
            let request = match self.build_request(id, &prepared).await {
                Ok(request) => request,
                Err(reason) => {
                    self.stop_unavailable(id, reason).await;
                    return None;
                }
            };
            let generation = Generation {
                at: OpenGeneration { course: at.course, genseq: at.genseq },
                request,
                provider: prepared.provider.clone(),
                server: prepared.provider_key.clone(),
                permits: self.engine.permits(&prepared.provider_key, prepared.max_concurrent),
                retry: prepared.retry,
                throttle: self.engine.throttles.of(&prepared.provider_key, &prepared.model),
                tools: prepared.tools.clone(),
                tool_cx: prepared.tool_cx.clone(),
            };
            if self.tree().is_main(id) {
                self.keep_going.clone_from(&prepared.policy.keep_going);
            }
            self.prepared.insert(id.clone(), prepared);
            return Some(Box::new(generation));
        }
    }

    /// Looks up member, model and tools of a dialog, and what to report about the configuration that was
    /// read for that.
    async fn prepare(&self, id: &SelfId) -> Result<(PreparedMember, DriverReport), Localized> {
        let (engine, tree, id) = (self.engine.clone(), self.tree().clone(), id.clone());
        let prepared = blocking(move |on| {
            let prepared = prepare::prepare_member(&engine, &tree, &id, on)?;
            let report = minds_report(&engine, prepared.minds(), on);
            Ok((prepared, report))
        });
        prepared.await.unwrap_or_else(|error| Err(interrupted(&error)))
    }

    /// What the team of a member remembers, as the member reads it. It is read once in a course: the prompt stays the same,
    /// and the provider keeps what it knows of it. Only where it could not be read, it is read again.
    async fn noted(
        &mut self,
        id: &SelfId,
        course: Course,
        team: Option<TeamName>,
    ) -> Option<Arc<str>> {
        let Some(team) = team else {
            self.note_unread_memories(id, None).await;
            return None;
        };
        if let Some((_, text)) = self.noted.get(id).filter(|(known, _)| *known == course) {
            return text.clone();
        }
        match self.engine.hive.noted(team.clone()).await {
            Ok(noted) => {
                let text: Option<Arc<str>> = noted.section(self.engine.lang).map(Arc::from);
                self.noted.insert(id.clone(), (course, text.clone()));
                self.note_unread_memories(id, None).await;
                text
            }
            Err(why) => {
                // A problem tells it, and they are read again for the next generation.
                tracing::warn!(%why, "a prompt is without the memories of the team");
                let problem = unread_memories(&self.tree().id(id), &team, &why);
                self.note_unread_memories(id, Some(problem)).await;
                None
            }
        }
    }

    /// Reports that a dialog is without the memories of its team, until they are read.
    async fn note_unread_memories(&mut self, id: &SelfId, unread: Option<Problem>) {
        if replace_problem(&mut self.unread_memories, id, unread) {
            self.report_problems().await;
        }
    }

    /// The request for the current state of the dialog, with its Taskdoc and images.
    async fn build_request(
        &self,
        id: &SelfId,
        prepared: &Arc<PreparedMember>,
    ) -> Result<Request, Localized> {
        let dialog = self.tree().dialogs.get(id).cloned();
        let dialog = dialog.ok_or(Refusal::NoSuchDialog)?;
        let (engine, prepared) = (self.engine.clone(), prepared.clone());
        let request = blocking(move |on| prepared.sent_request(&engine, &dialog, on));
        request.await.map_err(|error| interrupted(&error))
    }

    /// Stops the dialog. Queued messages stay for when it continues.
    async fn stop_unavailable(&mut self, id: &SelfId, reason: Localized) {
        let mut draft = self.draft();
        mark_stopped(&mut draft, id, StopReason::system(reason));
        self.commit_or_stop(id, draft).await;
    }

    /// Delivers a reply that needs no further generation.
    async fn deliver(&mut self, id: &SelfId) -> bool {
        let texts = self.engine.texts();
        let mut draft = self.draft();
        match self.tree().get(id).and_then(state::plain_reply) {
            Some(text) => _ = reply::deliver_plain_text(&mut draft, id, text, texts),
            None => fresh_boots::conclude(&mut draft, id, texts),
        }
        self.wake_askers(&mut draft);
        self.commit_or_stop(id, draft).await
    }

    /// Resumes drives that asked back and were answered or have other work, and those whose asker cannot
    /// answer without the user.
    pub(super) async fn release_asking_back(&mut self) {
        let ids: Vec<SelfId> = self.asking_back.keys().cloned().collect();
        for id in ids {
            let Some(dialog) = self.tree().get(&id) else { continue };
            let open =
                dialog.history.asked_back().any(|(call, _)| !dialog.history.results.contains(call));
            if open && next_step(dialog).is_none() && self.asker_may_answer(dialog) {
                continue;
            }
            if open {
                let mut draft = self.draft();
                ask_back::record_waiting_status(&mut draft, &id, self.engine.texts());
                self.commit_or_stop(&id, draft).await;
            }
            if let Some(waiting) = self.asking_back.remove(&id) {
                let _ = waiting.send(());
            }
        }
    }

    /// True if the asker may answer by itself: it runs, or is about to.
    fn asker_may_answer(&self, dialog: &Dialog) -> bool {
        let Some(asker) = dialog.asker() else { return false };
        let is_running = self.activity(asker) != Activity::Resting;
        let waits = self.asking_back.contains_key(asker);
        (is_running && !waits)
            || self.tree().get(asker).is_some_and(|asker| next_step(asker).is_some())
    }

    async fn answered(
        &mut self,
        at: &Position,
        answer: ModelAnswer,
        reply: oneshot::Sender<RecordedRound>,
    ) {
        let Some(prepared) = self.prepared.get(&at.dialog) else { return };
        let team = prepared.team_names(self.engine.side_dialog_limits);
        let looks_at_words = match prepared.minds().hive().capture {
            Capture::All => true,
            Capture::Tasks => self.task().is_some(),
            Capture::Off => false,
        };
        let mut draft = self.draft();
        if draft.dialog(&at.dialog).is_some_and(|dialog| dialog.latest.is_dead()) {
            // The text of a dead dialog is kept, its calls are not executed.
            end::record_segments(&mut draft, at, answer.segments, true);
            if self.commit_or_stop(&at.dialog, draft).await {
                let _ = reply.send(RecordedRound { ordinary: Vec::new(), asked_back: false });
            }
            return;
        }
        let words = answer.last_words();
        end::record_segments(&mut draft, at, answer.segments, false);
        if !answer.calls.is_empty() {
            draft.set_durable();
        }
        let texts = self.engine.texts();
        if looks_at_words {
            captured::capture(&mut draft, at, &words, (&team.asking, self.task()), texts);
        }
        let ordinary = process_round(&mut draft, at, answer.calls, &team, texts);
        self.wake_askers(&mut draft);
        if self.commit_or_stop(&at.dialog, draft).await {
            let asked_back = self.tree().get(&at.dialog).is_some_and(|dialog| {
                dialog.history.asked_back().any(|(_, call)| call.genseq == at.genseq)
            });
            let _ = reply.send(RecordedRound { ordinary, asked_back });
        }
    }

    async fn tool_done(
        &mut self,
        at: &Position,
        call: &Call,
        outcome: ToolOutcome,
        reply: oneshot::Sender<()>,
    ) {
        let shared = if outcome.changes.is_empty() {
            Vec::new()
        } else {
            self.shared_reminders(&at.dialog).await
        };
        let left = left_behind(&outcome.changes);
        let follows = outcome.changes.contains(&StateChange::SetGoal(Goal::Taskdoc));
        let parallel = follows && self.has_parallel(&at.dialog).await;
        let decision = outcome.changes.iter().find_map(StateChange::decision);
        let decision = decision.map(|(kind, outcome)| (kind, outcome.clone()));
        let mut draft = self.draft();
        let around = Surroundings { shared: &shared, parallel };
        let ok = effects::record(&mut draft, at, call, outcome, around, self.engine.texts());
        if self.commit_or_stop(&at.dialog, draft).await {
            self.await_processes(&at.dialog, left);
            let dialog = self.tree().id(&at.dialog);
            if let Some((kind, outcome)) = decision.filter(|_| ok) {
                self.report_decision(&dialog, kind, &outcome);
            }
            self.report_news().await;
            self.report_tasks().await;
            self.send_event(DriverEvent::ToolEnded { dialog, call: call.id.clone(), ok }).await;
            let _ = reply.send(());
        }
    }

    /// A notice of the tool that ended is told before its result.
    async fn report_news(&mut self) {
        if self.news.has_changed().unwrap_or_default() {
            let NewsView { revision, items, .. } = self.news.borrow_and_update().clone();
            let _ = self.reports.send(DriverReport::News { revision, items }).await;
        }
    }

    /// A task that was given must be known before the tree may rest.
    async fn report_tasks(&mut self) {
        if self.tasks.has_changed().unwrap_or_default() {
            let revision = self.tasks.borrow_and_update().revision;
            let _ = self.reports.send(DriverReport::TasksSeen { revision }).await;
        }
    }

    fn report_decision(&self, dialog: &DialogId, kind: DecisionKind, outcome: &DecisionOutcome) {
        self.engine.log.decision(dialog, kind, outcome);
        let (made, result) = match outcome {
            DecisionOutcome::Made(made) => (made, DecisionResult::Automatic),
            DecisionOutcome::Notified(made) => (made, DecisionResult::Notified),
            // The answer is the decision.
            DecisionOutcome::Asked(_) => return,
        };
        let Some(agent) = self.tree().get(&dialog.this).map(|dialog| &dialog.meta.agent_id) else {
            return;
        };
        self.engine.hive.record(NewDecision {
            dialog: dialog.clone(),
            agent: agent.clone(),
            by: format!("@{agent}"),
            category: Some(kind),
            result,
            what: made.description.clone(),
            reason: made.option.clone().unwrap_or_default(),
        });
    }

    /// The reminders all dialogs of this member share, as they are now. Those that cannot be read are reported.
    pub(super) async fn shared_reminders(&self, id: &SelfId) -> Vec<Reminder> {
        let Some(dialog) = self.tree().get(id) else { return Vec::new() };
        let (store, meta) = (self.engine.store.clone(), dialog.meta.clone());
        let layout = self.tree().layout;
        let origin = format!("reminders/{}", meta.agent_id).into();
        let read = blocking(move |on| reminders::shared(&store, layout, &meta, on));
        let Ok((reminders, problems)) = read.await else { return Vec::new() };
        let _ = self.reports.send(DriverReport::Problems { origin, problems }).await;
        reminders
    }

    async fn end(&mut self, at: &Position, end: GenerationEnd) -> bool {
        let model = self.prepared.get(&at.dialog).map(|prepared| prepared.model.clone());
        let mut draft = self.draft();
        let answered = matches!(end, GenerationEnd::Finished { .. });
        let name = self.tree().get(&at.dialog).map(tree_rows::name_of).unwrap_or_default();
        let mut rejection = ending::rejection(&self.tree().id(&at.dialog), &name, &end);
        let mut notice = None;
        match end {
            GenerationEnd::Finished { usage } => {
                self.draft_finish(&mut draft, at, usage, model).await;
            }
            GenerationEnd::Stopped { segments } => {
                end::record_segments(&mut draft, at, segments, true);
                ask_back::record_waiting_status(&mut draft, &at.dialog, self.engine.texts());
                let reason = self.stop_reason(&at.dialog);
                end::abort(&mut draft, at, reason, model);
            }
            GenerationEnd::Failed { error, push } => {
                match self.draft_failure(&mut draft, at, &error, push, model).await {
                    AfterFailure::Stops => {}
                    AfterFailure::Pushed => rejection = None,
                    AfterFailure::StartsCourse => {
                        rejection = None;
                        let error = error.message();
                        notice = Some(
                            localized!([error] "a new course begins: {error}", "新的课程开始：{error}"),
                        );
                    }
                }
            }
        }
        if self.drives.is_interrupted(&at.dialog) {
            // As words to a stopped dialog: whatever ended this generation, the next one takes them.
            draft.edit_latest(&at.dialog, Latest::clear_interruption);
        }
        let written = self.commit_or_stop(&at.dialog, draft).await;
        if written && (answered || rejection.is_some()) {
            self.note_rejection(&at.dialog, rejection).await;
        }
        if let Some(notice) = notice {
            self.send_event(DriverEvent::Notice(notice)).await;
        }
        written
    }

    fn stop_reason(&self, id: &SelfId) -> StopReason {
        self.drives.stop_reason(id).cloned().unwrap_or(StopReason::ServerRestart)
    }
}

fn unread_memories(dialog: &DialogId, team: &TeamName, why: &Localized) -> Problem {
    let text = localized!(
        [why] "{dialog} works without the memories of team {team}: {why}",
        "{dialog} 工作时没有团队 {team} 的记忆：{why}"
    );
    let fix = Text::new(
        "remove the cause: they are read again before the next request",
        "请排除原因：下一次请求之前会重新读取",
    );
    Problem::new(format!("memory/unread/{dialog}"), STORE_FOLDER, text, fix).warning()
}
