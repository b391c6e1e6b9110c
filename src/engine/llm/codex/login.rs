//! A `ChatGPT` login in use. Whoever asks gets the tokens of the file as it is now; one that the server refused is
//! renewed once for all who wait.
//!
//! A refresh token is good for one renewal. So a renewal that has begun is never cancelled, and its result is written
//! into the file, unless that has changed since it was read: then somebody else has renewed the login, too.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Response, StatusCode};
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::file::LoginFile;
use super::tokens::{Renewed, Tokens};
use crate::domain::text::{Text, json, localized};
use crate::domain::{Clock, SharedSecrets, Stamp};
use crate::llm::error::{ErrorClass, LlmError};
use crate::llm::exchange::network_error;
use crate::llm::{Clients, Endpoint, address, failure};

/// The server that renews logins.
pub const LOGIN_SERVER: &str = "https://auth.openai.com";

const RENEWAL_PATH: &str = "oauth/token";
/// The name of the codex program there, which is public: a login is renewed under the name that it was made with.
const CLIENT_ID: &str = "app_EMoamEEZ73f0CkXaXp7hrann";
/// The reasons of that server for which only a new login helps.
const REFUSALS: [&str; 4] =
    ["refresh_token_expired", "refresh_token_reused", "refresh_token_invalidated", "invalid_grant"];
const RENEWAL_TIMEOUT: Duration = Duration::from_secs(30);
/// How long after a refusal the file is looked at again: another program that renewed the login first writes it then.
const LOOK_AGAIN: Duration = Duration::from_millis(500);
const MAX_ANSWER_BYTES: usize = 64 * 1024;

const NO_TOKENS: Text = Text::new("the server sent no tokens", "服务器没有发来令牌");
const STOPPED: Text =
    Text::new("the renewal of the ChatGPT login stopped", "ChatGPT 登录的续期已中断");

/// The login in a folder of the codex program. All who use the folder share it.
pub struct CodexLogin {
    file: LoginFile,
    pub(super) server: String,
    clients: Clients,
    clock: Arc<dyn Clock>,
    /// Learns every token.
    known: SharedSecrets,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    held: Option<Held>,
    /// At most one. It goes on when nobody waits for it any more.
    renewal: JoinSet<Result<Held, LlmError>>,
}

/// The tokens, and the content of the file that they belong to.
#[derive(Clone)]
struct Held {
    file: Vec<u8>,
    tokens: Tokens,
    is_saved: bool,
}

impl std::fmt::Debug for CodexLogin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CodexLogin").field("file", &self.file).finish_non_exhaustive()
    }
}

impl CodexLogin {
    /// Reads nothing yet. `known` learns every token, so that it is shown nowhere.
    #[must_use]
    pub fn new(
        folder: &Path,
        clients: Clients,
        clock: Arc<dyn Clock>,
        known: SharedSecrets,
    ) -> Self {
        Self {
            file: LoginFile::in_folder(folder),
            server: LOGIN_SERVER.to_owned(),
            clients,
            clock,
            known,
            state: Mutex::default(),
        }
    }

    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Reads the file, so that its tokens are known as secrets before anything uses them.
    ///
    /// # Errors
    /// There is no login that can be used.
    pub fn check(&self) -> Result<(), LlmError> {
        Held::read(&self.file, &self.known).map(drop)
    }

    /// The tokens to send.
    pub(super) async fn tokens(&self) -> Result<Tokens, LlmError> {
        let mut state = self.state.lock().await;
        // Without its result the tokens of the file are sent, and refused if they are old.
        drop(finish_renewal(&mut state).await);
        Ok(self.look(&mut state)?.tokens)
    }

