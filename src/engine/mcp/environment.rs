//! The environment of a server: a few inherited variables, and those that its entry names.

use std::sync::Arc;

use crate::domain::safety::references::{EntryUse, VAULT_KEY, VaultUse};
use crate::domain::safety::secrets::is_secret;
use crate::domain::text::{Localized, localized};
use crate::domain::{Secrets, SharedSecrets, TeamName};
use crate::minds::mcp_config::ValueSource;
use crate::tools::PASSED_ON;

/// Reads an environment variable.
pub type EnvReader = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Names with resolved values, and the secrets among these.
#[derive(Clone, Default)]
pub(super) struct ResolvedVariables {
    pub pairs: Vec<(String, String)>,
    pub secrets: Arc<Secrets>,
}

impl std::fmt::Debug for ResolvedVariables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResolvedVariables").finish_non_exhaustive()
    }
}

impl ResolvedVariables {
    /// What the server of this name gets. The error names what is missing. Variables that every program inherits are
    /// not secret, even if an entry names them.
    pub fn resolve(
        server: &str,
        given: &[(String, ValueSource)],
        env: &EnvReader,
        vault: &SharedSecrets,
    ) -> Result<Self, Localized> {
        let (mut pairs, mut names, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let mut used = Vec::new();
        for (name, given) in given {
            values.extend(given.literal_secret(name).map(str::to_owned));
            let value = match given {
                ValueSource::Literal(text) => text.clone(),
                ValueSource::Env { prefix, variable } => {
                    let value = env(variable).filter(|_| variable != VAULT_KEY);
                    let value = value.ok_or_else(|| {
                        localized!(
                            "{name} needs the environment variable {variable}, which is not set",
                            "{name} 需要环境变量 {variable}，但它未设置"
                        )
                    })?;
                    let is_inherited = PASSED_ON.contains(&variable.as_str());
                    if !is_inherited && is_secret([name, variable], &value) {
                        names.push(variable.clone());
                        values.push(value.clone());
                    }
                    format!("{prefix}{value}")
                }
                ValueSource::Vault { team, key, version: _ } => {
                    let entry = vault.entry(team, key);
                    let entry = entry.filter(|one| one.rights.uses.contains(&VaultUse::Mcp));
                    let entry = entry.ok_or_else(|| {
                        localized!(
                            "{name} needs the secret {key} of team {team}, which is not in its vault, cannot be read here, or is not for mcp",
                            "{name} 需要团队 {team} 的机密 {key}，但它不在保管库中、在此无法读取，或不允许用于 mcp"
                        )
                    })?;
                    used.push((team, key));
                    entry.value
                }
            };
            pairs.push((name.clone(), value));
        }
        for (team, key) in used {
            vault.note_use(EntryUse {
                team: TeamName::new(team),
                key: key.clone(),
                place: VaultUse::Mcp,
                target: server.to_owned(),
                dialog: String::new(),
                by: String::new(),
            });
        }
        Ok(Self { pairs, secrets: vault.learn(names, values) })
    }

    /// `text` with secrets redacted.
    pub fn redact(&self, text: &str) -> String {
        self.secrets.redacted(text.to_owned())
    }
}

/// The variables that every server inherits: the same as commands; none of them is a key.
pub(super) fn passed_on(env: &EnvReader) -> impl Iterator<Item = (&'static str, String)> {
    PASSED_ON.iter().filter_map(|&name| Some((name, env(name)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::safety::references::{VaultEntries, VaultEntry, VaultRights};

    fn env(name: &str) -> Option<String> {
        [
            ("TOKEN", "sk-canary"),
            ("SHORT", "on"),
            ("PATH", "/bin"),
            ("HOME", "/home/somebody"),
            ("NODE_ENV", "production"),
            ("OPENAI_API_KEY", "sk-other"),
        ]
        .into_iter()
        .find_map(|(known, value)| (known == name).then(|| value.to_owned()))
    }

    #[test]
    fn a_variable_that_is_missing_is_named() {
        let given = [("A".to_owned(), ValueSource::env("NOWHERE"))];
        let error =
            ResolvedVariables::resolve("s", &given, &env, &SharedSecrets::default()).unwrap_err();
        assert_eq!(error.to_string(), "A needs the environment variable NOWHERE, which is not set");
    }

    #[test]
    fn of_a_prefix_and_a_secret_only_the_secret_is_redacted() {
        let (prefix, variable) = ("Bearer ".to_owned(), "TOKEN".to_owned());
        let given = [("Authorization".to_owned(), ValueSource::Env { prefix, variable })];
        let vault = SharedSecrets::default();
        let resolved = ResolvedVariables::resolve("s", &given, &env, &vault).unwrap();
        assert_eq!(resolved.pairs, [("Authorization".to_owned(), "Bearer sk-canary".to_owned())]);
        assert_eq!(resolved.redact("Bearer sk-canary"), "Bearer [redacted]");
    }

    #[test]
    fn secrets_from_the_environment_are_redacted() {
        let given = [
            ("A".to_owned(), ValueSource::env("TOKEN")),
            ("B".to_owned(), ValueSource::env("SHORT")),
            ("C".to_owned(), ValueSource::Literal("a-word".to_owned())),
            ("X_TOKEN".to_owned(), ValueSource::Literal("open-secret".to_owned())),
            ("WHERE".to_owned(), ValueSource::env("HOME")),
            ("NODE_ENV".to_owned(), ValueSource::env("NODE_ENV")),
        ];
        let vault = SharedSecrets::default();
        let resolved = ResolvedVariables::resolve("s", &given, &env, &vault).unwrap();
        let text = "sk-canary turned on a-word, open-secret, production in /home/somebody";
        let expected = "[redacted] turned on a-word, [redacted], production in /home/somebody";
        assert_eq!(resolved.redact(text), expected);
        assert_eq!(vault.secrets().redacted(text.to_owned()), expected, "everybody knows it");
        assert!(vault.secrets().is_one("TOKEN") && !vault.secrets().is_one("HOME"));
        assert!(!format!("{resolved:?}").contains("canary"));
    }

    #[test]
    fn s15_6_a_secret_of_a_vault_is_for_servers_only_if_it_says_so() {
        let entry = |uses: &[VaultUse]| VaultEntry {
            value: "vault-canary".to_owned(),
            rights: VaultRights { uses: uses.to_vec(), ..VaultRights::default() },
            version: 1,
        };
        let vault = SharedSecrets::default();
        let main = [("OPEN", entry(&[VaultUse::Mcp])), ("OTHER", entry(&[VaultUse::Shell]))];
        let main: VaultEntries = main.into_iter().map(|(key, one)| (key.to_owned(), one)).collect();
        vault.set_entries([("main".to_owned(), main)].into());
        let resolve = |team: &str, key: &str| {
            let source =
                ValueSource::Vault { team: team.to_owned(), key: key.to_owned(), version: 0 };
            ResolvedVariables::resolve("s", &[("TOKEN".to_owned(), source)], &env, &vault)
        };
        let resolved = resolve("main", "OPEN").unwrap();
        assert_eq!(resolved.pairs, [("TOKEN".to_owned(), "vault-canary".to_owned())]);
        assert_eq!(resolved.redact("vault-canary"), "[redacted]");
        let used = vault.take_uses();
        let used: Vec<_> = used.iter().map(|one| (one.key.as_str(), one.target.as_str())).collect();
        assert_eq!(used, [("OPEN", "s")]);
        for (team, key) in [("main", "OTHER"), ("ops", "OPEN"), ("main", "NOPE")] {
            let refused = resolve(team, key).unwrap_err().to_string();
            assert!(refused.contains(key) && refused.contains(team), "{refused}");
        }
        assert!(vault.take_uses().is_empty());
    }

    #[test]
    fn keys_are_not_inherited() {
        let inherited: Vec<_> = passed_on(&env).collect();
        assert_eq!(inherited, [("PATH", "/bin".to_owned()), ("HOME", "/home/somebody".to_owned())]);
    }
}
