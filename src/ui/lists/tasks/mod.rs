//! The tasks of teams. Tasks listed when the list was opened keep their places; later ones are below them.

#[cfg(test)]
pub(crate) mod tests;

use super::list::{List, ListKey, Outcome, Row, Walk};
use super::task;
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::teams::task::row::TaskRow;
use crate::domain::teams::task::{Priority, TaskStatus};
use crate::domain::text::Text;
use crate::domain::{DialogId, TaskId, TeamName};
use crate::follow_up::{FollowUp, ToReading};
use crate::model::{Model, ShownTasks, age};
use crate::new_overlay::NewOverlay;
use crate::panes::strip::Strip;
use crate::protocol::TeamsRequest;
use crate::request::Request;
use crate::theme::{Glyphs, Role};
use crate::words;

const ONLY_OPEN: Text = Text::new("open", "未完成");
const ONLY_FAILED: Text = Text::new("failed", "失败");
const ALL: Text = Text::new("all", "全部");
const NOT_LISTED: words::Counted = words::Counted::new("more open", "more open", "个未列出");
const CANCEL_QUESTION: Text = Text::new("cancel {}?", "取消 {} 吗？");

pub const SCOPE: Scope = Scope::new("tasks", "任务", &[Scope::ANYWHERE]);

fn shown_word(shown: ShownTasks) -> Text {
    match shown {
        ShownTasks::Open => ONLY_OPEN,
        ShownTasks::All => ALL,
        ShownTasks::Failed => ONLY_FAILED,
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tasks {
    /// The tasks that were listed first, in their order then.
    listed: Vec<TaskId>,
    team: Option<TeamName>,
    shown: ShownTasks,
}

impl Tasks {
    pub fn new(team: Option<TeamName>, shown: ShownTasks, model: &Model) -> Self {
        let mut list = Self { listed: Vec::new(), team, shown };
        list.listed = list.fitting(model).map(|task| task.id.clone()).collect();
        list
    }

    /// The tasks that fit now, in the order of the model.
    fn fitting<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = &'a TaskRow> {
        let is_meant = |task: &&TaskRow| self.team.as_ref().is_none_or(|team| *team == task.team);
        let tasks = model.teams.tasks().iter().filter(is_meant);
        tasks.filter(|task| self.shown.has(task.status))
    }

    /// Returns the tasks listed first, then the later ones.
    fn all<'a>(&'a self, model: &'a Model) -> Vec<&'a TaskRow> {
        let known = self.listed.iter().filter_map(|id| model.teams.task(id));
        let new = self.fitting(model).filter(|task| !self.listed.contains(&task.id));
        known.chain(new).collect()
    }

    fn at<'a>(&'a self, entry: usize, cx: &'a Cx<'_>) -> Option<&'a TaskRow> {
        self.all(cx.model).get(entry).copied()
    }
}

impl List for Tasks {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding = Scope::ANYWHERE
        .bind(Action::Show(SCOPE), &["alt+5"])
        .does("Show the tasks of all teams", "显示所有团队的任务");
    const TITLE: Text = Text::new("TASKS", "任务");
    const EMPTY: Text = Text::new("no task is listed", "没有列出的任务");
    const WALK: Walk = Walk::Entries;
    const LEADS_ON: bool = true;
    const HINTS_BEFORE_CLOSE: usize = 2;
    const KEYS: &'static [ListKey<Self>] = &[
        ListKey {
            action: Action::Open,
            keys: &["enter"],
            does: Text::new("Open its dialog", "打开它的对话"),
            hint: words::OPEN,
            run: |list, entry, cx| {
                let root = list.at(entry, cx)?.dialog.clone()?;
                Some(Outcome::Close(FollowUp::Reading(ToReading::Read(DialogId::main(root)))))
            },
        },
        ListKey {
            action: Action::Show(task::SCOPE),
            keys: &["o"],
            does: Text::new("Show all of this task, with its result", "显示此任务的全部内容和结果"),
            hint: Text::new("text", "全文"),
            run: |list, entry, cx| {
                let id = list.at(entry, cx)?.id.clone();
                Some(Outcome::Stay(requested(TeamsRequest::Show { id })))
            },
        },
        ListKey {
            action: Action::SwitchShown,
            keys: &["*"],
            does: Text::new(
                "List what is open, all, or what has failed",
                "列出未完成的、全部的，或失败的",
            ),
            hint: Text::new("others", "其他"),
            run: |list, _, _| {
                let (team, shown) = (list.team.clone(), list.shown.next());
                Some(Outcome::Close(FollowUp::Show(NewOverlay::Tasks(team, shown))))
            },
        },
        ListKey {
            action: Action::Delegate,
            keys: &["a"],
            does: Text::new("Delegate a task to the same team", "把任务委派给同一团队"),
            hint: Text::new("delegate", "委派"),
            run: |list, entry, cx| {
                let team = list.at(entry, cx)?.team.clone();
                Some(Outcome::Stay(FollowUp::Show(NewOverlay::NewTask(team))))
            },
        },
        ListKey {
            action: Action::Stop,
            keys: &["x"],
            does: Text::new("Cancel this task; asks first", "取消此任务；先询问"),
            hint: Text::new("cancel", "取消"),
            run: |list, entry, cx| {
                let task = list.at(entry, cx)?;
                task.status.is_open().then(|| cancel(task, cx.ui))
            },
        },
        ListKey {
            action: Action::RetryNow,
            keys: &["R"],
            does: Text::new(
                "Queue this task again: it is blocked, has failed or was cancelled",
                "让此任务重新排队：它被阻塞、失败或被取消",
            ),
            hint: Text::new("retry", "重试"),
            run: |list, entry, cx| {
                let task = list.at(entry, cx)?;
                let id = task.id.clone();
                may_be_retried(task.status)
                    .then_some(Outcome::Stay(requested(TeamsRequest::Retry { id })))
            },
        },
    ];

    fn open(cx: &mut Cx<'_>) -> Option<Self> {
        Some(Self::new(None, ShownTasks::Open, cx.model))
    }

    fn about(&self, ui: &UiSettings, cx: &Cx<'_>) -> String {
        let team = self.team.as_ref().map(ToString::to_string);
        let more = cx.model.teams.not_listed(self.team.as_ref());
        let more =
            (more > 0 && self.shown != ShownTasks::Failed).then(|| ui.counted(more, NOT_LISTED));
        let parts = [team, Some(ui.text(shown_word(self.shown)).to_owned()), more];
        let dot = format!(" {} ", ui.glyphs.middle_dot);
        parts.into_iter().flatten().collect::<Vec<_>>().join(&dot)
    }

    fn entries(&self, cx: &Cx<'_>) -> Vec<usize> {
        (0..self.all(cx.model).len()).collect()
    }

    fn name(&self, entry: usize, cx: &Cx<'_>) -> Option<String> {
        Some(self.at(entry, cx)?.id.to_string())
    }

    fn rows(&self, entry: usize, _: usize, view: View<'_>, cx: &Cx<'_>) -> Vec<Row> {
        let row = self.at(entry, cx).map(|task| task_row(task, self.team.is_none(), view, cx));
        row.into_iter().collect()
    }
}

