//! Texts about questions with parts.

use serde_json::json;

use crate::domain::text::{Text, in_lang};

use super::{ArgumentError, Texts};

/// Most characters of an earlier answer that are quoted.
const QUOTED_CHARS: usize = 1_000;

fn quoted(answer: &str) -> String {
    match answer.char_indices().nth(QUOTED_CHARS) {
        Some((end, _)) => format!("{}…", answer.get(..end).unwrap_or_default()),
        None => answer.to_owned(),
    }
}

impl Texts {
    /// Stands for the answer to a part that was dismissed.
    #[must_use]
    pub fn dismissed(self) -> &'static str {
        Text::new(
            "The person dismissed this question without an answer. Go on without it or stop.",
            "此人没有回答就关闭了这个问题。请在没有答复的情况下继续，或者停下。",
        )
        .in_lang(self.0)
    }

    /// The result of a call that asks what was asked already.
    #[must_use]
    pub fn asked_already(self, answer: &str) -> String {
        let answer = quoted(answer);
        in_lang!(
            self.0,
            "This was asked already, and the answer was: {answer}\nGo on with it. Ask only what is new.",
            "这个问题已经问过，答复是：{answer}\n请据此继续，只问新的问题。"
        )
    }

    /// The result of a decision that a person is asked to make.
    #[must_use]
    pub fn decision_pending(self, question: &str) -> String {
        let result = json!({ "decision": "pending", "question": question });
        let stop = Text::new(
            "Stop here; the decision comes as the next thing you read.",
            "请就此停下；接下来读到的就是决定。",
        );
        format!("{result}\n{}", stop.in_lang(self.0))
    }

    /// The result of a decision for which no person can be asked any more.
    #[must_use]
    pub fn decision_not_asked(self) -> String {
        Text::new(
            "Nobody was asked: this dialog ends, or a new course begins. Ask again then.",
            "没有提问：这个对话即将结束，或新的一程即将开始。请届时再问。",
        )
        .in_lang(self.0)
        .to_owned()
    }

    /// The result of a call that asks for one confirmation too many.
    #[must_use]
    pub fn confirmed_already(self, answer: &str) -> String {
        let answer = quoted(answer);
        in_lang!(
            self.0,
            "You have had your confirmation for this work: {answer}\nDecide with it.",
            "这项工作你已经得到过确认：{answer}\n请据此决定。"
        )
    }

    /// The result of a call that told a person something.
    #[must_use]
    pub fn told_person(self, content: &str) -> String {
        let told = Text::new(
            "Told: it stands in the inbox of the human. No answer will come.",
            "已告知：内容在人的收件箱里。不会有回答。",
        );
        format!("{}\n\n{content}", told.in_lang(self.0))
    }

    /// The result of a call that wants to tell a person too much at once.
    #[must_use]
    pub fn too_long_for_person(self, bytes: usize, most_kib: usize) -> String {
        in_lang!(
            self.0,
            "Not told: `answerContent` has {bytes} bytes, and at most {most_kib} KiB can be told at once. Put the rest \
             into a file, and say where it is.",
            "未告知：`answerContent` 有 {bytes} 字节，一次最多 {most_kib} KiB。请把其余内容写入文件，并说明它在哪里。"
        )
    }

    /// The result of a call for which there is no room.
    #[must_use]
    pub fn too_much_for_person(self) -> String {
        Text::new(
            "Not told: the human has not yet read the many things that this dialog told before. Go on without it.",
            "未告知：本对话之前告知的许多内容，人还没有看。请不等这一步继续。",
        )
        .in_lang(self.0)
        .to_owned()
    }

    /// The result of a call for words whose questions cannot be asked.
    #[must_use]
    pub fn unusable_questions(self, fault: &ArgumentError) -> String {
        let reason = self.fault(fault);
        in_lang!(
            self.0,
            "The `open_questions` in your last words were not asked: {reason}. Call `askHuman` with them, or end with \
             one object {{\"open_questions\": [{{\"text\": \"…\"}}]}}.",
            "你最后的话中的 `open_questions` 没有提出：{reason}。请用它们调用 `askHuman`，或以一个对象结尾：\
             {{\"open_questions\": [{{\"text\": \"……\"}}]}}。"
        )
    }
}
