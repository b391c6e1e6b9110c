//! What is to be done about a server when the file has been read again. Pure.

use std::fmt::Debug;

use crate::minds::mcp_config::{McpServer, Transport};

/// Whether a person agreed that this happens.
pub trait Permission: Send + Sync + Debug {
    fn may(&self, server: &str, transport: &Transport) -> bool;
}

/// What keeps a configuration from being in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trouble {
    /// It was tried; a sentence for a person.
    Failed(String),
    /// Nobody has agreed to it.
    Unagreed,
}

/// What is known of a server before the file is read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Known<'a> {
    /// What the file said last.
    pub wanted: &'a McpServer,
    /// What its tools come from, if it has any.
    pub good: Option<&'a McpServer>,
    /// An instance of `wanted` is being started.
    pub trying: bool,
    pub trouble: Option<&'a Trouble>,
    /// A failure has become old enough to try again.
    pub try_again: bool,
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing.
    Keep,
    /// Nothing, and what was wrong is over: the file says again what is in use.
    Settle,
    /// An instance of it is started; what is in use stays until it can be used.
    Try,
    /// A person has to agree first; what is in use stays.
    Hold,
}

/// `wanted`: what the file says now. `allowed`: a person agreed to it.
pub(super) fn step(wanted: &McpServer, known: Option<Known>, allowed: bool) -> Step {
    let try_it = if allowed { Step::Try } else { Step::Hold };
    let Some(known) = known else { return try_it };
    if known.good == Some(wanted) {
        let settled = known.wanted == wanted && known.trouble.is_none();
        return if settled { Step::Keep } else { Step::Settle };
    }
    if known.wanted != wanted {
        return try_it;
    }
    match known.trouble {
        Some(Trouble::Failed(_)) if !known.try_again => Step::Keep,
        None if known.trying => Step::Keep,
        Some(Trouble::Unagreed | Trouble::Failed(_)) | None => try_it,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minds::mcp_config::{Filter, HttpServer};

    fn server(url: &str) -> McpServer {
        let transport = Transport::Http(HttpServer { url: url.to_owned(), headers: Vec::new() });
        McpServer { stateless: false, transport, filter: Filter::default(), changes: Vec::new() }
    }

    #[test]
    fn k10_a_changed_server_is_tried_beside_the_one_in_use() {
        let (a, b) = (server("a"), server("b"));
        let failed = Trouble::Failed("x".to_owned());
        let known =
            Known { wanted: &a, good: None, trying: false, trouble: None, try_again: false };
        for (what, wanted, known, allowed, expected) in [
            ("new", &a, None, true, Step::Try),
            ("new, nobody agreed", &a, None, false, Step::Hold),
            ("in use", &a, Some(Known { good: Some(&a), ..known }), true, Step::Keep),
            (
                "in use, consent taken back",
                &a,
                Some(Known { good: Some(&a), ..known }),
                false,
                Step::Keep,
            ),
            ("changed", &b, Some(Known { good: Some(&a), ..known }), true, Step::Try),
            (
                "changed, nobody agreed",
                &b,
                Some(Known { good: Some(&a), ..known }),
                false,
                Step::Hold,
            ),
            ("being tried", &a, Some(Known { trying: true, ..known }), true, Step::Keep),
            ("changed while tried", &b, Some(Known { trying: true, ..known }), true, Step::Try),
            ("failed", &a, Some(Known { trouble: Some(&failed), ..known }), true, Step::Keep),
            (
                "failed long ago",
                &a,
                Some(Known { trouble: Some(&failed), try_again: true, ..known }),
                true,
                Step::Try,
            ),
            (
                "failed, then mended",
                &b,
                Some(Known { trouble: Some(&failed), ..known }),
                true,
                Step::Try,
            ),
            (
                "failed, then taken back",
                &a,
                Some(Known { wanted: &b, good: Some(&a), trouble: Some(&failed), ..known }),
                true,
                Step::Settle,
            ),
            (
                "held",
                &a,
                Some(Known { trouble: Some(&Trouble::Unagreed), ..known }),
                false,
                Step::Hold,
            ),
            (
                "agreed",
                &a,
                Some(Known { trouble: Some(&Trouble::Unagreed), ..known }),
                true,
                Step::Try,
            ),
            ("ended before it was used", &a, Some(known), true, Step::Try),
        ] {
            assert_eq!(step(wanted, known, allowed), expected, "{what}");
        }
    }
}
