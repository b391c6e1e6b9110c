//! One whole task: its text, and its result.

use super::list::{List, ListOverlay, Row, Walk};
use super::tasks;
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::asking::question::short_headline;
use crate::domain::teams::task::Task;
use crate::domain::text::Text;
use crate::overlay::Overlay;
use crate::panes::strip::Strip;
use crate::panes::transcript::prose::{Prose, plain_rows};
use crate::theme::Role;
use crate::words;

/// Most characters of a task's text in a question.
const NAME_CHARS: usize = 40;

const FROM_A_PERSON: Text = Text::new("from a person", "由人委派");
const FROM: Text = Text::new("from team {}", "来自团队 {}");
const ATTEMPT: Text = Text::new("attempt {}", "第 {} 次尝试");

pub const SCOPE: Scope = Scope::new("task", "任务全文", &[Scope::ANYWHERE]);

#[derive(Debug)]
pub struct WholeTask {
    task: Option<Box<Task>>,
}

/// The sheet of a task.
pub fn overlay(task: Box<Task>) -> Box<dyn Overlay> {
    Box::new(ListOverlay::new(WholeTask { task: Some(task) }))
}

/// Returns the beginning of a task's text.
pub(super) fn short(about: &str) -> String {
    short_headline(about, NAME_CHARS)
}

impl List for WholeTask {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding = tasks::SCOPE
        .bind(Action::Show(SCOPE), &["o"])
        .does("Show all of this task, with its result", "显示此任务的全部内容和结果");
    const TITLE: Text = Text::new("TASK", "任务");
    const EMPTY: Text = Text::new("no task is chosen", "没有选中任务");
    const WALK: Walk = Walk::Text;

    /// The driver is asked by the list in which it is chosen.
    fn open(_: &mut Cx<'_>) -> Option<Self> {
        Some(Self { task: None })
    }

    fn entries(&self, _: &Cx<'_>) -> Vec<usize> {
        self.task.iter().map(|_| 0).collect()
    }

    fn rows(&self, _: usize, width: usize, view: View<'_>, _: &Cx<'_>) -> Vec<Row> {
        let Some(task) = &self.task else { return Vec::new() };
        let (ui, cells) = (view.ui, width.saturating_sub(2).max(1));
        let mut rows = plain_rows(&head(task, ui), 1, cells, ui.style(Role::Title));
        rows.extend(plain_rows(&about(task, ui), 1, cells, ui.style(Role::TextDim)));
        rows.push(Strip::new());
        rows.extend(Prose::new(ui).rows(&task.text, 1, cells));
        for (said, role) in [(&task.result, Role::Title), (&task.error, Role::Warning)] {
            let Some(said) = said else { continue };
            rows.push(Strip::new());
            let ended = task.ended_at.as_ref().map_or("", |at| at.as_str());
            let ended = format!("{}  {ended}", ui.text(words::task_state(task.status, None)));
            rows.extend(plain_rows(&ended, 1, cells, ui.style(role)));
            rows.extend(Prose::new(ui).rows(said, 1, cells));
        }
        rows.into_iter().map(|row| (row, Strip::new())).collect()
    }
}

fn head(task: &Task, ui: &UiSettings) -> String {
    let state = ui.text(words::task_state(task.status, task.block_reason));
    format!("{}  {}  {state}", task.team, task.id)
}

fn about(task: &Task, ui: &UiSettings) -> String {
    let from = match &task.from {
        Some(team) => ui.sentence(FROM, team.as_str()),
        None => ui.text(FROM_A_PERSON).to_owned(),
    };
    let member = task.member.as_ref().map(|member| format!("@{member}"));
    let attempt = (task.attempt > 0).then(|| ui.sentence(ATTEMPT, &task.attempt.to_string()));
    let parts = [
        Some(task.kind.name().to_owned()),
        Some(ui.text(words::priority_word(task.priority)).to_owned()),
        member,
        Some(from),
        Some(task.created_at.to_string()),
        attempt,
        task.box_name.as_ref().map(|name| ui.sentence(words::ON_BOXES, name)),
    ];
    let dot = format!(" {} ", ui.glyphs.middle_dot);
    parts.into_iter().flatten().collect::<Vec<_>>().join(&dot)
}
