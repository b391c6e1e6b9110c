//! In which layout the files of a tree are. Nothing in them names a version: the keys of `latest.yaml` tell, where
//! there is none other files do, and then the records.

use std::path::PathBuf;
use std::sync::OnceLock;

use serde_json::Value;

use crate::domain::dialogs::reminder::{AGENT, AGENT_SHARED, PERSONAL, RUNTIME, TASK};
use crate::domain::dialogs::tree::Bucket;
use crate::domain::text::json;
use crate::domain::{self, ForeignLayout, SelfId};
use crate::yaml;

use super::course_lines::LineReader;
use super::folder_walk;
use super::identity::TreeParts;
use super::parts::{DialogParts, FileHealth};
use crate::store::codec::v1_29::facts::is_indexed;
use crate::store::codec::v1_29::latest::KEYS;
use crate::store::codec::v1_29::states::{REASONS, STATES};
use crate::store::codec::v1_29::{CALLEES, FILES};
use crate::store::disk::Disk;
use crate::store::disk::error::{FileAction, StoreError};
use crate::store::disk::layout::{LATEST, Layout};
use crate::store::disk::problem_collector::ProblemCollector;
use crate::store::disk::small_files::{self, FileContent, FileKind};

/// The key of an assignment that the layout of Dominds 1.29 demands.
const CALL_SITE: &str = "callSiteCourse";
/// Texts that stand unescaped in records of that layout alone.
const RECORD_MARKS: [&[u8]; 5] = [
    b"\"tellask_anchor_record\"",
    b"\"tellask_callee_record\"",
    b"\"active_callees_reconciled_record\"",
    b"\"rawId\":",
    b"\"mainDialogGoal\"",
];
/// Texts that stand unescaped in records of the layout written here alone.
const OWN_RECORD_MARKS: [&[u8]; 2] =
    [b"\"tellask_call_anchor_record\"", b"\"pending_sideDialogs_reconciled_record\""];
/// The reminder that each main dialog of that layout has.
const GOAL: &str = "mainDialogGoal";

const TRIGGERS: [&str; 7] = [
    "followup",
    "result_arrival",
    "queued_prompt",
    "reply_delivery_recovery",
    "mainline_diligence",
    "open_generation_recovery",
    "user_input",
];

/// Reasons of `blocked`. The last two are of 1.19.2 alone: no newer Dominds wrote them.
const BLOCKERS: [&str; 3] =
    ["needs_human_input", "waiting_for_sideDialogs", "needs_human_input_and_sideDialogs"];
/// Lists of calls in `latest.yaml`.
const INDEXES: [&str; 2] = ["/tellaskCalls/calls", "/tellaskResults/results"];
const BATCH_STATUSES: [&str; 2] = ["open", "resolved"];
const CALLEE_STATUSES: [&str; 3] = ["pending", "final", "resolved"];
/// Scopes of reminders in either layout.
const SCOPES: [&str; 6] = ["dialog", TASK, AGENT, RUNTIME, PERSONAL, AGENT_SHARED];

/// What the files of a tree tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum TreeLayout {
    In(domain::Layout),
    /// It is in none of them.
    Foreign(ForeignLayout),
    /// Unknown: it is that of the workspace.
    Untold,
}

const OWN: TreeLayout = TreeLayout::In(domain::Layout::V1_19);
const RECENT: TreeLayout = TreeLayout::In(domain::Layout::V1_29);

/// What the keys of one `latest.yaml` tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keys {
    None,
    Some,
    All,
}

impl Keys {
    fn count(has: impl Fn(&str) -> bool) -> Self {
        match KEYS.iter().filter(|key| has(key)).count() {
            0 => Self::None,
            3 => Self::All,
            _ => Self::Some,
        }
    }
}

/// The layout of a tree, by all of its dialogs.
pub(super) fn of_tree(
    disk: &dyn Disk,
    main: &SelfId,
    parts: &TreeParts,
) -> Result<TreeLayout, StoreError> {
    if parts.values().any(|part| part.earlier) {
        return Ok(TreeLayout::Foreign(ForeignLayout::Older));
    }
    let keys: Vec<Keys> = parts.values().filter_map(|part| keys_of(part)).collect();
    let has = |wanted| keys.contains(&wanted);
    match (has(Keys::None), has(Keys::Some), has(Keys::All)) {
        (_, true, _) => Ok(TreeLayout::Foreign(ForeignLayout::Unclear)),
        (true, false, true) => Ok(TreeLayout::Foreign(ForeignLayout::Mixed)),
        (true, false, false) => Ok(OWN),
        (false, false, true) => {
            let newer = parts.values().any(|part| has_newer_values(disk, part));
            Ok(if newer { TreeLayout::Foreign(ForeignLayout::Newer) } else { RECENT })
        }
        (false, false, false) => by_other_files(disk, main, parts),
    }
}

