//! The list of done and archived dialogs, to be read, restored or deleted.

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::widgets::Clear;

use super::composer::{Heading, PART, draw_heading, hint};
use super::strip::{Strip, draw_between};
use crate::domain::question::short_headline;
use crate::domain::{AgentId, Bucket, DialogId, RootId, Slug};
use crate::protocol::{Lifecycle, ShelfRow};
use crate::ui::action::{Action, Binding, Scope};
use crate::ui::cx::{Cx, Intent, UiSettings, View};
use crate::ui::model::age;
use crate::ui::overlay::{Handled, Overlay};
use crate::ui::theme::Role;
use crate::ui::words;

pub const SCOPE: Scope = Scope::new("shelf", "已完成与已归档", &[Scope::ANYWHERE]);

pub const BINDINGS: &[Binding] = &[
    SCOPE.bind(Action::Up, &["k", "up"]),
    SCOPE.bind(Action::Down, &["j", "down"]),
    SCOPE.bind(Action::Open, &["enter"]).does("Read this dialog", "阅读此对话"),
    SCOPE.bind(Action::Revive, &["u"]),
    SCOPE.bind(Action::Archive, &["A"]).does("Archive this dialog", "把此对话归档"),
    SCOPE
        .bind(Action::Delete, &["D"])
        .does("Delete this dialog permanently; asks first", "永久删除此对话；先询问"),
    SCOPE.bind(Action::Close, &["esc", "q", "ctrl+c"]),
];

/// Characters of the subject in the name of a dialog.
const NAME_CHARS: usize = 40;

#[derive(Debug)]
pub struct Shelf {
    rows: Vec<ShelfRow>,
    selected: usize,
    top: usize,
}

impl Shelf {
    /// Selects `chosen`, if it is in the list.
    pub fn new(rows: Vec<ShelfRow>, chosen: Option<&RootId>) -> Self {
        let at = rows.iter().position(|row| Some(&row.root) == chosen);
        Self { rows, selected: at.unwrap_or(0), top: 0 }
    }

    fn step(&mut self, down: bool) -> Handled {
        let last = self.rows.len().saturating_sub(1);
        let next = if down { self.selected + 1 } else { self.selected.saturating_sub(1) };
        self.selected = next.min(last);
        Handled::Done
    }

    /// Requests an intent for the selected row, if there is one.
    fn chosen(
        &self,
        cx: &mut Cx<'_>,
        request: impl FnOnce(&ShelfRow, &UiSettings) -> Intent,
    ) -> Handled {
        match self.rows.get(self.selected).map(|row| request(row, cx.ui)) {
            Some(intent) => {
                cx.intents.push(intent);
                Handled::Close
            }
            None => Handled::Done,
        }
    }
}

fn open(row: &ShelfRow, _: &UiSettings) -> Intent {
    Intent::Open(DialogId::main(row.root.clone()))
}

fn move_to(to: Bucket, row: &ShelfRow, ui: &UiSettings) -> Intent {
    Intent::ChangeShelved(Lifecycle::Move { root: row.root.clone(), to }, name(row, ui))
}

fn delete(row: &ShelfRow, ui: &UiSettings) -> Intent {
    let change = Lifecycle::Delete { root: row.root.clone() };
    let question = ui.sentence(words::DELETE_QUESTION, &name(row, ui));
    Intent::ConfirmPermanent(question, Box::new(Intent::ChangeShelved(change, name(row, ui))))
}

fn name(row: &ShelfRow, ui: &UiSettings) -> String {
    dialog_name(&row.agent, None, &ui.about(&row.about, row.history), &row.taskdoc)
}

/// The name of a dialog in messages: its member and its subject.
pub fn dialog_name(agent: &AgentId, slug: Option<&Slug>, about: &str, taskdoc: &str) -> String {
    let slug = slug.map(|slug| format!(" !{slug}")).unwrap_or_default();
    let about = short_headline(about, NAME_CHARS);
    let about = if about.is_empty() { short_headline(taskdoc, NAME_CHARS) } else { about };
    format!("@{agent}{slug} “{about}”")
}

