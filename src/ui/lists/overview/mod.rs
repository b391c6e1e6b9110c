//! What the teams do, on one screen: those in trouble first, each with its reason and the key that helps, then what waits
//! for the person, the triggers, and what ended last. It changes nothing by itself: lists opened from here lead back.

mod day;
mod scope;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeMap;

use super::list::{List, ListKey, Outcome, Row, Walk};
use super::{memories, problems, tasks, teams, triggers, vault};
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::reading::problem::STORE_PROBLEM;
use crate::domain::reading::title::headline;
use crate::domain::teams::task::TaskStatus;
use crate::domain::teams::task::row::TaskRow;
use crate::domain::teams::trigger::TriggerState;
use crate::domain::teams::trigger::row::TriggerRow;
use crate::domain::teams::trouble::{Trouble, TroubleKind};
use crate::domain::text::Text;
use crate::domain::{DialogId, Lang, Problem, RootId};
use crate::effect::Effect;
use crate::focus::Focus;
use crate::follow_up::{FollowUp, ToReading, ToWriting};
use crate::model::{LogFilter, Mark, Model, Retry, ShownTasks, age};
use crate::new_overlay::NewOverlay;
use crate::panes::strip::Strip;
use crate::programs::ProgramJob;
use crate::protocol::{Command, FindRequest, InboxRow, TeamRow, TeamsRequest, WorkspaceView};
use crate::question_choice::Pick;
use crate::request::Request;
use crate::theme::{Glyphs, Role};
use crate::words;

pub use scope::SCOPE;

const FOR_YOU: Text = Text::new("FOR YOU", "等你处理");
const LAST: Text = Text::new("ENDED LAST", "最近结束");
const QUESTIONS: words::Counted =
    words::Counted::new("waits for you", "wait for you", "个等你处理");
const WORK: words::Counted = words::Counted::new("works", "work", "个运行中");
const WITHOUT_MODEL: words::Counted =
    words::Counted::new("without its model", "without their models", "个模型没有回应");
const QUEUED: words::Counted = words::Counted::new("queued", "queued", "个排队中");
const IDLE: words::Counted =
    words::Counted::new("more team is idle", "more teams are idle", "个团队空闲");
const PROBLEMS: words::Counted = words::Counted::new("problem", "problems", "个问题");
const STORE_OK: Text = Text::new("store ok", "存储正常");
const STORE_AWAY: Text = Text::new("store away", "存储不可用");
const NOT_KNOWN: Text = Text::new("not known: {}", "未知：{}");
const CUT_OFF: Text = Text::new(
    "no connection to the driver: this is as it was",
    "与驱动程序的连接已断开：以下是之前的状态",
);
const RETRY: Text = Text::new("retry", "重试");
const ANSWER: Text = Text::new("answer", "回答");
const CANCEL: Text = Text::new("cancel", "取消");
const LIMITS: Text = Text::new("limits", "限额");
const TASKS: Text = Text::new("tasks", "任务");
const MIGRATE: Text = Text::new("run vault migrate", "执行 vault migrate");
const HEALTH: Text = Text::new("run health", "执行 health");
const WORK_COLUMN: Text = Text::new("work", "运行");
const QUEUE_COLUMN: Text = Text::new("queue", "排队");
const NOW_COLUMN: Text = Text::new("now, or why not", "现状或原因");

/// Idle teams that have rows of their own; of more there is the number.
const SHOWN_IDLE: usize = 3;
/// Most questions, triggers that are next, and ended tasks.
const MOST: usize = 5;
/// Columns of a team.
const NAME_END: usize = 14;
const WORK_END: usize = 20;
const QUEUE_END: usize = 26;
const ENDED_END: usize = 33;

/// A part of the overview; entries are numbered by part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Now,
    Teams,
    Questions,
    Triggers,
    Ended,
}