/// A task in one row. `named`: with its team.
pub(super) fn task_row(task: &TaskRow, named: bool, view: View<'_>, cx: &Cx<'_>) -> Row {
    let (ui, dim) = (view.ui, view.ui.style(Role::TextDim));
    let retries = cx.model.tree.retries(task);
    let (glyph, role) =
        if retries { (ui.glyphs.retrying, Role::Warning) } else { mark(task.status, &ui.glyphs) };
    let mut left = Strip::new()
        .put(&format!("{glyph} "), ui.style(role))
        .put(&format!("{} ", task.id.short()), dim);
    if task.priority != Priority::Normal {
        let role = if task.priority == Priority::Low { Role::TextDim } else { Role::Warning };
        let word = ui.text(words::priority_word(task.priority));
        left.push(&format!("{word} "), ui.style(role));
    }
    if named {
        left.push(&format!("{} ", task.team), ui.style(Role::Agent));
    }
    left.push(&format!(" {}", task.about), ui.style(Role::Text));
    let state = words::task_state(task.status, task.block_reason);
    let state = ui.text(if retries { words::RETRYING } else { state });
    let age = age::short(&task.since, view.now);
    let right = Strip::new().put(state, ui.style(role)).put(&format!("  {age}"), dim);
    (left, right)
}

fn may_be_retried(status: TaskStatus) -> bool {
    match status {
        TaskStatus::Blocked | TaskStatus::Failed | TaskStatus::Cancelled => true,
        TaskStatus::Pending | TaskStatus::Running | TaskStatus::Done => false,
    }
}

/// Asks to confirm that a task is cancelled.
pub(super) fn cancel(task: &TaskRow, ui: &UiSettings) -> Outcome {
    let name = format!("{} “{}”", task.id.short(), task::short(&task.about));
    let yes = vec![requested(TeamsRequest::Cancel { id: task.id.clone() })];
    let question = ui.sentence(CANCEL_QUESTION, &name);
    let asks = NewOverlay::Question(words::SUBJECT_CANCEL_TASK, question, yes);
    Outcome::Stay(FollowUp::Show(asks))
}

pub(super) fn requested(request: TeamsRequest) -> FollowUp {
    FollowUp::Request(Request::Task(request))
}

/// A state as a symbol and a role.
fn mark(status: TaskStatus, glyphs: &Glyphs) -> (&'static str, Role) {
    match status {
        TaskStatus::Pending => (glyphs.idle, Role::TextDim),
        TaskStatus::Running => (glyphs.running, Role::Accent),
        TaskStatus::Blocked => (glyphs.needs_you, Role::Attention),
        TaskStatus::Done => (glyphs.done, Role::TextDim),
        TaskStatus::Failed => (glyphs.stopped, Role::Warning),
        TaskStatus::Cancelled => (glyphs.dead, Role::TextDim),
    }
}
