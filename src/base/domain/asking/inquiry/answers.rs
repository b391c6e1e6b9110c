//! Answers to the parts of a question: how what was typed is read, what is kept until all parts have an answer, and the
//! text that is recorded then.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::approval::{self, REJECT};
use super::{Inquiry, Part, PartsOrigin, distinct};
use crate::domain::lang::Lang;
use crate::domain::text::{Localized, Text, localized};
use crate::domain::time::Stamp;

/// The answers to the parts of one open question, by the ids of the parts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartAnswers {
    /// The id of the question.
    pub question: String,
    pub parts: BTreeMap<String, PartAnswer>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartAnswer {
    /// The key of the option that was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<char>,
    /// The words, or what was said about the option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    pub at: Stamp,
}

/// What a person answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerInput {
    /// The same words to every part that is open.
    Words(String),
    /// What was typed, by the ids of the parts.
    Parts(BTreeMap<String, String>),
    /// The recommended option of every open part that has one.
    Recommended,
    /// No answer: to this part, or to every open one.
    Dismiss(Option<String>),
}

/// Why an answer is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerFault {
    Empty,
    NoSuchPart {
        part: String,
        known: Vec<String>,
    },
    NoSuchOption {
        part: String,
        key: char,
        known: Vec<char>,
    },
    HasAnswer {
        part: String,
        at: Stamp,
    },
    NothingRecommended,
    /// Only an option is an answer.
    NoChoice {
        known: Vec<(char, String)>,
    },
}

impl AnswerInput {
    /// What was typed, if it is one text.
    #[must_use]
    pub fn words(&self) -> Option<&str> {
        match self {
            Self::Words(words) => Some(words),
            Self::Parts(typed) if typed.len() == 1 => typed.values().next().map(String::as_str),
            Self::Parts(_) | Self::Recommended | Self::Dismiss(_) => None,
        }
    }
}

impl PartAnswers {
    /// The answers that fit a question: to parts that it has, with options that these have.
    #[must_use]
    pub fn fitting(mut self, inquiry: &Inquiry) -> Self {
        self.parts.retain(|id, answer| {
            let part = inquiry.part(id);
            part.is_some_and(|part| answer.option.is_none_or(|key| part.option(key).is_some()))
                && (answer.option.is_some() || answer.text.is_some())
        });
        self
    }

    /// The length of all texts.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.parts.values().filter_map(|answer| answer.text.as_ref()).map(String::len).sum()
    }

    /// True if no part is open any more.
    #[must_use]
    pub fn is_complete(&self, inquiry: &Inquiry) -> bool {
        inquiry.parts.iter().all(|part| self.parts.contains_key(&part.id))
    }

    /// Adds what a person answers now. `replace`: also to parts that have an answer. `dismissed`: the words for a part
    /// that gets none.
    ///
    /// # Errors
    /// The first thing that is wrong with it; then nothing of it is taken.
    pub fn with(
        &self,
        inquiry: &Inquiry,
        input: &AnswerInput,
        replace: bool,
        (now, dismissed): (&Stamp, &str),
    ) -> Result<Self, AnswerFault> {
        let is_open = |part: &&Part| replace || !self.parts.contains_key(&part.id);
        let open = || inquiry.parts.iter().filter(is_open);
        // An approval that is dismissed is not given.
        let without_answer = |part: &Part| {
            let (option, text) = if part.must_choose {
                (Some(REJECT), None)
            } else {
                (None, Some(dismissed.to_owned()))
            };
            PartAnswer { option, text, at: now.clone() }
        };
        let mut given: Vec<(&Part, PartAnswer)> = Vec::new();
        match input {
            AnswerInput::Words(typed) => {
                for part in open() {
                    given.push((part, part.read(typed, inquiry.origin, now)?));
                }
            }
            AnswerInput::Parts(typed) => {
                for (id, typed) in typed {
                    let part = self.open_part(inquiry, id, replace)?;
                    given.push((part, part.read(typed, inquiry.origin, now)?));
                }
            }
            AnswerInput::Recommended => {
                let recommended = open().filter_map(|part| Some((part, part.recommended?)));
                given.extend(recommended.map(|(part, key)| {
                    (part, PartAnswer { option: Some(key), text: None, at: now.clone() })
                }));
                if given.is_empty() {
                    return Err(AnswerFault::NothingRecommended);
                }
            }
            AnswerInput::Dismiss(None) => {
                given.extend(open().map(|part| (part, without_answer(part))));
            }
            AnswerInput::Dismiss(Some(id)) => {
                let part = self.open_part(inquiry, id, replace)?;
                given.push((part, without_answer(part)));
            }
        }
        if given.is_empty() {
            return Err(AnswerFault::Empty);
        }
        let mut all = self.clone();
        all.parts.extend(given.into_iter().map(|(part, answer)| (part.id.clone(), answer)));
        Ok(all)
    }

    fn open_part<'a>(
        &self,
        inquiry: &'a Inquiry,
        id: &str,
        replace: bool,
    ) -> Result<&'a Part, AnswerFault> {
        let known = || inquiry.parts.iter().map(|part| part.id.clone()).collect();
        let missing = || AnswerFault::NoSuchPart { part: id.to_owned(), known: known() };
        let part = inquiry.part(id).ok_or_else(missing)?;
        match self.parts.get(id).filter(|_| !replace) {
            Some(answer) => {
                Err(AnswerFault::HasAnswer { part: id.to_owned(), at: answer.at.clone() })
            }
            None => Ok(part),
        }
    }

    /// What the model reads once every part has its answer.
    #[must_use]
    pub fn text(&self, inquiry: &Inquiry, lang: Lang) -> String {
        if inquiry.approval.is_some() {
            let given = inquiry.parts.first().and_then(|part| self.parts.get(&part.id));
            let option = given.and_then(|answer| answer.option);
            let comment = given.and_then(|answer| answer.text.as_deref());
            return inquiry.decision_text(option, comment, lang);
        }
        let answer = |part: &Part| {
            self.parts.get(&part.id).map_or_else(String::new, |answer| answer.words(part))
        };
        if let [part] = inquiry.parts.as_slice() {
            return answer(part);
        }
        let texts = inquiry
            .parts
            .iter()
            .map(|part| format!("[{}] {}\n→ {}", part.id, part.text, answer(part)));
        texts.collect::<Vec<_>>().join("\n\n")
    }
}

