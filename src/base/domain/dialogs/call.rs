//! Calls the driver handles itself – tellask, askHuman, replies – as opposed to ordinary tools.

use serde::{Deserialize, Serialize};

use super::pending::CallType;
use crate::domain::ids::CallId;
use crate::domain::lang::Lang;
use crate::domain::text::{in_lang, json};

/// A way to ask a teammate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TellaskKind {
    /// Type A: a side dialog asks its asker back.
    Back,
    /// Type B: a session that can be asked again.
    Session,
    /// Type C: asked once.
    Sessionless,
    /// Type C to oneself, without tools.
    FreshBoots,
}

/// The tool that delivers a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReplyKind {
    Session,
    Sessionless,
    Back,
}

/// How the made-up call id of a reply begins that was given in plain words.
pub const DIRECT_FALLBACK: &str = "direct-fallback-";

/// Why the runtime asks a person in the place of a model: the id of its call says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RuntimeQuestion {
    /// Whether the dialog goes on.
    KeepGoing,
    /// The last words of the model asked.
    Captured,
    /// A decision of the model requires approval.
    Approval,
}

/// A call by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpecialCall {
    Tellask(TellaskKind),
    AskHuman,
    /// Tells a person something that needs no answer; only trees in the layout of Dominds 1.29 have it.
    AnswerHuman,
    Reply(ReplyKind),
}

impl RuntimeQuestion {
    const ALL: [(Self, &str); 3] =
        [(Self::KeepGoing, "keep-going-"), (Self::Captured, "oq-"), (Self::Approval, "ap-")];

    /// The id of such a call. `mark`: what makes it unique.
    #[must_use]
    pub fn call(self, mark: &str) -> CallId {
        let prefix = Self::ALL.iter().find(|(known, _)| *known == self);
        CallId::new(format!("{}{mark}", prefix.map_or("", |(_, prefix)| prefix)))
    }

    /// `None` for the call of a model.
    #[must_use]
    pub fn of(call: &CallId) -> Option<Self> {
        let known = Self::ALL.iter().find(|(_, prefix)| call.as_str().starts_with(prefix));
        known.map(|(known, _)| *known)
    }

    /// Who asks with this call, in a dialog of `member`: nobody but the program asks whether the dialog goes on.
    #[must_use]
    pub fn asker(call: &CallId, member: &str, lang: Lang) -> String {
        match Self::of(call) {
            Some(Self::KeepGoing) => in_lang!(lang, "the program ({member})", "程序（{member}）"),
            Some(Self::Captured | Self::Approval) | None => member.to_owned(),
        }
    }
}

impl TellaskKind {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Back => "tellaskBack",
            Self::Session => "tellask",
            Self::Sessionless => "tellaskSessionless",
            Self::FreshBoots => "freshBootsReasoning",
        }
    }

    #[must_use]
    pub fn call_type(self) -> CallType {
        match self {
            Self::Back => CallType::A,
            Self::Session => CallType::B,
            Self::Sessionless | Self::FreshBoots => CallType::C,
        }
    }

    /// The tool with which an assignment of this kind is answered.
    #[must_use]
    pub fn reply(self) -> ReplyKind {
        match self {
            Self::Back => ReplyKind::Back,
            Self::Session => ReplyKind::Session,
            Self::Sessionless | Self::FreshBoots => ReplyKind::Sessionless,
        }
    }
}

impl ReplyKind {
    pub const ALL: [Self; 3] = [Self::Session, Self::Sessionless, Self::Back];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Session => "replyTellask",
            Self::Sessionless => "replyTellaskSessionless",
            Self::Back => "replyTellaskBack",
        }
    }
}

/// The tools that ask other teams and wait for the answer.
pub const QUERY_TEAM: &str = "query_team";
pub const QUERY_TEAMS: &str = "query_teams";

/// True for a tool that asks other teams and waits for the answer.
#[must_use]
pub fn is_query(tool: &str) -> bool {
    [QUERY_TEAM, QUERY_TEAMS].contains(&tool)
}

/// The name of the question tool.
pub const ASK_HUMAN: &str = "askHuman";
/// The call of Dominds 1.29 with which a dialog tells a person something. It waits for nothing, and is not followed up.
pub const ANSWER_HUMAN: &str = "answerHuman";

impl SpecialCall {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tellask(kind) => kind.name(),
            Self::AskHuman => ASK_HUMAN,
            Self::AnswerHuman => ANSWER_HUMAN,
            Self::Reply(kind) => kind.name(),
        }
    }

    /// `None` for an ordinary tool.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "tellaskBack" => Self::Tellask(TellaskKind::Back),
            "tellask" => Self::Tellask(TellaskKind::Session),
            "tellaskSessionless" => Self::Tellask(TellaskKind::Sessionless),
            "freshBootsReasoning" => Self::Tellask(TellaskKind::FreshBoots),
            ASK_HUMAN => Self::AskHuman,
            ANSWER_HUMAN => Self::AnswerHuman,
            "replyTellask" => Self::Reply(ReplyKind::Session),
            "replyTellaskSessionless" => Self::Reply(ReplyKind::Sessionless),
            "replyTellaskBack" => Self::Reply(ReplyKind::Back),
            _ => return None,
        })
    }
}

/// What a call of this name tells a person, if it does.
#[must_use]
pub fn told(name: &str, arguments: &str) -> Option<String> {
    if name != ANSWER_HUMAN {
        return None;
    }
    text_argument(arguments, "answerContent").filter(|content| !content.is_empty())
}

/// One text among the arguments a model wrote; nothing where there is none.
#[must_use]
pub fn text_argument(arguments: &str, key: &str) -> Option<String> {
    let arguments: serde_json::Value = json::read(arguments).ok()?;
    Some(arguments.get(key)?.as_str()?.trim().to_owned())
}
