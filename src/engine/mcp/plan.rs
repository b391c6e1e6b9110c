//! Decides what to do about a server after its configuration was read again. Pure.

use std::collections::BTreeSet;
use std::fmt::Debug;

use crate::domain::safety::server_tools::ToolFacts;
use crate::domain::text::{Localized, Text};
use crate::minds::mcp_config::{McpServer, Transport};

/// Why a server is not used.
pub const NOT_AGREED: Text = Text::new(
    "nobody has agreed to it as it is now; `dominds-tui trust` shows what waits",
    "还没有人同意它现在的样子；`dominds-tui trust` 会列出等待同意的内容",
);

/// Whether the user agreed to start or connect to a server, and to its tools.
pub trait Permission: Send + Sync + Debug {
    fn may(&self, server: &str, transport: &Transport) -> bool;

    /// Returns the names of the tools that wait for the user, of those the server has listed. Consent to a
    /// server includes its first list; in a later list, new and changed tools wait.
    ///
    /// # Errors
    /// The server is not agreed to as it is now, or the list could not be recorded; the message for the user.
    fn held_tools(
        &self,
        server: &str,
        transport: &Transport,
        listed: &[ToolFacts],
    ) -> Result<BTreeSet<String>, Localized>;
}

/// Why a configuration is not in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BlockReason {
    /// It was started and failed; the reason for the user.
    Failed(Localized),
    /// The user has not agreed to it.
    NotPermitted,
}

/// The status of a server before its configuration is read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ServerStatus<'a> {
    /// The last configuration.
    pub wanted: &'a McpServer,
    /// The configuration in use, if any.
    pub active: Option<&'a McpServer>,
    /// An instance of `wanted` is being started.
    pub is_starting: bool,
    pub blocked: Option<&'a BlockReason>,
    /// The last failure is old enough for a retry.
    pub may_retry: bool,
}

/// The action for a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ServerAction {
    /// Nothing.
    Keep,
    /// Nothing, but clear the failure: the configuration is again the one in use.
    ClearFailure,
    /// Start an instance; the configuration in use stays until the new one works.
    Start,
    /// The user has to agree first; the configuration in use stays.
    AwaitPermission,
}

/// `wanted`: the new configuration. `allowed`: the user agreed to it.
pub(super) fn plan(
    wanted: &McpServer,
    status: Option<ServerStatus>,
    allowed: bool,
) -> ServerAction {
    let start = if allowed { ServerAction::Start } else { ServerAction::AwaitPermission };
    let Some(status) = status else { return start };
    if status.active == Some(wanted) {
        let settled = status.wanted == wanted && status.blocked.is_none();
        return if settled { ServerAction::Keep } else { ServerAction::ClearFailure };
    }
    if status.wanted != wanted {
        return start;
    }
    match status.blocked {
        Some(BlockReason::Failed(_)) if !status.may_retry => ServerAction::Keep,
        None if status.is_starting => ServerAction::Keep,
        Some(BlockReason::NotPermitted | BlockReason::Failed(_)) | None => start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minds::mcp_config::{HttpServer, ToolFilter};

    fn server(url: &str) -> McpServer {
        let transport = Transport::Http(HttpServer { url: url.to_owned(), headers: Vec::new() });
        McpServer {
            stateless: false,
            transport,
            filter: ToolFilter::default(),
            name_rules: Vec::new(),
            resources: None,
            prompts: None,
        }
    }

    #[test]
    fn k10_a_changed_server_is_tried_beside_the_one_in_use() {
        let (a, b) = (server("a"), server("b"));
        let failed = BlockReason::Failed(Localized::same("x"));
        let status = ServerStatus {
            wanted: &a,
            active: None,
            is_starting: false,
            blocked: None,
            may_retry: false,
        };
        for (what, wanted, status, allowed, expected) in [
            ("new", &a, None, true, ServerAction::Start),
            ("new, nobody agreed", &a, None, false, ServerAction::AwaitPermission),
            (
                "in use",
                &a,
                Some(ServerStatus { active: Some(&a), ..status }),
                true,
                ServerAction::Keep,
            ),
            (
                "in use, consent taken back",
                &a,
                Some(ServerStatus { active: Some(&a), ..status }),
                false,
                ServerAction::Keep,
            ),
            (
                "changed",
                &b,
                Some(ServerStatus { active: Some(&a), ..status }),
                true,
                ServerAction::Start,
            ),
            (
                "changed, nobody agreed",
                &b,
                Some(ServerStatus { active: Some(&a), ..status }),
                false,
                ServerAction::AwaitPermission,
            ),
            (
                "being tried",
                &a,
                Some(ServerStatus { is_starting: true, ..status }),
                true,
                ServerAction::Keep,
            ),
            (
                "changed while tried",
                &b,
                Some(ServerStatus { is_starting: true, ..status }),
                true,
                ServerAction::Start,
            ),
            (
                "failed",
                &a,
                Some(ServerStatus { blocked: Some(&failed), ..status }),
                true,
                ServerAction::Keep,
            ),
            (
                "failed long ago",
                &a,
                Some(ServerStatus { blocked: Some(&failed), may_retry: true, ..status }),
                true,
                ServerAction::Start,
            ),
            (
                "failed, then fixed",
                &b,
                Some(ServerStatus { blocked: Some(&failed), ..status }),
                true,
                ServerAction::Start,
            ),
            (
                "failed, then taken back",
                &a,
                Some(ServerStatus {
                    wanted: &b,
                    active: Some(&a),
                    blocked: Some(&failed),
                    ..status
                }),
                true,
                ServerAction::ClearFailure,
            ),
            (
                "not agreed",
                &a,
                Some(ServerStatus { blocked: Some(&BlockReason::NotPermitted), ..status }),
                false,
                ServerAction::AwaitPermission,
            ),
            (
                "agreed",
                &a,
                Some(ServerStatus { blocked: Some(&BlockReason::NotPermitted), ..status }),
                true,
                ServerAction::Start,
            ),
            ("ended before it was used", &a, Some(status), true, ServerAction::Start),
        ] {
            assert_eq!(plan(wanted, status, allowed), expected, "{what}");
        }
    }
}
