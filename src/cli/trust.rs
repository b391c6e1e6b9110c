//! `trust`: a person agrees that keys go to the addresses a workspace names, and to what its servers
//! do.

use std::io::{self, BufRead as _, IsTerminal as _};
use std::path::Path;

use crate::app::{Consent, Consents, ServerConsents};
use crate::minds::mcp_config::{McpFile, PATH as MCP_FILE};
use crate::minds::{LLM_FILE, Minds};
use crate::platform::env;

use super::exit::{CommandError, Status};
use super::lines;

/// Lists what waits for consent and asks for each, or takes `yes` for an answer to all.
pub fn trust(workspace: &Path, yes: bool) -> Result<Status, CommandError> {
    let consents = Consents::new(workspace, Consent::Recorded);
    let servers = ServerConsents::new(workspace, Consent::Recorded);
    let keys = consents.all_held(&Minds::load(workspace, env::work_language()));
    let acts = servers.all_held(&McpFile::load(workspace));
    if keys.is_empty() && acts.is_empty() {
        lines::say("nothing waits for your consent");
        return Ok(Status::Done);
    }
    let mut all_agreed = true;
    for key in &keys {
        lines::say(&format!("{} sends {} to {}", LLM_FILE, key.variable, key.address));
        if agrees(yes, key.can_be_shown())? {
            consents.agree(key).map_err(CommandError::invalid)?;
            lines::say("agreed");
        } else {
            all_agreed = false;
        }
    }
    for what in &acts {
        lines::say(&format!("{MCP_FILE}: server {} {}", what.server, what.act));
        if agrees(yes, what.can_be_shown())? {
            servers.agree(what).map_err(CommandError::invalid)?;
            lines::say("agreed");
        } else {
            all_agreed = false;
        }
    }
    Ok(if all_agreed { Status::Done } else { Status::Invalid })
}

fn agrees(yes: bool, shown: bool) -> Result<bool, CommandError> {
    if yes || !shown {
        return Ok(yes);
    }
    if !io::stdin().is_terminal() {
        let text =
            "nobody can be asked: this is no terminal; say --yes if you agree to all of this";
        return Err(CommandError::usage(text));
    }
    lines::remark("do you agree, on this machine? [y/N]");
    let mut answer = String::new();
    io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(|error| CommandError::usage(format!("reading standard input: {error}")))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
