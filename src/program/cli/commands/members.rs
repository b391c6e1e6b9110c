//! `members`: prints who is in the team, and which provider and model each member uses. Nothing is sent.

use std::path::Path;

use serde::Serialize;

use super::ListOptions;
use crate::cli::exit::{CommandError, Status};
use crate::cli::output;
use crate::domain::{Lang, Member};
use crate::minds::Minds;
use crate::platform::env;

/// A member, as `members --json` prints it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct MemberEntry<'a> {
    id: &'a str,
    name: &'a str,
    gofor: &'a [String],
    provider: Option<&'a str>,
    model: Option<&'a str>,
    /// Why it has neither.
    fault: Option<String>,
    /// It is asked if nobody is named.
    is_default: bool,
    is_hidden: bool,
}

/// Prints the members in the order of the team file.
pub fn list(workspace: &Path, options: ListOptions) -> Result<Status, CommandError> {
    let minds = Minds::load(workspace, Lang::En);
    if let Some(missing) = minds.missing() {
        return Err(CommandError::invalid(missing.to_string()));
    }
    let members = minds.team().members.iter().filter(|member| options.all || !member.hidden);
    let entries: Vec<MemberEntry<'_>> =
        members.map(|member| MemberEntry::of(&minds, member)).collect();
    if options.as_json {
        output::json_list(entries.iter());
        return Ok(Status::Done);
    }
    let width = entries.iter().map(|entry| entry.id.len()).max().unwrap_or(0);
    for entry in &entries {
        output::print(&entry.line(width));
    }
    Ok(Status::Done)
}

impl<'a> MemberEntry<'a> {
    fn of(minds: &'a Minds, member: &'a Member) -> Self {
        let (provider, model, fault) = match minds.model_of(member, &env::variable) {
            Ok((provider, _, model)) => (Some(provider.key.as_str()), Some(model), None),
            Err(problem) => (None, None, Some(problem.text.in_lang(Lang::En).to_owned())),
        };
        Self {
            id: member.id.as_str(),
            name: &member.name,
            gofor: &member.gofor,
            provider,
            model,
            fault,
            is_default: minds.default_responder() == Some(&member.id),
            is_hidden: member.hidden,
        }
    }

    /// The member in one line, its id in a column of this width.
    fn line(&self, width: usize) -> String {
        let model = match (self.model, self.provider, &self.fault) {
            (Some(model), Some(provider), _) => format!("{model} of {provider}"),
            (_, _, Some(fault)) => format!("no model: {fault}"),
            (_, _, None) => "no model".to_owned(),
        };
        let mark = if self.is_default { " (default)" } else { "" };
        format!("@{:width$}  {model}  {}{mark}", self.id, self.name)
    }
}
