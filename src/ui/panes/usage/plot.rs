//! How full a context was, a column for each generation.

use crate::cx::UiSettings;
use crate::domain::HealthLevel;
use crate::domain::reading::usage::GenerationUsage;
use crate::panes::strip::Strip;
use crate::theme::Role;

/// Cells for the scale before the columns.
const SCALE_CELLS: usize = 8;

/// The part of the generations that is in view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Columns {
    pub first: usize,
    pub count: usize,
}

impl Columns {
    /// Returns the columns that fit, the chosen one included: the last ones if it is among them.
    pub fn of(generations: usize, chosen: usize, width: usize) -> Self {
        let count = width.saturating_sub(SCALE_CELLS + 1).min(generations);
        let last = generations - count;
        let first = last.min(chosen);
        Self { first, count }
    }
}

/// The rows from the full context to the empty one, and below them a mark for the chosen generation.
pub(super) fn plot(
    generations: &[GenerationUsage],
    chosen: usize,
    (width, height): (usize, usize),
    ui: &UiSettings,
) -> Vec<Strip> {
    let dim = ui.style(Role::TextDim);
    let columns = Columns::of(generations.len(), chosen, width);
    let shown = || generations.iter().enumerate().skip(columns.first).take(columns.count);
    let mut rows = Vec::new();
    for row in (0..height).rev() {
        let label = match row {
            _ if row + 1 == height => "100 %",
            0 => "0 %",
            _ => "",
        };
        let column = (SCALE_CELLS - 1).saturating_sub(label.len());
        let mut strip = Strip::new().pad_to(column).put(label, dim).pad_to(SCALE_CELLS);
        for (at, generation) in shown() {
            let (glyph, role) = cell(generation, row, height, ui);
            let mut style = ui.style(role);
            if at == chosen {
                style = style.patch(ui.style(Role::RowSelected));
            }
            strip.push(glyph, style);
        }
        rows.push(strip);
    }
    let mark = SCALE_CELLS + chosen.saturating_sub(columns.first);
    let mark = Strip::new().pad_to(mark).put(ui.glyphs.above, ui.style(Role::Accent));
    rows.push(if generations.is_empty() { Strip::new() } else { mark });
    rows
}

/// Returns the glyph in a row of a column: eighths of a cell, if the glyphs have them.
fn cell(
    generation: &GenerationUsage,
    row: usize,
    height: usize,
    ui: &UiSettings,
) -> (&'static str, Role) {
    let Some(percent) = generation.percent() else {
        return (if row == 0 { ui.glyphs.middle_dot } else { " " }, Role::TextDim);
    };
    let levels = ui.glyphs.levels;
    let steps = height * levels.len();
    // Anything above zero is visible.
    let filled = usize::try_from(percent).unwrap_or(100) * steps;
    let filled = filled.div_ceil(100).saturating_sub(row * levels.len()).min(levels.len());
    let glyph = filled.checked_sub(1).and_then(|level| levels.get(level)).copied();
    (glyph.unwrap_or(" "), role(generation))
}

fn role(generation: &GenerationUsage) -> Role {
    match generation.level {
        Some(HealthLevel::Healthy) => Role::Accent,
        Some(HealthLevel::Caution) => Role::Warning,
        Some(HealthLevel::Critical) => Role::Bad,
        None => Role::TextDim,
    }
}
