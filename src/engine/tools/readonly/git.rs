//! The environment of git in a command that only looks. A repository can name programs that git runs while it looks:
//! monitors, hooks, pagers, filters, programs that show or convert content. The sandbox is what keeps them from doing
//! harm: there they write, reach and see no more than the command itself. The rules here keep them from running, so
//! that git shows what a repository holds and not what such a program says.
//!
//! The rules are variables, so they hold for every git that a command starts, in whatever way and in whatever
//! repository, and they win over all files of settings, also included ones. Settings of the person and the machine
//! are not read. A setting whose name the repository chooses (`filter.NAME.clean`) can only be answered by that name:
//! names are taken from the settings of all repositories that the sandbox finds in the workspace. An alias takes the
//! place of no command of git, and no transport is allowed.
//!
//! What is left runs in the sandbox alone: a program that the command itself names (`-c`, an alias, a changed
//! environment), one of a repository that the search did not find or whose settings lie behind a link, and what a
//! git older than 2.31 runs, which does not know settings in the environment.

use std::collections::BTreeSet;
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
const SETTINGS: [(&str, &str); 25] = [
    // Whoever owns a repository, it names no program.
    ("safe.directory", "*"),
    ("safe.bareRepository", "explicit"),
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.editor", "false"),
    ("core.askPass", "false"),
    ("core.sshCommand", "false"),
    ("core.gitProxy", "false"),
    ("core.alternateRefsCommand", "false"),
    ("core.attributesFile", "/dev/null"),
    ("core.excludesFile", "/dev/null"),
    ("credential.helper", ""),
    ("protocol.allow", "never"),
    ("uploadpack.packObjectsHook", ""),
    ("diff.submodule", "short"),
    ("diff.orderFile", "/dev/null"),
    // Otherwise git would write the index and run a hook.
    ("diff.autoRefreshIndex", "false"),
    ("status.submoduleSummary", "false"),
    ("mailmap.file", "/dev/null"),
    ("log.showSignature", "false"),
    ("gpg.program", "false"),
    ("gpg.openpgp.program", "false"),
    ("gpg.ssh.program", "false"),
    ("gpg.x509.program", "false"),
];
/// Shows two files as git does. Git knows no value for "no program" here.
const PLAIN_DIFF: &str = r#"sh -c 'diff -u --label "a/$0" --label "b/$0" "$1" "$4"; :'"#;

/// The environment of git in this workspace: it looks for no repository above it, and runs none of these drivers.
pub(super) fn environment(
    workspace: &Path,
    drivers: &BTreeSet<String>,
) -> impl Iterator<Item = (String, String)> {
    let real = std::fs::canonicalize(workspace).unwrap_or_else(|_| workspace.to_owned());
    let ceiling = real.parent().unwrap_or(&real).display().to_string();
    let drivers = drivers.iter().map(|name| (name.as_str(), harmless(name)));
    let settings: Vec<(&str, &str)> = SETTINGS.into_iter().chain(drivers).collect();
    let mut all: Vec<(String, String)> =
        ENVIRONMENT.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    all.push(("GIT_CEILING_DIRECTORIES".to_owned(), ceiling));
    all.push(("GIT_CONFIG_COUNT".to_owned(), settings.len().to_string()));
    for (number, (name, value)) in settings.into_iter().enumerate() {
        all.push((format!("GIT_CONFIG_KEY_{number}"), name.to_owned()));
        all.push((format!("GIT_CONFIG_VALUE_{number}"), value.to_owned()));
    }
    all.into_iter()
}

/// The value by which a driver does nothing.
fn harmless(driver: &str) -> &'static str {
    match driver.rsplit('.').next().unwrap_or_default() {
        "textconv" => "cat",
        "external" | "command" => PLAIN_DIFF,
        "required" => "false",
        // A filter.
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_driver_of_a_repository_has_a_value_that_runs_nothing_of_it() {
        let names = ["diff.external", "diff.x.textconv", "filter.a.b.clean", "filter.a.b.required"];
        let drivers = BTreeSet::from(names.map(str::to_owned));
        let all: Vec<_> = environment(Path::new("/nowhere"), &drivers).collect();
        let of = |name: &str| all.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        assert_eq!(of("GIT_CONFIG_COUNT").unwrap(), &(SETTINGS.len() + 4).to_string());
        for (at, (name, value)) in
            names.into_iter().zip([PLAIN_DIFF, "cat", "", "false"]).enumerate()
        {
            let at = SETTINGS.len() + at;
            assert_eq!(of(&format!("GIT_CONFIG_KEY_{at}")).unwrap(), name);
            assert_eq!(of(&format!("GIT_CONFIG_VALUE_{at}")).unwrap(), value, "{name}");
        }
    }
}
