//! Which provider and model a member uses.

use std::collections::BTreeMap;

use super::Minds;
use super::llm_config::{self, Env, ModelInfo, ProviderConfig};
use super::nearest::did_you_mean;
use super::report::{clip, with_line};
use super::team;
use crate::domain::text::{Text, localized};
use crate::domain::{Member, ModelChoice, Problem};

impl Minds {
    /// The provider, the model's settings, and the model name to send.
    ///
    /// A member that names no provider gets the first usable one of the file, never a built-in one:
    /// nothing is sent to a service that is not configured.
    ///
    /// # Errors
    /// The provider or model does not exist or cannot be used; the problem says how to fix it.
    pub fn model_of<'a>(
        &'a self,
        member: &'a Member,
        env: Env,
    ) -> Result<(&'a ProviderConfig, &'a ModelInfo, &'a str), Problem> {
        let provider = match &member.provider {
            Some(key) => self.named_provider(member, key)?,
            None => self.first_usable(member, env)?,
        };
        let model = match (&member.model, provider.models.first()) {
            (Some(model), _) => model,
            (None, Some(first)) => &first.key,
            (None, None) => return Err(self.no_model(member, provider)),
        };
        match provider.model(model) {
            Some(info) => Ok((provider, info, model)),
            None => Err(self.unknown_model(member, provider, model)),
        }
    }

    /// As [`Self::model_of`], for a dialog of the member; `choice` is the model that a person chose for the dialog, of a
    /// provider of the file. No other model takes its place.
    ///
    /// # Errors
    /// The provider or model does not exist or cannot be used; the problem says how to fix it.
    pub fn model_for<'a>(
        &'a self,
        member: &'a Member,
        choice: Option<&'a ModelChoice>,
        env: Env,
    ) -> Result<(&'a ProviderConfig, &'a ModelInfo, &'a str), Problem> {
        let Some(choice) = choice else { return self.model_of(member, env) };
        let usable = self.provider(&choice.provider).filter(|provider| can_be_chosen(provider));
        let found = usable.and_then(|provider| Some((provider, provider.model(&choice.model)?)));
        match found {
            Some((provider, info)) => Ok((provider, info, choice.model.as_str())),
            None => Err(unusable_choice(choice)),
        }
    }

    /// The models that the file lists, by provider and in its order; none of a provider that cannot be used.
    pub fn listed_models(&self) -> impl Iterator<Item = (&ProviderConfig, &ModelInfo)> {
        let usable = self.providers.iter().filter(|provider| can_be_chosen(provider));
        usable.flat_map(|provider| provider.models.iter().map(move |model| (provider, model)))
    }

    /// One problem per unusable provider or model, with the members of the file that need it.
    /// Environment variables count as set: editing the file cannot fix them.
    pub(super) fn model_problems(&self) -> Vec<Problem> {
        let mut by_id: BTreeMap<String, (Problem, Vec<&str>)> = BTreeMap::new();
        for member in self.team.members.iter().filter(|member| self.is_in_file(member)) {
            if let Err(problem) = self.model_of(member, &|_| Some("set".to_owned())) {
                let entry = by_id.entry(problem.id.clone());
                let (_, members) = entry.or_insert_with(|| (problem, Vec::new()));
                members.push(member.id.as_str());
            }
        }
        let problems = by_id.into_values();
        problems.map(|(problem, members)| with_members(problem, &members)).collect()
    }

    /// One problem per provider whose API key is not in the environment, with the members that use
    /// it.
    #[must_use]
    pub fn missing_keys(&self, env: Env) -> Vec<Problem> {
        let mut by_id: BTreeMap<String, (Problem, Vec<&str>)> = BTreeMap::new();
        for member in self.team.visible() {
            let found = self
                .model_of(member, env)
                .or_else(|_| self.model_of(member, &|_| Some("set".to_owned())));
            let Ok((provider, _, _)) = found else { continue };
            if let Err(problem) = provider.api_key(env) {
                let line = self.llm_line(&["providers", &provider.key, "apiKeyEnvVar"]);
                let entry = by_id.entry(problem.id.clone());
                let (_, members) = entry.or_insert_with(|| (with_line(problem, line), Vec::new()));
                members.push(member.id.as_str());
            }
        }
        let problems = by_id.into_values();
        problems.map(|(problem, members)| with_members(problem, &members)).collect()
    }

    /// True if the file has an entry for the member; hidden members exist without one.
    fn is_in_file(&self, member: &Member) -> bool {
        let lines = self.team_lines.as_ref();
        !member.hidden
            || lines.is_some_and(|lines| lines.of_key(&["members", member.id.as_str()]).is_some())
    }

    fn llm_line(&self, keys: &[&str]) -> Option<usize> {
        self.llm_lines.as_ref()?.of_nearest(keys)
    }

    fn named_provider(&self, member: &Member, key: &str) -> Result<&ProviderConfig, Problem> {
        let Some(provider) = self.provider(key) else {
            let keys = self.providers.iter().map(|provider| provider.key.as_str());
            let (shown, file) = (clip(key), llm_config::PATH);
            let problem = Problem::new(
                format!("team/unknown-provider/{shown}"),
                team::PATH,
                localized!("there is no provider `{shown}`", "没有模型服务 `{shown}`"),
                localized!("add it to {file}", "请把它加入 {file}").and(did_you_mean(key, keys)),
            );
            return Err(self.at_member(&member.id, "provider", problem));
        };
        match provider.unusable_reason() {
            None => Ok(provider),
            Some((found, fix)) => {
                let id = format!("llm/unusable-provider/{}", clip(key));
                let problem = Problem::new(id, llm_config::PATH, found, fix);
                Err(with_line(problem, self.llm_line(&["providers", key])))
            }
        }
    }

    fn first_usable(&self, member: &Member, env: Env) -> Result<&ProviderConfig, Problem> {
        let has_model = |provider: &ProviderConfig| match &member.model {
            Some(model) => provider.model(model).is_some(),
            None => !provider.models.is_empty(),
        };
        let mut own = self.providers.iter().filter(|provider| !provider.builtin);
        own.find(|provider| has_model(provider) && provider.is_usable(env)).ok_or_else(|| {
            Problem::new(
                "llm/no-provider",
                llm_config::PATH,
                Text::new(
                    "no provider is named, and the file has none that can be used",
                    "没有指定模型服务，文件里也没有可用的",
                ),
                Text::new(
                    "add a provider with a model (`dominds-tui init` writes an example), and name \
                     both in `member_defaults` of .minds/team.yaml",
                    "请添加带有模型的模型服务（`dominds-tui init` 会写出示例），并在 .minds/team.yaml 的 \
                     `member_defaults` 中写明两者",
                ),
            )
        })
    }

    fn no_model(&self, member: &Member, provider: &ProviderConfig) -> Problem {
        let key = &provider.key;
        let problem = Problem::new(
            format!("team/no-model/{key}"),
            team::PATH,
            localized!(
                "no model is named, and provider `{key}` lists none",
                "没有指定模型，模型服务 `{key}` 也没有列出模型"
            ),
            Text::new("name one with `model:`", "请用 `model:` 指定一个"),
        );
        self.at_member(&member.id, "provider", problem)
    }

    fn unknown_model(&self, member: &Member, provider: &ProviderConfig, model: &str) -> Problem {
        let keys = provider.models.iter().map(|info| info.key.as_str());
        let (key, shown, file) = (&provider.key, clip(model), llm_config::PATH);
        let fix = localized!("add it to `models` in {file}", "请把它加入 {file} 的 `models`");
        let problem = Problem::new(
            format!("team/unknown-model/{key}/{shown}"),
            team::PATH,
            localized!(
                "provider `{key}` has no model `{shown}`",
                "模型服务 `{key}` 没有模型 `{shown}`"
            ),
            fix.and(did_you_mean(model, keys)),
        );
        self.at_member(&member.id, "model", problem)
    }
}

