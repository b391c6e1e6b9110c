//! The texts of members and of the environment: one file per kind and member, the first that exists wins,
//! a blank one counts as missing.

use std::collections::HashMap;
use std::path::Path;

use super::built_in_personas;
use super::report::unusable;
use super::untrusted_files::{self, FileContent};
use crate::domain::{AgentId, Lang, Problem, Team};

/// File names of a kind of text, the current one first.
type FileNames = &'static [&'static str];

const PERSONA: FileNames = &["persona"];
const KNOWHOW: FileNames = &["knowhow", "knowledge"];
const PITFALLS: FileNames = &["pitfalls", "lessons"];

/// The texts of one member; `None` if missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemberTexts<'a> {
    pub persona: Option<&'a str>,
    pub knowhow: Option<&'a str>,
    pub pitfalls: Option<&'a str>,
}

#[derive(Debug, Clone, Default)]
struct OwnedTexts {
    persona: Option<String>,
    knowhow: Option<String>,
    pitfalls: Option<String>,
}

/// All texts of a workspace.
#[derive(Debug, Clone, Default)]
pub(super) struct TeamTexts {
    by_member: HashMap<AgentId, OwnedTexts>,
    environment: Option<String>,
}

impl TeamTexts {
    pub(super) fn load(
        workspace: &Path,
        lang: Lang,
        team: &Team,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let mut find =
            |folder: &str, names: FileNames| read_first(workspace, folder, names, lang, problems);
        let environment = find(".minds", &["env"]);
        let mut by_member = HashMap::new();
        for member in &team.members {
            let folder = format!(".minds/team/{}", member.id);
            let built_in =
                built_in_personas::built_in(&member.id).map(|text| text.in_lang(lang).to_owned());
            let texts = OwnedTexts {
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

/// Tries `name.<lang>.md`, then `name.md`, for each name.
fn read_first(
    workspace: &Path,
    folder: &str,
    names: FileNames,
    lang: Lang,
    problems: &mut Vec<Problem>,
) -> Option<String> {
    for name in names {
        for file in [format!("{name}.{}.md", lang.code()), format!("{name}.md")] {
            let path = format!("{folder}/{file}");
            match untrusted_files::read(workspace, &path, untrusted_files::TEXT_LIMIT_BYTES) {
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
