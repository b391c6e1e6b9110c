//! `trust`: asks for consent to the configuration of a workspace.

use std::io::{self, IsTerminal as _};
use std::path::Path;

use crate::consent::Trust;
use crate::domain::safety::trust::{TrustKind, Unagreed};
use crate::protocol::Command;
use crate::protocol::wire::Audience;
use crate::remote::Leaving;

use crate::cli::exit::{CommandError, Status};
use crate::cli::output;
use crate::cli::running::other_driver::{self, TICKET};

/// Lists the entries that wait for consent and asks once, unless `yes`.
pub async fn trust(workspace: &Path, yes: bool) -> Result<Status, CommandError> {
    let trust = Trust::recorded(workspace);
    let waiting = trust.waiting();
    if waiting.is_empty() {
        output::print("nothing waits for your consent");
        return Ok(Status::Done);
    }
    for unagreed in &waiting {
        output::print(&line(unagreed));
    }
    if !yes && !ask_consent()? {
        output::print("nothing was agreed to");
        return Ok(Status::Invalid);
    }
    // Only the entries that were shown.
    let digests: Vec<String> = waiting.into_iter().map(|one| one.entry.digest).collect();
    // A driver that runs goes on with what waited for this.
    let hello = other_driver::hello(Audience::Script);
    match other_driver::find(workspace, hello, Leaving::DriverStays).await? {
        Some(driver) => {
            other_driver::ask(driver, Command::Agree { ticket: TICKET, digests, level: None })
                .await?;
        }
        None => trust.agree(&digests).map_err(|error| CommandError::invalid(error.to_string()))?,
    }
    output::print("agreed");
    Ok(Status::Done)
}

/// An entry in one line.
pub fn line(unagreed: &Unagreed) -> String {
    let entry = &unagreed.entry;
    if entry.kind == TrustKind::Tool && !entry.can_be_shown() {
        let (kind, name) = (entry.kind.name(), &entry.name);
        return format!(
            "{kind} {name}: described at too great length to be agreed to; it stays missing"
        );
    }
    match &unagreed.before {
        None => entry.to_string(),
        Some(_) if unagreed.is_masked_change() => {
            format!("{entry} (a value that is not shown has changed since you agreed)")
        }
        Some(before) => format!("{entry} (you agreed to: {before})"),
    }
}

fn ask_consent() -> Result<bool, CommandError> {
    if !io::stdin().is_terminal() {
        let text = "standard input is not a terminal; use --yes if you agree to all of this";
        return Err(CommandError::usage(text));
    }
    output::confirm("do you agree to all of this, in this workspace? [y/N]")
}
