//! The texts of prompts. A person puts one into a draft: no member is told of it, and a dialog leases nothing by it.

use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceError;
use rmcp::model::{GetPromptRequestParams, GetPromptResponse, GetPromptResult};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::instance::unanswered;
use super::result::{prompt_text, sanitize_and_redact};
use super::supervisor::SupervisorRequest;
use super::tool::instance;
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{DialogId, Lang, PromptCall, Secrets};

const TEXT_TIMEOUT: Duration = Duration::from_secs(30);
const MAX_REASON_CHARS: usize = 600;

/// Has a server make the text of its prompt `original`. The server runs, or is started as for a call of a tool.
///
/// # Errors
/// Why there is no text, for the person.
pub(super) async fn text_of(
    original: String,
    call: PromptCall,
    dialog: DialogId,
    tx: mpsc::Sender<SupervisorRequest>,
    (secrets, lang): (Arc<Secrets>, Lang),
) -> Result<String, Localized> {
    let server = call.server;
    let given = call.arguments.into_iter().map(|(name, text)| (name, Value::String(text)));
    let params = GetPromptRequestParams::new(original).with_arguments(given.collect());
    let made = timeout(TEXT_TIMEOUT, ask(&server, params, dialog, &tx)).await;
    match made.unwrap_or_else(|_| Err(unanswered(TEXT_TIMEOUT))) {
        Ok(made) => Ok(prompt_text(made, &secrets, lang)),
        Err(reason) => {
            let reason = reason.map(|text| sanitize_and_redact(&text, MAX_REASON_CHARS, &secrets));
            Err(localized!(
                [reason] "the MCP server `{server}` gave no text: {reason}",
                "MCP 服务器 `{server}` 没有给出文本：{reason}"
            ))
        }
    }
}

async fn ask(
    server: &str,
    params: GetPromptRequestParams,
    dialog: DialogId,
    tx: &mpsc::Sender<SupervisorRequest>,
) -> Result<GetPromptResult, Localized> {
    let handle = instance(server, dialog, false, tx).await?;
    match handle.connection.peer.get_prompt_once(params).await {
        Ok(GetPromptResponse::Complete(result)) if result.messages.is_empty() => {
            Err(Text::new("it has no messages", "它没有消息").into())
        }
        Ok(GetPromptResponse::Complete(result)) => Ok(result),
        Ok(_) => {
            let reason = Text::new(
                "it asks for more, which is not possible here",
                "它要求更多输入，这里无法提供",
            );
            Err(reason.into())
        }
        Err(ServiceError::McpError(error)) => Err(Localized::same(error.message)),
        Err(error) => Err(Localized::same(error.to_string())),
    }
}
