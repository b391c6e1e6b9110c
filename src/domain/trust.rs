//! Which key may go where.
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
