//! Draws the open questions, and below them the news, one line each.

#[cfg(test)]
mod tests;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::member;
use super::strip::{Strip, beside_title, draw_between};
use super::transcript::prose::{Prose, plain_rows};
use crate::action::{Action, Binding, Scope};
use crate::cx::{UiSettings, View};
use crate::domain::reading::title;
use crate::domain::teams::notices::{NewsKind, NewsLevel};
use crate::domain::text::Text;
use crate::model::{Drafts, Inbox, Tree, age};
use crate::panes::scroll_sign::ShownRows;
use crate::protocol::InboxRow;
use crate::theme::Role;
use crate::words::kind_word;

pub const NOTHING_FITS: Text = Text::new("nothing fits the filter", "没有符合筛选的内容");
const NOTHING_LISTED: Text = Text::new("nothing of this kind is open", "没有这一类的内容");
const BLOCKS: Text = Text::new("blocks", "阻塞");
const PARTS: Text = Text::new("parts", "部分");

pub const SCOPE: Scope = Scope::new("inbox", "等你的问题", &[Scope::PANES, Scope::ANYWHERE]);

pub const BINDINGS: &[Binding] = &[
    SCOPE.bind(Action::Up, &["k", "up"]).does("Move to the question above", "到上面的问题"),
    SCOPE.bind(Action::Down, &["j", "down"]).does("Move to the question below", "到下面的问题"),
    SCOPE.bind(Action::Top, &["g", "home"]).does("Go to the first question", "到第一个问题"),
    SCOPE.bind(Action::Bottom, &["G", "end"]).does("Go to the last question", "到最后一个问题"),
    SCOPE.bind(Action::Answer, &["enter", "a"]),
    SCOPE.bind(Action::Pick, &["1", "2", "3", "4", "5", "6", "7", "8", "9"]),
    SCOPE.bind(Action::CallSite, &["v"]),
    SCOPE.bind(Action::TakeRecommended, &["r"]),
    SCOPE.bind(Action::Dismiss, &["x"]),
    SCOPE
        .bind(Action::Unfold, &["l", "right"])
        .does("Show who waits for it and the last words", "显示谁在等它，以及最后的话"),
    SCOPE.bind(Action::Fold, &["h", "left"]).does("Hide it again", "再次隐藏"),
    SCOPE.bind(Action::PutOff, &["Z"]),
    SCOPE.bind(Action::BringBack, &["B"]),
    SCOPE.bind(Action::Filter, &["/"]),
    SCOPE
        .bind(Action::PreviousMatch, &["N"])
        .does("In a filtered list, go to the previous row", "列表已筛选时到上一行"),
    SCOPE.bind(Action::SwitchShown, &["*"]),
    SCOPE.bind(Action::ClearNews, &["H"]),
    SCOPE
        .bind(Action::SwitchOrder, &["o"])
        .does("Put what blocks most first, or the oldest", "让阻塞最多的在前，或最早的在前"),
];

/// Cells before the details of a question.
const DETAIL_INDENT: usize = 3;

/// With fewer cells than this, only the number of parts is shown.
const MIN_WORD_CELLS: u16 = 30;

/// Rows one question takes.
pub const ROWS_EACH: u16 = 2;

/// Most rows of details of the selected question.
pub const MAX_DETAIL_ROWS: u16 = 5;

/// Rows one notice or failure takes.
pub const NEWS_ROWS: u16 = 1;

/// Scrolls the selected row into view, with its details.
pub fn layout(inbox: &mut Inbox, ui: &UiSettings, area: Rect) {
    let selected = inbox.selected_at();
    let height = area.height.saturating_sub(detail_height(inbox, ui, area));
    let last = first_before(inbox, inbox.row_count(), height);
    let lowest = first_before(inbox, selected + 1, height);
    inbox.top = inbox.top.min(last).clamp(lowest.min(selected), selected);
}

/// Returns the height of an item of the list, in rows.
fn height_of(inbox: &Inbox, at: usize) -> u16 {
    if at < inbox.rows().len() { ROWS_EACH } else { NEWS_ROWS }
}

