//! The queued messages of the open dialog; each can be edited or taken back.

#[cfg(test)]
mod tests;

use ratatui::style::Style;

use super::list::{List, ListKey, Outcome, Row, Walk};
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, View};
use crate::domain::DialogId;
use crate::domain::text::Text;
use crate::follow_up::{FollowUp, ToWriting};
use crate::panes::queued::{SendState, row};
use crate::panes::strip::Strip;
use crate::request::{PendingTakeBack, Request};

pub const SCOPE: Scope = Scope::new("queued", "排队的消息", &[Scope::ANYWHERE]);

/// The list of one dialog, also if another is opened below it.
#[derive(Debug)]
pub struct Queued {
    dialog: DialogId,
}

impl List for Queued {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding = Scope::ANYWHERE
        .bind(Action::Show(SCOPE), &["alt+q"])
        .does("Show the queued messages of the open dialog", "显示当前对话排队的消息");
    const TITLE: Text = Text::new("QUEUED MESSAGES", "排队的消息");
    const EMPTY: Text = Text::new("no message waits here", "这里没有排队的消息");
    const WALK: Walk = Walk::Entries;
    const KEYS: &'static [ListKey<Self>] = &[
        ListKey {
            action: Action::Edit,
            keys: &["enter", "e"],
            does: Text::new("Take this message back into the composer", "把这条消息撤回到输入栏"),
            hint: Text::new("edit", "编辑"),
            run: |list, entry, cx| {
                let words = cx.queued.get(entry)?.clone();
                Some(Outcome::Close(FollowUp::Writing(ToWriting::EditQueued(
                    list.dialog.clone(),
                    words,
                ))))
            },
        },
        ListKey {
            action: Action::TakeBack,
            keys: &["d"],
            does: Text::new(
                "Take this message back: it will not be delivered",
                "撤回这条消息：不会送达",
            ),
            hint: Text::new("take back", "撤回"),
            run: |list, entry, cx| {
                let message = cx.queued.get(entry)?.message.clone();
                let dialog = list.dialog.clone();
                let back = PendingTakeBack { dialog, message, edit: None };
                Some(Outcome::Stay(FollowUp::Request(Request::TakeBack(back))))
            },
        },
    ];

    /// Opens it, unless no message waits.
    fn open(cx: &mut Cx<'_>) -> Option<Self> {
        let dialog = cx.open.filter(|_| !cx.queued.is_empty());
        if dialog.is_none() {
            cx.notify(Self::EMPTY);
        }
        dialog.map(|dialog| Self { dialog: dialog.clone() })
    }

    fn entries(&self, cx: &Cx<'_>) -> Vec<usize> {
        (0..cx.queued.len()).collect()
    }

    fn rows(&self, entry: usize, _: usize, view: View<'_>, cx: &Cx<'_>) -> Vec<Row> {
        let Some(message) = cx.queued.get(entry) else { return Vec::new() };
        let (left, right) = row(&message.text, SendState::Queued, view.ui);
        vec![(Strip::new().put(" ", Style::default()).join(left), right)]
    }
}
