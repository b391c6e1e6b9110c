//! The questions that persons look at, as their screens report: nobody is called for these.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::driver::reporting::clients::ClientId;

/// The questions that are looked at, by screen; a screen that is not looked at is missing.
#[derive(Debug, Default)]
pub struct ViewedQuestions(Mutex<BTreeMap<ClientId, BTreeSet<String>>>);

impl ViewedQuestions {
    fn screens(&self) -> MutexGuard<'_, BTreeMap<ClientId, BTreeSet<String>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `None`: nobody looks at this screen.
    pub(in crate::driver) fn set(&self, screen: ClientId, questions: Option<Vec<String>>) {
        let mut screens = self.screens();
        match questions {
            Some(questions) => drop(screens.insert(screen, questions.into_iter().collect())),
            None => drop(screens.remove(&screen)),
        }
    }

    /// The questions that are looked at on any screen; `None`: no screen is looked at.
    #[must_use]
    pub fn now(&self) -> Option<BTreeSet<String>> {
        let screens = self.screens();
        (!screens.is_empty()).then(|| screens.values().flatten().cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_looked_at_as_long_as_one_screen_says_so() {
        let (looks, all) = (ViewedQuestions::default(), [1, 2].map(ClientId::numbered));
        let ids = |ids: &[&str]| Some(ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>());
        let seen = |ids: &[&str]| Some(ids.iter().map(|id| (*id).to_owned()).collect());
        for (screen, questions, now) in [
            (0, ids(&[]), seen(&[])),
            (1, ids(&["a"]), seen(&["a"])),
            (0, ids(&["a", "b"]), seen(&["a", "b"])),
            (1, None, seen(&["a", "b"])),
            (0, ids(&["b"]), seen(&["b"])),
            (0, None, None),
        ] {
            looks.set(all[screen], questions);
            assert_eq!(looks.now(), now);
        }
    }
}
