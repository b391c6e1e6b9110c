//! The eight tools as they present themselves: names, arguments, texts.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::work::{Act, Job};
use crate::domain::memory::MemoryOwner;
use crate::tools::args::Args;
use crate::tools::outcome::ToolOutcome;
use crate::tools::tool::{Description, Tool, ToolCx, ToolSpec, half, interrupted};

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
    job: Job,
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
    let own = PERSONAL.into_iter().zip(acts());
    let own = own.map(|(name, (act, text, _))| tool(name, MemoryOwner::Member, act, text));
    let team = TEAM.into_iter().zip(acts());
    let team = team.map(|(name, (act, _, text))| tool(name, MemoryOwner::Team, act, text));
    own.chain(team).collect()
}

/// In the order of [`PERSONAL`] and [`TEAM`]: what is done, and how it is told to a model.
fn acts() -> [(Act, Description, Description); 4] {
    let own = Description::Own;
    [
        (
            Act::Add,
            own(|lang| half(lang, include_str!("add_personal.md"))),
            own(|lang| half(lang, include_str!("add_team.md"))),
        ),
        (
            Act::Drop,
            own(|lang| half(lang, include_str!("drop_personal.md"))),
            own(|lang| half(lang, include_str!("drop_team.md"))),
        ),
        (
            Act::Replace,
            own(|lang| half(lang, include_str!("replace_personal.md"))),
            own(|lang| half(lang, include_str!("replace_team.md"))),
        ),
        (
            Act::Clear,
            own(|lang| half(lang, include_str!("clear_personal.md"))),
            own(|lang| half(lang, include_str!("clear_team.md"))),
        ),
    ]
}

fn tool(
    name: &'static str,
    keeper: MemoryOwner,
    act: Act,
    description: Description,
) -> Arc<dyn Tool> {
    let spec = ToolSpec { name: name.into(), description, parameters: parameters(act) };
    Arc::new(MemoryTool { spec, job: Job { name, keeper, act } })
}

fn parameters(act: Act) -> Value {
    let text = json!({"type": "string"});
    let (properties, required) = match act {
        Act::Add | Act::Replace => {
            (json!({"path": text, "content": text}), json!(["path", "content"]))
        }
        Act::Drop => (json!({"path": text}), json!(["path"])),
        Act::Clear => (json!({}), json!([])),
    };
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false
    })
}
