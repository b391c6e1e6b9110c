//! `prepare_file_append`: text behind the last line, or in a file that is not there yet.

use serde_json::json;

use crate::tools::tool::{Description, ToolSpec, localized};

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "prepare_file_append".into(),
        description: Description::Own(|lang| {
            localized(lang, include_str!("prepare_file_append.md"))
        }),
        parameters: json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "create": {"type": "boolean"},
                "existing_hunk_id": {"type": "string"},
                "content": {"type": "string"}
            },
            "required": ["path", "content"],
            "additionalProperties": false
        }),
    }
}
