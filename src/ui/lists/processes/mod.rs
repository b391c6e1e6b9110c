//! The background processes of members, the newest on top; a running one can be stopped.

#[cfg(test)]
pub(crate) mod tests;

use super::list::{List, ListKey, Outcome, Row, Walk};
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::asking::question::short_headline;
use crate::domain::dialogs::background::{BackgroundState, ProcessExit};
use crate::domain::text::Text;
use crate::follow_up::FollowUp;
use crate::model::age;
use crate::new_overlay::NewOverlay;
use crate::panes::strip::Strip;
use crate::request::Request;
use crate::theme::Role;
use crate::words;

/// Characters of the command shown in a question.
const NAME_CHARS: usize = 40;

const STOP_QUESTION: Text =
    Text::new("stop process {} and everything it started?", "停止进程 {} 及其启动的所有进程吗？");
const LOST: Text = Text::new("lost", "已丢失");
const ENDED: Text = Text::new("ended", "已结束");

pub const SCOPE: Scope = Scope::new("processes", "后台进程", &[Scope::ANYWHERE]);

#[derive(Debug)]
pub struct Processes;

impl List for Processes {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding = Scope::PANES
        .bind(Action::Show(SCOPE), &["&"])
        .does("Show background processes", "显示后台进程");
    const TITLE: Text = Text::new("BACKGROUND PROCESSES", "后台进程");
    const EMPTY: Text = Text::new("no command is running in the background", "没有仍在运行的命令");
    const WALK: Walk = Walk::Entries;
    const KEYS: &'static [ListKey<Self>] = &[ListKey {
        action: Action::Stop,
        keys: &["s"],
        does: Text::new("Stop this process; asks first", "停止此进程；先询问"),
        hint: Text::new("stop", "停止"),
        run: |_, entry, cx| ask_to_stop(entry, cx),
    }];

    fn open(_: &mut Cx<'_>) -> Option<Self> {
        Some(Self)
    }

    fn entries(&self, cx: &Cx<'_>) -> Vec<usize> {
        (0..cx.model.processes.len()).rev().collect()
    }

    fn rows(&self, entry: usize, _: usize, view: View<'_>, cx: &Cx<'_>) -> Vec<Row> {
        let Some(process) = cx.model.processes.get(entry) else { return Vec::new() };
        let ui = view.ui;
        let dim = ui.style(Role::TextDim);
        let left = Strip::new()
            .put(&process.pid.to_string(), dim)
            .put(&format!("  @{}", process.agent), ui.style(Role::Agent))
            .put(&format!("  {}", process.command), ui.style(Role::Text));
        let (state, role) = match process.state {
            BackgroundState::Running => (ui.text(words::RUNNING).to_owned(), Role::Accent),
            BackgroundState::Ended(exit) => (ended(exit, ui), Role::TextDim),
            BackgroundState::Lost => (LOST.in_lang(ui.lang).to_owned(), Role::Warning),
        };
        let age = age::short(&process.started_at, view.now);
        let right = Strip::new().put(&state, ui.style(role)).put(&format!("  {age}"), dim);
        vec![(left, right)]
    }
}

/// Asks to stop a process, if it is running.
fn ask_to_stop(entry: usize, cx: &Cx<'_>) -> Option<Outcome> {
    let process = cx.model.processes.get(entry).filter(|process| process.is_running())?;
    let name = format!("{} {}", process.pid, short_headline(&process.command, NAME_CHARS));
    let question = STOP_QUESTION.with(&name, cx.ui.lang);
    let yes = vec![FollowUp::Request(Request::StopProcess { pid: process.pid })];
    let asks = NewOverlay::Question(words::SUBJECT_STOP_PROCESS, question, yes);
    Some(Outcome::Stay(FollowUp::Show(asks)))
}

fn ended(exit: ProcessExit, ui: &UiSettings) -> String {
    let word = ENDED.in_lang(ui.lang);
    match exit {
        ProcessExit::Code(code) => format!("{word} {code}"),
        ProcessExit::Signal(signal) => format!("{word} SIG {signal}"),
        ProcessExit::Unknown => word.to_owned(),
    }
}
