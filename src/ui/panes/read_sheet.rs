//! A sheet that is read, such as the log: what all of them share. It has a head with the sign for rows out of view, hints
//! in the last line of the screen, and keys for scrolling, searching and closing. What is below the head is its own.

use std::fmt;

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::widgets::Clear;

use super::composer::{Heading, draw_heading};
use super::row_search::RowSearch;
use super::scroll_sign::{ShownRows, draw_scroll_sign};
use super::strip::Strip;
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::text::Text;
use crate::overlay::{Handled, Handler, Overlay, has_handler, run_handler, scroll_distance};
use crate::protocol::MindView;
use crate::theme::Role;

/// The rows in view, and the search in all rows.
#[derive(Debug, Default)]
pub struct SheetView {
    /// The first row in view, how many fit, and how many there are.
    pub top: usize,
    pub height: usize,
    pub rows: usize,
    pub search: RowSearch,
}

impl SheetView {
    pub fn shown(&self) -> ShownRows {
        ShownRows { top: self.top, height: self.height, rows: self.rows }
    }

    /// The first row in view if the last one is.
    pub fn last_top(&self) -> usize {
        self.rows.saturating_sub(self.height)
    }

    /// Scrolls no further than needed to have this row in view.
    pub fn reveal(&mut self, row: usize) {
        let first = (row + 1).saturating_sub(self.height.max(1));
        self.top = self.top.clamp(first, row);
    }
}

/// What a sheet has of its own.
pub trait ReadSheet: fmt::Debug + Sized + 'static {
    const SCOPE: Scope;
    /// Its keys besides those for scrolling, searching and closing.
    const KEYS: &'static [Handler<Self>] = &[];
    /// The actions that close it.
    const CLOSED_BY: &'static [Action] = &[Action::Cancel, Action::Quit];
    /// The hints in the last line of the screen, or in the head of help. Where it is too narrow, some are left out.
    const HINTS: &'static [(Action, Text)];
    /// Nothing below it can be seen, and every key that does not scroll closes it.
    const IS_HELP: bool = false;

    /// Its rows in view and its search, which it keeps up to date in `lay_out`.
    fn view(&self) -> &SheetView;
    fn view_mut(&mut self) -> &mut SheetView;

    /// Scrolls, or moves the cursor, by `rows`; positive numbers go down.
    fn step(&mut self, rows: isize, cx: &Cx<'_>) -> Handled;

    /// Handles a click on this row of the area below the head.
    fn click(&mut self, _row: usize, _cx: &mut Cx<'_>) -> Handled {
        Handled::Ignored
    }

    /// The parts of its title.
    fn title(&self, ui: &UiSettings, cx: &Cx<'_>) -> Vec<String>;

    /// Fits its rows to the area below the head, and follows the search.
    fn lay_out(&mut self, area: Rect, view: View<'_>, cx: &Cx<'_>);

    /// Draws the area below the head.
    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>);

    /// Rows that were made before are to be made again.
    fn forget_rows(&mut self) {}

    /// Takes over what a member is told, if it shows that.
    fn update_mind(&mut self, _: &MindView) {}
}

/// A sheet on top of the screen.
#[derive(Debug)]
pub struct SheetOverlay<S>(pub S);

