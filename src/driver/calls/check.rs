//! Is a special call well formed? Nothing is registered before this says yes.

use serde_json::Value;

use crate::domain::call::{ReplyKind, SpecialCall, TellaskKind};
use crate::domain::fresh_boots::MOST_EFFORT;
use crate::domain::ids::is_slug;
use crate::domain::record::Call;
use crate::domain::{AgentId, Slug};
use crate::driver::draft::Draft;
use crate::driver::texts::{Fault, Texts};

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
    FreshBoots {
        /// `None` leaves it to the member's own number.
        effort: Option<u32>,
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
        SpecialCall::Tellask(TellaskKind::FreshBoots) => fresh_boots(&call.raw_arguments_text),
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
    Some(checked.unwrap_or_else(|fault| Checked::Refused(texts.invalid_call(&call.name, &fault))))
}

fn fresh_boots(raw: &str) -> Result<Checked, Fault> {
    let arguments = object(raw)?;
    let effort = match arguments.get("effort") {
        None | Some(Value::Null) => None,
        Some(value) => {
            let effort = value.as_u64().and_then(|effort| u32::try_from(effort).ok());
            Some(effort.filter(|effort| *effort <= MOST_EFFORT).ok_or(Fault::NotAnEffort)?)
        }
    };
    let content = text(arguments.get("tellaskContent"), "tellaskContent")?;
    Ok(Checked::FreshBoots { effort, content })
}

fn tellask(kind: TellaskKind, raw: &str) -> Result<Checked, Fault> {
    let arguments = object(raw)?;
    let target = ["targetAgentId", "agentId", "target"]
        .iter()
        .find_map(|key| arguments.get(*key))
        .and_then(Value::as_str)
        .map(|id| id.trim().trim_start_matches('@'))
        .filter(|id| !id.is_empty())
        .ok_or(Fault::NoTarget)?;
    let slug = match kind {
        TellaskKind::Session => Some(slug(arguments.get("sessionSlug"))?),
        TellaskKind::Back | TellaskKind::Sessionless | TellaskKind::FreshBoots => None,
    };
    let content = text(arguments.get("tellaskContent"), "tellaskContent")?;
    Ok(Checked::Tellask { kind, target: AgentId::new(target), slug, content })
}

fn slug(value: Option<&Value>) -> Result<Slug, Fault> {
    let text = value.and_then(Value::as_str).map_or("", str::trim);
    if is_slug(text) { Ok(Slug::new(text)) } else { Err(Fault::NotASlug) }
}

fn text_argument(raw: &str, key: &'static str) -> Result<String, Fault> {
    text(object(raw)?.get(key), key)
}

fn object(raw: &str) -> Result<serde_json::Map<String, Value>, Fault> {
    match serde_json::from_str(raw) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(_) => Err(Fault::NotAnObject),
        Err(error) => Err(Fault::NotJson(error.to_string())),
    }
}

fn text(value: Option<&Value>, key: &'static str) -> Result<String, Fault> {
    match value.and_then(Value::as_str).map(str::trim) {
        Some(text) if !text.is_empty() => Ok(text.to_owned()),
        Some(_) => Err(Fault::Empty(key)),
        None => Err(Fault::NotAText(key)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLUG: &str = r#""sessionSlug":"main""#;

    fn shown(checked: Result<Checked, Fault>) -> String {
        match checked {
            Ok(Checked::Tellask { target, slug, content, .. }) => {
                let slug = slug.map(|slug| format!(" {slug}")).unwrap_or_default();
                format!("@{target}{slug}: {content}")
            }
            Ok(Checked::FreshBoots { effort, content }) => format!("{effort:?}: {content}"),
            Ok(other) => format!("{other:?}"),
            Err(Fault::NotJson(_)) => "NotJson".to_owned(),
            Err(fault) => format!("{fault:?}"),
        }
    }

    #[test]
    fn a_tellask_names_a_teammate_a_session_and_a_request() {
        let content = r#""tellaskContent":"x""#;
        for (raw, expected) in [
            (
                format!(r#"{{"targetAgentId":"dev",{SLUG},"tellaskContent":" do it "}}"#),
                "@dev main: do it",
            ),
            (format!(r#"{{"targetAgentId":" @dev ",{SLUG},{content}}}"#), "@dev main: x"),
            (format!(r#"{{"agentId":"dev",{SLUG},{content}}}"#), "@dev main: x"),
            (format!(r#"{{"target":"dev",{SLUG},{content},"more":1}}"#), "@dev main: x"),
            (format!(r#"{{"targetAgentId":"@",{SLUG},{content}}}"#), "NoTarget"),
            (format!(r#"{{"targetAgentId":7,{SLUG},{content}}}"#), "NoTarget"),
            (format!(r#"{{"targetAgentId":"dev",{content}}}"#), "NotASlug"),
            (format!(r#"{{"targetAgentId":"dev","sessionSlug":"a..b",{content}}}"#), "NotASlug"),
            (format!(r#"{{"targetAgentId":"dev",{SLUG}}}"#), r#"NotAText("tellaskContent")"#),
            (
                format!(r#"{{"targetAgentId":"dev",{SLUG},"tellaskContent":"\n"}}"#),
                r#"Empty("tellaskContent")"#,
            ),
            ("[]".to_owned(), "NotAnObject"),
            (String::new(), "NotJson"),
        ] {
            assert_eq!(shown(tellask(TellaskKind::Session, &raw)), expected, "{raw}");
        }
    }

    #[test]
    fn only_a_session_needs_a_slug() {
        let raw = r#"{"targetAgentId":"dev","sessionSlug":"2 bad","tellaskContent":"x"}"#;
        assert_eq!(shown(tellask(TellaskKind::Sessionless, raw)), "@dev: x");
    }

    #[test]
    fn fresh_boots_reasoning_names_a_question_and_perhaps_an_effort() {
        for (raw, expected) in [
            (r#"{"tellaskContent":" why? "}"#, "None: why?"),
            (r#"{"tellaskContent":"why?","effort":null}"#, "None: why?"),
            (r#"{"tellaskContent":"why?","effort":0}"#, "Some(0): why?"),
            (r#"{"tellaskContent":"why?","effort":100}"#, "Some(100): why?"),
            (r#"{"tellaskContent":"why?","effort":101}"#, "NotAnEffort"),
            (r#"{"tellaskContent":"why?","effort":-1}"#, "NotAnEffort"),
            (r#"{"tellaskContent":"why?","effort":1.5}"#, "NotAnEffort"),
            (r#"{"tellaskContent":"why?","effort":"2"}"#, "NotAnEffort"),
            (r#"{"effort":2}"#, r#"NotAText("tellaskContent")"#),
        ] {
            assert_eq!(shown(fresh_boots(raw)), expected, "{raw}");
        }
    }
}
