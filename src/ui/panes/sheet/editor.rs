//! The text field at the bottom of a sheet. Its title shows what Enter does.

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::sheet_words;
use crate::action::Action;
use crate::cx::{Cx, View};
use crate::domain::DialogId;
use crate::follow_up::{FollowUp, ToWriting};
use crate::model::DraftKey;
use crate::overlay::Handled;
use crate::panes::composer::{Heading, PART, SCOPE, draw_heading, hint};
use crate::panes::field::Field;
use crate::panes::strip::Strip;
use crate::protocol::{ReminderAudience, SheetRequest};
use crate::request::Request;
use crate::theme::Role;

/// Cells before the text.
const INDENT: u16 = 3;

/// The text being edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditSubject {
    Reminder(DialogId, String),
    NewReminder(DialogId, ReminderAudience),
    /// The Taskdoc and the section's name.
    Section(String, String),
}

impl EditSubject {
    pub fn key(&self) -> DraftKey {
        match self {
            Self::Reminder(dialog, id) => DraftKey::Reminder(dialog.clone(), id.clone()),
            Self::NewReminder(dialog, scope) => {
                let name = match scope {
                    ReminderAudience::Personal => "+personal",
                    ReminderAudience::Dialog
                    | ReminderAudience::Shared
                    | ReminderAudience::Task => "+dialog",
                };
                DraftKey::Reminder(dialog.clone(), name.to_owned())
            }
            Self::Section(taskdoc, name) => DraftKey::Section(taskdoc.clone(), name.clone()),
        }
    }
}

#[derive(Debug)]
pub struct Editor {
    subject: EditSubject,
    /// The text when editing started.
    before: String,
    field: Field,
}

impl Editor {
    /// Starts with the draft, if there is one.
    pub fn new(subject: EditSubject, before: String, cx: &mut Cx<'_>) -> Self {
        let draft = cx.drafts.get(&subject.key());
        let field = Field::new(if draft.is_empty() { &before } else { draft });
        if !draft.is_empty() {
            cx.notify(sheet_words::DRAFT_RESTORED);
        }
        Self { subject, before, field }
    }

    /// True if it does something on this action.
    pub fn handles(action: Action) -> bool {
        let edits = [Action::Undo, Action::Redo, Action::ClearDraft, Action::NewLine];
        edits.contains(&action) || matches!(action, Action::Send | Action::Leave)
    }

    pub fn act(&mut self, action: Action, dialog: &DialogId, cx: &mut Cx<'_>) -> Handled {
        if action == Action::Send {
            return self.save(dialog, cx);
        }
        if action == Action::NewLine {
            self.field.new_line();
            self.save_draft(cx);
            return Handled::Done;
        }
        if action == Action::ClearDraft {
            return self.clear(cx);
        }
        if action == Action::Undo {
            if self.field.undo() {
                self.save_draft(cx);
            }
            return Handled::Done;
        }
        if action == Action::Redo {
            if self.field.redo() {
                self.save_draft(cx);
            }
            return Handled::Done;
        }
        if action == Action::Leave { Handled::Close } else { Handled::Ignored }
    }

