//! Members whose names complete what is typed after `@`, shown above the composer.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Heading, INDENT, draw_heading};
use crate::domain::text::Text;
use crate::protocol::MemberView;
use crate::ui::backend::clear_area;
use crate::ui::cx::View;
use crate::ui::panes::field::{Field, Place};
use crate::ui::panes::strip::Strip;
use crate::ui::theme::Role;

const MEMBERS: Text = Text::new("members", "成员");

/// Members in view.
const MAX_ROWS: usize = 5;

/// Which of the fitting members is chosen.
#[derive(Debug, Default)]
pub struct Completion {
    chosen: usize,
    /// The position of an `@` for which the user has closed the list.
    closed_at: Option<Place>,
}

/// A name that is being typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TypedName<'a> {
    /// The position of its `@`.
    at: Place,
    name: &'a str,
}

impl Completion {
    /// The text changed: the first member is chosen again.
    pub fn text_changed(&mut self, field: &Field) {
        self.chosen = 0;
        let at = typed_name(field).map(|typed| typed.at);
        self.closed_at = self.closed_at.filter(|closed| Some(*closed) == at);
    }

    /// The members that fit what is typed: those that begin with it first. None if the name is complete.
    pub fn members<'a>(&self, field: &Field, all: &'a [MemberView]) -> Vec<&'a MemberView> {
        let Some(typed) = typed_name(field).filter(|typed| self.closed_at != Some(typed.at)) else {
            return Vec::new();
        };
        let wanted = typed.name.to_lowercase();
        let id = |member: &MemberView| member.id.to_string().to_lowercase();
        let sound = all.iter().filter(|member| member.id.to_string().chars().all(is_of_name));
        let (mut found, others): (Vec<_>, Vec<_>) =
            sound.partition(|member| id(member).starts_with(&wanted));
        let contains = |member: &&MemberView| {
            id(member).contains(&wanted) || member.name.to_lowercase().contains(&wanted)
        };
        found.extend(others.into_iter().filter(contains));
        if found.iter().any(|member| id(member) == wanted) { Vec::new() } else { found }
    }

    /// The chosen one of so many; they may have become fewer.
    fn chosen_of(&self, count: usize) -> usize {
        self.chosen.min(count.saturating_sub(1))
    }

    /// Chooses the next or the previous member; false if none is shown.
    pub fn step(&mut self, down: bool, field: &Field, all: &[MemberView]) -> bool {
        let count = self.members(field, all).len();
        if count == 0 {
            return false;
        }
        let step = if down { 1 } else { count - 1 };
        self.chosen = (self.chosen_of(count) + step) % count;
        true
    }

    /// Puts the chosen member's name into the field; false if none is shown.
    pub fn take(&mut self, field: &mut Field, all: &[MemberView]) -> bool {
        let found = self.members(field, all);
        let Some(name) =
            found.get(self.chosen_of(found.len())).map(|member| format!("@{} ", member.id))
        else {
            return false;
        };
        let Some(at) = typed_name(field).map(|typed| typed.at) else { return false };
        field.replace_before_caret(at, &name);
        self.chosen = 0;
        true
    }

    /// Closes the list for this name; false if none is shown.
    pub fn close(&mut self, field: &Field, all: &[MemberView]) -> bool {
        let shown = !self.members(field, all).is_empty();
        if shown {
            self.closed_at = typed_name(field).map(|typed| typed.at);
        }
        shown
    }

    /// Draws the members over the last rows of `above`.
    pub fn draw(&self, frame: &mut Frame<'_>, above: Rect, view: View<'_>, found: &[&MemberView]) {
        let ui = view.ui;
        let rows = found.len().min(MAX_ROWS).min(usize::from(above.height));
        let height = u16::try_from(rows).unwrap_or(0);
        let area = Rect { y: above.bottom() - height, height, ..above };
        clear_area(frame.buffer_mut(), area);
        if area.height > 0 && area.y > above.y {
            let head = Rect { y: area.y - 1, height: 1, ..area };
            let left = format!("{} {} {}", ui.text(MEMBERS), ui.glyphs.middle_dot, found.len());
            clear_area(frame.buffer_mut(), head);
            draw_heading(frame, head, ui, &Heading { left, ..Heading::default() }, false);
        }
        let chosen = self.chosen_of(found.len());
        let first = (chosen + 1).saturating_sub(rows);
        for (y, (at, member)) in (area.y..).zip(found.iter().enumerate().skip(first).take(rows)) {
            let (mark, role) = if at == chosen {
                (ui.glyphs.prompt, Role::RowSelected)
            } else {
                (" ", Role::Text)
            };
            let strip = Strip::new()
                .put(" ", ui.style(Role::Text))
                .put(mark, ui.style(Role::Accent))
                .pad_to(usize::from(INDENT))
                .put(&format!("@{}", member.id), ui.style(role))
                .put(&format!("  {}", member.gofor), ui.style(Role::TextDim));
            let cells = usize::from(area.width);
            strip.shortened(cells, ui.glyphs.cut, ui.style(Role::TextDim)).draw(
                frame.buffer_mut(),
                area,
                y,
            );
        }
    }
}

