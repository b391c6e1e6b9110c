//! Who a dialog is when its `dialog.yaml` cannot tell: the path gives the id, the courses of its tree
//! the rest. Pure.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::domain::dialogs::record::SideDialogCreated;
use crate::domain::{AgentId, DialogMeta, RootId, SelfId, Slug, Stamp};

use super::parts::{DialogParts, FileHealth};

/// Boxed: a large map of large values is half empty.
pub(in crate::store) type TreeParts = BTreeMap<SelfId, Box<DialogParts>>;

/// The identities of a tree.
#[derive(Debug, Default)]
pub(in crate::store) struct Identities {
    pub known: BTreeMap<SelfId, DialogMeta>,
    /// Those that were rebuilt.
    pub rebuilt: Vec<SelfId>,
    /// Dialogs nothing tells about.
    pub lost: Vec<SelfId>,
}

impl Identities {
    pub fn of(root: &RootId, parts: &TreeParts) -> Self {
        let mut identities = Self::default();
        for (id, part) in parts {
            if let Some(meta) = part.valid_meta() {
                identities.known.insert(id.clone(), meta);
            }
        }
        let missing = parts.iter().filter(|(id, _)| !identities.known.contains_key(*id));
        let taskdoc = taskdoc(&identities.known, parts);
        let created = all_created(parts);
        let found: Vec<_> = missing
            .map(|(id, part)| {
                let created = created.get(id).copied();
                (id.clone(), rebuild(root, part, parts, created, taskdoc.as_deref()))
            })
            .collect();
        for (id, meta) in found {
            if let Some(meta) = meta {
                identities.rebuilt.push(id.clone());
                identities.known.insert(id, meta);
            } else {
                identities.lost.push(id);
            }
        }
        identities
    }
}

fn all_created(parts: &TreeParts) -> BTreeMap<&SelfId, &SideDialogCreated> {
    parts
        .values()
        .flat_map(|part| &part.scan.created)
        .map(|created| (&created.side_dialog_id, created))
        .collect()
}

/// The record of a side dialog's making, wherever in the tree it stands.
pub(super) fn created<'a>(parts: &'a TreeParts, side: &SelfId) -> Option<&'a SideDialogCreated> {
    parts
        .values()
        .flat_map(|part| &part.scan.created)
        .find(|created| created.side_dialog_id == *side)
}

/// The Taskdoc of a tree; all its dialogs share it.
fn taskdoc(known: &BTreeMap<SelfId, DialogMeta>, parts: &TreeParts) -> Option<String> {
    let recorded = || parts.values().flat_map(|part| &part.scan.created);
    known
        .values()
        .map(|meta| meta.task_doc_path.clone())
        .chain(recorded().map(|created| created.task_doc_path.clone()))
        .next()
}

fn rebuild(
    root: &RootId,
    part: &DialogParts,
    parts: &TreeParts,
    created: Option<&SideDialogCreated>,
    taskdoc: Option<&str>,
) -> Option<DialogMeta> {
    let nothing = Map::new();
    let partial = part.meta.value.as_ref().unwrap_or(&nothing);
    let text = |key: &str| partial.get(key).and_then(Value::as_str).map(str::to_owned);
    let is_main = part.id.as_str() == root.as_str();
    let whole_but_id = part.meta.health != FileHealth::Damaged;
    let written = || text("agentId").map(AgentId::new);
    let agent_id = written()
        .filter(|_| whole_but_id)
        .or_else(|| created.map(|created| created.agent_id.clone()))
        .or_else(|| recorded_agent(part, parts, is_main))
        .or_else(written)?;
    let task_doc_path = text("taskDocPath")
        .filter(|_| whole_but_id)
        .or_else(|| taskdoc.map(str::to_owned))
        .or_else(|| text("taskDocPath"))?;
    let session_slug = || {
        created.map_or_else(
            || text("sessionSlug").map(Slug::new).or_else(|| registered(part, parts)),
            |created| created.session_slug.clone(),
        )
    };
    Some(DialogMeta {
        id: part.id.clone(),
        agent_id,
        task_doc_path,
        created_at: text("createdAt")
            .map(Stamp::new)
            .or_else(|| created.map(|created| created.created_at.clone()))
            .or_else(|| part.scan.first_ts.clone())
            .unwrap_or_else(|| Stamp::new("1970-01-01 00:00:00")),
        session_slug: if is_main { None } else { session_slug() },
        extra: unknown_keys(partial),
    })
}

/// Keys of a newer writer, kept.
fn unknown_keys(partial: &Map<String, Value>) -> Map<String, Value> {
    let known = ["id", "agentId", "taskDocPath", "createdAt", "sessionSlug"];
    let unknown = partial.iter().filter(|(key, _)| !known.contains(&key.as_str()));
    unknown.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// The member who spoke in a dialog: a side dialog was assigned by name, a main dialog signed its
/// own tellasks.
fn recorded_agent(part: &DialogParts, parts: &TreeParts, is_main: bool) -> Option<AgentId> {
    let mut frames = part.stack.value.iter().flatten();
    let assigned = frames.find_map(|frame| {
        let targets = frame.assignment_from_asker.as_ref()?.collective_targets.as_ref()?;
        targets.first().cloned()
    });
    let mentioned = || {
        let mut frames = part.stack.value.iter().flatten();
        frames.find_map(|frame| {
            let mentions = frame.assignment_from_asker.as_ref()?.mention_list.as_ref()?;
            Some(AgentId::new(mentions.first()?.trim_start_matches('@')))
        })
    };
    let asked = || {
        parts
            .values()
            .flat_map(|other| other.stack.value.iter().flatten())
            .filter_map(|frame| frame.assignment_from_asker.as_ref())
            .find(|assignment| assignment.asker_dialog_id == part.id)
            .map(|assignment| assignment.origin_member_id.clone())
    };
    if is_main {
        part.scan.agent.clone().or_else(asked)
    } else {
        assigned.or_else(mentioned).or_else(|| part.scan.agent.clone())
    }
}

fn registered(part: &DialogParts, parts: &TreeParts) -> Option<Slug> {
    let entries = || parts.values().flat_map(|other| other.registry.value.iter().flatten());
    let waiting = || parts.values().flat_map(|other| other.pending.value.iter().flatten());
    entries()
        .find(|entry| entry.side_dialog_id == part.id)
        .and_then(|entry| entry.session_slug.clone())
        .or_else(|| {
            waiting()
                .find(|entry| entry.side_dialog_id == part.id)
                .and_then(|entry| entry.session_slug.clone())
        })
}
