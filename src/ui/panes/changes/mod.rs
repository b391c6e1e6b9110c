//! The sheet of changes: all files that calls of a dialog changed, each as one difference.
//!
//! Files are folded and unfolded under their headings; a cursor goes by rows, and keys act on its file.
//! Rows are laid out when the content, the width or the folding changes, not for each frame. What git says of the
//! workspace stands beside them.

mod changes_words;
mod git_rows;
mod rows;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeSet;

use ratatui::Frame;
use ratatui::layout::Rect;

use self::rows::{ReviewRow, review_rows};
use super::read_sheet::{ReadSheet, SheetView};
use super::row_search::{RowJump, top_for};
use super::strip::{Strip, draw_between};
use super::transcript::prose::plain_rows;
use crate::action::{Action, Binding, Scope};
use crate::copies::CopyTo;
use crate::cx::{Cx, UiSettings, View};
use crate::domain::DialogId;
use crate::domain::reading::file_change::FileChangeKind;
use crate::domain::reading::net_changes::NetChange;
use crate::domain::text::Text;
use crate::domain::text::diff::LineTag;
use crate::effect::Effect;
use crate::follow_up::{FollowUp, ToReading};
use crate::model::drafts::comments_in;
use crate::model::{DraftKey, ReadingPlace, Tone};
use crate::new_overlay::{CommentOn, NewOverlay, PromptPurpose};
use crate::overlay::{Handled, Handler};
use crate::programs::ProgramJob;
use crate::protocol::{ChangesScope, ChangesView, SheetRequest};
use crate::request::Request;
use crate::text::call_text::net_change_text;
use crate::text::{CopyText, SafeText};
use crate::theme::Role;
use crate::words::{CLOSE, COMMENT, FILE_IS_GONE, LOADING};

pub const SCOPE: Scope = Scope::new("changes", "改动", &[Scope::PANES, Scope::ANYWHERE]);

pub const BINDINGS: &[Binding] = &[
    SCOPE.bind(Action::Up, &["k", "up"]),
    SCOPE.bind(Action::Down, &["j", "down"]),
    SCOPE.bind(Action::HalfPageUp, &["ctrl+u"]),
    SCOPE.bind(Action::HalfPageDown, &["ctrl+d"]),
    SCOPE.bind(Action::PageUp, &["pageup"]),
    SCOPE.bind(Action::PageDown, &["pagedown", "space"]),
    SCOPE.bind(Action::Top, &["g", "home"]),
    SCOPE.bind(Action::Bottom, &["G", "end"]),
    SCOPE.bind(Action::PreviousFile, &["["]),
    SCOPE.bind(Action::NextFile, &["]"]),
    SCOPE.bind(Action::ToggleCall, &["o"]).does("Fold or unfold this file", "折叠或展开此文件"),
    SCOPE.bind(Action::FoldAll, &["-"]).does("Fold all files", "折叠全部文件"),
    SCOPE.bind(Action::UnfoldAll, &["+", "="]).does("Unfold all files", "展开全部文件"),
    SCOPE.bind(Action::Find, &["/"]).does("Find in these changes", "在这些改动中查找"),
    SCOPE.bind(Action::NextMatch, &["n"]),
    SCOPE.bind(Action::PreviousMatch, &["N"]),
    SCOPE.bind(Action::OtherChanges, &["tab"]),
    SCOPE
        .bind(Action::OtherEnd, &["enter"])
        .does("Go to the call that changed this file last", "到最后改动此文件的调用"),
    SCOPE.bind(Action::MarkReviewed, &["m"]),
    SCOPE
        .bind(Action::Comment, &[";"])
        .does("Comment on this line, in the message to the dialog", "评注此行，写入给此对话的消息"),
    SCOPE
        .bind(Action::Edit, &["e"])
        .does("Open the file in your editor, at this line", "用编辑器打开此文件，到此行"),
    SCOPE
        .bind(Action::CopyBlock, &["y"])
        .does("Copy the difference of this file", "复制此文件的差异"),
    SCOPE
        .bind(Action::WriteFile, &["Y"])
        .does("Write the difference of this file to a file", "把此文件的差异写入文件"),
];

