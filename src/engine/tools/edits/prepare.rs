//! What all preparing tools share: read the file, plan, show the change as a diff, keep it.

use std::sync::Arc;

use tokio::time::Instant;

use super::change::{LineChange, Normalized};
use super::diff::unified;
use super::hunk_lease::HunkLease;
use super::hunks::{Edit, Hunks, LIFE, NewHunk};
use super::lines::lines;
use super::plan::{EditArgs, EditTarget, PlanRefusal, PlannedEdit, Planner};
use super::shared::{in_background, no_hunk};
use crate::domain::Lang;
use crate::domain::text::{Text, in_lang};
use crate::guard::{Guard, PathFaultKind, PathTarget};
use crate::tools::files::fence;
use crate::tools::files::{LIMIT_LINES, NoText, read_text, split_bom};
use crate::tools::outcome::ToolOutcome;
use crate::tools::report::{ToolReport, quoted};
use crate::tools::tool::{Tool, ToolCx, interrupted};
use crate::tools::typed;

/// A tool that prepares an edit.
pub(super) fn tool<A: EditArgs>(
    name: &'static str,
    text: fn(Lang) -> &'static str,
    hunks: &Arc<Hunks>,
    plan: Planner<A>,
) -> Arc<dyn Tool> {
    let hunks = Arc::clone(hunks);
    typed::asynchronous(name, text, move |cx, args| call(name, cx, args, Arc::clone(&hunks), plan))
}

/// Why nothing was prepared.
pub(super) enum PrepareError {
    NoText(NoText),
    Plan(PlanRefusal),
}

