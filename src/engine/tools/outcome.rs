//! What a call leaves behind: a text for the model and the changes the caller must commit.
//! No result text is longer than [`MAX_RESULT_CHARS`] once it has been capped.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::domain::asking::autonomy::DecisionKind;
use crate::domain::asking::inquiry::Inquiry;
use crate::domain::dialogs::goal::Goal;
use crate::domain::dialogs::reminder::ReminderScope;
use crate::domain::text::{Text, in_lang};
use crate::domain::{FileChange, Lang, Secrets};

/// The longest result text, in characters.
pub const MAX_RESULT_CHARS: usize = 48_000;

/// Room kept for the line that tells how much was cut.
const CUT_LINE_CHARS: usize = 120;

/// What a call leaves behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOutcome {
    /// False when the model has to do something differently.
    pub ok: bool,
    /// Read by the model.
    pub text: String,
    /// To be committed by the caller, in this order.
    pub changes: Vec<StateChange>,
    /// To be kept by the caller and shown to the model.
    pub images: Vec<ToolImage>,
    /// What it changed in files, for people to review.
    pub file_changes: Vec<FileChange>,
}

/// An image a tool has read or made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolImage {
    /// The media type, such as `image/png`.
    pub media_type: &'static str,
    pub bytes: Arc<[u8]>,
}

/// A change of dialog state, as data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateChange {
    AddReminder {
        id: String,
        content: String,
        /// 1-based; beyond the end means at the end. Only with the dialog scope.
        position: Option<usize>,
        /// Never one of the runtime.
        scope: ReminderScope,
        render: ReminderFormat,
    },
    UpdateReminder {
        id: String,
        content: String,
        /// `None` keeps the format of the reminder.
        render: Option<ReminderFormat>,
    },
    DeleteReminder {
        id: String,
    },
    /// Make a shared reminder one of this dialog alone.
    MoveReminder {
        id: String,
    },
    /// What this main dialog works for from now on.
    SetGoal(Goal),
    /// Add a reminder that the runtime keeps for all dialogs of the member.
    Follow {
        id: String,
        content: String,
        owner: &'static str,
        meta: Value,
    },
    /// Start a new course, first adding a continuation reminder if there is a text for it.
    ClearMind {
        reminder_content: Option<String>,
    },
    /// The member wants to make a decision of this kind.
    Decision {
        kind: DecisionKind,
        outcome: DecisionOutcome,
    },
}

/// The outcome of a decision under the autonomy of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecisionOutcome {
    /// The member makes it.
    Made(MadeDecision),
    /// The member decides, and a person has been told.
    Notified(MadeDecision),
    /// A person decides; the result of the call says so.
    Asked(Box<Inquiry>),
}

/// A decision that a member makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeDecision {
    pub description: String,
    /// The key and the words of the option that is taken.
    pub option: Option<String>,
}

/// How a screen shows a reminder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReminderFormat {
    Markdown,
    Plain,
}

impl ToolOutcome {
    /// A success without state changes.
    pub fn done(text: impl Into<String>) -> Self {
        Self {
            ok: true,
            text: text.into(),
            changes: Vec::new(),
            images: Vec::new(),
            file_changes: Vec::new(),
        }
    }

    /// A failure; the text says what to do instead.
    pub fn failed(text: impl Into<String>) -> Self {
        Self { ok: false, ..Self::done(text) }
    }

    /// A success that changes dialog state.
    pub fn changed(text: impl Into<String>, change: StateChange) -> Self {
        Self { changes: vec![change], ..Self::done(text) }
    }

    /// The same outcome of a call that changed these files.
    #[must_use]
    pub fn with_file_changes(self, file_changes: impl IntoIterator<Item = FileChange>) -> Self {
        Self { file_changes: file_changes.into_iter().collect(), ..self }
    }

    /// Redacts secrets in everything of the outcome that is kept or shown.
    #[must_use]
    pub fn redacted(mut self, secrets: &Arc<Secrets>, lang: Lang) -> Self {
        self.text = secrets.redacted(self.text);
        self.changes = self.changes.into_iter().map(|change| change.redacted(secrets)).collect();
        let file_changes = self.file_changes.into_iter();
        self.file_changes =
            file_changes.map(|change| change.map_texts(|text| secrets.redacted(text))).collect();
        let before = self.images.len();
        self.images.retain(|image| !secrets.is_in(&image.bytes));
        if self.images.len() < before {
            let why = Text::new(
                "[an image was left out: there is a key in it]",
                "[已略去一张图片:其中含有密钥]",
            )
            .in_lang(lang);
            self.text = format!("{}\n{why}", self.text);
        }
        self
    }

    /// The same outcome with its text within [`MAX_RESULT_CHARS`].
    #[must_use]
    pub fn capped(self, lang: Lang) -> Self {
        Self { text: clip_middle(self.text, MAX_RESULT_CHARS, lang), ..self }
    }
}

impl StateChange {
    /// The decision it is about.
    #[must_use]
    pub fn decision(&self) -> Option<(DecisionKind, &DecisionOutcome)> {
        let Self::Decision { kind, outcome } = self else { return None };
        Some((*kind, outcome))
    }

