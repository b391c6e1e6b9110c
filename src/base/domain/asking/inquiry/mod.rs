//! A question with parts: what one call may ask, in one form, and how it reads as a text.
//!
//! What must stay true: the parts of a recorded call are those that were checked; whoever sees only the text can answer
//! every part; ids and keys are distinct; checking what was checked changes nothing.

pub mod answers;
pub mod approval;
mod distinct;
mod fault;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::question::choices::{self, AnswerChoice};
use crate::domain::ids::{DialogId, TaskId};
use crate::domain::lang::Lang;
use crate::domain::text::Text;
use crate::domain::text::json;
use crate::domain::time::{Stamp, is_iso_8601};

use approval::{Approval, REJECT, RecordedApproval};
use distinct::{distinct_ids, distinct_keys};

pub use fault::InquiryFault;

/// Most parts of a question.
pub const MAX_PARTS: usize = 20;
/// Most options of a part.
pub const MAX_OPTIONS: usize = 9;
/// Most characters of the text of a part.
pub const MAX_TEXT_CHARS: usize = 4_000;
/// Most characters of the label of an option.
pub const MAX_LABEL_CHARS: usize = 200;
/// Most characters of what speaks for or against an option.
pub const MAX_REMARK_CHARS: usize = 1_000;
/// The source whose questions all ask whether the asker may go on.
pub const CONFIRMING_SOURCE: &str = "eval";
/// Most bytes of a time that somebody wrote.
const MAX_TIME_BYTES: usize = 40;

/// What one call asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inquiry {
    /// What is said before the parts; may be empty.
    pub intro: String,
    pub parts: Vec<Part>,
    /// Who noted the question, where that is not the asker alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<InquirySource>,
    /// It asks whether the asker may go on as it means to.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confirm: bool,
    /// What is to be approved: then it has one part, whose last option rejects it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
    /// Where the parts are from. Only what an asker named is ever stored or sent.
    #[serde(skip)]
    pub origin: PartsOrigin,
}

/// What a question that was found in words belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct InquirySource {
    /// `dialog`, or a kind of work.
    pub kind: String,
    /// The id of the dialog or of that work.
    pub id: String,
}

impl InquirySource {
    const OF_DIALOG: &str = "dialog";
    const OF_TASK: &str = "task";

    /// The source of a question that names none: the task that its dialog works on, or the dialog.
    #[must_use]
    pub fn of(dialog: &DialogId, task: Option<&TaskId>) -> Self {
        let (kind, id) = match task {
            Some(task) => (Self::OF_TASK, task.to_string()),
            None => (Self::OF_DIALOG, dialog.to_string()),
        };
        Self { kind: kind.to_owned(), id }
    }

    /// True if it says no more than which dialog asks.
    #[must_use]
    pub fn is_of_dialog(&self) -> bool {
        self.kind == Self::OF_DIALOG
    }
}

/// Who says what the parts are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PartsOrigin {
    /// The asker says it.
    #[default]
    Asker,
    /// It was asked in words: they are the one part, and its options are a guess.
    Words,
}

/// One thing that is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    /// Distinct among the parts.
    pub id: String,
    pub text: String,
    /// As ISO 8601.
    pub created_at: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<AnswerOption>,
    /// The key of an option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommended: Option<char>,
    /// Only its options are answers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub must_choose: bool,
}

/// One way to answer a part.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AnswerOption {
    /// A letter in small or a digit, distinct among the options.
    pub key: char,
    pub label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pros: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cons: Option<String>,
}

/// A part as somebody wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WrittenPart {
    pub id: Option<String>,
    pub text: String,
    pub created_at: Option<String>,
    pub options: Option<Vec<WrittenOption>>,
    pub recommended: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct WrittenOption {
    pub key: Option<String>,
    pub label: String,
    pub pros: Option<String>,
    pub cons: Option<String>,
}

/// The arguments of a recorded call, as far as they are read here.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RecordedArguments {
    tellask_content: String,
    questions: Vec<WrittenPart>,
    confirm: bool,
    source: Option<String>,
    source_id: Option<String>,
    #[serde(flatten)]
    approval: RecordedApproval,
}

