//! `apply_patch`: changes of several files in one text. All of it is checked and worked out before
//! the first byte is written, and what was written is taken back if a later write fails.

mod chunks;
mod grammar;
mod make;
mod plan;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use self::make::{ApplyError, make};
use self::plan::{PlanError, plan};
use super::files::fence;
use super::outcome::ToolOutcome;
use super::report::ToolReport;
use super::tool::{Tool, ToolCx};
use super::typed;
use crate::domain::Lang;
use crate::domain::text::{Text, in_lang};
use crate::guard::Guard;

const NAME: &str = "apply_patch";

/// The tools of the toolset that belongs to this one.
pub(super) const NAMES: [&str; 1] = [NAME];

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ApplyPatchArgs {
    patch: String,
}

/// The tool.
pub(super) fn tools() -> Vec<Arc<dyn Tool>> {
    vec![typed::blocking(
        NAME,
        |lang| Text::of_document(include_str!("apply_patch.md")).in_lang(lang),
        run,
    )]
}

fn run(cx: &ToolCx, args: &ApplyPatchArgs) -> ToolOutcome {
    let sections = match grammar::parse(&args.patch) {
        Ok(sections) => sections,
        Err(fault) => {
            return ToolReport::error(NAME, ".", "INVALID_PATCH")
                .summary(fault.text(cx.lang))
                .outcome();
        }
    };
    let planned = Guard::general(cx)
        .map_err(PlanError::from)
        .and_then(|guard| Ok((plan(&guard, &sections)?, guard)));
    let (steps, guard) = match planned {
        Ok(planned) => planned,
        Err(unfit) => return refuse(&unfit, cx.lang),
    };
    match make(&guard, steps) {
        Ok(changes) => {
            let summary = in_lang!(
                cx.lang,
                ("patch applied, {} changes", changes.len()),
                ("补丁已应用,{} 处改动", changes.len())
            );
            let (lines, file_changes): (Vec<_>, Vec<_>) = changes.into_iter().unzip();
            let list = lines.join("\n");
            let fence = fence(&list);
            ToolReport::ok(NAME, ".")
                .field("changes", lines.len())
                .summary(summary)
                .body(format!("{fence}\n{list}\n{fence}"))
                .outcome()
                .with_file_changes(file_changes)
        }
        Err(failed) => fail(&failed, cx.lang),
    }
}

fn refuse(unfit: &PlanError, lang: Lang) -> ToolOutcome {
    let (path, code, summary) = match unfit {
        PlanError::NoText(reason) => return reason.outcome(NAME, lang),
        PlanError::Misfit { path, misfit } => (path, misfit.code(), misfit.text(lang)),
        PlanError::Twice(path) => {
            let text = Text::new(
                "The patch has two sections about this path. Make them one.",
                "补丁中有两节涉及此路径。请合并为一节。",
            )
            .in_lang(lang);
            (path, "DUPLICATE_PATH", text.to_owned())
        }
        PlanError::TooMuch(path) => {
            let text = Text::new(
                "The files are too large to be changed at once. Make several patches of it.",
                "文件过大,无法一次全部修改。请拆成几个补丁。",
            )
            .in_lang(lang);
            (path, "PATCH_TOO_LARGE", text.to_owned())
        }
    };
    let nothing = Text::new("Nothing was changed.", "未做任何改动。").in_lang(lang);
    ToolReport::error(NAME, path, code).summary(format!("{summary} {nothing}")).outcome()
}

fn fail(failed: &ApplyError, lang: Lang) -> ToolOutcome {
    let reason = failed.fault.text(lang);
    if failed.left.is_empty() {
        let back = Text::new("All changes were taken back.", "所有改动均已撤回。").in_lang(lang);
        return ToolReport::error(NAME, &failed.fault.path, failed.fault.code())
            .summary(format!("{reason} {back}"))
            .outcome();
    }
    let left = failed.left.join(", ");
    let summary = in_lang!(
        lang,
        "{reason} These could not be brought back, look at them: {left}.",
        "{reason}以下路径未能恢复,请检查:{left}。"
    );
    ToolReport::error(NAME, &failed.fault.path, "ROLLBACK_INCOMPLETE").summary(summary).outcome()
}

#[cfg(test)]
mod tests;
