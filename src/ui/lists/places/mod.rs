//! The places to jump back to: the dialogs last visited, the newest on top. Going to one removes it from the
//! list and adds the current one.

#[cfg(test)]
pub(crate) mod tests;

use super::list::{List, ListKey, Outcome, Row, Walk};
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, View};
use crate::domain::text::Text;
use crate::follow_up::{FollowUp, ToReading};
use crate::model::Mark;
use crate::panes::strip::Strip;
use crate::theme::Role;
use crate::words;

pub const SCOPE: Scope = Scope::new("places", "去过的位置", &[Scope::ANYWHERE]);

#[derive(Debug)]
pub struct Places;

impl List for Places {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding = Scope::ANYWHERE
        .bind(Action::Show(SCOPE), &["ctrl+o"])
        .does("Show the dialogs you were in, to jump back", "显示去过的对话，以便跳回");
    const TITLE: Text = Text::new("JUMP BACK", "跳回");
    const EMPTY: Text = Text::new("there is nothing to go back to", "没有可返回之处");
    const WALK: Walk = Walk::Entries;
    const KEYS: &'static [ListKey<Self>] = &[ListKey {
        action: Action::Open,
        keys: &["enter"],
        does: Text::new("Go there", "到那里"),
        hint: Text::new("go there", "到那里"),
        run: |_, place, cx| {
            cx.places
                .get(place)
                .map(|_| Outcome::Close(FollowUp::Reading(ToReading::GoToPlace(place))))
        },
    }];

    /// Opens it, unless there is no place.
    fn open(cx: &mut Cx<'_>) -> Option<Self> {
        if cx.places.is_empty() {
            cx.notify(Self::EMPTY);
            return None;
        }
        Some(Self)
    }

    fn entries(&self, cx: &Cx<'_>) -> Vec<usize> {
        (0..cx.places.len()).rev().collect()
    }

    /// The dialog with its state; at the right the course, unless it is the newest.
    fn rows(&self, entry: usize, _: usize, view: View<'_>, cx: &Cx<'_>) -> Vec<Row> {
        let Some(place) = cx.places.get(entry) else { return Vec::new() };
        let ui = view.ui;
        let dim = ui.style(Role::TextDim);
        let left = match cx.model.tree.get(&place.dialog) {
            Some(row) => {
                let mark = Mark::of(row);
                let slug = row.slug.as_ref().map(|slug| format!(" !{slug}")).unwrap_or_default();
                let about = ui.about(&row.title, row.foreign());
                Strip::new()
                    .put(mark.glyph(&ui.glyphs), ui.style(mark.role()))
                    .put(&format!(" @{}{slug}", row.agent), ui.style(Role::Agent))
                    .put(&format!("  {}", row.taskdoc), dim)
                    .put(&format!("  {about}"), ui.style(Role::Text))
            }
            None => Strip::new().put(&place.dialog.to_string(), dim),
        };
        let course =
            place.course.map(|course| format!("{} {course}", ui.text(words::COURSE_BEGINS)));
        vec![(left, Strip::new().put(&course.unwrap_or_default(), dim))]
    }
}
