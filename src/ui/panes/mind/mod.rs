//! The mind of a member: everything that it is sent in a new dialog before the first prompt, read-only, with
//! the problems of its files above.
//!
//! Rows are laid out when the width or the problems change, not for each frame.

mod mind_words;
#[cfg(test)]
pub(crate) mod tests;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::read_sheet::{ReadSheet, SheetView, find_keys, text_keys};
use super::strip::Strip;
use super::text_rows::TextRows;
use super::transcript::prose::plain_rows;
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::Problem;
use crate::domain::text::Text;
use crate::overlay::{Handled, Handler};
use crate::protocol::MindView;
use crate::theme::Role;
use crate::words::CLOSE;

pub const SCOPE: Scope = Scope::new("mind", "心智", &[Scope::PANES, Scope::ANYWHERE]);

/// Its bindings, in the order of help.
pub fn bindings() -> Vec<Binding> {
    let own = [SCOPE.bind(Action::PreviousPart, &["["]), SCOPE.bind(Action::NextPart, &["]"])];
    [&text_keys(SCOPE)[..], &own, &find_keys(SCOPE, mind_words::FIND)].concat()
}

const KEYS: [Handler<MindSheet>; 2] = [
    (Action::PreviousPart, |sheet, _| sheet.step_part(false)),
    (Action::NextPart, |sheet, _| sheet.step_part(true)),
];

/// Cells before texts.
const INDENT: usize = 2;
/// Most rows that are laid out.
const MAX_ROWS: usize = 50_000;

#[derive(Debug)]
pub struct MindSheet {
    mind: MindView,
    rows: TextRows,
    /// The first row of each part.
    parts: Vec<usize>,
    /// The problems and the width the rows were made for.
    made_for: Option<(Vec<Problem>, u16)>,
}

impl MindSheet {
    pub fn new(mind: MindView) -> Self {
        Self { mind, rows: TextRows::default(), parts: Vec::new(), made_for: None }
    }

    /// Scrolls to the heading of the next or the previous part.
    fn step_part(&mut self, down: bool) -> Handled {
        let (top, mut parts) = (self.rows.view().top, self.parts.iter().copied());
        let found =
            if down { parts.find(|part| *part > top) } else { parts.rfind(|part| *part < top) };
        self.rows.scroll_to(found.unwrap_or(top))
    }

    fn make_rows(&mut self, view: View<'_>, problems: &[Problem], width: u16) {
        let of_member = problems.iter().filter(|one| one.is_about_member(&self.mind.agent));
        let made_for = Some((of_member.cloned().collect(), width));
        if self.made_for == made_for {
            return;
        }
        self.made_for = made_for;
        let cells = usize::from(width).saturating_sub(INDENT + 1).max(1);
        let mut page = Page { ui: view.ui, cells, rows: Vec::new(), parts: Vec::new() };
        if let Some((problems, _)) = self.made_for.as_ref().filter(|(all, _)| !all.is_empty()) {
            page.problems(problems);
        }
        page.mind(&self.mind);
        self.rows.set(page.rows, width);
        self.parts = page.parts;
    }
}

/// Rows that are being made.
struct Page<'a> {
    ui: &'a UiSettings,
    cells: usize,
    rows: Vec<Strip>,
    parts: Vec<usize>,
}

impl Page<'_> {
    fn part(&mut self, title: Text) {
        if !self.rows.is_empty() {
            self.rows.push(Strip::new());
        }
        self.parts.push(self.rows.len());
        self.rows.push(Strip::new().put(self.ui.text(title), self.ui.style(Role::Title)));
    }

    fn text(&mut self, text: &str, role: Role) {
        let room = MAX_ROWS.saturating_sub(self.rows.len());
        let rows = plain_rows(text, INDENT, self.cells, self.ui.style(role));
        self.rows.extend(rows.into_iter().take(room));
    }

    fn problems(&mut self, problems: &[Problem]) {
        self.part(mind_words::PROBLEMS);
        for problem in problems {
            let message = problem.message();
            self.text(message.in_lang(self.ui.lang), Role::Warning);
        }
    }

    fn mind(&mut self, mind: &MindView) {
        self.part(mind_words::MODEL);
        self.text(&format!("{} / {}", mind.provider, mind.model), Role::Text);
        for (name, value) in &mind.settings {
            self.text(&format!("{name}: {value}"), Role::TextDim);
        }
        self.part(mind_words::SYSTEM);
        self.text(&mind.system, Role::Text);
        self.part(mind_words::CONTEXT);
        for (at, message) in mind.context.iter().enumerate() {
            if at > 0 {
                self.rows.push(Strip::new());
            }
            self.text(message, Role::Text);
        }
        if mind.context.is_empty() {
            self.text(self.ui.text(mind_words::NONE), Role::TextDim);
        }
        self.part(mind_words::TOOLS);
        for (at, tool) in mind.tools.iter().enumerate() {
            if at > 0 {
                self.rows.push(Strip::new());
            }
            self.text(&tool.name, Role::Tool);
            self.text(&tool.description, Role::Text);
            self.text(&tool.parameters, Role::TextDim);
        }
        if mind.tools.is_empty() {
            self.text(self.ui.text(mind_words::NONE), Role::TextDim);
        }
    }
}

impl ReadSheet for MindSheet {
    const SCOPE: Scope = SCOPE;
    const KEYS: &'static [Handler<Self>] = &KEYS;
    const HINTS: &'static [(Action, Text)] =
        &[(Action::Cancel, CLOSE), (Action::NextPart, mind_words::PART)];

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
        let of = format!("@{} {}", self.mind.agent, ui.text(mind_words::NEW_DIALOG));
        vec![ui.text(mind_words::TITLE).to_owned(), of]
    }

    fn lay_out(&mut self, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        self.make_rows(view, &cx.model.problems, area.width);
        self.rows.layout(usize::from(area.height));
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, _: &Cx<'_>) {
        self.rows.draw(frame, area, view.ui);
    }

    fn forget_rows(&mut self) {
        self.made_for = None;
    }

    fn update_mind(&mut self, mind: &MindView) {
        if mind.agent == self.mind.agent && *mind != self.mind {
            self.mind = mind.clone();
            self.made_for = None;
        }
    }
}
