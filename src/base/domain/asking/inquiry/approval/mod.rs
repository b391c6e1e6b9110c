//! A decision that a person is asked to approve: what it is about, perhaps the change as a diff, and two or more options, the
//! last of which rejects it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Inquiry, InquiryFault, Part, WrittenOption, WrittenPart, distinct};
use crate::domain::asking::autonomy::DecisionKind;
use crate::domain::lang::Lang;
use crate::domain::safety::padding::without_padding;
use crate::domain::text::Text;
use crate::domain::time::Stamp;

/// Most characters of a diff.
pub const MAX_DIFF_CHARS: usize = 64_000;
/// The key of the option that rejects.
pub const REJECT: char = 'x';
/// The `kind` in the arguments of the recorded call.
const KIND: &str = "approval";

const APPROVE_LABEL: Text = Text::new("approve", "批准");
const REJECT_LABEL: Text = Text::new("reject", "拒绝");
const APPROVED: Text = Text::new("Approved.", "已批准。");
const REJECTED: Text = Text::new("Rejected.", "已拒绝。");

/// Words that approve if nothing else is said, and words that reject if they are said first.
const APPROVING: [&str; 9] =
    ["approve", "approved", "yes", "y", "ok", "okay", "同意", "批准", "可以"];
const REJECTING: [&str; 7] = ["reject", "rejected", "no", "n", "拒绝", "不同意", "不可以"];

/// What is to be approved.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Approval {
    pub category: DecisionKind,
    /// The change, as a unified diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// The gate that passes once if it is approved, for a call that asked by itself: its action, arguments and files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<String>,
}

/// A decision as somebody wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenDecision {
    pub description: String,
    pub options: Vec<WrittenOption>,
    pub recommended: Option<String>,
    pub diff: Option<String>,
    /// As in [`Approval`].
    pub gate: Option<String>,
}

/// What the arguments of a recorded call say about it.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct RecordedApproval {
    kind: Option<String>,
    category: Option<Value>,
    diff: Option<String>,
    gate: Option<String>,
}

impl RecordedApproval {
    /// `None` if the question is not an approval.
    pub(super) fn read(self) -> Option<Approval> {
        let category = self.category.filter(|_| self.kind.as_deref() == Some(KIND))?;
        let category = serde_json::from_value(category).ok()?;
        Some(Approval { category, diff: self.diff, gate: self.gate })
    }
}

impl Approval {
    /// The text below the options.
    pub(super) fn content(&self, lang: Lang) -> String {
        let category = format!("({})", self.category.words().in_lang(lang));
        let Some(diff) = &self.diff else { return category };
        let fence = fence_around(diff);
        format!("{category}\n\n{fence}diff\n{}\n{fence}", diff.trim_end_matches('\n'))
    }

    pub(super) fn add_to(&self, add: &mut impl FnMut(&str, Value)) {
        add("kind", KIND.into());
        add("category", self.category.name().into());
        if let Some(diff) = &self.diff {
            add("diff", diff.clone().into());
        }
        if let Some(gate) = &self.gate {
            add("gate", gate.clone().into());
        }
    }
}

