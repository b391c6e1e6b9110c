//! The triggers of teams: what makes tasks by itself, whether it does so now, and when next.

#[cfg(test)]
pub(crate) mod tests;

use std::ops::Range;

use super::list::{List, ListKey, Outcome, Row, Walk};
use super::trigger;
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, View};
use crate::domain::teams::trigger::row::TriggerRow;
use crate::domain::teams::trigger::{TriggerKind, TriggerState};
use crate::domain::text::Text;
use crate::domain::{DialogId, Stamp};
use crate::follow_up::{FollowUp, ToReading};
use crate::model::age;
use crate::new_overlay::NewOverlay;
use crate::panes::strip::Strip;
use crate::protocol::TeamsRequest;
use crate::request::Request;
use crate::theme::{Glyphs, Role};
use crate::words;

pub(super) const SWITCH: Text = Text::new("Enable or disable this trigger", "启用或停用此触发器");
pub(super) const ON_OFF: Text = Text::new("on/off", "启停");
const NEXT: Text = Text::new("next {}", "下次 {}");
/// Parts of a stamp, in characters: its date, and everything but the year and the seconds.
const DAY_CHARS: usize = 10;
const MONTH_TO_MINUTE: Range<usize> = 5..16;
const PENDING: Text = Text::new("pending", "待启用");
const DISABLED: Text = Text::new("disabled", "已停用");
const CANNOT_RUN: Text = Text::new("cannot run", "无法运行");
const FAILURES: words::Counted =
    words::Counted::new("failure in a row", "failures in a row", "次连续失败");

pub const SCOPE: Scope = Scope::new("triggers", "触发器", &[Scope::ANYWHERE]);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Triggers;

fn at<'a>(entry: usize, cx: &'a Cx<'_>) -> Option<&'a TriggerRow> {
    cx.model.teams.triggers().get(entry)
}

impl List for Triggers {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding = Scope::ANYWHERE
        .bind(Action::Show(SCOPE), &["alt+6"])
        .does("Show the triggers of all teams", "显示所有团队的触发器");
    const TITLE: Text = Text::new("TRIGGERS", "触发器");
    const EMPTY: Text = Text::new(
        "no trigger; one is a file .minds/hive/triggers/TEAM/NAME.yaml",
        "没有触发器；触发器是文件 .minds/hive/triggers/TEAM/NAME.yaml",
    );
    const WALK: Walk = Walk::Entries;
    const LEADS_ON: bool = true;
    const HINTS_BEFORE_CLOSE: usize = 3;
    const KEYS: &'static [ListKey<Self>] = &[
        ListKey {
            action: Action::SwitchTrigger,
            keys: &["space"],
            does: SWITCH,
            hint: ON_OFF,
            run: |_, entry, cx| switch(entry, cx),
        },
        ListKey {
            action: Action::TryTrigger,
            keys: &["t"],
            does: Text::new("Queue its task once, to try it", "把它的任务排队一次以试用"),
            hint: Text::new("try", "试用"),
            run: |_, entry, cx| {
                let request = TeamsRequest::TryTrigger { id: at(entry, cx)?.id() };
                Some(Outcome::Stay(FollowUp::Request(Request::Task(request))))
            },
        },
        ListKey {
            action: Action::Show(trigger::SCOPE),
            keys: &["o"],
            does: Text::new("Show what it does", "显示它做什么"),
            hint: Text::new("text", "全文"),
            run: |_, entry, cx| {
                let row = at(entry, cx)?.clone();
                Some(Outcome::Stay(FollowUp::Show(NewOverlay::Trigger(Box::new(row)))))
            },
        },
        ListKey {
            action: Action::Open,
            keys: &["enter"],
            does: Text::new("Open the dialog of its last task", "打开它上一个任务的对话"),
            hint: words::OPEN,
            run: |_, entry, cx| {
                let last = at(entry, cx)?.last_task.as_ref()?;
                let root = cx.model.teams.task(last)?.dialog.clone()?;
                Some(Outcome::Close(FollowUp::Reading(ToReading::Read(DialogId::main(root)))))
            },
        },
    ];

    fn open(_: &mut Cx<'_>) -> Option<Self> {
        Some(Self)
    }

    fn entries(&self, cx: &Cx<'_>) -> Vec<usize> {
        (0..cx.model.teams.triggers().len()).collect()
    }

    fn name(&self, entry: usize, cx: &Cx<'_>) -> Option<String> {
        Some(at(entry, cx)?.id().to_string())
    }

    fn rows(&self, entry: usize, _: usize, view: View<'_>, cx: &Cx<'_>) -> Vec<Row> {
        let Some(row) = at(entry, cx) else { return Vec::new() };
        let (ui, dim) = (view.ui, view.ui.style(Role::TextDim));
        let (glyph, role) = mark(row, &ui.glyphs);
        let kind = row.kind().map_or("?", TriggerKind::name);
        let left = Strip::new()
            .put(&format!("{glyph} "), ui.style(role))
            .put(&format!("{} ", row.name), ui.style(Role::Text))
            .put(&format!("{} ", row.team), ui.style(Role::Agent))
            .put(&format!(" {kind} {}", row.when()), dim);
        let (state, role) = state(row, view);
        let mut right = Strip::new();
        if row.failures > 0 && row.state == TriggerState::Active {
            let failures = ui.counted(u64::from(row.failures), FAILURES);
            right.push(&format!("{failures}  "), ui.style(Role::Warning));
        }
        if let (Some(status), Some(fired)) = (row.last_status, &row.last_fired_at) {
            let last = ui.text(words::task_state(status, None));
            right.push(&format!("{last} {}  ", age::short(fired, view.now)), dim);
        }
        right.push(&state, ui.style(role));
        vec![(left, right)]
    }
}