/// What an entry shows. The numbers are places in the lists of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Head(Part),
    Team(usize),
    /// Teams without anything to say.
    Idle(usize),
    Question(usize),
    Trigger(usize),
    Ended(usize),
}

/// Entries of one part.
const PART: usize = 1 << 16;
const HEAD: usize = PART - 1;
/// Numbers of idle teams begin here; no list of teams is as long.
const IDLES: usize = PART / 2;

impl Line {
    fn entry(self) -> usize {
        let (part, at) = match self {
            Self::Head(Part::Now) => (0, HEAD),
            Self::Head(Part::Teams) => (1, HEAD),
            Self::Head(Part::Questions) => (2, HEAD),
            Self::Head(Part::Triggers) => (3, HEAD),
            Self::Head(Part::Ended) => (4, HEAD),
            Self::Team(at) => (1, at.min(IDLES - 1)),
            Self::Idle(count) => (1, IDLES + count.min(IDLES - 2)),
            Self::Question(at) => (2, at.min(HEAD - 1)),
            Self::Trigger(at) => (3, at.min(HEAD - 1)),
            Self::Ended(at) => (4, at.min(HEAD - 1)),
        };
        part * PART + at
    }

    fn of(entry: usize) -> Self {
        match (entry / PART, entry % PART) {
            (1, HEAD) => Self::Head(Part::Teams),
            (2, HEAD) => Self::Head(Part::Questions),
            (3, HEAD) => Self::Head(Part::Triggers),
            (4, HEAD) => Self::Head(Part::Ended),
            (1, at) if at < IDLES => Self::Team(at),
            (1, at) => Self::Idle(at - IDLES),
            (2, at) => Self::Question(at),
            (3, at) => Self::Trigger(at),
            (4, at) => Self::Ended(at),
            _ => Self::Head(Part::Now),
        }
    }
}

#[derive(Debug)]
pub struct Overview {
    /// The teams had memories when it was opened.
    has_memory: bool,
    /// They had vaults then.
    has_vault: bool,
}

