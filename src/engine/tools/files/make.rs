//! `mk_dir`: a directory, and those it lies in.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::domain::text::Text;
use crate::guard::{AccessOp, Guard, PathFault, PathFaultKind, PathTarget};
use crate::tools::outcome::ToolOutcome;
use crate::tools::report::{ToolReport, refused};
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

const NAME: &str = "mk_dir";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MakeDirArgs {
    path: String,
    parents: Option<bool>,
}

/// The tool.
pub(super) fn tool() -> Arc<dyn Tool> {
    typed::blocking(NAME, |lang| Text::of_document(include_str!("mk_dir.md")).in_lang(lang), run)
}

fn run(cx: &ToolCx, args: &MakeDirArgs) -> ToolOutcome {
    let path = args.path.as_str();
    let parents = args.parents.unwrap_or(true);
    match make(cx, path, parents) {
        Ok((shown, created)) => {
            let summary = if created {
                Text::new("directory made", "目录已创建")
            } else {
                Text::new("the directory was there already", "目录原已存在")
            };
            let report = ToolReport::ok(NAME, &shown).field("created", created);
            report.summary(summary.in_lang(cx.lang)).outcome()
        }
        Err(fault) => refused(NAME, AccessOp::Write, &fault, cx.lang),
    }
}

/// Makes a directory; returns its path, and whether it is new.
fn make(cx: &ToolCx, path: &str, parents: bool) -> Result<(String, bool), PathFault> {
    let guard = Guard::general(cx)?;
    let vacant = match guard.new_path(path, PathTarget::Directory) {
        Err(fault) if parents && fault.kind == PathFaultKind::Exists => {
            return Ok((guard.existing_dir(path, AccessOp::Write)?, false));
        }
        found => found?,
    };
    if !parents && vacant.missing_parents() > 0 {
        return Err(PathFault::new(path, PathFaultKind::NotFound));
    }
    let spot = vacant.create_parents()?;
    spot.make_dir().inspect_err(|_| spot.remove_parents())?;
    Ok((spot.shown, true))
}
