//! The problems of the workspace: where, what, and how to fix them. The list is updated while it is
//! open, so a fixed problem disappears.

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::widgets::Clear;

use super::composer::{Heading, draw_heading, hint};
use super::strip::{Strip, draw_between};
use super::transcript;
use super::transcript::prose::plain_rows;
use crate::domain::{Problem, Severity};
use crate::ui::action::{Action, Scope};
use crate::ui::cx::{Cx, UiSettings, View};
use crate::ui::lang::Word;
use crate::ui::overlay::{Handled, Overlay, scroll_distance};
use crate::ui::text::SafeText;
use crate::ui::theme::Role;

const INDENT: usize = 4;

#[derive(Debug, Default)]
pub struct ProblemList {
    top: usize,
    rows: usize,
    height: usize,
}

/// A row, and the text at its right edge.
type Row = (Strip, Strip);

impl ProblemList {
    fn scroll(&mut self, rows: isize) -> Handled {
        let last = self.rows.saturating_sub(self.height);
        self.top = self.top.saturating_add_signed(rows).min(last);
        Handled::Done
    }
}

/// The name and colour of a severity.
fn severity_label(severity: Severity) -> (Word, Role) {
    match severity {
        Severity::Info => (Word::SeverityInfo, Role::TextDim),
        Severity::Warning => (Word::SeverityWarning, Role::Warning),
        Severity::Error => (Word::SeverityError, Role::Bad),
    }
}

fn rows_of(problem: &Problem, ui: &UiSettings, width: usize) -> Vec<Row> {
    let (word, role) = severity_label(problem.severity);
    let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
    let path = SafeText::line(&format!("{}{line}", problem.path));
    let head = Strip::new().pad_to(2).put(path.as_str(), ui.style(Role::Title));
    let word = Strip::new().put(ui.word(word), ui.style(role));
    let available = width.saturating_sub(INDENT + 1).max(1);
    let mut rows = vec![(head, word)];
    for (text, role) in [(&problem.text, Role::Text), (&problem.fix, Role::TextDim)] {
        let wrapped = plain_rows(text, INDENT, available, ui.style(role));
        rows.extend(wrapped.into_iter().map(|row| (row, Strip::new())));
    }
    rows.push((Strip::new(), Strip::new()));
    rows
}

/// The most severe first, else in the order of the driver.
fn rows(problems: &[Problem], ui: &UiSettings, width: usize) -> Vec<Row> {
    let mut sorted: Vec<&Problem> = problems.iter().collect();
    sorted.sort_by_key(|problem| std::cmp::Reverse(problem.severity));
    sorted.into_iter().flat_map(|problem| rows_of(problem, ui, width)).collect()
}

/// The rows of the list; a note if there are no problems.
fn rows_or_note(problems: &[Problem], ui: &UiSettings, width: u16) -> Vec<(Strip, Strip)> {
    if problems.is_empty() {
        let dim = ui.style(Role::TextDim);
        let note = Strip::new().pad_to(2).put(ui.word(Word::NoProblems), dim);
        return vec![(note, Strip::new())];
    }
    rows(problems, ui, usize::from(width))
}

impl Overlay for ProblemList {
    fn scope(&self) -> Scope {
        transcript::SCOPE
    }

    fn act(&mut self, action: Action, _: &mut Cx<'_>) -> Handled {
        scroll_distance(action, self.height).map_or(Handled::Close, |rows| self.scroll(rows))
    }

    fn typed(&mut self, _: KeyEvent, _: &mut Cx<'_>) -> Handled {
        Handled::Close
    }

    fn paste(&mut self, _: &str, _: &mut Cx<'_>) {}

    fn layout(&mut self, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        self.rows = rows_or_note(cx.problems, view.ui, area.width).len();
        self.height = usize::from(area.height.saturating_sub(1));
        self.scroll(0);
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        frame.render_widget(Clear, area);
        let ui = view.ui;
        let heading = Heading {
            left: ui.word(Word::ProblemsTitle).to_owned(),
            right: hint(ui, self.scope(), Action::Cancel, Word::Close),
        };
        let head = Rect { height: area.height.min(1), ..area };
        draw_heading(frame, head, ui, &heading, true);
        let rows = rows_or_note(cx.problems, ui, area.width);
        let inner = Rect { width: area.width.saturating_sub(1), ..area };
        for (y, row) in (area.y + 1..area.bottom()).zip(rows.iter().skip(self.top)) {
            draw_between(frame.buffer_mut(), inner, y, (&row.0, &row.1), ui.glyphs.cut);
        }
    }
}
