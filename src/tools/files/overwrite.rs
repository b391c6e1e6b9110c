//! `overwrite_entire_file`: replaces a file the model has proven to know.

use std::io::{BufReader, Seek};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::args::FileArgs;
use super::lines::{Stats, count};
use super::text::{looks_like_diff, with_final_newline};
use super::whole_text::read_text;
use crate::domain::counted;
use crate::domain::text::{Text, in_lang};
use crate::domain::{FileChange, Lang};
use crate::tools::access::AccessOp;
use crate::tools::guard::{Guard, OpenFile, PathFault};
use crate::tools::outcome::ToolOutcome;
use crate::tools::report::{ToolReport, refused};
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

const NAME: &str = "overwrite_entire_file";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OverwriteFileArgs {
    path: String,
    known_old_total_lines: u64,
    known_old_total_bytes: u64,
    content: String,
    content_format: Option<String>,
}

impl FileArgs for OverwriteFileArgs {
    const WRITES: bool = true;

    fn path(&self) -> Option<&str> {
        Some(&self.path)
    }

    fn set_path(&mut self, path: String) {
        self.path = path;
    }

    fn new_text(&self) -> Option<&str> {
        Some(&self.content)
    }

    fn run(&self, cx: &ToolCx) -> ToolOutcome {
        run(cx, self)
    }
}

/// The tool.
pub(super) fn tool() -> Arc<dyn Tool> {
    typed::blocking(
        NAME,
        |lang| Text::of_document(include_str!("overwrite_entire_file.md")).in_lang(lang),
        run,
    )
}

/// Why a file was left as it is.
enum OverwriteRefused {
    Fault(PathFault),
    Stats(Stats),
}

fn run(cx: &ToolCx, args: &OverwriteFileArgs) -> ToolOutcome {
    let path = args.path.as_str();
    let content = args.content.as_str();
    let diff_meant = matches!(args.content_format.as_deref(), Some("diff" | "patch"));
    if !diff_meant && looks_like_diff(content) {
        return suspicious(path, cx.lang);
    }
    let (content, newline_added) = with_final_newline(content);
    match replace(cx, args, &content) {
        Ok((change, old)) => {
            let (bytes, lines) = (content.len(), content.matches('\n').count());
            let summary = in_lang!(
                cx.lang,
                ("replaced: {} before, {lines} now", counted(old.lines, "line", "lines")),
                ("已覆盖:原 {} 行,现 {lines} 行", old.lines)
            );
            ToolReport::ok(NAME, &change.path)
                .field("old_total_lines", old.lines)
                .field("old_total_bytes", old.bytes)
                .field("total_lines", lines)
                .field("size_bytes", bytes)
                .field("normalized.trailing_newline_added", newline_added)
                .summary(summary)
                .outcome()
                .with_file_changes([change])
        }
        Err(OverwriteRefused::Fault(fault)) => refused(NAME, AccessOp::Write, &fault, cx.lang),
        Err(OverwriteRefused::Stats(stats)) => mismatch(path, stats, cx.lang),
    }
}

/// Replaces the file if its size is what the model says; gives the change and the old size.
fn replace(
    cx: &ToolCx,
    args: &OverwriteFileArgs,
    content: &str,
) -> Result<(FileChange, Stats), OverwriteRefused> {
    let path = &args.path;
    let guard = Guard::general(cx).map_err(OverwriteRefused::Fault)?;
    let opened = guard.open_file(path, AccessOp::Write).map_err(OverwriteRefused::Fault)?;
    let old = count(BufReader::new(&opened.file))
        .map_err(|error| OverwriteRefused::Fault(PathFault::io(path, &error)))?;
    if args.known_old_total_lines != old.lines || args.known_old_total_bytes != old.bytes {
        return Err(OverwriteRefused::Stats(old));
    }
    let before = text_again(&opened);
    let slot = opened.into_slot(path);
    slot.write(content.as_bytes()).map_err(OverwriteRefused::Fault)?;
    let change = match before {
        Some(before) => FileChange::rewritten(slot.shown, &before, content),
        None => FileChange::replaced(slot.shown),
    };
    Ok((change, old))
}

/// The text of a file that was read to its end, if it is one.
fn text_again(opened: &OpenFile) -> Option<String> {
    (&opened.file).rewind().ok()?;
    read_text(opened).ok()
}

fn mismatch(path: &str, old: Stats, lang: Lang) -> ToolOutcome {
    let summary = Text::new(
        "The file is not as you believe. Read it again, then overwrite with its true numbers.",
        "文件与你所知不符。请重新读取,再用正确的数字覆盖。",
    )
    .in_lang(lang);
    ToolReport::error(NAME, path, "STATS_MISMATCH")
        .field("old_total_lines", old.lines)
        .field("old_total_bytes", old.bytes)
        .summary(summary)
        .outcome()
}

fn suspicious(path: &str, lang: Lang) -> ToolOutcome {
    let summary = Text::new(
        "The content looks like a diff, but it would become the whole file. Send the full text, \
         or set content_format to diff or patch if the file is to hold a diff.",
        "内容看起来是 diff,但它会成为整个文件。请提供完整文本;\
         若文件本身就应是 diff,请把 content_format 设为 diff 或 patch。",
    )
    .in_lang(lang);
    ToolReport::error(NAME, path, "SUSPICIOUS_DIFF").summary(summary).outcome()
}
