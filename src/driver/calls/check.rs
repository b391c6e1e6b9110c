//! Validates special calls. Nothing is registered before a call has passed.

use serde_json::Value;

use crate::domain::call::{ReplyKind, SpecialCall, TellaskKind};
use crate::domain::fresh_boots::MAX_EFFORT;
use crate::domain::ids::is_slug;
use crate::domain::record::{Call, CallRef};
use crate::domain::{AgentId, Slug, json};
use crate::driver::steps::draft::Draft;
use crate::driver::steps::position::Position;
use crate::driver::texts::{ArgumentError, Texts};

type Arguments = serde_json::Map<String, Value>;

const CONTENT: &str = "tellaskContent";
const REPLY: &str = "replyContent";
/// Names of the argument that names the teammate; the first one present counts.
const TARGETS: [&str; 3] = ["targetAgentId", "agentId", "target"];

#[derive(Debug)]
pub enum CheckedCall {
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
        /// `None`: the member's configured effort.
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
    /// The reason becomes the result of the call.
    Refused(String),
}

/// `None` for an ordinary tool, and for special calls this dialog is not offered.
pub fn check(
    draft: &Draft,
    at: &Position,
    call: &Call,
    one_question: bool,
    texts: Texts,
) -> Option<CheckedCall> {
    let special = SpecialCall::of(&call.name)?;
    let dialog = draft.dialog(&at.dialog)?;
    if special == SpecialCall::Tellask(TellaskKind::Back) {
        dialog.assignment()?;
    }
    if special == SpecialCall::AskHuman {
        if !one_question {
            return Some(CheckedCall::Refused(texts.one_question_a_round()));
        }
        if !dialog.questions.is_empty() {
            return Some(CheckedCall::Refused(texts.question_already_open()));
        }
    }
    let checked = parse_call(special, &call.raw_arguments_text);
    Some(
        checked
            .unwrap_or_else(|error| CheckedCall::Refused(texts.invalid_call(&call.name, &error))),
    )
}

/// Target and content of a recorded call.
pub fn call_ref(call: &Call) -> CallRef {
    let special = SpecialCall::of(&call.name);
    match special.map(|special| parse_call(special, &call.raw_arguments_text)) {
        Some(Ok(CheckedCall::Tellask { target, slug, content, .. })) => CallRef {
            tellask_content: content,
            mention_list: Some(vec![format!("@{target}")]),
            session_slug: slug,
        },
        Some(Ok(CheckedCall::FreshBoots { content, .. })) => {
            CallRef { tellask_content: content, ..CallRef::default() }
        }
        _ => CallRef::default(),
    }
}

fn parse_call(call: SpecialCall, raw: &str) -> Result<CheckedCall, ArgumentError> {
    let arguments = object(raw)?;
    check_known_arguments(call, &arguments)?;
    Ok(match call {
        SpecialCall::Tellask(TellaskKind::FreshBoots) => fresh_boots(&arguments)?,
        SpecialCall::Tellask(TellaskKind::Back) => {
            CheckedCall::AskBack { content: text(arguments.get(CONTENT), CONTENT)? }
        }
        SpecialCall::Tellask(kind @ (TellaskKind::Session | TellaskKind::Sessionless)) => {
            tellask(kind, &arguments)?
        }
        SpecialCall::AskHuman => {
            CheckedCall::Ask { content: text(arguments.get(CONTENT), CONTENT)? }
        }
        SpecialCall::Reply(kind) => {
            CheckedCall::Reply { kind, content: text(arguments.get(REPLY), REPLY)? }
        }
    })
}

/// Refuses arguments the call does not have: the model expects an effect that would not happen. A null
/// argument is treated as missing.
fn check_known_arguments(call: SpecialCall, arguments: &Arguments) -> Result<(), ArgumentError> {
    let known: &[&str] = match call {
        SpecialCall::Tellask(TellaskKind::Session) => {
            &["targetAgentId", "agentId", "target", "sessionSlug", CONTENT]
        }
        SpecialCall::Tellask(TellaskKind::Sessionless) => {
            &["targetAgentId", "agentId", "target", CONTENT]
        }
        SpecialCall::Tellask(TellaskKind::FreshBoots) => &["effort", CONTENT],
        SpecialCall::Tellask(TellaskKind::Back) | SpecialCall::AskHuman => &[CONTENT],
        SpecialCall::Reply(_) => &[REPLY],
    };
    let mut given = arguments.iter().filter(|(_, value)| !value.is_null());
    match given.find(|(key, _)| !known.contains(&key.as_str())) {
        Some((key, _)) => Err(ArgumentError::Misplaced { call, key: key.clone() }),
        None => Ok(()),
    }
}

fn fresh_boots(arguments: &Arguments) -> Result<CheckedCall, ArgumentError> {
    let effort = match arguments.get("effort") {
        None | Some(Value::Null) => None,
        Some(value) => {
            let effort = value.as_u64().and_then(|effort| u32::try_from(effort).ok());
            Some(effort.filter(|effort| *effort <= MAX_EFFORT).ok_or(ArgumentError::NotAnEffort)?)
        }
    };
    let content = text(arguments.get(CONTENT), CONTENT)?;
    Ok(CheckedCall::FreshBoots { effort, content })
}

