//! The secrets that became known while the program runs: none is forgotten. An entry that is removed from a file was
//! perhaps used before.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::Secrets;

/// Clones share what they know.
#[derive(Debug, Clone, Default)]
pub struct SharedSecrets(Arc<Mutex<Arc<Secrets>>>);

impl SharedSecrets {
    /// Adds to what is known; all that is known then.
    pub fn learn(
        &self,
        names: impl IntoIterator<Item = String>,
        values: impl IntoIterator<Item = String>,
    ) -> Arc<Secrets> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all_names = known.names.clone();
        all_names.extend(names);
        let values = values.into_iter().map(|value| value.trim().to_owned());
        let mut all_values: BTreeSet<String> = known.values.clone();
        all_values.extend(values.filter(|value| value.len() >= super::forms::SHORTEST));
        if all_values.len() > known.values.len() {
            *known = Arc::new(Secrets::new(all_names, all_values));
        } else if all_names.len() > known.names.len() {
            *known = Arc::new(Secrets { names: all_names, ..known.as_ref().clone() });
        }
        known.clone()
    }

    /// All that is known now.
    #[must_use]
    pub fn secrets(&self) -> Arc<Secrets> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
