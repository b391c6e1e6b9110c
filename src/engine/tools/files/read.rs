//! `read_file`: a part of a text file with line numbers.

use std::io::BufReader;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::args::FileArgs;
use super::lines::{LineRange, ReadLines, excerpt};
use super::range::parse_range;
use super::text::fence;
use crate::domain::Lang;
use crate::domain::counted;
use crate::domain::text::{Text, in_lang};
use crate::guard::{AccessOp, Guard, OpenFile, PathFault};
use crate::tools::outcome::ToolOutcome;
use crate::tools::report::{ToolReport, refused};
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

const NAME: &str = "read_file";
const DEFAULT_MAX_LINES: usize = 500;
const MAX_CHARS: usize = 100_000;
const BUFFER_BYTES: usize = 64 * 1024;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadFileArgs {
    path: String,
    range: Option<String>,
    max_lines: Option<usize>,
    show_linenos: Option<bool>,
}

impl FileArgs for ReadFileArgs {
    const WRITES: bool = false;

    fn path(&self) -> Option<&str> {
        Some(&self.path)
    }

    fn set_path(&mut self, path: String) {
        self.path = path;
    }

    fn new_text(&self) -> Option<&str> {
        None
    }

    fn run(&self, cx: &ToolCx) -> ToolOutcome {
        run(cx, self)
    }
}

/// The tool.
pub(super) fn tool() -> Arc<dyn Tool> {
    typed::blocking(
        typed::reads(NAME),
        |lang| Text::of_document(include_str!("read_file.md")).in_lang(lang),
        run,
    )
}

fn run(cx: &ToolCx, args: &ReadFileArgs) -> ToolOutcome {
    let path = args.path.as_str();
    let range = match parse_range(args.range.as_deref().unwrap_or("~")) {
        Ok(range) => range,
        Err(fault) => {
            return ToolReport::error(NAME, path, "INVALID_RANGE")
                .summary(fault.text(cx.lang))
                .outcome();
        }
    };
    let max_lines = args.max_lines.filter(|&lines| lines > 0).unwrap_or(DEFAULT_MAX_LINES);
    let window = LineRange { range, max_lines, max_chars: MAX_CHARS };
    let opened = Guard::general(cx).and_then(|guard| guard.open_file(path, AccessOp::Read));
    let read = opened.and_then(|opened| {
        let found = excerpt(BufReader::with_capacity(BUFFER_BYTES, &opened.file), &window);
        Ok((found.map_err(|error| PathFault::io(path, &error))?, opened))
    });
    match read {
        Ok((None, opened)) => binary(&opened, cx.lang),
        Ok((Some(found), opened)) => {
            let numbered = args.show_linenos.unwrap_or(true);
            report(&found, &opened, &window, numbered, cx.lang)
        }
        Err(fault) => refused(NAME, AccessOp::Read, &fault, cx.lang),
    }
}

fn report(
    found: &ReadLines,
    opened: &OpenFile,
    window: &LineRange,
    numbered: bool,
    lang: Lang,
) -> ToolOutcome {
    let first = *window.range.start();
    let shown = found.lines.len();
    let total = found.total_lines;
    let body = found.lines.iter().zip(first..).map(|(line, number)| {
        if numbered { format!("{number:>4}| {line}\n") } else { format!("{line}\n") }
    });
    let body: String = body.collect();
    let fence = fence(&body);
    let cut = found.cut_by_lines || found.cut_by_chars;
    // A line of which only the beginning fitted is worth reading again, unless it was alone.
    let whole = if found.cut_by_chars && shown > 1 { shown - 1 } else { shown };
    let next = first + whole as u64;
    let hint = if cut {
        in_lang!(
            lang,
            "\nMore follows; go on with range \"{next}~\".",
            "\n后面还有内容,可用 range \"{next}~\" 继续读取。"
        )
    } else {
        String::new()
    };
    let summary = in_lang!(
        lang,
        ("{shown} of {} shown", counted(total, "line", "lines")),
        "共 {total} 行,显示 {shown} 行"
    );
    let inexact = if found.is_inexact { not_exact(lang) } else { "" };
    let encoding = if found.is_inexact { "not UTF-8" } else { "UTF-8" };
    ToolReport::ok(NAME, &opened.shown)
        .field("size_bytes", opened.stat.bytes)
        .field("encoding", encoding)
        .field("total_lines", total)
        .field("counted_all_lines", found.counted_all)
        .field("shown_lines", shown)
        .field("truncated_by_max_lines", found.cut_by_lines)
        .field("truncated_by_char_limit", found.cut_by_chars)
        .summary(summary)
        .body(format!("{fence}\n{body}{fence}{hint}{inexact}"))
        .outcome()
}

fn not_exact(lang: Lang) -> &'static str {
    Text::new(
        "\nThe file is not UTF-8 (it may be Latin-1 or another encoding): each byte that is none is shown as \u{fffd}, so \
         the text is not exact. Tools that edit refuse it; to change it, convert it with a command, or overwrite it \
         with an `encoding`.",
        "\n文件不是 UTF-8（可能是 Latin-1 或其他编码）：不合 UTF-8 的字节显示为 \u{fffd}，因此文本并不准确。\
         编辑工具会拒绝它；如需修改，请用命令转换，或带 `encoding` 整体覆盖。",
    )
    .in_lang(lang)
}

fn binary(opened: &OpenFile, lang: Lang) -> ToolOutcome {
    let summary = Text::new(
        "This is a binary file (it holds NUL bytes); its content is not shown.",
        "这是二进制文件(含有 NUL 字节),不显示内容。",
    )
    .in_lang(lang);
    ToolReport::error(NAME, &opened.shown, "BINARY_FILE")
        .field("size_bytes", opened.stat.bytes)
        .summary(summary)
        .outcome()
}
