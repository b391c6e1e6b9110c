//! The tokens of a `ChatGPT` login, as its file and the server that renews it write them.

use serde::Deserialize;
use serde_json::Value;

use crate::domain::text::{Text, json};

const NOT_JSON: Text = Text::new("is not valid JSON", "不是有效的 JSON");
const API_KEY: Text = Text::new(
    "holds an API key, which is for a provider with `apiType: openai`",
    "所含的是 API 密钥，应用于 `apiType: openai` 的提供方",
);
const OTHER_LOGIN: Text =
    Text::new("holds no ChatGPT login that can be renewed", "所含的不是可续期的 ChatGPT 登录");
const INCOMPLETE: Text =
    Text::new("holds an incomplete ChatGPT login", "所含的 ChatGPT 登录不完整");

/// A login that can be renewed; never printed.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Tokens {
    /// Sent with each request.
    pub(super) access: String,
    /// Sent once, for a renewal.
    pub(super) refresh: String,
    id: String,
    /// Requests name it.
    pub(super) account: String,
}

/// What the server sent for a refresh token. What it leaves out stays.
#[derive(Deserialize)]
pub(super) struct Renewed {
    #[serde(rename = "access_token")]
    access: Option<String>,
    #[serde(rename = "refresh_token")]
    refresh: Option<String>,
    #[serde(rename = "id_token")]
    id: Option<String>,
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

impl Tokens {
    /// Reads a file.
    ///
    /// # Errors
    /// It holds no login of the kind that is used here; the reason continues its path.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Text> {
        let text = str::from_utf8(bytes).map_err(|_| NOT_JSON)?;
        let file: Value = json::read(text).map_err(|_| NOT_JSON)?;
        let mode = file.get("auth_mode").and_then(Value::as_str);
        if mode != Some("chatgpt") {
            let has_key = file.get("OPENAI_API_KEY").is_some_and(Value::is_string);
            let is_key = mode == Some("apikey") || mode.is_none() && has_key;
            return Err(if is_key { API_KEY } else { OTHER_LOGIN });
        }
        let token = |name: &str| {
            let text = file.get("tokens")?.get(name)?.as_str()?;
            is_token(text).then(|| text.to_owned())
        };
        let tokens = || {
            Some(Self {
                access: token("access_token")?,
                refresh: token("refresh_token")?,
                id: token("id_token")?,
                account: token("account_id")?,
            })
        };
        tokens().ok_or(INCOMPLETE)
    }

    /// The login after a renewal; `None` if the server sent no token that can be used.
    pub(super) fn renewed(&self, sent: Renewed) -> Option<Self> {
        let or_before =
            |sent: Option<String>, before: &str| sent.unwrap_or_else(|| before.to_owned());
        let tokens = Self {
            access: sent.access?,
            refresh: or_before(sent.refresh, &self.refresh),
            id: or_before(sent.id, &self.id),
            account: self.account.clone(),
        };
        let are_tokens =
            [&tokens.access, &tokens.refresh, &tokens.id].into_iter().all(|text| is_token(text));
        are_tokens.then_some(tokens)
    }

    /// The content of the file with these tokens and the time of their renewal. All else in it stays.
    pub(super) fn written_into(&self, file: &[u8], renewed_at: &str) -> Option<Vec<u8>> {
        let mut file: Value = json::read(str::from_utf8(file).ok()?).ok()?;
        let tokens = file.get_mut("tokens")?.as_object_mut()?;
        for (name, token) in [
            ("id_token", &self.id),
            ("access_token", &self.access),
            ("refresh_token", &self.refresh),
        ] {
            tokens.insert(name.to_owned(), Value::from(token.as_str()));
        }
        if !renewed_at.is_empty() {
            file.as_object_mut()?.insert("last_refresh".to_owned(), Value::from(renewed_at));
        }
        serde_json::to_vec_pretty(&file).ok()
    }

    /// What must not be shown of it.
    pub(super) fn secrets(&self) -> [String; 4] {
        [&self.access, &self.refresh, &self.id, &self.account].map(String::clone)
    }
}

/// True for a text that can be the value of a header.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}
