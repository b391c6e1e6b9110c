//! Telling blocking work that nobody waits for it any more: a flag that is set when the call that
//! began the work is dropped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The flag, as the work sees it.
#[derive(Debug, Clone, Default)]
pub(super) struct Stop(Arc<AtomicBool>);

/// Sets the flag when it is dropped.
#[derive(Debug)]
pub(super) struct WhenDropped(Stop);

impl Stop {
    pub(super) fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn when_dropped(&self) -> WhenDropped {
        WhenDropped(self.clone())
    }
}

impl Drop for WhenDropped {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_told_to_stop_when_its_call_is_dropped_and_not_before() {
        let stop = Stop::default();
        let call = stop.when_dropped();
        let work = stop.clone();
        assert!(!work.is_wanted());
        drop(call);
        assert!(work.is_wanted());
    }
}
