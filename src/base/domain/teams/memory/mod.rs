//! What a team remembers: records with a key and a type, which its members save, find and replace. A replaced one is kept, and
//! found behind the one that replaced it.

pub mod chunks;
pub mod prompt;
pub mod rank;
#[cfg(test)]
mod tests;
pub mod words;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::task::named;
use crate::domain::text::hidden_chars::is_hidden;
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{AgentId, Course, DialogId, Lang, Secrets, Stamp, TeamName};

/// Most characters of a key, of a content and of a query.
pub const MAX_KEY: usize = 200;
pub const MAX_CONTENT: usize = 16_000;
pub const MAX_QUERY: usize = 2_000;
/// Most active memories of a team.
pub const MAX_ACTIVE: u32 = 5_000;
/// Most memories that a dialog saves in a course.
pub const MAX_SAVES: u32 = 100;
/// Most results of a search, and most rows of a list.
pub const MAX_RESULTS: u32 = 50;
pub const MAX_ROWS: u32 = 500;
/// Most characters of a key in a file name.
const MAX_FILE_NAME: usize = 60;

named! {
    /// What a memory is; lists are in this order.
    MemoryType {
        /// Who the team is.
        Identity = "identity",
        /// What it learned.
        Lesson = "lesson",
        /// What it chose.
        Decision = "decision",
        /// What holds at the moment.
        Context = "context",
        /// Where something is.
        Reference = "reference",
        /// What no longer holds.
        Historical = "historical",
    }
}

impl MemoryType {
    /// The one that a model means by this word.
    ///
    /// # Errors
    /// It means none.
    pub fn of_word(word: &str) -> Result<Self, MemoryRefusal> {
        let known = word.trim().to_lowercase();
        Ok(match known.as_str() {
            "core" | "self" => Self::Identity,
            "warning" | "insight" | "learning" => Self::Lesson,
            "commitment" | "choice" | "note" => Self::Decision,
            "" | "active" | "background" => Self::Context,
            "pointer" | "link" => Self::Reference,
            "archive" | "past" => Self::Historical,
            name => {
                let shown = || word.chars().take(MAX_FILE_NAME).collect();
                Self::named(name).ok_or_else(|| MemoryRefusal::UnknownType(shown()))?
            }
        })
    }
}

/// Who saves a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Author {
    Human,
    Member { id: AgentId, dialog: DialogId, course: Course },
}

impl Author {
    /// As it is stored and shown.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Human => "@human".to_owned(),
            Self::Member { id, .. } => format!("@{id}"),
        }
    }
}

/// A memory that is to be saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMemory {
    pub team: TeamName,
    pub key: String,
    pub content: String,
    pub kind: MemoryType,
    /// Why it replaces the one of its key.
    pub reason: Option<String>,
    pub by: Author,
    /// For what a person is told about it.
    pub lang: Lang,
}

impl NewMemory {
    /// The same without what nobody sees, if it is within the bounds. An empty reason counts as none.
    ///
    /// # Errors
    /// The key or the content cannot be kept.
    pub fn checked(mut self) -> Result<Self, MemoryRefusal> {
        self.key = self.key.trim().to_owned();
        let is_line =
            !self.key.chars().any(|c| is_hidden(c) || matches!(c, '\u{2028}' | '\u{2029}'));
        if !is_line || !(1..=MAX_KEY).contains(&self.key.chars().count()) {
            return Err(MemoryRefusal::BadKey);
        }
        let is_kept = |c: &char| matches!(c, '\n' | '\t') || !is_hidden(*c);
        let clean = |text: &str| text.chars().filter(is_kept).collect::<String>().trim().to_owned();
        self.content = clean(&self.content);
        if !(1..=MAX_CONTENT).contains(&self.content.chars().count()) {
            return Err(MemoryRefusal::BadContent);
        }
        let reason = self.reason.map(|text| clean(&text)).filter(|text| !text.is_empty());
        self.reason = reason.map(|text| text.chars().take(MAX_QUERY).collect());
        Ok(self)
    }
}

/// What became of a memory that was to be saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Saved {
    New {
        id: i64,
        supersedes: Option<i64>,
    },
    /// It is there already.
    Unchanged {
        id: i64,
    },
}

/// Why something was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryRefusal {
    Exists(String),
    UnknownType(String),
    BadKey,
    BadContent,
    Full(TeamName),
    TooMany,
    LongQuery,
}

