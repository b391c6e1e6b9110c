//! A provider that cannot be reached: a problem of its entry in `llm.yaml`, as long as requests to it are retried.

use crate::domain::Problem;
use crate::domain::text::{Text, localized};
use crate::llm::LlmError;
use crate::minds::LLM_FILE;

const FIX: Text = Text::new(
    "start the server, or correct `baseUrl`; `dominds-tui doctor --providers` tries it",
    "请启动服务器，或改正 `baseUrl`；可用 `dominds-tui doctor --providers` 检验",
);

/// The origin of this problem of a provider.
pub fn origin(server: &str) -> String {
    format!("unreachable/{server}")
}

/// What is wrong and what to do if a request failed because nothing answers there; `None` for another failure.
pub fn problem(error: &LlmError, server: &str) -> Option<Problem> {
    let why = error.is_unreachable().then(|| error.message())?;
    let text = localized!([why] "provider `{server}`: {why}", "提供方 `{server}`：{why}");
    Some(Problem::new(format!("llm/unreachable/{server}"), LLM_FILE, text, FIX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Lang;
    use crate::llm::ErrorClass;

    #[test]
    fn who_cannot_be_reached_is_named_with_address_file_and_what_to_do_in_both_languages() {
        let error = LlmError::unreachable("http://127.0.0.1:9", "Connection refused");
        let message = problem(&error, "local").unwrap().message();
        for lang in [Lang::En, Lang::Zh] {
            let text = message.in_lang(lang);
            let named = [".minds/llm.yaml", "`local`", "http://127.0.0.1:9", "`baseUrl`", "doctor"];
            assert!(named.iter().all(|name| text.contains(name)), "{text}");
        }
        let other = LlmError::quoted(ErrorClass::Transport, "the connection failed");
        assert_eq!(problem(&other, "local"), None);
    }
}
