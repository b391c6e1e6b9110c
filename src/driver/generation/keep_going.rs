//! What a main dialog does instead of becoming idle: a warning about its context, a push, or the question
//! whether to continue. This is decided in the step that ends the generation and written with that step: a
//! queued push, `needsDrive`, an open question. So starting the program alone pushes nobody.

use std::sync::Arc;

use crate::domain::call::ASK_HUMAN;
use crate::domain::keep_going::{RestAction, Switch, question_call, rest_action};
use crate::domain::queue::{QueuedPrompt, enqueue};
use crate::domain::record::{Call, CallResult, DeliveryMode, Entry, Origin, Record};
use crate::domain::state::Activity;
use crate::domain::{ContextAction, Dialog, KeepGoing, PushCount, SelfId};
use crate::driver::calls::{Position, ask_human};
use crate::driver::shared::blocking::blocking;
use crate::driver::steps::draft::Draft;
use crate::driver::texts::Texts;
use crate::driver::tree::task::TreeTask;
use crate::protocol::Refusal;

use super::open::start_course;

/// The keep-going configuration of a dialog's member.
#[derive(Debug, Clone, Default)]
pub struct KeepGoingPolicy {
    pub keep_going: KeepGoing,
    /// Generations between two warnings about context pressure.
    pub cadence: u32,
}

/// The dialog as it will be when `finish`, the end of its generation, is recorded.
pub fn dialog_after_finish(draft: &Draft, at: &Position, finish: &Record) -> Option<Dialog> {
    let mut ended = draft.dialog(&at.dialog)?.clone();
    let ts = draft.now.clone();
    let entry =
        Entry { ts, genseq: Some(at.genseq), root: None, source_tag: None, record: finish.clone() };
    ended.history.fold(at.course, Arc::new(entry));
    Some(ended)
}

/// Drafts what a main dialog does instead of becoming idle; call it before the end of its generation is
/// recorded. `ended`: the dialog after that.
pub fn act_before_idle(
    draft: &mut Draft,
    at: &Position,
    ended: &Dialog,
    policy: &KeepGoingPolicy,
    texts: Texts,
) {
    if !draft.tree.is_main(&at.dialog) {
        return;
    }
    let pushes = policy.keep_going.pushes(&ended.latest);
    match rest_action(ended, policy.cadence, pushes) {
        None => {}
        Some(RestAction::Context(action)) => apply_context_action(draft, at, action, texts),
        Some(RestAction::Push) => push(draft, ended, policy, texts),
        Some(RestAction::AskHuman) => ask(draft, at, &policy.keep_going, texts),
    }
    refill_if_asking(draft, &at.dialog, &policy.keep_going);
}

/// The warning itself is recorded by the generation it opens.
fn apply_context_action(draft: &mut Draft, at: &Position, action: ContextAction, texts: Texts) {
    match action {
        ContextAction::Caution | ContextAction::LastCall { .. } => {
            draft.edit_latest(&at.dialog, |latest| latest.needs_drive = Some(true));
        }
        ContextAction::NewCourse => {
            start_course(draft, at, &texts.forced_course_start(&[], 0), texts);
        }
        // Handled by `context_actions::end_action`.
        ContextAction::Stop => {}
    }
}

/// Queues a push; it is counted when its generation starts.
fn push(draft: &mut Draft, dialog: &Dialog, policy: &KeepGoingPolicy, texts: Texts) {
    let Some(body) = &policy.keep_going.text else { return };
    let id = &dialog.meta.id;
    let Some((left, max)) = policy.keep_going.pushes(&dialog.latest) else { return };
    let Some(count) = PushCount::next(left, max) else { return };
    let prompt = QueuedPrompt {
        msg_id: draft.ids.message(),
        content: texts.push(count, body),
        origin: Origin::DiligencePush,
        language: None,
        directive: None,
        assigns: None,
    };
    let mut queue = dialog.queue.clone();
    enqueue(&mut queue, prompt);
    draft.set_queue(id, queue);
    draft.edit_latest(id, |latest| latest.diligence_push_remaining_budget = Some(left));
}

/// Queues a push for a main dialog whose model sends empty answers, even if it waits for side dialogs; false
/// if it waits for the user or has no pushes.
pub fn push_once(draft: &mut Draft, at: &Position, policy: &KeepGoingPolicy, texts: Texts) -> bool {
    let main = draft.dialog(&at.dialog).filter(|_| draft.tree.is_main(&at.dialog));
    let Some(dialog) = main.filter(|dialog| dialog.questions.is_empty()).cloned() else {
        return false;
    };
    let may_push = matches!(policy.keep_going.pushes(&dialog.latest), Some((1.., _)));
    if may_push {
        push(draft, &dialog, policy, texts);
    }
    may_push
}

/// Decrements the remaining pushes; call it when a generation takes one.
pub fn count_push(draft: &mut Draft, id: &SelfId) {
    draft.edit_latest(id, |latest| {
        let left = latest.diligence_push_remaining_budget;
        latest.diligence_push_remaining_budget = left.map(|left| left.saturating_sub(1).max(0));
    });
}

