//! Texts of keep-going: the push, and the question to the user when the pushes are used up.

use crate::domain::PushCount;
use crate::domain::text::in_lang;

use super::Texts;
use crate::domain::counted;

impl Texts {
    /// A push: a notice, then the diligence text of the workspace.
    #[must_use]
    pub fn push(self, count: PushCount, body: &str) -> String {
        let mark = count.mark(self.0);
        let header = in_lang!(
            self.0,
            "[System notice] Sent by the runtime because you stopped {mark}; nobody has asked for \
                 anything new.\n\
                 - Give no answer to this notice itself, no \"understood\", no plan alone.\n\
                 - Go on with the task as follows; what you decide, do.",
            "[系统提示] 因为你停了下来，运行时自动发送此提示{mark}；没有人提出新的要求。\n\
                 - 不要回应提示本身，不要只说“明白”，也不要只列计划。\n\
                 - 按下面的指引继续任务；决定了就去做。"
        );
        format!("{header}\n\n---\n\n{body}")
    }

    /// The question when the pushes are used up. Its options are those of `keep_going::says_stop`.
    #[must_use]
    pub fn go_on_or_stop(self, pushes: i64) -> String {
        let count_text = counted(pushes, "push", "pushes");
        in_lang!(
            self.0,
            "Go on or stop?\n\nThe dialog stopped again after {count_text} to go on.\n\n\
                 a  go on, with as many pushes again\n\
                 b  stop\n\n\
                 Any other answer is read as an instruction.",
            "继续还是停止？\n\n已自动推动 {pushes} 次，对话又停了下来。\n\n\
                 a  继续，重新获得同样次数的推动\n\
                 b  停止\n\n\
                 其他回答会作为指示交给对话。"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::asking::question::choices::choices;
    use crate::domain::asking::question::picking::answer;
    use crate::domain::dialogs::keep_going::says_stop;
    use crate::domain::{CallId, Lang};

    #[test]
    fn the_option_to_stop_stops_by_its_letter_and_by_its_text() {
        for lang in [Lang::En, Lang::Zh] {
            let question = Texts(lang).go_on_or_stop(3);
            let choices = choices(&question);
            let call = CallId::new("keep-going-1");
            for (typed, stops) in [("a", false), ("b", true), ("b, and tell me why", false)] {
                let text = answer(&choices, typed).text;
                assert_ne!(text, typed);
                assert_eq!(says_stop(&call, &text), stops, "{text}");
            }
        }
    }
}
