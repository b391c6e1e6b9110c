//! A `ChatGPT` login as a provider: the Responses protocol at the address of the codex program, with the tokens of its
//! login instead of a key.
//!
//! A login that the server refuses is renewed, and the request is sent once more. Nothing of an answer has arrived by
//! then, so this is no retry: those are the driver's.

mod file;
mod login;
mod tokens;

use std::borrow::Cow;
use std::sync::Arc;

use futures_util::{StreamExt, stream};
use reqwest::StatusCode;
use reqwest::header::HeaderValue;

use super::error::{ErrorClass, LlmError};
use super::protocol::Protocol;
use super::responses::{Responses, login_body};
use super::{Clients, Endpoint, GenEvent, GenStream, Provider, Remote, Request, Secret};
use crate::domain::text::{Text, localized};
use tokens::Tokens;

pub use file::LOGIN_FILE;
pub use login::{CodexLogin, LOGIN_SERVER};

const NOT_SAVED: Text = Text::new(
    "the ChatGPT login was renewed, but its file could not be written: it is renewed in this run alone; log in again \
     with `codex login` after it",
    "ChatGPT 登录已续期，但无法写入其文件：续期仅在本次运行中有效；之后请重新执行 `codex login` 登录",
);

/// A provider that is reached with a `ChatGPT` login.
#[derive(Debug, Clone)]
pub struct Codex {
    login: Arc<CodexLogin>,
    endpoint: Endpoint,
    clients: Clients,
}

impl Codex {
    /// Opens nothing before the first request. The endpoint names no key: the login is sent.
    #[must_use]
    pub fn new(login: Arc<CodexLogin>, endpoint: Endpoint, clients: Clients) -> Self {
        Self { login, endpoint, clients }
    }

    async fn begin(self, request: Request) -> GenStream {
        let tokens = match self.login.tokens().await {
            Ok(tokens) => tokens,
            Err(error) => return failed(error),
        };
        let mut answer = self.ask(&tokens, request.clone());
        let first = answer.next().await;
        if !matches!(&first, Some(Err(error)) if is_about_login(error)) {
            return stream::iter(first).chain(answer).boxed();
        }
        let (tokens, is_saved) = match self.login.renew(&tokens, &self.endpoint).await {
            Ok(renewed) => renewed,
            Err(error) => return failed(error),
        };
        let notice = (!is_saved).then_some(Ok(GenEvent::Notice(NOT_SAVED)));
        let again = self.ask(&tokens, request);
        let again = again.map(move |item| item.map_err(|error| self.refused_again(error)));
        stream::iter(notice).chain(again).boxed()
    }

    fn ask(&self, tokens: &Tokens, request: Request) -> GenStream {
        let endpoint = Endpoint {
            api_key_variable: Some(LOGIN_FILE.to_owned()),
            api_key: Secret::new(&tokens.access),
            ..self.endpoint.clone()
        };
        let protocol = LoginResponses { account: tokens.account.clone() };
        Remote::new(protocol, endpoint, self.clients.clone()).stream(request)
    }

    fn refused_again(&self, error: LlmError) -> LlmError {
        if !is_about_login(&error) {
            return error;
        }
        let (path, cause) = (self.login.path().display(), error.message());
        let text = localized!(
            [cause] "the login in {path} is refused although it was renewed; log in again with `codex login`: {cause}",
            "{path} 中的登录已续期，但仍被拒绝；请重新执行 `codex login` 登录：{cause}"
        );
        LlmError::new(ErrorClass::Rejected, text).with_status(StatusCode::UNAUTHORIZED.as_u16())
    }
}

impl Provider for Codex {
    fn stream(&self, request: Request) -> GenStream {
        stream::once(self.clone().begin(request)).flatten().boxed()
    }
}

fn failed(error: LlmError) -> GenStream {
    stream::iter([Err(error)]).boxed()
}

fn is_about_login(error: &LlmError) -> bool {
    error.status() == Some(StatusCode::UNAUTHORIZED.as_u16())
}

/// The Responses protocol as that server speaks it.
#[derive(Debug)]
struct LoginResponses {
    account: String,
}

impl Protocol for LoginResponses {
    /// The server is told which program asks.
    const HEADERS: &'static [(&'static str, &'static str)] = &[("originator", "dominds_tui")];
    type Fold = <Responses as Protocol>::Fold;

    fn path(&self, base: &str, _request: &Request) -> Cow<'static, str> {
        let is_whole = base.trim().trim_end_matches('/').ends_with("/codex");
        if is_whole { "responses".into() } else { "codex/responses".into() }
    }

    fn headers(&self) -> Vec<(&'static str, HeaderValue)> {
        let account = HeaderValue::from_str(&self.account).ok();
        let account = account.map(|mut value| {
            value.set_sensitive(true);
            ("chatgpt-account-id", value)
        });
        account.into_iter().collect()
    }

    fn body(&self, request: &Request, endpoint: &Endpoint) -> Result<Vec<u8>, serde_json::Error> {
        login_body(request, endpoint)
    }

    fn fold(&self, request: &Request, text_bytes: usize) -> Self::Fold {
        Responses.fold(request, text_bytes)
    }
}

#[cfg(test)]
mod tests;
