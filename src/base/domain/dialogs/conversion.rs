//! What a conversion from one layout to the other cannot keep of a dialog.

use crate::domain::ids::SelfId;
use crate::domain::text::Text;

/// A kind of thing that the other layout has no place for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Loss {
    NeedsDrive,
    ParkedWork,
    HumanAnswers,
    AnswerCalls,
    ReplyDelivery,
    Triggers,
    RuntimePrompt,
    Interjection,
    DriveStall,
    DriveLog,
    AnsweredCalls,
    UnknownKeys,
    State,
    TaskBinding,
    RuntimeReminders,
}

/// Something of a dialog that a conversion does not keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    pub dialog: SelfId,
    pub loss: Loss,
    /// How many of them.
    pub count: usize,
}

impl Loss {
    pub const ALL: [Self; 15] = [
        Self::NeedsDrive,
        Self::ParkedWork,
        Self::HumanAnswers,
        Self::AnswerCalls,
        Self::ReplyDelivery,
        Self::Triggers,
        Self::RuntimePrompt,
        Self::Interjection,
        Self::DriveStall,
        Self::DriveLog,
        Self::AnsweredCalls,
        Self::UnknownKeys,
        Self::State,
        Self::TaskBinding,
        Self::RuntimeReminders,
    ];

    /// The name in `--json` output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NeedsDrive => "needs_drive",
            Self::ParkedWork => "parked_work",
            Self::HumanAnswers => "human_answers",
            Self::AnswerCalls => "answer_calls",
            Self::ReplyDelivery => "reply_delivery",
            Self::Triggers => "triggers",
            Self::RuntimePrompt => "runtime_prompt",
            Self::Interjection => "interjection",
            Self::DriveStall => "drive_stall",
            Self::DriveLog => "drive_log",
            Self::AnsweredCalls => "answered_calls",
            Self::UnknownKeys => "unknown_keys",
            Self::State => "state",
            Self::TaskBinding => "task_binding",
            Self::RuntimeReminders => "runtime_reminders",
        }
    }

    /// What is lost, and what is left of it.
    #[must_use]
    pub const fn text(self) -> Text {
        match self {
            Self::NeedsDrive => Text::new(
                "it does not go on by itself: it is stopped until you continue it",
                "它不会自行继续：停止，直到你让它继续",
            ),
            Self::ParkedWork => Text::new(
                "the note about work that waits while you talk to it (it still owes the reply)",
                "与你交谈期间暂停的工作的备注（所欠的回复仍在）",
            ),
            Self::HumanAnswers => Text::new(
                "answers to you that were not acknowledged (the words stay in its course)",
                "尚未确认的给你的答复（文字仍在其程中）",
            ),
            Self::AnswerCalls => Text::new(
                "calls of `answerHuman` become ordinary calls",
                "`answerHuman` 调用变为普通调用",
            ),
            Self::ReplyDelivery => {
                Text::new("the note how its last reply was delivered", "最近一次回复送达情况的备注")
            }
            Self::Triggers => {
                Text::new("reasons to go on that wait for a generation", "等待生成的继续原因")
            }
            Self::RuntimePrompt => Text::new(
                "a prompt of the runtime that waits and begins no course",
                "等待中且不开始新程的运行时提示",
            ),
            Self::Interjection => Text::new(
                "the note about a message of yours that was not answered in words",
                "你的某条消息尚未得到文字答复的备注",
            ),
            Self::DriveStall => Text::new("the note about a drive that failed", "驱动失败的备注"),
            Self::DriveLog => Text::new("the log of drives that failed", "驱动失败的日志"),
            Self::AnsweredCalls => Text::new(
                "entries of calls that were answered (the results stay in its course)",
                "已答复调用的条目（结果仍在其程中）",
            ),
            Self::UnknownKeys => Text::new(
                "unknown keys of a file that the other layout does not have",
                "另一布局所没有的文件中的未知键",
            ),
            Self::State => Text::new(
                "a state that only one layout knows becomes another",
                "仅一种布局所知的状态变为另一状态",
            ),
            Self::TaskBinding => Text::new(
                "reminders of one Taskdoc become reminders of the member, as far as their ids are free",
                "某个任务文档的提醒变为该成员的提醒（若其 id 未被占用）",
            ),
            Self::RuntimeReminders => Text::new(
                "reminders that the runtime keeps about processes",
                "运行时关于进程的提醒",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::samples::assert_translated;

    #[test]
    fn each_loss_has_its_own_name_and_a_text_in_both_languages() {
        let names: BTreeSet<_> = Loss::ALL.map(Loss::name).into_iter().collect();
        assert_eq!(names.len(), Loss::ALL.len());
        for loss in Loss::ALL {
            assert_translated(&loss.text().into());
        }
    }
}