/// `None` without a `latest.yaml` that can be read.
fn keys_of(part: &DialogParts) -> Option<Keys> {
    let latest = part.latest.value.as_ref()?;
    let keys = Keys::count(|key| latest.extra.contains_key(key));
    // What is missing in a damaged file may have stood in it.
    (part.latest.health != FileHealth::Damaged || keys != Keys::None).then_some(keys)
}

fn by_other_files(
    disk: &dyn Disk,
    main: &SelfId,
    parts: &TreeParts,
) -> Result<TreeLayout, StoreError> {
    // The main dialog first.
    let first = parts.get(main).into_iter();
    let all: Vec<&DialogParts> =
        first.chain(parts.values().filter(|part| part.id != *main)).map(|part| &**part).collect();
    let is_there = |part: &DialogParts, name: &str| {
        small_files::kind_of(&part.folder.join(name)).is_ok_and(|kind| kind.is_some())
    };
    if all.iter().any(|part| FILES.iter().any(|name| is_there(part, name))) {
        return Ok(RECENT);
    }
    if all.iter().any(|part| part.pending.health != FileHealth::Absent) {
        return Ok(OWN);
    }
    let stacks = all.iter().flat_map(|part| part.stack.value.iter().flatten());
    let assignments = stacks.filter_map(|frame| frame.assignment_from_asker.as_ref());
    let sites: Vec<bool> =
        assignments.map(|assignment| assignment.extra.contains_key(CALL_SITE)).collect();
    if !sites.is_empty() {
        return Ok(if sites.contains(&true) { RECENT } else { OWN });
    }
    let mut reminders = all.iter().flat_map(|part| part.reminders.value.iter().flatten());
    if reminders.any(|reminder| reminder.id == GOAL) {
        return Ok(RECENT);
    }
    let mut own = false;
    for part in all {
        for course in part.scan.courses.keys() {
            let path = part.folder.join(crate::store::disk::layout::course_file(*course));
            let failed = |error| StoreError::io(FileAction::Reading, &path)(error);
            let mut lines = LineReader::new(disk.open_read(&path).map_err(failed)?);
            while let Some(line) = lines.next().map_err(failed)? {
                if RECORD_MARKS.iter().any(|mark| contains(&line.bytes, mark)) {
                    return Ok(RECENT);
                }
                own |= OWN_RECORD_MARKS.iter().any(|mark| contains(&line.bytes, mark));
            }
        }
    }
    Ok(if own { OWN } else { TreeLayout::Untold })
}

fn contains(bytes: &[u8], mark: &[u8]) -> bool {
    bytes.windows(mark.len()).any(|window| window == mark)
}

/// True for values in the files of a dialog that no Dominds up to 1.29 knows. Two files are read again: what is not
/// understood in them is not kept.
fn has_newer_values(disk: &dyn Disk, part: &DialogParts) -> bool {
    let text = |name: &str| {
        let path = part.folder.join(name);
        let read = small_files::read_small(disk, &path, yaml::LIMIT_BYTES);
        let Ok(FileContent::Text(text)) = read else { return None };
        Some(text)
    };
    let latest = text(LATEST).and_then(|text| yaml::parse(&text).ok());
    let callees = text(CALLEES).and_then(|text| json::read::<Value>(&text).ok());
    let mut reminders = part.reminders.value.iter().flatten();
    latest.is_some_and(|latest| is_newer(&latest))
        || callees.is_some_and(|callees| has_newer_status(&callees))
        || reminders.any(|reminder| !SCOPES.contains(&reminder.scope.as_str()))
}