impl MemoryRefusal {
    /// The message for models and people.
    #[must_use]
    pub fn text(&self) -> Localized {
        match self {
            Self::Exists(key) => localized!(
                "Active memory '{key}' already exists. Provide supersede_reason to replace it, or use a different key.",
                "已有记忆 '{key}'。要替换它请提供 supersede_reason，否则请使用其他 key。"
            ),
            Self::UnknownType(word) => localized!(
                "unknown memory type '{word}': use identity, lesson, decision, context, reference or historical",
                "未知的记忆类型 '{word}'：请用 identity、lesson、decision、context、reference 或 historical"
            ),
            Self::BadKey => localized!(
                "key must be one line of 1 to {MAX_KEY} characters",
                "key 应为一行，1 到 {MAX_KEY} 个字符"
            ),
            Self::BadContent => localized!(
                "content must have 1 to {MAX_CONTENT} characters",
                "content 应有 1 到 {MAX_CONTENT} 个字符"
            ),
            Self::Full(team) => localized!(
                "team '{team}' has {MAX_ACTIVE} active memories; replace or delete some",
                "团队 '{team}' 已有 {MAX_ACTIVE} 条记忆；请替换或删除一些"
            ),
            Self::TooMany => {
                Text::new("too many memories in one course", "在一个 course 中保存的记忆过多")
                    .into()
            }
            Self::LongQuery => localized!(
                "query is longer than {MAX_QUERY} characters",
                "query 超过 {MAX_QUERY} 个字符"
            ),
        }
    }
}

/// A memory as it is kept. Its JSON is in docs/scripting.md.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Memory {
    pub id: i64,
    pub team: TeamName,
    pub key: String,
    #[serde(rename = "type")]
    pub kind: MemoryType,
    pub content: String,
    pub is_active: bool,
    pub deleted_at: Option<Stamp>,
    /// The memory that it replaced, and why.
    pub supersedes_id: Option<i64>,
    pub supersede_reason: Option<String>,
    /// The memory that replaced it.
    pub superseded_by: Option<i64>,
    pub updated_by: String,
    /// The dialog where it was saved.
    pub dialog: Option<String>,
    pub created_at: Stamp,
    pub updated_at: Stamp,
}

impl Memory {
    /// The same without secrets, for a file: a text in it may have become a secret after it was saved.
    #[must_use]
    pub fn redacted(self, secrets: &Arc<Secrets>) -> Self {
        Self {
            key: secrets.redacted(self.key),
            content: secrets.redacted(self.content),
            supersede_reason: self.supersede_reason.map(|reason| secrets.redacted(reason)),
            ..self
        }
    }

    /// The name of its file in an export, which no other one has.
    #[must_use]
    pub fn file_name(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
        let name: String = self.key.chars().map(plain).take(MAX_FILE_NAME).collect();
        format!("{}-{}.md", name.trim_matches('-'), self.id)
    }

    /// It as a Markdown file with front matter.
    #[must_use]
    pub fn markdown(&self) -> String {
        let reason = self.supersede_reason.as_deref().unwrap_or_default();
        let line = |name: &str, value: &str| format!("{name}: {}\n", serde_json::json!(value));
        let head = [
            line("key", &self.key),
            line("type", self.kind.name()),
            line("reason", reason),
            line("at", self.updated_at.as_str()),
            line("by", &self.updated_by),
        ];
        format!("---\n{}---\n\n{}\n", head.concat(), self.content)
    }
}

/// A memory that a search found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Found {
    #[serde(flatten)]
    pub memory: Memory,
    /// Why it was replaced.
    #[serde(skip)]
    pub replaced_for: Option<String>,
    pub snippet: String,
    /// 0 to 1, in hundredths.
    pub score: f64,
}

/// What is searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryQuery {
    pub team: TeamName,
    pub text: String,
    pub kind: Option<MemoryType>,
    pub most: u32,
}

impl MemoryQuery {
    /// The same within the bounds. Any text is legal.
    ///
    /// # Errors
    /// It is too long.
    pub fn checked(self) -> Result<Self, MemoryRefusal> {
        if self.text.chars().nth(MAX_QUERY).is_some() {
            return Err(MemoryRefusal::LongQuery);
        }
        Ok(Self { most: self.most.clamp(1, MAX_RESULTS), ..self })
    }
}

/// Which memories are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ListedMemories {
    Active,
    /// Also those that were replaced.
    Superseded,
    /// Those that were deleted alone; of those with one key that replaced each other, the last one.
    Deleted,
}

/// Which memories are listed, and how many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryFilter {
    /// `None`: those of all teams.
    pub team: Option<TeamName>,
    pub kind: Option<MemoryType>,
    pub listed: ListedMemories,
    pub most: u32,
}
