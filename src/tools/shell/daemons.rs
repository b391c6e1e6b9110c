//! `get_daemon_output` and `stop_daemon`: what a process in the background has written, and its end.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::json;

use super::shells::ProcessView;
use super::{note, texts};
use crate::domain::Lang;
use crate::domain::background::BackgroundState;
use crate::tools::args::Args;
use crate::tools::outcome::{StateChange, ToolOutcome};
use crate::tools::tool::{BuiltIn, Description, Tool, ToolCx, ToolSpec, localized};

/// Reading the output.
pub(super) fn output_tool() -> Arc<dyn Tool> {
    let spec = ToolSpec {
        name: "get_daemon_output".into(),
        description: Description::Own(|lang| localized(lang, include_str!("get_daemon_output.md"))),
        parameters: json!({
            "type": "object",
            "properties": {
                "pid": {"type": "integer", "minimum": 1},
                "stdout": {"type": "boolean"},
                "stderr": {"type": "boolean"}
            },
            "required": ["pid"],
            "additionalProperties": false
        }),
    };
    BuiltIn::blocking(spec, output)
}

fn output(cx: &ToolCx, args: &Args) -> ToolOutcome {
    let wants = |stream| args.flag(stream).unwrap_or(true);
    if !wants("stdout") && !wants("stderr") {
        return ToolOutcome::failed(cx.lang.pick(
            "`stdout` and `stderr` are both false; want at least one.",
            "`stdout` 与 `stderr` 都为 false;至少需要一个。",
        ));
    }
    let Some(seen) = find(cx, args) else { return unknown(cx, args) };
    let streams = [("stdout", &seen.out), ("stderr", &seen.err)];
    let wanted: Vec<_> = streams.into_iter().filter(|(stream, _)| wants(stream)).collect();
    let state = texts::state(seen.state, cx.lang);
    ToolOutcome::done(format!("{state}\n{}", texts::outputs(&wanted, cx.lang)))
}

#[derive(Debug)]
struct StopDaemon(ToolSpec);

/// Ending a process.
pub(super) fn stop_tool() -> Arc<dyn Tool> {
    Arc::new(StopDaemon(ToolSpec {
        name: "stop_daemon".into(),
        description: Description::Own(|lang| localized(lang, include_str!("stop_daemon.md"))),
        parameters: json!({
            "type": "object",
            "properties": {
                "pid": {"type": "integer", "minimum": 1},
                "entire_pg": {"type": "boolean"}
            },
            "required": ["pid"],
            "additionalProperties": false
        }),
    }))
}

impl Tool for StopDaemon {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn call(&self, cx: ToolCx, args: Args) -> BoxFuture<'static, ToolOutcome> {
        Box::pin(async move { stop(&cx, &args).await })
    }
}

async fn stop(cx: &ToolCx, args: &Args) -> ToolOutcome {
    let Some(before) = find(cx, args) else { return unknown(cx, args) };
    let pid = before.record.identity.pid;
    cx.shells.stop(pid, args.flag("entire_pg").unwrap_or(true)).await;
    let Some(after) = cx.shells.look(pid) else { return unknown(cx, args) };
    let told = [("stdout", &after.out), ("stderr", &after.err)];
    let told = texts::outputs(&told, cx.lang);
    if after.state == BackgroundState::Running {
        return ToolOutcome::failed(still_there(pid, cx.lang));
    }
    let was_over = before.state != BackgroundState::Running;
    let state = texts::state(after.state, cx.lang);
    let text = match (was_over, cx.lang) {
        (true, Lang::En) => format!("Process {pid} was over before: {state}."),
        (true, Lang::Zh) => format!("进程 {pid} 此前已结束:{state}。"),
        (false, Lang::En) => format!("Process {pid} is stopped: {state}."),
        (false, Lang::Zh) => format!("进程 {pid} 已停止:{state}。"),
    };
    let reminder = note::of(cx, &after.record).map(|reminder| reminder.id.clone());
    cx.shells.forget(pid);
    let changes = reminder.map(|id| StateChange::DeleteReminder { id }).into_iter().collect();
    ToolOutcome { changes, ..ToolOutcome::done(format!("{text}\n{told}")) }
}

fn find(cx: &ToolCx, args: &Args) -> Option<ProcessView> {
    cx.shells.look(u32::try_from(args.integer("pid")?).ok()?)
}

fn unknown(cx: &ToolCx, args: &Args) -> ToolOutcome {
    let known: Vec<u32> = cx.shells.list().iter().map(|one| one.pid).collect();
    let pid = args.integer("pid").unwrap_or_default();
    ToolOutcome::failed(texts::unknown_pid(pid, &known, cx.lang))
}

fn still_there(pid: u32, lang: Lang) -> String {
    match lang {
        Lang::En => format!(
            "Process {pid}, or something it started, is still there. If only its first process was \
             asked to end, call again with entire_pg true."
        ),
        Lang::Zh => format!(
            "进程 {pid} 或它启动的进程仍在运行。如果只请求了首个进程结束,请以 entire_pg 为 true 再次调用。"
        ),
    }
}
