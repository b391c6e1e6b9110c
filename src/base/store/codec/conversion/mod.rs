//! From the files of a tree in one layout to its files in the other. Pure: what is read and written is decided
//! elsewhere.
//!
//! Both ways, a file that is the same in both layouts is not looked at, a line of a course that says the same in both
//! stays as it stands, and unknown keys are kept. What only one layout has is computed from the courses on the way
//! there, and named as lost on the way back. A tree whose files do not tell what the other layout demands is refused.

mod back;
mod callees;
mod facts;
mod forth;
mod lines;
mod mapping;
mod reminders;
mod stacks;
#[cfg(test)]
mod tests;
mod values;

use crate::domain::Layout;
use crate::domain::text::Localized;

use super::v1_29;

pub(in crate::store) use facts::DialogFacts;
pub(in crate::store) use lines::line;
pub(in crate::store) use mapping::{Mapping, StateFiles, TreeFacts};
pub(in crate::store) use reminders::shared as shared_reminder;
pub(in crate::store) use values::{Keys, Losses};

/// The state files in the other layout, and what is lost.
pub(in crate::store) fn state_files(
    files: StateFiles,
    to: Layout,
    at: &Mapping<'_>,
) -> Result<(StateFiles, Losses), Localized> {
    match to {
        Layout::V1_29 => forth::state_files(files, at),
        Layout::V1_19 => Ok(back::state_files(files, at)),
    }
}

/// True while a generation is open by this `latest.yaml`.
pub(in crate::store) fn is_at_work(latest: &Keys) -> bool {
    v1_29::latest::has_open_generation(latest)
}
