//! What a list on top of the screen defines, and the overlay that shows any such list.
//!
//! A list is a type that implements [`List`]: its scope and words, its entries and their rows, and its keys
//! with their effects on the chosen entry. Moving, scrolling, closing, the heading with its hints and the
//! text for an empty list are the same for all lists and are here.

use std::fmt;
use std::ops::Range;

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::text::Text;
use crate::follow_up::FollowUp;
use crate::model::ReadingPlace;
use crate::overlay::{Handled, Overlay, scroll_distance};
use crate::panes::composer::{Heading, PART};
use crate::panes::read_progress::ReadProgress;
use crate::panes::read_sheet::{SheetView, draw_sheet_head, find_keys, text_keys};
use crate::panes::row_search::{RowJump, RowSearch, SearchedRow, top_for};
use crate::panes::strip::{Strip, draw_between};
use crate::protocol::InboxRow;
use crate::text::wrap::wrap;
use crate::theme::Role;
use crate::user_settings::ThemeOption;
use crate::words;

const FIND: Text = Text::new("Find in this list", "在此列表中查找");

/// The text of a row, and the text at its right edge.
pub type Row = (Strip, Strip);

/// The way to move through a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walk {
    /// One entry is chosen; each has one row.
    Entries,
    /// One entry is chosen; entries have as many rows as they need, the last one blank.
    Blocks,
    /// Read-only: it scrolls like a text, entries have as many rows as they need, and a key without an
    /// action here closes it.
    Text,
    /// The same, but one of its lines is chosen, each an entry; the first entry is what stands above them.
    Lines,
}

/// The effect of a key of a list on an entry.
#[derive(Debug)]
pub enum Outcome {
    /// The list stays.
    Stay(FollowUp),
    /// The list is closed.
    Close(FollowUp),
}

/// A key of a list: the action, its label, and its effect.
#[derive(Debug)]
pub struct ListKey<L> {
    pub action: Action,
    /// Default keys.
    pub keys: &'static [&'static str],
    /// The sentence in help.
    pub does: Text,
    /// The word in the heading. It is shown while the key can do something.
    pub hint: Text,
    /// The effect on this entry; `None` if nothing happens.
    pub run: fn(&L, usize, &Cx<'_>) -> Option<Outcome>,
}

/// A list on top of the screen.
pub trait List: fmt::Debug + Sized + 'static {
    const SCOPE: Scope;
    /// The binding that shows it, of [`Action::Show`].
    const OPENED_BY: Binding;
    const TITLE: Text;
    /// Shown instead of entries while there are none.
    const EMPTY: Text;
    const WALK: Walk;
    /// Its keys besides moving and closing, in the order of help and hints.
    const KEYS: &'static [ListKey<Self>] = &[];
    /// Keys hinted at before the one that closes the list. Where a heading is too narrow, the last hints
    /// are left out.
    const HINTS_BEFORE_CLOSE: usize = usize::MAX;

    /// True if its keys lead to other lists, which replace it.
    const LEADS_ON: bool = false;

    /// True if the key of this action can ever do something here: help and the palette list it.
    fn offers(&self, _: Action) -> bool {
        true
    }

    /// The list to show when it is asked for. If it cannot be shown at once, an intent says what
    /// happens instead.
    fn open(cx: &mut Cx<'_>) -> Option<Self>;

    /// Returns the text beside the title; empty for most lists.
    fn about(&self, _: &UiSettings, _: &Cx<'_>) -> String {
        String::new()
    }

    /// The entries, in the order of the screen.
    fn entries(&self, cx: &Cx<'_>) -> Vec<usize>;

    /// Returns the place of the entry that is chosen at first.
    fn first(&self, _: &Cx<'_>) -> usize {
        0
    }

    /// Returns the theme in which the screen is drawn once the cursor was moved to this entry.
    fn tried_theme<'a>(&self, _entry: usize, _: &Cx<'a>) -> Option<&'a ThemeOption> {
        None
    }

    /// Returns a name of an entry that stays the same while others come and go, so that the chosen entry
    /// stays chosen. `None` in lists that do not change by themselves.
    fn name(&self, _entry: usize, _: &Cx<'_>) -> Option<String> {
        None
    }

    /// The question that this text is all about: once it was read to its end, it can be approved.
    fn question(&self) -> Option<&InboxRow> {
        None
    }

    /// The rows of an entry.
    fn rows(&self, entry: usize, width: usize, view: View<'_>, cx: &Cx<'_>) -> Vec<Row>;

    /// Rows below an entry that are not of the text: they need not be read before it can be approved.
    fn remarks(&self, _entry: usize, _width: usize, _view: View<'_>, _: &Cx<'_>) -> Vec<Row> {
        Vec::new()
    }
}

