//! `create_new_file`: a file that must not exist yet.

use std::sync::Arc;

use serde_json::json;

use super::text::with_final_newline;
use crate::domain::Lang;
use crate::domain::counted;
use crate::tools::access::AccessOp;
use crate::tools::args::Args;
use crate::tools::guard::Guard;
use crate::tools::outcome::ToolOutcome;
use crate::tools::report::{ToolReport, refused};
use crate::tools::tool::{BuiltIn, Description, Tool, ToolCx, ToolSpec, localized};

const NAME: &str = "create_new_file";

/// The tool.
pub(super) fn tool() -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: NAME.into(),
        description: Description::Own(|lang| localized(lang, include_str!("create_new_file.md"))),
        parameters: json!({
            "type": "object",
            "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
            "required": ["path"],
            "additionalProperties": false
        }),
    };
    BuiltIn::blocking(spec, run)
}

fn run(cx: &ToolCx, args: &Args) -> ToolOutcome {
    let path = args.required_text("path");
    let (content, newline_added) = with_final_newline(args.text("content").unwrap_or_default());
    let written = Guard::general(cx).and_then(|guard| {
        let slot = guard.new_slot(path)?;
        slot.write(content.as_bytes())?;
        Ok(slot.shown)
    });
    match written {
        Ok(shown) => {
            let (bytes, lines) = (content.len(), content.matches('\n').count());
            let summary = match cx.lang {
                Lang::En => format!(
                    "created with {}, {}",
                    counted(lines, "line", "lines"),
                    counted(bytes, "byte", "bytes")
                ),
                Lang::Zh => format!("已创建,{lines} 行,{bytes} 字节"),
            };
            ToolReport::ok(NAME, &shown)
                .field("total_lines", lines)
                .field("size_bytes", bytes)
                .field("normalized.trailing_newline_added", newline_added)
                .summary(summary)
                .outcome()
        }
        Err(fault) => refused(NAME, AccessOp::Write, &fault, cx.lang),
    }
}