const KEYS: [Handler<ChangesSheet>; 12] = [
    (Action::PreviousFile, |sheet, _| sheet.step_file(true)),
    (Action::NextFile, |sheet, _| sheet.step_file(false)),
    (Action::ToggleCall, |sheet, cx| sheet.toggle(cx)),
    (Action::FoldAll, |sheet, _| sheet.fold_all(true)),
    (Action::UnfoldAll, |sheet, _| sheet.fold_all(false)),
    (Action::OtherChanges, |sheet, cx| {
        let (dialog, scope) = (sheet.dialog.clone(), sheet.scope.next());
        cx.follow_ups.push(FollowUp::Show(NewOverlay::Changes { dialog, scope }));
        Handled::Done
    }),
    (Action::MarkReviewed, |sheet, cx| sheet.mark_reviewed(cx)),
    (Action::OtherEnd, |sheet, cx| sheet.show_call(cx)),
    (Action::Comment, |sheet, cx| sheet.comment(cx)),
    (Action::Edit, |sheet, cx| sheet.edit(cx)),
    (Action::CopyBlock, |sheet, cx| sheet.copy(CopyTo::Clipboard, cx)),
    (Action::WriteFile, |sheet, cx| sheet.copy(CopyTo::File, cx)),
];

/// With more changed lines than this, files are folded at first.
const UNFOLDED_LINES: usize = 2_000;

/// The rows' input: the content, the width, and whether they are searched.
type RowsFor = (u64, u16, bool);

#[derive(Debug)]
pub struct ChangesSheet {
    dialog: DialogId,
    scope: ChangesScope,
    /// Files, by path, that are not as all others: folded or unfolded.
    toggled: BTreeSet<String>,
    /// Whether the files that are not in `toggled` are folded.
    folded: Option<bool>,
    rows: Vec<ReviewRow>,
    /// The files of the rows, by path.
    paths: Vec<String>,
    made_for: Option<RowsFor>,
    cursor: usize,
    /// While something is searched for, all files are unfolded.
    view: SheetView,
    /// The places of the cursor and of the first row in view.
    cursor_place: ReadingPlace,
    top_place: ReadingPlace,
    /// Rows of the note above the first one.
    above: usize,
    /// The message to the dialog, which has the comments, as the rows were made for it.
    message: String,
}

impl ChangesSheet {
    pub fn new(dialog: DialogId, scope: ChangesScope) -> Self {
        Self {
            dialog,
            scope,
            toggled: BTreeSet::new(),
            folded: None,
            rows: Vec::new(),
            paths: Vec::new(),
            made_for: None,
            cursor: 0,
            view: SheetView::default(),
            cursor_place: ReadingPlace::default(),
            top_place: ReadingPlace::default(),
            above: 0,
            message: String::new(),
        }
    }

    /// The index of the file with the cursor.
    fn file(&self) -> Option<usize> {
        self.rows.get(self.cursor).map(|row| row.file)
    }

