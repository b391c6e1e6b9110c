//! The dialog that is converted, in its tree.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::domain::text::{Localized, localized};
use crate::domain::{RootId, SelfId};

use super::facts::{DialogFacts, Site};
use super::values::{Keys, kind};

/// What the courses of all dialogs of a tree tell.
pub(in crate::store) type TreeFacts = BTreeMap<SelfId, DialogFacts>;

/// The dialog that is converted, in its tree.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) struct Mapping<'a> {
    pub root: &'a RootId,
    pub dialog: &'a SelfId,
    pub facts: &'a DialogFacts,
    pub tree: &'a TreeFacts,
    /// When the dialog was made.
    pub created_at: &'a str,
}

/// The state files that differ between the layouts, as values; `None` for one that is absent.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::store) struct StateFiles {
    pub latest: Option<Keys>,
    /// `q4h.yaml`, which is the same in both.
    pub questions: Option<Value>,
    /// `pending-sideDialogs.json`, or `active-callees.json`.
    pub calls: Option<Value>,
    pub stack: Option<Vec<Keys>>,
    pub reminders: Option<Value>,
}

impl Mapping<'_> {
    pub(super) fn is_main(&self) -> bool {
        self.dialog.as_str() == self.root.as_str()
    }

    /// Where a dialog of the tree made a call.
    pub(super) fn site(&self, asker: &str, call: &str) -> Result<Site, Localized> {
        let facts = self.tree.get(&SelfId::new(asker));
        facts.and_then(|facts| facts.site_of(call)).ok_or_else(|| {
            localized!(
                "the courses of {asker} do not have the call {call}",
                "{asker} 的程中没有调用 {call}"
            )
        })
    }

    pub(super) fn batch_id(&self, site: Site) -> String {
        format!("dispatch:{}:{}:c{}:g{}", self.root, self.dialog, site.course, site.genseq)
    }

    /// The state of a dialog that has no `latest.yaml`.
    pub(super) fn default_latest(&self) -> Keys {
        let mut latest = Keys::new();
        latest.insert("currentCourse".to_owned(), self.facts.newest_course().into());
        latest.insert("lastModified".to_owned(), self.created_at.into());
        latest.insert("status".to_owned(), "active".into());
        latest
    }
}

/// True if the dialog owes a reply: the top of its stack says so.
pub(super) fn owes(stack: Option<&Vec<Keys>>) -> bool {
    stack.and_then(|frames| frames.last()).is_some_and(|top| top.contains_key(OBLIGATION))
}

const OBLIGATION: &str = "tellaskReplyObligation";
/// The reason of a stop by a restart.
pub(super) const RESTARTED: &str = "server_restart";

pub(super) fn is_dead(latest: &Keys) -> bool {
    ["executionMarker", "displayState"]
        .iter()
        .any(|key| latest.get(*key).and_then(kind) == Some("dead"))
}

/// Stops a dialog as a restart does, unless a marker has another reason: it goes on when a person says so.
pub(super) fn stop(latest: &mut Keys) {
    let known = latest.get("executionMarker").and_then(|marker| marker.get("reason"));
    let reason = known.cloned().unwrap_or_else(|| json!({ "kind": RESTARTED }));
    if !latest.contains_key("executionMarker") {
        let marker = json!({ "kind": "interrupted", "reason": reason });
        latest.insert("executionMarker".to_owned(), marker);
    }
    let state = json!({ "kind": "stopped", "reason": reason, "continueEnabled": true });
    latest.insert("displayState".to_owned(), state);
}
