//! What a person is told outside of the dialogs: *notices*, *failures* and *answers*, together the news. They block
//! nothing, and stay until a person dismisses them.

use serde::{Deserialize, Serialize};

use super::task::TeamWork;
use crate::domain::reading::title::short_headline;
use crate::domain::text::Text;
use crate::domain::{AgentId, DialogId, HumanAnswer, RootId, SelfId, Stamp, TeamName};

/// Most characters of a title.
pub const MAX_TITLE_CHARS: usize = 120;
/// Most characters of a body.
pub const MAX_BODY_CHARS: usize = 4_000;
/// Most items that are open at once: they are sent to every screen at each change.
pub const MAX_OPEN: usize = 200;
/// Most characters of an id that a dialog gave an answer.
const MAX_ID_CHARS: usize = 200;
/// Prefix of the ids of answers.
const ANSWER: &str = "answer:";

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NewsKind {
    /// Something a person may want to know.
    Notice,
    /// Something that will not go on by itself.
    Failure,
    /// What a dialog in the layout of Dominds 1.29 answered a person with `answerHuman`. It is in the files of the dialog.
    Answer,
}

impl NewsKind {
    /// Those that a store has.
    const STORED: [Self; 2] = [Self::Notice, Self::Failure];

    /// As it is stored and in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Notice => "notice",
            Self::Failure => "failure",
            Self::Answer => "answer",
        }
    }

    /// The one of a store with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::STORED.into_iter().find(|kind| kind.name() == name)
    }
}

/// How much it matters.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum NewsLevel {
    #[default]
    Info,
    Warning,
}

impl NewsLevel {
    const ALL: [Self; 2] = [Self::Info, Self::Warning];

    /// As it is stored and in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
        }
    }

    /// The one with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

/// One notice or failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewsItem {
    pub id: String,
    pub kind: NewsKind,
    pub level: NewsLevel,
    /// Who says it.
    pub agent: Option<AgentId>,
    /// Where it was said.
    pub dialog: Option<DialogId>,
    /// The team and the task that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<TeamWork>,
    pub title: String,
    /// The whole text; empty if the title is all of it.
    pub body: String,
    /// How often it was said.
    pub count: u64,
    pub created_at: Stamp,
    /// When it was said last.
    pub updated_at: Stamp,
    /// When a person dismissed it; `None` while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<Stamp>,
}

impl NewsItem {
    /// What a dialog answered a person.
    #[must_use]
    pub fn of_answer(dialog: DialogId, agent: AgentId, answer: &HumanAnswer) -> Self {
        let name = answer.id.chars().filter(|c| !c.is_control() && !c.is_whitespace());
        let name: String = name.take(MAX_ID_CHARS).collect();
        let text = answer.content.trim();
        let title = short_headline(text, MAX_TITLE_CHARS);
        let body = if title == text { "" } else { text };
        Self {
            id: format!("{ANSWER}{}#{}:{name}", dialog.root, dialog.this),
            kind: NewsKind::Answer,
            level: NewsLevel::Info,
            agent: Some(agent),
            dialog: Some(dialog),
            work: None,
            body: body.chars().take(MAX_BODY_CHARS).collect(),
            title,
            count: 1,
            created_at: answer.answered_at.clone(),
            updated_at: answer.answered_at.clone(),
            resolved_at: None,
        }
    }

    /// True if it goes when a person dismisses all of the news. An answer is acknowledged by itself.
    #[must_use]
    pub fn can_be_dismissed(&self) -> bool {
        self.kind != NewsKind::Answer
    }
}

/// True if an item with this id is an answer.
#[must_use]
pub fn is_answer(id: &str) -> bool {
    id.starts_with(ANSWER)
}

/// The dialog that gave the answer of an item with this id.
#[must_use]
pub fn answering_dialog(id: &str) -> Option<DialogId> {
    let (root, rest) = id.strip_prefix(ANSWER)?.split_once('#')?;
    let (this, _) = rest.split_once(':')?;
    Some(DialogId { root: RootId::new(root), this: SelfId::new(this) })
}

/// Why several items cannot be dismissed together.
pub const ANSWERS_ONE_BY_ONE: Text = Text::new(
    "an answer to you is acknowledged by itself, not with other items",
    "给你的回答须单独确认，不能与其他条目一起处理",
);

/// The items of `now` that are new or were repeated since `before`.
pub fn added<'a>(
    before: &'a [NewsItem],
    now: &'a [NewsItem],
) -> impl Iterator<Item = &'a NewsItem> {
    now.iter().filter(|item| {
        let known = before.iter().find(|known| known.id == item.id);
        known.is_none_or(|known| known.count < item.count)
    })
}

/// The items of `before` that are no longer open.
pub fn gone<'a>(before: &'a [NewsItem], now: &'a [NewsItem]) -> impl Iterator<Item = &'a NewsItem> {
    before.iter().filter(|known| now.iter().all(|item| item.id != known.id))
}

/// A notice as a member gives it, within the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNotice {
    pub agent: AgentId,
    /// `None` for one that no dialog gives.
    pub dialog: Option<DialogId>,
    pub work: Option<TeamWork>,
    /// Identifies the call within its dialog: repeated, it makes no second notice.
    pub call: String,
    pub level: NewsLevel,
    pub title: String,
    pub body: String,
    /// The text had more than fits.
    pub cut: bool,
}

