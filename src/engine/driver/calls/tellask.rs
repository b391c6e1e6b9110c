//! Asking a teammate: creates a side dialog, or gives an existing session a new request.

use serde_json::Map;

use crate::domain::dialogs::call::{SpecialCall, TellaskKind};
use crate::domain::dialogs::dialog_limits;
use crate::domain::dialogs::record::{
    Call, CallRef, CallResult, Record, ReplyStatus, SideDialogCreated,
};
use crate::domain::reading::waits;
use crate::domain::{
    AgentId, Assignment, AssignmentFrame, Dialog, DialogMeta, Latest, Pending, RegistryEntry,
    SelfId, SideDialogLimits, Slug,
};
use crate::driver::steps::draft::Draft;
use crate::driver::steps::position::Position;
use crate::driver::steps::stop::{resume_dismissed, take_up};
use crate::driver::texts::Texts;

use super::asking_rules::AskingRules;
use super::in_flight::refresh_in_flight;
use super::results::{CallEnd, RUNTIME, ResultAuthor, failed_result, record_outcome};
use super::{check, fresh_boots};

/// What planning a round needs to know about the team and its configuration.
#[derive(Debug)]
pub struct TeamNames {
    /// All members that can be asked.
    pub all: Vec<String>,
    /// Those the model is shown.
    pub visible: Vec<String>,
    /// Default rounds per phase of fresh-boots reasoning; 0 switches it off.
    pub own_effort: u8,
    /// How many side dialogs may run in the tree.
    pub side_dialog_limits: SideDialogLimits,
    pub asking: AskingRules,
}

/// A validated tellask.
#[derive(Debug)]
pub struct TellaskRequest<'a> {
    pub call: &'a Call,
    pub kind: TellaskKind,
    pub target: &'a str,
    pub slug: Option<&'a Slug>,
    pub content: &'a str,
    /// Rounds per phase, for fresh-boots reasoning.
    pub effort: Option<u32>,
}

impl TellaskRequest<'_> {
    /// Fresh-boots reasoning mentions nobody.
    fn mentions(&self) -> Option<Vec<String>> {
        match self.kind {
            TellaskKind::Back | TellaskKind::Session | TellaskKind::Sessionless => {
                Some(vec![format!("@{}", self.target)])
            }
            TellaskKind::FreshBoots => None,
        }
    }
}

/// Registers the call; returns its status text. The side dialog starts when the round is on disk.
pub fn start(
    draft: &mut Draft,
    at: &Position,
    request: &TellaskRequest<'_>,
    team: &TeamNames,
    texts: Texts,
) -> String {
    if let Some(reason) = refusal(draft, at, request, team, texts) {
        let asked = CallRef {
            tellask_content: request.content.to_owned(),
            mention_list: request.mentions(),
            session_slug: request.slug.cloned(),
        };
        let record = failed_result(request.call, at, asked, &reason);
        draft.append_detached(&at.dialog, at.course, record);
        return reason;
    }
    draft.set_durable();
    let target = AgentId::new(request.target);
    let session = existing_session(draft, request).map(|dialog| dialog.meta.id.clone());
    let side = match session {
        Some(side) => {
            replace_request(draft, at, request, &side, texts);
            side
        }
        None => create(draft, at, request, &target),
    };
    add_pending(draft, at, request, &side);
    refresh_in_flight(draft, &at.dialog, texts);
    texts.waiting(&request.call.name, &request.call.id)
}

fn refusal(
    draft: &Draft,
    at: &Position,
    request: &TellaskRequest<'_>,
    team: &TeamNames,
    texts: Texts,
) -> Option<String> {
    target_refusal(draft, at, request, team, texts).or_else(|| {
        let session = existing_session(draft, request).map(|dialog| &dialog.meta.id);
        let most = team.side_dialog_limits;
        let limit = dialog_limits::exceeded_limit(&draft.tree, &at.dialog, session, most)?;
        Some(texts.exceeded_limit(limit, most))
    })
}

/// The live dialog of the requested session.
fn existing_session<'a>(draft: &'a Draft, request: &TellaskRequest<'_>) -> Option<&'a Dialog> {
    draft.tree.session(&AgentId::new(request.target), request.slug?)
}

