//! `change_mind` and `recall_taskdoc`: with those of `mind` the only tools that see inside a task document.
//! Sections are replaced whole and at once; only the main dialog may replace them.

use std::io::Read;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::CHANGE_MIND;
use super::section::fault_text;
use crate::domain::dialogs::taskdoc::{Section, content_hash, section};
use crate::domain::text::{Localized, Text, in_lang, localized};
use crate::domain::{FileChange, Lang};
use crate::guard::{AccessOp, Guard, OpenFile, PathFault, PathFaultKind};
use crate::tools::outcome::ToolOutcome;
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

/// Most bytes of a section that are shown.
const RECALL_LIMIT_BYTES: u64 = 100 * 1024;

const CHANGED: Text = Text::new("Mind changed.", "思路已更新。");
const BLANK: Text = Text::new("`content` must not be blank.", "`content` 不能为空白。");
const TOO_LONG: Text = Text::new(
    "Not done: the section has more than 100 KiB. Replace it with a shorter text with change_mind, without \
     previous_content_hash.",
    "未执行:该章节超过 100 KiB。请用 change_mind 写入更短的文本,不带 previous_content_hash。",
);
const NO_DOCUMENT: Text = Text::new("This dialog has no task document.", "本对话没有任务文档。");

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ChangeMindArgs {
    selector: String,
    category: Option<String>,
    content: String,
    previous_content_hash: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RecallArgs {
    selector: String,
    category: Option<String>,
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
pub(in crate::tools) fn only_in_main(name: &str, lang: Lang) -> ToolOutcome {
    ToolOutcome::failed(in_lang!(
        lang,
        "{name} is for the main dialog alone: its member maintains the task document. \
         Send that member the text you propose.",
        "{name} 只能在主对话中使用:任务文档由主对话的成员维护。请把建议的文本发给该成员。"
    ))
}

fn change(cx: &ToolCx, args: &ChangeMindArgs) -> ToolOutcome {
    in_section(cx, CHANGE_MIND, (args.category.as_deref(), args.selector.as_str()), |section| {
        match args.previous_content_hash.as_deref().map(str::trim) {
            None | Some("") => replace_section(cx, section, &args.content),
            Some(seen) => {
                let text = filled(&args.content)?;
                rewrite_section(cx, section, |old| {
                    let now = content_hash(old);
                    if now == seen { Ok(text) } else { Err(stale(&now)) }
                })
            }
        }
    })
}

fn stale(now: &str) -> Localized {
    localized!(
        "Not done: the section has changed since you read it (now {now}). Read it with recall_taskdoc, put both \
         together, and pass its content_hash.",
        "未执行:该章节在你读取之后已有变化(现为 {now})。请用 recall_taskdoc 重新读取,合并内容,并带上它的 content_hash。"
    )
}

/// Changes the section that a call names, if its dialog may.
pub(super) fn in_section(
    cx: &ToolCx,
    name: &str,
    (category, selector): (Option<&str>, &str),
    change: impl FnOnce(&Section) -> Result<FileChange, Localized>,
) -> ToolOutcome {
    if !cx.main_dialog {
        return only_in_main(name, cx.lang);
    }
    match section(category, selector) {
        Ok(section) => match change(&section) {
            Ok(change) => ToolOutcome::done(CHANGED.in_lang(cx.lang)).with_file_changes([change]),
            Err(reason) => ToolOutcome::failed(reason.in_lang(cx.lang)),
        },
        Err(fault) => ToolOutcome::failed(fault_text(fault, cx.lang)),
    }
}

/// The text as a section holds it.
pub(super) fn filled(content: &str) -> Result<String, Localized> {
    match content.trim() {
        "" => Err(BLANK.into()),
        content => Ok(format!("{content}\n")),
    }
}

/// Rewrites a section by what it holds; it must not change meanwhile.
pub(super) fn rewrite_section(
    cx: &ToolCx,
    section: &Section,
    rewrite: impl FnOnce(&str) -> Result<String, Localized>,
) -> Result<FileChange, Localized> {
    let path = path_of(cx, section)?;
    let guard = Guard::taskdoc(cx).map_err(|fault| reason(&fault))?;
    let opened = guard.open_for_edit(&path).map_err(|fault| reason(&fault))?;
    let (old, cut) = text_of(&opened).map_err(|fault| reason(&fault))?;
    if cut {
        return Err(TOO_LONG.into());
    }
    let new = rewrite(&old)?;
    opened.into_slot(&path).write(new.as_bytes()).map_err(|fault| reason(&fault))?;
    Ok(FileChange::rewritten(&path, &old, &new))
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
    let text = filled(content)?;
    let before = read(cx, &path);
    let written = Guard::taskdoc(cx).and_then(|guard| guard.slot(&path)?.write(text.as_bytes()));
    let change = match before {
        Ok((before, false)) => FileChange::rewritten(&path, &before, &text),
        Ok((_, true)) => FileChange::replaced(&path),
        Err(_) => FileChange::created(&path, &text),
    };
    written.map(|()| change).map_err(|fault| reason(&fault))
}

/// Why a file was not opened or written.
pub(super) fn reason(fault: &PathFault) -> Localized {
    Localized::of(|lang| fault_sentence(fault, lang))
}

fn recall(cx: &ToolCx, args: &RecallArgs) -> ToolOutcome {
    let path = match locate(cx, args) {
        Ok(path) => path,
        Err(outcome) => return outcome,
    };
    match read(cx, &path) {
        Ok((text, false)) => {
            ToolOutcome::done(format!("content_hash: {}\n\n{text}", content_hash(&text)))
        }
        Ok((text, true)) => {
            let cut = Text::new("[cut at 100 KiB]", "[超过 100 KiB,其余已截去]").in_lang(cx.lang);
            ToolOutcome::done(format!("{text}\n{cut}"))
        }
        Err(fault) if fault.kind == PathFaultKind::NotFound => ToolOutcome::failed(
            Text::new(
                "This section does not exist. The main dialog can create it with do_mind.",
                "该章节不存在。主对话可以用 do_mind 创建它。",
            )
            .in_lang(cx.lang),
        ),
        Err(fault) => failed(&fault, cx.lang),
    }
}

/// The text of a section and whether it was cut.
fn read(cx: &ToolCx, path: &str) -> Result<(String, bool), PathFault> {
    text_of(&Guard::taskdoc(cx)?.open_file(path, AccessOp::Read)?)
}

fn text_of(opened: &OpenFile) -> Result<(String, bool), PathFault> {
    let mut bytes = Vec::new();
    let mut limited = (&opened.file).take(RECALL_LIMIT_BYTES);
    limited.read_to_end(&mut bytes).map_err(|error| PathFault::io(&opened.shown, &error))?;
    let cut = opened.stat.bytes > RECALL_LIMIT_BYTES;
    Ok((String::from_utf8_lossy(&bytes).into_owned(), cut))
}

/// The path of the section the arguments name.
fn locate(cx: &ToolCx, args: &RecallArgs) -> Result<String, ToolOutcome> {
    let section = section(args.category.as_deref(), &args.selector)
        .map_err(|fault| ToolOutcome::failed(fault_text(fault, cx.lang)))?;
    path_of(cx, &section).map_err(|text| ToolOutcome::failed(text.in_lang(cx.lang)))
}

pub(super) fn path_of(cx: &ToolCx, section: &Section) -> Result<String, Text> {
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
