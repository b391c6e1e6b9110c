//! The rows that are printed for an entry, wrapped for the width of the terminal now.

use super::inline_words;
use crate::action::Action;
use crate::cx::UiSettings;
use crate::domain::reading::transcript::Block;
use crate::panes::strip::Strip;
use crate::panes::transcript::SCOPE;
use crate::panes::transcript::block::{BlockMeta, LayoutContext, MAX_TEXT_WIDTH, lay_out};
use crate::theme::Role;

/// Rows printed of one block; the pager shows all of it.
const MAX_BLOCK_ROWS: usize = 2_000;
/// Cells between a row and the text at its right edge.
const META_GAP: usize = 2;

/// Returns a block as it is in the open dialog, folded.
pub fn block_rows(block: &Block, context: &LayoutContext<'_>) -> Vec<Strip> {
    let ui = context.ui;
    let layout = lay_out(block, context);
    let mut rows = layout.rows;
    if rows.len() > MAX_BLOCK_ROWS {
        let more = ui.sentence(inline_words::MORE_ROWS, &(rows.len() - MAX_BLOCK_ROWS).to_string());
        rows.truncate(MAX_BLOCK_ROWS);
        rows.push(note_of(&format!("  {} {more}", ui.glyphs.cut), ui));
    } else if block.part.as_ref().is_some_and(|part| !part.is_last) {
        let more = ui.sentence(inline_words::GOES_ON, &ui.key(SCOPE, Action::ReadAll));
        rows.push(note_of(&format!("  {} {more}", ui.glyphs.cut), ui));
    }
    let cells = context.width.min(MAX_TEXT_WIDTH + META_GAP);
    if let (Some(first), BlockMeta::Fixed(meta)) = (rows.first_mut(), layout.meta) {
        *first = beside(std::mem::take(first), meta, cells, ui);
    }
    rows.into_iter()
        .map(|row| row.shortened(context.width, ui.glyphs.cut, ui.style(Role::TextDim)))
        .collect()
}

/// A row with a text at its right edge; without it where there is no space.
fn beside(row: Strip, meta: Strip, cells: usize, ui: &UiSettings) -> Strip {
    let dim = ui.style(Role::TextDim);
    if meta.is_empty() || meta.width() * 2 > cells {
        return row.shortened(cells, ui.glyphs.cut, dim);
    }
    let available = cells - meta.width() - META_GAP;
    row.shortened(available, ui.glyphs.cut, dim).pad_to(cells - meta.width()).join(meta)
}

/// A rule with the dialog that the blocks below it belong to.
pub fn heading(speaker: &str, title: &str, width: usize, ui: &UiSettings) -> Strip {
    let rule = ui.style(Role::Rule);
    let cells = width.min(MAX_TEXT_WIDTH + META_GAP);
    let title =
        if title.is_empty() { String::new() } else { format!(" {} {title}", ui.glyphs.middle_dot) };
    Strip::new()
        .put(&ui.glyphs.rule.repeat(2), rule)
        .put(&format!(" {speaker}"), ui.style(Role::Agent))
        .put(&format!("{title} "), ui.style(Role::TextDim))
        .shortened(cells, ui.glyphs.cut, rule)
        .fill_to(cells, ui.glyphs.rule, rule)
}

/// Returns the note that earlier blocks are not printed, and how to see them.
pub fn note(ui: &UiSettings) -> Strip {
    let text = ui.sentence(inline_words::EARLIER, &ui.key(SCOPE, Action::ReadAll));
    note_of(&format!("{} {text}", ui.glyphs.cut), ui)
}

fn note_of(text: &str, ui: &UiSettings) -> Strip {
    Strip::new().put(text, ui.style(Role::TextDim))
}
