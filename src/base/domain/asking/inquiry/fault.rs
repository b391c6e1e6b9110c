//! Why parts cannot be asked.

use super::approval::MAX_DIFF_CHARS;
use super::{MAX_LABEL_CHARS, MAX_OPTIONS, MAX_PARTS, MAX_REMARK_CHARS, MAX_TEXT_CHARS};
use crate::domain::lang::Lang;
use crate::domain::text::in_lang;

/// Why parts cannot be asked. `part` counts from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InquiryFault {
    TooManyParts { parts: usize },
    TooManyOptions { part: usize, options: usize },
    NoText { part: usize },
    TextTooLong { part: usize, chars: usize },
    NoLabel { part: usize },
    LabelTooLong { part: usize, chars: usize },
    RemarkTooLong { part: usize, chars: usize },
    DiffTooLong { chars: usize },
}

impl InquiryFault {
    /// In words for the model that asks.
    #[must_use]
    pub fn text(&self, lang: Lang) -> String {
        match self {
            Self::TooManyParts { parts } => in_lang!(
                lang,
                "`questions` has {parts} questions, at most {MAX_PARTS} can be asked at once",
                "`questions` 有 {parts} 个问题，一次最多 {MAX_PARTS} 个"
            ),
            Self::TooManyOptions { part, options } => in_lang!(
                lang,
                "question {part} has {options} options, at most {MAX_OPTIONS} fit",
                "第 {part} 个问题有 {options} 个选项，最多 {MAX_OPTIONS} 个"
            ),
            Self::NoText { part } => {
                in_lang!(lang, "question {part} has no text", "第 {part} 个问题没有文字")
            }
            Self::TextTooLong { part, chars } => in_lang!(
                lang,
                "the text of question {part} has {chars} characters, at most {MAX_TEXT_CHARS} fit",
                "第 {part} 个问题有 {chars} 个字符，最多 {MAX_TEXT_CHARS} 个"
            ),
            Self::NoLabel { part } => in_lang!(
                lang,
                "an option of question {part} has no label",
                "第 {part} 个问题有一个选项没有 label"
            ),
            Self::LabelTooLong { part, chars } => in_lang!(
                lang,
                "a label of question {part} has {chars} characters, at most {MAX_LABEL_CHARS} fit",
                "第 {part} 个问题有一个 label 长 {chars} 个字符，最多 {MAX_LABEL_CHARS} 个"
            ),
            Self::RemarkTooLong { part, chars } => in_lang!(
                lang,
                "`pros` or `cons` of question {part} has {chars} characters, at most {MAX_REMARK_CHARS} fit",
                "第 {part} 个问题的 `pros` 或 `cons` 长 {chars} 个字符，最多 {MAX_REMARK_CHARS} 个"
            ),
            Self::DiffTooLong { chars } => in_lang!(
                lang,
                "`diff` has {chars} characters, at most {MAX_DIFF_CHARS} fit",
                "`diff` 有 {chars} 个字符，最多 {MAX_DIFF_CHARS} 个"
            ),
        }
    }
}
