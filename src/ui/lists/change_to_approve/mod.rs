//! Everything that a question asks to approve. Once its end was on the screen, it can be approved.

#[cfg(test)]
pub(crate) mod tests;

use super::list::{List, Row, Walk};
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, View};
use crate::domain::text::Text;
use crate::panes::inbox;
use crate::panes::inquiry::approval_rows;
use crate::panes::strip::Strip;
use crate::protocol::InboxRow;

pub const SCOPE: Scope = Scope::new("change", "待批准的更改", &[Scope::ANYWHERE]);

#[derive(Debug)]
pub struct ChangeToApprove {
    row: Option<InboxRow>,
}

impl ChangeToApprove {
    /// Shows the change that this question asks to approve.
    pub fn of(row: InboxRow) -> Self {
        Self { row: Some(row) }
    }
}

impl List for ChangeToApprove {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding = inbox::SCOPE
        .bind(Action::Show(SCOPE), &["d"])
        .does("Show all that it asks to approve", "显示它请求批准的全部内容");
    const TITLE: Text = Text::new("CHANGE TO APPROVE", "待批准的更改");
    const EMPTY: Text = Text::new("this question asks for no approval", "这个问题不请求批准");
    const WALK: Walk = Walk::Text;

    /// Shows the change of the selected question.
    fn open(cx: &mut Cx<'_>) -> Option<Self> {
        let row = cx.model.inbox.selected().filter(|row| row.is_approval());
        Some(Self { row: row.cloned() })
    }

    fn entries(&self, _: &Cx<'_>) -> Vec<usize> {
        self.row.iter().map(|_| 0).collect()
    }

    fn question(&self) -> Option<&InboxRow> {
        self.row.as_ref()
    }

    fn rows(&self, _: usize, width: usize, view: View<'_>, _: &Cx<'_>) -> Vec<Row> {
        let Some(row) = &self.row else { return Vec::new() };
        // The last cell is not drawn.
        let rows = approval_rows(row, width.saturating_sub(1).max(1), view.ui);
        rows.into_iter().map(|row| (row, Strip::new())).collect()
    }
}
