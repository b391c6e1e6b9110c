//! Texts at the start of a course, and where a generation was interrupted.

use super::Texts;
use crate::domain::dialogs::call::is_query;
use crate::domain::text::{Text, in_lang};
use crate::domain::{AnswerText, Lang, UnfinishedAnswer};
use crate::tools::STOPPED_WITH_OUTPUT;

const UNKNOWN_OUTCOME: Text = Text::new(
    "The program ended while this call ran. Its outcome is unknown; it was not run again. Check before you repeat it.",
    "调用进行中程序结束了。结果未知，也没有再次执行。重做之前请先核实。",
);
const QUERY_CUT: Text = Text::new(
    "interrupted; ask again: the program ended before the answer was there",
    "已中断；请再次询问：程序在得到答复之前结束了",
);
const STOPPED_CALL: Text = Text::new(
    "Stopped by the human before it finished; its outcome is unknown.",
    "在完成之前被人停止；结果未知。",
);

impl Texts {
    #[must_use]
    pub fn course_start(self) -> String {
        Text::new("A new course begins: your earlier messages are cleared. Your reminders and the Taskdoc \
             say where you stand. Go on from there.", "新的一程开始了：此前的消息已清空。提醒和任务文档记着你进行到哪里，请从那里继续。").in_lang(self.0)
        .to_owned()
    }

    /// The language of the user, if it is not the work language or has changed.
    #[must_use]
    pub fn answer_in(self, reader: Lang) -> &'static str {
        match (self.0, reader) {
            (Lang::En, Lang::Zh) => {
                "[System notice] The person reads Chinese. What you say to the person, questions \
                 with `askHuman` included, is in Chinese from here on; teammates and the Taskdoc \
                 stay in English."
            }
            (Lang::En, Lang::En) => {
                "[System notice] The person reads English. What you say to the person is in \
                 English from here on."
            }
            (Lang::Zh, Lang::En) => {
                "【系统提示】对方阅读英文。从这里起，你对人说的话（包括 `askHuman` 的提问）用英文；\
                 与队友交流、写任务文档仍用中文。"
            }
            (Lang::Zh, Lang::Zh) => "【系统提示】对方阅读中文。从这里起，你对人说的话用中文。",
        }
    }

    /// The suffix of interrupted text in the model's context.
    #[must_use]
    pub fn interrupted(self) -> &'static str {
        Text::new(" [interrupted here]", "【在此中断】").in_lang(self.0)
    }

    /// What people are shown of an answer that the end of the program cut short, as Markdown: thoughts are
    /// quotes. No model is sent it.
    #[must_use]
    pub fn unfinished_answer(self, answer: &UnfinishedAnswer) -> String {
        let count = answer.characters();
        let notice = in_lang!(
            self.0,
            "Interrupted: the program ended while this was being written. {count} characters are kept; no model is \
             sent them.",
            "已中断：写作过程中程序结束了。保留了 {count} 个字符，不会发送给模型。"
        );
        let texts = answer.texts.iter().map(|text| match text {
            AnswerText::Thinking(text) => quoted(text.trim()),
            AnswerText::Saying(text) => text.trim().to_owned(),
        });
        let parts = std::iter::once(format!("*{notice}*")).chain(texts);
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
    }

    /// The result of a call whose outcome is not known.
    #[must_use]
    pub fn unknown_outcome(self) -> String {
        UNKNOWN_OUTCOME.in_lang(self.0).to_owned()
    }

    /// The result of a call of this tool that the end of the program interrupted.
    #[must_use]
    pub fn cut_call(self, tool: &str) -> String {
        if is_query(tool) { QUERY_CUT.in_lang(self.0).to_owned() } else { self.unknown_outcome() }
    }

    /// True for the result of a call that was interrupted, in any language; also if it says what was printed until
    /// then.
    #[must_use]
    pub fn is_unknown_outcome(result: &str) -> bool {
        let is_one_of = |line: &str, texts: &[Text]| {
            texts
                .iter()
                .any(|text| [Lang::En, Lang::Zh].iter().any(|lang| line == text.in_lang(*lang)))
        };
        let before_output = result.split_once('\n').map(|(line, _)| line);
        is_one_of(result, &[UNKNOWN_OUTCOME, STOPPED_CALL])
            || before_output.is_some_and(|line| is_one_of(line, &[STOPPED_WITH_OUTPUT]))
    }

    /// The result of a request to a teammate that was lost in a crash.
    #[must_use]
    pub fn reached_nobody(self) -> String {
        Text::new(
            "The program ended before this request reached anybody: nobody works on it, and no \
             reply will come. Ask again if you still need it.",
            "请求尚未送达，程序就结束了：没有人在处理，也不会有回复。若仍需要，请重新提出。",
        )
        .in_lang(self.0)
        .to_owned()
    }

    #[must_use]
    pub fn stopped_call(self) -> String {
        STOPPED_CALL.in_lang(self.0).to_owned()
    }
}

fn quoted(text: &str) -> String {
    text.lines()
        .map(|line| format!("> {line}").trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}
