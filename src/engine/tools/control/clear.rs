//! `clear_mind`: a new course, with a reminder to carry on from if the member wrote one.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::reminders::bounded;
use crate::domain::text::Text;
use crate::tools::outcome::{StateChange, ToolOutcome};
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

/// The name of the tool.
pub const CLEAR_MIND: &str = "clear_mind";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ClearMindArgs {
    reminder_content: Option<String>,
}

/// The tool.
pub(super) fn tool() -> Arc<dyn Tool> {
    typed::instant(
        CLEAR_MIND,
        |lang| Text::of_document(include_str!("clear_mind.md")).in_lang(lang),
        run,
    )
}

fn run(cx: &ToolCx, args: &ClearMindArgs) -> ToolOutcome {
    let content = args.reminder_content.as_deref().map(str::trim).filter(|text| !text.is_empty());
    if let Some(Err(refused)) = content.map(|text| bounded(text, "reminder_content", cx.lang)) {
        return refused;
    }
    let text = Text::new("Mind cleared; a new course begins.", "已清空思路,新的一程开始。")
        .in_lang(cx.lang);
    ToolOutcome::changed(
        text,
        StateChange::ClearMind { reminder_content: content.map(str::to_owned) },
    )
}
