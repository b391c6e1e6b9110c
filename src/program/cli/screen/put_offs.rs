//! The questions of a workspace that its person has put off: on a screen of the workspace, or in an inbox over several.

use std::collections::BTreeMap;

use crate::domain::Clock as _;
use crate::domain::asking::put_off::{PutOffs, put_off};
use crate::platform::SystemClock;
use crate::store::Reader;

use super::own_texts;

/// Returns those that are put off now, with the time that is left; none by texts that cannot be read:
/// then these questions are only shown too early. Blocks.
pub fn read(store: &Reader) -> PutOffs {
    let texts = store.read_drafts().unwrap_or_else(|error| {
        tracing::warn!(%error, "which questions are put off could not be read");
        BTreeMap::new()
    });
    let now = SystemClock.now();
    let mut all = put_off(&texts, &now);
    // Without a state folder there is no such inbox.
    all.extend(put_off(&own_texts::read().unwrap_or_default(), &now));
    all
}
