//! A question of the program itself, with yes and no.

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::widgets::Clear;

use super::composer::{Heading, PART, draw_heading, hint};
use super::strip::Strip;
use crate::ui::action::{Action, Scope};
use crate::ui::cx::{Cx, Intent, View};
use crate::ui::lang::Word;
use crate::ui::pane::{Handled, Pane};
use crate::ui::theme::Role;

#[derive(Debug)]
pub struct Confirm {
    question: Word,
    yes: Intent,
}

impl Confirm {
    /// `yes` is done if the person agrees.
    pub fn new(question: Word, yes: Intent) -> Self {
        Self { question, yes }
    }
}

impl Pane for Confirm {
    fn scope(&self) -> Scope {
        Scope::Confirm
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Handled {
        if action == Action::ConfirmYes {
            cx.intents.push(self.yes.clone());
        }
        Handled::Close
    }

    fn typed(&mut self, _: KeyEvent, _: &mut Cx<'_>) -> Handled {
        Handled::Ignored
    }

    fn paste(&mut self, _: &str, _: &mut Cx<'_>) {}

    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, _: &mut Cx<'_>) {
        let height = area.height.min(2);
        let area = Rect { y: area.bottom() - height, height, ..area };
        frame.render_widget(Clear, area);
        let yes = hint(view.look, Action::ConfirmYes, Word::Yes);
        let no = hint(view.look, Action::ConfirmNo, Word::No);
        let heading = Heading {
            left: view.look.glyphs.needs_you.to_owned(),
            right: format!("{yes}{PART}{no}"),
        };
        draw_heading(frame, Rect { height: 1, ..area }, view.look, &heading, true);
        let dim = view.look.style(Role::TextDim);
        Strip::new()
            .put(" ", dim)
            .put(view.look.word(self.question), view.look.style(Role::Attention))
            .shortened(usize::from(area.width), view.look.glyphs.cut, dim)
            .draw(frame.buffer_mut(), area, area.y + 1);
    }
}
