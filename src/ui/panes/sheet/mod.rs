//! A sheet on top of the open dialog: its reminders or its Taskdoc, as a list with an editor below.
//!
//! Changes are sent to the driver, and the sheet shows the content it sends back. Typed text is stored
//! as a draft until it is on disk.

mod editor;
mod items;
mod list;
mod sheet_words;
#[cfg(test)]
pub(crate) mod tests;

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::widgets::Clear;

use self::editor::{EditSubject, Editor};
use self::items::{ItemState, SheetItem};
use self::list::SheetList;
use super::composer::{self, Heading, PART, draw_heading, hint};
use super::read_sheet::draw_note;
use super::row_search::{RowJump, RowSearch};
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, View};
use crate::domain::DialogId;
use crate::domain::asking::question::short_headline;
use crate::domain::reading::title::headline;
use crate::follow_up::FollowUp;
use crate::model::Tone;
use crate::new_overlay::{NewOverlay, SheetKind};
use crate::overlay::{Handled, Overlay};
use crate::panes::scroll_sign::draw_scroll_sign;
use crate::protocol::{ReminderAudience, ReminderView, SheetRequest};
use crate::request::Request;
use crate::words::SUBJECT_DELETE;

pub const SCOPE: Scope = Scope::new("sheet", "提醒与任务文档", &[Scope::PANES, Scope::ANYWHERE]);

pub const BINDINGS: &[Binding] = &[
    SCOPE.bind(Action::Up, &["k", "up"]).does("Move to the entry above", "到上面的条目"),
    SCOPE.bind(Action::Down, &["j", "down"]).does("Move to the entry below", "到下面的条目"),
    SCOPE.bind(Action::PageUp, &["ctrl+u", "pageup"]).does("Scroll up half a page", "上滚半页"),
    SCOPE
        .bind(Action::PageDown, &["ctrl+d", "pagedown", "space"])
        .does("Scroll down half a page", "下滚半页"),
    SCOPE.bind(Action::Edit, &["enter", "e"]),
    SCOPE.bind(Action::Find, &["/"]).does("Find in this sheet", "在此处查找"),
    SCOPE.bind(Action::Add, &["n"]).does(
        "Add a reminder to this dialog; in a search, go to the next match",
        "给此对话添加提醒；查找时到下一处匹配",
    ),
    SCOPE.bind(Action::AddPersonal, &["N"]).does(
        "Add a reminder for all of the member; in a search, the match before",
        "给该成员的所有对话添加提醒；查找时到上一处匹配",
    ),
    SCOPE.bind(Action::Delete, &["d"]).does("Delete this reminder", "删除此提醒"),
];

/// Characters of a reminder shown in a question.
const NAME_CHARS: usize = 40;

#[derive(Debug)]
pub struct SheetPane {
    kind: SheetKind,
    dialog: DialogId,
    /// The dialog of the reminders, or the path of the Taskdoc.
    of: String,
    list: SheetList,
    editor: Option<Editor>,
    /// While something is searched for, all entries are shown whole.
    search: RowSearch,
}

impl SheetPane {
    pub fn new(kind: SheetKind, dialog: DialogId, of: String) -> Self {
        Self {
            kind,
            dialog,
            of,
            list: SheetList::default(),
            editor: None,
            search: RowSearch::default(),
        }
    }

    /// The ids or names of the entries, in the order of the list.
    fn keys(&self, cx: &Cx<'_>) -> Vec<String> {
        match self.kind {
            SheetKind::Reminders => {
                let all = cx.sheets.reminders().unwrap_or_default();
                all.iter().map(|reminder| reminder.id.clone()).collect()
            }
            SheetKind::Taskdoc => {
                let all = cx.sheets.taskdoc().map_or(&[][..], |doc| doc.sections.as_slice());
                all.iter().map(|section| section.name.clone()).collect()
            }
        }
    }