impl List for Overview {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding = Scope::ANYWHERE
        .bind(Action::Show(SCOPE), &["alt+0"])
        .does("Show what all teams do, trouble first", "显示所有团队在做什么，有麻烦的在前");
    const TITLE: Text = Text::new("OVERVIEW", "总览");
    const EMPTY: Text = words::LOADING;
    const WALK: Walk = Walk::Entries;
    const LEADS_ON: bool = true;
    const HINTS_BEFORE_CLOSE: usize = 2;
    const KEYS: &'static [ListKey<Self>] = &[
        ListKey {
            action: Action::Open,
            keys: &["enter"],
            does: Text::new(
                "Show the tasks of this team, or what this row is about",
                "显示此团队的任务，或此行所指的内容",
            ),
            hint: words::OPEN,
            run: |_, entry, cx| open(Line::of(entry), cx),
        },
        ListKey {
            action: Action::Answer,
            keys: &["a"],
            does: Text::new(
                "Answer this question, or that of this team",
                "回答此问题或此团队的问题",
            ),
            hint: ANSWER,
            run: |_, entry, cx| asked_by(Line::of(entry), cx).map(answer),
        },
        ListKey {
            action: Action::RetryNow,
            keys: &["R"],
            does: Text::new(
                "Queue what failed or stopped again, or ask the model again now",
                "让失败或停止的任务重新排队，或立即再次请求模型",
            ),
            hint: RETRY,
            run: |_, entry, cx| retry(&trouble_at(Line::of(entry), cx)?, cx),
        },
        ListKey {
            action: Action::Stop,
            keys: &["x"],
            does: Text::new(
                "Cancel the task that does not get on; asks first",
                "取消没有进展的任务；先询问",
            ),
            hint: CANCEL,
            run: |_, entry, cx| {
                let trouble = trouble_at(Line::of(entry), cx)?;
                let task = cx.model.teams.task(trouble.task.as_ref()?)?;
                (trouble.kind == TroubleKind::Stalls).then(|| tasks::cancel(task, cx.ui))
            },
        },
        ListKey {
            action: Action::Edit,
            keys: &["e"],
            does: Text::new(
                "Open the file of this team in your editor: its limits are used up",
                "用编辑器打开此团队的文件：当天的限额已用完",
            ),
            hint: LIMITS,
            run: |_, entry, cx| edit_limits(Line::of(entry), cx),
        },
        ListKey {
            action: Action::SwitchTrigger,
            keys: &["space"],
            does: triggers::SWITCH,
            hint: triggers::ON_OFF,
            run: |_, entry, cx| {
                let Line::Trigger(at) = Line::of(entry) else { return None };
                triggers::switch(at, cx)
            },
        },
        ListKey {
            action: Action::Log,
            keys: &["J"],
            does: Text::new("Show the log of this program", "显示本程序的日志"),
            hint: Text::new("log", "日志"),
            run: |_, entry, cx| {
                let team = team_in(Line::of(entry), cx).map(|team| team.name.clone());
                let log = Request::Log(LogFilter::of(team));
                Some(Outcome::Stay(FollowUp::Request(log)))
            },
        },
        above(memories::SCOPE, Text::new("memory", "记忆"), |list, _, _| {
            list.has_memory.then(|| shows(memories::SCOPE))
        }),
        above(vault::SCOPE, Text::new("vault", "保管库"), |list, _, _| {
            list.has_vault.then(|| shows(vault::SCOPE))
        }),
        above(teams::SCOPE, Text::new("teams", "团队"), |_, _, _| Some(shows(teams::SCOPE))),
        above(tasks::SCOPE, TASKS, |_, _, _| Some(shows(tasks::SCOPE))),
        above(triggers::SCOPE, Text::new("triggers", "触发器"), |_, _, _| {
            Some(shows(triggers::SCOPE))
        }),
        ListKey {
            action: Action::Conversations,
            keys: &["H"],
            does: Text::new(
                "Show what was said in the dialogs of this team, or in all",
                "显示此团队的对话中或所有对话中说过的话",
            ),
            hint: Text::new("conversations", "会话"),
            run: |_, entry, cx| Some(conversations(Line::of(entry), cx)),
        },
    ];

    fn offers(&self, action: Action) -> bool {
        (self.has_memory || action != Action::Show(memories::SCOPE))
            && (self.has_vault || action != Action::Show(vault::SCOPE))
    }

    fn open(cx: &mut Cx<'_>) -> Option<Self> {
        let WorkspaceView { has_memory, has_vault, .. } = cx.model.workspace;
        Some(Self { has_memory, has_vault })
    }

    fn about(&self, ui: &UiSettings, cx: &Cx<'_>) -> String {
        let model = cx.model;
        let folder = Some(model.workspace.folder.clone()).filter(|folder| !folder.is_empty());
        let state = if model.is_cut_off() {
            Some(CUT_OFF)
        } else if store_fault(model).is_some() {
            Some(STORE_AWAY)
        } else {
            (!model.teams.rows().is_empty()).then_some(STORE_OK)
        };
        let parts = [folder, state.map(|state| ui.text(state).to_owned())];
        let dot = format!(" {} ", ui.glyphs.middle_dot);
        parts.into_iter().flatten().collect::<Vec<_>>().join(&dot)
    }

    fn entries(&self, cx: &Cx<'_>) -> Vec<usize> {
        lines(cx).into_iter().map(Line::entry).collect()
    }

    fn name(&self, entry: usize, cx: &Cx<'_>) -> Option<String> {
        match Line::of(entry) {
            Line::Team(at) => Some(format!("team {}", team_at(at, cx)?.name)),
            Line::Idle(_) => Some("idle".to_owned()),
            Line::Question(at) => {
                Some(format!("question {}", cx.model.inbox.rows().get(at)?.question.id))
            }
            Line::Trigger(at) => {
                Some(format!("trigger {}", cx.model.teams.triggers().get(at)?.id()))
            }
            Line::Ended(at) => Some(cx.model.teams.tasks().get(at)?.id.to_string()),
            Line::Head(part) => Some(format!("{part:?}")),
        }
    }

    fn rows(&self, entry: usize, width: usize, view: View<'_>, cx: &Cx<'_>) -> Vec<Row> {
        let row = match Line::of(entry) {
            Line::Head(Part::Now) => Some(now_row(view.ui, cx)),
            Line::Head(part) => Some(head_row(part, width, view.ui, cx)),
            Line::Team(at) => team_at(at, cx).map(|team| team_row(team, view.ui, cx)),
            Line::Idle(count) => {
                let text = format!("  {} {}", view.ui.glyphs.cut, view.ui.counted(count, IDLE));
                Some((Strip::new().put(&text, view.ui.style(Role::TextDim)), Strip::new()))
            }
            Line::Question(at) => {
                cx.model.inbox.rows().get(at).map(|row| question_row(row, view, cx))
            }
            Line::Trigger(at) => triggers::Triggers.rows(at, width, view, cx).pop(),
            Line::Ended(at) => cx.model.teams.tasks().get(at).map(|task| {
                let (left, right) = tasks::task_row(task, true, view, cx);
                let why = task.error.as_ref().map(|why| format!("  {why}")).unwrap_or_default();
                (left.put(&why, view.ui.style(Role::Warning)), right)
            }),
        };
        row.into_iter().collect()
    }
}

