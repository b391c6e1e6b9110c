//! How much the member of the open dialog decides alone there, from its next generation on. The first entry leaves it
//! to the configuration.

#[cfg(test)]
pub(crate) mod tests;

use super::autonomy;
use super::list::{List, ListKey, Outcome, Row, Walk};
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, View};
use crate::domain::DialogId;
use crate::domain::asking::autonomy::AutonomyLevel;
use crate::domain::text::Text;
use crate::follow_up::FollowUp;
use crate::panes::strip::Strip;
use crate::request::Request;
use crate::theme::Role;

pub const SCOPE: Scope = Scope::new("autonomy-here", "此处的自主权", &[Scope::ANYWHERE]);

const NO_DIALOG: Text = Text::new("open a dialog first", "请先打开一个对话");
const AS_CONFIGURED: Text = Text::new("as configured", "按配置");
const OF_HIVE: Text = Text::new("what hive.yaml says", "以 hive.yaml 为准");

/// The list of one dialog, also if another is opened below it.
#[derive(Debug)]
pub struct DialogAutonomy {
    dialog: DialogId,
}

/// The level of an entry; the first one has none.
fn level_at(entry: usize) -> Option<AutonomyLevel> {
    AutonomyLevel::ALL.get(entry.checked_sub(1)?).copied()
}

impl List for DialogAutonomy {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding = Scope::ANYWHERE.bind(Action::Show(SCOPE), &["alt+l"]).does(
        "Choose how much the member of the open dialog decides alone",
        "选择当前对话的成员可自行决定的范围",
    );
    const TITLE: Text = Text::new("AUTONOMY HERE", "此处的自主权");
    const EMPTY: Text = Text::new("there is no level", "没有级别");
    const WALK: Walk = Walk::Entries;
    const KEYS: &'static [ListKey<Self>] = &[ListKey {
        action: Action::Open,
        keys: &["enter"],
        does: Text::new(
            "Take this level here, from the next generation on",
            "在此采用此级别，从下一轮生成起生效",
        ),
        hint: Text::new("take it", "采用"),
        run: |list, entry, _| {
            let (dialog, level) = (list.dialog.clone(), level_at(entry));
            let request = Request::SetDialogAutonomy { dialog, level };
            Some(Outcome::Close(FollowUp::Request(request)))
        },
    }];

    /// Opens it, unless no dialog is open.
    fn open(cx: &mut Cx<'_>) -> Option<Self> {
        let dialog = cx.open.cloned();
        if dialog.is_none() {
            cx.notify(NO_DIALOG);
        }
        dialog.map(|dialog| Self { dialog })
    }

    fn entries(&self, _: &Cx<'_>) -> Vec<usize> {
        (0..=AutonomyLevel::ALL.len()).collect()
    }

    /// Returns the level and its meaning; the one that was chosen is marked.
    fn rows(&self, entry: usize, _: usize, view: View<'_>, cx: &Cx<'_>) -> Vec<Row> {
        let (ui, level) = (view.ui, level_at(entry));
        let chosen = cx.model.tree.get(&self.dialog).and_then(|row| row.autonomy);
        let (mark, role) =
            if chosen == level { (ui.glyphs.done, Role::Accent) } else { (" ", Role::Text) };
        let (name, meaning) = match level {
            None => (ui.text(AS_CONFIGURED), OF_HIVE),
            Some(level) => (level.name(), autonomy::words(level)),
        };
        let left = Strip::new()
            .put(&format!("{mark} "), ui.style(role))
            .put(name, ui.style(role))
            .put(&format!("  {}", ui.text(meaning)), ui.style(Role::TextDim));
        vec![(left, Strip::new())]
    }
}