/// The bindings of a list.
pub fn bindings<L: List>() -> Vec<Binding> {
    let scope = L::SCOPE;
    let walk: &[Binding] = match L::WALK {
        Walk::Entries => {
            &[scope.bind(Action::Up, &["k", "up"]), scope.bind(Action::Down, &["j", "down"])]
        }
        Walk::Blocks => &[
            scope.bind(Action::Up, &["k", "up"]).does("Move to the entry above", "到上面的条目"),
            scope
                .bind(Action::Down, &["j", "down"])
                .does("Move to the entry below", "到下面的条目"),
            scope.bind(Action::PageUp, &["pageup", "ctrl+u"]),
            scope.bind(Action::PageDown, &["pagedown", "ctrl+d", "space"]),
            scope.bind(Action::Top, &["g", "home"]).does("Go to the first entry", "到第一个条目"),
            scope
                .bind(Action::Bottom, &["G", "end"])
                .does("Go to the last entry", "到最后一个条目"),
        ],
        Walk::Text => &text_keys(scope),
        Walk::Lines => &[
            scope.bind(Action::Up, &["k", "up"]).does("Move to the line above", "到上一行"),
            scope.bind(Action::Down, &["j", "down"]).does("Move to the line below", "到下一行"),
            scope.bind(Action::HalfPageUp, &["ctrl+u"]),
            scope.bind(Action::HalfPageDown, &["ctrl+d"]),
            scope.bind(Action::PageUp, &["pageup"]),
            scope.bind(Action::PageDown, &["pagedown", "space"]),
            scope.bind(Action::Top, &["g", "home"]).does("Go to the start", "到开头"),
            scope.bind(Action::Bottom, &["G", "end"]).does("Go to the end", "到末尾"),
        ],
    };
    // The key of another list is bound by that one.
    let own = L::KEYS.iter().filter(|key| !matches!(key.action, Action::Show(_)));
    let own = own.map(|key| scope.bind(key.action, key.keys).says(key.does));
    let find = find_keys(scope, FIND);
    let last = [
        scope.bind(Action::FindEverywhere, &["F"]),
        scope.bind(Action::Palette, &[":"]),
        scope.bind(Action::Help, &["?"]),
        scope.bind(Action::Close, &["esc", "q", "ctrl+c"]),
        L::OPENED_BY,
    ];
    walk.iter().copied().chain(own).chain(find).chain(last).collect()
}

/// Shows a list and handles its keys.
#[derive(Debug)]
pub struct ListOverlay<L> {
    list: L,
    /// The chosen entry, by its position on the screen.
    chosen: usize,
    /// The person has chosen an entry.
    has_moved: bool,
    /// The name of the chosen entry when it was last shown.
    chosen_name: Option<String>,
    view: SheetView,
    /// The place at the top of a text.
    place: ReadingPlace,
    /// The parts of a text that were on the screen.
    read: ReadProgress<()>,
    /// The rows that are to be read.
    to_read: usize,
    /// Something was on top of it when it was drawn last: its rows were not all in view.
    is_covered: bool,
    /// The first row of each entry of a list of blocks or lines.
    starts: Vec<usize>,
}

impl<L: List> ListOverlay<L> {
    pub fn new(list: L) -> Self {
        Self::at(list, 0)
    }

    /// The list with another entry chosen than the first.
    pub fn at(list: L, chosen: usize) -> Self {
        Self {
            list,
            chosen,
            has_moved: false,
            chosen_name: None,
            view: SheetView::default(),
            place: ReadingPlace::default(),
            read: ReadProgress::default(),
            to_read: 0,
            is_covered: false,
            starts: Vec::new(),
        }
    }

    fn chosen(&self, cx: &Cx<'_>) -> Option<usize> {
        self.list.entries(cx).get(self.chosen).copied()
    }

    fn name_of_chosen(&self, cx: &Cx<'_>) -> Option<String> {
        self.chosen(cx).and_then(|entry| self.list.name(entry, cx))
    }

