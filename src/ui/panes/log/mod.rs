//! The end of today's log of this program: the newest lines first in view, filtered by level, team and time. It is
//! read on request only; a key reads it again.
//!
//! Rows are laid out when the width or the filter changes, not for each frame.

mod log_words;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeSet;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::read_sheet::{ReadSheet, SheetView, find_keys, text_keys};
use super::strip::Strip;
use super::text_rows::TextRows;
use super::transcript::prose::plain_rows;
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::TeamName;
use crate::domain::text::Text;
use crate::follow_up::FollowUp;
use crate::model::{LogFilter, LogSpan, LogTeams};
use crate::overlay::{Handled, Handler};
use crate::protocol::{LogLevel, LogLine, LogView};
use crate::request::Request;
use crate::theme::Role;
use crate::words::CLOSE;

pub const SCOPE: Scope = Scope::new("log", "日志", &[Scope::PANES, Scope::ANYWHERE]);

/// Its bindings, in the order of help.
pub fn bindings() -> Vec<Binding> {
    let own = [
        SCOPE.bind(Action::LogLevel, &["tab"]),
        SCOPE.bind(Action::LogTeam, &["t"]),
        SCOPE.bind(Action::LogSpan, &["d"]),
        SCOPE.bind(Action::ReadAgain, &["r"]),
    ];
    [&text_keys(SCOPE)[..], &own, &find_keys(SCOPE, log_words::FIND)].concat()
}

const KEYS: [Handler<LogSheet>; 4] = [
    (Action::LogLevel, |sheet, _| sheet.next_level()),
    (Action::LogTeam, |sheet, cx| sheet.next_team(cx)),
    (Action::LogSpan, |sheet, _| sheet.next_span()),
    (Action::ReadAgain, |sheet, cx| {
        cx.follow_ups.push(FollowUp::Request(Request::Log(sheet.filter.clone())));
        Handled::Done
    }),
];

#[derive(Debug)]
pub struct LogSheet {
    log: LogView,
    filter: LogFilter,
    rows: TextRows,
    /// Lines that pass the filter.
    shown: usize,
    made_for: Option<(u16, LogFilter)>,
}

impl LogSheet {
    pub fn new(log: LogView, filter: LogFilter) -> Self {
        let mut rows = TextRows::default();
        rows.show_end();
        Self { log, filter, rows, shown: 0, made_for: None }
    }

    fn next_level(&mut self) -> Handled {
        self.filter.least = match self.filter.least {
            LogLevel::Trace | LogLevel::Debug => LogLevel::Info,
            LogLevel::Info => LogLevel::Warn,
            LogLevel::Warn => LogLevel::Error,
            LogLevel::Error => LogLevel::Trace,
        };
        self.rows.show_end();
        Handled::Done
    }

    /// Shows the lines of the next team that has any, after the last one those of all.
    fn next_team(&mut self, cx: &Cx<'_>) -> Handled {
        let named = LogTeams::new(&cx.model.teams, &cx.model.tree);
        let lines = self.log.lines.iter();
        let found: BTreeSet<&TeamName> = lines.flat_map(|line| named.of_line(line)).collect();
        let now = self.filter.team.as_ref();
        let next = found.into_iter().find(|team| now.is_none_or(|now| *team > now)).cloned();
        self.filter.team = next;
        self.rows.show_end();
        Handled::Done
    }

    fn next_span(&mut self) -> Handled {
        self.filter.span = self.filter.span.next();
        self.rows.show_end();
        Handled::Done
    }

    fn make_rows(&mut self, ui: &UiSettings, width: u16, cx: &Cx<'_>) {
        let made_for = Some((width, self.filter.clone()));
        if self.made_for == made_for {
            return;
        }
        self.made_for = made_for;
        let cells = usize::from(width.saturating_sub(2)).max(1);
        let (teams, tree) = (&cx.model.teams, &cx.model.tree);
        let teams = self.filter.team.as_ref().map(|_| LogTeams::new(teams, tree));
        let teams = teams.unwrap_or_default();
        let lines: Vec<&LogLine> = self.filter.lines(&self.log, &teams).collect();
        self.shown = lines.len();
        let rows = lines.into_iter().flat_map(|line| {
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
}

fn span_word(span: LogSpan) -> Option<Text> {
    match span {
        LogSpan::Day => None,
        LogSpan::Hour => Some(log_words::HOUR),
        LogSpan::TenMinutes => Some(log_words::TEN_MINUTES),
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

impl ReadSheet for LogSheet {
    const SCOPE: Scope = SCOPE;
    const KEYS: &'static [Handler<Self>] = &KEYS;
    const CLOSED_BY: &'static [Action] = &[Action::Cancel, Action::Quit, Action::Log];
    const HINTS: &'static [(Action, Text)] = &[
        (Action::LogLevel, log_words::LEVEL),
        (Action::Cancel, CLOSE),
        (Action::ReadAgain, log_words::AGAIN),
        (Action::LogTeam, log_words::TEAM),
        (Action::LogSpan, log_words::SPAN),
    ];

    fn view(&self) -> &SheetView {
        self.rows.view()
    }

    fn view_mut(&mut self) -> &mut SheetView {
        self.rows.view_mut()
    }

    fn step(&mut self, rows: isize, _: &Cx<'_>) -> Handled {
        self.rows.scroll(rows)
    }

    fn title(&self, ui: &UiSettings, _: &Cx<'_>) -> Vec<String> {
        let said = |text: Text| ui.text(text).to_owned();
        let LogFilter { least, team, span } = &self.filter;
        let mut title = vec![said(log_words::TITLE), said(level_word(*least))];
        title.extend(team.as_ref().map(ToString::to_string));
        title.extend(span_word(*span).map(said));
        title.push(ui.counted(self.shown, log_words::LINES));
        title
    }

    fn lay_out(&mut self, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        self.make_rows(view.ui, area.width, cx);
        self.rows.layout(usize::from(area.height));
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, _: &Cx<'_>) {
        self.rows.draw(frame, area, view.ui);
    }

    fn forget_rows(&mut self) {
        self.made_for = None;
    }
}
