//! Links that the terminal can open (OSC 8): which addresses become links, and their numbers.
//!
//! A cell of the screen has no room for an address, so it carries a number, as the colour of an underline,
//! which no theme uses; the backend looks the address up when it writes the cell. Text drawn over a link
//! covers it.
//!
//! Addresses are hostile. Only those of the web and of mail become links, in plain ASCII and bounded; the
//! address is always shown beside a text that differs from it.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ratatui::style::Color;

/// The longest address that becomes a link, in bytes; some terminals ignore longer ones.
const MAX_ADDRESS: usize = 2_000;
/// Most addresses that are known at once; older ones are no longer links.
const MAX_LINKS: usize = 4_096;
/// Numbers begin again after this one: they fit into a colour.
const LAST_ID: u32 = 0x00ff_ffff;

/// The number of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(u32);

impl LinkId {
    /// The colour of an underline that carries this number.
    #[must_use]
    pub fn colour(self) -> Color {
        let [_, red, green, blue] = self.0.to_be_bytes();
        Color::Rgb(red, green, blue)
    }

    /// The number that this colour carries.
    #[must_use]
    pub fn of_colour(colour: Color) -> Option<Self> {
        let Color::Rgb(red, green, blue) = colour else { return None };
        Some(Self(u32::from_be_bytes([0, red, green, blue])))
    }

    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }
}

/// The addresses of links; a handle that is cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Links {
    table: Arc<Mutex<LinkTable>>,
}

#[derive(Debug, Default)]
struct LinkTable {
    ids: HashMap<String, LinkId>,
    addresses: BTreeMap<LinkId, String>,
    last: u32,
}

impl Links {
    fn table(&self) -> MutexGuard<'_, LinkTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of an address; `None` if it cannot be a link.
    #[must_use]
    pub fn id_of(&self, address: &str) -> Option<LinkId> {
        if !is_linkable(address) {
            return None;
        }
        let mut table = self.table();
        if let Some(id) = table.ids.get(address) {
            return Some(*id);
        }
        table.last = if table.last >= LAST_ID { 1 } else { table.last + 1 };
        let id = LinkId(table.last);
        if let Some(replaced) = table.addresses.insert(id, address.to_owned()) {
            table.ids.remove(&replaced);
        }
        table.ids.insert(address.to_owned(), id);
        while table.addresses.len() > MAX_LINKS {
            // After the last number, the lowest are the newest, but those are few.
            let Some((_, dropped)) = table.addresses.pop_first() else { break };
            table.ids.remove(&dropped);
        }
        Some(id)
    }

    /// The address with this number, if it is still known.
    #[must_use]
    pub fn address(&self, id: LinkId) -> Option<String> {
        self.table().addresses.get(&id).cloned()
    }
}

/// True for addresses of the web and of mail that can be written into a sequence unchanged, and that do not
/// pretend to be on another host.
fn is_linkable(address: &str) -> bool {
    let is_plain = address.bytes().all(|byte| byte.is_ascii_graphic());
    if address.len() > MAX_ADDRESS || !is_plain {
        return false;
    }
    let Some((scheme, rest)) = address.split_once(':') else { return false };
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" => {
            let Some(rest) = rest.strip_prefix("//") else { return false };
            let host = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
            // A user name before the host is there to deceive.
            !host.is_empty() && !host.contains('@')
        }
        "mailto" => rest.contains('@') && !rest.starts_with('/'),
        _ => false,
    }
}

/// Finds the addresses of the web in running text, without the punctuation around them.
pub fn addresses(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let start = from + text.get(from..)?.find("http")?;
            let rest = text.get(start..)?;
            let scheme = ["https://", "http://"].into_iter().find(|s| rest.starts_with(s));
            let Some(scheme) = scheme else {
                from = start + "http".len();
                continue;
            };
            let address = address_at(rest);
            from = start + address.len().max(scheme.len());
            if address.len() > scheme.len() {
                return Some(start..start + address.len());
            }
        }
    })
}