fn tellask(kind: TellaskKind, arguments: &Arguments) -> Result<CheckedCall, ArgumentError> {
    let target = TARGETS
        .iter()
        .find_map(|key| arguments.get(*key))
        .and_then(Value::as_str)
        .map(|id| id.trim().trim_start_matches('@'))
        .filter(|id| !id.is_empty())
        .ok_or(ArgumentError::NoTarget)?;
    let slug = match kind {
        TellaskKind::Session => Some(slug(arguments.get("sessionSlug"))?),
        TellaskKind::Back | TellaskKind::Sessionless | TellaskKind::FreshBoots => None,
    };
    let content = text(arguments.get(CONTENT), CONTENT)?;
    Ok(CheckedCall::Tellask { kind, target: AgentId::new(target), slug, content })
}

fn slug(value: Option<&Value>) -> Result<Slug, ArgumentError> {
    let text = value.and_then(Value::as_str).map_or("", str::trim);
    if is_slug(text) { Ok(Slug::new(text)) } else { Err(ArgumentError::NotASlug) }
}

fn object(raw: &str) -> Result<Arguments, ArgumentError> {
    if let Some(at) = json::too_deep(raw) {
        return Err(ArgumentError::TooDeep(at));
    }
    match serde_json::from_str(raw) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(_) => Err(ArgumentError::NotAnObject),
        Err(error) => Err(ArgumentError::NotJson(error.to_string())),
    }
}

fn text(value: Option<&Value>, key: &'static str) -> Result<String, ArgumentError> {
    match value.and_then(Value::as_str).map(str::trim) {
        Some(text) if !text.is_empty() => Ok(text.to_owned()),
        Some(_) => Err(ArgumentError::Empty(key)),
        None => Err(ArgumentError::NotAText(key)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLUG: &str = r#""sessionSlug":"main""#;

    fn shown(checked: Result<CheckedCall, ArgumentError>) -> String {
        match checked {
            Ok(CheckedCall::Tellask { target, slug, content, .. }) => {
                let slug = slug.map(|slug| format!(" {slug}")).unwrap_or_default();
                format!("@{target}{slug}: {content}")
            }
            Ok(CheckedCall::FreshBoots { effort, content }) => format!("{effort:?}: {content}"),
            Ok(other) => format!("{other:?}"),
            Err(ArgumentError::NotJson(_)) => "NotJson".to_owned(),
            Err(error) => format!("{error:?}"),
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
            (format!(r#"{{"target":"dev",{SLUG},{content},"effort":null}}"#), "@dev main: x"),
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
            (
                format!(r#"{{{SLUG},{content},"x":{}"#, "[".repeat(70)),
                "TooDeep(TooDeep { line: 1, column: 111 })",
            ),
            (String::new(), "NotJson"),
        ] {
            let call = SpecialCall::Tellask(TellaskKind::Session);
            assert_eq!(shown(parse_call(call, &raw)), expected, "{raw}");
        }
    }

    #[test]
    fn an_argument_that_does_not_belong_to_a_call_is_refused() {
        let tellask = SpecialCall::Tellask;
        let (content, target) = (r#""tellaskContent":"x""#, r#""targetAgentId":"dev""#);
        for (call, raw, misplaced) in [
            (
                tellask(TellaskKind::Sessionless),
                format!("{{{target},{SLUG},{content}}}"),
                "sessionSlug",
            ),
            (tellask(TellaskKind::Back), format!("{{{SLUG},{content}}}"), "sessionSlug"),
            (tellask(TellaskKind::Back), format!("{{{target},{content}}}"), "targetAgentId"),
            (tellask(TellaskKind::FreshBoots), format!("{{{SLUG},{content}}}"), "sessionSlug"),
            (
                tellask(TellaskKind::FreshBoots),
                format!(r#"{{"mentionList":["@dev"],{content}}}"#),
                "mentionList",
            ),
            (
                tellask(TellaskKind::Session),
                format!(r#"{{{target},{SLUG},{content},"effort":3}}"#),
                "effort",
            ),
            (
                tellask(TellaskKind::Session),
                format!(r#"{{{target},{SLUG},{content},"more":""}}"#),
                "more",
            ),
            (SpecialCall::AskHuman, format!("{{{target},{content}}}"), "targetAgentId"),
            (
                SpecialCall::Reply(ReplyKind::Session),
                format!(r#"{{"replyContent":"x",{SLUG}}}"#),
                "sessionSlug",
            ),
            (
                SpecialCall::Reply(ReplyKind::Back),
                format!(r#"{{"replyContent":"x",{content}}}"#),
                "tellaskContent",
            ),
        ] {
            let error = ArgumentError::Misplaced { call, key: misplaced.to_owned() };
            assert_eq!(parse_call(call, &raw).err(), Some(error), "{raw}");
        }
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
            let call = SpecialCall::Tellask(TellaskKind::FreshBoots);
            assert_eq!(shown(parse_call(call, raw)), expected, "{raw}");
        }
    }
}