    fn change<'a>(&self, cx: &Cx<'a>) -> Option<&'a NetChange> {
        cx.sheets.changes()?.changes.get(self.file()?)
    }

    fn step_file(&mut self, back: bool) -> Handled {
        let Some(file) = self.file() else { return Handled::Done };
        let is_head = |row: &ReviewRow, wanted: usize| row.is_head && row.file == wanted;
        let on_head = self.rows.get(self.cursor).is_some_and(|row| row.is_head);
        let wanted = match (back, on_head) {
            (false, _) => file + 1,
            (true, true) => file.saturating_sub(1),
            (true, false) => file,
        };
        if let Some(found) = self.rows.iter().position(|row| is_head(row, wanted)) {
            self.cursor = found;
            self.view.top = found;
        }
        Handled::Done
    }

    fn toggle(&mut self, cx: &Cx<'_>) -> Handled {
        let Some(change) = self.change(cx) else { return Handled::Done };
        if !self.toggled.remove(&change.path) {
            self.toggled.insert(change.path.clone());
        }
        self.rewind();
        Handled::Done
    }

    fn fold_all(&mut self, folded: bool) -> Handled {
        self.folded = Some(folded);
        self.toggled.clear();
        self.rewind();
        Handled::Done
    }

    /// Puts the cursor on the heading of its file, and has the rows made again.
    fn rewind(&mut self) {
        let file = self.file();
        let head = self.rows.iter().position(|row| row.is_head && Some(row.file) == file);
        let below_top = self.cursor.saturating_sub(self.view.top);
        self.cursor = head.unwrap_or_default();
        self.view.top = self.view.top.min(self.cursor.max(self.cursor.saturating_sub(below_top)));
        self.made_for = None;
    }

    fn mark_reviewed(&self, cx: &mut Cx<'_>) -> Handled {
        let Some(view) = cx.sheets.changes().filter(|view| !view.changes.is_empty()) else {
            return Handled::Done;
        };
        let (dialog, ends) = (self.dialog.clone(), view.ends.clone());
        let request = SheetRequest::MarkReviewed(ends);
        let mark = Request::ChangeSheet { dialog: dialog.clone(), request, draft: None };
        cx.follow_ups.push(FollowUp::Request(mark));
        let scope = ChangesScope::Unreviewed;
        cx.follow_ups.push(FollowUp::Show(NewOverlay::Changes { dialog, scope }));
        Handled::Done
    }

    /// Goes to the call that changed the file last.
    fn show_call(&self, cx: &mut Cx<'_>) -> Handled {
        let last = self.change(cx).and_then(|change| change.calls.last());
        let Some((dialog, call, _)) = last else { return Handled::Done };
        cx.follow_ups.push(FollowUp::Reading(ToReading::ShowCall(dialog.clone(), call.clone())));
        Handled::Close
    }

    /// Asks for a comment on the row with the cursor.
    fn comment(&self, cx: &mut Cx<'_>) -> Handled {
        let row = self.rows.get(self.cursor).zip(self.change(cx));
        let Some((row, change)) = row else { return Handled::Done };
        let (dialog, place) = (self.dialog.clone(), row.place(&SafeText::line(&change.path)));
        let before = comments_in(&self.message).get(place.as_str()).copied().unwrap_or_default();
        let (name, text) = (place.clone(), before.to_owned());
        let before = text.clone();
        let purpose = PromptPurpose::Comment { dialog, on: CommentOn::Review, place, before };
        cx.follow_ups.push(FollowUp::Show(NewOverlay::Prompt { purpose, name, text }));
        Handled::Done
    }

    /// Opens the file in the editor, at the line with the cursor.
    fn edit(&self, cx: &mut Cx<'_>) -> Handled {
        let Some(change) = self.change(cx) else { return Handled::Done };
        let line = self.rows.get(self.cursor).and_then(|row| row.line);
        cx.follow_ups.push(match change.kind {
            FileChangeKind::Removed => FollowUp::Notify(Tone::Plain, FILE_IS_GONE),
            FileChangeKind::Created
            | FileChangeKind::Changed
            | FileChangeKind::Replaced
            | FileChangeKind::Moved => {
                let path = change.path.clone();
                FollowUp::Effect(Effect::Program(ProgramJob::EditFile { path, line }))
            }
        });
        Handled::Done
    }

    /// Copies the difference of the file with the cursor, or writes it to a file.
    fn copy(&self, to: CopyTo, cx: &mut Cx<'_>) -> Handled {
        let text = self.change(cx).map(net_change_text).unwrap_or_default();
        cx.follow_ups.push(FollowUp::Copy(to, CopyText::clean(&text)));
        Handled::Done
    }

    fn is_folded(&self, change: &NetChange, all_folded: bool) -> bool {
        self.toggled.contains(&change.path) != all_folded
    }

    /// Makes the rows unless they are up to date for this content and width. In newer content the cursor stays in
    /// its file, at its row, wherever that file is.
    fn make_rows(&mut self, view: View<'_>, cx: &Cx<'_>, width: u16) {
        let message = cx.drafts.get(&DraftKey::Message(self.dialog.clone()));
        if self.message != message {
            message.clone_into(&mut self.message);
            self.made_for = None;
        }
        let searched = self.view.search.is_active();
        let made_for = (cx.sheets.revision(), width, searched);
        if self.made_for == Some(made_for) {
            return;
        }
        let Some(content) = cx.sheets.changes() else {
            self.rows.clear();
            self.view.rows = 0;
            return;
        };
        let file = self.file().and_then(|file| self.paths.get(file).cloned());
        let head = self.rows.iter().position(|row| Some(row.file) == self.file());
        let below_head = self.cursor - head.unwrap_or(self.cursor).min(self.cursor);
        let below_top = self.cursor.saturating_sub(self.view.top);
        let lines =
            |change: &NetChange| -> usize { change.hunks.iter().map(|h| h.lines.len()).sum() };
        let all: usize = content.changes.iter().map(lines).sum();
        let all_folded = *self.folded.get_or_insert(all > UNFOLDED_LINES);
        let is_folded = |change: &NetChange| !searched && self.is_folded(change, all_folded);
        let shown = (content, self.message.as_str());
        self.rows = review_rows(shown, &is_folded, view, cx.model, usize::from(width));
        self.view.rows = self.rows.len();
        let before = self.made_for.replace(made_for);
        self.view.search.rows_changed();
        self.paths = content.changes.iter().map(|change| change.path.clone()).collect();
        let is_new_width = before.is_some_and(|(revision, before, was)| {
            before != width && (revision, was) == (made_for.0, searched)
        });
        if is_new_width {
            return self.find_places(usize::from(width));
        }
        let Some(path) = file else { return };
        let file = self.paths.iter().position(|known| *known == path);
        let of_file = |row: &ReviewRow| Some(row.file) == file;
        let head = self.rows.iter().position(of_file);
        let last = self.rows.iter().rposition(of_file);
        self.cursor = head.zip(last).map_or(0, |(head, last)| (head + below_head).min(last));
        self.view.top = self.cursor.saturating_sub(below_top);
    }

    /// At a new width, finds the place at the top and that of the cursor.
    fn find_places(&mut self, width: usize) {
        let letters = || self.rows.iter().map(|row| row.strip.letters());
        let top = self.top_place.row_at(width, self.view.top, letters);
        let cursor = self.cursor_place.row_at(width, self.cursor, letters);
        self.show(cursor, top);
    }

    /// Shows a row at the top. The cursor goes to the other one, or the nearest in view.
    fn show(&mut self, cursor: usize, top: usize) {
        let top = top.min(self.view.last_top());
        self.view.top = top;
        self.cursor = cursor.clamp(top, top + self.view.height.saturating_sub(1));
    }

    /// Moves to the match of a search, or back to where it began.
    fn follow_search(&mut self) {
        match self.view.search.follow(self.rows.iter().map(|row| &row.strip)) {
            Some(RowJump::To(row)) => {
                self.cursor = row;
                self.view.top = top_for(row, self.view.height);
            }
            Some(RowJump::Back { row, top }) => {
                let letters = || self.rows.iter().map(|row| row.strip.letters());
                let (at, first) = (row.row_in(letters()), top.row_in(letters()));
                (self.cursor_place, self.top_place) = (row, top);
                self.show(at, first);
            }
            None => {}
        }
    }

    /// The text instead of rows, or above them.
    fn note(&self, ui: &UiSettings, content: Option<&ChangesView>) -> Option<String> {
        let Some(content) = content else { return Some(ui.text(LOADING).to_owned()) };
        match self.scope {
            _ if content.left_out > 0 => {
                Some(ui.counted(content.left_out, changes_words::LEFT_OUT))
            }
            _ if !content.changes.is_empty() => None,
            ChangesScope::Unreviewed => Some(ui.text(changes_words::ALL_REVIEWED).to_owned()),
            ChangesScope::Dialog | ChangesScope::MainDialog => {
                Some(ui.text(changes_words::NONE).to_owned())
            }
        }
    }

    /// Returns the rows above the others, the area of the others, and that of the column beside them.
    fn areas(
        &self,
        area: Rect,
        ui: &UiSettings,
        content: Option<&ChangesView>,
    ) -> (Vec<Strip>, Rect, Rect) {
        let git = content.and_then(|content| content.git.as_ref());
        let (area, column) = git_rows::beside(area, git);
        let width = usize::from(area.width.saturating_sub(3)).max(1);
        let above = git.filter(|_| column.is_empty());
        let mut rows: Vec<Strip> =
            above.map(|git| git_rows::above(git, area.width.into(), ui)).into_iter().collect();
        if let Some(note) = self.note(ui, content) {
            rows.extend(plain_rows(&note, 2, width, ui.style(Role::TextDim)));
        }
        let taken = u16::try_from(rows.len()).unwrap_or(u16::MAX).min(area.height);
        (rows, Rect { y: area.y + taken, height: area.height - taken, ..area }, column)
    }
}

