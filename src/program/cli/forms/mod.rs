//! The JSON and the lines in which commands print dialogs, questions, items and transcripts.

pub(in crate::cli) mod item_json;
pub(in crate::cli) mod question_json;
pub(in crate::cli) mod transcript;
