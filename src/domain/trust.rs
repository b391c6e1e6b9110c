//! Which key may go where, and what servers may do.
//!
//! A workspace names the variable that holds a key and the address the key is sent to, and a
//! workspace may come from someone else. So a pair of the two that is not built in waits for a
//! person's consent, once for each person and machine.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Longest name of a variable that can be agreed to: it has to fit a screen.
const NAME_CHARS: usize = 64;
/// Longest address.
const ADDRESS_CHARS: usize = 280;
/// Longest account of what a server does.
const ACT_CHARS: usize = 2_000;

/// A key from the environment, and the address it would be sent to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct KeyUse {
    pub variable: String,
    /// Scheme, host and port, the port only where it is not the usual one.
    pub address: String,
}

impl KeyUse {
    /// True if a person can be shown all of it, and it stands in one line as two words.
    #[must_use]
    pub fn can_be_shown(&self) -> bool {
        let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        (1..=NAME_CHARS).contains(&self.variable.len())
            && self.variable.chars().all(name)
            && (1..=ADDRESS_CHARS).contains(&self.address.len())
            && self.address.chars().all(|c| c.is_ascii_graphic())
    }

    /// From a line as [`KeyUse`] is displayed; `None` for any other text.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let (variable, address) = (words.next()?.to_owned(), words.next()?.to_owned());
        let read = Self { variable, address };
        (words.next().is_none() && read.can_be_shown()).then_some(read)
    }
}

impl fmt::Display for KeyUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.variable, self.address)
    }
}

/// What a server that a workspace names would do: start a program, talk to an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerUse {
    /// The folder it is named in, as this machine knows it.
    pub workspace: String,
    pub server: String,
    /// All of it, in one line of ASCII.
    pub act: String,
}

impl ServerUse {
    #[must_use]
    pub fn new(workspace: &str, server: &str, act: &str) -> Self {
        let plain =
            |c: char| if c.is_ascii() { c.to_string() } else { c.escape_unicode().to_string() };
        let act = act.chars().map(plain).collect();
        Self { workspace: workspace.to_owned(), server: server.to_owned(), act }
    }

    /// True if a person can be shown all of it.
    #[must_use]
    pub fn can_be_shown(&self) -> bool {
        let printable = |c: char| c.is_ascii_graphic() || c == ' ';
        self.act.len() <= ACT_CHARS && self.act.chars().all(printable)
    }

    /// From a line as [`ServerUse`] is displayed; `None` for any other text.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        let [workspace, server, act] = serde_json::from_str(line).ok()?;
        Some(Self { workspace, server, act })
    }
}

impl fmt::Display for ServerUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", serde_json::json!([self.workspace, self.server, self.act]))
    }
}

/// Whether a key may be sent: within this machine, to where it belongs, or where a person agreed.
#[must_use]
pub fn may_go(key: &KeyUse, this_machine: bool, builtin: &[KeyUse], agreed: &[KeyUse]) -> bool {
    this_machine || builtin.contains(key) || (key.can_be_shown() && agreed.contains(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(variable: &str, address: &str) -> KeyUse {
        KeyUse { variable: variable.to_owned(), address: address.to_owned() }
    }

    #[test]
    fn a_key_goes_only_where_it_belongs_or_where_a_person_agreed() {
        let builtin = [key("A_KEY", "https://a.example"), key("B_KEY", "https://b.example")];
        let agreed = [key("C_KEY", "https://c.example"), key("C KEY", "https://c.example")];
        for (what, variable, address, this_machine, expected) in [
            ("built in", "A_KEY", "https://a.example", false, true),
            ("a built-in key elsewhere", "A_KEY", "https://evil.example", false, false),
            ("a built-in key at another vendor", "A_KEY", "https://b.example", false, false),
            ("another port", "A_KEY", "https://a.example:8443", false, false),
            ("without encryption", "A_KEY", "http://a.example", false, false),
            ("another key at a known vendor", "AWS_SECRET", "https://a.example", false, false),
            ("within this machine", "A_KEY", "http://127.0.0.1:8080", true, true),
            ("agreed", "C_KEY", "https://c.example", false, true),
            ("agreed for another key", "A_KEY", "https://c.example", false, false),
            ("agreed for another address", "C_KEY", "https://d.example", false, false),
            ("nothing a person could have read", "C KEY", "https://c.example", false, false),
        ] {
            let found = may_go(&key(variable, address), this_machine, &builtin, &agreed);
            assert_eq!(found, expected, "{what}");
        }
    }

    #[test]
    fn what_a_server_does_is_agreed_to_as_a_whole_and_only_if_it_can_be_read() {
        let whole = ServerUse::new("/w \"x\"\n", "s", "starts \"x\" \u{202e}");
        assert_eq!(whole.act, "starts \"x\" \\u{202e}");
        assert_eq!(ServerUse::read(&whole.to_string()), Some(whole.clone()));
        assert!(whole.can_be_shown() && whole.to_string().lines().count() == 1);
        assert!(!ServerUse::new("w", "s", &"x".repeat(2_001)).can_be_shown());
        assert!(!ServerUse::new("w", "s", "a\nb").can_be_shown());
        for line in ["", "# x", "[\"a\", \"b\"]", "{}"] {
            assert_eq!(ServerUse::read(line), None, "{line}");
        }
    }

    #[test]
    fn a_line_is_read_as_it_was_written_and_anything_else_is_no_consent() {
        let whole = key("A_KEY", "https://a.example:8443");
        assert_eq!(KeyUse::read(&whole.to_string()), Some(whole));
        for line in ["", "# A_KEY https://a", "A_KEY", "A_KEY https://a b", "A-KEY https://a"] {
            assert_eq!(KeyUse::read(line), None, "{line}");
        }
        let long = key(&"A".repeat(65), "https://a.example");
        assert!(!long.can_be_shown());
        assert!(!key("A\nB", "https://a.example").can_be_shown());
        assert!(!key("A", "https://a.example b").can_be_shown());
    }
}
