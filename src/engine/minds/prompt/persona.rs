//! Sections from the member's own files.

use super::input::{PromptInput, PromptSection};
use crate::domain::text::Text;

const PERSONA: Text = Text::new("Persona", "角色");
const KNOWHOW: Text = Text::new("Know-how", "经验");
const PITFALLS: Text = Text::new("Pitfalls", "教训");

pub(super) fn persona(facts: &PromptInput) -> PromptSection {
    (&PERSONA, facts.texts.persona.map(str::to_owned))
}

pub(super) fn knowhow(facts: &PromptInput) -> PromptSection {
    (&KNOWHOW, facts.texts.knowhow.map(str::to_owned))
}

pub(super) fn pitfalls(facts: &PromptInput) -> PromptSection {
    (&PITFALLS, facts.texts.pitfalls.map(str::to_owned))
}
