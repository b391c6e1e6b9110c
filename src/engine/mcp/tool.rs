//! A tool of a server that a model can call.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use rmcp::ServiceError;
use rmcp::model::{CallToolRequestParams, CallToolResponse};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::answers::ConnectionEnd;
use super::http::{self, send_error};
use super::message_filter::DROPPED_CODE;
use super::pool::InstanceHandle;
use super::reading::UNREADABLE_CODE;
use super::result::{sanitize_and_redact, tool_outcome};
use super::supervisor::SupervisorRequest;
use super::tool_list::OfferedTool;
use crate::domain::text::{Localized, Text, in_lang};
use crate::domain::{DialogId, Lang};
use crate::tools::{Args, Tool, ToolCx, ToolOutcome, ToolSpec};

/// A longer call is cancelled.
pub(super) const CALL_TIMEOUT: Duration = Duration::from_mins(10);
const MAX_REASON_CHARS: usize = 2_000;

#[derive(Debug)]
pub(super) struct ServerTool {
    tool: OfferedTool,
    tx: mpsc::Sender<SupervisorRequest>,
}

impl ServerTool {
    pub fn of(tool: OfferedTool, tx: mpsc::Sender<SupervisorRequest>) -> Arc<dyn Tool> {
        Arc::new(Self { tool, tx })
    }
}

impl Tool for ServerTool {
    fn spec(&self) -> &ToolSpec {
        &self.tool.spec
    }

    /// Dropping the future cancels the request at the server.
    fn call(&self, cx: ToolCx, args: Args) -> BoxFuture<'static, ToolOutcome> {
        let (tool, tx) = (self.tool.clone(), self.tx.clone());
        Box::pin(async move {
            let result = timeout(CALL_TIMEOUT, call(&tool, &tx, &cx, args)).await;
            let result = result.unwrap_or_else(|_| Err(too_long(&tool.server, cx.lang)));
            result.unwrap_or_else(ToolOutcome::failed)
        })
    }
}

/// The error is the text of a failure.
async fn call(
    tool: &OfferedTool,
    tx: &mpsc::Sender<SupervisorRequest>,
    cx: &ToolCx,
    args: Args,
) -> Result<ToolOutcome, String> {
    let params =
        CallToolRequestParams::new(tool.original.clone()).with_arguments(args.into_object());
    let mut handle = agreed(tool, tx, cx).await?;
    let mut answer = handle.connection.peer.call_tool_once(params.clone()).await;
    // A server may end between two calls. Once only: the next one may end in the same way.
    if answer.as_ref().is_err_and(|error| was_not_taken(error, &handle.connection.end)) {
        handle = agreed(tool, tx, cx).await?;
        answer = handle.connection.peer.call_tool_once(params).await;
    }
    outcome(answer, &tool.server, &handle.connection.end, cx)
}

/// An instance that has the tool as it was agreed to.
async fn agreed(
    tool: &OfferedTool,
    tx: &mpsc::Sender<SupervisorRequest>,
    cx: &ToolCx,
) -> Result<Arc<InstanceHandle>, String> {
    let handle = lease(&tool.server, tx, cx).await?;
    if handle.has(&tool.original, &tool.digest) {
        Ok(handle)
    } else {
        Err(is_another(&tool.server, cx.lang))
    }
}

/// An instance for a call. The error is the text of a failure.
pub(super) async fn lease(
    server: &str,
    tx: &mpsc::Sender<SupervisorRequest>,
    cx: &ToolCx,
) -> Result<Arc<InstanceHandle>, String> {
    let handle = instance(server, cx.dialog.clone(), true, tx).await;
    handle.map_err(|reason| not_run(server, reason.in_lang(cx.lang), cx.lang))
}

/// An instance for something in a dialog, which leases it or not. The error is the reason why there is none.
pub(super) async fn instance(
    server: &str,
    dialog: DialogId,
    leases: bool,
    tx: &mpsc::Sender<SupervisorRequest>,
) -> Result<Arc<InstanceHandle>, Localized> {
    let (reply, handle) = oneshot::channel();
    let request = SupervisorRequest::Use { server: server.to_owned(), dialog, leases, reply };
    let _ = tx.send(request).await;
    let ending = Text::new("the program is ending", "程序正在结束");
    handle.await.unwrap_or_else(|_| Err(ending.into()))
}

/// True if the server ended before it took a call. What it may have taken is not called again.
pub(super) fn was_not_taken(error: &ServiceError, end: &ConnectionEnd) -> bool {
    // A line that a pipe did not take whole was read by nobody.
    if let ServiceError::TransportSend(error) = error
        && error.error.is::<std::io::Error>()
    {
        end.set_broken();
        return true;
    }
    matches!(error, ServiceError::TransportClosed) && end.took_none()
}

