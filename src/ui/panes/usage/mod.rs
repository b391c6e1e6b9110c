//! The sheet of tokens: sums by member and by dialog with their cost, and for the chosen dialog how full its
//! context was after each generation.
//!
//! Rows are laid out when the content or the width changes, not for each frame.

mod plot;
mod table;
#[cfg(test)]
pub(crate) mod tests;
mod usage_words;

use ratatui::Frame;
use ratatui::layout::Rect;

use self::plot::plot;
use self::table::{Table, TableRow, grouped};
use super::read_sheet::{ReadSheet, SheetView, draw_note};
use super::row_search::{RowJump, top_for};
use super::strip::Strip;
use super::transcript::prose::plain_rows;
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::reading::usage::GenerationUsage;
use crate::domain::text::{Text, in_lang};
use crate::domain::{Course, DialogId, Genseq, HealthLevel, Stamp};
use crate::follow_up::{FollowUp, ToReading};
use crate::overlay::{Handled, Handler};
use crate::protocol::{DialogUsage, UsageView};
use crate::theme::Role;
use crate::words::{CLOSE, LOADING};

pub const SCOPE: Scope = Scope::new("tokens", "令牌", &[Scope::PANES, Scope::ANYWHERE]);

pub const BINDINGS: &[Binding] = &[
    SCOPE
        .bind(Action::Up, &["k", "up"])
        .does("Move to the dialog above, or scroll to the sums", "到上面的对话，或滚到合计"),
    SCOPE.bind(Action::Down, &["j", "down"]).does("Move to the dialog below", "到下面的对话"),
    SCOPE.bind(Action::PageUp, &["pageup", "ctrl+u"]),
    SCOPE.bind(Action::PageDown, &["pagedown", "ctrl+d", "space"]),
    SCOPE.bind(Action::Top, &["g", "home"]).does("Go to the sums", "到合计"),
    SCOPE.bind(Action::Bottom, &["G", "end"]).does("Go to the last dialog", "到最后一个对话"),
    SCOPE.bind(Action::PreviousGeneration, &["h", "left", "["]),
    SCOPE.bind(Action::NextGeneration, &["l", "right", "]"]),
    SCOPE
        .bind(Action::OtherEnd, &["enter"])
        .does("Go to this generation in its dialog", "到对话中的这次生成"),
    SCOPE.bind(Action::Find, &["/"]).does("Find in this table", "在此表中查找"),
    SCOPE.bind(Action::NextMatch, &["n"]),
    SCOPE.bind(Action::PreviousMatch, &["N"]),
];

const KEYS: [Handler<UsageSheet>; 3] = [
    (Action::PreviousGeneration, |sheet, cx| sheet.step_generation(-1, cx)),
    (Action::NextGeneration, |sheet, cx| sheet.step_generation(1, cx)),
    (Action::OtherEnd, |sheet, cx| sheet.go(cx)),
];

/// The rows' input: the content, and the width.
type RowsFor = (u64, u16);

#[derive(Debug)]
pub struct UsageSheet {
    /// The chosen dialog.
    dialog: DialogId,
    at: usize,
    /// The chosen generation; `None`: always the newest.
    generation: Option<GenerationId>,
    rows: Vec<TableRow>,
    made_for: Option<RowsFor>,
    view: SheetView,
    /// Rows by which it is scrolled up beyond the first dialog, to the sums.
    lifted: usize,
    /// The choice and the view before the search.
    before_search: UsagePlace,
}

/// The choice and the view.
#[derive(Debug, Clone, Default)]
struct UsagePlace {
    at: usize,
    generation: Option<GenerationId>,
    top: usize,
    lifted: usize,
}

/// Identifies a generation of a dialog, regardless of those around it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct GenerationId {
    course: Course,
    genseq: Option<Genseq>,
    at: Stamp,
}

impl GenerationId {
    fn of(generation: &GenerationUsage) -> Self {
        let GenerationUsage { course, genseq, at, .. } = generation;
        Self { course: *course, genseq: *genseq, at: at.clone() }
    }
}