fn is_newer(latest: &Value) -> bool {
    let kind = |at: &str| latest.pointer(at).and_then(Value::as_str);
    let unknown = |at: &str, known: &[&str]| kind(at).is_some_and(|kind| !known.contains(&kind));
    let states = STATES.map(|(name, _)| name);
    let reasons = REASONS.map(|(name, _)| name);
    let mut triggers = list(latest, "/nextStep/triggers");
    let mut calls = INDEXES.iter().flat_map(|index| list(latest, index));
    let is_unknown_call = |call: &Value| {
        call.get("callName").and_then(Value::as_str).is_some_and(|name| !is_indexed(name))
    };
    let stopped = kind("/displayState/kind") == Some("stopped");
    let blocked = kind("/displayState/kind") == Some("blocked");
    let marked = kind("/executionMarker/kind") == Some("interrupted");
    unknown("/displayState/kind", &states)
        || stopped && unknown("/displayState/reason/kind", &reasons)
        || blocked && unknown("/displayState/reason/kind", &BLOCKERS)
        || unknown("/executionMarker/kind", &["interrupted", "dead"])
        || marked && unknown("/executionMarker/reason/kind", &reasons)
        || unknown("/generationRunState/kind", &["open", "closed"])
        || triggers.any(|trigger| is_unknown(trigger, "kind", &TRIGGERS))
        || calls.any(is_unknown_call)
}

/// The same of an `active-callees.json`.
fn has_newer_status(file: &Value) -> bool {
    list(file, "/batches").any(|batch| {
        is_unknown(batch, "status", &BATCH_STATUSES)
            || list(batch, "/callees").any(|callee| is_unknown(callee, "status", &CALLEE_STATUSES))
    })
}

/// The entries of the list at this place.
fn list<'a>(of: &'a Value, at: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    of.pointer(at).and_then(Value::as_array).into_iter().flatten()
}

/// True if there is a name under this key, and none of those.
fn is_unknown(value: &Value, key: &str, known: &[&str]) -> bool {
    value.get(key).and_then(Value::as_str).is_some_and(|name| !known.contains(&name))
}

/// The layout of the workspace, for trees that do not tell and for new ones. Looked at once, when it is first asked
/// for.
#[derive(Debug, Default)]
pub(in crate::store) struct WorkspaceLayout(OnceLock<domain::Layout>);

impl WorkspaceLayout {
    /// An empty workspace gets the newest. Where there are trees and none tells, they count as those of 1.19.2, which
    /// knows smaller files.
    pub fn layout(&self, disk: &dyn Disk, paths: &Layout) -> domain::Layout {
        *self.0.get_or_init(|| {
            let by_reminders = || {
                let recent = has_recent_reminders(paths).then_some(true);
                recent.or_else(|| has_reminders(paths).then_some(false))
            };
            let set_aside = || newest_tree(disk, paths, &[paths.malformed()]);
            let told = newest_tree(disk, paths, &buckets(paths)).or_else(by_reminders);
            let is_recent = told.or_else(set_aside).unwrap_or_else(|| is_empty(disk, paths));
            if is_recent { domain::Layout::V1_29 } else { domain::Layout::V1_19 }
        })
    }
}

fn buckets(layout: &Layout) -> [PathBuf; 3] {
    Bucket::ALL.map(|bucket| layout.bucket(bucket))
}

/// True if the workspace has no tree at all. One that cannot be read counts, one that was set aside too, and so does
/// whatever keeps a folder from being looked into.
fn is_empty(disk: &dyn Disk, layout: &Layout) -> bool {
    buckets(layout).into_iter().chain([layout.malformed()]).all(|top| {
        let mut problems = ProblemCollector::new(layout);
        let ids = folder_walk::dialogs_below(disk, &top, &mut problems);
        ids.is_ok_and(|ids| ids.is_empty()) && problems.finish(&top).is_empty()
    })
}

/// Whether the newest tree below these folders that tells is in that layout; `None` where none tells.
fn newest_tree(disk: &dyn Disk, layout: &Layout, tops: &[PathBuf]) -> Option<bool> {
    let mut newest: Option<(String, bool)> = None;
    for top in tops {
        let mut problems = ProblemCollector::new(layout);
        let ids = folder_walk::dialogs_below(disk, top, &mut problems).unwrap_or_default();
        for id in ids {
            let path = top.join(&id).join(LATEST);
            let read = small_files::read_small(disk, &path, yaml::LIMIT_BYTES);
            let Ok(FileContent::Text(text)) = read else { continue };
            let Ok(latest) = yaml::parse(&text) else { continue };
            let is_recent = match Keys::count(|key| latest.get(key).is_some()) {
                Keys::None => false,
                Keys::Some => continue,
                Keys::All => true,
            };
            let modified = latest.get("lastModified").and_then(Value::as_str).unwrap_or_default();
            if newest.as_ref().is_none_or(|(known, _)| known.as_str() < modified) {
                newest = Some((modified.to_owned(), is_recent));
            }
        }
    }
    newest.map(|(_, is_recent)| is_recent)
}

