//! What a main dialog does instead of becoming idle: a warning about its context, a push, or the question
//! whether to continue. This is decided in the step that ends the generation and written with that step: a
//! queued push, `needsDrive`, an open question. So starting the program alone pushes nobody.

use std::sync::Arc;

use serde_json::json;

use crate::domain::dialogs::call::RuntimeQuestion;
use crate::domain::dialogs::keep_going::{RestAction, rest_action};
use crate::domain::dialogs::queue::{QueuedPrompt, enqueue};
use crate::domain::dialogs::record::{Entry, Origin, Record};
use crate::domain::{ContextAction, Dialog, KeepGoing, PushCount, SelfId};
use crate::driver::calls::ask_human;
use crate::driver::shared::keep_going::KeepGoingPolicy;
use crate::driver::steps::course::start_course;
use crate::driver::steps::draft::Draft;
use crate::driver::steps::position::Position;
use crate::driver::texts::Texts;

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
pub fn push(draft: &mut Draft, dialog: &Dialog, policy: &KeepGoingPolicy, texts: Texts) {
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
        content_items: None,
        quiet: false,
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

/// Asks the user whether the dialog goes on.
fn ask(draft: &mut Draft, at: &Position, config: &KeepGoing, texts: Texts) {
    let content = texts.go_on_or_stop(config.full());
    let id = RuntimeQuestion::KeepGoing.call(&draft.ids.short(8));
    let arguments = json!({ "tellaskContent": content });
    ask_human::ask_for(draft, at, id, (&arguments, &content), texts);
}

/// Resets the pushes while any question to the user is open.
fn refill_if_asking(draft: &mut Draft, id: &SelfId, config: &KeepGoing) {
    let asking = draft.dialog(id).is_some_and(|dialog| !dialog.questions.is_empty());
    if asking && config.most > 0 {
        let full = config.full();
        draft.edit_latest(id, |latest| latest.diligence_push_remaining_budget = Some(full));
    }
}
