//! The form for a new dialog: a teammate, a Taskdoc, and the first message.

#[cfg(test)]
mod tests;

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Clear;

use super::composer::{Heading, PART, SCOPE, draw_heading, hint};
use super::field::Field;
use super::strip::Strip;
use super::transcript::prose::plain_rows;
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::AgentId;
use crate::domain::text::Text;
use crate::follow_up::{FollowUp, ToWriting};
use crate::model::DraftKey;
use crate::overlay::{Handled, Handler, Overlay, has_handler, run_handler};
use crate::protocol::{MemberView, WorkspaceView};
use crate::request::Request;
use crate::theme::Role;
use crate::words;

const NEW_DIALOG: Text = Text::new("NEW DIALOG", "新对话");
const TEAMMATE: Text = Text::new("teammate", "队友");
const FIRST_MESSAGE: Text = Text::new("first message", "第一条消息");
const NO_SUCH_MEMBER: Text = Text::new("no teammate has this name", "没有这个队友");
const TASKDOC_MISSING: Text =
    Text::new("name a Taskdoc, such as add-login.tsk", "请写任务文档名，如 add-login.tsk");
const TASKDOC_OUTSIDE: Text =
    Text::new("a Taskdoc must be inside the workspace", "任务文档必须在工作区内");
const MESSAGE_MISSING: Text = Text::new("write what is to be done", "请写要做什么");
const CREATE_AND_SEND: Text = Text::new("create and send", "创建并发送");
const NEXT_FIELD: Text = Text::new("next field", "下一项");

/// Proposals shown below a field.
const MAX_PROPOSALS: usize = 4;
/// Width of the labels.
const LABEL_CELLS: u16 = 15;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FormField {
    Teammate,
    Taskdoc,
    Message,
}

/// A field with proposals below it.
#[derive(Debug, Default)]
struct ChoiceField {
    field: Field,
    /// The selected proposal; `None` if the text itself is used.
    picked: Option<usize>,
    fault: Option<Text>,
}

#[derive(Debug)]
pub struct NewDialog {
    focus: FormField,
    teammate: ChoiceField,
    taskdoc: ChoiceField,
    message: Field,
    message_fault: Option<Text>,
}

impl NewDialog {
    /// The default responder and the newest Taskdoc are preselected; `draft` is the first message.
    pub fn new(workspace: &WorkspaceView, draft: &str) -> Self {
        let at = workspace
            .default_responder
            .as_ref()
            .and_then(|id| workspace.members.iter().position(|member| member.id == *id));
        let teammate = ChoiceField {
            picked: at.or((!workspace.members.is_empty()).then_some(0)),
            ..ChoiceField::default()
        };
        let taskdoc = ChoiceField {
            picked: (!workspace.taskdocs.is_empty()).then_some(0),
            ..ChoiceField::default()
        };
        let focus = if taskdoc.picked.is_some() { FormField::Message } else { FormField::Taskdoc };
        Self { focus, teammate, taskdoc, message: Field::new(draft), message_fault: None }
    }

    fn step(&mut self, back: bool) -> Handled {
        self.focus = match (self.focus, back) {
            (FormField::Teammate, false) | (FormField::Message, true) => FormField::Taskdoc,
            (FormField::Taskdoc, false) | (FormField::Teammate, true) => FormField::Message,
            (FormField::Message, false) | (FormField::Taskdoc, true) => FormField::Teammate,
        };
        Handled::Done
    }

    /// Moves among the proposals, or in the message.
    fn pick(&mut self, down: bool, workspace: &WorkspaceView) -> Handled {
        let (choice, count) = match self.focus {
            FormField::Teammate => {
                let count = members(workspace, &self.teammate.field.text()).len();
                (&mut self.teammate, count)
            }
            FormField::Taskdoc => {
                let count = taskdocs(workspace, &self.taskdoc.field.text()).len();
                (&mut self.taskdoc, count)
            }
            FormField::Message => return Handled::Ignored,
        };
        let last = count.checked_sub(1);
        choice.picked = match (choice.picked, down) {
            (None, _) => last.map(|_| 0),
            (Some(at), true) => last.map(|last| (at + 1).min(last)),
            (Some(at), false) => Some(at.saturating_sub(1)),
        };
        Handled::Done
    }