    /// Follows the chosen entry to where it is now; false if it is gone.
    fn follow_chosen(&mut self, cx: &Cx<'_>) -> bool {
        if self.chosen_name.is_none() || self.name_of_chosen(cx) == self.chosen_name {
            return true;
        }
        let mut entries = self.list.entries(cx).into_iter();
        let at = entries.position(|entry| self.list.name(entry, cx) == self.chosen_name);
        self.chosen = at.unwrap_or(self.chosen);
        at.is_some()
    }

    fn go(&mut self, rows: isize, cx: &Cx<'_>) -> Handled {
        match L::WALK {
            Walk::Entries => {
                let last = self.list.entries(cx).len().saturating_sub(1);
                self.chosen = self.chosen.saturating_add_signed(rows).min(last);
            }
            Walk::Blocks | Walk::Lines => self.go_by_blocks(rows),
            Walk::Text => {
                let last = self.view.last_top();
                self.view.top = self.view.top.saturating_add_signed(rows).min(last);
            }
        }
        Handled::Done
    }

    /// Moves to another block; within a block that does not fit, by lines.
    fn go_by_blocks(&mut self, rows: isize) {
        let last = self.starts.len().saturating_sub(1);
        self.chosen = self.chosen.min(last);
        let (start, end) = self.block(self.chosen);
        let bottom = self.view.top + self.view.height;
        match rows {
            0 => {}
            1 if end > bottom => self.view.top += 1,
            -1 if start < self.view.top => self.view.top -= 1,
            1 | -1 => {
                self.chosen = self.chosen.saturating_add_signed(rows).min(last);
                self.reveal(rows > 0);
            }
            isize::MIN => (self.chosen, self.view.top) = (0, 0),
            isize::MAX => (self.chosen, self.view.top) = (last, self.view.rows),
            _ => {
                self.view.top = self.view.top.saturating_add_signed(rows);
                self.keep_top();
                let below = self.starts.iter().position(|start| *start >= self.view.top);
                self.chosen = below.unwrap_or(last);
            }
        }
        self.keep_top();
    }

    fn keep_top(&mut self) {
        self.view.top = self.view.top.min(self.view.last_top());
    }

    /// Scrolls the chosen block into view; if it does not fit, the end from which it is reached.
    fn reveal(&mut self, from_above: bool) {
        let (start, end) = self.block(self.chosen);
        let first = end.saturating_sub(self.view.height);
        self.view.top = if from_above {
            self.view.top.max(first).min(start)
        } else {
            self.view.top.min(start).max(first)
        };
    }

    /// The first row of a block and the row after it.
    fn block(&self, at: usize) -> (usize, usize) {
        let row = |at: usize| self.starts.get(at).copied().unwrap_or(self.view.rows);
        (row(at), row(at + 1))
    }

    fn run(&self, key: &ListKey<L>, cx: &mut Cx<'_>) -> Handled {
        match (key.run)(&self.list, self.chosen(cx).unwrap_or_default(), cx) {
            None => Handled::Done,
            Some(Outcome::Stay(intent)) => {
                cx.follow_ups.push(intent);
                Handled::Done
            }
            Some(Outcome::Close(intent)) => {
                cx.follow_ups.push(intent);
                Handled::Close
            }
        }
    }

    fn heading(&self, view: View<'_>, cx: &Cx<'_>) -> Heading {
        let ui = view.ui;
        let hint = |action, text: &str| format!("{} {text}", ui.key(L::SCOPE, action));
        // Some keys need no entry.
        let chosen = self.chosen(cx).unwrap_or_default();
        let works = |key: &&ListKey<L>| (key.run)(&self.list, chosen, cx).is_some();
        let keys = L::KEYS.iter().filter(works);
        let mut hints: Vec<String> =
            keys.map(|key| hint(key.action, key.hint.in_lang(ui.lang))).collect();
        let unread = self.list.question().map_or(0, |_| self.read.unread(&(), self.to_read));
        if unread > 0 {
            hints.insert(0, ui.counted(unread, words::MORE_LINES));
        }
        let close = hint(Action::Close, ui.text(words::CLOSE));
        hints.insert(hints.len().min(L::HINTS_BEFORE_CLOSE), close);
        let about = self.list.about(ui, cx);
        let about = if about.is_empty() { None } else { Some(about.as_str()) };
        let title = [Some(L::TITLE.in_lang(ui.lang)), about].into_iter().flatten();
        let left = title.collect::<Vec<_>>().join(&format!(" {} ", ui.glyphs.middle_dot));
        Heading { left, right: hints.join(PART) }
    }

