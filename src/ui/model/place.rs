//! Places in dialogs: to go back to, and found by a search.

use crate::domain::reading::transcript::RecordPosition;
use crate::domain::{CallId, Course, DialogId};

/// The view of a dialog when it was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub dialog: DialogId,
    /// `None` for the newest course.
    pub course: Option<Course>,
    /// The position of the view; `None` while it followed the end.
    pub position: Option<ViewPosition>,
}

/// The view on a dialog: the row at its top, and the block with the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViewPosition {
    pub top: RecordPosition,
    /// The row within that block.
    pub row: usize,
    pub cursor: RecordPosition,
}

/// The place of a record with a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPlace {
    pub place: RecordPosition,
    /// The call whose block shows it, if that block is made by another record.
    pub completes: Option<CallId>,
    /// The text that was searched for.
    pub text: String,
}
