//! How much members decide alone: the levels, one of which is chosen for the workspace.

#[cfg(test)]
pub(crate) mod tests;

use super::list::{List, ListKey, Outcome, Row, Walk};
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, View};
use crate::domain::asking::autonomy::AutonomyLevel;
use crate::domain::text::Text;
use crate::follow_up::FollowUp;
use crate::panes::strip::Strip;
use crate::request::Request;
use crate::theme::Role;

pub const SCOPE: Scope = Scope::new("autonomy", "自主权", &[Scope::ANYWHERE]);

const CONFIRM_ALL: Text = Text::new("every decision requires approval", "所有决定都需要批准");
const MAJOR_ONLY: Text =
    Text::new("scope and architecture require approval", "范围和架构的决定需要批准");
const FULL: Text = Text::new("members decide everything", "成员自行决定一切");
const EXCEPTIONS: Text = Text::new("with exceptions in hive.yaml", "hive.yaml 中另有例外");

#[derive(Debug)]
pub struct AutonomyList;

fn level_at(entry: usize) -> Option<AutonomyLevel> {
    AutonomyLevel::ALL.get(entry).copied()
}

/// What a level means.
pub(super) fn words(level: AutonomyLevel) -> Text {
    match level {
        AutonomyLevel::ConfirmAll => CONFIRM_ALL,
        AutonomyLevel::MajorOnly => MAJOR_ONLY,
        AutonomyLevel::Full => FULL,
    }
}

impl List for AutonomyList {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding = Scope::PANES
        .bind(Action::Show(SCOPE), &["L"])
        .does("Choose how much members decide alone", "选择成员可自行决定的范围");
    const TITLE: Text = Text::new("AUTONOMY", "自主权");
    const EMPTY: Text = Text::new("there is no level", "没有级别");
    const WALK: Walk = Walk::Entries;
    const KEYS: &'static [ListKey<Self>] = &[ListKey {
        action: Action::Open,
        keys: &["enter"],
        does: Text::new(
            "Take this level, from the next generation on",
            "采用此级别，从下一轮生成起生效",
        ),
        hint: Text::new("take it", "采用"),
        run: |_, entry, _| {
            let request = Request::SetAutonomy { level: level_at(entry)? };
            Some(Outcome::Close(FollowUp::Request(request)))
        },
    }];

    fn open(_: &mut Cx<'_>) -> Option<Self> {
        Some(Self)
    }

    fn entries(&self, _: &Cx<'_>) -> Vec<usize> {
        (0..AutonomyLevel::ALL.len()).collect()
    }

    /// Returns the level and its meaning; that of the workspace is marked.
    fn rows(&self, entry: usize, _: usize, view: View<'_>, cx: &Cx<'_>) -> Vec<Row> {
        let Some(level) = level_at(entry) else { return Vec::new() };
        let (ui, dim) = (view.ui, view.ui.style(Role::TextDim));
        let now = cx.model.consent.autonomy.filter(|now| now.level == Some(level));
        let (mark, role) =
            if now.is_some() { (ui.glyphs.done, Role::Accent) } else { (" ", Role::Text) };
        let left = Strip::new()
            .put(&format!("{mark} "), ui.style(role))
            .put(level.name(), ui.style(role))
            .put(&format!("  {}", ui.text(words(level))), dim);
        let exceptions = now.filter(|now| now.has_exceptions).map(|_| ui.text(EXCEPTIONS));
        vec![(left, Strip::new().put(exceptions.unwrap_or_default(), dim))]
    }
}