/// Why this target cannot be asked.
fn target_refusal(
    draft: &Draft,
    at: &Position,
    request: &TellaskRequest<'_>,
    team: &TeamNames,
    texts: Texts,
) -> Option<String> {
    let caller = draft.dialog(&at.dialog)?;
    if request.kind == TellaskKind::FreshBoots {
        return (request.effort == Some(0)).then(|| texts.fresh_boots_off());
    }
    if caller.meta.agent_id.as_str() == request.target {
        return Some(texts.self_tellask());
    }
    if !team.all.iter().any(|member| member == request.target) {
        return Some(texts.unknown_teammate(request.target, &team.visible.join(", ")));
    }
    if let Some(cycle) = wait_cycle(draft, at, request) {
        return Some(texts.wait_cycle(&waits::around(&draft.tree, &cycle)));
    }
    let asker = caller.obligation().and_then(|owed| draft.dialog(&owed.target_dialog_id));
    let to_asker = request.kind == TellaskKind::Sessionless
        && asker.is_some_and(|asker| asker.meta.agent_id.as_str() == request.target);
    to_asker.then(|| texts.tellask_to_asker(request.target))
}

/// The dialogs that would wait for each other if this session got the request.
fn wait_cycle(draft: &Draft, at: &Position, request: &TellaskRequest<'_>) -> Option<Vec<SelfId>> {
    let session = existing_session(draft, request)?;
    waits::ring_of_call(&draft.tree, &at.dialog, &session.meta.id)
}

fn assignment(draft: &Draft, at: &Position, request: &TellaskRequest<'_>) -> Assignment {
    let caller = draft.dialog(&at.dialog).map(|dialog| dialog.meta.agent_id.clone());
    Assignment {
        call_name: request.call.name.clone(),
        mention_list: request.mentions(),
        tellask_content: request.content.to_owned(),
        origin_member_id: caller.unwrap_or_else(|| AgentId::new(RUNTIME)),
        asker_dialog_id: at.dialog.clone(),
        call_id: request.call.id.clone(),
        collective_targets: Some(vec![AgentId::new(request.target)]),
        effective_fbr_effort: request.effort,
        extra: serde_json::Map::new(),
    }
}

fn create(
    draft: &mut Draft,
    at: &Position,
    request: &TellaskRequest<'_>,
    target: &AgentId,
) -> SelfId {
    let side = unused_id(draft);
    let assignment = assignment(draft, at, request);
    let task_doc_path =
        draft.tree.main().map(|main| main.meta.task_doc_path.clone()).unwrap_or_default();
    let created = SideDialogCreated {
        side_dialog_id: side.clone(),
        asker_dialog_id: at.dialog.clone(),
        agent_id: target.clone(),
        task_doc_path: task_doc_path.clone(),
        created_at: draft.now.clone(),
        session_slug: request.slug.cloned(),
        assignment_from_asker: assignment.clone(),
    };
    let meta = DialogMeta {
        id: side.clone(),
        agent_id: target.clone(),
        task_doc_path,
        created_at: draft.now.clone(),
        session_slug: request.slug.cloned(),
        extra: Map::new(),
    };
    let mut latest = Latest::new(draft.now.clone());
    latest.disable_diligence_push = Some(false);
    if let Some(effort) = request.effort {
        fresh_boots::begin(&mut latest, effort);
    }
    draft.create(
        meta,
        latest,
        vec![AssignmentFrame::owing(assignment, request.kind.reply().name())],
    );
    draft.append_detached(&at.dialog, at.course, Record::SideDialogCreated(created));
    if let Some(slug) = request.slug {
        register(draft, target, slug, &side);
    }
    side
}

fn unused_id(draft: &Draft) -> SelfId {
    loop {
        let id = draft.ids.dialog();
        if draft.dialog(&id).is_none() {
            return id;
        }
    }
}

