//! What members tell persons who need not answer: each notice is kept once, shown, and gone once it is dismissed.

use std::collections::{BTreeMap, BTreeSet};

use dominds_tui::domain::teams::notices::NewsItem;
use serde_json::Value;

use crate::records::Records;

/// The call that tells a person something.
pub const NOTIFY: &str = "notify_human";

/// The notices that a person dismissed, by the ticket of the command.
#[derive(Debug, Default)]
pub struct Dismissals(BTreeMap<u64, Dismissal>);

#[derive(Debug)]
struct Dismissal {
    notice: String,
    acknowledged: bool,
}

impl Dismissals {
    pub fn note(&mut self, ticket: u64, notice: &str) {
        self.0.insert(ticket, Dismissal { notice: notice.to_owned(), acknowledged: false });
    }

    pub fn acknowledged(&mut self, ticket: u64) {
        if let Some(dismissal) = self.0.get_mut(&ticket) {
            dismissal.acknowledged = true;
        }
    }

    fn concerns(&self, notice: &str) -> bool {
        self.0.values().any(|dismissal| dismissal.notice == notice)
    }
}

/// `kept`: what the store has; `shown`: what the screen was told last.
pub fn check<'a>(
    records: impl Iterator<Item = &'a Records>,
    kept: &[NewsItem],
    (dismissals, shown): (&Dismissals, &[NewsItem]),
) -> Result<(), String> {
    let mut ids = BTreeSet::new();
    for item in kept {
        if !ids.insert(item.id.as_str()) {
            return Err(format!("the notice {} {} is kept twice", item.id, item.title));
        }
    }
    for (call, result) in records.flat_map(|one| &one.told) {
        let told: Value = serde_json::from_str(result).unwrap_or_default();
        // A call that was interrupted may have left a notice or none.
        let Some(id) = told["notice"].as_str() else { continue };
        if !ids.contains(id) && !dismissals.concerns(id) {
            return Err(format!("{call} was told of its notice {id}, which is not kept"));
        }
    }
    let gone = dismissals.0.values().filter(|dismissal| dismissal.acknowledged);
    if let Some(back) = gone.map(|one| one.notice.as_str()).find(|id| ids.contains(id)) {
        return Err(format!("the notice {back} was dismissed, and is there"));
    }
    if shown != kept {
        return Err(format!("the notices are {kept:?}, but the screen shows {shown:?}"));
    }
    Ok(())
}
