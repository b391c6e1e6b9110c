//! `read_file`: a part of a text file with line numbers.

use std::io::BufReader;
use std::ops::RangeInclusive;
use std::sync::Arc;

use serde_json::json;

use super::lines::{Excerpt, Window, excerpt};
use super::text::fence;
use crate::domain::Lang;
use crate::tools::access::Op;
use crate::tools::args::Args;
use crate::tools::guard::{Fault, Guard, OpenFile};
use crate::tools::outcome::Outcome;
use crate::tools::report::{Report, refused};
use crate::tools::tool::{BuiltIn, Description, Tool, ToolCx, ToolSpec, half};

const NAME: &str = "read_file";
const DEFAULT_MAX_LINES: usize = 500;
const MAX_CHARS: usize = 100_000;
const BUFFER_BYTES: usize = 64 * 1024;

/// The tool.
pub(super) fn tool() -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: NAME.into(),
        description: Description::Own(|lang| half(lang, include_str!("read_file.md"))),
        parameters: json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "range": {"type": "string"},
                "max_lines": {"type": "integer", "minimum": 0},
                "show_linenos": {"type": "boolean"}
            },
            "required": ["path"],
            "additionalProperties": false
        }),
    };
    BuiltIn::blocking(spec, run)
}

fn run(cx: &ToolCx, args: &Args) -> Outcome {
    let path = args.required_text("path");
    let range = match parse_range(args.text("range").unwrap_or("~")) {
        Ok(range) => range,
        Err(fault) => return bad_range(path, fault, cx.lang),
    };
    let wanted = args.integer("max_lines").and_then(|lines| usize::try_from(lines).ok());
    let max_lines = wanted.filter(|&lines| lines > 0).unwrap_or(DEFAULT_MAX_LINES);
    let window = Window { range, max_lines, max_chars: MAX_CHARS };
    let opened = Guard::general(cx).and_then(|guard| guard.open_file(path, Op::Read));
    let read = opened.and_then(|opened| {
        let found = excerpt(BufReader::with_capacity(BUFFER_BYTES, &opened.file), &window);
        Ok((found.map_err(|error| Fault::io(path, &error))?, opened))
    });
    match read {
        Ok((None, opened)) => binary(&opened, cx.lang),
        Ok((Some(found), opened)) => {
            let numbered = args.flag("show_linenos").unwrap_or(true);
            report(&found, &opened, &window, numbered, cx.lang)
        }
        Err(fault) => refused(NAME, Op::Read, &fault, cx.lang),
    }
}

fn report(
    found: &Excerpt,
    opened: &OpenFile,
    window: &Window,
    numbered: bool,
    lang: Lang,
) -> Outcome {
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
    let hint = match (cut, lang) {
        (false, _) => String::new(),
        (true, Lang::En) => format!("\nMore follows; go on with range \"{next}~\"."),
        (true, Lang::Zh) => format!("\n后面还有内容,可用 range \"{next}~\" 继续读取。"),
    };
    let summary = match lang {
        Lang::En => format!("{shown} of {total} lines shown"),
        Lang::Zh => format!("共 {total} 行,显示 {shown} 行"),
    };
    Report::ok(NAME, &opened.shown)
        .field("size_bytes", opened.meta.len())
        .field("total_lines", total)
        .field("counted_all_lines", found.counted_all)
        .field("shown_lines", shown)
        .field("truncated_by_max_lines", found.cut_by_lines)
        .field("truncated_by_char_limit", found.cut_by_chars)
        .summary(summary)
        .body(format!("{fence}\n{body}{fence}{hint}"))
        .outcome()
}

fn binary(opened: &OpenFile, lang: Lang) -> Outcome {
    let summary = lang.pick(
        "This is a binary file (it holds NUL bytes); its content is not shown.",
        "这是二进制文件(含有 NUL 字节),不显示内容。",
    );
    Report::error(NAME, &opened.shown, "BINARY_FILE")
        .field("size_bytes", opened.meta.len())
        .summary(summary)
        .outcome()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RangeFault {
    Form,
    Backwards,
}

fn bad_range(path: &str, fault: RangeFault, lang: Lang) -> Outcome {
    let summary = match fault {
        RangeFault::Form => lang.pick(
            "`range` must look like 10~20, 10~, ~20, ~ or 10, counted from 1.",
            "`range` 应写作 10~20、10~、~20、~ 或 10,行号从 1 开始。",
        ),
        RangeFault::Backwards => {
            lang.pick("`range` ends before it starts.", "`range` 的结束行在起始行之前。")
        }
    };
    Report::error(NAME, path, "INVALID_RANGE").summary(summary).outcome()
}

fn parse_range(text: &str) -> Result<RangeInclusive<u64>, RangeFault> {
    let text = text.trim();
    let (from, to) = match text.split_once('~') {
        Some((from, to)) => (line_or(from, 1)?, line_or(to, u64::MAX)?),
        None if text.is_empty() => (1, u64::MAX),
        None => (line_or(text, 1)?, line_or(text, 1)?),
    };
    if from > to { Err(RangeFault::Backwards) } else { Ok(from..=to) }
}

fn line_or(text: &str, default: u64) -> Result<u64, RangeFault> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(default);
    }
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.then(|| text.parse().ok()).flatten();
    number.filter(|&line| line > 0).ok_or(RangeFault::Form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_count_lines_from_one() {
        let form = Err(RangeFault::Form);
        for (text, expected) in [
            ("3~5", Ok(3..=5)),
            (" 3 ~ 5 ", Ok(3..=5)),
            ("3~3", Ok(3..=3)),
            ("3~", Ok(3..=u64::MAX)),
            ("~5", Ok(1..=5)),
            ("~", Ok(1..=u64::MAX)),
            ("", Ok(1..=u64::MAX)),
            ("7", Ok(7..=7)),
            ("5~3", Err(RangeFault::Backwards)),
            ("0~3", form.clone()),
            ("0", form.clone()),
            ("-1~3", form.clone()),
            ("+1~3", form.clone()),
            ("1-3", form.clone()),
            ("1~2~3", form.clone()),
            ("a~b", form.clone()),
            ("1~\npath: x", form.clone()),
            ("99999999999999999999", form),
        ] {
            assert_eq!(parse_range(text), expected, "{text:?}");
        }
    }
}
