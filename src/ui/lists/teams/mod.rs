//! The teams of the workspace, each below its parent, with their work.

#[cfg(test)]
pub(crate) mod tests;

use super::list::{List, ListKey, Outcome, Row, Walk};
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, View};
use crate::domain::teams::org_change::TeamStatus;
use crate::domain::text::Text;
use crate::follow_up::FollowUp;
use crate::model::ShownTasks;
use crate::new_overlay::NewOverlay;
use crate::panes::strip::Strip;
use crate::protocol::{TeamRow, TeamsRequest};
use crate::request::Request;
use crate::theme::Role;
use crate::words;

const INITIALIZING: Text = Text::new("being set up", "正在建立");
const BOOTSTRAP_FAILED: Text = Text::new("set-up failed", "建立失败");
const SHUTTING_DOWN: Text = Text::new("shutting down", "正在关闭");
const QUARANTINED: Text = Text::new("quarantined", "已隔离");
const CHANGING: Text = Text::new("changes teams", "正在变更团队");
const OPEN_TASKS: words::Counted = words::Counted::new("open task", "open tasks", "个未完成的任务");
const SHUT_DOWN_QUESTION: Text = Text::new(
    "shut down {}? tasks end, dialogs are archived",
    "关闭 {} 吗？任务会结束，对话会归档",
);
const NO_BOX: Text = Text::new("on no box", "没有机器");
const USED_UP: Text = Text::new("until midnight", "等到午夜");
/// Cells by which a team is to the right of its parent.
const INDENT: usize = 2;

pub const SCOPE: Scope = Scope::new("teams", "团队", &[Scope::ANYWHERE]);

#[derive(Debug)]
pub struct Teams;

