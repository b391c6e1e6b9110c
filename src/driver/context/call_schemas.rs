//! Tool schemas of the calls that the driver handles itself.

use serde_json::{Map, Value, json};

use crate::domain::call::{ReplyKind, SpecialCall, TellaskKind};
use crate::domain::fresh_boots::{MAX_EFFORT, Phase};
use crate::driver::texts::{CallArgument, Texts};
use crate::llm::ToolSchema;

const CONTENT: &str = "tellaskContent";

/// The special calls of a main or a side dialog.
pub fn special_calls(is_main: bool, texts: Texts) -> Vec<ToolSchema> {
    use CallArgument::{Effort, Question, Reply, Request, Slug, Target, Thought};
    let tellask = SpecialCall::Tellask;
    let session = [("targetAgentId", Target), ("sessionSlug", Slug), (CONTENT, Request)];
    let once = [("targetAgentId", Target), (CONTENT, Request)];
    let mut offers = vec![
        offer(tellask(TellaskKind::Session), &session, &[], texts),
        offer(tellask(TellaskKind::Sessionless), &once, &[], texts),
        offer(
            tellask(TellaskKind::FreshBoots),
            &[(CONTENT, Thought)],
            &[("effort", Effort)],
            texts,
        ),
        offer(SpecialCall::AskHuman, &[(CONTENT, Question)], &[], texts),
    ];
    if !is_main {
        offers.push(offer(tellask(TellaskKind::Back), &[(CONTENT, Question)], &[], texts));
    }
    let replies: &[ReplyKind] = if is_main { &[ReplyKind::Back] } else { &ReplyKind::ALL };
    for kind in replies {
        offers.push(offer(SpecialCall::Reply(*kind), &[("replyContent", Reply)], &[], texts));
    }
    offers
}

/// The calls fresh-boots reasoning may make in this phase.
pub fn conclusions(phase: Phase, texts: Texts) -> Vec<ToolSchema> {
    match phase {
        Phase::Divergence | Phase::Convergence => Vec::new(),
        Phase::Finalization => {
            let content = [("content", CallArgument::Conclusion)];
            let offers = texts
                .conclusions()
                .map(|(name, purpose)| schema(name, purpose, &content, &[], texts));
            offers.into()
        }
    }
}

type Arguments<'a> = &'a [(&'a str, CallArgument)];

fn offer(
    call: SpecialCall,
    required: Arguments<'_>,
    optional: Arguments<'_>,
    texts: Texts,
) -> ToolSchema {
    schema(call.name(), texts.special_call(call), required, optional, texts)
}

fn schema(
    name: &str,
    description: &str,
    required: Arguments<'_>,
    optional: Arguments<'_>,
    texts: Texts,
) -> ToolSchema {
    let all = required.iter().chain(optional);
    let properties: Map<String, Value> =
        all.map(|(key, argument)| ((*key).to_owned(), property(*argument, texts))).collect();
    let required: Vec<&str> = required.iter().map(|(key, _)| *key).collect();
    let parameters = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    ToolSchema { name: name.to_owned(), description: description.to_owned(), parameters }
}

fn property(argument: CallArgument, texts: Texts) -> Value {
    let description = texts.argument(argument);
    match argument {
        CallArgument::Effort => json!({
            "type": "integer",
            "minimum": 0,
            "maximum": MAX_EFFORT,
            "description": description,
        }),
        CallArgument::Target
        | CallArgument::Slug
        | CallArgument::Request
        | CallArgument::Question
        | CallArgument::Thought
        | CallArgument::Reply
        | CallArgument::Conclusion => json!({ "type": "string", "description": description }),
    }
}
