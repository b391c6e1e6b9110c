//! Finds the database entry for the newest input of a request.

use super::database::{MockDb, normalised, trimmed};
use crate::llm::mock::database::MockEntry;
use crate::llm::request::Message;

/// Headings of the status reports that the runtime appends.
const STATUS_LINES: [&str; 2] = ["\n[Dominds tellask status]\n", "\n[Dominds 诉请状态]\n"];

/// Headings that the runtime puts before a user's message.
const WRAPPERS: [&str; 6] = [
    "[Dominds active reply tool]",
    "[Dominds 当前回复工具]",
    "[Dominds long-line reminder]",
    "[Dominds 长线提醒]",
    "[Dominds handle this interjection first]",
    "[Dominds 先接住这轮]",
];

/// Headings of tasks and queries of teams: what is to be done stands between the heading and the rules at the end.
const TASKS: [&str; 4] =
    ["[Dominds team task]", "[Dominds 团队任务]", "[Dominds team query]", "[Dominds 团队询问]"];

/// Headings of prompts that demand a call of the reply tool they name.
const REPLY_REQUIRED: [&str; 2] = ["[Dominds replyTellask required]", "[Dominds 必须调用回复工具]"];

/// The input to be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MockInput<'a> {
    pub role: &'static str,
    pub text: &'a str,
}

/// The newest prompt or result; the newest message of any kind when there is none.
pub(super) fn input(messages: &[Message]) -> MockInput<'_> {
    let newest = messages.iter().rev().find_map(|message| match message {
        Message::Prompt(text) | Message::Carryover(text) => Some(MockInput { role: "user", text }),
        Message::TellaskResult(text) | Message::Result { content: text, .. } => {
            Some(MockInput { role: "tool", text })
        }
        Message::Environment(_)
        | Message::Images(_)
        | Message::Guide(_)
        | Message::Saying(_)
        | Message::Thinking { .. }
        | Message::Call { .. } => None,
    });
    newest.unwrap_or_else(|| MockInput {
        role: match messages.last() {
            Some(Message::Environment(_)) | None => "user",
            Some(_) => "assistant",
        },
        text: messages.last().and_then(Message::text).unwrap_or_default(),
    })
}

/// The entry for the complete input, or else for its part before a status report, or its part after a
/// heading.
pub(super) fn find<'db>(
    database: &'db MockDb,
    input: MockInput<'_>,
    messages: &[Message],
) -> Option<&'db MockEntry> {
    let context: Vec<&str> = messages.iter().filter_map(Message::text).collect();
    let text = input.text;
    let task = text_of_task(text);
    let again = task.and_then(|task| task.split_once("\n\n")).map(|(_, rest)| rest);
    // The task of a new team is long; its first line names the team.
    let first = task.and_then(|task| task.lines().next());
    let candidates = [Some(text), before_status(text), after_wrapper(text), task, again, first];
    candidates
        .into_iter()
        .flatten()
        .find_map(|candidate| database.find(input.role, &normalised(candidate), &context))
}

fn before_status(text: &str) -> Option<&str> {
    let at = STATUS_LINES.iter().filter_map(|line| text.rfind(line)).max()?;
    text.get(..at)
}

fn after_wrapper(text: &str) -> Option<&str> {
    WRAPPERS.iter().find(|heading| text.starts_with(**heading))?;
    text.split_once("\n\n").map(|(_, rest)| rest)
}

/// The text of a task. In a later attempt a remark comes before it.
fn text_of_task(text: &str) -> Option<&str> {
    TASKS.iter().find(|heading| text.lines().next() == Some(**heading))?;
    let (_, rest) = text.split_once("\n\n")?;
    rest.rsplit_once("\n\n").map(|(task, _)| task)
}

/// The reply tool that a prompt demands, and the content of the reply: the last text of the model.
pub(super) fn demanded_reply<'a>(
    input: MockInput<'a>,
    messages: &'a [Message],
) -> Option<(&'a str, &'a str)> {
    let demanded = REPLY_REQUIRED.iter().any(|heading| input.text.starts_with(heading));
    if input.role != "user" || !demanded {
        return None;
    }
    let tool = input
        .text
        .split('`')
        .skip(1)
        .step_by(2)
        .find(|quoted| quoted.starts_with("replyTellask"))?;
    let text = messages.iter().rev().find_map(|message| match message {
        Message::Saying(text) => Some(trimmed(text)).filter(|text| !text.is_empty()),
        Message::Environment(_)
        | Message::Prompt(_)
        | Message::TellaskResult(_)
        | Message::Carryover(_)
        | Message::Images(_)
        | Message::Guide(_)
        | Message::Thinking { .. }
        | Message::Call { .. }
        | Message::Result { .. } => None,
    });
    Some((tool, text.unwrap_or_default()))
}
