//! Counters that must never be mixed up.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A course: one stretch of a dialog's transcript, in one file. The first is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Course(pub u32);

impl Course {
    pub const FIRST: Self = Self(1);

    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// A generation of a dialog: one answer of the model. Grows over courses; the first is 1.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Genseq(pub u32);

impl Genseq {
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Course {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Genseq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Where the main dialog stood when a record of its tree was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RootAnchor {
    pub course: Course,
    /// 0 while the main dialog has not generated in this process.
    pub genseq: Genseq,
}
