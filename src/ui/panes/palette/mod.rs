//! The palette: every action that panes have, found by its name and run without its key. An action of another pane
//! moves the focus there.

mod ranking;
#[cfg(test)]
mod tests;

use ratatui::Frame;
use ratatui::layout::Rect;

use self::ranking::{Ranking, scattered};
use super::composer;
use super::field::Field;
use super::prompt::{INDENT, Prompt, draw_after, draw_head};
use super::strip::{Strip, draw_between};
use super::{inbox, transcript, tree};
use crate::action::{Action, Binding, KeysOf, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::text::Text;
use crate::follow_up::FollowUp;
use crate::overlay::{Handled, Handler};
use crate::panes::scroll_sign::{ShownRows, draw_scroll_sign};
use crate::theme::Role;
use crate::words::{CLOSE, RUN};

const TITLE: Text = Text::new("ACTIONS", "操作");
const NO_ACTION: Text = Text::new("no such action", "没有这样的操作");

/// A heading and the line that is typed into.
const HEAD_ROWS: u16 = 2;

#[derive(Debug)]
pub struct Palette {
    /// The keys of the part that had the focus when it was opened.
    of: KeysOf,
    /// The actions that were run before, the last one first.
    recent: Vec<Action>,
    field: Field,
    chosen: usize,
    top: usize,
}

/// An action, where it works, and how it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaletteEntry {
    pub scope: Scope,
    pub action: Action,
    pub sentence: &'static str,
    pub key: String,
}

/// Returns the actions that are named so, or have such a word in their name or as another word for it, the best first.
pub fn named(from: Scope, typed: &str, recent: &[Action], ui: &UiSettings) -> Vec<PaletteEntry> {
    let ranking = Ranking { from, recent, by_sentence: false };
    ranking.fitting(entries_of_panes(from, ui), typed)
}

impl Palette {
    /// `recent`: the actions that were run before, the last one first.
    pub fn new(of: KeysOf, recent: Vec<Action>) -> Self {
        Self { of, recent, field: Field::new(""), chosen: 0, top: 0 }
    }

    fn wanted(&self) -> String {
        self.field.text().to_lowercase()
    }

    /// Returns the actions that match the typed text, the best first. Scattered letters match only if nothing else
    /// does.
    fn entries(&self, ui: &UiSettings) -> Vec<PaletteEntry> {
        let wanted = self.wanted();
        let ranking = Ranking { from: self.of.scope, recent: &self.recent, by_sentence: true };
        let found = ranking.fitting(all_entries(&self.of, ui), &wanted);
        if found.is_empty() {
            return scattered(all_entries(&self.of, ui), &wanted);
        }
        found
    }

    fn step(&mut self, rows: isize, ui: &UiSettings) -> Handled {
        let last = self.entries(ui).len().saturating_sub(1);
        self.chosen = self.chosen.saturating_add_signed(rows).min(last);
        Handled::Done
    }

    fn run(&self, cx: &mut Cx<'_>) -> Handled {
        let Some(entry) = self.entries(cx.ui).into_iter().nth(self.chosen) else {
            return Handled::Done;
        };
        cx.follow_ups.push(match self.of.only {
            Some(_) => FollowUp::ActInOverlay(self.of.scope, entry.action),
            None => FollowUp::Run(entry.scope, entry.action),
        });
        Handled::Close
    }
}

fn all_entries(of: &KeysOf, ui: &UiSettings) -> Vec<PaletteEntry> {
    match of.only {
        Some(_) => entries_of_overlay(of, ui),
        None => entries_of_panes(of.scope, ui),
    }
}

/// Returns the actions of an overlay, narrow scopes first.
fn entries_of_overlay(of: &KeysOf, ui: &UiSettings) -> Vec<PaletteEntry> {
    let mut entries: Vec<PaletteEntry> = Vec::new();
    let bindings = of.scope.chain().flat_map(|scope| ui.keymap.bindings_of(scope));
    for binding in bindings.filter(|binding| of.has(binding)) {
        let Binding { scope, action, .. } = *binding;
        if action != Action::Palette && !entries.iter().any(|entry| entry.action == action) {
            let (sentence, key) = (binding.sentence(ui.lang), ui.key(of.scope, action));
            entries.push(PaletteEntry { scope, action, sentence, key });
        }
    }
    entries
}

/// Returns the actions of the focused pane with those that work everywhere, then those of the other panes.
/// For the composer, all panes are other panes.
fn entries_of_panes(from: Scope, ui: &UiSettings) -> Vec<PaletteEntry> {
    let others = [Scope::PANES, tree::SCOPE, inbox::SCOPE, transcript::SCOPE, composer::SCOPE];
    let others = others.into_iter().filter(|scope| !from.chain().any(|here| here == *scope));
    let mut entries: Vec<PaletteEntry> = Vec::new();
    for (scope, is_here) in
        from.chain().map(|scope| (scope, true)).chain(others.map(|scope| (scope, false)))
    {
        for binding in ui.keymap.bindings_of(scope) {
            let is_listed = |entry: &PaletteEntry| {
                let works_here = from.chain().any(|scope| scope == entry.scope);
                entry.action == binding.action && (works_here || entry.scope == scope)
            };
            let known = entries.iter().any(is_listed) && !is_another(binding, from);
            // The key that was pressed says which question is picked.
            if known || matches!(binding.action, Action::Palette | Action::Pick) {
                continue;
            }
            let key = ui.key(if is_here { from } else { scope }, binding.action);
            let sentence = binding.sentence(ui.lang);
            entries.push(PaletteEntry { scope, action: binding.action, sentence, key });
        }
    }
    entries
}

