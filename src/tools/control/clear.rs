//! `clear_mind`: a new course, with a reminder to carry on from if the member wrote one.

use std::sync::Arc;

use serde_json::json;

use super::reminders::bounded;
use crate::tools::args::Args;
use crate::tools::outcome::{StateChange, ToolOutcome};
use crate::tools::tool::{BuiltIn, Description, Tool, ToolCx, ToolSpec, localized};

/// The name of the tool.
pub const CLEAR_MIND: &str = "clear_mind";

/// The tool.
pub(super) fn tool() -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: CLEAR_MIND.into(),
        description: Description::Own(|lang| localized(lang, include_str!("clear_mind.md"))),
        parameters: json!({
            "type": "object",
            "properties": {"reminder_content": {"type": "string"}},
            "additionalProperties": false
        }),
    };
    BuiltIn::instant(spec, run)
}

fn run(cx: &ToolCx, args: &Args) -> ToolOutcome {
    let content = args.text("reminder_content").map(str::trim).filter(|text| !text.is_empty());
    if let Some(Err(refused)) = content.map(|text| bounded(text, "reminder_content", cx.lang)) {
        return refused;
    }
    let text = cx.lang.pick("Mind cleared; a new course begins.", "已清空思路,新的一程开始。");
    ToolOutcome::changed(
        text,
        StateChange::ClearMind { reminder_content: content.map(str::to_owned) },
    )
}
