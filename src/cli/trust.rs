//! `trust`: asks for consent to the configuration of a workspace.

use std::io::{self, IsTerminal as _};
use std::path::Path;

use crate::consent::Trust;
use crate::domain::trust::{TrustKind, Unagreed};
use crate::protocol::Command;
use crate::protocol::wire::AudienceKind;
use crate::remote::Leaving;

use super::exit::{CommandError, Status};
use super::running::TICKET;
use super::{lines, running};

/// Lists the entries that wait for consent and asks once, unless `yes`.
pub async fn trust(workspace: &Path, yes: bool) -> Result<Status, CommandError> {
    let trust = Trust::recorded(workspace);
    let waiting = trust.waiting();
    if waiting.is_empty() {
        lines::print("nothing waits for your consent");
        return Ok(Status::Done);
    }
    for unagreed in &waiting {
        lines::print(&line(unagreed));
    }
    if !yes && !ask_consent()? {
        lines::print("nothing was agreed to");
        return Ok(Status::Invalid);
    }
    // Only the entries that were shown.
    let digests: Vec<String> = waiting.into_iter().map(|one| one.entry.digest).collect();
    // A driver that runs goes on with what waited for this.
    let hello = running::hello(AudienceKind::Script);
    match running::find(workspace, hello, Leaving::DriverStays).await? {
        Some(driver) => {
            running::ask(driver, Command::Agree { ticket: TICKET, digests, level: None }).await?;
        }
        None => trust.agree(&digests).map_err(|error| CommandError::invalid(error.to_string()))?,
    }
    lines::print("agreed");
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
    lines::confirm("do you agree to all of this, in this workspace? [y/N]")
}
