//! `create_new_file`: a file that must not exist yet.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::args::FileArgs;
use super::text::with_final_newline;
use crate::domain::FileChange;
use crate::domain::counted;
use crate::domain::text::{Text, in_lang};
use crate::guard::{AccessOp, Guard};
use crate::tools::outcome::ToolOutcome;
use crate::tools::report::{ToolReport, refused};
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

const NAME: &str = "create_new_file";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateFileArgs {
    path: String,
    content: Option<String>,
}

impl FileArgs for CreateFileArgs {
    const WRITES: bool = true;

    fn path(&self) -> Option<&str> {
        Some(&self.path)
    }

    fn set_path(&mut self, path: String) {
        self.path = path;
    }

    fn new_text(&self) -> Option<&str> {
        self.content.as_deref()
    }

    fn run(&self, cx: &ToolCx) -> ToolOutcome {
        run(cx, self)
    }
}

/// The tool.
pub(super) fn tool() -> Arc<dyn Tool> {
    typed::blocking(
        NAME,
        |lang| Text::of_document(include_str!("create_new_file.md")).in_lang(lang),
        run,
    )
}

fn run(cx: &ToolCx, args: &CreateFileArgs) -> ToolOutcome {
    let path = args.path.as_str();
    let (content, newline_added) = with_final_newline(args.content.as_deref().unwrap_or_default());
    let written = Guard::general(cx).and_then(|guard| {
        let slot = guard.new_slot(path)?;
        slot.write(content.as_bytes())?;
        Ok(slot.shown)
    });
    match written {
        Ok(shown) => {
            let (bytes, lines) = (content.len(), content.matches('\n').count());
            let summary = in_lang!(
                cx.lang,
                (
                    "created with {}, {}",
                    counted(lines, "line", "lines"),
                    counted(bytes, "byte", "bytes")
                ),
                "已创建,{lines} 行,{bytes} 字节"
            );
            ToolReport::ok(NAME, &shown)
                .field("total_lines", lines)
                .field("size_bytes", bytes)
                .field("normalized.trailing_newline_added", newline_added)
                .summary(summary)
                .outcome()
                .with_file_changes([FileChange::created(shown, &content)])
        }
        Err(fault) => refused(NAME, AccessOp::Write, &fault, cx.lang),
    }
}
