//! The table of sums: a row for each member and each dialog.

use std::collections::BTreeMap;

use super::usage_words;
use crate::cx::UiSettings;
use crate::domain::AgentId;
use crate::domain::reading::usage::{Prices, UsageSum};
use crate::domain::text::Text;
use crate::panes::strip::Strip;
use crate::protocol::UsageView;
use crate::text::width::width;
use crate::theme::Role;

/// Cells of a number, and of the column before.
const NUMBER_CELLS: usize = 7;
const COST_CELLS: usize = 10;
/// With fewer cells, only input, output and cost are shown.
const ALL_COLUMNS: usize = 60;
/// Most members that are listed.
const MAX_MEMBERS: usize = 200;

/// A row, and the dialog it is about.
#[derive(Debug, Clone)]
pub(super) struct TableRow {
    pub strip: Strip,
    /// The index of its dialog.
    pub dialog: Option<usize>,
}

/// Makes rows of one width.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table<'a> {
    pub ui: &'a UiSettings,
    pub prices: &'a Prices,
    pub width: usize,
}

impl Table<'_> {
    /// Members with more than one dialog make sums worth reading; then all dialogs.
    pub fn rows(&self, view: &UsageView) -> Vec<TableRow> {
        let mut by_member: BTreeMap<&AgentId, UsageSum> = BTreeMap::new();
        let mut all = UsageSum::default();
        for dialog in &view.dialogs {
            by_member.entry(&dialog.agent).or_default().add_all(&dialog.sum);
            all.add_all(&dialog.sum);
        }
        let plain = |strip| TableRow { strip, dialog: None };
        let mut rows = vec![plain(self.head(usage_words::BY_MEMBER))];
        for (member, sum) in by_member.iter().take(MAX_MEMBERS) {
            rows.push(plain(self.row(&format!("@{member}"), sum, Role::Agent)));
        }
        rows.push(plain(self.row(self.ui.text(usage_words::ALL), &all, Role::TextStrong)));
        rows.extend(self.notes(&all).into_iter().map(plain));
        rows.push(plain(Strip::new()));
        rows.push(plain(self.head(usage_words::BY_DIALOG)));
        for (at, dialog) in view.dialogs.iter().enumerate() {
            let slug = dialog.slug.as_ref().map(|slug| format!(" !{slug}")).unwrap_or_default();
            let indent = " ".repeat(dialog.depth.min(4));
            let name = format!("{indent}@{}{slug}", dialog.agent);
            rows.push(TableRow {
                strip: self.row(&name, &dialog.sum, Role::Agent),
                dialog: Some(at),
            });
        }
        rows
    }

    fn head(&self, name: Text) -> Strip {
        let ui = self.ui;
        let dim = ui.style(Role::TextDim);
        let cells = self.columns(
            [usage_words::RUNS, usage_words::INPUT, usage_words::CACHED, usage_words::OUTPUT]
                .map(|text| ui.text(text).to_owned()),
        );
        let cost = if self.prices.is_empty() { "" } else { ui.text(usage_words::COST) };
        self.line(Strip::new().put(ui.text(name), ui.style(Role::Title)), &cells, cost).over(dim)
    }

    fn row(&self, name: &str, sum: &UsageSum, role: Role) -> Strip {
        let tokens = sum.tokens();
        let cells = self.columns([
            sum.generations.to_string(),
            short(tokens.input),
            short(tokens.cached),
            short(tokens.output),
        ]);
        let more = if sum.without_price(self.prices).next().is_some() { "+" } else { "" };
        let cost = sum.cost(self.prices).map(|cost| format!("{cost}{more}")).unwrap_or_default();
        self.line(Strip::new().put(name, self.ui.style(role)), &cells, &cost)
    }

    /// The columns for which there is room.
    fn columns(&self, [runs, input, cached, output]: [String; 4]) -> Vec<String> {
        if self.width < ALL_COLUMNS {
            return vec![input, output];
        }
        vec![runs, input, cached, output]
    }

    /// The name, and the numbers at the right edge.
    fn line(&self, name: Strip, numbers: &[String], cost: &str) -> Strip {
        let cost_cells = if self.prices.is_empty() { 0 } else { COST_CELLS };
        let taken = numbers.len() * NUMBER_CELLS + cost_cells;
        let available = self.width.saturating_sub(taken + 3);
        let text = self.ui.style(Role::Text);
        let cut = self.ui.glyphs.cut;
        let mut strip = Strip::new().pad_to(2).join(name.shortened(available, cut, text));
        let mut column = self.width.saturating_sub(taken + 1);
        for number in numbers {
            column += NUMBER_CELLS;
            strip = strip.pad_to(column.saturating_sub(width(number))).put(number, text);
        }
        column += cost_cells;
        strip.pad_to(column.saturating_sub(width(cost))).put(cost, text)
    }

    /// Returns notes about what the sums leave out.
    fn notes(&self, all: &UsageSum) -> Vec<Strip> {
        let ui = self.ui;
        let mut notes = Vec::new();
        if all.uncounted > 0 {
            notes.push(ui.counted(all.uncounted, usage_words::UNCOUNTED));
        }
        if self.prices.is_empty() {
            notes.push(ui.text(usage_words::NO_PRICES).to_owned());
        } else {
            let unnamed = ui.text(usage_words::UNNAMED_MODEL);
            let names = all.without_price(self.prices);
            let names: Vec<_> =
                names.map(|name| if name.is_empty() { unnamed } else { name }).collect();
            if !names.is_empty() {
                notes.push(ui.sentence(usage_words::WITHOUT, &names.join(", ")));
            }
        }
        let wide = self.width.saturating_sub(3).max(1);
        let rows = notes.iter().flat_map(|note| {
            crate::panes::transcript::prose::plain_rows(note, 2, wide, ui.style(Role::TextDim))
        });
        rows.collect()
    }
}

/// `950`, `9,500`, `12.3k`, `1.25M`.
pub(super) fn short(number: u64) -> String {
    match number {
        ..1_000 => number.to_string(),
        1_000..10_000 => format!("{},{:03}", number / 1_000, number % 1_000),
        10_000..1_000_000 => format!("{}.{}k", number / 1_000, number % 1_000 / 100),
        _ => format!("{}.{:02}M", number / 1_000_000, number % 1_000_000 / 10_000),
    }
}

/// `12,345`: all digits.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_short_and_in_full_where_there_is_room() {
        for (number, short_form, full) in [
            (0, "0", "0"),
            (999, "999", "999"),
            (1_000, "1,000", "1,000"),
            (12_345, "12.3k", "12,345"),
            (1_259_999, "1.25M", "1,259,999"),
        ] {
            assert_eq!((short(number).as_str(), grouped(number).as_str()), (short_form, full));
        }
    }
}
