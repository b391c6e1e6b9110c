//! The state of each dialog beside its indexes: reminders, `latest.yaml`, the asker stack. What is lost
//! is taken from the records; where they do not tell, the dialog is held.

use std::collections::BTreeMap;

use crate::domain::dialogs::latest::StopReason;
use crate::domain::dialogs::tree::TreeChange;
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{
    AssignmentFrame, DialogMeta, DisplayState, ExecutionMarker, Latest, Pending, Reminder, SelfId,
};

use super::identity::{self, Identities, TreeParts};
use super::parts::{DialogParts, FileHealth};
use super::reconcile;
use super::scan::FlawKind;
use super::tree_builder::{REBUILT_AT_START, TreeBuilder};
use crate::store::codec::v1_19::latest::{default_latest, stopped_latest};

impl TreeBuilder<'_> {
    pub(in crate::store) fn reminders(&mut self, part: &DialogParts) -> Vec<Reminder> {
        let file = &part.reminders;
        let read = file.value.clone();
        let backup = part.scan.reminders.clone();
        let (reminders, rewrite) = match file.health {
            FileHealth::Sound | FileHealth::Misplaced => (read.or(backup), false),
            FileHealth::Adopted => (read, true),
            FileHealth::Damaged => (backup.or(read), true),
            FileHealth::Absent => {
                let missed = backup.as_ref().is_some_and(|reminders| !reminders.is_empty());
                if missed {
                    let text = Text::new(
                        "missing: taken from the newest record of the reminders",
                        "缺失：已取自最新的提醒记录",
                    );
                    self.problems.add("missing", &file.path(), text, REBUILT_AT_START);
                }
                (backup, missed)
            }
        };
        let reminders = reminders.unwrap_or_default();
        self.mark_if_damaged(file.health, &file.path());
        if rewrite {
            let (dialog, reminders) = (part.id.clone(), reminders.clone());
            self.repairs.push(TreeChange::Reminders { dialog, reminders });
        }
        reminders
    }

    pub(super) fn latests(
        &mut self,
        parts: &TreeParts,
        identities: &Identities,
    ) -> BTreeMap<SelfId, Latest> {
        let mut latests = BTreeMap::new();
        for (id, part) in parts {
            let Some(meta) = identities.known.get(id) else {
                continue;
            };
            latests.insert(id.clone(), self.latest(part, meta));
        }
        latests
    }

    fn latest(&mut self, part: &DialogParts, meta: &DialogMeta) -> Latest {
        let modified = part.scan.last_ts.clone().unwrap_or_else(|| meta.created_at.clone());
        let file = &part.latest;
        let mut latest = match (&file.value, file.health) {
            (Some(latest), _) => latest.clone(),
            (None, FileHealth::Absent) => default_latest(modified.clone()),
            (None, _) => stopped_latest(modified.clone()),
        };
        if latest.last_modified.as_str().is_empty() {
            latest.last_modified = modified;
        }
        let moved = self.current_course(part, &mut latest);
        let rewrite = match file.health {
            FileHealth::Absent | FileHealth::Misplaced => false,
            FileHealth::Sound => moved,
            FileHealth::Damaged | FileHealth::Adopted => true,
        };
        self.mark_if_damaged(file.health, &file.path());
        if rewrite {
            self.repairs.push(TreeChange::Latest {
                dialog: part.id.clone(),
                latest: Box::new(latest.clone()),
            });
        }
        stop_if_unreadable(part, &mut latest);
        latest
    }

    /// Lets `latest` name the newest course with records; true if it named another.
    fn current_course(&mut self, part: &DialogParts, latest: &mut Latest) -> bool {
        let scan = &part.scan;
        let named = latest.current_course;
        let starts_next = latest.pending_course_start_prompt.is_some();
        let course = reconcile::current_course(named, scan.history.course, starts_next);
        let flawed = |kind: fn(&FlawKind) -> bool| {
            scan.flaws.iter().any(|flaw| flaw.course == named && kind(&flaw.kind))
        };
        // Its records are there, they only cannot be read now.
        let hidden = flawed(|kind| matches!(kind, FlawKind::Misplaced(_)));
        if named == course || hidden {
            let last = &scan.history.last;
            let ended = part.recent.is_none() && last.course == Some(named) && !last.open;
            let prompt = latest.pending_course_start_prompt.as_ref().filter(|_| ended);
            // In 1.19.2 the last records of a course set the number back from that of the course about to start.
            if prompt.is_some_and(|prompt| !scan.history.messages.contains(&prompt.msg_id)) {
                latest.current_course = named.next();
            }
            return false;
        }
        // A file of mere snapshots: Dominds names its course for a moment.
        let torn = flawed(|kind| matches!(kind, FlawKind::Torn { .. }));
        let stray = scan.courses.get(&named).is_some_and(|size| *size > 0) && !torn;
        if named > course && !stray {
            let path = &part.latest.path();
            let text = localized!(
                "it names course {named}, the newest with records is {course}",
                "它写的是第 {named} 程，而有记录的最新一程是第 {course} 程"
            );
            let fix =
                Text::new("nothing to do: the newest course counts", "无需处理：以最新一程为准");
            self.problems.add("course", path, text, fix);
            self.irreplaceable.push(path.clone());
        }
        latest.current_course = course;
        true
    }

    pub(super) fn stacks(
        &mut self,
        parts: &TreeParts,
        ids: &Identities,
    ) -> BTreeMap<SelfId, Vec<AssignmentFrame>> {
        let mut stacks = BTreeMap::new();
        for (id, part) in parts {
            let Some(meta) = ids.known.get(id) else {
                continue;
            };
            let is_main = id.as_str() == self.place.root.as_str();
            let read = part.stack.value.clone().unwrap_or_default();
            let complete =
                is_main || read.iter().any(|frame| frame.assignment_from_asker.is_some());
            let usable = part.stack.health != FileHealth::Damaged && complete;
            let stack = if usable { read } else { self.rebuilt_stack(part, meta, parts, ids) };
            stacks.insert(id.clone(), stack);
        }
        stacks
    }

    /// The route of a side dialog whose stack cannot be used; empty where nothing tells it.
    fn rebuilt_stack(
        &mut self,
        part: &DialogParts,
        meta: &DialogMeta,
        parts: &TreeParts,
        ids: &Identities,
    ) -> Vec<AssignmentFrame> {
        if part.id.as_str() == self.place.root.as_str() {
            return Vec::new();
        }
        let waiting = waiting_for(&part.id, parts);
        let rebuilt = reconcile::stack(
            meta,
            &part.scan,
            identity::created(parts, &part.id),
            waiting,
            |asker| ids.known.get(asker).map(|meta| meta.agent_id.clone()),
            |asker, call| {
                let asker = parts.get(asker);
                asker.is_some_and(|asker| asker.scan.history.replies.contains_key(call))
            },
        );
        let path = &part.stack.path();
        let Some(stack) = rebuilt else {
            let id = &part.id;
            let text = localized!(
                "nothing tells who asked {id}: it does not go on",
                "无从得知谁向 {id} 提出诉请：它不再继续"
            );
            let fix = Text::new("ask anew in another session", "请在另一会话中重新诉请");
            self.problems.add("route", path, text, fix);
            return Vec::new();
        };
        if matches!(part.stack.health, FileHealth::Absent | FileHealth::Sound) {
            let id = &part.id;
            let text = localized!("it names no assignment of {id}", "它没有写 {id} 的任务");
            let fix = Text::new(
                "nothing to do: it is rebuilt from the records of the asker",
                "无需处理：由诉请者的记录重建",
            );
            self.problems.add("route", path, text, fix);
        }
        if part.stack.value.as_ref().is_some_and(|frames| !frames.is_empty()) {
            self.irreplaceable.push(path.clone());
        }
        self.mark_if_damaged(part.stack.health, path);
        if part.stack.health != FileHealth::Misplaced {
            self.repairs.push(TreeChange::Stack { dialog: part.id.clone(), stack: stack.clone() });
        }
        stack
    }
}

