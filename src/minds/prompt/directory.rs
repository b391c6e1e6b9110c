//! Whom the member can ask: people first, then every visible teammate by id.

use super::{Facts, Section, Text};
use crate::domain::Member;

const QUESTIONS: Text = Text::english("Asking a person");
const QUESTIONS_BODY: Text = Text::english(
    "Use `askHuman` when only a person can decide: the goal itself, money, credentials, what \
     cannot be undone, a contradiction. Do not ask what you can find out, and do not report \
     progress with it.\n\
     - One question per round: two `askHuman` calls in a round are both refused. Put several \
     points into one.\n\
     - The reader may see nothing but the question. Begin with a line that says what you need; \
     then the facts, the options and the one you recommend.\n\
     - You are stopped until the answer comes; finish first what does not depend on it.",
);

const TEAM: Text = Text::english("Team");
const ALONE: Text = Text::english("There are no teammates.");
const YOU: Text = Text::english("you");
const ASK_FOR: Text = Text::english("ask for");
const NOT_FOR: Text = Text::english("not for");

pub(super) fn questions(facts: &Facts) -> Section {
    (&QUESTIONS, Some(facts.say(&QUESTIONS_BODY).to_owned()))
}

pub(super) fn team(facts: &Facts) -> Section {
    let entries: Vec<String> = facts.team.visible().map(|member| entry(facts, member)).collect();
    let body = if entries.is_empty() { facts.say(&ALONE).to_owned() } else { entries.join("\n") };
    (&TEAM, Some(body))
}

fn entry(facts: &Facts, member: &Member) -> String {
    let mut text = format!("- `{}` ({})", member.id, member.name);
    if member.id == facts.member.id {
        text.push_str(&format!(" – {}", facts.say(&YOU)));
    }
    for (label, lines) in [(&ASK_FOR, &member.gofor), (&NOT_FOR, &member.nogo)] {
        if !lines.is_empty() {
            text.push_str(&format!("\n  - {}: {}", facts.say(label), lines.join("; ")));
        }
    }
    text
}
