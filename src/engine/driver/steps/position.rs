//! A place in a transcript.

use crate::domain::{Course, Genseq, SelfId};

/// Where a generation writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    pub dialog: SelfId,
    pub course: Course,
    pub genseq: Genseq,
}
