//! Warnings for the model about context pressure.

use crate::domain::counted;
use crate::domain::text::{Text, in_lang};
use crate::domain::{AfterLastCall, ContextAction};

use super::Texts;

impl Texts {
    /// The warning before a generation; `None` if the action is no warning.
    #[must_use]
    pub fn context_warning(self, action: ContextAction) -> Option<String> {
        match action {
            ContextAction::Caution => Some(self.caution().to_owned()),
            ContextAction::LastCall { more, then: AfterLastCall::NewCourse } => {
                Some(self.last_call(more))
            }
            ContextAction::LastCall { more, then: AfterLastCall::Stop } => {
                Some(self.last_call_before_stop(more))
            }
            ContextAction::NewCourse | ContextAction::Stop => None,
        }
    }

    fn caution(self) -> &'static str {
        Text::new("[System notice] Your context is getting full. This is a note of the runtime, not a new \
             request: act on it without an answer of its own.\n\n\
             - Put what only this conversation knows into reminders now: `add_reminder`, or \
             `update_reminder` where one fits. Say what is next, where things are, how to check \
             them. Leave out what the Taskdoc says already.\n\
             - When they are complete, call `clear_mind`: a new course begins with the reminders and \
             the Taskdoc.\n\
             - Start no `freshBootsReasoning` before that.\n\n\
             If you are in the middle of a small step, end it first.", "[系统提示] 你的上下文开始吃紧。这是运行时的提示，不是新的请求：直接照做，不必单独回应。\n\n\
             - 现在就把只有这段对话才知道的内容写进提醒：用 `add_reminder`，或在合适处用 \
             `update_reminder`。写明下一步、东西在哪里、如何核对；任务文档里已有的不必重复。\n\
             - 写全之后调用 `clear_mind`：新的一程会带着提醒和任务文档开始。\n\
             - 在此之前不要发起 `freshBootsReasoning`。\n\n\
             如果手头正做到一小步的中间，先把这一步做完。").in_lang(self.0)
    }

    fn last_call(self, more: u32) -> String {
        let more_times = counted(more, "more time", "more times");
        in_lang!(
            self.0,
            "[System notice] Your context is nearly used up. This is a note of the runtime, not \
                 a new request: act on it at once, without an answer of its own.\n\n\
                 You will be told {more_times}; then a new course begins by itself and this \
                 conversation is gone from your sight.\n\n\
                 - Save what would be lost with `add_reminder`: the next step, what waits, where \
                 things are, details you would not find again. Rough notes are good enough, they can \
                 be tidied up afterwards.\n\
                 - Then call `clear_mind`. Begin nothing else, above all no `freshBootsReasoning`.",
            "[系统提示] 你的上下文即将用尽。这是运行时的提示，不是新的请求：立即照做，不必单独回应。\n\n\
                 还会再提示 {more} 次；之后会自动开始新的一程，你将看不到这段对话。\n\n\
                 - 用 `add_reminder` 保存会丢失的内容：下一步、在等什么、东西在哪里、以后找不回来的细节。\
                 粗略的笔记就够，之后可以再整理。\n\
                 - 然后调用 `clear_mind`。不要开始别的事，尤其不要发起 `freshBootsReasoning`。"
        )
    }

    /// For a course that was full again at once.
    fn last_call_before_stop(self, more: u32) -> String {
        let more_times = counted(more, "more time", "more times");
        in_lang!(
            self.0,
            "[System notice] Your context is nearly used up, though this course has just begun: \
                 what every course begins with is too long. This is a note of the runtime, not a new \
                 request: act on it at once, without an answer of its own.\n\n\
                 You will be told {more_times}; then this dialog stops until a person makes \
                 room.\n\n\
                 - Make room yourself: shorten or delete reminders with `update_reminder` and \
                 `delete_reminder`; shorten the Taskdoc if you may change it, and move what is long \
                 into files.\n\
                 - `clear_mind` alone does not help. Begin nothing else, above all no \
                 `freshBootsReasoning`.",
            "[系统提示] 这一程刚刚开始，你的上下文就即将用尽：每一程开头的内容过长。\
                 这是运行时的提示，不是新的请求：立即照做，不必单独回应。\n\n\
                 还会再提示 {more} 次；之后本对话会停止，直到有人腾出空间。\n\n\
                 - 自己腾出空间：用 `update_reminder` 和 `delete_reminder` 缩短或删除提醒；\
                 如果你可以修改任务文档，就把它缩短，并把长内容移到文件里。\n\
                 - 单独调用 `clear_mind` 没有用。不要开始别的事，尤其不要发起 `freshBootsReasoning`。"
        )
    }
}
