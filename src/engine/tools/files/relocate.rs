//! `move_file` and `move_dir`: a name becomes another name. The new one must be free, also in the
//! very moment of the move; a link is moved itself.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::domain::FileChange;
use crate::domain::text::Text;
use crate::guard::{AccessOp, Guard, InvalidPath, PathFault, PathFaultKind, PathKind, PathTarget};
use crate::tools::outcome::ToolOutcome;
use crate::tools::report::{ToolReport, quoted, refused};
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

const FILE: &str = "move_file";
const DIR: &str = "move_dir";

/// A source must be readable too: otherwise a member could move a file it may not read to where it may.
const SOURCE: [AccessOp; 2] = [AccessOp::Read, AccessOp::Write];

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MoveArgs {
    from: String,
    to: String,
}

/// Both tools.
pub(super) fn tools() -> [Arc<dyn Tool>; 2] {
    [
        typed::blocking(
            FILE,
            |lang| Text::of_document(include_str!("move_file.md")).in_lang(lang),
            |cx, args| run(cx, args, FILE, PathTarget::File),
        ),
        typed::blocking(
            DIR,
            |lang| Text::of_document(include_str!("move_dir.md")).in_lang(lang),
            |cx, args| run(cx, args, DIR, PathTarget::Directory),
        ),
    ]
}

/// A move that was made.
struct Moved {
    from: String,
    to: String,
    kind: PathKind,
}

impl Moved {
    /// Returns the move as a listed change; paths of directories end in `/`.
    fn change(&self) -> FileChange {
        let end = if self.kind == PathKind::Directory { "/" } else { "" };
        FileChange::moved(format!("{}{end}", self.from), format!("{}{end}", self.to))
    }
}

/// Why nothing moved, and which of the two rights was asked for.
struct MoveRefused(AccessOp, PathFault);

fn run(cx: &ToolCx, args: &MoveArgs, name: &str, target: PathTarget) -> ToolOutcome {
    match relocate(cx, &args.from, &args.to, target) {
        Ok(done) => {
            let summary = match done.kind {
                PathKind::Symlink => Text::new(
                    "the link was moved, not what it leads to",
                    "已移动链接本身,未动其目标",
                )
                .in_lang(cx.lang),
                PathKind::File | PathKind::Directory | PathKind::Special => {
                    Text::new("moved", "已移动").in_lang(cx.lang)
                }
            };
            ToolReport::ok(name, &done.from)
                .field("to", quoted(&done.to))
                .field("path_kind", done.kind.name())
                .summary(summary)
                .outcome()
                .with_file_changes([done.change()])
        }
        Err(MoveRefused(op, fault)) => refused(name, op, &fault, cx.lang),
    }
}

fn relocate(cx: &ToolCx, from: &str, to: &str, target: PathTarget) -> Result<Moved, MoveRefused> {
    let source = |fault: PathFault| {
        let listed =
            if let PathFaultKind::Listed { op, .. } = fault.kind { Some(op) } else { None };
        MoveRefused(listed.unwrap_or(AccessOp::Write), fault)
    };
    let place = |fault| MoveRefused(AccessOp::Write, fault);
    let guard = Guard::general(cx).map_err(source)?;
    let entry = guard.entry(from, &SOURCE).map_err(source)?;
    let kind = entry.kind();
    match (target, kind) {
        (PathTarget::File | PathTarget::Directory, PathKind::Symlink)
        | (PathTarget::File, PathKind::File)
        | (PathTarget::Directory, PathKind::Directory) => {}
        (PathTarget::File, PathKind::Directory | PathKind::Special) => {
            return Err(place(PathFault::new(from, PathFaultKind::NotAFile)));
        }
        (PathTarget::Directory, PathKind::File | PathKind::Special) => {
            return Err(place(PathFault::new(from, PathFaultKind::NotADirectory)));
        }
    }
    if kind == PathKind::Directory {
        guard.check_tree(&entry, &SOURCE).map_err(source)?;
    }
    let vacant = guard.new_path(to, kind.target()).map_err(place)?;
    if entry.contains(&vacant) {
        return Err(place(PathFault::invalid(to, InvalidPath::IntoItself)));
    }
    let spot = vacant.create_parents().map_err(place)?;
    entry.move_to(&spot).inspect_err(|_| spot.remove_parents()).map_err(place)?;
    Ok(Moved { from: entry.shown, to: spot.shown, kind })
}
