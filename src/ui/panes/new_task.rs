//! The form for a task that a person delegates to a team.

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::widgets::Clear;

use super::composer::{Heading, PART, SCOPE, draw_heading, hint};
use super::field::Field;
use super::strip::Strip;
use super::transcript::prose::plain_rows;
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, Intent, View};
use crate::domain::TeamName;
use crate::domain::teams::task::Priority;
use crate::domain::text::Text;
use crate::model::DraftKey;
use crate::overlay::{Handled, Handler, Overlay, has_handler, run_handler};
use crate::theme::Role;
use crate::words;

const NEW_TASK: Text = Text::new("NEW TASK", "新任务");
const DELEGATE: Text = Text::new("delegate", "委派");
const PRIORITY: Text = Text::new("priority", "优先级");
const MISSING: Text = Text::new("write what is to be done", "请写要做什么");

/// Rows of the text at most.
const MAX_ROWS: usize = 8;
/// Cells before the text.
const INDENT: u16 = 3;

#[derive(Debug)]
pub struct NewTask {
    team: TeamName,
    priority: Priority,
    text: Field,
    is_missing: bool,
}

impl NewTask {
    /// `draft`: unsent text from before.
    pub fn new(team: TeamName, draft: &str) -> Self {
        Self { team, priority: Priority::Normal, text: Field::new(draft), is_missing: false }
    }

    fn submit(&mut self, cx: &mut Cx<'_>) -> Handled {
        let text = self.text.text();
        self.is_missing = text.trim().is_empty();
        if self.is_missing {
            return Handled::Done;
        }
        let (team, priority) = (self.team.clone(), self.priority);
        cx.intents.push(Intent::Delegate { team, text, priority });
        Handled::Close
    }

    fn other_priority(&mut self, back: bool) -> Handled {
        let all = Priority::ALL;
        let at = all.iter().position(|one| *one == self.priority).unwrap_or(0);
        let next = if back { at + all.len() - 1 } else { at + 1 };
        self.priority = all.get(next % all.len()).copied().unwrap_or(self.priority);
        Handled::Done
    }

    fn new_line(&mut self, cx: &mut Cx<'_>) -> Handled {
        self.text.new_line();
        self.edited(cx)
    }

    /// Clears the text; closes the form if it is empty.
    fn clear(&mut self, cx: &mut Cx<'_>) -> Handled {
        if self.text.is_empty() {
            return Handled::Close;
        }
        self.text.clear();
        self.edited(cx)
    }

    fn undo(&mut self, cx: &mut Cx<'_>) -> Handled {
        if self.text.undo() { self.edited(cx) } else { Handled::Done }
    }

    fn redo(&mut self, cx: &mut Cx<'_>) -> Handled {
        if self.text.redo() { self.edited(cx) } else { Handled::Done }
    }

    fn edited(&mut self, cx: &mut Cx<'_>) -> Handled {
        self.is_missing = false;
        let key = DraftKey::Task(self.team.clone());
        cx.intents.push(Intent::SaveDraft(key, self.text.text()));
        Handled::Done
    }
}

const HANDLERS: [Handler<NewTask>; 8] = [
    (Action::Send, NewTask::submit),
    (Action::FocusNext, |form, _| form.other_priority(false)),
    (Action::FocusPrevious, |form, _| form.other_priority(true)),
    (Action::Leave, |_, _| Handled::Close),
    (Action::NewLine, NewTask::new_line),
    (Action::ClearDraft, NewTask::clear),
    (Action::Undo, NewTask::undo),
    (Action::Redo, NewTask::redo),
];

impl Overlay for NewTask {
    fn scope(&self) -> Scope {
        SCOPE
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Handled {
        run_handler(&HANDLERS, self, action, cx)
    }

    fn handles(&self, binding: &Binding) -> bool {
        has_handler(&HANDLERS, binding.action)
    }

    fn typed(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> Handled {
        if !Field::takes(key) {
            return Handled::Ignored;
        }
        if self.text.typed(key) { self.edited(cx) } else { Handled::Done }
    }

    fn paste(&mut self, text: &str, cx: &mut Cx<'_>) {
        self.text.paste(text);
        self.edited(cx);
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, _: &Cx<'_>) {
        let ui = view.ui;
        let width = area.width.saturating_sub(INDENT + 1);
        let rows = self.text.height(usize::from(width).max(1), MAX_ROWS).max(2);
        let rows = u16::try_from(rows).unwrap_or(2);
        let missing = if self.is_missing { ui.text(MISSING) } else { "" };
        let missing = plain_rows(missing, INDENT.into(), width.into(), ui.style(Role::Bad));
        let faults = u16::try_from(missing.len()).unwrap_or(0).min(u16::from(self.is_missing));
        // A heading, team and priority, the text.
        let height = area.height.min(2 + rows + faults);
        let area = Rect { y: area.bottom() - height, height, ..area };
        frame.render_widget(Clear, area);
        let hints = [
            hint(ui, SCOPE, Action::Send, DELEGATE),
            hint(ui, SCOPE, Action::FocusNext, PRIORITY),
            hint(ui, SCOPE, Action::Leave, words::CLOSE),
        ];
        let heading = Heading { left: ui.text(NEW_TASK).to_owned(), right: hints.join(PART) };
        draw_heading(frame, Rect { height: area.height.min(1), ..area }, ui, &heading, true);
        let below = |row: u16| Rect {
            x: area.x + INDENT,
            y: area.y + row,
            width,
            height: area.height.saturating_sub(row),
        };
        if area.height < 3 {
            return;
        }
        let role = if self.priority == Priority::Normal { Role::TextDim } else { Role::Warning };
        let about = Strip::new().put(self.team.as_str(), ui.style(Role::Agent)).put(
            &format!("  {} {}", ui.text(PRIORITY), ui.text(words::priority_word(self.priority))),
            ui.style(role),
        );
        about.draw(frame.buffer_mut(), Rect { height: 1, ..below(1) }, area.y + 1);
        let field = Rect { height: rows.min(area.height - 2), ..below(2) };
        let prompt = Strip::new()
            .put(" ", ui.style(Role::Text))
            .put(ui.glyphs.prompt, ui.style(Role::Accent));
        prompt.draw(frame.buffer_mut(), area, field.y);
        self.text.draw(frame, field, ui.style(Role::Text), true);
        for (y, row) in (field.bottom()..area.bottom()).zip(&missing) {
            row.draw(frame.buffer_mut(), area, y);
        }
    }
}
