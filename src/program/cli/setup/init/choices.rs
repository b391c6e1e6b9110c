//! What a person can enter as the first model: the providers that are offered, and what counts as an address, a name of
//! a variable, a name of a model.

use crate::llm::destination;
use crate::minds::{ApiType, FirstModel};

/// A provider that is offered.
#[derive(Debug, Clone)]
pub struct Provider {
    pub name: String,
    /// What it is, in one line.
    pub about: String,
    pub first: FirstModel,
    /// The models of it that the program knows.
    pub models: Vec<String>,
}

const MAX_ADDRESS: usize = 500;
const MAX_NAME: usize = 200;

/// Returns the providers that are offered, and what is entered so far: the first of them.
pub fn providers() -> (Vec<Provider>, FirstModel) {
    let local = chat_server("local", "http://127.0.0.1:11434/v1");
    let own = [
        (local.clone(), "a server on this machine: Ollama, llama.cpp, vLLM, LM Studio"),
        (chat_server("other", ""), "any other address that speaks Chat Completions"),
    ];
    let own = own.into_iter().map(|(first, about)| Provider {
        name: first.provider.clone(),
        about: about.to_owned(),
        first,
        models: Vec::new(),
    });
    let built_in = FirstModel::built_in().into_iter().map(|(first, models)| Provider {
        name: first.provider.clone(),
        about: first.address.clone(),
        first,
        models,
    });
    (own.chain(built_in).collect(), local)
}

/// A server that speaks Chat Completions, without a key.
fn chat_server(name: &str, address: &str) -> FirstModel {
    FirstModel {
        provider: name.to_owned(),
        api_type: ApiType::OpenAiCompatible,
        address: address.to_owned(),
        variable: None,
        model: String::new(),
    }
}

/// Returns why this is no address of a provider. The text is not quoted: there may be a key in it.
pub fn address_fault(address: &str) -> Option<&'static str> {
    let has_scheme = ["http://", "https://"].iter().any(|scheme| address.starts_with(scheme));
    if address.len() > MAX_ADDRESS {
        Some("that is too long for an address")
    } else if address.contains(['@', '?', '#']) {
        Some(
            "an address has no password, key or query in it: the key comes from a variable, and other settings are made in \
             .minds/llm.yaml",
        )
    } else if !has_scheme || !is_plain(address) || destination(address).is_none() {
        Some("that is no address: write it as http://… or https://…")
    } else {
        None
    }
}

/// True for the name of a variable. One that is not set has to look like a name, since it may be a key: it is in
/// capitals, with a `_`.
pub fn is_variable_name(name: &str, is_set: bool) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_name = name.starts_with(is_letter)
        && name.chars().all(|c| is_letter(c) || c.is_ascii_digit())
        && name.len() <= MAX_NAME;
    let is_usual = name.contains('_') && !name.contains(|c: char| c.is_ascii_lowercase());
    is_name && (is_set || is_usual)
}

/// True for the name of a model, typed or listed by a server.
pub fn is_model_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= MAX_NAME && is_plain(name)
}

/// No blanks, nothing invisible, one reading.
fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_graphic())
}
