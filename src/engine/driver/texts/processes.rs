//! The prompt that wakes a dialog when processes in the background have ended.

use std::collections::BTreeSet;

use crate::domain::text::in_lang;

use super::Texts;

impl Texts {
    #[must_use]
    pub fn processes_ended(self, pids: &BTreeSet<u32>) -> String {
        let pids = pids.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        in_lang!(
            self.0,
            "[System notice] What you left running in the background has ended (pid {pids}). Its reminder says how. Go on \
             from there if there is something to do.",
            "[系统提示] 你留在后台运行的进程已结束（pid {pids}），结果见其提醒。若还有事要做，请据此继续。"
        )
    }
}