fn register(draft: &mut Draft, target: &AgentId, slug: &Slug, side: &SelfId) {
    let entry = RegistryEntry::new(target, slug, side);
    let mut entries = draft.tree.registry.clone();
    entries.retain(|old| old.key != entry.key);
    entries.push(entry);
    let main = draft.tree.root.main();
    let course = draft.tree.anchor().course;
    draft.append_detached(&main, course, Record::Registry { entries: entries.clone() });
    draft.set_registry(entries);
}

/// Replaces the request of an existing session. An earlier call that is still pending is closed at once.
fn replace_request(
    draft: &mut Draft,
    at: &Position,
    request: &TellaskRequest<'_>,
    side: &SelfId,
    texts: Texts,
) {
    let earlier: Vec<(SelfId, Pending)> = draft
        .tree
        .dialogs
        .values()
        .flat_map(|dialog| dialog.pending.iter().map(|p| (dialog.meta.id.clone(), p.clone())))
        .filter(|(owner, pending)| {
            pending.side_dialog_id == *side
                && draft.dialog(owner).is_some_and(|owner| !owner.latest.is_dead())
        })
        .collect();
    for (owner, pending) in earlier {
        close_superseded(draft, at, &owner, &pending, texts);
    }
    push_request(draft, at, request, side);
    take_up(draft, side);
    resume_dismissed(draft, side);
}

fn push_request(draft: &mut Draft, at: &Position, request: &TellaskRequest<'_>, side: &SelfId) {
    let frame = AssignmentFrame::owing(assignment(draft, at, request), request.kind.reply().name());
    let mut stack = draft.dialog(side).map(|dialog| dialog.stack.clone()).unwrap_or_default();
    // Questions asked back stay owed, below the newer request.
    if let Some(index) = stack.iter().rposition(|old| old.assignment_from_asker.is_some()) {
        stack.remove(index);
    }
    stack.push(frame);
    draft.set_stack_first(side, stack);
}

/// Restores the request of a session whose replacement was lost in a crash.
pub fn restore_request(draft: &mut Draft, side: &SelfId) {
    let newest =
        unanswered_requests(draft, side).into_iter().max_by_key(|(at, _)| (at.course, at.genseq));
    let Some((at, call)) = newest else { return };
    with_request(draft, side, &call, |draft, request| {
        push_request(draft, &at, request, side);
        let waits = draft
            .dialog(&at.dialog)
            .is_some_and(|owner| owner.pending.iter().any(|pending| pending.call_id == call.id));
        if !waits {
            add_pending(draft, &at, request, side);
        }
    });
}

/// Closes requests that the current one of the session replaced, where a crash left them open.
pub fn close_replaced(draft: &mut Draft, side: &SelfId, texts: Texts) {
    let Some(owed) = draft.dialog(side).and_then(Dialog::assignment_owed).cloned() else { return };
    let (newer, replaced): (Vec<_>, Vec<_>) = unanswered_requests(draft, side)
        .into_iter()
        .partition(|(_, call)| call.id == owed.target_call_id);
    let Some((newer, _)) = newer.first() else { return };
    for (at, call) in replaced {
        with_request(draft, side, &call, |draft, request| {
            let pending = pending(draft, &at, request, side);
            close_superseded(draft, newer, &at.dialog, &pending, texts);
        });
    }
}

