//! The end of today's log of this program: the newest lines first in view, filtered by level. It is read on
//! request only; a key reads it again.
//!
//! Rows are laid out when the width or the filter changes, not for each frame.

mod log_words;
#[cfg(test)]
pub(crate) mod tests;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::composer::Heading;
use super::row_search::RowSearch;
use super::sheet_head::draw_sheet_head;
use super::strip::Strip;
use super::text_rows::TextRows;
use super::transcript::prose::plain_rows;
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::text::Text;
use crate::follow_up::FollowUp;
use crate::overlay::{Handled, Overlay, scroll_distance};
use crate::protocol::{LogLevel, LogView};
use crate::request::Request;
use crate::theme::Role;
use crate::words::CLOSE;

pub const SCOPE: Scope = Scope::new("log", "日志", &[Scope::PANES, Scope::ANYWHERE]);

pub const BINDINGS: &[Binding] = &[
    SCOPE.bind(Action::Up, &["k", "up"]).does("Scroll up one line", "上滚一行"),
    SCOPE.bind(Action::Down, &["j", "down"]).does("Scroll down one line", "下滚一行"),
    SCOPE.bind(Action::HalfPageUp, &["ctrl+u"]),
    SCOPE.bind(Action::HalfPageDown, &["ctrl+d"]),
    SCOPE.bind(Action::PageUp, &["pageup"]),
    SCOPE.bind(Action::PageDown, &["pagedown", "space"]),
    SCOPE.bind(Action::Top, &["g", "home"]).does("Go to the start", "到开头"),
    SCOPE.bind(Action::Bottom, &["G", "end"]).does("Go to the end", "到末尾"),
    SCOPE.bind(Action::LogLevel, &["tab"]),
    SCOPE.bind(Action::ReadAgain, &["r"]),
    SCOPE.bind(Action::Find, &["/"]).does("Find in these lines", "在这些行中查找"),
    SCOPE.bind(Action::NextMatch, &["n"]),
    SCOPE.bind(Action::PreviousMatch, &["N"]),
];

#[derive(Debug)]
pub struct LogSheet {
    log: LogView,
    /// Lines below this level are not shown.
    least: LogLevel,
    rows: TextRows,
    made_for: Option<(u16, LogLevel)>,
}

impl LogSheet {
    pub fn new(log: LogView, least: LogLevel) -> Self {
        let mut rows = TextRows::default();
        rows.show_end();
        Self { log, least, rows, made_for: None }
    }

    fn next_level(&mut self) -> Handled {
        self.least = match self.least {
            LogLevel::Trace | LogLevel::Debug => LogLevel::Info,
            LogLevel::Info => LogLevel::Warn,
            LogLevel::Warn => LogLevel::Error,
            LogLevel::Error => LogLevel::Trace,
        };
        self.rows.show_end();
        Handled::Done
    }

    fn shown(&self) -> usize {
        self.log.lines.iter().filter(|line| line.level >= self.least).count()
    }

    fn make_rows(&mut self, ui: &UiSettings, width: u16) {
        let made_for = Some((width, self.least));
        if self.made_for == made_for {
            return;
        }
        self.made_for = made_for;
        let cells = usize::from(width.saturating_sub(2)).max(1);
        let lines = self.log.lines.iter().filter(|line| line.level >= self.least);
        let rows = lines.flat_map(|line| {
            let role = match line.level {
                LogLevel::Error => Role::Bad,
                LogLevel::Warn => Role::Warning,
                LogLevel::Info => Role::Text,
                LogLevel::Debug | LogLevel::Trace => Role::TextDim,
            };
            plain_rows(&line.text, 1, cells, ui.style(role))
        });
        let mut rows: Vec<Strip> = rows.collect();
        let dim = ui.style(Role::TextDim);
        if rows.is_empty() {
            rows = plain_rows(ui.text(log_words::NONE), 1, cells, dim);
        } else if self.log.left_out {
            let note = format!("{}: {}", ui.text(log_words::LEFT_OUT), self.log.file);
            rows.splice(0..0, plain_rows(&note, 1, cells, dim));
        }
        self.rows.set(rows, width);
    }

    fn heading(&self, ui: &UiSettings) -> Heading {
        let dot = format!(" {} ", ui.glyphs.middle_dot);
        let lines = ui.counted(self.shown(), log_words::LINES);
        let left = [ui.text(log_words::TITLE), ui.text(level_word(self.least)), &lines].join(&dot);
        let hints = [
            (Action::LogLevel, log_words::LEVEL),
            (Action::Cancel, CLOSE),
            (Action::ReadAgain, log_words::AGAIN),
        ];
        Heading::of(left, ui, SCOPE, &hints)
    }
}

fn level_word(least: LogLevel) -> Text {
    match least {
        LogLevel::Trace | LogLevel::Debug => log_words::ALL,
        LogLevel::Info => log_words::INFO,
        LogLevel::Warn => log_words::WARN,
        LogLevel::Error => log_words::ERROR,
    }
}

impl Overlay for LogSheet {
    fn scope(&self) -> Scope {
        SCOPE
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Handled {
        if let Some(rows) = scroll_distance(action, self.rows.height()) {
            return self.rows.scroll(rows);
        }
        if matches!(action, Action::Cancel | Action::Quit | Action::Log) {
            return Handled::Close;
        }
        if action == Action::ReadAgain {
            cx.follow_ups.push(FollowUp::Request(Request::Log { least: self.least }));
            return Handled::Done;
        }
        if action == Action::LogLevel { self.next_level() } else { Handled::Ignored }
    }

    fn handles(&self, binding: &Binding) -> bool {
        binding.scope == SCOPE
            || matches!(binding.action, Action::Cancel | Action::Quit | Action::Log)
    }

    fn forget_rows(&mut self) {
        self.made_for = None;
    }

    fn layout(&mut self, area: Rect, view: View<'_>, _: &Cx<'_>) {
        self.make_rows(view.ui, area.width);
        self.rows.layout(usize::from(area.height.saturating_sub(1)));
    }

    fn row_search(&self) -> Option<&RowSearch> {
        Some(self.rows.search())
    }

    fn row_search_mut(&mut self) -> Option<&mut RowSearch> {
        Some(self.rows.search_mut())
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, _: &Cx<'_>) {
        let (heading, shown) = (self.heading(view.ui), self.rows.shown());
        let below = draw_sheet_head(frame, area, view.ui, &heading, Some(shown));
        self.rows.draw(frame, below, view.ui);
    }
}
