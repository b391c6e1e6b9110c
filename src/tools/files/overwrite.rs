//! `overwrite_entire_file`: replaces a file the model has proven to know.

use std::io::BufReader;
use std::sync::Arc;

use serde_json::json;

use super::lines::{Stats, count};
use super::text::{looks_like_diff, with_final_newline};
use crate::domain::Lang;
use crate::domain::counted;
use crate::tools::access::AccessOp;
use crate::tools::args::Args;
use crate::tools::guard::{Guard, PathFault};
use crate::tools::outcome::ToolOutcome;
use crate::tools::report::{ToolReport, refused};
use crate::tools::tool::{BuiltIn, Description, Tool, ToolCx, ToolSpec, localized};

const NAME: &str = "overwrite_entire_file";

/// The tool.
pub(super) fn tool() -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: NAME.into(),
        description: Description::Own(|lang| {
            localized(lang, include_str!("overwrite_entire_file.md"))
        }),
        parameters: json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "known_old_total_lines": {"type": "integer", "minimum": 0},
                "known_old_total_bytes": {"type": "integer", "minimum": 0},
                "content": {"type": "string"},
                "content_format": {"type": "string"}
            },
            "required": ["path", "known_old_total_lines", "known_old_total_bytes", "content"],
            "additionalProperties": false
        }),
    };
    BuiltIn::blocking(spec, run)
}

/// Why a file was left as it is.
enum OverwriteRefused {
    Fault(PathFault),
    Stats(Stats),
}

fn run(cx: &ToolCx, args: &Args) -> ToolOutcome {
    let path = args.required_text("path");
    let content = args.required_text("content");
    let diff_meant = matches!(args.text("content_format"), Some("diff" | "patch"));
    if !diff_meant && looks_like_diff(content) {
        return suspicious(path, cx.lang);
    }
    let (content, newline_added) = with_final_newline(content);
    match replace(cx, args, path, &content) {
        Ok((shown, old)) => {
            let (bytes, lines) = (content.len(), content.matches('\n').count());
            let summary = match cx.lang {
                Lang::En => {
                    format!("replaced: {} before, {lines} now", counted(old.lines, "line", "lines"))
                }
                Lang::Zh => format!("已覆盖:原 {} 行,现 {lines} 行", old.lines),
            };
            ToolReport::ok(NAME, &shown)
                .field("old_total_lines", old.lines)
                .field("old_total_bytes", old.bytes)
                .field("total_lines", lines)
                .field("size_bytes", bytes)
                .field("normalized.trailing_newline_added", newline_added)
                .summary(summary)
                .outcome()
        }
        Err(OverwriteRefused::Fault(fault)) => refused(NAME, AccessOp::Write, &fault, cx.lang),
        Err(OverwriteRefused::Stats(stats)) => mismatch(path, stats, cx.lang),
    }
}

/// Replaces the file if its size is what the model says; gives its path and its old size.
fn replace(
    cx: &ToolCx,
    args: &Args,
    path: &str,
    content: &str,
) -> Result<(String, Stats), OverwriteRefused> {
    let guard = Guard::general(cx).map_err(OverwriteRefused::Fault)?;
    let opened = guard.open_file(path, AccessOp::Write).map_err(OverwriteRefused::Fault)?;
    let old = count(BufReader::new(&opened.file))
        .map_err(|error| OverwriteRefused::Fault(PathFault::io(path, &error)))?;
    let known = |field| args.integer(field).and_then(|number| u64::try_from(number).ok());
    let lines_match = known("known_old_total_lines") == Some(old.lines);
    if !lines_match || known("known_old_total_bytes") != Some(old.bytes) {
        return Err(OverwriteRefused::Stats(old));
    }
    let slot = opened.into_slot(path);
    slot.write(content.as_bytes()).map_err(OverwriteRefused::Fault)?;
    Ok((slot.shown, old))
}

fn mismatch(path: &str, old: Stats, lang: Lang) -> ToolOutcome {
    let summary = lang.pick(
        "The file is not as you believe. Read it again, then overwrite with its true numbers.",
        "文件与你所知不符。请重新读取,再用正确的数字覆盖。",
    );
    ToolReport::error(NAME, path, "STATS_MISMATCH")
        .field("old_total_lines", old.lines)
        .field("old_total_bytes", old.bytes)
        .summary(summary)
        .outcome()
}

fn suspicious(path: &str, lang: Lang) -> ToolOutcome {
    let summary = lang.pick(
        "The content looks like a diff, but it would become the whole file. Send the full text, \
         or set content_format to diff or patch if the file is to hold a diff.",
        "内容看起来是 diff,但它会成为整个文件。请提供完整文本;\
         若文件本身就应是 diff,请把 content_format 设为 diff 或 patch。",
    );
    ToolReport::error(NAME, path, "SUSPICIOUS_DIFF").summary(summary).outcome()
}
