//! Probes every provider of a workspace with a short request. API keys are sent only with the user's
//! consent; built-in providers that no member uses are skipped.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use tokio::time::{Instant, timeout};

use crate::app::{AnswerLimit, ConfiguredSource};
use crate::consent::Trust;
use crate::domain::Problem;
use crate::driver::{ProviderError, ProviderSource};
use crate::llm::{ErrorClass, LlmError, Message, ModelParams, Provider, Request};
use crate::minds::{ApiType, Env, FirstModel, Minds, ProviderConfig};
use crate::platform::env;

const MAX_CONCURRENT: usize = 16;
/// Enough for a word; some providers reject lower limits.
const MAX_ANSWER_TOKENS: u32 = 16;

/// The probe of one model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    pub provider: String,
    /// `None` if the provider has no model.
    pub model: Option<String>,
    pub result: ProbeResult,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbeResult {
    /// Answered, with the time until the answer was complete.
    Answered(Duration),
    Failed {
        text: String,
        fix: String,
    },
}

impl ProbeResult {
    fn failed(text: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::Failed { text: text.into(), fix: fix.into() }
    }
}

/// Probes all providers, each with the timeout `limit`. In the order of the file.
pub async fn probe(workspace: &Path, limit: Duration) -> Vec<Probe> {
    let minds = Minds::load(workspace, env::work_language());
    let trust = Arc::new(Trust::recorded(workspace));
    let configured = ConfiguredSource::new(workspace, trust, AnswerLimit::default());
    ask_all(&minds, &configured, &env::variable, limit).await
}

/// Probes a model that a person has just entered, with the timeout `limit`. No file has to name it.
pub async fn probe_entered(workspace: &Path, entered: &FirstModel, limit: Duration) -> ProbeResult {
    let (config, source) = match prepare_entered(workspace, entered) {
        Ok(prepared) => prepared,
        Err(fault) => return fault,
    };
    probe_one(&config, Some(&entered.model), &source, &env::variable, limit).await.result
}

/// Asks an entered provider which models it has, with the timeout `limit`; else why it does not say so.
pub async fn list_models(
    workspace: &Path,
    entered: &FirstModel,
    limit: Duration,
) -> Result<Vec<String>, ProbeResult> {
    let (config, source) = prepare_entered(workspace, entered)?;
    let provider = usable_provider(&config, &source, &env::variable)?;
    match timeout(limit, provider.models()).await {
        Ok(listed) => listed.map_err(|error| failure(&error, &config)),
        Err(_) => Err(no_answer(limit)),
    }
}

fn prepare_entered(
    workspace: &Path,
    entered: &FirstModel,
) -> Result<(ProviderConfig, ConfiguredSource), ProbeResult> {
    let unreadable = || {
        let text = format!("provider `{}` cannot be written to a file", entered.provider);
        ProbeResult::failed(text, "use another name for it")
    };
    let config = entered.config().ok_or_else(unreadable)?;
    let trust = Arc::new(Trust::for_entered(workspace, &config));
    Ok((config, ConfiguredSource::new(workspace, trust, AnswerLimit::default())))
}

async fn ask_all(
    minds: &Minds,
    source: &dyn ProviderSource,
    env: Env<'_>,
    limit: Duration,
) -> Vec<Probe> {
    let asked: Vec<_> = candidates(minds, env)
        .into_iter()
        .map(|(config, model)| probe_one(config, model, source, env, limit))
        .collect();
    stream::iter(asked).buffered(MAX_CONCURRENT).collect().await
}

/// Returns every provider of the file and every one that members use, with the models to probe.
fn candidates<'a>(minds: &'a Minds, env: Env) -> Vec<(&'a ProviderConfig, Option<&'a str>)> {
    let key_is_set = |_: &str| Some("set".to_owned());
    let mut used: Vec<(&str, &str)> = Vec::new();
    for member in minds.team().visible() {
        let found = minds.model_of(member, env).or_else(|_| minds.model_of(member, &key_is_set));
        if let Ok((provider, _, model)) = found
            && !used.contains(&(provider.key.as_str(), model))
        {
            used.push((&provider.key, model));
        }
    }
    let mut candidates = Vec::new();
    for provider in minds.providers() {
        let models = used.iter().filter(|(key, _)| *key == provider.key);
        let models: Vec<_> = models.map(|(_, model)| (provider, Some(*model))).collect();
        if models.is_empty() && !provider.builtin {
            let first = provider.models.first().map(|model| model.key.as_str());
            candidates.push((provider, first));
        }
        candidates.extend(models);
    }
    candidates
}

async fn probe_one(
    config: &ProviderConfig,
    model: Option<&str>,
    source: &dyn ProviderSource,
    env: Env<'_>,
    limit: Duration,
) -> Probe {
    let began = Instant::now();
    let finding = match prepare(config, model, source, env) {
        Err(fault) => fault,
        Ok((provider, model)) => {
            match timeout(limit, check_answer(&*provider, model, config)).await {
                Ok(Ok(())) => ProbeResult::Answered(began.elapsed()),
                Ok(Err(fault)) => fault,
                Err(_) => no_answer(limit),
            }
        }
    };
    Probe { provider: config.key.clone(), model: model.map(str::to_owned), result: finding }
}

fn no_answer(limit: Duration) -> ProbeResult {
    ProbeResult::failed(
        format!("there was no answer within {} s", limit.as_secs_f64()),
        "check whether the server hangs or is still loading the model; --timeout sets a longer limit",
    )
}

