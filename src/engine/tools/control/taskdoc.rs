//! `change_mind` and `recall_taskdoc`: the only tools that see inside a task document. Sections
//! are replaced whole and at once; only the main dialog may replace them.

use std::io::Read;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::CHANGE_MIND;
use super::section::fault_text;
use crate::domain::dialogs::taskdoc::{Section, section};
use crate::domain::text::{Localized, Text};
use crate::domain::{FileChange, Lang};
use crate::guard::{AccessOp, Guard, PathFault, PathFaultKind};
use crate::tools::outcome::ToolOutcome;
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

/// Most bytes of a section that are shown.
const RECALL_LIMIT_BYTES: u64 = 100 * 1024;

const CHANGED: Text = Text::new("Mind changed.", "思路已更新。");
const BLANK: Text = Text::new("`content` must not be blank.", "`content` 不能为空白。");
const NO_DOCUMENT: Text = Text::new("This dialog has no task document.", "本对话没有任务文档。");

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ChangeMindArgs {
    selector: String,
    category: Option<String>,
    content: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RecallArgs {
    category: String,
    selector: String,
}

/// Changing and recalling.
pub(super) fn tools() -> Vec<Arc<dyn Tool>> {
    let change_text = |lang| Text::of_document(include_str!("change_mind.md")).in_lang(lang);
    let recall_text = |lang| Text::of_document(include_str!("recall_taskdoc.md")).in_lang(lang);
    vec![
        typed::blocking(CHANGE_MIND, change_text, change),
        typed::blocking(typed::reads("recall_taskdoc"), recall_text, recall),
    ]
}

/// Returns the failure for a side dialog that tries to change the task document.
pub(in crate::tools) fn only_in_main(lang: Lang) -> ToolOutcome {
    ToolOutcome::failed(
        Text::new(
            "change_mind is for the main dialog alone: its member maintains the task document. \
         Send that member the text you propose.",
            "change_mind 只能在主对话中使用:任务文档由主对话的成员维护。请把建议的文本发给该成员。",
        )
        .in_lang(lang),
    )
}

fn change(cx: &ToolCx, args: &ChangeMindArgs) -> ToolOutcome {
    if !cx.main_dialog {
        return only_in_main(cx.lang);
    }
    match section(args.category.as_deref(), &args.selector) {
        Ok(section) => match replace_section(cx, &section, &args.content) {
            Ok(change) => ToolOutcome::done(CHANGED.in_lang(cx.lang)).with_file_changes([change]),
            Err(reason) => ToolOutcome::failed(reason.in_lang(cx.lang)),
        },
        Err(fault) => ToolOutcome::failed(fault_text(fault, cx.lang)),
    }
}

/// Replaces a section of the task document whole, for a model or a person.
///
/// # Errors
/// The message for the requester.
pub fn replace_section(
    cx: &ToolCx,
    section: &Section,
    content: &str,
) -> Result<FileChange, Localized> {
    let path = path_of(cx, section)?;
    let content = content.trim();
    if content.is_empty() {
        return Err(BLANK.into());
    }
    let text = format!("{content}\n");
    let before = read(cx, &path);
    let written = Guard::taskdoc(cx).and_then(|guard| guard.slot(&path)?.write(text.as_bytes()));
    let change = match before {
        Ok((before, false)) => FileChange::rewritten(&path, &before, &text),
        Ok((_, true)) => FileChange::replaced(&path),
        Err(_) => FileChange::created(&path, &text),
    };
    written.map(|()| change).map_err(|fault| Localized::of(|lang| fault_sentence(&fault, lang)))
}

fn recall(cx: &ToolCx, args: &RecallArgs) -> ToolOutcome {
    let (path, section) = match locate(cx, args) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    if section.top_level {
        return ToolOutcome::failed(
            Text::new(
                "Top-level sections are in your context already; name a category.",
                "顶层章节已在你的上下文中;请指定 category。",
            )
            .in_lang(cx.lang),
        );
    }
    match read(cx, &path) {
        Ok((text, false)) => ToolOutcome::done(text),
        Ok((text, true)) => {
            let cut = Text::new("[cut at 100 KiB]", "[超过 100 KiB,其余已截去]").in_lang(cx.lang);
            ToolOutcome::done(format!("{text}\n{cut}"))
        }
        Err(fault) if fault.kind == PathFaultKind::NotFound => ToolOutcome::failed(
            Text::new(
                "This section does not exist. The main dialog can create it with change_mind.",
                "该章节不存在。主对话可以用 change_mind 创建它。",
            )
            .in_lang(cx.lang),
        ),
        Err(fault) => failed(&fault, cx.lang),
    }
}

/// The text of a section and whether it was cut.
fn read(cx: &ToolCx, path: &str) -> Result<(String, bool), PathFault> {
    let opened = Guard::taskdoc(cx)?.open_file(path, AccessOp::Read)?;
    let mut bytes = Vec::new();
    let mut limited = (&opened.file).take(RECALL_LIMIT_BYTES);
    limited.read_to_end(&mut bytes).map_err(|error| PathFault::io(path, &error))?;
    let cut = opened.stat.bytes > RECALL_LIMIT_BYTES;
    Ok((String::from_utf8_lossy(&bytes).into_owned(), cut))
}

/// The path of the section the arguments name.
fn locate(cx: &ToolCx, args: &RecallArgs) -> Result<(String, Section), ToolOutcome> {
    let section = section(Some(&args.category), &args.selector)
        .map_err(|fault| ToolOutcome::failed(fault_text(fault, cx.lang)))?;
    let path = path_of(cx, &section).map_err(|text| ToolOutcome::failed(text.in_lang(cx.lang)))?;
    Ok((path, section))
}

fn path_of(cx: &ToolCx, section: &Section) -> Result<String, Text> {
    let document = cx.taskdoc.as_ref().and_then(|path| path.to_str());
    let document = document.filter(|path| path.to_lowercase().ends_with(".tsk"));
    let Some(document) = document else {
        return Err(NO_DOCUMENT);
    };
    Ok(format!("{document}/{}", section.file))
}

fn failed(fault: &PathFault, lang: Lang) -> ToolOutcome {
    ToolOutcome::failed(fault_sentence(fault, lang))
}

fn fault_sentence(fault: &PathFault, lang: Lang) -> String {
    format!("{}: {}", fault.code(), fault.text(lang))
}
