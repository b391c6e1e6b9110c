//! A prepared edit in somebody's hands. It goes back where it was unless it was used, also if the
//! call that took it is given up.

use std::sync::Arc;

use tokio::time::Instant;

use super::hunks::{Hunk, HunkMissing, Hunks};
use crate::domain::AgentId;

#[derive(Debug)]
pub(super) struct HunkLease {
    hunks: Arc<Hunks>,
    pub id: String,
    pub hunk: Arc<Hunk>,
    used: bool,
}

impl HunkLease {
    /// Takes a prepared edit out, so that no other call can use it.
    pub(super) fn take(
        hunks: &Arc<Hunks>,
        id: &str,
        caller: &AgentId,
        now: Instant,
    ) -> Result<Self, HunkMissing> {
        let hunk = hunks.take(id, caller, now)?;
        Ok(Self { hunks: Arc::clone(hunks), id: id.to_owned(), hunk, used: false })
    }

    /// Marks the edit as used, so that it is not put back.
    pub(super) fn spend(mut self) {
        self.used = true;
    }
}

impl Drop for HunkLease {
    fn drop(&mut self) {
        if !self.used {
            self.hunks.put_back(std::mem::take(&mut self.id), Arc::clone(&self.hunk));
        }
    }
}
