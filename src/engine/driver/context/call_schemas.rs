//! Tool schemas of the calls that the driver handles itself.

use serde_json::Value;

use crate::domain::dialogs::call::{ReplyKind, SpecialCall, TellaskKind};
use crate::domain::dialogs::fresh_boots::{ConclusionArgs, FbrPhase};
use crate::driver::calls::args::SpecialArgs;
use crate::driver::texts::{CallArgument, Texts};
use crate::llm::ToolSchema;
use crate::tools::parameters;

const CONTENT: &str = "tellaskContent";

/// The special calls of a main or a side dialog.
pub fn special_calls(is_main: bool, texts: Texts) -> Vec<ToolSchema> {
    use CallArgument::{
        Confirm, Effort, Question, QuestionParts, QuestionWords, Reply, Request, Slug, Target,
        Thought,
    };
    let ask_human = [(CONTENT, QuestionWords), ("questions", QuestionParts), ("confirm", Confirm)];
    let session = [("targetAgentId", Target), ("sessionSlug", Slug), (CONTENT, Request)];
    let once = [("targetAgentId", Target), (CONTENT, Request)];
    let tellask = SpecialCall::Tellask;
    let mut offers = vec![
        offer(tellask(TellaskKind::Session), &session, texts),
        offer(tellask(TellaskKind::Sessionless), &once, texts),
        offer(tellask(TellaskKind::FreshBoots), &[(CONTENT, Thought), ("effort", Effort)], texts),
        offer(SpecialCall::AskHuman, &ask_human, texts),
    ];
    if !is_main {
        offers.push(offer(tellask(TellaskKind::Back), &[(CONTENT, Question)], texts));
    }
    let replies: &[ReplyKind] = if is_main { &[ReplyKind::Back] } else { &ReplyKind::ALL };
    for kind in replies {
        offers.push(offer(SpecialCall::Reply(*kind), &[("replyContent", Reply)], texts));
    }
    offers
}

/// The calls fresh-boots reasoning may make in this phase.
pub fn conclusions(phase: FbrPhase, texts: Texts) -> Vec<ToolSchema> {
    match phase {
        FbrPhase::Divergence | FbrPhase::Convergence => Vec::new(),
        FbrPhase::Finalization => {
            let content = [("content", CallArgument::Conclusion)];
            let parameters = || parameters::<ConclusionArgs>();
            let offers = texts
                .conclusions()
                .map(|(name, purpose)| schema(name, purpose, parameters(), &content, texts));
            offers.into()
        }
    }
}

type CallArguments<'a> = &'a [(&'a str, CallArgument)];

fn offer(call: SpecialCall, arguments: CallArguments<'_>, texts: Texts) -> ToolSchema {
    let parameters = SpecialArgs::schema(call);
    schema(call.name(), texts.special_call(call), parameters, arguments, texts)
}

/// With what the arguments are for, in the language of the member.
fn schema(
    name: &str,
    description: &str,
    mut parameters: Value,
    arguments: CallArguments<'_>,
    texts: Texts,
) -> ToolSchema {
    for (key, argument) in arguments {
        let property = parameters.get_mut("properties").and_then(|all| all.get_mut(key));
        if let Some(Value::Object(property)) = property {
            property.insert("description".to_owned(), texts.argument(*argument).into());
        }
    }
    ToolSchema { name: name.to_owned(), description: description.to_owned(), parameters }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Lang;

    #[test]
    fn every_schema_is_what_providers_were_given_before() {
        let line = |tool: ToolSchema| format!("{} {}\n", tool.name, tool.parameters);
        let lines = |lang| {
            let texts = Texts(lang);
            let side = special_calls(false, texts).into_iter();
            side.chain(conclusions(FbrPhase::Finalization, texts)).map(line).collect::<String>()
        };
        insta::assert_snapshot!("en", lines(Lang::En));
        insta::assert_snapshot!("zh", lines(Lang::Zh));
    }
}
