//! What a server is told of the environment: little, and what its entry names.

use crate::minds::mcp_config::Given;
use crate::tools::PASSED_ON;

/// Reads an environment variable.
pub type EnvReader = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Shorter values are too likely to be ordinary words.
const SHORTEST_SECRET: usize = 6;

/// Values for names, and which of them must not be shown.
#[derive(Clone, Default)]
pub(super) struct Resolved {
    pub pairs: Vec<(String, String)>,
    secrets: Vec<String>,
}

impl std::fmt::Debug for Resolved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resolved").finish_non_exhaustive()
    }
}

impl Resolved {
    /// The error is a sentence that names the variable that is missing.
    pub fn of(given: &[(String, Given)], env: &EnvReader) -> Result<Self, String> {
        let mut resolved = Self::default();
        for (name, given) in given {
            let value = match given {
                Given::Literal(text) => text.clone(),
                Given::Env(variable) => {
                    let value = env(variable).ok_or_else(|| {
                        format!(
                            "{name} needs the environment variable {variable}, which is not set"
                        )
                    })?;
                    resolved.secrets.push(value.clone());
                    value
                }
            };
            resolved.pairs.push((name.clone(), value));
        }
        Ok(resolved)
    }

    /// `text` without the values that came from the environment.
    pub fn redact(&self, text: &str) -> String {
        let secrets = self.secrets.iter().filter(|secret| secret.len() >= SHORTEST_SECRET);
        secrets.fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "***"))
    }
}

/// What every program is given: what commands are, of which no name is that of a key.
pub(super) fn passed_on(env: &EnvReader) -> impl Iterator<Item = (&'static str, String)> {
    PASSED_ON.iter().filter_map(|&name| Some((name, env(name)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(name: &str) -> Option<String> {
        [("TOKEN", "sk-canary"), ("SHORT", "on"), ("PATH", "/bin"), ("OPENAI_API_KEY", "sk-other")]
            .into_iter()
            .find_map(|(known, value)| (known == name).then(|| value.to_owned()))
    }

    #[test]
    fn a_variable_that_is_missing_is_named() {
        let given = [("A".to_owned(), Given::Env("NOWHERE".to_owned()))];
        let error = Resolved::of(&given, &env).unwrap_err();
        assert_eq!(error, "A needs the environment variable NOWHERE, which is not set");
    }

    #[test]
    fn what_came_from_the_environment_is_not_shown() {
        let given = [
            ("A".to_owned(), Given::Env("TOKEN".to_owned())),
            ("B".to_owned(), Given::Env("SHORT".to_owned())),
            ("C".to_owned(), Given::Literal("word".to_owned())),
        ];
        let resolved = Resolved::of(&given, &env).unwrap();
        assert_eq!(resolved.redact("sk-canary turned on a word"), "*** turned on a word");
        assert!(!format!("{resolved:?}").contains("canary"));
    }

    #[test]
    fn keys_are_not_passed_on() {
        let told: Vec<_> = passed_on(&env).collect();
        assert_eq!(told, [("PATH", "/bin".to_owned())]);
    }
}
