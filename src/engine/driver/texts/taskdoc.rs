//! The text in place of an unreadable Taskdoc.

use crate::domain::text::in_lang;

use super::Texts;

impl Texts {
    /// `reason`: a sentence that names the Taskdoc.
    #[must_use]
    pub fn taskdoc_unreadable(self, reason: &str) -> String {
        in_lang!(
            self.0,
            "[System notice] Your Taskdoc cannot be read: {reason}. Go on with what you were told, \
                 and tell the human if you need it.",
            "【系统提示】无法读取任务文档：{reason}。请按已知内容继续，需要时告诉人类。"
        )
    }
}
