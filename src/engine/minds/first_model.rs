//! The first model of a workspace, as a person enters it: what the starter's files say with it. A key is never part of
//! it, only the name of the variable that holds one.

use super::llm_config::{self, builtin_providers};
use super::starter;
use super::{ApiType, LLM_FILE, ProviderConfig, TEAM_FILE};

/// The lines of the starter that name its model.
const STARTER_MODEL: &str = "  provider: local\n  model: qwen3:8b\n";

const HEAD: &str = "\
# Where the models are. `dominds-tui doctor --providers` sends each a short request.
#
# A key never belongs in this file: put it into an environment variable, and name that in apiKeyEnvVar.

";

/// A provider and one of its models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstModel {
    /// The name in the files.
    pub provider: String,
    pub api_type: ApiType,
    /// The base URL.
    pub address: String,
    /// The environment variable of the key; `None` if the server needs none.
    pub variable: Option<String>,
    /// The name sent to the server.
    pub model: String,
}

impl FirstModel {
    /// The files that name the model.
    pub const PATHS: [&'static str; 2] = [TEAM_FILE, LLM_FILE];

    /// The built-in providers that this program can use with a key, without a model, and the names of models that it knows.
    #[must_use]
    pub fn built_in() -> Vec<(Self, Vec<String>)> {
        // A login has no variable with a key, for which a person is asked here.
        let has_key = |one: &ProviderConfig| one.api_type != ApiType::Codex;
        let usable = builtin_providers()
            .into_iter()
            .filter(|one| has_key(one) && one.unusable_reason().is_none());
        let offered = usable.map(|one| {
            let models = one.families.iter().map(|model| model.key.clone()).collect();
            let first = Self {
                provider: one.key,
                api_type: one.api_type,
                address: one.base_url,
                variable: one.api_key_env_var,
                model: String::new(),
            };
            (first, models)
        });
        offered.collect()
    }

    /// The files of the starter, with this model for its members.
    #[must_use]
    pub fn starter_files(&self) -> Vec<(&'static str, String)> {
        let file = |(path, text): (&'static str, &str)| match path {
            TEAM_FILE => (path, self.team_file(text)),
            LLM_FILE => (path, self.llm_file()),
            _ => (path, text.to_owned()),
        };
        starter::FILES.into_iter().map(file).collect()
    }

    /// The provider as the files have it.
    #[must_use]
    pub fn config(&self) -> Option<ProviderConfig> {
        let (providers, _) = llm_config::read(&self.llm_file());
        providers.into_iter().find(|one| one.key == self.provider)
    }

    fn team_file(&self, starter: &str) -> String {
        let (provider, model) = (quoted(&self.provider), quoted(&self.model));
        let named = format!("  provider: {provider}\n  model: {model}\n");
        starter.replacen(STARTER_MODEL, &named, 1)
    }

    fn llm_file(&self) -> String {
        let Self { provider, api_type, address, variable, model } = self;
        let is_this = |(one, _): &(Self, _)| Self { model: model.clone(), ..one.clone() } == *self;
        if Self::built_in().iter().any(is_this) {
            return format!(
                "{HEAD}# {provider} is part of the program: an entry here would replace it.\n\
                 providers: {{}}\n"
            );
        }
        let variable = variable.as_deref().map(quoted);
        let variable = variable.map(|name| format!("    apiKeyEnvVar: {name}\n"));
        format!(
            "{HEAD}providers:\n  {}:\n    apiType: {}\n    baseUrl: {}\n{}    models:\n      \
             # The key is the name sent to the server.\n      {}:\n        \
             # Tokens of its context, if you know them; the program warns before they run out.\n        \
             # context_length: 32768\n",
            quoted(provider),
            api_type.name(),
            quoted(address),
            variable.unwrap_or_default(),
            quoted(model),
        )
    }
}

/// The text as one word of YAML, whatever is in it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Lang;
    use crate::guard::set_up;
    use crate::minds::Minds;

    fn local() -> FirstModel {
        FirstModel {
            provider: "local".to_owned(),
            api_type: ApiType::OpenAiCompatible,
            address: "http://127.0.0.1:8080/v1".to_owned(),
            variable: None,
            model: "some-model:7b".to_owned(),
        }
    }

    fn with_model((first, _): (FirstModel, Vec<String>)) -> FirstModel {
        FirstModel { model: "m-1".to_owned(), ..first }
    }

    #[test]
    fn the_written_files_have_no_problem_and_every_member_talks_to_the_entered_model() {
        let keyed = FirstModel { variable: Some("SOME_KEY".to_owned()), ..local() };
        let moved = |first: FirstModel| FirstModel {
            address: "https://proxy.example.com/v1".to_owned(),
            ..first
        };
        let built_in: Vec<_> = FirstModel::built_in().into_iter().map(with_model).collect();
        assert!(built_in.len() > 5 && built_in.iter().all(|one| one.provider != "codex"));
        let changed: Vec<_> = built_in.iter().cloned().map(moved).collect();
        for first in [local(), keyed].into_iter().chain(built_in).chain(changed) {
            let dir = tempfile::tempdir().unwrap();
            let files = first.starter_files();
            let files: Vec<_> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
            set_up(dir.path(), &files).unwrap();
            let minds = Minds::load(dir.path(), Lang::En);
            assert_eq!(minds.problems(), [], "{first:?}");
            for member in minds.team().visible() {
                let key = |_: &str| Some("set".to_owned());
                let (provider, _, model) = minds.model_of(member, &key).unwrap();
                assert_eq!((provider.key.as_str(), model), (&*first.provider, &*first.model));
                assert_eq!(first.config().as_ref(), Some(provider));
                assert_eq!(provider.base_url, first.address);
                assert_eq!(provider.api_key_env_var, first.variable);
                assert_eq!(provider.api_type, first.api_type);
            }
        }
    }

    #[test]
    fn a_built_in_provider_stays_built_in_unless_something_of_it_was_changed() {
        let is_built_in = |first: &FirstModel| first.config().unwrap().builtin;
        for first in FirstModel::built_in().into_iter().map(with_model) {
            assert!(is_built_in(&first), "{first:?}");
            let other = FirstModel { variable: Some("OTHER_KEY".to_owned()), ..first };
            assert!(!is_built_in(&other), "{other:?}");
        }
    }

    #[test]
    fn nothing_that_is_entered_gets_out_of_its_place_in_the_files() {
        let model = "m\": {}\n    apiKeyEnvVar: HOME\n#".to_owned();
        let first = FirstModel { model: model.clone(), ..local() };
        let config = first.config().unwrap();
        assert_eq!(config.api_key_env_var, None);
        assert_eq!(config.models.len(), 1);
        assert!(config.models.iter().all(|one| one.key == model));
    }
}
