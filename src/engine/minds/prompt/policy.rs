//! Section: shell commands, the Taskdoc, memories.

use super::input::{DialogRole, PromptInput, PromptSection};
use crate::domain::text::Text;

const TITLE: Text = Text::new("Rules for everyone", "共同的规则");

const SHELL_OWN: Text = Text::new(
    "You may run shell commands. Prefer reading ones; before one that deletes, publishes or \
     spends, be sure that the task asks for it, else ask the person.",
    "你可以执行 shell 命令。优先用只读的命令；执行会删除、发布或花费的命令之前，先确认任务确实要求这样做，\
     否则请问人。",
);
const SHELL_OTHERS: Text = Text::new(
    "You cannot run shell commands. Ask one of these for it, with the exact command and the \
     reason:",
    "你不能执行 shell 命令。需要时请下列成员之一来做，并写明确切的命令和理由：",
);
const SHELL_NOBODY: Text = Text::new(
    "Nobody in this team runs shell commands. If one is needed, ask the person for its output.",
    "团队里没有人能执行 shell 命令。需要时，请人提供它的输出。",
);

const TASKDOC: Text = Text::new(
    "The Taskdoc is the truth about the task: Goals, Constraints, Progress. It is in your \
     context; trust it over memory.",
    "任务文档是关于任务的准绳：目标、约束、进展。它就在你的上下文里；与记忆不符时以它为准。",
);
const TASKDOC_MAIN: Text = Text::new(
    "You keep it: `change_mind` writes a whole section, `mind_more` adds to one. Goals and Constraints \
     change only as the person wants; Progress holds the present state and the next steps, not a \
     diary.",
    "由你维护：用 `change_mind` 写一整节，用 `mind_more` 追加。目标和约束只按人的意思改；进展写现状和下一步，\
     不是日记。",
);
const TASKDOC_SIDE: Text = Text::new(
    "You do not write it: report what should change to your asker.",
    "你不写它：应当改什么，报告给诉请者。",
);

const MEMORY: Text = Text::new(
    "Memories outlast every dialog and are in your context already. Keep there what will still be \
     true and useful next month; the state of a task belongs into the Taskdoc, what is next into a \
     reminder. Correct or delete what has become wrong.",
    "记忆比任何对话都长久，并且已在你的上下文里。只记下个月仍然成立且有用的内容；任务的状态写进任务文档，\
     接下来要做的写进提醒。不再正确的，改掉或删除。",
);

pub(super) fn policy(facts: &PromptInput) -> PromptSection {
    let taskdoc = match facts.role {
        DialogRole::Main => TASKDOC_MAIN,
        DialogRole::Side | DialogRole::FreshBoots => TASKDOC_SIDE,
    };
    let mut body =
        format!("- {}\n- {} {}", shell(facts), facts.text(&TASKDOC), facts.text(&taskdoc));
    if ["add_personal_memory", "add_team_memory"].iter().any(|name| facts.has_tool(name)) {
        body.push_str(&format!("\n- {}", facts.text(&MEMORY)));
    }
    (&TITLE, Some(body))
}

fn shell(facts: &PromptInput) -> String {
    if facts.has_tool("shell_cmd") {
        return facts.text(&SHELL_OWN).to_owned();
    }
    let others: Vec<String> = facts
        .team
        .shell_specialists
        .iter()
        .filter(|id| **id != facts.member.id)
        .map(|id| format!("`{id}`"))
        .collect();
    if others.is_empty() {
        facts.text(&SHELL_NOBODY).to_owned()
    } else {
        format!("{} {}.", facts.text(&SHELL_OTHERS), others.join(", "))
    }
}
