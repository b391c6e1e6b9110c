//! The two hidden members every team has: `fuxi` sets up the team, `pangu` does anything else.
//! They use the model settings of `member_defaults`; their tools and limits are their own. If the file
//! does not set their tools, they have no more access than the member that asks them.

use serde_json::{Map, Value};

use super::build;
use super::spec::MemberSpec;
use crate::domain::models::team::{FUXI, PANGU};
use crate::domain::{AgentId, Member};
use crate::minds::report::ProblemReport;

const TEAM_TOOLS: &str = "team_mgmt";

pub(super) fn is_shadow(id: &str) -> bool {
    matches!(id, FUXI | PANGU)
}

/// Both, merged with their entries in the file.
pub(super) fn members(
    entries: &Map<String, Value>,
    defaults: &MemberSpec,
    report: &mut ProblemReport,
) -> Vec<Member> {
    [(FUXI, fuxi(defaults)), (PANGU, pangu(defaults))]
        .into_iter()
        .map(|(id, base)| {
            let name = base.name.clone();
            let entry = entries.get(id);
            let own = entry.and_then(|value| MemberSpec::read_member(id, value, report));
            let own = own.unwrap_or_default();
            let lent = own.toolsets.is_none() && own.tools.is_none();
            let mut spec = own.over(&base);
            spec.name = spec.name.or(name);
            if id == FUXI {
                keep_team_tools(&mut spec);
            }
            Member { lent, ..build::member(&AgentId::new(id), spec) }
        })
        .collect()
}

fn base(defaults: &MemberSpec) -> MemberSpec {
    MemberSpec {
        provider: defaults.provider.clone(),
        model: defaults.model.clone(),
        params: defaults.params.clone(),
        fbr_params: defaults.fbr_params.clone(),
        fbr_effort: defaults.fbr_effort,
        streaming: defaults.streaming,
        diligence_push_max: Some(0),
        hidden: Some(true),
        ..MemberSpec::default()
    }
}

fn fuxi(defaults: &MemberSpec) -> MemberSpec {
    MemberSpec {
        name: Some("Fuxi".to_owned()),
        gofor: Some(vec!["setting up the team and its models".to_owned()]),
        toolsets: Some(vec![TEAM_TOOLS.to_owned()]),
        ..base(defaults)
    }
}

fn pangu(defaults: &MemberSpec) -> MemberSpec {
    let mut spec = MemberSpec {
        name: Some("Pangu".to_owned()),
        gofor: Some(vec!["any work that no other member is there for".to_owned()]),
        toolsets: Some(vec!["*".to_owned(), format!("!{TEAM_TOOLS}")]),
        ..base(defaults)
    };
    for key in ["no_read_dirs", "no_write_dirs"] {
        spec.access.insert(key, vec![".minds/**".to_owned()]);
    }
    spec
}

fn keep_team_tools(spec: &mut MemberSpec) {
    let toolsets = spec.toolsets.get_or_insert_default();
    if !toolsets.iter().any(|name| name == TEAM_TOOLS) {
        toolsets.push(TEAM_TOOLS.to_owned());
    }
}
