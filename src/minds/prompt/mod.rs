//! The system prompt: sections in a fixed order, each a small function of [`PromptInput`].
//!
//! The same input gives the same bytes: no time, no counter, nothing that changes within a course, so
//! that providers can cache it. Every text is a [`LocalizedText`].

mod collaboration;
mod directory;
mod opening;
pub(super) mod persona;
mod policy;
mod reasoning;
mod skills;
#[cfg(test)]
mod tests;
mod text;
mod tools;
mod workspace;

pub(crate) use text::LocalizedText;

use std::sync::Arc;

use super::skills::Skill;
use super::texts::MemberTexts;
use crate::domain::{Lang, Member, Team};

/// The kind of dialog the prompt is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DialogRole {
    /// The user talks with the member.
    Main,
    /// A teammate asked the member.
    Side,
    /// The member asked itself: fresh-boots reasoning, without tools.
    FreshBoots,
}

/// The input of all sections.
#[derive(Debug, Clone, Copy)]
pub(super) struct PromptInput<'a> {
    pub lang: Lang,
    pub member: &'a Member,
    pub team: &'a Team,
    pub texts: MemberTexts<'a>,
    pub skills: &'a [Arc<Skill>],
    pub environment: Option<&'a str>,
    pub role: DialogRole,
    pub tool_names: &'a [String],
}

impl PromptInput<'_> {
    fn text(&self, text: &LocalizedText) -> &'static str {
        text.in_lang(self.lang)
    }

    fn has_tool(&self, name: &str) -> bool {
        self.tool_names.iter().any(|tool| tool == name)
    }
}

/// A heading and its body; a section without a body is left out.
type PromptSection = (&'static LocalizedText, Option<String>);

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
            policy::policy(facts),
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
