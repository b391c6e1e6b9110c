//! The tools with which a member manages servers: one releases an instance, one restarts a server.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::{mpsc, oneshot};

use super::lease::RELEASE;
use super::result::sanitize;
use super::supervisor::SupervisorRequest;
use crate::domain::Lang;
use crate::domain::text::{Text, in_lang};
use crate::tools::{LeaseScope, Tool, ToolCx, ToolOutcome, typed};

/// The toolset, named as in Dominds.
pub(super) const TOOLSET: &str = "mcp_admin";
pub(super) const RESTART: &str = "mcp_restart";

const MAX_ID_CHARS: usize = 80;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ServerArgs {
    server_id: String,
}

pub(super) fn tools(tx: &mpsc::Sender<SupervisorRequest>) -> [Arc<dyn Tool>; 2] {
    let release_text = |lang| Text::of_document(include_str!("mcp_release.md")).in_lang(lang);
    let restart_text = |lang| Text::of_document(include_str!("mcp_restart.md")).in_lang(lang);
    let (release_tx, restart_tx) = (tx.clone(), tx.clone());
    [
        typed::asynchronous(RELEASE, release_text, move |cx, args: ServerArgs| {
            release(release_tx.clone(), args.name(), cx)
        }),
        typed::asynchronous(RESTART, restart_text, move |cx, args: ServerArgs| {
            restart(restart_tx.clone(), args.name(), cx.lang)
        }),
    ]
}

impl ServerArgs {
    fn name(&self) -> String {
        self.server_id.trim().to_owned()
    }
}

async fn release(tx: mpsc::Sender<SupervisorRequest>, server: String, cx: ToolCx) -> ToolOutcome {
    let shown = sanitize(&server, MAX_ID_CHARS);
    let (reply, released) = oneshot::channel();
    let request = SupervisorRequest::Release {
        whose: LeaseScope::Dialog(cx.dialog),
        server: Some(server),
        reply,
    };
    let _ = tx.send(request).await;
    if released.await.unwrap_or(false) {
        ToolOutcome::done(in_lang!(
            cx.lang,
            "The instance of `{shown}` was let go.",
            "已释放 `{shown}` 的实例。"
        ))
    } else {
        ToolOutcome::failed(in_lang!(
            cx.lang,
            "This dialog holds no instance of `{shown}`; nothing was done.",
            "本对话没有持有 `{shown}` 的实例，未执行任何操作。"
        ))
    }
}

async fn restart(tx: mpsc::Sender<SupervisorRequest>, server: String, lang: Lang) -> ToolOutcome {
    let shown = sanitize(&server, MAX_ID_CHARS);
    let (reply, started) = oneshot::channel();
    let _ = tx.send(SupervisorRequest::Restart { server, reply }).await;
    match started.await {
        Ok(Ok(_)) => ToolOutcome::done(in_lang!(
            lang,
            "The server `{shown}` was started anew, with its present configuration.",
            "已按当前配置重新启动服务器 `{shown}`。"
        )),
        Ok(Err(reason)) => {
            let reason = reason.in_lang(lang);
            ToolOutcome::failed(in_lang!(
                lang,
                "The server `{shown}` was not started anew: {reason}",
                "未能重新启动服务器 `{shown}`：{reason}"
            ))
        }
        Err(_) => {
            ToolOutcome::failed(Text::new("The program is ending.", "程序正在结束。").in_lang(lang))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::test_support::schema_lines;

    #[test]
    fn every_schema_is_what_providers_were_given_before() {
        let tools = tools(&mpsc::channel(1).0);
        let lines = schema_lines(tools.iter().map(|tool| tool.spec()));
        let schema = r#"{"type":"object","properties":{"serverId":{"type":"string"}},"required":["serverId"],"additionalProperties":false}"#;
        assert_eq!(lines, format!("mcp_release {schema}\nmcp_restart {schema}\n"));
    }
}
