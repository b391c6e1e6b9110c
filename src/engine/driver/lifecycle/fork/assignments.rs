//! The assignment of a side dialog as it was at the fork point. Pure.

use crate::domain::dialogs::call::{SpecialCall, TellaskKind, text_argument};
use crate::domain::dialogs::history::CallFact;
use crate::domain::dialogs::record::{Record, ReplyStatus, SideDialogCreated};
use crate::domain::{AgentId, Assignment, AssignmentFrame, CallId, SelfId};

use super::dialogs::{ForkedDialog, SourceDialog};

/// The record that created a side dialog, in whichever dialog it is.
pub fn created<'a>(side: &SelfId, sources: &'a [SourceDialog]) -> Option<&'a SideDialogCreated> {
    let courses = sources.iter().flat_map(|source| &source.courses);
    let mut lines = courses.flat_map(|(_, lines)| lines);
    lines.find_map(|line| {
        let Record::SideDialogCreated(created) = &line.entry.record else { return None };
        (created.side_dialog_id == *side).then_some(created)
    })
}

/// The assignment a side dialog was created for; without a record, its current one.
pub fn first_assignment(source: &SourceDialog, sources: &[SourceDialog]) -> Option<Assignment> {
    let made = created(&source.dialog.meta.id, sources);
    let recorded = made.map(|created| &created.assignment_from_asker);
    recorded.or_else(|| source.dialog.assignment()).cloned()
}

/// The asker stack of a side dialog: its newest assignment, owed unless it was answered.
pub fn stack(side: &ForkedDialog, all: &[ForkedDialog]) -> Vec<AssignmentFrame> {
    let Some(assignment) = newest_assignment(side, all) else { return Vec::new() };
    let Some(kind) = tellask_kind(&assignment.call_name) else { return Vec::new() };
    let call = assignment.call_id.clone();
    let answered =
        reply_to(&assignment, all).is_some() || side.history.resolved_targets.contains(&call);
    let mut frame = AssignmentFrame::owing(assignment, kind.reply().name());
    if answered && kind != TellaskKind::FreshBoots {
        frame.tellask_reply_obligation = None;
    }
    vec![frame]
}

/// True if a side dialog that is dead now was already dead at the fork point: its newest call was closed
/// without a reply.
pub fn was_declared_dead(stack: &[AssignmentFrame], all: &[ForkedDialog]) -> bool {
    let assignment = stack.last().and_then(|frame| frame.assignment_from_asker.as_ref());
    assignment.and_then(|assignment| reply_to(assignment, all)) == Some(ReplyStatus::Failed)
}

fn reply_to(assignment: &Assignment, all: &[ForkedDialog]) -> Option<ReplyStatus> {
    let asker = all.iter().find(|dialog| dialog.meta.id == assignment.asker_dialog_id)?;
    asker.history.replies.get(&assignment.call_id).copied()
}

/// A request that has not started, else the one of the newest prompt, else the first.
fn newest_assignment(side: &ForkedDialog, all: &[ForkedDialog]) -> Option<Assignment> {
    let waiting = || {
        let asked =
            all.iter().flat_map(|asker| asker.history.calls.iter().map(move |c| (asker, c)));
        let mut open =
            asked.filter(|(asker, (id, call))| is_unstarted_call(side, all, asker, id, call));
        open.next_back().map(|(asker, (id, call))| from_call(side, asker, id, call))
    };
    waiting().or_else(|| prompted_assignment(side, all)).or_else(|| side.first_assignment.clone())
}

/// True if this is an unanswered call of the side dialog's session that has not started.
fn is_unstarted_call(
    side: &ForkedDialog,
    all: &[ForkedDialog],
    asker: &ForkedDialog,
    id: &CallId,
    call: &CallFact,
) -> bool {
    let Some(slug) = &side.meta.session_slug else { return false };
    let names = |key: &str, expected: &str| {
        text_argument(&call.arguments, key)
            .is_some_and(|value| value.trim_start_matches('@') == expected)
    };
    let same_session = |other: &&ForkedDialog| {
        other.meta.agent_id == side.meta.agent_id
            && other.meta.session_slug == side.meta.session_slug
    };
    let is_newest =
        all.iter().rfind(same_session).is_some_and(|dialog| dialog.meta.id == side.meta.id);
    call.started
        && is_newest
        && call.special() == Some(SpecialCall::Tellask(TellaskKind::Session))
        && names("sessionSlug", slug.as_str())
        && names("targetAgentId", side.meta.agent_id.as_str())
        && !asker.history.replies.contains_key(id)
        && !side.history.assignments.contains_key(id)
}

/// The assignment of the newest prompt of the side dialog.
fn prompted_assignment(side: &ForkedDialog, all: &[ForkedDialog]) -> Option<Assignment> {
    let lines = side.courses.iter().rev().flat_map(|(_, lines)| lines.iter().rev());
    let directives = lines.filter_map(|line| {
        let Record::HumanText(text) = &line.entry.record else { return None };
        text.tellask_reply_directive.as_ref()
    });
    let mut known = directives.filter_map(|owed| {
        let asker = all.iter().find(|dialog| dialog.meta.id == owed.target_dialog_id)?;
        let call = asker.history.calls.get(&owed.target_call_id)?;
        tellask_kind(&call.name)?;
        Some((asker, &owed.target_call_id, call))
    });
    let (asker, id, call) = known.next()?;
    let first = side
        .first_assignment
        .as_ref()
        .filter(|first| first.call_id == *id && first.asker_dialog_id == asker.meta.id);
    Some(first.cloned().unwrap_or_else(|| from_call(side, asker, id, call)))
}

fn from_call(
    side: &ForkedDialog,
    asker: &ForkedDialog,
    id: &CallId,
    call: &CallFact,
) -> Assignment {
    let target: &AgentId = &side.meta.agent_id;
    Assignment {
        call_name: call.name.clone(),
        mention_list: Some(vec![format!("@{target}")]),
        tellask_content: text_argument(&call.arguments, "tellaskContent").unwrap_or_default(),
        origin_member_id: asker.meta.agent_id.clone(),
        asker_dialog_id: asker.meta.id.clone(),
        call_id: id.clone(),
        collective_targets: Some(vec![target.clone()]),
        effective_fbr_effort: None,
        extra: serde_json::Map::new(),
    }
}

fn tellask_kind(name: &str) -> Option<TellaskKind> {
    match SpecialCall::of(name)? {
        SpecialCall::Tellask(
            kind @ (TellaskKind::Session | TellaskKind::Sessionless | TellaskKind::FreshBoots),
        ) => Some(kind),
        SpecialCall::Tellask(TellaskKind::Back)
        | SpecialCall::AskHuman
        | SpecialCall::AnswerHuman
        | SpecialCall::Reply(_) => None,
    }
}
