//! Entries of a team's vault, and references to them: `${vault:KEY}`. Where a reference is resolved, and which host a
//! secret may be sent to, is decided here.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::domain::TeamName;
use crate::domain::text::{Localized, Text, localized};

/// The variable that may hold the key of a store; no child gets it.
pub const VAULT_KEY: &str = "DOMINDS_TUI_VAULT_KEY";
/// Most characters of a key.
pub const MAX_KEY_CHARS: usize = 200;
/// Most characters of a value.
const MAX_VALUE_CHARS: usize = 65_536;
/// Stands for all hosts.
pub const ANY_HOST: &str = "*";

const BEGIN: &str = "${vault:";
const END: char = '}';
/// Characters of a key besides letters and digits.
const KEY_PUNCTUATION: &[u8] = b"._:/-";

/// The entries of one team, by their keys.
pub type VaultEntries = BTreeMap<String, VaultEntry>;

/// A secret that was decrypted, and what it may be used for.
#[derive(Clone, PartialEq, Eq)]
pub struct VaultEntry {
    pub value: String,
    pub rights: VaultRights,
    /// Grows with each change of the entry.
    pub version: i64,
}

impl fmt::Debug for VaultEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VaultEntry").field("rights", &self.rights).finish_non_exhaustive()
    }
}

/// What a secret may be used for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VaultRights {
    pub uses: Vec<VaultUse>,
    /// Exact hosts, `*.suffix`, or `*`.
    pub hosts: Vec<String>,
    /// Models of the team may read it.
    pub is_revealed: bool,
}

impl VaultRights {
    /// The rights of an entry that was in the file of a team before: nothing changes for the team.
    #[must_use]
    pub fn migrated() -> Self {
        Self { uses: VaultUse::ALL.to_vec(), hosts: vec![ANY_HOST.to_owned()], is_revealed: true }
    }

    /// True if it may be sent to this host.
    #[must_use]
    pub fn may_go_to(&self, host: &str) -> bool {
        self.uses.contains(&VaultUse::Web) && self.hosts.iter().any(|one| is_host(one, host))
    }
}

/// A secret that was used, without its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryUse {
    pub team: TeamName,
    pub key: String,
    pub place: VaultUse,
    /// The tool, the server or the host that got it.
    pub target: String,
    /// Empty where no dialog used it.
    pub dialog: String,
    /// `@member`; empty where none used it.
    pub by: String,
}

/// A place where references are resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VaultUse {
    Web,
    Shell,
    Mcp,
    Plugin,
}

impl VaultUse {
    pub const ALL: [Self; 4] = [Self::Web, Self::Shell, Self::Mcp, Self::Plugin];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Web => "web",
            Self::Shell => "shell",
            Self::Mcp => "mcp",
            Self::Plugin => "plugin",
        }
    }

    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}

/// A reference to an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    pub key: String,
    /// The team, where it is named.
    pub team: Option<String>,
}

impl Reference {
    /// The reference that this whole text is.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let inner = text.trim().strip_prefix(BEGIN)?.strip_suffix(END)?;
        let (key, team) = match inner.split_once('@') {
            Some((key, team)) => (key, Some(team)),
            None => (inner, None),
        };
        let is_one = is_key(key) && team.is_none_or(TeamName::is_well_formed);
        is_one.then(|| Self { key: key.to_owned(), team: team.map(str::to_owned) })
    }

    /// True if a text has the beginning of one in it.
    #[must_use]
    pub fn is_begun_in(text: &str) -> bool {
        text.contains(BEGIN)
    }
}

/// True for a well-formed key.
#[must_use]
pub fn is_key(key: &str) -> bool {
    let is_one = |byte: u8| byte.is_ascii_alphanumeric() || KEY_PUNCTUATION.contains(&byte);
    (1..=MAX_KEY_CHARS).contains(&key.len()) && key.bytes().all(is_one)
}

/// What is wrong with a key or a value.
///
/// # Errors
/// The message.
pub fn check_entry(key: &str, value: &str) -> Result<(), Localized> {
    if !is_key(key) {
        return Err(Text::new(
            "key must be 1 to 200 characters of letters, digits and . _ : / -",
            "键必须为 1 到 200 个字符：字母、数字和 . _ : / -",
        )
        .into());
    }
    if (1..=MAX_VALUE_CHARS).contains(&value.chars().count()) && !value.contains('\0') {
        return Ok(());
    }
    Err(localized!(
        "value must have 1 to {MAX_VALUE_CHARS} characters",
        "值必须为 1 到 {MAX_VALUE_CHARS} 个字符"
    ))
}

/// The text that stands for the value of this key.
#[must_use]
pub fn reference_to(key: &str) -> String {
    format!("{BEGIN}{key}{END}")
}

