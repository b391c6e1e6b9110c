//! What a workspace can make happen beyond changing its own files, and what a person agreed to.
//!
//! A workspace may come from someone else. So each such thing is an [`TrustEntry`] that takes effect only
//! after a person agreed to it, once for each workspace; an entry that changed has to be agreed to
//! again.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::sandbox::Level;
use super::server_tools::KnownTools;

/// The longest account of an entry that can be agreed to: a person has to read all of it.
pub(in crate::domain) const ACT_CHARS: usize = 16_000;

/// What kind of thing an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustKind {
    /// A member that may run commands.
    Shell,
    /// An MCP server.
    Server,
    /// A tool of an MCP server that was agreed to: it is new, or another than it was.
    Tool,
    /// A provider that is not this machine, and the key it is sent.
    Provider,
    /// Decisions that are left to members.
    Autonomy,
    /// A database that was not made here.
    Store,
    /// What the members of teams can do that members make.
    Spawn,
    /// Secrets that commands of a team get.
    Vault,
}

impl TrustKind {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Server => "server",
            Self::Tool => "tool",
            Self::Provider => "provider",
            Self::Autonomy => "autonomy",
            Self::Store => "store",
            Self::Spawn => "spawn",
            Self::Vault => "vault",
        }
    }

    /// True if no dialog goes on by itself before a person has agreed. A tool of a server is only missing until then.
    #[must_use]
    pub fn holds_dialogs(self) -> bool {
        match self {
            Self::Shell
            | Self::Server
            | Self::Provider
            | Self::Autonomy
            | Self::Store
            | Self::Spawn
            | Self::Vault => true,
            Self::Tool => false,
        }
    }
}

/// One thing a workspace can make happen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustEntry {
    pub kind: TrustKind,
    /// The member, the server or the provider; of a tool its server, `/` and its name.
    pub name: String,
    /// All that happens, in one line of printable ASCII. Secrets that are written out are masked.
    pub act: String,
    /// Hash of all that matters, also of what `act` masks, in hexadecimal digits.
    pub digest: String,
}

impl TrustEntry {
    /// An entry; what is not ASCII in its text is written as escapes.
    #[must_use]
    pub fn new(kind: TrustKind, name: &str, act: &str, digest: String) -> Self {
        Self { kind, name: plain(name), act: plain(act), digest }
    }

    /// True if a person can be shown all of it.
    #[must_use]
    pub fn can_be_shown(&self) -> bool {
        let printable = |c: char| c.is_ascii_graphic() || c == ' ';
        self.name.len() + self.act.len() <= ACT_CHARS
            && self.name.chars().chain(self.act.chars()).all(printable)
    }
}

impl fmt::Display for TrustEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.kind.name(), self.name, self.act)
    }
}

/// Printable ASCII as it is, everything else as an escape.
pub(in crate::domain) fn plain(text: &str) -> String {
    let shown = |c: char| match c {
        ' ' => " ".to_owned(),
        c if c.is_ascii_graphic() => c.to_string(),
        c => c.escape_unicode().to_string(),
    };
    text.chars().map(shown).collect()
}

/// An entry that nobody has agreed to as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unagreed {
    pub entry: TrustEntry,
    /// What a person agreed to under the same name before; `None` for what is new.
    pub before: Option<String>,
}

impl Unagreed {
    /// True if no dialog goes on by itself before a person has agreed.
    #[must_use]
    pub fn holds_dialogs(&self) -> bool {
        self.entry.kind.holds_dialogs()
    }

    /// True if only a value changed that is not shown: the act is the same as before.
    #[must_use]
    pub fn is_masked_change(&self) -> bool {
        self.before.as_deref() == Some(self.entry.act.as_str())
    }
}

/// An entry a person agreed to, as it is kept: one line of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreed {
    /// The folder, as this machine knows it.
    pub workspace: String,
    pub kind: TrustKind,
    pub name: String,
    pub digest: String,
    pub act: String,
    /// The tools of a server; `None` before it has listed them for the first time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<KnownTools>,
}

