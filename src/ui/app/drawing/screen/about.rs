//! Texts about the open dialog: the speaker, the running time, why it stopped.

use std::time::Instant;

use ratatui::style::Style;

use crate::action::Action;
use crate::app::drawing::app_words;
use crate::cx::{UiSettings, View};
use crate::domain::dialogs::latest::{DisplayState, StopReason};
use crate::domain::{CallId, DialogId, SelfId};
use crate::model::{Inbox, Mark, Retry, Tree, age, retries};
use crate::panes::strip::Strip;
use crate::panes::transcript::block::MAX_TEXT_WIDTH;
use crate::panes::transcript::prose::plain_rows;
use crate::panes::transcript::{NameLookup, OpenDialog, SCOPE};
use crate::protocol::TreeRow;
use crate::theme::Role;
use crate::words;

/// Names of members around the open dialog.
pub(in crate::app) struct DialogNames<'a> {
    pub tree: &'a Tree,
    pub inbox: &'a Inbox,
    pub dialog: &'a DialogId,
}

impl NameLookup for DialogNames<'_> {
    fn member(&self, dialog: &SelfId) -> Option<String> {
        let id = DialogId::side(&self.dialog.root, dialog);
        self.tree.get(&id).map(|row| format!("@{}", row.agent))
    }

    fn asker(&self) -> Option<String> {
        self.member(self.tree.get(self.dialog)?.asker.as_ref()?)
    }

    fn waiting_for(&self, call: &CallId) -> Vec<String> {
        let mut rows = self.inbox.all().iter();
        let row = rows.find(|row| row.dialog == *self.dialog && row.question.call_id == *call);
        let blocks = row.map_or(&[][..], |row| row.blocks.as_slice());
        blocks.iter().map(|agent| format!("@{agent}")).collect()
    }

    fn asks_person(&self, dialog: &SelfId) -> bool {
        let row = self.tree.get(&DialogId::side(&self.dialog.root, dialog));
        row.map(Mark::of) == Some(Mark::NeedsYou)
    }
}

pub(in crate::app) fn speaker(open: &OpenDialog, row: Option<&TreeRow>) -> String {
    let agent = row.map(|row| &row.agent).or(open.agent.as_ref());
    agent.map(|agent| format!("@{agent}")).unwrap_or_default()
}

/// `● 0:42` while it runs, else the state's symbol and word.
pub(super) fn elapsed(open: &OpenDialog, row: Option<&TreeRow>, view: View<'_>) -> Strip {
    let Some(mark) = row.map(Mark::of) else {
        return Strip::new();
    };
    let ui = view.ui;
    let symbol = mark.glyph(&ui.glyphs);
    let running = open.began.as_ref().filter(|_| mark.is_running() || open.is_streaming());
    let text = match running.and_then(|began| age::seconds_since(began, view.now)) {
        Some(seconds) => age::clock(seconds),
        None => ui.text(mark.word()).to_owned(),
    };
    Strip::new()
        .put(&format!("{symbol} "), ui.style(mark.role()))
        .put(&text, ui.style(Role::TextDim))
}

/// Bytes of a reason that are shown; `show` prints all of it.
const MAX_REASON: usize = 16 * 1024;
/// Cells before a reason: a symbol and a blank.
const INDENT: usize = 2;

/// Lines about the dialog's state, below its text, wrapped to `width`.
pub(super) fn tail_lines(
    retry: Option<&Retry>,
    moment: Instant,
    row: Option<&TreeRow>,
    ui: &UiSettings,
    width: usize,
) -> Vec<Strip> {
    let mut lines = match retry {
        Some(Retry::Waiting { error, until }) => {
            let left = retries::shown_seconds(until.saturating_duration_since(moment));
            waiting_lines(error.in_lang(ui.lang), left, ui, width)
        }
        Some(Retry::Running) => {
            vec![Strip::new().put(ui.text(words::RETRYING), ui.style(Role::TextDim))]
        }
        None => Vec::new(),
    };
    if let Some(DisplayState::Stopped { reason, .. }) = row.map(|row| &row.state) {
        lines.extend(stopped_lines(reason, ui, width));
    }
    lines
}

/// The retry countdown with its key, and the error: in one line if they fit.
fn waiting_lines(error: &str, left: u64, ui: &UiSettings, width: usize) -> Vec<Strip> {
    let dim = ui.style(Role::TextDim);
    let text = format!("{} {}", ui.text(app_words::RETRYING), age::long(left));
    let hint = format!("  {} {}", ui.key(SCOPE, Action::RetryNow), ui.text(app_words::TRY_NOW));
    let line = Strip::new().put(&text, ui.style(Role::Warning)).put(&hint, dim);
    let mut rows = wrapped(error, width, dim);
    if line.width() > width {
        let mut all = plain_rows(&text, 0, width.clamp(1, MAX_TEXT_WIDTH), ui.style(Role::Warning));
        all.push(Strip::new().put(&hint, dim));
        all.append(&mut rows);
        return all;
    }
    match rows.pop() {
        Some(only) if rows.is_empty() && line.width() + only.width() <= width => {
            vec![line.join(only)]
        }
        last => std::iter::once(line).chain(rows).chain(last).collect(),
    }
}

/// The full reason, and the key that continues the dialog.
fn stopped_lines(reason: &StopReason, ui: &UiSettings, width: usize) -> Vec<Strip> {
    let role = if reason.is_failure() { Role::Bad } else { Role::Text };
    let mut rows = wrapped(reason.message().in_lang(ui.lang), width, ui.style(role));
    if let Some(first) = rows.first_mut() {
        *first = first.clone().led_by(ui.glyphs.stopped, ui.style(Role::Warning));
    }
    if *reason == StopReason::store_is_away() {
        // There is nothing to do about it.
        return rows;
    }
    let hint = format!("{} {}", ui.key(SCOPE, Action::Continue), ui.text(app_words::GOES_ON));
    let hint = Strip::new().pad_to(INDENT).put(&hint, ui.style(Role::TextDim));
    match rows.pop() {
        Some(last) if last.width() + hint.width() <= width => rows.push(last.join(hint)),
        last => {
            rows.extend(last);
            rows.push(hint);
        }
    }
    rows
}

/// The wrapped text, indented.
fn wrapped(text: &str, width: usize, style: Style) -> Vec<Strip> {
    let kept = (0..=MAX_REASON.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    let text = kept.and_then(|kept| text.get(..kept)).unwrap_or_default();
    plain_rows(text.trim(), INDENT, width.saturating_sub(INDENT).clamp(1, MAX_TEXT_WIDTH), style)
}
