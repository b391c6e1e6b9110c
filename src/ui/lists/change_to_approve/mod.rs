//! The whole change that a question asks to approve.

#[cfg(test)]
pub(in crate::ui) mod tests;

use super::list::{List, Row, Walk};
use crate::domain::text::Text;
use crate::ui::action::{Action, Binding, Scope};
use crate::ui::cx::{Cx, View};
use crate::ui::panes::diff::DiffRows;
use crate::ui::panes::inbox;
use crate::ui::panes::strip::Strip;

pub const SCOPE: Scope = Scope::new("change", "待批准的更改", &[Scope::ANYWHERE]);

#[derive(Debug)]
pub struct ChangeToApprove {
    diff: Option<String>,
}

impl List for ChangeToApprove {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding = inbox::SCOPE
        .bind(Action::Show(SCOPE), &["d"])
        .does("Show the whole change that it asks to approve", "显示它请求批准的全部更改");
    const TITLE: Text = Text::new("CHANGE TO APPROVE", "待批准的更改");
    const EMPTY: Text =
        Text::new("this question has no change to approve", "这个问题没有待批准的更改");
    const WALK: Walk = Walk::Text;

    /// That of the selected question.
    fn open(cx: &mut Cx<'_>) -> Option<Self> {
        let diff = cx.model.inbox.selected().and_then(|row| row.diff());
        Some(Self { diff: diff.map(str::to_owned) })
    }

    fn entries(&self, _: &Cx<'_>) -> Vec<usize> {
        self.diff.iter().map(|_| 0).collect()
    }

    fn rows(&self, _: usize, width: usize, view: View<'_>, _: &Cx<'_>) -> Vec<Row> {
        let diff = self.diff.as_deref().unwrap_or_default();
        let rows = DiffRows::new(view.ui, 1, width).patch(diff, usize::MAX);
        rows.into_rows().into_iter().map(|row| (row, Strip::new())).collect()
    }
}