/// The first row to show so that all up to the one before `end` fit; at least that one is shown.
fn first_before(inbox: &Inbox, end: usize, height: u16) -> usize {
    let (mut first, mut left) = (end.saturating_sub(1), height);
    left = left.saturating_sub(height_of(inbox, first));
    while let Some(before) = first.checked_sub(1) {
        match left.checked_sub(height_of(inbox, before)) {
            Some(rest) => (first, left) = (before, rest),
            None => break,
        }
    }
    first
}

/// Returns how many items of the list are in view from this one on; at least one.
fn fits_from(inbox: &Inbox, top: usize, height: u16) -> usize {
    let (mut count, mut left) = (0, height);
    while let Some(rest) = left.checked_sub(height_of(inbox, top + count)) {
        if top + count >= inbox.row_count() {
            break;
        }
        (count, left) = (count + 1, rest);
    }
    count.max(1)
}

fn detail_height(inbox: &Inbox, ui: &UiSettings, area: Rect) -> u16 {
    let row = inbox.selected().filter(|_| inbox.is_unfolded());
    row.map_or(0, |row| u16::try_from(details(row, ui, area.width).len()).unwrap_or(0))
}

/// Returns the members that wait for the answer, how it can be given, and the last words of the asker.
fn details(row: &InboxRow, ui: &UiSettings, width: u16) -> Vec<Strip> {
    let dim = ui.style(Role::TextDim);
    let cells = usize::from(width).saturating_sub(DETAIL_INDENT + 1).max(1);
    let path = row.blocks.iter().rev().chain([&row.agent]);
    let path: Vec<String> = path.map(|agent| format!("@{agent}")).collect();
    let path = path.join(&format!(" {} ", ui.glyphs.path));
    let choices = row.choices();
    let kind = row.kind();
    let keys = choices.iter().map(|choice| choice.key.to_string());
    let kind: Vec<String> =
        std::iter::once(ui.text(kind_word(kind)).to_owned()).chain(keys).collect();
    let kind = kind.join(" ");
    let about = format!("{path} {} {kind}", ui.glyphs.middle_dot);
    let mut rows = plain_rows(&about, DETAIL_INDENT, cells, dim);
    rows.truncate(2);
    let said = Prose::new(ui).rows(&row.said, DETAIL_INDENT, cells);
    let room = usize::from(MAX_DETAIL_ROWS).saturating_sub(rows.len());
    let from = said.len().saturating_sub(room);
    rows.extend(said.into_iter().skip(from));
    rows
}

/// The questions that are in view.
pub fn in_view(inbox: &Inbox, area: Rect) -> &[InboxRow] {
    let details = if inbox.is_unfolded() { MAX_DETAIL_ROWS } else { 0 };
    let count = fits_from(inbox, inbox.top, area.height.saturating_sub(details));
    let from = inbox.rows().get(inbox.top..).unwrap_or_default();
    from.get(..count).unwrap_or(from)
}

/// The row of the list that is drawn in this row below the title; `None` below the last one, and on the details.
pub fn row_at(inbox: &Inbox, ui: &UiSettings, width: u16, row: usize) -> Option<usize> {
    let mut start = 0;
    for at in inbox.top..inbox.row_count() {
        let end = start + usize::from(height_of(inbox, at));
        if (start..end).contains(&row) {
            return Some(at);
        }
        let unfolded =
            inbox.rows().get(at).filter(|_| at == inbox.selected_at() && inbox.is_unfolded());
        start = end + unfolded.map_or(0, |question| details(question, ui, width).len());
        if start > row {
            return None;
        }
    }
    None
}

/// The rows in view. Details below the selected one may take the place of others.
pub fn shown_rows(inbox: &Inbox, area: Rect) -> ShownRows {
    let height = fits_from(inbox, inbox.top, area.height);
    ShownRows { top: inbox.top, height, rows: inbox.row_count() }
}

