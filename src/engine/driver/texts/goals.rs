//! The goal of a main dialog as its model reads it.

use crate::domain::dialogs::goal::Goal;
use crate::domain::text::{Text, in_lang};

use super::Texts;

impl Texts {
    /// The reminder. `parallel`: the member has another main dialog.
    #[must_use]
    pub fn goal(self, goal: &Goal, parallel: bool) -> String {
        match goal {
            Goal::Unset => Text::new(
                "No goal of this main dialog is recorded. Work for what you were asked; ask the human only if that does not say \
                 what it is to work for. `set_dialog_goal` records a goal, which you keep in every course.",
                "本主对话没有记录目标。请按收到的请求工作；只有请求没有说明要为什么工作时才问人。\
                 `set_dialog_goal` 可记录目标，它在每一程中都保留。",
            )
            .in_lang(self.0)
            .to_owned(),
            Goal::Stated(goal) => {
                in_lang!(self.0, "The goal of this main dialog:\n{goal}", "本主对话的目标：\n{goal}")
            }
            Goal::Taskdoc if parallel => Text::new(
                "This main dialog follows the Taskdoc, but you have another main dialog, which may do the same. Do not go \
                 on by the Taskdoc alone: ask the human what this one is to work for, and record the answer with \
                 `set_dialog_goal`.",
                "本主对话按任务文档行事，但你还有另一个主对话，可能在做同样的事。不要只凭任务文档继续：\
                 请问人本对话要为什么工作，并用 `set_dialog_goal` 记录答复。",
            )
            .in_lang(self.0)
            .to_owned(),
            Goal::Taskdoc => Text::new(
                "This main dialog follows the Taskdoc. You have no other main dialog that could do the same.",
                "本主对话按任务文档行事。你没有别的主对话会做同样的事。",
            )
            .in_lang(self.0)
            .to_owned(),
        }
    }

    /// What a tool answers that wants to change that reminder.
    #[must_use]
    pub fn how_to_set_goal(self) -> String {
        Text::new(
            "call `set_dialog_goal` with `mode` `goal` and the `goal`, or with `mode` `follow_taskdoc`",
            "请调用 `set_dialog_goal`：`mode` 为 `goal` 并给出 `goal`，或 `mode` 为 `follow_taskdoc`",
        )
        .in_lang(self.0)
        .to_owned()
    }

    /// The result of a goal that is kept, and not enough.
    #[must_use]
    pub fn goal_needs_person(self) -> String {
        Text::new(
            "Recorded, but not enough: you have another main dialog, so the Taskdoc does not say which of them does what. \
             Ask the human what this one is to work for, and record the answer with mode `goal`.",
            "已记录，但还不够：你还有另一个主对话，任务文档没有说明哪个做什么。\
             请问人本对话要为什么工作，并以 `goal` 模式记录答复。",
        )
        .in_lang(self.0)
        .to_owned()
    }
}
