//! `rm_file` and `rm_dir`. A link is removed itself; nothing behind a link is ever removed.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::domain::text::{Text, in_lang};
use crate::domain::{FileChange, Lang};
use crate::guard::{
    AccessOp, DirEntryHandle, Guard, PathFault, PathFaultKind, PathKind, TreeCount,
};
use crate::tools::outcome::ToolOutcome;
use crate::tools::report::{ToolReport, refused};
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

const FILE: &str = "rm_file";
const DIR: &str = "rm_dir";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RemoveFileArgs {
    path: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RemoveDirArgs {
    path: String,
    recursive: Option<bool>,
}

/// Both tools.
pub(super) fn tools() -> [Arc<dyn Tool>; 2] {
    [
        typed::blocking(
            DIR,
            |lang| Text::of_document(include_str!("rm_dir.md")).in_lang(lang),
            run_dir,
        ),
        typed::blocking(
            FILE,
            |lang| Text::of_document(include_str!("rm_file.md")).in_lang(lang),
            run_file,
        ),
    ]
}

fn run_file(cx: &ToolCx, args: &RemoveFileArgs) -> ToolOutcome {
    let removed = Guard::general(cx).and_then(|guard| {
        let entry = guard.entry(&args.path, &[AccessOp::Write])?;
        match entry.kind() {
            PathKind::File | PathKind::Symlink => entry.remove()?,
            PathKind::Directory | PathKind::Special => {
                return Err(PathFault::new(&args.path, PathFaultKind::NotAFile));
            }
        }
        Ok(entry)
    });
    match removed {
        Ok(entry) => ToolReport::ok(FILE, &entry.shown)
            .field("path_kind", entry.kind().name())
            .summary(gone(entry.kind(), cx.lang))
            .outcome()
            .with_file_changes([FileChange::removed(&entry.shown)]),
        Err(fault) => refused(FILE, AccessOp::Write, &fault, cx.lang),
    }
}

fn run_dir(cx: &ToolCx, args: &RemoveDirArgs) -> ToolOutcome {
    let path = args.path.as_str();
    let recursive = args.recursive.unwrap_or(false);
    let mut count = TreeCount::default();
    let removed = Guard::general(cx).and_then(|guard| {
        let entry = guard.entry(path, &[AccessOp::Write])?;
        remove_dir(&guard, &entry, path, recursive, &mut count)?;
        Ok(entry)
    });
    match removed {
        Ok(entry) => counted(ToolReport::ok(DIR, &entry.shown), count)
            .field("path_kind", entry.kind().name())
            .summary(gone(entry.kind(), cx.lang))
            .outcome()
            .with_file_changes([FileChange::removed(listed(&entry))]),
        Err(fault) if fault.kind == PathFaultKind::NotEmpty && !recursive => {
            not_empty(&fault, cx.lang)
        }
        Err(fault) if count == TreeCount::default() => {
            refused(DIR, AccessOp::Write, &fault, cx.lang)
        }
        Err(fault) => half_done(&fault, count, cx.lang),
    }
}

/// A link to a directory goes like a file: only the link is removed.
fn remove_dir(
    guard: &Guard,
    entry: &DirEntryHandle,
    path: &str,
    recursive: bool,
    removed: &mut TreeCount,
) -> Result<(), PathFault> {
    match entry.kind() {
        PathKind::Symlink => entry.remove(),
        PathKind::Directory if recursive => {
            guard.check_tree(entry, &[AccessOp::Write])?;
            guard.remove_tree(entry, removed)
        }
        PathKind::Directory => entry.remove_dir(),
        PathKind::File | PathKind::Special => {
            Err(PathFault::new(path, PathFaultKind::NotADirectory))
        }
    }
}

/// Returns the path as listed among changes; that of a directory ends in `/`.
fn listed(entry: &DirEntryHandle) -> String {
    let end = if entry.kind() == PathKind::Directory { "/" } else { "" };
    format!("{}{end}", entry.shown)
}

fn counted(report: ToolReport, count: TreeCount) -> ToolReport {
    report
        .field("removed_files", count.files)
        .field("removed_directories", count.directories)
        .field("removed_symlinks", count.symlinks)
}

fn gone(kind: PathKind, lang: Lang) -> &'static str {
    match kind {
        PathKind::Symlink => {
            Text::new("the link was removed, not what it leads to", "已删除链接本身,未动其目标")
                .in_lang(lang)
        }
        PathKind::File | PathKind::Special => {
            Text::new("the file was removed", "文件已删除").in_lang(lang)
        }
        PathKind::Directory => Text::new("the directory was removed", "目录已删除").in_lang(lang),
    }
}

fn not_empty(fault: &PathFault, lang: Lang) -> ToolOutcome {
    let summary = Text::new(
        "The directory is not empty. To remove all it holds, set recursive to true.",
        "目录不为空。若要连同内容一起删除,请把 recursive 设为 true。",
    )
    .in_lang(lang);
    ToolReport::error(DIR, &fault.path, fault.code()).summary(summary).outcome()
}

fn half_done(fault: &PathFault, count: TreeCount, lang: Lang) -> ToolOutcome {
    let reason = fault.text(lang);
    let summary = in_lang!(
        lang,
        "Stopped in the middle, what came before is removed. {reason}",
        "中途停止,此前的内容已删除。{reason}"
    );
    counted(ToolReport::error(DIR, &fault.path, fault.code()), count).summary(summary).outcome()
}