/// The key of another list, which lies above this one, so that closing it leads back.
const fn above(
    list: Scope,
    hint: Text,
    run: fn(&Overview, usize, &Cx<'_>) -> Option<Outcome>,
) -> ListKey<Overview> {
    ListKey { action: Action::Show(list), keys: &[], does: hint, hint, run }
}

fn shows(list: Scope) -> Outcome {
    Outcome::Stay(FollowUp::ShowList(list))
}

fn lines(cx: &Cx<'_>) -> Vec<Line> {
    let model = cx.model;
    let mut lines = vec![Line::Head(Part::Now)];
    let mut add = |part: Part, found: Vec<Line>| {
        if !found.is_empty() {
            lines.push(Line::Head(part));
            lines.extend(found);
        }
    };
    add(Part::Teams, team_lines(cx));
    add(Part::Questions, (0..model.inbox.rows().len().min(MOST)).map(Line::Question).collect());
    add(Part::Triggers, trigger_lines(model.teams.triggers()));
    let tasks = model.teams.tasks().iter().enumerate();
    let ended = tasks.filter(|(_, task)| !task.status.is_open()).take(MOST);
    add(Part::Ended, ended.map(|(at, _)| Line::Ended(at)).collect());
    lines
}

/// The teams in trouble, then those that work, then those with a queue, then a few of the idle ones.
fn team_lines(cx: &Cx<'_>) -> Vec<Line> {
    let retried = retried(cx.model, cx.ui.lang);
    let teams = cx.model.teams.rows().iter().enumerate();
    let mut ranked: Vec<(Rank, usize)> =
        teams.map(|(at, (_, team))| (Rank::of(team, &retried, cx), at)).collect();
    ranked.sort();
    let is_idle = |(rank, _): &&(Rank, usize)| *rank == Rank::Idle;
    let idle = ranked.iter().filter(is_idle).count();
    // Whether a team is idle is not known without the store.
    let more = if store_fault(cx.model).is_none() { idle.saturating_sub(SHOWN_IDLE) } else { 0 };
    let shown = ranked.len().saturating_sub(more);
    let rest = (more > 0).then_some(Line::Idle(more));
    ranked.iter().take(shown).map(|(_, at)| Line::Team(*at)).chain(rest).collect()
}

/// What a person looks at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    InTrouble(TroubleKind),
    Works,
    Waits,
    Idle,
}