/// Draws the questions below the title.
pub fn draw(
    inbox: &Inbox,
    about: (&Tree, &Drafts),
    view: View<'_>,
    focused: bool,
    buffer: &mut Buffer,
    area: Rect,
) {
    if inbox.hides_all() {
        let dim = view.ui.style(Role::TextDim);
        let text = if inbox.filter().is_some() { NOTHING_FITS } else { NOTHING_LISTED };
        let nothing = Strip::new().put(" ", dim).put(view.ui.text(text), dim);
        nothing.draw(buffer, area, area.y);
        return;
    }
    let selected = inbox.selected_at();
    let mut y = area.y;
    for at in inbox.top..inbox.row_count() {
        let height = height_of(inbox, at).min(area.bottom().saturating_sub(y));
        if height == 0 {
            return;
        }
        if at == selected && focused {
            let lit = Rect { y, height, ..area };
            buffer.set_style(lit, view.ui.style(Role::RowSelected));
        }
        if at == selected && inbox.has_mark(focused) {
            Strip::new().put(view.ui.glyphs.selected, view.ui.style(Role::Accent)).draw(
                buffer,
                Rect { width: 1, ..area },
                y,
            );
        }
        let place = Rect { y, height, ..area };
        match inbox.rows().get(at) {
            Some(row) => {
                let times = times_of(inbox, row, about.1);
                draw_question((row, times), at, about, view, buffer, place);
            }
            None => draw_news(inbox, at, view, buffer, place),
        }
        y += height;
        let unfolded = inbox.rows().get(at).filter(|_| at == selected && inbox.is_unfolded());
        for strip in unfolded.into_iter().flat_map(|row| details(row, view.ui, area.width)) {
            if y < area.bottom() {
                strip.draw(buffer, area, y);
                y += 1;
            }
        }
    }
}

fn draw_news(inbox: &Inbox, at: usize, view: View<'_>, buffer: &mut Buffer, area: Rect) {
    let news = at.checked_sub(inbox.rows().len()).and_then(|at| inbox.news_rows().get(at));
    let Some(item) = news else { return };
    let ui = view.ui;
    let dim = ui.style(Role::TextDim);
    let (sign, role) = match (item.kind, item.level) {
        (NewsKind::Failure, _) => (ui.glyphs.dead, Role::Bad),
        (NewsKind::Answer, _) => (ui.glyphs.answered, Role::Agent),
        (NewsKind::Notice, NewsLevel::Warning) => ("!", Role::Warning),
        (NewsKind::Notice, NewsLevel::Info) => (ui.glyphs.middle_dot, Role::TextDim),
    };
    let left = Strip::new().put(&format!("{sign} "), ui.style(role));
    let mut facts = age::short(&item.updated_at, view.now);
    if item.count > 1 {
        facts = format!("{}{}  {facts}", ui.glyphs.times, item.count);
    }
    let name = item.agent.as_ref().map(|agent| format!("@{agent}")).unwrap_or_default();
    let names = [member::shortened(&name, ui), name];
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let facts = [Strip::new().put(&facts, dim), Strip::new()];
    let title = (item.title.as_str(), Role::Text);
    draw_titled(buffer, inner, (left, title, &facts), names.into_iter().rev(), ui);
}

/// Draws a title, and at the right edge the first of these beside which it has room: a name with the fullest of the
/// facts, all facts, fewer of them.
fn draw_titled(
    buffer: &mut Buffer,
    area: Rect,
    (left, (title, role), facts): (Strip, (&str, Role), &[Strip]),
    names: impl Iterator<Item = String>,
    ui: &UiSettings,
) {
    let dim = ui.style(Role::TextDim);
    let names = names.filter(|name| !name.is_empty());
    let fullest = facts.first().cloned().unwrap_or_default();
    let beside =
        names.map(|name| Strip::new().put(&format!("{name}  "), dim).join(fullest.clone()));
    let sides = beside.chain(facts.iter().cloned());
    let right = beside_title((left.width(), title), usize::from(area.width), sides);
    let left = left.put(title, ui.style(role));
    draw_between(buffer, area, area.y, (&left, &right), ui.glyphs.cut);
}

/// Returns how many questions an answer to this one answers.
pub fn times_of(inbox: &Inbox, row: &InboxRow, drafts: &Drafts) -> usize {
    let alike = inbox.alike(&row.question.id);
    1 + alike.filter(|row| !drafts.has_answer(&row.question.id)).count()
}