    pub fn typed(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> Handled {
        if !Field::takes(key) {
            return Handled::Ignored;
        }
        if self.field.typed(key) {
            self.save_draft(cx);
        }
        Handled::Done
    }

    pub fn paste(&mut self, text: &str, cx: &mut Cx<'_>) {
        if self.field.paste(text) {
            self.save_draft(cx);
        } else {
            cx.notify(sheet_words::PASTE_TOO_LONG);
        }
    }

    /// Stores the text as a draft while it differs from the original.
    fn save_draft(&self, cx: &mut Cx<'_>) {
        let text = self.field.text();
        let draft = if text == self.before { String::new() } else { text };
        cx.follow_ups.push(FollowUp::Writing(ToWriting::SaveDraft(self.subject.key(), draft)));
    }

    /// Restores the original text; closes if nothing was changed.
    fn clear(&mut self, cx: &mut Cx<'_>) -> Handled {
        if self.field.text() == self.before {
            return Handled::Close;
        }
        self.field.clear();
        self.field.paste(&self.before);
        self.save_draft(cx);
        Handled::Done
    }

    fn save(&self, dialog: &DialogId, cx: &mut Cx<'_>) -> Handled {
        let text = self.field.text();
        if text.trim().is_empty() {
            cx.notify(sheet_words::TEXT_MISSING);
            return Handled::Done;
        }
        if text != self.before {
            cx.follow_ups.extend(self.change(dialog, text));
        }
        Handled::Close
    }

    /// The typed text stays a draft until it is on disk.
    fn change(&self, dialog: &DialogId, text: String) -> [FollowUp; 3] {
        let (dialog, key) = (dialog.clone(), self.subject.key());
        let draft = Some((key.clone(), text.clone()));
        let draft_now = FollowUp::Writing(ToWriting::SaveDraft(key, text.clone()));
        let request = self.request(text);
        let change = Request::ChangeSheet { dialog, request, draft };
        [draft_now, FollowUp::Writing(ToWriting::StoreDrafts), FollowUp::Request(change)]
    }

    fn request(&self, text: String) -> SheetRequest {
        match &self.subject {
            EditSubject::Reminder(_, id) => {
                SheetRequest::RewordReminder { id: id.clone(), content: text }
            }
            EditSubject::NewReminder(_, scope) => {
                SheetRequest::AddReminder { content: text, scope: *scope }
            }
            EditSubject::Section(_, name) => {
                SheetRequest::WriteSection { name: name.clone(), before: self.before.clone(), text }
            }
        }
    }

    /// The rows its text needs, at most two thirds of the sheet.
    pub fn height(&self, area: Rect) -> u16 {
        let available = usize::from(area.width.saturating_sub(INDENT + 1)).max(1);
        let limit = area.height * 2 / 3;
        let rows = self.field.height(available, usize::from(limit));
        u16::try_from(rows)
            .unwrap_or(limit)
            .saturating_add(1)
            .clamp(2, limit.max(2))
            .min(area.height)
    }

    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
        let ui = view.ui;
        let hints = [
            hint(ui, SCOPE, Action::Send, sheet_words::SAVE),
            hint(ui, SCOPE, Action::Leave, sheet_words::KEEP),
            hint(ui, SCOPE, Action::NewLine, sheet_words::NEW_LINE),
        ];
        let left = match &self.subject {
            EditSubject::Reminder(..) => ui.text(sheet_words::EDIT_REMINDER).to_owned(),
            EditSubject::NewReminder(_, ReminderAudience::Personal) => {
                ui.text(sheet_words::NEW_PERSONAL_REMINDER).to_owned()
            }
            EditSubject::NewReminder(
                _,
                ReminderAudience::Dialog | ReminderAudience::Shared | ReminderAudience::Task,
            ) => ui.text(sheet_words::NEW_REMINDER).to_owned(),
            EditSubject::Section(_, name) => format!("{} {name}", ui.text(sheet_words::EDIT)),
        };
        let heading = Heading { left, right: hints.join(PART) };
        draw_heading(frame, Rect { height: area.height.min(1), ..area }, ui, &heading, true);
        let body = Rect {
            x: area.x + INDENT.min(area.width),
            y: area.y + 1,
            width: area.width.saturating_sub(INDENT + 1),
            height: area.height.saturating_sub(1),
        };
        if body.height > 0 {
            let prompt = Strip::new()
                .put(" ", Style::default())
                .put(ui.glyphs.prompt, ui.style(Role::Accent));
            prompt.draw(frame.buffer_mut(), area, body.y);
        }
        self.field.draw(frame, body, ui.style(Role::Text), true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RootId;

    #[test]
    fn the_text_of_a_change_is_stored_before_the_change_is_sent() {
        let subject = EditSubject::Section("a.tsk".to_owned(), "goals".to_owned());
        let editor = Editor { subject, before: String::new(), field: Field::new("typed") };
        let dialog = DialogId::main(RootId::new("a"));
        assert!(matches!(
            editor.change(&dialog, "typed".to_owned()),
            [
                FollowUp::Writing(ToWriting::SaveDraft(..)),
                FollowUp::Writing(ToWriting::StoreDrafts),
                FollowUp::Request(_)
            ]
        ));
    }
}
