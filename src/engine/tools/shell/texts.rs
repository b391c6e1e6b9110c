//! What the shell tools say about commands, in both languages.

use std::num::NonZeroU64;
use std::path::PathBuf;

use super::shells::{Output, ProcessView};
use super::window::{OutputLimits, StreamWindow, last};
use crate::domain::Lang;
use crate::domain::dialogs::background::{BackgroundState, ProcessExit};
use crate::domain::text::{Text, in_lang};
use crate::sandbox::{NewPaths, SandboxRefusal};
use crate::tools::outcome::MAX_RESULT_CHARS;

/// Characters of both streams in one result, with room left for the words around them.
const STREAMS_CHARS: usize = MAX_RESULT_CHARS - 2_000;
/// Limits for the output of a stream in a reminder.
const GLIMPSE: OutputLimits = OutputLimits { lines: 8, chars: 800 };
/// Characters of a command that are repeated.
const COMMAND_CHARS: usize = 500;

/// The first line of the result of a command whose call was stopped. What the command printed until then follows.
pub(crate) const STOPPED_WITH_OUTPUT: Text = Text::new(
    "Stopped by the human before it finished; it was ended. What it printed until then is below, what else it did is \
     not known.",
    "在完成之前被人停止，命令已被终止。此前的输出见下；除此之外它做了什么，不得而知。",
);

/// Both streams of a command that is over, or of one so far.
pub(crate) fn streams(out: &StreamWindow, err: &StreamWindow, lines: usize, lang: Lang) -> String {
    let half = STREAMS_CHARS / 2;
    let room = |other: usize| OutputLimits { lines, chars: STREAMS_CHARS - other.min(half) };
    let out_text = out.shown(room(err.chars()), lang);
    let err_text = err.shown(room(out.chars()), lang);
    format!("{}\n{}", stream("stdout", &out_text, lang), stream("stderr", &err_text, lang))
}

/// The ends of the wanted streams of a process in the background.
pub(super) fn outputs(wanted: &[(&str, &Output)], lang: Lang) -> String {
    let chars = STREAMS_CHARS / wanted.len().max(1);
    let parts = wanted.iter().map(|(name, output)| {
        let text = last(&output.text, OutputLimits { lines: usize::MAX, chars });
        let cut = output.text.get(..output.text.len() - text.len()).unwrap_or_default();
        let before = output.before + cut.matches('\n').count() as u64;
        let head = match before {
            0 => String::new(),
            n => in_lang!(lang, "[{n} earlier lines are not shown]\n", "[更早的 {n} 行未显示]\n"),
        };
        stream(name, &format!("{head}{text}"), lang)
    });
    parts.collect::<Vec<_>>().join("\n")
}

fn stream(name: &str, text: &str, lang: Lang) -> String {
    if text.is_empty() {
        return format!("{name}: {}", Text::new("empty", "空").in_lang(lang));
    }
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{name}:\n{text}{end}")
}

/// Why nothing was run, if the sandbox is the reason.
pub(crate) fn refused(error: &std::io::Error, lang: Lang) -> Option<String> {
    let refusal = error.get_ref()?.downcast_ref::<SandboxRefusal>()?;
    Some(refusal.for_model(lang))
}

/// Returns the text about new paths that affect later commands, and about places that are not protected.
pub(super) fn made(made: &NewPaths, lang: Lang) -> String {
    let mut parts = Vec::new();
    if !made.taskdocs.is_empty() {
        let names = quoted(&made.taskdocs);
        parts.push(in_lang!(lang, "[New since the command began: {names}. Taskdocs are not made by commands; commands cannot \
                 write there from now on.]", "[命令开始后新出现:{names}。任务文档不应由命令创建;此后命令无法在其中写入。]"));
    }
    if !made.repositories.is_empty() {
        let names = quoted(&made.repositories);
        parts.push(in_lang!(lang, "[New since the command began: {names}. The configuration of a git repository can name \
                 programs that git runs for whoever uses it there. Tell the human about each of these; \
                 commands cannot change their configuration from now on.]", "[命令开始后新出现:{names}。git 仓库的配置可以指定程序,任何人在其中使用 git 时都会运行。\
                 请逐一告知人类;此后命令无法更改其配置。]"));
    }
    if !made.settings.is_empty() {
        let names: Vec<PathBuf> = made.settings.iter().map(|(path, _)| path.clone()).collect();
        let names = quoted(&names);
        let settings: Vec<PathBuf> =
            made.settings.iter().map(|(_, setting)| setting.into()).collect();
        let settings = quoted(&settings);
        parts.push(in_lang!(lang, "[The git of the human reads or runs {names}, by its settings {settings}. Commands cannot \
                 write there.]", "[人类的 git 会按其设置 {settings} 读取或运行 {names}。命令无法在其中写入。]"));
    }
    if let Some(example) = &made.unprotected.example {
        let (count, example) = (made.unprotected.count, quoted(std::slice::from_ref(example)));
        parts.push(in_lang!(lang, "[{count} places in the workspace are not protected from commands, one of them {example}. Do not \
                 write settings of repositories or Taskdocs there; tell the human.]", "[工作区内有 {count} 处未受保护,其中之一是 {example}。请勿在其中写入仓库设置或任务文档,并告知人类。]"));
    }
    parts.join("\n")
}

