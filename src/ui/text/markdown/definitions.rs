//! Link reference definitions (`[name]: address`) of blocks that were parsed earlier.

use std::collections::HashMap;

use pulldown_cmark::{BrokenLink, CowStr, Options, Parser};

/// Definitions that are kept of one text.
const MAX_DEFINITIONS: usize = 1_000;

/// Addresses by the names of their references.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    addresses: HashMap<String, String>,
}

impl Definitions {
    /// Returns the definitions of a text before `end`.
    pub fn before(text: &str, end: usize) -> Self {
        if !text.contains("]:") {
            return Self::default();
        }
        let parser = Parser::new_ext(text, options());
        let defined = parser.reference_definitions().iter();
        let defined = defined.filter(|(_, definition)| definition.span.start < end);
        let addresses = defined.map(|(name, one)| (key(name), one.dest.to_string()));
        Self { addresses: addresses.take(MAX_DEFINITIONS).collect() }
    }

    /// Adds later ones: the first definition of a name counts.
    pub fn add(&mut self, later: Self) {
        for (name, address) in later.addresses {
            if self.addresses.len() < MAX_DEFINITIONS {
                self.addresses.entry(name).or_insert(address);
            }
        }
    }

    fn find(&self, name: &str) -> Option<&str> {
        if self.addresses.is_empty() {
            return None;
        }
        self.addresses.get(&key(name)).map(String::as_str)
    }
}

/// Names that differ in case and blanks are equal.
fn key(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

pub(super) fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

/// A parser that also knows the definitions of earlier text.
pub(super) fn parser<'t>(
    text: &'t str,
    definitions: &'t Definitions,
) -> Parser<'t, impl FnMut(BrokenLink<'t>) -> Option<(CowStr<'t>, CowStr<'t>)>> {
    let resolve = |link: BrokenLink<'t>| {
        let address = definitions.find(&link.reference)?;
        Some((CowStr::from(address), CowStr::from("")))
    };
    Parser::new_with_broken_link_callback(text, options(), Some(resolve))
}
