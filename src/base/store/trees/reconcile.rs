//! What the index files should say, decided from the courses. Pure.
//!
//! The courses win. An entry that no course mentions is kept: hand-written minimal files must work.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::domain::asking::question::CallSite;
use crate::domain::dialogs::history::CallFact;
use crate::domain::dialogs::record::SideDialogCreated;
use crate::domain::dialogs::registry::RegistryEntry;
use crate::domain::text::json;
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{
    AgentId, Assignment, AssignmentFrame, CallId, CallType, Course, DialogId, DialogMeta, Pending,
    Question, ReplyKind, SelfId, SpecialCall, TellaskKind,
};

use super::scan::CourseScan;

/// A reconciled index.
#[derive(Debug, PartialEq)]
pub(in crate::store) struct ReconciledIndex<T> {
    pub entries: Vec<T>,
    /// Entries of the file that were dropped although no course could give them back.
    pub dropped: usize,
    /// Sentences about contradictions.
    pub contradictions: Vec<Localized>,
}

impl<T> ReconciledIndex<T> {
    fn new() -> Self {
        Self { entries: Vec::new(), dropped: 0, contradictions: Vec::new() }
    }
}

/// The open questions of a dialog, those of the file first.
pub(in crate::store) fn questions(
    dialog: &DialogId,
    scan: &CourseScan,
    file: &[Question],
) -> ReconciledIndex<Question> {
    let mut index = ReconciledIndex::new();
    let mut seen = BTreeSet::new();
    for question in file {
        let call = &question.call_id;
        if !seen.insert(call.clone()) {
            index.dropped += 1;
            index.contradictions.push(localized!(
                "the question of call {call} is listed twice",
                "调用 {call} 的提问列出了两次"
            ));
            continue;
        }
        let recorded = scan.history.calls.get(call);
        let answered = scan.history.replies.contains_key(call);
        if scan.asked.contains(call) || (recorded.is_none() && !answered) {
            index.entries.push(question.clone());
            continue;
        }
        let asks = |fact: &CallFact| fact.special() == Some(SpecialCall::AskHuman);
        index.dropped += usize::from(!recorded.is_some_and(asks));
    }
    for call in scan.asked.iter().filter(|call| !seen.contains(*call)) {
        let snapshot = scan.snapshot.get(call).cloned();
        index.entries.extend(snapshot.or_else(|| rebuilt_question(dialog, scan, call)));
    }
    index
}

fn rebuilt_question(dialog: &DialogId, scan: &CourseScan, call: &CallId) -> Option<Question> {
    let fact = scan.history.calls.get(call)?;
    let site = CallSite {
        course: fact.course,
        message_index: 0,
        call_site_genseq: (fact.genseq.0 > 0).then_some(fact.genseq),
        extra: serde_json::Map::new(),
    };
    let asked_at = scan.called_at.get(call).cloned().unwrap_or_default();
    Some(Question::new(dialog, call, &content_of(fact), asked_at, site))
}

/// What a call asks, from the arguments the model wrote.
fn content_of(fact: &CallFact) -> String {
    argument(fact, "tellaskContent").unwrap_or_else(|| fact.arguments.clone())
}

fn argument(fact: &CallFact, name: &str) -> Option<String> {
    let arguments: Value = json::read(&fact.arguments).ok()?;
    Some(arguments.get(name)?.as_str()?.to_owned())
}

/// One dialog of a tree, as far as the indexes of the others depend on it.
#[derive(Debug)]
pub(in crate::store) struct DialogFacts<'a> {
    pub meta: &'a DialogMeta,
    pub scan: &'a CourseScan,
    pub stack: &'a [AssignmentFrame],
    pub dead: bool,
}

pub(in crate::store) type TreeFacts<'a> = BTreeMap<&'a SelfId, DialogFacts<'a>>;

/// The side dialogs `asker` waits for: what they still owe it decides.
pub(in crate::store) fn pending(
    asker: &SelfId,
    tree: &TreeFacts,
    file: &[Pending],
    owed: Vec<Pending>,
) -> ReconciledIndex<Pending> {
    let mut index = ReconciledIndex::new();
    let history = tree.get(asker).map(|facts| &facts.scan.history);
    let replied = |call: &CallId| history.is_some_and(|h| h.replies.contains_key(call));
    let known = |call: &CallId| history.is_some_and(|h| h.calls.contains_key(call));
    for entry in file.iter().rev() {
        let call = &entry.call_id;
        if replied(call) {
            index.dropped += usize::from(!known(call));
            continue;
        }
        if is_replaced(entry, tree, &owed) {
            continue;
        }
        if let Some(twin) = index.entries.iter().find(|other| same_session(other, entry)) {
            let (agent, session) = (&twin.target_agent_id, entry.session_slug.as_ref());
            let session = session.map_or("", |slug| slug.as_str());
            index.contradictions.push(localized!(
                "{agent} waits twice in session {session}",
                "{agent} 在会话 {session} 中等待了两次"
            ));
            index.dropped += 1;
            continue;
        }
        if !tree.contains_key(&entry.side_dialog_id) {
            let id = &entry.side_dialog_id;
            let text = localized!("the side dialog {id} does not exist", "支线对话 {id} 不存在");
            index.contradictions.push(text);
        }
        index.entries.push(entry.clone());
    }
    index.entries.reverse();
    for entry in owed {
        if !index.entries.iter().any(|e| e.call_id == entry.call_id) {
            index.entries.push(entry);
        }
    }
    index
}