impl<S: ReadSheet> Overlay for SheetOverlay<S> {
    fn scope(&self) -> Scope {
        S::SCOPE
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Handled {
        if let Some(rows) = scroll_distance(action, self.0.view().height) {
            return self.0.step(rows, cx);
        }
        if S::IS_HELP || S::CLOSED_BY.contains(&action) {
            return Handled::Close;
        }
        run_handler(S::KEYS, &mut self.0, action, cx)
    }

    fn handles(&self, binding: &Binding) -> bool {
        binding.scope == S::SCOPE
            || S::CLOSED_BY.contains(&binding.action)
            || has_handler(S::KEYS, binding.action)
    }

    fn keeps(&self, action: Action) -> bool {
        S::IS_HELP && matches!(action, Action::Help | Action::Palette)
    }

    fn hints(&self) -> &[(Action, Text)] {
        if S::IS_HELP { &[] } else { S::HINTS }
    }

    fn covers(&self) -> bool {
        S::IS_HELP
    }

    fn typed(&mut self, _: KeyEvent, _: &mut Cx<'_>) -> Handled {
        if S::IS_HELP { Handled::Close } else { Handled::Ignored }
    }

    fn click(&mut self, row: usize, cx: &mut Cx<'_>) -> Handled {
        row.checked_sub(1).map_or(Handled::Ignored, |row| self.0.click(row, cx))
    }

    fn forget_rows(&mut self) {
        self.0.forget_rows();
    }

    fn update_mind(&mut self, mind: &MindView) {
        self.0.update_mind(mind);
    }

    fn row_search(&self) -> Option<&RowSearch> {
        Some(&self.0.view().search)
    }

    fn row_search_mut(&mut self) -> Option<&mut RowSearch> {
        Some(&mut self.0.view_mut().search)
    }

    fn layout(&mut self, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        self.0.lay_out(head_and_rest(area).1, view, cx);
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let title = self.0.title(view.ui, cx).join(&format!(" {} ", view.ui.glyphs.middle_dot));
        let hints = if S::IS_HELP { S::HINTS } else { &[] };
        let heading = Heading::of(title, view.ui, S::SCOPE, hints);
        let below = draw_sheet_head(frame, area, view.ui, &heading, self.0.view().shown());
        self.0.draw(frame, below, view, cx);
    }
}

/// The first row of an area, and what is below it.
fn head_and_rest(area: Rect) -> (Rect, Rect) {
    let head = Rect { height: area.height.min(1), ..area };
    (head, Rect { y: head.bottom(), height: area.height - head.height, ..area })
}

/// Clears the area and draws the heading, with the sign for rows out of view; returns the area below.
pub fn draw_sheet_head(
    frame: &mut Frame<'_>,
    area: Rect,
    ui: &UiSettings,
    heading: &Heading,
    shown: ShownRows,
) -> Rect {
    frame.render_widget(Clear, area);
    let (head, below) = head_and_rest(area);
    draw_heading(frame, head, ui, heading, true);
    draw_scroll_sign(frame.buffer_mut(), head, ui, shown);
    below
}

/// Draws a text where there are no rows.
pub fn draw_note(frame: &mut Frame<'_>, area: Rect, ui: &UiSettings, note: Text) {
    let dim = ui.style(Role::TextDim);
    Strip::new().put("  ", dim).put(ui.text(note), dim).draw(frame.buffer_mut(), area, area.y);
}

/// The keys with which a text is scrolled.
pub fn text_keys(scope: Scope) -> [Binding; 8] {
    [
        scope.bind(Action::Up, &["k", "up"]).does("Scroll up one line", "上滚一行"),
        scope.bind(Action::Down, &["j", "down"]).does("Scroll down one line", "下滚一行"),
        scope.bind(Action::HalfPageUp, &["ctrl+u"]),
        scope.bind(Action::HalfPageDown, &["ctrl+d"]),
        scope.bind(Action::PageUp, &["pageup"]),
        scope.bind(Action::PageDown, &["pagedown", "space"]),
        scope.bind(Action::Top, &["g", "home"]).does("Go to the start", "到开头"),
        scope.bind(Action::Bottom, &["G", "end"]).does("Go to the end", "到末尾"),
    ]
}

/// The keys of a search in rows; `does` says in which.
pub fn find_keys(scope: Scope, does: Text) -> [Binding; 3] {
    [
        scope.bind(Action::Find, &["/"]).says(does),
        scope.bind(Action::NextMatch, &["n"]),
        scope.bind(Action::PreviousMatch, &["N"]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::tests::fixture::Stage;
    use crate::panes::{changes, log, mind, timeline, usage};

    /// A sheet: its title, the key that opens it, and how it is brought to the screen.
    type Opened = (&'static str, &'static str, fn() -> Stage);

    const SHEETS: [Opened; 5] = [
        ("CHANGES ·", "q", || changes::tests::shown(80, 24)),
        ("TIMELINE ·", "w", || timeline::tests::shown(80, 24)),
        ("TOKENS ·", "$", || usage::tests::shown(80, 24)),
        ("LOG ·", "J", || log::tests::shown_on(Stage::new(80, 24))),
        ("MIND ·", "q", || mind::tests::shown_on(Stage::new(80, 24))),
    ];

    #[test]
    fn every_sheet_is_searched_by_the_same_keys_and_left_by_the_same_and_its_own() {
        for (title, own, open) in SHEETS {
            let mut stage = open();
            let before = stage.screen();
            assert!(before.contains(title), "{title}\n{before}");
            let screen = stage.keys("/ e").screen();
            assert!(screen.contains("find · ") && !screen.contains("no match"), "{screen}");
            assert_eq!(stage.keys("<esc>").screen(), before, "{title}");
            let screen = stage.keys("/ e <enter> <esc>").screen();
            assert!(screen.contains(title), "the search ends first\n{screen}");
            for key in ["<esc>", "q", own] {
                let screen = open().keys(key).screen();
                assert!(!screen.contains(title), "{title} {key}\n{screen}");
            }
        }
    }

    #[test]
    fn a_row_comes_into_view_with_the_least_scrolling() {
        for (top, height, row, expected) in
            [(0, 3, 2, 0), (0, 3, 3, 1), (5, 3, 4, 4), (5, 3, 6, 5), (2, 0, 7, 7)]
        {
            let mut view = SheetView { top, height, rows: 10, ..SheetView::default() };
            view.reveal(row);
            assert_eq!(view.top, expected, "{top} {height} {row}");
        }
    }
}
