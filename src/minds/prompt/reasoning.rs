//! Fresh-boots reasoning: when to ask for it, and how to do it.

use super::{Facts, Section, Text};

const TITLE: Text = Text::english("Fresh-boots reasoning (FBR)");

const GUIDE: Text = Text::english(
    "`freshBootsReasoning` puts one question to you anew, without tools and without this dialog. \
     Use it for a hard decision, a plan's blind spots, or when you go in circles; not for facts \
     that a tool can tell. Put everything it needs into the question. What comes back is advice, \
     checked by nobody.",
);
const OFF: Text = Text::english("It is switched off for you; do not call it.");

const BODY: Text = Text::english(
    "- You have no tools: you cannot read, search, run, ask or hand on anything. Do not pretend \
     that you did. A call is refused, unless the program's prompt offers a tool to conclude \
     with.\n\
     - Reason only from what is in front of you. If something decisive is missing, list exactly \
     what, say what would follow from each possibility, and return.\n\
     - Follow the prompt of each round: first spread out, with angles that differ in kind; then \
     narrow down and attack your own favourite; then conclude.\n\
     - Tell what is known from what is assumed.",
);

pub(super) fn guide(facts: &Facts) -> Section {
    let text = if facts.member.fbr_effort == 0 { OFF } else { GUIDE };
    (&TITLE, Some(facts.say(&text).to_owned()))
}

pub(super) fn body(facts: &Facts) -> Section {
    (&TITLE, Some(facts.say(&BODY).to_owned()))
}
