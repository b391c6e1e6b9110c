//! `request_decision`: whether a member makes a decision, by its autonomy. It is offered where that is configured, and
//! belongs to no toolset.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::args::not_run;
use super::outcome::{DecisionOutcome, StateChange, ToolOutcome};
use super::tool::{Tool, ToolCx};
use super::typed;
use crate::domain::autonomy::{DecisionKind, DecisionPolicy};
use crate::domain::inquiry::approval::WrittenDecision;
use crate::domain::inquiry::{Inquiry, InquiryFault, WrittenOption};
use crate::domain::text::Text;

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
    typed::instant(
        NAME,
        |lang| Text::of_document(include_str!("request_decision.md")).in_lang(lang),
        run,
    )
}

fn run(cx: &ToolCx, args: &RequestDecisionArgs) -> ToolOutcome {
    let kind = args.category;
    let asked = match inquiry(cx, args) {
        Ok(asked) => asked,
        Err(fault) => {
            let reason = format!("{}.", fault.text(cx.lang));
            return ToolOutcome::failed(not_run(NAME, &reason, cx.lang));
        }
    };
    let policy = cx.autonomy.policy(kind);
    let has_options = args.options.as_ref().is_some_and(|options| !options.is_empty());
    let option = asked.approving_key().filter(|_| has_options).map(String::from);
    let decided = |outcome| StateChange::Decision { kind, outcome };
    let proceed = |policy: Option<DecisionPolicy>| {
        json!({
            "decision": "proceed",
            "policy": policy.map_or(Value::Null, |policy| policy.name().into()),
            "option": option,
        })
        .to_string()
    };
    match policy {
        None | Some(DecisionPolicy::Automated) => {
            ToolOutcome::changed(proceed(policy), decided(DecisionOutcome::Made))
        }
        Some(DecisionPolicy::NotifyAndProceed) => {
            let description = args.description.trim().to_owned();
            ToolOutcome::changed(proceed(policy), decided(DecisionOutcome::Notified(description)))
        }
        // Its text names the question, which whoever asks it knows.
        Some(DecisionPolicy::RequiresApproval) => {
            ToolOutcome::changed("", decided(DecisionOutcome::Asked(Box::new(asked))))
        }
    }
}

fn inquiry(cx: &ToolCx, args: &RequestDecisionArgs) -> Result<Inquiry, InquiryFault> {
    let options = args.options.iter().flatten().cloned();
    let written = WrittenDecision {
        description: args.description.clone(),
        options: options.map(WrittenOption::from).collect(),
        recommended: args.recommended.clone(),
        diff: args.diff.clone(),
    };
    Inquiry::of_decision(args.category, written, &cx.clock.now(), cx.lang)
}

#[cfg(test)]
mod tests;
