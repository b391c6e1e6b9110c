//! The dialogs of a fork: as they are in the source, and as they are kept.

use crate::domain::dialogs::latest::CourseStartPrompt;
use crate::domain::dialogs::record::SideDialogCreated;
use crate::domain::{Assignment, Course, Dialog, DialogMeta, Genseq, History, Latest};

use crate::protocol::AttachedImage;

use super::copied_lines::Courses;

/// The generation a fork is made at: the first one that is not copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ForkPoint {
    pub course: Course,
    pub genseq: Genseq,
}

/// A dialog of the source, with all its records.
#[derive(Debug, Clone)]
pub struct SourceDialog {
    pub dialog: Dialog,
    pub courses: Courses,
}

/// A dialog as it was at the fork point.
#[derive(Debug)]
pub struct ForkedDialog {
    pub meta: DialogMeta,
    pub latest: Latest,
    pub courses: Courses,
    /// Derived from the kept records.
    pub history: History,
    /// Its creation and first assignment; `None` for the main dialog.
    pub created: Option<SideDialogCreated>,
    pub first_assignment: Option<Assignment>,
}

/// How the generation at the fork point began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GenerationOpening {
    /// With a message of the user.
    User { text: String, images: Vec<AttachedImage> },
    /// With the prompt of a new course.
    Course(Box<CourseStartPrompt>),
    /// Without a prompt, or with one that the runtime sends again.
    Nothing,
}
