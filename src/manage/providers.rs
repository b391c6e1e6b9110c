//! Which providers and models there are, and whether one can be used right now.

use serde_json::{Value, json};

use super::{ManageContext, matches_pattern};
use crate::domain::Lang;
use crate::minds::{Minds, ModelInfo, ProviderConfig};
use crate::tools::{Args, ToolCx, ToolOutcome};

const DEFAULT_MAX_MODELS: usize = 20;

pub(super) fn check_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "provider_key": {"type": "string"},
            "model": {"type": "string"},
            "all_models": {"type": "boolean"},
            "max_models": {"type": "integer", "minimum": 1}
        },
        "required": ["provider_key"],
        "additionalProperties": false
    })
}

pub(super) fn list_schema() -> Value {
    json!({
        "type": "object",
        "properties": {"provider_pattern": {"type": "string"}},
        "additionalProperties": false
    })
}

pub(super) fn models_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "provider_pattern": {"type": "string"},
            "model_pattern": {"type": "string"},
            "max_models": {"type": "integer", "minimum": 1}
        },
        "additionalProperties": false
    })
}

/// What is in the way of using a provider now; nothing is sent to it.
fn obstacle(provider: &ProviderConfig, known: &ManageContext) -> Option<String> {
    let (found, fix) = provider.unusable_reason().or_else(|| {
        let missing = provider.api_key(known.env).err()?;
        Some((missing.text, missing.fix))
    })?;
    Some(format!("{found} ({fix})"))
}

fn provider_row(provider: &ProviderConfig, known: &ManageContext, lang: Lang) -> String {
    let key = provider.api_key_env_var.as_deref().unwrap_or("-");
    let state = match obstacle(provider, known) {
        None => lang.pick("can be used", "可用").to_owned(),
        Some(why) => why,
    };
    format!("- {} ({}; {}): {state}", provider.key, provider.api_type.name(), key)
}

pub(super) fn list(known: &ManageContext, cx: &ToolCx, args: &Args) -> ToolOutcome {
    let minds = Minds::load(&cx.workspace, cx.lang);
    let pattern = args.text("provider_pattern").unwrap_or("*");
    let meant = minds.providers().iter().filter(|provider| matches_pattern(pattern, &provider.key));
    let rows: Vec<String> = meant.map(|provider| provider_row(provider, known, cx.lang)).collect();
    if rows.is_empty() {
        return ToolOutcome::failed(no_provider(pattern, &minds, cx.lang));
    }
    ToolOutcome::done(rows.join("\n"))
}

pub(super) fn models(_: &ManageContext, cx: &ToolCx, args: &Args) -> ToolOutcome {
    let minds = Minds::load(&cx.workspace, cx.lang);
    let pattern = args.text("provider_pattern").unwrap_or("*");
    let model_pattern = args.text("model_pattern").unwrap_or("*");
    let most = max_models(args);
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
            let any = cx.lang.pick("any name is accepted", "接受任何名称");
            parts.push(format!("{}: {any}", provider.key));
        }
    }
    if parts.is_empty() {
        let none = cx.lang.pick("No model fits.", "没有符合的模型。");
        return ToolOutcome::failed(none);
    }
    ToolOutcome::done(parts.join("\n"))
}

fn max_models(args: &Args) -> usize {
    let most = args.integer("max_models").and_then(|most| usize::try_from(most).ok());
    most.unwrap_or(DEFAULT_MAX_MODELS)
}

fn model_row(provider: &ProviderConfig, model: &ModelInfo) -> String {
    let length = model.context_length.or(model.input_length);
    let length = length.map_or_else(|| "?".to_owned(), |tokens| tokens.to_string());
    let pictures = if provider.sends_images_to(model) { "pictures" } else { "no pictures" };
    format!("- {} ({length} tokens, {pictures})", model.key)
}

pub(super) fn check(known: &ManageContext, cx: &ToolCx, args: &Args) -> ToolOutcome {
    let minds = Minds::load(&cx.workspace, cx.lang);
    let key = args.required_text("provider_key");
    let Some(provider) = minds.provider(key) else {
        return ToolOutcome::failed(no_provider(key, &minds, cx.lang));
    };
    let mut told = vec![provider_row(provider, known, cx.lang)];
    let mut ok = obstacle(provider, known).is_none();
    if let Some(model) = args.text("model") {
        let found = provider.model(model);
        ok &= found.is_some();
        told.push(match (found, cx.lang) {
            (Some(info), _) if !info.key.is_empty() => model_row(provider, info),
            (Some(_), Lang::En) => format!("- {model}: not listed, any name is accepted"),
            (Some(_), Lang::Zh) => format!("- {model}:未列出,接受任何名称"),
            (None, Lang::En) => format!("- {model}: not listed; add it to `models` in llm.yaml"),
            (None, Lang::Zh) => format!("- {model}:未列出;请加入 llm.yaml 的 `models`"),
        });
    }
    if args.flag("all_models").unwrap_or(false) {
        let models = provider.models.iter().take(max_models(args));
        told.extend(models.map(|model| model_row(provider, model)));
    }
    let text = told.join("\n");
    if ok { ToolOutcome::done(text) } else { ToolOutcome::failed(text) }
}

fn no_provider(key: &str, minds: &Minds, lang: Lang) -> String {
    let known: Vec<&str> = minds.providers().iter().map(|one| one.key.as_str()).collect();
    let known = known.join(", ");
    match lang {
        Lang::En => format!("There is no provider `{key}`. Known: {known}."),
        Lang::Zh => format!("没有提供方 `{key}`。已知:{known}。"),
    }
}
