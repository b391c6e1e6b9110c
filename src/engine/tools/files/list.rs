//! `list_dir`: the entries of one directory. Entries the member may not read are not named.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::io::{BufReader, Read};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::args::FileArgs;
use super::lines::{LineRange, excerpt};
use super::text::short;
use crate::domain::Lang;
use crate::domain::counted;
use crate::domain::text::{Text, in_lang};
use crate::guard::{AccessOp, Guard, OpenDir, PathFault, PathKind, PathTarget, Stat};
use crate::tools::outcome::ToolOutcome;
use crate::tools::report::{ToolReport, refused};
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

const NAME: &str = "list_dir";
const SHOWN_ENTRIES: usize = 120;
const NAME_CHARS: usize = 96;
const TARGET_CHARS: usize = 120;
/// Entries looked at in one directory; beyond, the count is "at least".
const SCANNED_ENTRIES: usize = 100_000;
/// Lines are counted in files up to this size.
const COUNTED_BYTES: u64 = 1024 * 1024;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListDirArgs {
    path: Option<String>,
}

impl FileArgs for ListDirArgs {
    const WRITES: bool = false;

    fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }

    fn set_path(&mut self, path: String) {
        self.path = Some(path);
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
        |lang| Text::of_document(include_str!("list_dir.md")).in_lang(lang),
        run,
    )
}

/// The first entries by name, and how many there were.
#[derive(Default)]
struct Listing {
    first: BTreeMap<OsString, Option<Stat>>,
    open: usize,
    closed: usize,
    complete: bool,
}

fn run(cx: &ToolCx, args: &ListDirArgs) -> ToolOutcome {
    let path = args.path.as_deref().filter(|path| !path.trim().is_empty()).unwrap_or(".");
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
        let name = entry?.name;
        let stat = dir.dir.look(&name).ok();
        let directory = stat.as_ref().is_some_and(Stat::is_dir);
        let target = if directory { PathTarget::Directory } else { PathTarget::File };
        if !guard.may_list(dir, &name.to_string_lossy(), target) {
            listing.closed += 1;
            continue;
        }
        listing.open += 1;
        listing.first.insert(name, stat);
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
    for (name, stat) in &listing.first {
        let shown = short(&name.to_string_lossy(), NAME_CHARS);
        // Writing to a String cannot fail.
        let _ = writeln!(body, "- {shown} {}", describe(dir, name, stat.as_ref(), lang));
    }
    if total > shown {
        let rest = total - shown;
        let more = counted(rest, "more entry", "more entries");
        let _ =
            writeln!(body, "{}", in_lang!(lang, "({more} not shown)", "(另有 {rest} 项未显示)"));
    }
    let summary = in_lang!(
        lang,
        ("{shown} of {} shown", counted(total, "entry", "entries")),
        "共 {total} 项,显示 {shown} 项"
    );
    ToolReport::ok(NAME, &dir.shown)
        .field("total_entries", total)
        .field("counted_all_entries", listing.complete)
        .field("shown_entries", shown)
        .field("hidden_entries", listing.closed)
        .summary(summary)
        .body(body)
        .outcome()
}

fn describe(dir: &OpenDir, name: &OsStr, stat: Option<&Stat>, lang: Lang) -> String {
    let Some(stat) = stat else {
        return Text::new("(unreadable)", "(无法读取)").in_lang(lang).to_owned();
    };
    match stat.kind {
        PathKind::Directory => Text::new("(directory)", "(目录)").in_lang(lang).to_owned(),
        PathKind::Symlink => {
            let target = dir.dir.link_target(name).unwrap_or_default();
            let target = short(&target.to_string_lossy(), TARGET_CHARS);
            format!("{} -> {target}", Text::new("(link)", "(链接)").in_lang(lang))
        }
        PathKind::Special => Text::new("(special file)", "(特殊文件)").in_lang(lang).to_owned(),
        PathKind::File => describe_file(dir, name, stat, lang),
    }
}

fn describe_file(dir: &OpenDir, name: &OsStr, stat: &Stat, lang: Lang) -> String {
    let bytes = stat.bytes;
    match lines(dir, name, stat) {
        Some(lines) => in_lang!(
            lang,
            ("(file, {bytes} B, {})", counted(lines, "line", "lines")),
            "(文件,{bytes} 字节,{lines} 行)"
        ),
        None => in_lang!(lang, "(file, {bytes} B)", "(文件,{bytes} 字节)"),
    }
}

/// The number of lines of a small text file that is still the file that was seen.
fn lines(dir: &OpenDir, name: &OsStr, seen: &Stat) -> Option<u64> {
    if seen.bytes > COUNTED_BYTES {
        return None;
    }
    let file = dir.dir.open(name).ok()?;
    let same = Stat::of(&file).is_ok_and(|stat| stat.identity == seen.identity);
    if !same {
        return None;
    }
    let none = LineRange { range: 0..=0, max_lines: 0, max_chars: 0 };
    let found = excerpt(BufReader::new(file.take(COUNTED_BYTES)), &none).ok()?;
    found.map(|found| found.total_lines)
}