/// True for what another binding hides that does more by the same key: in a search, that for a new dialog goes to
/// the next match.
fn is_another(binding: &Binding, from: Scope) -> bool {
    let place = (binding.scope, binding.action);
    place == (Scope::PANES, Action::NewDialog) && from == transcript::SCOPE
}

const KEYS: [Handler<Palette>; 5] = [
    (Action::Leave, |_, _| Handled::Close),
    (Action::Palette, |_, _| Handled::Close),
    (Action::Send, |palette, cx| palette.run(cx)),
    (Action::HistoryUp, |palette, cx| palette.step(-1, cx.ui)),
    (Action::HistoryDown, |palette, cx| palette.step(1, cx.ui)),
];

impl Prompt for Palette {
    const KEYS: &'static [Handler<Self>] = &KEYS;

    fn field(&mut self) -> &mut Field {
        &mut self.field
    }

    /// The best match is chosen.
    fn edited(&mut self, _: &mut Cx<'_>) -> Handled {
        self.chosen = 0;
        self.top = 0;
        Handled::Done
    }

    fn clicked(&mut self, row: usize, cx: &mut Cx<'_>) -> Handled {
        let at = row.checked_sub(usize::from(HEAD_ROWS)).map(|row| self.top + row);
        let count = self.entries(cx.ui).len();
        match at.filter(|at| *at < count) {
            None => Handled::Ignored,
            Some(at) if at == self.chosen => self.run(cx),
            Some(at) => {
                self.chosen = at;
                Handled::Done
            }
        }
    }

    fn lay_out(&mut self, area: Rect, view: View<'_>, _: &Cx<'_>) {
        self.step(0, view.ui);
        let fits = usize::from(area.height.saturating_sub(HEAD_ROWS)).max(1);
        self.top = self.top.clamp((self.chosen + 1).saturating_sub(fits), self.chosen);
    }

    fn show(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, _: &Cx<'_>) {
        let ui = view.ui;
        let entries = self.entries(ui);
        let title = format!("{} {} {}", ui.text(TITLE), ui.glyphs.middle_dot, entries.len());
        let hints = [(Action::Send, RUN), (Action::Leave, CLOSE)];
        draw_head(frame, area, area.height, ui, (title, &hints[..]));
        if area.height < HEAD_ROWS {
            return;
        }
        let sign = Strip::new().put(" : ", ui.style(Role::Accent));
        draw_after(&sign, frame, Rect { y: area.y + 1, height: 1, ..area }, ui, &self.field);
        let rows = Rect { y: area.y + HEAD_ROWS, height: area.height - HEAD_ROWS, ..area };
        if entries.is_empty() && rows.height > 0 {
            let none = Strip::new().put("   ", ui.style(Role::TextDim));
            let none = none.put(ui.text(NO_ACTION), ui.style(Role::TextDim));
            none.draw(frame.buffer_mut(), rows, rows.y);
        }
        let (top, height) = (self.top, usize::from(rows.height));
        let in_view = ShownRows { top, height, rows: entries.len() };
        draw_scroll_sign(frame.buffer_mut(), area, ui, in_view);
        let shown = entries.iter().enumerate().skip(self.top);
        for (y, (at, entry)) in (rows.y..rows.bottom()).zip(shown) {
            self.draw_entry(frame, Rect { y, height: 1, ..rows }, ui, (at, entry));
        }
    }
}

impl Palette {
    fn draw_entry(
        &self,
        frame: &mut Frame<'_>,
        line: Rect,
        ui: &UiSettings,
        (at, entry): (usize, &PaletteEntry),
    ) {
        let buffer = frame.buffer_mut();
        if at == self.chosen {
            buffer.set_style(line, ui.style(Role::RowSelected));
            let bar = Strip::new().put(ui.glyphs.selected, ui.style(Role::Accent));
            bar.draw(buffer, Rect { width: 1, ..line }, line.y);
        }
        let mut left = Strip::new().put(entry.sentence, ui.style(Role::Text));
        if !self.of.scope.chain().any(|scope| scope == entry.scope) {
            let place = format!("  {}", entry.scope.heading(ui.lang));
            left = left.put(&place, ui.style(Role::TextDim));
        }
        let right = Strip::new().put(&entry.key, ui.style(Role::Accent));
        let inner = Rect {
            x: line.x + INDENT.min(line.width),
            width: line.width.saturating_sub(INDENT + 1),
            ..line
        };
        draw_between(buffer, inner, line.y, (&left, &right), ui.glyphs.cut);
    }
}
