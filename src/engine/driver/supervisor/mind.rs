//! The mind of a member: what it would be sent in a new main dialog. Nothing is sent.

use crate::domain::AgentId;
use crate::domain::text::Localized;
use crate::driver::context::preview::{Preview, PreviewTarget};
use crate::driver::shared::blocking::interrupted;
use crate::protocol::command::Ticket;
use crate::protocol::event::DriverEvent;
use crate::protocol::mind::{MindTool, MindView};

use super::trees::Supervisor;

/// Most bytes of a text that are shown.
const MAX_TEXT_BYTES: usize = 256 * 1024;
/// Most messages, and most tools.
const MAX_PARTS: usize = 500;

impl Supervisor {
    pub(super) async fn show_mind(&self, ticket: Ticket, agent: AgentId) {
        let engine = self.engine.clone();
        let read = move || Preview::of(&engine, &PreviewTarget::Main(agent));
        let event = match tokio::task::spawn_blocking(read).await {
            Ok(Ok(preview)) => DriverEvent::Mind { ticket, mind: Box::new(view(&preview)) },
            Ok(Err(reason)) => DriverEvent::Refused { ticket, text: Localized::same(reason) },
            Err(error) => DriverEvent::Refused { ticket, text: interrupted(&error) },
        };
        self.send_event(event).await;
    }
}

fn view(preview: &Preview) -> MindView {
    let request = &preview.request;
    let settings = preview.settings().into_iter();
    let tools = request.tools.iter().take(MAX_PARTS).map(|tool| MindTool {
        name: shown(&tool.name),
        description: shown(&tool.description),
        parameters: shown(&tool.parameters.to_string()),
    });
    MindView {
        agent: preview.agent.clone(),
        provider: preview.provider.clone(),
        model: request.model.clone(),
        settings: settings.map(|(name, value)| (name.to_owned(), value.to_string())).collect(),
        system: shown(request.system.trim_end()),
        context: preview.context().iter().take(MAX_PARTS).map(|text| shown(text)).collect(),
        tools: tools.collect(),
    }
}

/// A text, or its beginning with a sign that it goes on.
fn shown(text: &str) -> String {
    if text.len() <= MAX_TEXT_BYTES {
        return text.to_owned();
    }
    let end = (0..=MAX_TEXT_BYTES).rev().find(|end| text.is_char_boundary(*end));
    format!("{}…", end.and_then(|end| text.get(..end)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_too_long_is_cut_between_characters_and_says_so() {
        assert_eq!(shown("short"), "short");
        let long = shown(&"字".repeat(MAX_TEXT_BYTES));
        assert!(long.ends_with("字…") && long.len() <= MAX_TEXT_BYTES + 3, "{}", long.len());
    }
}
