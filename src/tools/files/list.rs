//! `list_dir`: the entries of one directory. Entries the member may not read are not named.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::fs::Metadata;
use std::io::{BufReader, Read};
use std::sync::Arc;

use serde_json::json;

use super::lines::{LineRange, excerpt};
use super::text::short;
use crate::domain::Lang;
use crate::domain::counted;
use crate::tools::access::{AccessOp, PathTarget};
use crate::tools::args::Args;
use crate::tools::guard::{Guard, Identity, OpenDir, PathFault};
use crate::tools::outcome::ToolOutcome;
use crate::tools::report::{ToolReport, refused};
use crate::tools::tool::{BuiltIn, Description, Tool, ToolCx, ToolSpec, localized};

const NAME: &str = "list_dir";
const SHOWN_ENTRIES: usize = 120;
const NAME_CHARS: usize = 96;
const TARGET_CHARS: usize = 120;
/// Entries looked at in one directory; beyond, the count is "at least".
const SCANNED_ENTRIES: usize = 100_000;
/// Lines are counted in files up to this size.
const COUNTED_BYTES: u64 = 1024 * 1024;

/// The tool.
pub(super) fn tool() -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: NAME.into(),
        description: Description::Own(|lang| localized(lang, include_str!("list_dir.md"))),
        parameters: json!({
            "type": "object",
            "properties": {"path": {"type": "string"}},
            "additionalProperties": false
        }),
    };
    BuiltIn::blocking(spec, run)
}

/// The first entries by name, and how many there were.
#[derive(Default)]
struct Listing {
    first: BTreeMap<OsString, Option<Metadata>>,
    open: usize,
    closed: usize,
    complete: bool,
}

fn run(cx: &ToolCx, args: &Args) -> ToolOutcome {
    let path = args.text("path").filter(|path| !path.trim().is_empty()).unwrap_or(".");
    let listed = Guard::general(cx).and_then(|guard| {
        let dir = guard.open_dir(path)?;
        let listing = scan(&guard, &dir).map_err(|error| PathFault::io(path, &error))?;
        Ok((listing, dir))
    });
    match listed {
        Ok((listing, dir)) => report(&listing, &dir, cx.lang),
        Err(fault) => refused(NAME, AccessOp::Read, &fault, cx.lang),
    }
}

fn scan(guard: &Guard, dir: &OpenDir) -> std::io::Result<Listing> {
    let mut listing = Listing { complete: true, ..Listing::default() };
    for (at, entry) in dir.dir.entries()?.enumerate() {
        if at == SCANNED_ENTRIES {
            listing.complete = false;
            break;
        }
        let name = entry?.file_name();
        let meta = dir.dir.look(&name).ok();
        let directory = meta.as_ref().is_some_and(Metadata::is_dir);
        let target = if directory { PathTarget::Directory } else { PathTarget::File };
        if !guard.may_list(dir, &name.to_string_lossy(), target) {
            listing.closed += 1;
            continue;
        }
        listing.open += 1;
        listing.first.insert(name, meta);
        if listing.first.len() > SHOWN_ENTRIES {
            listing.first.pop_last();
        }
    }
    Ok(listing)
}

fn report(listing: &Listing, dir: &OpenDir, lang: Lang) -> ToolOutcome {
    let shown = listing.first.len();
    let total = listing.open;
    let mut body = String::new();
    for (name, meta) in &listing.first {
        let shown = short(&name.to_string_lossy(), NAME_CHARS);
        // Writing to a String cannot fail.
        let _ = writeln!(body, "- {shown} {}", describe(dir, name, meta.as_ref(), lang));
    }
    if total > shown {
        let rest = total - shown;
        let _ = match lang {
            Lang::En => {
                writeln!(body, "({} not shown)", counted(rest, "more entry", "more entries"))
            }
            Lang::Zh => writeln!(body, "(另有 {rest} 项未显示)"),
        };
    }
    let summary = match lang {
        Lang::En => format!("{shown} of {} shown", counted(total, "entry", "entries")),
        Lang::Zh => format!("共 {total} 项,显示 {shown} 项"),
    };
    ToolReport::ok(NAME, &dir.shown)
        .field("total_entries", total)
        .field("counted_all_entries", listing.complete)
        .field("shown_entries", shown)
        .field("hidden_entries", listing.closed)
        .summary(summary)
        .body(body)
        .outcome()
}

fn describe(dir: &OpenDir, name: &OsStr, meta: Option<&Metadata>, lang: Lang) -> String {
    let Some(meta) = meta else { return lang.pick("(unreadable)", "(无法读取)").to_owned() };
    let kind = meta.file_type();
    if kind.is_dir() {
        return lang.pick("(directory)", "(目录)").to_owned();
    }
    if kind.is_symlink() {
        let target = dir.dir.link_target(name).unwrap_or_default();
        let target = short(&target.to_string_lossy(), TARGET_CHARS);
        return format!("{} -> {target}", lang.pick("(link)", "(链接)"));
    }
    if !kind.is_file() {
        return lang.pick("(special file)", "(特殊文件)").to_owned();
    }
    let bytes = meta.len();
    match (lines(dir, name, meta), lang) {
        (Some(lines), Lang::En) => {
            format!("(file, {bytes} B, {})", counted(lines, "line", "lines"))
        }
        (Some(lines), Lang::Zh) => format!("(文件,{bytes} 字节,{lines} 行)"),
        (None, Lang::En) => format!("(file, {bytes} B)"),
        (None, Lang::Zh) => format!("(文件,{bytes} 字节)"),
    }
}

/// The number of lines of a small text file that is still the file that was seen.
fn lines(dir: &OpenDir, name: &OsStr, seen: &Metadata) -> Option<u64> {
    if seen.len() > COUNTED_BYTES {
        return None;
    }
    let file = dir.dir.open(name).ok()?;
    let same = file.metadata().is_ok_and(|meta| Identity::of(&meta) == Identity::of(seen));
    if !same {
        return None;
    }
    let none = LineRange { range: 0..=0, max_lines: 0, max_chars: 0 };
    let found = excerpt(BufReader::new(file.take(COUNTED_BYTES)), &none).ok()?;
    found.map(|found| found.total_lines)
}
