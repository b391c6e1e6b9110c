//! Which providers and models there are, and whether one can be used right now.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::Deserialize;

use super::context::{ManageContext, matches_pattern};
use crate::domain::Lang;
use crate::domain::text::{Text, in_lang};
use crate::minds::{Minds, ModelInfo, ProviderConfig};
use crate::tools::{ToolCx, ToolOutcome};

const DEFAULT_MAX_MODELS: usize = 20;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckProviderArgs {
    provider_key: String,
    model: Option<String>,
    all_models: Option<bool>,
    max_models: Option<NonZeroUsize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListProvidersArgs {
    provider_pattern: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListModelsArgs {
    provider_pattern: Option<String>,
    model_pattern: Option<String>,
    max_models: Option<NonZeroUsize>,
}

/// Returns the reason why a provider cannot be used now, if any; nothing is sent to it.
fn obstacle(provider: &ProviderConfig, known: &ManageContext, lang: Lang) -> Option<String> {
    let (found, fix) = provider.unusable_reason().or_else(|| {
        let missing = provider.api_key(known.env).err()?;
        Some((missing.text, missing.fix))
    })?;
    let (found, fix) = (found.in_lang(lang), fix.in_lang(lang));
    Some(in_lang!(lang, "{found} ({fix})", "{found}（{fix}）"))
}

fn provider_row(provider: &ProviderConfig, known: &ManageContext, lang: Lang) -> String {
    let key = provider.api_key_env_var.as_deref().unwrap_or("-");
    let state = match obstacle(provider, known, lang) {
        None => Text::new("can be used", "可用").in_lang(lang).to_owned(),
        Some(why) => why,
    };
    format!("- {} ({}; {}): {state}", provider.key, provider.api_type.name(), key)
}

pub(super) fn list(known: &ManageContext, cx: &ToolCx, args: &ListProvidersArgs) -> ToolOutcome {
    let minds = Minds::load(&cx.workspace, cx.lang);
    let pattern = args.provider_pattern.as_deref().unwrap_or("*");
    let meant = minds.providers().iter().filter(|provider| matches_pattern(pattern, &provider.key));
    let rows: Vec<String> = meant.map(|provider| provider_row(provider, known, cx.lang)).collect();
    if rows.is_empty() {
        return ToolOutcome::failed(no_provider(pattern, &minds, cx.lang));
    }
    ToolOutcome::done(rows.join("\n"))
}

pub(super) fn models(_: &ManageContext, cx: &ToolCx, args: &ListModelsArgs) -> ToolOutcome {
    let minds = Minds::load(&cx.workspace, cx.lang);
    let pattern = args.provider_pattern.as_deref().unwrap_or("*");
    let model_pattern = args.model_pattern.as_deref().unwrap_or("*");
    let most = max_models(args.max_models);
    let mut parts = Vec::new();
    for provider in
        minds.providers().iter().filter(|provider| matches_pattern(pattern, &provider.key))
    {
        let fitting =
            provider.models.iter().filter(|model| matches_pattern(model_pattern, &model.key));
        let rows: Vec<String> =
            fitting.take(most).map(|model| model_row(provider, model)).collect();
        if !rows.is_empty() {
            parts.push(format!("{}:\n{}", provider.key, rows.join("\n")));
        } else if provider.default_model.is_some() {
            let any = Text::new("any name is accepted", "接受任何名称").in_lang(cx.lang);
            parts.push(format!("{}: {any}", provider.key));
        }
    }
    if parts.is_empty() {
        let none = Text::new("No model fits.", "没有符合的模型。").in_lang(cx.lang);
        return ToolOutcome::failed(none);
    }
    ToolOutcome::done(parts.join("\n"))
}

fn max_models(given: Option<NonZeroUsize>) -> usize {
    given.map_or(DEFAULT_MAX_MODELS, NonZeroUsize::get)
}

fn model_row(provider: &ProviderConfig, model: &ModelInfo) -> String {
    let length = model.context_length.or(model.input_length);
    let length = length.map_or_else(|| "?".to_owned(), |tokens| tokens.to_string());
    let images = if provider.sends_images_to(model) { "images" } else { "no images" };
    format!("- {} ({length} tokens, {images})", model.key)
}

pub(super) fn check(known: &ManageContext, cx: &ToolCx, args: &CheckProviderArgs) -> ToolOutcome {
    let minds = Minds::load(&cx.workspace, cx.lang);
    let key = args.provider_key.as_str();
    let Some(provider) = minds.provider(key) else {
        return ToolOutcome::failed(no_provider(key, &minds, cx.lang));
    };
    let mut rows = vec![provider_row(provider, known, cx.lang)];
    let mut ok = obstacle(provider, known, cx.lang).is_none();
    if let Some(model) = &args.model {
        let found = provider.model(model);
        ok &= found.is_some();
        rows.push(match found {
            Some(info) if !info.key.is_empty() => model_row(provider, info),
            Some(_) => in_lang!(
                cx.lang,
                "- {model}: not listed, any name is accepted",
                "- {model}:未列出,接受任何名称"
            ),
            None => in_lang!(
                cx.lang,
                "- {model}: not listed; add it to `models` in llm.yaml",
                "- {model}:未列出;请加入 llm.yaml 的 `models`"
            ),
        });
    }
    if args.all_models.unwrap_or(false) {
        let models = provider.models.iter().take(max_models(args.max_models));
        rows.extend(models.map(|model| model_row(provider, model)));
    }
    let text = rows.join("\n");
    if ok { ToolOutcome::done(text) } else { ToolOutcome::failed(text) }
}

fn no_provider(key: &str, minds: &Minds, lang: Lang) -> String {
    let known: Vec<&str> = minds.providers().iter().map(|one| one.key.as_str()).collect();
    let known = known.join(", ");
    in_lang!(
        lang,
        "There is no provider `{key}`. Known: {known}.",
        "没有提供方 `{key}`。已知:{known}。"
    )
}