impl Agreed {
    #[must_use]
    pub fn to(workspace: &str, entry: &TrustEntry) -> Self {
        let TrustEntry { kind, name, act, digest } = entry.clone();
        Self { workspace: workspace.to_owned(), kind, name, digest, act, tools: None }
    }

    /// From a line; `None` for any other text, which is no consent.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }

    /// True if it is about the same thing, as it is now or as it was.
    #[must_use]
    pub fn is_about(&self, workspace: &str, entry: &TrustEntry) -> bool {
        self.workspace == workspace && self.kind == entry.kind && self.name == entry.name
    }
}

impl fmt::Display for Agreed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

/// The level of the sandbox a person chose for a workspace, as it is kept: one line of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChosenLevel {
    /// The folder, as this machine knows it.
    pub workspace: String,
    pub sandbox: Level,
}

impl ChosenLevel {
    /// From a line; `None` for any other text.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }
}

/// `None` if a person agreed to this entry as it is; else what is missing.
#[must_use]
pub fn unagreed(workspace: &str, entry: TrustEntry, agreed: &[Agreed]) -> Option<Unagreed> {
    let mut same = agreed.iter().filter(|one| one.is_about(workspace, &entry));
    if entry.can_be_shown() && same.clone().any(|one| one.digest == entry.digest) {
        return None;
    }
    let before = same.next_back().map(|one| one.act.clone());
    Some(Unagreed { entry, before })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, act: &str, digest: &str) -> TrustEntry {
        TrustEntry::new(TrustKind::Server, name, act, digest.to_owned())
    }

    #[test]
    fn an_entry_waits_until_it_was_agreed_to_as_it_is_and_says_what_it_was() {
        let agreed = [
            Agreed::to("/w", &entry("s", "starts a", "1")),
            Agreed::to("/w", &entry("s", "starts b", "2")),
            Agreed::to("/other", &entry("s", "starts c", "3")),
            Agreed::to("/w", &entry("secret", "starts x with ***", "4")),
        ];
        let long = "x".repeat(ACT_CHARS);
        for (what, name, act, digest, expected) in [
            ("agreed", "s", "starts b", "2", None),
            ("agreed once, and then to something else", "s", "starts a", "1", None),
            ("agreed elsewhere", "s", "starts c", "3", Some(Some("starts b"))),
            ("new", "t", "starts a", "1", Some(None)),
            ("a script changed", "s", "starts b", "9", Some(Some("starts b"))),
            (
                "what is masked changed",
                "secret",
                "starts x with ***",
                "5",
                Some(Some("starts x with ***")),
            ),
            ("too long to be read", "s", &long, "2", Some(Some("starts b"))),
        ] {
            let found = unagreed("/w", entry(name, act, digest), &agreed);
            let found = found.as_ref().map(|one| one.before.as_deref());
            assert_eq!(found, expected, "{what}");
        }
    }

    #[test]
    fn an_entry_is_one_line_of_ascii_however_it_is_named() {
        let odd = entry("n\u{202e}\n", "starts \"é\"\t", "1");
        assert_eq!(odd.to_string(), "server n\\u{202e}\\u{a}: starts \"\\u{e9}\"\\u{9}");
        assert!(odd.can_be_shown());
        assert!(!entry("s", &"x".repeat(ACT_CHARS), "1").can_be_shown());
    }

    #[test]
    fn a_line_is_read_as_it_was_written_and_anything_else_is_no_consent() {
        let whole = Agreed::to("/w \"x\"\n", &entry("s", "starts a", "1"));
        assert_eq!(Agreed::read(&whole.to_string()), Some(whole.clone()));
        assert_eq!(whole.to_string().lines().count(), 1);
        for line in ["", "# x", "[\"a\", \"b\"]", "{}", "A_KEY https://a.example"] {
            assert_eq!(Agreed::read(line), None, "{line}");
        }
    }
}