/// The parts of the sheet below its heading.
struct Areas {
    table: Rect,
    plot: Rect,
    words: Rect,
}

impl UsageSheet {
    pub fn new(dialog: DialogId) -> Self {
        Self {
            dialog,
            at: 0,
            generation: None,
            rows: Vec::new(),
            made_for: None,
            view: SheetView::default(),
            lifted: 0,
            before_search: UsagePlace::default(),
        }
    }

    fn chosen<'a>(&self, view: &'a UsageView) -> Option<&'a DialogUsage> {
        view.dialogs.get(self.at)
    }

    /// Returns the index of the chosen generation; the oldest if the chosen one is no longer listed.
    fn generation_at(&self, dialog: &DialogUsage) -> usize {
        let Some(chosen) = &self.generation else {
            return dialog.generations.len().saturating_sub(1);
        };
        let is_chosen = |one: &GenerationUsage| GenerationId::of(one) == *chosen;
        dialog.generations.iter().rposition(is_chosen).unwrap_or_default()
    }

    fn generation<'a>(&self, dialog: &'a DialogUsage) -> Option<&'a GenerationUsage> {
        dialog.generations.get(self.generation_at(dialog))
    }

    /// Chooses another dialog, and its newest generation.
    fn choose(&mut self, at: usize, view: &UsageView) {
        if let Some(dialog) = view.dialogs.get(at).filter(|_| at != self.at) {
            (self.at, self.generation, self.dialog) = (at, None, dialog.dialog.clone());
        }
    }

    /// Chooses the dialog that a search found, or goes back to where it began. Returns a row of the sums that is to
    /// come into view.
    fn follow_search(&mut self, view: &UsageView) -> Option<usize> {
        match self.view.search.follow(self.rows.iter().map(|row| &row.strip))? {
            RowJump::To(row) => {
                self.lifted = 0;
                let dialog = self.rows.get(row).and_then(|row| row.dialog);
                self.choose(dialog.unwrap_or_default(), view);
                dialog.is_none().then_some(row)
            }
            RowJump::Back { .. } => {
                let UsagePlace { at, generation, top, lifted } = self.before_search.clone();
                self.choose(at, view);
                (self.generation, self.view.top, self.lifted) = (generation, top, lifted);
                None
            }
        }
    }

    /// Scrolls so that the chosen dialog is in view, or this row of the sums.
    fn scroll_to(&mut self, sums: Option<usize>) {
        let row = self.rows.iter().position(|row| row.dialog == Some(self.at)).unwrap_or(0);
        self.view.top = self.view.top.saturating_add(self.lifted);
        self.view.reveal(row);
        let top = self.view.top;
        if let Some(wanted) = sums {
            self.lifted = top.saturating_sub(top_for(wanted, self.view.height));
        }
        self.lifted = self.lifted.min(top);
        let (top, lifted) = (top - self.lifted, self.lifted);
        self.view.top = top;
        self.view.search.stands_at(if lifted > 0 { top } else { row }, top);
        if !self.view.search.is_active() {
            let (at, generation) = (self.at, self.generation.clone());
            self.before_search = UsagePlace { at, generation, top, lifted };
        }
    }

    fn step_generation(&mut self, later: isize, cx: &Cx<'_>) -> Handled {
        if let Some(dialog) = cx.sheets.usage().and_then(|view| self.chosen(view)) {
            let last = dialog.generations.len().saturating_sub(1);
            let at = self.generation_at(dialog).saturating_add_signed(later).min(last);
            let found = dialog.generations.get(at).filter(|_| at < last);
            self.generation = found.map(GenerationId::of);
        }
        Handled::Done
    }

    fn go(&self, cx: &mut Cx<'_>) -> Handled {
        let dialog = cx.sheets.usage().and_then(|view| self.chosen(view));
        let generation = dialog.and_then(|dialog| self.generation(dialog));
        let place = generation.and_then(|one| Some((one.course, one.genseq?)));
        let Some((course, genseq)) = place else { return Handled::Done };
        cx.follow_ups.push(FollowUp::Reading(ToReading::ShowGeneration(
            self.dialog.clone(),
            course,
            genseq,
        )));
        Handled::Close
    }

    /// Places the plot with its mark and the words below the table, which takes the remaining rows.
    fn areas(below: Rect) -> Areas {
        let (plot, words) = match below.height {
            ..10 => (3, 2),
            10..20 => (4, 3),
            20.. => (7, 4),
        };
        let words = words.min(below.height);
        let plot = plot.min(below.height - words);
        let table = Rect { height: below.height - words - plot, ..below };
        let plot = Rect { y: table.bottom(), height: plot, ..below };
        let words = Rect { y: plot.bottom(), height: words, ..below };
        Areas { table, plot, words }
    }

    /// The chosen generation in words.
    fn words(&self, dialog: &DialogUsage, ui: &UiSettings) -> String {
        let Some(generation) = self.generation(dialog) else {
            return ui.text(usage_words::NOTHING).to_owned();
        };
        let lang = ui.lang;
        let course = generation.course;
        let genseq = generation.genseq.map(|genseq| genseq.to_string()).unwrap_or_default();
        let time = generation.at.as_str();
        let agent = &dialog.agent;
        let head = in_lang!(
            lang,
            "@{agent}, generation {genseq} of course {course}, {time}",
            "@{agent}，课程 {course} 的第 {genseq} 次生成，{time}"
        );
        let dot = ui.glyphs.middle_dot;
        let mut parts = vec![head, fill_words(generation, ui)];
        if let Some(tokens) = generation.tokens {
            let [input, cached, output] = [tokens.input, tokens.cached, tokens.output].map(grouped);
            parts.push(in_lang!(
                lang,
                "{input} in, of these {cached} from the cache, {output} out",
                "输入 {input}，其中缓存 {cached}，输出 {output}"
            ));
        }
        parts.extend(generation.model.clone());
        parts.retain(|part| !part.is_empty());
        parts.join(&format!(" {dot} "))
    }

    fn make_rows(&mut self, view: View<'_>, cx: &Cx<'_>, width: u16) {
        let made_for = (cx.sheets.revision(), width);
        let Some(content) = cx.sheets.usage().filter(|_| self.made_for != Some(made_for)) else {
            return;
        };
        let table = Table { ui: view.ui, prices: &cx.model.prices, width: usize::from(width) };
        let first = |rows: &[TableRow]| rows.iter().position(|row| row.dialog.is_some());
        let before = first(&self.rows);
        self.rows = table.rows(content);
        // The notes above the dialogs may have other rows.
        if let Some((before, now)) = before.zip(first(&self.rows)) {
            for top in [&mut self.view.top, &mut self.before_search.top] {
                *top = if *top < before { *top } else { *top - before + now };
            }
        }
        self.view.rows = self.rows.len();
        self.made_for = Some(made_for);
        self.view.search.rows_changed();
        let found = content.dialogs.iter().position(|dialog| dialog.dialog == self.dialog);
        self.at = found.unwrap_or(self.at).min(content.dialogs.len().saturating_sub(1));
        if let Some(dialog) = self.chosen(content) {
            self.dialog = dialog.dialog.clone();
        }
    }

    fn draw_table(&self, frame: &mut Frame<'_>, area: Rect, ui: &UiSettings) {
        let rows = self.rows.iter().enumerate().skip(self.view.top);
        for (y, (at, row)) in (area.y..area.bottom()).zip(rows) {
            let line = Rect { y, height: 1, ..area };
            self.view.search.marked(at, row.strip.clone(), ui).draw(frame.buffer_mut(), line, y);
            if row.dialog == Some(self.at) {
                let bar = Strip::new().put(ui.glyphs.selected, ui.style(Role::Accent));
                bar.draw(frame.buffer_mut(), Rect { width: 1, ..line }, y);
            }
        }
    }
}

