//! What members are told about themselves and their surroundings: one file per kind and member, the
//! first that exists wins, a blank one counts as none.

use std::collections::HashMap;
use std::path::Path;

use super::files::{self, FileContent};
use super::prompt::persona;
use super::unusable;
use crate::domain::{AgentId, Lang, Problem, Team};

/// Names of a kind of text, the present one first.
type Names = &'static [&'static str];

const PERSONA: Names = &["persona"];
const KNOWHOW: Names = &["knowhow", "knowledge"];
const PITFALLS: Names = &["pitfalls", "lessons"];

/// The texts of one member; `None` where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemberTexts<'a> {
    pub persona: Option<&'a str>,
    pub knowhow: Option<&'a str>,
    pub pitfalls: Option<&'a str>,
}

#[derive(Debug, Clone, Default)]
struct Owned {
    persona: Option<String>,
    knowhow: Option<String>,
    pitfalls: Option<String>,
}

/// All texts of a workspace.
#[derive(Debug, Clone, Default)]
pub(super) struct Texts {
    by_member: HashMap<AgentId, Owned>,
    environment: Option<String>,
}

impl Texts {
    pub(super) fn load(
        workspace: &Path,
        lang: Lang,
        team: &Team,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let mut find = |folder: &str, names: Names| first(workspace, folder, names, lang, problems);
        let environment = find(".minds", &["env"]);
        let mut by_member = HashMap::new();
        for member in &team.members {
            let folder = format!(".minds/team/{}", member.id);
            let built_in = persona::built_in(&member.id).map(|text| text.of(lang).to_owned());
            let texts = Owned {
                persona: find(&folder, PERSONA).or(built_in),
                knowhow: find(&folder, KNOWHOW),
                pitfalls: find(&folder, PITFALLS),
            };
            by_member.insert(member.id.clone(), texts);
        }
        Self { by_member, environment }
    }

    pub(super) fn of(&self, id: &AgentId) -> MemberTexts<'_> {
        self.by_member.get(id).map_or_else(MemberTexts::default, |texts| MemberTexts {
            persona: texts.persona.as_deref(),
            knowhow: texts.knowhow.as_deref(),
            pitfalls: texts.pitfalls.as_deref(),
        })
    }

    pub(super) fn environment(&self) -> Option<&str> {
        self.environment.as_deref()
    }
}

/// `name.<lang>.md`, then `name.md`, for each name in turn.
fn first(
    workspace: &Path,
    folder: &str,
    names: Names,
    lang: Lang,
    problems: &mut Vec<Problem>,
) -> Option<String> {
    for name in names {
        for file in [format!("{name}.{}.md", lang.code()), format!("{name}.md")] {
            let path = format!("{folder}/{file}");
            match files::read(workspace, &path, files::TEXT_LIMIT_BYTES) {
                FileContent::Text(text) => {
                    let text = text.trim();
                    return (!text.is_empty()).then(|| text.to_owned());
                }
                FileContent::Missing => {}
                FileContent::Unusable(reason) => {
                    problems.push(unusable(&path, &reason));
                    return None;
                }
            }
        }
    }
    None
}
