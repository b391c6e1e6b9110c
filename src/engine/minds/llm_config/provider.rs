//! A model provider with its effective settings, and the settings of its models.

use std::path::PathBuf;

use super::PATH;
use super::connection::Connection;
use super::retry::RetryConfig;
use crate::domain::dialogs::attachment::MAX_IMAGE_BYTES;
use crate::domain::models::context_health::ContextLimits;
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{ImageLimits, Problem};

/// Reads an environment variable by name; only the caller accesses the real environment.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Generations between two warnings about context pressure (Dominds 1.19.2).
pub(super) const DEFAULT_CADENCE: u32 = 10;

/// The variable with the folder of a `ChatGPT` login, if a provider names no other.
const LOGIN_VARIABLE: &str = "CODEX_HOME";

/// The protocol a provider speaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApiType {
    /// A `ChatGPT` login.
    Codex,
    /// The Messages API.
    Anthropic,
    /// The same of another vendor, with settings of its own.
    AnthropicCompatible,
    /// The API of Gemini.
    Google,
    /// The Responses API.
    OpenAi,
    /// Chat Completions: every local server, and many paid ones.
    OpenAiCompatible,
    /// Answers from a file.
    Mock,
    /// As written in the file; empty if not set.
    Unknown(String),
}

impl ApiType {
    pub(super) fn from_name(text: &str) -> Self {
        match text {
            "codex" => Self::Codex,
            "anthropic" => Self::Anthropic,
            "anthropic-compatible" => Self::AnthropicCompatible,
            "google" => Self::Google,
            "openai" => Self::OpenAi,
            "openai-compatible" => Self::OpenAiCompatible,
            "mock" => Self::Mock,
            other => Self::Unknown(other.chars().take(60).collect()),
        }
    }

    /// The name in the file.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Codex => "codex",
            Self::Anthropic => "anthropic",
            Self::AnthropicCompatible => "anthropic-compatible",
            Self::Google => "google",
            Self::OpenAi => "openai",
            Self::OpenAiCompatible => "openai-compatible",
            Self::Mock => "mock",
            Self::Unknown(text) => text,
        }
    }

    /// True if this program implements the protocol.
    #[must_use]
    pub fn is_supported(&self) -> bool {
        match self {
            Self::Anthropic
            | Self::AnthropicCompatible
            | Self::Codex
            | Self::Google
            | Self::OpenAi
            | Self::OpenAiCompatible
            | Self::Mock => true,
            Self::Unknown(_) => false,
        }
    }

    /// Limits for images in a request. The Messages API accepts requests of 32 MB and images of 5 MB,
    /// both in base64, which is a third larger; with more than 20 images it accepts only small ones. Gemini
    /// accepts requests of 20 MB.
    #[must_use]
    pub fn image_limits(&self) -> ImageLimits {
        const MIB: usize = 1024 * 1024;
        match self {
            Self::Anthropic | Self::AnthropicCompatible => {
                ImageLimits { most: 20, each_bytes: 15 * MIB / 4, all_bytes: 22 * MIB }
            }
            Self::Google => {
                ImageLimits { most: 100, each_bytes: MAX_IMAGE_BYTES, all_bytes: 13 * MIB }
            }
            Self::Codex | Self::OpenAi | Self::OpenAiCompatible | Self::Mock | Self::Unknown(_) => {
                let each_bytes = MAX_IMAGE_BYTES;
                ImageLimits { most: 100, each_bytes, all_bytes: 36 * MIB }
            }
        }
    }

    /// True if images are sent to a model without a setting for it (Dominds 1.19.2): many Chat
    /// Completions servers reject requests with images.
    fn sends_images(&self) -> bool {
        match self {
            Self::Codex
            | Self::Anthropic
            | Self::AnthropicCompatible
            | Self::Google
            | Self::OpenAi
            | Self::Mock
            | Self::Unknown(_) => true,
            Self::OpenAiCompatible => false,
        }
    }

    /// Maximum characters of one tool result that are sent (Dominds 1.19.2).
    pub(super) fn default_tool_result_max_chars(&self) -> usize {
        match self {
            Self::Codex | Self::OpenAi => 8 * 1024 * 1024,
            Self::Anthropic
            | Self::AnthropicCompatible
            | Self::Google
            | Self::OpenAiCompatible
            | Self::Mock
            | Self::Unknown(_) => 4 * 1024 * 1024,
        }
    }
}