/// The text with values in place of the references that `value` knows. What a value holds is not looked at again.
#[must_use]
pub fn with_values(text: &str, mut value: impl FnMut(&str) -> Option<String>) -> Option<String> {
    let (mut out, mut rest, mut is_changed) = (String::new(), text, false);
    while let Some((before, after)) = rest.split_once(BEGIN) {
        out.push_str(before);
        let found = after.split_once(END).filter(|(key, _)| is_key(key));
        let found = found.and_then(|(key, more)| Some((value(key)?, more)));
        if let Some((value, more)) = found {
            out.push_str(&value);
            (rest, is_changed) = (more, true);
        } else {
            out.push_str(BEGIN);
            rest = after;
        }
    }
    out.push_str(rest);
    is_changed.then_some(out)
}

/// True for a pattern of hosts that can be stored.
#[must_use]
pub fn is_host_pattern(pattern: &str) -> bool {
    let name = pattern.strip_prefix("*.").unwrap_or(pattern);
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    pattern == ANY_HOST || (name.len() <= 253 && name.split('.').all(is_label))
}

/// True if the pattern is this host, or has it below its suffix. The final dot of a host means nothing.
fn is_host(pattern: &str, host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    let pattern = pattern.to_ascii_lowercase();
    match pattern.strip_prefix("*.") {
        _ if host.is_empty() => false,
        Some(suffix) => {
            let label = host.strip_suffix(suffix).and_then(|rest| rest.strip_suffix('.'));
            label.is_some_and(|label| !label.is_empty())
        }
        None => pattern == ANY_HOST || pattern == host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_letters_digits_and_some_punctuation() {
        let long = "k".repeat(MAX_KEY_CHARS + 1);
        for (key, expected) in [
            ("GITHUB_TOKEN", true),
            ("learning:ops/x.y-z", true),
            (&long[1..], true),
            (&long, false),
            ("", false),
            ("a b", false),
            ("a@b", false),
            ("a}", false),
            ("钥匙", false),
            ("a\n", false),
        ] {
            assert_eq!(is_key(key), expected, "{key:?}");
        }
    }

    #[test]
    fn a_secret_goes_only_to_the_hosts_that_are_named() {
        for (pattern, host, expected) in [
            ("api.github.com", "api.github.com", true),
            ("api.github.com", "API.GitHub.com", true),
            ("api.github.com", "api.github.com.", true),
            ("api.github.com", "github.com", false),
            ("api.github.com", "api.github.com.evil.org", false),
            ("api.github.com", "xapi.github.com", false),
            ("*.github.com", "api.github.com", true),
            ("*.github.com", "a.b.github.com", true),
            ("*.github.com", "github.com", false),
            ("*.github.com", "evilgithub.com", false),
            ("*.github.com", ".github.com", false),
            ("*", "anything.example", true),
            ("*", "", false),
            ("", "", false),
        ] {
            let hosts = vec![pattern.to_owned()];
            let open = VaultRights { uses: vec![VaultUse::Web], hosts, is_revealed: false };
            assert_eq!(open.may_go_to(host), expected, "{pattern} {host}");
            let closed = VaultRights { uses: vec![VaultUse::Shell], ..open };
            assert!(!closed.may_go_to(host), "only where `web` is among the uses");
        }
    }

    #[test]
    fn a_pattern_of_hosts_is_a_name_or_a_suffix() {
        for (pattern, expected) in [
            ("*", true),
            ("localhost", true),
            ("*.example.org", true),
            ("127.0.0.1", true),
            ("", false),
            ("*.", false),
            ("*.*", false),
            ("a*.org", false),
            ("http://a.org", false),
            ("a.org:80", false),
            ("a..org", false),
        ] {
            assert_eq!(is_host_pattern(pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn only_known_references_become_values_and_values_are_not_read_again() {
        let value = |key: &str| match key {
            "A" => Some("1".to_owned()),
            "B" => Some("${vault:A}".to_owned()),
            _ => None,
        };
        for (text, expected) in [
            ("${vault:A}", Some("1")),
            ("x ${vault:A}${vault:A} y", Some("x 11 y")),
            ("${vault:B}", Some("${vault:A}")),
            ("${vault:${vault:A}", Some("${vault:1")),
            ("${vault:C} ${vault:A}", Some("${vault:C} 1")),
            ("${vault:C}", None),
            ("${vault:A", None),
            ("$vault:A}", None),
            ("${vault: A}", None),
            ("", None),
        ] {
            assert_eq!(with_values(text, value).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_whole_text_may_be_a_reference_to_an_entry_of_a_team() {
        let team = |team: Option<&str>| {
            Some(Reference { key: "K".to_owned(), team: team.map(str::to_owned) })
        };
        for (text, expected) in [
            ("${vault:K}", team(None)),
            (" ${vault:K@ops} ", team(Some("ops"))),
            ("Bearer ${vault:K}", None),
            ("${vault:}", None),
            ("${vault:K K}", None),
            ("${vault:K@ops} ${vault:K@ops}", None),
        ] {
            assert_eq!(Reference::of(text), expected, "{text}");
            assert!(Reference::is_begun_in(text), "{text}");
        }
    }
}