    /// The tokens to send after these were refused, and whether they are in the file. `endpoint` has the certificates
    /// to trust.
    pub(super) async fn renew(
        &self,
        refused: &Tokens,
        endpoint: &Endpoint,
    ) -> Result<(Tokens, bool), LlmError> {
        let mut state = self.state.lock().await;
        drop(finish_renewal(&mut state).await);
        let held = self.look(&mut state)?;
        if held.tokens.access != refused.access {
            return Ok((held.tokens, held.is_saved));
        }
        let renewal = Renewal {
            file: self.file.clone(),
            held,
            server: self.server.clone(),
            endpoint: Endpoint { ca_file: endpoint.ca_file.clone(), ..Endpoint::new(&self.server) },
            clients: self.clients.clone(),
            clock: Arc::clone(&self.clock),
            known: self.known.clone(),
        };
        state.renewal.spawn(renewal.run());
        finish_renewal(&mut state).await?;
        let held = self.look(&mut state)?;
        Ok((held.tokens, held.is_saved))
    }

    /// What the file says now; what is held if that came from the same content.
    fn look(&self, state: &mut State) -> Result<Held, LlmError> {
        let file = self.file.read()?;
        if let Some(held) = state.held.as_ref().filter(|held| held.file == file) {
            return Ok(held.clone());
        }
        let held = Held::of(file, &self.file, &self.known)?;
        state.held = Some(held.clone());
        Ok(held)
    }
}

/// Waits for a renewal that is under way.
async fn finish_renewal(state: &mut State) -> Result<(), LlmError> {
    while let Some(ended) = state.renewal.join_next().await {
        let stopped = |_| LlmError::new(ErrorClass::Transport, STOPPED);
        state.held = Some(ended.map_err(stopped)??);
    }
    Ok(())
}

impl Held {
    fn read(file: &LoginFile, known: &SharedSecrets) -> Result<Self, LlmError> {
        Self::of(file.read()?, file, known)
    }

    fn of(content: Vec<u8>, file: &LoginFile, known: &SharedSecrets) -> Result<Self, LlmError> {
        let tokens = Tokens::parse(&content).map_err(|why| file.holds_no_login(why))?;
        known.learn([], tokens.secrets());
        Ok(Self { file: content, tokens, is_saved: true })
    }
}

/// One renewal, with all that it needs to end alone.
struct Renewal {
    file: LoginFile,
    held: Held,
    server: String,
    endpoint: Endpoint,
    clients: Clients,
    clock: Arc<dyn Clock>,
    known: SharedSecrets,
}

impl Renewal {
    async fn run(self) -> Result<Held, LlmError> {
        let answered = timeout(RENEWAL_TIMEOUT, self.ask()).await;
        match answered {
            Ok(Ok(Some(sent))) => match self.held.tokens.renewed(sent) {
                Some(tokens) => Ok(self.keep(tokens)),
                None => Err(self.failed(&LlmError::new(ErrorClass::Malformed, NO_TOKENS))),
            },
            Ok(Ok(None)) => self.look_again().await,
            Ok(Err(error)) => Err(self.failed(&error)),
            Err(_) => {
                let seconds = RENEWAL_TIMEOUT.as_secs();
                let text = localized!("no answer within {seconds} s", "{seconds} 秒内没有回应");
                Err(self.failed(&LlmError::new(ErrorClass::Transport, text)))
            }
        }
    }

    /// Sends the refresh token; `None` if the server takes it no more.
    async fn ask(&self) -> Result<Option<Renewed>, LlmError> {
        let no_address = || LlmError::new(ErrorClass::Fatal, NO_TOKENS);
        let url = address::url(&self.server, RENEWAL_PATH).ok_or_else(no_address)?;
        let refresh = &self.held.tokens.refresh;
        let body = serde_json::json!({
            "client_id": CLIENT_ID,
            "grant_type": "refresh_token",
            "refresh_token": refresh,
        });
        let http = self.clients.for_url(&url, &self.endpoint)?.post(url);
        let http = http.header(CONTENT_TYPE, "application/json").body(body.to_string());
        let sent = http.send().await;
        let response = sent.map_err(|error| network_error(&error, &self.server))?;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = self.body(response).await?;
        if !status.is_success() {
            return self.refused(status, &headers, body).map(|()| None);
        }
        let sent: Result<Renewed, _> = json::read(&body);
        sent.map(Some).map_err(|_| LlmError::new(ErrorClass::Malformed, NO_TOKENS))
    }

