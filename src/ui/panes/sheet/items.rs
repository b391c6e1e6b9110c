//! One entry of a sheet as rows: its head, and its words.

use ratatui::style::Style;

use crate::protocol::{ReminderAudience, ReminderView, SectionView};
use crate::ui::cx::{Look, View};
use crate::ui::lang::{Counted, Word};
use crate::ui::model::age;
use crate::ui::panes::strip::Strip;
use crate::ui::panes::transcript::block::WIDEST;
use crate::ui::panes::transcript::prose::{Prose, plain_rows};
use crate::ui::theme::Role;

/// Rows shown of an entry that is not chosen.
const GLANCE: usize = 2;
const INDENT: usize = 3;

/// An entry ready to draw.
#[derive(Debug, Clone, Default)]
pub struct Item {
    pub head: Strip,
    /// At the right edge of the head.
    pub meta: Strip,
    pub body: Vec<Strip>,
    /// False for what is only told.
    pub can_be_chosen: bool,
}

pub fn reminder(
    told: &ReminderView,
    view: View<'_>,
    room: usize,
    whole: bool,
    draft: bool,
) -> Item {
    let look = view.look;
    let dim = look.style(Role::TextDim);
    let kept = match told.scope {
        ReminderAudience::Dialog => Word::OfThisDialog,
        ReminderAudience::Personal => Word::Personal,
        ReminderAudience::Shared => Word::SharedByProgram,
    };
    let mut head = Strip::new().put(look.word(kept), look.style(Role::Title));
    let dot = format!(" {} ", look.glyphs.middle_dot);
    if let Some(owner) = &told.owner {
        head.push(&format!("{dot}{} {owner}", look.word(Word::KeptBy)), dim);
    }
    if told.hidden {
        head.push(&format!("{dot}{}", look.word(Word::HiddenFromModel)), dim);
    }
    let seconds = age::seconds_since(&told.touched_at, view.now);
    let mut meta = draft_sign(look, draft);
    meta.push(&seconds.map(age::long).unwrap_or_default(), dim);
    let width = room.saturating_sub(INDENT).min(WIDEST);
    let rows = if told.plain {
        plain_rows(&told.content, INDENT, width, look.style(Role::Text))
    } else {
        Prose::new(look).rows(&told.content, INDENT, width)
    };
    Item { head, meta, body: glance(rows, whole, look), can_be_chosen: true }
}

pub fn section(told: &SectionView, view: View<'_>, room: usize, whole: bool, draft: bool) -> Item {
    let look = view.look;
    let dim = look.style(Role::TextDim);
    let head = Strip::new().put(&told.name, look.style(Role::Title));
    let mut meta = draft_sign(look, draft);
    let size = if !told.complete {
        look.word(Word::SectionTooLarge).to_owned()
    } else if told.text.is_empty() {
        look.word(Word::EmptySection).to_owned()
    } else {
        look.counted(told.text.lines().count(), Counted::Lines)
    };
    meta.push(&size, dim);
    let width = room.saturating_sub(INDENT).min(WIDEST);
    let rows = if told.text.is_empty() {
        Vec::new()
    } else {
        Prose::new(look).rows(&told.text, INDENT, width)
    };
    Item { head, meta, body: glance(rows, whole, look), can_be_chosen: true }
}

/// What is out of order in a Taskdoc, below its sections.
pub fn faults(faults: &[String], view: View<'_>, room: usize) -> Option<Item> {
    let look = view.look;
    let width = room.saturating_sub(INDENT);
    let row = |fault: &String| plain_rows(fault, INDENT, width, look.style(Role::Text));
    let body: Vec<Strip> = faults.iter().flat_map(row).collect();
    let head = Strip::new().put(look.word(Word::NotInOrder), look.style(Role::Warning));
    (!body.is_empty()).then(|| Item { head, body, ..Item::default() })
}

fn draft_sign(look: &Look, draft: bool) -> Strip {
    let sign = if draft { format!("{} ", look.glyphs.draft) } else { String::new() };
    Strip::new().put(&sign, look.style(Role::Attention))
}

fn glance(mut rows: Vec<Strip>, whole: bool, look: &Look) -> Vec<Strip> {
    if !whole && rows.len() > GLANCE {
        rows.truncate(GLANCE);
        while rows.last().is_some_and(Strip::is_empty) {
            rows.pop();
        }
        let more = Strip::new().pad_to(INDENT).put(look.glyphs.cut, Style::default());
        rows.push(more.over(look.style(Role::TextDim)));
    }
    rows
}
