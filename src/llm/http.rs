//! HTTP clients, shared by all providers and built when first needed.
//!
//! Building a client for `https` reads the system's certificates, which takes time and memory; a
//! plain `http` address gets one without. Nothing on this machine is ever reached through a proxy,
//! redirects are not followed (a key must not travel on), and no request is repeated here.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::{Client, ClientBuilder, Url};

use super::error::{ErrorClass, LlmError};

/// Longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(15);

/// How long and how large an answer may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Until the first byte of the answer's body; local servers may load a model meanwhile.
    pub first_byte: Duration,
    /// Between two reads; comments of the stream count as life.
    pub idle: Duration,
    /// Thinking, saying and call arguments together, in bytes.
    pub text_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            first_byte: Duration::from_secs(600),
            idle: Duration::from_secs(120),
            text_bytes: 4 * 1024 * 1024,
        }
    }
}

/// A text that is never printed: an API key.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps `text` without the blanks around it; `None` if nothing is left.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// The text itself, for the one place that sends it.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// `text` with every occurrence of the secret replaced.
    pub(super) fn redact(&self, text: &str) -> String {
        text.replace(&self.0, "***")
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

/// The clients of this process. Clones share connections.
#[derive(Debug, Clone, Default)]
pub struct Clients(Arc<Cells>);

/// One client per combination of needs.
#[derive(Debug, Default)]
struct Cells {
    plain_here: OnceLock<Client>,
    plain_away: OnceLock<Client>,
    tls_here: OnceLock<Client>,
    tls_away: OnceLock<Client>,
}

impl Clients {
    /// The client for a server that is no provider.
    pub fn for_address(&self, address: &str) -> Result<Client, LlmError> {
        let unusable = || LlmError::new(ErrorClass::Fatal, "this is no web address");
        self.for_url(&super::address::url(address, "").ok_or_else(unusable)?)
    }

    /// The client for addresses like `url`.
    pub(super) fn for_url(&self, url: &Url) -> Result<Client, LlmError> {
        let here = is_this_machine(url);
        let tls = url.scheme() == "https";
        let cell = match (tls, here) {
            (false, true) => &self.0.plain_here,
            (false, false) => &self.0.plain_away,
            (true, true) => &self.0.tls_here,
            (true, false) => &self.0.tls_away,
        };
        if let Some(client) = cell.get() {
            return Ok(client.clone());
        }
        let builder = if tls { with_tls() } else { without_tls()? };
        let builder = if here { builder.no_proxy() } else { builder };
        let client = builder.build().map_err(|error| unusable(&error))?;
        Ok(cell.get_or_init(|| client).clone())
    }
}

fn base() -> ClientBuilder {
    Client::builder()
        .user_agent(concat!("dominds-tui/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .tcp_nodelay(true)
}

fn with_tls() -> ClientBuilder {
    // An error means that a provider is installed already, which serves as well.
    drop(rustls::crypto::ring::default_provider().install_default());
    base()
}

/// A client that trusts no certificate and therefore never loads any.
fn without_tls() -> Result<ClientBuilder, LlmError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable(&error))?
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    Ok(base().tls_backend_preconfigured(config))
}

fn unusable(error: &dyn std::error::Error) -> LlmError {
    let text = format!("cannot set up the HTTP client: {}", innermost(error));
    LlmError::new(ErrorClass::Fatal, &text)
}

/// The cause at the bottom, which names what really happened.
pub(super) fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

/// `localhost`, its subdomains and loopback addresses.
fn is_this_machine(url: &Url) -> bool {
    let Some(host) = url.host_str() else {
        return false;
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match host.parse::<std::net::IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback() || address.is_unspecified(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_never_printed_and_blanks_are_no_secret() {
        let secret = Secret::new(" sk-canary\n").unwrap();
        assert_eq!(format!("{secret:?} {:?}", Some(&secret)), "*** Some(***)");
        assert_eq!(secret.redact("key sk-canary is bad"), "key *** is bad");
        assert_eq!(Secret::new(" \n"), None);
    }

    #[test]
    fn only_this_machine_is_spared_the_proxy() {
        for (url, here) in [
            ("http://localhost:11434/v1", true),
            ("http://127.0.0.1/v1", true),
            ("http://127.8.9.1:80", true),
            ("http://[::1]:8080", true),
            ("http://[::ffff:127.0.0.1]", true),
            ("https://box.localhost", true),
            ("https://api.example.com/v1", false),
            ("http://localhost.example.com", false),
            ("http://192.168.0.1", false),
        ] {
            assert_eq!(is_this_machine(&Url::parse(url).unwrap()), here, "{url}");
        }
    }

    #[test]
    fn clients_are_built_once_per_kind_of_address() {
        let clients = Clients::default();
        let url = Url::parse("http://127.0.0.1:1").unwrap();
        clients.for_url(&url).unwrap();
        assert!(clients.0.plain_here.get().is_some());
        assert!(clients.0.tls_away.get().is_none());
    }
}
