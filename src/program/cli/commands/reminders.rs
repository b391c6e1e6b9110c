//! `reminders`: prints the reminders of a dialog, in the order in which its model gets them. Of a tree in an unknown
//! layout, those that are in the tree.

use std::path::Path;

use serde_json::{Value, json};

use crate::app;
use crate::domain::dialogs::reminder::sort_for_model;
use crate::domain::{Bucket, Reminder};
use crate::store::{Access, StoreError};

use super::find;
use crate::cli::exit::{CommandError, Status};
use crate::cli::output;

/// Prints the dialog's own reminders and those that its member shares.
pub fn list(workspace: &Path, wanted: &str, as_json: bool) -> Result<Status, CommandError> {
    let store = app::open(workspace, Access::ReadOnly)?;
    let id = find::dialog(&store.survey(&Bucket::ALL), wanted)?;
    let bucket = store.find(&id.root).unwrap_or(Bucket::Run);
    let (loaded, foreign) = store.load_to_show(bucket, &id.root)?;
    let Some(dialog) = loaded.tree.get(&id.this) else {
        return Err(CommandError::invalid(format!("dialog {id} cannot be read; see doctor")));
    };
    if let Some(layout) = foreign {
        output::note(&StoreError::ForeignLayout(id.root.clone(), layout).to_string());
    }
    let (shared, problems) = if foreign.is_none() {
        store.shared_reminders(loaded.tree.layout, &dialog.meta)?
    } else {
        (Vec::new(), Vec::new())
    };
    for problem in problems {
        output::note(&problem.to_string());
    }
    let mut all: Vec<&Reminder> = dialog.reminders.iter().chain(&shared).collect();
    sort_for_model(&mut all, loaded.tree.layout);
    if as_json {
        let all: Vec<Value> = all.into_iter().map(to_json).collect();
        output::json(&json!({ "rootId": id.root, "selfId": id.this, "reminders": all }));
        return Ok(Status::Done);
    }
    if all.is_empty() {
        output::note("no reminders");
    }
    for (index, reminder) in all.into_iter().enumerate() {
        if index > 0 {
            output::print("");
        }
        output::print(&heading(reminder));
        for line in reminder.content.lines() {
            output::print(&format!("  {line}"));
        }
    }
    Ok(Status::Done)
}

fn heading(reminder: &Reminder) -> String {
    let owner = reminder.owner_name.as_ref().map(|owner| format!("  kept by {owner}"));
    let hidden = (!reminder.is_shown_to_the_model()).then(|| "  not sent to the model".to_owned());
    let marks: String = owner.into_iter().chain(hidden).collect();
    format!("{}  {}  {}{marks}", reminder.id, reminder.scope, reminder.touched_at())
}

fn to_json(reminder: &Reminder) -> Value {
    json!({
        "id": reminder.id,
        "scope": reminder.scope,
        "content": reminder.content,
        "createdAt": reminder.created_at,
        "updatedAt": reminder.touched_at(),
        "owner": reminder.owner_name,
        "sentToModel": reminder.is_shown_to_the_model(),
    })
}
