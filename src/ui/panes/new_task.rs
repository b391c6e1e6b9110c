//! The form for a task that a person delegates to a team.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::field::Field;
use super::prompt::{INDENT, Prompt, draw_head, draw_text};
use super::strip::Strip;
use super::transcript::prose::plain_rows;
use crate::action::Action;
use crate::cx::{Cx, View};
use crate::domain::TeamName;
use crate::domain::teams::task::Priority;
use crate::domain::text::Text;
use crate::follow_up::{FollowUp, ToWriting};
use crate::model::DraftKey;
use crate::overlay::{Handled, Handler};
use crate::protocol::TeamsRequest;
use crate::request::Request;
use crate::theme::Role;
use crate::words;

const NEW_TASK: Text = Text::new("NEW TASK", "新任务");
const DELEGATE: Text = Text::new("delegate", "委派");
const PRIORITY: Text = Text::new("priority", "优先级");
const MISSING: Text = Text::new("write what is to be done", "请写要做什么");

/// Rows of the text at most.
const MAX_ROWS: usize = 8;

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
        // The text is a draft until the task is there.
        cx.follow_ups.push(FollowUp::Writing(ToWriting::SaveDraft(
            DraftKey::Task(team.clone()),
            text.clone(),
        )));
        let delegate = TeamsRequest::Delegate { team, text, priority };
        cx.follow_ups.push(FollowUp::Request(Request::Task(delegate)));
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

    fn undo(&mut self, cx: &mut Cx<'_>) -> Handled {
        if self.text.undo() { self.edited(cx) } else { Handled::Done }
    }

    fn redo(&mut self, cx: &mut Cx<'_>) -> Handled {
        if self.text.redo() { self.edited(cx) } else { Handled::Done }
    }
}

const KEYS: [Handler<NewTask>; 7] = [
    (Action::Send, NewTask::submit),
    (Action::FocusNext, |form, _| form.other_priority(false)),
    (Action::FocusPrevious, |form, _| form.other_priority(true)),
    (Action::Leave, |_, _| Handled::Close),
    (Action::NewLine, NewTask::new_line),
    (Action::Undo, NewTask::undo),
    (Action::Redo, NewTask::redo),
];

impl Prompt for NewTask {
    const KEYS: &'static [Handler<Self>] = &KEYS;
    const IS_ONE_LINE: bool = false;

    fn field(&mut self) -> &mut Field {
        &mut self.text
    }

    fn edited(&mut self, cx: &mut Cx<'_>) -> Handled {
        self.is_missing = false;
        let key = DraftKey::Task(self.team.clone());
        cx.follow_ups.push(FollowUp::Writing(ToWriting::SaveDraft(key, self.text.text())));
        Handled::Done
    }

    fn show(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, _: &Cx<'_>) {
        let ui = view.ui;
        let width = area.width.saturating_sub(INDENT + 1);
        let rows = self.text.height(usize::from(width).max(1), MAX_ROWS).max(2);
        let rows = u16::try_from(rows).unwrap_or(2);
        let missing = if self.is_missing { ui.text(MISSING) } else { "" };
        let missing = plain_rows(missing, INDENT.into(), width.into(), ui.style(Role::Bad));
        let faults = u16::try_from(missing.len()).unwrap_or(0).min(u16::from(self.is_missing));
        let hints = [
            (Action::Send, DELEGATE),
            (Action::FocusNext, PRIORITY),
            (Action::Leave, words::CLOSE),
        ];
        // A heading, team and priority, the text.
        let head = (ui.text(NEW_TASK).to_owned(), &hints[..]);
        let area = draw_head(frame, area, 2 + rows + faults, ui, head);
        if area.height < 3 {
            return;
        }
        let role = if self.priority == Priority::Normal { Role::TextDim } else { Role::Warning };
        let about = Strip::new().put(self.team.as_str(), ui.style(Role::Agent)).put(
            &format!("  {} {}", ui.text(PRIORITY), ui.text(words::priority_word(self.priority))),
            ui.style(role),
        );
        let line = Rect { x: area.x + INDENT, y: area.y + 1, width, height: 1 };
        about.draw(frame.buffer_mut(), line, line.y);
        let text = Rect { y: area.y + 2, height: rows.min(area.height - 2), ..area };
        draw_text(frame, text, ui, &self.text);
        for (y, row) in (text.bottom()..area.bottom()).zip(&missing) {
            row.draw(frame.buffer_mut(), area, y);
        }
    }
}
