//! A place in a dialog, to go back to.

use crate::domain::transcript::RecordPosition;
use crate::domain::{Course, DialogId};

/// What was in view when a dialog was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub dialog: DialogId,
    /// `None` for the newest course.
    pub course: Option<Course>,
    /// The row at the top of the view; `None` while it followed the end.
    pub position: Option<(RecordPosition, usize)>,
}