impl Rank {
    fn of(team: &TeamRow, retried: &BTreeMap<&RootId, String>, cx: &Cx<'_>) -> Self {
        match trouble(team, retried, cx) {
            Some(trouble) => Self::InTrouble(trouble.kind),
            None if team.running > 0 => Self::Works,
            None if team.pending > 0 => Self::Waits,
            None => Self::Idle,
        }
    }
}

/// The trees in which a request is made again, with what the server answered, if that is known here.
fn retried(model: &Model, lang: Lang) -> BTreeMap<&RootId, String> {
    let rows = model.tree.all().filter(|row| Mark::of(row) == Mark::Retrying);
    let answered = rows.map(|row| match model.retries.get(&row.dialog) {
        Some(Retry::Waiting { error, .. }) => (&row.dialog.root, error.in_lang(lang).to_owned()),
        Some(Retry::Running) | None => (&row.dialog.root, String::new()),
    });
    answered.collect()
}

fn trouble(team: &TeamRow, retried: &BTreeMap<&RootId, String>, cx: &Cx<'_>) -> Option<Trouble> {
    let answered = |task: &TaskRow| retried.get(task.dialog.as_ref()?).cloned();
    team.facts().trouble(cx.model.teams.tasks(), answered, cx.now)
}

fn trouble_at(line: Line, cx: &Cx<'_>) -> Option<Trouble> {
    trouble(team_in(line, cx)?, &retried(cx.model, cx.ui.lang), cx)
}

fn team_at<'a>(at: usize, cx: &'a Cx<'_>) -> Option<&'a TeamRow> {
    cx.model.teams.rows().get(at).map(|(_, team)| team)
}

fn team_in<'a>(line: Line, cx: &'a Cx<'_>) -> Option<&'a TeamRow> {
    let Line::Team(at) = line else { return None };
    team_at(at, cx)
}

/// What was said in the main dialogs of the lead of this team and their side dialogs; in other rows, in all dialogs.
fn conversations(line: Line, cx: &Cx<'_>) -> Outcome {
    let member = team_in(line, cx).and_then(|team| team.lead.clone());
    let wanted = FindRequest { said: true, member, ..FindRequest::default() };
    Outcome::Stay(FollowUp::Show(NewOverlay::Finder(wanted)))
}

/// Why nothing is known of tasks and triggers, if so.
fn store_fault(model: &Model) -> Option<&Problem> {
    model.problems.iter().find(|problem| problem.id == STORE_PROBLEM)
}

/// Those that fail or cannot run, then those that fire next.
fn trigger_lines(triggers: &[TriggerRow]) -> Vec<Line> {
    let is_sick = |row: &TriggerRow| {
        let cannot_run = row.state == TriggerState::Active && !row.is_running();
        cannot_run || (row.failures > 0 && row.state != TriggerState::Pending)
    };
    let all = || triggers.iter().enumerate();
    let sick = all().filter(|(_, row)| is_sick(row)).map(|(at, _)| at);
    let well = all().filter(|(_, row)| !is_sick(row));
    let mut next: Vec<_> = well.filter_map(|(at, row)| Some((row.next_at.as_ref()?, at))).collect();
    next.sort();
    let next = next.into_iter().take(MOST).map(|(_, at)| at);
    sick.chain(next).map(Line::Trigger).collect()
}

