//! The reminder tools. A reminder kept by the runtime is not edited by hand, and it may say itself
//! what to do instead of changing or deleting it.

use std::num::NonZeroUsize;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::domain::Lang;
use crate::domain::dialogs::reminder::{
    EditGuard, MAX_BYTES, ReminderAction, ReminderScope, guard,
};
use crate::domain::text::{Text, in_lang};
use crate::tools::outcome::{ReminderFormat, StateChange, ToolOutcome};
use crate::tools::tool::{ReminderView, Tool, ToolCx};
use crate::tools::typed;

/// An instruction found in a reminder is cut to this many characters.
const INSTRUCTION_CHARS: usize = 2_000;

/// Ids shown back to the model are cut to this many characters.
const ID_CHARS: usize = 40;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AddReminderArgs {
    content: String,
    position: Option<NonZeroUsize>,
    scope: Option<ScopeArg>,
    render_mode: Option<ReminderFormat>,
}

/// The scopes a member can choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ScopeArg {
    Dialog,
    Personal,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UpdateReminderArgs {
    reminder_id: String,
    content: String,
    render_mode: Option<ReminderFormat>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DeleteReminderArgs {
    reminder_id: String,
}

/// Adding, updating, deleting.
pub(super) fn tools() -> Vec<Arc<dyn Tool>> {
    let add_text = |lang| Text::of_document(include_str!("add_reminder.md")).in_lang(lang);
    let update_text = |lang| Text::of_document(include_str!("update_reminder.md")).in_lang(lang);
    let delete_text = |lang| Text::of_document(include_str!("delete_reminder.md")).in_lang(lang);
    vec![
        typed::instant("add_reminder", add_text, add),
        typed::instant("update_reminder", update_text, update),
        typed::instant("delete_reminder", delete_text, delete),
    ]
}

fn add(cx: &ToolCx, args: &AddReminderArgs) -> ToolOutcome {
    let personal = args.scope == Some(ScopeArg::Personal);
    let scope = if personal { ReminderScope::Personal } else { ReminderScope::Dialog };
    let position = args.position.map(NonZeroUsize::get);
    if personal && position.is_some() {
        return ToolOutcome::failed(
            Text::new(
                "`position` has no meaning for a personal reminder; leave it out.",
                "个人提醒不支持 `position`,请去掉该参数。",
            )
            .in_lang(cx.lang),
        );
    }
    added(cx, &args.content, (scope, position), args.render_mode)
}

/// Adds a reminder of this scope, at this position or as the last one.
pub(super) fn added(
    cx: &ToolCx,
    text: &str,
    (scope, position): (ReminderScope, Option<usize>),
    render: Option<ReminderFormat>,
) -> ToolOutcome {
    let content = match content(text, cx.lang) {
        Ok(content) => content,
        Err(outcome) => return outcome,
    };
    let (id, render) = (cx.new_id.clone(), render.unwrap_or(ReminderFormat::Markdown));
    let change = StateChange::AddReminder { id, content, position, scope, render };
    ToolOutcome::changed(Text::new("Reminder added.", "提醒已添加。").in_lang(cx.lang), change)
}

fn update(cx: &ToolCx, args: &UpdateReminderArgs) -> ToolOutcome {
    let reminder = match find(cx, &args.reminder_id) {
        Ok(reminder) => reminder,
        Err(outcome) => return outcome,
    };
    if let Some(refusal) = guarded(reminder, ReminderAction::Update, cx.lang) {
        return refusal;
    }
    let content = match content(&args.content, cx.lang) {
        Ok(content) => content,
        Err(outcome) => return outcome,
    };
    let (id, render) = (reminder.id.clone(), args.render_mode);
    let change = StateChange::UpdateReminder { id, content, render };
    ToolOutcome::changed(Text::new("Reminder updated.", "提醒已更新。").in_lang(cx.lang), change)
}

fn delete(cx: &ToolCx, args: &DeleteReminderArgs) -> ToolOutcome {
    let reminder = match find(cx, &args.reminder_id) {
        Ok(reminder) => reminder,
        Err(outcome) => return outcome,
    };
    if let Some(refusal) = guarded(reminder, ReminderAction::Delete, cx.lang) {
        return refusal;
    }
    let change = StateChange::DeleteReminder { id: reminder.id.clone() };
    ToolOutcome::changed(Text::new("Reminder deleted.", "提醒已删除。").in_lang(cx.lang), change)
}

pub(super) fn find<'a>(cx: &'a ToolCx, id: &str) -> Result<&'a ReminderView, ToolOutcome> {
    let id = id.trim();
    cx.reminders.iter().find(|reminder| reminder.id == id).ok_or_else(|| {
        let shown: String = id.chars().take(ID_CHARS).flat_map(char::escape_debug).collect();
        ToolOutcome::failed(in_lang!(
            cx.lang,
            "There is no reminder with reminder_id `{shown}`.",
            "没有 reminder_id 为 `{shown}` 的提醒。"
        ))
    })
}

/// The refusal a reminder carries for this act, if it carries one.
pub(super) fn guarded(
    reminder: &ReminderView,
    act: ReminderAction,
    lang: Lang,
) -> Option<ToolOutcome> {
    let kept = reminder.owner.is_some() || reminder.scope == ReminderScope::AgentShared;
    Some(ToolOutcome::failed(match guard(act, kept, reminder.meta.as_ref())? {
        EditGuard::Instead(text) => {
            let text: String = text.chars().take(INSTRUCTION_CHARS).collect();
            in_lang!(lang, "Not done. The reminder says: {text}", "未执行。该提醒的说明:{text}")
        }
        EditGuard::Tool(tool) => {
            let tool: String = tool.chars().take(ID_CHARS).collect();
            in_lang!(
                lang,
                "Not done. This reminder is managed with the tool `{tool}`.",
                "未执行。该提醒由工具 `{tool}` 管理。"
            )
        }
        EditGuard::Program => Text::new(
            "The program keeps this reminder up to date; it cannot be edited.",
            "该提醒由程序自动维护,不能编辑。",
        )
        .in_lang(lang)
        .to_owned(),
    }))
}

fn content(content: &str, lang: Lang) -> Result<String, ToolOutcome> {
    if content.trim().is_empty() {
        let text =
            Text::new("`content` must not be blank.", "`content` 不能为空白。").in_lang(lang);
        return Err(ToolOutcome::failed(text));
    }
    bounded(content, "content", lang)?;
    Ok(content.to_owned())
}

/// Refuses a text that is too long for a reminder. `argument`: where it was written.
pub(super) fn bounded(text: &str, argument: &str, lang: Lang) -> Result<(), ToolOutcome> {
    let (bytes, most) = (text.len(), MAX_BYTES / 1024);
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    Err(ToolOutcome::failed(in_lang!(
        lang,
        "Not done: `{argument}` has {bytes} bytes; a reminder holds {most} KiB. Put a long text \
             into the Taskdoc or a file, and say in the reminder where it is.",
        "未执行:`{argument}` 有 {bytes} 字节,一条提醒最多 {most} KiB。\
             请把长文本写入任务文档或文件,并在提醒里注明位置。"
    )))
}
