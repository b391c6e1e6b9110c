//! Rules for everyone: shell commands and the Taskdoc.

use super::{DialogRole, Facts, Section, Text};

const TITLE: Text = Text::english("Rules for everyone");

const SHELL_OWN: Text = Text::english(
    "You may run shell commands. Prefer reading ones; before one that deletes, publishes or \
     spends, be sure that the task asks for it, else ask the person.",
);
const SHELL_OTHERS: Text = Text::english(
    "You cannot run shell commands. Ask one of these for it, with the exact command and the \
     reason:",
);
const SHELL_NOBODY: Text = Text::english(
    "Nobody in this team runs shell commands. If one is needed, ask the person for its output.",
);

const TASKDOC: Text = Text::english(
    "The Taskdoc is the truth about the task: Goals, Constraints, Progress. It is in your \
     context; trust it over memory.",
);
const TASKDOC_MAIN: Text = Text::english(
    "You keep it: write it with `change_mind`, a whole section at a time. Goals and Constraints \
     change only as the person wants; Progress holds the present state and the next steps, not a \
     diary.",
);
const TASKDOC_SIDE: Text =
    Text::english("You do not write it: report what should change to your asker.");

pub(super) fn policy(facts: &Facts) -> Section {
    let taskdoc = match facts.role {
        DialogRole::Main => TASKDOC_MAIN,
        DialogRole::Side | DialogRole::FreshBoots => TASKDOC_SIDE,
    };
    let body = format!("- {}\n- {} {}", shell(facts), facts.say(&TASKDOC), facts.say(&taskdoc));
    (&TITLE, Some(body))
}

fn shell(facts: &Facts) -> String {
    if facts.has_tool("shell_cmd") {
        return facts.say(&SHELL_OWN).to_owned();
    }
    let others: Vec<String> = facts
        .team
        .shell_specialists
        .iter()
        .filter(|id| **id != facts.member.id)
        .map(|id| format!("`{id}`"))
        .collect();
    if others.is_empty() {
        facts.say(&SHELL_NOBODY).to_owned()
    } else {
        format!("{} {}.", facts.say(&SHELL_OTHERS), others.join(", "))
    }
}