/// The name before the caret: after an `@` that does not continue a word, as in an address of mail.
fn typed_name(field: &Field) -> Option<TypedName<'_>> {
    let (start, before) = field.before_caret();
    let (rest, name) = before.rsplit_once('@')?;
    let separate = rest.chars().next_back().is_none_or(|c| !is_of_name(c));
    let is_name = separate && name.chars().all(is_of_name);
    let at = Place { byte: start.byte + rest.len(), ..start };
    is_name.then_some(TypedName { at, name })
}

/// Characters of the ids of members.
fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members() -> Vec<MemberView> {
        let member = |id: &str, name: &str| MemberView {
            id: id.into(),
            name: name.to_owned(),
            gofor: String::new(),
        };
        vec![
            member("reviewer", "Rita"),
            member("dba", "Dora"),
            member("database", "Theo"),
            member("evil\u{1b}[2J", "Dan"),
        ]
    }

    fn ids(text: &str) -> Vec<String> {
        let all = members();
        let found = Completion::default().members(&Field::new(text), &all);
        found.iter().map(|member| member.id.to_string()).collect()
    }

    #[test]
    fn a_name_is_completed_after_an_at_sign_that_begins_a_word() {
        for (text, expected) in [
            ("@", vec!["reviewer", "dba", "database"]),
            ("ask @d", vec!["dba", "database"]),
            ("问（@D", vec!["dba", "database"]),
            ("@ba", vec!["dba", "database"]),
            ("@rita", vec!["reviewer"]),
            ("@dba", vec![]),
            ("@dba ", vec![]),
            ("me@d", vec![]),
            ("@x", vec![]),
            ("d", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(ids(text), expected, "{text}");
        }
    }

    #[test]
    fn a_closed_list_stays_closed_for_this_name_only() {
        let (all, mut completion, mut field) = (members(), Completion::default(), Field::new("@d"));
        assert!(completion.close(&field, &all) && !completion.close(&field, &all));
        completion.text_changed(&field);
        assert!(completion.members(&field, &all).is_empty());
        field.set("@d @d");
        completion.text_changed(&field);
        assert_eq!(completion.members(&field, &all).len(), 2);
    }

    #[test]
    fn of_fewer_members_the_last_one_is_chosen() {
        let (all, mut completion, mut field) = (members(), Completion::default(), Field::new("@"));
        assert!(completion.step(false, &field, &all));
        field.set("@dat");
        assert!(completion.take(&mut field, &all));
        assert_eq!(field.text(), "@database ");
    }

    #[test]
    fn the_chosen_name_replaces_what_was_typed() {
        let (all, mut completion, mut field) =
            (members(), Completion::default(), Field::new("a @d"));
        assert!(completion.step(true, &field, &all) && completion.take(&mut field, &all));
        assert_eq!(field.text(), "a @database ");
        assert!(!completion.take(&mut field, &all) && field.undo());
        assert_eq!(field.text(), "a @d");
    }
}