/// The provider and model, if the configuration is complete.
fn prepare<'a>(
    config: &ProviderConfig,
    model: Option<&'a str>,
    source: &dyn ProviderSource,
    env: Env,
) -> Result<(Arc<dyn Provider>, &'a str), ProbeResult> {
    if let Some((text, fix)) = config.unusable_reason() {
        return Err(ProbeResult::failed(text.to_string(), fix.to_string()));
    }
    let no_model = || {
        let text = format!("provider `{}` lists no model", config.key);
        ProbeResult::failed(text, "name one under `models`, or in a member of team.yaml")
    };
    let model = model.ok_or_else(no_model)?;
    Ok((usable_provider(config, source, env)?, model))
}

/// The provider, if its key is there and the user has agreed to it.
fn usable_provider(
    config: &ProviderConfig,
    source: &dyn ProviderSource,
    env: Env,
) -> Result<Arc<dyn Provider>, ProbeResult> {
    let no_key =
        |problem: Problem| ProbeResult::failed(problem.text.to_string(), problem.fix.to_string());
    config.api_key(env).map_err(no_key)?;
    source.provider(config).map_err(|reason| match reason {
        ProviderError::Unagreed(unagreed) => ProbeResult::failed(
            format!("it {}, and nobody has agreed to that", unagreed.entry.act),
            "run `dominds-tui trust` if you do",
        ),
        ProviderError::Refused(error) => failure(&error, config),
    })
}

/// Requests a streamed answer as dialogs do; if that is rejected, one without streaming.
async fn check_answer(
    provider: &dyn Provider,
    model: &str,
    config: &ProviderConfig,
) -> Result<(), ProbeResult> {
    let Err(error) = ask(provider, model, true).await else { return Ok(()) };
    let may_be_streaming = matches!(error.status(), Some(400 | 422 | 501));
    if may_be_streaming && ask(provider, model, false).await.is_ok() {
        let text = format!("it answers without streaming, but not as a stream: {error}");
        let fix = "set `streaming: false` for its members; if it is `stream_options` that it \
                    refuses, add `apiQuirks: no_stream_options` instead";
        return Err(ProbeResult::failed(text, fix));
    }
    Err(failure(&error, config))
}

async fn ask(provider: &dyn Provider, model: &str, streaming: bool) -> Result<(), LlmError> {
    let mut answer = provider.stream(Request {
        model: model.to_owned(),
        system: String::new(),
        messages: vec![Message::Prompt("Say: ok".to_owned())],
        tools: Vec::new(),
        streaming,
        params: ModelParams { max_tokens: Some(MAX_ANSWER_TOKENS), ..ModelParams::default() },
        output_limit: None,
    });
    while let Some(event) = answer.next().await {
        match event {
            Ok(_) => {}
            // Thinking used up the few tokens.
            Err(error) if error.class() == ErrorClass::Empty => return Ok(()),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn failure(error: &LlmError, config: &ProviderConfig) -> ProbeResult {
    let is_about_login = config.api_type == ApiType::Codex
        && error.class() == ErrorClass::Rejected
        && matches!(error.status(), None | Some(401 | 403));
    let fix = if is_about_login {
        "do what it says; a new login is made by `codex login`".to_owned()
    } else {
        fix_for(error, config.key_variable())
    };
    ProbeResult::failed(error.to_string(), fix)
}

/// Returns the fix of a failed request, for the user.
fn fix_for(error: &LlmError, variable: Option<&str>) -> String {
    let text = match (error.status(), error.class()) {
        (Some(401 | 403), _) => {
            return match variable {
                Some(name) => format!("check the key in {name}, and what it may be used for"),
                None => "name the variable with the key in `apiKeyEnvVar`".to_owned(),
            };
        }
        (Some(300..=399), _) => "write the address it points to into `baseUrl`",
        (Some(404 | 405), _) => {
            "check `baseUrl`, which often ends in `/v1`, `apiType`, and the name of the model"
        }
        (Some(402 | 429 | 529), _) => "it can be reached; check the limits of your account",
        (Some(500..), _) => "the provider has an internal error; try again later",
        (Some(_), ErrorClass::ContextOverflow) => {
            "the model's context is too small; use another one"
        }
        (Some(_), _) => "check the name of the model, and its limits in `models`",
        (None, ErrorClass::Malformed) => {
            "check `baseUrl` and `apiType`: the server does not speak this API"
        }
        (None, ErrorClass::Rejected | ErrorClass::Fatal) => "fix the entry in .minds/llm.yaml",
        (None, ErrorClass::Violation) => "use another server or `apiType` for this model",
        (None, ErrorClass::Transport) if is_about_certificates(&error.to_string()) => {
            "if you trust its certificate, name that in `caFile`, or in SSL_CERT_FILE"
        }
        (None, ErrorClass::Transport) => {
            "check whether the server runs, `baseUrl`, and HTTPS_PROXY"
        }
        (
            None,
            ErrorClass::RateLimited
            | ErrorClass::Server
            | ErrorClass::Empty
            | ErrorClass::Cut
            | ErrorClass::ContextOverflow
            | ErrorClass::Cancelled,
        ) => "try again later",
    };
    text.to_owned()
}

fn is_about_certificates(text: &str) -> bool {
    let text = text.to_lowercase();
    ["certificate", "unknownissuer", "certs"].iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests;