fn open(line: Line, cx: &Cx<'_>) -> Option<Outcome> {
    let tasks_of = |team| {
        let tasks = NewOverlay::Tasks(team, ShownTasks::All);
        Outcome::Stay(FollowUp::Show(tasks))
    };
    Some(match line {
        Line::Head(Part::Now) if cx.model.problems.is_empty() => return None,
        Line::Head(Part::Now) => shows(problems::SCOPE),
        Line::Team(_) if store_fault(cx.model).is_some() => shows(problems::SCOPE),
        Line::Head(Part::Teams) | Line::Idle(_) => shows(teams::SCOPE),
        Line::Head(Part::Questions) => Outcome::Close(FollowUp::Focus(Focus::Inbox)),
        Line::Head(Part::Triggers) | Line::Trigger(_) => shows(triggers::SCOPE),
        Line::Head(Part::Ended) => tasks_of(None),
        Line::Team(at) => tasks_of(Some(team_at(at, cx)?.name.clone())),
        Line::Question(_) => answer(asked_by(line, cx)?),
        Line::Ended(at) => {
            let root = cx.model.teams.tasks().get(at)?.dialog.clone()?;
            Outcome::Close(FollowUp::Reading(ToReading::Read(DialogId::main(root))))
        }
    })
}

/// The question in this row, or the one that the team waits for; none if that is on another box.
fn asked_by<'a>(line: Line, cx: &'a Cx<'_>) -> Option<&'a InboxRow> {
    if let Line::Question(at) = line {
        return cx.model.inbox.rows().get(at);
    }
    let asks = trouble_at(line, cx).filter(|trouble| trouble.kind == TroubleKind::Asks)?;
    let is_of_task = |row: &&InboxRow| {
        let task = row.work.as_ref().and_then(|work| work.task.as_ref());
        task.is_some() && task == asks.task.as_ref()
    };
    cx.model.inbox.all().iter().find(is_of_task)
}

fn answer(row: &InboxRow) -> Outcome {
    let pick = Pick::Question(row.question.id.clone());
    Outcome::Close(FollowUp::Writing(ToWriting::Answer(pick)))
}

fn retry(trouble: &Trouble, cx: &Cx<'_>) -> Option<Outcome> {
    let id = trouble.task.clone()?;
    let follows = match trouble.kind {
        TroubleKind::SetUpFailed
        | TroubleKind::Failing
        | TroubleKind::Interrupted
        | TroubleKind::Stopped => tasks::requested(TeamsRequest::Retry { id }),
        TroubleKind::NoModel => {
            let root = cx.model.teams.task(&id)?.dialog.as_ref()?;
            let mut rows = cx.model.tree.all().filter(|row| row.dialog.root == *root);
            let row = rows.find(|row| Mark::of(row) == Mark::Retrying)?;
            FollowUp::Command(Command::RetryNow { dialog: row.dialog.clone() })
        }
        TroubleKind::Quarantined
        | TroubleKind::Asks
        | TroubleKind::UsedUp
        | TroubleKind::NoBox
        | TroubleKind::Stalls => return None,
    };
    Some(Outcome::Stay(follows))
}

/// Opens the file of a team that has used up its limits: they are in it.
fn edit_limits(line: Line, cx: &Cx<'_>) -> Option<Outcome> {
    let Line::Team(at) = line else { return None };
    let is_used_up = trouble_at(line, cx)?.kind == TroubleKind::UsedUp;
    let path = format!(".minds/hive/teams/{}.yaml", team_at(at, cx)?.name);
    let edits = Effect::Program(ProgramJob::EditFile { path, line: None });
    is_used_up.then_some(Outcome::Stay(FollowUp::Effect(edits)))
}

/// How a trouble looks.
fn mark(kind: TroubleKind, glyphs: &Glyphs) -> (&'static str, Role) {
    match kind {
        TroubleKind::Quarantined | TroubleKind::SetUpFailed | TroubleKind::Failing => {
            (glyphs.dead, Role::Bad)
        }
        TroubleKind::NoModel => (glyphs.retrying, Role::Warning),
        TroubleKind::Asks => (glyphs.needs_you, Role::Attention),
        TroubleKind::Interrupted | TroubleKind::Stopped => (glyphs.stopped, Role::Warning),
        TroubleKind::UsedUp | TroubleKind::NoBox | TroubleKind::Stalls => {
            (glyphs.waiting, Role::Warning)
        }
    }
}

