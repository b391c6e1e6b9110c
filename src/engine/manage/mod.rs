//! The toolset `team_mgmt`: sets up the team in `.minds/`, the one place that all other tools are kept
//! out of. Only these tools write there, and only there.
//!
//! A configuration file that could not be read is never written; one with findings is written, and the
//! result lists them. File work is done by the tools for files, given `.minds/` as their workspace.

mod checks;
mod context;
mod minds_files;
mod problems;
mod providers;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::domain::text::Text;
use crate::domain::{Lang, Problems};
use crate::tools::typed::{self, ToolArgs, ToolName, reads};
use crate::tools::{NameTaken, Registry, Tool, ToolCx, ToolOutcome};

pub use context::{EnvReader, ManageContext, PendingConsent};

const TOOLSET: &str = "team_mgmt";

/// Adds the toolset; to be called when all other tools are there. `foreign`: names of tools and
/// toolsets that others add later.
///
/// # Errors
/// A name is taken.
pub fn add_to(
    registry: &mut Registry,
    env: &'static EnvReader,
    problems: Arc<Problems>,
    waiting: PendingConsent,
    external: &[&str],
) -> Result<(), NameTaken> {
    let own = registry.names().into_iter().chain([TOOLSET]).chain(TOOL_NAMES);
    let names = own.chain(external.iter().copied());
    let known = ManageContext {
        env,
        problems,
        pending_consent: waiting,
        names: names.map(str::to_owned).collect(),
    };
    let tools = minds_files::tools(&known).into_iter().chain(own_tools(&known));
    for tool in tools.collect::<Vec<_>>() {
        registry.add(TOOLSET, tool)?;
    }
    Ok(())
}

const TOOL_NAMES: [&str; 12] = [
    "team_mgmt_list_dir",
    "team_mgmt_read_file",
    "team_mgmt_create_new_file",
    "team_mgmt_overwrite_entire_file",
    "team_mgmt_check_provider",
    "team_mgmt_list_providers",
    "team_mgmt_list_models",
    "team_mgmt_validate_team_cfg",
    "team_mgmt_validate_mcp_cfg",
    "team_mgmt_validate_priming_scripts",
    "team_mgmt_list_problems",
    "team_mgmt_clear_problems",
];

/// A tool that looks things up and answers.
fn lookup<A: ToolArgs + Sync>(
    known: &ManageContext,
    name: ToolName,
    text: fn(Lang) -> &'static str,
    work: fn(&ManageContext, &ToolCx, &A) -> ToolOutcome,
) -> Arc<dyn Tool> {
    let known = known.clone();
    typed::blocking(name, text, move |cx, args| work(&known, cx, args))
}

fn own_tools(known: &ManageContext) -> Vec<Arc<dyn Tool>> {
    macro_rules! lookup {
        ($named:expr, $name:literal, $work:expr) => {
            lookup(
                known,
                $named(concat!("team_mgmt_", $name)),
                |lang| Text::of_document(include_str!(concat!($name, ".md"))).in_lang(lang),
                $work,
            )
        };
    }
    vec![
        lookup!(reads, "check_provider", providers::check),
        lookup!(reads, "list_providers", providers::list),
        lookup!(reads, "list_models", providers::models),
        lookup!(reads, "validate_team_cfg", checks::check_team),
        lookup!(reads, "validate_mcp_cfg", checks::check_mcp),
        lookup!(reads, "validate_priming_scripts", checks::check_priming),
        lookup!(reads, "list_problems", problems::list),
        lookup!(ToolName::from, "clear_problems", problems::clear),
    ]
}