    fn submit(&mut self, cx: &mut Cx<'_>) -> Handled {
        let text = self.message.text();
        let member = self.chosen_member(&cx.model.workspace);
        let taskdoc = self.chosen_taskdoc(&cx.model.workspace);
        self.teammate.fault = member.is_none().then_some(NO_SUCH_MEMBER);
        self.taskdoc.fault = taskdoc.as_ref().err().copied();
        self.message_fault = text.trim().is_empty().then_some(MESSAGE_MISSING);
        match (member, taskdoc, self.message_fault) {
            (Some(agent), Ok(taskdoc), None) => {
                cx.follow_ups.extend(create(agent, taskdoc, text));
                return Handled::Close;
            }
            (None, _, _) => self.focus = FormField::Teammate,
            (_, Err(_), _) => self.focus = FormField::Taskdoc,
            (_, _, Some(_)) => self.focus = FormField::Message,
        }
        Handled::Done
    }

    fn chosen_member(&self, workspace: &WorkspaceView) -> Option<AgentId> {
        let typed = self.teammate.field.text();
        let found = members(workspace, &typed);
        let at = self.teammate.picked.or((found.len() == 1).then_some(0))?;
        found.get(at).map(|member| member.id.clone())
    }

    fn chosen_taskdoc(&self, workspace: &WorkspaceView) -> Result<String, Text> {
        let typed = self.taskdoc.field.text().trim().to_owned();
        if let Some(at) = self.taskdoc.picked
            && let Some(found) = taskdocs(workspace, &typed).get(at)
        {
            return Ok((*found).to_owned());
        }
        if typed.is_empty() {
            return Err(TASKDOC_MISSING);
        }
        if typed.starts_with('/') || typed.split('/').any(|part| part == "..") {
            return Err(TASKDOC_OUTSIDE);
        }
        Ok(if is_taskdoc(&typed) { typed } else { format!("{typed}.tsk") })
    }

    fn new_line(&mut self, cx: &mut Cx<'_>) -> Handled {
        if self.focus == FormField::Message {
            self.message.new_line();
            self.edited(cx);
        }
        Handled::Done
    }

    /// Clears the field; if it is empty, closes the form.
    fn clear(&mut self, cx: &mut Cx<'_>) -> Handled {
        if self.field().is_empty() {
            return Handled::Close;
        }
        self.field().clear();
        self.edited(cx);
        Handled::Done
    }

    fn undo(&mut self, cx: &mut Cx<'_>) -> Handled {
        if self.field().undo() {
            self.edited(cx);
        }
        Handled::Done
    }

    fn redo(&mut self, cx: &mut Cx<'_>) -> Handled {
        if self.field().redo() {
            self.edited(cx);
        }
        Handled::Done
    }

    fn field(&mut self) -> &mut Field {
        match self.focus {
            FormField::Teammate => &mut self.teammate.field,
            FormField::Taskdoc => &mut self.taskdoc.field,
            FormField::Message => &mut self.message,
        }
    }

    /// After typing, selects the first matching teammate, and uses the typed Taskdoc unchanged.
    fn edited(&mut self, cx: &mut Cx<'_>) {
        match self.focus {
            FormField::Teammate => {
                self.teammate.picked = Some(0);
                self.teammate.fault = None;
            }
            FormField::Taskdoc => {
                self.taskdoc.picked = None;
                self.taskdoc.fault = None;
            }
            FormField::Message => {
                self.message_fault = None;
                cx.follow_ups.push(FollowUp::Writing(ToWriting::SaveDraft(
                    DraftKey::New,
                    self.message.text(),
                )));
            }
        }
    }
}

/// The text is a draft until the dialog is there.
fn create(agent: AgentId, taskdoc: String, text: String) -> [FollowUp; 2] {
    let draft = FollowUp::Writing(ToWriting::SaveDraft(DraftKey::New, text.clone()));
    [draft, FollowUp::Request(Request::Create { agent, taskdoc, text })]
}

