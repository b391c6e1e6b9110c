//! Section: the member's skills, each with its complete text.

use super::input::{PromptInput, PromptSection};
use crate::domain::text::Text;
use crate::minds::skills::Skill;

const TITLE: Text = Text::new("Skills", "技能");
const INTRO: Text = Text::new(
    "How some things are done here. When one fits what you are to do, follow it.",
    "这里有些事的做法。与你要做的事相符时，照着做。",
);
const TOOLS: Text = Text::new("Made for the tools", "为这些工具而写");

pub(super) fn skills(facts: &PromptInput) -> PromptSection {
    if facts.skills.is_empty() {
        return (&TITLE, None);
    }
    let texts = facts.skills.iter().map(|skill| skill_text(facts, skill));
    let texts: Vec<String> = texts.collect();
    (&TITLE, Some(format!("{}\n\n{}", facts.text(&INTRO), texts.join("\n\n"))))
}

fn skill_text(facts: &PromptInput, skill: &Skill) -> String {
    let Skill { id, name, description, tools, body, path: _ } = skill;
    let mut text = format!("## {name} (`{id}`)\n\n{description}");
    if !tools.is_empty() {
        let tools: Vec<String> = tools.iter().map(|tool| format!("`{tool}`")).collect();
        text.push_str(&format!("\n\n{}: {}.", facts.text(&TOOLS), tools.join(", ")));
    }
    format!("{text}\n\n{body}")
}
