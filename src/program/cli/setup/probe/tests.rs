//! The suggested fix for each kind of failure.

use super::*;

fn error(class: ErrorClass, status: Option<u16>, text: &str) -> LlmError {
    let error = LlmError::quoted(class, text);
    status.into_iter().fold(error, LlmError::with_status)
}

#[test]
fn every_failure_says_how_to_fix_it() {
    for (class, status, text, expected) in [
        (ErrorClass::Rejected, Some(401), "bad key", "the key in KEY"),
        (ErrorClass::Rejected, Some(403), "not yours", "the key in KEY"),
        (ErrorClass::Rejected, Some(302), "moved", "into `baseUrl`"),
        (ErrorClass::Rejected, Some(404), "no model", "name of the model"),
        (ErrorClass::Rejected, Some(405), "no", "`apiType`"),
        (ErrorClass::RateLimited, Some(429), "slow down", "limits of your account"),
        (ErrorClass::Server, Some(402), "pay", "limits of your account"),
        (ErrorClass::Server, Some(503), "down", "internal error"),
        (ErrorClass::ContextOverflow, Some(400), "too long", "use another one"),
        (ErrorClass::Rejected, Some(400), "max_tokens", "in `models`"),
        (ErrorClass::Malformed, None, "a page", "does not speak this API"),
        (ErrorClass::Transport, None, "cannot connect: refused", "whether the server runs"),
        (ErrorClass::Transport, None, "invalid peer certificate: UnknownIssuer", "`caFile`"),
        (ErrorClass::Rejected, None, "set KEY", ".minds/llm.yaml"),
        (ErrorClass::Cut, None, "cut", "later"),
    ] {
        let fix = fix_for(&error(class, status, text), Some("KEY"));
        assert!(fix.contains(expected), "{class:?} {status:?}: {fix}");
    }
    let without_key = fix_for(&error(ErrorClass::Rejected, Some(401), "no"), None);
    assert!(without_key.contains("apiKeyEnvVar"), "{without_key}");
}