fn is_taskdoc(name: &str) -> bool {
    std::path::Path::new(name.trim_end_matches('/')).extension().is_some_and(|e| e == "tsk")
}

/// Teammates whose id or name contains the typed text.
fn members<'a>(workspace: &'a WorkspaceView, typed: &str) -> Vec<&'a MemberView> {
    let wanted = typed.trim().trim_start_matches('@').to_lowercase();
    let fits = |text: &str| text.to_lowercase().contains(&wanted);
    let all = workspace.members.iter();
    all.filter(|member| fits(member.id.as_str()) || fits(&member.name)).collect()
}

fn taskdocs<'a>(workspace: &'a WorkspaceView, typed: &str) -> Vec<&'a str> {
    let wanted = typed.trim().to_lowercase();
    let all = workspace.taskdocs.iter().map(String::as_str);
    all.filter(|path| path.to_lowercase().contains(&wanted)).collect()
}

const HANDLERS: [Handler<NewDialog>; 10] = [
    (Action::Send, NewDialog::submit),
    (Action::FocusNext, |form, _| form.step(false)),
    (Action::FocusPrevious, |form, _| form.step(true)),
    (Action::HistoryUp, |form, cx| form.pick(false, &cx.model.workspace)),
    (Action::HistoryDown, |form, cx| form.pick(true, &cx.model.workspace)),
    (Action::Leave, |_, _| Handled::Close),
    (Action::NewLine, NewDialog::new_line),
    (Action::ClearDraft, NewDialog::clear),
    (Action::Undo, NewDialog::undo),
    (Action::Redo, NewDialog::redo),
];

impl Overlay for NewDialog {
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
        if self.field().typed(key) {
            self.edited(cx);
        }
        Handled::Done
    }

    fn paste(&mut self, text: &str, cx: &mut Cx<'_>) {
        let text =
            if self.focus == FormField::Message { text } else { text.lines().next().unwrap_or("") };
        self.field().paste(text);
        self.edited(cx);
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        frame.render_widget(Clear, area);
        let ui = view.ui;
        let hints = [
            hint(ui, SCOPE, Action::Send, CREATE_AND_SEND),
            hint(ui, SCOPE, Action::FocusNext, NEXT_FIELD),
            hint(ui, SCOPE, Action::Leave, words::CLOSE),
        ];
        let heading = Heading { left: ui.text(NEW_DIALOG).to_owned(), right: hints.join(PART) };
        draw_heading(frame, Rect { height: 1, ..area }, ui, &heading, true);
        let mut rest = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        let members: Vec<String> = members(&cx.model.workspace, &self.teammate.field.text())
            .into_iter()
            .map(|member| format!("@{}  {}", member.id, member.gofor))
            .collect();
        let label = (TEAMMATE, self.focus == FormField::Teammate);
        rest = draw_choice(frame, rest, ui, &self.teammate, label, &members);
        let taskdocs: Vec<String> = taskdocs(&cx.model.workspace, &self.taskdoc.field.text())
            .into_iter()
            .map(str::to_owned)
            .collect();
        let label = (words::TASKDOC, self.focus == FormField::Taskdoc);
        rest = draw_choice(frame, rest, ui, &self.taskdoc, label, &taskdocs);
        self.draw_message(frame, rest, ui);
    }
}

impl NewDialog {
    fn draw_message(&self, frame: &mut Frame<'_>, area: Rect, ui: &UiSettings) {
        let focused = self.focus == FormField::Message;
        if area.height < 2 {
            return;
        }
        let area = Rect { y: area.y + 1, height: area.height - 1, ..area };
        draw_label(frame, area, ui, FIRST_MESSAGE, focused);
        let width = area.width.saturating_sub(LABEL_CELLS + 3);
        let rows = self.message.height(usize::from(width).max(1), 6).max(2);
        let height = u16::try_from(rows).unwrap_or(2).min(area.height);
        let field = Rect { x: area.x + LABEL_CELLS + 2, width, height, ..area };
        self.message.draw(frame, field, ui.style(Role::Text), focused);
        draw_fault(frame, Rect { y: field.bottom(), ..field }, ui, self.message_fault, area);
    }
}