/// The key that helps, with its word, or the command where no key does.
fn helps(trouble: &Trouble, ui: &UiSettings) -> String {
    let (action, word) = match trouble.kind {
        // There is nothing to queue again.
        TroubleKind::SetUpFailed if trouble.task.is_none() => (Action::Open, TASKS),
        TroubleKind::SetUpFailed
        | TroubleKind::Failing
        | TroubleKind::NoModel
        | TroubleKind::Interrupted
        | TroubleKind::Stopped => (Action::RetryNow, RETRY),
        TroubleKind::Asks => (Action::Answer, ANSWER),
        TroubleKind::Stalls => (Action::Stop, CANCEL),
        TroubleKind::UsedUp => (Action::Edit, LIMITS),
        TroubleKind::Quarantined => return ui.text(MIGRATE).to_owned(),
        TroubleKind::NoBox => return ui.text(HEALTH).to_owned(),
    };
    format!("{} {}", ui.key(SCOPE, action), ui.text(word))
}

/// The key that leads to the problems, with their number; empty where there are none.
fn to_problems(ui: &UiSettings, cx: &Cx<'_>) -> Strip {
    let count = cx.model.problems.len();
    if count == 0 {
        return Strip::new();
    }
    let text = format!("{} {}", ui.key(SCOPE, Action::Open), ui.counted(count, PROBLEMS));
    Strip::new().put(&text, ui.style(Role::TextDim))
}

fn now_row(ui: &UiSettings, cx: &Cx<'_>) -> Row {
    let (model, dim) = (cx.model, ui.style(Role::TextDim));
    let running = model.tree.all().filter(|row| row.state.is_running()).count();
    let without = model.tree.all().filter(|row| Mark::of(row) == Mark::Retrying).count();
    let queued: u64 = model.teams.rows().iter().map(|(_, team)| team.pending).sum();
    let questions = model.inbox.len();
    let asking = if questions > 0 { Role::Attention } else { Role::Text };
    let mut parts =
        vec![(ui.counted(questions, QUESTIONS), asking), (ui.counted(running, WORK), Role::Text)];
    if without > 0 {
        parts.push((ui.counted(without, WITHOUT_MODEL), Role::Warning));
    }
    parts.push(match store_fault(model) {
        Some(problem) => (ui.sentence(NOT_KNOWN, problem.text.in_lang(ui.lang)), Role::Warning),
        None => (ui.counted(queued, QUEUED), Role::Text),
    });
    if store_fault(model).is_none() {
        parts.extend(day::summary(ui, cx).map(|text| (text, Role::TextDim)));
    }
    let mut left = Strip::new();
    for (text, role) in parts {
        if !left.is_empty() {
            left.push(&format!(" {} ", ui.glyphs.middle_dot), dim);
        }
        left.push(&text, ui.style(role));
    }
    (left, to_problems(ui, cx))
}

fn head_row(part: Part, width: usize, ui: &UiSettings, cx: &Cx<'_>) -> Row {
    let (model, rule) = (cx.model, ui.style(Role::Rule));
    let (title, count, list) = match part {
        Part::Now | Part::Teams => {
            (teams::Teams::TITLE, model.teams.rows().len(), Some(teams::SCOPE))
        }
        Part::Questions => (FOR_YOU, model.inbox.len(), None),
        Part::Triggers => {
            (triggers::Triggers::TITLE, model.teams.triggers().len(), Some(triggers::SCOPE))
        }
        Part::Ended => (LAST, 0, Some(tasks::SCOPE)),
    };
    let key = list.map(|list| ui.key(SCOPE, Action::Show(list))).unwrap_or_default();
    let right = Strip::new().put(&key, ui.style(Role::TextDim));
    let mut left = Strip::new().put(ui.text(title), ui.style(Role::Title));
    if count > 0 {
        left.push(&format!(" {} {count}", ui.glyphs.middle_dot), ui.style(Role::TextDim));
    }
    // The margins of a row, and the blanks around the line.
    let end = width.saturating_sub(right.width() + 5);
    if part == Part::Teams {
        left = with_columns(left.put(" ", rule), end, ui);
    }
    (left.put(" ", rule).fill_to(end, ui.glyphs.rule, rule), right)
}