/// True for a provider of the file that can be used.
fn can_be_chosen(provider: &ProviderConfig) -> bool {
    !provider.builtin && provider.unusable_reason().is_none()
}

fn unusable_choice(choice: &ModelChoice) -> Problem {
    let (provider, model) = (clip(&choice.provider), clip(&choice.model));
    Problem::new(
        format!("llm/unusable-choice/{provider}/{model}"),
        llm_config::PATH,
        localized!(
            "the model `{model}` of provider `{provider}`, which was chosen for this dialog, cannot be used",
            "为此对话选择的模型 `{model}`（模型服务 `{provider}`）无法使用"
        ),
        Text::new(
            "choose another model for the dialog (`Alt+m` on the screen), or that of its member",
            "请为此对话选择另一个模型（屏幕上的 `Alt+m`），或改用其成员的模型",
        ),
    )
}

fn with_members(mut problem: Problem, members: &[&str]) -> Problem {
    const MAX_NAMED: usize = 8;
    let named: Vec<String> = members.iter().take(MAX_NAMED).map(|id| format!("`{id}`")).collect();
    let named = named.join(", ");
    let more =
        if members.len() > MAX_NAMED { Text::new(" and more", "等") } else { Text::new("", "") };
    let needed = localized!([more] "; needed by {named}{more}", "；需要它的成员：{named}{more}");
    problem.text = problem.text.and(needed);
    problem
}