fn scope_word(scope: ChangesScope) -> Text {
    match scope {
        ChangesScope::Dialog => changes_words::OF_DIALOG,
        ChangesScope::MainDialog => changes_words::OF_MAIN_DIALOG,
        ChangesScope::Unreviewed => changes_words::UNREVIEWED,
    }
}

impl ReadSheet for ChangesSheet {
    const SCOPE: Scope = SCOPE;
    const KEYS: &'static [Handler<Self>] = &KEYS;
    const CLOSED_BY: &'static [Action] = &[Action::Cancel, Action::Quit, Action::Changes];
    const HINTS: &'static [(Action, Text)] = &[
        (Action::OtherChanges, changes_words::OTHER),
        (Action::MarkReviewed, changes_words::REVIEWED),
        (Action::Comment, COMMENT),
        (Action::Cancel, CLOSE),
        (Action::OtherEnd, changes_words::CALL),
    ];

    fn view(&self) -> &SheetView {
        &self.view
    }

    fn view_mut(&mut self) -> &mut SheetView {
        &mut self.view
    }

    fn step(&mut self, rows: isize, _: &Cx<'_>) -> Handled {
        let last = self.rows.len().saturating_sub(1);
        self.cursor = self.cursor.saturating_add_signed(rows).min(last);
        Handled::Done
    }

    fn click(&mut self, row: usize, cx: &mut Cx<'_>) -> Handled {
        let at = row.checked_sub(self.above).map(|row| self.view.top + row);
        let Some(at) = at.filter(|at| *at < self.rows.len()) else { return Handled::Ignored };
        let is_head = self.rows.get(at).is_some_and(|row| row.is_head);
        if is_head && at == self.cursor {
            return self.toggle(cx);
        }
        self.cursor = at;
        Handled::Done
    }

    fn title(&self, ui: &UiSettings, cx: &Cx<'_>) -> Vec<String> {
        let mut left = vec![
            ui.text(changes_words::TITLE).to_owned(),
            ui.text(scope_word(self.scope)).to_owned(),
        ];
        if let Some(content) = cx.sheets.changes() {
            let count = |tag| content.changes.iter().map(|change| change.count(tag)).sum::<usize>();
            left.push(ui.counted(content.changes.len(), changes_words::FILES));
            left.push(format!("+{} -{}", count(LineTag::Added), count(LineTag::Removed)));
        }
        left
    }

    fn lay_out(&mut self, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let (_, rows, _) = self.areas(area, view.ui, cx.sheets.changes());
        let height = usize::from(rows.height);
        let is_new_height = std::mem::replace(&mut self.view.height, height) != height;
        self.above = usize::from(rows.y - area.y);
        self.make_rows(view, cx, rows.width);
        if is_new_height {
            self.show(self.cursor, self.view.top);
        }
        self.follow_search();
        self.step(0, cx);
        self.view.reveal(self.cursor);
        self.view.top = self.view.top.min(self.view.last_top());
        let (width, count) = (usize::from(rows.width), self.rows.len());
        let letters = || self.rows.iter().map(|row| row.strip.letters());
        self.cursor_place.stands_at(width, (self.cursor, count), letters);
        self.top_place.stands_at(width, (self.view.top, count), letters);
        self.view.search.stands_at(self.cursor_place, self.top_place);
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let ui = view.ui;
        let content = cx.sheets.changes();
        let (note, rows, column) = self.areas(area, ui, content);
        let buffer = frame.buffer_mut();
        let git = content.and_then(|content| content.git.as_ref());
        if let Some(git) = git.filter(|_| !column.is_empty()) {
            let listed = git_rows::column(git, column.height.into(), ui);
            for (y, strip) in (column.y..column.bottom()).zip(&listed) {
                strip.draw(buffer, column, y);
            }
        }
        for (y, strip) in (area.y..rows.y).zip(&note) {
            strip.draw(buffer, area, y);
        }
        let shown = self.rows.iter().enumerate().skip(self.view.top);
        for (y, (at, row)) in (rows.y..rows.bottom()).zip(shown) {
            let line = Rect { y, height: 1, ..rows };
            let strip = self.view.search.marked(at, row.strip.clone(), ui);
            draw_between(buffer, line, y, (&strip, &row.meta), ui.glyphs.cut);
            if at == self.cursor {
                let bar = Strip::new().put(ui.glyphs.selected, ui.style(Role::Accent));
                bar.draw(buffer, Rect { width: 1, ..line }, y);
            }
        }
    }

    fn forget_rows(&mut self) {
        self.made_for = None;
    }
}
