//! The eight tools as they present themselves: names, arguments, texts.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::work::{MemoryAction, MemoryJob};
use crate::domain::memory::MemoryOwner;
use crate::tools::args::Args;
use crate::tools::outcome::ToolOutcome;
use crate::tools::tool::{Description, Tool, ToolCx, ToolSpec, interrupted, localized};

/// Tools for the member's own memories.
pub(in crate::tools) const PERSONAL: [&str; 4] = [
    "add_personal_memory",
    "drop_personal_memory",
    "replace_personal_memory",
    "clear_personal_memory",
];

/// Tools for the memories of the team.
pub(in crate::tools) const TEAM: [&str; 4] =
    ["add_team_memory", "drop_team_memory", "replace_team_memory", "clear_team_memory"];

/// One of the tools.
#[derive(Debug)]
struct MemoryTool {
    spec: ToolSpec,
    job: MemoryJob,
}

impl Tool for MemoryTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, cx: ToolCx, args: Args) -> BoxFuture<'static, ToolOutcome> {
        let (job, lang) = (self.job, cx.lang);
        Box::pin(async move {
            let done = tokio::task::spawn_blocking(move || job.run(&cx, &args)).await;
            done.unwrap_or_else(|_| ToolOutcome::failed(interrupted(lang)))
        })
    }
}

/// All of them: first those for the member's own memories, then those for the team's.
pub(in crate::tools) fn tools() -> Vec<Arc<dyn Tool>> {
    let own = PERSONAL.into_iter().zip(actions());
    let own = own.map(|(name, (act, text, _))| tool(name, MemoryOwner::Member, act, text));
    let team = TEAM.into_iter().zip(actions());
    let team = team.map(|(name, (act, _, text))| tool(name, MemoryOwner::Team, act, text));
    own.chain(team).collect()
}

/// In the order of [`PERSONAL`] and [`TEAM`]: what is done, and how it is told to a model.
fn actions() -> [(MemoryAction, Description, Description); 4] {
    let own = Description::Own;
    [
        (
            MemoryAction::Add,
            own(|lang| localized(lang, include_str!("add_personal.md"))),
            own(|lang| localized(lang, include_str!("add_team.md"))),
        ),
        (
            MemoryAction::Drop,
            own(|lang| localized(lang, include_str!("drop_personal.md"))),
            own(|lang| localized(lang, include_str!("drop_team.md"))),
        ),
        (
            MemoryAction::Replace,
            own(|lang| localized(lang, include_str!("replace_personal.md"))),
            own(|lang| localized(lang, include_str!("replace_team.md"))),
        ),
        (
            MemoryAction::Clear,
            own(|lang| localized(lang, include_str!("clear_personal.md"))),
            own(|lang| localized(lang, include_str!("clear_team.md"))),
        ),
    ]
}

fn tool(
    name: &'static str,
    owner: MemoryOwner,
    action: MemoryAction,
    description: Description,
) -> Arc<dyn Tool> {
    let spec = ToolSpec { name: name.into(), description, parameters: parameters(action) };
    Arc::new(MemoryTool { spec, job: MemoryJob { name, owner, action } })
}

fn parameters(act: MemoryAction) -> Value {
    let text = json!({"type": "string"});
    let (properties, required) = match act {
        MemoryAction::Add | MemoryAction::Replace => {
            (json!({"path": text, "content": text}), json!(["path", "content"]))
        }
        MemoryAction::Drop => (json!({"path": text}), json!(["path"])),
        MemoryAction::Clear => (json!({}), json!([])),
    };
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false
    })
}