    async fn body(&self, mut response: Response) -> Result<String, LlmError> {
        let mut body = Vec::new();
        loop {
            let part = response.chunk().await;
            let part = part.map_err(|error| network_error(&error, &self.server))?;
            let Some(part) = part else { break };
            body.extend_from_slice(&part);
            if body.len() > MAX_ANSWER_BYTES {
                return Err(LlmError::new(ErrorClass::Malformed, NO_TOKENS));
            }
        }
        Ok(String::from_utf8_lossy(&body).into_owned())
    }

    /// Fails unless the server says that it takes the refresh token no more.
    fn refused(
        &self,
        status: StatusCode,
        headers: &HeaderMap,
        body: String,
    ) -> Result<(), LlmError> {
        let is_final = code_of(&body).is_some_and(|code| REFUSALS.contains(&code.as_str()));
        if status == StatusCode::UNAUTHORIZED || is_final {
            return Ok(());
        }
        let body = self.known.secrets().redacted(body);
        Err(failure::from_response(status, headers, &body))
    }

    /// Takes the new tokens, and writes them into the file.
    fn keep(self, tokens: Tokens) -> Held {
        self.known.learn([], tokens.secrets());
        let before = self.held.file;
        let written = tokens.written_into(&before, &moment(self.clock.moment()));
        let saved = written.map(|after| (self.file.replace(&before, &after), after));
        match saved {
            Some((Ok(true), after)) => Held { file: after, tokens, is_saved: true },
            // The next look takes what the file says by then.
            Some((Ok(false), _)) => Held { file: before, tokens, is_saved: true },
            Some((Err(error), _)) => {
                // The person is told with the answer.
                tracing::warn!(%error, "a renewed login could not be written into its file");
                Held { file: before, tokens, is_saved: false }
            }
            None => Held { file: before, tokens, is_saved: false },
        }
    }

    /// After a refusal: what another program has written into the file.
    async fn look_again(self) -> Result<Held, LlmError> {
        sleep(LOOK_AGAIN).await;
        let now = Held::read(&self.file, &self.known)?;
        if now.tokens != self.held.tokens {
            return Ok(now);
        }
        let path = self.file.path().display();
        Err(LlmError::new(
            ErrorClass::Rejected,
            localized!(
                "the login in {path} is not renewed any more: it is too old, was renewed elsewhere or revoked; log in \
                 again with `codex login`",
                "{path} 中的登录无法再续期：已过期、已在别处续期或已被撤销；请重新执行 `codex login` 登录"
            ),
        ))
    }

    fn failed(&self, error: &LlmError) -> LlmError {
        let (server, cause) = (&self.server, error.message());
        let text = localized!(
            [cause] "cannot renew the ChatGPT login at {server}: {cause}",
            "无法在 {server} 续期 ChatGPT 登录：{cause}"
        );
        let failed = LlmError::new(error.class(), text).with_retry_after(error.retry_after());
        match error.status() {
            Some(status) => failed.with_status(status),
            None => failed,
        }
    }
}

/// The reason that the server gives, in any of its forms.
fn code_of(body: &str) -> Option<String> {
    let body: Value = json::read(body).ok()?;
    let error = body.get("error");
    let code = error.and_then(|error| error.get("code")).or(error).or_else(|| body.get("code"));
    code?.as_str().map(str::to_owned)
}

/// A moment as the file has it; empty where no calendar reaches.
fn moment(at: SystemTime) -> String {
    let seconds = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    let stamp = i64::try_from(seconds).map(Stamp::of_seconds).unwrap_or_default();
    let stamp = stamp.as_str();
    if stamp.is_empty() { String::new() } else { format!("{}Z", stamp.replace(' ', "T")) }
}