/// Names the columns of the teams, as far as there is room.
fn with_columns(left: Strip, end: usize, ui: &UiSettings) -> Strip {
    let dim = ui.style(Role::TextDim);
    let ended = format!("{}/{}", ui.glyphs.done, ui.glyphs.dead);
    let columns = [
        (NAME_END, ui.text(WORK_COLUMN)),
        (WORK_END, ui.text(QUEUE_COLUMN)),
        (QUEUE_END, ended.as_str()),
        (ENDED_END, ui.text(NOW_COLUMN)),
    ];
    let mut left = left.fill_to(NAME_END, ui.glyphs.rule, ui.style(Role::Rule));
    for (at, word) in columns {
        let with_it = left.clone().pad_to(at).put(&format!(" {word}"), dim);
        if with_it.width() < end {
            left = with_it;
        }
    }
    left
}

fn team_row(team: &TeamRow, ui: &UiSettings, cx: &Cx<'_>) -> Row {
    let dim = ui.style(Role::TextDim);
    if let Some(problem) = store_fault(cx.model) {
        let why = ui.sentence(NOT_KNOWN, problem.text.in_lang(ui.lang));
        let left = Strip::new()
            .put(&format!("? {}", team.name), ui.style(Role::Text))
            .pad_to(NAME_END)
            .put(&format!(" {why}"), ui.style(Role::Warning));
        return (left, to_problems(ui, cx));
    }
    let trouble = trouble(team, &retried(cx.model, ui.lang), cx);
    let (glyph, role) = match &trouble {
        Some(trouble) => mark(trouble.kind, &ui.glyphs),
        None if team.running > 0 => (ui.glyphs.running, Role::Accent),
        None => (ui.glyphs.idle, Role::TextDim),
    };
    let [done, failed] = day::ended(Some(&team.name), cx);
    let left = Strip::new()
        .put(&format!("{glyph} "), ui.style(role))
        .put(team.name.as_str(), ui.style(Role::Text))
        .pad_to(NAME_END)
        .put(&format!(" {}/{}", team.running, team.max_running), dim)
        .pad_to(WORK_END)
        .put(&format!(" {}", team.pending), dim)
        .pad_to(QUEUE_END)
        .put(&format!(" {done}/{failed}"), dim)
        .pad_to(ENDED_END);
    let Some(trouble) = trouble else {
        let mut tasks = cx.model.teams.tasks().iter().filter(|task| task.team == team.name);
        let runs = tasks.find(|task| task.status == TaskStatus::Running);
        let about = runs.map_or(ui.glyphs.minus, |task| task.about.as_str());
        return (left.put(&format!(" {about}"), dim), Strip::new());
    };
    let reason = trouble.reason();
    let left = left.put(&format!(" {}", reason.in_lang(ui.lang)), ui.style(role));
    (left, Strip::new().put(&helps(&trouble, ui), dim))
}

fn question_row(row: &InboxRow, view: View<'_>, cx: &Cx<'_>) -> Row {
    let (ui, dim) = (view.ui, view.ui.style(Role::TextDim));
    let work = row.work.as_ref().map(|work| format!("{} ", work.team)).unwrap_or_default();
    let left = Strip::new()
        .put(&format!("{} ", ui.glyphs.of_kind(row.kind())), ui.style(Role::Attention))
        .put(&work, ui.style(Role::Text))
        .put(&format!("{} ", row.asker(ui.lang)), ui.style(Role::Agent))
        .put(&headline(&row.question.tellask_content), ui.style(Role::Text));
    let age = age::short(&row.question.asked_at, cx.now);
    (left, Strip::new().put(&age, dim))
}