fn same_session(one: &Pending, other: &Pending) -> bool {
    let in_session = one.call_type == CallType::B && one.session_slug.is_some();
    one.call_id == other.call_id
        || (in_session
            && other.call_type == CallType::B
            && one.target_agent_id == other.target_agent_id
            && one.session_slug == other.session_slug)
}

/// True if the side dialog was asked again since, and now owes only the newer call.
fn is_replaced(entry: &Pending, tree: &TreeFacts, owed: &[Pending]) -> bool {
    let Some(side) = tree.get(&entry.side_dialog_id).filter(|side| !side.dead) else {
        return false;
    };
    let assigned = side
        .stack
        .iter()
        .filter_map(|frame| frame.assignment_from_asker.as_ref())
        .any(|assignment| assignment.call_id == entry.call_id);
    let owes_other =
        owed.iter().any(|o| o.side_dialog_id == entry.side_dialog_id && o.call_id != entry.call_id);
    let owes_elsewhere = side.stack.iter().any(|frame| {
        frame.assignment_from_asker.is_some() && frame.tellask_reply_obligation.is_some()
    });
    !assigned && (owes_other || owes_elsewhere)
}

/// What the side dialogs of a tree owe, by the dialog they owe it to, in the order of the calls. The dead
/// too: somebody has to learn that no reply will come.
pub(super) fn owed(tree: &TreeFacts) -> BTreeMap<SelfId, Vec<Pending>> {
    let mut owed: BTreeMap<SelfId, Vec<Pending>> = BTreeMap::new();
    for side in tree.values() {
        for frame in side.stack {
            let Some(directive) = &frame.tellask_reply_obligation else { continue };
            let asker = &directive.target_dialog_id;
            let Some(owner) = tree.get(asker) else { continue };
            if let Some(pending) = owed_by_frame(asker, owner, side.meta, frame) {
                owed.entry(asker.clone()).or_default().push(pending);
            }
        }
    }
    for calls in owed.values_mut() {
        calls.sort_by(|a, b| {
            (a.call_site_course, a.call_site_genseq, &a.call_id).cmp(&(
                b.call_site_course,
                b.call_site_genseq,
                &b.call_id,
            ))
        });
    }
    owed
}

fn owed_by_frame(
    asker: &SelfId,
    owner: &DialogFacts,
    side: &DialogMeta,
    frame: &AssignmentFrame,
) -> Option<Pending> {
    let directive = frame.tellask_reply_obligation.as_ref()?;
    let assignment = frame.assignment_from_asker.as_ref()?;
    let call_id = &directive.target_call_id;
    let fact = owner.scan.history.calls.get(call_id)?;
    let open = fact.started && !owner.scan.history.replies.contains_key(call_id);
    if directive.target_dialog_id != *asker || !open {
        return None;
    }
    let kind = tellask_kind(&assignment.call_name)?;
    Some(Pending {
        side_dialog_id: side.id.clone(),
        created_at: owner.scan.called_at.get(call_id).cloned().unwrap_or_default(),
        call_name: assignment.call_name.clone(),
        mention_list: assignment.mention_list.clone(),
        tellask_content: assignment.tellask_content.clone(),
        target_agent_id: side.agent_id.clone(),
        call_id: call_id.clone(),
        call_site_course: fact.course,
        call_site_genseq: fact.genseq,
        call_type: kind.call_type(),
        session_slug: side.session_slug.clone().filter(|_| kind == TellaskKind::Session),
        extra: Map::new(),
    })
}

fn tellask_kind(name: &str) -> Option<TellaskKind> {
    match SpecialCall::of(name)? {
        SpecialCall::Tellask(kind) => Some(kind),
        SpecialCall::AskHuman | SpecialCall::AnswerHuman | SpecialCall::Reply(_) => None,
    }
}

