//! Calls that a person has to approve, or is told of, by what the caller decides alone.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::call::{Refused, TeamCall, finished};
use crate::domain::asking::autonomy::{DecisionKind, DecisionPolicy};
use crate::domain::asking::inquiry::Inquiry;
use crate::domain::asking::inquiry::approval::WrittenDecision;
use crate::domain::dialogs::history::gates::gate;
use crate::domain::hex;
use crate::domain::teams::notices::{NewNotice, NewsLevel};
use crate::domain::text::Localized;
use crate::tools::outcome::{DecisionOutcome, MadeDecision, StateChange, ToolOutcome};

/// The outcome of such a call.
pub(super) enum Done {
    Made { answer: Value, change: Option<StateChange> },
    Asked(Box<StateChange>),
}

/// The question whether a person approves.
pub(super) struct Question {
    pub kind: DecisionKind,
    /// The name of the tool.
    pub action: &'static str,
    /// Identifies the wanted change and the state before it.
    pub digest: String,
    pub text: String,
    /// The diff of the change. A person is not asked about one that is too long to be shown.
    pub diff: String,
}

/// Names these words.
pub(super) fn digest_of(words: &str) -> String {
    hex(&Sha256::digest(words))
}

impl TeamCall {
    /// Returns the caller's policy for such decisions.
    pub fn policy(&self, kind: DecisionKind) -> DecisionPolicy {
        self.cx.autonomy.policy(kind).unwrap_or(DecisionPolicy::NotifyAndProceed)
    }

    /// The question to a person, unless that has approved just this.
    pub fn question(&self, question: Question) -> Result<Option<Done>, Refused> {
        let Question { kind, action, digest, text, diff } = question;
        let gate = gate(action, &digest);
        if self.cx.approved.contains(&gate) {
            return Ok(None);
        }
        let written = WrittenDecision {
            description: text,
            diff: Some(diff),
            gate: Some(gate),
            ..WrittenDecision::default()
        };
        let now = self.cx.clock.now();
        let asked = Inquiry::of_decision(kind, written, &now, self.cx.lang);
        let asked = asked.map_err(|fault| Localized::of(|lang| fault.text(lang)))?;
        let outcome = DecisionOutcome::Asked(Box::new(asked));
        Ok(Some(Done::Asked(Box::new(StateChange::Decision { kind, outcome }))))
    }

    /// Finishes a change that was made: a person is told, or it is recorded.
    pub async fn made(&self, kind: DecisionKind, about: String, mut answer: Value) -> Done {
        let made = MadeDecision { description: about.clone(), option: None };
        let outcome = match self.policy(kind) {
            // The person who approved it knows.
            DecisionPolicy::RequiresApproval => None,
            DecisionPolicy::Automated => Some(DecisionOutcome::Made(made)),
            DecisionPolicy::NotifyAndProceed => {
                if let Err(reason) = self.tell_of(&about).await {
                    answer = with(answer, "warning", reason.in_lang(self.cx.lang).into());
                }
                Some(DecisionOutcome::Notified(made))
            }
        };
        let change = outcome.map(|outcome| StateChange::Decision { kind, outcome });
        Done::Made { answer, change }
    }

    async fn tell_of(&self, about: &str) -> Result<(), Localized> {
        let cx = &self.cx;
        let from = (cx.caller.clone(), cx.dialog.clone(), cx.call.clone());
        let text = format!("[{}] {about}", self.own.name);
        match NewNotice::of(from, NewsLevel::Info, (None, &text)) {
            Some(notice) => cx.news.add(notice).await.map(drop),
            None => Ok(()),
        }
    }

    /// The outcome of such a call.
    pub fn ended(&self, done: Result<Done, Refused>) -> ToolOutcome {
        match done {
            Ok(Done::Made { answer, change }) => {
                let outcome = finished(Ok(answer), &self.cx);
                ToolOutcome { changes: change.into_iter().collect(), ..outcome }
            }
            // No text: it names the question, so the code that asks the question writes it.
            Ok(Done::Asked(change)) => ToolOutcome::changed("", *change),
            Err(refused) => finished(Err(refused), &self.cx),
        }
    }
}

pub(super) fn with(mut answer: Value, key: &str, value: Value) -> Value {
    if let Some(fields) = answer.as_object_mut() {
        fields.insert(key.to_owned(), value);
    }
    answer
}