/// Asks the user on behalf of the model, as an ordinary `askHuman` call, so that every reader of the course
/// understands it.
fn ask(draft: &mut Draft, at: &Position, config: &KeepGoing, texts: Texts) {
    let content = texts.go_on_or_stop(config.full());
    let call = Call {
        id: question_call(&draft.ids.short(8)),
        name: ASK_HUMAN.to_owned(),
        raw_arguments_text: serde_json::json!({ "tellaskContent": content }).to_string(),
    };
    draft.set_durable();
    let delivery_mode = DeliveryMode::TellaskCallStart;
    let asked = Record::TellaskCall { call: call.clone(), delivery_mode };
    draft.append(&at.dialog, at.course, at.genseq, asked);
    let status = ask_human::ask(draft, at, &call, &content, texts);
    let result = CallResult { id: call.id, name: call.name, content: status, content_items: None };
    draft.append(&at.dialog, at.course, at.genseq, Record::FuncResult(result));
}

/// Resets the pushes while any question to the user is open.
fn refill_if_asking(draft: &mut Draft, id: &SelfId, config: &KeepGoing) {
    let asking = draft.dialog(id).is_some_and(|dialog| !dialog.questions.is_empty());
    if asking && config.most > 0 {
        let full = config.full();
        draft.edit_latest(id, |latest| latest.diligence_push_remaining_budget = Some(full));
    }
}

impl TreeTask {
    /// Applies a switch of the user. An idle dialog that is switched on is pushed at once.
    pub(in crate::driver) async fn switch_keep_going(
        &mut self,
        id: &SelfId,
        switch: Switch,
    ) -> Result<(), String> {
        if !self.tree.is_main(id) {
            return Err(Refusal::OnlyMainsAreKeptGoing.into());
        }
        let policy = self.load_policy().await;
        if policy.keep_going.text.is_none() && switch != Switch::Off {
            return Err(Refusal::NoDiligenceText.into());
        }
        let resting = self.activity(id) == Activity::Resting;
        self.clear_write_error(id).await;
        let mut draft = self.draft();
        draft.set_durable();
        apply_switch(&mut draft, id, switch, &policy.keep_going);
        if switch == Switch::On && resting {
            push_idle(&mut draft, id, &policy, self.engine.texts());
        }
        self.keep_going = policy.keep_going;
        self.commit(draft).await.map_err(|error| format!("NOT saved: {error}"))?;
        self.report_row(id).await;
        Ok(())
    }

    /// The current configuration of the main dialog's member.
    pub(in crate::driver) async fn load_policy(&self) -> KeepGoingPolicy {
        let engine = self.engine.clone();
        let Ok(minds) = blocking(move |on| engine.minds(on)).await else {
            return KeepGoingPolicy::default();
        };
        let agent = self.tree.main().map(|main| &main.meta.agent_id);
        let member = agent.and_then(|agent| minds.member(agent));
        let max = member.map_or(0, |member| member.diligence_push_max);
        let cadence = member
            .and_then(|member| minds.model_of(member, self.engine.env).ok())
            .map_or(u32::MAX, |(_, model, _)| model.caution_cadence);
        let text = minds.diligence().map(str::to_owned);
        KeepGoingPolicy { keep_going: KeepGoing { most: max, text }, cadence }
    }
}

fn apply_switch(draft: &mut Draft, id: &SelfId, switch: Switch, config: &KeepGoing) {
    let full = config.full();
    draft.edit_latest(id, |latest| {
        let left = latest.diligence_push_remaining_budget.unwrap_or(full);
        match switch {
            Switch::On => {
                latest.disable_diligence_push = Some(false);
                latest.diligence_push_remaining_budget = Some(if left > 0 { left } else { full });
            }
            Switch::Off => latest.disable_diligence_push = Some(true),
            Switch::Refill => latest.diligence_push_remaining_budget = Some(full),
        }
    });
    let Some(dialog) = draft.dialog(id).filter(|_| switch == Switch::Off) else { return };
    if dialog.queue.iter().any(QueuedPrompt::is_push) {
        let queue = dialog.queue.iter().filter(|prompt| !prompt.is_push()).cloned().collect();
        draft.set_queue(id, queue);
    }
}

fn push_idle(draft: &mut Draft, id: &SelfId, policy: &KeepGoingPolicy, texts: Texts) {
    let Some(dialog) = draft.dialog(id).cloned() else { return };
    let pushes = policy.keep_going.pushes(&dialog.latest);
    match rest_action(&dialog, policy.cadence, pushes) {
        Some(RestAction::Push) => push(draft, &dialog, policy, texts),
        Some(RestAction::Context(_)) => {
            draft.edit_latest(id, |latest| latest.needs_drive = Some(true));
        }
        Some(RestAction::AskHuman) | None => {}
    }
}
