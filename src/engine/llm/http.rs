//! HTTP clients, shared by all providers and built when first needed.
//!
//! Building a client for `https` reads the system's certificates (those of `SSL_CERT_FILE`, if that is
//! set), which takes time and memory; a plain `http` address gets one without. Nothing on this machine
//! is ever reached through a proxy, redirects are not followed (a key must not travel on), and no
//! request is repeated here.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use reqwest::{Certificate, Client, ClientBuilder, Url};

use super::endpoint::Endpoint;
use super::error::{ErrorClass, LlmError};
use super::model_thread::ModelThread;
use crate::domain::text::{Localized, Text, localized};

const MAX_CA_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// The clients of this process. Clones share connections.
#[derive(Debug, Clone, Default)]
pub struct Clients {
    built: Arc<Mutex<BTreeMap<ClientKey, Client>>>,
    /// Started when it is first needed.
    thread: Option<Arc<OnceLock<Option<ModelThread>>>>,
}

/// The properties of a client; there is one client for each combination.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ClientKey {
    tls: bool,
    /// The server is on this machine: no proxy.
    is_local: bool,
    connect: Duration,
    ca_file: Option<PathBuf>,
}

impl Clients {
    /// Clients whose answers of models are read on a thread of their own: for a program of many streams.
    #[must_use]
    pub fn on_own_thread() -> Self {
        Self { thread: Some(Arc::default()), ..Self::default() }
    }

    /// The thread for streams, if these clients have one. Where the system has no more threads, the
    /// streams are read by the tasks that want them.
    pub(super) fn model_thread(&self) -> Option<ModelThread> {
        let start = || {
            ModelThread::start()
                .inspect_err(|error| tracing::warn!(%error, "no thread for the streams of models"))
                .ok()
        };
        self.thread.as_ref()?.get_or_init(start).clone()
    }

    /// The client for a server that is no provider.
    pub fn for_address(&self, address: &str) -> Result<Client, LlmError> {
        let text = Text::new("this is not an http or https address", "这不是 http 或 https 地址");
        let setup_error = || LlmError::new(ErrorClass::Fatal, text);
        let url = super::address::url(address, "").ok_or_else(setup_error)?;
        self.for_url(&url, &Endpoint::new(address))
    }

    /// The client for `url` with the settings of the endpoint.
    pub(super) fn for_url(&self, url: &Url, endpoint: &Endpoint) -> Result<Client, LlmError> {
        let tls = url.scheme() == "https";
        let key = ClientKey {
            tls,
            is_local: is_this_machine(url),
            connect: endpoint.limits.connect,
            ca_file: endpoint.ca_file.clone().filter(|_| tls),
        };
        if let Some(client) = self.built.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(client.clone());
        }
        // Built outside of the lock, since it reads files.
        let client = key.build()?;
        let mut clients = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(clients.entry(key).or_insert(client).clone())
    }
}

impl ClientKey {
    fn build(&self) -> Result<Client, LlmError> {
        let mut builder = if self.tls { with_tls() } else { without_tls()? };
        if let Some(path) = &self.ca_file {
            builder = builder.tls_certs_merge(certificates(path)?);
        }
        if self.is_local {
            builder = builder.no_proxy();
        }
        builder.connect_timeout(self.connect).build().map_err(|error| setup_error(&error))
    }
}

fn base() -> ClientBuilder {
    Client::builder()
        .user_agent(concat!("dominds-tui/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .tcp_nodelay(true)
}

fn with_tls() -> ClientBuilder {
    // An error means that a crypto provider is installed already, which is fine.
    drop(rustls::crypto::ring::default_provider().install_default());
    base()
}

/// A client that trusts no certificates and therefore loads none.
fn without_tls() -> Result<ClientBuilder, LlmError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| setup_error(&error))?
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    Ok(base().tls_backend_preconfigured(config))
}

/// The certificates of a PEM file.
fn certificates(path: &Path) -> Result<Vec<Certificate>, LlmError> {
    let rejected = |reason: Localized| {
        let path = path.display();
        let text = localized!(
            [reason] "caFile {path}: {reason}; name a PEM file with certificates",
            "caFile {path}：{reason}；请指定含有证书的 PEM 文件"
        );
        LlmError::new(ErrorClass::Rejected, text)
    };
    let quoted = |reason: String| rejected(Localized::same(reason));
    let mut pem = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_CA_FILE_BYTES).read_to_end(&mut pem))
        .map_err(|error| quoted(error.to_string()))?;
    let parsed = Certificate::from_pem_bundle(&pem).map_err(|error| quoted(root_cause(&error)))?;
    let empty = Text::new("there is no certificate in it", "其中没有证书");
    if parsed.is_empty() { Err(rejected(empty.into())) } else { Ok(parsed) }
}

fn setup_error(error: &dyn std::error::Error) -> LlmError {
    let cause = root_cause(error);
    let text =
        localized!("cannot set up the HTTP client: {cause}", "无法建立 HTTP 客户端：{cause}");
    LlmError::new(ErrorClass::Fatal, text)
}

/// The message of the root cause.
pub(super) fn root_cause(error: &dyn std::error::Error) -> String {
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
    fn only_this_machine_is_reached_without_a_proxy() {
        for (url, is_local) in [
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
            assert_eq!(is_this_machine(&Url::parse(url).unwrap()), is_local, "{url}");
        }
    }

    #[test]
    fn a_client_is_built_once_per_combination_of_settings() {
        let clients = Clients::default();
        let url = Url::parse("http://127.0.0.1:1").unwrap();
        let plain = Endpoint::new(url.as_str());
        let mut patient = plain.clone();
        patient.limits.connect = Duration::from_secs(1);
        let mut trusting = plain.clone();
        trusting.ca_file = Some(PathBuf::from("/nowhere/ca.pem"));
        for (endpoint, expected) in [(&plain, 1), (&plain, 1), (&trusting, 1), (&patient, 2)] {
            clients.for_url(&url, endpoint).unwrap();
            assert_eq!(clients.built.lock().unwrap().len(), expected);
        }
    }

    #[test]
    fn a_file_without_certificates_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.pem");
        let url = Url::parse("https://127.0.0.1:1").unwrap();
        let endpoint = Endpoint { ca_file: Some(path.clone()), ..Endpoint::new(url.as_str()) };
        for (content, reason) in [
            (None, "No such file"),
            (Some(""), "there is no certificate in it"),
            (Some("-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n"), ""),
        ] {
            if let Some(content) = content {
                std::fs::write(&path, content).unwrap();
            }
            let error = Clients::default().for_url(&url, &endpoint).unwrap_err();
            assert_eq!(error.class(), ErrorClass::Rejected, "{error}");
            let text = error.to_string();
            assert!(text.contains("ca.pem: ") && text.contains(reason), "{text}");
        }
    }
}
