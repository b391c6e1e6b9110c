//! Section: the member's skills, each with its complete text while they are short together, else only described.

use std::sync::Arc;

use super::input::{PromptInput, PromptSection};
use crate::domain::Lang;
use crate::domain::text::Text;
use crate::minds::skills::{Skill, are_whole};

/// A description is cut to this many characters, where the skill is only described.
const MAX_DESCRIPTION_CHARS: usize = 300;
/// Most skills that are described.
const MAX_LINES: usize = 100;

const TITLE: Text = Text::new("Skills", "技能");
const INTRO: Text = Text::new(
    "How some things are done here. When one fits what you are to do, follow it.",
    "这里有些事的做法。与你要做的事相符时，照着做。",
);
const DESCRIBED: Text = Text::new(
    "How some things are done here. When one fits what you are to do, read it with `read_skill` and its id, then \
     follow it.",
    "这里有些事的做法。与你要做的事相符时，先用 `read_skill` 和它的 id 读取，再照着做。",
);
const TOOLS: Text = Text::new("Made for the tools", "为这些工具而写");

pub(super) fn skills(facts: &PromptInput) -> PromptSection {
    if facts.skills.is_empty() {
        return (&TITLE, None);
    }
    let (intro, texts) = if are_whole(facts.skills) {
        let texts = facts.skills.iter().map(|skill| skill_text(skill, facts.lang));
        (&INTRO, texts.collect::<Vec<_>>().join("\n\n"))
    } else {
        (&DESCRIBED, described(facts.skills))
    };
    (&TITLE, Some(format!("{}\n\n{texts}", facts.text(intro))))
}

/// A line for each; the last one counts those that are not described.
fn described(skills: &[Arc<Skill>]) -> String {
    let lines = skills.iter().take(MAX_LINES).map(|skill| {
        let description: String = skill.description.chars().take(MAX_DESCRIPTION_CHARS).collect();
        format!("- `{}`: {description}", skill.id)
    });
    let more = skills.len().saturating_sub(MAX_LINES);
    let rest = (more > 0).then(|| format!("- … +{more}"));
    lines.chain(rest).collect::<Vec<_>>().join("\n")
}

/// The whole skill.
pub(in crate::minds) fn skill_text(skill: &Skill, lang: Lang) -> String {
    let Skill { id, name, description, tools, body, path: _ } = skill;
    let mut text = format!("## {name} (`{id}`)\n\n{description}");
    if !tools.is_empty() {
        let tools: Vec<String> = tools.iter().map(|tool| format!("`{tool}`")).collect();
        text.push_str(&format!("\n\n{}: {}.", TOOLS.in_lang(lang), tools.join(", ")));
    }
    format!("{text}\n\n{body}")
}