impl List for Teams {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding =
        Scope::ANYWHERE.bind(Action::Show(SCOPE), &["alt+4"]).does("Show the teams", "显示团队");
    const TITLE: Text = Text::new("TEAMS", "团队");
    const EMPTY: Text = Text::new(
        "there are no teams here: a team is a file .minds/hive/teams/NAME.yaml",
        "这里没有团队：一个团队是一个文件 .minds/hive/teams/NAME.yaml",
    );
    const WALK: Walk = Walk::Entries;
    const LEADS_ON: bool = true;
    const KEYS: &'static [ListKey<Self>] = &[
        ListKey {
            action: Action::Open,
            keys: &["enter"],
            does: Text::new("Show the tasks of this team", "显示此团队的任务"),
            hint: Text::new("tasks", "任务"),
            run: |_, entry, cx| {
                let team = team_at(entry, cx)?.name.clone();
                // Back from there leads here.
                let tasks = NewOverlay::Tasks(Some(team), ShownTasks::All);
                Some(Outcome::Stay(FollowUp::Show(tasks)))
            },
        },
        ListKey {
            action: Action::Delegate,
            keys: &["a"],
            does: Text::new("Delegate a task to this team", "把任务委派给此团队"),
            hint: Text::new("delegate", "委派"),
            run: |_, entry, cx| {
                let team = team_at(entry, cx)?.name.clone();
                Some(Outcome::Stay(FollowUp::Show(NewOverlay::NewTask(team))))
            },
        },
        ListKey {
            action: Action::Stop,
            keys: &["s"],
            does: Text::new(
                "Shut this team down, with those below it; asks first",
                "关闭此团队及其下级；先询问",
            ),
            hint: Text::new("shut down", "关闭"),
            run: |_, entry, cx| {
                // The root stays.
                let team = team_at(entry, cx).filter(|team| team.parent.is_some())?;
                Some(shut_down(team, entry, cx))
            },
        },
    ];

    fn open(_: &mut Cx<'_>) -> Option<Self> {
        Some(Self)
    }

    fn entries(&self, cx: &Cx<'_>) -> Vec<usize> {
        (0..cx.model.teams.rows().len()).collect()
    }

    fn name(&self, entry: usize, cx: &Cx<'_>) -> Option<String> {
        Some(team_at(entry, cx)?.name.to_string())
    }

    fn rows(&self, entry: usize, _: usize, view: View<'_>, cx: &Cx<'_>) -> Vec<Row> {
        let Some((depth, team)) = cx.model.teams.rows().get(entry) else { return Vec::new() };
        let (ui, dim) = (view.ui, view.ui.style(Role::TextDim));
        let retrying = cx.model.teams.retrying(&team.name, &cx.model.tree);
        let (glyph, role) = if team.blocked > 0 {
            (ui.glyphs.needs_you, Role::Attention)
        } else if retrying > 0 {
            (ui.glyphs.retrying, Role::Warning)
        } else if team.running > 0 {
            (ui.glyphs.running, Role::Accent)
        } else {
            (ui.glyphs.idle, Role::TextDim)
        };
        let mut left = Strip::new()
            .put(&" ".repeat(depth * INDENT), dim)
            .put(&format!("{glyph} "), ui.style(role))
            .put(team.name.as_str(), ui.style(Role::Text));
        let status = match team.status {
            TeamStatus::Active if team.changing => Some((CHANGING, Role::Accent)),
            TeamStatus::Active => None,
            TeamStatus::Initializing => Some((INITIALIZING, Role::Accent)),
            TeamStatus::BootstrapFailed => Some((BOOTSTRAP_FAILED, Role::Warning)),
            TeamStatus::ShuttingDown => Some((SHUTTING_DOWN, Role::Warning)),
        };
        let held_back = team.held_back.as_ref().map(|_| (QUARANTINED, Role::Warning));
        if let Some((word, role)) = held_back.or(status) {
            left.push(&format!("  {}", ui.text(word)), ui.style(role));
        }
        if let Some(lead) = &team.lead {
            left.push(&format!("  @{lead}"), ui.style(Role::Agent));
        }
        if let Some(boxes) = &team.boxes {
            let (place, role) = match boxes.as_slice() {
                [] if team.pending > 0 => (ui.text(NO_BOX).to_owned(), Role::Warning),
                [] => (ui.text(NO_BOX).to_owned(), Role::TextDim),
                boxes => (ui.sentence(words::ON_BOXES, &boxes.join(", ")), Role::TextDim),
            };
            left.push(&format!("  {place}"), ui.style(role));
        }
        if !team.description.is_empty() {
            left.push(&format!("  {}", team.description), dim);
        }
        let counts = [
            (team.blocked, words::BLOCKED, Role::Attention),
            (retrying, words::RETRYING, Role::Warning),
            (team.running.saturating_sub(retrying), words::RUNNING, Role::Accent),
            (team.pending, words::QUEUED, Role::TextDim),
        ];
        let mut right = Strip::new();
        for (count, word, role) in counts.into_iter().filter(|(count, ..)| *count > 0) {
            let dot = if right.is_empty() { "" } else { ui.glyphs.middle_dot };
            let dot = if dot.is_empty() { String::new() } else { format!(" {dot} ") };
            right.push(&dot, dim);
            right.push(&format!("{count} {}", ui.text(word)), ui.style(role));
        }
        if team.used_up {
            right.push(&format!("  {}", ui.text(USED_UP)), ui.style(Role::Warning));
        } else if team.is_saturated() && team.pending > 0 {
            right.push(&format!("  {}", ui.glyphs.up), ui.style(Role::Warning));
        }
        vec![(left, right)]
    }
}

/// Asks to confirm a shutdown: the question names the teams and the number of their open tasks.
fn shut_down(team: &TeamRow, entry: usize, cx: &Cx<'_>) -> Outcome {
    let depth = |at: usize| cx.model.teams.rows().get(at).map(|(depth, _)| *depth);
    let rows = cx.model.teams.rows().iter().skip(entry);
    let below =
        rows.enumerate().take_while(|(at, (deep, _))| *at == 0 || Some(*deep) > depth(entry));
    let ending: Vec<&TeamRow> = below.map(|(_, (_, row))| row).collect();
    let names: Vec<&str> = ending.iter().map(|row| row.name.as_str()).collect();
    let open: u64 = ending.iter().map(|row| row.running + row.blocked + row.pending).sum();
    let mut what = names.join(", ");
    if open > 0 {
        what.push_str(&format!(" ({})", cx.ui.counted(open, OPEN_TASKS)));
    }
    let cascade = ending.len() > 1;
    let request = TeamsRequest::ShutDown { team: team.name.clone(), cascade };
    let question = cx.ui.sentence(SHUT_DOWN_QUESTION, &what);
    let yes = vec![FollowUp::Request(Request::Task(request))];
    let asks = NewOverlay::PermanentQuestion(words::SUBJECT_SHUT_DOWN, question, yes);
    Outcome::Stay(FollowUp::Show(asks))
}

fn team_at<'a>(entry: usize, cx: &'a Cx<'_>) -> Option<&'a TeamRow> {
    cx.model.teams.rows().get(entry).map(|(_, team)| team)
}
