//! The mouse, if the person uses it: the wheel scrolls the part under it, a click selects, and a click on the
//! selection opens it. Everything it does has a key as well.

use ratatui::crossterm::event::{KeyCode, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use crate::action::Action;
use crate::app::dialogs::preview::Preview;
use crate::app::dialogs::reading::Reading;
use crate::app::drawing::app_words;
use crate::app::drawing::areas::Areas;
use crate::app::drawing::tabs::tabs;
use crate::app::flow::facts::Facts;
use crate::app::{App, Effect, Focus};
use crate::cx::{Cx, UiSettings};
use crate::follow_up::{FollowUp, FollowUps, ToReading};
use crate::model::{Model, Tone};
use crate::overlay::{Handled, Overlay};
use crate::panes::inbox;
use crate::panes::transcript::ScrollMove;
use crate::protocol::Command;
use crate::terminal::MouseUse;
use crate::text::width::width;

/// Rows for one step of the wheel.
const WHEEL_ROWS: isize = 3;

/// A use of the mouse, and its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gesture {
    kind: GestureKind,
    at: Position,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GestureKind {
    Click,
    WheelUp,
    WheelDown,
}

impl Gesture {
    /// Returns the gesture of a report; `None` for reports without a meaning here, such as other buttons.
    #[must_use]
    pub fn of(event: MouseEvent) -> Option<Self> {
        let kind = match event.kind {
            MouseEventKind::Down(MouseButton::Left) => GestureKind::Click,
            MouseEventKind::ScrollUp => GestureKind::WheelUp,
            MouseEventKind::ScrollDown => GestureKind::WheelDown,
            MouseEventKind::Down(MouseButton::Right | MouseButton::Middle)
            | MouseEventKind::Up(_)
            | MouseEventKind::Drag(_)
            | MouseEventKind::Moved
            | MouseEventKind::ScrollLeft
            | MouseEventKind::ScrollRight => return None,
        };
        event
            .modifiers
            .is_empty()
            .then_some(Self { kind, at: Position { x: event.column, y: event.row } })
    }
}

/// The setting of the mouse, and the areas of the screen.
#[derive(Debug, Default)]
pub(in crate::app) struct Pointer {
    used: MouseUse,
    areas: Areas,
}

impl Pointer {
    pub fn laid_out(&mut self, areas: Areas) {
        self.areas = areas;
    }

    /// Turns mouse reports on or off. An inline screen does not know its place on the terminal, so they are
    /// never on there.
    pub fn use_mouse(&mut self, wanted: MouseUse, is_inline: bool) -> Option<Effect> {
        if self.used == wanted || is_inline {
            return None;
        }
        self.used = wanted;
        Some(Effect::UseMouse(wanted))
    }

    /// Switches the mouse on or off.
    pub fn switch(&mut self, is_inline: bool) -> FollowUps {
        let (wanted, told) = match self.used {
            _ if is_inline => return vec![FollowUp::Notify(Tone::Plain, app_words::MOUSE_STAYS)],
            MouseUse::Off => (MouseUse::On, app_words::MOUSE_USED),
            MouseUse::On => (MouseUse::Off, app_words::MOUSE_NOT_USED),
        };
        let switched = self.use_mouse(wanted, is_inline).map(FollowUp::Effect);
        switched.into_iter().chain([FollowUp::Notify(Tone::Plain, told)]).collect()
    }
}

/// The part at a position of the screen; rows are counted from the top of the part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Tab(usize),
    Tree(usize),
    Inbox(usize),
    Transcript(usize),
    Composer,
    /// The title of a pane.
    Title(Focus),
}

/// A part that is divided into rows.
type PartOfRow = fn(usize) -> Part;

fn part_at(areas: &Areas, narrow: bool, at: Position) -> Option<Part> {
    let row = |area: Rect| usize::from(at.y - area.y);
    let rows: [(Rect, PartOfRow); 3] = [
        (areas.tree_rows(narrow), Part::Tree),
        (areas.inbox_rows(), Part::Inbox),
        (areas.transcript, Part::Transcript),
    ];
    if let Some((area, part)) = rows.into_iter().find(|(area, _)| area.contains(at)) {
        return Some(part(row(area)));
    }
    if areas.tabs.contains(at) {
        return Some(Part::Tab(usize::from(at.x)));
    }
    let others = [
        (areas.composer, Part::Composer),
        (areas.tree, Part::Title(Focus::Tree)),
        (areas.inbox, Part::Title(Focus::Inbox)),
        (areas.right, Part::Title(Focus::Dialog)),
    ];
    others.into_iter().find(|(area, _)| area.contains(at)).map(|(_, part)| part)
}

impl App {
    /// Carries a gesture out; returns the commands to send, in order.
    pub fn point(&mut self, gesture: Gesture) -> Vec<Command> {
        // A report that was under way when the mouse was given back.
        if self.pointer.used == MouseUse::Off {
            return Vec::new();
        }
        self.redraw.mark();
        self.pressing.take_back();
        if self.overlays.is_empty() {
            let areas = self.pointer.areas;
            if let Some(part) = part_at(&areas, !areas.tabs.is_empty(), gesture.at) {
                let mut panes = PointedPanes {
                    model: &mut self.model,
                    reading: &mut self.reading,
                    preview: &self.preview,
                    focus: self.focus.now(),
                    ui: &self.ui,
                    inbox_cells: areas.inbox.width,
                };
                let follow_ups = panes.point_at(part, gesture.kind);
                self.follow(follow_ups);
            }
        } else {
            self.point_at_overlay(gesture);
        }
        self.outcome()
    }