/// The newest entry of an asker that waits for `side`.
fn waiting_for<'a>(side: &SelfId, parts: &'a TreeParts) -> Option<(&'a SelfId, &'a Pending)> {
    parts.iter().find_map(|(asker, other)| {
        let mut entries = other.pending.value.iter().flatten();
        Some((asker, entries.rfind(|entry| entry.side_dialog_id == *side)?))
    })
}

const UNREADABLE_COURSE: Text = Text::new("a course file cannot be read", "课程文件无法读取");

/// A dialog whose course cannot be opened must not write over what it does not know; one in which an id
/// stands twice must not go on as if it knew which is meant.
fn stop_if_unreadable(part: &DialogParts, latest: &mut Latest) {
    let reason: Option<Localized> = part.scan.flaws.iter().find_map(|flaw| match &flaw.kind {
        FlawKind::Misplaced(_) => Some(UNREADABLE_COURSE.into()),
        FlawKind::Repeated(id) => Some(localized!(
            "the call id {id} stands twice in its course",
            "调用 ID {id} 在其课程中出现两次"
        )),
        FlawKind::Broken
        | FlawKind::Torn { .. }
        | FlawKind::NotText
        | FlawKind::TooLong { .. }
        | FlawKind::Missing => None,
    });
    if let Some(reason) = reason {
        stop(latest, StopReason::system(reason));
    }
}

/// Holds a dialog until a person lets it continue; in memory only.
fn stop(latest: &mut Latest, reason: StopReason) {
    if latest.is_dead() {
        return;
    }
    latest.display_state = Some(DisplayState::stopped(reason.clone()));
    latest.execution_marker = Some(ExecutionMarker::Interrupted { reason });
}
