//! The environment and the settings with which git runs, whatever the person and the repository have set.

use std::path::Path;

/// Keeps git from reading the person's own configuration, from fetching, and from asking.
const ENVIRONMENT: [(&str, &str); 13] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "false"),
    ("GIT_ASKPASS", "false"),
    ("GIT_SSH_COMMAND", "false"),
    ("GIT_NO_LAZY_FETCH", "1"),
    // No transport has this name, so none is allowed, even in a git that does not know the variables above.
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_PROTOCOL_FROM_USER", "0"),
    ("GIT_DISCOVERY_ACROSS_FILESYSTEM", "0"),
];
/// What a repository may ask git to run or to read elsewhere, switched off.
pub(super) const SETTINGS: [&str; 23] = [
    "safe.bareRepository=explicit",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.editor=false",
    "core.askPass=false",
    "core.sshCommand=false",
    "core.gitProxy=false",
    "core.alternateRefsCommand=false",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "credential.helper=",
    "protocol.allow=never",
    "uploadpack.packObjectsHook=",
    "diff.submodule=short",
    "diff.orderFile=/dev/null",
    // Otherwise git would write the index and run a hook.
    "diff.autoRefreshIndex=false",
    "status.submoduleSummary=false",
    "mailmap.file=/dev/null",
    "log.showSignature=false",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
];

/// The environment of git in this workspace: it looks for no repository above it.
pub(in crate::tools::readonly) fn environment(
    workspace: &Path,
) -> impl Iterator<Item = (String, String)> {
    let real = std::fs::canonicalize(workspace).unwrap_or_else(|_| workspace.to_owned());
    let ceiling = real.parent().unwrap_or(&real).display().to_string();
    let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    ENVIRONMENT.into_iter().map(own).chain([("GIT_CEILING_DIRECTORIES".to_owned(), ceiling)])
}
