//! The arguments of the calls that the driver handles itself, as types: they give the schemas and read what a model
//! sends. Errors in a call have texts of their own, see [`ArgumentError`].

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::domain::asking::inquiry::{Inquiry, WrittenOption, WrittenPart};
use crate::domain::dialogs::call::{ReplyKind, SpecialCall, TellaskKind};
use crate::domain::dialogs::fresh_boots::MAX_EFFORT;
use crate::domain::ids::is_slug;
use crate::domain::text::json;
use crate::domain::text::localized;
use crate::domain::{AgentId, Lang, Slug, Stamp};
use crate::driver::texts::ArgumentError;
use crate::tools::{ArgMismatch, Args, MismatchKind, OptionArg, parameters};

/// Asks a teammate, in a session.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct TellaskArgs {
    #[schemars(with = "String")]
    target_agent_id: Option<TargetArg>,
    #[schemars(skip)]
    agent_id: Option<TargetArg>,
    #[schemars(skip)]
    target: Option<TargetArg>,
    #[schemars(with = "String")]
    session_slug: SlugArg,
    #[schemars(with = "String")]
    tellask_content: ContentArg,
}

/// Asks a teammate once.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct TellaskOnceArgs {
    #[schemars(with = "String")]
    target_agent_id: Option<TargetArg>,
    #[schemars(skip)]
    agent_id: Option<TargetArg>,
    #[schemars(skip)]
    target: Option<TargetArg>,
    #[schemars(with = "String")]
    tellask_content: ContentArg,
}

/// Asks oneself.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct FreshBootsArgs {
    #[schemars(with = "String")]
    tellask_content: ContentArg,
    #[schemars(with = "Option<u32>", range(max = MAX_EFFORT))]
    effort: Option<EffortArg>,
}

/// Asks the tellasker back.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct AskBackArgs {
    #[schemars(with = "String")]
    tellask_content: ContentArg,
}

/// Asks the human: in words, in parts, or both.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct AskHumanArgs {
    #[schemars(with = "Option<String>")]
    tellask_content: Option<ContentArg>,
    questions: Option<Vec<PartArg>>,
    confirm: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PartArg {
    id: Option<String>,
    text: String,
    created_at: Option<String>,
    options: Option<Vec<OptionArg>>,
    recommended: Option<String>,
}

impl From<PartArg> for WrittenPart {
    fn from(arg: PartArg) -> Self {
        let PartArg { id, text, created_at, options, recommended } = arg;
        let options = options.map(|options| options.into_iter().map(WrittenOption::from).collect());
        Self { id, text, created_at, options, recommended }
    }
}

/// Tells the human something.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct AnswerHumanArgs {
    #[schemars(with = "String")]
    answer_content: ContentArg,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ReplyArgs {
    #[schemars(with = "String")]
    reply_content: ContentArg,
}

/// A special call that can be made as it was written.
#[derive(Debug)]
pub enum SpecialArgs {
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
        /// It asks whether the asker may go on as it means to.
        confirm: bool,
    },
    AskInParts(Inquiry),
    Tell {
        content: String,
    },
    Reply {
        kind: ReplyKind,
        content: String,
    },
}

impl SpecialArgs {
    /// The schema of a call's arguments.
    pub fn schema(call: SpecialCall) -> Value {
        match call {
            SpecialCall::Tellask(TellaskKind::Session) => parameters::<TellaskArgs>(),
            SpecialCall::Tellask(TellaskKind::Sessionless) => parameters::<TellaskOnceArgs>(),
            SpecialCall::Tellask(TellaskKind::FreshBoots) => parameters::<FreshBootsArgs>(),
            SpecialCall::Tellask(TellaskKind::Back) => parameters::<AskBackArgs>(),
            SpecialCall::AskHuman => parameters::<AskHumanArgs>(),
            SpecialCall::AnswerHuman => parameters::<AnswerHumanArgs>(),
            SpecialCall::Reply(_) => parameters::<ReplyArgs>(),
        }
    }

    /// Parses a call, or returns the first error in it.
    ///
    /// `now`: when the parts of a question were asked.
    pub fn parse(call: SpecialCall, raw: &str, now: &Stamp) -> Result<Self, ArgumentError> {
        let args = object(raw)?;
        let error = |mismatch| argument_error(call, mismatch);
        Ok(match call {
            SpecialCall::Tellask(kind @ TellaskKind::Session) => {
                let args: TellaskArgs = args.typed().map_err(error)?;
                let target = args.target_agent_id.or(args.agent_id).or(args.target);
                let TargetArg(target) = target.ok_or(ArgumentError::NoTarget)?;
                let (SlugArg(slug), ContentArg(content)) =
                    (args.session_slug, args.tellask_content);
                Self::Tellask { kind, target, slug: Some(slug), content }
            }
            SpecialCall::Tellask(kind @ TellaskKind::Sessionless) => {
                let args: TellaskOnceArgs = args.typed().map_err(error)?;
                let target = args.target_agent_id.or(args.agent_id).or(args.target);
                let TargetArg(target) = target.ok_or(ArgumentError::NoTarget)?;
                let ContentArg(content) = args.tellask_content;
                Self::Tellask { kind, target, slug: None, content }
            }
            SpecialCall::Tellask(TellaskKind::FreshBoots) => {
                let args: FreshBootsArgs = args.typed().map_err(error)?;
                let (effort, ContentArg(content)) = (args.effort, args.tellask_content);
                Self::FreshBoots { effort: effort.map(|EffortArg(effort)| effort), content }
            }
            SpecialCall::Tellask(TellaskKind::Back) => {
                let args: AskBackArgs = args.typed().map_err(error)?;
                Self::AskBack { content: args.tellask_content.0 }
            }
            SpecialCall::AskHuman => {
                let args: AskHumanArgs = args.typed().map_err(error)?;
                let content = args.tellask_content.map(|ContentArg(content)| content);
                let confirm = args.confirm.unwrap_or(false);
                let parts: Vec<WrittenPart> =
                    args.questions.into_iter().flatten().map(WrittenPart::from).collect();
                match content {
                    content if !parts.is_empty() => {
                        let intro = content.unwrap_or_default();
                        let inquiry = Inquiry::of_written(&intro, parts, now);
                        let inquiry = inquiry.map_err(ArgumentError::Inquiry)?;
                        Self::AskInParts(Inquiry { confirm, ..inquiry })
                    }
                    Some(content) => Self::Ask { content, confirm },
                    None => return Err(ArgumentError::NothingAsked),
                }
            }
            SpecialCall::AnswerHuman => {
                let args: AnswerHumanArgs = args.typed().map_err(error)?;
                Self::Tell { content: args.answer_content.0 }
            }
            SpecialCall::Reply(kind) => {
                let args: ReplyArgs = args.typed().map_err(error)?;
                Self::Reply { kind, content: args.reply_content.0 }
            }
        })
    }
}

