//! Texts about questions with parts.

use crate::domain::inquiry::{
    InquiryFault, MAX_LABEL_CHARS, MAX_OPTIONS, MAX_PARTS, MAX_REMARK_CHARS, MAX_TEXT_CHARS,
};
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
    /// In the place of an answer to a part that gets none.
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

    /// Why the parts of a question cannot be asked.
    pub(super) fn inquiry_fault(self, fault: &InquiryFault) -> String {
        match fault {
            InquiryFault::TooManyParts { parts } => in_lang!(
                self.0,
                "`questions` has {parts} questions, at most {MAX_PARTS} can be asked at once",
                "`questions` 有 {parts} 个问题，一次最多 {MAX_PARTS} 个"
            ),
            InquiryFault::TooManyOptions { part, options } => in_lang!(
                self.0,
                "question {part} has {options} options, at most {MAX_OPTIONS} fit",
                "第 {part} 个问题有 {options} 个选项，最多 {MAX_OPTIONS} 个"
            ),
            InquiryFault::NoText { part } => {
                in_lang!(self.0, "question {part} has no text", "第 {part} 个问题没有文字")
            }
            InquiryFault::TextTooLong { part, chars } => in_lang!(
                self.0,
                "the text of question {part} has {chars} characters, at most {MAX_TEXT_CHARS} fit",
                "第 {part} 个问题有 {chars} 个字符，最多 {MAX_TEXT_CHARS} 个"
            ),
            InquiryFault::NoLabel { part } => in_lang!(
                self.0,
                "an option of question {part} has no label",
                "第 {part} 个问题有一个选项没有 label"
            ),
            InquiryFault::LabelTooLong { part, chars } => in_lang!(
                self.0,
                "a label of question {part} has {chars} characters, at most {MAX_LABEL_CHARS} fit",
                "第 {part} 个问题有一个 label 长 {chars} 个字符，最多 {MAX_LABEL_CHARS} 个"
            ),
            InquiryFault::RemarkTooLong { part, chars } => in_lang!(
                self.0,
                "`pros` or `cons` of question {part} has {chars} characters, at most {MAX_REMARK_CHARS} fit",
                "第 {part} 个问题的 `pros` 或 `cons` 长 {chars} 个字符，最多 {MAX_REMARK_CHARS} 个"
            ),
        }
    }
}
