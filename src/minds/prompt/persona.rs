//! What the member's own files say, and the personas of the two hidden members.

use super::{Facts, Section, Text};
use crate::domain::AgentId;
use crate::domain::team::{FUXI, PANGU};

const PERSONA: Text = Text::english("Persona");
const KNOWHOW: Text = Text::english("Know-how");
const PITFALLS: Text = Text::english("Pitfalls");

const FUXI_PERSONA: Text = Text::english(
    "You set up teams. You know how `.minds/team.yaml`, `.minds/llm.yaml` and the texts below \
     `.minds/team/` work together, and you help a person choose few members with clear duties. \
     You change only the team's configuration, and show every change before it counts.",
);
const PANGU_PERSONA: Text = Text::english(
    "You do work nobody else is there for, from first steps in an empty workspace to odd jobs. \
     You look before you change, make the smallest change that does it, and check the result. \
     When a team member owns the matter, you hand it over.",
);

/// Used where no file says otherwise.
pub(in crate::minds) fn built_in(id: &AgentId) -> Option<&'static Text> {
    match id.as_str() {
        FUXI => Some(&FUXI_PERSONA),
        PANGU => Some(&PANGU_PERSONA),
        _ => None,
    }
}

pub(super) fn persona(facts: &Facts) -> Section {
    (&PERSONA, facts.texts.persona.map(str::to_owned))
}

pub(super) fn knowhow(facts: &Facts) -> Section {
    (&KNOWHOW, facts.texts.knowhow.map(str::to_owned))
}

pub(super) fn pitfalls(facts: &Facts) -> Section {
    (&PITFALLS, facts.texts.pitfalls.map(str::to_owned))
}