/// A teammate's id, with or without an `@` before it.
#[derive(Debug)]
struct TargetArg(AgentId);

/// The name of a session.
#[derive(Debug)]
struct SlugArg(Slug);

/// A text that says something, without the blanks around it.
#[derive(Debug)]
struct ContentArg(String);

/// The number of rounds per phase.
#[derive(Debug, Deserialize)]
#[serde(try_from = "u32")]
struct EffortArg(u32);

impl<'de> Deserialize<'de> for TargetArg {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let id = text.trim().trim_start_matches('@');
        if id.is_empty() { Err(unfit("an id")) } else { Ok(Self(AgentId::new(id))) }
    }
}

impl<'de> Deserialize<'de> for SlugArg {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let slug = text.trim();
        if is_slug(slug) { Ok(Self(Slug::new(slug))) } else { Err(unfit("a slug")) }
    }
}

impl<'de> Deserialize<'de> for ContentArg {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let text = text.trim();
        if text.is_empty() { Err(unfit("a text")) } else { Ok(Self(text.to_owned())) }
    }
}

impl TryFrom<u32> for EffortArg {
    type Error = String;

    fn try_from(effort: u32) -> Result<Self, String> {
        let fits = effort <= MAX_EFFORT;
        fits.then_some(Self(effort)).ok_or_else(|| format!("at most {MAX_EFFORT}"))
    }
}

fn unfit<E: serde::de::Error>(expected: &str) -> E {
    E::custom(expected)
}

fn object(raw: &str) -> Result<Args, ArgumentError> {
    if let Some(at) = json::too_deep(raw) {
        return Err(ArgumentError::TooDeep(at));
    }
    match serde_json::from_str(raw) {
        Ok(Value::Object(arguments)) => Ok(Args::from(arguments)),
        Ok(_) => Err(ArgumentError::NotAnObject),
        Err(error) => Err(ArgumentError::NotJson(error.to_string())),
    }
}

/// The error of a refused argument, in the words of special calls. An argument that a call does not have is refused
/// because the model expects an effect that would not happen.
fn argument_error(call: SpecialCall, mismatch: ArgMismatch) -> ArgumentError {
    let content = match call {
        SpecialCall::Reply(_) => "replyContent",
        SpecialCall::AnswerHuman => "answerContent",
        SpecialCall::Tellask(_) | SpecialCall::AskHuman => "tellaskContent",
    };
    if mismatch.field.starts_with("questions") {
        let text = localized!(("{}", mismatch.text(Lang::En)), ("{}", mismatch.text(Lang::Zh)));
        return ArgumentError::NotParts(text);
    }
    match (mismatch.field.as_str(), mismatch.kind) {
        (_, MismatchKind::Unexpected { .. }) => {
            ArgumentError::Misplaced { call, key: mismatch.field }
        }
        ("targetAgentId" | "agentId" | "target", _) => ArgumentError::NoTarget,
        ("sessionSlug", _) => ArgumentError::NotASlug,
        ("effort", _) => ArgumentError::NotAnEffort,
        (_, MismatchKind::Unfit { .. }) => ArgumentError::Empty(content),
        (_, _) => ArgumentError::NotAText(content),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLUG: &str = r#""sessionSlug":"main""#;

    fn shown(checked: Result<SpecialArgs, ArgumentError>) -> String {
        match checked {
            Ok(SpecialArgs::Tellask { target, slug, content, .. }) => {
                let slug = slug.map(|slug| format!(" {slug}")).unwrap_or_default();
                format!("@{target}{slug}: {content}")
            }
            Ok(SpecialArgs::FreshBoots { effort, content }) => format!("{effort:?}: {content}"),
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
            assert_eq!(shown(SpecialArgs::parse(call, &raw, &Stamp::default())), expected, "{raw}");
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
                SpecialCall::AnswerHuman,
                format!(r#"{{"answerContent":"x",{content}}}"#),
                "tellaskContent",
            ),
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
            assert_eq!(
                SpecialArgs::parse(call, &raw, &Stamp::default()).err(),
                Some(error),
                "{raw}"
            );
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
            assert_eq!(shown(SpecialArgs::parse(call, raw, &Stamp::default())), expected, "{raw}");
        }
    }
}
