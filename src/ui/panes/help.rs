//! The keys that work where the focus is, from the action table.

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::widgets::Clear;

use super::composer::{Heading, draw_heading, hint};
use super::strip::Strip;
use crate::ui::action::{Action, Scope};
use crate::ui::cx::{Cx, View};
use crate::ui::lang::Word;
use crate::ui::pane::{Handled, Pane, scrolls_by};
use crate::ui::theme::Role;

/// Cells for the keys of one action.
const KEY_CELLS: usize = 20;

/// Help for one scope.
#[derive(Debug)]
pub struct Help {
    about: Scope,
    top: usize,
    rows: usize,
    height: usize,
}

impl Help {
    pub fn about(scope: Scope) -> Self {
        Self { about: scope, top: 0, rows: 0, height: 0 }
    }

    fn scroll(&mut self, rows: isize) -> Handled {
        let last = self.rows.saturating_sub(self.height);
        self.top = self.top.saturating_add_signed(rows).min(last);
        Handled::Done
    }

    fn lines(&self, view: View<'_>) -> Vec<Strip> {
        let look = view.look;
        let mut scope = None;
        let mut lines = Vec::new();
        for (spec, chords) in look.keymap.listing(self.about) {
            if scope.replace(spec.scope) != Some(spec.scope) {
                lines.push(Strip::new());
                let name = format!("  {}", spec.scope.heading(look.lang));
                lines.push(Strip::new().put(&name, look.style(Role::Title)));
            }
            let names: Vec<String> =
                chords.iter().map(|chord| look.key_sign(&chord.to_string())).collect();
            let line = Strip::new()
                .put(&format!("  {}", names.join(" ")), look.style(Role::Accent))
                .pad_to(KEY_CELLS)
                .put(spec.sentence(look.lang), look.style(Role::Text));
            lines.push(line);
        }
        lines
    }
}

impl Pane for Help {
    fn scope(&self) -> Scope {
        Scope::Dialog
    }

    fn act(&mut self, action: Action, _: &mut Cx<'_>) -> Handled {
        scrolls_by(action, self.height).map_or(Handled::Close, |rows| self.scroll(rows))
    }

    fn typed(&mut self, _: KeyEvent, _: &mut Cx<'_>) -> Handled {
        Handled::Close
    }

    fn paste(&mut self, _: &str, _: &mut Cx<'_>) {}

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, _: &mut Cx<'_>) {
        frame.render_widget(Clear, area);
        let heading = Heading {
            left: view.look.word(Word::Help).to_owned(),
            right: hint(view.look, Action::Cancel, Word::Close),
        };
        draw_heading(frame, Rect { height: 1, ..area }, view.look, &heading, true);
        let lines = self.lines(view);
        self.rows = lines.len();
        self.height = usize::from(area.height.saturating_sub(1));
        self.scroll(0);
        let cut = view.look.glyphs.cut;
        for (y, line) in (area.y + 1..area.bottom()).zip(lines.into_iter().skip(self.top)) {
            let cells = usize::from(area.width);
            let dim = view.look.style(Role::TextDim);
            line.shortened(cells, cut, dim).draw(frame.buffer_mut(), area, y);
        }
    }
}
