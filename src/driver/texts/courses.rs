//! What is told when a course begins, and where a generation was cut off.

use super::Texts;

impl Texts {
    #[must_use]
    pub fn course_start(self) -> String {
        self.pick(
            "A new course begins: your earlier messages are cleared. Your reminders and the Taskdoc \
             say where you stand. Go on from there.",
            "新的一程开始了：此前的消息已清空。提醒和任务文档记着你进行到哪里，请从那里继续。",
        )
        .to_owned()
    }

    /// What an interrupted saying ends with in the model's context.
    #[must_use]
    pub fn interrupted(self) -> &'static str {
        self.pick(" [interrupted here]", "【在此中断】")
    }

    /// The result of a call whose end nobody saw.
    #[must_use]
    pub fn unknown_outcome(self) -> String {
        self.pick(
            "The program ended while this call ran. Its outcome is unknown; it was not run again. \
             Check before you repeat it.",
            "调用进行中程序结束了。结果未知，也没有再次执行。重做之前请先核实。",
        )
        .to_owned()
    }

    #[must_use]
    pub fn stopped_call(self) -> String {
        self.pick(
            "Stopped by the human before it finished; its outcome is unknown.",
            "在完成之前被人停止；结果未知。",
        )
        .to_owned()
    }
}
