//! The done and archived dialogs, to be read, restored or deleted. The driver is asked for them when the
//! list is opened.

#[cfg(test)]
pub(crate) mod tests;

use super::list::{List, ListKey, ListOverlay, Outcome, Row, Walk};
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::asking::question::short_headline;
use crate::domain::text::Text;
use crate::domain::{AgentId, Bucket, DialogId, RootId, Slug};
use crate::follow_up::{FollowUp, ToReading};
use crate::model::age;
use crate::new_overlay::NewOverlay;
use crate::overlay::Overlay;
use crate::panes::strip::Strip;
use crate::panes::tree;
use crate::protocol::{Lifecycle, ShelfRow};
use crate::request::Request;
use crate::theme::Role;
use crate::words;

/// Characters of the subject in the name of a dialog.
const NAME_CHARS: usize = 40;

pub const SCOPE: Scope = Scope::new("shelf", "已完成与已归档", &[Scope::ANYWHERE]);

#[derive(Debug)]
pub struct Shelf {
    rows: Vec<ShelfRow>,
}

/// Shows the dialogs that the driver sent, with `chosen` selected if it is among them.
pub fn overlay(rows: Vec<ShelfRow>, chosen: Option<&RootId>) -> Box<dyn Overlay> {
    let at = rows.iter().position(|row| Some(&row.root) == chosen);
    Box::new(ListOverlay::at(Shelf { rows }, at.unwrap_or(0)))
}

impl List for Shelf {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding = tree::SCOPE.bind(Action::Show(SCOPE), &["u"]).does(
        "Show done and archived dialogs, to restore them",
        "显示已完成与已归档的对话，以便恢复",
    );
    const TITLE: Text = Text::new("DONE AND ARCHIVED", "已完成与已归档");
    const EMPTY: Text = Text::new("nothing is done or archived yet", "还没有完成或归档的对话");
    const WALK: Walk = Walk::Entries;
    const HINTS_BEFORE_CLOSE: usize = 2;
    const KEYS: &'static [ListKey<Self>] = &[
        ListKey {
            action: Action::Open,
            keys: &["enter"],
            does: Text::new("Read this dialog", "阅读此对话"),
            hint: Text::new("open", "打开"),
            run: |list, at, _| {
                let root = list.rows.get(at)?.root.clone();
                Some(Outcome::Close(FollowUp::Reading(ToReading::Read(DialogId::main(root)))))
            },
        },
        ListKey {
            action: Action::Revive,
            keys: &["u"],
            does: Text::new("Restore this dialog to the running ones", "把此对话恢复到运行中"),
            hint: Text::new("restore", "恢复"),
            run: |list, at, cx| Some(move_to(Bucket::Run, list.rows.get(at)?, cx.ui)),
        },
        ListKey {
            action: Action::Archive,
            keys: &["A"],
            does: Text::new("Archive this dialog", "把此对话归档"),
            hint: Text::new("archive", "归档"),
            run: |list, at, cx| Some(move_to(Bucket::Archive, list.rows.get(at)?, cx.ui)),
        },
        ListKey {
            action: Action::Delete,
            keys: &["D"],
            does: Text::new("Delete this dialog permanently; asks first", "永久删除此对话；先询问"),
            hint: Text::new("delete", "删除"),
            run: |list, at, cx| Some(delete(list.rows.get(at)?, cx.ui)),
        },
    ];

    /// The driver is asked first; the list is shown once its rows are there.
    fn open(cx: &mut Cx<'_>) -> Option<Self> {
        cx.follow_ups.push(FollowUp::Request(Request::Shelf));
        None
    }

    fn entries(&self, _: &Cx<'_>) -> Vec<usize> {
        (0..self.rows.len()).collect()
    }

    fn rows(&self, entry: usize, _: usize, view: View<'_>, _: &Cx<'_>) -> Vec<Row> {
        let Some(row) = self.rows.get(entry) else { return Vec::new() };
        let ui = view.ui;
        let dim = ui.style(Role::TextDim);
        let word = if row.bucket == Bucket::Archive { words::ARCHIVED } else { words::DONE };
        let left = Strip::new()
            .put(&format!("@{}", row.agent), ui.style(Role::Agent))
            .put(&format!("  {}", row.taskdoc), dim)
            .put(&format!("  {}", ui.about(&row.title, row.foreign())), ui.style(Role::Text));
        let age = age::short(&row.last_modified, view.now);
        vec![(left, Strip::new().put(&format!("{}  {age}", ui.text(word)), dim))]
    }
}

fn move_to(to: Bucket, row: &ShelfRow, ui: &UiSettings) -> Outcome {
    let change = Lifecycle::Move { root: row.root.clone(), to };
    Outcome::Close(FollowUp::Request(Request::Lifecycle { change, name: name(row, ui) }))
}

fn delete(row: &ShelfRow, ui: &UiSettings) -> Outcome {
    let change = Lifecycle::Delete { root: row.root.clone() };
    let name = name(row, ui);
    let question = ui.sentence(words::DELETE_QUESTION, &name);
    let yes = vec![FollowUp::Request(Request::Lifecycle { change, name })];
    let asks = NewOverlay::PermanentQuestion(words::SUBJECT_DELETE, question, yes);
    Outcome::Close(FollowUp::Show(asks))
}

fn name(row: &ShelfRow, ui: &UiSettings) -> String {
    dialog_name(&row.agent, None, &ui.about(&row.title, row.foreign()), &row.taskdoc)
}

/// The name of a dialog in messages: its member and its subject.
pub fn dialog_name(agent: &AgentId, slug: Option<&Slug>, about: &str, taskdoc: &str) -> String {
    let slug = slug.map(|slug| format!(" !{slug}")).unwrap_or_default();
    let about = short_headline(about, NAME_CHARS);
    let about = if about.is_empty() { short_headline(taskdoc, NAME_CHARS) } else { about };
    format!("@{agent}{slug} “{about}”")
}
