//! The reminder tools. A reminder kept by the runtime is not edited by hand, and it may say itself
//! what to do instead of changing or deleting it.

use std::sync::Arc;

use serde_json::json;

use crate::domain::Lang;
use crate::domain::reminder::{Guard, MAX_BYTES, ReminderAction, guard};
use crate::tools::args::Args;
use crate::tools::outcome::{ReminderFormat, ReminderScope, StateChange, ToolOutcome};
use crate::tools::tool::{BuiltIn, Description, ReminderView, Tool, ToolCx, ToolSpec, localized};

/// An instruction found in a reminder is cut to this many characters.
const INSTRUCTION_CHARS: usize = 2_000;

/// Ids shown back to the model are cut to this many characters.
const ID_CHARS: usize = 40;

/// Adding, updating, deleting.
pub(super) fn tools() -> Vec<Arc<dyn Tool>> {
    vec![BuiltIn::instant(add_spec(), add), BuiltIn::instant(update_spec(), update), {
        BuiltIn::instant(delete_spec(), delete)
    }]
}

fn add_spec() -> ToolSpec {
    ToolSpec {
        name: "add_reminder".into(),
        description: Description::Own(|lang| localized(lang, include_str!("add_reminder.md"))),
        parameters: json!({
            "type": "object",
            "properties": {
                "content": {"type": "string"},
                "position": {"type": "integer", "minimum": 1},
                "scope": {"type": "string", "enum": ["dialog", "personal"]},
                "render_mode": {"type": "string", "enum": ["markdown", "plain"]}
            },
            "required": ["content"],
            "additionalProperties": false
        }),
    }
}

fn update_spec() -> ToolSpec {
    ToolSpec {
        name: "update_reminder".into(),
        description: Description::Own(|lang| localized(lang, include_str!("update_reminder.md"))),
        parameters: json!({
            "type": "object",
            "properties": {
                "reminder_id": {"type": "string"},
                "content": {"type": "string"},
                "render_mode": {"type": "string", "enum": ["markdown", "plain"]}
            },
            "required": ["reminder_id", "content"],
            "additionalProperties": false
        }),
    }
}

fn delete_spec() -> ToolSpec {
    ToolSpec {
        name: "delete_reminder".into(),
        description: Description::Own(|lang| localized(lang, include_str!("delete_reminder.md"))),
        parameters: json!({
            "type": "object",
            "properties": {"reminder_id": {"type": "string"}},
            "required": ["reminder_id"],
            "additionalProperties": false
        }),
    }
}

fn add(cx: &ToolCx, args: &Args) -> ToolOutcome {
    let content = match content(args, cx.lang) {
        Ok(content) => content,
        Err(outcome) => return outcome,
    };
    let personal = args.text("scope") == Some("personal");
    let scope = if personal { ReminderScope::Personal } else { ReminderScope::Dialog };
    let position = args.integer("position").and_then(|position| usize::try_from(position).ok());
    if personal && position.is_some() {
        return ToolOutcome::failed(cx.lang.pick(
            "`position` has no meaning for a personal reminder; leave it out.",
            "个人提醒不支持 `position`,请去掉该参数。",
        ));
    }
    let render = render(args).unwrap_or(ReminderFormat::Markdown);
    let id = cx.new_id.clone();
    let change = StateChange::AddReminder { id, content, position, scope, render };
    ToolOutcome::changed(cx.lang.pick("Reminder added.", "提醒已添加。"), change)
}

fn update(cx: &ToolCx, args: &Args) -> ToolOutcome {
    let reminder = match find(cx, args) {
        Ok(reminder) => reminder,
        Err(outcome) => return outcome,
    };
    if let Some(refusal) = guarded(reminder, ReminderAction::Update, cx.lang) {
        return refusal;
    }
    let content = match content(args, cx.lang) {
        Ok(content) => content,
        Err(outcome) => return outcome,
    };
    let change =
        StateChange::UpdateReminder { id: reminder.id.clone(), content, render: render(args) };
    ToolOutcome::changed(cx.lang.pick("Reminder updated.", "提醒已更新。"), change)
}

fn delete(cx: &ToolCx, args: &Args) -> ToolOutcome {
    let reminder = match find(cx, args) {
        Ok(reminder) => reminder,
        Err(outcome) => return outcome,
    };
    if let Some(refusal) = guarded(reminder, ReminderAction::Delete, cx.lang) {
        return refusal;
    }
    let change = StateChange::DeleteReminder { id: reminder.id.clone() };
    ToolOutcome::changed(cx.lang.pick("Reminder deleted.", "提醒已删除。"), change)
}

fn find<'a>(cx: &'a ToolCx, args: &Args) -> Result<&'a ReminderView, ToolOutcome> {
    let id = args.required_text("reminder_id").trim();
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
        Guard::Instead(text) => {
            let text: String = text.chars().take(INSTRUCTION_CHARS).collect();
            match lang {
                Lang::En => format!("Not done. The reminder says: {text}"),
                Lang::Zh => format!("未执行。该提醒的说明:{text}"),
            }
        }
        Guard::Tool(tool) => {
            let tool: String = tool.chars().take(ID_CHARS).collect();
            match lang {
                Lang::En => format!("Not done. This reminder is managed with the tool `{tool}`."),
                Lang::Zh => format!("未执行。该提醒由工具 `{tool}` 管理。"),
            }
        }
        Guard::Program => lang
            .pick(
                "The program keeps this reminder up to date; it cannot be edited.",
                "该提醒由程序自动维护,不能编辑。",
            )
            .to_owned(),
    }))
}

fn content(args: &Args, lang: Lang) -> Result<String, ToolOutcome> {
    let content = args.required_text("content");
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

fn render(args: &Args) -> Option<ReminderFormat> {
    args.text("render_mode").map(|mode| match mode {
        "plain" => ReminderFormat::Plain,
        _ => ReminderFormat::Markdown,
    })
}
