//! The first prompt of a course that the runtime started: because the context was used up, or because a
//! provider refused it.

use super::{Texts, quote};
use crate::domain::text::{Text, in_lang};

/// Something the model has not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnansweredItem<'a> {
    /// A message of the user, or a prompt that asks for something.
    Prompt(&'a str),
    /// A reply of a teammate or the user, or the result of a call.
    Result { name: &'a str, content: &'a str },
}

impl Texts {
    /// After a refused context. Results are truncated to `max_chars` characters.
    #[must_use]
    pub fn refused_course_start(
        self,
        unanswered: &[UnansweredItem<'_>],
        max_chars: usize,
    ) -> String {
        let head = Text::new(
            "A new course began by itself: the provider refused the last request because the \
             context had become too long, and your earlier messages are out of sight. Your \
             reminders and the Taskdoc say where you stand. Check what may be half done, ask for \
             less at a time, then go on.",
            "新的一程已自动开始：上下文过长，上一次请求被模型服务拒绝，之前的消息你已看不到。\
             提醒和任务文档说明了当前进展。核对可能只做了一半的事，每次少取一些内容，然后继续。",
        )
        .in_lang(self.0);
        self.with_unanswered(head, unanswered, max_chars)
    }

    /// After a context that was used up.
    #[must_use]
    pub fn forced_course_start(
        self,
        unanswered: &[UnansweredItem<'_>],
        max_chars: usize,
    ) -> String {
        let head = Text::new("A new course began by itself: the context was used up, and your earlier messages are out \
             of sight. Your reminders and the Taskdoc say where you stand. Tidy up rough reminders \
             first, check what may be half done, then go on.", "新的一程已自动开始：上下文已用尽，之前的消息你已看不到。提醒和任务文档说明了当前进展。\
             先整理粗略的提醒，核对可能只做了一半的事，然后继续。").in_lang(self.0);
        self.with_unanswered(head, unanswered, max_chars)
    }

    fn with_unanswered(
        self,
        head: &str,
        unanswered: &[UnansweredItem<'_>],
        max_chars: usize,
    ) -> String {
        let mut text = head.to_owned();
        if !unanswered.is_empty() {
            text.push_str("\n\n");
            text.push_str(
                Text::new(
                    "This had come, and you had not answered it yet:",
                    "以下内容已经到达，你还没有回应：",
                )
                .in_lang(self.0),
            );
        }
        for one in unanswered {
            text.push_str("\n\n");
            text.push_str(&self.quote_unanswered(one, max_chars));
        }
        text
    }

    fn quote_unanswered(self, one: &UnansweredItem<'_>, max_chars: usize) -> String {
        match one {
            UnansweredItem::Prompt(words) => {
                let head = Text::new("Said to you:", "对你说的话：").in_lang(self.0);
                format!("{head}\n\n{}", quote(words))
            }
            UnansweredItem::Result { name, content } => {
                let head = in_lang!(self.0, "Result of `{name}`:", "`{name}` 的结果：");
                let total = content.chars().count();
                let excerpt: String = content.chars().take(max_chars).collect();
                let note = if total > max_chars {
                    in_lang!(
                        self.0,
                        "\n\n(cut after {max_chars} of {total} characters)",
                        "\n\n（共 {total} 个字符，只保留前 {max_chars} 个）"
                    )
                } else {
                    String::new()
                };
                format!("{head}\n\n{}{note}", quote(&excerpt))
            }
        }
    }
}
