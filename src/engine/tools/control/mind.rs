//! `do_mind`, `mind_more` and `never_mind`: a section of a task document is made, gets more, or goes. Like
//! `change_mind` they are for the main dialog alone.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::taskdoc::{filled, in_section, path_of, reason, rewrite_section};
use super::{DO_MIND, MIND_MORE, NEVER_MIND};
use crate::domain::FileChange;
use crate::domain::dialogs::taskdoc::Section;
use crate::domain::text::{Localized, Text};
use crate::guard::{AccessOp, Guard, PathFaultKind, PathKind};
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

/// The section that gets more where none is named.
const PROGRESS: &str = "progress";

const EXISTS: Text = Text::new(
    "Not done: this section exists already. Add to it with mind_more, or replace it with change_mind.",
    "未执行:该章节已存在。请用 mind_more 追加,或用 change_mind 替换。",
);
const BLANK_ITEMS: Text =
    Text::new("`items` must hold texts that are not blank.", "`items` 须为非空白的文本。");
const ABSENT: Text = Text::new("There is no such section.", "没有这一章节。");
const NO_FILE: Text = Text::new(
    "Not done: what has the name of this section is no file. Tell a person.",
    "未执行:该章节名对应的不是文件。请告诉人。",
);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DoMindArgs {
    selector: String,
    category: Option<String>,
    content: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MindMoreArgs {
    items: Vec<String>,
    sep: Option<String>,
    selector: Option<String>,
    category: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NeverMindArgs {
    selector: String,
    category: Option<String>,
}

/// The tools.
pub(super) fn tools() -> Vec<Arc<dyn Tool>> {
    let do_text = |lang| Text::of_document(include_str!("do_mind.md")).in_lang(lang);
    let more_text = |lang| Text::of_document(include_str!("mind_more.md")).in_lang(lang);
    let never_text = |lang| Text::of_document(include_str!("never_mind.md")).in_lang(lang);
    vec![
        typed::blocking(DO_MIND, do_text, |cx, args: &DoMindArgs| {
            let named = (args.category.as_deref(), args.selector.as_str());
            in_section(cx, DO_MIND, named, |section| create(cx, section, &args.content))
        }),
        typed::blocking(MIND_MORE, more_text, |cx, args: &MindMoreArgs| {
            let selector = args.selector.as_deref().unwrap_or(PROGRESS);
            let named = (args.category.as_deref(), selector);
            in_section(cx, MIND_MORE, named, |section| append(cx, section, args))
        }),
        typed::blocking(NEVER_MIND, never_text, |cx, args: &NeverMindArgs| {
            let named = (args.category.as_deref(), args.selector.as_str());
            in_section(cx, NEVER_MIND, named, |section| remove(cx, section))
        }),
    ]
}

fn create(cx: &ToolCx, section: &Section, content: &str) -> Result<FileChange, Localized> {
    let (path, text) = (path_of(cx, section)?, filled(content)?);
    let made = Guard::taskdoc(cx).and_then(|guard| guard.new_slot(&path)?.write(text.as_bytes()));
    match made {
        Ok(()) => Ok(FileChange::created(&path, &text)),
        Err(fault) if fault.kind == PathFaultKind::Exists => Err(EXISTS.into()),
        Err(fault) => Err(reason(&fault)),
    }
}

fn append(cx: &ToolCx, section: &Section, args: &MindMoreArgs) -> Result<FileChange, Localized> {
    let items: Vec<&str> = args.items.iter().map(|item| item.trim()).collect();
    if items.is_empty() || items.contains(&"") {
        return Err(BLANK_ITEMS.into());
    }
    let sep = args.sep.as_deref().unwrap_or("\n");
    let more = items.join(sep);
    let path = path_of(cx, section)?;
    let is_there = Guard::taskdoc(cx).and_then(|guard| guard.open_file(&path, AccessOp::Read));
    if is_there.is_err_and(|fault| fault.kind == PathFaultKind::NotFound) {
        return create(cx, section, &more);
    }
    rewrite_section(cx, section, |old| match old.trim_end() {
        "" => filled(&more),
        old => Ok(format!("{old}{sep}{more}\n")),
    })
}

fn remove(cx: &ToolCx, section: &Section) -> Result<FileChange, Localized> {
    let path = path_of(cx, section)?;
    let entry = Guard::taskdoc(cx).and_then(|guard| guard.entry(&path, &[AccessOp::Write]));
    let entry = entry.map_err(|fault| {
        if fault.kind == PathFaultKind::NotFound { ABSENT.into() } else { reason(&fault) }
    })?;
    if entry.kind() != PathKind::File {
        return Err(NO_FILE.into());
    }
    entry.remove().map_err(|fault| reason(&fault))?;
    Ok(FileChange::removed(&path))
}