impl Inquiry {
    /// Checks a question as it was written.
    ///
    /// # Errors
    /// The first thing that is wrong with it; nothing is truncated to fit.
    pub fn of_written(
        intro: &str,
        written: Vec<WrittenPart>,
        now: &Stamp,
    ) -> Result<Self, InquiryFault> {
        if written.len() > MAX_PARTS {
            return Err(InquiryFault::TooManyParts { parts: written.len() });
        }
        let ids = distinct_ids(written.iter().map(|part| part.id.as_deref()));
        let parts = written.into_iter().zip(ids).zip(1..);
        let parts = parts.map(|((part, id), number)| Part::of_written(part, id, number, now));
        let parts: Vec<Part> = parts.collect::<Result<_, _>>()?;
        let intro = intro.trim();
        let is_repeated = matches!(parts.as_slice(), [only] if only.text == intro);
        let intro = if is_repeated { "" } else { intro };
        let (intro, source) = (intro.to_owned(), None);
        let origin = PartsOrigin::Asker;
        Ok(Self { intro, parts, source, confirm: false, approval: None, origin })
    }

    /// A question that was asked in words.
    #[must_use]
    pub fn of_words(content: &str, asked_at: &Stamp) -> Self {
        let choices = choices::choices(content).into_iter();
        let option = |choice: AnswerChoice| AnswerOption::new(choice.key, choice.text.clone());
        let part = Part {
            id: "q1".to_owned(),
            text: content.trim().to_owned(),
            created_at: iso(asked_at),
            options: choices.map(option).collect(),
            recommended: None,
            must_choose: false,
        };
        let (intro, source, approval) = (String::new(), None, None);
        let origin = PartsOrigin::Words;
        Self { intro, parts: vec![part], source, confirm: false, approval, origin }
    }

    /// The parts of a recorded call; `None` where it has none, or none that can be asked.
    #[must_use]
    pub fn recorded(arguments: &str) -> Option<Self> {
        // Most calls have none.
        if !arguments.contains("\"questions\"") {
            return None;
        }
        let recorded: RecordedArguments = json::read(arguments).ok()?;
        let mut inquiry =
            Self::of_written("", recorded.questions, &Stamp::default()).ok().filter(Self::asks)?;
        if let Some(approval) = recorded.approval.read().filter(|_| inquiry.can_be_rejected()) {
            inquiry.set_approval(approval);
        }
        let content = recorded.tellask_content.trim_end();
        let intro = Lang::ALL.iter().find_map(|lang| content.strip_suffix(&inquiry.content(*lang)));
        inquiry.intro = intro.unwrap_or_default().trim().to_owned();
        inquiry.confirm = recorded.confirm;
        let source = recorded.source.zip(recorded.source_id);
        inquiry.source = source.map(|(kind, id)| InquirySource { kind, id });
        Some(inquiry)
    }

    fn can_be_rejected(&self) -> bool {
        let [part] = self.parts.as_slice() else { return false };
        part.options.len() > 1 && part.options.last().is_some_and(|last| last.key == REJECT)
    }

    fn asks(&self) -> bool {
        !self.parts.is_empty()
    }

    /// The question as one text: for Dominds, for lists, for an answer to all of it at once.
    #[must_use]
    pub fn content(&self, lang: Lang) -> String {
        let numbered = self.parts.len() > 1;
        let parts = self.parts.iter().zip(1..).map(|(part, number)| {
            let number = if numbered { format!("{number}. ") } else { String::new() };
            part.content(&number, lang)
        });
        let intro = Some(self.intro.clone()).filter(|intro| !intro.is_empty());
        let approval = self.approval.as_ref().map(|approval| approval.content(lang));
        intro.into_iter().chain(parts).chain(approval).collect::<Vec<_>>().join("\n\n")
    }

    /// The arguments that are recorded for it.
    #[must_use]
    pub fn arguments(&self, lang: Lang) -> Value {
        let mut arguments =
            json!({ "tellaskContent": self.content(lang), "questions": self.parts });
        let mut add = |key: &str, value: Value| {
            if let Value::Object(fields) = &mut arguments {
                fields.insert(key.to_owned(), value);
            }
        };
        if self.confirm {
            add("confirm", true.into());
        }
        if let Some(approval) = &self.approval {
            approval.add_to(&mut add);
        }
        if let Some(source) = &self.source {
            add("source", source.kind.clone().into());
            add("sourceId", source.id.clone().into());
        }
        arguments
    }

    /// Maps its texts.
    #[must_use]
    pub fn map_texts(mut self, change: impl Fn(String) -> String) -> Self {
        let changed = |text: &mut String| *text = change(std::mem::take(text));
        changed(&mut self.intro);
        for part in &mut self.parts {
            changed(&mut part.text);
            for option in &mut part.options {
                changed(&mut option.label);
                option.pros.iter_mut().chain(option.cons.iter_mut()).for_each(changed);
            }
        }
        let diff = self.approval.as_mut().and_then(|approval| approval.diff.as_mut());
        diff.into_iter().for_each(changed);
        self
    }

