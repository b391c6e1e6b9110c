//! Is a special call well formed? Nothing is registered before this says yes.

use serde_json::Value;

use crate::domain::call::{ReplyKind, SpecialCall, TellaskKind};
use crate::domain::ids::is_slug;
use crate::domain::record::Call;
use crate::domain::{AgentId, Slug};
use crate::driver::draft::Draft;
use crate::driver::texts::Texts;

use super::Position;

#[derive(Debug)]
pub enum Checked {
    Tellask {
        kind: TellaskKind,
        target: AgentId,
        slug: Option<Slug>,
        content: String,
    },
    AskBack {
        content: String,
    },
    Ask {
        content: String,
    },
    Reply {
        kind: ReplyKind,
        content: String,
    },
    /// The model is told why, and goes on.
    Refused(String),
}

/// `None` for an ordinary tool, and for special calls this dialog is not offered.
pub fn check(
    draft: &Draft,
    at: &Position,
    call: &Call,
    one_question: bool,
    texts: Texts,
) -> Option<Checked> {
    let checked = match SpecialCall::of(&call.name)? {
        SpecialCall::Tellask(TellaskKind::Back) => {
            draft.dialog(&at.dialog)?.assignment()?;
            text_argument(&call.raw_arguments_text, "tellaskContent")
                .map(|content| Checked::AskBack { content })
        }
        SpecialCall::Tellask(TellaskKind::FreshBoots) => return None,
        SpecialCall::Tellask(kind) => tellask(kind, &call.raw_arguments_text),
        SpecialCall::AskHuman => {
            if !one_question {
                return Some(Checked::Refused(texts.one_question_a_round()));
            }
            if draft.dialog(&at.dialog).is_some_and(|dialog| !dialog.questions.is_empty()) {
                return Some(Checked::Refused(texts.question_already_open()));
            }
            text_argument(&call.raw_arguments_text, "tellaskContent")
                .map(|content| Checked::Ask { content })
        }
        SpecialCall::Reply(kind) => text_argument(&call.raw_arguments_text, "replyContent")
            .map(|content| Checked::Reply { kind, content }),
    };
    Some(checked.unwrap_or_else(|reason| Checked::Refused(texts.invalid_call(&call.name, &reason))))
}

fn tellask(kind: TellaskKind, raw: &str) -> Result<Checked, String> {
    let arguments = object(raw)?;
    let target = ["targetAgentId", "agentId", "target"]
        .iter()
        .find_map(|key| arguments.get(*key))
        .and_then(Value::as_str)
        .map(|id| id.trim().trim_start_matches('@'))
        .filter(|id| !id.is_empty())
        .ok_or("`targetAgentId` must name a teammate")?;
    let slug = match kind {
        TellaskKind::Session => Some(slug(arguments.get("sessionSlug"))?),
        TellaskKind::Back | TellaskKind::Sessionless | TellaskKind::FreshBoots => None,
    };
    let content = text(arguments.get("tellaskContent"), "tellaskContent")?;
    Ok(Checked::Tellask { kind, target: AgentId::new(target), slug, content })
}

fn slug(value: Option<&Value>) -> Result<Slug, String> {
    let text = value.and_then(Value::as_str).map_or("", str::trim);
    if is_slug(text) {
        Ok(Slug::new(text))
    } else {
        Err("`sessionSlug` must be letters, digits, `-` and `_`, starting with a letter, in parts \
             joined by single dots"
            .to_owned())
    }
}

fn text_argument(raw: &str, key: &str) -> Result<String, String> {
    text(object(raw)?.get(key), key)
}

fn object(raw: &str) -> Result<serde_json::Map<String, Value>, String> {
    match serde_json::from_str(raw) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(_) => Err("they must be a JSON object".to_owned()),
        Err(error) => Err(format!("they must be valid JSON ({error})")),
    }
}

fn text(value: Option<&Value>, key: &str) -> Result<String, String> {
    match value.and_then(Value::as_str).map(str::trim) {
        Some(text) if !text.is_empty() => Ok(text.to_owned()),
        Some(_) => Err(format!("`{key}` must not be empty")),
        None => Err(format!("`{key}` must be a text")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLUG: &str = r#""sessionSlug":"main""#;

    fn shown(checked: Result<Checked, String>) -> String {
        match checked {
            Ok(Checked::Tellask { target, slug, content, .. }) => {
                let slug = slug.map(|slug| format!(" {slug}")).unwrap_or_default();
                format!("@{target}{slug}: {content}")
            }
            Ok(other) => format!("{other:?}"),
            Err(reason) => format!("refused, {reason}"),
        }
    }

    #[test]
    fn a_tellask_names_a_teammate_a_session_and_a_request() {
        for (raw, expected) in [
            (
                format!(r#"{{"targetAgentId":"dev",{SLUG},"tellaskContent":" do it "}}"#),
                "@dev main: do it",
            ),
            (
                format!(r#"{{"targetAgentId":" @dev ",{SLUG},"tellaskContent":"x"}}"#),
                "@dev main: x",
            ),
            (format!(r#"{{"agentId":"dev",{SLUG},"tellaskContent":"x"}}"#), "@dev main: x"),
            (format!(r#"{{"target":"dev",{SLUG},"tellaskContent":"x","more":1}}"#), "@dev main: x"),
            (
                format!(r#"{{"targetAgentId":"@",{SLUG},"tellaskContent":"x"}}"#),
                "refused, `targetAgentId`",
            ),
            (
                format!(r#"{{"targetAgentId":7,{SLUG},"tellaskContent":"x"}}"#),
                "refused, `targetAgentId`",
            ),
            (
                r#"{"targetAgentId":"dev","tellaskContent":"x"}"#.to_owned(),
                "refused, `sessionSlug`",
            ),
            (
                r#"{"targetAgentId":"dev","sessionSlug":"a..b","tellaskContent":"x"}"#.to_owned(),
                "refused, `sessionSlug`",
            ),
            (format!(r#"{{"targetAgentId":"dev",{SLUG}}}"#), "refused, `tellaskContent`"),
            (
                format!(r#"{{"targetAgentId":"dev",{SLUG},"tellaskContent":"\n"}}"#),
                "refused, `tellaskContent`",
            ),
            ("[]".to_owned(), "refused, they must be a JSON object"),
            (String::new(), "refused, they must be valid JSON"),
        ] {
            let told = shown(tellask(TellaskKind::Session, &raw));
            assert!(told.starts_with(expected), "{raw}: {told}");
        }
    }

    #[test]
    fn only_a_session_needs_a_slug() {
        let raw = r#"{"targetAgentId":"dev","sessionSlug":"2 bad","tellaskContent":"x"}"#;
        assert_eq!(shown(tellask(TellaskKind::Sessionless, raw)), "@dev: x");
    }
}
