//! `request_decision`: whether a member makes a decision, by its autonomy. It is offered where that is configured, and
//! belongs to no toolset.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::args::not_run;
use super::outcome::{DecisionOutcome, MadeDecision, StateChange, ToolOutcome};
use super::tool::{Tool, ToolCx};
use super::typed;
use crate::domain::asking::autonomy::{DecisionKind, DecisionPolicy};
use crate::domain::asking::inquiry::approval::WrittenDecision;
use crate::domain::asking::inquiry::{Inquiry, InquiryFault, WrittenOption};
use crate::domain::teams::notices::{NewNotice, NewsLevel};
use crate::domain::text::{Localized, Text, in_lang};

pub(super) const NAME: &str = "request_decision";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RequestDecisionArgs {
    category: DecisionKind,
    description: String,
    options: Option<Vec<OptionArg>>,
    recommended: Option<String>,
    diff: Option<String>,
}

/// A way to answer, as a model writes it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OptionArg {
    key: Option<String>,
    label: String,
    pros: Option<String>,
    cons: Option<String>,
}

impl From<OptionArg> for WrittenOption {
    fn from(OptionArg { key, label, pros, cons }: OptionArg) -> Self {
        Self { key, label, pros, cons }
    }
}

/// The tool.
pub(crate) fn tool() -> Arc<dyn Tool> {
    typed::asynchronous(
        NAME,
        |lang| Text::of_document(include_str!("request_decision.md")).in_lang(lang),
        run,
    )
}

async fn run(cx: ToolCx, args: RequestDecisionArgs) -> ToolOutcome {
    let kind = args.category;
    let asked = match inquiry(&cx, &args) {
        Ok(asked) => asked,
        Err(fault) => {
            let reason = format!("{}.", fault.text(cx.lang));
            return ToolOutcome::failed(not_run(NAME, &reason, cx.lang));
        }
    };
    let policy = cx.autonomy.policy(kind);
    let has_options = args.options.as_ref().is_some_and(|options| !options.is_empty());
    let key = asked.approving_key().filter(|_| has_options);
    let option = key.and_then(|key| asked.parts.first()?.option(key));
    let made = || MadeDecision {
        description: args.description.trim().to_owned(),
        option: option.map(|option| format!("{}: {}", option.key, option.label)),
    };
    let mut proceed = json!({
        "decision": "proceed",
        "policy": policy.map_or(Value::Null, |policy| policy.name().into()),
        "option": key.map(String::from),
    });
    let outcome = match policy {
        None | Some(DecisionPolicy::Automated) => DecisionOutcome::Made(made()),
        Some(DecisionPolicy::NotifyAndProceed) => match notify(&cx, kind, &made()).await {
            Ok(notice) => {
                if let Value::Object(fields) = &mut proceed {
                    fields.insert("notice".to_owned(), notice.into());
                }
                DecisionOutcome::Notified(made())
            }
            Err(reason) => {
                let lang = cx.lang;
                let reason = in_lang!(
                    lang,
                    ("A person has to be told, and cannot be: {}.", reason.in_lang(lang)),
                    ("需要通知人，但无法通知：{}。", reason.in_lang(lang))
                );
                return ToolOutcome::failed(not_run(NAME, &reason, lang));
            }
        },
        // No text: it names the question, so the code that asks the question writes it.
        Some(DecisionPolicy::RequiresApproval) => {
            let outcome = DecisionOutcome::Asked(Box::new(asked));
            return ToolOutcome::changed("", StateChange::Decision { kind, outcome });
        }
    };
    ToolOutcome::changed(proceed.to_string(), StateChange::Decision { kind, outcome })
}

/// Tells a person what is decided; returns the id of the notice.
async fn notify(cx: &ToolCx, kind: DecisionKind, made: &MadeDecision) -> Result<String, Localized> {
    let kind = kind.words().in_lang(cx.lang);
    let option = made.option.as_ref().map_or_else(String::new, |option| format!("\n\n{option}"));
    let text = format!("{}{option}\n\n({kind})", made.description);
    let text = cx.keys.redacted(text);
    let title = cx.keys.redacted(made.description.clone());
    let from = (cx.caller.clone(), cx.dialog.clone(), cx.call.clone());
    match NewNotice::of(from, NewsLevel::Info, (Some(&title), &text)) {
        Some(notice) => cx.news.add(notice).await,
        // A decision without words is refused before.
        None => Err(Localized::default()),
    }
}

fn inquiry(cx: &ToolCx, args: &RequestDecisionArgs) -> Result<Inquiry, InquiryFault> {
    let options = args.options.iter().flatten().cloned();
    let written = WrittenDecision {
        description: args.description.clone(),
        options: options.map(WrittenOption::from).collect(),
        recommended: args.recommended.clone(),
        diff: args.diff.clone(),
        gate: None,
    };
    Inquiry::of_decision(args.category, written, &cx.clock.now(), cx.lang)
}

#[cfg(test)]
mod tests;
