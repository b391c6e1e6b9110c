//! The input of the sections of a prompt, and the type of a section.

use std::sync::Arc;

use crate::domain::asking::autonomy::MemberAutonomy;
use crate::domain::teams::org::Org;
use crate::domain::text::Text;
use crate::domain::{Lang, Member, Team};
use crate::minds::skills::Skill;
use crate::minds::texts::MemberTexts;

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
pub(in crate::minds) struct PromptInput<'a> {
    pub lang: Lang,
    pub member: &'a Member,
    pub team: &'a Team,
    pub texts: MemberTexts<'a>,
    pub skills: &'a [Arc<Skill>],
    pub environment: Option<&'a str>,
    /// What the member decides alone.
    pub autonomy: &'a MemberAutonomy,
    pub org: &'a Org,
    /// There is a `hive.yaml`: leads can make teams.
    pub has_hive_file: bool,
    pub role: DialogRole,
    pub tool_names: &'a [String],
    /// What the team of the member remembers.
    pub memory: Option<&'a str>,
}

impl PromptInput<'_> {
    pub(super) fn text(&self, text: &Text) -> &'static str {
        text.in_lang(self.lang)
    }

    pub(super) fn has_tool(&self, name: &str) -> bool {
        self.tool_names.iter().any(|tool| tool == name)
    }
}

/// A heading and its body; a section without a body is left out.
pub(super) type PromptSection = (&'static Text, Option<String>);
