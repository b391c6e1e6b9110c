//! Everything that a question asks to approve. Once its end was on the screen, it can be approved. Comments on lines of
//! the change stand below them, so that nothing of a line is cut, and go with the answer.

#[cfg(test)]
pub(crate) mod tests;

use super::list::{List, ListKey, Outcome, Row, Walk};
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, View};
use crate::domain::asking::inquiry::AnswerOption;
use crate::domain::text::Text;
use crate::follow_up::{FollowUp, ToWriting};
use crate::model::DraftKey;
use crate::model::drafts::words_of_comment;
use crate::new_overlay::{CommentOn, NewOverlay, PromptPurpose};
use crate::panes::diff::PatchLines;
use crate::panes::inbox;
use crate::panes::inquiry::{approval_rows, change_line_rows, change_lines, comment_rows};
use crate::panes::strip::Strip;
use crate::protocol::InboxRow;
use crate::question_choice::Pick;
use crate::words;

pub const SCOPE: Scope = Scope::new("change", "待批准的更改", &[Scope::ANYWHERE]);

#[derive(Debug)]
pub struct ChangeToApprove {
    row: Option<InboxRow>,
    lines: PatchLines,
}

impl ChangeToApprove {
    /// Shows the change that this question asks to approve.
    pub fn of(row: InboxRow) -> Self {
        Self { lines: change_lines(&row), row: Some(row) }
    }

    /// The question, while it waits for an answer.
    fn waiting<'a>(&self, cx: &Cx<'a>) -> Option<&'a InboxRow> {
        let (inbox, id) = (&cx.model.inbox, &self.row.as_ref()?.question.id);
        inbox.get(id).filter(|_| inbox.is_waiting(id))
    }

    /// Approves it once all of it was on the screen. Of several ways to do it, one is chosen in the composer.
    fn approve(&self, cx: &Cx<'_>) -> Option<Outcome> {
        let row = self.waiting(cx).filter(|row| cx.model.inbox.can_be_approved(row))?;
        let [approves, _] = options(row) else {
            let pick = Pick::Question(row.question.id.clone());
            return Some(Outcome::Close(FollowUp::Writing(ToWriting::Answer(pick))));
        };
        Some(answered(row, approves.key))
    }

    fn reject(&self, cx: &Cx<'_>) -> Option<Outcome> {
        let row = self.waiting(cx)?;
        Some(answered(row, options(row).last()?.key))
    }

    /// Asks for a comment on the line of this entry.
    fn comment(&self, entry: usize, cx: &Cx<'_>) -> Option<Outcome> {
        let row = self.waiting(cx)?;
        let line = entry.checked_sub(1)?;
        let place = self.lines.place(line)?.to_owned();
        let (dialog, question) = (row.dialog.clone(), row.question.id.clone());
        let stored = cx.drafts.get(&DraftKey::Comment(question.clone(), line));
        let before = words_of_comment(stored, &place).to_owned();
        let (name, text) = (place.clone(), before.clone());
        let on = CommentOn::Change { question, line };
        let purpose = PromptPurpose::Comment { dialog, on, place, before };
        Some(Outcome::Stay(FollowUp::Show(NewOverlay::Prompt { purpose, name, text })))
    }
}

/// The options of an approval; the last one rejects it.
fn options(row: &InboxRow) -> &[AnswerOption] {
    let part = row.inquiry.as_ref().and_then(|inquiry| inquiry.parts.first());
    part.map_or(&[], |part| part.options.as_slice())
}

fn answered(row: &InboxRow, option: char) -> Outcome {
    let question = row.question.id.clone();
    Outcome::Close(FollowUp::Writing(ToWriting::AnswerWith(question, option)))
}

impl List for ChangeToApprove {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding = inbox::SCOPE
        .bind(Action::Show(SCOPE), &["d"])
        .does("Show all that it asks to approve", "显示它请求批准的全部内容");
    const TITLE: Text = Text::new("CHANGE TO APPROVE", "待批准的更改");
    const EMPTY: Text = Text::new("this question asks for no approval", "这个问题不请求批准");
    const WALK: Walk = Walk::Lines;
    const KEYS: &'static [ListKey<Self>] = &[
        ListKey {
            action: Action::Answer,
            keys: &["a"],
            does: Text::new("Approve it, once all of it was shown", "批准它；须先全部显示过"),
            hint: Text::new("approve", "批准"),
            run: |list, _, cx| list.approve(cx),
        },
        ListKey {
            action: Action::Dismiss,
            keys: &["x"],
            does: Text::new("Reject it", "拒绝它"),
            hint: Text::new("reject", "拒绝"),
            run: |list, _, cx| list.reject(cx),
        },
        ListKey {
            action: Action::Comment,
            keys: &[";", "enter"],
            does: Text::new("Comment on this line, with the answer", "评注此行，随答复送达"),
            hint: words::COMMENT,
            run: |list, entry, cx| list.comment(entry, cx),
        },
    ];

    /// Shows the change of the selected question.
    fn open(cx: &mut Cx<'_>) -> Option<Self> {
        let row = cx.model.inbox.selected().filter(|row| row.is_approval());
        let lines = row.map(change_lines).unwrap_or_default();
        Some(Self { row: row.cloned(), lines })
    }

    fn entries(&self, _: &Cx<'_>) -> Vec<usize> {
        self.row.iter().flat_map(|_| 0..=self.lines.count()).collect()
    }

    fn question(&self) -> Option<&InboxRow> {
        self.row.as_ref()
    }

    fn rows(&self, entry: usize, width: usize, view: View<'_>, _: &Cx<'_>) -> Vec<Row> {
        let Some(row) = &self.row else { return Vec::new() };
        let cells = cells(width);
        let rows = match entry.checked_sub(1) {
            Some(line) => change_line_rows(&self.lines, line, cells, view.ui),
            None => approval_rows(row, cells, view.ui),
        };
        rows.into_iter().map(|row| (row, Strip::new())).collect()
    }

    fn remarks(&self, entry: usize, width: usize, view: View<'_>, cx: &Cx<'_>) -> Vec<Row> {
        let (Some(row), Some(line)) = (&self.row, entry.checked_sub(1)) else { return Vec::new() };
        let place = self.lines.place(line).unwrap_or_default();
        let stored = cx.drafts.get(&DraftKey::Comment(row.question.id.clone(), line));
        if stored.is_empty() {
            return Vec::new();
        }
        let rows = comment_rows(words_of_comment(stored, place), cells(width), view.ui);
        rows.into_iter().map(|row| (row, Strip::new())).collect()
    }
}

/// Cells of a row: the last one is not drawn.
fn cells(width: usize) -> usize {
    width.saturating_sub(1).max(1)
}