/// A prepared edit and how it is shown.
pub(super) struct PreparedEdit {
    pub draft: NewHunk,
    /// The change as the file is now.
    change: LineChange,
    evidence: Vec<(&'static str, String)>,
    total_lines: usize,
}

async fn call<A: EditArgs>(
    name: &'static str,
    cx: ToolCx,
    args: A,
    hunks: Arc<Hunks>,
    plan: Planner<A>,
) -> ToolOutcome {
    let (now, target) = (Instant::now(), args.target());
    // Taken at once: a call of the same round that applies the old edit does not find it.
    let replaced = target.replaces.map(str::trim).filter(|id| !id.is_empty());
    let replaced = match replaced.map(|id| HunkLease::take(&hunks, id, &cx.caller, now)) {
        Some(Err(reason)) => return no_hunk(name, target.path, reason, cx.lang),
        Some(Ok(taken)) => Some(taken),
        None => None,
    };
    let (lang, id, marks) = (cx.lang, cx.new_id.clone(), Arc::clone(&hunks));
    let work = move || match prepare(&cx, &args, plan, &marks) {
        Ok(prepared) => {
            let outcome = outcome_of(name, &prepared, &cx);
            (outcome, Some(prepared.draft))
        }
        Err(refused) => (refused.outcome(name, args.target().path, lang), None),
    };
    // All calls of the round start before this one continues, so that none of them sees the edit.
    tokio::task::yield_now().await;
    match in_background(work).await {
        Some((outcome, Some(draft))) => {
            replaced.into_iter().for_each(HunkLease::spend);
            hunks.keep(id, draft, now);
            outcome
        }
        Some((outcome, None)) => outcome,
        None => ToolOutcome::failed(interrupted(lang)),
    }
}

impl PrepareError {
    pub(super) fn outcome(&self, name: &str, path: &str, lang: Lang) -> ToolOutcome {
        match self {
            Self::NoText(reason) => reason.outcome(name, lang),
            Self::Plan(refusal) => {
                ToolReport::error(name, path, refusal.code).summary(refusal.text.as_str()).outcome()
            }
        }
    }
}

/// Plans an edit of the file as it is now.
pub(super) fn prepare<A: EditArgs>(
    cx: &ToolCx,
    args: &A,
    plan: Planner<A>,
    hunks: &Hunks,
) -> Result<PreparedEdit, PrepareError> {
    let EditTarget { path, content, may_create, appends, .. } = args.target();
    if content.matches('\n').count() > LIMIT_LINES {
        return Err(PrepareError::Plan(too_long(cx.lang)));
    }
    let guard = Guard::general(cx).map_err(|fault| PrepareError::NoText(fault.into()))?;
    let opened = match guard.open_for_edit(path) {
        Err(fault) if may_create && fault.kind == PathFaultKind::NotFound => {
            return new_file(cx, &guard, path, content);
        }
        opened => opened.map_err(|fault| PrepareError::NoText(fault.into()))?,
    };
    let text = read_text(&opened).map_err(PrepareError::NoText)?;
    let all = lines(split_bom(&text).1);
    let PlannedEdit { range, evidence } = plan(args, &all, cx.lang).map_err(PrepareError::Plan)?;
    let change = LineChange::new(&all, range, content);
    if !change.changes_something() {
        return Err(PrepareError::Plan(no_change(cx.lang)));
    }
    let seen = hunks.marks.seen(&all, &change);
    let edit = if appends {
        Edit::Append { content: content.to_owned(), seen }
    } else {
        Edit::Change { change: change.clone(), seen }
    };
    let draft = NewHunk { owner: cx.caller.clone(), path: opened.shown, place: opened.place, edit };
    Ok(PreparedEdit { draft, change, evidence, total_lines: all.len() })
}

fn new_file(
    cx: &ToolCx,
    guard: &Guard,
    path: &str,
    content: &str,
) -> Result<PreparedEdit, PrepareError> {
    let vacant = guard
        .new_path(path, PathTarget::File)
        .map_err(|fault| PrepareError::NoText(fault.into()))?;
    let change = LineChange::new(&[], 0..0, content);
    if !change.changes_something() {
        return Err(PrepareError::Plan(no_change(cx.lang)));
    }
    let edit = Edit::Create { content: change.new.concat() };
    let place = vacant.shown.clone();
    let draft = NewHunk { owner: cx.caller.clone(), path: vacant.shown, place, edit };
    Ok(PreparedEdit { draft, change, evidence: Vec::new(), total_lines: 0 })
}

fn too_long(lang: Lang) -> PlanRefusal {
    PlanRefusal::new(
        "CONTENT_TOO_LARGE",
        in_lang!(
            lang,
            "`content` has more than {LIMIT_LINES} lines; put it in in parts.",
            "`content` 超过 {LIMIT_LINES} 行;请分几次写入。"
        ),
    )
}

fn no_change(lang: Lang) -> PlanRefusal {
    PlanRefusal::new(
        "NO_CHANGE",
        Text::new(
            "The file would stay as it is; nothing was prepared.",
            "文件不会有任何变化,因此未准备修改。",
        )
        .in_lang(lang),
    )
}

fn outcome_of(name: &str, prepared: &PreparedEdit, cx: &ToolCx) -> ToolOutcome {
    const PREPARED: Text = Text::new("edit prepared, not yet applied", "修改已准备,尚未应用");
    let id = &cx.new_id;
    let report = ToolReport::ok(name, &prepared.draft.path)
        .field("hunk_id", quoted(id))
        .field("expires_in_minutes", LIFE.as_secs() / 60);
    let next = in_lang!(
        cx.lang,
        "Nothing is written yet. Check the diff; if it is right, call apply_file_modification \
             with hunk_id \"{id}\" in your next round.",
        "尚未写入。请核对 diff;若无误,在下一轮调用 apply_file_modification,hunk_id 为 \"{id}\"。"
    );
    shown(report, prepared, &PREPARED, &next, cx.lang)
}

/// Shows an edit that is not made yet, and what the model can do next.
pub(super) fn shown(
    report: ToolReport,
    prepared: &PreparedEdit,
    summary: &Text,
    next: &str,
    lang: Lang,
) -> ToolOutcome {
    let PreparedEdit { draft, change, evidence, total_lines } = prepared;
    let is_new = matches!(draft.edit, Edit::Create { .. });
    let report = report.field("file_is_new", is_new).field("file_total_lines", total_lines);
    let mut report = spans(report, change);
    for (key, value) in evidence {
        report = report.field(&format!("evidence.{key}"), value);
    }
    let diff = unified(&draft.path, !is_new, change);
    let fence = fence(&diff);
    normalized(report, change.normalized)
        .summary(summary.in_lang(lang))
        .body(format!("{fence}diff\n{diff}{fence}\n{next}"))
        .outcome()
}

/// Adds the removed and the new lines.
pub(super) fn spans(report: ToolReport, change: &LineChange) -> ToolReport {
    let at = change.at;
    let span = |length: usize| match length {
        0 => "none".to_owned(),
        length => format!("{}~{}", at + 1, at + length),
    };
    report.field("old_lines", span(change.old.len())).field("new_lines", span(change.new.len()))
}

/// Adds the fixes of line ends to the report.
pub(super) fn normalized(report: ToolReport, done: Normalized) -> ToolReport {
    report
        .field("normalized.content_trailing_newline_added", done.content_end_added)
        .field("normalized.file_trailing_newline_added", done.file_end_added)
        .field("normalized.content_to_crlf", done.content_to_crlf)
}