/// One provider.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderConfig {
    pub key: String,
    /// Display name.
    pub name: String,
    pub api_type: ApiType,
    /// The base URL; for [`ApiType::Mock`] the folder of answers, relative to the workspace.
    pub base_url: String,
    pub api_key_env_var: Option<String>,
    pub connection: Connection,
    /// Maximum characters of one tool result that are sent.
    pub tool_result_max_chars: usize,
    pub retry: RetryConfig,
    /// In the order of the file.
    pub models: Vec<ModelInfo>,
    /// Built-in model settings; the key is a prefix of model names.
    pub families: Vec<ModelInfo>,
    /// Settings of all other models; `None` if only listed models may be used.
    pub default_model: Option<ModelInfo>,
    /// Part of the program, not of the file.
    pub builtin: bool,
}

impl ProviderConfig {
    #[must_use]
    pub fn model(&self, key: &str) -> Option<&ModelInfo> {
        let listed = self.models.iter().find(|model| model.key == key);
        listed.or_else(|| self.family(key)).or(self.default_model.as_ref())
    }

    /// True if images are sent to this model.
    #[must_use]
    pub fn sends_images_to(&self, model: &ModelInfo) -> bool {
        model.supports_image_input.unwrap_or_else(|| self.api_type.sends_images())
    }

    /// The longest prefix match.
    fn family(&self, key: &str) -> Option<&ModelInfo> {
        let belongs = |family: &&ModelInfo| {
            let rest = key.strip_prefix(family.key.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '@', ':']))
        };
        self.families.iter().filter(belongs).max_by_key(|family| family.key.len())
    }

    /// The environment variable with the API key; that of a `ChatGPT` login names a folder.
    #[must_use]
    pub fn key_variable(&self) -> Option<&str> {
        self.api_key_env_var.as_deref().filter(|_| self.api_type != ApiType::Codex)
    }

    /// The folder of a `ChatGPT` login: what its variable says, else that of the codex program.
    ///
    /// # Errors
    /// There is no such folder; the message for the user.
    pub fn login_folder(&self, env: Env) -> Result<PathBuf, Localized> {
        let variable = self.api_key_env_var.as_deref().unwrap_or(LOGIN_VARIABLE);
        let named = env(variable).filter(|folder| !folder.trim().is_empty()).map(PathBuf::from);
        let own = || Some(PathBuf::from(env("HOME")?).join(".codex"));
        named.or_else(own).filter(|folder| folder.is_absolute()).ok_or_else(|| {
            let key = &self.key;
            localized!(
                "provider `{key}`: set {variable} to the absolute path of the folder with the ChatGPT login",
                "模型服务 `{key}`：请将 {variable} 设为 ChatGPT 登录所在文件夹的绝对路径"
            )
        })
    }

    /// The API key, if a variable is named. A mock provider and a `ChatGPT` login need none.
    ///
    /// # Errors
    /// The named variable is not set, or blank.
    pub fn api_key(&self, env: Env) -> Result<Option<String>, Problem> {
        let Some(name) = self.key_variable() else {
            return Ok(None);
        };
        if self.api_type == ApiType::Mock {
            return Ok(None);
        }
        if let Some(key) = env(name).filter(|key| !key.trim().is_empty()) {
            return Ok(Some(key));
        }
        let key = &self.key;
        let found = localized!(
            "provider `{key}` needs the environment variable {name}, which is not set",
            "模型服务 `{key}` 需要环境变量 {name}，但它未设置"
        );
        let fix = localized!(
            "set {name}, or remove `apiKeyEnvVar` if the server needs no key",
            "请设置 {name}；若服务器不需要密钥，请删除 `apiKeyEnvVar`"
        );
        Err(Problem::new(format!("llm/no-key/{key}"), PATH, found, fix))
    }

    /// True if the provider can be used, given a model.
    pub(crate) fn is_usable(&self, env: Env) -> bool {
        self.unusable_reason().is_none() && self.api_key(env).is_ok()
    }

    /// The reason, and the fix, if no model of this provider can be used, whatever the environment.
    pub fn unusable_reason(&self) -> Option<(Localized, Localized)> {
        let key = &self.key;
        if !self.api_type.is_supported() {
            let found = match self.api_type.name() {
                "" => localized!(
                    "provider `{key}` has no `apiType`",
                    "模型服务 `{key}` 没有 `apiType`"
                ),
                name => localized!(
                    "provider `{key}`: apiType `{name}` is not supported yet",
                    "模型服务 `{key}`：尚不支持 apiType `{name}`"
                ),
            };
            let fix = Text::new(
                "use `anthropic`, `codex`, `google`, `openai`, `openai-compatible` or `mock`",
                "请使用 `anthropic`、`codex`、`google`、`openai`、`openai-compatible` 或 `mock`",
            );
            return Some((found, fix.into()));
        }
        let is_url = ["http://", "https://"].iter().any(|scheme| self.base_url.starts_with(scheme));
        if self.api_type == ApiType::Mock && self.base_url.is_empty() {
            let found =
                localized!("provider `{key}` has no `baseUrl`", "模型服务 `{key}` 没有 `baseUrl`");
            let fix = Text::new("name the folder of its answers", "请写明存放其回答的文件夹");
            return Some((found, fix.into()));
        }
        if self.api_type != ApiType::Mock && !is_url {
            let found = localized!(
                "`baseUrl` of provider `{key}` is not a web address",
                "模型服务 `{key}` 的 `baseUrl` 不是网址"
            );
            let fix = Text::new(
                "write it as `http://…` or `https://…`",
                "请写成 `http://…` 或 `https://…`",
            );
            return Some((found, fix.into()));
        }
        None
    }
}

