//! The running team tool calls, those answered at once too: a team may make as many as it may work on tasks.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::domain::TeamName;

/// The calls of all teams of a driver.
#[derive(Debug, Default)]
pub struct TeamCalls {
    running: Mutex<BTreeMap<TeamName, u32>>,
    ended: Notify,
}

/// A call that runs, until this is dropped.
#[derive(Debug)]
pub struct TeamCallSlot {
    calls: Arc<TeamCalls>,
    team: TeamName,
}

impl TeamCalls {
    fn running(&self) -> MutexGuard<'_, BTreeMap<TeamName, u32>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a call of a team; `None` if `most` of its calls run already.
    #[must_use]
    pub fn begin(self: &Arc<Self>, team: &TeamName, most: u32) -> Option<TeamCallSlot> {
        let mut running = self.running();
        let count = running.entry(team.clone()).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(TeamCallSlot { calls: Arc::clone(self), team: team.clone() })
    }

    /// Waits for room and begins a call. Waiters are served in no particular order.
    pub async fn wait(self: &Arc<Self>, team: &TeamName, most: u32) -> TeamCallSlot {
        loop {
            // Registered before the check, so that no call that ends after it is missed.
            let ended = self.ended.notified();
            match self.begin(team, most) {
                Some(slot) => return slot,
                None => ended.await,
            }
        }
    }
}

impl Drop for TeamCallSlot {
    fn drop(&mut self) {
        let mut running = self.calls.running();
        if let Some(count) = running.get_mut(&self.team) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                running.remove(&self.team);
            }
        }
        drop(running);
        self.calls.ended.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn a_team_makes_so_many_calls_at_a_time_and_others_their_own() {
        let (calls, qa, lab) = (Arc::new(TeamCalls::default()), "qa", "lab");
        let (qa, lab) = (TeamName::new(qa), TeamName::new(lab));
        let first = calls.begin(&qa, 2).unwrap();
        let _second = calls.begin(&qa, 2).unwrap();
        assert!(calls.begin(&qa, 2).is_none());
        assert!(calls.begin(&lab, 1).is_some());
        let mut waiting = Box::pin(calls.wait(&qa, 2));
        assert!(waiting.as_mut().now_or_never().is_none());
        drop(first);
        let third = waiting.as_mut().now_or_never();
        assert!(third.is_some() && calls.begin(&qa, 2).is_none());
        drop(third);
        assert!(calls.begin(&qa, 2).is_some());
    }

    #[test]
    fn a_team_without_calls_takes_no_room() {
        let calls = Arc::new(TeamCalls::default());
        drop(calls.begin(&TeamName::new("qa"), 1));
        assert!(calls.running().is_empty());
    }
}
