//! `prepare_file_append`: text behind the last line, or in a file that is not there yet.

use schemars::JsonSchema;
use serde::Deserialize;

use super::plan::{EditArgs, EditTarget, PlannedEdit};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AppendArgs {
    path: String,
    create: Option<bool>,
    existing_hunk_id: Option<String>,
    content: String,
}

impl EditArgs for AppendArgs {
    fn target(&self) -> EditTarget<'_> {
        EditTarget {
            path: &self.path,
            content: &self.content,
            replaces: self.existing_hunk_id.as_deref(),
            may_create: self.create.unwrap_or(true),
            appends: true,
        }
    }
}

pub(super) fn plan(lines: &[&str]) -> PlannedEdit {
    PlannedEdit { range: lines.len()..lines.len(), evidence: Vec::new() }
}