fn quoted(paths: &[PathBuf]) -> String {
    const MAX: usize = 20;
    let names = paths.iter().take(MAX).map(|path| format!("{:?}", path.display().to_string()));
    let more = paths.len().checked_sub(MAX).filter(|more| *more > 0);
    names.chain(more.map(|more| format!("+{more}"))).collect::<Vec<_>>().join(", ")
}

/// How a command ended.
pub(crate) fn exit(exit: ProcessExit, lang: Lang) -> String {
    match exit {
        ProcessExit::Code(code) => in_lang!(lang, "exit code {code}", "退出码 {code}"),
        ProcessExit::Signal(signal) => {
            in_lang!(lang, "ended by signal {signal}", "被信号 {signal} 结束")
        }
        ProcessExit::Unknown => in_lang!(
            lang,
            "ended; nobody was there to see its exit code",
            "已结束;当时无人在场,退出码未知"
        ),
    }
}

pub(super) fn state(state: BackgroundState, lang: Lang) -> String {
    match state {
        BackgroundState::Running => Text::new("running", "运行中").in_lang(lang).to_owned(),
        BackgroundState::Ended(how) => exit(how, lang),
        BackgroundState::Lost => Text::new(
            "lost: it was started before the program was last restarted, and is gone now",
            "已丢失:它在程序上次重启之前启动,现已不在",
        )
        .in_lang(lang)
        .to_owned(),
    }
}

/// A command that is not over yet, or left something at work behind.
pub(super) fn in_background(
    pid: u32,
    ended: Option<ProcessExit>,
    seconds: u64,
    lang: Lang,
) -> String {
    let what = match ended {
        Some(how) => in_lang!(
            lang,
            (
                "The command itself is over ({}), but processes it started are still at work. ",
                exit(how, lang)
            ),
            ("命令本身已结束({}),但它启动的进程仍在运行。", exit(how, lang))
        ),
        None => in_lang!(
            lang,
            "Not over after {seconds} s; it goes on in the background. ",
            "{seconds} 秒后仍未结束;它在后台继续运行。"
        ),
    };
    let how = in_lang!(
        lang,
        "pid: {pid}\nA reminder follows it; the program keeps that reminder up to date by \
             itself. Read its output with get_daemon_output, end it with stop_daemon.",
        "pid: {pid}\n有一条提醒跟踪它,由程序自动更新。用 get_daemon_output 读取输出,\
             用 stop_daemon 结束它。"
    );
    format!("{what}{how}")
}

/// The text of the reminder about a process. It changes only when the process or its output does.
pub(super) fn note(seen: &ProcessView, lang: Lang) -> String {
    let pid = seen.record.identity.pid;
    let command: String = seen.record.command.chars().take(COMMAND_CHARS).collect();
    let shell = &seen.record.shell;
    let state = state(seen.state, lang);
    let glimpse = |output: &Output| last(&output.text, GLIMPSE).trim_end().to_owned();
    let (out, err) = (glimpse(&seen.out), glimpse(&seen.err));
    let out = stream(Text::new("end of stdout", "stdout 末尾").in_lang(lang), &out, lang);
    let err = stream(Text::new("end of stderr", "stderr 末尾").in_lang(lang), &err, lang);
    let running = seen.state == BackgroundState::Running;
    let started = &seen.record.started_at;
    let next = if running {
        in_lang!(
            lang,
            "More: get_daemon_output {{\"pid\":{pid}}}. End it: stop_daemon {{\"pid\":{pid}}}.",
            "更多输出:get_daemon_output {{\"pid\":{pid}}}。结束:stop_daemon {{\"pid\":{pid}}}。"
        )
    } else {
        in_lang!(lang, "Delete this reminder once you need it no more.", "不再需要时请删除本提醒。")
    };
    in_lang!(
        lang,
        "Background process {pid}: {state}\ncommand ({shell}): {command}\nstarted: {started}\n{out}\n{err}\n{next}",
        "后台进程 {pid}:{state}\n命令 ({shell}):{command}\n启动于:{started}\n{out}\n{err}\n{next}"
    )
}

/// What to do instead of deleting the reminder about a process at work.
pub(super) fn instead_of_deleting(pid: u32, lang: Lang) -> String {
    in_lang!(
        lang,
        "Process {pid} is still at work. Call stop_daemon with {{\"pid\":{pid}}}; it ends the \
             process and removes this reminder.",
        "进程 {pid} 仍在运行。请调用 stop_daemon,参数 {{\"pid\":{pid}}};它会结束进程并移除本提醒。"
    )
}

pub(super) fn unknown_pid(pid: NonZeroU64, known: &[u32], lang: Lang) -> String {
    let known: Vec<String> = known.iter().map(ToString::to_string).collect();
    let known = if known.is_empty() { "-".to_owned() } else { known.join(", ") };
    in_lang!(
        lang,
        "No background process of this workspace has pid {pid}. Known: {known}.",
        "本工作区没有 pid 为 {pid} 的后台进程。已知:{known}。"
    )
}