    /// Returns the rows of all entries, one below the other.
    fn text(&self, width: u16, view: View<'_>, cx: &Cx<'_>) -> Vec<Row> {
        let entries = self.list.entries(cx).into_iter();
        entries.flat_map(|entry| self.entry_rows(entry, width, view, cx)).collect()
    }

    /// Returns the rows of an entry, and those below it.
    fn entry_rows(&self, entry: usize, width: u16, view: View<'_>, cx: &Cx<'_>) -> Vec<Row> {
        let mut rows = self.list.rows(entry, width.into(), view, cx);
        rows.extend(self.list.remarks(entry, width.into(), view, cx));
        rows
    }

    /// Chooses the entry with the match.
    fn follow_search(&mut self, width: u16, view: View<'_>, cx: &Cx<'_>) {
        let entries = self.list.entries(cx).into_iter();
        let rows = entries.map(|entry| {
            let rows = self.list.rows(entry, width.into(), view, cx);
            rows.first().map(searched).unwrap_or_default()
        });
        match self.view.search.follow(rows) {
            Some(RowJump::To(row)) => (self.chosen, self.has_moved) = (row, true),
            Some(RowJump::Back { row, top }) => {
                (self.chosen, self.view.top) = (row.row(), top.row());
            }
            None => {}
        }
    }

    /// Keeps the place at the top at a new width, and brings a match into view. Returns the letters of each row, and
    /// the row to go to.
    fn follow_rows(&mut self, rows: &[Row], width: u16) -> (Vec<usize>, Option<usize>) {
        self.view.rows = rows.len();
        let letters: Vec<usize> = rows.iter().map(|(left, _)| left.letters()).collect();
        let each = || letters.iter().copied();
        self.view.top = self.place.row_at(width.into(), self.view.top, each);
        let to = match self.view.search.follow(rows.iter().map(searched)) {
            Some(RowJump::To(row)) => {
                self.view.top = top_for(row, self.view.height);
                Some(row)
            }
            Some(RowJump::Back { row, top }) => {
                (self.place, self.view.top) = (top, top.row_in(each()));
                Some(row.row_in(each()))
            }
            None => None,
        };
        (letters, to)
    }

    /// Finds where each entry begins, and chooses the one with the match. Returns the place of the chosen one.
    fn lay_out_blocks(&mut self, width: u16, view: View<'_>, cx: &Cx<'_>) -> ReadingPlace {
        self.starts.clear();
        let mut rows: Vec<Row> = Vec::new();
        for entry in self.list.entries(cx) {
            self.starts.push(rows.len());
            rows.extend(self.entry_rows(entry, width, view, cx));
        }
        let (letters, to) = self.follow_rows(&rows, width);
        if let Some(row) = to {
            self.chosen = self.starts.partition_point(|start| *start <= row).saturating_sub(1);
        }
        self.go_by_blocks(0);
        let (width, each) = (usize::from(width), || letters.iter().copied());
        self.place.stands_at(width, (self.view.top, self.view.rows), each);
        let mut chosen = ReadingPlace::default();
        chosen.stands_at(width, (self.block(self.chosen).0, self.view.rows), each);
        chosen
    }

    /// Arranges a text.
    fn lay_out_text(&mut self, width: u16, view: View<'_>, cx: &Cx<'_>) {
        let rows = self.text(width, view, cx);
        let (letters, _) = self.follow_rows(&rows, width);
        // What has to be read wholly is read again from its beginning.
        if self.read.begins((), width) && self.list.question().is_some() {
            self.view.top = 0;
        }
        self.go(0, cx);
        let view = (self.view.top, self.view.rows);
        self.place.stands_at(width.into(), view, || letters.iter().copied());
        self.shown(self.view.top, self.view.height);
        self.to_read = self.view.rows;
    }

    /// Arranges a text of which a line is chosen. Returns the place of that line.
    fn lay_out_lines(&mut self, width: u16, view: View<'_>, cx: &Cx<'_>) -> ReadingPlace {
        // What has to be read wholly is read again from its beginning.
        if self.read.begins((), width) && self.list.question().is_some() {
            (self.chosen, self.view.top, self.place) = (1, 0, ReadingPlace::default());
        }
        let chosen = self.lay_out_blocks(width, view, cx);
        let remarks = self.remark_rows(width, view, cx);
        let read = |row: usize| {
            let before = remarks.iter().map(|rows| rows.end.min(row).saturating_sub(rows.start));
            row.saturating_sub(before.sum())
        };
        let (top, bottom) = (read(self.view.top), read(self.view.top + self.view.height));
        self.to_read = read(self.view.rows);
        self.shown(top, bottom.saturating_sub(top));
        chosen
    }