/// The settings of a model. Lengths are in tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInfo {
    /// The name sent to the provider; empty in [`ProviderConfig::default_model`].
    pub key: String,
    /// Display name.
    pub name: String,
    pub context_length: Option<u64>,
    pub input_length: Option<u64>,
    pub output_length: Option<u64>,
    pub optimal_max_tokens: Option<u64>,
    pub critical_max_tokens: Option<u64>,
    /// Generations between two warnings about context pressure.
    pub caution_cadence: u32,
    /// The size of the context as text, for display.
    pub context_window: Option<String>,
    /// Whether images are sent; if not set, the protocol decides
    /// ([`ProviderConfig::sends_images_to`]).
    pub supports_image_input: Option<bool>,
    /// Whether the model takes `tool_choice`.
    pub supports_tool_choice: Option<bool>,
    /// Whether the model thinks; for the protocol of Gemini alone, as the next.
    pub supports_thinking: Option<bool>,
    /// Whether it is asked to think, where its member does not say so.
    pub default_thinking: Option<bool>,
}

impl ModelInfo {
    /// A model without settings.
    pub(super) fn unknown(key: &str) -> Self {
        Self {
            key: key.to_owned(),
            name: key.to_owned(),
            context_length: None,
            input_length: None,
            output_length: None,
            optimal_max_tokens: None,
            critical_max_tokens: None,
            caution_cadence: DEFAULT_CADENCE,
            context_window: None,
            supports_image_input: None,
            supports_tool_choice: None,
            supports_thinking: None,
            default_thinking: None,
        }
    }

    /// `None` if neither the context nor the input length is known.
    #[must_use]
    pub fn limits(&self) -> Option<ContextLimits> {
        let length = self.context_length.or(self.input_length);
        let mut limits =
            ContextLimits::new(length, self.optimal_max_tokens, self.critical_max_tokens)?;
        limits.model_context_window_text.clone_from(&self.context_window);
        Some(limits)
    }
}
