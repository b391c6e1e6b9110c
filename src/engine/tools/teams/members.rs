//! `define_member` and `save_skill`: changes by a team's lead for its team, except the root team, which is a person's.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::call::TeamCall;
use super::change::changed;
use crate::domain::AgentId;
use crate::domain::teams::org_change::{NewMember, NewSkill, OrgChange};
use crate::domain::text::Text;
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

const DEFINE: &str = "define_member";
const SAVE: &str = "save_skill";
/// Calls that ask a person before they act, if they have to.
pub(super) const NAMES: [&str; 2] = [DEFINE, SAVE];

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DefineArgs {
    id: String,
    name: Option<String>,
    gofor: Vec<String>,
    persona: String,
    toolsets: Option<Vec<String>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SaveArgs {
    member: Option<String>,
    name: String,
    description: String,
    body: String,
    allowed_tools: Option<Vec<String>>,
}

pub(super) fn define_member() -> Arc<dyn Tool> {
    typed::asynchronous(
        DEFINE,
        |lang| Text::of_document(include_str!("define_member.md")).in_lang(lang),
        async |cx: ToolCx, args: DefineArgs| {
            let of = |call: &TeamCall| {
                let clean = |text: String| call.cx.keys.redacted(text);
                Ok(OrgChange::DefineMember(NewMember {
                    id: args.id,
                    name: args.name.map(clean),
                    gofor: args.gofor.into_iter().map(clean).collect(),
                    persona: clean(args.persona),
                    toolsets: args.toolsets,
                    by: call.requester(),
                }))
            };
            changed(cx, DEFINE, of).await
        },
    )
}

pub(super) fn save_skill() -> Arc<dyn Tool> {
    typed::asynchronous(
        SAVE,
        |lang| Text::of_document(include_str!("save_skill.md")).in_lang(lang),
        async |cx: ToolCx, args: SaveArgs| {
            let of = |call: &TeamCall| {
                let clean = |text: String| call.cx.keys.redacted(text);
                let member = args.member.as_deref().map(|id| id.trim_start_matches('@'));
                Ok(OrgChange::SaveSkill(NewSkill {
                    member: member.map(AgentId::new),
                    name: args.name,
                    description: clean(args.description),
                    body: clean(args.body),
                    allowed_tools: args.allowed_tools.unwrap_or_default(),
                    by: call.requester(),
                }))
            };
            changed(cx, SAVE, of).await
        },
    )
}
