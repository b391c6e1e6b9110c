//! An overlay that asks for one line of text before a change is made.

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::widgets::Clear;

use super::composer::{Heading, PART, SCOPE, draw_heading, hint};
use super::field::Field;
use super::strip::Strip;
use super::transcript::prose::plain_rows;
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, Intent, PutOff, View};
use crate::domain::text::Text;
use crate::domain::{Course, DialogId, Genseq, RootId};
use crate::overlay::{Handled, Overlay};
use crate::protocol::{ForkMode, Lifecycle};
use crate::theme::Role;
use crate::words;

const DEATH_NOTE: Text =
    Text::new("a note for whoever waits for it (optional)", "给等待者的附言（可选）");
const DECLARE_DEAD: Text = Text::new("declare dead", "宣告死亡");
const DECLARE_DEAD_QUESTION: Text =
    Text::new("declare {} permanently dead?", "永久宣告 {} 死亡吗？");
const FORK_POSITION: Text =
    Text::new("before course.generation, such as 1.14", "在 课程.生成 之前，如 1.14");
const FORK: Text = Text::new("fork", "分支");
const PUT_OFF: Text = Text::new("put off", "稍后");
const PUT_OFF_TIME: Text = Text::new(
    "minutes, or hours such as 1h; without text until the next start",
    "分钟数，或小时如 1h；不写则到下次启动",
);
const TITLE: Text = Text::new("title", "标题");
const TITLE_LINE: Text = Text::new(
    "its title; without text it is the first words again",
    "它的标题；不写则恢复为最初的文字",
);
const NEXT_STEP: Text = Text::new("next", "下一步");

/// Rows at the lower edge: a heading, the dialog's name, the input line; then its description.
const ROWS: u16 = 3;

/// Cells before the texts below the heading.
const INDENT: u16 = 3;

/// The use of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptPurpose {
    /// The line is a note for the dialogs that wait for this one; it may be empty.
    DeclareDead(DialogId),
    /// The line names a generation.
    Fork(RootId),
    /// The line says how long this question is put off.
    PutOff(String),
    /// The line is a title; `before` is the one it has. Without text, the dialog has its first words again.
    Title { dialog: DialogId, before: String },
}

#[derive(Debug)]
pub struct InputPrompt {
    purpose: PromptPurpose,
    /// The name of the dialog.
    name: String,
    field: Field,
    /// The line is invalid.
    wrong: bool,
}

impl InputPrompt {
    pub fn new(purpose: PromptPurpose, name: &str, text: &str) -> Self {
        Self { purpose, name: name.to_owned(), field: Field::new(text), wrong: false }
    }

    fn submit(&mut self, cx: &mut Cx<'_>) -> Handled {
        let text = self.field.text();
        let text = text.trim();
        let intent = match &self.purpose {
            PromptPurpose::DeclareDead(dialog) => {
                let note = (!text.is_empty()).then(|| text.to_owned());
                let dead = Lifecycle::DeclareDead { dialog: dialog.clone(), note };
                let question = cx.ui.sentence(DECLARE_DEAD_QUESTION, &self.name);
                Intent::ConfirmPermanent(question, Box::new(Intent::Lifecycle(dead)))
            }
            PromptPurpose::Fork(root) => {
                let Some((course, genseq)) = generation(text) else {
                    self.wrong = true;
                    return Handled::Done;
                };
                let (root, then) = (root.clone(), ForkMode::Continue);
                Intent::Lifecycle(Lifecycle::Fork { root, course, genseq, then })
            }
            PromptPurpose::PutOff(question) => {
                let Some(time) = PutOff::parse(text) else {
                    self.wrong = true;
                    return Handled::Done;
                };
                Intent::PutOff(question.clone(), time)
            }
            PromptPurpose::Title { before, .. } if text == before.trim() => return Handled::Close,
            PromptPurpose::Title { dialog, .. } => {
                Intent::Title(dialog.clone(), (!text.is_empty()).then(|| text.to_owned()))
            }
        };
        cx.intents.push(intent);
        Handled::Close
    }

    /// Returns the effect of Enter.
    fn next(&self) -> Text {
        match self.purpose {
            PromptPurpose::DeclareDead(_) => NEXT_STEP,
            PromptPurpose::Fork(_) | PromptPurpose::PutOff(_) | PromptPurpose::Title { .. } => {
                words::YES
            }
        }
    }