    /// Records what is in view, unless something was on top of it.
    fn shown(&mut self, top: usize, height: usize) {
        if !std::mem::take(&mut self.is_covered) {
            self.read.shown(top, height);
        }
    }

    /// Returns the places of rows that are not of the text.
    fn remark_rows(&self, width: u16, view: View<'_>, cx: &Cx<'_>) -> Vec<Range<usize>> {
        let entries = self.list.entries(cx).into_iter().enumerate();
        let rows = entries.map(|(at, entry)| {
            let (end, remarks) =
                (self.block(at).1, self.list.remarks(entry, width.into(), view, cx));
            end.saturating_sub(remarks.len())..end
        });
        rows.filter(|rows| !rows.is_empty()).collect()
    }

    fn draw_entries(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let ui = view.ui;
        let width = usize::from(area.width);
        let shown = self.list.entries(cx).into_iter().enumerate().skip(self.view.top);
        for (y, (at, entry)) in (area.y..area.bottom()).zip(shown) {
            let line = Rect { y, height: 1, ..area };
            if at == self.chosen {
                frame.buffer_mut().set_style(line, ui.style(Role::RowSelected));
                let bar = Strip::new().put(ui.glyphs.selected, ui.style(Role::Accent));
                bar.draw(frame.buffer_mut(), Rect { width: 1, ..line }, y);
            }
            let inner = Rect { x: line.x + 1, width: line.width.saturating_sub(2), ..line };
            for row in self.list.rows(entry, width, view, cx).iter().take(1) {
                let (left, right) = self.view.search.marked_parts(at, row.clone(), ui);
                draw_between(frame.buffer_mut(), inner, y, (&left, &right), ui.glyphs.cut);
            }
        }
    }

    fn draw_text(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let inner = Rect { width: area.width.saturating_sub(1), ..area };
        let rows = self.text(area.width, view, cx);
        let (start, end) = self.block(self.chosen);
        let shown = rows.iter().enumerate().skip(self.view.top);
        for (y, (at, row)) in (area.y..area.bottom()).zip(shown) {
            let (left, right) = self.view.search.marked_parts(at, row.clone(), view.ui);
            draw_between(frame.buffer_mut(), inner, y, (&left, &right), view.ui.glyphs.cut);
            let is_chosen = match L::WALK {
                // The last row of a block is blank.
                Walk::Blocks => start <= at && at + 1 < end,
                Walk::Lines => self.chosen > 0 && (start..end).contains(&at),
                Walk::Entries | Walk::Text => false,
            };
            if is_chosen {
                let bar = Strip::new().put(view.ui.glyphs.selected, view.ui.style(Role::Accent));
                bar.draw(frame.buffer_mut(), Rect { y, width: 1, height: 1, ..area }, y);
            }
        }
    }
}

/// Returns the text of a row to be searched.
fn searched((left, right): &Row) -> SearchedRow {
    if right.is_empty() {
        return left.into();
    }
    format!("{}\n{}", left.plain(), right.plain()).into()
}

/// True for an action that shows another list in the place of this one.
fn leads_on<L: List>(action: Action) -> bool {
    matches!(action, Action::Show(list) if L::LEADS_ON && list != L::SCOPE)
}

impl<L: List> Overlay for ListOverlay<L> {
    fn scope(&self) -> Scope {
        L::SCOPE
    }

    fn handles(&self, binding: &Binding) -> bool {
        let is_here = binding.scope == L::SCOPE || leads_on::<L>(binding.action);
        is_here && self.list.offers(binding.action)
    }

    fn keeps(&self, action: Action) -> bool {
        leads_on::<L>(action)
    }

