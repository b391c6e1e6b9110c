//! Sections: tools for the member's own state, all tools, manuals, tellasks, and rules for calls.

use super::input::{DialogRole, PromptInput, PromptSection};
use crate::domain::text::Text;

const STATE_TOOLS: Text = Text::new("Keeping your head", "保持头脑清楚");
const REMINDERS: Text = Text::new(
    "Your context is limited; what you must not forget goes into a reminder (`add_reminder`, \
     `update_reminder`, `delete_reminder`). Keep few, short and current: state and next steps, \
     not what a file already says. When the program warns that the context fills up, write a \
     reminder to go on from, then call `clear_mind`.",
    "你的上下文有限；不能忘的写进提醒（`add_reminder`、`update_reminder`、\
     `delete_reminder`）。提醒要少、短、新：写状态和下一步，不写文件里已有的内容。\
     程序警告上下文快满时，先写一条据以继续的提醒，再调用 `clear_mind`。",
);
const RECALL: Text = Text::new(
    "`recall_taskdoc` reads a section of the Taskdoc that is only listed.",
    "`recall_taskdoc` 读取任务文档中只列出名称的章节。",
);

const OFFERED: Text = Text::new("Your tools", "你的工具");
const OFFERED_NOTE: Text = Text::new(
    "A tool's description says how it is called; read it before the first call. Besides these and \
     the ones for asking and replying there are none.",
    "工具的描述说明怎样调用；第一次调用之前先读。除了这些以及诉请和回复的工具之外，没有别的工具。",
);

const MANUALS: Text = Text::new("Manuals", "手册");
const MANUALS_BODY: Text = Text::new(
    "`man` shows how a toolset is meant to be used: `principles`, `tools`, `scenarios`, `errors`. \
     Read the manual of a toolset before you first rely on it, and when its tools fail twice; not \
     again while it is still before you.",
    "`man` 说明一个工具集应当怎样使用：`principles`、`tools`、`scenarios`、`errors`。\
     第一次依赖某个工具集之前，或其工具连续两次失败时，先读它的手册；手册还在眼前时不必重读。",
);

const TELLASK: Text = Text::new("Asking and replying", "诉请与回复");
const TELLASK_BOTH: Text = Text::new(
    "- `tellask(targetAgentId, sessionSlug, tellaskContent)`: work you will come back to. A slug \
     is words of letters, digits, `-` and `_`, joined by dots.\n\
     - `tellaskSessionless(targetAgentId, tellaskContent)`: one request, one answer. Calling it \
     again does not update the first request, it makes another; what may change goes into a \
     session.\n\
     - `freshBootsReasoning(tellaskContent, effort?)`: yourself, anew.\n\
     - `askHuman(tellaskContent)`: a person.\n\
     - `replyTellaskBack(replyContent)`: answers a teammate who asked you back.\n\
     Only ids of the team work as `targetAgentId`, never your own.",
    "- `tellask(targetAgentId, sessionSlug, tellaskContent)`：\
     之后还会再来的事。slug 由字母、数字、`-` 和 `_` 组成的词用点连接而成。\n\
     - `tellaskSessionless(targetAgentId, tellaskContent)`：\
     一次请求，一次回复。再次调用不会更新前一次请求，而是另一次请求；可能变动的事请用会话。\n\
     - `freshBootsReasoning(tellaskContent, effort?)`：\
     让自己重新思考。\n\
     - `askHuman(tellaskContent)`：问人。\n\
     - `replyTellaskBack(replyContent)`：回答向你回问的队友。\n\
     `targetAgentId` 只能是团队成员的 id，不能是你自己的。",
);
const TELLASK_SIDE: Text = Text::new(
    "- `tellaskBack(tellaskContent)`: your asker; not a new tellask to the asker's id.\n\
     - `replyTellask(replyContent)`: delivers a session's request.\n\
     - `replyTellaskSessionless(replyContent)`: delivers a one-time request.\n\
     Use the one the assignment names, once; a reply without an open request fails.",
    "- `tellaskBack(tellaskContent)`：回问诉请者；不要对诉请者的 id 另发诉请。\n\
     - `replyTellask(replyContent)`：交付会话的请求。\n\
     - `replyTellaskSessionless(replyContent)`：交付一次性的请求。\n\
     用任务指明的那一个，只用一次；没有待回复的请求时回复会失败。",
);

const RULES: Text = Text::new("Calling tools", "调用工具");
const RULES_BODY: Text = Text::new(
    "- Arguments are one JSON object, with the keys of the tool and no others.\n\
     - Calls of one round run side by side and do not see each other's results. What depends on \
     a result belongs in the next round.\n\
     - A failed result says why. Change something before you try again; after two failures of \
     the same kind, take another way.\n\
     - Long results are cut, and say so; ask for the part you need.\n\
     - Never claim that something was done, read or tested without a result that shows it.",
    "- 参数是一个 JSON 对象，只包含该工具的键。\n\
     - 同一轮的调用并行执行，彼此看不到结果。依赖某个结果的事放到下一轮。\n\
     - 失败的结果会说明原因。重试之前先有所改变；同类失败两次后，换一条路。\n\
     - 过长的结果会被截断并注明；请只取需要的部分。\n\
     - 没有结果为证，绝不声称做过、读过或测试过什么。",
);

pub(super) fn state_tools(facts: &PromptInput) -> PromptSection {
    let mut parts = Vec::new();
    if facts.has_tool("add_reminder") {
        parts.push(facts.text(&REMINDERS));
    }
    if facts.has_tool("recall_taskdoc") {
        parts.push(facts.text(&RECALL));
    }
    (&STATE_TOOLS, (!parts.is_empty()).then(|| parts.join("\n\n")))
}

pub(super) fn offered(facts: &PromptInput) -> PromptSection {
    if facts.tool_names.is_empty() {
        return (&OFFERED, None);
    }
    let names: Vec<String> = facts.tool_names.iter().map(|name| format!("`{name}`")).collect();
    let body = format!("{}.\n\n{}", names.join(", "), facts.text(&OFFERED_NOTE));
    (&OFFERED, Some(body))
}

pub(super) fn manuals(facts: &PromptInput) -> PromptSection {
    let body = facts.has_tool("man").then(|| facts.text(&MANUALS_BODY).to_owned());
    (&MANUALS, body)
}

pub(super) fn tellask(facts: &PromptInput) -> PromptSection {
    let both = facts.text(&TELLASK_BOTH).to_owned();
    let body = match facts.role {
        DialogRole::Main => both,
        DialogRole::Side | DialogRole::FreshBoots => {
            format!("{both}\n\n{}", facts.text(&TELLASK_SIDE))
        }
    };
    (&TELLASK, Some(body))
}

pub(super) fn rules(facts: &PromptInput) -> PromptSection {
    (&RULES, Some(facts.text(&RULES_BODY).to_owned()))
}
