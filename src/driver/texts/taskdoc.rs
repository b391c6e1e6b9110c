//! The text in place of an unreadable Taskdoc.

use crate::domain::Lang;

use super::Texts;

impl Texts {
    /// `reason`: a sentence that names the Taskdoc.
    #[must_use]
    pub fn taskdoc_unreadable(self, reason: &str) -> String {
        match self.0 {
            Lang::En => format!(
                "[System notice] Your Taskdoc cannot be read: {reason}. Go on with what you were told, \
                 and tell the human if you need it."
            ),
            Lang::Zh => {
                format!(
                    "【系统提示】无法读取任务文档：{reason}。请按已知内容继续，需要时告诉人类。"
                )
            }
        }
    }
}
