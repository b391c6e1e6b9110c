//! Writing messages and answers, with images and texts from programs of the person.

pub(super) mod images;
pub(super) mod program_results;
pub(super) mod writing;