/// Runs `action` with a recorded request of a session.
fn with_request(
    draft: &mut Draft,
    side: &SelfId,
    call: &Call,
    action: impl FnOnce(&mut Draft, &TellaskRequest<'_>),
) {
    let Some(dialog) = draft.dialog(side) else { return };
    let (target, slug) = (dialog.meta.agent_id.clone(), dialog.meta.session_slug.clone());
    let content = check::call_ref(call).tellask_content;
    let request = TellaskRequest {
        call,
        kind: TellaskKind::Session,
        target: target.as_str(),
        slug: slug.as_ref(),
        content: &content,
        effort: None,
    };
    action(draft, &request);
}

/// The recorded requests of this session that have no reply.
fn unanswered_requests(draft: &Draft, side: &SelfId) -> Vec<(Position, Call)> {
    let Some(dialog) = draft.dialog(side) else { return Vec::new() };
    let Some(slug) = &dialog.meta.session_slug else { return Vec::new() };
    let mention = format!("@{}", dialog.meta.agent_id);
    let of_session = |call: &Call| {
        let asked = check::call_ref(call);
        asked.session_slug.as_ref() == Some(slug)
            && asked.mention_list.is_some_and(|mentions| mentions.contains(&mention))
    };
    let living = draft.tree.dialogs.values().filter(|owner| !owner.latest.is_dead());
    let open = living.flat_map(|owner| {
        let open = owner.history.awaited(SpecialCall::Tellask(TellaskKind::Session));
        open.map(|(id, fact)| {
            let (course, genseq) = (fact.course, fact.genseq);
            let at = Position { dialog: owner.meta.id.clone(), course, genseq };
            (at, fact.recorded(id))
        })
    });
    open.filter(|(_, call)| of_session(call)).collect()
}

/// Closes a call for good that a newer one at `at` replaces: its owner gets a result, and the call leaves
/// the owner's pending list and its tellasks in flight.
fn close_superseded(
    draft: &mut Draft,
    at: &Position,
    owner: &SelfId,
    pending: &Pending,
    texts: Texts,
) {
    let Some(dialog) = draft.dialog(owner) else { return };
    let remaining: Vec<Pending> =
        dialog.pending.iter().filter(|other| other.call_id != pending.call_id).cloned().collect();
    let answered = dialog.history.replies.contains_key(&pending.call_id);
    let has_status = dialog.history.results.contains(&pending.call_id);
    let taken_over = *owner != at.dialog;
    let by = draft.dialog(&at.dialog).map(|dialog| dialog.meta.agent_id.clone());
    draft.set_pending(owner, remaining);
    if taken_over {
        refresh_in_flight(draft, owner, texts);
    }
    if answered {
        return;
    }
    if !taken_over && !has_status {
        // Both calls are of one round: the earlier one gets its status like the other before it is closed.
        let status = texts.waiting(&pending.call_name, &pending.call_id);
        let (id, name) = (pending.call_id.clone(), pending.call_name.clone());
        let result = CallResult::of_text(id, name, status);
        draft.append(&at.dialog, at.course, at.genseq, Record::FuncResult(result));
    }
    let text = texts.superseded(pending, by.as_ref().filter(|_| taken_over));
    // 1.29 names the session, which 1.19 has no record for.
    let callee = draft.tree.layout.has_recent_rules().then_some(&pending.side_dialog_id);
    let outcome = CallEnd {
        callee,
        author: ResultAuthor::Runtime,
        written: None,
        status: ReplyStatus::Failed,
        text: &text,
    };
    record_outcome(draft, owner, pending, &outcome, texts);
}

fn pending(draft: &Draft, at: &Position, request: &TellaskRequest<'_>, side: &SelfId) -> Pending {
    Pending {
        side_dialog_id: side.clone(),
        created_at: draft.now.clone(),
        call_name: request.call.name.clone(),
        mention_list: request.mentions(),
        tellask_content: request.content.to_owned(),
        target_agent_id: AgentId::new(request.target),
        call_id: request.call.id.clone(),
        call_site_course: at.course,
        call_site_genseq: at.genseq,
        call_type: request.kind.call_type(),
        session_slug: request.slug.cloned(),
        extra: Map::new(),
    }
}

fn add_pending(draft: &mut Draft, at: &Position, request: &TellaskRequest<'_>, side: &SelfId) {
    let added = pending(draft, at, request, side);
    let mut pending = draft.dialog(&at.dialog).map(|d| d.pending.clone()).unwrap_or_default();
    pending.push(added);
    if request.slug.is_none() {
        let record = Record::PendingSideDialogs { pending_side_dialogs: pending.clone() };
        draft.append_detached(&at.dialog, at.course, record);
    }
    draft.set_pending(&at.dialog, pending);
}

/// Fails a recorded call that never reached a side dialog; returns its status text.
pub fn fail_unreached(draft: &mut Draft, at: &Position, call: &Call, texts: Texts) -> String {
    let reason = texts.reached_nobody();
    let record = failed_result(call, at, check::call_ref(call), &reason);
    draft.append_detached(&at.dialog, at.course, record);
    reason
}