    fn redacted(self, secrets: &Arc<Secrets>) -> Self {
        let clean = |text| secrets.redacted(text);
        match self {
            Self::AddReminder { id, content, position, scope, render } => {
                Self::AddReminder { id, content: clean(content), position, scope, render }
            }
            Self::UpdateReminder { id, content, render } => {
                Self::UpdateReminder { id, content: clean(content), render }
            }
            Self::DeleteReminder { id } => Self::DeleteReminder { id },
            Self::MoveReminder { id } => Self::MoveReminder { id },
            Self::SetGoal(goal) => Self::SetGoal(match goal {
                Goal::Stated(text) => Goal::Stated(clean(text)),
                Goal::Unset | Goal::Taskdoc => goal,
            }),
            Self::Follow { id, content, owner, meta } => {
                let meta = secrets.redacted_json(meta);
                Self::Follow { id, content: clean(content), owner, meta }
            }
            Self::ClearMind { reminder_content } => {
                Self::ClearMind { reminder_content: reminder_content.map(clean) }
            }
            Self::Decision { kind, outcome } => {
                Self::Decision { kind, outcome: outcome.redacted(clean) }
            }
        }
    }
}

impl DecisionOutcome {
    fn redacted(self, clean: impl Fn(String) -> String) -> Self {
        match self {
            Self::Made(made) => Self::Made(made.map_texts(clean)),
            Self::Notified(made) => Self::Notified(made.map_texts(clean)),
            Self::Asked(inquiry) => Self::Asked(Box::new(inquiry.map_texts(clean))),
        }
    }
}

impl MadeDecision {
    fn map_texts(self, change: impl Fn(String) -> String) -> Self {
        Self { description: change(self.description), option: self.option.map(change) }
    }
}

/// Keeps two thirds of the limit from the start and the rest from the end.
pub(super) fn clip_middle(text: String, limit_chars: usize, lang: Lang) -> String {
    if text.len() <= limit_chars {
        return text;
    }
    let total = text.chars().count();
    if total <= limit_chars {
        return text;
    }
    let kept = limit_chars.saturating_sub(CUT_LINE_CHARS);
    let head = kept * 2 / 3;
    let tail = kept - head;
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(total - tail).collect();
    let cut = total - kept;
    let line = in_lang!(
        lang,
        "[{cut} of {total} characters cut here; ask for a smaller part]",
        "[此处截去 {cut} 个字符,共 {total} 个;请缩小读取范围]"
    );
    format!("{start}\n{line}\n{end}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Stamp;
    use crate::domain::asking::inquiry::WrittenOption;
    use crate::domain::asking::inquiry::approval::WrittenDecision;

    #[test]
    fn a_text_within_the_limit_is_left_alone() {
        for text in [String::new(), "短".repeat(MAX_RESULT_CHARS), "x".repeat(10)] {
            assert_eq!(ToolOutcome::done(text.clone()).capped(Lang::En).text, text);
        }
    }

    #[test]
    fn a_longer_text_keeps_head_and_tail_and_says_what_was_cut() {
        for (unit, lang) in [("a", Lang::En), ("短", Lang::Zh)] {
            let text = format!("HEAD{}TAIL", unit.repeat(MAX_RESULT_CHARS * 2));
            let capped = ToolOutcome::failed(text).capped(lang);
            assert!(!capped.ok);
            assert!(capped.text.starts_with("HEAD") && capped.text.ends_with("TAIL"));
            assert!(capped.text.chars().count() <= MAX_RESULT_CHARS);
            assert!(
                capped.text.contains(Text::new("48128 of 96008", "48128").in_lang(lang)),
                "{lang:?}"
            );
        }
    }

    #[test]
    fn nothing_that_is_kept_or_shown_of_an_outcome_holds_a_secret() {
        let key = "sk-canary-0123";
        let secrets = Arc::new(Secrets::new([], [key.to_owned()]));
        let text = || format!("a {key} b");
        let image = |text: String| ToolImage {
            media_type: "image/png",
            bytes: Arc::from(format!("\u{89}PNG {text}").into_bytes()),
        };
        let (scope, render) = (ReminderScope::Dialog, ReminderFormat::Plain);
        let id = || "x".to_owned();
        let add =
            StateChange::AddReminder { id: id(), content: text(), position: None, scope, render };
        let kind = DecisionKind::ScopeChanges;
        let decision = |outcome| StateChange::Decision { kind, outcome };
        let option =
            WrittenOption { label: text(), pros: Some(text()), ..WrittenOption::default() };
        let written = WrittenDecision {
            description: text(),
            options: vec![option],
            diff: Some(text()),
            ..WrittenDecision::default()
        };
        let asked = Inquiry::of_decision(kind, written, &Stamp::default(), Lang::En).unwrap();
        let meta = serde_json::json!({ "command": text(), "pid": 7 });
        let outcome = ToolOutcome {
            changes: vec![
                add,
                StateChange::UpdateReminder { id: id(), content: text(), render: None },
                StateChange::Follow { id: id(), content: text(), owner: "x", meta },
                StateChange::SetGoal(Goal::Stated(text())),
                StateChange::ClearMind { reminder_content: Some(text()) },
                decision(DecisionOutcome::Notified(MadeDecision {
                    description: text(),
                    option: Some(text()),
                })),
                decision(DecisionOutcome::Asked(Box::new(asked))),
            ],
            images: vec![image(text()), image("plain".to_owned())],
            file_changes: vec![FileChange::rewritten(text(), &text(), "x")],
            ..ToolOutcome::done(text())
        };
        let clean = outcome.redacted(&secrets, Lang::En);
        assert!(clean.text.starts_with("a [redacted] b\n[an image was left out"), "{clean:?}");
        assert_eq!(clean.images, [image("plain".to_owned())]);
        let shown = format!("{:?}{:?}", clean.changes, clean.file_changes);
        assert!(!shown.contains(key) && shown.matches("a [redacted] b").count() == 14, "{shown}");
        assert!(shown.contains("Number(7)"), "{shown}");
    }
}
