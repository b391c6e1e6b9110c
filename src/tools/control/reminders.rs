//! The reminder tools. A reminder kept by the runtime is not edited by hand, and it may say itself
//! what to do instead of changing or deleting it.

use std::num::NonZeroUsize;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::domain::Lang;
use crate::domain::reminder::{EditGuard, MAX_BYTES, ReminderAction, guard};
use crate::tools::outcome::{ReminderFormat, ReminderScope, StateChange, ToolOutcome};
use crate::tools::tool::{ReminderView, Tool, ToolCx, localized};
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
    let add_text = |lang| localized(lang, include_str!("add_reminder.md"));
    let update_text = |lang| localized(lang, include_str!("update_reminder.md"));
    let delete_text = |lang| localized(lang, include_str!("delete_reminder.md"));
    vec![
        typed::instant("add_reminder", add_text, add),
        typed::instant("update_reminder", update_text, update),
        typed::instant("delete_reminder", delete_text, delete),
    ]
}

fn add(cx: &ToolCx, args: &AddReminderArgs) -> ToolOutcome {
    let content = match content(&args.content, cx.lang) {
        Ok(content) => content,
        Err(outcome) => return outcome,
    };
    let personal = args.scope == Some(ScopeArg::Personal);
    let scope = if personal { ReminderScope::Personal } else { ReminderScope::Dialog };
    let position = args.position.map(NonZeroUsize::get);
    if personal && position.is_some() {
        return ToolOutcome::failed(cx.lang.pick(
            "`position` has no meaning for a personal reminder; leave it out.",
            "个人提醒不支持 `position`,请去掉该参数。",
        ));
    }
    let render = args.render_mode.unwrap_or(ReminderFormat::Markdown);
    let id = cx.new_id.clone();
    let change = StateChange::AddReminder { id, content, position, scope, render };
    ToolOutcome::changed(cx.lang.pick("Reminder added.", "提醒已添加。"), change)
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
    ToolOutcome::changed(cx.lang.pick("Reminder updated.", "提醒已更新。"), change)
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
    ToolOutcome::changed(cx.lang.pick("Reminder deleted.", "提醒已删除。"), change)
}

fn find<'a>(cx: &'a ToolCx, id: &str) -> Result<&'a ReminderView, ToolOutcome> {
    let id = id.trim();
    cx.reminders.iter().find(|reminder| reminder.id == id).ok_or_else(|| {
        let shown: String = id.chars().take(ID_CHARS).flat_map(char::escape_debug).collect();
        ToolOutcome::failed(match cx.lang {
            Lang::En => format!("There is no reminder with reminder_id `{shown}`."),
            Lang::Zh => format!("没有 reminder_id 为 `{shown}` 的提醒。"),
        })
    })
}

/// The refusal a reminder carries for this act, if it carries one.
fn guarded(reminder: &ReminderView, act: ReminderAction, lang: Lang) -> Option<ToolOutcome> {
    let kept = reminder.owner.is_some() || reminder.scope == ReminderScope::AgentShared;
    Some(ToolOutcome::failed(match guard(act, kept, reminder.meta.as_ref())? {
        EditGuard::Instead(text) => {
            let text: String = text.chars().take(INSTRUCTION_CHARS).collect();
            match lang {
                Lang::En => format!("Not done. The reminder says: {text}"),
                Lang::Zh => format!("未执行。该提醒的说明:{text}"),
            }
        }
        EditGuard::Tool(tool) => {
            let tool: String = tool.chars().take(ID_CHARS).collect();
            match lang {
                Lang::En => format!("Not done. This reminder is managed with the tool `{tool}`."),
                Lang::Zh => format!("未执行。该提醒由工具 `{tool}` 管理。"),
            }
        }
        EditGuard::Program => lang
            .pick(
                "The program keeps this reminder up to date; it cannot be edited.",
                "该提醒由程序自动维护,不能编辑。",
            )
            .to_owned(),
    }))
}

fn content(content: &str, lang: Lang) -> Result<String, ToolOutcome> {
    if content.trim().is_empty() {
        let text = lang.pick("`content` must not be blank.", "`content` 不能为空白。");
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
    Err(ToolOutcome::failed(match lang {
        Lang::En => format!(
            "Not done: `{argument}` has {bytes} bytes; a reminder holds {most} KiB. Put a long text \
             into the Taskdoc or a file, and say in the reminder where it is."
        ),
        Lang::Zh => format!(
            "未执行:`{argument}` 有 {bytes} 字节,一条提醒最多 {most} KiB。\
             请把长文本写入任务文档或文件,并在提醒里注明位置。"
        ),
    }))
}
