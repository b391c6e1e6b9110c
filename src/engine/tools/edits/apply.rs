//! `apply_file_modification`: makes a prepared edit at its place, or where that has moved to. The file
//! is replaced at once, and only if it did not change since it was read.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::Instant;

use super::change::LineChange;
use super::diff::{hunks, unified};
use super::file_queue::EditQueues;
use super::hunk_lease::HunkLease;
use super::hunks::{Edit, Hunk, Hunks};
use super::lines::lines;
use super::locate::{LocateError, locate};
use super::prepare::{normalized, spans};
use super::shared::{APPLY, in_background, no_hunk};
use crate::domain::text::Text;
use crate::domain::{FileChange, FileChangeKind, Lang};
use crate::guard::{Guard, PathFault, PathFaultKind, PathTarget};
use crate::tools::files::fence;
use crate::tools::files::{NoText, read_text, split_bom};
use crate::tools::outcome::ToolOutcome;
use crate::tools::report::{ToolReport, quoted};
use crate::tools::tool::{Tool, ToolCx, interrupted};
use crate::tools::typed;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ApplyArgs {
    hunk_id: String,
}

/// The tool.
pub(super) fn tool(
    name: &'static str,
    text: fn(Lang) -> &'static str,
    hunks: &Arc<Hunks>,
    turns: &Arc<EditQueues>,
) -> Arc<dyn Tool> {
    let (hunks, turns) = (Arc::clone(hunks), Arc::clone(turns));
    typed::asynchronous(name, text, move |cx, args: ApplyArgs| {
        let (hunks, turns) = (Arc::clone(&hunks), Arc::clone(&turns));
        async move { call(APPLY, cx, args.hunk_id.trim(), &hunks, &turns).await }
    })
}

/// An edit that was made.
struct AppliedEdit {
    change: LineChange,
    exact: bool,
    is_new: bool,
    total_lines: usize,
    bytes: usize,
}

/// Why an edit was not made; the file is untouched.
enum ApplyRefused {
    NoText(NoText),
    /// The path leads to another file now.
    PlaceChanged,
    /// The file to be created exists already.
    Appeared,
    Rejected(LocateError),
}

impl From<PathFault> for ApplyRefused {
    fn from(fault: PathFault) -> Self {
        Self::NoText(fault.into())
    }
}

/// Applies a prepared edit, in a call of the tool of this name.
pub(super) async fn call(
    name: &'static str,
    cx: ToolCx,
    id: &str,
    hunks: &Arc<Hunks>,
    turns: &Arc<EditQueues>,
) -> ToolOutcome {
    let lang = cx.lang;
    let taken = match HunkLease::take(hunks, id, &cx.caller, Instant::now()) {
        Ok(taken) => taken,
        Err(reason) => return no_hunk(name, "", reason, lang),
    };
    let mut turn = turns.enroll(&taken.hunk.place, taken.hunk.order);
    // All calls of the round enter the queue before the first one runs.
    tokio::task::yield_now().await;
    turn.come().await;
    let hunks = Arc::clone(hunks);
    let work = move || {
        let outcome = run(name, &cx, taken, &hunks);
        drop(turn);
        outcome
    };
    in_background(work).await.unwrap_or_else(|| ToolOutcome::failed(interrupted(lang)))
}

fn run(name: &str, cx: &ToolCx, taken: HunkLease, hunks: &Hunks) -> ToolOutcome {
    let hunk = &taken.hunk;
    match apply(cx, hunk, hunks) {
        Ok(applied) => {
            let report = with_id(ToolReport::ok(name, &hunk.path), name, &taken.id);
            let outcome = outcome_of(report, &hunk.path, &applied, cx.lang);
            taken.spend();
            outcome
        }
        Err(kept) => refused(name, &taken.id, &hunk.path, &kept, cx.lang),
    }
}

/// Names the prepared edit, to whom has prepared it.
fn with_id(report: ToolReport, name: &str, id: &str) -> ToolReport {
    if name == APPLY { report.field("hunk_id", quoted(id)) } else { report }
}

fn apply(cx: &ToolCx, hunk: &Hunk, hunks: &Hunks) -> Result<AppliedEdit, ApplyRefused> {
    let guard = Guard::general(cx)?;
    match &hunk.edit {
        Edit::Create { content } => create(&guard, &hunk.path, content),
        Edit::Append { content, seen } => rewrite(&guard, hunk, |all| {
            let change = LineChange::new(all, all.len()..all.len(), content);
            let exact = hunks.marks.seen(all, &change) == *seen;
            Ok((change, exact))
        }),
        Edit::Change { change, seen } => rewrite(&guard, hunk, |all| {
            let located = locate(change, seen, all, &hunks.marks)?;
            Ok((change.moved(all, located.at), located.exact))
        }),
    }
}