    /// Handles an arrow that came several times at once, as terminals send the wheel when the mouse is not
    /// reported. In a list these are keys; beside the composer they scroll, and its text stays.
    pub fn arrows(&mut self, down: bool, count: u16) -> Vec<Command> {
        // Below the text of the terminal the wheel is the terminal's own.
        let scrolls = self.focus.is(Focus::Composer) && self.inline.is_none();
        if self.overlays.is_empty() && scrolls {
            self.redraw.mark();
            self.pressing.take_back();
            let rows = isize::try_from(count).unwrap_or(WHEEL_ROWS);
            self.follow([FollowUp::Reading(ToReading::Scroll(ScrollMove::Lines(if down {
                rows
            } else {
                -rows
            })))]);
            return self.outcome();
        }
        let code = if down { KeyCode::Down } else { KeyCode::Up };
        (0..count).flat_map(|_| self.key(code.into())).collect()
    }

    /// Handles the mouse over an overlay: the wheel is arrow keys; a click concerns its content.
    fn point_at_overlay(&mut self, gesture: Gesture) {
        let area = self.pointer.areas.overlays();
        let Some(scope) = self.overlays.scope().filter(|_| area.contains(gesture.at)) else {
            return;
        };
        // Lists of rows, and lists below a text field.
        let steps = match gesture.kind {
            GestureKind::WheelUp => [Action::Up, Action::HistoryUp],
            GestureKind::WheelDown => [Action::Down, Action::HistoryDown],
            GestureKind::Click => {
                let row = usize::from(gesture.at.y - area.y);
                self.with_overlay(|pane, cx| pane.click(row, cx));
                return;
            }
        };
        for step in steps {
            let is_bound = self.ui.keymap.bindings_of(scope).any(|one| one.action == step);
            let mut moves = || self.with_overlay(|pane, cx| wheel(pane, step, cx));
            // An overlay that does not move by this action may move by the other one.
            if is_bound && (0..WHEEL_ROWS).all(|_| moves()) {
                return;
            }
        }
    }
}

/// Moves an overlay by one row. The wheel closes nothing.
fn wheel(pane: &mut dyn Overlay, step: Action, cx: &mut Cx<'_>) -> Handled {
    match pane.act(step, cx) {
        Handled::Close | Handled::Done => Handled::Done,
        Handled::Ignored => Handled::Ignored,
    }
}

/// The panes below a gesture.
struct PointedPanes<'a> {
    model: &'a mut Model,
    reading: &'a mut Reading,
    preview: &'a Preview,
    focus: Focus,
    ui: &'a UiSettings,
    /// The width of the inbox.
    inbox_cells: u16,
}

impl PointedPanes<'_> {
    fn point_at(&mut self, part: Part, kind: GestureKind) -> FollowUps {
        let rows = match kind {
            GestureKind::WheelUp => -WHEEL_ROWS,
            GestureKind::WheelDown => WHEEL_ROWS,
            GestureKind::Click => return self.click(part),
        };
        match part {
            Part::Tree(_) => self.model.tree.step(rows),
            Part::Inbox(_) => self.model.inbox.step(rows),
            // A preview has only its end.
            Part::Transcript(_) if self.preview.dialog().is_some() => {}
            Part::Transcript(_) => self.reading.scroll(ScrollMove::Lines(rows)),
            Part::Tab(_) | Part::Composer | Part::Title(_) => {}
        }
        Vec::new()
    }

    fn click(&mut self, part: Part) -> FollowUps {
        if let (Part::Transcript(_) | Part::Title(Focus::Dialog), Some(dialog)) =
            (part, self.preview.dialog())
        {
            return vec![FollowUp::Reading(ToReading::ReadIfNew(dialog.clone()))];
        }
        match part {
            Part::Tab(column) => self.click_tab(column),
            Part::Tree(row) => self.click_tree(row),
            Part::Inbox(row) => self.click_inbox(row),
            Part::Transcript(row) => self.click_transcript(row),
            Part::Composer => vec![FollowUp::Focus(Focus::Composer)],
            Part::Title(focus) => vec![FollowUp::Focus(focus)],
        }
    }

    /// Each tab is drawn as a number, its name, and a gap.
    fn click_tab(&self, column: usize) -> FollowUps {
        let mut end = 0;
        let reached = |(name, focus): (String, Focus)| {
            end += width(&name) + 5;
            (column < end).then_some(FollowUp::Focus(focus))
        };
        let (open, focus) = (self.reading.open(), self.focus);
        let facts = Facts { model: self.model, open, focus, ui: self.ui };
        tabs(facts).into_iter().find_map(reached).into_iter().collect()
    }

    fn click_tree(&mut self, row: usize) -> FollowUps {
        let tree = &mut self.model.tree;
        let Some(at) = tree.row_at(row) else {
            return vec![FollowUp::Focus(Focus::Tree)];
        };
        if self.focus == Focus::Tree && tree.selected_at() == at {
            return vec![FollowUp::Act(Action::Open)];
        }
        tree.point_at(at);
        vec![FollowUp::Focus(Focus::Tree)]
    }

    fn click_inbox(&mut self, row: usize) -> FollowUps {
        let Some(at) = inbox::row_at(&self.model.inbox, self.ui, self.inbox_cells, row) else {
            return vec![FollowUp::Focus(Focus::Inbox)];
        };
        if self.focus == Focus::Inbox && self.model.inbox.selected_at() == at {
            return vec![FollowUp::Act(Action::Answer)];
        }
        self.model.inbox.select(at);
        vec![FollowUp::Focus(Focus::Inbox)]
    }

    fn click_transcript(&mut self, row: usize) -> FollowUps {
        if self.focus == Focus::Dialog && self.reading.is_openable_at(row) {
            return vec![FollowUp::Act(Action::ToggleCall)];
        }
        self.reading.point_at(row);
        vec![FollowUp::Focus(Focus::Dialog)]
    }
}