/// Draws a field with its proposals; returns the area below.
fn draw_choice(
    frame: &mut Frame<'_>,
    area: Rect,
    ui: &UiSettings,
    choice: &ChoiceField,
    (label, focused): (Text, bool),
    proposals: &[String],
) -> Rect {
    if area.height < 3 {
        return area;
    }
    let area = Rect { y: area.y + 1, height: area.height - 1, ..area };
    draw_label(frame, area, ui, label, focused);
    let field = Rect {
        x: area.x + LABEL_CELLS + 2,
        width: area.width.saturating_sub(LABEL_CELLS + 3),
        height: 1,
        ..area
    };
    let chosen = choice.picked.and_then(|at| proposals.get(at));
    if choice.field.is_empty() && !focused {
        let text = chosen.map_or("", String::as_str);
        Strip::new()
            .put(text, ui.style(Role::Text))
            .shortened(usize::from(field.width), ui.glyphs.cut, Style::default())
            .draw(frame.buffer_mut(), field, field.y);
    } else {
        choice.field.draw(frame, field, ui.style(Role::Text), focused);
    }
    let mut y = field.y + 1;
    if focused {
        let top = choice.picked.unwrap_or(0).saturating_sub(MAX_PROPOSALS - 1);
        for (at, text) in proposals.iter().enumerate().skip(top).take(MAX_PROPOSALS) {
            draw_proposal(frame, Rect { y, ..field }, ui, text, choice.picked == Some(at), area);
            y += 1;
        }
    }
    y += draw_fault(frame, Rect { y, ..field }, ui, choice.fault, area);
    let y = y.min(area.bottom());
    Rect { y, height: area.bottom() - y, ..area }
}

fn draw_proposal(
    frame: &mut Frame<'_>,
    at: Rect,
    ui: &UiSettings,
    text: &str,
    picked: bool,
    within: Rect,
) {
    if at.y >= within.bottom() {
        return;
    }
    let role = if picked { Role::Accent } else { Role::TextDim };
    let symbol = if picked { ui.glyphs.selected } else { " " };
    Strip::new()
        .put(symbol, ui.style(Role::Accent))
        .put(text, ui.style(role))
        .shortened(usize::from(at.width), ui.glyphs.cut, ui.style(role))
        .draw(frame.buffer_mut(), at, at.y);
}

fn draw_label(frame: &mut Frame<'_>, area: Rect, ui: &UiSettings, label: Text, focused: bool) {
    let role = if focused { Role::TitleFocus } else { Role::Title };
    let symbol = ui.style(if focused { Role::Accent } else { Role::TextDim });
    Strip::new()
        .put(" ", Style::default())
        .put(ui.text(label), ui.style(role))
        .shortened(usize::from(LABEL_CELLS), ui.glyphs.cut, Style::default())
        .pad_to(usize::from(LABEL_CELLS))
        .put(ui.glyphs.prompt, symbol)
        .draw(frame.buffer_mut(), Rect { height: area.height.min(1), ..area }, area.y);
}

/// Draws an error below a field, wrapped; returns the number of rows.
fn draw_fault(
    frame: &mut Frame<'_>,
    at: Rect,
    ui: &UiSettings,
    fault: Option<Text>,
    within: Rect,
) -> u16 {
    let Some(fault) = fault else { return 0 };
    let place = Rect { height: within.bottom().saturating_sub(at.y), ..at };
    let rows = plain_rows(ui.text(fault), 0, usize::from(at.width).max(1), ui.style(Role::Bad));
    for (y, row) in (place.y..place.bottom()).zip(&rows) {
        row.draw(frame.buffer_mut(), place, y);
    }
    u16::try_from(rows.len()).unwrap_or(u16::MAX).min(place.height)
}
