//! `read`: prints the exact request for a member. Nothing is sent, and nothing changes.

use std::path::Path;

use serde_json::{Value, json};

use crate::app;
use crate::domain::Bucket;
use crate::driver::{Preview, PreviewTarget};
use crate::llm::Message;
use crate::store::Access;

use super::{drive, find};
use crate::cli::args::ReadArgs;
use crate::cli::config;
use crate::cli::exit::{CommandError, Status};
use crate::cli::output;

pub fn read(workspace: &Path, wanted: &ReadArgs) -> Result<Status, CommandError> {
    let engine = app::read_only_engine(workspace, config::read(workspace).layout)?;
    let shown =
        Preview::of(&engine, &preview_target(workspace, wanted)?).map_err(CommandError::invalid)?;
    if wanted.json {
        output::json(&preview_json(&shown));
    } else {
        print(&shown);
    }
    Ok(Status::Done)
}

fn preview_target(workspace: &Path, wanted: &ReadArgs) -> Result<PreviewTarget, CommandError> {
    if let Some(dialog) = &wanted.dialog {
        let survey = app::open(workspace, Access::ReadOnly)?.survey(&Bucket::ALL);
        let dialog = find::dialog(&survey, dialog)?;
        find::refuse_foreign(&survey, &dialog.root)?;
        return Ok(PreviewTarget::Dialog(dialog));
    }
    let agent = drive::responder(workspace, wanted.member.as_deref())?;
    Ok(if wanted.side { PreviewTarget::Side(agent) } else { PreviewTarget::Main(agent) })
}

fn preview_json(shown: &Preview) -> Value {
    let request = &shown.request;
    let messages: Vec<Value> = request.messages.iter().map(message_json).collect();
    let settings = shown.settings().into_iter();
    json!({
        "member": shown.agent,
        "provider": shown.provider,
        "model": request.model,
        "streaming": request.streaming,
        "settings": settings.map(|(key, value)| (key.to_owned(), value)).collect::<serde_json::Map<_, _>>(),
        "system": request.system,
        "messages": messages,
        "tools": request.tools,
    })
}

fn message_json(message: &Message) -> Value {
    match (message, message.text()) {
        (Message::Call { name, arguments, .. }, _) => {
            json!({ "call": name, "arguments": arguments })
        }
        (_, text) => json!({ "text": text }),
    }
}

fn print(shown: &Preview) {
    let request = &shown.request;
    output::print(&format!("@{}, model {} of {}", shown.agent, request.model, shown.provider));
    for (key, value) in shown.settings() {
        output::print(&format!("{key}: {value}"));
    }
    print_heading("SYSTEM PROMPT");
    output::print(request.system.trim_end());
    print_heading("CONTEXT");
    for text in shown.context() {
        output::print(&format!("{text}\n"));
    }
    print_heading("TOOLS");
    for tool in &request.tools {
        output::print(&format!("{}\n{}\n{}\n", tool.name, tool.description, tool.parameters));
    }
}

fn print_heading(title: &str) {
    output::print(&format!("\n---- {title} ----\n"));
}