/// Replaces the file by its changed text.
fn rewrite(
    guard: &Guard,
    hunk: &Hunk,
    find: impl FnOnce(&[&str]) -> Result<(LineChange, bool), LocateError>,
) -> Result<AppliedEdit, ApplyRefused> {
    let opened = guard.open_for_edit(&hunk.path)?;
    if opened.place != hunk.place {
        return Err(ApplyRefused::PlaceChanged);
    }
    let text = read_text(&opened).map_err(ApplyRefused::NoText)?;
    let (bom, text) = split_bom(&text);
    let all = lines(text);
    let (change, exact) = find(&all).map_err(ApplyRefused::Rejected)?;
    let made = format!("{bom}{}", change.made(&all));
    opened.into_slot(&hunk.path).write(made.as_bytes())?;
    let total_lines = lines(&made).len();
    Ok(AppliedEdit { change, exact, is_new: false, total_lines, bytes: made.len() })
}

fn create(guard: &Guard, path: &str, content: &str) -> Result<AppliedEdit, ApplyRefused> {
    let made = guard
        .new_path(path, PathTarget::File)
        .and_then(|vacant| vacant.create_parents()?.fill(content.as_bytes()));
    made.map_err(|fault| {
        if fault.kind == PathFaultKind::Exists { ApplyRefused::Appeared } else { fault.into() }
    })?;
    let change = LineChange::new(&[], 0..0, content);
    let total_lines = change.new.len();
    Ok(AppliedEdit { change, exact: true, is_new: true, total_lines, bytes: content.len() })
}

fn refused(name: &str, id: &str, path: &str, kept: &ApplyRefused, lang: Lang) -> ToolOutcome {
    let (code, why) = match kept {
        ApplyRefused::NoText(reason) => return reason.outcome(name, lang),
        ApplyRefused::PlaceChanged => (
            "APPLY_REJECTED_PLACE_CHANGED",
            Text::new("The path leads to another file now.", "该路径现已指向另一个文件。")
                .in_lang(lang),
        ),
        ApplyRefused::Appeared => (
            "APPLY_REJECTED_FILE_APPEARED",
            Text::new("The file exists by now.", "文件现已存在。").in_lang(lang),
        ),
        ApplyRefused::Rejected(reason) => rejected(*reason, lang),
    };
    let then = Text::new(
        "Nothing was changed. Read the file, then prepare the edit again.",
        "未做任何改动。请读取文件后重新准备修改。",
    )
    .in_lang(lang);
    let summary = format!("{why} {then}");
    with_id(ToolReport::error(name, path, code), name, id).summary(summary).outcome()
}

fn rejected(reason: LocateError, lang: Lang) -> (&'static str, &'static str) {
    match reason {
        LocateError::ContentChanged => (
            "CONTENT_CHANGED",
            Text::new("The lines to be replaced have changed since.", "要替换的行此后已被改动。")
                .in_lang(lang),
        ),
        LocateError::ContextLost => (
            "APPLY_REJECTED_CONTEXT_LOST",
            Text::new(
                "The file has changed around the place of the edit.",
                "修改位置周围的内容已变化。",
            )
            .in_lang(lang),
        ),
        LocateError::Ambiguous => (
            "AMBIGUOUS_MATCH",
            Text::new(
                "The file has changed, and the edit would fit several places now.",
                "文件已变化,此修改现在与多处相符。",
            )
            .in_lang(lang),
        ),
    }
}

fn outcome_of(report: ToolReport, path: &str, applied: &AppliedEdit, lang: Lang) -> ToolOutcome {
    let change = &applied.change;
    let kind = if applied.is_new { FileChangeKind::Created } else { FileChangeKind::Changed };
    let file_change = FileChange::of_hunks(path, kind, hunks(change));
    let diff = unified(path, !applied.is_new, change);
    let fence = fence(&diff);
    let (word, summary) = if applied.exact {
        ("exact", Text::new("edit applied as prepared", "已按准备的内容应用修改").in_lang(lang))
    } else {
        const MOVED: Text = Text::new(
            "edit applied; the file had changed since, see the diff for the place",
            "修改已应用;文件此前有变化,位置见 diff",
        );
        ("fuzz", MOVED.in_lang(lang))
    };
    let report = report
        .field("match", word)
        .field("total_lines", applied.total_lines)
        .field("size_bytes", applied.bytes);
    normalized(spans(report, change), change.normalized)
        .summary(summary)
        .body(format!("{fence}diff\n{diff}{fence}"))
        .outcome()
        .with_file_changes([file_change])
}