    fn click(&mut self, row: usize, cx: &mut Cx<'_>) -> Handled {
        let below_heading = row.checked_sub(1).map(|row| self.view.top + row);
        let at = below_heading.and_then(|row| match L::WALK {
            Walk::Entries => Some(row),
            Walk::Lines if row < self.view.rows => {
                self.starts.partition_point(|start| *start <= row).checked_sub(1)
            }
            Walk::Lines | Walk::Blocks | Walk::Text => None,
        });
        let count = self.list.entries(cx).len();
        let Some(at) = at.filter(|at| *at < count) else { return Handled::Ignored };
        if at != self.chosen {
            (self.chosen, self.has_moved) = (at, true);
            self.chosen_name = self.name_of_chosen(cx);
            return Handled::Done;
        }
        let opens = L::KEYS.iter().find(|key| key.keys.contains(&"enter"));
        opens.map_or(Handled::Done, |key| self.run(key, cx))
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Handled {
        if !self.list.offers(action) {
            return Handled::Ignored;
        }
        // A key acts on the entry that was seen.
        let is_there = self.follow_chosen(cx);
        if let Some(key) = L::KEYS.iter().find(|key| key.action == action) {
            return if is_there { self.run(key, cx) } else { Handled::Done };
        }
        if let Some(rows) = scroll_distance(action, self.view.height) {
            let handled = self.go(rows, cx);
            self.has_moved = true;
            self.chosen_name = self.name_of_chosen(cx);
            return handled;
        }
        if leads_on::<L>(action) {
            cx.follow_ups.push(FollowUp::Run(Scope::ANYWHERE, action));
            return Handled::Close;
        }
        match L::WALK {
            Walk::Entries | Walk::Blocks if action != Action::Close => Handled::Ignored,
            Walk::Entries | Walk::Blocks | Walk::Text | Walk::Lines => Handled::Close,
        }
    }

    fn typed(&mut self, _: KeyEvent, _: &mut Cx<'_>) -> Handled {
        match L::WALK {
            Walk::Entries | Walk::Blocks => Handled::Ignored,
            Walk::Text | Walk::Lines => Handled::Close,
        }
    }

    fn layout(&mut self, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        self.view.height = usize::from(area.height.saturating_sub(1));
        self.view.search.rows_changed();
        let (row, top): (ReadingPlace, ReadingPlace) = match L::WALK {
            Walk::Entries => {
                self.view.rows = self.list.entries(cx).len();
                self.follow_chosen(cx);
                self.follow_search(area.width, view, cx);
                self.go(0, cx);
                self.chosen_name = self.name_of_chosen(cx);
                self.view.reveal(self.chosen);
                (self.chosen.into(), self.view.top.into())
            }
            Walk::Blocks => (self.lay_out_blocks(area.width, view, cx), self.place),
            Walk::Lines => (self.lay_out_lines(area.width, view, cx), self.place),
            Walk::Text => {
                self.lay_out_text(area.width, view, cx);
                (self.place, self.place)
            }
        };
        self.view.search.stands_at(row, top);
    }

    fn hide(&mut self) {
        self.is_covered = true;
    }

    fn read_question(&self) -> Option<&InboxRow> {
        let is_read = self.view.height > 0 && self.read.unread(&(), self.to_read) == 0;
        self.list.question().filter(|_| is_read)
    }

    fn tried_theme<'a>(&self, cx: &Cx<'a>) -> Option<&'a ThemeOption> {
        let chosen = self.chosen(cx).filter(|_| self.has_moved)?;
        self.list.tried_theme(chosen, cx)
    }

    fn row_search(&self) -> Option<&RowSearch> {
        Some(&self.view.search)
    }

    fn row_search_mut(&mut self) -> Option<&mut RowSearch> {
        Some(&mut self.view.search)
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let heading = self.heading(view, cx);
        let rows = draw_sheet_head(frame, area, view.ui, &heading, self.view.shown());
        if self.list.entries(cx).is_empty() {
            let dim = view.ui.style(Role::TextDim);
            let margin = if L::WALK == Walk::Entries { " " } else { "  " };
            let empty = L::EMPTY.in_lang(view.ui.lang);
            let width = usize::from(rows.width).saturating_sub(margin.len());
            for (y, line) in (rows.y..rows.bottom()).zip(wrap(empty, width)) {
                let line = empty.get(line).unwrap_or_default().trim_end();
                Strip::new().put(margin, dim).put(line, dim).draw(frame.buffer_mut(), rows, y);
            }
            return;
        }
        match L::WALK {
            Walk::Entries => self.draw_entries(frame, rows, view, cx),
            Walk::Blocks | Walk::Text | Walk::Lines => self.draw_text(frame, rows, view, cx),
        }
    }
}
