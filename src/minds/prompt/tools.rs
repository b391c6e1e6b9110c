//! The tools: the member's own state, what it is offered, asking teammates, and rules for calls.

use super::{DialogRole, Facts, Section, Text};

const OWN_STATE: Text = Text::english("Keeping your head");
const REMINDERS: Text = Text::english(
    "Your context is limited; what you must not forget goes into a reminder (`add_reminder`, \
     `update_reminder`, `delete_reminder`). Keep few, short and current: state and next steps, \
     not what a file already says. When the program warns that the context fills up, write a \
     reminder to go on from, then call `clear_mind`.",
);
const RECALL: Text =
    Text::english("`recall_taskdoc` reads a section of the Taskdoc that is only listed.");

const OFFERED: Text = Text::english("Your tools");
const OFFERED_NOTE: Text = Text::english(
    "A tool's description is its manual; read it before the first call. Besides these and the ones \
     for asking and replying there are none.",
);

const TELLASK: Text = Text::english("Asking and replying");
const TELLASK_BOTH: Text = Text::english(
    "- `tellask(targetAgentId, sessionSlug, tellaskContent)`: work you will come back to. A slug \
     is words of letters, digits, `-` and `_`, joined by dots.\n\
     - `tellaskSessionless(targetAgentId, tellaskContent)`: one request, one answer.\n\
     - `freshBootsReasoning(tellaskContent, effort?)`: yourself, anew.\n\
     - `askHuman(tellaskContent)`: a person.\n\
     - `replyTellaskBack(replyContent)`: answers a teammate who asked you back.\n\
     Only ids of the team work as `targetAgentId`, never your own.",
);
const TELLASK_SIDE: Text = Text::english(
    "- `tellaskBack(tellaskContent)`: your asker; not a new tellask to the asker's id.\n\
     - `replyTellask(replyContent)`: delivers a session's request.\n\
     - `replyTellaskSessionless(replyContent)`: delivers a one-time request.\n\
     Use the one the assignment names, once; a reply without an open request fails.",
);

const RULES: Text = Text::english("Calling tools");
const RULES_BODY: Text = Text::english(
    "- Arguments are one JSON object, with the keys of the tool and no others.\n\
     - Calls of one round run side by side and do not see each other's results. What depends on \
     a result belongs in the next round.\n\
     - A failed result says why. Change something before you try again; after two failures of \
     the same kind, take another way.\n\
     - Long results are cut, and say so; ask for the part you need.\n\
     - Never claim that something was done, read or tested without a result that shows it.",
);

pub(super) fn own_state(facts: &Facts) -> Section {
    let mut parts = Vec::new();
    if facts.has_tool("add_reminder") {
        parts.push(facts.say(&REMINDERS));
    }
    if facts.has_tool("recall_taskdoc") {
        parts.push(facts.say(&RECALL));
    }
    (&OWN_STATE, (!parts.is_empty()).then(|| parts.join("\n\n")))
}

pub(super) fn offered(facts: &Facts) -> Section {
    if facts.tool_names.is_empty() {
        return (&OFFERED, None);
    }
    let names: Vec<String> = facts.tool_names.iter().map(|name| format!("`{name}`")).collect();
    let body = format!("{}.\n\n{}", names.join(", "), facts.say(&OFFERED_NOTE));
    (&OFFERED, Some(body))
}

pub(super) fn tellask(facts: &Facts) -> Section {
    let both = facts.say(&TELLASK_BOTH).to_owned();
    let body = match facts.role {
        DialogRole::Main => both,
        DialogRole::Side | DialogRole::FreshBoots => {
            format!("{both}\n\n{}", facts.say(&TELLASK_SIDE))
        }
    };
    (&TELLASK, Some(body))
}

pub(super) fn rules(facts: &Facts) -> Section {
    (&RULES, Some(facts.say(&RULES_BODY).to_owned()))
}
