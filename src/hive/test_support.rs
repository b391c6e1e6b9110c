//! Consent for tests.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::keeper::Permission;
use crate::domain::text::Localized;

/// The stores that were agreed to, and whether something else waits for consent.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub seats: Mutex<Vec<String>>,
    pub awaits: AtomicBool,
}

impl Permission for Known {
    fn awaits_consent(&self) -> bool {
        self.awaits.load(Ordering::Relaxed)
    }

    fn may_open(&self, seat: &str) -> bool {
        self.seats.lock().unwrap().iter().any(|known| known == seat)
    }

    fn made_here(&self, seat: &str) -> Result<(), Localized> {
        self.seats.lock().unwrap().push(seat.to_owned());
        Ok(())
    }
}