/// Says how full the context was, and what that means.
fn fill_words(generation: &GenerationUsage, ui: &UiSettings) -> String {
    let lang = ui.lang;
    let (Some(percent), Some(limits)) = (generation.percent(), &generation.limits) else {
        return in_lang!(lang, "the context was not measured", "未测量上下文");
    };
    let limit = grouped(limits.model_context_limit_tokens);
    let filled = in_lang!(lang, "context {percent} % of {limit}", "上下文 {limit} 的 {percent} %");
    let level = match generation.level {
        None => return filled,
        Some(HealthLevel::Healthy) => usage_words::HEALTHY,
        Some(HealthLevel::Caution) => usage_words::CAUTION,
        Some(HealthLevel::Critical) => usage_words::CRITICAL,
    };
    format!("{filled} {} {}", ui.glyphs.middle_dot, ui.text(level))
}

impl ReadSheet for UsageSheet {
    const SCOPE: Scope = SCOPE;
    const KEYS: &'static [Handler<Self>] = &KEYS;
    const CLOSED_BY: &'static [Action] = &[Action::Cancel, Action::Quit, Action::Usage];
    const HINTS: &'static [(Action, Text)] = &[
        (Action::OtherEnd, usage_words::GO),
        (Action::Cancel, CLOSE),
        (Action::PreviousGeneration, usage_words::GENERATION),
    ];

    fn view(&self) -> &SheetView {
        &self.view
    }

    fn view_mut(&mut self) -> &mut SheetView {
        &mut self.view
    }

    fn step(&mut self, rows: isize, cx: &Cx<'_>) -> Handled {
        let Some(view) = cx.sheets.usage() else { return Handled::Done };
        let (last, count) = (view.dialogs.len().saturating_sub(1), rows.unsigned_abs());
        let at = if rows < 0 {
            let moved = count.min(self.at);
            self.lifted = self.lifted.saturating_add(count - moved);
            self.at - moved
        } else {
            let moved = count.min(self.lifted);
            self.lifted -= moved;
            self.at.saturating_add(count - moved).min(last)
        };
        self.choose(at, view);
        Handled::Done
    }

    fn title(&self, ui: &UiSettings, cx: &Cx<'_>) -> Vec<String> {
        let mut left = vec![ui.text(usage_words::TITLE).to_owned()];
        if let Some(view) = cx.sheets.usage() {
            let generations = view.dialogs.iter().map(|dialog| dialog.sum.generations).sum();
            left.push(ui.counted::<usize>(generations, usage_words::GENERATIONS));
            if view.left_out > 0 {
                left.push(ui.counted(view.left_out, usage_words::LEFT_OUT));
            }
        }
        left
    }

    fn lay_out(&mut self, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        self.make_rows(view, cx, area.width);
        self.view.height = usize::from(Self::areas(area).table.height);
        let sums = cx.sheets.usage().and_then(|content| self.follow_search(content));
        self.scroll_to(sums);
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let ui = view.ui;
        let areas = Self::areas(area);
        let Some(content) = cx.sheets.usage() else {
            return draw_note(frame, areas.table, ui, LOADING);
        };
        self.draw_table(frame, areas.table, ui);
        let Some(dialog) = self.chosen(content) else { return };
        let height = usize::from(areas.plot.height.saturating_sub(1));
        let size = (usize::from(areas.plot.width), height);
        let plot = plot(&dialog.generations, self.generation_at(dialog), size, ui);
        for (y, row) in (areas.plot.y..areas.plot.bottom()).zip(&plot) {
            row.draw(frame.buffer_mut(), areas.plot, y);
        }
        let width = usize::from(area.width.saturating_sub(3)).max(1);
        let text = plain_rows(&self.words(dialog, ui), 2, width, ui.style(Role::Text));
        for (y, row) in (areas.words.y..areas.words.bottom()).zip(&text) {
            row.draw(frame.buffer_mut(), areas.words, y);
        }
    }

    fn forget_rows(&mut self) {
        self.made_for = None;
    }
}