    #[must_use]
    pub fn part(&self, id: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.id == id)
    }
}

impl Part {
    fn of_written(
        written: WrittenPart,
        id: String,
        part: usize,
        now: &Stamp,
    ) -> Result<Self, InquiryFault> {
        let text = written.text.trim();
        let chars = text.chars().count();
        if text.is_empty() {
            return Err(InquiryFault::NoText { part });
        }
        if chars > MAX_TEXT_CHARS {
            return Err(InquiryFault::TextTooLong { part, chars });
        }
        let options = written.options.unwrap_or_default();
        if options.len() > MAX_OPTIONS {
            return Err(InquiryFault::TooManyOptions { part, options: options.len() });
        }
        let keys = distinct_keys(options.iter().map(|option| option.key.as_deref()));
        let options: Result<Vec<AnswerOption>, InquiryFault> = options
            .into_iter()
            .zip(keys)
            .map(|(option, key)| AnswerOption::of_written(option, key, part))
            .collect();
        let options = options?;
        let recommended = written.recommended.as_deref().and_then(distinct::key);
        Ok(Self {
            id,
            text: text.to_owned(),
            created_at: written
                .created_at
                .filter(|at| at.len() <= MAX_TIME_BYTES && is_iso_8601(at))
                .unwrap_or_else(|| iso(now)),
            recommended: recommended.filter(|key| options.iter().any(|one| one.key == *key)),
            options,
            must_choose: false,
        })
    }

    fn content(&self, number: &str, lang: Lang) -> String {
        let options = self.options.iter().map(|option| format!("   {}", option.content()));
        let text = std::iter::once(format!("{number}{}", self.text));
        text.chain(options).chain(self.recommendation(lang)).collect::<Vec<_>>().join("\n")
    }

    /// The line of the text that names the recommended option.
    #[must_use]
    pub fn recommendation(&self, lang: Lang) -> Option<String> {
        const RECOMMENDED: Text = Text::new("recommended: ", "推荐：");
        self.recommended.map(|key| format!("   {}{key}", RECOMMENDED.in_lang(lang)))
    }

    #[must_use]
    pub fn option(&self, key: char) -> Option<&AnswerOption> {
        self.options.iter().find(|option| option.key == key)
    }
}

impl AnswerOption {
    fn new(key: char, label: String) -> Self {
        Self { key, label, pros: None, cons: None }
    }

    fn of_written(written: WrittenOption, key: char, part: usize) -> Result<Self, InquiryFault> {
        let label = one_line(&written.label);
        if label.is_empty() {
            return Err(InquiryFault::NoLabel { part });
        }
        let chars = label.chars().count();
        if chars > MAX_LABEL_CHARS {
            return Err(InquiryFault::LabelTooLong { part, chars });
        }
        let remark = |text: Option<String>| {
            let text = text.map(|text| one_line(&text)).filter(|text| !text.is_empty());
            match text.as_ref().map_or(0, |text| text.chars().count()) {
                0..=MAX_REMARK_CHARS => Ok(text),
                chars => Err(InquiryFault::RemarkTooLong { part, chars }),
            }
        };
        Ok(Self { key, label, pros: remark(written.pros)?, cons: remark(written.cons)? })
    }

    fn content(&self) -> String {
        let pros = self.pros.iter().map(|pros| format!("+ {pros}"));
        let cons = self.cons.iter().map(|cons| format!("− {cons}"));
        let remarks = pros.chain(cons).collect::<Vec<_>>().join("; ");
        let remarks = if remarks.is_empty() { remarks } else { format!(" ({remarks})") };
        format!("{}  {}{remarks}", self.key, self.label)
    }
}

/// The options of a question that is answered as a whole: those it named, else those found in its words.
#[must_use]
pub fn choices(content: &str, parts: Option<&Inquiry>) -> Vec<AnswerChoice> {
    let Some(inquiry) = parts else { return choices::choices(content) };
    let [part] = inquiry.parts.as_slice() else { return Vec::new() };
    let choice = |option: &AnswerOption| {
        let line = format!("   {}", option.content());
        let at = content.lines().position(|one| one == line);
        let text = option.content().split_off(option.key.len_utf8());
        let lines = at.map_or(0..0, |at| at..at + 1);
        AnswerChoice { key: option.key, text: text.trim_start().to_owned(), lines }
    };
    part.options.iter().map(choice).collect()
}

/// An option is one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The stamp with the `T` of ISO 8601.
fn iso(stamp: &Stamp) -> String {
    stamp.as_str().replacen(' ', "T", 1)
}

#[cfg(test)]
mod tests;
