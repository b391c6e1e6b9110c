//! The system prompt: sections in a fixed order, each a small function of `PromptInput`.
//!
//! The same input gives the same bytes: no time, no counter, nothing that changes within a course, so
//! that providers can cache it. Every text is a `Text`.

mod autonomy;
mod collaboration;
mod directory;
mod input;
mod opening;
mod persona;
mod policy;
mod reasoning;
mod skills;
mod teams;
#[cfg(test)]
mod tests;
mod tools;
mod workspace;

pub use input::DialogRole;
pub(super) use input::PromptInput;
pub(super) use skills::skill_text;

use input::PromptSection;

pub(super) fn build(facts: &PromptInput) -> String {
    let mut sections: Vec<PromptSection> = vec![
        opening::identity(facts),
        opening::language(facts),
        opening::messages(facts),
        opening::priority(facts),
        opening::words(facts),
        persona::persona(facts),
        persona::knowhow(facts),
        persona::pitfalls(facts),
        skills::skills(facts),
        workspace::environment(facts),
    ];
    match facts.role {
        DialogRole::Main | DialogRole::Side => sections.extend([
            directory::questions(facts),
            directory::team(facts),
            teams::teams(facts),
            teams::memory(facts),
            policy::policy(facts),
            autonomy::autonomy(facts),
            collaboration::protocol(facts),
            reasoning::guide(facts),
            tools::state_tools(facts),
            tools::offered(facts),
            tools::manuals(facts),
            tools::tellask(facts),
            tools::rules(facts),
        ]),
        DialogRole::FreshBoots => sections.push(reasoning::body(facts)),
    }
    let rendered = sections.into_iter().filter_map(|(title, body)| {
        body.map(|body| format!("# {}\n\n{}\n", facts.text(title), body.trim()))
    });
    rendered.collect::<Vec<_>>().join("\n")
}
