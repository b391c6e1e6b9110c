//! The keys that work where the focus is, from the bindings, by what they are pressed for.

mod group;
mod terms;
#[cfg(test)]
mod tests;

use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::field::{EDIT_KEYS, EditKeys, VI_EDIT_KEYS};
use super::read_sheet::{ReadSheet, SheetView};
use super::strip::{Joint, Strip};
use super::text_rows::TextRows;
use super::{inbox, transcript, tree};
use crate::action::{Action, EditingKeys, KeysOf, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::dialogs::question_kind::QuestionKind;
use crate::domain::text::{Text, in_lang};
use crate::keymap::{Chord, KeyMatch, KeySequence};
use crate::model::Mark;
use crate::overlay::Handled;
use crate::text::wrap::wrap;
use crate::theme::Role;
use crate::words;
use group::Group;
use terms::terms;

const MORE: Text = Text::new("more", "更多");
const EDITING: Text = Text::new("Editing", "编辑文字");
const VI: Text = Text::new("Vi editing", "vi 编辑");
const SIGNS: Text = Text::new("Signs", "符号");
const WORDS: Text = Text::new("Words", "词语");
const ASKED: Text = Text::new("two questions for you are open in it", "其中有两个问题等你答复");
const UNREVIEWED: Text =
    Text::new("it changed two files that you have not looked at", "它改动了两个你还没看过的文件");
const UNREAD: Text = Text::new("something is new in it", "其中有新内容");
const BY_YES_OR_NO: Text = Text::new("yes or no", "是或否");
const BY_OPTION: Text = Text::new("one of its options", "选项之一");
const BY_WORDS: Text = Text::new("in your own words", "用自己的话");
const BY_PARTS: Text = Text::new("part by part", "逐个部分");
const HELP: Text = Text::new("KEYS THAT WORK HERE", "此处可用的按键");

/// Cells for the keys of one action, on wide and on narrow screens.
const KEY_CELLS: (usize, usize) = (20, 14);
/// The least width of a wide screen.
const WIDE_CELLS: usize = 50;
/// The least width of a screen on which help takes all of it, for two columns.
pub const TWO_COLUMNS: u16 = 120;
/// Cells before the keys, and the minimum between keys and description.
const MARGIN: usize = 2;

/// Help for the part that has the keys.
#[derive(Debug)]
pub struct Help {
    about: KeysOf,
    rows: TextRows,
}

impl Help {
    pub fn about(about: KeysOf) -> Self {
        Self { about, rows: TextRows::default() }
    }

    /// All lines, wrapped to `width`, below the names of the groups; nothing is truncated. A wide screen has two columns
    /// of them.
    fn lines(&self, view: View<'_>, width: usize) -> Vec<Strip> {
        let groups = Group::ALL.map(|group| view.ui.text(group.heading())).join(" · ");
        let mut lines =
            vec![Strip::new().put(&format!("  {groups}"), view.ui.style(Role::TextDim))];
        if width < usize::from(TWO_COLUMNS) {
            lines.extend(self.sections(view.ui, width).into_iter().flatten());
        } else {
            let cells = width / 2;
            lines.extend(in_two_columns(self.sections(view.ui, cells), cells));
        }
        lines
    }

    /// The keys by their groups, then what explains the rest; each with its heading, or empty.
    fn sections(&self, ui: &UiSettings, width: usize) -> Vec<Vec<Strip>> {
        let mut listing = ui.keymap.listing(self.about.scope);
        listing.retain(|(binding, _)| self.about.has(binding));
        let of_group = |group: Group| {
            let rows = listing.iter().filter(|(binding, _)| Group::of(binding.action) == group);
            let rows =
                rows.map(|(binding, keys)| (names(keys, ui), binding.sentence(ui.lang).to_owned()));
            section(group.heading(), rows, ui, width)
        };
        let mut sections: Vec<Vec<Strip>> = Group::ALL.into_iter().map(of_group).collect();
        sections.push(section(SIGNS, self.signs(ui), ui, width));
        sections.push(section(WORDS, terms(self.about.scope, ui.lang), ui, width));
        let mut editing = Vec::new();
        if self.about.editing == Some(EditingKeys::Vi) {
            self.push_editing(&mut editing, VI, &VI_EDIT_KEYS, ui, width);
        }
        if self.about.editing.is_some() {
            self.push_editing(&mut editing, EDITING, &EDIT_KEYS, ui, width);
        }
        sections.push(editing);
        sections
    }

    /// The signs in the rows of the pane, with their meanings.
    fn signs(&self, ui: &UiSettings) -> Vec<(String, String)> {
        if self.about.scope == inbox::SCOPE {
            kind_signs(ui).into()
        } else if self.about.scope == tree::SCOPE {
            let marks = Mark::ALL
                .map(|mark| (mark.glyph(&ui.glyphs).to_owned(), ui.text(mark.word()).to_owned()));
            marks.into_iter().chain(count_signs(ui)).collect()
        } else {
            Vec::new()
        }
    }

    /// Adds the keys of the text field, without those that a binding takes.
    fn push_editing(
        &self,
        lines: &mut Vec<Strip>,
        heading: Text,
        all: &[EditKeys],
        ui: &UiSettings,
        width: usize,
    ) {
        push_heading(lines, heading, ui);
        for (keys, does) in all {
            let keys = keys.iter().filter_map(|keys| KeySequence::parse(keys));
            let is_free = |keys: &KeySequence| {
                !keys.chords().first().is_some_and(|first| self.is_bound(*first, ui))
            };
            let keys: Vec<KeySequence> = keys.filter(is_free).collect();
            if !keys.is_empty() {
                lines.extend(key_rows(&names(&keys, ui), ui.text(*does), ui, width));
            }
        }
    }

    /// True if a key with Ctrl or Alt has an action here. Keys without them are handled by vi first.
    fn is_bound(&self, chord: Chord, ui: &UiSettings) -> bool {
        let meaning = ui.keymap.pressed(self.about.scope, &chord.into());
        let handled = |action| {
            let mut rows = ui.keymap.listing(self.about.scope).into_iter();
            rows.any(|(binding, _)| binding.action == action && self.about.has(binding))
        };
        chord.is_command()
            && match meaning {
                KeyMatch::Action(action) => handled(action),
                KeyMatch::Prefix => true,
                KeyMatch::Nothing => false,
            }
    }
}

/// Adds the heading of a group of keys.
fn push_heading(lines: &mut Vec<Strip>, heading: Text, ui: &UiSettings) {
    lines.push(Strip::new());
    let heading = format!("  {}", ui.text(heading));
    lines.push(Strip::new().put(&heading, ui.style(Role::Title)));
}

/// A heading with what is below it; nothing if that is empty.
fn section(
    heading: Text,
    rows: impl IntoIterator<Item = (String, String)>,
    ui: &UiSettings,
    width: usize,
) -> Vec<Strip> {
    let rows: Vec<Strip> =
        rows.into_iter().flat_map(|(sign, means)| key_rows(&sign, &means, ui, width)).collect();
    let mut lines = Vec::new();
    if !rows.is_empty() {
        push_heading(&mut lines, heading, ui);
        lines.extend(rows);
    }
    lines
}

/// Puts the sections into two columns of `cells` each, of about the same height; they are read down the left one first.
fn in_two_columns(sections: Vec<Vec<Strip>>, cells: usize) -> Vec<Strip> {
    let all: usize = sections.iter().map(Vec::len).sum();
    let (mut left, mut right): (Vec<Strip>, Vec<Strip>) = (Vec::new(), Vec::new());
    for section in sections {
        let fits = left.is_empty() || left.len() + section.len() / 2 <= all / 2;
        let column = if right.is_empty() && fits { &mut left } else { &mut right };
        column.extend(section);
    }
    let rows = left.len().max(right.len());
    let (mut left, mut right) = (left.into_iter(), right.into_iter());
    let beside = |_| {
        // Rows of two columns go on with no row above.
        let row = Strip::new().join(left.next().unwrap_or_default());
        match right.next() {
            Some(right) => row.pad_to(cells).join(right),
            None => row,
        }
    };
    (0..rows).map(beside).collect()
}

/// The counts at the right edge of a dialog in the tree, with their meanings.
fn count_signs(ui: &UiSettings) -> [(String, String); 3] {
    let signs = [
        (format!("{}2", ui.glyphs.needs_you), ASKED),
        (format!("{}2", ui.glyphs.changed), UNREVIEWED),
        (ui.glyphs.unread.to_owned(), UNREAD),
    ];
    signs.map(|(sign, means)| (sign, ui.text(means).to_owned()))
}

/// The signs before the questions, with their meanings.
fn kind_signs(ui: &UiSettings) -> [(String, String); 4] {
    let kinds = [
        (QuestionKind::Approval, BY_YES_OR_NO),
        (QuestionKind::Choice, BY_OPTION),
        (QuestionKind::FreeText, BY_WORDS),
        (QuestionKind::Parts, BY_PARTS),
    ];
    kinds.map(|(kind, how)| {
        let colon = in_lang!(ui.lang, ": ", "：");
        let means = format!("{}{colon}{}", ui.text(words::kind_word(kind)), ui.text(how));
        (ui.glyphs.of_kind(kind).to_owned(), means)
    })
}

/// Returns the keys of one action, separated by commas.
fn names(keys: &[KeySequence], ui: &UiSettings) -> String {
    let names: Vec<String> = keys.iter().map(|keys| ui.key_label(&keys.to_string())).collect();
    names.join(if keys.iter().any(KeySequence::is_long) { ", " } else { " " })
}

/// Keys on the left, their description on the right, each wrapped.
fn key_rows(keys: &str, does: &str, ui: &UiSettings, width: usize) -> Vec<Strip> {
    let cells = if width < WIDE_CELLS { KEY_CELLS.1 } else { KEY_CELLS.0 };
    let key_rows = wrap(keys, cells - 2 * MARGIN);
    let does_rows = wrap(does, width.saturating_sub(cells + 1).max(1));
    let joints: Vec<_> = Joint::of_rows(does, &does_rows, cells).collect();
    let rows = 0..key_rows.len().max(does_rows.len());
    rows.map(|at| {
        let part = |text: &str, rows: &[Range<usize>]| {
            rows.get(at).and_then(|row| text.get(row.clone())).unwrap_or_default().to_owned()
        };
        let key = part(keys, &key_rows);
        let joint = joints.get(at).copied().flatten().filter(|_| key.is_empty());
        Strip::new()
            .pad_to(MARGIN)
            .put(&key, ui.style(Role::Accent))
            .pad_to(cells)
            .put(&part(does, &does_rows), ui.style(Role::Text))
            .going_on(joint)
    })
    .collect()
}

impl ReadSheet for Help {
    const SCOPE: Scope = transcript::SCOPE;
    const CLOSED_BY: &'static [Action] = &[];
    const IS_HELP: bool = true;
    const HINTS: &'static [(Action, Text)] =
        &[(Action::Cancel, words::CLOSE), (Action::Find, words::FIND)];

    fn view(&self) -> &SheetView {
        self.rows.view()
    }

    fn view_mut(&mut self) -> &mut SheetView {
        self.rows.view_mut()
    }

    fn step(&mut self, rows: isize, _: &Cx<'_>) -> Handled {
        self.rows.scroll(rows)
    }

    fn title(&self, ui: &UiSettings, _: &Cx<'_>) -> Vec<String> {
        vec![ui.text(HELP).to_owned()]
    }

    fn lay_out(&mut self, area: Rect, view: View<'_>, _: &Cx<'_>) {
        self.rows.set(self.lines(view, usize::from(area.width)), area.width);
        let height = usize::from(area.height);
        // The last row says how much is below.
        self.rows.layout(height.saturating_sub(usize::from(self.rows.view().rows > height)));
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, _: &Cx<'_>) {
        self.rows.draw(frame, area, view.ui);
        let below = self.rows.view().last_top().saturating_sub(self.rows.view().top);
        if below > 0 {
            let text = format!(" {} {below} {} ", view.ui.glyphs.below, view.ui.text(MORE));
            let sign = Strip::new().put(&text, view.ui.style(Role::TextDim));
            sign.draw_right(frame.buffer_mut(), area, area.bottom().saturating_sub(1));
        }
    }
}