    fn chosen_reminder<'a>(&self, cx: &Cx<'a>) -> Option<&'a ReminderView> {
        let key = self.list.chosen(&self.keys(cx))?;
        cx.sheets.reminders()?.iter().find(|reminder| reminder.id == key)
    }

    fn step(&mut self, rows: isize, cx: &Cx<'_>) -> Handled {
        self.list.step(rows, &self.keys(cx));
        Handled::Done
    }

    /// Edits the selected entry, or shows why it cannot be edited.
    fn edit(&mut self, cx: &mut Cx<'_>) -> Handled {
        let found = match self.kind {
            SheetKind::Reminders => self.chosen_reminder(cx).map(|reminder| {
                let subject = EditSubject::Reminder(self.dialog.clone(), reminder.id.clone());
                let reason = reminder.no_update.as_ref();
                let reason = reason.map(|reason| reason.in_lang(cx.ui.lang).to_owned());
                (subject, reminder.content.clone(), reason)
            }),
            SheetKind::Taskdoc => self.chosen_section(cx),
        };
        match found {
            None => {}
            Some((_, _, Some(reason))) => refuse(&reason, cx),
            Some((subject, text, None)) => self.editor = Some(Editor::new(subject, text, cx)),
        }
        Handled::Done
    }

    fn chosen_section(&self, cx: &Cx<'_>) -> Option<(EditSubject, String, Option<String>)> {
        let key = self.list.chosen(&self.keys(cx))?;
        let taskdoc = cx.sheets.taskdoc()?;
        let section = taskdoc.sections.iter().find(|section| section.name == key)?;
        let reason =
            (!section.complete).then(|| cx.ui.text(sheet_words::SECTION_TOO_LARGE).to_owned());
        let subject = EditSubject::Section(taskdoc.path.clone(), section.name.clone());
        Some((subject, section.text.clone(), reason))
    }

    fn add(&mut self, scope: ReminderAudience, cx: &mut Cx<'_>) -> Handled {
        match self.kind {
            SheetKind::Reminders => {
                let subject = EditSubject::NewReminder(self.dialog.clone(), scope);
                self.editor = Some(Editor::new(subject, String::new(), cx));
            }
            SheetKind::Taskdoc => refuse(cx.ui.text(sheet_words::SECTIONS_ARE_FIXED), cx),
        }
        Handled::Done
    }

    /// Deletes a reminder after a confirmation.
    fn delete(&mut self, cx: &mut Cx<'_>) -> Handled {
        match (self.kind, self.chosen_reminder(cx)) {
            (SheetKind::Taskdoc, _) => refuse(cx.ui.text(sheet_words::SECTIONS_ARE_FIXED), cx),
            (SheetKind::Reminders, None) => {}
            (SheetKind::Reminders, Some(ReminderView { no_delete: Some(reason), .. })) => {
                let reason = reason.in_lang(cx.ui.lang).to_owned();
                refuse(&reason, cx);
            }
            (SheetKind::Reminders, Some(ReminderView { id, content, no_delete: None, .. })) => {
                let request = SheetRequest::DeleteReminder { id: id.clone() };
                let dialog = self.dialog.clone();
                let yes = Request::ChangeSheet { dialog, request, draft: None };
                let name = format!("“{}”", short_headline(&headline(content), NAME_CHARS));
                let question = cx.ui.sentence(sheet_words::DELETE_REMINDER_QUESTION, &name);
                let yes = vec![FollowUp::Request(yes)];
                let asks = NewOverlay::PermanentQuestion(SUBJECT_DELETE, question, yes);
                cx.follow_ups.push(FollowUp::Show(asks));
            }
        }
        Handled::Done
    }

    fn act_in_list(&mut self, action: Action, cx: &mut Cx<'_>) -> Handled {
        type Handler = fn(&mut SheetPane, &mut Cx<'_>) -> Handled;
        let handlers: [(Action, Handler); 9] = [
            (Action::Up, |sheet, cx| sheet.step(-1, cx)),
            (Action::Down, |sheet, cx| sheet.step(1, cx)),
            (Action::PageUp, |sheet, _| sheet.list.scroll(true)),
            (Action::PageDown, |sheet, _| sheet.list.scroll(false)),
            (Action::Edit, Self::edit),
            (Action::Add, |sheet, cx| sheet.add(ReminderAudience::Dialog, cx)),
            (Action::AddPersonal, |sheet, cx| sheet.add(ReminderAudience::Personal, cx)),
            (Action::Delete, Self::delete),
            (Action::Cancel, |_, _| Handled::Close),
        ];
        let handler = handlers.iter().find(|(known, _)| *known == action);
        handler.map_or(Handled::Ignored, |(_, handler)| handler(self, cx))
    }

    /// The areas of the heading, the list and the editor.
    fn areas(&self, area: Rect) -> [Rect; 3] {
        let typing = self.editor.as_ref().map_or(0, |editor| editor.height(area));
        let editing = Rect { y: area.bottom() - typing, height: typing, ..area };
        let head = Rect { height: area.height.min(1), ..area };
        let rows = Rect {
            y: area.y + head.height,
            height: area.height.saturating_sub(head.height + typing),
            ..area
        };
        [head, rows, editing]
    }

    fn heading(&self, view: View<'_>, count: Option<usize>) -> Heading {
        let ui = view.ui;
        let dot = ui.glyphs.middle_dot;
        let title = match self.kind {
            SheetKind::Reminders => sheet_words::REMINDERS,
            SheetKind::Taskdoc => sheet_words::TASKDOC,
        };
        let mut left = format!("{} {dot} {}", ui.text(title), self.of);
        if let Some(count) = count.filter(|_| self.kind == SheetKind::Reminders) {
            left.push_str(&format!(" {dot} {count}"));
        }
        let mut hints = vec![hint(ui, SCOPE, Action::Edit, sheet_words::EDIT)];
        if self.kind == SheetKind::Reminders {
            hints.push(hint(ui, SCOPE, Action::Add, sheet_words::ADD));
            hints.push(hint(ui, SCOPE, Action::Delete, sheet_words::DELETE));
            hints.push(hint(ui, SCOPE, Action::AddPersonal, sheet_words::ADD_PERSONAL));
        }
        hints.insert(1, hint(ui, SCOPE, Action::Cancel, sheet_words::CLOSE));
        Heading { left, right: hints.join(PART) }
    }

    /// The entries; `None` before the driver has sent them.
    fn items(&self, area: Rect, view: View<'_>, cx: &Cx<'_>) -> Option<Vec<SheetItem>> {
        let chosen = self.list.chosen(&self.keys(cx));
        let available = usize::from(area.width.saturating_sub(1));
        let searched = self.search.is_active();
        match self.kind {
            SheetKind::Reminders => {
                let all = cx.sheets.reminders()?.iter();
                let item = |reminder: &ReminderView| {
                    let key = EditSubject::Reminder(self.dialog.clone(), reminder.id.clone()).key();
                    let has_draft = cx.drafts.has(&key);
                    let is_whole = searched || chosen.as_deref() == Some(reminder.id.as_str());
                    items::reminder(reminder, view, available, ItemState { is_whole, has_draft })
                };
                Some(all.map(item).collect())
            }
            SheetKind::Taskdoc => {
                let taskdoc = cx.sheets.taskdoc()?;
                let item = |section: &crate::protocol::SectionView| {
                    let subject = EditSubject::Section(taskdoc.path.clone(), section.name.clone());
                    let has_draft = cx.drafts.has(&subject.key());
                    let is_whole = searched || chosen.as_deref() == Some(section.name.as_str());
                    items::section(section, view, available, ItemState { is_whole, has_draft })
                };
                let mut all: Vec<SheetItem> = taskdoc.sections.iter().map(item).collect();
                all.extend(items::faults(&taskdoc.faults, view, available));
                Some(all)
            }
        }
    }
}