/// Enables the trigger at this place, or disables it.
pub(super) fn switch(entry: usize, cx: &Cx<'_>) -> Option<Outcome> {
    let row = at(entry, cx)?;
    let on = row.state != TriggerState::Active;
    let request = TeamsRequest::SwitchTrigger { id: row.id(), on };
    Some(Outcome::Stay(FollowUp::Request(Request::Task(request))))
}

/// The date of a stamp.
pub(super) fn day(at: &Stamp) -> &str {
    at.as_str().get(..DAY_CHARS).unwrap_or_default()
}

/// Returns what a trigger does next, in a word or two.
fn state(row: &TriggerRow, view: View<'_>) -> (String, Role) {
    let ui = view.ui;
    if row.fault.is_some() || row.definition.is_none() {
        return (ui.text(CANNOT_RUN).to_owned(), Role::Warning);
    }
    match (row.state, &row.next_at) {
        (TriggerState::Pending, _) => (ui.text(PENDING).to_owned(), Role::TextDim),
        (TriggerState::Disabled, _) => (ui.text(DISABLED).to_owned(), Role::Warning),
        (TriggerState::Active, Some(next)) => {
            let is_today = day(next) == day(view.now);
            let later = || next.as_str().get(MONTH_TO_MINUTE).unwrap_or(next.as_str());
            let time = if is_today { next.hour_minute() } else { later() };
            (ui.sentence(NEXT, time), Role::Text)
        }
        (TriggerState::Active, None) => (String::new(), Role::Text),
    }
}

/// A state as a symbol and a role.
fn mark(row: &TriggerRow, glyphs: &Glyphs) -> (&'static str, Role) {
    match row.state {
        _ if row.state == TriggerState::Active && !row.is_running() => {
            (glyphs.stopped, Role::Warning)
        }
        TriggerState::Pending => (glyphs.idle, Role::TextDim),
        TriggerState::Active => (glyphs.running, Role::Accent),
        TriggerState::Disabled => (glyphs.stopped, Role::TextDim),
    }
}
