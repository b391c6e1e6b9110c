//! The models that a server lists: one request, one JSON body of a bounded size. The list helps a person to choose;
//! what it names is not checked, and a model that it does not name may answer.

use reqwest::header::{ACCEPT, HeaderValue};
use serde::Deserialize;

use super::errors::{NOT_AN_ADDRESS, TOO_LARGE, malformed, network_error, rejected};
use super::packed::Packed;
use super::{key, redacted, refused};
use crate::domain::text::{Text, json};
use crate::llm::error::LlmError;
use crate::llm::protocol::Protocol;
use crate::llm::{Clients, Endpoint, address};

/// Bytes of a list that are read.
const MAX_LIST_BYTES: usize = 4 * 1024 * 1024;
/// Models of a list that are kept.
const MAX_MODELS: usize = 1000;

const NO_LIST: Text =
    Text::new("the server sent something that is no list of models", "服务器发来的不是模型列表");

#[derive(Deserialize)]
#[serde(untagged)]
enum List {
    Usual { data: Vec<Entry> },
    Gemini { models: Vec<GeminiEntry> },
}

#[derive(Deserialize)]
struct Entry {
    id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiEntry {
    name: String,
    supported_generation_methods: Option<Vec<String>>,
}

impl GeminiEntry {
    /// Its name, if it is no model for vectors or pictures.
    fn writes_text(self) -> Option<String> {
        let writes = |methods: Vec<String>| methods.iter().any(|one| one == "generateContent");
        let writes = self.supported_generation_methods.is_none_or(writes);
        writes.then(|| self.name.strip_prefix("models/").unwrap_or(&self.name).to_owned())
    }
}

/// Asks a server which models it has. The caller limits the time.
pub(in crate::llm) async fn list_models<P: Protocol>(
    protocol: &P,
    endpoint: &Endpoint,
    clients: &Clients,
) -> Result<Vec<String>, LlmError> {
    let listed = ask(protocol, endpoint, clients).await;
    listed.map_err(|error| redacted(endpoint, error))
}

async fn ask<P: Protocol>(
    protocol: &P,
    endpoint: &Endpoint,
    clients: &Clients,
) -> Result<Vec<String>, LlmError> {
    let base = &endpoint.base_url;
    let url =
        address::url(base, protocol.models_path(base)).ok_or_else(|| rejected(NOT_AN_ADDRESS))?;
    let key = key::<P>(endpoint)?;
    let mut http = clients.for_url(&url, endpoint)?.get(url);
    http = http.header(ACCEPT, HeaderValue::from_static("application/json"));
    for (name, value) in P::HEADERS {
        http = http.header(*name, *value);
    }
    if let Some(value) = key {
        http = http.header(P::KEY.0, value);
    }
    let mut response = http.send().await.map_err(|error| network_error(&error, base))?;
    if !response.status().is_success() {
        return Err(refused(endpoint, response).await);
    }
    let mut packed = Packed::of(&response)?;
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.map_err(|error| network_error(&error, base))? {
        match packed.as_mut() {
            Some(packed) => body.append(&mut packed.unpack(&part)?),
            None => body.extend_from_slice(&part),
        }
        if body.len() > MAX_LIST_BYTES {
            return Err(malformed(TOO_LARGE));
        }
    }
    let listed = json::read::<List>(&String::from_utf8_lossy(&body));
    let listed = listed.map_err(|_| malformed(NO_LIST))?;
    let mut names: Vec<String> = match listed {
        List::Usual { data } => data.into_iter().map(|entry| entry.id).collect(),
        List::Gemini { models } => {
            models.into_iter().filter_map(GeminiEntry::writes_text).collect()
        }
    };
    names.truncate(MAX_MODELS);
    Ok(names)
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;
    use crate::llm::canned::{JSON, accept, listen};
    use crate::llm::{Anthropic, Compat, ErrorClass, Google, Secret};
    use crate::samples::assert_translated;

    /// Asks a server that answers so; returns the request, too.
    async fn listed(
        protocol: &impl Protocol,
        head: &str,
        body: &str,
    ) -> (Result<Vec<String>, LlmError>, String) {
        let (listener, url) = listen().await;
        let server = async {
            let (mut socket, seen) = accept(&listener).await;
            drop(socket.write_all(format!("{head}{body}").as_bytes()).await);
            drop(socket.shutdown().await);
            seen
        };
        let endpoint = Endpoint {
            api_key_variable: Some("SOME_KEY".to_owned()),
            api_key: Secret::new("sk-canary-1234"),
            ..Endpoint::new(&url)
        };
        let clients = Clients::default();
        tokio::join!(list_models(protocol, &endpoint, &clients), server)
    }

    #[tokio::test]
    async fn the_names_come_in_the_order_of_the_server_and_the_key_is_sent_as_with_a_request() {
        let body =
            r#"{"object": "list", "data": [{"id": "large", "owned_by": "x"}, {"id": "small"}]}"#;
        let (names, seen) = listed(&Compat::default(), JSON, body).await;
        assert_eq!(names.unwrap(), ["large", "small"]);
        assert!(seen.starts_with("GET /v1/models HTTP/1.1\r\n"), "{seen}");
        assert!(seen.contains("authorization: Bearer sk-canary-1234\r\n"), "{seen}");
        let (names, seen) = listed(&Anthropic::default(), JSON, body).await;
        assert_eq!(names.unwrap().len(), 2);
        assert!(seen.starts_with("GET /v1/models HTTP/1.1\r\n"), "{seen}");
        assert!(seen.contains("x-api-key: sk-canary-1234\r\n"), "{seen}");
        assert!(seen.contains("anthropic-version: "), "{seen}");
    }

    #[tokio::test]
    async fn of_the_models_of_gemini_those_are_listed_that_write_text() {
        let body = r#"{"models": [
            {"name": "models/gemini-a", "supportedGenerationMethods": ["generateContent"]},
            {"name": "models/vectors", "supportedGenerationMethods": ["embedContent"]},
            {"name": "gemini-b"}], "nextPageToken": "x"}"#;
        let (names, seen) = listed(&Google::default(), JSON, body).await;
        assert_eq!(names.unwrap(), ["gemini-a", "gemini-b"]);
        assert!(seen.starts_with("GET /v1/models?pageSize=1000 HTTP/1.1\r\n"), "{seen}");
        assert!(seen.contains("x-goog-api-key: sk-canary-1234\r\n"), "{seen}");
    }

    #[tokio::test]
    async fn what_is_no_list_is_an_error_in_both_languages_without_the_key() {
        let refusal = "HTTP/1.1 401 Unauthorized\r\nconnection: close\r\n\r\n";
        let quoted = r#"{"error": {"message": "bad key sk-canary-1234"}}"#;
        let deep = "[".repeat(100_000);
        for (head, body, class) in [
            (JSON, "<html>Sign in", ErrorClass::Malformed),
            (JSON, r#"{"data": "none"}"#, ErrorClass::Malformed),
            (JSON, "", ErrorClass::Malformed),
            (JSON, deep.as_str(), ErrorClass::Malformed),
            (refusal, quoted, ErrorClass::Rejected),
        ] {
            let error = listed(&Compat::default(), head, body).await.0.unwrap_err();
            assert_eq!(error.class(), class, "{error}");
            assert!(!error.to_string().contains("sk-canary"), "{error}");
            if class == ErrorClass::Malformed {
                assert_translated(error.message());
            }
        }
    }
}