impl NewNotice {
    /// With the first line of the text as title, unless there is one. `None` if there is nothing to say.
    #[must_use]
    pub fn of(
        (agent, dialog, call): (AgentId, DialogId, String),
        level: NewsLevel,
        (title, text): (Option<&str>, &str),
    ) -> Option<Self> {
        let text = text.trim();
        let title = title.map(str::trim).filter(|title| !title.is_empty());
        let from = title.unwrap_or(text);
        let short = short_headline(from, MAX_TITLE_CHARS);
        if short.is_empty() {
            return None;
        }
        let says_all = from == text && short == text;
        let body: String = text.chars().take(MAX_BODY_CHARS).collect();
        let cut = body.len() < text.len();
        let body = if says_all { String::new() } else { body };
        let dialog = Some(dialog);
        Some(Self { agent, dialog, work: None, call, level, title: short, body, cut })
    }

    /// The same, about this work.
    #[must_use]
    pub fn about(self, work: TeamWork) -> Self {
        Self { work: Some(work), ..self }
    }

    /// A warning about a team as a whole, for which its lead speaks. `call` tells it from others about the same team.
    #[must_use]
    pub fn of_team((agent, team): (AgentId, TeamName), call: &str, title: String) -> Self {
        Self {
            agent,
            call: format!("team {team} {call}"),
            dialog: None,
            work: Some(TeamWork { team, task: None }),
            level: NewsLevel::Warning,
            title,
            body: String::new(),
            cut: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RootId;

    fn notice(title: Option<&str>, text: &str) -> Option<NewNotice> {
        let from =
            (AgentId::new("ops"), DialogId::main(RootId::new("aa/bb/01")), "call-1".to_owned());
        NewNotice::of(from, NewsLevel::Info, (title, text))
    }

    #[test]
    fn the_title_is_the_first_line_unless_one_is_given_and_a_text_of_one_line_is_not_said_twice() {
        for (title, text, wanted_title, wanted_body) in [
            (None, "  The tests pass.  ", "The tests pass.", ""),
            (None, "Deployed.\n\nTo the box.", "Deployed.", "Deployed.\n\nTo the box."),
            (Some("Deployed"), "To the box.", "Deployed", "To the box."),
            (Some("  "), "To the box.", "To the box.", ""),
        ] {
            let made = notice(title, text).unwrap();
            assert_eq!((made.title.as_str(), made.body.as_str()), (wanted_title, wanted_body));
            assert!(!made.cut);
        }
        assert_eq!(notice(None, " \n "), None);
        assert_eq!(notice(Some(" "), ""), None);
    }

    #[test]
    fn a_long_text_is_cut_at_its_limits_and_says_so() {
        let made = notice(None, &"很".repeat(MAX_BODY_CHARS + 1)).unwrap();
        assert!(made.cut);
        assert_eq!(made.body.chars().count(), MAX_BODY_CHARS);
        assert!(made.title.chars().count() <= MAX_TITLE_CHARS, "{}", made.title);
        assert!(!notice(None, &"很".repeat(MAX_BODY_CHARS)).unwrap().cut);
    }

    #[test]
    fn what_came_was_said_again_or_is_gone_is_told_from_two_lists() {
        let item = |id: &str, count| NewsItem {
            id: id.to_owned(),
            kind: NewsKind::Notice,
            level: NewsLevel::Info,
            agent: None,
            dialog: None,
            work: None,
            title: String::new(),
            body: String::new(),
            count,
            created_at: Stamp::default(),
            updated_at: Stamp::default(),
            resolved_at: None,
        };
        let before = [item("same", 1), item("again", 1), item("gone", 1)];
        let now = [item("new", 1), item("again", 2), item("same", 1)];
        let ids = |items: Vec<&NewsItem>| -> Vec<String> {
            items.into_iter().map(|item| item.id.clone()).collect()
        };
        assert_eq!(ids(added(&before, &now).collect()), ["new", "again"]);
        assert_eq!(ids(gone(&before, &now).collect()), ["gone"]);
    }

    #[test]
    fn every_kind_and_level_is_found_by_its_name() {
        let mut stored = NewsKind::STORED.into_iter();
        assert!(stored.all(|kind| NewsKind::named(kind.name()) == Some(kind)));
        assert!(NewsLevel::ALL.into_iter().all(|one| NewsLevel::named(one.name()) == Some(one)));
        assert_eq!(NewsKind::named("question"), None);
        assert_eq!(NewsKind::named(NewsKind::Answer.name()), None, "no store has one");
    }

    #[test]
    fn an_answer_has_an_id_of_its_dialog_and_its_first_line_as_title() {
        let dialog = DialogId::main(RootId::new("aa/bb/01"));
        let answer = |content: &str| -> HumanAnswer {
            let answer_ref = serde_json::json!({ "course": 1, "genseq": 1 });
            let answer = serde_json::json!({
                "id": "dialog:\n any", "content": content, "answeredAt": "t", "answerRef": answer_ref,
            });
            serde_json::from_value(answer).unwrap()
        };
        for (content, title, body) in [
            ("Dry.", "Dry.", ""),
            ("\n  Dry.\nAll of it.", "Dry.", "Dry.\nAll of it."),
            ("", "", ""),
        ] {
            let item = NewsItem::of_answer(dialog.clone(), "ops".into(), &answer(content));
            assert_eq!((item.title.as_str(), item.body.as_str()), (title, body));
            assert_eq!(item.id, "answer:aa/bb/01#aa/bb/01:dialog:any");
            assert!(is_answer(&item.id) && item.kind == NewsKind::Answer);
            assert_eq!(item.dialog.as_ref(), Some(&dialog));
        }
        let long =
            NewsItem::of_answer(dialog, "ops".into(), &answer(&"很".repeat(MAX_BODY_CHARS + 1)));
        assert_eq!(long.body.chars().count(), MAX_BODY_CHARS);
    }
}