/// The address at the start of a text: up to a blank, a quote, a bracket that was not opened in it, or punctuation of
/// Chinese text.
fn address_at(text: &str) -> &str {
    let mut open = 0_usize;
    let ends = |c: char| match c {
        '(' => {
            open += 1;
            false
        }
        ')' => {
            let is_opened = open > 0;
            open = open.saturating_sub(1);
            !is_opened
        }
        '<'
        | '>'
        | '"'
        | '\''
        | '`'
        | ']'
        | '|'
        | '“'
        | '”'
        | '‘'
        | '’'
        | '\u{3000}'..='\u{303f}'
        | '\u{ff01}'..='\u{ff0f}'
        | '\u{ff1a}'..='\u{ff1f}' => true,
        _ => c.is_whitespace(),
    };
    let end = text.find(ends).unwrap_or(text.len());
    let address = text.get(..end).unwrap_or_default();
    let is_balanced = address.matches('(').count() == address.matches(')').count();
    let is_after = |c: char| match c {
        '/' | '#' | '=' | '&' | '-' => false,
        ')' => !is_balanced,
        _ => c.is_ascii_punctuation(),
    };
    address.trim_end_matches(is_after)
}

/// True if a text looks like an address itself.
#[must_use]
pub fn looks_like_address(text: &str) -> bool {
    let text = text.trim().to_ascii_lowercase();
    text.contains("://") || text.starts_with("www.") || text.starts_with("mailto:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_web_and_mail_that_are_plain_become_links() {
        let links = Links::default();
        for address in ["http://a", "https://a.example/x?y=1#z", "HTTPS://a", "mailto:me@a.example"]
        {
            let id = links.id_of(address).unwrap();
            assert_eq!(links.address(id).as_deref(), Some(address));
            assert_eq!(LinkId::of_colour(id.colour()), Some(id));
            assert_eq!(links.id_of(address), Some(id), "one number for an address");
        }
        let long = format!("https://{}", "a".repeat(MAX_ADDRESS));
        for address in [
            "",
            "a",
            "//a",
            "https:",
            "https://",
            "https:///a",
            "https:a",
            "https://bank.example@evil.example",
            "https://日本.example",
            "https://a b",
            "https://a\u{1b}\\",
            "https://a\u{7}",
            "https://a\n",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "ftp://a",
            "data:text/html,x",
            "mailto:",
            "mailto://a@b",
            long.as_str(),
        ] {
            assert_eq!(links.id_of(address), None, "{address:?}");
        }
    }

    #[test]
    fn addresses_in_running_text_end_before_what_is_not_theirs() {
        for (text, expected) in [
            ("see https://a.example/x.", &["https://a.example/x"][..]),
            (
                "(https://a.example/x), http://b.example!",
                &["https://a.example/x", "http://b.example"],
            ),
            (
                "https://a.example/x_(y)_z and (https://a.example/x_(y)).",
                &["https://a.example/x_(y)_z", "https://a.example/x_(y)"],
            ),
            (
                "https://a.example/?q=1&r=#top; 'https://b.example/'",
                &["https://a.example/?q=1&r=#top", "https://b.example/"],
            ),
            (
                "见https://a.example/x，或（http://b.example）。",
                &["https://a.example/x", "http://b.example"],
            ),
            (
                "<https://a.example>|https://b.example|[https://c.example]",
                &["https://a.example", "https://b.example", "https://c.example"],
            ),
            (
                "“https://a.example” https://b.example…?!",
                &["https://a.example", "https://b.example…"],
            ),
            ("https:// http:// http https://. httphttps://a", &["https://a"]),
            ("ftp://a www.a.example javascript:https", &[]),
        ] {
            let found: Vec<&str> = addresses(text).map(|at| &text[at]).collect();
            assert_eq!(found, expected, "{text}");
        }
        let hostile = "http".repeat(50_000) + &"https://(".repeat(20_000);
        assert!(addresses(&hostile).count() < 2);
    }

    #[test]
    fn the_oldest_addresses_are_forgotten() {
        let links = Links::default();
        let first = links.id_of("https://a/first").unwrap();
        for number in 0..MAX_LINKS {
            assert!(links.id_of(&format!("https://a/{number}")).is_some());
        }
        assert_eq!(links.address(first), None);
        assert_eq!(links.table().addresses.len(), MAX_LINKS);
        assert_eq!(links.table().ids.len(), MAX_LINKS);
    }
}