/// The sessions of a tree: entries of the file that fit, then living sessions it does not name.
pub(in crate::store) fn registry(
    tree: &TreeFacts,
    file: Option<&[RegistryEntry]>,
) -> ReconciledIndex<RegistryEntry> {
    let mut index = ReconciledIndex::new();
    let mut keys = BTreeSet::new();
    for entry in file.unwrap_or_default() {
        if let Some(reason) = mismatch(entry, tree) {
            let key = &entry.key;
            let text = localized!([reason] "{key}: {reason}", "{key}：{reason}");
            index.contradictions.push(text);
            index.dropped += 1;
        } else if tree.get(&entry.side_dialog_id).is_some_and(|side| side.dead) {
            // Dominds prunes it too, at the next opening.
        } else if keys.insert(entry.key.clone()) {
            index.entries.push(entry.clone());
        } else {
            let key = &entry.key;
            index.contradictions.push(localized!("{key} is listed twice", "{key} 列出了两次"));
            index.dropped += 1;
        }
    }
    let mut sessions: Vec<&DialogFacts> = tree.values().filter(|side| !side.dead).collect();
    sessions.sort_by(|a, b| b.meta.created_at.cmp(&a.meta.created_at));
    for side in sessions {
        let Some(slug) = &side.meta.session_slug else {
            continue;
        };
        let entry = RegistryEntry::new(&side.meta.agent_id, slug, &side.meta.id);
        if keys.insert(entry.key.clone()) {
            index.entries.push(entry);
        }
    }
    index
}

fn mismatch(entry: &RegistryEntry, tree: &TreeFacts) -> Option<Text> {
    const OTHER_SESSION: Text =
        Text::new("its side dialog has another session", "它的支线对话属于另一会话");
    let Some(side) = tree.get(&entry.side_dialog_id) else {
        return Some(Text::new("its side dialog does not exist", "它的支线对话不存在"));
    };
    if side.meta.agent_id != entry.agent_id {
        return Some(Text::new(
            "its side dialog belongs to another member",
            "它的支线对话属于另一成员",
        ));
    }
    (side.meta.session_slug != entry.session_slug).then_some(OTHER_SESSION)
}

/// The asker stack of a side dialog from what others recorded: the newest assignment, owed unless it
/// was answered. `None` where nothing tells who asked.
pub(in crate::store) fn stack(
    side: &DialogMeta,
    scan: &CourseScan,
    created: Option<&SideDialogCreated>,
    waiting: Option<(&SelfId, &Pending)>,
    agent_of: impl Fn(&SelfId) -> Option<AgentId>,
    replied: impl Fn(&SelfId, &CallId) -> bool,
) -> Option<Vec<AssignmentFrame>> {
    let assignment = assignment_from_prompt(side, scan, created, &agent_of)
        .or_else(|| {
            waiting.and_then(|(asker, entry)| assignment_from_pending(asker, entry, &agent_of))
        })
        .or_else(|| created.map(|created| created.assignment_from_asker.clone()))?;
    let reply = tellask_kind(&assignment.call_name)?.reply();
    let delivered = scan.history.resolved_targets.contains(&assignment.call_id)
        || replied(&assignment.asker_dialog_id, &assignment.call_id);
    let mut frame = AssignmentFrame::owing(assignment, reply.name());
    if delivered {
        frame.tellask_reply_obligation = None;
    }
    Some(vec![frame])
}

/// From the newest prompt of the side dialog that assigned something.
fn assignment_from_prompt(
    side: &DialogMeta,
    scan: &CourseScan,
    created: Option<&SideDialogCreated>,
    agent_of: &impl Fn(&SelfId) -> Option<AgentId>,
) -> Option<Assignment> {
    let directive = scan.directive.as_ref()?;
    let first = created.map(|created| &created.assignment_from_asker);
    if let Some(first) = first.filter(|first| first.call_id == directive.target_call_id) {
        return Some(first.clone());
    }
    let call_name = if directive.expected_reply_call_name == ReplyKind::Session.name() {
        TellaskKind::Session.name()
    } else if directive.expected_reply_call_name == ReplyKind::Sessionless.name() {
        TellaskKind::Sessionless.name()
    } else {
        return None;
    };
    Some(Assignment {
        call_name: call_name.to_owned(),
        mention_list: Some(vec![format!("@{}", side.agent_id)]),
        tellask_content: directive.tellask_content.clone(),
        origin_member_id: agent_of(&directive.target_dialog_id)?,
        asker_dialog_id: directive.target_dialog_id.clone(),
        call_id: directive.target_call_id.clone(),
        collective_targets: Some(vec![side.agent_id.clone()]),
        effective_fbr_effort: None,
        extra: serde_json::Map::new(),
    })
}

/// From the entry of the asker that waits.
fn assignment_from_pending(
    asker: &SelfId,
    entry: &Pending,
    agent_of: &impl Fn(&SelfId) -> Option<AgentId>,
) -> Option<Assignment> {
    let fresh_boots = entry.call_name == TellaskKind::FreshBoots.name();
    Some(Assignment {
        call_name: entry.call_name.clone(),
        mention_list: entry.mention_list.clone(),
        tellask_content: entry.tellask_content.clone(),
        origin_member_id: agent_of(asker)?,
        asker_dialog_id: asker.clone(),
        call_id: entry.call_id.clone(),
        collective_targets: Some(vec![entry.target_agent_id.clone()]),
        effective_fbr_effort: fresh_boots.then_some(1),
        extra: serde_json::Map::new(),
    })
}

/// The course `latest.yaml` should name, `recorded` being the newest with records.
pub(super) fn current_course(named: Course, recorded: Course, starts_next: bool) -> Course {
    if starts_next && named == recorded.next() { named } else { recorded }
}
