//! Reminders in the context, the reminder that lists the tellasks in flight, and errors of reminder edits.

use std::borrow::Cow;

use crate::domain::dialogs::reminder::{MAX_BYTES, MAX_IN_A_SCOPE, ReminderScope};
use crate::domain::text::{Text, in_lang};
use crate::domain::{Layout, Pending, Reminder};

use super::{Texts, mentioned};

impl Texts {
    #[must_use]
    pub fn reminders_begin(self) -> String {
        Text::new(
            "[System notice] Reminder context block begins. You manage these notes with the \
             reminder tools.",
            "【系统提示】提醒项上下文块开始。这些笔记由你用提醒工具管理。",
        )
        .in_lang(self.0)
        .to_owned()
    }

    #[must_use]
    pub fn reminders_end(self) -> String {
        Text::new(
            "[System notice] Reminder context block ends.",
            "【系统提示】提醒项上下文块结束。",
        )
        .in_lang(self.0)
        .to_owned()
    }

    /// One reminder, with what its tools need: the id, and the scope where they know scopes.
    #[must_use]
    pub fn reminder(self, reminder: &Reminder, layout: Layout) -> String {
        let id = &reminder.id;
        let content = self.bounded(&reminder.content);
        let scope = ReminderScope::of(&reminder.scope);
        let label = if reminder.is_of_the_runtime() {
            Text::new("[System notice] Kept by the runtime", "【系统提示】由运行时维护")
                .in_lang(self.0)
        } else if scope == ReminderScope::Personal {
            Text::new(
                "[System notice] Personal reminder, in all your dialogs",
                "【系统提示】个人提醒，见于你的所有对话",
            )
            .in_lang(self.0)
        } else {
            Text::new("[System notice] Reminder", "【系统提示】提醒").in_lang(self.0)
        };
        match layout {
            Layout::V1_19 => format!("{label}, reminder_id: {id}\n\n{content}"),
            Layout::V1_29 => {
                format!("{label}, reminder_id: {id}, scope: {}\n\n{content}", scope.name(layout))
            }
        }
    }

    /// The content, truncated to the size limit: a file on disk may be longer.
    fn bounded(self, content: &str) -> Cow<'_, str> {
        let bytes = content.len();
        if bytes <= MAX_BYTES {
            return Cow::Borrowed(content);
        }
        let begin = (0..=MAX_BYTES).rev().find_map(|end| content.get(..end)).unwrap_or_default();
        let max_kib = MAX_BYTES / 1024;
        let note = in_lang!(
            self.0,
            "[the first {max_kib} KiB of {bytes} bytes; write it anew, shorter]",
            "[共 {bytes} 字节，仅显示前 {max_kib} KiB；请重写得短一些]"
        );
        Cow::Owned(format!("{begin}\n\n{note}"))
    }

    /// Follows the reminders if some are not shown.
    #[must_use]
    pub fn reminders_left_out(self, count: usize) -> String {
        in_lang!(
            self.0,
            "[System notice] Older reminders that are not shown: {count}. No more than \
                 {MAX_IN_A_SCOPE} of a scope are. Delete some, or merge them.",
            "【系统提示】另有 {count} 条较早的提醒未显示：每个范围最多显示 {MAX_IN_A_SCOPE} 条。\
                 请删除或合并一些。"
        )
    }

    /// The reminder that a tool was to change was deleted meanwhile.
    #[must_use]
    pub fn reminder_gone(self) -> String {
        Text::new("Not done: this reminder is gone. The reminder block of your next turn shows what is left.", "未执行：该提醒已不存在。下一轮的提醒块会列出现有的提醒。").in_lang(self.0)
        .to_owned()
    }

    /// The arguments of a call are far larger than a reminder may be.
    #[must_use]
    pub fn reminder_too_large(self, bytes: usize) -> String {
        let max_kib = MAX_BYTES / 1024;
        in_lang!(
            self.0,
            "Not done: the arguments have {bytes} bytes; a reminder holds {max_kib} KiB. Put a long \
                 text into the Taskdoc or a file, and say in the reminder where it is.",
            "未执行：参数有 {bytes} 字节，一条提醒最多 {max_kib} KiB。\
                 请把长文本写入任务文档或文件，并在提醒里注明位置。"
        )
    }

    #[must_use]
    pub fn too_many_reminders(self) -> String {
        in_lang!(
            self.0,
            "Not added: there are {MAX_IN_A_SCOPE} reminders already. Delete some, or merge them.",
            "未添加：提醒已有 {MAX_IN_A_SCOPE} 条。请先删除或合并一些。"
        )
    }

    /// The reminder that lists the tellasks in flight.
    #[must_use]
    pub fn in_flight(self, pending: &[Pending]) -> String {
        if pending.is_empty() {
            return Text::new(
                "Tellasks in flight: none. Nobody works for you now; do not wait.",
                "进行中的诉请：无。现在没有人在为你工作，不要等待。",
            )
            .in_lang(self.0)
            .to_owned();
        }
        let count = pending.len();
        let mut text = in_lang!(
            self.0,
            "Tellasks in flight: {count}. Nobody else works for you. This list keeps itself.\n",
            "进行中的诉请：{count} 项。除此之外没有人在为你工作。本列表自动维护。\n"
        );
        for (n, one) in pending.iter().enumerate() {
            let session = one
                .session_slug
                .as_ref()
                .map(|slug| format!(" | {}: {slug}", Text::new("session", "会话").in_lang(self.0)))
                .unwrap_or_default();
            text.push_str(&format!("\n{}. {}{session} | {}", n + 1, one.call_name, mentioned(one)));
        }
        text
    }

    #[must_use]
    pub fn in_flight_guard(self) -> String {
        Text::new(
            "This reminder follows the tellasks in flight and keeps itself. To change a request, \
             make a `tellask` with the same sessionSlug; otherwise wait for the reply.",
            "本提醒随进行中的诉请自动更新。要修改某个请求，请用相同的 sessionSlug 再次 `tellask`；\
             否则请等待回复。",
        )
        .in_lang(self.0)
        .to_owned()
    }
}
