//! Tool names: which tools of a server are offered, and how they are renamed. Pure.

use crate::domain::text::wildcard::fits;

/// Providers accept no longer name.
pub const MAX_NAME_BYTES: usize = 64;

/// True for a name that every provider accepts.
#[must_use]
pub fn is_tool_name(name: &str) -> bool {
    let fits = |c: u8| c.is_ascii_alphanumeric() || c == b'_' || c == b'-';
    (1..=MAX_NAME_BYTES).contains(&name.len()) && name.bytes().all(fits)
}

/// Which tools or prompts of a server are offered, by their original names; or which resources, by their addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolFilter {
    /// Patterns in which `*` stands for any text.
    pub whitelist: Vec<String>,
    pub blacklist: Vec<String>,
}

impl ToolFilter {
    /// With a whitelist alone: only those. With a blacklist: all others, and whitelisted ones.
    #[must_use]
    pub fn allows(&self, name: &str) -> bool {
        let on = |list: &[String]| list.iter().any(|pattern| fits(pattern, name));
        if self.blacklist.is_empty() {
            self.whitelist.is_empty() || on(&self.whitelist)
        } else {
            !on(&self.blacklist) || on(&self.whitelist)
        }
    }
}

/// One step of renaming a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameRule {
    Prefix(String),
    /// Replaces a prefix, if the name has it.
    Replace {
        remove: String,
        add: String,
    },
    Suffix(String),
}

impl NameRule {
    #[must_use]
    pub fn apply(&self, name: &str) -> String {
        match self {
            Self::Prefix(prefix) => format!("{prefix}{name}"),
            Self::Replace { remove, add } => match name.strip_prefix(remove.as_str()) {
                Some(rest) => format!("{add}{rest}"),
                None => name.to_owned(),
            },
            Self::Suffix(suffix) => format!("{name}{suffix}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whitelist_wins_over_a_blacklist() {
        let list = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        for (whitelist, blacklist, wanted) in [
            (&[][..], &[][..], ["a_x", "a_y", "b"].as_slice()),
            (&["a_*"], &[], &["a_x", "a_y"]),
            (&[], &["a_*"], &["b"]),
            (&["a_x"], &["a_*"], &["a_x", "b"]),
        ] {
            let filter = ToolFilter { whitelist: list(whitelist), blacklist: list(blacklist) };
            let found: Vec<&str> =
                ["a_x", "a_y", "b"].into_iter().filter(|name| filter.allows(name)).collect();
            assert_eq!(found, wanted, "{filter:?}");
        }
    }

    #[test]
    fn name_rules_are_applied_in_order() {
        let changes = [
            NameRule::Prefix("x_".to_owned()),
            NameRule::Replace { remove: "x_a_".to_owned(), add: "b_".to_owned() },
            NameRule::Suffix("_y".to_owned()),
        ];
        let name = |name: &str| changes.iter().fold(name.to_owned(), |name, c| c.apply(&name));
        assert_eq!((name("a_read"), name("read")), ("b_read_y".into(), "x_read_y".into()));
    }

    #[test]
    fn k10_a_name_holds_letters_digits_underscores_and_dashes_only() {
        for (name, expected) in [
            ("a", true),
            ("A-1_b", true),
            ("", false),
            ("a.b", false),
            ("a b", false),
            ("é", false),
        ] {
            assert_eq!(is_tool_name(name), expected, "{name}");
        }
        assert!(is_tool_name(&"a".repeat(64)) && !is_tool_name(&"a".repeat(65)));
    }
}