    /// The title, and the description of the line.
    fn words(&self) -> (Text, Text) {
        match self.purpose {
            PromptPurpose::DeclareDead(_) => (DECLARE_DEAD, DEATH_NOTE),
            PromptPurpose::Fork(_) => (FORK, FORK_POSITION),
            PromptPurpose::PutOff(_) => (PUT_OFF, PUT_OFF_TIME),
            PromptPurpose::Title { .. } => (TITLE, TITLE_LINE),
        }
    }
}

/// `2.14`: generation 14, in course 2.
fn generation(text: &str) -> Option<(Course, Genseq)> {
    let (course, genseq) = text.split_once('.')?;
    Some((Course(course.trim().parse().ok()?), Genseq(genseq.trim().parse().ok()?)))
}

impl Overlay for InputPrompt {
    fn scope(&self) -> Scope {
        SCOPE
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Handled {
        type Handler = fn(&mut InputPrompt, &mut Cx<'_>) -> Handled;
        let handlers: [(Action, Handler); 5] = [
            (Action::Send, Self::submit),
            (Action::Leave, |_, _| Handled::Close),
            (Action::ClearDraft, |ask, _| {
                if ask.field.is_empty() {
                    return Handled::Close;
                }
                ask.field.clear();
                Handled::Done
            }),
            (Action::Undo, |ask, _| {
                ask.field.undo();
                Handled::Done
            }),
            (Action::Redo, |ask, _| {
                ask.field.redo();
                Handled::Done
            }),
        ];
        let handler = handlers.iter().find(|(known, _)| *known == action);
        handler.map_or(Handled::Ignored, |(_, handler)| handler(self, cx))
    }

    fn handles(&self, binding: &Binding) -> bool {
        matches!(
            binding.action,
            Action::Send | Action::Leave | Action::ClearDraft | Action::Undo | Action::Redo
        )
    }

    fn typed(&mut self, key: KeyEvent, _: &mut Cx<'_>) -> Handled {
        if !Field::takes(key) {
            return Handled::Ignored;
        }
        if self.field.typed(key) {
            self.wrong = false;
        }
        Handled::Done
    }

    fn paste(&mut self, text: &str, _: &mut Cx<'_>) {
        self.field.paste(text.lines().next().unwrap_or_default());
        self.wrong = false;
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, _: &Cx<'_>) {
        let ui = view.ui;
        let (done, wanted) = self.words();
        let role = if self.wrong { Role::Bad } else { Role::TextDim };
        let cells = usize::from(area.width.saturating_sub(INDENT + 1)).max(1);
        let wanted = plain_rows(ui.text(wanted), INDENT.into(), cells, ui.style(role));
        let rows = ROWS.saturating_add(u16::try_from(wanted.len()).unwrap_or(u16::MAX));
        let height = area.height.min(rows);
        let area = Rect { y: area.bottom() - height, height, ..area };
        frame.render_widget(Clear, area);
        let hints = [
            hint(ui, SCOPE, Action::Send, self.next()),
            hint(ui, SCOPE, Action::Leave, words::CLOSE),
        ];
        let heading = Heading { left: ui.text(done).to_owned(), right: hints.join(PART) };
        draw_heading(frame, Rect { height: area.height.min(1), ..area }, ui, &heading, true);
        if area.height < ROWS {
            return;
        }
        let width = area.width.saturating_sub(INDENT + 1);
        let name = Rect { x: area.x + INDENT, y: area.y + 1, width, height: 1 };
        let strong = ui.style(Role::TextStrong);
        let title = Strip::new().put(&self.name, strong);
        let title = title.shortened(usize::from(width), ui.glyphs.cut, strong);
        title.draw(frame.buffer_mut(), name, name.y);
        let field = Rect { y: area.y + 2, ..name };
        let prompt = Strip::new()
            .put(" ", ui.style(Role::Text))
            .put(ui.glyphs.prompt, ui.style(Role::Accent));
        prompt.draw(frame.buffer_mut(), area, field.y);
        self.field.draw(frame, field, ui.style(Role::Text), true);
        for (y, row) in (area.y + ROWS..area.bottom()).zip(&wanted) {
            row.draw(frame.buffer_mut(), area, y);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generation_is_named_by_its_course_and_its_number() {
        for (text, expected) in [
            ("1.14", Some((Course(1), Genseq(14)))),
            (" 2 . 3 ", Some((Course(2), Genseq(3)))),
            ("14", None),
            ("1.x", None),
            ("-1.2", None),
            ("", None),
        ] {
            assert_eq!(generation(text), expected, "{text:?}");
        }
    }
}
