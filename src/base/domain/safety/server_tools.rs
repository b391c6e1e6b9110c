//! The tools of a server as a part of what a person agreed to. The first list of a server that was agreed to belongs to
//! that; in a later one, what is new or changed waits. Pure.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::trust::{ACT_CHARS, plain};

/// Characters kept of a tool that was agreed to: enough to show what it was.
const KEPT_CHARS: usize = 2_000;
/// Bytes of the tools of one server that wait for consent at the same time; the rest is shown after these.
const MAX_WAITING_BYTES: usize = 64 * 1024;

/// A tool as a server describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFacts {
    /// The server's own name for it.
    pub name: String,
    /// All that models are told of it, in one line of printable ASCII.
    pub act: String,
    /// Hash of all that models are told of it, in hexadecimal digits.
    pub digest: String,
}

impl ToolFacts {
    /// A text that is too long to be shown is kept one character longer than that.
    #[must_use]
    pub fn new(name: &str, act: &str, digest: String) -> Self {
        let act = plain(act).chars().take(ACT_CHARS + 1).collect();
        Self { name: name.to_owned(), act, digest }
    }

    fn shortened(&self) -> Self {
        let mut short: String = self.act.chars().take(KEPT_CHARS).collect();
        if short.len() < self.act.len() {
            short.push_str("...");
        }
        Self { act: short, ..self.clone() }
    }
}

/// The tools of a server that a person agreed to, and those that wait.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownTools {
    pub agreed: Vec<ToolFacts>,
    /// New or changed in the last list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<ToolFacts>,
}

impl KnownTools {
    /// The first list.
    #[must_use]
    pub fn of_first(listed: &[ToolFacts]) -> Self {
        let agreed = listed.iter().map(ToolFacts::shortened).collect();
        Self { agreed, waiting: Vec::new() }
    }

    /// The tools after a later list. A tool that is not in it stays agreed to, as it was.
    #[must_use]
    pub fn after(&self, listed: &[ToolFacts]) -> Self {
        let mut bytes = 0;
        let mut has_room = |tool: &&ToolFacts| {
            bytes += tool.act.len();
            bytes <= MAX_WAITING_BYTES
        };
        let (short, long): (Vec<&ToolFacts>, Vec<&ToolFacts>) = listed
            .iter()
            .filter(|tool| !self.agrees_to(tool))
            .partition(|tool| tool.act.len() <= ACT_CHARS);
        // A tool that cannot be agreed to must not keep others from being shown.
        let waiting = short.into_iter().chain(long).take_while(&mut has_room);
        Self { agreed: self.agreed.clone(), waiting: waiting.cloned().collect() }
    }

    /// True if it is as it was when a person agreed to it.
    #[must_use]
    pub fn agrees_to(&self, tool: &ToolFacts) -> bool {
        self.agreed.iter().any(|known| known.name == tool.name && known.digest == tool.digest)
    }

    /// A person agreed to those of the waiting tools that fit.
    #[must_use]
    pub fn with(&self, fits: impl Fn(&ToolFacts) -> bool) -> Self {
        let (new, waiting): (Vec<_>, Vec<_>) = self.waiting.iter().cloned().partition(fits);
        let names: BTreeSet<&str> = new.iter().map(|tool| tool.name.as_str()).collect();
        let kept = self.agreed.iter().filter(|known| !names.contains(known.name.as_str()));
        let agreed = kept.cloned().chain(new.iter().map(ToolFacts::shortened)).collect();
        Self { agreed, waiting }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, act: &str) -> ToolFacts {
        ToolFacts::new(name, act, format!("{name}={act}"))
    }

    fn names(tools: &[ToolFacts]) -> Vec<&str> {
        tools.iter().map(|tool| tool.name.as_str()).collect()
    }

    #[test]
    fn what_is_new_or_changed_in_a_later_list_waits_and_the_rest_goes_on() {
        let first = KnownTools::of_first(&[tool("a", "1"), tool("b", "1"), tool("c", "1")]);
        let listed = [tool("a", "1"), tool("b", "2"), tool("d", "1")];
        let later = first.after(&listed);
        assert_eq!(names(&later.waiting), ["b", "d"]);
        assert!(later.agrees_to(&listed[0]) && !later.agrees_to(&listed[1]));
        assert!(later.agrees_to(&tool("c", "1")), "one that is gone may come back as it was");
        assert_eq!(first.after(&[tool("b", "1")]).waiting, [], "back as it was");
    }

    #[test]
    fn a_tool_that_was_agreed_to_anew_is_agreed_to_in_its_new_form_alone() {
        let first = KnownTools::of_first(&[tool("a", "1"), tool("b", "1")]);
        let later = first.after(&[tool("a", "2"), tool("b", "2")]);
        let agreed = later.with(|tool| tool.name == "a");
        assert_eq!(names(&agreed.waiting), ["b"]);
        assert!(agreed.agrees_to(&tool("a", "2")) && !agreed.agrees_to(&tool("a", "1")));
        assert!(agreed.agrees_to(&tool("b", "1")) && !agreed.agrees_to(&tool("b", "2")));
    }

    #[test]
    fn what_is_kept_is_bounded_and_what_is_too_long_stays_too_long() {
        let long = tool("long", &"x".repeat(ACT_CHARS * 2));
        assert_eq!(long.act.len(), ACT_CHARS + 1);
        let first = KnownTools::of_first(std::slice::from_ref(&long));
        assert!(first.agrees_to(&long) && first.agreed[0].act.len() < KEPT_CHARS + 10);
        let many: Vec<ToolFacts> =
            (0..100).map(|n| tool(&format!("t{n}"), &"x".repeat(ACT_CHARS / 2))).collect();
        let waiting = KnownTools::default().after(&many).waiting;
        assert!(waiting.iter().map(|tool| tool.act.len()).sum::<usize>() <= MAX_WAITING_BYTES);
        assert!(!waiting.is_empty());
        assert_eq!(names(&KnownTools::default().after(&[long]).waiting), ["long"]);
    }
}
