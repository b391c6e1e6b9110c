//! A tool of a server, as a model calls it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use rmcp::ServiceError;
use rmcp::model::{CallToolRequestParams, CallToolResponse};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::http::why_unsent;
use super::lines::DROPPED;
use super::result::{clean, outcome};
use super::roster::Entry;
use super::supervisor::Request;
use crate::domain::Lang;
use crate::tools::{Args, Tool, ToolCx, ToolOutcome, ToolSpec};

/// A call that takes longer is given up, and its server told so.
const CALL: Duration = Duration::from_secs(600);
const WHY_CHARS: usize = 2_000;

#[derive(Debug)]
pub(super) struct ServerTool {
    entry: Entry,
    desk: mpsc::Sender<Request>,
}

impl ServerTool {
    pub fn of(entry: Entry, desk: mpsc::Sender<Request>) -> Arc<dyn Tool> {
        Arc::new(Self { entry, desk })
    }
}

impl Tool for ServerTool {
    fn spec(&self) -> &ToolSpec {
        &self.entry.spec
    }

    /// Dropping the future tells the server that nobody waits any more.
    fn call(&self, cx: ToolCx, args: Args) -> BoxFuture<'static, ToolOutcome> {
        let (entry, desk) = (self.entry.clone(), self.desk.clone());
        Box::pin(async move {
            let lang = cx.lang;
            let result = timeout(CALL, called(&entry, &desk, cx, args)).await;
            result.unwrap_or_else(|_| ToolOutcome::failed(too_long(&entry.server, lang)))
        })
    }
}

async fn called(
    entry: &Entry,
    desk: &mpsc::Sender<Request>,
    cx: ToolCx,
    args: Args,
) -> ToolOutcome {
    let (server, lang, keys) = (&entry.server, cx.lang, cx.keys);
    let (reply, lent) = oneshot::channel();
    let order = Request::Use { server: server.clone(), dialog: cx.dialog, reply };
    let _ = desk.send(order).await;
    let hold = match lent.await {
        Ok(Ok(hold)) => hold,
        Ok(Err(why)) => return ToolOutcome::failed(not_run(server, &why, lang)),
        Err(_) => return ToolOutcome::failed(not_run(server, "the program is ending", lang)),
    };
    let params =
        CallToolRequestParams::new(entry.original.clone()).with_arguments(args.into_object());
    match hold.peer.call_tool_once(params).await {
        Ok(CallToolResponse::Complete(result)) => outcome(result, &keys, lang),
        Ok(CallToolResponse::InputRequired(_)) => ToolOutcome::failed(asks_a_person(server, lang)),
        Ok(_) => ToolOutcome::failed(unknown_answer(server, lang)),
        Err(ServiceError::McpError(error)) if error.code.0 == DROPPED => {
            ToolOutcome::failed(dropped(server, &clean(&error.message, WHY_CHARS, &keys), lang))
        }
        Err(ServiceError::McpError(error)) => {
            ToolOutcome::failed(refused(server, &clean(&error.message, WHY_CHARS, &keys), lang))
        }
        Err(ServiceError::TransportSend(error)) => {
            let why = clean(&why_unsent(&error), WHY_CHARS, &keys);
            ToolOutcome::failed(broke_off(server, &why, lang))
        }
        Err(error) => {
            let why = clean(&error.to_string(), WHY_CHARS, &keys);
            ToolOutcome::failed(broke_off(server, &why, lang))
        }
    }
}

fn not_run(server: &str, why: &str, lang: Lang) -> String {
    match lang {
        Lang::En => {
            format!("The tool was not run: the MCP server `{server}` cannot be used. {why}")
        }
        Lang::Zh => format!("工具未执行：无法使用 MCP 服务器 `{server}`。{why}"),
    }
}

fn refused(server: &str, why: &str, lang: Lang) -> String {
    match lang {
        Lang::En => format!("The MCP server `{server}` refused the call: {why}"),
        Lang::Zh => format!("MCP 服务器 `{server}` 拒绝了本次调用：{why}"),
    }
}

fn dropped(server: &str, why: &str, lang: Lang) -> String {
    match lang {
        Lang::En => format!(
            "The MCP server `{server}` answered, and the answer was dropped: it is {why}. The call may \
             have taken effect; ask for less at a time."
        ),
        Lang::Zh => format!(
            "MCP 服务器 `{server}` 已应答，但应答被丢弃（{why}）。本次调用可能已经生效；请每次少取一些。"
        ),
    }
}

fn broke_off(server: &str, why: &str, lang: Lang) -> String {
    match lang {
        Lang::En => format!(
            "The MCP server `{server}` broke off ({why}). Whether the call took effect is not known; \
             look before you repeat it. The next call starts the server anew, without its earlier state."
        ),
        Lang::Zh => format!(
            "MCP 服务器 `{server}` 中断（{why}）。本次调用是否生效未知，重试之前请先核实。下一次调用会重新启动该服务器，\
             此前的状态不再保留。"
        ),
    }
}

fn too_long(server: &str, lang: Lang) -> String {
    let seconds = CALL.as_secs();
    match lang {
        Lang::En => format!(
            "The MCP server `{server}` did not answer within {seconds} seconds; the call was given up. \
             Whether it took effect is not known."
        ),
        Lang::Zh => format!(
            "MCP 服务器 `{server}` 在 {seconds} 秒内没有应答，已放弃本次调用；是否生效未知。"
        ),
    }
}

fn asks_a_person(server: &str, lang: Lang) -> String {
    match lang {
        Lang::En => format!(
            "The MCP server `{server}` asks a person for input, which is not possible here."
        ),
        Lang::Zh => format!("MCP 服务器 `{server}` 要求人工输入，这里无法提供。"),
    }
}

fn unknown_answer(server: &str, lang: Lang) -> String {
    match lang {
        Lang::En => format!("The MCP server `{server}` gave an answer of an unknown kind."),
        Lang::Zh => format!("MCP 服务器 `{server}` 给出了未知类型的应答。"),
    }
}
