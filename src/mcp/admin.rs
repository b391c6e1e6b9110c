//! The tools with which a member looks after servers: one to let an instance go, one to start anew.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::json;
use tokio::sync::{mpsc, oneshot};

use super::lease::RELEASE;
use super::result::tidy;
use super::supervisor::Request;
use crate::domain::Lang;
use crate::tools::{Args, Description, Tool, ToolCx, ToolOutcome, ToolSpec, Whose, half};

/// Their toolset, as Dominds calls it.
pub(super) const TOOLSET: &str = "mcp_admin";
pub(super) const RESTART: &str = "mcp_restart";

const ID_CHARS: usize = 80;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Release,
    Restart,
}

#[derive(Debug)]
struct Admin {
    spec: ToolSpec,
    act: Act,
    desk: mpsc::Sender<Request>,
}

/// Letting go, starting anew.
pub(super) fn tools(desk: &mpsc::Sender<Request>) -> [Arc<dyn Tool>; 2] {
    let tool = |act, name: &'static str, description| -> Arc<dyn Tool> {
        let parameters = json!({
            "type": "object",
            "properties": { "serverId": { "type": "string" } },
            "required": ["serverId"],
            "additionalProperties": false
        });
        let spec = ToolSpec { name: name.into(), description, parameters };
        Arc::new(Admin { spec, act, desk: desk.clone() })
    };
    let release = Description::Own(|lang| half(lang, include_str!("mcp_release.md")));
    let restart = Description::Own(|lang| half(lang, include_str!("mcp_restart.md")));
    [tool(Act::Release, RELEASE, release), tool(Act::Restart, RESTART, restart)]
}

impl Tool for Admin {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, cx: ToolCx, args: Args) -> BoxFuture<'static, ToolOutcome> {
        let (act, desk) = (self.act, self.desk.clone());
        Box::pin(async move {
            let server = args.required_text("serverId").trim().to_owned();
            match act {
                Act::Release => release(&desk, server, cx).await,
                Act::Restart => restart(&desk, server, cx.lang).await,
            }
        })
    }
}

async fn release(desk: &mpsc::Sender<Request>, server: String, cx: ToolCx) -> ToolOutcome {
    let shown = tidy(&server, ID_CHARS);
    let (reply, released) = oneshot::channel();
    let order = Request::Release { whose: Whose::Dialog(cx.dialog), server: Some(server), reply };
    let _ = desk.send(order).await;
    if released.await.unwrap_or(false) {
        ToolOutcome::done(match cx.lang {
            Lang::En => format!("The instance of `{shown}` was let go."),
            Lang::Zh => format!("已释放 `{shown}` 的实例。"),
        })
    } else {
        ToolOutcome::failed(match cx.lang {
            Lang::En => format!("This dialog holds no instance of `{shown}`; nothing was done."),
            Lang::Zh => format!("本对话没有持有 `{shown}` 的实例，未执行任何操作。"),
        })
    }
}

async fn restart(desk: &mpsc::Sender<Request>, server: String, lang: Lang) -> ToolOutcome {
    let shown = tidy(&server, ID_CHARS);
    let (reply, started) = oneshot::channel();
    let _ = desk.send(Request::Restart { server, reply }).await;
    match started.await {
        Ok(Ok(_)) => ToolOutcome::done(match lang {
            Lang::En => {
                format!("The server `{shown}` was started anew, with its present configuration.")
            }
            Lang::Zh => format!("已按当前配置重新启动服务器 `{shown}`。"),
        }),
        Ok(Err(why)) => ToolOutcome::failed(match lang {
            Lang::En => format!("The server `{shown}` was not started anew: {why}"),
            Lang::Zh => format!("未能重新启动服务器 `{shown}`：{why}"),
        }),
        Err(_) => ToolOutcome::failed(match lang {
            Lang::En => "The program is ending.",
            Lang::Zh => "程序正在结束。",
        }),
    }
}