pub(super) fn outcome(
    answer: Result<CallToolResponse, ServiceError>,
    server: &str,
    end: &ConnectionEnd,
    cx: &ToolCx,
) -> Result<ToolOutcome, String> {
    let lang = cx.lang;
    let clean = |text: &str| sanitize_and_redact(text, MAX_REASON_CHARS, &cx.keys);
    Err(match answer {
        Ok(CallToolResponse::Complete(result)) => return Ok(tool_outcome(result, &cx.keys, lang)),
        Ok(CallToolResponse::InputRequired(_)) => asks_a_person(server, lang),
        Ok(_) => unknown_answer(server, lang),
        Err(ServiceError::McpError(error)) => {
            let reason = clean(&error.message);
            match error.code.0 {
                DROPPED_CODE => dropped(server, &reason, lang),
                UNREADABLE_CODE => unreadable(server, &reason, lang),
                _ => refused(server, &reason, lang),
            }
        }
        Err(error @ ServiceError::UnexpectedResponse) => {
            unreadable(server, &error.to_string(), lang)
        }
        Err(error) if was_not_taken(&error, end) => {
            let reason = Text::new("it ended before it took the call", "它在接受调用之前已结束");
            not_run(server, reason.in_lang(lang), lang)
        }
        Err(ServiceError::TransportSend(error)) if http::is_unreadable(&error) => {
            unreadable(server, &clean(&error.error.to_string()), lang)
        }
        Err(ServiceError::TransportSend(error)) => {
            broke_off(server, &clean(&send_error(&error)), lang)
        }
        Err(error) => broke_off(server, &clean(&error.to_string()), lang),
    })
}

fn not_run(server: &str, reason: &str, lang: Lang) -> String {
    in_lang!(
        lang,
        "The tool was not run: the MCP server `{server}` cannot be used. {reason}",
        "工具未执行：无法使用 MCP 服务器 `{server}`。{reason}"
    )
}

fn is_another(server: &str, lang: Lang) -> String {
    in_lang!(
        lang,
        "The tool was not run: the MCP server `{server}` now describes it differently from what you were told, or does \
         not have it any more. What a person has not agreed to is not run.",
        "工具未执行：MCP 服务器 `{server}` 现在对它的描述与告诉你的不同，或已不再提供它。人没有同意过的不会执行。"
    )
}

fn refused(server: &str, reason: &str, lang: Lang) -> String {
    in_lang!(
        lang,
        "The MCP server `{server}` refused the call: {reason}",
        "MCP 服务器 `{server}` 拒绝了本次调用：{reason}"
    )
}

fn dropped(server: &str, reason: &str, lang: Lang) -> String {
    in_lang!(
        lang,
        "The MCP server `{server}` answered, and the answer was dropped: it is {reason}. If the call \
             changes anything, it may have done so; ask for less at a time.",
        "MCP 服务器 `{server}` 已应答，但应答被丢弃（{reason}）。本次调用若会改动什么，可能已经生效；请每次少取一些。"
    )
}

fn unreadable(server: &str, reason: &str, lang: Lang) -> String {
    in_lang!(
        lang,
        "The MCP server `{server}` answered, and the answer cannot be read: {reason}. If the call changes anything, \
             it may have done so; look before you repeat it.",
        "MCP 服务器 `{server}` 已应答，但应答无法读取：{reason}。本次调用若会改动什么，可能已经生效；重试之前请先核实。"
    )
}

fn broke_off(server: &str, reason: &str, lang: Lang) -> String {
    in_lang!(
        lang,
        "The MCP server `{server}` broke off ({reason}). If the call changes anything, it is not known whether it did; \
             look before you repeat it. The next call starts the server anew, without its earlier state.",
        "MCP 服务器 `{server}` 中断（{reason}）。本次调用若会改动什么，是否生效未知，重试之前请先核实。下一次调用会重新启动该服务器，\
             此前的状态不再保留。"
    )
}

pub(super) fn too_long(server: &str, lang: Lang) -> String {
    let seconds = CALL_TIMEOUT.as_secs();
    in_lang!(
        lang,
        "The MCP server `{server}` did not answer within {seconds} seconds; the call was given up. \
             If it changes anything, it is not known whether it did.",
        "MCP 服务器 `{server}` 在 {seconds} 秒内没有应答，已放弃本次调用；若会改动什么，是否生效未知。"
    )
}

fn asks_a_person(server: &str, lang: Lang) -> String {
    in_lang!(
        lang,
        "The MCP server `{server}` asks a person for input, which is not possible here.",
        "MCP 服务器 `{server}` 要求人工输入，这里无法提供。"
    )
}

fn unknown_answer(server: &str, lang: Lang) -> String {
    in_lang!(
        lang,
        "The MCP server `{server}` gave an answer of an unknown kind.",
        "MCP 服务器 `{server}` 给出了未知类型的应答。"
    )
}
