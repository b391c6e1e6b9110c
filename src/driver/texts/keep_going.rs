//! What keeps a main dialog going, and what a person is asked when that did not help.

use super::Texts;

impl Texts {
    /// A push: what it is, then what the workspace wants to be said.
    #[must_use]
    pub fn push(self, body: &str) -> String {
        let header = self.pick(
            "[System notice] Sent by the runtime because you stopped; nobody has asked for anything \
             new.\n\
             - Give no answer to this notice itself, no \"understood\", no plan alone.\n\
             - Go on with the task as follows; what you decide, do.",
            "[系统提示] 因为你停了下来，运行时自动发送此提示；没有人提出新的要求。\n\
             - 不要回应提示本身，不要只说“明白”，也不要只列计划。\n\
             - 按下面的指引继续任务；决定了就去做。",
        );
        format!("{header}\n\n---\n\n{body}")
    }

    /// The question when the pushes are used up. Its options are those of `keep_going::says_stop`.
    #[must_use]
    pub fn go_on_or_stop(self, pushes: i64) -> String {
        self.pick(
            format!(
                "Go on or stop?\n\nThe dialog stopped again after {pushes} pushes to go on.\n\n\
                 a  go on, with as many pushes again\n\
                 b  stop\n\n\
                 Any other answer is read as an instruction."
            ),
            format!(
                "继续还是停止？\n\n已自动推动 {pushes} 次，对话又停了下来。\n\n\
                 a  继续，重新获得同样次数的推动\n\
                 b  停止\n\n\
                 其他回答会作为指示交给对话。"
            ),
        )
    }
}
