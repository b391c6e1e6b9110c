//! Who asked the dialogs of a tree of an earlier layout, and for what.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::domain::SelfId;

use super::TreeListing;
use crate::store::trees::earlier_layout::{ASKER_KEY, ASSIGNMENT_KEY};
use crate::store::trees::scan::headline;

/// Tells of each dialog who asked it and for what: `askers` by assignments, others as their identity has it.
pub(super) fn fill_askers(listing: &mut TreeListing, askers: &BTreeMap<SelfId, SelfId>) {
    let main = listing.root.main();
    let known: BTreeSet<SelfId> = listing.dialogs.iter().map(|one| one.id.clone()).collect();
    for dialog in &mut listing.dialogs {
        let named = dialog.meta.extra.get(ASKER_KEY).and_then(Value::as_str).map(SelfId::new);
        let named = askers.get(&dialog.id).cloned().or(named);
        let asker = named.filter(|id| known.contains(id) && *id != dialog.id);
        dialog.asker = (dialog.id != main).then(|| asker.unwrap_or_else(|| main.clone()));
        if let Some(about) = assignment_headline(&dialog.meta.extra) {
            dialog.about = about;
        }
    }
}

fn assignment_headline(identity: &Map<String, Value>) -> Option<String> {
    let assignment = identity.get(ASSIGNMENT_KEY)?.as_object()?;
    let text = |key: &str| assignment.get(key)?.as_str().filter(|text| !text.is_empty());
    ["tellaskContent", "headLine", "callBody"].into_iter().find_map(text).map(headline)
}
