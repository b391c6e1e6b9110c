//! Sections from the member's own files.

use super::input::{PromptInput, PromptSection};
use super::text::LocalizedText;

const PERSONA: LocalizedText = LocalizedText::both("Persona", "角色");
const KNOWHOW: LocalizedText = LocalizedText::both("Know-how", "经验");
const PITFALLS: LocalizedText = LocalizedText::both("Pitfalls", "教训");

pub(super) fn persona(facts: &PromptInput) -> PromptSection {
    (&PERSONA, facts.texts.persona.map(str::to_owned))
}

pub(super) fn knowhow(facts: &PromptInput) -> PromptSection {
    (&KNOWHOW, facts.texts.knowhow.map(str::to_owned))
}

pub(super) fn pitfalls(facts: &PromptInput) -> PromptSection {
    (&PITFALLS, facts.texts.pitfalls.map(str::to_owned))
}
