//! `trust`: a person agrees that keys go to the addresses a workspace names.

use std::io::{self, BufRead as _, IsTerminal as _};
use std::path::Path;

use crate::app::{Consent, Consents};
use crate::domain::trust::KeyUse;
use crate::minds::{LLM_FILE, Minds};
use crate::platform::env;

use super::exit::{Refusal, Status};
use super::lines;

/// Lists what waits for consent and asks for each, or takes `yes` for an answer to all.
pub fn trust(workspace: &Path, yes: bool) -> Result<Status, Refusal> {
    let consents = Consents::new(workspace, Consent::Recorded);
    let held = consents.all_held(&Minds::load(workspace, env::work_language()));
    if held.is_empty() {
        lines::say("no key waits for your consent");
        return Ok(Status::Done);
    }
    let mut all_agreed = true;
    for key in &held {
        lines::say(&format!("{} sends {} to {}", LLM_FILE, key.variable, key.address));
        if yes || asked(key)? {
            consents.agree(key).map_err(Refusal::invalid)?;
            lines::say("agreed");
        } else {
            all_agreed = false;
        }
    }
    Ok(if all_agreed { Status::Done } else { Status::Invalid })
}

fn asked(key: &KeyUse) -> Result<bool, Refusal> {
    if !key.can_be_shown() {
        return Ok(false);
    }
    if !io::stdin().is_terminal() {
        let text =
            "nobody can be asked: this is no terminal; say --yes if you agree to all of this";
        return Err(Refusal::usage(text));
    }
    lines::remark("do you agree, on this machine? [y/N]");
    let mut answer = String::new();
    io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(|error| Refusal::usage(format!("reading standard input: {error}")))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