/// Shows why something cannot be changed here.
fn refuse(reason: &str, cx: &mut Cx<'_>) {
    let text = format!("{}: {reason}", cx.ui.text(sheet_words::NOT_BY_HAND));
    cx.follow_ups.push(FollowUp::NotifyText(Tone::Plain, text));
}

impl Overlay for SheetPane {
    fn scope(&self) -> Scope {
        if self.editor.is_some() { composer::SCOPE } else { SCOPE }
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Handled {
        let Some(editor) = &mut self.editor else {
            return self.act_in_list(action, cx);
        };
        match editor.act(action, &self.dialog, cx) {
            Handled::Close => {
                self.editor = None;
                Handled::Done
            }
            handled @ (Handled::Done | Handled::Ignored) => handled,
        }
    }

    fn handles(&self, binding: &Binding) -> bool {
        if self.editor.is_some() {
            return Editor::handles(binding.action);
        }
        let is_fixed = self.kind == SheetKind::Taskdoc
            && matches!(binding.action, Action::Add | Action::AddPersonal | Action::Delete);
        binding.action == Action::Cancel || (binding.scope == SCOPE && !is_fixed)
    }

    fn typed(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> Handled {
        match &mut self.editor {
            Some(editor) => editor.typed(key, cx),
            None => Handled::Ignored,
        }
    }

    fn paste(&mut self, text: &str, cx: &mut Cx<'_>) {
        if let Some(editor) = &mut self.editor {
            editor.paste(text, cx);
        }
    }

    fn layout(&mut self, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let [_, rows, _] = self.areas(area);
        self.list.settle(&self.keys(cx));
        let mut items = self.items(rows, view, cx).unwrap_or_default();
        self.search.rows_changed();
        match self.search.follow(items.iter().flat_map(SheetItem::texts)) {
            Some(RowJump::To(row)) => self.list.show_row(row, usize::from(rows.height), &items),
            Some(RowJump::Back { top, .. }) => {
                self.list.go_back(top, &self.keys(cx));
                items = self.items(rows, view, cx).unwrap_or_default();
            }
            None if self.search.is_active() => {}
            None => self.list.stay(),
        }
        self.list.layout(rows, &items);
        self.search.stands_at(self.list.place(), self.list.place());
    }

    fn row_search(&self) -> Option<&RowSearch> {
        self.editor.is_none().then_some(&self.search)
    }

    fn row_search_mut(&mut self) -> Option<&mut RowSearch> {
        self.editor.is_none().then_some(&mut self.search)
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        frame.render_widget(Clear, area);
        let [head, rows, editing] = self.areas(area);
        let items = self.items(rows, view, cx);
        let heading = self.heading(view, items.as_ref().map(Vec::len));
        draw_heading(frame, head, view.ui, &heading, self.editor.is_none());
        let note = match &items {
            None => Some(sheet_words::LOADING),
            Some(items) if items.is_empty() => Some(sheet_words::NO_REMINDERS),
            Some(_) => None,
        };
        if let Some(note) = note {
            draw_note(frame, rows, view.ui, note);
        }
        let focused = self.editor.is_none();
        let mut start = 0;
        let marked = |item: SheetItem| {
            let first = start;
            start += item.texts().count();
            item.marked(|at, row| self.search.marked(first + at, row, view.ui))
        };
        let items: Vec<SheetItem> = items.unwrap_or_default().into_iter().map(marked).collect();
        draw_scroll_sign(frame.buffer_mut(), head, view.ui, self.list.shown_rows(&items));
        self.list.draw(frame.buffer_mut(), rows, view, &items, focused);
        if let Some(editor) = &self.editor {
            editor.draw(frame, editing, view);
        }
    }
}