impl Inquiry {
    /// A decision that requires approval.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn of_decision(
        category: DecisionKind,
        written: WrittenDecision,
        now: &Stamp,
        lang: Lang,
    ) -> Result<Self, InquiryFault> {
        let WrittenDecision { description, mut options, recommended, diff, gate } = written;
        let chars = diff.as_ref().map_or(0, |diff| diff.chars().count());
        if chars > MAX_DIFF_CHARS {
            return Err(InquiryFault::DiffTooLong { chars });
        }
        let label = |text: Text| text.in_lang(lang).to_owned();
        // That key rejects; the first option that has it is the one that may be recommended.
        let is_taken =
            |key: &Option<String>| key.as_deref().and_then(distinct::key) == Some(REJECT);
        let renamed = options.iter().position(|option| is_taken(&option.key));
        for option in options.iter_mut().filter(|option| is_taken(&option.key)) {
            option.key = None;
        }
        if options.is_empty() {
            options.push(WrittenOption { label: label(APPROVE_LABEL), ..WrittenOption::default() });
        }
        options.push(WrittenOption {
            key: Some(REJECT.to_string()),
            label: label(REJECT_LABEL),
            ..WrittenOption::default()
        });
        let part = WrittenPart {
            text: description,
            options: Some(options),
            recommended,
            ..WrittenPart::default()
        };
        let mut inquiry = Self::of_written("", vec![part], now)?;
        if let Some(part) =
            inquiry.parts.first_mut().filter(|part| part.recommended == Some(REJECT))
        {
            let option = renamed.and_then(|at| part.options.get(at));
            part.recommended = option.map(|option| option.key);
        }
        let diff = diff.filter(|diff| !diff.trim().is_empty());
        inquiry.set_approval(Approval { category, diff, gate });
        Ok(inquiry)
    }

    pub(super) fn set_approval(&mut self, approval: Approval) {
        for part in &mut self.parts {
            part.must_choose = true;
        }
        self.approval = Some(approval);
    }

    /// Everything that is to be approved, as it is shown wherever it can be approved: without what pads it.
    #[must_use]
    pub fn whole(&self, lang: Lang) -> String {
        without_padding(&self.content(lang))
    }

    /// True if this typed text may approve it: all but what rejects.
    #[must_use]
    pub fn may_be_approved_by(&self, typed: &str) -> bool {
        let rejects = |part: &Part| part.picked(typed) == Some(REJECT);
        self.approval.is_some() && !self.parts.iter().all(rejects)
    }

    /// The key that approves it: of the recommended option, or of the first. `None` if nothing is to be approved.
    #[must_use]
    pub fn approving_key(&self) -> Option<char> {
        let part = self.parts.first().filter(|_| self.approval.is_some())?;
        let recommended = part.recommended.filter(|key| *key != REJECT);
        recommended.or_else(|| part.options.iter().map(|one| one.key).find(|key| *key != REJECT))
    }

    /// True for the text of an answer that approves: as it is recorded here, or written in Dominds, where it is read as if it
    /// had been typed here.
    #[must_use]
    pub fn is_approved_by(&self, answer: &str) -> bool {
        let first = answer.trim().lines().next().unwrap_or_default();
        let part = self.parts.first().filter(|_| self.approval.is_some());
        let picked = part.and_then(|part| part.picked(answer));
        Lang::ALL.iter().any(|lang| first == APPROVED.in_lang(*lang))
            || picked.is_some_and(|key| key != REJECT)
    }

    /// What the model reads of an answer.
    pub(super) fn decision_text(
        &self,
        option: Option<char>,
        comment: Option<&str>,
        lang: Lang,
    ) -> String {
        let is_approved = option.is_some_and(|key| key != REJECT);
        let decision = if is_approved { APPROVED } else { REJECTED }.in_lang(lang).to_owned();
        // With options of its own, which one was taken matters.
        let option =
            option.filter(|_| is_approved).zip(self.parts.first()).and_then(|(key, part)| {
                let option = part.option(key).filter(|_| part.options.len() > 2)?;
                Some(format!("{}: {}", option.key, option.label))
            });
        let comment = comment.map(str::to_owned);
        [decision].into_iter().chain(option).chain(comment).collect::<Vec<_>>().join("\n")
    }
}

/// The option of an approval that is taken by words, and what they say besides.
pub(super) fn by_words<'a>(part: &Part, typed: &'a str) -> Option<(char, &'a str)> {
    let end = typed.find(|c: char| !c.is_alphanumeric()).unwrap_or(typed.len());
    let (word, rest) = typed.split_at_checked(end)?;
    let (word, rest) = (word.to_lowercase(), rest.trim_start_matches(is_mark).trim());
    if REJECTING.contains(&word.as_str()) {
        return Some((REJECT, rest));
    }
    let approves = rest.is_empty() && APPROVING.contains(&word.as_str());
    let mut approving = part.options.iter().map(|one| one.key).filter(|key| *key != REJECT);
    Some((approving.next().filter(|_| approves)?, rest))
}

fn is_mark(c: char) -> bool {
    matches!(c, '.' | ',' | ';' | ':' | '!' | '。' | '，' | '；' | '：' | '！' | ' ')
}

/// Longer than any row of backticks in the text.
fn fence_around(text: &str) -> String {
    let rows = text.split(|c: char| c != '`').map(str::len);
    "`".repeat(rows.max().unwrap_or(0).max(2) + 1)
}

#[cfg(test)]
mod tests;
