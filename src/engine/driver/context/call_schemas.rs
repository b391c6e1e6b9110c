//! Tool schemas of the calls that the driver handles itself.

use serde_json::Value;

use crate::domain::Layout;
use crate::domain::dialogs::call::{ReplyKind, SpecialCall, TellaskKind};
use crate::domain::dialogs::fresh_boots::{ConclusionArgs, FbrPhase};
use crate::driver::calls::args::SpecialArgs;
use crate::driver::texts::{CallArgument, Texts};
use crate::llm::ToolSchema;
use crate::tools::parameters;

const CONTENT: &str = "tellaskContent";

/// The special calls of a main or a side dialog in a tree of this layout.
pub fn special_calls(is_main: bool, layout: Layout, texts: Texts) -> Vec<ToolSchema> {
    use CallArgument::{
        Confirm, Effort, Question, QuestionParts, QuestionWords, Reply, Request, Slug, Target,
        Thought, Told,
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
    if layout.has_recent_rules() {
        offers.push(offer(SpecialCall::AnswerHuman, &[("answerContent", Told)], texts));
    }
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
            let side = special_calls(false, Layout::V1_19, texts).into_iter();
            side.chain(conclusions(FbrPhase::Finalization, texts)).map(line).collect::<String>()
        };
        insta::assert_snapshot!("en", lines(Lang::En));
        insta::assert_snapshot!("zh", lines(Lang::Zh));
    }

    #[test]
    fn only_trees_of_dominds_1_29_are_offered_to_tell_a_person_something() {
        for (layout, expected) in [(Layout::V1_19, 0), (Layout::V1_29, 1)] {
            for is_main in [true, false] {
                let offers = special_calls(is_main, layout, Texts(Lang::En));
                let told = offers.iter().filter(|offer| offer.name == "answerHuman");
                assert_eq!(told.count(), expected, "{layout:?} {is_main}");
            }
        }
    }
}
