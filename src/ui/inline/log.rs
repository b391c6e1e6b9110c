//! The entries to be printed, in order, and those printed already.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use super::dialog_news::News;
use super::due::PrintedDialog;
use crate::cx::UiSettings;
use crate::domain::DialogId;
use crate::domain::reading::transcript::Block;
use crate::panes::strip::Strip;
use crate::protocol::{InboxRow, TreeRow};

/// The longest wait of a block for the colours of its code: they cannot be added once it is printed.
const COLOURS_TIMEOUT: Duration = Duration::from_millis(300);

/// Something to print.
#[derive(Debug)]
pub enum LogEntry {
    /// The blocks below are of another dialog than those above.
    Heading {
        name: String,
        title: String,
    },
    /// Blocks before these are not printed.
    LeftOut,
    Block {
        dialog: DialogId,
        speaker: String,
        block: Box<Block>,
    },
    /// News of a dialog that is not open.
    News(Strip),
}

/// The spacing of an entry from its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spacing {
    /// One blank row around it.
    Apart,
    /// No blank row between entries of this kind.
    Close,
}

/// The state of an inline screen.
#[derive(Debug, Default)]
pub struct InlineLog {
    dialogs: BTreeMap<DialogId, PrintedDialog>,
    /// The dialog of the blocks printed last.
    headed: Option<DialogId>,
    /// Blocks are added only while it has none, so it holds no more than are loaded of a dialog.
    entries: VecDeque<LogEntry>,
    news: News,
    printed: Option<Spacing>,
    waits_since: Option<Instant>,
}

/// True if what waits since then has waited long enough.
pub fn is_late(since: Option<Instant>, now: Instant) -> bool {
    since.is_some_and(|since| now.saturating_duration_since(since) >= COLOURS_TIMEOUT)
}

impl InlineLog {
    /// Collects the blocks of the open dialog: its speaker, name and title. `loaded` are its newest blocks.
    pub fn collect(
        &mut self,
        dialog: &DialogId,
        (speaker, name, title): (&str, &str, &str),
        loaded: &[Block],
        is_from_start: bool,
    ) {
        let due = self.dialogs.entry(dialog.clone()).or_default().take(loaded, is_from_start);
        if due.blocks.is_empty() {
            return;
        }
        if self.headed.as_ref() != Some(dialog) {
            self.headed = Some(dialog.clone());
            let (name, title) = (name.to_owned(), title.to_owned());
            self.entries.push_back(LogEntry::Heading { name, title });
        }
        if due.leaves_out {
            self.entries.push_back(LogEntry::LeftOut);
        }
        self.entries.extend(due.blocks.into_iter().map(|block| LogEntry::Block {
            dialog: dialog.clone(),
            speaker: speaker.to_owned(),
            block: Box::new(block),
        }));
    }

    /// True if everything that was taken in is printed.
    pub fn is_printed(&self) -> bool {
        self.entries.is_empty()
    }

    /// The blocks of a dialog whose outcome is waited for.
    pub fn waiting<'a>(
        &'a self,
        dialog: &DialogId,
        loaded: &'a [Block],
    ) -> impl Iterator<Item = &'a Block> {
        self.dialogs.get(dialog).into_iter().flat_map(|printed| printed.waiting(loaded))
    }

    /// A dialog has this row now.
    pub fn row_changed(&mut self, row: &TreeRow, open: Option<&DialogId>, ui: &UiSettings) {
        if self.news.is_new(row) {
            self.dialogs.entry(row.dialog.clone()).or_insert_with(PrintedDialog::begun_now);
        }
        self.news.row_changed(row, open, ui);
    }

    /// Takes the first list of rows: none of them is news.
    pub fn rows_listed(&mut self, rows: &[TreeRow], open: Option<&DialogId>, ui: &UiSettings) {
        self.news.rows_listed(rows, open, ui);
    }

    /// Takes over the questions that are open now.
    pub fn inbox_changed(&mut self, rows: &[InboxRow], open: Option<&DialogId>, ui: &UiSettings) {
        self.news.inbox_changed(rows, open, ui);
    }

    /// Removes a dialog that is not listed any more.
    pub fn removed(&mut self, dialog: &DialogId) {
        self.news.removed(dialog);
    }

    /// Adds rows that are printed once, unchanged.
    pub fn say(&mut self, rows: Vec<Strip>) {
        self.entries.extend(rows.into_iter().map(LogEntry::News));
    }

    /// Returns the next entry. Blocks come before news of other dialogs.
    pub fn next(&mut self, ui: &UiSettings) -> Option<LogEntry> {
        self.waits_since = None;
        let news = || self.news.next(ui).map(LogEntry::News);
        self.entries.pop_front().or_else(news)
    }

    /// The entry is the next one again; it waits since then.
    pub fn put_back(&mut self, entry: LogEntry, since: Instant) {
        self.entries.push_front(entry);
        self.waits_since = Some(since);
    }

    /// Since when the next entry is postponed.
    pub fn waits_since(&self) -> Option<Instant> {
        self.waits_since
    }

    /// Returns when the waiting entry is printed at the latest.
    pub fn wake_at(&self) -> Option<Instant> {
        self.waits_since.map(|since| since + COLOURS_TIMEOUT)
    }

    /// True if a blank row comes before the next thing that is printed.
    pub fn space_before(&mut self, spacing: Spacing) -> bool {
        let before = self.printed.replace(spacing);
        before.is_some_and(|before| (before, spacing) != (Spacing::Close, Spacing::Close))
    }
}
