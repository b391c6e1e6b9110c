//! Builds a [`Member`] from an entry with its defaults.

use super::access;
use super::spec::MemberSpec;
use crate::domain::{AgentId, Member, ShellRight};

/// As in Dominds 1.19.2.
const DEFAULT_FBR_EFFORT: u8 = 3;
const DEFAULT_DILIGENCE_PUSH_MAX: u32 = 3;

pub(super) fn member(id: &AgentId, spec: MemberSpec) -> Member {
    let params = spec.params.unwrap_or_default();
    let hidden = spec.hidden.unwrap_or(false);
    Member {
        id: id.clone(),
        name: spec.name.unwrap_or_else(|| id.as_str().to_owned()),
        icon: spec.icon,
        gofor: spec.gofor.unwrap_or_default(),
        nogo: spec.nogo.unwrap_or_default(),
        provider: spec.provider,
        model: spec.model,
        toolsets: spec.toolsets.unwrap_or_default(),
        tools: spec.tools.unwrap_or_default(),
        fbr_params: spec.fbr_params.unwrap_or_default().over(&params),
        params,
        fbr_effort: spec.fbr_effort.unwrap_or(DEFAULT_FBR_EFFORT),
        diligence_push_max: spec.diligence_push_max.unwrap_or(DEFAULT_DILIGENCE_PUSH_MAX),
        streaming: spec.streaming.unwrap_or(true),
        hidden,
        shell: ShellRight::No,
        lent: false,
        access: access::lists(spec.access),
    }
}