impl PartAnswer {
    /// The option with its label, then the words.
    #[must_use]
    pub fn words(&self, part: &Part) -> String {
        let option = self.option.and_then(|key| part.option(key));
        let option = option.map(|option| format!("{}: {}", option.key, option.label));
        option.into_iter().chain(self.text.clone()).collect::<Vec<_>>().join("\n")
    }
}

impl Part {
    /// Reads what was typed: a key that stands for itself takes its option, anything else is words.
    fn read(
        &self,
        typed: &str,
        origin: PartsOrigin,
        now: &Stamp,
    ) -> Result<PartAnswer, AnswerFault> {
        let typed = typed.trim();
        if typed.is_empty() {
            return Err(AnswerFault::Empty);
        }
        let answer = |option, text: Option<&str>| PartAnswer {
            option,
            text: text.filter(|text| !text.is_empty()).map(str::to_owned),
            at: now.clone(),
        };
        if self.options.is_empty() {
            return Ok(answer(None, Some(typed)));
        }
        let alone = typed.strip_suffix('.').unwrap_or(typed);
        let key = distinct::key(alone);
        if let Some(option) = key.and_then(|key| self.option(key)) {
            return Ok(answer(Some(option.key), None));
        }
        if self.must_choose
            && let Some((key, comment)) = approval::by_words(self, typed)
        {
            return Ok(answer(Some(key), Some(comment)));
        }
        if let Some(key) = key {
            // Options that were found in words may not be meant as options.
            if origin == PartsOrigin::Words {
                return Ok(answer(None, Some(typed)));
            }
            let known = self.options.iter().map(|option| option.key).collect();
            return Err(AnswerFault::NoSuchOption { part: self.id.clone(), key, known });
        }
        if let Some((key, comment)) = self.key_before(typed) {
            return Ok(answer(Some(key), Some(comment)));
        }
        if !self.must_choose {
            return Ok(answer(None, Some(typed)));
        }
        let known = self.options.iter().map(|one| (one.key, one.label.clone()));
        Err(AnswerFault::NoChoice { known: known.collect() })
    }

    /// The option that was typed.
    #[must_use]
    pub fn picked(&self, typed: &str) -> Option<char> {
        self.read(typed, PartsOrigin::Asker, &Stamp::default()).ok()?.option
    }

    /// Checks what was typed.
    ///
    /// # Errors
    /// Why it is no answer to this part.
    pub fn check(&self, typed: &str) -> Result<(), AnswerFault> {
        self.read(typed, PartsOrigin::Asker, &Stamp::default()).map(drop)
    }

    /// Adds remarks to what was typed, which takes the same option as before. `None` if it takes none, or if it would
    /// be read in another way.
    #[must_use]
    pub fn with_remarks(&self, typed: &str, remarks: &str) -> Option<String> {
        let read = |typed: &str| self.read(typed, PartsOrigin::Asker, &Stamp::default()).ok();
        let PartAnswer { option: Some(key), text, .. } = read(typed)? else { return None };
        let words = text.map(|text| format!(" {text}")).unwrap_or_default();
        let with = format!("{key},{words}\n{remarks}");
        read(&with).is_some_and(|answer| answer.option == Some(key)).then_some(with)
    }

    /// The option whose key begins the text, if what follows shows that it is one, and that.
    fn key_before<'a>(&self, typed: &'a str) -> Option<(char, &'a str)> {
        let mut chars = typed.chars();
        let key = chars.next().map(|key| key.to_ascii_lowercase())?;
        self.option(key)?;
        let rest = chars.as_str();
        let closed = rest.strip_prefix([',', ';', ':', '，', '；', '：']);
        let comment = closed.or_else(|| rest.strip_prefix("  "))?;
        Some((key, comment.trim()))
    }
}

impl AnswerFault {
    /// In words for the person.
    #[must_use]
    pub fn text(&self) -> Localized {
        match self {
            Self::Empty => Text::new("an answer needs some text", "请写下答复").into(),
            Self::NoSuchPart { part, known } => {
                let known = known.join(", ");
                localized!(
                    "this question has no part {part}; its parts are {known}",
                    "这个问题没有部分 {part}；它有 {known}"
                )
            }
            Self::NoSuchOption { part, key, known } => {
                let known = known.iter().map(char::to_string).collect::<Vec<_>>().join(", ");
                localized!(
                    "{part} has no option {key}; its options are {known}",
                    "{part} 没有选项 {key}；它有 {known}"
                )
            }
            Self::HasAnswer { part, at } => localized!(
                "{part} has an answer already, of {at}; it can be replaced",
                "{part} 已于 {at} 答复；可以替换"
            ),
            Self::NoChoice { known } => {
                let known = known.iter().map(|(key, label)| format!("{key} ({label})"));
                let known = known.collect::<Vec<_>>().join(", ");
                localized!(
                    "choose first: {known}; then words, as in `x, not yet`",
                    "请先选择：{known}；之后可以写说明，如 `x, 暂缓`"
                )
            }
            Self::NothingRecommended => Text::new(
                "no open part of this question has a recommended option",
                "这个问题没有带推荐选项的未答部分",
            )
            .into(),
        }
    }
}