fn draw_question(
    (row, times): (&InboxRow, usize),
    at: usize,
    (tree, drafts): (&Tree, &Drafts),
    view: View<'_>,
    buffer: &mut Buffer,
    area: Rect,
) {
    let ui = view.ui;
    let dim = ui.style(Role::TextDim);
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    // Only numbers that have a key.
    let keys = ui.keymap.keys(SCOPE, Action::Pick).len();
    let number = if at < keys { (at + 1).to_string() } else { " ".to_owned() };
    let left = Strip::new().put(&format!("{number} "), ui.style(Role::Attention));
    let asker = row.asker(ui.lang);
    let slug = row.slug.as_ref().map(|slug| format!(" !{slug}")).unwrap_or_default();
    let full = format!("{asker}{slug}");
    let title = tree.get(&row.dialog).map(|dialog| dialog.title.as_str());
    let facts = facts_of(row, times, drafts, view);
    if let Some(title) = title.filter(|title| !title.is_empty()) {
        let short = short_asker(&asker, ui);
        let about = (left, (title, Role::Text), facts.as_slice());
        draw_titled(buffer, inner, about, [full, asker, short].into_iter(), ui);
    } else {
        let about = (left, (full.as_str(), Role::Agent), facts.as_slice());
        draw_titled(buffer, inner, about, std::iter::empty(), ui);
    }
    if area.height < ROWS_EACH || area.y + 1 >= area.bottom() {
        return;
    }
    let kind = row.kind();
    // If there are several parts, the next one to answer says more than the text above them.
    let wanted = match row.next_part() {
        Some((_, part)) => title::headline(&part.text),
        None => title::headline(&row.question.tellask_content),
    };
    let sign = if row.is_approval() { ui.glyphs.changed } else { ui.glyphs.of_kind(kind) };
    let second = Strip::new().put(&format!("{sign} "), dim).put(&wanted, ui.style(Role::Text));
    let below = Rect { y: area.y + 1, ..inner };
    // The kind of answer is shown only if there is room; for parts, their number always.
    let (right, is_needed) = match row.progress() {
        Some((answered, all)) => {
            let parts = if inner.width < MIN_WORD_CELLS { "" } else { ui.text(PARTS) };
            (format!("{answered}/{all} {parts}").trim_end().to_owned(), true)
        }
        None => (ui.text(kind_word(kind)).to_owned(), false),
    };
    let right = Strip::new().put(&right, dim);
    let fits = second.width() + 2 + right.width() <= usize::from(inner.width);
    let right = if is_needed || fits { right } else { Strip::new() };
    draw_between(buffer, below, below.y, (&second, &right), ui.glyphs.cut);
}

/// The sign of a draft, the age of a question, how many it stands for, and how many wait for it; then as many of these
/// as matter where there is less room.
fn facts_of(row: &InboxRow, times: usize, drafts: &Drafts, view: View<'_>) -> Vec<Strip> {
    let (ui, waiting) = (view.ui, row.blocks.len());
    let mut draft = Strip::new();
    if drafts.has_answer(&row.question.id) {
        draft.push(&format!("{} ", ui.glyphs.draft), ui.style(Role::Attention));
    }
    let times = (times > 1).then(|| format!("{}{times}", ui.glyphs.times));
    let age = Some(age::short(&row.question.asked_at, view.now));
    let blocks = (waiting > 0).then(|| format!("{} {waiting}", ui.text(BLOCKS)));
    let facts = [vec![&times, &age, &blocks], vec![&times, &blocks], vec![&times], Vec::new()];
    let facts = facts.into_iter().map(|facts| {
        let facts: Vec<&str> = facts.into_iter().flatten().map(String::as_str).collect();
        draft.clone().put(&facts.join("  "), ui.style(Role::TextDim))
    });
    facts.collect()
}

/// The beginning of a member's name, or the program without the member that it asks about.
fn short_asker(asker: &str, ui: &UiSettings) -> String {
    if asker.starts_with('@') {
        return member::shortened(asker, ui);
    }
    let program = asker.split(['(', '（']).next().unwrap_or_default();
    program.trim_end().to_owned()
}
