//! `get_daemon_output` and `stop_daemon`: what a process in the background has written, and its end.

use std::num::NonZeroU64;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::shells::ProcessView;
use super::{process_reminder, texts};
use crate::domain::Lang;
use crate::domain::dialogs::background::BackgroundState;
use crate::domain::text::{Text, in_lang};
use crate::tools::outcome::{StateChange, ToolOutcome};
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DaemonOutputArgs {
    pid: NonZeroU64,
    stdout: Option<bool>,
    stderr: Option<bool>,
}

/// Reading the output.
pub(super) fn output_tool() -> Arc<dyn Tool> {
    let text = |lang| Text::of_document(include_str!("get_daemon_output.md")).in_lang(lang);
    typed::blocking(typed::reads("get_daemon_output"), text, output)
}

fn output(cx: &ToolCx, args: &DaemonOutputArgs) -> ToolOutcome {
    let (out, err) = (args.stdout.unwrap_or(true), args.stderr.unwrap_or(true));
    if !out && !err {
        return ToolOutcome::failed(
            Text::new(
                "`stdout` and `stderr` are both false; want at least one.",
                "`stdout` 与 `stderr` 都为 false;至少需要一个。",
            )
            .in_lang(cx.lang),
        );
    }
    let Some(seen) = find(cx, args.pid) else { return unknown(cx, args.pid) };
    let streams = [(out, ("stdout", &seen.out)), (err, ("stderr", &seen.err))];
    let wanted = streams.into_iter().filter_map(|(wanted, stream)| wanted.then_some(stream));
    let wanted: Vec<_> = wanted.collect();
    let state = texts::state(seen.state, cx.lang);
    ToolOutcome::done(format!("{state}\n{}", texts::outputs(&wanted, cx.lang)))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StopDaemonArgs {
    pid: NonZeroU64,
    entire_pg: Option<bool>,
}

/// Ending a process.
pub(super) fn stop_tool() -> Arc<dyn Tool> {
    typed::asynchronous(
        "stop_daemon",
        |lang| Text::of_document(include_str!("stop_daemon.md")).in_lang(lang),
        stop,
    )
}

async fn stop(cx: ToolCx, args: StopDaemonArgs) -> ToolOutcome {
    let Some(before) = find(&cx, args.pid) else { return unknown(&cx, args.pid) };
    let pid = before.record.identity.pid;
    cx.shells.stop(pid, args.entire_pg.unwrap_or(true)).await;
    let Some(after) = cx.shells.look(pid) else { return unknown(&cx, args.pid) };
    let outputs = [("stdout", &after.out), ("stderr", &after.err)];
    let outputs = texts::outputs(&outputs, cx.lang);
    if after.state == BackgroundState::Running {
        return ToolOutcome::failed(still_there(pid, cx.lang));
    }
    let was_over = before.state != BackgroundState::Running;
    let state = texts::state(after.state, cx.lang);
    let text = if was_over {
        in_lang!(
            cx.lang,
            "Process {pid} was over before: {state}.",
            "进程 {pid} 此前已结束:{state}。"
        )
    } else {
        in_lang!(cx.lang, "Process {pid} is stopped: {state}.", "进程 {pid} 已停止:{state}。")
    };
    let reminder = process_reminder::of(&cx, &after.record).map(|reminder| reminder.id.clone());
    cx.shells.forget(pid);
    let changes = reminder.map(|id| StateChange::DeleteReminder { id }).into_iter().collect();
    ToolOutcome { changes, ..ToolOutcome::done(format!("{text}\n{outputs}")) }
}

fn find(cx: &ToolCx, pid: NonZeroU64) -> Option<ProcessView> {
    cx.shells.look(u32::try_from(pid.get()).ok()?)
}

fn unknown(cx: &ToolCx, pid: NonZeroU64) -> ToolOutcome {
    let known: Vec<u32> = cx.shells.list().iter().map(|one| one.pid).collect();
    ToolOutcome::failed(texts::unknown_pid(pid, &known, cx.lang))
}

fn still_there(pid: u32, lang: Lang) -> String {
    in_lang!(
        lang,
        "Process {pid}, or something it started, is still there. If only its first process was \
             asked to end, call again with entire_pg true.",
        "进程 {pid} 或它启动的进程仍在运行。如果只请求了首个进程结束,请以 entire_pg 为 true 再次调用。"
    )
}
