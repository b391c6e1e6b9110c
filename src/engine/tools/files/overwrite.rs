//! `overwrite_entire_file`: replaces a file the model has proven to know.

use std::io::{BufReader, Seek};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::args::FileArgs;
use super::lines::{Stats, count};
use super::text::{looks_like_diff, with_final_newline};
use super::whole_text::{NoText, read_text, split_bom};
use crate::domain::counted;
use crate::domain::text::{Text, in_lang};
use crate::domain::{FileChange, Lang};
use crate::guard::{AccessOp, Guard, OpenFile, PathFault};
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
    encoding: Option<Encoding>,
}

/// How the new text of a file that is not UTF-8 is written.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
enum Encoding {
    #[serde(rename = "utf-8")]
    Utf8,
    #[serde(rename = "latin-1")]
    Latin1,
}

impl Encoding {
    /// `None` if it has no bytes for a character.
    fn bytes(self, text: &str) -> Option<Vec<u8>> {
        match self {
            Self::Utf8 => Some(text.as_bytes().to_vec()),
            Self::Latin1 => text.chars().map(|char| u8::try_from(char).ok()).collect(),
        }
    }
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

/// Why a file was not changed.
enum OverwriteRefused {
    Fault(PathFault),
    Stats(Stats),
    /// The present text is not UTF-8, and how to write the new one was not said.
    NotUtf8,
    NotInEncoding,
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
        Err(OverwriteRefused::NotUtf8) => needs_encoding(path, cx.lang),
        Err(OverwriteRefused::NotInEncoding) => not_in_encoding(path, cx.lang),
    }
}

/// Replaces the file if its size is as the model says; returns the change and the old size.
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
    if matches!(before, Err(NoText::NotUtf8 { .. })) && args.encoding.is_none() {
        return Err(OverwriteRefused::NotUtf8);
    }
    let bom = before.as_deref().map_or("", |before| split_bom(before).0);
    let content = format!("{bom}{}", split_bom(content).1);
    let bytes = args.encoding.unwrap_or(Encoding::Utf8).bytes(&content);
    let bytes = bytes.ok_or(OverwriteRefused::NotInEncoding)?;
    let slot = opened.into_slot(path);
    slot.write(&bytes).map_err(OverwriteRefused::Fault)?;
    let change = match before {
        Ok(before) => FileChange::rewritten(slot.shown, &before, &content),
        Err(_) => FileChange::replaced(slot.shown),
    };
    Ok((change, old))
}

/// The text of a file that was read to its end, if it is one.
fn text_again(opened: &OpenFile) -> Result<String, NoText> {
    let again = (&opened.file).rewind();
    again.map_err(|error| PathFault::io(&opened.shown, &error))?;
    read_text(opened)
}

fn needs_encoding(path: &str, lang: Lang) -> ToolOutcome {
    let summary = Text::new(
        "The file is not UTF-8, so what you read of it is not exact. Say with `encoding` how the new text is to be \
         written: `latin-1`, or `utf-8` if the file may become UTF-8. Nothing was changed.",
        "文件不是 UTF-8，你读到的内容并不准确。请用 `encoding` 说明新文本如何写入：`latin-1`，\
         或 `utf-8`（若文件可以改为 UTF-8）。未做任何改动。",
    )
    .in_lang(lang);
    ToolReport::error(NAME, path, "NOT_TEXT").summary(summary).outcome()
}

fn not_in_encoding(path: &str, lang: Lang) -> ToolOutcome {
    let summary = Text::new(
        "The new text has characters that Latin-1 does not have. Nothing was changed.",
        "新文本含有 Latin-1 没有的字符。未做任何改动。",
    )
    .in_lang(lang);
    ToolReport::error(NAME, path, "NOT_IN_ENCODING").summary(summary).outcome()
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
