//! The skills of the member, each with its whole text.

use super::{Facts, Section, Text};
use crate::minds::skills::Skill;

const TITLE: Text = Text::both("Skills", "技能");
const INTRO: Text = Text::both(
    "How some things are done here. When one fits what you are to do, follow it.",
    "这里有些事的做法。与你要做的事相符时，照着做。",
);
const TOOLS: Text = Text::both("Made for the tools", "为这些工具而写");

pub(super) fn skills(facts: &Facts) -> Section {
    if facts.skills.is_empty() {
        return (&TITLE, None);
    }
    let texts = facts.skills.iter().map(|skill| one(facts, skill));
    let texts: Vec<String> = texts.collect();
    (&TITLE, Some(format!("{}\n\n{}", facts.say(&INTRO), texts.join("\n\n"))))
}

fn one(facts: &Facts, skill: &Skill) -> String {
    let Skill { id, name, description, tools, body, path: _ } = skill;
    let mut text = format!("## {name} (`{id}`)\n\n{description}");
    if !tools.is_empty() {
        let tools: Vec<String> = tools.iter().map(|tool| format!("`{tool}`")).collect();
        text.push_str(&format!("\n\n{}: {}.", facts.say(&TOOLS), tools.join(", ")));
    }
    format!("{text}\n\n{body}")
}