fn row_strips(row: &ShelfRow, view: View<'_>) -> (Strip, Strip) {
    let ui = view.ui;
    let dim = ui.style(Role::TextDim);
    let word = if row.bucket == Bucket::Archive { words::ARCHIVED } else { words::DONE };
    let left = Strip::new()
        .put(&format!("@{}", row.agent), ui.style(Role::Agent))
        .put(&format!("  {}", row.taskdoc), dim)
        .put(&format!("  {}", ui.about(&row.about, row.history)), ui.style(Role::Text));
    let age = age::short(&row.last_modified, view.now);
    let right = Strip::new().put(&format!("{}  {age}", ui.text(word)), dim);
    (left, right)
}

fn heading(ui: &UiSettings, empty: bool) -> Heading {
    let close = hint(ui, SCOPE, Action::Close, words::CLOSE);
    let hints = if empty {
        vec![close]
    } else {
        vec![
            hint(ui, SCOPE, Action::Open, words::OPEN),
            hint(ui, SCOPE, Action::Revive, words::REVIVE),
            close,
            hint(ui, SCOPE, Action::Archive, words::ARCHIVE),
            hint(ui, SCOPE, Action::Delete, words::DELETE),
        ]
    };
    Heading { left: ui.text(words::SHELF_TITLE).to_owned(), right: hints.join(PART) }
}

impl Overlay for Shelf {
    fn scope(&self) -> Scope {
        SCOPE
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Handled {
        type Handler = fn(&mut Shelf, &mut Cx<'_>) -> Handled;
        let handlers: [(Action, Handler); 7] = [
            (Action::Up, |shelf, _| shelf.step(false)),
            (Action::Down, |shelf, _| shelf.step(true)),
            (Action::Open, |shelf, cx| shelf.chosen(cx, open)),
            (Action::Revive, |shelf, cx| shelf.chosen(cx, |row, ui| move_to(Bucket::Run, row, ui))),
            (Action::Archive, |shelf, cx| {
                shelf.chosen(cx, |row, ui| move_to(Bucket::Archive, row, ui))
            }),
            (Action::Delete, |shelf, cx| shelf.chosen(cx, delete)),
            (Action::Close, |_, _| Handled::Close),
        ];
        let handler = handlers.iter().find(|(known, _)| *known == action);
        handler.map_or(Handled::Ignored, |(_, handler)| handler(self, cx))
    }

    fn typed(&mut self, _: KeyEvent, _: &mut Cx<'_>) -> Handled {
        Handled::Ignored
    }

    fn paste(&mut self, _: &str, _: &mut Cx<'_>) {}

    fn layout(&mut self, area: Rect, _: View<'_>, _: &Cx<'_>) {
        let fits = usize::from(area.height.saturating_sub(1)).max(1);
        self.top = self.top.clamp(self.selected.saturating_sub(fits - 1), self.selected);
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, _: &Cx<'_>) {
        frame.render_widget(Clear, area);
        let ui = view.ui;
        let head = Rect { height: area.height.min(1), ..area };
        draw_heading(frame, head, ui, &heading(ui, self.rows.is_empty()), true);
        let rows = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        let dim = ui.style(Role::TextDim);
        if self.rows.is_empty() && rows.height > 0 {
            let line = Strip::new().put(" ", dim).put(ui.text(words::SHELF_EMPTY), dim);
            line.draw(frame.buffer_mut(), rows, rows.y);
            return;
        }
        let shown = self.rows.iter().enumerate().skip(self.top);
        for (y, (at, row)) in (rows.y..rows.bottom()).zip(shown) {
            let line = Rect { y, height: 1, ..rows };
            if at == self.selected {
                frame.buffer_mut().set_style(line, ui.style(Role::RowSelected));
                let bar = Strip::new().put(ui.glyphs.selected, ui.style(Role::Accent));
                bar.draw(frame.buffer_mut(), Rect { width: 1, ..line }, y);
            }
            let inner = Rect { x: line.x + 1, width: line.width.saturating_sub(2), ..line };
            let (left, right) = row_strips(row, view);
            draw_between(frame.buffer_mut(), inner, y, (&left, &right), ui.glyphs.cut);
        }
    }
}
