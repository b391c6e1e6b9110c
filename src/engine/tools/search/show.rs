//! The result of a search in words: a header with what was found and what was passed over, then
//! the findings themselves.

use super::filter::FilterFault;
use super::query::{Query, SearchOutput};
use super::run::{SearchError, SearchResults};
use crate::domain::Lang;
use crate::domain::counted;
use crate::domain::text::{Text, in_lang};
use crate::guard::AccessOp;
use crate::tools::files::fence;
use crate::tools::outcome::ToolOutcome;
use crate::tools::report::{ToolReport, refused};

/// Reports the results of a search.
pub(super) fn report(tool: &str, query: &Query, found: &SearchResults, lang: Lang) -> ToolOutcome {
    let mut report = ToolReport::ok(tool, &query.path);
    report = match query.show {
        SearchOutput::Files => report.field("shown_files", found.files),
        SearchOutput::Snippets => {
            report.field("shown_results", found.hits).field("shown_files", found.files)
        }
        SearchOutput::Count => report
            .field("total_results", found.hits)
            .field("total_files", found.matching_files)
            .field("shown_files", found.files),
    };
    report = report
        .field("searched_files", found.searched)
        .field("searched_all", found.complete())
        .field("truncated_by_max", found.cut_by_number)
        .field("truncated_by_char_limit", found.cut_by_chars);
    let passed = [
        ("truncated_by_tree_size", usize::from(found.passed.cut)),
        ("skipped_binary_files", found.binary),
        ("skipped_unreadable_entries", found.passed.unreadable),
        ("closed_entries", found.passed.closed),
        ("files_with_lines_searched_in_pieces", found.pieces),
    ];
    for (key, number) in passed.into_iter().filter(|(_, number)| *number > 0) {
        report = report.field(key, number);
    }
    report.summary(summary(query.show, found, lang)).body(body(found, lang)).outcome()
}

fn summary(show: SearchOutput, found: &SearchResults, lang: Lang) -> String {
    let (files, hits, searched) = (found.files, found.hits, found.searched);
    if files == 0 && hits == 0 && found.complete() {
        return in_lang!(
            lang,
            ("no match in {}", counted(searched, "file", "files")),
            "在 {searched} 个文件中没有匹配"
        );
    }
    match show {
        SearchOutput::Files => in_lang!(
            lang,
            ("{} shown", counted(files, "matching file", "matching files")),
            "显示 {files} 个匹配的文件"
        ),
        SearchOutput::Snippets => in_lang!(
            lang,
            (
                "{} in {} shown",
                counted(hits, "matching line", "matching lines"),
                counted(files, "file", "files")
            ),
            "显示 {files} 个文件中的 {hits} 个匹配行"
        ),
        SearchOutput::Count => in_lang!(
            lang,
            (
                "{} in {}, {files} shown",
                counted(hits, "matching line", "matching lines"),
                counted(found.matching_files, "file", "files")
            ),
            ("{} 个文件中有 {hits} 个匹配行,显示 {files} 个", found.matching_files)
        ),
    }
}

fn body(found: &SearchResults, lang: Lang) -> String {
    let hint = if found.passed.cut {
        Text::new(
            "The tree is too large for one search; search a part of it.",
            "目录树过大,一次搜索不完;请分部分搜索。",
        )
        .in_lang(lang)
    } else if found.cut_by_number || found.cut_by_chars {
        Text::new(
            "There is more. Narrow the pattern, the path or the globs, or raise the limit.",
            "还有更多结果。请缩小模式、路径或 globs 的范围,或提高上限。",
        )
        .in_lang(lang)
    } else {
        ""
    };
    if found.body.is_empty() {
        return hint.to_owned();
    }
    let fence = fence(&found.body);
    let end = if hint.is_empty() { String::new() } else { format!("\n{hint}") };
    format!("{fence}\n{}{fence}{end}", found.body)
}

/// Why nothing was searched.
pub(super) fn not_searched(tool: &str, path: &str, why: &SearchError, lang: Lang) -> ToolOutcome {
    let (code, text) = match why {
        SearchError::Path(fault) => return refused(tool, AccessOp::Read, fault, lang),
        SearchError::Pattern(reason) => ("INVALID_PATTERN", pattern(reason, lang)),
        SearchError::Filter(FilterFault::Glob(reason)) => ("INVALID_GLOB", glob(reason, lang)),
        SearchError::Filter(FilterFault::Type(reason)) => ("UNKNOWN_TYPE", kind(reason, lang)),
        SearchError::Filter(FilterFault::TooManyGlobs) => (
            "INVALID_GLOB",
            Text::new("Too many globs; at most 100.", "globs 过多,最多 100 个。")
                .in_lang(lang)
                .to_owned(),
        ),
    };
    ToolReport::error(tool, path, code).summary(text).outcome()
}

fn pattern(reason: &str, lang: Lang) -> String {
    in_lang!(
        lang,
        "The pattern is no expression that can be searched for: {reason}\n\
             Fix it, or search for it as plain text (`ripgrep_fixed`). There is no look-around and \
             no backreference; a line break needs `-U` of `ripgrep_search`.",
        "该模式不是可搜索的表达式:{reason}\n\
             请修正,或按纯文本搜索(`ripgrep_fixed`)。不支持环视和反向引用;\
             换行需要 `ripgrep_search` 的 `-U`。"
    )
}

fn glob(reason: &str, lang: Lang) -> String {
    in_lang!(
        lang,
        "A glob cannot be used: {reason}. Write it as in `src/**/*.rs`.",
        "glob 无法使用:{reason}。写法如 `src/**/*.rs`。"
    )
}

fn kind(reason: &str, lang: Lang) -> String {
    in_lang!(
        lang,
        "{reason}. Use a known name such as rust, py or md, or a glob (-g).",
        "{reason}。请用已知的类型名,如 rust、py、md,或改用 glob (-g)。"
    )
}