/// True if there is a folder of reminders of a member, as 1.19.2 makes it.
fn has_reminders(layout: &Layout) -> bool {
    let entries = std::fs::read_dir(layout.reminders()).ok();
    entries.into_iter().flatten().flatten().any(|entry| {
        small_files::kind_of(&entry.path()).is_ok_and(|kind| kind == Some(FileKind::Folder))
    })
}

fn has_recent_reminders(layout: &Layout) -> bool {
    let is_folder = |path: &std::path::Path| {
        small_files::kind_of(path).is_ok_and(|kind| kind == Some(FileKind::Folder))
    };
    let agents = layout.reminders().join("agents");
    // Of a member with that name there are files in it, and no folders.
    let is_of_member = || {
        let entries = std::fs::read_dir(&agents).ok().into_iter().flatten().flatten();
        let paths: Vec<_> = entries.map(|entry| entry.path()).collect();
        !paths.is_empty() && !paths.iter().any(|path| is_folder(path))
    };
    is_folder(&layout.reminders().join("agent_tasks")) || is_folder(&agents) && !is_of_member()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_that_no_known_dominds_writes_is_of_a_newer_one() {
        for (latest, newer) in [
            (json!({}), false),
            (json!({"displayState": {"kind": "waiting_side_dialog"}}), false),
            (json!({"displayState": {"kind": "dreaming"}}), true),
            (json!({"displayState": {"kind": "stopped", "reason": {"kind": "user_stop"}}}), false),
            (json!({"displayState": {"kind": "stopped", "reason": {"kind": "bored"}}}), true),
            (
                json!({"displayState": {"kind": "dead", "reason": {"kind": "declared_by_user"}}}),
                false,
            ),
            (
                json!({"executionMarker": {"kind": "dead", "reason": {"kind": "declared_by_user"}}}),
                false,
            ),
            (
                json!({"executionMarker": {"kind": "interrupted", "reason": {"kind": "pending_runtime_prompt"}}}),
                false,
            ),
            (
                json!({"executionMarker": {"kind": "interrupted", "reason": {"kind": "bored"}}}),
                true,
            ),
            (json!({"executionMarker": {"kind": "frozen"}}), true),
            (json!({"generationRunState": {"kind": "closed"}}), false),
            (json!({"generationRunState": {"kind": "ajar"}}), true),
            (
                json!({"nextStep": {"triggers": [{"kind": "followup"}, {"kind": "user_input"}]}}),
                false,
            ),
            (
                json!({"nextStep": {"triggers": [{"kind": "followup"}, {"kind": "telepathy"}]}}),
                true,
            ),
            (json!({"nextStep": "strange"}), false),
            (
                json!({"displayState": {"kind": "blocked", "reason": {"kind": "needs_human_input"}}}),
                false,
            ),
            (
                json!({"displayState": {"kind": "blocked", "reason": {"kind": "waiting_for_sideDialogs"}}}),
                false,
            ),
            (json!({"displayState": {"kind": "blocked", "reason": {"kind": "bored"}}}), true),
            (json!({"tellaskCalls": {"calls": [{"callName": "answerHuman"}, 5]}}), false),
            (json!({"tellaskCalls": {"calls": [{"callName": "telepathy"}]}}), true),
            (json!({"tellaskResults": {"results": [{"callName": "tellaskBack"}]}}), false),
            (json!({"tellaskResults": {"results": [{"callName": "telepathy"}]}}), true),
        ] {
            assert_eq!(is_newer(&latest), newer, "{latest}");
        }
        let batch = |status: &str, callee: &str| json!({"batches": [{"status": status, "callees": [{"status": callee}, 5]}, 5]});
        for (file, newer) in [
            (batch("open", "pending"), false),
            (batch("open", "final"), false),
            (batch("resolved", "resolved"), false),
            (batch("ajar", "pending"), true),
            (batch("open", "dreaming"), true),
            (json!({"batches": "strange"}), false),
        ] {
            assert_eq!(has_newer_status(&file), newer, "{file}");
        }
    }
}
